/* SPDX-License-Identifier: MIT */
/* Odd programs: scenes that must run under `spemu record` as they do under plain qemu-aarch64 (tests/cli/test_odd_programs.py). */
#ifndef ODD_H
#define ODD_H

#include <stdio.h>

/* Every scene: X(name). `odd NAME` runs it; what it prints and how it ends is compared. */
#define ODD_MEMORY(X)                                                                             \
	X(many_maps)                                                                              \
	X(map_fixed) X(map_holes) X(huge_map) X(remap) X(protect_storm) X(break_grows)            \
	        X(self_modifying) X(execute_anonymous) X(unmapped_frame_pointer) X(unmapped_name) \
	                X(bad_pointers) X(shared_file) X(stack_deep) X(own_maps)
#define ODD_PROCESS(X)                                                                          \
	X(fork_tree)                                                                            \
	X(fork_bomb_small) X(vfork_exec) X(exec_chain) X(exec_many_arguments) X(exec_too_large) \
	        X(exec_fails) X(exec_script) X(exec_descriptor) X(exec_memory_file)             \
	                X(exec_from_thread) X(spawn_many) X(daemonize) X(orphan) X(zombie)      \
	                        X(process_group) X(clone_three) X(namespaces) X(chroot_empty)   \
	                                X(deleted_folder) X(deleted_program) X(change_user)     \
	                                        X(exit_codes) X(traced) X(pipes)
#define ODD_SIGNAL(X)                                                                              \
	X(signal_stack)                                                                            \
	X(signal_storm) X(signal_in_call) X(signal_mask_all) X(signal_nested) X(jump_from_handler) \
	        X(timer) X(die_abort) X(die_segv) X(die_segv_handled) X(die_kill) X(die_term)      \
	                X(die_trap) X(die_illegal) X(die_stack_overflow) X(die_of_pipe)            \
	                        X(limit_cpu) X(limit_address_space) X(limit_files)                 \
	                                X(limit_file_size) X(limit_stack) X(limit_processes)       \
	                                        X(seccomp_filter) X(io_ring)
#define ODD_THREAD(X)                                                                      \
	X(threads_many)                                                                    \
	X(threads_short) X(main_thread_exits) X(thread_exits_process) X(thread_local_data) \
	        X(robust_mutex) X(condition) X(thread_names) X(thread_cancelled)           \
	                X(fork_with_threads) X(closed_descriptors) X(closed_output)        \
	                        X(full_descriptors) X(program_path) X(atomics) X(set_jump) \
	                                X(auxiliary_vector) X(long_environment)

#define ODD_ALL(X) ODD_MEMORY(X) ODD_PROCESS(X) ODD_SIGNAL(X) ODD_THREAD(X)
#define X(name) int odd_##name(char **argv);
ODD_ALL(X)
#undef X

/* Execute some instructions, to be sampled. */
void busy(long rounds);
/* Print and flush a line: standard output may be shared with children. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Wait for a child and print how it ended. */
void say_end(int pid);
/* Execute this program again as another scene. Return if that fails. */
void again(const char *scene, const char *argument);
extern const char *odd_path;

#endif
