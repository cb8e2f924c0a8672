"""From candidate to URL: a candidate is joined (`mend`) and judged (`grammar`)."""

from collections.abc import Iterable

from urlmend.grammar.parser import accepts, valid_prefix
from urlmend.grammar.unwrap import is_over
from urlmend.match import MAX_READINGS, Reading
from urlmend.mend import hyphens
from urlmend.mend.line_break import AT_HYPHEN, Surroundings, hyphens_throng
from urlmend.mend.quick_verdict import CERTAIN
from urlmend.mend.readings import (
    MAY_BE_TORN,
    TORN_SCHEME,
    Torn,
    readings,
    unescaped,
    without_inserted,
    without_soft_breaks,
    wrapped,
)
from urlmend.query import Query
from urlmend.record import DECIMALS
from urlmend.scan import ordinary, termination
from urlmend.scan.delimiters import Candidate, View, ends_line
from urlmend.text import schemes
from urlmend.text.limits import LOOKAHEAD
from urlmend.text.line_ends import SOFT_HYPHEN
from urlmend.text.patterns import SCHEME, lazy_regex

HYPHEN_KEPT = 110 / 111
"""The probability that a hyphen at a line end belongs to a URL in brackets: of 109 that real text decides, all do."""

HYPHEN_DROPPED = 239 / 242
"""The probability that a dropped hyphen is not the URL's: of 240 that an earlier rule dropped, 238 were not."""

# Quoted-printable (RFC 2045 section 6.7) in text that was not decoded.
_ESCAPED_OCTET = lazy_regex("=([2-7][0-9A-F])")
_AT = lazy_regex(schemes.HIDDEN_AT)
_TO_MEND = lazy_regex(rf"[\s\\{SOFT_HYPHEN}]|\*\*")
"""What a URL without brackets has in it if its scheme is torn, its `@` hidden or something inserted."""
_SCHEME_ALONE = lazy_regex(r"(?!file:///)[^:]*:/*[=\\]?")


