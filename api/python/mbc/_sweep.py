# SPDX-License-Identifier: Apache-2.0
"""One model with many values of parameters, on several threads or by any executor of concurrent.futures."""

import ctypes
import os
from concurrent.futures import Executor
from ctypes import byref
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from . import _errors
from . import _library as L
from ._library import lib
from ._model import Compiling
from ._result import floats, numpy
from ._simulation import _Callbacks


class Sweep(Mapping[str, Any]):
    """Members of a sweep: what was varied and what was recorded, as columns by name; nan where a member failed.

    varied, recorded: names; units: of both; numbers: of the members, from 1; reasons: why a member failed, "" of the
    others; total: members of the whole sweep, of which those that were chosen are here
    """

    def __init__(self) -> None:
        self.varied: List[str] = []
        self.recorded: List[str] = []
        self.units: Dict[str, str] = {}
        self.reasons: List[str] = []
        self.numbers: List[int] = []
        self.total = 0
        self._rows: List[List[float]] = []
        self._values: Optional[Dict[str, Any]] = None

    def _begin(self, info: Any) -> None:
        def names(texts: Any, count: int) -> List[str]:
            return [texts[k].decode() for k in range(count)]

        self.total = info.members
        self.varied = names(info.varied_names, info.varied)
        self.recorded = names(info.recorded_names, info.recorded)
        units = names(info.varied_units, info.varied) + names(info.recorded_units, info.recorded)
        self.units = dict(zip(self.varied + self.recorded, units))

    def _member(self, m: Any) -> None:
        recorded = m.recorded[:m.recorded_count] if m.recorded_count else [float("nan")] * len(self.recorded)
        self._rows.append(m.varied[:m.varied_count] + recorded)
        self.reasons.append(m.reason.decode())
        self.numbers.append(m.number)

    def _append(self, part: "_Rows") -> None:
        rows, reasons, numbers = part
        self._rows += rows
        self.reasons += reasons
        self.numbers += numbers

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


_Rows = Tuple[List[List[float]], List[str], List[int]]


def _chosen(members: "Union[None, int, str, range]") -> Tuple[int, int]:
    """The first and the last of "100..199", "200..", "17", 17 or range(100, 200); 0 is the last one that there is."""
    first: Any
    last: Any
    if members is None:
        return 1, 0
    if isinstance(members, range):
        if members.step != 1 or len(members) == 0:
            raise ValueError(f"members: {members} is not a range of neighbours with at least one member")
        first, last = members[0], members[-1]
    elif isinstance(members, str):
        begin, dots, end = members.strip().partition("..")
        texts = [begin, end] if dots and end else [begin]
        if not all(t.isascii() and t.isdigit() for t in texts):
            raise ValueError(f"members: {members!r} is not written as 100..199, 200.. or 17")
        first, last = int(begin), int(end) if dots and end else 0 if dots else int(begin)
        if dots and end and last == 0:
            raise ValueError(f"members: {members!r}: they are numbered from 1")
    else:
        first = last = int(members)
    if first < 1 or (last != 0 and last < first) or max(first, last) >= 2**64:
        raise ValueError(f"members: {members!r}: they are numbered from 1, the first before the last")
    return first, last


def _part(text: str, name: str, asked: Dict[str, Any], files: Dict[str, str], first: int, last: int) -> _Rows:
    """A task of an executor: some members of a sweep, from values that travel as they are."""
    out = _swept(None, text, name, first, last, None, loader=files.get, **asked)
    return out._rows, out.reasons, out.numbers


def _swept(path: Optional[str], text: Optional[str], source: str, first: int, last: int,
           progress: Optional[Callable[[float], None]], *, name: Optional[str], vary: List[str], record: List[str],
           jobs: int, assemble: bool, **options) -> Sweep:
    how, calls, out = Compiling(**options), _Callbacks(), Sweep()
    texts = L.text_list(vary), L.text_list(record)

    def member(_: Any, given: Any) -> int:
        calls.guarded(lambda: out._member(given.contents))()
        return calls.stop.value

    asked = L.SweepOptions(
        compile=ctypes.pointer(how.options), name=L.encoded(name), vary=texts[0], vary_count=len(vary),
        record=texts[1], record_count=len(record), jobs=jobs, assemble=assemble, stop=ctypes.pointer(calls.stop),
        on_begin=L.OnBegin(calls.guarded(lambda _, info: out._begin(info.contents))), on_member=L.OnMember(member),
        first=first, last=last)
    if progress is not None:
        asked.progress = L.Progress(calls.guarded(lambda _, part: progress(part)))
    if path is not None:
        code = lib.mbc_sweep_file(L.encoded(path), byref(asked))
    else:
        code = lib.mbc_sweep_text(L.encoded(text), L.encoded(source), byref(asked))
    for failure in (how.failure, calls.failure):
        if failure is not None:
            raise failure
    if code != L.OK:
        raise _errors.of_thread()
    return out


