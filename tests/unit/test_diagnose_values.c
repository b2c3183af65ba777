/* SPDX-License-Identifier: MIT */
/* Test the diagnostics of strict mode about values that software writes. Each test also has values
 * that must not cause the diagnostic. */
#include "strict_fixture.h"

#define FEATURES "v8.7" EL1_ONLY
#define LIMIT (BUFFER_BASE + BUFFER_SIZE)

static void reserved_values_and_bits_are_reported(void **state)
{
	struct strict_fixture m;

	(void)state;
	strict_start(&m, FEATURES, 0, false);
	MSR(&m, PMBLIMITR_EL1, NAMED(PMBLIMITR_EL1, FM, DISCARD));
	MSR(&m, PMSCR_EL1, NAMED(PMSCR_EL1, PCT, PHYSICAL)); /* without EL2, PCT reads as 0b01 */
	/* Drivers probe the register with all ones. Bits without a feature are RAZ/WI, not RES0. */
	MSR(&m, PMSEVFR_EL1, UINT64_MAX);
	assert_only_reported(&m, NULL);
	MSR(&m, PMBLIMITR_EL1, FIELD(PMBLIMITR_EL1, FM, 1));
	assert_only_reported(&m, "reserved-value");
	assert_string_equal(m.diagnostic[0].value[0].name, "PMBLIMITR_EL1");
	assert_int_equal(m.diagnostic[0].value[0].value, 2);
	m.diagnostics = 0;
	MSR(&m, PMBLIMITR_EL1, 0xf00);
	assert_only_reported(&m, "reserved-bits-set");
	strict_stop(&m);
	/* 0b01 is a reserved value of MDCR_EL2.E2PB. The host writes the register for software at
	 * EL2. */
	strict_start(&m, "v9.4", 0, false);
	set(&m.f, SPEMU_REG_MDCR_EL2, NAMED(MDCR_EL2, E2PB, EL1));
	assert_only_reported(&m, NULL);
	set(&m.f, SPEMU_REG_MDCR_EL2, FIELD(MDCR_EL2, E2PB, 1));
	assert_only_reported(&m, "reserved-value");
	strict_stop(&m);
}

static void unpredictable_filters_are_reported(void **state)
{
	enum {
		FE = 1 << SPEMU_PMSFCR_EL1_FE_LSB,
		FT = 1 << SPEMU_PMSFCR_EL1_FT_LSB,
		FL = 1 << SPEMU_PMSFCR_EL1_FL_LSB,
		FNE = 1 << SPEMU_PMSFCR_EL1_FnE_LSB,
	};
	static const struct {
		uint64_t fcr, evfr, nevfr, lat;
		bool bad;
	} rows[] = {
	        {FE, 0, 0, 0, true},
	        {FE, 2, 0, 0, false},
	        {FNE, 0, 0, 0, true},
	        {FNE, 0, 2, 0, false},
	        {FE | FNE, 2, 0x82, 0, true},
	        {FE | FNE, 2, 0x80, 0, false},
	        {FL, 0, 0, 0, true},
	        {FL, 0, 0, 9, false},
	        {FT, 0, 0, 0, true},
	        {FT | FIELD(PMSFCR_EL1, B, 1), 0, 0, 0, false},
	        {FT | FIELD(PMSFCR_EL1, ST, 1), 0, 0, 0, false},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct strict_fixture m;

		strict_start(&m, FEATURES, i, false);
		MSR(&m, PMSFCR_EL1, rows[i].fcr);
		MSR(&m, PMSEVFR_EL1, rows[i].evfr);
		MSR(&m, PMSNEVFR_EL1, rows[i].nevfr);
		MSR(&m, PMSLATFR_EL1, rows[i].lat);
		ISB(&m);
		assert_only_reported(&m, NULL); /* no diagnostic before profiling is enabled */
		strict_program(&m, BUFFER_BASE, LIMIT);
		assert_only_reported(&m, rows[i].bad ? "filter-unpredictable" : NULL);
		strict_stop(&m);
	}
}

static void zero_and_too_small_intervals_are_reported(void **state)
{
	struct strict_fixture m;

	(void)state;
	strict_start(&m, FEATURES, 0, false);
	strict_program(&m, BUFFER_BASE, LIMIT); /* the interval is 256, the minimum */
	assert_only_reported(&m, NULL);
	strict_off(&m);
	MSR(&m, PMSIRR_EL1, 0);
	ISB(&m);
	MSR(&m, PMSCR_EL1, E1SPE);
	ISB(&m);
	assert_only_reported(&m, "interval-zero");
	strict_stop(&m);
	{
		struct spemu_spu_config config = {.size = sizeof(config), .min_interval = 1024};
		struct spemu_spu_host host = {.size = sizeof(host),
		                              .ctx = &m,
		                              .buffer_write = fixture_write,
		                              .diagnostic = strict_diagnostic};

		for (unsigned n = 3; n <= 4; n++) {
			memset(&m, 0, sizeof(m));
			fixture_make(&m.f, pe_make(FEATURES), &config, &host);
			program(&m.f, n);
			spemu_spu_set_strict(m.f.spu, true, 0);
			m.diagnostics = 0;
			set(&m.f, SPEMU_REG_PMSIRR_EL1, FIELD(PMSIRR_EL1, INTERVAL, n));
			assert_only_reported(&m, n == 3 ? "interval-below-minimum" : NULL);
			strict_stop(&m);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(reserved_values_and_bits_are_reported),
	        cmocka_unit_test(unpredictable_filters_are_reported),
	        cmocka_unit_test(zero_and_too_small_intervals_are_reported),
	};

	return cmocka_run_group_tests_name("diagnose_values", tests, NULL, NULL);
}
