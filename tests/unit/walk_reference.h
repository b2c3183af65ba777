/* SPDX-License-Identifier: MIT */
/*
 * A second implementation of the translation of one address of the Profiling Buffer. Tests compare
 * lib/mmu with it.
 *
 * It is slow, has no cache, and was written row by row from the tables of the manual. It shares no
 * code and no register layout with the library: registers are plain values, from which it extracts
 * the fields itself. It uses only the two result structs of the public headers.
 *
 * Arm ARM: DDI 0487 M.a, D8 (VMSAv8-64), D8.12 (MECID), D9 (granule protection), D17.7, D24.2.
 */
#ifndef WALK_REFERENCE_H
#define WALK_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include <spemu/memory.h>
#include <spemu/mmu.h>

/* Return value[high:low]. */
static inline uint64_t reference_bits(uint64_t value, unsigned high, unsigned low)
{
	return (value >> low) & (~UINT64_C(0) >> (63 - (high - low)));
}

/* Security states and physical address spaces, by {NSE, NS}. */
enum { REF_SECURE = 0, REF_NON_SECURE = 1, REF_ROOT = 2, REF_REALM = 3 };

/* The implemented features. */
struct ref_implemented {
	bool el2, el3, sel2, vhe, lva, lpa, lpa2, ttst, hafdbs, hpds, xs, mte2, the, mec, rme,
	        s2fwb;
	bool rme_gpc2, rme_gpc3, haft, aie, tcr2, hcx;
	bool no_4k, no_16k, no_64k; /* translation granules that are absent */
	unsigned pa_bits;           /* Table D8-5 */
};

/* The choices that the architecture allows and that a walk can show. */
struct ref_choices {
	/* RYXNYW: a TxSZ above the maximum causes a fault; otherwise the maximum is used. */
	bool tsz_above_faults;
	/* RSXWGM, RMWXYY: so does a TxSZ below the minimum, without FEAT_LVA or FEAT_LPA. */
	bool tsz_below_faults;
	unsigned reserved_tg; /* log2 of the granule of a reserved TG0 or TG1 */
	/* RWDZFC: address bits in [15:12] of a descriptor, 64KB granule, without FEAT_LPA. */
	bool res0_address_faults;
	/* 64KB granule, PS 0b11x, without 52-bit PAs: TTBR bits [5:2] are address bits. */
	bool baddr_extended;
	/* RNSCNC: Device and Non-cacheable memory enters stage 2 as Outer Shareable. */
	bool stage1_outer;
	bool af_with_permission; /* RQSPMS: the Access flag is set even if permission is denied */
	/* D8.6.5, D8.6.6: 0 for Device-nGnRnE, 1 for Non-cacheable, 2 for Write-Back, or the
	 * attribute of stage 1. */
	unsigned reserved_memattr;
	unsigned reserved_mair; /* the same for MAIR_ELx */
	unsigned reserved_sh;   /* attribute for SH 0b01, from enum spemu_shareability */
	/* RXBFCM: bits above OAMax in an untranslated address cause a fault. */
	bool high_bits_fault;
};

/* The registers, with the values that software wrote. */
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
	unsigned type; /* from enum spemu_address_type */
	unsigned el;
	unsigned security;
	bool e2h;
	struct spemu_memory memory; /* attributes of an untranslated address */
};

struct ref_result {
	/* From enum spemu_fault_kind; SPEMU_FAULT_NONE if the address was translated. */
	unsigned kind;
	unsigned type; /* from enum spemu_fault_type */
	int level;     /* level of the fault */
	unsigned fsc;  /* for SPEMU_FAULT_STAGE1 and SPEMU_FAULT_STAGE2 */
	bool top_level, assured_only;
	bool on_stage1_walk; /* stage 2 fault of a walk or an update by stage 1 */
	uint64_t physical;
	unsigned pas;
	unsigned region_log2; /* log2 of the largest region with the same translation */
	unsigned mecid;
	bool has_stage2;
	struct spemu_memory memory, stage1;
	/* For coverage: the log2 of the granule of each stage, 0 if the stage did not take part,
	 * and the levels of the leaves. */
	unsigned granule1, granule2;
	int leaf1, leaf2;
	unsigned updates; /* number of descriptors that were written */
	bool gave_up;     /* the tables changed too often during the walk */
};

void reference_translate(const struct ref_machine *m, struct ref_result *result,
                         const struct ref_request *request);

/* Check one access to (address, pas) in state `security`. */
enum ref_gpc { REF_GPC_PASS, REF_GPC_FAIL, REF_GPC_OTHER };
enum ref_gpc reference_gpc(const struct ref_machine *m, unsigned *region_log2, uint64_t address,
                           unsigned pas, unsigned security);

/* Attributes of MAIR_ELx.Attr, and of both stages combined (walk_reference_memory.c). */
struct ref_stage2_attributes {
	bool fwb, cd, xs, mte2;
	unsigned memattr;      /* MemAttr[3:0] */
	unsigned reserved;     /* as ref_choices.reserved_memattr */
	unsigned shareability; /* SH[1:0], or VTCR_EL2.SH0 */
	bool fnxs;
};
/* Decode MAIR_ELx.Attr. `reserved` selects the replacement for UNPREDICTABLE encodings: 0 for
 * Device-nGnRnE, 1 for Normal Non-cacheable, 2 for Normal Write-Back. */
void reference_mair(struct spemu_memory *memory, unsigned attr, unsigned sh, bool has_xs,
                    bool has_mte2, unsigned reserved);
void reference_effective_shareability(struct spemu_memory *memory);
void reference_combine(struct spemu_memory *memory, const struct spemu_memory *stage1,
                       const struct ref_stage2_attributes *descriptor);
/* Return true if the stage 2 descriptor makes a stage 1 table Device memory. Otherwise the table is
 * Normal memory. */
bool reference_walk_is_device(const struct ref_stage2_attributes *descriptor);

#endif
