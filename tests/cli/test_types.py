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

import browser
from clilib import BUILD, ROOT, SPEMU, run, spemu

pytest.importorskip("elftools", reason="needs python3-pyelftools")
sys.path.insert(0, str(ROOT / "tests/types"))
import judge  # noqa: E402
import packages  # noqa: E402
from test_export import Pprof  # noqa: E402

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
RUST_PROGRAMS = ("structures.rs", "collections.rs")
SOURCES = BUILD / "types-sources"  # of Debian's programs
RUST = BUILD / "rust-sysroot"  # Debian's standard library of Rust for arm64
RUST_TARGET = "aarch64-unknown-linux-gnu"


def compile_program(folder, source, compiler, level, link, *objects):
    """Return the path of the program. Skip the test if the compiler cannot build it."""
    path = folder / f"{source.split('.')[0]}-{compiler}{level}-{link}"
    command = COMPILERS[compiler, source.split(".")[1]]
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    made = subprocess.run([*command, "-g", level, "-pthread", *LINKS[link], "-o", path, FOLDER / source,
                           *objects],
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


def compile_rust(folder, rust, source, level, link):
    path = folder / f"{source.split('.')[0]}-rustc{level}-{link}"
    static = ("-C", "target-feature=+crt-static") if link == "static" else ()
    made = run(*rust, "-C", f"opt-level={level[2:]}", *static, "-o", path, FOLDER / source, timeout=300)
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


def members_of_lines(source):
    """Return the members that lines with a comment `member: NAME` access, by the number of the line."""
    lines = (FOLDER / source).read_text(encoding="utf-8").splitlines()
    return {str(n): m[1] for n, line in enumerate(lines, 1) if (m := re.search(r"member: (\S+)", line))}


def check_lines(what, verdict, source):
    """Check the members of lines that have a comment `member: NAME`."""
    wanted = members_of_lines(source)
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


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recording")
    return record(folder, compile_program(folder, "structs.c", "gcc", "-O2", "static"), "--heap")[0]


@pytest.fixture(scope="module")
def samples(recording):
    """Return the exported samples of the recording."""
    return list(judge.export(SPEMU, str(recording)))


def told(*arguments):
    result = spemu(*arguments, "--json", "--limit", "0")
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def test_layout(recording):
    """The layout has the members of the section "members" under the same names, at the same offsets."""
    report = told("report", "--section", "members,layout", recording)
    rows = {(r["data_type"], r["data_member"]): range(r["type_offset"], r["type_offset"] + r["size"])
            for r in report["layout"] if r["type_offset"] is not None}
    shown = {name for name, _ in rows}
    # An access may begin inside a member, for example if a sort swaps bytes. A flexible array has no size.
    lost = [(r["data_type"], r["data_member"], r["type_offset"]) for r in report["members"]
            if r["data_type"] in shown and r["data_member"] and "[]" not in r["data_member"] and
            "weak" not in r["type_source"] and
            r["type_offset"] not in rows.get((r["data_type"], r["data_member"]), ())]
    assert len(shown) > 10 and not lost, f"members without a row in the layout\n{lost}"


def test_keys(recording, samples):
    """perf's keys type, typeoff and typecln group the samples that the export gives these types."""
    samples = [r for r in samples if r["va"]]

    def count(key):
        return collections.Counter(key(r) for r in samples if r["data_type"])

    def grouped(keys, columns):
        rows = collections.Counter()
        for row in told("report", "-s", keys, "--section", "functions", "--no-inline", recording)["functions"]:
            if not row["data_type"].startswith("("):
                rows[tuple(row[c] for c in columns)] += row["samples"]
        return rows

    assert grouped("type", ["data_type"]) == count(lambda r: (r["data_type"],)), "type"

    def line(r):
        address, offset = int(r["va"], 16), int(r["data_offset"])
        return r["data_type"], address // 64 - (address - offset) // 64
    assert grouped("typecln", ["data_type", "type_line"]) == count(line), "typecln: lines of the real addresses"
    assert grouped("symbol,typeoff", ["symbol", "data_type", "type_offset"]) == \
        count(lambda r: (r["symbol"], r["data_type"], int(r["data_offset"]))), "symbol,typeoff"
    text = spemu("report", "-F", "samples,typecln", "--section", "functions", recording).stdout
    assert "struct record: cache line 0" in text, text


def test_annotate(recording):
    """`spemu annotate` shows the members beside the instructions, and the struct view of the report."""
    wanted = members_of_lines("structs.c")
    checked = collections.Counter()
    for function in told("annotate", "-i", recording)["functions"]:
        for code in function["instructions"]:
            line = str(code["frames"][0]["line"])
            if code["data"] and os.path.basename(code["frames"][0]["file"] or "") == "structs.c" and line in wanted:
                checked[(code["data"][0]["data_member"] or "").endswith(wanted[line])] += code["data"][0]["samples"]
                assert sum(use["samples"] for use in code["data"]) <= code["samples"], code
    assert checked[True] > 100 and checked[False] <= 0.01 * checked[True], checked
    text = spemu("annotate", "--no-source", "-i", recording, "sorting").stdout
    assert re.search(r"Instruction +; data", text) and re.search(r": ldr .*  ; record\.", text), text
    view = told("annotate", "--data-type=record", "-i", recording)["layout"]
    assert view == [r for r in told("report", "--section", "layout", recording)["layout"]
                    if r["data_type"] == "struct record"] and len(view) > 3, "the section layout of one type"
    assert view == told("report", "--section", "layout", "--data-type", "struct record", recording)["layout"]
    result = spemu("annotate", "--data-type=nothing", "-i", recording)
    assert result.returncode == 125 and "no sample accesses the type 'nothing'" in result.stderr, result.stderr
    result = spemu("report", "--data-type", "nothing", recording)
    assert (result.returncode, result.stdout) == (125, "") and "type 'nothing'" in result.stderr, result.stderr
    result = spemu("report", "--data-type", "record", "--section", "latency", recording)
    assert result.returncode == 0 and "--data-type changes no section" in result.stderr, result.stderr
    result = spemu("annotate", "--data-type=(stack operation)", "-i", recording)
    assert result.returncode == 125 and "'(stack operation)' is not a structure" in result.stderr, result.stderr
    result = spemu("annotate", "--data-type", "-i", recording, "record")
    assert result.returncode == 2 and "--data-type=record" in result.stderr, result.stderr


def test_filter(recording, samples):
    """--types keeps the samples whose data have these types, in all sections and commands."""
    names = {"struct record", "struct counters"}
    wanted = collections.Counter(r["symbol"] for r in samples if r["data_type"] in names)
    columns = ("time", "pc", "va", "data_type", "data_offset", "type_source")
    kept = [[r[c] for c in columns] for r in judge.export(SPEMU, str(recording), "--types", "record,struct counters")]
    assert kept == [[r[c] for c in columns] for r in samples if r["data_type"] in names] and len(kept) > 100, "export"
    report = told("report", "--no-inline", "--section", "functions,types", "--types", "counters,record", recording)
    assert {r["symbol"]: r["samples"] for r in report["functions"]} == wanted, "report: functions"
    assert {r["data_type"] for r in report["types"]} == names, "report: types"
    assert report["left_out"] == len(samples) - len(kept), "report: samples of other types are left out"
    functions = told("annotate", "--limit", "0", "--types", "record,counters", "-i", recording)["functions"]
    assert {f["symbol"]: f["samples"] for f in functions} == wanted, "annotate"
    result = spemu("report", "--types", "nothing", recording)
    assert "the filters leave out all" in result.stderr, result.stderr
    result = spemu("annotate", "--types", "record", "--data-type=record", "-i", recording)
    assert result.returncode == 2 and "give one of them" in result.stderr, result.stderr


def test_export(recording, samples):
    """The exports have the object, type and member of the data; pprof has labels."""
    rows = told("report", "--section", "objects", recording)["objects"]
    objects = {r["data"]: r["samples"] for r in rows}
    names = collections.Counter(name if name in objects else name.rpartition("+0x")[0]
                                for name in (r["data_object"] for r in samples) if name)
    assert names == objects, "data_object: the names of the section objects"
    starts = {r["data"]: set() for r in rows if r["kind"] == "global"}
    for r in samples:
        name, _, offset = r["data_object"].partition("+0x")
        if name in starts:
            starts[name].add(int(r["va"], 16) - int(offset or "0", 16))
    assert len(starts) > 5 and all(len(s) == 1 for s in starts.values()), "a variable has one address"
    members = collections.Counter()
    result = spemu("export", "--format", "pprof", "-i", recording, text=False)
    for labels, values in Pprof(result.stdout).labels():
        members[labels.get("data_type", ""), labels.get("data_member", "")] += values[0]
    assert members == collections.Counter((r["data_type"], r["data_member"]) for r in samples), "labels of pprof"


def test_unknown(recording, samples):
    """`spemu report --unknown` counts the accesses without a sure type by reason."""
    samples = [r for r in samples if r["va"]]
    sources = collections.Counter(r["type_source"] for r in samples)
    rows = told("report", "--unknown", recording)["unknown"]
    counts = collections.Counter()
    for row in rows:
        assert row["unknown_reason"] and row["object"] and row["functions"], row
        counts[{"a saved": "saved", "weak: o": "weak"}.get(row["unknown_reason"][:7], "")] += row["samples"]
    assert counts == {s: sources[s] for s in ("", "saved", "weak")}, "the samples of the export without such a type"
    text = " ".join(spemu("report", "--unknown", recording).stdout.replace("#", " ").split())
    sure = 100 * (len(samples) - sum(counts.values())) / len(samples)
    assert f"of {len(samples)} loads and stores with a data address, {sure:.1f}% have a type" in text, text


def test_page(recording, tmp_path):
    """The page has the layout. A narrow page shows each cache line of a structure without scrolling."""
    assert spemu("report", "--html", tmp_path / "page.html", recording).returncode == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    rows = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1])["layout"]
    names = [r["data_type"] for r in rows if r["type_offset"] is None]
    assert "struct record" in names and len(names) > 10, names
    if not ALL:
        return
    if browser.missing():
        pytest.skip(f"{browser.missing()} is not installed")
    reader = browser.Browser()
    try:
        for width, theme in ((360, "light"), (360, "dark"), (1280, "dark")):
            reader.size(width, 780, theme)
            reader.open(f"{(tmp_path / 'page.html').as_uri()}#layout/struct%20record")
            reader.settle()
            assert reader.run("return document.documentElement.scrollWidth;") <= width and reader.scrolling() == []
            assert reader.contrast("main *") == [], f"{width} pixels, {theme}"
        lines = reader.run("return [...document.querySelectorAll('.strip > div')].map(line => [...line.children].map("
                           "part => [part.title.split(' at ')[0], parseFloat(part.style.flexBasis), part.className]));")
    finally:
        reader.close()
    parts = {r["data_member"]: r for r in rows if r["data_type"] == "struct record" and r["type_offset"] is not None}
    drawn = collections.Counter()
    for name, width, kind in itertools.chain(*lines):
        drawn[name] += width * 64 / 100
        assert kind == ("lead" if name not in parts else "gap" if not parts[name]["member_type"] else
                        "hot" if parts[name]["samples"] else ""), (name, kind)
    del drawn["before the object"]
    assert {n: round(size) for n, size in drawn.items()} == {n: r["size"] for n, r in parts.items()}, lines


