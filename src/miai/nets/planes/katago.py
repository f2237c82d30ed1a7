"""The plane set `katago7`: what KataGo's networks read since inputs version 7.

`sets` says what each plane means. Ladders are in `ladder`, the area planes in `area`; here is the rest,
and the bookkeeping of passes, handicap and history that KataGo does between moves (`Progress`). The
encore, the button, group tax and unequal playouts are not played here, and their inputs are 0.

`rules_row` turns a ruleset into the numbers that the kernel reads, and `rules_from_katago` reads a
ruleset as KataGo writes it in JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from miai.go.coords import BLACK, EMPTY, NO_POINT, PASS, WHITE
from miai.go.kernels.arrays import CAPTURED_BY, KO, MOVES, STRIDE, beside, index
from miai.go.kernels.legality import SIMPLE_KO, SITUATIONAL_SUPERKO, SUPERKO, captured_at, why_illegal
from miai.go.kernels.moves import place, situation
from miai.go.rules import TROMP_TAYLOR, Count, HandicapBonus, Ko, Rules, UnknownRules
from miai.kernel import inlined, kernel, leaf
from miai.nets.planes.area import area_now
from miai.nets.planes.ladder import CATCHES_BLACK, CATCHES_WHITE, CAUGHT, read_ladders
from miai.nets.planes.walk import begin, side_to_move

BOARD, OWN, ONE_LIBERTY, KO_PLANE, LAST, LADDER, LADDER_MOVE, AREA, PLANES = 0, 1, 3, 6, 9, 14, 17, 18, 22
KOMI, SUPERKO_SCALAR, SUICIDE, TERRITORY, TAX_SEKI, PASS_ENDS, PARITY, SCALARS = 5, 6, 8, 9, 10, 14, 18, 19
HISTORY = 5  # moves that the network sees
KOMI_MARGIN = 20  # komi is cut off this far beyond the number of points on the board

# columns of `rules_row`
RULE_KO, RULE_SUICIDE, RULE_TERRITORY, RULE_TAX, RULE_BONUS, RULE_FRIENDLY, RULE_COLUMNS = range(7)
NO_BONUS, BONUS_N, BONUS_N_LESS_ONE = 0, 1, 2

# places in `progress`: what happened in the game so far
TURNS, PASSES, FINISHED, LAST_PASS, SET_UP, FREE_MOVES, WHITE_MOVED, WHITE_TWICE, BONUS, PROGRESS = range(10)
NOT_A_HANDICAP = -10_000  # in SET_UP: White has stones too


class KatagoWork(NamedTuple):
    """Scratch for one board size."""

    ladders: npt.NDArray[np.uint8]  # [3, length] marks of the last positions, at move % 3
    ladders_at: npt.NDArray[np.int64]  # [3] the moves they are of
    ladder_work: npt.NDArray[np.int32]
    owner: npt.NDArray[np.int8]  # [length]
    certain: npt.NDArray[np.int8]  # [length]
    area_work: npt.NDArray[np.int32]
    progress: npt.NDArray[np.int64]  # [PROGRESS]


def rules_row(rules: Rules) -> tuple[int, ...]:
    """A ruleset as the kernel reads it."""
    ko = {Ko.SIMPLE: 0, Ko.POSITIONAL: 1, Ko.SITUATIONAL: 2}[rules.ko]
    bonus = {
        HandicapBonus.NONE: NO_BONUS,
        HandicapBonus.STONES: BONUS_N,
        HandicapBonus.STONES_LESS_ONE: BONUS_N_LESS_ONE,
    }[rules.handicap_bonus]
    # All but Tromp-Taylor let the players agree on dead stones, so that a pass need not be the end.
    friendly = rules.name != TROMP_TAYLOR.name
    territory = rules.count is Count.TERRITORY
    return ko, int(rules.suicide), int(territory), int(not rules.seki_territory), bonus, int(friendly)


def rules_from_katago(described: Mapping[str, Any], komi: float = 7.5) -> Rules:
    """The ruleset that KataGo describes as `{"ko": "SIMPLE", "scoring": "AREA", "tax": "NONE", …}`."""
    tax = described.get("tax", "NONE")
    if tax == "ALL" or described.get("hasButton") or described["ko"] == "SPIGHT":
        raise UnknownRules("group tax, the button and Spight ko are not supported: leave them out")
    bonus = {"0": "none", "N": "stones", "N-1": "stones less one"}[described.get("whiteHandicapBonus", "0")]
    return Rules(
        name="katago" if described.get("friendlyPassOk") else TROMP_TAYLOR.name,
        count=Count(described["scoring"].lower()),
        ko=Ko(described["ko"].lower()),
        suicide=bool(described["suicide"]),
        komi=komi,
        handicap_bonus=HandicapBonus(bonus),
        seki_territory=tax == "NONE",
    )


@kernel
def katago_positions(a, walk, komi, rules, which_rules, limit, work, out, scalars):  # type: ignore[no-untyped-def]
    """Write every position of `walk` to `out` [row, plane, point] and `scalars` [row, scalar].

    `komi` and `which_rules` are [game], `rules` [ruleset, RULE_COLUMNS]; `limit` is for the ladders.
    """
    game, played = -1, 0
    for row in walk.rows:
        if walk.games[row] != game or walk.moves[row] < played:
            game, played = walk.games[row], 0
            begin(a, walk, game)
            begin_progress(walk, game, rules[which_rules[game], RULE_BONUS], work.progress)
            work.ladders_at[:] = NO_POINT
        ruleset = which_rules[game]
        first, wanted = walk.start[game], walk.moves[row]
        while True:
            if played >= wanted - 2 and work.ladders_at[played % 3] != played:
                read_ladders(a, limit, work.ladders[played % 3], work.ladder_work)
                work.ladders_at[played % 3] = played
            if played == wanted:
                break
            point, colour = walk.place[walk.points[first + played]], walk.colours[first + played]
            spight = point == PASS and passed_here_before(
                a, walk, first, played, colour, rules[ruleset, RULE_KO]
            )
            captured = place(a, point, colour)
            note_move(a, walk, first, played, captured, spight, rules, ruleset, work.progress)
            played += 1
        own = side_to_move(walk, game, played)
        symmetry = walk.symmetries[row]
        out[row, :PLANES] = 0
        scalars[row, :SCALARS] = 0
        stones(a, walk, own, row, symmetry, out)
        banned(a, walk, own, rules[ruleset, RULE_KO], rules[ruleset, RULE_SUICIDE], row, symmetry, out)
        spight = passed_here_before(a, walk, first, played, own, rules[ruleset, RULE_KO])
        turns = history(walk, first, played, own, spight, rules, ruleset, work.progress, row, out, scalars)
        ladders(walk, own, played, turns, work, row, symmetry, out)
        if not rules[ruleset, RULE_TERRITORY]:
            seki_counts = rules[ruleset, RULE_TAX] == 0
            suicide = rules[ruleset, RULE_SUICIDE] != 0
            area_now(a, suicide, seki_counts, work.owner, work.certain, work.area_work)
            for p in range(walk.place.size - 1):
                owner = work.owner[walk.place[p]]
                if owner != EMPTY:
                    out[row, AREA + np.intp(owner != own), walk.turn[symmetry, p]] = 1
        numbers(a, walk, own, komi[game], rules, ruleset, work.progress, row, scalars)


@leaf
def begin_progress(walk, game, bonus, progress):  # type: ignore[no-untyped-def]
    """Nothing has happened yet, except that stones may have been set up."""
    for i in range(progress.size):
        progress[i] = 0
    progress[LAST_PASS] = NO_POINT
    for i in range(walk.setup_start[game], walk.setup_start[game + 1]):
        progress[SET_UP] += walk.setup_colours[i] == BLACK
    for i in range(walk.setup_start[game], walk.setup_start[game + 1]):
        if walk.setup_colours[i] == WHITE:
            progress[SET_UP] = NOT_A_HANDICAP
    progress[BONUS] = handicap_bonus(progress[SET_UP], bonus)


@inlined
def handicap_bonus(free_stones, bonus):  # type: ignore[no-untyped-def]
    """What White is given for Black's stones before White's first move; one stone is no handicap."""
    if free_stones < 2 or bonus == NO_BONUS:
        return 0
    return free_stones if bonus == BONUS_N else free_stones - 1


@leaf
def passed_here_before(a, walk, first, played, colour, ko_rule):  # type: ignore[no-untyped-def]
    """Under simple ko, a pass ends the game also where the same player passed in the same position."""
    if ko_rule != SIMPLE_KO:
        return False
    now = situation(a.hash[0], colour)
    for i in range(played):
        if walk.points[first + i] < 0 and walk.colours[first + i] == colour and a.history[i] == now:
            return True
    return False


@leaf
def note_move(a, walk, first, played, captured, spight, rules, ruleset, progress):  # type: ignore[no-untyped-def]
    """Keep `progress` up to date after move `played` (from 0) was made."""
    flat, colour = walk.points[first + played], walk.colours[first + played]
    simple_ko = rules[ruleset, RULE_KO] == SIMPLE_KO
    if progress[FINISHED]:  # the game went on after its end: forget what came before
        progress[TURNS] = min(progress[TURNS], 1)
    progress[FINISHED] = 0
    progress[TURNS] += 1
    if flat < 0:
        progress[PASSES] += 1
        progress[LAST_PASS] = played
        if progress[PASSES] >= 2 or spight:
            progress[FINISHED] = 1
            if rules[ruleset, RULE_TERRITORY]:
                progress[TURNS] = min(progress[TURNS], 1)
    else:
        progress[PASSES] = 0
        point = np.int64(walk.place[flat])
        if simple_ko and (captured or captured_at(a, point)):
            now, times = situation(a.hash[0], BLACK + WHITE - colour), 1
            for i in range(progress[LAST_PASS] + 1, played + 1):
                times += a.history[i] == now
            if times >= 3:  # no result
                progress[FINISHED] = 1
    if colour == WHITE:
        if flat >= 0:
            progress[WHITE_MOVED] = 1
        elif played > 0 and walk.colours[first + played - 1] == WHITE:
            progress[WHITE_TWICE] = 1
    elif not progress[WHITE_MOVED]:
        # Black moves before White's first are a handicap, unless White passed twice in a row.
        progress[FREE_MOVES] += flat >= 0
        free = progress[SET_UP] + (0 if progress[WHITE_TWICE] else progress[FREE_MOVES])
        progress[BONUS] = handicap_bonus(free, rules[ruleset, RULE_BONUS])


@inlined
def stones(a, walk, own, row, symmetry, out):  # type: ignore[no-untyped-def]
    """Planes 0 to 5: the board, the stones, and those with one to three liberties."""
    for p in range(walk.place.size - 1):
        point, to = index(walk.place[index(p)]), index(walk.turn[symmetry, p])
        out[row, BOARD, to] = 1
        colour = a.colour[point]
        if colour != EMPTY:
            out[row, OWN + np.intp(colour != own), to] = 1
            liberties = a.libs[index(a.head[point])]
            if liberties <= 3:
                out[row, ONE_LIBERTY + liberties - 1, to] = 1


@leaf
def banned(a, walk, own, ko_rule, suicide, row, symmetry, out):  # type: ignore[no-untyped-def]
    """Plane 6: the simple ko, whoever took it, and under superko every move that would repeat."""
    for p in range(walk.place.size - 1):
        point = np.int64(walk.place[p])
        if a.colour[point] != EMPTY:
            continue
        ban = point == a.state[KO]
        if not ban and ko_rule != SIMPLE_KO and a.state[MOVES] > 0:
            ban = why_illegal(a, point, own, suicide != 0, ko_rule) == SUPERKO and not lone_suicide(
                a, point, own
            )
        if ban:
            out[row, KO_PLANE, walk.turn[symmetry, p]] = 1


@leaf
def lone_suicide(a, point, colour):  # type: ignore[no-untyped-def]
    """Would a stone here die at once, alone? KataGo's rules never allow that."""
    for direction in range(4):
        neighbour = beside(point, a.state[STRIDE], direction)
        content = a.colour[neighbour]
        takes = content == BLACK + WHITE - colour and a.libs[index(a.head[neighbour])] == 1
        if content == EMPTY or content == colour or takes:
            return False
    return True


