"""Fuzzes scanning and mending: README.md says how to run it."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))


def one_input(data: bytes) -> None:
    """Scan *data*; an `AssertionError`, or anything else that comes out, is a finding."""
    # Imported here and not above: atheris must see the first import of what it instruments.
    from invariants import check_scan  # noqa: PLC0415

    check_scan(data)


def main() -> None:
    """Fuzz with the arguments of libFuzzer."""
    import atheris  # noqa: PLC0415 -- the tests run without

    with atheris.instrument_imports(include=["urlmend"]):
        import invariants  # noqa: F401, PLC0415 -- it imports urlmend
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
