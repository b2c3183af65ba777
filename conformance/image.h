/* SPDX-License-Identifier: MIT */
/*
 * Common parts of the conformance image's tests: the machine, results, Exception levels, memory and
 * profiling.
 *
 * The image runs on one PE. "Its own" Exception level is the one at which it was started, EL1 or
 * EL2. It also runs code at lower levels.
 */
#ifndef CONFORMANCE_IMAGE_H
#define CONFORMANCE_IMAGE_H

#include "numbers.h"
#include "spe_registers.h"
#ifndef __ASSEMBLER__
#include "print.h"
#include "record.h"
#include "spe.h"

/* ---- the machine ----------------------------------------------------------------------------- */

enum conduit { NO_CONDUIT, BY_HVC, BY_SMC };
enum uart { NO_UART, UART_PL011, UART_16550 };

/* Properties of the machine from the device tree or ACPI; 0 if they do not give a property. */
struct platform {
	enum uart uart;
	unsigned uart_shift; /* shift of register numbers of a 16550 */
	u64 uart_base;
	u64 gicd, gicr; /* GICv3: the distributor, and the first redistributor or this PE's own */
	u64 gicr_bytes;
	unsigned spe_intid; /* INTID of PMBIRQ, or 0 if it is not described */
	enum conduit psci;
	bool memory_found, memory_fits; /* memory is described, and contains the image */
	char options[128];              /* words for the image: poweroff (UEFI), e2h (flat image) */
	char description[64];           /* name of the machine */
};
extern struct platform platform;
bool option(const char *word); /* returns true if platform.options has the word */

struct machine {
	u32 el; /* its own level; assembly reads it */
	bool has_el2, has_el3, has_fgt, has_fgt2, has_lse, has_pan, has_sve, has_ecv, has_vhe,
	        has_pmu;
	bool can_vhe;  /* HCR_EL2.E2H can be 1 */
	bool must_vhe; /* HCR_EL2.E2H cannot be 0, or the word e2h asks for 1 */
	bool uefi;
	u64 physical_bits;
	struct spe_ids ids;
	unsigned align, max_record; /* bytes */
	u64 interval;               /* recommended interval, in operations */
	u64 mdcr_el2, hcr_el2;      /* values when the tests begin, without controls of SPE */
};
extern struct machine machine;

void identify(void);     /* without register accesses to SPE */
void identify_spu(void); /* with register accesses to SPE */

/* Read the machine's description into `platform`. Malformed or missing values stay 0. */
void fdt_parse(const u8 *dtb);
void acpi_parse(u64 rsdp);

/* uefi.c: take over from the firmware, and find its descriptions of the machine. A missing
 * description is 0. */
void uefi_begin(u64 handle, u64 table, u64 *tree, u64 *acpi);
void uefi_options(void); /* replace options of a device tree by those of the firmware */
void uefi_put(char c);
/* Show all output. Return the firmware's status for an EXIT_ status. */
u64 uefi_end(unsigned status);
void uefi_exit(unsigned status) __attribute__((noreturn));

/* heads.c: called by start.S. */
void flat_main(const u8 *dtb);
u64 uefi_main(u64 handle, u64 table);
unsigned image_run(void); /* Run all tests and report. Return an EXIT_ status. */
void with_own_stack(void (*function)(void));

/* Record a region of memory in `platform`, and whether it contains the image. */
void platform_memory(u64 base, u64 bytes);
u64 image_first(void);
u64 image_bytes(void);

/* ---- results --------------------------------------------------------------------------------- */

struct test {
	const char *name;
	const char *rules; /* IDs of rules and sections of the manual, separated by blanks */
	void (*run)(void);
	unsigned needs;
};
enum { /* requirements of a test in addition to SPE */
       NEEDS_EL2 = 1,
       NEEDS_VHE = 2,
       NEEDS_FGT = 4,
       NEEDS_V1P2 = 8,
       NEEDS_FNE = 16,
       NEEDS_FDS = 32,
       NEEDS_EFT = 64,
       NEEDS_GIC = 128,
       NEEDS_FE = 256,
       NEEDS_FT = 512,
       NEEDS_FL = 1024,
};

