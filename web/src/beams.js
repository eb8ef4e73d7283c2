// SPDX-License-Identifier: MIT
//
// Beams: the outline of a section, swept along the helices between the frames of neighbouring
// nodes, coloured by what the sections carry. All beams are one geometry, so that any number of
// elements costs one draw call; a new time writes its positions, normals and colours.

import { BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, Mesh, SRGBColorSpace,
    ShapeUtils, Sphere, Vector2, Vector3 } from 'three';

const RINGS = 2400; // along all beams together, above one for each node
const FINE = 8;     // pieces of an element at most

// What can be shown of forces f and moments m, in the axes of the section whose numbers begin at o;
// z is along the beam.
export const CARRIED = {
    bending: { label: 'Bending moment', unit: 'N m', of: (f, m, o) => Math.hypot(m[o], m[o + 1]) },
    normal: { label: 'Normal force', unit: 'N', signed: true, of: (f, m, o) => f[o + 2] },
    torque: { label: 'Torque', unit: 'N m', signed: true, of: (f, m, o) => m[o + 2] },
    shear: { label: 'Shear force', unit: 'N', of: (f, m, o) => Math.hypot(f[o], f[o + 1]) },
    bending_x: { label: 'Moment about x', unit: 'N m', signed: true, of: (f, m, o) => m[o] },
    bending_y: { label: 'Moment about y', unit: 'N m', signed: true, of: (f, m, o) => m[o + 1] },
};

// Colours
// ---------------------------------------------------------------------------------------------

// Sizes from zero on, and values on both sides of it: apart for colour-blind eyes, and on light
// and dark ground.
const SIZES = ['#46327e', '#365c8d', '#277f8e', '#1fa187', '#4ac16d', '#a0da39', '#fde725'];
const SIDES = ['#1f5fb4', '#6fa3dc', '#d4d6da', '#ef9a76', '#b4232a'];

const bytes = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));

// The colour at a part 0 … 1 of a ramp, as numbers 0 … 255.
function alongRamp(ramp, part) {
    const at = Math.min(Math.max(part, 0), 1) * (ramp.length - 1);
    const i = Math.min(Math.floor(at), ramp.length - 2);
    const [a, b] = [bytes(ramp[i]), bytes(ramp[i + 1])];
    return a.map((x, k) => x + (at - i) * (b[k] - x));
}

function tableOf(ramp) {
    const table = new Float32Array(3 * 256);
    const color = new Color();
    for (let i = 0; i < 256; i++) {
        const [r, g, b] = alongRamp(ramp, i / 255);
        color.setRGB(r / 255, g / 255, b / 255, SRGBColorSpace).toArray(table, 3 * i);
    }
    return table;
}

// Colours of numbers between the smallest and the largest of a run. Zero is the middle of the ramp
// of signed ones, and the start of that of sizes; the bar shows what lies between the two.
export class Scale {
    constructor(kind, low, high) {
        this.ramp = kind.signed ? SIDES : SIZES;
        this.table = tableOf(this.ramp);
        Object.assign(this, { kind, low, high });
        this.most = Math.max(Math.abs(low), Math.abs(high)) || 1;
    }

    part(value) {
        const size = value / this.most;
        return this.kind.signed ? 0.5 + 0.5 * size : size;
    }

    // Into out[at … at + 3), in the colour space of the renderer; grey where it is not known.
    paint(value, out, at) {
        if (!Number.isFinite(value)) {
            out[at] = out[at + 1] = out[at + 2] = 0.25;
            return;
        }
        const i = 3 * Math.round(255 * Math.min(Math.max(this.part(value), 0), 1));
        out[at] = this.table[i];
        out[at + 1] = this.table[i + 1];
        out[at + 2] = this.table[i + 2];
    }

    // Stops of a gradient from the smallest number to the largest: [place 0 … 1, colour].
    stops() {
        const n = 16;
        return Array.from({ length: n + 1 }, (_, i) => {
            const [r, g, b] = alongRamp(this.ramp,
                this.part(this.low + (i / n) * (this.high - this.low))).map(Math.round);
            return [i / n, `rgb(${r}, ${g}, ${b})`];
        });
    }
}

// Outlines
// ---------------------------------------------------------------------------------------------

// A loop of points with edges between neighbours. Edges of polygons have points of their own, so
// that they are sharp; round ones share theirs.
function polygon(corners) {
    const points = [];
    const edges = [];
    corners.forEach(([x, y], i) => {
        const [u, v] = corners[(i + 1) % corners.length];
        const length = Math.hypot(u - x, v - y) || 1;
        const normal = [(v - y) / length, -(u - x) / length];
        edges.push([points.length, points.length + 1]);
        points.push([x, y, ...normal], [u, v, ...normal]);
    });
    return { corners, points, edges };
}