@leaf
def history(walk, first, played, own, spight, rules, ruleset, progress, row, out, scalars):  # type: ignore[no-untyped-def]
    """Planes 9 to 13, scalars 0 to 4 and 14: the last moves, while the colours take turns.

    Where the players may still talk about dead stones, a pass is shown as if nothing had happened.
    Returns how many moves are shown.
    """
    pass_ends = progress[PASSES] >= 1 or spight
    shown = HISTORY
    if (
        rules[ruleset, RULE_FRIENDLY]
        and not rules[ruleset, RULE_TERRITORY]
        and progress[PASSES] == 1
        and not spight
    ):
        shown = 0
        pass_ends = False
    elif progress[FINISHED]:
        shown = 1
    shown = min(shown, progress[TURNS])
    scalars[row, PASS_ENDS] = pass_ends
    symmetry = walk.symmetries[row]
    colour = BLACK + WHITE - own
    turns = 0
    while turns < shown and walk.colours[first + played - 1 - turns] == colour:
        flat = walk.points[first + played - 1 - turns]
        if flat < 0:
            scalars[row, turns] = 1
        else:
            out[row, LAST + turns, walk.turn[symmetry, flat]] = 1
        colour = BLACK + WHITE - colour
        turns += 1
    return turns


@leaf
def ladders(walk, own, played, turns, work, row, symmetry, out):  # type: ignore[no-untyped-def]
    """Planes 14 to 17; positions before a move that is not shown are not shown either."""
    catches = CATCHES_WHITE if own == BLACK else CATCHES_BLACK
    now = played % 3
    before = (played - 1) % 3 if turns >= 1 else now
    earlier = (played - 2) % 3 if turns >= 2 else before
    for p in range(walk.place.size - 1):
        point, to = walk.place[p], walk.turn[symmetry, p]
        marks = work.ladders[now, point]
        if marks & CAUGHT:
            out[row, LADDER, to] = 1
        if work.ladders[before, point] & CAUGHT:
            out[row, LADDER + 1, to] = 1
        if work.ladders[earlier, point] & CAUGHT:
            out[row, LADDER + 2, to] = 1
        if marks & catches:
            out[row, LADDER_MOVE, to] = 1