class _Files:
    """Gives the files that a model names, as `loader` or the folder has them, and keeps their texts."""

    def __init__(self, folder: str, loader: Optional[Callable[[str], Optional[str]]]) -> None:
        self.folder, self.loader = folder, loader
        self.texts: Dict[str, str] = {}

    def __call__(self, file: str) -> Optional[str]:
        found = self.loader(file) if self.loader is not None else self._read(file)
        if found is not None:
            self.texts[file] = found
        return found

    def _read(self, file: str) -> Optional[str]:
        of_command = "command line: "
        place = file[len(of_command):] if file.startswith(of_command) else os.path.join(self.folder, file)
        try:
            with open(place, encoding="utf-8", newline="") as f:
                return f.read()
        except OSError:
            return None


def _by(executor: Executor, chunk: int, path: Optional[str], text: Optional[str], chosen: Tuple[int, int],
        progress: Optional[Callable[[float], None]], asked: Dict[str, Any]) -> Sweep:
    """Runs the first member here, which tells what the sweep is, and the others by the executor, in order of number."""
    source = path if path is not None else "model"
    folder = asked.pop("folder", None) or (os.path.dirname(path) if path is not None else ".") or "."
    if path is not None:
        with open(path, encoding="utf-8", newline="") as f:
            text = f.read()
    assert text is not None
    files = _Files(folder, asked.pop("loader", None))
    first, last = chosen
    out = _swept(None, text, source, first, first, None, loader=files, **asked)
    last = last or out.total
    if last > out.total:  # refused as without an executor
        return _swept(None, text, source, last, last, None, loader=files, **asked)
    size = chunk or max(1, -(-(last - first) // 64))
    tasks = [executor.submit(_part, text, source, asked, files.texts, k, min(k + size - 1, last))
             for k in range(first + 1, last + 1, size)]
    try:
        for k, task in enumerate(tasks):
            out._append(task.result())
            if progress is not None:
                progress((k + 1) / len(tasks))
    finally:
        for task in tasks:
            task.cancel()
    return out


def sweep(path: "Union[None, str, os.PathLike[str]]" = None, *, text: Optional[str] = None,
          name: Optional[str] = None, vary: Sequence[str] = (), record: Sequence[str] = (),
          members: "Union[None, int, str, range]" = None, jobs: int = 0, assemble: bool = False,
          progress: Optional[Callable[[float], None]] = None, executor: Optional[Executor] = None, chunk: int = 0,
          **options) -> Sweep:
    """Runs a model for many values: sweep("a.mbd", vary=["k = 1 .. 2 count 9"], record=["max_over(bob.z)"]).

    path, or text: the model
    name: the `sweep` block or, with vary, the `simulate` block; without it the only one
    members: the ones that are run, by number from 1: "100..199", "200..", 17, range(100, 200)
    jobs: threads, 0: one for each core; results do not depend on it. Of a task of an executor: 0 is one thread
    progress: called with the part that is done, 0 to 1
    executor: of concurrent.futures, or one of its kind (mpi4py, Dask, Ray); it runs the members in tasks of `chunk`
        members, 0: 64 tasks. The text of the model travels with each task, and so do the files that it names
    options: as of load()
    """
    if (path is None) == (text is None):
        raise TypeError("sweep() takes a path or a text")
    if not 0 <= jobs < 2**32:
        raise ValueError("jobs: a whole number from 0 to 2**32 - 1")
    if chunk < 0 or (chunk and executor is None):
        raise ValueError("chunk: members of a task of an executor, a whole number above 0")
    first, last = _chosen(members)
    asked: Dict[str, Any] = dict(name=name, vary=list(vary), record=list(record), jobs=jobs, assemble=assemble)
    place = None if path is None else os.fspath(path)
    if executor is None:
        return _swept(place, text, "model", first, last, progress, **asked, **options)
    asked["jobs"] = jobs or 1
    return _by(executor, chunk, place, text, (first, last), progress, {**asked, **options})

