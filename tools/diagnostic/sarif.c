/* SPDX-License-Identifier: MIT */
/* See sarif.h. */
#define _GNU_SOURCE
#include <spemu/strict.h>
#include "sarif.h"
#include "../base/json.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <spemu/version.h>

struct sarif {
	struct out out;
	uint64_t results;
};

/* Add the member {"text": text}. */
static void add_message(struct json_object *object, const char *name, const char *text)
{
	struct json_object *message = json_object_new_object();

	json_add_text(message, "text", text);
	json_object_object_add(object, name, message);
}

static struct json_object *rule(const struct spemu_diagnostic *d)
{
	struct json_object *o = json_object_new_object(), *properties = json_object_new_object();

	json_add_text(o, "id", d->name);
	add_message(o, "shortDescription", d->cause);
	add_message(o, "help", d->remedy);
	json_add_text(properties, "arm-arm", d->rule);
	json_object_object_add(o, "properties", properties);
	return o;
}

/* Write the head. Results follow one by one as objects of json-c; the text around them is written
 * directly. */
struct sarif *sarif_open(const char *path)
{
	struct sarif *s = xcalloc(1, sizeof(*s));
	struct out *o = &s->out;
	const struct spemu_diagnostic *d;

	out_create(o, path, "--sarif");
	out_text(o, "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\","
	            "\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{\"name\":\"spemu\"");
	out_text(o, ",\"version\":\"" SPEMU_VERSION "\",\"rules\":[");
	for (unsigned i = 0; (d = spemu_diagnostic_at(i)); i++) {
		out_text(o, i ? ",\n" : "\n");
		out_json(o, rule(d));
	}
	out_text(o, "]}},\"results\":[");
	return s;
}

/* Return the relative reference of a path, or the file URI of an absolute path (RFC 3986, section
 * 2.3, and "/"). */
static char *uri(const char *path)
{
	static const char unreserved[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	                                 "0123456789-._~/";
	char *text = xcalloc(strlen(path) * 3 + sizeof("file://"), 1), *to = text;

	to += sprintf(to, "%s", *path == '/' ? "file://" : "");
	for (; *path; path++)
		to += sprintf(to, strchr(unreserved, *path) ? "%c" : "%%%02X",
		              (unsigned char)*path);
	return text;
}

static unsigned index_of(const char *name)
{
	unsigned i = 0;

	while (spemu_diagnostic_at(i) && strcmp(spemu_diagnostic_at(i)->name, name))
		i++;
	return i;
}

static struct json_object *physical_location(const struct report_place *place)
{
	struct json_object *o = json_object_new_object(), *artifact = json_object_new_object();
	char *text = uri(place->file);

	json_add_text(artifact, "uri", text);
	json_object_object_add(o, "artifactLocation", artifact);
	if (place->line) {
		struct json_object *region = json_object_new_object();

		json_add_number(region, "startLine", place->line);
		json_object_object_add(o, "region", region);
	}
	free(text);
	return o;
}

static struct json_object *locations(const struct report_place *place, const char *symbol)
{
	struct json_object *array = json_object_new_array(), *o = json_object_new_object();

	if (place->file)
		json_object_object_add(o, "physicalLocation", physical_location(place));
	if (symbol) {
		struct json_object *logical = json_object_new_array(),
		                   *function = json_object_new_object();

		json_add_text(function, "name", symbol);
		json_add_text(function, "kind", "function");
		json_object_array_add(logical, function);
		json_object_object_add(o, "logicalLocations", logical);
	}
	json_object_array_add(array, o);
	return array;
}

static struct json_object *properties(const struct report_place *place,
                                      const struct spemu_diagnostic *d)
{
	struct json_object *o = json_object_new_object();

	json_add_text(o, "rule", d->rule);
	if (d->has_pc)
		json_add_hex(o, "pc", d->pc);
	if (place->scenario && *place->scenario)
		json_add_text(o, "scenario", place->scenario);
	if (place->vcpu >= 0)
		json_add_number(o, "vcpu", (uint64_t)place->vcpu);
	for (unsigned i = 0; i < d->values; i++)
		json_add_hex(o, d->value[i].name, d->value[i].value);
	return o;
}

void sarif_add(struct sarif *s, const struct report_place *place, const struct spemu_diagnostic *d,
               const char *symbol, bool suppressed)
{
	struct json_object *o = json_object_new_object();
	char *text = xasprintf("%s. Remedy: %s.", d->cause, d->remedy);

	json_add_text(o, "ruleId", d->name);
	json_add_number(o, "ruleIndex", index_of(d->name));
	json_add_text(o, "level", "error");
	add_message(o, "message", text);
	json_object_object_add(o, "locations", locations(place, symbol));
	json_object_object_add(o, "properties", properties(place, d));
	if (suppressed) {
		struct json_object *list = json_object_new_array(),
		                   *item = json_object_new_object();

		json_add_text(item, "kind", "external");
		json_object_array_add(list, item);
		json_object_object_add(o, "suppressions", list);
	}
	out_text(&s->out, s->results++ ? ",\n" : "\n");
	out_json(&s->out, o);
	free(text);
}

void sarif_close(struct sarif *s)
{
	out_text(&s->out, "]}]}\n");
	out_flush(&s->out);
	close(s->out.fd);
	free(s);
}
