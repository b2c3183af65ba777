/* SPDX-License-Identifier: MIT */
/* spemu regs: show the System registers of SPE, from the tables that the model uses. */
#define _GNU_SOURCE
#include <spemu/explain.h>
#include "base/common.h"
#include "base/fit.h"
#include "base/json.h"
#include "base/options.h"

#include <stdlib.h>
#include <ctype.h>
#include <string.h>

enum { BINARY_MAX = 8 }; /* limit of the bits of a field in binary */

static unsigned op(uint32_t encoding, unsigned lo, unsigned mask)
{
	return encoding >> lo & mask;
}

/* Return the generic name of a register, which every assembler knows, in a static buffer. */
static const char *generic_name(uint32_t e)
{
	static char text[32];

	snprintf(text, sizeof(text), "S%u_%u_C%u_C%u_%u", op(e, 14, 3), op(e, 11, 7), op(e, 7, 15),
	         op(e, 3, 15), op(e, 0, 7));
	return text;
}

static const char *alias_of(const struct spemu_reg_description *r)
{
	return r->alias ? spemu_reg_name(r->reg) : NULL;
}

static struct json_object *header_json(const struct spemu_reg_description *r)
{
	struct json_object *o = json_object_new_object();
	uint32_t e = r->encoding;

	json_add_text(o, "name", r->name);
	json_add_text(o, "doc", r->doc);
	json_add_number(o, "op0", op(e, 14, 3));
	json_add_number(o, "op1", op(e, 11, 7));
	json_add_number(o, "crn", op(e, 7, 15));
	json_add_number(o, "crm", op(e, 3, 15));
	json_add_number(o, "op2", op(e, 0, 7));
	json_add_text(o, "generic", generic_name(e));
	json_add_text(o, "requires", r->guard);
	json_object_object_add(o, "read_only", json_object_new_boolean(r->readonly));
	json_object_object_add(o, "partial", json_object_new_boolean(r->partial));
	if (r->host_owned)
		json_object_object_add(o, "host_owned", json_object_new_boolean(true));
	json_add_text(o, "alias_of", alias_of(r));
	return o;
}

static void list_all(struct out *o, bool json)
{
	struct json_object *list = json_object_new_array();
	struct spemu_reg_description r;

	for (unsigned i = 0; spemu_reg_describe(&r, i) == SPEMU_OK; i++) {
		if (json)
			json_object_array_add(list, header_json(&r));
		else
			out_fmt(o, "%-17s %-15s %s\n", r.name, generic_name(r.encoding), r.doc);
	}
	if (json)
		out_json_line(o, list);
	else
		json_object_put(list);
}

static void put_requirement(struct out *o, const char *guard)
{
	if (!*guard)
		return;
	out_text(o, "  needs ");
	for (; *guard; guard++) {
		if (*guard == '+')
			out_text(o, " and ");
		else if (*guard == '|')
			out_text(o, " or ");
		else
			out_bytes(o, guard, 1);
	}
}

static void put_range(struct out *o, const struct spemu_field_description *f)
{
	char text[16];

	if (f->hi == f->lo)
		snprintf(text, sizeof(text), "%u", f->hi);
	else
		snprintf(text, sizeof(text), "%u:%u", f->hi, f->lo);
	out_fmt(o, "  %5s  ", text);
}

static void put_fields(struct out *o, unsigned index)
{
	struct spemu_field_description f;
	struct spemu_enum_description e;

	for (unsigned i = 0; spemu_field_describe(&f, index, i) == SPEMU_OK; i++) {
		put_range(o, &f);
		out_text(o, f.name);
		put_requirement(o, f.guard);
		if (f.reset_known) {
			out_text(o, "  resets to ");
			out_bits(o, f.reset, f.hi - f.lo + 1, BINARY_MAX);
		}
		out_text(o, "\n");
		for (unsigned v = 0; spemu_enum_describe(&e, index, i, v) == SPEMU_OK; v++) {
			out_text(o, "           ");
			out_bits(o, e.value, f.hi - f.lo + 1, BINARY_MAX);
			out_fmt(o, " %s\n", e.name);
		}
	}
}

