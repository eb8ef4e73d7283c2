// SPDX-License-Identifier: MIT
//
// Elements and numbers as text. Names of a model are arbitrary text: nothing here parses HTML.

const SVG = 'http://www.w3.org/2000/svg';

export const find = (id) => document.getElementById(id);

function set(element, properties) {
    for (const [key, value] of Object.entries(properties ?? {})) {
        if (value === undefined || value === null || value === false)
            continue;
        if (key.startsWith('on'))
            element.addEventListener(key.slice(2), value);
        else if (key in element && typeof value !== 'string')
            element[key] = value;
        else
            element.setAttribute(key, value === true ? '' : value);
    }
}

// An element with attributes (a function under onX listens to the event X) and children; strings
// become text.
export function make(tag, properties, ...children) {
    const element = document.createElement(tag);
    set(element, properties);
    element.append(...children.flat().filter((c) => c !== null && c !== undefined));
    return element;
}

export function makeSvg(tag, properties, ...children) {
    const element = document.createElementNS(SVG, tag);
    for (const [key, value] of Object.entries(properties ?? {}))
        element.setAttribute(key, value);
    element.append(...children);
    return element;
}

// A number for people: `digits` significant ones, powers of ten where they are shorter.
export function formatNumber(x, digits = 4) {
    if (x === null || x === undefined)
        return '–';
    if (typeof x !== 'number' || !Number.isFinite(x))
        return String(x);
    const size = Math.abs(x);
    if (size !== 0 && (size >= 1e6 || size < 1e-3)) {
        const [mantissa, exponent] = x.toExponential(Math.max(digits - 2, 0)).split('e');
        return `${Number(mantissa)}e${Number(exponent)}`;
    }
    return String(Number(x.toPrecision(digits)));
}

export function formatVector(v, digits = 4) {
    return Array.isArray(v) ? `(${v.map((x) => formatNumber(x, digits)).join(', ')})` : '–';
}

// Decimals that tell stored times apart.
export function timeDecimals(span, count) {
    const gap = span / Math.max(count - 1, 1);
    return gap > 0 ? Math.min(Math.max(Math.ceil(-Math.log10(gap)) + 1, 2), 9) : 3;
}

export function plural(n, one, many = `${one}s`) {
    return `${n} ${n === 1 ? one : many}`;
}
