# SPDX-License-Identifier: MIT
"""Environments with the method names of gymnasium, and the notebooks."""

from pathlib import Path

import numpy as np
import pytest

import tenon
from tenon.environment import Box, CartPole, Environment

NOTEBOOKS = sorted((Path(__file__).resolve().parents[1] / "notebooks").glob("*.ipynb"))


def test_a_cart_pole_is_held_by_feedback():
    env = CartPole()
    gains = np.array([3.162, -43.874, 5.540, -9.100])
    observation, info = env.reset(seed=1)
    assert observation.shape == env.observation_space.shape == (4,) and info == {}
    total, truncated = 0.0, False
    while not truncated:
        observation, reward, terminated, truncated, _ = env.step([gains @ observation])
        total += reward
        assert not terminated
    assert total == 500.0 and abs(observation[1]) < 0.01


def test_the_same_seed_gives_the_same_episode():
    def episode(env):
        seen = [env.reset(seed=3)[0]]
        over = False
        while not over:
            observation, _, over, _, _ = env.step(env.action_space.sample())
            seen.append(observation)
        return np.array(seen)

    env = CartPole()
    first = episode(env)
    assert np.array_equal(first, episode(env)) and np.array_equal(first, episode(CartPole()))
    assert len(first) < 500


def test_states_of_a_model_begin_anew():
    env = Unrewarded(tenon.parse("""
tenon: 1
inputs: {force: 0}
bodies: {cart: {kind: planar, mass: 1, inertia: 1}}
joints: {rail: {kind: prismatic, body: cart, axis: [1, 0, 0]}}
states: {sum: {rate: force}}
forces: {motor: {kind: motor, joint: rail, effort: force}}
"""))
    for _ in range(2):
        env.reset()
        assert env.sim["sum"] == 0.0 and env.sim.time == 0.0 and env.sim.equations["c"] == 1
        env.step([1.0])
        assert env.sim["sum"] == pytest.approx(0.01) and env.sim.input("force") == 1.0


class Unrewarded(Environment):
    """Whose motion alone is looked at."""

    def reward(self, observation, action):
        return 0.0


RELAY = """
tenon: 1
inputs: {force: 0}
bodies: {cart: {kind: planar, mass: 1.7, inertia: 1}}
joints:
  rail: {kind: prismatic, body: cart, axis: [1, 0], initial: {position: 0.3, rate: 0.2}}
signals: {relay: "hysteresis(rail.displacement, -0.5, 0.4, 0)"}
forces: {motor: {kind: motor, joint: rail, effort: force - 5*relay}}
"""
SPINNER = """
tenon: 1
bodies: {disc: {kind: planar, mass: 1, inertia: 1}}
joints: {pin: {kind: revolute, body: disc, initial: {rate: 30}}}
forces: {spring: {kind: joint-spring, joint: pin, stiffness: 0.01}}
"""


@pytest.mark.parametrize("method", ["galpha/ggl@joint", "galpha/ggl", "dop853/index1"])
@pytest.mark.parametrize("text, channel", [(RELAY, "relay"), (SPINNER, "pin.angle")],
                         ids=["relay", "turns"])
def test_relays_and_turns_begin_anew(text, channel, method):
    def episode(env):
        env.reset(seed=1)
        seen = [env.sim[channel]]
        for _ in range(60):
            seen.append(env.step([0.7] * len(env.inputs))[0].tolist())
        return seen + [env.sim[channel]]

    env = Unrewarded(tenon.parse(text), method=method)
    first = episode(env)
    assert first[0] == 0.0 and first[-1] >= 1.0
    assert episode(env) == first and episode(env) == first
    env._saved = b"of other memory"
    assert episode(env) == first


def test_a_state_that_is_set_leaves_relays_on_their_side():
    sim = tenon.parse(RELAY).simulate(method="galpha/ggl@joint", step=0.01)
    q, v = sim.q(), sim.v()
    sim.run(0.6)
    assert sim["relay"] == 1.0
    sim.set_state(q, v, time=0.0)
    assert sim["relay"] == 1.0
    sim.set_state([-0.6], v)  # beyond its band
    assert sim["relay"] == 0.0
    sim.set_state(q, v, time=0.0)
    assert sim["relay"] == 0.0


def test_wrong_use_is_told():
    env = CartPole()
    with pytest.raises(tenon.TenonError, match="call reset"):
        env.step([0.0])
    env.reset()
    for wrong in ([0.0, 0.0], "ab", None, [float("nan")], float("nan")):
        with pytest.raises(tenon.TenonError, match="action"):
            env.step(wrong)
    assert np.array_equal(env.step([1e9])[0][2:] > 1e3, [False, False])
    env.close()
    with pytest.raises(tenon.TenonError, match="call reset"):
        env.step([0.0])
    with pytest.raises(NotImplementedError):
        plain = Environment(env.model)
        plain.reset()
        plain.step(0.0)
    assert Box([-1.0], [1.0]).contains([0.5]) and not Box([-1.0], [1.0]).contains([1.5])


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(path, monkeypatch, tmp_path):
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    from conftest import MODELS

    monkeypatch.setenv("TENON_MODELS", str(MODELS))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    notebook = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3",
                                     resources={"metadata": {"path": str(tmp_path)}})
    client.execute()
    kinds = {kind for cell in notebook.cells for out in cell.get("outputs", [])
             for kind in out.get("data", {})}
    assert "image/png" in kinds
