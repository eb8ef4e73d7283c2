# SPDX-License-Identifier: MIT
"""Forces and functions of time in Python: what they do, and what wrong ones do."""

import gc

import numpy as np
import pytest

import tenon

DROP = """
tenon: 1
gravity: [0, -9.81, 0]
bodies: {{ball: {{kind: rigid, mass: 1, inertia: [1, 1, 1]}}}}
forces: {{air: {{kind: {0}, body: ball, k: 2}}}}
"""
K = {"k": tenon.Parameter(0.5, "N s/m", "drag by speed")}


def drop(kind, **options):
    """A simulation of a ball that falls under a force of this kind."""
    return tenon.parse(DROP.format(kind)).simulate(method="dopri5", **options)


def test_a_force_of_python():
    @tenon.force("py-drag", parameters=K, energies=True)
    def drag(at):
        """drag that grows with the speed"""
        v, k = at.b.velocity, at.parameters["k"]
        return tenon.Load(b=(-k * v, (0, 0, 0)), dissipated=k * v @ v)

    sim = drop("py-drag", rtol=1e-9, atol=1e-9)
    sim.run(2.0)
    assert sim["ball.velocity.y"] == pytest.approx(-9.81 / 2 * (1 - np.exp(-4)), rel=1e-7)
    assert sim.ledger["dissipated"] > 1.0
    assert sim.ledger["max_balance"] < 1e-6
    tenon.check_kind("py-drag")


def test_a_law_on_a_joint_and_a_function_of_time():
    @tenon.force("py-spring", on="joint", energies=True, parameters={"c": 4.0})
    def spring(at):
        c = at.parameters["c"]
        return tenon.Law(-c * at.x, energy=0.5 * c * at.x**2)

    @tenon.function_of_time("py-sine", parameters={"height": 1.0})
    def sine(at):
        return at.parameters["height"] * np.sin(3.0 * at.t)

    model = tenon.parse("""
tenon: 1
bodies: {car: {kind: planar, mass: 1, inertia: 1}}
joints: {rail: {kind: prismatic, body: car, axis: [1, 0, 0]}}
forces:
  spring: {kind: py-spring, joint: rail}
  motor: {kind: motor, joint: rail, effort: {kind: py-sine, height: 5}}
""")
    sim = model.simulate(method="dop853@joint", rtol=1e-10, atol=1e-10)
    sim.run(1.0)
    exact = 5.0 / (4.0 - 9.0) * (np.sin(3.0) - 1.5 * np.sin(2.0))
    assert sim["rail.displacement"] == pytest.approx(exact, rel=1e-6)


def test_linear_models_have_the_slope_of_forces_of_python():
    """Also where it is far steeper than a step of a size of one would see."""
    @tenon.force("py-steep", on="joint", parameters={"w": 1e-6})
    def steep(at):
        return tenon.Law(-3.0 * np.tanh(at.x / at.parameters["w"]) - 0.5 * at.rate)

    for width in (0.1, 1e-3, 1e-6):
        model = tenon.parse(
            "{tenon: 1, bodies: {car: {kind: planar, mass: 2, inertia: 1}},"
            " joints: {rail: {kind: prismatic, body: car, axis: [1, 0, 0]}},"
            f" forces: {{s: {{kind: py-steep, joint: rail, w: {width}}}}}}}")
        linear = model.linearize(about="start", outputs=["car.acceleration.x"])
        assert linear.A[1] == pytest.approx([-1.5 / width, -0.25], rel=1e-5)
        assert linear.C[0] == pytest.approx(linear.A[1], rel=1e-5)
        assert linear.verdict == ("done", ())


@pytest.mark.parametrize("bend, outcome, poles", [
    (35.0, "doubtful", [-10.0 ** 0.5, 10.0 ** 0.5]), (0.0, "done", [0.0, 0.0])])
def test_kinks_of_forces_of_python_are_told(bend, outcome, poles):
    @tenon.force("py-bent", on="joint")
    def bent(at):
        return tenon.Law(-15.0 * at.x * (bend > 0.0) - bend * abs(at.x))

    model = tenon.parse(
        "{tenon: 1, bodies: {car: {kind: planar, mass: 2, inertia: 1}},"
        " joints: {rail: {kind: prismatic, body: car, axis: [1, 0, 0]}},"
        " forces: {s: {kind: py-bent, joint: rail}}}")
    linear = model.linearize(about="start")
    assert linear.verdict.outcome == outcome
    assert sorted(linear.eigenvalues().real) == pytest.approx(poles, abs=1e-6)
    assert not bend or "force 's': its stiffness is" in linear.verdict.doubts[0]


