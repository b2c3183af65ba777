# SPDX-License-Identifier: MIT
"""Damaged recordings: a small file cut at every length, and files with many changed bytes.

For any damage, report and dump end with a documented status and not by a signal.
"""
import json
import os
import random

import pytest

from clilib import make_recording, spemu, write

STATUSES = (0, 1, 125)
# Test every nth file. Multiples of 2 and 5 would omit some of the ten commands.
SHARE = max(1, int(os.environ.get("SPEMU_TEST_SHARE", "1")))


def make_small(path):
    """Make the smallest recording that has every kind of event."""
    make_recording(f"""create {path} 256
comm 1 1 10 a exec
mmap 1 11 0x10000 4096 0 r-x /a
fork 2 1 2 1 12
rec pc=0x10004 tid=1 time=20 class=1 sub=0 ev=0x16 total=5 va=0x20008 src=0
rec pc=0x10008 tid=2 time=21 class=2 sub=1 ev=0x82 total=5 target=0x10000
aux 1 1 30 0 0
finish
""")


COMMANDS = (("report", "--json"), ("dump",), ("dump", "--records"),
            *(("export", "--format", kind, "-o", "/dev/null") for kind in ("folded", "pprof", "callgrind", "firefox", "perfetto", "csv", "parquet")))


def sane(name, path, turn):
    """Read the file with one of COMMANDS, the one for this turn. Return the problems. A failure
    must print one line."""
    problems = []
    for args in (COMMANDS[turn % len(COMMANDS)],):
        result = spemu(*args, path)
        if result.returncode not in STATUSES:
            problems.append(f"{args}: status {result.returncode}\n{result.stderr}")
        if result.returncode == 125 and len(result.stderr.splitlines()) != 1:
            problems.append(f"{args}: not one line\n{result.stderr}")
        if args[0] == "report" and result.returncode in (0, 1) and result.stdout:
            try:
                json.loads(result.stdout)
            except ValueError as error:
                problems.append(f"{args}: {error}")
    return [f"{name}: {p}" for p in problems]


