/* SPDX-License-Identifier: MIT */
/*
 * Normalization of a finished operation before it is filtered and recorded: its type, the sampled
 * memory access, and the removal of facts that may not be recorded.
 *
 * Arm ARM:     DDI 0487 M.a, D17.6.3 to D17.6.5, D17.6.7, D17.6.10, D18.2.6
 * Implements:  D17.2.1 D17.6.3 D17.6.4 D17.6.4.2 D17.6.4.3 D17.6.4.4 D17.6.4.5 D17.6.4.6 D17.6.5
 *              D17.6.7 D17.6.10 D17.6.10.1
 * Pseudocode:  SPEMultiAccessSample(), SPESampleMemCopy(), SPESampleGCSSS2(), SPEISB(), SPEEvent()
 * Choices:     isb-as-branch, conditional-select, dc-zero, tag-access-va, tag-access-pa,
 *              access-events-without-address, translation-latency-without-access,
 *              failed-exclusive-pa, store-events, exception-record, not-retired-record,
 *              not-retired-capture, non-architectural-exception-capture
 */
#include "base/prng.h"
#include "spu/spu_object.h"

#define EV(name) BIT64(SPEMU_EV_##name)
#define LOAD_EVENTS BITMASK(SPEMU_EV_DATA_SNOOPED, SPEMU_EV_L2D_ACCESS)
#define CACHE_EVENTS (EV(L1D_ACCESS) | EV(L1D_REFILL) | EV(LLC_ACCESS) | EV(LLC_MISS) | LOAD_EVENTS)
#define ACCESS_EVENTS \
	(CACHE_EVENTS | EV(TLB_ACCESS) | EV(TLB_WALK) | EV(REMOTE_ACCESS) | EV(MISALIGNED))
#define BRANCH_FLAGS                                                                      \
	(SPEMU_OPF_CONDITIONAL | SPEMU_OPF_INDIRECT | SPEMU_OPF_LINK | SPEMU_OPF_RETURN | \
	 SPEMU_OPF_GCS | SPEMU_OPF_ERET)

static bool loads_and_stores(const struct spemu_op *op)
{
	return (op->kind.ldst == SPEMU_LDST_MEMCOPY || op->kind.ldst == SPEMU_LDST_GCS) &&
	       (op->kind.type == SPEMU_OP_LOAD || op->kind.type == SPEMU_OP_STORE) &&
	       (op->valid & SPEMU_OPV_STORE_VA);
}

/* Choose the memory access that is sampled. If the type filter selects only one of the two, choose
 * that one; otherwise choose either, without bias. */
static void choose_access(struct spemu_spu *s, struct spemu_op *op)
{
	struct spemu_op_kind load = op->kind, store = op->kind;
	bool load_passes, store_passes, take_load;

	load.type = SPEMU_OP_LOAD;
	store.type = SPEMU_OP_STORE;
	load_passes = spemu__filter_selects_type(s, &load);
	store_passes = spemu__filter_selects_type(s, &store);
	take_load = load_passes == store_passes ? prng_next(&s->pe->prng) >> 63 : load_passes;
	op->kind = take_load ? load : store;
	if (take_load)
		return;
	op->va = op->store_va;
	op->pa = op->store_pa;
	op->valid |= SPEMU_OPV_VA;
	op->valid &= ~(uint32_t)SPEMU_OPV_PA;
	if (op->valid & SPEMU_OPV_STORE_PA)
		op->valid |= SPEMU_OPV_PA;
}

static void normalize_type(const struct spemu_spu *s, const struct collected *sample,
                           struct spemu_op *op)
{
	struct spemu_op_kind *kind = &op->kind;

