# SPDX-License-Identifier: MIT
"""Forces and functions of time that are Python functions."""

from __future__ import annotations

import math
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Tuple

from ._native import (NULL, Array, TenonError, check, encoded, ffi, has_failed, lib, mat3,
                      note_failed, np, number, vec3)


class Parameter(NamedTuple):
    """A number that elements of a kind state in the model: its default, unit and meaning."""

    default: float
    unit: str = ""
    text: str = ""


class MovingFrame(NamedTuple):
    """A frame of a force element in the inertial frame, and how it moves [m, m/s, rad/s]."""

    position: Array
    rotation: Array
    velocity: Array
    rate: Array


class At:
    """Where an element is that a function is asked for; good only while the function runs.

    t           the time [s]
    parameters  numbers of the element by their names
    a, b        the frames of a force, MovingFrame
    x, rate     of a law: its coordinate [m, rad] and the rate of that
    """

    def __init__(self, c: Any, kind: "_Kind") -> None:
        self._c = c
        self._kind = kind

    def _at(self) -> Any:
        if self._c is None:
            raise TenonError(f"kind '{self._kind.name}': what a function is given is good only "
                             "while it runs")
        return self._c

    @property
    def t(self) -> float:
        """The time [s]."""
        return float(self._at().t)

    @property
    def x(self) -> float:
        """The coordinate of a law [m, rad]."""
        return float(self._at().x)

    @property
    def rate(self) -> float:
        """The rate of the coordinate [m/s, rad/s]."""
        return float(self._at().rate)

    @property
    def parameters(self) -> Dict[str, float]:
        """The numbers of the element."""
        values = ffi.cast("const double *", self._at().params)
        return {name: values[i] for i, name in enumerate(self._kind.parameters)}

    @property
    def a(self) -> MovingFrame:
        """The frame on body A, the inertial frame where the force has only one body."""
        return self._moving(self._at().a)

    @property
    def b(self) -> MovingFrame:
        """The frame on body B."""
        return self._moving(self._at().b)

    @staticmethod
    def _moving(frame: Any) -> MovingFrame:
        return MovingFrame(vec3(frame.x.p), mat3(frame.x.R), vec3(frame.V.v), vec3(frame.V.w))


class Law(NamedTuple):
    """What a law gives: a force along its coordinate, and what it stores and turns into heat."""

    force: float
    energy: float = 0.0
    dissipated: float = 0.0


class Load(NamedTuple):
    """What a force gives: (force, moment) on B and on A at the origins of their frames, inertial
    axes [N, N m], and what it stores [J] and turns into heat [W]."""

    b: Tuple[Any, Any]
    a: Tuple[Any, Any] = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    energy: float = 0.0
    dissipated: float = 0.0


class _Kind:
    """A kind that was added to the library, with the function that it calls now."""

    def __init__(self, name: str, what: str, parameters: Mapping[str, Parameter],
                 function: Callable[..., Any]) -> None:
        self.name = name
        self.what = what
        self.parameters = dict(parameters)
        self.function = function
        self.handle = ffi.new_handle(self)
        self.keep: List[Any] = []


# The library keeps kinds until the process ends, and so do we what they point to.
_kinds: Dict[str, _Kind] = {}

_PLACES = {"pair": "TN_OWN_PAIR", "body": "TN_OWN_SINGLE", "joint": "TN_OWN_JOINT"}


def _rows(kind: _Kind) -> Any:
    rows = ffi.new("tn_param[]", max(1, len(kind.parameters)))
    for i, (name, parameter) in enumerate(kind.parameters.items()):
        texts = [ffi.new("char[]", encoded(t, f"parameter '{name}'"))
                 for t in (name, parameter.unit, parameter.text or name)]
        kind.keep += texts
        row = rows[i]
        row.name, row.unit, row.text = texts
        row.type, row.range = lib.TN_PARAM_NUMBER, lib.TN_ANY
        row.fallback = number(parameter.default, f"the default of parameter '{name}'")
        row.offset = 8 * i
    kind.keep.append(rows)
    return rows


