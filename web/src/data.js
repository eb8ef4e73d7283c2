// SPDX-License-Identifier: MIT
//
// The data of a page: decoding, defaults for what is missing, poses between stored frames, and
// rows that arrive while a run goes on. Arrays are {"f64": base64} or {"f32": base64}, little
// endian; {"same": k} as the time of a channel is the time of an earlier one.

import { decodeArray } from './arrays.js';
import { ModeFrames } from './modes.js';

export function groupBy(list, key) {
    const groups = new Map();
    for (const item of list) {
        const group = groups.get(key(item));
        if (group)
            group.push(item);
        else
            groups.set(key(item), [item]);
    }
    return groups;
}

function joinArrays(a, b) {
    const all = new Float64Array(a.length + b.length);
    all.set(a);
    all.set(b, a.length);
    return all;
}

// The last index with time[index] <= t, at least 0.
export function indexAt(time, t) {
    let low = 0;
    let high = time.length - 1;
    while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (time[middle] <= t)
            low = middle;
        else
            high = middle - 1;
    }
    return Math.max(low, 0);
}

// Where t lies: in frame `index`, or the part `part` of the way to the next one.
export function placeAt(time, t) {
    const index = indexAt(time, t);
    const gap = time[index + 1] - time[index];
    const part = gap > 0 ? Math.min(Math.max((t - time[index]) / gap, 0), 1) : 0;
    return { index, part };
}

// Between unit quaternions of q at a and b, on the shorter great circle, into out[at … at + 4).
function slerp(q, a, b, s, out, at) {
    let dot = q[a] * q[b] + q[a + 1] * q[b + 1] + q[a + 2] * q[b + 2] + q[a + 3] * q[b + 3];
    const sign = dot < 0 ? -1 : 1;
    dot = Math.min(Math.abs(dot), 1);
    const angle = Math.acos(dot);
    // Below this angle the chord and the arc are the same number.
    const straight = angle < 1e-6;
    const wa = straight ? 1 - s : Math.sin((1 - s) * angle) / Math.sin(angle);
    const wb = sign * (straight ? s : Math.sin(s * angle) / Math.sin(angle));
    for (let i = 0; i < 4; i++)
        out[at + i] = wa * q[a + i] + wb * q[b + i];
}

// The stored motion. Bodies are numbered as in the scene, without the ground.
class Frames {
    constructor(raw, { bodies, joints, contacts, sections }) {
        Object.assign(this, { bodies, joints, contacts, sections });
        this.time = decodeArray(raw?.time);
        this.position = decodeArray(raw?.position);
        this.quaternion = decodeArray(raw?.quaternion);
        this.velocity = decodeArray(raw?.velocity);
        this.force = decodeArray(raw?.force);
        this.point = decodeArray(raw?.point);
        this.section_force = decodeArray(raw?.section_force);
        this.section_moment = decodeArray(raw?.section_moment);
        this.#settle();
    }

    // A file cut short has arrays of different lengths: what all of them have is shown.
    #settle() {
        let count = this.time.length;
        if (this.bodies > 0) {
            count = Math.min(count, Math.floor(this.position.length / (3 * this.bodies)),
                Math.floor(this.quaternion.length / (4 * this.bodies)));
        }
        this.count = count;
        this.time = this.time.subarray(0, count);
        this.hasVelocity = count > 0 && this.velocity.length >= 3 * this.bodies * count;
        this.hasForce = count > 0 && this.joints > 0 &&
            this.force.length >= 3 * this.joints * count;
        this.hasPoint = count > 0 && this.contacts > 0 &&
            this.point.length >= 3 * this.contacts * count;
        const carried = 3 * this.sections * count;
        this.hasSections = count > 0 && this.sections > 0 &&
            Math.min(this.section_force.length, this.section_moment.length) >= carried;
    }

    append(other) {
        for (const key of ['time', 'position', 'quaternion', 'velocity', 'force', 'point',
            'section_force', 'section_moment'])
            this[key] = joinArrays(this[key], other[key]);
        this.#settle();
    }

    // Position and quaternion of body b at a place, into out[at … at + 7); exactly the stored
    // numbers at a stored time.
    pose(b, { index, part }, out, at = 0) {
        const p = 3 * (index * this.bodies + b);
        const q = 4 * (index * this.bodies + b);
        if (part === 0) {
            for (let i = 0; i < 3; i++)
                out[at + i] = this.position[p + i];
            for (let i = 0; i < 4; i++)
                out[at + 3 + i] = this.quaternion[q + i];
            return;
        }
        const next = p + 3 * this.bodies;
        for (let i = 0; i < 3; i++)
            out[at + i] = this.position[p + i] + part * (this.position[next + i] -
                this.position[p + i]);
        slerp(this.quaternion, q, q + 4 * this.bodies, part, out, at + 3);
    }

    // What the section of a beam carries, by its number among those of all frames.
    carried(kind, at) {
        return kind.of(this.section_force, this.section_moment, 3 * at);
    }

    // The same of element e, between frames.
    carriedAt(kind, e, { index, part }) {
        const now = this.carried(kind, index * this.sections + e);
        return part > 0 ?
            now + part * (this.carried(kind, (index + 1) * this.sections + e) - now) : now;
    }

    // Row `row` of `velocity`, `force` or `point`, between frames.
    vector(key, n, row, { index, part }, out) {
        const a = 3 * (index * n + row);
        const b = part > 0 ? a + 3 * n : a;
        for (let i = 0; i < 3; i++)
            out[i] = this[key][a + i] + part * (this[key][b + i] - this[key][a + i]);
        return out;
    }
}

