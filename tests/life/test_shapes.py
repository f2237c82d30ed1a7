"""What every Go player knows, as a table: eye spaces up to six points, and the shapes with names."""

from __future__ import annotations

import pytest

from life.judge import DEFENDER, ENDLESS, Judge
from life.shapes import drawn, placed, polyominoes, walled
from miai.go.coords import EMPTY
from miai.go.diagram import parse_marked
from miai.life.frame import flood
from miai.life.problem import Problem
from miai.life.verdict import Solver, Verdict

# Eye spaces that are not simply alive, wherever they are …
DEAD = [drawn(shape) for shape in ("#", "##", "##/##")]
UNSETTLED = {
    "straight three": drawn("###"),
    "bent three": drawn("##/#."),
    "pyramid four": drawn("###/.#."),
    "bulky five": drawn("##./###"),
    "crossed five": drawn(".#./###/.#."),
    "rabbity six": drawn(".#./###/.##"),
}
# … and those that the corner weakens: outside liberties, shape in the top left corner, status.
CORNER = {
    (0, "###/#.."): "ko",  # bent four
    (1, "###/#.."): "ko",
    (0, "###/###"): "unsettled",  # rectangular six
    (1, "###/###"): "ko",
    (0, "####/##.."): "seki",
    (0, "###/##./#.."): "seki",
    (0, "###/##./.#."): "seki",
}


def verdict_on(problem: Problem) -> Verdict:
    return Solver(problem, seconds=60, memory=64).verdict()


@pytest.mark.parametrize("outside", [0, 1, 2])
@pytest.mark.parametrize("place", ["corner", "side", "centre"])
@pytest.mark.parametrize("size", range(1, 7))
def test_eye_spaces(size: int, place: str, outside: int) -> None:
    exceptions = {}
    if place == "corner":
        exceptions = {_points(shape): status for (free, shape), status in CORNER.items() if free == outside}
    wrong = []
    for shape in polyominoes(size):
        usual = "dead" if shape in DEAD else "unsettled" if shape in UNSETTLED.values() else "alive"
        for space in placed(shape, place):
            mirrored = frozenset((c, r) for r, c in space)
            expected = exceptions.get(space) or exceptions.get(mirrored) or usual
            if (status := verdict_on(walled(space, outside)).status.value) != expected:
                wrong.append((sorted(space), expected, status))
    assert not wrong


def _points(shape: str) -> frozenset[tuple[int, int]]:
    rows = shape.split("/")
    return frozenset((r, c) for r, row in enumerate(rows) for c, sign in enumerate(row) if sign == "#")


# X attacks, o is the target. Walls have no gaps; the region is all that the target can reach.
# name, diagram, result if the attacker begins with its moves, result if the defender begins with its moves
SHAPES = [
    (
        "L group",
        """
        X X X X X .
        . o o o X .
        . . . o X .
        . . . . X .""",
        ("dead", None),
        ("dead", None),
    ),
    (
        "L+1 group, leg on the long side",
        """
        X . . . . .
        . X X X X .
        . o o o X X
        . . . o X X
        . . . o . X""",
        ("dead", None),
        ("alive", None),
    ),
    (
        "L+1 group, leg on the short side",
        """
        X X . . . .
        . X X X X .
        o o o o X .
        . . . o X X
        . . . . . X""",
        ("dead", None),
        ("alive", None),
    ),
    (
        "carpenter's square",
        """
        X . . . . .
        . X X X X .
        . o o o X .
        . . . o X X
        . . . o X X
        . . . . . X""",
        ("ko", None),  # at the vital point B2, and in other ways too
        ("alive", {"B2"}),
    ),
    (
        "bent four in the corner",
        """
        X X X X . .
        o o X X X .
        . o o o X X
        X o o o o X
        X X . o o X""",
        ("ko", None),
        ("ko", None),
    ),
    (
        "bulky five in atari",
        """
        X X X X X X .
        X o o o o X .
        X o X X o X .
        X o X X o X .
        X o X . o X .""",
        ("dead", None),
        ("dead", None),
    ),
    (
        "two false eyes",
        """
        . X X X X X . .
        X X o o o X X .
        X o . X . o X .
        X X o o o X X .
        . X X X X X . .""",
        ("dead", None),
        ("dead", None),
    ),
    (
        "seki: five in a row, three of them taken",
        """
        . X X X X X X X .
        X X o o o o o X X
        X o o o o o o o X
        X o . X X X . o X""",
        ("seki", None),
        ("seki", None),
    ),
    (
        "tripod group",
        """
        X X . . . . .
        . X X X . . .
        . o o X X . .
        . . o o X X .
        . . . o X X .
        . . . . . X .""",
        ("dead", {"B2"}),  # the shape is its own mirror image, and only B2 is on the axis with room around
        ("alive", {"B2"}),
    ),
    (
        "J group",
        """
        X X X X X X . .
        . o o o X X X .
        . . . o o X X .
        . . . . . . X .""",
        ("dead", {"A3", "B2"}),  # the L group's moves: the hook reaches the edge, but makes no eye there
        ("alive", None),
    ),
    (
        "two-headed dragon",
        """
        . X o o o . o o X .
        . X o X X o o o X .
        . X o X . X X o X .
        . X o X X . X o X .
        . X o X X X X o X .
        . X o o o X X o X .
        . X o o . o o o X .""",
        ("alive", None),  # both eyes are false, but each half has both as liberties
        ("alive", None),
    ),
    (
        "oiotoshi",
        """
        . . . . . . . . . .
        . X X X X X X X X .
        . X o o . o o o X .
        . X o . o o . o X .""",
        ("dead", {"E2"}),  # atari on the left; when D1 connects, all of it has the one liberty G1
        ("alive", {"E2"}),
    ),
    (
        "ten-thousand-year ko",
        """
        . . . . . . .
        X X X X X . .
        X o o o X . .
        o o . o X X .
        o X X o o X .
        . O X . o X .""",
        (
            "ko",
            {"pass", "A1"},
        ),  # Black takes at A1, but whoever then fills C3 or D1 lets the other take first
        ("ko", {"pass"}),
    ),
    (
        "ten-thousand-year ko, taken and connected",
        """
        . . . . . . .
        X X X X X . .
        X o o o X . .
        o o . o X X .
        o X X o o X .
        X X X . o X .""",
        ("seki", None),  # two liberties, both shared: who fills one is captured at the other
        ("seki", None),
    ),
]


