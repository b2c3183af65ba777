/* SPDX-License-Identifier: MIT */
/* Test the identification registers of the SPU, and the configurations that the SPU refuses
 * (D24.7.1, D24.7.14). */
#include "spu_fixture.h"

#include "pe/pe_object.h"
#include "spu/spu_object.h"

static uint64_t pmsidr(const char *features, const struct spemu_spu_config *config)
{
	struct fixture f;
	uint64_t value;

	fixture_start(&f, features, config);
	value = reg(&f, SPEMU_REG_PMSIDR_EL1);
	fixture_stop(&f);
	return value;
}

/* The values of PMSIDR_EL1 are computed by hand: FE, FT and FL are 1, MaxSize is 6 (64 bytes), and
 * CountSize is 2 (12-bit counters). */
static void pmsidr_follows_features(void **state)
{
	const uint64_t base = 0x7 | 2 << 16;
	const struct {
		const char *features;
		uint64_t extra, max_size; /* max_size is 7 if a GCS return has more than 64 bytes */
	} rows[] = {
	        {"v8.2,-FEAT_SPE_LDS" EL1_ONLY, 0, 6},
	        {"v8.2" EL1_ONLY, 1 << 4, 6},
	        {"v8.2,+FEAT_SPE_ERnd,+FEAT_SPE_ArchInst" EL1_ONLY, 1 << 4 | 1 << 5 | 1 << 3, 6},
	        {"v8.7" EL1_ONLY, 1 << 4 | 1 << 6, 6},
	        {"v8.9" EL1_ONLY, 1 << 4 | 1 << 6 | 1 << 7 | 1 << 25, 6},
	        {"v9.5" EL1_ONLY, 1 << 4 | 1 << 6 | 1 << 7 | 1 << 25 | 1 << 26 | 1 << 27, 7},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_int_equal(pmsidr(rows[i].features, NULL),
		                 base | rows[i].extra | rows[i].max_size << 12);
}

static void pmsidr_maxsize_and_interval_follow_configuration(void **state)
{
	const uint16_t operations[] = {256, 512, 768, 1024, 1536, 2048, 3072, 4096};
	const unsigned encoding[] = {0, 2, 3, 4, 5, 6, 7, 8};

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		struct spemu_spu_config config = {.min_interval = operations[i]};

		assert_int_equal(pmsidr("v8.2" EL1_ONLY, &config) >> 8 & 15, encoding[i]);
	}
	for (unsigned log2 = 6; log2 <= 11; log2++) {
		struct spemu_spu_config config = {.max_size_log2 = (uint8_t)log2};

		assert_int_equal(pmsidr("v8.2" EL1_ONLY, &config) >> 12 & 15, log2);
	}
}

/* PMBIDR_EL1: Align follows the layout, F and EA exist from Armv8.8 on, and AddrMode follows EnVM
 * and P. */
static void pmbidr_follows_layout_features_and_owner(void **state)
{
	struct fixture f;
	struct spemu_spu_config aligned = {.layout = spemu_layout_neoverse};

	(void)state;
	fixture_start(&f, "v8.2" EL1_ONLY, &aligned);
	assert_int_equal(reg(&f, SPEMU_REG_PMBIDR_EL1), 6);
	fixture_stop(&f);
	fixture_start(&f, "v8.8" EL1_ONLY, NULL);
	assert_int_equal(reg(&f, SPEMU_REG_PMBIDR_EL1), 1 << 8 | 1 << 5);
	fixture_stop(&f);

	fixture_start(&f, "v9.6", NULL);
	set(&f, SPEMU_REG_SCR_EL3, FIELD(SCR_EL3, NS, 1));
	set(&f, SPEMU_REG_MDCR_EL3, FIELD(MDCR_EL3, NSPB, 3));
	for (unsigned n = 0; n < 8; n++) {
		bool en_vm = n & 1, owner_el2 = n & 2;
		unsigned el = n & 4 ? 2 : 1;
		bool p = owner_el2 && el == 1;
		unsigned mode = (en_vm || owner_el2) && !p ? 1 : 0;

		set(&f, SPEMU_REG_MDCR_EL2, owner_el2 ? 0 : NAMED(MDCR_EL2, E2PB, EL1));
		set(&f, SPEMU_REG_PMSCR_EL2, FIELD(PMSCR_EL2, EnVM, en_vm));
		at_el(&f, el);
		assert_int_equal(reg(&f, SPEMU_REG_PMBIDR_EL1) >> 4 & 1, p);
		assert_int_equal(reg(&f, SPEMU_REG_PMBIDR_EL1) >> 6 & 3, mode);
	}
	fixture_stop(&f);
}

