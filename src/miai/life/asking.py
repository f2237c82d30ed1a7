"""Questions about one problem, asked within one budget, with everything that is known remembered.

`Asker` stands between the search, which answers one question, and `verdict`, which wants to know it
all. It keeps one table for all of them, draws conclusions before it searches, finds every winning
first move, and follows the main line.

Most first moves need no search. A *zone* says what a proof rests on, so if a side that passes loses
(or wins) with zone Z, it also loses (or wins) with every move that changes nothing in Z.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from miai.addresses import record_at
from miai.go.board import Board
from miai.go.coords import EMPTY, NO_POINT, PASS, opponent
from miai.go.kernels.arrays import KO, KO_COLOUR
from miai.kernel import kernel
from miai.life import space
from miai.life.places import distances
from miai.life.problem import Problem
from miai.life.search import ENDLESS, Answer, Budget, Goal, Memory, Prover, Winner
from miai.life.table import ENTRY, find

LONGEST_LINE = 30

Question = tuple[int, int]  # who moves first, who is exempt from the ko ban


class Asker:
    """Asks the search about one problem."""

    def __init__(
        self,
        problem: Problem,
        *,
        budget: Budget,
        memory: int,
        tighter: Memory | None = None,
        advised: bool = False,
    ) -> None:
        """`memory`, in MB, is for all tables together; `tighter` gives hints, and so does a network where
        the search is `advised`."""
        self.problem = problem
        self.attacker, self.defender = problem.attacker, problem.defender
        self.budget = budget
        self.memory = Memory(problem, memory, tighter, advised=advised)
        self.start = problem.position()
        self.distance = distances(problem)
        self.advised = advised
        self._provers: dict[tuple[tuple[int, int], Goal], Prover] = {}
        self._known: dict[tuple[Goal, Question], bool] = {}

    # one question -------------------------------------------------------------------------------

    def prover(self, exempt: int, goal: Goal = Goal.SURVIVE) -> Prover:
        """The search in which `exempt` may ignore the ko ban without end."""
        return self.counted((ENDLESS, 0) if exempt == self.attacker else (0, ENDLESS), goal)

    def counted(self, threats: tuple[int, int], goal: Goal = Goal.SURVIVE) -> Prover:
        """The search with this many threats for attacker and defender."""
        key = (threats, goal)
        if key not in self._provers:
            prover = Prover(self.problem, threats=threats, goal=goal, memory=self.memory)
            lay_ban(prover)
            self._provers[key] = prover
        return self._provers[key]

    def ask(self, prover: Prover, first: int, moves: Sequence[int] = (), *, share: float = 1.0) -> Answer:
        """One question, for a share of what is left."""
        answer = prover.ask(first, moves, budget=self.budget.part(share))
        self.budget.spent += answer.nodes
        return answer

    def survives(
        self, first: int, exempt: int, *, goal: Goal = Goal.SURVIVE, share: float = 1.0
    ) -> bool | None:
        """Does the target survive (or get two eyes)? From what is known, else by searching."""
        known = self.known(first, exempt, goal)
        if known is None:
            answer = self.ask(self.prover(exempt, goal), first, share=share)
            if answer.winner is not Winner.UNKNOWN:
                known = self._known[goal, (first, exempt)] = answer.winner is Winner.DEFENDER
        return known

    def known(self, first: int, exempt: int, goal: Goal = Goal.SURVIVE) -> bool | None:
        """What earlier answers say. To move first, as to be exempt, never hurts: one may pass, or obey."""
        asked = (first == self.defender, exempt == self.defender)
        for (about, (other, free)), result in self._known.items():
            if about is not goal and not (about is Goal.TWO_EYES and result):
                continue  # of the other goal only this helps: two eyes are survival
            given = (other == self.defender, free == self.defender)
            easier = all(a >= g for a, g in zip(asked, given, strict=True))
            harder = all(a <= g for a, g in zip(asked, given, strict=True))
            if (result and easier) or (not result and harder):
                return result
        return None

    def winner(self, player: int) -> Winner:
        return Winner.ATTACKER if player == self.attacker else Winner.DEFENDER

    # positions ----------------------------------------------------------------------------------

    def after(self, first: int, moves: Sequence[int]) -> Board:
        """The position after moves from the start; a side that is exempt may ignore the ko ban."""
        board = self.start.copy()
        board.to_move = first
        for move in moves:
            if move == board.ko_point:
                board.arrays.state[KO] = NO_POINT
            board.play(move)
        return board

    def legal(self, prover: Prover, board: Board) -> list[int]:
        """The moves in the region that the side to move may make."""
        points = [p for p in self.problem.region if board[p] == EMPTY and board.is_legal(p)]
        if board.ko_point != NO_POINT and prover.threats[board.to_move] > 0:
            points.append(board.ko_point)
        return points

    # first moves --------------------------------------------------------------------------------

    def winning_moves(
        self, prover: Prover, player: int, *, share: float
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Every first move that wins for `player`, PASS too, and those that the budget left open."""
        whole = self.budget
        self.budget = whole.part(share)
        try:
            return self._winning_moves(prover, player)
        finally:
            whole.spent += self.budget.spent
            self.budget = whole

    def _winning_moves(self, prover: Prover, player: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        wanted = self.winner(player)
        best = self.ask(prover, player, share=0.5).move
        winning = {best} if best > PASS else set()
        passed = self.ask(prover, opponent(player), share=0.5)
        if passed.winner is wanted:
            winning.add(PASS)
        waiting = []
        board = self.after(player, ())
        for point in self.legal(prover, board):
            if passed.winner is Winner.UNKNOWN or touches(board, point, passed.zone):
                waiting.append(point)
            elif passed.winner is wanted:
                winning.add(point)
        waiting = sorted(set(waiting) - winning, key=lambda point: (self.steps(point, best), point))
        winners = prover.decide(player, waiting, budget=self.budget, shared=self.advised)
        winning |= {move for move, winner in winners.items() if winner is wanted}
        still_open = [move for move, winner in winners.items() if winner is Winner.UNKNOWN]
        return tuple(sorted(winning)), tuple(sorted(still_open))

    def try_moves(self, player: int, exempt: int, *, share: float) -> None:
        """Let every first move have its share of the search, so that the table knows more of each; unless
        it is known that none wins."""
        if self.known(player, exempt) is (player == self.attacker):
            return
        prover = self.prover(exempt)
        part = self.budget.part(share)
        prover.decide(player, self.legal(prover, self.after(player, ())), budget=part, shared=True)
        self.budget.spent += part.spent

    def steps(self, point: int, best: int) -> int:
        """Likely moves first: near the target, and near a move that is known to be good."""
        near = int(self.distance[point])
        if best > PASS:
            place, good = (self.problem.board.grid.row_column(p) for p in (point, best))
            near += max(abs(a - b) for a, b in zip(place, good, strict=True))
        return near

    # the main line ------------------------------------------------------------------------------

    def follow(self, prover: Prover, mover: int, winner: int) -> tuple[int, ...]:
        """Best play from the start: the winner's winning moves, the loser's longest resistance."""
        moves: list[int] = []
        while len(moves) < LONGEST_LINE:
            board = self.after(mover, moves)
            if board.to_move != winner:
                move = self.resist(prover, mover, moves)
            elif self.settled(prover, mover, moves, winner):
                break
            else:
                move = self.ask(prover, mover, moves, share=0.5).move
            if move <= PASS or not board.is_legal(move):
                break  # nothing is left to play, or the next move takes a ko back at once
            moves.append(move)
        ends_well = mover == winner if len(moves) % 2 else mover != winner
        return tuple(moves if ends_well else moves[:-1])  # the last word is the winner's

    def settled(self, prover: Prover, mover: int, moves: Sequence[int], winner: int) -> bool:
        """The winner is to move: may it as well play elsewhere?"""
        return self.ask(prover, mover, [*moves, PASS], share=0.2).winner is self.winner(winner)

    def resist(self, prover: Prover, mover: int, moves: Sequence[int]) -> int:
        """The loser's move that took most work to refute, or PASS."""
        tries = self.resistance(prover, mover, moves)
        return tries[0] if tries else PASS

    def resistance(self, prover: Prover, mover: int, moves: Sequence[int]) -> list[int]:
        """The loser's moves that matter, the hardest to refute first."""
        board = self.after(mover, moves)
        zone = self.ask(prover, mover, moves, share=0.5).zone
        tries = [p for p in self.legal(prover, board) if touches(board, p, zone)]
        work = {p: spent_on(prover, mover, [*moves, p]) for p in tries}
        return sorted((p for p in tries if work[p]), key=lambda p: (-work[p], int(self.distance[p]), p))


def touches(board: Board, point: int, zone: frozenset[int]) -> bool:
    """Does a move change anything in the zone, by itself or by what it captures?"""
    if point in zone:
        return True
    for near in board.grid.neighbours(point):
        taken = board[near] == opponent(board.to_move) and board.liberties(near) == 1
        if taken and not zone.isdisjoint(board.chain(near).stones):
            return True
    return False


def lay_ban(prover: Prover) -> None:
    """Put the ko ban of the start into a search."""
    if prover.problem.ban != NO_POINT:
        state = prover.space[0]["board"]["state"]
        state[KO], state[KO_COLOUR] = prover.problem.ban, prover.problem.to_move


def spent_on(prover: Prover, first: int, moves: Sequence[int]) -> int:
    """The nodes that a search has spent on a position so far."""
    return int(_spent_on(prover.space, prover.memory.table.places, first, np.array(moves, dtype=np.int64)))


@kernel
def _spent_on(spaces, tables, first, moves):  # type: ignore[no-untyped-def]
    space.start_from(spaces, first, moves)
    s, table = spaces[0], tables[0]
    found = find(table, space.position_key(s), s.check[0], s.facts[space.GAME])
    space.back_to_start(spaces)
    return record_at(table.entry, found, ENTRY).work if found >= 0 else 0
