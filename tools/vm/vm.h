/* SPDX-License-Identifier: MIT */
/*
 * spemu vm: QEMU's system emulator with an SPU in each CPU.
 *
 * The plugin's configuration consists of "key value" lines, and its reports are JSON lines. Both go
 * through inherited descriptors, so no file is left behind, however the processes end.
 */
#ifndef TOOLS_VM_H
#define TOOLS_VM_H

#include <signal.h>
#include <spemu/inject.h>
#include "../base/common.h"
#include "../base/options.h"
#include "../diagnostic/images.h"
#include "../diagnostic/strict_report.h"

/* The INTID of PMBIRQ that platforms use by convention. */
#define VM_PPI 21

#define VM_VCPUS_MAX 8
#define VM_SHARES_MAX 8

struct vm_options {
	struct option_value value[VM_OPTION_COUNT];
	/* Values of options that may be repeated. A list that is not empty ends with NULL. */
	const char **choices, **vmlinux;
	const char *shares[VM_SHARES_MAX];
	bool read_only[VM_SHARES_MAX];
	size_t share_count;
	struct spemu_injection injection[SPEMU_INJECTIONS_MAX];
	size_t injection_count;
	bool restored;    /* true if QEMU loads a saved machine */
	char **arguments; /* arguments for QEMU, NULL at the end */
};

/* vm_options.c: parse the options. Die if an option or a combination of options is not valid. */
void vm_parse(struct vm_options *opt, int argc, char **argv);

/* A list of arguments that grows. The strings are not copied. */
struct vm_command {
	char **argv; /* NULL at the end */
	size_t count;
};
/* Add a formatted text. vm_command_pair() adds an option before the text. */
void vm_command_add(struct vm_command *command, const char *format, ...)
        __attribute__((format(printf, 2, 3)));
