// SPDX-License-Identifier: MIT
//
// What a model looks like, as a list of parts: a unit geometry, the body it sits on, its place and
// scale in the body frame, a colour and a layer. Bodies that have shapes are drawn by them; others
// by links between their joints and by a box (or sphere) of the same mass and inertia.

import { BoxGeometry, BufferAttribute, BufferGeometry, ConeGeometry, CylinderGeometry, Matrix4,
    Quaternion, SphereGeometry, Vector3 } from 'three';

// Paul Tol's schemes, toned down: stay apart for colour-blind eyes on light and dark ground.
const PALETTE = ['#4477aa', '#cc6677', '#ddaa33', '#228866', '#66a5cc', '#aa4499', '#bb7744',
    '#44aa99', '#8888cc', '#999933'];
const GROUND = '#8a929c';

export function bodyColor(scene, body) {
    if (body === 0)
        return scene.bodies[0]?.shapes?.[0]?.color ?? GROUND;
    return scene.bodies[body].shapes[0]?.color ?? PALETTE[(body - 1) % PALETTE.length];
}

// Geometries of unit size with z as the axis, coarser where there are many of them.
export function unitGeometries(meshes, many) {
    const round = many ? 12 : 32;
    const rim = many ? 12 : 72; // flywheels and discs are large and seen from the front
    const all = new Map([
        ['box', new BoxGeometry(1, 1, 1)],
        ['cylinder', new CylinderGeometry(1, 1, 1, rim).rotateX(Math.PI / 2)],
        ['cone', new ConeGeometry(1, 1, round).rotateX(Math.PI / 2)],
        ['sphere', new SphereGeometry(1, round, round / 2)],
        ['wire', new CylinderGeometry(1, 1, 1, many ? 5 : 8, 1, true).rotateX(Math.PI / 2)],
    ]);
    meshes.forEach((mesh, k) => {
        const geometry = new BufferGeometry();
        const whole = mesh.positions.length - (mesh.positions.length % 9);
        geometry.setAttribute('position',
            new BufferAttribute(Float32Array.from(mesh.positions.subarray(0, whole)), 3));
        geometry.computeVertexNormals();
        all.set(`mesh ${k}`, geometry);
    });
    return all;
}

const vec = (v) => new Vector3(v[0], v[1], v[2]);
const quat = (q) => new Quaternion(q[1], q[2], q[3], q[0]);

function place(position, quaternion, scale) {
    return new Matrix4().compose(position, quaternion, scale);
}

// A unit part along z brought between two points.
function between(a, b, radius) {
    const along = b.clone().sub(a);
    const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1),
        along.clone().normalize());
    return place(a.clone().add(b).multiplyScalar(0.5), turn,
        new Vector3(radius, radius, along.length()));
}

// A part in the frame of a joint or shape: offset and scale in that frame.
function inFrame(frame, offset, scale, turn = new Quaternion()) {
    return new Matrix4().compose(vec(frame.position), quat(frame.quaternion),
        new Vector3(1, 1, 1)).multiply(place(offset, turn, scale));
}

// Shapes of the model
// ---------------------------------------------------------------------------------------------

const shapeParts = {
    box: (s) => [['box', [0, 0, 0], s.size ?? [1, 1, 1]]],
    cylinder: (s) => [['cylinder', [0, 0, 0], [s.radius, s.radius, s.length]]],
    cone: (s) => [['cone', [0, 0, 0], [s.radius, s.radius, s.length]]],
    sphere: (s) => [['sphere', [0, 0, 0], [s.radius, s.radius, s.radius]]],
    capsule: (s) => [
        ['cylinder', [0, 0, 0], [s.radius, s.radius, s.length]],
        ['sphere', [0, 0, s.length / 2], [s.radius, s.radius, s.radius]],
        ['sphere', [0, 0, -s.length / 2], [s.radius, s.radius, s.radius]],
    ],
    mesh: (s, meshes) => (meshes[s.mesh]?.positions.length >= 9 ?
        [[`mesh ${s.mesh}`, [0, 0, 0], Array(3).fill(s.scale > 0 ? s.scale : 1)]] : []),
};

function partsOfShape(shape, meshes) {
    const frame = { position: shape.position ?? [0, 0, 0],
        quaternion: shape.quaternion ?? [1, 0, 0, 0] };
    const parts = shapeParts[shape.kind]?.(shape, meshes) ?? [];
    return parts.filter(([, , scale]) => scale.every((s) => s > 0))
        .map(([geometry, offset, scale]) =>
            ({ geometry, local: inFrame(frame, vec(offset), vec(scale)) }));
}

