"""The sums that the search uses are those of the classes a move is put into."""

from __future__ import annotations

import random

import numpy as np
import pytest

from life.positions import random_problem
from miai.go.coords import EMPTY
from miai.life.habits import GROUPS, STARTS, describe, likelihood
from miai.life.habit_weights import WEIGHTS
from miai.life.space import legal, make_space


def test_there_is_a_weight_for_every_class() -> None:
    assert WEIGHTS.shape == (2, sum(GROUPS))
