/* SPDX-License-Identifier: MIT */
/*
 * The runtime of the self-tests: printing, exceptions, worlds, memory, profiling.
 *
 * A check prints one line, "ok - NAME" or "not ok - NAME", on the first UART. The runner
 * (tests/vm/test_selftest.py) converts the lines to TAP. Everything except secondary PEs runs on
 * the first PE.
 */
#ifndef SELFTEST_RUNTIME_H
#define SELFTEST_RUNTIME_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "layout.h"
#include "print.h"
#include "record.h"
#include "spe.h"

enum security { SECURE, NON_SECURE, ROOT, REALM };

/* ---- the machine ---------------------------------------------------------------------------- */

struct machine {
	unsigned boot_el;
	unsigned cpus;
	bool has_el2, has_el3, has_sel2, has_rme, has_fgt, has_nv2, has_vhe, has_ecv, has_lse;
	bool el0_aarch32, el1_aarch32; /* the level can use AArch32 */
	bool strict;                   /* strict mode, from the command line */
	bool has_exceptions;           /* FEAT_SPE_EXC */
	unsigned pmsver;
	u64 pmsidr, pmbidr;
	u64 mdcr_el3; /* reset value, without the fields of SPE */
	u64 mdcr_el2;
};
extern struct machine machine;

/* ---- printing and checks --------------------------------------------------------------------- */

void check(bool ok, const char *format, ...);
void note(const char *format, ...); /* print a line of diagnostics, "# ..." */
void skip(const char *name, const char *why);
void finish(void) __attribute__((noreturn)); /* print "done" and stop QEMU */
void die(const char *format, ...) __attribute__((noreturn));

/* Return true if QEMU's command line for the program has the word. */
bool told(const char *word);
/* Write memory into a file of the host on which QEMU runs. */
void dump(const char *name, u64 from, u64 bytes);
u64 semihosting(u64 operation, const void *block);

/* ---- exceptions ------------------------------------------------------------------------------ */

struct taken {
	u8 el;     /* the target Exception level */
	u8 vector; /* 0..15 */
	bool pm;   /* PSTATE.PM in the handler */
	u64 esr, far, elr, spsr;
};
#define TAKEN_EC(t) (((t)->esr >> 26) & 63)

struct frame {
	u64 x[31], elr, spsr;
};

struct cpu {
	u64 saved[16]; /* registers saved by enter_lower() */
	unsigned index;
	bool expecting; /* record synchronous exceptions, and skip their instruction */
	bool serrors;   /* record SError exceptions */
	unsigned taken_count;
	struct taken taken[8];                     /* the first exceptions */
	void (*irq)(struct cpu *cpu, unsigned el); /* handler; if NULL, an interrupt is an error */
	/* Handler of Profiling exceptions. If NULL, they are an error. */
	void (*profiling)(struct cpu *cpu, unsigned el);
	void (*call)(struct cpu *cpu); /* next function of a secondary PE, at the boot EL */
	bool busy;
};
extern struct cpu cpus[CPUS];
struct cpu *this_cpu(void);

/* ---- worlds: the state in which a function runs ---------------------------------------------- */

struct world {
	u8 el;
	u8 security;    /* enum security; also sets {NSE, NS} while at EL3 */
	bool eel2;      /* SCR_EL3.EEL2 */
	bool e2h, tge;  /* HCR_EL2 */
	bool aarch32;   /* state of the level itself; only for EL0 and EL1 */
	u8 nspbe, nspb; /* MDCR_EL3 */
	u8 e2pb;        /* MDCR_EL2 */
	bool tpms;      /* MDCR_EL2 */
	u64 without;    /* bits of MDCR_EL3 to clear: EnPMSN, EnPMS3, EnPMS4 */
	u64 hcr;        /* additional bits of HCR_EL2 */
	u64 hdfgrtr, hdfgwtr;
	bool irq;    /* PSTATE.I clear */
	bool serror; /* PSTATE.A clear */
	u64 scr;     /* additional bits of SCR_EL3 */
	u64 mdcr3;   /* additional bits of MDCR_EL3 */
	bool pm;     /* PSTATE.PM set */
};

/* Return a world in this Security state, which owns the buffer. Nothing is trapped. */
struct world world_of(unsigned el, enum security security);
void world_set(const struct world *world);
bool world_exists(const struct world *world);
const char *world_name(const struct world *world);

/* At EL3, run function(argument) in the world. Return its x0. */
u64 run_at(const struct world *world, u64 function, u64 argument);
/* Like run_at(), but in a world that has already been set. */
u64 run_here(const struct world *world, u64 function, u64 argument);

struct entry {
	u64 elr, spsr, argument, lr, sp_el0, sp_el1, sp_el2;
};
u64 enter_lower(const struct entry *entry);
void leave_el1(void);
void leave_el0(void);
extern char vectors_el1[], vectors_el2[], vectors_el3[], access_stubs[], snapshot_stubs[];

/* ---- memory ---------------------------------------------------------------------------------- */

