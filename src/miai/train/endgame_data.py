"""Local endgame positions to learn from: regions of game positions, who played there next, and where.

    positions, corpus = collect(["train-00.sgf.xz"], ["train-b10-00.npz"])  # games, a teacher's ownership
    for mask, label in draw(random, positions, row, most=8):                # regions, somewhat off centre
        ...                                                                 # colour and point, or nobody

A region is a connected part of the board whose owner the teacher is not sure of (|ownership| below 0.90
to 0.95), and the points around it. Parts of more than `LARGEST` points are cut at lower thresholds into
their hotter cores. Blobs inside sure territory are the other kind: there, nobody should play. The label
is the first move of the rest of the game inside the region. Where nobody played and the game was not
counted but resigned, nothing is known, and the region is left out. `endgame` learns from this.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from miai import files
from miai.go import sgf
from miai.go.coords import EMPTY
from miai.kernel import kernel
from miai.nets.planes import symmetry_table
from miai.nets.positions import board_at
from miai.train.games import Corpus, NoPositions, load_corpus
from miai.train.labels import read_arrays

Mask = npt.NDArray[np.bool_]  # [height × width]
SIDE = 19  # labels of a teacher are for this board
AREA = SIDE * SIDE
NEVER = np.int16(32767)  # in `when`
NOBODY = 2 * AREA  # the class after both colours' points
UNKNOWN = -1
UNSETTLED = (0.90, 0.95)  # thresholds are drawn from here
SURE = 0.97
CUTS = (0.8, 0.6, 0.4, 0.2)  # for parts that are too large
LARGEST = 60
BLOB = (3, 20)  # points of a blob in sure territory
PLAIN = 0.6  # share of what is drawn while learning as `every` would have it


@dataclass(frozen=True)
class Positions:
    """Positions, what came after, and whose the points are; a row each. Places are row × 19 + column."""

    game: npt.NDArray[np.int64]  # [n] line of the archives
    move: npt.NDArray[np.int16]  # [n] moves played
    side: npt.NDArray[np.int8]  # [n] BLACK or WHITE to move
    counted: npt.NDArray[np.bool_]  # [n] the game was played to its end
    stones: npt.NDArray[np.int8]  # [n, 361]
    when: npt.NDArray[np.int16]  # [n, 361] how many moves later the point was first played on, or NEVER
    who: npt.NDArray[np.int8]  # [n, 361] by whom
    ownership: npt.NDArray[np.int8]  # [n, 361] the teacher's × 100, Black's side

    def __len__(self) -> int:
        return len(self.game)

    def turned(self, symmetries: npt.NDArray[np.integer]) -> Positions:
        """The same with each board turned by its symmetry."""
        tables = np.stack([symmetry_table(s, SIDE, SIDE) for s in range(8)])[symmetries]
        changed = {}
        for name in ("stones", "when", "who", "ownership"):
            old = getattr(self, name)
            new = np.empty_like(old)
            np.put_along_axis(new, tables.astype(np.int64), old, 1)
            changed[name] = new
        return replace(self, **changed)


# making -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Labelled:
    """Positions whose points a teacher has judged, a row each, sorted by game."""

    place: npt.NDArray[np.int64]  # [n] which of the games that were read
    move: npt.NDArray[np.int64]  # [n] moves played
    ownership: npt.NDArray[np.int8]  # [n, 361] × 100, Black's side


def collect(
    archives: Sequence[str], labels: Sequence[str], *, limit: int | None = None
) -> tuple[Positions, Corpus]:
    """The labelled positions of games, `limit` at most."""
    corpus, counted = load_games(archives)
    found = labelled(corpus, labels)
    first = slice(limit)
    return look(corpus, counted, found.place[first], found.move[first], found.ownership[first]), corpus


def load_games(archives: Sequence[str]) -> tuple[Corpus, npt.NDArray[np.bool_]]:
    """Games, and which of them, by number, ended with a score."""
    return load_corpus(archives), _counted(archives)


def labelled(corpus: Corpus, labels: Sequence[str]) -> Labelled:
    """What label files say of these games; they hold game, move and ownership of 19×19 boards."""
    game, move, ownership = _read(labels)
    records = corpus.records
    order = np.argsort(game, kind="stable")
    place = np.minimum(np.searchsorted(records.index, game[order]), len(records) - 1)
    fits = (records.index[place] == game[order]) & (records.width[place] == SIDE)
    fits &= (records.height[place] == SIDE) & (move[order] < records.lengths[place])
    order, place = order[fits], place[fits]
    if not len(order):
        raise NoPositions("no label belongs to a 19×19 game of these archives: name the archives in order")
    return Labelled(place, move[order], ownership[order])


def look(
    corpus: Corpus,
    counted: npt.NDArray[np.bool_],
    place: npt.NDArray[np.integer],
    move: npt.NDArray[np.integer],
    ownership: npt.NDArray[np.int8],
) -> Positions:
    """Positions after so many moves of games, and what came after; `place` is among the records read."""
    records, n = corpus.records, len(place)
    stones, who = np.zeros((n, AREA), np.int8), np.zeros((n, AREA), np.int8)
    when = np.full((n, AREA), NEVER, np.int16)
    side = np.zeros(n, np.int8)
    for i, (g, m) in enumerate(zip(place.tolist(), move.tolist(), strict=True)):
        board = board_at(records, g, m)
        stones[i] = board.arrays.colour[board.grid.points]
        side[i] = board.to_move
        rest = slice(int(records.start[g]) + m, int(records.start[g + 1]))
        points, colours = records.points[rest], records.colours[rest]
        for later in range(len(points) - 1, -1, -1):  # backwards: the first play on a point stays
            if points[later] >= 0:
                when[i, points[later]], who[i, points[later]] = later, colours[later]
    game = records.index[place]
    return Positions(
        game=game.astype(np.int64),
        move=move.astype(np.int16),
        side=side,
        counted=counted[game],
        stones=stones,
        when=when,
        who=who,
        ownership=ownership,
    )


def _counted(archives: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Which games of the archives ended with a score."""
    found: list[bool] = []
    for path in archives:
        for source in files.sources(path):
            for root in sgf.parse(source.read()).games:
                result = root.get_text("RE")
                found.append(any(sign.isdigit() for sign in result))
    return np.array(found, np.bool_)


