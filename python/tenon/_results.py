# SPDX-License-Identifier: MIT
"""Runs into folders of results, and reading, drawing and showing these."""

from __future__ import annotations

import html
import os
from typing import Any, Callable, Dict, List, Mapping, Optional, Union

from ._model import Path, parameter_values
from ._native import (Array, Guarded, TenonError, check, encoded, ffi, lib, note_failed, np,
                      pointer_to, raise_failed, text)
from ._options import Options
from ._simulation import _Bar
from ._table import Table


class Report:
    """The page of a run, `path`; a notebook shows it inline."""

    def __init__(self, path: str, height: int = 600) -> None:
        self.path = path
        self.height = height

    def _repr_html_(self) -> str:
        with open(self.path, encoding="utf-8") as page:
            source = html.escape(page.read(), quote=True)
        return (f'<iframe srcdoc="{source}" width="100%" height="{self.height}" '
                'style="border: 0"></iframe>')

    def __repr__(self) -> str:
        return f"<tenon.Report {self.path}>"


class Results(Guarded, Table):
    """The results of a run: a folder, its result.h5 or journal, or a table of comma separated
    values. Channels are read when they are first asked for, as read-only arrays.

    `about` tells the model, the method and the outcome.
    """

    _what = "results"

    def __init__(self, path: Path, *, trust: bool = False) -> None:
        out = ffi.new("tn_result **")
        name = os.fspath(path)
        if name.endswith(".csv"):
            check(lib.tn_result_open_table(encoded(name, "the path"), out))
        else:
            check(lib.tn_result_open(encoded(name, "the path"), bool(trust), out))
        self._own(out[0], lib.tn_result_close)
        info = lib.tn_result_about(self._c)
        self.about: Dict[str, Any] = {
            key: text(getattr(info, key))
            for key in ("path", "directory", "model", "method", "outcome", "version")}
        found = [lib.tn_result_channel_at(self._c, i)
                 for i in range(lib.tn_result_channel_count(self._c))]
        Table.__init__(self, [text(info.along)] + [text(c.name) for c in found],
                       [text(info.along_unit)] + [text(c.unit) for c in found])
        self._read: Dict[int, Array] = {}

    def __len__(self) -> int:
        return int(lib.tn_result_rows(self._c))

    def _column(self, i: int) -> Array:
        if i not in self._read:
            values = np.empty(len(self))
            if i == 0:
                self._do(lib.tn_result_time, 0, len(values), pointer_to(values))
            else:
                self._do(lib.tn_result_read, i - 1, 0, len(values), pointer_to(values))
            values.flags.writeable = False
            self._read[i] = values
        return self._read[i]

    def report(self, path: Optional[Path] = None, height: int = 600) -> Report:
        """Writes the page of the run, report.html beside the results unless a path is given;
        a notebook shows what is returned."""
        options = ffi.new("tn_report_options *")
        if path is not None:
            place = ffi.new("char[]", encoded(os.fspath(path), "the path"))
            options.path = place
        teller, written = ffi.new("tn_teller *"), ffi.new("char **")
        self._do(lib.tn_report_write, options, teller[0], written)
        try:
            return Report(text(written[0]), height)
        finally:
            lib.tn_text_free(written[0])


class _Follower:
    """What C calls while a run goes on."""

    def __init__(self, progress: Optional[Callable[[float], Any]]) -> None:
        self.progress = progress
        self.run: Any = None
        self.told: List[str] = []


def _stepped_failed(kind: Any, error: BaseException, trace: Any) -> None:
    note_failed(kind, error, trace)
    if trace:
        lib.tn_run_stop(ffi.from_handle(trace.tb_frame.f_locals["user"]).run)


@ffi.def_extern(onerror=_stepped_failed)
def tenon_stepped(user: Any) -> None:
    """After a step of a run into a folder, and its first row."""
    follower = ffi.from_handle(user)
    if follower.progress and follower.run:
        follower.progress(lib.tn_sim_time(lib.tn_run_about(follower.run).sim))


@ffi.def_extern(onerror=note_failed)
def tenon_tell(user: Any, sentence: Any) -> None:
    """A sentence that is no error."""
    ffi.from_handle(user).told.append(text(sentence))


def run(path: Path, out: Optional[Path] = None, *, set: Optional[Mapping[str, Any]] = None,
        replace: bool = False, csv: bool = False, require: Optional[str] = None,
        error: bool = False,
        progress: Union[bool, Callable[[float], Any]] = False, **options: Any) -> Results:
    """Simulates a model file into a folder of results, as `tenon run` does, and opens them.

    out       the folder; without, MODEL.results
    set       other values of parameters
    replace   results that the folder holds
    require   bounds, "g<1e-9,energy<1e-6"
    error     how far the motion is off is found by two more runs: `about["error"]` has estimated
              errors of positions, velocities and multipliers, as parts of the largest
    progress  True: a bar on stderr; or a function that is called with the time
    options   keys of the `simulate` block: method, t_end, step, output, ...

    A run that fails raises a TenonError; its rows up to there stay in the folder.
    """
    block = ffi.new("tn_simulate *")
    block.options = lib.tn_default_sim()
    over = Options(block, options)
    keep = []

    def kept(value: str, what: str) -> Any:
        keep.append(ffi.new("char[]", encoded(value, what)))
        return keep[-1]

    c = ffi.new("tn_run_options *", lib.tn_default_run())
    if out is not None:
        c.out = kept(os.fspath(out), "out")
    if require is not None:
        c.require = kept(require, "require")
    n, values, _texts = parameter_values(set or {})  # which must outlive the run
    c.nset, c.set = n, values
    c.replace, c.csv, c.error = bool(replace), bool(csv), bool(error)
    follower = _Follower(progress if callable(progress) else None)
    handle = ffi.new_handle(follower)
    c.teller.tell, c.teller.user = lib.tenon_tell, handle
    c.stepped, c.user = lib.tenon_stepped, handle
    room = ffi.new("tn_run **")
    check(lib.tn_run_create(encoded(os.fspath(path), "the path"), over.values, over.given, c,
                            room))
    made = ffi.gc(room[0], lib.tn_run_destroy)
    follower.run = made
    facts = lib.tn_run_about(made)
    if progress is True:
        follower.progress = _Bar(facts.simulate.options.t_start, facts.simulate.t_end)
    check(lib.tn_run_open(made))
    status = lib.tn_run_simulate(made)
    concluded = lib.tn_run_conclude(made, status)
    raise_failed()
    check(concluded)
    if not facts.reached:
        raise TenonError(text(facts.reason) or text(lib.tn_status_text(status)), status)
    directory = text(facts.directory)
    if facts.nunmet:
        unmet = ", ".join(f"{text(b.quantity)} is {b.found:.3g}, above {b.limit:.3g}"
                          for b in facts.bounds[0 : facts.nbound] if not b.met)
        raise TenonError(f"a required bound was exceeded: {unmet}", lib.TN_ERR_REQUIRE)
    follower.run = None
    results = Results(directory)
    results.about["status"] = text(facts.status)
    results.about["notes"] = tuple(follower.told)
    if facts.error.known:
        found = facts.error.distance
        results.about["error"] = {"positions": found.q, "velocities": found.v,
                                  "multipliers": getattr(found, "lambda")}
    return results
