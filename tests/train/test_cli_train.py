"""The commands about training: what they print, and one sentence for what goes wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from miai.cli.train import register
from miai.files import InputError
from train.games_made import toml

RUNNER = CliRunner()


def app() -> typer.Typer:
    made = typer.Typer()
    register(made)
    return made


def run(*arguments: object) -> Any:
    result = RUNNER.invoke(app(), [str(argument) for argument in arguments])
    if isinstance(result.exception, InputError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result


def test_from_games_to_a_network_that_is_judged(
    table: dict[str, dict[str, Any]], archive: Path, tmp_path: Path
) -> None:
    path = toml(table, tmp_path / "tiny.toml")
    run("train", "policy", "--config", path, "--set", "fit.positions=64")
    run("train", "policy", "--config", path, "--resume")
    run("train", "export", tmp_path / "run", tmp_path / "net.onnx", "--name", "tiny")
    said = run("evaluate", "policy", tmp_path / "net.onnx", archive, "--games", 3, "--json", "--threads", 1)
    found = json.loads(said.stdout)
    assert found["positions"] == 120 and found["games"] == 3 and len(found["steps"]) == 3
    assert set(found) >= {"positions", "top1", "top5", "nll", "steps", "phases"}
    words = run("evaluate", "policy", tmp_path / "run", archive, "--games", 1).stdout
    assert "next move" in words and "opening" in words
    run("data", "label", "--teacher", tmp_path / "net.onnx", archive, tmp_path / "labels", "--positions", 2)
    assert (tmp_path / "labels" / "labels-9x9-000000.npz").exists()


def test_errors_are_a_sentence(table: dict[str, dict[str, Any]], archive: Path, tmp_path: Path) -> None:
    junk = tmp_path / "junk.sgf.xz"
    junk.write_bytes(b"garbage")
    net = tmp_path / "junk.onnx"
    net.write_bytes(b"garbage")
    path = toml(table, tmp_path / "tiny.toml")
    for arguments, words in (
        (("train", "policy", "--config", tmp_path / "no.toml"), "no such file"),
        (("train", "policy", "--config", path, "--set", "fit.pos=1"), "fit.pos: there is no such key"),
        (("train", "policy", "--config", path, "--set", f'data.games=["{junk}"]'), "no games: "),
        (("train", "policy", "--config", path, "--resume"), "there is no checkpoint"),
        (("train", "export", tmp_path, tmp_path / "x.onnx"), "there is no checkpoint"),
        (("train", "export", tmp_path, tmp_path / "x.onnx", "--int8"), "needs --games"),
        (("evaluate", "policy", net, archive), "junk.onnx"),
        (("evaluate", "policy", tmp_path / "absent.onnx", archive), "absent.onnx"),
        (("evaluate", "policy", tmp_path / "x.safetensors", archive), "there is no checkpoint"),
        (("data", "label", "--teacher", net, archive, tmp_path / "out"), "junk.onnx"),
    ):
        with pytest.raises(InputError) as error:
            run(*arguments)
        assert words in str(error.value), arguments
        assert "\n" not in str(error.value)


def test_help_needs_neither_torch_nor_numba() -> None:
    script = (
        "import sys, typer\n"
        "from miai.cli.train import register\n"
        "app = typer.Typer(); register(app)\n"
        "try: app(['train', '--help'])\n"
        "except SystemExit: pass\n"
        "assert not {'torch', 'numba', 'onnxruntime'} & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "policy" in done.stdout
