# SPDX-License-Identifier: MIT
"""spemu dump compared with perf report -D byte by byte, and its records compared with the generated
ones."""
import json
import re

import pytest

from clilib import SPEMU, refuses, run, spemu, write
from known import FP, Known, PARENT, SIMD
from perf_there import perf_works

# Members of a JSON record that the text output omits or shows in another form.
NO_WORD = {"queue", "offset", "size", "el", "op_class", "op_subclass", "event_bits"}


def packets_of(text):
    """Return the lines that show packets, in order."""
    return [li for li in text.splitlines() if re.match(r"^\.(  [0-9a-f]{8}:| \.\.\. ARM SPE)", li)]


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    return Known(tmp_path_factory.mktemp("known"))


def test_perf(tmp_path, known):
    if not perf_works():
        return
    # perf 6.1 does not have words for FP and SIMD in other operations (FEAT_SPE_FPF).
    path = f"{tmp_path}/perf.data"
    known.make(path, omit=(FP, SIMD))
    perf = packets_of(run("perf", "report", "-D", "-i", path, timeout=300).stdout)
    ours = packets_of(spemu("dump", path).stdout)
    assert len(perf) > 1000, "perf shows more than 1000 packets"
    # perf shows trace in the order of the file, and spemu queue by queue.
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
    assert len(strip[0]) == len(strip[1]) and not different, \
        f"the packets equal those of perf report -D byte by byte\n{detail}"


def test_records(known):
    out = spemu("dump", "--records", "--json", known.path)
    records = [json.loads(li) for li in out.stdout.splitlines()]
    assert out.returncode == 0, "dump --records succeeds"
    assert len(records) == known.total() + 9, "dump shows all generated records"
    first = [r for r in records if r["queue"] == 0][0]
    sample = known.samples[0]
    assert (first["context_el1"], int(first["pc"], 16), int(first["va"], 16), first["total"],
            int(first["source"], 16), first["timestamp"], first["el"]) == (PARENT, sample[2], sample[3], sample[6], sample[9], 2000, 0), \
        "the values of the first record"
    assert first["events"] == ["retired", "l1d-access", "tlb-access"], "the events of the first record"
    assert (first["op_class"], first["op"]) == (1, "load, general"), "the operation of the first record"
    offsets = [r["offset"] for r in records if r["queue"] == 0]
    assert offsets == sorted(offsets), "offsets increase"
    text = spemu("dump", "--records", known.path).stdout
    assert len(text.splitlines()) == len(records), "the text has one line for each record"
    for line, record in zip(text.splitlines(), records):
        words = dict(re.findall(r'(\w+)=("[^"]*"|\S+)', line))
        shown = {name: value for name, value in record.items() if name not in NO_WORD}
        wanted = {name: f'"{value}"' if name == "op" else ",".join(value) if name == "events" else str(value)
                  for name, value in shown.items()}
        assert (line.split()[0], words, f" el{record['el']} " in line) == (
            f"{record['queue']}:{record['offset']:08x}", wanted, True), \
                f"the text shows the values of the JSON output\n{line}\n{record}"


def test_packets_json(known):
    packets = [json.loads(li) for li in spemu("dump", "--json", known.path).stdout.splitlines()]
    ends = {}
    for p in packets:
        at = ends.get(p["queue"], 0)
        assert p["offset"] == at, f"there is no gap between packets\n{p}"
        ends[p["queue"]] = at + len(p["bytes"]) // 2
    assert len([p for p in packets if p["type"] in ("timestamp", "end")]) == known.total() + 9, \
        "each record has one End or Timestamp packet"


