// SPDX-License-Identifier: MIT
//
// Plots of chosen channels over time. Channels of one unit share a plot; residuals and other
// quantities that span decades get a logarithmic axis. All plots share the zoom, and a line in each
// follows the time of the animation: a click moves the animation there. A plot can go along another
// channel instead. Of two runs both are drawn, the second dashed, and below what they differ by; of
// more each has its colour.

import uPlot from 'uplot';
import { groupBy } from './data.js';
import { find, formatNumber, make } from './dom.js';
import { COLORS, DARK_COLORS, alignChannels, csvOf, decadesOf, download, fileName, labelOf, pngOf,
    pngOfSvg, svgOf } from './exports.js';
import { drawable, isResidual, plotKey, rangeOf, spanOf, titleOf, valueAt } from './curves.js';
import { XY } from './xy.js';

const MOST_LISTED = 200;
const HEIGHT = 206;
const ZOOM = 0.5;

const cssColor = (name) =>
    getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

class Plot {
    constructor(plots, key, log) {
        this.plots = plots;
        this.key = key;
        this.log = log;
        this.channels = [];
        this.legend = make('div', { class: 'legend' });
        this.body = make('div', { class: 'plot-body' });
        this.line = make('div', { class: 'time-line', 'aria-hidden': 'true' });
        this.logButton = make('button', { type: 'button', class: 'small', 'aria-pressed':
            String(log), title: 'Logarithmic axis', onclick: () => this.setLog(!this.log) }, 'log');
        this.along = -1; // channel that goes along, -1 for the time
        this.element = make('figure', { class: 'plot' },
            make('figcaption', {}, this.legend, this.#tools()), this.body);
        this.line.addEventListener('pointerdown', (event) => this.#drag(event));
    }

    #tools() {
        const button = (text, title, onclick) =>
            make('button', { type: 'button', class: 'small', title, 'aria-label': title, onclick },
                text);
        const { plots } = this;
        this.alongMenu = make('select', { class: 'small', title: 'What goes along',
            'aria-label': 'What goes along', onchange: (e) => this.setAlong(Number(e.target.value)) },
        make('option', { value: '-1' }, 'over time'));
        this.alongMenu.addEventListener('pointerdown', () => this.#fillAlong());
        this.alongMenu.addEventListener('focus', () => this.#fillAlong());
        return make('div', { class: 'tools' }, this.alongMenu, this.logButton,
            button('+', 'Zoom in about the present time', () => plots.zoom(ZOOM)),
            button('−', 'Zoom out', () => plots.zoom(1 / ZOOM)),
            button('all', 'Show the whole time', () => plots.setRange(null)),
            button('PNG', 'Save this plot as PNG', () => this.savePng()),
            button('SVG', 'Save this plot as SVG', () =>
                download(fileName(plots.data.title, 'svg'), this.svg(), 'image/svg+xml')),
            button('CSV', 'Save the data of this plot as CSV', () =>
                download(fileName(plots.data.title, 'csv'), this.csv(), 'text/csv')));
    }

    // Hundreds of options are made when somebody looks at them.
    #fillAlong() {
        if (this.alongMenu.options.length > 1)
            return;
        const still = this.plots.data.channels.stillOnes();
        this.alongMenu.append(...this.plots.data.channels.raw.map((c, k) => [c, k])
            .filter(([, k]) => !still[k])
            .map(([c, k]) => make('option', { value: String(k) }, `against ${c.name}`)));
    }

    setAlong(channel) {
        this.along = channel;
        this.#fillAlong();
        this.alongMenu.value = String(channel);
        this.draw();
    }

    // The channel that goes along, of the run of a curve.
    #alongOf(curve) {
        const { channels, overs } = this.plots.data;
        const own = channels.get(this.along);
        const over = overs[(curve.run ?? 0) - 1];
        const k = over ? over.channels.index(own.name) : -1;
        return k >= 0 ? over.channels.get(k) : own;
    }

    setLog(log) {
        this.log = log;
        this.logButton.setAttribute('aria-pressed', String(log));
        this.draw();
    }

    setChannels(channels) {
        this.channels = channels;
        this.draw();
    }

    get width() {
        return Math.max(this.body.clientWidth || this.plots.container.clientWidth, 120);
    }

    #drawAgainst() {
        const { plots } = this;
        const curves = this.channels.map((c) => {
            const along = this.#alongOf(c);
            return { name: c.name, dash: c.dash, color: plots.colorOf(c), y: c.value,
                x: Float64Array.from(c.time, (t) => valueAt(along, t) ?? NaN),
                at: (t) => [valueAt(along, t), valueAt(c, t)] };
        });
        const first = plots.data.channels.get(this.along);
        this.uplot = null;
        this.xy = new XY(this.body, curves, { labels: [labelOf(first), titleOf(this.channels)],
            equal: first.unit !== '' && first.unit === this.channels[0].unit, width: this.width,
            style: { line: cssColor('line'), muted: cssColor('muted'), text: cssColor('text'),
                ground: cssColor('card') } });
        this.#fillLegend();
        this.moveLine(plots.time);
    }

    // Makes the plot from its channels.
    draw() {
        this.uplot?.destroy();
        this.xy = null;
        if (this.along >= 0 && this.channels.length > 0) {
            this.#drawAgainst();
            return;
        }
        const { time, columns } = alignChannels(this.channels);
        const data = [Array.from(time), ...columns.map((c) => drawable(c, this.log))];
        this.body.replaceChildren();
        this.uplot = new uPlot(this.#options(), data, this.body);
        this.uplot.over.append(this.line);
        this.#wire(this.uplot.over);
        const names = this.channels.map((c) => c.name).join(', ');
        this.uplot.ctx.canvas.setAttribute('role', 'img');
        this.uplot.ctx.canvas.setAttribute('aria-label', `${names} over time`);
        this.#fillLegend();
        const { range, data: { overs, start, end } } = this.plots;
        if (range || overs.length > 0) // differences end with the shorter run
            this.applyRange(range ?? [start, end]);
        this.moveLine(this.plots.time);
    }

    // A press that does not travel brings the animation there; one that does zooms.
    #wire(over) {
        let down = null;
        over.addEventListener('mousedown', (e) => { down = e.clientX; });
        over.addEventListener('click', (e) => {
            if (down !== null && Math.abs(e.clientX - down) < 4 && e.detail < 2)
                this.#seekTo(e);
            down = null;
        });
    }

    #seekTo(event) {
        const x = event.clientX - this.uplot.over.getBoundingClientRect().left;
        this.plots.onseek(this.uplot.posToVal(x, 'x'));
    }

