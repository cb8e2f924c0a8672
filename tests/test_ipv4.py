"""Hosts written as numbers are read as browsers read them (WHATWG URL 3.5)."""

import pytest

from urlmend import URLSyntaxError, parse
from urlmend.grammar.security import as_browsers_read

READ = (
    # the host, the address
    ("1.2.3.4", "1.2.3.4"),
    ("3232235521", "192.168.0.1"),
    ("0xc0.0250.1", "192.168.0.1"),
    ("0XC0A80001", "192.168.0.1"),
    ("030052000001", "192.168.0.1"),
    ("010.8.8.8", "8.8.8.8"),
    ("127.1", "127.0.0.1"),
    ("192.168.257", "192.168.1.1"),
    ("1.16777215", "1.255.255.255"),
    ("1.2.65535", "1.2.255.255"),
    ("4294967295", "255.255.255.255"),
    ("0377.0xff.255.0", "255.255.255.0"),
    ("0.0.0x.1", "0.0.0.1"),
)

NUMBERS_OF_NOBODY = (
    *("4294967296", "1.16777216", "1.2.65536", "256.1", "1.0400.1", "0x100.1", "0x100000000", "040000000000"),
    *("08", "1.09", "0xg", "0x1.0x1g", "1.2.3.4.5", "1..2", ".1"),
)


@pytest.mark.parametrize(("host", "address"), READ)
def test_a_number_is_a_host_of_the_web(host: str, address: str) -> None:
    assert as_browsers_read(host) == address
    for url in (f"http://{host}", f"https://jane@{host}:80/b?c#d"):
        assert parse(url).host == host


@pytest.mark.parametrize("host", NUMBERS_OF_NOBODY)
def test_a_number_out_of_range_is_none(host: str) -> None:
    assert as_browsers_read(host) is None
    with pytest.raises(URLSyntaxError):
        parse(f"http://{host}/")


@pytest.mark.parametrize("url", ["mailto:jane@127.1", "news:1@127.1", "gopher://3232235521/", "ftp://127.1/"])
def test_only_the_web_reads_them(url: str) -> None:
    with pytest.raises(URLSyntaxError):
        parse(url)
