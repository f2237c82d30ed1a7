"""SGF: bytes → games → bytes.

    collection = parse(data)
    for root in collection.games:
        print(root.get_text("PB"), [node.get_text("C") for node in root.main_line()])
    data = serialise(collection)

A game is its root `Node`; a node has properties, whose values are raw bytes (UTF-8, escapes and all),
and children, of which the first is the main line. `get_text`, `points` and `line` give meaning to
the raw values; `miai.go.game` goes on from there to players, boards and results. `sgf_scan` finds
the nodes in the file and `sgf_text` knows encodings and escapes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

import numpy as np

from miai.go import sgf_scan
from miai.go.coords import NO_POINT, SGF_LETTERS, CoordinateError, Grid, Size, grid
from miai.go.sgf_scan import (
    CHILD,
    NAME_END,
    NAME_START,
    NO_NODE,
    OFFSET,
    PROPERTIES,
    SIBLING,
    VALUES,
    IntArray,
    Line,
    Scan,
)
from miai.go.sgf_text import escape, is_raw_value, is_utf8, split_compose, to_utf8, unescape

# Every property of FF[1] to FF[4]: a name with lower-case letters is one of these, or else it is kept.
_NAMES = """
    AB AE AN AP AR AS AW B BL BM BR BS BT C CA CH CP CR DD DM DO DT EL EV EX FF FG GB GC GE GM GN GW HA
    HO ID IP IT IY KM KO L LB LN LT M MA MN N OB OM ON OP OT OV OW PB PC PL PM PW RE RG RO RU SC SE SI
    SL SO SQ ST SU SZ TB TC TE TM TR TW UC US V VW W WL WR WS WT
"""
KNOWN = frozenset(_NAMES.split())
TEXT = frozenset({"C", "GC"})  # where line breaks count; other known properties hold one line
SIZE = re.compile(rb"\s*(\d{1,2})\s*(?::\s*(\d{1,2})\s*)?")
LINE_WIDTH = 76  # of the files we write, where a node allows it
TOO_LONG = 2**31 - 1  # offsets are int32


class SgfError(ValueError):
    """A file, or a value in it, that is not SGF. `line` and `column` count from 1; 0 is unknown."""

    def __init__(self, reason: str, line: int = 0, column: int = 0) -> None:
        super().__init__(f"line {line}, column {column}: {reason}" if line else reason)
        self.reason = reason
        self.line = line
        self.column = column


class _File:
    """The bytes and arrays that the nodes of one file share."""

    def __init__(self, data: bytes, scan: Scan) -> None:
        self.data = data
        self.bytes = np.frombuffer(data, dtype=np.uint8)
        self.scan = scan
        # Python reads a number from a memoryview much faster than from an array, and fastest from one
        # with a single dimension: these two have their rows one after another.
        self.nodes: memoryview[int] = memoryview(scan.nodes)  # type: ignore[arg-type]
        self.properties: memoryview[int] = memoryview(scan.properties.reshape(-1))  # type: ignore[arg-type]
        self.values: memoryview[int] = memoryview(scan.values.reshape(-1))  # type: ignore[arg-type]
        self.edited = False  # then the arrays no longer tell the truth about the whole file

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, in characters."""
        before = self.data[:offset].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        line = before.rpartition(b"\n")[2].removeprefix(b"\xef\xbb\xbf")
        return before.count(b"\n") + 1, len(line.decode("utf-8", "replace")) + 1


