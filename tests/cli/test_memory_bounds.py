# SPDX-License-Identifier: MIT
"""Peak memory of the readers for hostile inputs, checked against the table of docs/explanation/security.md.

A case is a command, the files that it reads, and the row of the table that applies to them. The
peak of the same command for a trivial input of the same kind is subtracted. With an argument N, the
inputs are N times as large. SPEMU_TEST_FIGURES=1 prints the peaks.
"""
import bz2
import functools
import gzip
import lzma
import os
import resource
import struct
import subprocess

from clilib import ENVIRONMENT, SPEMU, address_space, child_setup, compile_c, make_recording, nm, run, write
from perf_file import number

import zstd_stream

import pytest

SCALE = int(os.environ.get("SPEMU_TEST_SCALE", "1"))
if not address_space(1):
    pytest.skip("the address sanitizer uses additional memory", allow_module_level=True)
MIB = 1 << 20
COMPRESSED, ALL_FEATURES = 27, range(256)
PLAIN, PROGRAM = "a plain recording", "a program"  # placeholders in arguments
PID, HIGH, JIT, KERNEL = 4242, 1 << 32, 0x7f1200000000, 0xffff800008000000

# Permitted bytes of peak memory for each byte of the input, and the bytes that are always permitted (FREE). They equal
# the table of docs/explanation/security.md.
FREE = 16 * MIB
BOUNDS = {"sections": 4, "events": 24, "trace": 16, "symbols": 16, "ranges": 32, "lines": 160, "expanded": 40, "kernel": 40, "jitdump": 16, "list": 16,
          "source": 8, "compressed events": 1024, "demangled": 16}
MORE = {"demangled": 80 * MIB}  # instead of FREE


# The child waits until the other end of the descriptor is closed. So the shell ends before its
# child does.
START = """exec 3</dev/fd/$1; shift
{ read -r go <&3; exec "$@" </dev/null >/dev/null 2>&1 3<&-; } >/dev/null &
echo $!"""


def peak(args):
    """Return the peak memory of spemu in bytes, and its exit status. A limit ends spemu before the machine runs out of
    memory.

    The peak of a program includes that of the process that executed it. So a shell starts spemu,
    because the shell is smaller than spemu. This process then adopts spemu from the shell
    (PR_SET_CHILD_SUBREAPER).
    """
    wait, go = os.pipe()
    # Memory that is allocated but never used does not count. Meson makes malloc() write to all
    # memory, so turn this off.
    environment = {**ENVIRONMENT, "MALLOC_PERTURB_": "0"}
    shell = subprocess.run(["sh", "-c", START, "sh", str(wait), SPEMU, *args], env=environment, check=True,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, pass_fds=(wait,),
                           preexec_fn=child_setup(limits=((resource.RLIMIT_AS, 3 << 30),)))
    os.close(wait)
    os.close(go)
    _, status, usage = os.wait4(int(shell.stdout), 0)
    return usage.ru_maxrss * 1024, os.waitstatus_to_exitcode(status)


def holds(name, row, files, args, trivial):
    """Check that the command stays within the bound of the row for these files."""
    size = sum(os.path.getsize(f) for f in files)
    (most, status), (least, _) = peak(args), peak(trivial)
    used, bound = max(0, most - least), MORE.get(row, FREE) + BOUNDS[row] * size
    text = f"{used / MIB:.1f} MiB for {size / MIB:.2f} MiB, bound {bound / MIB:.1f} MiB, status {status}"
    if os.environ.get("SPEMU_TEST_FIGURES"):
        print(f"# {name}: {text}")
    assert used <= bound and status in (0, 1, 125), f"{name}: memory is bounded by the input\n{text}"


def recording(path, *lines, file="/nowhere", at=0x10000, pid=1, more=""):
    make_recording("\n".join((f"create {path} 256{more}", f"comm {pid} {pid} 10 a exec",
                              f"mmap {pid} 11 {at} 0x100000 0 r-x {file}", *lines,
                              f"rec pc={at + 4} tid={pid} time=20 class=1 sub=0 ev=0x16 total=5 va=0x40008",
                              f"aux {pid} {pid} 30 0 0", "finish")) + "\n")
    return path


