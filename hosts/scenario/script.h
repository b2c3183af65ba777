/* SPDX-License-Identifier: MIT */
/* A scenario as commands. syntax*.c parses them, and execute.c runs them. */
#ifndef SCENARIO_SCRIPT_H
#define SCENARIO_SCRIPT_H

#include <spemu/inject.h>
#include <spemu/mmu.h>
#include <spemu/pmu.h>
#include <spemu/spu.h>
#include <spemu/strict.h>
#include "words.h"

struct subject;
struct command;

/* A sequence of commands: a file or the body of a repetition. */
struct block {
	struct command *items;
	size_t count;
};

/* REG or REG.FIELD: bits hi..lo of a register. */
struct target {
	enum spemu_reg reg;
	unsigned hi, lo;
	uint32_t encoding; /* encoding of a register whose value only the PMU has, or 0 */
};
struct assignment {
	struct target target;
	uint64_t value;
};

/* A condition on a value. */
struct wanted {
	enum { WANT_RANGE, WANT_ABSENT, WANT_PRESENT, WANT_TEXT, WANT_DIAGNOSTIC } kind;
	bool differs;    /* != */
	uint64_t lo, hi; /* WANT_RANGE: from lo to hi */
	const char *text;
};

/* One expectation: SUBJECT=VALUE. */
struct expectation {
	const char *what; /* text before the "=" */
	const char *want_text;
	const struct subject *subject; /* NULL for a register */
	struct target target;
	uint64_t argument; /* of the subject: an Exception level, PMU event, counter, ... */
	struct wanted wanted;
};
struct expectations {
	struct expectation *items;
	size_t count;
};

/* The expected outcome of an MSR or MRS. */
struct access_wanted {
	bool stated;
	uint8_t outcome; /* enum spemu_access_outcome */
	uint16_t nvmem_offset;
	bool has_iss;
	uint32_t iss;
	struct expectations values; /* expected values of an MRS */
};

/* An operation, and the steps of its addresses from one repetition to the next. */
struct operation {
	struct spemu_op op;
	uint64_t pc_step, va_step, pa_step, target_step, store_va_step, store_pa_step;
};

enum config_item {
	CONFIG_MAX_SIZE,
	CONFIG_ALIGN,
	CONFIG_COUNT_SIZE,
	CONFIG_INTERVAL_MIN,
	CONFIG_EVENTS_SIZE,
	CONFIG_SOURCE_SIZE,
	CONFIG_IMPDEF_EVENTS,
	CONFIG_MISSING_EVENTS,
	CONFIG_MISSING_SOURCE_FILTERS,
	CONFIG_IN_FLIGHT,
	CONFIG_ALTERNATE_CLOCK,
	CONFIG_SEED,
	CONFIG_PA_BITS,
	CONFIG_EVENT_COUNTERS,
};
enum barrier { BARRIER_ISB, BARRIER_PSB, BARRIER_DSB, BARRIER_DSB_LD, BARRIER_DSB_ST };
/* The translation of the addresses of the Profiling Buffer. */
enum translate {
	TRANSLATE_MAP = 0, /* spemu_host.translate uses the memory of "map" */
	TRANSLATE_NONE,    /* without spemu_host.translate; buffer_write uses the memory of "map" */
	TRANSLATE_WALKER,  /* spemu_mmu_translate(), from tables in physical memory */
};
enum record_base { RECORD_INDEX, RECORD_LAST, RECORD_AT };

/* Memory, and the translation of its addresses. */
struct mapping {
	uint64_t base, size;
	uint8_t types; /* 1 << enum spemu_address_type */
	bool writable; /* writable at stage 1 */
	bool has_physical, has_pas;
	uint64_t physical; /* output address; without has_physical, base */
	uint8_t pas;       /* enum spemu_security; without has_pas, the owner's */
	uint16_t mecid;
	struct spemu_memory stage1; /* attributes of a VA */
	bool has_stage2, stage2_writable, assured_only;
	struct spemu_memory stage2;
};

