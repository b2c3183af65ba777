/* SPDX-License-Identifier: MIT */
/*
 * Construction of the sample record of a finished operation.
 *
 * Arm ARM:     DDI 0487 M.a, D17.6, D18.2
 * Implements:  D17.6, D17.6.3 D17.6.4.1 D17.6.8, IPXWXV, ICKWPL DWRNLK RMDBYZ RMZJMH RCYBGV RLQXZR
 *              RMJQCL RJCLMP RBHKSC (formats of SVE and SME), RMYPFF RNHSYR (addresses not output)
 * Pseudocode:  SPECompleteSample(), SPEConstructClass(), SPEConstructRecord(), SPEEncodeEVL(),
 *              SPEEncodeETS(), SPESetDataVirtualAddress(), SPESetDataPhysicalAddress()
 * Choices:     sme-load-store-format, sve-multi-vector-format, sve-prefetch-format,
 *              not-taken-target, untagged-top-byte, unchecked-pat
 */
#include <assert.h>

#include "record/encode.h"
#include "spu/spu_object.h"

/* Return EVL, rounded up. With FEAT_SPE_SME it is the length of all vectors together, which may
 * be more than 2048 bits (RMDBYZ, RJCLMP). */
static unsigned evl_of(const struct spemu_spu *s, const struct spemu_op_kind *kind)
{
	bool sme = spu_has(s, SPEMU_FEAT_SPE_SME);
	uint64_t bits = (uint64_t)kind->vector_bits * (sme ? SPEMU_OPF_VECTORS_OF(kind->flags) : 1);
	unsigned evl = 0, max = sme ? SPEMU_EVL_MORE : SPEMU_EVL_2048_BITS;

	while (evl < max && bits > spemu_evl_bits(evl))
		evl++;
	return spemu_subclass_put_evl(evl);
}

/* Return ETS, rounded up (RMZJMH, RCYBGV). */
static unsigned ets_of(const struct spemu_op_kind *kind)
{
	uint64_t bits = (uint64_t)kind->vector_bits * SPEMU_OPF_VECTORS_OF(kind->flags);
	unsigned ets = 0;

	while (ets <= SPEMU_ETS_262144_BITS && bits > spemu_ets_bits(ets))
		ets++;
	if ((kind->flags & SPEMU_OPF_WHOLE_ZA) || ets > SPEMU_ETS_262144_BITS)
		ets = SPEMU_ETS_WHOLE_ZA;
	return spemu_subclass_put_ets(ets);
}

/* Return field if the operation has at least one of flags, otherwise 0. */
static unsigned field_if(const struct spemu_op_kind *kind, uint32_t flags,
                         enum spemu_subclass_field field)
{
	return kind->flags & flags ? field : 0;
}

/* Return true if the record does not show an SVE operation in the format for SVE vectors (RMDBYZ,
 * RBHKSC). */
static bool sve_shown_as_other(const struct spemu_spu *s, const struct spemu_op_kind *kind)
{
	bool several = (kind->flags & SPEMU_OPF_ZT) || SPEMU_OPF_VECTORS_OF(kind->flags) > 1;

	if (!spu_has(s, SPEMU_FEAT_SPEV1P1) || !spu_has_sve_or_sme(s))
		return true;
	if ((kind->flags & SPEMU_OPF_PREFETCH) &&
	    pe_choice(s->pe, SPEMU_CHOICE_SVE_PREFETCH_FORMAT) == SPEMU_SVE_PREFETCH_FORMAT_OTHER)
		return true;
	return several && !spu_has(s, SPEMU_FEAT_SPE_SME) &&
	       pe_choice(s->pe, SPEMU_CHOICE_SVE_MULTI_VECTOR_FORMAT) ==
	               SPEMU_SVE_MULTI_VECTOR_FORMAT_OTHER;
}

