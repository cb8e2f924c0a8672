"""The finders that peers.py measures: libraries in this process, and programs."""

import email
import importlib
import io
import os
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from time import thread_time
from typing import Any, NamedTuple, TypeVar

from benchmarks.environment import (
    built_with_linkify,
    built_with_xurls,
    installed_version,
    linkify_version,
    uri_find_version,
    xurls_version,
)

SCHEMES = "https?|ftp|gopher|telnet|nntp|wais|file|prospero"
PATTERN = rf'\b(({SCHEMES})://|(mailto|news|urn):)[^[:space:]<>"]+'
"""The pattern for all that take one: what a person would write for grep."""
PYTHON_PATTERN = PATTERN.replace("[:space:]", r"\s").encode()

NODE = """
const fs = require('fs'), {LinkifyIt} = require('linkify-it'), linkify = new LinkifyIt();
const text = fs.readFileSync(process.argv[2], 'utf8');
const cpu = () => Number(fs.readFileSync('/proc/self/schedstat', 'utf8').split(' ')[0]) / 1e9;
const start = cpu();
const urls = (linkify.match(text) || []).map(link => link.url);
const seconds = cpu() - start;
if (process.argv[1] === 'time') console.log(seconds, urls.length);
else fs.writeSync(1, urls.join('\\n') + '\\n');
"""
PERL = r"""
use URI::Find; my ($mode, $path) = @ARGV;
sub cpu { local $/ = "\n"; open my $file, '<', '/proc/self/schedstat' or die; (split ' ', <$file>)[0] / 1e9 }
open my $file, '<:raw', $path or die; local $/; my $text = <$file>; utf8::decode($text);
my @urls; my $start = cpu();
URI::Find->new(sub { push @urls, "$_[0]"; $_[1] })->find(\$text);
my $seconds = cpu() - $start; binmode STDOUT, ':utf8';
print $mode eq 'time' ? "$seconds " . @urls . "\n" : join('', map { "$_\n" } @urls);
"""
RUST = """use std::{env, fs, io::{self, Write}, time::Instant};
fn main() {
    let arguments: Vec<String> = env::args().collect();
    let bytes = fs::read(&arguments[2]).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    let mut finder = linkify::LinkFinder::new();
    finder.kinds(&[linkify::LinkKind::Url]);
    let start = Instant::now();
    if arguments[1] == "time" {
        let urls: Vec<&str> = finder.links(&text).map(|link| link.as_str()).collect();
        println!("{} {}", start.elapsed().as_secs_f64(), urls.len());
    } else {
        let mut output = io::BufWriter::new(io::stdout().lock());
        for link in finder.links(&text) {
            writeln!(output, "{}", link.as_str()).unwrap();
        }
    }
}
"""


GO = """package main
import ("bufio"; "fmt"; "os"; "time"; "mvdan.cc/xurls")
func main() {
    octets, _ := os.ReadFile(os.Args[2])
    text, finder := string(octets), xurls.Strict()
    start := time.Now()
    urls := finder.FindAllString(text, -1)
    if os.Args[1] == "time" {
        fmt.Println(time.Since(start).Seconds(), len(urls))
        return
    }
    output := bufio.NewWriter(os.Stdout)
    defer output.Flush()
    for _, url := range urls {
        fmt.Fprintln(output, url)
    }
}
"""


class Measured(NamedTuple):
    """One pass over a text."""

    seconds: float
    urls: int


class Peer(NamedTuple):
    """A finder: `measure` passes once over the file that it gets, and reads it as *source* (as urlmend names them)."""

    name: str
    version: str
    measure: Callable[[Path], Measured]
    source: str = "text"


def in_process(find: Callable[[Any], Any], prepare: Callable[[bytes], Any] = bytes) -> Callable[[Path], Measured]:
    """Return a measure of *find*, which gets what *prepare* makes of the bytes, outside of the time."""

    def measure(path: Path) -> Measured:
        text = prepare(path.read_bytes())
        start = thread_time()
        urls = find(text)
        return Measured(thread_time() - start, len(urls))

    return measure


def decoded(data: bytes) -> str:
    """Return *data* as the text that it mostly is."""
    return data.decode("utf-8", "replace")


def urlmend_library(name: str = "urlmend", pcre2_from: int = sys.maxsize, source: str = "text") -> Peer:
    """Return urlmend as a library, with its defaults but for *source*; PCRE2 searches texts of *pcre2_from* octets."""
    from urlmend import iter_urls  # noqa: PLC0415 -- --install runs without
    from urlmend.text import engine  # noqa: PLC0415 -- --install runs without

    def find(file: io.BytesIO) -> list[Any]:
        engine.LEAST_FOR_PCRE2 = pcre2_from
        return list(iter_urls(file, source=source))

    return Peer(name, installed_version("urlmend"), in_process(find, io.BytesIO), source)


