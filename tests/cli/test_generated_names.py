# SPDX-License-Identifier: MIT
"""Names of generated code, from maps and jitdump files. Also hostile files, and messages about code without names."""
import json
import os
import re
import struct

import pytest

from clilib import address_space, make_recording, spemu, write
from named import report
from perf_file import number

JIT = 0x7f1200000000


def jit_recording(folder, pid, name="jit.data"):
    path = f"{folder}/{name}"
    lines = [f"create {path} 256", f"comm {pid} {pid} 10 node exec", f"mmap {pid} 11 {JIT} 0x10000 0 r-x //anon",
             f"mmap {pid} 11 {JIT + 0x10000} 0x10000 0 rw- //anon"]
    lines += [f"rec pc={JIT + at} tid={pid} time=20 class=0 sub=0 ev=2 total=5 n={n}"
              for at, n in ((0x104, 4), (0x204, 2), (0x800, 1))]
    make_recording("\n".join((*lines, f"aux {pid} {pid} 30 0 0", "finish")) + "\n")
    return path


def test_jit(tmp_path):
    pid = 4100000 + os.getpid() % 90000  # larger than any process ID of Linux
    root = f"{tmp_path}/jitroot"
    os.makedirs(root + "/tmp")
    listing = f"{root}/tmp/perf-{pid}.map"
    path = jit_recording(tmp_path, pid)
    dso = f"[JIT] tid {pid}"
    rows, errors = report(path, "-L", root)
    assert ({r["object"] for r in rows} == {dso} and f"perf-{pid}.map: No such file" in errors
            and "make the runtime write it" in errors), \
                f"without a map: perf's name, and a message with the remedy\n{rows} {errors}"
    text = f"{JIT + 0x100:x} 80 LazyCompile:~old file.js:1\n{JIT + 0x200:x} 40 _ZN1a1bEv\n" \
           f"{JIT + 0x100:x} 80 LazyCompile:*hot file.js:1\nnonsense\n{JIT + 0x900:x} 0 empty\n"

    def found(content):
        with open(listing, "w", encoding="utf-8") as f:
            f.write(content)
        return sorted((r["object"], r["symbol"], r["samples"]) for r in report(path, "-L", root)[0])

    expected = [(dso, "LazyCompile:*hot file.js:1", 4), (dso, dso, 1), (dso, "a::b()", 2)]
    assert found(text) == expected, "a map: names with blanks, the last entry of an address, demangled names"
    assert found(f"{JIT + 0x600:x} 8 {'long' * 5000}\n" + text) == expected, "a map with a line that is too long"
    # OpenJDK writes both numbers with 0x and 16 digits.
    at, other = JIT + 0x100, f"{JIT + 0x800:x}"
    java = f"0x{at:016x} 0x{0x80:016x} StubRoutines (1)\n" \
           f"0x{at + 0x100:016X} 0x{0x40:016X} java.lang.String.hashCode()I\n" \
           f"{other} 0x10\n-{other} 10 minus\n+{other} 10 plus\n0x1{JIT + 0x800:016x} 10 beyond\n" \
           f"{other} -10 minus\n{other}g 10 letter\n{other} 10g letter\n 0 0 0\n0x 10 nothing\n"
    assert found(java) == [(dso, "StubRoutines (1)", 4), (dso, dso, 1), (dso, "java.lang.String.hashCode()I", 2)], \
        "a map with 0x, names with blanks, and lines of other forms"
    os.unlink(listing)
    os.mkfifo(listing)
    rows, errors = report(path, "-L", root, timeout=20)
    assert "is not a regular file" in errors, f"a FIFO is not opened as a map\n{errors}"
    os.unlink(listing)
    with open(f"{tmp_path}/elsewhere", "w", encoding="utf-8") as f:
        f.write(text)
    os.symlink(f"{tmp_path}/elsewhere", listing)
    rows, errors = report(path, "-L", root)
    assert "is not a regular file" in errors and "hot" not in str(rows), \
        f"a symbolic link is not opened as a map\n{errors}"
    os.unlink(listing)
    with open(listing, "wb") as f:
        f.truncate(257 << 20)
    rows, errors = report(path, "-L", root)
    assert "is larger than 256 MiB" in errors, f"a file that is too large is not read as a map\n{errors}"
    os.truncate(listing, 1000)
    assert "is not a list" in report(path, "-L", root)[1], "a file that is not a map is reported"
    if os.geteuid() == 0:
        with open(listing, "w", encoding="utf-8") as f:
            f.write(text)
        os.chown(listing, 12345, 12345)
        assert "belongs to another user" in report(path, "-L", root)[1], "another user's map is not read"