class Node:
    """One node: properties and variations. Made by `parse`, `Node()` for a root, or `add_child`."""

    __slots__ = ("_children", "_file", "_properties", "_row", "parent")

    def __init__(self) -> None:
        self.parent: Node | None = None
        self._file: _File | None = None
        self._row = NO_NODE
        self._properties: dict[str, list[bytes]] | None = {}
        self._children: list[Node] | None = []

    @classmethod
    def _view(cls, file: _File, row: int, parent: Node | None) -> Node:
        """A node of a file; what it holds is looked up when somebody asks."""
        node = cls.__new__(cls)
        node.parent = parent
        node._file = file
        node._row = row
        node._properties = node._children = None
        return node

    # properties ---------------------------------------------------------------------------------

    def _own(self) -> dict[str, list[bytes]]:
        if self._properties is None:
            assert self._file is not None
            self._properties = _read_properties(self._file, self._row)
        return self._properties

    @property
    def properties(self) -> Mapping[str, Sequence[bytes]]:
        """Raw values by name, in file order. To change one, assign to `node[name]`."""
        return MappingProxyType(self._own())

    def __contains__(self, name: str) -> bool:
        return name in self._own()

    def __getitem__(self, name: str) -> list[bytes]:
        """The raw values of a property; a KeyError when it is absent."""
        return list(self._own()[name])

    def __setitem__(self, name: str, values: str | bytes | Iterable[str | bytes]) -> None:
        """Set one value or several: text, which is escaped for you, or raw bytes, taken as they are."""
        if not (name.isascii() and name.isalnum()):
            raise ValueError(f"{name!r} cannot be the name of a property")
        listed = [values] if isinstance(values, str | bytes) else list(values)
        raw = [escape(value) if isinstance(value, str) else value for value in listed]
        if not raw:
            raise ValueError(f"{name} needs a value; an empty one is b''")
        for value in raw:
            if not (is_raw_value(value) and is_utf8(value)):
                raise ValueError(f"{value!r} is not a raw value: it wants UTF-8 with ] and \\ escaped")
        self._own()[_plain_name(name.encode())] = raw
        self._touch()

    def __delitem__(self, name: str) -> None:
        del self._own()[name]
        self._touch()

    def get_text(self, name: str, default: str = "") -> str:
        """The first value as text. Line breaks stay in C, GC and unknown properties."""
        values = self._own().get(name)
        if values is None:
            return default
        return unescape(values[0], simple=name in KNOWN and name not in TEXT)

    def points(self, name: str, board: Grid) -> list[int]:
        """The points of a list such as AB or TR, in file order, each once; `aa:cc` is a rectangle."""
        found: dict[int, None] = {}
        for raw in self._own().get(name, ()):
            first, second = split_compose(raw)
            if second is None:
                if not raw.strip():
                    continue  # DD[] and VW[]: the empty list
                second = first
            try:
                (top, left), (bottom, right) = _corner(first, board), _corner(second, board)
            except CoordinateError as error:
                raise self.error(f"{name}[{raw.decode('utf-8', 'replace')}]: {error}") from None
            for row in range(min(top, bottom), max(top, bottom) + 1):
                for column in range(min(left, right), max(left, right) + 1):
                    found[board.point(row, column)] = None
        return list(found)

    # tree ---------------------------------------------------------------------------------------

    def _branches(self) -> list[Node]:
        if self._children is None:
            assert self._file is not None
            nodes = self._file.nodes
            self._children = []
            row = nodes[self._row, CHILD]
            while row != NO_NODE:
                self._children.append(Node._view(self._file, row, self))
                row = nodes[row, SIBLING]
        return self._children

    @property
    def children(self) -> tuple[Node, ...]:
        """The variations that begin here, the main line first."""
        return tuple(self._branches())

    @property
    def root(self) -> Node:
        node = self
        while node.parent is not None:
            node = node.parent
        return node

    def add_child(self, *, first: bool = False) -> Node:
        """A new, empty variation: the last, or with `first` the main line."""
        node = Node()
        node.parent = self
        self._branches().insert(0 if first else len(self._branches()), node)
        self._touch()
        return node

    def remove(self) -> None:
        """Cut this node and all below it out of its game."""
        if self.parent is None:
            raise ValueError("the root of a game cannot be removed from it")
        self.parent._branches().remove(self)
        self.parent._touch()
        self.parent = None

    def main_line(self) -> Iterator[Node]:
        """This node and on, always by the first child."""
        node = self
        yield node
        while branches := node._branches():
            node = branches[0]
            yield node

    def walk(self) -> Iterator[Node]:
        """This node and all below it, in the order of the file."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node._branches()))

    def path(self) -> list[Node]:
        """The nodes from the root to this one."""
        path: list[Node] = []
        node: Node | None = self
        while node is not None:
            path.append(node)
            node = node.parent
        return path[::-1]

    # what the fast path and messages need -------------------------------------------------------

    def size(self) -> Size:
        """Width and height from the root's SZ; 19×19 when it says nothing."""
        root = self.root
        raw = root._own().get("SZ", (b"19",))[0]
        try:
            return _size(raw)
        except ValueError as error:
            raise root.error(f"SZ[{raw.decode('utf-8', 'replace')}]: {error}") from None

    def line(self) -> Line:
        """The moves of the line through this node, from the root to the end of the main line below.

        This is the fast path: a kernel reads them from the file. Where the game has been edited, the
        line is written out and read again.
        """
        letters = _letters(*self.size())
        if self._file is not None and not self._file.edited:
            file, row = self._file, self._row
        else:
            nodes = [*self.path()[:-1], *self.main_line()]
            data = b"(" + b"".join(_write_node(node) for node in nodes) + b")"
            file, row = _File(data, _scan(data)), 0
        scan = file.scan
        return Line(*sgf_scan.follow(file.bytes, scan.nodes, scan.properties, scan.values, letters, row))

    def error(self, reason: str) -> SgfError:
        """An error that says where in its file this node is."""
        if self._file is None:
            return SgfError(reason)
        return SgfError(reason, *self._file.position(self._file.nodes[self._row, OFFSET]))

    def _touch(self) -> None:
        if self._file is not None:
            self._file.edited = True

    def __repr__(self) -> str:
        return f"<Node {_write_node(self)[:60].decode('utf-8', 'replace')}>"


@dataclass
class Collection:
    """The games of a file. When it is broken, `error` says where, and `games` are those before it."""

    games: list[Node]
    error: SgfError | None = None
    broken: Node | None = None  # as much as could be read of the game in which the error is


