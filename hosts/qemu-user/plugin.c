/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spemu-qemu-user.so: a TCG plugin that gives each thread of an AArch64 program under QEMU's
 * user-mode emulation a Statistical Profiling Unit.
 *
 * QEMU: plugin API version 1, as in Debian 12's qemu-aarch64 7.2, or version 4 (QEMU 9.2) and
 * later. Argument: control=PATH, the control area of a recording (hosts/recording/recording.h),
 * which contains all parameters. Images that the plugin executed itself also have follow=on, and
 * run unrecorded if there is no recording. After a change of user, area=FD is a descriptor of the
 * control area, which the image before held.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "block.h"
#include "count.h"
#include "exec.h"
#include "fresh_memory.h"
#include "heap.h"
#include "interleave.h"
#include "locks.h"
#include "process.h"
#include "plugin_callbacks.h"
#include "qemu_series.h"
#include "region.h"
#include "vcpu.h"

/* The remedy in an error about a QEMU that the plugin cannot use. */
#define REMEDY "use a QEMU that 'scripts/fetch qemu-user DIR' makes"

int qemu_plugin_version = 1;

/* Rows of the series. User-mode emulation does not report its version, so the version of the plugin
 * interface selects the row. Calibration finds the offsets, except one offset of 7.2. */
static const struct qemu_series series_7_2 = {
        .cf_noirq = 0x100000,
        .cf_parallel = 0x80000,
        .offset = {[ENV_XREGS] = 0x40},
};
static const struct qemu_series series_10_2 = {.cf_noirq = 0x10000, .cf_parallel = 0x8000};

struct qemu_series qemu_series;

/* Declare the version of the plugin interface that this QEMU has, as its functions show. QEMU reads
 * the number after this constructor. QEMU 11.0 has the functions of 11.1, so it refuses the
 * plugin. */
static __attribute__((constructor)) void declare_version(void)
{
	if (qemu_plugin_set_pc)
		qemu_plugin_version = PLUGIN_CALLBACKS_POINTER;
	else if (qemu_plugin_read_memory_vaddr)
		qemu_plugin_version = 4;
}

static _Noreturn void refuse(const char *cause, const char *remedy)
{
	fprintf(stderr, "spemu-qemu-user: %s; %s\n", cause, remedy);
	_exit(1);
}

static void check_host(const struct qemu_plugin_info *info)
{
	if (info->version.min > qemu_plugin_version || info->version.cur < qemu_plugin_version)
		refuse("this QEMU does not have a supported version of the plugin API", REMEDY);
	if (info->system_emulation)
		refuse("this plugin supports only user-mode emulation",
		       "run qemu-aarch64, or use spemu-qemu-system.so");
	if (strcmp(info->target_name, "aarch64") != 0)
		refuse("only AArch64 programs have a Statistical Profiling Unit",
		       "run the program with qemu-aarch64");
	if (!qemu_plugin_register_vcpu_init_cb || !qemu_plugin_register_vcpu_exit_cb ||
	    !qemu_plugin_register_vcpu_tb_trans_cb || !qemu_plugin_register_vcpu_tb_exec_cb ||
	    !qemu_plugin_register_vcpu_mem_cb || !qemu_plugin_register_vcpu_syscall_cb ||
	    !qemu_plugin_register_vcpu_syscall_ret_cb || !qemu_plugin_register_flush_cb ||
	    !qemu_plugin_register_atexit_cb)
		refuse("this QEMU lacks functions of the plugin API", REMEDY);
}

/* Choose the feature set of the emulated PE: the recording's set, or the smallest that the filters
 * need. */
static int choose_features(void)
{
	const struct recording_params *params = process.params;
	const char *text = params->features;

	if (!text[0])
		text = params->pmsdsfr ? "v8.9" : params->pmsnevfr ? "v8.7" : "v8.2";
	return spemu_features_parse(&process.features, NULL, text);
}