@leaf
def numbers(a, walk, own, komi, rules, ruleset, progress, row, scalars):  # type: ignore[no-untyped-def]
    """The scalars about komi and rules."""
    area = walk.place.size - 1
    territory = rules[ruleset, RULE_TERRITORY] != 0
    given = komi + progress[BONUS]  # to White
    if territory:
        # Each stone played costs a point, so that area and prisoners come to the same.
        given += a.state[CAPTURED_BY + WHITE] - a.state[CAPTURED_BY + BLACK]
        for p in range(area):
            colour = a.colour[walk.place[p]]
            given += np.int64(colour == BLACK) - np.int64(colour == WHITE)
    if own == BLACK:
        given = -given
    given = min(max(given, -area - KOMI_MARGIN), area + KOMI_MARGIN)
    scalars[row, KOMI] = given / 20
    ko_rule = rules[ruleset, RULE_KO]
    if ko_rule != SIMPLE_KO:
        scalars[row, SUPERKO_SCALAR] = 1
        scalars[row, SUPERKO_SCALAR + 1] = -0.5 if ko_rule == SITUATIONAL_SUPERKO else 0.5
    scalars[row, SUICIDE] = rules[ruleset, RULE_SUICIDE]
    scalars[row, TERRITORY] = territory
    scalars[row, TAX_SEKI] = rules[ruleset, RULE_TAX]
    if not territory:
        # A draw is possible with a komi of the board's parity; up from there, down half a point later.
        above = (given - area % 2) % 2
        wave = above if above < 0.5 else 1 - above if above < 1.5 else above - 2
        scalars[row, PARITY] = wave
