"""What a network expects of a position, for people: next moves, continuation, win rate, score, owners.

`predict` asks the network and returns a `Prediction`, plain data with `to_json`; `text` and `picture`
draw one. The command `miai predict` and the web page only print these. All sides are Black's, but for
the moves, which are those of the side to move.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from miai.go import diagram
from miai.go.board import Board
from miai.go.coords import BLACK, COLOUR_LETTERS, EMPTY, NO_POINT, PASS, WHITE, Grid, opponent
from miai.go.diagram import Markup, Shape
from miai.go.game import Game
from miai.go.svg import CELL, svg
from miai.nets.planes import PASS_MOVE, Records, records_from_games
from miai.nets.positions import legal_mask, point_of
from miai.nets.runtime import NO_RESULT, Evaluation, Network

LENGTH = 3  # moves of a continuation that is played out
SHOWN = 0.005  # a move less likely than this gets no mark on the board
OWNED = 0.35  # from here on a point is drawn as somebody's


@dataclass(frozen=True)
class Guess:
    """A move and how likely it is."""

    colour: int
    point: int
    probability: float


@dataclass(frozen=True)
class Prediction:
    """What a network says of one position. What it has no opinion on is None."""

    network: str
    board: Board
    move: int  # how many moves led to it
    last: int  # the last move, or NO_POINT
    moves: tuple[Guess, ...]  # the likeliest, best first
    continuation: tuple[Guess, ...]  # the next moves of both sides
    steps: int  # moves of the continuation that were predicted at one look; the others were played out
    winrate: float | None  # Black's, a game without result counting half
    no_result: float | None
    lead: float | None  # Black's, in points
    ownership: npt.NDArray[np.float32] | None  # [height, width] 1 Black … -1 White

    def to_json(self) -> dict[str, Any]:
        """The documented form: see docs/nets-katago.md."""
        name = self.board.grid.name
        return {
            "network": self.network,
            "size": list(self.board.size),
            "move": self.move,
            "to_move": COLOUR_LETTERS[self.board.to_move],
            "moves": [
                {"move": name(guess.point), "probability": _rounded(guess.probability)}
                for guess in self.moves
            ],
            "continuation": [
                {
                    "colour": COLOUR_LETTERS[guess.colour],
                    "move": name(guess.point),
                    "probability": _rounded(guess.probability),
                }
                for guess in self.continuation
            ],
            "steps": self.steps,
            "winrate": _rounded(self.winrate),
            "no_result": _rounded(self.no_result),
            "lead": _rounded(self.lead, 3),
            "ownership": None if self.ownership is None else self.ownership.astype(float).round(3).tolist(),
        }


def predict(
    network: Network, game: Game, move: int | None = None, *, top: int = 10, symmetries: int = 8
) -> Prediction:
    """What `network` says of the position after `move` moves of `game`, by default at its end."""
    move = len(game) if move is None else move
    board = game.board_at(move)
    records = records_from_games([game], until=move)
    said = network.evaluate(records, symmetries=symmetries)
    probabilities = said.policy[0, 0]
    order = np.argsort(-probabilities, kind="stable")[:top]
    moves = tuple(
        Guess(board.to_move, point_of(board.grid, int(i)), float(probabilities[i]))
        for i in order
        if probabilities[i] > 0
    )
    return Prediction(
        network=network.name,
        board=board,
        move=move,
        last=int(game.points[move - 1]) if move else NO_POINT,
        moves=moves,
        continuation=_continuation(network, records, board, said, symmetries),
        steps=network.steps,
        winrate=None if said.winrate is None else float(said.winrate[0]),
        no_result=None if said.value is None else float(said.value[0, NO_RESULT]),
        lead=None if said.lead is None else float(said.lead[0]),
        ownership=None if said.ownership is None else said.ownership[0],
    )


def _continuation(
    network: Network, records: Records, board: Board, said: Evaluation, symmetries: int
) -> tuple[Guess, ...]:
    """The likeliest next moves: as many as the network sees at one look, else played out one by one."""
    board = board.copy()
    line: list[Guess] = []
    for i in range(max(network.steps, LENGTH)):
        step = i
        if i >= network.steps:  # look again, from here
            for guess in line[-1:] if i > network.steps else line:
                records = _played(records, board.grid, guess)
            said = network.evaluate(records, symmetries=symmetries)
            step = 0
        chances = said.policy[0, step]
        legal = np.where(legal_mask(board), chances, -1.0)  # what was legal before may not be any more
        place = int(legal.argmax())
        line.append(Guess(board.to_move, point_of(board.grid, place), float(chances[place])))
        board.play(line[-1].point)
    return tuple(line)


def _played(records: Records, grid: Grid, guess: Guess) -> Records:
    """A record of one game, with one move more."""
    row, column = grid.row_column(guess.point)
    place = PASS_MOVE if guess.point == PASS else row * grid.width + column
    return replace(
        records,
        points=np.append(records.points, np.int16(place)),
        colours=np.append(records.colours, np.int8(guess.colour)),
        start=records.start + np.array([0, 1]),
        to_move=np.array([opponent(guess.colour)], np.int8),
    )


def _rounded(number: float | None, digits: int = 6) -> float | None:
    return None if number is None else round(number, digits)


# drawing ----------------------------------------------------------------------------------------


def percents(prediction: Prediction) -> dict[int, str]:
    """The label of each likely move: its chance in per cent."""
    return {
        guess.point: f"{100 * guess.probability:.0f}"
        for guess in prediction.moves
        if guess.point != PASS and guess.probability >= SHOWN
    }


def text(prediction: Prediction, *, unicode: bool = True) -> str:
    """Everything as lines of text: the board with percents, the moves, the outlook, the owners."""
    board = prediction.board
    markup = Markup(labels=percents(prediction), last_move=prediction.last)
    parts = [diagram.text(board, markup, unicode=unicode), summary(prediction)]
    if prediction.ownership is not None:
        parts.append(owners(prediction, unicode=unicode))
    return "\n\n".join(parts)


def summary(prediction: Prediction) -> str:
    """What the boards do not show, in lines."""
    name = prediction.board.grid.name
    who = diagram.NAMES[prediction.board.to_move]
    likely = ", ".join(f"{name(g.point)} {100 * g.probability:.1f} %" for g in prediction.moves)
    after = f"After move {prediction.move}" if prediction.move else "At the start"
    lines = [f"{after}, {who} to move, by {prediction.network}.", f"Next: {likely}"]
    expected = ", ".join(f"{COLOUR_LETTERS[g.colour]} {name(g.point)}" for g in prediction.continuation)
    lines.append(f"Expected: {expected}")
    if prediction.winrate is not None:
        lines.append(f"Black wins: {100 * prediction.winrate:.1f} %")
    if prediction.lead is not None:
        lines.append(f"Score: {score_words(prediction.lead)}")
    return "\n".join(lines)


def score_words(lead: float) -> str:
    """ "B+3.5" for a lead of Black's; "even" below half a tenth of a point."""
    if abs(lead) < 0.05:
        return "even"
    return f"{'B' if lead > 0 else 'W'}+{abs(lead):.1f}"


