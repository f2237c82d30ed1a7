"""The children of a node: which moves are looked at, what is known of each, which ones fall at once."""

from __future__ import annotations

import numpy as np

from miai.addresses import record_at
from miai.go.coords import BLACK, EMPTY, NO_POINT, PASS, WHITE
from miai.go.kernels.arrays import KO
from miai.kernel import inlined, kernel, leaf
from miai.life.advice import NO_ADVICE, SAID
from miai.life.dominance import add_around, left_out
from miai.life.experience import NO_MOVE, advice
from miai.life.experience import count as count_answer
from miai.life.habits import likelihood
from miai.life.hints import LOST, NOTHING, hint
from miai.life.sets import VOID, add, clear, has, is_empty, lowest, merge, size, without_lowest
from miai.life.space import (
    ATTACKER,
    CHECK_KEYS,
    COUNT_KEYS,
    DEFENDER,
    EXEMPT,
    GAME,
    LOOPER,
    MARKED,
    PLIES,
    TARGETS,
    TURN,
    WORDS,
    ban,
    captures_at,
    game,
    key_if_exempt,
    legal,
    play,
    position_key,
    unplay,
)
from miai.life.table import ENTRY, UNCONDITIONAL, find, hints_of, will_be_asked, zone_of
from miai.life.tree import (
    ADVICE,
    BONUS_CAPTURE,
    BONUS_SURVIVAL,
    CAPTURES,
    CUTS,
    ENDLESS_WORK,
    EXPERIENCE,
    FIRST_OTHER,
    FIRST_OWN,
    HABIT,
    NEAR,
    TOLL,
    UNIT,
)
from miai.life.zones import add_losing_move, add_suicide, close_for_loser, fill

KNOWN = -(1 << 30)  # in `likely`
UNLIKELIER = np.round(16 * np.exp(np.arange(80) / 16)).astype(np.int64)  # e to the sixteenths, in sixteenths


@leaf
def on_path(s, t, depth, key, check):  # type: ignore[no-untyped-def]
    """The depth at which the position stands on the path, or -1. Only captures make that possible."""
    if t.count[CAPTURES] == 0:
        return -1
    for d in range(depth - 1, -1, -2):
        if t.key[d, 0] == key and t.key[d, 1] == check:
            return d
    return -1


@kernel
def note_lost(t, depth, words, zone, lo, hi, ko):  # type: ignore[no-untyped-def]
    """A child lost: its zone and what it rests on become part of the node's."""
    merge(t.zone[depth], zone, words)
    t.lost_by[depth, 2] |= ko
    if lo != UNCONDITIONAL:
        if t.lost_by[depth, 0] == UNCONDITIONAL or lo < t.lost_by[depth, 0]:
            t.lost_by[depth, 0] = lo
        t.lost_by[depth, 1] = max(t.lost_by[depth, 1], hi)


@leaf
def note_won(t, depth, lo, hi, ko):  # type: ignore[no-untyped-def]
    """A child won: what that rests on."""
    t.won_by[depth, 0], t.won_by[depth, 1], t.won_by[depth, 2] = lo, hi, ko


@kernel
def cut_moves(s, t, depth, count, point, zone):  # type: ignore[no-untyped-def]
    """A move lost without its own point in the zone, or a pass did: so does every move outside the zone."""
    words = s.facts[WORDS]
    cut = t.scratch
    clear(cut, words)
    merge(cut, zone, words)
    close_for_loser(s, cut, BLACK + WHITE - s.facts[TURN])
    if point != PASS and has(cut, s.bit[point]):
        return
    if not is_empty(t.cut[depth], words) and size(t.cut[depth], words) <= size(cut, words):
        return
    clear(t.cut[depth], words)
    merge(t.cut[depth], cut, words)
    merge(t.zone[depth], cut, words)
    for i in range(count):
        move = t.move[depth, i]
        if move != PASS and t.phi[depth, i] > 0 and t.delta[depth, i] > 0 and not has(cut, s.bit[move]):
            t.phi[depth, i] = 0
            t.delta[depth, i] = ENDLESS_WORK


