# SPDX-License-Identifier: Apache-2.0
"""Compiled models."""

import html
import os
import threading
from ctypes import byref, c_char_p, c_double, c_void_p, cast
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import _errors
from . import _library as L
from ._library import lib

if TYPE_CHECKING:
    from ._simulation import Simulation
    from ._sweep import Sweep

Loader = Callable[[str], Optional[str]]


class Quantity(NamedTuple):
    """A parameter, input, coordinate, speed, state, output or column."""

    name: str
    unit: str  # "" in a model without units, "1" of a pure number
    description: str


class Names(Mapping[str, Quantity]):
    """The entries of a list of a model by name, in the order of the arrays that hold their values."""

    def __init__(self, entries: List[Quantity]) -> None:
        self._entries = entries
        self._index = {q.name: k for k, q in enumerate(entries)}

    def __getitem__(self, name: str) -> Quantity:
        return self._entries[self._index[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._index)

    def index(self, name: str) -> int:
        """Where it stands; KeyError of a name that is not there."""
        return self._index[name]

    def in_order(self) -> List[str]:
        """All names, also those that several entries have: the components of an impulse."""
        return [q.name for q in self._entries]

    def __repr__(self) -> str:
        return ", ".join(f"{q.name} [{q.unit}]" if q.unit not in ("", "1") else q.name for q in self._entries)


def given_as_set(values: Union[None, Mapping[str, object], Sequence[str]]) -> List[str]:
    """{"L": "0.4 [m]"} or ["L = 0.4 [m]"] as texts of --set."""
    if values is None:
        return []
    if isinstance(values, Mapping):
        return [f"{name} = {value}" for name, value in values.items()]
    return list(values)


class Equations(str):
    """The equations of a model as a text, which a notebook typesets where there is a Markdown form of it."""

    markdown: Optional[str] = None

    def _repr_markdown_(self) -> Optional[str]:
        return self.markdown

    def __repr__(self) -> str:
        return str(self)


ENGINES = {"auto": 0, "interpreter": 1, "native": 2}


class Compiling:
    """The options of a compilation, and what has to live while it goes on."""

    def __init__(self, *, set: Union[None, Mapping[str, object], Sequence[str]] = None,
                 parameters: Sequence[str] = (), folder: Optional[str] = None, stdlib: Optional[str] = None,
                 engine: str = "auto", cache: bool = True, loader: Optional[Loader] = None) -> None:
        if engine not in ENGINES:
            raise ValueError(f"there is no engine {engine!r}: it is one of {', '.join(ENGINES)}")
        sets, parameters = given_as_set(set), list(parameters)
        self._texts = L.text_list(sets), L.text_list(parameters)
        self._given: Optional[bytes] = None
        self.failure: Optional[BaseException] = None
        self.options = L.CompileOptions(
            set=self._texts[0], set_count=len(sets), parameters=self._texts[1], parameters_count=len(parameters),
            folder=L.encoded(folder), stdlib=L.encoded(stdlib), engine=ENGINES[engine], no_cache=not cache)
        if loader is not None:
            self._loader = L.Loader(lambda _, file: self._load(loader, file))
            self.options.loader = self._loader

    def _load(self, loader: Loader, file: bytes) -> Optional[int]:
        try:
            self._given = L.encoded(loader(file.decode()))
        except BaseException as failure:  # raised again when the library has come back
            self.failure = failure
            return None
        return cast(c_char_p(self._given), c_void_p).value if self._given is not None else None


class Model:
    """A compiled text. It never changes; simulations of it may go on in several threads, each with its own.

    parameters, inputs, coordinates, speeds, states, outputs, columns: Names with units and descriptions
    """

    def __init__(self, handle: int) -> None:
        self._handle: Optional[int] = handle
        self._lists: Dict[int, Names] = {}
        self._options: Optional[Dict[str, Any]] = None  # of load() or parse()
        self._lock = threading.Lock()  # one thread at a time asks the library for names

    def __del__(self) -> None:
        handle, self._handle = getattr(self, "_handle", None), None
        if handle:
            lib.mbc_model_free(handle)

    def _list(self, which: int) -> Names:
        with self._lock:
            if which not in self._lists:
                m = self._handle
                self._lists[which] = Names([
                    Quantity(lib.mbc_model_name(m, which, k).decode(), lib.mbc_model_unit(m, which, k).decode(),
                             lib.mbc_model_description(m, which, k).decode())
                    for k in range(lib.mbc_model_count(m, which))])
            return self._lists[which]

    def _text(self, function: Callable[[Optional[int]], bytes]) -> str:
        with self._lock:
            return function(self._handle).decode()

    @property
    def parameters(self) -> Names:
        return self._list(L.PARAMETERS)

    @property
    def inputs(self) -> Names:
        return self._list(L.INPUTS)

    @property
    def coordinates(self) -> Names:
        """q, the first part of the state y = [q; u; s; w]."""
        return self._list(L.COORDINATES)

    @property
    def speeds(self) -> Names:
        """u, the second part of the state."""
        return self._list(L.SPEEDS)

    @property
    def states(self) -> Names:
        """s, those declared with `state`."""
        return self._list(L.STATES)

    @property
    def outputs(self) -> Names:
        return self._list(L.OUTPUTS)

    @property
    def columns(self) -> Names:
        """Of the rows of a run, after the time."""
        return self._list(L.COLUMNS)

    @property
    def events(self) -> List[str]:
        return list(self._list(L.EVENTS))

    @property
    def simulations(self) -> List[str]:
        """The names of the `simulate` blocks."""
        return list(self._list(L.SIMULATIONS))

    @property
    def constraints(self) -> List[str]:
        return list(self._list(L.CONSTRAINTS))

    @property
    def discrete(self) -> List[str]:
        """The names of what is constant between events, in the order of Simulation.discrete_state."""
        return self._list(L.DISCRETE).in_order()

    @property
    def state_size(self) -> int:
        """Entries of y: coordinates, speeds, states, integrals of work."""
        return lib.mbc_model_state_size(self._handle)

    @property
    def time_unit(self) -> str:
        return self._text(lib.mbc_model_time_unit)

    @property
    def about(self) -> str:
        """The words at the top of the file."""
        return self._text(lib.mbc_model_about)

    @property
    def text(self) -> str:
        return self._text(lib.mbc_model_text)

    @property
    def warnings(self) -> List[dict]:
        return _errors.parsed(self._text(lib.mbc_model_warnings))

    def equations(self, form: str = "text", *, of: Union[str, Sequence[str]] = (), numbers: Sequence[str] = (),
                  derivation: bool = False) -> Equations:
        """The equations as a text, which a notebook typesets.

        form: "text", "ascii", "latex", "fragments", "markdown", "json", "mbd" (in the language of models), or source
            code of rhs(t, y, p): "c", "python", "octave", "sympy", "julia"
        of: sections ("M"), entries ("M[1,2]"), coordinates, rows, parts of the model; without it everything
        numbers: parameters that are written as the numbers they have
        derivation: constraints with their places and first derivatives
        """
        selected, written = [of] if isinstance(of, str) else list(of), list(numbers)

        def made(wanted: str) -> str:
            text = c_char_p()
            code = lib.mbc_model_equations(self._handle, L.encoded(wanted), L.text_list(selected), len(selected),
                                           L.text_list(written), len(written), derivation, byref(text))
            if code != L.OK:
                raise _errors.Error(code, lib.mbc_model_message(self._handle).decode())
            return (text.value or b"").decode()

        with self._lock:
            out = Equations(made(form))
            if form == "text":
                out.markdown = made("markdown")
            return out

    def time_span(self, simulation: Optional[str] = None) -> Tuple[float, float, float]:
        """Beginning, end and step of a `simulate` block; without a name of the only one."""
        begin, end, step = c_double(), c_double(), c_double()
        with self._lock:
            code = lib.mbc_model_time_span(self._handle, L.encoded(simulation), byref(begin), byref(end), byref(step))
            if code != L.OK:
                raise _errors.Error(code, lib.mbc_model_message(self._handle).decode())
        return begin.value, end.value, step.value

    def simulation(self, block: Optional[str] = None) -> "Simulation":
        """A motion of the model, at the beginning of that `simulate` block; without a name of the first one."""
        from ._simulation import Simulation

        return Simulation(self, block)

    def run(self, until: Optional[float] = None, **options):
        """A run of a new simulation: Simulation.run()."""
        return self.simulation().run(until, **options)

    def sweep(self, **how) -> "Sweep":
        """mbc.sweep() of the text of this model, with the options it was loaded with: executor=... runs it elsewhere."""
        from ._sweep import sweep

        if self._options is None:
            raise TypeError("a model that a simulation has made has no options to sweep with: call mbc.sweep()")
        return sweep(text=self.text, **{**self._options, **how})

    def _rows(self) -> Iterator[Tuple[str, str]]:
        yield "size", f"{len(self.coordinates)} coordinates, {len(self.speeds)} speeds, {len(self.states)} states"
        for title, names in (("parameters", self.parameters), ("inputs", self.inputs), ("outputs", self.outputs)):
            if names:
                yield title, repr(names)
        for title, plain in (("constraints", self.constraints), ("events", self.events),
                             ("simulate", self.simulations)):
            if plain:
                yield title, ", ".join(plain)

    def __repr__(self) -> str:
        return "\n".join([self.about or "a model", *(f"  {title}: {words}" for title, words in self._rows())])

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><th style='text-align:left'>{title}</th><td style='text-align:left'>"
                       f"{html.escape(words[:400])}</td></tr>" for title, words in self._rows())
        return f"<p><b>{html.escape(self.about)}</b></p><table>{rows}</table>"


