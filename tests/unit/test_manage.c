/* SPDX-License-Identifier: MIT */
/* D17.8: which PMBSR_ELx records an event, which kind of address is written, who drives PMBIRQ. */
#include "spu_fixture.h"

#define S (UINT64_C(1) << 17)

/* Patterns as the manual prints them: MDCR_EL3.PMSEE, PMSCR_EL2.EE, MDCR_EL2.E2PB, one more bit. */
struct row {
	const char *pmsee, *ee, *e2pb, *bit;
	uint8_t stage1, stage2, other; /* the ELx of PMBSR_ELx */
};

static bool matches(const char *pattern, unsigned value)
{
	return (pattern[0] == 'x' || pattern[0] - '0' == (int)(value >> 1)) &&
	       (pattern[1] == 'x' || pattern[1] - '0' == (int)(value & 1));
}

static void start(struct fixture *f, unsigned pmsee, unsigned ee, unsigned e2pb)
{
	fixture_start(f, "v9.6", NULL);
	set(f, SPEMU_REG_SCR_EL3, 1);
	set(f, SPEMU_REG_HCR_EL2, 0);
	set(f, SPEMU_REG_PMBSR_EL2, 0);
	set(f, SPEMU_REG_PMBSR_EL3, 0);
	set(f, SPEMU_REG_MDCR_EL3, (uint64_t)pmsee << 51 | 3 << 12);
	set(f, SPEMU_REG_MDCR_EL2, (uint64_t)e2pb << 12);
	program(f, 1);
	set(f, SPEMU_REG_PMSCR_EL2, (uint64_t)ee << 8);
}

/* The EL whose PMBSR has S set; exactly one has. */
static unsigned recorded_in(const struct fixture *f)
{
	unsigned s1 = !!(reg(f, SPEMU_REG_PMBSR_EL1) & S);
	unsigned s2 = !!(reg(f, SPEMU_REG_PMBSR_EL2) & S);
	unsigned s3 = !!(reg(f, SPEMU_REG_PMBSR_EL3) & S);

	assert_int_equal(s1 + s2 + s3, 1);
	return s1 ? 1 : s2 ? 2 : 3;
}

static unsigned provoke_fault(struct fixture *f, uint16_t kind, uint8_t fsc)
{
	struct spemu_op op = an_op(SPEMU_OP_OTHER);
	unsigned el;

	f->fault = (struct spemu_fault){.kind = kind, .fsc = fsc};
	f->fault_at = BUFFER_BASE;
	assert_int_equal(sample(f, &op).outcome, SPEMU_SAMPLE_LOST);
	el = recorded_in(f);
	fixture_stop(f);
	return el;
}

static unsigned provoke_buffer_full(struct fixture *f)
{
	struct spemu_op op = an_op(SPEMU_OP_OTHER);
	unsigned el;

	set(f, SPEMU_REG_PMBPTR_EL1, BUFFER_BASE + BUFFER_SIZE - 64);
	assert_true(sample(f, &op).management_event);
	el = recorded_in(f);
	fixture_stop(f);
	return el;
}

/* Table D17-7: other aborts and other events. */
static void reporting_register(void **state)
{
	static const struct row rows[] = {
	        {"00", "xx", "xx", "x", 1, 1, 1}, {"01", "0x", "xx", "x", 1, 1, 1},
	        {"01", "10", "00", "x", 2, 2, 1}, {"01", "10", "1x", "x", 1, 2, 1},
	        {"01", "11", "xx", "x", 2, 2, 2}, {"10", "0x", "xx", "x", 1, 1, 1},
	        {"10", "10", "00", "x", 2, 2, 1}, {"10", "10", "1x", "x", 1, 2, 1},
	        {"10", "11", "xx", "x", 2, 2, 2}, {"11", "xx", "xx", "x", 3, 3, 3},
	};
	unsigned combinations = 0;

	(void)state;
	for (unsigned c = 0; c < 64; c++) {
		unsigned pmsee = c & 3, ee = c >> 2 & 3, e2pb = c >> 4;

		for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
			struct fixture f;

			if (e2pb == 1 || !matches(rows[i].pmsee, pmsee) ||
			    !matches(rows[i].ee, ee) || !matches(rows[i].e2pb, e2pb))
				continue;
			combinations++;
			start(&f, pmsee, ee, e2pb);
			assert_int_equal(provoke_fault(&f, SPEMU_FAULT_STAGE1, 7), rows[i].stage1);
			start(&f, pmsee, ee, e2pb);
			assert_int_equal(provoke_fault(&f, SPEMU_FAULT_STAGE2, 7), rows[i].stage2);
			start(&f, pmsee, ee, e2pb);
			assert_int_equal(provoke_buffer_full(&f), rows[i].other);
		}
	}
	assert_int_equal(combinations, 4 * 4 * 3); /* the table is complete and has no overlap */
}

