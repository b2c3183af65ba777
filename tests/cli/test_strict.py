# SPDX-License-Identifier: MIT
"""spemu run --strict. Each diagnostic and each sentence of D17.9 has a wrong scenario and its
corrected twin. Also the sequences of Linux and of a hypervisor, and the reports.

The scenarios are in tests/strict: NAME_wrong.spemu, NAME_right.spemu, linux_*.spemu,
hypervisor_*.spemu, firmware_*.spemu.
"""
import json
import pathlib
import re

import pytest

from clilib import ROOT, compile_c, nm, refuses, spemu, write

SCENARIOS = ROOT / "tests" / "strict"
PAGE = SCENARIOS.parent.parent / "docs" / "reference" / "strict-mode.md"
GOLDEN = SCENARIOS.parent / "golden"
SEEDS = range(64)
NAMES = sorted(path.name.removesuffix("_wrong.spemu") for path in SCENARIOS.glob("*_wrong.spemu"))
DIAGNOSTICS = [name for name in NAMES if f"| `{name.replace('_', '-')}` |" in PAGE.read_text(encoding="utf-8")]


def events(*args):
    """Run spemu. Return the exit status and the JSON lines."""
    result = spemu("run", "--json", *args)
    return result.returncode, [json.loads(line) for line in result.stdout.splitlines()]


def names(lines):
    return {e["name"] for e in lines if e["event"] == "diagnostic"}


def failures(lines):
    return [e for e in lines if e["event"] in ("failed", "cannot", "error")]


def run_seeds(paths, *args):
    """Return {name without .spemu: JSON lines of each seed}. One process runs all files with one seed."""
    lines = {path.stem: [[] for _ in SEEDS] for path in paths}
    status = []
    for seed in SEEDS:
        code, all_lines = events(f"--strict={seed}", *args, *paths)
        status.append(code)
        for line in all_lines:
            if "file" in line:
                lines[pathlib.Path(line["file"]).stem][seed].append(line)
    return status, lines


@pytest.fixture(scope="module")
def pairs():
    """Run all pairs with every seed. Return the lines of the wrong and of the right scenarios, by
    the name of the pair."""
    wrong = sorted(SCENARIOS.glob("*_wrong.spemu"))
    right = sorted(SCENARIOS.glob("*_right.spemu"))
    assert [p.name.replace("_wrong.", "_right.") for p in wrong] == [p.name for p in right], "each scenario has its twin"
    _, told = run_seeds(wrong)
    status, silent = run_seeds(right, "--error-exitcode", "9")
    assert set(status) == {0}, "right scenarios have status 0 with --error-exitcode"
    return ({name.removesuffix("_wrong"): lines for name, lines in told.items()},
            {name.removesuffix("_right"): lines for name, lines in silent.items()})


@pytest.mark.parametrize("name", NAMES)
def test_right(pairs, name):
    """A right scenario passes and is never reported, with any seed and in plain mode."""
    seeds = pairs[1][name]
    bad = [f"seed {seed}: {names(lines)} {failures(lines)}" for seed, lines in enumerate(seeds)
           if names(lines) or failures(lines) or not lines]
    assert not bad, f"{name}, right: no diagnostics and no failures\n" + "\n".join(bad)
    status, lines = events(SCENARIOS / f"{name}_right.spemu")
    assert status == 0 and not failures(lines), f"{name}, right, in plain mode\n{lines}"


@pytest.mark.parametrize("name", DIAGNOSTICS)
def test_diagnostic(tmp_path, pairs, name):
    """The wrong scenario is reported with every seed. In plain mode, both scenarios of a pair have
    the same records."""
    diagnostic = name.replace("_", "-")
    silent = [seed for seed, lines in enumerate(pairs[0][name]) if diagnostic not in names(lines)]
    assert not silent, f"{diagnostic}: reported with every seed\nnot with {silent}"
    for twin in ("right", "wrong"):
        events("--save", f"{tmp_path}/{twin}", SCENARIOS / f"{name}_{twin}.spemu")
    assert pathlib.Path(f"{tmp_path}/wrong").read_bytes() == pathlib.Path(f"{tmp_path}/right").read_bytes(), \
        f"{diagnostic}: both scenarios have the same records in plain mode"


def sentences():
    """Return the rows of docs/reference/strict-mode.md about D17.9 and D17.3.7 as (place,
    scenarios, how wrong scenarios are detected)."""
    text = PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| ((?:R|I)[A-Z]{5}(?:\.\d+)?) \|[^|]+\|([^|]*)\|([^|]*)\|$", text, re.M)
    return [(place, re.findall(r"`([a-z0-9_/]+)`", scenarios), shown) for place, scenarios, shown in rows]


