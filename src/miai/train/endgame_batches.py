"""Batches for the endgame network: positions of games as they are shown, and the regions asked about.

    sampler = Sampler(corpus, counted, labels, twin, config, size=32)
    batch = sampler.batch(number)                  the same number gives the same batch

Most positions come from games without labels. The twin, the trunk as it was before it was trained, says
of each position whose the points are: that is where regions are looked for, and what the trunk's own
ownership is held to. Where the stronger teacher has a label, it says where the regions are, and the
ownership that comes out is to go some of the way from the twin's to it.

Positions are shown in one of three ways: with the moves that led there, without them, or without the
stones far from one region too, so that the network learns to judge by what is near. All are turned by a
random symmetry. `endgame_data` says what regions and labels are, `endgame` learns from the batches.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from miai.go.board import Board
from miai.go.coords import BLACK, EMPTY, WHITE
from miai.nets.planes import encode_batch, records_from_board
from miai.nets.planes.sets import PlaneSet
from miai.train.endgame_data import (
    AREA,
    NOBODY,
    SIDE,
    Labelled,
    Mask,
    Positions,
    dilate,
    draw,
    look,
    parts_of,
)
from miai.train.endgame_model import Trunk
from miai.train.games import Corpus

HISTORY_PLANES = [f"last-{i}" for i in range(1, 6)]
PASSES = [f"pass-{i}" for i in range(1, 6)]
FAR = (3, 9)  # stones further from the region than a distance between these are taken away
LABELLED_AT = 0.85  # of the game: where the teachers' labels are
STAGES = (0.70, 0.97)  # of the game: where other positions are
SHORTEST = 10  # moves of a game to learn from
HISTORY, ALONE, NEAR = range(3)
Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class EndgameData:
    """Which positions, and how they are shown; shares are from 0 to 1."""

    games: tuple[str, ...]
    labels: tuple[str, ...]  # the stronger teacher's ownership, for some of these games
    validation_games: tuple[str, ...]
    validation_labels: tuple[str, ...]
    taught: float = 0.2  # share of positions with such a label
    usual: float = 0.7  # of the others: as far into the game as the labels are
    alone: float = 0.2  # shown without the moves that led there
    near: float = 0.1  # and without the stones far away
    masks: int = 8  # regions of a position at most
    seed: int = 1


@dataclass(frozen=True)
class Batch:
    """n positions and m regions of them, all from the side to move."""

    spatial: Tensor  # [n, planes, 19, 19]
    scalars: Tensor  # [n, numbers]
    owned: Tensor  # [n, 19, 19] the twin's ownership
    held: Tensor  # [n] 1 where the trunk is held to it
    rows: Tensor  # [m] the position of each region, ascending
    mask: Tensor  # [m, 1, 19, 19]
    empty: Tensor  # [m, 361] bool
    label: Tensor  # [m] a class
    teacher: Tensor  # [m, 19, 19] the ownership to learn
    weight: Tensor  # [m, 19, 19] how much it counts there; 0 where there is no teacher


class Sampler:
    """Batches by number."""

    def __init__(
        self,
        corpus: Corpus,
        counted: npt.NDArray[np.bool_],
        labels: Labelled,
        twin: Trunk,
        config: EndgameData,
        *,
        size: int,
        inside: float = 0.0,
        towards: float = 1.0,
    ) -> None:
        """How much more ownership inside a mask counts, how far from twin to teacher it is to go."""
        self.corpus, self.counted, self.labels, self.twin = corpus, counted, labels, twin
        self.config, self.size, self.inside, self.towards = config, size, inside, towards
        records = corpus.records
        fits = (records.width == SIDE) & (records.height == SIDE) & (records.lengths >= SHORTEST)
        self.games = np.flatnonzero(fits)

    def batch(self, number: int) -> Batch:
        """The same number gives the same batch."""
        random = np.random.default_rng([self.config.seed, number])
        n, config, planes = self.size, self.config, self.twin.planes
        taught = random.random(n) < config.taught
        rows = random.integers(len(self.labels.place), size=n)
        place, move = self._others(random)
        place, move = (
            np.where(taught, self.labels.place[rows], place),
            np.where(taught, self.labels.move[rows], move),
        )
        symmetries = random.integers(8, size=n)
        way = np.searchsorted([1 - config.alone - config.near, 1 - config.near], random.random(n), "right")
        spatial, scalars = encode_batch(planes, self.corpus.records, place, move, symmetries)
        bare, bare_scalars = spatial.copy(), scalars.copy()
        forget(planes, bare, bare_scalars)
        owned = self._ask_twin(bare, bare_scalars)  # turned already
        found = look(self.corpus, self.counted, place, move, self.labels.ownership[rows])
        positions = found.turned(symmetries)
        white = (positions.side == WHITE)[:, None]
        ours = np.rint(100 * np.where(white, -owned, owned)).astype(np.int8)
        positions.ownership[~taught] = ours[~taught]

        examples: list[tuple[int, Mask, int]] = []
        for i in range(n):
            most = 1 if way[i] == NEAR else config.masks
            drawn = draw(random, positions, i, most)
            examples += [(i, mask, label) for mask, label in drawn]
            if way[i] != HISTORY:
                spatial[i], scalars[i] = bare[i], bare_scalars[i]
            if way[i] == NEAR and drawn:
                distance = int(random.integers(*FAR))
                shown = near_planes(planes, self.corpus, int(place[i]), positions, i, drawn[0][0], distance)
                spatial[i], scalars[i] = shown[0][0], shown[1][0]
        return self._batch(spatial, scalars, owned, way != NEAR, positions, taught, way == NEAR, examples)

    def _others(self, random: np.random.Generator) -> tuple[Integers, Integers]:
        """Positions of any game."""
        place = self.games[random.integers(len(self.games), size=self.size)]
        stage = random.uniform(*STAGES, size=self.size)
        stage[random.random(self.size) < self.config.usual] = LABELLED_AT
        return place, np.floor(stage * self.corpus.records.lengths[place]).astype(np.int64)

    def _ask_twin(self, spatial: Floats, scalars: Floats) -> Floats:
        """[n, 361] the ownership from the side to move."""
        with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16):
            shown = torch.from_numpy(spatial).contiguous(memory_format=torch.channels_last)
            seen = self.twin(shown, torch.from_numpy(scalars))
            owned: Floats = torch.tanh(seen[:, -1]).flatten(1).numpy()
        return owned

    def _batch(
        self,
        spatial: Floats,
        scalars: Floats,
        owned: Floats,
        held: npt.NDArray[np.bool_],
        positions: Positions,
        taught: npt.NDArray[np.bool_],
        near: npt.NDArray[np.bool_],
        examples: list[tuple[int, Mask, int]],
    ) -> Batch:
        """All of it from the side to move."""
        rows = np.array([row for row, _, _ in examples], np.int64)
        mask = np.array([mask for _, mask, _ in examples]).reshape(-1, AREA)
        label = np.array([label for _, _, label in examples], np.int64)
        white = positions.side[rows] == WHITE
        swapped = np.where(label < AREA, label + AREA, label - AREA)
        label = np.where(white & (label != NOBODY), swapped, label)
        weight = (1 + self.inside * mask) * taught[rows][:, None]
        for i in np.flatnonzero(near[rows]):
            weight[i] *= dilate(mask[i])
        label_owned = positions.ownership[rows] * np.where(white, -0.01, 0.01)[:, None]
        teacher = owned[rows] + self.towards * (label_owned - owned[rows])
        board = (SIDE, SIDE)
        return Batch(
            torch.from_numpy(spatial).contiguous(memory_format=torch.channels_last),
            torch.from_numpy(scalars),
            torch.from_numpy(owned).unflatten(1, board),
            torch.from_numpy(held.astype(np.float32)),
            torch.from_numpy(rows),
            torch.from_numpy(mask.astype(np.float32)).view(-1, 1, *board),
            torch.from_numpy(positions.stones[rows] == EMPTY),
            torch.from_numpy(label),
            torch.from_numpy(teacher.astype(np.float32)).unflatten(1, board),
            torch.from_numpy(weight.astype(np.float32)).unflatten(1, board),
        )


def forget(planes: PlaneSet, spatial: Floats, scalars: Floats) -> None:
    """Take the last moves out of planes of katago7, as if the position had been set up."""
    names = [plane.name for plane in planes.spatial]
    numbers = [plane.name for plane in planes.scalars]
    if not set(HISTORY_PLANES) <= set(names):
        return
    for name in HISTORY_PLANES:
        spatial[:, names.index(name)] = 0
    for name in ("ladder-before-1", "ladder-before-2"):
        spatial[:, names.index(name)] = spatial[:, names.index("ladder")]
    for name in PASSES:
        scalars[:, numbers.index(name)] = 0


def near_planes(
    planes: PlaneSet, corpus: Corpus, game: int, positions: Positions, row: int, core: Mask, distance: int
) -> tuple[Floats, Floats]:
    """Planes of a position without the chains that are all further than `distance` from the region."""
    near = core
    for _ in range(distance):
        near = dilate(near)
    stones = positions.stones[row].copy()
    for colour in (BLACK, WHITE):
        for chain in parts_of(stones == colour):
            if not (chain & near).any():
                stones[chain] = EMPTY
    board = Board(SIDE, rules=corpus.records.rulesets[corpus.records.rules[game]])
    places = board.grid.points
    board.setup(black=places[stones == BLACK], white=places[stones == WHITE])
    board.to_move = int(positions.side[row])
    record = records_from_board(board, history=False)
    spatial, scalars = encode_batch(planes, record, [0], [0])
    return spatial, scalars


__all__ = ["Batch", "EndgameData", "Sampler", "forget"]
