// SPDX-License-Identifier: MIT
//
// Data of runs that never were, for the tests and for work on the page:
//
//   node test/mock.mjs KIND PAGE.html OUT.html
//
// puts the data of one of the kinds below into the page that build.mjs made.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const f64 = (numbers) =>
    ({ f64: Buffer.from(Float64Array.from(numbers).buffer).toString('base64') });
export const f32 = (numbers) =>
    ({ f32: Buffer.from(Float32Array.from(numbers).buffer).toString('base64') });

// As the C side does it: nothing in the text can end the script element.
export function fillPage(page, data) {
    const text = typeof data === 'string' ? data :
        JSON.stringify(data).replaceAll('<', '\\u003c').replaceAll('\u2028', '\\u2028');
    return page.replace('/*TENON_DATA*/', () => text);
}

const frame = (position, quaternion = [1, 0, 0, 0]) => ({ position, quaternion });
const turned = (angle) => [Math.cos(angle / 2), 0, 0, Math.sin(angle / 2)];
const about = ([x, y, z], angle) =>
    [Math.cos(angle / 2), ...[x, y, z].map((c) => c * Math.sin(angle / 2))];
const GROUND = { name: 'ground', kind: 'ground', turns: 3, mass: 0, inertia: [0, 0, 0],
    com: [0, 0, 0], shapes: [] };

function timesOf(count, end) {
    return Array.from({ length: count }, (_, k) => (count > 1 ? (k * end) / (count - 1) : 0));
}

function runOf(end, more = {}) {
    return {
        status: 'done', reason: null, tenon: '0.2.0', model: 'models/mock.yaml',
        results: 'mock', method: 'galpha/ggl@absolute',
        why: 'closed loops, no contact: constraints on position and velocity level',
        rotation: 'so3', solver: 'KLU', t_start: 0, t_end: end, time: end, step: 0.001,
        step_min: 0.001, steps: 5000, rejected: 0, newton: 10240, factorizations: 680,
        evaluations: 40340, tangents: 681, residuals: { g: 2.4e-15, Bv: 3.7e-12 },
        energy: { initial: 24.618, final: 24.619, kinetic: 10.249, potential: 14.369,
            dissipated: 0, supplied: 0, balance: 1.2e-6, max_balance: 0.0062, relative: 3e-4 },
        momentum: { linear_initial: [-7.8, -1.2, 0], linear_final: [-7.8, -2.2, 0],
            angular_initial: [0, 0, 2.7], angular_final: [0, 0, 2.4] },
        required: [], wall_time: 0.097, ...more,
    };
}

// poses(t) gives [{position, quaternion}] without the ground; forces(t) gives one per joint.
function pageOf(title, scene, time, poses, { forces, channels = [], ...more } = {}) {
    const rows = time.map(poses);
    const h = 1e-5;
    const speed = (t, now = poses(t)) => poses(t + h).map((p, b) =>
        p.position.map((x, i) => (x - now[b].position[i]) / h));
    const bodies = scene ? scene.bodies.slice(1) : [];
    const position = (b, i) => rows.map((r) => r[b].position[i]);
    const first = bodies.slice(0, 40).flatMap((body, b) => ['x', 'y', 'z'].map((axis, i) => ({
        name: `${body.name}.position.${axis}`, group: 'bodies', unit: 'm',
        value: f64(position(b, i)) })));
    const all = [...first, ...channels].map((c, k) =>
        ({ ...c, time: c.time ?? (k === 0 ? f64(time) : { same: 0 }) }));
    return {
        format: 'tenon-page', version: 1, title, live: false, run: runOf(time.at(-1) ?? 0),
        warnings: [], reproduce: `tenon run ${title} --method galpha/ggl --step 0.001`,
        scene, meshes: [],
        frames: { count: time.length, time: f64(time),
            position: f64(rows.flatMap((r) => r.flatMap((p) => p.position))),
            quaternion: f64(rows.flatMap((r) => r.flatMap((p) => p.quaternion))),
            velocity: f32(time.flatMap((t) => speed(t).flat())),
            force: f32(forces ? time.flatMap((t) => forces(t).flat()) : []) },
        channels: all, ...more,
    };
}

