/* SPDX-License-Identifier: MIT */
/*
 * A PE that is described by NAME=VALUE assignments, and access to its fields by name.
 *
 * Arm ARM:     DDI 0487 M.a, D24 (registers and fields), D1 (PSTATE), H9 (EDSCR)
 */
#include <string.h>

#include "explain/explain.h"
#include "pe/choice.h"

/* The names besides those of registers. They stand for parts of struct spemu_pe_state. */
enum pe_name { PSTATE_EL, PSTATE_NRW, PSTATE_PM, PSTATE_SM, PE_STATE, EDSCR_SDD, EL1_NRW, EL2_NRW };
#define IN(member) offsetof(struct spemu_pe_state, member)
static const struct {
	const char *name;
	uint8_t width, at, lo;
} pe_names[] = {
        [PSTATE_EL] = {"PSTATE.EL", 2, IN(el), 0},
        [PSTATE_NRW] = {"PSTATE.nRW", 1, IN(aarch32), 0},
        [PSTATE_PM] = {"PSTATE.PM", 1, IN(pm), 0},
        [PSTATE_SM] = {"PSTATE.SM", 1, IN(streaming), 0},
        [PE_STATE] = {"PE.state", 1, IN(debug), 0},
        [EDSCR_SDD] = {"EDSCR.SDD", 1, IN(edscr_sdd), 0},
        [EL1_NRW] = {"EL1.nRW", 1, IN(el_aarch32), 1},
        [EL2_NRW] = {"EL2.nRW", 1, IN(el_aarch32), 2},
};
enum { PE_NAMES = sizeof(pe_names) / sizeof(*pe_names) };
_Static_assert(sizeof(bool) == 1, "each member is a byte");
static const char *const debug_labels[2] = {"non-debug", "debug"};

const char *spemu_machine_name(unsigned n)
{
	return n < PE_NAMES ? pe_names[n].name : n == PE_NAMES ? "features" : NULL;
}

