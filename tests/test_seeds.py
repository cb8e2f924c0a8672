"""The texts of RFC 1738 in six copies, and all documents, news and mail at hand."""

import os
from collections import Counter
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from urlmend import Rejected, URLMatch, iter_urls

SHARED = os.environ.get("URLMEND_SHARED", "")
pytestmark = pytest.mark.skipif(not SHARED, reason="URLMEND_SHARED is not set: the folder with seeds/ and corpora/")

FORMS: Mapping[str, Mapping[str, int]] = {
    "rfc1738.txt": {"wrapper": 30},
    "rfc1738-line-numbered.txt": {"wrapper": 30},
    "rfc1738-chinese.txt": {"wrapper": 29, "prefix": 1},  # the translation lost one wrapper's brackets
    "rfc1738-markdown-mangled.txt": {"wrapper": 3, "prefix": 1, "bare": 1},  # "[URL:u](u)" names its URL twice
    "rfc1738-section-3.1.txt": {"wrapper": 3},
    "rfc1738-bnf.txt": {},  # a grammar has no URL in it
}
"""How many matches of each form each seed has."""

WRAPPED = """
http://www.acl.lanl.gov/URI/archive/uri-archive.index.html
ftp://@host.com/
ftp://host.com/
ftp://foo:@host.com/
ftp://myname@host.dom/%2Fetc/motd
ftp://myname@host.dom/etc/motd
ftp://myname@host.dom//etc/motd
news:*
file://vms.host.edu/disk$user/my/notes/note12345.txt
prospero://host.dom//pros/name
ftp://info.cern.ch/pub/www/doc;type=d
ftp://ds.internic.net/rfc
http://ds.internic.net/instructions/overview.html#WARNING
ftp://ds.internic.net/rfc/rfc1436.txt;type=a
ftp://boombox.micro.umn.edu/pub/gopher/gopher_protocol/Gopher+/Gopher+.txt
ftp://ds.internic.net/rfc/rfc1630.txt
ftp://info.cern.ch/pub/www/doc/http-spec.txt.Z
ftp://ds.internic.net/rfc/rfc1123.txt
ftp://ds.internic.net/rfc/rfc822.txt
ftp://quake.think.com/pub/wais/doc/protspec.txt
ftp://ds.internic.net/rfc/rfc1036.txt
ftp://quake.think.com/pub/wais/doc/doc-ids.txt
ftp://ds.internic.net/rfc/rfc977.txt
ftp://ds.internic.net/internet-drafts/draft-ietf-uri-irl-fun-req-02.txt
ftp://ds.internic.net/rfc/rfc1034.txt
ftp://prospero.isi.edu/pub/prospero/doc/prospero-protocol.PS.Z
ftp://ds.internic.net/rfc/rfc959.txt
ftp://ds.internic.net/rfc/rfc1737.txt
ftp://ds.internic.net/rfc/rfc1625.txt
ftp://uu.psi.com/wp/nir.txt
""".split()
"""Every wrapped URL of the RFC, in order."""

BROKEN = {
    "ftp://info.cern.ch/pub/www/doc;type=d",
    "ftp://ds.internic.net/rfc",
    "http://ds.internic.net/instructions/overview.html#WARNING",
    "ftp://boombox.micro.umn.edu/pub/gopher/gopher_protocol/Gopher+/Gopher+.txt",
    "ftp://ds.internic.net/internet-drafts/draft-ietf-uri-irl-fun-req-02.txt",
    "ftp://prospero.isi.edu/pub/prospero/doc/prospero-protocol.PS.Z",
}
"""Those that a line end tears."""

CORPORA = {"docs": 500, "news": 1_500, "mail": 3_000}
"""The folders of corpora/ and how many files each has at least."""


@cache
def found(name: str) -> tuple[list[URLMatch], list[Rejected]]:
    rejected: list[Rejected] = []
    with Path(SHARED, "seeds", name).open("rb") as file:
        return list(iter_urls(file, rejected=rejected.append)), rejected


def test_every_seed_has_its_figures() -> None:
    assert {path.name for path in Path(SHARED, "seeds").iterdir()} == set(FORMS)


@pytest.mark.parametrize("name", FORMS)
def test_seed_has_so_many_of_each_form(name: str) -> None:
    matches, rejected = found(name)
    assert Counter(match.form for match in matches) == FORMS[name]
    assert rejected == []


@pytest.mark.parametrize("name", FORMS)
def test_seed_slices_back(name: str) -> None:
    data = Path(SHARED, "seeds", name).read_bytes()
    for match in found(name)[0]:
        assert data[match.start : match.end].decode() == match.raw
        assert data.count(b"\n", 0, match.start) == match.line - 1


@pytest.mark.parametrize("name", ["rfc1738.txt", "rfc1738-line-numbered.txt", "rfc1738-chinese.txt"])
def test_every_wrapped_url_comes_out_whole(name: str) -> None:
    assert [match.url for match in found(name)[0]] == WRAPPED
    assert all(match.readings == (match.url,) for match in found(name)[0])


@pytest.mark.parametrize("name", ["rfc1738.txt", "rfc1738-line-numbered.txt"])
def test_the_torn_ones_are_mended(name: str) -> None:
    assert {match.url for match in found(name)[0] if match.breaks} == BROKEN


def test_the_mangled_copies_give_what_is_left_in_them() -> None:
    assert [match.url for match in found("rfc1738-section-3.1.txt")[0]] == WRAPPED[1:4]
    assert [match.url for match in found("rfc1738-markdown-mangled.txt")[0]] == [WRAPPED[0], WRAPPED[0], *WRAPPED[1:4]]


def read_all(every: int) -> tuple[Counter[str], int]:
    """Read every *every*-th file of the corpora; return how many each folder has, and how many URLs they have."""
    files, size, urls = Counter[str](), 0, 0
    rules = Counter[str]()
    for folder in CORPORA:
        for path in sorted(path for path in Path(SHARED, "corpora", folder).rglob("*") if path.is_file())[::every]:
            rejected: list[Rejected] = []
            with path.open("rb") as file:
                matches = list(iter_urls(file, source="text", rejected=rejected.append))
            data = path.read_bytes()
            for match in matches:
                assert data[match.start : match.end].decode("utf-8", "replace") == match.raw, path
                assert match.readings[0] == match.url
            assert all(one.end <= other.start for one, other in pairwise(matches))
            rules.update(one.rule for one in rejected)
            files[folder] += 1
            size += len(data)
            urls += len(matches)
    print(f"{files.total()} files, {size / 1e6:.0f} MB, {urls} URLs, {rules.total()} rejects: {rules.most_common()}")
    return files, urls


def test_some_of_the_corpora_run_without_an_exception() -> None:
    files, urls = read_all(20)
    assert files.keys() == CORPORA.keys()
    assert urls > 1000


@pytest.mark.slow
def test_all_corpora_run_without_an_exception() -> None:
    files, urls = read_all(1)
    assert all(files[folder] >= least for folder, least in CORPORA.items())
    assert urls > 20_000