class Resolver:
    """Joins and judges candidates."""

    def __init__(self, query: Query) -> None:
        self._query, self._profile, self._join = query, query.profile, query.join

    def resolve(self, candidate: Candidate) -> bool:
        """Return whether *candidate* is a URL, and fill in the rest; `raw` and `trimmed` are then as in its view."""
        raw = candidate.raw
        if candidate.form in schemes.IMPLIED:
            # UTS #58 allows a second "#" in a fragment; RFC 3986 wants it escaped.
            begun, sign, fragment = f"{candidate.implied}{raw}".partition("#")
            raw = f"{begun}{sign}{fragment.replace('#', '%23')}"
        if candidate.too_long:
            return candidate.refuse(raw)
        if candidate.in_brackets:
            return self._wrapped(candidate, raw)
        return self._at_line_end(candidate, raw) if candidate.stop else self._bare(candidate, raw)

    def _wrapped(self, candidate: Candidate, raw: str) -> bool:
        if not MAY_BE_TORN.search(raw):
            return self._unbroken(candidate, raw)
        torn = wrapped(raw, candidate.leader)
        if torn.spans in ((), ((0, len(raw)),)):
            return self._unbroken(candidate, raw)
        address, *rest = raw.split(maxsplit=1)
        if rest and is_over(address, rest[0]) and accepts(address, self._profile):
            return self._beginning(candidate, address)
        if self._join == "none" and torn.gaps:
            return candidate.refuse(raw)
        softened = without_soft_breaks(torn, candidate.before, candidate.after) if "=" in raw else torn
        keeps_hyphens = AT_HYPHEN.search(raw) and hyphens_throng(candidate.before, candidate.after)
        most = 1 if keeps_hyphens else MAX_READINGS
        # In ";type=" the "=" is the URL's.
        valid = self._valid(softened, most) or self._valid(torn, most)
        if not valid:
            return candidate.refuse("".join(torn.parts))
        return self._mended(candidate, self._settled(candidate, valid), [text for text, _ in valid])

    def _valid(self, torn: Torn, most: int) -> list[Reading]:
        """Return the readings of *torn*, at most *most*, that are URLs, the likelier first."""
        return [reading for reading in readings(torn, most) if accepts(reading.text, self._profile)]

    def _bare(self, candidate: Candidate, raw: str) -> bool:
        if candidate.accepted:
            return self._found(candidate, raw)
        # A scheme alone does not claim to be a URL.
        if raw[-1] in ":/" and _SCHEME_ALONE.fullmatch(raw):
            return False
        if self._join == "evident" and _TO_MEND.search(raw):
            if _AT.search(raw):
                return self._wrapped(candidate, raw)
            torn = Torn(raw, ((0, len(raw)),))
            if begun := TORN_SCHEME.match(raw):
                candidate.sure *= CERTAIN
                torn = Torn(raw, (begun.span(1), (begun.end(), len(raw))))
            torn = without_inserted(torn)
            if torn.spans != ((0, len(raw)),):
                return self._without_inserted(candidate, torn)
        return self._unbroken(candidate, raw)

    def _without_inserted(self, candidate: Candidate, torn: Torn) -> bool:
        """Resolve the URL *torn* by soft hyphens and escapes; one that ends early does not claim to be a URL."""
        text = "".join(torn.parts)
        colon = text.index(":")
        if not ordinary.kind(text, colon, self._query) or self._end(text, candidate) < len(text):
            return False
        return self._mended(candidate, list(readings(torn))) if accepts(text, self._profile) else candidate.refuse(text)

    def _unbroken(self, candidate: Candidate, raw: str) -> bool:
        """Resolve *candidate*, which has no breaks."""
        at_end = raw.endswith("-") and not candidate.in_brackets and ends_line(candidate.view.text, candidate.resume)
        if at_end and _HOST_THEN_HYPHEN.fullmatch(raw) and accepts(raw[:-1], self._profile):
            return self._beginning(candidate, raw[:-1])
        if accepts(raw, self._profile):
            return self._found(candidate, raw)
        url = self._without_glued(raw, in_brackets=candidate.in_brackets)
        return candidate.refuse(raw) if url is None else self._beginning(candidate, url)

    def _beginning(self, candidate: Candidate, url: str) -> bool:
        """Resolve *candidate*, whose text begins with *url*."""
        candidate.cut(len(candidate.implied + candidate.raw) - len(url))
        return self._found(candidate, url)

    def _without_glued(self, text: str, *, in_brackets: bool) -> str | None:
        """Return the URL at the start of *text* if mark-up or the like is glued to its end; otherwise `None`."""
        glued = _QUOTE if in_brackets else _GLUED
        if len(text) > _LONGEST_GLUED or not glued.search(text):
            return None
        end = valid_prefix(text, self._profile)
        url = text[:end].rstrip(".,;:!?*'")
        return url if glued.match(text, end) and _HAS_AUTHORITY.match(url) and accepts(url, self._profile) else None

    def _at_line_end(self, candidate: Candidate, raw: str) -> bool:
        """Resolve a bare URL at a line end, joined for as long as it goes on."""
        run, before, after = candidate.raw + candidate.trimmed, candidate.before, candidate.after
        # A URL that goes on to the end of the text that is seen would be cut short.
        limit = len(after) - (len(candidate.view.text) >= candidate.stop + LOOKAHEAD)
        from urlmend.mend.joining import join_bare  # noqa: PLC0415 -- loads the model, which short texts do not need

        joining = join_bare(Surroundings(before, run, after, candidate.leader, candidate.implied))
        candidate.sure = joining.confidence
        found = 0 < joining.reach <= limit and self._joined(candidate, joining.torn, run + after[: joining.reach])
        first = joining.torn.parts[0]
        ends_early = not found and ":" in first and len(first) < len(raw)
        if ends_early and accepts(url := first[: self._end(first, candidate)], self._profile):
            return self._beginning(candidate, url)
        if not found and not self._bare(candidate, raw):
            return False
        if joining.doubtful and joining.doubtful[1] <= limit:
            longer = [text for text, _ in self._readings(candidate, joining.doubtful[0])]
            candidate.readings = tuple(dict.fromkeys((*candidate.readings, *longer)))
        return True

    def _joined(self, candidate: Candidate, torn: Torn, joined: str) -> bool:
        """Return whether the bare URL *torn*, whose text is *joined*, is a URL, and resolve *candidate* if it is."""
        valid = self._readings(candidate, torn)
        if not valid:
            return False
        url, breaks = valid[0]
        size = len(url) + sum([len(item.removed) for item in breaks]) - len(candidate.implied)
        texts = [reading.text for reading in valid]
        unjoined = candidate.implied + unescaped(candidate.raw)
        if candidate.accepted or accepts(unjoined, self._profile):
            texts.append(unjoined)
        settled = self._settled(candidate, valid)
        candidate.raw, candidate.trimmed = joined[:size], joined[size:]
        return self._mended(candidate, settled, texts)

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
            if tail < last and accepts(text[:end], self._profile):
                valid.append(Reading(text[:end], tuple([item for item in breaks if item.at < end])))
        return valid

    def _end(self, text: str, candidate: Candidate) -> int:
        """Return where *text*, a reading of *candidate*, ends as a bare URL."""
        before = candidate.view.before(candidate.at)
        return termination.end_of(text, text.index(":"), before, ascii_only=self._query.ascii_only)[0]

    def _mended(self, candidate: Candidate, valid: list[Reading], texts: Iterable[str] = ()) -> bool:
        """Fill in *candidate*, a URL with its *valid* readings and the *texts* of more."""
        view = candidate.view
        if view.binary and not candidate.raw.isascii():
            valid = [_with_shown_breaks(reading, view) for reading in valid]
        candidate.breaks = valid[0].breaks
        candidate.undecided = tuple(valid) if len(valid) > 1 else ()
        return self._found(candidate, valid[0].text, texts)

    def _found(self, candidate: Candidate, url: str, texts: Iterable[str] = ()) -> bool:
        """Fill in *candidate*, which is *url*; the *texts* are those of its readings."""
        view = candidate.view
        candidate.readings = tuple(dict.fromkeys((url, *texts))) if texts else (url,)
        candidate.sure = round(candidate.sure, DECIMALS)
        if view.binary:
            candidate.raw, candidate.trimmed = view.encoded(candidate.raw), view.encoded(candidate.trimmed)
        if "=3D" in url:
            decoded = _ESCAPED_OCTET.sub(lambda match: chr(int(match[1], 16)), url)
            if decoded not in candidate.readings and accepts(decoded, self._profile):
                candidate.readings += (decoded,)
        if view.step:
            at, end = candidate.at, candidate.at + len(candidate.raw)
            candidate.form, candidate.raw = "defanged", view.written(at, end)
            candidate.trimmed = view.written(end, end + len(candidate.trimmed))
        return True


_LONGEST_GLUED = 2048
# Mark-up, remains of quoted-printable, and quotes and brackets without a twin. Each branch begins with one character:
# `re` then searches for these first.
_GLUED = lazy_regex(
    r"""\{[^{}\s]*\}|\.\.\.|==|=[0-9A-F]{2}(?![A-Za-z0-9])|%\Z|\$|"|'|\((?![^()\[\]]*[)\]])|\[(?![^()\[\]]*[)\]])"""
)
_QUOTE = lazy_regex("[\"'`]")
# Only a host that goes on ends in a hyphen.
_HOST_THEN_HYPHEN = lazy_regex(rf"{SCHEME}://[^/?#]*+(?<=[^\-.]-)")
# Only `scan.authority` knows what may be glued to an authority.
_HAS_AUTHORITY = lazy_regex(rf"{SCHEME}:(?://[^/?#]*[/?#]|(?!//))")


def _with_shown_breaks(reading: Reading, view: View) -> Reading:
    breaks = [item._replace(removed=view.shown(view.encoded(item.removed))) for item in reading.breaks]
    return Reading(reading.text, tuple(breaks))
