"""Compare urlmend's parser with others: which URLs they take, whether they keep their text, and how long they need.

usage: [URLMEND_SHARED=DIR] python benchmarks/parsers.py [--install]

`--install` makes a virtual environment in a temporary folder, installs urlmend and the peers there, and runs there;
without it the peers that can be imported are compared, and the others are named. Prints two tables in Markdown.

The strings. 5 000 are URLs by the BNF of RFC 1738 section 5, as tests/bnf.py reads it from the RFC's own lines without
any code of urlmend: 2 500 random sentences of it, the ten schemes and others in equal shares, and 2 500 everyday ones,
as corpora/generate.py writes them into its texts. 5 000 are those URLs with one fault each (a character replaced, put
in or taken out), which the BNF does not take. All are distinct and seeded. The second table is over what people wrote:
the distinct URLs that urlmend finds in DIR/corpora, torn ones mended.

What is counted. RFC 1738 decides here what is right and wrong, and only urlmend's profile RFC1738 claims to follow it.
The peers follow others: RFC 3986 (rfc3986), RFC 3987 and 3986 (hyperlink, yarl) and the URL Standard of the WHATWG
(ada-url, can_ada); urllib.parse says that it validates nothing. By their own standards they are right to take
`http://a.example/~b`, to refuse a scheme that begins with a digit or a port above 65535, and to write a host in lower
case. urlmend's profile WEB departs from RFC 1738 on purpose too. So a number here says how far a parser is from RFC
1738, not how good it is.
The judge shares two readings with urlmend where the RFC leaves a choice: a scheme may be in capitals, and the ten
schemes have their own production alone, so that `http:b` is forbidden, which peers take.

- accepted wrongly: of the 5 000 that RFC 1738 forbids, those that the parser takes.
- rejected wrongly: of the 5 000 that RFC 1738 allows, those that it refuses; in brackets, of the 2 500 everyday ones.
- raised: an exception that the parser's documentation does not name for bad input (nor a subclass of it) came out, of
  the 10 000; such a string counts neither as accepted nor as rejected.
- altered: of those taken, the ones that the result does not give back as they were, first of the allowed and then of
  the forbidden ones: a fault repaired without a word.
- µs per URL: the parser's call alone, in a loop, without writing the result out; the median of PASSES passes over all
  strings, the parsers in turn in each pass. A refusal costs what the parser does about it: urlmend works out the rule
  and the place. Caches are left as they are; no pass has a string twice.

A reference without a scheme is no URL, but urllib.parse, hyperlink and yarl parse references on purpose: from them one
without a scheme counts as refused. rfc3986 is asked to require a scheme and to check every part; urllib.parse is asked
for the port too, which it checks only then. The second table has no right and wrong: no judge stands above the parsers.
urlmend found its URLs by its profile WEB, so that WEB takes all of them says nothing.
"""

import argparse
import gc
import importlib
import os
import sys
import urllib.parse
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter
from typing import NamedTuple, TypeVar

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from benchmarks.environment import machine, run_installed  # noqa: E402 -- found there

T = TypeVar("T")

SEED = 1738
HALF = 2_500
PASSES = 7
DISTRIBUTIONS = ("rfc3986", "hyperlink", "yarl", "ada-url", "can-ada")


class NoSchemeError(Exception):
    """What a reference without a scheme counts as, from a parser that takes such on purpose."""


@dataclass(frozen=True)
class Peer:
    """A parser: `parse` gives a value or raises one of `refusals`, and `text` writes the value out."""

    name: str
    parse: Callable[[str], object]
    text: Callable[..., str]
    refusals: tuple[type[Exception], ...]


class Outcome(NamedTuple):
    """What a parser made of one string: `verdict` is `accepted`, `refused` or `raised`."""

    verdict: str
    altered: bool = False


# The parsers


def urlmend_peers() -> Iterator[Peer]:
    """Yield urlmend under its two profiles."""
    from urlmend import RFC1738, WEB, URLSyntaxError, parse  # noqa: PLC0415 -- --install runs without

    yield Peer("urlmend, RFC1738", lambda text: parse(text, RFC1738), str, (URLSyntaxError,))
    yield Peer("urlmend, WEB", lambda text: parse(text, WEB), str, (URLSyntaxError,))


