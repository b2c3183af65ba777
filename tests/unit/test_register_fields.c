/* SPDX-License-Identifier: MIT */
/*
 * Compare every field of the registers with arch/tables/register_fields.txt, which is a second,
 * independent transcription of the register pages. Compare the bits that exist if a feature is
 * missing, the reset values, and the effect of MSR at each Exception level.
 */
#include "register_machine.h"
#include "register_table.h"
#include "share.h"

#define BITS(hi, lo) ((~UINT64_C(0) >> (63 - (hi))) & (~UINT64_C(0) << (lo)))
#define ALL (~UINT64_C(0))

enum kind { WHOLE, PART, SET, CLEAR };
enum access { RW, RO, RAZ, ACTS };
enum reset { UNKNOWN, NUMBER, NUMBER_IF, COUNTERS, CONDITION, ELSEWHERE };
struct field {
	uint64_t bits;
	unsigned lo;
	enum access access;
	unsigned needs;
	bool counters, otherwise;
	enum reset reset;
	uint64_t number;
	unsigned condition;
};
struct reg {
	char name[20];
	uint32_t encoding;
	enum kind kind;
	unsigned present, unless;
	struct field field[64];
	unsigned fields;
};
enum { REGISTERS = 112 };
static struct reg regs[REGISTERS];
static unsigned reg_count;
static uint64_t comparisons;

static struct conditions conditions;

/* Numbers of names in conditions: the features, followed by these. */
enum { HIGHEST = SPEMU_FEATURE_COUNT, IMPDEF = HIGHEST + 4, WIDE, ALL_COUNTERS, OPTIONAL };

static uint32_t name_number(const char *text, size_t length)
{
	static const char *const choices[] = {"impdef", "wide", "all-counters", "optional"};
	int feature = feature_named(text, length);

	if (length == 11 && memcmp(text, "highest:EL", 10) == 0)
		return HIGHEST + (uint32_t)(text[10] - '0');
	for (uint32_t i = 0; i < 4; i++)
		if (strlen(choices[i]) == length && memcmp(choices[i], text, length) == 0)
			return IMPDEF + i;
	if (feature < 0)
		fail_msg("no feature %.*s", (int)length, text);
	return (uint32_t)feature;
}

static bool name_holds(const void *ctx, uint32_t name)
{
	const struct machine *m = ctx;

	switch (name) {
	case IMPDEF:
		return m->impdef;
	case WIDE:
		return m->wide;
	case ALL_COUNTERS:
		return m->counters == 31;
	case OPTIONAL: /* the default of the choices about these filters */
		return false;
	}
	return name < HIGHEST ? spemu_has(&m->features, (enum spemu_feature)name)
	                      : m->highest == name - HIGHEST;
}

static unsigned word(const char *text, const char *const list[])
{
	unsigned i = 0;

	while (strcmp(list[i], text) != 0)
		assert_non_null(list[++i]);
	return i;
}

static void read_reset(struct field *f, const char *text)
{
	const char *at = strchr(text, '@');

	f->number = strtoull(text, NULL, 0);
	f->reset = *text == '?'                    ? UNKNOWN
	           : *text == '-'                  ? ELSEWHERE
	           : *text == '='                  ? CONDITION
	           : strcmp(text, "counters") == 0 ? COUNTERS
	           : at                            ? NUMBER_IF
	                                           : NUMBER;
	if (f->reset == CONDITION || at)
		f->condition = condition_read(&conditions, at ? at + 1 : text + 1);
}

static void read_field(struct reg *r, char *const cell[])
{
	static const char *const accesses[] = {"rw", "ro", "raz", "acts", NULL};
	struct field *f = &r->field[r->fields++];
	unsigned hi, lo;

	table_bits(cell[0], &hi, &lo);
	assert_true(r->fields < 64);
	f->bits = BITS(hi, lo);
	f->lo = lo;
	f->access = word(cell[2], accesses);
	f->counters = strcmp(cell[3], "counters") == 0;
	f->needs = condition_read(&conditions, f->counters ? "-" : cell[3]);
	read_reset(f, cell[4]);
	f->otherwise = cell[5][0] == '1';
	for (unsigned i = 0; i + 1 < r->fields; i++)
		assert_int_equal(r->field[i].bits & f->bits, 0);
}

static void read_register(char *const cell[])
{
	static const char *const kinds[] = {"whole", "part", "set", "clear", NULL};
	struct reg *r = &regs[reg_count++];

	assert_true(reg_count < REGISTERS);
	snprintf(r->name, sizeof(r->name), "%s", cell[1]);
	r->encoding = table_encoding(cell[2]);
	r->kind = word(cell[3], kinds);
	r->present = condition_read(&conditions, cell[4]);
	r->unless = condition_read(&conditions, cell[5]);
}

