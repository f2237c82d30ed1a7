"""`miai endgame` as somebody at a keyboard meets it."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
import typer
from typer.testing import CliRunner

from miai.cli import endgame
from miai.files import InputError
from miai.go import sgf

# Black left, White right, all alive; a corridor at D2 and E2, a dame at E6.
STONES = "AB[ba][da][ab:db][bc][dc][ad:dd][ae:ce][af:ef]AW[fa][ha][eb:ib][ec:fc][hc][ed:id][fe][he:ie][ff:if]"
MARKED = f"(;SZ[9:6]GM[1]{STONES}SQ[de][ee])"
PLAIN = f"(;SZ[9:6]GM[1]{STONES})"
OPEN = "(;SZ[9]AB[cc][gc]AW[cg][gg])"


@pytest.fixture
def run(tmp_path: Path):  # type: ignore[no-untyped-def]
    app = typer.Typer()
    endgame.register(app)
    app.callback()(lambda: None)

    def command(text: str, *arguments: str) -> str:
        file = tmp_path / "position.sgf"
        file.write_text(text)
        result = CliRunner().invoke(app, ["endgame", str(file), *arguments], catch_exceptions=True)
        if isinstance(result.exception, InputError):
            raise result.exception
        assert result.exit_code == 0, result.output
        return result.stdout

    return command


def test_the_marked_region_needs_no_network(run):
    said = run(MARKED, "--ascii")
    assert "a  1/2    +1/2   gote  E2           E2           search, exact" in said
    assert "Black plays E2 (1/2, gote)." in said


def test_json(run):
    said = json.loads(run(MARKED, "--json"))
    region = said["regions"][0]
    assert region["region"] == ["D2", "E2"]
    assert (region["count"], region["miai_value"], region["deiri_value"]) == ("1/2", "1/2", "1")
    assert region["exact"] is True and region["assumptions"] == []
    assert said["board"]["black_order"][0]["points"] == ["E2"]


def test_a_region_by_hand(run):
    said = json.loads(run(PLAIN, "--region", "d2,E2", "--json", "--exact"))
    assert said["regions"][0]["count"] == "1/2"


def test_a_whole_board_of_certain_life_needs_no_network(run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("miai.nets.registry.shipped", lambda *_: [])
    said = json.loads(run(PLAIN, "--exact", "--json"))
    assert [region["region"] for region in said["regions"]] == [["D2", "E2"], ["E6"]]
    assert said["board"]["exact"] is True and said["board"]["count"] is not None
    with pytest.raises(InputError, match="--region needs no network"):
        run(PLAIN)


def test_rules_change_the_count(run):
    by_area, by_territory = (
        json.loads(run(MARKED, "--rules", rules, "--json"))["board"]["counting"]
        for rules in ("chinese", "japanese")
    )
    assert (by_area, by_territory) == ("area", "territory")


def test_sgf_and_svg(run, tmp_path: Path):
    tree, picture = tmp_path / "tree.sgf", tmp_path / "picture.svg"
    run(MARKED, "--sgf", str(tree), "--svg", str(picture))
    root = sgf.parse(tree.read_bytes()).games[0]
    assert [("B" in child, "W" in child) for child in root.children] == [(True, False), (False, True)]
    assert "temperature" in root.children[0].get_text("C")
    assert ElementTree.parse(picture).getroot().tag.endswith("svg")


@pytest.mark.parametrize(
    "text, arguments, reason",
    [
        (PLAIN, ["--region", "K3"], "K3 is off this 9×6 board"),
        (PLAIN, ["--region", ""], "region is empty"),
        (PLAIN, ["--region", "A1:J6"], "covers the whole board"),
        (PLAIN, ["--region", "B6"], "no empty point"),
        (PLAIN, ["--region", "D2", "--all"], "cannot be combined"),
        (PLAIN, ["--exact", "--estimate"], "cannot be combined"),
        (PLAIN, ["--rules", "chess"], "no ruleset is called"),
        (PLAIN, ["--net", "no-such-network"], "no-such-network"),
        (PLAIN, ["--region", "D2", "--svg", "/no/such/folder/x.svg"], "there is no folder"),
        ("(;SZ[9]AB[ab][ba]AW[aa]SQ[cc])", [], "no liberty"),
        (OPEN, ["--region", "A2:J9", "--exact", "--seconds", "0.2"], "exact search did not get through"),
    ],
)
def test_what_cannot_be_used(run, text: str, arguments: list[str], reason: str):
    with pytest.raises(InputError, match=reason):
        run(text, *arguments)


def test_walls_that_can_be_captured_are_named(run):
    """The black stones that wall the corridor in live by it: an answer, and not an exact one."""
    text = "(;SZ[7]AB[ba][bb][bc][ac]AW[ca][cb][cc][cd][bd][ad]SQ[aa][ab])"
    region = json.loads(run(text, "--json"))["regions"][0]
    assert region["exact"] is False
    assert any("black stones" in sentence and "safe" in sentence for sentence in region["assumptions"])
