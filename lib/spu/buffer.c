/* SPDX-License-Identifier: MIT */
/*
 * Write a record to the Profiling Buffer.
 *
 * Arm ARM:     DDI 0487 M.a, D17.7, D17.7.4, D17.7.6, D17.7.7, D17.8.2, D17.8.3.1, D17.5.5
 * Implements:  IQRKCL RKLGPG RTHGCR (never past the limit), RPGGHS, buffer full
 * Pseudocode:  SPEWriteToBuffer(), SPEBufferIsFull()
 * Choices:     pointer-restriction, pointer-restriction-fault, pointer-restriction-other-fault,
 *              unaligned-pointer, page-crossing, device-crossing, crossing-fault-stage,
 *              speculative-dirty-update, reserved-fm
 */
#include "base/prng.h"
#include "spu/spu_object.h"

/* A part of a record that lies in one region. A record is at most 2 KB and a region of a
 * translation at least 4 KB, so a record has one or two parts. */
struct part {
	struct spemu_buffer_write access;
	struct spemu_translation t;
	unsigned offset, size;
	int end; /* result of spemu__address_resolve(): 0, SPEMU_FAULT_*, or negative */
	struct spemu_fault fault;
};

bool spemu__buffer_discard_mode(const struct spemu_pe *pe)
{
	unsigned fm = (unsigned)REG_FIELD(pe, PMBLIMITR_EL1, FM);

	if (fm == SPEMU_PMBLIMITR_EL1_FM_FILL ||
	    (fm == SPEMU_PMBLIMITR_EL1_FM_DISCARD && pe_has(pe, SPEMU_FEAT_SPEV1P2)))
		return fm == SPEMU_PMBLIMITR_EL1_FM_DISCARD;
	return pe_choice(pe, SPEMU_CHOICE_RESERVED_FM) == SPEMU_RESERVED_FM_DISCARD;
}

static bool fits(const struct spemu_spu *s, uint64_t size)
{
	uint64_t ptr = s->pe->reg[SPEMU_REG_PMBPTR_EL1], limit = buffer_limit(s->pe);

	return ptr <= limit && limit - ptr >= size;
}

static bool is_aligned(const struct spemu_spu *s)
{
	return !(s->pe->reg[SPEMU_REG_PMBPTR_EL1] & (BIT64(s->config.layout.align_log2) - 1));
}

static bool is_device(const struct spemu_memory *m)
{
	return m->type != SPEMU_MEMORY_NORMAL;
}

/* Return the number of bytes from address to the end of the aligned 2^log2 bytes around it, at
 * most size. */
static unsigned up_to_boundary(uint64_t address, unsigned log2, unsigned size)
{
	uint64_t left = (UINT64_C(1) << log2) - (address & BITMASK(log2 - 1, 0));

	return left < size ? (unsigned)left : size;
}

/* Split a record at ptr into parts. Return the number of parts. */
static unsigned split(struct spemu_spu *s, struct part part[2], uint64_t ptr, unsigned size)
{
	struct part *p = part;

	p->offset = 0;
	p->end = spemu__address_resolve(s, &p->access, &p->t, &p->fault, ptr);
	p->size = size;
	if (p->end)
		return 1;
	p->size = up_to_boundary(ptr, p->t.region_log2, size);
	if (p->size == size && is_device(&p->t.memory))
		p->size = up_to_boundary(ptr, spemu__pe_smallest_granule(s->pe), size);
	if (p->size == size)
		return 1;
	p[1].offset = p->size;
	p[1].size = size - p->size;
	p[1].end = spemu__address_resolve(s, &p[1].access, &p[1].t, &p[1].fault, ptr + p->size);
	return 2;
}

/* The outcomes of a record that crosses a boundary (D17.7.7). They correspond to the options of
 * page-crossing and device-crossing. */
enum crossing { CROSSING_NONE, CROSSING_UNORDERED, CROSSING_FAULT, CROSSING_DISCARD };

static bool differ(const struct spemu_memory *a, const struct spemu_memory *b)
{
	return a->type != b->type || a->shareability != b->shareability;
}

/* Return the stage to which an Alignment fault is attributed. stage1 and stage2 say which stages
 * cause it. */
static uint16_t blamed_stage(const struct spemu_spu *s, bool stage1, bool stage2)
{
	if (stage1 && stage2)
		stage2 = pe_choice(s->pe, SPEMU_CHOICE_CROSSING_FAULT_STAGE) ==
		         SPEMU_CROSSING_FAULT_STAGE_STAGE2;
	return stage2 ? SPEMU_FAULT_STAGE2 : SPEMU_FAULT_STAGE1;
}

