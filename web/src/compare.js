// SPDX-License-Identifier: MIT
//
// The page of `tenon compare`: work against digits, the runs as a table that can be sorted, and the
// reference they were compared with. The data is the JSON of the command. `window.tenon` is the
// same page for programs and tests.

import { find, formatNumber, make, makeSvg } from './dom.js';
import { SHAPES, WorkPlot, markOf } from './workplot.js';
import { COLORS, DARK_COLORS } from './exports.js';

const ERRORS = [
    ['q', 'positions and rotations (q)'],
    ['v', 'velocities (v)'],
    ['lambda', 'multipliers (λ)'],
];

// Columns of the table: heading, value of a run for sorting, text where it is not the number
// itself, and what it means.
const COLUMNS = [
    { key: 'method', head: 'method', value: (r) => r.method, hint: 'Integrator/formulation.' },
    { key: 'setting', head: 'rtol, step', value: (r) => r.rtol ?? r.step,
        text: (r) => (r.rtol === undefined ? `h = ${formatNumber(r.step)} s` :
            formatNumber(r.rtol)),
        hint: 'Relative tolerance of an error-controlled run, or the step h of a fixed-step one.' },
    { key: 'steps', head: 'steps', value: (r) => r.steps, hint: 'Accepted steps.' },
    { key: 'rejected', head: 'rejected', value: (r) => r.rejected,
        hint: 'Steps taken back and tried again with a smaller one.' },
    { key: 'evaluations', head: 'evaluations', value: (r) => r.evaluations,
        hint: 'Of the equations of motion or parts of them.' },
    { key: 'tangents', head: 'tangents', value: (r) => r.tangents,
        hint: 'Evaluations of all derivatives (Jacobians).' },
    { key: 'factorizations', head: 'factoris.', value: (r) => r.factorizations,
        hint: 'Of the matrices of the corrector.' },
    { key: 'cpu', head: 'CPU [ms]', value: (r) => r.cpu_time,
        text: (r) => (typeof r.cpu_time === 'number' ? formatNumber(1e3 * r.cpu_time, 3) : '–'),
        hint: 'Time of the processor for one run, without its start; short runs are repeated.' },
    ...ERRORS.map(([key, name]) => ({ key, head: `error ${key === 'lambda' ? 'λ' : key}`,
        value: (r) => r.error?.[key], small: true,
        hint: `Distance from the reference in ${name}, as a part of the largest in the motion` +
            `${key === 'q' ? '; rotations in rad' : ''}.` })),
    { key: 'g', head: 'max |g|', value: (r) => r.residuals?.g, small: true,
        hint: 'How far joints come apart: the largest residual of the constraints.' },
    { key: 'Bv', head: 'max |Bv|', value: (r) => r.residuals?.Bv, small: true,
        hint: 'The same for the rates of the constraints.' },
    { key: 'energy', head: 'energy', value: (r) => r.energy, small: true,
        hint: 'Largest energy balance, as a part of the energy exchanged.' },
];

function readStudy() {
    const raw = JSON.parse(find('tenon-data').textContent);
    if (raw.kind !== 'compare' || !Array.isArray(raw.methods))
        throw new Error('the data of this page is not that of "tenon compare"');
    return raw;
}

// One list of all runs, in the order of the command; each knows its method.
function runsOf(study) {
    return study.methods.flatMap(({ method, runs }, series) =>
        runs.map((run, k) => ({ ...run, method, series, k, done: run.status !== 'failed' })));
}

// Errors: two digits and a power of ten, so that columns can be read down.
function small(x) {
    if (typeof x !== 'number')
        return '–';
    return x === 0 ? '0' : x.toExponential(1).replace('+', '');
}

class Page {
    constructor(study) {
        this.study = study;
        this.runs = runsOf(study);
        this.hidden = new Set();
        this.error = study.ranked_by ?? 'q';
        this.sort = { key: null, up: true };
        this.plots = [
            new WorkPlot(find('plot-evaluations'), (r) => r.evaluations),
            new WorkPlot(find('plot-cpu'), (r) => r.cpu_time),
        ];
        this.#showHead();
        this.#showReference();
        this.#wire();
        this.#showHelp();
        this.draw();
    }

    get dark() {
        return document.documentElement.dataset.theme === 'dark';
    }

    color(series) {
        const list = this.dark ? DARK_COLORS : COLORS;
        return list[series % list.length];
    }

    digits(run) {
        const error = run.error?.[this.error];
        return run.done && error > 0 ? -Math.log10(error) : null;
    }