function energyChannels(time) {
    const residual = (k, size) => size * (1 + Math.abs(Math.sin(7 * k)) * 40) *
        10 ** (Math.sin(k / 60) * 1.5);
    return [
        { name: 'energy.kinetic', group: 'energy', unit: 'J',
            value: f64(time.map((t) => 10 + 4 * Math.sin(9.5 * t))) },
        { name: 'energy.potential', group: 'energy', unit: 'J',
            value: f64(time.map((t) => 14.6 - 4 * Math.sin(9.5 * t))) },
        { name: 'residuals.g', group: 'residuals', unit: '',
            value: f64(time.map((t, k) => (k === 0 ? 0 : residual(k, 1e-14)))) },
        { name: 'residuals.gdot', group: 'residuals', unit: '',
            value: f64(time.map((t, k) => residual(k + 9, 3e-12))) },
        { name: 'step', group: 'run', unit: 's', value: f64(time.map(() => 0.001)) },
    ];
}

// A four-bar linkage without shapes: the crank turns evenly, the rest follows from the lengths.
export function fourbar(names = ['crank', 'coupler', 'rocker'], count = 501) {
    const [l1, l2, l3, d] = [0.3, Math.hypot(0.8, 0.4), Math.hypot(0.2, 0.7), 1];
    const points = (t) => {
        const angle = Math.PI / 2 + 10 * t;
        const b = [l1 * Math.cos(angle), l1 * Math.sin(angle)];
        const away = Math.hypot(d - b[0], b[1]);
        const along = (l2 ** 2 - l3 ** 2 + away ** 2) / (2 * away);
        const up = Math.sqrt(l2 ** 2 - along ** 2);
        const e = [(d - b[0]) / away, -b[1] / away];
        return { b, c: [b[0] + along * e[0] - up * e[1], b[1] + along * e[1] + up * e[0]] };
    };
    const rod = (p, q) => ({ position: [(p[0] + q[0]) / 2, (p[1] + q[1]) / 2, 0],
        quaternion: turned(Math.atan2(q[1] - p[1], q[0] - p[0])) });
    const poses = (t) => {
        const { b, c } = points(t);
        return [rod([0, 0], b), rod(b, c), rod([d, 0], c)];
    };
    const body = (name, length) => ({ name, kind: 'planar', turns: 1, mass: 2 * length,
        inertia: [0, 0, length ** 3 / 6], com: [0, 0, 0], shapes: [] });
    const pin = (name, a, b, at, to) => ({ name, kind: 'planar-revolute', coupling: false, a, b,
        glyph: 'turn a; bearing', frame_a: frame(at), frame_b: frame(to) });
    const scene = { planar: true, gravity: [0, -9.81, 0], size: 1.2,
        bodies: [GROUND, body(names[0], l1), body(names[1], l2), body(names[2], l3)],
        joints: [pin('A', 0, 1, [0, 0, 0], [-l1 / 2, 0, 0]),
            pin('B', 1, 2, [l1 / 2, 0, 0], [-l2 / 2, 0, 0]),
            pin('C', 2, 3, [l2 / 2, 0, 0], [l3 / 2, 0, 0]),
            pin('D', 0, 3, [d, 0, 0], [-l3 / 2, 0, 0])],
        forces: [] };
    const time = timesOf(count, 5);
    return pageOf('fourbar.yaml', scene, time, poses, {
        forces: (t) => [0, 1, 2, 3].map((k) => [12 * Math.sin(9 * t + k), 9 + 6 * Math.cos(t + k),
            0]),
        channels: energyChannels(time),
    });
}

