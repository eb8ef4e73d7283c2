# SPDX-License-Identifier: MIT
"""Equations of motion at a state, linear models, inverse dynamics; inputs, saving and setting."""

import gc

import numpy as np
import pytest

import tenon
from conftest import CART_POLE, MODELS


def closed_form(angle, rate):
    """Mass matrix and forces of the cart (1 kg) and the pole (0.2 kg, 0.006 kg m^2, 0.3 m)."""
    m, l, g = 0.2, 0.3, 9.81
    M = np.array([[1.2, -m * l * np.cos(angle)], [-m * l * np.cos(angle), 0.006 + m * l * l]])
    f = np.array([-m * l * np.sin(angle) * rate**2, m * g * l * np.sin(angle)])
    return M, f


def test_dynamics_are_the_closed_form(cart_pole):
    dynamics = cart_pole.dynamics("joint")
    assert dynamics.velocities == ("joint 'rail', displacement", "joint 'hinge', angle")
    dynamics.set([0.3, 0.7], [0.1, -2.0], time=1.5)
    M, f = closed_form(0.7, -2.0)
    assert dynamics.time == 1.5
    assert dynamics.mass_matrix() == pytest.approx(M)
    assert dynamics.forces() == pytest.approx(f)
    a = np.array([0.4, -3.0])
    tau = dynamics.inverse(a)
    assert tau == pytest.approx(M @ a - f)
    assert dynamics.forward(tau)[0] == pytest.approx(a)
    assert sum(dynamics.energy()) == pytest.approx(
        0.5 * dynamics.v @ M @ dynamics.v + 0.2 * 9.81 * 0.3 * np.cos(0.7))
    tip = dynamics.motion("pole")
    assert dynamics.jacobian("pole") @ dynamics.v == pytest.approx(
        np.concatenate([tip.velocity, tip.rate]))
    dynamics.set_input("force", 2.0)
    assert dynamics.forces() == pytest.approx(f + [2.0, 0.0])
    for wrong in ([0.0], "ab", [[0.0, 0.0]]):
        with pytest.raises(tenon.TenonError, match="^q must"):
            dynamics.set(wrong)


def test_constraints_of_absolute_coordinates(pendulum):
    dynamics = pendulum.dynamics("absolute")
    assert dynamics.rows == 1 and dynamics.row_names == ("joint 'rod', row length",)
    a, multipliers = dynamics.forward()
    G, c = dynamics.constraints()
    assert G @ a == pytest.approx(c)
    M, f = dynamics.mass_matrix(), dynamics.forces()
    assert M @ a == pytest.approx(f - G.T @ multipliers)
    assert dynamics.inverse(a, multipliers) == pytest.approx(np.zeros(2), abs=1e-12)
    assert dynamics.residuals()[0] == pytest.approx([0.0])


def test_views_are_read_only_and_keep_their_owner(cart_pole):
    dynamics = cart_pole.dynamics()
    q = dynamics.q
    with pytest.raises(ValueError):
        q[0] = 1.0
    dynamics.set([0.25, 0.0])
    del dynamics
    gc.collect()
    assert q[0] == 0.25
    linear = cart_pole.linearize(nearest=True)
    A = linear.A
    del linear
    gc.collect()
    assert A.shape == (4, 4) and not A.flags.writeable and A[0, 2] == 1.0


def test_analyses_have_a_verdict():
    def slide(effort, more=""):
        return tenon.parse(
            "{tenon: 1, bodies: {b: {mass: 2, inertia: [1, 1, 1]}},\n"
            " joints: {r: {kind: prismatic, bodies: [ground, b], axis: [1, 0, 0]}},\n"
            f" {more} forces: {{m: {{kind: motor, joint: r, effort: '{effort}'}}}}}}")

    smooth = slide("-50*r.displacement")
    assert smooth.linearize().verdict == smooth.equilibrium().verdict == ("done", ())
    kinked = slide("-15*r.displacement - 35*abs(r.displacement)")
    for found in (kinked.linearize(), kinked.equilibrium(), kinked.modes()):
        assert found.verdict.outcome == "doubtful" and "force 'm'" in found.verdict.doubts[0]
    assert kinked.equilibrium().stability == "unstable" and len(kinked.linearize().poles()) == 0
    held = slide("c.f", "sampled: {c: {every: 0.1, next: {f: '-r.displacement.rate'}}},")
    linear = held.linearize()
    assert "sampled 'c'" in linear.verdict.doubts[0] and linear.period == pytest.approx(0.1)
    # v' = (v - 0.1 v / 2) from sample to sample; the place, and two values that are forgotten.
    assert sorted(linear.poles().real) == pytest.approx([0.0, 0.0, 0.95, 1.0], abs=1e-12)