	if (kind->type == SPEMU_OP_BRANCH && !spu_has(s, SPEMU_FEAT_GCS))
		kind->flags &= ~(uint32_t)SPEMU_OPF_GCS;
	if (op->exception && kind->type == SPEMU_OP_BRANCH) { /* D17.6.3: with an exception it is
	                                                         not a branch */
		kind->type = SPEMU_OP_OTHER;
		kind->flags &= ~(uint32_t)BRANCH_FLAGS;
	}
	if (kind->type == SPEMU_OP_OTHER && (kind->flags & SPEMU_OPF_ISB) && !op->exception &&
	    pe_choice(s->pe, SPEMU_CHOICE_ISB_AS_BRANCH) == SPEMU_ISB_AS_BRANCH_BRANCH) {
		kind->type = SPEMU_OP_BRANCH; /* a branch to the next instruction */
		op->target = spemu_addr_bits(sample->pc) + 4;
		op->valid |= SPEMU_OPV_TARGET;
		op->cond_pass = true;
	}
	if (kind->type == SPEMU_OP_OTHER && pe_choice(s->pe, SPEMU_CHOICE_CONDITIONAL_SELECT) ==
	                                            SPEMU_CONDITIONAL_SELECT_UNCONDITIONAL)
		kind->flags &= ~(uint32_t)SPEMU_OPF_CONDITIONAL;
	if (kind->type == SPEMU_OP_STORE && (kind->flags & SPEMU_OPF_DC_ZERO) &&
	    pe_choice(s->pe, SPEMU_CHOICE_DC_ZERO) == SPEMU_DC_ZERO_MAINTENANCE)
		kind->type = SPEMU_OP_OTHER;
	if (op->exception)
		op->valid &= ~(uint32_t)SPEMU_OPV_TARGET;
}

/* Set the address to the accessed location, or to the first location that its Allocation Tag
 * covers (D17.6.4.1). */
static void normalize_tag_address(const struct spemu_spu *s, struct spemu_op *op)
{
	const uint64_t granule = 15;
	bool va = pe_choice(s->pe, SPEMU_CHOICE_TAG_ACCESS_VA) == SPEMU_TAG_ACCESS_VA_GRANULE;
	bool pa = pe_choice(s->pe, SPEMU_CHOICE_TAG_ACCESS_PA) == SPEMU_TAG_ACCESS_PA_GRANULE;

	if (va)
		op->va &= ~granule;
	if (va || pa)
		op->pa &= ~granule;
}

/* Drop addresses that may not be recorded, and the values that belong to them (D17.6.4). */
static void normalize_addresses(const struct spemu_spu *s, struct spemu_op *op)
{
	bool not_performed = op->memory_access & SPEMU_OPM_NOT_PERFORMED;

	/* D17.6.3: among branches, only those that access a Guarded Control Stack have an
	 * address. */
	if (op->kind.type == SPEMU_OP_BRANCH && !(op->kind.flags & SPEMU_OPF_GCS))
		op->valid &=
		        ~(uint32_t)(SPEMU_OPV_VA | SPEMU_OPV_PA | SPEMU_OPV_TRANSLATION_LATENCY);
	/* D17.6.4.2: the address belongs to EL2 (VNCR_EL2), and EL2 is not to be profiled. */
	if (op->kind.ldst == SPEMU_LDST_NV2 && op->kind.type != SPEMU_OP_BRANCH &&
	    !spemu__spu_enabled_at(s->pe, 2))
		op->valid &= ~(uint32_t)SPEMU_OPV_VA;
	if (not_performed && (op->kind.flags & SPEMU_OPF_EXCLUSIVE) &&
	    pe_choice(s->pe, SPEMU_CHOICE_FAILED_EXCLUSIVE_PA) == SPEMU_FAILED_EXCLUSIVE_PA_OMITTED)
		op->valid &= ~(uint32_t)SPEMU_OPV_PA;
	if (!(op->valid & SPEMU_OPV_VA))
		op->valid &= ~(uint32_t)SPEMU_OPV_PA;
	if ((op->valid & SPEMU_OPV_VA) && !not_performed)
		return;
	op->translation_latency = 0;
	if (pe_choice(s->pe, SPEMU_CHOICE_TRANSLATION_LATENCY_WITHOUT_ACCESS) ==
	    SPEMU_TRANSLATION_LATENCY_WITHOUT_ACCESS_OMITTED)
		op->valid &= ~(uint32_t)SPEMU_OPV_TRANSLATION_LATENCY;
}

/* Return true if the record may have a data source, because the operation returns data or may
 * return data (D17.6.4.4). */