def compiled(make: Callable[[Compiling], Optional[int]], how: Compiling) -> Model:
    handle = make(how)
    if how.failure is not None:
        if handle:
            lib.mbc_model_free(handle)
        raise how.failure
    if not handle:
        raise _errors.of_thread()
    return Model(handle)


def load(path: "str | os.PathLike[str]", **options) -> Model:
    """The model of a file.

    set: {"L": "0.4 [m]"} or ["L = 0.4 [m]"], as `mbc run --set`
    parameters: arguments of instances ("chain.m") that are to be parameters
    stdlib: folder in place of the standard library
    engine: "auto", "interpreter" or "native" (before the first step)
    cache: keep compiled code between processes
    loader: called with the path of each file that `use "..."` names, gives its text, or None
    Raises ModelError with the diagnostics where it has mistakes.
    """
    name = L.encoded(os.fspath(path))
    model = compiled(lambda how: lib.mbc_model_from_file(name, byref(how.options)), Compiling(**options))
    model._options = {"folder": os.path.dirname(os.fspath(path)) or ".", **options}
    return model


def parse(text: str, name: str = "model", **options) -> Model:
    """The model of a text, which diagnostics call `name`. Options as of load(); folder: where `use "..."` looks."""
    source, called = L.encoded(text), L.encoded(name)
    model = compiled(lambda how: lib.mbc_model_from_text(source, called, byref(how.options)), Compiling(**options))
    model._options = options
    return model
