# SPDX-License-Identifier: MIT
"""Text output fits terminals of 80 and 200 columns, and names are not cut."""
import pytest

from clilib import spemu
from known import BRANCH, Known, L1, LOAD, MISPREDICTED, NOT_TAKEN, PARENT, TLB
from terminal import on_terminal

# Names of C++ functions: a member function of a class template, a member function within two
# namespaces, a function template with its return type, and an operator.
LOOKUP = ("_ZN6search5IndexINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESt6vectorIiSaIiEEE"
          "6lookupERKS6_i")
POST = "_ZNK7company10accounting6Ledger12postTransferExxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
CONVERT = "_ZN4util7convertISt6vectorIiSaIiEEEEvRKT_i"
CALL = "_ZNK6FilterclExxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
NAMES = {"lookup_": LOOKUP, "post_": POST, "convert_": CONVERT, "call_": CALL}
SOURCE = "".join(f"""
int {c}(int) __asm__("{name}");
__attribute__((noinline, used)) int {c}(int x)
{{
	return x * 5 + {i};
}}
""" for i, (c, name) in enumerate(NAMES.items()))


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    known = Known(tmp_path_factory.mktemp("known"), SOURCE)
    for i, name in enumerate(NAMES.values()):
        pc = known.address["hot"] - known.symbols["hot"] + known.symbols[name]
        known.samples.append((0, PARENT, pc, known.address["table"], LOAD, L1 | TLB, 50, 100 + i,
                              None, 0))
        known.samples.append((0, PARENT, pc + 4, None, BRANCH, NOT_TAKEN | MISPREDICTED, 4,
                              100 + i, None, None))
    known.make(known.path)
    return known


def widest(lines):
    return max((len(li) for li in lines), default=0)


def check_width(what, columns, *args):
    lines = on_terminal(columns, *args)
    assert lines and widest(lines) <= columns, \
        f"{what} fits {columns} columns\n" + "\n".join(li for li in lines if len(li) > columns)
    return lines


def test_report(known):
    shown = {}
    for columns in (60, 80, 100, 200):
        shown[columns] = check_width("report", columns, "report", "-i", known.path)
    check_width("report -s all", 80, "report", "-i", known.path, "-s", "comm,pid,tid,dso,sym")
    assert widest(shown[200]) > widest(shown[80]), "200 columns show more than 80"
    text = {c: "\n".join(lines) for c, lines in shown.items()}
    names = {
        80: ("::lookup", "::postTransfer", "convert", "Filter::operator()"),
        100: ("search::...::lookup", "company::...::postTransfer", "util::convert",
              "Filter::operator()"),
        200: ("search::Index<...>::lookup(...)", "Filter::operator()(...) const",
              "company::accounting::Ledger::postTransfer(...) const",
              "util::convert<std::vector<...> >(std::vector<...> const&, int)")}
    for columns in names:
        for name in names[columns]:
            assert name in text[columns], f"{name} is shown at {columns} columns\n{text[columns]}"
    assert "..." in text[80] and "more column" in text[80], "80 columns: omitted text and columns are marked"
    assert "more column" not in text[200], f"200 columns: every column is shown\n{text[200]}"
    for name in ("lookup", "operator()(...) const+0x4", "postTransfer(...) const+0x4"):
        assert name in text[200], f"200 columns: the name {name} is complete\n{text[200]}"
    assert "Snooped" in text[200], "200 columns: every heading is complete"


def test_utf8(known):
    """In a locale with UTF-8, an ellipsis marks the omitted part."""
    lines = on_terminal(100, "report", "-i", known.path, env={"LC_ALL": "C.UTF-8"})
    text = "\n".join(lines)
    assert widest(lines) <= 100 and "search::\u2026::lookup" in text and "::..." not in text, \
        f"an ellipsis takes one column\n{text}"


def test_source_file(known):
    """The column of source files keeps 26 characters. If the screen is too narrow for this, a
    column is omitted."""
    args = ("report", "--section", "functions", "-s", "srcfile", "-i", known.path)
    underline = next(li for li in on_terminal(300, *args) if li.startswith("# ..."))
    longest = max(len(word) for word in underline.split())
    assert longest > 27, f"the widest column is the source file\n{underline}"
    least = len(underline) - (longest - 26)
    shown = [on_terminal(columns, *args) for columns in (least, least - 1)]
    assert ["more column" in "\n".join(lines) for lines in shown] == [False, True], "a narrower screen omits a column"


def test_no_terminal(known):
    wide = spemu("report", "-i", known.path, env={"COLUMNS": ""}).stdout.splitlines()
    assert widest(wide) > 100, f"without a terminal, the full width is used\n{widest(wide)}"
    for columns in (80, 120):
        lines = spemu("report", "-i", known.path, env={"COLUMNS": str(columns)}).stdout.splitlines()
        assert 60 < widest(lines) <= columns, f"COLUMNS={columns} without a terminal\n{widest(lines)}"
    lines = spemu("report", "-i", known.path, env={"COLUMNS": "many"}).stdout.splitlines()
    assert lines == wide, "a COLUMNS that is not a number is ignored"


@pytest.mark.parametrize("columns", (80, 200))
def test_text(columns):
    check_width("regs", columns, "regs")
    for name in ("PMSCR_EL1", "PMBSR_EL1", "PMBSR_EL1=0x94020007", "MDCR_EL3", "HDFGRTR_EL2"):
        check_width(f"regs {name}", columns, "regs", name)
    check_width("run --choices", columns, "run", "--choices")
    check_width("explain", columns, "explain", "PMBLIMITR_EL1.E=1")
    check_width("explain -v", columns, "explain", "-v", "SCR_EL3.NS=1")
    check_width("explain --access", columns, "explain", "--access", "MSR PMSCR_EL1", "-v")
    check_width("explain --event", columns, "explain", "--event", "buffer full", "-v")


def words(text):
    return " ".join(text.split())


def test_broken_lines():
    assert [li for li in on_terminal(80, "regs", "PMBSR_EL1") if li.endswith(" ")] == [], "a broken line has no trailing blanks"
    # Breaking lines loses nothing.
    for command in (("regs", "PMSCR_EL1"), ("run", "--choices"), ("explain", "-v")):
        assert words("\n".join(on_terminal(80, *command))) == words(spemu(*command, env={"COLUMNS": ""}).stdout), \
            f"{' '.join(command)}: the text has every word"
