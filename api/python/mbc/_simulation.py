# SPDX-License-Identifier: Apache-2.0
"""Motions of models: state, steps, runs, equations."""

import ctypes
import signal
import threading
from ctypes import byref, c_double, c_int32, c_size_t, c_void_p
from typing import Any, Callable, Iterator, List, MutableMapping, NamedTuple, Optional, Sequence

from . import _errors
from . import _library as L
from ._library import lib
from ._model import Model, Names
from ._result import Result, Table, array_of, floats


class Values(MutableMapping[str, float]):
    """Parameters or inputs by name: simulation.parameters["L"] = 0.4."""

    def __init__(self, simulation: "Simulation", names: Names, get, put) -> None:
        self._simulation, self._names, self._get, self._put = simulation, names, get, put

    def __getitem__(self, name: str) -> float:
        value = c_double()
        self._simulation._check(self._get(self._simulation._handle, self._names.index(name), byref(value)))
        return value.value

    def __setitem__(self, name: str, value: float) -> None:
        self._simulation._check(self._put(self._simulation._handle, self._names.index(name), value))

    def __delitem__(self, name: str) -> None:
        raise TypeError("a parameter or input cannot be deleted")

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return repr(dict(self))


class Jacobian(NamedTuple):
    """Derivatives: values[i][j] is that of `of[i]` by `by[j]`, in SI units; a list of rows, or a numpy array."""

    values: Any
    of: List[str]
    by: List[str]


class Rows(NamedTuple):
    """The equations of motion M u' = f + C + A^T multiplier, A u' = b; matrices are lists of rows, or numpy arrays.

    C: what constraints do besides (`nonideal`)
    """

    M: Any
    A: Any
    f: Any
    b: Any
    acceleration: Any
    multiplier: Any
    rank: int
    C: Any


