/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any sequence of calls of an SPU and its PE, with a hostile host.
 *
 * Software and the host act in any order. The buffer faults, the host gives wrong results for a
 * translation or a write, and time goes back. fuzz_calls_check.c checks the invariants for every
 * input: nothing is written outside of the memory that software ever gave to the SPU, the host
 * knows the present state, reserved bits are 0, and a written record decodes to its operation.
 * Objects that are saved, loaded elsewhere and saved again are equal.
 */
#include <string.h>

#include "fuzz_calls.h"

struct calls calls;

/* ---- the host ---- */

/* Read a fault of any kind. Some kinds do not exist. */
static void take_fault(struct spemu_fault *fault, size_t size)
{
	static const uint16_t kinds[] = {SPEMU_FAULT_STAGE1, SPEMU_FAULT_STAGE2, SPEMU_FAULT_GPC,
	                                 SPEMU_FAULT_EXTERNAL};
	unsigned form = fuzz_u8(&calls.in);

	*fault = (struct spemu_fault){.kind = kinds[form & 3],
	                              .fsc = fuzz_u8(&calls.in),
	                              .top_level = form >> 2 & 1,
	                              .overlay = form >> 3 & 1,
	                              .dirty_bit = form >> 4 & 1,
	                              .external = form >> 5 & 1};
	if (size)
		fault->written = (uint32_t)(fuzz_u8(&calls.in) % size);
	if (form >> 6 == 3) {
		fault->kind = (uint16_t)fuzz_value(&calls.in);
		fault->written = (uint32_t)fuzz_value(&calls.in);
	}
}

static int host_write(void *ctx, struct spemu_fault *fault, const struct spemu_buffer_write *access,
                      const void *data, size_t size)
{
	(void)ctx;
	calls_check_write(access, data, size);
	if (!calls.hostile || fuzz_u8(&calls.in) % 4 != 3)
		return 0;
	calls.troubled = true;
	take_fault(fault, size);
	return 1;
}

static int host_translate(void *ctx, struct spemu_translation *result, struct spemu_fault *fault,
                          const struct spemu_pe *pe, const struct spemu_buffer_write *access)
{
	unsigned form = calls.hostile ? fuzz_u8(&calls.in) : 0;

	(void)ctx;
	REQUIRE(pe == calls.w.pe && !access->translated && access->privileged);
	memset(result, 0, sizeof(*result));
	result->physical = access->address;
	result->pas = access->security;
	result->region_log2 = 12 + (form >> 2 & 7);
	result->memory.type = result->stage1.type =
	        form >> 5 & 1 ? SPEMU_MEMORY_DEVICE_GRE : SPEMU_MEMORY_NORMAL;
	if (form % 4 != 3)
		return 0;
	calls.troubled = true;
	switch (form >> 6) {
	case 0:
		take_fault(fault, 0);
		return fault->kind;
	case 1: /* a wrong translation */
		result->physical = fuzz_value(&calls.in);
		result->region_log2 = fuzz_u8(&calls.in);
		result->pas = fuzz_u8(&calls.in);
		result->memory.type = fuzz_u8(&calls.in);
		result->has_stage2 = true;
		return 0;
	case 2:
		return (int)fuzz_value(&calls.in);
	default:
		return -1000;
	}
}

static uint64_t host_counter(void *ctx)
{
	(void)ctx;
	return calls.time;
}

static void host_irq(void *ctx, bool level)
{
	(void)ctx;
	REQUIRE(calls.making || level != calls.irq);
	calls.irq = level;
}

static void host_exception(void *ctx, unsigned el)
{
	(void)ctx;
	REQUIRE(calls.making || (el != calls.target && el <= 3));
	calls.target = el;
}

static void host_freeze(void *ctx, bool freeze)
{
	(void)ctx;
	REQUIRE(calls.making || freeze != calls.freeze);
	calls.freeze = freeze;
}

static void host_serror(void *ctx)
{
	(void)ctx;
	calls.serrors++;
}

static void host_event(void *ctx, uint16_t event, uint64_t count)
{
	(void)ctx;
	REQUIRE(count > 0 && (event >> 8 == 0x40 || event >> 8 == 0x81 || event >> 8 == 0x83));
	REQUIRE(spemu_pmu_count(calls.w.pmu, event, count) == SPEMU_OK);
}

