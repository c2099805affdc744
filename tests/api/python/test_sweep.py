# SPDX-License-Identifier: Apache-2.0
"""Tests sweeps from Python: results, chosen members, and members that executors run."""

import concurrent.futures
import math
import multiprocessing
import pickle

import pytest

import mbc
from pendulum import PENDULUM

G = 9.81


def test_sweeps():
    part = []
    swept = mbc.sweep(text=PENDULUM, progress=part.append, engine="interpreter")
    assert swept.varied == ["L"] and swept.members == 3 and swept.failed == 0 and list(swept["L"]) == [0.5, 1, 1.5]
    for length, speed in zip(swept["L"], swept["max_over(speed)"]):
        if length < 1.2:  # The longest pendulum does not come down within a second.
            assert speed == pytest.approx(math.sqrt(2 * G * length), rel=1e-5)
    assert swept.units == {"L": "m", "max_over(speed)": "m/s"} and part and part == sorted(part)
    chosen = mbc.sweep(text=PENDULUM, name="swing", vary=["L = 1 [m] .. 2 [m] count 2"], record=["bob.z"], jobs=1)
    assert chosen.members == 2 and "2 members" in repr(chosen)
    with pytest.raises(mbc.ModelError, match="gone"):
        mbc.sweep(text=PENDULUM, name="gone")
    with pytest.raises(TypeError):
        mbc.sweep()
    with pytest.raises(ValueError, match="jobs"):
        mbc.sweep(text=PENDULUM, jobs=2**32)
    with pytest.raises(ZeroDivisionError):
        mbc.sweep(text=PENDULUM, progress=lambda part: 1 / 0)


def test_chosen_members_have_the_rows_of_the_whole_sweep(model):
    whole = mbc.sweep(text=PENDULUM, engine="interpreter")
    assert whole.numbers == [1, 2, 3] and whole.total == 3
    for members, numbers in (("2..3", [2, 3]), ("2..", [2, 3]), (2, [2]), ("3", [3]), (range(1, 3), [1, 2])):
        part = mbc.sweep(text=PENDULUM, members=members, engine="interpreter")
        assert part.numbers == numbers and part.total == 3
        for name in whole:
            assert list(part[name]) == [whole[name][k - 1] for k in numbers]
    assert model.sweep(members=2).numbers == [2]
    for wrong in ("2..x", "..3", "", 0, "3..2", "1..0", range(0, 2), range(1, 9, 2), range(3, 3)):
        with pytest.raises(ValueError, match="members"):
            mbc.sweep(text=PENDULUM, members=wrong)
    with pytest.raises(mbc.Error, match="there is no member 4: the sweep has 3 members") as caught:
        mbc.sweep(text=PENDULUM, members="2..4")
    assert caught.value.code == "out_of_range"
    starts = model.sweep(name="swing", vary=["bob.vy = (0, 1)"], record=["initial(bob.vy)"])
    assert list(starts["initial(bob.vy)"]) == [0, 1]


LISTED = """mbd 1
use "parts/w.mbd"
param m = 1, k = seven
particle p(m) at (1, 0, 0)
force spring on p: -k*p.pos
simulate s { time = 0 .. 1 step 0.01; integrator = rk4 }
sweep l over s { members = "list.csv"; record final(p.x) }
"""


def test_sweeps_run_by_any_executor(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "w.mbd").write_text("mbd 1\nlet seven = 7\n")
    (tmp_path / "list.csv").write_text("m,k\n" + "".join(f"{1 + 0.1 * n},{5 + n}\n" for n in range(11)) + "0,1\n")
    (tmp_path / "a.mbd").write_text(LISTED)
    path = tmp_path / "a.mbd"
    whole = mbc.sweep(path, engine="interpreter")
    assert whole.members == 12 and whole.failed == 1
    spawning = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=spawning) as processes, \
            concurrent.futures.ThreadPoolExecutor(3) as threads:
        for executor, chunk in ((processes, 3), (threads, 0), (threads, 100)):
            part = []
            swept = mbc.sweep(path, executor=executor, chunk=chunk, engine="interpreter", progress=part.append)
            assert swept.reasons == whole.reasons and swept.numbers == whole.numbers and swept.units == whole.units
            assert repr(swept) == repr(whole) and part == sorted(part) and part[-1] == 1
            for name in whole:
                assert list(swept[name])[:-1] == list(whole[name])[:-1]
        some = mbc.load(path, engine="interpreter").sweep(executor=threads, members="5..7", chunk=2)
        assert some.numbers == [5, 6, 7] and list(some["final(p.x)"]) == list(whole["final(p.x)"])[4:7]
        with pytest.raises(mbc.Error, match="there is no member 13"):
            mbc.sweep(path, executor=threads, members="5..13")
        with pytest.raises(mbc.ModelError, match="gone"):
            mbc.sweep(path, executor=threads, record=["gone"])
        with pytest.raises(ZeroDivisionError):
            mbc.sweep(path, executor=threads, progress=lambda part: 1 / 0)
    with pytest.raises(ValueError, match="chunk"):
        mbc.sweep(path, chunk=3)


class Plain(concurrent.futures.Executor):
    """Runs a task when it comes, and keeps what it was given."""

    def __init__(self):
        self.given = []

    def submit(self, task, *values):
        self.given.append((task, values))
        done = concurrent.futures.Future()
        done.set_result(task(*pickle.loads(pickle.dumps(values))))
        return done


def test_tasks_of_an_executor_are_plain_values(model):
    executor = Plain()
    swept = model.sweep(executor=executor, chunk=1)
    assert swept.numbers == [1, 2, 3] and len(executor.given) == 2
    for task, values in executor.given:
        assert task.__module__ == "mbc._sweep" and values[0] == PENDULUM
        assert all(type(v) in (str, int, dict) for v in values)
