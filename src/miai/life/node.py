"""One node of the search: what is set up on entering it, what decides it at once, how its result is kept."""

from __future__ import annotations

import numpy as np

from miai.addresses import copy_record, record_at
from miai.go.coords import BLACK, EMPTY, NO_POINT, PASS
from miai.go.kernels.arrays import KO, KO_COLOUR
from miai.go.kernels.chains import chain_liberties
from miai.kernel import inlined, kernel, leaf
from miai.life.advice import NO_ADVICE
from miai.life.ahead import lives_at_once, where_to_stop_it
from miai.life.eyes import alive, find_areas, look
from miai.life.guess import promise_of
from miai.life.patterns import FOUGHT, MOVE, WON, WORTH, keep, match
from miai.life.room import NO_MOVE_NEEDED, NOT_KNOWN, hopeless
from miai.life.sets import clear, merge
from miai.life.space import (
    ATTACKER,
    DEFENDER,
    EXEMPT,
    GAME,
    LOOPER,
    TARGETS,
    TURN,
    WORDS,
    game,
    key_if_exempt,
    legal,
    position_key,
)
from miai.life.table import ENTRY, UNCONDITIONAL, find, place_for, stop_of, zone_of
from miai.life.tree import ENDLESS_WORK, LARGE, LOOKAHEAD, NODES, PATTERNS, WANT_OF_ROOM
from miai.life.zones import add_chain_and_surroundings, add_winning_move

SETTLED = -1  # answer of `settled`


@kernel
def enter(s, t, table, depth):  # type: ignore[no-untyped-def]
    """Put the position of the board on the path. Returns its entry in the table, or -1.

    If the entry is of an open position that `settled` has seen, `t.must` and `t.stop` come from it.
    """
    words = s.facts[WORDS]
    t.key[depth, 0] = position_key(s)
    t.key[depth, 1] = s.check[0]
    above = t.path[depth - 1] if depth else np.uint64(0)
    t.path[depth] = (above ^ t.key[depth, 0]) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(depth)
    clear(t.zone[depth], words)
    clear(t.listed[depth], words)
    clear(t.cut[depth], words)
    clear(t.must[depth], words)
    clear(t.stop[depth], words)
    t.lost_by[depth, 0] = t.lost_by[depth, 1] = UNCONDITIONAL
    t.lost_by[depth, 2] = 0
    t.advised[depth] = NO_ADVICE
    known = find(table, t.key[depth, 0], t.key[depth, 1], s.facts[GAME])
    if is_open(table, known):
        entry = record_at(table.entry, known, ENTRY)
        t.base[depth, 0] = entry.base[0]
        t.base[depth, 1] = entry.base[1]
        merge(t.must[depth], zone_of(table, known), words)
        merge(t.stop[depth], stop_of(table, known), words)
    return known


@inlined
def is_open(table, known):  # type: ignore[no-untyped-def]
    """Is this the entry of a position that was looked at and not decided?"""
    if known < 0:
        return False
    entry = record_at(table.entry, known, ENTRY)
    return entry.phi > 0 and entry.delta > 0


@leaf
def target_in_atari(s):  # type: ignore[no-untyped-def]
    """The head of the only chain that holds target stones, if it has one liberty; else 0."""
    a = s.board
    head = np.int64(0)
    for i in range(s.facts[TARGETS]):
        stone = s.target[i]
        if s.marked[stone] == 1:
            if head == 0:
                head = np.int64(a.head[stone])
                if a.libs[head] != 1:
                    return 0
            elif a.head[stone] != head:
                return 0
    return head


@leaf
def games_of(s, attacker_wins, ko, exempt):  # type: ignore[no-untyped-def]
    """The games with `exempt` exempt from the ko ban in which a result holds that was found in this one.

    The games differ in who may ignore the ban, and in who wins by endless play. Where no ban stands in the
    proof, in no line of it, who may ignore one makes no difference. Else: threats never hurt, so a capture
    while the defender is exempt is a capture while the attacker is, and survival the other way round. A
    capture prevents two eyes, and two eyes are survival. The winner wins by the same moves, so the zone
    holds too.
    """
    facts = s.facts
    attacker, defender = facts[ATTACKER], facts[DEFENDER]
    helped = defender if attacker_wins else attacker  # that the loser is exempt makes the win harder
    easier = attacker if attacker_wins else defender  # endless play is the winner's
    if ko != 0 and facts[EXEMPT] != helped and facts[EXEMPT] != exempt:
        return 0
    games = game(exempt, facts[LOOPER])
    if exempt == attacker or easier == defender:  # eyes are asked for only then
        games |= game(exempt, easier)
    return games


