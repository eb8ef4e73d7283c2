# SPDX-License-Identifier: MIT
"""Equilibria of models, and small motions about them: modes."""

from __future__ import annotations

import os
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

from ._model import Model, Path
from ._native import (Array, Guarded, TenonError, check, encoded, ffi, lib, mat3, members, np,
                      number, text, vec3, view)
from ._options import listed
from ._simulation import (Frame, Verdict, Wrench, c_vec3, force_facts, joint_numbers,
                          verdict_of)
from ._table import Table

_ABOUT = {"equilibrium": "TN_ABOUT_EQUILIBRIUM", "start": "TN_ABOUT_START"}
_METHODS = {"auto": "TN_MODES_AUTO", "dense": "TN_MODES_DENSE", "sparse": "TN_MODES_SPARSE"}
Names = Union[None, str, Sequence[str]]


class LoadPath(Table):
    """Equilibria along a path of loads, as read-only views that keep their memory alive."""

    def __init__(self, owner: Any, path: Any) -> None:
        super().__init__([text(path.names[i]) for i in range(path.ncolumn)],
                         [text(path.units[i]) for i in range(path.ncolumn)])
        self._values = view(path.values, (path.rows, path.ncolumn), owner)

    def _column(self, i: int) -> Array:
        column: Array = self._values[:, i]
        return column


def _put_search(find: Any, keep: List[Any], time: float, nearest: bool, spin: float, axis: Any,
                about: Any, load_to: float, trim: Names, outputs: Names) -> None:
    """The options of tn_equilibrium_options that equilibria and modes share."""
    find.start.t_start = number(time, "time")
    find.nearest = bool(nearest)
    find.spin, find.load_to = number(spin, "spin"), number(load_to, "load_to")
    if axis is not None:
        find.axis = c_vec3(axis, "axis")
    if about is not None:
        find.about = c_vec3(about, "about")
    for key, names in (("trim", trim), ("outputs", outputs)):
        if names is not None:
            joined = listed(names)
            keep.append(ffi.new("char[]", encoded(joined, key)))
            setattr(find, key, keep[-1])


class Equilibrium(Guarded):
    """Where a model stays at rest, or turns steadily as a whole, and whether it is stable there.

    nearest   the nearest one, even if it is unstable
    time      at which drives and functions of time are held [s]
    spin      a steady rotation of all [rad/s] about `axis` through the point `about`
    load      what the load factor scales: None for gravity, point forces and motors, or an input
    load_from, load_to, steps   the load goes from one to the other in so many steps
    arc       along the path of equilibria by its length, past limit points
    trim, outputs   inputs whose values are found so that coordinates have values: "lift",
                    "hinge.angle = 0.1"

    `stability` is "stable", "neutral" or "unstable"; `facts` has all that is known; `trim` the
    inputs that were found, `path` the equilibria along the loads, `verdict` says what may spoil
    all of this.
    """

    _what = "equilibrium"

    def __init__(self, model: Model, *, nearest: bool = False, time: float = 0.0, spin: float = 0.0,
                 axis: Any = None, about: Any = None, load: Optional[str] = None,
                 load_from: float = 0.0, load_to: float = 1.0, steps: int = 0, arc: bool = False,
                 trim: Names = None, outputs: Names = None) -> None:
        self.model = model
        options = ffi.new("tn_equilibrium_options *", lib.tn_default_equilibrium())
        keep: List[Any] = []
        _put_search(options, keep, time, nearest, spin, axis, about, load_to, trim, outputs)
        options.load_from, options.arc = number(load_from, "load_from"), bool(arc)
        options.steps = int(number(steps, "steps"))
        if load is not None:
            keep.append(ffi.new("char[]", encoded(load, "load")))
            options.load = keep[-1]
        out = ffi.new("tn_equilibrium **")
        check(lib.tn_equilibrium_create(model._c, options, out))
        self._own(out[0], lib.tn_equilibrium_destroy)
        self._do(lib.tn_equilibrium_find)
        facts = lib.tn_equilibrium_facts_of(self._c)
        self.facts: Dict[str, Any] = members(facts[0])
        self.stability = self.facts["stability"] = text(lib.tn_stability_word(facts.stability))
        self.trim: Dict[str, float] = {
            text(lib.tn_equilibrium_trim_name(self._c, i)):
                float(lib.tn_equilibrium_trim_value(self._c, i))
            for i in range(lib.tn_equilibrium_trim_count(self._c))}
        self.path = LoadPath(self._c, lib.tn_equilibrium_path_of(self._c))
        self.verdict: Verdict = verdict_of(lib.tn_equilibrium_verdict(self._c))

    def joint(self, name: str) -> Array:
        """Coordinates of a joint [rad, m]."""
        return joint_numbers(self, lib.tn_equilibrium_joint_coordinates, name, 1)[0]

    def body(self, name: str) -> Frame:
        """The frame of a body in the inertial frame."""
        frame = self._call(lib.tn_equilibrium_body_frame, self.model.id("body", name))
        return Frame(vec3(frame.p), mat3(frame.R))

    def reaction(self, joint: str) -> Wrench:
        """Force and torque on body B at the origin of its joint frame, inertial axes."""
        w = self._call(lib.tn_equilibrium_joint_reaction, self.model.id("joint", joint))
        return Wrench(vec3(w.f), vec3(w.m))

    def force(self, name: str) -> Dict[str, Any]:
        """What a force element does: length, effort, energy, ..."""
        state = ffi.new("tn_force_state *")
        self._do(lib.tn_equilibrium_force, self.model.id("force", name), state)
        return force_facts(state)

    def __repr__(self) -> str:
        return f"<tenon.Equilibrium: {self.stability}, load {self.facts['load']:g}>"