static unsigned other_subclass(const struct spemu_spu *s, const struct spemu_op_kind *kind)
{
	unsigned fp = field_if(kind, SPEMU_OPF_FP, SPEMU_SUBCLASS_FP);
	unsigned other =
	        SPEMU_SUBCLASS_OTHER | field_if(kind, SPEMU_OPF_CONDITIONAL, SPEMU_SUBCLASS_COND);

	if (kind->type == SPEMU_OP_OTHER_SVE && !sve_shown_as_other(s, kind))
		return SPEMU_SUBCLASS_SVE | evl_of(s, kind) |
		       field_if(kind, SPEMU_OPF_PREDICATED, SPEMU_SUBCLASS_PRED) | fp;
	if (kind->type == SPEMU_OP_OTHER_SME && spu_has(s, SPEMU_FEAT_SPE_SME))
		return SPEMU_SUBCLASS_SME | ets_of(kind) | fp;
	if (!spu_has(s, SPEMU_FEAT_SPE_FPF))
		return other;
	/* SVE and SME operations also have the flag, but are not Advanced SIMD (D18.2.7). */
	if (kind->type == SPEMU_OP_OTHER)
		other |= field_if(kind, SPEMU_OPF_SIMD, SPEMU_SUBCLASS_ASE);
	return other | fp;
}

static unsigned branch_subclass(const struct spemu_spu *s, const struct spemu_op_kind *kind)
{
	unsigned cr = SPEMU_CR_NOT_RECORDED;

	if (spu_has(s, SPEMU_FEAT_SPE_CRR))
		cr = kind->flags & SPEMU_OPF_LINK     ? SPEMU_CR_CALL
		     : kind->flags & SPEMU_OPF_RETURN ? SPEMU_CR_RETURN
		                                      : SPEMU_CR_NEITHER;
	/* Without FEAT_GCS, which requires FEAT_SPEv1p4 (A2.3), operation.c has removed the flag
	 * from branches. */
	return SPEMU_SUBCLASS_BRANCH | spemu_subclass_put_cr(cr) |
	       field_if(kind, SPEMU_OPF_GCS, SPEMU_SUBCLASS_BRANCH_GCS) |
	       field_if(kind, SPEMU_OPF_INDIRECT, SPEMU_SUBCLASS_IND) |
	       field_if(kind, SPEMU_OPF_CONDITIONAL, SPEMU_SUBCLASS_COND);
}

/* Return SUBCLASS of a load or store of SVE or SME registers (RLQXZR, RMJQCL, RJCLMP). */
static unsigned sve_ldst_subclass(const struct spemu_spu *s, const struct spemu_op_kind *kind,
                                  unsigned ldst)
{
	/* Loads have PRED only since FEAT_SPEv1p2 (D18.2.7). */
	unsigned pred = ldst || spu_has(s, SPEMU_FEAT_SPEV1P2)
	                        ? field_if(kind, SPEMU_OPF_PREDICATED, SPEMU_SUBCLASS_PRED)
	                        : 0;

	if (!spu_has(s, SPEMU_FEAT_SPEV1P1))
		return SPEMU_SUBCLASS_SIMDFP | ldst; /* SVE registers include the SIMD&FP
		                                        registers */
	if (!spu_has_sve_or_sme(s) ||
	    ((kind->flags & SPEMU_OPF_SME) && !spu_has(s, SPEMU_FEAT_SPE_SME) &&
	     pe_choice(s->pe, SPEMU_CHOICE_SME_LOAD_STORE_FORMAT) ==
	             SPEMU_SME_LOAD_STORE_FORMAT_UNSPECIFIED))
		return SPEMU_SUBCLASS_UNSPECIFIED | ldst;
	return SPEMU_SUBCLASS_SVE_SME | evl_of(s, kind) | pred | ldst |
	       field_if(kind, SPEMU_OPF_GATHER_SCATTER, SPEMU_SUBCLASS_SG);
}

/* Return SUBCLASS of a load or store. A format that the features do not define becomes that of
 * unspecified registers (D18.2.7). */
