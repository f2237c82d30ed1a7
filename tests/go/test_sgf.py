"""SGF: what the specification says, what old programs write, and what broken files give."""

from __future__ import annotations

import pytest

from miai.go.coords import BLACK, NO_POINT, PASS, WHITE, grid
from miai.go.sgf import Node, SgfError, parse, serialise
from miai.go.sgf_text import guess_encoding, split_compose


def one(data: bytes | str) -> Node:
    """The only game of a sound file."""
    (root,) = parse(data, strict=True).games
    return root


def shape(root: Node) -> list[str]:
    """Every node as "depth name[value]…", in file order."""
    found = []
    for node in root.walk():
        text = "".join(name + "".join(f"[{v.decode()}]" for v in vs) for name, vs in node.properties.items())
        found.append(f"{len(node.path()) - 1} {text}")
    return found


TREES = [
    ("one node", "(;)", ["0 "]),
    ("a sequence", "(;FF[4];B[aa];W[bb])", ["0 FF[4]", "1 B[aa]", "2 W[bb]"]),
    ("variations", "(;A[1](;B[2];C[3])(;D[4](;E[5])(;F[6])))", "0 A[1]|1 B[2]|2 C[3]|1 D[4]|2 E[5]|2 F[6]"),
    ("one variation", "(;A[1](;B[2]))", ["0 A[1]", "1 B[2]"]),
    ("several values", "(;AB[aa][bb]\n[cc])", ["0 AB[aa][bb][cc]"]),
    ("blanks everywhere", " ( ; FF [4]\n\tGM[1] ; B\n[aa] ) ", ["0 FF[4]GM[1]", "1 B[aa]"]),
    ("escaped bracket", r"(;C[a\]b];B[aa])", [r"0 C[a\]b]", "1 B[aa]"]),
    ("escaped backslash", r"(;C[a\\];B[aa])", [r"0 C[a\\]", "1 B[aa]"]),
    ("SGF inside a comment", "(;C[(;B[aa\\])];W[bb])", ["0 C[(;B[aa\\])]", "1 W[bb]"]),
    ("long names", "(;GaMe[1]White[aa]CoPyright[me])", ["0 GM[1]W[aa]CP[me]"]),
    ("private names", "(;KGSDE[x]Foo[y]kgs[z]MULTIGOGM[1])", ["0 KGSDE[x]Foo[y]kgs[z]MULTIGOGM[1]"]),
    ("a name twice", "(;AB[aa]AW[cc]AB[bb])", ["0 AB[aa][bb]AW[cc]"]),
    ("stray text", "From: me (at home)\n[1]; hello\n(;B[aa])", ["0 B[aa]"]),
    ("byte order mark", b"\xef\xbb\xbf(;B[aa])", ["0 B[aa]"]),
    ("stray text after", "(;B[aa])\n-- \nyours; me (again)\n)", ["0 B[aa]"]),
]


@pytest.mark.parametrize(("data", "nodes"), [row[1:] for row in TREES], ids=[row[0] for row in TREES])
def test_trees(data: bytes | str, nodes: list[str] | str) -> None:
    wanted = nodes.split("|") if isinstance(nodes, str) else nodes
    assert shape(one(data)) == wanted
    assert shape(one(serialise(one(data)))) == wanted


TEXTS = [
    # raw value, as Text (C), as SimpleText (PB)
    (r"plain", "plain", "plain"),
    (r"a\]b\\c\:d\e", r"a]b\c:de", r"a]b\c:de"),
    ("one\ntwo", "one\ntwo", "one two"),
    ("one\r\ntwo\n\rthree\rfour", "one\ntwo\nthree\nfour", "one two three four"),
    ("soft\\\nbreak \\\r\nagain\\\n\n", "softbreak again\n", "softbreak again "),
    ("tab\there\\\tthere\v\f", "tab here there  ", "tab here there  "),
    ("", "", ""),
]


@pytest.mark.parametrize(("raw", "text", "simple"), TEXTS)
def test_text(raw: str, text: str, simple: str) -> None:
    root = one(f"(;C[{raw}]PB[{raw}]XX[{raw}])")
    assert root.get_text("C") == root.get_text("XX") == text
    assert root.get_text("PB") == simple
    assert root.get_text("PW") == ""
    assert root.get_text("PW", "nobody") == "nobody"


