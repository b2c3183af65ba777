# SPDX-License-Identifier: MIT
"""spemu dump: compared with perf report -D byte by byte, and records with the records that were made."""
import json
import re

import pytest

from clilib import SPEMU, refuses, run, spemu, write
from known import FP, Known, PARENT, SIMD
from perf_there import perf_works

# Members of a JSON record that the text omits or shows in another form.
NO_WORD = {"queue", "offset", "size", "el", "op_class", "op_subclass", "event_bits"}


def packets_of(text):
    """The lines of packets, in order."""
    return [li for li in text.splitlines() if re.match(r"^\.(  [0-9a-f]{8}:| \.\.\. ARM SPE)", li)]


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    return Known(tmp_path_factory.mktemp("known"))


def test_perf(tmp_path, known):
    if not perf_works():
        return
    # perf 6.1 has no words yet for FP and SIMD of other operations (FEAT_SPE_FPF).
    path = f"{tmp_path}/perf.data"
    known.make(path, omit=(FP, SIMD))
    perf = packets_of(run("perf", "report", "-D", "-i", path, timeout=300).stdout)
    ours = packets_of(spemu("dump", path).stdout)
    assert len(perf) > 1000, "perf shows packets"
    # perf shows events in the order of the file, spemu queue by queue.
    blocks = [sorted(re.split(r"^(?=\. \.\.\.)", "\n".join(p) + "\n", flags=re.M))
              for p in (perf, ours)]
    strip = [[re.sub(r"[ \t]+$", "", b, flags=re.M) for b in bl] for bl in blocks]
    different = [(a, b) for a, b in zip(*strip) if a != b]
    detail = ""
    for a, b in different[:1]:
        for x, y in zip(a.splitlines(), b.splitlines()):
            if x != y:
                detail = f"perf  {x}\nspemu {y}"
                break
    assert len(strip[0]) == len(strip[1]) and not different, f"packets are those of perf report -D, byte by byte\n{detail}"


def test_records(known):
    out = spemu("dump", "--records", "--json", known.path)
    records = [json.loads(li) for li in out.stdout.splitlines()]
    assert out.returncode == 0, "dump --records succeeds"
    assert len(records) == known.total() + 9, "as many records as were made"
    first = [r for r in records if r["queue"] == 0][0]
    sample = known.samples[0]
    assert (first["context_el1"], int(first["pc"], 16), int(first["va"], 16), first["total"],
            int(first["source"], 16), first["timestamp"], first["el"]) == (PARENT, sample[2], sample[3], sample[6], sample[9], 2000, 0), \
        "the first record's values"
    assert first["events"] == ["retired", "l1d-access", "tlb-access"], "its events"
    assert (first["op_class"], first["op"]) == (1, "load, general"), "its operation"
    offsets = [r["offset"] for r in records if r["queue"] == 0]
    assert offsets == sorted(offsets), "offsets grow"
    text = spemu("dump", "--records", known.path).stdout
    assert len(text.splitlines()) == len(records), "text has one record a line"
    for line, record in zip(text.splitlines(), records):
        words = dict(re.findall(r'(\w+)=("[^"]*"|\S+)', line))
        shown = {name: value for name, value in record.items() if name not in NO_WORD}
        wanted = {name: f'"{value}"' if name == "op" else ",".join(value) if name == "events" else str(value)
                  for name, value in shown.items()}
        assert (line.split()[0], words, f" el{record['el']} " in line) == (
            f"{record['queue']}:{record['offset']:08x}", wanted, True), f"text shows what JSON shows\n{line}\n{record}"


def test_packets_json(known):
    packets = [json.loads(li) for li in spemu("dump", "--json", known.path).stdout.splitlines()]
    ends = {}
    for p in packets:
        at = ends.get(p["queue"], 0)
        assert p["offset"] == at, f"packets follow each other without gap\n{p}"
        ends[p["queue"]] = at + len(p["bytes"]) // 2
    assert len([p for p in packets if p["type"] in ("timestamp", "end")]) == known.total() + 9, "one End or Timestamp packet a record"


def test_selection(known):
    def records(*args):
        return [json.loads(li) for li in
                spemu("dump", "--records", "--json", *args, known.path).stdout.splitlines()]

    everything = records()
    one = records("--queue", "1")
    assert len(one) == known.total(lambda s: s[0] == 1), "--queue"
    assert one == [r for r in everything if r["queue"] == 1], "--queue shows its records alone"
    assert len(records("--cpu", "2")) == known.total(lambda s: s[0] == 2) + 9, "--cpu"
    some = records("--queue", "0", "--from", "640", "--to", "1280")
    assert some == [r for r in everything if r["queue"] == 0 and 640 <= r["offset"] < 1280], "--from and --to"
    assert records("--queue", "77") == [], "a queue that is not there"


