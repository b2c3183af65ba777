/* SPDX-License-Identifier: MIT */
/*
 * The PE around the SPU: features, state, System registers, and their Effective values.
 *
 * Effective values stand here once, named as the pseudocode names them; no other file combines
 * SCR_EL3, HCR_EL2 and MDCR_ELx by itself.
 */
#ifndef SPEMU_PE_PE_H
#define SPEMU_PE_PE_H

#include <spemu/choice.h>
#include <spemu/pe.h>
#include <spemu/spu.h>
#include "base/bits.h"
#include "sysreg/sysreg.h"

struct pe {
	struct spemu_features features;
	struct spemu_pe_state state;
	uint64_t reg[SPEMU_REG_COUNT];
	/* Goes up when software or the host writes a register: what was derived before is old. */
	uint64_t generation;
	uint64_t mask
	        [SPEMU_REG_COUNT]; /* spemu__sysreg_mask(), further narrowed by the SPU's properties */
	uint8_t pa_bits; /* implemented physical address size; 0: as spemu__pe_pamax() has it */
	uint8_t choice[SPEMU_CHOICE_COUNT]; /* the present option of each; <spemu/choices.h> */
	/* Choice n is drawn again after each use; any: one of them is. */
	bool any_random_choice;
	bool random_choice[SPEMU_CHOICE_COUNT];
};

/*
 * The PE of an SPU, for the parts that stand beside the SPU on the same PE (the walker, the PMU).
 * It is the first member of struct spemu, which lib/spu/spu.h asserts.
 */
static inline const struct pe *pe_of(const struct spemu *spu)
{
	return (const struct pe *)spu;
}

