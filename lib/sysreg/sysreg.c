/* SPDX-License-Identifier: MIT */
/*
 * Lookup, RES0 and reset of System registers.
 *
 * Arm ARM:     DDI 0487 M.a, D24
 */
#include <string.h>

#include "base/bits.h"
#include "sysreg/sysreg.h"

bool spemu__guard_holds(const struct guard *g, const struct spemu_features *features)
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

/* Find the last register whose encoding is not above this one. Return it if it has this encoding.
 * An array of registers has several encodings. */
const struct sysreg_desc *spemu__sysreg_by_encoding(uint32_t encoding)
{
	unsigned from = 0, to = spemu__sysreg_table_size;

	while (to - from > 1) {
		unsigned middle = (from + to) / 2;

		if (spemu__sysreg_table[spemu__sysreg_order[middle]].encoding <= encoding)
			from = middle;
		else
			to = middle;
	}
	if (encoding - spemu__sysreg_table[spemu__sysreg_order[from]].encoding <
	    spemu__sysreg_table[spemu__sysreg_order[from]].count)
		return &spemu__sysreg_table[spemu__sysreg_order[from]];
	return NULL;
}

const struct sysreg_desc *spemu__sysreg_desc_of(enum spemu_reg reg)
{
	return (unsigned)reg < SPEMU_REG_COUNT ? &spemu__sysreg_table[spemu__sysreg_of_reg[reg]]
	                                       : NULL;
}

uint64_t spemu__sysreg_mask(const struct sysreg_desc *desc, const struct spemu_features *features)
{
	uint64_t mask = desc->partial ? ~UINT64_C(0) : 0;

	if (!spemu__guard_holds(&desc->guard,
	                        features)) /* the register does not exist, so it has no effect */
		return 0;
	for (unsigned i = 0; i < desc->field_count; i++) {
		const struct sysreg_field *f = &desc->fields[i];
		uint64_t bits = BITMASK(f->hi, f->lo);

		if (spemu__guard_holds(&f->guard, features))
			mask |= bits;
		else
			mask &= ~bits;
	}
	for (unsigned i = 0; i < desc->res0_without_count; i++)
		if (!spemu__guard_holds(&desc->res0_without[i].guard, features))
			mask &= ~BITMASK(desc->res0_without[i].hi, desc->res0_without[i].lo);
	return mask;
}

static unsigned highest_el(const struct spemu_features *features)
{
	return spemu_has(features, SPEMU_EL3) ? 3 : spemu_has(features, SPEMU_EL2) ? 2 : 1;
}

uint64_t spemu__sysreg_reset_value(const struct sysreg_desc *desc,
                                   const struct spemu_features *features, uint64_t random)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < desc->field_count; i++) {
		const struct sysreg_field *f = &desc->fields[i];

		if (!spemu__guard_holds(&f->guard, features))
			continue;
		if (f->reset_known || f->reset_highest == highest_el(features))
			value = bits_set(value, f->hi, f->lo, f->reset);
		else
			value |= random & BITMASK(f->hi, f->lo);
	}
	return value;
}

const char *spemu_reg_name(enum spemu_reg reg)
{
	const struct sysreg_desc *desc = spemu__sysreg_desc_of(reg);

	return desc ? desc->name : NULL;
}

int spemu_reg_by_name(const char *name)
{
	for (unsigned i = 0; name && i < spemu__sysreg_table_size; i++)
		if (strcmp(spemu__sysreg_table[i].name, name) == 0)
			return spemu__sysreg_table[i].reg;
	return -1;
}

/* Return true if name is a register of the array d, such as "PMEVCNTR7_EL0" of
 * "PMEVCNTR<n>_EL0". *index is then n. */
static bool array_index(const struct sysreg_desc *d, const char *name, unsigned *index)
{
	const char *hole = strstr(d->name, "<n>");
	size_t head = hole ? (size_t)(hole - d->name) : 0;
	unsigned n = 0, digits = 0;

	if (!hole || strncmp(name, d->name, head) != 0)
		return false;
	for (name += head; *name >= '0' && *name <= '9' && digits < 2; name++, digits++)
		n = n * 10 + (unsigned)(*name - '0');
	if (!digits || (digits == 2 && name[-2] == '0') || n >= d->count ||
	    strcmp(name, hole + 3) != 0)
		return false;
	*index = n;
	return true;
}

int spemu_reg_encoding(const char *name)
{
	for (unsigned i = 0; name && i < spemu__sysreg_table_size; i++) {
		const struct sysreg_desc *d = &spemu__sysreg_table[i];
		unsigned n = 0;

		if (array_index(d, name, &n) || strcmp(d->name, name) == 0)
			return d->encoding + (int)n;
	}
	return -1;
}

