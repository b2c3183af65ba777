# SPDX-License-Identifier: MIT
"""spemu run: errors with their positions, exit statuses, JSON, TAP, traces, and saved records."""
import json
import os
import re

import pytest

from clilib import leak, not_fit, refuses, spemu, write

SETUP = """features v8.7
layout neoverse
zero
set MDCR_EL3.NSPB=0b11 SCR_EL3.NS=1 MDCR_EL2.E2PB=0b11
set PMBPTR_EL1=0x10000 PMBLIMITR_EL1=0x20001 PMSIRR_EL1.INTERVAL=1 PMSCR_EL1=E1SPE
map 0x10000 +0x10000
at EL1
"""


WALKER = """features v8.8
translate walker
zero
set MDCR_EL3.NSPB=0b11 SCR_EL3.NS=1 MDCR_EL2.E2PB=0b11 SCTLR_EL1.M=1 TCR_EL1.T0SZ=16
set PMBPTR_EL1=0x10000 PMBLIMITR_EL1=0x20001 PMSIRR_EL1.INTERVAL=1 PMSCR_EL1=E1SPE
"""


@pytest.mark.parametrize("name, text, line, column, pattern", [
    ("unknown command", "isb\n  expct irq=0\n", 2, 3, "did you mean 'expect'"),
    ("unknown register", "set PMSRC_EL1=1\n", 1, 5, "did you mean 'PMSCR_EL1'"),
    ("unknown field", "set PMSCR_EL1.E1SPX=1\n", 1, 15, "did you mean 'E1SPE'"),
    ("value that is no number", "msr PMSCR_EL1 1+2\n", 1, 15, r"the value is a number, not '1\+2'"),
    ("event without a name", "expect pmu.=1\n", 1, 12, "unknown PMU event ''"),
    ("a value that is missing", "map 0x10000 +0x1000 inner=\n", 1, 27, "unknown cacheability ''"),
    ("value too wide", "set MDCR_EL3.NSPB=4\n", 1, 19, "2 bits"),
    ("unknown feature", "features v8.7,+FEAT_SPE_FDX\n", 1, 16, "FEAT_SPE_FDS"),
    ("unknown version", "features v7.0\n", 1, 10, "architecture version"),
    ("unknown property", "op load vaa=5\n", 1, 9, "property of an operation 'vaa='; did you mean 'va='"),
    ("unknown expectation", "expect recrods=5\n", 1, 8, "did you mean 'records'"),
    ("unknown in a record", "expect record 0 { totl=5 }\n", 1, 19, "'total'"),
    ("unknown PMU event", "expect pmu.SAMPLE_PPO=5\n", 1, 12, "SAMPLE_POP"),
    ("unknown event", "op load events=retird\n", 1, 16, "'retired'"),
    ("unknown choice", "choose extrenal-abort=x\n", 1, 8, "'external-abort'"),
    ("all choices", "choose al random\n", 1, 8, "did you mean 'all'"),
    ("unlike any choice", "choose xyz random\n", 1, 8, "unknown choice 'xyz'; the nearest are all, "),
    ("unknown option", "choose external-abort serorr\n", 1, 23, "'serror'"),
    ("unknown option in one word", "choose external-abort=serorr\n", 1, 23,
     "'serror'"),
    ("a choice without its option", "choose external-abort\n", 1, 22, "an option"),
    ("all is random or nothing", "choose all serror\n", 1, 12, "'serror'"),
    ("unknown outcome", "msr PMSCR_EL1 0 -> undefind\n", 1, 20, "'undefined'"),
    ("unknown fault", "fault write at 0 stage1 translatio level 1\n", 1, 25,
     "'translation'"),
    ("no such level", "fault write at 0 stage1 access-flag level -1\n", 1, 43,
     "no access-flag fault has level"),
    ("level missing", "fault write at 0 stage1 translation\n", 1, 36, "level"),
    ("not a number", "op load va=0xzz\n", 1, 12, "a number"),
    ("a number and more", "msr PMSCR_EL1 1+1\n", 1, 15, "a number"),
    ("beyond 64 bits", "op load va=18446744073709551616\n", 1, 12, "a number"),
    ("brace not closed", "repeat 3 { isb\n", 1, 12, "no '}'"),
    ("brace not opened", "isb }\n", 1, 5, "'}' without '{'"),
    ("quotes not closed", 'scenario "x\n', 1, 10, "quotes"),
    ("words after a command", "isb now\n", 1, 5, "unexpected 'now'"),
    ("diagnostics", "expect diagnostics RHXSYK\n", 1, 20, "'none' expected"),
    ("unknown memory", "map 0 +4k devise\n", 1, 11, "'device'"),
    ("no such FSC", "fault write at 0 stage1 fsc=0x3f\n", 1, 25, "FSC does not exist"),
    ("memory words after the size", "map 0 +4k stage2 assured\n", 1, 18,
     "unknown property of memory"),
    ("an attribute of the wrong stage", "map 0 +4k assured-only\n", 1, 11, "stage2"),
    ("another page offset", "map 0 +4k pa=0x123\n", 1, 14, "low 12 bits"),
    ("unknown space", "map 0 +4k pas=Relm\n", 1, 15, "'Realm'"),
    ("unknown injection", "inject buffer-ful once\n", 1, 8, "'buffer-full'"),
    ("an MSS of more than 16 bits", "inject impdef mss=0x10000 once\n", 1, 15, "at most 0xffff"),
    ("an MSS2 of more than 24 bits", "inject impdef mss2=0x1000000 once\n", 1, 15, "at most 0xffffff"),
    ("when to inject", "inject collision\n", 1, 17, "once"),
    ("never to inject", "inject collision every 0\n", 1, 24, "1 to"),
    ("unknown translation", "translate wlaker\n", 1, 11, "'walker'"),
    ("no granule", "table 0 +64k granule=8k\n", 1, 14, "granule="),
    ("no table", "table 0x800 +64k\n", 1, 7, "aligned"),
    ("no word", "word 4 0\n", 1, 6, "multiple of 8"),
    ("no arrow", "page 0 0\n", 1, 8, "'->'"),
    ("unknown scope", "tlbi al\n", 1, 6, "'all'"),
    ("unknown Security state of a scope", "tlbi all security=x\n", 1, 19, "unknown Security state 'x'"),
    ("unknown property of a scope", "tlbi all sec=x\n", 1, 10, "unknown property of a scope"),
    ("an ASID too wide", "tlbi asid 0x10000\n", 1, 11, "an ASID has 16 bits"),
    ("no event", "expect pmu.=5\n", 1, 12, "unknown PMU event ''"),
    ("rarer than once in 2 to the 32", "inject collision rate 4294967296\n", 1, 23, "1 to 4294967295 expected"),
    ("too often", "inject collision times 0\n", 1, 24, "1 to 4294967295 expected"),
    ("unknown memory expected", "expect write.memory=devise\n", 1, 21, "unknown value"),
    ("nesting", "repeat 2 { " * 40 + "isb" + " }" * 40, 1, 353, "nested"),
    ("garbage", b"isb\n\x00\xff\xfe", 2, 1, "unexpected byte 0x00"),
    ("garbage in a word", b"is\xffb", 1, 3, "unexpected byte 0xff"),
    ("scenario in braces", "repeat 2 { scenario x }", 1, 12, "inside braces"),
])
def test_syntax(tmp_path, name, text, line, column, pattern):
    """The text is rejected at the given position, with a caret below it, and nothing runs."""
    path = write(tmp_path, "syntax.spemu", text)
    result = spemu("run", path)
    lines = result.stderr.splitlines()
    assert result.returncode == 2, f"{name}\n{result.stderr}{result.stdout}"
    assert re.match(rf"{re.escape(path)}:{line}:{column}: .*{pattern}", lines[0]), name
    assert len(lines) != 3 or lines[2] == " " * (column + 1) + "^", f"{name}\n{result.stderr}"


