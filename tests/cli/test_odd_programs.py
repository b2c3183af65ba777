# SPDX-License-Identifier: MIT
"""Programs that behave oddly run the same under spemu record and under plain qemu-aarch64: same output, same end.

The scenes are in tests/qemu-user/odd. Each is run plain and recorded. By default, it is recorded
with one combination of options. With SPEMU_TEST_ALL, it is recorded with every useful combination,
two scenes at a time. -k NAME runs one scene.
"""
import concurrent.futures
import itertools
import os
import re
import shutil
import subprocess
import tempfile

import pytest

from clilib import COMPILER, ENVIRONMENT, ROOT, SPEMU, child_setup

ALL = "SPEMU_TEST_ALL" in os.environ
QEMU = ENVIRONMENT.get("SPEMU_QEMU", "qemu-aarch64")
SECONDS = 120

# Expected output and exit status of the scenes that execute a program. Plain qemu-aarch64 executes AArch64 programs
# only through binfmt_misc, so the values are those of Linux.
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
    """Return the options for each recording of the scene with this number."""
    if not ALL:
        return [QUICK[number % len(QUICK)]]
    return [tuple(word for part in parts for word in part)
            for parts in itertools.product(STACKS, HEAP, TURNS, TIMING, REGION)]


def run(folder, command):
    """Return (standard output, standard error, status) of a command in an empty folder."""
    work = f"{folder}/work"
    shutil.rmtree(work, ignore_errors=True)
    os.mkdir(work)
    with open(f"{folder}/error", "w+b") as error:  # a process that is left behind may keep it open
        try:
            result = subprocess.run([str(c) for c in command], env=ENVIRONMENT, cwd=work, stdin=subprocess.DEVNULL,
                                    stdout=subprocess.PIPE, stderr=error, timeout=SECONDS, preexec_fn=child_setup(), check=False)
        except subprocess.TimeoutExpired as late:
            return (late.stdout or b"").decode(errors="replace"), "", f"stopped after {SECONDS} s"
        error.seek(0)
        return result.stdout.decode(errors="replace"), error.read().decode(errors="replace"), result.returncode


def told(result):
    return f"  status {result[2]}\n  output {result[0]!r}\n  errors {result[1]!r}"


SCENES = re.findall(r"^X\((\w+)\)", (ROOT / "tests/qemu-user/odd/scenes.inc").read_text(), re.M)


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    path = tmp_path_factory.mktemp("odd") / "odd"
    subprocess.run([COMPILER, "-g", "-O1", "-static", "-pthread", "-w", "-o", path, *sorted((ROOT / "tests/qemu-user/odd").glob("*.c"))],
                   check=True)
    return path


def test_scenes(program):
    said = subprocess.run([QEMU, program], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stdout.split()
    assert said == SCENES and len(SCENES) >= 40


@pytest.mark.parametrize("number, scene", enumerate(SCENES), ids=SCENES)
def test_recorded(tmp_path, program, number, scene):
    """Every recording of the scene runs as the plain program does."""
    plain = run(tmp_path, [QEMU, program, scene])
    if scene in EXECUTING:
        plain = (EXECUTING[scene][0], plain[1], EXECUTING[scene][1])

    def recorded(options):
        folder = tempfile.mkdtemp(dir=tmp_path)
        return run(folder, [SPEMU, "record", "-q", "-c", "512", "--seed", "1", *options, "-o", f"{folder}/data", "--", program, scene])
    tries = combinations(number)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for options, result in zip(tries, pool.map(recorded, tries)):
            assert result == plain, f"{' '.join(options) or 'no options'}:\n{told(result)}\nplain:\n{told(plain)}"
