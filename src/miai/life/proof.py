"""The proof of a verdict as an SGF tree for people: Sabaki and KaTrain open it.

    solver = Solver(problem)
    data = serialise(proof_tree(solver, solver.verdict()))

The side to move gets every move that works (TE) and the likely ones that do not (BM). From there on
the winner has one answer to each move, and the loser tries what matters: the moves that touch the
zone of the proof, the hardest to refute first. A variation ends where the winner may as well play
elsewhere, or at the depth limit.
"""

from __future__ import annotations

from collections.abc import Sequence

from miai.go.board import Board
from miai.go.coords import BLACK, COLOUR_LETTERS, PASS, WHITE, opponent
from miai.go.diagram import NAMES
from miai.go.sgf import Node
from miai.life.search import Budget, Prover, Winner
from miai.life.verdict import Result, Solver, Verdict
from miai.life.words import remarks, sentence, shown_moves

DEPTH = 8  # moves from the start
WIDTH = 3  # tries of the loser at each turn
SECONDS = 5.0  # for questions that the verdict left open


def proof_tree(
    solver: Solver, verdict: Verdict, *, depth: int = DEPTH, width: int = WIDTH, seconds: float = SECONDS
) -> Node:
    """A game tree with the proof in it. The solver is the one that found the verdict."""
    root = position_node(verdict)
    before = solver.budget
    solver.budget = Budget(seconds=seconds)
    try:
        _Writer(solver, verdict, depth, width).write(root)
    finally:
        solver.budget = before
    return root


def position_node(verdict: Verdict) -> Node:
    """The problem as a root node, the verdict in its comment, the fence as circles."""
    problem = verdict.problem
    board, grid = problem.board, problem.board.grid
    root = Node()
    width, height = board.size
    root["FF"], root["GM"], root["CA"], root["AP"] = "4", "1", "UTF-8", "miai"
    root["SZ"] = str(width) if width == height else f"{width}:{height}".encode()
    if problem.name:
        root["GN"] = problem.name
    root["PL"] = COLOUR_LETTERS[problem.to_move]
    points = {
        "AB": board.stones(BLACK),
        "AW": board.stones(WHITE),
        "MA": list(problem.target),
        "CR": sorted(problem.frame.fence),
    }
    for name, listed in points.items():
        if listed:
            root[name] = [grid.sgf(point) for point in listed]
    root["C"] = "\n".join([sentence(verdict), *remarks(verdict)]).replace("#", "with circles")
    return root


class _Writer:
    """Writes variations below a root."""

    def __init__(self, solver: Solver, verdict: Verdict, depth: int, width: int) -> None:
        self.solver, self.verdict = solver, verdict
        self.depth, self.width = depth, width
        self.mover = verdict.problem.to_move

    def write(self, root: Node) -> None:
        solver, first = self.solver, self.verdict.first
        prover = solver.winning_search(self.mover)
        if prover is None:
            survives, _ = solver.outcome(self.mover)
            if survives is not None:
                self.tries(root, solver.prover(solver.assumptions(self.mover)[-1]), [])
            return
        good = [move for move in shown_moves(first) if move != PASS][: max(self.width, 1)]
        for move in good if PASS not in first.moves else []:
            child = self.add(root, [], move)
            child["TE"] = "1"
            child["C"] = f"{NAMES[self.mover]} {SUCCESS[first.result, self.mover == solver.attacker]}."
            self.expand(child, prover, [move], self.mover)
        self.failures(root, prover, first.moves + first.undecided)

    def failures(self, root: Node, prover: Prover, known: Sequence[int]) -> None:
        """First moves that look likely and do not work, each with its refutation."""
        solver = self.solver
        board = solver.after(self.mover, ())
        others = [p for p in solver.legal(prover, board) if p not in known]
        others.sort(key=lambda p: (solver.steps(p, max(self.verdict.moves, default=PASS)), p))
        for move in others[: self.width]:
            answer = solver.ask(prover, self.mover, [move], share=0.2)
            if answer.winner is solver.winner(opponent(self.mover)):
                child = self.add(root, [], move)
                child["BM"] = "1"
                child["C"] = f"Does not work: {NAMES[opponent(self.mover)]} has an answer."
                self.expand(child, prover, [move], opponent(self.mover), lines=1)

    def tries(self, node: Node, prover: Prover, moves: list[int], lines: int | None = None) -> None:
        """The loser is to move."""
        solver = self.solver
        winner = opponent(self.player(moves))
        for move in solver.resistance(prover, self.mover, moves)[: lines or self.width]:
            child = self.add(node, moves, move)
            if not moves:
                child["BM"] = "1"
            self.expand(child, prover, [*moves, move], winner, lines)

    def expand(
        self, node: Node, prover: Prover, moves: list[int], winner: int, lines: int | None = None
    ) -> None:
        """Go on below a node, `lines` tries of the loser at each turn."""
        solver = self.solver
        if len(moves) >= self.depth:
            return
        if self.player(moves) != winner:
            self.tries(node, prover, moves, lines)
            return
        if solver.settled(prover, self.mover, moves, winner):
            self.comment(node, f"{NAMES[winner]} may play elsewhere: {self.what_is_settled(winner)}.")
            return
        answer = solver.ask(prover, self.mover, moves, share=0.2)
        if answer.winner is Winner.UNKNOWN or answer.move <= PASS:
            return
        child = self.add(node, moves, answer.move)
        self.expand(child, prover, [*moves, answer.move], winner, lines)

    def add(self, node: Node, moves: Sequence[int], move: int) -> Node:
        board: Board = self.solver.after(self.mover, moves)
        child = node.add_child()
        child[COLOUR_LETTERS[board.to_move]] = board.grid.sgf(move)
        if move == board.ko_point:
            child["C"] = f"{NAMES[board.to_move]} takes the ko back, after a threat elsewhere."
        return child

    def comment(self, node: Node, words: str) -> None:
        node["C"] = " ".join(filter(None, [node.get_text("C"), words]))

    def player(self, moves: Sequence[int]) -> int:
        return opponent(self.mover) if len(moves) % 2 else self.mover

    def what_is_settled(self, winner: int) -> str:
        defender = NAMES[self.solver.defender]
        return f"{defender} is dead" if winner == self.solver.attacker else f"{defender} is safe"


SUCCESS = {  # by result and whether the attacker moves
    (Result.DEAD, True): "kills",
    (Result.KO, True): "makes ko",
    (Result.KO, False): "makes ko",
    (Result.ALIVE, False): "lives",
    (Result.SEKI, False): "gets seki",
    (Result.UNKNOWN, False): "survives",
}
