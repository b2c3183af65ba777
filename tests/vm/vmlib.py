# SPDX-License-Identifier: MIT
"""Helpers of the tests with a guest: boot Linux under `spemu vm`, and read its perf.data.

The paths come from the environment: SPEMU, SPEMU_PLUGIN, SPEMU_VM_PLUGIN, the variables of
series.py, and SPEMU_VM_GUEST. SPEMU_VM_GUEST is the folder for the files of scripts/fetch guest.
The folder of another Debian release is next to it: SPEMU_VM_GUEST-trixie.
"""
import json
import os
import re
import struct
import subprocess
import time

import pytest

import series
from clilib import COMPILER, ENVIRONMENT, ROOT, SPEMU

QEMU = series.FOLDER
IMAGE = os.environ.get("SPEMU_VM_GUEST", str(ROOT / "build/guest"))


def run(*command, timeout=300, env=None):
    return subprocess.run([str(c) for c in command], env=dict(ENVIRONMENT, **(env or {})),
                          stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace", timeout=timeout, check=False)


def prepare(release=None):
    """Prepare QEMU and the guest, and return the guest. Skip the test if this is not possible."""
    image = f"{IMAGE}-{release}" if release else IMAGE
    for name, *arguments in (("qemu-system", None if series.OTHER else QEMU),
                             ("guest", *(("--release", release) if release else ()), image)):
        if not arguments[-1]:
            continue
        made = run(os.path.join(ROOT, "scripts/fetch"), name, *arguments, timeout=900)
        if made.returncode:
            pytest.skip((made.stderr.strip().splitlines() or [name])[-1])
    return image


def compile_c(folder, source, *flags):
    """Compile a static program in the folder. It has the name of its source."""
    program = os.path.join(folder, os.path.basename(source)[:-2])
    subprocess.run([COMPILER, "-g", "-O2", "-static", "-pthread", "-Wall", "-Werror", source, "-o",
                    program, *flags], check=True)
    return program


class Guest:
    """The results of a boot: console, errors of spemu vm, exit status, and files in the folder."""

    def __init__(self, folder, console, errors, status, seconds):
        self.folder, self.console, self.errors = folder, console, errors
        self.status, self.seconds = status, seconds

    def path(self, name):
        return os.path.join(self.folder, name)

    def text(self, name):
        try:
            with open(self.path(name), errors="replace") as f:
                return f.read()
        except FileNotFoundError:
            return ""

    def trace(self, *types):
        """Return the JSON lines of --trace trace.json, all or of some types."""
        begins = tuple(f'{{"type":"{name}"' for name in types) or "{"
        with open(self.path("trace.json")) as f:
            return [json.loads(line) for line in f if line.startswith(begins)]


def boot(folder, script, *, smp=2, machine="virt", cpu="max,pauth-impdef=on", memory="1G",
         options=(), append="", timeout=240, image=IMAGE):
    """Boot Linux. `folder` is its /host, and `script`, for sh, is its work. The guest powers off at
    the end of the script."""
    with open(os.path.join(folder, "run"), "w") as f:
        f.write(script)
    command = [SPEMU, "vm", "--qemu", f"{QEMU}/bin/qemu-system-aarch64", *options, "--",
               "-M", machine, "-cpu", cpu, "-smp", str(smp), "-m", memory, "-nographic",
               "-nic", "none", "-kernel", f"{image}/vmlinuz", "-initrd", f"{image}/initrd",
               "-virtfs", f"local,path={folder},mount_tag=host,security_model=none",
               "-append", f"console=ttyAMA0 quiet spemu.share spemu.run=\"sh /host/run\" {append}"]
    begin = time.monotonic()
    process = subprocess.Popen([str(c) for c in command], env=ENVIRONMENT,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, errors="replace")
    try:
        console, errors = process.communicate(timeout=timeout)
        status = process.returncode
    except subprocess.TimeoutExpired:
        process.terminate()
        console, errors = process.communicate()
        status = f"stopped after {timeout} s"
    seconds = time.monotonic() - begin
    return Guest(folder, console.replace("\r", ""), errors, status, seconds)


def ran(guest, name):
    """Check that the script of the guest ended with status 0."""
    print(f"{name}: {guest.seconds:.1f} s")
    assert guest.status == 0 and "spemu.run: exit status 0" in guest.console, \
        f"{name}: the guest runs to its end\nstatus {guest.status}\n{guest.errors}\n{guest.console[-2500:]}"


# In perf's tests, perf gets one second until it handles SIGUSR2, which would end it before that. If the guest is
# slower, the tests run again with more time.
PERF_TEST = """
test=/usr/lib/perf-core/tests/shell/{0}.sh
sh $test >/host/{0} 2>&1
status=$?
if [ $status -ne 0 ]; then
	sed 's/sleep 1$/sleep 5/' $test >test.sh
	sh test.sh >>/host/{0} 2>&1
	status=$?
fi
echo $status >>/host/{0}
"""


def check_perf_test(guest, test, name):
    """Check the test of perf that PERF_TEST ran."""
    said = guest.text(test)
    assert said.splitlines()[-1:] == ["0"], f"{name}: perf's {test}.sh passes\n{said}"


# docs/reference/strict-mode.md, "Linux in a virtual machine": a kernel that profiles a CPU continues to do so across
# context switches.
EXPLAINED = {("context-switched-in-flight", register)
             for register in ("CONTEXTIDR_EL1", "CONTEXTIDR_EL2", "TTBR0_EL1", "TTBR0_EL2",
                              "TTBR1_EL1", "TTBR1_EL2")}


def check_strict(guest, name, explained=EXPLAINED, inside=(0, 0)):
    """Check that strict mode reports exactly the explained pairs (diagnostic, register), and
    rejects only register accesses at PCs of a nested guest."""
    trace = guest.trace("access", "diagnostic")
    told = {(e["name"], next(iter(e["values"]), "")) for e in trace if e["type"] == "diagnostic"}
    assert told <= explained, f"{name}: strict mode reports only explained diagnostics\n{sorted(told - explained)}"
    print(f"{name}: {sum(e['type'] == 'diagnostic' for e in trace)} reports")
    refused = [e for e in trace if e["type"] == "access" and e["outcome"] != "ok"
               and not inside[0] <= int(e["pc"], 16) < inside[1]]
    assert not refused, f"{name}: no register access of the kernel is rejected\n{refused[:5]}"


# perf.data: record types, and flags of PERF_RECORD_AUX, from perf_event.h. perf's own types begin
# at 64.
TYPE_AUX, TYPE_AUXTRACE, HEADER_SIZE = 11, 71, 104
AUX_TRUNCATED, AUX_OVERWRITE, AUX_COLLISION = 1, 2, 8


def start_in_guest(folder, command, *options, **more):
    """Start spemu vm --run COMMAND in a folder. Return the process."""
    return subprocess.Popen([SPEMU, "vm", "--qemu", f"{QEMU}/bin/qemu-system-aarch64", "--run", command,
                             *options], cwd=folder, env=dict(ENVIRONMENT, SPEMU_VM_GUEST=IMAGE),
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)


def of_page(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as page:
        return page.read()


def probed(text):
    """Return (CPUs, max_record_sz, align, features) from the driver's first probe line. The
    features are the six of Linux 6.1."""
    found = re.search(r"probed (?:SPEv1\.\d )?for CPUs ([\d-]+) \[max_record_sz (\d+), align (\d+), features (0x[0-9a-f]+)\]", text)
    return found and (found[1], int(found[2]), int(found[3]), int(found[4], 16) & 0x3f)


def run_in_guest(folder, command, *options, data=None):
    """Run a command in the guest, with `data` as input unless it is None. Return (status, output,
    errors)."""
    begin = time.monotonic()
    child = start_in_guest(folder, command, *options, stdin=subprocess.DEVNULL if data is None else subprocess.PIPE)
    output, errors = child.communicate(data, timeout=600)
    print(f"{command.strip().splitlines()[0][:50]}: {time.monotonic() - begin:.1f} s")
    return child.returncode, output.decode(errors="replace"), errors.decode(errors="replace")


def events(path):
    """Yield (type, misc, body) of each record in a perf.data file."""
    with open(path, "rb") as f:
        data = f.read()
    if data[:8] != b"PERFILE2" or len(data) < HEADER_SIZE:
        return
    at, size = struct.unpack_from("<QQ", data, 40)
    end = at + size
    while at + 8 <= end:
        kind, misc, length = struct.unpack_from("<IHH", data, at)
        if length < 8:
            return
        yield kind, misc, data[at + 8:at + length]
        if kind == TYPE_AUXTRACE:
            length += struct.unpack_from("<Q", data, at + 8)[0]
        at += length


def aux_flags(path):
    """Return all PERF_RECORD_AUX flags of the file, or-ed together. The result is 0 if nothing was
    lost."""
    flags = 0
    for kind, _, body in events(path):
        if kind == TYPE_AUX:
            flags |= struct.unpack_from("<Q", body, 16)[0]
    return flags & ~0xff00  # the bits of the trace format


def records(path, queues=()):
    """Return the SPE records of a perf.data file as spemu dump prints them, and the warnings of
    spemu dump. `queues` selects queues, which are CPUs for perf."""
    parts = [run(SPEMU, "dump", "--records", "--json", *which, path)
             for which in ([("--queue", q) for q in queues] or [()])]
    lines = [json.loads(line) for part in parts for line in part.stdout.splitlines()]
    for r in lines:
        for key in ("pc", "va", "pa", "target"):
            if key in r:
                r[key] = int(r[key], 16)
    return lines, "".join(part.stderr or f"status {part.returncode}\n" for part in parts
                          if part.stderr or part.returncode)


def symbols(program):
    """Return sorted [(address, size, name)] of the functions and objects, from binutils."""
    out = run("aarch64-linux-gnu-nm", "-S", program).stdout
    rows = [line.split() for line in out.splitlines()]
    return sorted((int(r[0], 16), int(r[1], 16), r[3]) for r in rows if len(r) == 4)


def segments(program):
    """Return [(first, end, flags)] of each LOAD segment, from binutils."""
    out = run("aarch64-linux-gnu-readelf", "-lW", program).stdout
    found = re.findall(r"^\s+LOAD\s+\S+\s+(\S+)\s+\S+\s+\S+\s+(\S+)\s+(R.[E ])", out, re.M)
    return [(int(v, 16), int(v, 16) + int(m, 16), f) for v, m, f in found]


def symbol_of(table, address):
    for first, size, name in table:
        if first <= address < first + size:
            return name
    return None
