/* SPDX-License-Identifier: MIT */
/*
 * All diagnostics: their names, the rules that software broke, the causes and the remedies.
 *
 * Arm ARM:     DDI 0487 M.a, D17.7.4, D17.7.8, D17.9, D24.7
 *
 * Names are stable, because suppressions and the tests of other projects use them.
 */
#include <spemu/strict.h>
#include "spu/spu_object.h"

/* Values in a diagnostic that are not registers. */
enum { MAX_SIZE = -1, ALIGN = -2, INTERVAL_MIN = -3, PMSCR = -4, NOTHING = -5 };

struct diagnosis_text {
	struct spemu_diagnostic d;
	int16_t value[4]; /* enum spemu_reg, or one of MAX_SIZE to NOTHING */
};

#define R(name) SPEMU_REG_##name
#define POINTERS                                                 \
	{                                                        \
		R(PMBPTR_EL1), R(PMBLIMITR_EL1), MAX_SIZE, ALIGN \
	}
#define VALUES(a, b, c)          \
	{                        \
		a, b, c, NOTHING \
	}

static const struct diagnosis_text table[DIAGNOSES] = {
        [DIAGNOSE_NO_ROOM] =
                {{.name = "pointer-above-limit",
                  .rule = "RHXSYK",
                  .cause = "profiling became enabled with less than one record of "
                           "PMSIDR_EL1.MaxSize between the write pointer and the limit",
                  .remedy = "set PMBPTR_EL1 at least 2 to the power of PMSIDR_EL1.MaxSize bytes "
                            "below PMBLIMITR_EL1.LIMIT before the buffer is enabled"},
                 POINTERS},
        [DIAGNOSE_TOP_BYTE] = {{.name = "pointer-tag-differs",
                                .rule = "RHXSYK",
                                .cause = "profiling became enabled with different bits [63:56] in "
                                         "the write pointer and the limit",
                                .remedy =
                                        "give PMBPTR_EL1 and PMBLIMITR_EL1 the same bits [63:56]"},
                               POINTERS},
        [DIAGNOSE_UNALIGNED] =
                {{.name = "pointer-unaligned",
                  .rule = "RHLXGD",
                  .cause = "profiling became enabled with a write pointer that is not aligned to "
                           "PMBIDR_EL1.Align",
                  .remedy = "align PMBPTR_EL1 to 2 to the power of PMBIDR_EL1.Align bytes"},
                 POINTERS},
        [DIAGNOSE_AFTER_LOSS] =
                {{.name = "restart-after-data-loss",
                  .rule = "D17.7.4",
                  .cause = "profiling was restarted from the saved write pointer and limit after "
                           "an event that set PMBSR_ELx.EA or PMBSR_ELx.DL",
                  .remedy = "set a new write pointer: the data below the saved one may end with a "
                            "part of a record"},
                 POINTERS},
        [DIAGNOSE_AFTER_FULL] =
                {{.name = "restart-after-buffer-full",
                  .rule = "D17.7.4",
                  .cause = "profiling was restarted from the saved write pointer and limit after "
                           "a buffer full event",
                  .remedy = "raise PMBLIMITR_EL1.LIMIT, or give the buffer a new write pointer"},
                 POINTERS},
        [DIAGNOSE_PROGRAMMED_ENABLED] =
                {{.name = "buffer-programmed-while-enabled",
                  .rule = "RPVRNK",
                  .cause = "a register of the Profiling Buffer was written while sampled "
                           "operations could still read it",
                  .remedy = "disable profiling, execute an ISB and a PSB, write the pointers, and "
                            "execute an ISB before profiling is enabled"},
                 VALUES(R(PMBLIMITR_EL1), R(PMBPTR_EL1), R(PMBSR_EL1))},
        [DIAGNOSE_WRITTEN_IN_FLIGHT] =
                {{.name = "register-written-in-flight",
                  .rule = "IMLGHW",
                  .cause =
                          "software wrote a register while sampled operations could still write it",
                  .remedy = "disable profiling, then execute an ISB and a PSB before the write, "
                            "and a DSB if no External abort may follow the write"},
                 VALUES(R(PMBPTR_EL1), R(PMBSR_EL1), R(PMBLIMITR_EL1))},
        [DIAGNOSE_READ_EARLY] =
                {{.name = "register-read-unsynchronized",
                  .rule = "IMLGHW",
                  .cause = "a register that sampled operations write was read before their writes "
                           "were synchronized: the old or the new value is returned",
                  .remedy =
                          "execute an ISB (or take the exception), a PSB, a DSB if the read is to "
                          "see an External abort, and another ISB before the read"},
                 VALUES(R(PMBLIMITR_EL1), NOTHING, NOTHING)},
        [DIAGNOSE_MEMORY_EARLY] =
                {{.name = "buffer-read-unsynchronized",
                  .rule = "IMLGHW",
                  .cause = "memory of the Profiling Buffer was read before the records for it "
                           "were complete",
                  .remedy = "execute an ISB, a PSB and a DSB for loads and stores before the read"},
                 VALUES(R(PMBPTR_EL1), R(PMBLIMITR_EL1), NOTHING)},
        [DIAGNOSE_MEMORY_WRITTEN] =
                {{.name = "buffer-written-unsynchronized",
                  .rule = "INRNSL",
                  .cause = "memory of the Profiling Buffer was written by software and by the SPU "
                           "without a DSB between the writes: the data of either may remain",
                  .remedy = "execute a DSB between the write and the sampled operations, or an "
                            "ISB, a PSB and a DSB before records are overwritten"},
                 VALUES(R(PMBPTR_EL1), R(PMBLIMITR_EL1), NOTHING)},
        [DIAGNOSE_PSB_UNORDERED] =
                {{.name = "psb-without-context-synchronization",
                  .rule = "IVKDVF",
                  .cause = "a PSB was executed without a Context synchronization event since the "
                           "last sampled operations: it need not wait for them",
                  .remedy = "disable profiling and execute an ISB before the PSB"},
                 VALUES(PMSCR, R(PMBLIMITR_EL1), NOTHING)},
        [DIAGNOSE_DISABLED_IN_FLIGHT] =
                {{.name = "buffer-disabled-in-flight",
                  .rule = "RSXWCP",
                  .cause = "the Profiling Buffer was disabled before a sampled operation had "
                           "written its record, which may be written, lost, or end in an event",
                  .remedy = "disable profiling, execute an ISB, a PSB and a DSB, then clear "
                            "PMBLIMITR_EL1.E"},
                 VALUES(R(PMBLIMITR_EL1), R(PMBPTR_EL1), NOTHING)},
        [DIAGNOSE_CAUSE_PERSISTS] =
                {{.name = "status-cleared-cause-persists",
                  .rule = "D17.7.4",
                  .cause = "PMBSR_ELx.S was cleared while its cause remained: the buffer has no "
                           "room, or the same fault occurs again",
                  .remedy = "give the buffer room or correct the fault before PMBSR_ELx.S is "
                            "cleared"},
                 VALUES(R(PMBSR_EL1), R(PMBPTR_EL1), R(PMBLIMITR_EL1))},
        [DIAGNOSE_CLEARED_FIRST] =
                {{.name = "status-cleared-before-pointers",
                  .rule = "INDWCG",
                  .cause = "PMBSR_ELx.S was cleared without a Context synchronization event since "
                           "the new pointers were written, where profiling is enabled: it may "
                           "continue with the old pointers",
                  .remedy = "execute an ISB between the writes of the pointers and the write of "
                            "PMBSR_ELx"},
                 VALUES(R(PMBSR_EL1), R(PMBPTR_EL1), R(PMBLIMITR_EL1))},
        [DIAGNOSE_ENABLED_FIRST] =
                {{.name = "profiling-enabled-before-pointers",
                  .rule = "IWZSLB",
                  .cause = "profiling became enabled at the current Exception level without a "
                           "Context synchronization event since PMBPTR_EL1 or PMBMAR_EL1 was "
                           "written: it may begin with the old value",
                  .remedy = "execute an ISB between the writes of the buffer's registers and the "
                            "write that enables profiling"},
                 VALUES(R(PMBPTR_EL1), R(PMBLIMITR_EL1), PMSCR)},
        [DIAGNOSE_NEVER_CLEARED] =
                {{.name = "status-never-cleared",
                  .rule = "RTWFRY",
                  .cause = "an exception return was executed with profiling set up, but with "
                           "PMBSR_ELx.S still 1 after software has read it: profiling stays "
                           "stopped",
                  .remedy = "write 0 to PMBSR_ELx when the event has been handled, or disable "
                            "profiling"},
                 VALUES(R(PMBSR_EL1), R(PMBLIMITR_EL1), PMSCR)},
        [DIAGNOSE_NEVER_WRITTEN] =
                {{.name = "register-never-written",
                  .rule = "D24.7",
                  .cause = "profiling became enabled, or would be enabled if PMBSR_ELx.S were 0, "
                           "but software has not written a register that is UNKNOWN after a reset",
                  .remedy = "write the register before profiling is enabled; write 0 to PMBSR_ELx, "
                            "because S may be 1 after a reset and keep profiling stopped"},
                 VALUES(PMSCR, R(PMBLIMITR_EL1), NOTHING)},
        [DIAGNOSE_CLEARED_EARLY] =
                {{.name = "status-cleared-before-disabling",
                  .rule = "INDWCG",
                  .cause = "PMBSR_ELx.S was cleared without a Context synchronization event since "
                           "profiling was disabled: the SPU may see the cleared S first, and "
                           "profiling continues until it sees the other write",
                  .remedy = "execute an ISB between the write that disables profiling and the "
                            "write of PMBSR_ELx"},
                 VALUES(R(PMBSR_EL1), PMSCR, R(PMBLIMITR_EL1))},
        [DIAGNOSE_CONTEXT_IN_FLIGHT] =
                {{.name = "context-switched-in-flight",
                  .rule = "IPDDCL",
                  .cause = "the context was changed before the records of sampled operations were "
                           "forced to the buffer",
                  .remedy = "disable profiling, then execute an ISB and a PSB before the change"},
                 VALUES(R(PMBLIMITR_EL1), PMSCR, NOTHING)},
        [DIAGNOSE_REGIME_IN_FLIGHT] =
                {{.name = "regime-switched-in-flight",
                  .rule = "IPDDCL",
                  .cause = "the owner of the buffer or its translation regime was changed before "
                           "the records of sampled operations were forced to the buffer",
                  .remedy = "disable profiling, then execute an ISB, a PSB and a DSB before the "
                            "change"},
                 VALUES(R(PMBLIMITR_EL1), PMSCR, NOTHING)},
        [DIAGNOSE_REGIME_WHILE_ENABLED] =
                {{.name = "regime-switched-while-enabled",
                  .rule = "RTDHBH",
                  .cause = "the owner of the buffer or its stage 2 translation was changed while "
                           "the buffer was enabled: its addresses now belong to the new owner or "
                           "translation",
                  .remedy = "disable profiling, execute an ISB, a PSB and a DSB, clear "
                            "PMBLIMITR_EL1.E, and execute an ISB before the change; restore "
                            "PMBLIMITR_EL1 when the change has been undone"},
                 VALUES(R(PMBLIMITR_EL1), R(PMBPTR_EL1), NOTHING)},
        [DIAGNOSE_TRANSLATION_IN_USE] =
                {{.name = "buffer-translation-changed",
                  .rule = "D17.7.8",
                  .cause = "the translation of the Profiling Buffer was changed while the buffer "
                           "was in use",
                  .remedy = "disable profiling, execute an ISB, a PSB and a DSB, and disable the "
                            "buffer before the tables are changed"},
                 VALUES(R(PMBPTR_EL1), R(PMBLIMITR_EL1), NOTHING)},
        [DIAGNOSE_TRANSLATION_STALE] =
                {{.name = "buffer-translation-stale",
                  .rule = "D17.7.8",
                  .cause = "a record was written where the translation had changed without TLB "
                           "maintenance: the SPU may use either translation",
                  .remedy = "complete the TLB maintenance with a DSB before the buffer is used "
                            "there"},
                 VALUES(R(PMBPTR_EL1), R(PMBLIMITR_EL1), NOTHING)},
        [DIAGNOSE_CROSSES_SECURITY] =
                {{.name = "record-crosses-security-state",
                  .rule = "RVCYWL",
                  .cause = "a record was about to be written in a Security state other than the "
                           "one that owned the buffer when its operation was sampled",
                  .remedy = "disable profiling, execute an ISB, a PSB and a DSB before SCR_EL3 or "
                            "MDCR_EL3 changes the Security state or the owner"},
                 VALUES(R(SCR_EL3), R(MDCR_EL3), R(PMBPTR_EL1))},
        [DIAGNOSE_RESERVED_VALUE] = {{.name = "reserved-value",
                                      .rule = "D24.7",
                                      .cause = "a field was set to a reserved value",
                                      .remedy = "write a value that the field's description lists"},
                                     VALUES(NOTHING, NOTHING, NOTHING)},
        [DIAGNOSE_RESERVED_BITS] = {{.name = "reserved-bits-set",
                                     .rule = "D24.7",
                                     .cause = "bits that are RES0 were written as 1",
                                     .remedy = "write RES0 bits as 0, or as they were read"},
                                    VALUES(NOTHING, NOTHING, NOTHING)},
        [DIAGNOSE_FILTER] =
                {{.name = "filter-unpredictable",
                  .rule = "D24.7.12",
                  .cause = "profiling is enabled with a filter of PMSFCR_EL1 that selects nothing "
                           "or contradicts another: it may be ignored, or nothing may be recorded",
                  .remedy =
                          "disable the filter, or give it a selection: PMSEVFR_EL1, PMSNEVFR_EL1, "
                          "PMSLATFR_EL1.MINLAT or the types in PMSFCR_EL1"},
                 {R(PMSFCR_EL1), R(PMSEVFR_EL1), R(PMSNEVFR_EL1), R(PMSLATFR_EL1)}},
        [DIAGNOSE_INTERVAL_SHORT] =
                {{.name = "interval-below-minimum",
                  .rule = "D24.7.15",
                  .cause = "profiling is enabled with an interval below PMSIDR_EL1.Interval: many "
                           "samples are likely to collide",
                  .remedy = "set PMSIRR_EL1.INTERVAL to at least the recommendation in "
                            "PMSIDR_EL1.Interval"},
                 VALUES(R(PMSIRR_EL1), INTERVAL_MIN, NOTHING)},
        [DIAGNOSE_INTERVAL_ZERO] =
                {{.name = "interval-zero",
                  .rule = "D24.7.15",
                  .cause = "profiling is enabled with PMSIRR_EL1.INTERVAL 0: the interval is "
                           "UNKNOWN",
                  .remedy = "set PMSIRR_EL1.INTERVAL to a nonzero value"},
                 VALUES(R(PMSIRR_EL1), INTERVAL_MIN, NOTHING)},
        [DIAGNOSE_VM_IGNORED] =
                {{.name = "vm-write-ignored",
                  .rule = "D24.7.1",
                  .cause = "a hypervisor may ignore its guest's writes to the buffer's registers "
                           "while PMBLIMITR_EL1.E is 1, and this write was ignored",
                  .remedy = "clear PMBLIMITR_EL1.E before the pointers and PMBSR_EL1 are written"},
                 VALUES(R(PMBLIMITR_EL1), R(PMBPTR_EL1), NOTHING)},
        [DIAGNOSE_VM_SIZE] = {{.name = "vm-buffer-too-large",
                               .rule = "D24.7.1",
                               .cause = "the buffer is larger than PMBIDR_EL1.MaxBuffSize",
                               .remedy =
                                       "read PMBIDR_EL1.MaxBuffSize and keep the buffer within it"},
                              VALUES(R(PMBPTR_EL1), R(PMBLIMITR_EL1), NOTHING)},
        [DIAGNOSE_VM_ADDRESS] =
                {{.name = "vm-virtual-addresses",
                  .rule = "D24.7.1",
                  .cause = "profiling is enabled with virtual addresses, but PMBIDR_EL1.AddrMode "
                           "shows that only physical addresses are supported",
                  .remedy = "set PMBLIMITR_EL1.nVM and PMBMAR_EL1, and give the pointers physical "
                            "addresses"},
                 VALUES(R(PMBLIMITR_EL1), R(PMBPTR_EL1), NOTHING)},
};

