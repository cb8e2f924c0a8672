"""From candidate to URL: a candidate is joined (`mend`) and judged (`grammar`)."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from urlmend.grammar.parser import accepts, valid_prefix
from urlmend.grammar.unwrap import is_over
from urlmend.match import MAX_READINGS, Break, Reading
from urlmend.mend import hyphens
from urlmend.mend.line_break import AT_HYPHEN, Surroundings, hyphens_throng
from urlmend.mend.quick_verdict import CERTAIN
from urlmend.mend.readings import (
    TORN_SCHEME,
    Torn,
    cut,
    readings,
    unescaped,
    without_inserted,
    without_soft_breaks,
    wrapped,
)
from urlmend.query import Query
from urlmend.record import DECIMALS
from urlmend.scan import ordinary, termination
from urlmend.scan.delimiters import View
from urlmend.text import leaders, schemes
from urlmend.text.limits import LOOKAHEAD, LOOKBACK, MAX_URL_LENGTH
from urlmend.text.line_ends import SOFT_HYPHEN
from urlmend.text.patterns import SCHEME, lazy_regex

HYPHEN_KEPT = 110 / 111
"""The probability that a hyphen at a line end belongs to a URL in brackets: of 109 that real text decides, all do."""

HYPHEN_DROPPED = 239 / 242
"""The probability that a dropped hyphen is not the URL's: of 240 that an earlier rule dropped, 238 were not."""

# Quoted-printable (RFC 2045 section 6.7) in text that was not decoded.
_ESCAPED_OCTET = lazy_regex("=([2-7][0-9A-F])")
_AT = lazy_regex(schemes.HIDDEN_AT)
# In Texinfo, where a line may be broken, and before an "@" of the URL.
_TEXINFO = lazy_regex("(@?[^@]*+(?:@(?![/@])[^@]*+)*+)(?:(?:@/)++(?:@(?=@))?|@(?=@))?")
_TO_MEND = lazy_regex(rf"[\s\\{SOFT_HYPHEN}]|\*\*|@[@/]")
"""What a URL without brackets has in it if its scheme is torn, its `@` hidden or something inserted."""
_SCHEME_ALONE = lazy_regex(r"(?!file:///)[^:]*:/*[=\\]?")


@dataclass(slots=True, eq=False)
class Candidate:
    """A part of the text that may be a URL, decoded.

    It is `raw`, which starts at `at` in the view. `form` is as in `URLMatch`. `trimmed` was cut from the tail of one
    without brackets. `too_long` marks one longer than MAX_URL_LENGTH, or a wrapper longer than MAX_WRAPPER_SPAN. If it
    may go on in the next line, `stop` is where it stops in the view. Otherwise `stop` is 0, and `sure` is the
    probability that it ends where it does. If it is `accepted`, it is known to be a URL as it stands.
    """

    form: str
    raw: str
    trimmed: str
    too_long: bool
    view: View
    at: int
    stop: int
    sure: float
    accepted: bool = False

    @property
    def in_brackets(self) -> bool:
        """Whether brackets show where it ends."""
        return self.form in ("wrapper", "angle")

    @property
    def implied(self) -> str:
        """The scheme that it is written without."""
        return schemes.IMPLIED.get(self.form, "")

    @property
    def before(self) -> str:
        """The text before it, up to LOOKBACK characters."""
        return self.view.decoded(self.view.text[max(0, self.at - LOOKBACK) : self.at])

    @property
    def after(self) -> str:
        """The text after it: up to LOOKAHEAD characters if it may go on in the next line, otherwise up to LOOKBACK.

        The scanner waits until so much is there, unless the text ends.
        """
        start, size = (self.stop, LOOKAHEAD) if self.stop else (self.at + len(self.view.encoded(self.raw)), LOOKBACK)
        return self.view.decoded(self.view.text[start : start + size])

    @property
    def leader(self) -> leaders.Leader:
        """The leader of the line in which it starts."""
        return self.view.leader(self.at)