// Quantities over time. They are decoded when asked for: a model of a thousand bodies has some ten
// thousand of them.
class Channels {
    constructor(raw) {
        this.raw = raw.map((c) => ({
            ...c,
            name: String(c?.name ?? ''),
            group: String(c?.group || 'other'),
            unit: c?.unit && c.unit !== '1' ? String(c.unit) : '',
        }));
        this.times = new Map();
        this.values = new Map();
    }

    get count() {
        return this.raw.length;
    }

    // Channels that only another run has stand behind these.
    addOthers(others) {
        for (let k = 0; k < (others?.count ?? 0); k++) {
            const { name, group, unit } = others.raw[k];
            if (this.index(name) >= 0)
                continue;
            this.times.set(this.raw.length, others.time(k));
            this.values.set(this.raw.length, others.value(k));
            this.raw.push({ name, group, unit, other: true });
        }
    }

    // By number: whether all values are zero, or round-off beside others of the unit. Components
    // across the plane of flat models are so by nature.
    stillOnes() {
        if (this.still)
            return this.still;
        const most = this.raw.map((_, k) => {
            let size = 0;
            for (const y of this.value(k))
                if (Math.abs(y) > size)
                    size = Math.abs(y);
            return size;
        });
        const largest = new Map();
        this.raw.forEach(({ unit, group }, k) => {
            const key = `${group} ${unit}`;
            largest.set(key, Math.max(largest.get(key) ?? 0, most[k]));
        });
        this.still = this.raw.map(({ unit, group }, k) => group !== 'residuals' &&
            most[k] <= 1e-12 * largest.get(`${group} ${unit}`));
        return this.still;
    }

    groups() {
        return [...new Set(this.raw.map((c) => c.group))];
    }

    index(name) {
        return this.raw.findIndex((c) => c.name === name);
    }

