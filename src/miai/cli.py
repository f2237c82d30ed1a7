"""The command line: reads arguments, calls the rooms, prints what they return. No Go logic here.

Each command imports what it needs inside its function, so that `miai --help` and `miai --version`
answer without waiting for Numba. `main` is where every run begins, and where errors become one line.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import time
import traceback
from collections.abc import Iterable, Iterator
from enum import StrEnum
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from miai import __version__, cli_endgame, cli_nets, cli_train, cli_train_endgame
from miai.cli_options import AsciiOption, FileArgument, GameOption, JsonOption, MoveOption, OutOption
from miai.files import InputError

BAD_INPUT = 2
NO_READER = 1  # whoever read our output has closed it
INTERRUPTED = 130
CLEAR_LINE = "\r\033[K"

ROOMS_WITH_KERNELS = ("go", "nets", "life", "endgame", "play")  # as `miai warmup` goes through them

app = typer.Typer(
    name="miai",
    help="Go: is this group alive, what is this move worth, where would a strong player play next.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,  # plain help: it starts faster and needs no colours
    pretty_exceptions_enable=False,
)


class Exempt(StrEnum):
    """Whom `miai solve` exempts from the ko ban."""

    BOTH = "both"
    ATTACKER = "attacker"
    DEFENDER = "defender"


class Format(StrEnum):
    """How a position is printed."""

    TEXT = "text"
    SVG = "svg"


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


@app.command()
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
        unicode = not ascii and (out is not None or can_print("●○·△▲"))
        board = diagram.text(place.board, markup, unicode=unicode)
        about = diagram.summary(place.board, move=place.move, last=place.last)
        write(f"{board}\n\n{about}\n", out)


@app.command()
def solve(
    file: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE…", help="SGF files, archives or folders of problems, or - for standard input."
        ),
    ],
    game: Annotated[
        int | None, typer.Option("--game", metavar="K", min=1, help="Only this game, counted from 1.")
    ] = None,
    move: Annotated[int, typer.Option("--move", metavar="N", min=0, help="The position after N moves.")] = 0,
    to_move: Annotated[str | None, typer.Option("--to-move", metavar="B|W", help="Who moves first.")] = None,
    target: Annotated[
        str | None, typer.Option("--target", metavar="C3,…", help="A stone of each chain in question.")
    ] = None,
    region: Annotated[
        str | None, typer.Option("--region", metavar="A1:E4,…", help="Where both may play.")
    ] = None,
    ko: Annotated[
        Exempt, typer.Option("--ko", help="Who may retake kos at once; both: find the kos.")
    ] = Exempt.BOTH,
    nodes: Annotated[
        int | None, typer.Option("--nodes", metavar="N", min=1, help="Positions to search, for each problem.")
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option("--seconds", metavar="S", min=0.001, help="Time for each problem, else 10."),
    ] = None,
    memory: Annotated[
        int, typer.Option("--memory", metavar="MB", min=1, help="For the tables of all jobs together.")
    ] = 1024,
    jobs: Annotated[int, typer.Option("--jobs", metavar="J", min=1, help="Problems at a time.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object a line.")] = False,
    resume: Annotated[
        Path | None,
        typer.Option(
            "--resume", metavar="FILE", help="Add JSON lines there; skip the problems it has already."
        ),
    ] = None,
    sgf: Annotated[Path | None, typer.Option("--sgf", metavar="OUT", help="Write the proof trees.")] = None,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="OUT", help="Draw it; for several problems, a folder.")
    ] = None,
    ascii: AsciiOption = False,
) -> None:
    """Is this group alive? Solve life-and-death problems, with proof.

    In the file, AB and AW are the stones, PL is the side to move, MA marks the target, SQ the region.
    """
    from miai import files
    from miai.go.coords import CoordinateError, colour_of

    try:
        first = None if to_move is None else colour_of(to_move)
    except CoordinateError as error:
        raise InputError("--to-move", str(error)) from error
    complaints = 0

    def complain(words: object) -> None:
        nonlocal complaints
        complaints += 1
        print(f"miai: {words}", file=sys.stderr)

    found: list[tuple[str, int, files.Record]] = []  # file, number in it
    for argument in file:
        try:
            for source in files.sources(argument):
                try:
                    for index, record in enumerate(files.records([source]), 1):
                        found.append((record.name, index, record))  # one by one: a break loses none before it
                except InputError as error:
                    complain(error)
        except InputError as error:
            complain(error)
    if game is not None:
        if found and game > len(found):
            raise InputError(
                "--game",
                f"there is no game {game}: there {'is' if len(found) == 1 else 'are'} {len(found)}",
            )
        found = found[game - 1 : game]

    from miai.go.sgf import serialise
    from miai.life import batch, words
    from miai.life.problem import ProblemError
    from miai.life.verdict import KoRule

    request = batch.Request(
        to_move=first,
        target=tuple(target.split(",")) if target else (),
        region=tuple(region.split(",")) if region else (),
        move=move,
        ko=KoRule(ko.value),
        nodes=nodes,
        seconds=seconds,
        memory=max(1, memory // jobs),
        proof=sgf is not None,
    )
    try:
        done = batch.solved_before(resume) if resume is not None else set()
        results = resume.open("a", encoding="utf-8") if resume is not None else sys.stdout
    except ProblemError as error:
        raise InputError(str(resume), str(error)) from error
    except OSError as error:
        raise not_writable(Path(str(resume)), error) from error
    tasks = [
        batch.Task(name, index, serialise(record.root), request)
        for name, index, record in found
        if (name, index) not in done
    ]
    drawings = picture_files(svg, [(name, index) for name, index, _ in found]) if svg is not None else {}
    for path in [sgf, *drawings.values()]:
        if path is not None and (path.is_dir() or not path.parent.is_dir()):  # say it now, not in an hour
            reason = "is a directory" if path.is_dir() else f"there is no folder {path.parent}"
            raise InputError(str(path), f"cannot be written: {reason}")
    proofs: list[bytes] = []
    for outcome in with_progress(batch.run_all(tasks, jobs=jobs), len(tasks)):
        task, verdict = outcome.task, outcome.verdict
        if verdict is None:
            complain(f"{task.file}: problem {task.index}: {outcome.error}")
            continue
        if as_json or resume is not None:
            print(json.dumps(outcome.to_json()), file=results, flush=True)
        else:
            unicode = not ascii and can_print("●○·△▲")
            title = f"{task.file}: problem {task.index}: {verdict.problem.name}".removesuffix(": ")
            drawn = words.drawing(verdict, unicode=unicode, dim=sys.stdout.isatty())
            said = "\n".join([words.sentence(verdict), *words.remarks(verdict)])
            blank = "\n" if len(tasks) > 1 else ""
            print(f"{title}\n\n{drawn}\n\n{said}\n{blank}" if blank else f"{drawn}\n\n{said}", flush=True)
        if svg is not None:
            write(words.picture(verdict), drawings[task.file, task.index])
        proofs.append(outcome.proof)
        if sgf is not None:
            write(b"\n".join(proofs).decode("utf-8"), sgf)
    if complaints:
        sys.exit(BAD_INPUT)


@app.command()
def warmup() -> None:
    """Compile once, so that nothing waits later."""
    from miai import kernel

    started = time.perf_counter()
    kernel.drop_stale_caches()
    kernel.notice.quiet = True  # the line below says more
    live = sys.stderr.isatty()
    for room in ROOMS_WITH_KERNELS:
        if find_spec(f"miai.{room}") is None or find_spec(f"miai.{room}.warm") is None:
            continue
        for name, step in import_module(f"miai.{room}.warm").STEPS.items():
            if live:
                print(
                    f"{CLEAR_LINE}miai: compiling for this machine: {room}, {name} …", end="", file=sys.stderr
                )
            step()
    done = (
        f"compiled in {time.perf_counter() - started:.0f} s"
        if kernel.notice.compiled
        else "nothing to compile"
    )
    print(f"{CLEAR_LINE if live else ''}miai: ready, {done}", file=sys.stderr)


# what commands share ----------------------------------------------------------------------------

SMALL = 64 * 1024  # bytes; see run_uncompiled


def run_uncompiled() -> None:
    """Let kernels run as plain Python, for the rest of this run. For commands that do very little.

    To load Numba and its compiled kernels takes longer than to replay a game or two without them.
    """
    if "miai.kernel" not in sys.modules:
        os.environ["NUMBA_DISABLE_JIT"] = "1"


T = TypeVar("T")


def with_progress(items: Iterable[T], total: int) -> Iterator[T]:
    """The items, with a bar on standard error where somebody watches and there are several."""
    if total < 2 or not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True)) as bar:
        yield from bar.track(items, total=total, description="solving")


def can_print(signs: str) -> bool:
    """Does the encoding of standard output have these signs?"""
    try:
        signs.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def write(text: str, out: Path | None) -> None:
    """To a file, or to standard output."""
    if out is None:
        sys.stdout.write(text)
        return
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise not_writable(out, error) from error


def not_writable(out: Path, error: OSError) -> InputError:
    return InputError(str(out), f"cannot be written: {(error.strerror or str(error)).lower()}")


def picture_files(out: Path, problems: list[tuple[str, int]]) -> dict[tuple[str, int], Path]:
    """Where the picture of each problem, file and number, goes: into a folder if there are several."""
    if len(problems) < 2:
        return dict.fromkeys(problems, out)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(str(out), "must be a folder, for there are several problems") from error
    files: dict[tuple[str, int], Path] = {}
    taken: set[str] = set()
    for file, index in dict.fromkeys(problems):
        stem = Path(file).name.partition(".")[0]
        names = (
            f"{stem}-{index}{again}.svg" for again in ("", *(f"-{n}" for n in range(2, len(problems) + 1)))
        )
        name = next(name for name in names if name not in taken)
        taken.add(name)
        files[file, index] = out / name
    return files


cli_nets.register(app)
cli_endgame.register(app)
cli_train.register(app)
cli_train_endgame.register(cli_train.data_app, cli_train.train_app, cli_train.evaluate_app)


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


if __name__ == "__main__":
    main()
