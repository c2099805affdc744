# SPDX-License-Identifier: Apache-2.0
"""Failures as exceptions, with the diagnostics of the compiler or the run."""

import json
from typing import Any, Dict, List

from ._library import OK, lib


class Error(Exception):
    """What a call of mbc failed with.

    code: its kind, "no_such_name", "inconsistent", ... (see mbc_c.h)
    diagnostics: what the model or the run had to say, as `mbc check --json` prints it: one dict each, with file,
        line, column, severity, code, message, ...
    """

    def __init__(self, code: int, message: str, diagnostics: str = "") -> None:
        super().__init__(message)
        self.code: str = lib.mbc_code_name(code).decode()
        self.diagnostics: List[Dict[str, Any]] = parsed(diagnostics)


class ModelError(Error):
    """The text of a model has mistakes."""


def parsed(lines: str) -> List[Dict[str, Any]]:
    return [json.loads(line) for line in lines.splitlines() if line]


def of_thread() -> Error:
    """The failure of a call that makes an object."""
    code = lib.mbc_error_code()
    kind = ModelError if lib.mbc_code_name(code) == b"model_error" else Error
    return kind(code, lib.mbc_error_message().decode(), lib.mbc_error_diagnostics().decode())


def check(code: int, simulation: int) -> None:
    if code != OK:
        raise Error(code, lib.mbc_simulation_message(simulation).decode(),
                    lib.mbc_simulation_diagnostics(simulation).decode())
