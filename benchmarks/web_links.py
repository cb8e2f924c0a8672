"""The links of archived pages that urlmend and a program written for the purpose find, as a set per page.

usage: python -m benchmarks.web_links [PATH...]

The pages are the HTML in the mail and the pages below each PATH, by default the corpora of the folder that
URLMEND_SHARED names, and one page with every construct that has links. They are put into one WARC. The other program is
`links` below: lxml reads the page, and each link is taken from where the HTML Standard, CSS and the Open Graph protocol
have it. Recall is how many of its links urlmend finds, of those that are URLs by its grammar; each difference is
printed with its reason. Exit status 1 if recall is below LEAST or a difference has no reason.
"""

import argparse
import io
import mailbox
import os
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from email import message_from_bytes
from html import escape
from pathlib import Path
from typing import Any

from lxml import etree, html as lxml_html

from urlmend import URLSyntaxError, iter_urls, parse

LEAST = 0.999

ONE = (
    "href src action formaction cite longdesc background data poster codebase classid profile manifest dynsrc lowsrc "
    "xlink:href url uri"
).split()
NO_LINK = ("javascript:", "data:", "about:", "vbscript:", "clsid:")
IN_STYLE = re.compile(r"""url\(\s*["']?([^"'()]+?)["']?\s*\)|@import\s+["']([^"']+)""", re.IGNORECASE)
IN_CODE = re.compile(
    r"""\b(?:[a-z][a-z0-9+.\-]*:(?:\\?/){2}|mailto:(?=[^\s"'`<>@]+@))(?:[^\s"'`<>\\]|\\/|\\u00[2-7][0-9a-f])+""",
    re.IGNORECASE,
)
ABSOLUTE = re.compile(r"[a-z][a-z0-9+.\-]*:", re.IGNORECASE)

CONSTRUCTS = """<!DOCTYPE html><html><head><title>http://no.example/title</title>
<meta property="og:url" content="https://a.example/og"><meta name="twitter:url" content="https://a.example/twitter">
<meta http-equiv="refresh" content="5; url='https://a.example/refresh'"><link rel=canonical href=https://a.example/canonical>
<meta name="other" content="https://no.example/meta"><style>@import "https://a.example/import.css";
body { background: URL( 'https://a.example/style' ) } b { x: url(cid:a@b), url(https://a.example/bare) }</style>
<script>var a = "https://a.example/code?x=1\\u0026y=2", b = 'https:\\/\\/a.example\\/escaped';</script>
<script type="application/ld+json">{"@id": "https:\\/\\/a.example\\/json"}</script></head>
<body background="https://a.example/body"><!-- <a href="https://no.example/comment"> -->
<a href=" https://a.example/a b&amp;c.html " ping="https://a.example/ping1 https://a.example/ping2">x</a>
<a href='https:\\\\a.example\\back'>x</a><a href="https://a.example/line
end">x</a><a href="mailto:a%40b.example?Subject=x">x</a><a href="javascript:go('https://no.example/js')">x</a>
<blockquote cite="https://a.example/cite">x</blockquote><img src="https://a.example/img" longdesc="https://a.example/long"
 srcset="https://a.example/img 1x, https://a.example/img2 2x, https://a.example/a,b 3x">
<object data="https://a.example/data" codebase="https://a.example/codebase"></object>
<form action="https://a.example/action"><button formaction="https://a.example/formaction">x</button></form>
<video poster="https://a.example/poster" src="https://a.example/video"></video>
<svg><a xlink:href="https://a.example/xlink">x</a></svg><p style="background: url(&quot;https://a.example/attribute&quot;)">
<iframe src="https://a.example/iframe"></iframe><textarea><a href="https://no.example/textarea"></textarea></body></html>"""


def tree(page: str) -> Any | None:  # noqa: ANN401 -- lxml has no types
    """Return what lxml makes of *page*, if anything."""
    try:
        return lxml_html.document_fromstring(page)
    except (etree.ParserError, ValueError):
        return None


def links(root: Any) -> set[str]:  # noqa: ANN401 -- as above
    """Return the absolute links of a page, as browsers read them."""
    found: list[str] = []
    for element in root.iter(etree.Element):
        attributes = {name.lower(): value for name, value in reversed(element.attrib.items())}
        found += [attributes[name] for name in ONE if name in attributes]
        for name in ("ping", "archive"):
            found += attributes.get(name, "").split()
        for name in ("srcset", "imagesrcset"):
            found += re.findall(r"[\s,]*(\S*[^\s,])(?:\s[^,]*)?(?:,|$)", attributes.get(name, ""))
        content = attributes.get("content", "")
        if element.tag == "meta" and attributes.get("http-equiv", "").lower() == "refresh":
            found += re.findall(r"(?i)^\s*[\d.]*\s*[;,]?\s*(?:url\s*=\s*)?[\"']?([^\"']*)", content)
        if {attributes.get("property"), attributes.get("name")} & {"og:url", "twitter:url"}:
            found.append(content)
        style = f"{attributes.get('style', '')}\n{(element.text or '') if element.tag == 'style' else ''}"
        found += [url for groups in IN_STYLE.findall(style) if not (url := "".join(groups)).lower().startswith("cid:")]
        if element.tag == "script":
            code = IN_CODE.findall(element.text or "")
            found += [re.sub(r"\\u00(..)", lambda two: chr(int(two[1], 16)), one).replace("\\/", "/") for one in code]
    return {
        url for one in found if ABSOLUTE.match(url := as_browsers_read(one)) and not url.lower().startswith(NO_LINK)
    }


