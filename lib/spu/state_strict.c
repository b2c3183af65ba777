/* SPDX-License-Identifier: MIT */
/*
 * The part of a saved SPU that exists only in strict mode: both views of the registers, records
 * that are not written yet, unsynchronized writes, and the generator. Past diagnostics are not
 * saved, so they may be given again.
 *
 * Arm ARM:     DDI 0487 M.a, D17.9
 */
#include "base/image.h"
#include "spu/strict_state.h"

#define DIRECT 56
#define QUEUE (DIRECT + (STRICT_REGISTERS + STRICT_INDIRECT) * 8)
#define RANGES (QUEUE + STRICT_QUEUE * 4)
#define CHANGES (RANGES + STRICT_RANGES * 17)
#define BYTES (CHANGES + STRICT_CHANGES * 17)
#define STORES (BYTES + STRICT_BYTES)

_Static_assert(STORES + STRICT_STORES * 16 <= STATE_STRICT_SIZE,
               "STATE_STRICT_SIZE is what is saved");

#define FIELD(name, at) IMAGE_FIELD(struct strict, name, at)
#define FLAG(name, bit) IMAGE_FLAG(struct strict, name, 0, bit)
static const struct image_field fields[] = {
        FLAG(stop_was_read, 1),   FLAG(syndrome_cleared, 2), FLAG(buffer_was_on, 3),
        FLAG(may_sample, 4),      FLAG(may_restart, 5),      FIELD(overwritten, 1),
        FIELD(prng, 8),           FIELD(pending, 24),        FIELD(unsynchronized, 28),
        FIELD(last_syndrome, 32), FIELD(last_pointer, 40),
};
static const struct image_field pc_fields[] = {
        IMAGE_FLAG(struct diagnosing, has_pc, 0, 0),
        IMAGE_FIELD(struct diagnosing, pc, 16),
};
static const struct image_field range_fields[] = {
        IMAGE_FIELD(struct strict_range, address, 0),
        IMAGE_FIELD(struct strict_range, size, 8),
        IMAGE_FIELD(struct strict_range, stage, 16),
};

void spemu__state_put_strict(uint8_t *p, const struct strict *strict)
{
	memset(p, 0, STATE_STRICT_SIZE);
	image_put(p, strict, IMAGE_FIELDS(fields));
	image_put(p, &strict->spu->diagnosing, IMAGE_FIELDS(pc_fields));
	memcpy(p + 2, strict->outstanding, STAGES);
	p[5] = (uint8_t)strict->queued;
	p[6] = (uint8_t)strict->ranges;
	p[7] = (uint8_t)strict->changes;
	p[48] = (uint8_t)(strict->incomplete_stores | strict->next_store << 4);
	for (unsigned i = 0; i < STRICT_REGISTERS; i++)
		le_store64(p + DIRECT + i * 8, strict->direct[i]);
	for (unsigned i = 0; i < STRICT_INDIRECT; i++)
		le_store64(p + DIRECT + (STRICT_REGISTERS + i) * 8, strict->old[i]);
	for (unsigned i = 0; i < strict->queued; i++) {
		le_store16(p + QUEUE + i * 4, strict->queue[i].size);
		p[QUEUE + i * 4 + 2] = strict->queue[i].stage;
		p[QUEUE + i * 4 + 3] =
		        (uint8_t)(strict->queue[i].security | strict->queue[i].stores << 4);
	}
	for (unsigned i = 0; i < strict->ranges; i++)
		image_put(p + RANGES + i * 17, &strict->range[i], IMAGE_FIELDS(range_fields));
	for (unsigned i = 0; i < strict->changes; i++)
		image_put(p + CHANGES + i * 17, &strict->change[i], IMAGE_FIELDS(range_fields));
	memcpy(p + BYTES, strict->bytes, strict->queued_bytes);
	for (unsigned i = 0; i < STRICT_STORES; i++) /* stores have no stage */
		image_put(p + STORES + i * 16, &strict->store[i], range_fields, 2);
}

bool spemu__state_strict_is_valid(const uint8_t *p)
{
	unsigned bytes = 0;

	if (p[0] > 63 || p[1] >> STRICT_INDIRECT || (p[2] | p[3] | p[4]) > BY_ALL ||
	    p[5] > STRICT_QUEUE || p[6] > STRICT_RANGES || p[7] > STRICT_CHANGES ||
	    le_load32(p + 24) >> STRICT_REGISTERS || p[48] >> 4 >= STRICT_STORES)
		return false;
	for (unsigned i = 0; i < p[5]; i++) {
		const uint8_t *record = p + QUEUE + i * 4;
		unsigned size = le_load16(record);

		if (!size || size > SPEMU_RECORD_MAX || record[2] >= STAGES ||
		    (record[3] & 0xf) > 3)
			return false;
		bytes += size;
	}
	for (unsigned i = 0; i < p[6]; i++)
		if (p[RANGES + i * 17 + 16] >= STAGES)
			return false;
	return bytes <= STRICT_BYTES;
}

void spemu__state_get_strict(struct strict *strict, const uint8_t *p)
{
	struct spemu_spu *s = strict->spu;

	*strict = (struct strict){.spu = s};
	s->observer = p ? &spemu__strict_observer : NULL;
	s->diagnosing = (struct diagnosing){0};
	if (!p)
		return;
	strict->checked = UINT64_MAX;
	image_get(strict, p, IMAGE_FIELDS(fields));
	image_get(&s->diagnosing, p, IMAGE_FIELDS(pc_fields));
	memcpy(strict->outstanding, p + 2, STAGES);
	strict->queued = p[5];
	strict->ranges = p[6];
	strict->changes = p[7];
	strict->incomplete_stores = p[48] & 0xf;
	strict->next_store = p[48] >> 4;
	for (unsigned i = 0; i < STRICT_REGISTERS; i++)
		strict->direct[i] =
		        le_load64(p + DIRECT + i * 8) & s->pe->mask[spemu__strict_register[i]];
	for (unsigned i = 0; i < STRICT_INDIRECT; i++)
		strict->old[i] = le_load64(p + DIRECT + (STRICT_REGISTERS + i) * 8);
	for (unsigned i = 0; i < strict->queued; i++) {
		const uint8_t *record = p + QUEUE + i * 4;

		strict->queue[i] = (struct held){le_load16(record), record[2], record[3] & 0xf,
		                                 record[3] >> 4};
		strict->queued_bytes += strict->queue[i].size;
	}
	for (unsigned i = 0; i < strict->ranges; i++)
		image_get(&strict->range[i], p + RANGES + i * 17, IMAGE_FIELDS(range_fields));
	for (unsigned i = 0; i < strict->changes; i++)
		image_get(&strict->change[i], p + CHANGES + i * 17, IMAGE_FIELDS(range_fields));
	memcpy(strict->bytes, p + BYTES, strict->queued_bytes);
	for (unsigned i = 0; i < STRICT_STORES; i++)
		image_get(&strict->store[i], p + STORES + i * 16, range_fields, 2);
}
