// SPDX-License-Identifier: MIT
//
// Things that move: where bodies are, instances of a geometry that sit on bodies, wires between two
// moving points (springs, rods), points of contact, arrows and trails.

import { Color, DynamicDrawUsage, InstancedMesh, Vector3 } from 'three';
import { Line2 } from 'three/addons/lines/Line2.js';
import { LineSegments2 } from 'three/addons/lines/LineSegments2.js';
import { LineSegmentsGeometry } from 'three/addons/lines/LineSegmentsGeometry.js';
import { LineGeometry } from 'three/addons/lines/LineGeometry.js';
import { LineMaterial } from 'three/addons/lines/LineMaterial.js';
import { bodyColor, coilLine } from './shapes.js';

// Places of bodies: 12 numbers each, rotation and translation by rows, as [R | p].
export class Placement {
    constructor(bodies) {
        this.at = new Float64Array(12 * bodies);
        this.at.set([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]);
        this.pose = new Float64Array(7);
    }

    set(body, pose) {
        const m = this.at;
        const w = pose[3];
        const x = pose[4];
        const y = pose[5];
        const z = pose[6];
        const o = 12 * body;
        m[o] = 1 - 2 * (y * y + z * z);
        m[o + 1] = 2 * (x * y - w * z);
        m[o + 2] = 2 * (x * z + w * y);
        m[o + 3] = pose[0];
        m[o + 4] = 2 * (x * y + w * z);
        m[o + 5] = 1 - 2 * (x * x + z * z);
        m[o + 6] = 2 * (y * z - w * x);
        m[o + 7] = pose[1];
        m[o + 8] = 2 * (x * z - w * y);
        m[o + 9] = 2 * (y * z + w * x);
        m[o + 10] = 1 - 2 * (x * x + y * y);
        m[o + 11] = pose[2];
    }

    // A point of the body frame in the room.
    point(body, p, out = new Vector3()) {
        const m = this.at;
        const o = 12 * body;
        return out.set(
            m[o] * p[0] + m[o + 1] * p[1] + m[o + 2] * p[2] + m[o + 3],
            m[o + 4] * p[0] + m[o + 5] * p[1] + m[o + 6] * p[2] + m[o + 7],
            m[o + 8] * p[0] + m[o + 9] * p[1] + m[o + 10] * p[2] + m[o + 11]);
    }
}

// Brings all bodies of a run where they are at a place between its frames; those of a run without
// rows to where the model says that they start. What is not known is NaN.
export function placeBodies({ frames, scene }, where, placement) {
    for (let i = 1; i < scene.bodies.length; i++) {
        if (frames.count > 0) {
            frames.pose(i - 1, where, placement.pose);
        } else {
            placement.pose.set([...(scene.bodies[i].position ?? [NaN, NaN, NaN]),
                ...(scene.bodies[i].quaternion ?? [1, 0, 0, 0])]);
        }
        if (finite(placement.pose))
            placement.set(i, placement.pose);
        else
            placement.at.fill(NaN, 12 * i, 12 * i + 12);
    }
}

export function finite(numbers) {
    for (let i = 0; i < numbers.length; i++)
        if (!Number.isFinite(numbers[i]))
            return false;
    return true;
}

const [from, to, normal] = [0, 1, 2].map(() => new Vector3());

// A sign on one side of a joint goes along its axis, or in its plane, to where the other side is.
function moveAlong(out, at, placement, { body, goes }) {
    placement.point(body, goes.from, from);
    placement.point(body, goes.tip, normal).sub(from);
    placement.point(goes.body, goes.to, to).sub(from);
    const along = to.dot(normal);
    if (goes.inPlane)
        to.addScaledVector(normal, -along);
    else
        to.copy(normal).multiplyScalar(along);
    out[at] += to.x;
    out[at + 1] += to.y;
    out[at + 2] += to.z;
}

// Instances of one geometry on one layer.
export class Instances {
    constructor(geometry, material, parts) {
        this.parts = parts;
        this.locals = parts.map((p) => p.local?.elements);
        this.mesh = new InstancedMesh(geometry, material, parts.length);
        this.mesh.frustumCulled = false;
        this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
        this.mesh.userData.parts = parts;
    }

    paint(colorOf) {
        this.parts.forEach((part, i) => this.mesh.setColorAt(i, colorOf(part)));
        if (this.mesh.instanceColor)
            this.mesh.instanceColor.needsUpdate = true;
    }

    // Body placement times local matrix (both affine), straight into the buffer; without the parts
    // of some bodies.
    update(placement, without) {
        const out = this.mesh.instanceMatrix.array;
        const m = placement.at;
        for (let i = 0; i < this.parts.length; i++) {
            const l = this.locals[i];
            const b = 12 * this.parts[i].body;
            const o = 16 * i;
            if (without?.(this.parts[i].body)) {
                out.fill(0, o, o + 16);
                continue;
            }
            for (let column = 0; column < 4; column++) {
                const c = 4 * column;
                const last = column === 3 ? 1 : 0;
                for (let row = 0; row < 3; row++) {
                    const r = b + 4 * row;
                    out[o + c + row] = m[r] * l[c] + m[r + 1] * l[c + 1] + m[r + 2] * l[c + 2] +
                        last * m[r + 3];
                }
                out[o + c + 3] = last;
            }
            if (this.parts[i].goes)
                moveAlong(out, o + 12, placement, this.parts[i]);
        }
        this.mesh.instanceMatrix.needsUpdate = true;
        this.mesh.boundingSphere = null; // picking asks for it again
    }
}

