// SPDX-License-Identifier: MIT
//
// What can be seen of a model and of two runs, in a headless browser: the outline, what is hidden,
// plots along a channel, runs over each other, gears, films. Most pages are made of mock data, some
// by the built command. The environment is that of browser.mjs and TENON_PAGE.

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { launch, openPage, root, tenon, until, whatIsMissing } from './browser.mjs';
import * as mock from './mock.mjs';

const missing = whatIsMissing();
const options = missing ? { skip: missing } : {};
if (missing)
    console.log(`skipped: ${missing}`);
const asset = process.env.TENON_PAGE ?? join(root, 'build/web/page.html');
const page = existsSync(asset) ? readFileSync(asset, 'utf8') : '';

let browser;
let folder;

before(async () => {
    if (missing)
        return;
    folder = mkdtempSync(join(tmpdir(), 'tenon-views-'));
    browser = await launch();
});

after(async () => {
    await browser?.close();
    if (folder)
        rmSync(folder, { recursive: true, force: true });
});

async function openFile(t, file, more) {
    const opened = await openPage(browser, file, more);
    t.after(async () => {
        await opened.close();
        assert.deepEqual(opened.seen.complaints, []);
        assert.deepEqual(opened.seen.requests, []);
    });
    return opened.tab;
}

function openData(t, data, more) {
    const file = join(folder, `${t.name.replace(/\W+/g, '-').slice(0, 60)}.html`);
    writeFileSync(file, mock.fillPage(page, data));
    return openFile(t, file, more);
}

function command(...words) {
    const done = tenon(folder, ...words);
    assert.equal(done.code, 0, done.err);
    return done;
}

const modelOf = (name) => join(root, 'models', `${name}.yaml`);
const number = (text) => parseFloat(text);

// The outline
// -------------------------------------------------------------------------------------------------

test('the outline nests by dots; a press on a name lists the channels of that body alone', options,
    async (t) => {
        const tab = await openData(t, mock.fourbar(['left.wheel', 'left.arm', 'right']));
        assert.deepEqual(await tab.locator('#body-list .name').allInnerTexts(),
            ['left.wheel', 'left.arm', 'right']);
        assert.equal(await tab.locator('#body-list summary').innerText(), 'left 2');
        await tab.locator('#body-list [data-pick="2"]').click();
        assert.equal(await tab.locator('#owner-name').innerText(), 'Channels of left.arm');
        const listed = await tab.locator('#channel-list .name').allInnerTexts();
        assert.deepEqual(listed, ['left.arm.position.x', 'left.arm.position.y',
            'left.arm.position.z']); // what is zero by nature is the last
        assert.equal(await tab.locator('#channel-list .still').count(), 1);
        assert.equal(await tab.evaluate(() => window.tenon.view().selected), 2);
        await tab.keyboard.press('Escape');
        assert.equal(await tab.locator('#owner').isVisible(), false);
        await tab.locator('#joints-part summary').click();
        assert.deepEqual(await tab.locator('#joint-list .name').allInnerTexts(),
            ['A', 'B', 'C', 'D']);
    });

test('a body is faded, hidden and shown again, and fit leaves out what is hidden', options,
    async (t) => {
        const tab = await openData(t, mock.fourbar());
        const drawn = () => tab.evaluate(() => {
            const matrixOf = (instances, body) => {
                const i = instances.parts.findIndex((p) => p.body === body);
                return i < 0 || !instances.mesh.visible ? 0 : Math.abs(instances.mesh.instanceMatrix.array[16 * i + 15]);
            };
            const { sets } = window.tenon.view();
            const of = (key) => Math.max(...sets.filter((s) => s.layer === 'bodies' && s[key])
                .map((s) => matrixOf(s[key], 3)), 0);
            return [of('instances'), of('twin')];
        });
        const look = tab.locator('button[data-look="3"]');
        assert.deepEqual(await drawn(), [1, 0]);
        await look.click();
        assert.equal(await look.getAttribute('aria-label'), 'rocker: faded');
        assert.deepEqual(await drawn(), [0, 1]);
        await look.click();
        assert.equal(await look.getAttribute('aria-label'), 'rocker: hidden');
        assert.deepEqual(await drawn(), [0, 0]);
        await tab.locator('button[data-look="2"]').click();
        await tab.locator('button[data-look="2"]').click();
        const height = () => tab.evaluate(() => window.tenon.view().camera.visibleHeight());
        await tab.locator('#fit').click();
        const alone = await height(); // the crank and the bearings
        await look.click();
        await tab.locator('#fit').click();
        assert.ok(await height() > 1.1 * alone, `${await height()} and ${alone}`);
        assert.deepEqual(await drawn(), [1, 0]);
    });

