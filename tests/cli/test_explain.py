# SPDX-License-Identifier: MIT
"""spemu explain: batches compared with an evaluation of D17.4 and D17.7.5 that was written from the manual's text.
Also remedies, which the tests try out; every rejected input; JSON; and register dumps."""
import json
import pathlib
import random
import re
import subprocess

from clilib import ENVIRONMENT, SPEMU, refuses, run, spemu, write

# Values of features= -> the features among them that the evaluation below uses
SETS = {
    "v8.2": "EL2 EL3 S VHE",
    "v8.4": "EL2 EL3 S VHE SEL2",
    "v8.4,-FEAT_VHE,-FEAT_E2H0": "EL2 EL3 S SEL2",
    "v8.9": "EL2 EL3 S VHE SEL2 SS",
    "v8.4,-EL2": "EL3 S",
    "v8.2,-EL3": "EL2 VHE",
    "v8.2,-EL3,-EL2,-Secure": "",
    "v9.2": "EL2 EL3 S VHE SEL2 RME",
    "v9.6": "EL2 EL3 S VHE SEL2 RME EXC SS",
    "v9.6,-FEAT_E2H0": "EL2 EL3 S VHE SEL2 RME EXC E2HRES1 SS",
    "v9.6,-FEAT_SEL2": "EL2 EL3 VHE RME EXC SS",
    "v9.6,-FEAT_RME": "EL2 EL3 S VHE SEL2 EXC SS",
    "v9.6,-FEAT_SPEv1p5,-FEAT_SPE_EXC": "EL2 EL3 S VHE SEL2 RME SS",
}
FIELDS = {
    "SCR_EL3.NS": 1, "SCR_EL3.NSE": 1, "SCR_EL3.EEL2": 1, "MDCR_EL3.NSPB": 2, "MDCR_EL3.NSPBE": 1,
    "MDCR_EL3.PMSEE": 2, "MDCR_EL2.E2PB": 2, "HCR_EL2.TGE": 1, "HCR_EL2.E2H": 1,
    "PMSCR_EL1.E0SPE": 1, "PMSCR_EL1.E1SPE": 1, "PMSCR_EL2.E0HSPE": 1, "PMSCR_EL2.E2SPE": 1,
    "PMSCR_EL2.EE": 2, "PMBLIMITR_EL1.E": 1, "PMBSR_EL1.S": 1, "PMBSR_EL2.S": 1, "PMBSR_EL3.S": 1,
    "MDCR_EL3.PMSSE": 2, "MDCR_EL2.PMSSE": 2, "PMECR_EL1.SSE": 2, "OSLSR_EL1.OSLK": 1,
}
STATES = ("Secure", "Non-secure", "Root", "Realm")


def evaluate(features, v):
    """Return the decisions that follow from the text of RBWRVP, RKFMHR, RTWFRY, RWXXFL and Table
    D17-1."""
    has = set(SETS[features].split())
    if "EL3" not in has:
        v = dict(v, **{"SCR_EL3.NS": 1, "SCR_EL3.NSE": 0, "SCR_EL3.EEL2": 0})
    if "RME" not in has:
        v = dict(v, **{"SCR_EL3.NSE": 0, "MDCR_EL3.NSPBE": 0})
    if "SEL2" not in has:
        v = dict(v, **{"SCR_EL3.EEL2": 0})
    if "S" not in has:
        v = dict(v, **{"SCR_EL3.NS": 1})
    # Find the owner of the buffer.
    if "EL3" not in has:
        security = "Non-secure"
    elif v["MDCR_EL3.NSPB"] >= 2:
        security = "Realm" if v["MDCR_EL3.NSPBE"] else "Non-secure"
    elif "S" in has:
        security = "Secure"  # {1, 0b0x} is reserved; the choice reserved-nspb has this default
    else:
        security = "Non-secure"  # reserved, without Secure state: as if profiling were disabled
    as_if_disabled = "EL3" in has and "S" not in has and v["MDCR_EL3.NSPB"] < 2
    el2_there = "EL2" in has and (security != "Secure" or v["SCR_EL3.EEL2"])
    el = 2 if el2_there and v["MDCR_EL2.E2PB"] == 0 else 1
    e2h = "VHE" in has and (v["HCR_EL2.E2H"] or "E2HRES1" in has)
    regime = f"{security} EL1&0" if el == 1 else f"{security} EL2{'&0' if e2h else ''}"
    # Decide whether profiling is stopped.
    el2_on = "EL2" in has and (v["SCR_EL3.NS"] or v["SCR_EL3.EEL2"])
    stopped = v["PMBSR_EL1.S"]
    if "EXC" in has and "EL3" in has:
        if el2_on and v["MDCR_EL3.PMSEE"] != 0 and v["PMSCR_EL2.EE"] >= 2:
            stopped = stopped or v["PMBSR_EL2.S"]
        if v["MDCR_EL3.PMSEE"] >= 2:
            stopped = stopped or v["PMBSR_EL3.S"]
    # Decide at which Exception levels profiling is enabled.
    current = STATES[v["SCR_EL3.NSE"] * 2 + v["SCR_EL3.NS"]]
    in_32 = v["PSTATE.nRW"]
    owner_in_32 = in_32 and v["PSTATE.EL"] >= el
    buffer = (v["PMBLIMITR_EL1.E"] and not stopped and current == security and not as_if_disabled
              and v["PE.state"] == "non-debug" and not owner_in_32)
    tge = el2_on and v["HCR_EL2.TGE"]
    enabled = {"EL3": False,
               "EL2": el == 2 and bool(v["PMSCR_EL2.E2SPE"]),
               "EL1": not tge and bool(v["PMSCR_EL1.E1SPE"]),
               "EL0": bool(v["PMSCR_EL2.E0HSPE"]) and el == 2 if tge
               else bool(v["PMSCR_EL1.E0SPE"])}
    enabled = {k: bool(e and buffer and not in_32) for k, e in enabled.items()}
    return {"stopped": bool(stopped), "buffer_enabled": bool(buffer),
            "owner": {"security": security, "el": el}, "regime": regime, "enabled": enabled,
            "capture": capture(has, v)}


