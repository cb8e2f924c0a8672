"""`python -m urlmend` is the command `urlmend`."""

import gc
import signal

# While the command is loaded, Ctrl-C ends the process without a traceback, as it does later.
if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)

# There is little garbage in cycles: looking for it after each 700 new objects takes longer than it saves.
gc.set_threshold(20_000)

from urlmend.cli import main  # noqa: E402 -- as said above

_ENDING = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
"""The signals that end a run: files are closed, and incomplete ones are named. No system has all."""

_BY_SIGNAL = 128
"""What a shell adds to the number of a signal."""


def _end(number: int, _frame: object) -> None:
    """End the run with the status for the signal *number*; the next one ends the process at once."""
    signal.signal(number, signal.SIG_DFL)
    raise SystemExit(_BY_SIGNAL + number)  # of a KeyboardInterrupt, click makes another status


def run() -> None:
    """Run the command in a process of its own."""
    for number in (getattr(signal, name) for name in _ENDING if hasattr(signal, name)):
        # Under nohup, the process ignores the signal, and goes on ignoring it.
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _end)
    # What is imported stays until the process ends: no collection of garbage need look at it.
    gc.freeze()
    main(prog_name="urlmend")


if __name__ == "__main__":
    run()
