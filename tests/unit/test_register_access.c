/* SPDX-License-Identifier: MIT */
/*
 * Compare the outcome of every MSR and MRS with arch/tables/register_access.txt, which is a second,
 * independent transcription of the register pages. The test covers each Exception level, Debug
 * state and each missing feature, over random states of the controls. It checks the whole ISS, the
 * offset in VNCR memory, and the register that an alias reaches.
 */
#include "register_machine.h"
#include "register_table.h"
#include "share.h"

#include "base/prng.h"
#include "not_here.h"
#include <spemu/explain.h>

#define BIT(n) (UINT64_C(1) << (n))

enum { READ = 1, WRITE = 2 };
enum outcome { UNDEFINED, TRAP_EL2, TRAP_EL3, USER, NVMEM, FREE, REACHES };
struct row {
	unsigned el, directions;
	unsigned condition[2]; /* for MRS and for MSR */
	enum outcome outcome;
	unsigned offset;
	char reaches[20];
	unsigned decided[2];
};
struct reg {
	char name[20];
	uint32_t encoding;
	unsigned present, first, rows;
	int counter; /* event counter in the name; -1 if PMSELR_EL0 selects the counter */
};
static struct reg regs[96];
static struct row rows[1400];
static unsigned reg_count, row_count;
static struct conditions conditions;

/* -- names in conditions: features, states, and fields with a pattern */

struct field {
	char name[44]; /* REG.FIELD */
	unsigned hi, lo;
	enum spemu_reg reg;
};
static struct field fields[768];
static unsigned field_count;
struct test {
	unsigned field, mask, value; /* (field & mask) == value; mask 0: field is not 0 */
};
static struct test field_tests[256];
static unsigned field_test_count;

enum { SDD = SPEMU_FEATURE_COUNT, BELOW_N, BELOW_HPMN, SEL31, FIELDS };

static const char *current; /* register whose fields are being read */

static void read_field_place(char *const cell[], unsigned cells)
{
	static char name[20];
	struct field *f = &fields[field_count];

	(void)cells;
	if (strcmp(cell[0], "register") == 0) {
		snprintf(name, sizeof(name), "%s", cell[1]);
		current = name;
		return;
	}
	if (spemu_reg_by_name(current) < 0)
		return; /* a counter or a filter of the PMU, which decides nothing */
	assert_true(field_count < sizeof(fields) / sizeof(*fields));
	snprintf(f->name, sizeof(f->name), "%s.%s", current, cell[1]);
	table_bits(cell[0], &f->hi, &f->lo);
	f->reg = (enum spemu_reg)spemu_reg_by_name(current);
	field_count++;
}

static uint32_t field_test(const char *text, size_t length)
{
	struct test t = {0};
	size_t dot = strcspn(text, "="), name = dot < length ? dot : length;

	while (t.field < field_count && (strlen(fields[t.field].name) != name ||
	                                 memcmp(fields[t.field].name, text, name) != 0))
		t.field++;
	if (t.field == field_count)
		fail_msg("no field %.*s", (int)length, text);
	for (size_t i = name + 1; i < length; i++) {
		t.mask = t.mask << 1 | (text[i] != 'x');
		t.value = t.value << 1 | (text[i] == '1');
	}
	assert_true(field_test_count < sizeof(field_tests) / sizeof(*field_tests));
	field_tests[field_test_count] = t;
	return FIELDS + field_test_count++;
}

static uint32_t name_number(const char *text, size_t length)
{
	static const char *const state[] = {"sdd", "n<N", "n<HPMN", "sel=31"};
	int feature = feature_named(text, length);

	for (uint32_t i = 0; i < 4; i++)
		if (strlen(state[i]) == length && memcmp(state[i], text, length) == 0)
			return SDD + i;
	return feature >= 0 ? (uint32_t)feature : field_test(text, length);
}

struct env {
	struct machine m;
	const struct reg *reg;
	bool sdd;
};

