// SPDX-License-Identifier: MIT
//
// The page of `tenon compare` in a headless browser: the built command compares methods on models of
// the repository, and what the page shows is compared with the JSON in it and with compare.csv. The
// environment is that of browser.mjs. The title of each test says what must hold.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { launch, openPage, root, tenon, until, whatIsMissing } from './browser.mjs';

const missing = whatIsMissing();
const options = missing ? { skip: missing } : {};
if (missing)
    console.log(`skipped: ${missing}`);

let browser;
let folder;
let pendulum; // folder of a comparison that most tests look at

before(async () => {
    if (missing)
        return;
    folder = mkdtempSync(join(tmpdir(), 'tenon-compare-'));
    browser = await launch();
    pendulum = compare('pendulum', join(root, 'models/pendulum.yaml'), ...WORDS);
});

after(async () => {
    await browser?.close();
    if (folder)
        rmSync(folder, { recursive: true, force: true });
});

// The last method runs in steps far too large for it, so that one run fails.
const WORDS = ['--methods', 'galpha/ggl,galpha/index3,hht/index3', '--steps', '0.05,0.005,0.001',
    '--t-end', '0.5'];

function compare(name, model, ...words) {
    const done = tenon(folder, 'compare', model, '--out', name, '--force', ...words);
    assert.equal(done.code, 0, done.err);
    return join(folder, name);
}

// Opens the page of a comparison. A complaint of the console or a request to the network makes the
// test fail when it ends.
async function open(t, directory, more) {
    const page = await openPage(browser, join(directory, 'compare.html'), more);
    t.after(async () => {
        await page.close();
        assert.deepEqual(page.seen.complaints, []);
        assert.deepEqual(page.seen.requests, []);
    });
    return page.tab;
}

const text = (tab, id) => tab.locator(id).innerText();
const column = (tab, k) => tab.locator(`#runs-body tr td:nth-child(${k})`).allInnerTexts();
const fieldsOf = (line) => [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map((m) => m[1]);

test('the page shows every run of the table, and its points are their digits and work', options,
    async (t) => {
        const tab = await open(t, pendulum);
        assert.equal(await tab.title(), 'pendulum.yaml: methods compared – Tenon');
        assert.match(await text(tab, '#subtitle'), /^3 methods, 9 runs, 0 to 0\.5 s$/);
        assert.equal(await tab.locator('#runs-body tr').count(), 9);
        assert.ok(await tab.locator('#broken').isHidden());
        assert.match(await text(tab, '#reproduce'), /^tenon compare .*pendulum\.yaml/);

        const lines = readFileSync(join(pendulum, 'compare.csv'), 'utf8').trimEnd().split('\n')
            .map(fieldsOf);
        const head = lines.shift();
        const [error, work] = ['error q', 'evaluations'].map((name) => head.indexOf(name));
        const expected = lines.filter((l) => l[head.indexOf('status')] === 'done')
            .map((l) => [l[0], -Math.log10(Number(l[error])), Number(l[work])]);
        const [evaluations, cpu] = await tab.evaluate(() => window.tenon.points());
        const drawn = evaluations.flatMap((s) => s.points.map(([x, y]) => [s.method, x, y]));
        assert.deepEqual(drawn, expected);
        assert.equal(cpu.flatMap((s) => s.points).length, expected.length);
        assert.ok(cpu.every((s) => s.points.every(([, seconds]) => seconds > 0)));
    });

test('headings sort the table up and down, and failed runs stay last', options, async (t) => {
    const directory = compare('sorted', join(root, 'models/heavy_top.yaml'), ...WORDS);
    const tab = await open(t, directory);
    const runs = await tab.evaluate(() => window.tenon.runs());
    const failed = runs.filter((r) => !r.done).length;
    assert.ok(failed >= 1 && failed < runs.length, `${failed} runs failed`);
    assert.match(await text(tab, '#runs-body'), /failed: .*at t = /);

    const evaluations = tab.locator('#runs-head button[data-key="evaluations"]');
    const numbers = async () => (await column(tab, 5)).map(Number).slice(0, runs.length - failed);
    await evaluations.click();
    const up = await numbers();
    assert.deepEqual(up, [...up].sort((a, b) => a - b));
    assert.equal(await tab.locator('#runs-head th[aria-sort="ascending"]').innerText(),
        'evaluations');
    await tab.locator('#runs-head button[data-key="evaluations"]').click();
    assert.deepEqual(await numbers(), [...up].reverse());
    const last = tab.locator('#runs-body tr').last();
    assert.match(await last.innerText(), /failed/);
});

test('methods can be hidden, other errors chosen, and runs pointed at', options, async (t) => {
    const tab = await open(t, pendulum);
    const points = () => tab.evaluate(() => window.tenon.points()[0]);
    const before = await points();
    assert.ok(before.every((s) => s.points.length === 3));
    await tab.locator('#methods button').first().click();
    assert.deepEqual((await points()).map((s) => s.points.length), [0, 3, 3]);
    await tab.locator('#methods button').first().click();
    await tab.locator('#error').selectOption('lambda');
    const after = await points();
    assert.notDeepEqual(after.map((s) => s.points[0][0]), before.map((s) => s.points[0][0]));
    assert.deepEqual(after.map((s) => s.points[0][1]), before.map((s) => s.points[0][1]));

    // The pointer over a point tells its run.
    const [x, y] = await tab.evaluate(() => window.tenon.placeOf(0, 1, 2));
    await tab.mouse.move(x, y);
    assert.match(await tab.locator('.tip:visible').innerText(), /digits, \d+ steps, \d+ evaluations/);
});

test('light and dark differ, and a narrow window shows everything', options, async (t) => {
    const dark = await open(t, pendulum, { colorScheme: 'dark' });
    const ground = (tab) => tab.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const night = await ground(dark);
    await dark.locator('#theme').click(); // light by hand
    assert.notEqual(await ground(dark), night);

    const narrow = await open(t, pendulum, { viewport: { width: 380, height: 800 } });
    await until(narrow, () => document.querySelectorAll('.work-plot canvas').length === 2);
    const wide = await narrow.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 380, `the page is ${wide} pixels wide`);
});

test('names with HTML and scripts in them are shown as text and never run', options, async (t) => {
    const file = '<img src=x onerror=window.hacked=1>.yaml';
    writeFileSync(join(folder, file), readFileSync(join(root, 'models/pendulum.yaml')));
    const tab = await open(t, compare('hostile', file, ...WORDS));
    assert.ok((await text(tab, '#title')).includes('<img src=x'));
    assert.equal(await tab.locator('img').count(), 0);
    assert.equal(await tab.evaluate(() => window.hacked), undefined);
});
