# SPDX-License-Identifier: MIT
"""The types that `spemu export` gives to loads and stores, compared with what the programs of tests/types know.

The quick test uses a few variants of the C programs. SPEMU_TEST_ALL=1 adds every compiler, optimization level, kind of
executable and program.
"""
import itertools
import os
import re
import shutil
import subprocess
import sys

import pytest

from clilib import ROOT, SPEMU, spemu

pytest.importorskip("elftools", reason="needs python3-pyelftools")
sys.path.insert(0, str(ROOT / "tests/types"))
import judge  # noqa: E402

AGREEMENT = 99.0  # percent of the strong answers about known objects
TYPED = {"c": 95.0, "cpp": 95.0, "rs": 85.0}  # percent of loads and stores in code with debugging information
CONFLICTS = 0.5  # percent of the addresses for which two sources have strong answers
FEWEST = 3000  # samples of a program

ALL = bool(os.environ.get("SPEMU_TEST_ALL"))
FOLDER = ROOT / "tests/types"
SYSROOT = "/usr/aarch64-linux-gnu"
LEVELS = ("-O0", "-O1", "-O2", "-O3")
LINKS = {"static": ("-static",), "pie": ("-fPIE", "-pie")}
COMPILERS = {("gcc", "c"): ("aarch64-linux-gnu-gcc",), ("gcc", "cpp"): ("aarch64-linux-gnu-g++",),
             ("clang", "c"): ("clang", "--target=aarch64-linux-gnu"),
             ("clang", "cpp"): ("clang++", "--target=aarch64-linux-gnu")}
OPTIONS = {"heap": ("--heap",), "heap and stacks": ("--heap", "-g"), "plain": ()}  # of spemu record
QUICK = [("structs.c", "gcc", "-O2", "static"), ("structs.c", "gcc", "-O0", "pie")]
PROGRAMS = ("structs.c",)


def compile_program(folder, source, compiler, level, link):
    """Return the path of the program. Skip the test if the compiler cannot build it."""
    path = folder / f"{source.split('.')[0]}-{compiler}{level}-{link}"
    command = COMPILERS[compiler, source.split(".")[1]]
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    made = subprocess.run([*command, "-g", level, "-pthread", *LINKS[link], "-o", path, FOLDER / source],
                          capture_output=True, text=True, check=False)
    if made.returncode and compiler != "gcc":
        pytest.skip(f"{command[0]} cannot build for aarch64: {made.stderr.splitlines()[0]}")
    assert made.returncode == 0, made.stderr
    return path


def record(folder, program, *options):
    """Record the program. Return the recording and the truth."""
    data, truth = folder / "types.data", folder / "types.truth"
    result = spemu("record", "-q", "-c", "1000", "--machine", "none", "-L", SYSROOT, "-o", data, *options, "--", program, truth,
                   timeout=300)
    assert (result.returncode, result.stderr) == (0, ""), f"{program.name} {options}: it is recorded"
    return data, truth


def verdict_of(folder, program, *options):
    data, truth = record(folder, program, *options)
    return judge.verdict_of(SPEMU, str(program), str(data), str(truth), ("-L", SYSROOT))


@pytest.fixture(scope="module", autouse=True)
def exported(tmp_path_factory):
    """Skip the tests if the export has no types."""
    folder = tmp_path_factory.mktemp("exported")
    data, _ = record(folder, compile_program(folder, "datasym.c", "gcc", "-O2", "static"))
    rows = judge.export(SPEMU, str(data))
    if not set(judge.COLUMNS) <= set(rows.fieldnames):
        pytest.skip("spemu export has no column data_type")


def check_lines(what, verdict, source):
    """Check the members of lines that have a comment `member: NAME`."""
    wanted = {}
    for number, line in enumerate((FOLDER / source).read_text(encoding="utf-8").splitlines(), 1):
        if m := re.search(r"member: (\S+)", line):
            wanted[str(number)] = m[1]
    right = wrong = 0
    for s in verdict.everything:
        if os.path.basename(s.file) == source and s.line in wanted and s.objects and judge.strong(s):
            agrees = s.answer.member.endswith(wanted[s.line])
            right, wrong = right + agrees, wrong + (not agrees)
    assert 100 * wrong <= (100 - AGREEMENT) * (right + wrong), f"{what}: the member of each line with a comment"


def check(what, verdict, language, whole=True):
    """Check the figures of a recording, and print them. The share is not checked unless `whole`."""
    print(f"{what}: {verdict.summary()}", *verdict.worst_lines, sep="\n")
    assert verdict.sampled >= FEWEST, f"{what}: enough samples"
    assert not verdict.bases, f"{what}: data_base is the address less data_offset\n{verdict.bases[:3]}"
    if verdict.agreement() is not None:
        assert verdict.agreement() >= AGREEMENT, f"{what}: the answers agree with the truth"
    assert verdict.conflicts <= CONFLICTS / 100 * verdict.compared, f"{what}: sources contradict each other"
    if whole:
        assert verdict.share() >= TYPED[language], f"{what}: the share of loads and stores with a type"


@pytest.mark.parametrize("level", ("-O0", "-O2"))
def test_datasym(tmp_path, level):
    """Both members of perf's workload datasym are found, each with its share."""
    verdict = verdict_of(tmp_path, compile_program(tmp_path, "datasym.c", "gcc", level, "static"))
    own = [s for s in verdict.own if s.symbol == "change_members" and s.objects]
    found = {m: sum(1 for s in own if s.answer and (s.answer.type, s.answer.member) == ("struct buffer", m))
             for m in ("data1", "data2")}
    print(f"datasym {level}: {len(own)} samples: {found}")
    assert len(own) > 5000 and sum(found.values()) == len(own), f"{level}: every sample is of a member"
    # A round loads data1 three times and stores it once; it loads and stores data2 once.
    assert abs(found["data1"] / len(own) - 4 / 6) < 0.03, f"{level}: the shares of the members"
    assert {s.answer.source for s in own} <= {"static", "register"}, f"{level}: the source"
    assert verdict.agreement() == 100, f"{level}: the truth"


@pytest.mark.parametrize("source, compiler, level, link",
                         itertools.product(PROGRAMS, ("gcc", "clang"), LEVELS, LINKS) if ALL else QUICK)
def test_truth(tmp_path, source, compiler, level, link):
    program = compile_program(tmp_path, source, compiler, level, link)
    for name, options in OPTIONS.items() if ALL else (("heap", OPTIONS["heap"]),):
        what = f"{program.name} ({name})"
        verdict = verdict_of(tmp_path, program, *options)
        check(what, verdict, source.split(".")[1], whole="--heap" in options)
        check_lines(what, verdict, source)
