/* SPDX-License-Identifier: MIT */
/* JSON output through json-c. For speed, a few outputs write strings directly into the buffer
 * instead (docs/explanation/design.md). */
#ifndef TOOLS_JSON_H
#define TOOLS_JSON_H

#include <json-c/json_object.h>

#include "common.h"

/* Return a JSON string of bytes that need not be UTF-8: '?' replaces invalid bytes. */
struct json_object *json_text(const char *text);

/* Return a member as a text, a number or a truth value; "", 0 or false if there is none. */
const char *json_member_text(struct json_object *object, const char *name);
uint64_t json_member_number(struct json_object *object, const char *name);
bool json_member_true(struct json_object *object, const char *name);

/* Add a member. A NULL text is omitted. `clean` adds a text that is cleaned (clean.h), and `hex` a
 * string such as "0x1f". */
void json_add_text(struct json_object *object, const char *name, const char *text);
void json_add_clean(struct json_object *object, const char *name, const char *text);
void json_add_number(struct json_object *object, const char *name, uint64_t value);
void json_add_hex(struct json_object *object, const char *name, uint64_t value);

/*
 * Write the object in one line, without blanks and without a line end, and free it. Characters that
 * are unsafe for a terminal (clean.h) are written as escapes such as "\u009b", so that nothing is
 * lost.
 */
void out_json(struct out *o, struct json_object *object);
/* Write the object and a line end. */
void out_json_line(struct out *o, struct json_object *object);
/* Write the object over several lines, with a line end, and free it. */
void out_json_pretty(struct out *o, struct json_object *object);
/* Write the object in one line for a <script> element: <, >, & and the line ends of Unicode are
 * escaped as in "\u003c". */
void out_json_html(struct out *o, struct json_object *object);

/* Write the text as a JSON string with its quotes. */
void out_json_string(struct out *o, const char *text);

#endif