static bool has_data_source(const struct spemu_op_kind *kind)
{
	switch ((enum spemu_op_type)kind->type) {
	case SPEMU_OP_LOAD:
	case SPEMU_OP_LOAD_ATOMIC:
	case SPEMU_OP_OTHER: /* cache prefetch and maintenance (D17.6.8) */
	case SPEMU_OP_OTHER_SVE:
	case SPEMU_OP_OTHER_SME:
		return true;
	case SPEMU_OP_STORE:
		return kind->flags & (SPEMU_OPF_ATOMIC | SPEMU_OPF_STATUS_RESULT);
	case SPEMU_OP_BRANCH:
		return kind->flags & SPEMU_OPF_GCS;
	}
	return false;
}

/*
 * Return true if spemu__operation_normalize() would change nothing. The usual loads, stores and
 * branches then need no copy. The function may also return false if nothing would change. A test
 * compares it with spemu__operation_normalize().
 */
bool spemu__operation_is_normal(const struct spemu_spu *s, const struct spemu_op *op)
{
	const uint32_t address = SPEMU_OPV_VA | SPEMU_OPV_PA;
	const uint32_t of_access = address | SPEMU_OPV_TRANSLATION_LATENCY;
	uint8_t ldst = op->kind.ldst;

	if (op->exception || (op->memory_access & SPEMU_OPM_NOT_PERFORMED))
		return false;
	if ((op->valid & SPEMU_OPV_DATA_SOURCE) &&
	    (!has_data_source(&op->kind) || !spu_has(s, SPEMU_FEAT_SPE_LDS)))
		return false;
	switch ((enum spemu_op_type)op->kind.type) {
	case SPEMU_OP_LOAD:
	case SPEMU_OP_STORE:
	case SPEMU_OP_LOAD_ATOMIC:
		return (op->valid & SPEMU_OPV_VA) && !(op->kind.flags & SPEMU_OPF_DC_ZERO) &&
		       (ldst == SPEMU_LDST_GENERAL || ldst == SPEMU_LDST_SIMDFP ||
		        ldst == SPEMU_LDST_EXTENDED || ldst == SPEMU_LDST_SVESME);
	case SPEMU_OP_BRANCH:
		return !(op->valid & of_access) && !op->translation_latency &&
		       ldst == SPEMU_LDST_GENERAL && !(op->kind.flags & SPEMU_OPF_GCS);
	default:
		return false;
	}
}

void spemu__operation_normalize(struct spemu_spu *s, const struct collected *sample,
                                struct spemu_op *op)
{
	if (loads_and_stores(op))
		choose_access(s, op);
	normalize_type(s, sample, op);
	if (op->kind.ldst == SPEMU_LDST_TAGS)
		normalize_tag_address(s, op);
	normalize_addresses(s, op);
	if (!has_data_source(&op->kind) || !spu_has(s, SPEMU_FEAT_SPE_LDS))
		op->valid &= ~(uint32_t)SPEMU_OPV_DATA_SOURCE;
}

/* Return the events that an operation of this kind cannot have (D18.2.6: the description of the
 * value 0 of each event). */
static uint64_t impossible_events(const struct spemu_op_kind *kind)
{
	bool sve = kind->type == SPEMU_OP_OTHER_SVE || kind->type == SPEMU_OP_OTHER_SME;
	uint64_t events = EV(MISPREDICTED);

	switch ((enum spemu_op_type)kind->type) {
	case SPEMU_OP_BRANCH:
		events = kind->flags & SPEMU_OPF_GCS ? 0 : ACCESS_EVENTS;
		break;
	case SPEMU_OP_STORE:
		events |= LOAD_EVENTS;
		/* fall through */
	case SPEMU_OP_LOAD:
	case SPEMU_OP_LOAD_ATOMIC:
		sve = kind->ldst == SPEMU_LDST_SVESME;
		break;
	case SPEMU_OP_OTHER:
	case SPEMU_OP_OTHER_SVE:
	case SPEMU_OP_OTHER_SME:
		break;
	}
	return sve ? events : events | EV(PARTIAL_PREDICATE) | EV(EMPTY_PREDICATE);
}

