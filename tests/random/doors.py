# SPDX-License-Identifier: Apache-2.0
"""Compares what the Python package says at states of runs with their rows.

doors.py CASES: each line of the file holds, separated by tabs, a model's file, its block, its settings (by ";"), and
numbers separated by spaces: the time, the state, the discrete state, the outputs' values, the accelerations, and the
multipliers. Values have to be the same bits. Prints the number of rows that were compared.
"""
import sys

import mbc


def numbers(text):
    return [float(word) for word in text.split()]


def main():
    models = {}
    with open(sys.argv[1], encoding="utf-8") as cases:
        lines = cases.read().splitlines()
    for line in lines:
        file, block, settings, time, state, discrete, outputs, accelerations, multipliers = line.split("\t")
        key = file, block, settings
        if key not in models:
            model = mbc.load(file, set=[s for s in settings.split(";") if s], engine="interpreter")
            models[key] = model.simulation(block or None)
        simulation, t, y = models[key], float(time), numbers(state)
        simulation.set_state(t, y)
        simulation.set_discrete_state(numbers(discrete))
        rows = simulation.rows(t, y)
        found = [simulation.output(name) for name in simulation.model.outputs]
        for what, said, wanted in (
            ("outputs", found, numbers(outputs)),
            ("accelerations", list(rows.acceleration), numbers(accelerations)),
            ("multipliers", list(rows.multiplier), numbers(multipliers)),
            ("state", list(simulation.state), y),
            ("discrete state", list(simulation.discrete_state), numbers(discrete)),
        ):
            if said != wanted:
                sys.exit(f"{file} at t = {time}: {what} {said} for {wanted}")
    print(len(lines))


main()
