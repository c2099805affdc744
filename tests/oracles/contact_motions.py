# SPDX-License-Identifier: Apache-2.0
"""Compares five problems of contact by mbc and by Siconos (time steps of Moreau and Jean, of order 1).

usage: contact_motions.py MBC. The exit code is 77 if Siconos is not installed (./dev packages oracles).

mbc follows the motions from event to event with its own accuracy. The results of Siconos must approach these in
proportion to its steps. With `contact = timestep` mbc has errors of the same size as Siconos with the same step.
"""
import csv
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
    import siconos.kernel as sk
except ImportError as missing:
    print(f"left out: {missing} (./dev packages oracles)")
    sys.exit(77)

G = 9.81


def steps(systems, contacts, until, h, size=None):
    """Returns the coordinates of all systems at the end. `size` is the dimension of the friction force, or None."""
    model = sk.NonSmoothDynamicalSystem(0, until)
    for system in systems:
        model.insertDynamicalSystem(system)
    for relation, law, ends in contacts:
        model.link(sk.Interaction(law, relation), *ends)
    problem = sk.FrictionContact(size) if size else sk.LCP()
    problem.numericsSolverOptions().dparam[0] = 1e-10
    problem.numericsSolverOptions().iparam[0] = 100_000
    simulation = sk.TimeStepping(model, sk.TimeDiscretisation(0, h), sk.MoreauJeanOSI(0.5), problem)
    simulation.setNewtonTolerance(1e-11)
    simulation.setNewtonMaxIteration(50)
    for _ in range(round(until / h)):
        simulation.computeOneStep()
        simulation.nextStep()
    return np.concatenate([system.q() for system in systems])


def linear(q, v, mass, force):
    system = sk.LagrangianLinearTIDS(list(q), list(v), np.diag(mass).astype(float))
    system.setFExtPtr(np.array(force, dtype=float))
    return system


def rows(*rows_of_relation, gap=0.0):
    h = np.array(rows_of_relation, dtype=float)
    return sk.LagrangianLinearTIR(h, np.array([gap] + [0.0] * (len(h) - 1)))


def bounce(h):
    ball = linear([1], [0], [1], [-G])
    return steps([ball], [(rows([1]), sk.NewtonImpactNSL(0.8), [ball])], 2, h)


BOUNCE = """
particle p(1) at (0, 0, 1)
gravity (0, 0, -9.81)
constraint deck: p.z >= 0 restitution 0.8
output a = p.z
simulate event { time = 0 .. 2 step 0.01 }
simulate steps { time = 0 .. 2 step STEP; contact = timestep }
"""


def stack(h):
    low, high = linear([0.5], [0], [1], [-G]), linear([0.8], [0], [2], [-2 * G])
    return steps([low, high], [(rows([1]), sk.NewtonImpactNSL(0.3), [low]),
                               (rows([-1, 1], gap=-0.2), sk.NewtonImpactNSL(0.6), [low, high])], 0.37, h)


STACK = """
particle low(1) at (0, 0, 0.5)
particle high(2) at (0, 0, 0.8)
gravity (0, 0, -9.81)
constraint deck: low.z >= 0 restitution 0.3
constraint pair: high.z - low.z >= 0.2 restitution 0.6
output a = low.z, b = high.z
simulate event { time = 0 .. 0.37 step 0.01 }
simulate steps { time = 0 .. 0.37 step STEP; contact = timestep }
"""


def incline(h):
    force = [-G * np.sin(0.3), -G * np.cos(0.3)]
    block = linear([0, 0.1], [3, 0], [1, 1], force)
    law = sk.NewtonImpactFrictionNSL(0, 0, 0.5, 2)
    return steps([block], [(rows([0, 1], [1, 0]), law, [block])], 1.5, h, size=2)


INCLINE = """
particle p(1) at (0, 0, 0.1) moving (3, 0, 0)

gravity 9.81*(-sin(0.3), 0, -cos(0.3))
constraint plane: p.z >= 0
friction rub on p.vx: 0.5*plane.lambda
output a = p.x, b = p.z
simulate event { time = 0 .. 1.5 step 0.01; impact = moreau }
simulate steps { time = 0 .. 1.5 step STEP; contact = timestep; impact = moreau }
"""


