"""How right urlmend is on defanged URLs, compared with the finders of indicators that can be installed.

usage: python benchmarks/defanged.py [--install] [--wrong]

`LINES` are lines as security reports, tickets and mails have them, written for this table, each with the URLs that are
meant. Lines that only look defanged (patterns, code, prose) have none. What a finder gives is compared without its
`http://`, as some put one before a host without a scheme and others do not. `--install` makes an environment of its
own with the peers and runs there; else those are used that are importable. `--wrong` lists what each got wrong.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.environment import installed_version, run_installed

from urlmend import find_urls

PEERS = ("iocextract", "requests", "ioc-finder", "iocsearcher")

# fmt: off
LINES: tuple[tuple[str, tuple[str, ...]], ...] = (
    # Schemes
    ("The loader fetches hxxp://bad.example.com/a/b.exe at start.", ("http://bad.example.com/a/b.exe",)),
    ("C2: hxxps://panel.example.net:8443/gate.php", ("https://panel.example.net:8443/gate.php",)),
    ("hXXp://bad.example.org and HXXPS://BAD.example.org/B", ("http://bad.example.org", "https://BAD.example.org/B")),
    ("files are sent to fxp://drop.example.com/in/", ("ftp://drop.example.com/in/",)),
    ("(see hxxp://bad.example.com/a), later hxxp://bad.example.com/b.", ("http://bad.example.com/a", "http://bad.example.com/b")),
    ('"hxxps://bad.example.com/q?id=7&n=2" was clicked', ("https://bad.example.com/q?id=7&n=2",)),
    ("IOC;hxxp://bad.example.com/x;2024-01-02", ("http://bad.example.com/x;2024-01-02",)),
    ("<hxxp://bad.example.com/in/angles>", ("http://bad.example.com/in/angles",)),
    # Dots
    ("http://bad[.]example[.]com/a", ("http://bad.example.com/a",)),
    ("https://bad(.)example(.)com/a", ("https://bad.example.com/a",)),
    ("http://bad{.}example{.}com", ("http://bad.example.com",)),
    ("https://bad[dot]example[dot]com/login", ("https://bad.example.com/login",)),
    ("https://bad(dot)example(dot)com/login", ("https://bad.example.com/login",)),
    ("https://bad[ dot ]example[ . ]com/login", ("https://bad.example.com/login",)),
    ("https://bad\\.example\\.com/login", ("https://bad.example.com/login",)),
    ("https://bad.example[.]com/only/the/last", ("https://bad.example.com/only/the/last",)),
    ("hxxps://www[.]bad[.]example[.]com, hxxps://cdn[.]bad[.]example[.]com.", ("https://www.bad.example.com", "https://cdn.bad.example.com")),
    ("hxxp://192[.]0[.]2[.]17/a.sh", ("http://192.0.2.17/a.sh",)),
    ("hxxp://192.0.2[.]17:8080/a.sh", ("http://192.0.2.17:8080/a.sh",)),
    ("hxxps://bad[.]example[.]com/index[.]php stays in its path", ("https://bad.example.com/index[.]php",)),
    # Slashes and colons
    ("http[:]//bad.example.com/a", ("http://bad.example.com/a",)),
    ("hxxps[:]//bad[.]example[.]com/a", ("https://bad.example.com/a",)),
    ("hxxps[://]bad[.]example[.]com/a", ("https://bad.example.com/a",)),
    ("https[:][/][/]bad[.]example[.]com/a", ("https://bad.example.com/a",)),
    ("hxxp://bad[.]example[.]com[:]8080/a", ("http://bad.example.com:8080/a",)),
    # Without a scheme
    ("the host bad[.]example[.]com resolved to nothing", ("http://bad.example.com",)),
    ("bad(dot)example(dot)org/path/x was blocked", ("http://bad.example.org/path/x",)),
    ("www[.]bad[.]example[.]net", ("http://www.bad.example.net",)),
    ("bad\\.example\\.com/x", ("http://bad.example.com/x",)),
    ("bad{dot}example{dot}com", ("http://bad.example.com",)),
    # Torn by the width of a mail
    ("The report is at <hxxps://bad[.]example[.]com/reports/2024/a-\n very-long-name.html> for all.", ("https://bad.example.com/reports/2024/a-very-long-name.html",)),
    ("> as in <URL:hxxp://bad[.]exam\n> ple[.]com/a/b> above", ("http://bad.example.com/a/b",)),
    # Nothing is meant
    ("192[.]0[.]2[.]17 is a number alone", ()),
    ("the pattern ^[a-z][.][0-9]+$ matches", ()),
    ("call f(x)[.] or list[dot] as you like", ()),
    ("He said (dot) and then (at) noon", ()),
    ("re.compile(r'foo\\.bar\\.baz\\(')", ()),
    ("arr[i][.5] = x[.]y", ()),
    ("e.g[.] this, i.e[.] that", ()),
    ("version 2[.]10[.]4 of the tool", ()),
    ("a table {.} with {dot} in it", ()),
    ("C:\\.config\\.cache\\file", ()),
    # Other indicators
    ("http://good.example.com/ok and hxxp://bad.example.com/no", ("http://good.example.com/ok", "http://bad.example.com/no")),
    ("https://good.example.com/a(dot)b is a path", ("https://good.example.com/a(dot)b",)),
    ("https://good.example.com/wiki/A_(dot)", ("https://good.example.com/wiki/A_(dot)",)),
)
# fmt: on

Finder = Callable[[str], list[str]]


def finders() -> Iterator[tuple[str, Finder]]:
    """Yield urlmend and the peers that are here, each with its version."""
    yield "urlmend", lambda text: [match.url for match in find_urls(text, refang=True, schemeless=True)]
    for name, offer in (("iocextract", _iocextract), ("ioc-finder", _ioc_finder), ("iocsearcher", _iocsearcher)):
        try:
            yield f"{name} {installed_version(name)}", offer()
        except ImportError:
            print(f"{name} is not installed", file=sys.stderr)


def _iocextract() -> Finder:
    import iocextract  # noqa: PLC0415

    return lambda text: list(dict.fromkeys(iocextract.extract_urls(text, refang=True)))


def _ioc_finder() -> Finder:
    from ioc_finder import find_iocs  # noqa: PLC0415

    def found(text: str) -> list[str]:
        iocs = find_iocs(text)
        urls = list(iocs["urls"])
        # A host that is part of a URL is reported a second time.
        return urls + [host for host in iocs["domains"] if not any(host in url for url in urls)]

    return found


def _iocsearcher() -> Finder:
    from iocsearcher.searcher import Searcher  # noqa: PLC0415

    searcher = Searcher()

    def found(text: str) -> list[str]:
        iocs = [(ioc.name, ioc.value) for ioc in searcher.search_data(text, targets={"url", "fqdn"})]
        urls = [value for name, value in iocs if name == "url"]
        return urls + [value for name, value in iocs if name == "fqdn" and not any(value in url for url in urls)]

    return found


def _compared(url: str) -> str:
    return url.removeprefix("http://").removesuffix("/").casefold()


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--install", action="store_true", help="run in an environment of its own with the peers")
    parser.add_argument("--wrong", action="store_true", help="list what each got wrong")
    args = parser.parse_args()
    if args.install:
        return run_installed(__file__, ["--wrong"] * args.wrong, PEERS)
    print(f"{len(LINES)} lines with {sum(len(urls) for _, urls in LINES)} URLs\n")
    print(f"{'finder':24} {'precision':>9} {'recall':>7} {'lines right':>12}")
    for name, find in finders():
        right = found_in_all = meant_in_all = whole = 0
        for text, urls in LINES:
            found, meant = {_compared(url) for url in find(text)}, {_compared(url) for url in urls}
            right += len(found & meant)
            found_in_all += len(found)
            meant_in_all += len(meant)
            whole += found == meant
            if args.wrong and found != meant:
                print(f"  {name}: {text!r}: {sorted(found)}, not {sorted(meant)}")
        precision = right / found_in_all if found_in_all else 1.0
        print(f"{name:24} {precision:9.3f} {right / meant_in_all:7.3f} {whole:5} of {len(LINES)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