@functools.cache
def program(folder):
    return compile_c(folder, "program", "int main(void) { return 0; }\n", "-static", "-nostartfiles", "-Wl,--build-id=none", "-Wl,-e,main")


def plain(folder):
    """Make a recording of the program with a sample of main() and one of a branch in main()."""
    place, path = nm(program(folder))["main"], f"{folder}/plain.data"
    make_recording(f"create {path} 256\ncomm 1 1 10 a exec\nmmap 1 11 {place & ~0xfff} 4096 {place & 0xf000} r-x {program(folder)}\n"
                   f"rec pc={place} tid=1 time=20 class=1 sub=0 ev=0x16 total=5 va=0x40008\n"
                   f"rec pc={place + 4} tid=1 time=21 class=2 sub=1 ev=0x2 total=5 target={place}\naux 1 1 30 0 0\nfinish\n")
    return path


def read(path):
    with open(path, "rb") as f:
        return f.read()


def sparse(folder, name, head, size):
    """Write a sparse file that begins with `head` and continues with zeros."""
    path = write(folder, name, bytes(head))
    os.truncate(path, size)
    return path


def objcopy(*calls):
    for args in calls:
        subprocess.run(["aarch64-linux-gnu-objcopy", *args], check=True)


def with_features(image, chosen, size):
    """Return the recording with only these features. All of them refer to the same bytes, the first
    `size` bytes of the file."""
    head = bytearray(image[:number(image, 40, 8) + number(image, 48, 8)])
    head[72:104] = sum(1 << n for n in chosen).to_bytes(32, "little")
    return head + struct.pack("<QQ", 0, size) * len(chosen)


def test_features(tmp_path):
    """All features of a file refer to the same bytes. The file may or may not claim to be
    compressed."""
    path, size = plain(tmp_path), 4 * MIB * SCALE
    image = read(path)
    for name, chosen in (("all features", ALL_FEATURES), ("features of a plain file", range(COMPRESSED)),
                         *((f"feature {n}", {n, COMPRESSED}) for n in ALL_FEATURES)):
        bad = sparse(tmp_path, "features.data", with_features(image, chosen, size), size)
        holds(name, "sections", [bad], ("report", bad), ("report", path))


def test_build_ids(tmp_path):
    """A section of build-ids that is full of files."""
    path = plain(tmp_path)
    image, n = read(path), 30000 * SCALE
    table = b"".join(struct.pack("<IHHI24s8s", 0, 2, 44, 1, i.to_bytes(24, "little"), b"/%x" % i) for i in range(n))
    head = bytearray(image[:number(image, 40, 8) + number(image, 48, 8)])
    head[72:104] = (1 << 2).to_bytes(32, "little")
    reads("build-ids", "sections", tmp_path, bytes(head) + struct.pack("<QQ", len(head) + 16, len(table)) + table)


