# SPDX-License-Identifier: Apache-2.0
"""Tests the Python package: closed forms, comparison with scipy, invalid calls, interrupts, and memory."""

import array
import gc
import math
import os
import pathlib
import signal
import subprocess
import sys
import threading
import xml.etree.ElementTree

import pytest

import mbc
from pendulum import PENDULUM

G = 9.81


def test_what_a_model_says_of_itself(model):
    assert list(model.parameters) == ["L"] and model.parameters["L"] == ("L", "m", "its length")
    assert list(model.coordinates) == ["bob.x", "bob.y", "bob.z"] and len(model.speeds) == 3
    assert list(model.inputs) == ["push"] and list(model.outputs) == ["speed"] and not model.states
    assert model.columns["bob.vz"].unit == "m/s" and model.columns.index("bob.vz") == 5
    assert model.simulations == ["swing"] and model.events == ["lowest"] and model.constraints == ["rod"]
    assert model.time_unit == "s" and model.time_span() == (0, 1, 1e-3) and model.about == "A pendulum in space."
    assert model.text == PENDULUM and model.warnings == [] and model.state_size >= 6
    assert "A pendulum" in repr(model) and "<table>" in model._repr_html_()
    with pytest.raises(mbc.Error, match="simulate"):
        model.time_span("gone")
    with pytest.raises(KeyError):
        model.outputs["gone"]


def test_equations_are_read_typeset_and_run(model):
    text = model.equations()
    assert "M[1,1] = 2" in text and "e[rod]" in text and "$$" in text._repr_markdown_() and "e'[rod]" not in text
    rod = model.equations("ascii", of="rod", numbers=["L"], derivation=True)
    assert "e'[rod]" in rod and "- 0.4" in rod and "M[1,1]" not in rod and rod._repr_markdown_() is None
    space = {}
    exec(model.equations("python"), space)
    simulation = model.simulation()
    y, p = list(simulation.state)[:6], [0.4, 0.0]
    y[3:6] = 0, 1, 2
    found = space["rhs"](0, y, p)
    expected = simulation.rhs(0, array.array("d", y + list(simulation.state)[6:]))
    assert list(found) == pytest.approx(list(expected)[:6], rel=1e-12, abs=1e-12)
    with pytest.raises(mbc.Error, match="gone") as caught:
        model.equations(of=["gone"])
    assert caught.value.code == "no_such_name"
    with pytest.raises(mbc.Error, match="markdown"):
        model.equations("word")


def test_mistakes_of_a_text_are_diagnostics():
    with pytest.raises(mbc.ModelError) as caught:
        mbc.parse("mbd 1\nparam a = b\n", "bad.mbd")
    assert caught.value.code == "model_error"
    (d,) = caught.value.diagnostics
    assert (d["code"], d["file"], d["line"], d["column"]) == ("E0201", "bad.mbd", 2, 11)
    with pytest.raises(mbc.ModelError, match="E0701"):
        mbc.load("no/such/file.mbd")
    with pytest.raises(ValueError):
        mbc.parse("mbd 1\0")
    with pytest.raises(ValueError, match="no engine"):
        mbc.parse(PENDULUM, engine="steam")
    with pytest.raises(mbc.ModelError, match="gone"):
        mbc.parse(PENDULUM, set={"gone": 1})


def test_values_are_set_before_and_after():
    model = mbc.parse(PENDULUM, set={"L": "1 [m]"}, engine="interpreter")
    simulation = model.simulation()
    assert simulation.parameters["L"] == 1 and simulation.state[0] == 1
    simulation.parameters["L"] = 2
    simulation.reset()
    assert simulation.state[0] == 2 and dict(simulation.parameters) == {"L": 2}
    simulation.inputs["push"] = 3
    assert simulation.accelerations(0, [0, 0, -2, 0, 0, 0, 0, 0][:model.state_size])[0] == pytest.approx(1.5, rel=1e-14)
    with pytest.raises(mbc.Error) as caught:
        simulation.parameters["L"] = math.nan
    assert caught.value.code == "not_finite"
    with pytest.raises(KeyError):
        simulation.parameters["gone"] = 1
    with pytest.raises(mbc.Error, match="gone"):
        model.simulation("gone")


