"""Quoted text without a mark at each line: how mail programs mark it, in HTML and in text."""

import re
from collections.abc import Callable, Iterator

from urlmend.text.patterns import lazy_regex

# For each language, as Outlook writes them: the line above a quoted message, and names of fields in its header: From,
# Sent, Subject, and the Date and To of Outlook for Mac.
_LANGUAGES = (
    ("Original(?: Message(?: Follows)?| Appointment)?", "From", "Sent", "Subject", "Date", "To"),
    ("Ursprüngliche Nachricht|Original-?Nachricht", "Von", "Gesendet", "Betreff", "Datum", "An"),
    (r"Message d['\u2019]origine|Message original", "De", r"Envoyé|Date d['\u2019]envoi", "Objet", "Date", "À"),
    ("Mensaje original", "De", "Enviado(?: el)?", "Asunto", "Fecha", "Para"),
    ("Mensagem original", "De", "Enviad[ao](?: em)?", "Assunto", "Data", "Para"),
    ("Messaggio originale", "Da", "Inviato|Data invio", "Oggetto", "Data", "A"),
    ("Oorspronkelijk bericht|Origineel bericht", "Van", "Verzonden", "Onderwerp", "Datum", "Aan"),
    ("Ursprungligt meddelande|Originalmeddelande", "Från", "Skickat", "Ämne", "Datum", "Till"),
    ("Oprindelig meddelelse|Opprinnelig melding", "Fra", "Sendt", "Emne", "Dato", "Til"),
    ("Oryginalna wiadomość|Wiadomość oryginalna", "Od", "Wysłano", "Temat", "Data", "Do"),
    ("Původní zpráva", "Od", "Odesláno", "Předmět", "Datum", "Komu"),
    ("Alkuperäinen viesti", "Lähettäjä", "Lähetetty", "Aihe", "Päivämäärä", "Vastaanottaja"),
    ("Eredeti üzenet", "Feladó", "(?:Elk|K)üldve", "Tárgy", "Dátum", "Címzett"),
    ("Özgün İleti|Orijinal İleti", "Kimden", r"Gönderil[dm]\w{1,3}", "Konu", "Tarih", "Kime"),
    ("Mesaj original", "De la", "Trimis", "Subiect", "Data", "Către"),
    ("Αρχικό μήνυμα", "Από", "Στάλθηκε|Αποστολή", "Θέμα", "Ημερομηνία", "Προς"),
    ("Исходное сообщение", "От(?: кого)?", "Отправлено", "Тема", "Дата", "Кому"),
    ("Вихідне повідомлення", "Від", "Надіслано", "Тема", "Дата", "Кому"),
    ("הודעה מקורית", "מאת", "נשלח", "נושא", "תאריך", "אל"),
    ("元のメッセージ", "差出人", "送信日時", "件名", "日付", "宛先"),
    ("원본 메[시일]지?", "보낸 사람", "보낸 날짜", "제목", "날짜", "받는 사람"),
    ("邮件原件|原始邮件", "发件人", "发送时间", "主题", "日期", "收件人"),
    ("原始郵件", "寄件者", "寄件日期|傳送時間", "主旨", "日期", "收件者"),
)
_TITLES, _AUTHORS, _SENT, _SUBJECTS, _DATES, _RECIPIENTS = map("|".join, zip(*_LANGUAGES, strict=True))
_BLANK = r"(?:[ \t\xa0]|&nbsp;)?"
TITLE = lazy_regex(rf"-(?<!--)--++{_BLANK}(?i:{_TITLES}){_BLANK}---++")
"""The line above a quoted message."""

_COLON = r"[ \xa0]?[:\uff1a]"
# What was bold in HTML may have asterisks.
_LINE = r"[^\r\n]{0,300}\r*\n\*?"
# Many headers have the fields of Outlook for Mac, but not in this order.
_HEADER = (
    rf"\*?(?:{_AUTHORS}){_COLON}{_LINE}(?:(?:{_LINE}){{0,5}}?(?:{_SENT}){_COLON}{_LINE}"
    rf"(?:{_LINE}){{0,9}}?(?:{_SUBJECTS}){_COLON}|(?:{_DATES}){_COLON}{_LINE}(?:{_RECIPIENTS}){_COLON}{_LINE}"
    rf"(?:{_LINE}){{0,9}}?(?:{_SUBJECTS}){_COLON}{_LINE}[ \t]*\r?\n)"
)
SIGN = rf"---++{_BLANK}(?i:{_TITLES})|\*?(?:{_AUTHORS}){_COLON}"
"""The beginning of a line that may begin a quoted message."""
FIRST = "".join(sorted({"*", *(author[0] for _, author, *_ in _LANGUAGES)}))
"""The characters that such a line begins with."""

