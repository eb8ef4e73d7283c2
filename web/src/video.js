// SPDX-License-Identifier: MIT
//
// A film of the animation: the picture is recorded by the browser while the run plays once, at the
// speed that is chosen, and saved as WebM. A second press ends it early.

import { find } from './dom.js';
import { download, fileName } from './exports.js';

const KINDS = ['video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm'];
const RATE = 30;      // pictures a second
const BITS = 8000000; // a second

export function canRecord(canvas) {
    return Boolean(canvas?.captureStream) && typeof MediaRecorder === 'function' &&
        KINDS.some((kind) => MediaRecorder.isTypeSupported(kind));
}

export class Video {
    constructor(view, playback, title, save = download) {
        Object.assign(this, { view, playback, title, save });
        this.button = find('video');
        this.button.hidden = !canRecord(view.canvas);
        this.button.addEventListener('click', () => this.toggle());
        playback.listen(() => this.#watch());
    }

    toggle() {
        if (this.recorder)
            this.recorder.stop();
        else
            this.start();
    }

    start() {
        const { playback, view } = this;
        const type = KINDS.find((kind) => MediaRecorder.isTypeSupported(kind));
        const parts = [];
        this.loop = playback.loop;
        this.recorder = new MediaRecorder(view.canvas.captureStream(RATE),
            { mimeType: type, videoBitsPerSecond: BITS });
        this.recorder.addEventListener('dataavailable', (event) => parts.push(event.data));
        this.recorder.addEventListener('stop', () => this.#end(new Blob(parts, { type })));
        this.button.textContent = 'Stop';
        this.button.setAttribute('aria-pressed', 'true');
        view.solid = true; // films have no transparent ground
        view.applyTheme();
        playback.pause();
        playback.setLoop(false);
        playback.seek(playback.data.start);
        this.recorder.start(1000);
        playback.play();
    }

    // The film ends with the run.
    #watch() {
        const { playback, recorder } = this;
        if (recorder?.state === 'recording' && !playback.playing &&
            playback.time >= playback.data.end)
            setTimeout(() => recorder.state === 'recording' && recorder.stop(), 200);
    }

    #end(film) {
        this.recorder = null;
        this.view.solid = false;
        this.view.applyTheme();
        this.playback.setLoop(this.loop);
        this.button.textContent = 'Video';
        this.button.setAttribute('aria-pressed', 'false');
        this.save(fileName(this.title, 'webm'), film);
    }
}