def test_difference(tmp_path):
    """`spemu diff -s typeoff` compares members by their names, also if they moved."""
    recordings = []
    for name, members in ("old", "long hot, cold;"), ("new", "long cold, more, hot;"):
        source = tmp_path / f"{name}.c"
        source.write_text(f"struct pair {{ {members} }};\nstatic struct pair pairs[512];\n"
                          "int main(void) { for (int k = 0; k < 400; k++) for (int i = 0; i < 512; i++) "
                          "((volatile struct pair *)pairs)[i].hot += k; }\n", encoding="utf-8")
        program = tmp_path / name
        run("aarch64-linux-gnu-gcc", "-g", "-O1", "-static", "-o", program, source)
        recordings.append(tmp_path / f"{name}.data")
        # The period is a multiple of the loop. Without jitter, every sample would be the same instruction.
        assert spemu("record", *RECORD, "--jitter", "-o", recordings[-1], "--", program).returncode == 0
    rows = [r for r in told("diff", "-s", "typeoff", "--section", "functions", *recordings)["functions"]
            if r["data_type"] == "struct pair"]
    assert len(rows) == 1 and rows[0]["old_samples"] > 100 and rows[0]["new_samples"] > 100, rows
    assert (rows[0]["data_member"], rows[0]["type_offset"]) == ("hot", 16), "the row has the new offset"


