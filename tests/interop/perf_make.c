/* SPDX-License-Identifier: MIT */
/*
 * Write the perf.data file that perf reads in test_perf_opens.py. It has SPE records at known
 * addresses in two processes and a second thread. Only public headers are used.
 *
 * perf_make OUTPUT ELF TEXT_LEN HOT COLD DATA DATA_PGOFF [unfinished | cpus]
 *   HOT, COLD and DATA are symbol addresses in ELF. The text is mapped from file offset and address
 *   0. DATA_PGOFF is the file offset of the page of DATA. cpus selects metadata version 2.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include <spemu/codec.h>
#include <spemu/perfdata.h>
#include "recording.h"

enum {
	PARENT = 4000,
	THREAD = 4001,
	CHILD = 4100,
};

#define BIAS UINT64_C(0x5500000000) /* where qemu-aarch64 puts a PIE */

static struct recording rec;

static void check(int status, const char *what)
{
	if (status < 0) {
		fprintf(stderr, "%s: %s\n", what, spemu_strerror(status));
		exit(1);
	}
}

static void append(const uint8_t *event, int size, const char *what)
{
	struct iovec part = {(void *)(uintptr_t)event, (size_t)size};

	check(size, what);
	check(recording_append(&rec, &part, 1), what);
}

static uint8_t event_buf[8192];

static struct spemu_perf_who who(uint32_t pid, uint32_t tid, uint64_t time, uint32_t lane)
{
	return (struct spemu_perf_who){.pid = pid, .tid = tid, .time = time, .cpu = lane};
}

static void put_comm(uint32_t pid, uint64_t time, const char *comm)
{
	struct spemu_perf_who w = who(pid, pid, time, 0);

	append(event_buf, spemu_perf_put_comm(event_buf, sizeof(event_buf), &w, comm, true),
	       "comm");
}

static void put_fork(uint32_t pid, uint32_t ppid, uint32_t tid, uint64_t time)
{
	struct spemu_perf_who w = who(pid, tid, time, 0);

	append(event_buf,
	       spemu_perf_put_task(event_buf, sizeof(event_buf), &w, SPEMU_PERF_FORK, pid, ppid,
	                           tid, ppid),
	       "fork");
}

static void put_map(const char *elf, uint64_t start, uint64_t len, uint64_t pgoff, bool data)
{
	struct spemu_perf_who w = who(PARENT, PARENT, 1100, 0);
	struct spemu_perf_mmap map = {
	        .pid = PARENT,
	        .tid = PARENT,
	        .start = start,
	        .len = len,
	        .pgoff = pgoff,
	        .prot = data ? PROT_READ | PROT_WRITE : PROT_READ | PROT_EXEC,
	        .flags = MAP_PRIVATE,
	        .data = data,
	        .filename = elf,
	};

	append(event_buf, spemu_perf_put_mmap2(event_buf, sizeof(event_buf), &w, &map), "mmap2");
}

struct stream {
	uint8_t bytes[16384];
	size_t size;
};

static void put_record(struct stream *s, uint32_t tid, uint64_t time, uint64_t pc, uint64_t va)
{
	struct spemu_record r = {
	        .present = SPEMU_RECORD_ADDR(0) | SPEMU_RECORD_COUNTER(0) |
	                   SPEMU_RECORD_CONTEXT(0) | SPEMU_RECORD_EVENTS | SPEMU_RECORD_OP_TYPE |
	                   SPEMU_RECORD_TIMESTAMP,
	        .timestamp = time,
	        .events_size = 2,
	};
	int n;

	r.addr[SPEMU_ADDR_PC] = pc | UINT64_C(1) << 63; /* NS, EL0 */
	r.context[0] = tid;
	r.counter[SPEMU_COUNTER_TOTAL] = 12;
	r.events = 1u << SPEMU_EV_RETIRED;
	if (va) {
		/* A load that hit the level 1 data cache. */
		r.op_class = 1;
		r.op_subclass = 0;
		r.present |= SPEMU_RECORD_ADDR(SPEMU_ADDR_DATA_VA) | SPEMU_RECORD_DATA_SOURCE;
		r.addr[SPEMU_ADDR_DATA_VA] = va;
		r.data_source = 0; /* Neoverse: L1D */
		r.data_source_size = 1;
		r.events |= 1u << SPEMU_EV_L1D_ACCESS | 1u << SPEMU_EV_TLB_ACCESS;
	}
	n = spemu_record_encode(s->bytes + s->size, sizeof(s->bytes) - s->size, &r,
	                        &spemu_layout_neoverse);
	check(n, "record");
	s->size += (size_t)n;
}

int main(int argc, char **argv)
{
	static struct stream s;
	static const char *const cmdline[] = {"spemu", "record", "./hot", NULL};
	const struct spemu_perf_spe_cpu cpu = {
	        .midr = 0x413fd0c1, .min_interval = 256, .event_filter = 0xaa};
	struct recording_about about = {
	        .argv = cmdline, .version = "test", .osrelease = "6.1.0-test"};
	struct recording_params params = {.period = 1024, .counter_hz = 1000000000};
	uint64_t hot, cold, data, text_len, data_pgoff;
	struct spemu_perf_who w;

	if (argc < 8)
		return 2;
	if (argc > 8 && !strcmp(argv[8], "cpus"))
		about.cpu = &cpu;
	text_len = strtoull(argv[3], NULL, 0);
	hot = BIAS + strtoull(argv[4], NULL, 0);
	cold = BIAS + strtoull(argv[5], NULL, 0);
	data = BIAS + strtoull(argv[6], NULL, 0);
	data_pgoff = strtoull(argv[7], NULL, 0);
	check(recording_create(&rec, argv[1], &params, &about), "create");
	put_comm(PARENT, 1000, "hot");
	put_map(argv[2], BIAS, text_len, 0, false);
	put_map(argv[2], data & ~UINT64_C(4095), 4096, data_pgoff, true);
	put_fork(PARENT, PARENT, THREAD, 1200);

	/* Lane 0 has the first thread, with 30 loads in hot. Lane 1 has the second, with 20
	 * operations in cold. */
	check((int)recording_lane_get(&rec), "lane");
	for (int i = 0; i < 30; i++)
		put_record(&s, PARENT, 2000 + 10 * (uint64_t)i, hot, data);
	w = who(PARENT, PARENT, 3000, 0);
	check(recording_append_aux(&rec, &w, s.bytes, s.size, 0), "aux");
	check((int)recording_lane_get(&rec), "lane");
	s.size = 0;
	for (int i = 0; i < 20; i++)
		put_record(&s, THREAD, 2005 + 10 * (uint64_t)i, cold, 0);
	w = who(PARENT, THREAD, 3000, 1);
	check(recording_append_aux(&rec, &w, s.bytes, s.size, SPEMU_PERF_AUX_COLLISION), "aux");
	/* Lane 2 has the child of the fork, with 10 loads in hot. It inherits the parent's
	 * mappings. */
	check((int)recording_lane_get(&rec), "lane");
	s.size = 0;
	for (int i = 0; i < 10; i++)
		put_record(&s, CHILD, 2003 + 10 * (uint64_t)i, hot, 0);
	w = who(CHILD, CHILD, 3000, 2);
	check(recording_append_aux(&rec, &w, s.bytes, s.size, 0), "aux");
	/* Processes write in any order, and perf sorts by time. */
	put_fork(CHILD, PARENT, CHILD, 1300);
	if (argc == 8 || about.cpu)
		check(recording_finish(&rec, NULL), "finish");
	recording_detach(&rec);
	return 0;
}
