/* SPDX-License-Identifier: MIT */
/*
 * The smallest complete host: an SPU over an array, programmed as a driver does, and one sample.
 *
 *   cc examples/embed.c $(pkg-config --cflags --libs spemu) && ./a.out
 *
 * links libspemu.so.0; docs/howto-embed.md has the other ways.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <spemu/spemu.h>

#define BUFFER UINT64_C(0x10000) /* where the guest has its Profiling Buffer */

static uint8_t memory[4096];

static int buffer_write(void *ctx, struct spemu_fault *fault,
                        const struct spemu_buffer_write *access, const void *data, size_t size)
{
	(void)ctx, (void)fault;
	memcpy(memory + (access->address - BUFFER), data, size);
	return 0;
}

static void msr(struct spemu *spu, uint32_t encoding, uint64_t value)
{
	struct spemu_access_result result;

	if (spemu_msr(spu, &result, encoding, value) || result.outcome != SPEMU_ACCESS_OK)
		fprintf(stderr, "MSR failed: %s\n", result.rule);
}

int main(void)
{
	struct spemu_pe_config pe_config = {.size = sizeof(pe_config)};
	struct spemu_config config = {.size = sizeof(config), .layout = spemu_layout_dense};
	struct spemu_host host = {.size = sizeof(host), .buffer_write = buffer_write};
	struct spemu_pe_state user = {.el = 0};
	struct spemu_op load = {.kind = {.type = SPEMU_OP_LOAD, .access_size = 8},
	                        .va = 0x7000,
	                        .valid = SPEMU_OPV_VA,
	                        .retired = true};
	struct spemu_decoder decoder;
	struct spemu_packet packet;
	struct spemu_pe *pe;
	struct spemu *spu;
	char text[128];

	/* A PE with EL1 and EL0 only: it starts at EL1. */
	spemu_features_parse(&pe_config.features, NULL, "v8.2,-EL3,-EL2");
	if (spemu_pe_init(&pe, malloc(spemu_pe_size()), spemu_pe_size(), &pe_config) ||
	    spemu_init(&spu, malloc(spemu_size()), spemu_size(), pe, &config, &host))
		return 1;
	msr(spu, SPEMU_SYSREG_PMBSR_EL1, 0);
	msr(spu, SPEMU_SYSREG_PMBPTR_EL1, BUFFER);
	msr(spu, SPEMU_SYSREG_PMBLIMITR_EL1, (BUFFER + sizeof(memory)) | 1);
	msr(spu, SPEMU_SYSREG_PMSFCR_EL1, 0);
	msr(spu, SPEMU_SYSREG_PMSIRR_EL1, 4 << 8);
	msr(spu, SPEMU_SYSREG_PMSICR_EL1, 0);
	msr(spu, SPEMU_SYSREG_PMSCR_EL1, 1);
	spemu_pe_set(pe, &user);

	printf("the sample is operation %" PRIu64 "\n", spemu_ops_until_sample(spu));
	spemu_ops(spu, spemu_ops_until_sample(spu) - 1);
	spemu_sample_begin(spu, 0x400000);
	spemu_sample_end(spu, NULL, &load);

	spemu_decoder_init(&decoder, memory, sizeof(memory), 0);
	while (spemu_decoder_next_packet(&decoder, &packet) > 0 &&
	       packet.type != SPEMU_PKT_PADDING) {
		spemu_packet_describe(text, sizeof(text), &packet);
		puts(text);
	}
	return 0;
}
