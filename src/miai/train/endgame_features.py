"""What the trunk sees of endgame positions, computed once and kept on disk.

    views = make(folder, "train", positions, corpus, trunk, Ways…)      # or found there from the last time
    views.features[row], views.positions, views.core[row]

The trunk is not trained, so its answer for a position is needed once, however often the heads look at it.
A position may be shown in several ways: turned, with or without the moves that led to it, and with the
stones far from one region taken away, so that the heads learn to judge by what is near.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch

from miai.go.board import Board
from miai.go.coords import BLACK, EMPTY, WHITE
from miai.nets.planes import encode_batch, records_from_board
from miai.nets.planes.sets import PlaneSet
from miai.train.endgame_data import (
    AREA,
    SIDE,
    Mask,
    Positions,
    dilate,
    draw,
    load,
    parts_of,
    save,
)
from miai.train.endgame_model import Trunk
from miai.train.games import Corpus

BATCH = 32
HISTORY_PLANES = [f"last-{i}" for i in range(1, 6)]
PASSES = [f"pass-{i}" for i in range(1, 6)]
FAR = (3, 9)  # stones further from the region than a distance between these are taken away
Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Way:
    """How positions are shown."""

    turned: bool = False  # by a random symmetry each
    history: bool = True
    far: bool = True  # stones far away stay
    share: float = 1.0  # of the positions


@dataclass(frozen=True)
class Views:
    """Positions as they were shown, and what the trunk saw."""

    positions: Positions  # turned
    features: npt.NDArray[np.float16]  # [n, channels, 361], on disk
    core: npt.NDArray[np.bool_]  # [n, 361] the region that stones were left around; none set: any region

    def __len__(self) -> int:
        return len(self.positions)


def make(
    folder: Path,
    name: str,
    positions: Positions,
    corpus: Corpus | None,
    trunk: Trunk,
    way: Way,
    *,
    seed: int = 1,
    done: Callable[[int, int], None] | None = None,
) -> Views:
    """Show positions to the trunk, or find what it saw the last time in `folder`."""
    told = {"trunk": trunk.name, "way": vars(way), "seed": seed, "positions": len(positions)}
    paths = {end: folder / f"{name}.{end}" for end in ("json", "positions.npz", "core.npy", "features.npy")}
    if paths["json"].exists() and json.loads(paths["json"].read_text()) == told:
        return Views(
            load(paths["positions.npz"]),
            np.load(paths["features.npy"], mmap_mode="r"),
            np.load(paths["core.npy"]),
        )
    if corpus is None:
        raise ValueError("the games are needed to show their positions")
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng([seed, len(positions)])
    rows = np.sort(random.permutation(len(positions))[: round(way.share * len(positions))])
    core = np.zeros((len(rows), AREA), np.bool_)
    if not way.far:
        drawn = [_core(random, positions, int(row)) for row in rows]
        rows = rows[[part is not None for part in drawn]]
        core = np.array([part for part in drawn if part is not None])
    chosen = positions.some(rows)
    symmetries = random.integers(8, size=len(rows)) if way.turned else np.zeros(len(rows), np.int64)
    shape = (len(rows), trunk.channels, AREA)
    features = np.lib.format.open_memmap(paths["features.npy"], mode="w+", dtype=np.float16, shape=shape)
    place = np.searchsorted(corpus.records.index, chosen.game)
    for at in range(0, len(rows), BATCH):
        part = slice(at, min(at + BATCH, len(rows)))
        if way.far:
            spatial, scalars = encode_batch(
                trunk.planes, corpus.records, place[part], chosen.move[part], symmetries[part]
            )
            if not way.history:
                forget(trunk.planes, spatial, scalars)
        else:
            far = random.integers(*FAR, size=part.stop - part.start)
            planes = [
                _near(trunk.planes, corpus, int(g), chosen, i, core[i], int(symmetries[i]), int(distance))
                for i, g, distance in zip(range(part.start, part.stop), place[part], far, strict=True)
            ]
            spatial, scalars = (np.concatenate(column) for column in zip(*planes, strict=True))
        features[part] = see(trunk, spatial, scalars)
        if done is not None:
            done(part.stop, len(rows))
    features.flush()
    turned = chosen.turned(symmetries)
    core = replace(chosen, stones=core.astype(np.int8)).turned(symmetries).stones.astype(np.bool_)
    save(turned, paths["positions.npz"])
    np.save(paths["core.npy"], core)
    paths["json"].write_text(json.dumps(told))
    return Views(turned, np.load(paths["features.npy"], mmap_mode="r"), core)


def see(trunk: Trunk, spatial: Floats, scalars: Floats) -> npt.NDArray[np.float16]:
    """[n, channels, 361]"""
    with torch.inference_mode():
        planes = torch.from_numpy(spatial).contiguous(memory_format=torch.channels_last)
        seen = trunk(planes, torch.from_numpy(scalars))
        kept: npt.NDArray[np.float16] = seen.flatten(2).to(torch.float16).numpy()
        return kept


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


def _core(random: np.random.Generator, positions: Positions, row: int) -> Mask | None:
    """A region whose label is known, to keep the stones around."""
    for _ in range(4):
        found = draw(random, positions, row)
        if found is not None:
            return found[0]
    return None


def _near(
    planes: PlaneSet,
    corpus: Corpus,
    game: int,
    positions: Positions,
    row: int,
    core: Mask,
    symmetry: int,
    distance: int,
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
    spatial, scalars = encode_batch(planes, record, [0], [0], [symmetry])
    return spatial, scalars
