// SPDX-License-Identifier: MIT
//
// Modes: the motion of a mechanism in one of its modes, in place of stored frames, and the card
// with the list of modes, the amplitude and the speed.
//
// At time t a body has moved by the real parts d and r of (displacement, rotation vector) exp(s t).
// Large amplitudes are drawn by the screw motion of (d, r), which keeps bodies on their hinges.

import { find, formatNumber, make } from './dom.js';
import { deflect, samplePoints } from './modal.js';

const PHASES = 48;     // frames of a cycle
const SETTLED = 4;     // a decay is shown until exp(-4), 2 % of its start
const MOST_CYCLES = 12;
const PART = 0.1;      // of the size of the mechanism: the largest displacement at first
const TURN = 8;        // rad of the largest rotation by that part
const HERTZ = 0.7;     // how fast it swings at first
const SPEEDS = { low: 0.05, high: 5 }; // Hz
const MAIN_SHARE = 0.1; // of the kinetic energy: parts that are named
const MOST_PARTS = 3;
const LOOKS = 400;      // points of a surface that are asked how far they move

function rangeOfPoints(points) {
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (const p of points)
        p.forEach((x, i) => {
            low[i] = Math.min(low[i], x);
            high[i] = Math.max(high[i], x);
        });
    return Math.hypot(...high.map((x, i) => (x > low[i] ? x - low[i] : 0)));
}

// q v q*, the quaternion at o of an array, scalar first.
function turnBy(q, o, [x, y, z]) {
    const [w, a, b, c] = [q[o], q[o + 1], q[o + 2], q[o + 3]];
    const [u, v, t] = [2 * (b * z - c * y), 2 * (c * x - a * z), 2 * (a * y - b * x)];
    return [x + w * u + b * t - c * v, y + w * v + c * u - a * t, z + w * t + a * v - b * u];
}

// The cross product of a rotation vector, the last three of x, with v.
function turnRate(x, v, out) {
    out[0] = x[4] * v[2] - x[5] * v[1];
    out[1] = x[5] * v[0] - x[3] * v[2];
    out[2] = x[3] * v[1] - x[4] * v[0];
}

// Frames of one mode: as Frames of data.js, with places by a formula. `state` holds one frame.
export class ModeFrames {
    constructor(state, list) {
        this.state = state;
        this.bodies = state.bodies;
        this.joints = state.joints;
        this.contacts = state.contacts;
        this.sections = state.sections;
        this.hasVelocity = this.hasForce = this.hasPoint = this.hasSections = false;
        this.list = list;
        this.x = new Float64Array(6);
        this.rd = new Float64Array(3);
        this.rrd = new Float64Array(3);
        this.mode = this.list.find((m) => this.isDrawn(m)) ?? null;
        this.part = PART;
        this.decay = false;
        this.count = 0;
        this.time = new Float64Array(0);
        this.#settle();
    }

    isDrawn(mode) {
        return this.state.count > 0 && mode.shape.length >= 6 * this.bodies;
    }

    choose(mode) {
        this.mode = mode;
        this.#settle();
    }

    setDecay(on) {
        this.decay = on;
        this.#settle();
    }

    // Whether a motion has a pace of its own as it is shown.
    get timed() {
        return Boolean(this.mode) && (this.mode.im > 0 || (this.decay && this.mode.re !== 0));
    }

    // What is shown as one cycle [s]: a period, or a decay.
    get cycle() {
        const { im, re } = this.mode ?? {};
        return im > 0 ? (2 * Math.PI) / im : this.timed ? SETTLED / Math.abs(re) : 1;
    }