/* Make the timing model, if the recording requests one. */
static int choose_profile(void)
{
	const char *name = process.params->profile;
	size_t size;
	int err;
	void *memory;

	if (!name[0] || strcmp(name, "none") == 0)
		return SPEMU_OK;
	if (!uarch_profile(name))
		return SPEMU_ERR_INVALID;
	process.profile_storage = *uarch_profile(name);
	if (uarch_parse(&process.profile_storage, NULL, process.params->uarch) ||
	    uarch_check(&process.profile_storage, NULL))
		return SPEMU_ERR_INVALID;
	process.profile = &process.profile_storage;
	process.sampled = process.params->flags & RECORDING_SAMPLED;
	size = uarch_shared_size(process.profile, UARCH_MAX_CORES);
	memory = fresh_memory(size, MAP_NORESERVE);
	if (!memory)
		return SPEMU_ERR_NOSPACE;
	(void)madvise(memory, size, MADV_HUGEPAGE); /* read accesses are spread over all of it */
	err = uarch_shared_init(&process.shared, memory, size, process.profile, UARCH_MAX_CORES);
	if (err == SPEMU_OK)
		uarch_alone(process.shared, true); /* until clone(); see syscall.c */
	return err;
}

static void attach(const char *control, int area, bool follow)
{
	int err = recording_attach_held(&process.rec, control, area);

	if (err != SPEMU_OK && follow)
		return;
	if (err != SPEMU_OK)
		refuse("cannot open the recording", "start the program with spemu record");
	process.params = recording_params(&process.rec);
	if (choose_features() != SPEMU_OK)
		refuse("the recording requests an unknown feature", "see spemu record --help");
	process.vectors = spemu_has(&process.features, SPEMU_FEAT_SVE);
	process.previous_target = spemu_has(&process.features, SPEMU_FEAT_SPE_PBT);
	if (choose_profile() != SPEMU_OK)
		refuse("the recording requests an unknown machine profile",
		       "see spemu record --help");
	process.memory_callbacks = process.params->flags & RECORDING_MEMORY_CALLBACKS;
	process.pid = recording_process_number(&process.rec);
	process.ppid = getppid();
	heap_on = process.params->flags & RECORDING_HEAP;
	process.recording = locks_install();
}

/*
 * Descriptor that names the program, or -1. If the image before opened it for this purpose, it is
 * closed when QEMU makes the first vcpu, because QEMU has opened the program by then.
 */
static int program_copy = -1;
static void vcpu_init(unsigned cpu)
{
	if (program_copy >= 0)
		close(program_copy);
	program_copy = -1;
	process_vcpu_init(cpu);
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_plugin_info *info, int argc,
                        char **argv)
{
	static const struct plugin_callbacks callbacks = {
	        .vcpu_init = vcpu_init,
	        .vcpu_exit = process_vcpu_exit,
	        .translate = translate_block,
	        .syscall = syscall_begins,
	        .syscall_return = syscall_returns,
	        .flush = block_drop_all,
	        .at_exit = process_atexit,
	};
	const char *control = NULL;
	bool follow = false;
	int area = -1;

	check_host(info);
	for (int i = 0; i < argc; i++) {
		if (strncmp(argv[i], "control=", 8) == 0)
			control = argv[i] + 8;
		else if (strcmp(argv[i], "follow=on") == 0)
			follow = true;
		else if (strncmp(argv[i], "area=", 5) == 0)
			area = atoi(argv[i] + 5);
		else if (strncmp(argv[i], "close=", 6) == 0)
			program_copy = atoi(argv[i] + 6);
		else
			refuse("unknown plugin argument", "use only control=PATH");
	}
	if (!control)
		refuse("the plugin requires the argument control=PATH",
		       "start the program with spemu record");
	attach(control, area, follow || area >= 0);
	if (!process.recording)
		return 0;
	qemu_series = qemu_plugin_version == 1 ? series_7_2 : series_10_2;
	exec_install();
	region_install();
	count_install();
	interleave_install();
	plugin_callbacks_register(id, qemu_plugin_version, &callbacks);
	return 0;
}