// Every shape, a mesh, springs, a slider and a rod in space.
export function shapes() {
    const tetrahedron = [[1, 1, 1], [-1, -1, 1], [-1, 1, -1], [1, -1, -1]];
    const faces = [[0, 1, 3], [0, 2, 1], [0, 3, 2], [1, 2, 3]];
    const part = (geometry, scale, z = 0) => ({ geometry, scale, z });
    const shape = (kind, more) => ({ kind, ...frame([0, 0, 0]), ...more });
    const forms = [
        ['box', { parts: [part('box', [0.5, 0.3, 0.2])] }],
        ['cylinder', { parts: [part('cylinder', [0.18, 0.18, 0.5])] }],
        ['sphere', { parts: [part('sphere', [0.22, 0.22, 0.22])], color: '#dd8833' }],
        ['capsule', { parts: [part('cylinder', [0.12, 0.12, 0.35]),
            ...[0.175, -0.175].map((z) => part('sphere', [0.12, 0.12, 0.12], z))] }],
        ['cone', { parts: [part('cone', [0.2, 0.2, 0.5])] }],
        ['mesh', { name: 'tetra.stl', mesh: 0, parts: [part('mesh', [0.2, 0.2, 0.2])] }],
    ];
    const places = forms.map((_, i) => [(i % 3) - 1, Math.floor(i / 3) - 0.5, 0]);
    const bodies = [{ ...GROUND, shapes: [shape('box', { parts: [part('box', [3, 2, 0.1])],
        color: '#9099a3', position: [0, 0, -1.05] })] },
    ...forms.map(([kind, more]) => ({ name: `${kind} body`, kind: 'rigid', turns: 3, mass: 2,
        inertia: [0.05, 0.06, 0.07], com: [0, 0, 0], shapes: [shape(kind, more)] })),
    { name: 'bare', kind: 'rigid', turns: 3, mass: 15, inertia: [0.3, 0.5, 0.2],
        com: [0, 0, 0.6], shapes: [] },
    { name: 'bob', kind: 'point', turns: 0, mass: 3, inertia: [0, 0, 0], com: [0, 0, 0],
        shapes: [] }];
    const poses = (t) => [
        ...places.map(([x, y], i) => ({ position: [x, y, 0.25 * Math.sin(2 * t + i)],
            quaternion: about([0.6, 0, 0.8], t + i) })),
        { position: [2.2, 0, -0.5], quaternion: about([0.3, 0.3 * Math.sin(t), 0.9], 3 * t) },
        { position: [2.2, 0.9 + 0.1 * Math.cos(2 * t), 0.4 * Math.sin(2 * t)],
            quaternion: [1, 0, 0, 0] },
    ].map((p) => {
        const n = Math.hypot(...p.quaternion);
        return { ...p, quaternion: p.quaternion.map((q) => q / n) };
    });
    const joint = (name, kind, glyph, a, b, at, to) => ({ name, kind, glyph, coupling: false, a, b,
        frame_a: frame(at), frame_b: frame(to) });
    const scene = { planar: false, gravity: [0, 0, -9.81], size: 3, bodies,
        joints: [joint('slider', 'prismatic', 'slide a; block b', 0, 1, [-1, -0.5, 0], [0, 0, 0]),
            joint('tip', 'spherical', 'ball a; bearing', 0, 7, [2.2, 0, -0.5], [0, 0, 0]),
            joint('rod', 'distance', 'rod; ball a 0.7; ball b 0.7', 0, 8, [2.2, 0, 1.4], [0, 0, 0]),
            joint('hinge', 'revolute', 'turn a; bearing', 0, 2, [0, -0.5, 0], [0, 0, 0]),
            { name: 'gear', kind: 'gear', coupling: true, a: -1, b: -1 }],
        forces: places.map(([x, y], i) => ({ name: `spring ${i}`, kind: 'spring', glyph: 'coil',
            a: 0, b: i + 1, frame_a: frame([x, y, -1]), frame_b: frame([0, 0, 0]) })) };
    const time = timesOf(201, 8);
    return pageOf('shapes.yaml', scene, time, poses, {
        meshes: [{ name: 'tetra.stl',
            positions: f32(faces.flatMap((f) => f.flatMap((i) => tetrahedron[i]))) }],
        warnings: ["mesh 'wheel.stl' cannot be read: No such file or directory"],
        forces: (t) => scene.joints.map((_, k) => [5 * Math.sin(t + k), 2, 20]),
        channels: energyChannels(time),
    });
}

