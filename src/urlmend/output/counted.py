"""Which URL a match counts for: the one it is, or the one it wraps; as it stands, or in its normal form."""

from typing import TYPE_CHECKING, NamedTuple

from urlmend.grammar.normalize import normal_form
from urlmend.grammar.parser import parsed
from urlmend.grammar.profiles import WEB

if TYPE_CHECKING:
    from urlmend.grammar.urls import URL
    from urlmend.match import URLMatch


class Counted(NamedTuple):
    """What is asked of URLs that are told apart: to *unwrap* them, and to *normalize* them."""

    unwrap: bool = False
    normalize: bool = False

    def text(self, match: "URLMatch") -> str:
        """Return the URL that is printed for *match*."""
        return (match.target if self.unwrap else None) or match.url

    def url(self, match: "URLMatch") -> "URL":
        """Return the URL that *match* counts for."""
        text = self.text(match)
        profile = match.profile if text == match.url else WEB
        url = parsed(text, profile)
        return normal_form(url, profile) if self.normalize else url

    def key(self, match: "URLMatch") -> str:
        """Return what is the same for all matches that count as one."""
        return self.url(match).text if self.normalize else self.text(match)


AS_IT_IS = Counted()
"""A match counts for the URL that it is."""
