/* SPDX-License-Identifier: MIT */
/*
 * Memory as the SPU uses it: the writes to the Profiling Buffer, the translation of their
 * addresses, and the faults of both.
 *
 * The structs here are closed: their sizes never change, and later versions use reserved bytes,
 * which are 0, for new members.
 *
 * Arm ARM: DDI 0487 M.a, D17.7, D17.8.3, D8 (translation), D24.7.3 and D24.7.5. The only function
 * keeps no state, so any thread may call it.
 */
#ifndef SPEMU_MEMORY_H
#define SPEMU_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <spemu/api.h>

SPEMU_BEGIN_DECLS

/* Memory types. The Device types have the order of MAIR_ELx.Attr bits [3:2]. */
enum spemu_memory_type {
	SPEMU_MEMORY_DEVICE_NGNRNE = 0,
	SPEMU_MEMORY_DEVICE_NGNRE = 1,
	SPEMU_MEMORY_DEVICE_NGRE = 2,
	SPEMU_MEMORY_DEVICE_GRE = 3,
	SPEMU_MEMORY_NORMAL = 4,
};
/* Cacheability of Normal memory. */
enum spemu_cacheability {
	SPEMU_NON_CACHEABLE = 0,
	SPEMU_WRITE_THROUGH = 1,
	SPEMU_WRITE_BACK = 2,
};
/* Shareability, encoded as in PMBMAR_EL1.SH and in descriptors. */
enum spemu_shareability {
	SPEMU_NON_SHAREABLE = 0,
	SPEMU_OUTER_SHAREABLE = 2,
	SPEMU_INNER_SHAREABLE = 3,
};
/* Allocation hints. They have no meaning for Non-cacheable memory. */
enum {
	SPEMU_HINT_WRITE_ALLOCATE = 1,
	SPEMU_HINT_READ_ALLOCATE = 2,
	SPEMU_HINT_TRANSIENT = 4,
};

/* The attributes of a location. Device memory is Non-cacheable and Outer Shareable. */
struct spemu_memory {
	uint8_t type;                     /* enum spemu_memory_type */
	uint8_t inner, outer;             /* enum spemu_cacheability */
	uint8_t inner_hints, outer_hints; /* SPEMU_HINT_* */
	uint8_t shareability;             /* enum spemu_shareability */
	bool xs;                          /* XS attribute (FEAT_XS); true without FEAT_XS */
	bool tagged;                      /* Tagged memory (FEAT_MTE2) */
};

/* The type of the address of a buffer write. */
enum spemu_address_type {
	SPEMU_ADDRESS_VA = 0, /* a virtual address in the owning translation regime (RLWHSF) */
	SPEMU_ADDRESS_IPA,    /* an intermediate physical address in the owning Security state
	                         (RRPSLW) */
	SPEMU_ADDRESS_PA,     /* a physical address in the owning Security state (RRPSLW) */
};

/*
 * One write to the Profiling Buffer, or the part of it that lies in one region of the translation.
 * It is a privileged write by the owning translation regime, Tag Unchecked, with PSTATE.PAN and
 * TCR_ELx.E0PDn taken as 0. It does not hit watchpoints (D17.7.6, D17.8.3).
 */
struct spemu_buffer_write {
	uint64_t address;     /* address of the first byte, as in PMBPTR_EL1 */
	uint8_t address_type; /* enum spemu_address_type */
	uint8_t owner_el;     /* the owning Exception level, 1 or 2 */
	uint8_t security;     /* enum spemu_security: the owning Security state */
	bool e2h;             /* the owner is EL2 and the regime is EL2&0, not EL2 (RKRVDC) */
	bool privileged;      /* always true */
	bool tag_unchecked;   /* always true with FEAT_MTE2, false without it */
	/*
	 * Memory attributes. For an untranslated IPA or PA: the output of stage 1, from PMBMAR_EL1
	 * or HCR_EL2.DC (RSDWFC, RDQTTB). For a translated write: the final attributes. For an
	 * untranslated VA: not set.
	 */
	struct spemu_memory memory;
	bool translated;   /* the address is translated: physical and pas are valid */
	uint64_t physical; /* physical address of the first byte */
	uint8_t pas;       /* physical address space: enum spemu_security, SPEMU_SS_ROOT included */
	/*
	 * Memory encryption context (RDFFVT); 0 without FEAT_MEC. For an untranslated IPA or PA:
	 * the output of stage 1. For an untranslated VA: not set. Its width is that of the values
	 * in the MECID registers, because the host owns MECIDR_EL2.MECIDWidthm1.
	 */
	uint16_t mecid;
	uint8_t reserved[8]; /* must be 0 */
};

