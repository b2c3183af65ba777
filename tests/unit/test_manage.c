/* SPDX-License-Identifier: MIT */
/* Test the type of the address that is written, and the level of PMBIRQ (D17.7, D17.8). */
#include "spu_fixture.h"

#define S FIELD(PMBSR_EL1, S, 1)

static void start(struct fixture *f, unsigned pmsee, unsigned ee, unsigned e2pb)
{
	fixture_start(f, "v9.6", NULL);
	set(f, SPEMU_REG_SCR_EL3, FIELD(SCR_EL3, NS, 1));
	set(f, SPEMU_REG_HCR_EL2, 0);
	set(f, SPEMU_REG_PMBSR_EL2, 0);
	set(f, SPEMU_REG_PMBSR_EL3, 0);
	set(f, SPEMU_REG_MDCR_EL3, FIELD(MDCR_EL3, PMSEE, pmsee) | FIELD(MDCR_EL3, NSPB, 3));
	set(f, SPEMU_REG_MDCR_EL2, FIELD(MDCR_EL2, E2PB, e2pb));
	program(f, 1);
	set(f, SPEMU_REG_PMSCR_EL2, FIELD(PMSCR_EL2, EE, ee));
}

/* RRPSLW, RPSLVX: nVM, PMSCR_EL2.EnVM and the owner decide the type of the address. */
static void rrpslw_address_type_follows_nvm_and_owner(void **state)
{
	(void)state;
	for (unsigned c = 0; c < 8; c++) {
		bool nvm = c & 1, en_vm = c & 2, owner_el2 = c & 4;
		struct spemu_op op = an_op(SPEMU_OP_OTHER);
		struct fixture f;
		int expected = SPEMU_ADDRESS_VA;

		start(&f, 0, 0, owner_el2 ? 0 : 3);
		set(&f, SPEMU_REG_PMSCR_EL2, FIELD(PMSCR_EL2, EnVM, en_vm));
		set(&f, SPEMU_REG_PMBLIMITR_EL1,
		    (BUFFER_BASE + BUFFER_SIZE) | FIELD(PMBLIMITR_EL1, nVM, nvm) |
		            FIELD(PMBLIMITR_EL1, E, 1));
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

/* RTSJRP: PMBIRQ is as in the IRQ column of Table D17-8 while PMBSR_EL1.S is set. */
static void table_d17_8_pmbirq_follows_pmsee_and_ee(void **state)
{
	(void)state;
	for (unsigned c = 0; c < 64; c++) {
		unsigned pmsee = c & 3, ee2 = c >> 2 & 3, ee1 = c >> 4;
		bool high = pmsee == 0 || ee2 == 0 || ee1 < 2;
		struct fixture f;

		start(&f, pmsee, ee2, 3);
		set(&f, SPEMU_REG_PMSCR_EL1, FIELD(PMSCR_EL1, EE, ee1));
		set(&f, SPEMU_REG_PMBSR_EL1, S);
		assert_int_equal(spemu_spu_pmbirq(f.spu), high);
		assert_int_equal(f.irq, high);
		set(&f, SPEMU_REG_PMBSR_EL1, 0);
		assert_false(f.irq);
		fixture_stop(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(rrpslw_address_type_follows_nvm_and_owner),
	        cmocka_unit_test(table_d17_8_pmbirq_follows_pmsee_and_ee),
	};
	return cmocka_run_group_tests_name("manage", tests, NULL, NULL);
}
