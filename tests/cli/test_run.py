#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""spemu run: errors with their places, exit statuses, JSON, TAP, traces, saved records."""
import json
import os
import re

from clilib import Folder, check, done, equal, leak, not_fit, refuses, select_case, spemu

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


def write(folder, name, text):
    path = folder(name)
    with open(path, "wb") as f:
        f.write(text if isinstance(text, bytes) else text.encode())
    return path


def syntax(folder, name, text, line, column, pattern):
    """The text is refused at a place, with a caret below it; nothing runs."""
    path = write(folder, "syntax.spemu", text)
    result = spemu("run", path)
    lines = result.stderr.splitlines()
    ok = (result.returncode == 2 and lines and
          re.match(rf"{re.escape(path)}:{line}:{column}: .*{pattern}", lines[0]))
    if ok and len(lines) == 3:
        ok = lines[2] == " " * (column + 1) + "^"
    check(ok, name, f"status {result.returncode}\n{result.stderr}{result.stdout}")


def test_syntax(folder):
    syntax(folder, "unknown command", "isb\n  expct irq=0\n", 2, 3, "did you mean 'expect'")
    syntax(folder, "unknown register", "set PMSRC_EL1=1\n", 1, 5, "did you mean 'PMSCR_EL1'")
    syntax(folder, "unknown field", "set PMSCR_EL1.E1SPX=1\n", 1, 15, "did you mean 'E1SPE'")
    syntax(folder, "value that is no number", "msr PMSCR_EL1 1+2\n", 1, 15, r"the value is a number, not '1\+2'")
    syntax(folder, "event without a name", "expect pmu.=1\n", 1, 12, "unknown PMU event ''")
    syntax(folder, "a value that is missing", "map 0x10000 +0x1000 inner=\n", 1, 27, "unknown cacheability ''")
    for fault in ("address-size", "translation", "access-flag", "permission", "parity"):
        text = f"fault write at 0x10040 stage1 {fault}\n"
        syntax(folder, f"{fault} without its level", text, 1, len(text), "'level N' is missing")
    syntax(folder, "value too wide", "set MDCR_EL3.NSPB=4\n", 1, 19, "2 bits")
    syntax(folder, "unknown feature", "features v8.7,+FEAT_SPE_FDX\n", 1, 16, "FEAT_SPE_FDS")
    syntax(folder, "unknown version", "features v7.0\n", 1, 10, "architecture version")
    syntax(folder, "unknown property", "op load vaa=5\n", 1, 9, "property of an operation 'vaa='; did you mean 'va='")
    syntax(folder, "unknown expectation", "expect recrods=5\n", 1, 8, "did you mean 'records'")
    syntax(folder, "unknown in a record", "expect record 0 { totl=5 }\n", 1, 19, "'total'")
    syntax(folder, "unknown PMU event", "expect pmu.SAMPLE_PPO=5\n", 1, 12, "SAMPLE_POP")
    syntax(folder, "unknown event", "op load events=retird\n", 1, 16, "'retired'")
    syntax(folder, "unknown choice", "choose extrenal-abort=x\n", 1, 8, "'external-abort'")
    syntax(folder, "all choices", "choose al random\n", 1, 8, "did you mean 'all'")
    syntax(folder, "unlike any choice", "choose xyz random\n", 1, 8, "unknown choice 'xyz'; the nearest are all, ")
    syntax(folder, "unknown option", "choose external-abort serorr\n", 1, 23, "'serror'")
    syntax(folder, "unknown option in one word", "choose external-abort=serorr\n", 1, 23,
           "'serror'")
    syntax(folder, "a choice without its option", "choose external-abort\n", 1, 22, "an option")
    syntax(folder, "all is random or nothing", "choose all serror\n", 1, 12, "'serror'")
    syntax(folder, "unknown outcome", "msr PMSCR_EL1 0 -> undefind\n", 1, 20, "'undefined'")
    syntax(folder, "unknown fault", "fault write at 0 stage1 translatio level 1\n", 1, 25,
           "'translation'")
    syntax(folder, "no such level", "fault write at 0 stage1 access-flag level -1\n", 1, 43,
           "no access-flag fault has level")
    syntax(folder, "level missing", "fault write at 0 stage1 translation\n", 1, 36, "level")
    syntax(folder, "not a number", "op load va=0xzz\n", 1, 12, "a number")
    syntax(folder, "a number and more", "msr PMSCR_EL1 1+1\n", 1, 15, "a number")
    syntax(folder, "beyond 64 bits", "op load va=18446744073709551616\n", 1, 12, "a number")
    syntax(folder, "brace not closed", "repeat 3 { isb\n", 1, 12, "no '}'")
    syntax(folder, "brace not opened", "isb }\n", 1, 5, "'}' without '{'")
    syntax(folder, "quotes not closed", 'scenario "x\n', 1, 10, "quotes")
    syntax(folder, "words after a command", "isb now\n", 1, 5, "unexpected 'now'")
    syntax(folder, "diagnostics", "expect diagnostics RHXSYK\n", 1, 20, "'none' expected")
    syntax(folder, "unknown memory", "map 0 +4k devise\n", 1, 11, "'device'")
    syntax(folder, "no such FSC", "fault write at 0 stage1 fsc=0x3f\n", 1, 25, "no such FSC")
    syntax(folder, "memory words after the size", "map 0 +4k stage2 assured\n", 1, 18,
           "unknown property of memory")
    syntax(folder, "an attribute of the wrong stage", "map 0 +4k assured-only\n", 1, 11, "stage2")
    syntax(folder, "another page offset", "map 0 +4k pa=0x123\n", 1, 14, "low 12 bits")
    syntax(folder, "unknown space", "map 0 +4k pas=Relm\n", 1, 15, "'Realm'")
    syntax(folder, "unknown injection", "inject buffer-ful once\n", 1, 8, "'buffer-full'")
    syntax(folder, "an MSS of more than 16 bits", "inject impdef mss=0x10000 once\n", 1, 15, "at most 0xffff")
    syntax(folder, "an MSS2 of more than 24 bits", "inject impdef mss2=0x1000000 once\n", 1, 15, "at most 0xffffff")
    syntax(folder, "when to inject", "inject collision\n", 1, 17, "once")
    syntax(folder, "never to inject", "inject collision every 0\n", 1, 24, "1 to")
    syntax(folder, "unknown translation", "translate wlaker\n", 1, 11, "'walker'")
    syntax(folder, "no granule", "table 0 +64k granule=8k\n", 1, 14, "granule=")
    syntax(folder, "no table", "table 0x800 +64k\n", 1, 7, "aligned")
    syntax(folder, "no word", "word 4 0\n", 1, 6, "multiple of 8")
    syntax(folder, "no arrow", "page 0 0\n", 1, 8, "'->'")
    syntax(folder, "unknown scope", "tlbi al\n", 1, 6, "'all'")
    syntax(folder, "unknown Security state of a scope", "tlbi all security=x\n", 1, 19, "unknown Security state 'x'")
    syntax(folder, "unknown property of a scope", "tlbi all sec=x\n", 1, 10, "unknown property of a scope")
    syntax(folder, "an ASID too wide", "tlbi asid 0x10000\n", 1, 11, "an ASID has 16 bits")
    syntax(folder, "no event", "expect pmu.=5\n", 1, 12, "unknown PMU event ''")
    syntax(folder, "rarer than once in 2 to the 32", "inject collision rate 4294967296\n", 1, 23, "1 to 4294967295 expected")
    syntax(folder, "too often", "inject collision times 0\n", 1, 24, "1 to 4294967295 expected")
    equal(spemu("run", write(folder, "counts", "inject collision rate 4294967295\ninject collision times 4294967295\n")).returncode, 0,
          "the largest counts")
    syntax(folder, "unknown memory expected", "expect write.memory=devise\n", 1, 21, "unknown value")
    syntax(folder, "nesting", "repeat 2 { " * 40 + "isb" + " }" * 40, 1, 353, "nested")
    syntax(folder, "garbage", b"isb\n\x00\xff\xfe", 2, 1, "unexpected byte 0x00")
    syntax(folder, "garbage in a word", b"is\xffb", 1, 3, "unexpected byte 0xff")
    syntax(folder, "scenario in braces", "repeat 2 { scenario x }", 1, 12, "inside braces")