test('menus close by Escape and by a press elsewhere', options, async (t) => {
    const tab = await openData(t, mock.fourbar());
    const menu = tab.locator('details.menu');
    const open = () => menu.evaluate((m) => m.open);
    await menu.locator('summary').click();
    assert.equal(await open(), true);
    await tab.locator('[data-layer="names"]').check();
    assert.equal(await open(), true);
    await tab.keyboard.press('Escape');
    assert.equal(await open(), false);
    await menu.locator('summary').click();
    await tab.locator('#plots-title').click();
    assert.equal(await open(), false);
});

// Plots
// -------------------------------------------------------------------------------------------------

test('axes have titles with units; a plot goes along a channel, with a dot where the motion is',
    options, async (t) => {
        const tab = await openData(t, mock.fourbar());
        await tab.evaluate(() => {
            document.querySelector('#clear').click();
            window.tenon.selectChannel('crank.position.y');
            window.tenon.seek(0.5);
        });
        assert.equal((await tab.evaluate(() => window.tenon.plots()))[0].title,
            'crank.position.y [m]');
        const menu = tab.locator('.plot select');
        await menu.focus();
        await menu.selectOption({ label: 'against crank.position.x' });
        const texts = await tab.locator('svg.xy text').allTextContents();
        assert.ok(texts.includes('crank.position.x [m]') && texts.includes('crank.position.y [m]'));
        // The middle of the crank goes round in a circle of 0.15 m: equal scales show one.
        const box = await tab.locator('svg.xy path').evaluate((p) => {
            const { width, height } = p.getBBox();
            return [width, height];
        });
        assert.ok(Math.abs(box[0] / box[1] - 1) < 0.02, String(box));
        const [x, y] = await tab.locator('svg.xy circle').evaluate((c) =>
            [Number(c.getAttribute('cx')), Number(c.getAttribute('cy'))]);
        const place = await tab.evaluate(() => {
            const { position } = window.tenon.pose('crank');
            const path = document.querySelector('svg.xy path').getBBox();
            return [path.x + path.width * (0.5 + position[0] / 0.3),
                path.y + path.height * (0.5 - position[1] / 0.3)];
        });
        assert.ok(Math.hypot(x - place[0], y - place[1]) < 1.5, `${[x, y]} and ${place}`);
        await menu.selectOption('-1');
        assert.equal(await tab.locator('.plot .uplot').count(), 1);
    });

// Two runs
// -------------------------------------------------------------------------------------------------

test('two runs move in one picture, with curves of both and differences as the numbers have them',
    options, async (t) => {
        command('run', modelOf('pendulum'), '--t-end', 1, '--out', 'short', '--quiet');
        command('run', modelOf('pendulum'), '--t-end', 1.5, '--set', 'length=1.1', '--out', 'long',
            '--quiet', '--output', 0.004);
        const { err } = command('report', 'short', 'long', '-o', 'both.html');
        assert.match(err, /short ends at 1 s and long at 1.5 s/);
        const tab = await openFile(t, join(folder, 'both.html'));
        assert.equal(await tab.locator('#title').innerText(), 'pendulum: short and long');
        await tab.evaluate(() => {
            document.querySelector('#clear').click();
            window.tenon.selectChannel('bob.position.x');
            window.tenon.seek(0.9);
        });
        const plots = await tab.evaluate(() => window.tenon.plots());
        assert.deepEqual(plots.map((p) => p.channels), [
            ['short: bob.position.x', 'long: bob.position.x'], ['short − long: bob.position.x']]);
        assert.deepEqual(plots[0].range, [0, 1.5]);
        const values = (await tab.locator('.legend .value').allInnerTexts()).map(number);
        // Cubics through rows 0.01 s apart; values are told with five digits.
        assert.ok(Math.abs(values[0] - values[1] - values[2]) < 2e-4, String(values));
        const at = await tab.evaluate(() => {
            const [over] = window.tenon.view().overs;
            const p = new Float64Array(7);
            const { frames } = over.data;
            const k = frames.time.findIndex((s) => Math.abs(s - 0.9) < 1e-9);
            frames.pose(0, { index: k, part: 0 }, p);
            const set = over.figure.sets.find(({ instances }) => instances.mesh.geometry.type ===
                'SphereGeometry');
            return [[...set.instances.mesh.instanceMatrix.array.slice(12, 14)], [p[0], p[1]]];
        });
        at[0].forEach((x, i) => assert.ok(Math.abs(x - at[1][i]) < 1e-5, String(at)));
        assert.match(await tab.locator('#model-differences').innerText(),
            /length is 1 in short and 1\.1 in long/);
        assert.match(await tab.locator('#legend-line').innerText(), /seen through: long/);
        await tab.locator('#compared').selectOption('difference');
        assert.equal((await tab.evaluate(() => window.tenon.plots())).length, 1);
        await tab.evaluate(() => window.tenon.seek(1.5)); // the longer one goes on
        assert.equal(await tab.evaluate(() => window.tenon.time()), 1.5);
    });

