"""SGF, the text in it: which encoding a file is in, and what escapes and line breaks mean.

Encodings are dealt with once, at the door: `to_utf8` turns a file into UTF-8 before anything looks
inside, so that a ] which is half of a Japanese character never ends a value. For each game it tries
strict UTF-8, then what the game's own CA says, then the encodings of old archives.
"""

from __future__ import annotations

import codecs
import re
from itertools import pairwise

# What programs write in CA, and the larger set that they mean by it.
SUPERSETS = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc_kr": "cp949",
    "shift_jis": "cp932",
    "iso8859-1": "cp1252",
}
# Where the common characters are: those of GB 2312 and of KS X 1001; kana and first-level kanji.
COMMON = {
    "gb18030": re.compile(rb"[\xa1-\xf7][\xa1-\xfe]"),
    "cp949": re.compile(rb"[\xa1-\xfd][\xa1-\xfe]"),
    "cp932": re.compile(rb"[\x81-\x98].", re.DOTALL),
}
ENOUGH_KOREAN = 12  # so many letters, all Hangul, are not Chinese by chance (see `guess_encoding`)

CHARSET = re.compile(rb"(?<![A-Z])CA\s*\[\s*([\w:.-]+)\s*\]")
LINE_BREAK = r"\r\n|\n\r|\r|\n"
ESCAPES = re.compile(rf"\\({LINE_BREAK}|.)|({LINE_BREAK})|([\t\v\f])", re.DOTALL)
RAW_VALUE = re.compile(rb"(?:[^\\\]]|\\.)*+", re.DOTALL)
COLON = re.compile(rb"((?:[^\\:]|\\.)*+):(.*)", re.DOTALL)
ASCII = bytes(range(32, 127))


def to_utf8(data: bytes, starts: list[int]) -> bytes:
    """`data` in UTF-8; `starts` are the offsets at which its games begin, each in its own encoding."""
    edges = sorted({0, *starts, len(data)})
    pieces = [data[a:b] for a, b in pairwise(edges)]
    texts = [_decode(piece, "utf-8") or _decode(piece, _declared(piece)) for piece in pieces]
    # One guess for all games that say nothing: the more text, the safer.
    fallback = guess_encoding(b"".join(p for p, text in zip(pieces, texts, strict=True) if text is None))
    decoded = (
        piece.decode(fallback, "replace") if text is None else text
        for piece, text in zip(pieces, texts, strict=True)
    )
    return "".join(decoded).encode("utf-8", "replace")


def is_utf8(data: bytes) -> bool:
    return data.isascii() or _decode(data, "utf-8") is not None


def guess_encoding(data: bytes) -> str:
    """GB18030, CP949, Shift-JIS or Latin-1: the first that reads `data` and gives ordinary letters.

    To be valid is not enough, since GB18030 accepts nearly anything: "é" and the letter after it are
    a rare Chinese character there. So at least half of the characters must be common ones.
    Korean is valid and common Chinese, too; it wins when there is plenty of it and all is Hangul.
    """
    korean = _wide(_decode(data, "cp949"))
    if len(korean) >= ENOUGH_KOREAN and all("가" <= letter <= "힣" for letter in korean):
        return "cp949"
    for encoding, common in COMMON.items():
        letters = _wide(_decode(data, encoding))
        ordinary = sum(common.fullmatch(letter.encode(encoding, "replace")) is not None for letter in letters)
        if letters and 2 * ordinary >= len(letters):
            return encoding
    return "cp1252" if _decode(data, "cp1252") is not None else "latin-1"


def _wide(text: str | None) -> str:
    return "".join(letter for letter in text or "" if not letter.isascii())


def _declared(game: bytes) -> str:
    found = CHARSET.search(game)
    return found[1].decode("ascii", "replace") if found else ""


def _decode(data: bytes, encoding: str) -> str | None:
    """The text of `data`, or None when it is not in this encoding or there is no such encoding."""
    try:
        name = codecs.lookup(encoding).name
        if ASCII.decode(name) != ASCII.decode("ascii"):
            return None  # UTF-16 and the like: the file was found to be SGF, byte by byte
    except (LookupError, ValueError):
        return None
    for candidate in (SUPERSETS.get(name, name), name):
        try:
            text = data.decode(candidate)
            text.encode("utf-8")  # some codecs give half characters, which cannot be written again
        except ValueError:
            continue
        return text
    return None


# values -----------------------------------------------------------------------------------------


def unescape(raw: bytes, *, simple: bool = False) -> str:
    """The text that a raw value stands for.

    A backslash before a line break takes the break away; before anything else, it vanishes itself.
    Other white space becomes a space; so do line breaks when `simple` (SGF's SimpleText).
    """
    text = raw.decode("utf-8", "replace")
    line_break = " " if simple else "\n"

    def replace(match: re.Match[str]) -> str:
        escaped, broken, _ = match.groups()
        if escaped:
            return "" if escaped in "\r\n" or len(escaped) == 2 else " " if escaped in "\t\v\f" else escaped
        return line_break if broken else " "

    return ESCAPES.sub(replace, text)


def escape(text: str) -> bytes:
    """A raw value that `unescape` reads back; a tab or an odd line break is read as a plain one."""
    return text.replace("\\", "\\\\").replace("]", "\\]").encode("utf-8", "replace")


def split_compose(raw: bytes) -> tuple[bytes, bytes | None]:
    """The two halves of `aa:bb`, or the whole and None; a colon that is escaped does not count."""
    found = COLON.match(raw)
    return (found[1], found[2]) if found else (raw, None)


def is_raw_value(raw: bytes) -> bool:
    """Whether `raw` can stand between brackets: no bare ], no backslash left over at the end."""
    return RAW_VALUE.fullmatch(raw) is not None
