"""A verdict as a Go player would say it, and the board with the answer drawn on it."""

from __future__ import annotations

from collections.abc import Sequence

from miai.go.coords import EMPTY, PASS, opponent
from miai.go.diagram import NAMES, Markup, Shape, text
from miai.go.svg import svg
from miai.life.verdict import MOST_THREATS, First, Ko, Result, Status, Verdict

FENCE = "#"
NUMBERS = {1: "one", 2: "two", 3: "three"}
MAKES = {Result.ALIVE: "makes life", Result.SEKI: "makes seki", Result.UNKNOWN: "saves the group"}
MOST_LABELS = 8  # with more moves than this to choose from, there is nothing to point at


def sentence(verdict: Verdict) -> str:
    """The verdict in a sentence or two."""
    problem = verdict.problem
    attacker, defender = NAMES[problem.attacker], NAMES[problem.defender]
    a, d = verdict.attacker_first, verdict.defender_first
    match verdict.status:
        case Status.ALIVE:
            how = " by double ko" if a.double_ko else ""
            return f"{defender} is alive{how}, even if {attacker} moves first."
        case Status.SEKI:
            more = f" if {attacker} plays {_moves(verdict, a)}; {_defence(verdict, d)}"
            return f"{defender} is alive in seki{more if d.result is Result.ALIVE else ''}."
        case Status.DEAD:
            return f"{defender} is dead, even if {defender} moves first."
        case Status.KO if PASS in a.moves:  # then the defender's moves make no difference
            return f"It is ko, whoever moves first{_ko(a.ko)}."
        case Status.UNKNOWN if _is_open(a) and _is_open(d) and not (a.moves or d.moves):
            return "Not decided within the budget, whoever moves first."
        case Status.UNKNOWN if a.survives:
            return f"{defender} cannot be captured; two eyes or seki, that is not decided."
    return f"{_capital(_attack(verdict, a))}; {_defence(verdict, d)}."


def _is_open(first: First) -> bool:
    return first.result is Result.UNKNOWN and not first.survives


def _attack(verdict: Verdict, first: First) -> str:
    """What becomes of the group if the attacker begins."""
    attacker, defender = NAMES[verdict.problem.attacker], NAMES[verdict.problem.defender]
    match first.result:
        case Result.DEAD:
            return f"{defender} is dead if {attacker} plays {_moves(verdict, first)}"
        case Result.KO:
            return f"it is ko if {attacker} plays {_moves(verdict, first)}{_ko(first.ko)}"
        case Result.UNKNOWN if _is_open(first) and first.moves:
            return f"{defender} dies, at least by ko, if {attacker} plays {_moves(verdict, first)}"
        case Result.UNKNOWN if _is_open(first):
            return f"not decided within the budget if {attacker} moves first"
    return f"{defender} survives if {attacker} moves first"


def _defence(verdict: Verdict, first: First) -> str:
    """What becomes of the group if the defender begins."""
    defender = NAMES[verdict.problem.defender]
    match first.result:
        case Result.DEAD:
            return f"it is dead even if {defender} moves first"
        case Result.KO:
            return f"if {defender} moves first, {_moves(verdict, first)} makes ko{_ko(first.ko)}"
        case Result.UNKNOWN if _is_open(first) and first.moves:
            return f"if {defender} moves first, {_moves(verdict, first)} lives, at least by ko"
        case Result.UNKNOWN if _is_open(first):
            return f"not decided within the budget if {defender} moves first"
    return f"if {defender} moves first, {_moves(verdict, first)} {MAKES[first.result]}"


def _ko(ko: Ko | None) -> str:
    if ko is None or ko.favoured is None:
        return ""
    taker, other = NAMES[ko.favoured], NAMES[opponent(ko.favoured)]
    if not ko.counted:
        return f" ({taker} takes first)"
    if ko.threats is None:
        return f" ({taker} wins it unless {other} has more than {NUMBERS[MOST_THREATS]} threats more)"
    threats = f"{NUMBERS[ko.threats]} threat{'s' if ko.threats > 1 else ''} more"
    steps = ", for it takes approach moves or several kos" if ko.threats > 1 else ""
    return f" ({taker} takes first and {other} needs {threats}{steps})"


def _moves(verdict: Verdict, first: First) -> str:
    """The moves that reach the result, "B2 or A2"."""
    moves = shown_moves(first)
    names = verdict.board.grid.names(list(moves))
    if PASS in first.moves:
        return "elsewhere"
    if not names:
        return "first"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def shown_moves(first: First) -> tuple[int, ...]:
    """The best moves: of a ko, those that need the fewest threats."""
    return (first.ko.moves if first.ko is not None else ()) or first.moves


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def remarks(verdict: Verdict) -> list[str]:
    """What else there is to say: the line, what was assumed, what was left open."""
    problem, grid = verdict.problem, verdict.board.grid
    lines = []
    if verdict.line:
        colours = [problem.to_move, opponent(problem.to_move)]
        moves = [f"{NAMES[colours[i % 2]][0]} {grid.name(move)}" for i, move in enumerate(verdict.line)]
        lines.append(f"Line: {', '.join(moves)}.")
    if still_open := verdict.first.undecided:
        few = len(still_open) <= MOST_LABELS
        what = ", ".join(grid.names(list(still_open))) if few else f"{len(still_open)} other moves"
        lines.append(f"Not decided within the budget: {what}.")
    if problem.guessed:
        chain = f"{NAMES[problem.defender]}'s chain at {grid.name(problem.target[0])}"
        lines.append(f"Nothing is marked: {chain} was taken as the target.")
    if problem.framed:
        lines.append(f"Points marked {FENCE}, and all beyond, are taken to be {NAMES[problem.attacker]}'s.")
    return lines


# drawing ----------------------------------------------------------------------------------------


def drawing(verdict: Verdict, *, unicode: bool = True, dim: bool = False) -> str:
    """The part of the board that matters: target marked, winning moves lettered, fence as #."""
    problem = verdict.problem
    fence = dict.fromkeys((p for p in problem.frame.fence if problem.board[p] == EMPTY), FENCE)
    markup = Markup(labels={**fence, **_letters(verdict)}, marks=_target_marks(verdict))
    drawn = text(problem.board, markup, unicode=unicode, crop=problem.region)
    return drawn.replace(FENCE, f"\033[2m{FENCE}\033[0m") if dim else drawn


def picture(verdict: Verdict) -> str:
    """The same as SVG, with crosses for the fence and the verdict's status above."""
    problem = verdict.problem
    crosses: dict[int, Shape] = dict.fromkeys(problem.frame.fence, "cross")
    markup = Markup(
        labels=_letters(verdict), marks={**crosses, **_target_marks(verdict)}, region=problem.region
    )
    title = f"{NAMES[problem.to_move]} to move: {verdict.status}"
    return svg(problem.board, markup, crop=[*problem.region, *problem.frame.fence], title=title)


def _target_marks(verdict: Verdict) -> dict[int, Shape]:
    return dict.fromkeys(verdict.problem.target, "triangle")


def _letters(verdict: Verdict) -> dict[int, str]:
    moves: Sequence[int] = shown_moves(verdict.first)
    if PASS in moves or len(moves) > MOST_LABELS:
        return {}
    return {move: "abcdefgh"[i] for i, move in enumerate(moves)}
