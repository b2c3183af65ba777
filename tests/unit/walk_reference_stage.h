/* SPDX-License-Identifier: MIT */
/*
 * The reference walk: code that both stages share.
 *
 * Arm ARM: DDI 0487 M.a, D8.2, D8.3
 */
#ifndef WALK_REFERENCE_STAGE_H
#define WALK_REFERENCE_STAGE_H

#include "walk_reference.h"

#define bits reference_bits
#define KB4 12u
#define KB16 14u
#define KB64 16u

/* The configuration of one stage of translation. */
struct stage {
	unsigned number;       /* 1 or 2 */
	unsigned el;           /* Exception level of the regime; 1 for stage 2 */
	bool two_ranges;       /* true for EL1&0 and EL2&0 */
	bool upper;            /* VA[55] in a regime with two ranges */
	unsigned granule;      /* log2 of its size */
	unsigned tsz, ps, sh0; /* TnSZ, {I}PS, SHn */
	unsigned sl;           /* SL2:SL0, for stage 2 */
	bool ds, ha, hd, haft, aie, hpd, big_endian, epd, tbi;
	uint64_t ttbr;
	unsigned ttbr_pas;
	unsigned walk_mecid;
};

/* One access that a stage translates. */
struct input {
	uint64_t address;
	unsigned pas;
	unsigned mecid;             /* MECID so far */
	struct spemu_memory memory; /* attributes so far */
	bool write, on_walk, top_level, upper, assured;
};

struct output {
	uint64_t address;
	unsigned pas, mecid;
	struct spemu_memory memory;
	unsigned region_log2;
	int level;
};

struct walk {
	const struct ref_machine *m;
	const struct ref_request *q;
	struct ref_result *a;
	unsigned restarts;
};

/* Tables D8-25, D8-34, D8-42: from these a walk calculates x, and the lowest IA bit that the level
 * resolves. */
struct lookup {
	unsigned granule;
	int level;
	unsigned x_plus_tsz; /* x + TnSZ at the initial level */
	unsigned low;
};
enum kind { INVALID, TABLE, LEAF };

bool reference_fault(struct walk *w, unsigned stage, unsigned type, int level);
bool reference_gpc_fault(struct walk *w);
bool reference_el2_enabled(const struct walk *w);
bool reference_hcr(const struct walk *w, unsigned bit);
bool reference_default_cacheable(const struct walk *w);
bool reference_stage2_enabled(const struct walk *w);
bool reference_emec(const struct walk *w);
unsigned reference_mecid(const struct walk *w, uint64_t reg);
bool reference_fetch(struct walk *w, uint64_t *descriptor, const struct stage *s, int level,
                     const struct spemu_physical *at);
bool reference_update(struct walk *w, bool *again, const struct stage *s, int level,
                      const struct spemu_physical *at, uint64_t from, uint64_t to);
const struct lookup *reference_lookup_of(unsigned granule, int level);
bool reference_initial_level(const struct walk *w, int *level, const struct stage *s);
bool reference_limit_tsz(const struct walk *w, struct stage *s);
bool reference_too_large(const struct walk *w, const struct stage *s, uint64_t address);
uint64_t reference_table_base(const struct walk *w, const struct stage *s, unsigned x);
uint64_t reference_descriptor_address(const struct walk *w, const struct stage *s,
                                      uint64_t descriptor, unsigned low);
enum kind reference_descriptor_kind(const struct walk *w, const struct stage *s,
                                    uint64_t descriptor, int level);
unsigned reference_granule_of_tg0(const struct walk *w, unsigned tg);
unsigned reference_granule_of_tg1(const struct walk *w, unsigned tg);
bool reference_translate2(struct walk *w, struct output *out, const struct input *in);

#endif