static struct spemu_fault alignment_fault(uint16_t stage)
{
	return (struct spemu_fault){.kind = stage,
	                            .fsc = (uint8_t)spemu_fsc(SPEMU_FT_ALIGNMENT, 0)};
}

/* The discarding of a part of a record at a boundary: bytes skip to keep are written, and
 * PMBPTR_EL1 advances by advance. skip is 0 or the start of the second part. */
struct discard {
	unsigned skip, keep, advance;
};

/* Return the discard that an option selects. The options of both choices have the same order. */
static struct discard discard_of(unsigned which, unsigned first, unsigned size)
{
	const struct discard all[] = {{0, 0, size},        {0, 0, 0},
	                              {0, first, size},    {0, first, first},
	                              {first, size, size}, {first, size, size - first}};

	return all[which];
}

static enum crossing mismatch(const struct spemu_spu *s, const struct part part[2],
                              struct spemu_fault *fault, struct discard *discard)
{
	const struct spemu_translation *a = &part[0].t, *b = &part[1].t;
	unsigned option = pe_choice(s->pe, SPEMU_CHOICE_PAGE_CROSSING);

	if (!differ(&a->memory, &b->memory) || option == SPEMU_PAGE_CROSSING_OWN_ATTRIBUTES)
		return CROSSING_NONE;
	if (option == SPEMU_PAGE_CROSSING_ALIGNMENT_FAULT) {
		bool stage2 = a->has_stage2 && b->has_stage2 && differ(&a->stage2, &b->stage2);

		*fault = alignment_fault(
		        blamed_stage(s, !stage2 || differ(&a->stage1, &b->stage1), stage2));
		return CROSSING_FAULT;
	}
	*discard = discard_of(option - SPEMU_PAGE_CROSSING_DISCARD_ALL_COUNTED, part[0].size,
	                      part[0].size + part[1].size);
	return CROSSING_DISCARD;
}

static enum crossing device_crossing(const struct spemu_spu *s, const struct part part[2],
                                     struct spemu_fault *fault, struct discard *discard)
{
	const struct spemu_translation *a = &part[0].t;
	unsigned option = pe_choice(s->pe, SPEMU_CHOICE_DEVICE_CROSSING);
	uint64_t inside = BIT64(spemu__pe_smallest_granule(s->pe)) - 1;

	/* The boundary must be between two Device memory regions of the smallest granule
	 * (D17.7.7, note). */
	if (!is_device(&a->memory) || !is_device(&part[1].t.memory) ||
	    part[1].access.address & inside)
		return CROSSING_NONE;
	switch (option) {
	case SPEMU_DEVICE_CROSSING_AS_ONE:
		return CROSSING_NONE;
	case SPEMU_DEVICE_CROSSING_UNORDERED:
		return CROSSING_UNORDERED;
	case SPEMU_DEVICE_CROSSING_ALIGNMENT_FAULT: {
		bool stage2 = a->has_stage2 && is_device(&a->stage2);

		*fault = alignment_fault(blamed_stage(s, !stage2 || is_device(&a->stage1), stage2));
		return CROSSING_FAULT;
	}
	default:
		*discard = discard_of(option - SPEMU_DEVICE_CROSSING_DISCARD_ALL_COUNTED,
		                      part[0].size, part[0].size + part[1].size);
		return CROSSING_DISCARD;
	}
}

/* Return true if the pointer itself causes an Alignment fault (RHLXGD, Table D17-11). */
static bool alignment_faults(const struct spemu_spu *s, const struct part *p,
                             struct spemu_fault *fault)
{
	bool device = is_device(&p->t.memory);

	if (p->end || is_aligned(s))
		return false;
	switch (pe_choice(s->pe, SPEMU_CHOICE_UNALIGNED_POINTER)) {
	case SPEMU_UNALIGNED_POINTER_ALIGNMENT_FAULT:
		break;
	case SPEMU_UNALIGNED_POINTER_BY_MEMORY_TYPE:
		if (device)
			break;
		return false;
	default:
		return false;
	}
	*fault = alignment_fault(device && !is_device(&p->t.stage1) ? SPEMU_FAULT_STAGE2
	                                                            : SPEMU_FAULT_STAGE1);
	return true;
}

/* Write a part with one call of the host. The results are those of spemu__address_resolve().
 * fault->written is the number of written bytes. */
static int write_part(struct spemu_spu *s, const struct part *p, unsigned size,
                      struct spemu_fault *fault)
{
	*fault = (struct spemu_fault){0};
	if (!size ||
	    !s->host.buffer_write(s->host.ctx, fault, &p->access, s->record + p->offset, size))
		return 0;
	return spemu__fault_is_valid(fault) && fault->written < size ? fault->kind
	                                                             : SPEMU_ERR_INVALID;
}

