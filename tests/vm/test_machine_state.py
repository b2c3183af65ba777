# SPDX-License-Identifier: MIT
"""A machine is saved while it profiles, and resumed in another process. tests/vm/selftest/resumed.c
prints a checksum of every buffer, which must equal that of an uninterrupted run. Unsuitable saved
states are rejected.

The environment variables are SPEMU, SPEMU_VM_PLUGIN, and those of series.py.
"""
import os
import re
import socket
import struct
import subprocess
import time

import pytest

import series
from clilib import SPEMU

series.need_plugin()

SECONDS = 120
VARIANTS = [("v1p2", ("--spe", "v1p2")), ("v1p5 with the target before", ("--spe", "v1p5", "--previous-target")),
            ("strict", ("--strict",))]


def arguments(kernel, socket_path, *more):
    return ["-M", "virt,gic-version=3,secure=on,virtualization=on", "-cpu", "max", "-smp", "2", "-m", "128", "-nodefaults",
            "-display", "none", "-serial", "stdio", "-monitor", f"unix:{socket_path},server=on,wait=off",
            "-semihosting-config", "enable=on,target=native,arg=selftest,arg=resumed",
            *(["-kernel", kernel] if kernel else []), *more]


def start(folder, options, *more, kernel=series.SELFTEST):
    """Start the program. Without an SPU if `options` is None."""
    path = os.path.join(folder, "monitor")
    if os.path.exists(path):
        os.unlink(path)
    own = [] if options is None else [SPEMU, "vm", "--qemu", series.PROGRAM, "--quiet", *options, "--"]
    words = (own or [series.PROGRAM, "-machine", "acpi=off"]) + arguments(kernel, path, *more)
    # Use unbuffered output. Otherwise, readline() could leave text in a buffer that communicate()
    # does not read.
    return subprocess.Popen(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            bufsize=0)


def text_of(output):
    return output.decode(errors="replace")


def finish(process):
    try:
        output, errors = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        output, errors = process.communicate()
        errors += f"stopped after {SECONDS} s".encode()
    return process.returncode, text_of(output).replace("\r", ""), text_of(errors)


class Monitor:
    def __init__(self, folder):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(SECONDS)
        self.socket.connect(os.path.join(folder, "monitor"))
        self.answer()

    def answer(self):
        """Return the reply before the prompt that follows a line end; the echo contains prompts too."""
        text = ""
        while not text.endswith("\n(qemu) "):
            more = self.socket.recv(65536).decode(errors="replace")
            if not more:
                break
            text += more
        return text

    def tell(self, command):
        self.socket.sendall(command.encode() + b"\n")
        return self.answer()


def read_until(process, word):
    text = ""
    while word not in text:
        line = process.stdout.readline()
        if not line:
            break
        text += text_of(line)
    return text


def save(folder, options, after, name="saved"):
    """Start the program, save the machine once it has printed `after`, and return the output."""
    process = start(folder, options)
    output = read_until(process, after)
    assert after in output, finish(process)
    monitor = Monitor(folder)
    monitor.tell(f"migrate file:{folder}/{name}")
    said = monitor.tell("info migrate")
    assert "completed" in said, f"the machine is saved\n{said}"
    monitor.socket.sendall(b"quit\n")
    status, rest, errors = finish(process)
    assert status == 0 and not errors, f"QEMU ends after saving\n{status} {errors}"
    return output.replace("\r", "") + rest


def resume(folder, options, name="saved"):
    return finish(start(folder, options, "-incoming", f"file:{folder}/{name}"))


@pytest.mark.parametrize("options", [options for _, options in VARIANTS], ids=[name for name, _ in VARIANTS])
def test_same(tmp_path, options):
    status, whole, errors = finish(start(tmp_path, options))
    parts = re.findall(r"part \d+: (\d+) bytes", whole)
    assert status == 0 and "done" in whole and len(parts) == 80 and min(map(int, parts)) > 100000, \
        f"an uninterrupted run succeeds\n{status} {whole} {errors}"
    # For the expected exceptions, see resumed.c: at EL0; masked; taken at once.
    assert set(re.findall(r"PM (0x[0-9a-f]+)", whole)) == ({"0x0", "0x101", "0x102"} if "v1p5" in options else {"0x0"}), \
        "profiling exceptions depend on PSTATE.PM"
    first = save(tmp_path, options, "part 5:")
    assert "part 79" not in first, f"the machine is saved before its end\n{first}"
    status, rest, errors = resume(tmp_path, options)
    assert status == 0, f"the resumed machine runs to its end\n{status} {errors}"
    assert (first + rest).splitlines() == whole.splitlines(), "the resumed run has the same samples"


def fnv(data):
    value = 0xcbf29ce484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001b3 % 2**64
    return value


