# SPDX-License-Identifier: MIT
"""Every packet of D18: Debian's perf and spemu dump print the same text.

packets_make writes a perf.data file with all packets. UNKNOWN_TO_PERF lists the packets for which
the packaged perf (Linux 6.1 to 6.12) prints less or nothing, with the text that it prints. For all
other packets, both must print the same text.
"""
import re
import subprocess

import pytest

from clilib import BUILD, SPEMU

from perf_there import perf_works


class Packet:
    """A packet parsed by Tables D18-1 and D18-2, without the library."""

    def __init__(self, raw):
        extended = 0x20 <= raw[0] <= 0x3f
        head = raw[1] if extended else raw[0]
        self.payload = int.from_bytes(raw[2 if extended else 1:], "little")
        self.index = 0
        self.kind = "unknown"
        if extended and raw[0] & 0xfc == 0x20 or not extended:
            if head & 0xf8 == 0xb0:
                self.kind = "address"
                self.index = head & 7
            elif head & 0xf8 == 0x98:
                self.kind = "counter"
                self.index = head & 7
            if extended:
                self.index |= (raw[0] & 3) << 3
        if not extended:
            if head & 0xfc in (0x64, 0x48):
                self.kind = "context" if head & 0xfc == 0x64 else "op"
                self.index = head & 3
            for mask, value, kind in ((0xcf, 0x42, "events"), (0xcf, 0x43, "source"),
                                      (0xff, 0x71, "timestamp"), (0xff, 0, "padding"),
                                      (0xff, 1, "end")):
                if head & mask == value:
                    self.kind = kind


PERF_EVENTS = {0: "EXCEPTION-GEN", 1: "RETIRED", 2: "L1D-ACCESS", 3: "L1D-REFILL",
               4: "TLB-ACCESS", 5: "TLB-REFILL", 6: "NOT-TAKEN", 7: "MISPRED",
               8: "LLC-ACCESS", 9: "LLC-REFILL", 10: "REMOTE-ACCESS", 11: "ALIGNMENT",
               17: "SVE-PARTIAL-PRED", 18: "SVE-EMPTY-PRED"}


def events_of_perf(p):
    return " ".join(["EV"] + [name for bit, name in PERF_EVENTS.items() if p.payload >> bit & 1])


def ldst_known(value):
    return (value & 0xfe in (0x00, 0x04, 0x10, 0x30) or value & 0xe2 == 0x02
            or value & 0x0a == 0x08)


def previous_branch(p):
    """Return true for an Address packet with INDEX 4 that is a target without NSE. perf knows this
    packet since 6.3."""
    return f"PBT {p.payload & (1 << 56) - 1:#x} el{p.payload >> 61 & 3} ns={p.payload >> 63}"


def branch(p):
    """Return the full text of a Branch packet. perf prints it since 6.12, whatever the reserved
    bits are."""
    words = [("COND", p.payload & 1), ("IND", p.payload & 2), ("GCS", p.payload & 4),
             ("CR-BL", p.payload & 0x18 == 8), ("CR-RET", p.payload & 0x18 == 0x10),
             ("CR-NON-BL-RET", p.payload & 0x18 == 0x18)]
    return " ".join(["B"] + [word for word, there in words if there])


