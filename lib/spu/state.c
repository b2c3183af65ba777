/* SPDX-License-Identifier: MIT */
/*
 * Saving an SPU and loading it: versioned, the same bytes on every host. Its registers, its choices
 * and its generator are the PE's (lib/pe/pe_state.c).
 *
 * Layout, little-endian: magic, version, whether strict mode is on; the slots of samples in flight;
 * the buffer and the injections; the rest; and, of an object in strict mode, what it has beside.
 */
#include "spu/strict_state.h"

static const char magic[8] = {'s', 'p', 'e', 'm', 'u', 'S', 'P', 'U'};
#define VERSION 4 /* earlier ones had registers in them */
#define HEADER 16
#define SLOT 48 /* a sample in flight */
#define SLOTS (SPEMU_IN_FLIGHT_MAX * SLOT)
#define TAIL 32
#define SIZE (HEADER + SLOTS + STATE_BUFFER_SIZE + TAIL)

size_t spemu_spu_save_size(bool strict)
{
	return strict ? SIZE + STATE_STRICT_SIZE : SIZE;
}

static void put_slot(uint8_t *p, const struct collected *sample, uint8_t stage)
{
	memset(p, 0, SLOT);
	p[0] = (uint8_t)(sample->in_flight | sample->has_context1 << 1 | sample->has_context2 << 2 |
	                 sample->has_timestamp << 3 | sample->at_end << 4 |
	                 sample->has_previous_target << 5 | sample->streaming << 6 |
	                 sample->has_physical << 7);
	p[1] = stage;
	le_store32(p + 8, sample->context1);
	le_store32(p + 12, sample->context2);
	le_store64(p + 16, sample->pc);
	le_store64(p + 24, sample->timestamp);
	le_store64(p + 32, sample->serial);
	le_store64(p + 40, sample->previous_target);
}

static void get_slot(struct collected *sample, const uint8_t *p)
{
	*sample = (struct collected){
	        .in_flight = p[0] & 1,
	        .has_context1 = p[0] >> 1 & 1,
	        .has_context2 = p[0] >> 2 & 1,
	        .has_timestamp = p[0] >> 3 & 1,
	        .at_end = p[0] >> 4 & 1,
	        .has_previous_target = p[0] >> 5 & 1,
	        .streaming = p[0] >> 6 & 1,
	        .has_physical = p[0] >> 7 & 1,
	        .context1 = le_load32(p + 8),
	        .context2 = le_load32(p + 12),
	        .pc = le_load64(p + 16),
	        .timestamp = le_load64(p + 24),
	        .serial = le_load64(p + 32),
	        .previous_target = le_load64(p + 40),
	};
}

static void put_tail(uint8_t *p, const struct spemu_spu *s)
{
	memset(p, 0, TAIL);
	p[0] = s->next_random;
	p[1] = s->has_previous_target;
	le_store64(p + 8, s->next_serial);
	le_store64(p + 16, s->previous_target);
}

static void get_tail(struct spemu_spu *s, const uint8_t *p)
{
	s->next_random = p[0];
	s->has_previous_target = p[1];
	s->next_serial = le_load64(p + 8);
	s->previous_target = le_load64(p + 16);
}

int spemu_spu_save(const struct spemu_spu *spu, void *buffer, size_t size)
{
	uint8_t *p = buffer;

	if (!spu || !buffer)
		return SPEMU_ERR_INVALID;
	if (size < spemu_spu_save_size(spu->observer))
		return SPEMU_ERR_NOSPACE;
	if (spu->observer)
		spemu__state_put_strict(p + SIZE, strict_of_const(spu));
	memcpy(p, magic, sizeof(magic));
	le_store32(p + 8, VERSION);
	le_store32(p + 12, spu->observer != NULL);
	p += HEADER;
	for (unsigned i = 0; i < SPEMU_IN_FLIGHT_MAX; i++, p += SLOT)
		put_slot(p, &spu->sample[i], strict_of_const(spu)->slot_stage[i]);
	spemu__state_put_buffer(p, spu);
	put_tail(p + STATE_BUFFER_SIZE, spu);
	return SPEMU_OK;
}

/* SPEMU_OK if the image is whole and right: nothing of a bad one is taken over. */
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
		get_slot(&s->sample[i], p + HEADER + i * SLOT);
		s->sample[i].in_flight &= i < s->config.samples_in_flight;
		strict->slot_stage[i] = p[HEADER + i * SLOT + 1];
	}
	spemu__state_get_buffer(s, p + HEADER + SLOTS);
	get_tail(s, p + SIZE - TAIL);
	return SPEMU_OK;
}