const struct spemu_diagnostic *spemu_diagnostic_at(unsigned index)
{
	return index < DIAGNOSES ? &table[index].d : NULL;
}

/* Return true if the same diagnostic was given for this PC before. A full table forgets old
 * entries, because a repeated diagnostic is better than a missing one. */
static bool was_given(struct spemu_spu *s, enum diagnosis which)
{
	struct diagnosing *d = &s->diagnosing;
	uint64_t key = d->pc * DIAGNOSES + which + 1;
	unsigned slot = (unsigned)(key * UINT64_C(0x9e3779b97f4a7c15) >> 56) % DIAGNOSES_SEEN;

	if (!s->observer || !d->has_pc)
		return false;
	for (unsigned i = 0; i < DIAGNOSES_SEEN; i++, slot = (slot + 1) % DIAGNOSES_SEEN) {
		if (d->seen[slot] == key)
			return true;
		if (!d->seen[slot])
			break;
	}
	d->seen[slot] = key;
	return false;
}

enum spemu_reg spemu__diagnose_pmscr(const struct spemu_spu *s)
{
	const struct spemu_pe *pe = s->pe;
	unsigned el = pe->state.el == 3 ? spemu__spu_owner(pe).el : pe->state.el;
	bool el2 = el == 2 || (el == 0 && spemu__pe_tge(pe));

