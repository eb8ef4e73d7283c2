// SPDX-License-Identifier: MIT
//
// The outline of the model: bodies, joints and forces as a tree. Names nest by their dots, as those
// of assemblies do. A press on a name picks the element and shows its channels; bodies can be
// faded and hidden, and have trails.

import { find, formatNumber, make } from './dom.js';
import { bodyColor } from './shapes.js';

const MOST = 200; // rows of one list
const LOOKS = { shown: ['●', 'faded'], faded: ['◐', 'hidden'], hidden: ['○', 'shown'] };

// Elements by the parts of their names before dots, groups of at least two; others stand alone.
export function nest(elements) {
    const groups = new Map();
    const prefixOf = ({ name, from }) => {
        const dot = name.indexOf('.', from);
        return dot > 0 ? name.slice(0, dot) : null;
    };
    const counts = new Map();
    for (const e of elements) {
        const prefix = prefixOf(e);
        counts.set(prefix, (counts.get(prefix) ?? 0) + 1);
    }
    const nodes = [];
    for (const e of elements) {
        const prefix = prefixOf(e);
        if (prefix === null || counts.get(prefix) < 2) {
            nodes.push(e);
        } else if (groups.has(prefix)) {
            groups.get(prefix).inside.push({ ...e, from: prefix.length + 1 });
        } else {
            const group = { prefix, inside: [{ ...e, from: prefix.length + 1 }] };
            groups.set(prefix, group);
            nodes.push(group);
        }
    }
    return nodes.map((node) => (node.inside ? { ...node, inside: nest(node.inside) } : node));
}

const countOf = (nodes) => nodes.reduce((n, node) => n + (node.inside ? countOf(node.inside) : 1),
    0);

export class Outline {
    // onpick(name, body): a body by its number, -1 for other elements; ontrail(body).
    constructor(data, view, { onpick, ontrail }) {
        Object.assign(this, { data, view, onpick, ontrail });
        find('body-search').addEventListener('input', () => this.fill());
        this.fill();
    }

    fill() {
        const { scene } = this.data;
        const bodies = scene.bodies.map((body, i) => ({ name: body.name, body, i, from: 0 }))
            .slice(1).filter(({ body }) => body.part !== 'amplitude');
        const words = find('body-search').value.toLowerCase().split(/\s+/).filter(Boolean);
        const found = (list) => list.filter(({ name }) =>
            words.every((word) => name.toLowerCase().includes(word)));
        const others = (list) => list.filter(({ name }) => name)
            .map(({ name, kind }) => ({ name, kind, from: 0 }));
        this.#list('body-list', found(bodies), (e) => this.#bodyRow(e));
        this.#list('joint-list', found(others(scene.joints)), (e) => this.#row(e));
        this.#list('force-list', found(others(scene.forces)), (e) => this.#row(e));
        find('joints-part').hidden = scene.joints.length === 0;
        find('forces-part').hidden = scene.forces.length === 0;
        find('body-search').hidden = bodies.length + scene.joints.length < 12;
        find('bodies-part').hidden = bodies.length === 0;
    }

    #list(id, elements, rowOf) {
        const rows = this.#rows(nest(elements.slice(0, MOST)), rowOf);
        if (elements.length > MOST) {
            rows.push(make('li', { class: 'note' },
                `and ${elements.length - MOST} more: type to narrow the list`));
        }
        find(id).replaceChildren(...rows);
    }

    #rows(nodes, rowOf) {
        return nodes.map((node) => (node.inside ? make('li', { class: 'group' },
            make('details', { open: countOf(nodes) < 40 },
                make('summary', {}, node.prefix, ' ',
                    make('span', { class: 'muted' }, String(countOf(node.inside)))),
                make('ul', {}, this.#rows(node.inside, rowOf)))) : rowOf(node)));
    }

    #name({ name, from }) {
        return make('span', { class: 'name', title: name },
            ...(from > 0 ? [make('span', { class: 'prefix' }, name.slice(0, from))] : []),
            name.slice(from));
    }

    #row(element) {
        return make('li', { class: 'row' }, make('button', { type: 'button', class: 'body',
            title: 'Show the channels of this element', 'data-element': element.name,
            onclick: () => this.onpick(element.name, -1) }, this.#name(element),
        make('span', { class: 'unit' }, element.kind ?? '')));
    }

    #bodyRow(element) {
        const { view, data } = this;
        const { body, i } = element;
        const swatch = make('span', { class: 'swatch', 'aria-hidden': 'true' });
        swatch.style.background = bodyColor(data.scene, i);
        const mass = body.mass > 0 ? `${formatNumber(body.mass, 3)} kg` : '';
        const pick = make('button', { type: 'button', class: 'body', 'data-pick': String(i),
            title: 'Show this body and its channels', onclick: () => this.onpick(body.name, i) },
        swatch, this.#name(element), make('span', { class: 'unit' }, mass));
        const tools = !view ? [] : [make('button', { type: 'button', class: 'tool trail',
            'data-body': String(i), title: 'Trail', 'aria-label': `Trail of ${body.name}`,
            'aria-pressed': String(view.trails.has(i)), onclick: () => this.ontrail(i) }, '∿'),
        ...(body.beam ? [] : [this.#lookButton(body, i)])];
        return make('li', { class: `row${view?.selected === i ? ' selected' : ''}`,
            'data-row': String(i) }, pick, ...tools);
    }

    #lookButton(body, i) {
        const button = make('button', { type: 'button', class: 'tool look', 'data-look': String(i),
            onclick: () => this.cycle(i) });
        this.#showLook(button, body.name, this.view.lookOf(i));
        return button;
    }

    #showLook(button, name, look) {
        const [sign, next] = LOOKS[look];
        button.textContent = sign;
        button.setAttribute('aria-label', `${name}: ${look}`);
        button.title = `${look}; press for ${next}`;
    }

    // Shown, faded, hidden, and shown again.
    cycle(body) {
        const look = LOOKS[this.view.lookOf(body)][1];
        this.view.setLook(body, look);
        const button = document.querySelector(`button[data-look="${body}"]`);
        if (button)
            this.#showLook(button, this.data.scene.bodies[body].name, look);
    }

    mark(body) {
        for (const row of document.querySelectorAll('#body-list [data-row]'))
            row.classList.toggle('selected', row.dataset.row === String(body));
    }
}