function ellipse(a, b, n, inward) {
    const sign = inward ? -1 : 1;
    const points = Array.from({ length: n }, (_, i) => {
        const angle = (sign * 2 * Math.PI * i) / n;
        const [c, s] = [Math.cos(angle), Math.sin(angle)];
        const normal = [c / a, s / b].map((x) => (sign * x) / Math.hypot(c / a, s / b));
        return [a * c, b * s, ...normal];
    });
    return { corners: points.map(([x, y]) => [x, y]), points,
        edges: points.map((_, i) => [i, (i + 1) % n]) };
}

// The loops of a section: one that goes round to the left, and those of holes to the right.
export function loopsOf(section, many) {
    const half = (x) => 0.5 * (x > 0 ? x : 0.01);
    if (section.kind === 'rectangle') {
        const [w, h] = [half(section.width), half(section.height)];
        return [polygon([[-w, -h], [w, -h], [w, h], [-w, h]])];
    }
    if (section.kind === 'I') {
        const [w, h, t] = [half(section.width), half(section.height), half(section.web)];
        const f = h - section.flange;
        return [polygon([[-w, -h], [w, -h], [w, -f], [t, -f], [t, f], [w, f], [w, h], [-w, h],
            [-w, f], [-t, f], [-t, -f], [-w, -f]])];
    }
    const [a, b] = [section.radius_x, section.radius_y].map((r) => (r > 0 ? r : 0.01));
    const n = many ? 12 : 24;
    const hole = section.wall > 0 && section.wall < Math.min(a, b);
    return [ellipse(a, b, n, false),
        ...(hole ? [ellipse(a - section.wall, b - section.wall, n, true)] : [])];
}

// Half the extent of a section along its axes.
export function reachOfSection(section) {
    return section.kind === 'ellipse' ? [section.radius_x, section.radius_y] :
        [0.5 * section.width, 0.5 * section.height];
}

// Helices
// ---------------------------------------------------------------------------------------------

// The helix from frame a to frame b (12 numbers each, rows of [R | p], at o and p of m): A exp(s h)
// with h = (v, w) the logarithm of B seen from A, as the elements themselves have it.
class Helix {
    constructor() {
        for (const name of ['v', 'w', 't', 'a', 'b'])
            this[name] = new Float64Array(3);
        this.E = new Float64Array(9);
        this.frame = new Float64Array(12);
    }

    set(m, o, p) {
        const { v, w } = this;
        const rel = (i, j) => m[o + i] * m[p + j] + m[o + 4 + i] * m[p + 4 + j] +
            m[o + 8 + i] * m[p + 8 + j];
        const angle = Math.acos(Math.min(Math.max((rel(0, 0) + rel(1, 1) + rel(2, 2) - 1) / 2, -1),
            1));
        const sin = Math.sin(angle);
        const factor = angle < 1e-4 || sin < 1e-9 ? 0.5 : angle / (2 * sin);
        w[0] = factor * (rel(2, 1) - rel(1, 2));
        w[1] = factor * (rel(0, 2) - rel(2, 0));
        w[2] = factor * (rel(1, 0) - rel(0, 1));
        const [x, y, z] = [m[p + 3] - m[o + 3], m[p + 7] - m[o + 7], m[p + 11] - m[o + 11]];
        const t = this.t;
        for (let i = 0; i < 3; i++)
            t[i] = m[o + i] * x + m[o + 4 + i] * y + m[o + 8 + i] * z;
        // v = (1 - [w]/2 + c [w]^2) t
        const c = angle < 1e-3 ? 1 / 12 :
            (1 - (0.5 * angle) / Math.tan(0.5 * angle)) / (angle * angle);
        cross(w, t, this.a);
        cross(w, this.a, this.b);
        for (let i = 0; i < 3; i++)
            v[i] = t[i] - 0.5 * this.a[i] + c * this.b[i];
        this.angle = Math.hypot(w[0], w[1], w[2]);
        this.m = m;
        this.o = o;
    }

