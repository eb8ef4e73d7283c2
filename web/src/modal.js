// SPDX-License-Identifier: MIT
//
// Modal bodies: the surface of a body, deformed by the amplitudes of its modes on its frame, and
// coloured by how far its points are from where the undeformed body has them. Amplitudes are bodies
// of the scene that move along x.

import { BufferAttribute, BufferGeometry, Color, DynamicDrawUsage, Mesh, Sphere,
    Vector3 } from 'three';
import { bodyColor } from './shapes.js';

const WORK = 2e7; // products that a look for the largest deflection may cost

export const DEFLECTION = { label: 'Deflection', unit: 'm' };

// Points of a surface, not more than so many, by their numbers.
export function samplePoints(modal, most) {
    const n = modal.points.length / 3;
    const every = Math.max(Math.ceil(n / most), 1);
    return Array.from({ length: Math.ceil(n / every) }, (_, i) => i * every);
}

// The displacement of point p for amplitudes q, in the frame of the body, into out.
export function deflect({ modes, shapes, points }, q, p, out) {
    const { length } = points;
    for (let i = 0; i < 3; i++) {
        let sum = 0;
        for (let j = 0; j < modes; j++)
            sum += q[j] * shapes[j * length + 3 * p + i];
        out[i] = sum;
    }
    return out;
}

// The largest deflection of all surfaces over the frames: among some points, then among all those
// of the frame in which it was largest.
export function largestDeflection(modals, frames) {
    const pose = new Float64Array(7);
    const u = [0, 0, 0];
    let most = 0;
    for (const modal of modals) {
        const q = new Float64Array(modal.modes);
        const amplitudes = (index) => q.forEach((_, j) => {
            frames.pose(modal.amplitude + j - 1, { index, part: 0 }, pose);
            [q[j]] = pose;
        });
        const largest = (list) => list.reduce((far, p) =>
            Math.max(far, Math.hypot(...deflect(modal, q, p, u)) || 0), 0);
        const some = samplePoints(modal, Math.max(WORK / (3 * modal.modes * frames.count), 20));
        let [best, at] = [-1, 0];
        for (let k = 0; k < frames.count; k++) {
            amplitudes(k);
            const far = largest(some);
            if (far > best)
                [best, at] = [far, k];
        }
        amplitudes(at);
        most = Math.max(most, frames.count > 0 ? largest(samplePoints(modal, Infinity)) : 0);
    }
    return most;
}

class Surface {
    constructor(scene, modal, material) {
        this.modal = modal;
        this.color = new Color(bodyColor(scene, modal.body));
        this.q = new Float64Array(modal.modes);
        this.u = new Float32Array(modal.points.length); // displacements in the frame
        this.geometry = new BufferGeometry();
        for (const name of ['position', 'color']) {
            const attribute = new BufferAttribute(new Float32Array(modal.points.length), 3);
            this.geometry.setAttribute(name, attribute.setUsage(DynamicDrawUsage));
        }
        this.geometry.setIndex(new BufferAttribute(Uint32Array.from(modal.triangles), 1));
        this.geometry.boundingSphere = new Sphere(new Vector3(), Infinity); // it moves
        this.mesh = new Mesh(this.geometry, material);
        this.mesh.frustumCulled = false;
        this.mesh.matrixAutoUpdate = false;
        this.mesh.userData.body = modal.body;
    }

    update({ at: m }, magnify) {
        const { modal, q, mesh, geometry } = this;
        const o = 12 * modal.body;
        for (let j = 0; j < modal.modes; j++)
            q[j] = m[12 * (modal.amplitude + j) + 3];
        const known = Number.isFinite(m[o] + m[o + 3] + m[o + 7] + m[o + 11]) &&
            q.every(Number.isFinite);
        if (!known) {
            mesh.matrix.elements.fill(0);
            return;
        }
        mesh.matrix.set(m[o], m[o + 1], m[o + 2], m[o + 3], m[o + 4], m[o + 5], m[o + 6], m[o + 7],
            m[o + 8], m[o + 9], m[o + 10], m[o + 11], 0, 0, 0, 1);
        mesh.matrixWorldNeedsUpdate = true;
        const { array } = geometry.attributes.position;
        const { points, shapes } = modal;
        const { u } = this;
        u.fill(0);
        for (let j = 0; j < modal.modes; j++) {
            const [x, from] = [q[j], j * points.length];
            for (let i = 0; x !== 0 && i < points.length; i++)
                u[i] += x * shapes[from + i];
        }
        for (let i = 0; i < points.length; i++)
            array[i] = points[i] + magnify * u[i];
        geometry.attributes.position.needsUpdate = true;
    }

    paint(scale) {
        const { array } = this.geometry.attributes.color;
        const { u } = this;
        for (let i = 0; i < u.length; i += 3) {
            if (scale)
                scale.paint(Math.hypot(u[i], u[i + 1], u[i + 2]), array, i);
            else
                this.color.toArray(array, i);
        }
        this.geometry.attributes.color.needsUpdate = true;
    }
}

export class Modals {
    constructor(scene, material) {
        this.surfaces = scene.modals.filter((modal) => modal.drawn)
            .map((modal) => new Surface(scene, modal, material));
        this.meshes = this.surfaces.map(({ mesh }) => mesh);
    }

    update(placement, magnify) {
        for (const surface of this.surfaces)
            surface.update(placement, magnify);
    }

    paint(scale) {
        for (const surface of this.surfaces)
            surface.paint(scale);
    }
}