@pytest.mark.parametrize("fault", ("address-size", "translation", "access-flag", "permission", "parity"))
def test_missing_level(tmp_path, fault):
    text = f"fault write at 0x10040 stage1 {fault}\n"
    test_syntax(tmp_path, fault, text, 1, len(text), "'level N' is missing")


def test_largest_counts(tmp_path):
    assert spemu("run", write(tmp_path, "counts", "inject collision rate 4294967295\ninject collision times 4294967295\n")).returncode == 0, \
        "the largest permitted counts are accepted"


def test_files(tmp_path):
    missing = spemu("run", f"{tmp_path}/missing")
    assert (missing.returncode, "No such file" in missing.stderr) == (2, True), "missing file"
    assert spemu("run", f"{tmp_path}/.").returncode == 2, "a directory"
    large = spemu("run", write(tmp_path, "large", "# x\n" * 300000))
    assert (large.returncode, "longer than" in large.stderr) == (2, True), "a file too long"
    empty = spemu("run", write(tmp_path, "empty", ""))
    assert (empty.returncode, empty.stdout) == (0, "0 scenarios, 0 expectations, 0 failed\n"), "an empty file"
    path = write(tmp_path, "stdin", "expect stopped=no,\n")
    with open(path) as f:
        assert spemu("run", "-", stdin=f).stderr.splitlines()[0].split(":")[:3] == ["<stdin>", "1", "16"], "standard input"
    refuses("no file", 2, "no scenario", "run")
    refuses("unknown option", 2, "did you mean '--save'", "run", "--svae", "x")
    refuses("json and tap", 2, "exclude", "run", "--json", "--tap", "x")
    refuses("bad seed", 2, "--seed: expected a number, got 'x'", "run", "--seed", "x", "y")


