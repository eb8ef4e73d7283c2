# SPDX-License-Identifier: MIT
"""Runs into folders: rows, frames, plots, reports, and runs that fail."""

import gc

import numpy as np
import pytest

import tenon
from conftest import MODELS


def test_a_run_into_a_folder(tmp_path, pendulum):
    results = tenon.run(MODELS / "pendulum.yaml", tmp_path / "r", t_end=1.0, csv=True)
    assert results.about["status"] == "done" and results.about["method"] == "galpha/ggl@absolute"
    assert results.time == pytest.approx(0.01 * np.arange(101))
    sim = pendulum.simulate()
    sim.run(1.0)
    assert results["bob.position.x"][-1] == sim["bob.position.x"]
    assert results.units["bob.velocity.x"] == "m/s"
    frame = results.frame("bob.position.x", "bob.position.y")
    assert frame.shape == (101, 2)
    again = tenon.Results(tmp_path / "r" / "result.csv")
    assert again["bob.position.x"] == pytest.approx(results["bob.position.x"], rel=1e-12)
    x = results["bob.position.x"]
    with pytest.raises(ValueError):
        x[0] = 0.0
    del results
    gc.collect()
    assert x[0] == -1.0


def test_parameters_and_options_of_runs(tmp_path):
    results = tenon.run(MODELS / "pendulum.yaml", tmp_path / "r", set={"length": 0.5}, t_end=0.1,
                        method="hht/index3")
    assert results["bob.position.x"][0] == -0.5 and results.about["method"].startswith("hht")
    with pytest.raises(tenon.TenonError, match="results"):
        tenon.run(MODELS / "pendulum.yaml", tmp_path / "r", t_end=0.1)
    tenon.run(MODELS / "pendulum.yaml", tmp_path / "r", t_end=0.1, replace=True)
    with pytest.raises(tenon.TenonError, match="energy is") as caught:
        tenon.run(MODELS / "pendulum.yaml", tmp_path / "q", t_end=1.0, require="energy<1e-30")
    assert caught.value.name == "TN_ERR_REQUIRE"


def test_a_run_that_is_stopped_by_python(tmp_path):
    def progress(t):
        if t > 0.5:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        tenon.run(MODELS / "pendulum.yaml", tmp_path / "r", progress=progress)
    kept = tenon.Results(tmp_path / "r")
    assert kept.about["outcome"] == "stopped" and 0.4 < kept.time[-1] < 0.6


def test_wrong_results(tmp_path):
    with pytest.raises(tenon.TenonError):
        tenon.Results(tmp_path / "none")
    results = tenon.run(MODELS / "pendulum.yaml", tmp_path / "r", t_end=0.1)
    with pytest.raises(tenon.TenonError, match="did you mean 'bob.position.x'"):
        results["bob.positon.x"]


def test_plots_and_reports(tmp_path):
    pytest.importorskip("matplotlib")
    results = tenon.run(MODELS / "pendulum.yaml", tmp_path / "r", t_end=0.1)
    ax = results.plot("bob.position.x", "bob.position.y")
    assert ax.get_xlabel() == "time [s]" and len(ax.lines) == 2
    try:
        report = results.report()
    except tenon.TenonError as error:
        assert "built without the report page" in str(error)
    else:
        assert (tmp_path / "r" / "report.html").exists()
        assert report._repr_html_().startswith("<iframe srcdoc=")


def test_a_run_tells_its_error(tmp_path):
    results = tenon.run(MODELS / "pendulum.yaml", tmp_path / "e", t_end=1.0, error=True)
    assert 0 < results.about["error"]["positions"] < 1e-2
    assert "error" not in tenon.run(MODELS / "pendulum.yaml", tmp_path / "n", t_end=0.1).about