/* D24.2: ID_AA64DFR0_EL1.PMSVer, ID_AA64DFR1_EL1.DPFZS and ID_AA64DFR2_EL1. */
static void id_registers_follow_features(void **state)
{
	const struct {
		const char *features;
		unsigned pmsver, dpfzs;
		uint64_t dfr2;
	} rows[] = {
	        {"v8.2", 1, 0, 0}, {"v8.5", 2, 0, 0}, {"v8.7", 3, 0, 0},
	        {"v8.8", 4, 0, 0}, {"v8.9", 5, 1, 0}, {"v9.6", 6, 1, 1 << 20 | 1 << 16},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct fixture f;
		struct spemu_access_result result;

		fixture_start(&f, rows[i].features, NULL);
		/* Fields of the host keep the written value. Fields of the model cannot be
		 * changed. */
		set(&f, SPEMU_REG_ID_AA64DFR0_EL1, ~UINT64_C(0));
		assert_true(
		        reg(&f, SPEMU_REG_ID_AA64DFR0_EL1) ==
		        ((~UINT64_C(0) & ~(UINT64_C(15) << 32)) | (uint64_t)rows[i].pmsver << 32));
		assert_int_equal(reg(&f, SPEMU_REG_ID_AA64DFR1_EL1) >> 52, rows[i].dpfzs);
		assert_int_equal(reg(&f, SPEMU_REG_ID_AA64DFR2_EL1), rows[i].dfr2);
		at_el(&f, 3);
		spemu_spu_msr(f.spu, &result, SPEMU_SYSREG_ID_AA64DFR0_EL1, 0);
		assert_int_equal(result.outcome, SPEMU_ACCESS_UNDEFINED);
		fixture_stop(&f);
	}
}

/* Table D8-5: the sizes of physical addresses, and the features that some sizes need. */
static void table_d8_5_physical_address_sizes(void **state)
{
	const struct {
		const char *features;
		uint64_t valid; /* bit n is set if n bits are a valid size */
		unsigned by_default;
	} rows[] = {
	        {"v8.2",
	         UINT64_C(1) << 32 | UINT64_C(1) << 36 | UINT64_C(1) << 40 | UINT64_C(1) << 42 |
	                 UINT64_C(1) << 44 | UINT64_C(1) << 48,
	         48},
	        {"v8.2,+FEAT_LPA",
	         UINT64_C(1) << 32 | UINT64_C(1) << 36 | UINT64_C(1) << 40 | UINT64_C(1) << 42 |
	                 UINT64_C(1) << 44 | UINT64_C(1) << 48 | UINT64_C(1) << 52,
	         52},
	};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		for (unsigned bits = 0; bits < 64; bits++) {
			struct spemu_pe_config config = {.size = sizeof(config),
			                                 .pa_bits = (uint8_t)bits};
			void *memory = malloc(spemu_pe_size());
			bool valid = !bits || (rows[i].valid >> bits & 1);
			struct spemu_pe *pe;

			assert_int_equal(
			        spemu_features_parse(&config.features, NULL, rows[i].features),
			        SPEMU_OK);
			assert_int_equal(spemu_pe_init(&pe, memory, spemu_pe_size(), &config),
			                 valid ? SPEMU_OK : SPEMU_ERR_INVALID);
			if (valid)
				assert_int_equal(spemu__pe_pamax(pe),
				                 bits ? bits : rows[i].by_default);
			if (valid)
				assert_int_equal(spemu__pe_oamax(pe), i ? 51 : 47);
			free(memory);
		}
	}
}

/* HCR_EL2.TID3 traps reads at EL1. At EL0 a read is UNDEFINED, or it is trapped if FEAT_IDST is
 * implemented. */
static void tid3_and_idst_trap_id_registers(void **state)
{
	struct spemu_access_result result;
	uint64_t value;

	(void)state;
	for (unsigned n = 0; n < 16; n++) {
		bool idst = n & 1, tge = n & 2, tid3 = n & 4;
		unsigned el = n & 8 ? 1 : 0;
		int expected = SPEMU_ACCESS_OK;
		struct fixture f;

		if (tge && el == 1)
			continue;
		fixture_start(&f, idst ? "v8.4" : "v8.2", NULL);
		set(&f, SPEMU_REG_SCR_EL3, FIELD(SCR_EL3, NS, 1));
		set(&f, SPEMU_REG_HCR_EL2, FIELD(HCR_EL2, TGE, tge) | FIELD(HCR_EL2, TID3, tid3));
		at_el(&f, el);
		if (el == 0)
			expected = !idst ? SPEMU_ACCESS_UNDEFINED
			           : tge ? SPEMU_ACCESS_TRAP_EL2
			                 : SPEMU_ACCESS_TRAP_EL1;
		else if (tid3)
			expected = SPEMU_ACCESS_TRAP_EL2;
		spemu_spu_mrs(f.spu, &result, &value, SPEMU_SYSREG_ID_AA64DFR0_EL1);
		assert_int_equal(result.outcome, expected);
		/* The ISS encodes op0 3, op1 0, CRn 0, CRm 5, op2 0 and a read. */
		if (expected == SPEMU_ACCESS_TRAP_EL1)
			assert_int_equal(result.iss, 0x30000b);
		spemu_spu_mrs(f.spu, &result, &value, SPEMU_SYSREG_PMSIDR_EL1);
		if (el == 0)
			assert_int_equal(result.outcome, SPEMU_ACCESS_UNDEFINED);
		fixture_stop(&f);
	}
}

