"""A plain, slow judge of small life-and-death problems. It shares no code with `miai`.

    judge = Judge(width, height, attacker=…, defender=…, region=…, target=…)   # sets of (row, column)
    judge.captures(board, ATTACKER, threats=(ENDLESS, 0))                      # True: the target dies

Start with `Fixpoint`. A *state* is all that decides the game from here: the stones, the target stones
that are left, who moves, the point under the ko ban, the times each side may still ignore a ban. All
states that can follow are enumerated, and the set of those from which one side (the *hunter*) can
force what it hunts is grown from the states where it has it: a state of the hunter's joins when one
move leads into the set, a state of the other side's when all its moves do. No search, no ordering, no
history: what never joins is endless play, and that is the other side's.

Two hunts: the attacker hunts for the capture of every target stone; the defender hunts for
unconditional life (Benson) of one of them.

A set of points is an int, one bit a point; a spare column keeps rows apart, so that `spread` is shifts.
"""

from __future__ import annotations

from collections.abc import Iterable

Point = tuple[int, int]  # row, column
State = tuple[int, int, int, int, int]  # board number, side to move, banned bit, threats left of each side
Stones = tuple[int, int, int]  # attacker's and defender's stones of the region; target stones left

ATTACKER, DEFENDER = 0, 1
ENDLESS = -1  # threats without end: exempt from the ko ban
PASS = 0  # a move is a bit; no bit is a pass
GONE = 0  # number of the board on which no target stone is left


class TooLarge(Exception):
    """More states than the judge was told to look at."""


class Judge:
    """One wall, region and target; judges any stones inside. Boards met are numbered and kept."""

    def __init__(
        self,
        width: int,
        height: int,
        *,
        attacker: Iterable[Point],
        defender: Iterable[Point],
        region: Iterable[Point],
        target: Iterable[Point],
        most_states: int = 200_000,
    ) -> None:
        self.line = width + 1
        self.on_board = self.bits((row, column) for row in range(height) for column in range(width))
        self.region = self.bits(region)
        stones = (self.bits(attacker), self.bits(defender))
        self.safe = tuple(side & ~self.region for side in stones)  # stones outside, never captured
        # empty points outside: liberties that nobody can fill
        self.open = self.on_board & ~self.region & ~stones[ATTACKER] & ~stones[DEFENDER]
        self.target = self.bits(target)
        self.most_states = most_states
        self.boards: list[Stones] = [(0, 0, 0)]  # GONE
        self.numbers: dict[Stones, int] = {}
        self.followers: tuple[dict[int, list[tuple[int, int, int]]], ...] = ({}, {})
        self.fixpoints: dict[tuple[int, tuple[int, int]], Fixpoint] = {}
        self.start = self.board(attacker, defender)

    # points

    def bit(self, point: Point) -> int:
        return 1 << (point[0] * self.line + point[1])

    def bits(self, points: Iterable[Point]) -> int:
        return sum(self.bit(point) for point in set(points))

    def spread(self, points: int) -> int:
        """The neighbours of a set, with those of its points that have one in it."""
        line = self.line
        return (points << 1 | points >> 1 | points << line | points >> line) & self.on_board

    def flood(self, points: int, within: int) -> int:
        """The points of `within` connected to `points`."""
        while True:
            grown = points | self.spread(points) & within
            if grown == points:
                return points
            points = grown

    def pieces(self, points: int) -> list[int]:
        """The connected parts of a set."""
        parts = []
        while points:
            part = self.flood(points & -points, points)
            parts.append(part)
            points &= ~part
        return parts

    # boards and moves

    def board(self, attacker: Iterable[Point], defender: Iterable[Point]) -> int:
        """The number of a position with these stones (those outside the region do not count here)."""
        return self.number(self.bits(attacker) & self.region, self.bits(defender) & self.region, self.target)

    def number(self, attacker: int, defender: int, target: int) -> int:
        if not target:
            return GONE
        stones = (attacker, defender, target)
        number = self.numbers.get(stones)
        if number is None:
            number = self.numbers[stones] = len(self.boards)
            self.boards.append(stones)
        return number

    def chains(self, number: int, side: int) -> list[tuple[int, int]]:
        """The chains of a side in the region, each with its liberties; -1 for one that nobody can capture."""
        attacker, defender, _ = self.boards[number]
        air = (self.region & ~attacker & ~defender) | self.open
        chains = []
        for chain in self.pieces((attacker, defender)[side]):
            rim = self.spread(chain)
            chains.append((chain, -1 if rim & self.safe[side] else rim & air))
        return chains

    def moves(self, number: int, side: int) -> list[tuple[int, int, int]]:
        """The legal moves but for the ko ban: point, board after it, ban it lays on the other side."""
        known = self.followers[side].get(number)
        if known is not None:
            return known
        attacker, defender, target = self.boards[number]
        own_stones = (attacker, defender)[side]
        own, enemy = self.chains(number, side), self.chains(number, 1 - side)
        empty = self.region & ~attacker & ~defender
        air = empty | self.open
        found = []
        while empty:
            point = empty & -empty
            empty ^= point
            around = self.spread(point)
            captured = 0
            for chain, liberties in enemy:
                if liberties == point:
                    captured |= chain
            breathes = around & air or around & self.safe[side] or captured
            if not breathes:
                for chain, liberties in own:
                    if chain & around and liberties != point:
                        breathes = True
            if not breathes:
                continue  # suicide
            ban = 0
            alone = not around & (own_stones | self.safe[side])
            if captured.bit_count() == 1 and alone and (around & (air | captured)).bit_count() == 1:
                ban = captured
            if side == ATTACKER:
                after = self.number(attacker | point, defender & ~captured, target & ~captured)
            else:
                after = self.number(attacker & ~captured, defender | point, target)
            found.append((point, after, ban))
        self.followers[side][number] = found
        return found

    def legal(self, number: int) -> bool:
        """Has every chain of the region a liberty?"""
        return all(liberties for side in (ATTACKER, DEFENDER) for _, liberties in self.chains(number, side))

    def lives(self, number: int) -> bool:
        """Does a target stone live unconditionally, by Benson's test?"""
        if number == GONE:
            return False
        attacker, defender, target = self.boards[number]
        not_defended = self.region & ~defender
        past = self.on_board & ~self.region & ~self.safe[DEFENDER]  # attacking or open points outside
        areas = [area for area in self.pieces(not_defended) if not self.spread(area) & past]
        defended = defender | self.safe[DEFENDER]
        chains = self.pieces(defended)
        while True:
            living = 0
            for chain in chains:
                rim = self.spread(chain)
                eyes = sum(1 for area in areas if not area & ~attacker & ~rim)
                if eyes >= 2 or chain & self.safe[DEFENDER]:
                    living |= chain
            kept = [area for area in areas if not self.spread(area) & defended & ~living]
            if len(kept) == len(areas) and all(chain & living for chain in chains):
                return bool(target & living)
            areas, chains = kept, [chain for chain in chains if chain & living]

    # answers

    def captures(self, number: int, first: int, *, threats: tuple[int, int], ban: int = 0) -> bool:
        """Can the attacker capture every target stone? Threats: of the attacker, of the defender."""
        return self.fixpoint(ATTACKER, threats).joins((number, first, ban, *threats))

    def makes_eyes(self, number: int, first: int, *, threats: tuple[int, int], ban: int = 0) -> bool:
        """Can the defender reach unconditional life for a target stone?"""
        return self.fixpoint(DEFENDER, threats).joins((number, first, ban, *threats))

    def fixpoint(self, hunter: int, threats: tuple[int, int]) -> Fixpoint:
        if (hunter, threats) not in self.fixpoints:
            self.fixpoints[hunter, threats] = Fixpoint(self, hunter)
        return self.fixpoints[hunter, threats]


