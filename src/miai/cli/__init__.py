"""The command line: reads arguments, calls the rooms, prints what they return. No Go logic here.

`program` puts the commands together and is where every run begins; each command, or family of commands,
has a module of its name. A module says `register(app)`, and a command imports what it needs inside its
function, so that `miai --help` and `miai --version` answer without waiting for Numba. What commands have
in common is in `options`, what they take, and `output`, what they print and write.
"""

from miai.cli.program import main

__all__ = ["main"]