// Writes the matrix of a unit part along z between two points.
function writeSpan(array, i, from, to, radius, scratch) {
    const { u, v, w } = scratch;
    w.subVectors(to, from);
    const length = w.length();
    const o = 16 * i;
    if (!(length > 0) || !Number.isFinite(length)) {
        array.fill(0, o, o + 16);
        return;
    }
    w.divideScalar(length);
    u.set(Math.abs(w.x) < 0.7 ? 1 : 0, Math.abs(w.x) < 0.7 ? 0 : 1, 0).cross(w).normalize();
    v.crossVectors(w, u);
    const columns = [u, v, w];
    for (let c = 0; c < 3; c++) {
        const scale = c === 2 ? length : radius;
        array[o + 4 * c] = columns[c].x * scale;
        array[o + 4 * c + 1] = columns[c].y * scale;
        array[o + 4 * c + 2] = columns[c].z * scale;
        array[o + 4 * c + 3] = 0;
    }
    array[o + 12] = (from.x + to.x) / 2;
    array[o + 13] = (from.y + to.y) / 2;
    array[o + 14] = (from.z + to.z) / 2;
    array[o + 15] = 1;
}

// Writes the matrix of a ball, which is not shown where its place is not known.
function writeBall(array, i, p, size) {
    const o = 16 * i;
    array.fill(0, o, o + 16);
    if (!finite(p))
        return;
    array[o] = array[o + 5] = array[o + 10] = size;
    array[o + 15] = 1;
    array.set(p, o + 12);
}

const scratch = { u: new Vector3(), v: new Vector3(), w: new Vector3() };

// Springs and rods: wires between two points that move.
export class Spans {
    constructor(geometry, material, spans) {
        const perTurn = spans.length > 30 ? 6 : 14;
        this.coil = coilLine(7, perTurn);
        this.spans = spans.map((span) => ({ ...span, u: new Vector3() }));
        this.parts = this.spans.flatMap((span) =>
            Array(span.kind === 'coil' ? this.coil.length - 1 : 1).fill(span));
        this.instances = new Instances(geometry, material, this.parts);
    }

    update(placement) {
        const array = this.instances.mesh.instanceMatrix.array;
        const a = new Vector3();
        const b = new Vector3();
        let i = 0;
        for (const span of this.spans) {
            placement.point(span.a, span.from, a);
            placement.point(span.b, span.to, b);
            if (span.kind === 'rod')
                writeSpan(array, i++, a, b, span.wire, scratch);
            else
                i = this.#writeCoil(array, i, span, a, b);
        }
        this.instances.mesh.instanceMatrix.needsUpdate = true;
    }

    #writeCoil(array, first, span, a, b) {
        const w = b.clone().sub(a);
        const length = w.length();
        w.divideScalar(length || 1);
        // Slim from the start, and as wide when it stretches.
        if (length > 0 && !span.slim)
            span.slim = Math.min(span.radius, 0.09 * length);
        const radius = span.slim ?? span.radius;
        // The coil does not spin about its axis: its side stays where it was as far as possible.
        const { u } = span;
        u.addScaledVector(w, -u.dot(w));
        if (!(u.lengthSq() > 1e-6))
            u.set(Math.abs(w.x) < 0.7 ? 1 : 0, Math.abs(w.x) < 0.7 ? 0 : 1, 0).cross(w);
        u.normalize();
        const v = w.clone().cross(u);
        const points = this.coil.map(([x, y, z]) => a.clone().addScaledVector(u, x * radius)
            .addScaledVector(v, y * radius).addScaledVector(w, z * length));
        for (let k = 0; k + 1 < points.length; k++)
            writeSpan(array, first + k, points[k], points[k + 1], 0.19 * radius, scratch);
        return first + points.length - 1;
    }
}

// Where what rolls touches its plane: the lowest point of a torus, as in docs/theory/rolling.md.
export class Touches {
    constructor(geometry, material, touches) {
        this.touches = touches;
        this.instances = new Instances(geometry, material, touches);
    }

    update(placement) {
        const array = this.instances.mesh.instanceMatrix.array;
        const [a, b, n, axle] = [0, 1, 2, 3].map(() => new Vector3());
        this.touches.forEach((t, i) => {
            n.subVectors(placement.point(t.a, t.above, n), placement.point(t.a, t.plane, a));
            axle.subVectors(placement.point(t.b, t.along, axle), placement.point(t.b, t.middle, b));
            const track = axle.clone().cross(n).normalize();
            b.addScaledVector(track.cross(axle), -t.radius).addScaledVector(n, -t.tube);
            writeBall(array, i, b.toArray(), t.size);
        });
        this.instances.mesh.instanceMatrix.needsUpdate = true;
    }
}

