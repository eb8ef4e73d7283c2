# SPDX-License-Identifier: MIT
"""Simulations: a model under a method, advanced in time, set and read."""

from __future__ import annotations

import sys
import threading
import time
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import _native
from ._model import Model
from ._native import (NULL, Array, Guarded, TenonError, check, encoded, fail, ffi, finish, lib,
                      mat3, members, np, note_failed, number, numbers, output, pointer_to, text,
                      vec3)
from ._options import Options
from ._table import Recording

_step = lib.tn_sim_step
_time = lib.tn_sim_time
_set_input = lib.tn_sim_set_input
_state = lib.tenon_state
_observe_seldom = ffi.addressof(lib, "tenon_observe_seldom")


class Frame(NamedTuple):
    """Where a frame is and how it is turned: its axes are the columns of `rotation`."""

    position: Array
    rotation: Array


class Motion(NamedTuple):
    """A frame and how it moves: of its origin, and angular [m, m/s, rad/s, m/s^2, rad/s^2]."""

    position: Array
    rotation: Array
    velocity: Array
    rate: Array
    acceleration: Array
    rate_dot: Array


class Wrench(NamedTuple):
    """A force [N] and a moment [N m]."""

    force: Array
    moment: Array


class Event(NamedTuple):
    """An event that was met: its name, when [s], and whether its value was rising."""

    name: str
    time: float
    rising: bool


class Verdict(NamedTuple):
    """What a run or an analysis is worth: "done" or "doubtful", and sentences on what is
    doubtful."""

    outcome: str
    doubts: Tuple[str, ...]


def verdict_of(c: Any) -> Verdict:
    """A tn_verdict as what Python shows."""
    doubts = tuple(text(j.text) for j in c.judged[0 : c.count] if j.doubtful)
    return Verdict(text(lib.tn_outcome_word(c.outcome)), doubts)


def c_frame(point: Any, rotation: Any = None) -> Any:
    """A tn_frame of a point and a matrix, both of which may be None."""
    frame = ffi.new("tn_frame *")
    p = numbers((0.0, 0.0, 0.0) if point is None else point, 3, "the point")
    R = np.eye(3) if rotation is None else np.asarray(rotation, dtype=float)
    if R.shape != (3, 3):
        raise TenonError(f"the rotation must have the shape (3, 3), not {R.shape}")
    frame.p.x, frame.p.y, frame.p.z = p
    for i in range(3):
        for j in range(3):
            frame.R.m[i][j] = R[i, j]
    return frame[0]


def c_vec3(value: Any, what: str) -> Any:
    """A tn_vec3 of three numbers."""
    return ffi.new("tn_vec3 *", tuple(numbers(value, 3, what)))[0]


def motion_of(m: Any) -> Motion:
    """A tn_frame_motion."""
    return Motion(vec3(m.frame.p), mat3(m.frame.R), vec3(m.velocity), vec3(m.rate),
                  vec3(m.acceleration), vec3(m.rate_dot))


def joint_numbers(sensors: Any, function: Any, joint: str, parts: int) -> Tuple[Array, ...]:
    """Coordinates of a joint and what belongs to them, `parts` arrays."""
    room = np.empty((parts, 3))
    n = sensors._call(function, sensors.model.id("joint", joint),
                      *(pointer_to(row) for row in room))
    return tuple(row[:n] for row in room)


def force_facts(state: Any) -> Dict[str, Any]:
    """A tn_force_state as a dictionary."""
    found = members(state[0])
    found["on_b"] = Wrench(vec3(state.on_b.f), vec3(state.on_b.m))
    found["section"] = Wrench(vec3(state.section.f), vec3(state.section.m))
    found["strain"], found["curvature"] = vec3(state.strain), vec3(state.curvature)
    return found