def test_failures(tmp_path):
    path = write(tmp_path, "fail.spemu", SETUP + "sample other\n"
                 "  expect PMBSR_EL1.EC=0x24 records=1 irq=1 # wrong twice\n"
                 "msr PMBPTR_EL1 0 -> undefined\n"
                 "expect record 5 { pc=0 }\n")
    result = spemu("run", path)
    expected = (f"{path}:9: expect PMBSR_EL1.EC=0x24 records=1 irq=1 # wrong twice\n"
                "    PMBSR_EL1.EC: expected 0x24, got 0\n"
                f"{path}:9: expect PMBSR_EL1.EC=0x24 records=1 irq=1 # wrong twice\n"
                "    irq: expected 1, got no\n"
                f"{path}:10: msr PMBPTR_EL1 0 -> undefined\n"
                "    msr PMBPTR_EL1: expected undefined, got ok\n"
                f"{path}:11: expect record 5 {{ pc=0 }}\n"
                "    the record: expected a record, got none, and 1 records in all\n"
                "1 scenarios, 5 expectations, 4 failed\n")
    assert (result.returncode, result.stdout) == (1, expected), "all failures are shown with their lines"
    # D24.7: with NV2, PMBLIMITR_EL1 is at offset 0x800 from VNCR_EL2.BADDR.
    nested = write(tmp_path, "nested.spemu", "features v8.7\nzero\nset SCR_EL3.NS=1 MDCR_EL3.NSPB=0b11 MDCR_EL2.E2PB=0b11\n"
                   "set HCR_EL2=NV|NV2\nat EL1\nmsr PMBLIMITR_EL1 0 -> nvmem 0x808\nmsr PMBLIMITR_EL1 0 -> nvmem 0x800\n")
    result = spemu("run", nested)
    assert (result.returncode, "msr PMBLIMITR_EL1: expected nvmem 0x808, got nvmem 0x800" in result.stdout,
            result.stdout.splitlines()[-1]) == (1, True, "1 scenarios, 2 expectations, 1 failed"), \
                "a wrong expectation of an nvmem offset fails"
    external = write(tmp_path, "external.spemu", "features v9.6\nzero\nset SCR_EL3.NS=1 MDCR_EL3.EPMSSAD=0b11\nexternal read 0x608 -> 77\n")
    result = spemu("run", external)
    assert result.returncode == 1 and "external access: expected 0x4d, got 0\n" in result.stdout, \
        f"a wrong expectation of an external access fails\n{result.stdout}"
    lines = [json.loads(li) for li in spemu("run", "--json", path).stdout.splitlines()]
    failed = [(e["line"], e["what"], e["expected"], e["got"]) for e in lines
              if e["event"] == "failed"]
    assert failed[:2] == [(9, "PMBSR_EL1.EC", "0x24", "0"), (9, "irq", "1", "no")], "the failures as JSON"
    assert lines[-1] == {"event": "totals", "scenarios": 1, "expectations": 5, "failed": 4,
                         "cannot": 0}, "totals as JSON"
    tap = spemu("run", "--tap", path).stdout.splitlines()
    assert [sum(li.startswith(w) for li in tap) for w in ("ok ", "not ok ", "1..5")] == [1, 4, 1], "the failures as TAP"
    unstated = spemu("run", write(tmp_path, "u", "zero\nat EL0\nmsr PMSCR_EL1 0\n"))
    assert (unstated.returncode, "expected ok, got undefined (" in unstated.stdout) == (1, True), "an unexpected outcome fails"
    never = spemu("run", write(tmp_path, "n", "zero\nsample load\nend\n"))
    assert (never.returncode, "profiling is disabled\n" in never.stdout) == (1, True), \
        "waiting for a sample fails while profiling is disabled"
    stopped = spemu("run", write(tmp_path, "s", SETUP + "fault write at 0x10040 stage1 "
                                 "translation level 3\nsample load x2\nstate\n"
                                 "sample load\n"))
    why = ("stopped by PMBSR_EL1=0x90020007: stage 1 Data Abort, Translation fault, level 3, "
           "at 0x10040\n")
    assert (stopped.returncode, stopped.stdout.count(why), f"disabled, {why}" in stopped.stdout) == (1, 2, True), \
        "the failure names the event that stopped profiling, and the register"


