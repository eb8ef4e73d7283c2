// SPDX-License-Identifier: MIT
//
// How far a run can be trusted, what the model consists of, which method was used and why, and how
// to do it again.

import { find, formatNumber, formatVector, make, plural } from './dom.js';

// Rated quantities: a sign and a word beside each colour.
const RATINGS = {
    pass: { sign: '✓', word: 'pass' },
    warn: { sign: '!', word: 'check' },
    fail: { sign: '✗', word: 'fail' },
};

function badge(rating) {
    if (!RATINGS[rating])
        return '';
    const { sign, word } = RATINGS[rating];
    return make('span', { class: `badge ${rating}` },
        make('span', { 'aria-hidden': 'true' }, sign), ` ${word}`);
}

function below(value, limit) {
    if (typeof value !== 'number' || !Number.isFinite(value))
        return 'fail';
    return Math.abs(value) < limit ? 'pass' : 'warn';
}

// Of results without a verdict of their own.
const LIMITS = { g: 1e-6, Bv: 1e-5, energy: 1e-2, rejected: 0.2 };

// How a quantity was judged: the rating, and the bound in words. Rows between steps count with g.
function verdict(run, quantities, value) {
    const found = (run.judged ?? []).filter(({ quantity }) => quantities.includes(quantity));
    if (found.length === 0) {
        const limit = LIMITS[quantities[0]];
        return [below(value, limit), `Pass below ${formatNumber(limit)}.`];
    }
    const doubtful = (run.doubts ?? []).some(({ quantity }) => quantities.includes(quantity));
    const { value: part, bound } = found[0];
    return [doubtful || value === null ? 'fail' : 'pass',
        `Judged as ${formatNumber(part, 3)} of the size of the mechanism, its speeds or its ` +
        `energy; pass up to ${formatNumber(bound, 3)}.`];
}

function residualRows(run) {
    const { g } = run.residuals ?? {};
    // What is not a number is null in JSON.
    const rate = run.residuals?.Bv === undefined ? run.residuals?.gdot : run.residuals.Bv;
    const rows = [];
    if (g !== undefined) {
        const [rating, bound] = verdict(run, ['g', 'rows'], g);
        rows.push({ name: 'max |g|', value: formatNumber(g, 3), rating,
            hint: 'How far joints come apart: the largest residual of the constraints over the ' +
                `run, in metres and radians. ${bound}` });
    }
    if (rate !== undefined) {
        const what = 'How fast joints come apart: the largest residual of the constraints on ' +
            'velocity level.';
        const [rating, bound] = verdict(run, ['Bv'], rate);
        // Exact between nodes, where it is of the order of the square of the step at them.
        const between = run.method?.startsWith('energy-momentum') && Number.isFinite(rate) &&
            !run.judged;
        rows.push({ name: 'max |Bv|', value: formatNumber(rate, 3),
            rating: between ? undefined : rating,
            hint: between
                ? `${what} With energy-momentum it goes with the square of the step.`
                : `${what} ${bound}` });
    }
    return rows;
}

function energyRows(run) {
    const { energy } = run;
    if (!energy)
        return [];
    const joule = (x) => `${formatNumber(x, 5)} J`;
    const rows = [];
    if (energy.relative !== undefined) {
        const [rating, bound] = verdict(run, ['energy'], energy.relative);
        rows.push({ name: 'energy balance, relative', value: formatNumber(energy.relative, 3),
            rating,
            hint: 'Stored + dissipated − supplied energy against its start, at most over the ' +
                `run, as a part of the energy exchanged. ${bound}` });
    }
    if (energy.max_balance !== undefined) {
        rows.push({ name: 'energy balance, at most', value: joule(energy.max_balance),
            hint: 'The same as an energy.' });
    }
    if (energy.band !== undefined) {
        rows.push({ name: 'energy band',
            value: `${joule(energy.band[0])} … ${joule(energy.band[1])}`,
            hint: 'The smallest and the largest balance over the run.' });
        rows.push({ name: 'energy drift', value: `${formatNumber(energy.drift, 3)} J/s`,
            hint: 'Slope of the straight line nearest to the balance over time: what the method ' +
                'adds or takes away steadily.' });
    }
    if (energy.initial !== undefined && energy.final !== undefined) {
        rows.push({ name: 'energy, start → end',
            value: `${joule(energy.initial)} → ${joule(energy.final)}`,
            hint: 'Kinetic and potential energy.' });
    }
    if (energy.dissipated || energy.supplied) {
        rows.push({ name: 'dissipated, supplied',
            value: `${joule(energy.dissipated)}, ${joule(energy.supplied)}`,
            hint: 'By dampers and friction; by drives, motors and applied forces.' });
    }
    return rows;
}

