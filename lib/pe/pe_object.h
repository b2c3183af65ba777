/* SPDX-License-Identifier: MIT */
/*
 * The PE around the SPU: features, state, System registers, and their Effective values.
 *
 * Only this file defines Effective values, with the names of the pseudocode. No other file combines
 * SCR_EL3, HCR_EL2 and MDCR_ELx.
 */
#ifndef SPEMU_PE_PE_OBJECT_H
#define SPEMU_PE_PE_OBJECT_H

#include <spemu/choices.h>
#include <spemu/pe.h>
#include <spemu/memory.h>
#include "base/bits.h"
#include "sysreg/sysreg.h"

/*
 * The units of a PE, as the PE sees them. lib/spu and lib/pmu each fill one table; object is
 * theirs. Each is called with its unit there; none may be NULL.
 */
struct pe_unit_calls {
	/* Takes bits out of pe->mask[] that the unit's properties do not have. */
	void (*narrow_masks)(void *object);
	/* A Context synchronization event: before the state changes, if it does; and after it.
	 * before: the state until then, NULL for an ISB. */
	void (*synchronize)(void *object, bool isb);
	void (*synchronized)(void *object, const struct spemu_pe_state *before);
	/* State, a register or a choice has changed, by other means than a call of the unit's
	 * own. */
	void (*changed)(void *object);
	/* spemu_reg_get() and spemu_reg_set() of a register; false: the PE's own way will do. */
	bool (*reg_get)(const void *object, uint64_t *value, enum spemu_reg reg);
	bool (*reg_set)(void *object, enum spemu_reg reg, uint64_t value);
};
struct pe_unit {
	const struct pe_unit_calls *calls; /* NULL: not there */
	void *object;
};
enum pe_unit_name { PE_UNIT_PMU, PE_UNIT_SPU, PE_UNITS };

struct spemu_pe {
	struct spemu_features features;
	struct spemu_pe_state state;
	uint64_t reg[SPEMU_REG_COUNT];
	/* goes up when software or the host writes a register: values derived before are out of
	 * date */
	uint64_t generation;
	uint64_t mask[SPEMU_REG_COUNT]; /* spemu__sysreg_mask(), narrowed by the units */
	uint8_t pa_bits; /* implemented physical address size; 0: as spemu__pe_pamax() has it */
	bool spe_freeze; /* SPE asks for the PMU's counters to be frozen (RHSGZX) */
	uint8_t choice[SPEMU_CHOICE_COUNT]; /* the present option of each; <spemu/choices.h> */
	/* Choice n is drawn again after each use; any: one of them is. */
	bool any_random_choice;
	bool random_choice[SPEMU_CHOICE_COUNT];
	/* Registers not written since a reset: fields that reset to UNKNOWN values have them. */
	bool unwritten[SPEMU_REG_COUNT];
	bool loaded; /* from an image: the first state that the SPU sees is not a move to enabled
		        (D17.3.3) */
	uint64_t seed, prng;
	struct pe_unit unit[PE_UNITS];
};

