/* SPDX-License-Identifier: MIT */
/* See sarif.h. */
#define _GNU_SOURCE
#include "sarif.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <spemu/version.h>

struct sarif {
	struct out out;
	uint64_t results;
};

static void member(struct out *o, const char *before, const char *name, const char *text)
{
	out_fmt(o, "%s\"%s\":", before, name);
	out_json_string(o, text);
}

static void text_member(struct out *o, const char *name, const char *text)
{
	out_fmt(o, ",\"%s\":{", name);
	member(o, "", "text", text);
	out_text(o, "}");
}

struct sarif *sarif_open(const char *path)
{
	struct sarif *s = xcalloc(1, sizeof(*s));
	struct out *o = &s->out;
	const struct spemu_diagnostic *d;

	o->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (o->fd < 0)
		die(EXIT_OWN, "cannot write '%s': %s", path, strerror(errno));
	out_text(o, "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\","
	            "\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{\"name\":\"spemu\"");
	member(o, ",", "version", SPEMU_VERSION);
	out_text(o, ",\"rules\":[");
	for (unsigned i = 0; (d = spemu_diagnostic_at(i)); i++) {
		member(o, i ? ",\n{" : "\n{", "id", d->name);
		text_member(o, "shortDescription", d->cause);
		text_member(o, "help", d->cure);
		out_text(o, ",\"properties\":{");
		member(o, "", "arm-arm", d->rule);
		out_text(o, "}}");
	}
	out_text(o, "]}},\"results\":[");
	return s;
}

/* A relative reference, or that of an absolute path: RFC 3986, section 2.3 and "/". */
static void out_uri(struct out *o, const char *path)
{
	out_text(o, *path == '/' ? "\"file://" : "\"");
	for (; *path; path++) {
		unsigned char c = (unsigned char)*path;

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		    strchr("-._~/", c))
			out_fmt(o, "%c", c);
		else
			out_fmt(o, "%%%02X", c);
	}
	out_text(o, "\"");
}

static unsigned index_of(const char *name)
{
	unsigned i = 0;

	while (spemu_diagnostic_at(i) && strcmp(spemu_diagnostic_at(i)->name, name))
		i++;
	return i;
}

static void location(struct out *o, const struct report_place *place,
                     const struct spemu_diagnostic *d, const char *symbol)
{
	const char *comma = "";

	out_text(o, ",\"locations\":[{");
	if (place->file) {
		out_text(o, "\"physicalLocation\":{\"artifactLocation\":{\"uri\":");
		out_uri(o, place->file);
		out_text(o, "}");
		if (place->line)
			out_fmt(o, ",\"region\":{\"startLine\":%u}", place->line);
		out_text(o, "}");
		comma = ",";
	}
	if (symbol) {
		out_fmt(o, "%s\"logicalLocations\":[{", comma);
		member(o, "", "name", symbol);
		out_text(o, ",\"kind\":\"function\"}]");
	}
	out_text(o, "}],\"properties\":{");
	member(o, "", "rule", d->rule);
	if (d->has_pc)
		out_fmt(o, ",\"pc\":\"%#" PRIx64 "\"", d->pc);
	if (place->scenario && *place->scenario)
		member(o, ",", "scenario", place->scenario);
	if (place->vcpu >= 0)
		out_fmt(o, ",\"vcpu\":%d", place->vcpu);
	for (unsigned i = 0; i < d->values; i++)
		out_fmt(o, ",\"%s\":\"%#" PRIx64 "\"", d->value[i].name, d->value[i].value);
	out_text(o, "}");
}

void sarif_add(struct sarif *s, const struct report_place *place, const struct spemu_diagnostic *d,
               const char *symbol, bool suppressed)
{
	struct out *o = &s->out;
	char *text = xasprintf("%s. To cure it: %s.", d->cause, d->cure);

	member(o, s->results++ ? ",\n{" : "\n{", "ruleId", d->name);
	out_fmt(o, ",\"ruleIndex\":%u,\"level\":\"error\"", index_of(d->name));
	text_member(o, "message", text);
	location(o, place, d, symbol);
	if (suppressed)
		out_text(o, ",\"suppressions\":[{\"kind\":\"external\"}]");
	out_text(o, "}");
	free(text);
}

void sarif_close(struct sarif *s)
{
	out_text(&s->out, "]}]}\n");
	out_flush(&s->out);
	close(s->out.fd);
	free(s);
}