@leaf
def write_result(s, table, key, check, games, place):  # type: ignore[no-untyped-def]
    """Make a result that stands at `place` known for the same position under another key as well."""
    copy = place_for(table, key, check, games)
    if copy != place:
        copy_record(table.entry, copy, table.entry, place, ENTRY)
        entry = record_at(table.entry, copy, ENTRY)
        entry.key, entry.games = key, games
        for w in range(s.facts[WORDS]):
            zone_of(table, copy)[w] = zone_of(table, place)[w]


@leaf
def is_banned(s):  # type: ignore[no-untyped-def]
    """Is there a ko that the side to move could only take back with a threat?"""
    return s.board.state[KO] != NO_POINT and s.board.state[KO_COLOUR] == s.facts[TURN]


@kernel
def finish(s, t, table, depth, phi, delta, lo, hi, ko, best, work):  # type: ignore[no-untyped-def]
    """Store a node's result in the table and for its parent. Its zone is in `t.zone[depth]`.

    `ko`: does a ko ban stand anywhere below?
    """
    if is_banned(s):
        ko = np.int64(1)
    if hi >= depth:  # a repetition of this very node binds nobody above it
        if lo >= depth:
            lo = hi = UNCONDITIONAL
        else:
            hi = depth - 1
    t.result[depth, 0] = phi
    t.result[depth, 1] = delta
    t.result[depth, 2] = lo
    t.result[depth, 3] = hi
    t.result[depth, 4] = best
    t.result[depth, 5] = ko
    key, check = t.key[depth, 0], t.key[depth, 1]
    games = np.int64(s.facts[GAME])
    other_key, other_games = key, np.int64(0)  # of the games in which the position has another key
    decided = phi == 0 or delta == 0
    if decided and lo == UNCONDITIONAL:
        attacker_wins = (phi == 0) == (s.facts[TURN] == s.facts[ATTACKER])
        for exempt in (s.facts[ATTACKER], s.facts[DEFENDER]):
            there = key_if_exempt(s, exempt)
            if there == key:
                games |= games_of(s, attacker_wins, ko, exempt)
            else:
                other_key = there
                other_games |= games_of(s, attacker_wins, ko, exempt)
    place = place_for(table, key, check, games)
    entry = record_at(table.entry, place, ENTRY)
    same = entry.key == key and entry.check == check
    entry.work = min(LARGE, work + (entry.work if same else 0))
    entry.key, entry.check, entry.games = key, check, games
    entry.phi, entry.delta = phi, delta
    entry.move = best
    entry.lo, entry.hi = lo, hi
    entry.ko = ko
    entry.base[0] = t.base[depth, 0]
    entry.base[1] = t.base[depth, 1]
    if hi != UNCONDITIONAL:
        entry.path = t.path[hi]
    if not decided:
        for w in range(s.facts[WORDS]):
            zone_of(table, place)[w] = t.must[depth, w]
            stop_of(table, place)[w] = t.stop[depth, w]
        return
    for w in range(s.facts[WORDS]):
        zone_of(table, place)[w] = t.zone[depth, w]
    if other_games:
        write_result(s, table, other_key, check, other_games, place)
    if lo == UNCONDITIONAL and work >= WORTH and t.settings[PATTERNS]:
        if ko == 0:
            games |= game(EMPTY, s.facts[LOOPER])
        keep(s, t.patterns, t.zone[depth], phi == 0, best, ko, games | other_games)


@kernel
def finish_won(s, t, table, depth, move, start):  # type: ignore[no-untyped-def]
    """The side to move wins by `move`; what that rests on is in `t.won`. There were `start` nodes before."""
    words = s.facts[WORDS]
    clear(t.zone[depth], words)
    merge(t.zone[depth], t.won[depth], words)
    if move != PASS:
        add_winning_move(s, t.zone[depth], move)
    lo, hi, ko = t.won_by[depth, 0], t.won_by[depth, 1], t.won_by[depth, 2]
    finish(s, t, table, depth, 0, ENDLESS_WORK, lo, hi, ko, move, t.count[NODES] - start)