static int init_with(const char *features, struct spemu_spu_config config, size_t memory_less)
{
	struct spemu_spu *spu;
	struct spemu_spu_host host = {.size = sizeof(host)};
	struct spemu_pe_config pe_config = {.size = sizeof(pe_config)};
	void *memory = malloc(spemu_spu_size()), *pe_memory = malloc(spemu_pe_size());
	struct spemu_pe *pe;
	int status;

	config.size = sizeof(config);
	assert_int_equal(spemu_features_parse(&pe_config.features, NULL, features), SPEMU_OK);
	status = spemu_pe_init(&pe, pe_memory, spemu_pe_size(), &pe_config);
	if (status == SPEMU_OK)
		status = spemu_spu_init(&spu, memory, spemu_spu_size() - memory_less, pe, &config,
		                        &host);
	free(memory);
	free(pe_memory);
	return status;
}

static void invalid_configurations_are_refused(void **state)
{
	const struct spemu_spu_config ok = {0}, largest = {.max_size_log2 = 11},
	                              smcu = {.alternate_clock = SPEMU_ALTCLK_SMCU};
	const struct spemu_spu_config bad[] = {
	        {.max_size_log2 = 5},           {.max_size_log2 = 12},     {.counter_bits = 13},
	        {.min_interval = 1000},         {.events_size = 3},        {.data_source_size = 3},
	        {.layout = {.align_log2 = 12}}, {.samples_in_flight = 17}, {.alternate_clock = 1},
	        {.missing_events = 1 << 2},
	};

	(void)state;
	assert_int_equal(init_with("v8.2" EL1_ONLY, ok, 0), SPEMU_OK);
	assert_int_equal(init_with("v8.2" EL1_ONLY, largest, 0), SPEMU_OK);
	assert_int_equal(init_with("v8.2" EL1_ONLY, ok, 1), SPEMU_ERR_NOSPACE);
	assert_int_equal(init_with("v8.2,-FEAT_SPE,-FEAT_SPE_LDS" EL1_ONLY, ok, 0),
	                 SPEMU_ERR_INVALID);
	assert_int_equal(init_with("v8.2,+FEAT_SPEv1p3" EL1_ONLY, ok, 0), SPEMU_ERR_INVALID);
	assert_int_equal(init_with("v8.7,+FEAT_SPE_PBT" EL1_ONLY, ok, 0), SPEMU_OK);
	/* The clock of the SMCU needs Streaming SVE mode. */
	assert_int_equal(init_with("v8.2,+FEAT_SPE_ALTCLK" EL1_ONLY, smcu, 0), SPEMU_ERR_INVALID);
	assert_int_equal(
	        init_with("v9.2,+FEAT_SME,+FEAT_SPE_SME,+FEAT_SPE_ALTCLK" EL1_ONLY, smcu, 0),
	        SPEMU_OK);
	for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(init_with("v8.2" EL1_ONLY, bad[i], 0), SPEMU_ERR_INVALID);
}

/* The PE starts at the highest implemented Exception level. */
static void pe_resets_to_highest_exception_level(void **state)
{
	const struct {
		const char *features;
		uint8_t el;
	} rows[] = {{"v8.2", 3}, {"v8.2,-EL3,-Secure", 2}, {"v8.2" EL1_ONLY, 1}};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct fixture f;
		struct spemu_pe_state pe;

		fixture_start(&f, rows[i].features, NULL);
		spemu_pe_get(f.pe, &pe);
		assert_int_equal(pe.el, rows[i].el);
		assert_false(pe.aarch32 || pe.debug);
		fixture_stop(&f);
	}
}

/*
 * D24.7, D24.3: a field resets to 0 if its Exception level is the highest. Otherwise its reset
 * value is UNKNOWN.
 */