class Simulation:
    """A motion of a model: time, state, parameters and inputs. One thread at a time.

    parameters, inputs: values by name; setting one compiles nothing and leaves the state alone (reset())
    """

    def __init__(self, model: Model, block: Optional[str] = None) -> None:
        self._handle: Optional[int] = lib.mbc_simulation_new(model._handle, L.encoded(block))
        if not self._handle:
            raise _errors.of_thread()
        self._running = threading.RLock()  # held by the thread whose call changes the state
        self._take_model()
        try:
            self._block_step = self.model.time_span(block)[2]
        except _errors.Error:  # several blocks, or none
            self._block_step = 0.0

    def _take_model(self) -> None:
        self.model = Model(lib.mbc_model_from_simulation(self._handle))
        self.parameters = Values(self, self.model.parameters, lib.mbc_parameter, lib.mbc_set_parameter)
        self.inputs = Values(self, self.model.inputs, lib.mbc_input, lib.mbc_set_input)

    def __del__(self) -> None:
        handle, self._handle = getattr(self, "_handle", None), None
        if handle:
            lib.mbc_simulation_free(handle)

    def _check(self, code: int) -> None:
        _errors.check(code, self._handle)

    # ---- state

    @property
    def time(self) -> float:
        return lib.mbc_time(self._handle)

    @property
    def state(self):
        """y = [q; u; s; w], a copy."""
        y = floats(self.model.state_size)
        self._check(lib.mbc_state(self._handle, array_of(y)[0], len(y)))
        return y

    def set_state(self, time: float, y: Sequence[float]) -> None:
        at, count, _kept = array_of(y)
        self._change(lambda: lib.mbc_set_state(self._handle, time, at, count))

    def reset(self) -> None:
        """Back to the beginning of the block, at the present parameters."""
        self._change(lambda: lib.mbc_reset(self._handle))

    def output(self, name: str) -> float:
        """An output at the state at hand."""
        value = c_double()
        self._check(lib.mbc_output(self._handle, self.model.outputs.index(name), byref(value)))
        return value.value

    def value(self, expression: str):
        """The value of an expression of the language at the state at hand: a float, or those of a vector."""
        count = c_size_t(16)
        while True:
            room = (c_double * count.value)()
            wanted = count.value
            code = lib.mbc_value(self._handle, L.encoded(expression), room, byref(count))
            if code == L.OK or count.value <= wanted:
                break
        self._check(code)
        return room[0] if count.value == 1 else list(room[:count.value])

    def held(self, name: str) -> float:
        """What only events change: a held state (of one with labels the label's number), "cut.count", "cut.time"."""
        value = c_double()
        self._check(lib.mbc_held(self._handle, L.encoded(name), byref(value)))
        return value.value

    def set_held(self, name: str, value: float) -> None:
        self._change(lambda: lib.mbc_set_held(self._handle, L.encoded(name), value))

    @property
    def discrete_state(self):
        """All that is constant between events, also which contacts hold and what sticks: in the order of model.discrete.

        At a state that was set it is found as the beginning of a run finds it, without its impacts and projection.
        """
        values = floats(len(self.model.discrete))
        self._check(lib.mbc_discrete_state(self._handle, array_of(values)[0], len(values)))
        return values

    def set_discrete_state(self, values: Sequence[float]) -> None:
        at, count, _kept = array_of(values)
        self._change(lambda: lib.mbc_set_discrete_state(self._handle, at, count))

    # ---- moving

    def settle(self) -> None:
        """What the beginning of a run does at the state at hand: impacts, projection, contacts and frictions."""
        self._change(lambda: lib.mbc_settle(self._handle))

    def step(self, h: float) -> None:
        """One step of size h by the integrator of the block."""
        self._move(lambda: lib.mbc_step(self._handle, h), h)

    def run_until(self, time: float) -> None:
        """Steps of the block's size to that time; no rows are kept."""
        self._move(lambda: lib.mbc_run_until(self._handle, time), time - self.time)

    def _change(self, call: Callable[[], int]) -> None:
        """A call that gives another state at once."""
        with _Alone(self._running):
            self._check(call())

    def _move(self, call: Callable[[], int], span: float) -> None:
        """A call that moves the state; Ctrl-C ends one that is longer than a step of the block."""
        with _Alone(self._running):
            if not span > self._block_step:
                return self._check(call())
            calls = _Callbacks()
            self._check(lib.mbc_set_stop(self._handle, ctypes.byref(calls.stop)))
            try:
                code = _interruptible(call, calls, True)
                if calls.failure is not None:
                    raise calls.failure
                self._check(code)
            finally:
                lib.mbc_set_stop(self._handle, None)

    def run(self, until: Optional[float] = None, *, simulation: Optional[str] = None, every: int = 1,
            assemble: bool = False, until_event: Optional[str] = None,
            drive: Optional[Callable[[float, Any, Any], None]] = None,
            on_event: Optional[Callable[[float, str], None]] = None,
            progress: Optional[Callable[[float], None]] = None) -> Result:
        """A run with its rows.

        until: from the time and state at hand to that time; without it the whole `simulate` block, from its beginning
        simulation: the block; without it the one at hand
        every: how many steps for a row
        assemble: the initial state may be moved onto the constraints
        until_event: ends behind the first firing of this event
        drive: called with time, state and inputs at every accepted state; writes the inputs, which hold for a step; both
            are copies, that of the state is read-only
        on_event, progress: called for every event that fires, by name; at every step
        Time and state are then those at its end. Where a run fails, the Error has the rows that were made as `.result`.
        """
        if not 1 <= every < 2**32:
            raise ValueError("every: a whole number from 1 to 2**32 - 1")
        with _Alone(self._running):
            return self._run(until, simulation, every, assemble, until_event, drive, on_event, progress)

    def _run(self, until, simulation, every, assemble, until_event, drive, on_event, progress) -> Result:
        calls = _Callbacks()
        options = L.RunOptions(simulation=L.encoded(simulation), assemble=assemble, output_every=every,
                               until_event=L.encoded(until_event), stop=ctypes.pointer(calls.stop))
        if until is not None:
            at, count, _kept = array_of(self.state)
            options.has_span, options.begin, options.end = 1, self.time, until
            options.state, options.state_count = ctypes.cast(at, L.doubles), count
        table = Table()
        options.table = table.handle
        if drive is not None:
            def driven(_, t, y, ny, u, nu) -> None:
                inputs = floats_copied(u, nu)
                drive(t, _read_only(floats_copied(y, ny)), inputs)
                if nu:
                    ctypes.memmove(u, array_of(inputs)[0], 8 * nu)

            options.drive = L.Drive(calls.guarded(driven))
        if on_event is not None:
            options.on_event = L.OnEvent(calls.guarded(lambda _, t, name: on_event(t, name.decode())))
        if progress is not None:
            options.progress = L.Progress(calls.guarded(lambda _, t: progress(t)))
        said = L.RunResult()
        code = _interruptible(lambda: lib.mbc_run(self._handle, byref(options), byref(said)), calls,
                              drive is None and on_event is None and progress is None)
        if simulation is not None:  # whose block may want another representation of bodies
            self._take_model()
        result = Result(table, self.model, said) if said.summary is not None else None
        if calls.failure is not None:
            raise calls.failure
        if code != L.OK:
            error = _errors.Error(code, lib.mbc_simulation_message(self._handle).decode(),
                                  lib.mbc_simulation_diagnostics(self._handle).decode())
            error.result = result
            raise error
        return result

    # ---- looking at it

    def rhs(self, time: float, y: Sequence[float]):
        """y' at any time and state, checked."""
        at, count, _kept = array_of(y)
        dy = floats(count)
        self._check(lib.mbc_rhs(self._handle, time, at, array_of(dy)[0], count))
        return dy

    def accelerations(self, time: float, y: Sequence[float]):
        """u' at any time and state."""
        at, count, _kept = array_of(y)
        u = floats(len(self.model.speeds))
        self._check(lib.mbc_accelerations(self._handle, time, at, count, array_of(u)[0], len(u)))
        return u

    def rows(self, time: float, y: Sequence[float]) -> Rows:
        """The equations of motion at any time and state."""
        at, count, _kept = array_of(y)
        r = L.RowsAt()
        self._check(lib.mbc_rows(self._handle, time, at, count, byref(r)))
        n, m = r.speeds, r.rows
        return Rows(_matrix(r.M, n, n), _matrix(r.A, m, n), floats_copied(r.f, n), floats_copied(r.b, m),
                    floats_copied(r.acceleration, n), floats_copied(r.multiplier, m), r.rank, floats_copied(r.C, n))

    def jacobian(self, of: str = "rates", by: str = "directions", time: Optional[float] = None,
                 y: Optional[Sequence[float]] = None) -> Jacobian:
        """Derivatives at a state on the constraints, the present one unless time and y are given.

        of: "rates" (of the directions), "accelerations", "multipliers", "outputs"
        by: "directions" (independent coordinates, independent speeds, states), "inputs", "time"
        """
        kinds = ("rates", "accelerations", "multipliers", "outputs"), ("directions", "inputs", "time")
        if of not in kinds[0] or by not in kinds[1]:
            raise ValueError(f"of is one of {kinds[0]}, by one of {kinds[1]}")
        at, count, _kept = array_of(self.state if y is None else y)
        j = L.JacobianAt()
        self._check(lib.mbc_jacobian(self._handle, kinds[0].index(of), kinds[1].index(by),
                                     self.time if time is None else time, at, count, byref(j)))
        n, m = j.rows, j.columns
        return Jacobian(_matrix(j.values, n, m), [j.of[k].decode() for k in range(n)], [j.by[k].decode() for k in range(m)])

    def right_hand_side(self) -> "RightHandSide":
        """y' = f(t, y) as a function for integrators of others, without checks:

            scipy.integrate.solve_ivp(simulation.right_hand_side(), (0, 10), simulation.state)

        A model with contacts or friction has none: step() and run() find what touches and slips.
        """
        return RightHandSide(self)

    # ---- all of it as bytes

    def save(self) -> bytes:
        """Everything that decides how the motion goes on."""
        data, count = c_void_p(), c_size_t()
        self._check(lib.mbc_save(self._handle, byref(data), byref(count)))
        return ctypes.string_at(data.value, count.value)

    def restore(self, data: bytes) -> None:
        """What a simulation of the same text and settings, and the same version, has saved."""
        self._change(lambda: lib.mbc_restore(self._handle, data, len(data)))

    def __repr__(self) -> str:
        return f"{self.model.about or 'a simulation'} at t = {self.time:g} {self.model.time_unit}".rstrip()