/* Memory of translation tables that "page" fills. The root is first. */
struct table_plan {
	uint64_t base, size;
	bool stage2;
	uint8_t granule_log2, address_bits;
};
/* A descriptor of a translation table. */
struct page_plan {
	uint64_t address, physical;
	uint64_t bits; /* additional bits of the descriptor */
	int level;
	uint8_t attribute, shareability; /* AttrIndx or MemAttr; SH */
	bool read_only, no_access_flag, invalid;
};

/* A fault planned for buffer writes to [address, address + size). */
struct planned_fault {
	uint64_t address, size;
	struct spemu_fault fault;
};

enum command_kind {
	COMMAND_SCENARIO,
	COMMAND_FEATURES,
	COMMAND_CHOOSE,
	COMMAND_LAYOUT,
	COMMAND_CONFIG,
	COMMAND_TRANSLATE,
	COMMAND_SET,
	COMMAND_ZERO,
	COMMAND_AT,
	COMMAND_STATE,
	COMMAND_MSR,
	COMMAND_MRS,
	COMMAND_OP,
	COMMAND_SAMPLE,
	COMMAND_BEGIN,
	COMMAND_FINISH,
	COMMAND_REPEAT,
	COMMAND_BARRIER,
	COMMAND_MAP,
	COMMAND_FAULT,
	COMMAND_NO_FAULTS,
	COMMAND_INJECT,
	COMMAND_NO_INJECTIONS,
	COMMAND_WORD,
	COMMAND_TABLE,
	COMMAND_PAGE,
	COMMAND_TLBI,
	COMMAND_STRICT,
	COMMAND_VM_RULES,
	COMMAND_PC,
	COMMAND_WAIT,
	COMMAND_REPORT,
	COMMAND_CLOCK,
	COMMAND_EVENT,
	COMMAND_CAPTURE,
	COMMAND_BRANCH,
	COMMAND_POWER,
	COMMAND_EXTERNAL,
	COMMAND_EXPECT,
	COMMAND_EXPECT_RECORD,
};
struct command {
	enum command_kind kind;
	int code; /* enum config_item, enum barrier or enum spemu_memory_report */
	struct place at;
	union {
		const char *text; /* SCENARIO: name; FEATURES */
		struct {
			enum spemu_choice choice; /* SPEMU_CHOICE_COUNT for all choices */
			unsigned option;          /* or SPEMU_CHOICE_RANDOM */
		} choose;
		struct spemu_layout layout;
		uint64_t config; /* the value */
		struct {
			struct assignment *items;
			size_t count;
		} set;
		struct spemu_pe_state at_state;
		struct {
			const char *name;
			uint32_t encoding;
			uint64_t value;
			struct access_wanted wanted;
		} access;
		struct {
			struct operation operation;
			uint64_t count;
			size_t counter; /* index of the command's counter of executed operations */
		} op;
		struct {
			uint64_t count;
			struct block body;
			uint64_t operations; /* in the body; 0 if it has other commands */
		} repeat;
		struct {
			bool given;
			uint64_t slot;
		} finish;
		struct mapping map;
		struct planned_fault fault;
		struct spemu_injection inject;
		enum translate translate;
		struct {
			uint64_t address, *values;
			size_t count;
		} word;
		struct table_plan table;
		struct page_plan page;
		struct spemu_mmu_scope tlbi;
		struct {
			uint64_t value;
			bool relative;
		} clock;
		struct {
			uint16_t number;
			uint64_t count;
		} event;
		struct {
			bool completes, stated;
			uint8_t outcome; /* enum spemu_capture_outcome */
		} capture;
		uint64_t address; /* PC, BRANCH */
		bool power;
		uint64_t strict; /* the seed */
		struct spemu_vm_rules vm_rules;
		struct {
			uint64_t address, size;
		} range;
		struct {
			bool write, wants_value, wants_error;
			uint8_t size, security;
			uint32_t offset;
			uint64_t value, wanted;
		} external;
		struct {
			enum record_base base;
			uint64_t value;
			struct expectations list; /* expectations about the machine or the record */
		} expect;
	};
};

struct scenario_script {
	struct arena arena;
	const char *name, *text;
	size_t size;
	struct block block;
	size_t counters; /* number of commands that count operations */
};

