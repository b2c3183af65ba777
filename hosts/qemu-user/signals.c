/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The signal handlers of the guest's process; see signals.h. */
#include <stdatomic.h>

#include "guest_memory.h"
#include "signals.h"

#define GUEST_NSIG 65

static _Atomic uint64_t handlers[GUEST_NSIG];

bool signals_is_handler(uint64_t pc)
{
	if (pc > 1) {
		for (unsigned i = 1; i < GUEST_NSIG; i++) {
			if (atomic_load_explicit(&handlers[i], memory_order_relaxed) == pc)
				return true;
		}
	}
	return false;
}

bool signals_unhandled(uint64_t signo)
{
	return signo > 0 && signo < GUEST_NSIG && atomic_load(&handlers[signo]) == 0;
}

/* Read the handler from the first word of the kernel's struct. */
void signals_note(uint64_t signo, uint64_t action)
{
	uint64_t handler;

	if (signo == 0 || signo >= GUEST_NSIG || !action ||
	    !guest_read(&handler, action, sizeof(handler)))
		return;
	atomic_store_explicit(&handlers[signo], handler, memory_order_relaxed);
}
