/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spemu-qemu-system.so: a TCG plugin that gives each vCPU of an AArch64 machine a Statistical
 * Profiling Unit.
 *
 * QEMU: qemu-system-aarch64 of a series of system_series.c. Argument: config=PATH (config.h), which
 * `spemu vm` writes.
 */
#include <stdio.h>
#include <string.h>

#include <spemu/choices.h>
#include <spemu/inject.h>
#include <spemu/packet.h>
#include <spemu/strict.h>

#include "buffer_memory.h"
#include "config.h"
#include "counting.h"
#include "events.h"
#include "follow.h"
#include "instrument.h"
#include "machine_state.h"
#include "pe_features.h"
#include "plugin_callbacks.h"
#include "pmu_events.h"
#include "pmu_registers.h"
#include "pmu_snapshot.h"
#include "profiling_exception.h"
#include "vcpu_previous.h"
#include "qemu_verify.h"
#include "regime.h"
#include "registers.h"
#include "serror.h"
#include "streaming.h"
#include "system_series.h"
#include "timing.h"
#include "timing_pages.h"
#include "vcpu.h"
#include "vcpu_count.h"
#include "vcpu_sample.h"

int qemu_plugin_version = QEMU_PLUGIN_API_VERSION;

static int vcpus_expected;

/* Declare the version of the interface that the running QEMU expects. A QEMU that accepts only one
 * version reads qemu_plugin_version after this constructor. */
static __attribute__((constructor)) void declare_version(void)
{
	unsigned major, minor;

	if (private_version(&major, &minor))
		qemu_plugin_version = system_series_interface(major, minor);
}

static void interrupt(void *ctx, bool level)
{
	struct vcpu *vcpu = ctx;

	vcpu->saved.total.interrupts += level;
	private_ppi_set(vcpu->irq, level);
	events_interrupt(vcpu, level);
}

static uint64_t counter(void *ctx)
{
	return gt_get_countervalue(((struct vcpu *)ctx)->env);
}

static void pmu_event(void *ctx, uint16_t event, uint64_t count)
{
	struct vcpu *vcpu = ctx;

	if (event == SPEMU_PMU_SAMPLE_POP)
		vcpu->saved.total.population += count;
	if (__builtin_expect(vcpu->watched, 0))
		pmu_events_count(vcpu, event, count);
}

/* Inject a fault. Refuse an External abort that this CPU ignores (RJFYNW): it would have no visible
 * effect. */
static void inject(struct vcpu *vcpu, const struct spemu_injection *injection)
{
	bool ignored = spemu_choice_get(vcpu->pe, SPEMU_CHOICE_EXTERNAL_ABORT) ==
	               SPEMU_EXTERNAL_ABORT_IGNORED;
	bool reported = !spemu_has(&vcpu->pe_config.features, SPEMU_FEAT_SPEV1P3);

	if (injection->kind == SPEMU_INJECT_FAULT &&
	    injection->fault.kind == SPEMU_FAULT_EXTERNAL && ignored)
		events_refuse(
		        "this CPU ignores External aborts of the SPU: --inject external-abort "
		        "has no effect",
		        reported ? "add --choose external-abort=reported-synchronously"
		                 : "add --choose external-abort=serror, or use --spe v1p2 or "
		                   "lower, where they can be reported");
	spemu_spu_inject(vcpu->spu, NULL, injection);
}

