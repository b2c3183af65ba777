/* SPDX-License-Identifier: MIT */
/*
 * The invariants that hold for any sequence of calls by software and the host.
 */
#include <string.h>

#include <spemu/codec.h>
#include <spemu/explain.h>
#include "fuzz_calls.h"

enum { IMAGE_SIZE = 16384 };

static uint64_t get(enum spemu_reg reg)
{
	uint64_t value;

	REQUIRE(spemu_reg_get(calls.w.pe, &value, reg) == SPEMU_OK);
	return value;
}

/* Start with a new world in the given place. The signals then have their present levels. */
static void enter(unsigned place)
{
	calls.making = true;
	calls.w = fuzz_world(calls.number, place, calls.host, NULL);
	calls.making = false;
	calls.place = place;
	calls.irq = spemu_spu_pmbirq(calls.w.spu);
	calls.freeze = spemu_spu_pmu_freeze(calls.w.spu);
	calls.target = spemu_spu_profiling_exception_target(calls.w.spu);
}

void calls_start(void)
{
	enter(0);
	calls.lowest = get(SPEMU_REG_PMBPTR_EL1);
	calls.highest = get(SPEMU_REG_PMBLIMITR_EL1) & ~UINT64_C(0xfff);
}

void calls_note_register(enum spemu_reg reg, uint64_t value)
{
	uint64_t limit = value & ~UINT64_C(0xfff);

	if (reg == SPEMU_REG_PMBPTR_EL1 && value < calls.lowest)
		calls.lowest = value;
	if (reg == SPEMU_REG_PMBLIMITR_EL1 && limit > calls.highest)
		calls.highest = limit;
}

/*
 * RTHGCR: the SPU never writes past the limit. In strict mode the SPU sees one of the values that
 * software wrote; in plain mode it sees the current value. A choice may allow writes anywhere.
 */
void calls_check_write(const struct spemu_buffer_write *access, const void *data, size_t size)
{
	struct spemu_decisions decisions;

	REQUIRE(size >= 1 && size <= SPEMU_RECORD_MAX && access->privileged);
	REQUIRE(access->owner_el == 1 || access->owner_el == 2);
	REQUIRE(access->security <= SPEMU_SS_REALM && access->address_type <= SPEMU_ADDRESS_PA);
	if (!calls.chosen) {
		REQUIRE(access->address >= calls.lowest);
		REQUIRE(access->address + size > access->address);
		REQUIRE(access->address + size <= calls.highest);
		if (!calls.was_strict) {
			REQUIRE(access->address >= get(SPEMU_REG_PMBPTR_EL1));
			REQUIRE(access->address + size <=
			        (get(SPEMU_REG_PMBLIMITR_EL1) & ~UINT64_C(0xfff)));
			spemu_explain_decide(calls.w.pe, &decisions);
			REQUIRE(decisions.buffer_enabled);
		}
	}
	if (calls.written_size + size <= sizeof(calls.written))
		memcpy(calls.written + calls.written_size, data, size);
	calls.written_size += size;
}

void calls_check_diagnostic(void *ctx, const struct spemu_diagnostic *d)
{
	(void)ctx;
	REQUIRE(d->name && d->rule && d->cause && d->remedy && d->name[0] && d->rule[0]);
	REQUIRE(d->values <= sizeof(d->value) / sizeof(*d->value));
	for (unsigned i = 0; i < d->values; i++)
		REQUIRE(d->value[i].name && d->value[i].name[0]);
}

void calls_check_access(const struct spemu_access_result *expected,
                        const struct spemu_access_result *result, int status)
{
	if (status != SPEMU_OK) {
		REQUIRE(status == SPEMU_ERR_NOT_SUPPORTED);
		return;
	}
	REQUIRE(result->outcome == expected->outcome && result->iss == expected->iss);
	REQUIRE(result->nvmem_offset == expected->nvmem_offset);
	REQUIRE(result->outcome <= SPEMU_ACCESS_TRAP_EL1);
	REQUIRE((result->rule == NULL) == (result->outcome == SPEMU_ACCESS_OK));
}

void calls_before_end(void)
{
	/* In strict mode, the end of a sample may report a failure of the host in an earlier
	 * call. */
	calls.troubled = calls.troubled && calls.was_strict;
	calls.written_size = 0;
	calls.pointer = get(SPEMU_REG_PMBPTR_EL1);
}

/* Check that the record describes the operation at `pc` and that only padding follows it. */
static void check_record(uint64_t pc)
{
	struct spemu_decoder dec;
	struct spemu_record rec;

	spemu_decoder_init(&dec, calls.written, calls.written_size, 0);
	REQUIRE(spemu_decoder_next(&dec, &rec) == SPEMU_OK);
	REQUIRE(rec.present & SPEMU_RECORD_ADDR(0));
	REQUIRE((rec.addr[0] & UINT64_C(0xffffffffffffff)) == pc);
	REQUIRE(spemu_decoder_next(&dec, &rec) == SPEMU_ERR_END);
}