function meshReach(mesh) {
    let most = 0;
    for (const x of mesh?.positions ?? [])
        if (Math.abs(x) > most)
            most = Math.abs(x);
    return most;
}

// Points of the body frame that a shape reaches: the corners of the box round it.
export function shapeCorners(shape, meshes) {
    const { radius: r = 0, length = 0 } = shape;
    const scale = shape.scale > 0 ? shape.scale : 1;
    const half = {
        box: () => (shape.size ?? [1, 1, 1]).map((edge) => edge / 2),
        sphere: () => [r, r, r],
        capsule: () => [r, r, length / 2 + r],
        mesh: () => Array(3).fill(scale * meshReach(meshes[shape.mesh])),
    }[shape.kind]?.() ?? [r, r, length / 2];
    const turn = quat(shape.quaternion ?? [1, 0, 0, 0]);
    const middle = vec(shape.position ?? [0, 0, 0]);
    return [0, 1, 2, 3, 4, 5, 6, 7].map((i) => new Vector3(
        i & 1 ? half[0] : -half[0], i & 2 ? half[1] : -half[1], i & 4 ? half[2] : -half[2])
        .applyQuaternion(turn).add(middle).toArray());
}

// Links and inertia boxes
// ---------------------------------------------------------------------------------------------

// Points of each body where something takes hold, in its frame.
function holdPoints(scene, near) {
    const points = scene.bodies.map(() => []);
    const add = (body, point) => {
        const p = vec(point);
        if (!points[body].some((other) => other.distanceTo(p) < near))
            points[body].push(p);
    };
    for (const joint of scene.joints.filter((j) => j.drawn && !j.coupling)) {
        add(joint.a, joint.frame_a.position);
        add(joint.b, joint.frame_b.position);
    }
    for (const force of scene.forces.filter((f) => f.drawn && f.kind === 'spring')) {
        add(force.a, force.point_a);
        add(force.b, force.point_b);
    }
    return points;
}

// The two points furthest apart, and whether all others lie on the line between them.
function longestPair(points) {
    let best = { length: 0, a: points[0], b: points[0] };
    for (const a of points)
        for (const b of points)
            if (a.distanceTo(b) > best.length)
                best = { length: a.distanceTo(b), a, b };
    const axis = best.b.clone().sub(best.a).normalize();
    best.straight = points.every((p) =>
        p.clone().sub(best.a).cross(axis).length() < 0.02 * best.length);
    return best;
}

// Bars that show a body by its points: one bar where they are in line, a closed chain round three
// to eight of them, else a star about the centre of mass.
function linksOf(points, com, near) {
    const all = points.some((p) => p.distanceTo(com) < near) ? points : [...points, com];
    if (all.length < 2 || points.length === 0)
        return [];
    const { a, b, straight } = longestPair(all.slice(0, 64));
    if (straight)
        return [[a, b]];
    if (points.length === 2)
        return [points, [points[0].clone().add(points[1]).multiplyScalar(0.5), com]];
    if (points.length > 8)
        return points.map((p) => [p, com]);
    const centre = points.reduce((sum, p) => sum.add(p), new Vector3())
        .divideScalar(points.length);
    const x = points[0].clone().sub(centre).normalize();
    const normal = points.map((p) => x.clone().cross(p.clone().sub(centre)))
        .reduce((best, n) => (n.length() > best.length() ? n : best)).normalize();
    const y = normal.cross(x);
    const angle = (p) => Math.atan2(p.clone().sub(centre).dot(y), p.clone().sub(centre).dot(x));
    const round = [...points].sort((p, q) => angle(p) - angle(q));
    return round.map((p, i) => [p, round[(i + 1) % round.length]]);
}

// Edge lengths of the solid box with this mass and these principal moments.
function inertiaBox(body, thinnest, largest) {
    const [x, y, z] = body.inertia;
    if (!(body.mass > 0) || !(x + y + z > 0))
        return null;
    return [y + z - x, z + x - y, x + y - z].map((twice) =>
        Math.min(Math.max(Math.sqrt(Math.max((6 * twice) / body.mass, 0)), thinnest), largest));
}

function inertiaPart(body, edges) {
    return { geometry: 'box', local: place(vec(body.com), quat(body.axes), vec(edges)) };
}

function partsOfPoint(body, sizes, heaviest) {
    const share = body.mass > 0 && heaviest > 0 ? Math.cbrt(body.mass / heaviest) : 0.5;
    const r = sizes.unit * (1 + 1.4 * share);
    return [{ geometry: 'sphere', local: place(vec(body.com), new Quaternion(),
        new Vector3(r, r, r)) }];
}

