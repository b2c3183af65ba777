/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guest's signal handlers. */
#ifndef SIGNALS_H
#define SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

/* Note that the guest sets a handler by sigaction(signo, action), with guest addresses. */
void signals_note(uint64_t signo, uint64_t action);

/* Return true if the guest has a signal handler at pc. */
bool signals_is_handler(uint64_t pc);

/* Return true if the signal has neither a handler nor SIG_IGN. */
bool signals_unhandled(uint64_t signo);

#endif