void calls_check_end(const struct spemu_sample_result *result, int status, uint64_t pc)
{
	unsigned most = 1u << (get(SPEMU_REG_PMSIDR_EL1) >> 12 & 15);

	REQUIRE(status == SPEMU_OK || calls.troubled);
	REQUIRE(result->outcome >= SPEMU_SAMPLE_RECORDED &&
	        result->outcome <= SPEMU_SAMPLE_PENDING);
	REQUIRE(result->outcome != SPEMU_SAMPLE_PENDING || spemu_spu_strict(calls.w.spu));
	REQUIRE((result->outcome == SPEMU_SAMPLE_FILTERED) == (result->filters != 0));
	REQUIRE(result->written <= most);
	REQUIRE(result->outcome == SPEMU_SAMPLE_RECORDED || result->written == 0);
	if (result->outcome != SPEMU_SAMPLE_RECORDED || calls.troubled || calls.chosen ||
	    calls.injected || calls.was_strict)
		return;
	REQUIRE(calls.written_size == result->written && result->written > 0);
	REQUIRE(result->written % (1u << calls.w.config->layout.align_log2) == 0);
	REQUIRE(get(SPEMU_REG_PMBPTR_EL1) == calls.pointer + result->written);
	check_record(pc);
}

/* Check that the host's signals, the decisions and the requests of the SPU agree. */
void calls_check_levels(void)
{
	const struct spemu_spu *spu = calls.w.spu;
	struct spemu_decisions decisions;
	struct spemu_pe_state state;
	unsigned flight = 0;

	spemu_pe_get(calls.w.pe, &state);
	REQUIRE(calls.irq == spemu_spu_pmbirq(spu));
	REQUIRE(calls.target == spemu_spu_profiling_exception_target(spu));
	REQUIRE(calls.freeze == spemu_spu_pmu_freeze(spu));
	REQUIRE(spemu_spu_ops_until_sample(spu) > 0);
	spemu_explain_decide(calls.w.pe, &decisions);
	if (!decisions.enabled[state.el] || decisions.stopped)
		REQUIRE(spemu_spu_ops_until_sample(spu) == UINT64_MAX);
	for (unsigned i = 0; i < SPEMU_IN_FLIGHT_MAX; i++)
		flight += calls.used[i];
	REQUIRE(spemu_spu_samples_in_flight(spu) == flight);
	REQUIRE(calls.pending <= 16 && (!calls.pending || spemu_spu_strict(spu)));
}

/* Check that all register bits without a description are 0 (RES0). */
void calls_check_registers(void)
{
	for (unsigned r = 0; r < SPEMU_REG_COUNT; r++)
		REQUIRE((get((enum spemu_reg)r) &
		         ~fuzz_world_mask(calls.number, (enum spemu_reg)r)) == 0);
}

static size_t save_spu(uint8_t *image, const struct spemu_spu *spu)
{
	size_t size = spemu_spu_save_size(spemu_spu_strict(spu));

	REQUIRE(size <= IMAGE_SIZE && spemu_spu_save(spu, image, size) == SPEMU_OK);
	REQUIRE(spemu_spu_save(spu, image, size - 1) == SPEMU_ERR_NOSPACE);
	return size;
}

void calls_reload(void)
{
	static uint8_t pe[2][IMAGE_SIZE], spu[2][IMAGE_SIZE], pmu[2][IMAGE_SIZE];
	size_t pe_size = spemu_pe_save_size(), pmu_size = spemu_pmu_save_size();
	size_t size = save_spu(spu[0], calls.w.spu);

	REQUIRE(pe_size <= IMAGE_SIZE && pmu_size <= IMAGE_SIZE);
	REQUIRE(spemu_pe_save(calls.w.pe, pe[0], pe_size) == SPEMU_OK);
	REQUIRE(spemu_pmu_save(calls.w.pmu, pmu[0], pmu_size) == SPEMU_OK);
	enter(!calls.place);
	REQUIRE(spemu_pe_load(calls.w.pe, pe[0], pe_size) == SPEMU_OK);
	REQUIRE(spemu_spu_load(calls.w.spu, spu[0], size) == SPEMU_OK);
	REQUIRE(spemu_pmu_load(calls.w.pmu, pmu[0], pmu_size) == SPEMU_OK);
	REQUIRE(spemu_pe_save(calls.w.pe, pe[1], pe_size) == SPEMU_OK);
	REQUIRE(spemu_pmu_save(calls.w.pmu, pmu[1], pmu_size) == SPEMU_OK);
	REQUIRE(save_spu(spu[1], calls.w.spu) == size);
	REQUIRE(memcmp(pe[0], pe[1], pe_size) == 0);
	REQUIRE(memcmp(spu[0], spu[1], size) == 0);
	REQUIRE(memcmp(pmu[0], pmu[1], pmu_size) == 0);
	calls_check_levels();
}
