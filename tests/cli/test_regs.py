# SPDX-License-Identifier: MIT
"""spemu regs: compared with arch/sysreg.txt as read by a small independent parser, and with values
that were calculated by hand."""
import json
import os
import re

import pytest

from clilib import ROOT, refuses, spemu


def data():
    """Return {name: (encoding, fields as (name, hi, lo), storage)}, and the names of the registers
    that EL0 may access."""
    regs, name, user = {}, None, set()
    with open(os.path.join(ROOT, "arch", "sysreg.txt"), encoding="utf-8") as stream:
        for line in stream:
            words = line.split("#")[0].split()
            if not words:
                continue
            if words[0] == "Sysreg":
                name = words[1]
                regs[name] = (tuple(map(int, words[2:7])), [], [None])
            elif words[0] in ("Field", "Enum"):
                hi, _, lo = words[1].partition(":")
                regs[name][1].append((words[2], int(hi), int(lo or hi)))
            elif words[0] == "Storage":
                regs[name][2][0] = words[1]
            elif words[:2] == ["Access", "EL0"]:
                user.add(name)
    return regs, user


def show(*args):
    return json.loads(spemu("regs", "--json", *args).stdout)


REGISTERS, AT_EL0 = data()


def test_list():
    listed = show()
    assert [r["name"] for r in listed] == list(REGISTERS), "every register, in order"
    assert [(r["op0"], r["op1"], r["crn"], r["crm"], r["op2"]) for r in listed] == [r[0] for r in REGISTERS.values()], "encodings"
    assert all(r["generic"] == f"S{r['op0']}_{r['op1']}_C{r['crn']}_C{r['crm']}_{r['op2']}"
               for r in listed), "generic names"
    text = spemu("regs").stdout.splitlines()
    assert len(text) == len(REGISTERS), "the text lists every register"
    assert {re.match(r"\S+ +\S+ +", line).end() for line in text} == {34}, "the text is aligned for any number of digits"


@pytest.mark.parametrize("name", REGISTERS)
def test_register(name):
    _, fields, (storage,) = REGISTERS[name]
    shown = show(name)
    expected = REGISTERS[storage][1] if storage else fields
    assert [(f["name"], f["hi"], f["lo"]) for f in shown["fields"]] == expected, f"fields of {name}"
    host_owned = shown.get("host_owned", False)
    levels = [f"EL{n}" for n in ((0, 1, 2, 3) if name in AT_EL0 else (1, 2, 3))]
    assert (list(shown["access"]) == levels
            and all(bool(v) == (not host_owned) for v in shown["access"].values())), f"access of {name}"
    text = spemu("regs", name.lower())
    assert (text.returncode == 0 and all(f" {f[0]}" in text.stdout for f in expected)
            and ("the host answers" if host_owned else "access at EL3") in text.stdout), f"{name} as text"
    numbers = re.search(r"^encoding: op0=(\d+) op1=(\d+) CRn=(\d+) CRm=(\d+) op2=(\d+),", text.stdout, re.M)
    assert (numbers and tuple(map(int, numbers.groups()))) == REGISTERS[name][0], f"encoding of {name} as text"


def test_values():
    # D24.7: PMBSR_EL1 with S and BSC set to 1, and with EC 0x25 and FSC 7.
    full = spemu("regs", "PMBSR_EL1=0x20001").stdout
    assert "profiling is stopped" in full and "Profiling Buffer filled" in full, f"buffer full\n{full}"
    fault = {f["name"]: f for f in show("PMBSR_EL1=0x940a0007")["fields"]}
    assert ((fault["EC"]["value"], fault["EC"]["label"], fault["MSS"]["meaning"], fault["DL"]["value"]) ==
            (0x25, "STAGE2", "Translation fault, level 3", 1)), "the fields of a stage 2 fault"
    assert show("PMSCR_EL2=0x203")["fields"][2]["label"] == "ENABLED", "names of values"
    assert "(reserved)" in spemu("regs", "PMBLIMITR_EL1=0x3").stdout, "a reserved value is marked"
    assert show("PMSIRR_EL1=0xff00000002")["res0_bits"] == 0xff00000002, "RES0 bits that are set are shown"
    assert show("PMSIRR_EL1=0b100000000")["fields"][0]["value"] == 1, "binary values"
    assert show("PMSIRR_EL1=0x100")["fields"][0]["value"] == 1, "hexadecimal values that consist of 0 and 1"
    assert spemu("regs", "pmevcntr30_el0").stdout == spemu("regs", "PMEVCNTR<n>_EL0").stdout, \
        "a register of an array has the same description as the array"
    access = show("PMSCR_EL1")["access"]["EL1"]
    assert [a["rule"] for a in access] == ["sdd-nspb", "fgt:PMSCR_EL1", "tpms", "nspb", "nv:111:0x828", "RW"], "access rules in order"
    assert [access[i]["outcome"] for i in (1, 3, 4)] == ["trapped to EL2", "trapped to EL3", "memory access at VNCR_EL2.BADDR + 0x828"], \
        "access rules in words"


def test_usage():
    refuses("unknown register", 2, "did you mean 'PMBSR_EL1'", "regs", "PMBS_EL1")
    refuses("not a number", 2, "'0xzz' is not a number", "regs", "PMBSR_EL1=0xzz")
    refuses("two registers", 2, "too many", "regs", "PMBSR_EL1", "PMBSR_EL2")
    refuses("unknown option", 2, "did you mean '--json'", "regs", "--jsn")
