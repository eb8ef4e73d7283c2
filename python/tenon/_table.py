# SPDX-License-Identifier: MIT
"""Rows of named numbers with units, as runs and tables give them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterator, Sequence, Tuple

from ._native import Array, missing, np, unknown

if TYPE_CHECKING:
    import pandas


class Table:
    """Columns by their names, as read-only arrays: table["pole.angle"], table.units["pole.angle"].

    The first column is what the others go along, mostly the time.
    """

    def __init__(self, names: Sequence[str], units: Sequence[str]) -> None:
        self.names: Tuple[str, ...] = tuple(names)
        self.units: Dict[str, str] = dict(zip(names, units))
        self._index = {name: i for i, name in enumerate(self.names)}

    def _column(self, i: int) -> Array:
        raise NotImplementedError

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self._column(0))

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __getitem__(self, name: str) -> Array:
        found = self._index.get(name)
        if found is None:
            raise unknown("channel", name, self.names)
        return self._column(found)

    def keys(self) -> Tuple[str, ...]:
        """The names of all columns, as dictionaries have them."""
        return self.names

    @property
    def time(self) -> Array:
        """The times of the rows [s]."""
        return self["time"]

    def array(self, *names: str) -> Array:
        """Columns side by side as one new array, rows by columns; all of them without names."""
        return np.column_stack([self[name] for name in names or self.names])

    def frame(self, *names: str) -> "pandas.DataFrame":
        """A pandas frame along the first column, of these names or of all; units are in
        frame.attrs["units"]."""
        try:
            import pandas
        except ImportError as error:
            raise missing(error, "pandas for frames") from error
        first = self.names[0]
        chosen = [name for name in names or self.names if name != first]
        frame = pandas.DataFrame({name: self[name] for name in chosen},
                                 index=pandas.Index(self[first], name=first))
        frame.attrs["units"] = {name: self.units[name] for name in [first] + chosen}
        return frame

    def plot(self, *names: str, ax: Any = None, **style: Any) -> Any:
        """Draws columns over the first one with matplotlib and returns the axes."""
        try:
            import matplotlib.pyplot as plt
        except ImportError as error:
            raise missing(error, "matplotlib for plots") from error
        if ax is None:
            ax = plt.subplots()[1]
        first = self.names[0]
        for name in names or self.names[1:2]:
            ax.plot(self[first], self[name], label=self._label(name), **style)
        ax.set_xlabel(self._label(first))
        ax.legend()
        return ax

    def _label(self, name: str) -> str:
        return f"{name} [{self.units[name]}]" if self.units[name] else name

    def __repr__(self) -> str:
        return f"<tenon.{type(self).__name__}: {len(self)} rows of {len(self.names)} columns>"


class Recording(Table):
    """Rows that a run has kept in memory."""

    def __init__(self, names: Sequence[str], units: Sequence[str]) -> None:
        super().__init__(names, units)
        self._rows: Array = np.empty((256, len(self.names)))
        self._count = 0

    def next_row(self) -> Array:
        """Room for one more row."""
        if self._count == len(self._rows):
            self._rows = np.concatenate([self._rows, np.empty_like(self._rows)])
        self._count += 1
        row: Array = self._rows[self._count - 1]
        return row

    def close(self) -> None:
        """Gives back what was not needed; rows are read only from then on."""
        self._rows = self._rows[: self._count].copy()
        self._rows.flags.writeable = False

    def _column(self, i: int) -> Array:
        column: Array = self._rows[: self._count, i]
        return column
