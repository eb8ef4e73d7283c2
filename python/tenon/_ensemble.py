# SPDX-License-Identifier: MIT
"""Ensembles: thousands of instances of one model, moved together."""

from __future__ import annotations

from typing import Any, Optional, Tuple

from ._model import Model
from ._native import Array, Guarded, check, encoded, ffi, lib, np, number, numbers, pointer_to


class Ensemble(Guarded):
    """`count` instances of a model, moved together with fixed steps on all processors.

    The model is a tree of rigid bodies on revolute, prismatic and fixed joints with a few loops,
    with gravity, springs and dampers on joints; docs/guide/ensemble.md tells more.

    method   "dopri5" or "dop853"
    step, t_start   [s]
    threads  0: one for each processor
    """

    _what = "ensemble"

    def __init__(self, model: Model, count: int, *, method: str = "dopri5", step: float = 1e-3,
                 t_start: float = 0.0, threads: int = 0) -> None:
        self.model = model
        options = ffi.new("tn_ensemble_options *", lib.tn_default_ensemble())
        name = ffi.new("char[]", encoded(method, "method"))
        options.method, options.step = name, number(step, "step")
        options.t_start, options.threads = number(t_start, "t_start"), int(threads)
        out = ffi.new("tn_ensemble **")
        check(lib.tn_ensemble_create(model._c, int(number(count, "count")), options, out))
        self._own(out[0], lib.tn_ensemble_destroy)
        self.count = int(lib.tn_ensemble_count(self._c))
        self.nv = int(lib.tn_ensemble_nv(self._c))

    @property
    def time(self) -> float:
        """Of all instances [s]."""
        return float(self._call(lib.tn_ensemble_time))

    def set_model(self, instance: int, model: Model) -> None:
        """Gives an instance the numbers and the start of a model that differs in numbers alone."""
        self._do(lib.tn_ensemble_set_model, instance, model._c)

    def set_state(self, instance: int, q: Any, v: Any) -> None:
        """Coordinates and velocities of an instance, those of its joints."""
        positions, speeds = numbers(q, self.nv, "q"), numbers(v, self.nv, "v")
        self._do(lib.tn_ensemble_set_state, instance, pointer_to(positions), pointer_to(speeds))

    def set_joint(self, joint: str, q: Any, rate: Any = 0.0) -> None:
        """The coordinate of a joint and its rate: numbers for all instances, or arrays of one each
        [rad, m, rad/s, m/s]."""
        which = self.model.id("joint", joint)
        positions, rates = np.broadcast_arrays(np.asarray(q, float), np.asarray(rate, float))
        positions = numbers(np.broadcast_to(positions, self.count), self.count, "q")
        rates = numbers(np.broadcast_to(rates, self.count), self.count, "rate")
        for i in range(self.count):
            self._do(lib.tn_ensemble_set_joint, i, which, positions[i], rates[i])

    def joint(self, name: str) -> Tuple[Array, Array]:
        """The coordinate of a joint in all instances, and its rate."""
        which = self.model.id("joint", name)
        found = np.empty((2, self.count))
        room = ffi.new("double[2]")
        for i in range(self.count):
            self._do(lib.tn_ensemble_joint, i, which, room, room + 1)
            found[:, i] = room[0], room[1]
        return found[0], found[1]

    def states(self, out: Optional[Array] = None) -> Array:
        """Coordinates, then velocities, of all instances: count by 2 nv."""
        rows = np.empty((self.count, 2 * self.nv)) if out is None else out
        room = np.empty(2 * self.nv)
        for i in range(self.count):
            self._do(lib.tn_ensemble_state, i, pointer_to(room[:self.nv]),
                     pointer_to(room[self.nv:]))
            rows[i] = room
        return rows

    def run(self, t_end: float) -> None:
        """Moves all instances to this time [s]."""
        self._do(lib.tn_ensemble_run, number(t_end, "t_end"))

    def __len__(self) -> int:
        return self.count

    def __repr__(self) -> str:
        return f"<tenon.Ensemble: {self.count} instances at {self.time:g} s>"