static void read_row(char *const cell[], unsigned cells)
{
	bool heading = strcmp(cell[0], "register") == 0;

	assert_int_equal(cells, heading ? 7 : 6);
	if (heading)
		read_register(cell);
	else
		read_field(&regs[reg_count - 1], cell);
}

static int read_table(void **state)
{
	(void)state;
	conditions.name = name_number;
	conditions.holds = name_holds;
	table_each("register_fields", read_row);
	return 0;
}

/* -- expected values of a register */

struct expected {
	uint64_t rw, ones, ro,
	        /* Bits that keep the written value; that read as one; that are read-only; that are
	         * not checked. */
	        any;
};

static uint64_t field_bits(const struct machine *m, const struct field *f)
{
	return f->counters ? f->bits & (BITS(m->counters - 1, 0) << f->lo) : f->bits;
}

static struct expected expect(const struct machine *m, const struct reg *r)
{
	struct expected x = {.rw = r->kind == PART ? ALL : 0};

	for (unsigned i = 0; i < r->fields; i++) {
		const struct field *f = &r->field[i];
		uint64_t bits = field_bits(m, f);

		x.rw &= ~f->bits;
		if (!condition_holds(&conditions, f->needs))
			x.ones |= f->otherwise ? bits : 0;
		else if (f->access == RW)
			x.rw |= bits;
		else if (f->access == RO)
			x.ro |= bits;
		else if (f->access == ACTS)
			x.any |= bits;
	}
	if (!condition_holds(&conditions, r->unless))
		x = (struct expected){0};
	return x;
}

static void start(struct machine *m, const struct spemu_features *set, unsigned variant,
                  uint64_t seed)
{
	machine_start(m, set, variant, seed);
	conditions.ctx = m;
}

/* Disable all traps. EL2 owns the buffer for registers of EL2. */
static void permit(struct machine *m, unsigned el)
{
	machine_put(m, SPEMU_REG_MDCR_EL3,
	            FIELD(MDCR_EL3, EnPMS4, 1) | NAMED(MDCR_EL3, PMSEE, DELEGATED) |
	                    FIELD(MDCR_EL3, EnPMSS, 1) | FIELD(MDCR_EL3, EnPMS3, 1) |
	                    FIELD(MDCR_EL3, EnPMSN, 1) | FIELD(MDCR_EL3, NSPB, 3) |
	                    FIELD(MDCR_EL3, EnPM2, 1));
	machine_put(m, SPEMU_REG_SCR_EL3,
	            FIELD(SCR_EL3, FGTEn2, 1) | FIELD(SCR_EL3, ECVEn, 1) |
	                    FIELD(SCR_EL3, FGTEn, 1) | FIELD(SCR_EL3, NS, 1));
	machine_put(m, SPEMU_REG_HCR_EL2, 0);
	machine_put(m, SPEMU_REG_MDCR_EL2,
	            (el == 1 ? NAMED(MDCR_EL2, E2PB, EL1) : 0) | m->counters);
	machine_put(m, SPEMU_REG_HDFGRTR_EL2, FIELD(HDFGRTR_EL2, nPMSNEVFR_EL1, 1));
	machine_put(m, SPEMU_REG_HDFGWTR_EL2, FIELD(HDFGWTR_EL2, nPMSNEVFR_EL1, 1));
	machine_put(m, SPEMU_REG_HDFGRTR2_EL2, ALL);
	machine_put(m, SPEMU_REG_HDFGWTR2_EL2, ALL);
	machine_put(m, SPEMU_REG_HFGRTR_EL2, 0);
	machine_put(m, SPEMU_REG_HFGWTR_EL2, 0);
	machine_at(m, el);
}

static unsigned lowest_el(const struct reg *r)
{
	unsigned el = (unsigned)(r->name[strlen(r->name) - 1] - '0');

	return el ? el : 1; /* for registers of EL0 the access rules apply */
}

/* Return true if the name always reaches another register at `el`, because HCR_EL2.E2H is RES1. */
static bool always_alias(const struct machine *m, const struct reg *r, unsigned el)
{
	return el == 2 && lowest_el(r) == 1 && spemu_has(&m->features, SPEMU_FEAT_VHE) &&
	       !spemu_has(&m->features, SPEMU_FEAT_E2H0);
}

static bool is_there(const struct reg *r)
{
	return condition_holds(&conditions, r->present);
}

static bool describe(const struct machine *m, const struct reg *r, const char *what, unsigned el)
{
	char missing[512] = "";
	struct spemu_features all = features_all();

	for (int i = 0; i < SPEMU_FEATURE_COUNT; i++)
		if (spemu_has(&all, (enum spemu_feature)i) !=
		    spemu_has(&m->features, (enum spemu_feature)i))
			snprintf(missing + strlen(missing), sizeof(missing) - strlen(missing),
			         " %s", spemu_feature_name((enum spemu_feature)i));
	print_message("# %s at EL%u: %s; without%s\n", r->name, el, what, missing);
	return false;
}

