"""What a teacher says about positions: policy, winning probability, score and ownership.

    write("default", ["games.sgf.xz"], Path("labels"), positions=8)      # by any network of miai.nets
    labels = read(["labels/labels-19x19-000000.npz"])                    # for `games` to learn from

`write` makes a file for every thousand games, and leaves those alone that are there already: start it
again, and it goes on where it stopped. The thousands are done in turn, on several cores, or on a Dask
cluster, through joblib. A file is an `.npz` with one row a position, sorted by game and move:

    game        which game of the archives, counted from 0 through all of them
    move        after how many moves
    top_move    [16] the most probable moves, best first: row × width + column, the pass last
    top_prob    [16] their probabilities × 255
    winrate     Black's winning probability
    score       Black's lead in points
    ownership   [width × height] from Black's side, × 7.5, rounded to −7 … 7
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from miai.nets import runtime
from miai.nets.planes import Records

ARRAYS = ("game", "move", "top_move", "top_prob", "winrate", "score", "ownership")
OWNERSHIP_UNIT = 7.5
OWNERSHIP_STEPS = 7
PROBABILITY_UNIT = 255
TOP = 16
GAMES_A_FILE = 1000


class LabelError(ValueError):
    """A label file that cannot be used."""


@dataclass(frozen=True)
class Labels:
    """Labels of many positions, sorted by game and move; the arrays are those of the files."""

    game: npt.NDArray[np.int64]
    move: npt.NDArray[np.int64]
    top_move: npt.NDArray[np.int16]
    top_prob: npt.NDArray[np.uint8]
    winrate: npt.NDArray[np.float32]
    score: npt.NDArray[np.float32]
    ownership: npt.NDArray[np.int8]
    ownership_unit: float = OWNERSHIP_UNIT

    def __len__(self) -> int:
        return len(self.game)


def read_arrays(path: str | Path, names: Sequence[str]) -> dict[str, npt.NDArray[Any]]:
    """Some arrays of a file of labels."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in names}
    except FileNotFoundError as error:
        raise LabelError(f"{path}: there is no such file") from error
    except OSError as error:
        raise LabelError(f"{path}: {(error.strerror or str(error)).lower()}") from error
    except (KeyError, ValueError, TypeError, AttributeError, EOFError, zipfile.BadZipFile) as error:
        reason = "is not a file of labels, or is damaged: `miai data label` makes one"
        raise LabelError(f"{path}: {reason}") from error


def read(paths: Sequence[str | Path]) -> Labels:
    """The labels of files, joined and sorted."""
    parts: dict[str, list[npt.NDArray[Any]]] = {name: [] for name in ARRAYS}
    for path in paths:
        loaded = read_arrays(path, ARRAYS)
        if len({len(array) for array in loaded.values()}) != 1:
            raise LabelError(f"{path}: its arrays are of different lengths")
        for name, array in loaded.items():
            parts[name].append(array)
    if len({array.shape[1:] for array in parts["ownership"]}) > 1:
        raise LabelError("these labels are of boards of different sizes: name the files of one size")
    joined = {name: np.concatenate(arrays) for name, arrays in parts.items()}
    order = np.lexsort((joined["move"], joined["game"]))
    joined = {name: array[order] for name, array in joined.items()}
    return Labels(
        game=joined["game"].astype(np.int64),
        move=joined["move"].astype(np.int64),
        top_move=joined["top_move"].astype(np.int16),
        top_prob=joined["top_prob"].astype(np.uint8),
        winrate=joined["winrate"].astype(np.float32),
        score=joined["score"].astype(np.float32),
        ownership=joined["ownership"].astype(np.int8),
    )


# making them ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Task:
    """A file to be made: some games of one board size."""

    path: Path
    teacher: str
    records: Records
    games: npt.NDArray[np.int64]  # of `records`, in order
    positions: int  # of each game
    seed: int
    threads: int | None


