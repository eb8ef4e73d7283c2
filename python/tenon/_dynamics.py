# SPDX-License-Identifier: MIT
"""The equations of motion of a model at any state, without a simulation."""

from __future__ import annotations

from typing import Any, Optional, Tuple

from ._model import Model
from ._native import (NULL, Array, Guarded, check, encoded, ffi, finish, lib, np, number, numbers,
                      output, pointer_to, text, vec3, view)
from ._simulation import Motion, Wrench, c_frame, joint_numbers, motion_of


class Dynamics(Guarded):
    """M a = f + tau - G^T lambda, G a = c of a model at a time, positions and velocities that are
    set; coordinates are "joint", "absolute" or "director". A tree in joint ones has no rows.

        arm = model.dynamics("joint")
        arm.set(q, v)
        tau = arm.inverse(a)
    """

    _what = "object of dynamics"

    def __init__(self, model: Model, coordinates: str = "joint") -> None:
        self.model = model
        out = ffi.new("tn_dynamics **")
        check(lib.tn_dynamics_create(model._c, encoded(coordinates, "coordinates"), out))
        self._own(out[0], lib.tn_dynamics_destroy)
        self.nq = int(lib.tn_dynamics_nq(self._c))
        self.nv = int(lib.tn_dynamics_nv(self._c))
        self.rows = int(lib.tn_dynamics_rows(self._c))
        room = ffi.new("char[256]")

        def name(function: Any, i: int) -> str:
            check(function(self._c, i, room, 256))
            return text(room)

        #: Names of velocities and of constraint rows.
        self.velocities = tuple(name(lib.tn_dynamics_velocity_name, i) for i in range(self.nv))
        self.row_names = tuple(name(lib.tn_dynamics_row_name, i) for i in range(self.rows))

    def set(self, q: Any = None, v: Any = None, *, time: Optional[float] = None) -> None:
        """Sets positions (nq), velocities (nv) and time [s]; None leaves them as they are. They
        need not satisfy the constraints."""
        positions = None if q is None else numbers(q, self.nq, "q")
        velocities = None if v is None else numbers(v, self.nv, "v")
        self._do(lib.tn_dynamics_set, self.time if time is None else number(time, "time"),
                 NULL if positions is None else pointer_to(positions),
                 NULL if velocities is None else pointer_to(velocities))

    def reset(self) -> None:
        """Back to the start values of the model."""
        self._do(lib.tn_dynamics_reset)

    def set_input(self, name: str, value: float) -> None:
        """An input of the model has this value from now on."""
        self._do(lib.tn_dynamics_set_input, self.model.id("input", name),
                 number(value, f"input '{name}'"))

    def set_value(self, name: str, value: float) -> None:
        """Give a state of the model or a sampled value ("servo.u") another value than its start."""
        self._do(lib.tn_dynamics_set_value, encoded(name, "the name"), number(value, "the value"))

    @property
    def time(self) -> float:
        """[s]"""
        return float(lib.tn_dynamics_time(self._c))

    @property
    def q(self) -> Array:
        """Positions: a read-only view, which changes when the state is set."""
        return view(lib.tn_dynamics_q(self._c), (self.nq,), self)

    @property
    def v(self) -> Array:
        """Velocities: a read-only view."""
        return view(lib.tn_dynamics_v(self._c), (self.nv,), self)

    def _fill(self, function: Any, shape: Tuple[int, ...], out: Optional[Array],
              what: str) -> Array:
        result, filled = output(out, shape, what)
        self._do(function, pointer_to(filled))
        return finish(result, filled)

    def mass_matrix(self, out: Optional[Array] = None) -> Array:
        """M (nv x nv)."""
        return self._fill(lib.tn_dynamics_mass_matrix, (self.nv, self.nv), out, "mass_matrix")

    def forces(self, out: Optional[Array] = None) -> Array:
        """f (nv): forces, gravity and velocity terms."""
        return self._fill(lib.tn_dynamics_forces, (self.nv,), out, "forces")

    def constraints(self) -> Tuple[Array, Array]:
        """G (rows x nv) and c (rows) of G a = c."""
        G, c = np.empty((self.rows, self.nv), order="F"), np.empty(self.rows)
        self._do(lib.tn_dynamics_constraints, pointer_to(G.T), pointer_to(c))
        return G, c

    def residuals(self) -> Tuple[Array, Array]:
        """How far the constraints are from holding: g and its rate (rows each)."""
        g, rate = np.empty(self.rows), np.empty(self.rows)
        self._do(lib.tn_dynamics_residuals, pointer_to(g), pointer_to(rate))
        return g, rate

    def forward(self, tau: Any = None) -> Tuple[Array, Array]:
        """Accelerations (nv) and multipliers (rows) under forces tau (nv)."""
        given = None if tau is None else numbers(tau, self.nv, "tau")
        a, multipliers = np.empty(self.nv), np.empty(self.rows)
        self._do(lib.tn_dynamics_forward, NULL if given is None else pointer_to(given),
                 pointer_to(a), pointer_to(multipliers))
        return a, multipliers

    def inverse(self, a: Any, multipliers: Any = None, out: Optional[Array] = None) -> Array:
        """Forces tau (nv) that give these accelerations (nv): tau = M a - f + G^T lambda."""
        given = numbers(a, self.nv, "a")
        rows = None if multipliers is None else numbers(multipliers, self.rows, "multipliers")
        result, filled = output(out, (self.nv,), "inverse")
        self._do(lib.tn_dynamics_inverse, pointer_to(given),
                 NULL if rows is None else pointer_to(rows), pointer_to(filled))
        return finish(result, filled)

    def energy(self) -> Tuple[float, float]:
        """Kinetic and potential energy [J]."""
        room = np.empty(2)
        self._do(lib.tn_dynamics_energy, pointer_to(room[:1]), pointer_to(room[1:]))
        return float(room[0]), float(room[1])

    def motion(self, body: str, point: Any = None, rotation: Any = None) -> Motion:
        """How a frame of a body moves; accelerations are those of the last forward or inverse."""
        return motion_of(self._call(lib.tn_dynamics_frame, self.model.id("body", body),
                                    c_frame(point, rotation)))

    def jacobian(self, body: str, point: Any = None, out: Optional[Array] = None) -> Array:
        """J (6 x nv): velocity and rate of a point of a body are J v."""
        result, filled = output(out, (6, self.nv), "jacobian")
        self._do(lib.tn_dynamics_frame_jacobian, self.model.id("body", body), c_frame(point),
                 pointer_to(filled))
        return finish(result, filled)

    def joint(self, name: str) -> Tuple[Array, Array]:
        """Coordinates of a joint and their rates."""
        q, rate = joint_numbers(self, lib.tn_dynamics_joint_coordinates, name, 2)
        return q, rate

    def reaction(self, joint: str) -> Wrench:
        """Force and torque on body B at the origin of its joint frame, inertial axes."""
        w = self._call(lib.tn_dynamics_joint_reaction, self.model.id("joint", joint))
        return Wrench(vec3(w.f), vec3(w.m))
