# SPDX-License-Identifier: MIT
"""Inputs of report, dump and annotate: pipes, perf's streams, compressed files, folders, and
damaged versions of these."""
import json
import os
import struct
import subprocess
import threading
import time

import pytest

from clilib import ENVIRONMENT, SPEMU, address_space, child_setup, make_recording, refuses, run, spemu, write
from known import Known
from perf_file import AUXTRACE, events, features, number
from perf_there import perf_works
from zstd_stream import Zstd

HEADER_ATTR, BUILD_ID, HEADER_FEATURE, COMPRESSED, COMPRESSED2 = 64, 67, 80, 81, 83
FEATURE_BUILD_ID, FEATURE_AUXTRACE, FEATURE_COMPRESSED = 2, 18, 27


def pieces_of(image):
    """Return (type, bytes including the trace after it) of each event."""
    return ((type_, image[at:at + whole]) for type_, at, _, whole in events(image))


def feature_bytes(image):
    return {n: image[at:at + size] for n, at, size in features(image)}


def attrs(image):
    """Yield (attr, ids) of each attr."""
    size, at, all_ = number(image, 16, 8), number(image, 24, 8), number(image, 32, 8)
    for a in range(at, at + all_, size):
        where, length = number(image, a + size - 16, 8), number(image, a + size - 8, 8)
        yield image[a:a + size - 16], image[where:where + length]


def event(type_, body):
    body += bytes(-len(body) % 8)
    return struct.pack("<IHH", type_, 0, 8 + len(body)) + body


def stream(image):
    """Return the recording in the form that perf writes to a pipe."""
    out = b"PERFILE2" + struct.pack("<Q", 16)
    for attr, ids in attrs(image):
        out += event(HEADER_ATTR, attr + ids)
    for n, data in feature_bytes(image).items():
        if n == FEATURE_BUILD_ID:
            at = 0
            while at < len(data):
                size = number(data, at + 6, 2)
                out += struct.pack("<I", BUILD_ID) + data[at + 4:at + size]
                at += size
        elif n != FEATURE_AUXTRACE:
            out += event(HEADER_FEATURE, struct.pack("<Q", n) + data)
    return out + b"".join(data for _, data in pieces_of(image))


