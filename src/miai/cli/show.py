"""The command `miai show`: a position of a game, as text, picture or JSON."""

from __future__ import annotations

import json
import os
import sys
from enum import StrEnum
from typing import Annotated

import typer

from miai.cli.options import AsciiOption, FileArgument, GameOption, JsonOption, MoveOption, OutOption
from miai.cli.output import can_print, check_writable, write
from miai.files import InputError

SMALL = 64 * 1024  # bytes; see run_uncompiled


class Format(StrEnum):
    """How a position is printed."""

    TEXT = "text"
    SVG = "svg"


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command()(show)


def show(
    file: FileArgument,
    game: GameOption = 1,
    move: MoveOption = None,
    format: Annotated[Format, typer.Option("--format", help="Text or a picture.")] = Format.TEXT,
    as_json: JsonOption = False,
    out: OutOption = None,
    ascii: AsciiOption = False,
) -> None:
    """Show a position of a game.

    Text shows the board, whose move it is, captures, ko, and the chains in atari.
    """
    from miai import files

    if as_json and format is not Format.TEXT:
        raise InputError("--json", f"it cannot be combined with --format {format}: one excludes the other")
    check_writable(out)
    sources = files.sources(file)
    if sum(source.size for source in sources) <= SMALL:
        run_uncompiled()
    place = files.read_place(sources, game, move)

    from miai.go import diagram

    markup = diagram.Markup(last_move=place.last[1]) if place.last else diagram.PLAIN
    if as_json:
        write(json.dumps(diagram.to_json(place.board, move=place.move)) + "\n", out)
    elif format is Format.SVG:
        from miai.go.svg import svg

        write(svg(place.board, markup), out)
    else:
        unicode = not ascii and (out is not None or can_print())
        board = diagram.text(place.board, markup, unicode=unicode)
        about = diagram.summary(place.board, move=place.move, last=place.last)
        write(f"{board}\n\n{about}\n", out)


def run_uncompiled() -> None:
    """Let kernels run as plain Python, for the rest of this run. For commands that do very little.

    To load Numba and its compiled kernels takes longer than to replay a game or two without them.
    """
    if "miai.kernel" not in sys.modules:
        os.environ["NUMBA_DISABLE_JIT"] = "1"