// A chain of n links that swings.
export function chain(n = 1000, count = 101) {
    const l = 0.1;
    const poses = (t) => {
        const out = [];
        let [x, z] = [0, 0];
        for (let i = 0; i < n; i++) {
            const angle = 1.2 * Math.sin(2 * t - (6 * i) / n) * (0.3 + (0.7 * i) / n) - Math.PI / 2;
            const [dx, dz] = [l * Math.cos(angle), l * Math.sin(angle)];
            out.push({ position: [x + dx / 2, 0, z + dz / 2],
                quaternion: about([0, 1, 0], -angle) });
            [x, z] = [x + dx, z + dz];
        }
        return out;
    };
    const bodies = Array.from({ length: n }, (_, i) => ({ name: `link ${i + 1}`, kind: 'rigid',
        turns: 3, mass: 0.1, inertia: [1e-6, 8e-5, 8e-5], com: [0, 0, 0], shapes: [] }));
    const joints = bodies.map((_, i) => ({ name: `pin ${i + 1}`, kind: 'revolute', coupling: false,
        glyph: 'turn a; bearing', a: i, b: i + 1,
        frame_a: frame([i === 0 ? 0 : l / 2, 0, 0], about([1, 0, 0], Math.PI / 2)),
        frame_b: frame([-l / 2, 0, 0], about([1, 0, 0], Math.PI / 2)) }));
    const scene = { planar: false, gravity: [0, 0, -9.81], size: n * l, bodies: [GROUND, ...bodies],
        joints, forces: [] };
    const time = timesOf(count, 6);
    return pageOf('chain.yaml', scene, time, poses, { channels: energyChannels(time) });
}

// Beams of n elements side by side, one of each section, bent onto arcs of circles: along x at the
// start, with the axes x of their sections along y, and ends that go up and down.
export function beams(n = 10, count = 101, sections = SECTIONS) {
    const length = 2;
    const bent = (t) => 2.5 * Math.sin(t); // angle of the end
    const node = (k, i, t) => {
        const s = (length * i) / n;
        const c = bent(t) / length;
        const angle = c * s;
        const [x, z] = Math.abs(c) < 1e-9 ? [s, 0] :
            [Math.sin(angle) / c, (1 - Math.cos(angle)) / c];
        const [h, g] = [Math.cos(angle / 2) / 2, Math.sin(angle / 2) / 2];
        // x, y, z of the section along y, z, x of the room, then turned about -y of the room.
        return { position: [x, 0.5 * k, z], quaternion: [h + g, h - g, h - g, h + g] };
    };
    const nodes = n + 1;
    const all = (one) => sections.flatMap((_, k) =>
        Array.from({ length: nodes }, (__, i) => one(k, i)));
    const bodies = all((k, i) => ({ name: `beam ${k}.${i}`, kind: 'rigid', turns: 3, mass: 0.1,
        inertia: [1e-4, 1e-4, 2e-4], com: [0, 0, 0], shapes: [] }));
    const forces = sections.flatMap((_, k) => Array.from({ length: n }, (__, e) => ({
        name: `beam ${k}.e${e + 1}`, kind: 'beam-element', a: 1 + k * nodes + e,
        b: 2 + k * nodes + e, frame_a: frame([0, 0, 0]), frame_b: frame([0, 0, 0]) })));
    const scene = { planar: false, gravity: [0, 0, -9.81], size: 3, bodies: [GROUND, ...bodies],
        joints: [], forces, beams: sections.map((section, k) => ({ name: `beam ${k}`,
            body: 1 + k * nodes, nodes, element: k * n, section, color: '#5b86b4' })) };
    const time = timesOf(count, 6);
    const carried = (of) => f32(time.flatMap((t) => sections.flatMap((_, k) =>
        Array.from({ length: n }, (__, e) => of(t, k, (e + 0.5) / n)).flat())));
    const page = pageOf('beams.yaml', scene, time, (t) => all((k, i) => node(k, i, t)),
        { channels: energyChannels(time) });
    page.frames.section_force = carried((t, k, s) => [0, 3 * s, 20 * Math.sin(t) - 4 * k]);
    page.frames.section_moment = carried((t, k, s) => [(1 - s) * bent(t) * 10, 0, k - 1]);
    return page;
}

