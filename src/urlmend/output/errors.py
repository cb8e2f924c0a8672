"""Errors, in words for people."""

from pathlib import Path

_PACKAGE = str(Path(__file__).parents[1])


def reason(error: OSError) -> str:
    """Return what *error* says, without its number and its file."""
    return error.strerror or str(error)


def fault(error: Exception) -> str:
    """Return what is known of an unforeseen *error*: its type, its text, and the line of our code that it passed."""
    place = ""
    step = error.__traceback__
    while step is not None:
        file = step.tb_frame.f_code.co_filename
        if file.startswith(_PACKAGE):
            place = f" (urlmend{file.removeprefix(_PACKAGE)}:{step.tb_lineno})"
        step = step.tb_next
    text = " ".join(str(error).split())
    return f"{type(error).__name__}{': ' if text else ''}{text}{place}; this is a fault of urlmend"