# The options are those of the runtimes' documentation.
RUNTIMES = {
    "/usr/lib/jvm/java-17-openjdk-arm64/lib/server/libjvm.so": "-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit",
    "/opt/openj9/lib/default/libj9jit29.so": "-XX:+PerfTool",
    "/usr/bin/node": "node with --perf-basic-prof",
    "/usr/lib/aarch64-linux-gnu/libnode.so.108": "--perf-basic-prof",
    "/usr/lib/dotnet/shared/Microsoft.NETCore.App/8.0.1/libcoreclr.so": "DOTNET_PerfMapEnabled=1",
    "/usr/bin/php8.2": "-d opcache.jit_debug=16",
    "/usr/sbin/php-fpm8.2": "-d opcache.jit_debug=16",
    "/usr/lib/aarch64-linux-gnu/libluajit-5.1.so.2.1.0": "-DLUAJIT_USE_PERFTOOLS",
    "/opt/julia/lib/libjulia.so.1.10": "ENABLE_JITPROFILING=1",
    "/usr/local/bin/wasmtime": "--profile=perfmap",
    "/usr/bin/python3.12": "python with -X perf",
    "/usr/lib/libpython3.13.so.1.0": "python with -X perf",
    "/usr/bin/ruby3.3": "--yjit-perf",
    "/usr/lib/erlang/erts-13.1.5/bin/beam.smp": "+JPperf true",
    "/usr/bin/python3.11": "make the runtime write it",
    "/home/user/nodes": "make the runtime write it",
}


@pytest.mark.parametrize("path", RUNTIMES)
def test_runtime(tmp_path, path):
    """The message about generated code without names has the option of the runtime that the process has mapped."""
    pid = 4100000 + os.getpid() % 90000
    data = f"{tmp_path}/jit.data"
    make_recording(f"create {data} 256\ncomm {pid} {pid} 10 any exec\nmmap {pid} 11 0x400000 0x1000 0 r-x {path}\n"
                   f"mmap {pid} 12 {JIT} 0x10000 0 r-x //anon\n"
                   f"rec pc={JIT} tid={pid} time=20 class=0 sub=0 ev=2 total=5\naux {pid} {pid} 30 0 0\nfinish\n")
    lines = report(data)[1].splitlines()
    assert len(lines) == 1 and RUNTIMES[path] in lines[0], lines


@pytest.mark.parametrize("option, name", (("-Xint", "Java's interpreter"), ("-Xmx1g", "Java")))
def test_interpreted_java(tmp_path, option, name):
    """With -Xint, the generated code of Java is its interpreter, and nothing but another option shows the program."""
    pid = 4100000 + os.getpid() % 90000
    data = f"{tmp_path}/jit.data"
    library = next(iter(RUNTIMES))
    make_recording(f"command java {option} Main\ncreate {data} 256\ncomm {pid} {pid} 10 java exec\n"
                   f"mmap {pid} 11 0x400000 0x1000 0 r-x {library}\nmmap {pid} 12 {JIT} 0x10000 0 r-x //anon\n"
                   f"rec pc=0x400000 tid={pid} time=20 class=0 sub=0 ev=2 total=5 n=8\n"
                   f"rec pc={JIT} tid={pid} time=20 class=0 sub=0 ev=2 total=5 n=6\naux {pid} {pid} 30 0 0\nfinish\n")
    answer = json.loads(spemu("report", "--json", "--section", "answer", data).stdout)["answer"]
    assert answer["interpreter"] == name, answer
    text = " ".join(spemu("report", "--section", "answer", data).stdout.replace("#", " ").split())
    assert ("run java without -Xint" in text) == (option == "-Xint"), text