def urllib_peers() -> Iterator[Peer]:
    """Yield urllib.parse. It reads the port too, because `urlsplit` does not check it."""

    def split(text: str) -> urllib.parse.SplitResult:
        parts = urllib.parse.urlsplit(text)
        _ = parts.port
        return _with_scheme(parts)

    yield Peer("urllib.parse.urlsplit", split, lambda parts: str(parts.geturl()), (ValueError, NoSchemeError))


def rfc3986_peers() -> Iterator[Peer]:
    """Yield rfc3986 at its strictest."""
    rfc3986 = importlib.import_module("rfc3986")
    validators = importlib.import_module("rfc3986.validators")
    refusal = importlib.import_module("rfc3986.exceptions").RFC3986Exception
    parts = ("scheme", "userinfo", "host", "port", "path", "query", "fragment")
    validator = validators.Validator().require_presence_of("scheme").check_validity_of(*parts)

    def validated(text: str) -> object:
        reference = rfc3986.uri_reference(text)
        validator.validate(reference)
        return reference

    yield Peer("rfc3986 + Validator", validated, lambda reference: str(reference.unsplit()), (refusal,))


def hyperlink_peers() -> Iterator[Peer]:
    """Yield hyperlink's two ways to parse."""
    hyperlink = importlib.import_module("hyperlink")
    refusals = (hyperlink.URLParseError, NoSchemeError)
    yield Peer(
        "hyperlink.URL.from_text",
        lambda text: _with_scheme(hyperlink.URL.from_text(text)),
        lambda url: str(url.to_text()),
        refusals,
    )
    yield Peer(
        "hyperlink.parse",
        lambda text: _with_scheme(hyperlink.parse(text)),
        lambda url: str(url.to_text()),
        refusals,
    )


def yarl_peers() -> Iterator[Peer]:
    """Yield yarl."""
    yarl = importlib.import_module("yarl")
    yield Peer("yarl.URL", lambda text: _with_scheme(yarl.URL(text)), str, (ValueError, NoSchemeError))


def ada_peers() -> Iterator[Peer]:
    """Yield ada-url."""
    ada = importlib.import_module("ada_url")
    yield Peer("ada_url.URL", ada.URL, lambda url: str(url.href), (ValueError,))


def can_ada_peers() -> Iterator[Peer]:
    """Yield can_ada."""
    can_ada = importlib.import_module("can_ada")
    yield Peer("can_ada.parse", can_ada.parse, lambda url: str(url.href), (ValueError,))


def _with_scheme(url: T) -> T:
    if not getattr(url, "scheme", ""):
        raise NoSchemeError
    return url


def peers() -> list[Peer]:
    """Return the parsers that can be imported; name the others."""
    found = [*urlmend_peers(), *urllib_peers()]
    for offer in (rfc3986_peers, hyperlink_peers, yarl_peers, ada_peers, can_ada_peers):
        try:
            found += offer()
        except ImportError as error:
            print(f"left out: {error} (--install brings it)", file=sys.stderr)
    return found


# The strings


def valid_strings(random: Random) -> tuple[list[str], list[str]]:
    """Return distinct URLs that the BNF takes: random sentences, and everyday ones."""
    from corpora import generate  # noqa: PLC0415 -- --install runs without

    import bnf  # noqa: PLC0415 -- it needs urlmend

    schemes = (*bnf.SCHEMES, "otherurl")
    sentences: dict[str, None] = {}
    while len(sentences) < HALF:
        sentence = bnf.generate(schemes[len(sentences) % len(schemes)], random)
        if bnf.accepts("url", sentence):
            sentences[sentence] = None
    talk = generate.Talk(random, density=1, bare_breaks=False)
    everyday: dict[str, None] = {}
    names = sorted(set(generate.SCHEMES))
    while len(everyday) < HALF:
        scheme = names[len(everyday) % len(names)]
        url = f"{scheme}:{talk.expand(scheme)}"
        if url not in sentences and bnf.accepts("url", url):
            everyday[url] = None
    return list(sentences), list(everyday)


def invalid_strings(valid: Iterable[str], random: Random) -> list[str]:
    """Return each of *valid* with one fault that the BNF does not take; all distinct."""
    import bnf  # noqa: PLC0415 -- it needs urlmend

    faulty: dict[str, None] = {}
    for text in valid:
        while (fault := bnf.mutated(text, random)) in faulty or bnf.accepts("url", fault):
            pass
        faulty[fault] = None
    return list(faulty)


