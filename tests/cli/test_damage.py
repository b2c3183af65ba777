#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Damaged recordings: every length of a small file and many changed bytes.

Whatever the damage, report and dump end with a documented status and without a signal.
"""
import json
import os
import random

from clilib import Folder, check, done, equal, make_recording, spemu

STATUSES = (0, 1, 125)
SHARE = max(1, int(os.environ.get("SPEMU_TEST_SHARE", "1")))  # every nth file; not a multiple of 2 or 5, as the commands are ten


def small(path):
    """A recording with every kind of event, as short as can be."""
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
    """Each command in its turn survives the file; a failure says why in one line."""
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


def cut_in_half(folder):
    """A copy that was interrupted, and what a perf that was killed leaves: what is there is read, and it is told."""
    path = folder("halves")
    make_recording(f"create {path} 256\ncomm 1 1 10 a exec\nmmap 1 11 0x10000 4096 0 r-x /a\n" + "".join(
        f"rec pc={0x10000 + 4 * i:#x} tid=1 time={20 + i} class=1 sub=0 ev=0x16 total={5 + i} va=0x20008 src=0\naux 1 1 {30 + i} 0 0\n"
        for i in range(50)) + "finish\n")
    with open(path, "rb") as f:
        image = f.read()
    at, size = (int.from_bytes(image[i:i + 8], "little") for i in (40, 48))
    whole = spemu("dump", "--records", path).stdout.splitlines()
    middle = image.index((0x10000 + 4 * 25).to_bytes(4, "little"), at)  # in the 26th record
    cuts = {"half": (image[:middle], 25), "features": (image[:at + size + 4], 50), "data": (image[:at + size], 50),
            "killed": (image[:48] + bytes(8) + image[56:at + size], 50)}
    for name, (data, samples) in cuts.items():
        cut = folder.write(f"{name}.data", data)
        result = spemu("dump", "--records", cut)
        equal((result.returncode, result.stdout.splitlines()), (1, whole[:samples]), f"{name}: dump has the records that are there")
        result = spemu("report", "--json", cut)
        report = json.loads(result.stdout)
        equal((result.returncode, report["samples"], report["cut_off"], report["damaged_bytes"]), (1, samples, True, 0), f"{name}: so has report")
        equal(result.stderr.count("is damaged: input ends too early at offset 0x"), 1, f"{name}: and says so")
        check("# cut off: what follows offset 0x" in spemu("report", cut).stdout, f"{name}: where it is kept, too")
        for stream in False, True:
            if stream:
                with open(cut, "rb") as f:
                    result = spemu("export", "--format", "csv", "-", stdin=f)
            else:
                result = spemu("export", "--format", "csv", cut)
            equal((result.returncode, len(result.stdout.splitlines())), (1, samples + 1), f"{name}: so has export, stream {stream}")
    equal(json.loads(spemu("report", "--json", path).stdout)["cut_off"], False, "the whole file is not cut off")


with Folder() as folder:
    cut_in_half(folder)
    path = folder("small")
    small(path)
    with open(path, "rb") as f:
        image = f.read()
    equal(spemu("dump", path).returncode, 0, "the whole file is fine")
    whole = spemu("report", "--json", path)
    equal((whole.returncode, json.loads(whole.stdout)["samples"]), (0, 2), "with two samples")

    problems = []
    for length in range(0, len(image), SHARE):
        problems += sane(f"{length} bytes", folder.write("cut", image[:length]), length)
    check(not problems, f"every length from 0 to {len(image)}, {SHARE} apart",
          "\n".join(problems))

    rng = random.Random(1)
    problems = []
    for round_ in range(400):
        changed = bytearray(image)
        for _ in range(rng.choice((1, 1, 2, 8))):
            changed[rng.randrange(len(changed))] = rng.choice((0, 1, 0x7f, 0x80, 0xff,
                                                               rng.randrange(256)))
        if round_ % SHARE == 0:
            problems += sane(f"round {round_}", folder.write("changed", bytes(changed)), round_)
    check(not problems, f"one in {SHARE} of 400 files with changed bytes", "\n".join(problems))

    problems = []
    for round_ in range(60):
        junk = bytes(rng.randrange(256) for _ in range(rng.randrange(1, 600)))
        raw = folder.write("junk", junk)
        for args in (("--raw", raw), ("--raw", raw, "--records"), ("--raw", raw, "--json")):
            result = spemu("dump", *args)
            if result.returncode not in (0, 1):
                problems.append(f"{args}: status {result.returncode} {result.stderr}")
    check(not problems, "60 buffers of random bytes", "\n".join(problems))

    # An unfinished file, as a killed recorder leaves it, is whole but for its tables.
    make_recording(f"create {folder('open')} 256\ncomm 1 1 10 a exec\n"
                   "rec pc=0x10004 tid=1 time=20 class=0 sub=0 ev=2 n=50\naux 1 1 30 0 0\n")
    out = spemu("report", "--json", folder("open"))
    equal((out.returncode, json.loads(out.stdout)["samples"]), (0, 50),
          "an unfinished recording shows all samples")
    # Rubbish between the records costs no more than itself.
    make_recording(f"create {folder('mixed')} 256\ncomm 1 1 10 a exec\n"
                   "rec pc=0x10004 tid=1 time=20 class=0 sub=0 ev=2 n=3\n"
                   f"bytes {'4202' * 2000}\n"
                   "rec pc=0x10004 tid=1 time=20 class=0 sub=0 ev=2 n=5\n"
                   "aux 1 1 30 0 0\nfinish\n")
    out = spemu("report", "--json", folder("mixed"))
    report = json.loads(out.stdout)
    check(out.returncode == 1 and report["damaged_bytes"] >= 4000 and report["samples"] >= 7,
          "damage in the trace is counted, told by status 1, and skipped", report)
    # A record whose end is missing at the end of the trace: its packets are an address and Events (D18.1).
    make_recording(f"create {folder('short')} 256\ncomm 1 1 10 a exec\nrec pc=0x10004 tid=1 time=20 class=0 sub=0 ev=2\n"
                   "bytes b0080001000000008052060000\naux 1 1 30 0 0\nfinish\n")
    report = json.loads(spemu("report", "--json", folder("short")).stdout)
    equal((report["samples"], report["damaged_records"]), (1, 1), "a record that is cut off at the end is counted")
    # The header of Events in one record of 40 becomes padding. By D18.1.1 0x16 is then an unknown packet without payload.
    make_recording(f"create {folder('one')} 256\ncomm 77 77 10 a exec\n"
                   "rec pc=0x10004 tid=77 time=20 class=1 sub=0 ev=0x16 total=5 va=0x20008 src=0 n=40\naux 77 77 30 0 0\nfinish\n")
    with open(folder("one"), "rb") as f:
        image = bytearray(f.read())
    places = [i for i in range(len(image)) if image[i:i + 9] == bytes.fromhex("4900 62 16000000 98 05")]
    equal(len(places), 40, "40 records")
    image[places[20] + 2] = 0x00
    one = folder.write("one.changed", bytes(image))
    report = json.loads(spemu("report", "--json", one).stdout)
    lines = [json.loads(line) for line in spemu("dump", "--records", "--json", one).stdout.splitlines()]
    marked = [line for line in lines if "damaged" in line or "suspect" in line]
    equal((report["damaged_records"] + report["suspect_records"], len(marked)), (1, 1), "one damaged record: report counts what dump shows")
    equal([(line.get("pc"), line.get("context_el1"), line.get("total"), line.get("va"), "events" in line) for line in marked],
          [("0x10004", 77, 5, "0x20008", False)], "with its intact packets")
    equal(report["samples"], 39 + report["suspect_records"], "report leaves damaged records out and counts suspect ones")
    for command in (("report",), ("report", "--html", folder("page.html")), ("annotate",), ("export", "--format", "folded"),
                    ("export", "--format", "sqlite", "-o", folder("samples.db")), ("diff", one, one)):
        inputs = () if command[0] == "diff" else ("-i", one)
        out = spemu(*command, *inputs)
        told = [line for line in out.stderr.splitlines() if "1 damaged record is left out" in line]
        equal((out.returncode, len(told)), (1, 2 if command[0] == "diff" else 1), f"{' '.join(command[:2])} says so once for a file")
        out = spemu(*command, "-q", *inputs)
        equal((out.returncode, out.stderr), (1, ""), f"{' '.join(command[:2])} -q: by its status alone")
    assert os.path.exists(path)
done()
