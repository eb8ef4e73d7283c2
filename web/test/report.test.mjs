// SPDX-License-Identifier: MIT
//
// Reports of real runs in a headless browser: the built command simulates models of the repository
// and writes their pages, and what the pages show is compared with result.csv of the same runs.
// The environment is that of browser.mjs. The title of each test says what must hold.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync,
    writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { binary, launch, openPage, processOfPage, readResult, readTable, root, tenon,
    until, whatIsMissing } from './browser.mjs';

// The page holds poses as float64 in small reports and as float32 in large ones.
const POSE = 1e-6;
// One pixel of a plot some hundred pixels wide, as a part of the whole time.
const PIXEL = 1 / 300;
// Wanted of the largest reports: seconds to open and bytes in the browser. Seconds depend on what
// else the machine does, so the tests only fail far beyond; what was measured is printed.
const WANTED_SECONDS = 5;
const PATIENCE = 6;
const WANTED_BYTES = 1e9;
// Reports are thinned far below either of these, so that the larger one, with TN_LONG=1, shows the
// same with more work of the simulation.
const STORED_STEPS = process.env.TN_LONG === '1' ? 1000000 : 200000;
const PICTURES = 4; // timed while a thousand bodies play; each takes a second in software

const MODELS = {
    fourbar: ['crank', 'coupler', 'rocker'],
    slider_crank: null,
    heavy_top: null,
    governor: ['shaft', 'slider', 'rod right', 'ball right'],
    fourbar_spatial: null,
};

const missing = whatIsMissing();
const options = missing ? { skip: missing } : {};
if (missing)
    console.log(`skipped: ${missing}`);

let browser;
let folder;

before(async () => {
    if (missing)
        return;
    folder = mkdtempSync(join(tmpdir(), 'tenon-report-'));
    browser = await launch();
});

after(async () => {
    await browser?.close();
    if (folder)
        rmSync(folder, { recursive: true, force: true });
});

// Helpers
// -------------------------------------------------------------------------------------------------

function run(model, name, ...words) {
    const done = tenon(folder, 'run', model, '--out', name, '--quiet', ...words);
    assert.equal(done.code, 0, done.err);
    return { directory: join(folder, name), ...done };
}

const modelOf = (name) => join(root, 'models', `${name}.yaml`);

function report(name, ...more) {
    const done = tenon(folder, 'report', name, ...more);
    assert.equal(done.code, 0, done.err);
    return done;
}

// Opens the report in a folder of results. A complaint of the console or a request to the network
// makes the test fail when it ends.
async function open(t, name, more) {
    const page = await openPage(browser, join(folder, name, 'report.html'), more);
    t.after(async () => {
        await page.close();
        assert.deepEqual(page.seen.complaints, []);
        assert.deepEqual(page.seen.requests, []);
    });
    return page;
}

const time = (tab) => tab.evaluate(() => window.tenon.time());
const pose = (tab, name) => tab.evaluate((n) => window.tenon.pose(n), name);
const text = (tab, id) => tab.locator(id).innerText();

// Largest difference of a pose from row k of the table; a quaternion and its negative are one.
function poseError(found, table, body, k) {
    const of = (quantity, unit, axes) =>
        axes.map((i) => table.column(`${body}.${quantity}.${i} [${unit}]`)[k]);
    const away = (a, b) => Math.max(...a.map((x, i) => Math.abs(x - b[i])));
    const q = of('quaternion', '1', ['w', 'x', 'y', 'z']);
    return Math.max(away(found.position, of('position', 'm', ['x', 'y', 'z'])),
        Math.min(away(found.quaternion, q), away(found.quaternion, q.map((x) => -x))));
}

function note(t, line) {
    t.diagnostic(line);
}

// Modes
// -------------------------------------------------------------------------------------------------

