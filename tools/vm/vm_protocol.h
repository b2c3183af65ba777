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

/* The version of the protocol. Increase it when this file changes. scripts/fetch guest writes the
 * version next to the guest. */
#define VM_PROTOCOL "1"
#define VM_PORT "spemu"  /* name of the port */
#define VM_SHARE "spemu" /* prefix of mount tags: VM_SHARE "0", ... */
#define VM_ROOT_TAG "spemu-root"

#define VM_TASK "spemu"                        /* folder in the initial file system */
#define VM_TASK_COMMAND VM_TASK "/command"     /* file: the command for sh -c */
#define VM_TASK_DIRECTORY VM_TASK "/directory" /* file: the path of the working directory */
/* file: a line "ro PATH" or "rw PATH" for each shared folder */
#define VM_TASK_SHARES VM_TASK "/shares"
#define VM_TASK_INPUT VM_TASK "/input" /* file that exists if VM_INPUT frames will follow */
/* file that exists if VM_ROOT_TAG is the root file system */
#define VM_TASK_ROOT VM_TASK "/root"

#define VM_CONSOLE_MARK "spemu: " /* prefix of a message on the console if there is no port */

enum vm_frame {
	/* Frames from the guest: */
	VM_STARTED = 's', /* the command has started */
	VM_OUTPUT = 'o',
	VM_ERRORS = 'e',
	VM_WARNING = 'w', /* text: a problem that does not prevent the command */
	VM_FAILURE = 'f', /* text: the command cannot run */
	VM_EXIT = 'x',    /* a byte as in the shell's $?; it follows all output */
	/* Frames to the guest: */
	VM_INPUT = 'i', /* input; a frame of length 0 is its end */
	VM_DONE = 'd',  /* after VM_EXIT or VM_FAILURE: no more frames are read */
};

#define VM_FRAME_HEADER 5
#define VM_FRAME_MAX 65536 /* largest length of a frame in bytes, after the header */

#endif