/* Add an event for manage.c, whether or not it ends the write. */
static void leave(struct write *w, const struct cause *cause)
{
	w->cause[w->causes++] = *cause;
}

/* Add a fault for manage.c, and return how it ends the write. */
static int leave_fault(const struct spemu_spu *s, struct write *w, const struct spemu_fault *fault)
{
	leave(w, &(struct cause){.kind = CAUSE_FAULT, .fault = *fault});
	return spemu__manage_end_of_fault(s, fault);
}

/* Write the bytes that are not discarded. Return an enum write_end. PMBPTR_EL1 may advance after
 * WRITE_DONE. */
static int write_parts(struct spemu_spu *s, struct write *w, const struct part part[2],
                       unsigned parts, const struct discard *d, bool unordered)
{
	for (unsigned n = 0; n < parts; n++) {
		const struct part *p = &part[unordered ? parts - 1 - n : n];
		unsigned size = d->keep <= p->offset ? 0 : d->keep - p->offset;
		struct spemu_fault fault = p->fault;
		int end = p->end;

		if (!size || p->offset < d->skip)
			continue;
		fault.written = 0;
		if (!end)
			end = write_part(s, p, size < p->size ? size : p->size, &fault);
		if (end < 0)
			return end;
		if (!end)
			continue;
		fault.written += p->offset;
		end = leave_fault(s, w, &fault);
		if (end != WRITE_DONE)
			return end;
	}
	return WRITE_DONE;
}

/* Update the dirty state speculatively, for the page after the written one (D17.8.3.1). */
static void update_ahead(struct spemu_spu *s, const struct part *last)
{
	struct part ahead;
	uint64_t next;

	if (pe_choice(s->pe, SPEMU_CHOICE_SPECULATIVE_DIRTY_UPDATE) !=
	            SPEMU_SPECULATIVE_DIRTY_UPDATE_AHEAD ||
	    !last->access.translated)
		return;
	next = (last->access.address | BITMASK(last->t.region_log2 - 1, 0)) + 1;
	if (next && next < buffer_limit(s->pe)) /* 0 means that the region ends at the end of the
	                                           address space */
		(void)spemu__address_resolve(s, &ahead.access, &ahead.t, &ahead.fault, next);
}

/* Apply an injection that is not a fault. Return true if the record is lost. */
static bool apply_injection(struct write *w, const struct spemu_injection *i)
{
	switch (i->kind) {
	case SPEMU_INJECT_NOT_ALLOWED:
		leave(w, &(struct cause){.kind = CAUSE_NOT_ALLOWED});
		return true;
	case SPEMU_INJECT_BUFFER_SIZE:
		leave(w, &(struct cause){.kind = CAUSE_BUFFER_SIZE});
		return true;
	case SPEMU_INJECT_IMPDEF:
		leave(w, &(struct cause){.kind = CAUSE_IMPDEF, .mss = i->mss, .mss2 = i->mss2});
		return true;
	case SPEMU_INJECT_COLLISION:
		leave(w, &(struct cause){.kind = CAUSE_COLLISION});
		return false;
	default:
		return false;
	}
}

/* A fault that is an option of pointer-restriction-fault and pointer-restriction-other-fault, in
 * the order of the options of one stage. */
struct fault_option {
	enum spemu_fault_type type;
	int level;
};

/* Return the fault that an option selects. options has the faults for stage 1. The options for
 * stage 2 follow those in the same order. */
static struct spemu_fault fault_of_option(const struct fault_option *options, unsigned count,
                                          unsigned option)
{
	const struct fault_option *o = &options[option % count];

	return (struct spemu_fault){.kind = option < count ? SPEMU_FAULT_STAGE1
	                                                   : SPEMU_FAULT_STAGE2,
	                            .fsc = (uint8_t)spemu_fsc(o->type, o->level)};
}

static struct spemu_fault other_restriction_fault(unsigned option)
{
	static const struct fault_option of_stage[] = {
	        {SPEMU_FT_TRANSLATION, -1},
	        {SPEMU_FT_ADDRESS_SIZE, -1},
	        {SPEMU_FT_ACCESS_FLAG, 0},
	        {SPEMU_FT_PERMISSION, 0},
	        {SPEMU_FT_EXTERNAL_ON_WALK, -1},
	        {SPEMU_FT_EXTERNAL_ON_WALK, 0},
	        {SPEMU_FT_EXTERNAL_ON_WALK, 1},
	        {SPEMU_FT_EXTERNAL_ON_WALK, 2},
	        {SPEMU_FT_EXTERNAL_ON_WALK, 3},
	        {SPEMU_FT_GPF_ON_WALK, -1},
	        {SPEMU_FT_GPF_ON_WALK, 0},
	        {SPEMU_FT_GPF_ON_WALK, 1},
	        {SPEMU_FT_GPF_ON_WALK, 2},
	        {SPEMU_FT_GPF_ON_WALK, 3},
	        {SPEMU_FT_UNSUPPORTED_ATOMIC_UPDATE, 0},
	};

