// SPDX-License-Identifier: MIT
//
// The plot of a sweep: curves over a parameter, a map of two with colours, or points of any two
// columns. uPlot has the axes; what is inside is drawn here. Pointing at a case tells its numbers.

import uPlot from 'uplot';
import { formatNumber, make } from './dom.js';
import { decadesOf } from './exports.js';

const HEIGHT = 380;
const REACH = 16; // pixels from the pointer to a case
// From dark blue over green to yellow, of even steps in lightness.
const STOPS = [[48, 18, 99], [51, 92, 148], [33, 145, 140], [92, 190, 98], [249, 222, 40]];

export function colorAt(u) {
    const at = Math.min(Math.max(u, 0), 1) * (STOPS.length - 1);
    const k = Math.min(Math.floor(at), STOPS.length - 2);
    const mixed = STOPS[k].map((a, i) => Math.round(a + (at - k) * (STOPS[k + 1][i] - a)));
    return `rgb(${mixed.join(' ')})`;
}

export const colorBar = `linear-gradient(to right, ${STOPS.map((_, i) =>
    colorAt(i / (STOPS.length - 1))).join(', ')})`;

const cssColor = (name) =>
    getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

function rangeOf(values, log) {
    let [low, high] = [Infinity, -Infinity];
    for (const v of values) {
        if (Number.isFinite(v) && (!log || v > 0)) {
            low = Math.min(low, v);
            high = Math.max(high, v);
        }
    }
    if (low > high)
        return log ? [1, 10] : [0, 1];
    if (log)
        return low === high ? [low / 2, high * 2] : [low / (high / low) ** 0.04, high *
            (high / low) ** 0.04];
    // A constant, up to rounding: the noise must not fill the plot.
    const size = Math.max(Math.abs(low), Math.abs(high));
    const room = high - low > 1e-9 * size ? 0.05 * (high - low) : 0.1 * size || 1;
    return [low - room, high + room];
}

// Half-way between neighbours; the outer ones as wide as their neighbours.
function edgesOf(values, log) {
    const v = log ? values.map(Math.log) : values;
    const back = log ? Math.exp : (x) => x;
    const inner = v.slice(1).map((x, i) => 0.5 * (x + v[i]));
    return [v[0] - (inner[0] - v[0]), ...inner, v.at(-1) + (v.at(-1) - inner.at(-1))].map(back);
}

export class SweepPlot {
    constructor(container) {
        this.container = container;
        this.tip = make('div', { class: 'tip', hidden: true });
    }

    // what: {kind: 'curve' | 'map' | 'scatter', x, y: {label, values, log}, points: [{row, color}],
    // lines: [{color, points}], grid: {x, y, colors} for a map of cells, tell: row => lines of text}
    draw(what) {
        this.what = what;
        const { grid } = what;
        const spread = (axis, values) => rangeOf(values, axis.log);
        this.range = {
            x: grid ? this.#ends(edgesOf(grid.x, what.x.log)) : spread(what.x, what.x.values),
            y: grid ? this.#ends(edgesOf(grid.y, what.y.log)) : spread(what.y, what.y.values),
        };
        this.uplot?.destroy();
        this.container.replaceChildren();
        this.uplot = new uPlot(this.#options(), [null, [[], []]], this.container);
        this.uplot.over.append(this.tip);
        this.tip.hidden = true;
        this.uplot.over.addEventListener('mousemove', (e) => this.#point(e.offsetX, e.offsetY));
        this.uplot.over.addEventListener('mouseleave', () => { this.tip.hidden = true; });
        const { canvas } = this.uplot.ctx;
        canvas.setAttribute('role', 'img');
        canvas.setAttribute('aria-label',
            `${what.y.label} over ${what.x.label}; the table has the numbers`);
    }

    #ends(edges) {
        return [edges[0], edges.at(-1)];
    }

    get width() {
        return Math.max(this.container.clientWidth, 160);
    }

    resize() {
        if (this.uplot && this.uplot.width !== this.width)
            this.uplot.setSize({ width: this.width, height: HEIGHT });
    }

    #axis(axis, more) {
        const format = (u, ticks) => ticks.map((v) => (v === null ? '' : formatNumber(v, 6)));
        const decades = axis.log && axis.range[1] / axis.range[0] > 30;
        return { stroke: cssColor('muted'), font: '11px system-ui, sans-serif',
            labelFont: '12px system-ui, sans-serif', label: axis.label, values: format,
            grid: { stroke: cssColor('line'), width: 1 }, ticks: { stroke: cssColor('line') },
            ...(decades ? { splits: (u, i, low, high) => decadesOf(low, high) } : {}), ...more };
    }

