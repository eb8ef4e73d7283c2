// SPDX-License-Identifier: MIT
//
// papers.html in a headless browser: the page that `tenon paper --all --quick` has written to the
// folder TENON_PAPERS_OUT, which the test papers/quick makes. The environment beside it is that of
// browser.mjs. The title of each test says what must hold.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { launch, root, whatIsMissing } from './browser.mjs';

const LEAST_ITEMS = 60;
const file = resolve(process.env.TENON_PAPERS_OUT ?? join(root, 'build/papers.quick'), 'papers.html');
const missing = whatIsMissing() ?? (existsSync(file) ? null : `${file} is not there`);
const options = missing ? { skip: missing } : {};
if (missing)
    console.log(`skipped: ${missing}`);

let browser;

before(async () => {
    if (!missing)
        browser = await launch();
});

after(() => browser?.close());

// Opens the page; what it complains about and asks the network for is kept.
async function open(colorScheme) {
    const context = await browser.newContext({ colorScheme, viewport: { width: 1120, height: 800 } });
    const tab = await context.newPage();
    const seen = [];
    tab.setDefaultTimeout(120000);
    tab.on('console', (m) => seen.push(m.text()));
    tab.on('pageerror', (error) => seen.push(error.message));
    tab.on('request', (r) => /^(file|data):/.test(r.url()) || seen.push(r.url()));
    await tab.goto(pathToFileURL(file).href);
    return { tab, seen, close: () => context.close() };
}

test('the page has all items with verdicts, and needs nothing from outside', options, async () => {
    const { tab, seen, close } = await open('light');
    const items = await tab.$$eval('.item', (list) => list.map((item) => ({
        id: item.id,
        verdict: item.querySelector('.tag')?.textContent,
        command: item.querySelector('code')?.textContent,
        rows: item.querySelectorAll('table tr').length,
    })));
    assert.ok(items.length >= LEAST_ITEMS, `${items.length} items`);
    for (const { id, verdict, command, rows } of items) {
        assert.match(verdict, /^(agrees|agrees in shape|differs)$/, id);
        assert.match(command, /^tenon paper \w+ \w+$/, id);
        assert.ok(rows > 1, `${id} has no numbers`);
    }
    assert.equal(new Set(items.map(({ id }) => id)).size, items.length);
    const links = await tab.$$eval('a[href^="#"]', (list) => list.filter((a) =>
        !document.getElementById(a.getAttribute('href').slice(1))).map((a) => a.href));
    assert.deepEqual(links, []);
    assert.deepEqual(seen, []);
    await close();
});

// A picture that shows nothing is of one colour.
test('every picture is drawn', options, async () => {
    const { tab, close } = await open('light');
    const pictures = await tab.$$eval('figure img', (list) => Promise.all(list.map(async (img) => {
        await img.decode().catch(() => {});
        const canvas = document.createElement('canvas');
        canvas.width = canvas.height = 64;
        const pen = canvas.getContext('2d');
        if (img.naturalWidth > 0)
            pen.drawImage(img, 0, 0, 64, 64);
        const colours = new Set(new Uint32Array(pen.getImageData(0, 0, 64, 64).data.buffer));
        return { where: img.closest('.item').id, width: img.naturalWidth, colours: colours.size };
    })));
    assert.ok(pictures.length >= 40, `${pictures.length} pictures`);
    for (const { where, width, colours } of pictures) {
        assert.ok(width > 100, `a picture of ${where} is ${width} pixels wide`);
        assert.ok(colours > 8, `a picture of ${where} has ${colours} colours`);
    }
    await close();
});

test('it is light or dark as the reader likes, and nothing is cut off', options, async () => {
    for (const [scheme, low, high] of [['light', 200, 255], ['dark', 0, 60]]) {
        const { tab, close } = await open(scheme);
        const [red] = await tab.evaluate(() => getComputedStyle(document.body).backgroundColor
            .match(/\d+/g).map(Number));
        assert.ok(red >= low && red <= high, `${scheme}: ${red}`);
        const wide = await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wide <= 0, `${scheme}: ${wide} pixels beyond the window`);
        await close();
    }
});

test('it prints', options, async () => {
    const { tab, close } = await open('dark');
    const pdf = await tab.pdf({ format: 'A4' });
    const pages = pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0;
    assert.ok(pages > 20 && pages < 300, `${pages} pages`);
    await close();
});
