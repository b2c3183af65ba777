/* SPDX-License-Identifier: MIT */
/*
 * Saving and loading an SPU. The image has a version, and is the same on every host. The PE saves
 * its registers, its choices and its generator (lib/pe/pe_state.c).
 *
 * Layout, little-endian: magic, version, a flag for strict mode; the slots of samples in flight;
 * the buffer and the injections; the other state; and in strict mode the state of state_strict.c.
 */
#include "base/image.h"
#include "spu/strict_state.h"

static const char magic[8] = {'s', 'p', 'e', 'm', 'u', 'S', 'P', 'U'};
#define VERSION 4 /* earlier versions had registers in the image */
#define HEADER 16
#define SLOT 48 /* bytes of a sample in flight */
#define SLOTS (SPEMU_IN_FLIGHT_MAX * SLOT)
#define TAIL 32
#define SIZE (HEADER + SLOTS + STATE_BUFFER_SIZE + TAIL)

size_t spemu_spu_save_size(bool strict)
{
	return strict ? SIZE + STATE_STRICT_SIZE : SIZE;
}

#define FIELD(name, at) IMAGE_FIELD(struct collected, name, at)
#define FLAG(name, bit) IMAGE_FLAG(struct collected, name, 0, bit)
static const struct image_field slot_fields[] = {
        FLAG(in_flight, 0),    FLAG(has_context1, 1),
        FLAG(has_context2, 2), FLAG(has_timestamp, 3),
        FLAG(at_end, 4),       FLAG(has_previous_target, 5),
        FLAG(streaming, 6),    FLAG(has_physical, 7),
        FIELD(context1, 8),    FIELD(context2, 12),
        FIELD(pc, 16),         FIELD(timestamp, 24),
        FIELD(serial, 32),     FIELD(previous_target, 40),
};
static const struct image_field tail_fields[] = {
        IMAGE_FIELD(struct spemu_spu, next_random, 0),
        IMAGE_FLAG(struct spemu_spu, has_previous_target, 1, 0),
        IMAGE_FIELD(struct spemu_spu, next_serial, 8),
        IMAGE_FIELD(struct spemu_spu, previous_target, 16),
};

int spemu_spu_save(const struct spemu_spu *spu, void *buffer, size_t size)
{
	uint8_t *p = buffer;

	if (!spu || !buffer)
		return SPEMU_ERR_INVALID;
	if (size < spemu_spu_save_size(spu->observer))
		return SPEMU_ERR_NOSPACE;
	if (spu->observer)
		spemu__state_put_strict(p + SIZE, strict_of_const(spu));
	memset(p, 0, SIZE);
	memcpy(p, magic, sizeof(magic));
	le_store32(p + 8, VERSION);
	le_store32(p + 12, spu->observer != NULL);
	p += HEADER;
	for (unsigned i = 0; i < SPEMU_IN_FLIGHT_MAX; i++, p += SLOT) {
		image_put(p, &spu->sample[i], IMAGE_FIELDS(slot_fields));
		p[1] = strict_of_const(spu)->slot_stage[i];
	}
	spemu__state_put_buffer(p, spu);
	image_put(p + STATE_BUFFER_SIZE, spu, IMAGE_FIELDS(tail_fields));
	return SPEMU_OK;
}

/* Check that the image is complete and valid. Nothing of an invalid image is loaded. */
static int check(const uint8_t *p, size_t size)
{
	uint32_t strict;
	bool valid = true;

	if (size < HEADER)
		return SPEMU_ERR_TRUNCATED;
	if (memcmp(p, magic, sizeof(magic)) != 0 || le_load32(p + 8) == 0)
		return SPEMU_ERR_CORRUPT;
	if (le_load32(p + 8) != VERSION)
		return SPEMU_ERR_NOT_SUPPORTED;
	strict = le_load32(p + 12);
	if (strict > 1)
		return SPEMU_ERR_CORRUPT;
	if (size < spemu_spu_save_size(strict))
		return SPEMU_ERR_TRUNCATED;
	for (unsigned i = 0; i < SPEMU_IN_FLIGHT_MAX; i++)
		valid &= p[HEADER + i * SLOT + 1] < STAGES;
	if (!valid || !spemu__state_buffer_is_valid(p + HEADER + SLOTS) || p[SIZE - TAIL + 1] > 1 ||
	    (strict && !spemu__state_strict_is_valid(p + SIZE)))
		return SPEMU_ERR_CORRUPT;
	return SPEMU_OK;
}

int spemu__state_load(struct spemu_spu *s, const uint8_t *p, size_t size)
{
	struct strict *strict = strict_of(s);
	int status = check(p, size);

	if (status)
		return status;
	spemu__state_get_strict(strict, le_load32(p + 12) ? p + SIZE : NULL);
	for (unsigned i = 0; i < SPEMU_IN_FLIGHT_MAX; i++) {
		image_get(&s->sample[i], p + HEADER + i * SLOT, IMAGE_FIELDS(slot_fields));
		s->sample[i].in_flight &= i < s->config.samples_in_flight;
		strict->slot_stage[i] = p[HEADER + i * SLOT + 1];
	}
	spemu__state_get_buffer(s, p + HEADER + SLOTS);
	image_get(s, p + SIZE - TAIL, IMAGE_FIELDS(tail_fields));
	return SPEMU_OK;
}
