"""How the messages of a public-inbox stand behind each other in the file that they are read from."""

from urlmend.sources.origin import SourceError

FRAME = "#! public-inbox "
"""What begins the line before a message: `!` and its commit, behind an epoch's name, its type and its length follow."""


class MissingError(SourceError):
    """Git does not have some of the messages; all others were given out."""