/* Table D17-6: External aborts on translation table walks (FSC 0b010100), by SCR_EL3.EA. */
static void reporting_register_of_external_aborts(void **state)
{
	static const struct row rows[] = {
	        {"00", "xx", "xx", "x", 1, 1, 0}, {"01", "0x", "xx", "x", 1, 1, 0},
	        {"01", "10", "00", "x", 2, 2, 0}, {"01", "10", "1x", "x", 1, 2, 0},
	        {"01", "11", "xx", "x", 2, 2, 0}, {"10", "0x", "xx", "0", 1, 1, 0},
	        {"10", "10", "00", "0", 2, 2, 0}, {"10", "10", "1x", "0", 1, 2, 0},
	        {"10", "11", "xx", "0", 2, 2, 0}, {"10", "xx", "xx", "1", 3, 3, 0},
	        {"11", "xx", "xx", "x", 3, 3, 0},
	};
	unsigned combinations = 0;

	(void)state;
	for (unsigned c = 0; c < 128; c++) {
		unsigned pmsee = c & 3, ee = c >> 2 & 3, e2pb = c >> 4 & 3, ea = c >> 6;

		for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
			struct fixture f;

			if (e2pb == 1 || !matches(rows[i].pmsee, pmsee) ||
			    !matches(rows[i].ee, ee) || !matches(rows[i].e2pb, e2pb) ||
			    (rows[i].bit[0] != 'x' && rows[i].bit[0] - '0' != (int)ea))
				continue;
			combinations++;
			start(&f, pmsee, ee, e2pb);
			set(&f, SPEMU_REG_SCR_EL3, ea << 3 | 1);
			assert_int_equal(provoke_fault(&f, SPEMU_FAULT_STAGE1, 0x14),
			                 rows[i].stage1);
			start(&f, pmsee, ee, e2pb);
			set(&f, SPEMU_REG_SCR_EL3, ea << 3 | 1);
			assert_int_equal(provoke_fault(&f, SPEMU_FAULT_STAGE2, 0x14),
			                 rows[i].stage2);
		}
	}
	assert_int_equal(combinations, 2 * 4 * 4 * 3);
}

/* RRPSLW, RPSLVX: nVM and PMSCR_EL2.EnVM decide, by owner. */
static void kind_of_address(void **state)
{
	(void)state;
	for (unsigned c = 0; c < 8; c++) {
		bool nvm = c & 1, en_vm = c & 2, owner_el2 = c & 4;
		struct spemu_op op = an_op(SPEMU_OP_OTHER);
		struct fixture f;
		int expected = SPEMU_ADDRESS_VA;

		start(&f, 0, 0, owner_el2 ? 0 : 3);
		set(&f, SPEMU_REG_PMSCR_EL2, en_vm << 11);
		set(&f, SPEMU_REG_PMBLIMITR_EL1, (BUFFER_BASE + BUFFER_SIZE) | nvm << 7 | 1);
		sample(&f, &op);
		if (nvm && owner_el2)
			expected = SPEMU_ADDRESS_PA; /* EnVM is Effectively 1 */
		else if (nvm && en_vm)
			expected = SPEMU_ADDRESS_IPA;
		assert_int_equal(f.last_access.address_type, expected);
		assert_int_equal(f.last_access.owner_el, owner_el2 ? 2 : 1);
		fixture_stop(&f);
	}
}

/* RTSJRP: the IRQ column of Table D17-8, with PMBSR_EL1.S set. */
static void interrupt_enable(void **state)
{
	(void)state;
	for (unsigned c = 0; c < 64; c++) {
		unsigned pmsee = c & 3, ee2 = c >> 2 & 3, ee1 = c >> 4;
		bool high = pmsee == 0 || ee2 == 0 || ee1 < 2;
		struct fixture f;

		start(&f, pmsee, ee2, 3);
		set(&f, SPEMU_REG_PMSCR_EL1, ee1 << 8);
		set(&f, SPEMU_REG_PMBSR_EL1, S);
		assert_int_equal(spemu_pmbirq(f.spu), high);
		assert_int_equal(f.irq, high);
		set(&f, SPEMU_REG_PMBSR_EL1, 0);
		assert_false(f.irq);
		fixture_stop(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(reporting_register),
	        cmocka_unit_test(reporting_register_of_external_aborts),
	        cmocka_unit_test(kind_of_address),
	        cmocka_unit_test(interrupt_enable),
	};
	return cmocka_run_group_tests_name("manage", tests, NULL, NULL);
}