def capture(has, v):
    """Return the answer of RYWLFL, RTSYTY and Table D13-10. The highest Exception level that does
    not delegate decides."""
    controls = [v["MDCR_EL3.PMSSE"]] * ("EL3" in has) + [v["MDCR_EL2.PMSSE"]] * ("EL2" in has)
    # 0b01 of PMECR_EL1.SSE is reserved: the choice reserved-sse
    value = next((c for c in controls if c != 1), v["PMECR_EL1.SSE"] if v["PMECR_EL1.SSE"] != 1 else 0)
    if "SS" not in has or value == 0:
        return "Disabled"
    locked = v["OSLSR_EL1.OSLK"] or v["PE.state"] == "debug"
    return "Allowed" if value == 3 and not locked else "Prohibited"


def random_state(rng):
    v = {name: rng.randrange(1 << width) for name, width in FIELDS.items()}
    v["PSTATE.EL"] = rng.randrange(4)
    v["PSTATE.nRW"] = int(rng.random() < 0.1)
    v["PE.state"] = "debug" if rng.random() < 0.1 else "non-debug"
    for name in ("PMBSR_EL1.S", "PMBSR_EL2.S", "PMBSR_EL3.S"):
        v[name] = int(rng.random() < 0.2)
    v["PMBLIMITR_EL1.E"] = int(rng.random() < 0.8)
    if rng.random() < 0.6:  # the usual state after firmware
        v["MDCR_EL3.NSPB"] = v["SCR_EL3.NS"] << 1 | 1
        v["MDCR_EL3.NSPBE"] = v["SCR_EL3.NSE"]
    return v


def number(rng, value, width):
    return rng.choice([f"{value}", f"{value:#x}", f"0b{value:0{width}b}", f"0x{value:08X}"])


def assignments(rng, features, v):
    """Return the state as text, with fields in random order and notation. Some fields with default
    values are omitted."""
    words = [] if features == "v9.6" and rng.random() < 0.5 else [f"features={features}"]
    for name, value in v.items():
        default = "non-debug" if name == "PE.state" else 0
        if value == default and rng.random() < 0.5:
            continue
        words.append(f"{name}={value}" if name == "PE.state"
                     else f"{name}={number(rng, value, FIELDS.get(name, 2))}")
    rng.shuffle(words)
    return words


def batch(text):
    return subprocess.run([SPEMU, "explain", "--batch"], input=text.encode(), env=ENVIRONMENT,
                          capture_output=True, timeout=120, check=False)


def test_batch():
    rng = random.Random(17)
    states = [(rng.choice(list(SETS)), random_state(rng)) for _ in range(40000)]
    out = batch("".join(" ".join(assignments(rng, f, v)) + "\n" for f, v in states))
    lines = out.stdout.decode().splitlines()
    assert (out.returncode, len(lines)) == (0, len(states)), "batch: one line for each state"
    wrong = [(f, v, line) for (f, v), line in zip(states, lines)
             if json.loads(line) != evaluate(f, v)]
    assert not wrong, f"batch: 40000 random states as the manual says\n{len(wrong)} differ; first {wrong[0]}\n{evaluate(*wrong[0][:2])}"
    seen = [evaluate(f, v) for f, v in states]
    for el in ("EL0", "EL1", "EL2"):
        assert sum(s["enabled"][el] for s in seen) > 300, f"batch: {el} is enabled in many states"
    assert len({s["regime"] for s in seen}) == 9, "batch: all nine regimes occur"


def test_batch_form():
    default = ('{"stopped":false,"buffer_enabled":false,"owner":{"security":"Secure","el":1},'
               '"regime":"Secure EL1&0","enabled":{"EL0":false,"EL1":false,"EL2":false,'
               '"EL3":false},"capture":"Disabled"}')
    out = batch("\n \t\nPMSCR_EL1=0x3\r\n")
    assert (out.returncode, out.stdout.decode()) == (0, (default + "\n") * 3), \
        "batch: the exact output; an empty line is the default state; CR LF is accepted"
    assert batch("").stdout == b"", "batch: no lines, no output"
    assert batch("PSTATE.EL=1").stdout.decode() == default + "\n", "batch: a last line without newline"
    out = batch("PSTATE.EL=1\nPMSCR_EL1.E9SPE=1\nPSTATE.EL=2\n")
    lines = [json.loads(li) for li in out.stdout.decode().splitlines()]
    assert (out.returncode, [list(li)[0] for li in lines]) == (2, ["stopped", "error", "stopped"]), \
        "batch: a bad line is reported in its place, and sets the final status"
    wild = bytes(random.Random(1).randrange(256) for _ in range(60000)) + b"\n\"\\=\x00=1\n"
    out = subprocess.run([SPEMU, "explain", "--batch"], input=wild, env=ENVIRONMENT,
                         capture_output=True, timeout=60, check=False)
    objects = [json.loads(li) for li in out.stdout.decode("ascii").splitlines()]
    assert (out.returncode == 2 and len(objects) == wild.count(b"\n")
            and all("error" in o or "stopped" in o for o in objects)), "batch: random bytes"
    long = "PMSCR_EL1.E0SPE=1 " * 20000
    assert len(batch(long + "\n" + long).stdout.splitlines()) == 2, "batch: very long lines"
    # A line has at most 1 MiB, including its end. So no line can exhaust memory.
    most = (1 << 20) - 1
    out = batch("PMSCR_EL1=3".ljust(most) + "\n" + " " * (most + 1) + "\n" + "\n" + "x" * (5 << 20) +
                "\nPMSCR_EL1=3\n" + "y" * (3 << 20))
    told = f'{{"error":"the line is longer than {most} bytes"}}'
    assert (out.returncode, out.stdout.decode().splitlines()) == (2, [default, told, default, told, default, told]), \
        "batch: lines that are too long are reported in their place, and the others are answered"


