/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The driver's sequences of System register accesses to the model.
 *
 * Arm ARM: DDI 0487 M.a, D17.7 (Profiling Buffer), D17.8 (management), D17.9 (synchronization).
 */
#include <stdio.h>
#include <string.h>

#include <spemu/perfdata.h>
#include <spemu/strict.h>

#include "callchain.h"
#include "driver.h"
#include "fresh_memory.h"
#include "heap.h"
#include "heap_objects.h"
#include "sideband.h"

#define BITS(field, value) (UINT64_C(value) << SPEMU_##field##_LSB)
#define PMBSR_S BITS(PMBSR_EL1_S, 1)
#define BSC_BUFFER_FULL 1 /* in PMBSR_EL1.BSC, with EC 0 */
#define SCR_EL3_RW (UINT64_C(1) << 10)
#define HCR_EL2_RW (UINT64_C(1) << 31)

/* Bytes after the buffer, to pad a delivery to a multiple of 8 bytes. */
#define SLACK 4096

static void enter(struct vcpu *vcpu, uint8_t el)
{
	struct spemu_pe_state state;

	spemu_pe_get(vcpu->pe, &state);
	state.el = el;
	spemu_pe_set(vcpu->pe, &state);
}

/* Execute an MSR at EL1. Return false if this feature level lacks the register, so that the MSR is
 * UNDEFINED. */
static bool msr(struct vcpu *vcpu, uint32_t encoding, uint64_t value)
{
	struct spemu_access_result result;

	return spemu_spu_msr(vcpu->spu, &result, encoding, value) == SPEMU_OK &&
	       result.outcome == SPEMU_ACCESS_OK;
}

/* Execute an MSR and an ISB, so that the write takes effect at once. */
static void msr_isb(struct vcpu *vcpu, uint32_t encoding, uint64_t value)
{
	msr(vcpu, encoding, value);
	spemu_pe_isb(vcpu->pe);
}

/* Write all pending records to the buffer. */
static void synchronize(struct vcpu *vcpu)
{
	spemu_spu_psb_csync(vcpu->spu);
	spemu_spu_dsb(vcpu->spu);
}

static uint64_t mrs(struct vcpu *vcpu, uint32_t encoding)
{
	struct spemu_access_result result;
	uint64_t value = 0;

	spemu_spu_mrs(vcpu->spu, &result, &value, encoding);
	return value;
}

static int buffer_write(void *ctx, struct spemu_fault *fault,
                        const struct spemu_buffer_write *access, const void *data, size_t size)
{
	struct vcpu *vcpu = ctx;
	uint64_t offset = access->address - (uintptr_t)vcpu->buffer;

	if (offset > vcpu->buffer_size || size > vcpu->buffer_size - offset) {
		fault->kind = SPEMU_FAULT_STAGE1;
		fault->fsc = 0x07; /* translation fault, level 3 */
		fault->written = 0;
		return -1;
	}
	memcpy(vcpu->buffer + offset, data, size);
	if (vcpu->buffer_shared) {
		struct recording_state state = {
		        .pid = (uint32_t)process.pid,
		        .tid = (uint32_t)vcpu->tid,
		        .used = offset + size,
		        .samples = vcpu->count[RECORDING_SAMPLES] + 1,
		        .operations = vcpu->base,
		};

		recording_publish(&process.rec, vcpu->lane, &state);
	}
	return 0;
}

static uint64_t physical_count(void *ctx)
{
	uint64_t ns = recording_now() - process.params->time_zero;
	uint64_t hz = process.params->counter_hz;
	uint64_t count = ns;

	if (hz && hz != 1000000000u)
		count = ns / 1000000000u * hz + ns % 1000000000u * hz / 1000000000u;
	callchain_stamp(ctx, count);
	return count;
}

/* Set registers to the values that firmware and hypervisor leave for a kernel that may profile. */
static void as_firmware(struct vcpu *vcpu)
{
	spemu_reg_set(vcpu->pe, SPEMU_REG_SCR_EL3, BITS(SCR_EL3_NS, 1) | SCR_EL3_RW);
	spemu_reg_set(vcpu->pe, SPEMU_REG_MDCR_EL3,
	              BITS(MDCR_EL3_NSPB, 3) | BITS(MDCR_EL3_EnPMSN, 1) | BITS(MDCR_EL3_EnPMS3, 1));
	spemu_reg_set(vcpu->pe, SPEMU_REG_HCR_EL2, HCR_EL2_RW);
	spemu_reg_set(vcpu->pe, SPEMU_REG_MDCR_EL2, BITS(MDCR_EL2_E2PB, 3));
	/* Linux sets these bits on entry at EL2, so that the kernel at EL1 can choose both. */
	spemu_reg_set(vcpu->pe, SPEMU_REG_PMSCR_EL2,
	              BITS(PMSCR_EL2_PCT, 1) | BITS(PMSCR_EL2_PA, 1));
	spemu_reg_set(vcpu->pe, SPEMU_REG_CNTVOFF_EL2, 0);
}

