# SPDX-License-Identifier: MIT
"""Models from files, texts and dictionaries, and the sentences of what is wrong with them."""

import subprocess

import numpy as np
import pytest

import tenon
from conftest import MODELS


def test_names_of_a_model(cart_pole):
    assert cart_pole.bodies == ("ground", "cart", "pole")
    assert cart_pole.joints == ("rail", "hinge")
    assert cart_pole.forces == ("motor",)
    assert cart_pole.inputs == ("force",)
    assert cart_pole.coordinates("hinge") == 1


def test_parameters_are_numbers_or_expressions():
    short = tenon.load(MODELS / "pendulum.yaml", length=0.5).simulate()
    assert short["bob.position.x"] == -0.5
    other = tenon.load(MODELS / "cart_pole_lqr.yaml", J="m*l^2/4", m=np.float64(0.4)).dynamics()
    same = tenon.load(MODELS / "cart_pole_lqr.yaml", J=0.4 * 0.25 / 4, m=0.4).dynamics()
    assert np.array_equal(other.mass_matrix(), same.mass_matrix())


def test_a_dictionary_is_a_model():
    model = tenon.build(gravity=np.array([0, -9.81, 0]), bodies={
        "bob": {"kind": "point-2d", "mass": 1, "initial": {"position": [-1, 0]}}},
        joints={"rod": {"kind": "distance", "bodies": ["ground", "bob"], "length": np.float64(1)}})
    sim = model.simulate(method="galpha/ggl", step=1e-3)
    sim.run(1.0)
    same = tenon.load(MODELS / "pendulum.yaml").simulate()
    same.run(1.0)
    assert np.array_equal(sim.q(), same.q())


@pytest.mark.parametrize("wrong, name, part", [
    (lambda: tenon.load("none.yaml"), "TN_ERR_FILE", "none.yaml: cannot read the file"),
    (lambda: tenon.load(MODELS / "pendulum.yaml", lenght=1), "TN_ERR_USAGE", "'length'"),
    (lambda: tenon.load(MODELS / "pendulum.yaml", length=[1]), "TN_ERR_USAGE", "must be a number"),
    (lambda: tenon.parse("tenon: 1\nbodys: {}\n", "swing"), "TN_ERR_MODEL", "swing:2:1"),
    (lambda: tenon.parse("a\0b"), "TN_ERR_USAGE", "zero byte"),
    (lambda: tenon.parse(3), "TN_ERR_USAGE", "must be a text"),
    (lambda: tenon.build(bodies={"a": object()}), "TN_ERR_USAGE", "cannot hold a object"),
    (lambda: tenon.build(gravity=[0, float("nan"), 0]), "TN_ERR_USAGE", "is no model"),
])
def test_errors_have_the_sentence_and_the_status(wrong, name, part):
    with pytest.raises(tenon.TenonError) as caught:
        wrong()
    assert caught.value.name == name
    assert part in str(caught.value)


def test_sentences_are_those_of_the_command(tmp_path):
    import os

    command = os.path.join(os.environ.get("TENON_BUILD", ""), "tenon")
    if not os.path.exists(command):
        pytest.skip("the command is not built")
    path = tmp_path / "wrong.yaml"
    path.write_text("tenon: 1\nbodies: {rod: {kind: rigid, mas: 1}}\n")
    told = subprocess.run([command, "check", str(path)], capture_output=True, text=True,
                          env={k: v for k, v in os.environ.items() if k != "LD_PRELOAD"})
    with pytest.raises(tenon.TenonError) as caught:
        tenon.load(path)
    assert str(caught.value) in told.stderr


def test_errors_can_be_pickled():
    import pickle

    with pytest.raises(tenon.TenonError) as caught:
        tenon.load("none.yaml")
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (str(copy), copy.status) == (str(caught.value), caught.value.status)


def test_parts_are_written_out():
    """As a model with the same bodies."""
    text = tenon.expand(MODELS / "chain.yaml", n=3)
    assert "repeat" not in text and "rod3" in text and "rod4" not in text
    flat, parts = tenon.parse(text), tenon.load(MODELS / "chain.yaml", n=3)
    ends = [model.simulate(method="galpha/ggl", step=1e-3) for model in (flat, parts)]
    for sim in ends:
        sim.run(0.1)
    assert ends[0]["rod3.position.x"] == ends[1]["rod3.position.x"]
    with pytest.raises(tenon.TenonError, match="unknown parameter"):
        tenon.expand(MODELS / "chain.yaml", m_of_nothing=3)