/* A test passes unless it calls fail() or skip(), or an expectation fails. Only the first reason of
 * a kind is shown. */
void fail(const char *format, ...);
void skip(const char *format, ...);
bool expect(bool ok, const char *format, ...);
void note(const char *format, ...); /* print a line of diagnostics, if the test fails */
/* Report the observed behavior if the architecture leaves it open. `choice` is a choice of
 * arch/choices.txt, and the text has its option. */
void observe(const char *choice, const char *format, ...);
void die(const char *format, ...) __attribute__((noreturn)); /* callable at any level */
void bail_out(void);                          /* end the image if it has died below its own level */
void before_bail_out(void (*function)(void)); /* let bail_out() call the function first */
/* Collect the output of a test. Then return its first reasons, or NULL, and show the output. */
void result_begin(const struct test *test);
void result_end(void);
const char *result_failed(void);
const char *result_skipped(void);
void result_show(void);

/* console.c */
void console_put(char c);
enum { EXIT_PASSED, EXIT_FAILED, EXIT_NOTHING_TESTED = 77 };
/* End the image with an EXIT_ status. */
void image_exit(unsigned status) __attribute__((noreturn));

extern const struct test test_list[];
extern const unsigned test_count;

/* ---- Exception levels ------------------------------------------------------------------------ */

struct taken {
	u8 el;     /* the target Exception level */
	u8 vector; /* 0..15 */
	u64 esr, far, elr, spsr;
};
#define TAKEN_EC(t) (((t)->esr >> 26) & 63)

struct exceptions {
	bool expecting; /* record synchronous exceptions, and skip their instruction */
	unsigned count;
	struct taken taken[4]; /* the first exceptions */
};
extern struct exceptions exceptions;

struct frame {
	u64 x[31], elr, spsr;
};

/* The Exception level of the sampled operations, and the one that owns the Profiling Buffer. */
struct context {
	const char *name;
	u8 el, owner;
	bool e2h, tge;
};
/* The contexts that this machine can run. The first one is at the image's own level. */
unsigned contexts(const struct context **list);
/* Return the context EL1&0 with code at EL1, or NULL if the image is at EL1 and so cannot trap
 * it. */
const struct context *context_el1(void);
const struct context *context_el0(void);

void world_begin(void); /* save EL2's state; use the tests' vectors, tables, controls */
void world_end(void);
/* Set the controls of EL2 for the context. At EL1, there are none. */
void context_set(const struct context *context);
u64 run_at(const struct context *context, u64 function, u64 argument);
u64 enter_lower(u64 function, u64 argument, u64 spsr, u64 lr);
void leave_el1(void);
void leave_el0(void);
extern char vectors_el1[], vectors_el2[], access_stubs[];
/* Execute the MRS or MSR of spe_registers[index] in the context that has been set; `exceptions`
 * records any exception. */
u64 access_at(const struct context *context, unsigned index, bool write, u64 value);
u64 access_here(unsigned index, bool write, u64 value);

u64 smc_call(u64 function);
u64 hvc_call(u64 function);
/* Make a semihosting call. Without semihosting the instruction is UNDEFINED; exceptions.expecting
 * skips it. */
u64 semihosting(u64 operation, const void *block);

/* ---- memory ---------------------------------------------------------------------------------- */

#define PAGE UINT64_C(4096)
#define BUFFER_PAGES 128
#define GUARD_PAGES 2
extern u8 buffer[(BUFFER_PAGES + GUARD_PAGES) * PAGE];
extern u8 elsewhere[8 * PAGE]; /* memory to which tests map pages of the buffer */

