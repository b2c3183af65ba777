/* SPDX-License-Identifier: MIT */
/* Test the perf.data reader with whole files, and with files that cannot be opened. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "not_here.h"
#include "perfdata_image.h"

static void next(struct spemu_perf_file *file, struct spemu_perf_cursor *cursor,
                 struct spemu_perf_event *event, uint32_t type)
{
	assert_int_equal(spemu_perf_next(file, event, cursor), SPEMU_OK);
	assert_int_equal(event->type, type);
}

static void events_are_read_with_their_own_trailers(void **state)
{
	struct spemu_perf_cursor c = {0};
	struct spemu_perf_event e;
	struct spemu_perf_file *file;

	(void)state;
	build(1);
	assert_int_equal(open_image(&file, used, NULL), SPEMU_OK);
	next(file, &c, &e, SPEMU_PERF_TIME_CONV);
	assert_int_equal(e.u.time_conv.time_shift, 2);
	assert_int_equal(e.u.time_conv.time_mult, 40);
	assert_int_equal(e.u.time_conv.time_zero, 1000);
	next(file, &c, &e, SPEMU_PERF_AUXTRACE_INFO);
	assert_int_equal(e.who.valid, 0);
	next(file, &c, &e, SPEMU_PERF_COMM);
	assert_string_equal(e.u.comm.comm, "prog");
	assert_true(e.u.comm.exec);
	assert_int_equal(e.who.valid, 0x10006);
	assert_int_equal(e.who.time, 5000);
	assert_int_equal(e.who.id, DUMMY_ID);
	next(file, &c, &e, SPEMU_PERF_MMAP);
	assert_string_equal(e.u.mmap.filename, "/x/prog");
	assert_int_equal(e.u.mmap.start, 0x400000);
	assert_int_equal(e.u.mmap.len, 0x2000);
	assert_int_equal(e.u.mmap.pgoff, 0x1000);
	assert_int_equal(e.u.mmap.cpumode, SPEMU_PERF_MISC_USER);
	next(file, &c, &e, SPEMU_PERF_AUX);
	assert_int_equal(e.u.aux.size, 16);
	assert_int_equal(e.u.aux.flags, SPEMU_PERF_AUX_COLLISION);
	assert_int_equal(e.who.valid, 0x10086);
	assert_int_equal(e.who.pid, 7);
	assert_int_equal(e.who.tid, 8);
	assert_int_equal(e.who.time, 6000);
	assert_int_equal(e.who.cpu, 2);
	assert_int_equal(e.who.id, SPE_ID);
	next(file, &c, &e, SPEMU_PERF_AUXTRACE);
	assert_int_equal(e.u.auxtrace.size, 16);
	assert_int_equal(e.u.auxtrace.offset, 0x30);
	assert_int_equal(e.u.auxtrace.reference, 0x77);
	assert_int_equal(e.u.auxtrace.idx, 2);
	assert_int_equal(e.u.auxtrace.tid, UINT32_MAX);
	assert_int_equal(e.u.auxtrace.data[15], 15);
	next(file, &c, &e, SPEMU_PERF_EXIT);
	assert_int_equal(e.u.task.pid, 7);
	assert_int_equal(e.u.task.ppid, 1);
	assert_int_equal(e.u.task.time, 7000);
	assert_int_equal(spemu_perf_next(file, &e, &c), SPEMU_ERR_END);
	assert_int_equal(spemu_perf_next(file, &e, &c), SPEMU_ERR_END);
	spemu_perf_close(file);
}

static void attrs_and_features_are_read(void **state)
{
	struct spemu_perf_attr attr;
	struct spemu_perf_build_id id;
	struct spemu_perf_file *file;
	const char *s;
	uint64_t pos = 0;

	(void)state;
	build(1);
	assert_int_equal(open_image(&file, used, NULL), SPEMU_OK);
	assert_int_equal(spemu_perf_attr(file, &attr, 0), SPEMU_OK);
	assert_int_equal(attr.type, 11);
	assert_int_equal(attr.config, 0x10001);
	assert_int_equal(attr.sample_period, 1024);
	assert_int_equal(attr.n_ids, 1);
	assert_int_equal(attr.ids[0] | attr.ids[1] << 8, SPE_ID);
	assert_string_equal(attr.name, "arm_spe_0//");
	assert_int_equal(spemu_perf_attr(file, &attr, 1), SPEMU_OK);
	assert_null(attr.name);
	assert_int_equal(spemu_perf_attr(file, &attr, 2), SPEMU_ERR_END);
	assert_int_equal(spemu_perf_feature_string(file, &s, SPEMU_PERF_FEAT_CPUID), SPEMU_OK);
	assert_string_equal(s, "0x00000000413fd0c1");
	assert_int_equal(spemu_perf_feature_string(file, &s, SPEMU_PERF_FEAT_ARCH), SPEMU_ERR_END);
	assert_int_equal(spemu_perf_cmdline(file, &s, 0), SPEMU_OK);
	assert_string_equal(s, "perf");
	assert_int_equal(spemu_perf_cmdline(file, &s, 1), SPEMU_OK);
	assert_string_equal(s, "record");
	assert_int_equal(spemu_perf_cmdline(file, &s, 2), SPEMU_ERR_END);
	assert_int_equal(spemu_perf_next_build_id(file, &id, &pos), SPEMU_OK);
	assert_int_equal(id.size, 3);
	assert_memory_equal(id.id, "\x11\x22\x33", 3);
	assert_string_equal(id.filename, "/x/prog");
	assert_int_equal(spemu_perf_next_build_id(file, &id, &pos), SPEMU_ERR_END);
	spemu_perf_close(file);
}

static void both_spe_metadata_versions_are_read(void **state)
{
	struct spemu_perf_auxtrace_info info;
	struct spemu_perf_time_conv conv;
	struct spemu_perf_spe_cpu cpu;
	struct spemu_perf_file *file;

	(void)state;
	build(1);
	assert_int_equal(open_image(&file, used, NULL), SPEMU_OK);
	assert_int_equal(spemu_perf_find_spe(file, &info, &conv), SPEMU_OK);
	assert_int_equal(info.version, 1);
	assert_int_equal(info.pmu_type, 11);
	assert_int_equal(info.n_cpus, 0);
	assert_int_equal(conv.time_mult, 40);
	assert_int_equal(spemu_perf_spe_cpu(&cpu, &info, 0), SPEMU_ERR_END);
	spemu_perf_close(file);
	build(2);
	assert_int_equal(open_image(&file, used, NULL), SPEMU_OK);
	assert_int_equal(spemu_perf_find_spe(file, &info, NULL), SPEMU_OK);
	assert_int_equal(info.version, 2);
	assert_int_equal(info.pmu_type, 11);
	assert_int_equal(info.n_cpus, 2);
	assert_int_equal(spemu_perf_spe_cpu(&cpu, &info, 0), SPEMU_OK);
	assert_int_equal(cpu.midr, 0x413fd0c1);
	assert_int_equal(cpu.min_interval, 256);
	assert_int_equal(cpu.event_filter, 0);
	assert_int_equal(spemu_perf_spe_cpu(&cpu, &info, 1), SPEMU_OK);
	assert_int_equal(cpu.cpu, 1);
	assert_int_equal(cpu.event_filter, 0xfe);
	assert_int_equal(spemu_perf_spe_cpu(&cpu, &info, 2), SPEMU_ERR_END);
	spemu_perf_close(file);
}

static void file_without_spe_is_reported(void **state)
{
	struct spemu_perf_auxtrace_info info;
	struct spemu_perf_file *file;

	(void)state;
	build(1);
	for (size_t i = 0; i + 16 < used; i++) {
		if (image[i] == 70 && image[i + 6] == 32 && image[i + 8] == 4)
			image[i + 8] = 1; /* Intel PT */
	}
	assert_int_equal(open_image(&file, used, NULL), SPEMU_OK);
	assert_int_equal(spemu_perf_find_spe(file, &info, NULL), SPEMU_ERR_END);
	spemu_perf_close(file);
}