class Mode(NamedTuple):
    """A mode exp(s t): its kind, "rigid", "swing", "decay" or "growth"; s [1/s]; frequency [Hz];
    that without damping [Hz]; damping ratio; and the coordinate or body that moves most."""

    kind: str
    s: complex
    frequency: float
    undamped: float
    damping: float
    name: str


class ModeMotion(NamedTuple):
    """How a body moves in a mode: complex displacement of its origin and rotation vector."""

    move: Array
    turn: Array


class Modes(Guarded):
    """Small motions of a model about an equilibrium or its start, the slowest first.

    count      how many; 0: 20, or all where there are fewer
    undamped   leaves out damping
    method     "auto", "dense" or "sparse"
    state      "equilibrium": one that is looked for, with nearest, time, spin, axis, about,
               load_to, trim and outputs as those of Equilibrium; "start": the start of the model
    motion     about the start: its velocities are those of the model times this

    modes[i] is a Mode; `frequencies` [Hz] and `damping` are arrays over all of them.
    """

    _what = "modes"

    def __init__(self, model: Model, *, count: int = 0, undamped: bool = False,
                 method: str = "auto", state: str = "equilibrium", motion: float = 0.0,
                 nearest: bool = False, time: float = 0.0, spin: float = 0.0, axis: Any = None,
                 about: Any = None, load_to: float = 1.0, trim: Names = None,
                 outputs: Names = None) -> None:
        for value, known, what in ((state, _ABOUT, "state"), (method, _METHODS, "method")):
            if value not in known:
                raise TenonError(f"{what} of modes must be one of {', '.join(known)}, "
                                 f"not {value!r}")
        self.model = model
        options = ffi.new("tn_modes_options *", lib.tn_default_modes())
        keep: List[Any] = []
        _put_search(options.find, keep, time, nearest, spin, axis, about, load_to, trim, outputs)
        options.about = getattr(lib, _ABOUT[state])
        options.method = getattr(lib, _METHODS[method])
        options.motion, options.undamped = number(motion, "motion"), bool(undamped)
        options.count = int(number(count, "count"))
        out = ffi.new("tn_modes **")
        check(lib.tn_modes_create(model._c, options, out))
        self._own(out[0], lib.tn_modes_destroy)
        self._modes = tuple(self._mode(i) for i in range(lib.tn_modes_count(self._c)))
        self.frequencies: Array = np.array([m.frequency for m in self._modes])
        self.damping: Array = np.array([m.damping for m in self._modes])
        self.verdict: Verdict = verdict_of(lib.tn_modes_verdict(self._c))

    def _mode(self, i: int) -> Mode:
        m = lib.tn_mode_of(self._c, i)
        return Mode(text(lib.tn_mode_kind_word(m.kind)), complex(m.re, m.im), m.frequency,
                    m.undamped, m.damping, text(m.name))

    def __len__(self) -> int:
        return len(self._modes)

    def __getitem__(self, i: int) -> Mode:
        return self._modes[i]

    def _place(self, i: int) -> int:
        if not -len(self) <= i < len(self):
            raise TenonError(f"there is no mode {i} of {len(self)}")
        return i % len(self)

    def motion(self, i: int, body: str) -> ModeMotion:
        """How a body moves in mode i."""
        m = self._call(lib.tn_mode_motion_of, self._place(i), self.model.id("body", body))
        return ModeMotion(vec3(m.move_re) + 1j * vec3(m.move_im),
                          vec3(m.turn_re) + 1j * vec3(m.turn_im))

    def share(self, i: int, body: str) -> float:
        """The part of the kinetic energy of mode i that is in a body."""
        return float(self._call(lib.tn_mode_share, self._place(i), self.model.id("body", body)))

    def write(self, path: Path) -> None:
        """Writes a table of the modes, comma separated."""
        self._do(lib.tn_modes_write, encoded(os.fspath(path), "the path"))

    def __repr__(self) -> str:
        told = ", ".join(f"{f:.4g}" for f in self.frequencies[:4])
        return f"<tenon.Modes: {len(self)} modes, {told}{' ...' if len(self) > 4 else ''} Hz>"
