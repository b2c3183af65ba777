/* SPDX-License-Identifier: MIT */
/*
 * All 237 names without a prefix that private functions and tables of the library once had. A host
 * may define any of them.
 */
#ifndef OLD_NAMES_H
#define OLD_NAMES_H

/* clang-format off */
#define OLD_NAMES(X) \
	X(a64_loads_stores) X(a64_sme) X(a64_sve) X(address_prepare) X(address_resolve) \
	X(block_faults) X(buffer_discard_mode) X(buffer_limit) X(buffer_write_record) \
	X(check_delivery) X(check_enabled) X(check_event) X(check_return) X(check_set) \
	X(check_write) X(choice_table) X(choose_again) X(choose_count_random) \
	X(codec_columns_put) X(codec_padding_skip) X(codec_record_read) X(codec_resynchronize) \
	X(collect_begin) X(collect_context_byte) X(collect_context_of) X(collect_end) \
	X(collect_physical_address) X(collect_prepare) X(descriptor_kind) X(entry_address) \
	X(fault_is_valid) X(feature_table) X(fetch_descriptor) X(filter_any) \
	X(filter_event_mask) X(filter_sample) X(filter_selects_type) X(first_table) \
	X(granule_protection_check) X(guard_holds) X(identify_id_register) X(identify_masks) \
	X(identify_pmbidr) X(identify_pmsidr) X(identify_programming_not_allowed) X(inject_due) \
	X(injection_is_valid) X(interval_advance) X(interval_init) X(interval_prepare) \
	X(interval_refresh) X(leaf_base) X(level_shift) X(machine_masks) X(machine_to_pe) \
	X(manage_asynchronous_abort) X(manage_buffer_full) X(manage_collision) X(manage_fault) \
	X(manage_impdef) X(manage_late_fault) X(manage_other) X(manage_target_el) X(next_table) \
	X(normal_non_cacheable) X(operation_events) X(operation_existing_events) \
	X(operation_is_captured) X(operation_is_settled) X(operation_is_shown_whole) \
	X(operation_settle) X(output_out_of_range) X(packet_forms) X(pcsample_capture) \
	X(pcsample_control) X(pcsample_read) X(pcsample_set_control) X(pcsample_state_changed) \
	X(pe_access) X(pe_access_clause) X(pe_access_fields) X(pe_access_nth) X(pe_access_row) \
	X(pe_choices_init) X(pe_default_cacheable) X(pe_e2pb) X(pe_el2_enabled) \
	X(pe_el2_in_security) X(pe_el_is_in_host) X(pe_emec) X(pe_granule_tg0) X(pe_granule_tg1) \
	X(pe_have_secure_state) X(pe_hcr_dc) X(pe_hcr_e2h) X(pe_hcr_nvx) X(pe_mecid) \
	X(pe_memory_attributes) X(pe_nspb) X(pe_oamax) X(pe_pamax) X(pe_pmscr_el1_ee) \
	X(pe_pmscr_el2_ee) X(pe_pmsee) X(pe_pmu_counters) X(pe_pmu_hpmn) X(pe_reset) \
	X(pe_scr_ns) X(pe_scr_nse) X(pe_secure_el2_enabled) X(pe_security_at) X(pe_shareability) \
	X(pe_spe_flag_updates) X(pe_tcr2) X(pe_tge) X(perf_head_build) X(perf_head_cpus) \
	X(perf_view_decode) X(pmu_capture_decision) X(pmu_capture_write) X(pmu_changed) \
	X(pmu_count_for) X(pmu_counter_read) X(pmu_counter_write) X(pmu_counting) \
	X(pmu_frozen_by_overflow) X(pmu_frozen_by_spe) X(pmu_generate) X(pmu_identify) \
	X(pmu_mask) X(pmu_overflow_interrupt) X(pmu_pc_sampling) X(pmu_pmsscr) X(pmu_range) \
	X(pmu_snapshot) X(pmu_software_increment) X(pmu_spe_freeze) X(pmu_type_mask) \
	X(pmu_write_pmcr) X(prev_branch_is_shown) X(prev_branch_synchronize) \
	X(rec_append_aux_locked) X(rec_buffers_at) X(rec_buffers_map) X(rec_buffers_size) \
	X(rec_buffers_unmap) X(rec_file) X(rec_finish_file) X(rec_high_fd) X(rec_lock) \
	X(rec_pwrite) X(rec_salvage) X(rec_unlock) X(rec_write_flags) X(rec_write_size) \
	X(record_make) X(register_shows) X(register_writable) X(register_write) X(restart_check) \
	X(restart_has_room) X(restart_note_event) X(signal_irq_level) X(signal_update) \
	X(spu_buffer_decision) X(spu_buffer_enabled) X(spu_diagnose) X(spu_diagnose_register) \
	X(spu_effective_nvm) X(spu_el_available) X(spu_enabled_at) X(spu_enabled_decision) \
	X(spu_exception_masked) X(spu_owner) X(spu_owner_el) X(spu_owner_security) \
	X(spu_profiling_enabled) X(spu_profiling_enabled_count) X(spu_profiling_stopped) \
	X(spu_route_decision) X(spu_stopped) X(spu_update) X(spu_write_held) X(stage1_add_table) \
	X(stage1_parameters) X(stage1_refuses) X(stage1_translate) X(stage2_alone) \
	X(stage2_check) X(stage2_combine) X(stage2_is_device) X(stage2_parameters) \
	X(stage2_takes_part) X(stage2_translate) X(state_buffer_is_valid) X(state_get_buffer) \
	X(state_get_strict) X(state_put_buffer) X(state_put_strict) X(state_strict_is_valid) \
	X(strict_advance) X(strict_context_synchronize) X(strict_deliver) X(strict_direct) \
	X(strict_dsb) X(strict_forced) X(strict_hold) X(strict_in_flight) X(strict_mrs) \
	X(strict_msr) X(strict_note) X(strict_place) X(strict_psb) X(strict_register) \
	X(strict_set) X(strict_tick) X(sysreg_by_encoding) X(sysreg_desc_of) X(sysreg_find) \
	X(sysreg_mask) X(sysreg_names) X(sysreg_order) X(sysreg_reset_value) X(sysreg_table) \
	X(sysreg_table_size) X(translation_fault) X(uarch_fetch) X(uarch_fill) X(uarch_fill_l1) \
	X(uarch_find) X(uarch_probe) X(uarch_store) X(uarch_to_modified) X(uarch_translate) \
	X(update_descriptor) X(vm_buffer_too_large) X(vm_ignores)
/* clang-format on */

#endif
