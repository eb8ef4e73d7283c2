// SPDX-License-Identifier: MIT
//
// The clock of the animation: where it stands, whether it runs, how fast, and whether it starts
// again at the end. Listeners hear of every change.

import { indexAt } from './data.js';

export const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50,
    100, 200, 500, 1000];

// Real time where that takes between one second and one minute, else the speed that takes about
// ten seconds.
export function naturalSpeed(span) {
    if (!(span > 0) || (span >= 1 && span <= 60))
        return 1;
    const wanted = Math.log(span / 10);
    return SPEEDS.reduce((best, s) =>
        Math.abs(Math.log(s) - wanted) < Math.abs(Math.log(best) - wanted) ? s : best);
}

export class Playback {
    #listeners = [];
    #last = 0;

    constructor(data) {
        this.data = data;
        this.time = data.start;
        this.playing = false;
        this.loop = true;
        this.speed = naturalSpeed(data.end - data.start);
    }

    listen(listener) {
        this.#listeners.push(listener);
    }

    changed() {
        for (const listener of this.#listeners)
            listener(this);
    }

    seek(t) {
        if (!Number.isFinite(t))
            return;
        this.time = Math.min(Math.max(t, this.data.start), this.data.end);
        this.changed();
    }

    play() {
        if (this.playing || !(this.data.end > this.data.start))
            return;
        if (this.time >= this.data.end)
            this.time = this.data.start;
        this.playing = true;
        this.#last = performance.now();
        this.changed();
    }

    pause() {
        this.playing = false;
        this.changed();
    }

    toggle() {
        if (this.playing)
            this.pause();
        else
            this.play();
    }

    setLoop(loop) {
        this.loop = loop;
        this.changed();
    }

    setSpeed(speed) {
        this.speed = speed;
        this.changed();
    }

    // The next or previous of the listed speeds.
    shiftSpeed(by) {
        const at = SPEEDS.reduce((best, s, i) =>
            Math.abs(Math.log(s / this.speed)) < Math.abs(Math.log(SPEEDS[best] / this.speed)) ?
                i : best, 0);
        this.setSpeed(SPEEDS[Math.min(Math.max(at + by, 0), SPEEDS.length - 1)]);
    }

    // To the stored frame `by` frames away; between frames, the first one is the nearest on
    // that side.
    step(by) {
        const time = this.data.frames.count > 0 ? this.data.frames.time :
            this.data.channels.count > 0 ? this.data.channels.time(0) : [];
        if (time.length === 0)
            return;
        this.playing = false;
        let at = indexAt(time, this.time);
        if (by < 0 && time[at] < this.time)
            at++;
        this.seek(time[Math.min(Math.max(at + by, 0), time.length - 1)]);
    }

    // Called once per picture with the time of the browser [ms].
    tick(now) {
        if (!this.playing)
            return;
        // A page in the background gets no pictures: the motion goes on where it was.
        const passed = Math.min(Math.max(now - this.#last, 0), 250) / 1000;
        this.#last = now;
        const span = this.data.end - this.data.start;
        let t = this.time + passed * this.speed;
        if (t >= this.data.end && this.loop && !this.data.live) {
            t = this.data.start + ((t - this.data.start) % span);
        } else if (t >= this.data.end) {
            t = this.data.end;
            this.playing = this.data.live;
        }
        this.time = t;
        this.changed();
    }
}