def test_a_linear_model_is_the_closed_form():
    model = tenon.parse(CART_POLE.replace("position: 0.1", "position: 0"))
    linear = model.linearize(about="start", outputs=["hinge.angle"])
    assert linear.states == ("rail.displacement", "hinge.angle", "rail.displacement.rate",
                             "hinge.angle.rate")
    M, _ = closed_form(0.0, 0.0)
    stiffness = np.array([[0.0, 0.0], [0.0, 0.2 * 9.81 * 0.3]])
    assert linear.A[2:, :2] == pytest.approx(np.linalg.solve(M, stiffness))
    assert linear.B[2:, 0] == pytest.approx(np.linalg.solve(M, [1.0, 0.0]))
    assert linear.C[0] == pytest.approx([0.0, 1.0, 0.0, 0.0]) and linear.D.tolist() == [[0.0]]
    assert sorted(linear.eigenvalues().real) == pytest.approx(
        sorted(np.linalg.eigvals(linear.A).real), abs=1e-6)
    assert linear.units["hinge.angle.rate"] == "rad/s" and linear.nominal["force"] == 0.0
    assert model.linearize(about="start", coordinates="joint").mass == pytest.approx(M)
    with pytest.raises(tenon.TenonError, match="did you mean 'force'"):
        model.linearize(inputs="forse", about="start")
    with pytest.raises(tenon.TenonError, match="not 'end'"):
        model.linearize(about="end")


def test_inverse_dynamics_of_an_arm_agree_with_the_equations():
    model = tenon.load(MODELS / "arm.yaml")
    table = model.inverse(output=0.05)
    assert table.units["lift.effort"] == "N m" and len(table) == 41
    t = 0.05 * np.arange(41)
    assert table["shoulder.angle"] == pytest.approx(0.9 * (1 - np.cos(np.pi * t)), abs=1e-9)
    largest = table.motors["lift"]["max_effort"]
    assert largest == pytest.approx(max(table["lift.effort"], key=abs), rel=1e-3)
    effort = table["lift.effort"]
    del table
    gc.collect()
    assert np.isfinite(effort).all() and not effort.flags.writeable
    with pytest.raises(tenon.TenonError, match="did you mean 'lift.effort'"):
        model.inverse(output=0.1)["lift.efort"]


def test_inputs_and_controllers(cart_pole):
    sim = cart_pole.simulate(method="galpha/ggl@joint", step=1e-3)

    def controller(running):
        x, angle, speed, rate = running.read(
            ("rail.displacement", "hinge.angle", "rail.displacement.rate", "hinge.angle.rate"))
        return {"force": 3.162 * x + 5.540 * speed - 43.874 * angle - 9.100 * rate}

    sim.control(5.0, 1e-3, controller)
    assert sim.time == pytest.approx(5.0)
    assert abs(sim["hinge.angle"]) < 0.02 and abs(sim["rail.displacement"]) < 0.02
    assert sim.input("force") != 0.0
    with pytest.raises(tenon.TenonError, match="must return a dictionary"):
        sim.control(6.0, 1e-3, lambda running: 3.0)
    with pytest.raises(tenon.TenonError, match="did you mean 'force'"):
        sim.control(6.0, 1e-3, lambda running: {"forse": 3.0})
    with pytest.raises(tenon.TenonError, match="must be a number"):
        sim.set_input("force", [1.0, 2.0])
    with pytest.raises(tenon.TenonError, match="force"):
        sim.set_input("force", float("nan"))
    with pytest.raises(ZeroDivisionError):
        sim.control(6.0, 1e-3, lambda running: 1 / 0)
    sim.step(1e-3)


def test_saved_simulations_go_on_to_the_last_bit(cart_pole):
    sim = cart_pole.simulate(method="galpha/ggl@joint", step=1e-3)
    sim.set_input("force", 0.5)
    sim.run(0.2)
    saved = sim.save()
    sim.run(0.5)
    other = cart_pole.simulate(method="galpha/ggl@joint", step=1e-3)
    other.restore(saved)
    assert other.time == pytest.approx(0.2) and other.restores_exactly
    other.run(0.5)
    assert np.array_equal(sim.q(), other.q()) and np.array_equal(sim.v(), other.v())
    for wrong in (b"", b"no simulation", saved[:-8]):
        with pytest.raises(tenon.TenonError):
            other.restore(wrong)
    with pytest.raises(tenon.TenonError, match="must be bytes"):
        other.restore("text")


def test_setting_a_state(pendulum):
    sim = pendulum.simulate()
    sim.set_state([0.0, -1.0], [0.5, 0.0], time=2.0)
    assert sim.time == 2.0 and np.array_equal(sim.q(), [0.0, -1.0])
    with pytest.raises(tenon.TenonError, match="rod"):
        sim.set_state([0.0, -2.0])
    sim.set_state([0.0, -1.1], project=True)
    assert sim.q() == pytest.approx([0.0, -1.0])
    with pytest.raises(tenon.TenonError, match=r"q must have the shape \(2,\), not \(3,\)"):
        sim.set_state([0.0, 0.0, 0.0])


def test_wrenches_push_bodies():
    model = tenon.build(bodies={"ball": {"kind": "rigid", "mass": 2, "inertia": [1, 1, 1]}})
    sim = model.simulate(wrenches=True)
    sim.apply_wrench("ball", force=(4.0, 0.0, 0.0))
    sim.run(1.0)
    assert sim["ball.velocity.x"] == pytest.approx(2.0)
    with pytest.raises(tenon.TenonError):
        model.simulate().apply_wrench("ball", force=(4.0, 0.0, 0.0))
    with pytest.raises(tenon.TenonError, match="unknown choice of axes"):
        sim.apply_wrench("ball", axes="bodi")
