# SPDX-License-Identifier: Apache-2.0
"""What the tests of the Python package have in common."""

import pytest

import mbc
from pendulum import PENDULUM


@pytest.fixture
def model():
    return mbc.parse(PENDULUM, "pendulum", engine="interpreter")