static uint64_t value_of(const struct env *e, const struct field *f)
{
	uint64_t value;

	assert_int_equal(spemu_reg_get(e->m.pe, &value, f->reg), SPEMU_OK);
	return value >> f->lo & (~UINT64_C(0) >> (63 - (f->hi - f->lo)));
}

static uint64_t named_value(const struct env *e, enum spemu_reg reg, uint64_t mask)
{
	uint64_t value;

	assert_int_equal(spemu_reg_get(e->m.pe, &value, reg), SPEMU_OK);
	return value & mask;
}

static bool name_holds(const void *ctx, uint32_t name)
{
	const struct env *e = ctx;
	uint64_t n;

	if (name < SDD)
		return spemu_has(&e->m.features, (enum spemu_feature)name);
	if (name == SDD)
		return e->sdd;
	if (name >= FIELDS) {
		const struct test *t = &field_tests[name - FIELDS];
		uint64_t value = value_of(e, &fields[t->field]);

		return t->mask ? (value & t->mask) == t->value : value != 0;
	}
	n = e->reg->counter >= 0 ? (unsigned)e->reg->counter
	                         : named_value(e, SPEMU_REG_PMSELR_EL0, 31);
	if (name == SEL31)
		return n == 31;
	return n < (name == BELOW_N ? e->m.counters : named_value(e, SPEMU_REG_MDCR_EL2, 31));
}

/* -- the table */

static void read_outcome(struct row *r, const char *text)
{
	static const char *const words[] = {"undefined", "el2", "el3", "user", "nvmem:", "free"};
	unsigned i = 0;

	while (i < REACHES && strncmp(words[i], text, strlen(words[i])) != 0)
		i++;
	r->outcome = (enum outcome)i;
	if (i == NVMEM)
		r->offset = (unsigned)strtoul(text + strlen("nvmem:"), NULL, 0);
	if (i == REACHES)
		snprintf(r->reaches, sizeof(r->reaches), "%s", text);
}

static void read_condition(struct row *r, const char *text, unsigned write)
{
	char copy[256];

	snprintf(copy, sizeof(copy), "%s", text);
	for (char *c = copy; (c = strchr(c, '%')) != NULL;)
		*c = write ? 'W' : 'R';
	r->condition[write] = condition_read(&conditions, copy);
}

static void read_row(char *const cell[], unsigned cells)
{
	struct row *r = &rows[row_count];

	if (strcmp(cell[0], "let") == 0) {
		condition_let(&conditions, cell[1], cell[2]);
	} else if (strcmp(cell[0], "access") == 0) {
		struct reg *reg = &regs[reg_count++];
		const char *digits = cell[1] + strcspn(cell[1], "0123456789_");

		assert_int_equal(cells, 5);
		assert_true(reg_count < sizeof(regs) / sizeof(*regs));
		snprintf(reg->name, sizeof(reg->name), "%s", cell[1]);
		reg->encoding = table_encoding(cell[2]);
		reg->present = condition_read(&conditions, cell[3]);
		reg->first = row_count;
		reg->counter = *digits == '_' ? -1 : (int)strtol(digits, NULL, 10);
	} else {
		assert_int_equal(cells, 4);
		assert_true(row_count < sizeof(rows) / sizeof(*rows));
		r->el = (unsigned)(cell[0][0] - '0');
		r->directions =
		        (strchr(cell[1], 'r') ? READ : 0) | (strchr(cell[1], 'w') ? WRITE : 0);
		for (unsigned write = 0; write < 2; write++)
			if (r->directions & (write ? WRITE : READ))
				read_condition(r, cell[2], write);
		read_outcome(r, cell[3]);
		row_count++;
		regs[reg_count - 1].rows++;
	}
}

static int read_tables(void **state)
{
	(void)state;
	conditions.name = name_number;
	conditions.holds = name_holds;
	table_each("register_fields", read_field_place);
	table_each("register_access", read_row);
	return 0;
}

