# SPDX-License-Identifier: MIT
"""Records with one damaged byte: each byte of two records takes every value.

Readers must show every packet that is intact and can be found again. The records before and after the damaged one must
be complete. The parser below decides which packets are intact; it only knows D18.1.1 and Table D18-1.
With SPEMU_TEST_SHARE=N, only every Nth value is tested.
"""
import json
import os
import struct

import pytest

from clilib import spemu, write

SHARE = max(1, int(os.environ.get("SPEMU_TEST_SHARE", "1")))
AROUND = 6  # number of undamaged records between two damaged ones


def packet_size(data, at):
    """Return the size of a packet, or None. Bits [5:4] of a header give the payload size unless
    bits [7:6] are 0 (D18.1.1)."""
    header, size = data[at], 1
    if header & 0xfc == 0x20 and at + 1 < len(data):
        header, size = data[at + 1], 2
    return size + (1 << (header >> 4 & 3) if header >> 6 else 0)


def parse(data, at, end):
    """Return [(offset, bytes)] of the packets from `at` to the first one that reaches `end`."""
    packets = []
    while at < end:
        size = packet_size(data, at)
        packets.append((at, bytes(data[at:at + size])))
        at += size
    return packets


def record(i, stamp):
    """Return the packets of a load as [(name or None, value, bytes)]."""
    pc, va = 0x400000 + 4 * (i % 1000), 0x7f0000 + 8 * i
    packets = [("pc", hex(pc), b"\xb0" + struct.pack("<Q", pc | 1 << 63)),
               ("context_el1", 77, b"\x64" + struct.pack("<I", 77)),
               ("op_class", 1, b"\x49\x00"),
               ("event_bits", "0x16", b"\x62" + struct.pack("<I", 0x16)),
               ("issue", 3 + i % 5, b"\x99" + struct.pack("<H", 3 + i % 5)),
               ("total", 20 + i % 7, b"\x98" + struct.pack("<H", 20 + i % 7)),
               ("va", hex(va), b"\xb2" + struct.pack("<Q", va)),
               ("translation", 1, b"\x9a\x01\x00"),
               ("source", "0x8", b"\x43\x08")]
    return packets + [("timestamp", 5000 + i, b"\x71" + struct.pack("<Q", 5000 + i)) if stamp else (None, None, b"\x01")]


def data_of(packets):
    return b"".join(p[2] for p in packets)


class Stream:
    """A trace with copies of a record, each with another value of byte number `at`. Undamaged
    records surround each copy."""

    def __init__(self, at, stamp):
        self.data, self.whole, self.damaged = bytearray(), {}, []
        for value in range(0, 256, SHARE):
            for i in range(AROUND):
                self.add_whole(stamp)
            packets = record(len(self.whole), stamp)
            changed = bytearray(data_of(packets))
            if changed[at] == value:
                continue
            changed[at] = value
            self.damaged.append((len(self.data), packets, value))
            self.data += changed
        for i in range(AROUND):
            self.add_whole(stamp)

    def add_whole(self, stamp):
        packets = record(len(self.whole), stamp)
        self.whole[len(self.data)] = packets
        self.data += data_of(packets)

    def intact(self, start, packets, at):
        """Yield (name, value) of the record's packets that a parser still finds in the changed
        bytes. Skip packets without a name."""
        size = len(data_of(packets))
        found, offset = set(parse(self.data, start, start + size)), start
        for name, value, raw in packets:
            if name and (offset, raw) in found and not offset <= start + at < offset + len(raw):
                yield name, value
            offset += len(raw)


def shown(lines, start, end):
    """Return the members and the bytes of other packets that the lines show for these bytes."""
    members, words = set(), []
    for line in lines:
        if start <= line["offset"] < end and "skipped" not in line:
            members |= {(k, v) for k, v in line.items() if k in NAMES}
            words += [other["bytes"] for other in line.get("other", [])]
    return members, words


NAMES = {name for name, _, _ in record(0, True)} - {None}


def one_byte(folder, at, stamp, totals):
    stream = Stream(at, stamp)
    out = spemu("dump", "--raw", write(folder, "trace", bytes(stream.data)), "--records", "--json")
    by_offset = [json.loads(line) for line in out.stdout.splitlines()]
    near = {}
    for line in by_offset:
        near.setdefault(line["offset"] // 256, []).append(line)
    given = {line["offset"]: line for line in by_offset if "skipped" not in line and "damaged" not in line}
    problems = []
    for offset, packets in stream.whole.items():
        got = given.get(offset, {})
        if any(got.get(name) != value for name, value, _ in packets if name):
            totals["lost"] += 1
            if totals["lost"] < 5:
                print(f"# byte {at}, stamp {stamp}: the whole record at {offset} is {got}")
    for start, packets, value in stream.damaged:
        end = start + len(data_of(packets))
        lines = [line for page in range(start // 256 - 1, end // 256 + 1) for line in near.get(page, [])]
        members, others = shown(lines, start, end)
        raw = {name: each.hex() for name, _, each in packets}
        missing = [name for name, right in stream.intact(start, packets, at)
                   if (name, right) not in members and raw[name] not in others]
        totals["damaged"] += 1
        totals["marked"] += any(line.get("damaged") for line in lines if start <= line["offset"] < end)
        if missing:
            problems.append(f"byte {at} of {len(raw)} packets, value {value:#x}, stamp {stamp}: {missing} not in {sorted(members)} {others}")
    return problems


@pytest.mark.parametrize("stamp", (True, False))
def test_every_byte(tmp_path, stamp):
    totals = {"damaged": 0, "marked": 0, "lost": 0}
    problems = []
    for at in range(len(data_of(record(0, stamp)))):
        problems += one_byte(tmp_path, at, stamp, totals)
    assert not problems, "the intact packets of a damaged record are shown\n" + "\n".join(problems[:5])
    # spemu/codec.h: near damage, about one in two thousand records may be lost.
    assert totals["lost"] <= totals["damaged"] // 2000 + 1, f"the records around the damaged one are complete\n{totals}"


def test_far_away(tmp_path):
    """Damage to one record leaves all other records of the process complete, including the first
    record of the stream."""
    lost, streams = [], 0
    for stamp, total in ((False, 8), (False, 12), (False, 40), (True, 20)):
        for damaged in range(1, total - 1, max(1, total // 8)):
            for at, value in ((0, 0), (0, 1), (9, 0), (9, 0x71), (14, 0), (16, 0)):
                packets = [[("context_el1", 1, b"\x64" + struct.pack("<I", 1)) if p[0] == "context_el1" else p for p in record(i, stamp)]
                           for i in range(total)]
                data, size = bytearray(b"".join(map(data_of, packets))), len(data_of(packets[0]))
                data[damaged * size + at] = value
                out = spemu("dump", "--raw", write(tmp_path, "trace", bytes(data)), "--records", "--json").stdout
                lines = [json.loads(line) for line in out.splitlines()]
                given = {line["offset"]: line["size"] for line in lines if "skipped" not in line and "damaged" not in line}
                streams += 1
                lost += [f"record {i} of {total}, byte {at} of record {damaged} is {value:#x}, stamp {stamp}" for i in range(total)
                         if i != damaged and given.get(i * size) != size]
    assert not lost, f"in {streams} streams, only neighbors of a damaged record are affected\n" + "\n".join(lost[:5])
