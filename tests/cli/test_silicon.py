# SPDX-License-Identifier: MIT
"""scripts/benches/silicon_table.py compares the timing model with published numbers, and scripts/benches/silicon
measures them. The numbers of the first tests are computed by hand."""
import os
import shutil
import subprocess
import sys

import pytest

from clilib import ROOT, SPEMU

sys.path.insert(0, str(ROOT / "scripts/benches"))
import silicon_table as silicon  # noqa: E402


def row(name, published, ours, kind="DRAM", why="-"):
    return silicon.Row(name, "neoverse-n1", "-", kind, "chase 64 1", "load-to-use", published, "ns", "2500", "a board",
                       "https://example.org", ours, "-", why)


# Name, published and own number, error, and true if they differ by more than a factor of two.
CASES = (("equal", "5.0", "5.0", 0.0, False), ("half", "5.0", "2.5", 0.5, False), ("less", "5.0", "2.4", 0.52, True),
         ("twice", "5.0", "10", 1.0, False), ("more", "5.0", "10.1", 1.02, True), ("none", "5.0", "-", None, True),
         ("zero", "0.00", "0.01", 0.0, False), ("not zero", "0.00", "0.02", float("inf"), True))


@pytest.mark.parametrize("name, published, ours, error, beyond", CASES)
def test_errors(name, published, ours, error, beyond):
    found = row(name, published, ours)
    assert found.error() == (None if error is None else pytest.approx(error)), "the error"
    assert found.is_beyond() == beyond, "beyond a factor of two"


def test_tables():
    """The counts of the kinds add up to the rows, and each row beyond a factor of two has its reason."""
    rows = [row("a", "10", "11"), row("b", "10", "13"), row("c", "10", "30", "TLB", "a reason"),
            row("d", "10", "-", "TLB")]
    kinds = [line.split(" | ") for line in silicon.kinds_table(rows).splitlines()[2:]]
    # The errors are 10, 30 and 200 %. d has no number, so it only counts as beyond a factor of two.
    assert kinds == [["| DRAM", "2", "20 %", "0 |"], ["| TLB", "2", "200 %", "2 |"], ["| all", "4", "30 %", "2 |"]]
    assert silicon.beyond_table(rows).splitlines()[2:] == ["| c | +200 % | a reason |", "| d | - | - |"]
    lines = silicon.rows_table(rows).splitlines()
    assert len(lines) == 2 + len(rows) and all(line.count("|") == lines[0].count("|") for line in lines)


def test_page():
    """The generated part replaces the old one, and leaves the rest of the page."""
    rows = [row("a", "10", "11")]
    page = silicon.page_with(rows, f"before\n{silicon.BEGIN}old\n{silicon.END}after\n")
    assert page.startswith("before\n") and page.endswith("after\n") and "old" not in page and "| a | chase" in page
    assert silicon.page_with(rows, page) == page, "a second time changes nothing"
    with pytest.raises(ValueError, match="does not have the lines"):
        silicon.page_with(rows, "a page\n")


def test_file(tmp_path):
    head, rows = silicon.read()
    silicon.write(head, rows, tmp_path / "again.tsv")
    assert (tmp_path / "again.tsv").read_bytes() == silicon.TABLE.read_bytes(), "the file is as it is written"
    (tmp_path / "short.tsv").write_text("# head\na\tb\n", encoding="utf-8")
    with pytest.raises(ValueError, match="short.tsv:2: 2 columns instead of 14"):
        silicon.read(tmp_path / "short.tsv")


def bench(*profiles):
    for need in ("aarch64-linux-gnu-gcc", os.environ.get("SPEMU_QEMU", "qemu-aarch64")):
        if not shutil.which(need):
            pytest.skip(f"{need} is not installed")
    build = os.path.dirname(os.path.dirname(SPEMU))
    return subprocess.run((ROOT / "scripts/benches/silicon", build, *profiles), capture_output=True, text=True,
                          check=False)


def test_bench():
    """A row is measured: a pipeline of 10 stages, and the 12 cycles that docs/reference/report-columns.md gives."""
    result = bench("neoverse-n2")
    assert result.returncode == 0, result.stderr
    found = [line for line in result.stdout.splitlines() if line.startswith("| n2-penalty ")]
    assert len(found) == 1 and "| penalty | cycles | 10 | 12 | +20 % |" in found[0], result.stdout


def test_unknown_profile():
    result = bench("neoverse-n9")
    assert result.returncode == 1 and "'neoverse-n9' is not a profile with rows; use one of cortex" in result.stderr


@pytest.mark.skipif("SPEMU_TEST_ALL" not in os.environ, reason="takes a minute: a long test")
def test_numbers_are_current():
    """The numbers in arch/silicon.tsv are those of the model. Samples leave some per cent of noise."""
    result = bench()
    assert result.returncode == 0, result.stderr
    now = dict(line.split(": ") for line in result.stderr.splitlines() if ": " in line)
    _, rows = silicon.read()
    for r in rows:
        assert (r.ours == "-") == (now[r.id] == "-"), r.id
        if r.ours != "-":
            assert float(now[r.id]) == pytest.approx(float(r.ours), rel=0.1, abs=0.01), f"{r.id}: {now[r.id]}"