def test_text_is_escaped_when_set() -> None:
    root = Node()
    root["C"] = "a]b\\c\n(;B[aa])"
    root["LB"] = ["aa:1", "bb:2"]
    root["XX"] = rb"raw\]"
    assert root["C"] == [b"a\\]b\\\\c\n(;B[aa\\])"]
    again = one(serialise(root))
    assert again.get_text("C") == "a]b\\c\n(;B[aa])"
    assert again["LB"] == [b"aa:1", b"bb:2"]
    assert again["XX"] == [rb"raw\]"]


@pytest.mark.parametrize("bad", [b"]", b"a\\", b"\\\\\\", b"\xff", []])
def test_raw_values_that_cannot_be_written(bad: bytes | list[bytes]) -> None:
    with pytest.raises(ValueError, match="value"):
        Node()["C"] = bad


@pytest.mark.parametrize("name", ["", "A B", "A[", "É", ";"])
def test_names_that_cannot_be_written(name: str) -> None:
    with pytest.raises(ValueError, match="name"):
        Node()[name] = "x"


@pytest.mark.parametrize(
    ("raw", "halves"),
    [
        (b"aa:bb", (b"aa", b"bb")),
        (rb"a\:b:c:d", (rb"a\:b", b"c:d")),
        (rb"a\:b", (rb"a\:b", None)),
        (b":", (b"", b"")),
    ],
)
def test_compose(raw: bytes, halves: tuple[bytes, bytes | None]) -> None:
    assert split_compose(raw) == halves


# points -----------------------------------------------------------------------------------------

POINTS = [
    ("AB[aa][sa]", "A19 T19"),
    ("AB[aa:cb]", "A19 B19 C19 A18 B18 C18"),
    ("AB[cb:aa]", "A19 B19 C19 A18 B18 C18"),
    ("AB[ca:ab]", "A19 B19 C19 A18 B18 C18"),
    ("AB[bb:bb]", "B18"),
    ("AB[ aa : ba ][aa]", "A19 B19"),
    ("AB[]", ""),
    ("AW[aa]", ""),
]


@pytest.mark.parametrize(("data", "names"), POINTS)
def test_points(data: str, names: str) -> None:
    assert grid(19).names(one(f"(;{data})").points("AB", grid(19))) == names.split()


@pytest.mark.parametrize("value", ["tt", "zz", "a", "aaa", "aa:", "aa:zz", ":", "A1", "é"])
def test_points_that_are_none(value: str) -> None:
    with pytest.raises(SgfError, match="line 2, column 3: AB"):
        one(f"(\n  ;AB[{value}])").points("AB", grid(19))


SIZES = [
    ("", (19, 19)),
    ("SZ[9]", (9, 9)),
    ("SZ[19:13]", (19, 13)),
    ("SZ[ 25 ]", (25, 25)),
    ("Size[7]", (19, 19)),
]


@pytest.mark.parametrize(("data", "size"), SIZES)
def test_size(data: str, size: tuple[int, int]) -> None:
    assert one(f"(;{data};B[aa])").children[0].size() == size


@pytest.mark.parametrize("value", ["", "0", "26", "19:", "9:0", "x", "19x19", "-9", "9" * 5000, "٣"])
def test_sizes_that_are_none(value: str) -> None:
    with pytest.raises(SgfError, match=r"line 1, column 2: SZ\["):
        one(f"(;SZ[{value}])").size()


# lines of play ----------------------------------------------------------------------------------

LINES = [
    # properties of the root, moves, as (colour, point) on the board
    ("SZ[9]", ";B[aa];W[ii];B[]", "B A9, W J1, B pass"),
    ("SZ[9]", ";B[tt];White[ia];Black[ ai ]", "B pass, W J9, B A1"),
    ("", ";B[tt];W[ss]", "B pass, W T1"),
    ("SZ[21]", ";B[tt];W[uu]", "B U2, W V1"),
    ("SZ[19:13]", ";B[sm];W[am]", "B T1, W A1"),
    ("SZ[9]", ";B[jj];W[a];B[aaa];W[AA];B[aa][bb]", "B ?, W ?, B ?, W ?, B A9"),
    ("SZ[9]B[aa]", ";C[no move];BM[1]WL[3];B[bb]W[cc]", "B A9, B B8, W C7"),
]


