"""SGF: any tree, any depth, any damage; and the same moves as sgfmill reads."""

from __future__ import annotations

import lzma
import random
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sgfmill import sgf as sgfmill_sgf

from miai.go.coords import PASS, grid
from miai.go.game import Game
from miai.go.sgf import KNOWN, Collection, Node, SgfError, parse, serialise
from miai.go.sgf_text import escape, is_raw_value, unescape

Tree = list[tuple[int, dict[str, list[bytes]]]]  # (index of the parent, properties), the root first


def flat(root: Node) -> Tree:
    nodes = list(root.walk())
    index = {id(node): i for i, node in enumerate(nodes)}
    return [
        (index[id(n.parent)] if n.parent else -1, {k: list(v) for k, v in n.properties.items()})
        for n in nodes
    ]


def read_lines(file: Path) -> list[bytes]:
    return lzma.decompress(file.read_bytes()).splitlines()


# round trip -------------------------------------------------------------------------------------

capitals = st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ", min_size=1, max_size=10)
names = st.one_of(st.sampled_from(sorted(KNOWN)), capitals)
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\t\v\f"))
raw_values = st.text().map(lambda text: text.encode("utf-8", "replace")).filter(is_raw_value)
values = st.one_of(texts, raw_values, st.sampled_from([b"aa", b"", b"aa:bb", rb"\\", b"\\\n"]))
properties = st.dictionaries(names, st.lists(values, min_size=1, max_size=3), max_size=4)


@st.composite
def games(draw: st.DrawFn) -> Node:
    """A tree: each node after the root hangs from one before it."""
    nodes = [Node()]
    for _ in range(draw(st.integers(0, 12))):
        nodes.append(draw(st.sampled_from(nodes)).add_child(first=draw(st.booleans())))
    for node in nodes:
        for name, several in draw(properties).items():
            node[name] = several
    if any(not value.isascii() for node in nodes for vs in node.properties.values() for value in vs):
        nodes[0]["CA"] = "UTF-8"  # what `serialise` would add
    return nodes[0]


@given(st.lists(games(), min_size=1, max_size=3))
def test_any_tree_we_write_we_read_back_equal(roots: list[Node]) -> None:
    data = serialise(roots)
    again = parse(data, strict=True)
    assert [flat(root) for root in again.games] == [flat(root) for root in roots]
    assert serialise(again) == data


@given(texts)
def test_any_text_comes_back(text: str) -> None:
    assert is_raw_value(escape(text))
    assert unescape(escape(text)) == text


@pytest.mark.parametrize("depth", [5_000, 20_000])
def test_deep_variations(depth: int) -> None:
    data = b"(;B[aa]" * depth + b")" * depth
    root = parse(data, strict=True).games[0]
    assert sum(1 for _ in root.walk()) == depth
    assert len(root.line().points) == depth
    forked = b"(;B[aa](;W[bb])" * depth + b")" * depth
    root = parse(forked, strict=True).games[0]
    *_, last = root.walk()
    assert len(last.path()) == depth + 1
    assert flat(parse(serialise(root), strict=True).games[0]) == flat(root)


# damage -----------------------------------------------------------------------------------------

FIXTURES = [
    b"(;GM[1]FF[4]CA[UTF-8]SZ[19]KM[6.5]PB[\xe6\x9f\xaf\xe6\xb4\x81]HA[2]AB[dd][pp];W[pd]WL[299.5];B[dp]BL[30]OB[5])",
    b"(;SZ[19:13]RU[AGA]AB[aa:cc]AW[dd][ee:fg];B[ab]C[one\\]two\\\\\nthree](;W[tt])(;W[ba];B[])(;PL[W]AE[aa]))\n(;SZ[9])",
    b"Subject: game\n\n(;FF[3]GaMe[1]SiZe[9]PlayerBlack[x];Black[ee];White[ec]LaBel[ee:1][ec:2];B[gc])",
    "(;CA[Shift_JIS]PW[趙治勲ソ表]C[構ゾ]DT[1996-12-27,28];B[pd];W[dp]MA[aa][bb]TR[cc])".encode("cp932"),
    b"(;SZ[5];B[ba];W[aa];B[ab];W[bb];B[cc];W[aa];B[ee](;W[ed];B[ed])(;W[de];B[de];W[ee]))",
]
TOKENS = [
    b"(",
    b")",
    b";",
    b"[",
    b"]",
    b"\\",
    b":",
    b"(;",
    b")(;",
    b"AB[",
    b"SZ[",
    b"]CA[",
    b"\n",
    b"\xff",
    b"\x81",
    b"",
]


