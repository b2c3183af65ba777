/* SPDX-License-Identifier: MIT */
/*
 * Explain why profiling is or is not enabled: the decisions of D17.4 and D17.7.5 for a PE, and the
 * trace of each decision. The PE (<spemu/pe.h>) belongs to a host, or is described as text:
 *
 *   if (spemu_machine_init(&m, memory, spemu_machine_size()) ||
 *       spemu_machine_set(m, &detail, "SCR_EL3.NS=1", 12))
 *           return -1;
 *   spemu_explain_decide(spemu_machine_pe(m), &decisions);
 *   while (!(status = spemu_explain_trace(spemu_machine_pe(m), &step, &position, &question)))
 *           puts(step.text);
 *   if (status != SPEMU_ERR_END)
 *           return -1;
 *
 * Decisions and traces evaluate the same clause tables as the SPU itself, so they cannot contradict
 * it.
 *
 * Arm ARM: DDI 0487 M.a. All state is in the caller's objects, so each thread may use objects of
 * its own. Returned texts are constant.
 */
#ifndef SPEMU_EXPLAIN_H
#define SPEMU_EXPLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <spemu/api.h>
#include <spemu/choices.h>
#include <spemu/pe.h>
#include <spemu/pmu.h>
#include <spemu/spu.h>
#include <spemu/sysreg.h>

SPEMU_BEGIN_DECLS

/* A PE that is described as text. It lives in memory that the caller gives. */
struct spemu_machine;

/* Return the bytes that an object needs. The memory is aligned as max_align_t. */
size_t spemu_machine_size(void);

/*
 * Make an object in memory[0..size), with features v9.6, every register 0, EL0, AArch64, and
 * Non-debug state. Return SPEMU_OK; SPEMU_ERR_NOSPACE if size is too small; SPEMU_ERR_INVALID for
 * NULL.
 */
int spemu_machine_init(struct spemu_machine **m, void *memory, size_t size);

/* Make m a copy of from. */
void spemu_machine_copy(struct spemu_machine *m, const struct spemu_machine *from);

/*
 * Return the described PE. The pointer is valid as long as m, and the PE follows changes of m.
 * Registers show only the bits that exist with the features. Other bits are kept and come back with
 * other features.
 */
const struct spemu_pe *spemu_machine_pe(const struct spemu_machine *m);

/*
 * Set or get the state, or set a whole register, as in a dump of a machine. state.el_aarch32 need
 * not repeat what state.aarch32 implies. Setting a register returns SPEMU_OK, or SPEMU_ERR_INVALID
 * for an unknown register.
 */
void spemu_machine_set_state(struct spemu_machine *m, const struct spemu_pe_state *state);
void spemu_machine_get_state(const struct spemu_machine *m, struct spemu_pe_state *state);
int spemu_machine_set_reg(struct spemu_machine *m, enum spemu_reg reg, uint64_t value);

/*
 * Set the option of a choice (<spemu/choices.h>). If the features lack the option, the default
 * applies. Return SPEMU_OK, or SPEMU_ERR_INVALID if the choice or option does not exist. "random"
 * is not an option here, because a state is one point in time. spemu_machine_chosen() returns the
 * option that was set, or SPEMU_ERR_INVALID if none was.
 */
int spemu_machine_choose(struct spemu_machine *m, enum spemu_choice choice, unsigned option);
int spemu_machine_chosen(const struct spemu_machine *m, enum spemu_choice choice);

/* The reason why a text was refused. */
enum spemu_refusal {
	SPEMU_REFUSED_FORM = 1, /* not NAME=VALUE */
	SPEMU_REFUSED_NAME,     /* no such register or other name */
	SPEMU_REFUSED_FIELD,    /* the register has no such field */
	SPEMU_REFUSED_VALUE,    /* neither a number nor the name of a value of the field */
	SPEMU_REFUSED_WIDTH,    /* wider than the field */
	SPEMU_REFUSED_FEATURE,  /* an unknown word in features= */
	SPEMU_REFUSED_MACHINE,  /* refused by spemu_features_check(); rule has the reason */
};
struct spemu_refusal_detail {
	uint8_t kind;          /* enum spemu_refusal */
	uint8_t width;         /* WIDTH: width of the field in bits */
	unsigned reg_index;    /* FIELD, VALUE, WIDTH: index of the register for
	                       spemu_reg_describe(); else ~0 */
	size_t offset, length; /* position and length of the wrong part of the text */
	const char *rule;      /* MACHINE: the broken rule, constant text */
};