test('modes of a modal body: its page moves it by the amplitude that is told', options, async (t) => {
    mkdirSync(join(folder, 'modes'));
    const done = tenon(folder, 'modes', modelOf('modal/slider_crank'), '--report',
        join('modes', 'report.html'));
    assert.equal(done.code, 0, done.err);
    const { tab } = await open(t, 'modes');
    await tab.evaluate(() => window.tenon.pause());
    const first = await tab.locator('#mode-rows tr').first().innerText();
    assert.match(done.out, new RegExp(`1 +${Number(first.split(/\s+/)[1]).toFixed(0)}`));
    const [told, drawn] = [await text(tab, '#mode-amplitude-text'), await text(tab, '#scale-high')];
    assert.equal(parseFloat(told).toPrecision(2), parseFloat(drawn).toPrecision(2));
});

// Beams
// -------------------------------------------------------------------------------------------------

test('a swing: beams go from node to node, the scale has the ends of result.csv, snapshots are drawn',
    options, async (t) => {
        run(modelOf('three_bar_swing'), 'swing', '--t-end', 0.2, '--csv');
        report('swing', '--snapshots', '0,0.1,0.2');
        const table = readResult(join(folder, 'swing'));
        const { tab } = await open(t, 'swing');
        const all = table.names.filter((name) => /\.section_force\.z/.test(name))
            .flatMap((name) => table.column(name));
        await tab.locator('#carried').selectOption('normal');
        const found = await tab.evaluate(() => {
            const { low, high } = window.tenon.view().scale;
            return [low, high];
        });
        const single = 1e-6 * Math.max(...all.map(Math.abs)); // float32
        assert.ok(Math.abs(found[0] - Math.min(...all)) < single);
        assert.ok(Math.abs(found[1] - Math.max(...all)) < single);
        await tab.evaluate(() => window.tenon.seek(0.2));
        const ends = await tab.evaluate(() => {
            const { beams, geometry, pieces } = window.tenon.view().beams;
            const [{ vertex, around, nodes }] = beams;
            const { array } = geometry.attributes.position;
            return Array.from({ length: nodes }, (_, k) => [0, 1, 2].map((i) => {
                let sum = 0;
                for (let p = 0; p < around; p++)
                    sum += array[3 * (vertex + k * pieces * around + p) + i];
                return sum / around;
            }));
        });
        assert.equal(ends.length, 21);
        ends.forEach((place, k) => place.forEach((x, i) => assert.ok(Math.abs(x -
            table.column(`beam.${k}.position.${'xyz'[i]} [m]`).at(-1)) < POSE)));
        assert.equal(await tab.evaluate(() => window.tenon.view().ghosts.length), 3);
        assert.deepEqual(await tab.locator('.label.when:visible').allInnerTexts(),
            ['0 s', '0.1 s', '0.2 s']);
    });

// Real models
// -------------------------------------------------------------------------------------------------

