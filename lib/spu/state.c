/* SPDX-License-Identifier: MIT */
/*
 * Saving an SPU and loading it: versioned, the same bytes on every host.
 *
 * Layout, little-endian: magic, version, number of registers; each register as encoding and value;
 * the slots of samples in flight; the buffer and the injections; the PE's state and the generator;
 * the number of choices, and each
 * as its identifier, its option's and whether it is random. Registers go by encoding and choices by
 * name, so that a later version with more of them can read what an earlier one wrote. Version 1 had
 * one sample in flight, in the tail, and no choices. Version 3 is that of an object in strict mode: what
 * it has beside stands at the end.
 */
#include <string.h>

#include "pe/choice.h"
#include "spu/spu.h"

static const char magic[8] = {'s', 'p', 'e', 'm', 'u', 'S', 'P', 'U'};
#define VERSION 2
#define VERSION_STRICT 3
#define HEADER 16
#define REGISTER 10
#define SLOT 48 /* a sample in flight */
#define SLOTS (SPEMU_IN_FLIGHT_MAX * SLOT)
#define TAIL 64
#define CHOICE 9
#define SIZE                                                                          \
	(HEADER + SPEMU_REG_COUNT * REGISTER + SLOTS + STATE_BUFFER_SIZE + TAIL + 4 + \
	 SPEMU_CHOICE_COUNT * CHOICE)

size_t spemu_save_size(void)
{
	return SIZE;
}

size_t spemu_strict_save_size(void)
{
	return SIZE + STATE_STRICT_SIZE;
}

static void put_slot(uint8_t *p, const struct collected *sample)
{
	memset(p, 0, SLOT);
	p[0] = (uint8_t)(sample->in_flight | sample->has_context1 << 1 | sample->has_context2 << 2 |
	                 sample->has_timestamp << 3 | sample->at_end << 4 |
	                 sample->has_previous_target << 5 | sample->streaming << 6 |
	                 sample->has_physical << 7);
	le_store(p + 8, sample->context1, 4);
	le_store(p + 12, sample->context2, 4);
	le_store(p + 16, sample->pc, 8);
	le_store(p + 24, sample->timestamp, 8);
	le_store(p + 32, sample->serial, 8);
	le_store(p + 40, sample->previous_target, 8);
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
	        .context1 = (uint32_t)le_load(p + 8, 4),
	        .context2 = (uint32_t)le_load(p + 12, 4),
	        .pc = le_load(p + 16, 8),
	        .timestamp = le_load(p + 24, 8),
	        .serial = le_load(p + 32, 8),
	        .previous_target = le_load(p + 40, 8),
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
	p[4] = s->has_previous_target;
	le_store(p + 24, s->previous_target, 8);
}

static void put_choices(uint8_t *p, const struct spemu *s)
{
	le_store(p, SPEMU_CHOICE_COUNT, 4);
	p += 4;
	for (unsigned i = 0; i < SPEMU_CHOICE_COUNT; i++, p += CHOICE) {
		le_store(p, spemu__choice_table[i].id, 4);
		le_store(p + 4, spemu__choice_table[i].option[s->pe.choice[i]].id, 4);
		p[8] = s->pe.random_choice[i];
	}
}

int spemu_save(const struct spemu *spu, void *buffer, size_t size)
{
	uint8_t *p = buffer;

	if (!spu || !buffer)
		return SPEMU_ERR_INVALID;
	if (size < (spu->strict_on ? SIZE + STATE_STRICT_SIZE : SIZE))
		return SPEMU_ERR_NOSPACE;
	if (spu->strict_on)
		spemu__state_put_strict(p + SIZE, spu);
	memcpy(p, magic, sizeof(magic));
	le_store(p + 8, spu->strict_on ? VERSION_STRICT : VERSION, 4);
	le_store(p + 12, SPEMU_REG_COUNT, 4);
	p += HEADER;
	for (unsigned i = 0; i < SPEMU_REG_COUNT; i++, p += REGISTER) {
		le_store(p, spemu__sysreg_desc_of((enum spemu_reg)i)->encoding, 2);
		le_store(p + 2, spu->pe.reg[i], 8);
	}
	for (unsigned i = 0; i < SPEMU_IN_FLIGHT_MAX; i++, p += SLOT)
		put_slot(p, &spu->sample[i]);
	spemu__state_put_buffer(p, spu);
	p += STATE_BUFFER_SIZE;
	put_tail(p, spu);
	put_choices(p + TAIL, spu);
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
	s->has_previous_target = p[4] & 1;
	s->previous_target = le_load(p + 24, 8);
}

/* The one sample in flight stood in the tail, and there was no count of samples. */
static void get_sample_of_version_1(struct spemu *s, const uint8_t *p)
{
	s->sample[0] = (struct collected){
	        .in_flight = p[4] & 1,
	        .has_context1 = p[4] >> 1 & 1,
	        .has_context2 = p[4] >> 2 & 1,
	        .has_timestamp = p[4] >> 3 & 1,
	        .context1 = (uint32_t)le_load(p + 16, 4),
	        .context2 = (uint32_t)le_load(p + 20, 4),
	        .pc = le_load(p + 24, 8),
	        .timestamp = le_load(p + 32, 8),
	};
	s->next_serial = 1;
	s->has_previous_target = false;
	s->previous_target = 0;
}

