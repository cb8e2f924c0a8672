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
    "Full-Disclosure": (
        f"{RULE}\nFull-Disclosure - We believe in it.\nCharter: http://footer.example/full-disclosure-charter.html\n"
        "Hosted and sponsored by Secunia - http://footer.example/\n"
    ),
    "Mailman in a quote": (
        f"> >     {RULE}\n> >     Tapes mailing list\n> >     http://footer.example/mailman/listinfo/tapes\n> > \n"
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
    "Yahoo Groups": "Yahoo Groups Links\n\n<*> To visit your group on the web, go to:\n    http://footer.example/x/\n",
    "LISTSERV": (
        "########################################################################\n\nTo unsubscribe from the"
        " TAPES-L list, click the following link:\nhttp://footer.example/cgi-bin/wa?SUBED1=TAPES-L&A=1\n"
    ),
    "Google Groups, a topic": (
        '-- \nYou received this message because you are subscribed to a topic in the Google Groups "tapes" group.\n\n'
        "For more options, visit https://footer.example/d/optout.\n"
    ),
    "eGroups": "Community email addresses:\n  Post message: t@a.example\n\nShortcut:\n  http://footer.example/tapes\n",
    "ONElist": (
        f"{'-' * 72}\nHelp support ONElist, while generating interest in your product or\nservice. Visit"
        f" http://footer.example/advert.html\n{'-' * 72}\n\nhttp://own.example/2\n{'-' * 72}\nTo unsubscribe from this"
        " mailing list, or to change your subscription\nto digest, go to the ONElist web site, at http://footer.example\n"
    ),
    "Topica": f"==^{'=' * 64}\nThis email was sent to: a@a.example\n\nEASY UNSUBSCRIBE: http://footer.example/u/?b1\n",
    "SourceForge": (
        "-------------------------------------------------------\nThis SF.Net email is sponsored by: Jabber Inc.\n"
        f"http://footer.example/osdn/xim\n{RULE}\nTapes mailing list\nhttps://footer.example/lists/listinfo/tapes\n"
    ),
    "SourceForge, of 2011": (
        f"> {'-' * 78}\n> Read more about desktops!\n> http://footer.example/sfu/dell-eql\n> {RULE}\n"
        "> Tapes mailing list\n> Tapes@lists.sourceforge.net\n> https://footer.example/lists/listinfo/tapes\n"
    ),
    "groups.io": (
        "-=-=-=-=-=-=-=-=-=-=-=-\nGroups.io Links: You receive all messages sent to this group.\n"
        "View/Reply Online (#12): http://footer.example/g/tapes/message/12\n-=-=-=-=-=-=-=-=-=-=-=-\n"
    ),
    "a long rule": f"{'-' * 190}\nThis SF.Net email is sponsored by Jabber Inc.\nhttp://footer.example/osdn/xim\n",
    "majordomo": (
        '-\nTo unsubscribe from this list: send the line "unsubscribe tapes" in\nthe body of a message\n'
        "More majordomo info at  http://footer.example/majordomo-info.html\n"
    ),
    "ezmlm": (
        "---------------------------------------------------------------------\n"
        "To unsubscribe, e-mail: dev-unsubscribe@tapes.example\nFor more commands: mailto:dev-help@footer.example\n"
    ),
    "a signature in a quote": "> http://own.example/1\n> -- \n> Jane, http://footer.example/~jane/\nhttp://own.example/2\n",
    "PGP": "-- \n-----BEGIN PGP SIGNATURE-----\nh: http://footer.example/\n\na\n-----END PGP SIGNATURE-----\nhttp://own.example/\n",
    "a signature in an older quote": "> > -- \n> > http://footer.example/\n> http://own.example/2\n",
    "a signature in a box": "-- \n-----------\nJane Doe  |\n----------+  http://footer.example/~jane/\n",
    "a signature above a scrubbed part": (
        "-- \nhttp://footer.example/~jane/\n-------------- next part --------------\nURL: <http://own.example/attachment>\n"
    ),
    "a footer below a signature": f"-- \nJane http://footer.example/~jane/\n{RULE}\nhttp://footer.example/mailman/listinfo/t\n",
    "a mark below a word of footers": "See the mailing list.\n>-- \n>http://footer.example/\nhttp://own.example/2\n",
    "an advertisement of a mail provider": (
        f"> {'_' * 50}\n> Do You Yahoo!?\n> http://footer.example/\n>\n> http://own.example/2\n{'_' * 65}\nA car?\n"
        f"http://footer.example/b.aspx?r=Hotmail_Tagline\n\n{RULE}\nTapes mailing list\nhttp://footer.example/\n"
    ),
    "an advertisement of a virus scanner": (
        "---\nThis email has been checked for viruses by A.\nhttp://footer.example/antivirus\n\nhttp://own.example/2\n"
        "---\nOutgoing mail is certified Virus Free.\nChecked by A (http://footer.example).\n"
    ),
    "advertisements of news servers": (
        "> -----== Posted via Deja News, The Leader in Internet Discussion ==-----\n> http://footer.example/rg_mkgrp.xp\n\n"
        "http://own.example/2\n--== Sent via Deja.com http://footer.example/ ==--\nBefore you buy.\n\n"
        "Sent via Deja.com http://footer.example/\n\n Posted Via Usenet.com Premium Services\n"
        f"{'-' * 58}\n    ** SPEED ** RETENTION **\n{'-' * 58}   \n                http://footer.example\n\n"
        "http://own.example/3\nPosted via http://footer.example\n"
        "\n-----=  Posted via Newsfeeds.Com, Uncensored Usenet News  =-----\nhttp://footer.example The Best\n"
    ),
    "a mark without its blank": "--\nJane\n  http://footer.example/\n\n",
    "a mark without its blank, with CRLF": f"--\r\n{'x' * 120}\r\nhttp://footer.example/\r\n",
    "a mark without its blank, above a footer": f"--\nJane http://footer.example/\n{RULE}\nTapes mailing list\n",
    # No footers
    "two hyphens above much text": "--\n" + "See http://own.example/2\n" * 12 + "--\nhttp://own.example/3\n",
    "words of news servers": "Posted via a friend: http://own.example/2\nSent via mail to http://own.example/3\n",
    "a rule above a sentence about mail": f"{RULE}\nThe mail at Yahoo http://own.example/2\n",
    "a sentence about mail": "This email has been checked for viruses, see http://own.example/2\n",
    "two rules": f"{'-' * 78}\nThe tapes: http://own.example/2\n{RULE}\nThe tapes of a mailing list\n",
    "a rule": f"{RULE}\nThe second part is at http://own.example/2\n",
    "a rule above a sentence about a list": f"{RULE}\nI asked on the mailing list, see http://own.example/2\n",
    "a link to a list": "Join us: http://own.example/mailman/listinfo/tapes\n",
    "advice": "To unsubscribe, visit http://own.example/options or write to the list.\n",
    "two hyphens": " -- \n> --\n> http://own.example/2\n> --x\n> http://own.example/3\n",
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


def _header(author: str, sent: str, to: str, subject: str, colon: str = ":") -> str:
    return (
        f"{author}{colon} A\n{sent}{colon} Monday, 7 July 2003 10:06\n{to}{colon} B\nCc: C\n{subject}{colon} Tapes\n\n"
    )


ENGLISH, WELSH = _header("From", "Sent", "To", "Subject"), _header("Oddi wrth", "Anfonwyd", "At", "Pwnc")
QUOTED = "See http://quoted.example/\n"
TITLES = (
    *("-----Original Message-----", "---- Original Message ----", "----- Original-Nachricht -----"),
    *("-----Message d'origine-----", "-----Mensaje original-----", "-----Mensagem original-----"),
    *("-----Messaggio originale-----", "-----Oorspronkelijk bericht-----", "-----Ursprungligt meddelande-----"),
    *("-----Oprindelig meddelelse-----", "-----Oryginalna wiadomość-----", "-----Исходное сообщение-----"),
    *("-----元のメッセージ-----", "-----原始邮件-----", "-----원본 메시지-----", "------ Original ------"),
    *("----Original Message Follows----", "-----原始郵件-----"),
)
HEADERS = (
    ("From", "Sent", "To", "Subject"),
    ("*From", "*Date", "*To", "*Subject", ":*"),
    ("*Von", "*Gesendet", "*An", "*Betreff", ":*"),
    ("De", "Envoyé", "À", "Objet", " :"),
    ("De", "Enviado el", "Para", "Asunto"),
    ("Da", "Inviato", "A", "Oggetto"),
    ("Van", "Verzonden", "Aan", "Onderwerp"),
    ("От", "Отправлено", "Кому", "Тема"),
    ("差出人", "送信日時", "宛先", "件名"),
    ("De", "Enviada em", "Para", "Assunto"),
    ("Från", "Skickat", "Till", "Ämne"),
    ("Fra", "Sendt", "Til", "Emne"),
    ("Od", "Wysłano", "Do", "Temat"),
    ("发件人", "发送时间", "收件人", "主题"),
    ("보낸 사람", "보낸 날짜", "받는 사람", "제목"),
    ("寄件者", "寄件日期", "收件者", "主旨"),
    ("Od", "Odesláno", "Komu", "Předmět"),
    ("Lähettäjä", "Lähetetty", "Vastaanottaja", "Aihe"),
    ("Feladó", "Elküldve", "Címzett", "Tárgy"),
    ("Kimden", "Gönderildi", "Kime", "Konu"),
    ("De la", "Trimis", "Către", "Subiect"),
    ("Από", "Στάλθηκε", "Προς", "Θέμα"),
    ("Від", "Надіслано", "Кому", "Тема"),
    ("מאת", "נשלח", "אל", "נושא"),
    ("Von", "Datum", "An", "Betreff"),
    ("De", "Fecha", "Para", "Asunto"),
    ("De", "Date", "À", "Objet", " :"),
)
# what follows the author's text, which may be empty: each URL on a host `quoted` is quoted, and no other is
BELOW = {
    **{title: f"{OWN}{title}\n{WELSH}{QUOTED}" for title in TITLES},
    **{fields[0] + fields[1]: f"{OWN}{_header(*fields)}{QUOTED}" for fields in HEADERS},
    "a header in a language that is not known": f"{OWN}{WELSH}{OWN}",
    "below uuencoded data": f"{OWN}begin 644 a\nM{'A' * 60}\n#AAA\n`\nend\n{ENGLISH}{QUOTED}",
    "with folded fields": (
        f"{OWN}-----Original Message-----\nFrom: A [mailto:a@quoted.example]On Behalf Of\nB\nSent: Monday\n{QUOTED}"
    ),
    "two, and a footer": (
        f"{OWN}____________________________\n{ENGLISH}{QUOTED}____________________________\n{ENGLISH}{QUOTED}"
        f"{RULE}\nA mailing list\n\n{RULE}\nTapes mailing list\nhttp://footer.example/listinfo/t\n"
    ),
    "with tables and a footer in it": (
        f"{OWN}{ENGLISH}{QUOTED}{RULE}\n{QUOTED}{RULE}\nTapes mailing list\n\n{QUOTED}{'-' * 30}\n\n{QUOTED}"
        f"{RULE}\nTapes mailing list\nhttp://footer.example/listinfo/t\n{RULE}\nTapes mailing list\n"
    ),
    "above a part that was scrubbed": f"{OWN}{ENGLISH}{QUOTED}{'-' * 14} next part {'-' * 14}\n{OWN}",
    "above the next message of a digest": f"{OWN}{ENGLISH}{QUOTED}{'-' * 30}\n\nDate: Monday\n\n{OWN}",
    "in a digest of Yahoo": f"{OWN}{ENGLISH}{QUOTED}{'_' * 72}\n{QUOTED}{'_' * 72}\n\nMessage: 2\n\n{OWN}",
    "below a signature": f"{OWN}-- \nJane http://footer.example/\n\n-----Original Message-----\n{ENGLISH}{QUOTED}",
    "right below a signature's mark": f"{OWN}-- \n-----Original Message-----\n{WELSH}{QUOTED}",
    "below a long rule": f"{OWN}{'-' * 30}\xa0Original Message {'-' * 30}\n{WELSH}{QUOTED}",
    "with CRLF": f"{OWN}-----Original Message-----\n{ENGLISH}{QUOTED}".replace("\n", "\r\n"),
    "signed": f"-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA1\n\n{OWN}- -----Original Message-----\n{OWN}",
    # No quotes, but for marks at lines
    "with answers between marked lines": f"{OWN}-----Original Message-----\n{ENGLISH}\n> {QUOTED}\n{OWN}",
    "a patch": f"{OWN}From: A\nDate: Monday\nSubject: [PATCH] Tapes\n\n{OWN}",
    "a heading": f"{OWN}--- Original messages ---\n{OWN}",
    "no header": f"{OWN}-----Original Message-----\n\n{OWN}",
}
# the same in HTML
MAIL = 'href="http://quoted.example/1">http://quoted.example/2</a>'
MINE = '<p>I <a href="http://own.example/1">http://own.example/2</a></p>'
TOP = "<b>From:</b> A<br><b>Sent:</b> Monday<br><b>Subject:</b> Tapes<br>"
SIGNATURES = "x_protonmail_signature_block composer_signature x_Signature gmail-m_9x_OutlookSignature".split()
SIGNATURES += ["bloop_sign", "sig45617343"]
RULE, FOOTER = "_" * 47, '<a href="http://footer.example/">A</a>'
HTML = {
    "blockquote": f"{MINE}<blockquote type=cite cite='mid:1@quoted.example'><p><a {MAIL}</p></blockquote>{MINE}",
    "GMX": f'{MINE}<div name="quote"><a {MAIL}</div><blockquote style="border-left:none">{MINE}</blockquote>',
    "Thunderbird": (
        f'<div class="moz-cite-prefix">A wrote:</div><blockquote type="cite"><blockquote type="cite"><a {MAIL}'
        f'</blockquote><a {MAIL}</blockquote>{MINE}<pre class="moz-signature" cols="72">http://footer.example/</pre>{MINE}'
    ),
    "Thunderbird, cleaned": (
        f'<div class="moz-cite-prefix">A wrote:<br></div><blockquote><div><a {MAIL}</div></blockquote>{MINE}'
        f'<blockquote>{MINE}</blockquote><div class="moz-cite-prefix">B:</div><div><blockquote>{MINE}'
        "</blockquote></div>"
    ),
    "Gmail": (
        f'<div dir="ltr">{MINE}</div><div class="gmail_quote"><div class="gmail_attr"><a {MAIL} wrote:</div>'
        f'<blockquote class="gmail_quote" style="margin:0"><div><div><a {MAIL}</div></div></blockquote>{MINE}</div>'
        f'<div class="x_gmail_signature">{FOOTER}</div><div name="messageSignatureSection">{FOOTER}</div>'
    ),
    **{name: f'{MINE}<div id="{name}">{FOOTER}</div>{MINE}' for name in SIGNATURES},
    "marks of signatures": (
        f"<div>1 -- <br>{MINE}--&nbsp;<br>{FOOTER}</div>{MINE}<div><div>-- </div>{FOOTER}<p>"
        f"-----Original Message-----<br>{TOP}</p><a {MAIL}</div>{MINE}"
    ),
    "Gmail, forwarded": f'<div class="gmail_quote"><div>---------- Forwarded message ---------</div>{MINE}</div>',
    "Yahoo": f'{MINE}<div id="yahoo_quoted_1" class="yahoo_quoted"><div><a {MAIL}</div></div>{MINE}',
    "Outlook on the web": (
        f'<div><div>{MINE}</div><div id="Signature">{FOOTER}<hr><div id="divRplyFwdMsg">{TOP}</div><div><a {MAIL}</div>'
        f"</div></div>{MINE}"
    ),
    "Outlook": (
        f"<div class=WordSection1>{MINE}<div><div style='border:none;border-top:solid #E1E1E1 1.0pt'><p>{TOP}</p></div>"
        f"</div><p><a {MAIL}</p></div>{MINE}"
    ),
    "Outlook 2003": (
        f"<BLOCKQUOTE>{MINE}<DIV class=OutlookMessageHeader><FONT>-----Original Message-----<BR>{TOP}</FONT></DIV>"
        f"<A {MAIL}</BLOCKQUOTE>{MINE}"
    ),
    "a title": f"{MINE}<p>-----Original Message-----<br>{TOP}</p><p><a {MAIL}</p>",
    "a title of its own": f"<div>{MINE}<DIV><b>-----Original message-----</b></DIV><div><a {MAIL}</div></div>{MINE}",
    "AOL": f"<div>{MINE}<div><br>-----Original Message-----<br>{TOP}<br></div><div><a {MAIL}</div></div>{MINE}",
    "Samsung": (
        f"<div>{MINE}<div><div>-------- Original message --------</div><div>From: A </div><div>To: B</div></div>"
        f"<div><a {MAIL}</div></div>{MINE}"
    ),
    "Outlook 2003, by Word": (
        f"<div>{MINE}<div><div class=MsoNormal align=center><span>\n<hr size=2 width='100%' align=center tabindex=-1>"
        f"</span></div><p class=MsoNormal>{TOP}</p></div><p><a {MAIL}</p></div>{MINE}"
    ),
    "a title in a comment": f"{MINE}<!-- -----Original Message----- -->{MINE}",
    "Hotmail": f'{MINE}<hr id="stopSpelling">{TOP}<a {MAIL}',
    "a table": f'<table><tr><td>{MINE}<div id="divRplyFwdMsg">{TOP}</div><a {MAIL}</td></tr></table>{MINE}',
    "Yahoo, of 2008": f'{MINE}<BLOCKQUOTE style="BORDER-LEFT:#1010ff 2px solid"><a {MAIL}</BLOCKQUOTE>{MINE}',
    "Outlook on a telephone": (
        f'<div>{MINE}</div><div id="mail-editor-reference-message-container"><div><a {MAIL}</div></div>{MINE}'
    ),
    "a list's footer": f"{MINE}<div>{RULE}<br class=''>\n   A mailing list<br>{FOOTER}</div><p>{RULE}</p>{MINE}",
    "a footer that ends at an empty line": f"<pre>{RULE}\nA mailing list\n{FOOTER}</pre><br><br>{MINE}",
    "other elements": f'<div class="quote" title="gmail_quote">{MINE}</div><blockquote>{MINE}</blockquote>',
}


@pytest.mark.parametrize(
    ("kind", "body"),
    [*(("plain", body) for body in BELOW.values()), *(("html", body) for body in HTML.values())],
    ids=[*BELOW, *HTML],
)
def test_quotes_without_marks_at_their_lines(kind: str, body: str) -> None:
    for flowed in ["", "; format=flowed"]:
        mail = f"From: a@a.example\nContent-Type: text/{kind}; charset=utf-8{flowed}\n\n{body}"
        found = list(iter_urls(io.BytesIO(mail.encode()), source="message"))
        assert {match.url for match in found if match.quoted != ("quoted" in match.url)} == set()
        assert {match.url for match in found if match.origin.signature != ("footer" in match.url)} == set()
        assert len(found) == body.count("http://") + body.count("mailto:") + body.count("'mid:")
