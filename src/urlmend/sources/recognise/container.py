"""Zip and tar files, by how they begin."""

import re

_ZIP = (b"PK\3\4", b"PK\5\6", b"PK00PK\3\4")

# POSIX.1-2017 pax, "ustar interchange format": the checksum and, but for the seventh edition's, the magic.
_BLOCK = 512
_CHECKSUM = slice(148, 156)
_IN_OCTAL = re.compile(rb"[ \0]*([0-7]{1,7})[ \0]*\Z")
_NAME = 100


def container(head: bytes, *, whole: bool) -> str | None:
    """Return `zip` or `tar` for a file that begins with *head*, or is that *whole*, `""` for any other.

    `None` where more is needed to tell.
    """
    if head.startswith(_ZIP):
        return "zip"
    if not whole and any(magic.startswith(head) for magic in _ZIP):
        return None
    if len(head) >= _BLOCK:
        return "tar" if _is_tar_header(head[:_BLOCK]) else ""
    # A name is filled with NULs, and names have no line ends.
    may_be_tar = b"\0" in head or (len(head) <= _NAME and b"\n" not in head)
    return None if may_be_tar and not whole else ""


def _is_tar_header(block: bytes) -> bool:
    told = _IN_OCTAL.match(block[_CHECKSUM])
    if told is None or not block[0]:
        return False
    octets = block[: _CHECKSUM.start] + b" " * 8 + block[_CHECKSUM.stop :]
    signed = sum(octet - 256 if octet > 127 else octet for octet in octets)  # noqa: PLR2004 -- as some old ones do
    return int(told[1], 8) in {sum(octets), signed}
