# SPDX-License-Identifier: MIT
"""Hostile recordings: the files that report and dump open, the text that they print, and the time
that they take."""
import json
import os
import re
import shutil
import struct
import subprocess
import time

from clilib import ENVIRONMENT, SPEMU, child_setup, compile_c, leak, make_recording, nm, not_fit, refuses, spemu, write
from perf_file import events, features, number

COMM, MMAP2, AUXTRACE_INFO = 3, 10, 70
BUILD_ID, CPUDESC, CPUID, CMDLINE, EVENT_DESC = 2, 8, 9, 11, 12
ONE_STRING = (3, 4, 5, 6, CPUDESC, CPUID)  # first HOSTNAME, OSRELEASE, VERSION and ARCH


def string_places(image):
    """Return (field, offset) of each NUL-terminated text in the file."""
    for type_, at, _, _ in events(image):
        if type_ == COMM:
            yield "COMM", at + 16
        elif type_ == MMAP2:
            yield "MMAP2", at + 72
    for n, at, size in features(image):
        if n in ONE_STRING:
            yield f"feature {n}", at + 4
        elif n == CMDLINE:
            place = at + 4
            for i in range(number(image, at, 4)):
                yield f"argument {i}", place + 4
                place += 4 + number(image, place, 4)
        elif n == EVENT_DESC:
            place = at + 8
            for _ in range(number(image, at, 4)):
                place += number(image, at + 4, 4)
                ids, length = number(image, place, 4), number(image, place + 4, 4)
                yield "EVENT_DESC", place + 8
                place += 8 + length + 8 * ids
        elif n == BUILD_ID:
            place = at
            while place < at + size:
                yield "BUILD_ID", place + 36
                place += number(image, place + 6, 2)


def overwrite(image, at, text):
    """Replace the string at `at` by `text`, repeated to the same length. A path remains a path."""
    length = image.index(0, at) - at
    keep = image[at:at + 1] == b"/"
    image[at + keep:at + length] = (text * length)[:length - keep]


def recording(path, file, *more):
    make_recording("\n".join((f"create {path} 256", "comm 1 1 10 placeholder1234 exec",
                              f"mmap 1 11 0x10000 0x10000 0 r-x {file}",
                              "mmap 1 11 0x40000 4096 0 rw- /placeholder/of/data",
                              "rec pc=0x10004 tid=1 time=20 class=1 sub=0 ev=0x16 total=5 "
                              "va=0x40008 n=3", *more, "aux 1 1 30 0 0", "finish")) + "\n")


def leaks(path, commands):
    for args in commands:
        result = spemu(*args, path, text=False)
        for stream, data in (("output", result.stdout), ("errors", result.stderr)):
            problem = leak(data)
            if problem:
                yield f"{args} {stream}: {problem}"
        if result.returncode:
            yield f"{args}: status {result.returncode} {result.stderr!r}"


def test_strings(tmp_path):
    plain, other = f"{tmp_path}/plain", f"{tmp_path}/other"
    recording(plain, "/placeholder/of/code")
    recording(other, "/placeholder/of/code")
    commands = (("report",), ("report", "--json"), ("report", "-s", "comm,dso"), ("dump",),
                ("export", "--format", "csv"), ("export", "--format", "callgrind"),
                ("report", "-s", "input,srcline,op", "-F", "+hitm"), ("diff", "-s", "comm,dso,sym", other),
                ("diff", "--json", other))
    with open(plain, "rb") as f:
        image = bytearray(f.read())
    # Our recordings do not have CPUDESC, so make CPUID a CPUDESC.
    image[72 + 1] ^= 1 << CPUDESC - 8 | 1 << CPUID - 8
    fields = dict(string_places(image))
    assert {"COMM", "MMAP2", f"feature {CPUDESC}", "argument 2", "EVENT_DESC"} <= set(fields), \
        f"the test finds the fields with text\n{fields}"
    said = spemu("report", write(tmp_path, "plain", bytes(image))).stdout
    assert all(w in said for w in ("recorded by: spemu", "machine: 0x", "placeholder1234")), \
        f"the texts are shown\n{said}"
    problems = []
    for n, bad in enumerate(not_fit()):
        changed = bytearray(image)
        for _, at in string_places(image):
            overwrite(changed, at, b"a" + bad)
        name = b"evil" + (bad if bad not in (b"\n",) else b"")
        path = os.path.join(os.fsencode(tmp_path), name)
        with open(path, "wb") as f:
            f.write(changed)
        problems += [f"{bad!r}: {p}" for p in leaks(os.fsdecode(path), (commands[n % len(commands)],
                                                                        commands[0]))]
        os.unlink(path)
    assert not problems, "no string of a recording, and no file name, reaches the terminal unfiltered\n" + "\n".join(problems)


