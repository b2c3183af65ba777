# SPDX-License-Identifier: MIT
"""arch/gen/clause_data.py: the clauses it reads from rows like those of arch/clauses.tsv, and the
rows it rejects."""
import os
import sys

import pytest

from clilib import ROOT

sys.path.insert(0, os.path.join(ROOT, "arch", "gen"))

import arch_data  # noqa: E402
import clause_data  # noqa: E402

FEATURES, _, REGS, _ = arch_data.load(os.path.join(ROOT, "arch"))
HEAD = """let\tee2\tee2_of(pe)\tPMSCR_EL2.EE
let\ttge\ttge_of(pe)\tHCR_EL2.TGE
file\taccess
let\ton\tEL2 & !tge
let\twrite\tc->write\t-
table\taccess\tSPEMU_ACCESS
"""


def parse(rows):
    lines = enumerate((HEAD + rows).split("\n"), 1)
    tables = clause_data.parse([(number, line.split("\t")) for number, line in lines if line])
    clause_data.check(tables, FEATURES, REGS)
    return tables["access"]


def clause(condition, name="a", answer="ok"):
    return parse(f"{name}\tD24\t{answer}\t{condition}\ttext").clauses[-1]


@pytest.mark.parametrize("condition, code, fields", (
    ("MDCR_EL2.TPMS", "REG_FIELD(c->pe, MDCR_EL2, TPMS)", "MDCR_EL2.TPMS"),
    ("!MDCR_EL2.TPMS", "!(REG_FIELD(c->pe, MDCR_EL2, TPMS))", "MDCR_EL2.TPMS"),
    ("FEAT_SPE", "pe_has(c->pe, SPEMU_FEAT_SPE)", ""),
    ("ee2=1x", "(ee2_of(c->pe) & 2) == 2", "PMSCR_EL2.EE"),
    ("PMSCR_EL1.EE=01", "(REG_FIELD(c->pe, PMSCR_EL1, EE) & 3) == 1", "PMSCR_EL1.EE"),
    ("on | write", "(pe_has(c->pe, SPEMU_EL2) && !(tge_of(c->pe))) || c->write", "HCR_EL2.TGE"),
    ("EL3 & (on | ee2=00)",
     "pe_has(c->pe, SPEMU_EL3) && ((pe_has(c->pe, SPEMU_EL2) && !(tge_of(c->pe))) || (ee2_of(c->pe) & 3) == 0)",
     "HCR_EL2.TGE PMSCR_EL2.EE"),
    ("reserved-e2pb=el1-trapped",
     "pe_choice(c->pe, SPEMU_CHOICE_RESERVED_E2PB) == SPEMU_RESERVED_E2PB_EL1_TRAPPED", ""),
    ("tge -> MDCR_EL2.TPMS", "!(tge_of(c->pe)) || (REG_FIELD(c->pe, MDCR_EL2, TPMS))",
     "MDCR_EL2.TPMS HCR_EL2.TGE"),
    ("-", "true", "")))
def test_conditions(condition, code, fields):
    row = clause(condition)
    assert row.code() == code, f"the C code of {condition}"
    assert row.looks_at(False) == fields, f"the fields that {condition} uses"


def test_clauses():
    row = clause("HCR_EL2.{TRVM,TVM} & tge")
    assert (row.looks_at(False), row.looks_at(True)) == ("HCR_EL2.TRVM HCR_EL2.TGE", "HCR_EL2.TVM HCR_EL2.TGE"), \
        "an MRS and an MSR use different fields"
    row = clause("!HDFG{R,W}TR_EL2.F", name="fgt:F")
    assert (row.holder(), row.looks_at(True, argument="PMSCR_EL1")) == ("HDFGRTR_EL2", "HDFGWTR_EL2.PMSCR_EL1"), \
        "the argument becomes the field"
    row = parse("a\tD24\tok\tcall(c)\tPSTATE.EL EL0:HCR_EL2.E2H\ttext").clauses[0]
    assert (row.code(), row.looks_at(False), row.looks_at(False, True)) == ("call(c)", "PSTATE.EL", "PSTATE.EL HCR_EL2.E2H"), \
        "a clause whose condition is C code"
    table = parse("user:TID\tD24\ttrap-user\tPMUSERENR_EL0.TID\tno\nuser:F\tD24\ttrap-user\t!PMUSERENR_EL0.F\tno")
    assert [c.word for c in table.clauses] == ["user-tge:TID", "user:TID", "user-tge:F", "user:F"], \
        "trap-user makes a clause for EL2 and a clause for EL1"
    assert [table.find(w).word for w in ("user:TID", "user:EN", "user-tge:EN")] == ["user:TID", "user:F", "user-tge:F"], \
        "find() returns the clause of a word"
    assert table.find("users") is None, "find() returns None for an unknown word"


@pytest.mark.parametrize("condition, why", [
    ("MDCR_EL2.TPMX", "there is no MDCR_EL2.TPMX"),
    ("MDCR_EL9.TPMS", "there is no MDCR_EL9.TPMS"),
    ("FEAT_SPEX", "neither a let nor a feature"),
    ("PMSCR_EL1.EE=1", "not as wide"),
    ("ee2=12", "not a pattern"),
    ("(EL2 | EL3", "not closed"),
    ("EL2 EL3", "unexpected EL3"),
    ("EL2 &", "a name is expected"),
    ("EL2\tEL3\ttext\tmore", "expected"),
])
def test_refused(condition, why):
    with pytest.raises(clause_data.ClauseError) as error:
        clause(condition)
    assert why in str(error.value) and str(error.value).startswith("7: ")


def test_twice():
    with pytest.raises(clause_data.ClauseError, match="^8: a is there twice$"):
        parse("a\tD24\tok\t-\ttext\na\tD24\tok\t-\ttext")
