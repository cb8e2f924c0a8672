"""The cost of Spark: the library, its Arrow functions, Spark alone and Spark with urlmend, alternating in one run.

usage: URLMEND_SHARED=DIR python benchmarks/spark.py [--install] [--rounds N] [--size MB]

The work: texts of list mail, a message a row. CPU is that of this process, of Spark's Java side and of its Python
workers together, so that the machine's other work counts little. One core: `local[1]`.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.environment import machine, run_installed

from urlmend import find_urls, iter_texts

BATCH = 1000
"""How many texts a batch has."""


def texts(folder: Path, size: int) -> list[str]:
    """Return the texts of the mailing lists in *folder*, repeated up to about *size* bytes."""
    once = [str(text.data) for path in sorted(folder.glob("*.mbox")) for text in iter_texts(path)]
    times = 1 + size // sum(map(len, once))
    return (once * times)[: len(once) * times]


def cpu() -> float:
    """Return the seconds of CPU that this process and those below it have taken so far (Linux)."""
    ticks: dict[int, tuple[int, int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text("ascii", "replace").rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
        # proc_pid_stat(5): the parent; the time in user and in kernel mode, and that of the children waited for
        ticks[int(path.parent.name)] = int(fields[1]), sum(map(int, fields[11:15]))
    family = {os.getpid()}
    while more := {pid for pid, (parent, _) in ticks.items() if parent in family} - family:
        family |= more
    return sum(ticks[pid][1] for pid in family) / os.sysconf("SC_CLK_TCK")


def identity(batches: Iterable[Any]) -> Iterator[Any]:
    """Yield nothing of *batches*, which come in all the same."""
    for batch in batches:
        yield batch.slice(0, 1).select(["id"])


def ways(given: list[str], path: str) -> dict[str, Callable[[], int]]:
    """Return the ways to count the URLs in *given*, which Parquet holds at *path*."""
    import pyarrow as pa  # noqa: PLC0415 -- installed by --install
    from pyarrow import parquet  # noqa: PLC0415
    from pyspark.sql import SparkSession  # noqa: PLC0415

    from urlmend.arrow import extract_batches  # noqa: PLC0415
    from urlmend.spark import extract  # noqa: PLC0415

    table = pa.table({"id": range(len(given)), "text": given})
    parquet.write_table(table, path)
    batches = table.to_batches(BATCH)
    os.environ.update(SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable)
    settings: dict[str, Any] = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "1g",
        "spark.log.level": "ERROR",
        "spark.sql.execution.arrow.maxRecordsPerBatch": str(BATCH),
    }
    spark = SparkSession.builder.master("local[1]").config(map=settings).getOrCreate()
    return {
        "the library": lambda: sum(len(find_urls(text)) for text in given),
        "`extract_batches`": lambda: sum(batch.num_rows for batch in extract_batches(batches)),
        "Spark, nothing done": lambda: spark.read.parquet(path).mapInArrow(identity, "id long").count() * 0,
        "Spark, `extract`": lambda: extract(spark.read.parquet(path)).count(),
    }


def measure(rounds: int, size: int, path: str) -> None:
    """Print the table."""
    given = texts(Path(os.environ["URLMEND_SHARED"]) / "corpora" / "mail" / "mbox", size)
    total = sum(map(len, given)) / 1e6
    counted = ways(given, path)
    best = dict.fromkeys(counted, (float("inf"), float("inf")))
    counts = {name: count() for name, count in counted.items()}  # once to be warm
    assert len(set(counts.values()) - {0}) == 1, counts
    for _ in range(rounds):
        for name, count in counted.items():
            begun, clock = cpu(), time.perf_counter()
            assert count() == counts[name]
            best[name] = min(best[name], (cpu() - begun, time.perf_counter() - clock))
    print(f"{total:.1f} MB in {len(given)} texts, {counts['the library']} URLs; best of {rounds}")
    print(f"{machine(['pyspark', 'pyarrow'])}\n")
    print("| | MB/s of CPU | CPU, s | clock, s | CPU ÷ the library's |\n|:---|---:|---:|---:|---:|")
    for name, (used, clock) in best.items():
        row = f"{total / used:.1f} | {used:.2f} | {clock:.2f} | {used / best['the library'][0]:.2f}"
        print(f"| {name} | {row} |")


def main() -> int:
    """Measure, or install what it takes and measure there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--install", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--size", type=int, default=100, metavar="MB")
    arguments = parser.parse_args()
    if arguments.install:
        again = [argument for argument in sys.argv[1:] if argument != "--install"]
        return run_installed(__file__, again, ["pyspark[sql]", "pandas<3"])
    from tempfile import TemporaryDirectory  # noqa: PLC0415 -- for this branch

    with TemporaryDirectory() as folder:
        measure(arguments.rounds, arguments.size * 1_000_000, f"{folder}/texts.parquet")
    return 0


if __name__ == "__main__":
    sys.exit(main())
