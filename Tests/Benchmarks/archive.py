"""An archive of a day: `inkling-kit match` and DuckDB find which lines of a log show a name of a table in its time.

    archive.py streamed|loaded LOG TABLE OUTPUT    lets DuckDB find them, and writes them as JSON lines

DuckDB can do it as it reads the log (streamed, its fastest way), or from a table that it has loaded the log into (loaded).
`bench --only archive` runs both in turn, once they have found the same. The log is the same in every run: its times are in no
order, one line in a hundred shows a name of the table in its time, and two in a thousand do an hour later.
"""

import hashlib
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import time

CONTACTS = 1000
BEGIN = 1785600000
HOURS = 24
SKEW = 120
# Of a thousand lines, how many show a name of the table in its time, and how many in another epoch.
IN_TIME, TOO_LATE = 10, 2
LINES, FEW_LINES = 10_000_000, 1_000_000
LINE_BYTES = 103


def roots(folder):
    """Writes the roots of the contacts; returns the words that name them to `inkling-kit predict`."""
    place = os.path.join(folder, "roots")
    os.makedirs(place, exist_ok=True)
    words = []
    for number in range(CONTACTS):
        path = os.path.join(place, f"{number:04}")
        with open(path, "wb") as file:
            file.write(hashlib.sha256(b"contact %d" % number).digest())
        words += ["--root-file", f"c{number:04}={path}"]
    return words


def lines(count, table):
    """Yields the log in blocks of bytes. Times are in no order, and most names belong to strangers."""
    draw = random.Random(1)
    shown = []
    with open(table, encoding="ascii") as file:
        next(file)
        for row in file:
            epoch, name = int(row[9:16]), row[row.index('"name":"') + 8:][:32]
            shown.append((epoch * 900, name))
    block = 50_000
    for first in range(0, count, block):
        size = min(block, count - first)
        names = draw.randbytes(16 * size).hex()
        addresses = draw.randbytes(6 * size).hex(":", 1)
        times = draw.choices(range(HOURS * 3600), k=size)
        kinds = draw.choices(range(1000), k=size)
        rssi = draw.choices(range(-99, -29), k=size)
        written = []
        for index in range(size):
            time, name, kind = BEGIN + times[index], names[32 * index : 32 * index + 32], kinds[index]
            if kind < IN_TIME + TOO_LATE:
                start, name = shown[draw.randrange(len(shown))]
                time = start + (draw.randrange(-SKEW, 900 + SKEW) if kind < IN_TIME else 3600)
            address = addresses[18 * index : 18 * index + 17]
            written.append(f'{{"time":{time},"name":"{name}","address":"{address}","rssi":{rssi[index]}}}\n')
        yield "".join(written).encode("ascii")


def log_of(folder, count, table):
    """Writes a log of this many lines, unless it is there. Returns its path."""
    path = os.path.join(folder, f"log-{count}.jsonl")
    if not os.path.exists(path):
        for old in os.listdir(folder):
            if old.startswith("log-"):
                os.remove(os.path.join(folder, old))
        with open(path + ".part", "wb") as file:
            for block in lines(count, table):
                file.write(block)
        os.rename(path + ".part", path)
    return path


def by_duckdb(way, log, table, output):
    import duckdb

    columns = "{time: 'BIGINT', name: 'VARCHAR', address: 'VARCHAR', rssi: 'INTEGER'}"
    # The first line of the table has none of these members.
    table_columns = "{epoch: 'BIGINT', contact: 'INTEGER', device: 'INTEGER', name: 'VARCHAR'}"
    database = duckdb.connect()
    source = f"read_json('{log}', format = 'newline_delimited', columns = {columns})"
    if way == "loaded":
        database.execute(f"create table log as select * from {source}")
        source = "log"
    database.execute(f"""
        copy (
            select l.*, t.contact, t.device, t.epoch
            from {source} l
            join (select * from read_json('{table}', format = 'newline_delimited', columns = {table_columns})
                  where name is not null) t
            on l.name = t.name and l.time >= t.epoch * 900 - {SKEW} and l.time < t.epoch * 900 + 900 + {SKEW}
        ) to '{output}' (format json)""")