class RightHandSide:
    """f(t, y) gives y'. bind(y, dy) is the fast way: buffers that stay, and a function of the time alone.

    It is the simulation's: parameters and inputs are those the simulation has when it is called.
    """

    def __init__(self, simulation: Simulation) -> None:
        function = L.RhsFunction()
        simulation._check(lib.mbc_rhs_function(simulation._handle, byref(function)))
        self._simulation = simulation  # which has to live
        self._call = L.PlainRhs(function.call)
        self._context = function.context
        self.size: int = function.count

    def _checked(self, status: int) -> None:
        if status > 0:
            raise FloatingPointError(f"entry {status - 1} of y' is not finite")
        if status < 0:
            raise RuntimeError("the simulation is in a run, or has another shape by now")

    def __call__(self, t: float, y: Sequence[float]):
        at, count, _kept = array_of(y)
        if count != self.size:
            raise ValueError(f"the state of the model has {self.size} entries, not {count}")
        dy = floats(count)
        self._checked(self._call(self._context, t, at, array_of(dy)[0]))
        return dy

    def bind(self, y, dy) -> Callable[[float], None]:
        """A function of t that writes y' to dy. Both are writable arrays of doubles (numpy, array.array, ctypes) that
        neither move nor go while it is used; it keeps them alive."""
        at, count, kept_y = array_of(y, bound=True)
        to, room, kept_dy = array_of(dy, bound=True)
        if count != self.size or room != self.size:
            raise ValueError(f"the state of the model has {self.size} entries, not {count} and {room}")
        if count and abs(at - to) < 8 * count:
            raise ValueError("y and y' are written to memory of their own: these two overlap")
        call, context, checked = self._call, c_void_p(self._context), self._checked
        at, to = c_void_p(at), c_void_p(to)
        kept = (self, kept_y, kept_dy)

        def evaluate(t: float, _kept=kept) -> None:
            status = call(context, t, at, to)
            if status:
                checked(status)

        return evaluate


