# SPDX-License-Identifier: MIT
"""Steps and runs, what they show, and what is refused while they go on."""

import gc
import signal
import threading

import numpy as np
import pytest

import tenon


def test_a_pendulum_comes_to_the_published_place(pendulum):
    sim = pendulum.simulate(step=1e-4)
    sim.run(1.0)
    assert sim.time == 1.0
    assert sim.body("bob").position == pytest.approx([0.98629175, -0.16501085, 0.0], abs=1e-6)
    assert sim.verdict == ("done", ())
    assert sim.ledger["steps"] == 10000


def test_steps_and_runs_have_the_same_bits(pendulum):
    by_steps, by_run = (pendulum.simulate(method="galpha/ggl", step=1e-3) for _ in range(2))
    for _ in range(500):
        by_steps.step(1e-3)
    by_run.run(by_steps.time)
    assert np.array_equal(by_steps.q(), by_run.q())
    assert np.array_equal(by_steps.v(), by_run.v())


def test_states_are_copies_or_fill_what_is_given(pendulum):
    sim = pendulum.simulate()
    q = sim.q()
    sim.step(1e-3)
    assert np.array_equal(q, [-1.0, 0.0])
    room = np.zeros(2)
    assert sim.q(out=room) is room and np.array_equal(room, sim.q())
    strided = np.zeros((2, 2))[:, 0]
    assert np.array_equal(sim.v(out=strided), sim.v())
    for wrong in (np.zeros(3), np.zeros(2, dtype=np.float32), [0.0, 0.0]):
        with pytest.raises(tenon.TenonError, match=r"out of q must be an array of float64 of shap"):
            sim.q(out=wrong)
    fixed = np.zeros(2)
    fixed.flags.writeable = False
    with pytest.raises(tenon.TenonError, match="may be written"):
        sim.q(out=fixed)


def test_sensors(cart_pole):
    sim = cart_pole.simulate(method="galpha/ggl@joint")
    angle = sim["hinge.angle"]
    assert angle == pytest.approx(0.1)
    assert sim.channels["hinge.angle"] == "rad"
    both = [angle, sim["rail.displacement"]]
    assert np.array_equal(sim.read(["hinge.angle", "rail.displacement"]), both)
    room = np.empty((2, 4))
    sim.read(("hinge.angle", "rail.displacement"), out=room[:, 1])
    assert np.array_equal(room[:, 1], both)
    q, rate = sim.joint("hinge")
    assert q == [angle] and rate == [0.0]
    tip = sim.motion("pole", (0.0, 0.3, 0.0))
    assert tip.position == pytest.approx([-0.6 * np.sin(0.1), 0.6 * np.cos(0.1), 0.0],
                                        abs=1e-12)
    with pytest.raises(tenon.TenonError, match="did you mean 'hinge.angle'"):
        sim["hinge.angel"]
    with pytest.raises(tenon.TenonError, match="unknown joint 'hing'; did you mean 'hinge'"):
        sim.joint("hing")
    with pytest.raises(tenon.TenonError, match="must be a list"):
        sim.read("hinge.angle")


def test_matrices_go_with_each_other(cart_pole):
    sim = cart_pole.simulate(method="galpha/ggl@joint")
    sim.run(0.3)
    J = sim.jacobian("pole", (0.0, 0.3, 0.0))
    tip = sim.motion("pole", (0.0, 0.3, 0.0))
    assert J @ sim.v() == pytest.approx(np.concatenate([tip.velocity, tip.rate]))
    M = sim.mass_matrix()
    assert M @ sim.a() == pytest.approx(sim.forces(), abs=1e-9)
    by_rows = np.zeros((2, 2))
    assert np.array_equal(sim.mass_matrix(out=by_rows), M)
    assert 0.5 * sim.v() @ M @ sim.v() == pytest.approx(sim.ledger["kinetic"])


def test_rows_without_end_are_refused(pendulum):
    sim = pendulum.simulate()
    with pytest.raises(tenon.TenonError, match="1e\\+09 rows"):
        sim.run(1.0, record=["bob.position.x"], every=1e-9)
    with pytest.raises(tenon.TenonError, match="must be positive"):
        sim.run(1.0, record=["bob.position.x"], every=0.0)
    assert sim.time == 0.0


def test_recorded_rows(pendulum):
    sim = pendulum.simulate(method="dop853")
    rows = sim.run(1.0, record=["bob.position.x", "bob.position.y"], every=0.01)
    assert rows.names == ("time", "bob.position.x", "bob.position.y")
    assert rows.time == pytest.approx(0.01 * np.arange(101))
    x, y = rows["bob.position.x"], rows["bob.position.y"]
    assert x * x + y * y == pytest.approx(np.ones(101), abs=1e-6)
    assert sim.ledger["steps"] < 100  # rows lie within the steps
    with pytest.raises(ValueError):
        x[0] = 1.0
    frame = rows.frame()
    assert frame.index.name == "time" and frame.attrs["units"]["bob.position.x"] == "m"
    assert np.array_equal(frame["bob.position.x"], x)
    del rows, frame, sim
    gc.collect()
    assert x[0] == -1.0  # the rows live as long as a column
    assert len(pendulum.simulate().run(0.01, record=True)) == 11