    #settle() {
        if (!this.mode)
            return;
        const { im, re } = this.mode;
        const swings = this.decay && im > 0 && re !== 0;
        const cycles = swings ? Math.ceil(SETTLED / Math.abs(re) / this.cycle) : 1;
        const n = PHASES * Math.min(Math.max(cycles, 1), MOST_CYCLES);
        this.count = n + 1;
        this.time = Float64Array.from({ length: n + 1 }, (_, k) => (k * this.cycle) / PHASES);
        this.known = NaN;
    }

    // The unit of amplitudes of each mode: with it the largest displacement of a point is about the
    // size of the mechanism. `corners` are points of each body.
    normalise(corners, { size, bodies, modals }) {
        this.amplitudes = bodies.map((body) => body.part === 'amplitude');
        this.surfaces = modals.filter((modal) => modal.drawn);
        const { position, quaternion } = this.state;
        const arms = corners.map((points, b) => (b === 0 ? [] :
            points.map((p) => turnBy(quaternion, 4 * (b - 1), p))));
        const places = arms.flatMap((list, b) => list.map((arm) =>
            arm.map((x, i) => x + position[3 * (b - 1) + i])));
        this.size = rangeOfPoints(places) || size || 1;
        for (const mode of this.list.filter((m) => this.isDrawn(m))) {
            const [far, turn] = this.#largest(mode, arms);
            const unit = Math.min(this.size / far, TURN / turn);
            mode.unit = Number.isFinite(unit) ? unit : 1;
            mode.far = far;
        }
        this.known = NaN;
    }

    // The largest displacement of a point and the largest rotation, in the units of the shape.
    #largest({ shape, im_shape: im }, arms) {
        let [far, turn] = [0, 0];
        for (const modal of this.surfaces)
            far = Math.max(far, this.#bend(modal, shape, im));
        for (let b = 1; b <= this.bodies; b++) {
            const o = 6 * (b - 1);
            if (this.amplitudes[b])
                continue;
            const sizeOf = (arm) => [shape, im].reduce((sum, x) => {
                if (x.length <= o)
                    return sum;
                const [u, v, w] = [x[o + 3], x[o + 4], x[o + 5]];
                return sum + (x[o] + v * arm[2] - w * arm[1]) ** 2 +
                    (x[o + 1] + w * arm[0] - u * arm[2]) ** 2 +
                    (x[o + 2] + u * arm[1] - v * arm[0]) ** 2;
            }, 0);
            for (const arm of [[0, 0, 0], ...arms[b]])
                far = Math.max(far, Math.sqrt(sizeOf(arm)));
            turn = Math.max(turn, Math.hypot(shape[o + 3], shape[o + 4], shape[o + 5],
                im[o + 3] ?? 0, im[o + 4] ?? 0, im[o + 5] ?? 0));
        }
        return [far, turn];
    }

    // How far amplitudes move a point of a surface in its frame.
    #bend(modal, shape, im) {
        const u = [0, 0, 0];
        const q = (x) => Float64Array.from({ length: modal.modes }, (_, j) =>
            x[6 * (modal.amplitude + j - 1)] ?? 0);
        const parts = [q(shape), q(im)];
        return samplePoints(modal, LOOKS).reduce((far, p) => Math.max(far, Math.hypot(
            ...parts.map((x) => Math.hypot(...deflect(modal, x, p, u))))), 0);
    }

    // exp(s t) times the amplitude, as it is shown, in `c` and `s`.
    #factor(t) {
        if (t === this.known)
            return;
        const { re, im, unit } = this.mode;
        // What grows is at its largest at the end.
        const since = re > 0 ? t - this.time[this.count - 1] : t;
        const size = this.part * unit * (this.decay ? Math.exp(re * since) : 1);
        const angle = im > 0 || !this.timed ? (2 * Math.PI * t) / this.cycle : 0;
        this.c = size * Math.cos(angle);
        this.s = size * Math.sin(angle);
        this.known = t;
    }

    // Position and quaternion of body b at a place, into out[at … at + 7).
    pose(b, { index, part, rest }, out, at = 0) {
        const { position, quaternion } = this.state;
        for (let i = 0; i < 3; i++)
            out[at + i] = position[3 * b + i];
        for (let i = 0; i < 4; i++)
            out[at + 3 + i] = quaternion[4 * b + i];
        if (rest || !this.mode)
            return;
        const next = Math.min(index + 1, this.count - 1);
        this.#factor(this.time[index] + part * (this.time[next] - this.time[index]));
        this.#move(6 * b, out, at);
    }

    #move(o, out, at) {
        const { shape, im_shape: im } = this.mode;
        const { x, rd, rrd } = this;
        for (let i = 0; i < 6; i++)
            x[i] = this.c * shape[o + i] - (im.length > 0 ? this.s * im[o + i] : 0);
        const n = x[3] * x[3] + x[4] * x[4] + x[5] * x[5];
        const angle = Math.sqrt(n);
        const small = angle < 1e-4;
        const a = small ? 0.5 - n / 24 : (1 - Math.cos(angle)) / n;
        const b = small ? 1 / 6 - n / 120 : (angle - Math.sin(angle)) / (n * angle);
        turnRate(x, x, rd);
        turnRate(x, rd, rrd);
        for (let i = 0; i < 3; i++)
            out[at + i] += x[i] + a * rd[i] + b * rrd[i];
        const half = small ? 0.5 - n / 48 : Math.sin(0.5 * angle) / angle;
        const w = Math.cos(0.5 * angle);
        const u = half * x[3];
        const v = half * x[4];
        const t = half * x[5];
        const e = out[at + 3];
        const f = out[at + 4];
        const g = out[at + 5];
        const h = out[at + 6];
        out[at + 3] = w * e - u * f - v * g - t * h;
        out[at + 4] = w * f + u * e + v * h - t * g;
        out[at + 5] = w * g - u * h + v * e + t * f;
        out[at + 6] = w * h + u * g - v * f + t * e;
    }

    // The largest displacement as it is drawn [m].
    get largest() {
        return this.mode ? this.part * this.mode.unit * (this.mode.far ?? 0) : 0;
    }
}