    // The frame at the part s of the way, in `frame`.
    at(s) {
        const { v, w, m, o, frame, E } = this;
        const phi = s * this.angle;
        const n = phi * phi;
        const small = phi < 1e-3;
        const a = small ? 1 - n / 6 : Math.sin(phi) / phi;
        const b = small ? 0.5 - n / 24 : (1 - Math.cos(phi)) / n;
        const c = small ? 1 / 6 : (1 - a) / n;
        const [x, y, z] = [s * w[0], s * w[1], s * w[2]];
        // p = s (1 + b [s w] + c [s w]^2) v
        cross(w, v, this.a);
        cross(w, this.a, this.b);
        const p = this.t;
        for (let i = 0; i < 3; i++)
            p[i] = s * (v[i] + s * b * this.a[i] + s * s * c * this.b[i]);
        // E = 1 + a [s w] + b [s w]^2
        E[0] = 1 + b * (x * x - n);
        E[1] = b * x * y - a * z;
        E[2] = b * x * z + a * y;
        E[3] = b * x * y + a * z;
        E[4] = 1 + b * (y * y - n);
        E[5] = b * y * z - a * x;
        E[6] = b * x * z - a * y;
        E[7] = b * y * z + a * x;
        E[8] = 1 + b * (z * z - n);
        for (let i = 0; i < 3; i++) {
            const r = o + 4 * i;
            for (let j = 0; j < 3; j++)
                frame[4 * i + j] = m[r] * E[j] + m[r + 1] * E[3 + j] + m[r + 2] * E[6 + j];
            frame[4 * i + 3] = m[r] * p[0] + m[r + 1] * p[1] + m[r + 2] * p[2] + m[r + 3];
        }
        return frame;
    }
}

function cross(a, b, out) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

// Beams
// ---------------------------------------------------------------------------------------------

// Points of all loops behind each other: the number of the first of each loop.
function numberLoops(loops) {
    const first = [];
    let n = 0;
    for (const loop of loops) {
        first.push(n);
        n += loop.points.length;
    }
    return { first, n };
}

export class Beams {
    constructor(scene, material) {
        const elements = scene.beams.reduce((sum, b) => sum + b.nodes - 1, 0);
        const even = Math.floor(RINGS / Math.max(elements, 1) / 2) * 2;
        this.pieces = even < 2 ? 1 : Math.min(even, FINE);
        const many = elements > 300;
        let vertex = 0;
        this.beams = scene.beams.map((beam) => {
            const loops = loopsOf(beam.section, many);
            const { first, n } = numberLoops(loops);
            const rings = (beam.nodes - 1) * this.pieces + 1;
            const corners = loops.flatMap((loop) => loop.corners);
            const made = { ...beam, loops, first, around: n, rings, vertex, corners,
                points: Float64Array.from(loops.flatMap((loop) => loop.points.flat())),
                color: new Color(beam.color), values: new Float64Array(rings) };
            vertex += rings * n + 2 * corners.length;
            return made;
        });
        this.geometry = new BufferGeometry();
        for (const name of ['position', 'normal', 'color']) {
            const attribute = new BufferAttribute(new Float32Array(3 * vertex), 3);
            this.geometry.setAttribute(name, attribute.setUsage(DynamicDrawUsage));
        }
        this.geometry.setIndex(this.beams.flatMap((beam) => this.#facesOf(beam)));
        this.geometry.boundingSphere = new Sphere(new Vector3(), Infinity); // it moves
        this.mesh = new Mesh(this.geometry, material);
        this.mesh.frustumCulled = false;
        this.helix = new Helix();
        this.vertices = vertex;
    }

    // Triangles of the sides, then of both ends.
    #facesOf(beam) {
        const faces = [];
        for (let ring = 0; ring + 1 < beam.rings; ring++) {
            beam.loops.forEach((loop, k) => {
                for (const [i, j] of loop.edges) {
                    const a = beam.vertex + ring * beam.around + beam.first[k] + i;
                    const b = beam.vertex + ring * beam.around + beam.first[k] + j;
                    faces.push(a, b, b + beam.around, a, b + beam.around, a + beam.around);
                }
            });
        }
        const [outer, ...holes] = beam.loops.map((loop) =>
            loop.corners.map(([x, y]) => new Vector2(x, y)));
        const start = beam.vertex + beam.rings * beam.around;
        const end = start + beam.corners.length;
        for (const [a, b, c] of ShapeUtils.triangulateShape(outer, holes))
            faces.push(start + a, start + c, start + b, end + a, end + b, end + c);
        return faces;
    }

    // The beam and the body, a node, of a face that was hit.
    bodyOf({ a }) {
        const beam = this.beams.findLast((b) => b.vertex <= a);
        const ring = Math.floor((a - beam.vertex) / beam.around);
        const node = Math.round(Math.min(ring, beam.rings - 1) / this.pieces);
        return beam.body + (a >= beam.vertex + beam.rings * beam.around + beam.corners.length ?
            beam.nodes - 1 : node);
    }

    update(placement) {
        const m = placement.at;
        for (const beam of this.beams) {
            for (let e = 0; e + 1 < beam.nodes; e++) {
                const o = 12 * (beam.body + e);
                this.helix.set(m, o, o + 12);
                const last = e + 2 === beam.nodes ? this.pieces : this.pieces - 1;
                for (let i = 0; i <= last; i++)
                    this.#writeRing(beam, e * this.pieces + i, this.helix.at(i / this.pieces));
            }
            this.#writeEnd(beam, 0, m, 12 * beam.body, -1);
            this.#writeEnd(beam, 1, m, 12 * (beam.body + beam.nodes - 1), 1);
        }
        this.geometry.attributes.position.needsUpdate = true;
        this.geometry.attributes.normal.needsUpdate = true;
    }

    #writeRing(beam, ring, f) {
        const position = this.geometry.attributes.position.array;
        const normal = this.geometry.attributes.normal.array;
        const known = Number.isFinite(f[3] + f[7] + f[11] + f[0]);
        const { points, around } = beam;
        const from = 3 * (beam.vertex + ring * around);
        if (!known) {
            position.fill(0, from, from + 3 * around);
            return;
        }
        for (let i = 0; i < 3; i++) {
            const [x, y, p] = [f[4 * i], f[4 * i + 1], f[4 * i + 3]];
            for (let k = 0, at = from + i; k < around; k++, at += 3) {
                position[at] = x * points[4 * k] + y * points[4 * k + 1] + p;
                normal[at] = x * points[4 * k + 2] + y * points[4 * k + 3];
            }
        }
    }

