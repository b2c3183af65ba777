/* SPDX-License-Identifier: MIT */
/*
 * Test two parts of the interface. explain.h reports controls whose Effective value differs from
 * their bits, with the reasons. sysreg.h bounds the indexes of the register reference.
 *
 * Arm ARM: DDI 0487 M.a, D24.2, D24.3, D24.7, D17.7.5
 */
#include "pe_fixture.h"

#include <string.h>

#include "explain/explain.h"

static void put(struct spemu_machine *m, const char *text)
{
	struct spemu_refusal_detail detail;

	assert_int_equal(spemu_machine_set(m, &detail, text, strlen(text)), SPEMU_OK);
}

/* The Effective value of a control in a state, and the reason. The values are from the page of each
 * register in D24.2, D24.3 and D24.7. */
static const struct reason {
	const char *state; /* settings, separated by blanks */
	const char *name;
	uint64_t raw, effective;
	const char *why; /* NULL: the Effective value is the written value */
} reasons[] = {
        {"features=v9.6", "SCR_EL3.NS", 0, 0, NULL},
        {"features=v9.6,-FEAT_SEL2", "SCR_EL3.NS", 0, 1, "Secure state is not implemented"},
        {"features=v8.2,-EL3", "SCR_EL3.NS", 0, 1,
         "EL3 is not implemented: the PE is in Non-secure state"},
        {"features=v9.6 SCR_EL3.NSE=1", "SCR_EL3.NSE", 1, 1, NULL},
        {"features=v8.4,-EL3,+SecureOnly", "SCR_EL3.EEL2", 0, 1,
         "EL3 is not implemented, and the PE has Secure state only"},
        {"features=v8.2,-EL3", "MDCR_EL3.NSPB", 0, 3,
         "EL3 is not implemented: the only Security state owns the buffer"},
        {"features=v9.2 MDCR_EL3.NSPBE=1 MDCR_EL3.NSPB=3", "MDCR_EL3.NSPBE", 1, 1, NULL},
        {"features=v9.2 MDCR_EL3.NSPBE=1 MDCR_EL3.NSPB=1", "MDCR_EL3.NSPBE", 1, 0,
         "{NSPBE, NSPB} is reserved (choice reserved-nspb)"},
        {"features=v9.6 MDCR_EL3.PMSEE=2", "MDCR_EL3.PMSEE", 2, 2, NULL},
        {"features=v9.6,-EL3,-FEAT_RME", "MDCR_EL3.PMSEE", 0, 1, "EL3 is not implemented"},
        {"features=v8.2 SCR_EL3.NS=1 MDCR_EL3.NSPB=3 MDCR_EL2.E2PB=1", "MDCR_EL2.E2PB", 1, 3,
         "0b01 is reserved (choice reserved-e2pb)"},
        {"features=v8.2 SCR_EL3.NS=1 MDCR_EL3.NSPB=3 MDCR_EL2.E2PB=2", "MDCR_EL2.E2PB", 2, 2, NULL},
        {"features=v8.2 MDCR_EL3.NSPB=1", "MDCR_EL2.E2PB", 0, 3,
         "EL2 is not enabled in the owning Security state"},
        {"features=v8.4,-EL2", "MDCR_EL2.E2PB", 0, 3, "EL2 is not implemented"},
        {"features=v8.2 SCR_EL3.NS=1 HCR_EL2.TGE=1", "HCR_EL2.TGE", 1, 1, NULL},
        {"features=v8.2 HCR_EL2.TGE=1", "HCR_EL2.TGE", 1, 0,
         "EL2 is not enabled in the current Security state"},
        {"features=v8.4 HCR_EL2.E2H=1", "HCR_EL2.E2H", 1, 1, NULL},
        {"features=v9.6,-FEAT_E2H0", "HCR_EL2.E2H", 0, 1,
         "FEAT_E2H0 is not implemented: E2H is always 1"},
        {"features=v8.4 SCR_EL3.NS=1 HCR_EL2.NV=1 HCR_EL2.NV1=1", "HCR_EL2.NV1", 1, 1, NULL},
        {"features=v8.4 SCR_EL3.NS=1 HCR_EL2.NV=1", "HCR_EL2.NV1", 0, 0, NULL},
        {"features=v8.4 SCR_EL3.NS=1 HCR_EL2.NV=1 HCR_EL2.NV2=1", "HCR_EL2.NV", 1, 1, NULL},
        {"features=v8.4 SCR_EL3.NS=1 HCR_EL2.NV=1 HCR_EL2.NV2=1", "HCR_EL2.NV2", 1, 1, NULL},
        {"features=v8.4 SCR_EL3.NS=1 HCR_EL2.NV2=1", "HCR_EL2.NV2", 1, 0,
         "HCR_EL2.NV is 0 (choice nv1-without-nv)"},
        {"features=v8.4 HCR_EL2.NV=1", "HCR_EL2.NV", 1, 0,
         "EL2 is not enabled in the current Security state"},
        {"features=v9.6 SCR_EL3.NS=1 PMSCR_EL2.EE=1", "PMSCR_EL2.EE", 1, 0,
         "MDCR_EL3.PMSEE is 0b00"},
        {"features=v9.6 SCR_EL3.NS=1 MDCR_EL3.PMSEE=1 PMSCR_EL2.EE=3", "PMSCR_EL2.EE", 3, 3, NULL},
        {"features=v9.6 MDCR_EL3.PMSEE=1", "PMSCR_EL2.EE", 0, 1,
         "EL2 is not enabled in the current Security state"},
        {"features=v9.6,-EL2 MDCR_EL3.PMSEE=1", "PMSCR_EL2.EE", 0, 1, "EL2 is not implemented"},
        {"features=v9.6 SCR_EL3.NS=1 MDCR_EL3.PMSEE=1 PMSCR_EL1.EE=3", "PMSCR_EL1.EE", 3, 0,
         "the Effective PMSCR_EL2.EE is 0b00"},
        {"features=v9.6 MDCR_EL3.PMSEE=1 PMSCR_EL1.EE=2", "PMSCR_EL1.EE", 2, 3,
         "0b01 and 0b10 take both bits from bit 1"},
        {"features=v9.6 MDCR_EL3.PMSEE=1 PMSCR_EL1.EE=3", "PMSCR_EL1.EE", 3, 3, NULL},
        {"features=v9.6,-EL2 MDCR_EL3.PMSEE=1 PMSCR_EL1.EE=1", "PMSCR_EL1.EE", 1, 0,
         "0b01 and 0b10 are reserved (choice reserved-pmsee)"},
        {"features=v9.6 SCR_EL3.NS=1 MDCR_EL3.NSPB=3 MDCR_EL2.E2PB=3 PMBLIMITR_EL1.nVM=1",
         "PMBLIMITR_EL1.nVM", 1, 0, "the Effective PMSCR_EL2.EnVM is 0"},
        {"features=v9.6 SCR_EL3.NS=1 MDCR_EL3.NSPB=3 MDCR_EL2.E2PB=3 PMBLIMITR_EL1.nVM=1 "
         "PMSCR_EL2.EnVM=1",
         "PMBLIMITR_EL1.nVM", 1, 1, NULL},
        {"features=v9.6 SCR_EL3.NS=1 MDCR_EL3.NSPB=3", "PMSCR_EL2.EnVM", 0, 1,
         "the owning Exception level is EL2"},
        {"features=v9.6 MDCR_EL3.NSPB=1", "PMSCR_EL2.EnVM", 0, 1,
         "EL2 is not enabled in the owning Security state"},
        {"features=v9.6,-FEAT_SPEv1p5,-FEAT_SPE_EXC,-FEAT_SPE_nVM MDCR_EL3.NSPB=1",
         "PMSCR_EL2.EnVM", 0, 0, NULL},
        {"features=v8.4,-EL2", "PMSCR_EL2.PA", 0, 1, "EL2 is not implemented"},
        {"features=v8.2 SCR_EL3.NS=1 MDCR_EL3.NSPB=3 PMSCR_EL2.PA=1", "PMSCR_EL2.PA", 1, 1, NULL},
        {"features=v8.2 SCR_EL3.NS=1 MDCR_EL3.NSPB=3", "PMSCR_EL2.PA", 0, 0, NULL},
};

