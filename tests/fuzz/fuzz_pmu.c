/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: arbitrary register accesses to a PMU, events, Captures and changes of state.
 *
 * Invariants for every input:
 * - A register access has the outcome that its check predicts.
 * - A batch of events increments the counters that spemu_pmu_counts() and the event types select,
 *   and otherwise only chained counters.
 * - A completed Capture has the values of the counters. Its outcome follows from the state.
 * - The host knows the level of PMUIRQ.
 * - Bits that do not exist are 0.
 * - Objects that are saved, loaded and saved again are equal.
 */
#include <string.h>

#include <spemu/choices.h>
#include "fuzz_world.h"

enum { IMAGE_SIZE = 8192, ENCODINGS_MAX = 512 };

static struct {
	struct fuzz_input in;
	struct fuzz_world w;
	unsigned number, place;
	bool making, irq;
	bool own;    /* the host has the counters */
	bool chosen; /* some choices are not the default */
	uint64_t counter[SPEMU_PMU_COUNTERS];
} f;

static uint16_t encodings[ENCODINGS_MAX]; /* encodings of the PMU's registers */
static unsigned encoding_count;

/* ---- the host ---- */

static void host_irq(void *ctx, bool level)
{
	(void)ctx;
	REQUIRE(f.making || level != f.irq);
	f.irq = level;
}

static void host_event(void *ctx, uint16_t event, uint64_t count)
{
	(void)ctx;
	REQUIRE(event == SPEMU_PMU_SNAPSHOT || event == SPEMU_PMU_SW_INCR);
	REQUIRE(count == 1);
}

static void host_diagnostic(void *ctx, const struct spemu_diagnostic *d)
{
	(void)ctx;
	REQUIRE(d->name && d->rule && d->cause && d->remedy);
	REQUIRE(d->values <= sizeof(d->value) / sizeof(*d->value));
}

static uint64_t host_counter(void *ctx, unsigned n)
{
	(void)ctx;
	REQUIRE(n < SPEMU_PMU_COUNTERS);
	return f.counter[n];
}

static void host_counter_write(void *ctx, unsigned n, uint64_t value)
{
	(void)ctx;
	REQUIRE(n < SPEMU_PMU_COUNTERS);
	f.counter[n] = value;
}

static const struct spemu_pmu_host model_counts = {.size = sizeof(model_counts),
                                                   .pmuirq = host_irq,
                                                   .event = host_event,
                                                   .diagnostic = host_diagnostic};
static const struct spemu_pmu_host host_counts = {.size = sizeof(host_counts),
                                                  .pmuirq = host_irq,
                                                  .event = host_event,
                                                  .diagnostic = host_diagnostic,
                                                  .counter_read = host_counter,
                                                  .counter_write = host_counter_write};

static int no_write(void *ctx, struct spemu_fault *fault, const struct spemu_buffer_write *access,
                    const void *data, size_t size)
{
	(void)ctx, (void)fault, (void)access, (void)data, (void)size;
	return 0;
}
static const struct spemu_spu_host spu_host = {.size = sizeof(spu_host), .buffer_write = no_write};

static void enter(unsigned place)
{
	f.own = f.number / FUZZ_FEATURE_SETS >= 2;
	f.making = true;
	f.w = fuzz_world(f.number, place, &spu_host, f.own ? &host_counts : &model_counts);
	f.making = false;
	f.place = place;
	f.irq = spemu_pmu_irq(f.w.pmu);
}

static void list_encodings(void)
{
	struct spemu_reg_description r;
	struct spemu_access_result result;

	for (unsigned i = 0; spemu_reg_describe(&r, i) == SPEMU_OK; i++)
		for (unsigned n = 0; n < r.count; n++)
			if (spemu_pmu_access_check(f.w.pmu, &result, r.encoding + n, false) ==
			    SPEMU_OK) {
				REQUIRE(encoding_count < ENCODINGS_MAX);
				encodings[encoding_count++] = (uint16_t)(r.encoding + n);
			}
}

/* ---- checks ---- */

static bool has(enum spemu_feature feature)
{
	return spemu_has(spemu_pe_features(f.w.pe), feature);
}

static uint64_t get(uint32_t encoding)
{
	uint64_t value;

	REQUIRE(spemu_pmu_reg_get(f.w.pmu, &value, encoding) == SPEMU_OK);
	return value;
}

static uint64_t counter(unsigned n)
{
	return n == SPEMU_PMU_CYCLE_COUNTER         ? get(SPEMU_SYSREG_PMCCNTR_EL0)
	       : n == SPEMU_PMU_INSTRUCTION_COUNTER ? get(SPEMU_SYSREG_PMICNTR_EL0)
	                                            : get(SPEMU_SYSREG_PMEVCNTRn_EL0(n));
}