/*
 * Apply one NAME=VALUE (length bytes, no blanks). NAME is REG, REG.FIELD, or one of
 *   features   v8.2 .. v9.6 with ,+NAME ,-NAME (spemu_features_parse()); keeps the registers
 *   PSTATE.EL  0..3; PSTATE.nRW, PSTATE.PM, PSTATE.SM, EDSCR.SDD  0 or 1
 *   PE.state   debug or non-debug
 *   EL1.nRW, EL2.nRW  1: that Exception level uses AArch32, wherever the PE is
 * VALUE is 0x.., 0b.., decimal, or the name of a value of the field (PMSCR_EL2.EE=ENABLED). Upper
 * and lower case are equal. Return SPEMU_OK; or SPEMU_ERR_INVALID with *detail filled and m
 * unchanged.
 */
int spemu_machine_set(struct spemu_machine *m, struct spemu_refusal_detail *detail,
                      const char *text, size_t length);

/* Copy the features of another machine. Registers and PE state stay. */
void spemu_machine_copy_features(struct spemu_machine *m, const struct spemu_machine *from);

/* Return the n-th name that spemu_machine_set() accepts besides registers ("features",
 * "PSTATE.EL", ...), or NULL past the last. */
const char *spemu_machine_name(unsigned n);

/* The value of a field, of a whole register, or of one of the names above. */
struct spemu_field_value {
	const char *name; /* name inside the caller's text, without a NUL at the end */
	size_t length;
	uint64_t value;
	unsigned width;    /* bits */
	bool exists;       /* false: RES0 with these features */
	const char *label; /* the name of the value, or NULL */
};
/* Get the value of a field, register or other name (length bytes). Return SPEMU_OK, or
 * SPEMU_ERR_INVALID for an unknown name. */
int spemu_explain_value(const struct spemu_pe *pe, struct spemu_field_value *out, const char *name,
                        size_t length);

/*
 * The decisions for a state.
 *
 * - buffer_enabled is ProfilingBufferEnabled() of the manual: FEAT_SPE is implemented,
 *   PMBLIMITR_EL1.E is 1, profiling is not stopped, {SCR_EL3.NSE, SCR_EL3.NS} is the owning
 *   Security state, the PE is in Non-debug state, and the owning Exception level uses AArch64.
 * - owner and regime depend only on MDCR_EL3, MDCR_EL2, SCR_EL3.EEL2 and HCR_EL2.E2H. They are also
 *   valid if the buffer is not enabled.
 * - enabled[n] is StatisticalProfilingEnabled(ELn). It is false if available[n] is false.
 * - available[n] is false for combinations that Table D17-1 marks n/a (EL1 with HCR_EL2.TGE; EL2
 *   that is not implemented, or not enabled in the current Security state), and for Exception
 *   levels that are not implemented.
 * - capture is the decision about PMU snapshots (Table D13-10).
 * - written depends on the mode and pointers of the buffer, the interval and the filters. Sizes
 *   come from PMSIDR_EL1.MaxSize and PMBIDR_EL1.Align if these are set. Otherwise records have 64
 *   bytes and no alignment.
 */
/* The fate of the records of an enabled SPU. */
enum spemu_written {
	SPEMU_WRITTEN_YES,
	SPEMU_WRITTEN_UNPREDICTABLE, /* CONSTRAINED UNPREDICTABLE state, or interval with an
	                                UNKNOWN value */
	SPEMU_WRITTEN_NEVER,         /* Discard mode, or a filter that no operation passes */
};
struct spemu_decisions {
	uint8_t security; /* enum spemu_security of the PE; below EL3 the state of {SCR_EL3.NSE,
	                     NS} */
	bool stopped;
	bool buffer_enabled;
	struct spemu_owner owner;
	const char *regime; /* "Secure EL1&0", "Non-secure EL2", "Realm EL2&0", ...: Table D17-4 */
	bool enabled[4];
	bool available[4];
	uint8_t capture;          /* enum spemu_capture */
	const char *capture_name; /* "Disabled", "Prohibited" or "Allowed": Table D13-10 */
	uint8_t written;          /* enum spemu_written, as if profiling were enabled */
};
void spemu_explain_decide(const struct spemu_pe *pe, struct spemu_decisions *d);