def check_sentence(place, name, shown, seeds):
    """A wrong scenario relies on more than this sentence guarantees. Check that a diagnostic of the
    row reports it, or that it sees a bad value."""
    expected = set(re.findall(r"`([a-z-]+)`", shown))
    reported = [seed for seed, lines in enumerate(seeds) if expected & names(lines)]
    failed = [seed for seed, lines in enumerate(seeds) if failures(lines)]
    if expected:
        assert reported, f"{place}: {name}, wrong, is reported as {' or '.join(sorted(expected))}"
    if "a bad value" in shown:
        assert failed, f"{place}: {name}, wrong, sees a bad value"
    assert expected or "a bad value" in shown, f"{place}: the row says how {name} is detected\n{shown}"


# The rules of D17.9, D17.9.1 and D17.3.7, in the order of the manual.
RULES = {"IRRBSZ", "IWZSLB", "INRNSL", "INDWCG", "RTRDTK", "IMLGHW", "IVKDVF", "RPVRNK", "RSXWCP", "RVCYWL", "RQJWVQ",
         "IPDDCL", "RQWTQB", "IQYCRM", "IDBJXM", "IRCCQG", "RLTMKQ"}


def test_sentences(pairs, diagnostics):
    """Each sentence has its pair, and each pair belongs to a sentence or a diagnostic."""
    told, rows = pairs[0], sentences()
    assert {place.split(".")[0] for place, _, _ in rows} == RULES, "every rule of D17.9 and D17.3.7 is in the table"
    assert len({place for place, _, _ in rows}) == len(rows), "each sentence occurs once"
    used = set()
    for place, scenarios, shown in rows:
        assert scenarios, f"{place} has a scenario"
        for name in scenarios:
            if name.startswith("golden/"):
                assert (GOLDEN / f"{name.removeprefix('golden/')}.spemu").exists(), f"{place}: {name} exists"
            else:
                assert name in told, f"{place}: {name} exists"
                used.add(name)
                check_sentence(place, name, shown, told[name])
    assert {n for n in told if n not in used and n.replace("_", "-") not in diagnostics} == set(), \
        "each pair belongs to a sentence or a diagnostic"


@pytest.fixture(scope="module")
def diagnostics(tmp_path_factory):
    """Return the names of all diagnostics."""
    sarif = tmp_path_factory.mktemp("names") / "list.sarif"
    spemu("run", "--sarif", sarif, SCENARIOS / "reserved_value_right.spemu")
    with open(sarif, encoding="utf-8") as f:
        return {r["id"] for r in json.load(f)["runs"][0]["tool"]["driver"]["rules"]}


def test_names(diagnostics):
    assert diagnostics - {name.replace("_", "-") for name in NAMES} == set(), "every diagnostic has a pair of scenarios"
    page = PAGE.read_text(encoding="utf-8")
    assert {r for r in diagnostics if f"| `{r}` |" not in page} == set(), \
        "docs/reference/strict-mode.md lists all diagnostics"


def test_linux():
    scenarios = {name: SCENARIOS / f"linux_{name}.spemu" for name in ("driver", "order", "vm_interrupt", "vm_cured")}
    status, lines = events(scenarios["driver"])
    assert status == 0 and not names(lines) and not failures(lines), f"Linux's sequences in plain mode\n{lines}"
    _, lines = run_seeds(scenarios.values())
    for name in ("driver", "vm_cured"):
        bad = [one for one in lines[f"linux_{name}"] if not one or names(one) or failures(one)]
        assert not bad, f"linux_{name}: no diagnostics with any seed\n{bad}"
    silent = [one for one in lines["linux_order"] if "status-cleared-before-pointers" not in names(one)]
    assert not silent, f"PMBSR_EL1 without the ISB is reported with every seed\n{silent}"
    assert [names(one) for one in lines["linux_vm_interrupt"]] == [{"vm-write-ignored", "status-never-cleared"}] * len(SEEDS), \
        "the handler in a VM is reported with every seed"
    _, lines = events("--vm-rules", "ignore-writes", scenarios["driver"])
    assert failures(lines), f"--vm-rules: the handler of the driver loses its next buffer\n{lines}"


