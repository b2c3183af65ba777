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
 * Arm ARM: DDI 0487 M.a. All state is in the caller's objects, so threads may use different
 * objects at the same time. Returned texts are constant.
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

/* Return the size of such an object in bytes. Its memory must be aligned as max_align_t. */
size_t spemu_machine_size(void);

/*
 * Make an object in memory[0..size). Its PE has the features of v9.6, registers that are 0, EL0,
 * AArch64 and Non-debug state. Return SPEMU_OK; SPEMU_ERR_NOSPACE if size is below
 * spemu_machine_size(); or SPEMU_ERR_INVALID for a NULL pointer.
 */
int spemu_machine_init(struct spemu_machine **m, void *memory, size_t size);

/* Copy the machine from to m. */
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
 * applies. Return SPEMU_OK, or SPEMU_ERR_INVALID if the choice or option does not exist.
 * SPEMU_CHOICE_RANDOM is not an option here, because the state of a machine describes one point in
 * time. spemu_machine_chosen() returns the option that was set, or SPEMU_ERR_INVALID if none was
 * set.
 */
int spemu_machine_choose(struct spemu_machine *m, enum spemu_choice choice, unsigned option);
int spemu_machine_chosen(const struct spemu_machine *m, enum spemu_choice choice);

/* The reasons why spemu_machine_set() refuses a text. */
enum spemu_refusal {
	SPEMU_REFUSED_FORM = 1, /* the text does not have the form NAME=VALUE */
	SPEMU_REFUSED_NAME,     /* NAME is neither a register nor a name of spemu_machine_name() */
	SPEMU_REFUSED_FIELD,    /* the register has no such field */
	SPEMU_REFUSED_VALUE,    /* the value is neither a number nor the name of a value of the
	                           field */
	SPEMU_REFUSED_WIDTH,    /* the value is wider than the field */
	SPEMU_REFUSED_FEATURE,  /* features= contains an unknown word */
	SPEMU_REFUSED_MACHINE,  /* refused by spemu_features_check(); rule has the reason */
};
struct spemu_refusal_detail {
	uint8_t kind;          /* enum spemu_refusal */
	uint8_t width;         /* SPEMU_REFUSED_WIDTH: bits of the field */
	unsigned reg_index;    /* SPEMU_REFUSED_FIELD, _VALUE, _WIDTH: index of the register for
	                          spemu_reg_describe(); else ~0u */
	size_t offset, length; /* offset and length of the wrong part of the text, in bytes */
	const char *rule;      /* SPEMU_REFUSED_MACHINE: the broken rule, constant text; else
	                          NULL */
};

/*
 * Apply one assignment NAME=VALUE of length bytes, without blanks, to a machine. NAME is a
 * register, REGISTER.FIELD, or one of:
 *   features   v8.2 .. v9.6 with ,+NAME ,-NAME (spemu_features_parse()); keeps the registers
 *   PSTATE.EL  0..3; PSTATE.nRW, PSTATE.PM, PSTATE.SM, EDSCR.SDD  0 or 1
 *   PE.state   debug or non-debug
 *   EL1.nRW, EL2.nRW  1: that Exception level uses AArch32, wherever the PE is
 * VALUE is a number (0x.., 0b.. or decimal), or the name of a value of the field
 * (PMSCR_EL2.EE=ENABLED). Names may be in upper or lower case. Return SPEMU_OK. If the text is
 * refused, return SPEMU_ERR_INVALID, fill *detail and leave m unchanged.
 */
int spemu_machine_set(struct spemu_machine *m, struct spemu_refusal_detail *detail,
                      const char *text, size_t length);

/* Copy the features of the machine from to m. Registers and PE state of m do not change. */
void spemu_machine_copy_features(struct spemu_machine *m, const struct spemu_machine *from);

/* Return the n-th name that spemu_machine_set() accepts besides registers ("features",
 * "PSTATE.EL", ...), or NULL past the last. */
const char *spemu_machine_name(unsigned n);