static void put_all(struct spemu_machine *m, const char *text)
{
	char one[64];

	while (*text) {
		size_t size = strcspn(text, " ");

		assert_true(size < sizeof(one));
		memcpy(one, text, size);
		one[size] = 0;
		put(m, one);
		text += size + (text[size] == ' ');
	}
}

static void effective_values_have_value_and_reason(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(reasons) / sizeof(*reasons); i++) {
		const struct reason *r = &reasons[i];
		struct spemu_machine memory, *m;
		struct spemu_effective e;
		unsigned k = 0;

		assert_int_equal(spemu_machine_init(&m, &memory, sizeof(memory)), SPEMU_OK);
		for (unsigned reg = 0; reg < SPEMU_REG_COUNT; reg++)
			spemu_machine_set_reg(m, (enum spemu_reg)reg, 0);
		put_all(m, r->state);
		do
			assert_int_equal(spemu_explain_effective(&m->pe, &e, k++), SPEMU_OK);
		while (strcmp(e.name, r->name) != 0);
		if (e.raw != r->raw || e.effective != r->effective)
			fail_msg("%s in \"%s\": %u, Effective %u", r->name, r->state,
			         (unsigned)e.raw, (unsigned)e.effective);
		if (!r->why)
			assert_null(e.why);
		else
			assert_string_equal(e.why, r->why);
	}
}

