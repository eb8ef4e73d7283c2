// SPDX-License-Identifier: MIT
//
// The page of `tenon sweep`: a plot of any columns of its table, statistics, and the cases. The data
// is the JSON of the command. `window.tenon` is the same page for programs and tests.

import { decodeArray } from './arrays.js';
import { find, formatNumber, make, plural } from './dom.js';
import { COLORS, DARK_COLORS, labelOf } from './exports.js';
import { SweepPlot, colorAt, colorBar } from './sweepplot.js';

const MOST_ROWS = 200; // of the table of cases that are shown
const MOST_LINES = 8; // with a colour of their own; more have one by the value of a parameter
const STATES = ['missing', 'done', 'doubtful', 'failed'];
const STATISTICS = [['least', 'min'], ['5 %', 'q05'], ['25 %', 'q25'], ['median', 'q50'],
    ['mean', 'mean'], ['75 %', 'q75'], ['95 %', 'q95'], ['most', 'max'], ['deviation', 'deviation']];

function readSweep() {
    const raw = JSON.parse(find('tenon-data').textContent);
    if (raw.kind !== 'sweep' || !Array.isArray(raw.columns))
        throw new Error('the data of this page is not that of "tenon sweep"');
    return { ...raw, index: decodeArray(raw.index), status: decodeArray(raw.status),
        columns: raw.columns.map((c) => ({ ...c, values: decodeArray(c.values) })) };
}

// Values in their order, each once.
const valuesOf = (column) => [...new Set(column.values)].filter(Number.isFinite)
    .sort((a, b) => a - b);

// Whether numbers are told better by their powers of ten: their median is nearer to the middle of
// these than to that of the numbers.
function isWide(column) {
    const all = valuesOf(column);
    const [low, high, median] = [all[0], all.at(-1), all[all.length >> 1]];
    return all.length > 2 && low > 0 && high / low >= 50 &&
        Math.abs(median - Math.sqrt(low * high)) < Math.abs(median - 0.5 * (low + high));
}

// Whether it is one number up to rounding.
const isFlat = ({ min, max }) =>
    !(max - min > 1e-9 * Math.max(Math.abs(min), Math.abs(max)));

class Page {
    constructor(sweep) {
        this.sweep = sweep;
        this.rows = Array.from(sweep.index, (_, i) => i);
        this.reasons = new Map(sweep.reasons.map((r) => [r.case, r.text]));
        this.varied = sweep.columns.filter((c) => c.varied);
        this.outputs = sweep.columns.filter((c) => !c.varied);
        this.sort = { key: null, up: true };
        this.plot = new SweepPlot(find('plot'));
        this.#choose();
        this.#showHead();
        this.#showFacts();
        this.#showStatistics();
        this.#showCases();
        this.#wire();
        this.draw();
    }

    get dark() {
        return document.documentElement.dataset.theme === 'dark';
    }