def test_a_pair_of_bodies():
    @tenon.force("py-pull", on="pair", turns=False)
    def pull(at):
        f = at.a.position - at.b.position
        return tenon.Load(b=(f, (0, 0, 0)), a=(-f, (0, 0, 0)))

    model = tenon.build(bodies={name: {"kind": "point", "mass": 1, "initial": {
        "position": [x, 0, 0]}} for name, x in (("one", -1), ("two", 1))},
        forces={"pull": {"kind": "py-pull", "bodies": ["one", "two"]}})
    sim = model.simulate(method="dop853", rtol=1e-10, atol=1e-10)
    sim.run(1.0)
    assert sim["two.position.x"] == pytest.approx(np.cos(np.sqrt(2.0)), abs=1e-7)


def wrong_value(value):
    """A function that is right until 0.5 s, and gives something else from there on."""
    return lambda at: -at.b.velocity if at.t < 0.5 else value


@pytest.mark.parametrize("value, part", [
    ([1.0, 2.0], "must give three numbers"), (None, "must give three numbers"),
    ("abc", "must give three numbers"), (([0.0] * 3, 1.0), "as the moment on B"),
    (tenon.Load(b=3.0), "a force and a moment on B")])
def test_wrong_values_are_told(value, part):
    @tenon.force("py-wrong", parameters=K)
    def right(at):
        return -at.b.velocity

    sim = drop("py-wrong")
    tenon.force("py-wrong", parameters=K)(wrong_value(value))
    with pytest.raises(tenon.TenonError, match=part):
        sim.run(1.0)
    assert 0.0 < sim.time <= 0.5
    tenon.force("py-wrong", parameters=K)(right)
    sim.run(1.0)  # the simulation is as it was
    assert sim["ball.velocity.y"] == pytest.approx(-9.81 * (1 - np.exp(-1.0)), rel=1e-4)


def test_exceptions_come_out_as_they_are():
    class Mine(Exception):
        """An exception of a user."""

    @tenon.force("py-raise", parameters=K)
    def fails(at):
        if at.t > 0.5:
            raise Mine("no air here")
        return (0.0, 0.0, 0.0)

    sim = drop("py-raise", step=0.01, adaptive=False)
    with pytest.raises(Mine, match="no air here"):
        sim.run(1.0)
    with pytest.raises(Mine):
        while True:
            sim.step(0.01)

    @tenon.force("py-raise", parameters=K)
    def always(at):
        raise Mine("at the start")

    with pytest.raises(Mine, match="at the start"):
        drop("py-raise")
    with pytest.raises(Mine, match="at the start"):
        tenon.parse(DROP.format("py-raise")).dynamics("absolute").forces()


def test_a_force_cannot_call_back_into_its_simulation():
    holder = []

    @tenon.force("py-back", parameters=K)
    def back(at):
        if holder:
            holder[0].step(0.1)
        return (0.0, 0.0, 0.0)

    sim = drop("py-back")
    holder.append(sim)
    for call in (lambda: sim.step(0.01), lambda: sim.run(1.0), sim.forces):
        with pytest.raises(tenon.TenonError, match="this simulation is computing"):
            call()
    holder.clear()
    other = tenon.parse("{tenon: 1, bodies: {a: {kind: point, mass: 1}}}").simulate()
    holder.append(other)  # another one may be used
    sim.step(0.01)
    assert other.time > 0.0


def test_what_a_function_is_given_is_good_only_while_it_runs():
    kept = []

    @tenon.force("py-keep", parameters=K)
    def keep(at):
        kept.append(at)
        return (0.0, 0.0, 0.0)

    drop("py-keep")
    with pytest.raises(tenon.TenonError, match="only while it runs"):
        kept[0].t
    with pytest.raises(tenon.TenonError, match="only while it runs"):
        kept[0].b


def test_numbers_that_are_not_finite_end_the_run():
    @tenon.force("py-nan", parameters=K)
    def nan(at):
        return (float("nan") if at.t > 0.2 else 0.0, 0.0, 0.0)

    sim = drop("py-nan")
    with pytest.raises(tenon.TenonError):
        sim.run(1.0)


def test_kinds_live_on_and_names_are_taken_once():
    @tenon.force("py-lives", parameters=K)
    def lives(at):
        return (0.0, 1.0, 0.0)

    del lives
    gc.collect()
    drop("py-lives").step(0.01)
    with pytest.raises(tenon.TenonError, match="py-lives"):
        tenon.force("py-lives", parameters={"other": 1.0})(lambda at: (0, 0, 0))
    with pytest.raises(tenon.TenonError, match="spring"):
        tenon.force("spring")(lambda at: (0, 0, 0))
    with pytest.raises(tenon.TenonError, match="not on 'moon'"):
        tenon.force("py-moon", on="moon")
    with pytest.raises(tenon.TenonError, match="needs a function"):
        tenon.force("py-none")(3)