def test_runtime_of_process(tmp_path):
    """Before an exec, a process has the runtime of its parent. Afterwards its own program decides."""
    pid = 4100000 + os.getpid() % 90000
    data = f"{tmp_path}/jit.data"
    lines = [f"create {data} 256", f"comm {pid} {pid} 10 node exec",
             f"mmap {pid} 11 0x400000 0x1000 0 r-x /usr/bin/node", f"mmap {pid} 12 {JIT} 0x10000 0 r-x //anon"]
    for n, (begin, path) in enumerate(((20, None), (20, "/usr/bin/ruby"), (20, "/usr/bin/true")), 1):
        lines += [f"fork {pid + n} {pid} {pid + n} {pid} {begin}"]
        if path:
            lines += [f"comm {pid + n} {pid + n} 21 other exec", f"mmap {pid + n} 22 0x400000 0x1000 0 r-x {path}"]
        lines += [f"mmap {pid + n} 23 {JIT} 0x10000 0 r-x //anon",
                  f"rec pc={JIT} tid={pid + n} time=25 class=0 sub=0 ev=2 total=5 n={n}"]
    make_recording("\n".join((*lines, f"aux {pid} {pid} 30 0 0", "finish")) + "\n")
    messages = report(data)[1].splitlines()
    assert [re.search(r"perf-(\d+)\.map.*; (.*)", m).groups() for m in messages] == [
        (str(pid + 3), "make the runtime write it, with its option for perf"),
        (str(pid + 2), "run ruby (3.3 or later) with --yjit-perf"),
        (str(pid + 1), "run node with --perf-basic-prof")], messages


# The code of two functions: movz w0, #1; ret and movz w0, #2; ret.
FIRST_CODE, SECOND_CODE = (struct.pack("<2I", 0x52800000 | n << 5, 0xd65f03c0) * 4 for n in (1, 2))


def dump_header(pid, flags=0, machine=183):
    return struct.pack("<6I2Q", 0x4a695444, 1, 40, machine, 0, pid, 0, flags)


def dump_load(pid, time, address, index, name, code):
    body = struct.pack("<2I4Q", pid, pid, address, address, len(code), index) + name.encode() + b"\0" + code
    return struct.pack("<2IQ", 0, 16 + len(body), time) + body


def dump_move(pid, time, to, size, index):
    return struct.pack("<2IQ2I5Q", 1, 64, time, pid, pid, to, 0, to, size, index)


def dump_recording(folder, pid, dump):
    """Make a recording of JIT code. JIT + 0x100 has samples before and after the code is replaced,
    and JIT + 0x300 after it has moved there. The counts are powers of two."""
    path = f"{folder}/dump.data"
    lines = [f"create {path} 256", f"comm {pid} {pid} 10 node exec", f"mmap {pid} 11 {JIT} 0x10000 0 r-x //anon",
             f"mmap {pid} 12 0x7f1300000000 0x1000 0 r-x {dump}", f"mmap {pid} 26 {JIT} 0x1000 0 r-x //anon"]
    lines += [f"rec pc={JIT + at} tid={pid} time={time} class=0 sub=0 ev=2 total=5 n={n}"
              for at, time, n in ((0x104, 13, 1), (0x104, 20, 2), (0x104, 30, 4), (0x304, 27, 8), (0x304, 32, 16), (0x504, 20, 32),
                                  (0x504, 30, 64))]
    make_recording("\n".join((*lines, f"aux {pid} {pid} 40 0 0", "finish")) + "\n")
    return path


def dump_of(pid):
    records = [dump_load(pid, 15, JIT + 0x100, 1, "first", FIRST_CODE), dump_load(pid, 15, JIT + 0x500, 3, "third", FIRST_CODE),
               dump_load(pid, 16, JIT + 0x900, 7, "empty", b""),
               struct.pack("<2IQ", 2, 24, 17) + bytes(8),  # a record of another kind
               dump_load(pid, 25, JIT + 0x100, 2, "_ZN1a1bEv", SECOND_CODE),
               dump_move(pid, 28, JIT + 0x300, len(FIRST_CODE), 1), dump_move(pid, 29, JIT + 0x500, 32, 99)]
    return dump_header(pid) + b"".join(records)


