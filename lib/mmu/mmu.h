/* SPDX-License-Identifier: MIT */
/* Declarations that the files of the walker share: the request, its parameters, and the entry
 * points of each file. */
#ifndef SPEMU_MMU_INTERNAL_H
#define SPEMU_MMU_INTERNAL_H

#include <spemu/mmu.h>
#include "pe/pe_object.h"

enum regime { REGIME_EL10, REGIME_EL2, REGIME_EL20 };

/* The descriptor bits that both stages have (D8.3). */
enum {
	DESC_VALID = 0,
	DESC_TABLE = 1,
	DESC_READ_ONLY = 7, /* stage 1: AP[2], nDirty; stage 2: S2AP[1], Dirty */
	DESC_AF = 10,
	DESC_NT = 16,
	DESC_DBM = 51,
	FINAL_LEVEL = 3,
};

/*
 * A request for a translation. Functions that take a request return 0; the kind of a fault, with
 * *fault filled; or a negative status.
 */
struct request {
	const struct spemu_mmu_memory *memory;
	const struct spemu_pe *pe;
	struct spemu_fault *fault;
	uint8_t security; /* owning Security state */
	uint8_t regime;   /* enum regime */
	bool el2;         /* EL2 is enabled in the owning Security state */
	bool look;        /* a query: permissions do not count, and descriptors do not change */
	unsigned updates; /* descriptor updates that failed because another observer changed the
	                     descriptor */
};

/* The parameters of the table format, in both stages. */
struct format {
	uint8_t granule_log2; /* 12, 14 or 16 */
	uint8_t input_bits;   /* bits of the input address: 64 - TxSZ */
	uint8_t output_bits;  /* bits of the output address, configured and implemented */
	bool ds;              /* the table uses the 52-bit descriptors of FEAT_LPA2 */
	bool base_52;         /* the table base has bits [51:48] */
	bool big_endian;
	bool ha, hd, haft;
	bool stage2;
};

struct stage1 {
	struct format format;
	bool enabled, default_cacheable;
	bool fault_size;            /* TxSZ is out of range and faults */
	bool upper, disabled_range; /* the address is in the upper range; EPDn disables its walks */
	bool top_byte_ignored, hierarchy_off;
	bool cacheable; /* SCTLR_ELx.C */
	bool write_implies_no_execute;
	bool nv1, aie, pie, poe, pnch, alternate_mecid;
	uint8_t sh;
	uint64_t ttbr;
	enum spemu_reg mair, mair2, pir, pire0, por;
};

struct stage2 {
	struct format format;
	bool enabled;
	bool fault_size;
	bool protect_walks, force_write_back, cacheable;
	bool pie, poe, assured_only, top_level0, top_level1;
	uint8_t sh, table_pas, output_pas; /* output_pas: for Non-secure and Secure state */
	int8_t start_level;
	uint64_t ttbr;
};

/* walk_parameters.c: get the parameters of a walk. Return SPEMU_OK or SPEMU_ERR_NOT_SUPPORTED. */
int spemu__stage1_parameters(const struct request *r, struct stage1 *p, uint64_t va);
bool spemu__stage2_takes_part(const struct request *r); /* return true if stage 2 is enabled for
                                                           this buffer write */
int spemu__stage2_parameters(const struct request *r, struct stage2 *p, uint8_t ipa_pas);

/* An output address: of stage 1, which is the input of stage 2, or of stage 2. */
struct location {
	uint64_t address;
	struct spemu_memory memory;
	uint8_t pas;
	uint8_t region_log2;
	uint16_t mecid;
	bool assured; /* Assured Translation property */
};
struct stage2_output {
	struct location at;
	struct spemu_memory alone; /* attributes of the stage 2 descriptor alone */
	bool took_part;
	bool mmu_read_only; /* MRO permission */
};
/* The memory access that stage 2 translates: the buffer write, or the access of a stage 1 walk to a
 * descriptor. */
