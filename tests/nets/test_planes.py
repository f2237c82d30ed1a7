"""Every plane of every set, in diagrams; records; and what wrong arguments get.

A plane is drawn with `1` where it is 1 and `.` where it is 0.
"""

from __future__ import annotations

import math
from textwrap import dedent

import numpy as np
import numpy.typing as npt
import pytest

from miai.go.board import Board
from miai.go.coords import BLACK, WHITE
from miai.go.diagram import parse_diagram
from miai.go.game import Game
from miai.go.rules import AGA, CHINESE, JAPANESE, NEW_ZEALAND, TROMP_TAYLOR, Rules, UnknownRules
from miai.nets.planes import (
    PASS_MOVE,
    PLANE_SETS,
    UnknownPlaneSet,
    encode,
    encode_batch,
    encode_games,
    plane_set,
    records_from_board,
    records_from_games,
    records_from_text,
)
from miai.nets.planes.encode import PlanesError
from miai.nets.planes.katago import rules_from_katago

Numbers = npt.NDArray[np.float32]


def drawn(plane: Numbers) -> str:
    assert set(np.unique(plane)) <= {0.0, 1.0}
    return "\n".join("".join("1" if value else "." for value in row) for row in plane)


def lines(text: str) -> str:
    return dedent(text).strip()


def play(board: Board, *names: str) -> Board:
    for name in names:
        board.play(board.grid.parse(name))
    return board


class Seen:
    """A position through one plane set: planes as drawings, by name."""

    def __init__(self, name: str, position: Game | Board, **options: float) -> None:
        self.set = plane_set(name)
        self.spatial, self.scalars = encode(name, position, **options)  # type: ignore[arg-type]

    def __getitem__(self, name: str) -> str:
        return drawn(self.spatial[self.set.plane(name)])

    def number(self, name: str) -> float:
        return float(self.scalars[self.set.scalar(name)])

    def empty(self) -> set[str]:
        """The names of planes that are 0 everywhere."""
        return {
            plane.name
            for plane, values in zip(self.set.spatial, self.spatial, strict=True)
            if not values.any()
        }


STONES = """
    . X O . .
    X O . . .
    . X O . X
    . . . X .
    O . . . ."""


# deepgo8 and what darkforest25 shares with it ------------------------------------------------------

LIBERTIES = {
    "own-1": """
        .1...
        .....
        .....
        .....
        .....""",
    "own-2": """
        .....
        1....
        .1...
        .....
        .....""",
    "own-3+": """
        .....
        .....
        ....1
        ...1.
        .....""",
    "opponent-1": """
        .....
        .1...
        .....
        .....
        .....""",
    "opponent-2": """
        ..1..
        .....
        .....
        .....
        1....""",
    "opponent-3+": """
        .....
        .....
        ..1..
        .....
        .....""",
    "border": """
        11111
        1...1
        1...1
        1...1
        11111""",
}


@pytest.mark.parametrize("name", ["deepgo8", "darkforest25"])
def test_liberties_and_border(name: str) -> None:
    seen = Seen(name, parse_diagram(STONES))
    assert {plane: seen[plane] for plane in LIBERTIES} == {k: lines(v) for k, v in LIBERTIES.items()}
    assert "ko" in seen.empty()


@pytest.mark.parametrize("name", ["deepgo8", "darkforest25"])
def test_white_to_move_sees_the_same_from_the_other_side(name: str) -> None:
    black, white = Seen(name, parse_diagram(STONES)), Seen(name, parse_diagram(STONES, to_move=WHITE))
    for count in ("1", "2", "3+"):
        assert white[f"own-{count}"] == black[f"opponent-{count}"]
        assert white[f"opponent-{count}"] == black[f"own-{count}"]


KO = """
    . X O .
    X . X O
    . X O .
    . . . ."""


@pytest.mark.parametrize("name", list(PLANE_SETS))
def test_ko(name: str) -> None:
    board = play(parse_diagram(KO, to_move=WHITE), "B3")  # takes C3
    assert Seen(name, board)["ko"] == lines("""
        ....
        ..1.
        ....
        ....""")
    play(board, "A1", "D1")
    assert "ko" in Seen(name, board).empty()


