/* SPDX-License-Identifier: MIT */
/* spemu explain: why profiling is, or is not, enabled in a given state. */
#define _GNU_SOURCE
#include "../base/choice_option.h"
#include "../base/fit.h"
#include "../base/options.h"
#include "explain.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct explain_options {
	enum explain_question question;
	const char *access, *event;
	int at; /* -1: where PSTATE.EL says */
	bool batch, json;
	const char *color; /* NULL: not given */
};

static unsigned parse_level(const char *text)
{
	const char *digit = !strncasecmp(text, "EL", 2) ? text + 2 : text;

	if (*digit < '0' || *digit > '3' || digit[1])
		die(EXIT_USAGE, "'%s' is not an Exception level; use EL0, EL1, EL2 or EL3", text);
	return (unsigned)(*digit - '0');
}

/* S<op0>_<op1>_C<n>_C<m>_<op2>: the name of any System register, by its encoding. */
static bool generic_name(const char *text, uint32_t *encoding)
{
	unsigned op0, op1, crn, crm, op2;
	int used = 0;

	if (sscanf(text, "%*1[Ss]%u_%u_%*1[Cc]%u_%*1[Cc]%u_%u%n", &op0, &op1, &crn, &crm, &op2,
	           &used) != 5 ||
	    text[used] || op0 > 3 || op1 > 7 || crn > 15 || crm > 15 || op2 > 7)
		return false;
	*encoding = SPEMU_SYSREG(op0, op1, crn, crm, op2);
	return true;
}

static const char *nearest_register(const char *word)
{
	const char *names[256];
	struct spemu_reg_description r;
	unsigned n = 0;

	for (; n < 255 && spemu_reg_describe(&r, n) == SPEMU_OK; n++)
		names[n] = r.name;
	names[n] = NULL;
	return suggestion(word, names);
}

/* By its name, that of a member of an array too, or by its encoding, which is returned. */
static uint32_t find_accessed(struct spemu_reg_description *reg, const char *name)
{
	char upper[64];
	uint32_t encoding;
	bool generic = generic_name(name, &encoding);
	int known;

	snprintf(upper, sizeof(upper), "%s", name);
	for (char *p = upper; *p; p++)
		*p = (char)toupper((unsigned char)*p);
	known = generic ? 0 : spemu_reg_encoding(upper);
	if (known < 0)
		die(EXIT_USAGE, "unknown register '%s'%s", name, nearest_register(name));
	if (!generic)
		encoding = (uint32_t)known;
	for (unsigned i = 0; spemu_reg_describe(reg, i) == SPEMU_OK; i++) {
		if (encoding - reg->encoding >= reg->count)
			continue;
		if (reg->host_owned)
			die(EXIT_USAGE, "access of %s is not supported: it is the host's", name);
		return encoding;
	}
	die(EXIT_USAGE, "%s is not supported: no register of arch/sysreg.txt", name);
}

/* "MSR PMSCR_EL1", "MSR PMSCR_EL1, X0", "MRS X0, PMSCR_EL1". */
static uint32_t parse_access(const char *text, bool *write, struct spemu_reg_description *reg)
{
	char copy[128], *words[3] = {NULL}, *rest, *name;
	unsigned n = 0;

	snprintf(copy, sizeof(copy), "%s", text);
	for (char *w = strtok_r(copy, " ,\t", &rest); w && n < 3; w = strtok_r(NULL, " ,\t", &rest))
		words[n++] = w;
	*write = n && !strcasecmp(words[0], "MSR");
	if (n < 2 || (!*write && strcasecmp(words[0], "MRS") != 0))
		die(EXIT_USAGE, "'%s' is neither 'MSR REGISTER' nor 'MRS REGISTER'", text);
	name = n == 3 && !*write ? words[2] : words[1];
	return find_accessed(reg, name);
}

static int list_events(void)
{
	struct spemu_management_event_description e;

	for (unsigned i = 0; spemu_management_event_describe(&e, i) == SPEMU_OK; i++)
		out_fmt(&out_stdout, "%s\n", e.name);
	out_flush(&out_stdout);
	return 0;
}

static void find_event(struct spemu_management_event_description *event, const char *text)
{
	const char *names[65];
	unsigned n = 0;

	for (; n < 64 && spemu_management_event_describe(event, n) == SPEMU_OK; n++) {
		if (!strcasecmp(event->name, text))
			return;
		names[n] = event->name;
	}
	names[n] = NULL;
	die(EXIT_USAGE, "unknown event '%s'%s", text, suggestion(text, names));
}

static void choose(struct spemu_machine *m, const char *text)
{
	enum spemu_choice choice;
	unsigned option;

	parse_choice(&choice, &option, text);
	if (option == SPEMU_CHOICE_RANDOM)
		die(EXIT_USAGE, "a state has no random choices: --choose takes an option of '%s'",
		    choice == SPEMU_CHOICE_COUNT ? "one choice"
		                                 : spemu_choice_describe(choice)->name);
	spemu_machine_choose(m, choice, option);
}

