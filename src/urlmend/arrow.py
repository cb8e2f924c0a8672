"""The URLs of Apache Arrow record batches (the extra `arrow`), for Spark, Ray, Daft, Polars and DuckDB."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from io import BytesIO, StringIO
from typing import Any, NamedTuple, TypedDict, Unpack

import pyarrow as pa

from urlmend.extract import Readable
from urlmend.grammar.profiles import WEB, Profile
from urlmend.match import URLMatch
from urlmend.output.formats.batches import SCHEMA, Gathering, Kept, Limits, match_columns, reject_columns
from urlmend.resolver import Join, Settings, check_join, check_min_confidence
from urlmend.scan.candidates import BLOCK_SIZE
from urlmend.scan.ordinary import prefilter
from urlmend.scanner import StreamScanner, match_batches
from urlmend.sources import Origin, SourceError, Text, iter_texts, open_source
from urlmend.sources.reader import CHUNK_SIZE
from urlmend.text.forms import Forms

__all__ = ["MAX_BYTES", "MAX_ROWS", "SCHEMA", "Options", "extract_batches", "schema_for"]

MAX_ROWS = 10_000
"""How many rows a batch that comes out has at most."""

MAX_BYTES = 1 << 24
"""How many bytes a batch that comes out has, about. It has one row at least."""

_STRINGS = ("string", "large_string", "string_view")
_BINARIES = ("binary", "large_binary", "binary_view", "fixed_size_binary", "null")
_OF_STRINGS = ("text", "auto")

# Bytes that are text as they stand: neither compressed nor UTF-16, and without a byte order mark.
_PLAIN = re.compile(rb"(?!\x1f\x8b|BZh|\xfd7z|\x28\xb5\x2f|\xef\xbb|\xff\xfe|\xfe\xff|.?\0)", re.DOTALL)

NOWHERE = Origin()
"""The origin of the texts of rows: none is known."""


class Options(TypedDict, total=False):
    """What is asked of every text, by keyword. Whoever reads texts or files under this schema takes these.

    `source` says what they are: a key of `urlmend.sources.SOURCES`, or a function, as in `iter_urls`. `profile`,
    `join`, `min_confidence`, `schemeless`, `addresses` and `refang` are as there. With `rejects`, what is no URL under
    the profile has its rows too, in batches of their own. Where a text cannot be read to its end (broken
    compression, a broken web archive), the reason is one of these, under the rule `source`. With `unwrap`, `target` is
    the address that a URL wraps; else it is null.
    """

    source: str | Callable[[Readable], Iterable[Text]]
    profile: Profile
    join: Join
    rejects: bool
    min_confidence: float
    schemeless: bool
    addresses: bool
    refang: bool
    unwrap: bool


class Asked(NamedTuple):
    """The values of `Options`, checked by `asked_for`."""

    source: str | Callable[[Readable], Iterable[Text]] = "text"
    profile: Profile = WEB
    join: Join = "evident"
    rejects: bool = False
    min_confidence: float = 0.0
    schemeless: bool = False
    addresses: bool = False
    refang: bool = False
    unwrap: bool = False

    @property
    def forms(self) -> Forms:
        """The forms looked for on request."""
        return Forms(self.schemeless, self.addresses, self.refang)


def asked_for(options: Options, *, source: str = "text") -> Asked:
    """Return the values of *options*; `TypeError` or `ValueError` for one that is none. *source* is the default."""
    if unknown := options.keys() - set(Asked._fields):
        message = f"there is no option {', '.join(sorted(unknown))}; there are {', '.join(Asked._fields)}"
        raise TypeError(message)
    asked = Asked(
        source=options.get("source", source),
        profile=options.get("profile", WEB),
        join=options.get("join", "evident"),
        rejects=options.get("rejects", False),
        min_confidence=options.get("min_confidence", 0.0),
        schemeless=options.get("schemeless", False),
        addresses=options.get("addresses", False),
        refang=options.get("refang", False),
        unwrap=options.get("unwrap", False),
    )
    if not isinstance(asked.profile, Profile):
        message = f"profile must be a Profile, as urlmend.WEB is, not {asked.profile!r}"
        raise TypeError(message)
    check_join(asked.join)
    check_min_confidence(asked.min_confidence)
    open_source(asked.source)
    return asked


def schema_for(schema: Any, keep: Sequence[str] = ("id",)) -> Any:  # noqa: ANN401 -- Arrow has no types
    """Return the schema of what `extract_batches` makes of batches with *schema*: the columns *keep*, then SCHEMA.

    Raises `ValueError` for a column that is not there, or is called as one of SCHEMA.
    """
    for name in _names(keep):
        if name in SCHEMA.names:
            message = f"the column {name!r} cannot be kept: the URLs have a column of that name; rename it before"
            raise ValueError(message)
    return pa.schema([*(schema.field(_index(schema, name)) for name in keep), *SCHEMA])


def extract_batches(
    batches: Iterable[Any],
    text: str = "text",
    keep: Sequence[str] = ("id",),
    *,
    max_rows: int = MAX_ROWS,
    max_bytes: int = MAX_BYTES,
    **options: Unpack[Options],
) -> Iterator[Any]:
    """Yield record batches with a row for each URL in the column *text* of *batches*; `schema_for` gives their schema.

    The text of a row is one file: what is found in it does not depend on other rows. A column of strings is read as a
    text file is, and `start` and `end` count characters, from 0. A column of bytes is read as the option *source* says
    (default `text`; `message` for one message a row, `mbox` for archives or pieces of them), and they count bytes.
    Either may be dictionary-encoded. Nulls and empty texts hold nothing. The columns *keep* are copied from the row.
    The other options are those of `Options`. No content raises.

    Each batch gives none or more, in its order, of at most *max_rows* rows and about *max_bytes* bytes. In memory are
    one of each kind, a row's text and the matches in 256 KB of it. Raises `ValueError` for a column that is not there
    or an option's value that is none, and `TypeError` for a column that holds no text, for batches that are none and
    for an option that is none.
    """
    asked = asked_for(options)
    if isinstance(batches, (str, bytes, pa.RecordBatch, pa.Table)):
        message = f"batches must be an iterable of record batches, not one {type(batches).__name__}"
        raise TypeError(message)
    if not isinstance(text, str):
        message = f"text must be the name of a column, not {text!r}"
        raise TypeError(message)
    for name, value in (("max_rows", max_rows), ("max_bytes", max_bytes)):
        if value < 1:
            message = f"{name} must be at least 1, not {value}"
            raise ValueError(message)
    extraction = _Extraction(text, tuple(_names(keep)), asked, Limits(max_rows, max_bytes))
    return (made for batch in iter(batches) for made in extraction.of(batch))


class Unreadable(NamedTuple):
    """The reason why a row was not read to its end, in the form of a reject."""

    text: str
    origin: Origin = NOWHERE
    rule: str = "source"
    pos: int = 0
    raw: str = ""
    start: int = 0
    end: int = 0
    line: int = 1
    column: int = 1
    form: str = ""
    exact: bool = False

    @property
    def error(self) -> "Unreadable":
        """This value: it has the rule and the place."""
        return self


class _Extraction(NamedTuple):
    """What `extract_batches` was asked for."""

    text: str
    keep: tuple[str, ...]
    asked: Asked
    limits: Limits

    def of(self, batch: Any) -> Iterator[Any]:  # noqa: ANN401 -- Arrow has no types
        """Yield the URLs in *batch*, in batches."""
        if not isinstance(batch, (pa.RecordBatch, pa.Table)):
            message = f"batches must be pyarrow.RecordBatch objects, not {type(batch).__name__}"
            raise TypeError(message)
        schema = schema_for(batch.schema, self.keep)
        texts = batch.column(_index(batch.schema, self.text))
        self._check(texts.type)
        kept = Kept([batch.column(_index(batch.schema, name)) for name in self.keep], schema)
        ready: list[Any] = []
        matches = Gathering(partial(match_columns, unwrap=self.asked.unwrap), kept, ready, self.limits)
        rejects = Gathering(reject_columns, kept, ready, self.limits)
        row = 0
        urls = _Rows(self.asked, (lambda reject: rejects.extend(row, [reject])) if self.asked.rejects else None).urls
        for row, data in enumerate(_values(texts)):
            if data:
                for found in urls(data):
                    matches.extend(row, found)
                    yield from ready
                    ready.clear()
        matches.finish()
        rejects.finish()
        yield from ready

    def _check(self, type: Any) -> None:  # noqa: A002, ANN401 -- Arrow's type
        value = type.value_type if pa.types.is_dictionary(type) else type
        name = str(value).partition("[")[0]
        if name not in {*_STRINGS, *_BINARIES}:
            message = f"the column {self.text!r} holds {type}, and not strings or bytes"
            raise TypeError(message)
        if name in _STRINGS and self.asked.source not in _OF_STRINGS and not callable(self.asked.source):
            message = f"the column {self.text!r} holds {type}, but {self.asked.source!r} is read from bytes"
            raise TypeError(message)


class _Rows:
    """Finds the URLs in the texts of rows, each a stream of its own; *rejected* is told of what is none."""

    def __init__(self, asked: Asked, rejected: Callable[[Any], None] | None) -> None:
        self._source = asked.source
        self._rejected = rejected
        self._settings = Settings(asked.profile, asked.join, rejected, asked.min_confidence, asked.forms)
        self._prefilter = prefilter(asked.forms)
        self._on_request = any(asked.forms)
        self._scanner = StreamScanner(self._settings, NOWHERE, binary=False)

    def urls(self, data: str | bytes) -> Iterable[list[URLMatch]]:
        """Return the URLs in *data*, the text of a row, in lists."""
        if isinstance(data, bytes):
            is_text, colon = self._source == "text" and _PLAIN.match(data) is not None, data.find(b":")
        else:
            is_text, colon = self._source in _OF_STRINGS, data.find(":")
        if not is_text:
            return self._in_file(data)
        if colon < 0 and not self._on_request:
            return ()
        if len(data) > BLOCK_SIZE:
            return self._in_pieces(data)
        if isinstance(data, bytes):
            spans = list(self._prefilter.search(data))
        elif data.isascii():
            spans = list(self._prefilter.search(data.encode()))
        else:
            spans = list(self._prefilter.search_text(data, 0))
        if not spans:
            return ()
        if isinstance(data, bytes):
            if not data.isascii():
                return self._in_pieces(data)
            data = data.decode("ascii")
        return (self._scanner.whole(Text(data, NOWHERE, spans=spans)),)

    def _in_pieces(self, data: str | bytes) -> Iterator[list[URLMatch]]:
        scanner = StreamScanner(self._settings, NOWHERE, binary=isinstance(data, bytes))
        for start in range(0, len(data), CHUNK_SIZE):
            yield scanner.feed(data[start : start + CHUNK_SIZE])
        yield scanner.close()

    def _in_file(self, data: str | bytes) -> Iterator[list[URLMatch]]:
        file = StringIO(data) if isinstance(data, str) else BytesIO(data)
        texts = iter_texts(file, self._source, prefilter=self._prefilter)
        try:
            yield from match_batches(texts, self._settings)
        except SourceError as error:
            if self._rejected:
                self._rejected(Unreadable(str(error)))


def _values(column: Any) -> Iterator[str | bytes | None]:  # noqa: ANN401 -- Arrow has no types
    """Yield the values of *column*; about CHUNK_SIZE bytes of them are in hand."""
    step = 1 + CHUNK_SIZE * len(column) // max(1, column.nbytes)
    for start in range(0, len(column), step):
        yield from column.slice(start, step).to_pylist()


def _names(keep: Sequence[str]) -> Sequence[str]:
    if isinstance(keep, str):
        message = f"keep must be a list of names of columns, not the string {keep!r}"
        raise TypeError(message)
    return keep


def _index(schema: Any, name: str) -> int:  # noqa: ANN401 -- Arrow has no types
    index: int = schema.get_field_index(name)
    if index < 0:
        message = f"there is no one column {name!r} among {', '.join(schema.names)}"
        raise ValueError(message)
    return index
