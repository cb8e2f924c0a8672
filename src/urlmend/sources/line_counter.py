"""Lines of a stream, counted once and where its bytes are read: LF, CRLF and CR end one."""


class LineCounter:
    """Counts the line ends of a stream, forward only.

    `line` is the line, from 1, of the last place that was asked for, and `line_start` the offset where that begins.
    """

    __slots__ = ("_base", "_counted", "_octets", "_returns", "line", "line_start")

    def __init__(self, offset: int = 0, line: int = 1) -> None:
        self.line = line
        self.line_start = offset
        self._counted = offset
        self._base = offset
        self._octets = b""
        self._returns = False

    @property
    def counted(self) -> int:
        """The offset up to which line ends are counted."""
        return self._counted

    def look_at(self, octets: bytes, base: int) -> None:
        """Count in *octets*, which begin at the offset *base* and reach back to what is counted."""
        self._octets = octets
        self._base = base
        self._returns = b"\r" in octets

    def count_to(self, offset: int) -> None:
        """Count the line ends before *offset*; nothing where that is counted already."""
        base = self._base
        start, pos = self._counted - base, offset - base
        if pos <= start:
            return
        octets = self._octets
        if ends := octets.count(10, start, pos):
            self.line += ends
            self.line_start = base + octets.rfind(10, start, pos) + 1
        if self._returns and (ends := octets.count(13, start, pos)):
            # A CRLF is one line end, and one that *offset* cuts in two ends its line behind it.
            cut = octets.startswith(b"\r\n", pos - 1)
            self.line += ends - octets.count(b"\r\n", start, pos) - cut
            self.line_start = max(self.line_start, base + octets.rfind(13, start, pos - cut) + 1)
        # All is counted up to here, or a line full of URLs would be counted again for each.
        self._counted = offset
