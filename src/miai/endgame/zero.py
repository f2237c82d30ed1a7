"""Values at temperature 0, where moves cost nothing: the foot that the walls of a ko stand on.

Two passes end the game and the position is counted as it stands. `at_zero` solves that exactly, with
a given value for play that never ends. Where that value matters, going round counts like the quiet
positions of the loop (a group alive by double ko is alive however long the kos are taken), and
`just_above_zero` lets moves cost a trifle, so that only loops that cost both sides the same are left.
`foot` puts them together for `kos.py`.
"""

from __future__ import annotations

from enum import Enum
from fractions import Fraction
from math import ceil, lcm
from statistics import median_high, median_low

import numpy as np

from miai.endgame.thermograph import Number, ratio
from miai.endgame.turns import Rule, Rules, Turn

STEEPEST, LONGEST_LOOP = 8, 6
"""What `just_above_zero` allows for: points a wall may rise a degree, moves a loop costs its loser once."""

Values = dict[Turn, Number]


class Endless(Enum):
    """Who profits from play that never ends, where the rules of Go give no result."""

    AS_IT_STANDS = "counted as the position stands"
    FOR_BLACK = "the best for Black"
    FOR_WHITE = "the best for White"


def foot(rules: Rules, outside: Values, endless: Endless) -> tuple[Values, set[int]]:
    """The values of all turns at temperature 0, and the nodes where endless play decides them.

    `outside` are the values of the turns that the rules lead to and do not define.
    """
    stops = [stop for _, _, stop in rules.pairs]
    worst, best = min([*stops, *outside.values()]), max([*stops, *outside.values()])
    low, high = at_zero(rules, outside, worst), at_zero(rules, outside, best)
    if low == high:
        return low, set()
    board_low = at_zero(rules, outside, worst, a_pass_is_a_pass=True)
    board_high = at_zero(rules, outside, best, a_pass_is_a_pass=True)
    quiet = {
        board_low[black.turn]
        for black, white, _ in rules.pairs
        if board_low[black.turn] == board_low[white.turn] == board_high[black.turn] == board_high[white.turn]
    }
    if len(quiet) == 1:
        going_round = next(iter(quiet))
        undecided = {turn.node for turn in low if board_low[turn] != board_high[turn]}
    else:
        going_round = _middle(stops)
        undecided = {turn.node for turn in low if low[turn] != high[turn]}
    start = {turn: max(low[turn], min(high[turn], going_round)) for turn in low}
    if undecided and endless is not Endless.AS_IT_STANDS:
        start = high if endless is Endless.FOR_BLACK else low
    return just_above_zero(rules, outside, start), undecided


def _middle(values: list[Number]) -> Number:
    """The median; between the two middle ones if their number is even, so that no colour is favoured."""
    return ratio(median_low(values) + median_high(values), 2)


def at_zero(rules: Rules, outside: Values, endless: Number, *, a_pass_is_a_pass: bool = False) -> Values:
    """Values when moves cost nothing and two passes end the game; endless play counts as `endless`.

    Thermographs want the limit from above, where a turn elsewhere under a ban is no pass: coupons
    are left. With `a_pass_is_a_pass` the game ends as it does on the board.
    """
    every = rules.all()
    values: Values = {rule.turn: endless for rule in every}
    free = {rule.turn: (rule, stop) for black, white, stop in rules.pairs for rule in (black, white)}

    def results(rule: Rule) -> list[Number]:
        return [values[turn] if turn in values else outside[turn] for turn in rule.moves]

    def after_pass(turn: Turn) -> Number:
        """What a turn is worth after the opponent's pass: the player may end the game."""
        if turn not in free:
            return values[turn]
        rule, stop = free[turn]
        return turn.best([stop, *results(rule)])

    changed = True
    while changed:
        changed = False
        for rule in every:
            found = results(rule)
            if rule.elsewhere is not None:
                may_end = rule.turn in free or a_pass_is_a_pass
                found.append(after_pass(rule.elsewhere) if may_end else values[rule.elsewhere])
            value = rule.turn.best(found)
            if values[rule.turn] != value:
                values[rule.turn] = value
                changed = True
    return values


def just_above_zero(rules: Rules, outside: Values, end: Values) -> Values:
    """The values when moves cost next to nothing, where at no cost at all play could be endless.

    Plays the coupon stack itself, before the values `end`, the j-th turn from the end with a tax of j.
    A point is worth so many coupons that the tax stays far below it, and there are so many turns that
    loops that cost one side more than the other cost it more than there is to win. What is left is
    rounded to a score that can occur.
    """
    every = rules.all()
    scores = sorted({*outside.values(), *end.values(), *(stop for _, _, stop in rules.pairs)})
    coupons = 4 * STEEPEST * 2 * LONGEST_LOOP * ceil(scores[-1] - scores[0] + 1)
    fine = 4 * STEEPEST * coupons * lcm(*(Fraction(score).denominator for score in scores))
    at = {turn: i for i, turn in enumerate([*(rule.turn for rule in every), *outside])}
    values = np.array([int((end | outside)[turn] * fine) for turn in at], dtype=np.int64)
    to: list[int] = []  # [option] where it leads
    tax: list[int] = []  # [option] what it pays to Black, in units of the temperature
    first: list[int] = []  # [rule] its first option
    for rule in every:
        first.append(len(to))
        to += [at[turn] for turn in rule.moves]
        tax += [-1 if rule.turn.black else 1] * len(rule.moves)
        if rule.elsewhere is not None:
            to.append(at[rule.elsewhere])
            tax.append(0)
    side = np.array([1 if rule.turn.black else -1 for rule in every], dtype=np.int64)
    option_side = np.repeat(side, np.diff([*first, len(to)]))
    to_array, tax_array = np.array(to), np.array(tax)
    for j in range(1, coupons + 1):
        results = option_side * (values[to_array] + j * tax_array)
        values[: len(every)] = side * np.maximum.reduceat(results, first)
    found: Values = {}
    for rule, reached in zip(every, values.tolist(), strict=False):
        gaps = [abs(Fraction(score * fine - reached)) for score in scores]
        found[rule.turn] = scores[gaps.index(min(gaps))]
    return found