/* syntax_word.c: functions for all parts of the parser. */
/* Take the next word if it is text. Return false otherwise. */
bool take_text(struct parser *parser, struct slice *word);
/* Parse items, which begin with text, up to the end of the script or of the open braces. */
void parse_items(struct parser *parser, struct place open, bool in_braces,
                 void (*item)(struct parser *parser, void *into), void *into);
/* Take the next word if it is this text. Return false otherwise. */
bool take_word(struct parser *parser, const char *text);
/* Take the next word if it is "->". Return false at the end of the command. Refuse any other
 * text. */
bool take_arrow(struct parser *parser);
/* Return true if the next word is this text. */
bool next_is(const struct parser *parser, const char *text);
/* Return true if the next word is text that begins with "+". */
bool next_is_size(const struct parser *parser);
/* Take the next word, which must be text. `missing` describes the word in the error message. */
struct slice need_text(struct parser *parser, const char *missing);
/* Take the next word, which must be a number. `what` describes the number in the error message
 * about any other word. */
uint64_t need_number(struct parser *parser, const char *missing, const char *what);
/* Return the index of the word in names, which end with NULL. Refuse other words. */
unsigned need_name(struct parser *parser, struct slice word, const char *what,
                   const char *const *names);
/* Parse REG or REG.FIELD. */
struct target parse_target(struct parser *parser, struct slice word);
/* Return the field of reg with this name. */
struct target parse_field(struct parser *parser, struct slice word, enum spemu_reg reg);
/* Parse a value for a register: a number, or fields like "E1SPE|PCT=1". */
uint64_t parse_register_value(struct parser *parser, struct slice word, enum spemu_reg reg);
/* Parse a number that fits the bits of target. */
uint64_t parse_field_value(struct parser *parser, struct slice word, const struct target *target);

_Noreturn void refuse_register(struct parser *parser, struct slice name);

/* syntax_access.c: parse the words after "msr" and "mrs". */
void parse_msr(struct parser *parser, struct command *command);
void parse_mrs(struct parser *parser, struct command *command);

/* syntax_op.c: parse the words after "op". *count is 1 without "xN". */
void parse_operation(struct parser *parser, struct operation *operation, uint64_t *count);
/* Parse names of events, separated by commas, or a number. */
uint64_t parse_events(struct parser *parser, struct slice list);

/* syntax_expect.c: parse the words after "expect" and after "->". */
void parse_expect(struct parser *parser, struct command *command);
void parse_mrs_values(struct parser *parser, struct access_wanted *wanted, enum spemu_reg reg,
                      struct slice first);

/* syntax_configuration.c: parse commands of the configuration. */
void parse_scenario(struct parser *parser, struct command *command);
void parse_features(struct parser *parser, struct command *command);
void parse_choose(struct parser *parser, struct command *command);
void parse_layout(struct parser *parser, struct command *command);
void parse_config(struct parser *parser, struct command *command);
void parse_translate(struct parser *parser, struct command *command);

/* syntax_pmu.c: parse the words after "event", "capture", "power" and "external". */
void parse_pmu_event(struct parser *parser, struct command *command);
void parse_capture(struct parser *parser, struct command *command);
void parse_power(struct parser *parser, struct command *command);
void parse_external(struct parser *parser, struct command *command);
extern const char *const capture_outcome_names[]; /* by enum spemu_capture_outcome */

/* syntax_strict.c: parse commands of strict mode. */
void parse_strict(struct parser *parser, struct command *command);
void parse_vm_rules(struct parser *parser, struct command *command);
void parse_address(struct parser *parser, struct command *command);
void parse_memory_range(struct parser *parser, struct command *command);
void parse_dsb(struct parser *parser, struct command *command);

/* syntax_memory.c: parse the words after "map". */
void parse_map(struct parser *parser, struct command *command);

/* syntax_table.c: parse the words after "word", "table", "page" and "tlbi". */
void parse_word(struct parser *parser, struct command *command);
void parse_table(struct parser *parser, struct command *command);
void parse_page(struct parser *parser, struct command *command);
void parse_tlbi(struct parser *parser, struct command *command);

/* syntax_fault.c: parse the words after "fault" and "inject". */
void parse_inject(struct parser *parser, struct command *command);
void parse_fault(struct parser *parser, struct command *command);

#endif
