/* SPDX-License-Identifier: MIT */
/* A program that a sub-command starts and waits for: signals go to it, and its end is ours. */
#ifndef TOOLS_CHILD_H
#define TOOLS_CHILD_H

#include <signal.h>
#include <sys/types.h>

/*
 * From here on signals that end programs are passed on to the child while there is one. *before is
 * the mask for child_start(); signals that are in the way stay blocked until then.
 */
void child_signals(sigset_t *before);

/* Signals that end programs end this one again; those that were ignored stay so. */
void child_signals_end(void);

/*
 * One of those signals is for this process: it calls action, in a signal handler, and is not passed
 * on. Before child_signals().
 */
void child_keep_signal(int sig, void (*action)(void));

/* Makes a file size limit show as an error of write() in this process; for the child it stays. */
void child_keep_file_limit(void);

/* The child is ended by SIGTERM when this process ends, however it does: one that is killed cannot
 * do so. */
void child_end_with_parent(void);

/*
 * Starts argv[0], a path. redirect[0..2], unless NULL, are its standard descriptors; -1 is ours.
 * Dies with EXIT_CANNOT_RUN if it cannot be run.
 */
pid_t child_start(char **argv, const sigset_t *signals, const int *redirect);

/* Waits for its end; the status as waitpid() gives it. */
int child_wait(pid_t pid);

/* Ends it by SIGTERM, if there is one; from any thread. */
void child_stop(void);

/* The last signal that child_signals() caught, whoever it was for; 0: none. */
int child_signal(void);

/* Ends as the program ended, so that a shell or make sees no difference, or gives its status. */
int child_end_like(int status);
/* Ends by this signal, or gives the status that a shell would show. */
int child_end_by(int sig);

#endif
