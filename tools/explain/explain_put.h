/* SPDX-License-Identifier: MIT */
/* Parts of answers of spemu explain, as text and as JSON. */
#ifndef TOOLS_EXPLAIN_PUT_H
#define TOOLS_EXPLAIN_PUT_H

#include "explain.h"
#include "../base/json.h"

void out_color(struct out *o, const char *code, const char *text);

/*
 * Steps of a trace. If all clauses of a topic must hold, the steps that fail decide. If one clause
 * suffices, the steps that hold decide.
 */
enum shown_steps { ALL_STEPS, DECIDING_STEPS };
/* Print each step of a trace. If all_fields is true, also print fields that do not exist, and all
 * fields of clauses that do not decide. */
void put_trace_text(struct out *o, const struct spemu_pe *pe, const struct spemu_question *q,
                    enum shown_steps shown, bool all_fields);

/* Return the last step of a trace. If the first clause that holds decides a topic, this is the
 * deciding step. */
struct spemu_trace_step last_step(const struct spemu_pe *pe, const struct spemu_question *q);

/* Print the Effective values that differ from the bits. If `q` is not NULL, print only fields that
 * its clauses use. */
void put_effective(struct out *o, const struct spemu_pe *pe, const struct spemu_question *q);

struct json_object *question_json(const char *question);
struct json_object *json_slice(const char *text, size_t length);
void add_bool(struct json_object *o, const char *name, bool value);
void add_trace(struct json_object *root, const char *key, const struct spemu_pe *pe,
               const struct spemu_question *q);
void add_effective(struct json_object *root, const struct spemu_pe *pe);

#endif
