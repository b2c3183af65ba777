# SPDX-License-Identifier: MIT
"""`spemu export` gives each load and store its type. These tests compare the types with the truth that the programs of
tests/types write.

The quick test uses a few variants of the C programs. SPEMU_TEST_ALL=1 adds every compiler, optimization level, kind of
executable and program.
"""
import collections
import itertools
import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from clilib import BUILD, ROOT, SPEMU, run, spemu

pytest.importorskip("elftools", reason="needs python3-pyelftools")
sys.path.insert(0, str(ROOT / "tests/types"))
import judge  # noqa: E402
import packages  # noqa: E402

AGREEMENT = 99.0  # percent of the strong answers about known objects
# percent of the loads and stores in code with debugging information, by language or program
TYPED = {"c": 95.0, "cpp": 95.0, "rs": 85.0, "sqlite": 85.0}
CONFLICTS = 0.5  # percent of the addresses for which two sources have strong answers
NOT_SAVED = 0.5  # percent of loads and stores that are called a saved register and are something else
FEWEST = 3000  # samples of a program

ALL = bool(os.environ.get("SPEMU_TEST_ALL"))
FOLDER = ROOT / "tests/types"
SYSROOT = "/usr/aarch64-linux-gnu"
LEVELS = ("-O0", "-O1", "-O2", "-O3")
LINKS = {"static": ("-static",), "pie": ("-fPIE", "-pie")}
COMPILERS = {("gcc", "c"): ("aarch64-linux-gnu-gcc",), ("gcc", "cpp"): ("aarch64-linux-gnu-g++",),
             ("clang", "c"): ("clang", "--target=aarch64-linux-gnu"),
             ("clang", "cpp"): ("clang++", "--target=aarch64-linux-gnu", "-fstandalone-debug")}
RECORD = ("-q", "-c", "1000", "--machine", "none", "-L", SYSROOT)
OPTIONS = {"heap": ("--heap",), "heap and stacks": ("--heap", "-g"), "plain": ()}  # more of spemu record
QUICK = [("structs.c", "gcc", "-O2", "static"), ("structs.c", "gcc", "-O0", "pie")]
PROGRAMS = ("structs.c", "containers.cpp", "classes.cpp")
SOURCES = BUILD / "types-sources"  # of Debian's programs
RUST = BUILD / "rust-sysroot"  # Debian's standard library of Rust for arm64
RUST_TARGET = "aarch64-unknown-linux-gnu"


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


@pytest.fixture(scope="module")
def rust(tmp_path_factory):
    """Return the command of a rustc that can build for the target. Debian's rustc gets Debian's library for arm64."""
    empty = tmp_path_factory.mktemp("rust") / "empty.rs"
    empty.write_text("fn main() {}\n")
    said = "rustc is not installed"
    for name in ("rustc", "/usr/bin/rustc"):
        if shutil.which(name) is None:
            continue
        sysroot = ()
        if name.startswith("/"):
            said = run(ROOT / "scripts/fetch", "sysroot", RUST, "libstd-rust-dev", timeout=None).stderr.strip()
            sysroot = ("--sysroot", RUST / "usr")
        command = (name, "--target", RUST_TARGET, *sysroot, "-C", "linker=aarch64-linux-gnu-gcc", "-g")
        made = run(*command, "-o", empty.with_suffix(""), empty)
        if made.returncode == 0:
            return command
        said = said or made.stderr.splitlines()[0]
    pytest.skip(f"no rustc builds for {RUST_TARGET}: {said}")


def compile_rust(folder, rust, level, link):
    path = folder / f"structures-rustc{level}-{link}"
    static = ("-C", "target-feature=+crt-static") if link == "static" else ()
    made = run(*rust, "-C", f"opt-level={level[2:]}", *static, "-o", path, FOLDER / "structures.rs", timeout=300)
    assert made.returncode == 0, made.stderr
    return path


def record(folder, program, *options):
    """Record the program. Return the recording and the truth."""
    data, truth = folder / "types.data", folder / "types.truth"
    result = spemu("record", *RECORD, "-o", data, *options, "--", program, truth, timeout=300)
    assert (result.returncode, result.stderr) == (0, ""), f"{program.name} {options}: it is recorded"
    return data, truth


@pytest.fixture
def layouts_of():
    """Return a function that reads the types of a program."""
    opened = {}

    def read(program):
        if program not in opened:
            opened[program] = judge.Layouts(program)
        return opened[program]
    yield read
    for layouts in opened.values():
        layouts.close()


