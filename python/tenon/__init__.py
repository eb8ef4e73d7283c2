# SPDX-License-Identifier: MIT
"""Tenon: constrained mechanical systems, simulated.

    import tenon
    model = tenon.load("models/pendulum.yaml", length=0.5)
    sim = model.simulate(method="galpha/ggl", step=1e-3)
    rows = sim.run(2.0, record=["bob.position.x"], every=0.01)
    rows.frame()

All numbers are SI units and radians. What fails raises tenon.TenonError with the sentence of the
library. docs/guide/python.md is the guide.
"""

from ._native import TenonError, lib as _lib, text as _text
from ._callbacks import (At, Law, Load, MovingFrame, Parameter, check_kind, force,
                         function_of_time)
from ._dynamics import Dynamics
from ._ensemble import Ensemble
from ._equilibrium import Equilibrium, LoadPath, Mode, ModeMotion, Modes
from ._inverse import InverseTable
from ._linear import LinearModel
from ._model import Model, build, expand, load, parse
from ._results import Report, Results, run
from ._simulation import Event, Frame, Motion, Simulation, Verdict, Wrench
from ._sweep import Sweep, sweep
from ._table import Recording, Table
from . import environment

for _each in (At, Dynamics, Ensemble, Equilibrium, Event, Frame, InverseTable, Law, LinearModel,
              Load, LoadPath, Mode, ModeMotion, Model, Modes, Motion, MovingFrame, Parameter,
              Recording, Report, Results, Simulation, Sweep, Table, TenonError, Verdict, Wrench):
    _each.__module__ = "tenon"  # where users find them
__version__ = _text(_lib.tn_version())

__all__ = ["At", "Dynamics", "Ensemble", "Equilibrium", "Event", "Frame", "InverseTable", "Law",
           "LinearModel", "Load", "LoadPath", "Mode", "ModeMotion", "Model", "Modes", "Motion",
           "MovingFrame", "Parameter", "Recording", "Report", "Results", "Simulation", "Sweep",
           "Table", "TenonError", "Verdict", "Wrench", "build", "check_kind", "environment",
           "expand", "force", "function_of_time", "load", "parse", "run", "sweep"]
