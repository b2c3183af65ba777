/* SPDX-License-Identifier: MIT */
/*
 * Save and load a PMU. The image has a version, and is the same on every host. Registers whose
 * value is in the PE, and the choices, are in the image of the PE (lib/pe/pe_state.c).
 *
 * The layout is little-endian: a magic number, the version, the banks of counters, and the rest.
 */
#include "pmu/pmu_object.h"

static const char magic[8] = {'s', 'p', 'e', 'm', 'u', 'P', 'M', 'U'};
#define VERSION 2 /* earlier versions had registers in the image */
#define HEADER 16
#define BANK (SPEMU_PMU_COUNTERS * 8)
#define TAIL 64
#define SIZE (HEADER + 4 * BANK + TAIL)

size_t spemu_pmu_save_size(void)
{
	return SIZE;
}

static uint8_t *put_bank(uint8_t *at, const uint64_t *bank)
{
	for (unsigned n = 0; n < SPEMU_PMU_COUNTERS; n++)
		le_store64(at + 8 * n, bank[n]);
	return at + BANK;
}

static const uint8_t *get_bank(uint64_t *bank, const uint8_t *at)
{
	for (unsigned n = 0; n < SPEMU_PMU_COUNTERS; n++)
		bank[n] = le_load64(at + 8 * n);
	return at + BANK;
}

static void put_sample(uint8_t *at, const struct pc_sample *s)
{
	le_store64(at, s->pmpcsr);
	le_store32(at + 8, s->contextidr_el1);
	le_store32(at + 12, s->contextidr_el2);
	le_store16(at + 16, s->vmid);
}

static void get_sample(struct pc_sample *s, const uint8_t *at)
{
	*s = (struct pc_sample){le_load64(at), le_load32(at + 8), le_load32(at + 12),
	                        le_load16(at + 16)};
}

static void put_tail(uint8_t *at, const struct spemu_pmu *p)
{
	memset(at, 0, TAIL);
	at[0] = (uint8_t)(p->powered | p->ongoing << 1 | p->by_software << 2 |
	                  p->branch_known << 4 | p->was_suspended << 5);
	at[1] = p->denied;
	at[2] = p->clock;
	at[3] = p->polls;
	at[4] = p->order;
	at[5] = p->pmpcsctl;
	le_store64(at + 8, p->prng);
	put_sample(at + 16, &p->recent);
	put_sample(at + 40, &p->sample);
}

int spemu_pmu_save(const struct spemu_pmu *p, void *buffer, size_t size)
{
	uint8_t *at = buffer;

	if (!p || !buffer)
		return SPEMU_ERR_INVALID;
	if (size < SIZE)
		return SPEMU_ERR_NOSPACE;
	memset(buffer, 0, SIZE);
	memcpy(at, magic, sizeof(magic));
	le_store32(at + 8, VERSION);
	at = put_bank(put_bank(at + HEADER, p->counter), p->type);
	put_tail(put_bank(put_bank(at, p->saved), p->visible), p);
	return SPEMU_OK;
}

/* Return SPEMU_OK if the image is complete and valid. */
static int check(const uint8_t *at, size_t size)
{
	if (size < HEADER)
		return SPEMU_ERR_TRUNCATED;
	if (memcmp(at, magic, sizeof(magic)) != 0 || le_load32(at + 8) == 0)
		return SPEMU_ERR_CORRUPT;
	if (le_load32(at + 8) != VERSION)
		return SPEMU_ERR_NOT_SUPPORTED;
	if (size < SIZE)
		return SPEMU_ERR_TRUNCATED;
	at += SIZE - TAIL;
	return at[0] < 64 && at[2] < 64 && at[4] <= ORDER_OBSERVED ? SPEMU_OK : SPEMU_ERR_CORRUPT;
}

static void get_tail(struct spemu_pmu *p, const uint8_t *at)
{
	p->powered = at[0] & 1;
	p->ongoing = at[0] >> 1 & 1;
	p->by_software = at[0] >> 2 & 1;
	p->denied = at[1];
	p->clock = at[2];
	p->polls = at[3];
	p->order = at[4];
	p->prng = le_load64(at + 8);
	get_sample(&p->recent, at + 16);
	get_sample(&p->sample, at + 40);
}

/* Drop counters that the configuration does not have. NUM_PMU_COUNTERS is that of the
 * configuration. */
static void fit(struct spemu_pmu *p)
{
	REG_FIELD_SET(p->pe, PMCR_EL0, N, p->config.event_counters);
	for (unsigned n = 0; n < SPEMU_PMU_COUNTERS; n++)
		p->type[n] &= pmu_has_counter(p, n) ? spemu__pmu_type_mask(p, n) : 0;
	p->pe->reg[SPEMU_REG_PMCNTENSET_EL0] &= pmu_mask(p);
	p->pe->reg[SPEMU_REG_PMINTENSET_EL1] &= pmu_mask(p);
	p->pe->reg[SPEMU_REG_PMOVSSET_EL0] &= pmu_mask(p);
	REG_FIELD_SET(p->pe, PMSSCR_EL1, SS, p->ongoing);
}

int spemu_pmu_load(struct spemu_pmu *p, const void *buffer, size_t size)
{
	const uint8_t *at = buffer, *tail;
	int status;

	if (!p || !buffer)
		return SPEMU_ERR_INVALID;
	status = check(at, size);
	if (status)
		return status;
	tail = get_bank(p->counter, at + HEADER);
	tail = get_bank(p->visible, get_bank(p->saved, get_bank(p->type, tail)));
	get_tail(p, tail);
	fit(p);
	spemu__pcsample_set_control(p, tail[5]);
	p->was_suspended = tail[0] >> 5 & 1;
	p->branch_known = tail[0] >> 4 & 1;
	p->pe->generation++;
	spemu__pmu_update(p);
	return SPEMU_OK;
}
