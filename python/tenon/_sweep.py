# SPDX-License-Identifier: MIT
"""Sweeps: one model with many values of its parameters, on all processors."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from typing import (TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple,
                    Union)

from ._model import Path
from ._native import (NULL, Array, TenonError, check, encoded, ffi, lib, missing,
                      note_failed, np, number, pointer_to, take_failed, text)
from ._options import Options
from ._table import Table

if TYPE_CHECKING:
    import pandas

_STATES = ("missing", "done", "doubtful", "failed")
_QUANTILES = ("q05", "q25", "q50", "q75", "q95")


class _Follower:
    """What C calls after each case."""

    def __init__(self, progress: Optional[Callable[[int, int], Any]]) -> None:
        self.progress = progress
        self.sweep: Any = None
        self.told: List[str] = []
        self.raised: Any = None


def _swept_failed(kind: Any, error: BaseException, trace: Any) -> None:
    note_failed(kind, error, trace)
    if trace:
        lib.tn_sweep_stop(ffi.from_handle(trace.tb_frame.f_locals["user"]).sweep)


@ffi.def_extern(onerror=_swept_failed)
def tenon_swept(user: Any, cases: int, of_all: int) -> None:
    """After a case; Python looks for Ctrl-C here."""
    follower = ffi.from_handle(user)
    if follower.progress:
        follower.progress(cases, of_all)


@ffi.def_extern(error=NULL)
def tenon_raised(user: Any) -> Any:
    """tn_sweep_options.raised: each case tells what its own functions have raised."""
    follower = ffi.from_handle(user)
    follower.raised = ffi.new("char[]", take_failed().encode("utf-8", "replace"))
    return follower.raised


class _CaseBar:
    """A line on stderr that tells how many cases have ended and how long the others will take."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._drawn = 0.0
        self._before = -1  # cases that were there

    def __call__(self, cases: int, of_all: int) -> None:
        clock = time.monotonic()
        if self._before < 0:
            self._before = cases - 1
        if clock - self._drawn < 0.1 and cases < of_all:
            return
        self._drawn = clock
        left = (clock - self._began) * (of_all - cases) / max(cases - self._before, 1)
        bar = "#" * (30 * cases // max(of_all, 1))
        print(f"\r[{bar:30}] {cases} of {of_all} cases  {left:.0f} s left ",
              end="" if cases < of_all else "\n", file=sys.stderr, flush=True)


def _values(name: str, value: Any) -> str:
    """What is varied, as the command line states it."""
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple, range)) or getattr(value, "ndim", 0) > 0:
        if getattr(value, "ndim", 1) != 1:
            raise TenonError(f"the values of '{name}' must be a list of numbers")
        return "[" + ", ".join(repr(number(v, f"a value of '{name}'")) for v in value) + "]"
    return repr(number(value, f"the value of '{name}'"))