for (const name of Object.keys(MODELS)) {
    test(`${name}: the report plays, scrubs to the right poses, searches and exports`, options,
        async (t) => {
            run(modelOf(name), name, '--t-end', 0.5, '--csv', '--report');
            const table = readResult(join(folder, name));
            const at = table.column('time [s]');
            const { tab } = await open(t, name);
            const bodies = await tab.locator('#body-list .name').allInnerTexts();
            const expected = MODELS[name] ?? bodies;
            assert.ok(expected.length > 0 && expected.every((body) => bodies.includes(body)));
            const [, stated] = readFileSync(modelOf(name), 'utf8').match(/^name: (.*)$/m);
            assert.equal(await tab.title(), `${stated} – Tenon`);
            assert.equal(await text(tab, '#status'), '✓ done');
            assert.ok(await tab.locator('#stage-note').isHidden());

            // Play advances the time and moves what is drawn.
            const moving = bodies.at(-1);
            const drawn = () => tab.evaluate((n) => window.tenon.drawnAt(n), moving);
            const still = await drawn();
            await tab.locator('#play').click();
            await until(tab, () => window.tenon.time() > 0.02);
            await tab.locator('#play').click();
            assert.ok(await time(tab) > 0.02);
            assert.notDeepEqual(await drawn(), still);

            // Every stored pose comes back, and the line of the plots stands there.
            let worst = 0;
            for (const k of [0, 1, Math.floor(at.length / 3), at.length - 2, at.length - 1]) {
                await tab.evaluate((to) => window.tenon.seek(to), at[k]);
                for (const body of bodies)
                    worst = Math.max(worst, poseError(await pose(tab, body), table, body, k));
                for (const plot of await tab.evaluate(() => window.tenon.plots()))
                    assert.ok(Math.abs(plot.cursor - at[k]) < PIXEL * at.at(-1));
            }
            note(t, `${name}: ${bodies.length} bodies, poses within ${worst.toExponential(1)}`);
            assert.ok(worst < POSE, `a pose is ${worst} off`);
            const middle = Math.floor(at.length / 2);
            await tab.locator('#scrub').fill(String(at[middle]));
            assert.equal(await time(tab), at[middle]);
            assert.ok(poseError(await pose(tab, moving), table, moving, middle) < POSE);

            await searchAndExport(tab, table, moving);
        });
}

async function searchAndExport(tab, table, body) {
    const channel = `${body}.velocity.y`;
    await tab.locator('#clear').evaluate((button) => button.click());
    await tab.locator('#search').fill(`${body} velocity Y`);
    const found = await tab.locator('#channel-list .name').allInnerTexts();
    assert.ok(found.includes(channel), `the search finds ${found}`);
    await tab.locator(`#channel-list li:has(.name:text-is("${channel}")) input`).check();

    const csv = readTable(await tab.evaluate(() => window.tenon.exportCsv()));
    const label = `${channel} [m/s]`;
    assert.deepEqual(csv.names, ['time [s]', label]);
    assert.deepEqual(csv.column('time [s]'), table.column('time [s]'));
    assert.deepEqual(csv.column(label), table.column(label));

    const svg = await tab.evaluate(() => window.tenon.exportSvg());
    const points = [...svg.matchAll(/<path d="([^"]+)"/g)]
        .map((m) => m[1].split(/[ML]/).length - 1);
    assert.deepEqual(points, [table.rows.length]);
    assert.ok(svg.includes(label));

    const png = await tab.evaluate(() => window.tenon.exportPng());
    const colours = await tab.evaluate(async (url) => {
        const image = new Image();
        image.src = url;
        await image.decode();
        const canvas = new OffscreenCanvas(image.width, image.height);
        const pen = canvas.getContext('2d');
        pen.drawImage(image, 0, 0);
        const all = new Uint32Array(pen.getImageData(0, 0, image.width, image.height).data.buffer);
        return new Set(all).size;
    }, png);
    assert.ok(colours > 20, `the picture has ${colours} colours`); // a blank one has a few
}

test('the report of the demo stays below 3 MB', options, (t) => {
    run(modelOf('fourbar'), 'demo', '--report');
    const { size } = statSync(join(folder, 'demo/report.html'));
    note(t, `report of the demo: ${(size / 1e6).toFixed(2)} MB`);
    assert.ok(size < 3e6);
});

// Shapes that touch
// -------------------------------------------------------------------------------------------------

// What is drawn of a body: the first words of geometries.
const formsOf = (tab, body) => tab.evaluate((b) => window.tenon.view().sets
    .filter(({ layer }) => layer === 'bodies')
    .filter(({ instances }) => instances.parts.some((part) => part.body === b))
    .map(({ instances }) => instances.parts.find((part) => part.body === b).geometry.split(' ')[0]),
body);

// Where the marks of contacts are, as they went to the graphics card.
const marks = (tab) => tab.evaluate(() => {
    const { contacts, instances } = window.tenon.view().contacts;
    const { array } = instances.mesh.instanceMatrix;
    return contacts.map((_, i) => [...array.subarray(16 * i + 12, 16 * i + 15)]);
});

