// SPDX-License-Identifier: MIT
//
// The camera: orbit, pan and zoom by pointer or keys, fit, seven views, and following a body. Flat
// models are seen along -z without perspective.

import { Box3, Matrix4, OrthographicCamera, PerspectiveCamera, Vector3, MOUSE, TOUCH } from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { find, makeSvg } from './dom.js';

const ANGLE = 32; // of view, from bottom to top [degrees]
const MARGIN = 1.18; // room round the model, for the controls that lie over the picture

export const VIEWS = ['iso', 'front', 'back', 'left', 'right', 'top', 'bottom'];

// Axes of the room: `up` against gravity along the nearest axis, `right` to the right and `out`
// towards the eye as seen from the front.
export function roomAxes(scene) {
    const up = new Vector3(0, 0, 1);
    if (scene.planar) {
        up.set(0, 1, 0);
    } else {
        const g = scene.gravity;
        const k = [0, 1, 2].reduce((best, i) => (Math.abs(g[i]) > Math.abs(g[best]) ? i : best), 2);
        if (g[k] !== 0)
            up.set(0, 0, 0).setComponent(k, -Math.sign(g[k]));
    }
    const right = Math.abs(up.x) > 0.5 ? new Vector3(0, 1, 0) : new Vector3(1, 0, 0);
    return { up, right, out: right.clone().cross(up) };
}

export class Camera {
    constructor(canvas, scene, onchange) {
        this.flat = scene.planar;
        this.axes = roomAxes(scene);
        this.aspect = 1;
        this.half = 1; // half the height that a flat view shows [m]
        this.inset = 0; // part of the picture, from its top, that controls lie over
        this.object = this.flat ? new OrthographicCamera() : new PerspectiveCamera(ANGLE);
        this.object.up.copy(this.axes.up);
        this.controls = new OrbitControls(this.object, canvas);
        this.controls.zoomToCursor = true;
        if (this.flat) {
            this.controls.mouseButtons = { LEFT: MOUSE.PAN, MIDDLE: MOUSE.DOLLY,
                RIGHT: MOUSE.ROTATE };
            this.controls.touches = { ONE: TOUCH.PAN, TWO: TOUCH.DOLLY_PAN };
        }
        this.controls.addEventListener('change', onchange);
        this.onchange = onchange;
        this.gizmo = makeGizmo(scene);
    }

