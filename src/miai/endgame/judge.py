"""What a network says of a region, whoever moves first: whose the points are, and where each side plays.

    judge = load_judge()                       # the shipped endgame network; else the default network
    said = judge.judge([board], mask)[0]
    said.black, said.white                     # chance of each place, if that side plays here
    said.ownership                             # Black to move, White to move; Black's side
    judge.next(board, mask)                    # who plays here next: Black, White, nobody

Two kinds answer alike: `EndgameJudge` runs a network of `miai train endgame`, which is told the mask;
`PlainJudge` takes any other network that has an ownership and holds its policy to the mask. Positions
are shown without the moves that led to them, by Japanese rules; only `next` shows the moves. `estimate`
grows trees with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from miai.go.board import Board
from miai.go.coords import BLACK, WHITE
from miai.go.rules import JAPANESE
from miai.nets import registry, runtime
from miai.nets.planes import PlaneSet, encode_batch, records_from_board
from miai.nets.positions import legal_mask
from miai.nets.registry import NetworkError

Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]  # [area] row by row from the top
ENDGAME = "endgame"
LOCAL, OWNERSHIP = "local", "ownership"
BATCH = 16
SIDES = (BLACK, WHITE)


@dataclass(frozen=True)
class Said:
    """About one position and one region. Places are row × width + column."""

    ownership: Floats  # [2, area] with Black to move, with White to move; 1 Black … -1 White
    black: Floats  # [area] where Black plays, if he plays here next and is to move; sums to 1, or all 0
    white: Floats  # [area]


class Judge(Protocol):
    """Whatever can be asked."""

    name: str

    def judge(self, boards: Sequence[Board], mask: Mask) -> list[Said]:
        """About several positions of one board size and one region."""

    def next(self, board: Board, mask: Mask) -> tuple[float, float, float]:
        """How likely it is that Black, White, nobody plays in the region next."""


class EndgameJudge:
    """A network that is told the region."""

    def __init__(self, name: str, session: Any, planes: PlaneSet) -> None:
        self.name, self.planes, self._session = name, planes, session

    def run(self, spatial: Floats, scalars: Floats, mask: Floats) -> tuple[Floats, Floats]:
        """Bare outputs: logits [n, 2 · area + 1] and ownership [n, 1, height, width], of the side to move."""
        local, ownership = self._session.run(
            [LOCAL, OWNERSHIP], {"spatial": spatial, "scalars": scalars, "mask": mask}
        )
        return local, ownership

    def judge(self, boards: Sequence[Board], mask: Mask) -> list[Said]:
        shown = [_to_move(board, colour) for board in boards for colour in SIDES]
        chance, ownership = self._ask(shown, mask, history=False)
        area = len(mask)
        found = []
        for i in range(0, len(shown), 2):
            black, white = chance[i, :area], chance[i + 1, :area]
            found.append(Said(ownership[i : i + 2], _share(black), _share(white)))
        return found

    def next(self, board: Board, mask: Mask) -> tuple[float, float, float]:
        chance, _ = self._ask([_to_move(board, board.to_move)], mask, history=True)
        area = len(mask)
        own, other = float(chance[0, :area].sum()), float(chance[0, area:-1].sum())
        nobody = float(chance[0, -1])
        return (own, other, nobody) if board.to_move == BLACK else (other, own, nobody)

    def _ask(self, boards: Sequence[Board], mask: Mask, *, history: bool) -> tuple[Floats, Floats]:
        """[n, 2 · area + 1] chances and [n, area] ownership from Black's side."""
        height, width = boards[0].grid.height, boards[0].grid.width
        logits, owned = [], []
        for at in range(0, len(boards), BATCH):
            some = boards[at : at + BATCH]
            records = [records_from_board(board, history=history) for board in some]
            planes = [encode_batch(self.planes, record, [0], record.lengths) for record in records]
            spatial, scalars = (np.concatenate(arrays) for arrays in zip(*planes, strict=True))
            masks = np.broadcast_to(
                mask.astype(np.float32).reshape(1, 1, height, width), (len(some), 1, height, width)
            )
            local, ownership = self.run(spatial, scalars, np.ascontiguousarray(masks))
            logits.append(local)
            owned.append(ownership.reshape(len(some), -1))
        local, ownership = np.concatenate(logits), np.concatenate(owned)
        white = np.array([board.to_move == WHITE for board in boards])
        for i, board in enumerate(boards):
            local[i, :-1][~np.tile(mask, 2)] = -np.inf
            own, other = (
                legal_mask(board)[:-1],
                legal_mask(_to_move(board, BLACK + WHITE - board.to_move))[:-1],
            )
            local[i, :-1][~np.concatenate([own, other])] = -np.inf
        if not np.isfinite(local[:, -1]).all():
            raise NetworkError(f"{self.name}: gives answers that are not numbers: its weights are damaged")
        return runtime.softmax(local), np.where(white[:, None], -ownership, ownership)


