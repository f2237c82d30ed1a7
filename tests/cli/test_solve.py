"""`miai solve` as somebody at a keyboard meets it."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from cli.shell import Shell, process
from life.test_verdict import KEYS as VERDICT_KEYS
from miai.go import sgf

THREE = "(;SZ[6:3]GN[three]AB[aa][ba][ca][da][ea][eb][ec]AW[ab][bb][cb][db][dc]MA[ab]SQ[ab:dc])"
TWO = "(;SZ[6:3]GN[two]AB[aa][ba][ca][da][ea][eb][ec]AW[ab][bb][cb][cc][db][dc]MA[ab]SQ[ab:dc])"
EMPTY = "(;SZ[9]GN[nothing])"
KEYS = ["file", "index", *VERDICT_KEYS]


@pytest.fixture
def run(miai: Shell):  # type: ignore[no-untyped-def]
    return lambda *arguments: miai("solve", *arguments, "--memory", "32")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "problems.sgf"
    path.write_text(THREE + EMPTY + TWO)
    return path


SHOWN = """\
   A B C D E F
 3 X X X X X . 3
 2 o O O O X . 2
 1 . a . O X . 1
   A B C D E F

White is dead if Black plays B1; if White moves first, B1 makes life.
Line: B B1.
"""


def test_text(run, file: Path) -> None:  # type: ignore[no-untyped-def]
    code, out, err = run(str(file), "--game", "1", "--ascii")
    assert (code, out, err) == (0, SHOWN, "")


def test_json_and_bad_problems(run, file: Path) -> None:  # type: ignore[no-untyped-def]
    """A bad problem is a line on standard error and exit code 2; the others are solved."""
    code, out, err = run(str(file), "--json")
    found = [json.loads(line) for line in out.splitlines()]
    assert code == 2
    assert (
        err == f"miai: {file}: problem 2: there are no stones on the board: choose a position with --move\n"
    )
    assert [(entry["index"], entry["status"]) for entry in found] == [(1, "unsettled"), (3, "dead")]
    assert all(list(entry) == KEYS for entry in found)


def test_options(run, file: Path) -> None:  # type: ignore[no-untyped-def]
    arguments = ("--game", "1", "--json", "--to-move", "w", "--target", "D1", "--region", "A2:D1")
    code, out, _ = run(str(file), *arguments, "--ko", "attacker", "--nodes", "10000", "--seconds", "20")
    found = json.loads(out)
    assert (code, found["to_move"], found["moves"]) == (0, "W", ["B1"])
    assert found["target"] == ["A2", "B2", "C2", "D2", "D1"]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--to-move", "green"], "'green' is not a colour"),
        (["--game", "9"], "there is no game 9: there are only 3"),
        (["--game", "1", "--target", "Z1"], "target: Z1 is off this 6×3 board"),
    ],
)
def test_bad_options(run, file: Path, arguments: list[str], complaint: str) -> None:  # type: ignore[no-untyped-def]
    code, out, err = run(str(file), *arguments)
    assert (code, out) == (2, "")
    assert complaint in err
    assert err.count("\n") == 1


def test_a_missing_file_does_not_stop_the_others(run, file: Path) -> None:  # type: ignore[no-untyped-def]
    code, out, err = run("nowhere.sgf", str(file), "--json")
    assert code == 2
    assert "nowhere.sgf: there is no such file" in err
    assert len(out.splitlines()) == 2


def test_resume(run, file: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """What is in the file is skipped, and half a line at its end is done again."""
    results = tmp_path / "results.jsonl"
    run(str(file), "--resume", str(results))
    lines = results.read_text().splitlines()
    assert len(lines) == 2
    marked = lines[0].replace('"unsettled"', '"kept"')
    results.write_text(f"{marked}\n{lines[1][:40]}")
    run(str(file), "--resume", str(results))
    again = [json.loads(line) for line in results.read_text().splitlines()]
    assert [entry["status"] for entry in again] == ["kept", "dead"]
    for other, where in (('{"file": "no verdict"}\n{"half', "line 1"), (f"{marked}\na note", "last line")):
        results.write_text(other)
        code, _, err = run(str(file), "--resume", str(results))
        assert code == 2
        assert where in err
        assert results.read_text() == other, "what is not ours is left as it was"


def test_jobs(run, file: Path) -> None:  # type: ignore[no-untyped-def]
    code, out, _ = run(str(file), "--json", "--jobs", "2")
    assert code == 2
    assert {json.loads(line)["index"] for line in out.splitlines()} == {1, 3}


def test_proofs_and_pictures(run, file: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    proof, picture = tmp_path / "proof.sgf", tmp_path / "picture.svg"
    code, _, _ = run(str(file), "--game", "1", "--sgf", str(proof), "--svg", str(picture))
    assert code == 0
    assert any("TE" in node for node in sgf.parse(proof.read_bytes()).games[0].children)
    assert ElementTree.parse(picture).getroot().tag.endswith("svg")
    run(str(file), "--svg", str(tmp_path / "many"))
    assert sorted(path.name for path in (tmp_path / "many").iterdir()) == ["problems-1.svg", "problems-3.svg"]


@pytest.mark.slow
def test_plain_python_searches_the_same_nodes() -> None:
    """With NUMBA_DISABLE_JIT the same source runs as it is, for debugging."""
    corner = Path(__file__).resolve().parents[2] / "examples" / "corner.sgf"
    results = []
    for disabled in ("0", "1"):
        found = process(
            "solve", str(corner), "--nodes", "400", "--json", environment={"NUMBA_DISABLE_JIT": disabled}
        )
        assert found.returncode == 0 and b"Warning" not in found.stderr, found.stderr
        results.append({**json.loads(found.stdout), "seconds": 0})
    assert results[0] == results[1] and 300 < results[0]["nodes"] <= 400