def refused(folder, what, data, reason, options=VARIANTS[0][1]):
    with open(f"{folder}/other", "wb") as file:
        file.write(data)
    status, output, errors = resume(folder, options, "other")
    lines = errors.splitlines()
    assert status not in (0, None) and "part" not in output and len(lines) == 1 and re.search(reason, lines[0]), \
        f"refused: {what}\n{status} {output} {errors}"


def empty_disk(path):
    """Write an empty qcow2 disk of 64 MiB: header, refcount table, refcount block and L1 table, one
    cluster each."""
    cluster = 1 << 16
    image = bytearray(4 * cluster)
    head = struct.pack(">4sIQIIQIIQQIIQQQQII", b"QFI\xfb", 3, 0, 0, 16, 64 << 20, 0, 1, 3 * cluster, cluster, 1, 0, 0, 0, 0, 0,
                       4, 104)
    image[:len(head)] = head
    struct.pack_into(">Q", image, cluster, 2 * cluster)
    struct.pack_into(">4H", image, 2 * cluster, 1, 1, 1, 1)
    with open(path, "wb") as file:
        file.write(image)


def test_snapshot(tmp_path):
    """savevm, and then loadvm in the same process and in another process."""
    options, disk = VARIANTS[0][1], f"{tmp_path}/disk"
    more = ("-drive", f"if=none,id=disk,format=qcow2,file={disk}", "-device", "virtio-blk-pci,drive=disk")
    empty_disk(disk)
    status, whole, errors = finish(start(tmp_path, options, *more))
    assert status == 0 and "done" in whole, f"with a disk, an uninterrupted run succeeds\n{status} {errors}"
    process = start(tmp_path, options, *more)
    before = read_until(process, "part 3:")
    monitor = Monitor(tmp_path)
    said = monitor.tell("savevm now") + monitor.tell("loadvm now") + monitor.tell("stop")
    monitor.tell("loadvm now")
    monitor.tell("cont")
    status, again, errors = finish(process)
    lines = (before + again).replace("\r", "")
    # After the snapshot, parts may appear several times, always equal. All other lines are those of
    # an uninterrupted run.
    pattern = r"part \d+: \d+ bytes, sum 0x[0-9a-f]+, status 0x0, PM 0x0(?=\n)" # a line may be torn
    assert status == 0 and "Error" not in said and set(re.findall(pattern, lines)) == set(re.findall(pattern, whole)), \
        f"savevm and loadvm, twice: the same samples as in an uninterrupted run\n{status} {said} {lines} {errors}"
    status, rest, errors = finish(start(tmp_path, options, *more, "-loadvm", "now"))
    tail = rest[rest.find("\n") + 1:]
    assert status == 0 and tail.count("part") > 50 and whole.endswith(tail), \
        f"-loadvm: the same samples as in an uninterrupted run\n{status} {rest} {errors}"


def test_refused(tmp_path):
    options = VARIANTS[0][1]
    save(tmp_path, options, "part 1:")
    with open(f"{tmp_path}/saved", "rb") as file:
        data = file.read()
    at = data.rfind(b"\0SPEMUV1")
    assert at > 0, "the file has the section"
    refused(tmp_path, "a damaged section", data[:at + 5000] + bytes([data[at + 5000] ^ 1]) + data[at + 5001:],
            "the saved SPU state is damaged; save the machine again")
    refused(tmp_path, "a truncated section", data[:at + 3000], "the saved SPU state is truncated; save the machine again")
    size = int.from_bytes(data[at - 8:at], "little")
    section = bytearray(data[at:at + size])
    section[24:29] = b"0.1.0"
    section[8:16] = fnv(section[16:]).to_bytes(8, "little")
    refused(tmp_path, "another version", data[:at] + bytes(section) + data[at + size:],
            "written by a different version of spemu; save the machine again")
    refused(tmp_path, "other options", data, "saved with other options of spemu vm; use the same", ("--spe", "v1p1"))


def test_without_spu(tmp_path):
    """Save a machine without a program, which takes exceptions endlessly."""
    process = start(tmp_path, None, kernel=None)
    path = os.path.join(tmp_path, "monitor")
    for _ in range(SECONDS * 5):
        if os.path.exists(path):
            break
        time.sleep(0.2)
    monitor = Monitor(tmp_path)
    monitor.tell(f"migrate file:{tmp_path}/plain")
    monitor.socket.sendall(b"quit\n")
    finish(process)
    status, output, errors = finish(start(tmp_path, VARIANTS[0][1], "-incoming", f"file:{tmp_path}/plain", kernel=None))
    assert (status not in (0, None) and len(errors.splitlines()) == 1 and
            "the saved machine does not have SPU state; save it under spemu vm" in errors), \
        f"refused: saved without an SPU\n{status} {output} {errors}"