class PlainJudge:
    """Any network with an ownership; its policy is held to the region."""

    def __init__(self, network: runtime.Network) -> None:
        if OWNERSHIP not in network.heads:
            raise NetworkError(f"{network.name}: has no ownership head, which an estimate needs")
        self.name, self.network = network.name, network

    def judge(self, boards: Sequence[Board], mask: Mask) -> list[Said]:
        said = self.network.evaluate_boards([_alone(board, colour) for board in boards for colour in SIDES])
        assert said.ownership is not None
        policy = np.where(mask, said.policy[:, 0, :-1], 0)
        owned = said.ownership.reshape(len(policy), -1)
        return [
            Said(owned[i : i + 2], _share(policy[i]), _share(policy[i + 1])) for i in range(0, len(policy), 2)
        ]

    def next(self, board: Board, mask: Mask) -> tuple[float, float, float]:
        """The side to move plays here, or the other one does after it has played elsewhere, or neither."""
        first, second = board.to_move, BLACK + WHITE - board.to_move
        said = self.network.evaluate_boards([_to_move(board, colour) for colour in (first, second)])
        own, other = (float(x) for x in np.where(mask, said.policy[:, 0, :-1], 0).sum(1))
        other *= 1 - own
        nobody = 1 - own - other
        return (own, other, nobody) if first == BLACK else (other, own, nobody)


def load_judge(name: str | None = None, *, threads: int | None = None) -> Judge:
    """By name or file; by default the shipped endgame network, or the default network where it is missing."""
    if name is None:
        name = ENDGAME if ENDGAME in registry.shipped() else registry.DEFAULT
    model = registry.find(name)
    stamp = model.stat().st_mtime_ns if isinstance(model, Path) else 0
    if LOCAL in registry.read_labels(model).heads:
        return _load(name, model, stamp, threads)
    return PlainJudge(runtime.load(name, threads=threads))


@lru_cache(maxsize=2)
def _load(name: str, model: registry.Model, stamp: int, threads: int | None) -> EndgameJudge:
    session, labels = runtime.open_model(name, model, threads=threads, provider="cpu")
    planes = runtime.planes_of(name, labels)
    inputs = {given.name for given in session.get_inputs()}
    if not {"spatial", "scalars", "mask"} <= inputs:
        raise NetworkError(f"{name}: does not read spatial, scalars and mask, as endgame networks do")
    return EndgameJudge(labels.name or name, session, planes)


def _to_move(board: Board, colour: int) -> Board:
    """The same board with that side to move, by Japanese rules."""
    twin = board.copy()
    twin.to_move, twin.rules = colour, JAPANESE
    return twin


def _alone(board: Board, colour: int) -> Board:
    """The same stones as if they had been set up."""
    twin = Board(board.grid.width, board.grid.height, rules=JAPANESE)
    twin.setup(black=board.stones(BLACK), white=board.stones(WHITE))
    twin.to_move = colour
    return twin


def _share(chance: Floats) -> Floats:
    total = float(chance.sum())
    result: Floats = chance / total if total > 0 else np.zeros_like(chance)
    return result
