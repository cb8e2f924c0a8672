"""What a harvest tells while it is at work."""


class Listener:
    """Is told by a harvest what it does, and does nothing with it."""

    def failed(self, name: str, why: str, /) -> None:
        """Take note that the file or directory called *name* could not be read, and why."""

    def passed_over(self, name: str, why: str, /) -> None:
        """Take note that the file called *name* is not read, and why; that is no failure."""

    def found(self, name: str, what: str, /) -> None:
        """Take note of *what* (`harvest.TALLY`) the file called *name* is; it is read now."""

    def advance(self, size: int, /) -> None:
        """Take note that *size* more bytes are read."""

    def pass_over(self, size: int, /) -> None:
        """Take note that *size* bytes are done without being read."""

    def note_urls(self, count: int, /) -> None:
        """Take note of *count* more URLs."""
