"""Positions into planes: many of a `Records` at once, every one of some games, or a single one.

All three sort what is wanted by game and move, and hand it to one kernel, which plays each game once.
Kernels release the interpreter lock and share nothing: call from as many threads as there are cores.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from miai.go.board import Board
from miai.go.coords import Grid, grid
from miai.go.game import Game
from miai.go.kernels.arrays import Arrays, empty_arrays, log_room
from miai.nets.planes import area, darkforest, deepgo, katago, ladder
from miai.nets.planes.records import Records, records_from_board, records_from_games
from miai.nets.planes.sets import PlaneSet, plane_set
from miai.nets.planes.symmetry import SYMMETRIES, TRANSPOSE, symmetry_table
from miai.nets.planes.walk import Walk, places

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.integer] | Sequence[int]


class PlanesError(ValueError):
    """Positions that cannot be encoded as asked."""


def encode_batch(
    planes: PlaneSet | str,
    records: Records,
    games: Integers,
    moves: Integers,
    symmetries: Integers | None = None,
    *,
    size: tuple[int, int] | None = None,
    opponent_rank: int = 9,
    out_spatial: Floats | None = None,
    out_scalars: Floats | None = None,
) -> tuple[Floats, Floats]:
    """Positions after `moves[i]` moves of game `games[i]`.

    Returns spatial [n, planes, height, width] and scalars [n, scalars].

    `size` is width and height of the output, by default those of the largest board in the batch;
    smaller boards lie in the upper left corner, with zeros around. `symmetries[i]` turns position i.
    `opponent_rank` (1 to 9 dan) is for darkforest25. The arrays `out_…` are used instead of new ones.
    """
    planes = plane_set(planes) if isinstance(planes, str) else planes
    games = np.asarray(games, dtype=np.int64).reshape(-1)
    moves = np.asarray(moves, dtype=np.int64).reshape(-1)
    turned = np.zeros(len(games), np.int64) if symmetries is None else np.asarray(symmetries, dtype=np.int64)
    _check(records, games, moves, turned, opponent_rank)
    across = (turned & TRANSPOSE) != 0
    widths, heights = records.width[games].astype(np.int64), records.height[games].astype(np.int64)
    new_widths, new_heights = np.where(across, heights, widths), np.where(across, widths, heights)
    if size is None and out_spatial is not None:
        size = (out_spatial.shape[3], out_spatial.shape[2])
    largest = int(new_widths.max(initial=1)), int(new_heights.max(initial=1))
    width, height = largest if size is None else size
    if largest[0] > width or largest[1] > height:
        raise PlanesError(f"a board of {largest[0]}×{largest[1]} does not fit into {width}×{height}")

    n = len(games)
    shape, scalar_shape = (n, len(planes.spatial), height, width), (n, len(planes.scalars))
    spatial = np.empty(shape, np.float32) if out_spatial is None else out_spatial
    scalars = np.empty(scalar_shape, np.float32) if out_scalars is None else out_scalars
    for array, wanted in ((spatial, shape), (scalars, scalar_shape)):
        if array.shape != wanted or array.dtype != np.float32 or not array.flags.c_contiguous:
            raise PlanesError(f"the output must be a contiguous float32 array of shape {wanted}")
    flat = spatial.reshape(n, len(planes.spatial), height * width)

    # Games one after another, and the moves of a game in order: then each is played once.
    order = np.lexsort((moves, games))
    sizes = widths * 256 + heights
    for kind in np.unique(sizes):
        geometry = grid(int(kind) // 256, int(kind) % 256)
        rows = order[sizes[order] == kind]
        walk = Walk(
            records.points,
            records.colours,
            records.start,
            records.to_move,
            records.setup_points,
            records.setup_colours,
            records.setup_start,
            records.setup_ko,
            rows,
            games,
            moves,
            turned,
            places(geometry),
            _turns(geometry.width, geometry.height, width),
        )
        _fill(planes, records, walk, geometry, int(moves[rows].max(initial=0)), opponent_rank, flat, scalars)
    return spatial, scalars


def encode_games(
    planes: PlaneSet | str,
    records: Records,
    games: Integers | None = None,
    symmetries: Integers | None = None,
    *,
    size: tuple[int, int] | None = None,
    opponent_rank: int = 9,
    out_spatial: Floats | None = None,
    out_scalars: Floats | None = None,
) -> tuple[Floats, Floats]:
    """Every position of some games, by default of all: after 0, 1, 2 … moves, to the end, game by game.

    A game of n moves gives n + 1 positions. `symmetries` has one number for each game.
    """
    chosen = np.arange(len(records)) if games is None else np.asarray(games, dtype=np.int64)
    counts = records.start[chosen + 1] - records.start[chosen] + 1
    moves = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    return encode_batch(
        planes,
        records,
        np.repeat(chosen, counts),
        moves,
        None if symmetries is None else np.repeat(np.asarray(symmetries, dtype=np.int64), counts),
        size=size,
        opponent_rank=opponent_rank,
        out_spatial=out_spatial,
        out_scalars=out_scalars,
    )


def encode(
    planes: PlaneSet | str,
    position: Game | Board,
    move: int | None = None,
    *,
    symmetry: int = 0,
    komi: float | None = None,
    opponent_rank: int = 9,
) -> tuple[Floats, Floats]:
    """One position: spatial [planes, height, width] and scalars [scalars].

    From a game, after `move` moves, by default at its end; or a board as it stands, with the moves that
    were made on it.
    """
    if isinstance(position, Board):
        if move is not None:
            raise PlanesError("a board has no move numbers: give the game for those")
        records = records_from_board(position, komi=komi)
        move = position.move_number
    else:
        length = len(position)
        move = length if move is None else move
        if not 0 <= move <= length:
            raise PlanesError(f"there is no move {move}: the game has {length}")
        records, move = _records_until(position, move, komi)
    spatial, scalars = encode_batch(planes, records, [0], [move], [symmetry], opponent_rank=opponent_rank)
    return spatial[0], scalars[0]


def _records_until(game: Game, move: int, komi: float | None) -> tuple[Records, int]:
    """The part of a game up to `move`, from its last set-up on; and how many moves that part has."""
    records = records_from_games([game], until=move)
    if komi is not None:
        records.komi[:] = komi
    return records, int(records.lengths[0])


def _check(
    records: Records,
    games: npt.NDArray[np.int64],
    moves: npt.NDArray[np.int64],
    symmetries: npt.NDArray[np.int64],
    opponent_rank: int,
) -> None:
    if not len(games) == len(moves) == len(symmetries):
        raise PlanesError("games, moves and symmetries must be equally many")
    if not 1 <= opponent_rank <= darkforest.RANKS:
        raise PlanesError(f"an opponent of {opponent_rank} dan: ranks go from 1 to {darkforest.RANKS}")
    if np.any((games < 0) | (games >= len(records))):
        raise PlanesError(f"there are games 0 to {len(records) - 1}, and no others")
    if np.any((moves < 0) | (moves > records.start[games + 1] - records.start[games])):
        raise PlanesError("a position is wanted after more moves than its game has")
    if np.any((symmetries < 0) | (symmetries >= SYMMETRIES)):
        raise PlanesError("symmetries go from 0 to 7")


def _fill(
    planes: PlaneSet,
    records: Records,
    walk: Walk,
    geometry: Grid,
    longest: int,
    opponent_rank: int,
    spatial: Floats,
    scalars: Floats,
) -> None:
    """Run the kernel of a plane set."""
    length = geometry.length
    match planes.name:
        case "deepgo8":
            deepgo.deepgo_positions(_arrays(geometry, longest), walk, _border(geometry), spatial)
        case "darkforest25":
            darkforest.darkforest_positions(
                _arrays(geometry, longest),
                walk,
                _border(geometry),
                darkforest.position_mask(geometry),
                darkforest.decay(longest),
                opponent_rank,
                np.zeros(length, np.int32),
                np.full((2, length), darkforest.FAR, np.int32),
                spatial,
            )
        case "katago7":
            limit = ladder.depth_limit(geometry.area)
            work = katago.KatagoWork(
                np.zeros((3, length), np.uint8),
                np.zeros(3, np.int64),
                np.empty(ladder.work_size(geometry.area), np.int32),
                np.empty(length, np.int8),
                np.empty(length, np.int8),
                np.empty(area.work_size(length), np.int32),
                np.zeros(katago.PROGRESS, np.int64),
            )
            rules = np.array([katago.rules_row(r) for r in records.rulesets], dtype=np.int64)
            katago.katago_positions(
                _arrays(geometry, longest + limit + 2),
                walk,
                records.komi,
                rules,
                records.rules,
                limit,
                work,
                spatial,
                scalars,
            )
        case _:
            raise PlanesError(f"nothing here makes the planes of {planes.name}")


def _arrays(geometry: Grid, moves: int) -> Arrays:
    """An empty board with room for so many moves."""
    arrays = empty_arrays(geometry)
    return arrays._replace(
        log=np.empty(log_room(moves, geometry.length), np.int32),
        history=np.empty(moves + 2, np.uint64),
    )


@cache
def _border(geometry: Grid) -> npt.NDArray[np.int64]:
    """The points of the edge, as row * width + column."""
    rows, columns = np.divmod(np.arange(geometry.area), geometry.width)
    inside = (rows > 0) & (rows < geometry.height - 1) & (columns > 0) & (columns < geometry.width - 1)
    return np.flatnonzero(~inside)


@cache
def _turns(width: int, height: int, output_width: int) -> npt.NDArray[np.int32]:
    """[symmetry, row * width + column] → the place in a plane with rows of `output_width`."""
    tables = []
    for symmetry in range(SYMMETRIES):
        new_width = height if symmetry & TRANSPOSE else width
        rows, columns = np.divmod(symmetry_table(symmetry, width, height), new_width)
        tables.append(rows * output_width + columns)
    return np.array(tables, dtype=np.int32)