// The mark of each contact is at the stored point, and moves.
async function checkMarks(tab, table, names) {
    const at = table.column('time [s]');
    const seen = [];
    for (const k of [0, Math.floor(at.length / 3), at.length - 1]) {
        await tab.evaluate((to) => window.tenon.seek(to), at[k]);
        const found = await marks(tab);
        assert.equal(found.length, names.length);
        names.forEach((name, i) => ['x', 'y', 'z'].forEach((axis, c) => {
            const stored = table.column(`${name}.point.${axis} [m]`)[k];
            assert.ok(Math.abs(found[i][c] - stored) < POSE, `${name} ${axis} at ${at[k]} s`);
        }));
        seen.push(found);
    }
    assert.notDeepEqual(seen[0], seen[1]);
    assert.notDeepEqual(seen[1], seen[2]);
}

test('a cam is drawn with its body, its follower by its own shapes, and a mark where they touch',
    options, async (t) => {
        run(modelOf('cam_valve'), 'cam', '--csv', '--report');
        const { tab } = await open(t, 'cam');
        assert.deepEqual(await formsOf(tab, 1), ['plate']);
        assert.deepEqual((await formsOf(tab, 2)).sort(), ['box', 'cylinder']);
        await checkMarks(tab, readResult(join(folder, 'cam')), ['contact']);
    });

test('rails go as far as the wheels, which carry a mark of their spin', options, async (t) => {
    run(modelOf('wheelset'), 'wheelset', '--t-end', 0.2, '--csv', '--report');
    const { tab } = await open(t, 'wheelset');
    assert.deepEqual(await formsOf(tab, 0), ['plate', 'plate']);
    assert.deepEqual((await formsOf(tab, 1)).sort(), ['lathe', 'lathe', 'plate', 'plate']);
    await checkMarks(tab, readResult(join(folder, 'wheelset')), ['left', 'right']);
});

test('a wheelset that rolls away is followed, and its rails go there', options, async (t) => {
    const model = join(folder, 'away.yaml');
    writeFileSync(model, `tenon: 1
gravity: [0, 0, -9.81]
parameters: {a: 0.75, cone: 0.05, r: 0.45, head: 0.3}
bodies:
  set: {mass: 1200, inertia: [700, 100, 700], initial: {velocity: [10, 0, 0], rate: [0, 22, 0]}}
joints:
  left: {kind: wheel-rail, body: set, frame_a: {at: [0, a, 0]}, frame_b: {at: [0, a, 0]},
         rail_y: s, rail_z: 'sqrt(head^2 - (s - head*sin(cone))^2) - r - head*cos(cone)',
         rail_from: -0.1, rail_to: 0.1,
         wheel_y: s, wheel_r: r - tan(cone)*s, wheel_from: -0.1, wheel_to: 0.1}
  right: {kind: wheel-rail, body: set, frame_a: {at: [0, -a, 0]}, frame_b: {at: [0, -a, 0]},
          rail_y: s, rail_z: 'sqrt(head^2 - (s + head*sin(cone))^2) - r - head*cos(cone)',
          rail_from: -0.1, rail_to: 0.1,
          wheel_y: s, wheel_r: r + tan(cone)*s, wheel_from: -0.1, wheel_to: 0.1}
simulate: {t_end: 3, step: 0.01}
`);
    run(model, 'away', '--report');
    const { tab } = await open(t, 'away');
    assert.equal(await tab.locator('#follow').inputValue(), '1');
    const rail = await tab.evaluate(() => {
        const set = window.tenon.view().sets.find(({ instances }) =>
            instances.parts.some((part) => part.body === 0 && part.follows));
        const [part] = set.instances.parts;
        const at = part.local.elements;
        return { from: at[12], to: at[12] + at[8], beyond: part.follows.beyond };
    });
    assert.ok(Math.abs(rail.from + rail.beyond) < 0.1);
    assert.ok(Math.abs(rail.to - rail.beyond - 30) < 0.1);
});

