/* SPDX-License-Identifier: MIT */
/*
 * Saving a PMU and loading it: versioned, the same bytes on every host.
 *
 * Layout, little-endian: magic, version, how many registers of the PE there are; each as encoding and
 * value: those of the PMU, and all if the PE is the PMU's own; the banks; the rest; the PE's state; how
 * many choices there are, and each as its identifier and its option's.
 */
#include <string.h>

#include "pe/choice.h"
#include "pmu/pmu.h"

static const char magic[8] = {'s', 'p', 'e', 'm', 'u', 'P', 'M', 'U'};
#define VERSION 1
#define HEADER 16
#define REGISTER 10
#define BANK (SPEMU_PMU_COUNTERS * 8)
#define TAIL 96
#define CHOICE 8
#define SIZE \
	(HEADER + SPEMU_REG_COUNT * REGISTER + 4 * BANK + TAIL + 4 + SPEMU_CHOICE_COUNT * CHOICE)

size_t spemu_pmu_save_size(void)
{
	return SIZE;
}

/* Whether the image has the register: with an SPU that saves its own. */
static bool ours(const struct spemu_pmu *p, const struct sysreg_desc *d)
{
	return d && d->reg >= 0 && !d->alias && (!p->config.spu || d->unit == UNIT_PMU);
}

static uint8_t *put_bank(uint8_t *at, const uint64_t *bank)
{
	for (unsigned n = 0; n < SPEMU_PMU_COUNTERS; n++)
		le_store(at + 8 * n, bank[n], 8);
	return at + BANK;
}

static const uint8_t *get_bank(uint64_t *bank, const uint8_t *at)
{
	for (unsigned n = 0; n < SPEMU_PMU_COUNTERS; n++)
		bank[n] = le_load(at + 8 * n, 8);
	return at + BANK;
}

static void put_sample(uint8_t *at, const struct pc_sample *s)
{
	le_store(at, s->pmpcsr, 8);
	le_store(at + 8, s->contextidr_el1, 4);
	le_store(at + 12, s->contextidr_el2, 4);
	le_store(at + 16, s->vmid, 2);
}

static void get_sample(struct pc_sample *s, const uint8_t *at)
{
	*s = (struct pc_sample){le_load(at, 8), (uint32_t)le_load(at + 8, 4),
	                        (uint32_t)le_load(at + 12, 4), (uint16_t)le_load(at + 16, 2)};
}

static void put_tail(uint8_t *at, const struct spemu_pmu *p)
{
	const struct spemu_pe_state *pe = &p->pe->state;

	memset(at, 0, TAIL);
	at[0] = (uint8_t)(p->spe_freeze | p->powered << 1 | p->ongoing << 2 | p->by_software << 3 |
	                  p->active << 4 | p->branch_known << 5 | p->was_suspended << 6);
	at[1] = p->denied;
	at[2] = p->clock;
	at[3] = p->polls;
	at[4] = p->order;
	at[5] = p->pmpcsctl;
	at[6] = pe->el;
	at[7] = (uint8_t)(pe->aarch32 | pe->debug << 1 | pe->edscr_sdd << 2 | pe->pm << 3 |
	                  pe->streaming << 4);
	at[8] = pe->el_aarch32;
	le_store(at + 16, p->prng, 8);
	put_sample(at + 24, &p->recent);
	put_sample(at + 48, &p->sample);
}

int spemu_pmu_save(const struct spemu_pmu *p, void *buffer, size_t size)
{
	uint8_t *at = buffer, *count = at + 12;
	uint32_t registers = 0;

	if (!p || !buffer)
		return SPEMU_ERR_INVALID;
	if (size < SIZE)
		return SPEMU_ERR_NOSPACE;
	memset(buffer, 0, SIZE);
	memcpy(at, magic, sizeof(magic));
	le_store(at + 8, VERSION, 4);
	at += HEADER;
	for (unsigned i = 0; i < SPEMU_REG_COUNT; i++) {
		const struct sysreg_desc *d = spemu__sysreg_desc_of((enum spemu_reg)i);

		if (!ours(p, d))
			continue;
		le_store(at, d->encoding, 2);
		le_store(at + 2, p->pe->reg[i], 8);
		at += REGISTER;
		registers++;
	}
	le_store(count, registers, 4);
	at = put_bank(put_bank(put_bank(put_bank(at, p->counter), p->type), p->saved), p->visible);
	put_tail(at, p);
	at += TAIL;
	le_store(at, p->config.spu ? 0 : SPEMU_CHOICE_COUNT, 4);
	for (unsigned i = 0; !p->config.spu && i < SPEMU_CHOICE_COUNT; i++) {
		le_store(at + 4 + i * CHOICE, spemu__choice_table[i].id, 4);
		le_store(at + 8 + i * CHOICE, spemu__choice_table[i].option[p->pe->choice[i]].id,
		         4);
	}
	return SPEMU_OK;
}

/* The option that a saved choice means; false if this version knows no such choice or option. */
static bool read_choice(const uint8_t *at, unsigned *choice, unsigned *option)
{
	uint32_t choice_id = (uint32_t)le_load(at, 4), option_id = (uint32_t)le_load(at + 4, 4);

	*choice = *option = 0;
	while (*choice < SPEMU_CHOICE_COUNT && spemu__choice_table[*choice].id != choice_id)
		++*choice;
	if (*choice == SPEMU_CHOICE_COUNT)
		return false;
	while (*option < spemu__choice_table[*choice].option_count &&
	       spemu__choice_table[*choice].option[*option].id != option_id)
		++*option;
	return *option < spemu__choice_table[*choice].option_count;
}