static const char *const outcomes[] = {
        [SPEMU_ACCESS_OK] = "succeeds",
        [SPEMU_ACCESS_UNDEFINED] = "UNDEFINED",
        [SPEMU_ACCESS_TRAP_EL2] = "trapped to EL2",
        [SPEMU_ACCESS_TRAP_EL3] = "trapped to EL3",
        [SPEMU_ACCESS_NVMEM] = "memory access at VNCR_EL2.BADDR",
        [SPEMU_ACCESS_TRAP_EL1] = "trapped to EL1",
};

/* Describe the outcome of a rule, such as "MRS succeeds" for a read-only register, in a static
 * buffer. */
static const char *outcome_text(const struct spemu_access_rule *rule,
                                const struct spemu_reg_description *r)
{
	static char text[128];

	if (rule->alias_of >= 0)
		snprintf(text, sizeof(text), "accesses %s",
		         spemu_reg_name((enum spemu_reg)rule->alias_of));
	else if (rule->outcome == SPEMU_ACCESS_OK && r->readonly)
		return "MRS succeeds, MSR is UNDEFINED";
	else if (rule->outcome == SPEMU_ACCESS_OK && r->writeonly)
		return "MSR succeeds, MRS is UNDEFINED";
	else if (rule->outcome == SPEMU_ACCESS_NVMEM)
		snprintf(text, sizeof(text), "%s + %#x", outcomes[rule->outcome],
		         rule->nvmem_offset);
	else
		return outcomes[rule->outcome];
	return text;
}

/* Return the lowest Exception level with access rules. It is 1 if the register is UNDEFINED at
 * EL0. */
static unsigned lowest_level(unsigned index)
{
	struct spemu_access_rule rule;

	return spemu_access_rule(&rule, index, 0, 0) == SPEMU_OK ? 0 : 1;
}

static void put_access(struct out *o, unsigned index, const struct spemu_reg_description *r)
{
	struct spemu_access_rule rule;

	if (r->host_owned)
		out_text(o, "access: the host answers MSR and MRS\n");
	for (unsigned el = lowest_level(index); el <= 3 && !r->host_owned; el++) {
		out_fmt(o, "access at EL%u, the first that applies:\n", el);
		for (unsigned n = 0; spemu_access_rule(&rule, index, el, n) == SPEMU_OK; n++) {
			out_fmt(o, "  %s if %s", outcome_text(&rule, r), rule.text);
			if (*rule.fields)
				out_fmt(o, "  [%s]", rule.fields);
			out_text(o, "\n");
		}
	}
}

static struct json_object *access_json(unsigned index, const struct spemu_reg_description *r)
{
	struct json_object *access = json_object_new_object();
	struct spemu_access_rule rule;

	for (unsigned el = lowest_level(index); el <= 3; el++) {
		struct json_object *rules = json_object_new_array();
		char name[8];

		for (unsigned n = 0; spemu_access_rule(&rule, index, el, n) == SPEMU_OK; n++) {
			struct json_object *o = json_object_new_object();

			json_add_text(o, "rule", rule.word);
			json_add_text(o, "when", rule.text);
			json_add_text(o, "fields", rule.fields);
			json_add_text(o, "outcome", outcome_text(&rule, r));
			json_object_array_add(rules, o);
		}
		snprintf(name, sizeof(name), "EL%u", el);
		json_object_object_add(access, name, rules);
	}
	return access;
}

static struct json_object *field_json(const struct spemu_field_description *f)
{
	struct json_object *o = json_object_new_object();

	json_add_text(o, "name", f->name);
	json_add_number(o, "hi", f->hi);
	json_add_number(o, "lo", f->lo);
	return o;
}

static struct json_object *register_json(unsigned index, const struct spemu_reg_description *r)
{
	struct json_object *root = header_json(r), *fields = json_object_new_array();
	struct spemu_field_description f;
	struct spemu_enum_description e;

