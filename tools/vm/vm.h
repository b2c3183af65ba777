/* SPDX-License-Identifier: MIT */
/*
 * spemu vm: QEMU's system emulator with an SPU in every processor.
 *
 * The plugin's configuration is text of "key value" lines, and its reports are JSON lines. Both use
 * inherited descriptors, so nothing is left behind however the processes end.
 */
#ifndef TOOLS_VM_H
#define TOOLS_VM_H

#include <signal.h>
#include <spemu/inject.h>
#include "../base/common.h"
#include "../base/options.h"
#include "../diagnostic/images.h"
#include "../diagnostic/strict_report.h"

/* INTID of PMBIRQ: what platforms use by convention. */
#define VM_PPI 21

#define VM_VCPUS_MAX 8
#define VM_SHARES_MAX 8

struct vm_options {
	struct option_value value[VM_OPTION_COUNT];
	/* options that may be repeated; NULL at the end, or NULL */
	const char **choices, **vmlinux; /* NULL at the end, or NULL */
	const char *shares[VM_SHARES_MAX];
	bool read_only[VM_SHARES_MAX];
	size_t share_count;
	struct spemu_injection injection[SPEMU_INJECTIONS_MAX];
	size_t injection_count;
	bool restored;    /* QEMU loads a machine that was saved */
	char **arguments; /* QEMU's own, NULL at the end */
};

/* vm_options.c: dies where an option or a combination makes no sense. */
void vm_parse(struct vm_options *opt, int argc, char **argv);

/* A growing list of owned texts: arguments, or paths. */
struct vm_command {
	char **argv; /* NULL at the end */
	size_t count;
};
/* Add a formatted text. `pair` adds an option before it. */
void vm_command_add(struct vm_command *command, const char *format, ...)
        __attribute__((format(printf, 2, 3)));
