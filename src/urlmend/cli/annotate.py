"""`urlmend annotate`: the text itself, with each URL marked."""

import re
import sys
from codecs import getincrementaldecoder
from collections.abc import Iterator
from itertools import chain, takewhile
from types import SimpleNamespace
from typing import Any

import click

from urlmend.cli import options as shared
from urlmend.cli.command import ERROR, FOUND, NONE, choice
from urlmend.cli.inputs import Inputs
from urlmend.cli.outputs import Outputs
from urlmend.match import Rejected, URLMatch
from urlmend.output.files import STANDARD_INPUT, utf8
from urlmend.output.pages import HtmlPage, Page, TerminalPage
from urlmend.output.terminal import colours
from urlmend.output.weighed import weighed_ends
from urlmend.output.window import Window
from urlmend.query import Query
from urlmend.reading import FileReader, Job
from urlmend.scan import ordinary
from urlmend.selection import Selection
from urlmend.sources import Text, iter_texts
from urlmend.stream import StreamPart, StreamScanner
from urlmend.text.limits import LOOKBACK


@click.command("annotate")
@shared.paths
@choice("format", ["text", "html"], "Text with marks, or a page with links.")
@shared.recursive
@shared.query()
@shared.selection
@shared.text
@shared.output
@shared.color
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:  # noqa: ANN401 -- what click makes of the options
    """Print the text of the files, with mail decoded and each URL and each rejected candidate marked.

    Exit status: as for find.
    """
    options = SimpleNamespace(**given)
    paths = options.paths or ("-",)
    query = options.query
    with Outputs() as outputs:
        out = outputs.use(utf8(sys.stdout)) if options.output is None else outputs.open(options.output)
        inputs = Inputs(paths, outputs, query.source_name, recursive=options.recursive)
        outputs.check(inputs.all_names(), named=bool(options.paths))
        if not out.isatty():
            inputs.show_progress(out)
        outputs.callback(inputs.close)
        reading = FileReader(Job(query, options.selection, as_text=options.text), inputs)
        members = inputs.members(reading)
        first = next(members, None)
        if first is None and inputs.failed:
            ctx.exit(ERROR)
        # A directory, or the file at the only path, may hold several.
        several = bool(paths[1:]) or (first is not None and (first.name or "-") not in paths)
        page: Page
        if options.format == "html":
            page = HtmlPage(out, _title(paths), several=several, unwrap=query.unwrap)
        else:
            page = TerminalPage(out, colours=colours(options.color, out), several=several, unwrap=query.unwrap)
        found = False
        for file in chain([first] if first else [], members):
            page.begin_file(file.name)
            for _ in reading.guarded(file, annotate(file, page, query, options.selection)):
                found = True
                inputs.bar.note_urls(1)
        inputs.bar.hide()
        # A run that failed and found nothing does not change an existing output.
        if found or not inputs.failed or options.output is None:
            page.close()
            outputs.finish()
    ctx.exit(ERROR if inputs.failed else FOUND if found else NONE)


def _title(paths: tuple[str, ...]) -> str:
    first = STANDARD_INPUT if paths[0] == "-" else paths[0]
    return f"{first} and {len(paths) - 1} more" if paths[1:] else first


# The text with its marks

_LINE = re.compile("^.*", re.MULTILINE)
_LINE_OF_BYTES = re.compile(rb"^.*", re.MULTILINE)

HELD = 1 << 18
"""How many bytes or characters are held back. A match is final before this many follow it."""


def annotate(file: Any, page: Page, query: Query, selection: Selection) -> Iterator[URLMatch]:  # noqa: ANN401 -- has read(n)
    """Write the texts of *file* to *page* with the URLs that `iter_urls` finds; yield each URL once it is written.

    Texts of messages that are not in the *selection* are left out. Memory is bounded. An error of reading is raised
    after everything read before it is written.
    """
    passage = origin = error = None
    # No line is left out.
    wanted = ordinary.prefilter(query)._replace(
        search=lambda data: map(re.Match.span, _LINE_OF_BYTES.finditer(data)),
        search_text=lambda text, pos: map(re.Match.span, _LINE.finditer(text, pos)),
    )
    try:
        for text in iter_texts(file, query.source, prefilter=wanted if wanted.base is not None else None):
            if text.origin is not origin:
                origin = text.origin
                if passage is not None:
                    yield from passage.close()
                left_out = origin.in_header and not query.header_fields
                passage = None if left_out or not selection.chosen([text]) else _Passage(text, page, query)
            if passage is not None:
                yield from passage.feed(text.data)
    except OSError as broken:
        error = broken
    if passage is not None:
        yield from passage.close()
    if error is not None:
        raise error


class _Passage:
    """The part of a text that is not written yet, with its matches and rejects."""

    def __init__(self, first: Text, page: Page, query: Query) -> None:
        self._page = page
        self._window = Window(first.data[:0], first.offset)  # with LOOKBACK of what is written
        self._written = first.offset
        self._decoder = getincrementaldecoder("utf-8")("replace")
        self._marks: list[URLMatch | Rejected] = []  # in no order
        part = StreamPart(first.offset, first.line)
        binary = isinstance(first.data, bytes)
        self._scanner = StreamScanner(query, first.origin, self._marks.append, part, binary=binary)
        page.begin_text(first.origin)

    def feed(self, data: bytes | str) -> list[URLMatch]:
        self._window.data += data
        self._marks += self._scanner.feed(data)
        stop = self._window.end - HELD
        if stop <= self._written:
            return []
        # A line end of two characters is not cut.
        return self._write(stop - (self._window.text(stop - 1, stop) == "\r"), final=False)

    def close(self) -> list[URLMatch]:
        self._marks += self._scanner.close()
        return self._write(self._window.end)

    def _write(self, stop: int, *, final: bool = True) -> list[URLMatch]:
        """Write the text before *stop*, and return the URLs in it. A URL that reaches over *stop* is written later."""
        # A match waits until it is decided, while a candidate after it may be rejected at once.
        self._marks.sort(key=lambda mark: mark.start)
        ready = list(takewhile(lambda mark: mark.end <= stop, self._marks))
        del self._marks[: len(ready)]
        starts = [*(mark.start for mark in [*ready[1:], *self._marks[:1]]), stop]
        written = []
        for mark, following in zip(ready, starts, strict=False):
            if mark.start < self._written:
                continue
            self._page.text(self._next(mark.start))
            if isinstance(mark, URLMatch):
                self._written = mark.end
                self._page.url(mark, weighed_ends(mark, self._window))
                written.append(mark)
            else:
                # What is rejected as a whole may contain a URL.
                self._page.rejected(mark, self._next(min(mark.end, following)))
        if self._marks:
            stop = max(self._written, min(stop, self._marks[0].start))
        self._page.text(self._next(stop, final=final))
        self._window.forget(self._written - LOOKBACK)
        return written

    def _next(self, end: int, *, final: bool = True) -> str:
        """Return the text up to *end*, to be written now; unless *final*, without an incomplete last character."""
        start, self._written = self._written, end
        data = self._window.between(start, end)
        return data if isinstance(data, str) else self._decoder.decode(data, final)