	for (unsigned i = 0; spemu_field_describe(&f, index, i) == SPEMU_OK; i++) {
		struct json_object *o = field_json(&f), *values = json_object_new_array();

		json_add_text(o, "requires", f.guard);
		json_object_object_add(o, "reset",
		                       f.reset_known ? json_object_new_uint64(f.reset) : NULL);
		for (unsigned v = 0; spemu_enum_describe(&e, index, i, v) == SPEMU_OK; v++) {
			struct json_object *value = json_object_new_object();

			json_add_number(value, "value", e.value);
			json_add_text(value, "name", e.name);
			json_object_array_add(values, value);
		}
		json_object_object_add(o, "values", values);
		json_object_array_add(fields, o);
	}
	json_object_object_add(root, "fields", fields);
	json_object_object_add(root, "access", access_json(index, r));
	return root;
}

static void show_register(struct out *o, unsigned index, bool json)
{
	struct spemu_reg_description r;

	spemu_reg_describe(&r, index);
	if (json) {
		out_json_line(o, register_json(index, &r));
		return;
	}
	out_fmt(o, "%s: %s\n", r.name, r.doc);
	out_fmt(o, "encoding: op0=%u op1=%u CRn=%u CRm=%u op2=%u, ", op(r.encoding, 14, 3),
	        op(r.encoding, 11, 7), op(r.encoding, 7, 15), op(r.encoding, 3, 15),
	        op(r.encoding, 0, 7));
	out_text(o, generic_name(r.encoding));
	put_requirement(o, r.guard);
	out_text(o, r.readonly ? "  read-only\n" : "\n");
	if (r.alias)
		out_fmt(o, "another name of %s\n", alias_of(&r));
	out_text(o, r.partial ? "fields that SPE depends on:\n"
	                      : "fields; all other bits are RES0:\n");
	put_fields(o, index);
	put_access(o, index, &r);
}

/* Return the meaning of a PMBSR_ELx field's value, beyond its name. */
static const char *syndrome_text(const char *reg, const char *field, uint64_t value, uint64_t whole)
{
	unsigned ec = (unsigned)(whole >> SPEMU_PMBSR_EL1_EC_LSB) & 0x3f;

	if (strncmp(reg, "PMBSR_EL", 8) != 0)
		return NULL;
	if (!strcmp(field, "EC"))
		return spemu_management_event_class_text(ec);
	if (!strcmp(field, "MSS") &&
	    (ec == 0 || ec == SPEMU_FAULT_STAGE1 || ec == SPEMU_FAULT_STAGE2))
		return spemu_management_event_status_text(ec, (unsigned)value);
	if (!value)
		return NULL;
	if (!strcmp(field, "S"))
		return "profiling is stopped";
	if (!strcmp(field, "DL"))
		return "part of a record was lost";
	if (!strcmp(field, "EA"))
		return "an External abort was seen";
	return !strcmp(field, "COLL") ? "samples collided" : NULL;
}

static const char *value_name(unsigned index, unsigned field, uint64_t value)
{
	struct spemu_enum_description e;

	for (unsigned v = 0; spemu_enum_describe(&e, index, field, v) == SPEMU_OK; v++)
		if (e.value == value)
			return e.name;
	return NULL;
}

static uint64_t field_mask(const struct spemu_field_description *f)
{
	return ~UINT64_C(0) >> (63 - (f->hi - f->lo));
}

static void put_decoded(struct out *o, unsigned index, unsigned field, uint64_t whole)
{
	struct spemu_reg_description r;
	struct spemu_field_description f;
	const char *name, *text;
	uint64_t value;

	spemu_reg_describe(&r, index);
	spemu_field_describe(&f, index, field);
	value = whole >> f.lo & field_mask(&f);
	name = value_name(index, field, value);
	text = syndrome_text(r.name, f.name, value, whole);
	put_range(o, &f);
	out_fmt(o, "%s=", f.name);
	out_bits(o, value, f.hi - f.lo + 1, BINARY_MAX);
	if (name)
		out_fmt(o, " %s", name);
	else if (f.enum_count)
		out_text(o, " (reserved)");
	if (text)
		out_fmt(o, "  %s", text);
	put_requirement(o, value ? f.guard : "");
	out_text(o, "\n");
}

/* Return the bits that do not belong to a field. */
static uint64_t other_bits(unsigned index, uint64_t whole)
{
	struct spemu_field_description f;

	for (unsigned i = 0; spemu_field_describe(&f, index, i) == SPEMU_OK; i++)
		whole &= ~(field_mask(&f) << f.lo);
	return whole;
}