void vm_command_pair(struct vm_command *command, const char *option, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
void vm_command_free(struct vm_command *command);

/* vm_arguments.c */
/* The path of a QEMU of the series that the plugin is for; dies if there is none. */
char *vm_find_qemu(const struct vm_options *opt);
/*
 * Build QEMU's command line: its path, required arguments that the user omitted, and the user's
 * arguments without -dtb. *dtb is the file of -dtb, or NULL. Dies for machines that cannot have an
 * SPU.
 */
void vm_arguments(struct vm_command *command, const char **dtb, const char *qemu,
                  char *const *arguments);

/* vm_device_tree.c */
/*
 * Return a descriptor of the device tree with the SPU's node: made from `dtb`, or if that is NULL
 * from the tree that QEMU generates for the command. Return -1 if QEMU ended without a tree; then
 * *status is its exit status, and it has printed the reason.
 */
int vm_device_tree(const struct vm_command *command, const char *dtb, const sigset_t *signals,
                   int *status);

/* vm_config.c: a descriptor of the plugin's configuration. */
int vm_config(const struct vm_options *opt, int events);
/* An unnamed file for a child to read, at its beginning. Closed in the parent by close(). */
int vm_memory_file(const char *name, const void *data, size_t size);

/* vm_file.c: a file that is written while the machine runs, which goes on if that fails */
struct vm_loss {
	uint64_t lines, bytes; /* that are not in the file */
	int error;             /* why it could not be written, or 0: because of its limit */
};
struct vm_file {
	struct out out;   /* the first member: its filter is given it */
	const char *what; /* "trace" */
	struct vm_loss loss;
};
/* f is zeroes. Dies if the file, which is that of the option, cannot be opened. */
void vm_file_open(struct vm_file *f, const char *what, const char *option, const char *path);
void vm_file_close(struct vm_file *f);

/* vm_trace.c: the file of --trace */
struct vm_trace;
struct json_object;
/* path NULL: NULL. limit in bytes, 0: none. Dies if the file cannot be opened. */
struct vm_trace *vm_trace_open(const char *path, uint64_t limit, bool perfetto);
/*
 * A line as the plugin sent it, with place, if not NULL, as its "symbol". end: one of those at the
 * end of a trace, for which room is kept.
 */
void vm_trace_line(struct vm_trace *trace, struct json_object *line, const char *text, size_t size,
                   const char *place, bool end);
void vm_trace_flush(struct vm_trace *trace);
/* Frees trace, which may be NULL. */
void vm_trace_close(struct vm_loss *loss, struct vm_trace *trace);

/* vm_events.c */
struct vm_totals {
	unsigned vcpus;
	bool ready;  /* the plugin took its configuration */
	char *error; /* why it did not, or NULL */
	uint64_t samples, recorded, filtered, collisions, lost, discarded, interrupts;
	uint64_t injected, previous_missing;
};
/* Destinations of the reports. */
struct vm_sinks {
	struct strict_report *report;
	struct vm_file text;    /* of the reports: standard error, or the file of --report */
	struct vm_trace *trace; /* or NULL */
	struct images *images;  /* of --vmlinux, or NULL */
};
/* Reads what the plugin reports on fd, which it closes at the end. */
struct vm_listener;
struct vm_listener *vm_listener_new(struct vm_totals *totals, int fd, struct vm_sinks *sinks);
/* The descriptor to wait for, or -1 after the end. */
int vm_listener_fd(const struct vm_listener *l);
/* Waits for the next part, and takes it. False: that was the end. */
bool vm_listener_read(struct vm_listener *l);
void vm_listener_free(struct vm_listener *l);

/*
 * --run: a guest that boots, runs one command with folders of the host, and hands back its output
 * and status. The guest's side is scripts/guest/agent.c; what both say is vm_protocol.h.
 */

/* The kernel and its files; the struct owns the strings. */
struct vm_guest {
	char *kernel, *initrd;
	char *symbols;  /* for --vmlinux if that is not given, or NULL */
	char **modules; /* the kernel's files, dependencies first; NULL at the end, or NULL */
	char **shares;  /* "rw PATH", "ro PATH", the shorter paths first; NULL at the end */
	char *directory, *root;
};

/* vm_guest.c: dies where something is missing, or cannot be shared. */
void vm_guest_find(struct vm_guest *guest, const struct vm_options *opt);
void vm_guest_free(struct vm_guest *guest);

/* Modules that the guest's init loads, the SPU's driver first; NULL at the end. */
extern const char *const vm_module_names[];

/* Return the files of the named modules in `folder`, with their dependencies (vm_modules.c). */
char **vm_modules(const char *folder, const char *const *names);

/* vm_module_file.c */
/* Return the path of a module, which may have the suffix of a compressed file, or NULL. Takes
 * ownership of `path`. */
char *vm_module_find(char *path);
/* The module, uncompressed, with a zero after it; dies if it cannot be had. */
char *vm_module_content(const char *path, size_t *size);

/* vm_archive.c: a descriptor of the initial file system with the guest's task; input: it will have
 * one. */
int vm_archive(const struct vm_guest *guest, const char *command, bool input);

/* vm_guest_arguments.c */
/* QEMU's arguments for a machine that fits, and after them those of the user; NULL at the end. */
void vm_guest_machine(struct vm_command *command, const struct vm_options *opt);
/* Those for the guest's kernel and devices. console and port are inherited descriptors. */
void vm_guest_devices(struct vm_command *command, const struct vm_guest *guest,
                      const struct vm_options *opt, int initrd, int console, int port);

/* vm_session.c: what a guest that runs gives and takes. */
struct vm_session;
/* The session, with the descriptors that QEMU inherits: the console and the port. */
struct vm_session *vm_session_new(const struct vm_options *opt, int *console, int *port);
/* The descriptor for QEMU's standard output and error. */
int vm_session_errors(const struct vm_session *s);
/* Return true if the command has standard input. */
bool vm_session_has_input(const struct vm_session *s);
/* Passes everything on until QEMU, which is pid, has closed all; the plugin's reports go to
 * listener. */
void vm_session_run(struct vm_session *s, pid_t pid, struct vm_listener *listener);
/* The command's status. Dies if it has none; ends by the signal that ended the guest. Frees s. */
int vm_session_end(struct vm_session *s);

#endif
