/* SPDX-License-Identifier: MIT */
/* spemu explain: states in the form that users write, or that debuggers and kernels print. */
#define _GNU_SOURCE
#include "explain.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const levels[] = {"v8.2", "v8.3", "v8.4", "v8.5", "v8.6", "v8.7", "v8.8", "v8.9",
                                     "v9.0", "v9.1", "v9.2", "v9.3", "v9.4", "v9.5", "v9.6", NULL};

/* An owned list of names to suggest. */
struct names {
	char **name;
	size_t count, capacity;
};

static void add_name(struct names *names, char *name)
{
	APPEND(names->name, names->count, names->capacity) = name;
}

/* Return "; did you mean 'X'?" with the nearest of the possible names. */
static const char *suggest(struct names *names, const char *word)
{
	const char *text;

	add_name(names, NULL);
	text = suggestion(word, (const char *const *)names->name);
	for (size_t i = 0; i < names->count; i++)
		free(names->name[i]);
	free(names->name);
	return text;
}

static const char *suggest_field(const char *word, unsigned reg_index)
{
	struct spemu_field_description f;
	struct names names = {0};

	for (unsigned i = 0; spemu_field_describe(&f, reg_index, i) == SPEMU_OK; i++)
		add_name(&names, xstrdup(f.name));
	return suggest(&names, word);
}

static const char *suggest_value(const char *word, unsigned reg_index, const char *field)
{
	struct spemu_field_description f;
	struct spemu_enum_description e;
	struct names names = {0};

	for (unsigned i = 0; spemu_field_describe(&f, reg_index, i) == SPEMU_OK; i++)
		for (unsigned v = 0; !strcasecmp(f.name, field) &&
		                     spemu_enum_describe(&e, reg_index, i, v) == SPEMU_OK;
		     v++)
			add_name(&names, xstrdup(e.name));
	return suggest(&names, word);
}

/* Suggest a name. A name with a dot is compared only with names that have a dot. */
static const char *suggest_name(const char *word)
{
	struct spemu_reg_description r;
	struct spemu_field_description f;
	struct names names = {0};
	bool dotted = strchr(word, '.');
	const char *name;

	for (unsigned i = 0; (name = spemu_machine_name(i)); i++)
		add_name(&names, xstrdup(name));
	for (unsigned i = 0; spemu_reg_describe(&r, i) == SPEMU_OK; i++) {
		if (!dotted)
			add_name(&names, xstrdup(r.name));
		for (unsigned k = 0; dotted && spemu_field_describe(&f, i, k) == SPEMU_OK; k++)
			add_name(&names, xasprintf("%s.%s", r.name, f.name));
	}
	return suggest(&names, word);
}

static const char *suggest_feature(const char *word)
{
	struct names names = {0};

	if (*word != '+' && *word != '-')
		return suggestion(word, levels);
	for (int i = 0; i < SPEMU_FEATURE_COUNT; i++)
		add_name(&names,
		         xasprintf("%c%s", *word, spemu_feature_name((enum spemu_feature)i)));
	return suggest(&names, word);
}

const char *input_refusal(const struct spemu_refusal_detail *d, const char *text, size_t length)
{
	static char message[640];
	char part[128], name[128];
	size_t name_length = strcspn(text, "=");
	struct spemu_reg_description r = {0};
	const char *dot;

	name_length = name_length < length ? name_length : length;
	snprintf(part, sizeof(part), "%.*s", (int)(d->length < 100 ? d->length : 100),
	         text + d->offset);
	snprintf(name, sizeof(name), "%.*s", (int)(name_length < 100 ? name_length : 100), text);
	dot = strchr(name, '.');
	spemu_reg_describe(&r, d->reg_index);
	switch ((enum spemu_refusal)d->kind) {
	case SPEMU_REFUSED_FORM:
		snprintf(message, sizeof(message), "'%s' is not NAME=VALUE", part);
		break;
	case SPEMU_REFUSED_NAME:
		snprintf(message, sizeof(message), "unknown register '%s'%s", part,
		         suggest_name(part));
		break;
	case SPEMU_REFUSED_FIELD:
		snprintf(message, sizeof(message), "%s has no field '%s'%s", r.name, part,
		         suggest_field(part, d->reg_index));
		break;
	case SPEMU_REFUSED_VALUE:
		snprintf(message, sizeof(message), "'%s' is not a value of %s%s", part, name,
		         !strcasecmp(name, "PE.state") ? "; it is debug or non-debug"
		         : dot                         ? suggest_value(part, d->reg_index, dot + 1)
		                                       : "");
		break;
	case SPEMU_REFUSED_WIDTH:
		snprintf(message, sizeof(message), "%s has %u bit%s: '%s' is too wide", name,
		         d->width, d->width == 1 ? "" : "s", part);
		break;
	case SPEMU_REFUSED_FEATURE:
		snprintf(message, sizeof(message), "unknown word '%s' in features%s", part,
		         suggest_feature(part));
		break;
	case SPEMU_REFUSED_MACHINE:
		snprintf(message, sizeof(message), "no PE has these features: %s", d->rule);
		break;
	}
	return message;
}

