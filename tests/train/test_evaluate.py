"""Evaluation against predictors whose answers are known."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from miai.nets.planes import plane_set
from miai.train.evaluate import CONFIDENCE, Floats, Predictor, Torch, evaluate, every, spread
from miai.train.games import Corpus, NoPositions, load_corpus
from train.games_made import random_game


class Known(Predictor):
    """Has `ranks` moves that it likes better than the one played; knows nothing of the reply."""

    planes = plane_set("deepgo8")

    def __init__(self, corpus: Corpus, ranks: list[int]) -> None:
        self.played = iter(corpus.records.points.tolist())
        self.ranks = iter(ranks)

    def log_policy(self, spatial: Floats, scalars: Floats) -> Floats:
        logs = np.full((len(spatial), 2, 82), -math.log(82), np.float32)
        for row in range(len(spatial)):
            move = next(self.played)
            better = [point for point in range(82) if point != move][: next(self.ranks)]
            logs[row, 0] = -9
            logs[row, 0, move] = -1
            logs[row, 0, better] = -0.5
        return logs


@pytest.fixture(scope="module")
def corpus(archive: Path) -> Corpus:
    return load_corpus([str(archive)])


def test_shares_and_surprise(corpus: Corpus) -> None:
    n = len(corpus.records.points)
    ranks = [(0, 0, 1, 4, 5, 80)[i % 6] for i in range(n)]
    found = evaluate(Known(corpus, ranks), corpus, batch=7)
    assert found.positions == n == 480 and found.games == 12
    assert found.top1 == pytest.approx(2 / 6) and found.top5 == pytest.approx(4 / 6)
    assert found.nll == pytest.approx(1.0)
    assert found.margin == pytest.approx(CONFIDENCE * math.sqrt(2 / 9 / n) + 0.5 / n)
    assert found.steps[1].positions == n - 12  # after the last move of a game nothing follows
    assert found.steps[1].nll == pytest.approx(math.log(82), rel=1e-5)
    assert sum(phase.positions for phase in found.phases.values()) == n
    assert found.phases["opening"].positions == n  # games of 40 moves


def test_phases_are_by_the_move(tmp_path: Path) -> None:
    path = tmp_path / "long.sgf"
    path.write_text(random_game(1, size=19, moves=180))
    long = load_corpus([str(path)])
    phases = evaluate(Known19(), long).phases
    assert {name: phase.positions for name, phase in phases.items()} == {
        "opening": 50, "middle game": 100, "endgame": 30
    }  # fmt: skip


class Known19(Predictor):
    planes = plane_set("deepgo8")

    def log_policy(self, spatial: Floats, scalars: Floats) -> Floats:
        return np.full((len(spatial), 1, 362), -math.log(362), np.float32)


def test_json_has_the_promised_fields(corpus: Corpus) -> None:
    found = evaluate(Known(corpus, [0] * 480), corpus).to_json()
    assert {"positions", "top1", "top5", "nll", "steps", "phases"} <= found.keys()
    assert found["top1"] == 1.0 and len(found["steps"]) == 2
    assert found["top1_interval"][0] < 1.0 == found["top1_interval"][1]
    assert {"positions", "top1", "top5", "nll"} <= found["steps"][1].keys()


def test_positions(corpus: Corpus) -> None:
    games, moves = every(corpus)
    assert games.tolist() == [g for g in range(12) for _ in range(40)]
    assert moves.tolist() == list(range(40)) * 12
    games, moves = spread(corpus, 60)
    assert len(games) == 60 and len(set(games.tolist())) == 12


def test_nothing_to_judge(corpus: Corpus) -> None:
    from miai.train.evaluate import evaluate_positions

    none = np.empty(0, np.int64)
    with pytest.raises(NoPositions):
        evaluate_positions(Known19(), corpus, none, none)


def test_a_network_in_training(corpus: Corpus) -> None:
    from miai.train import models
    from miai.train.config import ModelConfig

    config = ModelConfig(kind="deepgo", planes="deepgo8", blocks=3, channels=4, steps=2)
    found = evaluate(Torch(models.build(config), config), corpus)
    assert len(found.steps) == 2 and 3 < found.nll < 7
    assert "next move" in found.table() and "2 moves ahead" in found.table()
