# SPDX-License-Identifier: MIT
"""Models: read from files and texts, or built of dictionaries."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Callable, Dict, Mapping, Optional, Tuple, Union

from ._native import NULL, Guarded, TenonError, check, encoded, ffi, lib, number, text, unknown

if TYPE_CHECKING:
    from ._dynamics import Dynamics
    from ._ensemble import Ensemble
    from ._equilibrium import Equilibrium, Modes
    from ._inverse import InverseTable
    from ._linear import LinearModel
    from ._simulation import Simulation

Path = Union[str, "os.PathLike[str]"]


class Model(Guarded):
    """A mechanism, constant once it is read; tenon.load, tenon.parse and tenon.build make it.

    bodies, joints, forces, inputs, events, outputs: the names of its elements, in their order.
    """

    _what = "model"

    def __init__(self, pointer: Any, block: Any, path: str = "") -> None:
        self._own(pointer, lib.tn_model_destroy)
        self._block = block
        self.path = path
        self.bodies = self._names(lib.tn_model_body_count, lib.tn_model_body_name, "tn_body")
        self.joints = self._names(lib.tn_model_joint_count, lib.tn_model_joint_name, "tn_joint")
        self.forces = self._names(lib.tn_model_force_count, lib.tn_model_force_name, "tn_force")
        self.inputs = self._names(lib.tn_model_input_count, lib.tn_model_input_name, "tn_input")
        self.events = self._names(lib.tn_model_event_count, lib.tn_model_event_name, "")
        self.outputs = self._names(lib.tn_model_output_count, lib.tn_model_output_name, "")
        self._ids: Dict[str, Dict[str, Any]] = {}
        for what, names in (("body", self.bodies), ("joint", self.joints), ("force", self.forces),
                            ("input", self.inputs)):
            self._ids[what] = {name: self._id(f"tn_{what}", i) for i, name in enumerate(names)}

    @staticmethod
    def _id(kind: str, i: int) -> Any:
        return ffi.new(f"{kind} *", [i])[0] if kind else i

    def _names(self, count: Callable[[Any], int], name: Callable[..., Any],
               kind: str) -> Tuple[str, ...]:
        return tuple(text(name(self._c, self._id(kind, i))) for i in range(count(self._c)))

    def id(self, what: str, name: str) -> Any:
        """The id of a "body", "joint", "force" or "input" as C has it, by its name."""
        found = self._ids[what].get(name)
        if found is None:
            raise unknown(what, name, list(self._ids[what]))
        return found

    @property
    def notes(self) -> Tuple[str, ...]:
        """Sentences that are no errors but worth reading."""
        return tuple(text(lib.tn_model_note(self._c, i))
                     for i in range(lib.tn_model_note_count(self._c)))

    @property
    def t_end(self) -> float:
        """The end of a run that the `simulate` block of the file states, or the default [s]."""
        return float(self._block.t_end)

    def coordinates(self, joint: str) -> int:
        """How many coordinates a joint has."""
        return int(lib.tn_model_joint_coordinate_count(self._c, self.id("joint", joint)))

    def draw(self, path: Path) -> None:
        """Draws the topology into FILE.svg or FILE.dot."""
        check(lib.tn_model_draw(self._c, encoded(os.fspath(path), "the path")))

    def simulate(self, **options: Any) -> "Simulation":
        """A simulation; options are the keys of the `simulate` block, and stand over those of the
        file: method="galpha/ggl@joint", step=1e-3, ..."""
        from ._simulation import Simulation

        return Simulation(self, **options)

    def dynamics(self, coordinates: str = "joint") -> "Dynamics":
        """The equations of motion at any state, in "joint", "absolute" or "director" ones."""
        from ._dynamics import Dynamics

        return Dynamics(self, coordinates)

    def linearize(self, **options: Any) -> "LinearModel":
        """Small motions about an equilibrium or a steady motion; see LinearModel."""
        from ._linear import LinearModel

        return LinearModel(self, **options)

    def equilibrium(self, **options: Any) -> "Equilibrium":
        """Where it stays at rest, and whether it is stable there; see Equilibrium."""
        from ._equilibrium import Equilibrium

        return Equilibrium(self, **options)

    def modes(self, **options: Any) -> "Modes":
        """Frequencies, damping and shapes of small motions; see Modes."""
        from ._equilibrium import Modes

        return Modes(self, **options)

    def ensemble(self, count: int, **options: Any) -> "Ensemble":
        """Many instances that are moved together; see Ensemble."""
        from ._ensemble import Ensemble

        return Ensemble(self, count, **options)

    def inverse(self, **options: Any) -> "InverseTable":
        """What motors must give so that the drives of the model are followed; see InverseTable."""
        from ._inverse import InverseTable

        return InverseTable(self, **options)

    def __repr__(self) -> str:
        return (f"<tenon.Model {self.path or 'of a text'}: {len(self.bodies) - 1} bodies, "
                f"{len(self.joints)} joints, {len(self.forces)} forces>")


def parameter_values(parameters: Mapping[str, Any]) -> Tuple[int, Any, Any]:
    """Values for tn_parameter_value: how many, the array, and what must live as long."""
    values = ffi.new("tn_parameter_value[]", len(parameters) + 1)
    keep = []
    for row, (name, value) in zip(values, parameters.items()):
        keep.append(ffi.new("char[]", encoded(name, "the name of a parameter")))
        row.name = keep[-1]
        if isinstance(value, str):
            keep.append(ffi.new("char[]", encoded(value, f"parameter {name}")))
            row.expression = keep[-1]
        else:
            row.value = number(value, f"parameter '{name}'")
    return len(parameters), values, keep


def load(path: Path, **parameters: Any) -> Model:
    """Reads a model file, with other values of its parameters: numbers, or texts that are
    expressions of parameters that stand above it in the file.

        model = tenon.load("models/pendulum.yaml", length=0.5)
    """
    name = os.fspath(path)
    n, values, _keep = parameter_values(parameters)
    out, block = ffi.new("tn_model **"), ffi.new("tn_simulate *")
    check(lib.tn_model_load_with(encoded(name, "the path"), n, values, out, block))
    return Model(out[0], block, name)


def expand(path: Path, **parameters: Any) -> str:
    """The text of a model file with its parts written out and these values of its parameters, as
    `tenon expand` writes it: a model file again, with the same motion.

        tenon.parse(tenon.expand("models/chain.yaml", n=3))
    """
    n, values, _keep = parameter_values(parameters)
    out = ffi.new("char **")
    check(lib.tn_model_expand(encoded(os.fspath(path), "the path"), n, values, NULL, out))
    written = text(out[0])
    lib.tn_text_free(out[0])
    return written


def parse(source: str, name: str = "model") -> Model:
    """Reads a model from a text in YAML or JSON; `name` stands for the file in messages."""
    out, block = ffi.new("tn_model **"), ffi.new("tn_simulate *")
    check(lib.tn_model_parse(encoded(source, "the text"), encoded(name, "the name"), out, block))
    return Model(out[0], block)


def build(definition: Optional[Mapping[str, Any]] = None, **sections: Any) -> Model:
    """Builds a model of a dictionary with the keys of model files, or of sections by name.

        tenon.build(tenon=1, gravity=[0, -9.81, 0], bodies={"bob": {"kind": "point-2d", ...}}, ...)

    NumPy arrays and numbers may stand for lists and numbers. `tenon`, the version of the format,
    may be left out.
    """
    whole: Dict[str, Any] = {"tenon": 1, **(definition or {}), **sections}

    def plain(value: Any) -> Any:
        if hasattr(value, "tolist"):
            return value.tolist()
        raise TenonError(f"a model cannot hold a {type(value).__name__}: {value!r}")

    try:
        source = json.dumps(whole, default=plain, indent=1, allow_nan=False)
    except ValueError as error:
        raise TenonError(f"the dictionary is no model: {error}") from None
    return parse(source, "dictionary")
