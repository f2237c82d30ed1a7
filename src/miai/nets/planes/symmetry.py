"""The eight symmetries of the board, as numbers 0 to 7 and as index tables.

    bit 1   turn the rows upside down
    bit 2   mirror the columns
    bit 4   then swap rows and columns

Symmetry 0 leaves the board as it is. The numbers are KataGo's.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

SYMMETRIES = 8
FLIP_ROWS, FLIP_COLUMNS, TRANSPOSE = 1, 2, 4


@cache
def symmetry_table(symmetry: int, width: int, height: int) -> npt.NDArray[np.int32]:
    """[row * width + column] → where that point goes: row × new width + column.

    The new width is `height` for symmetries with TRANSPOSE. A policy over the points of the turned
    board comes back by `turned[symmetry_table(…)]`.
    """
    if not 0 <= symmetry < SYMMETRIES:
        raise ValueError(f"symmetry {symmetry}: they go from 0 to 7")
    rows, columns = np.divmod(np.arange(width * height, dtype=np.int32), np.int32(width))
    if symmetry & FLIP_ROWS:
        rows = height - 1 - rows
    if symmetry & FLIP_COLUMNS:
        columns = width - 1 - columns
    table = columns * height + rows if symmetry & TRANSPOSE else rows * width + columns
    table.setflags(write=False)
    return table


def inverse(symmetry: int) -> int:
    """The symmetry that undoes this one."""
    if symmetry & TRANSPOSE:
        rows, columns = symmetry & FLIP_ROWS, symmetry & FLIP_COLUMNS
        return TRANSPOSE | (rows << 1) | (columns >> 1)
    return symmetry


def permute(symmetry: int, planes: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """`planes` [..., height, width] with the board turned; a view where NumPy can give one."""
    if symmetry & FLIP_ROWS:
        planes = planes[..., ::-1, :]
    if symmetry & FLIP_COLUMNS:
        planes = planes[..., ::-1]
    return np.swapaxes(planes, -1, -2) if symmetry & TRANSPOSE else planes