def test_without_debugging_information(tmp_path):
    """Without types, `--section types` says what is missing, and a whole report has no such section."""
    program = compile_program(tmp_path, "datasym.c", "gcc", "-O2", "static")
    run("aarch64-linux-gnu-strip", "-g", program)
    data, _ = record(tmp_path, program)
    text = spemu("report", "--section", "types", data).stdout
    assert "no type is known; build the program with -g" in " ".join(text.replace("#", " ").split()), text
    rows = told("report", "--unknown", data)["unknown"]
    assert {(r["unknown_reason"], r["remedy"]) for r in rows if r["functions"].startswith("change_members")} == \
        {("the object has no debugging information", "compile it with -g")}, rows
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


@pytest.mark.parametrize("compiler, level, link", itertools.product(("gcc", "clang"), LEVELS, LINKS) if ALL else
                         [("gcc", "-O2", "static"), ("gcc", "-O0", "pie")])
def test_frames(tmp_path, layouts_of, compiler, level, link):
    """A recording with stacks tells the variables of callers that functions of the C library access."""
    program = compile_program(tmp_path, "frames.c", compiler, level, link)
    data, truth = record(tmp_path, program, "-g", "-c", "500", "--jitter")
    verdict = judge.verdict_of(SPEMU, layouts_of(program), program, data, truth, ("-L", SYSROOT))
    own = set(map(id, verdict.own))
    others = [s for s in verdict.everything if id(s) not in own and s.objects]
    typed = sum(map(judge.strong, others))
    print(f"{program.name}: {verdict.summary()}", *verdict.worst(), sep="\n")
    print(f"{program.name}: {typed} of {len(others)} loads and stores of the library are typed")
    assert len(others) > 400 and typed >= AGREEMENT / 100 * len(others), "the share of the library's accesses"
    assert verdict.agreement() >= AGREEMENT, "the answers agree with the truth"
    assert verdict.conflicts <= CONFLICTS / 100 * verdict.compared, "sources contradict each other"
    check_saved(program.name, program, verdict)
    exported = collections.Counter(s.answer.type for s in verdict.everything if judge.strong(s))
    reported = collections.Counter()
    for row in told("report", "-s", "type", "--section", "functions", "-L", SYSROOT, data)["functions"]:
        if not row["data_type"].startswith("(") and not row["type_weak"]:
            reported[row["data_type"]] += row["samples"]
    structures = {t for t in exported if t.startswith("struct ")}
    assert {t: reported[t] for t in structures} == {t: exported[t] for t in structures}, "the report has the same types"


