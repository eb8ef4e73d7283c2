// SPDX-License-Identifier: MIT
//
// Gears and racks as toothed plates. A model couples angles and displacements by factors; where the
// axes of two wheels are parallel, their distance and the factors give the pitch circles,
//
//   r1 + r2 = distance of the axes,   r1 / r2 = factor1 / factor2     (they mesh from outside)
//
// and a rack touches the circle whose radius is its factor. What has factors of opposite signs may
// be a belt or an inner gear: the model does not say which, and none is drawn.

import { Matrix4, Quaternion, Vector3 } from 'three';

const TEETH = 18;  // of the smaller wheel, where factors are no numbers of teeth
const MOST = 400;  // teeth of one wheel or rack
const ROUND = 64;  // corners of a hole
const LOOKS = 200; // frames that tell how far a rack goes

const quat = (q) => new Quaternion(q[1], q[2], q[3], q[0]);
const list = (q) => [q.w, q.x, q.y, q.z];

const isTurning = (joint) => /revolute|cylindrical/.test(joint.kind);
const isSliding = (joint) => /prismatic|cylindrical|line/.test(joint.kind);

// The side of a joint that is a body of its own, with its frame in the room: rotation and origin.
function sideOf(joint, placement) {
    const side = joint.b > 0 ? 'b' : 'a';
    const frame = joint[`frame_${side}`];
    const m = placement.at.subarray(12 * joint[side], 12 * joint[side] + 12);
    const body = new Quaternion().setFromRotationMatrix(new Matrix4().set(
        m[0], m[1], m[2], 0, m[4], m[5], m[6], 0, m[8], m[9], m[10], 0, 0, 0, 0, 1));
    return { body: joint[side], frame, turn: body.clone().multiply(quat(frame.quaternion)),
        ofBody: body, at: placement.point(joint[side], frame.position) };
}

const axisOf = ({ turn }, name = 'z') => new Vector3(name === 'x' ? 1 : 0, 0, name === 'x' ? 0 : 1)
    .applyQuaternion(turn);

// Radius of pitch, teeth, and the angle of the middle of a tooth. Corners go once round.
function wheelPoints(radius, teeth, phase) {
    const module = (2 * radius) / teeth;
    const [tip, root] = [radius + module, radius - 1.25 * module];
    const points = [];
    for (let k = 0; k < teeth; k++) {
        for (const [part, r] of [[-0.32, root], [-0.13, tip], [0.13, tip], [0.32, root]]) {
            const angle = phase + (2 * Math.PI * (k + part)) / teeth;
            points.push(r * Math.cos(angle), r * Math.sin(angle));
        }
    }
    const hole = points.length;
    const inner = Math.max(root - 2.5 * module, 0.35 * radius);
    for (let k = 0; k < ROUND; k++) {
        const angle = (-2 * Math.PI * k) / ROUND;
        points.push(inner * Math.cos(angle), inner * Math.sin(angle));
    }
    return { points, hole };
}

// From where to where a wheel is thick: as a cylinder of about its radius that the body has, else
// thin about the joint.
function thickness(scene, { body, frame }, radius) {
    const toFrame = quat(frame.quaternion).invert();
    for (const shape of scene.bodies[body].shapes) {
        const away = new Vector3(...(shape.position ?? [0, 0, 0]))
            .sub(new Vector3(...frame.position)).applyQuaternion(toFrame);
        const along = new Vector3(0, 0, 1).applyQuaternion(quat(shape.quaternion ?? [1, 0, 0, 0]))
            .applyQuaternion(toFrame);
        const near = Math.abs(shape.radius / radius - 1) < 0.2 && Math.abs(along.z) > 0.99 &&
            Math.hypot(away.x, away.y) < 0.05 * radius;
        if (shape.kind === 'cylinder' && near && shape.length > 0)
            return { mid: away.z, half: 0.5 * shape.length, color: shape.color };
    }
    return { mid: 0, half: 0.1 * radius };
}

function addWheel(scene, side, radius, teeth, phase) {
    const { mid, half, color } = thickness(scene, side, radius);
    scene.bodies[side.body].shapes.push({ kind: 'plate', gear: true, color,
        position: side.frame.position, quaternion: side.frame.quaternion,
        from: mid - half, to: mid + half, ...wheelPoints(radius, teeth, phase) });
}

// The angle of a direction of the room in the frame of a side.
function angleOf(side, direction) {
    const d = direction.clone().applyQuaternion(side.turn.clone().invert());
    return Math.atan2(d.y, d.x);
}