    title() {
        return titleOf(this.channels);
    }

    #axis(more) {
        return { stroke: cssColor('muted'), font: '11px system-ui, sans-serif',
            labelFont: '11px system-ui, sans-serif',
            grid: { stroke: cssColor('line'), width: 1 }, ticks: { stroke: cssColor('line') },
            ...more };
    }

    #options() {
        const { plots } = this;
        const format = (u, ticks) => ticks.map((y) => (y === null ? '' : formatNumber(y, 6)));
        return {
            width: this.width,
            height: HEIGHT,
            legend: { show: false },
            padding: [8, 10, 0, 0],
            scales: {
                x: { time: false },
                y: { distr: this.log ? 3 : 1, range: rangeOf(this.log) },
            },
            axes: [
                this.#axis({ size: 28, values: format, label: 'time [s]', labelSize: 17,
                    labelGap: 0 }),
                this.#axis({ size: 58, space: 26, values: format, label: this.title(),
                    labelSize: 17, labelGap: 0, ...(this.log &&
                    { splits: (u, axis, low, high) => decadesOf(low, high) }) }),
            ],
            series: [{}, ...this.channels.map((c) => ({ stroke: plots.colorOf(c),
                width: 1.5, ...(c.dash ? { dash: [6, 4] } : {}), pxAlign: 0, points: { show: c.time.length <= 2, size: 5 } }))],
            cursor: { y: false, points: { size: 6 }, drag: { x: true, y: false, dist: 4 },
                sync: { key: 'time', setSeries: false },
                bind: { dblclick: () => () => plots.setRange(null) } },
            hooks: {
                setSelect: [(u) => {
                    if (u.select.width > 3) {
                        plots.setRange([u.posToVal(u.select.left, 'x'),
                            u.posToVal(u.select.left + u.select.width, 'x')]);
                    }
                }],
                setCursor: [(u) => {
                    const over = u.cursor.left !== null && u.cursor.left >= 0;
                    plots.hover(over ? u.posToVal(u.cursor.left, 'x') : null);
                }],
            },
        };
    }

    #fillLegend() {
        const { plots } = this;
        this.values = [];
        this.legend.replaceChildren(...this.channels.map((channel) => {
            const swatch = make('span', { class: `swatch${channel.dash ? ' dashed' : ''}`,
                'aria-hidden': 'true' });
            swatch.style.background = plots.colorOf(channel);
            const value = make('span', { class: 'value' });
            this.values.push(value);
            return make('span', { class: 'entry' }, swatch,
                make('span', { class: 'name', title: channel.name }, channel.name), value,
                make('button', { type: 'button', class: 'remove', title: 'Remove',
                    'aria-label': `Remove ${channel.name} from the plots`,
                    onclick: () => plots.toggle(channel.index, false) }, '×'));
        }));
    }

    showValues(t) {
        this.channels.forEach((channel, i) => {
            const value = valueAt(channel, t);
            const text = value === undefined ? '–' : formatNumber(value, 5);
            this.values[i].textContent = channel.unit ? `${text} ${channel.unit}` : text;
        });
    }

    // Where the line stands, as a time.
    lineTime() {
        return this.uplot ? this.uplot.posToVal(this.linePlace, 'x') : NaN;
    }

    moveLine(t) {
        if (this.xy) {
            this.xy.moveTo(t);
            if (this.plots.hovered === null)
                this.showValues(t);
        }
        if (!this.uplot)
            return;
        this.linePlace = this.uplot.valToPos(t, 'x');
        // Not from the element: asking it for its width would lay out the page for every picture.
        const width = this.uplot.bbox.width / (window.devicePixelRatio || 1);
        const inside = this.linePlace >= -0.5 && this.linePlace <= width + 0.5;
        this.line.style.display = inside ? '' : 'none';
        this.line.style.transform = `translateX(${this.linePlace}px)`;
        if (this.plots.hovered === null)
            this.showValues(t);
    }

    #drag(event) {
        event.preventDefault();
        event.stopPropagation();
        const move = (e) => this.#seekTo(e);
        const end = () => {
            window.removeEventListener('pointermove', move);
            window.removeEventListener('pointerup', end);
        };
        window.addEventListener('pointermove', move);
        window.addEventListener('pointerup', end);
    }

    applyRange(range) {
        if (!this.uplot)
            return;
        const x = this.uplot.data[0];
        const [low, high] = range ?? [x[0] ?? 0, x.at(-1) ?? 1];
        this.uplot.setScale('x', high > low ? { min: low, max: high } :
            { min: low - 0.5, max: low + 0.5 });
        this.moveLine(this.plots.time);
    }

    resize() {
        if (this.xy && this.width !== Number(this.xy.svg.getAttribute('width')))
            this.draw();
        if (this.uplot && this.width !== this.uplot.width)
            this.uplot.setSize({ width: this.width, height: HEIGHT });
        this.moveLine(this.plots.time);
    }

    csv() {
        return csvOf(this.xy ? [this.plots.data.channels.get(this.along), ...this.channels] :
            this.channels);
    }

    svg() {
        if (this.xy)
            return this.xy.text();
        const { x, y } = this.uplot.scales;
        return svgOf(this.channels, { x: [x.min ?? 0, x.max ?? 1], y: [y.min ?? 0, y.max ?? 1] },
            this.log, this.plots.data.title, this.title());
    }

    png() {
        return pngOf(this.uplot.ctx.canvas, this.channels,
            this.channels.map((c) => this.plots.colorOf(c)),
            { ground: cssColor('card'), text: cssColor('text') });
    }

    async savePng() {
        const picture = this.xy ? await pngOfSvg(this.xy.text()) : this.png();
        picture.toBlob((blob) => download(fileName(this.plots.data.title, 'png'), blob));
    }

    dispose() {
        this.uplot?.destroy();
        this.element.remove();
    }
}