def fast_library() -> Peer:
    """Return urlmend with PCRE2."""
    importlib.import_module("pcre2")
    return urlmend_library("`urlmend[fast]`", 4096)


def fast_mail_library() -> Peer:
    """Return urlmend with PCRE2, which decodes the messages of an mbox."""
    importlib.import_module("pcre2")
    return urlmend_library("`urlmend[fast]`", 4096, "mbox")


def pattern_library() -> Peer:
    """Return Python's re."""
    pattern = re.compile(PYTHON_PATTERN)
    version = ".".join(map(str, sys.version_info[:3]))
    return Peer("`re`, a pattern", version, in_process(lambda data: [found[0] for found in pattern.finditer(data)]))


def re2_library() -> Peer:
    """Return google-re2."""
    pattern = importlib.import_module("re2").compile(PYTHON_PATTERN)
    find = in_process(lambda data: [found[0] for found in pattern.finditer(data)])
    return Peer("google-re2, same pattern", installed_version("google-re2"), find)


def hyperscan_library() -> Peer:
    """Return hyperscan. It reports every possible end of a match, so only the first is counted."""
    hyperscan = importlib.import_module("hyperscan")
    database = hyperscan.Database()
    pattern = PYTHON_PATTERN.removesuffix(b"+")
    database.compile(expressions=[pattern], flags=[hyperscan.HS_FLAG_SOM_LEFTMOST])

    def find(data: bytes) -> list[int]:
        starts: list[int] = []
        database.scan(data, match_event_handler=lambda _id, start, _end, _flags, _context: starts.append(start))
        return starts

    return Peer("hyperscan, where the pattern starts", installed_version("hyperscan"), in_process(find))


def linkify_it_library() -> Peer:
    """Return linkify-it-py."""
    linkify = importlib.import_module("linkify_it").LinkifyIt()
    find = in_process(lambda text: linkify.match(text) or [], decoded)
    return Peer("linkify-it-py", installed_version("linkify-it-py"), find)


def urlextract_library() -> Peer:
    """Return urlextract."""
    extractor = importlib.import_module("urlextract").URLExtract(cache_dir=tempfile.mkdtemp())
    return Peer("urlextract", installed_version("urlextract"), in_process(extractor.find_urls, decoded))


def iocextract_library() -> Peer:
    """Return iocextract."""
    extract = importlib.import_module("iocextract").extract_urls
    return Peer("iocextract", installed_version("iocextract"), in_process(lambda text: list(extract(text)), decoded))


def iocsearcher_library() -> Peer:
    """Return iocsearcher, which searches for URLs only."""
    searcher = importlib.import_module("iocsearcher.searcher").Searcher()
    find = in_process(lambda text: searcher.search_data(text, targets={"url"}), decoded)
    return Peer("iocsearcher (each URL once)", installed_version("iocsearcher"), find)


def email_library() -> Peer:
    """Return what many write: `mailbox` and `email` decode, selectolax reads HTML, a pattern finds."""
    parser = importlib.import_module("selectolax.lexbor").LexborHTMLParser

    def find(file: io.BytesIO) -> list[str]:
        found: list[str] = []
        for octets in re.split(rb"(?m)^From [^\n]*\d{4}\n", file.getvalue())[1:]:
            for part in email.message_from_bytes(octets).walk():
                kind = part.get_content_type()
                if kind.startswith("text/") and isinstance(content := part.get_payload(decode=True), bytes):
                    texts = [_decoded(content, part.get_content_charset("ascii"))]
                    if kind == "text/html":
                        page = parser(texts[0])
                        texts = [page.text(separator=" ")]
                        texts += (
                            str(node.attributes.get(name)) for name in ("href", "src") for node in page.css(f"[{name}]")
                        )
                    found += (match[0] for text in texts for match in _TEXT_PATTERN.finditer(text))
        return found

    version = installed_version("selectolax")
    return Peer("`email`, selectolax, a pattern", version, in_process(find, io.BytesIO), "mbox")


_TEXT_PATTERN = re.compile(PYTHON_PATTERN.decode())


def _decoded(content: bytes, charset: str) -> str:
    try:
        return content.decode(charset, "replace")
    except LookupError:
        return content.decode("latin-1")


# What runs in a process of its own, as a library and as a program


