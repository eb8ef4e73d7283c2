// SPDX-License-Identifier: MIT
//
// The picture: every part of the model is an instance of a few geometries, so that a thousand
// bodies cost a dozen draw calls. A new time writes instance matrices; nothing else is made.

import { Box3, Color, DoubleSide, MeshPhongMaterial, Raycaster, Scene, Vector2, Vector3,
    WebGLRenderer } from 'three';
import { Beams, CARRIED, Scale, rangeOf } from './beams.js';
import { Camera } from './camera.js';
import { cloudOf, cloudOfRun, cornersOf } from './cloud.js';
import { groupBy, placeAt } from './data.js';
import { withScale } from './exports.js';
import { Figure, Glass, Over } from './figure.js';
import { addGears } from './gears.js';
import { makeGrid } from './grid.js';
import { Arrows, Contacts, Instances, Placement, Skeleton, Spans, Touches, Trail, finite,
    placeBodies } from './instances.js';
import { Sun, isSoftware } from './light.js';
import { DEFLECTION, Modals, largestDeflection } from './modal.js';
import { addOutlines, placeOutline, reachOfContact } from './outlines.js';
import { barsOfModals, contactsOfModel, partsOfModel, sizesOf, spansOfModel, touchesOfModel,
    unitGeometries } from './shapes.js';

const MANY = 150;     // bodies, from which round things get fewer faces
const THIN = 0.004;   // of the size of the model: links below are drawn as lines too
const CLOUD = 60000;  // points of a motion that are looked at to fit it into the picture
const CROWD = 1000;   // bodies, from which modes are drawn without the rest position

export function hasWebGL() {
    try {
        return Boolean(document.createElement('canvas').getContext('webgl2'));
    } catch {
        return false;
    }
}

function themeColor(name) {
    return new Color(getComputedStyle(document.documentElement).getPropertyValue(`--${name}`)
        .trim() || '#888888');
}

