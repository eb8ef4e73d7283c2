// SPDX-License-Identifier: MIT
//
// Bundles web/ into one page without any outside reference:
//
//   node build.mjs [--page NAME] [--modules DIR] [--out FILE]
//
// NAME is page (of a run), compare (of methods) or sweep. DIR is where npm put the packages (node_modules
// beside this file by default). The content policy of the page names its scripts by hash: whatever
// else gets into the page is never run.

import { createHash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const MARKER = '/*TENON_DATA*/';
const MOST_BYTES = 1 << 20;

const here = dirname(fileURLToPath(import.meta.url));
const { values: options } = parseArgs({
    options: { page: { type: 'string' }, modules: { type: 'string' }, out: { type: 'string' } },
});
// What the pages are made of.
const PAGES = {
    page: { template: 'index.html', main: 'main.js', css: 'style.css',
        packages: ['three', 'uplot'] },
    compare: { template: 'comparison.html', main: 'compare.js', css: 'compare.css',
        packages: ['uplot'] },
    sweep: { template: 'sweep.html', main: 'sweep.js', css: 'sweep.css', packages: ['uplot'] },
};
const name = options.page ?? 'page';
const { template, main, css, packages } = PAGES[name];
const modules = resolve(options.modules ?? join(here, 'node_modules'));
const out = resolve(options.out ?? join(here, `${name}.html`));

const { build } = createRequire(join(modules, 'package.json'))('esbuild');

async function bundle(entry) {
    const result = await build({
        entryPoints: [join(here, 'src', entry)],
        bundle: true,
        minify: true,
        write: false,
        format: 'iife',
        target: ['es2022'],
        nodePaths: [modules],
        legalComments: 'none',
        logLevel: 'warning',
    });
    return result.outputFiles[0].text.trim();
}

// Inside <script> and <style> only the closing tag could end the text early.
function inline(text, tag) {
    const end = new RegExp(`</${tag}`, 'gi');
    return text.replace(end, `<\\/${tag}`);
}

function fill(text, parts) {
    return text.replace(/\{\{(\w+)\}\}/g, (all, part) => {
        if (!(part in parts))
            throw new Error(`${name}.html: nothing is known for ${all}`);
        return parts[part];
    });
}

const script = inline(await bundle(main), 'script');
const theme = inline(await bundle('theme.js'), 'script');
const style = inline(await bundle(css), 'style');
const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const policy = [
    "default-src 'none'",
    `script-src ${hash(theme)} ${hash(script)}`,
    "style-src 'unsafe-inline'",
    'img-src data: blob:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
].join('; ');

// The licences of the packages ask to go with every copy.
const licenses = packages
    .map((from) => `${from}: ${readFileSync(join(modules, from, 'LICENSE'), 'utf8').trim()}`)
    .join('\n\n')
    .replaceAll('--', '-');

const page = fill(readFileSync(join(here, template), 'utf8'), {
    script, style, theme, policy, licenses, marker: MARKER,
});
if (page.split(MARKER).length !== 2)
    throw new Error(`${name}.html: ${MARKER} must stand in it exactly once`);
if (/\b(eval|new Function)\(/.test(script))
    throw new Error(`${name}.html: the script evaluates text`);
if (Buffer.byteLength(page) > MOST_BYTES)
    throw new Error(`${name}.html: ${Buffer.byteLength(page)} bytes, more than ${MOST_BYTES}`);

writeFileSync(`${out}.part`, page);
renameSync(`${out}.part`, out);