static void host_done(void *ctx, const struct spemu_sample_result *result)
{
	(void)ctx;
	REQUIRE(spemu_spu_strict(calls.w.spu));
	REQUIRE(result->outcome == SPEMU_SAMPLE_RECORDED ||
	        result->outcome == SPEMU_SAMPLE_DISCARDED || result->outcome == SPEMU_SAMPLE_LOST);
	REQUIRE(calls.pending > 0);
	calls.pending--;
}

static const struct spemu_spu_host host = {.size = sizeof(host),
                                           .buffer_write = host_write,
                                           .pmbirq = host_irq,
                                           .pmu_event = host_event,
                                           .counter = host_counter,
                                           .translate = host_translate,
                                           .profiling_exception = host_exception,
                                           .pmu_freeze = host_freeze,
                                           .serror = host_serror,
                                           .diagnostic = calls_check_diagnostic,
                                           .sample_done = host_done};

/* ---- the calls ---- */

static enum spemu_reg take_register(void)
{
	static const uint8_t often[] = {
	        SPEMU_REG_PMBPTR_EL1, SPEMU_REG_PMBLIMITR_EL1, SPEMU_REG_PMBSR_EL1,
	        SPEMU_REG_PMBMAR_EL1, SPEMU_REG_PMSCR_EL1,     SPEMU_REG_PMSCR_EL2,
	        SPEMU_REG_PMSFCR_EL1, SPEMU_REG_PMSEVFR_EL1,   SPEMU_REG_PMSIRR_EL1,
	        SPEMU_REG_PMSICR_EL1, SPEMU_REG_PMSLATFR_EL1,  SPEMU_REG_MDCR_EL2,
	        SPEMU_REG_MDCR_EL3,   SPEMU_REG_SCR_EL3,       SPEMU_REG_HCR_EL2,
	        SPEMU_REG_PMBSR_EL2,
	};
	unsigned n = fuzz_u8(&calls.in);

	return n < 128 ? (enum spemu_reg)often[n % sizeof(often)]
	               : (enum spemu_reg)(n % SPEMU_REG_COUNT);
}

static void set_register(enum spemu_reg reg, uint64_t value)
{
	calls_note_register(reg, value);
	REQUIRE(spemu_reg_set(calls.w.pe, reg, value) == SPEMU_OK);
}

static void act_reg_set(void)
{
	enum spemu_reg reg = take_register();

	set_register(reg, fuzz_value(&calls.in));
}

/* Read an encoding: that of the register, that of another register, or an arbitrary one. */
static uint32_t take_encoding(enum spemu_reg reg)
{
	unsigned form = fuzz_u8(&calls.in);
	int encoding = spemu_reg_encoding(spemu_reg_name(reg));

	if (form >= 0xf0 || encoding < 0)
		return (uint32_t)fuzz_uint(&calls.in, 2);
	return (uint32_t)encoding;
}

static void act_msr(void)
{
	struct spemu_access_result expected, result;
	enum spemu_reg reg = take_register();
	uint32_t encoding = take_encoding(reg);
	uint64_t value = fuzz_value(&calls.in);
	int status = spemu_spu_access_check(calls.w.spu, &expected, encoding, true);

	calls_note_register(reg, value);
	/* The encoding may be that of any register. */
	calls_note_register(SPEMU_REG_PMBPTR_EL1, value);
	calls_note_register(SPEMU_REG_PMBLIMITR_EL1, value);
	REQUIRE(spemu_spu_msr(calls.w.spu, &result, encoding, value) == status);
	calls_check_access(&expected, &result, status);
}

static void act_mrs(void)
{
	struct spemu_access_result expected, result;
	uint32_t encoding = take_encoding(take_register());
	int status = spemu_spu_access_check(calls.w.spu, &expected, encoding, false);
	uint64_t value = 0;

	REQUIRE(spemu_spu_mrs(calls.w.spu, &result, &value, encoding) == status);
	calls_check_access(&expected, &result, status);
}