def test_a_run_gives_columns_with_units(model):
    numpy = pytest.importorskip("numpy")
    result = model.run()
    with pytest.raises(ValueError, match="every"):
        model.run(every=2**32)
    assert result.rows == 1001 and result.time[-1] == 1 and result.events == 1 and result.freedoms == 2
    assert result.units["bob.z"] == "m" and result.units["speed"] == "m/s" and result.time_unit == "s"
    # Energy gives v = sqrt(2 g depth).
    assert numpy.allclose(result["speed"], numpy.sqrt(numpy.maximum(0, -2 * G * result["bob.z"])), atol=1e-8)
    assert result.info["steps"] == result.steps and "complete: swing" in result.summary and result.warnings == []
    assert set(result) == set(model.columns) and len(result) == len(model.columns)
    with pytest.raises(KeyError):
        result["gone"]


def test_columns_are_views_that_outlive_the_run(model):
    numpy = pytest.importorskip("numpy")
    result = model.run()
    column, values = result["bob.z"], result.values
    assert numpy.shares_memory(column, values) and not values.flags.owndata and not values.flags.writeable
    last = float(column[-1])
    del result, values
    gc.collect()
    [bytearray(1 << 20) for _ in range(50)]
    assert column[-1] == last


def test_runs_go_on_from_where_they_are(model):
    whole = model.run()
    simulation = model.simulation()
    first, second = simulation.run(0.3), simulation.run(0.6)
    assert first.time[-1] == second.time[0] == 0.3 and simulation.time == 0.6
    assert second["bob.z"][-1] == pytest.approx(whole["bob.z"][600], abs=1e-12)
    assert simulation.run(1, every=10).rows == 41
    assert model.simulation().run(until_event="lowest").reached < 1
    with pytest.raises(mbc.Error):
        simulation.run(0.5)  # The time lies in the past.


def test_callbacks_see_and_steer(model):
    seen, fired = [], []

    def drive(t, y, inputs):
        inputs[0] = 2 if t < 0.5 else 0
        seen.append((t, len(y), inputs[0]))

    result = model.run(drive=drive, on_event=lambda t, name: fired.append(name), progress=lambda t: None)
    assert len(seen) == result.steps + 1 and seen[0] == (0, model.state_size, 2) and seen[-1][2] == 0
    assert fired == ["lowest"] * result.events
    still = model.run()
    assert result["bob.z"][-1] != still["bob.z"][-1]


def test_what_a_callback_raises_ends_the_run(model):
    def progress(t):
        if t > 0.1:
            raise LookupError("enough")

    simulation = model.simulation()
    with pytest.raises(LookupError, match="enough"):
        simulation.run(progress=progress)
    assert 0.1 < simulation.time < 0.11
    simulation.run()


def test_a_run_that_stops_keeps_its_rows():
    falling = mbc.parse("mbd 1\nparticle p(1) at (0, 0, 1)\nforce f on p: (0, 0, -1/sqrt(0.5 - t))\n"
                        "simulate s { time = 0 .. 1 step 0.01; integrator = rk4 }\n", engine="interpreter")
    with pytest.raises(mbc.Error) as caught:
        falling.run()
    assert caught.value.code == "stopped" and caught.value.diagnostics[0]["code"].startswith("E06")
    assert 0 < caught.value.result.rows <= 51 and caught.value.result.time[1] == 0.01


