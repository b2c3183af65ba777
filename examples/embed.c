/* SPDX-License-Identifier: MIT */
/*
 * The smallest complete host: an SPU with an array as memory, programmed like a driver does, and
 * one sample.
 *
 *   cc examples/embed.c $(pkg-config --cflags --libs spemu spemu-trace) && ./a.out
 *
 * This links libspemu.so.0. docs/howto/embed.md shows other ways to link.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <spemu/spemu.h>
#include <spemu/trace.h>

#define BUFFER UINT64_C(0x10000) /* address of the guest's Profiling Buffer */

static uint8_t memory[4096];

/* Perform a write of the SPU. A write outside the guest's memory ends in a Translation fault, like
 * a write to a page that is not mapped. */
static int buffer_write(void *ctx, struct spemu_fault *fault,
                        const struct spemu_buffer_write *access, const void *data, size_t size)
{
	uint64_t offset = access->address - BUFFER; /* very large for addresses below BUFFER */

	(void)ctx;
	if (offset >= sizeof(memory) || size > sizeof(memory) - offset) {
		fault->kind = SPEMU_FAULT_STAGE1;
		fault->fsc = (uint8_t)spemu_fsc(SPEMU_FT_TRANSLATION, 3);
		return 1;
	}
	memcpy(memory + offset, data, size);
	return 0;
}

/* Print the call if it has failed. Return its status. */
static int check(int status, const char *call)
{
	if (status < 0)
		fprintf(stderr, "%s: %s\n", call, spemu_strerror(status));
	return status;
}

static int msr(struct spemu_spu *spu, uint32_t encoding, uint64_t value)
{
	struct spemu_access_result result;
	int status = check(spemu_spu_msr(spu, &result, encoding, value), "spemu_spu_msr");

	if (status)
		return status;
	if (result.outcome != SPEMU_ACCESS_OK) {
		fprintf(stderr, "the MSR does not take effect: %s\n", result.rule);
		return SPEMU_ERR_STATE;
	}
	return SPEMU_OK;
}

/* Start profiling like a driver at EL1. A PE without EL2 and EL3 starts at EL1. */
static int start_profiling(struct spemu_spu *spu)
{
	const struct {
		uint32_t encoding;
		uint64_t value;
	} writes[] = {
	        {SPEMU_SYSREG_PMBSR_EL1, 0},
	        {SPEMU_SYSREG_PMBPTR_EL1, BUFFER},
	        {SPEMU_SYSREG_PMBLIMITR_EL1, (BUFFER + sizeof(memory)) | 1},
	        {SPEMU_SYSREG_PMSFCR_EL1, 0},
	        {SPEMU_SYSREG_PMSIRR_EL1, 4 << 8},
	        {SPEMU_SYSREG_PMSICR_EL1, 0},
	        {SPEMU_SYSREG_PMSCR_EL1, 1},
	};
	int status = SPEMU_OK;

	for (size_t i = 0; i < sizeof(writes) / sizeof(*writes) && !status; i++)
		status = msr(spu, writes[i].encoding, writes[i].value);
	return status;
}

/* Run operations of a program at EL0, up to the first sampled one, which is a load. */
static int run_to_sample(struct spemu_pe *pe, struct spemu_spu *spu)
{
	const struct spemu_pe_state user = {.el = 0};
	const struct spemu_op load = {.kind = {.type = SPEMU_OP_LOAD, .access_size = 8},
	                              .va = 0x7000,
	                              .valid = SPEMU_OPV_VA,
	                              .retired = true};
	struct spemu_sample_result result;
	uint64_t next;

	if (check(spemu_pe_set(pe, &user), "spemu_pe_set"))
		return SPEMU_ERR_STATE;
	next = spemu_spu_ops_until_sample(spu);
	if (next == UINT64_MAX) {
		fprintf(stderr, "profiling is disabled\n");
		return SPEMU_ERR_STATE;
	}
	printf("the sample is operation %" PRIu64 "\n", next);
	if (check(spemu_spu_ops(spu, next - 1), "spemu_spu_ops") ||
	    check(spemu_spu_sample_begin(spu, 0x400000), "spemu_spu_sample_begin") !=
	            SPEMU_SAMPLE_STARTED ||
	    check(spemu_spu_sample_end(spu, &result, &load), "spemu_spu_sample_end"))
		return SPEMU_ERR_STATE;
	if (result.outcome != SPEMU_SAMPLE_RECORDED) {
		fprintf(stderr, "the sample was not recorded: outcome %u\n", result.outcome);
		return SPEMU_ERR_STATE;
	}
	return SPEMU_OK;
}

/* Print the packets of the record. The rest is padding. */
static int print_record(void)
{
	struct spemu_decoder decoder;
	struct spemu_packet packet;
	char text[128];
	int size;

	spemu_decoder_init(&decoder, memory, sizeof(memory), 0);
	while ((size = check(spemu_decoder_next_packet(&decoder, &packet),
	                     "spemu_decoder_next_packet")) > 0 &&
	       packet.type != SPEMU_PKT_PADDING) {
		if (check(spemu_packet_describe(text, sizeof(text), &packet),
		          "spemu_packet_describe") < 0)
			return SPEMU_ERR_STATE;
		puts(text);
	}
	return size > 0 ? SPEMU_OK : size;
}

int main(void)
{
	struct spemu_pe_config pe_config = {.size = sizeof(pe_config)};
	struct spemu_spu_config config = {.size = sizeof(config), .layout = spemu_layout_dense};
	struct spemu_spu_host host = {.size = sizeof(host), .buffer_write = buffer_write};
	void *pe_memory = malloc(spemu_pe_size()), *spu_memory = malloc(spemu_spu_size());
	struct spemu_pe *pe;
	struct spemu_spu *spu;
	bool good;

	good = !check(spemu_features_parse(&pe_config.features, NULL, "v8.2,-EL3,-EL2"),
	              "spemu_features_parse") &&
	       !check(spemu_pe_init(&pe, pe_memory, spemu_pe_size(), &pe_config),
	              "spemu_pe_init") &&
	       !check(spemu_spu_init(&spu, spu_memory, spemu_spu_size(), pe, &config, &host),
	              "spemu_spu_init") &&
	       !start_profiling(spu) && !run_to_sample(pe, spu) && !print_record();
	free(spu_memory);
	free(pe_memory);
	return good ? 0 : 1;
}
