"""What a candidate costs, from trigger to match or reject, by form and scheme: CPU time, through an ordinary URL's.

usage: python -m benchmarks.candidates [--rounds N] [--engine re|pcre2]

An ordinary URL is `http` and bare. Each candidate is in the middle of a line of prose; the time for the prose alone is
taken off. Each round of a row is measured beside one of the ordinary URL, and the median of their ratios counts. Exit
status 1 where a URL costs more than 4 times an ordinary one, or a reject more than 5 times.
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
MOST, MOST_OF_REJECTS = 4, 5
COUNT = 400
LINE = "as she wrote, {} has all of it, and more of the same is there\n"


def texts() -> dict[tuple[str, str], str]:
    """Return the candidates by form and scheme."""
    found = {(form, scheme): shape.format(url) for form, shape in FORMS.items() for scheme, url in URLS.items()}
    return found | {("reject", scheme): text for scheme, text in REJECTS.items()}


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
        find_urls(text)
        return process_time() - start

    ordinary_url, works = URLS["http"], texts()
    for candidate in works.values():
        spent(candidate)
    prose = min(spent("it") for _ in range(options.rounds))
    print(f"{'form':8} {'scheme':20} {'µs':>6} {'of ordinary':>11}")
    failed = False
    for (form, scheme), candidate in works.items():
        pairs = [(spent(candidate) - prose, spent(ordinary_url) - prose) for _ in range(options.rounds)]
        ratio = median(cost / ordinary for cost, ordinary in pairs)
        too_much = ratio > (MOST_OF_REJECTS if form == "reject" else MOST)
        failed |= too_much
        seconds = min(cost for cost, _ in pairs)
        print(f"{form:8} {scheme:20} {seconds / COUNT * 1e6:6.1f} {ratio:11.2f}{' <' * too_much}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
