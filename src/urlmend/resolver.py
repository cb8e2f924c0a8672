"""From candidate to match: a candidate is joined (`mend`), judged (`grammar`), and given out or rejected."""

import re
from collections.abc import Callable, Iterable

from urlmend.grammar.parser import accepts
from urlmend.match import Break, Reading, Rejected, URLMatch
from urlmend.mend import continuation, nearby, readings
from urlmend.mend.joining import join_bare
from urlmend.mend.readings import Fragments
from urlmend.query import Query
from urlmend.scan import termination, triggers
from urlmend.scan.candidate import Candidate
from urlmend.scan.glued import without_glued
from urlmend.scan.view import as_view, decoded
from urlmend.sources import Origin
from urlmend.text import defanged, schemes
from urlmend.text.limits import LOOKAHEAD, MAX_URL_LENGTH, MOST_LEFT
from urlmend.text.line_ends import SOFT_HYPHEN, end_of_line

HYPHEN_KEPT = 110 / 111
"""How likely a hyphen at a line's end belongs to a URL in brackets: of 109 that the stream decides, all 109 do."""

# Quoted-printable (RFC 2045 section 6.7), in text that was not decoded.
_ESCAPED_OCTET = re.compile("=([2-7][0-9A-F])")
_AT = re.compile(schemes.HIDDEN_AT)
_SCHEME_ALONE = re.compile("[^:]*:/*")


