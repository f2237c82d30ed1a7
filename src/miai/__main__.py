"""`python -m miai`: the same as the command `miai`."""

from miai.cli import main

if __name__ == "__main__":
    main()
