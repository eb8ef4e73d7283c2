// SPDX-License-Identifier: MIT
//
// The ground: a plane with lines at round distances that fade out, below a model or behind a flat
// one.

import { Color, DoubleSide, Mesh, PlaneGeometry, ShaderMaterial, Vector2, Vector3 } from 'three';

const gridVertex = `
varying vec2 place;
void main() {
    place = position.xy;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;
const gridFragment = `
varying vec2 place;
uniform float gap, reach;
uniform vec2 shift;
uniform vec3 color;
float lines(vec2 p, float width) {
    vec2 d = abs(fract(p - 0.5) - 0.5) / max(fwidth(p), vec2(1e-6));
    return 1.0 - smoothstep(0.0, width, min(d.x, d.y));
}
void main() {
    vec2 p = (place + shift) / gap;
    vec2 w = fwidth(p);
    float fine = lines(p, 1.0) * (1.0 - smoothstep(0.1, 0.5, max(w.x, w.y)));
    float coarse = lines(p / 5.0, 1.2);
    float fade = 1.0 - smoothstep(0.3, 1.0, length(place) / reach);
    gl_FragColor = vec4(color, max(0.35 * fine, 0.75 * coarse) * fade);
    #include <colorspace_fragment>
}`;

// A 1-2-5 number near x.
function roundNumber(x) {
    const power = 10 ** Math.floor(Math.log10(x));
    return [5, 2, 1].map((n) => n * power).find((n) => n <= x) ?? power;
}

export function makeGrid(box, axes, flat, size) {
    const gap = roundNumber(size / 8);
    const middle = box.getCenter(new Vector3());
    const reach = 1.6 * Math.max(box.getSize(new Vector3()).length(), size);
    const material = new ShaderMaterial({ vertexShader: gridVertex, fragmentShader: gridFragment,
        transparent: true, depthWrite: false, side: DoubleSide,
        uniforms: { gap: { value: gap }, reach: { value: reach }, shift: { value: new Vector2() },
            color: { value: new Color() } } });
    const mesh = new Mesh(new PlaneGeometry(2 * reach, 2 * reach), material);
    const { up, right, out } = axes;
    // Behind a flat model; below the others.
    const low = Math.min(box.min.dot(up), box.max.dot(up));
    const [x, y, z] = flat ? [right, up, out] : [right, out.clone().negate(), up];
    const height = flat ? middle.dot(out) - 0.6 * size : low - 1e-3 * size;
    mesh.matrixAutoUpdate = false;
    mesh.renderOrder = -1;
    // Its middle goes to a point, its lines stay where they are.
    const goTo = (p) => {
        mesh.position.copy(p).addScaledVector(z, height - p.dot(z));
        mesh.matrix.makeBasis(x, y, z).setPosition(mesh.position);
        material.uniforms.shift.value.set(p.dot(x), p.dot(y));
    };
    goTo(middle);
    return { mesh, gap, goTo };
}