# Steps that a hypervisor or firmware must not omit if it shares the SPU, and the diagnostics that each omission causes
# with every seed.
HOSTS = {
    "hypervisor_switch": set(),
    "hypervisor_saved_early": {"register-read-unsynchronized"},
    "hypervisor_status_left": {"status-never-cleared"},
    "hypervisor_owner_first": {"regime-switched-in-flight"},
    "hypervisor_pinned": set(),
    "hypervisor_unpinned": {"buffer-translation-changed"},
    "firmware_lazy_switch": set(),
    "firmware_owner_first": {"regime-switched-while-enabled"},
}


def test_hosts():
    scenarios = {name: SCENARIOS / f"{name}.spemu" for name in HOSTS}
    there = [*SCENARIOS.glob("hypervisor_*"), *SCENARIOS.glob("firmware_*")]
    assert sorted(there) == sorted(scenarios.values()), "every scenario of a hypervisor or firmware is run"
    _, lines = run_seeds(scenarios.values())
    for name, expected in HOSTS.items():
        bad = [one for one in lines[name] if not one or names(one) != expected or failures(one)]
        assert not bad, f"{name}: {' '.join(expected) or 'nothing'} is reported with every seed\n{bad}"
        if not expected:
            status, plain = events(scenarios[name])
            assert status == 0 and not names(plain) and not failures(plain), f"{name} in plain mode\n{plain}"


BAD = """features v8.7
zero
set MDCR_EL3.NSPB=0b11 SCR_EL3.NS=1 MDCR_EL2.E2PB=0b11
at EL1
pc %#x
msr PMBLIMITR_EL1 FM=1
msr PMBLIMITR_EL1 FM=1
"""


def test_reports(tmp_path):
    path = write(tmp_path, "bad.spemu", BAD % 0x1000)
    result = spemu("run", "--strict", path)
    assert result.returncode == 0, "reports do not change the exit status 0"
    text = result.stdout
    assert (f"{path}:6: reserved-value (D24.7)\n    msr PMBLIMITR_EL1 FM=1\n    at 0x1000\n" in text
            and "\n    PMBLIMITR_EL1=0x2\n    cause: " in text and "\n    remedy: " in text
            and text.endswith("2 diagnostics, 0 suppressed\n")), f"a report as text\n{text}"
    status, lines = events("--strict", "--error-exitcode", "7", path)
    assert status == 7, "--error-exitcode"
    first = next(e for e in lines if e["event"] == "diagnostic")
    assert ({k: first[k] for k in ("file", "line", "name", "rule", "pc", "values")} ==
            {"file": path, "line": 6, "name": "reserved-value", "rule": "D24.7", "pc": "0x1000",
             "values": {"PMBLIMITR_EL1": "0x2"}}), "a report is a JSON line"
    assert lines[-1] == {"event": "diagnostics", "shown": 2, "suppressed": 0}, "the last JSON line counts the reports"
    result = spemu("run", "--strict", "--tap", path)
    assert all(line.startswith("#") or line == "1..0" for line in result.stdout.splitlines()), \
        f"TAP shows them as comments\n{result.stdout}"
    result = spemu("run", "-q", "--error-exitcode", "7", path)
    assert (result.returncode, result.stdout) == (0, ""), "plain mode prints no reports"
    write(tmp_path, "self.spemu", "features v8.7\nstrict 3\n" + BAD.split("\n", 1)[1] % 0x1000
          + "expect diagnostic reserved-value\n")
    _, lines = events("--error-exitcode", "7", f"{tmp_path}/self.spemu")
    assert len([e for e in lines if e["event"] == "diagnostic"]) == 1, \
        "the command strict enables strict mode; an expected diagnostic is not a report"


def test_suppressions(tmp_path):
    path = write(tmp_path, "bad.spemu", BAD % 0x1000)
    for number, (text, shown) in enumerate((
            ("reserved-value\n", 0), ("D24.7   # the rule\n", 0), ("RHXSYK\n", 2), ("*\n", 0),
            ("reserved-value pc=0x1000\n", 1), ("* pc=0x1001-0x1004\n", 1),
            ("* pc=0x1000-0x1004\n", 0), ("* symbol=*\n", 2), ("\n# nothing\n", 2))):
        write(tmp_path, "known", text)
        status, lines = events("--strict", "--error-exitcode", "7", "--suppressions",
                               f"{tmp_path}/known", path)
        assert (status, lines[-1]["shown"], lines[-1]["suppressed"]) == (7 if shown else 0, shown, 2 - shown), \
            f"suppression {number}: {text.strip()}"
    known = write(tmp_path, "known", "# one\nreserved-value pc=0x1000\n\n* symbol=nothing\nRHXSYK\n")
    unused = [f"spemu run: {known}:{line}: matched nothing" for line in (4, 5)]
    for args, told in ((("-v",), unused), ((), []), (("-q",), [])):
        result = spemu("run", "--strict", *args, "--suppressions", known, path)
        assert result.stderr.splitlines() == told, f"unused suppressions are reported: {' '.join(args)}"
    for text, pattern in (("reserved-valeu\n", r"known:1: .*did you mean 'reserved-value'"),
                          ("\n* pc=7-3\n", r"known:2: pc="), ("* line=3\n", r"known:1: pc=")):
        write(tmp_path, "known", text)
        refuses(f"refused: {text.strip()}", 125, pattern, "run", "--strict", "--suppressions",
                f"{tmp_path}/known", path)
    refuses("no such file", 125, "cannot read", "run", "--suppressions", f"{tmp_path}/none", path)