test('wires, surfaces, balls and rings are drawn', options, async (t) => {
    const model = join(folder, 'shapes.yaml');
    writeFileSync(model, `tenon: 1
gravity: [0, 0, -9.81]
bodies:
  bar: {mass: 1, inertia: [0.1, 0.12, 0.02], com: [0.5, 0, 0], initial: {rate: [0.5, -0.21, 0.7]}}
  ball: {mass: 1, inertia: [0.01, 0.01, 0.01], initial: {position: [3, 0, 0.1]}}
  roller: {mass: 1, inertia: [0.01, 0.01, 0.01], initial: {position: [0, 5, 0]}}
joints:
  hinge: {kind: spherical, bodies: [ground, bar], at: [0, 0, 0]}
  wire: {kind: curve-on-curve, bodies: [ground, bar], x: 0.6, y: s, z: 0.3*s, from: -2, to: 2,
         x_b: s, y_b: 0, z_b: 0, from_b: 0.1, to_b: 3, lift_off: tell}
  bowl: {kind: point-on-surface, bodies: [ground, ball], frame_a: {at: [3, 0, 0]}, x: u, y: v,
         z: 0.5*(u^2 + v^2), radius: 0.1, lift_off: tell}
  plane: {kind: planar, bodies: [ground, roller], at: [0, 5, 0], axis: [0, 0, 1]}
  ring: {kind: cam, bodies: [ground, roller], frame_a: {at: [0, 4.6, 0]}, follower: roller,
         radius: 0.1, x: 0.5*cos(s), y: 0.5*sin(s), other_side: true, lift_off: ignore}
simulate: {t_end: 0.1, step: 0.01}
`);
    run(model, 'shapes', '--report');
    const { tab } = await open(t, 'shapes');
    assert.deepEqual((await formsOf(tab, 0)).sort(), ['plate', 'sheet', 'wire']);
    assert.ok((await formsOf(tab, 1)).includes('wire'));
    assert.ok((await formsOf(tab, 2)).includes('lathe'));
    assert.ok((await formsOf(tab, 3)).includes('plate'));
    // The ring has a hole, where the roller is.
    const hit = await tab.evaluate(() => {
        const set = window.tenon.view().sets.find(({ instances }) =>
            instances.parts.some((part) => part.body === 0 && part.geometry.startsWith('plate')));
        const { array } = set.instances.mesh.geometry.attributes.position;
        let least = Infinity;
        for (let i = 0; i < array.length; i += 3)
            least = Math.min(least, Math.hypot(array[i], array[i + 1]));
        return least;
    });
    assert.ok(Math.abs(hit - 0.5) < 1e-3);
});

// Size
// -------------------------------------------------------------------------------------------------

async function weigh(t, name, page) {
    const heap = await page.tab.evaluate(() => performance.memory?.usedJSHeapSize ?? 0);
    const { seconds, bytes } = await processOfPage(browser);
    const file = statSync(join(folder, name, 'report.html')).size;
    const mega = (count) => `${(count / 1e6).toFixed(1)} MB`;
    note(t, `${name}: report of ${mega(file)}, open in ${page.seconds.toFixed(2)} s (wanted: ` +
        `${WANTED_SECONDS} s), of these ${seconds.toFixed(2)} s of processor time in the page; ` +
        `heap ${mega(heap)}, process ${mega(bytes)}`);
    assert.ok(page.seconds < PATIENCE * WANTED_SECONDS, `opened in ${page.seconds} s`);
    assert.ok(seconds < WANTED_SECONDS, `the page computed for ${seconds} s`);
    assert.ok(heap < WANTED_BYTES && bytes < WANTED_BYTES, `the page takes ${bytes} bytes`);
}

