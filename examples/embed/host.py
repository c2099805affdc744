# SPDX-License-Identifier: Apache-2.0
"""From Python: a model is compiled, looked at, run and swept. PYTHONPATH=PREFIX/lib/python3/dist-packages, unless
PREFIX is /usr; python3 host.py ../spherical_pendulum.mbd"""
import sys

import mbc

model = mbc.load(sys.argv[1] if len(sys.argv) > 1 else "spherical_pendulum.mbd")
simulation = model.simulation()
print(f"{list(model.coordinates)[2]}'' = {simulation.accelerations(0, simulation.state)[2]:.4f}")

result = simulation.run()  # or run(2.5): from where it is to that time
print(f"bob.z = {result['bob.z'][-1]:.8f} at t = {result.time[-1]:.0f}")

simulation.parameters["g"] = 1.62  # on the Moon; nothing is compiled again
simulation.reset()
print(f"on the Moon: {simulation.run()['bob.z'][-1]:.4f}")

swept = mbc.sweep(sys.argv[1], vary=["g = 5 .. 10 count 3"], record=["max_over(bob.z)"])
print("highest:", ", ".join(f"{z:.4f}" for z in swept["max_over(bob.z)"]))