    // The number of the channel whose time channel k uses.
    #owner(k) {
        let at = k;
        for (let hops = 0; hops < 8 && Number.isInteger(this.raw[at]?.time?.same); hops++)
            at = this.raw[at].time.same;
        return at;
    }

    time(k) {
        const owner = this.#owner(k);
        if (!this.times.has(owner))
            this.times.set(owner, decodeArray(this.raw[owner]?.time));
        return this.times.get(owner);
    }

    value(k) {
        if (!this.values.has(k))
            this.values.set(k, decodeArray(this.raw[k].value));
        return this.values.get(k);
    }

    get(k) {
        const { name, group, unit } = this.raw[k];
        const time = this.time(k);
        const value = this.value(k);
        const n = Math.min(time.length, value.length);
        return { index: k, name, group, unit, time: time.subarray(0, n),
            value: value.subarray(0, n) };
    }

    // Adds the rows of channels with the same names.
    append(other) {
        const owners = new Set(this.raw.map((c, k) => this.#owner(k)));
        const grown = new Map();
        for (let k = 0; k < this.count; k++) {
            const { name } = this.raw[k];
            const from = other.raw[k]?.name === name ? k : other.index(name);
            if (from < 0)
                continue;
            this.values.set(k, joinArrays(this.value(k), other.value(from)));
            if (owners.has(k))
                grown.set(k, joinArrays(this.time(k), other.time(from)));
        }
        for (const [k, time] of grown)
            this.times.set(k, time);
        this.still = null;
    }
}

const vector = (v, fallback) =>
    Array.isArray(v) && v.length === fallback.length && v.every(Number.isFinite) ? v : fallback;

function frameOf(frame) {
    return frame ? { position: vector(frame.position, [0, 0, 0]),
        quaternion: vector(frame.quaternion, [1, 0, 0, 0]) } : null;
}

// Beams whose nodes are all there; these know their beam, and have its colour.
function beamsOf(list, bodies) {
    const beams = (list ?? []).filter((b) => Number.isInteger(b?.body) && b.body > 0 &&
        Number.isInteger(b.nodes) && b.nodes > 1 && b.body + b.nodes <= bodies.length && b.section);
    for (const beam of beams) {
        beam.color ??= '#5b86b4';
        for (let i = 0; i < beam.nodes; i++)
            bodies[beam.body + i].beam = beam;
    }
    return beams;
}

// Modal bodies whose frame and amplitudes are there; bodies know their part in them. Those with a
// surface are drawn by it.
function modalsOf(list, bodies) {
    const whole = (x) => Number.isInteger(x) && x >= 0;
    const modals = (list ?? []).filter((m) => [m?.body, m?.amplitude, m?.modes, m?.attachment,
        m?.attachments].every(whole) && m.body > 0 && m.amplitude > 0 && m.body < bodies.length &&
        m.amplitude + m.modes <= bodies.length && m.attachment + m.attachments <= bodies.length);
    return modals.map((raw) => {
        const modal = { ...raw, name: String(raw.name ?? ''), points: decodeArray(raw.points),
            triangles: decodeArray(raw.triangles), shapes: decodeArray(raw.shapes) };
        modal.drawn = modal.points.length > 0 &&
            modal.shapes.length >= modal.modes * modal.points.length &&
            modal.triangles.every((p) => 3 * p + 2 < modal.points.length);
        const assign = (first, n, part) => {
            for (let i = first; i < first + n; i++)
                Object.assign(bodies[i], { modal, part });
        };
        assign(modal.body, 1, 'frame');
        assign(modal.amplitude, modal.modes, 'amplitude');
        assign(modal.attachment, modal.attachments, 'attachment');
        return modal;
    });
}

// Gears and racks: couplings that name the joints they couple.
function gearsOf(joints) {
    const known = ({ joint, factor }) => joints[joint]?.drawn && Number.isFinite(factor) &&
        factor !== 0;
    return joints.filter((j) => j.couples?.length === 2 && j.couples.every(known))
        .map((j) => ({ name: j.name, kind: j.kind, joints: j.couples.map((c) => joints[c.joint]),
            factors: j.couples.map((c) => c.factor) }));
}

function sceneOf(raw) {
    const bodies = (raw?.bodies ?? []).map((b) => ({
        ...b,
        name: String(b.name ?? ''),
        inertia: vector(b.inertia, [0, 0, 0]),
        axes: vector(b.axes, [1, 0, 0, 0]),
        com: vector(b.com, [0, 0, 0]),
        shapes: b.shapes ?? [],
    }));
    const known = (body) => Number.isInteger(body) && body >= 0 && body < bodies.length;
    const elementsOf = (list) => (list ?? []).map((e) => ({
        ...e,
        name: String(e.name ?? ''),
        drawn: known(e.a) && known(e.b) && Boolean(e.frame_a && e.frame_b),
        frame_a: frameOf(e.frame_a),
        frame_b: frameOf(e.frame_b),
    }));
    const joints = elementsOf(raw?.joints);
    const forces = elementsOf(raw?.forces);
    return {
        planar: Boolean(raw?.planar),
        gravity: vector(raw?.gravity, [0, 0, 0]),
        size: raw?.size > 0 ? raw.size : 0,
        bodies,
        joints,
        forces,
        gears: gearsOf(joints),
        contacts: joints.filter((j) => j.contact), // as frames have their points
        beams: beamsOf(raw?.beams, bodies),
        modals: modalsOf(raw?.modals, bodies),
        freedoms: raw?.freedoms,
        redundant: raw?.redundant,
    };
}

function modesOf(raw) {
    return (raw.list ?? []).map((mode) => ({ ...mode, unit: 1, name: String(mode.name ?? ''),
        shape: decodeArray(mode.shape), im_shape: decodeArray(mode.im_shape),
        share: decodeArray(mode.share) }));
}

export class PageData {
    constructor(raw) {
        this.title = String(raw.title ?? 'Tenon');
        this.reproduce = raw.reproduce ? String(raw.reproduce) : '';
        this.hasScene = Boolean(raw.scene?.bodies?.length > 1);
        this.scene = sceneOf(raw.scene);
        this.meshes = (raw.meshes ?? []).map((m) => ({ name: String(m?.name ?? ''),
            positions: decodeArray(m?.positions) }));
        this.label = String(raw.label ?? '');
        // Runs that lie over this one; each knows what this one differs from it by, and what their
        // models do.
        this.overs = (raw.over ?? []).map((run) => new PageData({ ...run, live: false }));
        this.difference = new Channels(raw.difference ?? []);
        this.models = (raw.models ?? []).map(String);
        this.snapshots = (raw.snapshots ?? []).filter(Number.isFinite);
        this.modes = raw.modes ?? null;
        this.#takeState(raw);
        this.#takeRows(raw);
    }

    #takeState(raw) {
        this.live = Boolean(raw.live);
        this.run = raw.run ?? {};
        this.warnings = (raw.warnings ?? []).map(String);
    }

    #takeRows(raw) {
        this.frames = this.#framesOf(raw);
        if (raw.modes)
            this.frames = new ModeFrames(this.frames, modesOf(raw.modes));
        this.channels = new Channels([...(raw.channels ?? [])]);
        for (const over of this.overs)
            this.channels.addOthers(over.channels);
        this.spanOfFrames();
        this.next = raw.next ?? this.rows;
    }

    #framesOf(raw) {
        const { scene } = this;
        return new Frames(raw.frames, { bodies: Math.max(scene.bodies.length - 1, 0),
            joints: scene.joints.length, contacts: scene.contacts.length,
            sections: scene.forces.filter((f) => f.kind === 'beam-element').length });
    }

    // The stretch of time that is shown: that of the frames, else that of the channels.
    spanOfFrames() {
        const times = this.frames.count > 0 ? [this.frames.time] : [];
        for (let k = 0; k < this.channels.count && times.length === 0; k++)
            if (this.channels.time(k).length > 0)
                times.push(this.channels.time(k));
        this.start = times[0]?.[0] ?? 0;
        this.end = times[0]?.at(-1) ?? this.start;
        this.rows = times[0]?.length ?? 0;
        for (const over of this.overs.filter((run) => run.rows > 0)) {
            this.start = Math.min(this.start, over.start);
            this.end = Math.max(this.end, over.end);
        }
    }

    // Rows that came later. An answer that starts at 0 replaces everything; one that does not
    // start where this data ends is ignored.
    update(raw) {
        this.#takeState(raw);
        if (!raw.frames)
            return;
        const from = raw.from ?? 0;
        if (from === 0) {
            this.#takeRows(raw);
        } else if (from === this.next) {
            this.frames.append(this.#framesOf(raw));
            this.channels.append(new Channels(raw.channels ?? []));
            this.spanOfFrames();
            this.next = raw.next ?? this.rows;
        }
    }

    // Pose of a body by its number in the scene (0 is the ground), or null when nothing is stored.
    pose(body, t) {
        if (body === 0)
            return { position: [0, 0, 0], quaternion: [1, 0, 0, 0] };
        if (this.frames.count === 0 || body < 0)
            return null;
        const out = new Float64Array(7);
        this.frames.pose(body - 1, placeAt(this.frames.time, t), out);
        return { position: [...out.subarray(0, 3)], quaternion: [...out.subarray(3)] };
    }
}

export function readPage() {
    const text = document.getElementById('tenon-data').textContent;
    const raw = JSON.parse(text);
    if (raw.format !== 'tenon-page')
        throw new Error('the data of this page is not of the format "tenon-page"');
    if (raw.version !== 1)
        throw new Error(`the data of this page is of version ${raw.version}, not 1`);
    return raw;
}