void input_assign(struct spemu_machine *m, const char *where, const char *text, size_t length)
{
	struct spemu_refusal_detail detail;

	if (spemu_machine_set(m, &detail, text, length) != SPEMU_OK)
		die(EXIT_USAGE, "%s%s", where, input_refusal(&detail, text, length));
}

static bool is_hex(const char *text)
{
	size_t length = strspn(text, "0123456789abcdefABCDEF");

	return length == strlen(text) && (length == 8 || length == 16);
}

/* Take a register that a dump shows as a whole. PSTATE.{nRW, EL} are bits 4 and 3:2 (C5.2.19). */
static bool dump_pstate(struct spemu_machine *m, const char *name, uint64_t value)
{
	struct spemu_pe_state state;

	if (strcasecmp(name, "CurrentEL") != 0 && strcasecmp(name, "pstate") != 0 &&
	    strcasecmp(name, "cpsr") != 0)
		return false;
	spemu_machine_get_state(m, &state);
	state.el = value >> 2 & 3;
	if (strcasecmp(name, "CurrentEL") != 0) {
		state.aarch32 = value >> 4 & 1;
		state.pm = value >> 32 & 1;
	}
	spemu_machine_set_state(m, &state);
	return true;
}

/*
 * Take a register as debuggers, firmware and kernels print it: "NAME value ...", "NAME = value" or
 * "NAME: value". Skip registers that have no effect here. Return false if the line has another
 * form.
 */
static bool dump_line(struct spemu_machine *m, const char *where, const char *line,
                      unsigned *passed_over)
{
	char name[64], word[64], text[160];
	unsigned index;
	int field, used = 0;
	bool colon = strchr(line, ':');
	char *end;
	uint64_t value;

	if (sscanf(line, " %63[A-Za-z0-9_.] %*1[:=] %63s%n", name, word, &used) < 2 &&
	    sscanf(line, " %63[A-Za-z0-9_.] %63s%n", name, word, &used) < 2)
		return false;
	errno = 0;
	if (word[0] == '0' && (word[1] == 'b' || word[1] == 'B'))
		value = strtoull(word + 2, &end, 2);
	else
		value = strtoull(word, &end, colon && is_hex(word) ? 16 : 0);
	if (errno || *end || !isxdigit((unsigned char)word[0]))
		return false;
	if (dump_pstate(m, name, value))
		return true;
	snprintf(text, sizeof(text), "%s=0x%llx", name, (unsigned long long)value);
	if (spemu_reg_find(&index, &field, name, strlen(name)) == SPEMU_OK || strchr(name, '.'))
		input_assign(m, where, text, strlen(text));
	else
		(*passed_over)++;
	return true;
}

/* Return true if the line consists of NAME=VALUE words without blanks around '='. */
static bool assignment_line(const char *line)
{
	const char *equals = strchr(line, '=');

	return equals && equals > line && !isspace((unsigned char)equals[-1]) && equals[1] &&
	       !isspace((unsigned char)equals[1]);
}

void input_file(struct spemu_machine *m, const char *path)
{
	bool is_stdin = !strcmp(path, "-");
	FILE *in = is_stdin ? stdin : fopen(path, "re");
	unsigned number = 0, passed_over = 0;
	char *line = NULL, *word, *rest, where[300];
	size_t size = 0;

	if (!in)
		die(EXIT_USAGE, "cannot open %s: %s", path, strerror(errno));
	while (getline(&line, &size, in) >= 0) {
		snprintf(where, sizeof(where), "%.250s:%u: ", is_stdin ? "standard input" : path,
		         ++number);
		line[strcspn(line, "#\r\n")] = 0;
		if (!line[strspn(line, " \t")])
			continue;
		if (!assignment_line(line + strspn(line, " \t"))) {
			if (!dump_line(m, where, line, &passed_over))
				die(EXIT_USAGE, "%s'%s' is neither NAME=VALUE nor a register dump",
				    where, line);
			continue;
		}
		for (word = strtok_r(line, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest))
			input_assign(m, where, word, strlen(word));
	}
	if (ferror(in))
		die(EXIT_USAGE, "cannot read %s: %s", path, strerror(errno));
	free(line);
	if (!is_stdin)
		fclose(in);
	if (passed_over)
		warn("%u registers of the dump have no effect here and were skipped", passed_over);
}

struct spemu_machine *new_machine(void)
{
	size_t size = spemu_machine_size();
	struct spemu_machine *m;

	(void)spemu_machine_init(&m, xcalloc(size, 1), size);
	return m;
}
