#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Peak memory of the readers over inputs that somebody made on purpose, against the table of docs/security.md.

A case is a command, the files that it reads and the row of the table that holds for them. The peak of the same command
over a trivial input of the same kind is subtracted. With an argument N the inputs are N times as large. SPEMU_TEST_FIGURES=1 prints the peaks.
"""
import gzip
import os
import resource
import struct
import subprocess
import sys

from clilib import (ENVIRONMENT, SPEMU, Folder, address_space, check, child_setup, compile_c, done, equal,
                    make_recording, nm, run, select_case)
from perf_file import number

SCALE = int(sys.argv[1]) if len(sys.argv) > 1 else 1
MIB = 1 << 20
COMPRESSED, ALL_FEATURES = 27, range(256)
PID, JIT, KERNEL = 4242, 0x7f1200000000, 0xffff800008000000

# Bytes of peak memory for each byte of the input, and those that are free: docs/security.md has the same numbers.
FREE = 16 * MIB
BOUNDS = {"sections": 4, "events": 24, "trace": 16, "symbols": 16, "ranges": 32, "expanded": 40, "jitdump": 16, "list": 16,
          "source": 8}


# The shell must not see its child end, so the child waits for the end of the descriptor.
START = """exec 3</dev/fd/$1; shift
{ read -r go <&3; exec "$@" </dev/null >/dev/null 2>&1 3<&-; } >/dev/null &
echo $!"""


def peak(args):
    """Peak memory of spemu in bytes, and how it ended. It ends by itself before the machine has none left.

    A program's peak includes that of the process that executed it. So a shell starts it, which is smaller than spemu; this
    process takes over what the shell leaves (PR_SET_CHILD_SUBREAPER).
    """
    wait, go = os.pipe()
    shell = subprocess.run(["sh", "-c", START, "sh", str(wait), SPEMU, *args], env=ENVIRONMENT, check=True,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, pass_fds=(wait,),
                           preexec_fn=child_setup(limits=((resource.RLIMIT_AS, 3 << 30),)))
    os.close(wait)
    os.close(go)
    _, status, usage = os.wait4(int(shell.stdout), 0)
    return usage.ru_maxrss * 1024, os.waitstatus_to_exitcode(status)


def holds(name, row, files, args, trivial):
    """The command keeps the bound of the row over these files."""
    size = sum(os.path.getsize(f) for f in files)
    (most, status), (least, _) = peak(args), peak(trivial)
    used, bound = max(0, most - least), FREE + BOUNDS[row] * size
    text = f"{used / MIB:.1f} MiB for {size / MIB:.2f} MiB, bound {bound / MIB:.1f} MiB, status {status}"
    if os.environ.get("SPEMU_TEST_FIGURES"):
        print(f"# {name}: {text}")
    check(used <= bound and status in (0, 1, 125), f"{name}: memory is bounded by the input", text)


def recording(path, *lines, file="/nowhere", at=0x10000, pid=1):
    make_recording("\n".join((f"create {path} 256", f"comm {pid} {pid} 10 a exec",
                              f"mmap {pid} 11 {at} 0x100000 0 r-x {file}", *lines,
                              f"rec pc={at + 4} tid={pid} time=20 class=1 sub=0 ev=0x16 total=5 va=0x40008",
                              f"aux {pid} {pid} 30 0 0", "finish")) + "\n")
    return path


def plain(folder):
    return recording(folder("plain.data"))


def read(path):
    with open(path, "rb") as f:
        return f.read()


def sparse(folder, name, head, size):
    """A file that begins with head and goes on with zeros."""
    path = folder.write(name, bytes(head))
    os.truncate(path, size)
    return path


def with_features(image, chosen, size):
    """The recording with these features alone, all of the same bytes: those of a file of size bytes."""
    head = bytearray(image[:number(image, 40, 8) + number(image, 48, 8)])
    head[72:104] = sum(1 << n for n in chosen).to_bytes(32, "little")
    return head + struct.pack("<QQ", 0, size) * len(chosen)


def test_features(folder):
    """Features of the same bytes, in a file that says that it is compressed, and in one that does not."""
    path, size = plain(folder), 4 * MIB * SCALE
    image = read(path)
    for name, chosen in (("all features", ALL_FEATURES), ("features of a plain file", range(COMPRESSED)),
                         *((f"feature {n}", (n, COMPRESSED)) for n in range(COMPRESSED))):
        bad = sparse(folder, "features.data", with_features(image, chosen, size), size)
        holds(name, "sections", [bad], ("report", bad), ("report", path))


def test_attrs(folder):
    """Attrs that share the section of their ids."""
    path, size = plain(folder), MIB * SCALE
    image = read(path)
    at, entry, n = number(image, 24, 8), number(image, 16, 8), 1000
    for name, flags in (("plain", 0), ("compressed", 1 << COMPRESSED % 8)):
        head = bytearray(image)
        attrs = b"".join(bytes(head[at:at + entry - 16]) + struct.pack("<QQ", 0, size) for _ in range(n))
        struct.pack_into("<QQ", head, 24, len(head), len(attrs))
        head[72 + COMPRESSED // 8] |= flags
        bad = sparse(folder, "attrs.data", head + attrs, size)
        holds(f"ids of attrs, {name}", "sections", [bad], ("report", bad), ("report", path))


def with_events(image, events):
    """The recording with these events after its own, none of which say when they were."""
    head = bytearray(image[:number(image, 40, 8) + number(image, 48, 8)])
    flags = number(image, 24, 8) + 40
    struct.pack_into("<Q", head, flags, number(image, flags, 8) & ~(1 << 18))  # sample_id_all
    data = b"".join(struct.pack("<IHH", type_, misc, 8 + len(body)) + body for type_, misc, body in events)
    struct.pack_into("<Q", head, 48, number(image, 48, 8) + len(data))
    head[72:104] = bytes(32)
    return bytes(head) + data


def test_events(folder):
    """Events that are as short as their kind allows, each of another thread or place."""
    path, n = plain(folder), 30000 * SCALE
    image = read(path)
    kinds = {"COMM": ((3, 0, struct.pack("<II8s", i, i, b"a")) for i in range(2, n)),
             "COMM of other names": ((3, 0, struct.pack("<II8s", i, i, b"%x" % i)) for i in range(2, n)),
             "FORK": ((7, 2, struct.pack("<IIIIQ", i, 1, i, 1, 12)) for i in range(2, n)),
             "MMAP": ((1, 2, struct.pack("<IIQQQ8s", 1, 1, 4096 * i, 4096, 0, b"/%x" % i)) for i in range(2, n)),
             "MMAP2": ((10, 2, struct.pack("<IIQQQIIQQII8s", 1, 1, 4096 * i, 4096, 0, 0, 0, i, 0, 5, 2, b"/%x" % i))
                       for i in range(2, n)),
             "MMAP of other processes": ((1, 2, struct.pack("<IIQQQ8s", i, i, 4096 * i, 4096, 0, b"/%x" % i)) for i in range(2, n))}
    for kind, events in kinds.items():
        bad = folder.write("events.data", with_events(image, events))
        for args in (("report",), ("dump",)):
            holds(f"{kind}, {args[0]}", "events", [bad], (*args, bad), (*args, path))


def test_trace(folder):
    """Records of as many places as there are records, and pieces of trace of one record."""
    path = plain(folder)
    bad = recording(folder("pieces.data"), *(f"rec pc=0x10004 tid=1 time=20 class=0 sub=0 ev=2\naux 1 1 {30 + i} 0 0"
                                             for i in range(5000 * SCALE)))
    holds("pieces of trace", "trace", [bad], ("report", bad), ("report", path))
    bad = recording(folder("trace.data"), *(f"rec pc={0x10004 + 4 * i} tid=1 time=20 class=1 sub=0 ev=0x16 total=5 va={64 * i}"
                                            for i in range(20000 * SCALE)))
    for args in (("report",), ("report", "-s", "sym,srcline"), ("dump", "--records"), ("export", "--format", "csv", "-o", "/dev/null")):
        holds(f"records, {' '.join(args)}", "trace", [bad], (*args, bad), (*args, path))


def section(name, type_, flags, addr, offset, size, link, entry):
    return struct.pack("<IIQQQQIIQQ", name, type_, flags, addr, offset, size, link, 0, 8, entry)


def elf(symbols, relocations, strings, count):
    """An ELF file with these symbols, relocations of a PLT with count entries, and strings."""
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


def test_symbols(folder):
    """Symbols that share one long name, and entries of a PLT that do."""
    path, n = plain(folder), 2000 * SCALE
    name = b"\0" + b"a" * (256 << 10) + b"\0"
    symbol = [struct.pack("<IBBHQQ", 1 + i, 0x12, 0, 1, 4 * i, 4) for i in range(n)]
    files = {"names of symbols": elf(bytes(24) + b"".join(symbol * 4), b"", name, 0),
             "names of a PLT": elf(bytes(24) + symbol[0], struct.pack("<QQq", 0, 1 << 32 | 1026, 0) * n, name, n)}
    for kind, image in files.items():
        file = folder.write("symbols", image)
        bad = recording(folder("symbols.data"), file=file, at=0)
        holds(kind, "symbols", [file], ("report", "-s", "sym", bad), ("report", "-s", "sym", path))


def test_endless_plt(folder):
    """A section header that tells of 2 to the 40th relocations, of which the file has none."""
    n = 1 << 40
    image = bytearray(elf(bytes(48), bytes(24), b"\0a\0", 1))
    table = number(image, 40, 8)
    struct.pack_into("<Q", image, table + 64 + 32, 32 + 16 * n)   # .plt
    struct.pack_into("<I", image, table + 128 + 4, 8)             # .rela.plt, without bytes: SHT_NOBITS
    struct.pack_into("<Q", image, table + 128 + 32, 24 * n)
    file = folder.write("endless", bytes(image))
    bad = recording(folder("endless.data"), file=file, at=0)
    equal(run(SPEMU, "report", "-s", "sym", bad, timeout=10).returncode, 0, "relocations that a file does not have end")


RANGES = """.text
.global _start
_start: .rept 64
nop
.endr
.section .debug_abbrev,"",@progbits
.byte 1,0x11,1,0x11,1,0x12,7,0x55,0x17,0,0, 2,0x2e,0,0x55,0x17,0,0, 0
.section .debug_info,"",@progbits
.4byte end-begin
begin: .2byte 4
.4byte 0
.byte 8,1
.8byte _start
.8byte 256
.4byte 0
.rept {entries}
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


