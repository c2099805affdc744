# SPDX-License-Identifier: Apache-2.0
"""The model that most tests of the Python package use."""

PENDULUM = """mbd 1
/// A pendulum in space.

/// its length
param L = 0.4 [m]
input push = 0 [N]
gravity (0, 0, -9.81) [m/s^2]
particle bob(2 [kg]) at (L, 0 [m], 0 [m])
force hand on bob: (push, 0 [N], 0 [N])
constraint rod: dist(ground, bob) == L
/// how fast
output speed = norm(bob.vel)
when lowest: bob.x < 0 [m] { }
simulate swing { time = 0 [s] .. 1 [s] step 1 [ms]; integrator = rk4 }
sweep lengths over swing { L = 0.5 [m] .. 1.5 [m] count 3; record max_over(speed) }
"""
