/* SPDX-License-Identifier: MIT */
/*
 * From a finished operation to its sample record.
 *
 * Arm ARM:     DDI 0487 M.a, D17.6, D18.2.6, D18.2.7
 * Pseudocode:  SPECompleteSample(), SPEConstructClass(), SPEConstructRecord(), SPEEncodeEVL(),
 *              SPEEncodeETS()
 */
#include <assert.h>

#include "spu/spu.h"

enum { CLASS_OTHER = 0, CLASS_LDST = 1, CLASS_BRANCH = 2 };

/* EVL: 32 << n bits, rounded up; 0b111 is more than 2048 (FEAT_SPE_SME). */
static unsigned encode_evl(uint32_t bits)
{
	unsigned evl = 0;

	while (evl < 7 && bits > 32u << evl)
		evl++;
	return evl;
}

/* ETS: 128 << n bits, rounded up; 0b1111 is the whole ZA array. */
static unsigned encode_ets(uint32_t bits)
{
	unsigned ets = 0;

	while (ets < 12 && bits > 128u << ets)
		ets++;
	return ets < 12 ? ets : 15;
}

static unsigned flag(const struct spemu_op_kind *kind, uint32_t f)
{
	return !!(kind->flags & f);
}

static unsigned other_subclass(const struct spemu *s, const struct spemu_op_kind *kind)
{
	bool fpf = spu_has(s, SPEMU_FEAT_SPE_FPF);
	unsigned fp = flag(kind, SPEMU_OPF_FP);
	unsigned ets = encode_ets(kind->vector_bits);

	if (kind->type == SPEMU_OP_OTHER_SVE && spu_has(s, SPEMU_FEAT_SPEV1P1))
		return encode_evl(kind->vector_bits) << 4 | 1u << 3 |
		       flag(kind, SPEMU_OPF_PREDICATED) << 2 | fp << 1;
	if (kind->type == SPEMU_OP_OTHER_SME && spu_has(s, SPEMU_FEAT_SPE_SME))
		return 1u << 7 | ets >> 1 << 4 | 1u << 3 | (ets & 1) << 2 | fp << 1;
	return (fpf ? flag(kind, SPEMU_OPF_SIMD) << 2 | fp << 1 : 0) |
	       flag(kind, SPEMU_OPF_CONDITIONAL);
}

static unsigned branch_subclass(const struct spemu *s, const struct spemu_op_kind *kind)
{
	unsigned cr = 0, gcs = 0;

	if (spu_has(s, SPEMU_FEAT_SPE_CRR))
		cr = flag(kind, SPEMU_OPF_LINK) ? 1 : flag(kind, SPEMU_OPF_RETURN) ? 2 : 3;
	if (spu_has(s, SPEMU_FEAT_GCS) && spu_has(s, SPEMU_FEAT_SPEV1P4))
		gcs = flag(kind, SPEMU_OPF_GCS);
	return cr << 3 | gcs << 2 | flag(kind, SPEMU_OPF_INDIRECT) << 1 |
	       flag(kind, SPEMU_OPF_CONDITIONAL);
}

static unsigned ldst_subclass(const struct spemu *s, const struct spemu_op_kind *kind)
{
	unsigned ldst = kind->type == SPEMU_OP_STORE;
	bool v1p1 = spu_has(s, SPEMU_FEAT_SPEV1P1), v1p3 = spu_has(s, SPEMU_FEAT_SPEV1P3);

	switch ((enum spemu_ldst_type)kind->ldst) {
	case SPEMU_LDST_EXTENDED:
		return flag(kind, SPEMU_OPF_ACQUIRE_RELEASE) << 4 |
		       flag(kind, SPEMU_OPF_EXCLUSIVE) << 3 | flag(kind, SPEMU_OPF_ATOMIC) << 2 |
		       1u << 1 | ldst;
	case SPEMU_LDST_SIMDFP:
		return 1u << 2 | ldst;
	case SPEMU_LDST_SVESME:
		if (!v1p1) /* then SVE registers are shown with the SIMD&FP registers */
			return 1u << 2 | ldst;
		return flag(kind, SPEMU_OPF_GATHER_SCATTER) << 7 |
		       encode_evl(kind->vector_bits) << 4 | 1u << 3 |
		       flag(kind, SPEMU_OPF_PREDICATED) << 2 | ldst;
	case SPEMU_LDST_NV2:
		return 0x30 | ldst;
	case SPEMU_LDST_UNSPECIFIED:
		return v1p1 ? 0x10 | ldst : ldst;
	case SPEMU_LDST_TAGS:
		return v1p3 ? 0x14 | ldst : v1p1 ? 0x10 | ldst : ldst;
	case SPEMU_LDST_MEMCOPY:
		return v1p3 ? 0x20 | ldst : v1p1 ? 0x10 | ldst : ldst;
	case SPEMU_LDST_MEMSET:
		return v1p3 ? 0x25 : v1p1 ? 0x11 : 1;
	case SPEMU_LDST_GCS: /* never from a branch here: operations are instructions */
		return spu_has(s, SPEMU_FEAT_SPEV1P4) ? 0x44 | ldst : v1p1 ? 0x10 | ldst : ldst;
	case SPEMU_LDST_GENERAL:
		return ldst;
	}
	return ldst;
}