/* The raw value of a field: REG_FIELD(pe, PMSCR_EL1, E0SPE). */
#define REG_FIELD(pe, REG, F)                \
	bits_get((pe)->reg[SPEMU_REG_##REG], \
	         SPEMU_##REG##_##F##_LSB + SPEMU_##REG##_##F##_WIDTH - 1, SPEMU_##REG##_##F##_LSB)
#define REG_FIELD_SET(pe, REG, F, value)                                           \
	((pe)->reg[SPEMU_REG_##REG] =                                              \
	         bits_set((pe)->reg[SPEMU_REG_##REG],                              \
	                  SPEMU_##REG##_##F##_LSB + SPEMU_##REG##_##F##_WIDTH - 1, \
	                  SPEMU_##REG##_##F##_LSB, (value)))

static inline bool pe_has(const struct pe *pe, enum spemu_feature feature)
{
	return spemu_has(&pe->features, feature);
}

/* The present option of a choice, a member of its own enum. */
static inline unsigned pe_choice(const struct pe *pe, enum spemu_choice choice)
{
	return pe->choice[choice];
}

/* Warm reset: registers, and the highest implemented Exception level in AArch64 state. */
void spemu__pe_reset(struct pe *pe, const struct spemu_features *features, uint64_t *prng);

bool spemu__pe_have_secure_state(const struct pe *pe);  /* HaveSecureState() */
bool spemu__pe_secure_el2_enabled(const struct pe *pe); /* IsSecureEL2Enabled() */
bool spemu__pe_el2_enabled(const struct pe *pe);        /* EL2Enabled() */
unsigned spemu__pe_scr_ns(const struct pe *pe);         /* EffectiveSCR_EL3_NS() */
unsigned spemu__pe_scr_nse(const struct pe *pe);        /* EffectiveSCR_EL3_NSE() */
bool spemu__pe_hcr_e2h(const struct pe *pe);            /* EffectiveHCR_EL2_E2H() */
bool spemu__pe_tge(const struct pe *pe);                /* EffectiveTGE() */
bool spemu__pe_hcr_dc(const struct pe *pe);             /* HCR_EL2.DC, Effective */
unsigned spemu__pe_hcr_nvx(const struct pe *pe);        /* EffectiveHCR_EL2_NVx(): {NV2, NV1, NV} */
bool spemu__pe_el_is_in_host(const struct pe *pe, unsigned el); /* ELIsInHost() */
bool spemu__pe_el2_in_security(const struct pe *pe,
                               unsigned security); /* EL2 implemented and enabled in
                                                                     that Security state */
/* The Security state of el in the current state (SecurityStateAtEL()): enum spemu_security. */
unsigned spemu__pe_security_at(const struct pe *pe, unsigned el);

/* MDCR_EL3.{NSPBE, NSPB}, Effective (EffectiveMDCR_EL3_NSPB()). */
struct nspb {
	unsigned bits; /* {NSPBE, NSPB} after the choice reserved-nspb was applied */
	bool reserved; /* the register holds a reserved value */
};
struct nspb spemu__pe_nspb(const struct pe *pe);

unsigned spemu__pe_pamax(const struct pe *pe); /* AArch64.PAMax(): implemented PA size in bits */
unsigned
spemu__pe_oamax(const struct pe *pe); /* RQJNFT OAMax: the highest bit that an OA can have */
/* MDCR_EL2.E2PB after the choice reserved-e2pb was applied: 0b00, 0b10 or 0b11. */
unsigned spemu__pe_e2pb(const struct pe *pe);

unsigned spemu__pe_pmsee(const struct pe *pe);        /* Effective MDCR_EL3.PMSEE */
unsigned spemu__pe_pmscr_el2_ee(const struct pe *pe); /* EffectivePMSCR_EL2_EE() */
unsigned spemu__pe_pmscr_el1_ee(const struct pe *pe); /* EffectivePMSCR_EL1_EE() */

/* Translation controls of the regime of el (1: EL1&0, 2: EL2 or EL2&0) in a Security state. */
uint64_t spemu__pe_tcr2(const struct pe *pe, unsigned el,
                        unsigned security);                       /* TCR2_ELx, Effective */
bool spemu__pe_emec(const struct pe *pe, unsigned security);      /* SCTLR2_EL2.EMEC, Effective */
unsigned spemu__pe_granule_tg0(const struct pe *pe, unsigned tg); /* log2 of bytes: 12, 14 or 16 */
unsigned spemu__pe_granule_tg1(const struct pe *pe, unsigned tg);
/* PMBIDR_EL1.F: the SPU's accesses manage the Access flag and dirty state as others do. */
bool spemu__pe_spe_flag_updates(const struct pe *pe);

/* Whose access it is, and what its last stage of translation says. */
struct mecid_context {
	uint8_t security, el; /* of the owning regime: el 1 or 2 */
	uint8_t pas;          /* physical address space of the access */
	bool upper;           /* EL2&0: of the upper VA range */
	bool alternate;       /* AMEC of the descriptor; false for stage 1 disabled and for walks */
	bool stage2;          /* of a stage 2 descriptor; AMEC of EL1&0 stage 1 has no effect */
};
uint16_t spemu__pe_mecid(const struct pe *pe, const struct mecid_context *c);

/* Attr and SH as in MAIR_ELx and PMBMAR_EL1 (S1DecodeMemAttrs()); and what HCR_EL2.DC puts out. */
struct spemu_memory spemu__pe_memory_attributes(const struct pe *pe, unsigned attr, unsigned sh);
struct spemu_memory spemu__pe_default_cacheable(const struct pe *pe);
uint8_t spemu__pe_shareability(const struct pe *pe, unsigned sh); /* DecodeShareability() */

/* Event counters that are implemented (PMCR_EL0.N); and the Effective MDCR_EL2.HPMN: the first range is
 * 0 .. HPMN-1 (EffectiveHPMN()). */
#define PMU_CYCLE_COUNTER 31
#define PMU_INSTRUCTION_COUNTER 32
unsigned spemu__pe_pmu_counters(const struct pe *pe);
unsigned spemu__pe_pmu_hpmn(const struct pe *pe);

/*
 * How an access from the current Exception level ends, by the clause list of arch/sysreg.txt.
 * *target is the register that is accessed in the end. Reads and writes nothing.
 */
void spemu__pe_access(const struct pe *pe, struct spemu_access_result *result,
                      enum spemu_reg *target, const struct sysreg_desc *desc, bool write);
/* The same of the n-th register of an array; *target is SPEMU_REG_COUNT where the PE holds no value. */
void spemu__pe_access_nth(const struct pe *pe, struct spemu_access_result *result,
                          enum spemu_reg *target, const struct sysreg_desc *desc, unsigned n,
                          bool write);

#endif
