"""Fuzzes parsing, its diagnosis and the normal form: README.md says how to run it."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))


def one_input(data: bytes) -> None:
    """Parse *data* as text, lone surrogates and all; whatever comes out is a finding."""
    # Imported here and not above: atheris must see the first import of what it instruments.
    from invariants import check_normal_form, check_parse  # noqa: PLC0415

    text = data.decode("utf-8", "surrogateescape")
    check_parse(text)
    check_normal_form(text)


def main() -> None:
    """Fuzz with the arguments of libFuzzer."""
    import atheris  # noqa: PLC0415 -- the tests run without

    with atheris.instrument_imports(include=["urlmend"]):
        import invariants  # noqa: F401, PLC0415 -- it imports urlmend
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