class Sweep(Table):
    """The table of a sweep: a column for each parameter that was varied and for each output, as
    read-only arrays with one number for each case.

    status      "done", "doubtful", "failed" or "missing", by case
    reasons     why cases are not done: a dictionary by the numbers of cases
    statistics  by column: "min", "max", "mean", "deviation", "q05", "q25", "q50", "q75", "q95",
                and "min_case", "max_case"
    counts      how many cases are "done", "doubtful", "failed" and "missing"
    directory   the folder that keeps it, or ""
    """

    def __init__(self, sweep: Any, directory: str) -> None:
        facts = ffi.new("tn_sweep_facts *")
        check(lib.tn_sweep_found(sweep, facts))
        columns = facts.columns[0 : facts.ncolumn]
        Table.__init__(self, ["case"] + [text(c.name) for c in columns],
                       [""] + [text(c.unit) for c in columns])
        self.directory = directory
        self.parameters = tuple(text(c.name) for c in columns if c.varied)
        self.outputs = tuple(text(c.name) for c in columns if not c.varied)
        self.counts: Dict[str, int] = {s: int(getattr(facts, s))
                                       for s in ("done", "doubtful", "failed", "missing")}
        self.statistics: Dict[str, Dict[str, float]] = {
            text(c.name): {"min": c.least, "max": c.most, "mean": c.mean,
                           "deviation": c.deviation, "min_case": c.least_at,
                           "max_case": c.most_at, **dict(zip(_QUANTILES, c.quantile))}
            for c in columns}
        self._read(sweep, facts.cases)

    def _read(self, sweep: Any, cases: int) -> None:
        width = len(self.names)
        self._rows = np.empty((cases, width))
        self._rows[:, 0] = np.arange(cases)
        state, reason = ffi.new("tn_case_state *"), ffi.new("const char **")
        self.reasons: Dict[int, str] = {}
        codes = np.empty(cases, dtype=int)
        room = np.empty(width - 1)
        at = pointer_to(room)
        for i in range(cases):
            check(lib.tn_sweep_case(sweep, i, state, at, reason))
            self._rows[i, 1:] = room
            codes[i] = state[0]
            why = text(reason[0])
            if why:
                self.reasons[i] = why
        self.status: Array = np.array(_STATES)[codes]
        for array in (self._rows, self.status):
            array.flags.writeable = False

    def _column(self, i: int) -> Array:
        column: Array = self._rows[:, i]
        return column

    def frame(self, *names: str) -> "pandas.DataFrame":
        """A pandas frame by the number of the case, of these columns or of all, with the status
        and the reason of each case; units are in frame.attrs["units"]."""
        frame = super().frame(*names)
        frame.index = frame.index.astype(int)
        frame["status"] = self.status
        frame["reason"] = [self.reasons.get(i, "") for i in range(len(self))]
        return frame

    def grid(self, output: str) -> Tuple[Array, ...]:
        """The values of each parameter, one after the other, and an output as an array with one
        dimension for each of them: of sweeps that are grids."""
        axes = [np.unique(self[name]) for name in self.parameters]
        shape = tuple(len(a) for a in axes)
        if int(np.prod(shape)) != len(self):
            raise TenonError(f"the sweep is no grid: it has {len(self)} cases, and a grid of its "
                             f"values has {' x '.join(map(str, shape))}")
        places = tuple(np.searchsorted(a, self[n]) for a, n in zip(axes, self.parameters))
        values = np.full(shape, np.nan)
        values[places] = self[output]
        return (*axes, values)

    def plot(self, *names: str, ax: Any = None, **style: Any) -> Any:
        """Draws outputs with matplotlib and returns the axes: curves over one parameter, the map of
        one output over two, else points over the first parameter."""
        try:
            import matplotlib.pyplot as plt
        except ImportError as error:
            raise missing(error, "matplotlib for plots") from error
        if ax is None:
            ax = plt.subplots()[1]
        chosen = names or self.outputs[:1]
        first = self.parameters[0] if self.parameters else "case"
        if len(self.parameters) == 2 and len(chosen) == 1:
            return self._map(chosen[0], ax, style)
        order = np.argsort(self[first], kind="stable")
        mark = "-" if len(self.parameters) < 2 else "."
        for name in chosen:
            ax.plot(self[first][order], self[name][order], mark, label=self._label(name), **style)
        ax.set_xlabel(self._label(first))
        ax.legend()
        return ax

    def _map(self, name: str, ax: Any, style: Dict[str, Any]) -> Any:
        x, y = self.parameters
        nx, ny = len(np.unique(self[x])), len(np.unique(self[y]))
        if nx * ny == len(self) and nx > 1 and ny > 1:
            a, b, values = self.grid(name)
            drawn = ax.pcolormesh(a, b, values.T, shading="nearest", **style)
        else:
            drawn = ax.scatter(self[x], self[y], c=self[name], **style)
        ax.figure.colorbar(drawn, ax=ax, label=self._label(name))
        ax.set_xlabel(self._label(x))
        ax.set_ylabel(self._label(y))
        return ax

    def __repr__(self) -> str:
        told = ", ".join(f"{n} {s}" for s, n in self.counts.items() if n)
        return f"<tenon.Sweep: {len(self)} cases ({told}) of {', '.join(self.parameters)}>"


