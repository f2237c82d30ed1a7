"""What `miai predict` and `miai nets` say, with tiny networks whose opinion is random but known."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from miai.cli import nets as commands
from miai.files import InputError
from miai.go.coords import BLACK, WHITE
from miai.go.game import Game
from miai.nets import predict as predicting
from miai.nets.predict import predict
from miai.nets.runtime import Network, load
from nets.katago_files import make
from nets.tiny import policy_net

GAME = "(;SZ[9]KM[6.5];B[cc];W[gg];B[gc];W[cg];B[ee])"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MIAI_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def full(tmp_path: Path) -> Network:
    file = tmp_path / "tiny.bin.gz"
    file.write_bytes(make(15, seed=2)[0])
    return load(file, threads=1)


@pytest.fixture
def three(tmp_path: Path) -> Network:
    return load(policy_net(tmp_path / "three.onnx"), threads=1)


def test_the_likeliest_moves_come_first(full: Network) -> None:
    game = Game.read(GAME)
    found = predict(full, game, top=5)
    said = full.evaluate_game(game, symmetries=8)
    chances = [guess.probability for guess in found.moves]
    assert chances == sorted(said.policy[0, 0].tolist(), reverse=True)[:5]
    assert all(guess.colour == WHITE for guess in found.moves)
    assert all(found.board.is_legal(guess.point) for guess in found.moves)
    assert (found.move, found.last) == (5, game.grid.parse("E5"))


def test_more_moves_wanted_than_there_are(full: Network) -> None:
    found = predict(full, Game.read(GAME), top=1000)
    assert len(found.moves) == 81 - 5 + 1
    assert sum(guess.probability for guess in found.moves) == pytest.approx(1, abs=1e-4)


def test_a_continuation_is_played_out_move_by_move(full: Network) -> None:
    game = Game.read(GAME)
    found = predict(full, game)
    board = game.board_at()
    for guess in found.continuation:
        said = full.evaluate_boards([board], komi=6.5, symmetries=8).policy[0, 0]
        assert guess.probability == pytest.approx(said.max(), abs=1e-5)
        assert guess.colour == board.to_move
        board.play(guess.point)
    assert len(found.continuation) == 3


@pytest.mark.parametrize("steps", [2, 3])
def test_a_continuation_seen_at_one_look(tmp_path: Path, steps: int) -> None:
    network = load(policy_net(tmp_path / f"{steps}.onnx", steps=steps))
    game = Game.read(GAME)
    found = predict(network, game, symmetries=1)
    said = network.evaluate_game(game).policy[0]
    board = game.board_at()
    for i, guess in enumerate(found.continuation):
        if i >= steps:
            said = network.evaluate_boards([board], komi=6.5).policy[0]
        legal = [*board.legal_moves(), 0]
        places = [
            81 if p == 0 else board.grid.row_column(p)[0] * 9 + board.grid.row_column(p)[1] for p in legal
        ]
        chances = said[i if i < steps else 0][places]
        assert guess.point == legal[int(chances.argmax())]
        board.play(guess.point)
    assert (len(found.continuation), found.steps) == (3, steps)


def test_json(full: Network, three: Network) -> None:
    found = predict(full, Game.read(GAME), 3, top=2).to_json()
    assert json.loads(json.dumps(found)) == found
    assert list(found) == [
        "network",
        "size",
        "move",
        "to_move",
        "moves",
        "continuation",
        "steps",
        "winrate",
        "no_result",
        "lead",
        "ownership",
    ]
    assert (found["network"], found["size"], found["move"]) == ("tiny-v15", [9, 9], 3)
    assert found["to_move"] == "W"
    assert len(found["moves"]) == 2 and found["moves"][0].keys() == {"move", "probability"}
    assert [step["colour"] for step in found["continuation"]] == ["W", "B", "W"]
    assert 0 <= found["winrate"] <= 1
    assert np.array(found["ownership"]).shape == (9, 9)
    bare = predict(three, Game.read(GAME)).to_json()
    assert bare["winrate"] is bare["lead"] is bare["ownership"] is bare["no_result"] is None


def test_text_shows_percents_and_owners(full: Network) -> None:
    found = predict(full, Game.read(GAME), top=3)
    drawn = predicting.text(found, unicode=False)
    board, below, owners = drawn.split("\n\n")
    for guess in found.moves:
        percent = f"{100 * guess.probability:.0f}"
        assert percent in board.split() or percent == "0"
    assert "White to move, by tiny-v15." in below
    assert f"Next: {found.board.grid.name(found.moves[0].point)} " in below
    assert "Expected: W " in below and "Black wins: " in below and "Score: " in below
    assert owners.endswith("Owners: b Black's, w White's; x o stones that look lost.")
    assert found.ownership is not None
    points = found.board.grid.points.reshape(9, 9)
    for (row, column), share in np.ndenumerate(found.ownership):
        owned = predicting.owned_points(found).get(int(points[row, column]))
        assert owned == (None if abs(share) < predicting.OWNED else BLACK if share > 0 else WHITE)


def test_text_without_value(three: Network) -> None:
    drawn = predicting.text(predict(three, Game.read(GAME)))
    assert "Black wins" not in drawn and "Owners" not in drawn


@pytest.mark.parametrize(("lead", "words"), [(3.46, "B+3.5"), (-0.06, "W+0.1"), (0.04, "even")])
def test_scores_in_words(lead: float, words: str) -> None:
    assert predicting.score_words(lead) == words


def test_pictures_are_svg(full: Network, three: Network) -> None:
    for network, boards in ((full, 2), (three, 1)):
        found = predict(network, Game.read(GAME))
        root = ET.fromstring(predicting.picture(found))
        assert root.tag.endswith("svg")
        stones = [e for e in root.iter() if e.tag.endswith("circle") and "url" in e.get("fill", "")]
        assert len(stones) == boards * 5
        texts = {e.text for e in root.iter() if e.tag.endswith("text")}
        assert set(predicting.percents(found).values()) <= texts


# the commands -------------------------------------------------------------------------------------


@pytest.fixture
def app() -> typer.Typer:
    app = typer.Typer()
    commands.register(app)
    return app


def run(app: typer.Typer, *arguments: object) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception is not None:
        raise result.exception
    return result.stdout


def test_predict_command(app: typer.Typer, tmp_path: Path, three: Network) -> None:
    game, net, out = tmp_path / "g.sgf", tmp_path / "three.onnx", tmp_path / "p.svg"
    game.write_text(GAME)
    found = json.loads(run(app, "predict", game, "--net", net, "--move", 2, "--top", 4, "--json"))
    assert (found["move"], len(found["moves"]), found["network"]) == (2, 4, "tiny")
    drawn = run(app, "predict", game, "--net", net, "--svg", out, "--ascii")
    assert "After move 5, White to move, by tiny." in drawn
    assert out.read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--net", "shusaku"], "shusaku: no network has this name"),
        (["--net", "g.sgf"], "an .onnx file or one of KataGo's"),
        (["--net", "three.onnx", "--symmetries", "3"], "--symmetries: 3: there are 1"),
        (["--net", "three.onnx", "--provider", "abacus"], "abacus: nothing here computes by that name"),
        (["--net", "three.onnx", "--move", "9"], "there is no move 9"),
    ],
)
def test_predict_complains_in_one_line(
    app: typer.Typer,
    tmp_path: Path,
    three: Network,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    complaint: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "g.sgf").write_text(GAME)
    with pytest.raises(InputError) as raised:
        run(app, "predict", "g.sgf", *arguments)
    assert complaint in str(raised.value)
    assert "\n" not in str(raised.value)


def test_nets_commands(app: typer.Typer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("miai.nets.registry.WEIGHTS", tmp_path / "none")
    assert "no network came with this copy" in run(app, "nets")
    net = policy_net(tmp_path / "three.onnx", source="a test")
    assert "Reads the planes deepgo8" in run(app, "nets", "show", net)
    assert json.loads(run(app, "nets", "show", net, "--json"))["heads"] == ["policy"]
    with pytest.raises(InputError, match="shusaku: no network has this name"):
        run(app, "nets", "show", "shusaku")


def test_nets_lists_what_ships(app: typer.Typer) -> None:
    from miai.nets import registry

    listed = json.loads(run(app, "nets", "--json"))
    assert [net["name"] for net in listed] == registry.shipped()
