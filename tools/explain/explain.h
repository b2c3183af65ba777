/* SPDX-License-Identifier: MIT */
/* Shared declarations of spemu explain. */
#ifndef TOOLS_EXPLAIN_H
#define TOOLS_EXPLAIN_H

#include <spemu/explain.h>
#include "../base/common.h"

/* Exit statuses of an answer. EXIT_USAGE is wrong usage. */
enum { ANSWER_YES = 0, ANSWER_NO = 1 };

/* explain_input.c: apply one NAME=VALUE of the command line, or a file of them. Die if an
 * assignment is refused. */
void input_assign(struct spemu_machine *m, const char *where, const char *text, size_t length);
void input_file(struct spemu_machine *m, const char *path);
/* Return the message for a refused text, with the nearest name if one is close, in a static
 * buffer. */
const char *input_refusal(const struct spemu_refusal_detail *detail, const char *text,
                          size_t length);

/* explain_print.c: print an answer as text or JSON. Return the exit status. */
/* `el` is the Exception level of the PE. */
int print_enabled(const struct spemu_pe *pe, unsigned el, bool json, bool all_fields);
int print_owner(const struct spemu_pe *pe, bool json, bool all_fields);
int print_access(const struct spemu_pe *pe, const char *name, uint32_t encoding, bool write,
                 unsigned el, bool json, bool all_fields);
int print_capture(const struct spemu_pe *pe, bool json, bool all_fields);

/* explain_signal.c: print whether a management event can occur, which PMBSR_ELx records it, and how
 * it is signaled at the current Exception level. */
int print_event(const struct spemu_machine *m, const struct spemu_management_event_description *e,
                bool json, bool all_fields);
/* Print whether PMBIRQ or an exception is signaled, and the reason if not. */
int print_signal(const struct spemu_pe *pe, bool json, bool all_fields);

/* explain_batch.c: read states from standard input, one per line, and print decisions. */
/* Return a machine in the state of spemu_machine_init(). */
struct spemu_machine *new_machine(void);

int explain_batch(const struct spemu_machine *choices); /* The choices apply to every state. */

enum { BINARY_MAX = 4 }; /* bits of a value that is shown in binary */

#endif
