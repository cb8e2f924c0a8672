"""What the software of mailing lists adds below a message is a signature, and so is a signature in a quote."""

import io

import pytest

from urlmend import iter_urls

RULE = "_" * 47
OWN = "See http://own.example/\n\n"
# what follows the author's text; each URL on a host `footer` is in a signature, and no other is
FOOTERS = {
    "Mailman 2": f"{RULE}\nTape-List mailing list\nTape-List@a.example\nhttp://footer.example/mailman/listinfo/tape-list\n",
    "its default, with no name": f"{RULE}\ntapes@a.example\nList info: https://footer.example/mailman/listinfo/tapes\n",
    "Mailman 3": f"{RULE}\nTapes mailing list -- tapes@a.example\nTo unsubscribe send to mailto:x@footer.example\n",
    "Mailman with rules of the list": (
        f"{RULE}\ntapes at a.example mailing list -- To UNSUBSCRIBE and more\nhttps://footer.example/mailman/listinfo/t\n"
        "PLEASE read http://footer.example/guide\n\nhttp://own.example/below\n"
    ),
    "Mailman in a quote": (
        f"> > {RULE}\n> > Tapes mailing list\n> > http://footer.example/mailman/listinfo/tapes\n> > \n"
        "> > http://own.example/quoted\n> http://own.example/2\nhttp://own.example/3\n"
    ),
    "Mailman with CRLF": f"{RULE}\r\nTapes mailing list\r\nhttp://footer.example/mailman/listinfo/tapes\r\n",
    "Google Groups": (
        "--~--~---------~--~----~------------~-------~--~----~\nYou received this message because you are"
        ' subscribed to the Google Groups "tapes" group.\nFor more options, visit http://footer.example/group/tapes?hl=en\n'
    ),
    "Yahoo! Groups": (
        "------------------------ Yahoo! Groups Sponsor ---------------------~-->\nSell http://footer.example/TM\n"
        "---------------------------------------------------------------------~->\n\nTo unsubscribe from this"
        " group, send an email to:\ntapes-unsubscribe@egroups.example\n\nYour use of Yahoo! Groups is subject to"
        " http://footer.example/terms/\n"
    ),
    "LISTSERV": (
        "########################################################################\n\nTo unsubscribe from the"
        " TAPES-L list, click the following link:\nhttp://footer.example/cgi-bin/wa?SUBED1=TAPES-L&A=1\n"
    ),
    "SourceForge": (
        "-------------------------------------------------------\nThis SF.Net email is sponsored by: Jabber Inc.\n"
        f"http://footer.example/osdn/xim\n{RULE}\nTapes mailing list\nhttps://footer.example/lists/listinfo/tapes\n"
    ),
    "majordomo": (
        '-\nTo unsubscribe from this list: send the line "unsubscribe tapes" in\nthe body of a message\n'
        "More majordomo info at  http://footer.example/majordomo-info.html\n"
    ),
    "ezmlm": (
        "---------------------------------------------------------------------\n"
        "To unsubscribe, e-mail: dev-unsubscribe@tapes.example\nFor more commands: mailto:dev-help@footer.example\n"
    ),
    "a signature in a quote": "> http://own.example/1\n> -- \n> Jane, http://footer.example/~jane/\nhttp://own.example/2\n",
    "a signature in an older quote": "> > -- \n> > http://footer.example/\n> http://own.example/2\n",
    "a footer below a signature": f"-- \nJane http://footer.example/~jane/\n{RULE}\nhttp://footer.example/mailman/listinfo/t\n",
    # No footers
    "a rule": f"{RULE}\nThe second part is at http://own.example/2\n",
    "a rule above a sentence about a list": f"{RULE}\nI asked on the mailing list, see http://own.example/2\n",
    "a link to a list": "Join us: http://own.example/mailman/listinfo/tapes\n",
    "advice": "To unsubscribe, visit http://own.example/options or write to the list.\n",
    "two hyphens": "> --\n> http://own.example/2\n> --x\n> http://own.example/3\n",
}


@pytest.mark.parametrize("below", FOOTERS.values(), ids=FOOTERS)
@pytest.mark.parametrize("above", [OWN, ""], ids=["below a text", "a part of its own"])
def test_footers(above: str, below: str) -> None:
    plain = f"From: a@a.example\n\n{above}{below}"
    multipart = (
        f"From: a@a.example\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\n{above}\n--b\n"
        f"Content-Transfer-Encoding: quoted-printable\n\n{below.replace('=', '=3D')}\n--b--\n"
    )
    for mail in (plain, multipart, f"From: a@a.example\nContent-Type: text/plain; format=flowed\n\n{above}{below}"):
        found = list(iter_urls(io.BytesIO(mail.encode()), source="message"))
        assert len(found) == plain.count("http") + plain.count("mailto:")
        assert [match.url for match in found if match.origin.signature != ("footer" in match.url)] == []


@pytest.mark.parametrize("above", ["", "See the mailing list.\n"], ids=["alone", "with a word of footers above"])
@pytest.mark.parametrize(
    ("mark", "is_signature"), [("-- ", True), ("> -- ", True), ("> > -- ", True), (">-- ", True), (" -- ", False)]
)
def test_the_mark_of_a_signature(above: str, mark: str, *, is_signature: bool) -> None:
    quote = mark.removesuffix("-- ")
    mail = f"From: a@a.example\n\n{above}{quote}http://a.example/own\n{mark}\n{quote}http://a.example/below\n"
    found = list(iter_urls(io.BytesIO(mail.encode()), source="message"))
    assert [match.origin.signature for match in found] == [False, is_signature]