    // Where the eye is, seen from the middle, for one of VIEWS.
    #direction(view) {
        const { up, right, out } = this.axes;
        const nearly = 1e-3; // straight down, "up" would have no direction in the picture
        switch (view) {
        case 'front': return out.clone();
        case 'back': return out.clone().negate();
        case 'left': return right.clone().negate();
        case 'right': return right.clone();
        case 'top': return up.clone().addScaledVector(out, nearly).normalize();
        case 'bottom': return up.clone().negate().addScaledVector(out, nearly).normalize();
        default:
            return out.clone().addScaledVector(right, 0.75).addScaledVector(up, 0.55).normalize();
        }
    }

    // Looks at points from the present direction or from one of VIEWS, such that all are in sight.
    fit(points, view) {
        const away = view ? this.#direction(view) :
            this.object.position.clone().sub(this.controls.target).normalize();
        const toView = new Matrix4().lookAt(away, new Vector3(), this.object.up).invert();
        const seen = new Box3();
        const p = new Vector3();
        for (const point of points)
            seen.expandByPoint(p.copy(point).applyMatrix4(toView));
        const middle = seen.getCenter(new Vector3());
        const size = seen.getSize(new Vector3());
        this.radius = size.length() / 2 || 1;
        const tangent = Math.tan((ANGLE / 2) * (Math.PI / 180));
        const free = 1 - this.inset;
        const across = (q) => Math.max(Math.abs(q.y) / free, Math.abs(q.x) / this.aspect);
        let distance = this.radius / 10;
        for (const point of points) {
            p.copy(point).applyMatrix4(toView).sub(middle);
            distance = Math.max(distance, (MARGIN * across(p)) / tangent + p.z);
        }
        this.half = (MARGIN * across(size)) / 2 || this.radius;
        middle.y += this.inset * (this.flat ? this.half : tangent * distance);
        this.controls.target.copy(middle.applyMatrix4(toView.invert()));
        this.object.position.copy(this.controls.target).addScaledVector(away,
            this.flat ? 4 * this.radius : distance);
        this.object.zoom = 1;
        this.resize(this.aspect);
        this.controls.update();
        this.onchange();
    }

    resize(aspect) {
        this.aspect = aspect;
        const radius = this.radius ?? 1;
        if (this.flat) {
            Object.assign(this.object, { left: -this.half * aspect, right: this.half * aspect,
                top: this.half, bottom: -this.half, near: -50 * radius, far: 60 * radius });
        } else {
            Object.assign(this.object, { aspect, near: radius / 100, far: 200 * radius });
        }
        this.object.updateProjectionMatrix();
    }

    // Moves with something that moved by `by`.
    shift(by) {
        this.object.position.add(by);
        this.controls.target.add(by);
    }

    // Turns about the middle, for keys [rad].
    orbit(azimuth, polar) {
        const { target } = this.controls;
        const arm = this.object.position.clone().sub(target);
        const side = this.object.up.clone().cross(arm).normalize();
        const elevation = arm.angleTo(this.object.up) + polar;
        if (side.lengthSq() > 0 && elevation > 0.02 && elevation < Math.PI - 0.02)
            arm.applyAxisAngle(side, polar);
        arm.applyAxisAngle(this.object.up, azimuth);
        this.object.position.copy(target).add(arm);
        this.controls.update();
        this.onchange();
    }

    zoom(factor) {
        if (this.flat) {
            this.object.zoom *= factor;
            this.object.updateProjectionMatrix();
        } else {
            this.object.position.sub(this.controls.target).divideScalar(factor)
                .add(this.controls.target);
        }
        this.controls.update();
        this.onchange();
    }

    // Height of the picture at the middle of the view [m].
    visibleHeight() {
        if (this.flat)
            return (2 * this.half) / this.object.zoom;
        const distance = this.object.position.distanceTo(this.controls.target);
        return 2 * distance * Math.tan((ANGLE / 2) * (Math.PI / 180));
    }

    drawGizmo() {
        this.object.updateMatrixWorld();
        const view = this.object.matrixWorldInverse;
        for (const { line, label, axis } of this.gizmo) {
            const p = axis.clone().transformDirection(view);
            const [x, y] = [p.x * 26, -p.y * 26];
            line.setAttribute('x2', x.toFixed(1));
            line.setAttribute('y2', y.toFixed(1));
            const short = Math.hypot(x, y) < 5;
            label.setAttribute('x', (x * 1.32).toFixed(1));
            label.setAttribute('y', (y * 1.32 + 3.5).toFixed(1));
            label.style.opacity = line.style.opacity = short ? 0 : 1;
        }
    }
}

// Axes x, y, z and the direction of gravity, in a corner of the picture.
function makeGizmo(scene) {
    const axes = [['x', [1, 0, 0]], ['y', [0, 1, 0]], ['z', [0, 0, 1]]];
    const gravity = new Vector3(...scene.gravity);
    if (gravity.length() > 0)
        axes.push(['g', gravity.normalize().toArray()]);
    const svg = find('gizmo');
    return axes.map(([name, axis]) => {
        const line = makeSvg('line', { x1: 0, y1: 0, x2: 0, y2: 0, class: `axis axis-${name}`,
            'marker-end': `url(#tip-${name})` });
        const label = makeSvg('text', { class: `axis-${name}`, 'text-anchor': 'middle' }, name);
        svg.append(line, label);
        return { line, label, axis: new Vector3(...axis) };
    });
}