def words_of(features, v):
    return [f"features={features}"] + [f"{n}={x}" for n, x in v.items()]


def writes_reserved(features, v, writes):
    """Return true if `writes` make MDCR_EL3.{NSPBE, NSPB} or MDCR_EL2.E2PB reserved (RBWRVP {1,
    0b0x}; 0b01)."""
    after = dict(v, **writes)
    return (writes.get("MDCR_EL2.E2PB") == 1
            or (any(n.startswith("MDCR_EL3.NSPB") for n in writes)
                and "RME" in SETS[features].split()
                and after["MDCR_EL3.NSPBE"] and after["MDCR_EL3.NSPB"] < 2))


def test_remedies():
    """Each proposed remedy enables profiling, no smaller change enables it, and "never" is
    correct."""
    rng = random.Random(4)
    tried = never = 0
    problems = []
    writable = [n for n in FIELDS if not n.startswith(("SCR", "HCR"))]
    for _ in range(150):
        features = rng.choice(["v8.4", "v9.2", "v9.6"])
        v = random_state(rng)
        el = f"EL{v['PSTATE.EL']}"
        result = json.loads(spemu("explain", "--json", *words_of(features, v)).stdout)
        if result["answer"] != evaluate(features, v)["enabled"][el]:
            problems.append(("answer", features, v))
        if result["answer"]:
            continue
        writes = {w["field"]: w["value"] for w in result["to_enable"]}
        fewer = [{n: x} for n in writable for x in range(1 << FIELDS[n])]
        if len(writes) != 2:
            fewer = fewer if len(writes) != 1 else []
        fewer = [w for w in fewer if not writes_reserved(features, v, w)]
        if any(evaluate(features, dict(v, **w))["enabled"][el] for w in fewer):
            problems.append(("not smallest", features, v, writes))
        if result["never"]:
            never += 1
            if writes or not (v["PE.state"] == "debug" or v["PSTATE.nRW"] or el == "EL3"
                              or not result["available"][el]
                              or (v["SCR_EL3.NSE"], v["SCR_EL3.NS"]) == (1, 0)):
                problems.append(("never", features, v))
        else:
            tried += 1
            if not writes or not evaluate(features, dict(v, **writes))["enabled"][el]:
                problems.append(("does not help", features, v, writes))
    assert not problems, f"remedies work, no smaller one does, and never is correct\n{problems[:2]}"
    assert tried > 30 and never > 20, f"remedies of both kinds occurred\n{(tried, never)}"


def json_of(*args):
    return json.loads(spemu("explain", "--json", *args).stdout)


def test_writers():
    base = ["SCR_EL3.NS=1", "PMBLIMITR_EL1.E=1", "MDCR_EL3.NSPB=3", "PSTATE.EL=0"]
    # MDCR_EL2.TPMS traps writes of PMSCR_EL1 from EL1 to EL2. With E2PB == 0b11, EL1 is the owner.
    assert (json_of(*base, "MDCR_EL2.E2PB=3")["to_enable"] ==
            [{"field": "PMSCR_EL1.E0SPE", "value": 1, "writable_at": "EL1", "as": "PMSCR_EL1"}]), "EL1 may write PMSCR_EL1"
    assert json_of(*base, "MDCR_EL2.E2PB=3", "MDCR_EL2.TPMS=1")["to_enable"][0]["writable_at"] == "EL2", \
        "with MDCR_EL2.TPMS, EL2 may write it"
    assert json_of(*base, "MDCR_EL2.E2PB=3", "MDCR_EL2.TPMS=1",
                   "HCR_EL2.E2H=1")["to_enable"][0]["as"] == "PMSCR_EL12", "in the EL2&0 regime, EL2 writes PMSCR_EL12"
    assert json_of(*base, "MDCR_EL3.NSPB=2", "MDCR_EL2.E2PB=3")["to_enable"][0]["writable_at"] == "EL3", \
        "with NSPB 0b10, only EL3 may write it"
    assert json_of("SCR_EL3.NS=1", "PMBLIMITR_EL1.E=1", "MDCR_EL3.NSPB=3", "HCR_EL2.E2H=1",
                   "PSTATE.EL=2")["to_enable"][0]["as"] == "PMSCR_EL2", \
                       "the register's own name is proposed if it works"
    for owner, el, p in ((0, 1, 1), (3, 1, 0), (0, 2, 0), (0, 3, 0)):  # D24.7, PMBIDR_EL1.P
        assert json_of("--access", "MRS PMBIDR_EL1", "--at", f"EL{el}", *base,
                       f"MDCR_EL2.E2PB={owner}")["pmbidr_p"] == p, f"PMBIDR_EL1.P with E2PB {owner} at EL{el}"
    never = json_of(*base, "PSTATE.nRW=1")["never"]
    assert (never["rule"], never["text"]) == ("RWXXFL", "the PE is in AArch64 state"), "never in AArch32"
    assert "debug" in json_of(*base, "PE.state=debug")["never"]["text"], "never in Debug state"
    assert "EL3" in json_of(*base, "PSTATE.EL=3")["never"]["text"], "never at EL3"


