// SPDX-License-Identifier: MIT
//
// What a model looks like, as a list of parts: a unit geometry, the body it sits on, its place and
// scale in the body frame, a colour and a layer. Bodies that have shapes are drawn by them; others
// by links between their joints and by a box (or sphere) of the same mass and inertia.

import { BoxGeometry, BufferAttribute, BufferGeometry, Color, ConeGeometry, CylinderGeometry,
    Matrix4, Quaternion, SphereGeometry, Vector3 } from 'three';
import { isOutline, outlineCorners, outlineName, placeOutline } from './outlines.js';

// Paul Tol's schemes, toned down: stay apart for colour-blind eyes on light and dark ground.
const PALETTE = ['#4477aa', '#cc6677', '#ddaa33', '#228866', '#66a5cc', '#aa4499', '#bb7744',
    '#44aa99', '#8888cc', '#999933'];
const GROUND = '#8a929c';

export function bodyColor(scene, body) {
    if (body === 0)
        return scene.bodies[0]?.shapes?.[0]?.color ?? GROUND;
    if (scene.bodies[body].beam)
        return scene.bodies[body].beam.color;
    const { modal } = scene.bodies[body];
    if (modal && modal.body !== body)
        return bodyColor(scene, modal.body);
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

// Half the extent of a unit geometry.
const HALF = { box: [0.5, 0.5, 0.5], cylinder: [1, 1, 0.5], cone: [1, 1, 0.5], sphere: [1, 1, 1] };

function frameOfShape(shape) {
    return { position: shape.position ?? [0, 0, 0], quaternion: shape.quaternion ?? [1, 0, 0, 0] };
}

function partsOfShape(shape, meshes, body, index) {
    if (isOutline(shape)) {
        return [{ geometry: outlineName(body, index, shape), local: placeOutline(shape),
            follows: shape.beyond > 0 ? shape : undefined }];
    }
    const own = (part) => (part.geometry === 'mesh' ? meshes[shape.mesh]?.positions.length >= 9 :
        part.geometry in HALF);
    return (shape.parts ?? []).filter((part) => own(part) && part.scale?.every((s) => s > 0))
        .map((part) => ({
            geometry: part.geometry === 'mesh' ? `mesh ${shape.mesh}` : part.geometry,
            local: inFrame(frameOfShape(shape), new Vector3(0, 0, part.z ?? 0), vec(part.scale)),
        }));
}

// Marks of what is round and would not show that it turns: a bar on both faces of a disc, two bands
// round a ball. A body with anything else on it shows its turns by that.
const ROUND = ['cylinder', 'sphere', 'cone'];

function marksOf(body, color) {
    const own = body.shapes.filter((shape) => !shape.gear);
    if (body.turns === 0 || own.length === 0 || own.some((s) => !ROUND.includes(s.kind)))
        return [];
    const dark = new Color(color);
    const mark = `#${dark.lerp(new Color(luma(dark) > 0.35 ? 0 : 0xffffff), 0.55).getHexString()}`;
    return own.flatMap((shape) => {
        const frame = frameOfShape(shape);
        const r = shape.radius;
        if (shape.kind === 'cylinder' && r > 0 && shape.length < 3 * r) {
            return [{ geometry: 'box', mark: true, color: mark, local: inFrame(frame,
                new Vector3(0.52 * r, 0, 0), new Vector3(0.76 * r, 0.12 * r, 1.03 * shape.length)) }];
        }
        if (shape.kind === 'sphere' && r > 0) {
            return ['z', 'x'].map((axis) => ({ geometry: 'wire', mark: true, color: mark, local: inFrame(frame,
                new Vector3(), new Vector3(1.004 * r, 1.004 * r, 0.1 * r), turns[axis]) }));
        }
        return [];
    });
}

const luma = ({ r, g, b }) => 0.2126 * r + 0.7152 * g + 0.0722 * b;

function meshReach(mesh) {
    let most = 0;
    for (const x of mesh?.positions ?? [])
        if (Math.abs(x) > most)
            most = Math.abs(x);
    return most;
}

// Points of the body frame that a shape reaches: the corners of the boxes round its parts.
export function shapeCorners(shape, meshes) {
    if (isOutline(shape))
        return outlineCorners(shape);
    const { position, quaternion } = frameOfShape(shape);
    return (shape.parts ?? []).flatMap((part) => {
        const half = HALF[part.geometry] ?? Array(3).fill(meshReach(meshes[shape.mesh]));
        return [0, 1, 2, 3, 4, 5, 6, 7].map((i) => new Vector3(
            i & 1 ? half[0] : -half[0], i & 2 ? half[1] : -half[1], i & 4 ? half[2] : -half[2])
            .multiply(vec(part.scale ?? [0, 0, 0])).add(new Vector3(0, 0, part.z ?? 0))
            .applyQuaternion(quat(quaternion)).add(vec(position)).toArray());
    });
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
    for (const joint of scene.joints.filter((j) => j.drawn && (!j.coupling || j.contact))) {
        add(joint.a, joint.frame_a.position);
        add(joint.b, joint.frame_b.position);
    }
    for (const force of scene.forces.filter((f) => f.drawn && signsOf(f).some(isSpan))) {
        add(force.a, force.frame_a.position);
        add(force.b, force.frame_b.position);
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

const BOX = 0.032; // of the size of the model: boxes with a larger middle edge are drawn

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

// Corners of the box by which a body without shapes is drawn where it is not thin. The size is that
// of the model.
export function boxCorners(body, size) {
    const edges = body.turns > 1 ? inertiaBox(body, 0, size) : null;
    if (!edges || !([...edges].sort((a, b) => a - b)[1] > BOX * size))
        return [];
    return [0, 1, 2, 3, 4, 5, 6, 7].map((i) => new Vector3(...edges.map((edge, k) =>
        (i >> k & 1 ? 0.5 : -0.5) * edge)).applyQuaternion(quat(body.axes)).add(vec(body.com))
        .toArray());
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

function partsOfLinks(body, points, sizes) {
    const links = linksOf(points, vec(body.com), 1e-6 * sizes.size);
    const bar = 0.75 * sizes.unit;
    const ball = new Vector3(bar, bar, bar);
    return links.flatMap(([a, b]) => [
        { geometry: 'cylinder', local: between(a, b, bar), link: [a.toArray(), b.toArray()] },
        { geometry: 'sphere', local: place(a, new Quaternion(), ball) },
        { geometry: 'sphere', local: place(b, new Quaternion(), ball) },
    ]);
}

function partsOfBare(body, points, sizes) {
    const parts = partsOfLinks(body, points, sizes);
    const bar = 0.75 * sizes.unit;
    const edges = inertiaBox(body, sizes.unit, sizes.size);
    const middle = edges ? [...edges].sort((a, b) => a - b)[1] : 0;
    const telling = body.turns !== 1 && middle > 3 * bar; // BOX of the size at most
    if (parts.length === 0 || telling) {
        const cube = Array(3).fill(3 * sizes.unit);
        parts.push(inertiaPart(body, edges ?? cube));
    }
    return parts;
}

// Signs of joints and forces
// ---------------------------------------------------------------------------------------------

const JOINT = 'joint';
const PIN = 'pin';
const turns = {
    x: new Quaternion().setFromAxisAngle(new Vector3(0, 1, 0), Math.PI / 2),
    y: new Quaternion().setFromAxisAngle(new Vector3(1, 0, 0), -Math.PI / 2),
    z: new Quaternion(),
};

const box = (u, color) => [{ geometry: 'box', scale: [u, u, u], color }];

// What a sign is made of in the frame of its side.
const signs = {
    turn: (u, turn) => [
        { geometry: 'cylinder', turn, scale: [1.25 * u, 1.25 * u, 2.6 * u], color: JOINT },
        { geometry: 'cylinder', turn, scale: [0.5 * u, 0.5 * u, 3.6 * u], color: PIN },
    ],
    slide: (u, turn) => {
        const axis = new Vector3(0, 0, 1).applyQuaternion(turn);
        const back = new Quaternion().setFromAxisAngle(new Vector3(1, 0, 0), Math.PI);
        const tip = (sign) => ({ geometry: 'cone', scale: [0.9 * u, 0.9 * u, 1.8 * u],
            turn: sign > 0 ? turn : turn.clone().multiply(back),
            offset: axis.clone().multiplyScalar(sign * 4.6 * u), color: JOINT });
        return [
            { geometry: 'cylinder', turn, scale: [0.4 * u, 0.4 * u, 8 * u], color: JOINT },
            tip(1), tip(-1),
        ];
    },
    block: (u) => box(2.6 * u, PIN),
    weld: (u) => box(2.6 * u, JOINT),
    ball: (u) => [{ geometry: 'sphere', scale: [1.5 * u, 1.5 * u, 1.5 * u], color: JOINT }],
    plate: (u) => [{ geometry: 'box', scale: [8 * u, 8 * u, 0.25 * u], color: JOINT }],
};

// The glyph of a joint or force, 'slide a x; block b 0.7', as a list of signs.
function signsOf(element) {
    return String(element.glyph ?? '').split(';').map((text) => {
        const words = text.trim().split(/\s+/);
        return { sign: words[0], side: words.includes('b') ? 'b' : 'a',
            turn: turns[words.find((w) => w in turns) ?? 'z'],
            size: Number(words.find((w) => Number(w) > 0) ?? 1) };
    });
}

const isSpan = ({ sign }) => sign === 'coil' || sign === 'rod';

// Where a sign of side A goes: guides along their axis and plates in their plane follow what slides
// on them, so that the sign stands where the joint is.
function goesTo(element, sign, side, turn) {
    if (side !== 'a' || (sign !== 'slide' && sign !== 'plate') || element.a === element.b)
        return undefined;
    const from = vec(element.frame_a.position);
    const tip = new Vector3(0, 0, 1).applyQuaternion(turn)
        .applyQuaternion(quat(element.frame_a.quaternion)).add(from);
    return { from: from.toArray(), tip: tip.toArray(), body: element.b,
        to: element.frame_b.position, inPlane: sign === 'plate' };
}

function partsOfElement(element, unit) {
    return signsOf(element).flatMap(({ sign, side, turn, size }) =>
        (Object.hasOwn(signs, sign) ? signs[sign](size * unit, turn) : []).map((p) => ({
            geometry: p.geometry,
            body: element[side],
            local: inFrame(element[`frame_${side}`], p.offset ?? new Vector3(), vec(p.scale),
                p.turn),
            color: p.color,
            layer: 'joints',
            goes: goesTo(element, sign, side, turn),
        })));
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

// The whole model
// ---------------------------------------------------------------------------------------------

function median(numbers) {
    const sorted = numbers.filter((x) => x > 0).sort((a, b) => a - b);
    return sorted.length > 0 ? sorted[sorted.length >> 1] : 0;
}

// How far a body goes: to its joints, or where these are all in one place, to the ends of its shapes.
function reachOf(body, points, meshes, near) {
    const com = vec(body.com);
    const most = (list) => Math.max(0, ...list.map((p) => 2 * p.distanceTo(com)));
    const held = most(points);
    return held > near ? held :
        most(body.shapes.flatMap((shape) => shapeCorners(shape, meshes)).map(vec));
}

// `size` is the size of the model and `unit` the radius of small things, both [m].
export function sizesOf(scene, meshes, size) {
    const reaches = holdPoints(scene, 0).map((points, i) =>
        (i === 0 ? 0 : reachOf(scene.bodies[i], points, meshes, 0.01 * size)));
    const reach = median(reaches);
    const unit = Math.min(0.014 * size, reach > 0 ? 0.09 * reach : Infinity);
    return { size, unit: Math.max(unit, 1e-4 * size) };
}

export function partsOfModel(scene, meshes, sizes, up) {
    const parts = [];
    const points = holdPoints(scene, 1e-6 * sizes.size);
    const heaviest = Math.max(0, ...scene.bodies.map((b) => b.mass || 0));
    const bare = (body, i) => (body.turns === 0 ?
        partsOfPoint(body, sizes, heaviest) : partsOfBare(body, points[i], sizes));

    scene.bodies.forEach((body, i) => {
        const shown = body.shapes.flatMap((shape, k) => partsOfShape(shape, meshes, i, k)
            .map((part) => ({ ...part, color: shape.color ?? bodyColor(scene, i) })));
        shown.push(...(i > 0 ? marksOf(body, shown[0]?.color ?? bodyColor(scene, i)) : []));
        const colored = (list) => list.map((part) => ({ ...part, color: bodyColor(scene, i) }));
        // Beams and modal bodies are drawn by themselves.
        const drawn = shown.length > 0 || i === 0 || body.beam || body.modal ? shown :
            colored(bare(body, i));
        // A body that is known by what it touches with alone is linked to its joints.
        if (i > 0 && shown.length > 0 && body.shapes.every(isOutline))
            drawn.push(...colored(partsOfLinks(body, points[i], sizes)));
        parts.push(...drawn.map((part) => ({ ...part, body: i, layer: 'bodies' })));
        const edges = i > 0 ? inertiaBox(body, 0.3 * sizes.unit, 2 * sizes.size) : null;
        if (edges) {
            parts.push({ ...inertiaPart(body, edges), body: i, layer: 'inertia',
                color: bodyColor(scene, i) });
        }
    });
    for (const element of [...scene.joints, ...scene.forces].filter((e) => e.drawn)) {
        parts.push(...partsOfElement(element, sizes.unit));
        if (scene.bodies[0].shapes.length === 0 &&
            signsOf(element).some(({ sign }) => sign === 'bearing')) {
            for (const side of ['a', 'b'])
                if (element[side] === 0) {
                    parts.push(...partsOfBearing(vec(element[`frame_${side}`].position), up,
                        sizes.unit));
                }
        }
    }
    return parts;
}

// Coils and rods: drawn between two points that move.
export function spansOfModel(scene, unit) {
    const looks = { coil: { radius: 1.7 * unit, wire: 0.32 * unit, color: 'spring' },
        rod: { wire: 0.4 * unit, color: 'rod' } };
    return [...scene.forces, ...scene.joints].filter((e) => e.drawn).flatMap((e) =>
        signsOf(e).filter(isSpan).map(({ sign }) => ({ kind: sign, a: e.a, b: e.b,
            from: e.frame_a.position, to: e.frame_b.position, ...looks[sign] })));
}

// Modal bodies without a surface: bars between their attachments, which deform as these do.
export function barsOfModals(scene, unit) {
    return scene.modals.filter((modal) => !modal.drawn).flatMap((modal) => {
        const { com } = scene.bodies[modal.body];
        const places = Array.from({ length: modal.attachments }, (_, k) =>
            ({ body: modal.attachment + k, at: [0, 0, 0] }));
        const pairs = places.length === 2 ? [places] :
            places.map((place) => [{ body: modal.body, at: com }, place]);
        return pairs.map(([p, q]) => ({ kind: 'rod', a: p.body, b: q.body, from: p.at, to: q.at,
            wire: 0.75 * unit, color: bodyColor(scene, modal.body), body: modal.body,
            layer: 'bodies' }));
    });
}

// Points in which wheels and balls touch their planes, with the axes z of the frames as points.
export function touchesOfModel(scene, unit) {
    const tip = (frame) => vec(frame.position)
        .add(new Vector3(0, 0, 1).applyQuaternion(quat(frame.quaternion))).toArray();
    return scene.joints.filter((j) => j.drawn && j.touch).map((j) => ({ ...j.touch, a: j.a, b: j.b,
        plane: j.frame_a.position, above: tip(j.frame_a), middle: j.frame_b.position,
        along: tip(j.frame_b), size: 0.7 * unit, color: 'force' }));
}

// Contacts whose places are stored.
export function contactsOfModel(scene, unit) {
    return scene.contacts.map((joint) => ({ name: joint.name, size: 0.7 * unit, color: 'force' }));
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