/* Return the row of the table that decides, or NULL if no row does and the access is UNDEFINED. */
static struct row *deciding(const struct reg *reg, unsigned el, unsigned write)
{
	for (unsigned i = reg->first; i < reg->first + reg->rows; i++)
		if (rows[i].el == el && (rows[i].directions & (write ? WRITE : READ)) &&
		    condition_holds(&conditions, rows[i].condition[write]))
			return &rows[i];
	return NULL;
}

/* -- states of the controls */

static uint64_t sparse(uint64_t *seed)
{
	return prng_next(seed) & prng_next(seed) & prng_next(seed);
}

/* Return either the value `open`, which permits everything, with a few bits changed, or a random
 * value. */
static uint64_t drawn(uint64_t *seed, uint64_t open)
{
	uint64_t all = prng_next(seed);

	return all & 3 ? open ^ sparse(seed) : all;
}

static void randomize(struct env *e, uint64_t *seed)
{
	bool no_secure = !spemu_has(&e->m.features, SPEMU_SECURE) ||
	                 (spemu_has(&e->m.features, SPEMU_FEAT_RME) &&
	                  !spemu_has(&e->m.features, SPEMU_FEAT_SEL2));
	uint64_t scr = drawn(seed, BIT(59) | BIT(28) | BIT(27) | BIT(18) | 1);
	uint64_t hpmn = prng_next(seed) % (e->m.counters + 1);
	/* NSPB of the current Security state, used in half of the cases. */
	uint64_t owner = scr & 1 ? 3 : 1;
	uint64_t mdcr3 = drawn(seed, BIT(55) | BIT(51) | BIT(44) | BIT(42) | BIT(36) | BIT(7));

	if (prng_next(seed) & 1)
		mdcr3 = (mdcr3 & ~(UINT64_C(7) << 11)) | owner << 12 | (scr >> 62 & 1) << 11;
	if (!hpmn && !spemu_has(&e->m.features, SPEMU_FEAT_HPMN0))
		hpmn = 1;
	machine_put(&e->m, SPEMU_REG_SCR_EL3, scr | no_secure);
	machine_put(&e->m, SPEMU_REG_MDCR_EL3, mdcr3);
	machine_put(&e->m, SPEMU_REG_HCR_EL2, prng_next(seed));
	machine_put(&e->m, SPEMU_REG_MDCR_EL2,
	            (drawn(seed, UINT64_C(3) << 12) & ~UINT64_C(31)) | hpmn);
	machine_put(&e->m, SPEMU_REG_HDFGRTR_EL2, drawn(seed, BIT(62)));
	machine_put(&e->m, SPEMU_REG_HDFGWTR_EL2, drawn(seed, BIT(62)));
	machine_put(&e->m, SPEMU_REG_HDFGRTR2_EL2, drawn(seed, ~UINT64_C(0)));
	machine_put(&e->m, SPEMU_REG_HDFGWTR2_EL2, drawn(seed, ~UINT64_C(0)));
	machine_put(&e->m, SPEMU_REG_HFGRTR_EL2, drawn(seed, 0));
	machine_put(&e->m, SPEMU_REG_HFGWTR_EL2, drawn(seed, 0));
	machine_put(&e->m, SPEMU_REG_PMSCR_EL1, prng_next(seed));
	machine_put(&e->m, SPEMU_REG_PMSCR_EL2, prng_next(seed));
	machine_put(&e->m, SPEMU_REG_PMUSERENR_EL0, drawn(seed, prng_next(seed) & 1 ? 0x11 : 1));
	machine_put(&e->m, SPEMU_REG_PMUACR_EL1, prng_next(seed));
	machine_put(&e->m, SPEMU_REG_PMSELR_EL0, prng_next(seed));
}

