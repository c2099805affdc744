# SPDX-License-Identifier: Apache-2.0
"""The shared library libmbc.so.0 and the functions of mbc_c.h, by ctypes."""

import ctypes
import os
import pathlib
from ctypes import (CFUNCTYPE, POINTER, Structure, c_char_p, c_double, c_int32, c_size_t, c_uint32, c_uint64,
                    c_void_p)
from typing import Iterator

INTERFACE = 3
OK, INVALID_ARGUMENT, INTERRUPTED = 0, 6, 10
(PARAMETERS, INPUTS, COORDINATES, SPEEDS, STATES, OUTPUTS, COLUMNS, EVENTS, SIMULATIONS, CONSTRAINTS,
 DISCRETE) = range(11)

doubles = POINTER(c_double)
texts = POINTER(c_char_p)

Loader = CFUNCTYPE(c_void_p, c_void_p, c_char_p)
OnRow = CFUNCTYPE(c_int32, c_void_p, c_double, doubles, c_size_t, doubles, c_size_t)
Drive = CFUNCTYPE(None, c_void_p, c_double, doubles, c_size_t, doubles, c_size_t)
OnEvent = CFUNCTYPE(None, c_void_p, c_double, c_char_p)
Progress = CFUNCTYPE(None, c_void_p, c_double)
PlainRhs = CFUNCTYPE(c_int32, c_void_p, c_double, c_void_p, c_void_p)


def structure(name: str, *fields: tuple) -> type:
    """A struct of mbc_c.h: its size comes first, and is set."""

    class Made(Structure):
        _fields_ = [("size", c_size_t), *fields]

        def __init__(self, **values) -> None:
            super().__init__(size=ctypes.sizeof(type(self)), **values)

    Made.__name__ = Made.__qualname__ = name
    return Made


CompileOptions = structure(
    "mbc_compile_options", ("set", texts), ("set_count", c_size_t), ("parameters", texts),
    ("parameters_count", c_size_t), ("folder", c_char_p), ("stdlib", c_char_p), ("engine", c_int32),
    ("no_cache", c_int32), ("loader", Loader), ("user", c_void_p))
RowsAt = structure(
    "mbc_rows_at", ("speeds", c_size_t), ("rows", c_size_t), ("M", doubles), ("A", doubles), ("f", doubles),
    ("b", doubles), ("acceleration", doubles), ("multiplier", doubles), ("rank", c_int32),
    ("C", doubles))
JacobianAt = structure(
    "mbc_jacobian_at", ("rows", c_size_t), ("columns", c_size_t), ("values", doubles), ("of", texts), ("by", texts))
RhsFunction = structure("mbc_plain_rhs", ("call", c_void_p), ("context", c_void_p), ("count", c_size_t))
RunOptions = structure(
    "mbc_run_options", ("simulation", c_char_p), ("has_span", c_int32), ("assemble", c_int32), ("begin", c_double),
    ("end", c_double), ("state", doubles), ("state_count", c_size_t), ("output_every", c_uint32),
    ("reserved", c_int32), ("stop", POINTER(c_int32)), ("until_event", c_char_p), ("table", c_void_p),
    ("on_row", OnRow), ("drive", Drive), ("on_event", OnEvent), ("progress", Progress), ("user", c_void_p))
RunResult = structure(
    "mbc_run_result", ("steps", c_uint64), ("rows", c_uint64), ("evaluations", c_uint64), ("events", c_uint64),
    ("begin", c_double), ("end", c_double), ("reached", c_double), ("wall_seconds", c_double), ("rank", c_int32),
    ("freedoms", c_int32), ("summary", c_char_p), ("summary_json", c_char_p), ("warnings", c_char_p))
SweepInfo = structure(
    "mbc_sweep_info", ("members", c_uint64), ("varied", c_size_t), ("recorded", c_size_t), ("varied_names", texts),
    ("varied_units", texts), ("recorded_names", texts), ("recorded_units", texts))
SweepMember = structure(
    "mbc_sweep_member", ("number", c_uint64), ("varied", doubles), ("varied_count", c_size_t), ("recorded", doubles),
    ("recorded_count", c_size_t), ("code", c_int32), ("reason", c_char_p))