// Shares of the kinetic energy by parts: bodies, and beams with all their nodes.
function partsOfMode(mode, scene) {
    const shares = new Map();
    scene.bodies.slice(1).forEach((body, b) => {
        const name = (body.beam ?? body.modal)?.name ?? body.name;
        shares.set(name, (shares.get(name) ?? 0) + (mode.share[b] || 0));
    });
    const sorted = [...shares].sort((a, b) => b[1] - a[1]);
    const main = sorted.filter(([, share]) => share >= MAIN_SHARE).slice(0, MOST_PARTS);
    return main.length > 0 ? main.map(([name, share]) => `${name} ${Math.round(100 * share)} %`)
        .join(', ') : sorted.length > 0 && sorted[0][1] > 0 ? 'many bodies' : '';
}

// The card: which mode, how large, how fast.
export class ModeCard {
    constructor(data, playback, onchange) {
        this.data = data;
        this.frames = data.frames;
        this.playback = playback;
        this.onchange = onchange;
        this.hertz = HERTZ;
        find('modes').hidden = false;
        for (const id of ['plots', 'ledger', 'speed', 'loop'])
            find(id).hidden = true;
        for (const key of document.querySelectorAll('.keys .of-run'))
            key.hidden = true;
        for (const key of document.querySelectorAll('.keys .of-modes'))
            key.hidden = false;
        this.#list();
        this.#wire();
        this.#apply();
    }