@pytest.mark.parametrize("name, text, pattern", [
    ("an impossible feature set", "features v8.2,+FEAT_SPE_FDS\nisb\n", "requires"),
    ("an option that the features forbid",
     "features v8.9\nchoose external-abort reported-synchronously\nisb\n",
     "no option reported-synchronously with these features: it needs -FEAT_SPEv1p3"),
    ("and later in the scenario",
     "features v8.9\nisb\nchoose external-abort reported-asynchronously\n",
     "no option reported-asynchronously"),
    ("configuration too late", "isb\nlayout dense\n", "before all other"),
    ("impossible size", "maxsize 100\nisb\n", "64, 128"),
    ("a size that a record may exceed", "features v9.4\nmaxsize 64\nisb\n",
     "73 bytes: maxsize 64 is too small; use 128"),
    ("no such Exception level", "features v8.7,-EL3\nat EL3\n", "not implemented"),
    ("memory overlaps", "map 0 +8k\nmap 4k +8k\n", "overlaps"),
    ("too much memory", "map 0 +1G\n", "256M"),
    ("no more injections", "inject collision once\n" * 9, "more than 8"),
    ("a page without tables", "page 0 -> 0\n", "requires a 'table'"),
    ("no room for tables", "table 0 +4k\npage 0 -> 0x80000000\n", "no room"),
    ("no memory for a word", "word 0 1\n", "outside physical memory"),
    ("no walker", "tlbi all\n", "translate walker"),
    ("no such size", "features v8.7\npa-bits 33\nisb\n", ""),
    ("what the walker does not have", WALKER.replace("v8.8", "v9.4,+FEAT_D128") +
     "table 0x100000 +64k\npage 0x10000 -> 0x80010000\nmap 0x80000000 +128k pa\n"
     "set TTBR0_EL1=0x100000 TCR_EL1.IPS=5 TCR2_EL1.D128=1 "
     "HCRX_EL2.TCR2En=1 SCR_EL3.TCR2En=1 SCR_EL3.HXEn=1\nat EL1\nsample other\nisb\n", "could not be written"),
    ("too many steps", "repeat 18446744073709551615 { isb }\n", "more than"),
])
def test_cannot(tmp_path, name, text, pattern):
    result = spemu("run", write(tmp_path, "cannot", text))
    assert result.returncode == 2 and re.search(pattern, result.stdout), f"{name}\n{result.stdout}{result.stderr}"


def test_no_cost(tmp_path):
    huge = SETUP.replace("PMSCR_EL1=E1SPE", "PMSCR_EL1=0")
    result = spemu("run", write(tmp_path, "huge", huge + "op load x18446744073709551615\n"
                                "repeat 1000000000000 { op load x5 ; repeat 7 { op store } }\n"
                                "expect samples=0\n"))
    assert result.returncode == 0, "huge counts of operations take no time if no operation is chosen"
    rest = spemu("run", write(tmp_path, "rest", "isb\nlayout dense\nscenario b\nexpect stopped=yes\n"))
    assert "2 scenarios" in rest.stdout and rest.returncode == 2, "the next scenario still runs"