def test_questions():
    out = spemu("explain", "SCR_EL3.NS=1", "PMBLIMITR_EL1.E=1", "PMSCR_EL1.E0SPE=1")
    assert (out.returncode == 1 and out.stdout.startswith("profiling is DISABLED at EL0, Non-secure")
            and re.search(r"FAIL +RWXXFL +the PE is in the owning Security state .*SCR_EL3\.NS=0b1",
                          out.stdout)
            and "MDCR_EL3.NSPB=0b11  writable at EL3 only" in out.stdout), \
                f"the text says that firmware kept the buffer\n{out.stdout}"
    out = spemu("explain", "--enabled", "SCR_EL3.NS=1", "PMBLIMITR_EL1.E=1", "PMSCR_EL1.E0SPE=1",
                "MDCR_EL3.NSPB=3")
    assert out.returncode == 0 and out.stdout.startswith("profiling is ENABLED"), \
        "the exit status for enabled profiling is 0"
    stopped = ["SCR_EL3.NS=1", "PMBLIMITR_EL1.E=1", "PMSCR_EL1.E0SPE=1", "MDCR_EL3.NSPB=3",
               "PMBSR_EL1=0x900a0007", "PMBPTR_EL1=0x10040"]
    why = ("PMBSR_EL1=0x900a0007: stage 1 Data Abort, Translation fault, level 3, at 0x10040, "
           "data lost")
    out = spemu("explain", *stopped)
    assert (out.returncode, out.stdout.splitlines()[1]) == (1, f"stopped by {why}"), \
        "stopped: the text names the event and the register"
    assert (json_of(*stopped)["stopped_by"], "stopped_by" in json_of(*stopped[:4])) == (why, False), \
        "stopped: the JSON output names the event and the register"
    assert spemu("explain", "--owner").returncode == 0, "--owner answers"
    owner = json_of("--owner", "MDCR_EL3=0x3000", "HCR_EL2.E2H=1")
    assert (owner["regime"], owner["el_clauses"][-1]["decides"]) == ("Non-secure EL2&0", True), "--owner: the clause that decides"
    rows = [  # D24.7 "Accessing"
        (["--access", "MSR PMSCR_EL1", "--at", "EL1", "MDCR_EL3.NSPB=1"], 0, "ok"),
        (["--access", "msr PMSCR_EL1, x0", "--at", "el1"], 1, "trap-el3"),
        (["--access", "MRS X3, PMBIDR_EL1", "--at", "1"], 0, "ok"),
        (["--access", "MSR S3_0_C9_C9_0", "--at", "EL0"], 1, "undefined"),
        (["--access", "MSR PMSIDR_EL1", "--at", "EL3"], 1, "undefined"),
        (["--access", "MRS PMBPTR_EL1", "--at", "EL1", "SCR_EL3.NS=1", "MDCR_EL3.NSPB=3"], 1,
         "trap-el2"),
        (["--access", "MSR PMSCR_EL1", "--at", "EL1", "SCR_EL3.NS=1", "MDCR_EL3.NSPB=3",
          "HCR_EL2.NV=1", "HCR_EL2.NV1=1", "HCR_EL2.NV2=1"], 1, "nvmem"),
    ]
    for args, status, outcome in rows:
        result = spemu("explain", "--json", *args)
        assert (result.returncode, json.loads(result.stdout)["outcome"]) == (status, outcome), f"{args[1]} {' '.join(args[2:])}"
        assert spemu("explain", *args).returncode == status, "the text output has the same status"
    rows = [  # RHJXHT
        ("buffer full", [], 1, True),
        ("buffer full", ["MDCR_EL3.PMSEE=3"], 3, False),
        ("stage 2 translation fault", ["MDCR_EL2.E2PB=3", "MDCR_EL3.PMSEE=1", "PMSCR_EL2.EE=2"], 2, False),
        ("stage 2 translation fault", ["MDCR_EL2.E2PB=3", "MDCR_EL3.PMSEE=1", "PMSCR_EL2.EE=1"], 1, True),
        ("stage 2 translation fault", ["MDCR_EL2.E2PB=3", "PMSCR_EL2.EE=2"], 1, True),
        ("stage 1 permission fault", ["MDCR_EL3.PMSEE=1", "PMSCR_EL2.EE=2", "MDCR_EL2.E2PB=3"], 1,
         True),
        ("stage 1 permission fault", ["MDCR_EL3.PMSEE=1", "PMSCR_EL2.EE=2", "MDCR_EL2.E2PB=0"], 2,
         False),
        ("GPC fault", ["MDCR_EL3.PMSEE=2"], 3, False),
        ("GPF", ["MDCR_EL3.PMSEE=2"], 1, True),
        ("GPF", ["MDCR_EL3.PMSEE=2", "SCR_EL3.GPF=1"], 3, False),
        ("external abort on walk", ["MDCR_EL3.PMSEE=2", "SCR_EL3.EA=1"], 3, False),
        ("external abort on walk", ["MDCR_EL3.PMSEE=2"], 1, True),
    ]
    for event, words, el, irq in rows:
        result = json_of("--event", event, "SCR_EL3.NS=1", "MDCR_EL3.NSPB=3", *words)
        assert (result["register"], result["pmbirq"]) == (f"PMBSR_EL{el}", irq), f"{event} {' '.join(words)}"
    names = spemu("explain", "--event", "list").stdout.splitlines()
    assert len(names) > 25 and all(spemu("explain", "--event", n).returncode in (0, 1) for n in names), \
        "explain accepts every listed event"
    assert {"implementation defined", "buffer too large", "stage 1 unsupported atomic update"} <= set(names), \
        f"the list has all events that PMBSR_ELx can hold\n{names}"