def test_json_keeps(tmp_path):
    """JSON escapes control characters, so it contains the complete texts."""
    path = f"{tmp_path}/json"
    recording(path, "/placeholder")
    with open(path, "rb") as f:
        image = bytearray(f.read())
    argument = dict(string_places(image))["argument 2"]
    text = "\x9b\u202e\x7f"
    overwrite(image, argument, text.encode().ljust(7, b"x"))
    write(tmp_path, "json", bytes(image))
    result = spemu("report", "--json", path)
    assert result.stdout.isascii(), f"JSON with such texts is ASCII\n{result.stdout[:400]}"
    assert json.loads(result.stdout)["command_line"][2].startswith(text), \
        f"the JSON text is that of the file\n{result.stdout[:400]}"


def test_symbols(tmp_path):
    """Hostile names in an ELF file and in its line table."""
    source = "int placeholder_value = 1;\nint placeholder_code(int *p) { return *p; }\n" \
             "int main(void) { return placeholder_code(&placeholder_value); }\n"
    elf = compile_c(tmp_path, "placeholder_source", source, "-static", "-nostartfiles",
                    "-Wl,--build-id=none", "-Wl,-e,main")
    with open(elf, "rb") as f:
        image = f.read()
    address = nm(elf)
    path = f"{tmp_path}/symbols.data"
    text = [f"create {path} 256", "comm 1 1 10 a exec"]
    for name in ("placeholder_code", "placeholder_value"):
        page = address[name] & ~0xfff
        text.append(f"mmap 1 11 {page} 4096 {page - 0x400000 if name[-1] == 'e' else 0} "
                    f"{'r-x' if 'code' in name else 'rw-'} {elf}")
    text += [f"rec pc={address['placeholder_code'] + 4} tid=1 time=20 class=2 sub=1 ev=0x82 "
             f"va={address['placeholder_value']} total=3 n=3", "aux 1 1 30 0 0", "finish"]
    make_recording("\n".join(text) + "\n")
    result = spemu("report", path)
    assert "placeholder_code" in result.stdout and "placeholder_source.c" in result.stdout, \
        f"symbols and lines are found\n{result.stdout + result.stderr}"
    problems = []
    for bad in not_fit():
        changed = image
        for name in (b"placeholder_code", b"placeholder_value", b"placeholder_source"):
            changed = changed.replace(name, ((b"a" + bad) * 20)[:len(name)])
        write(tmp_path, "placeholder_source", changed)
        problems += [f"{bad!r}: {p}" for p in leaks(path, (("report",),))]
    assert not problems, "no symbol or source file name reaches the terminal unfiltered\n" + "\n".join(problems)


