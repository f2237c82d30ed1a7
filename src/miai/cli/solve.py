"""The command `miai solve`: is this group alive? Reads problems, calls `miai.life`, prints verdicts."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from miai.cli.options import AsciiOption
from miai.cli.output import BAD_INPUT, can_print, check_writable, not_writable, progress, write
from miai.files import InputError

if TYPE_CHECKING:
    from miai.files import Record
    from miai.life.batch import Outcome


class Exempt(StrEnum):
    """Who is exempt from the ko ban."""

    BOTH = "both"
    ATTACKER = "attacker"
    DEFENDER = "defender"


class Found(NamedTuple):
    """A problem, where it was found."""

    file: str
    number: int  # in its file, from 1
    record: Record


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command()(solve)


def solve(
    file: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE", help="SGF files, archives or folders of problems, or - for standard input."
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

    found = problems_in(file, complain)
    if game is not None:
        if found and game > len(found):
            raise InputError(
                "--game",
                f"there is no game {game}: there {'is' if len(found) == 1 else 'are'} only {len(found)}",
            )
        found = found[game - 1 : game]

    from miai.go.sgf import serialise
    from miai.life import batch, words
    from miai.life.problem import ProblemError
    from miai.life.verdict import KoRule

    request = batch.Request(
        to_move=first,
        target=() if target is None else tuple(target.split(",")),
        region=() if region is None else tuple(region.split(",")),
        move=move,
        ko=KoRule(ko.value),
        nodes=nodes,
        seconds=seconds,
        memory=max(1, memory // jobs),
        proof=sgf is not None,
    )
    check_writable(resume)
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
    pictures = picture_files(svg, found) if svg is not None else {}
    check_writable(sgf, *pictures.values())
    proofs: list[bytes] = []
    with progress(len(tasks), "solving") as advance:
        for outcome in batch.run_all(tasks, jobs=jobs):
            task, verdict = outcome.task, outcome.verdict
            if verdict is None:
                complain(f"{task.file}: problem {task.index}: {outcome.error}")
            else:
                if as_json or resume is not None:
                    print(json.dumps(outcome.to_json()), file=results, flush=True)
                else:
                    unicode = not ascii and can_print()
                    print(described(outcome, unicode=unicode, alone=len(tasks) == 1), flush=True)
                if svg is not None:
                    write(words.picture(verdict), pictures[task.file, task.index])
                proofs.append(outcome.proof)
                if sgf is not None:
                    write(b"\n".join(proofs).decode("utf-8"), sgf)
            advance(1)
    if complaints:
        sys.exit(BAD_INPUT)


def problems_in(arguments: Sequence[str], complain: Callable[[object], None]) -> list[Found]:
    """The problems in files, folders and archives. What cannot be read costs none of the others."""
    from miai import files

    found: list[Found] = []
    for argument in arguments:
        try:
            for source in files.sources(argument):
                try:
                    for index, record in enumerate(files.records([source]), 1):
                        found.append(Found(record.name, index, record))  # one by one: a break loses none
                except InputError as error:
                    complain(error)
        except InputError as error:
            complain(error)
    return found


def described(outcome: Outcome, *, unicode: bool, alone: bool) -> str:
    """A verdict for people: the drawing and what is to be said; where there are several, with a title."""
    from miai.life import words

    task, verdict = outcome.task, outcome.verdict
    assert verdict is not None
    drawn = words.drawing(verdict, unicode=unicode, dim=sys.stdout.isatty())
    said = "\n".join([words.sentence(verdict), *words.remarks(verdict)])
    if alone:
        return f"{drawn}\n\n{said}"
    title = f"{task.file}: problem {task.index}: {verdict.problem.name}".removesuffix(": ")
    return f"{title}\n\n{drawn}\n\n{said}\n\n"


def picture_files(out: Path, problems: Sequence[Found]) -> dict[tuple[str, int], Path]:
    """Where the picture of each problem, file and number, goes: into a folder if there are several."""
    if len(problems) < 2:
        return {(problem.file, problem.number): out for problem in problems}
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(str(out), "must be a folder, for there are several problems") from error
    places: dict[tuple[str, int], Path] = {}
    taken: set[str] = set()
    for file, index, _ in problems:
        if (file, index) in places:  # the same file, named twice
            continue
        stem = Path(file).name.partition(".")[0]
        names = (
            f"{stem}-{index}{again}.svg" for again in ("", *(f"-{n}" for n in range(2, len(problems) + 1)))
        )
        name = next(name for name in names if name not in taken)
        taken.add(name)
        places[file, index] = out / name
    return places