# A buffer that Non-secure EL1 owns, while firmware delegates profiling exceptions.
EL1_BUFFER = ("SCR_EL3.NS=1", "MDCR_EL3.NSPB=3", "MDCR_EL2.E2PB=3", "MDCR_EL3.PMSEE=1")


def test_signals():
    """Tables D17-8 to D17-10 and RYZJQX: the component that an event notifies, the target Exception
    level, and the masks."""
    rows = [  # event, state -> register, pending exceptions {register: (target, masked)}, taken to
        ("buffer full", "PMSCR_EL2.EE=1 PMSCR_EL1.EE=3 HCR_EL2.TGE=1 PSTATE.EL=0", {1: (2, False)}, 2),
        ("buffer full", "PMSCR_EL2.EE=1 PMSCR_EL1.EE=3 PSTATE.EL=0", {1: (1, False)}, 1),
        ("buffer full", "PMSCR_EL2.EE=3 PSTATE.EL=2", {2: (2, True)}, None),
        ("buffer full", "PMSCR_EL2.EE=3 PMSCR_EL2.KE=1 PSTATE.EL=2", {2: (2, False)}, 2),
        ("buffer full", "PMSCR_EL2.EE=3 PMSCR_EL2.KE=1 PSTATE.EL=2 PSTATE.PM=1", {2: (2, True)}, None),
        ("buffer full", "PMSCR_EL2.EE=1 PMSCR_EL1.EE=3 PMSCR_EL1.KE=1 PSTATE.PM=1 PSTATE.EL=1", {1: (1, True)}, None),
        ("buffer full", "PMSCR_EL2.EE=1 PMSCR_EL1.EE=3 PMSCR_EL1.KE=1 PSTATE.EL=1", {1: (1, False)}, 1),
        ("buffer full", "PMSCR_EL2.EE=1 PMSCR_EL1.EE=3 PMSCR_EL1.KE=1 PSTATE.EL=2", {1: (1, True)}, None),
        ("buffer full", "PMSCR_EL2.EE=1 PMSCR_EL1.EE=3 PE.state=debug", {1: (1, True)}, None),
        ("buffer full", "MDCR_EL3.PMSEE=3 PSTATE.EL=3", {3: (3, True)}, None),
        ("buffer full", "MDCR_EL3.PMSEE=3 PSTATE.EL=1", {3: (3, False)}, 3),
        ("buffer full", "PSTATE.EL=1", {}, None),
        ("buffer full", "features=v9.4 PSTATE.EL=1", {}, None),
        ("stage 2 translation fault", "PMSCR_EL2.EE=2 PSTATE.EL=1", {2: (2, False)}, 2),
    ]
    for event, state, exceptions, taken in rows:
        answer = json_of("--event", event, *EL1_BUFFER, *state.split())
        pending = {int(e["register"][-1]): (e["target"], e["masked"]) for e in answer["exceptions"] if e["pending"]}
        assert (answer["pmbirq"], pending, answer.get("taken_to")) == (not exceptions, exceptions, taken), f"{event}: {state}"
        # For the same state with the event in the registers, --signal gives the same answer.
        register = answer["register"]
        after = json_of("--signal", *EL1_BUFFER, *state.split(), f"{register}.S=1")
        assert ((after["pmbirq"], after["exceptions"], after.get("taken_to")) ==
                (answer["pmbirq"], answer["exceptions"], answer.get("taken_to"))), "--signal gives the same answer"
    text = spemu("explain", "--event", "buffer full", *EL1_BUFFER, "PMSCR_EL2.EE=3", "PSTATE.EL=2").stdout
    assert "pending for EL2, and masked" in text and "PMSCR_EL2.KE is 0" in text, f"the text names the mask\n{text}"
    text = spemu("explain", "--event", "buffer full", *EL1_BUFFER, "features=v9.4").stdout
    assert "signaled by PMBIRQ" in text and "FEAT_SPE_EXC is not implemented" in text, f"without FEAT_SPE_EXC\n{text}"
    result = spemu("explain", "--signal", *EL1_BUFFER)
    assert result.returncode == 1 and "PMBIRQ is not asserted" in result.stdout, f"nothing is signaled without an event\n{result.stdout}"
    result = spemu("explain", "--signal", "PMBSR_EL1.S=1", "PE.state=debug")
    assert result.returncode == 0 and "no interrupt is taken in Debug state" in result.stdout, f"Debug state\n{result.stdout}"


