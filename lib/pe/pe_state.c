/* SPDX-License-Identifier: MIT */
/*
 * Saving and loading a PE. The image has a version, and is the same on every host.
 *
 * Layout, little-endian: magic, version, the number of registers; each register as encoding and
 * value; the state and the generator; the number of choices; each choice as the identifier of its
 * name, the identifier of its option, and whether it is random. Registers are identified by
 * encoding and choices by name, so a later version with more of them can read the image.
 */
#include "base/image.h"
#include "pe/choice.h"

static const char magic[8] = {'s', 'p', 'e', 'm', 'u', ' ', 'P', 'E'};
#define VERSION 1
#define HEADER 16
#define REGISTER 10
#define TAIL 16
#define CHOICE 9
#define SIZE (HEADER + SPEMU_REG_COUNT * REGISTER + TAIL + 4 + SPEMU_CHOICE_COUNT * CHOICE)

size_t spemu_pe_save_size(void)
{
	return SIZE;
}

#define FLAG(name, bit) IMAGE_FLAG(struct spemu_pe, name, 1, bit)
static const struct image_field tail_fields[] = {
        IMAGE_FIELD(struct spemu_pe, state.el, 0),
        FLAG(state.aarch32, 0),
        FLAG(state.debug, 1),
        FLAG(state.edscr_sdd, 2),
        FLAG(state.pm, 3),
        FLAG(state.streaming, 4),
        FLAG(spe_freeze, 5),
        IMAGE_FIELD(struct spemu_pe, state.el_aarch32, 2),
        IMAGE_FIELD(struct spemu_pe, prng, 8),
};

int spemu_pe_save(const struct spemu_pe *pe, void *buffer, size_t size)
{
	uint8_t *p = buffer;

	if (!pe || !buffer)
		return SPEMU_ERR_INVALID;
	if (size < SIZE)
		return SPEMU_ERR_NOSPACE;
	memcpy(p, magic, sizeof(magic));
	le_store32(p + 8, VERSION);
	le_store32(p + 12, SPEMU_REG_COUNT);
	p += HEADER;
	for (unsigned i = 0; i < SPEMU_REG_COUNT; i++, p += REGISTER) {
		le_store16(p, spemu__sysreg_desc_of((enum spemu_reg)i)->encoding);
		le_store64(p + 2, pe->reg[i]);
	}
	memset(p, 0, TAIL);
	image_put(p, pe, IMAGE_FIELDS(tail_fields));
	p += TAIL;
	le_store32(p, SPEMU_CHOICE_COUNT);
	p += 4;
	for (unsigned i = 0; i < SPEMU_CHOICE_COUNT; i++, p += CHOICE) {
		le_store32(p, spemu__choice_table[i].id);
		le_store32(p + 4, spemu__choice_table[i].option[pe->choice[i]].id);
		p[8] = pe->random_choice[i];
	}
	return SPEMU_OK;
}

/* Read the saved choice at a place in the image. Return false if this version does not have the
 * choice or option. */
static bool read_choice(const uint8_t *p, uint64_t place, unsigned *choice, unsigned *option)
{
	uint32_t choice_id = le_load32(p), option_id = le_load32(p + 4);

	*choice = *option = 0;
	if (spemu__choice_table[place].id == choice_id) /* same index as when it was saved */
		*choice = (unsigned)place;
	while (*choice < SPEMU_CHOICE_COUNT && spemu__choice_table[*choice].id != choice_id)
		++*choice;
	if (*choice == SPEMU_CHOICE_COUNT)
		return false;
	while (*option < spemu__choice_table[*choice].public.option_count &&
	       spemu__choice_table[*choice].option[*option].id != option_id)
		++*option;
	return *option < spemu__choice_table[*choice].public.option_count &&
	       p[8] <= (spemu__choice_table[*choice].public.kind ==
	                SPEMU_CHOICE_KIND_UNPREDICTABLE);
}

/* Check that the image is complete and valid. If it is, set *registers to the number of registers
 * and *tail to the offset of the tail. */
static int check(const struct spemu_pe *pe, const uint8_t *p, size_t size, uint64_t *registers,
                 size_t *tail)
{
	uint64_t choices;
	unsigned choice, option;

	if (size < HEADER)
		return SPEMU_ERR_TRUNCATED;
	if (memcmp(p, magic, sizeof(magic)) != 0 || le_load32(p + 8) == 0)
		return SPEMU_ERR_CORRUPT;
	if (le_load32(p + 8) > VERSION)
		return SPEMU_ERR_NOT_SUPPORTED;
	*registers = le_load32(p + 12);
	if (*registers > SPEMU_REG_COUNT)
		return SPEMU_ERR_CORRUPT;
	*tail = HEADER + (size_t)*registers * REGISTER;
	if (size < *tail + TAIL + 4)
		return SPEMU_ERR_TRUNCATED;
	for (uint64_t i = 0; i < *registers; i++) {
		const struct sysreg_desc *d =
		        spemu__sysreg_by_encoding(le_load16(p + HEADER + i * REGISTER));

		if (!d || d->reg < 0)
			return SPEMU_ERR_CORRUPT;
	}
	p += *tail;
	if (!spemu__pe_has_el(pe, p[0]) || p[1] >= 64 || p[2] >= 16)
		return SPEMU_ERR_CORRUPT;
	choices = le_load32(p + TAIL);
	if (choices > SPEMU_CHOICE_COUNT)
		return SPEMU_ERR_CORRUPT;
	if (size < *tail + TAIL + 4 + choices * CHOICE)
		return SPEMU_ERR_TRUNCATED;
	for (uint64_t i = 0; i < choices; i++)
		if (!read_choice(p + TAIL + 4 + i * CHOICE, i, &choice, &option))
			return SPEMU_ERR_CORRUPT;
	return SPEMU_OK;
}

/* Load the choices. An option that the feature level does not have is dropped, like bits of
 * registers. */
static void get_choices(struct spemu_pe *pe, const uint8_t *p)
{
	uint64_t choices = le_load32(p);
	unsigned choice, option;

	spemu__pe_choices_init(pe);
	for (uint64_t i = 0; i < choices; i++) {
		const uint8_t *one = p + 4 + i * CHOICE;

		read_choice(one, i, &choice, &option);
		if (spemu_choice_permitted(&pe->features, (enum spemu_choice)choice, option))
			pe->choice[choice] = (uint8_t)option;
		pe->random_choice[choice] = one[8];
	}
	spemu__pe_choices_count_random(pe);
}

int spemu_pe_load(struct spemu_pe *pe, const void *buffer, size_t size)
{
	const uint8_t *p = buffer;
	uint64_t registers;
	size_t tail;
	int status;

	if (!pe || !buffer)
		return SPEMU_ERR_INVALID;
	status = check(pe, p, size, &registers, &tail);
	if (status)
		return status;
	pe->state = (struct spemu_pe_state){0};
	image_get(pe, p + tail, IMAGE_FIELDS(tail_fields));
	get_choices(pe, p + tail + TAIL);
	p += HEADER;
	for (uint64_t i = 0; i < registers; i++, p += REGISTER)
		pe->reg[spemu__sysreg_by_encoding(le_load16(p))->reg] = le_load64(p + 2);
	spemu__pe_masks(pe); /* applies the loaded options, and limits the registers */
	pe->generation++;
	memset(pe->unwritten, 0, sizeof(pe->unwritten)); /* the image does not have this
	                                                    information */
	pe->loaded = true;
	return SPEMU_OK;
}