static void check_choices(const struct spemu_machine *m)
{
	for (unsigned i = 0; i < SPEMU_CHOICE_COUNT; i++) {
		enum spemu_choice c = (enum spemu_choice)i;
		const struct spemu_choice_description *d = spemu_choice_describe(c);
		int option = spemu_machine_chosen(m, c);

		if (option >= 0 && !spemu_choice_permitted(spemu_pe_features(spemu_machine_pe(m)),
		                                           c, (unsigned)option))
			die(EXIT_USAGE, "%s has no option %s with these features: it needs %s",
			    d->name, d->option[option].name, d->option[option].needs);
	}
}

static void parse_explain_options(struct explain_options *opt, struct spemu_machine *m, int argc,
                                  char **argv)
{
	int c;

	while ((c = next_option(&explain_options, argc, argv)) != -1) {
		switch (c) {
		case EXPLAIN_FILE:
			input_file(m, optarg);
			break;
		case EXPLAIN_ENABLED:
			opt->question = ASK_ENABLED;
			break;
		case EXPLAIN_OWNER:
			opt->question = ASK_OWNER;
			break;
		case EXPLAIN_ACCESS:
			opt->question = ASK_ACCESS;
			opt->access = optarg;
			break;
		case EXPLAIN_EVENT:
			opt->question = ASK_EVENT;
			opt->event = optarg;
			break;
		case EXPLAIN_SIGNAL:
			opt->question = ASK_SIGNAL;
			break;
		case EXPLAIN_CAPTURE:
			opt->question = ASK_CAPTURE;
			break;
		case EXPLAIN_CHOOSE:
			choose(m, optarg);
			break;
		case EXPLAIN_AT:
			opt->at = (int)parse_level(optarg);
			break;
		case EXPLAIN_BATCH:
			opt->batch = true;
			break;
		case EXPLAIN_JSON:
			opt->json = true;
			break;
		case EXPLAIN_COLOR:
			opt->color = optarg;
			break;
		}
	}
}

/* PMEVCNTR3_EL0, of the array PMEVCNTR<n>_EL0. Static buffer. */
static const char *member_name(const struct spemu_reg_description *reg, uint32_t encoding)
{
	static char name[64];
	const char *hole = strstr(reg->name, "<n>");

	if (!hole)
		return reg->name;
	snprintf(name, sizeof(name), "%.*s%u%s", (int)(hole - reg->name), reg->name,
	         (unsigned)(encoding - reg->encoding), hole + 3);
	return name;
}

static int answer(const struct explain_options *opt, struct spemu_machine *m)
{
	const struct spemu_pe *pe = spemu_machine_pe(m);
	struct spemu_pe_state state;
	struct spemu_management_event_description event;
	struct spemu_reg_description reg;
	uint32_t encoding;
	bool all = verbosity > 1, write;
	unsigned el;

	spemu_machine_get_state(m, &state);
	el = opt->at >= 0 ? (unsigned)opt->at : state.el;
	switch (opt->question) {
	case ASK_OWNER:
		return print_owner(pe, opt->json, all);
	case ASK_ACCESS:
		encoding = parse_access(opt->access, &write, &reg);
		return print_access(pe, member_name(&reg, encoding), encoding, write, el, opt->json,
		                    all);
	case ASK_CAPTURE:
		return print_capture(pe, opt->json, all);
	case ASK_EVENT:
	case ASK_SIGNAL:
	case ASK_ENABLED:
		break;
	}
	/* These are asked where the PE is. */
	state.el = (uint8_t)el;
	spemu_machine_set_state(m, &state);
	if (opt->question == ASK_SIGNAL)
		return print_signal(pe, opt->json, all);
	if (opt->question == ASK_ENABLED)
		return print_enabled(pe, el, opt->json, all);
	find_event(&event, opt->event);
	return print_event(m, &event, opt->json, all);
}

int cmd_explain(int argc, char **argv)
{
	struct explain_options opt = {.at = -1};
	struct spemu_machine *m;
	int status;

	m = new_machine();
	parse_explain_options(&opt, m, argc, argv);
	if (opt.batch && optind < argc)
		die(EXIT_USAGE, "--batch reads its states from standard input, not '%s'",
		    argv[optind]);
	if (opt.batch)
		return explain_batch(m);
	if (opt.event && !strcmp(opt.event, "list"))
		return list_events();
	for (; optind < argc; optind++) {
		if (!strcmp(argv[optind], "-"))
			input_file(m, "-");
		else
			input_assign(m, "", argv[optind], strlen(argv[optind]));
	}
	check_choices(m);
	color_setup(opt.color);
	if (!opt.json)
		wrap_lines();
	status = answer(&opt, m);
	out_flush(&out_stdout);
	return status;
}
