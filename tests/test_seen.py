"""What the stream has shown decides between the readings of a hyphen at a line end."""

import io

import pytest

from urlmend import Origin, Text, find_urls, iter_urls
from urlmend.seen import WINDOW

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
    assert match.readings[0] == str(match.parts) == url
    starts = [match.start for match in find_urls(text)]
    assert starts == sorted(starts)


def test_host_known_and_path_not_leaves_the_path_undecided() -> None:
    (match,) = (m for m in find_urls("http://www.foobar.example/ <http://www.foo-\nbar.example/a-\nb>") if m.breaks)
    assert match.url == "http://www.foobar.example/a-b"
    assert [reading.text for reading, _ in match.undecided] == [
        "http://www.foobar.example/a-b",
        "http://www.foobar.example/ab",
    ]


def test_one_message_tells_the_next() -> None:
    def source(_file: object) -> list[Text]:
        return [Text(DROPPED, Origin(message=1)), Text(BROKEN, Origin(message=2))]

    assert [match.url for match in iter_urls(io.StringIO(), source=source)] == [DROPPED, DROPPED]