OnBegin = CFUNCTYPE(None, c_void_p, POINTER(SweepInfo))
OnMember = CFUNCTYPE(c_int32, c_void_p, POINTER(SweepMember))
SweepOptions = structure(
    "mbc_sweep_options", ("compile", POINTER(CompileOptions)), ("name", c_char_p), ("vary", texts),
    ("vary_count", c_size_t), ("record", texts), ("record_count", c_size_t), ("jobs", c_uint32),
    ("assemble", c_int32), ("stop", POINTER(c_int32)), ("on_begin", OnBegin), ("on_member", OnMember),
    ("progress", Progress), ("user", c_void_p), ("first", c_uint64), ("last", c_uint64))

# Result and arguments of each function: m model, s simulation, t table, d double, D doubles, z size_t, Z size_t*,
# i int32_t, c text, X texts, p pointer, v nothing.
_KINDS = {"m": c_void_p, "s": c_void_p, "t": c_void_p, "d": c_double, "D": doubles, "z": c_size_t,
          "Z": POINTER(c_size_t), "i": c_int32, "c": c_char_p, "X": texts, "p": c_void_p, "v": None}
_FUNCTIONS = {
    "version": "c", "interface": "i", "code_name": "ci", "back_end": "c", "error_code": "i", "error_message": "c",
    "error_diagnostics": "c", "model_from_file": "mcp", "model_from_text": "mccp", "model_copy": "mm",
    "model_free": "vm", "model_message": "cm", "model_warnings": "cm", "model_count": "zmi", "model_name": "cmiz",
    "model_unit": "cmiz", "model_description": "cmiz", "model_index": "imicZ", "model_state_size": "zm",
    "model_time_unit": "cm", "model_about": "cm", "model_text": "cm", "model_equations": "imcXzXzip", "model_time_span": "imcDDD",
    "simulation_new": "smc", "simulation_free": "vs", "model_from_simulation": "ms", "simulation_message": "cs",
    "simulation_diagnostics": "cs", "simulation_error_index": "zs", "time": "ds", "state": "ispz",
    "set_state": "isdpz", "parameter": "iszD", "set_parameter": "iszd", "input": "iszD", "set_input": "iszd",
    "held": "iscD", "set_held": "iscd", "discrete_state": "ispz", "set_discrete_state": "ispz", "settle": "is",
    "output": "iszD", "value": "iscDZ", "reset": "is", "step": "isd", "run_until": "isd", "set_stop": "isp", "rhs": "isdppz",
    "accelerations": "isdpzpz", "rows": "isdpzp", "jacobian": "isiidpzp", "rhs_function": "isp", "table_new": "t", "table_free": "vt",
    "table_rows": "zt", "table_columns": "zt", "table_values": "pt", "run": "ispp", "save": "ispZ",
    "restore": "iscz", "sweep_file": "icp", "sweep_text": "iccp",
}


def _places() -> Iterator[str]:
    """Where the library is looked for: $MBC_LIBRARY, the tree this package is installed in, the system's folders."""
    named = os.environ.get("MBC_LIBRARY")
    if named:
        yield named
        return
    here = pathlib.Path(__file__).resolve().parent
    for folder in list(here.parents)[:4]:
        for found in (folder / "libmbc.so.0", folder / "lib" / "libmbc.so.0"):
            if found.is_file():
                yield str(found)
    yield "libmbc.so.0"


def _open() -> ctypes.CDLL:
    tried = []
    for place in _places():
        try:
            library = ctypes.CDLL(place)
        except OSError as error:
            tried.append(str(error))
            continue
        for name, kinds in _FUNCTIONS.items():
            function = getattr(library, "mbc_" + name)
            function.restype = _KINDS[kinds[0]]
            function.argtypes = [_KINDS[k] for k in kinds[1:]]
        if library.mbc_interface() < INTERFACE:
            raise ImportError(f"{place} is older than this package: version {library.mbc_version().decode()}")
        return library
    raise ImportError("libmbc.so.0 was not found: " + "; ".join(tried) + " (MBC_LIBRARY may name it)")


lib = _open()


def encoded(text: "str | None") -> "bytes | None":
    if text is None:
        return None
    if "\0" in text:
        raise ValueError("a text holds the character 0")
    return text.encode()


def text_list(values: "list[str]"):
    """An array of texts; it keeps them alive."""
    return (c_char_p * len(values))(*[encoded(v) for v in values])
