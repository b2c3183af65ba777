/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plugin's configuration: a text file that `spemu vm` writes, one "key value" a line.
 *
 *   spe v1p0 ... v1p5          max-size BYTES      align BYTES        count-size 12 | 16
 *   min-interval OPERATIONS    layout NAME         choose NAME=OPTION seed N
 *   strict yes                 vm-rules yes        inject HEX         machine PROFILE
 *   ppi INTID                  events-fd N         trace yes
 *   pmu-snapshot yes | no      default: yes if the CPU has a PMU
 *   restored yes           QEMU loads a saved machine before it runs
 *   previous-target yes                sme yes            alternate-clock smcu | impdef
 *
 * HEX is a struct spemu_injection, byte by byte.
 */
#ifndef CONFIG_H
#define CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <spemu/choices.h>
#include <spemu/inject.h>
#include <spemu/spu.h>
#include "timing/uarch.h"

#define CONFIG_CHOICES 96

/* Options that are on or off: a member of struct config and its key. */
#define CONFIG_FLAGS(FLAG)                       \
	FLAG(strict, "strict")                   \
	FLAG(vm_rules, "vm-rules")               \
	FLAG(trace, "trace")                     \
	FLAG(previous_target, "previous-target") \
	FLAG(sme, "sme")                         \
	FLAG(restored, "restored")
#define CONFIG_MEMBER(member, name) bool member;

struct config {
	unsigned spe_minor; /* FEAT_SPEv1p<n> */
	struct spemu_spu_config spu;
	uint64_t seed;
	struct {
		enum spemu_choice choice;
		unsigned option;
	} choose[CONFIG_CHOICES];
	size_t choices;
	struct spemu_injection inject[SPEMU_INJECTIONS_MAX];
	size_t injections;
	const struct uarch_profile *machine; /* NULL: no timing model */
	CONFIG_FLAGS(CONFIG_MEMBER)
	uint64_t fingerprint;      /* hash of the lines that configure an SPU */
	bool serror;               /* an External abort may cause an SError exception */
	bool profiling_exceptions; /* FEAT_SPE_EXC, which belongs to FEAT_SPEv1p5 (A2.3) */
	bool barriers;             /* the guest's barriers must be followed */
	enum { SNAPSHOT_IF_PMU, SNAPSHOT_NO, SNAPSHOT_YES } pmu_snapshot;
	unsigned ppi;
	int events_fd; /* -1: none */
};
extern struct config config;

/* Read the file into config. Return NULL, or an error text that is valid until the next call. */
const char *config_read(const char *path);

#endif
