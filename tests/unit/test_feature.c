/* SPDX-License-Identifier: MIT */
/* Test feature sets: their descriptions, and which sets can exist (A2). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <spemu/pe.h>

static struct spemu_features parsed(const char *text)
{
	struct spemu_features set;

	assert_int_equal(spemu_features_parse(&set, NULL, text), SPEMU_OK);
	return set;
}

static void every_version_is_consistent(void **state)
{
	const char *versions[] = {"v8.2", "v8.3", "v8.4", "v8.5", "v8.6", "v8.7", "v8.8", "v8.9",
	                          "v9.0", "v9.1", "v9.2", "v9.3", "v9.4", "v9.5", "v9.6"};
	const char *without[] = {"", ",-EL3", ",-EL2", ",-EL3,-EL2", ",-Secure"};

	(void)state;
	for (unsigned i = 0; i < sizeof(versions) / sizeof(*versions); i++) {
		for (unsigned j = 0; j < 5; j++) {
			char text[32];
			struct spemu_features set;
			const char *rule = NULL;

			strcpy(text, versions[i]);
			strcat(text, without[j]);
			set = parsed(text);
			assert_int_equal(spemu_features_check(&set, &rule), SPEMU_OK);
			assert_null(rule);
		}
	}
}

/* A2.2, A2.3: the architecture version from which FEAT_SPE implies each FEAT_SPEv1pn. */
static void architecture_version_implies_spe_version(void **state)
{
	const struct {
		const char *below, *from;
		enum spemu_feature feature;
	} rows[] = {
	        {"v8.4", "v8.5", SPEMU_FEAT_SPEV1P1}, {"v8.6", "v8.7", SPEMU_FEAT_SPEV1P2},
	        {"v8.7", "v8.8", SPEMU_FEAT_SPEV1P3}, {"v8.8", "v8.9", SPEMU_FEAT_SPEV1P4},
	        {"v9.5", "v9.6", SPEMU_FEAT_SPEV1P5}, {"v9.4", "v9.5", SPEMU_FEAT_SPE_EFT},
	        {"v8.6", "v8.7", SPEMU_FEAT_SPE_FNE}, {"v8.8", "v9.4", SPEMU_FEAT_SPE_CRR},
	        {"v9.1", "v9.2", SPEMU_FEAT_RME},     {"v8.9", "v9.0", SPEMU_FEAT_SVE},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct spemu_features below = parsed(rows[i].below), from = parsed(rows[i].from);

		assert_false(spemu_has(&below, rows[i].feature));
		assert_true(spemu_has(&from, rows[i].feature));
	}
}

/* A2.3: "If FEAT_SME is implemented, this does not imply that FEAT_SVE and FEAT_SVE2 are
 * implemented when the PE is not in Streaming SVE mode." */
static void sme_does_not_imply_sve(void **state)
{
	struct spemu_features set = parsed("v9.2,-FEAT_SVE,+FEAT_SME");

	(void)state;
	assert_int_equal(spemu_features_check(&set, NULL), SPEMU_OK);
	assert_false(spemu_has(&set, SPEMU_FEAT_SVE));
	assert_true(spemu_has(&set, SPEMU_FEAT_SME));
}

/*
 * A2.3: "In an Armv9.5 implementation, if FEAT_SPEv1p1 and FEAT_SME are implemented, FEAT_SPE_SME
 * is implemented". FEAT_PMUv3 and FEAT_SME imply FEAT_PMUv3_SME in the same way. In earlier
 * versions both features are optional.
 */
static void combined_features_imply_others(void **state)
{
	const struct {
		const char *text;
		bool spe_sme, pmu_sme, possible;
	} rows[] = {
	        {"v9.4,+FEAT_SME", false, false, true},
	        {"v9.4,+FEAT_SME,+FEAT_SPE_SME", true, false, true},
	        {"v9.5", false, false, true},
	        {"v9.5,+FEAT_SME", true, true, true},
	        {"v9.6,+FEAT_SME", true, true, true},
	        {"v9.5,+FEAT_SME,-FEAT_SVE", true, true, true},
	        /* If a description removes a feature, nothing implies the feature again, in either
	         * order. */
	        {"v9.5,+FEAT_SME,-FEAT_SPE_SME", false, true, true},
	        {"v9.5,-FEAT_PMUv3_SME,+FEAT_SME", true, false, true},
	        {"v9.5,+FEAT_SME,-FEAT_SPE_SME,+FEAT_SPE_SME", true, true, true},
	        /* If one of the two features is missing, nothing is implied. */
	        {"v9.5,+FEAT_SME,-FEAT_SME", false, false, true},
	        {"v9.5,+FEAT_SME,-FEAT_SPEv1p1", false, true, false},
	        {"v9.5,+FEAT_SME,-FEAT_PMUv3", true, false, false},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct spemu_features set = parsed(rows[i].text);

		assert_int_equal(spemu_has(&set, SPEMU_FEAT_SPE_SME), rows[i].spe_sme);
		assert_int_equal(spemu_has(&set, SPEMU_FEAT_PMUV3_SME), rows[i].pmu_sme);
		assert_int_equal(spemu_features_check(&set, NULL),
		                 rows[i].possible ? SPEMU_OK : SPEMU_ERR_INVALID);
	}
}