static void act_state(void)
{
	unsigned form = fuzz_u8(&calls.in);
	struct spemu_pe_state before, now,
	        state = {.el = form & 3,
	                 .aarch32 = (form & 0x1c) == 0x1c,
	                 .debug = (form & 0xe0) == 0xe0,
	                 .pm = form >> 5 & 1,
	                 .streaming = form >> 6 & 1,
	                 .edscr_sdd = form >> 7 & 1};

	spemu_pe_get(calls.w.pe, &before);
	if (spemu_pe_set(calls.w.pe, &state) != SPEMU_OK) {
		spemu_pe_get(calls.w.pe, &now);
		REQUIRE(state.el >= 2 && memcmp(&before, &now, sizeof(now)) == 0);
	}
}

static void act_buffer(void)
{
	uint64_t pointer = UINT64_C(0x10000) + fuzz_u8(&calls.in) * UINT64_C(64);
	uint64_t limit = (pointer | 0xfff) + 1 + (fuzz_u8(&calls.in) & 3) * UINT64_C(0x1000);

	set_register(SPEMU_REG_PMBLIMITR_EL1, 0);
	set_register(SPEMU_REG_PMBSR_EL1, 0);
	set_register(SPEMU_REG_PMBSR_EL2, 0);
	set_register(SPEMU_REG_PMBSR_EL3, 0);
	set_register(SPEMU_REG_PMBPTR_EL1, pointer);
	set_register(SPEMU_REG_SCR_EL3, 1);
	set_register(SPEMU_REG_MDCR_EL3, UINT64_C(3) << 12);
	set_register(SPEMU_REG_MDCR_EL2, UINT64_C(3) << 12);
	set_register(SPEMU_REG_HCR_EL2, 0);
	set_register(SPEMU_REG_PMSFCR_EL1, 0);
	set_register(SPEMU_REG_PMSCR_EL1, 0x3b);
	set_register(SPEMU_REG_PMSIRR_EL1, 0x100);
	set_register(SPEMU_REG_PMBLIMITR_EL1, limit | 1);
	REQUIRE(spemu_pe_set(calls.w.pe, &(struct spemu_pe_state){.el = 0}) == SPEMU_OK);
}

static void act_ops(void)
{
	uint64_t n = fuzz_value(&calls.in), until = spemu_spu_ops_until_sample(calls.w.spu);
	int status = spemu_spu_ops(calls.w.spu, n);

	REQUIRE(status == (until != UINT64_MAX && n >= until ? SPEMU_ERR_INVALID : SPEMU_OK));
	if (status == SPEMU_OK && until != UINT64_MAX)
		REQUIRE(spemu_spu_ops_until_sample(calls.w.spu) == until - n);
}

/* Read an operation. The host may set every member to any value. */
static struct spemu_op take_op(void)
{
	unsigned form = fuzz_u8(&calls.in);
	struct spemu_op op = {.kind.type = (uint8_t)(form % 8),
	                      .retired = true,
	                      .cond_pass = form >> 3 & 1,
	                      .va = calls.time,
	                      .valid = form >> 4 & 1 ? SPEMU_OPV_VA : 0};

	if (form < 0x80)
		return op;
	op.kind.ldst = fuzz_u8(&calls.in);
	op.kind.access_size = (uint16_t)fuzz_value(&calls.in);
	op.kind.flags = (uint32_t)fuzz_uint(&calls.in, 4);
	op.kind.vector_bits = (uint32_t)fuzz_value(&calls.in);
	op.target = op.va = op.pa = op.store_va = op.store_pa = fuzz_value(&calls.in);
	op.events = fuzz_value(&calls.in);
	op.total_latency = op.issue_latency = (uint32_t)fuzz_value(&calls.in);
	op.translation_latency = op.alt_issue_latency = op.total_latency;
	op.data_source = (uint16_t)fuzz_value(&calls.in);
	op.retired = form >> 5 & 1;
	op.exception = form >> 6 & 1;
	op.memory_access = fuzz_u8(&calls.in);
	op.pa_space = fuzz_u8(&calls.in);
	op.target_el = fuzz_u8(&calls.in);
	op.target_security = fuzz_u8(&calls.in);
	op.valid = (uint32_t)fuzz_value(&calls.in);
	return op;
}