test('a run of very many stored steps opens quickly and keeps its extremes', options, async (t) => {
    const end = STORED_STEPS * 1e-5;
    const done = run(modelOf('pendulum'), 'many', '--step', 1e-5, '--output', 1e-5, '--t-end', end);
    const made = report('many');
    note(t, `many: simulated in ${done.seconds.toFixed(1)} s, reported in ` +
        `${made.seconds.toFixed(1)} s`);
    const { steps } = JSON.parse(readFileSync(join(folder, 'many/summary.json'), 'utf8'));
    assert.equal(steps, STORED_STEPS);
    const page = await open(t, 'many', {}); // weighed, so alone in its process
    await weigh(t, 'many', page);
    const { tab } = page;
    await tab.locator('#clear').evaluate((button) => button.click());
    await tab.evaluate(() => window.tenon.selectChannel('bob.position.y'));
    const csv = readTable(await tab.evaluate(() => window.tenon.exportCsv()));
    const y = csv.column('bob.position.y [m]');
    // At its lowest the bob hangs one metre below; it passes there within one step of 1e-5 s with
    // 4.43 m/s, so the lowest of all rows is within 2e-9 of that, and that of every 500th is not.
    assert.ok(Math.min(...y) < -1 + 2e-9, `the lowest point in the plot is ${Math.min(...y)}`);
    await tab.evaluate((to) => window.tenon.seek(to), end / 2);
    const { position } = await pose(tab, 'bob');
    assert.ok(Math.abs(Math.hypot(...position) - 1) < 1e-3);
    rmSync(join(folder, 'many'), { recursive: true });
});

test('a model of a thousand bodies opens quickly and plays', options, async (t) => {
    const model = join(root, 'models/chain_3d.yaml');
    const done = run(model, 'chain', '--set', 'n=1000', '--t-end', 0.05, '--csv', '--report');
    note(t, `chain: simulated and reported in ${done.seconds.toFixed(1)} s`);
    const page = await open(t, 'chain', {});
    await weigh(t, 'chain', page);
    const { tab } = page;
    const table = readResult(join(folder, 'chain'));
    const end = table.column('time [s]').at(-1);
    await tab.evaluate((to) => window.tenon.seek(to), end);
    for (const body of ['rod1', 'rod500', 'rod1000'])
        assert.ok(poseError(await pose(tab, body), table, body, table.rows.length - 1) < POSE);
    await tab.evaluate(() => {
        window.tenon.seek(0);
        window.tenon.play();
    });
    await until(tab, () => window.tenon.time() > 0.005);
    const frames = await tab.evaluate((count) => new Promise((resolve) => {
        const times = [];
        const tick = (now) =>
            (times.push(now) > count ? resolve(times) : requestAnimationFrame(tick));
        requestAnimationFrame(tick);
    }), PICTURES);
    const each = (frames.at(-1) - frames[0]) / (frames.length - 1);
    note(t, `chain: ${each.toFixed(1)} ms per picture while playing, drawn in software`);
});

// Bad cases
// -------------------------------------------------------------------------------------------------

test('a result file that was cut short is told by the command, without a page', options, () => {
    const { directory } = run(modelOf('fourbar'), 'cut', '--t-end', 0.1);
    truncateSync(join(directory, 'result.h5'), 20000);
    const done = tenon(folder, 'report', 'cut');
    assert.equal(done.code, 2);
    assert.match(done.err, /^tenon: cut\/result\.h5 is cut short at 20000 bytes; copy it again/);
    assert.ok(!existsSync(join(directory, 'report.html')));
    writeFileSync(join(directory, 'result.h5'), 'not a result');
    const other = tenon(folder, 'report', 'cut');
    assert.equal(other.code, 2);
    assert.match(other.err, /^tenon: cut\/result\.h5 /);
});

test('without the summary of the run the rest is shown, with a message', options, async (t) => {
    const { directory } = run(modelOf('fourbar'), 'short', '--t-end', 0.1);
    rmSync(join(directory, 'summary.json'));
    const done = report('short', '--trust');
    assert.match(done.err, /summary\.json is missing: the ledger of the run is not known/);
    const { tab } = await open(t, 'short');
    assert.match(await text(tab, '#warning-list'), /summary\.json is missing/);
    assert.ok(await pose(tab, 'crank'));
});

