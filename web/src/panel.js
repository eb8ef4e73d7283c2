// SPDX-License-Identifier: MIT
//
// Controls: playing, what is shown, the list of bodies, keys, help.

import { CARRIED } from './beams.js';
import { find, formatNumber, make, timeDecimals } from './dom.js';
import { download, fileName } from './exports.js';
import { DEFLECTION } from './modal.js';
import { VIEWS } from './camera.js';
import { SPEEDS } from './playback.js';
import { Outline } from './outline.js';
import { Video } from './video.js';

const MOST_NAMES = 60;
const MAGNIFY = [1, 2, 5, 10, 20, 50, 100, 200, 500];

const LAYERS = [
    ['joints', 'Joints', 'Joints with their axes'],
    ['elements', 'Springs and rods', 'Springs as coils, distances as rods'],
    ['grid', 'Grid', 'Ground with lines at round distances'],
    ['trails', 'Trails', 'Ways of the chosen bodies'],
    ['names', 'Names', 'Names of bodies'],
    ['force', 'Reaction forces', 'Forces of the joints on their second body'],
    ['velocity', 'Velocities', 'Velocities of the bodies'],
    ['snapshots', 'Snapshots', 'The mechanism at the times that were asked for'],
    ['shadows', 'Shadows', 'Shadows on the ground'],
    ['inertia', 'Inertia boxes', 'Boxes of the same mass and inertia'],
];

export class Panel {
    constructor(data, playback, view, plots) {
        Object.assign(this, { data, playback, view, plots });
        this.labels = new Map();
        this.#wireTransport();
        this.#wireTools();
        this.#wireKeys();
        this.#wireMenus();
        this.listBodies();
        if (view) {
            this.#wireStage();
            this.describe();
        }
        playback.listen(() => this.showTime());
        this.showTime();
    }

    // Playing
    // -----------------------------------------------------------------------------------------