class Resolver:
    """Joins and judges the candidates of a text from *origin*; *rejected* is called with each that is not a URL.

    *binary* says that the text's view has one character a byte.
    """

    def __init__(
        self, query: Query, origin: Origin, rejected: Callable[[Rejected], object] | None, *, binary: bool
    ) -> None:
        self._profile, self._join, self._refang = query.profile, query.join, query.refang
        self._rejected = rejected
        self._ascii_only = "ucschar" not in query.profile.rules
        self.origin = origin
        self._binary = binary

    def match(self, candidate: Candidate) -> URLMatch | None:
        """Return the match of *candidate*; `None` where it is no URL."""
        raw = candidate.implied + self._shown(candidate.raw)
        if candidate.form == "schemeless" and raw.count("#") > 1:
            # UTS #58 has one in a fragment; RFC 3986 has it escaped.
            raw = raw[: raw.index("#") + 1] + raw[raw.index("#") + 1 :].replace("#", "%23")
        if candidate.too_long:
            self._reject(candidate, raw)
            return None
        if candidate.form in ("wrapper", "angle"):
            return self._wrapped(candidate, raw)
        if not candidate.stop or self._join != "evident" or _ends_here(candidate):
            return self._bare(candidate, raw)
        return self._at_line_end(candidate, raw)

    def _accepts(self, text: str) -> bool:
        meant = self._refanged(text)
        return meant is not None and accepts(meant, self._profile)

    def _refanged(self, text: str) -> str | None:
        """Return what *text* means if it is defanged; `None` for such a text where nobody asked for them."""
        found = defanged.changes(text)
        if not found:
            return text
        return defanged.refanged(text, found) if self._refang else None

    def _wrapped(self, candidate: Candidate, raw: str) -> URLMatch | None:
        if readings.VISIBLE.fullmatch(raw) and len(raw) <= MAX_URL_LENGTH:
            return self._whole(candidate, raw)
        fragments = readings.wrapped(raw, candidate.leader)
        if self._join == "none" and fragments.gaps:
            self._reject(candidate, raw)
            return None
        softened = fragments
        if "=" in raw:
            before, after = self._shown(candidate.before), self._shown(candidate.behind)
            softened = readings.without_soft_breaks(fragments, before, after)
        # In ";type=" the "=" is the URL's.
        valid = self._valid(softened) or self._valid(fragments)
        if not valid:
            self._reject(candidate, "".join(fragments.parts))
            return None
        texts = dict.fromkeys(reading.text for reading in valid)
        decided = self._decided(candidate, valid, candidate.behind)
        match = self._mended(candidate, candidate.raw, decided, texts)
        if match.undecided:
            match.confidence = HYPHEN_KEPT ** sum(item.hyphen for item in match.breaks)
        return match

    def _valid(self, fragments: readings.Fragments) -> list[Reading]:
        """Return the readings of *fragments*, the likelier first, that are URLs."""
        return [
            reading
            for reading in readings.readings(fragments)
            if len(reading.text) <= MAX_URL_LENGTH and self._accepts(reading.text)
        ]

    def _bare(self, candidate: Candidate, raw: str) -> URLMatch | None:
        # A scheme with nothing behind it claims to be no URL.
        if _SCHEME_ALONE.fullmatch(raw):
            return None
        if self._join == "evident" and _AT.search(raw):
            return self._wrapped(candidate, raw)
        if self._join == "evident" and SOFT_HYPHEN in raw:
            return self._with_soft_hyphens(candidate, raw)
        return self._whole(candidate, raw)

    def _with_soft_hyphens(self, candidate: Candidate, raw: str) -> URLMatch | None:
        reading = self._without_soft_hyphens(raw, candidate.before[-1:])
        if reading is None:
            return None
        if not self._accepts(reading.text):
            self._reject(candidate, reading.text)
            return None
        return self._mended(candidate, candidate.raw, [reading], (reading.text,))

    def _whole(self, candidate: Candidate, raw: str) -> URLMatch | None:
        """Return the match of *candidate*, which stands in one piece, *raw*."""
        if self._accepts(raw):
            return self._mended(candidate, candidate.raw, [Reading(raw, ())], (raw,))
        meant = self._refanged(raw)
        quotes_only = candidate.form in ("wrapper", "angle")
        url = None if meant is None else without_glued(meant, self._profile, quotes_only=quotes_only)
        if meant is None or url is None:
            self._reject(candidate, raw)
            return None
        url = raw[: len(raw) - (len(meant) - len(url))]
        view = self._view(url[len(candidate.implied) :])
        candidate.trimmed = candidate.raw[len(view) :] + candidate.trimmed
        return self._mended(candidate, view, [Reading(url, ())], (url,))

    def _at_line_end(self, candidate: Candidate, raw: str) -> URLMatch | None:
        """Return the match of a bare URL that may go on in the next lines."""
        # Evidence is of characters: a byte of one may look like a letter or a blank.
        run, before, after = map(self._decoded, (candidate.raw + candidate.trimmed, candidate.before, candidate.after))
        joining = join_bare(run, before, after, candidate.leader, candidate.implied)
        match = self._joined(candidate, joining.fragments, run + after[: joining.reach]) if joining.reach else None
        match = match or self._bare(candidate, raw)
        if match is None:
            return None
        match.confidence = joining.confidence
        if joining.doubtful:
            fragments, reach = joining.doubtful
            others = [
                _refanged(reading).text for reading, _ in self._readings(candidate, fragments, run + after[:reach])
            ]
            match.readings = tuple(dict.fromkeys((*match.readings, *others)))
        return match

    def _joined(self, candidate: Candidate, fragments: Fragments, joined: str) -> URLMatch | None:
        """Return the match of a bare URL in *fragments*, which stands as *joined*; `None` where it is no URL."""
        valid = self._readings(candidate, fragments, joined)
        if not valid:
            return None
        size = valid[0][1]
        texts = [reading.text for reading, _ in valid]
        unjoined = candidate.implied + self._shown(candidate.raw).replace(SOFT_HYPHEN, "")
        if self._accepts(unjoined):
            texts.append(unjoined)
        candidate.trimmed = self._view(joined[size:])
        decided = self._decided(candidate, [reading for reading, _ in valid], candidate.after)
        return self._mended(candidate, self._view(joined[:size]), decided, dict.fromkeys(texts))

    def _decided(self, candidate: Candidate, valid: list[Reading], behind: str) -> list[Reading]:
        """Return those of the *valid* readings that nearby text, *behind* included, does not decide between."""
        if len(valid) == 1:
            return valid
        return nearby.settled(valid, f"{self._decoded(candidate.before)}\n{self._decoded(behind)}", self._profile)

    def _readings(self, candidate: Candidate, fragments: Fragments, joined: str) -> list[tuple[Reading, int]]:
        """Return the readings of a bare URL in *fragments* that are URLs, each with how much of *joined* it takes."""
        # What goes on where nothing more is seen would be cut short.
        if len(candidate.after) == LOOKAHEAD and joined.endswith(self._decoded(candidate.after)):
            return []
        last = len(fragments.parts[-1].replace(SOFT_HYPHEN, ""))
        valid = []
        for reading in readings.readings(readings.without_soft_hyphens(fragments)):
            cut = self._cut(reading, candidate.before[-1:])
            if len(reading.text) - cut < last and self._accepts(reading.text[:cut]):
                breaks = tuple(item for item in reading.breaks if item.at < cut)
                size = cut + sum(len(item.removed) for item in breaks) - len(candidate.implied)
                if not joined.isascii():
                    breaks = self._shown_breaks(breaks)
                valid.append((Reading(reading.text[:cut], breaks), size))
        return valid

    def _without_soft_hyphens(self, raw: str, before: str) -> Reading | None:
        """Return *raw*, a bare URL, without its soft hyphens; `None` where without them it would not be found."""
        reading = next(readings.readings(readings.without_soft_hyphens(readings.Fragments((raw,), ()))))
        shape = triggers.trigger().match(reading.text, reading.text.index(":"), len(reading.text))
        return reading if shape and self._cut(reading, before) == len(reading.text) else None

    def _cut(self, reading: Reading, before: str) -> int:
        text = reading.text
        place = termination.Place(0, text.index(":"), before, self._ascii_only)
        return termination.extent(text, place, len(text)).end

    def _mended(self, candidate: Candidate, view: str, valid: list[Reading], texts: Iterable[str]) -> URLMatch:
        """Return the match of *candidate*, the stretch *view*, with its *valid* readings and all their *texts*."""
        url, breaks = valid[0]
        texts = dict.fromkeys((url, *texts))
        form = candidate.form
        if self._refang and defanged.changes(url):
            form = "defanged"
            valid = [_refanged(reading) for reading in valid]
            texts = dict.fromkeys(_refanged(Reading(text)).text for text in texts)
            url, breaks = valid[0]
        return URLMatch(
            url=url,
            start=candidate.start,
            end=candidate.start + len(view),
            raw=self._shown(view),
            line=candidate.line,
            column=candidate.column,
            form=form,
            readings=self._with_decoded(tuple(texts)),
            breaks=breaks,
            trimmed=self._shown(candidate.trimmed),
            profile=self._profile,
            origin=self.origin,
            undecided=tuple(valid) if len(valid) > 1 else (),
            left=candidate.left[:MOST_LEFT],
            right=self._right(candidate, len(view)) if breaks else "",
        )

    def _right(self, candidate: Candidate, size: int) -> str:
        """Return what stands on the right of a mended URL in its last line."""
        start = candidate.at + size
        end, _ = end_of_line(candidate.view[start : start + MOST_LEFT], 0)
        return self._shown(candidate.view[start : start + end])

    def _with_decoded(self, texts: tuple[str, ...]) -> tuple[str, ...]:
        """Return *texts*, with the decoded form as another reading where the first has remains of quoted-printable."""
        if "=3D" in texts[0]:
            mended = _ESCAPED_OCTET.sub(lambda match: chr(int(match[1], 16)), texts[0])
            if mended not in texts and accepts(mended, self._profile):
                return (*texts, mended)
        return texts

    def _reject(self, candidate: Candidate, text: str) -> None:
        """Tell of *candidate*, which is no URL as *text*, where somebody asks for such."""
        if self._rejected is not None:
            end = candidate.start + len(candidate.raw)
            place = (candidate.start, end, candidate.line, candidate.column)
            raw = self._shown(candidate.raw)
            meant = self._refanged(text)
            form = candidate.form if meant in (None, text) else "defanged"
            self._rejected(Rejected(meant or text, raw, *place, form, self._profile, self.origin))

    def _shown_breaks(self, breaks: tuple[Break, ...]) -> tuple[Break, ...]:
        return tuple(item._replace(removed=self._shown(self._view(item.removed))) for item in breaks)

    def _shown(self, view: str) -> str:
        """Return a stretch of the scanner's view, which for a binary stream has one character a byte, as text."""
        if not self._binary or view.isascii():
            return view
        return view.encode("latin-1").decode(errors="replace")

    def _decoded(self, view: str) -> str:
        """Return a stretch of the view as text of which `_view` makes the same stretch again."""
        return decoded(view) if self._binary else view

    def _view(self, text: str) -> str:
        return as_view(text) if self._binary else text


def _refanged(reading: Reading) -> Reading:
    found = defanged.changes(reading.text)
    breaks = tuple(item._replace(at=defanged.moved(item.at, found)) for item in reading.breaks)
    return Reading(defanged.refanged(reading.text, found), breaks)


def _ends_here(candidate: Candidate) -> bool:
    width = candidate.column - 1 + candidate.stop - candidate.at
    return continuation.ends_here(candidate.view, candidate.stop, candidate.stop + LOOKAHEAD, width)
