/* SPDX-License-Identifier: MIT */
/*
 * Pending records, the memory of records that no DSB has completed, and translations that changed
 * for this memory.
 *
 * Arm ARM:     DDI 0487 M.a, D17.9, D17.7.8
 * Implements:  INRNSL
 *
 * The whole write of a record is pending, not only its bytes. It is a profiling operation, which is
 * independent of the instructions (IWZSLB), with its indirect reads of the registers, its
 * translation and its events. Records become visible in memory and in registers at the same time,
 * which the architecture permits. Only the effects of an External abort on the write in PMBSR_ELx
 * may be read late until a DSB (IMLGHW; strict.c).
 *
 * INRNSL: the model writes to the host's memory, where software's writes are visible at once. So
 * the model cannot delay them, but it reports software that relies on more than the DSB guarantees.
 */
#include "spu/strict_state.h"

unsigned spemu__strict_forced(const struct strict *strict)
{
	unsigned n = strict->queued;

	while (n && strict->queue[n - 1].stage != STAGE_FORCED)
		n--;
	return n;
}

void spemu__strict_advance(struct strict *strict, enum stage from, enum stage to)
{

	for (unsigned i = 0; i < SPEMU_IN_FLIGHT_MAX; i++)
		if (strict->slot_stage[i] == from)
			strict->slot_stage[i] = (uint8_t)to;
	for (unsigned i = 0; i < strict->queued; i++)
		if (strict->queue[i].stage == from)
			strict->queue[i].stage = (uint8_t)to;
	for (unsigned i = 0; i < strict->ranges; i++)
		if (strict->range[i].stage == from)
			strict->range[i].stage = (uint8_t)to;
	strict->outstanding[to] |= strict->outstanding[from];
	strict->outstanding[from] = 0;
}

/* Record the bytes of a record. If there is no room, drop the oldest range. */
static void note_range(struct strict *strict, uint64_t address, unsigned size, uint8_t stage)
{
	struct strict_range *last = &strict->range[strict->ranges ? strict->ranges - 1 : 0];

	if (strict->ranges && last->stage == stage && last->address + last->size == address) {
		last->size += size;
		return;
	}
	if (strict->ranges == STRICT_RANGES)
		memmove(strict->range, strict->range + 1,
		        --strict->ranges * sizeof(strict->range[0]));
	strict->range[strict->ranges++] = (struct strict_range){address, size, stage};
}

bool spemu__strict_take(struct strict *strict, struct held *record)
{

	if (!strict->queued)
		return false;
	*record = strict->queue[0];
	memcpy(strict->spu->record, strict->bytes, record->size);
	strict->queued--;
	strict->queued_bytes -= record->size;
	memmove(strict->queue, strict->queue + 1, strict->queued * sizeof(*record));
	memmove(strict->bytes, strict->bytes + record->size, strict->queued_bytes);
	return true;
}

void spemu__strict_written(struct strict *strict, const struct held *record, uint64_t address)
{
	note_range(strict, address, record->size, record->stage);
}

bool spemu__strict_has_room(const struct strict *strict, unsigned size)
{
	return strict->queued < STRICT_QUEUE && strict->queued_bytes + size <= STRICT_BYTES;
}

void spemu__strict_put(struct strict *strict, unsigned size, uint8_t stage)
{

	memcpy(strict->bytes + strict->queued_bytes, strict->spu->record, size);
	strict->queued_bytes += size;
	strict->queue[strict->queued++] = (struct held){
	        .size = (uint16_t)size,
	        .stage = stage,
	        .security = strict->spu->access.security,
	        .stores = strict->incomplete_stores,
	};
}

static bool overlaps(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size)
{
	return a < b ? b - a < a_size : a - b < b_size;
}

/* Return true if the range contains, or will contain, a record that no PSB followed by a DSB has
 * covered. */
static bool meets_record(const struct strict *strict, uint64_t address, uint64_t size)
{
	bool early;

	early = strict->queued_bytes &&
	        overlaps(address, size, strict->spu->pe->reg[SPEMU_REG_PMBPTR_EL1],
	                 strict->queued_bytes);
	for (unsigned i = 0; i < strict->ranges; i++)
		early |= overlaps(address, size, strict->range[i].address, strict->range[i].size);
	return early;
}

void spemu__strict_buffer_read(struct strict *strict, uint64_t address, uint64_t size)
{
	if (meets_record(strict, address, size))
		spemu__spu_diagnose(strict->spu, DIAGNOSE_MEMORY_EARLY);
}

/* Record a store of software. If it does not extend the last one, the oldest one is dropped,
 * also from the records that refer to it. */
static void note_store(struct strict *strict, uint64_t address, uint64_t size)
{
	unsigned last = (strict->next_store + STRICT_STORES - 1u) % STRICT_STORES;
	unsigned next = strict->next_store;

	if ((strict->incomplete_stores >> last & 1) &&
	    strict->store[last].address + strict->store[last].size == address) {
		strict->store[last].size += size;
		return;
	}
	for (unsigned i = 0; i < strict->queued; i++)
		strict->queue[i].stores &= (uint8_t) ~(1u << next);
	strict->store[next] = (struct strict_range){address, size, STAGE_OPEN};
	strict->incomplete_stores |= (uint8_t)(1u << next);
	strict->next_store = (uint8_t)((next + 1) % STRICT_STORES);
}

void spemu__strict_buffer_written(struct strict *strict, uint64_t address, uint64_t size)
{
	if (meets_record(strict, address, size))
		spemu__spu_diagnose(strict->spu, DIAGNOSE_MEMORY_WRITTEN);
	note_store(strict, address, size);
}

bool spemu__strict_meets_store(const struct strict *strict, const struct held *record,
                               uint64_t address)
{
	for (unsigned i = 0; i < STRICT_STORES; i++)
		if ((record->stores >> i & 1) &&
		    overlaps(address, record->size, strict->store[i].address,
		             strict->store[i].size))
			return true;
	return false;
}

void spemu__strict_translation_changed(struct strict *strict, uint64_t address, uint64_t size)
{
	uint64_t pointer = strict->spu->pe->reg[SPEMU_REG_PMBPTR_EL1],
	         limit = buffer_limit(strict->spu->pe);

	if ((strict->spu->buffer_enabled || strict_in_flight(strict)) &&
	    !strict->spu->discard_mode && pointer < limit &&
	    overlaps(address, size, pointer, limit - pointer))
		spemu__spu_diagnose(strict->spu, DIAGNOSE_TRANSLATION_IN_USE);
	if (strict->changes == STRICT_CHANGES)
		memmove(strict->change, strict->change + 1,
		        --strict->changes * sizeof(strict->change[0]));
	strict->change[strict->changes++] = (struct strict_range){address, size, STAGE_OPEN};
}

void spemu__strict_translation_maintained(struct strict *strict, uint64_t address, uint64_t size)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < strict->changes; i++) {
		const struct strict_range *c = &strict->change[i];
		bool covered = c->address >= address && c->address - address < size &&
		               c->size <= size - (c->address - address);

		if (!covered)
			strict->change[kept++] = *c;
	}
	strict->changes = kept;
}