static void end(unsigned slot)
{
	struct spemu_sample_result result = {0};
	struct spemu_op op = take_op();
	uint64_t pc = calls.pc[slot % SPEMU_IN_FLIGHT_MAX];
	bool in_flight = slot < calls.w.config->samples_in_flight && calls.used[slot];
	int status;

	calls_before_end();
	calls.pending++; /* if the record is held, it may be written within the call */
	status = spemu_spu_sample_end_slot(calls.w.spu, &result, slot, &op);
	if (result.outcome != SPEMU_SAMPLE_PENDING)
		calls.pending--;
	if (slot >= calls.w.config->samples_in_flight)
		REQUIRE(status == SPEMU_ERR_INVALID);
	else if (!in_flight)
		REQUIRE(status == SPEMU_ERR_STATE);
	else
		calls_check_end(&result, status, pc);
	if (in_flight)
		calls.used[slot] = false;
}

static void begin(bool and_end)
{
	uint64_t until = spemu_spu_ops_until_sample(calls.w.spu);
	unsigned slot = 0, flight = spemu_spu_samples_in_flight(calls.w.spu);
	uint64_t pc = UINT64_C(0x400000) + 4 * fuzz_u8(&calls.in);
	int status;

	if (until != UINT64_MAX)
		REQUIRE(spemu_spu_ops(calls.w.spu, until - 1) == SPEMU_OK);
	until = spemu_spu_ops_until_sample(calls.w.spu);
	status = spemu_spu_sample_begin_slot(calls.w.spu, &slot, pc);
	if (until != 1) {
		REQUIRE(status == SPEMU_ERR_STATE);
		return;
	}
	if (flight == calls.w.config->samples_in_flight) {
		REQUIRE(status == SPEMU_SAMPLE_COLLIDED);
		return;
	}
	REQUIRE(status == SPEMU_SAMPLE_STARTED && slot < calls.w.config->samples_in_flight);
	REQUIRE(!calls.used[slot] && spemu_spu_samples_in_flight(calls.w.spu) == flight + 1);
	calls.used[slot] = true;
	calls.pc[slot] = pc;
	if (and_end)
		end(slot);
}

static void act_sample(void)
{
	begin(true);
}

static void act_begin(void)
{
	begin(false);
}

static void act_end(void)
{
	end(fuzz_u8(&calls.in) % (SPEMU_IN_FLIGHT_MAX + 2));
}

static void act_barrier(void)
{
	switch (fuzz_below(&calls.in, 4)) {
	case 0:
		spemu_spu_psb_csync(calls.w.spu);
		break;
	case 1:
		spemu_spu_dsb(calls.w.spu);
		break;
	case 2:
		spemu_pe_isb(calls.w.pe);
		break;
	default:
		spemu_spu_drain(calls.w.spu);
		REQUIRE(calls.pending == 0);
		break;
	}
}

static void act_branch(void)
{
	struct spemu_pe_state to = {.el = (uint8_t)fuzz_below(&calls.in, 4)};
	uint32_t flags = (uint32_t)fuzz_value(&calls.in);

	if (flags == UINT32_MAX)
		spemu_spu_branch_unknown(calls.w.spu);
	else
		spemu_spu_branch(calls.w.spu, fuzz_value(&calls.in), flags, to.el ? &to : NULL);
}

static void act_time(void)
{
	calls.time += fuzz_value(&calls.in) - fuzz_value(&calls.in);
}

static void act_inject(void)
{
	struct spemu_injection i = {.size = sizeof(i)};
	int status;

	i.when = (uint8_t)fuzz_below(&calls.in, 4);
	i.kind = (uint8_t)fuzz_below(&calls.in, 7);
	i.mss = (uint16_t)fuzz_value(&calls.in);
	i.mss2 = (uint32_t)fuzz_value(&calls.in);
	i.times = fuzz_u8(&calls.in);
	i.nth = fuzz_value(&calls.in);
	i.first = fuzz_value(&calls.in);
	i.last = fuzz_value(&calls.in);
	i.rate = fuzz_u8(&calls.in);
	take_fault(&i.fault, 64);
	status = spemu_spu_inject(calls.w.spu, NULL, &i);
	if (status == SPEMU_ERR_NOSPACE)
		spemu_spu_inject_clear(calls.w.spu);
	else
		REQUIRE(status == SPEMU_OK || status == SPEMU_ERR_INVALID);
	calls.injected |= status == SPEMU_OK;
}