static void fields_reset_to_0_at_highest_exception_level(void **state)
{
	static const struct {
		const char *features;
		unsigned highest;
	} rows[] = {{"v9.6", 3}, {"v9.6,-EL3,-Secure,-FEAT_RME", 2}, {"v9.6" EL1_ONLY, 1}};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		const uint64_t of_el2 = rows[i].highest == 2 ? 0 : 3;
		uint64_t ee1 = 0, ee2 = 0, pmsse = 0, sse = 0;

		for (uint64_t seed = 1; seed < 64; seed++) {
			struct fixture f;

			fixture_start_seeded(&f, rows[i].features, NULL, seed);
			ee1 |= REG_FIELD(f.pe, PMSCR_EL1, EE);
			ee2 |= REG_FIELD(f.pe, PMSCR_EL2, EE);
			sse |= REG_FIELD(f.pe, PMECR_EL1, SSE);
			pmsse |= REG_FIELD(f.pe, MDCR_EL2, PMSSE);
			fixture_stop(&f);
		}
		assert_int_equal(ee1, rows[i].highest == 1 ? 0 : 3);
		assert_int_equal(sse, rows[i].highest == 1 ? 0 : 3);
		if (rows[i].highest == 1) /* EL2 does not exist */
			continue;
		assert_int_equal(ee2, of_el2);
		assert_int_equal(pmsse, of_el2);
	}
}

/* D18.2.6: IMPLEMENTATION DEFINED events are 12 to 15, 48 to 63 and, before FEAT_SPEv1p4, 24 to
 * 31. */
static void impdef_events_follow_features(void **state)
{
	const uint64_t always = UINT64_C(0x7ff) | UINT64_C(0xf) << 12 | UINT64_C(0xffff) << 48;
	const uint64_t v1p1 = 1 << 11, sve = 3 << 17, v1p4 = 0x1f << 19, sme = 3 << 24;
	const struct {
		const char *features;
		uint64_t events;
	} rows[] = {
	        {"v8.2" EL1_ONLY, always | UINT64_C(0xff) << 24},
	        {"v8.3" EL1_ONLY ",+FEAT_SPEv1p1,-FEAT_SVE", always | UINT64_C(0xff) << 24 | v1p1},
	        {"v8.3" EL1_ONLY ",+FEAT_SPEv1p1,+FEAT_SVE",
	         always | UINT64_C(0xff) << 24 | v1p1 | sve},
	        {"v8.9" EL1_ONLY ",-FEAT_SVE", always | v1p1 | v1p4},
	        {"v8.9" EL1_ONLY ",+FEAT_SVE", always | v1p1 | v1p4 | sve},
	        {"v9.6" EL1_ONLY ",+FEAT_SME,+FEAT_SPE_SME", always | v1p1 | v1p4 | sve | sme},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct spemu_spu_config all = {.impdef_events = UINT64_MAX};
		struct spemu_spu_config some = {.impdef_events = UINT64_MAX,
		                                .missing_events = SPEMU_OPTIONAL_EVENTS};
		struct fixture f;

		fixture_start(&f, rows[i].features, &all);
		if (spemu__operation_existing_events(f.spu) != rows[i].events)
			fail_msg("%s: %llx", rows[i].features,
			         (unsigned long long)spemu__operation_existing_events(f.spu));
		fixture_stop(&f);
		fixture_start(&f, rows[i].features, &some);
		assert_true(spemu__operation_existing_events(f.spu) ==
		            (rows[i].events & ~SPEMU_OPTIONAL_EVENTS));
		fixture_stop(&f);
	}
}

static void register_out_of_range_is_refused(void **state)
{
	struct fixture f;
	uint64_t value;

	(void)state;
	fixture_start(&f, "v8.2", NULL);
	assert_int_equal(spemu_reg_get(f.pe, &value, SPEMU_REG_COUNT), SPEMU_ERR_INVALID);
	assert_int_equal(spemu_reg_set(f.pe, SPEMU_REG_COUNT, 0), SPEMU_ERR_INVALID);
	fixture_stop(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(table_d8_5_physical_address_sizes),
	        cmocka_unit_test(pmsidr_follows_features),
	        cmocka_unit_test(pmsidr_maxsize_and_interval_follow_configuration),
	        cmocka_unit_test(pmbidr_follows_layout_features_and_owner),
	        cmocka_unit_test(id_registers_follow_features),
	        cmocka_unit_test(tid3_and_idst_trap_id_registers),
	        cmocka_unit_test(invalid_configurations_are_refused),
	        cmocka_unit_test(pe_resets_to_highest_exception_level),
	        cmocka_unit_test(fields_reset_to_0_at_highest_exception_level),
	        cmocka_unit_test(impdef_events_follow_features),
	        cmocka_unit_test(register_out_of_range_is_refused),
	};
	return cmocka_run_group_tests_name("identify", tests, NULL, NULL);
}