def _read(labels: Sequence[str]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int8]]:
    parts: list[tuple[npt.NDArray[Any], ...]] = []
    for path in labels:
        arrays = read_arrays(path, ("game", "move", "ownership"))
        parts.append((arrays["game"], arrays["move"], arrays["ownership"]))
        if parts[-1][2].shape[1:] != (AREA,):
            raise NoPositions(f"{path}: its ownership is not of 19×19 boards")
    game, move, ownership = (np.concatenate(column) for column in zip(*parts, strict=True))
    return game.astype(np.int64), move.astype(np.int64), ownership.astype(np.int8)


# regions ----------------------------------------------------------------------------------------


@kernel
def label_parts(inside, width, height, number, queue):  # type: ignore[no-untyped-def]
    """Number the connected parts of `inside` from 1 in `number` (0 outside); returns how many."""
    number[:] = 0
    parts = 0
    for start in range(width * height):
        if not inside[start] or number[start]:
            continue
        parts += 1
        number[start] = parts
        queue[0] = start
        count = 1
        done = 0
        while done < count:
            place = queue[done]
            done += 1
            row = place // width
            column = place % width
            for direction in range(4):
                r = row + (1 if direction == 0 else -1 if direction == 1 else 0)
                c = column + (1 if direction == 2 else -1 if direction == 3 else 0)
                if r < 0 or c < 0 or r >= height or c >= width:
                    continue
                other = r * width + c
                if inside[other] and not number[other]:
                    number[other] = parts
                    queue[count] = other
                    count += 1
    return parts


def parts_of(inside: Mask) -> list[Mask]:
    """The connected parts of a set of points."""
    number = np.zeros(AREA, np.int32)
    count = label_parts(inside, SIDE, SIDE, number, np.empty(AREA, np.int32))
    return [number == i for i in range(1, count + 1)]


def regions(ownership: npt.NDArray[np.int8], threshold: float) -> list[Mask]:
    """The unsettled parts of a position, none larger than LARGEST unless it is all in doubt."""
    doubt = np.abs(ownership.astype(np.float32)) / 100
    found: list[Mask] = []
    open_parts = [(part, 0) for part in parts_of(doubt < threshold)]
    for part, cut in open_parts:
        if part.sum() <= LARGEST or cut == len(CUTS):
            found.append(part)
        else:
            open_parts += [(core, cut + 1) for core in parts_of(part & (doubt < CUTS[cut]))]
    return found