def test_files(folder):
    missing = spemu("run", folder("missing"))
    equal((missing.returncode, "No such file" in missing.stderr), (2, True), "missing file")
    equal(spemu("run", folder(".")).returncode, 2, "a directory")
    large = spemu("run", write(folder, "large", "# x\n" * 300000))
    equal((large.returncode, "longer than" in large.stderr), (2, True), "a file too long")
    empty = spemu("run", write(folder, "empty", ""))
    equal((empty.returncode, empty.stdout), (0, "0 scenarios, 0 expectations, 0 failed\n"),
          "an empty file")
    path = write(folder, "stdin", "expect stopped=no,\n")
    with open(path) as f:
        equal(spemu("run", "-", stdin=f).stderr.splitlines()[0].split(":")[:3],
              ["<stdin>", "1", "16"], "standard input")
    refuses("no file", 2, "no scenario", "run")
    refuses("unknown option", 2, "did you mean '--save'", "run", "--svae", "x")
    refuses("json and tap", 2, "exclude", "run", "--json", "--tap", "x")
    refuses("bad seed", 2, "--seed: expected a number, got 'x'", "run", "--seed", "x", "y")


def test_failures(folder):
    path = write(folder, "fail.spemu", SETUP + "sample other\n"
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
    equal((result.returncode, result.stdout), (1, expected), "all failures, each with its line")
    # D24.7: under NV2 PMBLIMITR_EL1 is at 0x800 from VNCR_EL2.BADDR.
    nested = write(folder, "nested.spemu", "features v8.7\nzero\nset SCR_EL3.NS=1 MDCR_EL3.NSPB=0b11 MDCR_EL2.E2PB=0b11\n"
                   "set HCR_EL2=NV|NV2\nat EL1\nmsr PMBLIMITR_EL1 0 -> nvmem 0x808\nmsr PMBLIMITR_EL1 0 -> nvmem 0x800\n")
    result = spemu("run", nested)
    equal((result.returncode, "msr PMBLIMITR_EL1: expected nvmem 0x808, got nvmem 0x800" in result.stdout,
           result.stdout.splitlines()[-1]), (1, True, "1 scenarios, 2 expectations, 1 failed"), "the wrong offset of an nvmem access")
    external = write(folder, "external.spemu", "features v9.6\nzero\nset SCR_EL3.NS=1 MDCR_EL3.EPMSSAD=0b11\nexternal read 0x608 -> 77\n")
    result = spemu("run", external)
    check(result.returncode == 1 and "external access: expected 0x4d, got 0\n" in result.stdout, "the wrong value of an external access",
          result.stdout)
    lines = [json.loads(li) for li in spemu("run", "--json", path).stdout.splitlines()]
    failed = [(e["line"], e["what"], e["expected"], e["got"]) for e in lines
              if e["event"] == "failed"]
    equal(failed[:2], [(9, "PMBSR_EL1.EC", "0x24", "0"), (9, "irq", "1", "no")], "as JSON")
    equal(lines[-1], {"event": "totals", "scenarios": 1, "expectations": 5, "failed": 4,
                      "cannot": 0}, "totals as JSON")
    tap = spemu("run", "--tap", path).stdout.splitlines()
    equal([sum(li.startswith(w) for li in tap) for w in ("ok ", "not ok ", "1..5")], [1, 4, 1],
          "as TAP")
    unstated = spemu("run", write(folder, "u", "zero\nat EL0\nmsr PMSCR_EL1 0\n"))
    equal((unstated.returncode, "expected ok, got undefined (" in unstated.stdout), (1, True),
          "an outcome that was not stated")
    never = spemu("run", write(folder, "n", "zero\nsample load\nend\n"))
    equal((never.returncode, "profiling is disabled\n" in never.stdout), (1, True), "no sample ever")
    stopped = spemu("run", write(folder, "s", SETUP + "fault write at 0x10040 stage1 "
                                              "translation level 3\nsample load x2\nstate\n"
                                              "sample load\n"))
    why = ("stopped by PMBSR_EL1=0x90020007: stage 1 Data Abort, Translation fault, level 3, "
           "at 0x10040\n")
    equal((stopped.returncode, stopped.stdout.count(why), f"disabled, {why}" in stopped.stdout),
          (1, 2, True), "no sample ever: the event that stopped profiling, and where")


def cannot(folder, name, text, pattern):
    result = spemu("run", write(folder, "cannot", text))
    check(result.returncode == 2 and re.search(pattern, result.stdout), name,
          f"status {result.returncode}\n{result.stdout}{result.stderr}")


def test_cannot(folder):
    cannot(folder, "an impossible feature set", "features v8.2,+FEAT_SPE_FDS\nisb\n", "requires")
    cannot(folder, "an option that the features forbid",
           "features v8.9\nchoose external-abort reported-synchronously\nisb\n",
           "no option reported-synchronously with these features: it needs -FEAT_SPEv1p3")
    cannot(folder, "and later in the scenario",
           "features v8.9\nisb\nchoose external-abort reported-asynchronously\n",
           "no option reported-asynchronously")
    cannot(folder, "configuration too late", "isb\nlayout dense\n", "before the first other")
    cannot(folder, "impossible size", "maxsize 100\nisb\n", "64, 128")
    cannot(folder, "a size that a record may exceed", "features v9.4\nmaxsize 64\nisb\n",
           "73 bytes: maxsize 64 is too small; use 128")
    cannot(folder, "no such Exception level", "features v8.7,-EL3\nat EL3\n", "not implemented")
    cannot(folder, "memory overlaps", "map 0 +8k\nmap 4k +8k\n", "overlaps")
    cannot(folder, "too much memory", "map 0 +1G\n", "256M")
    cannot(folder, "no more injections", "inject collision once\n" * 9, "more than 8")
    cannot(folder, "a page without tables", "page 0 -> 0\n", "no 'table'")
    cannot(folder, "no room for tables", "table 0 +4k\npage 0 -> 0x80000000\n", "no room")
    cannot(folder, "no memory for a word", "word 0 1\n", "no physical memory")
    cannot(folder, "no walker", "tlbi all\n", "translate walker")
    cannot(folder, "no such size", "features v8.7\npa-bits 33\nisb\n", "")
    cannot(folder, "what the walker does not have", WALKER.replace("v8.8", "v9.4,+FEAT_D128") +
           "table 0x100000 +64k\npage 0x10000 -> 0x80010000\nmap 0x80000000 +128k pa\n"
           "set TTBR0_EL1=0x100000 TCR_EL1.IPS=5 TCR2_EL1.D128=1 "
           "HCRX_EL2.TCR2En=1 SCR_EL3.TCR2En=1 SCR_EL3.HXEn=1\nat EL1\nsample other\nisb\n", "could not be written")
    cannot(folder, "too many steps", "repeat 18446744073709551615 { isb }\n", "more than")
    huge = SETUP.replace("PMSCR_EL1=E1SPE", "PMSCR_EL1=0")
    result = spemu("run", write(folder, "huge", huge + "op load x18446744073709551615\n"
                                "repeat 1000000000000 { op load x5 ; repeat 7 { op store } }\n"
                                "expect samples=0\n"))
    equal(result.returncode, 0, "huge counts of operations cost nothing while nothing is chosen")
    rest = spemu("run", write(folder, "rest", "isb\nlayout dense\nscenario b\nexpect stopped=yes\n"))
    check("2 scenarios" in rest.stdout and rest.returncode == 2, "the next scenario still runs")


def test_diagnostics(folder):
    """Software that breaks a rule fails the scenario, unless that is what it shows."""
    path = write(folder, "diagnostic", SETUP.replace("PMBPTR_EL1=0x10000", "PMBPTR_EL1=0x20000"))
    result = spemu("run", path)
    equal((result.returncode, f"{path}:7: at EL1\n    diagnostic pointer-above-limit (RHXSYK): "
           "expected none, got profiling became enabled" in result.stdout), (1, True),
          "an unexpected diagnostic, at its line")
    failed = [json.loads(li) for li in spemu("run", "--json", path).stdout.splitlines()][1]
    equal((failed["line"], failed["what"], failed["expected"]),
          (7, "diagnostic pointer-above-limit (RHXSYK)", "none"), "as JSON")
    for name in ("RHXSYK", "pointer-above-limit"):
        with open(path) as f:
            text = f.read() + f"expect diagnostic {name} diagnostics none\n"
        equal(spemu("run", write(folder, "expected", text)).returncode, 0, f"expected as {name}")
    other = spemu("run", write(folder, "other", text.replace("diagnostic pointer-above-limit",
                                                            "diagnostic RHLXGD")))
    equal((other.returncode, other.stdout.count("\n    ")), (1, 3),
          "another one expected: it, none, and the one that came")
    check("diagnostic pointer-above-limit (RHXSYK): profiling became" in
          spemu("run", "-v", path).stdout, "-v shows it")


def test_exceptions(folder):
    """-v shows when the exception of SPE that would be taken changes: Table D17-8."""
    path = write(folder, "exceptions", "scenario \"exceptions\"\nfeatures v9.6\nzero\n"
                 "set MDCR_EL3.NSPB=0b11 SCR_EL3.NS=1 MDCR_EL2.E2PB=0b11 PMSCR_EL2.EE=0b01 MDCR_EL3.PMSEE=0b01\n"
                 "at EL0\nset PMSCR_EL1.EE=0b11\nset PMBSR_EL1.S=1\nset PMSCR_EL1.KE=0\nat EL1\nset HCR_EL2.TGE=1\nat EL0\n")
    text = spemu("run", "-v", path).stdout
    equal([(int(n), what) for n, what in re.findall(r":(\d+): ((?:no )?SPE Profiling exception.*)", text)],
          [(7, "SPE Profiling exception to EL1"), (9, "no SPE Profiling exception"), (11, "SPE Profiling exception to EL2")],
          "exceptions of SPE as they change")


def test_words(folder):
    """Packets in perf's words, sizes by 1024 (256 operations to the sample and 2048 more), and settings at their ends."""
    path = write(folder, "words", SETUP + "sample load va=0x5000\nexpect record 0 { text \"VA 0x5000\" text \"LD GP-REG\" }\n"
                 "repeat 2k { op other }\nexpect operations=2304\n"
                 "scenario \"an Events packet of a byte\"\nevents-size 1\n")
    result = spemu("run", path)
    equal((result.returncode, result.stdout), (0, "2 scenarios, 3 expectations, 0 failed\n"), "packets in words")
    # D24.7.16: PMSIDR_EL1.Interval
    intervals = {256: 0, 512: 2, 768: 3, 1024: 4, 1536: 5, 2048: 6, 3072: 7, 4096: 8}
    text = "\nscenario \"\"\n".join(f"interval-min {n}\nmrs PMSIDR_EL1 -> Interval={field}" for n, field in intervals.items())
    equal(spemu("run", write(folder, "intervals", text + "\n")).stdout, "8 scenarios, 8 expectations, 0 failed\n", "every interval-min")
    wrong = spemu("run", write(folder, "words", SETUP + "sample load va=0x5000\nexpect record 0 { text \"VA 0x5008\" }\n"))
    check(wrong.returncode == 1 and "VA 0x5008" in wrong.stdout and "VA 0x5000" in wrong.stdout, "a packet that the record does not have",
          wrong.stdout)


def test_injection(folder):
    """The same seed gives the same run."""
    path = write(folder, "inject", SETUP + "inject collision rate 3\ninject buffer-full rate 40\n"
                 "repeat 50 { sample other ; msr PMBPTR_EL1 0x10000 ; msr PMBSR_EL1 0 }\nstate\n")
    runs = [spemu("run", "--seed", s, "-v", "--json", path).stdout for s in "112"]
    runs = ["\n".join(li for li in r.splitlines() if "PMBSR_EL1" in li) for r in runs]
    equal((runs[0] == runs[1], runs[0] == runs[2], "0x20001" in runs[0]), (True, False, True),
          "injections at a rate")


def test_repeat(folder):
    # 3 operations a time, 257 to a sample, 256 to the first: 300000 = 1167 * 257 - 1 + 82 operations,
    # and the k-th load of the pattern has va = 8 * k.
    path = write(folder, "repeat", SETUP.replace("0x20001", "0x60001").replace(
        "+0x10000", "+0x50000") + "repeat 100000 { op load va=0+8 ; op other x2 }\n"
        "expect samples=1167 operations=300000 until-sample=175\n"
        # Chosen are operations 257 k - 2 from 0; the first is a multiple of 3: 255 = 3 * 85, the
        # second, 512, is not.
        "expect record 0 { va=680 } ; expect record 1 { va=none }\n")
    result = spemu("run", path)
    equal((result.returncode, result.stdout), (0, "1 scenarios, 5 expectations, 0 failed\n"),
          "a repeated pattern counts and steps as if it were executed one by one")


def test_outputs(folder):
    path = write(folder, "ok.spemu", SETUP + "sample load pc=0x4000 va=0x8000 x3\nstate\n"
                 "set PMBSR_EL1.S=1\n")
    saved = folder("records")
    result = spemu("run", "--save", saved, path)
    equal((result.returncode, os.path.getsize(saved)), (0, 192), "--save: 3 records of 64 bytes")
    dump = spemu("dump", "--raw", saved, "--records", "--json")
    equal([json.loads(li)["pc"] for li in dump.stdout.splitlines()], ["0x4000"] * 3,
          "dump reads them")
    trace = spemu("run", "-v", path).stdout
    for words in ("record 2 at 0x10080: PC 0x4000", "PMBPTR_EL1 0x10000 -> 0x100c0",
                  "PMBIRQ asserted", "at EL1, owner Non-secure/EL1, profiling enabled"):
        check(words in trace, f"-v shows '{words}'", trace)
    equal(spemu("run", "-q", path).stdout.count("scenarios"), 0, "-q has no totals")
    old = spemu("run", "--features", "v8.2", write(folder, "f", "zero\nat EL3\n"
                                                   "mrs PMSNEVFR_EL1 -> undefined\n"))
    equal(old.returncode, 0, "--features replaces those of the scenario")
    jitter = write(folder, "j", SETUP.replace("PMSIRR_EL1.INTERVAL=1",
                                              "PMSIRR_EL1=INTERVAL=1|RND") +
                   "sample other x20\nstate\n")
    runs = [spemu("run", "--seed", s, jitter).stdout for s in ("1", "1", "2")]
    equal((runs[0] == runs[1], runs[0] == runs[2]), (True, False), "--seed")


# An owner by the choice reserved-nspb: 2 is reserved as NSPBE is 1 and NSPB 0b0x.
RESERVED = "features v9.6\nzero\nset MDCR_EL3.NSPBE=1\n"


def test_choices(folder):
    listed = [json.loads(li) for li in spemu("run", "--choices", "--json").stdout.splitlines()]
    rows = {c["name"]: c for c in listed}
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "arch",
                           "choices.txt"), encoding="utf-8") as f:
        words = [li.split() for li in f if not li.startswith("#")]
    names = [w[1] for w in words if w and w[0] == "Choice"]
    options = [w[1] for w in words if w and w[0] == "Option"]
    equal([c["name"] for c in listed], names, "--choices lists arch/choices.txt")
    equal([o["name"] for c in listed for o in c["options"]], options, "with every option")
    equal(rows["external-abort"]["default"], "ignored", "the default with v9.6")
    old = [json.loads(li) for li in
           spemu("run", "--choices", "--json", "--features", "v8.2").stdout.splitlines()]
    equal({c["name"]: c for c in old}["external-abort"]["default"], "reported-synchronously",
          "and with v8.2")
    text = spemu("run", "--choices").stdout
    check(all(n in text for n in names + options), "as text", text)
    refuses("choices and a scenario", 2, "no scenario", "run", "--choices", "x")
    refuses("unknown choice", 2, "did you mean 'zero-interval'", "run", "--choose",
            "zero-intervall=256", "x")
    refuses("unknown option", 2, "zero-interval has no option '257'", "run", "--choose",
            "zero-interval=257", "x")
    refuses("no option", 2, "NAME=OPTION", "run", "--choose", "zero-interval", "x")
    refuses("all is random only", 2, "random only", "run", "--choose", "all=secure", "x")
    path = write(folder, "reserved", RESERVED + "expect owner=Secure/EL1\n")
    equal(spemu("run", path).returncode, 0, "the default owner")
    equal(spemu("run", "--choose", "reserved-nspb=secure", path).returncode, 0, "the same named")
    equal(spemu("run", "--choose", "reserved-nspb=realm", path).returncode, 1, "another owner")
    stated = write(folder, "stated", "choose reserved-nspb non-secure\n" + RESERVED +
                   "expect owner=Non-secure/EL2\n")
    equal(spemu("run", stated).returncode, 0, "the scenario's own choice")
    equal(spemu("run", "--choose", "all=random", stated).returncode, 0, "all=random leaves it")
    equal(spemu("run", "--choose", "reserved-nspb=secure", stated).returncode, 1,
          "by name it is replaced")
    zero = write(folder, "zero", "features v8.2\nzero\nmap 0x10000 +0x10000\nset MDCR_EL3.NSPB=3 "
                 "MDCR_EL2.E2PB=3 SCR_EL3.NS=1 PMBPTR_EL1=0x10000 PMBLIMITR_EL1=0x20001\n"
                 "set PMSCR_EL1.E1SPE=1\nat EL1\nchoose all random\n"
                 "sample load x20\nstate\n")
    runs = [spemu("run", "--seed", seed, "-v", zero).stdout for seed in ("1", "1", "2")]
    equal((runs[0] == runs[1], runs[0] == runs[2]), (True, False), "random, as the seed decides")


