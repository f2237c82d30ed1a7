"""Running networks: against KataGo's own answers, from all sides, in batches; and those that do not fit."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from miai.go.board import Board
from miai.go.coords import BLACK, WHITE, grid, opponent
from miai.go.game import Game
from miai.go.rules import CHINESE, JAPANESE, Count, HandicapBonus, Ko, Rules
from miai.nets import registry
from miai.nets.planes import permute, records_from_board, records_from_games, records_from_text
from miai.nets.positions import board_at, legal_mask
from miai.nets.registry import NetworkError
from miai.nets.runtime import Network, load
from nets.katago_files import make
from nets.tiny import policy_net

# A ko on 7×7 that Black has just taken; White to move.
KO_GAME = "(;SZ[7]KM[7.5];B[ba];W[ca];B[ab];W[db];B[bc];W[cc];B[gg];W[bb];B[cb])"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MIAI_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def full(tmp_path: Path) -> Network:
    """A network with every head: a random one in KataGo's format."""
    file = tmp_path / "tiny.bin.gz"
    file.write_bytes(make(15, seed=2)[0])
    return load(file, threads=1)


def some_game(seed: int, side: int = 9, moves: int = 30, *, rules: Rules = CHINESE, height: int = 0) -> Game:
    """Random legal moves."""
    random = np.random.default_rng(seed)
    board = Board(side, height or side, rules=rules)
    text = f"(;SZ[{side}:{height}]KM[6.5]" if height else f"(;SZ[{side}]KM[6.5]"
    for _ in range(moves):
        point = int(random.choice(board.legal_moves()))
        text += f";{'?BW'[board.to_move]}[{board.grid.sgf(point)}]"
        board.play(point)
    return Game.read(text + ")", rules=rules)


# against KataGo ---------------------------------------------------------------------------------


def reference_rules(said: dict[str, Any], komi: float) -> Rules:
    bonus = {"0": HandicapBonus.NONE, "N": HandicapBonus.STONES, "N-1": HandicapBonus.STONES_LESS_ONE}
    return Rules(
        "reference",
        Count[said["scoring"]],
        Ko[said["ko"]],
        said["suicide"],
        komi,
        bonus[said["whiteHandicapBonus"]],
        seki_territory=said["tax"] == "NONE",
    )


def reference_game(row: dict[str, Any]) -> Game:
    points = grid(row["size"])
    moves = "".join(f";{colour}[{points.sgf(points.parse(name))}]" for colour, name in row["moves"])
    text = f"(;SZ[{row['size']}]KM[{row['komi']}]PL[{row['to_move']}]{moves})"
    return Game.read(text, rules=reference_rules(row["rules"], row["komi"]))


def test_agreement_with_katago_on_all_reference_positions(data: Path) -> None:
    folder = data / "nets"
    network = load(next(iter(sorted(folder.glob("*.bin.gz")))))
    rows = [
        json.loads(line)
        for line in lzma.decompress((folder / "reference.jsonl.xz").read_bytes()).splitlines()
    ]
    assert len(rows) == 76
    for size in (9, 13, 19):
        some = [row for row in rows if row["size"] == size]
        said = network.evaluate(records_from_games([reference_game(row) for row in some]))
        for i, row in enumerate(some):
            out = row["output"]
            wanted = np.array([*out["policy"], out["policyPass"]], dtype=float)  # illegal: nan
            found = said.policy[i, 0]
            assert np.array_equal(found > 0, ~np.isnan(wanted))
            assert np.nanmax(abs(found - wanted)) < 1e-4
            assert said.value is not None and said.lead is not None and said.ownership is not None
            results = out["whiteLoss"], out["whiteWin"], out["noResult"]
            np.testing.assert_allclose(said.value[i], results, atol=1e-4)
            assert abs(-said.lead[i] - out["whiteLead"]) < 1e-3  # given with three digits
            np.testing.assert_allclose(-said.ownership[i].ravel(), out["whiteOwnership"], atol=1e-4)


