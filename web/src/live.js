// SPDX-License-Identifier: MIT
//
// A run that goes on: asks the server once a second for the rows that came since, shows how far it
// is, and can stop it.

import { find, formatNumber } from './dom.js';

const PAUSE = 1000;  // between questions [ms]
const HURRY = 100;   // when there is more to fetch already
const MANY_ROWS = 500;
const PATIENCE = 10; // answers that may fail in a row

export class Live {
    constructor(data, onrows) {
        this.data = data;
        this.onrows = onrows;
        this.failures = 0;
        find('live').hidden = !data.live;
        if (!data.live)
            return;
        find('stop').addEventListener('click', () => this.stop());
        this.show();
        setTimeout(() => this.poll(), HURRY);
    }

    async poll() {
        const before = this.data.rows;
        try {
            const answer = await fetch(`data.json?from=${this.data.next}`, { cache: 'no-store' });
            if (!answer.ok)
                throw new Error(`the server answered ${answer.status}`);
            this.data.update(await answer.json());
            this.failures = 0;
            this.onrows(before !== this.data.rows);
        } catch (error) {
            this.failures++;
            this.say(`no answer from tenon view (${error.message})`);
        }
        if (this.data.live && this.failures < PATIENCE) {
            const hurry = this.data.rows - before >= MANY_ROWS;
            setTimeout(() => this.poll(), hurry ? HURRY : PAUSE);
        } else if (this.failures > 0) {
            this.say('the connection is lost; what came so far stays here');
        }
        if (this.failures === 0)
            this.show();
    }

    say(text) {
        find('progress-text').textContent = text;
    }

    show() {
        const { run, live } = this.data;
        find('live').hidden = !live;
        const start = run.t_start ?? 0;
        const time = run.time ?? this.data.end;
        const share = run.t_end > start ? (time - start) / (run.t_end - start) : undefined;
        const bar = find('progress');
        if (share === undefined)
            bar.removeAttribute('value');
        else
            bar.value = Math.min(Math.max(share, 0), 1);
        const steps = run.steps !== undefined ? `, ${run.steps} steps` : '';
        const end = run.t_end !== undefined ? ` of ${formatNumber(run.t_end)}` : '';
        this.say(`t = ${formatNumber(time, 5)}${end} s${steps}`);
    }

    async stop() {
        find('stop').disabled = true;
        try {
            await fetch('stop', { method: 'POST' });
            this.say('stopping …');
        } catch {
            find('stop').disabled = false;
            this.say('tenon view cannot be reached');
        }
    }
}
