# SPDX-License-Identifier: Apache-2.0
"""Rows of runs: columns by name, as views of the library's memory."""

import array
import ctypes
import json
from ctypes import c_double
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from . import _errors
from ._library import lib
from ._model import Model

if TYPE_CHECKING:
    from ._plot import Plot

try:
    import numpy
except ImportError:
    numpy = None
_DOUBLE = numpy.dtype(numpy.float64) if numpy is not None else None


def floats(count: int):
    """Doubles, 0: a numpy array where that is there."""
    return numpy.zeros(count) if numpy is not None else array.array("d", bytes(8 * count))


def array_of(values: "Sequence[float]", bound: bool = False) -> Tuple[Any, int, Any]:
    """Address and number of doubles, and what keeps them alive: as they are where they are doubles in one piece,
    else (and not where they are to be bound) a copy."""
    if numpy is not None:
        given = numpy.asarray(values)
        good = given.dtype == _DOUBLE and given.ndim == 1 and given.flags.c_contiguous
        if not good:
            if bound:
                raise TypeError("an array to be bound holds doubles in one piece, and has one dimension")
            given = numpy.ascontiguousarray(given, dtype=numpy.float64).reshape(-1)
        if bound and (not given.flags.writeable or not numpy.shares_memory(given, values)):
            raise TypeError("an array to be bound is writable memory")
        if given.size and given.flags.writeable:  # the quick way
            return ctypes.addressof(c_double.from_buffer(given)), given.size, given
        return given.ctypes.data, given.size, given
    if not bound and not (isinstance(values, array.array) and values.typecode == "d"):
        values = array.array("d", values)
    view = memoryview(values).cast("B").cast("d") if not isinstance(values, array.array) else memoryview(values)
    if not len(view):
        return None, 0, values
    place = (c_double * len(view)).from_buffer(view)
    return ctypes.addressof(place), len(view), place


class Table:
    """Rows of the library; goes when nobody looks at them any more."""

    def __init__(self) -> None:
        self.handle: Optional[int] = lib.mbc_table_new()
        if not self.handle:
            raise _errors.of_thread()

    def __del__(self) -> None:
        handle, self.handle = getattr(self, "handle", None), None
        if handle:
            lib.mbc_table_free(handle)

    def memory(self):
        """All values as one ctypes array, which keeps the table."""
        rows, columns = lib.mbc_table_rows(self.handle), lib.mbc_table_columns(self.handle)
        place = lib.mbc_table_values(self.handle)
        memory = (c_double * (rows * columns)).from_address(place) if place else (c_double * 0)()
        memory._table = self
        return memory, rows, columns


class Result(Mapping[str, Any]):
    """What a run recorded and was like.

    result["bob.z"]: a column, by name; result.time; result.units["bob.z"] its unit
    result.values: all rows, the time first
    Columns are views without a copy: numpy arrays, or memoryviews where numpy is not there.
    steps, rows, evaluations, events, begin, end, reached, wall_seconds, rank, freedoms: numbers of the run
    summary: what `mbc run` prints; info: the same as a dict; warnings: diagnostics
    """

    def __init__(self, table: Table, model: Model, said: Any) -> None:
        memory, rows, columns = table.memory()
        self._memory = memory
        self._columns = columns
        self.names: List[str] = list(model.columns)
        self.units: Dict[str, str] = {name: q.unit for name, q in model.columns.items()}
        self.time_unit = model.time_unit
        self.title = model.about
        self._outputs = list(model.outputs)
        self.rows = rows
        if numpy is not None:
            self.values = numpy.frombuffer(memory, dtype=numpy.float64).reshape(rows, columns)
            self.values.flags.writeable = False
        else:
            self.values = memoryview(memory).cast("B").cast("d").toreadonly()
        for name in ("steps", "evaluations", "events", "begin", "end", "reached", "wall_seconds", "rank", "freedoms"):
            setattr(self, name, getattr(said, name))
        self.summary: str = said.summary.decode()
        self.info: Dict[str, Any] = json.loads(said.summary_json.decode() or "{}")
        self.warnings = _errors.parsed(said.warnings.decode())

    def _column(self, k: int):
        return self.values[:, k] if numpy is not None else self.values[k::self._columns]

    @property
    def time(self):
        return self._column(0)

    def __getitem__(self, name: str):
        if name in ("t", "time"):
            return self.time
        return self._column(self.names.index(name) + 1 if name in self.units else self._missing(name))

    def _missing(self, name: str) -> int:
        components = ", ".join(n for n in self.names if n.startswith((name + ".", name + "[")))
        raise KeyError(f"{name}: its columns are {components}" if components else name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def to_pandas(self):
        """A pandas.DataFrame with the time as index; units in its attrs["units"]."""
        import pandas

        index = pandas.Index(self.time, name=f"t [{self.time_unit}]" if self.time_unit else "t")
        frame = pandas.DataFrame({name: self[name] for name in self.names}, index=index)
        frame.attrs["units"] = dict(self.units)
        return frame

    def plot(self, *names: str, width: int = 640, height: int = 320) -> "Plot":
        """Curves over the time as SVG: those of the columns named; without names of the outputs, or the first
        columns."""
        from ._plot import Plot

        chosen = list(names) or self._outputs[:6] or self.names[:3]
        return Plot(self, chosen, width, height)

    def __repr__(self) -> str:
        return f"{self.rows} rows of {len(self.names)} columns\n{self.summary}".rstrip()

    def _repr_html_(self) -> str:
        import html

        return self.plot().svg + f"<pre>{html.escape(self.summary)}</pre>"
