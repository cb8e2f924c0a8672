"""What the stream has shown decides between the readings of a hyphen at a line end."""

import io
import random

import pytest

from urlmend import Origin, Text, URLMatch, find_urls, iter_urls
from urlmend.mend.history import WINDOW, History
from urlmend.resolver import HYPHEN_KEPT, Settings
from urlmend.scanner import StreamScanner

BROKEN = "<http://a.example/foo-\n  bar.html>"
KEPT = "http://a.example/foo-bar.html"
DROPPED = "http://a.example/foobar.html"

# text, the URL that the broken one is read as, whether that is ambiguous
CASES = [
    (BROKEN, KEPT, True),
    (f"{DROPPED} or {BROKEN}", DROPPED, False),
    (f"{BROKEN} or {DROPPED}", DROPPED, False),
    (f"{KEPT} or {BROKEN}", KEPT, False),
    (f"{DROPPED}, {KEPT}: {BROKEN}", KEPT, True),
    (f"{BROKEN} {'far ' * (WINDOW // 4)} {DROPPED}", KEPT, True),
    (f"{DROPPED} {'far ' * WINDOW} {BROKEN}", DROPPED, False),
    ("http://www.foobar.example/ <http://www.foo-\nbar.example/x>", "http://www.foobar.example/x", False),
    ("<http://www.foo-\nbar.example/x> http://www.foobar.example/", "http://www.foobar.example/x", False),
    ("<http://www-\n.a.example/>", "http://www.a.example/", False),
]


@pytest.mark.parametrize(("text", "url", "ambiguous"), CASES)
def test_decides(text: str, url: str, ambiguous: bool) -> None:
    (match,) = (match for match in find_urls(text) if match.breaks)
    assert (match.url, match.ambiguous) == (url, ambiguous)
    assert match.confidence == (HYPHEN_KEPT if ambiguous else 1.0)
    assert match.readings[0] == str(match.parts) == url
    starts = [match.start for match in find_urls(text)]
    assert starts == sorted(starts)


def test_host_known_and_path_not_leaves_the_path_undecided() -> None:
    (match,) = (m for m in find_urls("http://www.foobar.example/ <http://www.foo-\nbar.example/a-\nb>") if m.breaks)
    assert match.url == "http://www.foobar.example/a-b"
    assert [reading.text for reading in match.undecided] == [
        "http://www.foobar.example/a-b",
        "http://www.foobar.example/ab",
    ]


def test_one_message_tells_the_next() -> None:
    def source(_file: object) -> list[Text]:
        return [Text(DROPPED, Origin(message=1)), Text(BROKEN, Origin(message=2))]

    assert [match.url for match in iter_urls(io.StringIO(), source=source)] == [DROPPED, DROPPED]


def naive(text: str) -> list[str]:
    """Read *text* as what waits is decided anew after every URL, whatever that is."""
    history = History()
    scanner = StreamScanner(Settings(), history, Origin(), binary=False)
    ask = History._look_back  # noqa: SLF001 -- the twin replaces it

    def look_back(self: History, match: URLMatch) -> None:
        self._note(match)
        self._sort()
        self._index()
        for index, waiting in enumerate(self._waiting):
            if waiting.ambiguous and (decided := self._decide(waiting)) is not waiting:
                self._forget(waiting, index + self._released)
                self._waiting[index] = decided
                if decided.ambiguous:
                    self._ask(decided, index + self._released)
                else:
                    self._open -= 1

    History._look_back = look_back  # type: ignore[method-assign]  # noqa: SLF001
    try:
        return [repr((m.url, m.readings, m.ambiguous)) for m in scanner.feed(text) + scanner.close()]
    finally:
        History._look_back = ask  # type: ignore[method-assign]  # noqa: SLF001


def test_what_waits_is_found_by_what_it_asks_for() -> None:
    rng = random.Random(1738)
    names = ("foobar", "foo-bar", "foo-\nbar", "other", "fo-\nobar")
    for _ in range(200):
        urls = (f"http://{rng.choice(names)}.example/{rng.choice(names)}" for _ in range(60))
        text = " ".join(f"<{url}>" for url in urls) + f" {'far ' * rng.choice((0, 9000))}<http://foobar.example/>"
        found = [repr((m.url, m.readings, m.ambiguous)) for m in find_urls(text)]
        assert found == naive(text)


def test_what_is_asked_for_is_forgotten_with_who_asked() -> None:
    history = History()
    scanner = StreamScanner(Settings(), history, Origin(), binary=False)
    for number in range(4000):
        scanner.feed(f"<http://a{number}.example/foo-\nbar> ")
    assert len(history._asked) < 4 * WINDOW // 30  # noqa: SLF001 -- the memory is what is tested
    scanner.close()
    assert not history._asked  # noqa: SLF001