def test_agreement_with_katago_on_positions_of_real_games(data: Path) -> None:
    with lzma.open(data / "games" / "train-00.sgf.xz") as file:
        records = records_from_text(b"".join(next(file) for _ in range(8)), rules=JAPANESE, komi=6.5)
    assert len(records) == 8
    with np.load(data / "teacher" / "teacher-b6-00.npz") as labels:
        rows = labels["game"] < 8
        said = {name: labels[name][rows] for name in labels.files}
    assert len(said["move"]) == 64
    network = load(next(iter(sorted((data / "nets").glob("*.bin.gz")))))
    found = network.evaluate(records, said["game"], said["move"])
    assert found.winrate is not None and found.lead is not None and found.ownership is not None
    top = np.take_along_axis(found.policy[:, 0], said["top_move"].astype(np.int64), axis=1)
    np.testing.assert_allclose(top, said["top_prob"] / 255, atol=0.5 / 255 + 1e-4)  # as they were rounded
    np.testing.assert_allclose(found.winrate, said["winrate"], atol=5e-4)
    np.testing.assert_allclose(found.lead, said["score"], atol=0.02)
    np.testing.assert_allclose(7.5 * found.ownership.reshape(64, -1), said["ownership"], atol=0.501)


# batches and symmetries -------------------------------------------------------------------------


def test_batches_do_not_matter(full: Network) -> None:
    records = records_from_games([some_game(seed) for seed in range(3)])
    games, moves = [0, 2, 1, 0, 0], [30, 7, 0, 12, 13]
    one, many = (full.evaluate(records, games, moves, batch=batch) for batch in (1, 16))
    for name in ("policy", "value", "lead", "ownership", "to_move"):
        np.testing.assert_allclose(getattr(one, name), getattr(many, name), rtol=1e-4, atol=1e-5)
    assert many.policy.shape == (5, 1, 82)
    np.testing.assert_allclose(many.policy.sum(axis=2), 1, atol=1e-5)


@pytest.mark.parametrize("symmetry", range(8))
def test_averaging_makes_turned_boards_equal(full: Network, symmetry: int) -> None:
    game = some_game(5)
    board = game.board_at()
    turned = Board(9, rules=board.rules)
    places = permute(symmetry, np.arange(81).reshape(9, 9)).ravel()  # [new place] old place
    points = turned.grid.points
    where = {int(points[old]): int(points[new]) for new, old in enumerate(places)}
    for point, colour in zip(game.points.tolist(), game.colours.tolist(), strict=True):
        turned.play(where[point], colour)
    straight, round_about = full.evaluate_boards([board, turned], komi=6.5, symmetries=8).policy[:, 0, :81]
    np.testing.assert_allclose(round_about, straight[places], atol=1e-5)
    alone = full.evaluate_boards([board, turned], komi=6.5).policy[:, 0, :81]
    assert symmetry == 0 or abs(alone[1] - alone[0][places]).max() > 1e-4  # else this tests nothing


def test_averaging_on_rectangles(full: Network) -> None:
    game = some_game(5, 7, height=5)
    said = full.evaluate_game(game, symmetries=8)
    assert said.policy.shape == (1, 1, 36)
    assert said.ownership is not None and said.ownership.shape == (1, 5, 7)
    np.testing.assert_allclose(said.policy.sum(), 1, atol=1e-5)
    with pytest.raises(NetworkError, match=r"there are 1 .* and 8"):
        full.evaluate_game(game, symmetries=3)


def test_white_sees_the_same_from_the_other_side(full: Network) -> None:
    board = some_game(8, rules=JAPANESE).board_at()
    swapped = Board(9, rules=JAPANESE)
    swapped.setup(black=board.stones(WHITE), white=board.stones(BLACK))
    bare = Board(9, rules=JAPANESE)
    bare.setup(black=board.stones(BLACK), white=board.stones(WHITE))
    swapped.to_move = opponent(bare.to_move)
    said = full.evaluate_boards([bare], komi=5.5)
    other = full.evaluate_boards([swapped], komi=-5.5)
    assert said.value is not None and other.value is not None
    np.testing.assert_allclose(said.policy, other.policy, atol=1e-5)
    np.testing.assert_allclose(said.value[0, [1, 0, 2]], other.value[0], atol=1e-5)
    assert said.lead is not None and other.lead is not None
    np.testing.assert_allclose(said.lead, -other.lead, atol=1e-3)


# positions --------------------------------------------------------------------------------------


