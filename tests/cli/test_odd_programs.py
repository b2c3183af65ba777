#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs that behave oddly run under spemu record as they do under plain qemu-aarch64: same output, same end.

usage: test_odd_programs.py SOURCE_ROOT [all]

The scenes are in tests/qemu-user/odd. Each is run plain and recorded. With "all" it is recorded with every combination of
options that makes sense, two scenes at a time; without, with one combination. SPEMU_TEST_SCENE=NAME runs one scene.
"""
import concurrent.futures
import glob
import itertools
import os
import shutil
import subprocess
import sys

from clilib import COMPILER, ENVIRONMENT, SPEMU, Folder, check, child_setup, done

ROOT, ALL = sys.argv[1], "all" in sys.argv[2:]
QEMU = ENVIRONMENT.get("SPEMU_QEMU", "qemu-aarch64")
SECONDS = 120

# What the scenes that execute a program print, and their exit status. Plain qemu-aarch64 executes AArch64 programs only where
# the kernel hands them to it (binfmt_misc), so these are what Linux does.
EXECUTING = {
    "deleted_program": ("deleted\nchild ended with 11\n", 0),
    "exec_chain": ("".join(f"link {n}\n" for n in range(6)), 7),
    "exec_descriptor": ("child ended with 2\n", 0),
    "exec_from_thread": ("", 5),
    "exec_many_arguments": ("70000 arguments, 70000 bytes, 0 variables\nchild ended with 0\n"
                            "0 arguments, 0 bytes, 2 variables\nchild ended with 0\n", 0),
    "exec_memory_file": ("child ended with 3\n", 0),
    "exec_script": ("3 arguments, 14 bytes, 0 variables\nchild ended with 0\n", 0),
    "exec_too_large": ("7\n7\n10 arguments, 999990 bytes, 0 variables\nchild ended with 0\n", 0),
    "limit_stack": ("0\nchild ended with 3\n", 0),
    "long_environment": ("2 arguments, 20 bytes, 2 variables\nchild ended with 0\n", 0),
    "program_path": ("1\n", 4),
    "spawn_many": ("8\n", 0),
    "vfork_exec": (3 * "child ended with 7\n", 0),
}

STACKS = ((), ("-g",), ("--call-graph", "fp"))
HEAP = ((), ("--heap",))
TURNS = ((), ("--interleave", "50"))
TIMING = ((), ("--machine", "none"), ("--fidelity", "sampled"))
REGION = ((), ("--region", "busy"))


QUICK = (("--call-graph", "fp", "--machine", "none"), ("-g", "--heap", "--interleave", "50", "--fidelity", "sampled"))


def combinations(number):
    """The options of each recording of the scene with that number."""
    if not ALL:
        return [QUICK[number % len(QUICK)]]
    return [tuple(word for part in parts for word in part)
            for parts in itertools.product(STACKS, HEAP, TURNS, TIMING, REGION)]


def run(folder, command):
    """Return (standard output, standard error, status) of a command in an empty folder."""
    work = folder("work")
    shutil.rmtree(work, ignore_errors=True)
    os.mkdir(work)
    with open(folder("error"), "w+b") as error:  # what is left behind may keep it open
        try:
            result = subprocess.run([str(c) for c in command], env=ENVIRONMENT, cwd=work, stdin=subprocess.DEVNULL,
                                    stdout=subprocess.PIPE, stderr=error, timeout=SECONDS, preexec_fn=child_setup(), check=False)
        except subprocess.TimeoutExpired as late:
            return (late.stdout or b"").decode(errors="replace"), "", f"stopped after {SECONDS} s"
        error.seek(0)
        return result.stdout.decode(errors="replace"), error.read().decode(errors="replace"), result.returncode


def told(result):
    return f"  status {result[2]}\n  output {result[0]!r}\n  errors {result[1]!r}"


def differences(program, number, scene):
    """Return (how many recordings there are, what is different in them)."""
    with Folder() as folder:
        plain = run(folder, [QEMU, program, scene])
        if scene in EXECUTING:
            plain = (EXECUTING[scene][0], plain[1], EXECUTING[scene][1])
        different = []
        tries = combinations(number)
        for options in tries:
            recorded = run(folder, [SPEMU, "record", "-q", "-c", "512", "--seed", "1", *options, "-o", folder("data"), "--",
                                    program, scene])
            if recorded != plain:
                different.append(f"{' '.join(options) or 'no options'}:\n{told(recorded)}")
        return len(tries), different and "\n".join([f"plain:\n{told(plain)}", *different[:4]])


def build(folder):
    program = folder("odd")
    subprocess.run([COMPILER, "-g", "-O1", "-static", "-pthread", "-w", "-o", program,
                    *sorted(glob.glob(os.path.join(ROOT, "tests/qemu-user/odd/*.c")))], check=True)
    return program


with Folder() as folder, concurrent.futures.ThreadPoolExecutor(2 if ALL else 1) as pool:
    program = build(folder)
    scenes = subprocess.run([QEMU, program], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stdout.split()
    check(len(scenes) >= 40, f"{len(scenes)} odd programs")
    wanted = [(n, s) for n, s in enumerate(scenes) if os.environ.get("SPEMU_TEST_SCENE", s) == s]
    for (_, scene), (count, different) in zip(wanted, pool.map(lambda one: differences(program, *one), wanted)):
        check(not different, f"{scene}: {count} recordings run as the plain program does", different or "")
done()
