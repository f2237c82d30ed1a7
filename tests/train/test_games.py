"""Positions from archives: what is read, what is skipped, and that numbers fix batches."""

from __future__ import annotations

import lzma
import zipfile
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from miai.nets.planes import encode_batch, plane_set, symmetry_table
from miai.train.config import DataConfig
from miai.train.games import (
    NO_MOVE,
    Batch,
    Corpus,
    NoPositions,
    Prefetcher,
    Sampler,
    chosen,
    gather,
    load_corpus,
)
from miai.train.labels import Labels
from train.games_made import random_game

PLANES = plane_set("deepgo8")


def sampler(corpus: Corpus, labels: Labels | None = None, **changes: object) -> Sampler:
    config = DataConfig(games=("x",), **{"seed": 7, **changes})  # type: ignore[arg-type]
    return Sampler(corpus, config, planes=PLANES, steps=3, batch=16, labels=labels)


def same(a: Batch, b: Batch) -> bool:
    return all(np.array_equal(getattr(a, f.name), getattr(b, f.name)) for f in fields(Batch))


def some_labels(corpus: Corpus, count: int = 20) -> Labels:
    random = np.random.default_rng(1)
    games = np.sort(random.integers(len(corpus.records), size=count))
    moves = random.integers(30, size=count)
    order = np.lexsort((moves, games))
    top = np.stack([random.permutation(82)[:16] for _ in range(count)])
    return Labels(
        game=corpus.records.index[games][order],
        move=moves[order].astype(np.int64),
        top_move=top.astype(np.int16),
        top_prob=np.sort(random.integers(1, 30, size=(count, 16)), axis=1)[:, ::-1].astype(np.uint8),
        winrate=random.random(count).astype(np.float32),
        score=random.normal(size=count).astype(np.float32),
        ownership=random.integers(-7, 8, size=(count, 81)).astype(np.int8),
    )