static bool has_el2(const struct env *e)
{
	uint64_t scr = named_value(e, SPEMU_REG_SCR_EL3, BIT(18) | 1);

	return spemu_has(&e->m.features, SPEMU_EL2) &&
	       (!spemu_has(&e->m.features, SPEMU_EL3) || scr);
}

static bool tge(const struct env *e)
{
	return has_el2(e) && named_value(e, SPEMU_REG_HCR_EL2, BIT(27));
}

/* -- comparison */

static uint64_t comparisons, traps;

static uint8_t wanted(const struct env *e, const struct row *r)
{
	switch (r ? r->outcome : UNDEFINED) {
	case UNDEFINED:
		return SPEMU_ACCESS_UNDEFINED;
	case TRAP_EL2:
		return SPEMU_ACCESS_TRAP_EL2;
	case TRAP_EL3:
		return e->sdd ? SPEMU_ACCESS_UNDEFINED : SPEMU_ACCESS_TRAP_EL3;
	case USER:
		return tge(e) ? SPEMU_ACCESS_TRAP_EL2 : SPEMU_ACCESS_TRAP_EL1;
	case NVMEM:
		return SPEMU_ACCESS_NVMEM;
	default:
		return SPEMU_ACCESS_OK;
	}
}

/* Return ESR_ELx.ISS of EC 0x18, with Rt 0 (D24.2.45). */
static uint32_t iss(uint32_t encoding, unsigned write)
{
	for (unsigned op0 = 2; op0 < 4; op0++)
		for (unsigned op1 = 0; op1 < 8; op1++)
			for (unsigned n = 0; n < 16; n++)
				for (unsigned m = 0; m < 16; m++)
					for (unsigned op2 = 0; op2 < 8; op2++)
						if (SPEMU_SYSREG(op0, op1, n, m, op2) == encoding)
							return op0 << 20 | op2 << 17 | op1 << 14 |
							       n << 10 | m << 1 | !write;
	fail_msg("no encoding");
	return 0;
}

static void describe(const struct env *e, unsigned el, unsigned write, const struct row *r,
                     const struct spemu_access_result *got)
{
	struct spemu_features all = features_all();

	print_message("# %s %s at EL%u%s: row %d of it, %s; without", write ? "MSR" : "MRS",
	              e->reg->name, el, e->sdd ? ", sdd" : "",
	              r ? (int)(r - rows) - (int)e->reg->first : -1, got->rule ? got->rule : "ok");
	for (int i = 0; i < SPEMU_FEATURE_COUNT; i++)
		if (spemu_has(&all, (enum spemu_feature)i) !=
		    spemu_has(&e->m.features, (enum spemu_feature)i))
			print_message(" %s", spemu_feature_name((enum spemu_feature)i));
	print_message("\n");
}

/* Make the access at the current Exception level, in the unit that has the register. Return false
 * if no unit has it. */
static bool check(struct env *e, struct spemu_access_result *got, unsigned write)
{
	int status = SPEMU_ERR_NOT_SUPPORTED;

	if (e->m.spu)
		status = spemu_spu_access_check(e->m.spu, got, e->reg->encoding, write);
	if (status && e->m.pmu)
		status = spemu_pmu_access_check(e->m.pmu, got, e->reg->encoding, write);
	return status == SPEMU_OK;
}