def problem_from_shape(diagram: str) -> Problem:
    board, marks = parse_marked(diagram)
    target = tuple(marks["o"])
    attacker = 1 if board[target[0]] == 2 else 2
    region = flood(board.grid, target, set(map(int, board.grid.points)) - _inside(board, target, attacker))
    return Problem(board, target, tuple(sorted(region)), attacker)


def _inside(board, target, attacker):  # type: ignore[no-untyped-def]
    """What the target can reach, attacking stones in there included."""
    walls = set(board.stones(attacker))
    reached = flood(board.grid, target, walls)
    for stone in sorted(walls):
        chain = board.chain(stone)
        around = {q for s in chain.stones for q in board.grid.neighbours(s)} - walls
        if around <= reached and any(board[q] == EMPTY for q in around):
            reached |= set(chain.stones)
    return reached


@pytest.mark.parametrize(("name", "diagram", "attack", "defence"), SHAPES, ids=[shape[0] for shape in SHAPES])
def test_shapes(name: str, diagram: str, attack: tuple, defence: tuple) -> None:  # type: ignore[type-arg]
    verdict = verdict_on(problem_from_shape(diagram))
    for first, (result, moves) in ((verdict.attacker_first, attack), (verdict.defender_first, defence)):
        assert first.result.value == result
        if moves is not None:
            best = (first.ko.moves if first.ko else ()) or first.moves
            assert set(verdict.board.grid.names(list(best))) == moves


DOUBLE_KO = """
    . X . O X . . .
    . . O O X . . .
    . . . . X . . .
    o o o X . . . .
    X X X . . . . ."""


def test_double_ko_is_life() -> None:
    """Threats without end keep the group from two eyes; no number of them does, and it never dies."""
    problem = problem_from_shape(DOUBLE_KO)
    first = verdict_on(problem).defender_first
    assert (first.result.value, first.double_ko) == ("alive", True)
    grid = problem.board.grid

    def places(points: list[int]) -> set[tuple[int, int]]:
        return {grid.row_column(point) for point in points}

    judge = Judge(
        grid.width,
        grid.height,
        attacker=places(problem.board.stones(problem.attacker)),
        defender=places(problem.board.stones(problem.defender)),
        region=places(list(problem.region)),
        target=places(list(problem.target)),
        most_states=2_000_000,
    )
    assert not judge.captures(judge.start, DEFENDER, threats=(ENDLESS, 0))
    assert not judge.makes_eyes(judge.start, DEFENDER, threats=(ENDLESS, 0))


UNDER_THE_STONES = """
    . . . . . . . .
    X X X X X X X .
    X X o o o o X .
    O O X o . o X .
    O O . o . o X ."""


def test_under_the_stones() -> None:
    """Black takes four stones and has two of his own cut off below: B2 is atari, and B1 does not help."""
    problem = problem_from_shape(UNDER_THE_STONES)
    assert verdict_on(problem).status.value == "alive"
    board, grid = problem.board.copy(), problem.board.grid
    board.to_move = problem.attacker
    assert board.play(grid.parse("C1")) == 4
    verdict = verdict_on(Problem(board, problem.target, problem.region, problem.defender))
    assert verdict.attacker_first.result.value == "dead"  # after B2 or B1 by Black there is one eye
    assert (verdict.defender_first.result.value, grid.names(list(verdict.moves))) == ("alive", ["B2"])
