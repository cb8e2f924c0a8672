"""The scanner's view of a stream: of bytes it has one character a byte, and only what is found is decoded."""


def decoded(view: str) -> str:
    """Return *view*, which has one character a byte, as text of which `as_view` makes the same again."""
    return view if view.isascii() else view.encode("latin-1").decode(errors="surrogateescape")


def as_view(text: str) -> str:
    """Return the view that *text* was decoded from."""
    return text if text.isascii() else text.encode(errors="surrogateescape").decode("latin-1")


def decode_start(octets: bytes) -> tuple[str, bool]:
    """Decode UTF-8 up to the first octet that is none; tell whether only an unfinished character is missing."""
    try:
        return octets.decode(), True
    except UnicodeDecodeError as error:
        return octets[: error.start].decode(), error.reason == "unexpected end of data"
