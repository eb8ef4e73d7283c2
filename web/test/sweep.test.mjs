// SPDX-License-Identifier: MIT
//
// The page of `tenon sweep` in a headless browser: the built command makes sweeps, and what the page
// shows is compared with table.csv. The environment is that of browser.mjs. The title of each test
// says what must hold.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { launch, openPage, tenon, whatIsMissing } from './browser.mjs';

const missing = whatIsMissing();
const options = missing ? { skip: missing } : {};
if (missing)
    console.log(`skipped: ${missing}`);

const SPRING = `tenon: 1
parameters: {k: 100, m: 1, x0: 0.1}
bodies: {mass: {kind: planar, mass: m, inertia: 1, initial: {position: [x0, 0]}}}
joints: {slide: {kind: prismatic, bodies: [ground, mass], axis: [1, 0]}}
forces: {spring: {kind: joint-spring, joint: slide, stiffness: k, free: 0}}
simulate: {method: dop853/index1@joint, rtol: 1e-8, t_end: 0.5}
`;
const OUTPUTS = ['--outputs', 'v=max(mass.velocity.x),end=mass.position.x'];

let browser;
let folder;

before(async () => {
    if (missing)
        return;
    folder = mkdtempSync(join(tmpdir(), 'tenon-sweep-'));
    writeFileSync(join(folder, 'spring.yaml'), SPRING);
    browser = await launch();
});

after(async () => {
    await browser?.close();
    if (folder)
        rmSync(folder, { recursive: true, force: true });
});

// The folder of a sweep; `code` is that of the command.
function sweep(name, code, ...words) {
    const done = tenon(folder, 'sweep', 'spring.yaml', '--out', name, '--force', ...OUTPUTS, ...words);
    assert.equal(done.code, code, done.err);
    return join(folder, name);
}

// A complaint of the console or a request to the network makes the test fail when it ends.
async function open(t, directory, more) {
    const page = await openPage(browser, join(directory, 'report.html'), more);
    t.after(async () => {
        await page.close();
        assert.deepEqual(page.seen.complaints, []);
        assert.deepEqual(page.seen.requests, []);
    });
    return page.tab;
}

const state = (tab) => tab.evaluate(() => window.tenon.state());
const table = (directory) => readFileSync(join(directory, 'table.csv'), 'utf8').trimEnd().split('\n')
    .slice(1).map((line) => line.split(','));

test('a sweep of one parameter is a curve with the numbers of the table', options, async (t) => {
    const directory = sweep('curve', 0, '--set', 'k=25:400:9:log');
    const tab = await open(t, directory);
    assert.deepEqual(await state(tab), { kind: 'curve', x: 'k', y: 'v', color: null, logX: false,
        lines: 1, points: 9, cells: 0 });
    const rows = table(directory);
    for (const [k, name] of [[1, 'k'], [2, 'v'], [3, 'end']])
        assert.deepEqual(await tab.evaluate((n) => window.tenon.values(n), name),
            rows.map((row) => Number(row[k])));
    assert.equal(await tab.locator('#subtitle').innerText(), '9 cases, 9 done');
    assert.equal(await tab.locator('#cases-body tr').count(), 9);
});

test('two parameters are a map, and pointing at a cell tells its case', options, async (t) => {
    const directory = sweep('map', 0, '--set', 'k=1:400:6:log', '--set', 'm=1:4:5');
    const tab = await open(t, directory);
    assert.deepEqual(await state(tab), { kind: 'map', x: 'k', y: 'm', color: 'v', logX: true,
        lines: 0, points: 0, cells: 30 });
    const place = await tab.evaluate(() => window.tenon.placeOf(7));
    await tab.mouse.move(place.x, place.y);
    assert.match(await tab.locator('.tip').innerText(), /^case 7\n/);
    await tab.locator('#kinds [data-kind=curve]').click();
    assert.equal((await state(tab)).lines, 5);
    await tab.locator('#statistics-body button', { hasText: 'end' }).click();
    assert.equal((await state(tab)).y, 'end');
});

test('drawn values are points with colours', options, async (t) => {
    const directory = sweep('drawn', 0, '--set', 'k=25:400', '--set', 'm=1:4', '--set', 'x0=0.1:0.2',
        '--sample', 'lhs:40');
    const tab = await open(t, directory);
    assert.equal((await state(tab)).kind, 'scatter');
    await tab.locator('#color').selectOption({ label: 'm' });
    const now = await state(tab);
    assert.equal(now.color, 'm');
    assert.equal(now.points, 40);
    assert.equal(await tab.locator('#scale-name').innerText(), 'm');
});

test('cases that fail are told with their reason', options, async (t) => {
    const directory = sweep('failed', 3, '--set', 'm=-1:2:4');
    const tab = await open(t, directory);
    assert.equal(await tab.locator('#badge').innerText(), 'failed cases');
    await tab.locator('#wrong').check();
    assert.equal(await tab.locator('#cases-body tr').count(), 2);
    assert.match(await tab.locator('#cases-body tr').first().innerText(), /failed: .*mass/);
    assert.match(await tab.locator('#plot-note').innerText(), /2 cases without a value are not drawn/);
});

test('nothing is wider than a phone', options, async (t) => {
    const directory = join(folder, 'map');
    const tab = await open(t, directory, { viewport: { width: 375, height: 700 },
        colorScheme: 'dark' });
    assert.equal(await tab.evaluate(() => document.documentElement.scrollWidth), 375);
    assert.equal(await tab.evaluate(() => document.documentElement.dataset.theme), 'dark');
});
