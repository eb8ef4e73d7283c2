// SPDX-License-Identifier: MIT
//
// A headless browser and reports made by the built command, for tests and for the gallery. The
// environment tells where things are: TENON_BINARY, TENON_MODULES (node_modules), TENON_CHROMIUM;
// by default those of the folder build/ and Debian's chromium.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
export const binary = resolve(process.env.TENON_BINARY ?? join(root, 'build/tenon'));
const modules = resolve(process.env.TENON_MODULES ?? join(root, 'build/web/node_modules'));
const browserPath = process.env.TENON_CHROMIUM ?? '/usr/bin/chromium';

// Why nothing can be tested here, or null.
export function whatIsMissing() {
    if (!existsSync(browserPath))
        return `there is no browser at ${browserPath}; on Debian: apt-get install chromium`;
    if (!existsSync(join(modules, 'playwright-core')))
        return `playwright-core is not in ${modules}; configure the build with npm installed`;
    if (!existsSync(binary))
        return `${binary} is not there; build it first`;
    return null;
}

// WebGL is drawn in software. The page around it is put together without it: in software that would
// cost more than the drawing.
export function launch() {
    const { chromium } = createRequire(join(modules, 'package.json'))('playwright-core');
    return chromium.launch({
        executablePath: browserPath,
        args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
            '--disable-gpu-compositing', '--ignore-gpu-blocklist', '--disable-quic',
            '--no-first-run', '--disable-background-networking', '--disable-component-update',
            '--disable-sync', '--enable-precise-memory-info'],
    });
}

// Runs the command in a folder; returns its exit code and what it printed.
export function tenon(folder, ...words) {
    const started = performance.now();
    const done = spawnSync(binary, words.map(String), { cwd: folder, encoding: 'utf8',
        maxBuffer: 1 << 28, env: { ...process.env, OPENBLAS_NUM_THREADS: '1' } });
    if (done.error)
        throw done.error;
    return { code: done.status, out: done.stdout, err: done.stderr,
        seconds: (performance.now() - started) / 1000 };
}

// Tabs that are ready for the next page. A new one is a new process, which costs several times what
// a page does.
const spare = [];

async function takeTab(browser, options) {
    if (!options && spare.length > 0)
        return spare.pop();
    await Promise.all(spare.splice(0).map((tab) => tab.context().close()));
    const viewport = { width: 1120, height: 640 }; // every pixel is drawn in software
    const context = await browser.newContext({ viewport, ...options });
    const tab = await context.newPage();
    tab.setDefaultTimeout(120000); // a loaded machine is slow, not wrong
    return tab;
}

// Opens a page from disk and keeps what it complains about and what it asks the network for. With
// options, which may be empty, it is alone in a new process. close() ends all that.
export async function openPage(browser, file, options, init) {
    const tab = await takeTab(browser, options);
    const seen = { complaints: [], requests: [] };
    const listeners = {
        console: (m) => {
            // The driver itself is warned of reading back pixels in software.
            const loud = ['error', 'warning'].includes(m.type());
            if (loud && !/GPU stall due to ReadPixels/.test(m.text()))
                seen.complaints.push(m.text());
        },
        pageerror: (error) => seen.complaints.push(error.message),
        request: (r) => /^(file|data|blob|about):/.test(r.url()) || seen.requests.push(r.url()),
    };
    for (const [event, listener] of Object.entries(listeners))
        tab.on(event, listener);
    if (init)
        await tab.addInitScript(init);
    const close = async () => {
        if (options)
            return tab.context().close();
        await tab.mouse.move(0, 0);
        await tab.goto('about:blank');
        for (const [event, listener] of Object.entries(listeners))
            tab.off(event, listener);
        return spare.push(tab);
    };
    const started = performance.now();
    await tab.goto(pathToFileURL(file).href);
    await tab.evaluate(() => window.tenon.ready.catch(() => {}));
    return { tab, close, seen, seconds: (performance.now() - started) / 1000 };
}

// Waits until a function holds in the page. The driver's own way to wait needs eval, which the
// policy of the page forbids.
export async function until(tab, holds, argument) {
    for (let tries = 0; !await tab.evaluate(holds, argument); tries++) {
        if (tries > 2000)
            throw new Error(`waited in vain for ${holds}`);
        await sleep(30);
    }
}

// The process of the page that is open: seconds of processor and bytes of memory.
// It is the largest: the browser keeps other, empty ones.
export async function processOfPage(browser) {
    const session = await browser.newBrowserCDPSession();
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    await session.detach();
    const each = processInfo.filter(({ type }) => type === 'renderer').map(({ id, cpuTime }) => {
        const status = `/proc/${id}/status`;
        const text = existsSync(status) ? readFileSync(status, 'utf8') : '';
        const kib = text.match(/VmRSS:\s+(\d+)/);
        return { seconds: cpuTime, bytes: kib ? 1024 * Number(kib[1]) : NaN };
    });
    return each.reduce((most, one) => (one.bytes > most.bytes ? one : most));
}

// A table of numbers with named columns, as result.csv and the page write it.
export function readTable(text) {
    const fields = (line) => [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)]
        .map((m) => m[1].replace(/^"|"$/g, '').replaceAll('""', '"'));
    const lines = text.trimEnd().split('\n');
    const names = fields(lines[0]).slice(0, lines[0].endsWith(',') ? undefined : -1);
    const rows = lines.slice(1).map((line) => line.split(',')
        .map((field) => (field === '' ? undefined : Number(field))));
    return { names, rows, column: (name) => {
        const k = names.indexOf(name);
        if (k < 0)
            throw new Error(`no column '${name}' in the table`);
        return rows.map((row) => row[k]);
    } };
}

export const readResult = (folder) => readTable(readFileSync(join(folder, 'result.csv'), 'utf8'));