/* Return "Secure", "Non-secure", "Root" or "Realm". */
const char *spemu_security_name(unsigned security);

/*
 * Decide the outcome of an MSR or MRS at the Exception level el, as spemu_spu_msr() and
 * spemu_spu_mrs() do. *reg is the accessed register, or SPEMU_REG_COUNT after an error. Return
 * SPEMU_OK, or SPEMU_ERR_NOT_SUPPORTED for an encoding outside arch/sysreg.txt.
 */
int spemu_explain_access(const struct spemu_pe *pe, struct spemu_access_result *result,
                         enum spemu_reg *reg, uint32_t encoding, bool write, unsigned el);

/*
 * Return the values of PMBIDR_EL1.{AddrMode, P} in a read at el (0..3), in their places. The other
 * bits are 0. P is 1 if the buffer belongs to a higher Exception level or to another Security state
 * (D24.7.1).
 */
uint64_t spemu_explain_pmbidr(const struct spemu_pe *pe, unsigned el);

/*
 * The signals of the management events in PMBSR_ELx, as spemu_spu_pmbirq() and
 * spemu_spu_profiling_exception_target() report them for an SPU in this state (RTSJRP, RYZJQX).
 * exception[1] to [3] belong to PMBSR_EL1 to PMBSR_EL3. taken_to is the Exception level to which an
 * exception is taken now, or 0.
 */
struct spemu_signals {
	bool pmbirq;
	struct spemu_profiling_exception exception[4];
	uint8_t taken_to;
};
void spemu_explain_signals(const struct spemu_pe *pe, struct spemu_signals *out);

/* The subject of a trace. The comments tell how the clauses combine to a decision, and the
 * members of struct spemu_question that the topic uses. */
enum spemu_topic {
	SPEMU_TOPIC_STOPPED,        /* any clause holds: stopped */
	SPEMU_TOPIC_BUFFER,         /* all hold: the buffer is enabled */
	SPEMU_TOPIC_ENABLED,        /* all hold: profiling is enabled at el */
	SPEMU_TOPIC_OWNER_SECURITY, /* the first that holds decides */
	SPEMU_TOPIC_OWNER_EL,       /* the first that holds decides */
	SPEMU_TOPIC_ACCESS,         /* encoding, write, el: the first that holds decides */
	SPEMU_TOPIC_EVENT,          /* ec, fsc: the first that holds decides */
	SPEMU_TOPIC_CAPTURE,        /* PMU snapshots (D13.9), the first that holds decides */
	SPEMU_TOPIC_WRITTEN,        /* all hold: records are written if profiling is enabled */
	SPEMU_TOPIC_OCCURS,         /* ec, fsc, collision: the first that holds decides; 0:
	                               cannot happen */
	SPEMU_TOPIC_INTERRUPT,      /* all hold: PMBIRQ is asserted */
	SPEMU_TOPIC_PENDING, /* all hold: the exception of PMBSR_ELx is pending, where x is el */
	SPEMU_TOPIC_MASKED,  /* any holds: the exception of PMBSR_ELx is masked */
};
struct spemu_question {
	uint8_t topic;   /* enum spemu_topic */
	uint8_t el;      /* ENABLED, ACCESS; PENDING, MASKED: 1 to 3 */
	uint8_t ec, fsc; /* EVENT, OCCURS */
	bool collision;  /* OCCURS: the event is a collision, and ec and fsc are 0 */
	bool write;
	uint32_t encoding;
};

#define SPEMU_TRACE_FIELDS 12
struct spemu_trace_step {
	const char *rule; /* rule ID, table or section */
	const char *text;
	bool holds;
	bool decides;   /* this clause decides */
	unsigned value; /* the decision, if this clause decides: enum spemu_security, an
	                   Exception level, enum spemu_access_outcome, enum spemu_capture, or 0
	                   and 1 */
	unsigned field_count;
	struct spemu_field_value field[SPEMU_TRACE_FIELDS]; /* all fields that the clause reads,
	                                                       raw values */
};

/*
 * Get the next clause of the decision. *position is 0 at first. Clauses without a subject are
 * omitted, for example PMSCR_EL2.E2SPE in a question about EL0. If the first clause that holds
 * decides, the trace ends with it. Return SPEMU_OK; SPEMU_ERR_END after the last clause;
 * SPEMU_ERR_INVALID for an impossible question; SPEMU_ERR_NOT_SUPPORTED for an unknown encoding.
 */