static unsigned ldst_subclass(const struct spemu_spu *s, const struct spemu_op_kind *kind)
{
	unsigned ldst = kind->type == SPEMU_OP_STORE ? SPEMU_SUBCLASS_LDST : 0;
	bool v1p3 = spu_has(s, SPEMU_FEAT_SPEV1P3);
	unsigned unspecified = ldst | (spu_has(s, SPEMU_FEAT_SPEV1P1) ? SPEMU_SUBCLASS_UNSPECIFIED
	                                                              : SPEMU_SUBCLASS_GENERAL);

	switch ((enum spemu_ldst_type)kind->ldst) {
	case SPEMU_LDST_EXTENDED:
		return SPEMU_SUBCLASS_EXTENDED | ldst |
		       field_if(kind, SPEMU_OPF_ACQUIRE_RELEASE, SPEMU_SUBCLASS_AR) |
		       field_if(kind, SPEMU_OPF_EXCLUSIVE, SPEMU_SUBCLASS_EXCL) |
		       field_if(kind, SPEMU_OPF_ATOMIC, SPEMU_SUBCLASS_AT);
	case SPEMU_LDST_SIMDFP:
		return SPEMU_SUBCLASS_SIMDFP | ldst;
	case SPEMU_LDST_SVESME:
		return sve_ldst_subclass(s, kind, ldst);
	case SPEMU_LDST_NV2:
		return spu_has(s, SPEMU_FEAT_NV2) ? SPEMU_SUBCLASS_SYSREG | ldst : unspecified;
	case SPEMU_LDST_UNSPECIFIED:
		return unspecified;
	case SPEMU_LDST_TAGS:
		return v1p3 && spu_has(s, SPEMU_FEAT_MTE2) ? SPEMU_SUBCLASS_TAG | ldst
		                                           : unspecified;
	case SPEMU_LDST_MEMCOPY:
		return v1p3 && spu_has(s, SPEMU_FEAT_MOPS) ? SPEMU_SUBCLASS_MEMCPY | ldst
		                                           : unspecified;
	case SPEMU_LDST_MEMSET:
		return v1p3 && spu_has(s, SPEMU_FEAT_MOPS) ? SPEMU_SUBCLASS_MEMSET : unspecified;
	case SPEMU_LDST_GCS: /* COMM is 0 for the micro-op of a BL or RET */
		if (!spu_has(s, SPEMU_FEAT_SPEV1P4) || !spu_has(s, SPEMU_FEAT_GCS))
			return unspecified;
		return SPEMU_SUBCLASS_GCS | ldst |
		       (kind->flags & (SPEMU_OPF_LINK | SPEMU_OPF_RETURN) ? 0
		                                                          : SPEMU_SUBCLASS_COMM);
	case SPEMU_LDST_GENERAL:
		break;
	}
	return SPEMU_SUBCLASS_GENERAL | ldst;
}

static void put_op_type(struct spemu_record *rec, const struct spemu_spu *s,
                        const struct spemu_op_kind *kind)
{
	rec->present |= SPEMU_RECORD_OP_TYPE;
	switch ((enum spemu_op_type)kind->type) {
	case SPEMU_OP_BRANCH:
		rec->op_class = SPEMU_CLASS_BRANCH;
		rec->op_subclass = (uint8_t)branch_subclass(s, kind);
		break;
	case SPEMU_OP_LOAD:
	case SPEMU_OP_STORE:
	case SPEMU_OP_LOAD_ATOMIC:
		rec->op_class = SPEMU_CLASS_LDST;
		rec->op_subclass = (uint8_t)ldst_subclass(s, kind);
		break;
	case SPEMU_OP_OTHER:
	case SPEMU_OP_OTHER_SVE:
	case SPEMU_OP_OTHER_SME:
		rec->op_class = SPEMU_CLASS_OTHER;
		rec->op_subclass = (uint8_t)other_subclass(s, kind);
		break;
	}
}

static void put_counter(struct spemu_record *rec, const struct spemu_spu *s,
                        enum spemu_counter_index index, uint32_t cycles)
{
	uint32_t max = s->facts.counter_max;

