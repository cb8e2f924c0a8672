"""Where the authority of a bare URL ends, and the URL with it: at the first character that no host can have."""

from urlmend.text.patterns import HOST_LETTERS, lazy_regex, lazy_unicode_regex

_NAME = r"[A-Za-z0-9.\-_%]"
# A login, and the host in ASCII, or its beginning.
_HOST = lazy_regex(
    r"""(?:(?=[^@/?#\x00-\x20]{0,200}@)[^/?#()\x00-\x20\x7f<>"`\\]{0,200}@(?=[A-Za-z0-9\[%_]))?+"""
    rf"(\[[^\[\]\s]*\]|{_NAME}++|(?=[^\x00-\x7f]))"
)
_PORT = lazy_regex(r":[0-9]*+")
_ELLIPSIS = lazy_regex(r"\.{3,}")
# A host has no brackets, commas, semicolons or quotes.
_PUNCTUATION = "(),;'"
# What text leaves glued to a host: mark-up, AsciiDoc's `[]`, bytes of quoted-printable, a variable, emphasis.
_GLUED = lazy_regex(
    r"\{[^{}\s/:]{0,200}\}|\[\](?![/:]|\.[A-Za-z0-9])|=[0-9A-F]{2}(?![A-Za-z0-9])"
    r"|=++(?!2E[A-Za-z0-9])|\$[0-9]?|[*!]+|[+~]|&(?![#glqn])"
)
# The authority goes on: another dot with letters on both sides follows.
_GOES_ON = lazy_regex(r"[!$-.0-;=@-_a-~]{0,200}?[A-Za-z0-9](?:\.|=2E)[A-Za-z0-9]")
# A rule or other ornament after a host, and a hyphen, which at a line end may be the host's.
_ORNAMENT = lazy_regex(r"(?:\.?([\-_%~=*+])\1+|-(?![ \t]*[\r\n]))[.,;:!?']*+(?=[\x00-\x20\x7f<>\"`)\]}]|\Z)")
# With hyphens, which at a line end may be the host's or not.
_BEYOND_ASCII = lazy_unicode_regex(rf"(?:[[{HOST_LETTERS}\u00ad\u2010]--[\x00-\x7f]]+{_NAME}*+)*+")
_MIXED_TOP_LABEL = lazy_regex(r"(?<=\.)(?:[0-9]+|[A-Za-z][A-Za-z0-9\-]*[A-Za-z0-9])(?=[^\x00-\x7f\xad\u2010][^.]*\Z)")


def last_part(text: str, start: int, *, ascii_only: bool) -> tuple[int, int] | None:
    """Return the end of the authority at *start* in *text* and of what is glued to it, if the URL ends there.

    A broken authority does not end it: what follows is part of the authority, but not of a host.
    """
    if (found := _HOST.match(text, start)) is None:
        return None
    start, end = found.span(1)
    is_ascii = ascii_only or text[end : end + 1] <= "\x7f" or text[end - 1] == "]"
    if not is_ascii and (more := _BEYOND_ASCII.match(text, end)):
        end = more.end()
    name = text[start:end]
    host_end = end if text[end - 1].isalnum() else start + len(name.rstrip(".-_%"))
    ornament = _ORNAMENT.match(text, host_end) if start < host_end < end else None
    if ornament:
        return host_end, ornament.end()
    if not name.isascii() and (mixed := _MIXED_TOP_LABEL.search(name)):
        return start + mixed.end(), start + mixed.end()
    ellipsis = _ELLIPSIS.search(name) if "..." in name else None
    if ellipsis and "." in name[: ellipsis.start()]:
        stop = start + ellipsis.end()
        return None if _GOES_ON.match(text, stop) else (start + ellipsis.start(), stop)
    if port := _PORT.match(text, end):
        end = port.end()
    return _end_after_port(text, end, ascii_only=ascii_only)


def _end_after_port(text: str, end: int, *, ascii_only: bool) -> tuple[int, int] | None:
    """Return what `last_part` does for the authority whose host and port end at *end*."""
    following = text[end : end + 1]
    if following and following in _PUNCTUATION:
        return end, end
    if not following or following in "/?#" or not (text[end - 1].isalnum() or text[end - 1] == "]"):
        return None
    if not following.isascii():
        return None if ascii_only or _GOES_ON.match(text, end + 1) else (end, end)
    glued = _GLUED.match(text, end)
    return None if glued is None or _GOES_ON.match(text, glued.end()) else (end, glued.end())