def blob(random: np.random.Generator, ownership: npt.NDArray[np.int8]) -> Mask | None:
    """Some connected points inside sure territory of one side; None where there is none."""
    sign = 1 if random.random() < 0.5 else -1
    sure = ownership * sign >= 100 * SURE
    if not sure.any():
        sure = -ownership * sign >= 100 * SURE
    if not sure.any():
        return None
    mask = np.zeros(AREA, np.bool_)
    mask[random.choice(np.flatnonzero(sure))] = True
    for _ in range(int(random.integers(BLOB[0], BLOB[1] + 1)) - 1):
        rim = dilate(mask) & ~mask & sure
        if not rim.any():
            break
        mask[random.choice(np.flatnonzero(rim))] = True
    return mask


DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1))


def dilate(mask: Mask, directions: Sequence[tuple[int, int]] = DIRECTIONS) -> Mask:
    """The points of a mask and those next to them, in all or some directions."""
    square = mask.reshape(SIDE, SIDE)
    out = square.copy()
    for down, across in directions:
        if down:
            out[max(down, 0) : SIDE + min(down, 0)] |= square[max(-down, 0) : SIDE + min(-down, 0)]
        else:
            out[:, max(across, 0) : SIDE + min(across, 0)] |= square[
                :, max(-across, 0) : SIDE + min(-across, 0)
            ]
    return out.reshape(AREA)


def next_move(positions: Positions, row: int, mask: Mask, *, sure: bool = False) -> int:
    """The class of the first move in `mask`: point for Black, 361 + point for White, NOBODY; or UNKNOWN."""
    when = np.where(mask, positions.when[row], NEVER)
    place = int(when.argmin())
    if when[place] == NEVER:
        return NOBODY if sure or positions.counted[row] else UNKNOWN
    if positions.stones[row, place] != EMPTY:
        return UNKNOWN  # played on after a capture from outside
    return place + AREA * (int(positions.who[row, place]) - 1)


def draw(
    random: np.random.Generator, positions: Positions, row: int, most: int = 8
) -> list[tuple[Mask, int]]:
    """Regions of a position and their labels, for learning, in random order: some masks are a little off."""
    ownership = positions.ownership[row]
    threshold = UNSETTLED[0] if random.random() < PLAIN else random.uniform(*UNSETTLED)
    cores: list[tuple[Mask, bool]] = [(part, False) for part in regions(ownership, threshold)]
    territory = blob(random, ownership)
    if territory is not None:
        cores.append((territory, True))
    found = []
    for i in random.permutation(len(cores)):
        core, sure = cores[i]
        mask = dilate(core)
        if random.random() >= PLAIN:
            for _ in range(int(random.integers(1, 3))):
                mask = dilate(mask, [DIRECTIONS[random.integers(4)]])
        label = next_move(positions, row, mask, sure=sure)
        if label != UNKNOWN:
            found.append((mask, label))
            if len(found) == most:
                break
    return found


@dataclass(frozen=True)
class Example:
    """A region to be judged on."""

    row: int
    mask: Mask
    label: int
    sure: bool  # a blob in sure territory
    size: int  # points in doubt, before the mask was widened


def every(positions: Positions, *, threshold: float = UNSETTLED[0], seed: int = 1) -> Iterator[Example]:
    """All regions of all positions, and one blob each; masks are widened by one point, and no more."""
    for row in range(len(positions)):
        random = np.random.default_rng([seed, row])
        cores = [(part, False) for part in regions(positions.ownership[row], threshold)]
        core = blob(random, positions.ownership[row])
        if core is not None:
            cores.append((core, True))
        for core, sure in cores:
            mask = dilate(core)
            label = next_move(positions, row, mask, sure=sure)
            if label != UNKNOWN:
                yield Example(row, mask, label, sure, int(core.sum()))


def write(
    archives: Sequence[str], labels: Sequence[str], out: Path, *, limit: int | None = None
) -> tuple[int, int]:
    """Write the labelled positions of games and `every` region of them; returns how many of each.

    The file is NumPy's: the fields of `Positions`, a row each, but for what came after; and of the regions
    `row`, `mask` as bits (`np.unpackbits(mask, axis=1, count=361)`), `label` as of `next_move`, and `sure`.
    """
    positions, _ = collect(archives, labels, limit=limit)
    examples = list(every(positions))
    np.savez_compressed(
        out,
        game=positions.game,
        move=positions.move,
        side=positions.side,
        counted=positions.counted,
        stones=positions.stones,
        ownership=positions.ownership,
        row=np.array([example.row for example in examples], np.int64),
        mask=np.packbits(np.array([example.mask for example in examples]).reshape(-1, AREA), axis=1),
        label=np.array([example.label for example in examples], np.int16),
        sure=np.array([example.sure for example in examples], np.bool_),
    )
    return len(positions), len(examples)
