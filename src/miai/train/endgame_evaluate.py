"""How well an endgame network predicts who plays where in a region, and whose its points are.

    judged = evaluate(answers, positions, examples)

`answers` gives, for rows of positions and masks, the logits and the ownership that `endgame_model`
describes; `from_torch` asks a network while it is trained, `from_onnx` a file. Every example counts
once. Ownership errors are mean squares against the teacher's ownership (−1 … 1): over the whole board, over
the points of the masks, and over the masks' points that the teacher calls settled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from miai.endgame.judge import EndgameJudge, load_judge
from miai.go.coords import EMPTY, WHITE
from miai.nets.planes import PlaneSet, encode_batch
from miai.nets.registry import NetworkError
from miai.train.endgame_batches import forget
from miai.train.endgame_data import AREA, NOBODY, SIDE, UNSETTLED, Example, Positions
from miai.train.endgame_model import Whole
from miai.train.games import Corpus

Floats = npt.NDArray[np.float32]
Answers = Callable[[npt.NDArray[np.int64], npt.NDArray[np.bool_]], tuple[Floats, Floats]]
BATCH = 32
SIZES = ((1, 3), (4, 8), (9, 20), (21, 60), (61, AREA))
TOP = 3


@dataclass(frozen=True)
class Group:
    """What came out for some of the examples; shares from 0 to 1."""

    examples: int
    top1: float  # right point and colour, or rightly nobody
    top3: float
    side: float  # right who: Black, White or nobody
    place: float  # right point, whoever plays there; or rightly nobody
    nll: float
    margin: float  # half of the 95 % interval of top1

    def to_json(self) -> dict[str, Any]:
        return {key: round(value, 5) for key, value in vars(self).items()}


@dataclass(frozen=True)
class Judged:
    """The result. `groups` are by name, all of them first."""

    groups: dict[str, Group]
    ownership: dict[str, float]  # mean squares

    def to_json(self) -> dict[str, Any]:
        return {
            "groups": {name: group.to_json() for name, group in self.groups.items()},
            "ownership_mse": {name: round(value, 6) for name, value in self.ownership.items()},
        }

    def table(self) -> str:
        """For people."""
        lines = [
            f"{'regions':34} {'number':>7} {'top 1':>14} {'top 3':>7} {'who':>7} {'where':>7} {'nll':>6}"
        ]
        for name, g in self.groups.items():
            lines.append(
                f"{name:34} {g.examples:7,} {100 * g.top1:6.1f} ± {100 * g.margin:3.1f} % "
                f"{100 * g.top3:5.1f} % {100 * g.side:5.1f} % {100 * g.place:5.1f} % {g.nll:6.3f}"
            )
        lines.append("ownership, mean square error against the teacher")
        lines += [f"  {name:32} {value:.5f}" for name, value in self.ownership.items()]
        return "\n".join(lines)


def evaluate(
    answers: Answers,
    positions: Positions,
    examples: Sequence[Example],
    *,
    done: Callable[[int], None] | None = None,
) -> Judged:
    """Ask about every example."""
    n = len(examples)
    right, right3, side, placed = (np.zeros(n, np.bool_) for _ in range(4))
    nll = np.zeros(n, np.float64)
    errors: dict[str, list[npt.NDArray[np.float32]]] = {"board": [], "mask": [], "settled in mask": []}
    for at in range(0, n, BATCH):
        some = examples[at : at + BATCH]
        rows = np.array([example.row for example in some])
        masks = np.stack([example.mask for example in some])
        local, ownership = answers(rows, masks)
        white = positions.side[rows] == WHITE
        logs = log_local(local, positions.stones[rows], masks, white)
        label = np.array([example.label for example in some])
        order = np.argsort(-logs, axis=1)[:, :TOP]
        part = slice(at, at + len(some))
        right[part] = order[:, 0] == label
        right3[part] = (order == label[:, None]).any(1)
        nll[part] = -np.take_along_axis(logs, label[:, None], 1)[:, 0]
        who = sides(np.exp(logs))
        side[part] = who.argmax(1) == label // AREA
        chance = np.exp(logs)
        where = np.concatenate([chance[:, :AREA] + chance[:, AREA:NOBODY], chance[:, NOBODY:]], 1)
        placed[part] = where.argmax(1) == np.where(label == NOBODY, AREA, label % AREA)
        target = positions.ownership[rows].astype(np.float32) / 100
        wrong = (np.where(white[:, None], -ownership, ownership) - target) ** 2
        errors["board"].append(wrong.ravel())
        errors["mask"].append(wrong[masks])
        errors["settled in mask"].append(wrong[masks & (np.abs(target) >= UNSETTLED[0])])
        if done is not None:
            done(len(some))

    sure = np.array([example.sure for example in examples])
    size = np.array([example.size for example in examples])
    nobody = np.array([example.label == NOBODY for example in examples])
    counted = positions.counted[[example.row for example in examples]]
    chosen = {
        "all": np.ones(n, np.bool_),
        "unsettled": ~sure,
        "unsettled, somebody plays": ~sure & ~nobody,
        "unsettled, nobody plays": ~sure & nobody,
        "sure territory": sure,
        "all, of counted games": counted,
        "unsettled, of counted games": ~sure & counted,
    }
    for low, high in SIZES:
        chosen[f"unsettled, {low} to {high} points"] = ~sure & (low <= size) & (size <= high)
    groups = {}
    for name, which in chosen.items():
        k = int(which.sum())
        if k:
            top1 = float(right[which].mean())
            margin = 1.96 * (top1 * (1 - top1) / k) ** 0.5
            top3, who_right, place, surprise = (float(x[which].mean()) for x in (right3, side, placed, nll))
            groups[name] = Group(k, top1, top3, who_right, place, surprise, margin)
    return Judged(groups, {name: float(np.concatenate(parts).mean()) for name, parts in errors.items()})


def log_local(
    local: Floats, stones: npt.NDArray[np.int8], masks: npt.NDArray[np.bool_], white: npt.NDArray[np.bool_]
) -> Floats:
    """[n, 2 · 361 + 1] log-chances of Black here, White here, nobody; from the side to move's logits."""
    logs = np.array(local, np.float32)
    own, other = logs[:, :AREA].copy(), logs[:, AREA:NOBODY].copy()
    logs[:, :AREA] = np.where(white[:, None], other, own)
    logs[:, AREA:NOBODY] = np.where(white[:, None], own, other)
    possible = masks & (stones == EMPTY)
    logs[:, :NOBODY][~np.concatenate([possible, possible], 1)] = -np.inf
    logs -= logs.max(1, keepdims=True)
    with np.errstate(divide="ignore"):
        result: Floats = logs - np.log(np.exp(logs).sum(1, keepdims=True))
    return result