// Where shapes touch, as the results tell it.
export class Contacts {
    constructor(geometry, material, contacts) {
        this.contacts = contacts;
        this.instances = new Instances(geometry, material, contacts);
    }

    update(frames, where) {
        const array = this.instances.mesh.instanceMatrix.array;
        const p = [NaN, NaN, NaN];
        this.contacts.forEach((contact, i) => {
            if (frames.hasPoint)
                frames.vector('point', this.contacts.length, i, where, p);
            writeBall(array, i, p, contact.size);
        });
        this.instances.mesh.instanceMatrix.needsUpdate = true;
    }
}

// Links as lines two pixels wide, for models whose links are too thin to be seen from afar.
export class Skeleton {
    constructor(parts) {
        this.parts = parts;
        const geometry = new LineSegmentsGeometry();
        geometry.setPositions(new Float32Array(6 * parts.length));
        geometry.setColors(parts.flatMap((part) => {
            const color = new Color(part.color).toArray();
            return [...color, ...color];
        }));
        this.line = new LineSegments2(geometry, new LineMaterial({ linewidth: 2,
            vertexColors: true }));
        this.line.frustumCulled = false;
    }

    update(placement) {
        const { data } = this.line.geometry.attributes.instanceStart;
        const p = new Vector3();
        this.parts.forEach((part, i) => part.link.forEach((point, end) => {
            placement.point(part.body, point, p).toArray(data.array, 6 * i + 3 * end);
        }));
        data.needsUpdate = true;
    }
}

// Arrows of vectors that change: velocities of bodies, forces of joints.
export class Arrows {
    constructor(geometries, material, count, thickness) {
        const parts = Array.from({ length: count }, () => ({}));
        this.shafts = new Instances(geometries.get('cylinder'), material, parts);
        this.heads = new Instances(geometries.get('cone'), material, parts);
        this.thickness = thickness;
        this.tip = new Vector3();
        this.neck = new Vector3();
    }

    get meshes() {
        return [this.shafts.mesh, this.heads.mesh];
    }

    set(i, from, vector) {
        const length = vector.length();
        const head = Math.min(6 * this.thickness, 0.5 * length);
        const radius = Math.min(this.thickness, 0.12 * length);
        this.tip.addVectors(from, vector);
        this.neck.copy(this.tip).addScaledVector(vector, length > 0 ? -head / length : 0);
        writeSpan(this.shafts.mesh.instanceMatrix.array, i, from, this.neck, radius, scratch);
        writeSpan(this.heads.mesh.instanceMatrix.array, i, this.neck, this.tip, 2.4 * radius,
            scratch);
    }

    flush() {
        for (const mesh of this.meshes)
            mesh.instanceMatrix.needsUpdate = true;
    }
}

// The way of a point up to the present time.
export class Trail {
    constructor(view, body) {
        this.view = view;
        this.body = body;
        this.line = new Line2(new LineGeometry(), new LineMaterial({ linewidth: 2,
            color: new Color(bodyColor(view.data.scene, body)), transparent: true,
            opacity: 0.85 }));
        this.line.frustumCulled = false;
        this.rebuild();
    }

    // The stored points; those that are not numbers are skipped.
    rebuild() {
        const { frames, scene } = this.view.data;
        const { com } = scene.bodies[this.body];
        const placement = new Placement(1);
        const points = [];
        this.count = new Uint32Array(frames.count); // points up to each frame
        for (let k = 0; k < frames.count; k++) {
            frames.pose(this.body - 1, { index: k, part: 0 }, placement.pose);
            placement.set(0, placement.pose);
            const p = placement.point(0, com);
            if (finite(p.toArray()))
                points.push(p.x, p.y, p.z);
            this.count[k] = points.length / 3;
        }
        this.points = points;
        this.line.geometry.dispose();
        this.line.geometry = new LineGeometry();
        if (points.length >= 6)
            this.line.geometry.setPositions(points);
    }

    // All stored points up to now, then a last piece to where the point is.
    update(index, now) {
        const { geometry } = this.line;
        const whole = this.count[index] ?? 0;
        const total = this.points.length / 3;
        this.line.visible = total >= 2 && whole >= 1;
        if (!this.line.visible)
            return;
        const { array } = geometry.attributes.instanceStart.data;
        if (this.bent !== undefined && this.bent < total - 1)
            array.set(this.points.slice(3 * this.bent + 3, 3 * this.bent + 6), 6 * this.bent + 3);
        this.bent = whole - 1;
        if (whole < total && finite(now.toArray()))
            array.set(now.toArray(), 6 * this.bent + 3);
        geometry.attributes.instanceStart.data.needsUpdate = true;
        geometry.instanceCount = Math.min(whole, total - 1);
    }

    dispose() {
        this.line.geometry.dispose();
        this.line.material.dispose();
    }
}