def corpus_urls(shared: str) -> list[str]:
    """Return the distinct URLs that urlmend finds in the real corpora of the folder *shared*."""
    from urlmend import iter_urls  # noqa: PLC0415 -- as above

    urls: dict[str, None] = {}
    for folder in ("mail", "news", "docs"):
        for path in sorted(Path(shared, "corpora", folder).rglob("*")):
            if path.is_file():
                with path.open("rb") as file:
                    urls.update((match.url, None) for match in iter_urls(file, source="text"))
    return list(urls)


# The measures


def outcome(peer: Peer, text: str) -> Outcome:
    """Return what *peer* makes of *text*; failing to write the result out counts as raised too."""
    try:
        url = peer.parse(text)
    except peer.refusals:
        return Outcome("refused")
    except Exception:  # noqa: BLE001 -- that it comes out is what is counted
        return Outcome("raised")
    try:
        return Outcome("accepted", peer.text(url) != text)
    except Exception:  # noqa: BLE001 -- as above
        return Outcome("raised")


def timed(peer: Peer, texts: list[str]) -> float:
    """Return the µs that *peer* takes for one of *texts*, over all of them."""
    call = peer.parse
    gc.collect()
    start = perf_counter()
    for text in texts:
        try:  # noqa: SIM105 -- a context manager would be timed with it
            call(text)
        except Exception:  # noqa: BLE001, S110 -- a refusal is a result
            pass
    return (perf_counter() - start) / len(texts) * 1e6


def times(parsers: list[Peer], texts: list[str]) -> list[str]:
    """Return each parser's median of PASSES passes in µs per URL. In each pass all parsers run one after the other."""
    passes = [[timed(peer, texts) for peer in parsers] for _ in range(PASSES)]
    return [f"{median(column):.1f}" for column in zip(*passes, strict=True)]


def count(outcomes: Iterable[Outcome], verdict: str) -> int:
    """Return how many of *outcomes* have *verdict*."""
    return sum(one.verdict == verdict for one in outcomes)


def table(head: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> None:
    """Print a table in Markdown, numbers to the right."""
    print(f"| {' | '.join(head)} |\n|{':---|' + '---:|' * (len(head) - 1)}")
    for row in rows:
        print(f"| {' | '.join(map(str, row))} |")
    print()


def rfc1738_table(parsers: list[Peer]) -> None:
    """Print the table over strings that RFC 1738 allows and forbids."""
    random = Random(SEED)
    sentences, everyday = valid_strings(random)
    allowed = sentences + everyday
    forbidden = invalid_strings(allowed, random)
    columns = zip(parsers, times(parsers, allowed), times(parsers, forbidden), strict=True)
    rows = []
    for peer, allowed_time, forbidden_time in columns:
        good = [outcome(peer, text) for text in allowed]
        bad = [outcome(peer, text) for text in forbidden]
        rows.append(
            (
                peer.name,
                count(bad, "accepted"),
                f"{count(good, 'refused')} ({count(good[HALF:], 'refused')})",
                count(good + bad, "raised"),
                f"{sum(one.altered for one in good)} + {sum(one.altered for one in bad)}",
                allowed_time,
                forbidden_time,
            )
        )
    head = ("parser", "accepted wrongly", "rejected wrongly", "raised", "altered", "µs allowed", "µs forbidden")
    print(f"{len(allowed)} strings that RFC 1738 allows and {len(forbidden)} that it forbids:\n")
    table(head, rows)


def corpus_table(parsers: list[Peer], shared: str) -> None:
    """Print the table over the URLs of the real corpora."""
    urls = corpus_urls(shared)
    rows = []
    for peer, time in zip(parsers, times(parsers, urls), strict=True):
        made = [outcome(peer, url) for url in urls]
        verdicts = (count(made, verdict) for verdict in ("accepted", "refused", "raised"))
        rows.append((peer.name, *verdicts, sum(one.altered for one in made), time))
    print(f"{len(urls)} distinct URLs of the real corpora:\n")
    table(("parser", "accepted", "refused", "raised", "altered", "µs per URL"), rows)


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--install", action="store_true", help="install the peers in a temporary folder first")
    if parser.parse_args().install:
        arguments = [argument for argument in sys.argv[1:] if argument != "--install"]
        return run_installed(__file__, arguments, DISTRIBUTIONS)
    parsers = peers()
    rfc1738_table(parsers)
    if shared := os.environ.get("URLMEND_SHARED"):
        corpus_table(parsers, shared)
    else:
        print("URLMEND_SHARED is not set: the URLs of the real corpora are left out\n")
    print(machine(("urlmend", "regex", "idna", *DISTRIBUTIONS)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