def test_ctrl_c_ends_a_run():
    long = mbc.parse("mbd 1\nparticle p(1) at (0, 0, 1)\nsimulate s { time = 0 .. 1e6 step 1e-3; integrator = rk4 }\n",
                     engine="interpreter")
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    simulation = long.simulation()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        simulation.run(every=1000)
    assert 0 < simulation.time < 1e6


@pytest.mark.parametrize("mass", [0, -1])
def test_a_mass_that_is_not_positive_is_named(mass):
    simulation = mbc.parse("mbd 1\nparam m = 1\nparticle p(m) at (0, 0, 1)\ngravity (0, 0, -9.81)\n"
                           "simulate s { time = 0 .. 1 step 1e-2 }\n").simulation()
    simulation.parameters["m"] = mass
    for move in (lambda: simulation.step(1e-2), simulation.run):
        with pytest.raises(mbc.Error) as refused:
            move()
        assert refused.value.diagnostics[0]["code"] == "E0406"


# A step of rk4 evaluates each stage once, whatever its size.
@pytest.mark.parametrize("method, integrator", [("step", "auto"), ("run_until", "rk4"), ("run_until", "auto")])
def test_ctrl_c_ends_steps(method, integrator):
    long = mbc.parse("mbd 1\nparticle p(1) at (1, 0, 0) moving (0, 1, 0)\npotential v: -1/norm(p.pos)\n"
                     f"simulate s {{ time = 0 .. 1 step 1e-3; integrator = {integrator} }}\n", engine="interpreter")
    simulation = long.simulation()
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        getattr(simulation, method)(1e6)
    assert 0 < simulation.time < 1e6
    simulation.step(1e-3)  # goes on
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("change", [("run",), ("step", 1e-2), ("run_until", 1), ("reset",), ("set_state", 0, [0] * 6),
                                    ("settle",), ("set_held", "n", 1), ("set_discrete_state", [1]), ("restore", b"")])
def test_one_thread_changes_a_simulation(change):
    simulation = mbc.parse("mbd 1\nparticle p(1) at (0, 0, 1)\nstate n = 0\nwhen high: p.z > 5 { n = 1 }\n"
                           "simulate s { time = 0 .. 1 step 1e-2 }\n").simulation()
    said = []

    def other():
        with pytest.raises(mbc.Error, match="another thread") as refused:
            getattr(simulation, change[0])(*change[1:])
        said.append(refused.value.code)

    def observed(t):
        if not said:
            thread = threading.Thread(target=other)
            thread.start()
            thread.join()

    assert simulation.run(progress=observed).rows == 101
    assert said == ["invalid_argument"]