def test_events_that_cannot_happen():
    rows = [
        ("external abort on write", "", "ITCPLL"),
        ("asynchronous external abort", "", "ITCPLL"),
        ("external abort on write", "features=v8.4", None),
        ("asynchronous external abort", "features=v8.4", "RJFYNW"),
        ("external abort on walk", "", None),
        ("buffer full", "PMBLIMITR_EL1=0x11005", "D17.5.5"),
        ("collision", "PMBLIMITR_EL1=0x11005", None),
        ("buffer full", "PMBLIMITR_EL1=0x11005 features=v8.4", None),  # FM has a reserved value at this level
        ("buffer full", "PMBSR_EL1.S=1", "RTWFRY"),
        ("collision", "PMBSR_EL1.S=1", "RTWFRY"),
        ("buffer full", "PMBSR_EL2.S=1", None),  # PMSCR_EL2.EE is 0
        ("buffer full", "PMBSR_EL2.S=1 PMSCR_EL2.EE=2", "RTWFRY"),
        ("stage 2 translation fault", "MDCR_EL2.E2PB=0", "RKFMHR"),
        ("stage 2 translation fault", "", None),
        ("stage 1 translation fault", "PMSCR_EL2.EnVM=1 PMBLIMITR_EL1.nVM=1", "RPSLVX"),
        ("stage 1 translation fault", "PMBLIMITR_EL1.nVM=1", None),  # Effectively 0
        ("gpf", "features=v8.4", "D24.7"),
        ("stage 1 unsupported atomic update", "features=v9.6,-FEAT_HAFDBS,-FEAT_HAFT", "D24.7"),
        ("buffer too large", "", "D24.7"),
        ("buffer too large", "PMBIDR_EL1.MaxBuffSize=1", None),
        ("implementation defined", "", None),
    ]
    for event, state, rule in rows:
        result = spemu("explain", "--json", "--event", event, *EL1_BUFFER, *state.split())
        answer = json.loads(result.stdout or "{}")
        assert (result.returncode, answer.get("never") and answer["never"]["rule"]) == (int(bool(rule)), rule), \
            f"{event}: {state or 'nothing else'}"
        text = spemu("explain", "--event", event, *EL1_BUFFER, *state.split()).stdout
        assert ("cannot happen" in text) == bool(rule) and ("is recorded in" in text) != bool(rule), \
            f"the text output gives the same answer\n{text}"


def test_written():
    """D17.5.5, RHXSYK, RHLXGD, D24.7.12, D24.7.15: explain says whether enabled profiling also
    writes records."""
    base = EL1_BUFFER + ("PMSCR_EL1.E1SPE=1", "PSTATE.EL=1", "PMBLIMITR_EL1.E=1", "PMBLIMITR_EL1.LIMIT=0x11",
                         "PMBPTR_EL1=0x10000", "PMSIRR_EL1.INTERVAL=1")
    rows = [
        ("", "yes", []),
        ("PMBLIMITR_EL1.FM=2", "never", ["D17.5.5"]),
        ("PMBPTR_EL1=0x20000", "unpredictable", ["RHXSYK"]),
        ("PMBPTR_EL1=0x10fc0", "yes", []),
        ("PMBPTR_EL1=0x10fc1", "unpredictable", ["RHXSYK"]),
        ("PMBPTR_EL1=0x10fc0 PMSIDR_EL1.MaxSize=7", "unpredictable", ["RHXSYK"]),
        ("PMBPTR_EL1=0xff00000000010000", "unpredictable", ["RHXSYK", "RHXSYK"]),
        ("PMBPTR_EL1=0x10020 PMBIDR_EL1.Align=6", "unpredictable", ["RHLXGD"]),
        ("PMSIRR_EL1.INTERVAL=0", "unpredictable", ["D24.7"]),
        ("PMSIRR_EL1.INTERVAL=0 PMBLIMITR_EL1.FM=2 PMBPTR_EL1=0x20000", "never", ["D17.5.5", "D24.7"]),
        ("PMSFCR_EL1.FL=1", "unpredictable", ["D24.7"]),
        ("PMSFCR_EL1.FL=1 PMSLATFR_EL1.MINLAT=9", "yes", []),
        ("PMSFCR_EL1.FE=1", "unpredictable", ["D24.7"]),
        ("PMSFCR_EL1.FE=1 PMSEVFR_EL1=0x80", "yes", []),
        ("PMSFCR_EL1.FE=1 PMSEVFR_EL1=0x80 PMSFCR_EL1.FnE=1 PMSNEVFR_EL1=0x80", "unpredictable", ["D24.7"]),
        ("PMSFCR_EL1.FT=1 features=v9.3", "unpredictable", ["D24.7"]),
        ("PMSFCR_EL1.FT=1 PMSFCR_EL1.LD=1", "yes", []),
        ("PMSFCR_EL1.FT=1", "yes", []),  # with FEAT_SPE_EFT, the filter selects operations of every type
        # No operation is a branch, a load and a store at once.
        ("PMSFCR_EL1.FT=1 " + " ".join(f"PMSFCR_EL1.{t}=1 PMSFCR_EL1.{t}m=1" for t in ("B", "LD", "ST")), "never",
         ["RYGCFK"]),
    ]
    for state, written, rules in rows:
        answer = json_of(*base, *state.split())
        assert ((answer["answer"], answer["written"], [c["rule"] for c in answer["written_clauses"] if c["decides"]]) ==
                (True, written, rules)), f"written: {state or 'nothing else'}"
        text = spemu("explain", *base, *state.split()).stdout
        assert (("no record is written" in text, "are unpredictable" in text) ==
                (written == "never", written == "unpredictable")), f"the text output gives the same answer\n{text}"


