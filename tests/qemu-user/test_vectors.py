# SPDX-License-Identifier: MIT
"""SVE operations in user mode: class, vector length, and the events of their predicates.

The expected values come from a simulation of guest/sve.S, and from the formats in D18.2.6 and D18.2.7.
"""
import os
import pathlib
import shutil
import subprocess

import pytest

import test_plugin
from test_plugin import Elf, GUEST, QEMU, Recording, build, own_folder, place  # pylint: disable=unused-import

ROUNDS, PERIOD = 20000, 256
SVE = "features=v8.5,+FEAT_SVE"
PARTIAL, EMPTY = 1 << 17, 1 << 18
OTHER, ACCESS, BRANCH = 0, 1, 2
REPORTS_ACCESSES = " 7.2" not in subprocess.run([QEMU, "--version"], capture_output=True, text=True, check=True).stdout


def other(length, flags=0):
    """Return the Operation Type of an SVE operation: EVL in [6:4], 1 in [3]; flags has PRED [2] and FP [1]."""
    return OTHER, 0x08 | (length * 8 // 32).bit_length() - 1 << 4 | flags


def access(length, flags=0):
    """Return the Operation Type of an SVE load or store; flags has SG [7], PRED [2] and, for a store, 1 in [0]."""
    return ACCESS, other(length, flags)[1]


def events(active, elements):
    return PARTIAL | EMPTY if not active else PARTIAL if active < elements else 0


def round_of(length, n, array):
    """Return (operation type, events, address of the first active element) of each instruction of a round."""
    words, doubles = min(n, length // 4), min(n, length // 8)
    of_words, of_doubles = events(words, length // 4), events(doubles, length // 8)
    address = array if n else None
    return [((OTHER, 0), 0, None), (other(length), 0, None),
            (access(length), of_words, address), (other(length, 6), of_words, None),
            (access(length, 5), of_words, address and array + 256), (other(length), 0, None),
            (other(length, 4), of_doubles, None), (other(length), 0, None),
            (access(length), 0, array), (other(length), events(words, length), None),
            (other(length), of_doubles, None), (access(length), events(min(n, 4), 4), address),
            (other(length), 0, None), ((OTHER, 0), 0, None), ((OTHER, 0), 0, None), ((BRANCH, 1), 0, None)]


def simulate(elf):
    """Return (pc, operation type, events, address) of every executed instruction."""
    s = elf.symbol
    scalar, svc = ((OTHER, 0), 0, None), ((OTHER, 0), 0, None)
    rounds = {}

    def straight(name, kinds):
        return [(s[name] + 4 * i, *kind) for i, kind in enumerate(kinds)]

    ops = straight("_start", [scalar] * 3)
    for length in (16, 32, 64):
        ops += straight("next_length", [scalar] * 3 + [svc] + [scalar] * 2)
        for left in range(ROUNDS, 0, -1):
            key = length, left % 32
            if key not in rounds:
                rounds[key] = straight("round_begin", round_of(*key, s["array"]))
            ops += rounds[key]
        ops += straight("round_end", [scalar] * 2 + [((BRANCH, 1), 0, None)])
    return ops + straight("finish", [scalar] * 2 + [svc])


@pytest.fixture(name="elf", scope="module")
def _elf(own_folder):  # pylint: disable=unused-argument,redefined-outer-name
    build("sve", "-nostdlib", "-static", f"{GUEST}/sve.S")
    return Elf("sve")


def matches(record, op):
    """Return the difference between the record and the operation, or ''."""
    pc, kind, expected, address = op
    if record["pc"] != pc:
        return f"pc {record['pc']:#x}, not {pc:#x}"
    if (record["class"], record["subclass"]) != kind:
        return f"{pc:#x}: operation {record['class']} {record['subclass']:#x}, not {kind[0]} {kind[1]:#x}"
    if record["events"] & (PARTIAL | EMPTY) != expected:
        return f"{pc:#x}: events {record['events']:#x}, not {expected:#x}"
    has_address = bool(record["present"] & 4)
    if has_address and record["va"] != address or REPORTS_ACCESSES and address and not has_address:
        return f"{pc:#x}: address {record['va']:#x}, not {address}"
    return ""


TIMED, CALLBACKS, SAMPLED = "profile=neoverse-v1", "flags=0x10000", "flags=0x80"


@pytest.mark.parametrize("params", ([], [CALLBACKS], [TIMED], [TIMED, SAMPLED]),
                         ids=("restarts", "callbacks", "timed", "sampled"))
def test_truth(elf, params):
    r = Recording(["./sve"], f"period={PERIOD}", SVE, *params)
    ops, records = simulate(elf), r.of("record")
    assert (r.status, r.total["operations"], r.note) == (44, len(ops), ""), "every operation is counted"
    chosen = [ops[at - 1] for at in (place(n, PERIOD) for n in range(len(ops) // PERIOD)) if at <= len(ops)]
    bad = [f"{n}: {m}" for n, (record, op) in enumerate(zip(records, chosen)) if (m := matches(record, op))]
    assert len(records) == len(chosen) and not bad, f"each of {len(records)} records is correct\n{bad[:5]}"
    seen = {x["events"] & (PARTIAL | EMPTY) for x in records}
    assert seen == {0, PARTIAL, PARTIAL | EMPTY}, "full, partial and empty predicates are sampled"


def test_without_sve(elf):
    """A machine without SVE has records as before: SVE registers include the SIMD&FP registers."""
    records = Recording(["./sve"], f"period={PERIOD}").of("record")
    assert {(x["class"], x["subclass"]) for x in records} == {(0, 0), (1, 4), (1, 5), (2, 1)}, "formats of FEAT_SPE"
    assert not any(x["events"] & (PARTIAL | EMPTY) for x in records), "no events of predicates"
    assert all(x["class"] == ACCESS for x in records if x["pc"] == elf.symbol["round_begin"] + 8), "loads are loads"


def test_cpu_without_sve():
    """The registers of SVE are not read, and nothing is missing, if QEMU's CPU does not have SVE."""
    build("loop", "-nostdlib", "-static", f"{GUEST}/loop.S")
    r = Recording(["./loop"], "period=1024", SVE, env={**os.environ, "QEMU_CPU": "cortex-a57"})
    assert (r.status, r.note) == (42, "") and r.of("record"), f"the program is recorded\n{r.err}"


def test_unreadable(elf, monkeypatch):
    """Without registers, no record claims a vector length, and a note says so."""
    program = pathlib.Path(shutil.which(QEMU)).read_bytes()
    if b"arm_gdb_get_svereg\0" not in program:
        pytest.skip("this QEMU's plugin interface has registers")
    hidden = pathlib.Path("qemu-hidden")
    hidden.write_bytes(program.replace(b"arm_gdb_get_svereg\0", b"arm_gdb_got_svereg\0"))
    hidden.chmod(0o755)
    monkeypatch.setattr(test_plugin, "QEMU", hidden.absolute())
    r = Recording(["./sve"], f"period={PERIOD}", SVE)
    assert r.status == 44 and "records do not show SVE" in r.note, f"a note says what is missing\n{r.note}"
    formats = {(x["class"], x["subclass"]) for x in r.of("record")}
    assert formats == {(0, 0), (1, 0x10), (1, 0x11), (2, 1)}, "unspecified registers"
