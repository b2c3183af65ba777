/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The operating system's driver of the SPU. It programs the SPU through its System registers and
 * delivers the records to the recording.
 *
 * The sequences are those of Linux's arm_spe_pmu (drivers/perf/arm_spe_pmu.c, 6.1), at EL1 of the
 * model. The guest runs at EL0. Each function works on one vcpu, on that vcpu's thread, or on any
 * thread while QEMU keeps all others out of guest code.
 */
#ifndef DRIVER_H
#define DRIVER_H

#include <stdbool.h>

#include "vcpu.h"

/* Make the SPU of a thread, whose tid and lane are set, and start profiling. Return false if that
 * fails. */
bool driver_start(struct vcpu *vcpu);

/* Handle PMBIRQ: deliver the buffer and continue. */
void driver_interrupt(struct vcpu *vcpu);

/* Stop profiling, deliver the buffer, and start again if `restart`. The sample interval
 * continues. */
void driver_drain(struct vcpu *vcpu, bool restart);

/* End the operation in flight without a record, because its outcome is unknown. */
void driver_discard(struct vcpu *vcpu, const struct spemu_op *op);

/* Count a sample by its outcome; also for host.sample_done. Add the thread's counts to the counters
 * of the recording. */
void driver_count(void *vcpu, const struct spemu_sample_result *result);
void driver_flush_counts(struct vcpu *vcpu);

/* Free the memory of driver_start(). */
void driver_free(struct vcpu *vcpu);

#endif