def write(
    teacher: str,
    archives: Sequence[str],
    out: Path,
    *,
    positions: int = 8,
    seed: int = 1,
    limit: int | None = None,
    jobs: int = 1,
    cluster: str = "",
    done: Callable[[Path, int], None] | None = None,
) -> int:
    """Label random positions of every game. Returns how many positions are labelled in `out` by now.

    `jobs` is how many files are made at a time; `cluster` is the address of a Dask scheduler, whose
    workers must see the network and `out` under the same paths. `done` is told of each file.
    """
    from miai.train.games import load_corpus

    runtime.load(teacher)  # complains now, not in a worker
    corpus = load_corpus(archives, limit=limit)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LabelError(f"{out}: cannot be written: {(error.strerror or str(error)).lower()}") from error
    tasks = list(_tasks(teacher, corpus.records, out, positions, seed, 1 if jobs > 1 or cluster else None))
    counts = 0
    waiting = []
    for task in tasks:
        if task.path.exists():
            counts += len(read([task.path]))
        else:
            waiting.append(task)
    for path, count in _run(waiting, jobs, cluster):
        counts += count
        if done is not None:
            done(path, count)
    return counts


def _tasks(
    teacher: str, records: Records, out: Path, positions: int, seed: int, threads: int | None
) -> Iterator[Task]:
    from miai.train.games import chosen

    kinds = records.width.astype(np.int64) * 256 + records.height
    part = records.index // GAMES_A_FILE
    for kind in np.unique(kinds):
        for number in np.unique(part[kinds == kind]):
            games = np.flatnonzero((kinds == kind) & (part == number))
            path = out / f"labels-{kind // 256}x{kind % 256}-{number:06d}.npz"
            own = chosen(records, games)
            yield Task(path, teacher, own, np.arange(len(games)), positions, seed, threads)


def _run(tasks: Sequence[Task], jobs: int, cluster: str) -> Iterator[tuple[Path, int]]:
    if jobs == 1 and not cluster:
        yield from map(label, tasks)
        return
    try:
        import joblib
    except ImportError as error:
        raise LabelError(
            "several jobs need joblib: pip install miai[cluster], or leave --jobs out"
        ) from error
    with _workers(cluster):
        yield from joblib.Parallel(n_jobs=-1 if cluster else jobs, return_as="generator_unordered")(
            joblib.delayed(label)(task) for task in tasks
        )


@contextmanager
def _workers(cluster: str) -> Iterator[None]:
    """Where joblib sends its work: to this machine, or to a Dask cluster."""
    if not cluster:
        yield
        return
    try:
        import joblib
        from distributed import Client
    except ImportError as error:
        raise LabelError("--cluster needs Dask: pip install miai[cluster]") from error
    try:
        client = Client(cluster, timeout="10s")
    except (OSError, ValueError) as error:
        raise LabelError(f"{cluster}: no Dask scheduler answers there") from error
    with client, joblib.parallel_config(backend="dask"):
        yield


def label(task: Task) -> tuple[Path, int]:
    """Ask the teacher about one file's positions, and write it whole or not at all."""
    records = task.records
    games, moves = [], []
    for game in task.games:
        random = np.random.default_rng([task.seed, int(records.index[game])])
        length = int(records.lengths[game])
        count = min(task.positions, length)
        moves.append(np.sort(random.choice(length, size=count, replace=False)))
        games.append(np.full(count, game))
    all_games, all_moves = np.concatenate(games), np.concatenate(moves)
    network = runtime.load(task.teacher, threads=task.threads)
    said = network.evaluate(records, all_games, all_moves)
    policy = said.policy[:, 0]
    top = np.argsort(-policy, axis=1, kind="stable")[:, :TOP]
    n = len(all_games)
    winrate = np.full(n, 0.5, np.float32) if said.winrate is None else said.winrate
    lead = np.zeros(n, np.float32) if said.lead is None else said.lead
    area = policy.shape[1] - 1
    owned = np.zeros((n, area), np.float32) if said.ownership is None else said.ownership.reshape(n, area)
    arrays = {
        "game": records.index[all_games].astype(np.int32),
        "move": all_moves.astype(np.int16),
        "top_move": top.astype(np.int16),
        "top_prob": np.rint(np.take_along_axis(policy, top, 1) * PROBABILITY_UNIT).astype(np.uint8),
        "winrate": winrate.astype(np.float16),
        "score": lead.astype(np.float16),
        "ownership": np.clip(np.rint(owned * OWNERSHIP_UNIT), -OWNERSHIP_STEPS, OWNERSHIP_STEPS).astype(
            np.int8
        ),
    }
    temporary = task.path.with_name(task.path.name + f".{os.getpid()}.part")
    try:
        with temporary.open("wb") as file:
            np.savez_compressed(file, allow_pickle=False, **arrays)
        os.replace(temporary, task.path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        reason = (error.strerror or str(error)).lower()
        raise LabelError(f"{task.path}: cannot be written: {reason}; what is finished is kept") from error
    return task.path, n