const PLAIN = `tenon: 1
gravity: [0, -9.81, 0]
bodies:
  rod: {kind: planar, mass: 1, inertia: 0.1, initial: {position: [0.5, 0]}}
  bob: {kind: point, mass: 1, initial: {position: [2, 0, 0]}}
joints:
  pin: {kind: revolute, body: rod, at: [0, 0]}
simulate: {t_end: 0.2, step: 1e-3, output: 0.01}
`;

test('a model without shapes is drawn all the same', options, async (t) => {
    writeFileSync(join(folder, 'plain.yaml'), PLAIN);
    run('plain.yaml', 'plain', '--report');
    const { tab } = await open(t, 'plain');
    assert.ok(await tab.locator('#stage-note').isHidden());
    for (const body of ['rod', 'bob']) {
        const drawn = await tab.evaluate((n) => window.tenon.drawnAt(n), body);
        assert.ok(drawn.every(Number.isFinite), `${body} is not drawn`);
    }
    assert.ok(await coloursOfStage(tab) > 30, 'nothing is drawn');
});

// How many colours the picture has: that of an empty stage has only the ground and the grid.
function coloursOfStage(tab) {
    return tab.evaluate(() => new Promise((resolve) => {
        requestAnimationFrame(() => {
            const view = window.tenon.view();
            view.renderer.render(view.scene, view.camera.object);
            const canvas = new OffscreenCanvas(view.canvas.width, view.canvas.height);
            const pen = canvas.getContext('2d');
            pen.drawImage(view.canvas, 0, 0);
            const { data } = pen.getImageData(0, 0, canvas.width, canvas.height);
            resolve(new Set(new Uint32Array(data.buffer)).size);
        });
    }));
}

test('NaN in a channel leaves a gap, and the rest is shown', options, async (t) => {
    const { directory } = run(modelOf('fourbar'), 'nan', '--t-end', 0.3, '--csv');
    const table = readResult(directory);
    const kinetic = table.column('energy.kinetic [J]');
    const bytes = readFileSync(join(directory, 'result.h5'));
    const wanted = Buffer.alloc(8);
    wanted.writeDoubleLE(kinetic[12]);
    const at = bytes.indexOf(wanted);
    assert.ok(at > 0, 'the number is not in the file as it is');
    bytes.writeDoubleLE(NaN, at);
    writeFileSync(join(directory, 'result.h5'), bytes);
    report('nan', '--trust');
    const { tab } = await open(t, 'nan');
    await tab.locator('#clear').evaluate((button) => button.click());
    for (const channel of ['energy.kinetic', 'energy.potential'])
        await tab.evaluate((name) => window.tenon.selectChannel(name), channel);
    const csv = readTable(await tab.evaluate(() => window.tenon.exportCsv()));
    const shown = csv.column('energy.kinetic [J]');
    assert.ok(!Number.isFinite(shown[12]));
    shown[12] = kinetic[12];
    assert.deepEqual(shown, kinetic);
    assert.deepEqual(csv.column('energy.potential [J]'), table.column('energy.potential [J]'));
    const svg = await tab.evaluate(() => window.tenon.exportSvg());
    assert.doesNotMatch(svg, /NaN|Infinity/);
    assert.equal(svg.match(/<path d="([^"]+)"/)[1].split('M').length - 1, 2); // two pieces
});

test('one stored step is shown', options, async (t) => {
    run(modelOf('fourbar'), 'one', '--t-end', 0, '--csv', '--report');
    const table = readResult(join(folder, 'one'));
    assert.equal(table.rows.length, 1);
    const { tab } = await open(t, 'one');
    assert.ok(await tab.locator('#play').isDisabled());
    for (const body of MODELS.fourbar)
        assert.ok(poseError(await pose(tab, body), table, body, 0) < POSE);
});

