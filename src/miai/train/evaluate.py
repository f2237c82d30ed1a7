"""How often a network finds the move that was played, and how surprised it is by it.

    evaluation = evaluate(network, corpus)

`network` is anything that turns planes into log-probabilities: `Onnx` for a file, through
`miai.nets.runtime`; `Torch` for a network in training. Every position before a move of the game counts,
for each of the next moves that the network predicts; phases are by the number of the move.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from miai.nets import runtime
from miai.nets.planes import PlaneSet, plane_set
from miai.train import checkpoint, models
from miai.train.config import Config, ModelConfig
from miai.train.games import NO_MOVE, Corpus, NoPositions, gather

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]
PHASES = {"opening": (0, 50), "middle game": (50, 150), "endgame": (150, 10_000)}  # by moves played before
TOP = 5
BATCH = 64
CONFIDENCE = 1.96  # 95 %


class Predictor(Protocol):
    """What can be evaluated."""

    planes: PlaneSet

    def log_policy(self, spatial: Floats, scalars: Floats) -> Floats:
        """[n, steps, height × width + 1]"""


class Torch:
    """A torch module as a predictor."""

    def __init__(self, network: nn.Module, config: ModelConfig) -> None:
        self.network = network.eval().to(memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.planes = plane_set(config.planes)

    def log_policy(self, spatial: Floats, scalars: Floats) -> Floats:
        with torch.inference_mode():
            outputs = self.network(torch.from_numpy(spatial), torch.from_numpy(scalars))
            logs: Floats = torch.log_softmax(outputs["policy"].float(), 2).numpy()
            return logs


class Onnx:
    """A network of `miai.nets`, by its name or file, as a predictor."""

    def __init__(self, name: str, *, threads: int | None = None) -> None:
        self.network = runtime.load(name, threads=threads)
        self.planes = self.network.planes

    def log_policy(self, spatial: Floats, scalars: Floats) -> Floats:
        logits = self.network.run(spatial, scalars)["policy"].astype(np.float32)
        shifted = logits - logits.max(2, keepdims=True)
        logs: Floats = shifted - np.log(np.exp(shifted).sum(2, keepdims=True))
        return logs


def predictor(name: str, *, threads: int | None = None) -> Predictor:
    """The network `default`, an ONNX file, a KataGo network, or a checkpoint of a training run."""
    if name.endswith(".safetensors") or (Path(name).is_dir() and (Path(name) / checkpoint.NAME).exists()):
        network, config = weights_of(Path(name))
        return Torch(network, config.model)
    return Onnx(name, threads=threads)


def weights_of(path: Path) -> tuple[nn.Module, Config]:
    """The network of a checkpoint with its averaged weights, ready to be used."""
    found = checkpoint.load(path)
    network = models.build(found.config.model)
    checkpoint.fill(network, found.part("average"))
    return network.eval(), found.config


@dataclass(frozen=True)
class Score:
    """Of some positions: shares from 0 to 1, with half the width of their 95 % intervals."""

    positions: int
    top1: float
    top5: float
    nll: float  # − mean log-likelihood of the move played
    margin: float  # of top1
    margin5: float  # of top5
    margin_nll: float

    def to_json(self) -> dict[str, Any]:
        return {
            "positions": self.positions,
            "top1": self.top1,
            "top5": self.top5,
            "nll": self.nll,
            "top1_interval": [max(0.0, self.top1 - self.margin), min(1.0, self.top1 + self.margin)],
            "top5_interval": [max(0.0, self.top5 - self.margin5), min(1.0, self.top5 + self.margin5)],
            "nll_interval": [self.nll - self.margin_nll, self.nll + self.margin_nll],
        }


@dataclass(frozen=True)
class Evaluation(Score):
    """Of the next move in all positions; and of each step, and of the next move in each phase."""

    steps: tuple[Score, ...]
    phases: dict[str, Score]
    games: int

    def to_json(self) -> dict[str, Any]:
        return {
            **super().to_json(),
            "games": self.games,
            "steps": [step.to_json() for step in self.steps],
            "phases": {name: phase.to_json() for name, phase in self.phases.items()},
        }

    def table(self) -> str:
        """For people."""
        rows = [("", "positions", "top-1", "top-5", "nll")]
        scores: list[tuple[str, Score]] = [("next move", self)]
        scores += [(f"{step} moves ahead", score) for step, score in enumerate(self.steps[1:], 2)]
        scores += list(self.phases.items())
        for name, score in scores:
            rows.append(
                (
                    name,
                    f"{score.positions:,}",
                    f"{100 * score.top1:.2f} % ± {100 * score.margin:.2f}",
                    f"{100 * score.top5:.2f} % ± {100 * score.margin5:.2f}",
                    f"{score.nll:.4f} ± {score.margin_nll:.4f}",
                )
            )
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        return "\n".join(
            "  ".join(
                cell.ljust(width) if i == 0 else cell.rjust(width) for i, (cell, width) in enumerate(pairs)
            )
            for pairs in (list(zip(row, widths, strict=True)) for row in rows)
        )


def every(corpus: Corpus) -> tuple[Integers, Integers]:
    """Games and moves of every position that has a next move."""
    lengths = corpus.records.lengths
    games = np.repeat(np.arange(len(lengths)), lengths)
    moves = np.arange(len(games)) - np.repeat(corpus.records.start[:-1] - corpus.records.start[0], lengths)
    return games, moves


def spread(corpus: Corpus, count: int) -> tuple[Integers, Integers]:
    """`count` positions at equal distances through all games."""
    games, moves = every(corpus)
    chosen = np.unique(np.linspace(0, len(games) - 1, min(count, len(games))).astype(np.int64))
    return games[chosen], moves[chosen]


def evaluate(
    predictor: Predictor, corpus: Corpus, *, batch: int = BATCH, done: Callable[[int], None] | None = None
) -> Evaluation:
    """Over every position of the games; `done` is told how many are judged after each batch."""
    return evaluate_positions(predictor, corpus, *every(corpus), batch=batch, done=done)


def evaluate_positions(
    predictor: Predictor,
    corpus: Corpus,
    games: Integers,
    moves: Integers,
    *,
    batch: int = BATCH,
    done: Callable[[int], None] | None = None,
) -> Evaluation:
    """Over the named positions."""
    if not len(games):
        raise NoPositions("there is no position with a next move to be judged by")
    records = corpus.records
    kinds = records.width[games].astype(np.int64) * 256 + records.height[games]
    ranks: list[npt.NDArray[np.int64]] = []
    logs: list[Floats] = []
    order: list[Integers] = []
    for kind in np.unique(kinds):
        members = np.flatnonzero(kinds == kind)
        for start in range(0, len(members), batch):
            some = members[start : start + batch]
            rank, log = _judge(predictor, corpus, games[some], moves[some])
            ranks.append(rank)
            logs.append(log)
            order.append(some)
            if done is not None:
                done(len(some))
    steps = min(rank.shape[1] for rank in ranks)
    rank_of = np.concatenate([rank[:, :steps] for rank in ranks])
    log_of = np.concatenate([log[:, :steps] for log in logs])
    moved = moves[np.concatenate(order)]
    by_step = tuple(_score(rank_of[:, i], log_of[:, i]) for i in range(steps))
    phases = {
        name: _score(rank_of[inside, 0], log_of[inside, 0])
        for name, (low, high) in PHASES.items()
        if (inside := (moved >= low) & (moved < high)).any()
    }
    return Evaluation(**vars(by_step[0]), steps=by_step, phases=phases, games=len(np.unique(games)))


def _judge(
    predictor: Predictor, corpus: Corpus, games: Integers, moves: Integers
) -> tuple[npt.NDArray[np.int64], Floats]:
    """Rank (0: the best) and log-likelihood of the moves played, [n, steps]; rank -1 where there is none."""
    still = np.zeros(len(games), np.int64)
    data = gather(corpus, predictor.planes, games, moves, still, steps=3)
    logs = predictor.log_policy(data.spatial, data.scalars)
    targets = data.moves[:, : logs.shape[1]]
    known = targets != NO_MOVE
    chosen = np.take_along_axis(logs, np.maximum(targets, 0)[:, :, None], 2)
    rank = (logs > chosen).sum(2)
    return np.where(known, rank, -1), chosen[:, :, 0].astype(np.float32)


def _score(rank: npt.NDArray[np.int64], log: Floats) -> Score:
    known = rank >= 0
    n = int(known.sum())
    if n == 0:
        return Score(0, math.nan, math.nan, math.nan, math.nan, math.nan, math.nan)
    top1 = float((rank[known] == 0).mean())
    top5 = float((rank[known] < TOP).mean())
    wrong = -log[known].astype(np.float64)
    return Score(
        n,
        top1,
        top5,
        float(wrong.mean()),
        _margin(top1, n),
        _margin(top5, n),
        float(CONFIDENCE * wrong.std() / math.sqrt(n)),
    )


def _margin(share: float, n: int) -> float:
    """Half the width of the interval: the normal one, with the half count that keeps it from being empty."""
    return CONFIDENCE * math.sqrt(share * (1 - share) / n) + 0.5 / n
