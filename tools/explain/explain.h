/* SPDX-License-Identifier: MIT */
/* spemu explain: what its parts share. */
#ifndef TOOLS_EXPLAIN_H
#define TOOLS_EXPLAIN_H

#include <spemu/explain.h>
#include "../base/common.h"

/* Exit statuses of explain: the answer, or wrong usage. */
enum { ANSWER_YES = 0, ANSWER_NO = 1 };

/* explain_input.c: one NAME=VALUE of the command line, or a file of them. They die when refused. */
void input_assign(struct spemu_machine *m, const char *where, const char *text, size_t length);
void input_file(struct spemu_machine *m, const char *path);
/* The sentence for a refused text, with the nearest name where one is near. Static buffer. */
const char *input_refusal(const struct spemu_refusal_detail *detail, const char *text,
                          size_t length);

/* explain_print.c: answers as text or JSON; they return the exit status. */
/* el is where the PE is. */
int print_enabled(const struct spemu_pe *pe, unsigned el, bool json, bool all_fields);
int print_owner(const struct spemu_pe *pe, bool json, bool all_fields);
int print_access(const struct spemu_pe *pe, const char *name, uint32_t encoding, bool write,
                 unsigned el, bool json, bool all_fields);
int print_capture(const struct spemu_pe *pe, bool json, bool all_fields);

/* explain_signal.c: whether an event can happen, which PMBSR_ELx records it, and how that is
 * signaled where the PE is. */
int print_event(const struct spemu_machine *m, const struct spemu_management_event_description *e,
                bool json, bool all_fields);
/* Print whether PMBIRQ or an exception arrives, and why not. */
int print_signal(const struct spemu_pe *pe, bool json, bool all_fields);

/* explain_batch.c: states from standard input, one a line, decisions out. */
/* A machine as spemu_machine_init() makes it; never freed. */
struct spemu_machine *new_machine(void);

int explain_batch(const struct spemu_machine *choices); /* choices to apply */

enum { BINARY_MAX = 4 }; /* bits of a value that is shown in binary */

#endif