static void compare(struct env *e, unsigned el, unsigned write, uint32_t syndrome)
{
	bool present = condition_holds(&conditions, e->reg->present);
	struct row *r = present ? deciding(e->reg, el, write) : NULL;
	struct spemu_access_result got;
	enum spemu_reg reached;
	uint8_t want = wanted(e, r);

	if (!check(e, &got, write))
		return;
	comparisons++;
	if (r)
		r->decided[write]++;
	if (r && r->outcome == FREE)
		return;
	if (got.outcome != want)
		describe(e, el, write, r, &got);
	assert_int_equal(got.outcome, want);
	if (want == SPEMU_ACCESS_NVMEM)
		assert_int_equal(got.nvmem_offset, r->offset);
	if (want == SPEMU_ACCESS_TRAP_EL1 || want == SPEMU_ACCESS_TRAP_EL2 ||
	    want == SPEMU_ACCESS_TRAP_EL3) {
		assert_int_equal(got.iss, syndrome);
		traps++;
	}
	if (want == SPEMU_ACCESS_OK && spemu_reg_by_name(r->reaches) >= 0) {
		assert_int_equal(
		        spemu_explain_access(e->m.pe, &got, &reached, e->reg->encoding, write, el),
		        SPEMU_OK);
		assert_int_equal(reached, spemu_reg_by_name(r->reaches));
	}
}

static void one_state(struct env *e, const uint32_t syndrome[])
{
	for (unsigned el = 0; el <= e->m.highest; el++) {
		if (el == 2 && !has_el2(e))
			continue;
		for (unsigned debug = 0; debug < (el == 3 ? 1 : 2); debug++) {
			struct spemu_pe_state state = {
			        .el = (uint8_t)el, .debug = debug, .edscr_sdd = debug};

			assert_int_equal(spemu_pe_set(e->m.pe, &state), SPEMU_OK);
			e->sdd = debug && e->m.highest == 3;
			for (unsigned i = 0; i < reg_count; i++)
				for (unsigned write = 0; write < 2; write++) {
					e->reg = &regs[i];
					compare(e, el, write, syndrome[i] ^ write);
				}
		}
	}
}

static void register_accesses_match_the_access_table(void **state)
{
	uint32_t syndrome[96];
	uint64_t seed = 20231;

	(void)state;
	for (unsigned i = 0; i < reg_count; i++)
		syndrome[i] = iss(regs[i].encoding, 0);
	for (unsigned n = 0; n < FEATURE_SETS; n += test_share()) {
		struct spemu_features set = feature_set(n);
		struct env e = {0};

		machine_start(&e.m, &set, feature_set_variant(n), n);
		conditions.ctx = &e;
		/* The set with all features reaches every row, so it gets more states than the sets
		 * in which a feature is missing. */
		for (unsigned i = 0; i < (n / 4 == SPEMU_FEATURE_COUNT ? 2000 : 16); i++) {
			randomize(&e, &seed);
			one_state(&e, syndrome);
		}
		machine_stop(&e.m);
	}
	print_message("# %llu accesses, %llu traps with their ISS, %u rows\n",
	              (unsigned long long)comparisons, (unsigned long long)traps, row_count);
}

/* Collect the values of all registers of the PE. */
static void all_values(struct env *e, uint64_t value[SPEMU_REG_COUNT])
{
	for (int i = 0; i < SPEMU_REG_COUNT; i++)
		assert_int_equal(spemu_reg_get(e->m.pe, &value[i], (enum spemu_reg)i), SPEMU_OK);
}

static unsigned long long written;

/* Check that MSR writes the row's register as spemu_reg_set() does and no other register, and that
 * MRS reads the value. */
static void write_one(struct env *e, const struct row *r, uint64_t value)
{
	enum spemu_reg target = (enum spemu_reg)spemu_reg_by_name(r->reaches);
	uint64_t before[SPEMU_REG_COUNT], after[SPEMU_REG_COUNT], want[SPEMU_REG_COUNT], read = 0;
	struct spemu_access_result got;

	all_values(e, before);
	machine_put(&e->m, target, value);
	all_values(e, want);
	machine_put(&e->m, target, before[target]);
	assert_int_equal(spemu_spu_msr(e->m.spu, &got, e->reg->encoding, value), SPEMU_OK);
	assert_int_equal(got.outcome, SPEMU_ACCESS_OK);
	all_values(e, after);
	for (int i = 0; i < SPEMU_REG_COUNT; i++) {
		if (after[i] != want[i])
			print_message("# MSR %s: %s is %#llx, not %#llx\n", e->reg->name,
			              spemu_reg_name((enum spemu_reg)i),
			              (unsigned long long)after[i], (unsigned long long)want[i]);
		assert_int_equal(after[i], want[i]);
	}
	if (spemu_spu_access_check(e->m.spu, &got, e->reg->encoding, false) == SPEMU_OK &&
	    got.outcome == SPEMU_ACCESS_OK) {
		assert_int_equal(spemu_spu_mrs(e->m.spu, &got, &read, e->reg->encoding), SPEMU_OK);
		assert_int_equal(read, after[target]);
	}
	machine_put(&e->m, target, before[target]);
	written++;
}