	if (option == SPEMU_POINTER_RESTRICTION_OTHER_FAULT_GRANULE_PROTECTION_CHECK)
		return (struct spemu_fault){.kind = SPEMU_FAULT_GPC};
	return fault_of_option(of_stage, sizeof(of_stage) / sizeof(*of_stage), option);
}

static struct spemu_fault restriction_fault(const struct spemu_spu *s)
{
	static const struct fault_option of_stage[] = {
	        {SPEMU_FT_ADDRESS_SIZE, 0}, {SPEMU_FT_ADDRESS_SIZE, 1}, {SPEMU_FT_ADDRESS_SIZE, 2},
	        {SPEMU_FT_ADDRESS_SIZE, 3}, {SPEMU_FT_TRANSLATION, 0},  {SPEMU_FT_TRANSLATION, 1},
	        {SPEMU_FT_TRANSLATION, 2},  {SPEMU_FT_TRANSLATION, 3},  {SPEMU_FT_ACCESS_FLAG, 1},
	        {SPEMU_FT_ACCESS_FLAG, 2},  {SPEMU_FT_ACCESS_FLAG, 3},  {SPEMU_FT_PERMISSION, 1},
	        {SPEMU_FT_PERMISSION, 2},   {SPEMU_FT_PERMISSION, 3},   {SPEMU_FT_TLB_CONFLICT, 0},
	};
	unsigned option = pe_choice(s->pe, SPEMU_CHOICE_POINTER_RESTRICTION_FAULT);

	switch (option) {
	case SPEMU_POINTER_RESTRICTION_FAULT_OTHER:
		return other_restriction_fault(
		        pe_choice(s->pe, SPEMU_CHOICE_POINTER_RESTRICTION_OTHER_FAULT));
	case SPEMU_POINTER_RESTRICTION_FAULT_GRANULE_PROTECTION: /* the GPF is reported as a
	                                                            fault of stage 1 (D17.8.3) */
		return (struct spemu_fault){.kind = SPEMU_FAULT_STAGE1,
		                            .fsc = (uint8_t)spemu_fsc(SPEMU_FT_GPF, 0)};
	default:
		return fault_of_option(of_stage, sizeof(of_stage) / sizeof(*of_stage), option);
	}
}

/*
 * Apply the choice pointer-restriction, because software has set the pointer or the limit against
 * RHXSYK or RHLXGD (RPGGHS). Return WRITE_DONE if the record is to be written.
 */
static int take_restriction(struct spemu_spu *s, struct write *w)
{
	struct spemu_fault fault;

	switch (pe_choice(s->pe, SPEMU_CHOICE_POINTER_RESTRICTION)) {
	case SPEMU_POINTER_RESTRICTION_UNKNOWN_POINTER:
		s->pe->reg[SPEMU_REG_PMBPTR_EL1] =
		        prng_next(&s->pe->prng) & s->pe->mask[SPEMU_REG_PMBPTR_EL1];
		return WRITE_DISCARDED;
	case SPEMU_POINTER_RESTRICTION_WRITE_ANYWHERE:
		return WRITE_DONE;
	case SPEMU_POINTER_RESTRICTION_ACCESS_NOT_ALLOWED:
		leave(w, &(struct cause){.kind = CAUSE_NOT_ALLOWED});
		return WRITE_STOPPED;
	case SPEMU_POINTER_RESTRICTION_MMU_FAULT:
		fault = restriction_fault(s);
		/* If an External abort is not reported, nothing is written either. */
		return leave_fault(s, w, &fault) == WRITE_STOPPED ? WRITE_STOPPED : WRITE_DISCARDED;
	case SPEMU_POINTER_RESTRICTION_IMPDEF_EVENT:
		leave(w, &(struct cause){.kind = CAUSE_IMPDEF});
		return WRITE_STOPPED;
	case SPEMU_POINTER_RESTRICTION_BUFFER_FULL_PMU_EVENT:
		spu_pmu_event(s, SPEMU_PMU_SAMPLE_BUFFER_FULL, 1);
		return WRITE_DISCARDED;
	case SPEMU_POINTER_RESTRICTION_BUFFER_FULL:
		leave(w, &(struct cause){.kind = CAUSE_FULL});
		return WRITE_STOPPED;
	default: /* discard, or as-disabled, which chooses no new operation; this one was in
	            flight */
		return WRITE_DISCARDED;
	}
}

