/* SPDX-License-Identifier: MIT */
/*
 * The PE object: features, state, System registers, and their Effective values.
 *
 * Only this file declares Effective values, with the names of the pseudocode. No other file
 * combines SCR_EL3, HCR_EL2 and MDCR_ELx.
 */
#ifndef SPEMU_PE_PE_OBJECT_H
#define SPEMU_PE_PE_OBJECT_H

#include <spemu/choices.h>
#include <spemu/pe.h>
#include <spemu/memory.h>
#include "base/bits.h"
#include "sysreg/sysreg.h"

/*
 * The functions that the PE calls in a unit. lib/spu and lib/pmu each fill one table. object is the
 * unit's object. Each function is called only if the unit exists, and none may be NULL.
 */
struct pe_unit_calls {
	/* Remove bits from pe->mask[] that the properties of the unit exclude. */
	void (*narrow_masks)(void *object);
	/*
	 * Report a Context synchronization event. synchronize is called before the state changes,
	 * and synchronized after it. before is the old state, or NULL for an ISB, which does not
	 * change the state.
	 */
	void (*synchronize)(void *object, bool isb);
	void (*synchronized)(void *object, const struct spemu_pe_state *before);
	/* Report that the state, a register or a choice has changed, except by a function of the
	 * unit itself. */
	void (*changed)(void *object);
	/* Execute spemu_reg_get() or spemu_reg_set() for a register of the unit. Return false if
	 * the PE is to handle the register itself. */
	bool (*reg_get)(const void *object, uint64_t *value, enum spemu_reg reg);
	bool (*reg_set)(void *object, enum spemu_reg reg, uint64_t value);
};
struct pe_unit {
	const struct pe_unit_calls *calls; /* NULL if the unit does not exist */
	void *object;
};
enum pe_unit_name { PE_UNIT_PMU, PE_UNIT_SPU, PE_UNITS };

struct spemu_pe {
	struct spemu_features features;
	struct spemu_pe_state state;
	uint64_t reg[SPEMU_REG_COUNT];
	/* Incremented whenever software or the host writes a register. Values that were derived
	 * before are then out of date. */
	uint64_t generation;
	uint64_t mask[SPEMU_REG_COUNT]; /* existing bits: spemu__sysreg_mask(), narrowed by the
	                                   units */
	uint8_t pa_bits;                /* implemented physical address size; 0 means the default of
	                                   spemu__pe_pamax() */
	bool spe_freeze;                /* SPE requests that the PMU's counters freeze (RHSGZX) */
	uint8_t choice[SPEMU_CHOICE_COUNT]; /* present option of each choice (<spemu/choices.h>) */
	/* any_random_choice: at least one choice is random. random_choice[n]: choice n is drawn
	 * again after each use */
	bool any_random_choice;
	bool random_choice[SPEMU_CHOICE_COUNT];
	/* Registers that have not been written since a reset. Fields that the reset made UNKNOWN
	 * are still UNKNOWN. */
	bool unwritten[SPEMU_REG_COUNT];
	/* The state comes from an image. When the SPU first sees it, profiling does not become
	 * enabled (D17.3.3). */
	bool loaded;
	uint64_t seed, prng;
	struct pe_unit unit[PE_UNITS];
};

/* Return the raw value of a field: REG_FIELD(pe, PMSCR_EL1, E0SPE). */
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

/* Return the current option of a choice, a member of the choice's enum. */
static inline unsigned pe_choice(const struct spemu_pe *pe, enum spemu_choice choice)
{
	return pe->choice[choice];
}

/* Do a Warm reset of the registers, and move to the highest implemented Exception level in
 * AArch64 state. */
void spemu__pe_reset(struct spemu_pe *pe);

/* unit.c: derive the existing bits of registers from features, choices and units. */
void spemu__pe_masks(struct spemu_pe *pe);
void spemu__pe_attach(struct spemu_pe *pe, enum pe_unit_name name,
                      const struct pe_unit_calls *calls, void *object);
/* Report a change to all units except the one that made it, or to all with PE_UNITS. */
void spemu__pe_changed(struct spemu_pe *pe, enum pe_unit_name except);
/*
 * features.c: remove the features that require a removed feature. set is the set after the removal,
 * before the set before it. Features whose requirements are missing in both sets stay, so that
 * spemu_features_check() refuses them.
 */
void spemu__features_remove_dependents(struct spemu_features *set,
                                       const struct spemu_features *before);

/* Return true if the PE has this Exception level. */
bool spemu__pe_has_el(const struct spemu_pe *pe, unsigned el);

bool spemu__pe_have_secure_state(const struct spemu_pe *pe);  /* HaveSecureState() */
bool spemu__pe_secure_el2_enabled(const struct spemu_pe *pe); /* IsSecureEL2Enabled() */
bool spemu__pe_el2_enabled(const struct spemu_pe *pe);        /* EL2Enabled() */
unsigned spemu__pe_scr_ns(const struct spemu_pe *pe);         /* EffectiveSCR_EL3_NS() */
unsigned spemu__pe_scr_nse(const struct spemu_pe *pe);        /* EffectiveSCR_EL3_NSE() */
bool spemu__pe_hcr_e2h(const struct spemu_pe *pe);            /* EffectiveHCR_EL2_E2H() */
bool spemu__pe_tge(const struct spemu_pe *pe);                /* EffectiveTGE() */
bool spemu__pe_hcr_dc(const struct spemu_pe *pe);             /* Effective HCR_EL2.DC */
unsigned spemu__pe_hcr_nvx(const struct spemu_pe *pe); /* EffectiveHCR_EL2_NVx(): {NV2, NV1, NV} */
bool spemu__pe_el_is_in_host(const struct spemu_pe *pe, unsigned el); /* ELIsInHost() */
/* Return true if EL2 is implemented, and enabled in this Security state. */
bool spemu__pe_el2_in_security(const struct spemu_pe *pe, unsigned security);
/* Return the Security state of el in the current state (SecurityStateAtEL()): enum
 * spemu_security. */