class _Bar:
    """A line on stderr that tells how far a run is and how long it will take."""

    def __init__(self, start: float, end: float) -> None:
        self._start, self._end = start, end
        self._began = time.monotonic()
        self._drawn = 0.0

    def __call__(self, now: float) -> None:
        clock = time.monotonic()
        if clock - self._drawn < 0.1 and now < self._end:
            return
        self._drawn = clock
        part = min(1.0, (now - self._start) / max(self._end - self._start, 1e-300))
        spent = clock - self._began
        left = spent * (1.0 - part) / part if part > 0.0 else 0.0
        bar = "#" * int(30 * part)
        print(f"\r[{bar:30}] {100 * part:3.0f} %  t = {now:.4g} s  {left:.0f} s left ",
              end="" if now < self._end else "\n", file=sys.stderr, flush=True)


Observer = Callable[["Simulation"], Any]


class Simulation(Guarded):
    """A model under a method. Options are the keys of the `simulate` block of model files, and
    stand over those of the file; wrenches=True lets apply_wrench push bodies.

        sim = tenon.Simulation(model, method="galpha/ggl@joint", step=1e-3)
        while sim.time < 1:
            sim.step(1e-3)
    """

    _what = "simulation"

    def __init__(self, model: Model, **options: Any) -> None:
        self.model = model
        self._options = Options(model._block, options)
        out = ffi.new("tn_sim **")
        check(lib.tn_sim_create(model._c, ffi.addressof(self._options.c, "options"), out))
        self._own(out[0], lib.tn_sim_destroy)
        self._observer: Optional[Observer] = None
        self._inputs = model._ids["input"]
        self._channels: Dict[str, int] = {}
        self._units: List[str] = []
        self._lists: Dict[Tuple[str, ...], Any] = {}
        #: Rows of the last run that was asked to record, also where it has failed.
        self.recorded: Optional[Recording] = None
        self.nq = int(lib.tn_sim_nq(self._c))
        self.nv = int(lib.tn_sim_nv(self._c))
        self.nl = int(lib.tn_sim_nl(self._c))
        self.nn = int(lib.tn_sim_nn(self._c))
        self._state_c = ffi.new("double[]", max(1, self.nq + self.nv))
        self._state = np.frombuffer(ffi.buffer(self._state_c), count=self.nq + self.nv)

    # Moving --------------------------------------------------------------------------------------

    def step(self, h: float) -> None:
        """One step of size h [s]. Where it fails the state is that of the last good step."""
        if self._busy or self._running:
            self._refuse()
        self._busy = True
        try:
            status = _step(self._c, h)
        finally:
            self._busy = False
        if _native._failed:
            _native.raise_failed()
        if status:
            fail(status)

    def run(self, t_end: Optional[float] = None, observer: Optional[Observer] = None, *,
            progress: Union[bool, Callable[[float], Any]] = False,
            record: Union[bool, Sequence[str]] = False,
            every: Optional[float] = None) -> Optional[Recording]:
        """Advances to t_end, without one to that of the model, with the step of the options.

        observer   called with the simulation after each accepted step; it may read, set inputs
                   and push bodies, and ends the run by sim.stop() or by an exception
        progress   True: a bar on stderr; or a function that is called with the time
        record     True: all channels; or their names: rows are returned
        every      time between rows, by dense output; without, every step is a row [s]
        """
        if self._busy or self._running:
            self._refuse()
        end = self.model.t_end if t_end is None else number(t_end, "t_end")
        recorder = None
        if record is not False:
            recorder = _Recorder(self, None if record is True else record, every, end)
            self.recorded = recorder.rows
        elif every is not None:
            raise TenonError("every is of no effect without record")
        bar = _Bar(self.time, end) if progress is True else progress or None

        def each(sim: Simulation) -> None:
            if recorder:
                recorder.follow()
            if bar:
                bar(sim.time)
            if observer:
                observer(sim)

        self._observer = each if recorder or bar or observer else None
        handle = ffi.new_handle(self)
        self._thread = threading.get_ident()
        self._running = self._busy = True
        try:
            if self._observer:
                status = lib.tn_sim_run(self._c, end, lib.tenon_observe, handle)
            else:
                seldom = ffi.new("tenon_seldom *", [handle, 0])
                status = lib.tn_sim_run(self._c, end, _observe_seldom, seldom)
        finally:
            self._running = self._busy = False
            self._observer = None
            if recorder:
                recorder.rows.close()
        check(status)
        return recorder.rows if recorder else None

    def control(self, t_end: float, period: float,
                controller: Callable[["Simulation"], Optional[Mapping[str, float]]]) -> None:
        """Runs to t_end [s] with a controller that is called every `period` [s] and returns the
        inputs to set by their names, {"force": 3.0}, or None to leave them."""
        start, period = self.time, number(period, "period")
        if not 0.0 < period < float("inf"):
            raise TenonError(f"the period of a controller must be positive, not {period}")
        k = 0
        while self.time < t_end:
            inputs = controller(self)
            if inputs is not None:
                if not isinstance(inputs, Mapping):
                    raise TenonError("a controller must return a dictionary of inputs or None, "
                                     f"not {inputs!r}")
                for name, value in inputs.items():
                    self.set_input(name, value)
            k += 1
            target = min(start + k * period, t_end)
            if target > self.time:
                self.run(target)
            if self.ended_by is not None:
                return

    def stop(self) -> None:
        """Asks a run to stop after the current step, from an observer or another thread; the run
        then raises a TenonError of status TN_ERR_STOPPED."""
        lib.tn_sim_stop(self._c)

    # Setting -------------------------------------------------------------------------------------

    def set_input(self, name: str, value: float, rate: Optional[float] = None,
                  acceleration: Optional[float] = None) -> None:
        """Sets an input of the model from the next step on; one of kind motion with its rate and
        its acceleration."""
        found = self._inputs.get(name)
        if found is None:
            found = self.model.id("input", name)
        try:
            if rate is None and acceleration is None and not self._running:
                if self._busy:
                    self._refuse()
                status = _set_input(self._c, found, value)
                if status:
                    fail(status)
            elif rate is None and acceleration is None:
                self._do(_set_input, found, value)
            else:
                self._do(lib.tn_sim_set_input_motion, found, value, rate or 0.0,
                         acceleration or 0.0)
        except TypeError:
            raise TenonError(f"input '{name}' must be a number, not {value!r}") from None

    def input(self, name: str) -> float:
        """The value of an input at the state that is shown."""
        return float(self._call(lib.tn_sim_input, self.model.id("input", name)))

    def apply_wrench(self, body: str, force: Any = (0, 0, 0), moment: Any = (0, 0, 0), *,
                     point: Any = (0, 0, 0), axes: str = "inertial") -> None:
        """Pushes a body with a force [N] and a moment [N m] at a point of its frame [m] until the
        next call for this body; axes are "inertial" or "body". Needs the option wrenches=True."""
        if axes not in ("inertial", "body"):
            raise _native.unknown("choice of axes", axes, ("inertial", "body"))
        wrench = ffi.new("tn_wrench *")
        wrench.f = c_vec3(force, "the force")
        wrench.m = c_vec3(moment, "the moment")
        self._do(lib.tn_sim_apply_wrench, self.model.id("body", body), c_vec3(point, "the point"),
                 lib.TN_AXES_BODY if axes == "body" else lib.TN_AXES_INERTIAL, wrench[0])

    def set_state(self, q: Any = None, v: Any = None, *, time: Optional[float] = None,
                  project: bool = False) -> None:
        """Begins anew at another state: positions (nq), velocities (nv) and time [s]; None leaves
        them as they are. With `project` the state is moved onto the constraints. States of the
        model, sampled values and relays (hysteresis) stay: `save` at the start and `restore` begin
        again with all of them."""
        if self._running:
            self._refuse()
        positions = None if q is None else numbers(q, self.nq, "q")
        velocities = None if v is None else numbers(v, self.nv, "v")
        self._do(lib.tn_sim_set_state, self.time if time is None else number(time, "time"),
                 NULL if positions is None else pointer_to(positions),
                 NULL if velocities is None else pointer_to(velocities), bool(project))

    def set_value(self, name: str, value: float) -> None:
        """Gives a state of the model or a sampled value another value by its name."""
        if self._running:
            self._refuse()
        self._do(lib.tn_sim_set_value, encoded(name, "the name"), number(value, "the value"))

    def save(self) -> bytes:
        """All that the simulation knows, as bytes for `restore`."""
        room, size = ffi.new("void **"), ffi.new("size_t *")
        self._do(lib.tn_sim_save, room, size)
        try:
            return bytes(ffi.buffer(room[0], size[0]))
        finally:
            lib.tn_saved_free(room[0])

    def restore(self, saved: bytes) -> None:
        """Goes on from what `save` gave, also in another simulation of the same model with the
        same options: to the last bit where `restores_exactly`. What is not such a state is refused,
        and changes nothing."""
        if self._running:
            self._refuse()
        if not isinstance(saved, (bytes, bytearray, memoryview)):
            raise TenonError(f"what is restored must be bytes, not {type(saved).__name__}")
        data = ffi.from_buffer(saved)
        self._do(lib.tn_sim_load, data, len(data))

    @property
    def restores_exactly(self) -> bool:
        """Whether a simulation that is restored goes on to the last bit."""
        return bool(lib.tn_sim_loads_exactly(self._c))

    # Time and state ------------------------------------------------------------------------------

    @property
    def time(self) -> float:
        """[s]"""
        return float(_time(self._c))

    def _vector(self, function: Any, n: int, out: Optional[Array], what: str) -> Array:
        if out is None:
            out = np.empty(n)
        elif (type(out) is not np.ndarray or out.shape != (n,) or out.dtype != np.float64
              or not out.flags.c_contiguous or not out.flags.writeable):
            _result, filled = output(out, (n,), what)
            if n:
                ffi.memmove(filled, self._call(function), 8 * n)
            return finish(out, filled)
        if n:
            ffi.memmove(out, self._call(function), 8 * n)
        return out

    def state(self, out: Optional[Array] = None) -> Array:
        """Positions, then velocities (nq + nv): a copy, or `out` filled. One call for both."""
        n = self.nq + self.nv
        if out is None:
            if self._busy or self._running:
                self._call(_state, self._state_c)
            else:
                _state(self._c, self._state_c)
            copy: Array = self._state.copy()
            return copy
        result, filled = output(out, (n,), "state")
        self._call(_state, pointer_to(filled))
        return finish(result, filled)

    def q(self, out: Optional[Array] = None) -> Array:
        """Positions in the coordinates of the simulation (nq): a copy, or `out` filled."""
        return self._vector(lib.tn_sim_q, self.nq, out, "q")

    def v(self, out: Optional[Array] = None) -> Array:
        """Velocities (nv)."""
        return self._vector(lib.tn_sim_v, self.nv, out, "v")

    def a(self, out: Optional[Array] = None) -> Array:
        """Accelerations (nv)."""
        return self._vector(lib.tn_sim_a, self.nv, out, "a")

    def multipliers(self, out: Optional[Array] = None) -> Array:
        """Multipliers of the holonomic rows (nl)."""
        return self._vector(lib.tn_sim_lambda, self.nl, out, "multipliers")

    def show(self, t: float) -> None:
        """Shows the state at a time within the last step to all that reads, until `present`."""
        self._do(lib.tn_sim_show, number(t, "t"))

    def present(self) -> None:
        """Back to the end of the step."""
        self._call(lib.tn_sim_current)

    @property
    def before(self) -> float:
        """The time at which the last step began [s]."""
        return float(lib.tn_sim_before(self._c))

    # Sensors -------------------------------------------------------------------------------------

    @property
    def channels(self) -> Dict[str, str]:
        """Names of all that can be read, with units: {"time": "s", "bob.position.x": "m", ...}."""
        if not self._channels:
            info = ffi.new("tn_channel_info *")
            for i in range(self._call(lib.tn_sim_channel_count)):
                self._do(lib.tn_sim_channel_at, i, info)
                self._channels[text(info.name)] = i
                self._units.append(text(info.unit))
        return dict(zip(self._channels, self._units))

    def _channel(self, name: str) -> int:
        found = self._channels.get(name)
        if found is None:
            room = ffi.new("int *")
            self._do(lib.tn_sim_channel_find, encoded(name, "the name of a channel"), room)
            found = int(room[0])
        return found

    def __getitem__(self, name: str) -> float:
        """The value of a channel: sim["pole.angle"]."""
        return float(self._call(lib.tn_sim_channel, self._channel(name)))

    def _list(self, names: Sequence[str]) -> Any:
        if isinstance(names, str):
            raise TenonError(f"names of channels must be a list: [{names!r}]")
        key = tuple(names)
        found = self._lists.get(key)
        if found is None:
            found = (len(key), ffi.new("int[]", [self._channel(name) for name in key]))
            self._lists[key] = found
        return found

    def read(self, names: Sequence[str], out: Optional[Array] = None) -> Array:
        """The values of several channels: a new array, or `out` filled."""
        found = self._lists.get(names) if type(names) is tuple else None
        n, channels = found or self._list(names)
        if out is None:
            out = np.empty(n)
        elif (type(out) is not np.ndarray or out.shape != (n,) or out.dtype != np.float64
              or not out.flags.c_contiguous or not out.flags.writeable):
            _result, filled = output(out, (n,), "read")
            self._call(lib.tenon_channels, n, channels, pointer_to(filled))
            return finish(out, filled)
        self._call(lib.tenon_channels, n, channels, pointer_to(out))
        return out

    def joint(self, name: str) -> Tuple[Array, Array]:
        """Coordinates of a joint and their rates [rad, m, rad/s, m/s]."""
        q, rate = joint_numbers(self, lib.tn_sim_joint_coordinates, name, 2)
        return q, rate

    def joint_acceleration(self, name: str) -> Array:
        """Second derivatives of the coordinates of a joint [rad/s^2, m/s^2]."""
        return joint_numbers(self, lib.tn_sim_joint_accelerations, name, 1)[0]

    def reaction(self, joint: str) -> Wrench:
        """Force and torque on body B at the origin of its joint frame, inertial axes."""
        w = self._call(lib.tn_sim_joint_reaction, self.model.id("joint", joint))
        return Wrench(vec3(w.f), vec3(w.m))

    def force(self, name: str) -> Dict[str, Any]:
        """What a force element does: length, rate, effort, energy, powers."""
        state = ffi.new("tn_force_state *")
        self._do(lib.tn_sim_force, self.model.id("force", name), state)
        return force_facts(state)

    def body(self, name: str) -> Frame:
        """The frame of a body in the inertial frame."""
        frame = self._call(lib.tn_sim_body_frame, self.model.id("body", name))
        return Frame(vec3(frame.p), mat3(frame.R))

    def motion(self, body: str, point: Any = None, rotation: Any = None) -> Motion:
        """How a frame moves that is fixed to a body, at a point of the body and turned in it."""
        return motion_of(self._call(lib.tn_sim_frame, self.model.id("body", body),
                                    c_frame(point, rotation)))

    def motion_between(self, body_a: str, body_b: str, point_a: Any = None,
                       point_b: Any = None) -> Motion:
        """The frame of body B at point_b as one sees it who moves and turns with that of A."""
        return motion_of(self._call(
            lib.tn_sim_frame_between, self.model.id("body", body_a), c_frame(point_a),
            self.model.id("body", body_b), c_frame(point_b)))

    # Matrices ------------------------------------------------------------------------------------

    def jacobian(self, body: str, point: Any = None, out: Optional[Array] = None) -> Array:
        """J (6 x nv): velocity and rate of a point of a body, in inertial axes, are J v."""
        result, filled = output(out, (6, self.nv), "jacobian")
        self._do(lib.tn_sim_frame_jacobian, self.model.id("body", body), c_frame(point),
                 pointer_to(filled))
        return finish(result, filled)

    def mass_matrix(self, out: Optional[Array] = None) -> Array:
        """M (nv x nv) of M v' = f - B^T lambda at the state that is shown."""
        result, filled = output(out, (self.nv, self.nv), "mass_matrix")
        self._do(lib.tn_sim_mass_matrix, pointer_to(filled))
        return finish(result, filled)

    def forces(self, out: Optional[Array] = None) -> Array:
        """f (nv) of the same equation: forces, gravity and velocity terms."""
        result, filled = output(out, (self.nv,), "forces")
        self._do(lib.tn_sim_forces, pointer_to(filled))
        return finish(result, filled)

    # What is known of the run --------------------------------------------------------------------

    @property
    def events(self) -> Tuple[Event, ...]:
        """Events met so far, in order of time."""
        room = ffi.new("const tn_event_hit **")
        n = self._call(lib.tn_sim_event_hits, room)
        return tuple(Event(self.model.events[room[0][i].event], room[0][i].t, room[0][i].rising)
                     for i in range(n))

    @property
    def ended_by(self) -> Optional[str]:
        """The event that has ended the last run, None without one."""
        event = lib.tn_sim_ended_by(self._c)
        return self.model.events[event] if event >= 0 else None

    @property
    def ledger(self) -> Dict[str, Any]:
        """What the run has cost, and how well it kept constraints, energy and momenta."""
        room = ffi.new("tn_ledger *")
        self._call(lib.tn_sim_ledger, room)
        return members(room[0])

    @property
    def verdict(self) -> Verdict:
        """What the run so far is worth."""
        room = ffi.new("tn_verdict *")
        self._call(lib.tn_sim_verdict, room)
        return verdict_of(room)

    @property
    def method(self) -> str:
        """The method in use: "galpha/ggl@absolute"."""
        return text(lib.tn_sim_method(self._c))

    @property
    def why(self) -> str:
        """Why this method, in one line."""
        return text(lib.tn_sim_why(self._c))

    @property
    def notes(self) -> Tuple[str, ...]:
        """Sentences that are no errors but worth reading, of the start and of the run so far."""
        return tuple(text(lib.tn_sim_note(self._c, i))
                     for i in range(self._call(lib.tn_sim_note_count)))

    @property
    def equations(self) -> Dict[str, Any]:
        """What the equations are made of: their index, and how many q, v, c, w, s, r, lambda and
        eta there are."""
        room = ffi.new("tn_equations *")
        self._call(lib.tn_sim_equations, room)
        return members(room[0])

    @property
    def freedoms(self) -> int:
        """Velocity coordinates less the rank of the constraints."""
        return int(self._call(lib.tn_sim_freedoms))

    @property
    def redundant(self) -> int:
        """Constraint rows that repeat others."""
        return int(self._call(lib.tn_sim_redundant))

    def __repr__(self) -> str:
        return f"<tenon.Simulation {self.method} at t = {self.time:.6g} s>"


