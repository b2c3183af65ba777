/* SPDX-License-Identifier: MIT */
/*
 * Strict mode reports a change of context or of the owning translation regime while records are in
 * flight, at the instruction that makes it. It does not report the changes that a hypervisor makes
 * for its guest while the hypervisor's own profile continues.
 *
 * Arm ARM: DDI 0487 M.a, D17.7.5 (RTDHBH, RKRVDC), D17.9.1 (IPDDCL).
 */
#include "runtime.h"

#define ROUNDS 2000

/* Announce a diagnostic. The runner expects these diagnostics, and no others of this kind. */
static void expect_diagnostic(const char *name, const char *pc)
{
	print("diagnostic %s %x\n", name, (u64)pc);
}

void test_switches(void)
{
	struct world guest = world_of(1, NON_SECURE), host = world_of(2, NON_SECURE);
	struct setup setup = setup_of(PMSCR_E1SPE, 0);
	struct profile profile = profile_at(&guest, &setup, (u64)switch_el1, ROUNDS);

	check(profile.count > 100, "switches of EL1's context are profiled");
	expect_diagnostic("context-switched-in-flight", switch_contextidr);
	expect_diagnostic("regime-switched-in-flight", switch_tcr);
	profile = profile_at(&guest, &setup, (u64)stop_and_start, ROUNDS);
	check(profile.count > 100, "profiling that is stopped and started as drivers do it");
	if (!machine.has_vhe)
		return;
	host.e2h = true;
	host.e2pb = 0;
	setup = setup_of(0, PMSCR_E2SPE);
	profile = profile_at(&host, &setup, (u64)switch_el2, ROUNDS);
	check(profile.count > 100, "switches of a guest's regime are profiled by its host");
	profile = profile_at(&host, &setup, (u64)stop_and_start, ROUNDS);
	check(profile.count > 100, "a host's profiling that is stopped and started");
}