	return el2 ? SPEMU_REG_PMSCR_EL2 : SPEMU_REG_PMSCR_EL1;
}

static struct spemu_diagnostic_value value_of(const struct spemu_spu *s, int what)
{
	switch (what) {
	case MAX_SIZE:
		return (struct spemu_diagnostic_value){"PMSIDR_EL1.MaxSize",
		                                       s->config.max_size_log2};
	case ALIGN:
		return (struct spemu_diagnostic_value){"PMBIDR_EL1.Align",
		                                       s->config.layout.align_log2};
	case INTERVAL_MIN: /* the value as encoded in PMSIRR_EL1.INTERVAL */
		return (struct spemu_diagnostic_value){"PMSIDR_EL1.Interval (operations)",
		                                       s->config.min_interval};
	default:
		return (struct spemu_diagnostic_value){spemu_reg_name((enum spemu_reg)what),
		                                       s->pe->reg[what]};
	}
}

static int resolved(const struct spemu_spu *s, int what)
{
	return what == PMSCR ? (int)spemu__diagnose_pmscr(s) : what;
}

static void diagnose(struct spemu_spu *s, enum diagnosis which, int first, uint64_t first_value)
{
	const struct diagnosis_text *text = &table[which];
	struct spemu_diagnostic d = text->d;

	if (!s->host.diagnostic || (!s->observer && which >= DIAGNOSES_PLAIN) ||
	    was_given(s, which))
		return;
	if (first >= 0)
		d.value[d.values++] = (struct spemu_diagnostic_value){
		        spemu_reg_name((enum spemu_reg)first), first_value};
	for (unsigned i = 0; i < 4 && text->value[i] != NOTHING; i++)
		if (resolved(s, text->value[i]) != first)
			d.value[d.values++] = value_of(s, resolved(s, text->value[i]));
	d.has_pc = s->diagnosing.has_pc;
	d.pc = s->diagnosing.pc;
	s->host.diagnostic(s->host.ctx, &d);
}

void spemu__spu_diagnose(struct spemu_spu *s, enum diagnosis which)
{
	diagnose(s, which, NOTHING, 0);
}

void spemu__spu_diagnose_register(struct spemu_spu *s, enum diagnosis which, enum spemu_reg reg,
                                  uint64_t value)
{
	diagnose(s, which, (int)reg, value);
}

void spemu_spu_set_pc(struct spemu_spu *spu, uint64_t pc)
{
	spu->diagnosing.pc = pc;
	spu->diagnosing.has_pc = true;
}
