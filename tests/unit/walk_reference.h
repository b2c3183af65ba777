/* SPDX-License-Identifier: MIT */
/*
 * The translation of one address of the Profiling Buffer, implemented a second time: slow, without
 * any cache, and written from the tables of the manual row by row, for comparison with lib/mmu. It
 * shares no code and no register layout with the library: registers are plain values, and their
 * fields are extracted here. Of the public headers it uses the two structs of results.
 *
 * Arm ARM: DDI 0487 M.a, D8 (VMSAv8-64), D8.12 (MECID), D9 (granule protection), D17.7, D24.2.
 */
#ifndef WALK_REFERENCE_H
#define WALK_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include <spemu/memory.h>
#include <spemu/mmu.h>

/* value[high:low] */
static inline uint64_t reference_bits(uint64_t value, unsigned high, unsigned low)
{
	return (value >> low) & (~UINT64_C(0) >> (63 - (high - low)));
}

/* Security states and physical address spaces: {NSE, NS}. */
enum { REF_SECURE = 0, REF_NON_SECURE = 1, REF_ROOT = 2, REF_REALM = 3 };

/* Implemented features. */
struct ref_implemented {
	bool el2, el3, sel2, vhe, lva, lpa, lpa2, ttst, hafdbs, hpds, xs, mte2, the, mec, rme,
	        s2fwb;
	bool rme_gpc2, rme_gpc3, haft, aie, tcr2, hcx;
	bool no_4k, no_16k, no_64k; /* translation granules that are absent */
	unsigned pa_bits;           /* Table D8-5 */
};

/* Choices of the architecture that a walk can show. */
struct ref_choices {
	bool tsz_above_faults;    /* RYXNYW: a TxSZ above the maximum faults; otherwise the
	                           * maximum is used */
	bool tsz_below_faults;    /* RSXWGM, RMWXYY: so does one below the minimum without
	                           * FEAT_LVA, FEAT_LPA */
	unsigned reserved_tg;     /* log2 of the granule of a reserved TG0 or TG1 */
	bool res0_address_faults; /* RWDZFC: descriptor bits [15:12], 64KB granule, without LPA */
	bool baddr_extended;      /* 64KB granule, PS 0b11x, without 52-bit PAs: TTBR bits [5:2] */
	bool stage1_outer; /* RNSCNC: Device and Non-cacheable enter stage 2 Outer Shareable */
	bool af_with_permission; /* RQSPMS: the Access flag is set although permission is denied */
	unsigned reserved_memattr; /* D8.6.5, D8.6.6: 0 Device-nGnRnE, 1 Non-cacheable, 2
	                           * Write-Back, or the attribute of stage 1 */
	unsigned reserved_mair;    /* MAIR_ELx: like reserved_memattr */
	unsigned reserved_sh;      /* SH 0b01, as enum spemu_shareability */
	bool high_bits_fault;      /* RXBFCM: bits above OAMax of an untranslated address fault */
};

/* Registers as software wrote them. */
struct ref_registers {
	uint64_t scr_el3, hcr_el2, gpccr_el3, gptbr_el3;
	uint64_t sctlr_el1, tcr_el1, ttbr0_el1, ttbr1_el1, mair_el1;
	uint64_t sctlr_el2, tcr_el2, ttbr0_el2, ttbr1_el2, mair_el2;
	uint64_t vtcr_el2, vttbr_el2, vstcr_el2, vsttbr_el2;
	uint64_t tcr2_el1, tcr2_el2, sctlr2_el2, hcrx_el2, mair2_el1, mair2_el2, gpcbw_el3;
	uint64_t mecid_p0_el2, mecid_a0_el2, mecid_p1_el2, mecid_a1_el2, vmecid_p_el2, vmecid_a_el2;
};

struct ref_machine {
	struct ref_implemented has;
	struct ref_choices choose;
	struct ref_registers reg;
	struct spemu_mmu_memory memory;
};

struct ref_request {
	uint64_t address;
	unsigned type; /* enum spemu_address_type */
	unsigned el;
	unsigned security;
	bool e2h;
	struct spemu_memory memory; /* attributes of an untranslated address */
};

struct ref_result {
	unsigned kind; /* enum spemu_fault_kind; SPEMU_FAULT_NONE: translated */
	unsigned type; /* enum spemu_fault_type */
	int level;     /* of the fault */
	unsigned fsc;  /* of SPEMU_FAULT_STAGE1 and SPEMU_FAULT_STAGE2 */
	bool top_level, assured_only;
	bool on_stage1_walk; /* a stage 2 fault of a walk or update by stage 1 */
	uint64_t physical;
	unsigned pas;
	unsigned region_log2; /* the largest that holds */
	unsigned mecid;
	bool has_stage2;
	struct spemu_memory memory, stage1;
	/* Granules (log2, 0 if the stage took no part) and levels of the leaves, for coverage. */
	unsigned granule1, granule2;
	int leaf1, leaf2;
	unsigned updates; /* descriptors written */
	bool gave_up;     /* the tables changed under the walk again and again */
};

void reference_translate(const struct ref_machine *m, struct ref_result *result,
                         const struct ref_request *request);

/* Check one access by `security` to (address, pas). */
enum ref_gpc { REF_GPC_PASS, REF_GPC_FAIL, REF_GPC_OTHER };
enum ref_gpc reference_gpc(const struct ref_machine *m, unsigned *region_log2, uint64_t address,
                           unsigned pas, unsigned security);

/* Attributes of MAIR_ELx.Attr and of both stages together (walk_reference_memory.c). */
struct ref_stage2_attributes {
	bool fwb, cd, xs, mte2;
	unsigned memattr;      /* MemAttr[3:0] */
	unsigned reserved;     /* ref_choices.reserved_memattr */
	unsigned shareability; /* SH[1:0], or VTCR_EL2.SH0 */
	bool fnxs;
};
/* Decode MAIR_ELx.Attr. `reserved` replaces UNPREDICTABLE encodings: 0 Device-nGnRnE, 1 Normal
 * Non-cacheable, 2 Normal Write-Back. */
void reference_mair(struct spemu_memory *memory, unsigned attr, unsigned sh, bool has_xs,
                    bool has_mte2, unsigned reserved);
void reference_effective_shareability(struct spemu_memory *memory);
void reference_combine(struct spemu_memory *memory, const struct spemu_memory *stage1,
                       const struct ref_stage2_attributes *descriptor);
/* Return true if the stage 2 descriptor makes a stage 1 table, which is Normal memory, Device
 * memory. */
bool reference_walk_is_device(const struct ref_stage2_attributes *descriptor);

#endif
