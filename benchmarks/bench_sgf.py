"""Parsing the validation games, against sgfmill's parser.

Both sides end with trees whose nodes can be asked for their properties: first from the whole file at
once, then from 2,000 byte strings of one game each, of which they also give every move of the main
line. The last row reads every property of every node, which our parser leaves until somebody asks.
"""

from __future__ import annotations

import gc
import lzma
import os
from pathlib import Path

from sgfmill import sgf, sgf_grammar

from harness import Row, best_of, report
from miai.go.sgf import parse

DATA = Path(os.environ.get("MIAI_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")


def our_trees(games: list[bytes]) -> int:
    return sum("SZ" in root for root in parse(b"\n".join(games), strict=True).games)


def their_trees(games: list[bytes]) -> int:
    trees = sgf_grammar.parse_sgf_collection(b"\n".join(games))
    return sum(sgf.Sgf_game.from_coarse_game_tree(tree).get_root().has_property("SZ") for tree in trees)


def our_moves(games: list[bytes]) -> int:
    return sum(len(parse(data, strict=True).games[0].line().points) for data in games)


def their_moves(games: list[bytes]) -> int:
    moves = 0
    for data in games:
        for node in sgf.Sgf_game.from_bytes(data).get_main_sequence():
            colour, _ = node.get_move()
            moves += colour is not None
    return moves


def our_properties(games: list[bytes]) -> int:
    return sum(len(node.properties) for data in games for node in parse(data).games[0].walk())


def their_properties(games: list[bytes]) -> int:
    found = 0
    for data in games:
        for node in sgf.Sgf_game.from_bytes(data).get_main_sequence():
            found += len({name: node.get_raw_list(name) for name in node.properties()})
    return found


def main() -> bool:
    games = lzma.decompress((DATA / "games" / "val.sgf.xz").read_bytes()).splitlines()
    assert our_trees(games) == their_trees(games) == len(games)
    assert our_moves(games) == their_moves(games), "the two parsers read different moves"
    assert our_properties(games) == their_properties(games)
    rows = []
    for work, ours, theirs, floor in (
        ("parse the file", our_trees, their_trees, 20.0),
        ("parse one by one, and read the moves", our_moves, their_moves, 20.0),
        ("parse one by one, and read every property", our_properties, their_properties, None),
    ):
        gc.collect()
        our_seconds = best_of(lambda work=ours: work(games), repeat=5)  # type: ignore[misc]
        gc.collect()
        their_seconds = best_of(lambda work=theirs: work(games), repeat=3)  # type: ignore[misc]
        rows.append(
            Row(
                work=work,
                ours=len(games) / our_seconds,
                unit="games/s",
                peer_name="sgfmill",
                peer=len(games) / their_seconds,
                floor=floor,
            )
        )
    return report("Parsing the 2,000 validation games", rows)


if __name__ == "__main__":
    raise SystemExit(not main())
