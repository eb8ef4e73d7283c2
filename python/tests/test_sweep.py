# SPDX-License-Identifier: MIT
"""Sweeps, equilibria, modes and ensembles against closed forms."""

import gc
import os
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest

import tenon
from conftest import MODELS

# A mass on a spring, let go from x0: x = x0 cos(w t), w^2 = k/m; t_end is a quarter of a period.
SPRING = """
tenon: 1
parameters: {k: 100, m: 1, x0: 0.1, w: sqrt(k/m)}
bodies: {mass: {kind: planar, mass: m, inertia: 1, initial: {position: [x0, 0]}}}
joints: {slide: {kind: prismatic, bodies: [ground, mass], axis: [1, 0]}}
forces: {spring: {kind: joint-spring, joint: slide, stiffness: k, free: 0}}
simulate: {method: dop853/index1@joint, rtol: 1e-10, atol: 1e-12, t_end: 0.5*pi/w}
"""
SPEED = {"speed": "mass.velocity.x"}  # -x0 w


@pytest.fixture
def spring(tmp_path):
    """The path of the model."""
    path = tmp_path / "spring.yaml"
    path.write_text(SPRING)
    return path


def test_a_sweep_has_the_numbers_of_closed_forms(spring):
    seen = []
    table = tenon.sweep(spring, {"k": "25:400:5:log", "m": [1, 4]}, SPEED, jobs=2,
                        progress=lambda n, of: seen.append((n, of)))
    assert table.names == ("case", "k", "m", "speed") and table.units["speed"] == "m/s"
    assert table.parameters == ("k", "m") and table.outputs == ("speed",)
    assert table["speed"] == pytest.approx(-0.1 * np.sqrt(table["k"] / table["m"]), rel=1e-6)
    assert set(table.status) == {"done"} and not table.reasons and table.directory == ""
    assert seen[-1] == (10, 10) and len(seen) == 10
    k, m, speed = table.grid("speed")
    assert speed == pytest.approx(-0.1 * np.sqrt(k[:, None] / m[None, :]), rel=1e-6)
    assert table.statistics["m"]["mean"] == 2.5
    assert table.statistics["speed"]["q50"] == pytest.approx(np.median(table["speed"]))
    frame = table.frame()
    assert list(frame.columns) == ["k", "m", "speed", "status", "reason"] and len(frame) == 10
    with pytest.raises(ValueError):
        table["k"][0] = 1.0
    assert table.plot().get_xlabel() == "k"


def test_the_table_does_not_depend_on_the_number_of_processes(spring, tmp_path):
    wanted = {"k": "normal(100, 5)", "x0": "0.1:0.2"}
    tables = [tenon.sweep(spring, wanted, "slide.displacement", sample="lhs:20", seed=7, jobs=n,
                          out=tmp_path / f"s{n}") for n in (1, 3)]
    assert np.array_equal(tables[0].array(), tables[1].array())
    assert (tmp_path / "s1/table.h5").read_bytes() == (tmp_path / "s3/table.h5").read_bytes()
    again = tenon.sweep(spring, wanted, "slide.displacement", sample="lhs:20", seed=7,
                        out=tmp_path / "s1", progress=lambda n, of: pytest.fail("nothing is left"))
    assert np.array_equal(again.array(), tables[0].array())


def test_a_sweep_runs_beside_a_thread_that_is_busy(spring):
    """The thread has the lock of the interpreter at nearly every moment that a worker may start."""
    over = threading.Event()

    def count():
        while not over.is_set():
            pass

    busy = threading.Thread(target=count)
    busy.start()
    try:
        for _ in range(4):
            table = tenon.sweep(spring, {"k": "25:400:5:log"}, SPEED, jobs=2, t_end=0.01)
            assert table.counts["done"] == 5
    finally:
        over.set()
        busy.join()


def test_what_is_wrong_with_a_sweep_is_told(spring, tmp_path):
    table = tenon.sweep(spring, {"m": [0, 1]}, SPEED)
    assert list(table.status) == ["failed", "done"] and "sqrt(k/m)" in table.reasons[0]
    assert np.isnan(table["speed"][0]) and table.counts["failed"] == 1
    for wanted, part in (({"q": [1, 2]}, "unknown parameter 'q'"),
                         ({"k": np.nan * np.ones(2)}, "nan"),
                         ({"k": np.ones((2, 2))}, "must be a list of numbers"),
                         ({"k": ["a"]}, "must be a number"),
                         ({"k": "1:2:100000", "m": "1:2:10000"}, "1e\\+09 cases")):
        with pytest.raises(tenon.TenonError, match=part):
            tenon.sweep(spring, wanted, SPEED)

    def stop(cases, of_all):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tenon.sweep(spring, {"k": "50:100:50"}, SPEED, out=tmp_path / "s", progress=stop)
    table = tenon.sweep(spring, {"k": "50:100:50"}, SPEED, out=tmp_path / "s")  # goes on
    assert table.counts["done"] == 50


def test_forces_of_python_work_in_the_processes_of_a_sweep(tmp_path):
    @tenon.force("py-swept", parameters={"push": tenon.Parameter(1.0, "N", "along x")})
    def push(at):
        if at.parameters["push"] > 2.5:
            raise ValueError("too strong")
        return (at.parameters["push"], 0.0, 0.0)

    path = tmp_path / "pushed.yaml"
    path.write_text("tenon: 1\nparameters: {p: 1}\nbodies: {a: {mass: 2, inertia: [1, 1, 1]}}\n"
                    "forces: {f: {kind: py-swept, body: a, push: p}}\nsimulate: {t_end: 1}\n")
    table = tenon.sweep(path, {"p": [1, 2, 3]}, {"x": "a.position.x"}, jobs=2)
    assert table["x"][:2] == pytest.approx([0.25, 0.5])  # x = F t^2 / 2 m
    assert list(table.status) == ["done", "done", "failed"]