function elementRows(run) {
    const size = ({ dissipated, supplied }) => Math.max(Math.abs(dissipated), Math.abs(supplied));
    const parts = ({ dissipated, supplied }) => [
        dissipated ? `dissipated ${formatNumber(dissipated, 5)} J` : '',
        supplied ? `supplied ${formatNumber(supplied, 5)} J` : ''];
    return [...(run.energy?.works ?? [])].sort((a, b) => size(b) - size(a)).map((work) => ({
        name: `work of ${[work.kind, work.name].filter(Boolean).join(' ')}`,
        value: parts(work).filter(Boolean).join(', '),
        hint: 'What this element has turned into heat or put in over the run.' }));
}

function momentumRows(momentum) {
    if (!momentum?.linear_initial)
        return [];
    const arrow = (a, b) => `${formatVector(a, 3)} → ${formatVector(b, 3)}`;
    return [
        { name: 'linear momentum [kg m/s]',
            value: arrow(momentum.linear_initial, momentum.linear_final),
            hint: 'Constant only where nothing outside acts on the model.' },
        { name: 'angular momentum [kg m²/s]',
            value: arrow(momentum.angular_initial, momentum.angular_final),
            hint: 'About the origin; constant only where nothing outside acts on the model.' },
        ...(momentum.linear_change ? [{ name: 'largest change of momenta',
            value: `${formatVector(momentum.linear_change, 3)}, ` +
                formatVector(momentum.angular_change, 3),
            hint: 'Of each component, linear and angular, over the run.' }] : []),
    ];
}

function workRows(run) {
    const rows = [];
    const perStep = run.steps > 0 && run.newton !== undefined ?
        `, ${formatNumber(run.newton / run.steps, 2)} per step` : '';
    if (run.steps !== undefined)
        rows.push({ name: 'steps', value: String(run.steps), hint: 'Accepted steps.' });
    if (run.rejected !== undefined) {
        const share = run.rejected / Math.max(run.steps + run.rejected, 1);
        rows.push({ name: 'rejected steps', value: String(run.rejected),
            rating: share <= LIMITS.rejected ? 'pass' : 'warn',
            hint: 'Steps taken back and tried again with a smaller one. Pass up to ' +
                `${100 * LIMITS.rejected} % of all.` });
    }
    if (run.newton !== undefined) {
        rows.push({ name: 'Newton iterations', value: `${run.newton}${perStep}`,
            hint: 'Solutions of a linear system to find the roots of a step.' });
    }
    if (run.factorizations !== undefined) {
        rows.push({ name: 'factorisations', value: String(run.factorizations),
            hint: 'Of the iteration matrix; each serves many iterations.' });
    }
    const wall = run.wall_time ?? run.wall;
    if (wall !== undefined) {
        const span = run.time - (run.t_start ?? 0);
        const per = span > 0 ? `, ${formatNumber(wall / span, 3)} s per simulated second` : '';
        rows.push({ name: 'wall time', value: `${formatNumber(wall, 3)} s${per}`,
            hint: 'How long the computation took.' });
    }
    return rows;
}

function requiredRows(required) {
    return (required ?? []).map((r) => ({
        name: `required: ${r.quantity} < ${formatNumber(r.limit)}`,
        value: formatNumber(r.found, 3),
        rating: r.met ? 'pass' : 'fail',
        hint: 'Asked for with --require.',
    }));
}

// Of runs with --error.
function errorRows(run) {
    if (!run.error)
        return [];
    const { positions, velocities, reason } = run.error;
    const [rating, bound] = verdict(run, ['error'], positions);
    return [{
        name: 'estimated error',
        value: reason ? 'not known' : formatNumber(Math.max(positions, velocities), 2),
        rating: reason ? 'fail' : rating,
        hint: reason ?? 'How far positions and speeds are off, as parts of the largest of the ' +
            `motion, by a finer run of the same method. ${bound}`,
    }];
}