def test_illegal_moves_get_nothing(full: Network) -> None:
    game = Game.read(KO_GAME)
    said = full.evaluate_game(game)
    board = game.board_at()
    assert board.ko_point != -1
    assert np.array_equal(said.policy[0, 0] > 0, legal_mask(board))
    row, column = board.grid.row_column(board.ko_point)
    assert said.policy[0, 0, row * 7 + column] == 0


def test_no_result_only_where_the_rules_have_it(full: Network) -> None:
    for rules, possible in ((CHINESE, False), (JAPANESE, True)):
        said = full.evaluate_game(some_game(1, rules=rules))
        assert said.value is not None and said.winrate is not None
        assert (said.value[0, 2] > 0) == possible
        assert said.winrate[0] == pytest.approx(said.value[0, 0] + said.value[0, 2] / 2)


def test_a_board_and_its_game_are_the_same(full: Network) -> None:
    game = some_game(11, rules=JAPANESE)
    by_game, by_board = full.evaluate_game(game, [25]), full.evaluate_boards([game.board_at(25)])
    np.testing.assert_allclose(by_game.policy, by_board.policy, atol=1e-5)
    records = records_from_board(game.board_at())
    assert board_at(records, 0, 30) == game.board_at()
    assert records.lengths.tolist() == [30]


def test_a_board_with_a_ko_and_no_history() -> None:
    board = Game.read(KO_GAME).board_at()
    again = board_at(records_from_board(board, history=False), 0, 0)
    assert again == board
    assert again.ko_point == board.ko_point


def test_stones_set_up_on_the_way(full: Network) -> None:
    game = Game.read("(;SZ[7];B[aa];W[bb];AB[cc][dd];B[ee])")
    assert len(full.evaluate_game(game, [1, 2, 3])) == 3
    said = full.evaluate_game(game, [3])
    assert np.array_equal(said.policy[0, 0] > 0, legal_mask(game.board_at()))


def test_several_sizes_in_one_call(full: Network) -> None:
    records = records_from_games([some_game(1), some_game(1, 7)])
    with pytest.raises(NetworkError, match="one size"):
        full.evaluate(records)
    with pytest.raises(NetworkError, match="one size"):
        full.evaluate_boards([Board(9), Board(7)])
    with pytest.raises(NetworkError, match="no position"):
        full.evaluate(records, [], [])
    with pytest.raises(NetworkError, match="no position"):
        full.evaluate_boards([])


def test_a_policy_of_three_steps_and_nothing_else(tmp_path: Path) -> None:
    network = load(policy_net(tmp_path / "three.onnx"))
    said = network.evaluate_game(some_game(2))
    assert (network.heads, network.steps) == (("policy",), 3)
    assert said.policy.shape == (1, 3, 82)
    np.testing.assert_allclose(said.policy.sum(axis=2), 1, atol=1e-5)
    assert said.value is said.lead is said.ownership is said.winrate is None


# loading ----------------------------------------------------------------------------------------


def test_a_katago_file_is_converted_once(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "net.bin.gz"
    file.write_bytes(make(8, seed=9)[0])
    load(file)
    assert len(list((cache / "networks").iterdir())) == 1
    monkeypatch.setattr("miai.nets.katago.read.parse", None)  # not needed any more
    load(file, threads=1)
    again = tmp_path / "copy.bin.gz"
    again.write_bytes(file.read_bytes())
    assert load(again).name == "tiny-v8"


def test_no_place_to_keep_the_conversion(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where a folder should be")
    monkeypatch.setenv("MIAI_CACHE", str(blocked))
    file = tmp_path / "net.bin.gz"
    file.write_bytes(make(9, seed=4)[0])
    assert load(file).name == "tiny-v9"


def test_loading_twice_gives_the_same(tmp_path: Path) -> None:
    file = policy_net(tmp_path / "p.onnx")
    assert load(file) is load(file)
    assert load(file) is not load(file, threads=1)
    assert load(file, provider="CPU", warm=9).provider == "CPUExecutionProvider"


def test_providers(tmp_path: Path) -> None:
    with pytest.raises(
        NetworkError, match=r"abacus: nothing here computes by that name: there is auto, .*cpu"
    ):
        load(policy_net(tmp_path / "p.onnx"), provider="abacus")


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"version": 99}, "reads version 99 of the planes deepgo8, and this program makes version 1"),
        ({"planes": "alphago48"}, "no plane set is called 'alphago48'"),
        ({"channels": 9}, "it reads 9 planes, and deepgo8 has 8"),
        ({"output": "moves"}, "where spatial, scalars and policy are wanted"),
        ({"said_steps": 2}, "predicts 3 moves ahead and says 2"),
        ({"labels": False}, "does not say which planes it reads"),
    ],
)
def test_networks_that_do_not_fit(tmp_path: Path, options: dict[str, Any], complaint: str) -> None:
    file = policy_net(tmp_path / "odd.onnx", **options)
    with pytest.raises(NetworkError, match=complaint) as raised:
        load(file)
    assert str(raised.value).startswith(f"{file}: ")
    assert "\n" not in str(raised.value)