    #options() {
        const { x, y } = this.what;
        return {
            mode: 2,
            width: this.width,
            height: HEIGHT,
            legend: { show: false },
            padding: [8, 12, 0, 0],
            cursor: { x: false, y: false, points: { show: false }, drag: { x: false, y: false } },
            scales: {
                x: { time: false, distr: x.log ? 3 : 1, range: () => this.range.x },
                y: { distr: y.log ? 3 : 1, range: () => this.range.y },
            },
            axes: [
                this.#axis({ ...x, range: this.range.x }, { size: 30, labelSize: 18, space: 70 }),
                this.#axis({ ...y, range: this.range.y }, { size: 58, labelSize: 18, space: 30 }),
            ],
            series: [{}, { facets: [{ scale: 'x', auto: true }, { scale: 'y', auto: true }],
                paths: () => null }],
            hooks: { draw: [(u) => this.#trace(u)] },
        };
    }

    #trace(u) {
        const { ctx } = u;
        const ratio = uPlot.pxRatio ?? window.devicePixelRatio;
        const { left, top, width, height } = u.bbox;
        ctx.save();
        ctx.beginPath();
        ctx.rect(left, top, width, height);
        ctx.clip();
        if (this.what.grid)
            this.#cells(u, ctx);
        for (const line of this.what.lines ?? [])
            this.#line(u, ctx, line, ratio);
        const r = (this.what.points.length > 2000 ? 1.8 : 3.2) * ratio;
        for (const { row, color } of this.what.points) {
            const [px, py] = this.#place(u, row, true);
            ctx.fillStyle = color;
            ctx.beginPath();
            ctx.arc(px, py, r, 0, 2 * Math.PI);
            ctx.fill();
        }
        ctx.restore();
    }

    #place(u, row, canvas) {
        const { x, y } = this.what;
        return [u.valToPos(x.values[row], 'x', canvas), u.valToPos(y.values[row], 'y', canvas)];
    }

    #line(u, ctx, { color, rows }, ratio) {
        ctx.strokeStyle = color;
        ctx.lineWidth = 1.6 * ratio;
        ctx.beginPath();
        let down = false;
        for (const row of rows) {
            const place = this.#place(u, row, true);
            const there = place.every(Number.isFinite);
            if (there && down)
                ctx.lineTo(...place);
            else if (there)
                ctx.moveTo(...place);
            down = there;
        }
        ctx.stroke();
    }

    #cells(u, ctx) {
        const { grid, x, y } = this.what;
        const across = edgesOf(grid.x, x.log).map((v) => Math.round(u.valToPos(v, 'x', true)));
        const up = edgesOf(grid.y, y.log).map((v) => Math.round(u.valToPos(v, 'y', true)));
        grid.colors.forEach((row, j) => row.forEach((color, i) => {
            if (!color)
                return;
            ctx.fillStyle = color;
            ctx.fillRect(across[i], up[j + 1], across[i + 1] - across[i], up[j] - up[j + 1]);
        }));
    }

    // The case under the pointer, or the nearest one.
    nearest(px, py) {
        let best = null;
        let least = this.what.grid ? Infinity : REACH ** 2;
        for (const row of this.what.rows) {
            const [x, y] = this.#place(this.uplot, row, false);
            const away = (x - px) ** 2 + (y - py) ** 2;
            if (away < least)
                [least, best] = [away, { row, x, y }];
        }
        return best;
    }

    #point(px, py) {
        const hit = this.nearest(px, py);
        this.tip.hidden = !hit;
        if (!hit)
            return;
        const [head, ...rest] = this.what.tell(hit.row);
        this.tip.replaceChildren(make('strong', {}, head), ...rest.map((t) => make('div', {}, t)));
        const right = hit.x > 0.6 * this.uplot.over.clientWidth;
        this.tip.style.left = right ? '' : `${hit.x + 12}px`;
        this.tip.style.right = right ? `${this.uplot.over.clientWidth - hit.x + 12}px` : '';
        this.tip.style.top = `${Math.max(hit.y - 30, 0)}px`;
    }

    // For tests: where a case is, in pixels of the page.
    placeOf(row) {
        const box = this.uplot.over.getBoundingClientRect();
        const [x, y] = this.#place(this.uplot, row, false);
        return { x: box.left + x, y: box.top + y };
    }
}
