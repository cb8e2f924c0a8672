"""The job: `python -m urlmend.spark IN… OUT`, or this file under `spark-submit`."""

import sys
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col, substring

from urlmend.arrow import SCHEMA
from urlmend.cli import options as shared
from urlmend.reading import Job
from urlmend.sources.containers import batches
from urlmend.spark import RANGE_SIZE, read
from urlmend.spark.files import InputFile, below

MONTH = "month"
"""A column for partitions only: the first seven characters of `date`."""

RANGES_PER_CORE = 32
"""The default size of a batch, in ranges for each core: some minutes of work."""

_WRITTEN = "batch long, name string"


def written(spark: SparkSession, out: str) -> list[tuple[int, str]]:
    """Return the batches that are complete in the directory *out*, by their numbers, and the files in them."""
    try:
        # A pattern, because Spark warns when it reads a directory whose name begins with "_". It is there twice:
        # of a single path Spark reads metadata first, and warns, with a trace, if no file has the pattern as its name.
        rows = spark.read.schema(_WRITTEN).json([f"{out}/_written/*.json"] * 2).collect()
    except AnalysisException as error:
        if error.getCondition() == "PATH_NOT_FOUND":
            return []
        raise
    return [(row.batch, row.name) for row in rows]


def write(out: str, number: int, files: Iterable[InputFile], rows: DataFrame, by: tuple[str, ...]) -> None:
    """Write *rows*, which are those of *files*, as a batch into *out*, in directories by the columns *by*.

    It replaces whatever is in the batch's directory, and its files are added to the list when it is complete. The job
    that follows a killed one begins with the same number, so that no row is written twice. Spark writes the list, too.
    """
    if MONTH in by:
        rows = rows.withColumn(MONTH, substring(col("date"), 1, 7))
    rows.write.mode("overwrite").partitionBy(*by).parquet(f"{out}/batch={number}")
    read = rows.sparkSession.createDataFrame([(number, file.name) for file in files], _WRITTEN)
    read.coalesce(1).write.mode("append").json(f"{out}/_written")


@click.command(context_settings={"help_option_names": ["--help"], "max_content_width": 100})
@click.argument("inputs", metavar="[IN]...", nargs=-1)
@click.argument("out", metavar="OUT")
@click.option(
    "--inputs-from", type=click.Path(exists=True, dir_okay=False), help="A file with more inputs, one on each line."
)
@click.option("--partition-by", multiple=True, type=click.Choice([*SCHEMA.names, MONTH]), metavar="COLUMN")
@shared.query()
@shared.selection
@click.option("--rejects", is_flag=True, help="Write rejected candidates too.")
@click.option("--range-size", type=click.IntRange(1), default=RANGE_SIZE, help="Bytes in a task, about.")
@click.option(
    "--batch-size",
    type=click.IntRange(1),
    help="Bytes in a batch, about: the rows of a complete batch survive a crash.",
)
def main(**given: Any) -> None:  # noqa: ANN401 -- what click makes of the options
    """Write the URLs in the files and directories IN to OUT as Parquet. A second run adds those of new files."""
    options = SimpleNamespace(**given)
    listed = Path(options.inputs_from).read_text("utf-8").split("\n") if options.inputs_from else []
    spark = SparkSession.builder.appName("urlmend").getOrCreate()
    try:
        there = below([*options.inputs, *filter(None, listed)], options.query.source_name)
        files = {file.name: file for file in there}
    except OSError as error:
        raise click.ClickException(f"{error.filename}: {error.strerror}") from error
    out = options.out.rstrip("/")
    batches_written = written(spark, out)
    read_before = {name for _, name in batches_written}
    new = [file for name, file in files.items() if name not in read_before]
    click.echo(f"urlmend: files: {len(new)} new, {len(files) - len(new)} read before", err=True)
    size = options.batch_size or RANGES_PER_CORE * options.range_size * spark.sparkContext.defaultParallelism
    job = Job(options.query, options.selection, rejects=options.rejects)
    done = 0
    first = 1 + max((number for number, _ in batches_written), default=-1)
    for number, batch in enumerate(batches(new, size, lambda file: file.size), first):
        write(out, number, batch, read(spark, batch, job, options.range_size), options.partition_by)
        done += len(batch)
        click.echo(f"urlmend: {done} of {len(new)} files are written", err=True)


if __name__ == "__main__":
    sys.exit(main(prog_name="python -m urlmend.spark"))