class Command(NamedTuple):
    """A program: its arguments before the file's name, and those with which it times itself, where it can.

    With those that are *recursive* it reads the files below a directory.
    """

    name: str
    version: str
    arguments: Sequence[str]
    timing: Sequence[str] = ()
    recursive: Sequence[str] | None = None

    def on_directories(self) -> "Command":
        """Return it as it reads the files below a directory."""
        return self._replace(arguments=[*self.arguments, *(self.recursive or ())])

    def program(self) -> Peer:
        """Return the program, timed from start to exit: the CPU seconds of all its processes."""
        return Peer(self.name, self.version, self._whole, "auto" if "urlmend" in self.name else "text")

    def library(self) -> Peer:
        """Return what times itself."""
        return Peer(self.name, self.version, self._inside)

    def _whole(self, path: Path) -> Measured:
        # Into a file: grep stops at the first match if its output is /dev/null.
        with tempfile.TemporaryFile() as output:
            before = _children_time()
            subprocess.run([*self.arguments, str(path)], stdout=output, check=True, env=environment())  # noqa: S603
            seconds = _children_time() - before
            output.seek(0)
            return Measured(seconds, sum(1 for _ in output))

    def _inside(self, path: Path) -> Measured:
        command = [*self.timing, str(path)]
        seconds, urls = subprocess.run(  # noqa: S603
            command, stdout=subprocess.PIPE, check=True, text=True, env=environment()
        ).stdout.split()
        return Measured(float(seconds), int(urls))


def _children_time() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def environment() -> dict[str, str]:
    """Return the environment of the programs: grep is many times slower under a locale with UTF-8."""
    return {"URLMEND_ENGINE": "re", **os.environ, "LC_ALL": "C", "NODE_PATH": str(Path(sys.prefix, "node_modules"))}


def urlmend_command(jobs: int = 1) -> Command:
    """Return the command urlmend, with so many *jobs*."""
    name = "urlmend" if jobs == 1 else f"`urlmend -j {jobs}`"
    return Command(
        name, installed_version("urlmend"), [sys.executable, "-m", "urlmend", "-j", str(jobs)], recursive=["-r"]
    )


def fast_command() -> Command:
    """Return the command urlmend with PCRE2, as it is where that is installed."""
    importlib.import_module("pcre2")
    arguments = ["env", "URLMEND_ENGINE=", sys.executable, "-m", "urlmend", "-j", "1"]
    return Command("`urlmend[fast]`", installed_version("urlmend"), arguments, recursive=["-r"])


def ripgrep_command() -> Command:
    """Return ripgrep."""
    return Command(
        "`rg -o`", _version("rg"), ["rg", "--no-config", "-a", "-o", "-N", "-I", "-e", PATTERN], recursive=[]
    )


def grep_command() -> Command:
    """Return GNU grep."""
    return Command("`grep -oE`", _version("grep"), ["grep", "-a", "-o", "-h", "-E", PATTERN], recursive=["-r"])


def _version(program: str) -> str:
    printed = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout  # noqa: S603
    return printed.split("\n", 1)[0].split()[-1]


def node_command() -> Command:
    """Return linkify-it under Node."""
    manifest = Path(sys.prefix, "node_modules", "linkify-it", "package.json")
    version = re.findall(r'"version": *"([^"]+)"', manifest.read_text("utf-8"))[0]
    return Command("linkify-it (Node)", version, ["node", "-e", NODE, "print"], ["node", "-e", NODE, "time"])


def perl_command() -> Command:
    """Return URI::Find under Perl."""
    return Command("URI::Find (Perl)", uri_find_version(), ["perl", "-e", PERL, "print"], ["perl", "-e", PERL, "time"])


def rust_command() -> Command:
    """Return linkify, built here."""
    version = linkify_version()
    program = str(built_with_linkify(RUST))
    return Command("linkify (Rust)", version, [program, "print"], [program, "time"])


def go_command() -> Command:
    """Return xurls, which allows any URL with a scheme, built here."""
    program = str(built_with_xurls(GO))
    return Command("xurls (Go)", xurls_version(), [program, "print"], [program, "time"])


T = TypeVar("T")


def present(makers: Iterable[Callable[[], T]]) -> Iterator[T]:
    """Yield what *makers* make, and name those on stderr that are not here."""
    for maker in makers:
        try:
            yield maker()
        except (ImportError, FileNotFoundError) as error:
            print(f"{maker.__name__} is left out: {error}", file=sys.stderr)


LIBRARIES = (
    fast_library,
    pattern_library,
    re2_library,
    hyperscan_library,
    linkify_it_library,
    urlextract_library,
    iocextract_library,
    iocsearcher_library,
)
MAIL_LIBRARIES = (fast_mail_library, email_library)
PROGRAMS = (fast_command, ripgrep_command, grep_command, rust_command, go_command, perl_command, node_command)