    #writeEnd(beam, end, m, o, sign) {
        const position = this.geometry.attributes.position.array;
        const normal = this.geometry.attributes.normal.array;
        const known = Number.isFinite(m[o + 3] + m[o + 7] + m[o + 11]);
        let at = 3 * (beam.vertex + beam.rings * beam.around + end * beam.corners.length);
        for (const [x, y] of beam.corners) {
            for (let i = 0; i < 3; i++, at++) {
                const r = o + 4 * i;
                position[at] = known ? m[r] * x + m[r + 1] * y + m[r + 3] : 0;
                normal[at] = known ? sign * m[r + 2] : 0;
            }
        }
    }

    // Values of elements stand for their middles; at a node it is the mean of both neighbours.
    #spread(beam, valueOf) {
        const { values, nodes } = beam;
        const n = this.pieces;
        let before = NaN;
        for (let e = 0; e + 1 < nodes; e++) {
            const here = valueOf(beam.element + e);
            const next = e + 2 < nodes ? valueOf(beam.element + e + 1) : here;
            const start = e === 0 ? here : 0.5 * (before + here);
            const end = 0.5 * (here + next);
            for (let i = 0; i <= n; i++) {
                const s = (2 * i) / n;
                values[e * n + i] = s <= 1 ? start + s * (here - start) :
                    here + (s - 1) * (end - here);
            }
            before = here;
        }
        return values;
    }

    // Colours by the values of elements on a scale; without one, those of the beams.
    paint(scale, valueOf) {
        const out = this.geometry.attributes.color.array;
        const rgb = [0, 0, 0];
        for (const beam of this.beams) {
            const values = scale ? this.#spread(beam, valueOf) : null;
            if (!scale)
                beam.color.toArray(rgb);
            const put = (from, count, value) => {
                if (scale)
                    scale.paint(value, rgb, 0);
                for (let i = 3 * from; i < 3 * (from + count); i += 3) {
                    out[i] = rgb[0];
                    out[i + 1] = rgb[1];
                    out[i + 2] = rgb[2];
                }
            };
            for (let ring = 0; ring < beam.rings; ring++)
                put(beam.vertex + ring * beam.around, beam.around, values?.[ring]);
            const ends = beam.vertex + beam.rings * beam.around;
            put(ends, beam.corners.length, values?.[0]);
            put(ends + beam.corners.length, beam.corners.length, values?.[beam.rings - 1]);
        }
        this.geometry.attributes.color.needsUpdate = true;
    }

    dispose() {
        this.geometry.dispose();
    }
}

// The smallest and the largest value over a run, [0, 0] where there is none.
export function rangeOf(frames, kind) {
    let [low, high] = [Infinity, -Infinity];
    for (let i = 0; i < frames.count * frames.sections; i++) {
        const value = frames.carried(kind, i);
        if (value < low)
            low = value;
        if (value > high)
            high = value;
    }
    return low <= high ? [low, high] : [0, 0];
}
