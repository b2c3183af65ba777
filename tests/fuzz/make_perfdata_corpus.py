#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write the corpus of fuzz_perfdata: small perf.data files of every kind that the reader supports.

usage: make_perfdata_corpus.py FOLDER

The layout follows tools/perf/Documentation/perf.data-file-format.txt of Linux 6.1.
"""
import os
import struct
import sys

TRAILER = 0x10086  # TID, TIME, CPU, IDENTIFIER


def event(kind, misc, body):
    body += bytes(-len(body) % 8)
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def trailer(time, ident=1, cpu=True):
    return (struct.pack("<IIQ", 7, 7, time) + (struct.pack("<II", 2, 0) if cpu else b"") +
            struct.pack("<Q", ident))


def string(text, align=8):
    data = text.encode() + b"\0"
    data += bytes(-len(data) % align)
    return struct.pack("<I", len(data)) + data


def attr(kind, sample_type, ids_at):
    body = struct.pack("<IIQQQQQ", kind, 128, 1, 1024, sample_type, 0, 1 << 18)
    return body.ljust(128, b"\0") + struct.pack("<QQ", ids_at, 8)


def spe_info(version):
    if version == 1:
        return event(70, 0, struct.pack("<QQQ", 4, 11, 1))
    cpus = b"".join(struct.pack("<7Q", 0x1010101010101010, cpu, 4, 0x413fd0c1, 11, 256, 0xfe)
                    for cpu in range(2))
    return event(70, 0, struct.pack("<5Q", 4, 2, 4, 11, 2) + cpus)


def data(version, mixed=False):
    def tail(time):
        return trailer(time, 2, False) if mixed else trailer(time)
    name = b"/x/prog\0"
    return (event(79, 0, struct.pack("<6Q", 2, 40, 1000, 0, 2**64 - 1, 1)) + spe_info(version) +
            event(3, 1 << 13, struct.pack("<II", 7, 7) + b"prog\0\0\0\0" + tail(1)) +
            event(1, 2, struct.pack("<IIQQQ", 7, 7, 4096, 8192, 0) + name + tail(2)) +
            event(10, 2, struct.pack("<IIQQQIIQQII", 7, 7, 4096, 8192, 0, 8, 1, 42, 0, 5, 2) +
                  name + tail(3)) +
            event(10, 2 | 1 << 14, struct.pack("<IIQQQI20sII", 7, 7, 4096, 8192, 0, 20,
                                               b"\xab" * 20, 5, 2) + name + tail(4)) +
            event(7, 0, struct.pack("<IIIIQ", 8, 7, 8, 7, 5) + tail(5)) +
            event(12, 0, struct.pack("<II", 7, 7) + trailer(6)) +
            event(11, 0, struct.pack("<QQQ", 0, 16, 9) + trailer(7)) +
            event(71, 0, struct.pack("<QQQIIII", 16, 0, 0, 2, 2**32 - 1, 2, 0)) + bytes(16) +
            event(2, 0, struct.pack("<QQ", 1, 3) + trailer(8)) +
            event(4, 0, struct.pack("<IIIIQ", 7, 1, 7, 1, 9) + tail(9)) +
            event(68, 0, b""))


def copy(kind, pid, offset, content):
    """Return an event with a part of a copied file (lib/perfdata/perf_copy.c)."""
    head = struct.pack("<8sIIQII", b"spemucpy", kind, pid, offset, len(content), 0)
    return event(65, 0, head + content.ljust(40, b"\0"))


def features():
    build_id = struct.pack("<IHHI20sI", 0, 0x8002, 36 + 12, 2**32 - 1, b"\x11" * 20, 20)
    desc = struct.pack("<II", 1, 128) + bytes(128) + struct.pack("<I", 1) + string("arm_spe_0//")
    return {2: build_id + b"/x/prog".ljust(12, b"\0"), 6: string("aarch64"),
            7: struct.pack("<II", 4, 4), 9: string("0x00000000413fd0c1"),
            11: struct.pack("<I", 2) + string("perf") + string("record"),
            12: desc + struct.pack("<Q", 1), 18: struct.pack("<QQQ", 1, 0, 48)}


def image(body, parts, types=(TRAILER,), magic=b"PERFILE2"):
    ids_at = 104
    attrs_at = ids_at + 8 * len(types)
    attrs = b"".join(attr(11, t, ids_at + 8 * i) for i, t in enumerate(types))
    data_at = attrs_at + len(attrs)
    flags = sum(1 << n for n in parts)
    head = magic + struct.pack("<11Q", 104, 144, attrs_at, len(attrs), data_at, len(body), 0, 0,
                               flags, 0, 0) + bytes(8)
    head += struct.pack(f"<{len(types)}Q", *range(1, len(types) + 1))
    at = data_at + len(body) + 16 * len(parts)
    table, contents = b"", b""
    for n in sorted(parts):
        table += struct.pack("<QQ", at + len(contents), len(parts[n]))
        contents += parts[n]
    return head + attrs + body + table + contents


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    whole = image(data(1), features())
    files = {
        "empty": b"",
        "version-1": whole,
        "version-2": image(data(2), features()),
        "mixed-trailers": image(data(1, True), features(), (TRAILER, 0x10006)),
        "no-features": image(data(1), {}),
        "no-data": image(b"", features()),
        "no-attrs": image(data(1), features(), ()),
        "cut-features": whole[:-20],
        "cut-event": image(data(1)[:-30], {}),
        "long-trace": image(event(71, 0, struct.pack("<QQQIIII", 2**64 - 8, 0, 0, 0, 0, 0, 0)), {}),
        "tiny-event": image(struct.pack("<IHH", 3, 0, 0), {}),
        "copies": image(data(1) + copy(0, 7, 0, b"10100 40 first\n") + copy(0, 7, 15, b"") +
                        copy(1, 7, 0, bytes(50)), {}),
        "pipe": b"PERFILE2" + struct.pack("<Q", 16),
        "swapped": image(data(1), features(), magic=b"2ELIFREP"),
        "all-features": whole[:72] + b"\xff" * 32 + whole[104:],
    }
    for name, content in files.items():
        with open(os.path.join(folder, name), "wb") as f:
            f.write(content)


if __name__ == "__main__":
    main()