    #list() {
        const { list } = this.frames;
        find('mode-rows').replaceChildren(...list.map((mode, i) => this.#row(mode, i)));
        find('mode-none').hidden = list.length > 0;
    }

    #row(mode, i) {
        const drawn = this.frames.isDrawn(mode);
        const radio = make('input', { type: 'radio', name: 'mode', value: String(i),
            'aria-label': `Mode ${i + 1}`, disabled: !drawn, checked: mode === this.frames.mode,
            onchange: () => this.choose(i) });
        const swings = mode.im > 0;
        const growth = mode.kind === 'growth' ? make('span', { class: 'badge fail' },
            make('span', { 'aria-hidden': 'true' }, '✗'), ' grows') : '';
        return make('tr', { class: drawn ? 'mode' : 'mode bare', onclick: () => drawn &&
            this.choose(i) },
        make('td', {}, make('label', {}, radio, String(i + 1))),
        make('td', { class: 'number' }, mode.kind === 'rigid' ? 'rigid' :
            swings ? formatNumber(mode.frequency, 5) : '–'),
        make('td', { class: 'number' }, swings ? formatNumber(round(mode.damping), 3) : ''),
        make('td', { class: 'number' }, mode.kind === 'rigid' ? '' :
            formatNumber(Math.abs(mode.damping) < 1e-9 ? 0 : mode.re, 4)),
        make('td', {}, growth, growth ? ' ' : '', partsOfMode(mode, this.data.scene),
            make('div', { class: 'muted' }, mode.name ?? '')));
    }

    #wire() {
        const amplitude = find('mode-amplitude');
        amplitude.addEventListener('input', () => this.setPart(Number(amplitude.value) / 100));
        const speed = find('mode-speed');
        speed.addEventListener('input', () => this.setHertz(10 ** Number(speed.value)));
        find('mode-decay').addEventListener('change', (e) => {
            this.frames.setDecay(e.target.checked);
            this.#apply();
        });
    }

    choose(i) {
        const mode = this.frames.list[i];
        if (!mode || !this.frames.isDrawn(mode))
            return;
        this.frames.choose(mode);
        find('mode-rows').querySelectorAll('input').forEach((radio, k) => {
            radio.checked = k === i;
        });
        find('mode-rows').rows[i].scrollIntoView({ block: 'nearest' });
        this.#apply();
    }

    // The next or previous one that can be drawn.
    shift(by) {
        const { list, mode } = this.frames;
        let i = list.indexOf(mode) + by;
        while (list[i] && !this.frames.isDrawn(list[i]))
            i += by;
        this.choose(i);
    }

    setPart(part) {
        this.frames.part = Math.min(Math.max(part, 0), Number(find('mode-amplitude').max) / 100);
        this.frames.known = NaN;
        this.#apply();
    }

    setHertz(hertz) {
        this.hertz = Math.min(Math.max(hertz, SPEEDS.low), SPEEDS.high);
        this.#apply();
    }

    // Everything follows from the mode, the amplitude and the speed.
    #apply() {
        const { frames, playback } = this;
        this.data.spanOfFrames();
        playback.speed = this.hertz * frames.cycle;
        find('mode-amplitude').value = String(100 * frames.part);
        find('mode-amplitude-text').textContent = `${formatNumber(frames.largest, 3)} m, ` +
            `${formatNumber(100 * frames.part, 3)} % of the size`;
        find('mode-speed').value = String(Math.log10(this.hertz));
        find('mode-speed-text').textContent = this.#pace();
        const still = !frames.mode || frames.mode.re === 0 || Math.abs(frames.mode.damping) < 1e-9;
        find('mode-decay').disabled = still;
        find('mode-decay').checked = frames.decay && !still;
        find('mode-decay-text').textContent = frames.mode?.re > 0 && !still ?
            'Growing, as it would' : 'Dying away, as it would';
        this.onchange();
        playback.seek(playback.time);
    }

    #pace() {
        const shown = `${formatNumber(this.hertz, 2)} Hz`;
        if (!this.frames.timed)
            return shown;
        const times = 1 / (this.hertz * this.frames.cycle);
        return Math.abs(times - 1) < 0.02 ? `${shown}, as it is` : times > 1 ?
            `${shown}, ${formatNumber(times, 2)} × slower` :
            `${shown}, ${formatNumber(1 / times, 2)} × faster`;
    }
}

// Round-off about zero is none.
function round(x) {
    return Math.abs(x) < 1e-9 ? 0 : x;
}