def test_raw(tmp_path):
    # One record by hand (D18.2): PC, events, operation type, end.
    raw = bytes.fromhex("b0" "0410005500000080" "4202" "4800" "01" "000000")
    path = write(tmp_path, "raw", raw)
    out = spemu("dump", "--raw", path)
    assert out.returncode == 0, "--raw succeeds"
    lines = packets_of(out.stdout)
    assert lines[0] == f". ... ARM SPE data: size {len(raw):#x} bytes", "--raw: size"
    assert "PC 0x55001004 el0" in lines[1] and "EV RETIRED" in lines[2] and "END" in lines[4], f"--raw: packets\n{out.stdout}"
    record = json.loads(spemu("dump", "--raw", path, "--records", "--json").stdout)
    assert (record["pc"], record["el"], record["size"]) == ("0x55001004", 0, 14), "--raw --records"
    cut = spemu("dump", "--raw", write(tmp_path, "cut", raw[:1]))
    assert (cut.returncode, cut.stdout.count("Bad packet!")) == (1, 1), "a cut packet is bad"
    cut = spemu("dump", "--raw", write(tmp_path, "cut", raw[:5]), "--records")
    assert (cut.returncode, cut.stdout, len(cut.stderr.splitlines())) == (1, "", 1), "a cut record is said in one line"
    assert spemu("dump", "--raw", write(tmp_path, "empty", "")).returncode == 0, "an empty buffer"


def test_damaged(tmp_path):
    """A cut record shows packets that it has once as members, all others as they are."""
    # By hand (D18.2): PC, Total latency twice, Issue latency, and Counter 8 with its 16-bit header.
    raw = bytes.fromhex("b0" "0410005500000080" "980500" "980600" "990300" "2198" "0700")
    out = spemu("dump", "--raw", write(tmp_path, "cut", raw), "--records", "--json")
    _, record = map(json.loads, out.stdout.splitlines())
    assert [record.get(name) for name in ("damaged", "pc", "issue", "total", "context_el1")] == [True, "0x55001004", 3, None, None], \
        "a cut record has the packets that are there once"
    assert [other["bytes"] for other in record["other"]] == ["980500", "980600", "21980700"], "and shows the others as they are"


def test_large_offset(tmp_path):
    """Offsets have eight digits, or as many as they need."""
    for offset in (0xfffffff8, 0x123456780):
        path = write(tmp_path, "large", "")
        with open(path, "r+b") as f:
            f.seek(offset)
            f.write(bytes.fromhex("4900" "62" "16000000" "980500" "01"))
        out = spemu("dump", "--raw", path, "--from", hex(offset)).stdout
        assert re.findall(r"^\.  ([0-9a-f]+):", out, re.M) == [f"{offset + n:08x}" for n in (0, 2, 7, 10)], \
            f"packets from offset {offset:#x} on"


def test_wrong_usage(tmp_path, known):
    refuses("missing file", 127, "No such file", "dump", f"{tmp_path}/absent")
    refuses("missing raw file", 127, "No such file", "dump", "--raw", f"{tmp_path}/absent")
    refuses("bad queue", 2, "--queue: expected a number from 0 to 4294967295, got 'x'", "dump", "--queue", "x", known.path)
    refuses("unknown option", 2, "did you mean '--records'", "dump", "--record", "--recrods")
    refuses("two files", 2, "too many", "dump", known.path, known.path)
    full = run("sh", "-c", 'exec "$0" dump "$1" > /dev/full', SPEMU,
               known.path)
    assert full.returncode == 125 and "No space left" in full.stderr, f"a full disk is told\n{full.stderr}"


def test_event_words(tmp_path):
    # An Events packet of 8 bytes with every bit (D18.2.6), and an End packet.
    raw = write(tmp_path, "events.bin", bytes([0x72] + 8 * [0xff] + [0x01]))
    words = json.loads(spemu("dump", "--raw", raw, "--records", "--json").stdout)["events"]
    assert len(words) == 64, "every event has a word"
    refused = [w for w in words if spemu("record", "--event-filter", w, "/").returncode != 126]
    assert refused == [], "every word of dump is one that record's filters take"
    packet = spemu("dump", "--raw", raw).stdout
    missing = [w for w in words if not w.startswith("bit") and f" {w.upper()} " not in packet]
    assert missing == [], "packets and records have the same words"
    assert spemu("record", "--event-filter", "bit64", "/").returncode == 2, "an event beyond the packet is refused"
