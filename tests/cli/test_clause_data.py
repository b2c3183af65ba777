#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What arch/gen/clause_data.py makes of the rows of arch/clauses.tsv, and what it refuses.

usage: test_clause_data.py SOURCE_ROOT
"""
import os
import sys

from clilib import done, check, equal

ROOT = sys.argv[1]
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


def refused(condition, why, **more):
    try:
        clause(condition, **more)
    except clause_data.ClauseError as error:
        check(why in str(error) and str(error).startswith("7: "), f"refused: {condition}", error)
    else:
        check(False, f"refused: {condition}")


for condition, code, fields in (
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
        ("-", "true", "")):
    row = clause(condition)
    equal(row.code(), code, f"{condition} in C")
    equal(row.looks_at(False), fields, f"what {condition} looks at")

row = clause("HCR_EL2.{TRVM,TVM} & tge")
equal((row.looks_at(False), row.looks_at(True)), ("HCR_EL2.TRVM HCR_EL2.TGE", "HCR_EL2.TVM HCR_EL2.TGE"), "by direction")
row = clause("!HDFG{R,W}TR_EL2.F", name="fgt:F")
equal((row.holder(), row.looks_at(True, argument="PMSCR_EL1")), ("HDFGRTR_EL2", "HDFGWTR_EL2.PMSCR_EL1"), "an argument")
row = parse("a\tD24\tok\tcall(c)\tPSTATE.EL EL0:HCR_EL2.E2H\ttext").clauses[0]
equal((row.code(), row.looks_at(False), row.looks_at(False, True)), ("call(c)", "PSTATE.EL", "PSTATE.EL HCR_EL2.E2H"), "C")
table = parse("user:TID\tD24\ttrap-user\tPMUSERENR_EL0.TID\tno\nuser:F\tD24\ttrap-user\t!PMUSERENR_EL0.F\tno")
equal([c.word for c in table.clauses], ["user-tge:TID", "user:TID", "user-tge:F", "user:F"], "EL0 traps to EL2 or to EL1")
equal([table.find(w).word for w in ("user:TID", "user:EN", "user-tge:EN")], ["user:TID", "user:F", "user-tge:F"], "by word")
check(table.find("users") is None, "an unknown word")

refused("MDCR_EL2.TPMX", "there is no MDCR_EL2.TPMX")
refused("MDCR_EL9.TPMS", "there is no MDCR_EL9.TPMS")
refused("FEAT_SPEX", "neither a let nor a feature")
refused("PMSCR_EL1.EE=1", "not as wide")
refused("ee2=12", "not a pattern")
refused("(EL2 | EL3", "not closed")
refused("EL2 EL3", "too much")
refused("EL2 &", "a name is expected")
refused("EL2\tEL3\ttext\tmore", "expected")
try:
    parse("a\tD24\tok\t-\ttext\na\tD24\tok\t-\ttext")
except clause_data.ClauseError as error:
    equal(str(error), "8: a is there twice", "a clause twice")
done()