_MOST_ROWS = 1e8


class _Recorder:
    """Keeps rows of channels while a run goes on."""

    def __init__(self, sim: Simulation, names: Optional[Sequence[str]],
                 every: Optional[float], end: float) -> None:
        units = sim.channels
        chosen = ["time"] + [n for n in (units if names is None else names) if n != "time"]
        self._sim = sim
        self._names = tuple(chosen)
        for name in chosen:
            sim._channel(name)
        self.rows = Recording(chosen, [units[name] for name in chosen])
        self._every = None if every is None else number(every, "every")
        if self._every is not None and not 0.0 < self._every < float("inf"):
            raise TenonError(f"the time between rows must be positive, not {every}")
        if self._every is not None and end - sim.time > _MOST_ROWS * self._every:
            raise TenonError(f"every = {every} s would keep {(end - sim.time) / self._every:.3g} "
                             f"rows; more than {_MOST_ROWS:.0g} are a slip more often than a wish")
        self._start, self._count = sim.time, 0
        self._keep()

    def _keep(self) -> None:
        self._sim.read(self._names, out=self.rows.next_row())

    def follow(self) -> None:
        """Keeps the step that has just ended, or the rows that fall into it."""
        if self._every is None:
            self._keep()
            return
        sim, end = self._sim, self._sim.time
        room = 1e-9 * self._every  # steps that are to end at a row do so to round-off
        while (t := self._start + (self._count + 1) * self._every) <= end + room:
            sim.show(min(max(t, sim.before), end))
            self._keep()
            self._count += 1
        sim.present()


@ffi.def_extern(error=lib.TN_ERR_STOPPED, onerror=note_failed)
def tenon_observe(user: Any, _sim: Any) -> int:
    """After a step of a run: calls the observer of the simulation, which may read it now."""
    sim = ffi.from_handle(user)
    if sim._observer:
        sim._busy = False
        try:
            sim._observer(sim)
        finally:
            sim._busy = True
    return int(lib.TN_OK)