static uint64_t snapshot(unsigned n)
{
	return n == SPEMU_PMU_CYCLE_COUNTER         ? get(SPEMU_SYSREG_PMCCNTSVR_EL1)
	       : n == SPEMU_PMU_INSTRUCTION_COUNTER ? get(SPEMU_SYSREG_PMICNTSVR_EL1)
	                                            : get(SPEMU_SYSREG_PMEVCNTSVRn_EL1(n));
}

static unsigned type(unsigned n)
{
	return n == SPEMU_PMU_CYCLE_COUNTER ? SPEMU_PMU_CPU_CYCLES
	       : n == SPEMU_PMU_INSTRUCTION_COUNTER
	               ? SPEMU_PMU_INST_RETIRED
	               : (unsigned)get(SPEMU_SYSREG_PMEVTYPERn_EL0(n)) & 0xffff;
}

static bool exists(unsigned n)
{
	if (n == SPEMU_PMU_INSTRUCTION_COUNTER)
		return has(SPEMU_FEAT_PMUV3_ICNTR);
	return n == SPEMU_PMU_CYCLE_COUNTER || n < 6; /* the default of event_counters */
}

static uint64_t after(unsigned n, uint64_t before, uint64_t count)
{
	bool narrow = n < SPEMU_PMU_CYCLE_COUNTER && !has(SPEMU_FEAT_PMUV3P5);

	return narrow ? (uint32_t)(before + count) : before + count;
}

static void check_told(void)
{
	REQUIRE(f.irq == spemu_pmu_irq(f.w.pmu));
}

static void check_registers(void)
{
	uint64_t value;

	for (unsigned r = 0; r < SPEMU_REG_COUNT; r++) {
		REQUIRE(spemu_reg_get(f.w.pe, &value, (enum spemu_reg)r) == SPEMU_OK);
		REQUIRE((value & ~fuzz_world_mask(f.number, (enum spemu_reg)r)) == 0);
	}
	for (unsigned n = 0; n < SPEMU_PMU_CYCLE_COUNTER; n++) {
		REQUIRE(has(SPEMU_FEAT_PMUV3P5) || counter(n) <= UINT32_MAX);
		REQUIRE(exists(n) || (counter(n) == 0 && type(n) == 0));
	}
}

static void reload(void)
{
	static uint8_t pe[2][IMAGE_SIZE], pmu[2][IMAGE_SIZE];
	size_t pe_size = spemu_pe_save_size(), size = spemu_pmu_save_size();

	REQUIRE(pe_size <= IMAGE_SIZE && size <= IMAGE_SIZE);
	REQUIRE(spemu_pe_save(f.w.pe, pe[0], pe_size) == SPEMU_OK);
	REQUIRE(spemu_pmu_save(f.w.pmu, pmu[0], size) == SPEMU_OK);
	enter(!f.place);
	REQUIRE(spemu_pe_load(f.w.pe, pe[0], pe_size) == SPEMU_OK);
	REQUIRE(spemu_pmu_load(f.w.pmu, pmu[0], size) == SPEMU_OK);
	REQUIRE(spemu_pe_save(f.w.pe, pe[1], pe_size) == SPEMU_OK);
	REQUIRE(spemu_pmu_save(f.w.pmu, pmu[1], size) == SPEMU_OK);
	REQUIRE(memcmp(pe[0], pe[1], pe_size) == 0 && memcmp(pmu[0], pmu[1], size) == 0);
}

/* ---- the calls ---- */

static uint32_t take_encoding(void)
{
	unsigned n = fuzz_u8(&f.in);

	return n < 250 ? encodings[n % encoding_count] : (uint32_t)fuzz_uint(&f.in, 2);
}

static void check_access(const struct spemu_access_result *a, const struct spemu_access_result *b)
{
	REQUIRE(a->outcome == b->outcome && a->iss == b->iss);
	REQUIRE(a->nvmem_offset == b->nvmem_offset && a->outcome <= SPEMU_ACCESS_TRAP_EL1);
	REQUIRE((a->rule == NULL) == (a->outcome == SPEMU_ACCESS_OK));
}

static void act_msr(void)
{
	struct spemu_access_result expected, result;
	uint32_t encoding = take_encoding();
	int status = spemu_pmu_access_check(f.w.pmu, &expected, encoding, true);

	REQUIRE(spemu_pmu_msr(f.w.pmu, &result, encoding, fuzz_value(&f.in)) == status);
	if (status == SPEMU_OK)
		check_access(&expected, &result);
}

