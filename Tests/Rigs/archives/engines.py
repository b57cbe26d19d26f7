"""The engines that join predictions with sightings. Each is a process of its own, so that its memory can be measured.

    engines.py duckdb|clickhouse|spark SIGHTINGS PREDICTIONS [QUERY RESULT]…

SIGHTINGS is a file of Parquet, or for DuckDB a log of JSON lines, and PREDICTIONS a folder of one format, `parquet`, `arrow` or `csv`, with a folder for each day.
The tables are defined as the comment in the query of the engine suggests. Each file QUERY is run as it is, and its rows are
written to the folder or file RESULT as Parquet. Prints what other processes took, as JSON.
"""

import json
import os
import sys
from pathlib import Path


def views(engine, name):
    """Returns the definitions of a table that the comment at the top of the engine's query suggests."""
    from inkling.archive import query

    comment = " ".join(line[2:].strip() for line in query(engine).split("\n\nwith ")[0].split("\n"))
    return [part.split(";")[0] for part in comment.split("create view ")[1:] if part.startswith(f"{name} ")]


def duckdb(sightings, predictions, work):
    import duckdb

    database = duckdb.connect()
    parquet, log = views("duckdb", "sightings")
    source = log.replace("sightings.jsonl", str(sightings)) if sightings.suffix == ".jsonl" else parquet.replace("sightings/*/*.parquet", str(sightings))
    table = views("duckdb", "predictions")[predictions.name == "csv"].replace("predictions/", f"{predictions}/")
    database.execute(f"create view {source}; create view {table}")
    for query, result in work:
        database.execute(f"copy ({query}) to '{result}' (format parquet)")


def clickhouse(sightings, predictions, work):
    from chdb import session

    database = session.Session()
    [source] = views("clickhouse", "sightings")
    table = views("clickhouse", "predictions")[predictions.name == "csv"].replace("predictions/", f"{predictions}/")
    if predictions.name == "arrow":
        table = table.replace(".parquet", ".arrow")
    database.query("create database archive engine = Atomic; use archive")
    database.query("create view " + source.replace("sightings/*/*.parquet", str(sightings)))
    database.query(f"create view {table}")
    for query, result in work:
        database.query(f"insert into function file('{result}', Parquet) {query}")


def spark(sightings, predictions, work):
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master("local[*]").config("spark.ui.enabled", "false").config("spark.driver.memory", "4g")
        .config("spark.driver.host", "127.0.0.1").config("spark.sql.shuffle.partitions", "8").getOrCreate())
    session.read.parquet(str(sightings)).createOrReplaceTempView("sightings")
    if predictions.name == "csv":
        tables = session.read.csv(
            str(predictions), header=True, escape='"',
            schema="epoch bigint, minor int, name string, contact string, device smallint")
        tables = tables.selectExpr("epoch", "minor", "unhex(name) as name", "contact", "device")
    else:
        tables = session.read.parquet(str(predictions))
    tables.createOrReplaceTempView("predictions")
    for query, result in work:
        session.sql(query).coalesce(1).write.parquet(result)
    print(json.dumps(figures(session.sparkContext._gateway.proc.pid)))
    session.stop()


def figures(process):
    """The processor time in seconds and the peak memory in bytes of a running process."""
    status, stat = (Path(f"/proc/{process}/{name}").read_text() for name in ("status", "stat"))
    peak = next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM:"))
    return {"cpu": sum(map(int, stat.rpartition(")")[2].split()[11:13])) / os.sysconf("SC_CLK_TCK"), "peak": peak}


def main():
    engine, sightings, predictions, *words = sys.argv[1:]
    # Some leave files in the working directory.
    os.chdir(Path(words[1]).parent)
    work = [(Path(query).read_text(encoding="utf-8"), result) for query, result in zip(words[::2], words[1::2])]
    {"duckdb": duckdb, "clickhouse": clickhouse, "spark": spark}[engine](Path(sightings), Path(predictions), work)


if __name__ == "__main__":
    main()