def measured(*args, seconds=60):
    """Run a command and return (status, peak MiB, CPU seconds, messages). The status is None if it hangs."""
    with subprocess.Popen([SPEMU, *args], env=ENVIRONMENT, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          preexec_fn=child_setup()) as child:
        deadline = time.monotonic() + seconds
        while True:
            pid, status, used = os.wait4(child.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > deadline:
                child.kill()
            time.sleep(0.01)
        child.returncode = os.waitstatus_to_exitcode(status)
        status = child.returncode if child.returncode >= 0 else None
        return status, used.ru_maxrss / 1024, used.ru_utime + used.ru_stime, child.stderr.read()


def test_paths(tmp_path):
    """A mapping may have any name, but spemu only reads regular files."""
    os.mkfifo(f"{tmp_path}/fifo")
    sparse = write(tmp_path, "sparse", b"")
    os.truncate(sparse, 4 << 30)
    names = f"{tmp_path}/names"
    os.symlink("/dev/zero", f"{tmp_path}/link")
    with open(names, "wb") as f:
        f.write(b"0000000000010000 T x" + b"y" * (200 << 20))
    for file in (f"{tmp_path}/fifo", "/dev/zero", "/dev/full", f"{tmp_path}/link", tmp_path, sparse,
                 names):
        cause = "not an ELF file" if file in (sparse, names) else "not a regular file"
        path = f"{tmp_path}/paths.data"
        recording(path, file)
        status, memory, _, errors = measured("report", path, seconds=20)
        assert (status == 0 and memory < 100
                and re.search(f"no symbols for .*: .* is {cause}", errors)), \
            f"a mapping of {os.path.basename(file)}\n{status} {memory} MiB: {errors}"


def test_build_id(tmp_path):
    """If the recording has a build-id, a file without a build-id does not match."""
    source = "int main(void) { return 0; }\n"
    with_id = compile_c(tmp_path, "with", source, "-Wl,--build-id=sha1")
    without = compile_c(tmp_path, "without", source, "-Wl,--build-id=none")
    long_id = compile_c(tmp_path, "long", source, f"-Wl,--build-id=0x{'5a' * 32}")
    for name, first, second, found in (("none", with_id, without, False),
                                       ("the same", with_id, with_id, True),
                                       ("the same, longer than a recording holds", long_id,
                                        long_id, True),
                                       ("where none was recorded", without, with_id, True)):
        shutil.copy(first, f"{tmp_path}/file")
        offset = nm(second)["main"]
        path = f"{tmp_path}/id.data"
        make_recording(f"create {path} 256\ncomm 1 1 10 a exec\n"
                       f"mmap 1 11 0 0x10000 0 r-x {tmp_path}/file\n"
                       f"rec pc={offset} tid=1 time=20 class=0 sub=0 ev=2\n"
                       "aux 1 1 30 0 0\nfinish\n")
        shutil.copy(second, f"{tmp_path}/file")
        result = spemu("report", "--json", "--section", "functions", path)
        symbols = [f["symbol"] for f in json.loads(result.stdout)["functions"]]
        assert (symbols == ["main"]) == found and ("build-id" in result.stderr) != found, \
            f"build-id: {name}\n{symbols} {offset:#x} {result.stderr}"


def test_foreign(tmp_path):
    """Only trace that the file marks as SPE trace is decoded."""
    path = f"{tmp_path}/foreign.data"
    recording(path, "/a")
    with open(path, "rb") as f:
        image = bytearray(f.read())
    info = [at for type_, at, _, _ in events(image) if type_ == AUXTRACE_INFO]
    assert len(info) == 1, "the file has one AUXTRACE_INFO"
    for type_, name in ((1, "Intel PT"), (3, "CoreSight"), (99, "another kind")):
        struct.pack_into("<I", image, info[0] + 8, type_)
        write(tmp_path, "foreign.data", bytes(image))
        for command in ("report", "dump"):
            refuses(f"{command}: a trace of {name}", 125,
                    rf"trace of .*{name}.*type {type_}\), not of Arm SPE; .*record", command, path)
    struct.pack_into("<I", image, info[0], 82)  # becomes an event of an unknown type, which is skipped
    write(tmp_path, "foreign.data", bytes(image))
    for command in ("report", "dump"):
        refuses(f"{command}: a trace of nobody knows what", 125, "no AUXTRACE_INFO.*record again",
                command, path)


def names_file(path, count):
    lines = [f"create {path} 256"]
    for i in range(count):
        lines.append(f"comm {i + 10} {i + 10} 10 thread{i} exec")
        lines.append(f"mmap {i + 10} 11 {0x10000} 4096 0 r-x /nowhere/{i}")
        lines.append(f"rec pc=0x10004 tid={i + 10} time=20 class=0 sub=0 ev=2 total=5")
    make_recording("\n".join((*lines, "aux 1 1 30 0 0", "finish")) + "\n")


def test_many_names(tmp_path):
    """The time is proportional to the number of file and thread names."""
    used = []
    for count in (20000, 80000):
        path = f"{tmp_path}/names{count}"
        names_file(path, count)
        runs = [measured("report", path, seconds=120) for _ in range(2)]
        assert [r[0] for r in runs] == [0, 0], f"{count} names: report succeeds"
        used.append(min(r[2] for r in runs))
    assert used[1] < 8 * used[0], f"four times the names take less than eight times as long\n{used[0]:.2f} s and {used[1]:.2f} s"


def test_long_cpuid(tmp_path):
    """The processor ID is parsed once, however long its text is."""
    path = f"{tmp_path}/cpuid.data"
    recording(path, "/nowhere/program")
    with open(path, "rb") as f:
        image = bytearray(f.read())
    text = b"0x" + bytes(300000).replace(b"\0", b"0") + b"413fd0c1\0"
    at = number(image, 40, 8) + number(image, 48, 8)
    at += 16 * [n for n, _, _ in features(image)].index(CPUID)
    image[at:at + 16] = struct.pack("<QQ", len(image), 4 + len(text))
    image += struct.pack("<I", len(text)) + text
    with open(path, "wb") as f:
        f.write(image)
    assert measured("report", path, seconds=20)[0] == 0, "report succeeds in time"


def test_newline(tmp_path):
    """A program below a folder whose name has a newline is recorded and resolved."""
    inner = f"{tmp_path}/two\nlines"
    os.mkdir(inner)
    elf = compile_c(inner, "program", "int total;\n__attribute__((noinline)) void busy(void) "
                    "{ for (int i = 0; i < 200000; i++) total += i & 3; }\n"
                    "int main(void) { busy(); return 0; }\n", "-static")
    path = f"{tmp_path}/newline.data"
    result = spemu("record", "-q", "-c", "256", "-o", path, "--", elf)
    assert result.returncode == 0, "a program below a folder with a newline is recorded"
    result = spemu("report", "--json", "--section", "functions", path)
    symbols = [f["symbol"] for f in json.loads(result.stdout)["functions"]]
    assert "busy" in symbols, f"the symbols of the program are found\n{symbols} {result.stderr}"
    text = spemu("report", "--section", "functions", path).stdout
    assert re.search(r" program +\[\.\] busy", text), f"the report shows the symbol\n{text}"