static void act_mrs(void)
{
	struct spemu_access_result expected, result;
	uint32_t encoding = take_encoding();
	int status = spemu_pmu_access_check(f.w.pmu, &expected, encoding, false);
	uint64_t value;

	REQUIRE(spemu_pmu_mrs(f.w.pmu, &result, &value, encoding) == status);
	if (status == SPEMU_OK)
		check_access(&expected, &result);
}

static void act_reg_set(void)
{
	uint32_t encoding = take_encoding();
	uint64_t value = fuzz_value(&f.in);
	int status = spemu_pmu_reg_set(f.w.pmu, encoding, value);

	REQUIRE(status == SPEMU_OK || status == SPEMU_ERR_INVALID);
}

static void act_pe_register(void)
{
	static const uint16_t regs[] = {SPEMU_REG_MDCR_EL2,  SPEMU_REG_MDCR_EL3,
	                                SPEMU_REG_SCR_EL3,   SPEMU_REG_HCR_EL2,
	                                SPEMU_REG_PMCR_EL0,  SPEMU_REG_PMCNTENSET_EL0,
	                                SPEMU_REG_PMECR_EL1, SPEMU_REG_PMUSERENR_EL0};
	unsigned n = fuzz_u8(&f.in);
	enum spemu_reg reg = (enum spemu_reg)(n < 128 ? regs[n % 8] : n % SPEMU_REG_COUNT);

	REQUIRE(spemu_reg_set(f.w.pe, reg, fuzz_value(&f.in)) == SPEMU_OK);
}

/* Read an event number: an event with its own register, or an event that a counter counts. */
static uint16_t take_event(void)
{
	static const uint16_t known[] = {SPEMU_PMU_INST_RETIRED, SPEMU_PMU_CPU_CYCLES, 3, 0x4000};
	unsigned n = fuzz_u8(&f.in);

	if (n < 4)
		return known[n];
	return n < 64 ? (uint16_t)type(n % 6) : (uint16_t)fuzz_uint(&f.in, 2);
}

static void check_counted(const uint64_t *before, const bool *counts, uint16_t event,
                          uint64_t count)
{
	for (unsigned n = 0; n < SPEMU_PMU_COUNTERS; n++) {
		if (!exists(n) || (n < SPEMU_PMU_CYCLE_COUNTER && type(n) == SPEMU_PMU_CHAIN))
			continue;
		if (counts[n] && n == SPEMU_PMU_CYCLE_COUNTER && type(n) == event)
			REQUIRE(counter(n) - before[n] == count || has(SPEMU_FEAT_AA32));
		else
			REQUIRE(counter(n) ==
			        after(n, before[n], counts[n] && type(n) == event ? count : 0));
	}
}

static void act_count(void)
{
	uint64_t before[SPEMU_PMU_COUNTERS] = {0}, enabled;
	bool counts[SPEMU_PMU_COUNTERS] = {false};
	uint16_t event = take_event();
	uint64_t count = fuzz_value(&f.in);
	int status;

	REQUIRE(spemu_reg_get(f.w.pe, &enabled, SPEMU_REG_PMCNTENSET_EL0) == SPEMU_OK);
	for (unsigned n = 0; n < SPEMU_PMU_COUNTERS; n++)
		if (exists(n)) {
			before[n] = counter(n);
			counts[n] = spemu_pmu_counts(f.w.pmu, n) && (enabled >> n & 1);
		}
	status = spemu_pmu_count(f.w.pmu, event, count);
	REQUIRE(status == (f.own ? SPEMU_ERR_STATE : SPEMU_OK));
	if (!f.chosen)
		check_counted(before, counts, event, f.own || event == SPEMU_PMU_CHAIN ? 0 : count);
}

static void act_capture(void)
{
	enum spemu_capture allowed = spemu_pmu_capture(f.w.pmu);
	enum spemu_capture_outcome outcome;
	uint64_t before[SPEMU_PMU_COUNTERS];

	for (unsigned n = 0; n < SPEMU_PMU_COUNTERS; n++)
		before[n] = exists(n) ? counter(n) : 0;
	outcome = spemu_pmu_capture_request(f.w.pmu);
	/* With some choices, a Capture may already be ongoing, or be ongoing now. */
	if (outcome == SPEMU_CAPTURE_ONGOING) {
		REQUIRE(f.chosen);
		return;
	}
	if (allowed == SPEMU_CAPTURE_DISABLED)
		REQUIRE(outcome == SPEMU_CAPTURE_IGNORED);
	if (allowed == SPEMU_CAPTURE_PROHIBITED)
		REQUIRE(outcome == SPEMU_CAPTURE_IGNORED || outcome == SPEMU_CAPTURE_NOT_DONE);
	if (outcome != SPEMU_CAPTURE_DONE)
		return;
	REQUIRE(allowed == SPEMU_CAPTURE_ALLOWED && has(SPEMU_FEAT_PMUV3_SS));
	for (unsigned n = 0; n < SPEMU_PMU_COUNTERS; n++)
		REQUIRE(!exists(n) || snapshot(n) == before[n]);
}