@pytest.mark.parametrize("callback", ["progress", "drive", "on_event"])
def test_ctrl_c_ends_a_run_that_calls_back(callback):
    long = mbc.parse("mbd 1\nparticle p(1) at (0, 0, 1)\nwhen tick: sin(100*t) > 0 { }\n"
                     "simulate s { time = 0 .. 1e6 step 1e-3; integrator = rk4 }\n", engine="interpreter")
    for k in range(6):
        simulation = long.simulation()
        timer = threading.Timer(0.05 + 0.01 * k, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            simulation.run(every=1000, **{callback: lambda *_: None})
        assert 0 < simulation.time < 1e6
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_what_drive_is_given_is_its_own(model):
    kept = []

    def drive(t, y, u):
        kept.append((y, u))
        u[0] = 2
        with pytest.raises((TypeError, ValueError)):
            y[0] = 7

    result = model.simulation().run(drive=drive)
    states, inputs = zip(*kept)
    assert result.rows <= len(states) and all(u[0] == 2 for u in inputs)
    assert [y[0] for y in states[:3]] == list(result["bob.x"])[:3]


def test_steps_state_and_bytes(model):
    simulation, other = model.simulation(), model.simulation()
    simulation.step(1e-3)
    simulation.run_until(0.3)
    other.restore(simulation.save())
    assert other.time == 0.3
    simulation.run_until(0.4)
    other.run_until(0.4)
    assert bytes(memoryview(simulation.state)) == bytes(memoryview(other.state))
    assert other.held("lowest.count") == simulation.held("lowest.count")
    other.set_held("lowest.count", 7)
    assert other.held("lowest.count") == 7
    number = other.model.discrete.index("lowest.count")
    values = other.discrete_state
    assert values[number] == 7
    values[number] = 8
    other.set_discrete_state(values)
    assert other.held("lowest.count") == 8
    other.set_discrete_state(simulation.discrete_state)
    other.set_held("lowest.count", 7)
    with pytest.raises(mbc.Error) as caught:
        other.held("nothing")
    assert caught.value.code == "no_such_name"
    with pytest.raises(mbc.Error) as caught:
        other.restore(b"nonsense")
    assert caught.value.code == "wrong_bytes"
    z = simulation.value("bob.z")
    assert simulation.output("speed") == pytest.approx(math.sqrt(-2 * G * z), abs=1e-9)
    assert len(simulation.value("bob.pos")) == 3
    with pytest.raises(mbc.Error):
        simulation.value("1 +")
    simulation.set_state(0.25, other.state)
    assert simulation.time == 0.25
    with pytest.raises(mbc.Error) as caught:
        simulation.set_state(0, [1, 2])
    assert caught.value.code == "wrong_size"


def test_the_right_hand_side_has_the_same_bits_in_all_ways(model):
    simulation = model.simulation()
    y = simulation.state
    y[1] = 0.125
    f = simulation.right_hand_side()
    checked = bytes(memoryview(simulation.rhs(0.5, y)))
    assert bytes(memoryview(f(0.5, y))) == checked
    assert bytes(memoryview(f(0.5, list(y)))) == checked
    state, rates = array.array("d", y), array.array("d", bytes(8 * len(y)))
    g = f.bind(state, rates)
    g(0.5)
    assert rates.tobytes() == checked
    simulation.inputs["push"] = 4
    g(0.5)
    assert rates.tobytes() == bytes(memoryview(simulation.rhs(0.5, y))) != checked
    with pytest.raises(ValueError):
        f(0, [1, 2, 3])
    with pytest.raises(ValueError):
        f.bind(array.array("d", [1]), rates)
    with pytest.raises(ValueError, match="overlap"):
        f.bind(state, state)
    with pytest.raises(TypeError):
        f.bind(array.array("f", [0] * len(y)), rates)
    del simulation
    gc.collect()
    g(0.5)  # The function keeps the objects that it calls.
    r = model.simulation().rows(0, state)
    assert r.rank == 1 and len(r.M) == 3 and r.f[2] == -2 * G


def test_derivatives_at_a_state():
    model = mbc.parse("mbd 1\ncoord th = 0.3\ninput M = 0\nkinetic T: 0.5*2*th'^2\npotential V: -20*cos(th)\n"
                      "load drive on th: M\noutput w = 3*th'\n")
    simulation = model.simulation()
    a = simulation.jacobian()
    assert a.of == a.by == ["th", "th'"]
    assert list(a.values[0]) == [0, 1] and abs(a.values[1][0] + 10*math.cos(0.3)) < 1e-14 and a.values[1][1] == 0
    assert simulation.jacobian("accelerations", "inputs").values[0][0] == 0.5
    assert list(simulation.jacobian("outputs").values[0]) == [0, 3]
    assert simulation.jacobian(time=0, y=[0.0] * len(simulation.state)).values[1][0] == -10
    with pytest.raises(ValueError):
        simulation.jacobian("positions")


def test_scipy_integrates_it():
    integrate = pytest.importorskip("scipy.integrate")
    model = mbc.parse("mbd 1\ncoord x = 1 [m]\nkinetic T: 0.5*2 [kg]*x'^2\n"
                      "potential V: 0.5*8 [N/m]*x^2\n")
    simulation = model.simulation()
    solved = integrate.solve_ivp(simulation.right_hand_side(), (0, 3), simulation.state, rtol=1e-11, atol=1e-12)
    assert solved.success
    assert solved.y[0, -1] == pytest.approx(math.cos(2 * 3), abs=1e-8)  # omega = sqrt(8/2)


def test_files_come_from_a_loader():
    files = {"parts/w.mbd": "mbd 1\nlet seven = 7\n"}
    text = 'mbd 1\nuse "parts/w.mbd"\nparticle p(seven) at (0, 0, 0)\noutput w = seven\n'
    assert mbc.parse(text, loader=files.get).simulation().output("w") == 7
    with pytest.raises(mbc.ModelError, match="parts/w.mbd"):
        mbc.parse(text, loader=lambda file: None)
    with pytest.raises(ZeroDivisionError):
        mbc.parse(text, loader=lambda file: 1 / 0)


def test_pictures_are_svg(model):
    result = model.run()
    for text in (result.plot().svg, result.plot("bob.x", "bob.z", width=400)._repr_svg_()):
        root = xml.etree.ElementTree.fromstring(text)
        assert root.tag.endswith("svg") and any(e.tag.endswith("polyline") for e in root)
    assert "bob.z [m]" in result.plot("bob.z").svg and "speed [m/s]" in result._repr_html_()
    with pytest.raises(KeyError):
        result.plot("gone")


def test_tables_of_pandas(model):
    pytest.importorskip("pandas")
    frame = model.run(every=100).to_pandas()
    assert frame.index.name == "t [s]" and frame.attrs["units"]["speed"] == "m/s" and len(frame) == 11
    assert len(mbc.sweep(text=PENDULUM).to_pandas()) == 3


def test_simulations_in_threads_share_a_model(model):
    results = [None] * 4

    def go(k):
        simulation = model.simulation()
        simulation.parameters["L"] = 0.5 + 0.1 * k
        simulation.reset()
        results[k] = simulation.run(0.5)["bob.z"][-1]

    threads = [threading.Thread(target=go, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for k in range(4):
        simulation = model.simulation()
        simulation.parameters["L"] = 0.5 + 0.1 * k
        simulation.reset()
        assert simulation.run(0.5)["bob.z"][-1] == results[k]


def test_structs_lie_where_those_of_c_do():
    from mbc import _library

    made = {kind.__name__: kind for kind in vars(_library).values()
            if isinstance(kind, type) and issubclass(kind, _library.Structure) and kind is not _library.Structure}
    listed = {}
    for line in pathlib.Path(__file__).parent.parent.joinpath("c", "layout.txt").read_text().splitlines():
        name, number = line.split()
        if "." in name:
            listed.setdefault(name.split(".")[0], {})[name.split(".")[1]] = int(number)
    assert set(made) == set(listed)
    for name, kind in made.items():
        assert {field: getattr(kind, field).offset for field, _ in kind._fields_} == listed[name], name


def test_it_works_without_numpy():
    script = ("import sys; sys.modules['numpy'] = None\nimport mbc\n"
              "r = mbc.parse('mbd 1\\nparticle p(1) at (0, 0, 1)\\ngravity (0, 0, -2)\\n"
              "simulate s { time = 0 .. 1 step 0.1 }\\n').run()\n"
              "assert abs(r['p.z'][-1]) < 1e-12 and len(r.time) == 11, r['p.z'][-1]\n"
              "assert 'polyline' in r.plot('p.z').svg\n"
              "s = mbc.parse('mbd 1\\ncoord x = 1\\nkinetic T: x\\'^2\\npotential V: 3*x\\n"
              "simulate { time = 0 .. 1 step 0.1 }\\n').simulation()\n"
              "rows = s.rows(0, s.state)\n"
              "assert rows.M[0][0] == 2 and list(rows.f) == [-3] and list(rows.acceleration) == [-1.5], rows\n")
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)