unsigned spemu__pe_security_at(const struct spemu_pe *pe, unsigned el);

/* The Effective MDCR_EL3.{NSPBE, NSPB} (EffectiveMDCR_EL3_NSPB()). */
struct nspb {
	unsigned bits; /* {NSPBE, NSPB} as decided by the choice reserved-nspb */
	bool reserved; /* the register holds a reserved value */
	bool disables; /* the register holds a reserved value that disables profiling */
};
struct nspb spemu__pe_nspb(const struct spemu_pe *pe);

/* Return the implemented physical address size in bits (AArch64.PAMax()). */
unsigned spemu__pe_pamax(const struct spemu_pe *pe);
/* Return OAMax, the highest bit that an output address can have (RQJNFT). */
unsigned spemu__pe_oamax(const struct spemu_pe *pe);
/* Return MDCR_EL2.E2PB after the choice reserved-e2pb was applied: 0b00, 0b10 or 0b11. */
unsigned spemu__pe_e2pb(const struct spemu_pe *pe);

unsigned spemu__pe_pmsee(const struct spemu_pe *pe);        /* Effective MDCR_EL3.PMSEE */
unsigned spemu__pe_pmscr_el2_ee(const struct spemu_pe *pe); /* EffectivePMSCR_EL2_EE() */
unsigned spemu__pe_pmscr_el1_ee(const struct spemu_pe *pe); /* EffectivePMSCR_EL1_EE() */

/* Return a translation control of the regime of el (1: EL1&0, 2: EL2 or EL2&0) in a Security
 * state. */
uint64_t spemu__pe_tcr2(const struct spemu_pe *pe, unsigned el,
                        unsigned security);                        /* Effective TCR2_ELx */
bool spemu__pe_emec(const struct spemu_pe *pe, unsigned security); /* Effective SCTLR2_EL2.EMEC */
unsigned spemu__pe_smallest_granule(const struct spemu_pe *pe);    /* returns log2 of the bytes of
                                                                      the smallest implemented
                                                                      granule */
unsigned spemu__pe_granule_tg0(const struct spemu_pe *pe,
                               unsigned tg); /* log2 of the granule in bytes: 12, 14 or 16 */
unsigned spemu__pe_granule_tg1(const struct spemu_pe *pe, unsigned tg);
/* Return PMBIDR_EL1.F: true if the SPU's accesses manage the Access flag and dirty state as
 * others do. */
bool spemu__pe_spe_flag_updates(const struct spemu_pe *pe);

/* The owner of a memory access, and the result of its last stage of translation. */
struct mecid_context {
	uint8_t security, el; /* owning regime; el is 1 or 2 */
	uint8_t pas;          /* physical address space of the access */
	bool upper;           /* EL2&0: the address is in the upper VA range */
	bool alternate;       /* AMEC of the descriptor; false for disabled stage 1 and for walks */
	bool stage2;          /* the descriptor is one of stage 2; AMEC of EL1&0 stage 1 has no
	                         effect */
};
uint16_t spemu__pe_mecid(const struct spemu_pe *pe, const struct mecid_context *c);

/* Return the memory attributes for Attr and SH as in MAIR_ELx and PMBMAR_EL1 (S1DecodeMemAttrs()),
 * or the attributes that HCR_EL2.DC gives. */
struct spemu_memory spemu__pe_memory_attributes(const struct spemu_pe *pe, unsigned attr,
                                                unsigned sh);
struct spemu_memory spemu__pe_default_cacheable(const struct spemu_pe *pe);
uint8_t spemu__pe_shareability(const struct spemu_pe *pe, unsigned sh); /* DecodeShareability() */

/* Return the number of implemented event counters (PMCR_EL0.N), or the Effective MDCR_EL2.HPMN,
 * which splits the counters (EffectiveHPMN()). The first range is 0 .. HPMN-1. */
#define PMU_CYCLE_COUNTER 31
unsigned spemu__pe_pmu_counters(const struct spemu_pe *pe);
unsigned spemu__pe_pmu_hpmn(const struct spemu_pe *pe);

/*
 * Decide the outcome of a register access from the current Exception level, by the clause list of
 * arch/sysreg.txt. Registers are neither read nor written.
 */
void spemu__pe_access(const struct spemu_pe *pe, struct spemu_access_result *result,
                      const struct sysreg_desc *desc, bool write);
/* Make the same decision for the n-th register of an array. */
void spemu__pe_access_nth(const struct spemu_pe *pe, struct spemu_access_result *result,
                          const struct sysreg_desc *desc, unsigned n, bool write);

#endif
