"""What a candidate costs, from trigger to match or reject, by form and scheme: CPU time, through an ordinary URL's.

usage: python -m benchmarks.candidates [--rounds N] [--engine re|pcre2]

An ordinary URL is `http` and bare; a row with two URLs counts for one of them. Each candidate is in the middle of a
line of prose; the time for the prose alone is taken off. Each round of a row is measured beside one of the ordinary
URL, and the median of their ratios counts. Exit status 1 where a URL costs more than 4 times an ordinary one, one that
archives of mail have often (`in mail`) more than 3 times, one that is mended or weighed more than 6 times, or a reject
more than 5 times.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from statistics import median
from time import process_time

URLS = {
    "http": "http://www.a.example/b/c.html",
    "http, host only": "http://www.a.example",
    "http with a query": "http://www.a.example/b?c=d&e=f",
    "http with brackets": "http://www.a.example/b_(c)",
    "ftp": "ftp://ftp.a.example/pub/b.tar.gz",
    "mailto": "mailto:jane@a.example",
    "mailto with ?": "mailto:list-request@a.example?subject=subscribe",
    "news": "news:comp.lang.python",
    "news with @": "news:1234@a.example",
    "telnet": "telnet://a.example:23/",
    "git": "git://git.a.example/b.git",
    "urn": "urn:isbn:0451450523",
    "doi": "doi:10.1000/182",
    "data": "data:text/plain,b",
}
FORMS = {"bare": "{}", "angle": "<{}>", "wrapper": "<URL:{}>", "prefix": "URL:{}"}
REJECTS = {
    "http": "http://www.a.example:8o/",
    "http, a bad host": "http://a..b.example/c",
    "http, a bad escape": "http://www.a.example/%zz",
    "news": "news:a@b_!",
    "mailto with ?": "mailto:?b=%zz",
    "file": "file:/a%zz",
    "git": "git://git.a.example:x/b",
}
IN_MAIL = {
    "git": "git://git.a.example/b.git",
    "svn": "svn://svn.a.example/b",
    "in quotes": "'http://www.a.example/b/c.html'",
    "before a quote": "`http://www.a.example/b/c.html'",
    "hidden": "<mailto:jane at a.example>",
    "hidden, in brackets": "[mailto:jane at a.example]",
    "hidden, in both": "[mailto:jane at a.example<mailto:jane at a.example>]",
}
MENDED = {
    "in an angle": "<http://www.a.example/b/\nc.html>",
    "hidden": "<mailto: jane at a.example>",
    "hyphen": "http://www.a.example/b/c-\nd/e.html",
    "before a row": "http://www.a.example/b/c.tar.gz\n> 981/981 B",
}
MOST = {"in mail": 3, "mended": 6, "reject": 5}
"""How many times an ordinary URL a row may cost; others, 4 times."""
COUNT = 400
LINE = "as she wrote, {} has all of it, and more of the same is there\n"


def texts() -> dict[tuple[str, str], str]:
    """Return the candidates by form and scheme."""
    found = {(form, scheme): shape.format(url) for form, shape in FORMS.items() for scheme, url in URLS.items()}
    others = {"in mail": IN_MAIL, "mended": MENDED, "reject": REJECTS}
    return found | {(form, name): text for form, rows in others.items() for name, text in rows.items()}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--engine", choices=("re", "pcre2"), default="re")
    options = parser.parse_args(arguments)
    os.environ["URLMEND_ENGINE"] = options.engine
    from urlmend import find_urls  # noqa: PLC0415 -- it reads the variable

    def spent(candidate: str) -> float:
        text = (LINE.format(candidate) * COUNT).encode()
        start = process_time()
        urls = len(find_urls(text))
        return (process_time() - start) / max(1, urls // COUNT)

    ordinary_url, works = URLS["http"], texts()
    for candidate in works.values():
        spent(candidate)
    prose = min(spent("it") for _ in range(options.rounds))
    print(f"{'form':8} {'scheme':20} {'µs':>6} {'of ordinary':>11}")
    failed = False
    for (form, scheme), candidate in works.items():
        pairs = [(spent(candidate) - prose, spent(ordinary_url) - prose) for _ in range(options.rounds)]
        ratio = median(cost / ordinary for cost, ordinary in pairs)
        too_much = ratio > MOST.get(form, 4)
        failed |= too_much
        seconds = min(cost for cost, _ in pairs)
        print(f"{form:8} {scheme:20} {seconds / COUNT * 1e6:6.1f} {ratio:11.2f}{' <' * too_much}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