def verdict_of(folder, layouts, program, *options):
    data, truth = record(folder, program, *options)
    return judge.verdict_of(SPEMU, layouts, program, data, truth, ("-L", SYSROOT))


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


def check_saved(what, program, verdict):
    """Check that slots of saved registers are not in known objects, and that SP or the frame pointer addresses them."""
    saved = [s for s in verdict.own if s.answer and s.answer.source == judge.SAVED]
    listing = run("aarch64-linux-gnu-objdump", "-d", "--no-show-raw-insn", program).stdout
    code = {int(m[1], 16): m[2] for m in re.finditer(r"^ *([0-9a-f]+):\t(.*)", listing, re.M)}
    other = collections.Counter(f"{s.symbol}: {code[s.pc]}" for s in saved if s.objects or
                                not re.search(r"\[(sp|x29)", code[s.pc]))
    wrong = sum(other.values())
    print(f"{what}: {wrong} of {len(saved)} slots of saved registers are something else: {other.most_common(3)}")
    assert wrong <= NOT_SAVED / 100 * len(verdict.own), f"{what}: slots of saved registers"


def check(what, verdict, language, whole=True):
    """Check the figures of a recording, and print them. The share is not checked unless `whole`."""
    print(f"{what}: {verdict.summary()}", *verdict.worst(), sep="\n")
    assert verdict.sampled >= FEWEST, f"{what}: enough samples"
    assert not verdict.bases, f"{what}: data_base is the address less data_offset\n{verdict.bases[:3]}"
    if verdict.agreement() is not None:
        assert verdict.agreement() >= AGREEMENT, f"{what}: the answers agree with the truth"
    assert verdict.conflicts <= CONFLICTS / 100 * verdict.compared, f"{what}: sources contradict each other"
    if whole:
        assert verdict.share() >= TYPED[language], f"{what}: the share of loads and stores with a type"


@pytest.mark.parametrize("level", ("-O0", "-O2"))
def test_datasym(tmp_path, layouts_of, level):
    """Both members of perf's workload datasym are found, each with its share."""
    program = compile_program(tmp_path, "datasym.c", "gcc", level, "static")
    verdict = verdict_of(tmp_path, layouts_of(program), program)
    own = [s for s in verdict.own if s.symbol == "change_members" and s.objects]
    found = {m: sum(1 for s in own if s.answer and (s.answer.type, s.answer.member) == ("struct buffer", m))
             for m in ("data1", "data2")}
    print(f"datasym {level}: {len(own)} samples: {found}")
    assert len(own) > 5000 and sum(found.values()) == len(own), f"{level}: every sample is of a member"
    # A round loads data1 three times and stores it once; it loads and stores data2 once.
    assert abs(found["data1"] / len(own) - 4 / 6) < 0.03, f"{level}: the shares of the members"
    assert {s.answer.source for s in own} <= {"static", "register"}, f"{level}: the source"
    assert verdict.agreement() == 100, f"{level}: the truth"


def judge_program(tmp_path, layouts, program, source):
    for name, options in OPTIONS.items() if ALL else (("heap", OPTIONS["heap"]),):
        what = f"{program.name} ({name})"
        verdict = verdict_of(tmp_path, layouts, program, *options)
        check(what, verdict, source.split(".")[1], whole="--heap" in options)
        check_lines(what, verdict, source)
        check_saved(what, program, verdict)


def test_layout(tmp_path):
    """The layout has the members of the section "members" under the same names, at the same offsets."""
    data, _ = record(tmp_path, compile_program(tmp_path, "structs.c", "gcc", "-O2", "static"), "--heap")
    told = json.loads(spemu("report", "--json", "--section", "members,layout", "--limit", "0", data).stdout)
    rows = {(r["data_type"], r["data_member"]): range(r["type_offset"], r["type_offset"] + r["size"])
            for r in told["layout"] if r["type_offset"] is not None}
    shown = {name for name, _ in rows}
    # An access may begin inside a member, as that of a sort that swaps bytes. A flexible array has no size.
    lost = [(r["data_type"], r["data_member"], r["type_offset"]) for r in told["members"]
            if r["data_type"] in shown and r["data_member"] and "[]" not in r["data_member"] and
            "weak" not in r["type_source"] and
            r["type_offset"] not in rows.get((r["data_type"], r["data_member"]), ())]
    assert len(shown) > 10 and not lost, f"members without a row in the layout\n{lost}"