test('of more runs each has its colour, and those seen through are switched one by one', options,
    async (t) => {
        for (const length of [1, 1.1, 1.2, 1.3])
            command('run', modelOf('pendulum'), '--t-end', 1, '--set', `length=${length}`, '--out',
                `of${length}`, '--quiet');
        command('report', 'of1', 'of1.1', 'of1.2', 'of1.3', '-o', 'four.html');
        const tab = await openFile(t, join(folder, 'four.html'));
        assert.equal(await tab.locator('#title').innerText(),
            'pendulum: of1, of1.1, of1.2 and of1.3');
        await tab.evaluate(() => {
            document.querySelector('#clear').click();
            window.tenon.selectChannel('bob.position.x');
            window.tenon.selectChannel('bob.position.y');
            window.tenon.seek(0.9);
        });
        const plots = await tab.evaluate(() => window.tenon.plots());
        assert.deepEqual(plots.map((p) => p.channels.length), [8, 6]);
        assert.equal(plots[1].channels[2], 'of1 − of1.3: bob.position.x');
        const swatches = await tab.locator('.plot').first().locator('.swatch')
            .evaluateAll((all) => all.map((s) => [s.style.background, s.className]));
        assert.equal(new Set(swatches.slice(0, 4).map(([color]) => color)).size, 4);
        assert.deepEqual(swatches.map(([color]) => color).slice(0, 4),
            swatches.map(([color]) => color).slice(4)); // those of the runs
        assert.deepEqual(swatches.map(([, name]) => name.includes('dashed')),
            [false, false, false, false, true, true, true, true]);
        const seen = () => tab.evaluate(() => window.tenon.view().overs.map(({ figure }) =>
            figure.meshes.every((mesh) => mesh.visible)));
        assert.deepEqual(await seen(), [true, true, true]);
        await tab.locator('[data-layer="over2"]').evaluate((box) => box.click());
        assert.deepEqual(await seen(), [true, false, true]);
        assert.match(await tab.locator('#legend-line').innerText(), /seen through: of1\.1, of1\.3/);
        assert.equal(await tab.locator('#run-heads th').count(), 5);
        assert.match(await tab.locator('#model-differences').innerText(),
            /length is 1 in of1 and 1\.3 in of1\.3/);
    });

// The picture
// -------------------------------------------------------------------------------------------------

test('gears and racks have teeth that mesh, and the title is the name of the model', options,
    async (t) => {
        command('run', modelOf('gear_train'), '--t-end', 0.5, '--out', 'gears', '--quiet', '--report');
        const tab = await openFile(t, join(folder, 'gears', 'report.html'));
        assert.equal(await tab.locator('#title').innerText(), 'gear train');
        const plates = await tab.evaluate(() => window.tenon.view().data.scene.bodies.map((b) =>
            b.shapes.filter((s) => s.gear).map((s) => ({ reach: Math.max(...s.points.slice(0,
                s.hole ?? s.points.length).map(Math.abs)), teeth: (s.hole ?? 0) / 8 }))));
        // Modules of 4 mm: radii are half the teeth times that, and teeth a module higher.
        const near = (x, y) => Math.abs(x - y) < 1e-3;
        assert.deepEqual(plates[1].map((p) => p.teeth), [20]);
        assert.ok(near(plates[1][0].reach, 0.04 + 0.004), JSON.stringify(plates));
        assert.deepEqual(plates[2].map((p) => p.teeth), [60, 20]);
        assert.ok(near(plates[2][0].reach, 0.12 + 0.004));
        assert.equal(plates[3][0].teeth, 80);
        assert.equal(plates[4].length, 1); // the rack is on the load
    });