# Exceptions: the packets, and perf's text for them, which may contain the text of spemu. "or" separates the texts of
# different perf releases.
UNKNOWN_TO_PERF = [
    ("Address INDEX 4 and above",
     lambda p: p.kind == "address" and p.index > 3,
     lambda p, ours: f"ADDR {p.payload:#x} ({p.index})" +
     (f" or {previous_branch(p)}" if p.index == 4 else "")),
    ("NSE, bit 60 of an address (FEAT_RME)",
     lambda p: p.kind == "address" and p.index in (0, 1, 3) and p.payload >> 60 & 1,
     lambda p, ours: ours.removesuffix(" nse=1")),
    ("Counter INDEX 3 and above (FEAT_SPE_ALTCLK and others)",
     lambda p: p.kind == "counter" and p.index > 2,
     lambda p, ours: f"LAT {p.payload}"),
    ("Context INDEX 2 and 3 (reserved)",
     lambda p: p.kind == "context" and p.index > 1,
     lambda p, ours: f"CONTEXT {p.payload:#x} el{p.index + 1}"),
    ("Events 12 to 16 and 19 and above",
     lambda p: p.kind == "events" and p.payload & ~0x60fff,
     lambda p, ours: events_of_perf(p)),
    ("Other operations: ASE and FP (FEAT_SPE_FPF), SME (FEAT_SPE_SME), reserved",
     lambda p: p.kind == "op" and p.index == 0 and p.payload > 1 and p.payload & 0x89 != 0x08,
     lambda p, ours: "OTHER " + ("COND-SELECT" if p.payload & 1 else "INSN-OTHER")),
    ("Loads and stores: Allocation Tags, memory copy and set, GCS, reserved",
     lambda p: p.kind == "op" and p.index == 1 and not ldst_known(p.payload),
     lambda p, ours: "ST" if p.payload & 1 else "LD"),
    ("Branches: CR (FEAT_SPE_CRR), GCS, reserved",
     lambda p: p.kind == "op" and p.index == 2 and p.payload > 3,
     lambda p, ours: ("B COND" if p.payload & 1 else "B") + f" or {branch(p)}"),
    ("Headers that D18.1.4 does not define: perf shows each byte as bad, not the packet",
     lambda p: p.kind == "unknown",
     lambda p, ours: "Bad packet!"),
]


def run(*command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def packets(dump):
    """Return {offset: (bytes, words)} of the packets."""
    found = {}
    for line in dump.splitlines():
        match = re.match(r"\.  ([0-9a-f]{8}):  ((?:[0-9a-f]{2} )+) *(.*?)\s*$", line)
        if match:
            found[int(match[1], 16)] = (bytes.fromhex(match[2]), match[3])
    return found


def test_packets(tmp_path):
    if not perf_works():
        pytest.skip("perf is not installed")
    data = tmp_path / "perf.data"
    subprocess.run([BUILD / "tests/interop/packets_make", data], check=True)
    status, theirs, err = run("perf", "report", "-D", "-i", data)
    assert status == 0, f"perf report -D\n{err}"
    status, ours, err = run(SPEMU, "dump", data)
    assert status == 0, f"spemu dump\n{err}"
    ours, perfs = packets(ours), packets(theirs)
    applied = {what: 0 for what, _, _ in UNKNOWN_TO_PERF}
    same, wrong, kinds = 0, [], set()
    for offset, (raw, words) in ours.items():
        packet = Packet(raw)
        perf_raw, perf_words = perfs.get(offset, (b"", "nothing"))
        expected = words
        for what, which, said in UNKNOWN_TO_PERF:
            if which(packet):
                applied[what] += 1
                expected = said(packet, words)
                # spemu prints more than perf.
                if words == expected and packet.kind != "unknown":
                    wrong.append(f"{offset:#x} {raw.hex(' ')}: we say no more: {words}")
                break
        else:
            same += 1
        kinds.add((packet.kind, packet.index if packet.kind != "unknown" else 0))
        # A later perf may know the packet, and then prints the same text.
        if perf_words not in (words, *expected.split(" or ")) or packet.kind != "unknown" and perf_raw != raw:
            wrong.append(f"{offset:#x} {raw.hex(' ')}: perf says '{perf_words}', "
                         f"not '{expected}'")
    for what, times in applied.items():
        assert times, f"packets that perf does not know occur: {what} ({times} packets)"
    assert not wrong, f"the other {same} packets read the same in both\n" + "\n".join(wrong)
    assert same > 800, f"perf and spemu both know most packets\n{same}"
    wanted = {(kind, 0) for kind in ("padding", "end", "timestamp", "events", "source",
                                     "unknown")}
    wanted |= {(kind, i) for kind in ("address", "counter") for i in range(32)}
    wanted |= {(kind, i) for kind in ("context", "op") for i in range(4)}
    assert kinds == wanted, f"every type and INDEX occurred\n{kinds ^ wanted}"
