"""Positions to learn from, in random order, out of archives of games.

    corpus = load_corpus(["games.sgf.xz", "folder/"])
    sampler = Sampler(corpus, config, planes=…, steps=3)
    batch = sampler.batch(number)

All games are held in memory as moves (two bytes each), and every batch draws its positions from all of
them: the planes are made when they are wanted, and nothing is written to disk. Which positions are in a
batch depends on the seed and on the number of the batch alone. So a run that is resumed sees what it
would have seen, and several processes divide the batches among themselves by number. `Prefetcher` makes
them ahead of time in threads.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from miai import files
from miai.go import sgf
from miai.go.coords import BLACK, WHITE
from miai.go.game import Result
from miai.nets.planes import PASS_MOVE, PlaneSet, Records, encode_batch, records_from_text, symmetry_table
from miai.train.config import DataConfig
from miai.train.labels import Labels

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]
NO_MOVE = -1  # in targets: the game was over
TRANSPOSING = 4  # symmetries from here on swap rows and columns


class NoPositions(ValueError):
    """Archives without a position to learn from."""


@dataclass(frozen=True)
class Corpus:
    """Games in memory. `records.index` counts through all archives, skipped games included."""

    records: Records
    winner: npt.NDArray[np.int8]  # [game] BLACK, WHITE, or 0 if the record does not say
    skipped: int  # games that are damaged or break the rules
    damaged: tuple[str, ...] = ()  # what was said about files that could not be read to their end


def load_corpus(paths: Iterable[str], *, limit: int | None = None) -> Corpus:
    """Read archives. Damaged files and games are skipped and counted; `limit` is how many games at most."""
    parts: list[Records] = []
    winners: list[npt.NDArray[np.int8]] = []
    complaints: list[str] = []
    breaks: list[str] = []  # files read up to a break; what is lost there counts as skipped
    seen = skipped = kept = 0
    for path in paths:
        try:
            sources = files.sources(path)
        except files.InputError as error:
            complaints.append(str(error))
            continue
        for source in sources:
            if limit is not None and kept >= limit:
                break
            try:
                data = source.read()
                collection = sgf.parse(data)
            except files.InputError as error:
                complaints.append(str(error))
                continue
            except sgf.SgfError as error:
                complaints.append(f"{source.name}:{error.line}: {error.reason}")
                continue
            if (broken := collection.error) is not None:
                breaks.append(f"{source.name}:{broken.line}: {broken.reason}")
            roots = collection.games
            records = records_from_text(data)
            results = np.array([_winner(roots[i]) for i in records.index], dtype=np.int8)
            skipped += records.skipped
            if limit is not None and kept + len(records) > limit:
                records, results = chosen(records, np.arange(limit - kept)), results[: limit - kept]
            parts.append(replace(records, index=records.index + seen))
            winners.append(results)
            seen += len(roots)
            kept += len(records)
    if not kept:
        reason = next(iter(complaints + breaks), "no game in them can be read")
        raise NoPositions(f"no games: {reason}")
    return Corpus(concatenate(parts), np.concatenate(winners), skipped, tuple(complaints))


def _winner(root: sgf.Node) -> int:
    return Result.parse(root.get_text("RE")).winner


PER_GAME = ("width", "height", "komi", "rules", "to_move", "setup_ko", "index")
PER_MOVE = {"start": ("points", "colours"), "setup_start": ("setup_points", "setup_colours")}


def chosen(records: Records, games: Integers) -> Records:
    """Some games of a `Records`, as one of their own."""
    changes: dict[str, Any] = {name: getattr(records, name)[games] for name in PER_GAME}
    for starts, names in PER_MOVE.items():
        start = getattr(records, starts)
        counts = start[games + 1] - start[games]
        ends = np.cumsum(counts)
        rows = np.arange(counts.sum()) + np.repeat(start[games] - (ends - counts), counts)
        changes[starts] = np.concatenate([[0], ends]).astype(np.int64)
        changes |= {name: getattr(records, name)[rows] for name in names}
    return replace(records, **changes)


def concatenate(parts: Sequence[Records]) -> Records:
    """Several `Records` as one."""
    if len(parts) == 1:
        return parts[0]
    names = [name for name in (*PER_MOVE["start"], *PER_MOVE["setup_start"], *PER_GAME) if name != "rules"]
    rulesets = tuple(dict.fromkeys(rules for part in parts for rules in part.rulesets))
    numbers = [np.array([rulesets.index(rules) for rules in part.rulesets], np.int16) for part in parts]

    def joined(name: str) -> npt.NDArray[Any]:
        return np.concatenate([getattr(part, name) for part in parts])

    def starts(name: str) -> Integers:
        counts = np.concatenate([np.diff(getattr(part, name)) for part in parts])
        return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)

    return replace(
        parts[0],
        start=starts("start"),
        setup_start=starts("setup_start"),
        rules=np.concatenate([number[part.rules] for number, part in zip(numbers, parts, strict=True)]),
        rulesets=rulesets,
        skipped=sum(part.skipped for part in parts),
        **{name: joined(name) for name in names},
    )


# batches ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Batch:
    """Positions of one board size, and what is to be said about them. Everything from the side to move."""

    spatial: Floats  # [n, planes, height, width]
    scalars: Floats  # [n, scalars]
    moves: Integers  # [n, steps] played next, and after it: row × width + column, the pass last; or NO_MOVE
    policy: Floats  # [n, height × width + 1] the teacher's; all 0 where there is none
    win: Floats  # [n] the teacher's winning probability, or the game's result
    score: Floats  # [n] the teacher's lead in points
    ownership: Floats  # [n, height, width] the teacher's
    labelled: Floats  # [n] 1 where there is a teacher
    decided: Floats  # [n] 1 where the game's result is known

    def __len__(self) -> int:
        return len(self.moves)


def gather(
    corpus: Corpus,
    planes: PlaneSet,
    games: Integers,
    moves: Integers,
    symmetries: Integers,
    *,
    steps: int,
    labels: Labels | None = None,
    rows: Integers | None = None,
) -> Batch:
    """The named positions as a batch; all on boards of one size, `rows` of `labels` or -1 for each."""
    records = corpus.records
    width, height = int(records.width[games[0]]), int(records.height[games[0]])
    area = width * height
    spatial, scalars = encode_batch(planes, records, games, moves, symmetries)
    tables = np.stack([np.append(symmetry_table(s, width, height), np.int32(area)) for s in range(8)])

    at = records.start[games][:, None] + moves[:, None] + np.arange(steps)
    exists = at < records.start[games + 1][:, None]
    played = records.points[np.minimum(at, len(records.points) - 1)].astype(np.int64)
    played = np.where(played == PASS_MOVE, area, played)
    targets = np.where(exists, np.take_along_axis(tables[symmetries], played, 1), NO_MOVE)

    first = np.minimum(records.start[games] + moves, max(len(records.colours) - 1, 0))
    over = moves >= records.lengths[games]
    to_move = np.where(over, records.to_move[games], records.colours[first])
    winner = corpus.winner[games]
    decided = ((winner == BLACK) | (winner == WHITE)).astype(np.float32)
    win = np.where(winner == to_move, np.float32(1), np.float32(0))

    n = len(games)
    policy = np.zeros((n, area + 1), np.float32)
    score = np.zeros(n, np.float32)
    ownership = np.zeros((n, area), np.float32)
    labelled = np.zeros(n, np.float32)
    if labels is not None and rows is not None and (rows >= 0).any():
        some = np.flatnonzero(rows >= 0)
        chosen = rows[some]
        turn = tables[symmetries[some]]
        view = np.where(to_move[some] == BLACK, np.float32(1), np.float32(-1))
        top = np.take_along_axis(turn, labels.top_move[chosen].astype(np.int64), 1)
        prob = labels.top_prob[chosen].astype(np.float32)
        prob /= np.maximum(prob.sum(1, keepdims=True), 1)
        np.add.at(policy, (some[:, None], top), prob)
        black = labels.winrate[chosen].astype(np.float32)
        win[some] = np.where(view > 0, black, 1 - black)
        score[some] = labels.score[chosen].astype(np.float32) * view
        owned = labels.ownership[chosen].astype(np.float32) / labels.ownership_unit * view[:, None]
        turned = np.empty_like(owned)
        np.put_along_axis(turned, turn[:, :area].astype(np.int64), owned, 1)
        ownership[some] = np.clip(turned, -1, 1)
        labelled[some] = 1
    return Batch(
        spatial,
        scalars,
        targets.astype(np.int64),
        policy,
        win.astype(np.float32),
        score,
        ownership.reshape(n, *spatial.shape[2:]),
        labelled,
        decided,
    )


class Sampler:
    """Batches by number: the same number always gives the same batch."""

    def __init__(
        self,
        corpus: Corpus,
        config: DataConfig,
        *,
        planes: PlaneSet,
        steps: int,
        batch: int,
        labels: Labels | None = None,
    ) -> None:
        self.corpus, self.config, self.planes, self.steps, self.size = corpus, config, planes, steps, batch
        records = corpus.records
        lengths = np.maximum(records.lengths - config.skip_moves, 0)  # the move after each is to be known
        kinds = records.width.astype(np.int64) * 256 + records.height
        self.groups = [np.flatnonzero((kinds == kind) & (lengths > 0)) for kind in np.unique(kinds)]
        self.groups = [group for group in self.groups if len(group)]
        if not self.groups:
            raise NoPositions("no game is long enough to learn from")
        self.ends = [np.cumsum(lengths[group]) for group in self.groups]
        shares = np.array([ends[-1] for ends in self.ends], dtype=np.float64)
        self.shares = np.cumsum(shares) / shares.sum()
        self.positions = int(shares.sum())
        self.labels = labels
        self.label_rows: list[Integers] = [np.empty(0, np.int64) for _ in self.groups]
        if labels is not None and config.labelled > 0:
            self._match(labels)

    def _match(self, labels: Labels) -> None:
        """Which label belongs to which game that was read."""
        index = self.corpus.records.index
        where = np.searchsorted(index, labels.game)
        where = np.minimum(where, len(index) - 1)
        fits = index[where] == labels.game
        fits &= labels.move <= self.corpus.records.lengths[where]
        self.label_game = where
        for i, group in enumerate(self.groups):
            area = int(self.corpus.records.width[group[0]]) * int(self.corpus.records.height[group[0]])
            if area == labels.ownership.shape[1]:
                member = np.zeros(len(index), bool)
                member[group] = True
                self.label_rows[i] = np.flatnonzero(fits & member[where])

    @property
    def labelled_positions(self) -> int:
        """How many positions have a label of the teacher."""
        return sum(len(rows) for rows in self.label_rows)

    def batch(self, number: int) -> Batch:
        """Batch `number`, from 0. May be called from several threads."""
        random = np.random.Generator(np.random.Philox(key=self.config.seed, counter=[0, 0, 0, number]))
        group = int(np.searchsorted(self.shares, random.random(), side="right"))
        members, ends, known = self.groups[group], self.ends[group], self.label_rows[group]
        place = random.integers(ends[-1], size=self.size)
        game = np.searchsorted(ends, place, side="right")
        moves = place - np.where(game > 0, ends[game - 1], 0) + self.config.skip_moves
        games = members[game]
        rows = np.full(self.size, -1, np.int64)
        if len(known) and self.labels is not None:
            wanted = random.random(self.size) < self.config.labelled
            drawn = known[random.integers(len(known), size=self.size)]
            rows[wanted] = drawn[wanted]
            games = np.where(wanted, self.label_game[drawn], games)
            moves = np.where(wanted, self.labels.move[drawn], moves)
        records = self.corpus.records
        square = records.width[games[0]] == records.height[games[0]]
        turns = (2 * TRANSPOSING if square else TRANSPOSING) if self.config.symmetries else 1
        symmetries = random.integers(turns, size=self.size)
        return gather(
            self.corpus,
            self.planes,
            games,
            moves.astype(np.int64),
            symmetries,
            steps=self.steps,
            labels=self.labels,
            rows=rows,
        )


class Prefetcher:
    """Makes batches ahead of time in threads, and hands them out in order."""

    def __init__(
        self, make: Callable[[int], Batch], numbers: Iterable[int], *, ahead: int = 8, workers: int = 1
    ) -> None:
        self.make, self.numbers = make, iter(numbers)
        self.slots: queue.Queue[queue.Queue[Batch | BaseException | None]] = queue.Queue(ahead)
        self.lock = threading.Lock()
        self.closed = threading.Event()
        self.threads = [threading.Thread(target=self._work, daemon=True) for _ in range(workers)]
        for thread in self.threads:
            thread.start()

    def _work(self) -> None:
        while not self.closed.is_set():
            slot: queue.Queue[Batch | BaseException | None] = queue.Queue(1)
            with self.lock:  # a number and its place in the line are taken together
                number = next(self.numbers, None)
                while not self.closed.is_set():
                    try:
                        self.slots.put(slot, timeout=0.5)
                        break
                    except queue.Full:
                        continue
            try:
                slot.put(None if number is None else self.make(number))
            except BaseException as error:
                slot.put(error)
            if number is None:
                return

    def get(self) -> Batch:
        """The next batch; waits for it if it must."""
        found = self.slots.get().get()
        if isinstance(found, BaseException):
            raise found
        if found is None:
            raise NoPositions("there are no more batches")
        return found

    def close(self) -> None:
        """Let the threads end."""
        self.closed.set()
