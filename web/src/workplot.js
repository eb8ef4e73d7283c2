// SPDX-License-Identifier: MIT
//
// A plot of work over correct digits: for each method a line through its runs, in the order in which
// they were made, which need not be that of their digits. Pointing at a run tells its numbers.

import uPlot from 'uplot';
import { formatNumber, make } from './dom.js';
import { decadesOf } from './exports.js';

export const SHAPES = ['circle', 'square', 'triangle', 'diamond', 'cross'];
const HEIGHT = 320;
const RADIUS = 4.5;
const REACH = 18; // pixels from the pointer to a run

// The path of a mark around the origin.
export function markOf(shape, r) {
    const w = 0.886 * r; // a square of the same area
    const t = 0.38 * r;
    switch (shape) {
    case 'square':
        return `M${-w} ${-w}H${w}V${w}H${-w}Z`;
    case 'triangle':
        return `M0 ${-1.2 * r}L${1.1 * r} ${0.8 * r}H${-1.1 * r}Z`;
    case 'diamond':
        return `M0 ${-1.25 * r}L${1.25 * r} 0L0 ${1.25 * r}L${-1.25 * r} 0Z`;
    case 'cross':
        return `M${-t} ${-r}H${t}V${-t}H${r}V${t}H${t}V${r}H${-t}V${t}H${-r}V${-t}H${-t}Z`;
    default:
        return `M${-r} 0A${r} ${r} 0 1 0 ${r} 0A${r} ${r} 0 1 0 ${-r} 0Z`;
    }
}

const cssColor = (name) =>
    getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

// Decades around all values; half a digit of room beside the points.
function logRange(values) {
    const [low, high] = [Math.min(...values), Math.max(...values)];
    if (!Number.isFinite(low + high) || low <= 0)
        return [1, 10];
    const [a, b] = [10 ** Math.floor(Math.log10(low)), 10 ** Math.ceil(Math.log10(high))];
    return a < b ? [a, b] : [a / 10, b * 10];
}

function digitRange(values) {
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return Number.isFinite(low + high) ? [low - 0.5, high + 0.5] : [0, 10];
}

export class WorkPlot {
    constructor(container, work) {
        this.container = container;
        this.work = work;
        this.series = [];
        this.tip = make('div', { class: 'tip', hidden: true });
    }

    // series: [{method, color, shape, points: [{run, digits}]}]
    draw(series) {
        this.series = series.map((s) => ({ ...s, points: s.points
            .map((p) => ({ ...p, work: this.work(p.run) }))
            .filter((p) => p.digits !== null && p.work > 0) }));
        const all = this.series.flatMap((s) => s.points);
        this.range = { x: digitRange(all.map((p) => p.digits)), y: logRange(all.map((p) => p.work)) };
        this.uplot?.destroy();
        this.container.replaceChildren();
        this.uplot = new uPlot(this.#options(), [null, ...this.series.map((s) =>
            [s.points.map((p) => p.digits), s.points.map((p) => p.work)])], this.container);
        this.uplot.over.append(this.tip);
        this.tip.hidden = true;
        this.uplot.over.addEventListener('mousemove', (e) => this.#point(e.offsetX, e.offsetY));
        this.uplot.over.addEventListener('mouseleave', () => { this.tip.hidden = true; });
        const { canvas } = this.uplot.ctx;
        canvas.setAttribute('role', 'img');
        canvas.setAttribute('aria-label', 'Work over correct digits; the table has the numbers');
    }

    get width() {
        return Math.max(this.container.clientWidth, 160);
    }

    resize() {
        if (this.uplot && this.uplot.width !== this.width)
            this.uplot.setSize({ width: this.width, height: HEIGHT });
    }

    #axis(more) {
        return { stroke: cssColor('muted'), font: '11px system-ui, sans-serif',
            labelFont: '12px system-ui, sans-serif',
            grid: { stroke: cssColor('line'), width: 1 }, ticks: { stroke: cssColor('line') },
            ...more };
    }

    #options() {
        const format = (u, ticks) => ticks.map((y) => (y === null ? '' : formatNumber(y, 6)));
        const facets = [{ scale: 'x', auto: true }, { scale: 'y', auto: true }];
        return {
            mode: 2,
            width: this.width,
            height: HEIGHT,
            legend: { show: false },
            padding: [8, 12, 0, 0],
            cursor: { x: false, y: false, points: { show: false }, drag: { x: false, y: false } },
            scales: {
                x: { time: false, range: () => this.range.x },
                y: { distr: 3, range: () => this.range.y },
            },
            axes: [
                this.#axis({ size: 30, label: 'correct digits', labelSize: 18, values: format }),
                this.#axis({ size: 62, space: 26, values: format,
                    splits: (u, axis, low, high) => decadesOf(low, high) }),
            ],
            series: [{}, ...this.series.map((s) => ({ facets, stroke: s.color,
                paths: (u, i) => this.#trace(u, this.series[i - 1]) }))],
        };
    }

    // Draws one series itself: nothing is left for uPlot to do.
    #trace(u, { color, shape, points }) {
        const { ctx } = u;
        const ratio = uPlot.pxRatio ?? window.devicePixelRatio;
        const place = (p) => [u.valToPos(p.digits, 'x', true), u.valToPos(p.work, 'y', true)];
        const mark = new Path2D(markOf(shape, RADIUS * ratio));
        ctx.save();
        ctx.strokeStyle = color;
        ctx.fillStyle = color;
        ctx.lineWidth = 1.6 * ratio;
        ctx.beginPath();
        for (const p of points)
            ctx.lineTo(...place(p));
        ctx.stroke();
        for (const p of points) {
            ctx.save();
            ctx.translate(...place(p));
            ctx.fill(mark);
            ctx.restore();
        }
        ctx.restore();
        return null;
    }

    // Tells the numbers of the run nearest to the pointer.
    #point(x, y) {
        const u = this.uplot;
        let best = null;
        for (const { method, points } of this.series) {
            for (const p of points) {
                const [px, py] = [u.valToPos(p.digits, 'x'), u.valToPos(p.work, 'y')];
                const away = Math.hypot(px - x, py - y);
                if (away < (best?.away ?? REACH))
                    best = { away, px, py, p, method };
            }
        }
        this.tip.hidden = !best;
        if (best)
            this.#tell(best);
    }

    #tell({ px, py, p: { run, digits }, method }) {
        const setting = run.rtol === undefined ? `h ${formatNumber(run.step)} s` :
            `rtol ${formatNumber(run.rtol)}`;
        this.tip.replaceChildren(make('strong', {}, method),
            `${setting}: ${formatNumber(digits, 3)} digits, ${run.steps} steps, ` +
            `${run.evaluations} evaluations, ${formatNumber(1e3 * run.cpu_time, 3)} ms`);
        const right = px > this.uplot.over.clientWidth / 2;
        this.tip.style.left = right ? 'auto' : `${px + 12}px`;
        this.tip.style.right = right ? `${this.uplot.over.clientWidth - px + 12}px` : 'auto';
        this.tip.style.top = `${Math.max(py - 20, 0)}px`;
    }

    // Where a run is drawn in the window, for tests.
    placeOf(series, k) {
        const { left, top } = this.uplot.over.getBoundingClientRect();
        const { digits, work } = this.series[series].points[k];
        return [left + this.uplot.valToPos(digits, 'x'), top + this.uplot.valToPos(work, 'y')];
    }

    // What is drawn, for tests.
    state() {
        return this.series.map(({ method, points }) => ({ method,
            points: points.map((p) => [p.digits, p.work]) }));
    }
}
