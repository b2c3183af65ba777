/* SPDX-License-Identifier: MIT */
/* The tests of the image, in execution order: X(function, needs, name, rules). */
#ifndef CONFORMANCE_TESTS_H
#define CONFORMANCE_TESTS_H

#define TESTS(X)                                                                                   \
	X(identification, 0, "PMSIDR_EL1 and PMBIDR_EL1 hold values that are defined",             \
	  "D24.7.14 D24.7.1 D18.1")                                                                \
	X(id_read_only, 0, "the identification registers cannot be written", "D24.7.14 D24.7.1")   \
	X(off_at_start, 0, "the Profiling Buffer is disabled at the start", "D24.7.2")             \
	X(fields, 0, "registers hold what their fields can",                                       \
	  "D24.7.2 D24.7.3 D24.7.4 D24.7.8 D24.7.10 D24.7.11 D24.7.12 D24.7.13 D24.7.15 D24.7.16 " \
	  "D24.7.17")                                                                              \
	X(fields_el2, NEEDS_EL2, "PMSCR_EL2 holds what its fields can, as the owner permits",      \
	  "D24.7.9")                                                                               \
	X(apart, 0, "each register has a storage of its own", "D24.7")                             \
	X(absent, 0, "registers of features that are not there are UNDEFINED", "D24.7")            \
	X(access_el0, 0, "the registers are UNDEFINED at EL0", "D24.7")                            \
	X(access_el1, NEEDS_EL2,                                                                   \
	  "EL1 that owns the buffer has its registers, and EL2's are UNDEFINED there",             \
	  "RKFMHR D24.7")                                                                          \
	X(access_el1_only, 0, "EL2's registers are UNDEFINED at EL1", "D24.7.9")                   \
	X(trap_e2pb, NEEDS_EL2, "MDCR_EL2.E2PB traps the buffer's registers at EL1",               \
	  "D24.7.2 D24.7.3 D24.7.4")                                                               \
	X(trap_tpms, NEEDS_EL2, "MDCR_EL2.TPMS traps the sampling registers at EL1",               \
	  "D24.7.8 D24.7.15 D24.7.16")                                                             \
	X(trap_fgt, NEEDS_EL2 | NEEDS_FGT, "HDFGRTR_EL2 and HDFGWTR_EL2 trap single registers",    \
	  "D24.7.1 D24.7.2 D24.7.8")                                                               \
	X(programming, NEEDS_EL2, "PMBIDR_EL1.P says whether EL1 may program the buffer",          \
	  "D24.7.1")                                                                               \
	X(aliases, NEEDS_VHE, "PMSCR_EL1 is PMSCR_EL2 for a host, and PMSCR_EL12 the guest's",     \
	  "D24.7.8 D24.7.9")                                                                       \
	X(enabled, 0, "the bit of an Exception level, and no other, enables profiling there",      \
	  "RWXXFL IJHPHD D17.4 D24.7.8 D24.7.9")                                                   \
	X(disabled_above, NEEDS_EL2, "an owner at EL1 has profiling disabled at EL2",              \
	  "RTDHBH RWXXFL")                                                                         \
	X(buffer_disabled, 0, "with PMBLIMITR_EL1.E 0 nothing is sampled and nothing moves",       \
	  "RWXXFL IBRTKK D17.3.5 D24.7.2")                                                         \
	X(stopped, 0, "with PMBSR_EL1.S 1 nothing is sampled and nothing moves",                   \
	  "RTWFRY IBRTKK D17.3.5")                                                                 \
	X(level_disabled, 0, "where no Exception level is enabled the counter stays",              \
	  "D17.3.5 D17.9")                                                                         \
	X(owner_tables, NEEDS_EL2, "records go where the owning translation regime leads",         \
	  "RWWFKZ RKFMHR RTDHBH RKRVDC RLWHSF")                                                    \
	X(interval, 0, "samples get fewer as the interval gets longer", "D17.3.1 D24.7.16")        \
	X(counter_loaded, 0, "a counter of zero is loaded from PMSIRR_EL1", "D17.3.3 D17.3.4")     \
	X(counter_kept, 0, "a counter that is not zero goes on from where it was",                 \
	  "D17.3.3 D24.7.15")                                                                      \
	X(counter_counts, 0,                                                                       \
	  "the counter goes down by the operations, and to where it was reloaded",                 \
	  "D17.3.1 D17.3.4")                                                                       \
	X(population, 0, "with PMSIDR_EL1.ArchInst 1 each instruction counts once",                \
	  "D17.2 D17.3.4")                                                                         \
	X(jitter, 0, "with PMSIRR_EL1.RND 1 the interval varies, within 256 operations",           \
	  "D17.3.2 D17.3.4")                                                                       \
	X(synchronized, 0,                                                                         \
	  "after ISB, PSB and DSB all records are there, and nothing comes any more",              \
	  "RTRDTK IMLGHW INDWCG D17.9")                                                            \
	X(well_formed, 0, "every packet is one of the manual, once in a record",                   \
	  "D18.1 D18.1.1 D18.1.2 D18.1.3 D18.2.1 D18.2.3 D18.2.6 D18.2.7")                         \
	X(sizes, 0, "records are aligned, and no larger than PMSIDR_EL1.MaxSize",                  \
	  "D24.7.14 D24.7.1 D18.1.3")                                                              \
	X(whole, 0,                                                                                \
	  "every record has events and an end; what was executed has PC, type and latencies",      \
	  "D17.6 D17.6.10")                                                                        \
	X(place, 0, "the PC is where the code was, at its Exception level", "D17.6 D18.2.1")       \
	X(types, 0, "operation types, data addresses and branch targets are the instruction's",    \
	  "D17.6.3 D17.6.4 D18.2.7 D18.2.1")                                                       \
	X(evenly, 0, "every instruction of a loop is sampled", "D17.3.1 D17.2")                    \
	X(atomic_types, 0, "exclusive and atomic accesses have their own format", "D18.2.7")       \
	X(vector_types, 0, "floating-point and vector operations", "D18.2.7 D17.6.8")              \
	X(scalable_types, 0, "SVE's operations, predicates and vector lengths",                    \
	  "ICKWPL RMDBYZ RLQXZR IXYGNN D18.2.7 D18.2.6")                                           \
	X(call_types, 0, "calls, returns and branches that are not taken",                         \
	  "D17.6.3 D18.2.6 D18.2.7")                                                               \
	X(exceptions_, 0, "an SVC generates an exception, and ERET is a branch",                   \
	  "D17.6 D17.6.3 D17.6.10")                                                                \
	X(faulting, 0, "a load that faults generates an exception and has no physical address",    \
	  "D17.6.4 D17.6.10")                                                                      \
	X(previous, 0, "the target of the previous branch", "D17.6.3.1")                           \
	X(timestamps, 0, "PMSCR_ELx.TS: each record has the time at which it was made, or none",   \
	  "D17.6 D17.6.9 D24.7.8 D24.7.9")                                                         \
	X(virtual_time, NEEDS_EL2, "PMSCR_ELx.PCT: physical and virtual time, by table D17-3",     \
	  "D17.6.9 D24.7.8 D24.7.9")                                                               \
	X(context_ids, 0, "PMSCR_ELx.CX: CONTEXTIDR_EL1 and CONTEXTIDR_EL2", "D17.6.9 D18.2.2")    \
	X(physical, 0, "PMSCR_ELx.PA: physical addresses, where both levels permit them",          \
	  "D17.6.9 D18.2.1 D24.7.8 D24.7.9")                                                       \
	X(moved, 0, "the physical address is where translation leads", "D17.6.4 D18.2.1")          \
	X(filter_type, NEEDS_FT, "PMSFCR_EL1.FT: types",                                           \
	  "IBWNKX RYGCFK RNYZKJ DDSNMB D17.5.1 D24.7.12")                                          \
	X(filter_mask, NEEDS_FT | NEEDS_EFT, "PMSFCR_EL1.FT with masks, FP and SIMD",              \
	  "RYGCFK IZZTZL DDSNMB D24.7.12")                                                         \
	X(filter_nothing, NEEDS_FT, "PMSFCR_EL1.FT that selects nothing", "ILVCZH RYGCFK")         \
	X(filter_events, NEEDS_FE, "PMSFCR_EL1.FE: events of PMSEVFR_EL1", "D17.5.2 D24.7.11")     \
	X(filter_no_events, NEEDS_FNE, "PMSFCR_EL1.FnE: none of the events of PMSNEVFR_EL1",       \
	  "D17.5.2 D24.7.13")                                                                      \
	X(filter_latency, NEEDS_FL,                                                                \
	  "PMSFCR_EL1.FL: a total latency of at least PMSLATFR_EL1.MINLAT", "D17.5.3 D24.7.17")    \
	X(filter_source, NEEDS_FDS, "PMSFCR_EL1.FDS: loads by data source", "D17.5.4 D24.7.10")    \
	X(filter_both, NEEDS_FT | NEEDS_FE, "one filter that discards is enough", "D17.5")         \
	X(filter_off, 0, "without their enables the filters' values do nothing", "D17.5 D24.7.12") \
	X(full, 0, "a buffer that is full: PMBSR_EL1, PMBPTR_EL1, and nothing beyond the limit",   \
	  "D17.8.2 RTHGCR RNXZXG RFJDLW")                                                          \
	X(full_goes_on, 0, "a full buffer goes on with a higher limit", "D17.7.4 D17.8.2")         \
	X(full_again, 0, "a buffer that was emptied fills again", "D17.8.2 D17.7.4")               \
	X(fault_translation, 0, "a page that is not mapped: Translation fault",                    \
	  "RMYXZK D17.8.3 RNXZXG RWVKFM")                                                          \
	X(fault_access_flag, 0,                                                                    \
	  "a page without Access flag: Access flag fault, or the flag is set", "RMYXZK D17.8.3")   \
	X(fault_permission, 0, "a page that is read-only: Permission fault",                       \
	  "RMYXZK D17.8.3 D17.7.6")                                                                \
	X(fault_address, 0, "a page whose address is too large: Address size fault",               \
	  "RMYXZK D17.8.3")                                                                        \
	X(fault_levels, 0, "a fault has the level at which the walk ends", "D17.8.3")              \
	X(fault_stage2, NEEDS_EL2, "faults of stage 2", "RMYXZK D17.8.3 RDQTTB")                   \
	X(stage2_leads, NEEDS_EL2, "stage 2 takes EL1's records elsewhere", "RWWFKZ RDQTTB")       \
	X(fault_mended, 0, "after a fault that is mended profiling goes on", "D17.7.4")            \
	X(fault_repeats, 0, "a fault that is not mended happens again", "D17.7.4")                 \
	X(no_exception, 0, "a fault of the buffer is no exception", "D17.8.3")                     \
	X(privileged, 0, "writes are privileged, also where EL0 is sampled", "D17.7.6 D17.8.3")    \
	X(discard, NEEDS_V1P2, "Discard mode writes nothing and makes no event",                   \
	  "D17.5.5 D24.7.2")                                                                       \
	X(interrupt, NEEDS_GIC, "PMBIRQ is asserted as long as PMBSR_EL1.S is 1",                  \
	  "RTSJRP IGRLRX ISMLLS D17.8")                                                            \
	X(interrupt_event, NEEDS_GIC, "a management event asserts PMBIRQ", "RTSJRP IGRLRX D17.8")  \
	X(pmu_events, 0, "PMU events of SPE count its samples", "D17.1 D17.2 D17.3.7")

#define X(function, needs, name, rules) void test_##function(void);
TESTS(X)
#undef X

#endif
