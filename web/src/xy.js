// SPDX-License-Identifier: MIT
//
// Channels against another channel: orbits, phase plots, hodographs. Drawn as SVG with a dot where
// the animation is; equal scales where both axes have the same unit.

import { formatNumber, makeSvg } from './dom.js';
import { ticksOf } from './exports.js';

const HEIGHT = 280;
const BOX = { left: 66, right: 12, top: 10, bottom: 40 };

function rangeOf(lists) {
    let [low, high] = [Infinity, -Infinity];
    for (const values of lists)
        for (const x of values)
            if (Number.isFinite(x))
                [low, high] = [Math.min(low, x), Math.max(high, x)];
    if (!(low <= high))
        return [0, 1];
    const room = 0.05 * (high - low) || 0.1 * Math.abs(high) || 1;
    return [low - room, high + room];
}

// The same length of a unit on both axes: the shorter range grows about its middle.
function equalise(x, y, width, height) {
    const scale = Math.max((x[1] - x[0]) / width, (y[1] - y[0]) / height);
    const about = ([low, high], size) => [(low + high - size) / 2, (low + high + size) / 2];
    return [about(x, scale * width), about(y, scale * height)];
}

export class XY {
    // curves: [{name, x, y, at(t), color, dash}] with x and y as long as each other; at(t) is the
    // point of a time. labels: those of the axes; equal: both have one unit. style: colours.
    constructor(container, curves, { labels, equal, width, style }) {
        this.curves = curves;
        this.box = { left: BOX.left, right: width - BOX.right, top: BOX.top,
            bottom: HEIGHT - BOX.bottom };
        this.style = style;
        [this.x, this.y] = [rangeOf(curves.map((c) => c.x)), rangeOf(curves.map((c) => c.y))];
        if (equal) {
            [this.x, this.y] = equalise(this.x, this.y, this.box.right - this.box.left,
                this.box.bottom - this.box.top);
        }
        this.svg = makeSvg('svg', { width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`,
            class: 'xy', role: 'img', 'font-family': 'system-ui, sans-serif', 'font-size': 11,
            'aria-label': `${labels[1]} against ${labels[0]}` });
        this.#axes(labels);
        this.dots = curves.map((curve) => this.#curve(curve));
        this.svg.append(...this.dots);
        container.replaceChildren(this.svg);
    }

    place(x, y) {
        const { left, right, top, bottom } = this.box;
        return [left + ((x - this.x[0]) / (this.x[1] - this.x[0])) * (right - left),
            bottom - ((y - this.y[0]) / (this.y[1] - this.y[0])) * (bottom - top)];
    }

    #axes(labels) {
        const { left, right, top, bottom } = this.box;
        const { line, muted, text } = this.style;
        const put = (tag, attributes, ...more) => this.svg.append(makeSvg(tag, attributes, ...more));
        for (const tick of ticksOf(...this.x, 7)) {
            const [x] = this.place(tick, this.y[0]);
            put('line', { x1: x, x2: x, y1: top, y2: bottom, stroke: line });
            put('text', { x, y: bottom + 14, 'text-anchor': 'middle', fill: muted },
                formatNumber(tick, 6));
        }
        for (const tick of ticksOf(...this.y, 5)) {
            const [, y] = this.place(this.x[0], tick);
            put('line', { x1: left, x2: right, y1: y, y2: y, stroke: line });
            put('text', { x: left - 6, y: y + 4, 'text-anchor': 'end', fill: muted },
                formatNumber(tick, 6));
        }
        put('text', { x: (left + right) / 2, y: bottom + 32, 'text-anchor': 'middle', fill: text },
            labels[0]);
        put('text', { transform: `translate(12 ${(top + bottom) / 2}) rotate(-90)`,
            'text-anchor': 'middle', fill: text }, labels[1]);
    }

    #curve({ x, y, color, dash }) {
        let path = '';
        let down = false;
        for (let i = 0; i < x.length; i++) {
            const seen = Number.isFinite(x[i]) && Number.isFinite(y[i]);
            if (seen) {
                const [px, py] = this.place(x[i], y[i]);
                path += `${down ? 'L' : 'M'}${px.toFixed(1)} ${py.toFixed(1)}`;
            }
            down = seen;
        }
        this.svg.append(makeSvg('path', { d: path, fill: 'none', stroke: color,
            'stroke-width': 1.5, 'stroke-linejoin': 'round',
            ...(dash ? { 'stroke-dasharray': '6 4' } : {}) }));
        return makeSvg('circle', { r: 4, fill: color, stroke: this.style.ground,
            'stroke-width': 1.5 });
    }

    moveTo(t) {
        this.curves.forEach((curve, i) => {
            const [x, y] = curve.at(t);
            const seen = Number.isFinite(x) && Number.isFinite(y);
            const [px, py] = seen ? this.place(x, y) : [-99, -99];
            this.dots[i].setAttribute('cx', px.toFixed(1));
            this.dots[i].setAttribute('cy', py.toFixed(1));
        });
    }

    text() {
        const copy = this.svg.cloneNode(true);
        copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
        const ground = makeSvg('rect', { width: '100%', height: '100%', fill: this.style.ground });
        copy.prepend(ground);
        return new XMLSerializer().serializeToString(copy);
    }
}
