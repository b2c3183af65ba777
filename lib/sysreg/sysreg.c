/* SPDX-License-Identifier: MIT */
/*
 * Lookup, RES0 and reset of System registers.
 *
 * Arm ARM:     DDI 0487 M.a, D24
 */
#include <string.h>

#include "base/bits.h"
#include "sysreg/sysreg.h"

bool guard_holds(const struct guard *g, const struct spemu_features *features)
{
	if (g->mode == GUARD_ALWAYS)
		return true;
	for (unsigned i = 0; i < g->count; i++) {
		bool has = spemu_has(features, (enum spemu_feature)g->feature[i]);

		if (has != (g->mode == GUARD_ALL))
			return has;
	}
	return g->mode == GUARD_ALL;
}

const struct sysreg_desc *sysreg_by_encoding(uint32_t encoding)
{
	for (unsigned i = 0; i < sysreg_table_size; i++)
		if (sysreg_table[i].encoding == encoding)
			return &sysreg_table[i];
	return NULL;
}

const struct sysreg_desc *sysreg_desc_of(enum spemu_reg reg)
{
	for (unsigned i = 0; i < sysreg_table_size; i++)
		if (sysreg_table[i].reg == (int)reg && !sysreg_table[i].alias)
			return &sysreg_table[i];
	return NULL;
}

uint64_t sysreg_mask(const struct sysreg_desc *desc, const struct spemu_features *features)
{
	uint64_t mask = desc->partial ? ~UINT64_C(0) : 0;

	for (unsigned i = 0; i < desc->field_count; i++) {
		const struct sysreg_field *f = &desc->fields[i];
		uint64_t bits = BITMASK(f->hi, f->lo);

		if (guard_holds(&f->guard, features))
			mask |= bits;
		else
			mask &= ~bits;
	}
	return mask;
}

uint64_t sysreg_reset_value(const struct sysreg_desc *desc, const struct spemu_features *features,
                            uint64_t random)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < desc->field_count; i++) {
		const struct sysreg_field *f = &desc->fields[i];

		if (!guard_holds(&f->guard, features))
			continue;
		if (f->reset_known)
			value = bits_set(value, f->hi, f->lo, f->reset);
		else
			value |= random & BITMASK(f->hi, f->lo);
	}
	return value;
}

const char *spemu_reg_name(enum spemu_reg reg)
{
	const struct sysreg_desc *desc = sysreg_desc_of(reg);

	return desc ? desc->name : NULL;
}

int spemu_reg_by_name(const char *name)
{
	for (unsigned i = 0; name && i < sysreg_table_size; i++)
		if (strcmp(sysreg_table[i].name, name) == 0)
			return sysreg_table[i].reg;
	return -1;
}

int spemu_reg_encoding(const char *name)
{
	for (unsigned i = 0; name && i < sysreg_table_size; i++)
		if (strcmp(sysreg_table[i].name, name) == 0)
			return sysreg_table[i].encoding;
	return -1;
}

int spemu_reg_field(enum spemu_reg reg, unsigned index, const char **name, unsigned *hi,
                    unsigned *lo)
{
	const struct sysreg_desc *desc = sysreg_desc_of(reg);

	if (!desc || index >= desc->field_count)
		return SPEMU_ERR_INVALID;
	*name = desc->fields[index].name;
	*hi = desc->fields[index].hi;
	*lo = desc->fields[index].lo;
	return SPEMU_OK;
}
