#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/howto-fleet.md: ten questions in SQL to a fleet of known facts, in DuckDB and on a cluster of Dask.

usage: test_fleet.py SOURCE FOLDER_OF_DUCKDB FOLDER_OF_DASK small|large: those of scripts/fetch duckdb and scripts/fetch dask, which
need not be there

small: 200,000 samples, and the commands of the page. large: 50 million. Prints sizes and times.
"""
import json
import os
import pathlib
import re
import resource
import signal
import socket
import subprocess
import sys
import time

SOURCE, DUCKDB, DASK = (pathlib.Path(a) for a in sys.argv[1:4])
sys.path.insert(0, str(SOURCE / "tests" / "cli"))
from clilib import SPEMU, Folder, check, compile_c, done, equal, run, spemu, start  # noqa: E402
from fleet_answers import ANSWERS  # noqa: E402
from fleet_data import Fleet  # noqa: E402

MACHINES, SAMPLES = {"small": (8, 2600), "large": (25, 202000)}[sys.argv[4]]
PAGE = (SOURCE / "docs" / "howto-fleet.md").read_text(encoding="utf-8")
SQL = SOURCE / "examples" / "fleet"
PORT = "8786"  # the page's


def prepare(folder, name):
    """A folder to work in, with what the page's commands name; duckdb prints the rows of the last statement as JSON."""
    root = pathlib.Path(folder(name))
    (root / "bin").mkdir(parents=True)
    os.symlink(SPEMU, root / "bin" / "spemu")
    os.symlink(SOURCE / "examples", root / "examples")
    text = (f"#!/bin/sh\nexec node {SOURCE}/tests/interop/duckdb.cjs {DUCKDB} \"SET memory_limit = '4GB'\" 'SET threads = 2' "
            f"\"SET temp_directory = '{root}/temporary'\" \"$(cat)\" | tail -n 1\n")
    (root / "bin" / "duckdb").write_text(text, encoding="utf-8")
    (root / "bin" / "duckdb").chmod(0o755)
    for program in ("dask", "python3"):
        if (DASK / "bin" / program).exists():
            os.symlink(DASK / "bin" / program, root / "bin" / program)
    return root


def shell(root, command, timeout=3000, **env):
    return run("sh", "-ec", command, cwd=root, timeout=timeout, env={"PATH": f"{root}/bin:{os.environ['PATH']}", **env})


