"""Fuzzes scanning or parsing, as the first argument says: README.md says how to run it."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))


def scan(data: bytes) -> None:
    """Scan *data*; an `AssertionError`, or anything else that comes out, is a finding."""
    # Imported here and not above: atheris must see the first import of what it instruments.
    from invariants import check_scan  # noqa: PLC0415

    check_scan(data)


def parse(data: bytes) -> None:
    """Parse *data* as text, lone surrogates and all, and make its normal form; whatever comes out is a finding."""
    from invariants import check_normal_form, check_parse  # noqa: PLC0415 -- as above

    text = data.decode("utf-8", "surrogateescape")
    check_parse(text)
    check_normal_form(text)


HARNESSES = {"scan": scan, "parse": parse}

if __name__ == "__main__":
    import atheris  # the tests run without

    with atheris.instrument_imports(include=["urlmend"]):
        import invariants  # noqa: F401 -- it imports urlmend
    atheris.Setup(sys.argv, HARNESSES[sys.argv.pop(1)])
    atheris.Fuzz()