static void buffer_enable(struct vcpu *vcpu)
{
	uint64_t begin = (uintptr_t)vcpu->buffer;

	msr(vcpu, SPEMU_SYSREG_PMBPTR_EL1, begin);
	msr(vcpu, SPEMU_SYSREG_PMBLIMITR_EL1,
	    (begin + vcpu->buffer_size) | BITS(PMBLIMITR_EL1_E, 1));
}

static void filters(struct vcpu *vcpu)
{
	const struct recording_params *params = process.params;
	bool ok = msr(vcpu, SPEMU_SYSREG_PMSFCR_EL1, params->pmsfcr);

	ok &= msr(vcpu, SPEMU_SYSREG_PMSEVFR_EL1, params->pmsevfr);
	ok &= msr(vcpu, SPEMU_SYSREG_PMSLATFR_EL1, params->pmslatfr);
	ok &= msr(vcpu, SPEMU_SYSREG_PMSNEVFR_EL1, params->pmsnevfr) || !params->pmsnevfr;
	ok &= msr(vcpu, SPEMU_SYSREG_PMSDSFR_EL1, params->pmsdsfr) || !params->pmsdsfr;
	if (!ok)
		recording_note(&process.rec, "the emulated feature level does not have a requested "
		                             "filter; the filter is ignored");
}

static void program(struct vcpu *vcpu, uint64_t pmsicr)
{
	const struct recording_params *params = process.params;
	uint64_t interval = (params->period ? params->period : 4096) / 256;

	buffer_enable(vcpu);
	filters(vcpu);
	msr_isb(vcpu, SPEMU_SYSREG_PMSIRR_EL1, interval << 8 | (params->jitter & 1));
	msr_isb(vcpu, SPEMU_SYSREG_PMSICR_EL1, pmsicr);
	msr(vcpu, SPEMU_SYSREG_PMSCR_EL1,
	    params->pmscr | BITS(PMSCR_EL1_CX, 1) | BITS(PMSCR_EL1_E0SPE, 1));
}

/* Set the choices of the machine, and then those of the recording, which take precedence. */
static bool choose(struct vcpu *vcpu)
{
	const uint8_t *chosen = process.params->choice;
	bool ok = true;

	if (process.profile && process.profile->not_taken_target)
		ok = spemu_choice_set(vcpu->pe, SPEMU_CHOICE_NOT_TAKEN_TARGET,
		                      SPEMU_NOT_TAKEN_TARGET_RECORDED) == SPEMU_OK;
	for (unsigned i = 0; i < SPEMU_CHOICE_COUNT; i++)
		if (chosen[i])
			ok &= spemu_choice_set(vcpu->pe, (enum spemu_choice)i,
			                       chosen[i] == SPEMU_CHOICE_RANDOM
			                               ? SPEMU_CHOICE_RANDOM
			                               : chosen[i] - 1u) == SPEMU_OK;
	return ok;
}

/* Note a diagnostic of strict mode about the sequences of this file. */
static void diagnostic(void *ctx, const struct spemu_diagnostic *d)
{
	char text[96];

	(void)ctx;
	if (!(process.params->flags & RECORDING_STRICT))
		return;
	snprintf(text, sizeof(text), "strict mode: %s (%s)", d->name, d->rule);
	recording_note(&process.rec, text);
}

static size_t pe_room(void)
{
	return (spemu_pe_size() + 63) & ~(size_t)63;
}

static bool make_spu(struct vcpu *vcpu)
{
	struct spemu_pe_config pe_config = {
	        .size = sizeof(pe_config),
	        .features = process.features,
	        .seed = process.params->seed ^ (uint64_t)vcpu->tid * UINT64_C(0x9e3779b97f4a7c15),
	};
	struct spemu_spu_config config = {.size = sizeof(config)};
	struct spemu_spu_host host = {
	        .size = sizeof(host),
	        .ctx = vcpu,
	        .buffer_write = buffer_write,
	        .counter = physical_count,
	        .diagnostic = diagnostic,
	        .sample_done = driver_count,
	};

	config.layout = spemu_layout_neoverse;
	if (process.params->layout[0] &&
	    spemu_layout_parse(&config.layout, NULL, process.params->layout) != SPEMU_OK)
		return false;
	if (process.profile)
		config.counter_bits = process.profile->counter_bits;
	return spemu_pe_init(&vcpu->pe, vcpu->objects, pe_room(), &pe_config) == SPEMU_OK &&
	       spemu_spu_init(&vcpu->spu, vcpu->objects + pe_room(), spemu_spu_size(), vcpu->pe,
	                      &config, &host) == SPEMU_OK &&
	       choose(vcpu);
}

