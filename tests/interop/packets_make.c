/* SPDX-License-Identifier: MIT */
/*
 * Write a perf.data file with every packet of D18: all types, both header formats, every INDEX,
 * CLASS and SUBCLASS, each event at each size, extreme values, and undefined headers.
 *
 *     packets_make FILE
 *
 * Arm ARM: DDI 0487 M.a, Tables D18-1 and D18-2, D18.2
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spemu/codec.h>
#include <spemu/perfdata.h>
#include "recording.h"

static uint8_t bytes[1 << 16];
static size_t size;

static void check(int status, const char *what)
{
	if (status >= 0)
		return;
	fprintf(stderr, "packets_make: %s: %s\n", what, spemu_strerror(status));
	exit(1);
}

static void put(struct spemu_packet pkt)
{
	int n = spemu_packet_encode(bytes + size, sizeof(bytes) - size, &pkt);

	check(n, "packet");
	size += (size_t)n;
}

static void put_addresses_and_counters(void)
{
	static const uint64_t address[] = {
	        0,
	        UINT64_C(0x0000aaaabbbbcccc),
	        UINT64_C(0x80ffffffffffffff),
	        UINT64_C(0xf123456789abcdef),
	        UINT64_C(0x4a00000000001000),
	        UINT64_MAX,
	};
	static const uint16_t count[] = {0, 1, 0xfff, 0x1000, 0xffff};

	for (unsigned index = 0; index < 32; index++) {
		for (unsigned extended = index > 7; extended < 2; extended++) {
			struct spemu_packet pkt = {.type = SPEMU_PKT_ADDRESS,
			                           .index = (uint8_t)index,
			                           .header_size = (uint8_t)(1 + extended)};

			for (size_t i = 0; i < sizeof(address) / sizeof(address[0]); i++) {
				pkt.payload = address[i];
				put(pkt);
			}
			for (unsigned bit = 56; bit < 64; bit++) { /* NS, EL, NSE, CH, PAT */
				pkt.payload = UINT64_C(1) << bit | 0x1000;
				put(pkt);
			}
			pkt.type = SPEMU_PKT_COUNTER;
			for (size_t i = 0; i < sizeof(count) / sizeof(count[0]); i++) {
				pkt.payload = count[i];
				put(pkt);
			}
		}
	}
}

static void put_events(void)
{
	for (unsigned n = 1; n <= 8; n *= 2) {
		struct spemu_packet pkt = {.type = SPEMU_PKT_EVENTS, .payload_size = (uint8_t)n};

		put(pkt);
		for (unsigned bit = 0; bit < 8 * n; bit++) {
			pkt.payload = UINT64_C(1) << bit;
			put(pkt);
			pkt.payload |= 0x12;
			put(pkt);
		}
		pkt.payload = UINT64_MAX >> (64 - 8 * n);
		put(pkt);
	}
}

static void put_others(void)
{
	for (unsigned class = 0; class < 4; class ++) {
		for (unsigned subclass = 0; subclass < 256; subclass++)
			put((struct spemu_packet){.type = SPEMU_PKT_OP_TYPE,
			                          .index = (uint8_t) class,
			                          .payload = subclass});
		put((struct spemu_packet){.type = SPEMU_PKT_CONTEXT, .index = (uint8_t) class});
		put((struct spemu_packet){.type = SPEMU_PKT_CONTEXT,
		                          .index = (uint8_t) class,
		                          .payload = 0xfedcba98});
	}
	for (unsigned n = 1; n <= 8; n *= 2) {
		put((struct spemu_packet){.type = SPEMU_PKT_DATA_SOURCE,
		                          .payload_size = (uint8_t)n});
		put((struct spemu_packet){.type = SPEMU_PKT_DATA_SOURCE,
		                          .payload_size = (uint8_t)n,
		                          .payload = UINT64_MAX >> (64 - 8 * n)});
	}
	put((struct spemu_packet){.type = SPEMU_PKT_END});
	for (unsigned i = 1; i < 40; i += 3) { /* dumps show 16 bytes of padding per line */
		for (unsigned k = 0; k < i; k++)
			put((struct spemu_packet){.type = SPEMU_PKT_PADDING});
		put((struct spemu_packet){.type = SPEMU_PKT_TIMESTAMP,
		                          .payload = UINT64_C(0x123456789a) * i * i});
	}
	put((struct spemu_packet){.type = SPEMU_PKT_TIMESTAMP, .payload = UINT64_MAX});
}

/* Write headers that the tables do not define, with payloads of zeros. */
static void put_unknown(void)
{
	for (unsigned header = 0x02; header < 0x100; header++) {
		struct spemu_packet pkt;
		uint8_t raw[10] = {(uint8_t)header, 0x42};

		if (spemu_packet_decode(&pkt, raw, sizeof(raw)) <= 0 ||
		    pkt.type != SPEMU_PKT_UNKNOWN)
			continue;
		pkt.payload = 0;
		put(pkt);
		put((struct spemu_packet){.type = SPEMU_PKT_END});
	}
}

int main(int argc, char **argv)
{
	static const char *const cmdline[] = {"packets_make", NULL};
	const struct recording_about about = {
	        .argv = cmdline, .version = "test", .osrelease = "6.1.0-test"};
	struct recording_params params = {.period = 1024, .counter_hz = 1000000000};
	struct spemu_perf_who who = {.pid = 1, .tid = 1, .time = 1000};
	static struct recording rec;

	if (argc != 2)
		return 2;
	put_addresses_and_counters();
	put_events();
	put_others();
	put_unknown();
	while (size % 8) /* AUXTRACE events hold multiples of eight bytes */
		put((struct spemu_packet){.type = SPEMU_PKT_PADDING});
	check(recording_create(&rec, argv[1], &params, &about), "create");
	check((int)recording_lane_get(&rec), "lane");
	check(recording_append_aux(&rec, &who, bytes, size, 0), "aux");
	check(recording_finish(&rec, NULL), "finish");
	recording_detach(&rec);
	return 0;
}