// Two wheels that turn on the ground, at places and about axes.
const wheels = (names, at, axes, gear) => `tenon: 1
bodies:
${names.map((n, i) => `  ${n}: {mass: 1, inertia: [0.1, 0.1, 0.1], initial: {position: [${at[i]}]}}`)
        .join('\n')}
joints:
${names.map((n, i) => `  j${i}: {kind: revolute, body: ${n}, at: [${at[i]}], axis: [${axes[i]}]` +
        `${i === 0 ? ', initial: {rate: 3}' : ''}}`).join('\n')}
  g: {kind: gear, joint_1: j0, joint_2: j1, ${gear}}
simulate: {t_end: 0.5, method: galpha/ggl, step: 0.01}
`;

test('belts, rings and bevel gears are drawn', options, async (t) => {
    const platesOf = async (name, text) => {
        writeFileSync(join(folder, `${name}.yaml`), text);
        command('run', `${name}.yaml`, '--out', name, '--quiet', '--force', '--report');
        const tab = await openFile(t, join(folder, name, 'report.html'));
        return tab.evaluate(() => window.tenon.view().data.scene.bodies.map((b) => b.shapes
            .filter((s) => s.gear).map((s) => ({ reach: Math.max(...s.points.map(Math.abs)),
                inner: Math.min(...s.points.slice(s.hole).filter((_, i) => i % 2 === 0)
                    .map((x, i) => Math.hypot(x, s.points[s.hole + 2 * i + 1]))),
                corners: s.hole / 2, belt: Boolean(s.belt), from: s.from, to: s.to,
                taper: s.taper ?? 0 }))));
    };
    const near = (x, y, tolerance = 1e-6) => assert.ok(Math.abs(x - y) < tolerance, `${x} and ${y}`);
    const flat = ['0, 0, 1', '0, 0, 1'];
    // The belt is round both pulleys, and on the ground, which carries both axes.
    const belt = await platesOf('belt', wheels(['pulley', 'drum'], ['0, 0, 0', '0.5, 0, 0'], flat,
        'ratio_1: 1, ratio_2: -2'));
    assert.deepEqual(belt.map((plates) => plates.length), [1, 1, 1]);
    assert.ok(belt[0][0].belt);
    near(belt[1][0].reach, 0.1, 1e-3); // radii are a fifth and two fifths of 0.6 of the distance
    near(belt[2][0].reach, 0.2, 1e-3);
    near(belt[0][0].reach, 0.5 + 0.2 + 0.06 * 0.2);
    // A ring of 60 teeth round a wheel of 20: radii 0.3 and 0.1 at a distance of 0.2.
    const ring = await platesOf('ring', wheels(['sun', 'ring'], ['0.2, 0, 0', '0, 0, 0'], flat,
        'ratio_1: 20, ratio_2: -60'));
    assert.equal(ring[1][0].corners, 4 * 20);
    near(ring[1][0].reach, 0.1 + 0.01, 1e-3);
    near(ring[2][0].inner, 0.3 - 0.01, 1e-3);
    // What nothing tells is not drawn.
    const none = await platesOf('none', wheels(['one', 'two'], ['0.2, 0, 0', '0, 0, 0'], flat,
        'ratio_1: 20, ratio_2: -60'));
    assert.deepEqual(none.map((plates) => plates.length), [0, 0, 0]);
    // Axes that meet at a right angle, 20 and 40 teeth: tan d = 1/2, both as far from where they meet.
    const bevel = await platesOf('bevel', wheels(['one', 'two'], ['0.4, 0, 0', '0, 0, 0.2'],
        ['1, 0, 0', '0, 0, 1'], 'ratio_1: 20, ratio_2: 40'));
    const radius = ({ reach, taper }) => (taper > 0 ? reach * (1 + taper) : reach);
    near(radius(bevel[1][0]), 0.2 + 0.02, 2e-3);
    near(radius(bevel[2][0]), 0.4 + 0.02, 2e-3);
    near(Math.max(Math.abs(bevel[1][0].from), Math.abs(bevel[1][0].to)), 0.12, 1e-6);
    near(bevel[2][0].to, 0);
    assert.ok(Math.abs(bevel[1][0].taper) > 0.2);
});

