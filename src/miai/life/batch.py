"""Many problems, one after the other or several at a time, and what is left when somebody stops it.

A `Task` is a problem still in its file, with what was asked about it; an `Outcome` is its verdict, or
the reason why there is none. Both travel between processes. `solved_before` reads what an earlier,
interrupted run has written.
"""

from __future__ import annotations

import json
import multiprocessing
import signal
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from miai.go import sgf
from miai.life.problem import ProblemError, problem_from_node
from miai.life.proof import proof_tree
from miai.life.solve import decide
from miai.life.verdict import DEFAULT_MEMORY, KoRule, Verdict

RESULT = b'{"file": '  # how a line of results begins
NO_RESULT = "{} is not a result of `miai solve --json`: name another file"


@dataclass(frozen=True)
class Request:
    """What is asked about each problem of a batch."""

    to_move: int | None = None
    target: tuple[str, ...] = ()
    region: tuple[str, ...] = ()
    move: int = 0
    ko: KoRule = KoRule.BOTH
    nodes: int | None = None
    seconds: float | None = None
    memory: int = DEFAULT_MEMORY
    proof: bool = False  # the tree is wanted


@dataclass(frozen=True)
class Task:
    file: str
    index: int  # in its file, from 1
    record: bytes  # SGF of the one game
    request: Request


@dataclass(frozen=True)
class Outcome:
    task: Task
    verdict: Verdict | None = None
    error: str = ""
    proof: bytes = b""

    def to_json(self) -> dict[str, Any]:
        assert self.verdict is not None
        return {"file": self.task.file, "index": self.task.index, **self.verdict.to_json()}


def run(task: Task) -> Outcome:
    """Solve one problem. A problem that cannot be posed is an error in the outcome, not here."""
    request = task.request
    try:
        problem = problem_from_node(
            sgf.parse(task.record).games[0],
            to_move=request.to_move,
            target=request.target,
            region=request.region,
            move=request.move,
        )
    except (ProblemError, sgf.SgfError) as error:
        return Outcome(task, error=str(error))
    try:
        solver, verdict = decide(
            problem, ko=request.ko, nodes=request.nodes, seconds=request.seconds, memory=request.memory
        )
        proof = sgf.serialise(proof_tree(solver, verdict)) if request.proof else b""
    except MemoryError:
        return Outcome(task, error="there is not so much memory: ask for less with --memory")
    return Outcome(task, verdict, proof=proof)


def run_all(tasks: Iterable[Task], *, jobs: int = 1) -> Iterator[Outcome]:
    """Solve all, in order; with several jobs, as they are done. Stopping the iteration stops the work."""
    if jobs == 1:
        yield from map(run, tasks)
        return
    before = set(multiprocessing.active_children())
    # spawn: a forked child would share the compiler's locks
    pool = ProcessPoolExecutor(
        jobs, multiprocessing.get_context("spawn"), initializer=_leave_signals_to_parent
    )
    finished = False
    try:
        waiting = [pool.submit(run, task) for task in tasks]
        for done in as_completed(waiting):
            yield done.result()
        finished = True
    finally:
        pool.shutdown(wait=finished, cancel_futures=True)
        if not finished:
            for worker in set(multiprocessing.active_children()) - before:
                worker.terminate()


def _leave_signals_to_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def solved_before(file: Path) -> set[tuple[str, int]]:
    """File and index of every problem in a file of results. A last line that was cut off is removed, unless
    the file holds something else: ProblemError, and it stays as it is."""
    if not file.exists():
        return set()
    data = file.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    found = set()
    for number, line in enumerate(whole.splitlines(), 1):
        try:
            entry = json.loads(line)
            found.add((entry["file"], entry["index"]))
        except (ValueError, KeyError, TypeError):
            raise ProblemError(NO_RESULT.format(f"line {number}")) from None
    rest = data[len(whole) :]
    if not RESULT.startswith(rest[: len(RESULT)]):
        raise ProblemError(NO_RESULT.format("its last line"))
    if rest:
        file.write_bytes(whole)
    return found