def test_an_equilibrium_hangs_straight_down():
    model = tenon.load(MODELS / "pendulum.yaml")
    found = model.equilibrium()
    assert found.stability == "stable" and found.body("bob").position == pytest.approx([0, -1, 0])
    assert found.reaction("rod").force == pytest.approx([0, 9.81, 0], abs=1e-6)
    assert found.path["load"][-1] == 1.0


def test_equilibria_are_freed():
    found = tenon.load(MODELS / "pendulum.yaml").equilibrium()
    gone, load = weakref.ref(found), found.path["load"]
    del found
    gc.collect()
    assert gone() is None and load[-1] == 1.0  # columns keep the memory alive, and not the object


def test_modes_are_those_of_the_closed_form(spring):
    modes = tenon.load(spring, k=400.0, m=4.0).modes()
    assert len(modes) == 1 and modes[0].kind == "swing"
    assert modes.frequencies[0] == pytest.approx(10.0 / (2 * np.pi), rel=1e-12)
    assert modes.damping[0] == pytest.approx(0.0, abs=1e-12)
    motion = modes.motion(0, "mass")
    assert abs(motion.move[0]) == pytest.approx(0.5, rel=1e-9)  # x^H M x = 1
    assert modes.share(0, "mass") == pytest.approx(1.0)
    for bad in (lambda: modes.motion(1, "mass"), lambda: modes.share(0, "none"),
                lambda: tenon.load(spring).modes(method="quick")):
        with pytest.raises(tenon.TenonError):
            bad()


def test_an_ensemble_moves_as_its_simulations_do(spring):
    model = tenon.load(spring)
    ensemble = model.ensemble(20, step=1e-3)
    x0 = np.linspace(-0.1, 0.1, 20)
    ensemble.set_joint("slide", x0)
    ensemble.set_model(3, tenon.load(spring, k=25.0))
    ensemble.set_joint("slide", x0)
    ensemble.run(0.2)
    x, rate = ensemble.joint("slide")
    w = np.full(20, 10.0)
    w[3] = 5.0
    assert x == pytest.approx(x0 * np.cos(w * 0.2), abs=1e-9)
    assert rate == pytest.approx(-x0 * w * np.sin(w * 0.2), abs=1e-8)
    assert ensemble.time == 0.2 and ensemble.states().shape == (20, 2)
    with pytest.raises(tenon.TenonError):
        ensemble.set_state(20, [0.0], [0.0])
    with pytest.raises(tenon.TenonError, match="unknown joint 'x'"):
        ensemble.joint("x")


def test_pictures_are_written_beside_the_table(spring, tmp_path):
    """Those that are asked for."""
    tenon.sweep(spring, {"k": [25, 100]}, SPEED, out=tmp_path / "kept")
    assert (tmp_path / "kept" / "curves_k.svg").exists()
    tenon.sweep(spring, {"k": [25, 100]}, SPEED, out=tmp_path / "kept", plots="scatter:k:speed")
    assert (tmp_path / "kept" / "scatter_k_speed.svg").exists()
    assert not (tmp_path / "kept" / "curves_k.svg").exists()


def test_ranks_of_mpi_are_refused(spring):
    """Every rank would run all cases."""
    script = ("import tenon\ntry:\n"
              f"    tenon.sweep({str(spring)!r}, {{'k': [1, 2]}}, 'mass.velocity.x')\n"
              "except tenon.TenonError as error:\n    print(error)\n")
    for rank in ("0", "1"):
        env = {**os.environ, "OMPI_COMM_WORLD_RANK": rank, "OMPI_COMM_WORLD_SIZE": "2"}
        done = subprocess.run([sys.executable, "-c", script], env=env, text=True,
                              capture_output=True, check=True)
        assert done.stdout.startswith("tenon.sweep runs on the processors of one machine")
        assert "mpirun -n N tenon sweep" in done.stdout


class NoAir(Exception):
    """Raised by a force below."""


@tenon.force("py-thin", on="joint", parameters={"k": 1.0, "from_t": 0.0})
def thin(at):
    k = at.parameters["k"]
    if 1.5 < k < 2.5 and at.t >= at.parameters["from_t"]:
        raise NoAir(f"no air for {k}")
    return -k * at.x


@pytest.mark.parametrize("from_t", [0.05, -1.0])  # within a run, and where it starts
@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_each_case_has_the_exceptions_of_its_own(tmp_path, jobs, from_t):
    path = tmp_path / "thin.yaml"
    path.write_text("tenon: 1\nparameters: {k: 1, from_t: 0}\n"
                    "bodies: {mass: {kind: planar, mass: 1, inertia: 1}}\n"
                    "joints: {slide: {kind: prismatic, bodies: [ground, mass], axis: [1, 0]}}\n"
                    "forces: {thin: {kind: py-thin, joint: slide, k: k, from_t: from_t}}\n"
                    "simulate: {t_end: 0.1}\n")
    table = tenon.sweep(path, {"k": [2, 1, 3, 2.25, 4, 5, 6], "from_t": from_t},
                        "mass.position.x", jobs=jobs)
    assert list(table.status) == ["failed", "done", "done", "failed", "done", "done", "done"]
    assert table.counts == {"done": 5, "doubtful": 0, "failed": 2, "missing": 0}
    assert set(table.reasons) == {0, 3}
    assert table.reasons[3].startswith("NoAir: no air for 2.25 (test_sweep.py:")
    assert np.isnan(table["mass.position.x"][3])
    # What is called next is healthy.
    assert tenon.sweep(path, {"k": [1, 3]}, "mass.position.x", jobs=jobs).counts["done"] == 2