struct regime { /* registers of the image's own level; assembly relies on the order */
	u64 mair, tcr, ttbr0, sctlr, hcr;
};
void memory_setup(void); /* build the translation tables */
void memory_switch(const struct regime *regime, u64 first, u64 end);
bool stage2_reaches(void);  /* returns true if stage 2 can map the image */
void memory_controls(void); /* set up the image's own level and, at EL2, also EL1 */
void memory_own(u64 hcr);   /* set up the image's own level with this HCR_EL2 */
#define HCR_E2H BIT(34)
u64 page_descriptor(u64 physical);
u64 page_stage2(u64 physical);
enum tables { OWN, LOWER, STAGE_2 }; /* OWN and LOWER are the same at EL1 */
void page_map(enum tables tables, u64 address, u64 descriptor);
/* Replace a descriptor of level 0 to 3 with break-before-make. Return the old descriptor. */
u64 level_map(enum tables tables, u64 address, unsigned level, u64 descriptor);
u64 block_descriptor(u64 physical, unsigned level); /* for level 1 or 2 */
/* Return the tables of the regime that owns the buffer in a context. */
enum tables tables_of(const struct context *context);
void stage2_registers(bool on);
void stage2_enable(bool on); /* set the registers and HCR_EL2.VM */
void forget_translations(void);

/* ---- profiling ------------------------------------------------------------------------------- */

struct setup {
	u64 base, bytes; /* virtual range of the buffer */
	u64 interval;    /* PMSIRR_EL1 */
	u64 icr;         /* PMSICR_EL1 */
	u64 scr, scr2;   /* PMSCR_EL1 and, at EL2, PMSCR_EL2 */
	u64 fcr, evfr, nevfr, latfr, dsfr;
	u64 limitr; /* PMBLIMITR_EL1 without LIMIT */
	u64 status; /* PMBSR_EL1 */
};

struct profile {
	u64 begin, end; /* range of the written bytes */
	u64 status;     /* PMBSR_EL1 */
	u64 icr;        /* PMSICR_EL1 */
	unsigned count; /* records */
	const char *damage;
	u64 x0;
};
#define RECORDS 2048
extern struct record records[RECORDS];

/* Return a setup that samples only the level of the context, at the recommended interval, without
 * timestamps and contexts. */
struct setup setup_of(const struct context *context);
void profile_start(const struct context *context, const struct setup *setup);
void profile_sync(void);
void profile_stop(const struct context *context, struct profile *profile,
                  const struct setup *setup);
/* Read records[] from `memory`, an address that maps the start of the buffer. */
void profile_decode(struct profile *profile, u64 memory);
/* Profile a function and read the whole buffer. The test fails if the records cannot be read, or if
 * the status is not an expected one. */
struct profile profile_at(const struct context *context, const struct setup *setup, u64 function,
                          u64 argument);
struct profile profile_good(const struct context *context, const struct setup *setup, u64 function,
                            u64 argument);
/* Return the number of rounds of work() that give about `samples` samples. */
u64 rounds_for(const struct setup *setup, unsigned samples, unsigned operations);
u64 scr_read(const struct context *context); /* PMSCR_EL1, whatever HCR_EL2.E2H is */
void scr_write(const struct context *context, u64 value);
bool in_code(const struct record *record, const void *begin, const void *end);

/* Run work to be sampled: `rounds` times WORK_OPERATIONS on the doubleword work_data. */
#define WORK_OPERATIONS 8
u64 work(u64 rounds);
u64 exclusives(u64 rounds);
u64 atomics(u64 rounds);
u64 touch(u64 address);
u64 calls(u64 rounds);
u64 straight(u64 rounds);
u64 floating(u64 rounds);
u64 calling(u64 rounds);
u64 scalable(u64 rounds);
extern u64 work_data[WORK_LINES][8];
extern char work_begin[], work_end[], touch_ldr[], touch_str[], straight_end[];
extern char exclusives_ldxr[], exclusives_stxr[], atomics_ldadd[], calls_svc[], calls_end[];
extern char floating_fp[], floating_simd[], floating_load[], calling_bl[], calling_ret[],
        calling_never[];
extern char scalable_all[], scalable_one[], scalable_none[], scalable_plain[], scalable_load[],
        scalable_store[];
extern char eret_el1[];

/* ---- the interrupt controller ---------------------------------------------------------------- */

bool gic_setup(void);   /* returns true if a GICv3 has a redistributor for this PE */
bool gic_pending(void); /* returns the level of PMBIRQ */

#endif
#endif
