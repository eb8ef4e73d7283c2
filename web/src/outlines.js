// SPDX-License-Identifier: MIT
//
// Shapes that touch, cams, rails, wheels, wires and surfaces: geometries of the forms that a scene
// states by points (docs/formats/result.md), and how far rails go.

import { BufferAttribute, BufferGeometry, CatmullRomCurve3, ExtrudeGeometry, LatheGeometry,
    Matrix4, Quaternion, Shape, TubeGeometry, Vector2, Vector3 } from 'three';

const TURNS = 72;  // faces about the axis of a lathe
const LOOKS = 500; // frames that tell how far a rail goes

function pairs(numbers) {
    return Array.from({ length: numbers.length >> 1 }, (_, i) =>
        new Vector2(numbers[2 * i], numbers[2 * i + 1]));
}

function triples(numbers) {
    return Array.from({ length: Math.floor(numbers.length / 3) }, (_, i) =>
        new Vector3(numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]));
}

// One unit along z; the part scales and shifts it.
function plate(shape) {
    const hole = shape.hole > 0 ? shape.hole : shape.points.length;
    const face = new Shape(pairs(shape.points.slice(0, hole)));
    if (hole < shape.points.length)
        face.holes.push(new Shape(pairs(shape.points.slice(hole))));
    const geometry = new ExtrudeGeometry(face, { depth: 1, bevelEnabled: false });
    if (shape.taper) { // how much wider it is at its end
        const at = geometry.attributes.position;
        for (let i = 0; i < at.count; i++) {
            const scale = 1 + shape.taper * at.getZ(i);
            at.setXY(i, scale * at.getX(i), scale * at.getY(i));
        }
        geometry.computeVertexNormals();
    }
    return geometry;
}

function sheet(shape) {
    const { columns } = shape;
    const rows = Math.floor(shape.points.length / (3 * columns));
    const faces = [];
    for (let i = 0; i + 1 < rows; i++)
        for (let j = 0; j + 1 < columns; j++) {
            const k = i * columns + j;
            faces.push(k, k + columns, k + 1, k + 1, k + columns, k + columns + 1);
        }
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(Float32Array.from(shape.points), 3));
    geometry.setIndex(faces);
    geometry.computeVertexNormals();
    return geometry;
}

const forms = {
    plate,
    lathe: (shape) => new LatheGeometry(pairs(shape.points), TURNS),
    wire: (shape, unit) => {
        const line = triples(shape.points);
        return new TubeGeometry(new CatmullRomCurve3(line, Boolean(shape.closed)),
            2 * line.length, 0.5 * unit, 10, Boolean(shape.closed));
    },
    sheet,
};

export const isOutline = (shape) => Object.hasOwn(forms, shape.kind) &&
    Array.isArray(shape.points) && shape.points.length >= 4;

// What its geometry is called: each has its own.
export const outlineName = (body, index, shape) => `${shape.kind} ${body}.${index}`;

export function addOutlines(geometries, scene, unit) {
    scene.bodies.forEach((body, b) => body.shapes.forEach((shape, i) => {
        if (isOutline(shape))
            geometries.set(outlineName(b, i, shape), forms[shape.kind](shape, unit));
    }));
}

const frameOf = (shape) => {
    const [w, x, y, z] = shape.quaternion ?? [1, 0, 0, 0];
    return { origin: new Vector3(...(shape.position ?? [0, 0, 0])),
        turn: new Quaternion(x, y, z, w) };
};

// The place of an outline in its body, of a plate from `from` to `to` along its z.
export function placeOutline(shape, from = shape.from, to = shape.to) {
    const { origin, turn } = frameOf(shape);
    const thick = shape.kind === 'plate' && to > from;
    return new Matrix4().compose(origin, turn, new Vector3(1, 1, 1)).multiply(
        new Matrix4().compose(new Vector3(0, 0, thick ? from : 0), new Quaternion(),
            new Vector3(1, 1, thick ? to - from : 1)));
}

// Corners of the box round an outline, in the body frame; of a rail where it begins.
export function outlineCorners(shape) {
    const points = shape.kind === 'wire' || shape.kind === 'sheet' ? triples(shape.points) :
        pairs(shape.points).flatMap((p) => (shape.kind === 'lathe' ?
            [new Vector3(p.x, p.y, p.x), new Vector3(-p.x, p.y, -p.x)] :
            [new Vector3(p.x, p.y, shape.beyond ? 0 : shape.from),
                new Vector3(p.x, p.y, shape.beyond ? 0 : shape.to)]));
    const least = points.reduce((a, p) => a.min(p), new Vector3(Infinity, Infinity, Infinity));
    const most = points.reduce((a, p) => a.max(p), new Vector3(-Infinity, -Infinity, -Infinity));
    const { origin, turn } = frameOf(shape);
    return [0, 1, 2, 3, 4, 5, 6, 7].map((i) => new Vector3(i & 1 ? most.x : least.x,
        i & 2 ? most.y : least.y, i & 4 ? most.z : least.z).applyQuaternion(turn).add(origin)
        .toArray());
}

// How far a plate goes that follows its contact: `beyond` behind the first and the last place.
export function reachOfContact(data, body, shape, placement) {
    const { frames, scene } = data;
    const row = scene.contacts.indexOf(scene.joints[shape.joint]);
    const { origin, turn } = frameOf(shape);
    const tip = new Vector3(0, 0, 1).applyQuaternion(turn).add(origin).toArray();
    const [base, axis, v] = [new Vector3(), new Vector3(), [0, 0, 0]];
    let low = Infinity;
    let high = -Infinity;
    const every = Math.max(Math.ceil(frames.count / LOOKS), 1);
    for (let k = 0; row >= 0 && frames.hasPoint && k < frames.count; k += every) {
        if (body > 0) {
            frames.pose(body - 1, { index: k, part: 0 }, placement.pose);
            placement.set(body, placement.pose);
        }
        placement.point(body, origin.toArray(), base);
        placement.point(body, tip, axis).sub(base);
        frames.vector('point', frames.contacts, row, { index: k, part: 0 }, v);
        const along = new Vector3(...v).sub(base).dot(axis);
        if (Number.isFinite(along)) {
            low = Math.min(low, along);
            high = Math.max(high, along);
        }
    }
    return low <= high ? [low - shape.beyond, high + shape.beyond] : [shape.from, shape.to];
}