def compressed(image, pieces=7, type_=COMPRESSED):
    """Return the recording in the form that perf record -z writes. The kernel's events are
    compressed and cut at arbitrary places."""
    zstd, plain, data = Zstd(), b"", b""

    def flush():
        nonlocal plain, data
        for i in range(0, len(plain), max(1, len(plain) // pieces)):
            part = zstd.piece(plain[i:i + max(1, len(plain) // pieces)])
            if type_ == COMPRESSED:  # the event's size gives the size of the data, so padding is not possible
                data += struct.pack("<IHH", type_, 0, 8 + len(part)) + part
            else:
                data += event(type_, struct.pack("<Q", len(part)) + part)
        plain = b""

    for t, e in pieces_of(image):
        if t < 64:
            plain += e
            continue
        flush()
        data += e
    flush()
    return file_of(image, data, {**feature_bytes(image), FEATURE_COMPRESSED: struct.pack("<5I", 1, 1, 1, 3, 1 << 20)})


def file_of(image, data, all_features):
    """Return a file with this data, these features, and the attrs of the image."""
    at = number(image, 40, 8)
    all_features = dict(sorted((n, d) for n, d in all_features.items() if n != FEATURE_AUXTRACE))
    head = bytearray(image[:at])
    struct.pack_into("<Q", head, 48, len(data))
    bits = sum(1 << n for n in all_features)
    head[72:104] = bits.to_bytes(32, "little")
    offset = at + len(data) + 16 * len(all_features)
    table = b""
    for d in all_features.values():
        table += struct.pack("<QQ", offset, len(d))
        offset += len(d)
    return bytes(head) + data + table + b"".join(all_features.values())


def shown(path, *args, **kwargs):
    """Return everything that the report shows, without the name of the file."""
    result = spemu("report", "--json", "-n", "0", path, *args, **kwargs)
    if result.returncode:
        return f"status {result.returncode}: {result.stderr}"
    out = json.loads(result.stdout)
    del out["file"]
    return out


def through_pipe(image, *args):
    """Run spemu with these bytes as standard input, written to a pipe in small pieces. Return its
    output."""
    child = subprocess.Popen([SPEMU, *args], env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, preexec_fn=child_setup())

    def feed():
        try:
            for at in range(0, len(image), 5000):
                child.stdin.write(image[at:at + 5000])
                child.stdin.flush()
            child.stdin.close()
        except BrokenPipeError:  # spemu has stopped reading
            pass

    feeder = threading.Thread(target=feed)
    feeder.start()
    out, err = child.stdout.read(), child.stderr.read()
    feeder.join()
    child.stdout.close()
    child.stderr.close()
    return child.wait(), out, err


def piped(image):
    status, out, err = through_pipe(image, "report", "--json", "-n", "0", "-")
    if status:
        return f"status {status}: {err}"
    out = json.loads(out)
    del out["file"]
    return out


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    return Known(tmp_path_factory.mktemp("known"))


@pytest.fixture(scope="module")
def image(known):
    with open(known.path, "rb") as f:
        return f.read()


@pytest.fixture(scope="module")
def expected(known):
    return shown(known.path)


def test_pipes(tmp_path, known, image, expected):
    assert piped(image) == expected, "a file through a pipe gives the same report"
    with open(known.path, "rb") as f:
        result = run(SPEMU, "report", "--json", "-n", "0", "-", stdin=f)
    out = json.loads(result.stdout)
    assert out.pop("file") == "-", "a file as standard input has the name -"
    assert out == expected, "a file as standard input gives the same report"
    os.mkfifo(f"{tmp_path}/fifo")

    def feed():
        with open(f"{tmp_path}/fifo", "wb") as f:
            f.write(image)

    feeder = threading.Thread(target=feed)
    feeder.start()
    assert shown(f"{tmp_path}/fifo") == expected, "a FIFO gives the same report"
    feeder.join()
    for args in (("dump",), ("dump", "--records"), ("dump", "--json", "--records")):
        plain = spemu(*args, known.path, text=False).stdout
        assert plain and through_pipe(image, *args, "-")[1] == plain, f"{' '.join(args)} -"
    assert through_pipe(image, "annotate", "-i", "-")[1] == spemu("annotate", "-i", known.path, text=False).stdout, "annotate -i -"
    trace = b"".join(e[48:] for t, e in pieces_of(image) if t == AUXTRACE)
    raw = write(tmp_path, "raw", trace)
    plain = spemu("dump", "--records", "--raw", raw, text=False).stdout
    assert plain and through_pipe(trace, "dump", "--records", "--raw", "-")[1] == plain, "bare trace through a pipe"
    with open(raw, "rb") as f:
        assert run(SPEMU, "dump", "--records", "--raw", "-", stdin=f, text=False).stdout == plain, "bare trace as standard input"
    assert through_pipe(b"", "report", "-")[0] == 125, "an empty pipe is rejected"
    status, out, err = through_pipe(b"hello, world\n" * 10, "report", "-")
    assert status == 125 and b"not a perf.data file" in err and not out, f"a pipe with text is rejected\n{err}"
    status, out, err = through_pipe(image, "report", "-q", "/dev/full")
    assert status == 125, f"a device is rejected\n{err}"
    result = spemu("report", "-", env={"TMPDIR": f"{tmp_path}/absent"}, stdin=subprocess.PIPE)
    assert result.returncode == 125 and "TMPDIR" in result.stderr, \
        f"a missing folder for temporary files is reported\n{result.stderr}"


def test_streams(tmp_path, known, image, expected):
    made = stream(image)
    assert piped(made) == expected, "perf's stream through a pipe"
    assert shown(write(tmp_path, "stream", made)) == expected, "perf's stream in a file"
    # Samples with call stacks have their own attr. A reader finds it by the ids.
    path = f"{tmp_path}/stacks.data"
    make_recording(f"create {path} 256 stacks\ncomm 1 1 10 a exec\n"
                   "rec pc=0x10004 tid=1 time=20 class=0 sub=0 ev=2\n"
                   "stack 1 1 20 0x10004 0x20008\naux 1 1 30 0 0\nfinish\n")
    with open(path, "rb") as f:
        stacks = f.read()
    assert "totals" in shown(path), "samples with call stacks are found"
    assert piped(stream(stacks)) == shown(path), "the stream of a recording with call stacks gives the same report"
    reserved = event(HEADER_FEATURE, struct.pack("<Q", 0) + b"reserved")
    first = 16 + number(made, 16 + 6, 2)
    assert piped(made[:first] + reserved + made[first:]) == expected, "the reserved feature 0 is ignored"
    if perf_works():
        # perf writes a stream if its output is "-".
        own = subprocess.run(["perf", "inject", "-i", known.path, "-o", "-"], capture_output=True, check=False,
                             env=ENVIRONMENT)
        if own.stdout[8:16] == struct.pack("<Q", 16):
            got = piped(own.stdout)

            # The stream omits some descriptions of the machine.
            def rows(out):
                return [(r["command"], r["object"], r["symbol"], r["samples"]) for r in out["functions"]]

            assert (got["samples"], rows(got)) == (expected["samples"], rows(expected)), \
                "a stream that perf made gives the same report"


def test_compressed(tmp_path, known, image, expected):
    for pieces in (1, 7, 100):
        made = compressed(image, pieces)
        assert shown(write(tmp_path, "compressed.data", made)) == expected, f"compressed, cut into {pieces}"
        assert piped(made) == expected, "a compressed file through a pipe"
    made = compressed(image, 7, COMPRESSED2)
    assert shown(write(tmp_path, "compressed2.data", made)) == expected, "a file with COMPRESSED2 events"
    if perf_works():
        made = compressed(image, 3)
        path = write(tmp_path, "compressed.data", made)

        def perf(file):
            result = run("perf", "report", "-i", file, "--stdio", "-n", "--itrace=i1i", "--sort", "comm,dso,sym")
            return [line for line in result.stdout.splitlines() if line and line[0] != "#"]
        plain = perf(known.path)
        assert plain and perf(path) == plain, f"perf accepts the same file\n{perf(path)}"


def test_damage(tmp_path, image, expected):
    """A file that is cut or changed anywhere is rejected, or its intact beginning is shown."""
    bad = []
    for name, whole in (("stream", stream(image)), ("compressed", compressed(image))):
        for n in range(16):
            at = n * len(whole) // 16
            for what, changed in (("cut", whole[:at]), ("changed", whole[:at] + b"\xff" * 8 + whole[at + 8:])):
                path = write(tmp_path, "damaged.data", changed)
                result = spemu("report", path, timeout=60, limits=address_space(1 << 30))
                # A stream may end after any event. A file records the size of its data.
                fine = (1, 125) if (name, what) == ("compressed", "cut") else (0, 1, 125)
                if result.returncode not in fine or (result.returncode and not result.stderr):
                    bad.append(f"{name} {what} at {at}: {result.returncode} {result.stderr}")
    assert not bad, "damaged streams and compressed files\n" + "\n".join(bad)
    # A few compressed bytes that expand to 300 MB.
    zstd = Zstd()
    bomb = event(COMPRESSED2, b"".join((lambda p: struct.pack("<Q", len(p)) + p)(zstd.piece(bytes(300 << 20)))
                                       for _ in range(1)))
    path = write(tmp_path, "bomb.data", file_of(image, b"".join(e for _, e in pieces_of(image)) + bomb, {
        **feature_bytes(image), FEATURE_COMPRESSED: bytes(20)}))
    began = time.monotonic()
    result = spemu("report", path, timeout=60, limits=address_space(1 << 29))
    assert result.returncode == 1 and "damaged" in result.stderr and time.monotonic() - began < 20, \
        f"a compressed event of 300 MB is damage\n{result.returncode} {result.stderr}"
    # A file with compressed events whose header does not have the feature COMPRESSED.
    plain = bytearray(compressed(image))
    plain[72 + FEATURE_COMPRESSED // 8] &= ~(1 << FEATURE_COMPRESSED % 8) & 0xff
    result = spemu("report", write(tmp_path, "unsaid.data", bytes(plain)))
    assert result.returncode in (1, 125) and "damaged" in result.stderr, \
        f"compressed events without the feature are damage\n{result.stderr}"
    assert expected["samples"] > 0, "the undamaged file has samples"


def test_folder(tmp_path, known):
    """perf record --kcore writes a folder with the data. Its kcore_dir contains the kernel's
    symbols."""
    path = f"{tmp_path}/kcore"
    os.makedirs(path + "/kcore_dir")
    base = 0xffff800008000000
    make_recording("\n".join((f"create {path}/data 256", "comm 1 1 10 cat exec",
                              f"kmmap {base} 0x1000000 {base} - [kernel.kallsyms]_text",
                              f"rec pc={base + 0x104} tid=1 time=20 class=0 sub=0 ev=2 total=5 n=3", "aux 1 1 30 0 0",
                              "finish")) + "\n")
    rows = shown(path)["functions"]
    assert [(r["object"], r["samples"]) for r in rows] == [("[kernel.kallsyms]", 3)], "a folder without symbols"
    with open(path + "/kcore_dir/kallsyms", "w", encoding="ascii") as f:
        f.write(f"{base:016x} T _text\n{base + 0x100:016x} T vfs_open\n{base + 0x200:016x} T _end\n")
    assert [(r["object"], r["symbol"], r["samples"]) for r in shown(path)["functions"]] == [("[kernel.kallsyms]", "vfs_open", 3)], \
        "kernel functions get their names from kcore_dir"
    for words in (("report", "-", "-"), ("export", "--format", "csv", "-", "-"), ("diff", "-", "-")):
        with open(known.path, "rb") as stream:
            refuses(f"{words[0]}: standard input twice", 2, "standard input can be only one recording; give the other as a file", *words, stdin=stream)
    refuses("a folder of something else", 125, "cannot open|not supported", "report", tmp_path)
    del known


def test_inject(tmp_path, known):
    if not perf_works():
        return
    path = f"{tmp_path}/injected.data"
    result = run("perf", "inject", "-i", known.path, "-o", path, "--itrace=i1i")
    assert result.returncode == 0, f"perf inject --itrace\n{result.stderr}"
    refuses("its samples are refused", 125, r"samples that 'perf inject --itrace' made .*give the original file",
            "report", path)


def resident(*args):
    """Run a command and return (status, peak resident MiB)."""
    with subprocess.Popen([SPEMU, *args], env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, preexec_fn=child_setup()) as child:
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, used.ru_maxrss / 1024


def test_large(tmp_path, image):
    """Memory does not grow with the size of a recording. The largest has 160 MB and repeats one
    trace."""
    trace = b"".join(e for t, e in pieces_of(image) if t == AUXTRACE)
    others = b"".join(e for t, e in pieces_of(image) if t != AUXTRACE)
    peaks = []
    for size in (10 << 20, 160 << 20):
        path = write(tmp_path, "large.data", file_of(image, others + trace * (size // len(trace)), {}))
        for args in (("report", "-q"), ("dump", "--records", "--from", "1G"), ("annotate", "-q", "-i")):
            status, peak = resident(*args, path)
            assert status == 0, f"{args[0]} of {size >> 20} MB"
            peaks.append(peak)
    assert max(peaks[3:]) < max(peaks[:3]) + 16, f"a recording of sixteen times the size takes no more memory\n{peaks}"
    os.unlink(f"{tmp_path}/large.data")
