"""Spark gives the rows of one process, whatever the ranges and partitions are, and after a job that was killed."""

import errno
import gzip
import json
import os
import runpy
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from io import BytesIO, RawIOBase
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from cases import CASES
from documents import marked
from files import FILES, added, made, tarred, warc, zipped
from urlmend import Selection, URLMatch, count, iter_urls
from urlmend.query import Query
from urlmend.reading import Job
from urlmend.record import encodable
from urlmend.sources.directories import files

pa: Any = pytest.importorskip("pyarrow")
parquet: Any = pytest.importorskip("pyarrow.parquet")
pyspark: Any = pytest.importorskip("pyspark", reason="pyspark is not installed: pip install 'urlmend[spark]'")

from pyspark.sql import DataFrame, SparkSession  # noqa: E402 -- skipped without pyspark

from urlmend import spark as on_spark  # noqa: E402
from urlmend.arrow import extract_batches  # noqa: E402
from urlmend.spark import __main__ as the_job, files as spark_files  # noqa: E402
from urlmend.spark.files import InputFile, Opened, Range, below, opened, ranges_of, rows_of, unpacked  # noqa: E402

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "corpora" / "samples"
SPARK = Path(pyspark.__file__).parent / "bin"
PLAIN = Query()

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),  # Java starts several times
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # sockets to the Java side
]

Rows = list[dict[str, Any]]
NOT_REJECTED = dict.fromkeys(("rejected", "rule", "pos"))
ORDER = ("id", "source", "message", "part", "start", "url", "rule")


def ordered(rows: Iterable[dict[str, Any]]) -> Rows:
    return sorted(rows, key=lambda row: [str(row.get(name)) for name in ORDER])


def rows(frame: DataFrame) -> Rows:
    return ordered(frame.toArrow().to_pylist())


def alone(paths: Iterable[Any], source: str = "auto") -> Rows:
    """Return the rows of one process, file by file."""
    return ordered(row for path in paths for row in records(iter_urls(Path(path), source=source)))


def records(matches: Iterable[URLMatch]) -> Iterator[dict[str, Any]]:
    for match in matches:
        record = json.loads(encodable(json.dumps(match.as_dict())))
        origin = match.origin
        yield {**record, "target_uri": origin.target_uri, "record": origin.record, "sent": origin.sent, **NOT_REJECTED}


def files_below(*paths: Path) -> list[str]:
    return [file.name for file in below(map(str, paths))]


# Ranges, by themselves: a job of Spark for each size would take an hour.


def in_ranges(path: Path, size: int, *, rejects: bool = False) -> Rows:
    file = InputFile(str(path), str(path), 1 if path.is_dir() else path.stat().st_size)
    job = Job(PLAIN, rejects=rejects)
    # Separately, because each may be on another machine.
    return [
        row
        for part in unpacked(ranges_of([pa.record_batch({"id": [0]})], [[file]], size, PLAIN))
        for batch in rows_of([part], job)
        for row in batch.to_pylist()
    ]


def letter(number: int, body: str, *more: str) -> str:
    date = f"Sat, {number % 28 + 1} Nov 2026 12:00:00 +0000"
    head = [f"From jane@a.example Sat Nov 21 12:00:{number % 60:02} 2026", f"Message-ID: <{number}@a.example>"]
    return "\n".join([*head, f"Date: {date}", *more, "", body, "", ""])


def mail_of(number: int, body: str) -> bytes:
    """Return `letter` without its `From ` line."""
    return letter(number, body).partition("\n")[2].encode()


TORN = "See <http://www.foo-\nbar.example/> for more."
LINKS = "See http://a.example/1,\n<URL:http://a.example/\n  2> and https://b.example/very/long-\nname."
COUNTED = "A letter:\n\n" + letter(9, "http://inside.example/") * 3
PLAIN_LETTER = letter(1, "http://a.example/")