/* What a saved choice says; false if this version knows no such choice or option. */
static bool read_choice(const uint8_t *p, unsigned *choice, unsigned *option)
{
	uint32_t choice_id = (uint32_t)le_load(p, 4), option_id = (uint32_t)le_load(p + 4, 4);

	*choice = *option = 0;
	while (*choice < SPEMU_CHOICE_COUNT && spemu__choice_table[*choice].id != choice_id)
		++*choice;
	if (*choice == SPEMU_CHOICE_COUNT)
		return false;
	while (*option < spemu__choice_table[*choice].option_count &&
	       spemu__choice_table[*choice].option[*option].id != option_id)
		++*option;
	return *option < spemu__choice_table[*choice].option_count &&
	       p[8] <= (spemu__choice_table[*choice].kind == SPEMU_CHOICE_KIND_UNPREDICTABLE);
}

/* p is behind the tail, and size bytes are there. */
static int check_choices(const uint8_t *p, size_t size)
{
	uint64_t count;
	unsigned choice, option;

	if (size < 4)
		return SPEMU_ERR_TRUNCATED;
	count = le_load(p, 4);
	if (count > SPEMU_CHOICE_COUNT)
		return SPEMU_ERR_CORRUPT;
	if (size < 4 + count * CHOICE)
		return SPEMU_ERR_TRUNCATED;
	for (uint64_t i = 0; i < count; i++)
		if (!read_choice(p + 4 + i * CHOICE, &choice, &option))
			return SPEMU_ERR_CORRUPT;
	return SPEMU_OK;
}

/* An option that the feature level lacks is dropped, as bits of registers are. */
static void get_choices(struct spemu *s, const uint8_t *p)
{
	uint64_t count = le_load(p, 4);
	unsigned choice, option;

	for (uint64_t i = 0; i < count; i++) {
		const uint8_t *one = p + 4 + i * CHOICE;

		read_choice(one, &choice, &option);
		if (spemu_choice_permitted(&s->pe.features, (enum spemu_choice)choice, option))
			s->pe.choice[choice] = (uint8_t)option;
		s->pe.random_choice[choice] = one[8];
	}
	spemu__choose_count_random(s);
}

int spemu_load(struct spemu *spu, const void *buffer, size_t size)
{
	static const uint8_t no_slot[SLOT];
	const uint8_t *p = buffer, *strict = NULL;
	uint64_t count, version;
	size_t slots, choices;
	int status;

	if (!spu || !buffer)
		return SPEMU_ERR_INVALID;
	if (size < HEADER)
		return SPEMU_ERR_TRUNCATED;
	if (memcmp(p, magic, sizeof(magic)) != 0)
		return SPEMU_ERR_CORRUPT;
	version = le_load(p + 8, 4);
	if (version == 0)
		return SPEMU_ERR_CORRUPT;
	if (version > VERSION_STRICT)
		return SPEMU_ERR_NOT_SUPPORTED;
	count = le_load(p + 12, 4);
	if (count > SPEMU_REG_COUNT)
		return SPEMU_ERR_CORRUPT;
	slots = version < 2 ? 0 : SLOTS + STATE_BUFFER_SIZE;
	choices = HEADER + count * REGISTER + slots + TAIL;
	if (size < choices)
		return SPEMU_ERR_TRUNCATED;
	for (uint64_t i = 0; i < count; i++)
		if (!spemu__sysreg_by_encoding((uint32_t)le_load(p + HEADER + i * REGISTER, 2)))
			return SPEMU_ERR_CORRUPT;
	if (!tail_is_valid(p + choices - TAIL, spu) ||
	    (slots && !spemu__state_buffer_is_valid(p + choices - TAIL - STATE_BUFFER_SIZE)))
		return SPEMU_ERR_CORRUPT;
	status = version < 2 ? SPEMU_OK : check_choices(p + choices, size - choices);
	if (status)
		return status;
	if (version == VERSION_STRICT) {
		size_t at = choices + 4 + (size_t)le_load(p + choices, 4) * CHOICE;

		if (size < at + STATE_STRICT_SIZE)
			return SPEMU_ERR_TRUNCATED;
		strict = p + at;
		if (!spemu__state_strict_is_valid(strict))
			return SPEMU_ERR_CORRUPT;
	}
	p += HEADER;
	for (uint64_t i = 0; i < count; i++, p += REGISTER) {
		int reg = spemu__sysreg_by_encoding((uint32_t)le_load(p, 2))->reg;

		spu->pe.reg[reg] = le_load(p + 2, 8) & spu->pe.mask[reg];
	}
	for (unsigned i = 0; i < SPEMU_IN_FLIGHT_MAX; i++) {
		get_slot(&spu->sample[i], slots ? p + i * SLOT : no_slot);
		spu->sample[i].in_flight &= i < spu->config.samples_in_flight;
	}
	spemu__state_get_buffer(spu, slots ? p + SLOTS : NULL);
	get_tail(spu, p + slots);
	spemu__pe_choices_init(&spu->pe); /* what a run of version 1 had */
	if (version < 2)
		get_sample_of_version_1(spu, p);
	else
		get_choices(spu, p + slots + TAIL);
	spemu__identify_masks(spu);
	spemu__state_get_strict(spu, strict);
	spu->pe.generation++;
	spemu__spu_update(spu);
	return SPEMU_OK;
}
