// SPDX-License-Identifier: MIT
//
// Parts for tests of placements.

#pragma once

// Templates with what is stated in the inertial frame, in all ways that it can be.
static const char *const spatial[] = {
    "    bodies: {a: {mass: 1, inertia: [1, 2, 2], com: [0.1, 0, 0], initial: {position: [1, 0, "
    "0.5], orientation: {axis: [1, 1, 0], angle: 0.4}, velocity: [0.1, 0.2, 0.3], rate: [1, 0, "
    "2]}}}\n",
    "    bodies: {a: {mass: 1, inertia: [1, 1, 1]}, p: {kind: point, mass: 2, initial: {position: "
    "[0, 1, 0]}}}\n"
    "    joints: {pin: {kind: revolute, bodies: a}, rod: {kind: distance, bodies: [a, p], at_a: "
    "[0.2, 0, 0], at_b: [0, 1, 0]}}\n",
    "    bodies: {a: {mass: 1, inertia: [1, 2, 3], initial: {position: [0.5, 0.1, 0.2]}}, b: "
    "{mass: 1, inertia: [1, 1, 1], initial: {position: [1, 1, 0.2]}}}\n"
    "    joints: {u: {kind: universal, bodies: [ground, a], at: [0, 0, 0.3], axis: [1, 2, 0]}, c: "
    "{kind: cylindrical, bodies: [a, b], at: [0.8, 0.5, 0.1], axis: [0, 1, 1], initial: {rate: "
    "[0.3, 0.1]}}}\n",
    "    bodies: {a: {mass: 1, inertia: [1, 2, 3], initial: {position: [0.5, 0.1, 0.2]}}}\n"
    "    joints: {r: {kind: revolute, bodies: [ground, a], frame_a: {at: [0.1, 0, 0.2], axis: [1, "
    "1, 0]}, frame_b: {at: [-0.4, -0.1, 0], axis: [1, 1, 0]}}}\n"
    "    forces: {s: {kind: spring, bodies: [ground, a], at_a: [0, 0, 2], at_b: [0.5, 0, 0.2], "
    "stiffness: 30, damping: 1}, b: {kind: bushing, bodies: [ground, a], stiffness: [10, 20, "
    "30]}}\n",
    "    bodies: {a: {mass: 1, inertia: [1, 2, 3]}}\n"
    "    forces: {w: {kind: point-force, body: a, at: [0.3, 0, 0], force: [sin(t), 2, -1], torque: "
    "[0, 0.1, 0.5*t]}, f: {kind: point-force, body: a, follower: true, force: [1, 0, t]}}\n",
    "    parameters: {r: 0.2}\n"
    "    bodies: {a: {mass: 1, inertia: [0.1, 0.1, 0.1], initial: {position: [0, 0, r], velocity: "
    "[0.4, 0, 0], rate: [0, 2, 0.3]}}}\n"
    "    joints: {roll: {kind: rolling-ball, bodies: [ground, a], radius: r}}\n",
    "    bodies: {b: {kind: beam, elements: 3, points: [[0, 0, 0], [1, 0, 0.2]], x_axis: [0, 1, "
    "0], "
    "section: {kind: rectangle, width: 0.02, height: 0.01, E: 1e9, rho: 1000}, initial: "
    "{velocity: [0, 0.1, 0], rate: [0, 0, 0.2]}}}\n",
    "    bodies: {b: {kind: beam, elements: 3, line: curve, x: 0.5*sin(s), y: 0.5*cos(s), z: "
    "0.1*s, "
    "from: 0, to: 1, x_axis: [0, 0, 1], section: {kind: circle, radius: 0.01, E: 1e9, rho: "
    "1000}}}\n",
    "    bodies: {m: {kind: modal, rod: {length: 1, section: {kind: circle, radius: 0.01, E: 1e9, "
    "rho: 1000}, functions: [{y: s^2}, {z: s^2}], attachments: {end: 1}}, initial: {position: [0, "
    "1, 0], velocity: [0, 0, 1]}}}\n",
};

static const char *const planar[] = {
    "    bodies: {a: {kind: planar, mass: 1, inertia: 1, initial: {position: [1, 0.2], angle: 0.3, "
    "velocity: [0.2, 0.1]}}}\n"
    "    joints: {s: {kind: prismatic, bodies: [ground, a], at: [0, 0], axis: [1, 0.5]}}\n"
    "    forces: {k: {kind: joint-spring, joint: s, stiffness: 10}}\n",
    "    bodies: {a: {kind: planar, mass: 1, inertia: 1, initial: {position: [1, 0.2]}}, b: {kind: "
    "planar, mass: 1, inertia: 1, initial: {position: [2, 0]}}}\n"
    "    joints: {p: {kind: revolute, bodies: a, at: [0, 0]}, q: {kind: revolute, bodies: [a, b], "
    "at: [1.5, "
    "0.1]}}\n",
    "    bodies: {a: {kind: planar, mass: 1, inertia: 1}, b: {kind: planar, mass: 1, inertia: 1, "
    "initial: {position: [0.5, 0]}}}\n"
    "    joints: {d: {kind: pose-drive, body: a, x: 0.1*sin(t), y: 0.2*t, yaw: 0.3*t}, q: {kind: "
    "revolute, bodies: [a, b], at: [0.1, 0]}}\n",
    "    bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 2, 2], initial: "
    "{position: [0.5, 0, 0]}}}\n"
    "    joints: {d: {kind: pose-drive, body: a, x: 0.1*sin(t), y: 0.2*t, z: t, roll: 0.2*t, "
    "pitch: "
    "0.1, yaw: 0.3*t}, q: {kind: spherical, bodies: [a, b], at: [0.1, 0, 0]}}\n",
};