const SECTIONS = [
    { kind: 'rectangle', width: 0.2, height: 0.06 },
    { kind: 'ellipse', radius_x: 0.07, radius_y: 0.07, wall: 0 },
    { kind: 'ellipse', radius_x: 0.1, radius_y: 0.1, wall: 0.02 },
    { kind: 'I', width: 0.16, height: 0.2, flange: 0.03, web: 0.025 },
    { kind: 'ellipse', radius_x: 0.03, radius_y: 0.1, wall: 0 },
];

const HTML = '<img src=x onerror="window.hacked=1"><b>crank</b>';
const SCRIPT = '</script><script>window.hacked=1</script>';

// Names that are HTML, wherever a name can stand.
export function hostile() {
    const page = fourbar([HTML, SCRIPT, '" onclick="window.hacked=1"']);
    page.title = SCRIPT;
    page.reproduce = `tenon run '${HTML}'`;
    page.warnings = [HTML, SCRIPT];
    page.run = runOf(5, { status: HTML, method: SCRIPT, why: HTML, model: HTML, reason: SCRIPT,
        required: [{ quantity: HTML, limit: 1, found: 2, met: false }] });
    page.channels = page.channels.map((c) => (c.group === 'energy' ?
        { ...c, group: HTML, unit: '<i>J</i>' } : c));
    page.scene.joints[0].kind = HTML;
    return page;
}

export function withNaN() {
    const page = fourbar();
    const time = timesOf(501, 5);
    page.channels[1].value = f64(time.map((t, k) => (k > 100 && k < 200 ? NaN : Math.sin(t))));
    page.channels[2].value = f64(time.map(() => NaN));
    page.channels[3].value = f64(time.map((t, k) => (k === 7 ? Infinity : t)));
    const bytes = Uint8Array.from(Buffer.from(page.frames.position.f64, 'base64'));
    const numbers = new Float64Array(bytes.buffer);
    for (let k = 300; k < 501; k++)
        numbers.fill(NaN, 9 * k, 9 * k + 3);
    page.frames.position = f64(numbers);
    page.run = runOf(5, { status: 'failed', reason: 'step size too small at t = 3 s',
        residuals: { g: 1e-3, Bv: null } });
    return page;
}

export const single = () => fourbar(undefined, 1);
export const empty = () => ({ ...fourbar(undefined, 0), run: { status: 'failed',
    reason: 'the initial values are not consistent' } });

export function noScene() {
    const page = fourbar();
    delete page.scene;
    delete page.meshes;
    page.frames = { count: 0, time: f64([]), position: f64([]), quaternion: f64([]),
        velocity: f32([]), force: f32([]) };
    return page;
}

// Channels with times of their own, as thinning makes them.
export function thinned() {
    const page = fourbar();
    const time = timesOf(501, 5);
    const some = time.filter((_, k) => k % 3 === 0 || k === 500);
    page.channels.push({ name: 'thin', group: 'other', unit: 'm', time: f64(some),
        value: f64(some.map((t) => t * t)) });
    return page;
}

