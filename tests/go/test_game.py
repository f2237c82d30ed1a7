"""Game records: set-up, moves, clocks, variations, what the root says, and moves that cannot be."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

from miai.go.board import Board
from miai.go.coords import BLACK, EMPTY, PASS, WHITE
from miai.go.game import Ending, Game, IllegalRecord, Result
from miai.go.rules import AGA, CHINESE, JAPANESE, NEW_ZEALAND
from miai.go.sgf import Node, SgfError, parse


def stones(board: Board) -> tuple[str, str]:
    """Black's stones and White's, by name."""
    black, white = (" ".join(board.grid.names(board.stones(colour))) for colour in (BLACK, WHITE))
    return black, white


def test_board_at() -> None:
    game = Game.read("(;SZ[5];B[ba];W[aa];B[ab];W[];B[cc])")
    assert len(game) == 5
    positions = [
        ("", ""),
        ("B5", ""),
        ("B5", "A5"),
        ("B5 A4", ""),
        ("B5 A4", ""),
        ("B5 A4 C3", ""),
    ]
    assert [stones(game.board_at(n)) for n in range(6)] == positions
    assert [stones(board) for board in game.boards()] == positions
    assert stones(game.board_at()) == positions[-1]
    assert game.board_at(3).captures == {BLACK: 1, WHITE: 0}
    assert [game.board_at(n).to_move for n in (0, 1, 2, 5)] == [BLACK, WHITE, BLACK, WHITE]
    assert [move.point for move in game][3] == PASS
    for n in (-1, 6):
        with pytest.raises(IndexError, match=f"no move {n}: the game has 5"):
            game.board_at(n)


def test_setup_at_the_root_and_in_the_middle() -> None:
    game = Game.read("(;SZ[9]AB[aa:ca]AW[ee];W[ff];AE[aa]AW[gg]PL[W];W[hh]C[x];AB[ai])")
    assert stones(game.board_at(0)) == ("A9 B9 C9", "E5")
    # Stones set up after a move are there before the next one.
    assert stones(game.board_at(1)) == ("B9 C9", "E5 F4 G3")
    assert stones(game.board_at(2)) == ("B9 C9 A1", "E5 F4 G3 H2")
    assert [stones(board) for board in game.boards()] == [stones(game.board_at(n)) for n in range(3)]
    assert game.moves[1].node.get_text("C") == "x"


TO_MOVE = [
    ("", BLACK),
    ("PL[W]", WHITE),
    ("PL[white]", WHITE),
    ("PL[2]", WHITE),
    ("HA[2]AB[dd][pp]", WHITE),
    ("HA[0]", BLACK),
    ("AB[dd]AW[pp]", BLACK),
    ("HA[2]AB[dd][pp]PL[B]", BLACK),
    (";W[dd]", WHITE),
    (";B[dd];B[pp]", BLACK),
    ("HA[2];B[dd]", BLACK),
]


@pytest.mark.parametrize(("text", "colour"), TO_MOVE)
def test_who_moves_first(text: str, colour: int) -> None:
    assert Game.read(f"(;{text})").board_at(0).to_move == colour


def test_what_the_root_says() -> None:
    game = Game.read(
        "(;GM[1]SZ[19]PB[Honinbo Shusaku]BR[4d]PW[Inoue\nGennan]WR[8d]BT[Honinbo]KM[0,0]HA[0]RU[AGA]"
        "RE[B+2]EV[Castle game]DT[1846-09-11,14,15,10-02])"
    )
    black, white = game.player(BLACK), game.player(WHITE)
    assert (black.name, black.rank, black.team) == ("Honinbo Shusaku", "4d", "Honinbo")
    assert (white.name, white.rank, white.team) == ("Inoue Gennan", "8d", "")
    assert (game.komi, game.handicap, game.event) == (0.0, 0, "Castle game")
    assert (game.ruleset, game.rules) == ("AGA", AGA)
    assert game.result == Result(Ending.POINTS, BLACK, 2.0)
    assert game.dates == ["1846-09-11", "1846-09-14", "1846-09-15", "1846-10-02"]
    assert repr(game) == "<Game Honinbo Shusaku – Inoue Gennan, 19×19, 0 moves>"


def test_what_the_root_does_not_say() -> None:
    game = Game.read("(;KM[?]HA[some]RU[ours])")
    assert (game.komi, game.handicap, game.dates, game.rules) == (None, 0, [], JAPANESE)
    assert game.result == Result(Ending.UNKNOWN)
    assert game.size == (19, 19)


RESULTS = [
    ("B+3.5", Ending.POINTS, BLACK, 3.5),
    ("W+0.5", Ending.POINTS, WHITE, 0.5),
    ("W+R", Ending.RESIGNATION, WHITE, None),
    ("white+Resign", Ending.RESIGNATION, WHITE, None),
    ("B+T", Ending.TIME, BLACK, None),
    ("B+Forfeit", Ending.FORFEIT, BLACK, None),
    ("W+", Ending.WIN, WHITE, None),
    ("0", Ending.DRAW, EMPTY, None),
    ("Draw", Ending.DRAW, EMPTY, None),
    ("Void", Ending.VOID, EMPTY, None),
    ("?", Ending.UNKNOWN, EMPTY, None),
    ("C+3", Ending.UNKNOWN, EMPTY, None),
    ("B+nan", Ending.WIN, BLACK, None),
]


@pytest.mark.parametrize(("text", "ending", "winner", "margin"), RESULTS)
def test_results(text: str, ending: Ending, winner: int, margin: float | None) -> None:
    assert Result.parse(text) == Result(ending, winner, margin)


def test_clocks() -> None:
    moves = Game.read("(;B[pd]BL[299.8];W[dp]WL[30]OW[5]BL[1];B[dd];W[pp]OB[3])").moves
    assert [move.seconds_left for move in moves] == [299.8, 30.0, None, None]
    assert [move.stones_left for move in moves] == [None, 5, None, None]
    assert [move.number for move in moves] == [1, 2, 3, 4]


def test_variations() -> None:
    game = Game.read("(;SZ[9];B[aa](;W[bb];B[cc])(;W[dd](;B[ee])(;B[ff])))")
    lines = [" ".join(game.grid.names(line.points)) for line in game.variations()]
    assert lines == ["A9 B8 C7", "A9 D6 E5", "A9 D6 F4"]
    second = Game(game.root.children[0].children[1])
    assert stones(second.board_at()) == ("A9 E5", "D6")
    assert [node.get_text("W") for node in second.nodes] == ["", "", "dd", ""]


def test_a_game_made_by_hand() -> None:
    root = Node()
    root["SZ"] = "9"
    root.add_child()["B"] = "ee"
    root.children[0].add_child()["W"] = "ee"
    with pytest.raises(IllegalRecord, match=r"^move 2, W E5: the point is occupied$"):
        Game(root)


# moves that cannot be ---------------------------------------------------------------------------

KO = ";B[ba];W[ca];B[ab];W[db];B[bc];W[cc];B[cb];W[bb]"  # White has just taken the ko; B may not retake
ILLEGAL = [
    # record, moves before the break, what it says
    (";B[aa];W[aa];B[bb]", 1, "line 2, column 7: move 2, W A5: the point is occupied"),
    (KO + ";B[cb]", 8, "move 9, B C4: ko"),
    (";W[ba];B[cc];W[ab];B[aa]", 3, "move 4, B A5: suicide"),
    (";B[aa];W[zz]", 1, r"move 2, W\[zz\]: not a point of this 5×5 board"),
    (";B[ff]", 0, r"move 1, B\[ff\]: not a point of this 5×5 board"),
    (";B[aa];AB[ba]AW[ca][ab][bb];B[cc]", 1, "set-up after move 1: the B chain at [AB]5 has no liberty"),
    (";B[aa];AB[zz];B[cc]", 1, "line 2, column 7: AB"),
    (";B[aa];PL[x]", 1, "PL: 'x' is not a colour"),
]


@pytest.mark.parametrize(("text", "sound", "reason"), ILLEGAL)
def test_illegal_records(text: str, sound: int, reason: str) -> None:
    data = f"(;SZ[5]\n{text})"
    with pytest.raises(IllegalRecord, match=reason):
        Game.read(data)
    game = Game.read(data, on_illegal="stop")
    assert len(game) == len(game.moves) == sound
    assert game.stopped is not None
    assert game.stopped.line == 2
    assert stones(game.board_at()) == [stones(board) for board in game.boards()][-1]


def test_set_up_that_cannot_be() -> None:
    data = "(;SZ[2]AB[aa:bb];W[aa])"
    with pytest.raises(IllegalRecord, match="set-up after move 0"):
        Game.read(data)
    game = Game.read(data, on_illegal="stop")
    assert (len(game), stones(game.board_at())) == (0, ("", ""))


def test_the_rules_decide() -> None:
    suicide = "(;SZ[5]RU[{}];W[ba];B[cc];W[ab];B[aa])"
    assert Game.read(suicide.format("NZ")).rules == NEW_ZEALAND
    with pytest.raises(IllegalRecord, match="suicide"):
        Game.read(suicide.format("Chinese"))
    assert len(Game.read(suicide.format("Chinese"), rules=NEW_ZEALAND)) == 4
    assert Game.read("(;RU[chinese])").rules == CHINESE


def test_reading() -> None:
    data = "(;SZ[9];B[aa])(;SZ[13])(;SZ[19]"
    assert [Game.read(data, i).size for i in (0, 1)] == [(9, 9), (13, 13)]
    with pytest.raises(SgfError, match="line 1, column 32: the file ends inside a game"):
        Game.read(data, 2)
    with pytest.raises(SgfError, match="there is no game 2: the file has 1"):
        Game.read("(;)", 1)
    with pytest.raises(SgfError, match=r"GM\[2\] is not a game of Go"):
        Game.read("(;GM[2])")
    with pytest.raises(SgfError, match=r"SZ\[99\]: a board of 99×99"):
        Game.read("(;SZ[99])")


def test_all_real_games_are_legal(data: Path) -> None:
    text = lzma.decompress((data / "games" / "val.sgf.xz").read_bytes())
    games = [Game(root) for root in parse(text, strict=True).games]
    assert len(games) == 2_000
    assert sum(map(len, games)) == 407_030
    endings = {game.result.ending for game in games}
    assert endings == {Ending.POINTS, Ending.RESIGNATION, Ending.TIME}


def test_boards_of_a_real_game_agree(data: Path) -> None:
    text = lzma.decompress((data / "games" / "ai.sgf.xz").read_bytes())
    game = Game.read(text)
    for n, board in enumerate(game.boards()):
        assert board == game.board_at(n)
        assert (board.to_move, board.captures) == (game.board_at(n).to_move, game.board_at(n).captures)


def test_real_problems_are_games(data: Path) -> None:
    for file in sorted((data / "tsumego").glob("*.sgf")):
        collection = parse(file.read_bytes(), strict=True)
        for root in collection.games[:50]:
            assert Game(root, on_illegal="stop").board_at(0).stones(BLACK)