def sweep(path: Path, set: Mapping[str, Any], outputs: Union[str, Sequence[str], Mapping[str, str]],
          *, sample: str = "grid", seed: int = 1, jobs: int = 0, out: Optional[Path] = None,
          plots: str = "auto", replace: bool = False, large: bool = False,
          progress: Union[bool, Callable[[int, int], Any]] = False, **options: Any) -> Sweep:
    """Runs a model file with many values of its parameters, as `tenon sweep` does.

        table = tenon.sweep("models/fourbar.yaml", {"By": "0.08:0.12:20", "density": [1, 2, 4]},
                            {"fastest": "max(crank.angular_velocity.z)"})
        table["fastest"], table.frame()

    set       by parameter: a list or an array of values, one value, or a text as --set has it,
              "1e3:1e5:20:log", "normal(10, 2)", "@values.csv", "2*k"
    outputs   texts as --outputs has them, or a dictionary from names of columns to such texts
    sample    "grid", "rows", "lhs:100", "sobol:100", "random:100"
    jobs      worker processes; 0: one for each processor
    out       a folder that keeps cases and tables, from which the same sweep goes on; without one
              nothing is kept
    plots     pictures in that folder: "auto", "none" or what --plots takes, "curves:k,map:k:m"
    replace   cases of another sweep in that folder
    large     more than a million cases
    progress  True: a bar on stderr; or a function that is called with the cases that have ended
              and all
    options   keys of the `simulate` block: method, t_end, step, ...

    Cases that fail are rows without outputs, whose `reasons` tell why. Ctrl-C ends it. Under mpirun
    it is refused: every rank would run all cases.
    """
    if lib.tn_ranks_here(NULL, NULL):
        raise TenonError("tenon.sweep runs on the processors of one machine, and under mpirun "
                         "every rank would run all cases: call 'mpirun -n N tenon sweep' instead "
                         "and read its table with tenon.Results, or start Python without mpirun")
    if out is None:
        with tempfile.TemporaryDirectory(prefix="tenon-sweep-") as folder:
            return _sweep(path, set, outputs, sample, seed, jobs, folder, False, "none", False,
                          large, progress, options)
    return _sweep(path, set, outputs, sample, seed, jobs, os.fspath(out), True, plots, replace,
                  large, progress, options)


def _sweep(path: Path, varied: Mapping[str, Any], outputs: Any, sample: str, seed: int, jobs: int,
           out: str, kept: bool, plots: str, replace: bool, large: bool, progress: Any,
           options: Dict[str, Any]) -> Sweep:
    if isinstance(outputs, str):
        outputs = [outputs]
    if isinstance(outputs, Mapping):
        outputs = [f"{name}={what}" for name, what in outputs.items()]
    keep: List[Any] = []

    def texts(all_of: Sequence[str], what: str) -> Any:
        each = [ffi.new("char[]", encoded(t, what)) for t in all_of]
        keep.extend([each, ffi.new("const char *[]", each + [NULL])])
        return keep[-1]

    c = ffi.new("tn_sweep_options *", lib.tn_default_sweep())
    sets = [f"{name}={_values(name, value)}" for name, value in varied.items()]
    c.nset, c.set = len(sets), texts(sets, "a value")
    c.noutput, c.outputs = len(outputs), texts(list(outputs), "an output")
    c.sample, c.out = texts([sample], "sample")[0], texts([out], "out")[0]
    c.seed, c.jobs = int(number(seed, "seed")), int(number(jobs, "jobs"))
    c.plots = texts([plots], "plots")[0]
    c.replace, c.large = bool(replace), bool(large)
    follower = _Follower(progress if callable(progress) else _CaseBar() if progress else None)
    handle = ffi.new_handle(follower)
    c.done, c.raised, c.user = lib.tenon_swept, lib.tenon_raised, handle
    c.teller.tell, c.teller.user = lib.tenon_tell, handle
    block = ffi.new("tn_simulate *")
    block.options = lib.tn_default_sim()
    over = Options(block, options)
    room = ffi.new("tn_sweep **")
    check(lib.tn_sweep_create(encoded(os.fspath(path), "the path"), over.values, over.given, c,
                              room))
    made = ffi.gc(room[0], lib.tn_sweep_destroy)
    follower.sweep = made
    try:
        check(lib.tn_sweep_run(made))
        if kept:
            check(lib.tn_sweep_write(made))
        return Sweep(made, out if kept else "")
    finally:
        ffi.release(made)