def test_diagnostics(tmp_path):
    """Software that breaks a rule makes the scenario fail, unless the scenario expects the
    diagnostic."""
    path = write(tmp_path, "diagnostic", SETUP.replace("PMBPTR_EL1=0x10000", "PMBPTR_EL1=0x20000"))
    result = spemu("run", path)
    assert (result.returncode, f"{path}:7: at EL1\n    diagnostic pointer-above-limit (RHXSYK): "
            "expected none, got profiling became enabled" in result.stdout) == (1, True), \
                "an unexpected diagnostic fails, with its line"
    failed = [json.loads(li) for li in spemu("run", "--json", path).stdout.splitlines()][1]
    assert (failed["line"], failed["what"], failed["expected"]) == (7, "diagnostic pointer-above-limit (RHXSYK)", "none"), \
        "the diagnostic as JSON"
    for name in ("RHXSYK", "pointer-above-limit"):
        with open(path) as f:
            text = f.read() + f"expect diagnostic {name} diagnostics none\n"
        assert spemu("run", write(tmp_path, "expected", text)).returncode == 0, f"the diagnostic is expected as {name}"
    other = spemu("run", write(tmp_path, "other", text.replace("diagnostic pointer-above-limit",
                                                               "diagnostic RHLXGD")))
    assert (other.returncode, other.stdout.count("\n    ")) == (1, 3), \
        "the failure shows the expected diagnostic and the actual one"
    assert ("diagnostic pointer-above-limit (RHXSYK): profiling became" in
            spemu("run", "-v", path).stdout), "-v shows the diagnostic"


def test_exceptions(tmp_path):
    """-v shows each change of the SPE exception that would be taken (Table D17-8)."""
    path = write(tmp_path, "exceptions", "scenario \"exceptions\"\nfeatures v9.6\nzero\n"
                 "set MDCR_EL3.NSPB=0b11 SCR_EL3.NS=1 MDCR_EL2.E2PB=0b11 PMSCR_EL2.EE=0b01 MDCR_EL3.PMSEE=0b01\n"
                 "at EL0\nset PMSCR_EL1.EE=0b11\nset PMBSR_EL1.S=1\nset PMSCR_EL1.KE=0\nat EL1\nset HCR_EL2.TGE=1\nat EL0\n")
    text = spemu("run", "-v", path).stdout
    assert ([(int(n), what) for n, what in re.findall(r":(\d+): ((?:no )?SPE Profiling exception.*)", text)] ==
            [(7, "SPE Profiling exception to EL1"), (9, "no SPE Profiling exception"), (11, "SPE Profiling exception to EL2")]), \
        "-v shows the changes"


def test_words(tmp_path):
    """Scenarios accept packets in perf's words, sizes with K (256 operations to the sample, then
    2048 more), and the first and last values of settings."""
    path = write(tmp_path, "words", SETUP + "sample load va=0x5000\nexpect record 0 { text \"VA 0x5000\" text \"LD GP-REG\" }\n"
                 "repeat 2k { op other }\nexpect operations=2304\n"
                 "scenario \"an Events packet of a byte\"\nevents-size 1\n")
    result = spemu("run", path)
    assert (result.returncode, result.stdout) == (0, "2 scenarios, 3 expectations, 0 failed\n"), \
        "packets can be named by words"
    # D24.7.16: PMSIDR_EL1.Interval
    intervals = {256: 0, 512: 2, 768: 3, 1024: 4, 1536: 5, 2048: 6, 3072: 7, 4096: 8}
    text = "\nscenario \"\"\n".join(f"interval-min {n}\nmrs PMSIDR_EL1 -> Interval={field}" for n, field in intervals.items())
    assert spemu("run", write(tmp_path, "intervals", text + "\n")).stdout == "8 scenarios, 8 expectations, 0 failed\n", \
        "every interval-min is accepted"
    wrong = spemu("run", write(tmp_path, "words", SETUP + "sample load va=0x5000\nexpect record 0 { text \"VA 0x5008\" }\n"))
    assert wrong.returncode == 1 and "VA 0x5008" in wrong.stdout and "VA 0x5000" in wrong.stdout, \
        f"expecting a missing packet fails\n{wrong.stdout}"