	rec->present |= SPEMU_RECORD_COUNTER(index);
	rec->counter[index] = (uint16_t)(cycles < max ? cycles : max);
}

/* Return true if the alternate clock counts. The clock of a Streaming Mode Compute Unit counts
 * for operations in Streaming SVE mode (IPXWXV). */
static bool has_alternate_clock(const struct spemu_spu *s, const struct collected *sample)
{
	return spu_has(s, SPEMU_FEAT_SPE_ALTCLK) &&
	       (s->config.alternate_clock != SPEMU_ALTCLK_SMCU || sample->streaming);
}

static void put_counters(struct spemu_record *rec, const struct spemu_spu *s,
                         const struct collected *sample, const struct spemu_op *op)
{
	if (op->valid & SPEMU_OPV_TOTAL_LATENCY)
		put_counter(rec, s, SPEMU_COUNTER_TOTAL, op->total_latency);
	if (op->valid & SPEMU_OPV_ISSUE_LATENCY)
		put_counter(rec, s, SPEMU_COUNTER_ISSUE, op->issue_latency);
	if (op->valid & SPEMU_OPV_TRANSLATION_LATENCY)
		put_counter(rec, s, SPEMU_COUNTER_TRANSLATION, op->translation_latency);
	if ((op->valid & SPEMU_OPV_ALT_ISSUE_LATENCY) && has_alternate_clock(s, sample))
		put_counter(rec, s, SPEMU_COUNTER_ALT_ISSUE, op->alt_issue_latency);
}

static void put_addr(struct spemu_record *rec, enum spemu_addr_index index, uint64_t payload)
{
	rec->present |= SPEMU_RECORD_ADDR(index);
	rec->addr[index] = payload;
}

/* Return NS, EL and NSE of the target of a branch. */
static uint64_t target_context(const struct spemu_spu *s, const struct collected *sample,
                               const struct spemu_op *op)
{
	if (op->valid & SPEMU_OPV_TARGET_CONTEXT)
		return spemu__collect_context_of(op->target_security, op->target_el);
	if (op->kind.flags & SPEMU_OPF_ERET)
		return spemu__collect_context_byte(s->pe);
	return sample->pc & SPEMU_ADDR_TOP;
}

static void put_branch_targets(struct spemu_record *rec, const struct spemu_spu *s,
                               const struct collected *sample, const struct spemu_op *op,
                               const struct shown *shown)
{
	bool with_target = op->cond_pass || pe_choice(s->pe, SPEMU_CHOICE_NOT_TAKEN_TARGET) ==
	                                            SPEMU_NOT_TAKEN_TARGET_RECORDED;

	if (op->kind.type == SPEMU_OP_BRANCH && with_target && (op->valid & SPEMU_OPV_TARGET))
		put_addr(rec, SPEMU_ADDR_BRANCH_TARGET,
		         spemu_addr_bits(op->target) | target_context(s, sample, op));
	if (shown->previous_target)
		put_addr(rec, SPEMU_ADDR_PREV_BRANCH_TARGET, sample->previous_target);
}

/* Return the address for the record. Its top byte is a tag, or address bits that are
 * IMPLEMENTATION DEFINED to record (D18.2.1). */
static uint64_t shown_va(const struct spemu_spu *s, const struct spemu_op *op)
{
	bool zero =
	        (op->memory_access & SPEMU_OPM_NO_TBI) &&
	        !(op->memory_access & SPEMU_OPM_MEMORY_TAGGING) &&
	        pe_choice(s->pe, SPEMU_CHOICE_UNTAGGED_TOP_BYTE) == SPEMU_UNTAGGED_TOP_BYTE_ZERO;

	return zero ? spemu_addr_bits(op->va) : op->va;
}