def test_symbols(tmp_path):
    elf = compile_c(tmp_path, "driver", "int handler(int x) { return x * 3; }\n"
                    "int main(int c, char **v) { return handler(c); }\n", "-static")
    start = nm(elf)["handler"]
    write(tmp_path, "sym.spemu", BAD % start)
    result = spemu("run", "--strict", "--elf", elf, f"{tmp_path}/sym.spemu")
    assert f"    at {start:#x} handler+0\n" in result.stdout, f"the report shows a symbol\n{result.stdout}"
    write(tmp_path, "known", "reserved-value symbol=hand*\n")
    sarif = f"{tmp_path}/out.sarif"
    status, lines = events("--strict", "--elf", elf, "--suppressions", f"{tmp_path}/known", "--sarif",
                           sarif, "--error-exitcode", "3", f"{tmp_path}/sym.spemu")
    assert (status, lines[-1]["suppressed"]) == (0, 2), "reports can be suppressed by symbol"
    with open(sarif, encoding="utf-8") as f:
        log = json.load(f)
    run = log["runs"][0]
    result = run["results"][0]
    assert (log["version"], run["tool"]["driver"]["name"], len(run["results"])) == ("2.1.0", "spemu", 2), "a SARIF log"
    assert (result["ruleId"], run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"]) == ("reserved-value", "reserved-value"), \
        "SARIF: the rule and its index"
    place = result["locations"][0]
    assert ((place["physicalLocation"]["artifactLocation"]["uri"],
             place["physicalLocation"]["region"]["startLine"],
             place["logicalLocations"][0]["name"], result["suppressions"]) ==
            ("file://" + f"{tmp_path}/sym.spemu", 6, "handler", [{"kind": "external"}])), \
                "SARIF: the place of the report"
    refuses("no ELF file", 125, "known", "run", "--elf", f"{tmp_path}/known", f"{tmp_path}/sym.spemu")


def test_options(tmp_path):
    path = write(tmp_path, "bad.spemu", BAD % 0x1000)
    refuses("seed", 2, "--strict: expected a number, got 'x'", "run", "--strict=x", path)
    refuses("exit status", 2, "1 to 255", "run", "--error-exitcode", "256", path)
    refuses("vm rule", 2, "did you mean 'physical-only'", "run", "--vm-rules", "physical-onyl",
            path)
    refuses("largest buffer", 2, "expected a number up to 0x3fff", "run", "--vm-rules", "max-buffer=0x4000", path)
    refuses("sarif", 125, "cannot write", "run", "--sarif", f"{tmp_path}/no/where", path)
    _, lines = events("--vm-rules", "max-buffer=1,physical-only",
                      write(tmp_path, "id.spemu", "zero\nat EL3\nmrs PMBIDR_EL1 -> MaxBuffSize=1\n"))
    assert not failures(lines), f"--vm-rules: PMBIDR_EL1\n{lines}"


def test_capture(tmp_path):
    """A Capture takes time in strict mode, unless the choice is set (D24.5.23)."""
    capture = """features v9.6
zero
set SCR_EL3.NS=1 MDCR_EL3.PMSSE=0b11 MDCR_EL3.EnPMSS=1 MDCR_EL2.HPMN=6
at EL2
msr PMSSCR_EL1 1
mrs PMSSCR_EL1 -> SS=%d
"""
    for ongoing, arguments in ((0, ()), (1, ("--strict",)),
                               (0, ("--strict", "--choose", "capture-completion=immediate"))):
        run = spemu("run", *arguments, write(tmp_path, "capture.spemu", capture % ongoing))
        assert run.returncode == 0, f"run {' '.join(arguments)}: SS={ongoing} after a request\n{run.stdout + run.stderr}"