def test_options_are_those_of_the_file_and_the_rules_of_the_library(pendulum):
    assert pendulum.simulate(method="hht/index3").method == "hht/index3@absolute"
    assert pendulum.t_end == 10.0
    for options, part in (({"stp": 1}, "did you mean 'step'"), ({"step": -1.0}, "must not be nega"),
                          ({"adaptive": 1}, "must be True or False"),
                          ({"method": "galfa"}, "did you mean 'galpha'"),
                          ({"project_times": [0.2, 0.1]}, "")):
        with pytest.raises(tenon.TenonError, match=part):
            pendulum.simulate(**options)


def test_lists_among_options(pendulum):
    sim = pendulum.simulate(project_times=[0.1, 0.2])
    sim.run(0.3)
    del sim
    gc.collect()  # the list is freed before what points to it


def test_an_observer_reads_and_ends_a_run(pendulum):
    sim = pendulum.simulate(step=1e-3)
    times = []

    def observer(running):
        times.append(running.time)
        assert running.q()[1] <= 0.0
        if len(times) == 10:
            running.stop()

    with pytest.raises(tenon.TenonError) as caught:
        sim.run(1.0, observer)
    assert caught.value.name == "TN_ERR_STOPPED" and len(times) == 10
    assert sim.time == pytest.approx(0.01)
    sim.run(0.02)  # and it goes on


def test_exceptions_of_observers_come_out_of_the_run(pendulum):
    sim = pendulum.simulate(step=1e-3)

    def observer(running):
        if running.time > 0.1:
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        sim.run(1.0, observer)
    assert 0.1 < sim.time < 0.102
    sim.step(1e-3)


@pytest.mark.parametrize("call", [
    lambda sim: sim.step(1e-3), lambda sim: sim.run(2.0), lambda sim: sim.set_state([0.0, -1.0]),
    lambda sim: sim.restore(b"x"), lambda sim: sim.set_value("x", 1.0)])
def test_a_running_simulation_is_not_moved_by_its_observer(pendulum, call):
    sim = pendulum.simulate(step=1e-3)
    with pytest.raises(tenon.TenonError, match="this simulation is computing"):
        sim.run(1.0, call)
    sim.step(1e-3)


def test_another_thread_is_refused_while_a_run_goes_on(pendulum):
    sim = pendulum.simulate(step=1e-3)
    ended = []

    def run(**how):
        try:
            sim.run(1e6, **how)
        except tenon.TenonError as error:
            ended.append(error.name)

    for how in ({}, {"observer": lambda running: None}):
        start = sim.time
        thread = threading.Thread(target=run, kwargs=how)
        thread.start()
        while sim.time == start:
            pass
        with pytest.raises(tenon.TenonError, match="other threads"):
            sim.q()
        sim.stop()
        thread.join()
    assert ended == ["TN_ERR_STOPPED"] * 2


def test_threads_run_simulations_of_one_model(pendulum):
    sims = [pendulum.simulate(step=1e-3) for _ in range(4)]
    threads = [threading.Thread(target=sim.run, args=(1.0,)) for sim in sims]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({sim.q().tobytes() for sim in sims}) == 1


def test_control_c_ends_a_run_without_an_observer(pendulum):
    sim = pendulum.simulate(step=1e-5)

    def alarm(_number, _frame):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, alarm)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(KeyboardInterrupt):
            sim.run(1e4)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert 0.0 < sim.time < 1e4


def test_progress_is_told(pendulum, capsys):
    pendulum.simulate(step=1e-3).run(0.1, progress=True)
    assert "100 %" in capsys.readouterr().err
    seen = []
    pendulum.simulate(step=1e-3).run(0.1, progress=seen.append)
    assert seen[-1] == 0.1


def test_objects_outlive_what_they_were_made_of():
    import conftest

    sim = tenon.parse(conftest.CART_POLE).simulate(method="galpha/ggl@joint")
    gc.collect()
    sim.run(0.1)
    events = sim.model
    del sim
    gc.collect()
    assert events.joints == ("rail", "hinge")


def test_events_end_a_run():
    model = tenon.build(bodies={"ball": {"kind": "point", "mass": 1,
                                         "initial": {"position": [0, 0, 1]}}},
                        gravity=[0, 0, -9.81],
                        events={"floor": {"body": "ball", "axis": "z", "value": 0, "stop": True}})
    sim = model.simulate()
    sim.run(10.0)
    assert sim.ended_by == "floor"
    assert sim.events[0].time == pytest.approx(np.sqrt(2 / 9.81), rel=1e-6)


def test_a_million_steps_take_no_memory(cart_pole):
    """A hundred thousand here, which would show a leak of one byte in a step."""
    sim = cart_pole.simulate(method="galpha/ggl@joint", step=1e-3)
    names, room, q = ("hinge.angle", "rail.displacement"), np.empty(2), np.empty(2)

    def move(n):
        for _ in range(n):
            sim.set_input("force", 0.1)
            sim.step(1e-3)
            sim.read(names, out=room)
            sim.q(out=q)

    import tracemalloc

    move(1000)
    tracemalloc.start()
    gc.collect()
    before = tracemalloc.get_traced_memory()[0]
    move(10000)
    gc.collect()
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert after - before < 5000