def measured(name, what):
    """what(), and a line about its time."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    result = what()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"# {name}: {seconds:.2f} s of processor time, {time.monotonic() - began:.2f} s", flush=True)
    return result


def collect(root, fleet):
    """The fleet's directories, by the page's script."""
    raw = 0
    for place in fleet.places:
        if fleet.count(place) is None:
            continue
        data = root / "known.data"
        fleet.make(place, data)
        raw += data.stat().st_size
        result = shell(root, f"examples/fleet/collect fleet {place[1]} {data}", DAY=place[0], MACHINE=place[2])
        if result.returncode:
            raise AssertionError(result.stderr)
        data.unlink()
    files = list((root / "fleet" / "samples").glob("*/*/*/*.parquet"))
    size = sum(f.stat().st_size for f in files)
    equal(len(files), len(fleet.places) - 1, "a file for each recording, and nothing else")
    equal(len(list((root / "fleet").rglob("*.*"))), 2 * len(files), "and what is known of it")
    print(f"# {len(files)} recordings, {raw} bytes; {fleet.total()} samples, {size} bytes of Parquet, {size / fleet.total():.2f} a sample")


def interrupted(root, files):
    """An interrupt, which the whole group gets, while the first of the two files is half made, or the second."""
    (root / "slow").mkdir()
    for first in "export", "report":
        (root / "slow" / "spemu").write_text(f'#!/bin/sh\necho part\n[ $1 != {first} ] || sleep 100\n', encoding="utf-8")
        (root / "slow" / "spemu").chmod(0o755)
        process = start("setsid", "sh", "-c", f"cd {root} && exec examples/fleet/collect fleet shop other.data",
                        env={"PATH": f"{root}/slow:{os.environ['PATH']}"})
        ending = {"export": "*.parquet", "report": "*.json"}[first]
        while not [f for f in root.glob(f"fleet/{ending}") if f.stat().st_size]:
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGINT)
        process.communicate()
        equal((process.returncode, sorted(f for f in root.glob("fleet/**/*") if f.is_file())), (130, files),
              f"an interrupt during {first} leaves nothing")


def test_collect(folder):
    """What cannot be taken leaves nothing; what is damaged is taken as far as it goes, and its JSON says so."""
    root = prepare(folder, "collect")
    fleet = Fleet(folder("collect"), 1, 50000)
    fleet.make(fleet.places[0], root / "whole.data")
    whole = (root / "whole.data").read_bytes()
    half = len(whole) // 2
    (root / "damaged.data").write_bytes(whole[:half] + 999 * b"\xff" + whole[half + 999:])
    (root / "cut.data").write_bytes(whole[:half])
    (root / "other.data").write_text("not a recording\n", encoding="utf-8")
    for name, program, status in (
            ("other.data", "shop", 125), ("none.data", "shop", 127), ("whole.data", "../shop", 2), ("whole.data", "a b", 2)):
        result = shell(root, f"examples/fleet/collect fleet '{program}' {name}")
        equal((result.returncode, len(result.stderr.splitlines())), (status, 1), f"collect {program} {name}: its status, and one line")
        equal([f for f in root.glob("**/fleet/**/*") if f.is_file()], [], "and no file")
    for names, machine in ("damaged.data whole.data", "web-1"), ("cut.data", "web-2"):
        result = shell(root, f"examples/fleet/collect fleet shop {names}", MACHINE=machine)
        equal(result.returncode, 0, f"collect {names}")
    files = sorted(f for f in root.glob("fleet/**/*") if f.is_file())
    equal(shell(root, "examples/fleet/collect fleet shop damaged.data whole.data", MACHINE="web-1").returncode, 0, "collect: again")
    equal(sorted(f for f in root.glob("fleet/**/*") if f.is_file()), files, "a recording takes its own place")
    interrupted(root, files)
    known = {f.name.split("-")[0]: json.loads(f.read_text(encoding="utf-8")) for f in root.glob("fleet/recordings/*/program=shop/machine=*/*.json")}
    check(known["damaged"]["damaged_bytes"] > 0 < known["damaged"]["samples"] < known["whole"]["samples"] == fleet.samples and
          known["whole"]["damaged_bytes"] == 0, "the JSON says what is damaged", known)
    check([known[name]["cut_off"] for name in ("damaged", "whole", "cut")] == [False, False, True] and
          0.3 < known["cut"]["samples"] / fleet.samples < 0.5, "and what is cut off", known)
    rows = json.loads(shell(root, "echo \"SELECT count(*) AS n FROM 'fleet/samples/*/*/*/*.parquet'\" | duckdb").stdout)
    equal(int(rows[0]["n"]), sum(report["samples"] for report in known.values()), "the rows are those of the JSON")
    equal([(row["machine"], row["what"]) for row in ask(root, "09-lost-samples")], [("web-1", "damaged"), ("web-2", "cut off")],
          "and question 09 finds the machines")


def ask(root, name):
    result = shell(root, f"cat examples/fleet/fleet.sql examples/fleet/{name}.sql | duckdb")
    if result.returncode or not result.stdout:
        raise AssertionError(f"{name}: {result.stderr}")
    return json.loads(result.stdout)


def on_duckdb(root, fleet):
    equal(sorted(ANSWERS), sorted(p.stem for p in SQL.glob("[0-9]*.sql")), "each question has an answer")
    answers = {}
    for name, right in ANSWERS.items():
        answers[name] = measured(f"DuckDB, {name}", lambda name=name: ask(root, name))
        right(fleet, answers[name])
    return answers


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return str(s.getsockname()[1])


def plain(value):
    """Numbers as DuckDB and as JSON of pandas have them, to nine digits."""
    try:
        return float(f"{float(value):.9g}")
    except (TypeError, ValueError):
        return value


def same(left, right, name):
    """Tables with the same rows, in any order; columns that both have."""
    columns = sorted(right[0])
    tables = [sorted((tuple(plain(row[c]) for c in columns) for row in rows), key=repr) for rows in (left, right)]
    check(tables[0] == tables[1] and len(right) > 0, name, next((f"{a}\n{b}" for a, b in zip(*tables) if a != b), [len(t) for t in tables]))


def end(processes):
    """One after another: a worker takes its leave of the scheduler."""
    for process in processes:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def on_dask(root, answers):
    """The page's cluster: its processes end with this test."""
    port = free_port()
    path = {"PATH": f"{root}/bin:{os.environ['PATH']}"}
    block = next(b for b in blocks() if "dask scheduler" in b).replace(PORT, port)
    commands = [line.rstrip("& ") for line in block.splitlines()]
    *cluster, question = commands
    processes = [start("sh", "-c", f"cd {root} && exec {command} >log.{i} 2>&1", env=path) for i, command in enumerate(cluster)]
    try:
        result = measured("Dask, all questions, without the workers", lambda: shell(root, question))
    finally:
        measured("Dask, the workers and the scheduler", lambda: end(reversed(processes)))
    equal(len(processes), 3, "a scheduler and two workers")
    check(result.returncode == 0, "Dask answers", result.stderr[-2000:])
    for line in result.stdout.splitlines():
        answer = json.loads(line)
        print(f"# Dask, {answer['question']}: {answer['processor_seconds']} s of processor time, {answer['seconds']} s")
        same(answers[answer["question"]], answer["rows"], f"Dask and DuckDB agree: {answer['question']}")
    equal(len(result.stdout.splitlines()), 4, "so many questions")


def blocks():
    return re.findall(r"^```\n(.*?)^```$", PAGE, re.M | re.S)


def test_page(folder):
    """The page's commands, in order; its cluster is on_dask()'s."""
    root = prepare(folder, "page")
    compile_c(root, "program", "volatile long sum[4096];\nint main(void)\n{\n\tfor (long i = 0; i < 500000; i++)\n"
              "\t\tsum[i % 4096] += i & 3 ? i : -i;\n}\n", "-static")
    ran = 0
    for block in blocks():
        if "dask scheduler" in block or not re.match(r"(spemu|cat|for|examples/)", block):
            continue
        result = shell(root, block)
        check(result.returncode == 0, block.splitlines()[0], result.stderr)
        ran += 1
    check(ran >= 3, "the page has commands", ran)


def main():
    if not (DUCKDB / "node_modules" / "@duckdb").is_dir():
        check(True, "DuckDB: scripts/fetch duckdb makes it # SKIP")
        done()
    with Folder() as folder:
        root = prepare(folder, "known")
        fleet = measured("a fleet", lambda: Fleet(folder("known"), MACHINES, SAMPLES))
        measured("recordings, and spemu export", lambda: collect(root, fleet))
        answers = on_duckdb(root, fleet)
        if sys.argv[4] == "small":
            test_collect(folder)
            test_page(folder)
        if (DASK / "bin" / "dask").exists():
            on_dask(root, answers)
        else:
            check(True, "Dask: scripts/fetch dask makes it # SKIP")
    done()


if __name__ == "__main__":
    main()
