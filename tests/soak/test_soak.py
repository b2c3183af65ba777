# SPDX-License-Identifier: MIT
"""scripts/soak detects faults: growing memory, missing records, and losses without a message."""
import collections
import os
import struct
import subprocess
import sys

import pytest

from soak_memory import JUDGED, KINDS, Sampler, children, judge, least_squares, memory
from soak_record import summary
from soak_trace import AUX, AUXTRACE, LOST, file_counts, records_in
from soak_vm import Rounds, check_counts, trace_counts


def hour(of):
    """Return [(seconds, KiB)] every ten seconds for an hour."""
    return [(x, of(x)) for x in range(0, 3601, 10)]


def test_judge():
    noise = [0, 120, -80, 300, -340]
    assert least_squares([(0, 5), (1, 7), (2, 9)]) == 2, "the least-squares line through a line has its slope"
    steady = judge(hour(lambda x: 50000 + noise[x // 10 % 5]), 1024)
    assert steady["ok"], f"noise is not growth\n{steady}"
    assert judge(hour(lambda x: min(50000, 100 * x)), 1024)["ok"], "growth during the warm-up is not a leak"
    leak = judge(hour(lambda x: 50000 + x + noise[x // 10 % 5]), 1024)
    assert not leak["ok"] and abs(leak["slope_kib_per_hour"] - 3600) < 40, \
        f"one KiB per second is a leak of 3600 KiB per hour\n{leak}"
    assert abs(leak["last_half_median_kib"] - leak["first_half_median_kib"] - 1350) < 40, \
        f"the medians are half of the measured time apart\n{leak}"
    assert judge(hour(lambda x: 50000 + x / 4), 1024)["ok"], "growth below the bound is not a leak"
    step = judge(hour(lambda x: 50000 + (2000 if x > 2400 else 0)), 1024)
    assert not step["ok"], f"a late step is growth\n{step}"
    assert not judge([(0, 1), (10, 1)], 1024)["ok"] and not judge([], 1024)["ok"], \
        "a run that is too short is not a success"


def test_memory():
    program = "x = bytearray(64 << 20)\nfor i in range(0, len(x), 4096): x[i] = 1\n" \
              "print(1, flush=True)\ninput()"
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        sizes = memory(process.pid)
        assert process.pid in children(os.getpid()), "children() finds a child"
        assert (sizes and set(sizes) == set(KINDS) and
                all(64 << 10 <= size < 128 << 10 for size in sizes.values())), \
                    f"memory() measures a process of 64 MiB\n{sizes}"
        process.communicate(b"\n")
    assert memory(process.pid) is None, "an ended process has no memory"


def test_sampler():
    """The sampler measures growth in the process's own memory."""
    sampler = Sampler(0, "own", "child", 10, None)
    for kind in KINDS:
        sampler.points["own"] = hour(lambda x, kind=kind: {
            k: 50000 + (x if k == kind else 0) for k in KINDS})
        result = sampler.judged({"own": 1024, "child": 1024})["own"]
        assert [k for k in KINDS if not result[k]["ok"]] == [k for k in JUDGED if k == kind], \
            f"growth of {kind}: {'only printed' if kind not in JUDGED else 'a failure'}\n{result}"


def event(kind, body):
    return struct.pack("<IHH", kind, 0, 8 + len(body)) + body


def recording(path, aux_flags, trace_bytes, lost):
    """Write a perf.data file with these AUX events, one AUXTRACE event and a LOST event."""
    data = b"".join(event(AUX, struct.pack("<QQQ", 0, 64, flags)) for flags in aux_flags)
    data += event(AUXTRACE, struct.pack("<QQQIIIi", trace_bytes, 0, 0, 0, 0, 0, 0))
    data += b"\x01" + bytes(trace_bytes - 1) + event(LOST, struct.pack("<QQ", 1, lost))
    path.write_bytes(b"PERFILE2" + struct.pack("<QQQQQQ", 104, 0, 0, 0, 104, len(data)) + bytes(48) +
                     data)


def test_records():
    record = b"\x99" + bytes(62) + b"\x01"
    for name, trace, expected in (
            ("whole records", record * 5, (5, 0)), ("nothing", b"", (0, 0)),
            ("zeros between", record + bytes(1) + record * 2 + bytes(4095), (3, 4096)),
            ("zeros in front", bytes(7) + record + bytes(1), (1, 8)),
            ("a record's length of zeros", record + bytes(64) + record, (2, 64))):
        assert records_in(trace) == expected, f"records and padding: {name}\n{records_in(trace)}"
    with pytest.raises(ValueError):  # a truncated record
        records_in(record + record[:8])


def test_file(tmp_path):
    recording(tmp_path / "data", (0, 1, 9, 0xff04), 640, 7)
    got = file_counts(tmp_path / "data")
    expected = {"aux": 4, "aux_truncated": 2, "aux_collision": 1, "aux_partial": 1,
                "trace_bytes": 640, "padding_bytes": 576, "records_written": 1,
                "lost_events": 7}
    assert {k: got[k] for k in expected} == expected, f"the events of a file are counted\n{got}"
    (tmp_path / "data").write_bytes(b"no recording" * 20)
    with pytest.raises(ValueError):  # a file that is not a perf.data file
        file_counts(tmp_path / "data")


ACCESS = """{{"type":"access","vcpu":{},"write":true,"register":"{}","value":"{}","outcome":"ok"}}
"""
# CPU 0 restarts and stops. CPU 1 finds no room at its first restart, and stops. A reset also stops.
LINES = "".join(ACCESS.format(*row) for row in (
    (0, "PMSCR_EL1", "0x0"), (0, "PMBLIMITR_EL1", "0x0"), (0, "PMBLIMITR_EL1", "0x2001"),
    (0, "PMSCR_EL1", "0x3"), (1, "PMBLIMITR_EL1", "0x2001"), (1, "PMSCR_EL1", "0x3"),
    (0, "PMBLIMITR_EL1", "0x3001"), (1, "PMBLIMITR_EL1", "0x0"),
    (1, "PMSCR_EL1", "0x0"), (1, "PMBLIMITR_EL1", "0x0"), (0, "PMSCR_EL1", "0x0"),
    (0, "PMBLIMITR_EL1", "0x0")))
LINES += """{"type":"event","vcpu":0,"register":"PMBSR_EL1","value":"0x30001","meaning":"buffer full"}
{"type":"event","vcpu":1,"register":"PMBSR_EL1","value":"0xa0001","meaning":"buffer full"}
{"type":"summary","vcpu":0,"samples":8,"recorded":6,"filtered":0,"collisions":2,"lost":0}
{"type":"summary","vcpu":1,"samples":5,"recorded":4,"filtered":0,"collisions":0,"lost":1}
"""
SAID = "[ spemu vm: 13 samples on 2 CPUs (10 recorded, 0 filtered, 2 collisions, 1 lost), 2 interrupts ]"
RIGHT = {"records_written": 10, "records_decoded": 10, "aux_collision": 1, "aux_partial": 1,
         "aux_truncated": 2}


def problems(folder, total, said=SAID, lines=LINES, status="1 0 64 x\n", dmesg="[ 0.0] Booting\n"):
    """Return the problems that check_counts() reports for two CPUs with ten records."""
    (folder / "trace").write_text(lines, encoding="ascii")
    (folder / "status").write_text(status, encoding="ascii")
    (folder / "dmesg").write_text(dmesg, encoding="ascii")
    rounds = Rounds("spemu", folder)
    rounds.total = collections.Counter(total)
    rounds.rows = [{}]
    result = {"model": trace_counts(folder / "trace"), "said": said, "problems": []}
    check_counts(result, rounds, folder)
    return result["problems"]


def test_counts(tmp_path):
    assert problems(tmp_path, RIGHT) == [], f"counts that agree\n{problems(tmp_path, RIGHT)}"
    for key in RIGHT:
        wrong = problems(tmp_path, dict(RIGHT, **{key: RIGHT[key] - 1}))
        assert len(wrong) == 1, f"a missing item of {key} is found\n{wrong}"
    assert len(problems(tmp_path, RIGHT, lines=LINES.replace('"filtered":0', '"filtered":1', 1),
                        said=SAID.replace("0 filtered", "1 filtered"))) == 1, "a sample without an outcome is found"
    assert len(problems(tmp_path, dict(RIGHT, lost_events=1))) == 1, "a lost event is found"
    assert len(problems(tmp_path, RIGHT, said=SAID.replace("1 lost", "0 lost"))) == 1, "a loss that the last line omits is found"
    assert len(problems(tmp_path, RIGHT, status="1 255 64 x\n")) == 1, "a failed perf is found"
    assert len(problems(tmp_path, RIGHT, status="1 0 64 x\n2 0 64 x\n")) == 1, "a round that was not counted is found"
    assert len(problems(tmp_path, RIGHT, dmesg="[ 1.0] irq 9: nobody cared\n")) == 1, "a message of the kernel is found"


def test_summary():
    text = "[ spemu record: 1200 samples (3 filtered, 2 collisions, 1 lost), 77000 bytes written to " \
           "x.data; 4.916 M operations in 5.02 s, 23.5 MIPS; period 4096 ]"
    got = summary(text)
    assert got == {"samples": 1200, "filtered": 3, "collisions": 2, "lost": 1,
                   "operations": 4916000, "operations_rounding": 500.0}, \
                       f"the last line of spemu record is parsed\n{got}"