// A rod of length 1 on a pin at the origin, hanging down: a damped swing, one that also goes round,
// an unstable one, and one that is listed only.
export function modes() {
    const body = { name: 'rod', kind: 'rigid', turns: 3, mass: 3, inertia: [0.25, 0, 0.25],
        com: [0, 0, 0], shapes: [] };
    const scene = { planar: false, gravity: [0, -9.81, 0], size: 1, bodies: [GROUND, body],
        joints: [{ name: 'pin', kind: 'spherical', coupling: false, a: 0, b: 1,
            glyph: 'ball a; bearing', frame_a: frame([0, 0, 0]), frame_b: frame([0, 0.5, 0]) }],
        forces: [] };
    const swing = f32([0.5, 0, 0, 0, 0, 1]);
    const shared = { name: "joint 'pin', angle", share: f32([1]), shape: swing };
    return {
        format: 'tenon-page', version: 1, title: 'rod.yaml', live: false,
        run: { status: 'done', model: 'rod.yaml', tenon: '0.2.0' }, warnings: [],
        reproduce: 'tenon modes rod.yaml --report modes.html', scene, meshes: [],
        frames: { count: 1, time: f64([0]), position: f64([0, -0.5, 0]),
            quaternion: f64([1, 0, 0, 0]) },
        modes: { t: 0, freedoms: 3, rigid: 0, unstable: 1, damped: true, method: 'dense', list: [
            { ...shared, kind: 'swing', re: -0.4, im: 4, frequency: 2 / Math.PI, damping: 0.0995 },
            { ...shared, kind: 'swing', re: 0, im: 5, frequency: 2.5 / Math.PI, damping: 0,
                im_shape: f32([0, 0, 0.5, -1, 0, 0]) },
            { ...shared, kind: 'growth', re: 3, im: 0, frequency: 0, damping: -1 },
            { kind: 'swing', re: 0, im: 9, frequency: 4.5 / Math.PI, damping: 0, name: 'far' },
        ] },
        channels: [],
    };
}

// A plate of two triangles on a frame that goes along y and turns by a right angle about z, with two
// modes: one lifts its far end along z, the other stretches it along x. Beside it a body without a
// surface.
export function modals() {
    const body = (name, mass, kind = 'rigid') => ({ name, kind, turns: 3, mass,
        inertia: [0, 0, 0], com: [0, 0, 0], shapes: [] });
    const points = [[0, 0, 0], [1, 0, 0], [1, 0.5, 0], [0, 0.5, 0]];
    const lift = points.map(([x]) => [0, 0, x]);
    const stretch = points.map(([x]) => [x, 0, 0]);
    const scene = { planar: false, gravity: [0, 0, -9.81], size: 2, joints: [], forces: [],
        bodies: [GROUND, body('plate', 1), body('plate.q1', 0, 'amplitude'),
            body('plate.q2', 0, 'amplitude'), body('bar', 1), body('bar.q1', 0, 'amplitude'),
            body('bar.left', 0), body('bar.right', 0)],
        modals: [
            { name: 'plate', body: 1, amplitude: 2, modes: 2, attachment: 0, attachments: 0,
                points: f32(points.flat()), triangles: f32([0, 1, 2, 0, 2, 3]),
                shapes: f32([...lift.flat(), ...stretch.flat()]) },
            { name: 'bar', body: 4, amplitude: 5, modes: 1, attachment: 6, attachments: 2 },
        ] };
    const poses = (t) => [
        { position: [0, t, 0], quaternion: turned(0.5 * Math.PI * t) },
        { position: [0.01 * t, 0, 0], quaternion: [1, 0, 0, 0] },
        { position: [-0.02 * t, 0, 0], quaternion: [1, 0, 0, 0] },
        { position: [0, 0, 1], quaternion: [1, 0, 0, 0] },
        { position: [t, 0, 0], quaternion: [1, 0, 0, 0] },
        { position: [0, 0, 1], quaternion: [1, 0, 0, 0] },
        { position: [1, 0, 1 + t], quaternion: [1, 0, 0, 0] },
    ];
    return pageOf('plate.yaml', scene, timesOf(11, 1), poses, {});
}

const kinds = { fourbar, shapes, chain, modes, modals, beams, hostile, withNaN, single, empty, noScene, thinned };

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    const [kind, page, out] = process.argv.slice(2);
    if (!kinds[kind] || !out) {
        console.error(`usage: node mock.mjs KIND PAGE.html OUT.html; KIND is one of ` +
            Object.keys(kinds).join(', '));
        process.exit(1);
    }
    writeFileSync(out, fillPage(readFileSync(page, 'utf8'), kinds[kind]()));
}