def spin(h):
    r, m = 0.1, 0.5
    i = 0.4 * m * r * r
    ball = linear([0, 0, 0.3, 0, 0, 0], [2, 1, 0, 20, -30, 5], [m, m, m, i, i, i], [0, 0, -m * G, 0, 0, 0])
    law = sk.NewtonImpactFrictionNSL(0.4, 0, 0.2, 3)
    relation = rows([0, 0, 1, 0, 0, 0], [1, 0, 0, 0, -r, 0], [0, 1, 0, r, 0, 0], gap=-r)
    return steps([ball], [(relation, law, [ball])], 2, h, size=3)[:3]


SPIN = """
use bodies, contact
let r = 0.1
body ball(mass = 0.5, inertia = diag(1, 1, 1)*0.4*0.5*r^2) at (0, 0, 0.3) moving (2, 1, 0) spinning (20, -30, 5)

gravity (0, 0, -9.81)
BallOnFloor deck(ball, radius = r, mu = 0.2, bounce = 0.4)
output a = ball.x, b = ball.y, c = ball.z
simulate event { time = 0 .. 2 step 0.01 }
simulate steps { time = 0 .. 2 step STEP; contact = timestep }
"""


def train(h):
    """Models three cars on springs with buffers between them and cords that become taut."""
    cars = sk.LagrangianLinearTIDS([0.2, 1, 2.1], [2, 0, -1], np.diag([1.0, 2, 3]), np.diag([40.0, 0, 25]),
                                   np.diag([0.0, 0.5, 0]))
    cars.setFExtPtr(np.array([0, 0, 50.0]))
    rebound = sk.NewtonImpactNSL(0.5)
    contacts = [(rows(row, gap=gap), rebound, [cars])
                for row, gap in (([-1, 1, 0], -0.6), ([0, -1, 1], -0.6), ([1, -1, 0], 1.2), ([0, 1, -1], 1.2))]
    return steps([cars], contacts, 3, h)


TRAIN = """
particle p(1) at (0.2, 0, 0) moving (2, 0, 0)
particle q(2) at (1, 0, 0)
particle r(3) at (2.1, 0, 0) moving (-1, 0, 0)
potential springs: 20*p.x^2 + 12.5*(r.x - 2)^2
force air on q: (-0.5*q.vx, 0, 0)
constraint buffer1: q.x - p.x >= 0.6 restitution 0.5
constraint buffer2: r.x - q.x >= 0.6 restitution 0.5
constraint cord1: q.x - p.x <= 1.2 restitution 0.5
constraint cord2: r.x - q.x <= 1.2 restitution 0.5
output a = p.x, b = q.x, c = r.x
simulate event { time = 0 .. 3 step 0.01 }
simulate steps { time = 0 .. 3 step STEP; contact = timestep }
"""


def by_mbc(program, text, block, step):
    with tempfile.TemporaryDirectory() as folder:
        model, out = Path(folder, "m.mbd"), Path(folder, "m.csv")
        model.write_text("mbd 1\nspace 3\n" + text.replace("STEP", repr(step)))
        subprocess.run([program, "run", model, block, "-o", out, "--quiet"], check=True)
        with open(out, newline="") as file:
            last = list(csv.DictReader(file))[-1]
    return np.array([float(last[name]) for name in "abc" if name in last])


# This is the largest allowed difference of each model relative to the step, about the fastest speed times the number of
# impacts.
PROBLEMS = {"bounce": (bounce, BOUNCE, 3), "stack": (stack, STACK, 6), "incline": (incline, INCLINE, 3),
            "spin": (spin, SPIN, 0.3), "train": (train, TRAIN, 30)}


def main(program):
    bad = 0
    print("largest difference to the motion by events, in steps")
    for name, (siconos, text, most) in PROBLEMS.items():
        exact = by_mbc(program, text, "event", 1e-3)
        for h in (1e-3, 2e-4, 4e-5):
            theirs, ours = (np.abs(end - exact).max() / h for end in (siconos(h), by_mbc(program, text, "steps", h)))
            wrong = not (theirs <= most and ours <= most)
            bad += wrong
            print(f"{name:8} step {h:g}: Siconos {theirs:.3g}, contact = timestep {ours:.3g}{', WRONG' if wrong else ''}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else __doc__)