def mutate(data: bytes, chance: random.Random) -> bytes:
    """`data` with a few bytes changed, cut out, put in, doubled or cut off."""
    damaged = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 4, 16))):
        i = chance.randrange(len(damaged) + 1)
        j = min(len(damaged), i + chance.choice((0, 1, 1, 2, 8, 40)))
        match chance.randrange(5):
            case 0:
                damaged[i:j] = chance.randbytes(j - i)
            case 1:
                del damaged[i:j]
            case 2:
                damaged[i:i] = chance.choice(TOKENS)
            case 3:
                damaged[i:i] = damaged[i:j]
            case 4 if chance.random() < 0.2:
                del damaged[i:]
    return bytes(damaged)


def use(collection: Collection) -> None:
    """Ask for everything. Only SgfError may come of it."""
    roots = [*collection.games, *([collection.broken] if collection.broken else [])]
    for root in roots[:4]:
        for node in root.walk():
            for name in node.properties:
                node.get_text(name)
        try:
            game = Game(root, on_illegal="stop")
            board = game.board_at()
            assert game.stopped is None or game.stopped.reason
            assert board.to_move
            assert all(map(repr, (game, game.komi, game.result, game.dates, game.moves)))
        except SgfError:
            pass
    again = parse(serialise(roots))
    if roots:
        assert again.error is None
        assert [flat(a) for a in again.games[:4]] == [
            flat(with_charset(b, a)) for b, a in zip(roots[:4], again.games, strict=False)
        ]


def with_charset(root: Node, written: Node) -> Node:
    """`root` with the CA that writing it gave it, if any."""
    if "CA" in written:
        root["CA"] = written["CA"]
    return root


def fuzz(sources: list[bytes], count: int, seed: int) -> None:
    chance = random.Random(seed)
    broken = 0
    start = time.perf_counter()
    for _ in range(count):
        data = mutate(chance.choice(sources), chance)
        collection = parse(data)
        broken += collection.error is not None
        try:
            use(collection)
        except BaseException:
            print(f"the file was {data!r}")
            raise
    assert 0.02 * count < broken < 0.98 * count, "the damage is too light or too heavy to test anything"
    assert time.perf_counter() - start < 300


def test_damaged_fixtures() -> None:
    fuzz(FIXTURES, 8_000, seed=1)


@pytest.mark.slow
def test_damaged_real_files(data: Path) -> None:
    records = read_lines(data / "games" / "ai.sgf.xz")[:100]
    problems = [file.read_bytes() for file in sorted((data / "tsumego-d180cf").glob("*.sgf"))]
    collections = [file.read_bytes() for file in sorted((data / "tsumego").glob("*.sgf"))]
    short = [record[:400] + b")" for record in records] + [
        text[i : i + 600] for text in collections for i in (0, 999)
    ]
    fuzz(problems + short, 12_000, seed=2)


def test_random_bytes() -> None:
    chance = random.Random(3)
    for _ in range(2_000):
        use(parse(b"".join(chance.choices([*TOKENS, b"B", b"aa", b"W"], k=chance.randrange(40)))))


# the same as sgfmill ----------------------------------------------------------------------------


def test_real_games_are_read_as_sgfmill_reads_them(data: Path) -> None:
    lines = read_lines(data / "games" / "val.sgf.xz")[:150]
    lines += read_lines(data / "games" / "ai.sgf.xz")[:50]
    for text, root in zip(lines, parse(b"\n".join(lines), strict=True).games, strict=True):
        peer = sgfmill_sgf.Sgf_game.from_bytes(text)
        assert root.size() == (peer.get_size(), peer.get_size())
        assert_same_moves(root, peer)
        assert root.get_text("EV") == (peer.root.get("EV") if peer.root.has_property("EV") else "")


def test_real_trees_are_read_as_sgfmill_reads_them(data: Path) -> None:
    files = [*sorted((data / "tsumego-d180cf").glob("*.sgf"))[:60], data / "rzs106" / "rzs106.sgf"]
    for file in files:
        roots = parse(file.read_bytes(), strict=True).games
        peers = sgfmill_sgf.sgf_grammar.parse_sgf_collection(file.read_bytes())
        assert len(roots) == len(peers)
        for root, peer in zip(roots, peers, strict=True):
            assert flat(root) == flat_sgfmill(peer)


def flat_sgfmill(peer: sgfmill_sgf.sgf_grammar.Coarse_game_tree) -> Tree:
    tree: Tree = []
    waiting = [(-1, peer)]
    while waiting:
        parent, game_tree = waiting.pop()
        for found in game_tree.sequence:
            tree.append((parent, dict(found)))
            parent = len(tree) - 1
        waiting.extend((parent, child) for child in reversed(game_tree.children))
    return tree


def assert_same_moves(root: Node, peer: sgfmill_sgf.Sgf_game) -> None:
    board = grid(*root.size())
    theirs = []
    for node in peer.get_main_sequence():
        colour, move = node.get_move()
        if colour is not None:
            point = PASS if move is None else board.point(board.height - 1 - move[0], move[1])
            theirs.append((" bw".index(colour), point))
    line = root.line()
    assert list(zip(line.colours.tolist(), line.points.tolist(), strict=True)) == theirs