static void put_op_type(struct spemu_record *rec, const struct spemu *s,
                        const struct spemu_op_kind *kind)
{
	rec->present |= SPEMU_REC_OP_TYPE;
	switch ((enum spemu_op_type)kind->type) {
	case SPEMU_OP_BRANCH:
		rec->op_class = CLASS_BRANCH;
		rec->op_subclass = (uint8_t)branch_subclass(s, kind);
		break;
	case SPEMU_OP_LOAD:
	case SPEMU_OP_STORE:
	case SPEMU_OP_LOAD_ATOMIC:
		rec->op_class = CLASS_LDST;
		rec->op_subclass = (uint8_t)ldst_subclass(s, kind);
		break;
	case SPEMU_OP_OTHER:
	case SPEMU_OP_OTHER_SVE:
	case SPEMU_OP_OTHER_SME:
		rec->op_class = CLASS_OTHER;
		rec->op_subclass = (uint8_t)other_subclass(s, kind);
		break;
	}
}

static void put_counter(struct spemu_record *rec, const struct spemu *s,
                        enum spemu_counter_index index, uint32_t cycles)
{
	uint32_t max = (1u << s->config.counter_bits) - 1;

	rec->present |= SPEMU_REC_COUNTER(index);
	rec->counter[index] = (uint16_t)(cycles < max ? cycles : max);
}

static void put_counters(struct spemu_record *rec, const struct spemu *s, const struct spemu_op *op)
{
	if (op->valid & SPEMU_OPV_TOTAL_LATENCY)
		put_counter(rec, s, SPEMU_COUNTER_TOTAL, op->total_latency);
	if (op->valid & SPEMU_OPV_ISSUE_LATENCY)
		put_counter(rec, s, SPEMU_COUNTER_ISSUE, op->issue_latency);
	if (op->valid & SPEMU_OPV_TRANSLATION_LATENCY)
		put_counter(rec, s, SPEMU_COUNTER_TRANSLATION, op->translation_latency);
}

static void put_addr(struct spemu_record *rec, enum spemu_addr_index index, uint64_t payload)
{
	rec->present |= SPEMU_REC_ADDR(index);
	rec->addr[index] = payload;
}

static void put_addresses(struct spemu_record *rec, const struct spemu *s,
                          const struct collected *sample, const struct spemu_op *op)
{
	uint64_t pas = (uint64_t)pe_scr_ns(&s->pe) << 63 | (uint64_t)pe_scr_nse(&s->pe) << 60;

	put_addr(rec, SPEMU_ADDR_PC, sample->pc);
	/* The target has the Exception level and Security state that the branch led to. */
	if (op->kind.type == SPEMU_OP_BRANCH && op->cond_pass && (op->valid & SPEMU_OPV_TARGET))
		put_addr(rec, SPEMU_ADDR_BRANCH_TARGET,
		         bits_get(op->target, 55, 0) | collect_context_byte(&s->pe));
	if (op->valid & SPEMU_OPV_VA)
		put_addr(rec, SPEMU_ADDR_DATA_VA, op->va);
	if ((op->valid & SPEMU_OPV_PA) && (op->valid & SPEMU_OPV_VA) &&
	    collect_physical_address(&s->pe))
		put_addr(rec, SPEMU_ADDR_DATA_PA, bits_get(op->pa, 55, 0) | pas);
}

uint64_t record_events(const struct spemu *s, const struct spemu_op *op)
{
	uint64_t impdef = s->config.impdef_events & (BITMASK(63, 48) | BITMASK(15, 12));
	uint64_t exists = BITMASK(10, 0) | impdef;
	uint64_t events = op->events & ~(BITMASK(1, 0) | BIT64(SPEMU_EV_NOT_TAKEN));

	if (spu_has(s, SPEMU_FEAT_SPEV1P1)) {
		exists |= BIT64(SPEMU_EV_MISALIGNED);
		if (spu_has(s, SPEMU_FEAT_SVE) || spu_has(s, SPEMU_FEAT_SME))
			exists |= BITMASK(18, 17);
	}
	exists |= spu_has(s, SPEMU_FEAT_SPEV1P4) ? BITMASK(23, 19)
	                                         : s->config.impdef_events & BITMASK(31, 24);
	events |= (uint64_t)op->exception << SPEMU_EV_EXCEPTION;
	events |= (uint64_t)op->retired << SPEMU_EV_RETIRED;
	if ((op->kind.flags & SPEMU_OPF_CONDITIONAL) && !op->cond_pass)
		events |= BIT64(SPEMU_EV_NOT_TAKEN);
	return events & exists;
}

unsigned record_make(struct spemu *s, const struct collected *sample, const struct spemu_op *op,
                     uint64_t events)
{
	struct spemu_record rec = {0};
	int size;

	put_addresses(&rec, s, sample, op);
	put_counters(&rec, s, op);
	put_op_type(&rec, s, &op->kind);
	if (sample->has_context1) {
		rec.present |= SPEMU_REC_CONTEXT(0);
		rec.context[0] = sample->context1;
	}
	if (sample->has_context2) {
		rec.present |= SPEMU_REC_CONTEXT(1);
		rec.context[1] = sample->context2;
	}
	rec.present |= SPEMU_REC_EVENTS;
	rec.events_size = s->config.events_size;
	rec.events = events & (~UINT64_C(0) >> (64 - 8 * s->config.events_size));
	if ((op->valid & SPEMU_OPV_DATA_SOURCE) && spu_has(s, SPEMU_FEAT_SPE_LDS)) {
		rec.present |= SPEMU_REC_DATA_SOURCE;
		rec.data_source_size = s->config.data_source_size;
		rec.data_source =
		        s->config.data_source_size == 1 ? op->data_source & 0xff : op->data_source;
	}
	if (sample->has_timestamp) {
		rec.present |= SPEMU_REC_TIMESTAMP;
		rec.timestamp = collect_end(s, sample);
	}
	size = spemu_record_encode(s->record, sizeof(s->record), &rec, &s->config.layout);
	assert(size > 0); /* every member was made in range above */
	return (unsigned)size;
}
