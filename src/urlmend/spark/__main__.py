"""The job: `python -m urlmend.spark IN… OUT`, or this file under `spark-submit`."""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col, substring

from urlmend.arrow import SCHEMA
from urlmend.grammar.profiles import PROFILES
from urlmend.query import JOINS, Join, Query, check_min_confidence
from urlmend.sources import SOURCES
from urlmend.spark import RANGE_SIZE, read
from urlmend.spark.files import File, below

MONTH = "month"
"""A column only for partitions: the first seven characters of `date`."""

RANGES_PER_CORE = 32
"""How much is read before its rows are safe, in ranges for each core: some minutes of work."""

_WRITTEN = "batch long, name string"


class Output:
    """The directory at *path*: the rows of each batch of files are in `batch=N`, and the files read are noted.

    The directory of a batch is written anew, whatever is in it, and its files are noted once it is whole. So no row is
    there twice wherever a job is killed: the next job begins with the same number. Spark writes all of it.
    """

    def __init__(self, spark: SparkSession, path: str) -> None:
        self._spark = spark
        self._path = path.rstrip("/")
        written = self._written()
        self.read = {name for _, name in written}
        self._number = 1 + max((number for number, _ in written), default=-1)

    def write(self, files: Iterable[File], rows: DataFrame, by: tuple[str, ...]) -> None:
        """Write *rows*, those of *files*, as the next batch, in directories by the columns *by*."""
        if MONTH in by:
            rows = rows.withColumn(MONTH, substring(col("date"), 1, 7))
        rows.write.mode("overwrite").partitionBy(*by).parquet(f"{self._path}/batch={self._number}")
        noted = self._spark.createDataFrame([(self._number, file.name) for file in files], _WRITTEN)
        noted.coalesce(1).write.mode("append").json(f"{self._path}/_written")
        self._number += 1

    def _written(self) -> list[tuple[int, str]]:
        try:
            # Named by a pattern, for Spark warns of what it reads in a directory whose name begins with "_".
            rows = self._spark.read.schema(_WRITTEN).json(f"{self._path}/_written/*.json").collect()
        except AnalysisException as error:
            if error.getCondition() == "PATH_NOT_FOUND":
                return []
            raise
        return [(row.batch, row.name) for row in rows]


def batches(files: Iterable[File], size: int) -> Iterator[list[File]]:
    """Yield *files* by the batch, of *size* bytes or little more than that."""
    batch: list[File] = []
    held = 0
    for file in files:
        batch.append(file)
        held += file.size
        if held >= size:
            yield batch
            batch, held = [], 0
    if batch:
        yield batch


class _Job(NamedTuple):
    """The options and arguments, under the names that click gives them."""

    inputs: tuple[str, ...]
    out: str
    inputs_from: str | None
    partition_by: tuple[str, ...]
    source: str
    profile: str
    join: Join
    rejects: bool
    min_confidence: float
    schemeless: bool
    addresses: bool
    refang: bool
    unwrap: bool
    range_size: int
    batch_size: int | None


def _checked(_ctx: click.Context, _parameter: click.Parameter, value: float) -> float:
    try:
        check_min_confidence(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
    return value


@click.command(context_settings={"help_option_names": ["--help"], "max_content_width": 100})
@click.argument("inputs", metavar="[IN]...", nargs=-1)
@click.argument("out", metavar="OUT")
@click.option(
    "--inputs-from", type=click.Path(exists=True, dir_okay=False), help="A file that names inputs, one a line."
)
@click.option("--partition-by", multiple=True, type=click.Choice([*SCHEMA.names, MONTH]), metavar="COLUMN")
@click.option("--source", type=click.Choice(list(SOURCES)), default="auto", help="What the files are.")
@click.option("--profile", type=click.Choice(list(PROFILES)), default="web")
@click.option("--join", type=click.Choice(JOINS), default="evident")
@click.option("--rejects", is_flag=True, help="Write what is no URL, too.")
@click.option(
    "--min-confidence", type=float, callback=_checked, default=0.0, help="Only URLs at least so sure, 0 to 1."
)
@click.option("--schemeless", is_flag=True, help="Find www.a.example and a.com/b, too.")
@click.option("--addresses", is_flag=True, help="Find jane@a.example, too.")
@click.option("--refang", is_flag=True, help="Find hxxp://a[.]example, too.")
@click.option("--unwrap", is_flag=True, help="Fill the column target: the address inside of SafeLinks and the like.")
@click.option("--range-size", type=click.IntRange(1), default=RANGE_SIZE, help="How many bytes are a task, about.")
@click.option("--batch-size", type=click.IntRange(1), help="How many bytes are read before their rows are safe, about.")
def main(**given: Any) -> None:  # noqa: ANN401 -- what click makes of the options
    """Write the URLs of the files and directories IN to OUT as Parquet; run again, those of new files."""
    job = _Job(**given)
    listed = Path(job.inputs_from).read_text("utf-8").split("\n") if job.inputs_from else []
    spark = SparkSession.builder.appName("urlmend").getOrCreate()
    query = Query(
        job.source,
        PROFILES[job.profile],
        job.join,
        job.min_confidence,
        job.schemeless,
        job.addresses,
        job.refang,
        job.unwrap,
    )
    try:
        given = {file.name: file for file in below([*job.inputs, *filter(None, listed)], job.source)}
    except OSError as error:
        message = f"{error.filename}: {error.strerror}"
        raise click.ClickException(message) from error
    output = Output(spark, job.out)
    new = [file for name, file in given.items() if name not in output.read]
    click.echo(f"urlmend: files: {len(new)} new, {len(given) - len(new)} read before", err=True)
    size = job.batch_size or RANGES_PER_CORE * job.range_size * spark.sparkContext.defaultParallelism
    done = 0
    for batch in batches(new, size):
        output.write(batch, read(spark, batch, query, job.range_size, rejects=job.rejects), job.partition_by)
        done += len(batch)
        click.echo(f"urlmend: {done} of {len(new)} files are written", err=True)


if __name__ == "__main__":
    sys.exit(main(prog_name="python -m urlmend.spark"))