@kernel
def lose_child(s, t, depth, count, point, zone, lo, hi, ko):  # type: ignore[no-untyped-def]
    """A child is lost for the side to move: keep its zone, and drop the moves that lose with it."""
    note_lost(t, depth, s.facts[WORDS], zone, lo, hi, ko)
    if point != PASS:
        add_losing_move(s, t.zone[depth], point)
    if t.settings[CUTS] and (point == PASS or not has(zone, s.bit[point])):
        cut_moves(s, t, depth, count, point, zone)


@inlined
def last_moves(t, depth):  # type: ignore[no-untyped-def]
    """The last move and the one before it; 0 where there is none."""
    return t.played[depth - 1] if depth > 0 else 0, t.played[depth - 2] if depth > 1 else 0


@inlined
def bit_of_last(s, t, depth):  # type: ignore[no-untyped-def]
    """The bit of the move that led here, for `experience`."""
    last = t.played[depth - 1] if depth > 0 else PASS
    return np.int64(s.bit[last]) if last != PASS else NO_MOVE


@leaf
def remember(s, t, table, depth, move, won):  # type: ignore[no-untyped-def]
    """Let experience know that a move of the side to move won, or lost."""
    if move != PASS:
        last = bit_of_last(s, t, depth)
        count_answer(table.experience, 64 * table.words, s.facts[TURN] - BLACK, last, s.bit[move], won)


@leaf
def go_down(s, t, move):  # type: ignore[no-untyped-def]
    """Play a move of the line that is searched."""
    t.count[CAPTURES] += play(s, move)


@leaf
def come_back(s, t):  # type: ignore[no-untyped-def]
    """Take it back."""
    t.count[CAPTURES] -= s.undo[s.facts[PLIES] - 1, 2]
    unplay(s)


@kernel
def take_result(s, t, depth, count, index):  # type: ignore[no-untyped-def]
    """Child number `index` was searched: its numbers, and if it is decided, what that rests on."""
    words = s.facts[WORDS]
    child = t.result[depth + 1]
    t.phi[depth, index] = child[0]
    t.delta[depth, index] = child[1]
    if child[0] == 0:
        lose_child(s, t, depth, count, t.move[depth, index], t.zone[depth + 1], child[2], child[3], child[5])
    elif child[1] == 0:
        clear(t.won[depth], words)
        merge(t.won[depth], t.zone[depth + 1], words)
        note_won(t, depth, child[2], child[3], child[5])


@leaf
def known_whatever_the_threats(s, table):  # type: ignore[no-untyped-def]
    """The entry of a result that holds for any number of threats (see `node.games_of`), or -1."""
    facts = s.facts
    attacker, defender = facts[ATTACKER], facts[DEFENDER]
    for number in range(3 if facts[LOOPER] == attacker else 2):
        attacker_wins = number != 0
        exempt = defender if attacker_wins else attacker
        looper = facts[LOOPER] if number < 2 else defender  # last, a capture, which prevents eyes
        found = find(table, key_if_exempt(s, exempt), s.check[0], game(exempt, looper))
        if found >= 0:
            entry = record_at(table.entry, found, ENTRY)
            wins = (facts[TURN] == attacker) == attacker_wins
            if entry.lo == UNCONDITIONAL and (entry.phi if wins else entry.delta) == 0:
                return found
    return -1


@inlined
def bonus(s, t, said):  # type: ignore[no-untyped-def]
    """How much likelier a move of the side to move is for what a hint says of the position it leads to."""
    if said == NOTHING:
        return np.int64(0)
    survival = (said == LOST) == (s.facts[TURN] == s.facts[DEFENDER])
    much = t.settings[BONUS_SURVIVAL if survival else BONUS_CAPTURE]
    return much if said == LOST else -much


@inlined
def key_after(s, t, depth, point):  # type: ignore[no-untyped-def]
    """The key after a move that captures nothing, where no ban stands and no threats are counted."""
    colour = s.facts[TURN]
    turn = s.keys[COUNT_KEYS, colour] ^ s.keys[COUNT_KEYS, BLACK + WHITE - colour]
    return t.key[depth, 0] ^ s.board.keys[colour, point] ^ turn


