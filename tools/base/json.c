/* SPDX-License-Identifier: MIT */
/* See json.h. */
#include "json.h"
#include "clean.h"

#include <stdlib.h>
#include <string.h>

struct json_object *json_text(const char *text)
{
	char *copy = xstrdup(text);
	struct json_object *object;

	for (char *p = copy; *p;) {
		unsigned n = utf8_length(p);

		if (!n)
			*p = '?';
		p += n ? n : 1;
	}
	object = json_object_new_string(copy);
	free(copy);
	return object;
}

const char *json_member_text(struct json_object *object, const char *name)
{
	const char *text = json_object_get_string(json_object_object_get(object, name));

	return text ? text : "";
}

uint64_t json_member_number(struct json_object *object, const char *name)
{
	return json_object_get_uint64(json_object_object_get(object, name));
}

bool json_member_true(struct json_object *object, const char *name)
{
	return json_object_get_boolean(json_object_object_get(object, name));
}

void json_add_text(struct json_object *object, const char *name, const char *text)
{
	if (text)
		json_object_object_add(object, name, json_text(text));
}

void json_add_clean(struct json_object *object, const char *name, const char *text)
{
	char *copy = clean_text(xstrdup(text));

	json_add_text(object, name, copy);
	free(copy);
}

void json_add_number(struct json_object *object, const char *name, uint64_t value)
{
	json_object_object_add(object, name, json_object_new_uint64(value));
}

void json_add_hex(struct json_object *object, const char *name, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%#llx", (unsigned long long)value);
	json_add_text(object, name, text);
}

/* Return true if a <script> element must not contain this character unescaped. */
static bool is_markup(unsigned c)
{
	return c == '<' || c == '>' || c == '&' || c == 0x2028 || c == 0x2029;
}

/*
 * Write a character unchanged, or as \uXXXX if a terminal must not get it or, with `html`, if it is
 * markup. Such characters have at most four digits. Return the next character.
 */
static const char *put_character(struct out *o, const char *text, bool html)
{
	unsigned n = utf8_length(text), c = n ? utf8_character(text, n) : '?';

	if (!n) {
		out_bytes(o, "?", 1);
	} else if (is_fit(c) && !(html && is_markup(c))) {
		out_bytes(o, text, n);
	} else {
		out_text(o, "\\u");
		out_hex(o, c, 4);
	}
	return text + (n ? n : 1);
}

static void put_object(struct out *o, struct json_object *object, int form, bool html)
{
	const char *text =
	        json_object_to_json_string_ext(object, form | JSON_C_TO_STRING_NOSLASHESCAPE);

	/* json-c escapes only the characters C0. Line ends are written by json-c itself. */
	while (*text) {
		size_t plain = 0;

		while (text[plain] == '\n' || (text[plain] >= ' ' && text[plain] <= '~' &&
		                               !(html && is_markup((unsigned char)text[plain]))))
			plain++;
		out_bytes(o, text, plain);
		text += plain;
		if (*text)
			text = put_character(o, text, html);
	}
	json_object_put(object);
}

void out_json(struct out *o, struct json_object *object)
{
	put_object(o, object, JSON_C_TO_STRING_PLAIN, false);
}

void out_json_line(struct out *o, struct json_object *object)
{
	out_json(o, object);
	out_text(o, "\n");
}

void out_json_html(struct out *o, struct json_object *object)
{
	put_object(o, object, JSON_C_TO_STRING_PLAIN, true);
}

void out_json_pretty(struct out *o, struct json_object *object)
{
	put_object(o, object, JSON_C_TO_STRING_PRETTY, false);
	out_text(o, "\n");
}

void out_json_string(struct out *o, const char *text)
{
	out_bytes(o, "\"", 1);
	while (*text) {
		if (*text == '"' || *text == '\\')
			out_bytes(o, "\\", 1);
		text = put_character(o, text, false);
	}
	out_bytes(o, "\"", 1);
}
