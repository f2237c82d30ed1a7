"""Every plane set against plain Python that makes the same planes slowly, on random and on real games."""

from __future__ import annotations

import lzma
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from miai.go import sgf
from miai.go.board import Board
from miai.go.coords import COLOUR_LETTERS, PASS
from miai.go.game import Game
from miai.go.rules import AGA, CHINESE, JAPANESE, NEW_ZEALAND, TROMP_TAYLOR, Ko, Rules
from miai.nets.planes import encode, encode_batch, encode_games, records_from_games
from nets import plain_planes as plain


def random_game(width: int, height: int, rules: Rules, seed: int, moves: int = 90) -> Game:
    """Random legal moves, a single pass now and then; captures and kos are frequent."""
    random = np.random.default_rng(seed)
    board = Board(width, height, rules=rules)
    text = f"(;SZ[{width}:{height}]KM[{random.integers(-8, 16) / 2}]"
    passed = True
    for number in range(moves):
        legal = board.legal_moves()
        passes = not legal or (number > 6 and not passed and random.random() < 0.06)
        if passes and passed:
            break
        point = PASS if passes else legal[random.integers(len(legal))]
        text += f";{COLOUR_LETTERS[board.to_move]}[{board.grid.sgf(point)}]"
        board.play(point)
        passed = passes
    return Game.read(text + ")", rules=rules)


RULES = [JAPANESE, CHINESE, AGA, NEW_ZEALAND, TROMP_TAYLOR, replace(CHINESE, ko=Ko.SIMPLE)]


def same(game: Game, moves: range) -> None:
    """Compare all positions after `moves` moves, in one batch."""
    records = records_from_games([game])
    wanted = list(moves)
    games = [0] * len(wanted)
    komi = float(records.komi[0])
    deepgo, _ = encode_batch("deepgo8", records, games, wanted)
    darkforest, _ = encode_batch("darkforest25", records, games, wanted, opponent_rank=4)
    katago, scalars = encode_batch("katago7", records, games, wanted)
    for i, move in enumerate(wanted):
        np.testing.assert_array_equal(deepgo[i], plain.deepgo(game, move), err_msg=f"move {move}")
        np.testing.assert_allclose(darkforest[i], plain.darkforest(game, move, 4), rtol=1e-6, atol=1e-30)
        planes, numbers = plain.katago(game, move, komi)
        for plane in range(22):
            np.testing.assert_array_equal(katago[i, plane], planes[plane], err_msg=f"{plane} at {move}")
        np.testing.assert_allclose(scalars[i], numbers, atol=1e-6, err_msg=f"move {move}")


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: f"{rules.name}-{rules.ko.value}")
@pytest.mark.parametrize(("width", "height"), [(5, 5), (7, 7), (4, 6)])
def test_random_games(width: int, height: int, rules: Rules) -> None:
    for seed in range(3):
        game = random_game(width, height, rules, seed=seed)
        same(game, range(seed, len(game) + 1, 7))


def test_real_games(data: Path) -> None:
    """Games of strong players, with their ladders."""
    with lzma.open(data / "games" / "ai.sgf.xz") as file:
        roots = sgf.parse(file.read()).games
    for i, root in enumerate(roots[:6]):
        game = Game(root, rules=RULES[i])
        same(game, range(10 + i, len(game) + 1, 90))


def test_one_by_one_is_the_same_as_all_at_once() -> None:
    game = random_game(7, 7, JAPANESE, seed=9)
    records = records_from_games([game, game])
    for name in ("deepgo8", "darkforest25", "katago7"):
        spatial, scalars = encode_games(name, records)
        assert len(spatial) == 2 * (len(game) + 1)
        for move, board in enumerate(game.boards()):
            once, numbers = encode(name, game, move)
            np.testing.assert_array_equal(once, spatial[move])
            np.testing.assert_array_equal(numbers, scalars[move])
            np.testing.assert_array_equal(once, spatial[len(game) + 1 + move])
            once, numbers = encode(name, board, komi=game.komi)  # a board knows its moves
            np.testing.assert_array_equal(once, spatial[move])
            np.testing.assert_array_equal(numbers, scalars[move])


def test_threads_do_not_disturb_each_other() -> None:
    records = records_from_games([random_game(7, 7, CHINESE, seed=seed) for seed in range(6)])
    alone, _ = encode_games("katago7", records)
    with ThreadPoolExecutor(4) as pool:
        for spatial, _ in pool.map(lambda _: encode_games("katago7", records), range(12)):
            np.testing.assert_array_equal(spatial, alone)