/* -- tests */

static bool read_back(struct machine *m, const struct reg *r, uint64_t *value, unsigned el)
{
	struct spemu_access_result result;

	if (!machine_access_or_name(m, &result, r->encoding, spemu_reg_by_name(r->name), false,
	                            value))
		return false;
	if (result.outcome != SPEMU_ACCESS_OK)
		describe(m, r, result.rule, el);
	assert_int_equal(result.outcome, SPEMU_ACCESS_OK);
	return true;
}

static void start_value(struct machine *m, const struct reg *r)
{
	if (r->kind == SET || r->kind == CLEAR)
		assert_int_equal(spemu_pmu_reg_set(m->pmu, r->encoding, r->kind == CLEAR ? ALL : 0),
		                 SPEMU_OK);
}

static void write_and_read(struct machine *m, const struct reg *r, uint64_t value, unsigned el)
{
	struct expected x = expect(m, r);
	struct spemu_access_result result;
	uint64_t before = 0, after = 0, want, written = value & ~x.any;

	start_value(m, r);
	assert_true(read_back(m, r, &before, el));
	assert_true(machine_access_or_name(m, &result, r->encoding, spemu_reg_by_name(r->name),
	                                   true, &written));
	assert_int_equal(result.outcome, SPEMU_ACCESS_OK);
	assert_true(read_back(m, r, &after, el));
	want = r->kind == CLEAR ? x.rw & ~value : value & x.rw;
	want |= x.ones | (before & x.ro);
	comparisons++;
	if ((after ^ want) & ~x.any) {
		describe(m, r, "written", el);
		print_message("# written %#llx\n", (unsigned long long)value);
	}
	assert_int_equal(after & ~x.any, want & ~x.any);
}

static bool has_rw(const struct reg *r)
{
	for (unsigned i = 0; i < r->fields; i++)
		if (r->field[i].access != RO)
			return true;
	return false;
}

static void existing_bits_match_the_field_table(void **state)
{
	(void)state;
	for (unsigned n = 0; n < FEATURE_SETS; n += test_share()) {
		struct spemu_features set = feature_set(n);
		struct machine m;

		start(&m, &set, feature_set_variant(n), n);
		for (unsigned i = 0; i < reg_count; i++) {
			uint64_t value;

			for (unsigned el = lowest_el(&regs[i]); el <= m.highest; el++) {
				if ((el == 2 && !spemu_has(&set, SPEMU_EL2)) ||
				    !is_there(&regs[i]) || !has_rw(&regs[i]) ||
				    always_alias(&m, &regs[i], el))
					continue;
				permit(&m, el);
				if (!read_back(&m, &regs[i], &value, el))
					continue; /* the unit does not exist */
				write_and_read(&m, &regs[i], ALL, el);
				write_and_read(&m, &regs[i], 0, el);
				for (unsigned bit = 0; bit < 64; bit++)
					write_and_read(&m, &regs[i], UINT64_C(1) << bit, el);
			}
			permit(&m, m.highest);
		}
		machine_stop(&m);
	}
	print_message("# %llu comparisons\n", (unsigned long long)comparisons);
}

/* Every register has fields in the table. The row of PMEVCNTR0_EL0 applies to all PMEVCNTR<n>_EL0.
 * Aliases have no fields, and neither do registers that access a selected counter. */
static void every_register_is_in_the_field_table(void **state)
{
	struct spemu_reg_description d;
	unsigned known = 0;

	(void)state;
	for (unsigned i = 0; spemu_reg_describe(&d, i) == SPEMU_OK; i++) {
		bool there = d.alias || d.writeonly || strncmp(d.name, "PMXEV", 5) == 0;

		for (unsigned k = 0; k < reg_count && !there; k++)
			there = regs[k].encoding == d.encoding;
		if (!there)
			print_message("# %s\n", d.name);
		assert_true(there);
		known++;
	}
	print_message("# %u names, %u registers\n", known, reg_count);
}

/* Accesses to registers whose feature is missing, and writes to read-only registers, are UNDEFINED
 * at each Exception level. */
