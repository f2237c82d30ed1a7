"""Rulesets as data: what may be played and how the end is counted.

A ruleset is a row of the table at the bottom; the board reads `suicide` and `ko` from it, scoring
the rest. Nothing else in the program asks for a ruleset by name.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Ko(Enum):
    """Which repetitions are forbidden."""

    SIMPLE = "simple"  # only the immediate retake of one stone
    POSITIONAL = "positional"  # no earlier position may come back
    SITUATIONAL = "situational"  # … with the same player to move


class Count(Enum):
    """What is a point at the end."""

    AREA = "area"  # living stones and surrounded points
    TERRITORY = "territory"  # surrounded points and prisoners


class HandicapBonus(Enum):
    """What White is given for Black's handicap stones, under area counting."""

    NONE = "none"
    STONES = "stones"  # a point for each
    STONES_LESS_ONE = "stones less one"


@dataclass(frozen=True)
class Rules:
    """One ruleset."""

    name: str
    count: Count
    ko: Ko
    suicide: bool
    komi: float
    handicap_bonus: HandicapBonus = HandicapBonus.NONE
    pass_stones: bool = False  # a pass hands over a prisoner, and White passes last
    seki_territory: bool = True  # eyes of groups in seki are points
    no_result: bool = False  # a long cycle ends the game without a winner


CHINESE = Rules("chinese", Count.AREA, Ko.POSITIONAL, False, 7.5, HandicapBonus.STONES)
JAPANESE = Rules("japanese", Count.TERRITORY, Ko.SIMPLE, False, 6.5, seki_territory=False, no_result=True)
KOREAN = Rules("korean", Count.TERRITORY, Ko.SIMPLE, False, 6.5, seki_territory=False, no_result=True)
AGA = Rules("aga", Count.AREA, Ko.SITUATIONAL, False, 7.5, HandicapBonus.STONES_LESS_ONE, pass_stones=True)
NEW_ZEALAND = Rules("new-zealand", Count.AREA, Ko.SITUATIONAL, True, 7.0)
TROMP_TAYLOR = Rules("tromp-taylor", Count.AREA, Ko.POSITIONAL, True, 7.5)

RULESETS = {rules.name: rules for rules in (CHINESE, JAPANESE, KOREAN, AGA, NEW_ZEALAND, TROMP_TAYLOR)}

_ALIASES = {
    "nz": "new-zealand",
    "newzealand": "new-zealand",
    "tt": "tromp-taylor",
    "tromptaylor": "tromp-taylor",
}


class UnknownRules(ValueError):
    """A ruleset nobody has heard of."""


def rules_named(name: str) -> Rules:
    """The ruleset of that name, as written in SGF's RU or on a command line."""
    key = name.strip().lower().replace("_", "-").replace(" ", "-")
    key = _ALIASES.get(key, key)
    if key not in RULESETS:
        raise UnknownRules(f"no ruleset is called {name!r}: there are {', '.join(RULESETS)}")
    return RULESETS[key]
