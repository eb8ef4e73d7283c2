# SPDX-License-Identifier: MIT
"""Models that several tests use, and where files are."""

import os
from pathlib import Path

import pytest

import tenon

SOURCE = Path(os.environ.get("TENON_SOURCE", Path(__file__).resolve().parents[2]))
MODELS = SOURCE / "models"

CART_POLE = """
tenon: 1
gravity: [0, -9.81, 0]
inputs: {force: 0}
bodies:
  cart: {kind: planar, mass: 1, inertia: 0.1}
  pole: {kind: planar, mass: 0.2, inertia: 0.006, initial: {position: [0, 0.3]}}
joints:
  rail: {kind: prismatic, body: cart, axis: [1, 0, 0], initial: {position: 0}}
  hinge: {kind: revolute, bodies: [cart, pole], at: [0, 0], initial: {position: 0.1}}
forces:
  motor: {kind: motor, joint: rail, effort: force}
"""


@pytest.fixture
def cart_pole():
    """A cart with a pole that leans by 0.1 rad, pushed by the input `force`."""
    return tenon.parse(CART_POLE, "cart_pole")


@pytest.fixture
def pendulum():
    """models/pendulum.yaml: a point of 1 kg at a distance of 1 m, level at the start."""
    return tenon.load(MODELS / "pendulum.yaml")