class Fixpoint:
    """The set of states from which the hunter can force what it hunts."""

    def __init__(self, judge: Judge, hunter: int) -> None:
        self.judge, self.hunter = judge, hunter
        self.forget()

    def forget(self) -> None:
        self.index: dict[State, int] = {}
        self.joined = bytearray()  # by index: is it in the set?
        self.waits: list[int] = []  # successors that must join before it does
        self.before: list[list[int]] = []  # states that wait for it

    def joins(self, state: State) -> bool:
        """Is the state in the set?"""
        state = self.plain(state)
        if state not in self.index:
            self.enumerate_from(state)
        return bool(self.joined[self.index[state]])

    def plain(self, state: State) -> State:
        """A ban on a side that is exempt from bans is none."""
        number, side, _, *left = state
        return (number, side, 0, *left) if left[side] == ENDLESS else state

    def successors(self, state: State) -> list[State]:
        number, side, banned, left_attacker, left_defender = state
        other = 1 - side
        exempt = (left_attacker, left_defender)[other] == ENDLESS
        found = [(number, other, 0, left_attacker, left_defender)]  # pass
        for point, after, ban in self.judge.moves(number, side):
            left = (left_attacker, left_defender)
            if point == banned:
                if left[side] == 0:
                    continue
                left = (left_attacker - (side == ATTACKER), left_defender - (side == DEFENDER))
            found.append((after, other, 0 if exempt else ban, *left))
        return found

    def has_it(self, state: State) -> bool:
        return state[0] == GONE if self.hunter == ATTACKER else self.judge.lives(state[0])

    def enumerate_from(self, start: State) -> None:
        """Number every state that can follow, and let those join that do."""
        index, joined, before, waits = self.index, self.joined, self.before, self.waits

        def add(state: State) -> int:
            place = index[state] = len(waits)
            waits.append(0)
            before.append([])
            joined.append(0)
            fresh.append(state)
            return place

        fresh: list[State] = []
        add(start)
        while fresh:
            if len(waits) > self.judge.most_states:
                self.forget()
                raise TooLarge(f"more than {self.judge.most_states} states")
            state = fresh.pop()
            place = index[state]
            if self.has_it(state):
                self.join(place)
                continue
            if state[0] == GONE:
                continue
            successors = self.successors(state)
            wanted = 1 if state[1] == self.hunter else len(successors)
            for following in successors:
                there = index.get(following)
                if there is None:
                    there = add(following)
                if joined[there]:
                    wanted -= 1
                else:
                    before[there].append(place)
            waits[place] = wanted
            if wanted <= 0:
                self.join(place)

    def join(self, place: int) -> None:
        """Let a state join, and those that waited only for it."""
        ready = [place]
        while ready:
            place = ready.pop()
            if self.joined[place]:
                continue
            self.joined[place] = 1
            for earlier in self.before[place]:
                self.waits[earlier] -= 1
                if self.waits[earlier] == 0:
                    ready.append(earlier)
            self.before[place] = []