def owners(prediction: Prediction, *, unicode: bool = True) -> str:
    """The board with whose each empty point will be, and stones that will be the other side's marked."""
    board, owned = prediction.board, owned_points(prediction)
    signs = {BLACK: "■", WHITE: "□"} if unicode else {BLACK: "b", WHITE: "w"}
    labels = {point: signs[colour] for point, colour in owned.items() if board[point] == EMPTY}
    lost: dict[int, Shape] = {
        point: "triangle" for point, colour in owned.items() if board[point] == opponent(colour)
    }
    drawn = diagram.text(board, Markup(labels=labels, marks=lost), unicode=unicode)
    marked = "▲△" if unicode else "xo"
    whose = f"{signs[BLACK]} Black's, {signs[WHITE]} White's"
    return f"{drawn}\nOwners: {whose}; {marked[0]} {marked[1]} stones that look lost."


def owned_points(prediction: Prediction) -> dict[int, int]:
    """Points that look like somebody's, and whose."""
    if prediction.ownership is None:
        return {}
    shares = zip(prediction.board.grid.points.tolist(), prediction.ownership.ravel().tolist(), strict=True)
    return {point: BLACK if share > 0 else WHITE for point, share in shares if abs(share) >= OWNED}


def picture(prediction: Prediction) -> str:
    """One SVG: the board with the likely moves, and beside it, if the network knows, the owners."""
    board = prediction.board
    best = max((guess.probability for guess in prediction.moves), default=1.0)
    heat = {g.point: g.probability / best for g in prediction.moves if g.point in percents(prediction)}
    markup = Markup(labels=percents(prediction), heat=heat, last_move=prediction.last)
    left = svg(board, markup)
    if prediction.ownership is None:
        return left
    right = svg(board).removesuffix("</svg>\n") + "\n".join(_shares(prediction)) + "\n</svg>\n"
    width, height = (2.5 * CELL + (side - 1) * CELL for side in board.size)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{2 * width + CELL:g}" height="{height:g}" '
        f'viewBox="0 0 {2 * width + CELL:g} {height:g}">\n{left}'
        f'<svg x="{width + CELL:g}" width="{width:g}" height="{height:g}">\n{right}</svg>\n</svg>\n'
    )


def _shares(prediction: Prediction) -> list[str]:
    """A square on each point, the larger the surer its owner."""
    assert prediction.ownership is not None
    squares = []
    for (row, column), share in np.ndenumerate(prediction.ownership):
        side = 0.5 * CELL * min(abs(float(share)), 1.0) ** 0.5
        if side < 0.08 * CELL:
            continue
        x, y = (1.25 * CELL + place * CELL - side / 2 for place in (column, row))
        fill, edge = ("#000", "#fff") if share > 0 else ("#fff", "#000")
        squares.append(
            f'<rect x="{x:.2f}" y="{y:.2f}" width="{side:.2f}" height="{side:.2f}" '
            f'fill="{fill}" stroke="{edge}" stroke-width=".5"/>'
        )
    return squares