static void act_choice(void)
{
	enum spemu_choice choice = (enum spemu_choice)fuzz_below(&calls.in, SPEMU_CHOICE_COUNT + 1);
	unsigned option = fuzz_u8(&calls.in);
	int status = spemu_choice_set(calls.w.pe, choice,
	                              option % 33 == 32 ? SPEMU_CHOICE_RANDOM : option % 33);

	REQUIRE(status == SPEMU_OK || status == SPEMU_ERR_INVALID ||
	        status == SPEMU_ERR_NOT_SUPPORTED);
	calls.chosen |= status == SPEMU_OK;
}

static void act_strict(void)
{
	unsigned form = fuzz_u8(&calls.in);

	REQUIRE(spemu_spu_set_strict(calls.w.spu, form & 1, form) == SPEMU_OK);
	REQUIRE(spemu_spu_strict(calls.w.spu) == (form & 1) && calls.pending == 0);
	calls.was_strict = true;
}

static void act_software(void)
{
	uint64_t address = UINT64_C(0x10000) + 64 * fuzz_u8(&calls.in),
	         size = fuzz_value(&calls.in);

	switch (fuzz_below(&calls.in, 6)) {
	case 0:
		spemu_spu_report_memory(calls.w.spu, SPEMU_SOFTWARE_READS, address, size);
		break;
	case 1:
		spemu_spu_report_memory(calls.w.spu, SPEMU_TRANSLATION_CHANGED, address, size);
		break;
	case 2:
		spemu_spu_report_memory(calls.w.spu, SPEMU_TRANSLATION_MAINTAINED, address, size);
		break;
	case 3:
		spemu_spu_report_memory(calls.w.spu, SPEMU_SOFTWARE_WRITES, address, size);
		break;
	case 4:
		spemu_spu_dsb_st(calls.w.spu);
		break;
	default:
		spemu_spu_set_pc(calls.w.spu, address);
		break;
	}
}

static void act_vm_rules(void)
{
	unsigned form = fuzz_u8(&calls.in);
	struct spemu_vm_rules rules = {.size = sizeof(rules),
	                               .ignore_writes_while_enabled = form & 1,
	                               .physical_only = form >> 1 & 1,
	                               .max_buff_size = (uint16_t)fuzz_uint(&calls.in, 2)};
	int status = spemu_spu_set_vm_rules(calls.w.spu, form & 4 ? NULL : &rules);

	REQUIRE(status ==
	        (!(form & 4) && rules.max_buff_size >> 14 ? SPEMU_ERR_INVALID : SPEMU_OK));
}

static void act_trust(void)
{
	calls.hostile = fuzz_u8(&calls.in) & 1;
}

static const struct {
	uint8_t weight;
	void (*act)(void);
} acts[] = {
        {24, act_sample},  {16, act_reg_set}, {16, act_msr},   {12, act_mrs},     {12, act_state},
        {8, act_buffer},   {8, act_begin},    {8, act_end},    {12, act_barrier}, {4, act_ops},
        {4, act_branch},   {4, act_time},     {6, act_inject}, {6, act_choice},   {4, act_strict},
        {4, act_software}, {2, act_vm_rules}, {6, act_trust},  {2, calls_reload},
};

static void step(void)
{
	unsigned dice = fuzz_below(&calls.in, 158), i = 0;

	while (dice >= acts[i].weight)
		dice -= acts[i++].weight;
	acts[i].act();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	memset(&calls, 0, sizeof(calls));
	calls.in = (struct fuzz_input){data, data + size};
	calls.number = fuzz_below(&calls.in, FUZZ_WORLDS);
	calls.host = &host;
	calls_start();
	while (!fuzz_ended(&calls.in)) {
		step();
		calls_check_levels();
	}
	calls_check_registers();
	if (!size || data[0] < 64) /* for some inputs only, because it is slow */
		calls_reload();
	return 0;
}