# A failure, a trace, an outcome that was not stated, a diagnostic, a command that cannot be done, an error of
# syntax: each after text that a terminal must not have, in a name and in a comment.
SHOWN = ("expect stopped=no", "sample other", "msr PMSCR_EL1 0 -> undefined",
         "at EL3 ; layout dense", "msr PMSCR_EL1 0 -> undefind")


def test_clean(folder):
    """Nothing of a scenario reaches the terminal as it is; its name does not either."""
    problems, shown = [], 0
    for n, bad in enumerate(not_fit()):
        bad = b"" if bad == b"\n" else bad
        path = os.path.join(os.fsencode(folder.path), b"evil" + bad)
        with open(path, "wb") as f:
            f.write(b'features v8.7\nscenario "name' + bad.replace(b"\r", b"") + b'"\n' +
                    SHOWN[n % len(SHOWN)].encode() + b" # wrong" + bad + b"comment\n")
        for args in ((), ("-v",), ("--tap", "-v"), ("--strict", "--json")):
            result = spemu("run", *args, os.fsdecode(path), text=False)
            shown += b"wrong" in result.stdout + result.stderr
            problems += [f"{bad!r} {args}: {p}" for p in map(leak, (result.stdout, result.stderr))
                         if p]
        os.unlink(path)
    check(not problems, "no text of a scenario reaches the terminal as it is", "\n".join(problems))
    check(shown > 100, "though it is shown", shown)
    path = write(folder, "accents", "expect stopped=no # caf\u00e9 \u65e5\u672c\n")
    check("# caf\u00e9 \u65e5\u672c" in spemu("run", path).stdout, "and other letters are kept")
    path = write(folder, "caret", 'scenario "caf\u00e9" now\n')
    equal(spemu("run", path).stderr.splitlines()[1:], ['  scenario "caf\u00e9" now',
                                                       " " * 18 + "^"],
          "a caret is below its place after other letters")


select_case(globals())
with Folder() as folder:
    test_syntax(folder)
    test_files(folder)
    test_failures(folder)
    test_cannot(folder)
    test_diagnostics(folder)
    test_injection(folder)
    test_words(folder)
    test_exceptions(folder)
    test_repeat(folder)
    test_outputs(folder)
    test_choices(folder)
    test_clean(folder)
done()