@leaf
def announce(s, t, table, depth, within):  # type: ignore[no-untyped-def]
    """The first moves will be looked for in the table, most of which is far from the processor: it may come
    nearer meanwhile."""
    for w in range((within + 63) // 64):
        rest = empty_points(s, w)
        while rest != VOID:
            bit = 64 * w + lowest(rest)
            rest = without_lowest(rest)
            if bit < within:
                will_be_asked(table, key_after(s, t, depth, s.point[bit]))


@inlined
def list_move(s, t, table, depth, point, index):  # type: ignore[no-untyped-def]
    """Make a legal move the node's child number `index`, with what is known about it."""
    facts = s.facts
    words = facts[WORDS]
    colour = facts[TURN]
    t.move[depth, index] = point
    t.likely[depth, index] = KNOWN
    t.toll[depth, index] = 0
    t.fresh[depth, index] = 0
    elsewhere = -1
    counted = facts[EXEMPT] == EMPTY
    if point == PASS:
        play(s, PASS)
        key, check = position_key(s), s.check[0]
        if counted:
            elsewhere = known_whatever_the_threats(s, table)
        unplay(s)
    else:
        add(t.listed[depth], s.bit[point])
        if not is_empty(t.cut[depth], words) and not has(t.cut[depth], s.bit[point]):
            t.phi[depth, index] = 0
            t.delta[depth, index] = ENDLESS_WORK
            return
        if captures_at(s, point) or point == ban(s) or s.board.state[KO] != NO_POINT or counted:
            play(s, point)
            key, check = position_key(s), s.check[0]
            if counted:
                elsewhere = known_whatever_the_threats(s, table)
            gone = facts[MARKED] == 0
            unplay(s)
            if gone:  # the last of the target is captured
                t.phi[depth, index] = ENDLESS_WORK
                t.delta[depth, index] = 0
                clear(t.won[depth], words)
                note_won(t, depth, UNCONDITIONAL, UNCONDITIONAL, 0)
                return
        else:
            key = key_after(s, t, depth, point)
            check = s.check[0] ^ s.keys[CHECK_KEYS + colour, point]
    repeated = on_path(s, t, depth, key, check)
    if repeated >= 0:
        if colour == facts[LOOPER]:
            t.phi[depth, index] = ENDLESS_WORK
            t.delta[depth, index] = 0
            clear(t.won[depth], words)
            fill(s, t.won[depth])
            note_won(t, depth, repeated, repeated, 0)
        else:
            t.phi[depth, index] = 0
            t.delta[depth, index] = ENDLESS_WORK
            fill(s, t.zone[depth])
            note_lost(t, depth, 0, t.zone[depth], repeated, repeated, 0)
        return
    fresh = 1
    found = find(table, key, check, facts[GAME])
    if elsewhere >= 0:
        found = elsewhere
    if found >= 0:
        entry = record_at(table.entry, found, ENTRY)
        lo, hi = np.int64(entry.lo), np.int64(entry.hi)
        if lo == UNCONDITIONAL or (hi <= depth and t.path[hi] == entry.path):
            t.phi[depth, index] = entry.phi
            t.delta[depth, index] = entry.delta
            if entry.phi == 0:
                lose_child(s, t, depth, index, point, zone_of(table, found), lo, hi, entry.ko)
            elif entry.delta == 0:
                clear(t.won[depth], words)
                merge(t.won[depth], zone_of(table, found), words)
                note_won(t, depth, lo, hi, entry.ko)
            if t.settings[TOLL] == 0 or entry.phi == 0 or entry.delta == 0:
                return
            fresh = 0
    last, before = last_moves(t, depth)
    t.likely[depth, index] = 0
    if point != PASS:
        advised = advice(
            table.experience, 64 * table.words, colour - BLACK, bit_of_last(s, t, depth), s.bit[point]
        )
        t.likely[depth, index] = (
            likelihood(s, point, last, before, t.classes) + advised * t.settings[EXPERIENCE] // 8
        )
        if t.advised[depth] != NO_ADVICE:
            said = np.int64(record_at(table.advice, 0, SAID).likely[t.advised[depth], s.bit[point]])
            t.likely[depth, index] += said * t.settings[ADVICE] // 8
    t.likely[depth, index] += bonus(s, t, hint(hints_of(table), key, check, facts[GAME]))
    t.fresh[depth, index] = fresh
    if fresh:
        t.phi[depth, index] = t.delta[depth, index] = 1  # until `price` says more


@inlined
def times_rarer(t, less):  # type: ignore[no-untyped-def]
    """How many times rarer, in sixteenths, a move is whose likelihood is so much less, as a logarithm."""
    return UNLIKELIER[min(less * t.settings[HABIT] // 4, UNLIKELIER.size - 1)]


@leaf
def price(t, depth, start, count):  # type: ignore[no-untyped-def]
    """First numbers for the moves from `start` on that nothing is known about: the likely ones are cheap."""
    if start == 0:
        t.likeliest[depth] = KNOWN
    for i in range(start, count):
        t.likeliest[depth] = max(t.likeliest[depth], t.likely[depth, i])
    mine = UNIT + t.base[depth, 0] * t.settings[FIRST_OWN] // 16
    theirs = UNIT + t.base[depth, 1] * t.settings[FIRST_OTHER] // 16
    for i in range(start, count):
        if t.likely[depth, i] != KNOWN and t.phi[depth, i] > 0 and t.delta[depth, i] > 0:
            less = max(0, t.likeliest[depth] - t.likely[depth, i])
            factor = times_rarer(t, less)
            t.toll[depth, i] = t.settings[TOLL] * mine * (factor - 16) // 256
            if t.fresh[depth, i]:
                t.delta[depth, i] = mine * factor // 16
                t.phi[depth, i] = max(1, theirs * 16 // factor)


@kernel
def list_first_moves(s, t, table, depth):  # type: ignore[no-untyped-def]
    """The moves a node starts with; returns how many."""
    facts = s.facts
    count = 0
    t.outer[depth, 0] = 0
    if facts[TURN] == facts[LOOPER] or ban(s) != NO_POINT:
        list_move(s, t, table, depth, PASS, count)
        count += 1
        if t.delta[depth, count - 1] == 0:
            return count
    within = s.within[t.settings[NEAR]]
    announce(s, t, table, depth, within)
    for w in range(facts[WORDS]):
        rest = empty_points(s, w)
        while rest != VOID:
            bit = 64 * w + lowest(rest)
            rest = without_lowest(rest)
            if bit >= within:
                return count
            point = s.point[bit]
            if legal(s, point) and not left_out(s, t, depth, point):
                list_move(s, t, table, depth, point, count)
                count += 1
                if t.delta[depth, count - 1] == 0:
                    return count
    return count


@inlined
def empty_points(s, w):  # type: ignore[no-untyped-def]
    """The empty points of the region, their word number `w`."""
    return s.inside[w] & ~(s.stones[BLACK, w] | s.stones[WHITE, w])


@kernel
def list_needed_moves(s, t, table, depth, count):  # type: ignore[no-untyped-def]
    """All listed moves lose: close the zone and list the moves it asks for. Returns how many there are."""
    facts = s.facts
    zone = t.zone[depth]
    winner = BLACK + WHITE - facts[TURN]
    if winner == facts[DEFENDER]:
        for i in range(facts[TARGETS]):
            if s.marked[s.target[i]] == 1:
                add(zone, s.bit[s.target[i]])
    if facts[LOOPER] == facts[ATTACKER] and winner == facts[ATTACKER]:
        fill(s, zone)
    while True:
        close_for_loser(s, zone, winner)
        grown = False
        for w in range(facts[WORDS]):
            rest = zone[w] & empty_points(s, w) & ~t.listed[depth, w]
            while rest != VOID:
                bit = 64 * w + lowest(rest)
                rest = without_lowest(rest)
                point = s.point[bit]
                if not legal(s, point):
                    if point != ban(s):
                        add(t.listed[depth], bit)
                        add_suicide(s, zone, point)
                        grown = True
                elif left_out(s, t, depth, point):
                    add(t.listed[depth], bit)  # what does as well as this has lost
                    add_around(s, zone, point)
                    grown = True
                else:
                    list_move(s, t, table, depth, point, count)
                    count += 1
                    if t.phi[depth, count - 1] != 0:
                        return count
                    grown = True
        if not grown:
            return count