static void free_buffer(struct vcpu *vcpu)
{
	if (vcpu->buffer && !vcpu->buffer_shared)
		munmap(vcpu->buffer, vcpu->buffer_size + SLACK);
	vcpu->buffer = NULL;
}

/* Use the lane's buffer, which is shared with the recorder, or memory of this process. */
static bool make_buffer(struct vcpu *vcpu)
{
	size_t size = process.params->buffer_size ? process.params->buffer_size : 65536;

	free_buffer(vcpu);
	vcpu->buffer = recording_buffer(&process.rec, vcpu->lane, &vcpu->buffer_size);
	vcpu->buffer_shared = vcpu->buffer;
	if (!vcpu->buffer) {
		vcpu->buffer_size = (size + SLACK - 1) & ~(size_t)(SLACK - 1);
		vcpu->buffer = fresh_memory(vcpu->buffer_size + SLACK, 0);
	}
	return vcpu->buffer;
}

bool driver_start(struct vcpu *vcpu)
{
	if (!vcpu->objects)
		vcpu->objects = fresh_memory(pe_room() + spemu_spu_size(), 0);
	if (!vcpu->objects || !make_buffer(vcpu) || !make_spu(vcpu))
		return false;
	callchain_start(vcpu);
	as_firmware(vcpu);
	if (process.params->flags & RECORDING_STRICT)
		spemu_spu_set_strict(vcpu->spu, true, process.params->seed ^ (uint64_t)vcpu->tid);
	spemu_reg_set(vcpu->pe, SPEMU_REG_CONTEXTIDR_EL1, (uint64_t)vcpu->tid);
	enter(vcpu, 1);
	msr_isb(vcpu, SPEMU_SYSREG_PMSCR_EL1, 0);
	msr(vcpu, SPEMU_SYSREG_PMBSR_EL1, 0);
	program(vcpu, 0);
	spemu_pe_isb(vcpu->pe);
	enter(vcpu, 0);
	return true;
}

/* Keep an event with the timing model's numbers since the thread's last such event. */
static void keep_totals(struct vcpu *vcpu)
{
	uint8_t event[SPEMU_PERF_TOTALS_SIZE];
	struct spemu_perf_totals totals = {.pid = (uint32_t)process.pid,
	                                   .tid = (uint32_t)vcpu->tid};
	uint64_t now[SPEMU_PERF_TOTALS];

	if (!vcpu->core || !(process.params->flags & RECORDING_TOTALS))
		return;
	uarch_totals(now, vcpu->core);
	for (unsigned i = 0; i < SPEMU_PERF_TOTALS; i++)
		totals.of[i] = now[i] - vcpu->told[i];
	memcpy(vcpu->told, now, sizeof(now));
	totals.of[SPEMU_PERF_TOTAL_SAMPLES] = vcpu->count[RECORDING_SAMPLES];
	sideband_keep(event, spemu_perf_put_totals(event, sizeof(event), &totals));
}

/* Deliver all records up to the write pointer to the recording. */
static void deliver(struct vcpu *vcpu, uint64_t flags)
{
	uint64_t used = mrs(vcpu, SPEMU_SYSREG_PMBPTR_EL1) - (uintptr_t)vcpu->buffer;
	struct spemu_perf_who who;
	size_t size;

	keep_totals(vcpu);
	sideband_flush();
	callchain_deliver(vcpu);
	if (used > vcpu->buffer_size)
		used = vcpu->buffer_size;
	spemu_spu_report_memory(vcpu->spu, SPEMU_SOFTWARE_READS, (uintptr_t)vcpu->buffer, used);
	size = ((size_t)used + 7) & ~(size_t)7;
	memset(vcpu->buffer + used, 0, size - used);
	if (heap_on)
		heap_objects_flush();
	if (size || flags) {
		sideband_who(&who, vcpu);
		/* A delivery reaches the file as a whole or not at all. If it does not, its records
		 * are lost. */
		if (recording_append_aux(&process.rec, &who, vcpu->buffer, size, flags)) {
			vcpu->count[RECORDING_LOST_RECORDS] += vcpu->count[RECORDING_SAMPLES];
			vcpu->count[RECORDING_SAMPLES] = 0;
		}
	}
	driver_flush_counts(vcpu);
}

