# SPDX-License-Identifier: Apache-2.0
"""One model with many values of parameters, on several threads."""

import ctypes
import os
from ctypes import byref
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Union

from . import _errors
from . import _library as L
from ._library import lib
from ._model import Compiling
from ._result import floats, numpy
from ._simulation import _Callbacks


class Sweep(Mapping[str, Any]):
    """Members of a sweep: what was varied and what was recorded, as columns by name; nan where a member failed.

    varied, recorded: names; units: of both; reasons: why a member failed, "" of the others
    """

    def __init__(self) -> None:
        self.varied: List[str] = []
        self.recorded: List[str] = []
        self.units: Dict[str, str] = {}
        self.reasons: List[str] = []
        self._rows: List[List[float]] = []
        self._values: Optional[Dict[str, Any]] = None

    def _begin(self, info: Any) -> None:
        def names(texts: Any, count: int) -> List[str]:
            return [texts[k].decode() for k in range(count)]

        self.varied = names(info.varied_names, info.varied)
        self.recorded = names(info.recorded_names, info.recorded)
        units = names(info.varied_units, info.varied) + names(info.recorded_units, info.recorded)
        self.units = dict(zip(self.varied + self.recorded, units))

    def _member(self, m: Any) -> None:
        recorded = m.recorded[:m.recorded_count] if m.recorded_count else [float("nan")] * len(self.recorded)
        self._rows.append(m.varied[:m.varied_count] + recorded)
        self.reasons.append(m.reason.decode())

    def __getitem__(self, name: str):
        k = (self.varied + self.recorded).index(name) if name in self.units else None
        if k is None:
            raise KeyError(name)
        column = floats(len(self._rows))
        column[:] = type(column)("d", [r[k] for r in self._rows]) if numpy is None else [r[k] for r in self._rows]
        return column

    def __iter__(self) -> Iterator[str]:
        return iter(self.varied + self.recorded)

    def __len__(self) -> int:
        return len(self.varied) + len(self.recorded)

    @property
    def members(self) -> int:
        return len(self._rows)

    @property
    def failed(self) -> int:
        return sum(1 for r in self.reasons if r)

    def to_pandas(self):
        """A pandas.DataFrame, a row for each member; units in its attrs["units"]."""
        import pandas

        frame = pandas.DataFrame({name: self[name] for name in self})
        frame.attrs["units"] = dict(self.units)
        return frame

    def __repr__(self) -> str:
        failed = f", {self.failed} failed" if self.failed else ""
        return f"{self.members} members{failed}: {', '.join(self.varied)} -> {', '.join(self.recorded)}"


def sweep(path: "Union[None, str, os.PathLike[str]]" = None, *, text: Optional[str] = None,
          name: Optional[str] = None, vary: Sequence[str] = (), record: Sequence[str] = (), jobs: int = 0,
          assemble: bool = False, progress: Optional[Callable[[float], None]] = None, **options) -> Sweep:
    """Runs a model for many values: sweep("a.mbd", vary=["k = 1 .. 2 count 9"], record=["max_over(bob.z)"]).

    path, or text: the model
    name: the `sweep` block or, with vary, the `simulate` block; without it the only one
    jobs: threads, 0: one for each core; results do not depend on it
    progress: called with the part that is done, 0 to 1
    options: as of load()
    """
    if (path is None) == (text is None):
        raise TypeError("sweep() takes a path or a text")
    if not 0 <= jobs < 2**32:
        raise ValueError("jobs: a whole number from 0 to 2**32 - 1")
    how, calls, out = Compiling(**options), _Callbacks(), Sweep()
    vary, record = list(vary), list(record)
    texts = L.text_list(vary), L.text_list(record)

    def member(_: Any, given: Any) -> int:
        calls.guarded(lambda: out._member(given.contents))()
        return calls.stop.value

    asked = L.SweepOptions(
        compile=ctypes.pointer(how.options), name=L.encoded(name), vary=texts[0], vary_count=len(vary),
        record=texts[1], record_count=len(record), jobs=jobs, assemble=assemble, stop=ctypes.pointer(calls.stop),
        on_begin=L.OnBegin(calls.guarded(lambda _, info: out._begin(info.contents))), on_member=L.OnMember(member))
    if progress is not None:
        asked.progress = L.Progress(calls.guarded(lambda _, part: progress(part)))
    if path is not None:
        code = lib.mbc_sweep_file(L.encoded(os.fspath(path)), byref(asked))
    else:
        code = lib.mbc_sweep_text(L.encoded(text), b"model", byref(asked))
    for failure in (how.failure, calls.failure):
        if failure is not None:
            raise failure
    if code != L.OK:
        raise _errors.of_thread()
    return out