/* The current value of a field, of a whole register, or of a name of spemu_machine_name(). */
struct spemu_field_value {
	const char *name;  /* name inside the caller's text, without a NUL at the end */
	size_t length;     /* length of name in bytes */
	uint64_t value;    /* current value */
	unsigned width;    /* width in bits */
	bool exists;       /* false if the field is RES0 with these features */
	const char *label; /* name of the value, or NULL if it has none */
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
	SPEMU_WRITTEN_YES,           /* records are written */
	SPEMU_WRITTEN_UNPREDICTABLE, /* CONSTRAINED UNPREDICTABLE state, or interval with an
	                                UNKNOWN value */
	SPEMU_WRITTEN_NEVER,         /* Discard mode, or no operation passes the filters */
};
struct spemu_decisions {
	uint8_t security; /* enum spemu_security of the PE; below EL3 the state that
	                     {SCR_EL3.NSE, NS} selects */
	bool stopped;     /* profiling is stopped (RTWFRY) */
	bool buffer_enabled;
	struct spemu_owner owner;
	const char *regime; /* owning translation regime (Table D17-4): "Secure EL1&0", "Realm
	                       EL2&0", ... */
	bool enabled[4];
	bool available[4];
	uint8_t capture;          /* enum spemu_capture */
	const char *capture_name; /* "Disabled", "Prohibited" or "Allowed" (Table D13-10) */
	uint8_t written;          /* enum spemu_written, as if profiling were enabled */
};
void spemu_explain_decide(const struct spemu_pe *pe, struct spemu_decisions *d);

/* Return the name of a Security state: "Secure", "Non-secure", "Root" or "Realm"; NULL for another
 * number. */
const char *spemu_security_name(unsigned security);

/*
 * Decide how an MSR (write) or MRS at the Exception level el ends, as spemu_spu_msr() and
 * spemu_spu_mrs() do. *reg is the accessed register, or SPEMU_REG_COUNT after an error. Return
 * SPEMU_OK; SPEMU_ERR_INVALID if el is above 3; or SPEMU_ERR_NOT_SUPPORTED if the model does not
 * have the encoding.
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
	bool pmbirq; /* level of PMBIRQ */
	struct spemu_profiling_exception exception[4];
	uint8_t taken_to;
};
void spemu_explain_signals(const struct spemu_pe *pe, struct spemu_signals *out);

/* The decision that a trace explains. Each comment says how the clauses combine. */
enum spemu_topic {
	SPEMU_TOPIC_STOPPED,        /* any clause holds: profiling is stopped */
	SPEMU_TOPIC_BUFFER,         /* all clauses hold: the buffer is enabled */
	SPEMU_TOPIC_ENABLED,        /* all clauses hold: profiling is enabled at el */
	SPEMU_TOPIC_OWNER_SECURITY, /* the first clause that holds gives the owning Security
	                               state */
	SPEMU_TOPIC_OWNER_EL,       /* the first clause that holds gives the owning Exception
	                               level */
	SPEMU_TOPIC_ACCESS,         /* the first clause that holds gives the outcome of a
	                               register access at el */
	SPEMU_TOPIC_EVENT,          /* the first clause that holds gives the x of the PMBSR_ELx
	                               that takes the event {ec, fsc} */
	SPEMU_TOPIC_CAPTURE,        /* the first clause that holds decides about PMU snapshots
	                               (D13.9) */
	SPEMU_TOPIC_WRITTEN,        /* all clauses hold: records are written while profiling is
	                               enabled */
	SPEMU_TOPIC_OCCURS,         /* the first clause that holds says whether the management
	                               event can occur */
	SPEMU_TOPIC_INTERRUPT,      /* all clauses hold: PMBIRQ is asserted */
	SPEMU_TOPIC_PENDING, /* all clauses hold: the exception of PMBSR_ELx is pending, with el
	                        as x */
	SPEMU_TOPIC_MASKED,  /* any clause holds: the exception of PMBSR_ELx is masked, with el
	                        as x */
};
struct spemu_question {
	uint8_t topic;     /* enum spemu_topic */
	uint8_t el;        /* ENABLED, ACCESS: an Exception level 0 to 3; PENDING, MASKED: 1 to 3 */
	uint8_t ec, fsc;   /* EVENT, OCCURS: PMBSR_ELx.EC, and FSC or BSC */
	bool collision;    /* OCCURS: the event is a collision, and ec and fsc are 0 */
	bool write;        /* ACCESS: MSR instead of MRS */
	uint32_t encoding; /* ACCESS: SPEMU_SYSREG_x */
};

#define SPEMU_TRACE_FIELDS 12
/* A clause of a decision, evaluated in the current state. */
struct spemu_trace_step {
	const char *rule;     /* rule ID, table or section */
	const char *text;     /* condition of the clause, as a phrase */
	bool holds;           /* the condition is true */
	bool decides;         /* this clause settles the answer */
	unsigned value;       /* the decision, if this clause decides: enum spemu_security, enum
	                         spemu_access_outcome, enum spemu_capture, an Exception level, or 0
	                         and 1 */
	unsigned field_count; /* number of valid elements of field[] */
	struct spemu_field_value field[SPEMU_TRACE_FIELDS]; /* fields that the clause reads, with
	                                                       their raw values */
};