def test_injection(tmp_path):
    """Runs with the same seed are equal."""
    path = write(tmp_path, "inject", SETUP + "inject collision rate 3\ninject buffer-full rate 40\n"
                 "repeat 50 { sample other ; msr PMBPTR_EL1 0x10000 ; msr PMBSR_EL1 0 }\nstate\n")
    runs = [spemu("run", "--seed", s, "-v", "--json", path).stdout for s in "112"]
    runs = ["\n".join(li for li in r.splitlines() if "PMBSR_EL1" in li) for r in runs]
    assert (runs[0] == runs[1], runs[0] == runs[2], "0x20001" in runs[0]) == (True, False, True), \
        "injections at a rate depend on the seed"


def test_repeat(tmp_path):
    # Each repetition has 3 operations. The first sample is operation 256, and the next ones follow after 257 each:
    # 300000 = 1167 * 257 - 1 + 82. The k-th load of the pattern has va = 8 * k.
    path = write(tmp_path, "repeat", SETUP.replace("0x20001", "0x60001").replace(
        "+0x10000", "+0x50000") + "repeat 100000 { op load va=0+8 ; op other x2 }\n"
                 "expect samples=1167 operations=300000 until-sample=175\n"
        # Counted from 0, the chosen operations are 257 k - 2. The first one, 255 = 3 * 85, is a load.
        # The second one, 512, is not a multiple of 3.
                 "expect record 0 { va=680 } ; expect record 1 { va=none }\n")
    result = spemu("run", path)
    assert (result.returncode, result.stdout) == (0, "1 scenarios, 5 expectations, 0 failed\n"), \
        "a repeated pattern counts and steps like single operations"


def test_outputs(tmp_path):
    path = write(tmp_path, "ok.spemu", SETUP + "sample load pc=0x4000 va=0x8000 x3\nstate\n"
                 "set PMBSR_EL1.S=1\n")
    saved = f"{tmp_path}/records"
    result = spemu("run", "--save", saved, path)
    assert (result.returncode, os.path.getsize(saved)) == (0, 192), "--save: 3 records of 64 bytes"
    dump = spemu("dump", "--raw", saved, "--records", "--json")
    assert [json.loads(li)["pc"] for li in dump.stdout.splitlines()] == ["0x4000"] * 3, "dump reads the saved records"
    trace = spemu("run", "-v", path).stdout
    for words in ("record 2 at 0x10080: PC 0x4000", "PMBPTR_EL1 0x10000 -> 0x100c0",
                  "PMBIRQ asserted", "at EL1, owner Non-secure/EL1, profiling enabled"):
        assert words in trace, f"-v shows '{words}'\n{trace}"
    assert spemu("run", "-q", path).stdout.count("scenarios") == 0, "-q suppresses the totals"
    old = spemu("run", "--features", "v8.2", write(tmp_path, "f", "zero\nat EL3\n"
                                                   "mrs PMSNEVFR_EL1 -> undefined\n"))
    assert old.returncode == 0, "--features replaces those of the scenario"
    jitter = write(tmp_path, "j", SETUP.replace("PMSIRR_EL1.INTERVAL=1",
                                                "PMSIRR_EL1=INTERVAL=1|RND") +
                   "sample other x20\nstate\n")
    runs = [spemu("run", "--seed", s, jitter).stdout for s in ("1", "1", "2")]
    assert (runs[0] == runs[1], runs[0] == runs[2]) == (True, False), "--seed determines the run"


# The choice reserved-nspb determines the owner: NSPB 2 is reserved because NSPBE is 1 and NSPB is
# 0b0x.
RESERVED = "features v9.6\nzero\nset MDCR_EL3.NSPBE=1\n"