def test_jitdump(tmp_path):
    pid = 4100000 + os.getpid() % 90000
    name, whole = f"jit-{pid}.dump", dump_of(pid)
    path = dump_recording(tmp_path, pid, f"{tmp_path}/{name}")
    jit = f"[JIT] tid {pid}"

    def found(content, *args):
        write(tmp_path, name, content)
        rows, errors = report(path, *args, timeout=20)
        return sorted((r["object"], r["symbol"], r["samples"]) for r in rows), errors

    def unknown(n):
        """Return the row of samples in code that moved but was never loaded."""
        return (name, f"[{name}]", n)

    rows, _ = found(whole)
    assert rows == [(jit, jit, 9), unknown(64), (name, "a::b()", 4), (name, "first", 18), (name, "third", 32)], \
        "the time selects loaded, replaced or moved code; a later mprotect() hides none of it"
    shown = spemu("annotate", "-i", path, "first").stdout
    assert "mov" in shown and "#0x1" in shown and "#0x2" not in shown, \
        f"annotate shows the code of the function\n{shown}"
    # If the times are not comparable, the code that was loaded last applies to all times.
    for what, image in (("of the counter", dump_header(pid, 1) + whole[40:]), ("of another clock", whole)):
        if what == "of another clock":
            with open(path, "r+b") as f:
                head = bytearray(f.read(1024))
                at = number(head, 24, 8) + 40
                head[at + 3] &= ~2 & 0xff  # use_clockid
                f.seek(0)
                f.write(head)
        rows, errors = found(image)
        assert rows == [unknown(96), (name, "a::b()", 7), (name, "first", 24)], \
            f"times {what}: the code that was loaded last"
        assert "and the recording use different clocks" in errors and "-k 1" in errors, \
            f"a message names the clocks\n{errors}"


def test_hostile_jitdump(tmp_path):
    pid = 4100000 + os.getpid() % 90000
    name, whole = f"jit-{pid}.dump", dump_of(pid)
    dump = f"{tmp_path}/{name}"
    path = dump_recording(tmp_path, pid, dump)

    def errors_of(content):
        write(tmp_path, name, content)
        result = spemu("report", "--json", path, timeout=20, limits=address_space(1 << 30))
        return result.returncode, result.stderr

    bad = [(n, status, errors) for n in range(0, len(whole), 13) for status, errors in [errors_of(whole[:n])] if status]
    assert not bad, f"cut anywhere\n{bad}"
    bad = []
    for at in range(0, len(whole), 8):
        value = (b"\xff" * 8, bytes(8), b"\0\0\0\x80")[at // 8 % 3]
        status, errors = errors_of(whole[:at] + value + whole[at + len(value):])
        if status:
            bad.append((at, value, errors))
    assert not bad, f"changed anywhere\n{bad[:3]}"
    for what, content, pattern in (
            ("no dump", b"nothing of the kind" * 4, "is not a jitdump file of version 1"),
            ("big-endian", struct.pack(">6I2Q", 0x4a695444, 1, 40, 183, 0, pid, 0, 0), "is not a jitdump file"),
            ("another version", b"DTiJ" + struct.pack("<5I2Q", 1 << 24 | 1, 40, 183, 0, pid, 0, 0), "is not a jitdump file of version 1"),
            ("another machine", dump_header(pid, machine=62), "is for another machine .ELF number 62"),
            ("nothing in it", dump_header(pid), "contains no code")):
        _, errors = errors_of(content)
        assert re.search(pattern, errors), f"{what}\n{errors}"
    endless = dump_load(pid, 15, JIT + 0x100, 1, "x" * 9000, FIRST_CODE)
    assert errors_of(dump_header(pid) + endless)[0] == 0, "a name that is too long is accepted"
    os.unlink(dump)
    os.mkfifo(dump)
    assert "is not a regular file" in report(path, timeout=20)[1], "a FIFO is not opened as a dump"
    os.unlink(dump)
    os.symlink(f"{tmp_path}/elsewhere", dump)
    assert "is not a regular file" in report(path, timeout=20)[1], "a symbolic link is not opened as a dump"
    os.unlink(dump)
    with open(dump, "wb") as f:
        f.truncate(257 << 20)
    assert "is larger than 256 MiB" in report(path, timeout=20)[1], "a file that is too large is not read as a dump"
    os.unlink(dump)