    // What is shown first: a curve over one parameter, a map of two, else points.
    #choose() {
        const [first = this.outputs[0], second] = this.varied;
        const output = this.outputs.find((c) => !isFlat(c)) ?? this.outputs[0];
        this.kind = this.varied.length === 2 ? 'map' : this.varied.length === 1 ? 'curve' : 'scatter';
        this.x = first;
        this.y = this.kind === 'map' ? second : output;
        this.color = this.kind === 'map' ? output : null;
        this.logX = isWide(this.x);
        this.logY = this.kind === 'map' && isWide(this.y);
    }

    // Another kind asks for other axes: curves and maps go over parameters.
    setKind(kind) {
        this.kind = kind;
        const output = this.color && !this.color.varied ? this.color :
            this.y.varied ? this.outputs[0] : this.y;
        if (kind !== 'scatter' && !this.x.varied)
            this.x = this.varied[0];
        if (kind === 'map') {
            this.y = this.varied.find((c) => c !== this.x);
            this.color = output;
        } else {
            this.y = output;
            this.color = null;
        }
        this.logX = isWide(this.x);
        this.logY = kind === 'map' && isWide(this.y);
        this.draw();
    }

    #showHead() {
        const { model, cases, done, doubtful, failed, missing } = this.sweep;
        const name = model.replace(/^.*\//, '');
        const parts = [plural(cases, 'case'), `${done} done`, doubtful && `${doubtful} doubtful`,
            failed && `${failed} failed`, missing && `${missing} missing`];
        document.title = `${name}: sweep – Tenon`;
        find('title').textContent = `${name}: sweep`;
        find('subtitle').textContent = parts.filter(Boolean).join(', ');
        const badge = find('badge');
        const word = failed ? 'failed cases' : doubtful ? 'doubtful cases' :
            missing ? 'not complete' : 'done';
        badge.textContent = word;
        badge.className = `badge ${failed ? 'fail' : doubtful || missing ? 'warn' : 'pass'}`;
    }

    #showFacts() {
        const { model, sample, seed, tenon, command, cases, every } = this.sweep;
        const pairs = [['model file', model], ['cases', sample === 'grid' || sample === 'rows' ?
            `${cases}, ${sample}` : `${sample}, seed ${seed}`],
        ['varied', this.varied.map((c) => `${c.name} from ${formatNumber(c.min)} to ` +
                formatNumber(c.max)).join('; ') || 'nothing'],
        every > 1 && ['in this page', `every ${every}th case; table.csv and table.h5 have all`],
        ['Tenon', tenon]];
        find('facts').replaceChildren(...pairs.filter(Boolean).flatMap(([name, value]) =>
            [make('dt', {}, name), make('dd', {}, value)]));
        find('reproduce-part').hidden = !command;
        find('reproduce').textContent = command ?? '';
    }

    #wire() {
        const on = (id, take) => find(id).addEventListener('change', (e) => {
            take(e.target);
            this.draw();
        });
        const column = (e) => this.sweep.columns[Number(e.value)] ?? null;
        on('x', (e) => { this.x = column(e); this.logX = isWide(this.x); });
        on('y', (e) => { this.y = column(e); this.logY = this.kind === 'map' && isWide(this.y); });
        on('color', (e) => { this.color = column(e); });
        on('log-x', (e) => { this.logX = e.checked; });
        on('log-y', (e) => { this.logY = e.checked; });
        find('wrong').addEventListener('change', () => this.#showCases());
        find('theme').addEventListener('click', () => this.#nextTheme());
        matchMedia('(prefers-color-scheme: dark)').addEventListener('change',
            () => this.#applyTheme());
        new ResizeObserver(() => this.plot.resize()).observe(find('plot'));
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
        document.documentElement.dataset.theme =
            this.theme && this.theme !== 'auto' ? this.theme : system;
        this.draw();
    }

    // The plot
    // -----------------------------------------------------------------------------------------

    draw() {
        this.#showKinds();
        this.#showChoices();
        const axis = (column, log) => ({ label: labelOf(column), values: column.values, log });
        const what = { kind: this.kind, x: axis(this.x, this.logX), y: axis(this.y, this.logY),
            rows: this.rows, points: [], lines: [], tell: (row) => this.#tell(row) };
        this.scale = null;
        let note = '';
        if (this.kind === 'curve')
            note = this.#curves(what);
        else if (this.kind === 'map')
            note = this.#map(what);
        else
            what.points = this.#points(this.rows);
        this.plot.draw(what);
        this.#showScale();
        find('plot-note').replaceChildren(...[note, this.#left()].flat().filter(Boolean));
    }

    #left() {
        const shown = [this.x, this.y, this.color].filter(Boolean);
        const gone = this.rows.filter((i) => shown.some((c) => !Number.isFinite(c.values[i]))).length;
        return gone ? ` ${plural(gone, 'case')} without a value ${gone === 1 ? 'is' : 'are'} ` +
            'not drawn.' : '';
    }

    // A function from rows to colours by a column, whose scale is shown.
    #colorsBy(column) {
        const all = valuesOf(column);
        const [low, high] = [all[0] ?? 0, all.at(-1) ?? 1];
        this.scale = { low, high, name: labelOf(column) };
        const flat = isFlat({ min: low, max: high });
        return (value) => (Number.isFinite(value) ?
            colorAt(flat ? 0.5 : (value - low) / (high - low)) : null);
    }

    #points(rows) {
        const by = this.color ? this.#colorsBy(this.color) : null;
        const plain = (this.dark ? DARK_COLORS : COLORS)[0];
        return rows.map((row) => ({ row, color: by ? by(this.color.values[row]) : plain }))
            .filter((p) => p.color);
    }

    // One line for each set of values of the other parameters.
    #curves(what) {
        const others = this.varied.filter((c) => c !== this.x);
        const groups = new Map();
        for (const row of this.rows) {
            const key = others.map((c) => c.values[row]).join(' ');
            groups.set(key, [...(groups.get(key) ?? []), row]);
        }
        const lines = [...groups.values()].map((rows) => rows.sort((a, b) =>
            this.x.values[a] - this.x.values[b]));
        if (lines.length > this.rows.length / 2) { // drawn, not counted: no lines
            what.points = this.#points(this.rows);
            return 'Values were drawn, so that no two cases share those of the other parameters.';
        }
        const few = lines.length <= MOST_LINES;
        const by = few ? null : this.#colorsBy(others[0]);
        const list = this.dark ? DARK_COLORS : COLORS;
        what.lines = lines.map((rows, i) => ({ rows,
            color: few ? list[i % list.length] : by(others[0].values[rows[0]]) }));
        if (this.rows.length <= 400)
            what.points = what.lines.flatMap(({ rows, color }) => rows.map((row) =>
                ({ row, color })));
        if (!others.length || !few)
            return '';
        return what.lines.map(({ rows, color }) => make('span', { class: 'line-name' },
            make('span', { class: 'line-key', style: `background: ${color}` }),
            others.map((c) => `${c.name} = ${formatNumber(c.values[rows[0]])}`).join(', ')));
    }

    // Cells where the values are those of a grid, the mean over other parameters in each; else
    // points with colours.
    #map(what) {
        const [x, y] = [valuesOf(this.x), valuesOf(this.y)];
        const by = this.#colorsBy(this.color);
        if (x.length < 2 || y.length < 2 || x.length * y.length > 1.5 * this.rows.length) {
            what.points = this.#points(this.rows);
            return '';
        }
        const [atX, atY] = [x, y].map((all) => new Map(all.map((v, i) => [v, i])));
        const cells = y.map(() => x.map(() => ({ sum: 0, n: 0 })));
        for (const row of this.rows) {
            const cell = cells[atY.get(this.y.values[row])]?.[atX.get(this.x.values[row])];
            if (cell && Number.isFinite(this.color.values[row])) {
                cell.sum += this.color.values[row];
                cell.n++;
            }
        }
        what.grid = { x, y, colors: cells.map((line) => line.map(({ sum, n }) =>
            (n ? by(sum / n) : null))) };
        const others = this.varied.filter((c) => c !== this.x && c !== this.y);
        return others.length ? `Cells are means over ${others.map((c) => c.name).join(', ')}.` : '';
    }

    #tell(row) {
        const state = STATES[this.sweep.status[row]];
        const seen = [...this.varied, this.x, this.y, this.color].filter(Boolean);
        return [`case ${this.sweep.index[row]}${state === 'done' ? '' : `, ${state}`}`,
            ...[...new Set(seen)].map((c) => `${c.name} = ${formatNumber(c.values[row], 6)}` +
                `${c.unit ? ` ${c.unit}` : ''}`)];
    }

    #showKinds() {
        const kinds = [['curve', 'curves', this.varied.length >= 1],
            ['map', 'map', this.varied.length >= 2], ['scatter', 'points', true]];
        find('kinds').replaceChildren(...kinds.map(([kind, name, may]) => make('button', {
            type: 'button', 'data-kind': kind, 'aria-pressed': String(this.kind === kind),
            disabled: !may, onclick: () => this.setKind(kind) }, name)));
    }

    #showChoices() {
        const { columns } = this.sweep;
        const fill = (id, list, chosen, none) => {
            find(id).replaceChildren(...(none ? [make('option', { value: '' }, none)] : []),
                ...list.map((c) => make('option', { value: String(columns.indexOf(c)) },
                    labelOf(c))));
            find(id).value = chosen ? String(columns.indexOf(chosen)) : '';
        };
        const map = this.kind === 'map';
        fill('x', this.kind === 'scatter' ? columns : this.varied, this.x);
        fill('y', map ? this.varied : this.kind === 'curve' ? this.outputs : columns, this.y);
        fill('color', map ? this.outputs : columns, this.color, map ? null : 'one for all');
        find('color-part').hidden = this.kind === 'curve';
        find('log-x').checked = this.logX;
        find('log-y').checked = this.logY;
        find('log-x').disabled = !(this.x.min > 0);
        find('log-y').disabled = !(this.y.min > 0);
    }

    #showScale() {
        find('scale').hidden = !this.scale;
        if (!this.scale)
            return;
        find('scale-low').textContent = formatNumber(this.scale.low);
        find('scale-high').textContent = formatNumber(this.scale.high);
        find('scale-name').textContent = this.scale.name;
        find('scale-bar').style.background = colorBar;
    }

    // Tables
    // -----------------------------------------------------------------------------------------

    // A parameter goes across, an output up or to the colours.
    show(column) {
        if (column.varied) {
            this.x = column;
            this.logX = isWide(column);
            if (this.y === column)
                this.y = this.varied.find((c) => c !== column) ?? this.outputs[0];
        } else if (this.kind === 'map') {
            this.color = column;
        } else {
            this.y = column;
            this.logY = false;
        }
        this.draw();
    }

    #showStatistics() {
        find('statistics-head').replaceChildren(make('tr', {}, make('th', { scope: 'col' }, ''),
            ...STATISTICS.map(([head]) => make('th', { scope: 'col' }, head))));
        find('statistics-body').replaceChildren(...this.sweep.columns.map((c) => make('tr', {},
            make('td', {}, make('button', { type: 'button', onclick: () => this.show(c) },
                labelOf(c))),
            ...STATISTICS.map(([, key]) => make('td', {}, formatNumber(c[key] ?? null, 5))))));
    }

    sortBy(key) {
        this.sort = { key, up: this.sort.key !== key || !this.sort.up };
        this.#showCases();
    }

    // Cases without a value come last, whatever the direction.
    #sorted() {
        const { key, up } = this.sort;
        const wrong = find('wrong').checked;
        const rows = this.rows.filter((i) => !wrong || this.sweep.status[i] > 1);
        if (key === null)
            return rows;
        const values = key === 'case' ? this.sweep.index : key === 'status' ? this.sweep.status :
            this.sweep.columns[key].values;
        return rows.sort((a, b) => {
            const [x, y] = [values[a], values[b]];
            if (Number.isNaN(x) || Number.isNaN(y))
                return Number(Number.isNaN(x)) - Number(Number.isNaN(y));
            return up ? x - y : y - x;
        });
    }

    #showCases() {
        const { key, up } = this.sort;
        const heads = [['case', 'case'], ...this.sweep.columns.map((c, i) => [i, labelOf(c)]),
            ['status', 'status']];
        find('cases-head').replaceChildren(make('tr', {}, ...heads.map(([k, head]) => make('th', {
            scope: 'col', 'aria-sort': k === key && (up ? 'ascending' : 'descending') },
        make('button', { type: 'button', 'data-key': String(k), onclick: () => this.sortBy(k) },
            head)))));
        const rows = this.#sorted();
        find('cases-body').replaceChildren(...rows.slice(0, MOST_ROWS).map((i) => this.#case(i)));
        find('cases-note').textContent = rows.length > MOST_ROWS ?
            `The first ${MOST_ROWS} of ${rows.length}; table.csv has all.` :
            rows.length === 0 ? 'None.' : '';
    }

    #case(i) {
        const state = STATES[this.sweep.status[i]];
        const reason = this.reasons.get(this.sweep.index[i]);
        return make('tr', { class: state }, make('td', {}, String(this.sweep.index[i])),
            ...this.sweep.columns.map((c) => make('td', {},
                Number.isNaN(c.values[i]) ? '–' : formatNumber(c.values[i], 6))),
            make('td', { class: reason ? `reason ${state}` : state },
                reason ? `${state}: ${reason}` : state));
    }
}

function hookOf(page) {
    const column = (name) => page.sweep.columns.find((c) => c.name === name);
    return {
        state: () => ({ kind: page.kind, x: page.x.name, y: page.y.name,
            color: page.color?.name ?? null, logX: page.logX, lines: page.plot.what.lines.length,
            points: page.plot.what.points.length,
            cells: page.plot.what.grid?.colors.flat().filter(Boolean).length ?? 0 }),
        setKind: (kind) => page.setKind(kind),
        show: (name) => page.show(column(name)),
        values: (name) => Array.from(column(name).values),
        placeOf: (row) => page.plot.placeOf(row),
    };
}

window.tenon = {
    ready: new Promise((resolve, reject) => {
        const begin = () => {
            try {
                Object.assign(window.tenon, hookOf(new Page(readSweep())));
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