static void act_host(void)
{
	unsigned what = fuzz_below(&f.in, 6);
	enum spemu_capture_outcome outcome;

	switch (what) {
	case 0:
		outcome = spemu_pmu_capture_complete(f.w.pmu);
		REQUIRE(outcome == SPEMU_CAPTURE_IGNORED || outcome == SPEMU_CAPTURE_DONE ||
		        outcome == SPEMU_CAPTURE_NOT_DONE);
		break;
	case 1:
		spemu_pmu_power(f.w.pmu, fuzz_u8(&f.in) & 1);
		break;
	case 2:
		spemu_pmu_branch(f.w.pmu, fuzz_value(&f.in));
		break;
	case 3:
		spemu_pmu_authenticate(f.w.pmu, fuzz_u8(&f.in));
		break;
	case 4:
		REQUIRE(spemu_pmu_overflow(f.w.pmu, fuzz_value(&f.in)) ==
		        (f.own ? SPEMU_OK : SPEMU_ERR_STATE));
		break;
	default:
		spemu_pmu_set_spe_freeze(f.w.pmu, fuzz_u8(&f.in) & 1);
		break;
	}
}

static void act_external(void)
{
	unsigned form = fuzz_u8(&f.in), size = form & 1 ? 8 : 4, security = form >> 1 & 3;
	uint32_t offset = (uint32_t)fuzz_uint(&f.in, 2);
	bool write = form >> 3 & 1, error = false, good;
	uint64_t value = 0;
	int status;

	if (form >> 4 == 15)
		size = fuzz_u8(&f.in);
	if (form >> 4 < 14)
		offset = (offset & 0xfff) / size * size;
	good = (size == 4 || size == 8) && offset % size == 0 && offset <= 0xffc;
	status = write ? spemu_pmu_external_write(f.w.pmu, &error, offset, size, security,
	                                          fuzz_value(&f.in))
	               : spemu_pmu_external_read(f.w.pmu, &error, &value, offset, size, security);
	REQUIRE(status == (!good                       ? SPEMU_ERR_INVALID
	                   : has(SPEMU_FEAT_PMUV3_EXT) ? SPEMU_OK
	                                               : SPEMU_ERR_NOT_SUPPORTED));
	REQUIRE(status || size == 8 || value <= UINT32_MAX);
}

static void act_state(void)
{
	unsigned form = fuzz_u8(&f.in);
	struct spemu_pe_state state = {
	        .el = form & 3, .aarch32 = (form & 0x1c) == 0x1c, .debug = (form & 0xe0) == 0xe0};

	(void)spemu_pe_set(f.w.pe, &state);
}

static void act_choice(void)
{
	enum spemu_choice choice = (enum spemu_choice)fuzz_below(&f.in, SPEMU_CHOICE_COUNT + 1);
	unsigned option = fuzz_below(&f.in, 33);

	if (spemu_choice_set(f.w.pe, choice, option == 32 ? SPEMU_CHOICE_RANDOM : option) ==
	    SPEMU_OK)
		f.chosen = true;
}

static void act_reload(void)
{
	if (fuzz_u8(&f.in) % 8 == 0)
		reload();
}

static void act_isb(void)
{
	spemu_pe_isb(f.w.pe);
}

static void step(void)
{
	static void (*const acts[])(void) = {act_msr,     act_mrs,   act_reg_set,     act_count,
	                                     act_capture, act_host,  act_external,    act_state,
	                                     act_choice,  act_isb,   act_pe_register, act_msr,
	                                     act_count,   act_count, act_external,    act_reload};

	acts[fuzz_u8(&f.in) % 16]();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	memset(&f, 0, sizeof(f));
	f.in = (struct fuzz_input){data, data + size};
	f.number = fuzz_below(&f.in, FUZZ_WORLDS);
	enter(0);
	if (!encoding_count)
		list_encodings();
	while (!fuzz_ended(&f.in)) {
		step();
		check_told();
	}
	check_registers();
	if (!size || data[0] < 64) /* for some inputs only, because it is slow */
		reload();
	return 0;
}