test('what is round shows its turns, and a slider has its sign where it is', options, async (t) => {
    const data = mock.shapes();
    Object.assign(data.scene.bodies[2].shapes[0], { radius: 0.4, length: 0.1 });
    Object.assign(data.scene.bodies[3].shapes[0], { radius: 0.22 });
    const tab = await openData(t, data);
    const marks = await tab.evaluate(() => window.tenon.view().sets.flatMap((s) =>
        s.instances.parts).filter((p) => p.mark).map((p) => p.body));
    assert.deepEqual(marks.sort(), [2, 3, 3]);
    await tab.evaluate(() => window.tenon.seek(2));
    const heights = await tab.evaluate(() => {
        const { sets } = window.tenon.view();
        const found = [];
        for (const { instances } of sets)
            instances.parts.forEach((part, i) => {
                if (part.goes && part.geometry === 'cylinder')
                    found.push(instances.mesh.instanceMatrix.array[16 * i + 14]);
            });
        return [found[0], window.tenon.pose('box body').position[2]];
    });
    assert.ok(Math.abs(heights[0] - heights[1]) < 1e-5, String(heights));
});

test('shadows fall on the ground where they are asked for', options, async (t) => {
    const tab = await openData(t, mock.shapes());
    const dark = () => tab.evaluate(async () => {
        const view = window.tenon.view();
        view.dirty = true;
        view.render();
        const image = await createImageBitmap(view.canvas);
        const copy = new OffscreenCanvas(image.width, image.height).getContext('2d');
        copy.drawImage(image, 0, 0);
        const { data: pixels } = copy.getImageData(0, 0, image.width, image.height);
        let sum = 0;
        for (let i = 3; i < pixels.length; i += 4)
            sum += pixels[i];
        return sum;
    });
    await tab.locator('details.menu summary').click();
    await tab.locator('[data-layer="shadows"]').setChecked(false);
    const without = await dark();
    await tab.locator('[data-layer="shadows"]').setChecked(true);
    assert.ok(await dark() > 1.001 * without); // the ground is clear but for lines and shadows
});

test('a run that failed looks it', options, async (t) => {
    const data = mock.fourbar();
    data.run = { ...data.run, status: 'failed', reason: 'the step became too small' };
    const tab = await openData(t, data);
    assert.match(await tab.locator('#status').innerText(), /failed/);
    assert.match(await tab.locator('#warnings').innerText(), /failed\s+.*the step became too small/);
    const frame = await tab.evaluate(() => getComputedStyle(document.querySelector('.stage'),
        '::after').borderTopWidth);
    assert.equal(frame, '3px');
});

test('a film of the run is saved as WebM', options, async (t) => {
    const data = mock.fourbar(undefined, 31);
    data.frames.time = mock.f64(Array.from({ length: 31 }, (_, k) => k / 30));
    const tab = await openData(t, data);
    const saved = tab.waitForEvent('download');
    await tab.locator('#video').click();
    assert.equal(await tab.locator('#video').innerText(), 'Stop');
    const film = await saved;
    assert.match(film.suggestedFilename(), /\.webm$/);
    const bytes = readFileSync(await film.path());
    assert.equal(bytes.subarray(0, 4).toString('hex'), '1a45dfa3'); // of Matroska
    assert.ok(bytes.length > 5000, String(bytes.length));
    await until(tab, () => document.querySelector('#video').textContent === 'Video');
});

test('on a phone menus, outlines and plots along a channel stay within the screen', options,
    async (t) => {
        const tab = await openData(t, mock.fourbar(), { viewport: { width: 360, height: 740 },
            hasTouch: true, isMobile: true });
        const width = () => tab.evaluate(() => document.documentElement.scrollWidth);
        await tab.locator('details.menu summary').tap();
        assert.ok(await width() <= 360);
        const menu = await tab.locator('#layers').boundingBox();
        assert.ok(menu.x >= 0 && menu.x + menu.width <= 360, JSON.stringify(menu));
        await tab.locator('.plot select').first().focus();
        await tab.locator('.plot select').first().selectOption({ index: 1 });
        assert.ok(await width() <= 360);
    });