static void make_spu(struct vcpu *vcpu)
{
	struct spemu_spu_host host = {
	        .size = sizeof(host),
	        .ctx = vcpu,
	        .buffer_write = memory_write,
	        .translate = memory_translate,
	        .pmbirq = interrupt,
	        .pmu_event = pmu_event,
	        .counter = counter,
	        .diagnostic = events_diagnostic,
	        .sample_done = sample_count,
	        .serror = config.serror ? serror_pend : NULL,
	        .profiling_exception =
	                config.profiling_exceptions ? profiling_exception_pend : NULL,
	};
	void *pe = vcpu->pe ? vcpu->pe : memory_alloc(spemu_pe_size());
	void *spu = vcpu->spu ? vcpu->spu : memory_alloc(spemu_spu_size());

	if (spemu_pe_init(&vcpu->pe, pe, spemu_pe_size(), &vcpu->pe_config) ||
	    spemu_spu_init(&vcpu->spu, spu, spemu_spu_size(), vcpu->pe, &vcpu->config, &host))
		events_refuse("the SPU cannot be made", "check the options of spemu vm");
	if (config.machine && config.machine->not_taken_target)
		spemu_choice_set(vcpu->pe, SPEMU_CHOICE_NOT_TAKEN_TARGET,
		                 SPEMU_NOT_TAKEN_TARGET_RECORDED);
	for (size_t i = 0; i < config.choices; i++)
		if (spemu_choice_set(vcpu->pe, config.choose[i].choice, config.choose[i].option))
			events_refuse("a --choose option does not exist at this feature level",
			              "see spemu-choices(7) for what each option needs");
	for (size_t i = 0; i < config.injections; i++)
		inject(vcpu, &config.inject[i]);
	if (config.vm_rules) {
		struct spemu_vm_rules rules = {.size = sizeof(rules),
		                               .ignore_writes_while_enabled = true};

		spemu_spu_set_vm_rules(vcpu->spu, &rules);
	}
	if (config.strict)
		spemu_spu_set_strict(vcpu->spu, true, config.seed + vcpu->index);
}

/* Refuse a configured PMSIDR_EL1.MaxSize that is too small for some record. */
static void check_max_size(const struct vcpu *vcpu)
{
	int largest = spemu_spu_largest_record(&vcpu->config, &vcpu->pe_config.features);
	unsigned asked = 1u << vcpu->config.max_size_log2, least = 64;
	char cause[96], remedy[32];

	while (largest > 0 && least < (unsigned)largest)
		least *= 2;
	if (!vcpu->config.max_size_log2 || asked >= least)
		return;
	snprintf(cause, sizeof(cause),
	         "records of this CPU have up to %d bytes, and --max-size is %u", largest, asked);
	snprintf(remedy, sizeof(remedy), "use --max-size %u", least);
	events_refuse(cause, remedy);
}

/* Make the vCPU's SPU, at the start and again at each reset. */
static void reset(struct vcpu *vcpu)
{
	uint64_t interrupts = vcpu->saved.total.interrupts;

	make_spu(vcpu);
	memory_reset(vcpu);
	timing_pages_reset(vcpu);
	count_forget(vcpu);
	pmu_events_reset(vcpu);
	snapshot_reset(vcpu);
	if (config.serror)
		serror_reset(vcpu);
	if (config.profiling_exceptions)
		profiling_exception_reset(vcpu);
	regime_reset(vcpu);
	previous_target_reset(vcpu);
	count_load(vcpu);
	private_ppi_set(vcpu->irq, spemu_spu_pmbirq(vcpu->spu));
	vcpu->saved.total.interrupts = interrupts; /* PMBSR_ELx.S resets to an UNKNOWN value */
}

/* Verify the running QEMU once, on the first vCPU that wakes up, before any vCPU has run. */
static void verify(void)
{
	static bool verified;
	const char *differs = verified ? NULL : qemu_verify();

	if (differs)
		events_refuse(differs, SYSTEM_SERIES_REMEDY);
	verified = true;
}

/*
 * Give the vCPU its SPU when its thread wakes up. The thread sleeps until the machine is complete,
 * so its first waking while the machine runs comes before its first instruction.
 */
