"""Labels of a teacher: written once, read back, gone on with, and learned from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from miai.nets import runtime
from miai.train import labels, models
from miai.train.export import export, labels_of
from miai.train.fit import fit
from miai.train.games import load_corpus
from train.test_models import KINDS


@pytest.fixture(scope="module")
def teacher(tmp_path_factory: pytest.TempPathFactory) -> str:
    torch.manual_seed(5)
    network = models.build(KINDS[3])
    for weight in network.parameters():
        torch.nn.init.normal_(weight, std=0.3)
    path = tmp_path_factory.mktemp("teacher") / "teacher.onnx"
    export(network, KINDS[3], path, labels_of(KINDS[3], "teacher"))
    return str(path)


def test_labels_are_what_the_teacher_says(teacher: str, archive: Path, tmp_path: Path) -> None:
    assert labels.write(teacher, [str(archive)], tmp_path, positions=5) == 60
    (file,) = tmp_path.iterdir()
    assert file.name == "labels-9x9-000000.npz"
    found = labels.read([file])
    assert len(found) == 60 and np.bincount(found.game).tolist() == [5] * 12
    said = runtime.load(teacher).evaluate(load_corpus([str(archive)]).records, found.game, found.move)
    assert said.winrate is not None and said.lead is not None and said.ownership is not None
    np.testing.assert_array_equal(found.top_move[:, 0], said.policy[:, 0].argmax(1))
    np.testing.assert_allclose(found.top_prob[:, 0] / 255, said.policy[:, 0].max(1), atol=1 / 255)
    np.testing.assert_allclose(found.winrate, said.winrate, atol=1e-3)
    np.testing.assert_allclose(found.score, said.lead, rtol=2e-3, atol=1e-2)
    np.testing.assert_allclose(found.ownership / 7.5, said.ownership.reshape(60, 81), atol=0.07)


def test_it_goes_on_where_it_stopped(
    teacher: str, archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(labels, "GAMES_A_FILE", 5)
    made: list[str] = []
    write = lambda: labels.write(  # noqa: E731
        teacher, [str(archive)], tmp_path, positions=2, done=lambda path, count: made.append(path.name)
    )
    assert write() == 24
    assert made == [f"labels-9x9-00000{n}.npz" for n in range(3)]
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    (tmp_path / made[1]).unlink()
    assert write() == 24
    assert made[3:] == ["labels-9x9-000001.npz"]
    assert {path: labels.read([path]).move.tolist() for path in tmp_path.iterdir()} == {
        path: labels.read([path]).move.tolist() for path in before
    }


def test_on_several_cores(
    teacher: str, archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("joblib", reason="several jobs need joblib, which is not installed")
    monkeypatch.setattr(labels, "GAMES_A_FILE", 6)
    labels.write(teacher, [str(archive)], tmp_path / "one", positions=2)
    labels.write(teacher, [str(archive)], tmp_path / "two", positions=2, jobs=2)
    for file in (tmp_path / "one").iterdir():
        a, b = labels.read([file]), labels.read([tmp_path / "two" / file.name])
        np.testing.assert_array_equal(a.top_move, b.top_move)


def test_on_a_cluster(teacher: str, archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed", reason="a cluster needs Dask, which is not installed")
    monkeypatch.setattr(labels, "GAMES_A_FILE", 6)
    alone = labels.write(teacher, [str(archive)], tmp_path / "one", positions=2)
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        written = labels.write(
            teacher, [str(archive)], tmp_path / "two", positions=2, cluster=cluster.scheduler_address
        )
    assert written == alone > 0
    for file in (tmp_path / "one").iterdir():
        a, b = labels.read([file]), labels.read([tmp_path / "two" / file.name])
        np.testing.assert_array_equal(a.top_move, b.top_move)


def test_a_student_learns_from_them(
    teacher: str, archive: Path, tmp_path: Path, table: dict[str, Any]
) -> None:
    from miai.train.config import parse

    labels.write(teacher, [str(archive)], tmp_path / "labels", positions=30)
    table["data"] |= {"teacher": [str(tmp_path / "labels" / "*.npz")], "labelled": 1.0}
    table["fit"] |= {"positions": 4000, "batch": 32, "learning_rate": 0.01, "log_seconds": 0}
    table["loss"] = {"teacher": 1.0}
    fit(parse(table, "student"))
    lines = [json.loads(line) for line in (tmp_path / "run" / "log.jsonl").read_text().splitlines()]
    wrong = [line["teacher"] for line in lines if "teacher" in line]
    assert np.mean(wrong[-10:]) < np.mean(wrong[:10]) - 0.3


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    path = tmp_path / "labels.npz"
    for junk in (b"", b"garbage", b"PK\x03\x04garbage"):
        path.write_bytes(junk)
        with pytest.raises(labels.LabelError, match="not a file of labels, or is damaged"):
            labels.read([path])
    with path.open("wb") as file:
        np.save(file, np.zeros(3))  # one array, not several
    with pytest.raises(labels.LabelError, match="not a file of labels"):
        labels.read([path])
    with pytest.raises(labels.LabelError, match="there is no such file"):
        labels.read([tmp_path / "absent.npz"])
    np.savez(path, game=np.zeros(3))
    with pytest.raises(labels.LabelError, match="not a file of labels"):
        labels.read([path])


def test_the_labels_of_the_corpus(data: Path) -> None:
    """Those that were made elsewhere are read by the same code."""
    found = labels.read(sorted((data / "teacher").glob("teacher-b6-08.npz")))
    assert found.ownership.shape[1] == 361 and found.top_move.shape[1] == labels.TOP
    assert found.winrate.min() >= 0 and found.winrate.max() <= 1
