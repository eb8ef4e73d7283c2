// SPDX-License-Identifier: MIT
//
// Points that tell how far a model goes, for cameras: joints, springs, centres of mass, corners of
// shapes, in body frames and in the room.

import { Vector3 } from 'three';
import { reachOfSection } from './beams.js';
import { Placement, finite, placeBodies } from './instances.js';
import { samplePoints } from './modal.js';
import { boxCorners, shapeCorners } from './shapes.js';

const CORNERS = 60; // points of a deformable surface among them

// Points of each body, in its frame, that tell how far the model goes.
export function cornersOf(scene, meshes) {
    const all = scene.bodies.map((b, i) => (i === 0 || b.part === 'amplitude' ? [] : [b.com]));
    for (const j of [...scene.joints, ...scene.forces].filter((e) => e.drawn)) {
        all[j.a].push(j.frame_a.position);
        all[j.b].push(j.frame_b.position);
    }
    scene.bodies.forEach((body, i) => {
        for (const shape of body.shapes)
            all[i].push(...shapeCorners(shape, meshes));
        if (body.beam) {
            const [x, y] = reachOfSection(body.beam.section);
            all[i].push([x, y, 0], [-x, -y, 0]);
        } else if (i > 0 && body.shapes.length === 0 && !body.modal) {
            all[i].push(...boxCorners(body, scene.size));
        }
    });
    for (const modal of scene.modals.filter((m) => m.drawn))
        for (const p of samplePoints(modal, CORNERS))
            all[modal.body].push([...modal.points.subarray(3 * p, 3 * p + 3)]);
    return all;
}

// Corners of bodies in the room, those that are known and not hidden.
export function cloudOf(corners, placement, hidden) {
    const p = new Vector3();
    return corners.flatMap((points, body) => (hidden?.has(body) ? [] : points)
        .filter((point) => finite(placement.point(body, point, p).toArray()))
        .map((point) => placement.point(body, point)));
}

// The same of a whole run, at some of its frames; of no run nothing.
export function cloudOfRun(run, looks) {
    if (!run?.hasScene)
        return [];
    const corners = cornersOf(run.scene, run.meshes);
    const placement = new Placement(run.scene.bodies.length);
    const every = Math.max(Math.ceil(run.frames.count / looks), 1);
    const all = [];
    for (let k = 0; k < Math.max(run.frames.count, 1); k += every) {
        placeBodies(run, { index: k, part: 0 }, placement);
        all.push(...cloudOf(corners, placement));
    }
    return all;
}