#define PAGE 4096
void memory_setup(void);         /* build the translation tables */
void memory_enable(unsigned el); /* enable the boot level's MMU and set up the lower levels */
void window_map(unsigned page, u64 descriptor);     /* in all regimes; stage 1 */
void window_map_el2(unsigned page, u64 descriptor); /* only in EL2's tables */
void window_set(u64 page, u64 descriptor);          /* in EL1&0, without TLB maintenance */
u64 window_descriptor(unsigned page);               /* present descriptor in EL1&0 */
u64 window_page(u64 physical);                      /* descriptor of an ordinary page */
void stage2_map(unsigned page, u64 descriptor);     /* map the same pages in stage 2 */
u64 stage2_page(u64 physical);
void stage2_enable(bool on);     /* VTTBR_EL2, VTCR_EL2; the world has HCR_EL2.VM */
void upper_half_enable(bool on); /* for EL2&0: map UPPER_BASE to the buffers by TTBR1_EL2 */
#define UPPER_BASE UINT64_C(0xffffff8000000000)
void forget_translations(void);

/* ---- profiling ------------------------------------------------------------------------------- */

struct setup {
	u64 base, bytes; /* virtual range of the buffer */
	u64 interval;    /* PMSIRR_EL1 */
	u64 scr1, scr2;  /* PMSCR_EL1, PMSCR_EL2 */
	u64 fcr;         /* PMSFCR_EL1 */
	u64 limitr;      /* PMBLIMITR_EL1 without LIMIT: E, FM, nVM */
};

struct profile {
	u64 begin, end;     /* range of the written bytes */
	u64 status;         /* PMBSR_EL1 */
	unsigned count;     /* records */
	const char *damage; /* error of the decoder, or NULL */
	u64 x0;
};
#define RECORDS 8192
extern struct record records[RECORDS];

struct setup setup_of(u64 scr1, u64 scr2);
struct setup setup_at(unsigned el, u64 interval); /* profile only this level */
void profile_start(const struct setup *setup);
void profile_sync(void); /* call before reading a register that the SPU writes */
void profile_stop(struct profile *profile, const struct setup *setup);
/* Decode into records[]. `memory` is the address from which the buffer is read, usually its
 * base. */
void profile_decode(struct profile *profile, u64 memory);
/* Start, call run_at(), stop and decode. */
struct profile profile_at(const struct world *world, const struct setup *setup, u64 function,
                          u64 argument);

/* Work for samples: n rounds of WORK_OPERATIONS that use the doubleword work_data. */
#define WORK_OPERATIONS 8
u64 work(u64 rounds);
u64 exclusives(u64 rounds); /* returns the number of failed Store-Exclusives */
u64 atomics(u64 rounds);
extern u64 exclusives_word;
extern char exclusives_ldxr[], exclusives_stxr[], atomics_ldadd[];
u64 touch(u64 address);
extern char touch_ldr[], touch_str[];
u64 sleep(u64 rounds);
extern char sleep_wfi[];
u64 calls(u64 rounds); /* executes SVCs; only at EL0 */
u64 devices(u64 rounds);
extern char calls_svc[], calls_end[], eret_el1[];
extern char devices_round[], devices_reached[], devices_end[];
u64 straight(u64 rounds);
u64 vector_lengths(void);
void streaming_loop(u64 rounds);
extern char streaming_add[], streaming_load[], streaming_start[], streaming_add_in[],
        streaming_load_in[], streaming_outer[], streaming_scalar[], streaming_stop[],
        streaming_after[];
extern char straight_end[];
u64 switch_el1(u64 rounds);
u64 stop_and_start(u64 rounds);
u64 switch_el2(u64 rounds);
extern char switch_contextidr[], switch_tcr[];
extern char work_begin[], work_end[];
extern u64 work_data[CPUS][8];

/* ---- groups of tests ------------------------------------------------------------------------- */

void test_identification(void);
void test_access(void);
void test_enabling(void);
void test_owner(void);
void test_records(void);
void test_self(void);
void test_operations(void);
void test_previous_targets(void);
void test_streaming(void);
void test_resumed(void); /* only if the command line asks for it */
void test_serrors(void); /* instead of all others, if the command line asks for it */
void test_population(void);
void test_profiling_exceptions(void);
void test_profiling_exceptions_here(void); /* at the level of boot */
void test_pmu_events(void);
void test_buffer(void);
void test_memory(void);
void test_interrupts(void);
void test_processors(void);
void test_switches(void);   /* in strict mode */
void test_lower_boot(void); /* for machines that start at EL2 or EL1 */
void test_reset(void);      /* does not return */
bool after_reset(void);     /* returns true after the reset by test_reset() */
void test_after_reset(void);
void test_snapshots(
        void); /* of the PMU: instead of all others, if the command line asks for them */
void test_snapshot_access(void);
void test_snapshots_after_reset(void);
void test_snapshots_strict(void);
void test_snapshots_old(void);
void test_no_snapshots(void);

/* ---- the interrupt controller ---------------------------------------------------------------- */

#define SPE_INTID 21
#define PMU_INTID 23
void gic_setup(unsigned cpu,
               enum security security); /* PPI 21 and 23, Group 1 of that state; from EL3 */
bool gic_pending(unsigned cpu);
void gic_timer(unsigned cpu, bool on); /* PPI 30, EL1's physical timer */

/* Call QEMU's PSCI below EL3. The third argument is 0. */
u64 psci(u64 function, u64 argument1, u64 argument2);
void psci_entry(void);

/* Start the other PEs, which enter secondary_main(). Return the number of PEs. */
unsigned processors_release(void);
void processor_call(unsigned index, void (*call)(struct cpu *cpu));
bool processor_wait(unsigned index); /* false: it does not return */

#endif
