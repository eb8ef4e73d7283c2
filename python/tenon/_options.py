# SPDX-License-Identifier: MIT
"""Options of simulations by their names in model files, read by the table of the library itself."""

from __future__ import annotations

from typing import Any, Dict, List

from ._native import TenonError, check, encoded, ffi, lib, text, unknown


def _table() -> List[Any]:
    rows: List[Any] = []
    while True:
        row = lib.tn_help_option(len(rows))
        if not row:
            return rows
        rows.append(row)


_ROWS = _table()
_NAMES = [text(row.name) for row in _ROWS]
NAMES = tuple(_NAMES) + ("wrenches",)


def listed(names: Any) -> str:
    """Names as a list in one text, in quotes where they have commas."""
    if isinstance(names, str):
        return names
    return ",".join(f"'{n}'" if "," in n and "'" not in n else n for n in names)


def _spelled(value: Any) -> str:
    """A value as the command line states it."""
    if isinstance(value, (list, tuple)) or hasattr(value, "tolist"):
        values = value.tolist() if hasattr(value, "tolist") else value
        if isinstance(values, (list, tuple)):
            return ",".join(repr(float(v)) for v in values)
        value = values
    return value if isinstance(value, str) else repr(value)


class Options:
    """The `simulate` block of a model with other values over it, and what keeps its texts alive."""

    def __init__(self, block: Any, options: Dict[str, Any]) -> None:
        self.c = ffi.new("tn_simulate *", block[0])
        self.values = ffi.new("tn_simulate *")
        self.given = ffi.new("bool[]", len(_ROWS))
        self._keep: List[Any] = []
        for name, value in options.items():
            if name != "wrenches":
                self._put(name, value)
        check(lib.tn_simulate_override(self.c, self.values, self.given))
        self.c.options.wrenches = bool(options.get("wrenches", False))
        check(lib.tn_simulate_check(self.c))

    def _put(self, name: str, value: Any) -> None:
        if name not in _NAMES:
            raise unknown("option", name, NAMES)
        i = _NAMES.index(name)
        row = _ROWS[i]
        place = ffi.cast("char *", self.values) + row.offset
        if row.type == lib.TN_PARAM_BOOL:
            if not isinstance(value, bool):
                raise TenonError(f"{name} must be True or False, not {value!r}")
            ffi.cast("bool *", place)[0] = value
        else:
            if row.type == lib.TN_PARAM_NUMBERS:
                # The list is freed before the struct that points to it.
                place = ffi.gc(place, lambda p, values=self.values: lib.tn_param_clear(row, p))
            spelled = ffi.new("char[]", encoded(_spelled(value), name))
            self._keep += [spelled, place]
            check(lib.tn_param_read(row, spelled, encoded(name, name), place))
        self.given[i] = True
