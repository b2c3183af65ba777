/* SPDX-License-Identifier: MIT */
/*
 * The protocol between `spemu vm --run` and the guest's first program (scripts/guest/agent.c).
 *
 * The guest finds its task as files of its initial file system. All other communication is frames
 * over one virtio-serial port: a byte of enum vm_frame, a four-byte little-endian length, and the
 * payload. The port has one stream per direction, so output and exit status keep their order.
 */
#ifndef TOOLS_VM_PROTOCOL_H
#define TOOLS_VM_PROTOCOL_H

/* The version: changes with this file. scripts/fetch guest writes it beside the guest. */
#define VM_PROTOCOL "1"
#define VM_PORT "spemu"  /* the port's name */
#define VM_SHARE "spemu" /* mount tags: VM_SHARE "0", ... */
#define VM_ROOT_TAG "spemu-root"

#define VM_TASK "spemu"                        /* a folder of the initial file system */
#define VM_TASK_COMMAND VM_TASK "/command"     /* for sh -c */
#define VM_TASK_DIRECTORY VM_TASK "/directory" /* where it runs: a path */
#define VM_TASK_SHARES VM_TASK "/shares"       /* a line each: "ro PATH" or "rw PATH" */
#define VM_TASK_INPUT VM_TASK "/input"         /* there if there will be VM_INPUT */
#define VM_TASK_ROOT VM_TASK "/root"           /* there if VM_ROOT_TAG is the root file system */

#define VM_CONSOLE_MARK "spemu: " /* prefix of a line on the console if there is no port */

enum vm_frame {
	/* from the guest */
	VM_STARTED = 's', /* the command runs */
	VM_OUTPUT = 'o',
	VM_ERRORS = 'e',
	VM_WARNING = 'w', /* a text: the command runs in spite of it */
	VM_FAILURE = 'f', /* a text: it does not */
	VM_EXIT = 'x',    /* a byte, as the shell's $?; everything else came before */
	/* to the guest */
	VM_INPUT = 'i', /* of length 0: its end */
	VM_DONE = 'd',  /* after VM_EXIT or VM_FAILURE: nothing more is read */
};

#define VM_FRAME_HEADER 5
#define VM_FRAME_MAX 65536 /* bytes after the header */

#endif