# darkforest25 --------------------------------------------------------------------------------------


def test_darkforest_stones_and_closest() -> None:
    seen = Seen("darkforest25", parse_diagram(STONES))
    assert seen["own"] == lines("""
        .1...
        1....
        .1..1
        ...1.
        .....""")
    assert seen["opponent"] == lines("""
        ..1..
        .1...
        ..1..
        .....
        1....""")
    assert seen["empty"] == lines("""
        1..11
        ..111
        1..1.
        111.1
        .1111""")
    assert seen["own-closest"] == lines("""
        11...
        1...1
        11..1
        .1.11
        ...11""")
    assert seen["opponent-closest"] == lines("""
        ..11.
        .11..
        ..1..
        1....
        11...""")


def test_darkforest_history_fades() -> None:
    board = play(Board(5), "A1", "B2", "C3", "pass", "D4")  # Black: A1, C3, D4; White to move
    seen = Seen("darkforest25", board)
    planes = {name: seen.spatial[seen.set.plane(name)] for name in ("own-history", "opponent-history")}
    assert np.flatnonzero(planes["own-history"]).size == 1
    assert planes["own-history"][3, 1] == pytest.approx(math.exp(-0.4))
    theirs = planes["opponent-history"]
    assert [theirs[4, 0], theirs[2, 2], theirs[1, 3]] == pytest.approx(
        [math.exp(-0.1 * t) for t in (5, 3, 1)]
    )
    assert np.flatnonzero(theirs).size == 3


def test_darkforest_history_of_a_stone_that_was_captured_and_played_again() -> None:
    board = play(Board(5), "A1", "B1", "E5", "A2", "E4", "A1")  # White takes A1, then plays there
    seen = Seen("darkforest25", board)
    theirs = seen.spatial[seen.set.plane("opponent-history")]
    assert theirs[4, 0] == pytest.approx(math.exp(-0.1))
    assert theirs[4, 1] == pytest.approx(math.exp(-0.5))


def test_darkforest_stones_set_up_count_as_played_at_the_start() -> None:
    board = parse_diagram("X . .\n. . .\n. . O")
    assert Seen("darkforest25", board).spatial[plane_set("darkforest25").plane("own-history")][0, 0] == 1
    seen = Seen("darkforest25", play(board, "B2", "A1"))
    assert seen.spatial[seen.set.plane("own-history")][0, 0] == pytest.approx(math.exp(-0.2))
    assert seen.spatial[seen.set.plane("opponent-history")][2, 2] == pytest.approx(math.exp(-0.2))


def test_darkforest_rank_and_position() -> None:
    seen = Seen("darkforest25", Board(7, 5), opponent_rank=3)
    assert {f"rank-{dan}" for dan in range(1, 10)} - seen.empty() == {"rank-3"}
    assert seen["rank-3"] == "\n".join(["1111111"] * 5)
    mask = seen.spatial[seen.set.plane("position")]
    assert mask[2, 3] == 1  # the centre
    assert mask[2, 4] == mask[1, 3] == pytest.approx(math.exp(-0.5))
    assert mask[0, 0] == pytest.approx(math.exp(-(2**2 + 3**2) / 2))
    assert {"own-closest", "opponent-closest"} <= seen.empty()


def test_the_standard_set_of_darkforest_comes_first() -> None:
    names = [plane.name for plane in plane_set("darkforest25").spatial]
    assert len(names) == 25
    assert names[21:] == ["border", "position", "own-closest", "opponent-closest"]


# katago7 -------------------------------------------------------------------------------------------


def test_katago_stones_and_liberties() -> None:
    seen = Seen("katago7", parse_diagram(STONES, rules=JAPANESE))
    assert seen["board"] == "\n".join(["11111"] * 5)
    assert seen["own"] == lines("""
        .1...
        1....
        .1..1
        ...1.
        .....""")
    assert seen["1-liberty"] == lines("""
        .1...
        .1...
        .....
        .....
        .....""")
    assert seen["2-liberties"] == lines("""
        ..1..
        1....
        .1...
        .....
        1....""")
    assert seen["3-liberties"] == lines("""
        .....
        .....
        ..1.1
        .....
        .....""")
    assert {"ko", "ko-recapture", "unused", "own-encore", "opponent-encore", "own-area"} <= seen.empty()


