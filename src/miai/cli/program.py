"""The program `miai`: its commands put together, and `main`, where errors become one line."""

from __future__ import annotations

import gc
import os
import sys
import traceback
from typing import Annotated

import typer

from miai import __version__
from miai.cli import endgame, nets, show, solve, train, train_endgame, warmup
from miai.cli.output import BAD_INPUT
from miai.files import InputError

NO_READER = 1  # whoever read our output has closed it
INTERRUPTED = 130

app = typer.Typer(
    name="miai",
    help="Go: is this group alive, what is this move worth, where would a strong player play next.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,  # plain help: it starts faster and needs no colours
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"miai {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show where in the program an error came up.")
    ] = False,
) -> None:
    """What comes before the command; `main` looks for --debug itself, wherever it stands."""


for commands in (show, solve, endgame, nets, train, warmup):  # in the order of `miai --help`
    commands.register(app)
train_endgame.register(train.data_app, train.train_app, train.evaluate_app)


def main() -> None:
    """Run a command. Bad input is one line on standard error and exit code 2."""
    gc.set_threshold(100_000)  # imports make many objects and no garbage: looking for it takes 50 ms
    debug = "--debug" in sys.argv
    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]
    try:
        try:
            app(arguments, prog_name="miai")
        finally:
            sys.stdout.flush()  # here, where a closed pipe can still be handled
    except InputError as error:
        if debug:
            traceback.print_exc()
        else:
            print(f"miai: {error}", file=sys.stderr)
        sys.exit(BAD_INPUT)
    except BrokenPipeError:
        # Python flushes once more on its way out: give it something that takes all
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(NO_READER)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