function partsOfBare(body, points, sizes) {
    const links = linksOf(points, vec(body.com), 1e-6 * sizes.size);
    const bar = 0.75 * sizes.unit;
    const ball = new Vector3(bar, bar, bar);
    const parts = links.flatMap(([a, b]) => [
        { geometry: 'cylinder', local: between(a, b, bar), link: [a.toArray(), b.toArray()] },
        { geometry: 'sphere', local: place(a, new Quaternion(), ball) },
        { geometry: 'sphere', local: place(b, new Quaternion(), ball) },
    ]);
    const edges = inertiaBox(body, sizes.unit, sizes.size);
    const middle = edges ? [...edges].sort((a, b) => a - b)[1] : 0;
    const telling = body.kind !== 'planar' && middle > 3 * bar;
    if (parts.length === 0 || telling) {
        const cube = Array(3).fill(3 * sizes.unit);
        parts.push(inertiaPart(body, edges ?? cube));
    }
    return parts;
}

// Joints
// ---------------------------------------------------------------------------------------------

const JOINT = 'joint';
const PIN = 'pin';
const alongX = new Quaternion().setFromAxisAngle(new Vector3(0, 1, 0), Math.PI / 2);
const alongY = new Quaternion().setFromAxisAngle(new Vector3(1, 0, 0), -Math.PI / 2);
const alongZ = new Quaternion();

function turning(side, u, turn = alongZ) {
    return [
        { geometry: 'cylinder', side, turn, scale: [1.25 * u, 1.25 * u, 2.6 * u], color: JOINT },
        { geometry: 'cylinder', side, turn, scale: [0.5 * u, 0.5 * u, 3.6 * u], color: PIN },
    ];
}

function sliding(side, u, turn = alongZ) {
    const axis = new Vector3(0, 0, 1).applyQuaternion(turn);
    const back = new Quaternion().setFromAxisAngle(new Vector3(1, 0, 0), Math.PI);
    const tip = (sign) => ({ geometry: 'cone', side, scale: [0.9 * u, 0.9 * u, 1.8 * u],
        turn: sign > 0 ? turn : turn.clone().multiply(back),
        offset: axis.clone().multiplyScalar(sign * 4.6 * u), color: JOINT });
    return [
        { geometry: 'cylinder', side, turn, scale: [0.4 * u, 0.4 * u, 8 * u], color: JOINT },
        tip(1), tip(-1),
    ];
}

const block = (side, u) => ({ geometry: 'box', side, scale: [2.6 * u, 2.6 * u, 2.6 * u],
    color: PIN });
const ball = (side, u) => ({ geometry: 'sphere', side, scale: [1.5 * u, 1.5 * u, 1.5 * u],
    color: JOINT });
const plate = (side, u) => ({ geometry: 'box', side, scale: [8 * u, 8 * u, 0.25 * u],
    color: JOINT });

// By kind: what is drawn in the frame of side a or b.
const jointParts = {
    'revolute': (u) => turning('a', u),
    'planar-revolute': (u) => turning('a', u),
    'prismatic': (u) => [...sliding('a', u), block('b', u)],
    'planar-prismatic': (u) => [...sliding('a', u, alongX), block('b', u)],
    'cylindrical': (u) => [...sliding('a', u), ...turning('b', u)],
    'screw': (u) => [...sliding('a', u), ...turning('b', u)],
    'pin-in-slot': (u) => [...sliding('a', u, alongX), ...turning('b', u)],
    'universal': (u) => [ball('a', 0.8 * u), ...turning('a', 0.7 * u, alongX),
        ...turning('b', 0.7 * u, alongY)],
    'spherical': (u) => [ball('a', u)],
    'planar': (u) => [plate('a', u), ball('b', 0.7 * u)],
    'fixed': (u) => [{ ...block('a', u), color: JOINT }],
    'planar-fixed': (u) => [{ ...block('a', u), color: JOINT }],
    'point-on-line': (u) => [...sliding('a', u), ball('b', 0.8 * u)],
    'point-in-plane': (u) => [plate('a', u), ball('b', 0.8 * u)],
    'distance': (u) => [ball('a', 0.7 * u), ball('b', 0.7 * u)],
};

function partsOfJoint(joint, u) {
    return (jointParts[joint.kind]?.(u) ?? []).map((p) => ({
        geometry: p.geometry,
        body: p.side === 'a' ? joint.a : joint.b,
        local: inFrame(p.side === 'a' ? joint.frame_a : joint.frame_b,
            p.offset ?? new Vector3(), vec(p.scale), p.turn),
        color: p.color,
        layer: 'joints',
    }));
}