def test_effective():
    values = {e["name"]: e for e in json_of("features=v8.4", "SCR_EL3.NS=0", "HCR_EL2.TGE=1",
                                            "MDCR_EL2.E2PB=0")["effective"]}
    assert (values["HCR_EL2.TGE"]["effective"], values["MDCR_EL2.E2PB"]["effective"]) == (0, 3), \
        "Effective HCR_EL2.TGE and MDCR_EL2.E2PB without EL2"
    assert "why" in values["HCR_EL2.TGE"] and "why" not in values["SCR_EL3.NS"], \
        "a reason is given if, and only if, the values differ"
    values = {e["name"]: e for e in json_of("MDCR_EL3.NSPBE=1", "PMSCR_EL2.EE=3")["effective"]}
    assert "reserved-nspb" in values["MDCR_EL3.NSPBE"]["why"], "a reserved value names its choice"
    assert values["PMSCR_EL2.EE"]["effective"] == 0, "PMSCR_EL2.EE without MDCR_EL3.PMSEE"


def test_capture():
    rows = [("MDCR_EL3.PMSSE=0", "Disabled", 1), ("MDCR_EL3.PMSSE=2", "Prohibited", 1),
            ("MDCR_EL3.PMSSE=3", "Allowed", 0)]
    for state, answer, status in rows:
        out = spemu("explain", "--capture", "--json", state)
        result = json.loads(out.stdout)
        assert (result["capture"], result["answer"], out.returncode) == (answer, answer == "Allowed", status), f"--capture {state}"
        assert sum(c["decides"] for c in result["clauses"]) == 1, "one clause decides"
    state = ["MDCR_EL3.PMSSE=1", "MDCR_EL2.PMSSE=1", "PMECR_EL1.SSE=1"]
    for option in ("disabled", "prohibited", "allowed"):
        text = spemu("explain", "--capture", "--choose", f"reserved-sse={option}", *state).stdout
        assert f"are {option.upper()}" in text, f"reserved-sse={option}\n{text}"


def test_choices():
    # {NSPBE, NSPB} = {1, 0b00} is reserved and behaves like another value (RBWRVP).
    for option, owner in (("secure", "Secure"), ("non-secure", "Non-secure"), ("realm", "Realm")):
        text = spemu("explain", "--owner", "--choose", f"reserved-nspb={option}",
                     "MDCR_EL3.NSPBE=1").stdout
        assert f"belongs to {owner} state" in text, f"--choose reserved-nspb={option}\n{text}"
    # Without Secure state, Secure state cannot own the buffer (D24.3.18). Profiling behaves as if
    # disabled.
    state = ("--at", "EL1", "features=v9.4,-Secure", "SCR_EL3.NS=1", "MDCR_EL3.NSPB=1",
             "MDCR_EL2.E2PB=3", "PMSCR_EL1.E1SPE=1", "PMBLIMITR_EL1.E=1")
    for options, enabled in (((), False), (("--choose", "reserved-nspb=non-secure"), True),
                             (("--choose", "reserved-nspb=realm"), False)):
        result = spemu("explain", "--json", *options, *state)
        answer = json.loads(result.stdout)
        assert (answer["enabled"]["EL1"], answer["owner"]["security"] != "Secure") == (enabled, True), f"without Secure state {options}"
    text = spemu("explain", *state).stdout
    assert "FAIL  D24.3 " in text, f"the text shows the clause\n{text}"
    refuses("Secure state owns nothing without it", 2, "needs FEAT_SEL2", "explain", "--choose",
            "reserved-nspb=secure", *state)
    access = ("--access", "MSR PMBPTR_EL1", "--at", "EL1", "features=v8.4", "SCR_EL3.NS=1",
              "MDCR_EL3.NSPB=3", "MDCR_EL2.E2PB=1")
    for option, status in (("el1", 0), ("el1-trapped", 1), ("el2", 1)):
        assert spemu("explain", "--choose", f"reserved-e2pb={option}", *access).returncode == status, f"--choose reserved-e2pb={option}"
    batch = subprocess.run([SPEMU, "explain", "--batch", "--choose", "reserved-nspb=realm"],
                           input=b"MDCR_EL3.NSPBE=1\nMDCR_EL3.NSPB=3\n", env=ENVIRONMENT,
                           capture_output=True, check=False).stdout.splitlines()
    assert b"Realm" in batch[0] and b"Realm" not in batch[1], f"--choose with --batch\n{batch}"
    refuses("random in a state", 2, "does not have random choices", "explain", "--choose",
            "reserved-nspb=random", "PSTATE.EL=1")
    refuses("unknown choice", 2, "did you mean 'reserved-nspb'", "explain", "--choose",
            "reserved-nsbp=realm", "PSTATE.EL=1")
    refuses("an option that the features forbid", 2, "needs FEAT_RME", "explain", "--choose",
            "reserved-nspb=realm", "features=v8.4")


