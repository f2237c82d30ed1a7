"""Habits are learned from proofs, and a file of them is what the search reads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from life.test_shapes import SHAPES, problem_from_shape
from miai.files import InputError
from miai.life.habits import FEATURES, GROUPS, STARTS
from miai.life.problem import Problem
from miai.train.habits import FOLDS, fit, gather, learn, problems_in

torch = pytest.importorskip("torch", reason="training needs the extra `train`")


def problems(count: int) -> list[Problem]:
    return [problem_from_shape(diagram) for _, diagram, *_ in SHAPES[:count]]


def test_every_choice_has_one_move_of_the_proof() -> None:
    choices = gather(problems(8), nodes=5_000, done=lambda count: None)
    assert choices.classes.shape[1] == FEATURES and (choices.classes < np.array(GROUPS)).all()
    for group in np.unique(choices.group):
        moves = choices.group == group
        assert choices.chosen[moves].sum() == 1
        assert len(np.unique(choices.attacks[moves])) == 1 and len(np.unique(choices.source[moves])) == 1


def test_what_is_learned_ranks_the_moves_of_the_proofs() -> None:
    choices = gather(problems(12), nodes=5_000, done=lambda count: None)
    weights, _ = fit(choices, steps=60)
    columns = choices.classes + np.array(STARTS[:-1])
    score = weights[choices.attacks.astype(int)[:, None], columns].sum(axis=1)
    seen = np.unique(choices.source, return_inverse=True)[1] % FOLDS != 0
    first, rivals = [], []
    for group in np.unique(choices.group[seen]):
        moves = choices.group == group
        first.append(score[moves & choices.chosen][0] >= score[moves].max() - 1e-9)
        rivals.append(moves.sum())
    assert np.mean(first) > 1.5 * np.mean(1 / np.array(rivals))  # far better than chance


def test_the_file_has_a_weight_for_every_class(tmp_path: Path) -> None:
    seen: list[int] = []
    choices, first = learn(problems(6), tmp_path / "habits.npz", nodes=2_000, done=seen.append)
    with np.load(tmp_path / "habits.npz") as file:
        assert file["weights"].shape == (2, STARTS[-1]) and file["weights"].dtype == np.int8
    assert choices > 10 and 0 <= first <= 1 and sum(seen) == 6


def test_too_few_proofs_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="fewer than 5 were decided"):
        learn(problems(2), tmp_path / "habits.npz", nodes=2_000)
    assert not (tmp_path / "habits.npz").exists()


def test_files_without_problems_are_named(tmp_path: Path) -> None:
    empty = tmp_path / "empty.sgf"
    empty.write_text("(;GM[1]SZ[9])")
    with pytest.raises(InputError, match="states no problem"):
        problems_in([str(empty)])
