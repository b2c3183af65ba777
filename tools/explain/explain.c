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
	struct option_value value[EXPLAIN_OPTION_COUNT];
	struct spemu_machine *machine;
	int question; /* row of the option that asks the question */
	int at;       /* Exception level, or -1 for PSTATE.EL */
};

static unsigned parse_level(const char *text)
{
	const char *digit = !strncasecmp(text, "EL", 2) ? text + 2 : text;

	if (*digit < '0' || *digit > '3' || digit[1])
		die(EXIT_USAGE, "'%s' is not an Exception level; use EL0, EL1, EL2 or EL3", text);
	return (unsigned)(*digit - '0');
}

/* Parse S<op0>_<op1>_C<n>_C<m>_<op2>, which names any System register by its encoding. */
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

/* Find a register, or a member of an array, by its name or its generic name. Return its
 * encoding. */
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
			die(EXIT_USAGE, "access to %s is not supported: the host owns it", name);
		return encoding;
	}
	die(EXIT_USAGE, "%s is not supported; 'spemu regs' lists the registers", name);
}

/* Parse "MSR PMSCR_EL1", "MSR PMSCR_EL1, X0" or "MRS X0, PMSCR_EL1". Return the encoding. */
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
		die(EXIT_USAGE, "a state does not have random choices; use an option of '%s'",
		    choice == SPEMU_CHOICE_COUNT ? "one choice"
		                                 : spemu_choice_describe(choice)->name);
	spemu_machine_choose(m, choice, option);
}

static void check_choices(const struct spemu_machine *m)
{
	for (unsigned i = 0; i < SPEMU_CHOICE_COUNT; i++) {
		int option = spemu_machine_chosen(m, (enum spemu_choice)i);

		if (option >= 0)
			check_choice(spemu_pe_features(spemu_machine_pe(m)), (enum spemu_choice)i,
			             (unsigned)option, "these features");
	}
}

static void take_option(void *to, int row)
{
	struct explain_options *opt = to;

	switch (row) {
	case EXPLAIN_FILE:
		input_file(opt->machine, optarg);
		break;
	case EXPLAIN_CHOOSE:
		choose(opt->machine, optarg);
		break;
	case EXPLAIN_AT:
		opt->at = (int)parse_level(optarg);
		break;
	case EXPLAIN_ENABLED:
	case EXPLAIN_OWNER:
	case EXPLAIN_ACCESS:
	case EXPLAIN_EVENT:
	case EXPLAIN_SIGNAL:
	case EXPLAIN_CAPTURE:
		opt->question = row;
		break;
	}
}

/* Return the name of a register in an array, such as PMEVCNTR3_EL0 for PMEVCNTR<n>_EL0, in a static
 * buffer. */
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

static int answer(const struct explain_options *opt)
{
	struct spemu_machine *m = opt->machine;
	const struct spemu_pe *pe = spemu_machine_pe(m);
	struct spemu_pe_state state;
	struct spemu_management_event_description event;
	struct spemu_reg_description reg;
	uint32_t encoding;
	bool json = opt->value[EXPLAIN_JSON].given, all = verbosity > 1, write;
	unsigned el;

	spemu_machine_get_state(m, &state);
	el = opt->at >= 0 ? (unsigned)opt->at : state.el;
	switch (opt->question) {
	case EXPLAIN_OWNER:
		return print_owner(pe, json, all);
	case EXPLAIN_ACCESS:
		encoding = parse_access(opt->value[EXPLAIN_ACCESS].text, &write, &reg);
		return print_access(pe, member_name(&reg, encoding), encoding, write, el, json,
		                    all);
	case EXPLAIN_CAPTURE:
		return print_capture(pe, json, all);
	}
	/* The other questions depend on the Exception level of the PE. */
	state.el = (uint8_t)el;
	spemu_machine_set_state(m, &state);
	if (opt->question == EXPLAIN_SIGNAL)
		return print_signal(pe, json, all);
	if (opt->question == EXPLAIN_ENABLED)
		return print_enabled(pe, el, json, all);
	find_event(&event, opt->value[EXPLAIN_EVENT].text);
	return print_event(m, &event, json, all);
}

int cmd_explain(int argc, char **argv)
{
	struct spemu_machine *m = new_machine();
	struct explain_options opt = {.machine = m, .question = EXPLAIN_ENABLED, .at = -1};
	const struct option_value *value = opt.value;
	int status;

	read_options(opt.value, &explain_options, argc, argv, take_option, &opt);
	if (value[EXPLAIN_BATCH].given && optind < argc)
		die(EXIT_USAGE, "--batch reads states from standard input; leave out '%s'",
		    argv[optind]);
	if (value[EXPLAIN_BATCH].given)
		return explain_batch(m);
	if (value[EXPLAIN_EVENT].given && !strcmp(value[EXPLAIN_EVENT].text, "list"))
		return list_events();
	for (; optind < argc; optind++) {
		if (!strcmp(argv[optind], "-"))
			input_file(m, "-");
		else
			input_assign(m, "", argv[optind], strlen(argv[optind]));
	}
	check_choices(m);
	color_setup(value[EXPLAIN_COLOR].text);
	if (!value[EXPLAIN_JSON].given)
		wrap_lines();
	status = answer(&opt);
	out_flush(&out_stdout);
	return status;
}
