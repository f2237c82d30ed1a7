"""Configurations: what is read, and the sentence for what cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from miai.train.config import ConfigError, find, load, parse

GOOD = """
[model]
kind = "deepgo"
planes = "deepgo8"
blocks = 5
channels = 16
[data]
games = "games.sgf"
[fit]
out = "runs/x"
"""


def test_reads_and_overrides(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text(GOOD)
    config = load(path, ["fit.positions=5", 'data.games=["a", "b"]', "fit.out=elsewhere"])
    assert (config.name, config.model.blocks, config.model.steps) == ("small", 5, 1)
    assert (config.fit.positions, config.fit.out, config.data.games) == (5, "elsewhere", ("a", "b"))


def test_survives_json(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text(GOOD)
    config = load(path)
    assert parse(config.to_json(), "small") == config


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("blocks = 5", "block = 5"), "model.block: there is no such key"),
        (("blocks = 5", ""), "model.blocks is missing"),
        (("blocks = 5", "blocks = 'many'"), "model.blocks = 'many': should be int"),
        (("blocks = 5", "blocks = true"), "should be int"),
        (("[fit]", "[fitt]"), "there is no section 'fitt'"),
        (('[fit]\nout = "runs/x"', ""), "section [fit] is missing"),
        (('"deepgo"', '"alphago"'), "model.kind: deepgo, darkforest or residual"),
        (("channels = 16", "channels = 16\nsteps = 4"), "model.steps: 1, 2 or 3"),
        (("[model]", "[model"), "Expected"),
    ],
)
def test_says_what_is_wrong(tmp_path: Path, change: tuple[str, str], words: str) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(GOOD.replace(*change))
    with pytest.raises(ConfigError) as error:
        load(path)
    assert words in str(error.value) and "\n" not in str(error.value)
    assert str(path) in str(error.value)


def test_missing_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match="no such file"):
        load(tmp_path / "none.toml")
    monkeypatch.setenv("MIAI_DATA", str(tmp_path))
    with pytest.raises(ConfigError, match="no such files"):
        find(["$MIAI_DATA/*.sgf"])
    with pytest.raises(ConfigError, match="there is no"):
        find(["$MIAI_DATA/x.sgf"])
    (tmp_path / "b.sgf").touch()
    (tmp_path / "a.sgf").touch()
    assert find(["$MIAI_DATA/*.sgf"]) == [str(tmp_path / "a.sgf"), str(tmp_path / "b.sgf")]


@pytest.mark.parametrize("name", ["deepgo12", "deepgo5", "darkforest", "miai-wide", "miai"])
def test_the_configurations_that_come_with_the_program(project: Path, name: str) -> None:
    assert load(project / "configs" / f"{name}.toml").name == name
