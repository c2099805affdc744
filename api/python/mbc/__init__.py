# SPDX-License-Identifier: Apache-2.0
"""mbc: models of constrained mechanics, compiled and run.

    import mbc

    model = mbc.load("pendulum.mbd")
    result = model.run(10)              # from its initial state to t = 10
    result["bob.z"], result.units["bob.z"]
    result.to_pandas()

    simulation = model.simulation()
    simulation.parameters["L"] = 0.5
    simulation.reset()
    simulation.step(1e-3)

numpy and pandas are used where they are there; nothing else is needed.
"""

from ._errors import Error, ModelError
from ._library import lib as _lib
from ._model import Model, Names, Quantity, load, parse
from ._plot import Plot
from ._result import Result
from ._simulation import Jacobian, RightHandSide, Rows, Simulation
from ._sweep import Sweep, sweep

__version__: str = _lib.mbc_version().decode()
__all__ = ["Error", "Jacobian", "Model", "ModelError", "Names", "Plot", "Quantity", "Result", "RightHandSide", "Rows",
           "Simulation", "Sweep", "back_end", "load", "parse", "sweep"]


def back_end() -> str:
    """Where native code comes from, "LLVM 19.1.7, /usr/lib/libmbc-jit.so"; "" when only the interpreter is there."""
    return _lib.mbc_back_end().decode()