/* Return the events that exist at the feature level, out of those that the host provides. */
uint64_t spemu__operation_existing_events(const struct spemu_spu *s)
{
	uint64_t impdef = s->config.impdef_events;
	uint64_t exists = BITMASK(10, 0) | (impdef & (BITMASK(63, 48) | BITMASK(15, 12)));

	if (spu_has(s, SPEMU_FEAT_SPEV1P1)) {
		exists |= EV(MISALIGNED);
		if (spu_has_sve_or_sme(s))
			exists |= EV(PARTIAL_PREDICATE) | EV(EMPTY_PREDICATE);
	}
	exists |= spu_has(s, SPEMU_FEAT_SPEV1P4) ? LOAD_EVENTS : impdef & BITMASK(31, 24);
	if (spu_has(s, SPEMU_FEAT_SPE_SME))
		exists |= EV(STREAMING_SVE) | EV(SMCU);
	return exists & ~s->config.missing_events;
}

static bool is_memory_access(const struct spemu_op_kind *kind)
{
	return kind->type == SPEMU_OP_LOAD || kind->type == SPEMU_OP_STORE ||
	       kind->type == SPEMU_OP_LOAD_ATOMIC;
}

/* Return true if the type includes conditional operations: branch, select or compare (D18.2.6,
 * E[6]). */
static bool may_be_conditional(uint8_t type)
{
	return type == SPEMU_OP_BRANCH || type == SPEMU_OP_OTHER;
}

uint64_t spemu__operation_events(const struct spemu_spu *s, const struct collected *sample,
                                 const struct spemu_op *op)
{
	/* The model itself sets bits 0, 1, 6 and 24. */
	uint64_t events = op->events & ~(EV(EXCEPTION) | EV(RETIRED) | EV(NOT_TAKEN));

	events &= ~impossible_events(&op->kind);
	if (op->memory_access & SPEMU_OPM_NOT_PERFORMED)
		events &= ~ACCESS_EVENTS;
	else if (is_memory_access(&op->kind) && !(op->valid & SPEMU_OPV_VA) &&
	         pe_choice(s->pe, SPEMU_CHOICE_ACCESS_EVENTS_WITHOUT_ADDRESS) ==
	                 SPEMU_ACCESS_EVENTS_WITHOUT_ADDRESS_ZERO)
		events &= ~ACCESS_EVENTS;
	if (op->kind.type == SPEMU_OP_STORE &&
	    pe_choice(s->pe, SPEMU_CHOICE_STORE_EVENTS) == SPEMU_STORE_EVENTS_NOT_RECORDED)
		events &= ~(CACHE_EVENTS | EV(REMOTE_ACCESS));
	if (spu_has(s, SPEMU_FEAT_SPE_SME)) {
		events &= ~EV(STREAMING_SVE);
		events |= (uint64_t)sample->streaming << SPEMU_EV_STREAMING_SVE;
	}
	events |= (uint64_t)op->exception << SPEMU_EV_EXCEPTION;
	events |= (uint64_t)op->retired << SPEMU_EV_RETIRED;
	if ((op->kind.flags & SPEMU_OPF_CONDITIONAL) && !op->cond_pass &&
	    may_be_conditional(op->kind.type))
		events |= EV(NOT_TAKEN);
	return events & s->facts.events;
}

bool spemu__operation_is_captured(const struct spemu_spu *s, const struct spemu_op *op)
{
	if (op->retired)
		return true;
	if (op->exception)
		return pe_choice(s->pe, SPEMU_CHOICE_NON_ARCHITECTURAL_EXCEPTION_CAPTURE) ==
		       SPEMU_NON_ARCHITECTURAL_EXCEPTION_CAPTURE_CAPTURED;
	return pe_choice(s->pe, SPEMU_CHOICE_NOT_RETIRED_CAPTURE) ==
	       SPEMU_NOT_RETIRED_CAPTURE_CAPTURED;
}

bool spemu__operation_is_shown_whole(const struct spemu_spu *s, const struct spemu_op *op)
{
	if (op->exception)
		return pe_choice(s->pe, SPEMU_CHOICE_EXCEPTION_RECORD) ==
		       SPEMU_EXCEPTION_RECORD_WHOLE;
	return op->retired ||
	       pe_choice(s->pe, SPEMU_CHOICE_NOT_RETIRED_RECORD) == SPEMU_NOT_RETIRED_RECORD_WHOLE;
}