def parse(data: bytes | str, *, strict: bool = False) -> Collection:
    """Read a file. A broken one gives the games before the break and an `error`.

    With `strict` the error is raised instead. Text before the first game is skipped.
    """
    if isinstance(data, str):
        data = data.encode("utf-8", "replace")
    if len(data) > TOO_LONG:
        raise SgfError("the file is longer than 2 GB")
    scan = _scan(data)
    if not is_utf8(data):
        data = to_utf8(data, scan.games[: scan.game_count + 1, sgf_scan.GAME_START].tolist())
        scan = _scan(data)
    file = _File(data, scan)
    roots = scan.games[: scan.game_count, sgf_scan.ROOT].tolist()
    collection = Collection([Node._view(file, row, None) for row in roots])
    if scan.problem != sgf_scan.FINE:
        collection.error = SgfError(sgf_scan.PROBLEMS[scan.problem], *file.position(scan.problem_at))
        if scan.broken_root != NO_NODE:
            collection.broken = Node._view(file, scan.broken_root, None)
        if strict:
            raise collection.error
    return collection


def serialise(games: Collection | Node | Iterable[Node]) -> bytes:
    """Write games as UTF-8, and say so in CA wherever there is more than ASCII. Raw values are kept."""
    if isinstance(games, Collection):
        games = games.games
    return b"\n".join(_write_game(root) for root in ([games] if isinstance(games, Node) else games))


def _write_game(root: Node) -> bytes:
    parts: list[bytes] = []
    width = 0
    closing = object()
    waiting: list[Node | object] = [root]  # no recursion: variations go thousands deep
    while waiting:
        node = waiting.pop()
        if not isinstance(node, Node):
            parts.append(b")")
            continue
        variation = node is root or (node.parent is not None and len(node.parent._branches()) > 1)
        text = _write_node(node)
        if variation or width + len(text) > LINE_WIDTH:
            parts.append(b"\n" if parts else b"")
            width = 0
        if variation:
            parts.append(b"(")
            waiting.append(closing)
        parts.append(text)
        width += len(text)
        waiting.extend(reversed(node._branches()))
    # The text must not depend on luck: a file that is not ASCII says that it is UTF-8.
    if not all(part.isascii() for part in parts):
        first = next(i for i, part in enumerate(parts) if part.startswith(b";"))
        parts[first] = _write_node(root, {"CA": [b"UTF-8"]})
    return b"".join(parts) + b"\n"


def _write_node(node: Node, changes: Mapping[str, list[bytes]] | None = None) -> bytes:
    parts = [b";"]
    for name, values in {**node._own(), **(changes or {})}.items():
        parts.append(name.encode("ascii"))
        parts.extend(b"[" + value + b"]" for value in values)
    return b"".join(parts)


def _scan(data: bytes) -> Scan:
    return Scan(*sgf_scan.scan(np.frombuffer(data, dtype=np.uint8)))


def _read_properties(file: _File, row: int) -> dict[str, list[bytes]]:
    """The properties of a node of a file. The values of a name that comes twice are put together."""
    data, nodes, properties, values = file.data, file.nodes, file.properties, file.values
    found: dict[str, list[bytes]] = {}
    for p in range(3 * nodes[row, PROPERTIES], 3 * nodes[row + 1, PROPERTIES], 3):
        name = _plain_name(data[properties[p + NAME_START] : properties[p + NAME_END]])
        run = range(2 * properties[p + VALUES], 2 * properties[p + 3 + VALUES], 2)
        raw = [data[values[v] : values[v + 1]] for v in run]
        found[name] = found[name] + raw if name in found else raw
    return found


@lru_cache(maxsize=4096)
def _plain_name(raw: bytes) -> str:
    """FF[1] to FF[3] let programs write White for W; what that leaves must be a name of SGF."""
    name = raw.decode("ascii")
    capitals = "".join(letter for letter in name if not letter.islower())
    return capitals if capitals in KNOWN else name


@lru_cache(maxsize=64)
def _size(raw: bytes) -> Size:
    found = SIZE.fullmatch(raw)
    if found is None:
        raise ValueError("write a size like 19, or 19:13 for 19 columns and 13 rows")
    board = grid(int(found[1]), int(found[2] or found[1]))
    return Size(board.width, board.height)


def _corner(raw: bytes, board: Grid) -> tuple[int, int]:
    point = board.parse_sgf(raw.decode("utf-8", "replace").strip())
    if not board.on_board(point):
        raise CoordinateError("a pass is not a point")
    return board.row_column(point)


@lru_cache(maxsize=64)
def _letters(width: int, height: int) -> IntArray:
    """[byte of the column, byte of the row] → point, with NO_POINT for all that is off the board."""
    board = grid(width, height)
    table = np.full((256, 256), NO_POINT, dtype=np.int32)
    for column in SGF_LETTERS:
        for row in SGF_LETTERS:
            with suppress(CoordinateError):
                table[ord(column), ord(row)] = board.parse_sgf(column + row)
    return table