/* The kind of a failed write. SPEMU_FAULT_STAGE1, _STAGE2 and _GPC have the values of
 * PMBSR_ELx.EC (D24.7.5). */
enum spemu_fault_kind {
	SPEMU_FAULT_NONE = 0,
	/* Alignment fault, MMU fault of stage 1, or GPF on the output address */
	SPEMU_FAULT_STAGE1 = 0x24,
	SPEMU_FAULT_STAGE2 = 0x25,    /* MMU fault of stage 2 */
	SPEMU_FAULT_GPC = 0x1e,       /* Granule Protection Check fault other than a GPF */
	SPEMU_FAULT_EXTERNAL = 0x100, /* External abort on the write itself */
};
/* A failed write or translation. */
struct spemu_fault {
	uint16_t kind; /* enum spemu_fault_kind */
	uint8_t fsc;   /* PMBSR_ELx.FSC (see spemu_fsc()) for SPEMU_FAULT_STAGE1 and _STAGE2;
	                  otherwise ignored */
	/* Causes of a Permission fault, which become bits of PMBSR_ELx.MSS2. All are false for
	 * other faults. */
	bool top_level;    /* a TopLevel check of stage 2 (FEAT_THE) */
	bool assured_only; /* the AssuredOnly attribute of stage 2 (FEAT_THE) */
	bool overlay;      /* an Overlay permission (FEAT_S1POE, FEAT_S2POE) */
	bool dirty_bit;    /* the dirty state, with Indirect permissions (FEAT_S1PIE, FEAT_S2PIE) */
	bool external;     /* SPEMU_FAULT_GPC: the fault is an External abort on a fetch from the
	                      Granule Protection Table. For other kinds of faults, FSC shows an
	                      External abort */
	uint32_t written;  /* bytes written before the faulting address */
	uint8_t reserved[8]; /* must be 0 */
};

/* The types of faults that PMBSR_ELx.FSC can encode (D24.7.5). */
enum spemu_fault_type {
	SPEMU_FT_ADDRESS_SIZE = 0,
	SPEMU_FT_TRANSLATION,
	SPEMU_FT_ACCESS_FLAG,
	SPEMU_FT_PERMISSION,
	SPEMU_FT_EXTERNAL_ON_WALK, /* External abort on a walk, or on an update of a translation
	                              table */
	SPEMU_FT_PARITY_ON_WALK,
	SPEMU_FT_GPF_ON_WALK,
	SPEMU_FT_GPF, /* on the output address; has no level */
	SPEMU_FT_ALIGNMENT,
	SPEMU_FT_TLB_CONFLICT,
	SPEMU_FT_UNSUPPORTED_ATOMIC_UPDATE,
	SPEMU_FT_EXTERNAL,       /* synchronous External abort, not on a walk */
	SPEMU_FT_EXTERNAL_ASYNC, /* asynchronous External abort */
};

/* Return the Fault Status Code of a fault type at a lookup level (-2..3; ignored for types
 * without a level), or -1 if this combination does not exist. */
int spemu_fsc(enum spemu_fault_type type, int level);

/* The result of a translation. */
struct spemu_translation {
	uint64_t physical;          /* physical address of the requested address */
	uint8_t pas;                /* physical address space: enum spemu_security */
	uint8_t region_log2;        /* log2 of the size, 12..48, of the aligned region around the
	                               address for which the translation holds */
	uint16_t mecid;             /* memory encryption context (RDFFVT); 0 without FEAT_MEC */
	bool has_stage2;            /* stage 2 took part, and stage2 below is valid */
	struct spemu_memory memory; /* attributes of both stages combined */
	struct spemu_memory stage1; /* output attributes of stage 1 alone */
	struct spemu_memory stage2; /* attributes in the stage 2 descriptor alone */
	uint8_t reserved[8];        /* must be 0 */
};

SPEMU_END_DECLS
#endif