MBOXES = {
    "torn": PLAIN_LETTER + "".join(letter(n, TORN) for n in range(2, 9)),
    "counted": letter(1, COUNTED, f"Content-Length: {len(COUNTED)}") * 4 + letter(2, "http://a.example/"),
    "a long message": letter(1, "See http://a.example/1\n" * 400) + letter(2, TORN),
    "CRLF": (PLAIN_LETTER * 9).replace("\n", "\r\n"),
    "a text": "\n\n".join(["some words", TORN, LINKS] * 9),
}


@pytest.mark.parametrize("name", MBOXES)
def test_any_ranges_give_the_same(name: str, tmp_path: Path) -> None:
    path = tmp_path / "list.mbox"
    path.write_bytes(MBOXES[name].encode())
    expected = list(records(iter_urls(path)))
    assert expected
    size = path.stat().st_size
    for part in (1, 97, 300, size // 2, size):
        assert in_ranges(path, part) == expected, part


def test_an_archive_is_one_range(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    files = {**FILES, **{f"{number}.mbox": mbox.encode() for number, mbox in enumerate(MBOXES.values())}}
    for packed in (zipped(files), zipped({"in.zip": zipped(files), "b": b"http://b.example/"}), tarred(files)):
        path.write_bytes(packed)
        assert in_ranges(path, 1) == list(records(iter_urls(path)))


def test_faults_of_an_archive_are_one_row(tmp_path: Path) -> None:
    path = tmp_path / "\udce9.zip"  # a byte that is not UTF-8
    path.write_bytes(zipped({name: b"http://a.example/" if name in "bd" else b"\x1f\x8b x" for name in "abcde"}))
    found = [(row["url"], (row["rejected"] or "").partition(":")[0]) for row in in_ranges(path, 1, rejects=True)]
    assert found == [("http://a.example/", ""), ("http://a.example/", ""), (None, rf"{tmp_path}/\udce9.zip!a")]
    path.write_bytes(path.read_bytes()[:-9])
    (row,) = in_ranges(path, 1, rejects=True)
    assert row["rule"] == "source"
    assert "ends early" in row["rejected"]


def test_messages_of_an_inbox_are_ranges(tmp_path: Path) -> None:
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    path = made(tmp_path / "list.git", [added(mail_of(n, TORN + LINKS)) for n in range(9)])
    expected = list(records(iter_urls(path)))
    assert len(expected) == 36
    for size in (1, 2 * spark_files.MAIL_SIZE, 100 * spark_files.MAIL_SIZE):
        assert in_ranges(path, size) == expected
    (path / "HEAD").write_text("ref: refs/heads/none\n")
    shutil.rmtree(path / "refs" / "heads")
    for pack in (path / "objects" / "pack").iterdir():
        pack.unlink()
    assert in_ranges(path, 1, rejects=True) == in_ranges(path, 10**9, rejects=True)


def generated(kind: str, size: int, path: Path, *more: str) -> Path:
    command = [sys.executable, str(ROOT / "corpora" / "generate.py"), kind, "--size", str(size), *more, "-o", str(path)]
    subprocess.run(command, check=True, timeout=60)  # noqa: S603
    return path


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive of all kinds: two mboxes, one of them compressed, a Maildir, texts, samples."""
    folder = tmp_path_factory.mktemp("archive")
    generated("mail", 300_000, folder / "list.mbox", "--bare-breaks")
    old = generated("mail", 50_000, folder / "x", "--seed", "1")
    (folder / "old.mbox.gz").write_bytes(gzip.compress(old.read_bytes()))
    generated("docs", 50_000, folder / "x").rename(folder / "document.txt")
    shutil.copytree(SAMPLES, folder / "samples")
    for name in ("cur", "new", "tmp"):
        (folder / "Maildir" / name).mkdir(parents=True)
    for number in range(40):
        kind = ("cur", "new", "tmp")[number % 3]
        (folder / "Maildir" / kind / f"{number}:2,S").write_bytes(mail_of(number, TORN))
    return folder


# Files


def test_files_are_those_of_the_command(archive: Path) -> None:
    assert files_below(archive) == list(files(str(archive)))
    path = archive / "list.mbox"
    assert list(below(str(path))) == [InputFile(str(path), str(path), path.stat().st_size)]
    found = list(below(f"file://{SAMPLES}"))
    assert [file.name for file in found] == sorted(f"file://{name}" for name in files_below(SAMPLES))
    with opened(found[0]) as file:
        assert file.read(1 << 20) == Path(found[0].name.removeprefix("file://")).read_bytes()


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_a_missing_file_raises(tmp_path: Path, scheme: str) -> None:
    with pytest.raises(FileNotFoundError, match="missing"):
        list(below(f"{scheme}{tmp_path}/missing"))


def test_fsspec_opens_other_urls() -> None:
    fsspec: Any = pytest.importorskip("fsspec")
    data = PLAIN_LETTER.encode()
    with fsspec.open("memory://lists/a.mbox", "wb") as file:
        file.write(data)
    (found,) = below("memory://lists")
    assert (found.name, found.size) == ("memory://lists/a.mbox", len(data))
    (batch,) = rows_of([Range(found)], Job(PLAIN))
    assert batch.column("source").to_pylist() == ["memory://lists/a.mbox"]


def test_an_error_of_reading_is_not_a_fault_of_the_file() -> None:
    class Failing(RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, _buffer: Any, /) -> int:
            raise OSError("timed out")

    # With an errno, or a compressed file would seem to be corrupt, and Spark would not try again.
    with pytest.raises(OSError, match="timed out") as raised:
        Opened(Failing(), "s3://bucket/a.gz").read(1)
    assert (raised.value.errno, raised.value.filename) == (errno.EIO, "s3://bucket/a.gz")


@pytest.mark.parametrize("wrong", [{"range_size": 0}, {"join": "all"}, {"source": "mail"}])
def test_invalid_options_raise(wrong: dict[str, Any]) -> None:
    nothing: Any = None
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} must be"):
        on_spark.read_mail(nothing, [], **wrong)


# Spark


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        pytest.skip("Spark needs Java 17 or later: apt-get install default-jre-headless")
    # Most of the time would go into compiling Java that runs for seconds.
    os.environ.update(SPARK_LOCAL_IP="127.0.0.1", JAVA_TOOL_OPTIONS="-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
    os.environ.pop("PYSPARK_PYTHON", None)  # the workers run the Python that runs this
    settings: dict[str, Any] = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "1g",
        "spark.sql.shuffle.partitions": "2",
        "spark.log.level": "ERROR",
    }
    running = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    yield running
    running.stop()


def test_texts(spark: SparkSession) -> None:
    texts = [None, *(case.text for case in CASES.values()), ""]
    table = pa.table({"id": range(len(texts)), "more": ["x"] * len(texts), "text": texts})
    expected = list(extract_batches(table.to_batches(), keep=("more", "id"), rejects=True))
    for partitions in (1, 8):
        frame = spark.createDataFrame(table).repartition(partitions)
        found = on_spark.extract(frame, keep=("more", "id"), rejects=True)
        assert found.columns == expected[0].schema.names
        assert rows(found) == ordered(row for batch in expected for row in batch.to_pylist())


def test_archives_in_a_column(spark: SparkSession) -> None:
    data = (SAMPLES / "list.mbox").read_bytes()
    frame = spark.createDataFrame([(1, bytearray(data))], "id int, body binary")
    found = on_spark.extract(frame, "body", source="mbox").collect()
    assert [row.url for row in found] == [match.url for match in iter_urls(BytesIO(data))]


def test_a_missing_column_raises(spark: SparkSession) -> None:
    with pytest.raises(ValueError, match="is called 'key'"):
        on_spark.extract(spark.range(1), "id", keep=("key",))


def test_the_workers_run_this_python(spark: SparkSession, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    context: Any = spark.sparkContext
    on_spark.read_mail(spark, str(tmp_path))
    assert context.pythonExec == sys.executable
    monkeypatch.setattr(context, "pythonExec", "/usr/bin/another")
    monkeypatch.setenv("PYSPARK_PYTHON", "/usr/bin/another")
    on_spark.read_mail(spark, str(tmp_path))
    assert context.pythonExec == "/usr/bin/another"


def test_the_driver_opens_no_file(spark: SparkSession, archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = InputFile("list.mbox", str(archive / "list.mbox"), (archive / "list.mbox").stat().st_size)
    with monkeypatch.context() as patched:
        patched.setattr(spark_files, "opened", None)
        frame = on_spark.read(spark, [known], Job(PLAIN), 50_000)
    assert len(rows(frame)) == len(alone([archive / "list.mbox"]))


def test_archives_in_many_tasks(spark: SparkSession, archive: Path, tmp_path: Path) -> None:
    below_archive = {name: Path(name).read_bytes() for name in files_below(archive)}
    (tmp_path / "a.zip").write_bytes(zipped(below_archive))
    (tmp_path / "a.tgz").write_bytes(gzip.compress(tarred(below_archive)))
    if shutil.which("git"):
        made(tmp_path / "list.git", [added(mail_of(n, TORN)) for n in range(200)])
    for name in ("old.mbox.gz", "document.txt", "list.mbox"):  # large ones that are not an mbox are one task
        shutil.copy(archive / name, tmp_path)
    found = on_spark.read_mail(spark, str(tmp_path), range_size=20_000)
    assert rows(found) == alone(files_below(tmp_path))
    assert found.rdd.getNumPartitions() > 20


def test_two_archives_joined(spark: SparkSession, tmp_path: Path) -> None:
    letters = [letter(n, f"http://a.example/{n % 3}") for n in range(6)]
    for name, some in (("one", letters[:4]), ("two", letters[2:])):
        (tmp_path / name).write_text("".join(some))
        job(tmp_path / name, tmp_path / f"{name}.out")
    shared = runpy.run_path(str(ROOT / "benchmarks" / "join_harvests.py"))["shared"]
    joined = shared(*(spark.read.parquet(str(tmp_path / f"{name}.out")) for name in ("one", "two")))
    found = [(row.url, row.times_1, row.times_2, row.since_2.day) for row in joined.collect()]
    assert found == [(f"http://a.example/{n}", *counts) for n, *counts in ((0, 2, 1, 4), (2, 1, 2, 3), (1, 1, 1, 5))]


def test_mail(spark: SparkSession, archive: Path) -> None:
    every = rows(on_spark.read_mail(spark, str(archive)))
    assert every == alone(files_below(archive))
    selection = Selection(until="2026-11-10")
    chosen = rows(on_spark.read_mail(spark, str(archive), range_size=20_000, selection=selection))
    assert chosen == [row for row in every if (row["date"] or "9999") < "2026-11-11"]
    assert 0 < len(chosen) < len(every)


def test_a_broken_file_has_a_row_and_ends_nothing(spark: SparkSession, archive: Path, tmp_path: Path) -> None:
    whole = (archive / "old.mbox.gz").read_bytes()
    (tmp_path / "broken.mbox.gz").write_bytes(whole[:-2000])
    paths = [str(tmp_path / "broken.mbox.gz"), str(SAMPLES / "list.mbox")]
    found = rows(on_spark.read_mail(spark, paths, rejects=True))
    (fault,) = (row for row in found if row["rule"] == "source")
    assert fault["source"] == paths[0]
    assert "ends early" in fault["rejected"]
    kept = [row for row in found if row["rule"] is None]
    assert rows(on_spark.read_mail(spark, paths)) == kept
    assert {row["source"] for row in kept} == set(paths)


def wet(path: Path, texts: Iterable[str]) -> Path:
    with path.open("wb") as file:
        for number, text in enumerate(texts):
            file.write(gzip.compress(warc("conversion", "text/plain", text.encode(), number)))
    return path


@pytest.mark.parametrize("size", [1, on_spark.RANGE_SIZE])
def test_web_archives(spark: SparkSession, tmp_path: Path, size: int) -> None:
    texts = [case.text for case in CASES.values()]
    paths = [str(wet(tmp_path / f"{n}.warc.wet.gz", texts[n::3])) for n in range(3)]
    found = rows(on_spark.read_warc(spark, paths, range_size=size))
    assert found == alone(paths)
    assert {row["record"] for row in found} > {"urn:uuid:0"}


@pytest.mark.timeout(600)
@pytest.mark.skipif("URLMEND_SHARED" not in os.environ, reason="URLMEND_SHARED is not set")
def test_real_archives(spark: SparkSession) -> None:
    paths = files_below(Path(os.environ["URLMEND_SHARED"]) / "corpora" / "mail")[::24]
    found = rows(on_spark.read_mail(spark, paths, range_size=500_000))
    assert found == alone(paths)
    assert len(found) > 1_000


@pytest.mark.usefixtures("spark")
def test_the_recipes_of_the_documents(archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(archive / "Maildir", "Maildir")
    shutil.copy(archive / "list.mbox", "list.mbox")
    Path("wet").mkdir()
    wet(Path("wet/a.warc.wet.gz"), [LINKS])
    texts = pa.table({"id": [1], "text": [LINKS]})
    parquet.write_table(texts, "texts.parquet")
    recipes = marked("spark")
    names: dict[str, Any] = {}
    # Relative paths are those of the folder where Java was started.
    exec(recipes.replace("texts.parquet", str(tmp_path / "texts.parquet")), names)  # noqa: S102 -- the page's own
    assert rows(names["texts"]) == ordered(*[batch.to_pylist() for batch in extract_batches(texts.to_batches())])
    assert rows(names["pages"]) == alone(["wet/a.warc.wet.gz"])
    mail = alone(["list.mbox", *files_below(Path("Maildir"))])
    assert rows(names["mail"]) == mail
    assert {row.url for row in names["first"].collect()} == {row["url"] for row in mail}
    matches = [match for path in ("list.mbox", "Maildir") for match in iter_urls(Path(path))]
    assert {tuple(row) for row in names["hosts"].collect()} == set(count(matches, "host").items())
    assert sum(row[1] for row in names["months"].collect()) == sum(count(matches, "month").values())


# The job


def job(*arguments: object) -> str:
    done = CliRunner().invoke(the_job.main, list(map(str, arguments)), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def written(spark: SparkSession, out: Path) -> Rows:
    return rows(spark.read.parquet(str(out)).drop("batch", the_job.MONTH))


def test_an_invalid_option_of_the_job() -> None:
    done = CliRunner().invoke(the_job.main, ["--min-confidence", "2", "in", "out"])
    assert done.exit_code == 2
    assert "--min-confidence must be from 0 to 1" in done.output


def test_a_job_goes_on(spark: SparkSession, archive: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    by = ("--partition-by", "form", "--partition-by", "month")
    job(archive / "samples", out, *by, "--batch-size", 100_000)
    assert written(spark, out) == alone(files_below(archive / "samples"))
    assert {path.name for path in (out / "batch=1").glob("form=*")} >= {"form=wrapper", "form=bare"}
    # As if it was killed before it noted the last batch, with half of it there. Since then there are more files.
    for noted in (out / "_written").glob("*.json"):
        if '"batch":1' in noted.read_text("utf-8"):
            noted.unlink()
    shutil.rmtree(out / "batch=1" / "form=bare")
    assert ", 1 read before" in job(archive, out, *by, "--batch-size", 10_000_000)
    expected = alone(files_below(archive))
    assert written(spark, out) == expected
    assert "files: 0 new, " in job(archive, out, *by)
    assert written(spark, out) == expected


def test_a_job_that_is_killed(spark: SparkSession, archive: Path, tmp_path: Path) -> None:
    arguments = [str(archive), str(tmp_path / "out"), "--batch-size", "250000", "--range-size", "60000"]
    submit = [str(SPARK / "spark-submit"), "--master", "local[2]", "--driver-memory", "1g"]
    running = subprocess.Popen(  # noqa: S603 -- our own
        [*submit, "--conf", "spark.ui.enabled=false", the_job.__file__, *arguments],
        env={**os.environ, "PYSPARK_PYTHON": sys.executable},  # spark-submit is not Python
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        assert any("files are written" in line for line in running.stdout or ())
    finally:
        os.killpg(running.pid, signal.SIGKILL)
        running.communicate(timeout=10)
    assert " 0 new" not in job(*arguments)
    assert written(spark, tmp_path / "out") == alone(files_below(archive))