def sides(chance: Floats) -> Floats:
    """[n, 3]: Black, White, nobody."""
    return np.stack([chance[:, :AREA].sum(1), chance[:, AREA:NOBODY].sum(1), chance[:, NOBODY]], 1)


# who is asked -----------------------------------------------------------------------------------


def from_torch(whole: Whole, positions: Positions, corpus: Corpus, *, history: bool = True) -> Answers:
    """A network in torch; it looks at a position once for all its regions."""
    whole = whole.eval()
    shown = Shown(whole.trunk.planes, positions, corpus, history)

    def ask(rows: npt.NDArray[np.int64], masks: npt.NDArray[np.bool_]) -> tuple[Floats, Floats]:
        once, which = np.unique(rows, return_inverse=True)
        spatial, scalars = (torch.from_numpy(array) for array in shown.planes_of(once))
        mask = torch.from_numpy(masks.astype(np.float32)).view(-1, 1, SIDE, SIDE)
        with torch.inference_mode():
            local, ownership = whole(spatial, scalars, mask, torch.from_numpy(which))
        return local.numpy(), ownership.flatten(1).numpy()

    return ask


def from_onnx(net: str, positions: Positions, corpus: Corpus, *, history: bool = True) -> Answers:
    """A file."""
    judge = load_judge(net)
    if not isinstance(judge, EndgameJudge):
        raise NetworkError(f"{net}: is not an endgame network; `miai train endgame` makes one")
    shown = Shown(judge.planes, positions, corpus, history)

    def ask(rows: npt.NDArray[np.int64], masks: npt.NDArray[np.bool_]) -> tuple[Floats, Floats]:
        spatial, scalars = shown.planes_of(rows)
        mask = masks.astype(np.float32).reshape(-1, 1, SIDE, SIDE)
        local, ownership = judge.run(spatial, scalars, mask)
        return local, ownership.reshape(len(rows), AREA)

    return ask


@dataclass(frozen=True)
class Shown:
    """Positions of games as planes."""

    planes: PlaneSet
    positions: Positions
    corpus: Corpus
    history: bool  # with the moves that led there

    def planes_of(self, rows: npt.NDArray[np.int64]) -> tuple[Floats, Floats]:
        place = np.searchsorted(self.corpus.records.index, self.positions.game[rows])
        spatial, scalars = encode_batch(self.planes, self.corpus.records, place, self.positions.move[rows])
        if not self.history:
            forget(self.planes, spatial, scalars)
        return spatial, scalars
