// SPDX-License-Identifier: MIT
//
// Puts the page together: data, clock, picture, plots, facts and controls. `window.tenon` is the
// same page for programs and tests.

import { cornersOf } from './cloud.js';
import { PageData, readPage } from './data.js';
import { find } from './dom.js';
import { csvOf } from './exports.js';
import { showFacts } from './ledger.js';
import { Live } from './live.js';
import { ModeCard } from './modes.js';
import { Panel } from './panel.js';
import { Playback } from './playback.js';
import { Plots } from './plots.js';
import { View, hasWebGL } from './scene.js';

function explain(text) {
    find('stage-note').textContent = text;
    find('stage-note').hidden = false;
}

function makeView(data) {
    if (!data.hasScene) {
        explain('There is nothing to draw: this run has no bodies, or its scene was not stored. ' +
            'The plots show what was.');
        return null;
    }
    if (!hasWebGL()) {
        explain('This browser has no WebGL, so the animation cannot be shown. The plots, the ' +
            'ledger and the exports work all the same.');
        return null;
    }
    try {
        const view = new View(find('canvas'), data);
        if (data.frames.count === 0 && !data.live)
            explain('No steps were stored: the model is shown where it starts.');
        return view;
    } catch (error) {
        explain(`The animation cannot be shown: ${error.message}`);
        return null;
    }
}

// Modes move at once, unless the system asks for less motion.
function showModes(data, playback, view, panel) {
    panel.modes = new ModeCard(data, playback, () => {
        panel.spanChanged();
        view?.grow();
        if (view)
            panel.describe();
    });
    if (!matchMedia('(prefers-reduced-motion: reduce)').matches)
        playback.play();
}

function start() {
    const data = new PageData(readPage());
    showFacts(data);
    if (data.modes)
        data.frames.normalise(cornersOf(data.scene, data.meshes), data.scene);
    const playback = new Playback(data);
    const view = makeView(data);
    const plots = new Plots(data, (t) => playback.seek(t));
    const panel = new Panel(data, playback, view, plots);
    playback.listen(({ time }) => {
        view?.update(time);
        plots.moveTo(time);
    });
    // At the end of a run that goes on, the page stays at the end.
    if (data.modes)
        showModes(data, playback, view, panel);
    const onrows = (grown) => {
        const atEnd = playback.time >= panel.scrub.max - 1e-12 || playback.time === data.start;
        showFacts(data);
        if (!grown)
            return;
        panel.spanChanged();
        plots.arrange(true);
        view?.grow();
        if (view)
            panel.describe();
        if (atEnd && !playback.playing)
            playback.seek(data.end);
    };
    new Live(data, onrows);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change',
        () => panel.themeChanged());
    const draw = (now) => {
        playback.tick(now);
        view?.render(() => panel.drawLabels());
        requestAnimationFrame(draw);
    };
    requestAnimationFrame(draw);
    return { data, playback, view, plots, panel };
}

function hookOf({ data, playback, view, plots, panel }) {
    const number = (name) => data.scene.bodies.findIndex((b) => b.name === name);
    return {
        seek: (t) => playback.seek(t),
        play: () => playback.play(),
        pause: () => playback.pause(),
        time: () => playback.time,
        playing: () => playback.playing,
        pose: (name) => data.pose(number(name), playback.time),
        drawnAt: (name) => view?.drawnAt(number(name)) ?? null,
        channels: () => data.channels.raw.map(({ name, group, unit }) => ({ name, group, unit })),
        selectChannel: (name) => plots.select(name),
        plots: () => plots.state(),
        exportCsv: () => csvOf(plots.channels()),
        exportSvg: () => plots.first()?.svg() ?? '',
        exportPng: () => plots.first()?.png().toDataURL('image/png') ?? '',
        view: () => view,
        modes: () => panel.modes ?? null,
    };
}

window.tenon = {
    ready: new Promise((resolve, reject) => {
        const begin = () => {
            try {
                Object.assign(window.tenon, hookOf(start()));
                // The first picture is there with the second frame.
                requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
            } catch (error) {
                find('broken').hidden = false;
                find('broken-reason').textContent = error.message;
                reject(error);
            }
        };
        if (document.readyState === 'loading')
            document.addEventListener('DOMContentLoaded', begin);
        else
            begin();
    }),
};
window.tenon.ready.catch(() => {}); // told in the page