def test_choices(tmp_path):
    listed = [json.loads(li) for li in spemu("run", "--choices", "--json").stdout.splitlines()]
    rows = {c["name"]: c for c in listed}
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "arch",
                           "choices.txt"), encoding="utf-8") as f:
        words = [li.split() for li in f if not li.startswith("#")]
    names = [w[1] for w in words if w and w[0] == "Choice"]
    options = [w[1] for w in words if w and w[0] == "Option"]
    assert [c["name"] for c in listed] == names, "--choices lists arch/choices.txt"
    assert [o["name"] for c in listed for o in c["options"]] == options, "--choices lists every option"
    assert rows["external-abort"]["default"] == "ignored", "--choices shows the default for v9.6"
    old = [json.loads(li) for li in
           spemu("run", "--choices", "--json", "--features", "v8.2").stdout.splitlines()]
    assert {c["name"]: c for c in old}["external-abort"]["default"] == "reported-synchronously", \
        "--choices shows the default for v8.2"
    text = spemu("run", "--choices").stdout
    assert all(n in text for n in names + options), f"the text lists all choices and options\n{text}"
    refuses("choices and a scenario", 2, "--choices does not take a scenario", "run", "--choices", "x")
    refuses("unknown choice", 2, "did you mean 'zero-interval'", "run", "--choose",
            "zero-intervall=256", "x")
    refuses("unknown option", 2, "zero-interval has no option '257'", "run", "--choose",
            "zero-interval=257", "x")
    refuses("no option", 2, "NAME=OPTION", "run", "--choose", "zero-interval", "x")
    refuses("all is random only", 2, "can only be random", "run", "--choose", "all=secure", "x")
    path = write(tmp_path, "reserved", RESERVED + "expect owner=Secure/EL1\n")
    assert spemu("run", path).returncode == 0, "the scenario passes with the default owner"
    assert spemu("run", "--choose", "reserved-nspb=secure", path).returncode == 0, \
        "the scenario passes with the default chosen by name"
    assert spemu("run", "--choose", "reserved-nspb=realm", path).returncode == 1, \
        "the scenario fails with another owner"
    stated = write(tmp_path, "stated", "choose reserved-nspb non-secure\n" + RESERVED +
                   "expect owner=Non-secure/EL2\n")
    assert spemu("run", stated).returncode == 0, "a scenario can make its own choice"
    assert spemu("run", "--choose", "all=random", stated).returncode == 0, \
        "all=random does not override the scenario's choice"
    assert spemu("run", "--choose", "reserved-nspb=secure", stated).returncode == 1, \
        "a choice by name overrides the scenario's choice"
    zero = write(tmp_path, "zero", "features v8.2\nzero\nmap 0x10000 +0x10000\nset MDCR_EL3.NSPB=3 "
                 "MDCR_EL2.E2PB=3 SCR_EL3.NS=1 PMBPTR_EL1=0x10000 PMBLIMITR_EL1=0x20001\n"
                 "set PMSCR_EL1.E1SPE=1\nat EL1\nchoose all random\n"
                 "sample load x20\nstate\n")
    runs = [spemu("run", "--seed", seed, "-v", zero).stdout for seed in ("1", "1", "2")]
    assert (runs[0] == runs[1], runs[0] == runs[2]) == (True, False), "a random choice depends on the seed"


# A failure, a trace, an unexpected outcome, a diagnostic, an impossible command, and a syntax error. Each follows
# hostile text in a name and in a comment.
SHOWN = ("expect stopped=no", "sample other", "msr PMSCR_EL1 0 -> undefined",
         "at EL3 ; layout dense", "msr PMSCR_EL1 0 -> undefind")


def test_clean(tmp_path):
    """Control characters in a scenario or its name never reach the terminal."""
    problems, shown = [], 0
    for n, bad in enumerate(not_fit()):
        bad = b"" if bad == b"\n" else bad
        path = os.path.join(os.fsencode(tmp_path), b"evil" + bad)
        with open(path, "wb") as f:
            f.write(b'features v8.7\nscenario "name' + bad.replace(b"\r", b"") + b'"\n' +
                    SHOWN[n % len(SHOWN)].encode() + b" # wrong" + bad + b"comment\n")
        for args in ((), ("-v",), ("--tap", "-v"), ("--strict", "--json")):
            result = spemu("run", *args, os.fsdecode(path), text=False)
            shown += b"wrong" in result.stdout + result.stderr
            problems += [f"{bad!r} {args}: {p}" for p in map(leak, (result.stdout, result.stderr))
                         if p]
        os.unlink(path)
    assert not problems, "no text of a scenario reaches the terminal unfiltered\n" + "\n".join(problems)
    assert shown > 100, f"the texts are shown\n{shown}"
    path = write(tmp_path, "accents", "expect stopped=no # caf\u00e9 \u65e5\u672c\n")
    assert "# caf\u00e9 \u65e5\u672c" in spemu("run", path).stdout, "non-ASCII letters are kept"
    path = write(tmp_path, "caret", 'scenario "caf\u00e9" now\n')
    assert spemu("run", path).stderr.splitlines()[1:] == ['  scenario "caf\u00e9" now',
                                                          " " * 18 + "^"], \
                                                              "the caret is at the right column after non-ASCII letters"
