"""What the scanner finds: a stretch of text that may be a URL, with its place."""

from dataclasses import dataclass

from urlmend.text import leaders
from urlmend.text.limits import LOOKAHEAD, LOOKBACK
from urlmend.text.schemes import IMPLIED


@dataclass(slots=True, eq=False)
class Candidate:
    """A stretch of text that may be a URL.

    `raw` is the stretch as it stands (for binary input one character a byte), `start` its offset in the stream;
    `form` is `wrapper`, `angle`, `prefix`, `bare`, `schemeless` or `address`. `left` is the text on its left in its
    line, if that line starts within LOOKBACK characters. `trimmed` is what was cut from a bare one's tail. `too_long`
    marks one that passed MAX_URL_LENGTH, or as a wrapper MAX_WRAPPER_SPAN. It starts `at` in the scanner's `view`; a
    bare one that touches the end of its line stops at `stop` there, others have 0.
    """

    form: str
    raw: str
    start: int
    line: int
    column: int
    left: str
    trimmed: str
    too_long: bool = False
    view: str = ""
    at: int = 0
    stop: int = 0

    @property
    def implied(self) -> str:
        """The scheme that one has that stands without."""
        return IMPLIED.get(self.form, "")

    @property
    def before(self) -> str:
        """The text on its left, up to LOOKBACK characters."""
        return self.view[max(0, self.at - LOOKBACK) : self.at]

    @property
    def behind(self) -> str:
        """The text after one in brackets, up to LOOKBACK characters: so many are there once its end is certain."""
        end = self.at + len(self.raw)
        return self.view[end : end + LOOKBACK]

    @property
    def after(self) -> str:
        """The text after a bare one that touches the end of its line, up to LOOKAHEAD characters."""
        return self.view[self.stop : self.stop + LOOKAHEAD] if self.stop else ""

    @property
    def leader(self) -> tuple[leaders.Mark, ...]:
        """The leader of the line that the candidate starts in."""
        return leaders.leader(self.left + self.raw[:1])
