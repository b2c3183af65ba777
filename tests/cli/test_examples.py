# SPDX-License-Identifier: MIT
"""Every example in the manual pages and documents runs, and prints the output that the page shows.

In a manual page, an example is a line `.Dl $ ...` or a literal block of EXAMPLES. In a document, it
is a command in a block between ``` lines. The command is either a line after `$ `, with its output
below, or a line that begins with a program's name. All examples run in one folder, which contains
the files that they name. Commands that do not run here are listed with the reason.
"""
import os
import re
import shutil

import pytest

from clilib import ROOT, SPEMU, compile_c, run, spemu, write

PAGES = sorted((ROOT / "docs" / "man").iterdir())
DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
BUILDING = "it is how this tree is built and tested"
MACHINE = "it boots a virtual machine: suite vm"

# Commands that do not run in the quick tests, as patterns, with the reason.
NOT_RUN = {
    r"spemu export .* go tool pprof ": "Go: export_readers of the long tier runs it",
    r"spemu export .* callgrind_annotate ": "valgrind: export_readers of the long tier runs it",
    r"(llvm-bolt|llvm-profgen|perf2bolt) ": "tools of LLVM 21: pgo_llvm of the long tier runs them",
    r"(make|meson|UBSAN_OPTIONS=\S+ meson|ASAN_OPTIONS=\S+ meson)\b": BUILDING,
    r"SPEMU_TEST_OPERATIONS=": "ten million operations: too many for the quick tier",
    r"cc examples/embed.c ": "an installed library: cli_embed shows its output, suite link its command",
    r"build/tests/unit/": "it is a test of its own: suite unit",
    r"(build/tools/)?spemu vm\b": MACHINE,
    r"build/tools/spemu report .* --vmlinux debug/": "the kernel of that package: cli_types_kernel has a small one",
    r"build/qemu-system/bin/qemu-system-aarch64 ": "QEMU itself: suite guests of the long tier has this firmware",
    r"scripts/fetch tf-a ": "it builds Trusted Firmware-A: suite guests of the long tier does so",
    r"scripts/benches/silicon\b": "it measures all rows: cli_silicon measures one, silicon of the long tier all",
    r"scripts/checks/conformance\b": "it boots virtual machines: vm_conformance, and conformance-mutants of make check-long",
    r"spemu annotate (--context all chase_pointers|hotspots.c:72)": "the demo's recording: cli_annotate has such programs",
    r"spemu (record --region close|report -i before|annotate -i before|diff --absolute before)":
        "the exchange's recordings: cli_tutorial",
    r"spemu (record --jitter|report -i after)": "the bank's recordings: layout_advice of the long tier",
    r"spemu record -L ": "a root file system of another machine: cli_record has -L",
    r"spemu record --interleave 50 -o build/examples/perf.data ": "the demo's recording: make demo",
}
# Commands that exit with a status other than 0: those with --error-exitcode, and explain if the
# answer is no or yes.
STATUS = {r"spemu run --strict --error-exitcode 1 bug.spemu$": (1,), r"spemu explain ": (0, 1)}
# Commands whose documented output comes from a different recording. The test cli_report checks the
# report's columns.
OTHER_OUTPUT = r"spemu report -i build/examples/perf.data"
# Commands whose documented output is shortened. The page omits lines, and "..." ends a shortened
# line.
SOME_OUTPUT = r"spemu run --strict"
# The folder of Debian's FlameGraph programs, which users have in PATH.
ELSEWHERE = "/usr/share/perl5/Devel/NYTProf"
PROGRAMS = r"(build/\S+|spemu|perf|make|meson|cc|mkdir|scripts/\S+|[A-Z_]+=\S+ (?:meson|build/)\S*)(?= |$)"


def of_page(text):
    """Yield the examples of a manual page: (command, None) for each line, and ("", text) for each
    literal block."""
    examples = "".join(re.findall(r"^\.Sh EXAMPLES\n(.*?)(?=^\.Sh|\Z)", text, re.M | re.S))
    yield from ((c, None) for c in re.findall(r"^\.Dl \$ (.*)$", examples, re.M))
    yield from (("", b) for b in re.findall(r"^\.Bd -literal[^\n]*\n(.*?)^\.Ed$", examples, re.M | re.S))


def of_document(text):
    """Yield the examples of a document: (command, the documented output or None)."""
    for block in re.findall(r"^```\n(.*?)^```$", text, re.M | re.S):
        block = block.replace("\\\n", " ")
        if re.search(r"^\$ ", block, re.M):
            for command, output in re.findall(r"^\$ ([^\n]*)\n((?:(?!\$ )[^\n]*\n)*)", block, re.M):
                yield command, output or None
        else:
            for line in block.splitlines():
                if re.match(PROGRAMS, line):
                    yield re.sub(r"  +# .*", "", line).strip(), None