static bool tail_is_valid(const struct spemu_pmu *p, const uint8_t *at)
{
	unsigned highest = pmu_has(p, SPEMU_EL3) ? 3 : pmu_has(p, SPEMU_EL2) ? 2 : 1;

	return at[0] < 128 && at[2] < 64 && at[4] <= ORDER_OBSERVED && at[6] <= highest &&
	       at[7] < 32 && at[8] < 16;
}

/* SPEMU_OK if the image is whole and right; *tail is where the tail stands. */
static int check(const struct spemu_pmu *p, const uint8_t *at, size_t size, size_t *tail)
{
	uint64_t registers, choices;
	unsigned choice, option;

	if (size < HEADER)
		return SPEMU_ERR_TRUNCATED;
	if (memcmp(at, magic, sizeof(magic)) != 0 || le_load(at + 8, 4) == 0)
		return SPEMU_ERR_CORRUPT;
	if (le_load(at + 8, 4) > VERSION)
		return SPEMU_ERR_NOT_SUPPORTED;
	registers = le_load(at + 12, 4);
	if (registers > SPEMU_REG_COUNT)
		return SPEMU_ERR_CORRUPT;
	*tail = HEADER + (size_t)registers * REGISTER + 4 * BANK;
	if (size < *tail + TAIL + 4)
		return SPEMU_ERR_TRUNCATED;
	for (uint64_t i = 0; i < registers; i++)
		if (!ours(p, spemu__sysreg_by_encoding(
		                     (uint32_t)le_load(at + HEADER + i * REGISTER, 2))))
			return SPEMU_ERR_CORRUPT;
	if (!tail_is_valid(p, at + *tail))
		return SPEMU_ERR_CORRUPT;
	choices = le_load(at + *tail + TAIL, 4);
	if (choices > SPEMU_CHOICE_COUNT || (p->config.spu && choices))
		return SPEMU_ERR_CORRUPT;
	if (size < *tail + TAIL + 4 + choices * CHOICE)
		return SPEMU_ERR_TRUNCATED;
	for (uint64_t i = 0; i < choices; i++)
		if (!read_choice(at + *tail + TAIL + 4 + i * CHOICE, &choice, &option))
			return SPEMU_ERR_CORRUPT;
	return SPEMU_OK;
}

static void get_tail(struct spemu_pmu *p, const uint8_t *at)
{
	p->spe_freeze = at[0] & 1;
	p->powered = at[0] >> 1 & 1;
	p->ongoing = at[0] >> 2 & 1;
	p->by_software = at[0] >> 3 & 1;
	p->active = at[0] >> 4 & 1;
	p->branch_known = at[0] >> 5 & 1;
	p->was_suspended = at[0] >> 6 & 1;
	p->denied = at[1];
	p->clock = at[2];
	p->polls = at[3];
	p->order = at[4];
	p->prng = le_load(at + 16, 8);
	get_sample(&p->recent, at + 24);
	get_sample(&p->sample, at + 48);
	if (!p->config.spu)
		p->pe->state = (struct spemu_pe_state){.el = at[6],
		                                       .aarch32 = at[7] & 1,
		                                       .debug = at[7] >> 1 & 1,
		                                       .edscr_sdd = at[7] >> 2 & 1,
		                                       .pm = at[7] >> 3 & 1,
		                                       .streaming = at[7] >> 4 & 1,
		                                       .el_aarch32 = at[8]};
}

static void get_choices(struct spemu_pmu *p, const uint8_t *at)
{
	uint64_t choices = le_load(at, 4);
	unsigned choice, option;

	for (uint64_t i = 0; i < choices; i++) {
		read_choice(at + 4 + i * CHOICE, &choice, &option);
		if (spemu_choice_permitted(&p->pe->features, (enum spemu_choice)choice, option))
			p->pe->choice[choice] = (uint8_t)option;
	}
}

/* What the configuration does not have is dropped; NUM_PMU_COUNTERS is the configuration's. */
static void fit(struct spemu_pmu *p)
{
	REG_FIELD_SET(p->pe, PMCR_EL0, N, p->config.event_counters);
	for (unsigned n = 0; n < SPEMU_PMU_COUNTERS; n++)
		p->type[n] &= bit_is_set(spemu__pmu_mask(p), n) ? spemu__pmu_type_mask(p, n) : 0;
	p->pe->reg[SPEMU_REG_PMCNTENSET_EL0] &= spemu__pmu_mask(p);
	p->pe->reg[SPEMU_REG_PMINTENSET_EL1] &= spemu__pmu_mask(p);
	p->pe->reg[SPEMU_REG_PMOVSSET_EL0] &= spemu__pmu_mask(p);
	REG_FIELD_SET(p->pe, PMSSCR_EL1, SS, p->ongoing);
}

int spemu_pmu_load(struct spemu_pmu *p, const void *buffer, size_t size)
{
	const uint8_t *at = buffer;
	uint64_t registers;
	size_t tail;
	int status;

	if (!p || !buffer)
		return SPEMU_ERR_INVALID;
	status = check(p, at, size, &tail);
	if (status)
		return status;
	registers = le_load(at + 12, 4);
	get_tail(p, at + tail);
	get_choices(p, at + tail + TAIL);
	at += HEADER;
	for (uint64_t i = 0; i < registers; i++, at += REGISTER) {
		int reg = spemu__sysreg_by_encoding((uint32_t)le_load(at, 2))->reg;

		p->pe->reg[reg] = le_load(at + 2, 8) & p->pe->mask[reg];
	}
	at = get_bank(p->visible, get_bank(p->saved, get_bank(p->type, get_bank(p->counter, at))));
	fit(p);
	spemu__pcsample_set_control(p, at[5]);
	p->was_suspended = at[0] >> 6 & 1;
	p->branch_known = at[0] >> 5 & 1;
	p->pe->generation++;
	spemu_pmu_update(p);
	return SPEMU_OK;
}
