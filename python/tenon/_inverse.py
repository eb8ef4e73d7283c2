# SPDX-License-Identifier: MIT
"""Inverse dynamics of a whole motion: what motors must give so that drives are followed."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Optional, Sequence, Union

from ._model import Model, Path
from ._native import Array, Guarded, check, encoded, ffi, lib, members, number, text, view
from ._options import listed
from ._simulation import Verdict, verdict_of
from ._table import Table


class InverseTable(Guarded, Table):
    """A table of the motion and of the efforts of the motors in every drive of a model.

    motion      motions of joint coordinates, FILE.csv, beside the drives
    motors      joints, coordinates, drives or motors that give the efforts; None: all drives
    t_start, t_end, output   times and the time between rows [s]; None: those of the model
    reactions   columns for forces and torques in joints, too

    Columns are read-only views that keep it alive; `motors` has what each motor needs in all.
    """

    _what = "table of inverse dynamics"

    def __init__(self, model: Model, *, motion: Optional[Path] = None,
                 motors: Union[None, str, Sequence[str]] = None, t_start: Optional[float] = None,
                 t_end: Optional[float] = None, output: Optional[float] = None,
                 reactions: bool = False) -> None:
        self.model = model
        options = ffi.new("tn_inverse_table_options *", lib.tn_default_inverse_table())
        self._keep: List[Any] = []

        def kept(value: str, what: str) -> Any:
            self._keep.append(ffi.new("char[]", encoded(value, what)))
            return self._keep[-1]

        if motion is not None:
            options.motion = kept(os.fspath(motion), "motion")
        if motors is not None:
            joined = listed(motors)
            options.motors = kept(joined, "motors")
        for name, value in (("t_start", t_start), ("t_end", t_end), ("output", output)):
            if value is not None:
                setattr(options, name, number(value, name))
        options.reactions = bool(reactions)
        out = ffi.new("tn_inverse_table **")
        check(lib.tn_inverse_table_create(model._c, model._block, options, out))
        self._own(out[0], lib.tn_inverse_table_destroy)
        self._do(lib.tn_inverse_table_follow)
        facts = lib.tn_inverse_table_facts(self._c)
        #: Whether something may spoil the numbers.
        self.verdict: Verdict = verdict_of(lib.tn_inverse_table_verdict(self._c))
        columns = facts.columns[0 : facts.ncolumn]
        Table.__init__(self, [text(c.name) for c in columns], [text(c.unit) for c in columns])
        self._values = view(facts.values, (facts.rows, facts.ncolumn), self._c)
        self.freedoms = int(facts.freedoms)
        #: By motor: "max_effort", "rms_effort", "max_power", "work", ...
        self.motors: Dict[str, Dict[str, Any]] = {
            text(m.name): members(m) for m in facts.motors[0 : facts.nmotor]}

    def _column(self, i: int) -> Array:
        column: Array = self._values[:, i]
        return column

    def write(self, path: Path) -> None:
        """Writes all rows, comma separated."""
        self._do(lib.tn_inverse_table_write, encoded(os.fspath(path), "the path"))
