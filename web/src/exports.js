// SPDX-License-Identifier: MIT
//
// A plot as SVG or PNG and its data as CSV, and how a file is handed to the user. The SVG is
// written from the data, light on white, for papers.

import { formatNumber } from './dom.js';

export const COLORS = ['#1f6fb4', '#d1495b', '#2a9d6f', '#b8860b', '#7b5ea7', '#2aa6b8', '#8c564b',
    '#6b7280'];
export const DARK_COLORS = ['#6cb2f5', '#ff8a8a', '#5fd3a0', '#e6c15c', '#b9a1e8', '#62d3e3',
    '#d3a08f', '#b3bcc8'];

export function download(name, content, type) {
    const blob = content instanceof Blob ? content : new Blob([content], { type });
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export function fileName(title, ending) {
    const stem = title.replace(/\.(ya?ml|json)$/i, '').replace(/[^\p{L}\p{N}._-]+/gu, '_')
        .replace(/^[._]+|_+$/g, '').slice(0, 80);
    return `${stem || 'tenon'}.${ending}`;
}

export function labelOf(channel) {
    return channel.unit ? `${channel.name} [${channel.unit}]` : channel.name;
}

// Tables
// ---------------------------------------------------------------------------------------------

// One time axis for several channels: where a channel has no value, undefined.
export function alignChannels(channels) {
    const [first] = channels;
    if (channels.every((c) => c.time === first.time || sameNumbers(c.time, first.time)))
        return { time: first.time, columns: channels.map((c) => c.value) };
    const time = Float64Array.from(new Set(channels.flatMap((c) => [...c.time]))).sort();
    const columns = channels.map((c) => {
        const column = new Array(time.length);
        for (let i = 0, k = 0; k < c.time.length; k++) {
            while (time[i] < c.time[k])
                i++;
            column[i] = c.value[k];
        }
        return column;
    });
    return { time, columns };
}

function sameNumbers(a, b) {
    if (a.length !== b.length)
        return false;
    for (let i = 0; i < a.length; i++)
        if (a[i] !== b[i])
            return false;
    return true;
}

function csvText(text) {
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// Numbers with all their digits; an empty cell where a channel has no value.
export function csvOf(channels) {
    if (channels.length === 0)
        return 'time [s]\n';
    const { time, columns } = alignChannels(channels);
    const lines = [['time [s]', ...channels.map(labelOf)].map(csvText).join(',')];
    for (let i = 0; i < time.length; i++)
        lines.push([time[i], ...columns.map((c) => c[i] ?? '')].join(','));
    return `${lines.join('\n')}\n`;
}

// Drawing
// ---------------------------------------------------------------------------------------------

function escapeXml(text) {
    const named = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };
    // Control characters are not allowed in XML at all.
    return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '\ufffd')
        .replace(/[&<>"']/g, (c) => named[c]);
}

// Round numbers between two ends, about `count` of them.
export function ticksOf(low, high, count) {
    const span = high - low;
    if (!(span > 0))
        return [low];
    const rough = span / count;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((n) => n * power).find((s) => s >= rough);
    const ticks = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * span; k++)
        ticks.push(Number((k * step).toPrecision(12)));
    return ticks;
}

// Powers of ten between two ends, at most about eight.
export function decadesOf(low, high) {
    const first = Math.ceil(Math.log10(low) - 1e-9);
    const last = Math.floor(Math.log10(high) + 1e-9);
    const every = Math.max(Math.ceil((last - first) / 8), 1);
    const ticks = [];
    for (let k = first; k <= last; k += every)
        ticks.push(10 ** k);
    return ticks;
}

// A path that is lifted where values are missing.
function pathOf(time, values, place, drawable) {
    let path = '';
    let down = false;
    for (let i = 0; i < time.length; i++) {
        if (!drawable(values[i])) {
            down = false;
            continue;
        }
        const [x, y] = place(time[i], values[i]);
        path += `${down ? 'L' : 'M'}${x.toFixed(2)} ${y.toFixed(2)}`;
        down = true;
    }
    return path;
}

// channels; range {x: [low, high], y: [low, high]}; log for the y axis.
export function svgOf(channels, range, log, title, titleY = '') {
    const width = 760;
    const row = 18;
    const top = 34 + row * channels.length;
    const box = { left: 78, right: width - 18, top, bottom: top + 320 };
    const height = box.bottom + 48;
    const scaleY = log ? Math.log10 : (y) => y;
    const [x0, x1] = range.x;
    const [y0, y1] = range.y.map(scaleY);
    const place = (x, y) => [
        box.left + ((x - x0) / (x1 - x0 || 1)) * (box.right - box.left),
        box.bottom - ((scaleY(y) - y0) / (y1 - y0 || 1)) * (box.bottom - box.top),
    ];
    const text = (x, y, content, more = '') =>
        `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${more}>${escapeXml(content)}</text>`;
    const line = (ax, ay, bx, by, color) => `<line x1="${ax.toFixed(1)}" y1="${ay.toFixed(1)}" ` +
        `x2="${bx.toFixed(1)}" y2="${by.toFixed(1)}" stroke="${color}"/>`;
    const parts = [];

    for (const tick of ticksOf(x0, x1, 8)) {
        const [x] = place(tick, log ? 10 ** y0 : y0);
        parts.push(line(x, box.top, x, box.bottom, '#e3e6ea'),
            text(x, box.bottom + 17, formatNumber(tick), 'text-anchor="middle"'));
    }
    for (const tick of log ? decadesOf(...range.y) : ticksOf(y0, y1, 6)) {
        const [, y] = place(x0, tick);
        parts.push(line(box.left, y, box.right, y, '#e3e6ea'),
            text(box.left - 7, y + 4, formatNumber(tick), 'text-anchor="end"'));
    }
    channels.forEach((channel, i) => {
        const order = [...new Set(channels.map((c) => c.index))].indexOf(channel.index);
        const color = COLORS[(channel.byRun ? channel.run : order) % COLORS.length];
        const dash = channel.dash ? ' stroke-dasharray="6 4"' : '';
        const inside = (y) => Number.isFinite(y) && (!log || y > 0);
        const y = 34 + row * i;
        parts.push(`<path d="${pathOf(channel.time, channel.value, place, inside)}" fill="none" ` +
            `stroke="${color}" stroke-width="1.5"${dash} stroke-linejoin="round" clip-path="url(#box)"/>`,
        `<line x1="${box.left}" x2="${box.left + 22}" y1="${y}" y2="${y}" stroke="${color}" ` +
            `stroke-width="2.5"${dash}/>`,
        text(box.left + 29, y + 4, labelOf(channel)));
    });
    const { left, right, bottom } = box;
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
        `viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12" fill="#222">\n` +
        `<title>${escapeXml(title)}</title>\n` +
        `<clipPath id="box"><rect x="${left}" y="${box.top}" width="${right - left}" ` +
        `height="${bottom - box.top}"/></clipPath>\n` +
        `<rect width="${width}" height="${height}" fill="#fff"/>\n` +
        `${text(left, 18, title, 'font-weight="bold" font-size="13"')}\n${parts.join('\n')}\n` +
        `<rect x="${left}" y="${box.top}" width="${right - left}" height="${bottom - box.top}" ` +
        'fill="none" stroke="#555"/>\n' +
        `${text((left + right) / 2, bottom + 37, 'time [s]', 'text-anchor="middle"')}\n` +
        `<g transform="translate(16 ${(box.top + bottom) / 2}) rotate(-90)">` +
        `${text(0, 0, titleY, 'text-anchor="middle"')}</g>\n</svg>\n`;
}

// The canvas of a plot with its legend above, on the ground of the page.
export function pngOf(canvas, channels, colors, style) {
    const ratio = window.devicePixelRatio || 1;
    const row = 18 * ratio;
    const top = row * channels.length + 14 * ratio;
    const picture = document.createElement('canvas');
    picture.width = canvas.width;
    picture.height = canvas.height + top;
    const draw = picture.getContext('2d');
    draw.fillStyle = style.ground;
    draw.fillRect(0, 0, picture.width, picture.height);
    draw.font = `${12 * ratio}px sans-serif`;
    draw.textBaseline = 'middle';
    channels.forEach((channel, i) => {
        const y = 10 * ratio + row * (i + 0.5);
        draw.fillStyle = colors[i % colors.length];
        draw.fillRect(14 * ratio, y - ratio, 22 * ratio, 2.5 * ratio);
        draw.fillStyle = style.text;
        draw.fillText(labelOf(channel), 43 * ratio, y);
    });
    draw.drawImage(canvas, 0, top);
    return picture;
}

// A drawing as a picture of twice its size.
export async function pngOfSvg(text) {
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
    await image.decode();
    const picture = document.createElement('canvas');
    picture.width = 2 * image.width;
    picture.height = 2 * image.height;
    picture.getContext('2d').drawImage(image, 0, 0, picture.width, picture.height);
    return picture;
}

// A copy of a picture with the scale of its colours in the corner.
export function withScale(canvas, scale) {
    const ratio = canvas.width / canvas.clientWidth;
    const copy = document.createElement('canvas');
    copy.width = canvas.width;
    copy.height = canvas.height;
    const to = copy.getContext('2d');
    const css = getComputedStyle(document.documentElement);
    to.drawImage(canvas, 0, 0);
    to.scale(ratio, ratio);
    const [width, left, top] = [190, canvas.clientWidth - 210, canvas.clientHeight - 40];
    const gradient = to.createLinearGradient(left, 0, left + width, 0);
    for (const [at, color] of scale.stops())
        gradient.addColorStop(at, color);
    to.fillStyle = gradient;
    to.fillRect(left, top, width, 10);
    to.fillStyle = css.getPropertyValue('--text').trim() || '#888888';
    to.font = '12px system-ui, sans-serif';
    to.fillText(`${scale.kind.label} [${scale.kind.unit}]`, left, top - 6);
    to.fillText(formatNumber(scale.low, 3), left, top + 24);
    to.textAlign = 'right';
    to.fillText(formatNumber(scale.high, 3), left + width, top + 24);
    return copy;
}