export class View {
    constructor(canvas, data) {
        this.data = data;
        this.canvas = canvas;
        this.dirty = true;
        this.selected = -1;
        this.follow = -1;
        this.aim = new Vector3(); // from the body that is followed to where the eye looks
        this.trails = new Map();
        this.hidden = new Set();
        this.faded = new Set();
        this.layers = { joints: true, elements: true, grid: true, inertia: false, velocity: false,
            force: false, trails: true, names: false, snapshots: true, shadows: true };
        this.overs = []; // the other runs
        this.magnify = 1; // deformation of modal bodies
        this.carried = this.#firstCarried();
        this.ghosts = [];
        this.placement = new Placement(Math.max(data.scene.bodies.length, 1));
        this.time = data.start;

        this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true });
        this.layers.shadows = !isSoftware(this.renderer); // there they cost as much as the rest
        this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
        this.scene = new Scene();
        this.camera = new Camera(canvas, data.scene, () => { this.dirty = true; });
        this.#place({ index: 0, part: 0 });
        addGears(data.scene, data.frames, this.placement, data.scene.size);
        this.#findCloud();
        this.#build();
        this.setCarried(this.carried);
        this.resize();
        this.home();
        this.update(this.time);
    }

    // Where the model is at a frame: joints, springs, centres of mass, corners of its shapes.
    #cloudAt(index, corners) {
        if (index !== null)
            this.#place({ index, part: 0 });
        return cloudOf(corners, this.placement, this.hidden);
    }

    // The whole motion where it stays near its start, else the start alone.
    #findCloud() {
        const { frames, scene } = this.data;
        const corners = cornersOf(scene, this.data.meshes);
        const extent = (points) => {
            const box = new Box3().setFromPoints(points);
            return box.isEmpty() ? 0 : box.getSize(new Vector3()).length();
        };
        const first = this.#cloudAt(0, corners);
        const looks = Math.min(Math.max(Math.floor(CLOUD / Math.max(first.length, 1)), 6), 60);
        const every = Math.max(Math.ceil(frames.count / looks), 1);
        const all = [...first];
        for (let k = every; k < frames.count; k += every)
            for (const p of this.#cloudAt(k, corners))
                all.push(p);
        for (const over of this.data.overs)
            all.push(...cloudOfRun(over, looks));
        const start = Math.max(extent(first), scene.size);
        const leaves = start > 0 && !(extent(all) < 5 * start);
        this.cloud = leaves ? first : all;
        if (leaves) {
            this.follow = this.#heaviest();
            this.#place({ index: 0, part: 0 });
            this.aim = new Box3().setFromPoints(first).getCenter(new Vector3())
                .sub(this.#centre(this.follow));
        }
        this.size = Math.max(scene.size, 0.5 * extent(this.cloud)) || 1;
        this.#widen(this.cloud);
        this.box = new Box3().setFromPoints(this.cloud);
    }

    // The body that the eye goes with where a motion leaves the picture.
    #heaviest() {
        const masses = this.data.scene.bodies.map((body, i) => (i > 0 && body.mass > 0 ?
            body.mass : 0));
        return masses.indexOf(Math.max(...masses)) || 1;
    }

    #castShadows() {
        const movers = this.sets.filter(({ layer }) => layer === 'bodies' || layer === 'elements');
        const surfaces = [this.beams?.mesh, ...(this.modals?.meshes ?? [])].filter(Boolean);
        this.sun.castShadows(this.renderer, { box: this.box, size: this.size, grid: this.grid,
            sets: movers.map(({ instances }) => instances), surfaces });
    }

    // Gives extent to what has none, and something to look at where there is nothing.
    #widen(cloud) {
        const box = new Box3().setFromPoints(cloud.length > 0 ? cloud : [new Vector3()]);
        if (cloud.length > 0 && box.getSize(new Vector3()).length() > 0.2 * this.size)
            return;
        box.expandByScalar(0.3 * this.size);
        cloud.push(box.min, box.max);
    }

    #build() {
        const { scene, meshes, frames } = this.data;
        const many = scene.bodies.length > MANY;
        this.sizes = sizesOf(scene, meshes, this.size);
        this.geometries = unitGeometries(meshes, many);
        addOutlines(this.geometries, scene, this.sizes.unit);
        const solid = new MeshPhongMaterial({ shininess: 25, specular: 0x222222 });
        const twoSided = new MeshPhongMaterial({ shininess: 25, specular: 0x222222,
            side: DoubleSide });
        const glass = new MeshPhongMaterial({ transparent: true, opacity: 0.3, depthWrite: false });
        const sheet = new MeshPhongMaterial({ transparent: true, opacity: 0.5, depthWrite: false,
            side: DoubleSide });
        const beam = new MeshPhongMaterial({ shininess: 25, specular: 0x222222,
            vertexColors: true });
        const surface = new MeshPhongMaterial({ shininess: 25, specular: 0x222222,
            vertexColors: true, flatShading: true, side: DoubleSide });
        // Of geometries that have their own; the first word of their names.
        const materials = { mesh: twoSided, plate: twoSided, lathe: twoSided, wire: solid, sheet,
            solid, beam, surface };
        this.materials = materials;
        this.sets = [];
        const parts = scene.bodies.length > 0 ?
            partsOfModel(scene, meshes, this.sizes, this.camera.axes.up) : [];
        const still = (p) => (p.layer === 'bodies' && p.body === 0 ? 'ground' : '');
        for (const [key, list] of groupBy(parts, (p) => `${p.layer}/${p.geometry}/${still(p)}`)) {
            const [layer, geometry] = key.split('/');
            const material = layer === 'inertia' ? glass :
                materials[geometry.split(' ')[0]] ?? solid;
            this.#addSet(layer, new Instances(this.geometries.get(geometry), material, list));
        }
        const links = parts.filter((p) => p.link);
        if (links.length > 0 && this.sizes.unit < THIN * this.size) {
            this.skeleton = new Skeleton(links);
            this.scene.add(this.skeleton.line);
        }
        const spans = spansOfModel(scene, this.sizes.unit);
        if (spans.length > 0) {
            this.spans = new Spans(this.geometries.get('wire'), solid, spans);
            this.#addSet('elements', this.spans.instances);
        }
        // Points of contact are seen through what hides them.
        const seen = new MeshPhongMaterial({ depthTest: false, transparent: true });
        const touches = touchesOfModel(scene, this.sizes.unit);
        if (touches.length > 0) {
            this.touches = new Touches(this.geometries.get('sphere'), seen, touches);
            this.touches.instances.mesh.renderOrder = 1;
            this.#addSet('joints', this.touches.instances);
        }
        const contacts = contactsOfModel(scene, this.sizes.unit);
        if (contacts.length > 0) {
            this.contacts = new Contacts(this.geometries.get('sphere'), seen, contacts);
            this.contacts.instances.mesh.renderOrder = 1;
            this.#addSet('joints', this.contacts.instances);
        }
        if (scene.beams.length > 0) {
            this.beams = new Beams(scene, beam);
            this.scene.add(this.beams.mesh);
        }
        const bars = barsOfModals(scene, this.sizes.unit);
        if (bars.length > 0) {
            this.bars = new Spans(this.geometries.get('wire'), solid, bars);
            this.#addSet('bodies', this.bars.instances);
        }
        if (scene.modals.some((modal) => modal.drawn)) {
            this.modals = new Modals(scene, surface);
            this.scene.add(...this.modals.meshes);
        }
        this.#stretch();
        this.#addGhosts();
        this.#addOvers();
        this.#addArrows('velocity', frames.hasVelocity ? scene.bodies.length - 1 : 0, solid);
        this.#addArrows('force', frames.hasForce ? scene.joints.length : 0, solid);
        const grid = makeGrid(this.box, this.camera.axes, this.camera.flat, this.size);
        this.grid = grid.mesh;
        this.gridGap = grid.gap;
        this.goTo = grid.goTo;
        this.scene.add(this.grid);
        this.sun = new Sun(this.scene, this.camera.axes);
        if (!this.camera.flat && !many)
            this.#castShadows();
        this.applyTheme();
        this.applyLayers();
    }

    // The mechanism at stated times, seen through.
    #addGhosts() {
        const { scene, snapshots, frames } = this.data;
        const glass = new Glass(0.4);
        const own = this.sets.filter((s) => s.layer === 'bodies' &&
            s.instances !== this.bars?.instances);
        const of = (thing) => (thing ? glass.of(thing.material) : null);
        const rest = this.data.modes && scene.bodies.length < CROWD ? [null] : [];
        for (const time of frames.count > 0 ? [...snapshots, ...rest] : []) {
            const figure = new Figure(scene, {
                groups: own.map(({ instances: { mesh, parts } }) => ({ geometry: mesh.geometry,
                    material: glass.of(mesh.material), parts })),
                spans: this.spans ? spansOfModel(scene, this.sizes.unit) : [],
                bars: this.bars?.spans ?? [], wire: this.geometries.get('wire'),
                solid: glass.of(this.materials.solid), beam: of(this.beams?.mesh),
                surface: of(this.modals?.meshes[0]) });
            this.scene.add(...figure.meshes);
            this.ghosts.push(Object.assign(figure, { time }));
        }
        this.#placeGhosts();
    }

    // The other runs, on the same clock. Of several each has its colour and its layer.
    #addOvers() {
        this.data.overs.forEach((data, i) => {
            if (!data.hasScene)
                return;
            const over = new Over(data, { sizes: this.sizes, up: this.camera.axes.up,
                glass: new Glass(0.38), materials: this.materials,
                many: data.scene.bodies.length > MANY });
            over.key = i === 0 ? 'over' : `over${i + 1}`;
            over.run = i + 1;
            this.layers[over.key] = true;
            this.overs.push(over);
            this.scene.add(...over.figure.meshes);
        });
    }

    // They stay where they are; rows that arrive may tell more of their times.
    #placeGhosts() {
        for (const ghost of this.ghosts) {
            ghost.where = ghost.time === null ? { index: 0, part: 0, rest: true } :
                placeAt(this.data.frames.time, ghost.time);
            this.#place(ghost.where);
            ghost.place(this.placement, this.magnify);
            ghost.centres = this.data.scene.bodies.map((_, i) => this.#centre(i));
        }
        this.labelled = this.#apart();
    }

    // The body whose places at the times of snapshots are furthest from each other.
    #apart() {
        let [best, most] = [this.data.scene.bodies.length - 1, 0];
        for (let body = 1; body < this.data.scene.bodies.length; body++) {
            const places = this.ghosts.map((g) => g.centres[body]);
            let least = Infinity;
            places.forEach((p, i) => places.slice(i + 1).forEach((q) => {
                least = Math.min(least, p.distanceTo(q));
            }));
            if (least > most && least < Infinity)
                [best, most] = [body, least];
        }
        return best;
    }

    // What beams are coloured by until somebody chooses: a run that goes on has no rows at first.
    #firstCarried() {
        const { frames, scene } = this.data;
        this.told = frames.hasSections || (frames.count > 0 && scene.modals.some((m) => m.drawn));
        return frames.hasSections ? 'bending' : this.told ? 'deflection' : '';
    }

    // Colours of beams by what they carry; '' for plain ones.
    setCarried(name) {
        this.carried = name;
        this.#rangeCarried();
        this.#paintBeams(true);
        this.dirty = true;
    }

    #rangeCarried() {
        if (this.carried === 'deflection' && this.modals && this.data.frames.count > 0) {
            const drawn = this.data.scene.modals.filter((modal) => modal.drawn);
            this.scale = new Scale(DEFLECTION, 0, largestDeflection(drawn, this.data.frames));
            return;
        }
        const kind = this.data.frames.hasSections ? CARRIED[this.carried] : null;
        this.scale = kind ? new Scale(kind, ...rangeOf(this.data.frames, kind)) : null;
    }

    #paintBeams(ghosts) {
        const deflection = this.scale?.kind === DEFLECTION ? this.scale : null;
        this.modals?.paint(deflection);
        for (const ghost of ghosts ? this.ghosts : [])
            ghost.modals?.paint(deflection);
        if (!this.beams)
            return;
        const { frames } = this.data;
        const scale = deflection ? null : this.scale;
        const paint = (beams, where) => beams.paint(scale, scale ?
            (e) => frames.carriedAt(scale.kind, e, where) : null);
        paint(this.beams, placeAt(frames.time, this.time));
        for (const ghost of ghosts ? this.ghosts : [])
            if (ghost.beams)
                paint(ghost.beams, ghost.where);
    }

    // Deformation of modal bodies, drawn larger than it is.
    setMagnify(times) {
        this.magnify = times;
        this.#placeGhosts();
        this.update(this.time);
    }

    // Rails go as far as their contacts.
    #stretch() {
        const placement = new Placement(Math.max(this.data.scene.bodies.length, 1));
        for (const { instances } of this.sets)
            instances.parts.forEach((part, i) => {
                if (!part.follows)
                    return;
                const [from, to] = reachOfContact(this.data, part.body, part.follows, placement);
                part.local = placeOutline(part.follows, from, to);
                instances.locals[i] = part.local.elements;
            });
    }

    #addSet(layer, instances) {
        this.sets.push({ layer, instances });
        this.scene.add(instances.mesh);
    }

    #addArrows(layer, count, material) {
        if (count === 0)
            return;
        const arrows = new Arrows(this.geometries, material, count, 0.4 * this.sizes.unit);
        for (const instances of [arrows.shafts, arrows.heads]) {
            instances.parts.forEach((part) => { part.color = layer; });
            this.#addSet(layer, instances);
        }
        this[`${layer}Arrows`] = arrows;
        this[`${layer}Scale`] = this.#arrowScale(layer, count);
    }

    // Metres per unit such that all but the rare longest arrows stay within the picture.
    #arrowScale(layer, count) {
        const { frames } = this.data;
        const sizes = [];
        const v = [0, 0, 0];
        const every = Math.max(Math.ceil((frames.count * count) / 20000), 1);
        for (let i = 0; i < frames.count * count; i += every) {
            frames.vector(layer, count, i % count, { index: Math.floor(i / count), part: 0 }, v);
            const length = Math.hypot(...v);
            if (Number.isFinite(length) && length > 0)
                sizes.push(length);
        }
        sizes.sort((a, b) => a - b);
        const typical = sizes[Math.floor(0.98 * (sizes.length - 1))];
        return typical > 0 ? (0.3 * this.size) / typical : 0;
    }

    applyTheme() {
        const named = Object.fromEntries(['joint', 'pin', 'ground', 'spring', 'rod', 'velocity',
            'force'].map((name) => [name, themeColor(name)]));
        const white = new Color(1, 1, 1);
        const colorOf = (part) => {
            const color = named[part.color] ?? new Color(part.color);
            return part.body === this.selected && part.body > 0 && part.layer === 'bodies' ?
                color.clone().lerp(white, 0.45) : color;
        };
        for (const { instances, twin } of [...this.sets, ...this.ghosts.flatMap((g) => g.sets)]) {
            instances.paint(colorOf);
            twin?.paint(colorOf);
        }
        for (const { figure, run } of this.overs) {
            const tint = themeColor(`run-${run}`);
            for (const { instances } of figure.sets)
                instances.paint(this.overs.length > 1 ? (part) => colorOf(part).clone()
                    .lerp(tint, 0.75) : colorOf);
        }
        this.scene.background = this.solid ? themeColor('raised') : null; // in films
        this.grid.material.uniforms.color.value.copy(themeColor('grid'));
        this.dirty = true;
    }

    applyLayers() {
        for (const { layer, instances } of this.sets)
            instances.mesh.visible = layer === 'bodies' || this.layers[layer];
        for (const ghost of this.ghosts)
            for (const mesh of ghost.meshes)
                mesh.visible = this.layers.snapshots;
        for (const { figure, key } of this.overs)
            for (const mesh of figure.meshes)
                mesh.visible = this.layers[key];
        this.sun.show(this.layers.shadows);
        this.grid.visible = this.layers.grid;
        for (const trail of this.trails.values())
            trail.line.visible = this.layers.trails;
        this.dirty = true;
    }

    select(body) {
        this.selected = body;
        this.applyTheme();
    }

    setTrail(body, on) {
        const trail = this.trails.get(body);
        if (on && !trail && body > 0) {
            const made = new Trail(this, body);
            this.trails.set(body, made);
            this.scene.add(made.line);
        } else if (!on && trail) {
            this.scene.remove(trail.line);
            trail.dispose();
            this.trails.delete(body);
        }
        this.update(this.time);
    }

    setFollow(body, aim = new Vector3()) {
        this.follow = body;
        this.aim = aim;
        if (body > 0) {
            const p = this.#centre(body);
            this.camera.shift(p.clone().add(aim).sub(this.camera.controls.target));
            this.followed = p;
        }
        this.dirty = true;
    }

    home() {
        this.look(this.camera.flat ? 'front' : 'iso');
    }

    look(view) {
        this.camera.fit(this.cloud, view);
        this.setFollow(this.follow, this.aim);
    }

    // What is there now, from where the eye is.
    fit() {
        const cloud = this.#cloudAt(null, cornersOf(this.data.scene, this.data.meshes));
        for (const { data: { scene, meshes }, placement } of this.overs
            .filter(({ key }) => this.layers[key]))
            cloud.push(...cloudOf(cornersOf(scene, meshes), placement));
        this.#widen(cloud);
        this.camera.fit(cloud);
    }

    // More rows: what was made for a number of frames is made again.
    grow() {
        for (const trail of this.trails.values())
            trail.rebuild();
        this.#stretch();
        this.#placeGhosts();
        this.setCarried(this.told ? this.carried : this.#firstCarried());
        this.update(this.time);
    }

    resize() {
        const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
        if (width === 0 || height === 0)
            return;
        const tools = document.getElementById('stage-tools')?.offsetHeight ?? 0;
        this.camera.inset = Math.min(Math.max((tools + 14) / height - 0.06, 0), 0.25);
        this.renderer.setSize(width, height, false);
        this.camera.resize(width / height);
        this.dirty = true;
    }

    #place(where) {
        placeBodies(this.data, where, this.placement);
    }

    #centre(body) {
        return this.placement.point(body, this.data.scene.bodies[body].com);
    }

    update(t) {
        this.time = t;
        const where = placeAt(this.data.frames.time, t);
        this.#place(where);
        this.#updateSets();
        for (const over of this.overs)
            over.update(t, this.magnify);
        this.skeleton?.update(this.placement);
        this.beams?.update(this.placement);
        this.bars?.update(this.placement);
        this.modals?.update(this.placement, this.magnify);
        if (this.scale)
            this.#paintBeams(false);
        if (this.spans && this.layers.elements)
            this.spans.update(this.placement);
        if (this.touches && this.layers.joints)
            this.touches.update(this.placement);
        if (this.contacts && this.layers.joints)
            this.contacts.update(this.data.frames, where);
        this.#updateArrows(where);
        for (const [body, trail] of this.trails) {
            trail.update(where.index, this.#centre(body));
            trail.line.visible &&= this.layers.trails;
        }
        if (this.follow > 0) {
            const p = this.#centre(this.follow);
            if (finite(p.toArray())) {
                this.camera.shift(p.clone().sub(this.followed));
                this.followed = p;
                this.goTo(p);
                this.sun.over(p);
            }
        }
        this.dirty = true;
    }

    // Bodies that are hidden are left out, and faded ones stand in twins that are seen through.
    #updateSets() {
        const without = this.hidden.size + this.faded.size > 0 ? (body) => this.hidden.has(body) ||
            this.faded.has(body) : undefined;
        for (const set of this.sets) {
            const { layer, instances } = set;
            if (!instances.locals[0] || !(layer === 'bodies' || this.layers[layer]))
                continue;
            instances.update(this.placement, layer === 'joints' ? undefined : without);
            if (this.faded.size > 0 && layer === 'bodies')
                this.#twinOf(set).update(this.placement, (body) => !this.faded.has(body));
            if (set.twin)
                set.twin.mesh.visible = this.faded.size > 0;
        }
        for (const mesh of this.modals?.meshes ?? [])
            mesh.visible = !this.hidden.has(mesh.userData.body);
    }

    #twinOf(set) {
        if (!set.twin) {
            this.fadedGlass ??= new Glass(0.22);
            const { mesh, parts } = set.instances;
            const material = this.fadedGlass.of(mesh.material);
            material.depthWrite = false;
            set.twin = new Instances(mesh.geometry, material, parts);
            this.scene.add(set.twin.mesh);
            this.applyTheme();
        }
        return set.twin;
    }

    // How a body is drawn: 'shown', 'faded' or 'hidden'.
    lookOf(body) {
        return this.hidden.has(body) ? 'hidden' : this.faded.has(body) ? 'faded' : 'shown';
    }

    setLook(body, look) {
        this.hidden.delete(body);
        this.faded.delete(body);
        if (look !== 'shown')
            this[look].add(body);
        this.update(this.time);
    }

    #updateArrows(where) {
        const { frames, scene } = this.data;
        const v = [0, 0, 0];
        const arrow = new Vector3();
        if (this.velocityArrows && this.layers.velocity) {
            for (let i = 1; i < scene.bodies.length; i++) {
                frames.vector('velocity', frames.bodies, i - 1, where, v);
                if (scene.bodies[i].part === 'amplitude')
                    v.fill(0);
                this.velocityArrows.set(i - 1, this.placement.point(i, [0, 0, 0]),
                    arrow.set(...v).multiplyScalar(this.velocityScale));
            }
            this.velocityArrows.flush();
        }
        if (this.forceArrows && this.layers.force) {
            scene.joints.forEach((joint, j) => {
                frames.vector('force', frames.joints, j, where, v);
                const at = joint.drawn ? this.placement.point(joint.b, joint.frame_b.position) :
                    new Vector3(NaN, NaN, NaN);
                this.forceArrows.set(j, at, arrow.set(...v).multiplyScalar(this.forceScale));
            });
            this.forceArrows.flush();
        }
    }

    // Draws when something changed; `labels` moves the names that lie over the picture.
    render(labels) {
        if (!this.dirty)
            return;
        this.dirty = false;
        this.camera.drawGizmo();
        this.renderer.render(this.scene, this.camera.object);
        labels?.(this);
    }

    // Pixels of a point of a body in the picture, or null when it is not in front.
    toScreen(body) {
        return this.#onScreen(this.#centre(body));
    }

    // Times of snapshots with their pixels.
    ghostLabels() {
        const timed = this.ghosts.filter(({ time }) => time !== null);
        return this.layers.snapshots ? timed.map(({ time, centres }) => ({ time,
            place: this.#onScreen(centres[this.labelled].clone()) })) : [];
    }

    #onScreen(p) {
        if (!finite(p.toArray()))
            return null;
        p.project(this.camera.object);
        const { clientWidth: width, clientHeight: height } = this.canvas;
        return p.z < 1 ? [((p.x + 1) / 2) * width, ((1 - p.y) / 2) * height] : null;
    }

    // The body under a pixel, or -1.
    pick(x, y) {
        const { width, height } = this.canvas.getBoundingClientRect();
        const ray = new Raycaster();
        ray.setFromCamera(new Vector2((2 * x) / width - 1, 1 - (2 * y) / height),
            this.camera.object);
        const bodies = this.sets.filter((s) => s.layer === 'bodies').flatMap((s) =>
            [s.instances.mesh, ...(s.twin?.mesh.visible ? [s.twin.mesh] : [])]);
        const beams = this.beams ? [this.beams.mesh] : [];
        const surfaces = this.modals?.meshes ?? [];
        const hit = ray.intersectObjects([...bodies, ...beams, ...surfaces], false)[0];
        if (!hit)
            return -1;
        if (surfaces.includes(hit.object))
            return hit.object.userData.body;
        return hit.object === beams[0] ? this.beams.bodyOf(hit.face) :
            hit.object.userData.parts[hit.instanceId].body;
    }

    // The picture as PNG, with the scale of colours.
    snapshot() {
        this.dirty = true;
        this.render();
        const picture = this.scale ? withScale(this.canvas, this.scale) : this.canvas;
        return new Promise((done) => { picture.toBlob(done, 'image/png'); });
    }

    // Middle of the first part drawn for a body, as it went to the graphics card.
    drawnAt(body) {
        for (const { layer, instances } of this.sets) {
            const i = layer === 'bodies' ? instances.parts.findIndex((p) => p.body === body &&
                !p.mark) : -1;
            if (i >= 0)
                return [...instances.mesh.instanceMatrix.array.subarray(16 * i + 12, 16 * i + 15)];
        }
        if (this.beams && this.data.scene.bodies[body]?.beam)
            return this.#centre(body).toArray();
        return null;
    }
}