// The drawing sign of a bearing on the ground: a cone that stands on a plate.
function partsOfBearing(point, up, u) {
    const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), up);
    const cone = point.clone().addScaledVector(up, -2 * u);
    const base = point.clone().addScaledVector(up, -4.1 * u);
    const shared = { body: 0, color: 'ground', layer: 'joints' };
    return [
        { ...shared, geometry: 'cone',
            local: place(cone, turn, new Vector3(2 * u, 2 * u, 4 * u)) },
        { ...shared, geometry: 'box',
            local: place(base, turn, new Vector3(6 * u, 6 * u, 0.5 * u)) },
    ];
}

const STANDING = ['revolute', 'planar-revolute', 'spherical', 'universal', 'distance'];

// The whole model
// ---------------------------------------------------------------------------------------------

function median(numbers) {
    const sorted = numbers.filter((x) => x > 0).sort((a, b) => a - b);
    return sorted.length > 0 ? sorted[sorted.length >> 1] : 0;
}

// `size` is the size of the model and `unit` the radius of small things, both [m].
export function sizesOf(scene, size) {
    const reaches = holdPoints(scene, 0).map((points, body) => {
        const com = vec(scene.bodies[body].com);
        return body === 0 ? 0 : Math.max(0, ...points.map((p) => 2 * p.distanceTo(com)));
    });
    const reach = median(reaches);
    const unit = Math.min(0.014 * size, reach > 0 ? 0.09 * reach : Infinity);
    return { size, unit: Math.max(unit, 1e-4 * size) };
}

export function partsOfModel(scene, meshes, sizes, up) {
    const parts = [];
    const points = holdPoints(scene, 1e-6 * sizes.size);
    const heaviest = Math.max(0, ...scene.bodies.map((b) => b.mass || 0));
    const bare = (body, i) => (body.kind?.startsWith('point') ?
        partsOfPoint(body, sizes, heaviest) : partsOfBare(body, points[i], sizes));

    scene.bodies.forEach((body, i) => {
        const shown = body.shapes.flatMap((shape) => partsOfShape(shape, meshes)
            .map((part) => ({ ...part, color: shape.color ?? bodyColor(scene, i) })));
        const drawn = shown.length > 0 || i === 0 ? shown :
            bare(body, i).map((part) => ({ ...part, color: bodyColor(scene, i) }));
        parts.push(...drawn.map((part) => ({ ...part, body: i, layer: 'bodies' })));
        const edges = i > 0 ? inertiaBox(body, 0.3 * sizes.unit, 2 * sizes.size) : null;
        if (edges) {
            parts.push({ ...inertiaPart(body, edges), body: i, layer: 'inertia',
                color: bodyColor(scene, i) });
        }
    });
    for (const joint of scene.joints.filter((j) => j.drawn && !j.coupling)) {
        parts.push(...partsOfJoint(joint, sizes.unit));
        if (STANDING.includes(joint.kind) && scene.bodies[0].shapes.length === 0) {
            for (const side of ['a', 'b'])
                if (joint[side] === 0) {
                    parts.push(...partsOfBearing(vec(joint[`frame_${side}`].position), up,
                        sizes.unit));
                }
        }
    }
    return parts;
}

// Springs and rods: drawn between two points that move.
export function spansOfModel(scene, unit) {
    const springs = scene.forces.filter((f) => f.drawn && f.kind === 'spring');
    const rods = scene.joints.filter((j) => j.drawn && j.kind === 'distance');
    return [
        ...springs.map((f) => ({ kind: 'coil', a: f.a, b: f.b, from: f.point_a, to: f.point_b,
            radius: 1.7 * unit, wire: 0.32 * unit, color: 'spring' })),
        ...rods.map((j) => ({ kind: 'rod', a: j.a, b: j.b, from: j.frame_a.position,
            to: j.frame_b.position, wire: 0.4 * unit, color: 'rod' })),
    ];
}

// The middle line of a coil along z from 0 to 1 with radius 1: straight ends, turns between.
export function coilLine(turns, perTurn) {
    const lead = 0.12;
    const line = [[0, 0, 0]];
    for (let i = 0; i <= turns * perTurn; i++) {
        const angle = (2 * Math.PI * i) / perTurn;
        const z = lead + (1 - 2 * lead) * (i / (turns * perTurn));
        const r = i === 0 || i === turns * perTurn ? 0 : 1;
        line.push([r * Math.cos(angle), r * Math.sin(angle), z]);
    }
    line.push([0, 0, 1]);
    return line;
}
