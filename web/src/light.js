// SPDX-License-Identifier: MIT
//
// Light, and soft shadows on the ground and on what is fixed there, so that one sees what is above
// what.

import { AmbientLight, DirectionalLight, HemisphereLight, Mesh, PCFShadowMap, ShadowMaterial,
    Vector3 } from 'three';

// Whether the processor draws, without a graphics card.
export function isSoftware(renderer) {
    const gl = renderer.getContext();
    const names = gl.getExtension('WEBGL_debug_renderer_info');
    return names !== null &&
        /swiftshader|llvmpipe|software/i.test(gl.getParameter(names.UNMASKED_RENDERER_WEBGL));
}

export class Sun {
    constructor(scene, { up, right, out }) {
        this.scene = scene;
        const sky = new HemisphereLight(0xffffff, 0x9aa4b0, 1.1);
        sky.position.copy(up);
        this.light = new DirectionalLight(0xffffff, 1.9);
        this.direction = up.clone().multiplyScalar(1.5).addScaledVector(right, -0.8)
            .addScaledVector(out, 1.3).normalize();
        this.light.position.copy(this.direction);
        scene.add(new AmbientLight(0xffffff, 0.35), sky, this.light, this.light.target);
    }

    // sets: instances that cast shadows, or take them where they are all of the ground; surfaces:
    // other meshes that cast some; grid: the mesh of the ground.
    castShadows(renderer, { box, size, grid, sets, surfaces }) {
        const { light } = this;
        this.grid = grid;
        this.reach = 0.75 * Math.max(box.getSize(new Vector3()).length(), size);
        renderer.shadowMap.enabled = true;
        renderer.shadowMap.type = PCFShadowMap;
        light.shadow.mapSize.set(1024, 1024);
        Object.assign(light.shadow, { radius: 4, bias: -0.0008, normalBias: 0.002 * size });
        Object.assign(light.shadow.camera, { left: -this.reach, right: this.reach,
            top: this.reach, bottom: -this.reach, near: 0.1 * this.reach, far: 6 * this.reach });
        this.floor = new Mesh(grid.geometry, new ShadowMaterial({ opacity: 0.22,
            depthWrite: false }));
        Object.assign(this.floor, { matrixAutoUpdate: false, receiveShadow: true,
            renderOrder: -0.5 });
        this.scene.add(this.floor);
        for (const { mesh, parts } of sets) {
            mesh.castShadow = parts.some((part) => part.body !== 0);
            mesh.receiveShadow = !mesh.castShadow;
        }
        for (const mesh of surfaces)
            mesh.castShadow = true;
        this.over(box.getCenter(new Vector3()));
    }

    // Goes with what the eye follows: shadows reach so far only.
    over(p) {
        if (!this.floor)
            return;
        this.light.target.position.copy(p);
        this.light.position.copy(p).addScaledVector(this.direction, 3 * this.reach);
        this.floor.matrix.copy(this.grid.matrix);
    }

    show(on) {
        if (this.floor)
            this.floor.visible = this.light.castShadow = on;
    }
}
