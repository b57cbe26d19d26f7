"""The engines that join predictions with sightings. Each is a process of its own, so that its memory can be measured.

    engines.py duckdb|clickhouse|spark SIGHTINGS PREDICTIONS [QUERY RESULT]…

SIGHTINGS is a file of Parquet, and PREDICTIONS a folder of one format, `parquet`, `arrow` or `csv`, with a folder for each day.
Each file QUERY is run as it is, and its rows are written to the folder or file RESULT as Parquet.
"""

import os
import sys
from pathlib import Path


def view(engine, name):
    """Returns the definition of a view that the comment at the top of the engine's query suggests."""
    from inkling.archive import query

    comment = " ".join(line[2:].strip() for line in query(engine).split("\n\nwith ")[0].split("\n"))
    return [part.split(";")[0] for part in comment.split("create view ")[1:] if part.startswith(f"{name} ")]


def duckdb(sightings, predictions, work):
    import duckdb

    database = duckdb.connect()
    tables = view("duckdb", "predictions")[1 if predictions.name == "csv" else 0]
    database.execute("create view " + view("duckdb", "sightings")[0].replace("sightings/*.parquet", str(sightings)))
    database.execute("create view " + tables.replace("predictions/*", f"{predictions}/*/*"))
    for query, result in work:
        database.execute(f"copy ({query}) to '{result}' (format parquet)")


def clickhouse(sightings, predictions, work):
    from chdb import session

    database = session.Session()
    tables = view("clickhouse", "predictions")[1 if predictions.name == "csv" else 0]
    tables = tables.replace("predictions/*.parquet", f"predictions/*.{predictions.name}")
    database.query("create database archive engine = Atomic; use archive")
    database.query("create view " + view("clickhouse", "sightings")[0].replace("sightings/*.parquet", str(sightings)))
    database.query("create view " + tables.replace("predictions/*", f"{predictions}/*/*"))
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
    session.stop()


def main():
    engine, sightings, predictions, *words = sys.argv[1:]
    # Some leave files in the working directory.
    os.chdir(Path(words[1]).parent)
    work = [(Path(query).read_text(encoding="utf-8"), result) for query, result in zip(words[::2], words[1::2])]
    {"duckdb": duckdb, "clickhouse": clickhouse, "spark": spark}[engine](Path(sightings), Path(predictions), work)


if __name__ == "__main__":
    main()