# In a message with marks at its lines, the marks say what is quoted.
_BEGIN = lazy_regex(
    rf"\n(?:{TITLE.pattern}[ \t]*\r?\n(?:[ \t]*\r?\n)?+(?=[^\s>|][^\n:\uff1a]{{0,40}}[:\uff1a](?!//))|(?={_HEADER}))"
    r"(?:(?![ \t]?[>|]|[ \t\r]*\n)[^\n]*+\n){1,20}+(?:[ \t]*\r?\n)*+(?![ \t]?[>|])"
)
# The next message of a digest (RFC 1153 section 3.2, and as Mailman and Yahoo write it), or what Mailman says of the
# next part. Quotes have rules and tables in them.
_END = lazy_regex(
    r"\n(?:-{30}\r?\n\r?\n(?=[A-Z][\w-]{0,30}:|End of )|_{72}\r?\n\r?\n(?=Message: \d)|--__--"
    r"|-{14} next part -{14}\r?\n)"
)


def stretches(  # noqa: PLR0913 -- each is a fact of the text
    text: str,
    start: int,
    stop: int,
    begin: re.Pattern[str],
    end_of: Callable[[re.Match[str] | None], re.Pattern[str]],
    *,
    inside: bool,
    first: int = 0,
) -> Iterator[tuple[int, int, bool]]:
    """Yield the stretches of *text* from *start* to *stop*, and whether each is inside of what *begin* begins.

    *end_of* returns the pattern of what ends it, for the match of *begin*, or for `None` if *start* is *inside*. Both
    patterns include the line end before, and *start* follows one. Nothing begins before *first*.
    """
    end, searched = end_of(None), start - 1
    while start < stop:
        mark = end.search(text, searched, stop) if inside else begin.search(text, max(searched, first), stop)
        if mark is None:
            yield start, stop, inside
            return
        at = mark.start() + 1
        if start < at:
            yield start, at, inside
        searched = at - 1
        if not inside:
            end, searched = end_of(mark), mark.end() - 1
        start, inside = at, not inside


def quoted(text: str, mark: int, own_footer: Callable[[], int], *, inside: bool) -> Iterator[tuple[int, int, bool]]:
    """Yield the stretches of *text*, which begins with a line end, outside and inside of quoted messages.

    No quoted message begins before the *mark*, and none has the list's footer in it: *own_footer* returns where that
    begins. The text before was *inside* of one or not.
    """
    for start, stop, is_quote in stretches(text, 1, len(text), _BEGIN, lambda _: _END, inside=inside, first=mark):
        footer = own_footer() if is_quote and stop == len(text) else stop
        if start < footer < stop:
            yield start, footer, True
            yield footer, stop, False
        else:
            yield start, stop, is_quote


CITED = lazy_regex(r"""type\s*=\s*["']?cite\b|quote|border-left:[^;"']*solid""", re.IGNORECASE)
"""Found in the attributes of a `blockquote` that is a quote. Most others only indent a text."""
MARKUP = lazy_regex(
    r"""(?P<prefix> class\s*=\s*["']?moz-cite-prefix\b )
    | (?:class|id|name|data-marker)\s*=\s*["']?[^"'>]{0,200}?(?:
        (?P<signature> signature(?:_block|_below|section)? | bloop_sign | (?<=["'])sig(?=\d) )
        | (?P<below> yahoo_quoted | mail-editor-reference-message-container | __QUOTED_TEXT | gmail_attr )
        | (?P<rule> stopSpelling ) | (?P<header> divRplyFwdMsg | OutlookMessageHeader )
    )[\d_]{0,40}+(?![\w-])
    | (?P<line> size\s*=\s*["']?2["']?\s[^>]{0,80}?tabindex )
    | (?P<named> name\s*=\s*["']?quote\b )
    | (?P<border> border-top:\s*solid\s+\#(?:B5C4DF|E1E1E1)\b )""",
    re.VERBOSE | re.IGNORECASE,
)
"""Found in the attributes of any other element that is a signature, or a message `below` another.

A `prefix` is the line "A wrote:" above a `blockquote`. The others are at the top of such a message.
"""
STEMS = (
    *("cite", "quote", "QUOTE", "ignature", "bloop_sign", 'id="sig'),
    *("RplyFwd", "MessageHeader", "reference-message", "stopS", "border-top:", "tabindex", "gmail_attr"),
)
"""Words to search for first, which is faster: one of them is in each of these elements."""
ENDS = {"rule": 1, "header": 2, "line": 3, "border": 3}
"""How many elements end before that message does. Outlook's header has an element of its own."""