export function ledgerRows(run) {
    return [...requiredRows(run.required), ...errorRows(run), ...residualRows(run), ...energyRows(run),
        ...elementRows(run), ...workRows(run), ...momentumRows(run.momentum)];
}

function showLedger(run) {
    const rows = ledgerRows(run);
    find('ledger-rows').replaceChildren(...rows.map((row) => make('tr', {},
        make('th', { scope: 'row', title: row.hint }, row.name),
        make('td', { class: 'number' }, row.value),
        make('td', { class: 'rating' }, row.rating ? badge(row.rating) : ''))));
    find('ledger-help').replaceChildren(...rows.flatMap((row) =>
        [make('dt', {}, row.name), make('dd', {}, row.hint)]));
    find('ledger-more').hidden = rows.length === 0;
    find('ledger-none').hidden = rows.length > 0;
}

// The model and the method
// ---------------------------------------------------------------------------------------------

const MODAL = { frame: 'modal', attachment: 'attachment' };

function countKinds(list) {
    const counts = new Map();
    for (const { kind } of list)
        counts.set(kind ?? 'unknown', (counts.get(kind ?? 'unknown') ?? 0) + 1);
    return [...counts].map(([kind, n]) => (list.length > 1 ? `${n} ${kind}` : kind)).join(', ');
}

function facts(id, pairs) {
    find(id).replaceChildren(...pairs.filter(([, value]) => value !== undefined && value !== '')
        .flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)]));
}

function showModel({ scene, hasScene, run, frames, rows, start, end, channels, modes }) {
    const bodies = scene.bodies.slice(1).filter(({ part }) => part !== 'amplitude')
        .map((body) => (body.part ? { ...body, kind: MODAL[body.part] } : body));
    const counted = (list) => (list.length > 0 ? `${list.length} (${countKinds(list)})` : '0');
    const mass = bodies.reduce((sum, b) => sum + (b.mass || 0), 0);
    const freedoms = modes?.freedoms ?? run.freedoms ?? scene.freedoms;
    const redundant = run.redundant ?? scene.redundant;
    facts('model-facts', [
        ['bodies', hasScene ? counted(bodies) : undefined],
        ['joints', hasScene ? counted(scene.joints) : undefined],
        ['forces', hasScene ? counted(scene.forces) : undefined],
        ['freedoms', freedoms === undefined ? undefined : String(freedoms)],
        ['redundant constraints', redundant === undefined ? undefined : String(redundant)],
        ['total mass', hasScene ? `${formatNumber(mass)} kg` : undefined],
        ['gravity', hasScene ? `${formatVector(scene.gravity)} m/s²` : undefined],
        ['moves in', hasScene ? (scene.planar ? 'the plane' : 'space') : undefined],
        ['shown here', modes ? undefined : `${plural(frames.count || rows, 'row')} from ${formatNumber(start)} to ` +
            `${formatNumber(end)} s, ${plural(channels.count, 'channel')}`],
    ]);
}

function showMethod({ run, reproduce, modes }) {
    const step = run.step_min !== undefined && run.step_min !== run.step ?
        `${formatNumber(run.step_min)} to ${formatNumber(run.step)} s` :
        run.step !== undefined ? `${formatNumber(run.step)} s` : undefined;
    facts('method-facts', [
        ['modes', modes ? MODES[modes.method] ?? modes.method : undefined],
        ['damping', modes ? (modes.damped ? 'taken into account, with gyroscopic and follower ' +
            'forces' : 'none, or left out') : undefined],
        ['method', run.method],
        ['chosen', run.why],
        ['step', step],
        ['linear solver', run.solver],
        ['rotations', run.rotation],
        ['model file', run.model],
        ['Tenon', run.tenon],
    ]);
    find('reproduce-part').hidden = !reproduce;
    find('reproduce').textContent = reproduce;
}

const MODES = {
    dense: 'dense matrices, on the null space of the constraints',
    sparse: 'sparse factors and ARPACK: the slowest ones',
};

const STATUS = {
    done: ['pass', 'done'],
    ended: ['pass', 'ended early'],
    doubtful: ['fail', 'doubtful'],
    running: ['running', 'running'],
    stopped: ['warn', 'stopped'],
    interrupted: ['warn', 'stopped'],
    failed: ['fail', 'failed'],
};

// Of modes: whether one of them grows.
function statusOfModes({ unstable, rigid }) {
    return unstable > 0 ? ['fail', `unstable: ${plural(unstable, 'mode')}`] :
        rigid > 0 ? ['', plural(rigid, 'rigid mode')] : ['pass', 'stable'];
}