export class Plots {
    constructor(data, onseek) {
        this.data = data;
        this.onseek = onseek;
        this.time = data.start;
        this.range = null;
        this.hovered = null;
        this.chosen = new Set();
        this.byKey = new Map();
        this.container = find('plot-list');
        this.group = '';
        this.owner = null; // element whose channels are listed
        this.compared = 'both';
        this.#wireCompared();
        this.#wireChooser();
        for (const k of this.#firstChoice())
            this.chosen.add(k);
        this.applyTheme();
        this.listChannels();
        new ResizeObserver(() => this.#each((plot) => plot.resize())).observe(this.container);
    }

    #each(act) {
        for (const plot of this.byKey.values())
            act(plot);
    }

    // What most people look at first: energies, residuals; else the first few channels.
    #firstChoice() {
        const { raw } = this.data.channels;
        const all = raw.map((c, k) => ({ ...c, k }));
        const energies = all.filter((c) => /(^|[./])(kinetic|potential)$/.test(c.name));
        const residuals = all.filter(isResidual).slice(0, 2);
        const choice = [...this.#liveliest(all), ...energies, ...residuals];
        return (choice.length > 0 ? choice : all.slice(0, 3)).map((c) => c.k);
    }

    // The position of the body that moves most, without the components that hardly change; the
    // orientation where none moves.
    #liveliest(all) {
        const positions = all.filter((c) => /\.position\.[xyz]$/.test(c.name)).slice(0, 300);
        const spans = positions.map((c) => ({ ...c, owner: c.name.slice(0, -2),
            span: spanOf(this.data.channels.value(c.k)) }));
        const most = spans.reduce((best, c) => (c.span > best.span ? c : best), { span: 0 });
        // Bodies that only turn about their origins: a plot of positions would show round-off.
        if (!(most.span > 1e-9 * (this.data.scene.size || 1)))
            return all.filter((c) => /\.quaternion\.[wxyz]$/.test(c.name)).slice(0, 4);
        return spans.filter((c) => c.owner === most.owner && c.span > 0.01 * most.span);
    }