struct stage2_access {
	bool walk, write;
	bool top_level, upper; /* walk: the access is the first lookup; the address is in the
	                          range of TTBR1_EL1 */
};

int spemu__stage1_translate(struct request *r, struct location *out, bool *global, uint64_t va);
int spemu__stage2_translate(struct request *r, struct stage2_output *out,
                            const struct location *ipa, const struct stage2_access *access);

/* stage2_attributes.c: memory attributes of stage 2. */
struct spemu_memory spemu__stage2_alone(const struct request *r, const struct stage2 *p,
                                        uint64_t desc);
struct spemu_memory spemu__stage2_combine(const struct request *r, const struct stage2 *p,
                                          const struct spemu_memory *s1, uint64_t desc);
bool spemu__stage2_is_device(const struct request *r, const struct stage2 *p, uint64_t desc);
struct spemu_memory spemu__normal_non_cacheable(const struct spemu_pe *pe, bool xs);

/* descriptor.c: translation table descriptors. */
enum desc_kind { DESC_KIND_INVALID, DESC_KIND_TABLE, DESC_KIND_LEAF };
enum desc_kind spemu__descriptor_kind(const struct request *r, const struct format *f,
                                      uint64_t desc, int level);
/* Return log2 of the bytes that an entry at this level maps. */
unsigned spemu__level_shift(const struct format *f, int level);
uint64_t spemu__leaf_base(const struct request *r, const struct format *f, uint64_t desc,
                          int level);
uint64_t spemu__next_table(const struct request *r, const struct format *f, uint64_t desc);
uint64_t spemu__first_table(const struct format *f, uint64_t ttbr, int start_level);
/* Return the address of the entry for an input address. At the start level, the index has all bits
 * up to input_bits. */
uint64_t spemu__entry_address(const struct format *f, uint64_t table, uint64_t input, int level,
                              bool start);
bool spemu__output_out_of_range(const struct format *f, uint64_t address);
/* Return log2 of the size of the region that a leaf describes around an address: the bytes that
 * it maps, limited to the address range. */
uint8_t spemu__leaf_region_log2(const struct format *f, int level);
/* Check a Block or Page descriptor and its output address for faults that come before
 * permissions. */
int spemu__check_leaf(struct request *r, const struct format *f, uint64_t desc, uint64_t address,
                      int level);
/* Fill *fault and return its kind. */
int spemu__translation_fault(struct request *r, bool stage2, enum spemu_fault_type type, int level);
int spemu__fetch_descriptor(struct request *r, uint64_t *desc, const struct format *f,
                            const struct location *at, int level);
enum { UPDATE_RACED = -1000 };
/* Replace a descriptor by `desired` if it still is `old`. Return 0, or UPDATE_RACED if the
 * descriptor has changed; the walk then starts again. */
int spemu__update_descriptor(struct request *r, const struct format *f, const struct location *at,
                             uint64_t old, uint64_t desired, int level);

/* permission.c: permissions of both stages. */
/* Return true if a Table descriptor makes everything below it read-only. */
bool spemu__stage1_table_read_only(const struct stage1 *p, uint64_t desc);
/* Return true if a privileged write is refused. The flags of *fault give the reason. */
bool spemu__stage1_refuses(const struct request *r, const struct stage1 *p, bool table_read_only,
                           uint64_t desc);
struct stage2_permission {
	bool refused, overlay, dirty_bit, top_level, assured_only;
	bool mmu_read_only;
};
struct stage2_permission spemu__stage2_check(const struct request *r, const struct stage2 *p,
                                             const struct location *ipa, uint8_t output_pas,
                                             const struct stage2_access *access, uint64_t desc);

/*
 * granule_protection.c: do the Granule Protection Check of an access by a stage. `type` is the
 * fault type of a GPF. If the check covers a smaller region than at->region_log2, that member is
 * reduced.
 */
int spemu__granule_protection_check(struct request *r, struct location *at, bool stage2,
                                    enum spemu_fault_type type, int level);

#endif
