// SPDX-License-Identifier: MIT
//
// Curves of plots: which share a plot, what its axis is called, values between points, and ranges.

import { indexAt } from './data.js';

// Residuals are shown by their power of ten.
export function isResidual(channel) {
    return channel.group === 'residuals' || /^(residuals?[./]|discrete\.[fh]_d)/.test(channel.name);
}

export const plotKey = (channel) => (isResidual(channel) ? 'residuals' : `unit ${channel.unit}`);

// "position" of "crank.position.x", "energy.kinetic" of itself.
function quantityOf(name) {
    const parts = name.split('.');
    return /^([xyzw]|\d+)$/.test(parts.at(-1)) && parts.length > 1 ? parts.at(-2) :
        parts.slice(-2).join('.');
}

// The title of an axis: what all its channels are, and their unit.
export function titleOf(channels) {
    const all = (of) => new Set(channels.map(of)).size === 1;
    const { name, source, unit, group } = channels[0];
    const text = all((c) => c.source ?? c.name) ? source ?? name :
        all((c) => quantityOf(c.source ?? c.name)) ? quantityOf(source ?? name) :
            all((c) => c.group) && ['energy', 'residuals', 'momentum'].includes(group) ? group : '';
    return [text, unit && `[${unit}]`].filter(Boolean).join(' ');
}

export function valueAt(channel, t) {
    const { time, value } = channel;
    if (time.length === 0 || t < time[0] || t > time.at(-1))
        return undefined;
    const k = indexAt(time, t);
    const gap = time[k + 1] - time[k];
    return t === time[k] || !(gap > 0) ? value[k] :
        value[k] + ((t - time[k]) / gap) * (value[k + 1] - value[k]);
}

export function spanOf(values) {
    let [low, high] = [Infinity, -Infinity];
    for (const x of values) {
        if (Number.isFinite(x)) {
            low = Math.min(low, x);
            high = Math.max(high, x);
        }
    }
    return high - low;
}

// Numbers that can be drawn; gaps where there is none. undefined is no gap, only no point.
export function drawable(values, log) {
    return Array.from(values, (y) => {
        if (y === undefined)
            return undefined;
        return Number.isFinite(y) && (!log || y > 0) ? y : null;
    });
}

export function rangeOf(log) {
    return (u, low, high) => {
        if (low === null || high === null || low === undefined || !Number.isFinite(low + high))
            return log ? [1e-16, 1] : [0, 1];
        if (log) {
            const first = 10 ** Math.floor(Math.log10(low));
            const last = 10 ** Math.ceil(Math.log10(high));
            return first < last ? [first, last] : [first / 10, last * 10];
        }
        const size = Math.max(Math.abs(low), Math.abs(high));
        // A constant, up to rounding: the noise must not fill the plot.
        if (high - low <= 1e-12 * size || high === low)
            return size > 0 ? [low - 0.1 * size, high + 0.1 * size] : [-1, 1];
        return [low - 0.06 * (high - low), high + 0.06 * (high - low)];
    };
}