class _Alone:
    """Refuses a call that changes the state while another thread makes one: messages and summaries are one at a time."""

    def __init__(self, running) -> None:
        self._running = running

    def __enter__(self) -> None:
        if not self._running.acquire(blocking=False):
            raise _errors.Error(L.INVALID_ARGUMENT, "another thread moves this simulation: make one for each thread")

    def __exit__(self, *_) -> None:
        self._running.release()


class _Callbacks:
    """Callbacks may not let exceptions through: the first ends the run, and is raised when that has come back."""

    def __init__(self) -> None:
        self.stop = c_int32(0)
        self.failure: Optional[BaseException] = None

    def guarded(self, call: Callable) -> Callable:
        def guard(*arguments):
            if self.failure is not None:
                return None
            try:
                return call(*arguments)
            except BaseException as failure:
                self.failure = failure
                self.stop.value = 1
                return None

        return guard


def _interruptible(call: Callable[[], int], calls: _Callbacks, silent: bool) -> int:
    """The code of a call that Ctrl-C ends. Python hears it in its main thread only, and between two of its own
    instructions: a run that never calls back goes on in a thread of its own, and the main one waits for it. What the
    handler raises is kept: within a callback it would be lost wherever no `try` of ours stands."""
    if threading.current_thread() is not threading.main_thread():
        return call()
    before = signal.getsignal(signal.SIGINT)
    if not callable(before):
        return call()

    def heard(number: int, frame: Any) -> None:
        try:
            before(number, frame)
        except BaseException as interrupt:
            calls.failure = calls.failure or interrupt
            calls.stop.value = 1

    signal.signal(signal.SIGINT, heard)
    try:
        return _waited_for(call) if silent else call()
    finally:
        signal.signal(signal.SIGINT, before)


def _waited_for(call: Callable[[], int]) -> int:
    codes: List[int] = []
    runner = threading.Thread(target=lambda: codes.append(call()))
    runner.start()
    while runner.is_alive():
        runner.join(0.05)
    return codes[0]


def _read_only(values):
    from ._result import numpy

    if numpy is None:
        return memoryview(values).toreadonly()
    values.setflags(write=False)
    return values


def floats_copied(pointer, count: int):
    out = floats(count)
    if count:  # by bytes: without numpy an array takes no ctypes array
        ctypes.memmove(array_of(out)[0], pointer, 8 * count)
    return out


def _matrix(pointer, rows: int, columns: int):
    from ._result import numpy

    flat = floats_copied(pointer, rows * columns)
    if numpy is not None:
        return flat.reshape(rows, columns)
    return [flat[k * columns:(k + 1) * columns] for k in range(rows)]
