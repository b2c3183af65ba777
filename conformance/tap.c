/* SPDX-License-Identifier: MIT */
/*
 * Run the tests. The output is TAP version 13: a line per test with its rules in brackets, and a
 * report per rule.
 */
#include "image.h"

#define RULES 256

/* ---- rules ----------------------------------------------------------------------------------- */

enum { UNTESTED, PASSED, FAILED };
static struct {
	const char *name;
	unsigned length;
	unsigned result;
} rules[RULES];
static unsigned rule_count;

static void judge_rule(const char *name, unsigned bytes, unsigned result)
{
	unsigned i;

	for (i = 0; i < rule_count; i++) {
		unsigned k = 0;

		while (k < bytes && rules[i].length == bytes && rules[i].name[k] == name[k])
			k++;
		if (k == bytes)
			break;
	}
	if (i == RULES)
		return;
	if (i == rule_count) {
		rule_count++;
		rules[i].name = name;
		rules[i].length = bytes;
	}
	if (result > rules[i].result)
		rules[i].result = result;
}

static void judge_rules(const char *names, unsigned result)
{
	while (*names) {
		unsigned bytes = 0;

		while (names[bytes] && names[bytes] != ' ')
			bytes++;
		judge_rule(names, bytes, result);
		names += bytes + (names[bytes] == ' ');
	}
}

static void report_rules(void)
{
	static const char *const words[] = {"not testable here", "passed", "failed"};

	print("# rules:\n");
	for (unsigned i = 0; i < rule_count; i++) {
		print("# rule ");
		for (unsigned k = 0; k < rules[i].length; k++)
			put(rules[i].name[k]);
		print(": %s\n", words[rules[i].result]);
	}
}

/* ---- tests ----------------------------------------------------------------------------------- */

static const struct {
	unsigned need;
	const char *reason;
} reasons[] = {
        {NEEDS_EL2, "needs EL2, and was started at EL1"},
        {NEEDS_VHE, "needs EL2 with FEAT_VHE"},
        {NEEDS_FGT, "no FEAT_FGT"},
        {NEEDS_V1P2, "no FEAT_SPEv1p2"},
        {NEEDS_FNE, "no FEAT_SPE_FnE"},
        {NEEDS_FDS, "no FEAT_SPE_FDS"},
        {NEEDS_EFT, "no FEAT_SPE_EFT"},
        {NEEDS_GIC, "no GICv3, or no interrupt of SPE, in what the firmware says"},
        {NEEDS_FE, "PMSIDR_EL1.FE is 0"},
        {NEEDS_FT, "PMSIDR_EL1.FT is 0"},
        {NEEDS_FL, "PMSIDR_EL1.FL is 0"},
};

static unsigned here(void)
{
	u64 idr = machine.ids.pmsidr;

	return (machine.el == 2 ? NEEDS_EL2 : 0) |
	       (machine.el == 2 && machine.can_vhe ? NEEDS_VHE : 0) |
	       (machine.has_fgt ? NEEDS_FGT : 0) | (machine.ids.pmsver >= 3 ? NEEDS_V1P2 : 0) |
	       (idr & BIT(6) ? NEEDS_FNE : 0) | (idr & BIT(7) ? NEEDS_FDS : 0) |
	       (idr & BIT(26) ? NEEDS_EFT : 0) |
	       (platform.spe_intid && platform.gicd ? NEEDS_GIC : 0) |
	       (idr & BIT(0) ? NEEDS_FE : 0) | (idr & BIT(1) ? NEEDS_FT : 0) |
	       (idr & BIT(2) ? NEEDS_FL : 0);
}

static const struct test *present;

static void run_present(void)
{
	world_begin();
	present->run();
	world_end();
}

static unsigned run_test(const struct test *test, unsigned number)
{
	unsigned missing = test->needs & ~here(), result;
	const char *failed, *skipped;

	result_begin(test);
	present = test;
	for (unsigned i = 0; i < COUNT(reasons); i++)
		if (missing & reasons[i].need && !result_skipped())
			skip("%s", reasons[i].reason);
	if (!missing)
		with_own_stack(run_present);
	result_end();
	failed = result_failed();
	skipped = result_skipped();
	print("%s %u - %s [%s]", failed ? "not ok" : "ok", (u64)number, test->name, test->rules);
	if (!failed && skipped)
		print(" # SKIP %s", skipped);
	print("\n");
	if (failed)
		print("#   %s\n", failed);
	result_show();
	result = failed ? FAILED : skipped ? UNTESTED : PASSED;
	judge_rules(test->rules, result);
	return result;
}

static unsigned totals[3];

unsigned image_run(void)
{
	print("TAP version 13\n# Statistical Profiling Extension: conformance%s%s\n",
	      platform.description[0] ? ", " : "", platform.description);
	identify();
	print("# EL%u, PMSVer %u, by %s\n", (u64)machine.el, (u64)machine.ids.pmsver,
	      machine.uefi ? "UEFI" : "a device tree");
	if (!machine.ids.pmsver) {
		print("1..0 # SKIP no Statistical Profiling Extension: ID_AA64DFR0_EL1.PMSVer is "
		      "0\n");
		return EXIT_NOTHING_TESTED;
	}
	memory_setup();
	with_own_stack(identify_spu);
	print("# PMSIDR_EL1 %x PMBIDR_EL1 %x\n", machine.ids.pmsidr, machine.ids.pmbidr);
	if (machine.ids.pmbidr & BIT(4)) {
		print("1..0 # SKIP PMBIDR_EL1.P is 1: a higher Exception level owns the Profiling "
		      "Buffer\n");
		return EXIT_NOTHING_TESTED;
	}
	print("1..%u\n", (u64)test_count);
	for (unsigned i = 0; i < test_count; i++)
		totals[run_test(&test_list[i], i + 1)]++;
	report_rules();
	print("# %u passed, %u failed, %u not testable here\n", (u64)totals[PASSED],
	      (u64)totals[FAILED], (u64)totals[UNTESTED]);
	if (totals[FAILED])
		return EXIT_FAILED;
	return totals[PASSED] ? EXIT_PASSED : EXIT_NOTHING_TESTED;
}