def test_katago_history() -> None:
    seen = Seen("katago7", play(Board(5, rules=JAPANESE), "A1", "B2", "C3", "pass", "D4", "E5"))
    assert [name for name in (f"last-{i}" for i in range(1, 6)) if name in seen.empty()] == ["last-3"]
    assert [seen.number(f"pass-{i}") for i in range(1, 6)] == [0, 0, 1, 0, 0]
    assert seen["last-1"] == "....1\n.....\n.....\n.....\n....."
    assert seen["last-2"] == ".....\n...1.\n.....\n.....\n....."
    assert seen["last-4"] == ".....\n.....\n..1..\n.....\n....."
    assert seen["last-5"] == ".....\n.....\n.....\n.1...\n....."


def test_katago_history_stops_where_a_side_moves_twice() -> None:
    board = Board(5, rules=JAPANESE)
    for colour, name in ((BLACK, "A1"), (BLACK, "B2"), (WHITE, "C3"), (BLACK, "D4")):
        board.play(board.grid.parse(name), colour)
    assert {"last-1", "last-2", "last-3"}.isdisjoint(Seen("katago7", board).empty())
    assert {"last-4", "last-5"} <= Seen("katago7", board).empty()


# rules, moves → what is shown of the passes: pass-1, pass-2, pass-ends, last-2 or last-3
@pytest.mark.parametrize(
    ("rules", "moves", "shown"),
    [
        (JAPANESE, ["A1", "B2", "pass"], (1, 0, 1, True)),
        (TROMP_TAYLOR, ["A1", "B2", "pass"], (1, 0, 1, True)),
        (CHINESE, ["A1", "B2", "pass"], (0, 0, 0, False)),  # there is still time to agree
        (JAPANESE, ["A1", "B2", "pass", "pass"], (1, 0, 1, False)),  # over: one pass is shown
        (CHINESE, ["A1", "B2", "pass", "pass"], (1, 0, 1, False)),
        (JAPANESE, ["A1", "B2", "pass", "pass", "C3"], (0, 1, 0, False)),  # goes on: history starts anew
    ],
)
def test_katago_passes(rules: Rules, moves: list[str], shown: tuple[int, int, int, bool]) -> None:
    seen = Seen("katago7", play(Board(5, rules=rules), *moves))
    numbers = tuple(seen.number(name) for name in ("pass-1", "pass-2", "pass-ends"))
    older = not {"last-2", "last-3"} <= seen.empty()
    assert (*numbers, older) == shown


# With E5 Black drives the white stone up to the right: D6, D7, E6, F6 …
LADDER = """
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . X . . . . . .
    . . X O . . . . .
    . . . X . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . ."""
D5 = lines("""
    .........
    .........
    .........
    .........
    ...1.....
    .........
    .........
    .........
    .........""")
E5 = D5.replace("...1.", "....1")


def test_katago_ladder() -> None:
    seen = Seen("katago7", parse_diagram(LADDER))
    assert seen["ladder"] == seen["ladder-before-1"] == seen["ladder-before-2"] == D5
    assert seen["ladder-move"] == E5
    white = Seen("katago7", parse_diagram(LADDER, to_move=WHITE))  # caught, if it is not White's move
    assert white["ladder"] == D5
    assert "ladder-move" in white.empty()


def test_katago_ladder_as_it_was() -> None:
    board = play(parse_diagram(LADDER), "E5")
    assert Seen("katago7", board)["ladder"] == D5  # in atari, and running does not help
    broken = Seen("katago7", play(board, "G8"))
    assert {"ladder"} <= broken.empty()
    assert broken["ladder-before-1"] == broken["ladder-before-2"] == D5
    assert {"ladder", "ladder-before-1"} <= Seen("katago7", play(board, "G3")).empty()


