# SPDX-License-Identifier: MIT
"""docs/howto/fleet.md: ten questions in SQL about a fleet with known properties, in DuckDB and on a cluster of Dask.

DuckDB and Dask are optional. scripts/fetch duckdb and scripts/fetch dask install them. The fleet
has 200,000 samples, or 50 million with SPEMU_TEST_ALL.
"""
import json
import os
import pathlib
import re
import resource
import signal
import socket
import subprocess
import time

import pytest

from clilib import ROOT, SPEMU, compile_c, run, start
from fleet_answers import ANSWERS
from fleet_data import Fleet

DUCKDB, DASK = ROOT / "build/duckdb", ROOT / "build/dask"
MACHINES, SAMPLES = (25, 202000) if "SPEMU_TEST_ALL" in os.environ else (8, 2600)
PAGE = (ROOT / "docs" / "howto" / "fleet.md").read_text(encoding="utf-8")
SQL = ROOT / "examples" / "fleet"
PORT = "8786"  # the port that the page uses


if not (DUCKDB / "node_modules/@duckdb").is_dir():
    pytest.skip("scripts/fetch duckdb installs DuckDB", allow_module_level=True)


def prepare(folder, name):
    """Return a folder with the files that the commands of the page name. duckdb prints the rows of
    the last statement as JSON."""
    root = pathlib.Path(f"{folder}/{name}")
    (root / "bin").mkdir(parents=True)
    os.symlink(SPEMU, root / "bin" / "spemu")
    os.symlink(ROOT / "examples", root / "examples")
    text = (f"#!/bin/sh\nexec node {ROOT}/tests/interop/duckdb.cjs {DUCKDB} \"SET memory_limit = '4GB'\" 'SET threads = 2' "
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
    """Return the result of what(), and print its time."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    result = what()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{name}: {seconds:.2f} s of processor time, {time.monotonic() - began:.2f} s", flush=True)
    return result


def collect(root, fleet):
    """Collect the directories of the fleet with the script of the page."""
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
    assert len(files) == len(fleet.places) - 1, "a file for each recording, and nothing else"
    assert len(list((root / "fleet").rglob("*.*"))) == 2 * len(files), "each recording has a file with its properties"
    print(f"{len(files)} recordings, {raw} bytes; {fleet.total()} samples, {size} bytes of Parquet, {size / fleet.total():.2f} a sample")


def interrupted(root, files):
    """Interrupt the process group of collect while it makes the first of two files, and while it
    makes the second."""
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
        assert (process.returncode, sorted(f for f in root.glob("fleet/**/*") if f.is_file())) == (130, files), \
            f"an interrupt during {first} leaves nothing"


def test_collect(tmp_path):
    """A rejected recording leaves no file. A damaged one is collected as far as it is readable, and its JSON says so.
    """
    root = prepare(tmp_path, "collect")
    fleet = Fleet(f"{tmp_path}/collect", 1, 50000)
    fleet.make(fleet.places[0], root / "whole.data")
    whole = (root / "whole.data").read_bytes()
    half = len(whole) // 2
    (root / "damaged.data").write_bytes(whole[:half] + 999 * b"\xff" + whole[half + 999:])
    (root / "cut.data").write_bytes(whole[:half])
    (root / "other.data").write_text("not a recording\n", encoding="utf-8")
    for name, program, status in (
            ("other.data", "shop", 125), ("none.data", "shop", 127), ("whole.data", "../shop", 2), ("whole.data", "a b", 2)):
        result = shell(root, f"examples/fleet/collect fleet '{program}' {name}")
        assert (result.returncode, len(result.stderr.splitlines())) == (status, 1), f"collect {program} {name}: the status, and one line"
        assert [f for f in root.glob("**/fleet/**/*") if f.is_file()] == [], "a rejected recording leaves no file"
    for names, machine in ("damaged.data whole.data", "web-1"), ("cut.data", "web-2"):
        result = shell(root, f"examples/fleet/collect fleet shop {names}", MACHINE=machine)
        assert result.returncode == 0, f"collect {names}"
    files = sorted(f for f in root.glob("fleet/**/*") if f.is_file())
    assert shell(root, "examples/fleet/collect fleet shop damaged.data whole.data", MACHINE="web-1").returncode == 0, \
        "collect: a second time"
    assert sorted(f for f in root.glob("fleet/**/*") if f.is_file()) == files, \
        "a recording replaces its own earlier files"
    interrupted(root, files)
    known = {f.name.split("-")[0]: json.loads(f.read_text(encoding="utf-8")) for f in root.glob("fleet/recordings/*/program=shop/machine=*/*.json")}
    assert (known["damaged"]["damaged_bytes"] > 0 < known["damaged"]["samples"] < known["whole"]["samples"] == fleet.samples and
            known["whole"]["damaged_bytes"] == 0), f"the JSON file records the damage\n{known}"
    assert ([known[name]["cut_off"] for name in ("damaged", "whole", "cut")] == [False, False, True] and
            0.3 < known["cut"]["samples"] / fleet.samples < 0.5), f"the JSON file records the truncation\n{known}"
    rows = json.loads(shell(root, "echo \"SELECT count(*) AS n FROM 'fleet/samples/*/*/*/*.parquet'\" | duckdb").stdout)
    assert int(rows[0]["n"]) == sum(report["samples"] for report in known.values()), \
        "the numbers of rows agree with the JSON files"
    assert [(row["machine"], row["what"]) for row in ask(root, "09-lost-samples")] == [("web-1", "damaged"), ("web-2", "cut off")], \
        "question 09 finds the machines"


def ask(root, name):
    result = shell(root, f"cat examples/fleet/fleet.sql examples/fleet/{name}.sql | duckdb")
    if result.returncode or not result.stdout:
        raise AssertionError(f"{name}: {result.stderr}")
    return json.loads(result.stdout)


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return prepare(tmp_path_factory.mktemp("fleet"), "known")


@pytest.fixture(scope="module")
def fleet(root):
    made = measured("a fleet", lambda: Fleet(root, MACHINES, SAMPLES))
    measured("recordings, and spemu export", lambda: collect(root, made))
    return made


def test_all_questions():
    assert sorted(ANSWERS) == sorted(p.stem for p in SQL.glob("[0-9]*.sql")), "each question has an answer"


@pytest.mark.parametrize("name", ANSWERS)
def test_duckdb(root, fleet, name):
    ANSWERS[name](fleet, measured(f"DuckDB, {name}", lambda: ask(root, name)))


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return str(s.getsockname()[1])


def plain(value):
    """Return a number with nine digits, so that results of DuckDB and of pandas are comparable."""
    try:
        return float(f"{float(value):.9g}")
    except (TypeError, ValueError):
        return value


def same(left, right, name):
    """Check that two tables have the same rows, in any order, in the columns that both have."""
    columns = sorted(right[0])
    tables = [sorted((tuple(plain(row[c]) for c in columns) for row in rows), key=repr) for rows in (left, right)]
    assert tables[0] == tables[1] and len(right) > 0, \
        f"{name}\n" + str(next((f"{a}\n{b}" for a, b in zip(*tables) if a != b), [len(t) for t in tables]))


def end(processes):
    """End the processes one after the other, because a worker signs off from the scheduler."""
    for process in processes:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@pytest.mark.skipif(not (DASK / "bin/dask").exists(), reason="scripts/fetch dask installs Dask")
def test_dask(root, fleet):
    """The cluster of the page answers the questions. Its processes end with this test."""
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
    assert len(processes) == 3, "a scheduler and two workers"
    assert result.returncode == 0, f"Dask answers\n{result.stderr[-2000:]}"
    for line in result.stdout.splitlines():
        answer = json.loads(line)
        print(f"Dask, {answer['question']}: {answer['processor_seconds']} s of processor time, {answer['seconds']} s")
        same(ask(root, answer["question"]), answer["rows"], f"Dask and DuckDB agree: {answer['question']}")
    assert len(result.stdout.splitlines()) == 4, "four lines of answers"


def blocks():
    return re.findall(r"^```\n(.*?)^```$", PAGE, re.M | re.S)


def test_page(tmp_path):
    """Run the commands of the page in order, except those of the cluster, which test_dask()
    runs."""
    root = prepare(tmp_path, "page")
    compile_c(root, "program", "volatile long sum[4096];\nint main(void)\n{\n\tfor (long i = 0; i < 500000; i++)\n"
              "\t\tsum[i % 4096] += i & 3 ? i : -i;\n}\n", "-static")
    ran = 0
    for block in blocks():
        if "dask scheduler" in block or not re.match(r"(spemu|cat|for|examples/)", block):
            continue
        result = shell(root, block)
        assert result.returncode == 0, (block.splitlines()[0], result.stderr)
        ran += 1
    assert ran >= 3, f"the page has at least three blocks of commands\n{ran}"