class Resolved(NamedTuple):
    """A candidate that is a URL. `raw` and `trimmed` are slices of the view; the rest is as in `URLMatch`."""

    form: str
    raw: str
    trimmed: str
    confidence: float
    url: str
    readings: tuple[str, ...]
    breaks: tuple[Break, ...]
    undecided: tuple[Reading, ...]


class Resolver:
    """Joins and judges candidates."""

    def __init__(self, query: Query) -> None:
        self._query, self._profile, self._join = query, query.profile, query.join
        self._ascii_only = "ucschar" not in query.profile.rules

    def resolve(self, candidate: Candidate) -> Resolved | str | None:
        """Return the URL that *candidate* is, or the text that is refused; `None` if it does not claim to be one."""
        raw = candidate.implied + candidate.raw
        if candidate.form == "schemeless" and raw.count("#") > 1:
            # UTS #58 allows one in a fragment; RFC 3986 wants it escaped.
            raw = raw[: raw.index("#") + 1] + raw[raw.index("#") + 1 :].replace("#", "%23")
        if candidate.too_long:
            return raw
        if candidate.in_brackets:
            return self._wrapped(candidate, raw)
        return self._at_line_end(candidate, raw) if candidate.stop else self._bare(candidate, raw)

    def _accepts(self, text: str) -> bool:
        return accepts(text, self._profile)

    def _wrapped(self, candidate: Candidate, raw: str) -> Resolved | str:
        torn = wrapped(raw, candidate.leader)
        if torn.spans in ((), ((0, len(raw)),)) and len(raw) <= MAX_URL_LENGTH:
            return self._unbroken(candidate, raw)
        address, *rest = raw.split(maxsplit=1)
        if rest and is_over(address, rest[0]) and self._accepts(address):
            return self._beginning(candidate, address)
        if self._join == "none" and torn.gaps:
            return raw
        softened, most = torn, MAX_READINGS
        has_hyphen = AT_HYPHEN.search(raw) is not None
        if has_hyphen or "=" in raw:
            before, after = candidate.before, candidate.after
            softened = without_soft_breaks(torn, before, after) if "=" in raw else torn
            most = 1 if has_hyphen and hyphens_throng(before, after) else MAX_READINGS
        # In ";type=" the "=" is the URL's.
        valid = self._valid(softened, most) or self._valid(torn, most)
        if not valid:
            return "".join(torn.parts)
        texts = [text for text, _ in valid]
        return self._resolved(candidate, candidate.raw, self._settled(candidate, valid), texts)

    def _valid(self, torn: Torn, most: int) -> list[Reading]:
        """Return the readings of *torn*, at most *most*, that are URLs, the likelier first."""
        return [
            reading
            for reading in readings(torn, most)
            if len(reading.text) <= MAX_URL_LENGTH and self._accepts(reading.text)
        ]

    def _bare(self, candidate: Candidate, raw: str) -> Resolved | str | None:
        if candidate.accepted:
            return self._resolved(candidate, candidate.raw, [Reading(raw)])
        # A scheme alone does not claim to be a URL.
        if raw[-1] in ":/" and _SCHEME_ALONE.fullmatch(raw):
            return None
        if self._join == "evident" and _TO_MEND.search(raw):
            if _AT.search(raw):
                return self._wrapped(candidate, raw)
            torn = Torn(raw, ((0, len(raw)),))
            if begun := TORN_SCHEME.match(raw):
                candidate.sure *= CERTAIN
                torn = Torn(raw, (begun.span(1), (begun.end(), len(raw))))
            if candidate.view.in_texinfo(candidate.at) and not raw.endswith("@/"):
                torn = cut(*torn, _TEXINFO)
            torn = without_inserted(torn)
            if torn.parts != [raw]:
                return self._without_inserted(candidate, torn)
        return self._unbroken(candidate, raw)

    def _without_inserted(self, candidate: Candidate, torn: Torn) -> Resolved | str | None:
        """Return the URL *torn* by soft hyphens and escapes, its text if that is refused, `None` if it ends early."""
        text = "".join(torn.parts)
        colon = text.index(":")
        if not ordinary.kind(text, (colon, colon), self._query) or self._end(text, candidate) < len(text):
            return None
        return self._resolved(candidate, candidate.raw, list(readings(torn))) if self._accepts(text) else text

    def _unbroken(self, candidate: Candidate, raw: str) -> Resolved | str:
        """Return the URL of *candidate*, which has no breaks."""
        if self._accepts(raw):
            return self._resolved(candidate, candidate.raw, [Reading(raw)])
        url = self._without_glued(raw, in_brackets=candidate.in_brackets)
        return raw if url is None else self._beginning(candidate, url)

    def _beginning(self, candidate: Candidate, url: str) -> Resolved:
        """Return *url*, with which the text of *candidate* begins."""
        part = url[len(candidate.implied) :]
        candidate.trimmed = candidate.raw[len(part) :] + candidate.trimmed
        return self._resolved(candidate, part, [Reading(url)])

    def _without_glued(self, text: str, *, in_brackets: bool) -> str | None:
        """Return the URL at the start of *text* if mark-up or the like is glued to its end; otherwise `None`."""
        glued = _QUOTE if in_brackets else _GLUED
        if len(text) > _LONGEST_GLUED or not glued.search(text):
            return None
        end = valid_prefix(text, self._profile)
        url = text[:end].rstrip(".,;:!?*'")
        return url if glued.match(text, end) and _HAS_AUTHORITY.match(url) and accepts(url, self._profile) else None

    def _at_line_end(self, candidate: Candidate, raw: str) -> Resolved | str | None:
        """Join a bare URL at a line end for as long as it goes on, and return the result."""
        run, before, after = candidate.raw + candidate.trimmed, candidate.before, candidate.after
        # A URL that goes on to the end of the text that is seen would be cut short.
        limit = len(after) - (len(candidate.view.text) >= candidate.stop + LOOKAHEAD)
        from urlmend.mend.joining import join_bare  # noqa: PLC0415 -- loads the model, which short texts do not need

        joining = join_bare(Surroundings(before, run, after, candidate.leader, candidate.implied))
        candidate.sure = joining.confidence
        found = None
        if 0 < joining.reach <= limit:
            found = self._joined(candidate, joining.torn, run + after[: joining.reach])
        first = joining.torn.parts[0]
        ends_early = found is None and ":" in first and len(first) < len(raw)
        if ends_early and self._accepts(url := first[: self._end(first, candidate)]):
            return self._beginning(candidate, url)
        if found is None and raw[-1] == "-" == raw[self._end(raw, candidate) :]:
            # Only a host that goes on ends in a hyphen.
            raw, candidate.raw, candidate.trimmed = raw[:-1], candidate.raw[:-1], f"-{candidate.trimmed}"
        resolved = found or self._bare(candidate, raw)
        if isinstance(resolved, Resolved) and joining.doubtful and joining.doubtful[1] <= limit:
            longer = [text for text, _ in self._readings(candidate, joining.doubtful[0])]
            return resolved._replace(readings=tuple(dict.fromkeys((*resolved.readings, *longer))))
        return resolved

    def _joined(self, candidate: Candidate, torn: Torn, joined: str) -> Resolved | None:
        """Return the URL that the bare URL *torn* is, whose text is *joined*, `None` if it is not one."""
        valid = self._readings(candidate, torn)
        if not valid:
            return None
        url, breaks = valid[0]
        size = len(url) + sum([len(item.removed) for item in breaks]) - len(candidate.implied)
        texts = [reading.text for reading in valid]
        unjoined = candidate.implied + unescaped(candidate.raw)
        if candidate.accepted or self._accepts(unjoined):
            texts.append(unjoined)
        candidate.trimmed = joined[size:]
        return self._resolved(candidate, joined[:size], self._settled(candidate, valid), texts)

    def _settled(self, candidate: Candidate, valid: list[Reading]) -> list[Reading]:
        """Return the *valid* readings that the text nearby does not decide between, the likelier first."""
        if len(valid) == 1:
            return valid
        before, after = candidate.before, candidate.after
        settled = hyphens.settled(valid, f"{before}\n{after}")
        if len(settled) > 1:
            in_brackets = candidate.in_brackets
            settled = hyphens.likeliest_first(settled, candidate.raw, before, after, in_brackets=in_brackets)
            # The evidence for the join of a bare URL includes a hyphen that is kept.
            dropped = len(hyphens.dropped(settled[0]))
            kept = sum([item.hyphen for item in settled[0].breaks]) - dropped
            candidate.sure *= HYPHEN_DROPPED**dropped * (HYPHEN_KEPT**kept if in_brackets else 1.0)
        return settled

    def _readings(self, candidate: Candidate, torn: Torn) -> list[Reading]:
        """Return the readings of the bare URL *torn* that are URLs."""
        tail = last = len(unescaped(torn.parts[-1]))
        valid = []
        for text, breaks in readings(without_inserted(torn)):
            # The last part is the same in all readings: where one ends in it, all do.
            tail = len(text) - self._end(text, candidate) if tail >= last else tail
            end = len(text) - tail
            if tail < last and self._accepts(text[:end]):
                valid.append(Reading(text[:end], tuple([item for item in breaks if item.at < end])))
        return valid

    def _end(self, text: str, candidate: Candidate) -> int:
        """Return where *text*, a reading of *candidate*, ends as a bare URL."""
        before = candidate.view.before(candidate.at)
        return termination.end_of(text, text.index(":"), before, ascii_only=self._ascii_only)[0]

    def _resolved(self, candidate: Candidate, part: str, valid: list[Reading], texts: Iterable[str] = ()) -> Resolved:
        """Return the URL of *candidate*, a *part* of the view, with its *valid* readings and the *texts* of more."""
        view, form, trimmed = candidate.view, candidate.form, candidate.view.encoded(candidate.trimmed)
        if view.binary and not part.isascii():
            part = view.encoded(part)
            valid = [_with_shown_breaks(reading, view) for reading in valid]
        url, breaks = valid[0]
        readings = tuple(dict.fromkeys((url, *texts))) if texts else (url,)
        if "=3D" in url:
            readings = self._with_unescaped(readings)
        undecided = tuple(valid) if len(valid) > 1 else ()
        if view.step:
            end = candidate.at + len(part)
            form, part, trimmed = "defanged", view.written(candidate.at, end), view.written(end, end + len(trimmed))
        return Resolved(form, part, trimmed, round(candidate.sure, DECIMALS), url, readings, breaks, undecided)

    def _with_unescaped(self, texts: tuple[str, ...]) -> tuple[str, ...]:
        """Return *texts* and one more: the first, with its remains of quoted-printable decoded."""
        unescaped = _ESCAPED_OCTET.sub(lambda match: chr(int(match[1], 16)), texts[0])
        return (*texts, unescaped) if unescaped not in texts and accepts(unescaped, self._profile) else texts


_LONGEST_GLUED = 2048
# Mark-up, remains of quoted-printable, and quotes and brackets without a twin. Each branch begins with one character:
# `re` then searches for these first.
_GLUED = lazy_regex(
    r"""\{[^{}\s]*\}|\.\.\.|==|=[0-9A-F]{2}(?![A-Za-z0-9])|%\Z|\$|"|'|\((?![^()\[\]]*[)\]])|\[(?![^()\[\]]*[)\]])"""
)
_QUOTE = lazy_regex("[\"'`]")
# Only `scan.authority` knows what may be glued to an authority.
_HAS_AUTHORITY = lazy_regex(rf"{SCHEME}:(?://[^/?#]*[/?#]|(?!//))")


def _with_shown_breaks(reading: Reading, view: View) -> Reading:
    breaks = [item._replace(removed=view.shown(view.encoded(item.removed))) for item in reading.breaks]
    return Reading(reading.text, tuple(breaks))