def has_lines(shown, output):
    """Return true if the output contains the lines of `shown` in order. A shown line with "..." at
    the end matches any line that begins with it."""
    lines = iter(output.splitlines())
    return all(any(li.startswith(s[:-3]) if s.endswith("...") else li == s for li in lines)
               for s in shown.splitlines())


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """Return the folder of the examples."""
    root = tmp_path_factory.mktemp("examples")
    (root / "bin").mkdir()
    os.symlink(SPEMU, root / "bin" / "spemu")
    write(root, "bin/less", "#!/bin/sh\nexec cat\n", 0o755)  # a pager that works without a terminal
    (root / "build" / "examples").mkdir(parents=True)
    (root / "build" / "tools").mkdir()
    os.symlink(SPEMU, root / "build" / "tools" / "spemu")
    os.symlink(ROOT / "tests", root / "tests")
    compile_c(root, "program", "volatile long sum[4096];\nint main(void)\n{\n"
              "\tfor (long i = 0; i < 500000; i++)\n\t\tsum[i % 4096] += i & 3 ? i : -i;\n}\n", "-static")
    write(root, "crash-dump.txt", "SCR_EL3.NS=1 MDCR_EL3.NSPB=0b11\nPMBLIMITR_EL1 = 0x80001\n")
    wrong = (ROOT / "tests/strict/register_read_unsynchronized_wrong.spemu").read_text(encoding="utf-8")
    write(root, "bug.spemu", wrong[wrong.index("features"):])  # without the comment that says it is wrong
    spemu("run", "--save", root / "buffer.bin", root / "bug.spemu")
    spemu("record", "-q", "-o", root / "perf.data", "-c", "1000", "--", root / "program", cwd=root)
    shutil.copy(root / "perf.data", root / "build" / "examples")
    for name in ("before.data", "after.data"):
        shutil.copy(root / "perf.data", root / name)
    return root


def run_scenario(folder, name, text):
    path = write(folder, "example.spemu", text)
    for options in ((), ("--strict=1", "--error-exitcode", "9"), ("--strict=2", "--error-exitcode", "9")):
        result = spemu("run", *options, path)
        assert result.returncode == 0 and re.search(r"[1-9]\d* expectations, 0 failed", result.stdout), \
            f"{name}: the scenario runs, {' '.join(options) or 'plain'}\n{result.stdout + result.stderr}"


def run_command(root, name, command, shown):
    reason = next((why for pattern, why in NOT_RUN.items() if re.match(pattern, command)), None)
    if reason:
        print(f"# {name}: not run: {command[:60]}: {reason}")
        return
    shutil.copy(root / "build/examples/perf.data", root)  # so that no example depends on the output of another one
    result = run("sh", "-c", command, cwd=root, env={"PATH": f"{root}/bin:{os.environ['PATH']}:{ELSEWHERE}"})
    good = next((s for pattern, s in STATUS.items() if re.match(pattern, command)), (0,))
    assert result.returncode in good, f"{name}: {command[:70]}\nstatus {result.returncode}\n{result.stderr}{result.stdout}"
    if shown and re.match(SOME_OUTPUT, command):
        assert has_lines(shown, result.stdout), f"{name}: the output contains the lines of the page\n{result.stdout}"
    elif shown and not re.match(OTHER_OUTPUT, command):
        assert result.stdout == shown, f"{name}: the output of {command[:60]}"


def test_count():
    assert sum(len(list(of_page(page.read_text(encoding="utf-8")))) for page in PAGES) >= 20, "the manual pages have their examples"
    assert sum(len(list(of_document(page.read_text(encoding="utf-8")))) for page in DOCUMENTS) >= 45, "the documents have their examples"


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_manual_page(tmp_path, root, page):
    for command, block in of_page(page.read_text(encoding="utf-8")):
        if command:
            run_command(root, page.name, command, None)
        else:
            run_scenario(tmp_path, page.name, block)


@pytest.mark.parametrize("page", DOCUMENTS, ids=[page.name for page in DOCUMENTS])
def test_document(root, page):
    for command, shown in of_document(page.read_text(encoding="utf-8")):
        run_command(root, page.name, command, shown)


def test_each_reason_is_used():
    """Every exception of the list applies to an example."""
    commands = [c for p in PAGES for c, _ in of_page(p.read_text(encoding="utf-8"))]
    commands += [c for p in DOCUMENTS for c, _ in of_document(p.read_text(encoding="utf-8"))]
    for pattern in (*NOT_RUN, *STATUS, OTHER_OUTPUT, SOME_OUTPUT):
        assert any(re.match(pattern, c) for c in commands), f"an example matches {pattern}"