// Numbers of teeth: the factors where they look like some.
function teethOf(factors) {
    const sizes = factors.map(Math.abs);
    if (sizes.every((f) => Number.isInteger(f) && f >= 6 && f <= MOST))
        return sizes;
    const least = Math.min(...sizes);
    return sizes.map((f) => Math.min(Math.round((TEETH * f) / least), MOST));
}

function addGear(scene, gear, placement, least) {
    const sides = gear.joints.map((joint) => sideOf(joint, placement));
    const [z1, z2] = sides.map((side) => axisOf(side));
    const between = sides[1].at.clone().sub(sides[0].at);
    between.addScaledVector(z1, -between.dot(z1));
    const distance = between.length();
    const [f1, f2] = gear.factors;
    const outer = f1 * f2 * Math.sign(z1.dot(z2)) > 0;
    if (!gear.joints.every(isTurning) || Math.abs(z1.dot(z2)) < 0.999 || !outer ||
        !(distance > least))
        return;
    const sum = Math.abs(f1) + Math.abs(f2);
    const [n1, n2] = teethOf(gear.factors);
    addWheel(scene, sides[0], (distance * Math.abs(f1)) / sum, n1, angleOf(sides[0], between));
    addWheel(scene, sides[1], (distance * Math.abs(f2)) / sum, n2,
        angleOf(sides[1], between.negate()) + Math.PI / n2);
}

// How far the body of a rack goes along its axis, seen from the start.
function wayOf(frames, body, axis) {
    const every = Math.max(Math.ceil(frames.count / LOOKS), 1);
    const p = new Float64Array(7);
    let [low, high, first] = [0, 0, null];
    for (let k = 0; k < frames.count; k += every) {
        frames.pose(body - 1, { index: k, part: 0 }, p);
        const s = p[0] * axis.x + p[1] * axis.y + p[2] * axis.z;
        first ??= s;
        if (Number.isFinite(s))
            [low, high] = [Math.min(low, s - first), Math.max(high, s - first)];
    }
    return [low, high];
}

// A bar with teeth that point to -y, its pitch line at y = 0, from x = from to x = to, with a gap
// at x = 0.
function rackPoints(from, to, module) {
    const pitch = Math.PI * module;
    const points = [];
    const [first, last] = [Math.ceil(from / pitch - 0.5), Math.floor(to / pitch - 0.5)];
    for (let k = first; k <= Math.min(last, first + MOST); k++) {
        const x = (k + 0.5) * pitch;
        points.push(x - 0.32 * pitch, 1.25 * module, x - 0.13 * pitch, -module,
            x + 0.13 * pitch, -module, x + 0.32 * pitch, 1.25 * module);
    }
    points.push(points.at(-2), 3.5 * module, points[0], 3.5 * module);
    return points;
}

function addRack(scene, gear, placement, frames, least) {
    const [rack, pinion] = gear.joints;
    if (!isSliding(rack) || !isTurning(pinion))
        return;
    const [slide, wheel] = [sideOf(rack, placement), sideOf(pinion, placement)];
    const along = axisOf(slide, /slide \w x/.test(rack.glyph) ? 'x' : 'z');
    const z = axisOf(wheel);
    const radius = -gear.factors[1] / gear.factors[0];
    if (Math.abs(along.dot(z)) > 1e-3 || !(Math.abs(radius) > least))
        return;
    // The rim moves along the rack there.
    const normal = along.clone().cross(z).multiplyScalar(Math.sign(radius)).normalize();
    const r = Math.abs(radius);
    const module = (2 * r) / TEETH;
    const contact = wheel.at.clone().addScaledVector(normal, r);
    const [low, high] = wayOf(frames, slide.body, along);
    const toBody = slide.ofBody.clone().invert();
    const origin = placement.point(slide.body, [0, 0, 0]);
    const turn = new Quaternion().setFromRotationMatrix(new Matrix4().makeBasis(along, normal,
        along.clone().cross(normal)));
    const half = thickness(scene, wheel, r).half;
    scene.bodies[slide.body].shapes.push({ kind: 'plate', gear: true,
        position: contact.sub(origin).applyQuaternion(toBody).toArray(),
        quaternion: list(toBody.multiply(turn)), from: -half, to: half,
        points: rackPoints(-high - 2 * r, -low + 2 * r, module) });
    addWheel(scene, wheel, r, TEETH, angleOf(wheel, normal));
}

// Adds the plates to the shapes of the bodies, which stand where the placement has them.
export function addGears(scene, frames, placement, size) {
    for (const gear of scene.gears ?? []) {
        if (gear.kind === 'gear')
            addGear(scene, gear, placement, 1e-3 * size);
        else if (gear.kind === 'rack-pinion')
            addRack(scene, gear, placement, frames, 1e-3 * size);
    }
}