def as_browsers_read(value: str) -> str:
    """Return the URL that a browser reads in an attribute: its white space and backslashes (URL Standard 4.4)."""
    url = re.sub(r"[\t\n\r]", "", value.strip())
    if re.match(r"(?i)https?:|ftp:", url):
        path, sign, query = re.fullmatch(r"(?s)([^?#]*)([?#]?)(.*)", url).groups()  # type: ignore[union-attr]
        path = path if url.lower().startswith("ftp") else path.replace("\\", "/")
        url = (path + sign + query).replace(" ", "%20")
    return url


def pages(path: Path) -> Iterator[str]:
    """Yield the HTML in the file *path*: in its messages, or itself."""
    data = path.read_bytes()
    if path.suffix in {".htm", ".html"}:
        yield data.decode("utf-8", "replace")
    if b"text/html" not in data.lower():
        return
    messages: Iterable[Any] = list(mailbox.mbox(path)) if data.startswith(b"From ") else [message_from_bytes(data)]
    for part in (part for message in messages for part in message.walk()):
        if part.get_content_type() == "text/html" and isinstance(body := part.get_payload(decode=True), bytes):
            try:
                yield body.decode(part.get_content_charset() or "utf-8", "replace")
            except LookupError:
                yield body.decode("latin-1")


def warc(contents: list[str]) -> bytes:
    """Return a WARC with a response for each page."""
    records = []
    for number, page in enumerate(contents):
        body = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + page.encode("utf-8", "replace")
        records.append(
            f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://page.example/{number}\r\n"
            f"Content-Type: application/http\r\nContent-Length: {len(body)}\r\n\r\n".encode()
            + body
            + b"\r\n\r\n"
        )
    return b"".join(records)


def is_url(text: str) -> bool:
    """Return whether urlmend's grammar has *text*."""
    try:
        parse(text)
    except URLSyntaxError:
        return False
    return True


def reason(url: str, others: set[str], shown: str) -> str:
    """Return why only one program has *url*, and the other one these *others* in a tree *shown* so; `""` if unknown."""
    if any(other.startswith(url) and not is_url(other) for other in others):
        return "a blank, backslash or quote ends it, which browsers keep"
    if not url.startswith(("http", "ftp:", "mailto:")) or any(other.endswith(url) for other in others):
        return "a scheme that is not known, or not in the shape that it has in text"
    if escape(url, quote=False).replace("%20", " ") not in re.sub(r"[\t\n\r]|&#1[03];", "", shown):
        return "not in the tree that lxml builds"
    return ""


def main() -> int:
    """Compare, and say what differs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("paths", nargs="*", type=Path)
    paths = parser.parse_args().paths or [Path(os.environ["URLMEND_SHARED"], "corpora")]
    files = [
        file for path in paths for file in (sorted(path.rglob("*")) if path.is_dir() else [path]) if file.is_file()
    ]
    contents = [CONSTRUCTS, *(page for file in files for page in pages(file))]
    ours: dict[int, set[str]] = defaultdict(set)
    for match in iter_urls(io.BytesIO(warc(contents)), source="warc"):
        if match.origin.attributes:
            ours[(match.origin.message or 0) - 1].add(match.url)
    both = theirs = refused = 0
    why: Counter[str] = Counter()
    for number, page in enumerate(contents):
        root = tree(page)
        all_links = links(root) if root is not None else set()
        wanted, found = set(filter(is_url, all_links)), ours[number]
        refused += len(all_links - wanted)
        theirs += len(wanted)
        both += len(wanted & found)
        shown = etree.tostring(root, encoding="unicode") if root is not None and wanted != found else ""
        for url in sorted(wanted ^ found):
            who = "only lxml" if url in wanted else "only urlmend"
            cause = reason(url, all_links if url in found else set(), shown)
            why[f"{who}: {cause or 'not explained'}"] += 1
            print(f"page {number}, {who}: {url[:150]!r}: {cause or 'not explained'}")
    print(f"{len(contents)} pages, {theirs} links of lxml, {sum(map(len, ours.values()))} of urlmend, {both} of both")
    print(
        f"{refused} links of lxml are not URLs by the grammar", *(f"{n} {cause}" for cause, n in why.items()), sep="; "
    )
    print(f"recall {both / theirs:.4f}")
    return int(both < LEAST * theirs or any("not explained" in cause for cause in why))


if __name__ == "__main__":
    sys.exit(main())
