/* SPDX-License-Identifier: MIT */
/*
 * A VMSAv8-64 translation table walker with the Granule Protection Check, for hosts that provide
 * physical memory but no translation.
 *
 * It translates the SPU's writes, which are privileged writes of the owning translation regime. It
 * reads the registers of the given PE: SCR_EL3, HCR_EL2, HCRX_EL2, SCTLR_ELx, SCTLR2_EL2, TCR_ELx,
 * TCR2_ELx, TTBRn_ELx, MAIR_ELx, MAIR2_ELx, PIR_ELx, PIRE0_ELx, POR_ELx, VTCR_EL2, VTTBR_EL2,
 * VSTCR_EL2, VSTTBR_EL2, S2PIR_EL2, S2POR_EL1, GPCCR_EL3, GPTBR_EL3, GPCBW_EL3 and the registers of
 * FEAT_MEC. The host keeps them up to date with spemu_reg_set().
 *
 * Translations are cached. A change of one of these registers takes effect at once. A change of a
 * table takes effect after spemu_mmu_invalidate(), as in the architecture. If the host calls
 * spemu_spu_init() again in the same memory, it must invalidate everything.
 *
 * Implemented sizes and granules follow from the features of the PE and from pa_bits of its
 * configuration. Stage 2 has the same granules as stage 1. If PMBIDR_EL1.F is 1, hardware manages
 * the Access flag and the dirty state.
 *
 * Limits: FEAT_D128 is not supported (see spemu_mmu_translate()). FEAT_MTE_CANONICAL_TAGS,
 * FEAT_MTE_NO_ADDRESS_TAGS (TCR_ELx.MTXn), FEAT_MTE_PERM, FEAT_HDBSS, FEAT_RME_GDI and FEAT_LVA3
 * have no effect on translation. The Contiguous bit is a hint and is ignored. TLB conflict aborts
 * do not occur.
 *
 *   static int translate(void *ctx, struct spemu_translation *result, struct spemu_fault *fault,
 *                        const struct spemu_pe *pe, const struct spemu_buffer_write *access)
 *   {
 *           return spemu_mmu_translate(((struct machine *)ctx)->mmu, result, fault, pe, access);
 *   }
 *
 * Arm ARM: DDI 0487 M.a, D8; AArch64.FullTranslate(). One thread at a time may use an object.
 */
#ifndef SPEMU_MMU_H
#define SPEMU_MMU_H

#include <spemu/api.h>
#include <spemu/memory.h>
#include <spemu/memory.h>
#include <spemu/pe.h>

SPEMU_BEGIN_DECLS

struct spemu_mmu; /* an object in memory that the caller provides */

/* A location in physical memory. */
struct spemu_physical {
	uint64_t address; /* physical address in bytes */
	uint8_t pas;      /* physical address space: enum spemu_security */
	uint16_t mecid;   /* memory encryption context; 0 without FEAT_MEC */
};

/* Callbacks that read and update descriptors in physical memory. size is sizeof(struct
 * spemu_mmu_memory). They run on the thread that calls the walker. */
struct spemu_mmu_memory {
	size_t size;
	void *ctx; /* argument for the callbacks */
	/*
	 * Read the 8 bytes at an 8-byte aligned location as a little-endian number. Return 0, or
	 * nonzero for an External abort. Required.
	 */
	int (*read)(void *ctx, uint64_t *value, const struct spemu_physical *at);
	/*
	 * Atomically replace the 8 bytes there by desired if they are equal to expected. *old is
	 * the value before. Return 0, or nonzero for an External abort. May be NULL if this memory
	 * does not have atomic updates: a necessary update of the Access flag or dirty state is
	 * then an Unsupported atomic hardware update fault.
	 */
	int (*compare_and_swap)(void *ctx, uint64_t *old, const struct spemu_physical *at,
	                        uint64_t expected, uint64_t desired);
};

/* Return the size of a walker in bytes. Its memory must be aligned as max_align_t. */
size_t spemu_mmu_size(void);

/*
 * Make a walker in memory[0..size). The memory belongs to the caller and must outlive the walker.
 * memory_access is copied. Return SPEMU_OK; SPEMU_ERR_NOSPACE if size is below spemu_mmu_size(); or
 * SPEMU_ERR_INVALID for a missing callback or a wrong struct size.
 */
int spemu_mmu_init(struct spemu_mmu **mmu, void *memory, size_t size,
                   const struct spemu_mmu_memory *memory_access);

/*
 * Translate access->address for the PE. Return one of:
 * - 0, with *result filled.
 * - SPEMU_FAULT_* (positive), with *fault filled.
 * - SPEMU_ERR_NOT_SUPPORTED if software has enabled 128-bit descriptors (FEAT_D128) for a stage
 *   that takes part.
 * - SPEMU_ERR_INVALID for an impossible write: an owner other than EL1 and EL2, EL2 if it is not
 *   enabled in that Security state, Root, or an unknown address type.
 */
int spemu_mmu_translate(struct spemu_mmu *mmu, struct spemu_translation *result,
                        struct spemu_fault *fault, const struct spemu_pe *pe,
                        const struct spemu_buffer_write *access);

/*
 * Find the size of the page that contains access->address. *page_log2 is log2 of its bytes, 12 to
 * 48: the size that a block or page of the translation tables maps, or the smaller size if two
 * stages translate. If no stage translates, it is the size of the address range, at most 48.
 *
 * The size does not depend on the user of the page: permissions do not count, the Access flag and
 * dirty state are not updated, and nothing is cached. Return the values of spemu_mmu_translate().
 * *page_log2 is 0 unless the return value is 0.
 */
int spemu_mmu_page(struct spemu_mmu *mmu, unsigned *page_log2, struct spemu_fault *fault,
                   const struct spemu_pe *pe, const struct spemu_buffer_write *access);

/* The scope of a TLB maintenance operation that affects this PE (D17.7.8). */
enum spemu_tlbi {
	SPEMU_TLBI_ALL = 0,      /* everything, information from the Granule Protection Table
	                            included */
	SPEMU_TLBI_REGIME,       /* all entries of a regime; for EL1&0, all of the VMID (ALLEn,
	                            VMALLE1, VMALLS12E1) */
	SPEMU_TLBI_ASID,         /* the ASID in the regime, except for global entries (ASIDE1) */
	SPEMU_TLBI_VA,           /* within the regime, the VA range for the ASID and global
	                            entries (VAE1) */
	SPEMU_TLBI_VA_ALL_ASIDS, /* within the regime, the VA range for all ASIDs (VAAE1) */
	SPEMU_TLBI_IPA, /* stage 2 of the IPA range of the VMID (IPAS2E1); the walker forgets
	                   every translation of the VMID that used stage 2 */
	SPEMU_TLBI_PA,  /* information from the Granule Protection Table for the PA range (RPAOS) */
};
/* A TLB maintenance operation: its kind, and the regime, identifiers and range that it affects. */
struct spemu_mmu_scope {
	uint8_t by;       /* enum spemu_tlbi */
	uint8_t security; /* enum spemu_security of the regime */
	uint8_t el;       /* the regime: 1 for EL1&0, 2 for EL2 and EL2&0 */
	uint16_t asid, vmid;
	uint64_t first, last; /* first and last address of the range in bytes, inclusive; VA bits
	                         [63:56] are ignored */
};

/* Forget the translations in the scope, and possibly others. The next translation walks the
 * tables again. */
void spemu_mmu_invalidate(struct spemu_mmu *mmu, const struct spemu_mmu_scope *scope);

SPEMU_END_DECLS
#endif