@pytest.mark.parametrize(
    ("change", "catches"),
    [
        ((". . X O . .", ". . X O . ."), True),
        ((". . X O . .", ". O X O . ."), True),
        ((". . . X .", ". . O X O"), False),  # D4 is in atari: White takes it instead of running
    ],
)
def test_katago_ladders_and_captures(change: tuple[str, str], catches: bool) -> None:
    seen = Seen("katago7", parse_diagram(LADDER.replace(*change)))
    assert (seen["ladder-move"] == E5) == catches


def test_katago_ladders_and_kos() -> None:
    """The defender wins a ko, but two kos are one too many: White dies, whatever threats there are."""
    two = """
        . . . . . . .
        X X X X X X X
        X O O O O O X
        O . O O O . O"""
    seen = Seen("katago7", parse_diagram(two))
    assert seen["ladder"] == lines("""
        .......
        .......
        .11111.
        1.111.1""")
    one = two.replace("X O O O O O X", "X O O O O O O")  # an eye in place of the other ko
    assert Seen("katago7", parse_diagram(one))["ladder"] == lines("""
        .......
        .......
        .......
        1......""")


AREA_NOW = """
    . X . X . . O
    X X X X O O O
    . . . X O . O
    X X X X O O .
    . O . X . O O"""


def test_katago_area() -> None:
    """Black's group is pass-alive with its corners, the white stone in them dead; White's is alive too."""
    seen = Seen("katago7", parse_diagram(AREA_NOW))
    assert seen["own-area"] == lines("""
        1111...
        1111...
        1111...
        1111...
        1111...""")
    assert seen["opponent-area"] == lines("""
        ......1
        ....111
        ....111
        ....111
        .....11""")
    territory = Seen("katago7", parse_diagram(AREA_NOW, rules=JAPANESE))
    assert {"own-area", "opponent-area"} <= territory.empty()


def test_katago_superko() -> None:
    """Black at B2 would take C2, C1 and B1 off the board as it was once: no ko, but superko."""
    moves = ["A1", "A2", "B2", "C2", "A2", "B1", "A1", "C1"]
    assert Seen("katago7", play(Board(3, 2, rules=CHINESE), *moves))["ko"] == ".1.\n..."
    assert "ko" in Seen("katago7", play(Board(3, 2, rules=JAPANESE), *moves)).empty()


def test_katago_suicide_of_one_stone_is_no_repetition() -> None:
    """Where suicide is allowed, a single stone is not banned by superko, but by its own rule."""
    board = play(Board(3, 2, rules=TROMP_TAYLOR), "A2", "C2", "B1", "C1", "B2")
    board.to_move = WHITE
    assert board.why_illegal(board.grid.parse("A1")) == "the move repeats an earlier position"
    assert "ko" in Seen("katago7", board).empty()


def test_katago_komi_and_rules() -> None:
    def numbers(rules: Rules, komi: float, *moves: str) -> dict[str, float]:
        seen = Seen("katago7", play(Board(5, rules=rules), *moves), komi=komi)
        return {
            scalar.name: seen.number(scalar.name) for scalar in seen.set.scalars if seen.number(scalar.name)
        }

    assert numbers(JAPANESE, 6.5) == pytest.approx({"komi": -6.5 / 20, "territory": 1, "tax-seki": 1})
    # Black's stone costs Black a point.
    assert numbers(JAPANESE, 6.5, "A1")["komi"] == pytest.approx(7.5 / 20)
    assert numbers(JAPANESE, 6.5, "A1", "B2")["komi"] == pytest.approx(-6.5 / 20)
    assert numbers(CHINESE, 7.5, "A1")["komi"] == pytest.approx(7.5 / 20)
    assert numbers(CHINESE, 500, "A1")["komi"] == pytest.approx((25 + 20) / 20)
    chinese = numbers(CHINESE, 7.5, "A1")
    assert (chinese["superko"], chinese["superko-kind"]) == (1, 0.5)
    assert numbers(AGA, 7.5, "A1")["superko-kind"] == -0.5
    assert numbers(NEW_ZEALAND, 7.5, "A1")["suicide"] == 1