@pytest.mark.parametrize(("root", "moves", "wanted"), LINES)
def test_lines(root: str, moves: str, wanted: str) -> None:
    node = one(f"(;{root}{moves})")
    line, board = node.line(), grid(*node.size())
    names = ["?" if p == NO_POINT else board.name(p) for p in line.points.tolist()]
    assert ", ".join(f"{'.BW'[c]} {n}" for c, n in zip(line.colours, names, strict=True)) == wanted
    assert (line.points.dtype, line.colours.dtype) == ("int32", "int8")


def test_the_line_through_a_node() -> None:
    root = one("(;SZ[9];B[aa](;W[bb];B[cc])(;W[dd]PL[B];AB[ee];B[ff](;W[gg])(;W[hh])))")
    second = root.children[0].children[1]
    assert grid(9).names(root.line().points) == ["A9", "B8", "C7"]
    assert grid(9).names(second.line().points) == ["A9", "D6", "F4", "G3"]
    assert grid(9).names(second.children[0].children[0].children[1].line().points) == ["A9", "D6", "F4", "H2"]
    assert second.line().at.tolist() == [1, 2, 4, 5]
    assert second.line().setups.tolist() == [2, 3]


def test_the_line_of_an_edited_game() -> None:
    root = one("(;SZ[9];B[aa];W[bb])")
    root.children[0]["B"] = "cc"
    last = list(root.main_line())[-1].add_child()
    last["B"] = b""
    assert (
        root.line().points.tolist()
        == last.line().points.tolist()
        == [*(grid(9).parse(n) for n in ("C7", "B8")), PASS]
    )
    last.remove()
    assert root.line().colours.tolist() == [BLACK, WHITE]


def test_editing() -> None:
    root = one("(;A[1](;B[2])(;C[3]))")
    root.children[0].remove()
    root.add_child(first=True)["D"] = ["4", "5"]
    root["A"] = [b"x"]
    root["E"] = "y"
    del root["A"]
    assert shape(root) == ["0 E[y]", "1 D[4][5]", "1 C[3]"]
    assert shape(one(serialise(root))) == shape(root)
    assert "A" not in root
    with pytest.raises(ValueError, match="root"):
        root.remove()
    with pytest.raises(KeyError):
        root["A"]


def test_collections() -> None:
    collection = parse("(;A[1])\n\n(;B[2];C[3])(;D[4])", strict=True)
    assert [shape(game) for game in collection.games] == [["0 A[1]"], ["0 B[2]", "1 C[3]"], ["0 D[4]"]]
    assert [shape(game) for game in parse(serialise(collection)).games] == [
        shape(g) for g in collection.games
    ]


def test_unknown_properties_are_untouched() -> None:
    raw = rb"XX[a\:b\]\\ \c" + b"\n\t[x[\r\n y]ZZTOP[][\xc3\xa9]"
    assert raw in serialise(parse(b"(;CA[UTF-8]" + raw + b")"))


# encodings --------------------------------------------------------------------------------------

CHINESE, KOREAN, JAPANESE, FRENCH = "柯洁", "이세돌 구단", "趙治勲ソ表構ゾ", "Café à la crème, très André"

ENCODINGS = [
    # text, written in, CA says
    (CHINESE, "utf-8", None),
    (CHINESE, "utf-8", "GB18030"),  # UTF-8 is tried first
    (CHINESE, "gb18030", "GB2312"),
    (CHINESE, "gb18030", "UTF-8"),
    (CHINESE, "gb18030", "no such thing"),
    (CHINESE, "gb18030", "hex"),
    (CHINESE, "gb18030", "utf-16"),
    (CHINESE, "gb18030", None),
    ("黑棋獲勝,白棋認輸", "big5", "Big5"),
    (KOREAN, "cp949", "EUC-KR"),
    ("흑이 좋은 바둑이다 백은 어렵다", "cp949", None),
    (JAPANESE, "cp932", "Shift_JIS"),
    (JAPANESE, "cp932", None),
    ("井山裕太", "cp932", None),
    (FRENCH, "latin-1", "ISO-8859-1"),
    (FRENCH, "latin-1", None),
    ("Łódź", "iso8859-2", "ISO-8859-2"),
    ("“quoted” – text", "cp1252", "ISO-8859-1"),
    ("\x81\x8d é", "latin-1", "ISO-8859-1"),
]