class Run:
    """A process that has ended: its wall time, processor time and peak memory."""

    def __init__(self, command, source=None, target=None):
        with open(source or os.devnull, "rb") as given, open(target or os.devnull, "wb") as taken:
            begun = time.monotonic()
            process = subprocess.Popen(command, stdin=given, stdout=taken, stderr=subprocess.PIPE)
            # The peak that the system reports at the end includes this process, of which the new one began as a copy.
            self.peak = 0
            while True:
                self.peak = max(self.peak, peak_of(process.pid))
                done, status, used = os.wait4(process.pid, os.WNOHANG)
                if done:
                    break
                time.sleep(0.01)
            self.wall = time.monotonic() - begun
            process.returncode = os.waitstatus_to_exitcode(status)
            said = process.stderr.read().decode(errors="replace")
            process.stderr.close()
        self.cpu = used.ru_utime + used.ru_stime
        if process.returncode != 0:
            raise OSError(f"{command[0]} ended with {process.returncode}: {said[-2000:]}")


def peak_of(pid):
    """The peak of a process's memory so far, in bytes; 0 when it has ended."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as file:
            return next((int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM:")), 0)
    except OSError:
        return 0


def found_by_kit(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            fact = json.loads(line)
            for owner in fact["of"]:
                yield (fact["time"], fact["name"], fact["address"], fact["rssi"], int(owner["contact"][1:]), owner["device"],
                       owner["epoch"])


def found_by_duckdb(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            yield tuple(json.loads(line).values())


def measure(kit, folder, count, rounds, say):
    """Returns what predicting took, what each program takes without a log, the runs of each contestant, how many matches all have
    found, and the size of the log. They must have found the same before anything is timed."""
    shutil.rmtree(os.path.join(folder, "tables"), ignore_errors=True)
    os.makedirs(os.path.join(folder, "tables"))
    table, binary = (os.path.join(folder, "tables", name) for name in ("text", "binary"))
    predict = [kit, "predict", *roots(folder), "--from", str(BEGIN), "--hours", str(HOURS), "--output"]
    predicted = {"text": Run([*predict, table]), "binary": Run([*predict, binary, "--binary"])}
    say(f"  … a log of {count:,} lines")
    log = log_of(folder, count, table)
    ours, theirs = os.path.join(folder, "ours.jsonl"), os.path.join(folder, "theirs.jsonl")
    contestants = {
        "inkling-kit": lambda: Run([kit, "match", "--table", table], log, ours),
        "inkling-kit, one processor": lambda: Run([kit, "match", "--table", table, "--processors", "1"], log, ours),
        "inkling-kit, binary table": lambda: Run([kit, "match", "--table", binary], log, ours),
        **{name: lambda way=way: Run([sys.executable, os.path.abspath(__file__), way, log, table, theirs])
           for name, way in (("DuckDB", "streamed"), ("DuckDB, the log loaded first", "loaded"))},
    }
    matches = None
    for name, run in contestants.items():
        run()
        found = sorted(found_by_duckdb(theirs) if name.startswith("DuckDB") else found_by_kit(ours))
        matches = matches if matches is not None else found
        if found != matches:
            raise OSError(f"{name} finds {len(found)} matches, others {len(matches)}, and not the same")
    if len(matches) < count * IN_TIME / 2000:
        raise OSError(f"only {len(matches)} matches are found")
    runs = {name: [] for name in contestants}
    names = list(contestants)
    for number in range(rounds):
        for turn in range(len(names)):
            name = names[(turn + number) % len(names)]
            runs[name].append(contestants[name]())
    starts = {
        "inkling-kit match without a log": Run([kit, "match", "--table", table]),
        "inkling-kit --version": Run([kit, "--version"]),
        "DuckDB in Python without a question": Run([sys.executable, "-c", "import duckdb; duckdb.connect()"]),
    }
    return predicted, starts, runs, len(matches), os.path.getsize(log)


def median(runs, what):
    return statistics.median(getattr(run, what) for run in runs)


def ratio(runs, others, what):
    """The median of the ratios of the others' runs to these in the same round."""
    return statistics.median(getattr(other, what) / getattr(run, what) for run, other in zip(runs, others))


if __name__ == "__main__":
    if len(sys.argv) == 5 and sys.argv[1] in ("streamed", "loaded"):
        by_duckdb(*sys.argv[1:])
    else:
        sys.exit(__doc__)
