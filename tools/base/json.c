/* SPDX-License-Identifier: MIT */
/* See json.h. */
#include "json.h"

#include <stdlib.h>
#include <string.h>

/* Length of the UTF-8 sequence at s, 0 if it is none. */
static unsigned utf8_length(const unsigned char *s)
{
	unsigned n = s[0] < 0x80                   ? 1
	             : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
	             : (s[0] & 0xf0) == 0xe0       ? 3
	             : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
	                                           : 0;

	for (unsigned i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	}
	if (n == 3 && ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0)))
		return 0;
	if (n == 4 && ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] >= 0x90)))
		return 0;
	return n;
}

struct json_object *json_text(const char *text)
{
	char *copy = xstrdup(text);
	struct json_object *object;

	for (char *p = copy; *p;) {
		unsigned n = utf8_length((const unsigned char *)p);

		if (!n)
			*p = '?';
		p += n ? n : 1;
	}
	object = json_object_new_string(copy);
	free(copy);
	return object;
}

void json_add_text(struct json_object *object, const char *name, const char *text)
{
	if (text)
		json_object_object_add(object, name, json_text(text));
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

void out_json(struct out *o, struct json_object *object)
{
	out_text(o, json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN |
	                                                           JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
}

void out_json_string(struct out *o, const char *text)
{
	out_bytes(o, "\"", 1);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\') {
			out_bytes(o, "\\", 1);
			out_bytes(o, text, 1);
		} else if (c < ' ') {
			out_text(o, "\\u");
			out_hex(o, c, 4);
		} else {
			out_bytes(o, text, 1);
		}
	}
	out_bytes(o, "\"", 1);
}