    #wireTransport() {
        const { playback } = this;
        const on = (id, act) => find(id).addEventListener('click', act);
        on('play', () => playback.toggle());
        on('first', () => playback.seek(this.data.start));
        on('last', () => playback.seek(this.data.end));
        on('back', () => playback.step(-1));
        on('forth', () => playback.step(1));
        on('loop', () => playback.setLoop(!playback.loop));
        this.scrub = find('scrub');
        this.scrub.addEventListener('input', () => playback.seek(Number(this.scrub.value)));
        const speeds = find('speed');
        speeds.replaceChildren(...SPEEDS.map((s) => make('option', { value: String(s) }, `${s}×`)));
        speeds.addEventListener('change', () => playback.setSpeed(Number(speeds.value)));
        this.spanChanged();
    }

    // The stretch of time is another one: at the start, and when rows arrive.
    spanChanged() {
        const { start, end, rows } = this.data;
        this.decimals = timeDecimals(end - start, rows);
        Object.assign(this.scrub, { min: String(start), max: String(end), step: 'any' });
        const still = !(end > start);
        for (const id of ['play', 'first', 'last', 'back', 'forth', 'scrub'])
            find(id).disabled = still;
        this.showTime();
    }

    showTime() {
        const { time, playing, loop, speed } = this.playback;
        const timed = this.data.modes ? this.data.frames.timed : true;
        const text = timed ? `${time.toFixed(this.decimals)} s` : '';
        find('time').textContent = text;
        this.scrub.value = String(time);
        this.scrub.setAttribute('aria-valuetext', text);
        find('play').setAttribute('aria-label', playing ? 'Pause' : 'Play');
        find('play').classList.toggle('playing', playing);
        find('loop').setAttribute('aria-pressed', String(loop));
        find('speed').value = String(speed);
    }

    // What is shown
    // -----------------------------------------------------------------------------------------

    #wireTools() {
        const { view } = this;
        find('stage-tools').hidden = !view;
        find('theme').addEventListener('click', () => this.nextTheme());
        find('help-button').addEventListener('click', () => find('help').showModal());
        find('copy').addEventListener('click', () => copyText(find('reproduce')));
        if (!view)
            return;
        view.resize(); // with the tools over the picture
        view.home();
        find('views').replaceChildren(make('option', { value: '' }, 'View'),
            ...VIEWS.map((v, i) => make('option', { value: v }, `${v} (${i + 1})`)));
        find('views').addEventListener('change', (event) => {
            view.look(event.target.value);
            event.target.value = '';
        });
        find('fit').addEventListener('click', () => view.fit());
        find('snapshot').addEventListener('click', async () =>
            download(fileName(this.data.title, 'png'), await view.snapshot()));
        this.video = new Video(view, this.playback, this.data.title);
        find('follow').addEventListener('change', (e) => view.setFollow(Number(e.target.value)));
        const { frames } = this.data;
        const there = { force: frames.hasForce, velocity: frames.hasVelocity,
            snapshots: view.ghosts.length > 0, shadows: Boolean(view.sun.floor) };
        this.#wireCarried();
        this.#wireMagnify();
        const rest = ['snapshots', 'Rest position', 'The mechanism as the modes move it from'];
        const runs = view.overs.map(({ key, data }) => [key, view.overs.length > 1 ? data.label :
            'Second run', `The run ${data.label}, which lies over the first, seen through`]);
        const layers = [...runs, ...LAYERS.map((layer) =>
            (this.data.modes && layer[0] === 'snapshots' ? rest : layer))];
        find('layers').replaceChildren(...layers.filter(([key]) => there[key] !== false)
            .map(([key, label, title]) => make('label', { title }, make('input',
                { type: 'checkbox', checked: view.layers[key], 'data-layer': key,
                    onchange: (e) => this.setLayer(key, e.target.checked) }), label)));
    }

    // Colours of beams.
    #wireCarried() {
        const { view } = this;
        const menu = find('carried');
        const loads = view.beams && !this.data.modes ? Object.entries(CARRIED) : [];
        const kinds = [...loads, ...(view.modals ? [['deflection', DEFLECTION]] : [])];
        menu.hidden = kinds.length === 0;
        menu.replaceChildren(...kinds.map(([value, { label }]) =>
            make('option', { value }, label)), make('option', { value: '' },
            view.modals ? 'Plain' : 'Plain beams'));
        menu.value = view.carried;
        menu.addEventListener('change', () => {
            view.setCarried(menu.value);
            this.describe();
        });
    }

    // Deformation larger than it is; modes have their amplitude.
    #wireMagnify() {
        const menu = find('magnify');
        menu.hidden = !this.view.modals || Boolean(this.data.modes);
        menu.replaceChildren(...MAGNIFY.map((times) =>
            make('option', { value: String(times) }, `Deformation ${times}×`)));
        menu.addEventListener('change', () => this.view.setMagnify(Number(menu.value)));
    }

    // The bar goes from the smallest number of the run to the largest.
    showScale() {
        const { scale } = this.view;
        find('scale').hidden = !scale;
        find('carried').value = this.view.carried;
        if (!scale)
            return;
        const stops = scale.stops().map(([at, color]) => `${color} ${(100 * at).toFixed(1)}%`);
        find('scale-title').textContent = `${scale.kind.label} [${scale.kind.unit}]`;
        find('scale-bar').style.background = `linear-gradient(to right, ${stops.join(', ')})`;
        find('scale-low').textContent = formatNumber(scale.low, 3);
        find('scale-high').textContent = formatNumber(scale.high, 3);
    }

    setLayer(key, on) {
        this.view.layers[key] = on;
        this.view.applyLayers();
        this.view.update(this.playback.time);
        const box = document.querySelector(`input[data-layer="${key}"]`);
        if (box)
            box.checked = on;
        this.describe();
    }

    // What the picture cannot say by itself: distances of lines, lengths of arrows.
    describe() {
        const { view } = this;
        const texts = [];
        if (view.layers.grid)
            texts.push(`grid ${formatNumber(view.gridGap)} m`);
        for (const [layer, unit] of [['force', 'N'], ['velocity', 'm/s']]) {
            const scale = view[`${layer}Scale`];
            if (view.layers[layer] && scale > 0) {
                texts.push(`${layer} arrow of ${formatNumber(view.gridGap)} m: ` +
                    `${formatNumber(view.gridGap / scale, 3)} ${unit}`);
            }
        }
        const shown = view.overs.filter(({ key }) => view.layers[key]);
        if (shown.length > 0) {
            texts.unshift(`solid: ${this.data.label} · seen through: ` +
                shown.map(({ data }) => data.label).join(', '));
        }
        find('legend-line').textContent = texts.join(' · ');
        this.showScale();
    }

    // As the system has it, then light, then dark.
    nextTheme() {
        const order = ['auto', 'light', 'dark'];
        this.theme = order[(order.indexOf(this.theme ?? 'auto') + 1) % order.length];
        find('theme').setAttribute('aria-label', `Colours: ${this.theme}`);
        find('theme').title = `Colours: ${this.theme}`;
        this.themeChanged();
    }

    themeChanged() {
        const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
        const chosen = this.theme && this.theme !== 'auto' ? this.theme : system;
        document.documentElement.dataset.theme = chosen;
        this.view?.applyTheme();
        this.plots.applyTheme();
    }

    // Bodies
    // -----------------------------------------------------------------------------------------

    listBodies() {
        const { view, data } = this;
        this.outline = new Outline(data, view, { onpick: (name, body) => this.pick(name, body),
            ontrail: (body) => this.toggleTrail(body) });
        if (view) {
            const bodies = data.scene.bodies.map((body, i) => ({ body, i })).slice(1)
                .filter(({ body }) => body.part !== 'amplitude');
            find('follow').replaceChildren(make('option', { value: '-1' }, 'Follow'),
                ...bodies.slice(0, 500).map(({ body, i }) =>
                    make('option', { value: String(i) }, body.name)));
            find('follow').value = String(view.follow);
        }
    }

    // A body, or another element, is picked: it is named in the picture and its channels are
    // listed. Picked again, or with null, nothing is.
    pick(name, body = -1) {
        const { view, plots } = this;
        const again = name === null || (plots.owner === name);
        view?.select(again ? -1 : body);
        this.outline.mark(again ? -1 : body);
        if (!this.modes)
            plots.showOwner(again ? null : name);
    }

    toggleTrail(body) {
        const { view } = this;
        const on = !view.trails.has(body);
        view.setTrail(body, on);
        if (on && !view.layers.trails)
            this.setLayer('trails', true);
        view.select(on ? body : -1);
        this.outline.mark(on ? body : -1);
        document.querySelector(`button[data-body="${body}"]`)
            ?.setAttribute('aria-pressed', String(on));
    }

    // T: trails off and on; with none chosen, that of the selected body or of the last one.
    toggleTrails() {
        const { view } = this;
        if (view.trails.size > 0)
            this.setLayer('trails', !view.layers.trails);
        else
            this.toggleTrail(view.selected > 0 ? view.selected : this.data.scene.bodies.length - 1);
    }

    // The picture
    // -----------------------------------------------------------------------------------------

    #wireStage() {
        const { view } = this;
        let down = null;
        view.canvas.addEventListener('pointerdown', (e) => { down = [e.clientX, e.clientY]; });
        view.canvas.addEventListener('pointerup', (e) => {
            if (down && Math.hypot(e.clientX - down[0], e.clientY - down[1]) < 4)
                this.#pick(e);
            down = null;
        });
        new ResizeObserver(() => view.resize()).observe(view.canvas.parentElement);
    }

    #pick(event) {
        const { view } = this;
        const frame = view.canvas.getBoundingClientRect();
        const body = view.pick(event.clientX - frame.left, event.clientY - frame.top);
        this.pick(body > 0 ? this.data.scene.bodies[body].name : null, body);
    }

    // Times of snapshots at the last body of each.
    #drawTimes() {
        this.times ??= [];
        const wanted = this.view.ghostLabels();
        while (this.times.length < wanted.length) {
            const label = make('span', { class: 'label when' });
            this.times.push(label);
            find('labels').append(label);
        }
        this.times.forEach((label, i) => {
            const place = wanted[i]?.place;
            label.hidden = !place;
            if (!place)
                return;
            label.textContent = `${formatNumber(wanted[i].time)} s`;
            label.style.transform = `translate(${place.map((x) => `${x.toFixed(1)}px`)})`;
        });
    }

    // Names over the picture: all when asked for, that of the selected body always.
    drawLabels() {
        const { view } = this;
        this.#drawTimes();
        const count = Math.min(this.data.scene.bodies.length, MOST_NAMES + 1);
        const wanted = new Set(view.selected > 0 ? [view.selected] : []);
        for (let i = 1; view.layers.names && i < count; i++)
            if (this.data.scene.bodies[i].part !== 'amplitude')
                wanted.add(i);
        for (const [body, label] of this.labels) {
            if (!wanted.has(body)) {
                label.remove();
                this.labels.delete(body);
            }
        }
        for (const body of wanted) {
            let label = this.labels.get(body);
            if (!label) {
                label = make('span', { class: 'label' }, this.data.scene.bodies[body].name);
                this.labels.set(body, label);
                find('labels').append(label);
            }
            const place = view.toScreen(body);
            label.hidden = !place;
            if (place)
                label.style.transform = `translate(${place.map((x) => `${x.toFixed(1)}px`)})`;
        }
    }

    // Keys
    // -----------------------------------------------------------------------------------------

    #keys() {
        const { playback, view, data, plots } = this;
        const look = (e) => view?.look(VIEWS[Number(e.key) - 1]);
        return {
            ' ': () => playback.toggle(),
            'ArrowLeft': (e) => playback.step(e.shiftKey ? -10 : -1),
            'ArrowRight': (e) => playback.step(e.shiftKey ? 10 : 1),
            'Home': () => playback.seek(data.start),
            'End': () => playback.seek(data.end),
            'l': () => playback.setLoop(!playback.loop),
            '[': () => this.#faster(-1),
            ']': () => this.#faster(1),
            'n': () => this.modes?.shift(1),
            'p': () => this.modes?.shift(-1),
            ',': () => this.modes?.setPart(data.frames.part / 1.25),
            '.': () => this.modes?.setPart(data.frames.part * 1.25),
            'f': () => view?.fit(),
            'h': () => view?.selected > 0 && this.outline.cycle(view.selected),
            'Escape': () => this.#escape(),
            't': () => view && data.hasScene && this.toggleTrails(),
            'a': () => view?.camera.orbit(-0.1, 0),
            'd': () => view?.camera.orbit(0.1, 0),
            'w': () => view?.camera.orbit(0, -0.1),
            's': () => view?.camera.orbit(0, 0.1),
            '+': () => view?.camera.zoom(1.2),
            '-': () => view?.camera.zoom(1 / 1.2),
            '/': () => !this.modes && plots.search.focus(),
            '?': () => find('help').showModal(),
            '1': look, '2': look, '3': look, '4': look, '5': look, '6': look, '7': look,
        };
    }

    // Menus close by Escape and by a press elsewhere.
    #wireMenus() {
        document.addEventListener('pointerdown', (event) => {
            for (const menu of document.querySelectorAll('details.menu[open]'))
                if (!menu.contains(event.target))
                    menu.open = false;
        });
    }

    #escape() {
        const open = document.querySelector('details.menu[open]');
        if (open) {
            open.open = false;
            open.querySelector('summary').focus();
        } else if (this.plots.owner !== null || this.view?.selected > 0) {
            this.pick(null);
        }
    }

    #faster(by) {
        if (this.modes)
            this.modes.setHertz(this.modes.hertz * 1.25 ** by);
        else
            this.playback.shiftSpeed(by);
    }

    #wireKeys() {
        const keys = this.#keys();
        document.addEventListener('keydown', (event) => {
            const act = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
            if (!act || event.ctrlKey || event.metaKey || event.altKey || ownsKey(event))
                return;
            event.preventDefault();
            act(event);
        });
    }
}

// Whether the element in focus has its own use for a key.
function ownsKey({ target, key }) {
    if (find('help').open)
        return true;
    if (target.closest?.('input[type="search"], select, textarea'))
        return true;
    if (target.type === 'range' || target.type === 'radio')
        return /^(Arrow|Home|End)/.test(key);
    return key === ' ' && Boolean(target.closest?.('button, summary, input, a'));
}

// The clipboard is not open to pages from disk everywhere: then the text is marked for the user.
async function copyText(element) {
    const button = find('copy');
    const range = document.createRange();
    range.selectNodeContents(element);
    window.getSelection().removeAllRanges();
    window.getSelection().addRange(range);
    let copied = false;
    try {
        await navigator.clipboard.writeText(element.textContent);
        copied = true;
    } catch {
        copied = document.execCommand?.('copy') ?? false;
    }
    button.textContent = copied ? 'Copied' : 'Marked';
    setTimeout(() => { button.textContent = 'Copy'; }, 2000);
}
