"""An analysis for people: the table of regions, the board with letters, and the picture with numbers.

`text` is what `miai endgame` prints, `picture` its SVG, `summary` the lines under the board. Regions are
lettered in the order of their value. Counts are Black's points minus White's.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from string import ascii_letters

from miai.endgame.values import RegionValue, Type
from miai.endgame.whole import Analysis, Method, RegionAnswer
from miai.go import diagram
from miai.go.coords import BLACK, EMPTY, WHITE, opponent
from miai.go.diagram import NAMES, Markup, Shape
from miai.go.rules import Count
from miai.go.svg import svg

WORDS = {
    Type.BLACK_SENTE: "Black's sente",
    Type.WHITE_SENTE: "White's sente",
    Type.DOUBLE_SENTE: "double sente",
    Type.AMBIGUOUS: "sente or gote",
}
MOST_MOVES = 4  # named in a cell of the table
HEADINGS = ("", "worth", "count", "type", "Black plays", "White plays", "found by")
METHODS = {
    "search": "by searching the whole board",
    "orthodox": "by the orthodox order of moves",
    "forecast": "by taking turns at the largest moves",
}


def letters() -> Iterator[str]:
    """a, b, c … for the regions; after Z they get numbers."""
    yield from ascii_letters
    number = 1
    while True:
        yield str(number)
        number += 1


def text(analysis: Analysis, *, unicode: bool = True) -> str:
    """The board, the table and the summary."""
    drawn = diagram.text(analysis.board, board_markup(analysis), unicode=unicode)
    return "\n\n".join(part for part in (drawn, table(analysis), summary(analysis)) if part)


def board_markup(analysis: Analysis) -> Markup:
    """Letters on the empty points of the regions, marks on the stones in them."""
    labels: dict[int, str] = {}
    marks: dict[int, Shape] = {}
    for letter, answer in zip(letters(), analysis.regions, strict=False):
        for p in answer.value.region:
            if analysis.board[p] == EMPTY:
                labels[p] = letter[:1]
            else:
                marks[p] = "triangle"
    for undecided in analysis.undecided:
        labels.update((p, "?") for p in undecided.region if analysis.board[p] == EMPTY)
    return Markup(labels=labels, marks=marks)


# words ------------------------------------------------------------------------------------------


def table(analysis: Analysis) -> str:
    """The regions that are worth a move, the largest first; dame and settled ones in a line each."""
    rows: list[tuple[str, ...]] = [HEADINGS]
    idle: dict[Type, list[str]] = {}
    for letter, answer in zip(letters(), analysis.regions, strict=False):
        value = answer.value
        if value.miai_value > 0 or len(analysis.regions) == 1:
            rows.append((letter, *row(analysis, answer)))
        else:
            sure = f" {signed(value.count)}" if value.count else ""
            idle.setdefault(value.type, []).append(f"{letter} at {place(analysis, value)}{sure}")
    lines = []
    if len(rows) > 1:
        widths = [max(len(line[i]) for line in rows) for i in range(len(HEADINGS))]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in rows
        ]
    for kind, named in idle.items():
        lines.append(f"{WORDS.get(kind, kind.value).capitalize()}: {', '.join(named)}.")
    return "\n".join(lines)


def row(analysis: Analysis, answer: RegionAnswer) -> tuple[str, ...]:
    """The cells of one region, without its letter."""
    value = answer.value
    kind = WORDS.get(value.type, value.type.value)
    moves = [plays(analysis, value.moves(black)) for black in (True, False)]
    return str(value.miai_value), signed(value.count), kind, *moves, found_by(answer)


def found_by(answer: RegionAnswer) -> str:
    if answer.method is Method.SEARCH:
        return "search, exact" if answer.value.exact else "search, if the walls hold"
    if answer.method is Method.OWNERSHIP:
        return "the network's ownership"
    return "estimate"


def plays(analysis: Analysis, moves: tuple[int, ...]) -> str:
    names = analysis.board.grid.names(list(moves))
    return " ".join(names[:MOST_MOVES]) + (" …" if len(names) > MOST_MOVES else "") if names else "-"


def place(analysis: Analysis, value: RegionValue) -> str:
    """A point to find a region by."""
    empty = [p for p in value.region if analysis.board[p] == EMPTY] or list(value.region)
    return analysis.board.grid.name(empty[0])


def signed(number: Fraction) -> str:
    return f"+{number}" if number > 0 else str(number)


def score(number: Fraction) -> str:
    """ "B+7/2", "W+1/2", "even"."""
    if number == 0:
        return "even"
    return f"{'B' if number > 0 else 'W'}+{abs(number)}"


def summary(analysis: Analysis) -> str:
    """What the table does not show: the count, the results, what to play first, what was assumed."""
    board = analysis.board
    mover = NAMES[board.to_move]
    lines = []
    if not analysis.regions and not analysis.undecided:
        lines.append("Nothing is open: every point is settled.")
    if analysis.count is not None:
        how = "area" if analysis.counting is Count.AREA else "territory"
        lines.append(
            f"Count: {score(analysis.count)} by {how}, with komi {decimal(analysis.komi)}; {mover} to move."
        )
    if analysis.black_first is not None and analysis.white_first is not None:
        other = opponent(board.to_move)
        results = {BLACK: analysis.black_first, WHITE: analysis.white_first}
        lines.append(
            f"With correct play: {score(results[board.to_move])} ({NAMES[other]} first: "
            f"{score(results[other])}), {METHODS[analysis.method]}."
        )
    if order := order_words(analysis):
        lines.append(order)
    for each in analysis.undecided:
        lines.append(f"No value at {board.grid.name(each.region[0])}: {each.reason}.")
    lines += [f"Assumed: {sentence}" for sentence in assumed(analysis)]
    return "\n".join(lines)


def assumed(analysis: Analysis) -> list[str]:
    """What the values rest on: everything for one region, for a board the main point of each."""
    regions = [answer.value.assumptions for answer in analysis.regions]
    if len(regions) > 1:
        regions = [said[:1] for said in regions]
    said = list(dict.fromkeys([*analysis.assumptions, *(sentence for each in regions for sentence in each)]))
    if len(said) > MOST_ASSUMED:
        said[MOST_ASSUMED:] = [f"(… and more, {len(said) - MOST_ASSUMED} in all: see --json.)"]
    return said


MOST_ASSUMED = 4


def order_words(analysis: Analysis) -> str:
    """What the side to move should play: its sente first, then the largest."""
    black = analysis.board.to_move == BLACK
    value = analysis.value
    sente = [move for move in value.sente_first(black) if move.points]
    order = value.black_order if black else value.white_order
    largest = next((move for move in order if move not in sente and move.points), None)
    name = analysis.board.grid.name
    parts = []
    if sente:
        parts.append("in sente " + ", ".join(name(move.points[0]) for move in sente))
    if largest is not None:
        role = {"ambiguous": "sente or gote"}.get(largest.role, largest.role)
        parts.append(f"{'then ' if sente else ''}{name(largest.points[0])} ({largest.miai_value}, {role})")
    return f"{NAMES[analysis.board.to_move]} plays {'; '.join(parts)}." if parts else ""


def decimal(number: Fraction) -> str:
    return f"{float(number):g}"


# the picture ------------------------------------------------------------------------------------


def picture(analysis: Analysis) -> str:
    """The board as SVG: regions outlined and lettered, the worth of a move on the points to play."""
    labels: dict[int, str] = {}
    heat: dict[int, float] = {}
    largest = max((float(answer.value.miai_value) for answer in analysis.regions), default=0.0)
    region: list[int] = []
    for letter, answer in zip(letters(), analysis.regions, strict=False):
        value = answer.value
        region += value.region
        free = [p for p in value.region if analysis.board[p] == EMPTY]
        if value.miai_value > 0:
            for p in {*value.moves(True), *value.moves(False)}:
                labels[p] = number_label(value.miai_value)
                heat[p] = float(value.miai_value) / largest
        unused = [p for p in free if p not in labels]
        if unused:
            labels[unused[0]] = letter
    crosses: dict[int, Shape] = dict.fromkeys(analysis.dead, "cross")
    title = None if analysis.count is None else f"Count {score(analysis.count)}"
    return svg(analysis.board, Markup(labels=labels, heat=heat, region=region, marks=crosses), title=title)


def number_label(number: Fraction) -> str:
    """A value in three characters where that is possible: "3/2", "0.9", "12"."""
    exact = str(number)
    return exact if len(exact) <= 3 else f"{float(number):.1f}"
