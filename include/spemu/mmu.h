/* SPDX-License-Identifier: MIT */
/*
 * A VMSAv8-64 translation table walker with the Granule Protection Check, for hosts that provide
 * physical memory and no translation.
 *
 * It translates the SPU's writes, which are privileged writes of the owning translation regime. It
 * reads the registers of the given PE: SCR_EL3, HCR_EL2, HCRX_EL2,
 * SCTLR_ELx, SCTLR2_EL2, TCR_ELx, TCR2_ELx, TTBRn_ELx, MAIR_ELx, MAIR2_ELx, PIR_ELx, PIRE0_ELx,
 * POR_ELx, VTCR_EL2, VTTBR_EL2, VSTCR_EL2, VSTTBR_EL2, S2PIR_EL2, S2POR_EL1, GPCCR_EL3, GPTBR_EL3,
 * GPCBW_EL3 and the registers of FEAT_MEC. The host keeps them up to date with spemu_reg_set().
 * Translations are cached. A change of one of these registers takes effect at once; a change of a
 * table takes effect after spemu_mmu_invalidate(), as in the architecture. After another
 * spemu_spu_init() in the same memory, the host must invalidate everything.
 *
 * Implemented sizes and granules follow from the object's features and from pa_bits of its
 * configuration; stage 2 has the granules of stage 1. If PMBIDR_EL1.F is 1, hardware manages the
 * Access flag and the dirty state.
 *
 * Limits: FEAT_D128 is an error (see below). FEAT_MTE_CANONICAL_TAGS, FEAT_MTE_NO_ADDRESS_TAGS
 * (TCR_ELx.MTXn), FEAT_MTE_PERM, FEAT_HDBSS, FEAT_RME_GDI and FEAT_LVA3 have no effect on
 * translation. The Contiguous bit is a hint that is ignored. TLB conflict aborts do not occur.
 *
 *   static int translate(void *ctx, struct spemu_translation *result, struct spemu_fault *fault,
 *                        const struct spemu_pe *pe, const struct spemu_buffer_write *access)
 *   {
 *           return spemu_mmu_translate(((struct machine *)ctx)->mmu, result, fault, pe, access);
 *   }
 *
 * Arm ARM: DDI 0487 M.a, D8; AArch64.FullTranslate(). One object is used by one thread at a time.
 */
#ifndef SPEMU_MMU_H
#define SPEMU_MMU_H

#include <spemu/api.h>
#include <spemu/memory.h>
#include <spemu/memory.h>
#include <spemu/pe.h>

SPEMU_BEGIN_DECLS

struct spemu_mmu; /* lives in memory that the caller gives */

/* A location in physical memory. */
struct spemu_physical {
	uint64_t address;
	uint8_t pas;    /* enum spemu_security */
	uint16_t mecid; /* FEAT_MEC; 0 without it */
};

/* Physical memory, for descriptors: size is sizeof(struct spemu_mmu_memory). */
struct spemu_mmu_memory {
	size_t size;
	void *ctx;
	/*
	 * Read the 8 bytes at an 8-byte aligned location as a little-endian number. 0, or nonzero
	 * for an External abort. Required.
	 */
	int (*read)(void *ctx, uint64_t *value, const struct spemu_physical *at);
	/*
	 * If the 8 bytes there are expected, replace them by desired, atomically; *old is what was
	 * there. 0, or nonzero for an External abort. NULL: this memory cannot be updated
	 * atomically, and where the Access flag or dirty state has to be, that is an Unsupported
	 * atomic hardware update fault.
	 */
	int (*compare_and_swap)(void *ctx, uint64_t *old, const struct spemu_physical *at,
	                        uint64_t expected, uint64_t desired);
};

/* Bytes that an object needs; it is aligned as max_align_t. */
size_t spemu_mmu_size(void);

/*
 * Make a walker in memory[0..size). memory_access is copied. SPEMU_OK; SPEMU_ERR_NOSPACE;
 * SPEMU_ERR_INVALID for a missing callback or a wrong struct size.
 */
int spemu_mmu_init(struct spemu_mmu **mmu, void *memory, size_t size,
                   const struct spemu_mmu_memory *memory_access);

/*
 * Translate access->address for the PE. 0 with *result filled; SPEMU_FAULT_* (positive) with *fault
 * filled; SPEMU_ERR_NOT_SUPPORTED where software has enabled 128-bit descriptors (FEAT_D128) for a
 * stage that takes part; SPEMU_ERR_INVALID for an access that cannot be: an owner other than EL1
 * and EL2, EL2 where it is not enabled in that Security state, Root, an unknown address type.
 */
int spemu_mmu_translate(struct spemu_mmu *mmu, struct spemu_translation *result,
                        struct spemu_fault *fault, const struct spemu_pe *pe,
                        const struct spemu_buffer_write *access);

/*
 * Find the size of the page that access->address lies in. *page_log2 is log2 of its bytes, 12 to
 * 48: the size that a block or page of the translation tables maps, the smaller one of two stages.
 * The size does not depend on who uses the page: permissions do not count, no Access flag or dirty
 * state is updated, and nothing is cached. Where no stage translates it is all that addresses can
 * reach, at most 48. Returns what spemu_mmu_translate() does; *page_log2 is 0 unless that is 0.
 */
int spemu_mmu_page(struct spemu_mmu *mmu, unsigned *page_log2, struct spemu_fault *fault,
                   const struct spemu_pe *pe, const struct spemu_buffer_write *access);

/* The scope of a TLB maintenance operation that affects this PE (D17.7.8). */
enum spemu_tlbi {
	SPEMU_TLBI_ALL = 0, /* everything, Granule Protection Table information included */
	SPEMU_TLBI_REGIME, /* all of a regime, of the VMID for EL1&0 (ALLEn, VMALLE1, VMALLS12E1) */
	SPEMU_TLBI_ASID,   /* ... of the ASID, global entries excepted (ASIDE1) */
	SPEMU_TLBI_VA,     /* ... of the VA range for the ASID, global entries included (VAE1) */
	SPEMU_TLBI_VA_ALL_ASIDS, /* ... of the VA range for all ASIDs (VAAE1) */
	SPEMU_TLBI_IPA, /* stage 2 of the IPA range of the VMID (IPAS2E1): here all of the VMID that
	                   went through it */
	SPEMU_TLBI_PA,  /* Granule Protection Table information of the PA range (RPAOS) */
};
struct spemu_mmu_scope {
	uint8_t by;       /* enum spemu_tlbi */
	uint8_t security; /* enum spemu_security of the regime */
	uint8_t el;       /* the regime: 1 (EL1&0) or 2 (EL2, EL2&0) */
	uint16_t asid, vmid;
	uint64_t first, last; /* of the range, inclusive, in bytes; VA bits [63:56] are ignored */
};

/* Forget what the operation names. It may forget more. The next translation walks again. */
void spemu_mmu_invalidate(struct spemu_mmu *mmu, const struct spemu_mmu_scope *scope);

SPEMU_END_DECLS
#endif