    // What depends on colours, on the error that counts, on hidden methods or on the order of rows.
    draw() {
        this.#showMethods();
        this.#showTable();
        this.#showBest();
        const series = this.study.methods.map(({ method }, i) => ({
            method, color: this.color(i), shape: SHAPES[i % SHAPES.length],
            points: this.hidden.has(i) ? [] : this.runs.filter((r) => r.series === i)
                .map((run) => ({ run, digits: this.digits(run) })),
        }));
        for (const plot of this.plots)
            plot.draw(series);
    }

    #showHead() {
        const { model, t_start: from, t_end: to, methods } = this.study;
        const name = model.replace(/^.*\//, '');
        document.title = `${name}: methods compared – Tenon`;
        find('title').textContent = `${name}: methods compared`;
        find('subtitle').textContent = `${methods.length} methods, ${this.runs.length} runs, ` +
            `${formatNumber(from)} to ${formatNumber(to)} s`;
    }

    #showReference() {
        const { reference: ref, sizes, times, t_end: end, command, tenon, model } = this.study;
        const doubt = ERRORS.map(([key]) => ref.doubt?.[key]);
        const pairs = [
            ['from', ref.file ?? `${ref.method}, rtol ${formatNumber(ref.rtol)}`],
            ['judged by', ref.judge ? `${ref.judge}, rtol ${formatNumber(ref.judge_rtol)}` : 'nothing'],
            ['their distance', doubt.every((d) => typeof d !== 'number') ? 'not known' :
                ERRORS.map(([key], i) => `${key === 'lambda' ? 'λ' : key} ${small(doubt[i])}`)
                    .join(', ')],
            ['compared', times > 1 ? `the largest of ${times} times` :
                `at the end, t = ${formatNumber(end)} s`],
            ['largest position', `${formatNumber(sizes.position, 3)} m`],
            ['largest velocity', `${formatNumber(sizes.velocity, 3)} m/s, ` +
                `${formatNumber(sizes.angular_velocity, 3)} rad/s`],
            ['largest multiplier', formatNumber(sizes.lambda, 3)],
            ['model file', model],
            ['Tenon', tenon],
        ];
        find('reference-facts').replaceChildren(...pairs.flatMap(([name, value]) =>
            [make('dt', {}, name), make('dd', {}, value)]));
        find('reproduce-part').hidden = !command;
        find('reproduce').textContent = command ?? '';
    }

    #wire() {
        find('error').replaceChildren(...ERRORS
            .filter(([key]) => this.runs.some((r) => typeof r.error?.[key] === 'number'))
            .map(([key, name]) => make('option', { value: key }, name)));
        find('error').value = this.error;
        find('error').addEventListener('change', (e) => {
            this.error = e.target.value;
            this.draw();
        });
        find('theme').addEventListener('click', () => this.#nextTheme());
        matchMedia('(prefers-color-scheme: dark)').addEventListener('change',
            () => this.#applyTheme());
        new ResizeObserver(() => this.plots.forEach((p) => p.resize())).observe(find('runs'));
    }

    // As the system has it, then light, then dark.
    #nextTheme() {
        const order = ['auto', 'light', 'dark'];
        this.theme = order[(order.indexOf(this.theme ?? 'auto') + 1) % order.length];
        find('theme').setAttribute('aria-label', `Colours: ${this.theme}`);
        find('theme').title = `Colours: ${this.theme}`;
        this.#applyTheme();
    }

    #applyTheme() {
        const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
        const chosen = this.theme && this.theme !== 'auto' ? this.theme : system;
        document.documentElement.dataset.theme = chosen;
        this.draw();
    }

    #mark(series) {
        return makeSvg('svg', { viewBox: '-6 -6 12 12', 'aria-hidden': 'true' },
            makeSvg('path', { d: markOf(SHAPES[series % SHAPES.length], 5),
                fill: this.color(series) }));
    }

    toggle(series) {
        if (!this.hidden.delete(series))
            this.hidden.add(series);
        this.draw();
    }

    #showMethods() {
        find('methods').replaceChildren(...this.study.methods.map(({ method, runs }, i) => {
            const failed = runs.every((r) => r.status === 'failed');
            return make('button', { type: 'button', 'aria-pressed': String(!this.hidden.has(i)),
                disabled: failed, title: failed ? `failed: ${runs[0]?.reason}` : method,
                onclick: () => this.toggle(i) }, this.#mark(i),
            failed ? `${method} (failed)` : method);
        }));
    }

    // The table
    // -----------------------------------------------------------------------------------------

    sortBy(key) {
        const up = this.sort.key !== key || !this.sort.up;
        this.sort = { key, up };
        this.#showTable();
    }

    // Runs without a value come last, whatever the direction.
    #sorted() {
        const { key, up } = this.sort;
        const column = COLUMNS.find((c) => c.key === key);
        if (!column)
            return this.runs;
        const known = (r) => (r.done || key === 'method' || key === 'setting' ?
            column.value(r) ?? null : null);
        const order = (a, b) => (typeof a === 'string' ? a.localeCompare(b) : a - b);
        return [...this.runs].sort((a, b) => {
            const [x, y] = [known(a), known(b)];
            if (x === null || y === null)
                return Number(x === null) - Number(y === null);
            return up ? order(x, y) : order(y, x);
        });
    }

    #showTable() {
        const { key, up } = this.sort;
        find('runs-head').replaceChildren(make('tr', {}, ...COLUMNS.map((c) => make('th', {
            scope: 'col', 'aria-sort': c.key === key && (up ? 'ascending' : 'descending') },
        make('button', { type: 'button', title: c.hint, 'data-key': c.key,
            onclick: () => this.sortBy(c.key) }, c.head)))));
        find('runs-body').replaceChildren(...this.#sorted().map((run) => this.#row(run)));
    }

    #row(run) {
        const cell = (c) => {
            const value = c.value(run);
            return make('td', {}, c.text ? c.text(run) : c.small ? small(value) :
                formatNumber(value ?? null, 12));
        };
        const name = make('td', {}, make('span', { class: 'method' }, this.#mark(run.series),
            run.method));
        const cells = run.done ? COLUMNS.slice(1).map(cell) :
            [cell(COLUMNS[1]), make('td', { class: 'reason', colspan: String(COLUMNS.length - 2) },
                `failed: ${run.reason}`)];
        const first = this.sort.key === null && run.k === 0;
        return make('tr', { class: first ? 'first' : '' }, name, ...cells);
    }

    #showHelp() {
        find('runs-help').replaceChildren(...COLUMNS.flatMap(({ head, hint }) =>
            [make('dt', {}, head), make('dd', {}, hint)]));
    }

    // The cheapest
    // -----------------------------------------------------------------------------------------

    best(digits, work) {
        const good = this.runs.filter((r) => this.digits(r) !== null && this.digits(r) >= digits);
        return good.reduce((least, r) => (least && work(least) <= work(r) ? least : r), null);
    }

    // Digits with the same runs share a row.
    #showBest() {
        const rows = [];
        const runs = (d) => [this.best(d, (r) => r.evaluations), this.best(d, (r) => r.cpu_time)];
        let [first, now] = [2, runs(2)];
        for (let d = 3; now[0]; d++) {
            const next = runs(d);
            if (next[0] === now[0] && next[1] === now[1])
                continue;
            rows.push(this.#bestRow(first === d - 1 ? String(first) : `${first} to ${d - 1}`, now));
            [first, now] = [d, next];
        }
        find('best-rows').replaceChildren(...rows);
        find('best-none').hidden = rows.length > 0;
    }

    #bestRow(digits, [few, fast]) {
        const setting = (r) => (r.rtol === undefined ? `h ${formatNumber(r.step)} s` :
            `rtol ${formatNumber(r.rtol)}`);
        return make('tr', {}, make('th', { scope: 'row' }, digits),
            make('td', {}, `${formatNumber(few.evaluations, 12)}: ${few.method}, ${setting(few)}`),
            make('td', {}, `${formatNumber(1e3 * fast.cpu_time, 3)} ms: ${fast.method}, ` +
                setting(fast)));
    }
}

function hookOf(page) {
    return {
        runs: () => page.runs,
        sortBy: (key) => page.sortBy(key),
        toggle: (series) => page.toggle(series),
        points: () => page.plots.map((plot) => plot.state()),
        placeOf: (plot, series, k) => page.plots[plot].placeOf(series, k),
    };
}

window.tenon = {
    ready: new Promise((resolve, reject) => {
        const begin = () => {
            try {
                Object.assign(window.tenon, hookOf(new Page(readStudy())));
                requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
            } catch (error) {
                find('broken').hidden = false;
                find('broken-reason').textContent = error.message;
                reject(error);
            }
        };
        if (document.readyState === 'loading')
            document.addEventListener('DOMContentLoaded', begin);
        else
            begin();
    }),
};
window.tenon.ready.catch(() => {}); // told in the page