def test_boards_that_a_network_is_not_for(tmp_path: Path) -> None:
    network = load(policy_net(tmp_path / "p.onnx", smallest=7, largest=19))
    with pytest.raises(NetworkError, match="reads boards from 7 to 19 lines, not 5×5"):
        network.evaluate_boards([Board(5)])


def test_files_that_are_no_networks(tmp_path: Path) -> None:
    whole = policy_net(tmp_path / "p.onnx").read_bytes()
    for name, content, complaint in [
        ("cut.onnx", whole[: len(whole) // 2], "cut off"),
        ("empty.onnx", b"", "no ONNX model"),
        ("game.onnx", b"(;GM[1])", "ONNX model"),
        ("cut.bin.gz", make(8)[0][:3000], "cut off or damaged"),
        ("game.bin.gz", b"(;GM[1]SZ[19];B[aa])", "no KataGo network"),
        ("notes.docx", b"hello", "an .onnx file or one of KataGo's"),
    ]:
        file = tmp_path / name
        file.write_bytes(content)
        with pytest.raises(NetworkError, match=complaint) as raised:
            load(file)
        assert str(raised.value).startswith(f"{file}: ")
        assert "\n" not in str(raised.value)
    with pytest.raises(NetworkError, match="is a folder"):
        load(tmp_path)
    with pytest.raises(NetworkError, match="no network has this name"):
        load("shusaku")


def test_a_graph_that_is_damaged_inside(tmp_path: Path) -> None:
    file = policy_net(tmp_path / "p.onnx")
    file.write_bytes(file.read_bytes().replace(b"ReduceMean", b"ReduceMeat"))
    with pytest.raises(NetworkError, match="cannot be loaded"):
        load(file)


def test_weights_that_give_no_numbers(tmp_path: Path) -> None:
    file = policy_net(tmp_path / "p.onnx", spoilt=True)
    with pytest.raises(NetworkError, match="tiny: gives answers that are not numbers"):
        load(file).evaluate_boards([Board(9)])


def test_a_network_of_one_board_size_only(tmp_path: Path) -> None:
    network = load(policy_net(tmp_path / "p.onnx", side=9))
    assert len(network.evaluate_boards([Board(9)])) == 1
    with pytest.raises(NetworkError, match="cannot compute planes of 1×8×13×13"):
        network.evaluate_boards([Board(13)])


# the registry -----------------------------------------------------------------------------------


def test_cards(tmp_path: Path) -> None:
    policy_net(tmp_path / "small.onnx", source="a test")
    (tmp_path / "small.md").write_text("# Small\n\nOne convolution,\nfor tests.\n\n## Data\n\nnone\n")
    policy_net(tmp_path / "bare.onnx", source="a test")
    assert registry.shipped(tmp_path) == ["bare", "small"]
    small, bare = registry.card("small", tmp_path), registry.card("bare", tmp_path)
    assert small.summary == "One convolution, for tests."
    assert bare.summary == "a test"
    assert "Reads the planes deepgo8, version 1" in small.describe()
    assert small.describe().endswith("none")
    assert small.to_json()["steps"] == 3
    with pytest.raises(NetworkError, match="there is bare, small"):
        registry.card("large", tmp_path)


def test_every_shipped_network_has_a_card_and_runs() -> None:
    for name in registry.shipped():
        card = registry.card(name)
        assert card.text.startswith("# ") and card.bytes < 8_000_000
        if "policy" not in card.labels.heads:
            continue  # the endgame network, which is shown a region too: tests/endgame/test_estimate.py
        network = load(name)
        assert set(network.heads) == set(card.labels.heads)
        assert len(network.evaluate_boards([Board(9), Board(9)])) == 2
