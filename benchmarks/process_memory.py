"""The memory of this process, as Linux counts it; elsewhere it is not a number."""

from __future__ import annotations

import math
import sys
from pathlib import Path


def forget_peak() -> None:
    """Let the peak of this process begin anew. (`ru_maxrss` cannot; and it begins with the parent's own peak.)"""
    if sys.platform == "linux":
        Path("/proc/self/clear_refs").write_text("5")


def memory_megabytes(field: str) -> float:
    """VmRSS: what this process holds now. RssFile: the part of it in files. VmHWM: its peak since `forget_peak`."""
    if sys.platform != "linux":
        return math.nan
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(lines[field].split()[0]) / 1000