/* A bit in the mask and value of ACCESS_NV, which are bits of the Effective HCR_EL2.{NV2, NV1,
 * NV}. */
enum { NV1 = 2 };

int spemu_reg_nvmem(uint16_t *offset, int *nv1, const struct spemu_features *features,
                    uint32_t encoding)
{
	const struct sysreg_desc *d = spemu__sysreg_by_encoding(encoding);
	const struct access_clause *c = d ? d->access[1] : NULL;

	*offset = 0;
	*nv1 = -1;
	if (!c || !spemu__guard_holds(&d->guard, features))
		return SPEMU_ERR_INVALID;
	while (!c->offset) {
		if (c->last)
			return SPEMU_ERR_INVALID;
		c++;
	}
	*offset = c->offset;
	*nv1 = c->mask & NV1 ? (c->value & NV1) != 0 : -1;
	return SPEMU_OK;
}

int spemu_reg_field(enum spemu_reg reg, unsigned index, const char **name, unsigned *hi,
                    unsigned *lo)
{
	const struct sysreg_desc *desc = spemu__sysreg_desc_of(reg);

	*name = NULL;
	*hi = *lo = 0;
	if (!desc || index >= desc->field_count)
		return SPEMU_ERR_INVALID;
	*name = desc->fields[index].name;
	*hi = desc->fields[index].hi;
	*lo = desc->fields[index].lo;
	return SPEMU_OK;
}

static unsigned char upper(char c)
{
	return (unsigned char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
}

static bool same_name(const char *a, const char *b, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (upper(a[i]) != upper(b[i]))
			return false;
	return true;
}

const struct sysreg_name *spemu__sysreg_find(const char *name, size_t length)
{
	uint32_t hash = 0x811c9dc5;
	const struct sysreg_name *slot;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ upper(name[i])) * 0x01000193;
	for (unsigned i = hash;; i++) {
		slot = &spemu__sysreg_names[i % SYSREG_NAME_SLOTS];
		if (!slot->name)
			return NULL;
		if (slot->length == length && same_name(slot->name, name, length))
			return slot;
	}
}

int spemu_reg_find(unsigned *index, int *field, const char *name, size_t length)
{
	const struct sysreg_name *found = spemu__sysreg_find(name, length);

	*index = ~0u;
	*field = -1;
	if (!found)
		return SPEMU_ERR_INVALID;
	*index = found->index;
	*field = found->field;
	return SPEMU_OK;
}

/* Return the descriptor with the fields of a register. An alias has the fields of the register that
 * it names. */
static const struct sysreg_desc *desc_at(unsigned index)
{
	if (index >= spemu__sysreg_table_size)
		return NULL;
	if (spemu__sysreg_table[index].reg < 0)
		return &spemu__sysreg_table[index];
	return spemu__sysreg_desc_of((enum spemu_reg)spemu__sysreg_table[index].reg);
}

int spemu_reg_describe(struct spemu_reg_description *out, unsigned index)
{
	const struct sysreg_desc *d = desc_at(index), *name;

	*out = (struct spemu_reg_description){0};
	if (!d)
		return SPEMU_ERR_INVALID;
	name = &spemu__sysreg_table[index];
	*out = (struct spemu_reg_description){.name = name->name,
	                                      .doc = name->doc,
	                                      .guard = name->guard_text,
	                                      .encoding = name->encoding,
	                                      .reg = name->reg < 0 ? SPEMU_REG_COUNT
	                                                           : (enum spemu_reg)name->reg,
	                                      .count = name->count,
	                                      .alias = name->alias,
	                                      .readonly = name->readonly,
	                                      .writeonly = name->writeonly,
	                                      .partial = d->partial,
	                                      .host_owned = d->host_owned,
	                                      .field_count = d->field_count};
	return SPEMU_OK;
}

int spemu_field_describe(struct spemu_field_description *out, unsigned index, unsigned field)
{
	const struct sysreg_desc *d = desc_at(index);
	const struct sysreg_field *f;

	*out = (struct spemu_field_description){0};
	if (!d || field >= d->field_count)
		return SPEMU_ERR_INVALID;
	f = &d->fields[field];
	*out = (struct spemu_field_description){f->name,        f->guard_text, f->hi,        f->lo,
	                                        f->reset_known, f->reset,      f->enum_count};
	return SPEMU_OK;
}

int spemu_enum_describe(struct spemu_enum_description *out, unsigned index, unsigned field,
                        unsigned position)
{
	const struct sysreg_desc *d = desc_at(index);

	*out = (struct spemu_enum_description){0};
	if (!d || field >= d->field_count || position >= d->fields[field].enum_count)
		return SPEMU_ERR_INVALID;
	out->value = d->fields[field].enums[position].value;
	out->name = d->fields[field].enums[position].name;
	return SPEMU_OK;
}