/* The raw value of a field: REG_FIELD(pe, PMSCR_EL1, E0SPE). */
#define REG_FIELD(pe, REG, F)                \
	bits_get((pe)->reg[SPEMU_REG_##REG], \
	         SPEMU_##REG##_##F##_LSB + SPEMU_##REG##_##F##_WIDTH - 1, SPEMU_##REG##_##F##_LSB)
#define REG_FIELD_SET(pe, REG, F, value)                                           \
	((pe)->reg[SPEMU_REG_##REG] =                                              \
	         bits_set((pe)->reg[SPEMU_REG_##REG],                              \
	                  SPEMU_##REG##_##F##_LSB + SPEMU_##REG##_##F##_WIDTH - 1, \
	                  SPEMU_##REG##_##F##_LSB, (value)))

static inline bool pe_has(const struct spemu_pe *pe, enum spemu_feature feature)
{
	return spemu_has(&pe->features, feature);
}

/* Return the present option of a choice, a member of the choice's enum. */
static inline unsigned pe_choice(const struct spemu_pe *pe, enum spemu_choice choice)
{
	return pe->choice[choice];
}

/* Warm reset: registers, and the highest implemented Exception level in AArch64 state. */
void spemu__pe_reset(struct spemu_pe *pe);

/* unit.c: find which bits of registers exist, by features, choices and units. */
void spemu__pe_masks(struct spemu_pe *pe);
void spemu__pe_attach(struct spemu_pe *pe, enum pe_unit_name name,
                      const struct pe_unit_calls *calls, void *object);
/* Report a change to all units but the one that made it (PE_UNITS: to all). */
void spemu__pe_changed(struct spemu_pe *pe, enum pe_unit_name except);
/*
 * features.c: remove the features that require one that was removed: set is the set after that,
 * before is the set before it. Features that lacked something in both stay, for
 * spemu_features_check() to refuse.
 */
void spemu__features_remove_dependents(struct spemu_features *set,
                                       const struct spemu_features *before);

/* Return true if the PE can be at that Exception level. */
bool spemu__pe_has_el(const struct spemu_pe *pe, unsigned el);

bool spemu__pe_have_secure_state(const struct spemu_pe *pe);  /* HaveSecureState() */
bool spemu__pe_secure_el2_enabled(const struct spemu_pe *pe); /* IsSecureEL2Enabled() */
bool spemu__pe_el2_enabled(const struct spemu_pe *pe);        /* EL2Enabled() */
unsigned spemu__pe_scr_ns(const struct spemu_pe *pe);         /* EffectiveSCR_EL3_NS() */
unsigned spemu__pe_scr_nse(const struct spemu_pe *pe);        /* EffectiveSCR_EL3_NSE() */
bool spemu__pe_hcr_e2h(const struct spemu_pe *pe);            /* EffectiveHCR_EL2_E2H() */
bool spemu__pe_tge(const struct spemu_pe *pe);                /* EffectiveTGE() */
bool spemu__pe_hcr_dc(const struct spemu_pe *pe);             /* HCR_EL2.DC, Effective */
unsigned spemu__pe_hcr_nvx(const struct spemu_pe *pe); /* EffectiveHCR_EL2_NVx(): {NV2, NV1, NV} */
bool spemu__pe_el_is_in_host(const struct spemu_pe *pe, unsigned el); /* ELIsInHost() */
bool spemu__pe_el2_in_security(const struct spemu_pe *pe,
                               unsigned security); /* EL2 implemented and enabled in
                                                                     that Security state */
/* The Security state of el in the current state (SecurityStateAtEL()): enum spemu_security. */
unsigned spemu__pe_security_at(const struct spemu_pe *pe, unsigned el);

/* MDCR_EL3.{NSPBE, NSPB}, Effective (EffectiveMDCR_EL3_NSPB()). */
struct nspb {
	unsigned bits; /* {NSPBE, NSPB} after the choice reserved-nspb was applied */
	bool reserved; /* the register holds a reserved value */
	bool disables; /* ... that disables profiling */
};
struct nspb spemu__pe_nspb(const struct spemu_pe *pe);

unsigned
spemu__pe_pamax(const struct spemu_pe *pe); /* AArch64.PAMax(): implemented PA size in bits */
unsigned
spemu__pe_oamax(const struct spemu_pe *pe); /* RQJNFT OAMax: the highest bit that an OA can have */
/* MDCR_EL2.E2PB after the choice reserved-e2pb was applied: 0b00, 0b10 or 0b11. */
unsigned spemu__pe_e2pb(const struct spemu_pe *pe);

unsigned spemu__pe_pmsee(const struct spemu_pe *pe);        /* Effective MDCR_EL3.PMSEE */
unsigned spemu__pe_pmscr_el2_ee(const struct spemu_pe *pe); /* EffectivePMSCR_EL2_EE() */
unsigned spemu__pe_pmscr_el1_ee(const struct spemu_pe *pe); /* EffectivePMSCR_EL1_EE() */

/* Translation controls of the regime of el (1: EL1&0, 2: EL2 or EL2&0) in a Security state. */
uint64_t spemu__pe_tcr2(const struct spemu_pe *pe, unsigned el,
                        unsigned security);                        /* TCR2_ELx, Effective */
bool spemu__pe_emec(const struct spemu_pe *pe, unsigned security); /* SCTLR2_EL2.EMEC, Effective */
unsigned spemu__pe_smallest_granule(const struct spemu_pe *pe);    /* log2, of those implemented */
unsigned spemu__pe_granule_tg0(const struct spemu_pe *pe,
                               unsigned tg); /* log2 of bytes: 12, 14 or 16 */
unsigned spemu__pe_granule_tg1(const struct spemu_pe *pe, unsigned tg);
/* PMBIDR_EL1.F: the SPU's accesses manage the Access flag and dirty state as others do. */
bool spemu__pe_spe_flag_updates(const struct spemu_pe *pe);

/* Whose access it is, and what its last stage of translation says. */
struct mecid_context {
	uint8_t security, el; /* of the owning regime: el 1 or 2 */
	uint8_t pas;          /* physical address space of the access */
	bool upper;           /* EL2&0: of the upper VA range */
	bool alternate;       /* AMEC of the descriptor; false for stage 1 disabled and for walks */
	bool stage2;          /* of a stage 2 descriptor; AMEC of EL1&0 stage 1 has no effect */
};
uint16_t spemu__pe_mecid(const struct spemu_pe *pe, const struct mecid_context *c);

/* Attr and SH as in MAIR_ELx and PMBMAR_EL1 (S1DecodeMemAttrs()); and what HCR_EL2.DC puts out. */
struct spemu_memory spemu__pe_memory_attributes(const struct spemu_pe *pe, unsigned attr,
                                                unsigned sh);
struct spemu_memory spemu__pe_default_cacheable(const struct spemu_pe *pe);
uint8_t spemu__pe_shareability(const struct spemu_pe *pe, unsigned sh); /* DecodeShareability() */

/* Event counters that are implemented (PMCR_EL0.N); and the Effective MDCR_EL2.HPMN: the first
 * range is 0 .. HPMN-1 (EffectiveHPMN()). */
#define PMU_CYCLE_COUNTER 31
unsigned spemu__pe_pmu_counters(const struct spemu_pe *pe);
unsigned spemu__pe_pmu_hpmn(const struct spemu_pe *pe);

/*
 * Decide how an access from the current Exception level ends, by the clause list of
 * arch/sysreg.txt. Nothing is read or written.
 */
void spemu__pe_access(const struct spemu_pe *pe, struct spemu_access_result *result,
                      const struct sysreg_desc *desc, bool write);
/* Decide the same for the n-th register of an array. */
void spemu__pe_access_nth(const struct spemu_pe *pe, struct spemu_access_result *result,
                          const struct sysreg_desc *desc, unsigned n, bool write);

#endif