static void vcpu_wakes(unsigned index)
{
	struct vcpu *vcpu;
	const char *missing;

	if (vcpu_current() || !private_running())
		return;
	verify();
	vcpu = vcpu_attach(index);
	vcpu->irq = private_ppi(index, config.ppi);
	if (!vcpu->irq)
		events_refuse("the machine has no GICv3", "use -M virt,gic-version=3");
	vcpu->config = config.spu;
	vcpu->config.size = sizeof(vcpu->config);
	missing = features_of(&vcpu->pe_config, vcpu->env, &config);
	if (missing)
		events_refuse(missing, "use another --spe or -cpu max");
	if (config.spu.alternate_clock != SPEMU_ALTCLK_SMCU)
		vcpu->config.missing_events |= UINT64_C(1) << SPEMU_EV_SMCU;
	streaming_start(vcpu);
	check_max_size(vcpu);
	vcpu->pe_config.seed = config.seed + index;
	pmu_events_start(vcpu);
	snapshot_start(vcpu);
	timing_start(vcpu);
	count_find(vcpu);
	registers_share(vcpu);
	reset(vcpu);
	if (!registers_define(vcpu, reset))
		events_refuse(qemu_register_layout_differs, SYSTEM_SERIES_REMEDY);
	pmu_registers_follow(vcpu);
	snapshot_define(vcpu);
	if (config.serror)
		serror_define(vcpu);
	if (config.profiling_exceptions)
		profiling_exception_define(vcpu);
	follow_start(vcpu);
	machine_state_resume(vcpu);
	if (index == 0) { /* a short guest may end before the others wake up */
		events_ready((unsigned)vcpus_expected);
		counting_start();
	}
}

static void at_exit(void)
{
	for (unsigned i = 0; i < MAX_VCPUS; i++)
		if (vcpus[i].spu)
			events_summary(&vcpus[i]);
}

static bool has_functions(void)
{
	return qemu_plugin_register_vcpu_resume_cb && qemu_plugin_register_vcpu_tb_trans_cb &&
	       qemu_plugin_register_vcpu_tb_exec_cb && qemu_plugin_register_vcpu_tb_exec_cond_cb &&
	       qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu &&
	       qemu_plugin_register_vcpu_insn_exec_cb &&
	       qemu_plugin_register_vcpu_insn_exec_cond_cb &&
	       qemu_plugin_register_vcpu_insn_exec_inline_per_vcpu &&
	       qemu_plugin_register_vcpu_mem_cb && qemu_plugin_register_flush_cb &&
	       qemu_plugin_register_atexit_cb && qemu_plugin_scoreboard_new &&
	       qemu_plugin_scoreboard_find && qemu_plugin_get_hwaddr &&
	       qemu_plugin_hwaddr_phys_addr;
}

static void check_host(const struct qemu_plugin_info *info)
{
	unsigned major, minor;

	if (!private_version(&major, &minor) || !system_series_select(major, minor))
		events_refuse("this QEMU is of another series", SYSTEM_SERIES_REMEDY);
	if (!info->system_emulation || strcmp(info->target_name, "aarch64") != 0)
		events_refuse("only AArch64 machines have a Statistical Profiling Unit",
		              "run qemu-system-aarch64");
	if (!has_functions())
		events_refuse("this QEMU was built without what plugins need",
		              SYSTEM_SERIES_REMEDY);
	if (info->system.max_vcpus > MAX_VCPUS)
		events_refuse("more than 8 vCPUs", "use -smp 8 or less");
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct qemu_plugin_info *info, int argc,
                        char **argv)
{
	static const struct plugin_callbacks callbacks = {
	        .vcpu_resume = vcpu_wakes,
	        .translate = instrument_block,
	        .flush = instrument_flush,
	        .at_exit = at_exit,
	};
	const char *wrong;

	check_host(info);
	if (argc != 1 || strncmp(argv[0], "config=", 7) != 0)
		events_refuse("the plugin's argument config=FILE is missing", "run spemu vm");
	wrong = config_read(argv[0] + 7);
	if (wrong)
		events_refuse(wrong, "run spemu vm of the same version");
	vcpus_expected = info->system.smp_vcpus;
	count_start();
	machine_state_start(vcpu_wakes);
	plugin_callbacks_register(id, info->version.cur, &callbacks);
	return 0;
}