/* Try to open a file that cannot be opened. Check that the function returns neither a file nor the
 * offset of a fault. */
static int open_in_vain(const char *path)
{
	struct spemu_perf_file *file = (void *)image;
	uint64_t where = 77;
	int status = spemu_perf_open(&file, &where, path);

	assert_null(file);
	assert_int_equal(where, 0);
	return status;
}

static void other_file_formats_are_recognized(void **state)
{
	struct spemu_perf_file *file;
	char path[] = "/tmp/spemu-fifo-XXXXXX";

	(void)state;
	build(1);
	memcpy(image, "2ELIFREP", 8);
	assert_int_equal(open_image(&file, used, NULL), SPEMU_ERR_NOT_SUPPORTED);
	image[7]++;
	assert_int_equal(open_image(&file, used, NULL), SPEMU_ERR_INVALID);
	memcpy(image, "PERFFILE", 8);
	assert_int_equal(open_image(&file, used, NULL), SPEMU_ERR_NOT_SUPPORTED);
	image[7]++;
	assert_int_equal(open_image(&file, used, NULL), SPEMU_ERR_INVALID);
	memcpy(image, "PERFFILE", 8);
	assert_int_equal(open_image(&file, used, NULL), SPEMU_ERR_NOT_SUPPORTED);
	memcpy(image,
	       "\x7f"
	       "ELF1234",
	       8);
	assert_int_equal(open_image(&file, used, NULL), SPEMU_ERR_INVALID);
	memcpy(image, "PERFILE2", 8);
	put_at(8, 16, 8);
	assert_int_equal(open_image(&file, used, NULL), SPEMU_ERR_NOT_SUPPORTED);
	assert_int_equal(open_in_vain("/nonexistent/perf.data"), SPEMU_ERR_IO);
	assert_int_equal(open_in_vain("/"), SPEMU_ERR_NOT_SUPPORTED);
	assert_int_equal(close(mkstemp(path)), 0);
	assert_int_equal(open_in_vain(path), SPEMU_ERR_INVALID); /* an empty file */
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(open_in_vain(path), SPEMU_ERR_NOT_SUPPORTED);
	unlink(path);
}

