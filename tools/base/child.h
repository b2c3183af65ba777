/* SPDX-License-Identifier: MIT */
/* A program that a sub-command starts and waits for. It gets spemu's signals, and spemu ends as it
 * did. */
#ifndef TOOLS_CHILD_H
#define TOOLS_CHILD_H

#include <signal.h>
#include <sys/types.h>

/*
 * From now on, pass signals that end programs to the child while it runs. Store the mask for
 * child_start() in *before. Signals stay blocked until child_start().
 */
void child_signals(sigset_t *before);

/* From now on, signals that end programs end this process again. Ignored signals stay ignored. */
void child_signals_end(void);

/*
 * Reserve a signal for this process: call `action` in a signal handler instead of passing the
 * signal on. Call this before child_signals().
 */
void child_keep_signal(int sig, void (*action)(void));

/* Make write() in this process fail at a file size limit, instead of ending the process. The child
 * is not affected. */
void child_keep_file_limit(void);

/* Make the kernel send SIGTERM to the child when this process ends, even if SIGKILL ends it. */
void child_end_with_parent(void);

/*
 * Start argv[0], which is a path. redirect[0..2], unless redirect is NULL, are the standard
 * descriptors of the child; -1 means the one of this process. Die with EXIT_CANNOT_RUN if the
 * program cannot be started.
 */
pid_t child_start(char **argv, const sigset_t *signals, const int *redirect);

/* Wait for the end of the child. Return its status in the form of waitpid(). */
int child_wait(pid_t pid);

/* Send SIGTERM to the child if it runs. Any thread may call this. */
void child_stop(void);

/* Return the last signal that child_signals() caught, for whichever process it was, or 0. */
int child_signal(void);

/* End in the same way as the program, by its signal, or return its exit status. A shell or make
 * then sees no difference. */
int child_end_like(int status);
/* End by the signal. If that fails, return the status that a shell would show. */
int child_end_by(int sig);

#endif