function showStatus({ run, live, modes }) {
    const [rating, word] = modes ? statusOfModes(modes) : live ? STATUS.running : STATUS[run.status] ??
        ['', String(run.status ?? 'unknown')];
    const sign = RATINGS[rating]?.sign ?? '●';
    find('status').className = `badge ${rating}`;
    find('status').replaceChildren(make('span', { 'aria-hidden': 'true' }, sign), ` ${word}`);
    const t = run.time !== undefined ? `to t = ${formatNumber(run.time, 5)} s` : '';
    find('subtitle').textContent = (modes ? [plural(modes.list?.length ?? 0, 'mode'),
        `about the state at t = ${formatNumber(modes.t)} s`,
        modes.damped ? 'damped' : 'undamped'] : [run.method, t]).filter(Boolean).join(' · ');
}

const warningsOf = (run) => [...(run.reason ? [`ended before its time: ${run.reason}`] : []),
    ...(run.doubts ?? []).map(({ text }) => `doubtful: ${text}`)];

// Runs side by side, and what their models differ by.
function showRuns({ run, label, overs }) {
    find('runs').hidden = overs.length === 0;
    if (overs.length === 0)
        return;
    const many = overs.length > 1;
    const swatch = (i) => make('span', { class: 'swatch', 'aria-hidden': 'true',
        style: `background: var(--run-${i})` });
    find('run-heads').replaceChildren(make('th', { scope: 'col' }),
        make('th', { scope: 'col' }, ...(many ? [swatch(0)] : []), label),
        ...overs.map((over, i) => make('th', { scope: 'col' }, ...(many ? [swatch(i + 1)] : []),
            `${over.label} (${many ? '' : 'dashed, '}seen through)`)));
    const number = (x, unit = '') => (x === undefined ? '–' : `${formatNumber(x, 4)}${unit}`);
    const rows = [['outcome', (r) => r.status ?? 'unknown'], ['method', (r) => r.method ?? '–'],
        ['model file', (r) => r.model ?? '–'], ['to', (r) => number(r.time, ' s')],
        ['steps', (r) => number(r.steps)], ['max |g|', (r) => number(r.residuals?.g)],
        ['energy balance, relative', (r) => number(r.energy?.relative)],
        ['wall time', (r) => number(r.wall_time, ' s')]];
    const runs = [run, ...overs.map((over) => over.run)];
    find('run-rows').replaceChildren(...rows.map(([name, of]) => make('tr',
        runs.every((r) => of(r) === of(run)) ? {} : { class: 'other' },
        make('th', { scope: 'row' }, name), ...runs.map((r) => make('td', {}, of(r))))));
    const models = [...new Set(overs.flatMap((over) => over.models))];
    find('model-differences').replaceChildren(...(models.length > 0 ? models :
        ['Nothing that the results tell.']).map((text) => make('li', {}, text)));
}

function showWarnings({ run, warnings, overs }) {
    const all = [...warnings];
    all.unshift(...(run.doubts ?? []).map(({ text }) => `Doubtful: ${text}`));
    if (run.reason)
        all.unshift(`The run ended before its time: ${run.reason}`);
    for (const over of overs)
        all.push(...warningsOf(over.run).map((text) => `${over.label}: ${text}`));
    const bad = ['failed', 'doubtful'].includes(run.status) ? run.status : '';
    document.documentElement.dataset.outcome = bad;
    find('warning-badge').className = `badge ${bad ? 'fail' : 'warn'}`;
    find('warning-badge').replaceChildren(make('span', { 'aria-hidden': 'true' }, bad ? '✗' : '!'),
        ` ${bad || 'note'}`);
    find('warnings').hidden = all.length === 0;
    find('warning-list').replaceChildren(...all.map((text) => make('li', {}, text)));
}

export function showFacts(data) {
    const labels = [data.label, ...data.overs.map((over) => over.label)];
    const title = data.overs.length === 0 ? data.title :
        `${data.title}: ${labels.slice(0, -1).join(', ')} and ${labels.at(-1)}`;
    document.title = `${title} – Tenon`;
    find('title').textContent = title;
    showRuns(data);
    showStatus(data);
    showWarnings(data);
    showLedger(data.run);
    showModel(data);
    showMethod(data);
}