def test_input(tmp_path):
    dump = write(tmp_path, "dump", "x0  0x0  0\nscr_el3        = 0x0000000000000001\n"
                 "MDCR_EL3: 0x3000\n# a comment\n\npmblimitr_el1  0x40001  262145\n"
                 "pmscr_el1 = 3\npstate: 60400005\nfeatures=v9.2 HCR_EL2.TGE=0\n")
    result = json_of("-f", dump)
    assert (result["el"], result["security"], result["answer"]) == (1, "Non-secure", True), "a register dump in three forms"
    quiet = spemu("explain", "-f", dump)
    assert "1 registers" in quiet.stderr and not spemu("explain", "-q", "-f", dump).stderr, \
        "a note counts the registers without effect; -q suppresses it"
    out = subprocess.run([SPEMU, "explain", "-"], input=b"PSTATE.EL=2 SCR_EL3.NS=1\n",
                         env=ENVIRONMENT, capture_output=True, check=False)
    assert b"at EL2, Non-secure" in out.stdout, "a state on standard input"
    out = spemu("explain", "PSTATE.EL=2").stdout
    assert "; EL0 disabled, EL1 disabled, EL2 n/a, EL3 disabled\n" in out, f"all levels, in their order\n{out}"
    same = json_of("PMSCR_EL2.EE=ENABLED", "mdcr_el3.PMSEE=delegated")
    assert same["clauses"] == json_of("PMSCR_EL2.EE=0b10", "MDCR_EL3.PMSEE=1")["clauses"], "field values have any case"
    assert json_of("PMSCR_EL12.E0SPE=1")["clauses"] == json_of("PMSCR_EL1=0x1")["clauses"], "an alias sets its register"
    refuses("file: the line is named", 2, r":2: unknown register 'PMSCR_EL7'; did you mean", "explain",
            "-f", write(tmp_path, "bad", "PSTATE.EL=1\nPMSCR_EL7=1\n"))
    refuses("file: neither form", 2, "neither NAME=VALUE nor", "explain", "-f",
            write(tmp_path, "bad", "hello\n"))
    refuses("file: absent", 2, "No such file", "explain", "-f", f"{tmp_path}/absent")


def test_howto_scenario(tmp_path):
    """The scenario of docs/howto/pmu-snapshot.md passes, and fails without its expectation."""
    page = pathlib.Path(__file__).resolve().parents[2] / "docs" / "howto" / "pmu-snapshot.md"
    lines = re.findall(r"^    (.*)$", page.read_text(encoding="utf-8"), re.M)
    text = "\n".join(lines) + "\n"
    assert spemu("run", write(tmp_path, "howto.spemu", text)).returncode == 0, "howto: the scenario passes"
    bad = text.replace("expect diagnostic RPLPCY\n", "")
    assert spemu("run", write(tmp_path, "bad.spemu", bad)).returncode != 0, \
        "howto: the missing ISB is reported if the scenario does not expect it"


def test_refusals():
    rows = [
        ("register", "unknown register 'PMSRC_EL1'; did you mean 'PMSCR_EL1'", "PMSRC_EL1=1"),
        ("field", "PMSCR_EL1 has no field 'E0SP'; did you mean 'E0SPE'", "PMSCR_EL1.E0SP=1"),
        ("PE name", "did you mean 'PSTATE.EL'", "PSTATE.EK=1"),
        ("width", "PMSCR_EL1.E0SPE has 1 bit: '2' is too wide", "PMSCR_EL1.E0SPE=2"),
        ("width of EL", "PSTATE.EL has 2 bits: '4'", "PSTATE.EL=4"),
        ("64 bits", "is not a value", "PMBPTR_EL1=0x10000000000000000"),
        ("number", "'0xg' is not a value of PMSCR_EL1", "PMSCR_EL1=0xg"),
        ("value name", "did you mean 'ENABLED'", "PMSCR_EL2.EE=ENABELD"),
        ("PE.state", "it is debug or non-debug", "PE.state=1"),
        ("no =", "'PMSCR_EL1' is not NAME=VALUE", "PMSCR_EL1"),
        ("feature", r"'\+FEAT_SPE_EXX' in features; did you mean '\+FEAT_SPE_EXC'",
         "features=v9.6,+FEAT_SPE_EXX"),
        ("version", "unknown word 'v9.9' in features", "features=v9.9"),
        ("machine", "no PE has these features: FEAT_SPEv1p1 requires FEAT_SPE",
         "features=v9.6,-FEAT_SPE"),
        ("option", "did you mean '--batch'", "--bacth"),
        ("level", "'EL4' is not an Exception level", "--at", "EL4"),
        ("instruction", "neither 'MSR REGISTER'", "--access", "LDR X0"),
        ("instruction's register", "did you mean 'PMBSR_EL1'", "--access", "MRS PMBSR_EL11"),
        ("other encoding", "not supported", "--access", "MRS S3_0_C1_C0_0"),
        ("event", "did you mean 'buffer full'", "--event", "bufer full"),
        ("batch with words", "from standard input", "--batch", "PSTATE.EL=1"),
        ("missing value", "needs a value", "--at"),
        ("color", "'blue'", "--color", "blue", "PSTATE.EL=1"),
    ]
    for name, pattern, *args in rows:
        refuses(f"refused: {name}", 2, pattern, "explain", *args)
    full = run("sh", "-c", 'exec "$0" explain > /dev/full', SPEMU)
    assert full.returncode == 125 and "No space left" in full.stderr, "a full disk is reported"