int spemu_explain_trace(const struct spemu_pe *pe, struct spemu_trace_step *step,
                        unsigned *position, const struct spemu_question *question);

/* A control whose Effective value can differ from its bits. */
struct spemu_effective {
	const char *name; /* "SCR_EL3.NS" */
	uint64_t raw, effective;
	unsigned width;
	const char *why; /* the reason if raw and effective differ; else NULL */
};
/* Describe the control at an index, which counts from 0. Return SPEMU_OK, or SPEMU_ERR_END past
 * the last. */
int spemu_explain_effective(const struct spemu_pe *pe, struct spemu_effective *out, unsigned index);

/*
 * Find the smallest set of writes to fields after which profiling is enabled at el in the current
 * Security state. Candidates are the fields in the clauses, except those that define the PE's
 * state: PSTATE, Debug state, SCR_EL3 (Security state, EEL2) and HCR_EL2 (TGE, E2H). Reserved
 * values are never written. Among several smallest sets, the one with the lowest Exception levels
 * wins. The writes are in execution order, registers of EL3 first. The Exception level of each
 * write is valid in the state after the writes before it.
 */
#define SPEMU_REMEDY_MAX 10
struct spemu_remedy_write {
	const char *field; /* "MDCR_EL3.NSPB" */
	size_t length;
	unsigned width;
	uint64_t value;
	uint8_t el;       /* lowest Exception level that may write it after the writes before it;
	                     0: none */
	const char *name; /* register name for the write at that Exception level */
};
struct spemu_remedy {
	unsigned count;                                    /* number of writes; 0: already
	                                                      enabled, or never */
	struct spemu_remedy_write write[SPEMU_REMEDY_MAX]; /* elements from count on are 0 */
	const char *never_rule, *never_text; /* the clause that no writes can change; else NULL */
};
void spemu_explain_remedy(const struct spemu_pe *pe, struct spemu_remedy *out, unsigned el);

/* A buffer management event by name. */
struct spemu_management_event_description {
	const char *name; /* "stage 2 translation fault" */
	uint8_t ec, fsc;  /* PMBSR_ELx.EC, and FSC, or BSC if EC is 0 */
	bool collision;   /* sets PMBSR_ELx.COLL, but neither S nor EC */
};
/* Describe the event at an index, which counts from 0. Return SPEMU_OK, or SPEMU_ERR_END past
 * the last. */
int spemu_management_event_describe(struct spemu_management_event_description *out, unsigned index);

/* Return the meaning of PMBSR_ELx.EC, or of FSC or BSC, as constant text; "reserved" for values
 * without a meaning. */
const char *spemu_management_event_class_text(unsigned ec);
const char *spemu_management_event_status_text(unsigned ec, unsigned status);

/*
 * Describe why profiling is stopped: each PMBSR_ELx whose event stops it (RTWFRY), the event, and
 * the address of a fault, for example "PMBSR_EL1=0x90020007: stage 1 Data Abort, Translation fault,
 * level 3, at 0x10040". The address is in PMBPTR_EL1 unless the External abort was asynchronous
 * (D17.8.3, D17.8.4). Write and return as snprintf() does; 0 and "" if profiling is not stopped.
 */
#define SPEMU_STOPPED_TEXT_MAX 640 /* maximum length of a text, including its NUL */
int spemu_explain_stopped(char *text, size_t size, const struct spemu_pe *pe);

/*
 * Get the n-th clause of the access rules of a register name at an Exception level 0..3. The
 * clauses are in the order of evaluation. Return SPEMU_OK, or SPEMU_ERR_END after the last one.
 */
struct spemu_access_rule {
	const char *word;   /* word of arch/sysreg.txt: "fgt:PMSCR_EL1" */
	const char *text;   /* condition under which the clause applies */
	const char *fields; /* fields that it reads, separated by blanks */
	uint8_t outcome;    /* enum spemu_access_outcome */
	uint16_t nvmem_offset;
	int alias_of; /* enum spemu_reg of the register that is accessed instead; -1: none, or an
	                 error */
};
int spemu_access_rule(struct spemu_access_rule *out, unsigned index, unsigned el, unsigned n);

SPEMU_END_DECLS
#endif