def test_selection(known):
    def records(*args):
        return [json.loads(li) for li in
                spemu("dump", "--records", "--json", *args, known.path).stdout.splitlines()]

    everything = records()
    one = records("--queue", "1")
    assert len(one) == known.total(lambda s: s[0] == 1), "--queue selects the records of a queue"
    assert one == [r for r in everything if r["queue"] == 1], "--queue shows no other records"
    assert len(records("--cpu", "2")) == known.total(lambda s: s[0] == 2) + 9, "--cpu selects the records of a CPU"
    some = records("--queue", "0", "--from", "640", "--to", "1280")
    assert some == [r for r in everything if r["queue"] == 0 and 640 <= r["offset"] < 1280], \
        "--from and --to select by offset"
    assert records("--queue", "77") == [], "a queue that does not exist has no records"


def test_raw(tmp_path):
    # One record by hand (D18.2): PC, Events, Operation type, End.
    raw = bytes.fromhex("b0" "0410005500000080" "4202" "4800" "01" "000000")
    path = write(tmp_path, "raw", raw)
    out = spemu("dump", "--raw", path)
    assert out.returncode == 0, "--raw succeeds"
    lines = packets_of(out.stdout)
    assert lines[0] == f". ... ARM SPE data: size {len(raw):#x} bytes", "--raw shows the size"
    assert "PC 0x55001004 el0" in lines[1] and "EV RETIRED" in lines[2] and "END" in lines[4], \
        f"--raw shows the packets\n{out.stdout}"
    record = json.loads(spemu("dump", "--raw", path, "--records", "--json").stdout)
    assert (record["pc"], record["el"], record["size"]) == ("0x55001004", 0, 14), "--raw --records shows the record"
    cut = spemu("dump", "--raw", write(tmp_path, "cut", raw[:1]))
    assert (cut.returncode, cut.stdout.count("Bad packet!")) == (1, 1), "a truncated packet is shown as bad"
    cut = spemu("dump", "--raw", write(tmp_path, "cut", raw[:5]), "--records")
    assert (cut.returncode, cut.stdout, len(cut.stderr.splitlines())) == (1, "", 1), \
        "a truncated record causes one message"
    assert spemu("dump", "--raw", write(tmp_path, "empty", "")).returncode == 0, "an empty buffer is valid"


def test_damaged(tmp_path):
    """A truncated record shows each packet that occurs once as a member, and all other packets as
    bytes."""
    # By hand (D18.2): PC, Total latency twice, Issue latency, and Counter 8, which has a 16-bit
    # header.
    raw = bytes.fromhex("b0" "0410005500000080" "980500" "980600" "990300" "2198" "0700")
    out = spemu("dump", "--raw", write(tmp_path, "cut", raw), "--records", "--json")
    _, record = map(json.loads, out.stdout.splitlines())
    assert [record.get(name) for name in ("damaged", "pc", "issue", "total", "context_el1")] == [True, "0x55001004", 3, None, None], \
        "a truncated record has the packets that occur once as members"
    assert [other["bytes"] for other in record["other"]] == ["980500", "980600", "21980700"], \
        "the other packets are shown as bytes"


def test_large_offset(tmp_path):
    """Offsets have eight digits, or more if necessary."""
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
    assert full.returncode == 125 and "No space left" in full.stderr, f"a full disk is reported\n{full.stderr}"


def test_event_words(tmp_path):
    # An Events packet of 8 bytes with every bit set (D18.2.6), and an End packet.
    raw = write(tmp_path, "events.bin", bytes([0x72] + 8 * [0xff] + [0x01]))
    words = json.loads(spemu("dump", "--raw", raw, "--records", "--json").stdout)["events"]
    assert len(words) == 64, "every event has a word"
    command = "record", "--machine", "neoverse-v1", "--event-filter"
    refused = [w for w in words if spemu(*command, w, "/").returncode != 126]
    assert refused == [], "the filters of spemu record accept every event word of dump"
    packet = spemu("dump", "--raw", raw).stdout
    missing = [w for w in words if not w.startswith("bit") and f" {w.upper()} " not in packet]
    assert missing == [], "packets and records use the same event words"
    assert spemu("record", "--event-filter", "bit64", "/").returncode == 2, \
        "an event number beyond the packet is rejected"
