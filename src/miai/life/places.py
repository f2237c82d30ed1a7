"""Where points lie: how far from the target, from the edges, from each other."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from miai.go.coords import Grid
from miai.life.problem import Problem

UNREACHABLE = 99  # steps


def distances(problem: Problem) -> npt.NDArray[np.int16]:
    """Steps from the target to each point, diagonal steps allowed, not through attacking stones."""
    geometry = problem.board.grid
    far = np.full(geometry.length, UNREACHABLE, dtype=np.int16)
    far[list(problem.target)] = 0
    frontier = list(problem.target)
    around = (1, -1, geometry.stride, -geometry.stride)
    diagonal = (geometry.stride + 1, geometry.stride - 1, -geometry.stride - 1, 1 - geometry.stride)
    while frontier:
        following = []
        for point in frontier:
            steps = around + diagonal if problem.colour_at(point) != problem.attacker else ()
            for step in steps:
                other = point + step
                if geometry.on_board(other) and far[other] == UNREACHABLE:
                    far[other] = far[point] + 1
                    following.append(other)
        frontier = following
    return far


def edge_classes(grid: Grid) -> npt.NDArray[np.int8]:
    """At each point of the padded board, its class by the distances to the two nearest edges."""
    classes = np.zeros(grid.length, dtype=np.int8)
    for point in map(int, grid.points):
        row, column = grid.row_column(point)
        across = min(column, grid.width - 1 - column, 4)
        up = min(row, grid.height - 1 - row, 4)
        low, high = min(across, up), max(across, up)
        classes[point] = high * (high + 1) // 2 + low
    return classes


def relations(grid: Grid) -> npt.NDArray[np.int8]:
    """How two points lie to each other, by the difference of their numbers: 1 side by side, … 7 far apart."""
    classes = np.full(grid.length, 7, dtype=np.int8)
    for rows in range(4):
        for columns in range(-3, 4):
            difference = rows * grid.stride + columns
            small, large = sorted((rows, abs(columns)))
            if 0 < difference < grid.length:
                classes[difference] = (0, 1 + small, 3 + small, 6)[large]
    return classes