/* The register reference has exactly as many fields and value names as it reports. Each is within
 * its bounds. */
static void register_reference_indexes_are_bounded(void **state)
{
	struct spemu_reg_description r;
	struct spemu_field_description f;
	struct spemu_enum_description e;
	unsigned registers = 0, enums = 0;

	(void)state;
	for (; spemu_reg_describe(&r, registers) == SPEMU_OK; registers++) {
		for (unsigned i = 0; i < r.field_count; i++) {
			assert_int_equal(spemu_field_describe(&f, registers, i), SPEMU_OK);
			assert_true(f.lo <= f.hi && f.hi < 64);
			for (unsigned k = 0; k < f.enum_count; k++, enums++) {
				assert_int_equal(spemu_enum_describe(&e, registers, i, k),
				                 SPEMU_OK);
				assert_true(f.hi - f.lo == 63 || e.value >> (f.hi - f.lo + 1) == 0);
				assert_true(e.name[0] != 0);
			}
			assert_int_equal(spemu_enum_describe(&e, registers, i, f.enum_count),
			                 SPEMU_ERR_INVALID);
		}
		assert_int_equal(spemu_field_describe(&f, registers, r.field_count),
		                 SPEMU_ERR_INVALID);
		assert_int_equal(spemu_enum_describe(&e, registers, r.field_count, 0),
		                 SPEMU_ERR_INVALID);
	}
	assert_int_equal(spemu_field_describe(&f, registers, 0), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_enum_describe(&e, registers, 0, 0), SPEMU_ERR_INVALID);
	assert_true(registers > 50 && enums > 20);
}

/* ELIsInHost() is true at EL2, and at EL0 with TGE, if EL2 uses AArch64 and HCR_EL2.E2H is 1. */
static void host_levels_are_el2_and_el0_with_e2h(void **state)
{
	static const struct {
		const char *state;
		bool el0, el2;
	} rows[] = {
	        {"features=v8.4 SCR_EL3.NS=1 HCR_EL2.E2H=1 HCR_EL2.TGE=1", true, true},
	        {"features=v8.4 SCR_EL3.NS=1 HCR_EL2.E2H=1", false, true},
	        {"features=v8.4 SCR_EL3.NS=1 HCR_EL2.TGE=1", false, false},
	        {"features=v8.4 HCR_EL2.E2H=1 HCR_EL2.TGE=1", false, false},
	        {"features=v8.4 SCR_EL3.NS=1 HCR_EL2.E2H=1 HCR_EL2.TGE=1 EL2.nRW=1", false, false},
	        {"features=v8.4 SCR_EL3.NS=1 HCR_EL2.E2H=1 HCR_EL2.TGE=1 EL1.nRW=1", true, true},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct spemu_machine memory, *m;

		assert_int_equal(spemu_machine_init(&m, &memory, sizeof(memory)), SPEMU_OK);
		put_all(m, rows[i].state);
		assert_int_equal(spemu__pe_el_is_in_host(&m->pe, 0), rows[i].el0);
		assert_false(spemu__pe_el_is_in_host(&m->pe, 1));
		assert_int_equal(spemu__pe_el_is_in_host(&m->pe, 2), rows[i].el2);
		assert_false(spemu__pe_el_is_in_host(&m->pe, 3));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(effective_values_have_value_and_reason),
	        cmocka_unit_test(register_reference_indexes_are_bounded),
	        cmocka_unit_test(host_levels_are_el2_and_el0_with_e2h),
	};
	return cmocka_run_group_tests_name("effective_value", tests, NULL, NULL);
}