# On a board of 25 points White draws with komi 7 and not with 6 or 8.
@pytest.mark.parametrize(
    ("komi", "wave"), [(7, 0), (7.25, 0.25), (7.5, 0.5), (8, 0), (8.5, -0.5), (6.5, -0.5)]
)
def test_katago_komi_parity(komi: float, wave: float) -> None:
    board = Board(5, rules=CHINESE)
    board.to_move = WHITE
    assert Seen("katago7", board, komi=komi).number("komi-parity") == pytest.approx(wave)


@pytest.mark.parametrize(
    ("rules", "set_up", "moves", "bonus"),
    [
        (CHINESE, "", ";B[aa]", 0),
        (CHINESE, "AB[bb][dd]", "", 2),
        (AGA, "AB[bb][dd]", "", 1),
        (JAPANESE, "AB[bb][dd]", "", 2),  # no bonus, but the two stones cost Black two points
        (CHINESE, "AB[bb][dd]AW[cc]", "", 0),  # a position, not a handicap
        (CHINESE, "", ";B[bb];B[dd];B[cc];W[aa]", 3),  # free placement
        (CHINESE, "", ";B[bb];W[];B[dd];W[aa]", 2),
        (CHINESE, "", ";B[bb];W[];W[];B[dd];W[aa]", 0),
    ],
)
def test_katago_handicap(rules: Rules, set_up: str, moves: str, bonus: float) -> None:
    game = Game.read(f"(;SZ[5]KM[0.5]{set_up}PL[W]{moves})", rules=rules)
    seen = Seen("katago7", game)
    sign = 1 if game.board_at().to_move == WHITE else -1
    assert seen.number("komi") * 20 == pytest.approx(sign * (0.5 + bonus))


def test_rules_as_katago_writes_them() -> None:
    text = {
        "ko": "SITUATIONAL",
        "scoring": "AREA",
        "suicide": False,
        "tax": "NONE",
        "whiteHandicapBonus": "N-1",
    }
    rules = rules_from_katago({**text, "friendlyPassOk": True, "hasButton": False})
    assert (rules.ko, rules.count, rules.handicap_bonus) == (AGA.ko, AGA.count, AGA.handicap_bonus)
    with pytest.raises(UnknownRules, match="not supported"):
        rules_from_katago({**text, "tax": "ALL"})


# sets and records ----------------------------------------------------------------------------------


def test_sizes_of_sets() -> None:
    shapes = {name: (len(planes.spatial), len(planes.scalars)) for name, planes in PLANE_SETS.items()}
    assert shapes == {"deepgo8": (8, 0), "darkforest25": (25, 0), "katago7": (22, 19)}
    for planes in PLANE_SETS.values():
        names = [plane.name for plane in (*planes.spatial, *planes.scalars)]
        assert len(set(names)) == len(names)
        assert all(plane.meaning for plane in (*planes.spatial, *planes.scalars))
    with pytest.raises(UnknownPlaneSet, match="there are deepgo8, darkforest25, katago7"):
        plane_set("alphago48")


ARCHIVE = b"""(;SZ[9]KM[7];B[ee];W[];B[ce])
(;SZ[9];B[ee];W[ee])
(;SZ[9];B[zz])
(;SZ[5:7]KM[0.5]RU[Chinese]AB[aa][bb]HA[2];W[cc];B[eg])
(;SZ[9];B[ee];AW[aa];B[cc])
(;GM[2];B[aa])
(;SZ[19]KM[x];B[pd])
(;SZ[9];B[aa"""


def test_records_skip_what_cannot_be_played() -> None:
    records = records_from_text(ARCHIVE)
    assert (len(records), records.skipped) == (3, 5)
    assert records.index.tolist() == [0, 3, 6]
    assert records.lengths.tolist() == [3, 2, 1]
    assert records.points.tolist() == [40, PASS_MOVE, 38, 12, 34, 3 * 19 + 15]
    assert records.colours.tolist() == [BLACK, WHITE, BLACK, WHITE, BLACK, BLACK]
    assert records.to_move.tolist() == [WHITE, WHITE, WHITE]
    assert list(zip(records.width, records.height, strict=True)) == [(9, 9), (5, 7), (19, 19)]
    assert records.komi.tolist() == [7, 0.5, 6.5]
    assert [records.rulesets[k].name for k in records.rules] == ["japanese", "chinese", "japanese"]
    assert records.setup_points.tolist() == [0, 6]
    assert records.setup_start.tolist() == [0, 0, 2, 2]
    assert (records.next_move(0, 0), records.next_move(0, 1)) == (40, 81)
    assert (records.next_colour(1, 0), records.next_colour(1, 2)) == (WHITE, WHITE)
    assert len(records_from_text(ARCHIVE, minimum=3)) == 1
    assert len(records_from_text(b"nothing here")) == 0