/*
 * Get the next clause of a decision. Set *position to 0 before the first call. The trace leaves out
 * clauses that do not apply to the question, such as PMSCR_EL2.E2SPE in a question about EL0. If
 * the first clause that holds decides, the trace ends with that clause. Return SPEMU_OK;
 * SPEMU_ERR_END after the last clause; SPEMU_ERR_INVALID if a member of the question is out of
 * range; or SPEMU_ERR_NOT_SUPPORTED if the model does not have the encoding.
 */
int spemu_explain_trace(const struct spemu_pe *pe, struct spemu_trace_step *step,
                        unsigned *position, const struct spemu_question *question);

/* A control whose Effective value can differ from its bits. */
struct spemu_effective {
	const char *name;        /* name of the field: "SCR_EL3.NS" */
	uint64_t raw, effective; /* value of the bits, and Effective value */
	unsigned width;          /* width of the field in bits */
	const char *why;         /* the reason if raw and effective differ; else NULL */
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
	const char *field; /* field to write: "MDCR_EL3.NSPB" */
	size_t length;     /* length of field in bytes */
	unsigned width;    /* width of the field in bits */
	uint64_t value;    /* value to write to the field */
	uint8_t el;        /* lowest Exception level that may write it after the writes before it;
	                      0: none */
	const char *name;  /* register name for the write at that Exception level */
};
struct spemu_remedy {
	unsigned count;                                    /* number of writes; 0 if profiling is
	                                                      already enabled, or if no writes
	                                                      enable it */
	struct spemu_remedy_write write[SPEMU_REMEDY_MAX]; /* elements from count on are 0 */
	const char *never_rule, *never_text; /* rule and text of the clause that no writes can
	                                        satisfy; NULL if writes help */
};
void spemu_explain_remedy(const struct spemu_pe *pe, struct spemu_remedy *out, unsigned el);

/* A buffer management event by name. */
struct spemu_management_event_description {
	const char *name; /* name of the event: "stage 2 translation fault" */
	uint8_t ec, fsc;  /* PMBSR_ELx.EC, and FSC, or BSC if EC is 0 */
	bool collision;   /* the event sets PMBSR_ELx.COLL, but neither S nor EC */
};
/* Describe the event at an index, which counts from 0. Return SPEMU_OK, or SPEMU_ERR_END past
 * the last. */
int spemu_management_event_describe(struct spemu_management_event_description *out, unsigned index);

/* Return the meaning of PMBSR_ELx.EC, or of FSC or BSC, as constant text; "reserved" for values
 * without a meaning. */
const char *spemu_management_event_class_text(unsigned ec);
const char *spemu_management_event_status_text(unsigned ec, unsigned status);

/*
 * Explain in words why profiling is stopped. The text lists each PMBSR_ELx whose event stops
 * profiling (RTWFRY), and describes the event. For a fault it gives the address from PMBPTR_EL1,
 * unless the fault is an asynchronous External abort (D17.8.3, D17.8.4). Example:
 * "PMBSR_EL1=0x90020007: stage 1 Data Abort, Translation fault, level 3, at 0x10040". Write at most
 * size bytes and return the length of the whole text, like snprintf(). If profiling is not stopped,
 * return 0 and write "". Return SPEMU_ERR_INVALID if pe is NULL, or if text is NULL and size is not
 * 0.
 */
#define SPEMU_STOPPED_TEXT_MAX 640 /* size that holds every text, with its NUL */
int spemu_explain_stopped(char *text, size_t size, const struct spemu_pe *pe);

/*
 * Get the n-th clause of the access rules of a register name at an Exception level 0..3. index is
 * that of spemu_reg_describe(). The clauses are in the order of evaluation. Return SPEMU_OK, or
 * SPEMU_ERR_END after the last clause.
 */
struct spemu_access_rule {
	const char *word;      /* clause as in arch/sysreg.txt: "fgt:PMSCR_EL1" */
	const char *text;      /* condition under which the clause applies */
	const char *fields;    /* fields that the clause reads, separated by blanks */
	uint8_t outcome;       /* enum spemu_access_outcome if the clause holds */
	uint16_t nvmem_offset; /* SPEMU_ACCESS_NVMEM: offset from VNCR_EL2.BADDR */
	int alias_of; /* enum spemu_reg of the register that is accessed instead; -1: none, or an
	                 error */
};
int spemu_access_rule(struct spemu_access_rule *out, unsigned index, unsigned el, unsigned n);

SPEMU_END_DECLS
#endif