/* On a system with 32-bit sizes, a file of slightly more than 4 GiB must not count as a small
 * file. */
static void file_larger_than_address_space_is_refused(void **state)
{
	char path[] = "/tmp/spemu-large-XXXXXX";
	struct spemu_perf_file *file;
	struct rlimit limit;
	int fd, status;

	(void)state;
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
	    limit.rlim_cur <= UINT64_C(0x100000000) + sizeof(image))
		NOT_HERE("whoever runs this allows no such file");
	build(1);
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, image, used), used);
	assert_int_equal(spemu_perf_open(&file, NULL, path), SPEMU_OK);
	spemu_perf_close(file);
	assert_int_equal(ftruncate(fd, (off_t)(UINT64_C(0x100000000) + used)), 0);
	status = spemu_perf_open(&file, NULL, path);
	close(fd);
	unlink(path);
	if (SIZE_MAX > UINT32_MAX) {
		assert_int_equal(status, SPEMU_OK);
		spemu_perf_close(file);
	} else {
		assert_int_equal(status, SPEMU_ERR_IO);
		assert_int_equal(errno, EFBIG);
	}
}

static void written_file_is_read_back(void **state)
{
	const struct spemu_perf_who who = {.pid = 7, .tid = 8, .time = 99, .cpu = 4};
	struct spemu_perf_mmap map = {
	        .pid = 7, .len = 4096, .prot = 3, .data = true, .filename = "/l"};
	struct spemu_perf_cursor c = {0};
	struct spemu_perf_event e;
	struct spemu_perf_file *file;
	size_t data_at;

	(void)state;
	build(1);
	data_at = (size_t)(image[40] | image[41] << 8);
	put_at(120 + 24, SPEMU_PERF_SAMPLE_TYPE, 8);
	put_at(264 + 24, SPEMU_PERF_SAMPLE_TYPE, 8);
	used = data_at;
	used += (size_t)spemu_perf_put_mmap2(image + used, 4096, &who, &map);
	map.build_id_size = 20;
	memset(map.build_id, 0xab, 20);
	used += (size_t)spemu_perf_put_mmap2(image + used, 4096, &who, &map);
	put_at(48, used - data_at, 8);
	memset(image + 72, 0, 32);
	assert_int_equal(open_image(&file, used, NULL), SPEMU_OK);
	next(file, &c, &e, SPEMU_PERF_MMAP2);
	assert_string_equal(e.u.mmap.filename, "/l");
	assert_true(e.u.mmap.data);
	assert_int_equal(e.u.mmap.prot, 3);
	assert_int_equal(e.u.mmap.build_id_size, 0);
	assert_int_equal(e.who.time, 99);
	assert_int_equal(e.who.cpu, 4);
	assert_int_equal(e.who.id, SPEMU_PERF_EVENT_ID);
	next(file, &c, &e, SPEMU_PERF_MMAP2);
	assert_int_equal(e.u.mmap.build_id_size, 20);
	assert_memory_equal(e.u.mmap.build_id, map.build_id, 20);
	spemu_perf_close(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(events_are_read_with_their_own_trailers),
	        cmocka_unit_test(attrs_and_features_are_read),
	        cmocka_unit_test(both_spe_metadata_versions_are_read),
	        cmocka_unit_test(file_without_spe_is_reported),
	        cmocka_unit_test(other_file_formats_are_recognized),
	        cmocka_unit_test(file_larger_than_address_space_is_refused),
	        cmocka_unit_test(written_file_is_read_back),
	};
	return cmocka_run_group_tests_name("perfdata reader", tests, set_up, NULL);
}