def test_ranges(folder):
    """Functions that share one list of ranges."""
    source = folder.write("ranges.s", RANGES.format(entries=1500))
    file = folder("ranges")
    subprocess.run(["aarch64-linux-gnu-gcc", "-nostdlib", "-static", "-Wl,--build-id=none", "-o", file, source], check=True)
    place, path = nm(file)["_start"], plain(folder)
    bad = folder("ranges.data")
    make_recording(f"create {bad} 256\ncomm 1 1 10 a exec\nmmap 1 11 {place & ~0xfff} 4096 {place & 0xf000} r-x {file}\n"
                   f"rec pc={place + 8} tid=1 time=20 class=1 sub=0 ev=0x16 total=5 va=0x40008\naux 1 1 30 0 0\nfinish\n")
    for args in (("annotate", "-i", bad, "_start"), ("export", "-i", bad, "--format", "pprof", "-o", folder("ranges.pb"))):
        holds(f"ranges, {args[0]}", "ranges", [file], args, ("report", path))


def test_expanded(folder):
    """An ELF file that is compressed, and one with a section that is: both expand to hundreds of times their size."""
    path, size = plain(folder), 64 * MIB
    file = compile_c(folder.path, "expanded", "int main(void) { return 0; }\n", "-static", "-nostartfiles",
                     "-Wl,--build-id=none", "-Wl,-e,main")
    with gzip.open(folder("whole"), "wb") as f:
        f.write(read(file))
        for _ in range(size // MIB):
            f.write(bytes(MIB))
    zeros = sparse(folder, "zeros", b"", size)
    for args in (("--remove-section=.debug_str", f"--add-section=.debug_str={zeros}"), ("--compress-debug-sections=zlib",)):
        subprocess.run(["aarch64-linux-gnu-objcopy", *args, file], check=True)
    for name in (folder("whole"), file):
        bad = recording(folder("expanded.data"), file=name, at=nm(file)["main"] & ~0xfff)
        args = ("export", "-i", bad, "--format", "pprof", "-o", folder("expanded.pb"))
        holds(f"expanded, {os.path.basename(name)}", "expanded", [name], args, ("report", path))


def jit_recording(folder, name, *lines):
    return recording(folder(name), *lines, file="//anon", at=JIT, pid=PID)


def test_own_code(folder):
    """Short lines of perf-PID.map and short records of a jitdump file."""
    n, path, root = 60000 * SCALE, plain(folder), folder("root")
    os.makedirs(os.path.join(root, "tmp"))
    listing, dump = (os.path.join(root, "tmp", f.format(PID)) for f in ("perf-{}.map", "jit-{}.dump"))
    with open(listing, "w", encoding="ascii") as f:
        f.writelines(f"{JIT + 4 * i:x} 4 a\n" for i in range(n))
    args = ("report", "--sysroot", root)
    holds("perf map", "list", [listing], (*args, jit_recording(folder, "map.data")), (*args, path))
    with open(dump, "wb") as f:
        f.write(struct.pack("<IIIIIIQQ", 0x4a695444, 1, 40, 183, 0, PID, 0, 0))
        for i in range(n // 2):
            f.write(struct.pack("<IIQIIQQQQ", 0, 62, 12, PID, PID, JIT, JIT + 4 * i, 4, i) + b"a\0" + bytes(4))
        for i in range(n // 2):
            f.write(struct.pack("<IIQIIQQQQQ", 1, 64, 13, PID, PID, JIT, JIT, JIT + 4 * i, 4, i))
    bad = jit_recording(folder, "dump.data", f"mmap {PID} 11 0x7f0000000000 4096 0 r-x /tmp/jit-{PID}.dump")
    holds("jitdump", "jitdump", [dump], (*args, bad), (*args, path))


def test_kallsyms(folder):
    path, listing, one = folder("kernel.data"), folder("kallsyms"), folder("one")
    make_recording(f"create {path} 256\ncomm 1 1 10 a exec\nkmmap {KERNEL} 0x2000000 {KERNEL} - [kernel.kallsyms]_text\n"
                   f"rec pc={KERNEL + 4} tid=1 time=20 class=1 sub=0 ev=0x16 total=5 va=0x40008\naux 1 1 30 0 0\nfinish\n")
    with open(listing, "w", encoding="ascii") as f:
        f.writelines(f"{i + 1:x} t a\n" for i in range(100000 * SCALE))
    folder.write("one", "1 t a\n")
    holds("kallsyms", "list", [listing], ("report", "--kallsyms", listing, path), ("report", "--kallsyms", one, path))


def test_source(folder):
    """A source file of newlines, which several names lead to."""
    file = compile_c(folder.path, "lines", "int placeholder(int *p) { return *p; }\nint main(int n, char **v) { (void)v; return placeholder(&n); }\n",
                     "-static", "-nostartfiles", "-Wl,--build-id=none", "-Wl,-e,main")
    place, path, source = nm(file)["main"], folder("lines.data"), file + ".c"
    make_recording(f"create {path} 256\ncomm 1 1 10 a exec\nmmap 1 11 {place & ~0xfff} 4096 {place & 0xf000} r-x {file}\n"
                   f"rec pc={place} tid=1 time=20 class=1 sub=0 ev=0x16 total=5 va=0x40008 n=9\naux 1 1 30 0 0\nfinish\n")
    commands = (("annotate", "-i", path, "main"), ("report", "-i", path, "--html", folder("lines.html")))
    least = [peak(args)[0] for args in commands]
    with open(source, "ab") as f:
        f.write(b"\n" * (MIB * SCALE // 2))
    for args, small in zip(commands, least):
        most, status = peak(args)
        size = os.path.getsize(source)
        text = f"{(most - small) / MIB:.1f} MiB for {size / MIB:.2f} MiB, status {status}"
        if os.environ.get("SPEMU_TEST_FIGURES"):
            print(f"# newlines, {args[0]}: {text}")
        check(status == 0 and most - small <= FREE + BOUNDS["source"] * size, f"newlines, {args[0]}: memory is bounded by the input", text)


if not address_space(1):
    print("1..0 # SKIP the address sanitizer takes memory of its own")
    sys.exit(0)
select_case(globals())
with Folder() as temporary:
    for run_case in (test_features, test_attrs, test_events, test_trace, test_symbols, test_endless_plt, test_ranges, test_expanded,
                     test_own_code, test_kallsyms, test_source):
        run_case(temporary)
done()