@pytest.mark.parametrize(("text", "encoding", "charset"), ENCODINGS)
def test_encodings(text: str, encoding: str, charset: str | None) -> None:
    head = f"(;CA[{charset}]" if charset else "(;"
    data = f"{head}PB[{text}];B[aa]C[{text}\\]])".encode(encoding)
    root = one(data)
    assert root.get_text("PB") == text
    assert root.children[0].get_text("C") == text + "]"
    again = one(serialise(root))
    assert again.get_text("PB") == text
    assert again.get_text("CA") == "UTF-8"


def test_each_game_has_its_own_encoding() -> None:
    data = b"\n".join(
        [
            f"(;PB[{CHINESE}])".encode(),
            f"(;CA[GBK]PB[{CHINESE}])".encode("gbk"),
            f"(;PB[{FRENCH}])".encode("latin-1"),
            f"(;PB[{KOREAN}]CA[euc-kr])".encode("cp949"),
        ]
    )
    names = [game.get_text("PB") for game in parse(data, strict=True).games]
    assert names == [CHINESE, CHINESE, FRENCH, KOREAN]


def test_ascii_needs_no_charset() -> None:
    assert serialise(one("(;PB[x])")) == b"(;PB[x])\n"
    assert guess_encoding(b"") in ("cp1252", "latin-1")


# broken files -----------------------------------------------------------------------------------

BROKEN = [
    # after one sound game; where; what it says
    ("(;B[aa]", (2, 8), "ends inside a game"),
    ("(;B[aa", (2, 4), "never closed"),
    ("(;C[\nxx\\]", (2, 4), "never closed"),
    ("(;C[\\", (2, 4), "never closed"),
    ("(;B[aa](;W[bb]);B[cc])", (2, 16), "after a variation"),
    ("(;B[aa](;W[bb])C[x])", (2, 16), "after a variation"),
    ("(;B[aa]())", (2, 8), "no ; follows"),
    ("(;B[aa](W[bb]))", (2, 8), "no ; follows"),
    ("(;B)", (2, 3), r"no \[value\]"),
    ("(;B W[aa])", (2, 3), r"no \[value\]"),
    ("(;[aa])", (2, 3), "without a property name"),
    ("(;B[aa]\n é)", (3, 2), "no part of SGF"),
    ("(;C[柯洁]é)", (2, 8), "no part of SGF"),
    ("(;B[aa]]", (2, 8), "no part of SGF"),
    (";B[aa])", (2, 3), "outside any game tree"),
]


@pytest.mark.parametrize(("text", "place", "reason"), BROKEN)
def test_broken_files(text: str, place: tuple[int, int], reason: str) -> None:
    data = "(;FF[4];B[cc])\n" + text
    collection = parse(data)
    assert [shape(game) for game in collection.games] == [["0 FF[4]", "1 B[cc]"]]
    assert collection.error is not None
    assert (collection.error.line, collection.error.column) == place
    with pytest.raises(SgfError, match=f"line {place[0]}, column {place[1]}: .*{reason}"):
        parse(data, strict=True)


def test_the_broken_game_is_there_as_far_as_it_goes() -> None:
    collection = parse("(;A[1];B[2][3]C[")
    assert collection.games == []
    assert collection.broken is not None
    assert shape(collection.broken) == ["0 A[1]", "1 B[2][3]"]


@pytest.mark.parametrize("data", [b"", b"hello", b"()", b"(B[aa])", b"\x00", b"\xff\xfe", b";"])
def test_no_game_at_all(data: bytes) -> None:
    collection = parse(data)
    assert (collection.games, collection.broken) == ([], None)
    with pytest.raises(SgfError, match="no game tree"):
        parse(data, strict=True)


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_lines_count_with_any_line_ends(ends: str) -> None:
    error = parse(f"(;A[1]{ends}{ends}  ;B)").error
    assert error is not None
    assert (error.line, error.column) == (3, 4)
