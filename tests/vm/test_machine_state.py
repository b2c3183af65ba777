#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A machine that is saved in the middle of profiling and resumed in another process: tests/vm/selftest/resumed.c prints a
sum of every buffer, and says the same as one that was not interrupted. And what is refused.

    test_machine_state.py PROGRAM

From the environment: SPEMU, SPEMU_VM_PLUGIN, and what series.py takes.
"""
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time

import series
from tap import check, equal, plan

SECONDS = 120
VARIANTS = [("v1p2", ("--spe", "v1p2")), ("v1p5 with the target before", ("--spe", "v1p5", "--previous-target")),
            ("strict", ("--strict",))]


def arguments(program, socket_path, *more):
    return ["-M", "virt,gic-version=3,secure=on,virtualization=on", "-cpu", "max", "-smp", "2", "-m", "128", "-nodefaults",
            "-display", "none", "-serial", "stdio", "-monitor", f"unix:{socket_path},server=on,wait=off",
            "-semihosting-config", "enable=on,target=native,arg=selftest,arg=resumed",
            *(["-kernel", program] if program else []), *more]


def start(folder, program, options, *more):
    """options None: without an SPU."""
    path = os.path.join(folder, "monitor")
    if os.path.exists(path):
        os.unlink(path)
    own = [] if options is None else [os.environ["SPEMU"], "vm", "--qemu", series.PROGRAM, "--quiet", *options, "--"]
    words = (own or [series.PROGRAM, "-machine", "acpi=off"]) + arguments(program, path, *more)
    # Without a buffer: communicate() would not see what readline() has left in one.
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
        """What comes until the prompt that is behind a line's end: the echo has prompts too."""
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


def save(folder, program, options, after, name="saved"):
    """Starts the program, and saves the machine once it has printed `after`: what it printed."""
    process = start(folder, program, options)
    output = read_until(process, after)
    if after not in output:
        print(f"# {finish(process)}")
        return output
    monitor = Monitor(folder)
    monitor.tell(f"migrate file:{folder}/{name}")
    said = monitor.tell("info migrate")
    check("completed" in said, "the machine is saved", said)
    monitor.socket.sendall(b"quit\n")
    status, rest, errors = finish(process)
    check(status == 0 and not errors, "QEMU ends after it", f"{status} {errors}")
    return output.replace("\r", "") + rest


def resume(folder, program, options, name="saved"):
    return finish(start(folder, program, options, "-incoming", f"file:{folder}/{name}"))


def test_same(folder, program, name, options):
    status, whole, errors = finish(start(folder, program, options))
    parts = re.findall(r"part \d+: (\d+) bytes", whole)
    check(status == 0 and "done" in whole and len(parts) == 80 and min(map(int, parts)) > 100000,
          f"{name}: straight through", f"{status} {whole} {errors}")
    # See resumed.c: at EL0; masked, and taken after it; taken at once.
    equal(set(re.findall(r"PM (0x[0-9a-f]+)", whole)), {"0x0", "0x101", "0x102"} if "v1p5" in options else {"0x0"},
          f"{name}: Profiling exceptions as PSTATE.PM is")
    first = save(folder, program, options, "part 5:")
    check("part 79" not in first, f"{name}: saved in the middle", first)
    status, rest, errors = resume(folder, program, options)
    check(status == 0, f"{name}: resumed, and runs to its end", f"{status} {errors}")
    equal((first + rest).splitlines(), whole.splitlines(), f"{name}: the same samples as without")
    return first


def fnv(data):
    value = 0xcbf29ce484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001b3 % 2**64
    return value


def refused(folder, program, what, data, reason, options=VARIANTS[0][1]):
    with open(f"{folder}/other", "wb") as file:
        file.write(data)
    status, output, errors = resume(folder, program, options, "other")
    lines = errors.splitlines()
    check(status not in (0, None) and "part" not in output and len(lines) == 1 and re.search(reason, lines[0]),
          f"refused: {what}", f"{status} {output} {errors}")


