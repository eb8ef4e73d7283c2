# SPDX-License-Identifier: MIT
"""Environments for learning: a model with actions, observations and rewards, under the method names
of gymnasium (reset, step, render, close), without importing it.

    env = tenon.environment.CartPole()
    observation, info = env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step([0.5])
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple, cast

from ._model import Model, parse
from ._native import Array, TenonError, np, numbers

__all__ = ["Box", "CartPole", "Environment"]


class Box:
    """Numbers between bounds, as the space of the same name in gymnasium."""

    def __init__(self, low: Any, high: Any) -> None:
        self.low = np.asarray(low, dtype=float)
        self.high = np.asarray(high, dtype=float)
        if self.low.shape != self.high.shape:
            raise TenonError(f"bounds have the shapes {self.low.shape} and {self.high.shape}")
        self.shape = self.low.shape
        self.dtype = np.dtype(float)
        self._random = np.random.default_rng()

    def seed(self, seed: Optional[int] = None) -> None:
        """Begins the sequence of samples anew."""
        self._random = np.random.default_rng(seed)

    def sample(self) -> Array:
        """Numbers between the bounds; from a normal distribution where they are infinite."""
        bounded = np.isfinite(self.low) & np.isfinite(self.high)
        low, high = np.where(bounded, self.low, 0.0), np.where(bounded, self.high, 1.0)
        return np.where(bounded, self._random.uniform(low, high),
                        self._random.normal(size=self.shape))

    def contains(self, value: Any) -> bool:
        """Whether a value has the shape and is within the bounds."""
        value = np.asarray(value, dtype=float)
        return bool(value.shape == self.shape and (value >= self.low).all()
                    and (value <= self.high).all())


class Environment:
    """A simulation with actions (inputs of the model, held over a step) and observations (positions
    and velocities of the simulation). Derived classes say where episodes begin, what is rewarded
    and when they end.

    inputs      names of the inputs that an action sets; all of the model without
    bound       largest value of an action
    period      time of a step [s]
    most_steps  after which an episode is truncated
    """

    metadata: Dict[str, Any] = {"render_modes": []}

    def __init__(self, model: Model, *, inputs: Optional[Tuple[str, ...]] = None,
                 bound: float = 1.0, period: float = 0.01, most_steps: int = 500,
                 **options: Any) -> None:
        self.model = model
        self._options = {"method": "galpha/ggl@joint", "step": period, **options}
        self.sim = model.simulate(**self._options)
        self.inputs = tuple(model.inputs if inputs is None else inputs)
        self.period, self.most_steps = period, most_steps
        self.action_space = Box(np.full(len(self.inputs), -bound), np.full(len(self.inputs), bound))
        size = self.sim.nq + self.sim.nv
        self.observation_space = Box(np.full(size, -np.inf), np.full(size, np.inf))
        self.random = np.random.default_rng()
        # More than positions and velocities begins anew: states, relays, turns of angles.
        self._saved, self._start = self.sim.save(), self.sim.time
        self._low = cast(List[float], self.action_space.low.tolist())
        self._high = cast(List[float], self.action_space.high.tolist())
        self._steps = 0
        self._over = True

    def start(self, random: np.random.Generator) -> Optional[Tuple[Array, Array]]:
        """Positions and velocities at which an episode begins; None: those of the model."""
        return None

    def reward(self, observation: Array, action: Any) -> float:
        """What a step is worth."""
        raise NotImplementedError

    def terminated(self, observation: Array) -> bool:
        """Whether an episode is over, for good or for ill."""
        return False

    def reset(self, *, seed: Optional[int] = None,
              options: Optional[Dict[str, Any]] = None) -> Tuple[Array, Dict[str, Any]]:
        """Begins an episode with all that the model starts with; the same seed gives the same
        ones."""
        if seed is not None:
            self.random = np.random.default_rng(seed)
            self.action_space.seed(seed)
        try:
            self.sim.restore(self._saved)
        except TenonError:  # a linear solver has taken other memory since
            self.sim = self.model.simulate(**self._options)
        state = self.start(self.random)
        if state is not None:
            self.sim.set_state(*state, time=self._start, project=True)
        self._steps, self._over = 0, False
        return self.sim.state(), {}

    def step(self, action: Any) -> Tuple[Array, float, bool, bool, Dict[str, Any]]:
        """Holds an action for one period: observation, reward, terminated, truncated, info.
        Actions beyond their bounds are those at the bounds."""
        if self._over:
            raise TenonError("the episode is over or has not begun: call reset()")
        if len(self.inputs) == 1 and type(action) is float:
            values = [action]
        else:
            values = cast(List[float], numbers(action, len(self.inputs), "the action").tolist())
        sim = self.sim
        for name, value, low, high in zip(self.inputs, values, self._low, self._high):
            if value != value:
                raise TenonError(f"the action for input '{name}' is no number")
            sim.set_input(name, low if value < low else high if value > high else value)
        sim.step(self.period)
        observation = sim.state()
        self._steps += 1
        over = self.terminated(observation)
        truncated = self._steps >= self.most_steps
        self._over = over or truncated
        return observation, self.reward(observation, values), over, truncated, {}

    def render(self) -> None:
        """Nothing is drawn: record channels of `sim`, or make a report of a run."""

    def close(self) -> None:
        """Ends the episode."""
        self._over = True

    def __enter__(self) -> "Environment":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


_CART_POLE = """
tenon: 1
name: cart and pole
gravity: [0, -9.81, 0]
inputs: {force: 0}
bodies:
  cart: {kind: planar, mass: 1, inertia: 0.1}
  pole: {kind: planar, mass: 0.2, inertia: 0.006, initial: {position: [0, 0.3]}}
joints:
  rail: {kind: prismatic, body: cart, axis: [1, 0, 0]}
  hinge: {kind: revolute, bodies: [cart, pole], at: [0, 0]}
forces:
  motor: {kind: motor, joint: rail, effort: force}
"""


class CartPole(Environment):
    """A cart that is pushed by up to 20 N to hold a pole upright. Observations are the place of the
    cart [m], the angle of the pole [rad] and their rates. A step is worth 1 while the pole leans by
    less than 0.5 rad and the cart is within 2.4 m."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("bound", 20.0)
        super().__init__(parse(_CART_POLE, "cart_pole"), **options)

    def start(self, random: np.random.Generator) -> Tuple[Array, Array]:
        """Near the upright pole at rest."""
        return random.uniform(-0.05, 0.05, 2), random.uniform(-0.05, 0.05, 2)

    def terminated(self, observation: Array) -> bool:
        """The pole has fallen, or the cart has left its rail."""
        x, angle = float(observation[0]), float(observation[1])
        return not (-2.4 < x < 2.4 and -0.5 < angle < 0.5)

    def reward(self, observation: Array, action: Any) -> float:
        """1 for each step."""
        return 1.0
