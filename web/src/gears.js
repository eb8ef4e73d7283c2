// SPDX-License-Identifier: MIT
//
// Gears and racks as toothed plates. A model couples angles and displacements by factors; where the
// axes of two wheels are parallel, their distance and the factors give the pitch circles,
//
//   r1 + r2 = distance of the axes,   r1 / r2 = factor1 / factor2     (they mesh from outside)
//   |r2 - r1| = distance of the axes                                  (one is a ring)
//
// and a rack touches the circle whose radius is its factor. What has factors of opposite signs may
// be a belt or a ring: discs of the bodies tell by their sizes, else names do, and what neither
// tells is not drawn. Wheels whose axes meet are bevel gears: with the angle S between the axes the
// half angle d1 of the pitch cone is tan d1 = sin S / (factor2 / factor1 + cos S).

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
    addPlate(scene, side, thickness(scene, side, radius), wheelPoints(radius, teeth, phase));
}

// A plate in the frame of a side.
function addPlate(scene, side, { mid, half, color }, what) {
    scene.bodies[side.body].shapes.push({ kind: 'plate', gear: true, color,
        position: side.frame.position, quaternion: side.frame.quaternion,
        from: mid - half, to: mid + half, ...what });
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

// Rings and belts
// -------------------------------------------------------------------------------------------------

// A ring with teeth inside, a tooth at the angle `phase`.
function ringPoints(radius, teeth, phase) {
    const module = (2 * radius) / teeth;
    const [tip, root] = [radius - module, radius + 1.25 * module];
    const points = circle(radius + 4 * module, 2 * ROUND);
    const hole = points.length;
    for (let k = 0; k > -teeth; k--) {
        for (const [part, r] of [[0.32, root], [0.13, tip], [-0.13, tip], [-0.32, root]]) {
            const angle = phase + (2 * Math.PI * (k + part)) / teeth;
            points.push(r * Math.cos(angle), r * Math.sin(angle));
        }
    }
    return { points, hole };
}

function circle(radius, corners, sense = 1) {
    const points = [];
    for (let k = 0; k < corners; k++) {
        const angle = (2 * sense * Math.PI * k) / corners;
        points.push(radius * Math.cos(angle), radius * Math.sin(angle));
    }
    return points;
}

// A pulley, with a notch that shows its turns.
function pulleyPoints(radius) {
    const points = circle(radius, ROUND);
    points.splice(0, 2, 0.86 * radius, 0);
    return withHole(points, 0.3 * radius);
}

function withHole(points, radius) {
    return { points: [...points, ...circle(radius, ROUND, -1)], hole: points.length };
}

// The radius of a disc that a body has about the axis of a side; 0 for none.
function discOf(scene, { body, frame }) {
    const toFrame = quat(frame.quaternion).invert();
    for (const shape of scene.bodies[body].shapes) {
        const away = new Vector3(...(shape.position ?? [0, 0, 0]))
            .sub(new Vector3(...frame.position)).applyQuaternion(toFrame);
        const along = new Vector3(0, 0, 1).applyQuaternion(quat(shape.quaternion ?? [1, 0, 0, 0]))
            .applyQuaternion(toFrame);
        if (shape.kind === 'cylinder' && shape.radius > 0 && Math.abs(along.z) > 0.99 &&
            Math.hypot(away.x, away.y) < 0.05 * shape.radius)
            return shape.radius;
    }
    return 0;
}

// 'ring', 'belt' or null, and the radii of pitch.
function wrapOf(scene, gear, sides, distance) {
    const [f1, f2] = gear.factors.map(Math.abs);
    const discs = sides.map((side) => discOf(scene, side));
    const size = Math.max(discs[0] / f1, discs[1] / f2); // of a unit of the factors
    const ring = f1 === f2 ? 0 : distance / Math.abs(f2 - f1);
    const names = [gear.name, ...gear.joints.map((j) => j.name),
        ...sides.map(({ body }) => scene.bodies[body].name)].join(' ');
    const told = /ring|internal|inner|annulus/i.test(names) ? 'ring' :
        /belt|pulley|chain|rope|band/i.test(names) ? 'belt' : null;
    const wraps = size > 0 && size * (f1 + f2) < distance;
    const kind = told ?? (size > 0 && ring > 0 && Math.abs(size / ring - 1) < 0.2 ? 'ring' :
        wraps || f1 === f2 ? 'belt' : null);
    if (kind === 'ring' && ring > 0)
        return { kind, radii: [ring * f1, ring * f2] };
    const scale = wraps ? size : (0.6 * distance) / (f1 + f2);
    return kind === 'belt' ? { kind, radii: [scale * f1, scale * f2] } : null;
}

function addRing(scene, gear, sides, between, radii) {
    const [small, large] = radii[0] < radii[1] ? [0, 1] : [1, 0];
    const teeth = teethOf(gear.factors);
    // From the middle of the ring over that of the wheel to where they touch.
    const out = between.clone().multiplyScalar(large === 0 ? 1 : -1);
    const thick = thickness(scene, sides[small], radii[small]);
    addWheel(scene, sides[small], radii[small], teeth[small], angleOf(sides[small], out));
    addPlate(scene, sides[large], { ...thickness(scene, sides[large], radii[large]),
        half: thick.half }, ringPoints(radii[large], teeth[large],
        angleOf(sides[large], out) + Math.PI / teeth[large]));
}

// The hull of the circles, in the frame of the first wheel turned so that x points to the second.
function beltPoints(distance, [r1, r2], more) {
    const points = [];
    for (let k = 0; k < 2 * ROUND; k++) {
        const angle = (Math.PI * k) / ROUND;
        const [x, y] = [Math.cos(angle), Math.sin(angle)];
        const second = distance * x + r2 > r1;
        const r = (second ? r2 : r1) + more;
        points.push((second ? distance : 0) + r * x, r * y);
    }
    return points;
}

// The body that carries both axes has the belt.
function addBelt(scene, gear, sides, placement, between, radii) {
    const carriers = gear.joints.map((joint, i) => (joint.a === sides[i].body ? joint.b : joint.a));
    const z = axisOf(sides[0]);
    const x = between.clone().normalize();
    const thick = Math.max(...sides.map((side, i) => thickness(scene, side, radii[i]).half));
    sides.forEach((side, i) => addPlate(scene, side,
        { ...thickness(scene, side, radii[i]), half: thick }, pulleyPoints(radii[i])));
    if (carriers[0] !== carriers[1])
        return;
    const at = carriers[0];
    const m = placement.at.subarray(12 * at, 12 * at + 12);
    const toBody = new Quaternion().setFromRotationMatrix(new Matrix4().set(
        m[0], m[1], m[2], 0, m[4], m[5], m[6], 0, m[8], m[9], m[10], 0, 0, 0, 0, 1)).invert();
    const turn = new Quaternion().setFromRotationMatrix(new Matrix4().makeBasis(x,
        z.clone().cross(x), z));
    const origin = placement.point(at, [0, 0, 0]);
    const band = 0.06 * Math.max(...radii);
    const outer = beltPoints(between.length(), radii, band);
    const inner = [];
    const reverse = beltPoints(between.length(), radii, 0);
    for (let k = reverse.length - 2; k >= 0; k -= 2)
        inner.push(reverse[k], reverse[k + 1]);
    const { mid } = thickness(scene, sides[0], radii[0]);
    scene.bodies[at].shapes.push({ kind: 'plate', gear: true, belt: true, color: '#3d434b',
        position: sides[0].at.clone().sub(origin).applyQuaternion(toBody).toArray(),
        quaternion: list(toBody.clone().multiply(turn)), from: mid - 0.8 * thick,
        to: mid + 0.8 * thick, points: [...outer, ...inner], hole: outer.length });
}

// Bevel gears
// -------------------------------------------------------------------------------------------------

// Where two axes meet; null where they pass each other.
function meeting(sides, z1, z2, least) {
    const w = sides[1].at.clone().sub(sides[0].at);
    const c = z1.dot(z2);
    const s = (w.dot(z1) - c * w.dot(z2)) / (1 - c * c);
    const t = (c * w.dot(z1) - w.dot(z2)) / (1 - c * c);
    const [p, q] = [sides[0].at.clone().addScaledVector(z1, s),
        sides[1].at.clone().addScaledVector(z2, t)];
    return p.distanceTo(q) < least ? p.add(q).multiplyScalar(0.5) : null;
}

// A wheel on its cone: at its wider end, which is the reach `r` from the apex, and tapered to it.
function addCone(scene, side, z, apex, reach, angle, teeth, phase) {
    const radius = reach * Math.sin(angle);
    const face = 0.3; // of the reach
    const along = z.dot(axisOf(side));
    const start = apex.clone().sub(side.at).dot(axisOf(side));
    const [near, far] = [1 - face, 1].map((part) => start + along * part * reach *
        Math.cos(angle));
    const outward = far > near;
    const wide = wheelPoints(radius, teeth, phase);
    const scale = outward ? 1 - face : 1;
    scene.bodies[side.body].shapes.push({ kind: 'plate', gear: true, position: side.frame.position,
        quaternion: side.frame.quaternion, from: Math.min(near, far), to: Math.max(near, far),
        points: wide.points.map((x) => scale * x), hole: wide.hole,
        taper: outward ? face / (1 - face) : -face });
}

function addBevel(scene, gear, sides, [z1, z2], least) {
    const apex = meeting(sides, z1, z2, least);
    if (!apex)
        return;
    let [f1, f2] = gear.factors;
    const axes = [z1.clone(), z2.clone()];
    if (f1 * f2 < 0) {
        axes[1].negate();
        f2 = -f2;
    }
    const way = sides.map((side, i) => side.at.clone().sub(apex).dot(axes[i]));
    if (way[0] + way[1] < 0) {
        axes.forEach((z) => z.negate());
        way.forEach((h, i) => { way[i] = -h; });
    }
    const between = Math.acos(Math.min(Math.max(axes[0].dot(axes[1]), -1), 1));
    const first = Math.atan2(Math.sin(between), Math.abs(f2 / f1) + Math.cos(between));
    const angles = [first, between - first];
    const i = way[0] >= way[1] ? 0 : 1;
    const reach = way[i] / Math.cos(angles[i]);
    if (!(reach > least) || angles.some((a) => a < 0.02 || a > 1.5))
        return;
    const teeth = teethOf(gear.factors);
    sides.forEach((side, k) => {
        const touch = axes[1 - k].clone().addScaledVector(axes[k], -axes[1 - k].dot(axes[k]));
        addCone(scene, side, axes[k], apex, reach, angles[k], teeth[k],
            angleOf(side, touch) + (k === 1 ? Math.PI / teeth[k] : 0));
    });
}

// All kinds
// -------------------------------------------------------------------------------------------------

function addGear(scene, gear, placement, least) {
    const sides = gear.joints.map((joint) => sideOf(joint, placement));
    const [z1, z2] = sides.map((side) => axisOf(side));
    const between = sides[1].at.clone().sub(sides[0].at);
    between.addScaledVector(z1, -between.dot(z1));
    const distance = between.length();
    const [f1, f2] = gear.factors;
    const outer = f1 * f2 * Math.sign(z1.dot(z2)) > 0;
    if (!gear.joints.every(isTurning))
        return;
    if (Math.abs(z1.dot(z2)) < 0.999) {
        addBevel(scene, gear, sides, [z1, z2], least);
        return;
    }
    if (!(distance > least))
        return;
    const wrap = outer ? null : wrapOf(scene, gear, sides, distance);
    if (wrap?.kind === 'ring')
        addRing(scene, gear, sides, between, wrap.radii);
    else if (wrap)
        addBelt(scene, gear, sides, placement, between, wrap.radii);
    if (!outer)
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