def test_reads_every_kind_of_archive(tmp_path: Path, archive: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.sgf").write_text(random_game(50))
    (folder / "b.sgf.xz").write_bytes(lzma.compress(random_game(51).encode()))
    with zipfile.ZipFile(folder / "c.zip", "w") as packed:
        packed.writestr("x.sgf", random_game(52) + random_game(53))
    corpus = load_corpus([str(archive), str(folder)])
    assert len(corpus.records) == 16 and corpus.skipped == 0
    assert corpus.records.index.tolist() == list(range(16))
    assert corpus.winner.tolist() == [1, 2] * 8
    assert corpus.records.lengths.tolist() == [40] * 16
    third = load_corpus([str(folder)]).records
    np.testing.assert_array_equal(
        chosen(corpus.records, np.array([14])).points, chosen(third, np.array([2])).points
    )
    assert len(load_corpus([str(archive), str(folder)], limit=13).records) == 13


def test_skips_and_counts_what_is_damaged(tmp_path: Path) -> None:
    fine = random_game(1)
    illegal = "(;SZ[9];B[aa];W[aa])"
    path = tmp_path / "mixed.sgf"
    path.write_text(f"{fine}\n{illegal}\n{random_game(2)}\n(;SZ[9];B[")
    broken = tmp_path / "broken.sgf.xz"
    broken.write_bytes(b"this is no archive")
    corpus = load_corpus([str(broken), str(path), str(tmp_path / "absent.sgf")])
    assert len(corpus.records) == 2 and corpus.skipped == 2
    assert corpus.records.index.tolist() == [0, 2]
    assert [("broken" in words, "absent" in words) for words in corpus.damaged] == [
        (True, False),
        (False, True),
    ]
    with pytest.raises(NoPositions, match="no games: "):
        load_corpus([str(broken)])


def test_a_number_fixes_a_batch(archive: Path) -> None:
    corpus = load_corpus([str(archive)])
    first, again = sampler(corpus), sampler(corpus)
    assert same(first.batch(5), again.batch(5))
    assert not same(first.batch(5), first.batch(6))
    assert not same(first.batch(5), sampler(corpus, seed=8).batch(5))
    assert first.positions == 12 * 40


def test_positions_come_from_many_games_and_all_phases(archive: Path) -> None:
    corpus = load_corpus([str(archive)])
    stones = [sampler(corpus).batch(n).spatial[:, :6].sum((1, 2, 3)) for n in range(40)]
    assert len({int(count) for batch in stones for count in batch}) > 25


def test_targets_are_the_moves_of_the_game(archive: Path) -> None:
    corpus = load_corpus([str(archive)])
    records = corpus.records
    games, moves = np.array([3, 3, 7]), np.array([0, 38, 39])
    for symmetry in range(8):
        turned = np.full(3, symmetry)
        batch = gather(corpus, PLANES, games, moves, turned, steps=3)
        table = symmetry_table(symmetry, 9, 9)
        for row, (game, move) in enumerate(zip(games, moves, strict=True)):
            for step in range(3):
                wanted = NO_MOVE
                if move + step < 40:
                    wanted = table[records.points[records.start[game] + move + step]]
                assert batch.moves[row, step] == wanted
        np.testing.assert_array_equal(batch.spatial, encode_batch(PLANES, records, games, moves, turned)[0])
        # game 3 was won by White, game 7 as well; Black moves at even numbers
        assert batch.win.tolist() == [0, 0, 1]


def test_labels_turn_with_the_board_and_with_the_side(archive: Path) -> None:
    corpus = load_corpus([str(archive)])
    labels = some_labels(corpus)
    where = np.searchsorted(corpus.records.index, labels.game)
    rows = np.arange(len(labels))
    plain = gather(corpus, PLANES, where, labels.move, rows * 0, steps=1, labels=labels, rows=rows)
    black = labels.move % 2 == 0
    np.testing.assert_allclose(plain.win, np.where(black, labels.winrate, 1 - labels.winrate), rtol=1e-6)
    np.testing.assert_allclose(plain.score, np.where(black, labels.score, -labels.score))
    np.testing.assert_allclose(plain.policy.sum(1), 1, rtol=1e-5)
    shares = labels.top_prob / labels.top_prob.sum(1, keepdims=True)
    top = np.take_along_axis(plain.policy, labels.top_move.astype(int), 1)
    np.testing.assert_allclose(top, shares, rtol=1e-5)
    signs = np.where(black, 1, -1)[:, None]
    np.testing.assert_allclose(plain.ownership.reshape(-1, 81), labels.ownership / 7.5 * signs, rtol=1e-6)
    for symmetry in range(1, 8):
        turned = gather(
            corpus, PLANES, where, labels.move, rows * 0 + symmetry, steps=1, labels=labels, rows=rows
        )
        table = symmetry_table(symmetry, 9, 9)
        np.testing.assert_array_equal(turned.policy[:, table], plain.policy[:, :81])
        np.testing.assert_array_equal(turned.policy[:, 81], plain.policy[:, 81])
        np.testing.assert_array_equal(
            turned.ownership.reshape(-1, 81)[:, table], plain.ownership.reshape(-1, 81)
        )


def test_labelled_positions_are_drawn_as_often_as_asked(archive: Path) -> None:
    corpus = load_corpus([str(archive)])
    labels = some_labels(corpus)
    assert sampler(corpus, labels).labelled_positions == len(labels)
    shares = {
        share: np.mean([sampler(corpus, labels, labelled=share).batch(n).labelled.mean() for n in range(30)])
        for share in (0.0, 0.25, 1.0)
    }
    assert shares[0.0] == 0 and shares[1.0] == 1 and 0.15 < shares[0.25] < 0.35


def test_boards_of_different_sizes_come_in_batches_of_one(tmp_path: Path) -> None:
    path = tmp_path / "sizes.sgf"
    path.write_text(random_game(1) + random_game(2, size=7, moves=30))
    corpus = load_corpus([str(path)])
    sides = {sampler(corpus).batch(n).spatial.shape[2] for n in range(30)}
    assert sides == {7, 9}


def test_prefetching_keeps_the_order_and_passes_errors_on(archive: Path) -> None:
    corpus = load_corpus([str(archive)])
    source = sampler(corpus)
    ahead = Prefetcher(source.batch, iter(range(6)), ahead=2, workers=3)
    assert all(same(ahead.get(), source.batch(n)) for n in range(6))
    with pytest.raises(NoPositions):
        ahead.get()

    def fails(number: int) -> Batch:
        raise RuntimeError("disk on fire")

    broken = Prefetcher(fails, iter(range(3)), ahead=1)
    with pytest.raises(RuntimeError, match="disk on fire"):
        broken.get()
    broken.close()