def _add(name: str, what: str, line: str, parameters: Optional[Mapping[str, Any]],
         function: Callable[..., Any], register: Callable[[_Kind, Any], int]) -> None:
    """Adds a kind, or gives one that was added before another function."""
    if not callable(function):
        raise TenonError(f"kind '{name}' needs a function, not {function!r}")
    table = {key: value if isinstance(value, Parameter) else Parameter(value)
             for key, value in (parameters or {}).items()}
    known = _kinds.get(name)
    if known and (known.what, known.parameters) == (what, table):
        known.function = function
        return
    if len(table) > 32:
        raise TenonError(f"kind '{name}' has {len(table)} parameters; 32 are the most")
    kind = _Kind(name, what, table, function)
    own = ffi.new("tn_own_kind *")
    own.params, own.nparam, own.size = _rows(kind), len(table), 8 * len(table)
    texts = [ffi.new("char[]", encoded(t, "the name of a kind")) for t in (name, line)]
    kind.keep += texts
    own.name, own.text = texts
    own.user = kind.handle
    check(register(kind, own[0]))
    _kinds[name] = kind


def force(name: str, *, on: str = "body", law: bool = False, turns: bool = True,
          energies: bool = False, parameters: Optional[Mapping[str, Any]] = None,
          ) -> Callable[[Callable[[At], Any]], Callable[[At], Any]]:
    """Makes a Python function a kind of force that model files name: `kind: air-drag`.

        @tenon.force("air-drag", parameters={"area": tenon.Parameter(0.1, "m^2", "cross-section")})
        def drag(at):
            v = at.b.velocity
            return -0.6 * at.parameters["area"] * np.linalg.norm(v) * v

    on          "body": one body, from outside; "pair": two bodies; "joint": a joint coordinate
    law         the function gives a number, the force along the distance of a pair or along the
                joint coordinate, or a tenon.Law; always so for joints
    turns       it needs the orientation of its bodies: not for point masses
    energies    it gives a tenon.Load or tenon.Law with energy and dissipation; without, all its
                power counts as supplied

    The function gets a tenon.At and gives, on "body", a force or (force, moment), or a Load; on
    "pair" a Load. Whatever it raises comes out of the call that it was needed in. A name that is
    used again with the same parameters gets another function.
    """
    if on not in _PLACES:
        raise TenonError(f"a force acts on one of {', '.join(_PLACES)}, not on {on!r}")
    is_law = law or on == "joint"

    def register(kind: _Kind, own: Any) -> int:
        table = ffi.new("tn_own_force *")
        table.kind = own
        table.place = getattr(lib, _PLACES[on])
        table.turns, table.energies = turns and not is_law, energies
        if is_law:
            table.law = lib.tenon_force_law
        else:
            table.eval = lib.tenon_force_eval
        kind.keep.append(table)
        return int(lib.tn_add_force_kind(table, NULL))

    def decorate(function: Callable[[At], Any]) -> Callable[[At], Any]:
        line = (function.__doc__ or f"force of the Python function {name}").strip().split("\n")[0]
        _add(name, f"force on {on}, law {is_law}, turns {turns}, energies {energies}", line,
             parameters, function, register)
        return function

    return decorate


def function_of_time(name: str, *, parameters: Optional[Mapping[str, Any]] = None,
                     ) -> Callable[[Callable[[At], float]], Callable[[At], float]]:
    """Makes a Python function a kind of function of time, for `{kind: NAME, parameter: value}`
    where a function may stand in a model. It must be smooth: derivatives are formed by
    differences."""

    def register(kind: _Kind, own: Any) -> int:
        table = ffi.new("tn_own_function *")
        table.kind = own
        table.value = lib.tenon_function_value
        kind.keep.append(table)
        return int(lib.tn_add_function_kind(table, NULL))

    def decorate(function: Callable[[At], float]) -> Callable[[At], float]:
        line = (function.__doc__ or f"the Python function {name}").strip().split("\n")[0]
        _add(name, "function of time", line, parameters, function, register)
        return function

    return decorate