def test_boards_of_several_sizes_in_one_batch() -> None:
    records = records_from_text(ARCHIVE)
    for name in PLANE_SETS:
        spatial, scalars = encode_games(name, records)
        assert spatial.shape[2:] == (19, 19)
        assert not spatial[:4, :, 9:].any() and not spatial[:4, :, :, 9:].any()
        row = 0
        for game in range(3):
            width, height = records.width[game], records.height[game]
            alone, numbers = encode_games(name, records, [game])
            count = len(alone)
            np.testing.assert_array_equal(alone, spatial[row : row + count, :, :height, :width])
            np.testing.assert_array_equal(numbers, scalars[row : row + count])
            row += count


def test_set_up_in_the_middle_of_a_game() -> None:
    game = Game.read("(;SZ[5];B[cc];W[bb];B[dd];AW[ee]AE[cc];B[aa])")
    assert Seen("deepgo8", game, move=2)["own-3+"] == ".....\n.....\n..1..\n.....\n....."
    after = Seen("darkforest25", game)
    assert after["opponent"] == "1....\n.....\n.....\n...1.\n....."
    assert after["own"] == ".....\n.1...\n.....\n.....\n....1"


def test_a_board_with_and_without_its_history() -> None:
    board = play(Board(5, rules=JAPANESE), "A1", "B2", "C3", "pass")
    records = records_from_board(board)
    assert records.points.tolist() == [20, 16, 12, PASS_MOVE]
    assert board.move_number == 4  # untouched
    bare = records_from_board(board, history=False)
    assert (len(bare), bare.lengths.tolist(), bare.setup_points.tolist()) == (1, [0], [12, 16, 20])
    spatial, _ = encode_batch("katago7", bare, [0], [0])
    assert not spatial[0, 9:14].any()
    assert drawn(spatial[0, 1]) == ".....\n.....\n..1..\n.....\n1...."


def test_output_arrays_are_used() -> None:
    records = records_from_games([Game.read("(;SZ[5];B[cc];W[bb])")])
    spatial = np.full((2, 8, 7, 7), 9, np.float32)
    out, _ = encode_batch("deepgo8", records, [0, 0], [2, 0], out_spatial=spatial)
    assert np.shares_memory(out, spatial)
    assert spatial.max() == 1 and not spatial[:, :, 5:].any()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"games": [1], "moves": [0]}, "games 0 to 0"),
        ({"games": [0], "moves": [3]}, "more moves than its game has"),
        ({"games": [0], "moves": [-1]}, "more moves than its game has"),
        ({"games": [0], "moves": [0, 1]}, "equally many"),
        ({"games": [0], "moves": [0], "symmetries": [8]}, "from 0 to 7"),
        ({"games": [0], "moves": [0], "size": (4, 5)}, "does not fit into 4×5"),
        ({"games": [0], "moves": [0], "opponent_rank": 0}, "from 1 to 9"),
        ({"games": [0], "moves": [0], "out_spatial": np.zeros((1, 8, 5, 5))}, "contiguous float32"),
    ],
)
def test_wrong_arguments(arguments: dict[str, object], message: str) -> None:
    records = records_from_games([Game.read("(;SZ[5];B[cc];W[bb])")])
    with pytest.raises(PlanesError, match=message):
        encode_batch("deepgo8", records, **arguments)  # type: ignore[arg-type]


def test_wrong_moves_of_one_position() -> None:
    with pytest.raises(PlanesError, match="there is no move 1"):
        encode("deepgo8", Game.read("(;SZ[5])"), 1)
    with pytest.raises(PlanesError, match="no move numbers"):
        encode("deepgo8", Board(5), 1)