@kernel
def finish_lost(s, t, table, depth, start):  # type: ignore[no-untyped-def]
    """Every move of the side to move loses; what that rests on is in `t.zone`."""
    lo, hi, ko = t.lost_by[depth, 0], t.lost_by[depth, 1], t.lost_by[depth, 2]
    finish(s, t, table, depth, ENDLESS_WORK, 0, lo, hi, ko, NO_POINT, t.count[NODES] - start)


@kernel
def seen_before(s, t, table, depth):  # type: ignore[no-untyped-def]
    """Is the position decided by a pattern? Then its result is stored."""
    if not t.settings[PATTERNS]:
        return False
    patterns = t.patterns
    found = match(s, patterns)
    if found < 0:
        return False
    side = s.facts[TURN] - BLACK
    for w in range(s.facts[WORDS]):
        t.zone[depth, w] |= patterns.zone[side, w, found]
    won, move = patterns.result[side, found, WON] == 1, patterns.result[side, found, MOVE]
    phi, delta = (0, ENDLESS_WORK) if won else (ENDLESS_WORK, 0)
    ko = patterns.result[side, found, FOUGHT]
    finish(s, t, table, depth, phi, delta, UNCONDITIONAL, UNCONDITIONAL, ko, move, 1)
    return True


@kernel
def settled(s, t, table, depth):  # type: ignore[no-untyped-def]
    """Is the position decided without search? Then its result is stored, and the answer is SETTLED.

    Else the answer is what the position promises the defender, for `estimate`.
    """
    facts = s.facts
    look(s, t.areas)
    closed = find_areas(s, t.areas)
    promise = promise_of(s, t, closed)
    # where endless play is not enough, the defender needs no move once he is alive
    needs_eyes = facts[TURN] == facts[DEFENDER] and facts[LOOPER] == facts[ATTACKER]
    if needs_eyes and alive(s, t.areas, closed, t.zone[depth]):
        finish(s, t, table, depth, 0, ENDLESS_WORK, UNCONDITIONAL, UNCONDITIONAL, 0, PASS, 1)
        return SETTLED
    if facts[TURN] == facts[ATTACKER]:
        if alive(s, t.areas, closed, t.zone[depth]):
            finish(s, t, table, depth, ENDLESS_WORK, 0, UNCONDITIONAL, UNCONDITIONAL, 0, PASS, 1)
            return SETTLED
        head = target_in_atari(s)
        if head:
            liberty = t.tries  # scratch
            chain_liberties(s.board, head, liberty)
            if s.bit[liberty[0]] >= 0 and legal(s, liberty[0]):
                add_chain_and_surroundings(s, t.zone[depth], head)
                finish(s, t, table, depth, 0, ENDLESS_WORK, UNCONDITIONAL, UNCONDITIONAL, 0, liberty[0], 1)
                return SETTLED
    if t.settings[WANT_OF_ROOM]:
        answer = hopeless(s, t.areas, t.zone[depth])
        if answer != NOT_KNOWN:
            if facts[TURN] == facts[ATTACKER]:
                move = PASS if answer == NO_MOVE_NEEDED else answer
                finish(s, t, table, depth, 0, ENDLESS_WORK, UNCONDITIONAL, UNCONDITIONAL, 0, move, 1)
            else:
                finish(s, t, table, depth, ENDLESS_WORK, 0, UNCONDITIONAL, UNCONDITIONAL, 0, NO_POINT, 1)
            return SETTLED
    if t.settings[LOOKAHEAD]:
        if facts[TURN] == facts[DEFENDER]:
            move = lives_at_once(s, t, closed, t.zone[depth])
            if move:
                finish(s, t, table, depth, 0, ENDLESS_WORK, UNCONDITIONAL, UNCONDITIONAL, 0, move, 1)
                return SETTLED
        else:
            where_to_stop_it(s, t, closed, t.must[depth], t.stop[depth])
    return promise