def test_cut_in_half(tmp_path):
    """A truncated copy, and the file of a killed perf, are read up to their end, with a warning."""
    path = f"{tmp_path}/halves"
    make_recording(f"create {path} 256\ncomm 1 1 10 a exec\nmmap 1 11 0x10000 4096 0 r-x /a\n" + "".join(
        f"rec pc={0x10000 + 4 * i:#x} tid=1 time={20 + i} class=1 sub=0 ev=0x16 total={5 + i} va=0x20008 src=0\naux 1 1 {30 + i} 0 0\n"
        for i in range(50)) + "finish\n")
    with open(path, "rb") as f:
        image = f.read()
    at, size = (int.from_bytes(image[i:i + 8], "little") for i in (40, 48))
    whole = spemu("dump", "--records", path).stdout.splitlines()
    middle = image.index((0x10000 + 4 * 25).to_bytes(4, "little"), at)  # within the 26th record
    cuts = {"half": (image[:middle], 25), "features": (image[:at + size + 4], 50), "data": (image[:at + size], 50),
            "killed": (image[:48] + bytes(8) + image[56:at + size], 50)}
    for name, (data, samples) in cuts.items():
        cut = write(tmp_path, f"{name}.data", data)
        result = spemu("dump", "--records", cut)
        assert (result.returncode, result.stdout.splitlines()) == (1, whole[:samples]), f"{name}: dump shows all complete records"
        result = spemu("report", "--json", cut)
        report = json.loads(result.stdout)
        assert (result.returncode, report["samples"], report["cut_off"], report["damaged_bytes"]) == (1, samples, True, 0), \
            f"{name}: report counts all complete records"
        assert result.stderr.count("is damaged: input ends too early at offset 0x") == 1, f"{name}: report warns once"
        assert "# cut off: the part after offset 0x" in spemu("report", cut).stdout, \
            f"{name}: the report itself states where the file was cut off"
        for stream in False, True:
            if stream:
                with open(cut, "rb") as f:
                    result = spemu("export", "--format", "csv", "-", stdin=f)
            else:
                result = spemu("export", "--format", "csv", cut)
            assert (result.returncode, len(result.stdout.splitlines())) == (1, samples + 1), \
                f"{name}: export has all complete records, stream {stream}"
    assert json.loads(spemu("report", "--json", path).stdout)["cut_off"] is False, "the whole file is not cut off"


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Return the path of a small recording and its contents."""
    path = tmp_path_factory.mktemp("small") / "small"
    make_small(path)
    return path, path.read_bytes()


def test_whole(small):
    path, _ = small
    assert spemu("dump", path).returncode == 0, "dump accepts the undamaged file"
    whole = spemu("report", "--json", path)
    assert (whole.returncode, json.loads(whole.stdout)["samples"]) == (0, 2), "the undamaged file has two samples"


def test_lengths(tmp_path, small):
    _, image = small
    problems = []
    for length in range(0, len(image), SHARE):
        problems += sane(f"{length} bytes", write(tmp_path, "cut", image[:length]), length)
    assert not problems, f"every length from 0 to {len(image)} in steps of {SHARE}\n" + "\n".join(problems)


def test_changed_bytes(tmp_path, small):
    _, image = small
    rng = random.Random(1)
    problems = []
    for round_ in range(400):
        changed = bytearray(image)
        for _ in range(rng.choice((1, 1, 2, 8))):
            changed[rng.randrange(len(changed))] = rng.choice((0, 1, 0x7f, 0x80, 0xff,
                                                               rng.randrange(256)))
        if round_ % SHARE == 0:
            problems += sane(f"round {round_}", write(tmp_path, "changed", bytes(changed)), round_)
    assert not problems, f"one of {SHARE} of 400 files with changed bytes\n" + "\n".join(problems)


def test_random_bytes(tmp_path):
    rng = random.Random(2)
    problems = []
    for round_ in range(60):
        junk = bytes(rng.randrange(256) for _ in range(rng.randrange(1, 600)))
        raw = write(tmp_path, "junk", junk)
        for args in (("--raw", raw), ("--raw", raw, "--records"), ("--raw", raw, "--json")):
            result = spemu("dump", *args)
            if result.returncode not in (0, 1):
                problems.append(f"{args}: status {result.returncode} {result.stderr}")
    assert not problems, "60 buffers of random bytes\n" + "\n".join(problems)


def test_unfinished(tmp_path):
    # An unfinished file, as a killed recorder leaves it, lacks only its tables.
    make_recording(f"create {tmp_path}/open 256\ncomm 1 1 10 a exec\n"
                   "rec pc=0x10004 tid=1 time=20 class=0 sub=0 ev=2 n=50\naux 1 1 30 0 0\n")
    out = spemu("report", "--json", f"{tmp_path}/open")
    assert (out.returncode, json.loads(out.stdout)["samples"]) == (0, 50), "an unfinished recording shows all samples"


def test_rubbish(tmp_path):
    # Bytes between the records that are not a record affect no other record.
    make_recording(f"create {tmp_path}/mixed 256\ncomm 1 1 10 a exec\n"
                   "rec pc=0x10004 tid=1 time=20 class=0 sub=0 ev=2 n=3\n"
                   f"bytes {'4202' * 2000}\n"
                   "rec pc=0x10004 tid=1 time=20 class=0 sub=0 ev=2 n=5\n"
                   "aux 1 1 30 0 0\nfinish\n")
    out = spemu("report", "--json", f"{tmp_path}/mixed")
    report = json.loads(out.stdout)
    assert out.returncode == 1 and report["damaged_bytes"] >= 4000 and report["samples"] >= 7, \
        f"damage in the trace is counted and skipped, and sets status 1\n{report}"


def test_record_cut_off(tmp_path):
    # The trace ends within a record. Its packets are an address and Events (D18.1).
    make_recording(f"create {tmp_path}/short 256\ncomm 1 1 10 a exec\nrec pc=0x10004 tid=1 time=20 class=0 sub=0 ev=2\n"
                   "bytes b0080001000000008052060000\naux 1 1 30 0 0\nfinish\n")
    report = json.loads(spemu("report", "--json", f"{tmp_path}/short").stdout)
    assert (report["samples"], report["damaged_records"]) == (1, 1), "a record that is cut off at the end is counted"


def test_one_record(tmp_path):
    # One of 40 records has padding instead of the header of Events. The byte 0x16 that follows is then an unknown
    # packet without payload (D18.1.1).
    make_recording(f"create {tmp_path}/one 256\ncomm 77 77 10 a exec\n"
                   "rec pc=0x10004 tid=77 time=20 class=1 sub=0 ev=0x16 total=5 va=0x20008 src=0 n=40\naux 77 77 30 0 0\nfinish\n")
    with open(f"{tmp_path}/one", "rb") as f:
        image = bytearray(f.read())
    places = [i for i in range(len(image)) if image[i:i + 9] == bytes.fromhex("4900 62 16000000 98 05")]
    assert len(places) == 40, "the trace has 40 records"
    image[places[20] + 2] = 0x00
    one = write(tmp_path, "one.changed", bytes(image))
    report = json.loads(spemu("report", "--json", one).stdout)
    lines = [json.loads(line) for line in spemu("dump", "--records", "--json", one).stdout.splitlines()]
    marked = [line for line in lines if "damaged" in line or "suspect" in line]
    assert (report["damaged_records"] + report["suspect_records"], len(marked)) == (1, 1), \
        "one damaged record: report counts what dump shows"
    assert ([(line.get("pc"), line.get("context_el1"), line.get("total"), line.get("va"), "events" in line) for line in marked] ==
            [("0x10004", 77, 5, "0x20008", False)]), "the damaged record shows its intact packets"
    assert report["samples"] == 39 + report["suspect_records"], "report leaves damaged records out and counts suspect ones"
    for command in (("report",), ("report", "--html", f"{tmp_path}/page.html"), ("annotate",), ("export", "--format", "folded"),
                    ("export", "--format", "sqlite", "-o", f"{tmp_path}/samples.db"), ("diff", one, one)):
        inputs = () if command[0] == "diff" else ("-i", one)
        out = spemu(*command, *inputs)
        told = [line for line in out.stderr.splitlines() if "1 damaged record is left out" in line]
        assert (out.returncode, len(told)) == (1, 2 if command[0] == "diff" else 1), \
            f"{' '.join(command[:2])} warns once for each file"
        out = spemu(*command, "-q", *inputs)
        assert (out.returncode, out.stderr) == (1, ""), f"{' '.join(command[:2])} -q reports damage by its status only"