def check_kind(name: str) -> None:
    """Compares what a kind gives (energies with powers) at random places with differences."""
    check(lib.tn_check_kind(encoded(name, "the name of a kind"), NULL))


# Called by C -------------------------------------------------------------------------------------


def _three(value: Any, kind: _Kind, what: str) -> Tuple[float, float, float]:
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.shape != (3,):
        raise TenonError(f"kind '{kind.name}' must give three numbers as {what}, not {value!r}")
    return float(array[0]), float(array[1]), float(array[2])


def _put_wrench(place: Any, value: Any, kind: _Kind, body: str) -> None:
    try:
        given_force, given_moment = value
    except (TypeError, ValueError):
        raise TenonError(f"kind '{kind.name}' must give a force and a moment on {body}, "
                         f"not {value!r}") from None
    place.f.x, place.f.y, place.f.z = _three(given_force, kind, f"the force on {body}")
    place.m.x, place.m.y, place.m.z = _three(given_moment, kind, f"the moment on {body}")


def _put_load(out: Any, value: Any, kind: _Kind) -> None:
    if isinstance(value, Load):
        _put_wrench(out.b, value.b, kind, "B")
        _put_wrench(out.a, value.a, kind, "A")
        out.energy = number(value.energy, f"the energy of kind '{kind.name}'")
        out.dissipated = number(value.dissipated, f"the dissipation of kind '{kind.name}'")
    elif "on pair" in kind.what:
        raise TenonError(f"kind '{kind.name}' acts on two bodies and must give a tenon.Load, "
                         f"not {value!r}")
    elif isinstance(value, tuple) and len(value) == 2:
        _put_wrench(out.b, value, kind, "B")
    else:
        out.b.f.x, out.b.f.y, out.b.f.z = _three(value, kind, "its force")


def _put_law(out: Any, value: Any, kind: _Kind) -> None:
    law = value if isinstance(value, Law) else Law(value)
    out.force = number(law.force, f"the force of kind '{kind.name}'")
    out.energy = number(law.energy, f"the energy of kind '{kind.name}'")
    out.dissipated = number(law.dissipated, f"the dissipation of kind '{kind.name}'")


def _value(at: Any) -> Tuple[_Kind, Any]:
    kind = ffi.from_handle(at.user)
    seen = At(at, kind)
    try:
        return kind, kind.function(seen)
    finally:
        seen._c = None


def _law_failed(kind: Any, error: BaseException, trace: Any) -> None:
    """What ends the step of a law that has failed; the exception is raised where it was called."""
    note_failed(kind, error, trace)
    if trace:  # the arguments of the function below
        trace.tb_frame.f_locals["out"].force = math.nan


def _eval_failed(kind: Any, error: BaseException, trace: Any) -> None:
    """The same of a force."""
    note_failed(kind, error, trace)
    if trace:
        trace.tb_frame.f_locals["out"].b.f.x = math.nan


@ffi.def_extern(onerror=_eval_failed)
def tenon_force_eval(at: Any, out: Any) -> None:
    """tn_own_force.eval"""
    if has_failed():
        out.b.f.x = math.nan
    else:
        kind, value = _value(at)
        _put_load(out, value, kind)


@ffi.def_extern(onerror=_law_failed)
def tenon_force_law(at: Any, out: Any) -> None:
    """tn_own_force.law"""
    if has_failed():
        out.force = math.nan
    else:
        kind, value = _value(at)
        _put_law(out, value, kind)


@ffi.def_extern(error=math.nan, onerror=note_failed)
def tenon_function_value(at: Any) -> float:
    """tn_own_function.value"""
    if has_failed():
        return math.nan
    kind, value = _value(at)
    return number(value, f"the value of kind '{kind.name}'")
