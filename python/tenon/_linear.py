# SPDX-License-Identifier: MIT
"""Linear models: small motions about an equilibrium or a steady motion."""

from __future__ import annotations

from typing import Any, Dict, Optional, Sequence, Tuple, Union

from ._model import Model, Path
from ._native import (NULL, Array, Guarded, TenonError, check, encoded, ffi, lib, np, number,
                      pointer_to, text, view)
from ._options import listed
from ._simulation import Verdict, verdict_of

_ABOUT = {"equilibrium": "TN_ABOUT_EQUILIBRIUM", "start": "TN_ABOUT_START"}
Names = Union[None, str, Sequence[str]]


class LinearModel(Guarded):
    """x' = A x + B u, y = C x + D u about a point at rest or a steady motion of a model.

    inputs, outputs  names; None: all inputs of the model, and its outputs or else the states
    about            "equilibrium": one that is looked for; "start": the start of the model
    nearest          of an equilibrium: the nearest one, even if it is unstable
    coordinates      "absolute" or "joint": also mass, damping and stiffness in these

    A, B, C and D are read-only views that keep the object alive. `states`, `inputs` and `outputs`
    are names, `units` those of all of them, `nominal` the values of inputs and outputs there.
    `verdict` says what may spoil them.
    """

    _what = "linear model"

    def __init__(self, model: Model, *, inputs: Names = None, outputs: Names = None,
                 about: str = "equilibrium", nearest: bool = False, time: float = 0.0,
                 coordinates: Optional[str] = None) -> None:
        if about not in _ABOUT:
            raise TenonError(f"a linear model is about one of {', '.join(_ABOUT)}, not {about!r}")
        self.model = model
        options = ffi.new("tn_linear_options *", lib.tn_default_linear())
        keep = [self._list(names) for names in (inputs, outputs, coordinates)]
        options.inputs, options.outputs, options.coordinates = keep
        options.about = getattr(lib, _ABOUT[about])
        options.find.nearest = bool(nearest)
        options.find.start.t_start = number(time, "time")
        out = ffi.new("tn_linear **")
        check(lib.tn_linear_create(model._c, options, out))
        self._own(out[0], lib.tn_linear_destroy)
        self.verdict: Verdict = verdict_of(lib.tn_linear_verdict(self._c))
        self.units: Dict[str, str] = {}
        self.nominal: Dict[str, float] = {}
        self.states = self._names(lib.TN_LINEAR_STATES)
        self.inputs = self._names(lib.TN_LINEAR_INPUTS)
        self.outputs = self._names(lib.TN_LINEAR_OUTPUTS)
        self.coordinates = self._names(lib.TN_LINEAR_COORDINATES)

    @staticmethod
    def _list(names: Names) -> Any:
        if names is None:
            return NULL
        joined = listed(names)
        return ffi.new("char[]", encoded(joined, "names"))

    def _names(self, which: int) -> Tuple[str, ...]:
        names = []
        for i in range(lib.tn_linear_count(self._c, which)):
            name = text(lib.tn_linear_name(self._c, which, i))
            self.units[name] = text(lib.tn_linear_unit(self._c, which, i))
            if which in (lib.TN_LINEAR_INPUTS, lib.TN_LINEAR_OUTPUTS):
                self.nominal[name] = float(lib.tn_linear_nominal(self._c, which, i))
            names.append(name)
        return tuple(names)

    def _matrix(self, which: int) -> Array:
        size = ffi.new("int[2]")
        values = lib.tn_linear_values(self._c, which, size, size + 1)
        return view(values, (size[0], size[1]), self, by_columns=True)

    @property
    def A(self) -> Array:
        """States by states."""
        return self._matrix(lib.TN_LINEAR_A)

    @property
    def B(self) -> Array:
        """States by inputs."""
        return self._matrix(lib.TN_LINEAR_B)

    @property
    def C(self) -> Array:
        """Outputs by states."""
        return self._matrix(lib.TN_LINEAR_C)

    @property
    def D(self) -> Array:
        """Outputs by inputs."""
        return self._matrix(lib.TN_LINEAR_D)

    @property
    def mass(self) -> Array:
        """Of M dv' + D dv + K dq + G^T dlambda = 0, with the option `coordinates`."""
        return self._matrix(lib.TN_LINEAR_MASS)

    @property
    def damping(self) -> Array:
        """D of the same equation."""
        return self._matrix(lib.TN_LINEAR_DAMPING)

    @property
    def stiffness(self) -> Array:
        """K of the same equation."""
        return self._matrix(lib.TN_LINEAR_STIFFNESS)

    def eigenvalues(self) -> Array:
        """Of A [1/s], complex, by their modulus."""
        parts = np.empty((2, len(self.states)))
        self._do(lib.tn_linear_eigenvalues, pointer_to(parts[0]), pointer_to(parts[1]))
        return parts[0] + 1j * parts[1]

    @property
    def period(self) -> float:
        """The common period of sampled systems that `poles` are over [s]; NaN where there are
        none."""
        return float(self._call(lib.tn_linear_period))

    def poles(self) -> Array:
        """Poles z of the loop that sampled systems close, complex, by their modulus; A holds their
        values. Empty where they do not matter, or their times have no common multiple."""
        parts = np.empty((2, int(self._call(lib.tn_linear_pole_count))))
        self._do(lib.tn_linear_poles, pointer_to(parts[0]), pointer_to(parts[1]))
        return parts[0] + 1j * parts[1]

    def write(self, path: Path) -> None:
        """Writes it: FILE.h5, FILE.json or FILE.csv."""
        import os

        self._do(lib.tn_linear_write, encoded(os.fspath(path), "the path"))

    def __repr__(self) -> str:
        return (f"<tenon.LinearModel: {len(self.states)} states, {len(self.inputs)} inputs, "
                f"{len(self.outputs)} outputs>")
