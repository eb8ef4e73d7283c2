// SPDX-License-Identifier: MIT
//
// A mechanism that is seen through: snapshots of a run, the rest position of modes, and other runs
// that lie over the first. It has instances of its own and stands where it is placed.

import { Beams } from './beams.js';
import { Instances, Placement, Spans, placeBodies } from './instances.js';
import { Modals } from './modal.js';
import { addOutlines } from './outlines.js';
import { barsOfModals, partsOfModel, spansOfModel, unitGeometries } from './shapes.js';
import { groupBy, placeAt } from './data.js';
import { addGears } from './gears.js';

// Makes materials that are seen through, each once.
export class Glass {
    constructor(opacity) {
        this.opacity = opacity;
        this.made = new Map();
    }

    of(material) {
        if (!this.made.has(material)) {
            this.made.set(material, Object.assign(material.clone(), { transparent: true,
                opacity: this.opacity * (material.transparent ? material.opacity : 1) }));
        }
        return this.made.get(material);
    }
}

export class Figure {
    // groups: [{geometry, material, parts}] of bodies; spans and bars: lists; wire: their geometry.
    // Materials are those of solid things, or missing where there is nothing to draw.
    constructor(scene, { groups, spans, bars, wire, solid, beam, surface }) {
        this.sets = groups.map(({ geometry, material, parts }) => ({ layer: 'bodies',
            instances: new Instances(geometry, material, parts) }));
        this.wires = [spans, bars].filter((all) => all.length > 0)
            .map((all) => new Spans(wire, solid, all));
        for (const made of this.wires)
            this.sets.push({ layer: 'elements', instances: made.instances });
        this.beams = beam ? new Beams(scene, beam) : null;
        this.modals = surface ? new Modals(scene, surface) : null;
        this.meshes = [...this.sets.map((s) => s.instances.mesh),
            ...(this.beams ? [this.beams.mesh] : []), ...(this.modals?.meshes ?? [])];
    }

    place(placement, magnify) {
        for (const { instances } of this.sets)
            if (instances.locals[0])
                instances.update(placement);
        for (const wire of this.wires)
            wire.update(placement);
        this.beams?.update(placement);
        this.modals?.update(placement, magnify);
    }
}

// Another run of a page, on the clock of the first.
export class Over {
    constructor(data, { sizes, up, glass, materials, many }) {
        this.data = data;
        const { scene, meshes } = data;
        this.placement = new Placement(Math.max(scene.bodies.length, 1));
        placeBodies(data, { index: 0, part: 0 }, this.placement);
        addGears(scene, data.frames, this.placement, sizes.size);
        const geometries = unitGeometries(meshes, many);
        addOutlines(geometries, scene, sizes.unit);
        const parts = partsOfModel(scene, meshes, sizes, up).filter((p) => p.layer === 'bodies');
        const groups = [...groupBy(parts, (p) => p.geometry)].map(([name, list]) => ({
            geometry: geometries.get(name), parts: list,
            material: glass.of(materials[name.split(' ')[0]] ?? materials.solid) }));
        this.figure = new Figure(scene, { groups, spans: spansOfModel(scene, sizes.unit),
            bars: barsOfModals(scene, sizes.unit), wire: geometries.get('wire'),
            solid: glass.of(materials.solid),
            beam: scene.beams.length > 0 ? glass.of(materials.beam) : null,
            surface: scene.modals.some((m) => m.drawn) ? glass.of(materials.surface) : null });
    }

    update(t, magnify) {
        placeBodies(this.data, placeAt(this.data.frames.time, t), this.placement);
        this.figure.place(this.placement, magnify);
    }
}