/* Return NS, CH, NSE and PAT of a data physical address (D18.2.1). */
static uint64_t physical_context(const struct spemu_spu *s, const struct collected *sample,
                                 const struct spemu_op *op)
{
	uint64_t byte = 0, tag = op->va & SPEMU_ADDR_PAT;

	switch ((enum spemu_pa_space)op->pa_space) {
	case SPEMU_PA_SPACE_OF_STATE:
		byte = sample->pc & (SPEMU_ADDR_NS | SPEMU_ADDR_NSE);
		break;
	case SPEMU_PA_SPACE_SECURE:
		break;
	case SPEMU_PA_SPACE_NON_SECURE:
		byte = SPEMU_ADDR_NS;
		break;
	case SPEMU_PA_SPACE_REALM:
		byte = SPEMU_ADDR_NS | SPEMU_ADDR_NSE;
		break;
	}
	if (!spu_has(s, SPEMU_FEAT_RME))
		byte &= ~SPEMU_ADDR_NSE;
	if (!spu_has(s, SPEMU_FEAT_MTE2))
		return byte;
	if (op->memory_access & SPEMU_OPM_TAG_CHECKED)
		return byte | SPEMU_ADDR_CH | tag;
	return pe_choice(s->pe, SPEMU_CHOICE_UNCHECKED_PAT) == SPEMU_UNCHECKED_PAT_LOGICAL_TAG
	               ? byte | tag
	               : byte;
}

static void put_addresses(struct spemu_record *rec, const struct spemu_spu *s,
                          const struct collected *sample, const struct spemu_op *op,
                          const struct shown *shown)
{
	put_addr(rec, SPEMU_ADDR_PC, sample->pc);
	put_branch_targets(rec, s, sample, op, shown);
	if (op->valid & SPEMU_OPV_VA)
		put_addr(rec, SPEMU_ADDR_DATA_VA, shown_va(s, op));
	if ((op->valid & SPEMU_OPV_PA) && sample->has_physical)
		put_addr(rec, SPEMU_ADDR_DATA_PA,
		         spemu_addr_bits(op->pa) | physical_context(s, sample, op));
}

static void put_data_source(struct spemu_record *rec, const struct spemu_spu *s,
                            const struct spemu_op *op)
{
	if (!(op->valid & SPEMU_OPV_DATA_SOURCE))
		return;
	rec->present |= SPEMU_RECORD_DATA_SOURCE;
	rec->data_source_size = s->config.data_source_size;
	rec->data_source =
	        s->config.data_source_size == 1 ? (uint8_t)op->data_source : op->data_source;
}

static void put_contexts(struct spemu_record *rec, const struct collected *sample)
{
	if (sample->has_context1) {
		rec->present |= SPEMU_RECORD_CONTEXT(SPEMU_CONTEXT_EL1);
		rec->context[SPEMU_CONTEXT_EL1] = sample->context1;
	}
	if (sample->has_context2) {
		rec->present |= SPEMU_RECORD_CONTEXT(SPEMU_CONTEXT_EL2);
		rec->context[SPEMU_CONTEXT_EL2] = sample->context2;
	}
}

unsigned spemu__record_make(struct spemu_spu *s, const struct collected *sample,
                            const struct spemu_op *op, uint64_t events, const struct shown *shown)
{
	struct spemu_record rec = {0};
	int size;

	if (shown->whole) {
		put_addresses(&rec, s, sample, op, shown);
		put_counters(&rec, s, sample, op);
		put_op_type(&rec, s, &op->kind);
		put_contexts(&rec, sample);
		put_data_source(&rec, s, op);
	}
	rec.present |= SPEMU_RECORD_EVENTS;
	rec.events_size = s->config.events_size;
	rec.events = events & (~UINT64_C(0) >> (64 - 8 * s->config.events_size));
	if (sample->has_timestamp) {
		rec.present |= SPEMU_RECORD_TIMESTAMP;
		rec.timestamp = shown->timestamp;
	}
	/* Every member is in range by construction. */
	size = spemu__record_put(s->record, sizeof(s->record), &rec, &s->config.layout);
	assert(size > 0);
	return (unsigned)size;
}