static uint64_t aux_flags(uint64_t pmbsr)
{
	return (pmbsr & BITS(PMBSR_EL1_DL, 1) ? SPEMU_PERF_AUX_TRUNCATED : 0) |
	       (pmbsr & BITS(PMBSR_EL1_COLL, 1) ? SPEMU_PERF_AUX_COLLISION : 0);
}

void driver_interrupt(struct vcpu *vcpu)
{
	uint64_t pmbsr;

	enter(vcpu, 1);
	synchronize(vcpu);
	spemu_pe_isb(vcpu->pe);
	pmbsr = mrs(vcpu, SPEMU_SYSREG_PMBSR_EL1);
	if (pmbsr & PMBSR_S) {
		if ((pmbsr & (BITS(PMBSR_EL1_EC, 0x3f) | 0x3f)) != BSC_BUFFER_FULL)
			recording_note(&process.rec, "unexpected buffer management event");
		vcpu->count[RECORDING_MANAGEMENT]++;
		deliver(vcpu, aux_flags(pmbsr));
		buffer_enable(vcpu);
		spemu_pe_isb(vcpu->pe);
		msr_isb(vcpu, SPEMU_SYSREG_PMBSR_EL1, 0);
		vcpu->previous.known = PREVIOUS_BRANCH_NONE;
	}
	enter(vcpu, 0);
}

void driver_drain(struct vcpu *vcpu, bool restart)
{
	uint64_t pmbsr;

	enter(vcpu, 1);
	msr_isb(vcpu, SPEMU_SYSREG_PMSCR_EL1, 0);
	synchronize(vcpu);
	msr_isb(vcpu, SPEMU_SYSREG_PMBLIMITR_EL1, 0);
	pmbsr = mrs(vcpu, SPEMU_SYSREG_PMBSR_EL1);
	deliver(vcpu, aux_flags(pmbsr));
	msr(vcpu, SPEMU_SYSREG_PMBSR_EL1, 0);
	if (restart) {
		program(vcpu, mrs(vcpu, SPEMU_SYSREG_PMSICR_EL1));
		spemu_pe_isb(vcpu->pe);
	}
	enter(vcpu, 0);
}

/* Stop profiling while the operation ends, so that the model discards its record. Disabling
 * profiling would not suffice, because an operation in flight is then still recorded. */
void driver_discard(struct vcpu *vcpu, const struct spemu_op *op)
{
	struct spemu_sample_result result;

	driver_interrupt(vcpu); /* delivers earlier records */
	enter(vcpu, 1);
	msr_isb(vcpu, SPEMU_SYSREG_PMBSR_EL1, PMBSR_S);
	if (spemu_spu_sample_end(vcpu->spu, &result, op) == SPEMU_OK)
		driver_count(vcpu, &result);
	synchronize(vcpu);
	msr_isb(vcpu, SPEMU_SYSREG_PMBSR_EL1, 0);
	enter(vcpu, 0);
}

void driver_count(void *ctx, const struct spemu_sample_result *result)
{
	struct vcpu *vcpu = ctx;
	const enum spemu_sample_outcome outcome = result->outcome;

	if (outcome != SPEMU_SAMPLE_PENDING) /* a pending sample is counted when it ends */
		vcpu->count[outcome == SPEMU_SAMPLE_RECORDED   ? RECORDING_SAMPLES
		            : outcome == SPEMU_SAMPLE_FILTERED ? RECORDING_FILTERED
		            : outcome == SPEMU_SAMPLE_COLLIDED ? RECORDING_COLLISIONS
		                                               : RECORDING_LOST_RECORDS]++;
}

void driver_flush_counts(struct vcpu *vcpu)
{
	vcpu->count[RECORDING_OPERATIONS] += vcpu->base;
	vcpu->base = 0;
	for (unsigned i = 0; i < RECORDING_COUNTERS; i++) {
		if (vcpu->count[i])
			recording_count(&process.rec, i, vcpu->count[i]);
		vcpu->count[i] = 0;
	}
}

void driver_free(struct vcpu *vcpu)
{
	if (vcpu->objects)
		munmap(vcpu->objects, pe_room() + spemu_spu_size());
	free_buffer(vcpu);
	callchain_free(vcpu);
}
