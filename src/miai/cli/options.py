"""The arguments that several commands take, each said once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

FileArgument = Annotated[
    str,
    typer.Argument(
        metavar="FILE", help="SGF (.sgf, .sgf.gz, .sgf.xz, .zip), a folder, or - for standard input."
    ),
]
GameOption = Annotated[int, typer.Option("--game", metavar="K", min=1, help="Which game, counted from 1.")]
MoveOption = Annotated[
    int | None, typer.Option("--move", metavar="N", min=0, help="After how many moves; else at the end.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
OutOption = Annotated[
    Path | None, typer.Option("--out", metavar="FILE", help="Write there, not to the screen.")
]
AsciiOption = Annotated[bool, typer.Option("--ascii", help="Use no signs beyond ASCII.")]
NetOption = Annotated[
    str,
    typer.Option(
        "--net", metavar="NET", help="A network: a name of `miai nets`, an .onnx, KataGo's .bin.gz."
    ),
]
SvgOption = Annotated[Path | None, typer.Option("--svg", metavar="OUT", help="Draw it as a picture.")]