static void inconsistent_feature_sets_are_refused(void **state)
{
	static const char v1p5[] = "FEAT_SPEv1p5 requires FEAT_SPEv1p4, FEAT_SPE_CRR, "
	                           "FEAT_SPE_EXC, FEAT_SPE_nVM";
	const struct {
		const char *text, *rule;
	} rows[] = {
	        {"v8.2,+FEAT_SPEv1p2", "FEAT_SPEv1p2 requires"},
	        {"v8.7,-FEAT_SPE_FnE", "FEAT_SPEv1p2 requires FEAT_SPEv1p1, FEAT_SPE_FnE"},
	        {"v8.9,-FEAT_SPE_LDS", "FEAT_SPE_FDS requires"},
	        {"v9.5,-FEAT_SPE_FPF", "FEAT_SPE_EFT requires"},
	        {"v9.6,-FEAT_SPEv1p5", "FEAT_SPE_EXC requires FEAT_SPEv1p5"},
	        {"v9.6,-FEAT_SPE_EXC", v1p5},
	        {"v9.6,-FEAT_SPE_nVM", v1p5},
	        {"v9.6,-FEAT_SPE_CRR,-FEAT_GCS", v1p5},
	        {"v8.2,+SecureOnly", "SecureOnly"},
	        {"v8.2,-FEAT_TGran4K,-FEAT_TGran16K,-FEAT_TGran64K", "FEAT_SPE requires"},
	        {"v9.4,+FEAT_SPE_SME", "FEAT_SPE_SME requires FEAT_SPEv1p1, FEAT_SME"},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct spemu_features set = parsed(rows[i].text);
		const char *rule = NULL;

		assert_int_equal(spemu_features_check(&set, &rule), SPEMU_ERR_INVALID);
		assert_non_null(rule);
		assert_int_equal(strncmp(rule, rows[i].rule, strlen(rows[i].rule)), 0);
	}
}

/* The buffer is translated, so at least one translation granule must be implemented. One is
 * enough. */
static void one_translation_granule_is_enough(void **state)
{
	static const char *const rows[] = {"v8.2,-FEAT_TGran4K,-FEAT_TGran16K",
	                                   "v8.2,-FEAT_TGran4K,-FEAT_TGran64K",
	                                   "v8.2,-FEAT_TGran16K,-FEAT_TGran64K"};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct spemu_features set = parsed(rows[i]);

		assert_int_equal(spemu_features_check(&set, NULL), SPEMU_OK);
	}
}

static void invalid_feature_text_reports_offset(void **state)
{
	const struct {
		const char *text;
		size_t offset;
	} rows[] = {{"", 0},
	            {"v8", 0},
	            {"v8.1", 0},
	            {"v9.7", 0},
	            {"8.2", 0},
	            {"v8.2,FEAT_SPE", 5},
	            {"v8.2,+FEAT_SPF", 5},
	            {"v8.2,-EL2,+", 10},
	            {"v8.2,", 5}};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct spemu_features set;
		size_t offset = 99;

		assert_int_equal(spemu_features_parse(&set, &offset, rows[i].text),
		                 SPEMU_ERR_INVALID);
		assert_int_equal(offset, rows[i].offset);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(every_version_is_consistent),
	        cmocka_unit_test(architecture_version_implies_spe_version),
	        cmocka_unit_test(sme_does_not_imply_sve),
	        cmocka_unit_test(combined_features_imply_others),
	        cmocka_unit_test(inconsistent_feature_sets_are_refused),
	        cmocka_unit_test(one_translation_granule_is_enough),
	        cmocka_unit_test(invalid_feature_text_reports_offset),
	};
	return cmocka_run_group_tests_name("feature", tests, NULL, NULL);
}