def test_without_debugging_information(tmp_path):
    """Without types, `--section types` says what is missing, and a whole report has no such section."""
    program = compile_program(tmp_path, "datasym.c", "gcc", "-O2", "static")
    run("aarch64-linux-gnu-strip", "-g", program)
    data, _ = record(tmp_path, program)
    told = spemu("report", "--section", "types", data).stdout
    assert "no type is known; build the program with -g" in " ".join(told.replace("#", " ").split()), told
    assert "\n# Data types\n" not in spemu("report", data).stdout, "an empty section is left out"


def sources_of(data, program):
    """Return how many loads and stores of the program each source types."""
    return collections.Counter(r["type_source"] for r in judge.export(SPEMU, str(data))
                               if r["va"] and r["object"] == program.name)


def check_divided(tmp_path, program):
    """Check that the types are found as in a program whose debugging information is whole."""
    data, _ = record(tmp_path, program, "--heap")
    found = sources_of(data, program)
    print(f"{program.name}: {found}")
    assert {"register", "static", "thread-local", "stack"} <= set(found), f"{program.name}: the sources"
    assert found[""] + found["weak"] <= 0.1 * sum(found.values()), f"{program.name}: the share"


@pytest.mark.parametrize("compiler, version", itertools.product(("gcc", "clang"), (4, 5)) if ALL else [("gcc", 5)])
def test_split_dwarf(tmp_path, compiler, version):
    """Types are read from .dwo files of DWARF 4 and 5."""
    program = tmp_path / f"structs-{compiler}-{version}"
    command = COMPILERS[compiler, "c"]
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    made = run(*command, f"-gdwarf-{version}", "-gsplit-dwarf", "-O2", "-pthread", "-static", "-o", program,
               FOLDER / "structs.c", cwd=tmp_path)
    if made.returncode and compiler != "gcc":
        pytest.skip(f"clang cannot build for aarch64: {made.stderr.splitlines()[0]}")
    assert made.returncode == 0 and list(tmp_path.glob("*.dwo")), made.stderr
    check_divided(tmp_path, program)


@pytest.mark.skipif(not ALL, reason="one of the long tests")
@pytest.mark.skipif(not shutil.which("dwz"), reason="needs dwz")
@pytest.mark.parametrize("version", (4, 5))
def test_dwz(tmp_path, version):
    """Types are read from the file into which dwz moves what programs share."""
    programs = [tmp_path / "one", tmp_path / "two"]
    for program in programs:
        made = run(*COMPILERS["gcc", "c"], f"-gdwarf-{version}", "-O2", "-pthread", "-static", "-o", program,
                   FOLDER / "structs.c")
        assert made.returncode == 0, made.stderr
    shared = tmp_path / "shared.debug"
    made = run("dwz", "-m", shared, "-M", shared, *programs)
    assert made.returncode == 0 and shared.exists(), made.stderr
    check_divided(tmp_path, programs[0])


@pytest.mark.parametrize("source, compiler, level, link",
                         itertools.product(PROGRAMS, ("gcc", "clang"), LEVELS, LINKS) if ALL else QUICK)
def test_truth(tmp_path, layouts_of, source, compiler, level, link):
    program = compile_program(tmp_path, source, compiler, level, link)
    judge_program(tmp_path, layouts_of(program), program, source)


@pytest.mark.skipif(not ALL, reason="one of the long tests")
@pytest.mark.parametrize("level, link", itertools.product(LEVELS, LINKS))
def test_rust(tmp_path, layouts_of, rust, level, link):
    program = compile_rust(tmp_path, rust, level, link)
    judge_program(tmp_path, layouts_of(program), program, "structures.rs")


@pytest.mark.skipif(not ALL, reason="one of the long tests")
@pytest.mark.parametrize("name", packages.PACKAGES)
def test_package(tmp_path, layouts_of, name):
    """Programs of Debian: the share of loads and stores that have a type."""
    made = run(ROOT / "scripts/fetch", "types-sources", SOURCES, timeout=None)
    if made.returncode:
        pytest.skip(made.stderr.strip())
    program, command = packages.build(name, SOURCES, tmp_path)
    data = tmp_path / "types.data"
    result = spemu("record", *RECORD, "-o", data, *OPTIONS["heap and stacks"], "--", *command, text=False, timeout=300)
    assert (result.returncode, result.stderr) == (0, b""), f"{name}: it is recorded"
    verdict = judge.verdict_of(SPEMU, layouts_of(program), program, data, None, ("-L", SYSROOT))
    check(name, verdict, name if name in TYPED else "c")
    check_saved(name, program, verdict)