/* Write the whole record in one call. The host translates the address; the model does not know
 * where it leads. */
static int write_direct(struct spemu_spu *s, struct write *w, unsigned size)
{
	uint64_t *ptr = &s->pe->reg[SPEMU_REG_PMBPTR_EL1];
	struct spemu_fault fault = {0};
	int end = WRITE_DONE;

	s->access.address = *ptr;
	if (s->host.buffer_write(s->host.ctx, &fault, &s->access, s->record, size)) {
		if (!spemu__fault_is_valid(&fault) || fault.written >= size)
			return SPEMU_ERR_INVALID;
		end = leave_fault(s, w, &fault);
	}
	if (end == WRITE_DONE)
		*ptr += size;
	return end;
}

/* Write the record in s->record at PMBPTR_EL1. Return an enum write_end or a negative status. */
static int write_record(struct spemu_spu *s, struct write *w, unsigned size,
                        const struct spemu_injection *injection, unsigned offset)
{
	struct part part[2];
	uint64_t ptr = s->pe->reg[SPEMU_REG_PMBPTR_EL1];
	unsigned parts = split(s, part, ptr, size);
	struct discard discard = {0, size, size};
	struct spemu_fault fault;
	enum crossing crossing = CROSSING_NONE;
	int end;

	if (alignment_faults(s, &part[0], &fault))
		return leave_fault(s, w, &fault);
	if (parts == 2 && !part[1].end) {
		crossing = mismatch(s, part, &fault, &discard);
		if (crossing == CROSSING_NONE)
			crossing = device_crossing(s, part, &fault, &discard);
	}
	if (crossing == CROSSING_FAULT)
		return leave_fault(s, w, &fault);
	if (injection && injection->kind == SPEMU_INJECT_FAULT && offset < discard.keep)
		discard.keep = offset;
	end = write_parts(s, w, part, parts, &discard, crossing == CROSSING_UNORDERED);
	if (end == WRITE_DONE && injection && injection->kind == SPEMU_INJECT_FAULT) {
		fault = injection->fault;
		fault.written = offset;
		end = leave_fault(s, w, &fault);
	}
	if (end != WRITE_DONE)
		return end;
	s->pe->reg[SPEMU_REG_PMBPTR_EL1] = ptr + discard.advance;
	update_ahead(s, &part[parts - 1]);
	return crossing == CROSSING_DISCARD ? WRITE_DISCARDED : WRITE_DONE;
}

/* Check the conditions that keep a record from being written, before memory is accessed. Return
 * an enum write_end; WRITE_DONE means that the record may be written. */
static int refuse(struct spemu_spu *s, struct write *w, unsigned size)
{
	int end;

	if (s->vm.max_buff_size && spemu__vm_buffer_too_large(s)) {
		spemu__spu_diagnose(s, DIAGNOSE_VM_SIZE);
		leave(w, &(struct cause){.kind = CAUSE_BUFFER_SIZE});
		return WRITE_STOPPED;
	}
	end = s->violations ? take_restriction(s, w) : WRITE_DONE;
	if (end != WRITE_DONE || fits(s, size) || s->violations)
		return end;
	leave(w, &(struct cause){.kind = CAUSE_FULL}); /* RTHGCR, for any state that led here */
	return WRITE_STOPPED;
}

void spemu__buffer_write_record(struct spemu_spu *s, struct write *w, unsigned size)
{
	const struct spemu_injection *injection = NULL;
	unsigned offset = 0;

	w->causes = 0;
	w->full = false;
	w->end = refuse(s, w, size);
	if (w->end != WRITE_DONE)
		return;
	if (s->injections) {
		injection = spemu__inject_due(s, &offset, s->pe->reg[SPEMU_REG_PMBPTR_EL1], size);
		if (injection && apply_injection(w, injection)) {
			w->end = WRITE_STOPPED;
			return;
		}
	}
	if (s->facts.direct && !injection && is_aligned(s))
		w->end = write_direct(s, w, size);
	else
		w->end = write_record(s, w, size, injection, offset);
	if (w->end == WRITE_DONE || w->end == WRITE_DISCARDED)
		w->full = !fits(s, UINT64_C(1) << s->config.max_size_log2) ||
		          (injection && injection->kind == SPEMU_INJECT_FULL);
}
