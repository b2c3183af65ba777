/* SPDX-License-Identifier: MIT */
/*
 * Saving an SPU and loading it: versioned, the same bytes on every host.
 *
 * Layout, little-endian: magic, version, number of registers; each register as encoding and value;
 * the slots of samples in flight; the PE's state and the generator. Registers go by encoding, so that a later
 * version with more of them can read what an earlier one wrote.
 */
#include <string.h>

#include "spu/spu.h"

static const char magic[8] = {'s', 'p', 'e', 'm', 'u', 'S', 'P', 'U'};
#define VERSION 2
#define HEADER 16
#define REGISTER 10
#define SLOT 48 /* a sample in flight */
#define SLOTS (SPEMU_IN_FLIGHT_MAX * SLOT)
#define TAIL 64
#define SIZE (HEADER + SPEMU_REG_COUNT * REGISTER + SLOTS + TAIL)

size_t spemu_save_size(void)
{
	return SIZE;
}

static void put_slot(uint8_t *p, const struct collected *sample)
{
	memset(p, 0, SLOT);
	p[0] = (uint8_t)(sample->in_flight | sample->has_context1 << 1 | sample->has_context2 << 2 |
	                 sample->has_timestamp << 3);
	le_store(p + 8, sample->context1, 4);
	le_store(p + 12, sample->context2, 4);
	le_store(p + 16, sample->pc, 8);
	le_store(p + 24, sample->timestamp, 8);
	le_store(p + 32, sample->serial, 8);
}

static void get_slot(struct collected *sample, const uint8_t *p)
{
	*sample = (struct collected){
	        .in_flight = p[0] & 1,
	        .has_context1 = p[0] >> 1 & 1,
	        .has_context2 = p[0] >> 2 & 1,
	        .has_timestamp = p[0] >> 3 & 1,
	        .context1 = (uint32_t)le_load(p + 8, 4),
	        .context2 = (uint32_t)le_load(p + 12, 4),
	        .pc = le_load(p + 16, 8),
	        .timestamp = le_load(p + 24, 8),
	        .serial = le_load(p + 32, 8),
	};
}

static void put_tail(uint8_t *p, const struct spemu *s)
{
	const struct spemu_pe_state *pe = &s->pe.state;

	memset(p, 0, TAIL);
	p[0] = pe->el;
	p[1] = (uint8_t)(pe->aarch32 | pe->debug << 1 | pe->edscr_sdd << 2 | pe->pm << 3 |
	                 pe->streaming << 4);
	p[2] = pe->el_aarch32;
	p[3] = s->next_random;
	le_store(p + 8, s->prng, 8);
	le_store(p + 16, s->next_serial, 8);
}

int spemu_save(const struct spemu *spu, void *buffer, size_t size)
{
	uint8_t *p = buffer;

	if (!spu || !buffer)
		return SPEMU_ERR_INVALID;
	if (size < SIZE)
		return SPEMU_ERR_NOSPACE;
	memcpy(p, magic, sizeof(magic));
	le_store(p + 8, VERSION, 4);
	le_store(p + 12, SPEMU_REG_COUNT, 4);
	p += HEADER;
	for (unsigned i = 0; i < SPEMU_REG_COUNT; i++, p += REGISTER) {
		le_store(p, sysreg_desc_of((enum spemu_reg)i)->encoding, 2);
		le_store(p + 2, spu->pe.reg[i], 8);
	}
	for (unsigned i = 0; i < SPEMU_IN_FLIGHT_MAX; i++, p += SLOT)
		put_slot(p, &spu->sample[i]);
	put_tail(p, spu);
	return SPEMU_OK;
}

/* 0xff where a value is out of range: nothing of a bad image is taken over. */
static bool tail_is_valid(const uint8_t *p, const struct spemu *s)
{
	unsigned highest = spu_has(s, SPEMU_EL3) ? 3 : spu_has(s, SPEMU_EL2) ? 2 : 1;

	return p[0] <= highest && p[1] < 32 && p[2] < 16;
}

static void get_tail(struct spemu *s, const uint8_t *p)
{
	s->pe.state = (struct spemu_pe_state){
	        .el = p[0],
	        .aarch32 = p[1] & 1,
	        .debug = p[1] >> 1 & 1,
	        .edscr_sdd = p[1] >> 2 & 1,
	        .pm = p[1] >> 3 & 1,
	        .streaming = p[1] >> 4 & 1,
	        .el_aarch32 = p[2],
	};
	s->next_random = p[3];
	s->prng = le_load(p + 8, 8);
	s->next_serial = le_load(p + 16, 8);
}

int spemu_load(struct spemu *spu, const void *buffer, size_t size)
{
	const uint8_t *p = buffer;
	uint64_t count;

	if (!spu || !buffer)
		return SPEMU_ERR_INVALID;
	if (size < HEADER)
		return SPEMU_ERR_TRUNCATED;
	if (memcmp(p, magic, sizeof(magic)) != 0)
		return SPEMU_ERR_CORRUPT;
	if (le_load(p + 8, 4) != VERSION)
		return SPEMU_ERR_NOT_SUPPORTED;
	count = le_load(p + 12, 4);
	if (count > SPEMU_REG_COUNT)
		return SPEMU_ERR_CORRUPT;
	if (size < HEADER + count * REGISTER + SLOTS + TAIL)
		return SPEMU_ERR_TRUNCATED;
	for (uint64_t i = 0; i < count; i++)
		if (!sysreg_by_encoding((uint32_t)le_load(p + HEADER + i * REGISTER, 2)))
			return SPEMU_ERR_CORRUPT;
	if (!tail_is_valid(p + HEADER + count * REGISTER + SLOTS, spu))
		return SPEMU_ERR_CORRUPT;
	p += HEADER;
	for (uint64_t i = 0; i < count; i++, p += REGISTER) {
		int reg = sysreg_by_encoding((uint32_t)le_load(p, 2))->reg;

		spu->pe.reg[reg] = le_load(p + 2, 8) & spu->pe.mask[reg];
	}
	for (unsigned i = 0; i < SPEMU_IN_FLIGHT_MAX; i++, p += SLOT) {
		get_slot(&spu->sample[i], p);
		spu->sample[i].in_flight &= i < spu->config.samples_in_flight;
	}
	get_tail(spu, p);
	spu->pe.generation++;
	spu_update(spu);
	return SPEMU_OK;
}
