"""`python -m urlmend` is the command `urlmend`."""

import gc

from urlmend.cli import main


def run() -> None:
    """Run the command in a process of its own."""
    # What is imported stays until the process ends: no collection of garbage need look at it.
    gc.freeze()
    main(prog_name="urlmend")


if __name__ == "__main__":
    run()