def test_attrs(tmp_path):
    """Several attrs share one section of ids."""
    path, size = plain(tmp_path), MIB * SCALE
    image = read(path)
    at, entry, n = number(image, 24, 8), number(image, 16, 8), 1000
    for name, flags in (("plain", 0), ("compressed", 1 << COMPRESSED % 8)):
        head = bytearray(image)
        attrs = b"".join(bytes(head[at:at + entry - 16]) + struct.pack("<QQ", 0, size) for _ in range(n))
        struct.pack_into("<QQ", head, 24, len(head), len(attrs))
        head[72 + COMPRESSED // 8] |= flags
        bad = sparse(tmp_path, "attrs.data", head + attrs, size)
        holds(f"ids of attrs, {name}", "sections", [bad], ("report", bad), ("report", path))


def with_events(image, events):
    """Append these events, which have no times, to the events of the recording. Return the
    result."""
    head = bytearray(image[:number(image, 40, 8) + number(image, 48, 8)])
    flags = number(image, 24, 8) + 40
    struct.pack_into("<Q", head, flags, number(image, flags, 8) & ~(1 << 18))  # sample_id_all
    data = b"".join(struct.pack("<IHH", type_, misc, 8 + len(body)) + body for type_, misc, body in events)
    struct.pack_into("<Q", head, 48, number(image, 48, 8) + len(data))
    head[72:104] = bytes(32)
    return bytes(head) + data


# Commands that read a whole recording. diff reads a pair of recordings.
READERS = (("report",), ("dump",), ("diff", PLAIN), ("export", "--format", "csv", "-o", "/dev/null", "-i"),
           ("pgo", "--format", "bolt", "-o", "/dev/null", PROGRAM, "-i"), ("annotate", "main", "-i"))


def reads(name, row, folder, image, readers=READERS):
    """Check that each reader stays within the bound of the row for a recording with these bytes."""
    path = plain(folder)
    names = {PLAIN: path, PROGRAM: program(folder)}
    bad = write(folder, "bad.data", image)
    for words in readers:
        args = [names.get(word, word) for word in words]
        holds(f"{name}, {words[0]}", row, [bad], (*args, bad), (*args, path))


def test_events(tmp_path):
    """Events of the minimal size of their kind. Each belongs to another thread or place."""
    n, image = 30000 * SCALE, read(plain(tmp_path))
    kinds = {"COMM": ((3, 0, struct.pack("<II8s", i, i, b"a")) for i in range(2, n)),
             "COMM of other names": ((3, 0, struct.pack("<II8s", i, i, b"%x" % i)) for i in range(2, n)),
             "FORK": ((7, 2, struct.pack("<IIIIQ", i, 1, i, 1, 12)) for i in range(2, n)),
             "MMAP": ((1, 2, struct.pack("<IIQQQ8s", 1, 1, HIGH + 4096 * i, 4096, 0, b"/%x" % i)) for i in range(2, n)),
             "MMAP2": ((10, 2, struct.pack("<IIQQQIIQQII8s", 1, 1, HIGH + 4096 * i, 4096, 0, 0, 0, i, 0, 5, 2, b"/%x" % i))
                       for i in range(2, n)),
             "MMAP of other processes": ((1, 2, struct.pack("<IIQQQ8s", i, i, 4096 * i, 4096, 0, b"/%x" % i)) for i in range(2, n)),
             "EXIT": ((4, 0, struct.pack("<IIIIQ", i, 1, i, 1, 12)) for i in range(2, n)),
             "LOST": ((2, 0, struct.pack("<QQ", i, 1)) for i in range(2, n)),
             "AUX": ((11, 0, struct.pack("<QQQ", 64 * i, 64, 0)) for i in range(2, n)),
             "heap objects": ((10, 2, heap_event(0x10000 + 64 * i, 64, i, 0)) for i in range(2, n)),
             "heap sites": ((10, 2, heap_event(0, 0, i, 4 * i)) for i in range(2, n))}
    for kind, events in kinds.items():
        reads(kind, "events", tmp_path, with_events(image, events))


def test_stacks(tmp_path):
    """Call stacks of one frame, each from a different thread."""
    path = recording(f"{tmp_path}/stacks.data", *(f"stack {i} {i} {20 + i} 0x10004 0x10008" for i in range(2, 20000 * SCALE)), more=" stacks")
    reads("call stacks", "events", tmp_path, read(path), READERS[:4])


def test_compressed(tmp_path):
    """Events that perf record -z compresses: equal events, and events of different threads."""
    n, image = 30000 * SCALE, read(plain(tmp_path))
    kinds = {"equal COMM": [struct.pack("<IHHII8s", 3, 0, 24, 2, 2, b"a")] * (10 * n),
             "COMM": (struct.pack("<IHHII8s", 3, 0, 24, i, i, b"a") for i in range(2, n)),
             "equal MMAP": [struct.pack("<IHHIIQQQ8s", 1, 2, 48, 1, 1, 4096, 4096, 0, b"/a")] * (10 * n),
             "heap objects": (struct.pack("<IHH", 10, 2, 8 + len(heap_event(0, 0, 0, 0))) + heap_event(0x10000, 64, i, 0) for i in range(2, n))}
    for kind, events in kinds.items():
        events, stream = b"".join(events), zstd_stream.Zstd()
        pieces = [stream.piece(events[i:i + 60000]) for i in range(0, len(events), 60000)]
        head = bytearray(with_events(image, ((81, 0, piece) for piece in pieces)))
        head[72 + COMPRESSED // 8] |= 1 << COMPRESSED % 8
        reads(f"compressed {kind}", "compressed events", tmp_path, bytes(head) + struct.pack("<QQ", len(head) + 16, 20) + struct.pack("<5I", 1, 1, 1, 3, 1 << 20))


def heap_event(start, size, number, pc):
    """Return the body of an MMAP2 event that reports a heap object, or an allocation site if `size`
    is 0."""
    return struct.pack("<IIQQQIIQQII24s", 1, 1, start, size, pc or 0x10004, 0, 0, number, 0, 3, 2, b"[heap] malloc 0x10004")


def test_trace(tmp_path):
    """A trace whose records all have different places, and a trace in pieces of one record."""
    pieces = recording(f"{tmp_path}/pieces.data", *(f"rec pc=0x10004 tid=1 time=20 class=0 sub=0 ev=2\naux 1 1 {30 + i} 0 0"
                                                    for i in range(5000 * SCALE)))
    reads("pieces of trace", "trace", tmp_path, read(pieces), READERS[:4])
    place = nm(program(tmp_path))["main"]
    records = recording(f"{tmp_path}/trace.data", f"mmap 1 12 {place & ~0xfff} 4096 {place & 0xf000} r-x {program(tmp_path)}",
                        f"rec pc={place} tid=1 time=20 class=1 sub=0 ev=0x16 total=5 va=0x40008",
                        *(f"rec pc={0x10004 + 4 * i} tid=1 time=20 class=1 sub=0 ev=0x16 total=5 va={64 * i}" for i in range(15000 * SCALE)),
                        *(f"rec pc={place + 4} tid=1 time=20 class=2 sub=1 ev=2 total=5 target={place + 4 * i}" for i in range(5000 * SCALE)))
    reads("records", "trace", tmp_path, read(records),
          (*READERS, ("report", "-s", "sym,srcline"), ("dump", "--records"), ("export", "--format", "sqlite", "-o", f"{tmp_path}/db", "-i")))


def section(name, type_, flags, addr, offset, size, link, entry):
    return struct.pack("<IIQQQQIIQQ", name, type_, flags, addr, offset, size, link, 0, 8, entry)


def elf(symbols, relocations, strings, count):
    """Return an ELF file with these symbols and strings, and with the relocations of a PLT with
    `count` entries."""
    names = b"\0.plt\0.rela.plt\0.dynsym\0.dynstr\0.shstrtab\0"
    at = 64 + 56
    places, body = [], b""
    for part in (relocations, symbols, strings, names):
        places.append((at + len(body), len(part)))
        body += part
    plt = (0x1000, 32 + 16 * count)
    sections = [bytes(64), section(1, 8, 6, *plt[:1], at, plt[1], 0, 16), section(6, 4, 2, 0, *places[0], 3, 24),
                section(16, 11, 2, 0, *places[1], 4, 24), section(24, 3, 2, 0, *places[2], 0, 0),
                section(32, 3, 0, 0, *places[3], 0, 0)]
    head = b"\x7fELF\2\1\1".ljust(16, b"\0") + struct.pack("<HHIQQQIHHHHHH", 3, 183, 1, 0, 64, at + len(body), 0, 64, 56, 1, 64, 6, 5)
    load = struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, at + len(body), max(at + len(body), 0x2000), 4096)
    return head + load + body + b"".join(sections)


def test_symbols(tmp_path):
    """Symbols that share one long name, and PLT entries that share one."""
    path, n = plain(tmp_path), 2000 * SCALE
    name = b"\0" + b"a" * (256 << 10) + b"\0"
    symbol = [struct.pack("<IBBHQQ", 1 + i, 0x12, 0, 1, 4 * i, 4) for i in range(n)]
    files = {"names of symbols": elf(bytes(24) + b"".join(symbol * 4), b"", name, 0),
             "names of a PLT": elf(bytes(24) + symbol[0], struct.pack("<QQq", 0, 1 << 32 | 1026, 0) * n, name, n)}
    for kind, image in files.items():
        file = write(tmp_path, "symbols", image)
        bad = recording(f"{tmp_path}/symbols.data", file=file, at=0)
        holds(kind, "symbols", [file], ("report", "-s", "sym", bad), ("report", "-s", "sym", path))


def mangled(number):
    """Return a C++ name of 109 characters that expands to 33,645 characters. Each parameter is a
    pair of two copies of the previous one."""
    pairs = "".join(f"S_IS{'0123456789ABCDEF'[i]}_S{'0123456789ABCDEF'[i]}_E" for i in range(9))
    return f"_Z5f{number:04d}St4pairIiiE{pairs}".encode()


def test_demangled(tmp_path):
    """Functions with demangled names that are three hundred times as long as the names in the
    file."""
    n, names, symbols, lines = 3000, b"\0", bytes(24), []
    for i in range(n):
        symbols += struct.pack("<IBBHQQ", len(names), 0x12, 0, 1, 4 * i, 4)
        names += mangled(i) + b"\0"
        lines.append(f"rec pc={4 * i} tid=1 time=20 class=1 sub=0 ev=0x16 total=5")
    file = write(tmp_path, "demangled", elf(symbols, b"", names, 0))
    bad = recording(f"{tmp_path}/demangled.data", *lines, file=file, at=0)
    for args in (("report", "-n", "10", bad), ("export", "-i", bad, "--format", "csv", "-o", "/dev/null")):
        holds(f"demangled names, {args[0]}", "demangled", [file, bad], args, ("report", plain(tmp_path)))


def test_endless_plt(tmp_path):
    """A section header that claims 2^40 relocations, although the file does not have them."""
    n = 1 << 40
    image = bytearray(elf(bytes(48), bytes(24), b"\0a\0", 1))
    table = number(image, 40, 8)
    struct.pack_into("<Q", image, table + 64 + 32, 32 + 16 * n)   # .plt
    struct.pack_into("<I", image, table + 128 + 4, 8)             # .rela.plt becomes SHT_NOBITS, a section without bytes
    struct.pack_into("<Q", image, table + 128 + 32, 24 * n)
    file = write(tmp_path, "endless", bytes(image))
    bad = recording(f"{tmp_path}/endless.data", file=file, at=0)
    assert run(SPEMU, "report", "-s", "sym", bad, timeout=10).returncode == 0, \
        "claimed relocations beyond the file are ignored in time"


def assembled(folder, name, text):
    """Assemble a program, and make a recording with a sample near its start."""
    source, file, bad = write(folder, f"{name}.s", START_OF_TEXT + text), f"{folder}/{name}", f"{folder}/{name}.data"
    subprocess.run(["aarch64-linux-gnu-gcc", "-nostdlib", "-static", "-Wl,--build-id=none", "-o", file, source], check=True)
    place = nm(file)["_start"]
    make_recording(f"create {bad} 256\ncomm 1 1 10 a exec\nmmap 1 11 {place & ~0xfff} 4096 {place & 0xf000} r-x {file}\n"
                   f"rec pc={place + 8} tid=1 time=20 class=1 sub=0 ev=0x16 total=5 va=0x40008\naux 1 1 30 0 0\nfinish\n")
    return file, bad


START_OF_TEXT = """.text
.global _start
_start: .rept 64
nop
.endr
"""
# Debugging information for a unit of 256 bytes at _start.
UNIT = """.section .debug_info,"",@progbits
.4byte end-begin
begin: .2byte 4
.4byte 0
.byte 8,1
.8byte _start
.8byte 256
.4byte 0
"""
RANGES = """.section .debug_abbrev,"",@progbits
.byte 1,0x11,1,0x11,1,0x12,7,0x55,0x17,0,0, 2,0x2e,0,0x55,0x17,0,0, 0
""" + UNIT + """.rept {entries}
.byte 2
.4byte 0
.endr
.byte 0
end:
.section .debug_ranges,"",@progbits
.rept 4000
.8byte 0,256
.endr
.8byte 0,0
"""


def test_ranges(tmp_path):
    """Many functions share one list of ranges."""
    path = plain(tmp_path)
    file, bad = assembled(tmp_path, "ranges", RANGES.format(entries=1500))
    for args in (("annotate", "-i", bad, "_start"), ("export", "-i", bad, "--format", "pprof", "-o", f"{tmp_path}/ranges.pb")):
        holds(f"ranges, {args[0]}", "ranges", [file], args, ("report", path))


LINES = """.section .debug_abbrev,"",@progbits
.byte 1,0x11,0,0x11,1,0x12,7,0x10,0x17,0,0, 0
""" + UNIT + """end:
.section .debug_line,"",@progbits
.4byte last-first
first: {lists}
program: .byte 0,9,2
.8byte _start
.fill {rows},1,18
.byte 2,64,0,1,1
last:
"""


OPCODES = "header: .byte 4,1,1,-5,14,13, 0,1,1,1,1,0,0,0,1,0,0,1"
# The folders and files of a line table, for each version of DWARF.
LISTS = {4: """.2byte 4
.4byte program-header
{opcodes}
.fill {folder},1,0x61
.byte 0,0
.rept {files}
.byte 0x61,0,1,0,0
.endr
.byte 0""",
         5: """.2byte 5
.byte 8,0
.4byte program-header
{opcodes}
.byte 1,1,8,2
.asciz "/b"
.fill {folder},1,0x61
.byte 0,2,1,8,2,0xb
.uleb128 {files}
.rept {files}
.byte 0x61,0,1
.endr"""}


def test_lines(tmp_path):
    """Line tables: many rows at one address, and many files in one folder with a long name."""
    path = plain(tmp_path)
    for kind, version, sizes in (("rows", 4, {"rows": 100000 * SCALE, "files": 1, "folder": 1}),
                                 ("files", 4, {"rows": 1, "files": 4000, "folder": 20000 * SCALE}),
                                 ("files in DWARF 5", 5, {"rows": 1, "files": 4000, "folder": 20000 * SCALE})):
        lists = LISTS[version].format(opcodes=OPCODES, **sizes)
        file, bad = assembled(tmp_path, "lines", LINES.format(lists=lists, **sizes))
        for args in (("annotate", "-i", bad, "_start"), ("report", "-s", "srcline", bad),
                     ("export", "-i", bad, "--format", "pprof", "-o", f"{tmp_path}/lines.pb")):
            holds(f"{kind} of line tables, {args[0]}", "lines", [file], args, ("report", path))


def test_expanded(tmp_path):
    """A compressed ELF file, and an ELF file with a compressed section. Both expand to hundreds of
    times their size."""
    path, size = plain(tmp_path), 64 * MIB
    file = compile_c(tmp_path, "expanded", "int main(void) { return 0; }\n", "-static", "-nostartfiles",
                     "-Wl,--build-id=none", "-Wl,-e,main")
    with gzip.open(f"{tmp_path}/whole", "wb") as f:
        f.write(read(file))
        for _ in range(size // MIB):
            f.write(bytes(MIB))
    zeros = sparse(tmp_path, "zeros", b"", size)
    objcopy(("--remove-section=.debug_str", f"--add-section=.debug_str={zeros}", file),
            ("--compress-debug-sections=zlib", file))
    for name in (f"{tmp_path}/whole", file):
        bad = recording(f"{tmp_path}/expanded.data", file=name, at=nm(file)["main"] & ~0xfff)
        args = ("export", "-i", bad, "--format", "pprof", "-o", f"{tmp_path}/expanded.pb")
        holds(f"expanded, {os.path.basename(name)}", "expanded", [name], args, ("report", path))


def test_expanded_kernel(tmp_path):
    """A compressed kernel that uses the limits of each format: long runs of zeros, and dictionaries of 64 MiB."""
    path = kernel_recording(tmp_path)
    image = read(compile_c(tmp_path, "vmlinux", "int main(void) { return 0; }\n", "-static", "-nostartfiles", "-Wl,--build-id=none", "-Wl,-e,main"))
    image += bytes(256 * MIB)
    packed = {"gz": gzip.compress(image), "bz2": bz2.compress(image), "xz": lzma.compress(image, preset=9),
              "zst": zstd_stream.compressed(image, 19)}
    for kind, data in {**packed, "gz.gz": gzip.compress(packed["gz"])}.items():
        file = write(tmp_path, f"vmlinux.{kind}", data)
        args = ("report", "--vmlinux", file, path)
        holds(f"an expanded kernel, {kind}", "kernel", [file], args, ("report", path))
        why = "is not an ELF file that can be read" if kind == "gz.gz" else "expands to more than 32 times its size; expand it first"
        refused = run(SPEMU, *args, timeout=60)
        assert (refused.returncode, refused.stderr) == (125, f"spemu report: --vmlinux {file} {why}\n"), \
            f"an expanded kernel, {kind}: the message"


@pytest.mark.parametrize("build_id", ("none", "0x" + "ab" * 20))
@pytest.mark.parametrize("kind", ("zlib", "zlib-gnu", "gzip"))
def test_expanded_debug(tmp_path, kind, build_id):
    """A separate file of debugging information that has a compressed section, or is compressed as a whole."""
    file = compile_c(tmp_path, "whole", "int main(void) { return 0; }\n", "-static", "-nostartfiles",
                     f"-Wl,--build-id={build_id}", "-Wl,-e,main")
    debug, zeros = f"{tmp_path}/whole.debug", sparse(tmp_path, "zeros", b"", 128 * MIB)
    objcopy(("--only-keep-debug", file, debug),
            ("--remove-section=.debug_str", f"--add-section=.debug_str={zeros}", debug))
    if kind == "gzip":
        write(tmp_path, "whole.debug", gzip.compress(read(debug)))
    else:
        objcopy((f"--compress-debug-sections={kind}", debug))
    objcopy(("--strip-debug", f"--add-gnu-debuglink={debug}", file))
    bad = recording(f"{tmp_path}/expanded.data", file=file, at=nm(file)["main"] & ~0xfff)
    args = ("export", "-i", bad, "--format", "pprof", "-o", f"{tmp_path}/expanded.pb")
    holds(f"an expanded file of debugging information, {kind}", "expanded", [file, debug], args,
          ("report", plain(tmp_path)))


def test_minidebuginfo(tmp_path):
    file = compile_c(tmp_path, "mini", "int main(void) { return 0; }\n", "-nostartfiles", "-Wl,-e,main")
    at = nm(file)["main"] & ~0xfff
    packed = write(tmp_path, "packed", lzma.compress(bytes(256 * MIB)))
    objcopy(("--strip-all", f"--add-section=.gnu_debugdata={packed}", file))
    bad = recording(f"{tmp_path}/mini.data", file=file, at=at)
    holds("MiniDebugInfo", "expanded", [file], ("report", bad), ("report", plain(tmp_path)))


def jit_recording(folder, name, *lines):
    return recording(f"{folder}/{name}", *lines, file="//anon", at=JIT, pid=PID)


def test_own_code(tmp_path):
    """A perf-PID.map with short lines, and a jitdump file with short records."""
    n, path, root = 60000 * SCALE, plain(tmp_path), f"{tmp_path}/root"
    os.makedirs(os.path.join(root, "tmp"))
    listing, dump = (os.path.join(root, "tmp", f.format(PID)) for f in ("perf-{}.map", "jit-{}.dump"))
    with open(listing, "w", encoding="ascii") as f:
        f.writelines(f"{JIT + 4 * i:x} 4 a\n" for i in range(n))
    args = ("report", "--sysroot", root)
    holds("perf map", "list", [listing], (*args, jit_recording(tmp_path, "map.data")), (*args, path))
    with open(dump, "wb") as f:
        f.write(struct.pack("<IIIIIIQQ", 0x4a695444, 1, 40, 183, 0, PID, 0, 0))
        for i in range(n // 2):
            f.write(struct.pack("<IIQIIQQQQ", 0, 62, 12, PID, PID, JIT, JIT + 4 * i, 4, i) + b"a\0" + bytes(4))
        for i in range(n // 2):
            f.write(struct.pack("<IIQIIQQQQQ", 1, 64, 13, PID, PID, JIT, JIT, JIT + 4 * i, 4, i))
    bad = jit_recording(tmp_path, "dump.data", f"mmap {PID} 11 0x7f0000000000 4096 0 r-x /tmp/jit-{PID}.dump")
    holds("jitdump", "jitdump", [dump], (*args, bad), (*args, path))


def kernel_recording(folder):
    path = f"{folder}/kernel.data"
    make_recording(f"create {path} 256\ncomm 1 1 10 a exec\nkmmap {KERNEL} 0x2000000 {KERNEL} - [kernel.kallsyms]_text\n"
                   f"rec pc={KERNEL + 4} tid=1 time=20 class=1 sub=0 ev=0x16 total=5 va=0x40008\naux 1 1 30 0 0\nfinish\n")
    return path


def test_kallsyms(tmp_path):
    path, listing, one = kernel_recording(tmp_path), f"{tmp_path}/kallsyms", f"{tmp_path}/one"
    with open(listing, "w", encoding="ascii") as f:
        f.writelines(f"{i + 1:x} t a\n" for i in range(100000 * SCALE))
    write(tmp_path, "one", "1 t a\n")
    holds("kallsyms", "list", [listing], ("report", "--kallsyms", listing, path), ("report", "--kallsyms", one, path))


def test_source(tmp_path):
    """A source file that consists of newlines, under several names."""
    file = compile_c(tmp_path, "lines", "int placeholder(int *p) { return *p; }\nint main(int n, char **v) { (void)v; return placeholder(&n); }\n",
                     "-static", "-nostartfiles", "-Wl,--build-id=none", "-Wl,-e,main")
    place, path, source = nm(file)["main"], f"{tmp_path}/lines.data", file + ".c"
    make_recording(f"create {path} 256\ncomm 1 1 10 a exec\nmmap 1 11 {place & ~0xfff} 4096 {place & 0xf000} r-x {file}\n"
                   f"rec pc={place} tid=1 time=20 class=1 sub=0 ev=0x16 total=5 va=0x40008 n=9\naux 1 1 30 0 0\nfinish\n")
    commands = (("annotate", "-i", path, "main"), ("report", "-i", path, "--html", f"{tmp_path}/lines.html"))
    least = [peak(args)[0] for args in commands]
    with open(source, "ab") as f:
        f.write(b"\n" * (MIB * SCALE // 2))
    for args, small in zip(commands, least):
        most, status = peak(args)
        size = os.path.getsize(source)
        text = f"{(most - small) / MIB:.1f} MiB for {size / MIB:.2f} MiB, status {status}"
        if os.environ.get("SPEMU_TEST_FIGURES"):
            print(f"# newlines, {args[0]}: {text}")
        assert status == 0 and most - small <= FREE + BOUNDS["source"] * size, \
            f"newlines, {args[0]}: memory is bounded by the input\n{text}"