static void absent_and_read_only_registers_are_undefined(void **state)
{
	unsigned long long count = 0;

	(void)state;
	for (unsigned n = 0; n < FEATURE_SETS; n += test_share()) {
		struct spemu_features set = feature_set(n);
		struct machine m;

		start(&m, &set, feature_set_variant(n), n);
		for (unsigned i = 0; i < reg_count; i++) {
			struct reg *r = &regs[i];
			bool there = condition_holds(&conditions, r->present);

			for (unsigned el = 0; el <= m.highest; el++) {
				struct spemu_access_result result;
				uint64_t value = 0;

				if ((el == 2 && !spemu_has(&set, SPEMU_EL2)) ||
				    (there && has_rw(r)) || (there && el < lowest_el(r)))
					continue;
				permit(&m, el);
				for (unsigned write = there; write < 2; write++) {
					if (!machine_access(&m, &result, r->encoding, write,
					                    &value))
						continue;
					if (result.outcome != SPEMU_ACCESS_UNDEFINED)
						describe(&m, r, "not UNDEFINED", el);
					assert_int_equal(result.outcome, SPEMU_ACCESS_UNDEFINED);
					count++;
				}
			}
		}
		machine_stop(&m);
	}
	print_message("# %llu comparisons\n", count);
}

enum { SEEDS = 64 };

static void check_reset(const struct machine *m, const struct reg *r, const uint64_t *value)
{
	uint64_t ones = ALL, any = 0,
	         outside = expect(m, r).rw | expect(m, r).ones | expect(m, r).ro;

	for (unsigned seed = 0; seed < SEEDS; seed++)
		ones &= value[seed], any |= value[seed];
	if (any & ~outside & ~expect(m, r).any)
		describe(m, r, "a bit that is not there reads as one", m->highest);
	assert_int_equal(any & ~outside & ~expect(m, r).any, 0);
	for (unsigned i = 0; i < r->fields; i++) {
		const struct field *f = &r->field[i];
		/* `low` and `high` are the bits of the field that must be 0, and 1, after every
		 * reset. */
		uint64_t bits = field_bits(m, f), low = 0, high = 0;
		bool known = f->reset != UNKNOWN;
		uint64_t number = f->number;

		if (!condition_holds(&conditions, r->unless) || f->reset == ELSEWHERE)
			continue;
		if (f->reset == NUMBER_IF)
			known = condition_holds(&conditions, f->condition);
		if (f->reset == CONDITION)
			number = condition_holds(&conditions, f->condition);
		if (f->reset == COUNTERS)
			number = m->counters;
		if (!condition_holds(&conditions, f->needs))
			known = true, number = f->otherwise ? ALL : 0;
		low = known ? ~(number << f->lo) & bits : 0;
		high = known ? number << f->lo & bits : 0;
		if ((~any & bits) != low || (ones & bits) != high) {
			describe(m, r, "reset", m->highest);
			print_message("# field from bit %u: seen 1 %#llx, always 1 %#llx\n", f->lo,
			              (unsigned long long)(any & bits),
			              (unsigned long long)(ones & bits));
		}
		assert_int_equal(~any & bits, low);
		assert_int_equal(ones & bits, high);
		comparisons++;
	}
}

/* Reset each register 64 times. An UNKNOWN bit must be 0 in some resets and 1 in others. A known
 * bit must always be the same. */
static void reset_values_match_the_field_table(void **state)
{
	static uint64_t value[REGISTERS][SEEDS];

	(void)state;
	comparisons = 0;
	for (unsigned n = 0; n < FEATURE_SETS; n += test_share()) {
		struct spemu_features set = feature_set(n);
		struct machine m;
		bool read[REGISTERS] = {false};

		for (unsigned seed = 0; seed < SEEDS; seed++) {
			start(&m, &set, feature_set_variant(n),
			      seed * UINT64_C(0x9e3779b97f4a7c15));
			/* At EL2, names of EL1 may reach other registers, so registers of EL1 are
			 * read afterwards. */
			for (unsigned el = m.highest; el; el = el == 2 ? 1 : 0) {
				if (el < m.highest)
					permit(&m, el);
				for (unsigned i = 0; i < reg_count; i++)
					if (is_there(&regs[i]) && el >= lowest_el(&regs[i]) &&
					    (el != 2 || lowest_el(&regs[i]) == 2))
						read[i] = read_back(&m, &regs[i], &value[i][seed],
						                    el);
			}
			if (seed + 1 < SEEDS)
				machine_stop(&m);
		}
		for (unsigned i = 0; i < reg_count; i++)
			if (read[i])
				check_reset(&m, &regs[i], value[i]);
		machine_stop(&m);
	}
	print_message("# %llu fields, 64 resets each\n", (unsigned long long)comparisons);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_register_is_in_the_field_table),
	        cmocka_unit_test(existing_bits_match_the_field_table),
	        cmocka_unit_test(absent_and_read_only_registers_are_undefined),
	        cmocka_unit_test(reset_values_match_the_field_table),
	};
	return cmocka_run_group_tests_name("register_fields", tests, read_table, NULL);
}