@pytest.mark.parametrize("compiler, level, link", itertools.product(("gcc", "clang"), LEVELS, LINKS) if ALL else
                         [("gcc", "-O2", "static"), ("gcc", "-O0", "pie")])
def test_wrappers(tmp_path, layouts_of, compiler, level, link):
    """Stacks tell the types of objects that wrappers allocate, without and with debugging information."""
    run("aarch64-linux-gnu-gcc", "-O2", "-DWRAPPERS", "-c", "-o", tmp_path / "wrappers.o", FOLDER / "wrappers.c")
    program = compile_program(tmp_path, "wrappers.c", compiler, level, link, tmp_path / "wrappers.o")
    verdict = verdict_of(tmp_path, layouts_of(program), program, "--heap", "-g", "-c", "256", "--jitter")
    print(f"{program.name}: {verdict.summary()}", *verdict.worst(), sep="\n")
    own = set(map(id, verdict.own))
    others = [s for s in verdict.everything if id(s) not in own and s.objects]
    typed = sum(map(judge.strong, others))
    print(f"{program.name}: {typed} of {len(others)} loads and stores of the library are typed")
    assert len(others) > 300 and typed >= 0.95 * len(others), "the share of the library's accesses"
    assert verdict.agreement() >= AGREEMENT, "the answers agree with the truth"
    assert verdict.agree["allocation"] > 0.7 * len(others), "the callers of the wrappers tell the types"


@pytest.mark.skipif(not ALL, reason="one of the long tests")
@pytest.mark.parametrize("source, level, link", itertools.product(RUST_PROGRAMS, (*LEVELS, "-Os"), LINKS))
def test_rust(tmp_path, layouts_of, rust, source, level, link):
    program = compile_rust(tmp_path, rust, source, level, link)
    judge_program(tmp_path, layouts_of(program), program, source)


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
