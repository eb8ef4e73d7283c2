// SPDX-License-Identifier: MIT
//
// Draws the pictures of docs/gallery.md: reports of models in a headless browser, light and
// dark. After a build:
//
//   node web/gallery.mjs [FOLDER [MODEL...]]
//
// FOLDER is docs/pictures/gallery by default, models are all of the list; the environment is that of
// web/test/browser.mjs.

import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { launch, openPage, root, tenon, whatIsMissing } from './test/browser.mjs';

// The moment to show [s], what is switched on beside the usual, words of the run, times of snapshots
// and the view. A page of modes has a name of its own, and the mode to show.
const PICTURES = [
    { model: 'fourbar', at: 0.42, trail: 'coupler' },
    { model: 'slider_crank', at: 0.6 },
    { model: 'heavy_top', at: 1.2, trail: 'top' },
    { model: 'governor', at: 1.25, layers: ['force'] },
    { model: 'fourbar_spatial', at: 1.1, trail: 'coupler' },
    { model: 'six_body_linkage', at: 0.09 },
    { model: 'cam_valve', at: 0.07 },
    { model: 'wheelset', at: 0.55, words: ['--t-end', 0.6] },
    { model: 'modal/slider_crank', name: 'modes', at: 0, mode: 1 },
    { model: 'three_bar_swing', at: 1.9, snapshots: '0,0.7,1.4', look: 'right' },
];
// Wide enough for the plots beside the animation; the pictures are 960 by 600.
const SCREEN = { viewport: { width: 1280, height: 800 }, deviceScaleFactor: 0.75 };
const QUALITY = 74; // of the JPEG files

async function draw(browser, folder, target, picture, colorScheme) {
    const { model, name = model, at, trail, look, mode, layers = [] } = picture;
    const page = join(folder, name, 'report.html');
    const { tab, close, seen } = await openPage(browser, page, { ...SCREEN, colorScheme });
    if (mode !== undefined) {
        await tab.evaluate((i) => {
            window.tenon.pause();
            window.tenon.modes().choose(i);
        }, mode);
    }
    if (trail)
        await tab.locator('#body-list button', { hasText: trail }).first().click();
    for (const layer of layers)
        await tab.locator(`input[data-layer="${layer}"]`).evaluate((box) => box.click());
    await tab.evaluate((t) => {
        window.tenon.view().select(-1);
        window.tenon.seek(t);
        window.scrollTo(0, 0);
        document.activeElement.blur();
    }, at);
    if (look)
        await tab.evaluate((view) => window.tenon.view().look(view), look);
    await tab.waitForTimeout(500);
    const path = join(target, `${name}-${colorScheme}.jpg`);
    await tab.screenshot({ path, type: 'jpeg', quality: QUALITY });
    await close();
    for (const line of [...seen.complaints, ...seen.requests])
        console.error(`${name}: ${line}`);
    console.log(`${path}: ${(statSync(path).size / 1000).toFixed(0)} kB`);
}

// The report of a run, or the page of modes, in a folder of its own.
function make({ model, name, words = [] }) {
    const file = `models/${model}.yaml`;
    if (!name)
        return tenon(root, 'run', file, '--out', join(folder, model), '--quiet', '--report',
            ...words);
    mkdirSync(join(folder, name));
    return tenon(root, 'modes', file, '--report', join(folder, name, 'report.html'), ...words);
}

const missing = whatIsMissing();
if (missing) {
    console.error(`No pictures: ${missing}`);
    process.exit(1);
}
const target = resolve(process.argv[2] ?? join(root, 'docs/pictures/gallery'));
const folder = mkdtempSync(join(tmpdir(), 'tenon-gallery-'));
mkdirSync(target, { recursive: true });
const browser = await launch();
try {
    const wanted = process.argv.slice(3);
    for (const picture of PICTURES.filter(({ model, name = model }) => wanted.length === 0 ||
        wanted.includes(name))) {
        const done = make(picture);
        if (done.code !== 0)
            throw new Error(done.err);
        if (picture.snapshots) {
            tenon(root, 'report', join(folder, picture.model), '--snapshots', picture.snapshots);
        }
        for (const scheme of ['light', 'dark'])
            await draw(browser, folder, target, picture, scheme);
    }
} finally {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
}
