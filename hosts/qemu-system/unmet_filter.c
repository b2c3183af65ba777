/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Filters that no operation passes; see unmet_filter.h.
 *
 * Arm ARM: DDI 0487 M.a, D17.5.2 and D17.5.3 (filters by event and by latency), D18.2.6 (events).
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

#include <spemu/packet.h>
#include <spemu/sysreg.h>

#include "config.h"
#include "events.h"
#include "unmet_filter.h"

#define BIT(n) (UINT64_C(1) << (n))
/* Events that are known without a timing model. */
#define KNOWN_EVENTS (BIT(SPEMU_EV_EXCEPTION) | BIT(SPEMU_EV_RETIRED) | BIT(SPEMU_EV_NOT_TAKEN))
#define MODEL "use spemu vm --machine neoverse-n1 or another timing model"

static uint64_t value_of(const struct vcpu *vcpu, enum spemu_reg reg)
{
	uint64_t value = 0;

	(void)spemu_reg_get(vcpu->pe, &value, reg);
	return value;
}

static __attribute__((format(printf, 3, 4))) void
warn_once(const struct vcpu *vcpu, atomic_flag *reported, const char *format, ...)
{
	char cause[160];
	va_list args;

	if (atomic_flag_test_and_set(reported))
		return;
	va_start(args, format);
	vsnprintf(cause, sizeof(cause), format, args);
	va_end(args);
	events_warning(vcpu, cause, MODEL);
}

void unmet_filter_check(const struct vcpu *vcpu)
{
	static atomic_flag latency_reported = ATOMIC_FLAG_INIT, events_reported = ATOMIC_FLAG_INIT;
	uint64_t filters, least = 0, unknown = 0;

	if (config.machine || !vcpu->can_sample)
		return;
	filters = value_of(vcpu, SPEMU_REG_PMSFCR_EL1);
	if (filters >> SPEMU_PMSFCR_EL1_FL_LSB & 1)
		least = value_of(vcpu, SPEMU_REG_PMSLATFR_EL1) >> SPEMU_PMSLATFR_EL1_MINLAT_LSB &
		        (BIT(SPEMU_PMSLATFR_EL1_MINLAT_WIDTH) - 1);
	if (filters >> SPEMU_PMSFCR_EL1_FE_LSB & 1)
		unknown = value_of(vcpu, SPEMU_REG_PMSEVFR_EL1) & ~KNOWN_EVENTS;
	if (least)
		warn_once(vcpu, &latency_reported,
		          "the guest records operations of %" PRIu64
		          " cycles and more (PMSLATFR_EL1), and without a timing model none has a "
		          "latency: it records nothing",
		          least);
	if (unknown)
		warn_once(vcpu, &events_reported,
		          "the guest records operations with the events 0x%" PRIx64
		          " (PMSEVFR_EL1), and without a timing model none has them: it records "
		          "nothing",
		          unknown);
}
