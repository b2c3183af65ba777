/* SPDX-License-Identifier: MIT */
/* Parts of answers of spemu explain, as text and as JSON. */
#ifndef TOOLS_EXPLAIN_PUT_H
#define TOOLS_EXPLAIN_PUT_H

#include "explain.h"
#include "../base/json.h"

void out_color(struct out *o, const char *code, const char *text);

/* Print each step of a trace. all_fields: with fields that do not exist, and all of a clause that
 * does not decide. */
void put_trace_text(struct out *o, const struct spemu_pe *pe, const struct spemu_question *q,
                    bool all_fields);
/* Print the steps that decide alone: of a topic where all must hold those that fail, of one where
 * any must hold those that do. */
void put_causes_text(struct out *o, const struct spemu_pe *pe, const struct spemu_question *q,
                     bool all_fields);

/* Return the last step of a trace: of a topic whose first clause that holds decides, the step that
 * decides. */
struct spemu_trace_step last_step(const struct spemu_pe *pe, const struct spemu_question *q);

/* Print the Effective values that differ from the bits; q not NULL: of the fields alone that its
 * clauses look at. */
void put_effective(struct out *o, const struct spemu_pe *pe, const struct spemu_question *q);

struct json_object *question_json(const char *question);
struct json_object *json_slice(const char *text, size_t length);
void add_bool(struct json_object *o, const char *name, bool value);
void add_trace(struct json_object *root, const char *key, const struct spemu_pe *pe,
               const struct spemu_question *q);
void add_effective(struct json_object *root, const struct spemu_pe *pe);
void print_json(struct json_object *o);

#endif
