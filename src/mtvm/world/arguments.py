"""Taking arguments as pybind11 does, so that code written for the C++ simulator may pass what it always has.

Numbers of numpy and torch are taken like Python's own. What pybind11 refuses is a `TypeError` here too.
"""

from __future__ import annotations

import operator
from typing import Any


def whole_number(value: Any, least: int | None = None) -> int:
    """A C++ int, or an unsigned one if `least` is 0. Python's floats are refused, other numbers cut off."""
    if isinstance(value, float) or not (hasattr(value, "__index__") or hasattr(value, "__int__")):
        raise TypeError(f"MatterSim: {value!r} is not a whole number")
    try:
        number = operator.index(value)
    except TypeError:
        number = int(value)
    if least is not None and number < least:
        raise TypeError(f"MatterSim: {number} is less than {least}")
    return number


def real_number(value: Any) -> float:
    """A C++ double."""
    if not (hasattr(value, "__float__") or hasattr(value, "__index__")):
        raise TypeError(f"MatterSim: {value!r} is not a number")
    return float(value)


def truth_value(value: Any) -> bool:
    """A C++ bool. None is false; what has only a length, such as a string or a list, is refused."""
    if value is not None and not hasattr(value, "__bool__"):
        raise TypeError(f"MatterSim: {value!r} is neither true nor false")
    return bool(value)


def is_list(value: Any) -> bool:
    """Whether this is a list of arguments, one for each agent, rather than one argument."""
    return bool(getattr(value, "ndim", hasattr(value, "__len__")))  # a scalar of numpy or torch has 0 dimensions