void vm_command_pair(struct vm_command *command, const char *option, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
void vm_command_free(struct vm_command *command);

/* vm_arguments.c: QEMU and its arguments. */
/* Return the path of a QEMU of a series that the plugin supports. Die if there is none. */
char *vm_find_qemu(const struct vm_options *opt);
/*
 * Build QEMU's command line from its path, required arguments that the user omitted, and the user's
 * arguments without -dtb. Set *dtb to the file of -dtb, or NULL. Die for machines that cannot have
 * an SPU.
 */
void vm_arguments(struct vm_command *command, const char **dtb, const char *qemu,
                  char *const *arguments);

/* vm_device_tree.c */
/*
 * Return a descriptor of the device tree with the SPU's node. The tree is `dtb`, or if that is NULL
 * the tree that QEMU generates for the command. Return -1 if QEMU ended without a tree. QEMU has
 * then printed the reason, and *status is its exit status.
 */
int vm_device_tree(const struct vm_command *command, const char *dtb, const sigset_t *signals,
                   int *status);

/* vm_config.c: return a descriptor of the plugin's configuration. */
int vm_config(const struct vm_options *opt, int events);
/* Return a descriptor of an unnamed file for a child to read, positioned at its beginning. The
 * parent closes it with close(). */
int vm_memory_file(const char *name, const void *data, size_t size);

/* vm_file.c: a file that is written while the machine runs. The machine continues if a write
 * fails. */
struct vm_loss {
	uint64_t lines, bytes; /* number of lines and bytes that are not in the file */
	int error;             /* error number of the failed write, or 0 if the limit was reached */
};
struct vm_file {
	struct out out;   /* first member, so that the filter can find the struct */
	const char *what; /* name in messages: "trace", "reports" */
	struct vm_loss loss;
};
/* Open the file of an option. The struct is zeroed before. Die if the file cannot be opened. */
void vm_file_open(struct vm_file *f, const char *what, const char *option, const char *path);
void vm_file_close(struct vm_file *f);

/* vm_trace.c: the file of --trace. */
struct vm_trace;
struct json_object;
/* Open the trace, or return NULL if the path is NULL. The limit is in bytes; 0 means none. Die if
 * the file cannot be opened. */
struct vm_trace *vm_trace_open(const char *path, uint64_t limit, bool perfetto);
/*
 * Write a line of the plugin, with `place` as its "symbol" unless that is NULL. `end` marks one of
 * the last lines, for which room is reserved.
 */
void vm_trace_line(struct vm_trace *trace, struct json_object *line, const char *text, size_t size,
                   const char *place, bool end);
void vm_trace_flush(struct vm_trace *trace);
/* Complete the file, and free the trace, which may be NULL. */
void vm_trace_close(struct vm_loss *loss, struct vm_trace *trace);

/* vm_events.c: the messages of the plugin. */
struct vm_totals {
	unsigned vcpus;
	bool ready;  /* true after the plugin took its configuration */
	char *error; /* reason why the plugin has not accepted it, or NULL */
	uint64_t samples, recorded, filtered, collisions, lost, discarded, interrupts;
	uint64_t injected, previous_missing;
};
/* The destinations of the plugin's messages. */
struct vm_sinks {
	struct strict_report *report;
	struct vm_file text;    /* reports: standard error, or the file of --report */
	struct vm_trace *trace; /* NULL without --trace */
	struct images *images;  /* programs of --vmlinux, or NULL */
};
/* Create a listener for the plugin's output on `fd`. It closes `fd` at the end. */
struct vm_listener;
struct vm_listener *vm_listener_new(struct vm_totals *totals, int fd, struct vm_sinks *sinks);
/* Return the descriptor to wait for, or -1 after the end. */
int vm_listener_fd(const struct vm_listener *l);
/* Wait for the next part, and process it. Return false at the end. */
bool vm_listener_read(struct vm_listener *l);
void vm_listener_free(struct vm_listener *l);

/*
 * --run: a guest that boots, runs one command with folders of the host, and returns the output and
 * the status. scripts/guest/agent.c is the guest's side, and vm_protocol.h defines the messages.
 */

/* The kernel and its files; the struct owns the strings. */
struct vm_guest {
	char *kernel, *initrd;
	char *symbols;  /* file for --vmlinux if that is not given, or NULL */
	char **modules; /* the kernel's module files, dependencies first; NULL at the end, or
	                   NULL */
	char **shares;  /* "rw PATH" or "ro PATH", shorter paths first; NULL at the end */
	char *directory, *root;
};

/* vm_guest.c: find the files of the guest. Die if one is missing or cannot be shared. */
void vm_guest_find(struct vm_guest *guest, const struct vm_options *opt);
void vm_guest_free(struct vm_guest *guest);

/* Modules that the guest's init loads, with the SPU's driver first; NULL at the end. */
extern const char *const vm_module_names[];

/* vm_modules.c: return the files of the named modules in `folder`, with their dependencies. */
char **vm_modules(const char *folder, const char *const *names);

/* vm_module_file.c */
/* Return the path of a module, which may be compressed and have a suffix, or NULL. Take ownership
 * of `path`. */
char *vm_module_find(char *path);
/* Return the uncompressed module with a zero after it. Die if it cannot be read. */
char *vm_module_content(const char *path, size_t *size);

/* vm_archive.c: return a descriptor of the initial file system with the guest's task. `input`
 * announces standard input for the command. */
int vm_archive(const struct vm_guest *guest, const char *command, bool input);

/* vm_guest_arguments.c: QEMU's arguments for a guest. */
/* Add QEMU's arguments for a suitable machine, then those of the user. */
void vm_guest_machine(struct vm_command *command, const struct vm_options *opt);
/* Add the arguments for the guest's kernel and devices. `console` and `port` are inherited
 * descriptors. */
void vm_guest_devices(struct vm_command *command, const struct vm_guest *guest,
                      const struct vm_options *opt, int initrd, int console, int port);

/* vm_session.c: the communication with a running guest. */
struct vm_session;
/* Create a session, and the descriptors of the console and the port that QEMU inherits. */
struct vm_session *vm_session_new(const struct vm_options *opt, int *console, int *port);
/* Return the descriptor for QEMU's standard output and standard error. */
int vm_session_errors(const struct vm_session *s);
/* Return true if the command has standard input. */
bool vm_session_has_input(const struct vm_session *s);
/* Pass data between the guest and this process until QEMU (`pid`) has closed all descriptors. The
 * listener gets the plugin's reports. */
void vm_session_run(struct vm_session *s, pid_t pid, struct vm_listener *listener);
/* Return the status of the command, and free the session. Die if the command did not end. End by
 * the signal that ended the guest. */
int vm_session_end(struct vm_session *s);

#endif