static char lower(char c)
{
	return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static bool same(const char *text, size_t length, const char *word)
{
	size_t i = 0;

	while (i < length && word[i] && lower(text[i]) == lower(word[i]))
		i++;
	return i == length && !word[i];
}

static int pe_name_find(const char *name, size_t length)
{
	for (int i = 0; i < PE_NAMES; i++)
		if (same(name, length, pe_names[i].name))
			return i;
	return -1;
}

static unsigned pe_value(const struct spemu_pe_state *pe, enum pe_name name)
{
	uint8_t byte = ((const uint8_t *)pe)[pe_names[name].at];

	return byte >> pe_names[name].lo & ((1u << pe_names[name].width) - 1);
}

static void pe_set_value(struct spemu_pe_state *pe, enum pe_name name, unsigned value)
{
	uint8_t *byte = (uint8_t *)pe + pe_names[name].at;
	unsigned lo = pe_names[name].lo;

	*byte = (uint8_t)bits_set(*byte, lo + pe_names[name].width - 1, lo, value);
}

/* Return the Exception levels that use AArch32. All levels below one that uses AArch32 use it
 * too. */
static uint8_t levels_in_aarch32(const struct spemu_pe_state *pe)
{
	unsigned bits = pe->el_aarch32;

	if (pe->aarch32)
		bits |= 1u << pe->el;
	for (unsigned el = 3; el > 0; el--)
		if (bits >> el & 1)
			bits |= 1u << (el - 1);
	return (uint8_t)bits;
}

/* Copy the options to the PE. An option that its features do not have is replaced by the
 * default. */
static void fit_choices(struct spemu_machine *m)
{
	spemu__pe_choices_init(&m->pe);
	for (unsigned i = 0; i < SPEMU_CHOICE_COUNT; i++)
		if (m->choice[i] && spemu_choice_permitted(&m->pe.features, (enum spemu_choice)i,
		                                           m->choice[i] - 1u))
			m->pe.choice[i] = (uint8_t)(m->choice[i] - 1);
}

static void fit_state(struct spemu_machine *m)
{
	m->pe.state = m->state;
	m->pe.state.el_aarch32 = levels_in_aarch32(&m->state);
}

/* Adapt registers and choices to changed features. */
static void fit(struct spemu_machine *m)
{
	spemu__pe_masks(&m->pe);
	for (unsigned i = 0; i < SPEMU_REG_COUNT; i++)
		m->pe.reg[i] = m->written[i] & m->pe.mask[i];
	fit_choices(m);
}

size_t spemu_machine_size(void)
{
	return sizeof(struct spemu_machine);
}

int spemu_machine_init(struct spemu_machine **m, void *memory, size_t size)
{
	struct spemu_machine *made = memory;

	if (m)
		*m = NULL;
	if (!m || !memory)
		return SPEMU_ERR_INVALID;
	if (size < sizeof(*made))
		return SPEMU_ERR_NOSPACE;
	memset(made, 0, sizeof(*made));
	spemu_features_parse(&made->pe.features, NULL, "v9.6");
	fit(made);
	*m = made;
	return SPEMU_OK;
}

void spemu_machine_copy(struct spemu_machine *m, const struct spemu_machine *from)
{
	*m = *from;
}

void spemu_machine_copy_features(struct spemu_machine *m, const struct spemu_machine *from)
{
	m->pe.features = from->pe.features;
	fit(m);
}

const struct spemu_pe *spemu_machine_pe(const struct spemu_machine *m)
{
	return &m->pe;
}

void spemu_machine_set_state(struct spemu_machine *m, const struct spemu_pe_state *state)
{
	m->state = *state;
	fit_state(m);
}

void spemu_machine_get_state(const struct spemu_machine *m, struct spemu_pe_state *state)
{
	*state = m->state;
}

int spemu_machine_set_reg(struct spemu_machine *m, enum spemu_reg reg, uint64_t value)
{
	if ((unsigned)reg >= SPEMU_REG_COUNT)
		return SPEMU_ERR_INVALID;
	m->written[reg] = value;
	m->pe.reg[reg] = value & m->pe.mask[reg];
	return SPEMU_OK;
}

int spemu_machine_choose(struct spemu_machine *m, enum spemu_choice choice, unsigned option)
{
	if (!spemu__choice_has_option(choice, option))
		return SPEMU_ERR_INVALID;
	m->choice[choice] = (uint8_t)(option + 1);
	fit_choices(m);
	return SPEMU_OK;
}

int spemu_machine_chosen(const struct spemu_machine *m, enum spemu_choice choice)
{
	return (unsigned)choice < SPEMU_CHOICE_COUNT && m->choice[choice] ? m->choice[choice] - 1
	                                                                  : SPEMU_ERR_INVALID;
}

static bool parse_number(const char *text, size_t length, uint64_t *value)
{
	unsigned base = 10;
	size_t i = 0;

	if (length > 2 && text[0] == '0' && (lower(text[1]) == 'x' || lower(text[1]) == 'b')) {
		base = lower(text[1]) == 'x' ? 16 : 2;
		i = 2;
	}
	*value = 0;
	for (; i < length; i++) {
		char c = lower(text[i]);
		unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
		                 : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
		                                        : 16;

		if (digit >= base || *value > (UINT64_MAX - digit) / base)
			return false;
		*value = *value * base + digit;
	}
	return length > 0;
}

static int refuse(struct spemu_refusal_detail *detail, enum spemu_refusal kind, size_t offset,
                  size_t length)
{
	detail->kind = (uint8_t)kind;
	detail->offset = offset;
	detail->length = length;
	return SPEMU_ERR_INVALID;
}

static int set_features(struct spemu_machine *m, struct spemu_refusal_detail *detail,
                        const char *text, size_t offset, size_t length)
{
	struct spemu_features set;
	char copy[512];
	size_t error;

	if (length - offset >= sizeof(copy) || memchr(text + offset, 0, length - offset))
		return refuse(detail, SPEMU_REFUSED_FEATURE, offset, length - offset);
	memcpy(copy, text + offset, length - offset);
	copy[length - offset] = 0;
	if (spemu_features_parse(&set, &error, copy))
		return refuse(detail, SPEMU_REFUSED_FEATURE, offset + error,
		              strcspn(copy + error, ","));
	if (spemu_features_check(&set, &detail->rule))
		return refuse(detail, SPEMU_REFUSED_MACHINE, offset, length - offset);
	m->pe.features = set;
	fit(m);
	return SPEMU_OK;
}

/* Parse the value text[offset..length) of a field. The field has width bits, and f has the names of
 * its values. */
static int field_value(uint64_t *value, struct spemu_refusal_detail *detail, const char *text,
                       size_t offset, size_t length, unsigned width, const struct sysreg_field *f)
{
	for (unsigned i = 0; f && i < f->enum_count; i++) {
		*value = f->enums[i].value;
		if (same(text + offset, length - offset, f->enums[i].name) &&
		    (text[offset] < '0' || text[offset] > '9'))
			return SPEMU_OK;
	}
	detail->width = (uint8_t)width;
	if (!parse_number(text + offset, length - offset, value))
		return refuse(detail, SPEMU_REFUSED_VALUE, offset, length - offset);
	if (width < 64 && *value >> width)
		return refuse(detail, SPEMU_REFUSED_WIDTH, offset, length - offset);
	return SPEMU_OK;
}

static int set_pe(struct spemu_machine *m, struct spemu_refusal_detail *detail, const char *text,
                  size_t offset, size_t length, enum pe_name name)
{
	const char *word = text + offset;
	size_t size = length - offset;
	uint64_t value = 0;
	int status = SPEMU_OK;

	if (name == PE_STATE && same(word, size, debug_labels[1]))
		value = 1;
	else if (name == PE_STATE && !same(word, size, debug_labels[0]))
		status = refuse(detail, SPEMU_REFUSED_VALUE, offset, size);
	else if (name == PSTATE_EL && size == 3 && same(word, 2, "EL"))
		status = field_value(&value, detail, text, offset + 2, length, 2, NULL);
	else if (name != PE_STATE)
		status = field_value(&value, detail, text, offset, length, pe_names[name].width,
		                     NULL);
	if (status)
		return status;
	pe_set_value(&m->state, name, (unsigned)value);
	fit_state(m);
	return SPEMU_OK;
}

/* Refuse a name that is neither a known field nor in pe_names. If its register is known, the
 * refusal is about the field. */
static int refuse_name(struct spemu_refusal_detail *detail, const char *text, size_t length)
{
	const char *dot = memchr(text, '.', length);
	const struct sysreg_name *reg = dot ? spemu__sysreg_find(text, (size_t)(dot - text)) : NULL;

	if (!reg)
		return refuse(detail, SPEMU_REFUSED_NAME, 0, length);
	detail->reg_index = reg->index;
	return refuse(detail, SPEMU_REFUSED_FIELD, (size_t)(dot + 1 - text),
	              (size_t)(text + length - dot - 1));
}

int spemu_machine_set(struct spemu_machine *m, struct spemu_refusal_detail *detail,
                      const char *text, size_t length)
{
	const char *equals = memchr(text, '=', length);
	size_t name_length = equals ? (size_t)(equals - text) : length, offset = name_length + 1;
	const struct sysreg_name *name;
	const struct sysreg_field *f = NULL;
	unsigned lo = 0, width = 64;
	enum spemu_reg reg;
	uint64_t value;
	int special, status;

	*detail = (struct spemu_refusal_detail){.reg_index = ~0u};
	if (!equals || !name_length)
		return refuse(detail, SPEMU_REFUSED_FORM, 0, length);
	name = spemu__sysreg_find(text, name_length);
	if (!name) {
		if (same(text, name_length, "features"))
			return set_features(m, detail, text, offset, length);
		special = pe_name_find(text, name_length);
		if (special >= 0)
			return set_pe(m, detail, text, offset, length, (enum pe_name)special);
		return refuse_name(detail, text, name_length);
	}
	detail->reg_index = name->index;
	if (name->field >= 0) {
		f = &spemu__sysreg_desc_of((enum spemu_reg)spemu__sysreg_table[name->index].reg)
		             ->fields[name->field];
		lo = f->lo;
		width = f->hi - f->lo + 1u;
	}
	status = field_value(&value, detail, text, offset, length, width, f);
	if (status)
		return status;
	reg = (enum spemu_reg)spemu__sysreg_table[name->index].reg;
	return spemu_machine_set_reg(m, reg, bits_set(m->written[reg], lo + width - 1, lo, value));
}

int spemu_explain_value(const struct spemu_pe *pe, struct spemu_field_value *out, const char *name,
                        size_t length)
{
	const struct sysreg_name *found = spemu__sysreg_find(name, length);
	const struct sysreg_desc *d;
	const struct sysreg_field *f;
	int special;

	*out = (struct spemu_field_value){.name = name, .length = length, .exists = true};
	if (!found) {
		special = pe_name_find(name, length);
		if (special < 0) {
			*out = (struct spemu_field_value){0};
			return SPEMU_ERR_INVALID;
		}
		out->value = pe_value(&pe->state, (enum pe_name)special);
		out->width = pe_names[special].width;
		if (special == PE_STATE)
			out->label = debug_labels[out->value];
		return SPEMU_OK;
	}
	d = spemu__sysreg_desc_of((enum spemu_reg)spemu__sysreg_table[found->index].reg);
	out->value = pe->reg[d->reg] & pe->mask[d->reg];
	out->width = 64;
	out->exists = spemu__guard_holds(&d->guard, &pe->features);
	if (found->field < 0)
		return SPEMU_OK;
	f = &d->fields[found->field];
	out->value = bits_get(out->value, f->hi, f->lo);
	out->width = f->hi - f->lo + 1u;
	out->exists = out->exists && spemu__guard_holds(&f->guard, &pe->features);
	for (unsigned i = 0; i < f->enum_count; i++)
		if (f->enums[i].value == out->value)
			out->label = f->enums[i].name;
	return SPEMU_OK;
}