def empty_disk(path):
    """A qcow2 of 64 MiB with nothing in it: header, refcount table, refcount block, L1 table, of a cluster each."""
    cluster = 1 << 16
    image = bytearray(4 * cluster)
    head = struct.pack(">4sIQIIQIIQQIIQQQQII", b"QFI\xfb", 3, 0, 0, 16, 64 << 20, 0, 1, 3 * cluster, cluster, 1, 0, 0, 0, 0, 0,
                       4, 104)
    image[:len(head)] = head
    struct.pack_into(">Q", image, cluster, 2 * cluster)
    struct.pack_into(">4H", image, 2 * cluster, 1, 1, 1, 1)
    with open(path, "wb") as file:
        file.write(image)


def test_snapshot(folder, program):
    """savevm; loadvm in the same process, and in another one."""
    options, disk = VARIANTS[0][1], f"{folder}/disk"
    more = ("-drive", f"if=none,id=disk,format=qcow2,file={disk}", "-device", "virtio-blk-pci,drive=disk")
    empty_disk(disk)
    status, whole, errors = finish(start(folder, program, options, *more))
    check(status == 0 and "done" in whole, "with a disk: straight through", f"{status} {errors}")
    process = start(folder, program, options, *more)
    before = read_until(process, "part 3:")
    monitor = Monitor(folder)
    said = monitor.tell("savevm now") + monitor.tell("loadvm now") + monitor.tell("stop")
    monitor.tell("loadvm now")
    monitor.tell("cont")
    status, again, errors = finish(process)
    lines = (before + again).replace("\r", "")
    # From the snapshot on parts may come several times, each the same, and the rest as without.
    pattern = r"part \d+: \d+ bytes, sum 0x[0-9a-f]+, status 0x0, PM 0x0(?=\n)" # a line may be torn
    check(status == 0 and "Error" not in said and set(re.findall(pattern, lines)) == set(re.findall(pattern, whole)),
          "savevm and loadvm, twice: the same samples as without", f"{status} {said} {lines} {errors}")
    status, rest, errors = finish(start(folder, program, options, *more, "-loadvm", "now"))
    tail = rest[rest.find("\n") + 1:]
    check(status == 0 and tail.count("part") > 50 and whole.endswith(tail), "-loadvm: the same samples as without",
          f"{status} {rest} {errors}")


def test_refused(folder, program):
    options = VARIANTS[0][1]
    save(folder, program, options, "part 1:")
    with open(f"{folder}/saved", "rb") as file:
        data = file.read()
    at = data.rfind(b"\0SPEMUV1")
    check(at > 0, "the section is in the file")
    refused(folder, program, "a damaged section", data[:at + 5000] + bytes([data[at + 5000] ^ 1]) + data[at + 5001:],
            "the saved state of the SPUs is damaged; save it again")
    refused(folder, program, "a truncated section", data[:at + 3000], "the saved state of the SPUs is truncated; save it again")
    size = int.from_bytes(data[at - 8:at], "little")
    section = bytearray(data[at:at + size])
    section[24:29] = b"0.1.0"
    section[8:16] = fnv(section[16:]).to_bytes(8, "little")
    refused(folder, program, "another version", data[:at] + bytes(section) + data[at + size:],
            "is of another version of spemu; save it again")
    refused(folder, program, "other options", data, "saved with other options of spemu vm; use the same", ("--spe", "v1p1"))


def test_without_spu(folder):
    """A machine without a program, which takes exceptions for ever."""
    process = start(folder, None, None)
    path = os.path.join(folder, "monitor")
    for _ in range(SECONDS * 5):
        if os.path.exists(path):
            break
        time.sleep(0.2)
    monitor = Monitor(folder)
    monitor.tell(f"migrate file:{folder}/plain")
    monitor.socket.sendall(b"quit\n")
    finish(process)
    status, output, errors = finish(start(folder, None, VARIANTS[0][1], "-incoming", f"file:{folder}/plain"))
    check(status not in (0, None) and len(errors.splitlines()) == 1 and
          "what was saved has no state of SPUs; save it under spemu vm" in errors, "refused: saved without an SPU",
          f"{status} {output} {errors}")


def main():
    program = os.path.abspath(sys.argv[1])
    series.need_plugin()
    folder = tempfile.mkdtemp(prefix="spemu-state-")
    try:
        for name, options in VARIANTS:
            test_same(folder, program, name, options)
        test_snapshot(folder, program)
        test_refused(folder, program)
        test_without_spu(folder)
    finally:
        shutil.rmtree(folder)
    plan()


if __name__ == "__main__":
    main()