static void write_reaches_one_register(void **state)
{
	uint64_t seed = 77;
	struct spemu_features set = features_all();
	struct env e = {0};

	(void)state;
	machine_start(&e.m, &set, 1, 1);
	conditions.ctx = &e;
	for (unsigned n = 0; n < 400; n += test_share()) {
		randomize(&e, &seed);
		for (unsigned el = 1; el <= 3; el++) {
			if (el == 2 && !has_el2(&e))
				continue;
			machine_at(&e.m, el);
			for (unsigned i = 0; i < reg_count; i++) {
				const struct row *r;

				e.reg = &regs[i];
				r = deciding(e.reg, el, 1);
				if (r && r->outcome == REACHES &&
				    spemu_reg_by_name(r->reaches) >= 0 &&
				    spemu_spu_access_check(e.m.spu,
				                           &(struct spemu_access_result){0},
				                           e.reg->encoding, true) == SPEMU_OK)
					write_one(&e, r, prng_next(&seed));
			}
		}
	}
	machine_stop(&e.m);
	print_message("# %llu writes\n", written);
}

/* Return true if the names of two registers differ only in a number. Their rows are the same, so a
 * test of one of them is enough. */
static bool same_page(const struct reg *a, const struct reg *b)
{
	size_t stem = strcspn(a->name, "0123456789_");

	return a == b || (a->counter >= 0 && b->counter >= 0 && a->rows == b->rows &&
	                  strncmp(a->name, b->name, stem) == 0);
}

static bool decided(const struct reg *reg, unsigned row, unsigned write)
{
	for (unsigned i = 0; i < reg_count; i++)
		if (same_page(reg, &regs[i]) && rows[regs[i].first + row].decided[write])
			return true;
	return false;
}

static void every_table_row_was_decisive(void **state)
{
	unsigned never = 0;

	(void)state;
	if (test_share() != 1)
		NOT_HERE("a share of the cases does not meet every row");
	for (unsigned i = 0; i < reg_count; i++)
		for (unsigned k = 0; k < regs[i].rows; k++)
			for (unsigned write = 0; write < 2; write++)
				if ((rows[regs[i].first + k].directions & (write ? WRITE : READ)) &&
				    !decided(&regs[i], k, write)) {
					print_message("# %s, row %u, %s: never\n", regs[i].name, k,
					              write ? "MSR" : "MRS");
					never++;
				}
	assert_int_equal(never, 0);
}

static void every_register_is_in_the_table(void **state)
{
	struct spemu_reg_description d;

	(void)state;
	for (unsigned i = 0; spemu_reg_describe(&d, i) == SPEMU_OK; i++) {
		bool there = d.host_owned;

		for (unsigned k = 0; k < reg_count && !there; k++)
			there = regs[k].encoding == d.encoding;
		if (!there)
			print_message("# %s\n", d.name);
		assert_true(there);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_register_is_in_the_table),
	        cmocka_unit_test(register_accesses_match_the_access_table),
	        cmocka_unit_test(every_table_row_was_decisive),
	        cmocka_unit_test(write_reaches_one_register),
	};
	return cmocka_run_group_tests_name("register_access", tests, read_tables, NULL);
}
