"""An archive of sightings and the predictions for it: two days, one table of predictions for each, as `inkling-kit predict` makes them.

DuckDB draws the sightings from the numbers of their rows, so that they are the same in every run. Of a thousand, 960 are of
strangers, 30 show a value of a prediction near the ends of its time, to the microsecond, and 10 at some moment of it. The first
sightings show each minor that two owners have in one epoch.
"""

import hashlib
import subprocess
from pathlib import Path

import duckdb
import pyarrow
from pyarrow import parquet

BEGIN, DAYS = 1785542400, 2
EPOCH, SKEW = 900_000_000, 120_000_000
# Microseconds after the beginning of an epoch, at which its values just count, or just do not.
EDGES = (
    -SKEW - 1_000_000, -SKEW - 1, -SKEW, -SKEW + 1, -1, 0, EPOCH - 1, EPOCH, EPOCH + SKEW - 1, EPOCH + SKEW, EPOCH + SKEW + 1,
    EPOCH + SKEW + 999_999,
)  # fmt: skip
FORMATS = ("text", "csv", "parquet", "arrow")


def roots(folder, contacts):
    """Writes the roots of the contacts; returns the words that name them to `inkling-kit predict`."""
    words = []
    for number in range(contacts):
        path = Path(folder, f"root-{number:04}")
        path.write_bytes(hashlib.sha256(b"contact %d" % number).digest())
        words += ["--root-file", f"c{number:04}={path}"]
    return words


def table(folder, day, format):
    return Path(folder, "predictions", format, f"day={day}", f"predictions.{format}")


def predict(kit, folder, contacts, devices):
    """Writes the predictions of each day in each format, in a folder for the day."""
    words = roots(folder, contacts)
    for day in range(DAYS):
        for format in FORMATS:
            path = table(folder, day, format)
            path.parent.mkdir(parents=True)
            done = subprocess.run(
                [kit, "predict", *words, "--devices", str(devices), "--from", str(BEGIN + 86400 * day), "--format", format,
                 "--output", path],
                stderr=subprocess.PIPE, text=True, check=False)
            if done.returncode != 0:
                raise SystemExit(f"archives: inkling-kit predict --format {format} ended with {done.returncode}: {done.stderr}")


def draw(folder, count):
    """Writes this many sightings, as Parquet for the engines and as lines for `inkling-kit match`.

    The Parquet has names as binary values of any length, as DuckDB writes them. Returns how many sightings show a minor of two
    owners.
    """
    sightings, log = Path(folder, "sightings.parquet"), Path(folder, "sightings.jsonl")
    database = duckdb.connect()
    database.execute("set preserve_insertion_order = true")
    database.execute(f"""
        create table shown as
        select row_number() over (order by epoch, contact, device) - 1 as number, epoch, minor, name
        from (select distinct epoch, minor, name, contact, device from '{folder}/predictions/parquet/*/*.parquet');
        create table shared as
        select row_number() over (order by epoch, minor) as row, epoch, minor from shown group by epoch, minor having count(*) > 1;
        create table edges as select unnest({list(EDGES)}) as edge, unnest(range({len(EDGES)})) as number;
    """)
    shared = database.execute("select count(*) from shared where row <= ?", [count // 10]).fetchone()[0]
    database.execute(f"""
        create table sightings as
        with drawn as (
            select row, hash(row, 1) % 1000 as kind, hash(row, 2) % 4 as values,
                -- An hour before the first day to an hour after the last.
                ({BEGIN} - 3600) * 1000000::bigint + (hash(row, 3) % {(86400 * DAYS + 7200) * 1_000_000})::bigint as any_time,
                (hash(row, 4) % 65536)::usmallint as any_minor, unhex(md5('name ' || row)) as any_name,
                hash(row, 5) % (select count(*) from shown) as number, hash(row, 6) % {len(EDGES)} as edge,
                (hash(row, 7) % {EPOCH + 2 * SKEW})::bigint - {SKEW} as moment
            from range(1, {count + 1}) as rows(row)),
        placed as (
            select d.row, d.kind, d.values, d.any_time, d.any_minor, d.any_name, s.row is not null as is_shared,
                coalesce(s.epoch, p.epoch) as epoch, coalesce(s.minor, p.minor) as minor, p.name,
                if(d.kind < 30 and s.row is null, e.edge, d.moment) as moment
            from drawn d
            left join shared s on s.row = d.row and d.row <= {shared}
            left join shown p on p.number = d.number and d.kind < 40
            left join edges e on e.number = d.edge)
        select
            make_timestamptz(if(epoch is null, any_time, epoch * {EPOCH}::bigint + moment)) as time,
            -- Of four sightings two have a minor, one a name, and one both; the name can then be another's.
            case when is_shared or values in (0, 1) then coalesce(minor, any_minor)
                when values = 3 then if(row % 2 = 0, any_minor, coalesce(minor, any_minor)) end as minor,
            case when is_shared or values in (0, 1) then null else coalesce(name, any_name) end as name,
            (-30 - hash(row, 8) % 70)::tinyint as rssi,
            case hash(row, 9) % 3 when 0 then 'hall' when 1 then 'gate' else 'yard' end as source,
            row::ubigint as row
        from placed order by row;
    """)
    database.execute(f"copy sightings to '{sightings}' (format parquet)")
    database.execute(f"""
        copy (
            select concat(
                '{{"time":"', strftime(time at time zone 'UTC', '%Y-%m-%dT%H:%M:%S.%fZ'), '"',
                case when minor is not null then concat(',"minor":', minor) end,
                case when name is not null then concat(',"name":"', lower(hex(name)), '"') end,
                ',"rssi":', rssi, '}}')
            from sightings order by row
        ) to '{log}' (format csv, header false, quote '', escape '', delimiter e'\\x01')
    """)
    return shared


def rewrite(folder):
    """Writes the sightings once more, with the types of Specs/matching.md."""
    table = parquet.read_table(Path(folder, "sightings.parquet"))
    schema = pyarrow.schema([
        ("time", pyarrow.timestamp("us", "UTC")), ("minor", pyarrow.uint16()), ("name", pyarrow.binary(16)), ("rssi", pyarrow.int8()),
        ("source", pyarrow.dictionary(pyarrow.int32(), pyarrow.string())), ("row", pyarrow.uint64()),
    ])  # fmt: skip
    table = table.set_column(4, "source", table["source"].dictionary_encode())
    path = Path(folder, "typed.parquet")
    parquet.write_table(table.cast(schema), path)
    return path