static void decode_text(struct out *o, unsigned index, uint64_t whole)
{
	uint64_t rest = other_bits(index, whole);
	struct spemu_reg_description r;
	struct spemu_field_description f;

	spemu_reg_describe(&r, index);
	out_fmt(o, "%s = %#llx\n", r.name, (unsigned long long)whole);
	for (unsigned i = 0; spemu_field_describe(&f, index, i) == SPEMU_OK; i++)
		put_decoded(o, index, i, whole);
	if (rest)
		out_fmt(o, "  %s: %#llx\n",
		        r.partial ? "bits that SPE does not depend on" : "bits set that are RES0",
		        (unsigned long long)rest);
}

static void decode_json(struct out *out, unsigned index, uint64_t whole)
{
	struct json_object *root = json_object_new_object(), *fields = json_object_new_array();
	struct spemu_reg_description r;
	struct spemu_field_description f;

	spemu_reg_describe(&r, index);
	json_add_text(root, "name", r.name);
	json_add_number(root, "value", whole);
	for (unsigned i = 0; spemu_field_describe(&f, index, i) == SPEMU_OK; i++) {
		struct json_object *o = field_json(&f);
		uint64_t value = whole >> f.lo & field_mask(&f);

		json_add_number(o, "value", value);
		json_add_text(o, "label", value_name(index, i, value));
		json_add_text(o, "meaning", syndrome_text(r.name, f.name, value, whole));
		json_object_array_add(fields, o);
	}
	json_object_object_add(root, "fields", fields);
	json_add_number(root, r.partial ? "other_bits" : "res0_bits", other_bits(index, whole));
	out_json_line(out, root);
}

static unsigned find_register(const char *name, size_t length)
{
	const char *names[256];
	struct spemu_reg_description r;
	unsigned index, n = 0;
	char word[64], upper[64] = "";
	int field, encoding;

	if (spemu_reg_find(&index, &field, name, length) == SPEMU_OK && field < 0)
		return index;
	snprintf(word, sizeof(word), "%.*s", (int)(length < 60 ? length : 60), name);
	for (unsigned i = 0; i < strlen(word); i++)
		upper[i] = (char)toupper((unsigned char)word[i]);
	encoding = spemu_reg_encoding(upper);
	for (; n < 255 && spemu_reg_describe(&r, n) == SPEMU_OK; n++) {
		names[n] = r.name;
		if (!strcasecmp(r.name, word) || /* An array matches by its name or by a member. */
		    (encoding >= 0 && (uint32_t)encoding - r.encoding < r.count))
			return n;
	}
	names[n] = NULL;
	die(EXIT_USAGE, "unknown register '%s'%s", word, suggestion(word, names));
}

static uint64_t parse_value(const char *text)
{
	uint64_t value;

	if (!strncasecmp(text, "0b", 2) && strspn(text + 2, "01") == strlen(text) - 2 && text[2] &&
	    strlen(text) <= 66)
		return strtoull(text + 2, NULL, 2);
	if (!parse_number(&value, text, 1))
		die(EXIT_USAGE, "'%s' is not a number of 64 bits", text);
	return value;
}

int cmd_regs(int argc, char **argv)
{
	struct out *o = &out_stdout;
	const char *equals;
	bool json = false;
	int c;

	while ((c = next_option(&regs_options, argc, argv)) != -1) {
		json = json || c == REGS_JSON;
	}
	if (optind + 1 < argc)
		die(EXIT_USAGE, "only one register can be shown; '%s' is too many",
		    argv[optind + 1]);
	if (!json)
		wrap_lines();
	if (optind == argc) {
		list_all(o, json);
	} else {
		equals = strchrnul(argv[optind], '=');
		c = (int)find_register(argv[optind], (size_t)(equals - argv[optind]));
		if (*equals)
			(json ? decode_json : decode_text)(o, (unsigned)c, parse_value(equals + 1));
		else
			show_register(o, (unsigned)c, json);
	}
	out_flush(o);
	return 0;
}