    // Choosing
    // -----------------------------------------------------------------------------------------

    #wireChooser() {
        this.search = find('search');
        this.list = find('channel-list');
        this.search.addEventListener('input', () => {
            find('chooser').open = true;
            this.listChannels();
        });
        this.search.addEventListener('keydown', (event) => {
            const box = this.list.querySelector('input');
            if (event.key === 'Enter' && box)
                box.click();
        });
        const chip = (name, label) => make('button', { type: 'button', class: 'chip',
            'aria-pressed': String(name === this.group), onclick: (event) => {
                this.group = name;
                for (const other of find('groups').children)
                    other.setAttribute('aria-pressed', String(other === event.target));
                this.listChannels();
            } }, label);
        find('groups').replaceChildren(chip('', 'all'),
            ...this.data.channels.groups().map((g) => chip(g, g)));
        find('clear').addEventListener('click', () => this.clear());
    }

    // Channels that have all words of the search in their name, group or unit.
    matches() {
        const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
        const found = [];
        this.data.channels.raw.forEach((c, k) => {
            const text = `${c.name} ${c.group} ${c.unit}`.toLowerCase();
            if ((this.group === '' || c.group === this.group) &&
                (this.owner === null || this.ownerOf(c.name) === this.owner) &&
                words.every((word) => text.includes(word)))
                found.push(k);
        });
        // What is zero by nature is not offered first.
        const still = this.data.channels.stillOnes();
        return [...found.filter((k) => !still[k]), ...found.filter((k) => still[k])];
    }

    // The element that a channel belongs to: the longest name that its own begins with.
    ownerOf(channel) {
        this.elements ??= new Set([this.data, ...this.data.overs].flatMap(({ scene }) =>
            [...scene.bodies, ...scene.joints, ...scene.forces].map((e) => e.name)));
        for (let dot = channel.lastIndexOf('.'); dot > 0; dot = channel.lastIndexOf('.', dot - 1))
            if (this.elements.has(channel.slice(0, dot)))
                return channel.slice(0, dot);
        return null;
    }

    // Lists the channels of an element; null for all.
    showOwner(name) {
        this.owner = name;
        find('owner').hidden = name === null;
        find('owner-name').textContent = name === null ? '' : `Channels of ${name}`;
        if (name !== null)
            find('chooser').open = true;
        this.listChannels();
    }

    #wireCompared() {
        const menu = find('compared');
        menu.hidden = this.data.overs.length === 0;
        menu.addEventListener('change', () => {
            this.compared = menu.value;
            this.arrange(true);
        });
        find('owner-clear').addEventListener('click', () => this.showOwner(null));
    }

    listChannels() {
        const { raw } = this.data.channels;
        const found = this.matches();
        const still = this.data.channels.stillOnes();
        const rows = found.slice(0, MOST_LISTED).map((k) => make('li', {}, make('label',
            still[k] ? { class: 'still', title: 'Zero throughout' } : {},
            make('input', { type: 'checkbox', checked: this.chosen.has(k), 'data-channel':
                String(k), onchange: (e) => this.toggle(k, e.target.checked) }),
            make('span', { class: 'name' }, raw[k].name),
            make('span', { class: 'unit' }, raw[k].unit))));
        if (found.length > MOST_LISTED) {
            rows.push(make('li', { class: 'note' },
                `and ${found.length - MOST_LISTED} more: type to narrow the list`));
        } else if (found.length === 0) {
            rows.push(make('li', { class: 'note' }, raw.length === 0 ?
                'This run has no stored channels.' : 'No channel has all these words.'));
        }
        this.list.replaceChildren(...rows);
        this.#count(found.length);
    }

    #count(found) {
        const total = this.data.channels.count;
        find('channel-count').textContent =
            `${found === total ? total : `${found} of ${total}`}, ${this.chosen.size} plotted`;
    }

    toggle(k, on) {
        if (on)
            this.chosen.add(k);
        else
            this.chosen.delete(k);
        const box = this.list.querySelector(`input[data-channel="${k}"]`);
        if (box)
            box.checked = on;
        this.#count(this.matches().length);
        this.arrange();
    }

    select(name) {
        const k = this.data.channels.index(name);
        if (k >= 0)
            this.toggle(k, true);
        return k >= 0;
    }

    clear() {
        this.chosen.clear();
        this.listChannels();
        this.arrange();
    }

    channels() {
        return [...this.chosen].flatMap((k) => this.curvesOf(k));
    }

    // Whether runs, not channels, are told apart by colours.
    get byRun() {
        return this.data.overs.length > 1;
    }

    // The curves of a channel: of each run that has it. The second of two is dashed; of more runs
    // those of the first channel are solid.
    curvesOf(k) {
        const { data, byRun } = this;
        const own = data.channels.get(k);
        if (data.overs.length === 0)
            return [own];
        const later = byRun && [...this.chosen].find((c) => plotKey(data.channels.raw[c]) ===
            plotKey(own)) !== k;
        const as = (curve, run, label) => ({ ...curve, index: k, source: own.name, run, byRun,
            dash: byRun ? later : run > 0, name: `${label}: ${own.name}` });
        const others = data.overs.flatMap((over, i) => {
            const at = over.channels.index(own.name);
            return at >= 0 ? [as(over.channels.get(at), i + 1, over.label)] : [];
        });
        return [...(data.channels.raw[k].other ? [] : [as(own, 0, data.label)]), ...others];
    }

    // What the runs differ by.
    differenceOf(k) {
        const { data, byRun } = this;
        const { name } = data.channels.raw[k];
        return data.overs.flatMap(({ difference, label }, i) => {
            const at = difference.index(name);
            return at < 0 ? [] : [{ ...difference.get(at), index: k, source: name, run: i + 1,
                byRun, name: `${data.label} − ${label}: ${name}` }];
        });
    }

    // Curves of one channel have one colour; of more than two runs those of one run.
    colorOf({ index, run, byRun }) {
        if (byRun)
            return this.colors[run % this.colors.length];
        const key = [...this.byKey.values()].find((plot) =>
            plot.channels.some((c) => c.index === index));
        const order = key ? [...new Set(key.channels.map((c) => c.index))].indexOf(index) : 0;
        return this.colors[order % this.colors.length];
    }

    // By plots, in their order: channels that share one.
    #groups() {
        const runs = groupBy(this.compared === 'difference' && this.data.overs.length > 0 ? [] :
            this.channels(), plotKey);
        const apart = groupBy(this.compared === 'runs' ? [] : [...this.chosen]
            .flatMap((k) => this.differenceOf(k)), (c) => `difference ${plotKey(c)}`);
        const groups = new Map();
        for (const [key, channels] of runs) {
            groups.set(key, channels);
            if (apart.has(`difference ${key}`))
                groups.set(`difference ${key}`, apart.get(`difference ${key}`));
        }
        return new Map([...groups, ...[...apart].filter(([key]) => !groups.has(key))]);
    }

    // Drawing
    // -----------------------------------------------------------------------------------------

    // One plot per kind of quantity; those whose channels stay the same stay as they are.
    arrange(again = false) {
        const groups = this.#groups();
        for (const [key, plot] of this.byKey) {
            if (!groups.has(key)) {
                plot.dispose();
                this.byKey.delete(key);
            }
        }
        for (const [key, channels] of groups) {
            let plot = this.byKey.get(key);
            if (!plot) {
                plot = new Plot(this, key, key === 'residuals');
                this.byKey.set(key, plot);
                this.container.append(plot.element);
            }
            const same = plot.channels.length === channels.length &&
                plot.channels.every((c, i) => c.name === channels[i].name);
            if (again || !same)
                plot.setChannels(channels);
        }
        const order = [...groups.keys()].map((key) => this.byKey.get(key).element);
        if (order.some((element, i) => this.container.children[i] !== element))
            this.container.append(...order);
        find('no-plots').hidden = this.byKey.size > 0;
    }

    applyTheme() {
        const dark = cssColor('scheme') === 'dark';
        this.colors = dark ? DARK_COLORS : COLORS;
        this.arrange(true);
    }

    moveTo(t) {
        this.time = t;
        this.#each((plot) => plot.moveLine(t));
    }

    hover(t) {
        this.hovered = t;
        this.#each((plot) => plot.values && plot.showValues(t ?? this.time));
    }

    setRange(range) {
        this.range = range;
        this.#each((plot) => {
            plot.applyRange(range);
            plot.uplot?.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        });
    }

    // About the present time, or about the middle when that is not in sight.
    zoom(factor) {
        const [low, high] = this.range ?? [this.data.start, this.data.end];
        const seen = this.time > low && this.time < high;
        const middle = seen ? this.time : (low + high) / 2;
        const next = [middle + (low - middle) * factor, middle + (high - middle) * factor];
        const whole = next[0] <= this.data.start && next[1] >= this.data.end;
        this.setRange(whole || !(next[1] > next[0]) ? null :
            [Math.max(next[0], this.data.start), Math.min(next[1], this.data.end)]);
    }

    // What is shown, for tests: channels of each plot and where its time line stands.
    state() {
        return [...this.byKey.values()].map((plot) => ({ log: plot.log,
            channels: plot.channels.map((c) => c.name), cursor: plot.lineTime(),
            title: plot.title(), along: plot.along,
            range: [plot.uplot?.scales.x.min, plot.uplot?.scales.x.max] }));
    }

    first() {
        return this.byKey.values().next().value;
    }
}