// Ended while it runs: its journal is all that it leaves.
async function killedRun(name) {
    const model = join(root, 'models/chain_3d.yaml');
    const file = join(folder, name, 'result.journal');
    const size = () => (existsSync(file) ? statSync(file).size : 0);
    const child = spawn(binary, ['run', model, '--set', 'n=300', '--out', name, '--quiet', '--t-end',
        '1e9', '--output', '1e6'], { cwd: folder, stdio: 'ignore' });
    const ended = new Promise((resolve) => child.on('exit', resolve));
    for (let before = -1; size() === 0 || size() !== before;) {
        before = size();
        await sleep(400);
    }
    child.kill('SIGKILL');
    await ended;
}

test('a run that was killed: a message, and the model', options, async (t) => {
    await killedRun('killed');
    report('killed');
    const { tab } = await open(t, 'killed');
    assert.match(await text(tab, '#warning-list'), /the run goes on or was killed/);
    assert.equal(await tab.locator('#body-list li').count() > 10, true);
});

const HOSTILE = '<img src=x onerror=window.hacked=1>';

test('names with HTML and scripts in them are shown as text and never run', options, async (t) => {
    const script = '</script><script>window.hacked=2</script>';
    writeFileSync(join(folder, 'hostile.yaml'), PLAIN.replaceAll('rod', `"${HOSTILE}"`)
        .replace('pin:', `"${script}":`).replace('gravity', `name: "<b>${script}</b>"\ngravity`));
    run('hostile.yaml', 'hostile', '--report');
    const { tab } = await open(t, 'hostile');
    assert.ok((await text(tab, '#body-list')).includes(HOSTILE));
    await tab.locator('#search').fill(`${HOSTILE.replaceAll(' ', '  ')} position x`);
    const found = await tab.locator('#channel-list .name').allInnerTexts();
    assert.equal(found[0], `${HOSTILE}.position.x`);
    await tab.locator('#search').press('Enter');
    await tab.evaluate(() => document.querySelector('input[data-layer="names"]').click());
    await until(tab, (name) =>
        document.querySelector('#labels').textContent.includes(name), HOSTILE);
    const svg = await tab.evaluate(() => window.tenon.exportSvg());
    assert.ok(svg.includes('&lt;img src=x') && !svg.includes('<img'));
    assert.equal(await tab.locator('img, b, main script').count(), 0);
    await tab.waitForTimeout(200);
    assert.equal(await tab.evaluate(() => window.hacked), undefined);
});

test('a mesh that is missing is told by command and page, the others are drawn', options,
    async (t) => {
        mkdirSync(join(folder, 'meshes'));
        writeFileSync(join(folder, 'meshes/there.stl'), ['solid there', 'facet normal 0 0 1',
            'outer loop', 'vertex 0 0 0', 'vertex 0.5 0 0', 'vertex 0 0.5 0', 'endloop',
            'endfacet', 'endsolid there', ''].join('\n'));
        const shapes = '[{kind: mesh, file: meshes/there.stl}, ' +
            '{kind: mesh, file: meshes/gone.stl}]';
        writeFileSync(join(folder, 'meshes.yaml'),
            PLAIN.replace('[0.5, 0]}}', `[0.5, 0]}, shapes: ${shapes}}`));
        const done = run('meshes.yaml', 'meshed', '--report');
        assert.match(done.err, /gone\.stl/);
        const { tab } = await open(t, 'meshed');
        assert.match(await text(tab, '#warning-list'), /mesh '.*gone\.stl' .*No such file/);
        assert.ok(!(await text(tab, '#warning-list')).includes('there.stl'));
        assert.ok((await tab.evaluate(() => window.tenon.drawnAt('rod'))).every(Number.isFinite));
        assert.ok(await coloursOfStage(tab) > 30);
    });
