"""Make the files that the examples of the documents read: `python docs/examples.py`, then `cd examples`.

It needs Python alone; without git there is no public-inbox among them, without pyarrow no `texts.parquet`.
"""

import gzip
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from contextlib import suppress
from pathlib import Path

SAMPLES = Path(__file__).parents[1] / "corpora" / "samples"


def files(root: Path) -> None:
    """Make the files in the new directory *root*: the samples, and others of the same messages."""
    root.mkdir()
    for name in ("list.mbox", "article.news", "document.txt"):
        shutil.copy(SAMPLES / name, root / name)
    shutil.copytree(SAMPLES, root / "corpora" / "samples")
    messages = re.split(rb"^From .*\n", (root / "list.mbox").read_bytes(), flags=re.MULTILINE)[1:]
    for folder in ("cur", "new", "tmp"):
        (root / "Maildir" / folder).mkdir(parents=True)
    for number, message in enumerate(messages):
        (root / "Maildir" / "cur" / f"{1046000000 + number}.example:2,S").write_bytes(message)
    (root / "message.eml").write_bytes(messages[0])
    (root / "archive").mkdir()
    shutil.copy(SAMPLES / "archive" / "oldlinks.mbox", root / "archive" / "oldlinks.mbox")
    spool = root / "spool" / "alt" / "example" / "hypertext"
    spool.mkdir(parents=True)
    shutil.copy(root / "article.news", spool / "4021")
    with zipfile.ZipFile(root / "backup.zip", "w") as backup:
        for name in ("list.mbox", "article.news"):
            backup.write(root / name, name)
    with tarfile.open(root / "spool.tgz", "w:gz") as packed:
        packed.add(root / "spool", "spool")
    (root / "paper.pdf").write_bytes(_pdf(b"See <http://www.a.example/1994/index.html>."))
    if shutil.which("git"):
        _inbox(root / "lists" / "oldlinks", messages)
    text = b"Read http://www.a.example/archive/1995.html, or\n<http://www.b.example/cata-\nlogue.html>.\n"
    crawl = gzip.compress(_warc("https://pages.a.example/", "text/plain", text, "conversion"), mtime=0)
    (root / "crawl.warc.wet.gz").write_bytes(crawl)
    home = (
        b'<a href="about.html">About</a> <a href="http://www.b.example/">B</a> <img src="http://www.b.example/b.png">'
    )
    about = b'<a href="/">Home</a> <a href="http://www.c.example/a page.html">C</a>'
    site = _warc("https://www.a.example/", "text/html", home) + _warc(
        "https://www.a.example/about.html", "text/html", about
    )
    (root / "site.warc").write_bytes(site + _warc("https://www.a.example/a.png", "image/png", b"\x89PNG"))
    (root / "wet").mkdir()
    (root / "wet" / "crawl.warc.wet.gz").write_bytes(crawl)
    with suppress(ModuleNotFoundError):
        import pyarrow as pa  # noqa: PLC0415 -- what reads this file needs it too
        from pyarrow import parquet  # noqa: PLC0415 -- as above

        texts = [message.decode(errors="replace") for message in messages]
        parquet.write_table(pa.table({"id": range(len(texts)), "text": texts}), root / "texts.parquet")


def _inbox(root: Path, messages: list[bytes]) -> None:
    """Make a public-inbox at *root*, of version 2: each commit has a message as the file `m`."""
    epoch = root / "git" / "0.git"
    git = ["git", "-C", str(epoch)]
    subprocess.run(["git", "init", "-q", "--bare", str(epoch)], check=True)  # noqa: S603, S607 -- git
    commits = b"".join(
        b"commit refs/heads/master\ncommitter A <a@a.example> 1046000000 +0000\ndata 0\n"
        b"M 100644 inline m\ndata %d\n%s\n" % (len(message), message)
        for message in messages
    )
    subprocess.run([*git, "fast-import", "--quiet"], input=commits, check=True)  # noqa: S603 -- git
    subprocess.run([*git, "symbolic-ref", "HEAD", "refs/heads/master"], check=True)  # noqa: S603 -- git


def _pdf(text: bytes) -> bytes:
    """Return a PDF of one page with *text*."""
    drawn = b"BT /F 12 Tf 72 720 Td (%s) Tj ET" % text
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Courier>>"
    objects = (
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F %s>>>>>>" % font,
        b"<</Length %d>>\nstream\n%s\nendstream" % (len(drawn), drawn),
    )
    pdf, places = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", b"0000000000 65535 f \n"
    for number, text_of_object in enumerate(objects, 1):
        places += b"%010d 00000 n \n" % len(pdf)
        pdf += b"%d 0 obj\n%s\nendobj\n" % (number, text_of_object)
    return pdf + b"xref\n0 5\n%strailer\n<</Size 5/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (places, len(pdf))


def _warc(target: str, media_type: str, body: bytes, kind: str = "resource") -> bytes:
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Date: 2024-05-01T10:00:00Z\r\n"
        "WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000001>\r\n"
        f"WARC-Target-URI: {target}\r\nContent-Type: {media_type}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body + b"\r\n\r\n"


if __name__ == "__main__":
    examples = Path("examples")
    if examples.exists():
        sys.exit(f"{examples} is there already: remove it first")
    files(examples)
