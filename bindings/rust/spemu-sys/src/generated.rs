// SPDX-License-Identifier: MIT
// Made by include/gen/gen-bindings of the headers in include/spemu, which say what everything means.

pub type spemu_choice = c_uint;
pub type spemu_reserved_nspb = c_uint;
pub type spemu_reserved_nspb_trap = c_uint;
pub type spemu_reserved_e2pb = c_uint;
pub type spemu_reserved_pmsee = c_uint;
pub type spemu_nv1_without_nv = c_uint;
pub type spemu_sdd_undef_priority = c_uint;
pub type spemu_zero_interval = c_uint;
pub type spemu_counters_end_together = c_uint;
pub type spemu_timestamp_at_start = c_uint;
pub type spemu_reserved_pct = c_uint;
pub type spemu_filter_selects_nothing = c_uint;
pub type spemu_pointer_restriction = c_uint;
pub type spemu_pointer_restriction_data_loss = c_uint;
pub type spemu_pointer_restriction_fault = c_uint;
pub type spemu_pointer_restriction_other_fault = c_uint;
pub type spemu_unaligned_pointer = c_uint;
pub type spemu_disabled_in_flight = c_uint;
pub type spemu_security_mismatch = c_uint;
pub type spemu_reserved_nspb_write = c_uint;
pub type spemu_address_above_oamax = c_uint;
pub type spemu_reserved_memory_attributes = c_uint;
pub type spemu_reserved_shareability = c_uint;
pub type spemu_page_crossing = c_uint;
pub type spemu_device_crossing = c_uint;
pub type spemu_crossing_fault_stage = c_uint;
pub type spemu_flag_updates = c_uint;
pub type spemu_speculative_dirty_update = c_uint;
pub type spemu_external_abort = c_uint;
pub type spemu_external_abort_on_walk = c_uint;
pub type spemu_walk_external_abort_sets_ea = c_uint;
pub type spemu_reserved_fm = c_uint;
pub type spemu_pointer_low_bits = c_uint;
pub type spemu_fault_data_loss = c_uint;
pub type spemu_fault_reporting = c_uint;
pub type spemu_profiling_exception_order = c_uint;
pub type spemu_isb_as_branch = c_uint;
pub type spemu_conditional_select = c_uint;
pub type spemu_previous_target_without_branch = c_uint;
pub type spemu_previous_target_at_not_taken_branch = c_uint;
pub type spemu_previous_target_of_eret = c_uint;
pub type spemu_previous_target_of_exception = c_uint;
pub type spemu_previous_target_of_isb = c_uint;
pub type spemu_previous_target_after_synchronization = c_uint;
pub type spemu_not_taken_target = c_uint;
pub type spemu_untagged_top_byte = c_uint;
pub type spemu_unchecked_pat = c_uint;
pub type spemu_exception_record = c_uint;
pub type spemu_not_retired_record = c_uint;
pub type spemu_not_retired_capture = c_uint;
pub type spemu_non_architectural_exception_capture = c_uint;
pub type spemu_translation_latency_without_access = c_uint;
pub type spemu_access_events_without_address = c_uint;
pub type spemu_failed_exclusive_pa = c_uint;
pub type spemu_store_events = c_uint;
pub type spemu_event_filter_l1d_access = c_uint;
pub type spemu_event_filter_tlb_access = c_uint;
pub type spemu_event_filter_llc_access = c_uint;
pub type spemu_event_filter_llc_refill = c_uint;
pub type spemu_event_filter_remote_access = c_uint;
pub type spemu_sme_load_store_format = c_uint;
pub type spemu_sve_multi_vector_format = c_uint;
pub type spemu_sve_prefetch_format = c_uint;
pub type spemu_reserved_granule = c_uint;
pub type spemu_txsz_below_minimum = c_uint;
pub type spemu_txsz_above_maximum = c_uint;
pub type spemu_no_translation_bit = c_uint;
pub type spemu_reserved_stage2_memattr = c_uint;
pub type spemu_dc_zero = c_uint;
pub type spemu_tag_access_va = c_uint;
pub type spemu_tag_access_pa = c_uint;
pub type spemu_timestamp_counter_disabled = c_uint;
pub type spemu_reserved_hpmn = c_uint;
pub type spemu_inaccessible_counter = c_uint;
pub type spemu_chain_across_ranges = c_uint;
pub type spemu_chain_at_freeze = c_uint;
pub type spemu_event_at_overflow = c_uint;
pub type spemu_reserved_sse = c_uint;
pub type spemu_capture_in_debug_state = c_uint;
pub type spemu_capture_completion = c_uint;
pub type spemu_write_during_capture = c_uint;
pub type spemu_no_capture_write = c_uint;
pub type spemu_unsynchronized_snapshot = c_uint;
pub type spemu_snapshot_event_in_debug_state = c_uint;
pub type spemu_pc_sample_unknown = c_uint;
pub type spemu_pc_sample_first = c_uint;
pub type spemu_reserved_epmssad = c_uint;
pub type spemu_feature = c_uint;
pub type spemu_status = c_int;
pub type spemu_reg = c_uint;
pub type spemu_security = c_uint;
pub type spemu_access_outcome = c_uint;
pub type spemu_choice_kind = c_uint;
pub type spemu_header = c_uint;
pub type spemu_header_field = c_uint;
pub type spemu_packet_size = c_uint;
pub type spemu_addr_index = c_uint;
pub type spemu_counter_index = c_uint;
pub type spemu_context_index = c_uint;
pub type spemu_event_bit = c_uint;
pub type spemu_op_class = c_uint;
pub type spemu_subclass = c_uint;
pub type spemu_subclass_field = c_uint;
pub type spemu_subclass_cr = c_uint;
pub type spemu_op_format = c_uint;
pub type spemu_record_present = c_uint;
pub type spemu_layout_order = c_uint;
pub type spemu_packet_type = c_uint;
pub type spemu_memory_type = c_uint;
pub type spemu_cacheability = c_uint;
pub type spemu_shareability = c_uint;
pub type spemu_address_type = c_uint;
pub type spemu_fault_kind = c_uint;
pub type spemu_fault_type = c_uint;
pub type spemu_op_type = c_uint;
pub type spemu_ldst_type = c_uint;
pub type spemu_op_flag = c_uint;
pub type spemu_op_valid = c_uint;
pub type spemu_op_memory_access = c_uint;
pub type spemu_pa_space = c_uint;
pub type spemu_pmu_event = c_uint;
pub type spemu_altclk = c_uint;
pub type spemu_sample_outcome = c_uint;
pub type spemu_capture = c_uint;
pub type spemu_capture_outcome = c_uint;
pub type spemu_refusal = c_uint;
pub type spemu_written = c_uint;
pub type spemu_topic = c_uint;
pub type spemu_inject_when = c_uint;
pub type spemu_inject_kind = c_uint;
pub type spemu_tlbi = c_uint;
pub type spemu_perf_type = c_uint;
pub type spemu_perf_feature = c_uint;
pub type spemu_perf_sample_bit = c_uint;
pub type spemu_perf_misc = c_uint;
pub type spemu_perf_aux_flag = c_uint;
pub const SPEMU_ACCESS_EVENTS_WITHOUT_ADDRESS_RECORDED: spemu_access_events_without_address = 0;
pub const SPEMU_ACCESS_EVENTS_WITHOUT_ADDRESS_ZERO: spemu_access_events_without_address = 1;
pub const SPEMU_ACCESS_NVMEM: spemu_access_outcome = 4;
pub const SPEMU_ACCESS_OK: spemu_access_outcome = 0;
pub const SPEMU_ACCESS_TRAP_EL1: spemu_access_outcome = 5;
pub const SPEMU_ACCESS_TRAP_EL2: spemu_access_outcome = 2;
pub const SPEMU_ACCESS_TRAP_EL3: spemu_access_outcome = 3;
pub const SPEMU_ACCESS_UNDEFINED: spemu_access_outcome = 1;
pub const SPEMU_ADDRESS_ABOVE_OAMAX_FAULT: spemu_address_above_oamax = 0;
pub const SPEMU_ADDRESS_ABOVE_OAMAX_IGNORED: spemu_address_above_oamax = 1;
pub const SPEMU_ADDRESS_IPA: spemu_address_type = 1;
pub const SPEMU_ADDRESS_PA: spemu_address_type = 2;
pub const SPEMU_ADDRESS_VA: spemu_address_type = 0;
pub const SPEMU_ADDR_BRANCH_TARGET: spemu_addr_index = 1;
pub const SPEMU_ADDR_CH: u64 = 4611686018427387904;
pub const SPEMU_ADDR_DATA_PA: spemu_addr_index = 3;
pub const SPEMU_ADDR_DATA_VA: spemu_addr_index = 2;
pub const SPEMU_ADDR_EL_LSB: u32 = 61;
pub const SPEMU_ADDR_NS: u64 = 9223372036854775808;
pub const SPEMU_ADDR_NSE: u64 = 1152921504606846976;
pub const SPEMU_ADDR_PAT: u64 = 1080863910568919040;
pub const SPEMU_ADDR_PAT_LSB: u32 = 56;
pub const SPEMU_ADDR_PC: spemu_addr_index = 0;
pub const SPEMU_ADDR_PREV_BRANCH_TARGET: spemu_addr_index = 4;
pub const SPEMU_ADDR_TOP: u64 = 18374686479671623680;
pub const SPEMU_ALTCLK_IMPDEF: spemu_altclk = 15;
pub const SPEMU_ALTCLK_SMCU: spemu_altclk = 1;
pub const SPEMU_CAPTURE_ALLOWED: spemu_capture = 2;
pub const SPEMU_CAPTURE_COMPLETION_DELAYED: spemu_capture_completion = 1;
pub const SPEMU_CAPTURE_COMPLETION_IMMEDIATE: spemu_capture_completion = 0;
pub const SPEMU_CAPTURE_DISABLED: spemu_capture = 0;
pub const SPEMU_CAPTURE_DONE: spemu_capture_outcome = 2;
pub const SPEMU_CAPTURE_IGNORED: spemu_capture_outcome = 0;
pub const SPEMU_CAPTURE_IN_DEBUG_STATE_ALLOWED: spemu_capture_in_debug_state = 1;
pub const SPEMU_CAPTURE_IN_DEBUG_STATE_PROHIBITED: spemu_capture_in_debug_state = 0;
pub const SPEMU_CAPTURE_NOT_DONE: spemu_capture_outcome = 3;
pub const SPEMU_CAPTURE_ONGOING: spemu_capture_outcome = 1;
pub const SPEMU_CAPTURE_PROHIBITED: spemu_capture = 1;
pub const SPEMU_CHAIN_ACROSS_RANGES_COUNTED: spemu_chain_across_ranges = 1;
pub const SPEMU_CHAIN_ACROSS_RANGES_NOT_COUNTED: spemu_chain_across_ranges = 0;
pub const SPEMU_CHAIN_AT_FREEZE_COUNTED: spemu_chain_at_freeze = 0;
pub const SPEMU_CHAIN_AT_FREEZE_NOT_COUNTED: spemu_chain_at_freeze = 1;
pub const SPEMU_CHOICE_ACCESS_EVENTS_WITHOUT_ADDRESS: spemu_choice = 51;
pub const SPEMU_CHOICE_ADDRESS_ABOVE_OAMAX: spemu_choice = 19;
pub const SPEMU_CHOICE_CAPTURE_COMPLETION: spemu_choice = 78;
pub const SPEMU_CHOICE_CAPTURE_IN_DEBUG_STATE: spemu_choice = 77;
pub const SPEMU_CHOICE_CHAIN_ACROSS_RANGES: spemu_choice = 73;
pub const SPEMU_CHOICE_CHAIN_AT_FREEZE: spemu_choice = 74;
pub const SPEMU_CHOICE_CONDITIONAL_SELECT: spemu_choice = 36;
pub const SPEMU_CHOICE_COUNT: spemu_choice = 86;
pub const SPEMU_CHOICE_COUNTERS_END_TOGETHER: spemu_choice = 7;
pub const SPEMU_CHOICE_CROSSING_FAULT_STAGE: spemu_choice = 24;
pub const SPEMU_CHOICE_DC_ZERO: spemu_choice = 67;
pub const SPEMU_CHOICE_DEVICE_CROSSING: spemu_choice = 23;
pub const SPEMU_CHOICE_DISABLED_IN_FLIGHT: spemu_choice = 16;
pub const SPEMU_CHOICE_EVENT_AT_OVERFLOW: spemu_choice = 75;
pub const SPEMU_CHOICE_EVENT_FILTER_L1D_ACCESS: spemu_choice = 54;
pub const SPEMU_CHOICE_EVENT_FILTER_LLC_ACCESS: spemu_choice = 56;
pub const SPEMU_CHOICE_EVENT_FILTER_LLC_REFILL: spemu_choice = 57;
pub const SPEMU_CHOICE_EVENT_FILTER_REMOTE_ACCESS: spemu_choice = 58;
pub const SPEMU_CHOICE_EVENT_FILTER_TLB_ACCESS: spemu_choice = 55;
pub const SPEMU_CHOICE_EXCEPTION_RECORD: spemu_choice = 46;
pub const SPEMU_CHOICE_EXTERNAL_ABORT: spemu_choice = 27;
pub const SPEMU_CHOICE_EXTERNAL_ABORT_ON_WALK: spemu_choice = 28;
pub const SPEMU_CHOICE_FAILED_EXCLUSIVE_PA: spemu_choice = 52;
pub const SPEMU_CHOICE_FAULT_DATA_LOSS: spemu_choice = 32;
pub const SPEMU_CHOICE_FAULT_REPORTING: spemu_choice = 33;
pub const SPEMU_CHOICE_FILTER_SELECTS_NOTHING: spemu_choice = 10;
pub const SPEMU_CHOICE_FLAG_UPDATES: spemu_choice = 25;
pub const SPEMU_CHOICE_INACCESSIBLE_COUNTER: spemu_choice = 72;
pub const SPEMU_CHOICE_ISB_AS_BRANCH: spemu_choice = 35;
pub const SPEMU_CHOICE_KIND_IMPDEF: spemu_choice_kind = 0;
pub const SPEMU_CHOICE_KIND_UNPREDICTABLE: spemu_choice_kind = 1;
pub const SPEMU_CHOICE_NON_ARCHITECTURAL_EXCEPTION_CAPTURE: spemu_choice = 49;
pub const SPEMU_CHOICE_NOT_RETIRED_CAPTURE: spemu_choice = 48;
pub const SPEMU_CHOICE_NOT_RETIRED_RECORD: spemu_choice = 47;
pub const SPEMU_CHOICE_NOT_TAKEN_TARGET: spemu_choice = 43;
pub const SPEMU_CHOICE_NO_CAPTURE_WRITE: spemu_choice = 80;
pub const SPEMU_CHOICE_NO_TRANSLATION_BIT: spemu_choice = 65;
pub const SPEMU_CHOICE_NV1_WITHOUT_NV: spemu_choice = 4;
pub const SPEMU_CHOICE_PAGE_CROSSING: spemu_choice = 22;
pub const SPEMU_CHOICE_PC_SAMPLE_FIRST: spemu_choice = 84;
pub const SPEMU_CHOICE_PC_SAMPLE_UNKNOWN: spemu_choice = 83;
pub const SPEMU_CHOICE_POINTER_LOW_BITS: spemu_choice = 31;
pub const SPEMU_CHOICE_POINTER_RESTRICTION: spemu_choice = 11;
pub const SPEMU_CHOICE_POINTER_RESTRICTION_DATA_LOSS: spemu_choice = 12;
pub const SPEMU_CHOICE_POINTER_RESTRICTION_FAULT: spemu_choice = 13;
pub const SPEMU_CHOICE_POINTER_RESTRICTION_OTHER_FAULT: spemu_choice = 14;
pub const SPEMU_CHOICE_PREVIOUS_TARGET_AFTER_SYNCHRONIZATION: spemu_choice = 42;
pub const SPEMU_CHOICE_PREVIOUS_TARGET_AT_NOT_TAKEN_BRANCH: spemu_choice = 38;
pub const SPEMU_CHOICE_PREVIOUS_TARGET_OF_ERET: spemu_choice = 39;
pub const SPEMU_CHOICE_PREVIOUS_TARGET_OF_EXCEPTION: spemu_choice = 40;
pub const SPEMU_CHOICE_PREVIOUS_TARGET_OF_ISB: spemu_choice = 41;
pub const SPEMU_CHOICE_PREVIOUS_TARGET_WITHOUT_BRANCH: spemu_choice = 37;
pub const SPEMU_CHOICE_PROFILING_EXCEPTION_ORDER: spemu_choice = 34;
pub const SPEMU_CHOICE_RANDOM: u32 = 255;
pub const SPEMU_CHOICE_RESERVED_E2PB: spemu_choice = 2;
pub const SPEMU_CHOICE_RESERVED_EPMSSAD: spemu_choice = 85;
pub const SPEMU_CHOICE_RESERVED_FM: spemu_choice = 30;
pub const SPEMU_CHOICE_RESERVED_GRANULE: spemu_choice = 62;
pub const SPEMU_CHOICE_RESERVED_HPMN: spemu_choice = 71;
pub const SPEMU_CHOICE_RESERVED_MEMORY_ATTRIBUTES: spemu_choice = 20;
pub const SPEMU_CHOICE_RESERVED_NSPB: spemu_choice = 0;
pub const SPEMU_CHOICE_RESERVED_NSPB_TRAP: spemu_choice = 1;
pub const SPEMU_CHOICE_RESERVED_NSPB_WRITE: spemu_choice = 18;
pub const SPEMU_CHOICE_RESERVED_PCT: spemu_choice = 9;
pub const SPEMU_CHOICE_RESERVED_PMSEE: spemu_choice = 3;
pub const SPEMU_CHOICE_RESERVED_SHAREABILITY: spemu_choice = 21;
pub const SPEMU_CHOICE_RESERVED_SSE: spemu_choice = 76;
pub const SPEMU_CHOICE_RESERVED_STAGE2_MEMATTR: spemu_choice = 66;
pub const SPEMU_CHOICE_SDD_UNDEF_PRIORITY: spemu_choice = 5;
pub const SPEMU_CHOICE_SECURITY_MISMATCH: spemu_choice = 17;
pub const SPEMU_CHOICE_SME_LOAD_STORE_FORMAT: spemu_choice = 59;
pub const SPEMU_CHOICE_SNAPSHOT_EVENT_IN_DEBUG_STATE: spemu_choice = 82;
pub const SPEMU_CHOICE_SPECULATIVE_DIRTY_UPDATE: spemu_choice = 26;
pub const SPEMU_CHOICE_STORE_EVENTS: spemu_choice = 53;
pub const SPEMU_CHOICE_SVE_MULTI_VECTOR_FORMAT: spemu_choice = 60;
pub const SPEMU_CHOICE_SVE_PREFETCH_FORMAT: spemu_choice = 61;
pub const SPEMU_CHOICE_TAG_ACCESS_PA: spemu_choice = 69;
pub const SPEMU_CHOICE_TAG_ACCESS_VA: spemu_choice = 68;
pub const SPEMU_CHOICE_TIMESTAMP_AT_START: spemu_choice = 8;
pub const SPEMU_CHOICE_TIMESTAMP_COUNTER_DISABLED: spemu_choice = 70;
pub const SPEMU_CHOICE_TRANSLATION_LATENCY_WITHOUT_ACCESS: spemu_choice = 50;
pub const SPEMU_CHOICE_TXSZ_ABOVE_MAXIMUM: spemu_choice = 64;
pub const SPEMU_CHOICE_TXSZ_BELOW_MINIMUM: spemu_choice = 63;
pub const SPEMU_CHOICE_UNALIGNED_POINTER: spemu_choice = 15;
pub const SPEMU_CHOICE_UNCHECKED_PAT: spemu_choice = 45;
pub const SPEMU_CHOICE_UNSYNCHRONIZED_SNAPSHOT: spemu_choice = 81;
pub const SPEMU_CHOICE_UNTAGGED_TOP_BYTE: spemu_choice = 44;
pub const SPEMU_CHOICE_WALK_EXTERNAL_ABORT_SETS_EA: spemu_choice = 29;
pub const SPEMU_CHOICE_WRITE_DURING_CAPTURE: spemu_choice = 79;
pub const SPEMU_CHOICE_ZERO_INTERVAL: spemu_choice = 6;
pub const SPEMU_CLASS_BRANCH: spemu_op_class = 2;
pub const SPEMU_CLASS_LDST: spemu_op_class = 1;
pub const SPEMU_CLASS_OTHER: spemu_op_class = 0;
pub const SPEMU_CLASS_RESERVED: spemu_op_class = 3;
pub const SPEMU_CNTHCTL_EL2_ECV_LSB: u32 = 12;
pub const SPEMU_CNTHCTL_EL2_ECV_WIDTH: u32 = 1;
pub const SPEMU_CNTPOFF_EL2_POFF_LSB: u32 = 0;
pub const SPEMU_CNTPOFF_EL2_POFF_WIDTH: u32 = 64;
pub const SPEMU_CNTVOFF_EL2_VOFF_LSB: u32 = 0;
pub const SPEMU_CNTVOFF_EL2_VOFF_WIDTH: u32 = 64;
pub const SPEMU_CONDITIONAL_SELECT_CONDITIONAL: spemu_conditional_select = 0;
pub const SPEMU_CONDITIONAL_SELECT_UNCONDITIONAL: spemu_conditional_select = 1;
pub const SPEMU_CONTEXTIDR_EL1_PROCID_LSB: u32 = 0;
pub const SPEMU_CONTEXTIDR_EL1_PROCID_WIDTH: u32 = 32;
pub const SPEMU_CONTEXTIDR_EL2_PROCID_LSB: u32 = 0;
pub const SPEMU_CONTEXTIDR_EL2_PROCID_WIDTH: u32 = 32;
pub const SPEMU_CONTEXT_EL1: spemu_context_index = 0;
pub const SPEMU_CONTEXT_EL2: spemu_context_index = 1;
pub const SPEMU_COUNTERS_END_TOGETHER_REPLACED: spemu_counters_end_together = 1;
pub const SPEMU_COUNTERS_END_TOGETHER_SELECTED: spemu_counters_end_together = 0;
pub const SPEMU_COUNTER_ALT_ISSUE: spemu_counter_index = 4;
pub const SPEMU_COUNTER_ISSUE: spemu_counter_index = 1;
pub const SPEMU_COUNTER_TOTAL: spemu_counter_index = 0;
pub const SPEMU_COUNTER_TRANSLATION: spemu_counter_index = 2;
pub const SPEMU_CROSSING_FAULT_STAGE_STAGE1: spemu_crossing_fault_stage = 0;
pub const SPEMU_CROSSING_FAULT_STAGE_STAGE2: spemu_crossing_fault_stage = 1;
pub const SPEMU_CR_CALL: spemu_subclass_cr = 1;
pub const SPEMU_CR_NEITHER: spemu_subclass_cr = 3;
pub const SPEMU_CR_NOT_RECORDED: spemu_subclass_cr = 0;
pub const SPEMU_CR_RETURN: spemu_subclass_cr = 2;
pub const SPEMU_DC_ZERO_MAINTENANCE: spemu_dc_zero = 1;
pub const SPEMU_DC_ZERO_STORE: spemu_dc_zero = 0;
pub const SPEMU_DENY_NONINVASIVE: u32 = 1;
pub const SPEMU_DENY_REALM_NONINVASIVE: u32 = 4;
pub const SPEMU_DENY_ROOT_NONINVASIVE: u32 = 8;
pub const SPEMU_DENY_SECURE_NONINVASIVE: u32 = 2;
pub const SPEMU_DEVICE_CROSSING_ALIGNMENT_FAULT: spemu_device_crossing = 2;
pub const SPEMU_DEVICE_CROSSING_AS_ONE: spemu_device_crossing = 0;
pub const SPEMU_DEVICE_CROSSING_DISCARD_ALL: spemu_device_crossing = 4;
pub const SPEMU_DEVICE_CROSSING_DISCARD_ALL_COUNTED: spemu_device_crossing = 3;
pub const SPEMU_DEVICE_CROSSING_DISCARD_FIRST: spemu_device_crossing = 8;
pub const SPEMU_DEVICE_CROSSING_DISCARD_FIRST_COUNTED: spemu_device_crossing = 7;
pub const SPEMU_DEVICE_CROSSING_DISCARD_SECOND: spemu_device_crossing = 6;
pub const SPEMU_DEVICE_CROSSING_DISCARD_SECOND_COUNTED: spemu_device_crossing = 5;
pub const SPEMU_DEVICE_CROSSING_UNORDERED: spemu_device_crossing = 1;
pub const SPEMU_DISABLED_IN_FLIGHT_ACCESS_NOT_ALLOWED: spemu_disabled_in_flight = 2;
pub const SPEMU_DISABLED_IN_FLIGHT_DISCARD: spemu_disabled_in_flight = 0;
pub const SPEMU_DISABLED_IN_FLIGHT_WRITE: spemu_disabled_in_flight = 1;
pub const SPEMU_EL2: spemu_feature = 0;
pub const SPEMU_EL3: spemu_feature = 1;
pub const SPEMU_ERR_CORRUPT: spemu_status = -4;
pub const SPEMU_ERR_END: spemu_status = -8;
pub const SPEMU_ERR_INVALID: spemu_status = -1;
pub const SPEMU_ERR_IO: spemu_status = -6;
pub const SPEMU_ERR_NOSPACE: spemu_status = -2;
pub const SPEMU_ERR_NOT_SUPPORTED: spemu_status = -5;
pub const SPEMU_ERR_STATE: spemu_status = -7;
pub const SPEMU_ERR_TRUNCATED: spemu_status = -3;
pub const SPEMU_ETS_262144_BITS: u32 = 11;
pub const SPEMU_ETS_WHOLE_ZA: u32 = 15;
pub const SPEMU_EVENT_AT_OVERFLOW_COUNTED: spemu_event_at_overflow = 0;
pub const SPEMU_EVENT_AT_OVERFLOW_NOT_COUNTED: spemu_event_at_overflow = 1;
pub const SPEMU_EVENT_FILTER_L1D_ACCESS_NOT_SUPPORTED: spemu_event_filter_l1d_access = 0;
pub const SPEMU_EVENT_FILTER_L1D_ACCESS_SUPPORTED: spemu_event_filter_l1d_access = 1;
pub const SPEMU_EVENT_FILTER_LLC_ACCESS_NOT_SUPPORTED: spemu_event_filter_llc_access = 0;
pub const SPEMU_EVENT_FILTER_LLC_ACCESS_SUPPORTED: spemu_event_filter_llc_access = 1;
pub const SPEMU_EVENT_FILTER_LLC_REFILL_NOT_SUPPORTED: spemu_event_filter_llc_refill = 0;
pub const SPEMU_EVENT_FILTER_LLC_REFILL_SUPPORTED: spemu_event_filter_llc_refill = 1;
pub const SPEMU_EVENT_FILTER_REMOTE_ACCESS_NOT_SUPPORTED: spemu_event_filter_remote_access = 0;
pub const SPEMU_EVENT_FILTER_REMOTE_ACCESS_SUPPORTED: spemu_event_filter_remote_access = 1;
pub const SPEMU_EVENT_FILTER_TLB_ACCESS_NOT_SUPPORTED: spemu_event_filter_tlb_access = 0;
pub const SPEMU_EVENT_FILTER_TLB_ACCESS_SUPPORTED: spemu_event_filter_tlb_access = 1;
pub const SPEMU_EVL_2048_BITS: u32 = 6;
pub const SPEMU_EVL_MORE: u32 = 7;
pub const SPEMU_EV_CACHE_DATA_MODIFIED: spemu_event_bit = 21;
pub const SPEMU_EV_DATA_SNOOPED: spemu_event_bit = 23;
pub const SPEMU_EV_EMPTY_PREDICATE: spemu_event_bit = 18;
pub const SPEMU_EV_EXCEPTION: spemu_event_bit = 0;
pub const SPEMU_EV_L1D_ACCESS: spemu_event_bit = 2;
pub const SPEMU_EV_L1D_REFILL: spemu_event_bit = 3;
pub const SPEMU_EV_L2D_ACCESS: spemu_event_bit = 19;
pub const SPEMU_EV_L2D_MISS: spemu_event_bit = 20;
pub const SPEMU_EV_LLC_ACCESS: spemu_event_bit = 8;
pub const SPEMU_EV_LLC_MISS: spemu_event_bit = 9;
pub const SPEMU_EV_MISALIGNED: spemu_event_bit = 11;
pub const SPEMU_EV_MISPREDICTED: spemu_event_bit = 7;
pub const SPEMU_EV_NOT_TAKEN: spemu_event_bit = 6;
pub const SPEMU_EV_PARTIAL_PREDICATE: spemu_event_bit = 17;
pub const SPEMU_EV_RECENTLY_FETCHED: spemu_event_bit = 22;
pub const SPEMU_EV_REMOTE_ACCESS: spemu_event_bit = 10;
pub const SPEMU_EV_RETIRED: spemu_event_bit = 1;
pub const SPEMU_EV_SMCU: spemu_event_bit = 25;
pub const SPEMU_EV_STREAMING_SVE: spemu_event_bit = 24;
pub const SPEMU_EV_TLB_ACCESS: spemu_event_bit = 4;
pub const SPEMU_EV_TLB_WALK: spemu_event_bit = 5;
pub const SPEMU_EV_TRANSACTIONAL: spemu_event_bit = 16;
pub const SPEMU_EXCEPTION_RECORD_MINIMAL: spemu_exception_record = 1;
pub const SPEMU_EXCEPTION_RECORD_WHOLE: spemu_exception_record = 0;
pub const SPEMU_EXTERNAL_ABORT_IGNORED: spemu_external_abort = 0;
pub const SPEMU_EXTERNAL_ABORT_ON_WALK_AS_ON_WRITE: spemu_external_abort_on_walk = 1;
pub const SPEMU_EXTERNAL_ABORT_ON_WALK_MMU_FAULT: spemu_external_abort_on_walk = 0;
pub const SPEMU_EXTERNAL_ABORT_REPORTED_ASYNCHRONOUSLY: spemu_external_abort = 3;
pub const SPEMU_EXTERNAL_ABORT_REPORTED_SYNCHRONOUSLY: spemu_external_abort = 2;
pub const SPEMU_EXTERNAL_ABORT_SERROR: spemu_external_abort = 1;
pub const SPEMU_FAILED_EXCLUSIVE_PA_OMITTED: spemu_failed_exclusive_pa = 0;
pub const SPEMU_FAILED_EXCLUSIVE_PA_RECORDED: spemu_failed_exclusive_pa = 1;
pub const SPEMU_FAULT_DATA_LOSS_CLEARED: spemu_fault_data_loss = 2;
pub const SPEMU_FAULT_DATA_LOSS_SET: spemu_fault_data_loss = 1;
pub const SPEMU_FAULT_DATA_LOSS_UNCHANGED: spemu_fault_data_loss = 0;
pub const SPEMU_FAULT_EXTERNAL: spemu_fault_kind = 256;
pub const SPEMU_FAULT_GPC: spemu_fault_kind = 30;
pub const SPEMU_FAULT_NONE: spemu_fault_kind = 0;
pub const SPEMU_FAULT_REPORTING_AFTER_NEXT_SAMPLE: spemu_fault_reporting = 1;
pub const SPEMU_FAULT_REPORTING_SYNCHRONOUS: spemu_fault_reporting = 0;
pub const SPEMU_FAULT_STAGE1: spemu_fault_kind = 36;
pub const SPEMU_FAULT_STAGE2: spemu_fault_kind = 37;
pub const SPEMU_FEATURE_COUNT: spemu_feature = 84;
pub const SPEMU_FEAT_AA32: spemu_feature = 47;
pub const SPEMU_FEAT_AIE: spemu_feature = 35;
pub const SPEMU_FEAT_BBML1: spemu_feature = 27;
pub const SPEMU_FEAT_D128: spemu_feature = 36;
pub const SPEMU_FEAT_E2H0: spemu_feature = 5;
pub const SPEMU_FEAT_ECV: spemu_feature = 13;
pub const SPEMU_FEAT_ECV_POFF: spemu_feature = 14;
pub const SPEMU_FEAT_FGT: spemu_feature = 11;
pub const SPEMU_FEAT_FGT2: spemu_feature = 12;
pub const SPEMU_FEAT_GCS: spemu_feature = 40;
pub const SPEMU_FEAT_HAFDBS: spemu_feature = 24;
pub const SPEMU_FEAT_HAFT: spemu_feature = 25;
pub const SPEMU_FEAT_HCX: spemu_feature = 28;
pub const SPEMU_FEAT_HPDS: spemu_feature = 23;
pub const SPEMU_FEAT_HPMN0: spemu_feature = 61;
pub const SPEMU_FEAT_IDST: spemu_feature = 9;
pub const SPEMU_FEAT_LPA: spemu_feature = 19;
pub const SPEMU_FEAT_LPA2: spemu_feature = 20;
pub const SPEMU_FEAT_LVA: spemu_feature = 21;
pub const SPEMU_FEAT_MEC: spemu_feature = 46;
pub const SPEMU_FEAT_MOPS: spemu_feature = 39;
pub const SPEMU_FEAT_MTE2: spemu_feature = 38;
pub const SPEMU_FEAT_NV: spemu_feature = 7;
pub const SPEMU_FEAT_NV2: spemu_feature = 8;
pub const SPEMU_FEAT_PCSRV8P2: spemu_feature = 62;
pub const SPEMU_FEAT_PCSRV8P9: spemu_feature = 63;
pub const SPEMU_FEAT_PMUV3: spemu_feature = 48;
pub const SPEMU_FEAT_PMUV3P1: spemu_feature = 49;
pub const SPEMU_FEAT_PMUV3P4: spemu_feature = 50;
pub const SPEMU_FEAT_PMUV3P5: spemu_feature = 51;
pub const SPEMU_FEAT_PMUV3P7: spemu_feature = 52;
pub const SPEMU_FEAT_PMUV3P8: spemu_feature = 53;
pub const SPEMU_FEAT_PMUV3P9: spemu_feature = 54;
pub const SPEMU_FEAT_PMUV3_EXT: spemu_feature = 58;
pub const SPEMU_FEAT_PMUV3_EXT32: spemu_feature = 59;
pub const SPEMU_FEAT_PMUV3_EXT64: spemu_feature = 60;
pub const SPEMU_FEAT_PMUV3_ICNTR: spemu_feature = 55;
pub const SPEMU_FEAT_PMUV3_SME: spemu_feature = 57;
pub const SPEMU_FEAT_PMUV3_SS: spemu_feature = 56;
pub const SPEMU_FEAT_RAS: spemu_feature = 6;
pub const SPEMU_FEAT_RME: spemu_feature = 15;
pub const SPEMU_FEAT_RME_GPC2: spemu_feature = 44;
pub const SPEMU_FEAT_RME_GPC3: spemu_feature = 45;
pub const SPEMU_FEAT_S1PIE: spemu_feature = 31;
pub const SPEMU_FEAT_S1POE: spemu_feature = 33;
pub const SPEMU_FEAT_S2FWB: spemu_feature = 26;
pub const SPEMU_FEAT_S2PIE: spemu_feature = 32;
pub const SPEMU_FEAT_S2POE: spemu_feature = 34;
pub const SPEMU_FEAT_SCTLR2: spemu_feature = 30;
pub const SPEMU_FEAT_SEL2: spemu_feature = 10;
pub const SPEMU_FEAT_SME: spemu_feature = 42;
pub const SPEMU_FEAT_SPE: spemu_feature = 64;
pub const SPEMU_FEAT_SPEV1P1: spemu_feature = 65;
pub const SPEMU_FEAT_SPEV1P2: spemu_feature = 66;
pub const SPEMU_FEAT_SPEV1P3: spemu_feature = 67;
pub const SPEMU_FEAT_SPEV1P4: spemu_feature = 68;
pub const SPEMU_FEAT_SPEV1P5: spemu_feature = 69;
pub const SPEMU_FEAT_SPE_ALTCLK: spemu_feature = 81;
pub const SPEMU_FEAT_SPE_ARCHINST: spemu_feature = 72;
pub const SPEMU_FEAT_SPE_CRR: spemu_feature = 76;
pub const SPEMU_FEAT_SPE_DPFZS: spemu_feature = 75;
pub const SPEMU_FEAT_SPE_EFT: spemu_feature = 78;
pub const SPEMU_FEAT_SPE_ERND: spemu_feature = 71;
pub const SPEMU_FEAT_SPE_EXC: spemu_feature = 83;
pub const SPEMU_FEAT_SPE_FDS: spemu_feature = 77;
pub const SPEMU_FEAT_SPE_FNE: spemu_feature = 73;
pub const SPEMU_FEAT_SPE_FPF: spemu_feature = 79;
pub const SPEMU_FEAT_SPE_LDS: spemu_feature = 70;
pub const SPEMU_FEAT_SPE_NVM: spemu_feature = 82;
pub const SPEMU_FEAT_SPE_PBT: spemu_feature = 74;
pub const SPEMU_FEAT_SPE_SME: spemu_feature = 80;
pub const SPEMU_FEAT_SVE: spemu_feature = 41;
pub const SPEMU_FEAT_TCR2: spemu_feature = 29;
pub const SPEMU_FEAT_TGRAN16K: spemu_feature = 17;
pub const SPEMU_FEAT_TGRAN4K: spemu_feature = 16;
pub const SPEMU_FEAT_TGRAN64K: spemu_feature = 18;
pub const SPEMU_FEAT_THE: spemu_feature = 43;
pub const SPEMU_FEAT_TTST: spemu_feature = 22;
pub const SPEMU_FEAT_VHE: spemu_feature = 4;
pub const SPEMU_FEAT_XS: spemu_feature = 37;
pub const SPEMU_FILTER_SELECTS_NOTHING_FILTER_OFF: spemu_filter_selects_nothing = 0;
pub const SPEMU_FILTER_SELECTS_NOTHING_NOTHING_RECORDED: spemu_filter_selects_nothing = 1;
pub const SPEMU_FLAG_UPDATES_MANAGED: spemu_flag_updates = 0;
pub const SPEMU_FLAG_UPDATES_NOT_MANAGED: spemu_flag_updates = 1;
pub const SPEMU_FORMAT_BRANCH: spemu_op_format = 14;
pub const SPEMU_FORMAT_EXTENDED: spemu_op_format = 9;
pub const SPEMU_FORMAT_GCS: spemu_op_format = 13;
pub const SPEMU_FORMAT_GENERAL: spemu_op_format = 4;
pub const SPEMU_FORMAT_MEMCPY: spemu_op_format = 11;
pub const SPEMU_FORMAT_MEMSET: spemu_op_format = 12;
pub const SPEMU_FORMAT_OTHER: spemu_op_format = 1;
pub const SPEMU_FORMAT_RESERVED: spemu_op_format = 0;
pub const SPEMU_FORMAT_SIMDFP: spemu_op_format = 5;
pub const SPEMU_FORMAT_SME: spemu_op_format = 3;
pub const SPEMU_FORMAT_SVE: spemu_op_format = 2;
pub const SPEMU_FORMAT_SVE_SME: spemu_op_format = 10;
pub const SPEMU_FORMAT_SYSREG: spemu_op_format = 8;
pub const SPEMU_FORMAT_TAG: spemu_op_format = 7;
pub const SPEMU_FORMAT_UNSPECIFIED: spemu_op_format = 6;
pub const SPEMU_FT_ACCESS_FLAG: spemu_fault_type = 2;
pub const SPEMU_FT_ADDRESS_SIZE: spemu_fault_type = 0;
pub const SPEMU_FT_ALIGNMENT: spemu_fault_type = 8;
pub const SPEMU_FT_EXTERNAL: spemu_fault_type = 11;
pub const SPEMU_FT_EXTERNAL_ASYNC: spemu_fault_type = 12;
pub const SPEMU_FT_EXTERNAL_ON_WALK: spemu_fault_type = 4;
pub const SPEMU_FT_GPF: spemu_fault_type = 7;
pub const SPEMU_FT_GPF_ON_WALK: spemu_fault_type = 6;
pub const SPEMU_FT_PARITY_ON_WALK: spemu_fault_type = 5;
pub const SPEMU_FT_PERMISSION: spemu_fault_type = 3;
pub const SPEMU_FT_TLB_CONFLICT: spemu_fault_type = 9;
pub const SPEMU_FT_TRANSLATION: spemu_fault_type = 1;
pub const SPEMU_FT_UNSUPPORTED_ATOMIC_UPDATE: spemu_fault_type = 10;
pub const SPEMU_GPCBW_EL3_BWADDR_LSB: u32 = 0;
pub const SPEMU_GPCBW_EL3_BWADDR_WIDTH: u32 = 26;
pub const SPEMU_GPCBW_EL3_BWSIZE_LSB: u32 = 37;
pub const SPEMU_GPCBW_EL3_BWSIZE_WIDTH: u32 = 3;
pub const SPEMU_GPCBW_EL3_BWSTRIDE_LSB: u32 = 32;
pub const SPEMU_GPCBW_EL3_BWSTRIDE_WIDTH: u32 = 5;
pub const SPEMU_GPCCR_EL3_APPSAA_LSB: u32 = 24;
pub const SPEMU_GPCCR_EL3_APPSAA_WIDTH: u32 = 1;
pub const SPEMU_GPCCR_EL3_GPCBW_LSB: u32 = 29;
pub const SPEMU_GPCCR_EL3_GPCBW_WIDTH: u32 = 1;
pub const SPEMU_GPCCR_EL3_GPC_LSB: u32 = 16;
pub const SPEMU_GPCCR_EL3_GPC_WIDTH: u32 = 1;
pub const SPEMU_GPCCR_EL3_IRGN_LSB: u32 = 8;
pub const SPEMU_GPCCR_EL3_IRGN_WIDTH: u32 = 2;
pub const SPEMU_GPCCR_EL3_L0GPTSZ_LSB: u32 = 20;
pub const SPEMU_GPCCR_EL3_L0GPTSZ_WIDTH: u32 = 4;
pub const SPEMU_GPCCR_EL3_NSO_LSB: u32 = 19;
pub const SPEMU_GPCCR_EL3_NSO_WIDTH: u32 = 1;
pub const SPEMU_GPCCR_EL3_NSPAD_LSB: u32 = 6;
pub const SPEMU_GPCCR_EL3_NSPAD_WIDTH: u32 = 1;
pub const SPEMU_GPCCR_EL3_ORGN_LSB: u32 = 10;
pub const SPEMU_GPCCR_EL3_ORGN_WIDTH: u32 = 2;
pub const SPEMU_GPCCR_EL3_PGS_LSB: u32 = 14;
pub const SPEMU_GPCCR_EL3_PGS_WIDTH: u32 = 2;
pub const SPEMU_GPCCR_EL3_PPS3_LSB: u32 = 3;
pub const SPEMU_GPCCR_EL3_PPS3_WIDTH: u32 = 1;
pub const SPEMU_GPCCR_EL3_PPS_LSB: u32 = 0;
pub const SPEMU_GPCCR_EL3_PPS_WIDTH: u32 = 3;
pub const SPEMU_GPCCR_EL3_RLPAD_LSB: u32 = 5;
pub const SPEMU_GPCCR_EL3_RLPAD_WIDTH: u32 = 1;
pub const SPEMU_GPCCR_EL3_SH_LSB: u32 = 12;
pub const SPEMU_GPCCR_EL3_SH_WIDTH: u32 = 2;
pub const SPEMU_GPCCR_EL3_SPAD_LSB: u32 = 7;
pub const SPEMU_GPCCR_EL3_SPAD_WIDTH: u32 = 1;
pub const SPEMU_GPTBR_EL3_BADDR_43_40_LSB: u32 = 40;
pub const SPEMU_GPTBR_EL3_BADDR_43_40_WIDTH: u32 = 4;
pub const SPEMU_GPTBR_EL3_BADDR_LSB: u32 = 0;
pub const SPEMU_GPTBR_EL3_BADDR_WIDTH: u32 = 40;
pub const SPEMU_HCRX_EL2_SCTLR2En_LSB: u32 = 15;
pub const SPEMU_HCRX_EL2_SCTLR2En_WIDTH: u32 = 1;
pub const SPEMU_HCRX_EL2_TCR2En_LSB: u32 = 14;
pub const SPEMU_HCRX_EL2_TCR2En_WIDTH: u32 = 1;
pub const SPEMU_HCR_EL2_CD_LSB: u32 = 32;
pub const SPEMU_HCR_EL2_CD_WIDTH: u32 = 1;
pub const SPEMU_HCR_EL2_DCT_LSB: u32 = 57;
pub const SPEMU_HCR_EL2_DCT_WIDTH: u32 = 1;
pub const SPEMU_HCR_EL2_DC_LSB: u32 = 12;
pub const SPEMU_HCR_EL2_DC_WIDTH: u32 = 1;
pub const SPEMU_HCR_EL2_E2H_LSB: u32 = 34;
pub const SPEMU_HCR_EL2_E2H_WIDTH: u32 = 1;
pub const SPEMU_HCR_EL2_FWB_LSB: u32 = 46;
pub const SPEMU_HCR_EL2_FWB_WIDTH: u32 = 1;
pub const SPEMU_HCR_EL2_GPF_LSB: u32 = 48;
pub const SPEMU_HCR_EL2_GPF_WIDTH: u32 = 1;
pub const SPEMU_HCR_EL2_NV1_LSB: u32 = 43;
pub const SPEMU_HCR_EL2_NV1_WIDTH: u32 = 1;
pub const SPEMU_HCR_EL2_NV2_LSB: u32 = 45;
pub const SPEMU_HCR_EL2_NV2_WIDTH: u32 = 1;
pub const SPEMU_HCR_EL2_NV_LSB: u32 = 42;
pub const SPEMU_HCR_EL2_NV_WIDTH: u32 = 1;
pub const SPEMU_HCR_EL2_PTW_LSB: u32 = 2;
pub const SPEMU_HCR_EL2_PTW_WIDTH: u32 = 1;
pub const SPEMU_HCR_EL2_TEA_LSB: u32 = 37;
pub const SPEMU_HCR_EL2_TEA_WIDTH: u32 = 1;
pub const SPEMU_HCR_EL2_TGE_LSB: u32 = 27;
pub const SPEMU_HCR_EL2_TGE_WIDTH: u32 = 1;
pub const SPEMU_HCR_EL2_TID3_LSB: u32 = 18;
pub const SPEMU_HCR_EL2_TID3_WIDTH: u32 = 1;
pub const SPEMU_HCR_EL2_TRVM_LSB: u32 = 30;
pub const SPEMU_HCR_EL2_TRVM_WIDTH: u32 = 1;
pub const SPEMU_HCR_EL2_TVM_LSB: u32 = 26;
pub const SPEMU_HCR_EL2_TVM_WIDTH: u32 = 1;
pub const SPEMU_HCR_EL2_VM_LSB: u32 = 0;
pub const SPEMU_HCR_EL2_VM_WIDTH: u32 = 1;
pub const SPEMU_HDFGRTR2_EL2_nPMBMAR_EL1_LSB: u32 = 24;
pub const SPEMU_HDFGRTR2_EL2_nPMBMAR_EL1_WIDTH: u32 = 1;
pub const SPEMU_HDFGRTR2_EL2_nPMECR_EL1_LSB: u32 = 0;
pub const SPEMU_HDFGRTR2_EL2_nPMECR_EL1_WIDTH: u32 = 1;
pub const SPEMU_HDFGRTR2_EL2_nPMICFILTR_EL0_LSB: u32 = 3;
pub const SPEMU_HDFGRTR2_EL2_nPMICFILTR_EL0_WIDTH: u32 = 1;
pub const SPEMU_HDFGRTR2_EL2_nPMICNTR_EL0_LSB: u32 = 2;
pub const SPEMU_HDFGRTR2_EL2_nPMICNTR_EL0_WIDTH: u32 = 1;
pub const SPEMU_HDFGRTR2_EL2_nPMSDSFR_EL1_LSB: u32 = 19;
pub const SPEMU_HDFGRTR2_EL2_nPMSDSFR_EL1_WIDTH: u32 = 1;
pub const SPEMU_HDFGRTR2_EL2_nPMSSCR_EL1_LSB: u32 = 7;
pub const SPEMU_HDFGRTR2_EL2_nPMSSCR_EL1_WIDTH: u32 = 1;
pub const SPEMU_HDFGRTR2_EL2_nPMSSDATA_LSB: u32 = 6;
pub const SPEMU_HDFGRTR2_EL2_nPMSSDATA_WIDTH: u32 = 1;
pub const SPEMU_HDFGRTR2_EL2_nPMUACR_EL1_LSB: u32 = 4;
pub const SPEMU_HDFGRTR2_EL2_nPMUACR_EL1_WIDTH: u32 = 1;
pub const SPEMU_HDFGRTR_EL2_PMBIDR_EL1_LSB: u32 = 63;
pub const SPEMU_HDFGRTR_EL2_PMBIDR_EL1_WIDTH: u32 = 1;
pub const SPEMU_HDFGRTR_EL2_PMBLIMITR_EL1_LSB: u32 = 23;
pub const SPEMU_HDFGRTR_EL2_PMBLIMITR_EL1_WIDTH: u32 = 1;
pub const SPEMU_HDFGRTR_EL2_PMBPTR_EL1_LSB: u32 = 24;
pub const SPEMU_HDFGRTR_EL2_PMBPTR_EL1_WIDTH: u32 = 1;
pub const SPEMU_HDFGRTR_EL2_PMBSR_EL1_LSB: u32 = 25;
pub const SPEMU_HDFGRTR_EL2_PMBSR_EL1_WIDTH: u32 = 1;
pub const SPEMU_HDFGRTR_EL2_PMCCFILTR_EL0_LSB: u32 = 14;
pub const SPEMU_HDFGRTR_EL2_PMCCFILTR_EL0_WIDTH: u32 = 1;
pub const SPEMU_HDFGRTR_EL2_PMCCNTR_EL0_LSB: u32 = 15;
pub const SPEMU_HDFGRTR_EL2_PMCCNTR_EL0_WIDTH: u32 = 1;
pub const SPEMU_HDFGRTR_EL2_PMCEIDn_EL0_LSB: u32 = 58;
pub const SPEMU_HDFGRTR_EL2_PMCEIDn_EL0_WIDTH: u32 = 1;
pub const SPEMU_HDFGRTR_EL2_PMCNTEN_LSB: u32 = 16;
pub const SPEMU_HDFGRTR_EL2_PMCNTEN_WIDTH: u32 = 1;
pub const SPEMU_HDFGRTR_EL2_PMEVCNTRn_EL0_LSB: u32 = 12;
pub const SPEMU_HDFGRTR_EL2_PMEVCNTRn_EL0_WIDTH: u32 = 1;
pub const SPEMU_HDFGRTR_EL2_PMEVTYPERn_EL0_LSB: u32 = 13;
pub const SPEMU_HDFGRTR_EL2_PMEVTYPERn_EL0_WIDTH: u32 = 1;
pub const SPEMU_HDFGRTR_EL2_PMINTEN_LSB: u32 = 17;
pub const SPEMU_HDFGRTR_EL2_PMINTEN_WIDTH: u32 = 1;
pub const SPEMU_HDFGRTR_EL2_PMMIR_EL1_LSB: u32 = 22;
pub const SPEMU_HDFGRTR_EL2_PMMIR_EL1_WIDTH: u32 = 1;
pub const SPEMU_HDFGRTR_EL2_PMOVS_LSB: u32 = 18;
pub const SPEMU_HDFGRTR_EL2_PMOVS_WIDTH: u32 = 1;
pub const SPEMU_HDFGRTR_EL2_PMSCR_EL1_LSB: u32 = 26;
pub const SPEMU_HDFGRTR_EL2_PMSCR_EL1_WIDTH: u32 = 1;
pub const SPEMU_HDFGRTR_EL2_PMSELR_EL0_LSB: u32 = 19;
pub const SPEMU_HDFGRTR_EL2_PMSELR_EL0_WIDTH: u32 = 1;
pub const SPEMU_HDFGRTR_EL2_PMSEVFR_EL1_LSB: u32 = 27;
pub const SPEMU_HDFGRTR_EL2_PMSEVFR_EL1_WIDTH: u32 = 1;
pub const SPEMU_HDFGRTR_EL2_PMSFCR_EL1_LSB: u32 = 28;
pub const SPEMU_HDFGRTR_EL2_PMSFCR_EL1_WIDTH: u32 = 1;
pub const SPEMU_HDFGRTR_EL2_PMSICR_EL1_LSB: u32 = 29;
pub const SPEMU_HDFGRTR_EL2_PMSICR_EL1_WIDTH: u32 = 1;
pub const SPEMU_HDFGRTR_EL2_PMSIDR_EL1_LSB: u32 = 30;
pub const SPEMU_HDFGRTR_EL2_PMSIDR_EL1_WIDTH: u32 = 1;
pub const SPEMU_HDFGRTR_EL2_PMSIRR_EL1_LSB: u32 = 31;
pub const SPEMU_HDFGRTR_EL2_PMSIRR_EL1_WIDTH: u32 = 1;
pub const SPEMU_HDFGRTR_EL2_PMSLATFR_EL1_LSB: u32 = 32;
pub const SPEMU_HDFGRTR_EL2_PMSLATFR_EL1_WIDTH: u32 = 1;
pub const SPEMU_HDFGRTR_EL2_PMUSERENR_EL0_LSB: u32 = 57;
pub const SPEMU_HDFGRTR_EL2_PMUSERENR_EL0_WIDTH: u32 = 1;
pub const SPEMU_HDFGRTR_EL2_nPMSNEVFR_EL1_LSB: u32 = 62;
pub const SPEMU_HDFGRTR_EL2_nPMSNEVFR_EL1_WIDTH: u32 = 1;
pub const SPEMU_HDFGWTR2_EL2_nPMBMAR_EL1_LSB: u32 = 24;
pub const SPEMU_HDFGWTR2_EL2_nPMBMAR_EL1_WIDTH: u32 = 1;
pub const SPEMU_HDFGWTR2_EL2_nPMECR_EL1_LSB: u32 = 0;
pub const SPEMU_HDFGWTR2_EL2_nPMECR_EL1_WIDTH: u32 = 1;
pub const SPEMU_HDFGWTR2_EL2_nPMICFILTR_EL0_LSB: u32 = 3;
pub const SPEMU_HDFGWTR2_EL2_nPMICFILTR_EL0_WIDTH: u32 = 1;
pub const SPEMU_HDFGWTR2_EL2_nPMICNTR_EL0_LSB: u32 = 2;
pub const SPEMU_HDFGWTR2_EL2_nPMICNTR_EL0_WIDTH: u32 = 1;
pub const SPEMU_HDFGWTR2_EL2_nPMSDSFR_EL1_LSB: u32 = 19;
pub const SPEMU_HDFGWTR2_EL2_nPMSDSFR_EL1_WIDTH: u32 = 1;
pub const SPEMU_HDFGWTR2_EL2_nPMSSCR_EL1_LSB: u32 = 7;
pub const SPEMU_HDFGWTR2_EL2_nPMSSCR_EL1_WIDTH: u32 = 1;
pub const SPEMU_HDFGWTR2_EL2_nPMUACR_EL1_LSB: u32 = 4;
pub const SPEMU_HDFGWTR2_EL2_nPMUACR_EL1_WIDTH: u32 = 1;
pub const SPEMU_HDFGWTR2_EL2_nPMZR_EL0_LSB: u32 = 21;
pub const SPEMU_HDFGWTR2_EL2_nPMZR_EL0_WIDTH: u32 = 1;
pub const SPEMU_HDFGWTR_EL2_PMBLIMITR_EL1_LSB: u32 = 23;
pub const SPEMU_HDFGWTR_EL2_PMBLIMITR_EL1_WIDTH: u32 = 1;
pub const SPEMU_HDFGWTR_EL2_PMBPTR_EL1_LSB: u32 = 24;
pub const SPEMU_HDFGWTR_EL2_PMBPTR_EL1_WIDTH: u32 = 1;
pub const SPEMU_HDFGWTR_EL2_PMBSR_EL1_LSB: u32 = 25;
pub const SPEMU_HDFGWTR_EL2_PMBSR_EL1_WIDTH: u32 = 1;
pub const SPEMU_HDFGWTR_EL2_PMCCFILTR_EL0_LSB: u32 = 14;
pub const SPEMU_HDFGWTR_EL2_PMCCFILTR_EL0_WIDTH: u32 = 1;
pub const SPEMU_HDFGWTR_EL2_PMCCNTR_EL0_LSB: u32 = 15;
pub const SPEMU_HDFGWTR_EL2_PMCCNTR_EL0_WIDTH: u32 = 1;
pub const SPEMU_HDFGWTR_EL2_PMCNTEN_LSB: u32 = 16;
pub const SPEMU_HDFGWTR_EL2_PMCNTEN_WIDTH: u32 = 1;
pub const SPEMU_HDFGWTR_EL2_PMCR_EL0_LSB: u32 = 21;
pub const SPEMU_HDFGWTR_EL2_PMCR_EL0_WIDTH: u32 = 1;
pub const SPEMU_HDFGWTR_EL2_PMEVCNTRn_EL0_LSB: u32 = 12;
pub const SPEMU_HDFGWTR_EL2_PMEVCNTRn_EL0_WIDTH: u32 = 1;
pub const SPEMU_HDFGWTR_EL2_PMEVTYPERn_EL0_LSB: u32 = 13;
pub const SPEMU_HDFGWTR_EL2_PMEVTYPERn_EL0_WIDTH: u32 = 1;
pub const SPEMU_HDFGWTR_EL2_PMINTEN_LSB: u32 = 17;
pub const SPEMU_HDFGWTR_EL2_PMINTEN_WIDTH: u32 = 1;
pub const SPEMU_HDFGWTR_EL2_PMOVS_LSB: u32 = 18;
pub const SPEMU_HDFGWTR_EL2_PMOVS_WIDTH: u32 = 1;
pub const SPEMU_HDFGWTR_EL2_PMSCR_EL1_LSB: u32 = 26;
pub const SPEMU_HDFGWTR_EL2_PMSCR_EL1_WIDTH: u32 = 1;
pub const SPEMU_HDFGWTR_EL2_PMSELR_EL0_LSB: u32 = 19;
pub const SPEMU_HDFGWTR_EL2_PMSELR_EL0_WIDTH: u32 = 1;
pub const SPEMU_HDFGWTR_EL2_PMSEVFR_EL1_LSB: u32 = 27;
pub const SPEMU_HDFGWTR_EL2_PMSEVFR_EL1_WIDTH: u32 = 1;
pub const SPEMU_HDFGWTR_EL2_PMSFCR_EL1_LSB: u32 = 28;
pub const SPEMU_HDFGWTR_EL2_PMSFCR_EL1_WIDTH: u32 = 1;
pub const SPEMU_HDFGWTR_EL2_PMSICR_EL1_LSB: u32 = 29;
pub const SPEMU_HDFGWTR_EL2_PMSICR_EL1_WIDTH: u32 = 1;
pub const SPEMU_HDFGWTR_EL2_PMSIRR_EL1_LSB: u32 = 31;
pub const SPEMU_HDFGWTR_EL2_PMSIRR_EL1_WIDTH: u32 = 1;
pub const SPEMU_HDFGWTR_EL2_PMSLATFR_EL1_LSB: u32 = 32;
pub const SPEMU_HDFGWTR_EL2_PMSLATFR_EL1_WIDTH: u32 = 1;
pub const SPEMU_HDFGWTR_EL2_PMSWINC_EL0_LSB: u32 = 20;
pub const SPEMU_HDFGWTR_EL2_PMSWINC_EL0_WIDTH: u32 = 1;
pub const SPEMU_HDFGWTR_EL2_PMUSERENR_EL0_LSB: u32 = 57;
pub const SPEMU_HDFGWTR_EL2_PMUSERENR_EL0_WIDTH: u32 = 1;
pub const SPEMU_HDFGWTR_EL2_nPMSNEVFR_EL1_LSB: u32 = 62;
pub const SPEMU_HDFGWTR_EL2_nPMSNEVFR_EL1_WIDTH: u32 = 1;
pub const SPEMU_HEADER_ADDRESS: spemu_header = 176;
pub const SPEMU_HEADER_CLASS: spemu_header_field = 3;
pub const SPEMU_HEADER_CONTEXT: spemu_header = 100;
pub const SPEMU_HEADER_CONTEXT_INDEX: spemu_header_field = 3;
pub const SPEMU_HEADER_COUNTER: spemu_header = 152;
pub const SPEMU_HEADER_DATA_SOURCE: spemu_header = 67;
pub const SPEMU_HEADER_END: spemu_header = 1;
pub const SPEMU_HEADER_EVENTS: spemu_header = 66;
pub const SPEMU_HEADER_EXTENDED: spemu_header = 32;
pub const SPEMU_HEADER_EXTENDED_INDEX: spemu_header_field = 3;
pub const SPEMU_HEADER_EXTENDED_RES0: spemu_header_field = 28;
pub const SPEMU_HEADER_INDEX: spemu_header_field = 7;
pub const SPEMU_HEADER_INDEX_WIDTH: u32 = 3;
pub const SPEMU_HEADER_OP_TYPE: spemu_header = 72;
pub const SPEMU_HEADER_PADDING: spemu_header = 0;
pub const SPEMU_HEADER_SZ: spemu_header_field = 48;
pub const SPEMU_HEADER_TIMESTAMP: spemu_header = 113;
pub const SPEMU_HFGRTR_EL2_CONTEXTIDR_EL1_LSB: u32 = 11;
pub const SPEMU_HFGRTR_EL2_CONTEXTIDR_EL1_WIDTH: u32 = 1;
pub const SPEMU_HFGWTR_EL2_CONTEXTIDR_EL1_LSB: u32 = 11;
pub const SPEMU_HFGWTR_EL2_CONTEXTIDR_EL1_WIDTH: u32 = 1;
pub const SPEMU_HINT_READ_ALLOCATE: u32 = 2;
pub const SPEMU_HINT_TRANSIENT: u32 = 4;
pub const SPEMU_HINT_WRITE_ALLOCATE: u32 = 1;
pub const SPEMU_ID_AA64DFR0_EL1_PMSVer_LSB: u32 = 32;
pub const SPEMU_ID_AA64DFR0_EL1_PMSVer_NONE: u32 = 0;
pub const SPEMU_ID_AA64DFR0_EL1_PMSVer_SPE: u32 = 1;
pub const SPEMU_ID_AA64DFR0_EL1_PMSVer_SPEv1p1: u32 = 2;
pub const SPEMU_ID_AA64DFR0_EL1_PMSVer_SPEv1p2: u32 = 3;
pub const SPEMU_ID_AA64DFR0_EL1_PMSVer_SPEv1p3: u32 = 4;
pub const SPEMU_ID_AA64DFR0_EL1_PMSVer_SPEv1p4: u32 = 5;
pub const SPEMU_ID_AA64DFR0_EL1_PMSVer_SPEv1p5: u32 = 6;
pub const SPEMU_ID_AA64DFR0_EL1_PMSVer_WIDTH: u32 = 4;
pub const SPEMU_ID_AA64DFR1_EL1_DPFZS_LSB: u32 = 52;
pub const SPEMU_ID_AA64DFR1_EL1_DPFZS_WIDTH: u32 = 4;
pub const SPEMU_ID_AA64DFR2_EL1_SPE_EXC_LSB: u32 = 16;
pub const SPEMU_ID_AA64DFR2_EL1_SPE_EXC_WIDTH: u32 = 4;
pub const SPEMU_ID_AA64DFR2_EL1_SPE_nVM_LSB: u32 = 20;
pub const SPEMU_ID_AA64DFR2_EL1_SPE_nVM_WIDTH: u32 = 4;
pub const SPEMU_INACCESSIBLE_COUNTER_TRAPPED: spemu_inaccessible_counter = 1;
pub const SPEMU_INACCESSIBLE_COUNTER_UNDEFINED: spemu_inaccessible_counter = 0;
pub const SPEMU_INDEX_MAX: u32 = 31;
pub const SPEMU_INJECTIONS_MAX: u32 = 8;
pub const SPEMU_INJECT_ADDRESS: spemu_inject_when = 1;
pub const SPEMU_INJECT_BUFFER_SIZE: spemu_inject_kind = 3;
pub const SPEMU_INJECT_COLLISION: spemu_inject_kind = 5;
pub const SPEMU_INJECT_FAULT: spemu_inject_kind = 0;
pub const SPEMU_INJECT_FULL: spemu_inject_kind = 2;
pub const SPEMU_INJECT_IMPDEF: spemu_inject_kind = 4;
pub const SPEMU_INJECT_NOT_ALLOWED: spemu_inject_kind = 1;
pub const SPEMU_INJECT_NTH: spemu_inject_when = 0;
pub const SPEMU_INJECT_RATE: spemu_inject_when = 2;
pub const SPEMU_INNER_SHAREABLE: spemu_shareability = 3;
pub const SPEMU_IN_FLIGHT_MAX: u32 = 16;
pub const SPEMU_ISB_AS_BRANCH_BRANCH: spemu_isb_as_branch = 1;
pub const SPEMU_ISB_AS_BRANCH_OTHER: spemu_isb_as_branch = 0;
pub const SPEMU_LAYOUT_MEMBERS: u32 = 21;
pub const SPEMU_LDST_EXTENDED: spemu_ldst_type = 1;
pub const SPEMU_LDST_GCS: spemu_ldst_type = 9;
pub const SPEMU_LDST_GENERAL: spemu_ldst_type = 0;
pub const SPEMU_LDST_MEMCOPY: spemu_ldst_type = 7;
pub const SPEMU_LDST_MEMSET: spemu_ldst_type = 8;
pub const SPEMU_LDST_NV2: spemu_ldst_type = 6;
pub const SPEMU_LDST_SIMDFP: spemu_ldst_type = 2;
pub const SPEMU_LDST_SVESME: spemu_ldst_type = 3;
pub const SPEMU_LDST_TAGS: spemu_ldst_type = 5;
pub const SPEMU_LDST_UNSPECIFIED: spemu_ldst_type = 4;
pub const SPEMU_MAIR2_EL1_Attr_LSB: u32 = 0;
pub const SPEMU_MAIR2_EL1_Attr_WIDTH: u32 = 64;
pub const SPEMU_MAIR2_EL2_Attr_LSB: u32 = 0;
pub const SPEMU_MAIR2_EL2_Attr_WIDTH: u32 = 64;
pub const SPEMU_MAIR_EL1_Attr_LSB: u32 = 0;
pub const SPEMU_MAIR_EL1_Attr_WIDTH: u32 = 64;
pub const SPEMU_MAIR_EL2_Attr_LSB: u32 = 0;
pub const SPEMU_MAIR_EL2_Attr_WIDTH: u32 = 64;
pub const SPEMU_MDCR_EL2_E2PB_EL1: u32 = 3;
pub const SPEMU_MDCR_EL2_E2PB_EL1_TRAP: u32 = 2;
pub const SPEMU_MDCR_EL2_E2PB_EL2: u32 = 0;
pub const SPEMU_MDCR_EL2_E2PB_LSB: u32 = 12;
pub const SPEMU_MDCR_EL2_E2PB_WIDTH: u32 = 2;
pub const SPEMU_MDCR_EL2_HCCD_LSB: u32 = 23;
pub const SPEMU_MDCR_EL2_HCCD_WIDTH: u32 = 1;
pub const SPEMU_MDCR_EL2_HLP_LSB: u32 = 26;
pub const SPEMU_MDCR_EL2_HLP_WIDTH: u32 = 1;
pub const SPEMU_MDCR_EL2_HPMD_LSB: u32 = 17;
pub const SPEMU_MDCR_EL2_HPMD_WIDTH: u32 = 1;
pub const SPEMU_MDCR_EL2_HPME_LSB: u32 = 7;
pub const SPEMU_MDCR_EL2_HPME_WIDTH: u32 = 1;
pub const SPEMU_MDCR_EL2_HPMFZO_LSB: u32 = 29;
pub const SPEMU_MDCR_EL2_HPMFZO_WIDTH: u32 = 1;
pub const SPEMU_MDCR_EL2_HPMFZS_LSB: u32 = 36;
pub const SPEMU_MDCR_EL2_HPMFZS_WIDTH: u32 = 1;
pub const SPEMU_MDCR_EL2_HPMN_LSB: u32 = 0;
pub const SPEMU_MDCR_EL2_HPMN_WIDTH: u32 = 5;
pub const SPEMU_MDCR_EL2_PMSSE_ALLOWED: u32 = 3;
pub const SPEMU_MDCR_EL2_PMSSE_DELEGATED: u32 = 1;
pub const SPEMU_MDCR_EL2_PMSSE_DISABLED: u32 = 0;
pub const SPEMU_MDCR_EL2_PMSSE_LSB: u32 = 30;
pub const SPEMU_MDCR_EL2_PMSSE_PROHIBITED: u32 = 2;
pub const SPEMU_MDCR_EL2_PMSSE_WIDTH: u32 = 2;
pub const SPEMU_MDCR_EL2_TPMCR_LSB: u32 = 5;
pub const SPEMU_MDCR_EL2_TPMCR_WIDTH: u32 = 1;
pub const SPEMU_MDCR_EL2_TPMS_LSB: u32 = 14;
pub const SPEMU_MDCR_EL2_TPMS_WIDTH: u32 = 1;
pub const SPEMU_MDCR_EL2_TPM_LSB: u32 = 6;
pub const SPEMU_MDCR_EL2_TPM_WIDTH: u32 = 1;
pub const SPEMU_MDCR_EL3_EPMADE_LSB: u32 = 2;
pub const SPEMU_MDCR_EL3_EPMADE_WIDTH: u32 = 1;
pub const SPEMU_MDCR_EL3_EPMAD_LSB: u32 = 21;
pub const SPEMU_MDCR_EL3_EPMAD_WIDTH: u32 = 1;
pub const SPEMU_MDCR_EL3_EPMSSAD_ALL: u32 = 3;
pub const SPEMU_MDCR_EL3_EPMSSAD_LSB: u32 = 45;
pub const SPEMU_MDCR_EL3_EPMSSAD_MOST_SECURE: u32 = 0;
pub const SPEMU_MDCR_EL3_EPMSSAD_ROOT_REALM: u32 = 1;
pub const SPEMU_MDCR_EL3_EPMSSAD_ROOT_SECURE: u32 = 2;
pub const SPEMU_MDCR_EL3_EPMSSAD_WIDTH: u32 = 2;
pub const SPEMU_MDCR_EL3_EnPM2_LSB: u32 = 7;
pub const SPEMU_MDCR_EL3_EnPM2_WIDTH: u32 = 1;
pub const SPEMU_MDCR_EL3_EnPMS3_LSB: u32 = 42;
pub const SPEMU_MDCR_EL3_EnPMS3_WIDTH: u32 = 1;
pub const SPEMU_MDCR_EL3_EnPMS4_LSB: u32 = 55;
pub const SPEMU_MDCR_EL3_EnPMS4_WIDTH: u32 = 1;
pub const SPEMU_MDCR_EL3_EnPMSN_LSB: u32 = 36;
pub const SPEMU_MDCR_EL3_EnPMSN_WIDTH: u32 = 1;
pub const SPEMU_MDCR_EL3_EnPMSS_LSB: u32 = 44;
pub const SPEMU_MDCR_EL3_EnPMSS_WIDTH: u32 = 1;
pub const SPEMU_MDCR_EL3_MCCD_LSB: u32 = 34;
pub const SPEMU_MDCR_EL3_MCCD_WIDTH: u32 = 1;
pub const SPEMU_MDCR_EL3_MPMX_LSB: u32 = 35;
pub const SPEMU_MDCR_EL3_MPMX_WIDTH: u32 = 1;
pub const SPEMU_MDCR_EL3_NSPBE_LSB: u32 = 11;
pub const SPEMU_MDCR_EL3_NSPBE_WIDTH: u32 = 1;
pub const SPEMU_MDCR_EL3_NSPB_LSB: u32 = 12;
pub const SPEMU_MDCR_EL3_NSPB_WIDTH: u32 = 2;
pub const SPEMU_MDCR_EL3_PMSEE_DELEGATED: u32 = 1;
pub const SPEMU_MDCR_EL3_PMSEE_DISABLED: u32 = 0;
pub const SPEMU_MDCR_EL3_PMSEE_ENABLED: u32 = 2;
pub const SPEMU_MDCR_EL3_PMSEE_LSB: u32 = 51;
pub const SPEMU_MDCR_EL3_PMSEE_TRAP_ALL: u32 = 3;
pub const SPEMU_MDCR_EL3_PMSEE_WIDTH: u32 = 2;
pub const SPEMU_MDCR_EL3_PMSSE_ALLOWED: u32 = 3;
pub const SPEMU_MDCR_EL3_PMSSE_DELEGATED: u32 = 1;
pub const SPEMU_MDCR_EL3_PMSSE_DISABLED: u32 = 0;
pub const SPEMU_MDCR_EL3_PMSSE_LSB: u32 = 30;
pub const SPEMU_MDCR_EL3_PMSSE_PROHIBITED: u32 = 2;
pub const SPEMU_MDCR_EL3_PMSSE_WIDTH: u32 = 2;
pub const SPEMU_MDCR_EL3_SCCD_LSB: u32 = 23;
pub const SPEMU_MDCR_EL3_SCCD_WIDTH: u32 = 1;
pub const SPEMU_MDCR_EL3_SPME_LSB: u32 = 17;
pub const SPEMU_MDCR_EL3_SPME_WIDTH: u32 = 1;
pub const SPEMU_MDCR_EL3_TDA_LSB: u32 = 9;
pub const SPEMU_MDCR_EL3_TDA_WIDTH: u32 = 1;
pub const SPEMU_MDCR_EL3_TPM_LSB: u32 = 6;
pub const SPEMU_MDCR_EL3_TPM_WIDTH: u32 = 1;
pub const SPEMU_MECID_A0_EL2_MECID_LSB: u32 = 0;
pub const SPEMU_MECID_A0_EL2_MECID_WIDTH: u32 = 16;
pub const SPEMU_MECID_A1_EL2_MECID_LSB: u32 = 0;
pub const SPEMU_MECID_A1_EL2_MECID_WIDTH: u32 = 16;
pub const SPEMU_MECID_P0_EL2_MECID_LSB: u32 = 0;
pub const SPEMU_MECID_P0_EL2_MECID_WIDTH: u32 = 16;
pub const SPEMU_MECID_P1_EL2_MECID_LSB: u32 = 0;
pub const SPEMU_MECID_P1_EL2_MECID_WIDTH: u32 = 16;
pub const SPEMU_MEMORY_DEVICE_GRE: spemu_memory_type = 3;
pub const SPEMU_MEMORY_DEVICE_NGNRE: spemu_memory_type = 1;
pub const SPEMU_MEMORY_DEVICE_NGNRNE: spemu_memory_type = 0;
pub const SPEMU_MEMORY_DEVICE_NGRE: spemu_memory_type = 2;
pub const SPEMU_MEMORY_NORMAL: spemu_memory_type = 4;
pub const SPEMU_NON_ARCHITECTURAL_EXCEPTION_CAPTURE_CAPTURED: spemu_non_architectural_exception_capture = 0;
pub const SPEMU_NON_ARCHITECTURAL_EXCEPTION_CAPTURE_DISCARDED: spemu_non_architectural_exception_capture = 1;
pub const SPEMU_NON_CACHEABLE: spemu_cacheability = 0;
pub const SPEMU_NON_SHAREABLE: spemu_shareability = 0;
pub const SPEMU_NOT_RETIRED_CAPTURE_CAPTURED: spemu_not_retired_capture = 0;
pub const SPEMU_NOT_RETIRED_CAPTURE_DISCARDED: spemu_not_retired_capture = 1;
pub const SPEMU_NOT_RETIRED_RECORD_MINIMAL: spemu_not_retired_record = 1;
pub const SPEMU_NOT_RETIRED_RECORD_WHOLE: spemu_not_retired_record = 0;
pub const SPEMU_NOT_TAKEN_TARGET_OMITTED: spemu_not_taken_target = 0;
pub const SPEMU_NOT_TAKEN_TARGET_RECORDED: spemu_not_taken_target = 1;
pub const SPEMU_NO_CAPTURE_WRITE_IGNORED: spemu_no_capture_write = 0;
pub const SPEMU_NO_CAPTURE_WRITE_WRITTEN: spemu_no_capture_write = 1;
pub const SPEMU_NO_TRANSLATION_BIT_FAULT: spemu_no_translation_bit = 1;
pub const SPEMU_NO_TRANSLATION_BIT_IGNORED: spemu_no_translation_bit = 0;
pub const SPEMU_NV1_WITHOUT_NV_AS_00: spemu_nv1_without_nv = 0;
pub const SPEMU_NV1_WITHOUT_NV_AS_01: spemu_nv1_without_nv = 1;
pub const SPEMU_NV1_WITHOUT_NV_AS_11: spemu_nv1_without_nv = 2;
pub const SPEMU_OK: spemu_status = 0;
pub const SPEMU_OPF_ACQUIRE_RELEASE: spemu_op_flag = 8;
pub const SPEMU_OPF_ATOMIC: spemu_op_flag = 32;
pub const SPEMU_OPF_CONDITIONAL: spemu_op_flag = 1;
pub const SPEMU_OPF_DC_ZERO: spemu_op_flag = 2097152;
pub const SPEMU_OPF_ERET: spemu_op_flag = 4096;
pub const SPEMU_OPF_EXCEPTION: spemu_op_flag = 16384;
pub const SPEMU_OPF_EXCLUSIVE: spemu_op_flag = 16;
pub const SPEMU_OPF_FP: spemu_op_flag = 2;
pub const SPEMU_OPF_GATHER_SCATTER: spemu_op_flag = 128;
pub const SPEMU_OPF_GCS: spemu_op_flag = 2048;
pub const SPEMU_OPF_INDIRECT: spemu_op_flag = 256;
pub const SPEMU_OPF_ISB: spemu_op_flag = 8192;
pub const SPEMU_OPF_LINK: spemu_op_flag = 512;
pub const SPEMU_OPF_PAIR: spemu_op_flag = 32768;
pub const SPEMU_OPF_PREDICATED: spemu_op_flag = 64;
pub const SPEMU_OPF_PREFETCH: spemu_op_flag = 524288;
pub const SPEMU_OPF_RETURN: spemu_op_flag = 1024;
pub const SPEMU_OPF_SIMD: spemu_op_flag = 4;
pub const SPEMU_OPF_SME: spemu_op_flag = 65536;
pub const SPEMU_OPF_STATUS_RESULT: spemu_op_flag = 1048576;
pub const SPEMU_OPF_WHOLE_ZA: spemu_op_flag = 262144;
pub const SPEMU_OPF_ZT: spemu_op_flag = 131072;
pub const SPEMU_OPM_MEMORY_TAGGING: spemu_op_memory_access = 4;
pub const SPEMU_OPM_NOT_PERFORMED: spemu_op_memory_access = 8;
pub const SPEMU_OPM_NO_TBI: spemu_op_memory_access = 2;
pub const SPEMU_OPM_TAG_CHECKED: spemu_op_memory_access = 1;
pub const SPEMU_OPTIONAL_EVENTS: u32 = 49811200;
pub const SPEMU_OPV_ALT_ISSUE_LATENCY: spemu_op_valid = 128;
pub const SPEMU_OPV_DATA_SOURCE: spemu_op_valid = 64;
pub const SPEMU_OPV_ISSUE_LATENCY: spemu_op_valid = 16;
pub const SPEMU_OPV_PA: spemu_op_valid = 2;
pub const SPEMU_OPV_STORE_PA: spemu_op_valid = 512;
pub const SPEMU_OPV_STORE_VA: spemu_op_valid = 256;
pub const SPEMU_OPV_TARGET: spemu_op_valid = 4;
pub const SPEMU_OPV_TARGET_CONTEXT: spemu_op_valid = 1024;
pub const SPEMU_OPV_TOTAL_LATENCY: spemu_op_valid = 8;
pub const SPEMU_OPV_TRANSLATION_LATENCY: spemu_op_valid = 32;
pub const SPEMU_OPV_VA: spemu_op_valid = 1;
pub const SPEMU_OP_BRANCH: spemu_op_type = 6;
pub const SPEMU_OP_LOAD: spemu_op_type = 3;
pub const SPEMU_OP_LOAD_ATOMIC: spemu_op_type = 5;
pub const SPEMU_OP_OTHER: spemu_op_type = 0;
pub const SPEMU_OP_OTHER_SME: spemu_op_type = 2;
pub const SPEMU_OP_OTHER_SVE: spemu_op_type = 1;
pub const SPEMU_OP_STORE: spemu_op_type = 4;
pub const SPEMU_ORDER_CHOSEN: spemu_layout_order = 2;
pub const SPEMU_ORDER_PC_FIRST: spemu_layout_order = 1;
pub const SPEMU_ORDER_PSEUDOCODE: spemu_layout_order = 0;
pub const SPEMU_OSLSR_EL1_OSLK_LSB: u32 = 1;
pub const SPEMU_OSLSR_EL1_OSLK_WIDTH: u32 = 1;
pub const SPEMU_OUTER_SHAREABLE: spemu_shareability = 2;
pub const SPEMU_PACKET_SIZE_ADDRESS: spemu_packet_size = 9;
pub const SPEMU_PACKET_SIZE_CONTEXT: spemu_packet_size = 5;
pub const SPEMU_PACKET_SIZE_COUNTER: spemu_packet_size = 3;
pub const SPEMU_PACKET_SIZE_END: spemu_packet_size = 1;
pub const SPEMU_PACKET_SIZE_MAX: spemu_packet_size = 10;
pub const SPEMU_PACKET_SIZE_OP_TYPE: spemu_packet_size = 2;
pub const SPEMU_PACKET_SIZE_TIMESTAMP: spemu_packet_size = 9;
pub const SPEMU_PAGE_CROSSING_ALIGNMENT_FAULT: spemu_page_crossing = 1;
pub const SPEMU_PAGE_CROSSING_DISCARD_ALL: spemu_page_crossing = 3;
pub const SPEMU_PAGE_CROSSING_DISCARD_ALL_COUNTED: spemu_page_crossing = 2;
pub const SPEMU_PAGE_CROSSING_DISCARD_FIRST: spemu_page_crossing = 7;
pub const SPEMU_PAGE_CROSSING_DISCARD_FIRST_COUNTED: spemu_page_crossing = 6;
pub const SPEMU_PAGE_CROSSING_DISCARD_SECOND: spemu_page_crossing = 5;
pub const SPEMU_PAGE_CROSSING_DISCARD_SECOND_COUNTED: spemu_page_crossing = 4;
pub const SPEMU_PAGE_CROSSING_OWN_ATTRIBUTES: spemu_page_crossing = 0;
pub const SPEMU_PA_SPACE_NON_SECURE: spemu_pa_space = 2;
pub const SPEMU_PA_SPACE_OF_STATE: spemu_pa_space = 0;
pub const SPEMU_PA_SPACE_REALM: spemu_pa_space = 3;
pub const SPEMU_PA_SPACE_SECURE: spemu_pa_space = 1;
pub const SPEMU_PC_SAMPLE_FIRST_ALL_ONES: spemu_pc_sample_first = 1;
pub const SPEMU_PC_SAMPLE_FIRST_SAMPLED: spemu_pc_sample_first = 0;
pub const SPEMU_PC_SAMPLE_UNKNOWN_LAST: spemu_pc_sample_unknown = 1;
pub const SPEMU_PC_SAMPLE_UNKNOWN_UNKNOWN: spemu_pc_sample_unknown = 0;
pub const SPEMU_PERF_AUX: spemu_perf_type = 11;
pub const SPEMU_PERF_AUXTRACE: spemu_perf_type = 71;
pub const SPEMU_PERF_AUXTRACE_INFO: spemu_perf_type = 70;
pub const SPEMU_PERF_AUXTRACE_SIZE: u32 = 48;
pub const SPEMU_PERF_AUXTRACE_SPE: u32 = 4;
pub const SPEMU_PERF_AUX_COLLISION: spemu_perf_aux_flag = 8;
pub const SPEMU_PERF_AUX_OVERWRITE: spemu_perf_aux_flag = 2;
pub const SPEMU_PERF_AUX_PARTIAL: spemu_perf_aux_flag = 4;
pub const SPEMU_PERF_AUX_TRUNCATED: spemu_perf_aux_flag = 1;
pub const SPEMU_PERF_BUILD_ID_EVENT_MAX: u32 = 4136;
pub const SPEMU_PERF_BUILD_ID_MAX: u32 = 20;
pub const SPEMU_PERF_CALLCHAIN_ID: u32 = 2;
pub const SPEMU_PERF_CALLCHAIN_MAX: u32 = 127;
pub const SPEMU_PERF_CALLCHAIN_SAMPLE_TYPE: u32 = 65703;
pub const SPEMU_PERF_COMM: spemu_perf_type = 3;
pub const SPEMU_PERF_COMPRESSED: spemu_perf_type = 81;
pub const SPEMU_PERF_CONTEXT_MAX: u64 = 18446744073709547521;
pub const SPEMU_PERF_CONTEXT_USER: u64 = 18446744073709551104;
pub const SPEMU_PERF_EVENT_ID: u32 = 1;
pub const SPEMU_PERF_EVENT_MAX: u32 = 65528;
pub const SPEMU_PERF_EXIT: spemu_perf_type = 4;
pub const SPEMU_PERF_FEAT_ARCH: spemu_perf_feature = 6;
pub const SPEMU_PERF_FEAT_AUXTRACE: spemu_perf_feature = 18;
pub const SPEMU_PERF_FEAT_BUILD_ID: spemu_perf_feature = 2;
pub const SPEMU_PERF_FEAT_CMDLINE: spemu_perf_feature = 11;
pub const SPEMU_PERF_FEAT_CPUDESC: spemu_perf_feature = 8;
pub const SPEMU_PERF_FEAT_CPUID: spemu_perf_feature = 9;
pub const SPEMU_PERF_FEAT_EVENT_DESC: spemu_perf_feature = 12;
pub const SPEMU_PERF_FEAT_HOSTNAME: spemu_perf_feature = 3;
pub const SPEMU_PERF_FEAT_MAX: spemu_perf_feature = 256;
pub const SPEMU_PERF_FEAT_MEM_TOPOLOGY: spemu_perf_feature = 22;
pub const SPEMU_PERF_FEAT_NRCPUS: spemu_perf_feature = 7;
pub const SPEMU_PERF_FEAT_NUMA_TOPOLOGY: spemu_perf_feature = 14;
pub const SPEMU_PERF_FEAT_OSRELEASE: spemu_perf_feature = 4;
pub const SPEMU_PERF_FEAT_SAMPLE_TIME: spemu_perf_feature = 21;
pub const SPEMU_PERF_FEAT_VERSION: spemu_perf_feature = 5;
pub const SPEMU_PERF_FILENAME_MAX: u32 = 4095;
pub const SPEMU_PERF_FINISHED_ROUND: spemu_perf_type = 68;
pub const SPEMU_PERF_FORK: spemu_perf_type = 7;
pub const SPEMU_PERF_HEADER_ATTR: spemu_perf_type = 64;
pub const SPEMU_PERF_HEADER_BUILD_ID: spemu_perf_type = 67;
pub const SPEMU_PERF_HEADER_FEATURE: spemu_perf_type = 80;
pub const SPEMU_PERF_HEAD_MAX: u32 = 262144;
pub const SPEMU_PERF_ID_INDEX: spemu_perf_type = 69;
pub const SPEMU_PERF_ITRACE_START: spemu_perf_type = 12;
pub const SPEMU_PERF_LOST: spemu_perf_type = 2;
pub const SPEMU_PERF_MISC_BUILD_ID_SIZE: spemu_perf_misc = 32768;
pub const SPEMU_PERF_MISC_COMM_EXEC: spemu_perf_misc = 8192;
pub const SPEMU_PERF_MISC_CPUMODE: spemu_perf_misc = 7;
pub const SPEMU_PERF_MISC_KERNEL: spemu_perf_misc = 1;
pub const SPEMU_PERF_MISC_MMAP_BUILD_ID: spemu_perf_misc = 16384;
pub const SPEMU_PERF_MISC_MMAP_DATA: spemu_perf_misc = 8192;
pub const SPEMU_PERF_MISC_USER: spemu_perf_misc = 2;
pub const SPEMU_PERF_MMAP: spemu_perf_type = 1;
pub const SPEMU_PERF_MMAP2: spemu_perf_type = 10;
pub const SPEMU_PERF_NRCPUS_SIZE: u32 = 8;
pub const SPEMU_PERF_NUMA_SIZE: u32 = 5;
pub const SPEMU_PERF_PLACE_AT: u32 = 40;
pub const SPEMU_PERF_PLACE_SIZE: u32 = 8;
pub const SPEMU_PERF_PMU_TYPE: u32 = 21328;
pub const SPEMU_PERF_SAMPLE: spemu_perf_type = 9;
pub const SPEMU_PERF_SAMPLE_ADDR: spemu_perf_sample_bit = 8;
pub const SPEMU_PERF_SAMPLE_CALLCHAIN: spemu_perf_sample_bit = 32;
pub const SPEMU_PERF_SAMPLE_CPU: spemu_perf_sample_bit = 128;
pub const SPEMU_PERF_SAMPLE_DATA_SRC: spemu_perf_sample_bit = 32768;
pub const SPEMU_PERF_SAMPLE_ID: spemu_perf_sample_bit = 64;
pub const SPEMU_PERF_SAMPLE_IDENTIFIER: spemu_perf_sample_bit = 65536;
pub const SPEMU_PERF_SAMPLE_IP: spemu_perf_sample_bit = 1;
pub const SPEMU_PERF_SAMPLE_PERIOD: spemu_perf_sample_bit = 256;
pub const SPEMU_PERF_SAMPLE_PHYS_ADDR: spemu_perf_sample_bit = 524288;
pub const SPEMU_PERF_SAMPLE_READ: spemu_perf_sample_bit = 16;
pub const SPEMU_PERF_SAMPLE_STREAM_ID: spemu_perf_sample_bit = 512;
pub const SPEMU_PERF_SAMPLE_TID: spemu_perf_sample_bit = 2;
pub const SPEMU_PERF_SAMPLE_TIME: spemu_perf_sample_bit = 4;
pub const SPEMU_PERF_SAMPLE_TYPE: u32 = 98439;
pub const SPEMU_PERF_SIZES_AT: u32 = 48;
pub const SPEMU_PERF_SIZES_SIZE: u32 = 32;
pub const SPEMU_PERF_SPE_CPUS_MAX: u32 = 1169;
pub const SPEMU_PERF_STREAM_CPUS_SIZE: u32 = 136;
pub const SPEMU_PERF_TABLE_MAX: u32 = 256;
pub const SPEMU_PERF_THREAD_MAP: spemu_perf_type = 73;
pub const SPEMU_PERF_TIME_CONV: spemu_perf_type = 79;
pub const SPEMU_PERF_TRAILER_SIZE: u32 = 32;
pub const SPEMU_PIRE0_EL1_Perm_LSB: u32 = 0;
pub const SPEMU_PIRE0_EL1_Perm_WIDTH: u32 = 64;
pub const SPEMU_PIRE0_EL2_Perm_LSB: u32 = 0;
pub const SPEMU_PIRE0_EL2_Perm_WIDTH: u32 = 64;
pub const SPEMU_PIR_EL1_Perm_LSB: u32 = 0;
pub const SPEMU_PIR_EL1_Perm_WIDTH: u32 = 64;
pub const SPEMU_PIR_EL2_Perm_LSB: u32 = 0;
pub const SPEMU_PIR_EL2_Perm_WIDTH: u32 = 64;
pub const SPEMU_PKT_ADDRESS: spemu_packet_type = 7;
pub const SPEMU_PKT_CONTEXT: spemu_packet_type = 5;
pub const SPEMU_PKT_COUNTER: spemu_packet_type = 8;
pub const SPEMU_PKT_DATA_SOURCE: spemu_packet_type = 4;
pub const SPEMU_PKT_END: spemu_packet_type = 1;
pub const SPEMU_PKT_EVENTS: spemu_packet_type = 3;
pub const SPEMU_PKT_OP_TYPE: spemu_packet_type = 6;
pub const SPEMU_PKT_PADDING: spemu_packet_type = 0;
pub const SPEMU_PKT_TIMESTAMP: spemu_packet_type = 2;
pub const SPEMU_PKT_UNKNOWN: spemu_packet_type = 9;
pub const SPEMU_PMBIDR_EL1_AddrMode_BOTH: u32 = 1;
pub const SPEMU_PMBIDR_EL1_AddrMode_LSB: u32 = 6;
pub const SPEMU_PMBIDR_EL1_AddrMode_PHYSICAL: u32 = 3;
pub const SPEMU_PMBIDR_EL1_AddrMode_VIRTUAL: u32 = 0;
pub const SPEMU_PMBIDR_EL1_AddrMode_WIDTH: u32 = 2;
pub const SPEMU_PMBIDR_EL1_Align_1: u32 = 0;
pub const SPEMU_PMBIDR_EL1_Align_128: u32 = 7;
pub const SPEMU_PMBIDR_EL1_Align_16: u32 = 4;
pub const SPEMU_PMBIDR_EL1_Align_1K: u32 = 10;
pub const SPEMU_PMBIDR_EL1_Align_2: u32 = 1;
pub const SPEMU_PMBIDR_EL1_Align_256: u32 = 8;
pub const SPEMU_PMBIDR_EL1_Align_2K: u32 = 11;
pub const SPEMU_PMBIDR_EL1_Align_32: u32 = 5;
pub const SPEMU_PMBIDR_EL1_Align_4: u32 = 2;
pub const SPEMU_PMBIDR_EL1_Align_512: u32 = 9;
pub const SPEMU_PMBIDR_EL1_Align_64: u32 = 6;
pub const SPEMU_PMBIDR_EL1_Align_8: u32 = 3;
pub const SPEMU_PMBIDR_EL1_Align_LSB: u32 = 0;
pub const SPEMU_PMBIDR_EL1_Align_WIDTH: u32 = 4;
pub const SPEMU_PMBIDR_EL1_EA_IGNORED: u32 = 1;
pub const SPEMU_PMBIDR_EL1_EA_LSB: u32 = 8;
pub const SPEMU_PMBIDR_EL1_EA_NOT_DESCRIBED: u32 = 0;
pub const SPEMU_PMBIDR_EL1_EA_SERROR: u32 = 2;
pub const SPEMU_PMBIDR_EL1_EA_WIDTH: u32 = 4;
pub const SPEMU_PMBIDR_EL1_F_LSB: u32 = 5;
pub const SPEMU_PMBIDR_EL1_F_WIDTH: u32 = 1;
pub const SPEMU_PMBIDR_EL1_MaxBuffSize_LSB: u32 = 32;
pub const SPEMU_PMBIDR_EL1_MaxBuffSize_WIDTH: u32 = 16;
pub const SPEMU_PMBIDR_EL1_P_LSB: u32 = 4;
pub const SPEMU_PMBIDR_EL1_P_WIDTH: u32 = 1;
pub const SPEMU_PMBLIMITR_EL1_E_LSB: u32 = 0;
pub const SPEMU_PMBLIMITR_EL1_E_WIDTH: u32 = 1;
pub const SPEMU_PMBLIMITR_EL1_FM_DISCARD: u32 = 2;
pub const SPEMU_PMBLIMITR_EL1_FM_FILL: u32 = 0;
pub const SPEMU_PMBLIMITR_EL1_FM_LSB: u32 = 1;
pub const SPEMU_PMBLIMITR_EL1_FM_WIDTH: u32 = 2;
pub const SPEMU_PMBLIMITR_EL1_LIMIT_LSB: u32 = 12;
pub const SPEMU_PMBLIMITR_EL1_LIMIT_WIDTH: u32 = 52;
pub const SPEMU_PMBLIMITR_EL1_PMFZ_LSB: u32 = 5;
pub const SPEMU_PMBLIMITR_EL1_PMFZ_WIDTH: u32 = 1;
pub const SPEMU_PMBLIMITR_EL1_nVM_LSB: u32 = 7;
pub const SPEMU_PMBLIMITR_EL1_nVM_WIDTH: u32 = 1;
pub const SPEMU_PMBMAR_EL1_Attr_LSB: u32 = 0;
pub const SPEMU_PMBMAR_EL1_Attr_WIDTH: u32 = 8;
pub const SPEMU_PMBMAR_EL1_SH_INNER_SHAREABLE: u32 = 3;
pub const SPEMU_PMBMAR_EL1_SH_LSB: u32 = 8;
pub const SPEMU_PMBMAR_EL1_SH_NON_SHAREABLE: u32 = 0;
pub const SPEMU_PMBMAR_EL1_SH_OUTER_SHAREABLE: u32 = 2;
pub const SPEMU_PMBMAR_EL1_SH_WIDTH: u32 = 2;
pub const SPEMU_PMBPTR_EL1_PTR_LSB: u32 = 0;
pub const SPEMU_PMBPTR_EL1_PTR_WIDTH: u32 = 64;
pub const SPEMU_PMBSR_EL1_COLL_LSB: u32 = 16;
pub const SPEMU_PMBSR_EL1_COLL_WIDTH: u32 = 1;
pub const SPEMU_PMBSR_EL1_DL_LSB: u32 = 19;
pub const SPEMU_PMBSR_EL1_DL_WIDTH: u32 = 1;
pub const SPEMU_PMBSR_EL1_EA_LSB: u32 = 18;
pub const SPEMU_PMBSR_EL1_EA_WIDTH: u32 = 1;
pub const SPEMU_PMBSR_EL1_EC_GPC_FAULT: u32 = 30;
pub const SPEMU_PMBSR_EL1_EC_IMPDEF: u32 = 31;
pub const SPEMU_PMBSR_EL1_EC_LSB: u32 = 26;
pub const SPEMU_PMBSR_EL1_EC_OTHER: u32 = 0;
pub const SPEMU_PMBSR_EL1_EC_STAGE1: u32 = 36;
pub const SPEMU_PMBSR_EL1_EC_STAGE2: u32 = 37;
pub const SPEMU_PMBSR_EL1_EC_WIDTH: u32 = 6;
pub const SPEMU_PMBSR_EL1_MSS2_LSB: u32 = 32;
pub const SPEMU_PMBSR_EL1_MSS2_WIDTH: u32 = 24;
pub const SPEMU_PMBSR_EL1_MSS_LSB: u32 = 0;
pub const SPEMU_PMBSR_EL1_MSS_WIDTH: u32 = 16;
pub const SPEMU_PMBSR_EL1_S_LSB: u32 = 17;
pub const SPEMU_PMBSR_EL1_S_WIDTH: u32 = 1;
pub const SPEMU_PMBSR_EL2_COLL_LSB: u32 = 16;
pub const SPEMU_PMBSR_EL2_COLL_WIDTH: u32 = 1;
pub const SPEMU_PMBSR_EL2_DL_LSB: u32 = 19;
pub const SPEMU_PMBSR_EL2_DL_WIDTH: u32 = 1;
pub const SPEMU_PMBSR_EL2_EA_LSB: u32 = 18;
pub const SPEMU_PMBSR_EL2_EA_WIDTH: u32 = 1;
pub const SPEMU_PMBSR_EL2_EC_GPC_FAULT: u32 = 30;
pub const SPEMU_PMBSR_EL2_EC_IMPDEF: u32 = 31;
pub const SPEMU_PMBSR_EL2_EC_LSB: u32 = 26;
pub const SPEMU_PMBSR_EL2_EC_OTHER: u32 = 0;
pub const SPEMU_PMBSR_EL2_EC_STAGE1: u32 = 36;
pub const SPEMU_PMBSR_EL2_EC_STAGE2: u32 = 37;
pub const SPEMU_PMBSR_EL2_EC_WIDTH: u32 = 6;
pub const SPEMU_PMBSR_EL2_MSS2_LSB: u32 = 32;
pub const SPEMU_PMBSR_EL2_MSS2_WIDTH: u32 = 24;
pub const SPEMU_PMBSR_EL2_MSS_LSB: u32 = 0;
pub const SPEMU_PMBSR_EL2_MSS_WIDTH: u32 = 16;
pub const SPEMU_PMBSR_EL2_S_LSB: u32 = 17;
pub const SPEMU_PMBSR_EL2_S_WIDTH: u32 = 1;
pub const SPEMU_PMBSR_EL3_COLL_LSB: u32 = 16;
pub const SPEMU_PMBSR_EL3_COLL_WIDTH: u32 = 1;
pub const SPEMU_PMBSR_EL3_DL_LSB: u32 = 19;
pub const SPEMU_PMBSR_EL3_DL_WIDTH: u32 = 1;
pub const SPEMU_PMBSR_EL3_EA_LSB: u32 = 18;
pub const SPEMU_PMBSR_EL3_EA_WIDTH: u32 = 1;
pub const SPEMU_PMBSR_EL3_EC_GPC_FAULT: u32 = 30;
pub const SPEMU_PMBSR_EL3_EC_IMPDEF: u32 = 31;
pub const SPEMU_PMBSR_EL3_EC_LSB: u32 = 26;
pub const SPEMU_PMBSR_EL3_EC_OTHER: u32 = 0;
pub const SPEMU_PMBSR_EL3_EC_STAGE1: u32 = 36;
pub const SPEMU_PMBSR_EL3_EC_STAGE2: u32 = 37;
pub const SPEMU_PMBSR_EL3_EC_WIDTH: u32 = 6;
pub const SPEMU_PMBSR_EL3_MSS2_LSB: u32 = 32;
pub const SPEMU_PMBSR_EL3_MSS2_WIDTH: u32 = 24;
pub const SPEMU_PMBSR_EL3_MSS_LSB: u32 = 0;
pub const SPEMU_PMBSR_EL3_MSS_WIDTH: u32 = 16;
pub const SPEMU_PMBSR_EL3_S_LSB: u32 = 17;
pub const SPEMU_PMBSR_EL3_S_WIDTH: u32 = 1;
pub const SPEMU_PMCCFILTR_EL0_M_LSB: u32 = 26;
pub const SPEMU_PMCCFILTR_EL0_M_WIDTH: u32 = 1;
pub const SPEMU_PMCCFILTR_EL0_NSH_LSB: u32 = 27;
pub const SPEMU_PMCCFILTR_EL0_NSH_WIDTH: u32 = 1;
pub const SPEMU_PMCCFILTR_EL0_NSK_LSB: u32 = 29;
pub const SPEMU_PMCCFILTR_EL0_NSK_WIDTH: u32 = 1;
pub const SPEMU_PMCCFILTR_EL0_NSU_LSB: u32 = 28;
pub const SPEMU_PMCCFILTR_EL0_NSU_WIDTH: u32 = 1;
pub const SPEMU_PMCCFILTR_EL0_P_LSB: u32 = 31;
pub const SPEMU_PMCCFILTR_EL0_P_WIDTH: u32 = 1;
pub const SPEMU_PMCCFILTR_EL0_RLH_LSB: u32 = 20;
pub const SPEMU_PMCCFILTR_EL0_RLH_WIDTH: u32 = 1;
pub const SPEMU_PMCCFILTR_EL0_RLK_LSB: u32 = 22;
pub const SPEMU_PMCCFILTR_EL0_RLK_WIDTH: u32 = 1;
pub const SPEMU_PMCCFILTR_EL0_RLU_LSB: u32 = 21;
pub const SPEMU_PMCCFILTR_EL0_RLU_WIDTH: u32 = 1;
pub const SPEMU_PMCCFILTR_EL0_SH_LSB: u32 = 24;
pub const SPEMU_PMCCFILTR_EL0_SH_WIDTH: u32 = 1;
pub const SPEMU_PMCCFILTR_EL0_U_LSB: u32 = 30;
pub const SPEMU_PMCCFILTR_EL0_U_WIDTH: u32 = 1;
pub const SPEMU_PMCCFILTR_EL0_VS_BOTH: u32 = 0;
pub const SPEMU_PMCCFILTR_EL0_VS_LSB: u32 = 56;
pub const SPEMU_PMCCFILTR_EL0_VS_NON_STREAMING: u32 = 1;
pub const SPEMU_PMCCFILTR_EL0_VS_STREAMING: u32 = 2;
pub const SPEMU_PMCCFILTR_EL0_VS_WIDTH: u32 = 2;
pub const SPEMU_PMCCNTR_EL0_CCNT_LSB: u32 = 0;
pub const SPEMU_PMCCNTR_EL0_CCNT_WIDTH: u32 = 64;
pub const SPEMU_PMCCNTSVR_EL1_CCNT_LSB: u32 = 0;
pub const SPEMU_PMCCNTSVR_EL1_CCNT_WIDTH: u32 = 64;
pub const SPEMU_PMCEID0_EL0_ID_LSB: u32 = 0;
pub const SPEMU_PMCEID0_EL0_ID_WIDTH: u32 = 32;
pub const SPEMU_PMCEID0_EL0_IDhi_LSB: u32 = 32;
pub const SPEMU_PMCEID0_EL0_IDhi_WIDTH: u32 = 32;
pub const SPEMU_PMCEID1_EL0_ID_LSB: u32 = 0;
pub const SPEMU_PMCEID1_EL0_ID_WIDTH: u32 = 32;
pub const SPEMU_PMCEID1_EL0_IDhi_LSB: u32 = 32;
pub const SPEMU_PMCEID1_EL0_IDhi_WIDTH: u32 = 32;
pub const SPEMU_PMCNTENSET_EL0_C_LSB: u32 = 31;
pub const SPEMU_PMCNTENSET_EL0_C_WIDTH: u32 = 1;
pub const SPEMU_PMCNTENSET_EL0_F0_LSB: u32 = 32;
pub const SPEMU_PMCNTENSET_EL0_F0_WIDTH: u32 = 1;
pub const SPEMU_PMCNTENSET_EL0_P_LSB: u32 = 0;
pub const SPEMU_PMCNTENSET_EL0_P_WIDTH: u32 = 31;
pub const SPEMU_PMCR_EL0_C_LSB: u32 = 2;
pub const SPEMU_PMCR_EL0_C_WIDTH: u32 = 1;
pub const SPEMU_PMCR_EL0_DP_LSB: u32 = 5;
pub const SPEMU_PMCR_EL0_DP_WIDTH: u32 = 1;
pub const SPEMU_PMCR_EL0_D_LSB: u32 = 3;
pub const SPEMU_PMCR_EL0_D_WIDTH: u32 = 1;
pub const SPEMU_PMCR_EL0_E_LSB: u32 = 0;
pub const SPEMU_PMCR_EL0_E_WIDTH: u32 = 1;
pub const SPEMU_PMCR_EL0_FZO_LSB: u32 = 9;
pub const SPEMU_PMCR_EL0_FZO_WIDTH: u32 = 1;
pub const SPEMU_PMCR_EL0_FZS_LSB: u32 = 32;
pub const SPEMU_PMCR_EL0_FZS_WIDTH: u32 = 1;
pub const SPEMU_PMCR_EL0_IDCODE_LSB: u32 = 16;
pub const SPEMU_PMCR_EL0_IDCODE_WIDTH: u32 = 8;
pub const SPEMU_PMCR_EL0_IMP_LSB: u32 = 24;
pub const SPEMU_PMCR_EL0_IMP_WIDTH: u32 = 8;
pub const SPEMU_PMCR_EL0_LC_LSB: u32 = 6;
pub const SPEMU_PMCR_EL0_LC_WIDTH: u32 = 1;
pub const SPEMU_PMCR_EL0_LP_LSB: u32 = 7;
pub const SPEMU_PMCR_EL0_LP_WIDTH: u32 = 1;
pub const SPEMU_PMCR_EL0_N_LSB: u32 = 11;
pub const SPEMU_PMCR_EL0_N_WIDTH: u32 = 5;
pub const SPEMU_PMCR_EL0_P_LSB: u32 = 1;
pub const SPEMU_PMCR_EL0_P_WIDTH: u32 = 1;
pub const SPEMU_PMCR_EL0_X_LSB: u32 = 4;
pub const SPEMU_PMCR_EL0_X_WIDTH: u32 = 1;
pub const SPEMU_PMECR_EL1_SSE_ALLOWED: u32 = 3;
pub const SPEMU_PMECR_EL1_SSE_DISABLED: u32 = 0;
pub const SPEMU_PMECR_EL1_SSE_LSB: u32 = 3;
pub const SPEMU_PMECR_EL1_SSE_PROHIBITED: u32 = 2;
pub const SPEMU_PMECR_EL1_SSE_WIDTH: u32 = 2;
pub const SPEMU_PMEVCNTRn_EL0_EVCNT_LSB: u32 = 0;
pub const SPEMU_PMEVCNTRn_EL0_EVCNT_WIDTH: u32 = 32;
pub const SPEMU_PMEVCNTRn_EL0_EVCNThi_LSB: u32 = 32;
pub const SPEMU_PMEVCNTRn_EL0_EVCNThi_WIDTH: u32 = 32;
pub const SPEMU_PMEVCNTSVRn_EL1_EVCNT_LSB: u32 = 0;
pub const SPEMU_PMEVCNTSVRn_EL1_EVCNT_WIDTH: u32 = 64;
pub const SPEMU_PMEVTYPERn_EL0_M_LSB: u32 = 26;
pub const SPEMU_PMEVTYPERn_EL0_M_WIDTH: u32 = 1;
pub const SPEMU_PMEVTYPERn_EL0_NSH_LSB: u32 = 27;
pub const SPEMU_PMEVTYPERn_EL0_NSH_WIDTH: u32 = 1;
pub const SPEMU_PMEVTYPERn_EL0_NSK_LSB: u32 = 29;
pub const SPEMU_PMEVTYPERn_EL0_NSK_WIDTH: u32 = 1;
pub const SPEMU_PMEVTYPERn_EL0_NSU_LSB: u32 = 28;
pub const SPEMU_PMEVTYPERn_EL0_NSU_WIDTH: u32 = 1;
pub const SPEMU_PMEVTYPERn_EL0_P_LSB: u32 = 31;
pub const SPEMU_PMEVTYPERn_EL0_P_WIDTH: u32 = 1;
pub const SPEMU_PMEVTYPERn_EL0_RLH_LSB: u32 = 20;
pub const SPEMU_PMEVTYPERn_EL0_RLH_WIDTH: u32 = 1;
pub const SPEMU_PMEVTYPERn_EL0_RLK_LSB: u32 = 22;
pub const SPEMU_PMEVTYPERn_EL0_RLK_WIDTH: u32 = 1;
pub const SPEMU_PMEVTYPERn_EL0_RLU_LSB: u32 = 21;
pub const SPEMU_PMEVTYPERn_EL0_RLU_WIDTH: u32 = 1;
pub const SPEMU_PMEVTYPERn_EL0_SH_LSB: u32 = 24;
pub const SPEMU_PMEVTYPERn_EL0_SH_WIDTH: u32 = 1;
pub const SPEMU_PMEVTYPERn_EL0_U_LSB: u32 = 30;
pub const SPEMU_PMEVTYPERn_EL0_U_WIDTH: u32 = 1;
pub const SPEMU_PMEVTYPERn_EL0_VS_BOTH: u32 = 0;
pub const SPEMU_PMEVTYPERn_EL0_VS_LSB: u32 = 56;
pub const SPEMU_PMEVTYPERn_EL0_VS_NON_STREAMING: u32 = 1;
pub const SPEMU_PMEVTYPERn_EL0_VS_STREAMING: u32 = 2;
pub const SPEMU_PMEVTYPERn_EL0_VS_WIDTH: u32 = 2;
pub const SPEMU_PMEVTYPERn_EL0_evtCount_LSB: u32 = 0;
pub const SPEMU_PMEVTYPERn_EL0_evtCount_WIDTH: u32 = 10;
pub const SPEMU_PMEVTYPERn_EL0_evtCounthi_LSB: u32 = 10;
pub const SPEMU_PMEVTYPERn_EL0_evtCounthi_WIDTH: u32 = 6;
pub const SPEMU_PMICFILTR_EL0_M_LSB: u32 = 26;
pub const SPEMU_PMICFILTR_EL0_M_WIDTH: u32 = 1;
pub const SPEMU_PMICFILTR_EL0_NSH_LSB: u32 = 27;
pub const SPEMU_PMICFILTR_EL0_NSH_WIDTH: u32 = 1;
pub const SPEMU_PMICFILTR_EL0_NSK_LSB: u32 = 29;
pub const SPEMU_PMICFILTR_EL0_NSK_WIDTH: u32 = 1;
pub const SPEMU_PMICFILTR_EL0_NSU_LSB: u32 = 28;
pub const SPEMU_PMICFILTR_EL0_NSU_WIDTH: u32 = 1;
pub const SPEMU_PMICFILTR_EL0_P_LSB: u32 = 31;
pub const SPEMU_PMICFILTR_EL0_P_WIDTH: u32 = 1;
pub const SPEMU_PMICFILTR_EL0_RLH_LSB: u32 = 20;
pub const SPEMU_PMICFILTR_EL0_RLH_WIDTH: u32 = 1;
pub const SPEMU_PMICFILTR_EL0_RLK_LSB: u32 = 22;
pub const SPEMU_PMICFILTR_EL0_RLK_WIDTH: u32 = 1;
pub const SPEMU_PMICFILTR_EL0_RLU_LSB: u32 = 21;
pub const SPEMU_PMICFILTR_EL0_RLU_WIDTH: u32 = 1;
pub const SPEMU_PMICFILTR_EL0_SH_LSB: u32 = 24;
pub const SPEMU_PMICFILTR_EL0_SH_WIDTH: u32 = 1;
pub const SPEMU_PMICFILTR_EL0_U_LSB: u32 = 30;
pub const SPEMU_PMICFILTR_EL0_U_WIDTH: u32 = 1;
pub const SPEMU_PMICFILTR_EL0_VS_BOTH: u32 = 0;
pub const SPEMU_PMICFILTR_EL0_VS_LSB: u32 = 56;
pub const SPEMU_PMICFILTR_EL0_VS_NON_STREAMING: u32 = 1;
pub const SPEMU_PMICFILTR_EL0_VS_STREAMING: u32 = 2;
pub const SPEMU_PMICFILTR_EL0_VS_WIDTH: u32 = 2;
pub const SPEMU_PMICNTR_EL0_ICNT_LSB: u32 = 0;
pub const SPEMU_PMICNTR_EL0_ICNT_WIDTH: u32 = 64;
pub const SPEMU_PMICNTSVR_EL1_ICNT_LSB: u32 = 0;
pub const SPEMU_PMICNTSVR_EL1_ICNT_WIDTH: u32 = 64;
pub const SPEMU_PMINTENSET_EL1_C_LSB: u32 = 31;
pub const SPEMU_PMINTENSET_EL1_C_WIDTH: u32 = 1;
pub const SPEMU_PMINTENSET_EL1_F0_LSB: u32 = 32;
pub const SPEMU_PMINTENSET_EL1_F0_WIDTH: u32 = 1;
pub const SPEMU_PMINTENSET_EL1_P_LSB: u32 = 0;
pub const SPEMU_PMINTENSET_EL1_P_WIDTH: u32 = 31;
pub const SPEMU_PMMIR_EL1_BUS_SLOTS_LSB: u32 = 8;
pub const SPEMU_PMMIR_EL1_BUS_SLOTS_WIDTH: u32 = 8;
pub const SPEMU_PMMIR_EL1_BUS_WIDTH_LSB: u32 = 16;
pub const SPEMU_PMMIR_EL1_BUS_WIDTH_WIDTH: u32 = 4;
pub const SPEMU_PMMIR_EL1_EDGE_LSB: u32 = 24;
pub const SPEMU_PMMIR_EL1_EDGE_WIDTH: u32 = 4;
pub const SPEMU_PMMIR_EL1_SLOTS_LSB: u32 = 0;
pub const SPEMU_PMMIR_EL1_SLOTS_WIDTH: u32 = 8;
pub const SPEMU_PMMIR_EL1_SME_LSB: u32 = 28;
pub const SPEMU_PMMIR_EL1_SME_WIDTH: u32 = 1;
pub const SPEMU_PMMIR_EL1_THWIDTH_LSB: u32 = 20;
pub const SPEMU_PMMIR_EL1_THWIDTH_WIDTH: u32 = 4;
pub const SPEMU_PMOVSSET_EL0_C_LSB: u32 = 31;
pub const SPEMU_PMOVSSET_EL0_C_WIDTH: u32 = 1;
pub const SPEMU_PMOVSSET_EL0_F0_LSB: u32 = 32;
pub const SPEMU_PMOVSSET_EL0_F0_WIDTH: u32 = 1;
pub const SPEMU_PMOVSSET_EL0_P_LSB: u32 = 0;
pub const SPEMU_PMOVSSET_EL0_P_WIDTH: u32 = 31;
pub const SPEMU_PMSCR_EL1_CX_LSB: u32 = 3;
pub const SPEMU_PMSCR_EL1_CX_WIDTH: u32 = 1;
pub const SPEMU_PMSCR_EL1_E0SPE_LSB: u32 = 0;
pub const SPEMU_PMSCR_EL1_E0SPE_WIDTH: u32 = 1;
pub const SPEMU_PMSCR_EL1_E1SPE_LSB: u32 = 1;
pub const SPEMU_PMSCR_EL1_E1SPE_WIDTH: u32 = 1;
pub const SPEMU_PMSCR_EL1_EE_DISABLED: u32 = 0;
pub const SPEMU_PMSCR_EL1_EE_ENABLED: u32 = 3;
pub const SPEMU_PMSCR_EL1_EE_LSB: u32 = 8;
pub const SPEMU_PMSCR_EL1_EE_NV_DISABLED: u32 = 1;
pub const SPEMU_PMSCR_EL1_EE_NV_ENABLED: u32 = 2;
pub const SPEMU_PMSCR_EL1_EE_WIDTH: u32 = 2;
pub const SPEMU_PMSCR_EL1_EnVM_LSB: u32 = 11;
pub const SPEMU_PMSCR_EL1_EnVM_WIDTH: u32 = 1;
pub const SPEMU_PMSCR_EL1_KE_LSB: u32 = 10;
pub const SPEMU_PMSCR_EL1_KE_WIDTH: u32 = 1;
pub const SPEMU_PMSCR_EL1_PA_LSB: u32 = 4;
pub const SPEMU_PMSCR_EL1_PA_WIDTH: u32 = 1;
pub const SPEMU_PMSCR_EL1_PCT_GUEST_PHYSICAL: u32 = 3;
pub const SPEMU_PMSCR_EL1_PCT_LSB: u32 = 6;
pub const SPEMU_PMSCR_EL1_PCT_PHYSICAL: u32 = 1;
pub const SPEMU_PMSCR_EL1_PCT_VIRTUAL: u32 = 0;
pub const SPEMU_PMSCR_EL1_PCT_WIDTH: u32 = 2;
pub const SPEMU_PMSCR_EL1_TS_LSB: u32 = 5;
pub const SPEMU_PMSCR_EL1_TS_WIDTH: u32 = 1;
pub const SPEMU_PMSCR_EL2_CX_LSB: u32 = 3;
pub const SPEMU_PMSCR_EL2_CX_WIDTH: u32 = 1;
pub const SPEMU_PMSCR_EL2_E0HSPE_LSB: u32 = 0;
pub const SPEMU_PMSCR_EL2_E0HSPE_WIDTH: u32 = 1;
pub const SPEMU_PMSCR_EL2_E2SPE_LSB: u32 = 1;
pub const SPEMU_PMSCR_EL2_E2SPE_WIDTH: u32 = 1;
pub const SPEMU_PMSCR_EL2_EE_DELEGATED: u32 = 1;
pub const SPEMU_PMSCR_EL2_EE_DISABLED: u32 = 0;
pub const SPEMU_PMSCR_EL2_EE_ENABLED: u32 = 2;
pub const SPEMU_PMSCR_EL2_EE_LSB: u32 = 8;
pub const SPEMU_PMSCR_EL2_EE_TRAP_ALL: u32 = 3;
pub const SPEMU_PMSCR_EL2_EE_WIDTH: u32 = 2;
pub const SPEMU_PMSCR_EL2_EnVM_LSB: u32 = 11;
pub const SPEMU_PMSCR_EL2_EnVM_WIDTH: u32 = 1;
pub const SPEMU_PMSCR_EL2_KE_LSB: u32 = 10;
pub const SPEMU_PMSCR_EL2_KE_WIDTH: u32 = 1;
pub const SPEMU_PMSCR_EL2_PA_LSB: u32 = 4;
pub const SPEMU_PMSCR_EL2_PA_WIDTH: u32 = 1;
pub const SPEMU_PMSCR_EL2_PCT_GUEST_PHYSICAL: u32 = 3;
pub const SPEMU_PMSCR_EL2_PCT_LSB: u32 = 6;
pub const SPEMU_PMSCR_EL2_PCT_PHYSICAL: u32 = 1;
pub const SPEMU_PMSCR_EL2_PCT_VIRTUAL: u32 = 0;
pub const SPEMU_PMSCR_EL2_PCT_WIDTH: u32 = 2;
pub const SPEMU_PMSCR_EL2_TS_LSB: u32 = 5;
pub const SPEMU_PMSCR_EL2_TS_WIDTH: u32 = 1;
pub const SPEMU_PMSDSFR_EL1_S_LSB: u32 = 0;
pub const SPEMU_PMSDSFR_EL1_S_WIDTH: u32 = 64;
pub const SPEMU_PMSELR_EL0_SEL_LSB: u32 = 0;
pub const SPEMU_PMSELR_EL0_SEL_WIDTH: u32 = 5;
pub const SPEMU_PMSEVFR_EL1_E_LSB: u32 = 0;
pub const SPEMU_PMSEVFR_EL1_E_WIDTH: u32 = 64;
pub const SPEMU_PMSFCR_EL1_B_LSB: u32 = 16;
pub const SPEMU_PMSFCR_EL1_B_WIDTH: u32 = 1;
pub const SPEMU_PMSFCR_EL1_Bm_LSB: u32 = 48;
pub const SPEMU_PMSFCR_EL1_Bm_WIDTH: u32 = 1;
pub const SPEMU_PMSFCR_EL1_FDS_LSB: u32 = 4;
pub const SPEMU_PMSFCR_EL1_FDS_WIDTH: u32 = 1;
pub const SPEMU_PMSFCR_EL1_FE_LSB: u32 = 0;
pub const SPEMU_PMSFCR_EL1_FE_WIDTH: u32 = 1;
pub const SPEMU_PMSFCR_EL1_FL_LSB: u32 = 2;
pub const SPEMU_PMSFCR_EL1_FL_WIDTH: u32 = 1;
pub const SPEMU_PMSFCR_EL1_FP_LSB: u32 = 19;
pub const SPEMU_PMSFCR_EL1_FP_WIDTH: u32 = 1;
pub const SPEMU_PMSFCR_EL1_FPm_LSB: u32 = 51;
pub const SPEMU_PMSFCR_EL1_FPm_WIDTH: u32 = 1;
pub const SPEMU_PMSFCR_EL1_FT_LSB: u32 = 1;
pub const SPEMU_PMSFCR_EL1_FT_WIDTH: u32 = 1;
pub const SPEMU_PMSFCR_EL1_FnE_LSB: u32 = 3;
pub const SPEMU_PMSFCR_EL1_FnE_WIDTH: u32 = 1;
pub const SPEMU_PMSFCR_EL1_LD_LSB: u32 = 17;
pub const SPEMU_PMSFCR_EL1_LD_WIDTH: u32 = 1;
pub const SPEMU_PMSFCR_EL1_LDm_LSB: u32 = 49;
pub const SPEMU_PMSFCR_EL1_LDm_WIDTH: u32 = 1;
pub const SPEMU_PMSFCR_EL1_SIMD_LSB: u32 = 20;
pub const SPEMU_PMSFCR_EL1_SIMD_WIDTH: u32 = 1;
pub const SPEMU_PMSFCR_EL1_SIMDm_LSB: u32 = 52;
pub const SPEMU_PMSFCR_EL1_SIMDm_WIDTH: u32 = 1;
pub const SPEMU_PMSFCR_EL1_ST_LSB: u32 = 18;
pub const SPEMU_PMSFCR_EL1_ST_WIDTH: u32 = 1;
pub const SPEMU_PMSFCR_EL1_STm_LSB: u32 = 50;
pub const SPEMU_PMSFCR_EL1_STm_WIDTH: u32 = 1;
pub const SPEMU_PMSICR_EL1_COUNT_LSB: u32 = 0;
pub const SPEMU_PMSICR_EL1_COUNT_WIDTH: u32 = 32;
pub const SPEMU_PMSICR_EL1_ECOUNT_LSB: u32 = 56;
pub const SPEMU_PMSICR_EL1_ECOUNT_WIDTH: u32 = 8;
pub const SPEMU_PMSIDR_EL1_ALTCLK_IMPDEF: u32 = 15;
pub const SPEMU_PMSIDR_EL1_ALTCLK_LSB: u32 = 28;
pub const SPEMU_PMSIDR_EL1_ALTCLK_NONE: u32 = 0;
pub const SPEMU_PMSIDR_EL1_ALTCLK_SMCU: u32 = 1;
pub const SPEMU_PMSIDR_EL1_ALTCLK_WIDTH: u32 = 4;
pub const SPEMU_PMSIDR_EL1_ArchInst_LSB: u32 = 3;
pub const SPEMU_PMSIDR_EL1_ArchInst_WIDTH: u32 = 1;
pub const SPEMU_PMSIDR_EL1_CRR_LSB: u32 = 25;
pub const SPEMU_PMSIDR_EL1_CRR_WIDTH: u32 = 1;
pub const SPEMU_PMSIDR_EL1_CountSize_12BIT: u32 = 2;
pub const SPEMU_PMSIDR_EL1_CountSize_16BIT: u32 = 3;
pub const SPEMU_PMSIDR_EL1_CountSize_LSB: u32 = 16;
pub const SPEMU_PMSIDR_EL1_CountSize_WIDTH: u32 = 4;
pub const SPEMU_PMSIDR_EL1_EFT_LSB: u32 = 26;
pub const SPEMU_PMSIDR_EL1_EFT_WIDTH: u32 = 1;
pub const SPEMU_PMSIDR_EL1_ERnd_LSB: u32 = 5;
pub const SPEMU_PMSIDR_EL1_ERnd_WIDTH: u32 = 1;
pub const SPEMU_PMSIDR_EL1_FDS_LSB: u32 = 7;
pub const SPEMU_PMSIDR_EL1_FDS_WIDTH: u32 = 1;
pub const SPEMU_PMSIDR_EL1_FE_LSB: u32 = 0;
pub const SPEMU_PMSIDR_EL1_FE_WIDTH: u32 = 1;
pub const SPEMU_PMSIDR_EL1_FL_LSB: u32 = 2;
pub const SPEMU_PMSIDR_EL1_FL_WIDTH: u32 = 1;
pub const SPEMU_PMSIDR_EL1_FPF_LSB: u32 = 27;
pub const SPEMU_PMSIDR_EL1_FPF_WIDTH: u32 = 1;
pub const SPEMU_PMSIDR_EL1_FT_LSB: u32 = 1;
pub const SPEMU_PMSIDR_EL1_FT_WIDTH: u32 = 1;
pub const SPEMU_PMSIDR_EL1_FnE_LSB: u32 = 6;
pub const SPEMU_PMSIDR_EL1_FnE_WIDTH: u32 = 1;
pub const SPEMU_PMSIDR_EL1_Format_FORMAT0: u32 = 0;
pub const SPEMU_PMSIDR_EL1_Format_LSB: u32 = 20;
pub const SPEMU_PMSIDR_EL1_Format_WIDTH: u32 = 4;
pub const SPEMU_PMSIDR_EL1_Interval_1024: u32 = 4;
pub const SPEMU_PMSIDR_EL1_Interval_1536: u32 = 5;
pub const SPEMU_PMSIDR_EL1_Interval_2048: u32 = 6;
pub const SPEMU_PMSIDR_EL1_Interval_256: u32 = 0;
pub const SPEMU_PMSIDR_EL1_Interval_3072: u32 = 7;
pub const SPEMU_PMSIDR_EL1_Interval_4096: u32 = 8;
pub const SPEMU_PMSIDR_EL1_Interval_512: u32 = 2;
pub const SPEMU_PMSIDR_EL1_Interval_768: u32 = 3;
pub const SPEMU_PMSIDR_EL1_Interval_LSB: u32 = 8;
pub const SPEMU_PMSIDR_EL1_Interval_WIDTH: u32 = 4;
pub const SPEMU_PMSIDR_EL1_LDS_LSB: u32 = 4;
pub const SPEMU_PMSIDR_EL1_LDS_WIDTH: u32 = 1;
pub const SPEMU_PMSIDR_EL1_MaxSize_128: u32 = 7;
pub const SPEMU_PMSIDR_EL1_MaxSize_16: u32 = 4;
pub const SPEMU_PMSIDR_EL1_MaxSize_1K: u32 = 10;
pub const SPEMU_PMSIDR_EL1_MaxSize_256: u32 = 8;
pub const SPEMU_PMSIDR_EL1_MaxSize_2K: u32 = 11;
pub const SPEMU_PMSIDR_EL1_MaxSize_32: u32 = 5;
pub const SPEMU_PMSIDR_EL1_MaxSize_512: u32 = 9;
pub const SPEMU_PMSIDR_EL1_MaxSize_64: u32 = 6;
pub const SPEMU_PMSIDR_EL1_MaxSize_LSB: u32 = 12;
pub const SPEMU_PMSIDR_EL1_MaxSize_WIDTH: u32 = 4;
pub const SPEMU_PMSIDR_EL1_PBT_LSB: u32 = 24;
pub const SPEMU_PMSIDR_EL1_PBT_WIDTH: u32 = 1;
pub const SPEMU_PMSIDR_EL1_SME_LSB: u32 = 32;
pub const SPEMU_PMSIDR_EL1_SME_WIDTH: u32 = 1;
pub const SPEMU_PMSIRR_EL1_INTERVAL_LSB: u32 = 8;
pub const SPEMU_PMSIRR_EL1_INTERVAL_WIDTH: u32 = 24;
pub const SPEMU_PMSIRR_EL1_RND_LSB: u32 = 0;
pub const SPEMU_PMSIRR_EL1_RND_WIDTH: u32 = 1;
pub const SPEMU_PMSLATFR_EL1_MINLAT_LSB: u32 = 0;
pub const SPEMU_PMSLATFR_EL1_MINLAT_WIDTH: u32 = 16;
pub const SPEMU_PMSNEVFR_EL1_E_LSB: u32 = 0;
pub const SPEMU_PMSNEVFR_EL1_E_WIDTH: u32 = 64;
pub const SPEMU_PMSSCR_EL1_NC_LSB: u32 = 32;
pub const SPEMU_PMSSCR_EL1_NC_WIDTH: u32 = 1;
pub const SPEMU_PMSSCR_EL1_SS_LSB: u32 = 0;
pub const SPEMU_PMSSCR_EL1_SS_WIDTH: u32 = 1;
pub const SPEMU_PMSWINC_EL0_P_LSB: u32 = 0;
pub const SPEMU_PMSWINC_EL0_P_WIDTH: u32 = 31;
pub const SPEMU_PMUACR_EL1_C_LSB: u32 = 31;
pub const SPEMU_PMUACR_EL1_C_WIDTH: u32 = 1;
pub const SPEMU_PMUACR_EL1_F0_LSB: u32 = 32;
pub const SPEMU_PMUACR_EL1_F0_WIDTH: u32 = 1;
pub const SPEMU_PMUACR_EL1_P_LSB: u32 = 0;
pub const SPEMU_PMUACR_EL1_P_WIDTH: u32 = 31;
pub const SPEMU_PMUSERENR_EL0_CR_LSB: u32 = 2;
pub const SPEMU_PMUSERENR_EL0_CR_WIDTH: u32 = 1;
pub const SPEMU_PMUSERENR_EL0_EN_LSB: u32 = 0;
pub const SPEMU_PMUSERENR_EL0_EN_WIDTH: u32 = 1;
pub const SPEMU_PMUSERENR_EL0_ER_LSB: u32 = 3;
pub const SPEMU_PMUSERENR_EL0_ER_WIDTH: u32 = 1;
pub const SPEMU_PMUSERENR_EL0_IR_LSB: u32 = 5;
pub const SPEMU_PMUSERENR_EL0_IR_WIDTH: u32 = 1;
pub const SPEMU_PMUSERENR_EL0_SW_LSB: u32 = 1;
pub const SPEMU_PMUSERENR_EL0_SW_WIDTH: u32 = 1;
pub const SPEMU_PMUSERENR_EL0_TID_LSB: u32 = 6;
pub const SPEMU_PMUSERENR_EL0_TID_WIDTH: u32 = 1;
pub const SPEMU_PMUSERENR_EL0_UEN_LSB: u32 = 4;
pub const SPEMU_PMUSERENR_EL0_UEN_WIDTH: u32 = 1;
pub const SPEMU_PMU_CHAIN: u32 = 30;
pub const SPEMU_PMU_COUNTERS: u32 = 33;
pub const SPEMU_PMU_CPU_CYCLES: u32 = 17;
pub const SPEMU_PMU_CYCLE_COUNTER: u32 = 31;
pub const SPEMU_PMU_INSTRUCTION_COUNTER: u32 = 32;
pub const SPEMU_PMU_INST_RETIRED: u32 = 8;
pub const SPEMU_PMU_NO_EVENT_COUNTERS: u32 = 255;
pub const SPEMU_PMU_SAMPLE_BUFFER_FULL: spemu_pmu_event = 33059;
pub const SPEMU_PMU_SAMPLE_COLLISION: spemu_pmu_event = 16387;
pub const SPEMU_PMU_SAMPLE_FEED: spemu_pmu_event = 16385;
pub const SPEMU_PMU_SAMPLE_FEED_BR: spemu_pmu_event = 33066;
pub const SPEMU_PMU_SAMPLE_FEED_DS: spemu_pmu_event = 33058;
pub const SPEMU_PMU_SAMPLE_FEED_EVENT: spemu_pmu_event = 33070;
pub const SPEMU_PMU_SAMPLE_FEED_FP: spemu_pmu_event = 33608;
pub const SPEMU_PMU_SAMPLE_FEED_LAT: spemu_pmu_event = 33071;
pub const SPEMU_PMU_SAMPLE_FEED_LD: spemu_pmu_event = 33067;
pub const SPEMU_PMU_SAMPLE_FEED_OP: spemu_pmu_event = 33069;
pub const SPEMU_PMU_SAMPLE_FEED_SIMD: spemu_pmu_event = 33609;
pub const SPEMU_PMU_SAMPLE_FEED_ST: spemu_pmu_event = 33068;
pub const SPEMU_PMU_SAMPLE_FILTRATE: spemu_pmu_event = 16386;
pub const SPEMU_PMU_SAMPLE_POP: spemu_pmu_event = 16384;
pub const SPEMU_PMU_SNAPSHOT: u32 = 33063;
pub const SPEMU_PMU_SW_INCR: u32 = 0;
pub const SPEMU_PMXEVCNTR_EL0_EVCNT_LSB: u32 = 0;
pub const SPEMU_PMXEVCNTR_EL0_EVCNT_WIDTH: u32 = 32;
pub const SPEMU_PMXEVCNTR_EL0_EVCNThi_LSB: u32 = 32;
pub const SPEMU_PMXEVCNTR_EL0_EVCNThi_WIDTH: u32 = 32;
pub const SPEMU_PMXEVTYPER_EL0_M_LSB: u32 = 26;
pub const SPEMU_PMXEVTYPER_EL0_M_WIDTH: u32 = 1;
pub const SPEMU_PMXEVTYPER_EL0_NSH_LSB: u32 = 27;
pub const SPEMU_PMXEVTYPER_EL0_NSH_WIDTH: u32 = 1;
pub const SPEMU_PMXEVTYPER_EL0_NSK_LSB: u32 = 29;
pub const SPEMU_PMXEVTYPER_EL0_NSK_WIDTH: u32 = 1;
pub const SPEMU_PMXEVTYPER_EL0_NSU_LSB: u32 = 28;
pub const SPEMU_PMXEVTYPER_EL0_NSU_WIDTH: u32 = 1;
pub const SPEMU_PMXEVTYPER_EL0_P_LSB: u32 = 31;
pub const SPEMU_PMXEVTYPER_EL0_P_WIDTH: u32 = 1;
pub const SPEMU_PMXEVTYPER_EL0_RLH_LSB: u32 = 20;
pub const SPEMU_PMXEVTYPER_EL0_RLH_WIDTH: u32 = 1;
pub const SPEMU_PMXEVTYPER_EL0_RLK_LSB: u32 = 22;
pub const SPEMU_PMXEVTYPER_EL0_RLK_WIDTH: u32 = 1;
pub const SPEMU_PMXEVTYPER_EL0_RLU_LSB: u32 = 21;
pub const SPEMU_PMXEVTYPER_EL0_RLU_WIDTH: u32 = 1;
pub const SPEMU_PMXEVTYPER_EL0_SH_LSB: u32 = 24;
pub const SPEMU_PMXEVTYPER_EL0_SH_WIDTH: u32 = 1;
pub const SPEMU_PMXEVTYPER_EL0_U_LSB: u32 = 30;
pub const SPEMU_PMXEVTYPER_EL0_U_WIDTH: u32 = 1;
pub const SPEMU_PMXEVTYPER_EL0_VS_BOTH: u32 = 0;
pub const SPEMU_PMXEVTYPER_EL0_VS_LSB: u32 = 56;
pub const SPEMU_PMXEVTYPER_EL0_VS_NON_STREAMING: u32 = 1;
pub const SPEMU_PMXEVTYPER_EL0_VS_STREAMING: u32 = 2;
pub const SPEMU_PMXEVTYPER_EL0_VS_WIDTH: u32 = 2;
pub const SPEMU_PMXEVTYPER_EL0_evtCount_LSB: u32 = 0;
pub const SPEMU_PMXEVTYPER_EL0_evtCount_WIDTH: u32 = 10;
pub const SPEMU_PMXEVTYPER_EL0_evtCounthi_LSB: u32 = 10;
pub const SPEMU_PMXEVTYPER_EL0_evtCounthi_WIDTH: u32 = 6;
pub const SPEMU_PMZR_EL0_C_LSB: u32 = 31;
pub const SPEMU_PMZR_EL0_C_WIDTH: u32 = 1;
pub const SPEMU_PMZR_EL0_F0_LSB: u32 = 32;
pub const SPEMU_PMZR_EL0_F0_WIDTH: u32 = 1;
pub const SPEMU_PMZR_EL0_P_LSB: u32 = 0;
pub const SPEMU_PMZR_EL0_P_WIDTH: u32 = 31;
pub const SPEMU_POINTER_LOW_BITS_READ_WRITE: spemu_pointer_low_bits = 0;
pub const SPEMU_POINTER_LOW_BITS_RES0: spemu_pointer_low_bits = 1;
pub const SPEMU_POINTER_LOW_BITS_RES0_BIT0: spemu_pointer_low_bits = 2;
pub const SPEMU_POINTER_RESTRICTION_ACCESS_NOT_ALLOWED: spemu_pointer_restriction = 3;
pub const SPEMU_POINTER_RESTRICTION_AS_DISABLED: spemu_pointer_restriction = 7;
pub const SPEMU_POINTER_RESTRICTION_BUFFER_FULL: spemu_pointer_restriction = 0;
pub const SPEMU_POINTER_RESTRICTION_BUFFER_FULL_PMU_EVENT: spemu_pointer_restriction = 8;
pub const SPEMU_POINTER_RESTRICTION_DATA_LOSS_BY_EVENT: spemu_pointer_restriction_data_loss = 0;
pub const SPEMU_POINTER_RESTRICTION_DATA_LOSS_SET: spemu_pointer_restriction_data_loss = 2;
pub const SPEMU_POINTER_RESTRICTION_DATA_LOSS_UNCHANGED: spemu_pointer_restriction_data_loss = 1;
pub const SPEMU_POINTER_RESTRICTION_DISCARD: spemu_pointer_restriction = 6;
pub const SPEMU_POINTER_RESTRICTION_FAULT_GRANULE_PROTECTION: spemu_pointer_restriction_fault = 30;
pub const SPEMU_POINTER_RESTRICTION_FAULT_OTHER: spemu_pointer_restriction_fault = 31;
pub const SPEMU_POINTER_RESTRICTION_FAULT_STAGE1_ACCESS_FLAG_1: spemu_pointer_restriction_fault = 8;
pub const SPEMU_POINTER_RESTRICTION_FAULT_STAGE1_ACCESS_FLAG_2: spemu_pointer_restriction_fault = 9;
pub const SPEMU_POINTER_RESTRICTION_FAULT_STAGE1_ACCESS_FLAG_3: spemu_pointer_restriction_fault = 10;
pub const SPEMU_POINTER_RESTRICTION_FAULT_STAGE1_ADDRESS_SIZE_0: spemu_pointer_restriction_fault = 0;
pub const SPEMU_POINTER_RESTRICTION_FAULT_STAGE1_ADDRESS_SIZE_1: spemu_pointer_restriction_fault = 1;
pub const SPEMU_POINTER_RESTRICTION_FAULT_STAGE1_ADDRESS_SIZE_2: spemu_pointer_restriction_fault = 2;
pub const SPEMU_POINTER_RESTRICTION_FAULT_STAGE1_ADDRESS_SIZE_3: spemu_pointer_restriction_fault = 3;
pub const SPEMU_POINTER_RESTRICTION_FAULT_STAGE1_PERMISSION_1: spemu_pointer_restriction_fault = 11;
pub const SPEMU_POINTER_RESTRICTION_FAULT_STAGE1_PERMISSION_2: spemu_pointer_restriction_fault = 12;
pub const SPEMU_POINTER_RESTRICTION_FAULT_STAGE1_PERMISSION_3: spemu_pointer_restriction_fault = 13;
pub const SPEMU_POINTER_RESTRICTION_FAULT_STAGE1_TLB_CONFLICT: spemu_pointer_restriction_fault = 14;
pub const SPEMU_POINTER_RESTRICTION_FAULT_STAGE1_TRANSLATION_0: spemu_pointer_restriction_fault = 4;
pub const SPEMU_POINTER_RESTRICTION_FAULT_STAGE1_TRANSLATION_1: spemu_pointer_restriction_fault = 5;
pub const SPEMU_POINTER_RESTRICTION_FAULT_STAGE1_TRANSLATION_2: spemu_pointer_restriction_fault = 6;
pub const SPEMU_POINTER_RESTRICTION_FAULT_STAGE1_TRANSLATION_3: spemu_pointer_restriction_fault = 7;
pub const SPEMU_POINTER_RESTRICTION_FAULT_STAGE2_ACCESS_FLAG_1: spemu_pointer_restriction_fault = 23;
pub const SPEMU_POINTER_RESTRICTION_FAULT_STAGE2_ACCESS_FLAG_2: spemu_pointer_restriction_fault = 24;
pub const SPEMU_POINTER_RESTRICTION_FAULT_STAGE2_ACCESS_FLAG_3: spemu_pointer_restriction_fault = 25;
pub const SPEMU_POINTER_RESTRICTION_FAULT_STAGE2_ADDRESS_SIZE_0: spemu_pointer_restriction_fault = 15;
pub const SPEMU_POINTER_RESTRICTION_FAULT_STAGE2_ADDRESS_SIZE_1: spemu_pointer_restriction_fault = 16;
pub const SPEMU_POINTER_RESTRICTION_FAULT_STAGE2_ADDRESS_SIZE_2: spemu_pointer_restriction_fault = 17;
pub const SPEMU_POINTER_RESTRICTION_FAULT_STAGE2_ADDRESS_SIZE_3: spemu_pointer_restriction_fault = 18;
pub const SPEMU_POINTER_RESTRICTION_FAULT_STAGE2_PERMISSION_1: spemu_pointer_restriction_fault = 26;
pub const SPEMU_POINTER_RESTRICTION_FAULT_STAGE2_PERMISSION_2: spemu_pointer_restriction_fault = 27;
pub const SPEMU_POINTER_RESTRICTION_FAULT_STAGE2_PERMISSION_3: spemu_pointer_restriction_fault = 28;
pub const SPEMU_POINTER_RESTRICTION_FAULT_STAGE2_TLB_CONFLICT: spemu_pointer_restriction_fault = 29;
pub const SPEMU_POINTER_RESTRICTION_FAULT_STAGE2_TRANSLATION_0: spemu_pointer_restriction_fault = 19;
pub const SPEMU_POINTER_RESTRICTION_FAULT_STAGE2_TRANSLATION_1: spemu_pointer_restriction_fault = 20;
pub const SPEMU_POINTER_RESTRICTION_FAULT_STAGE2_TRANSLATION_2: spemu_pointer_restriction_fault = 21;
pub const SPEMU_POINTER_RESTRICTION_FAULT_STAGE2_TRANSLATION_3: spemu_pointer_restriction_fault = 22;
pub const SPEMU_POINTER_RESTRICTION_IMPDEF_EVENT: spemu_pointer_restriction = 5;
pub const SPEMU_POINTER_RESTRICTION_MMU_FAULT: spemu_pointer_restriction = 4;
pub const SPEMU_POINTER_RESTRICTION_OTHER_FAULT_GRANULE_PROTECTION_CHECK: spemu_pointer_restriction_other_fault = 30;
pub const SPEMU_POINTER_RESTRICTION_OTHER_FAULT_STAGE1_ACCESS_FLAG_0: spemu_pointer_restriction_other_fault = 2;
pub const SPEMU_POINTER_RESTRICTION_OTHER_FAULT_STAGE1_ADDRESS_SIZE_MINUS_1: spemu_pointer_restriction_other_fault = 1;
pub const SPEMU_POINTER_RESTRICTION_OTHER_FAULT_STAGE1_ATOMIC_UPDATE: spemu_pointer_restriction_other_fault = 14;
pub const SPEMU_POINTER_RESTRICTION_OTHER_FAULT_STAGE1_EXTERNAL_ABORT_ON_WALK_0: spemu_pointer_restriction_other_fault = 5;
pub const SPEMU_POINTER_RESTRICTION_OTHER_FAULT_STAGE1_EXTERNAL_ABORT_ON_WALK_1: spemu_pointer_restriction_other_fault = 6;
pub const SPEMU_POINTER_RESTRICTION_OTHER_FAULT_STAGE1_EXTERNAL_ABORT_ON_WALK_2: spemu_pointer_restriction_other_fault = 7;
pub const SPEMU_POINTER_RESTRICTION_OTHER_FAULT_STAGE1_EXTERNAL_ABORT_ON_WALK_3: spemu_pointer_restriction_other_fault = 8;
pub const SPEMU_POINTER_RESTRICTION_OTHER_FAULT_STAGE1_EXTERNAL_ABORT_ON_WALK_MINUS_1: spemu_pointer_restriction_other_fault = 4;
pub const SPEMU_POINTER_RESTRICTION_OTHER_FAULT_STAGE1_GRANULE_PROTECTION_ON_WALK_0: spemu_pointer_restriction_other_fault = 10;
pub const SPEMU_POINTER_RESTRICTION_OTHER_FAULT_STAGE1_GRANULE_PROTECTION_ON_WALK_1: spemu_pointer_restriction_other_fault = 11;
pub const SPEMU_POINTER_RESTRICTION_OTHER_FAULT_STAGE1_GRANULE_PROTECTION_ON_WALK_2: spemu_pointer_restriction_other_fault = 12;
pub const SPEMU_POINTER_RESTRICTION_OTHER_FAULT_STAGE1_GRANULE_PROTECTION_ON_WALK_3: spemu_pointer_restriction_other_fault = 13;
pub const SPEMU_POINTER_RESTRICTION_OTHER_FAULT_STAGE1_GRANULE_PROTECTION_ON_WALK_MINUS_1: spemu_pointer_restriction_other_fault = 9;
pub const SPEMU_POINTER_RESTRICTION_OTHER_FAULT_STAGE1_PERMISSION_0: spemu_pointer_restriction_other_fault = 3;
pub const SPEMU_POINTER_RESTRICTION_OTHER_FAULT_STAGE1_TRANSLATION_MINUS_1: spemu_pointer_restriction_other_fault = 0;
pub const SPEMU_POINTER_RESTRICTION_OTHER_FAULT_STAGE2_ACCESS_FLAG_0: spemu_pointer_restriction_other_fault = 17;
pub const SPEMU_POINTER_RESTRICTION_OTHER_FAULT_STAGE2_ADDRESS_SIZE_MINUS_1: spemu_pointer_restriction_other_fault = 16;
pub const SPEMU_POINTER_RESTRICTION_OTHER_FAULT_STAGE2_ATOMIC_UPDATE: spemu_pointer_restriction_other_fault = 29;
pub const SPEMU_POINTER_RESTRICTION_OTHER_FAULT_STAGE2_EXTERNAL_ABORT_ON_WALK_0: spemu_pointer_restriction_other_fault = 20;
pub const SPEMU_POINTER_RESTRICTION_OTHER_FAULT_STAGE2_EXTERNAL_ABORT_ON_WALK_1: spemu_pointer_restriction_other_fault = 21;
pub const SPEMU_POINTER_RESTRICTION_OTHER_FAULT_STAGE2_EXTERNAL_ABORT_ON_WALK_2: spemu_pointer_restriction_other_fault = 22;
pub const SPEMU_POINTER_RESTRICTION_OTHER_FAULT_STAGE2_EXTERNAL_ABORT_ON_WALK_3: spemu_pointer_restriction_other_fault = 23;
pub const SPEMU_POINTER_RESTRICTION_OTHER_FAULT_STAGE2_EXTERNAL_ABORT_ON_WALK_MINUS_1: spemu_pointer_restriction_other_fault = 19;
pub const SPEMU_POINTER_RESTRICTION_OTHER_FAULT_STAGE2_GRANULE_PROTECTION_ON_WALK_0: spemu_pointer_restriction_other_fault = 25;
pub const SPEMU_POINTER_RESTRICTION_OTHER_FAULT_STAGE2_GRANULE_PROTECTION_ON_WALK_1: spemu_pointer_restriction_other_fault = 26;
pub const SPEMU_POINTER_RESTRICTION_OTHER_FAULT_STAGE2_GRANULE_PROTECTION_ON_WALK_2: spemu_pointer_restriction_other_fault = 27;
pub const SPEMU_POINTER_RESTRICTION_OTHER_FAULT_STAGE2_GRANULE_PROTECTION_ON_WALK_3: spemu_pointer_restriction_other_fault = 28;
pub const SPEMU_POINTER_RESTRICTION_OTHER_FAULT_STAGE2_GRANULE_PROTECTION_ON_WALK_MINUS_1: spemu_pointer_restriction_other_fault = 24;
pub const SPEMU_POINTER_RESTRICTION_OTHER_FAULT_STAGE2_PERMISSION_0: spemu_pointer_restriction_other_fault = 18;
pub const SPEMU_POINTER_RESTRICTION_OTHER_FAULT_STAGE2_TRANSLATION_MINUS_1: spemu_pointer_restriction_other_fault = 15;
pub const SPEMU_POINTER_RESTRICTION_UNKNOWN_POINTER: spemu_pointer_restriction = 1;
pub const SPEMU_POINTER_RESTRICTION_WRITE_ANYWHERE: spemu_pointer_restriction = 2;
pub const SPEMU_POR_EL1_Perm_LSB: u32 = 0;
pub const SPEMU_POR_EL1_Perm_WIDTH: u32 = 64;
pub const SPEMU_POR_EL2_Perm_LSB: u32 = 0;
pub const SPEMU_POR_EL2_Perm_WIDTH: u32 = 64;
pub const SPEMU_PREVIOUS_TARGET_AFTER_SYNCHRONIZATION_NOT_RECORDED: spemu_previous_target_after_synchronization = 1;
pub const SPEMU_PREVIOUS_TARGET_AFTER_SYNCHRONIZATION_RECORDED: spemu_previous_target_after_synchronization = 0;
pub const SPEMU_PREVIOUS_TARGET_AT_NOT_TAKEN_BRANCH_NOT_RECORDED: spemu_previous_target_at_not_taken_branch = 1;
pub const SPEMU_PREVIOUS_TARGET_AT_NOT_TAKEN_BRANCH_RECORDED: spemu_previous_target_at_not_taken_branch = 0;
pub const SPEMU_PREVIOUS_TARGET_OF_ERET_NOT_RECORDED: spemu_previous_target_of_eret = 1;
pub const SPEMU_PREVIOUS_TARGET_OF_ERET_RECORDED: spemu_previous_target_of_eret = 0;
pub const SPEMU_PREVIOUS_TARGET_OF_EXCEPTION_NOT_RECORDED: spemu_previous_target_of_exception = 1;
pub const SPEMU_PREVIOUS_TARGET_OF_EXCEPTION_RECORDED: spemu_previous_target_of_exception = 0;
pub const SPEMU_PREVIOUS_TARGET_OF_ISB_NOT_RECORDED: spemu_previous_target_of_isb = 2;
pub const SPEMU_PREVIOUS_TARGET_OF_ISB_NO_BRANCH: spemu_previous_target_of_isb = 0;
pub const SPEMU_PREVIOUS_TARGET_OF_ISB_RECORDED: spemu_previous_target_of_isb = 1;
pub const SPEMU_PREVIOUS_TARGET_WITHOUT_BRANCH_NOT_RECORDED: spemu_previous_target_without_branch = 1;
pub const SPEMU_PREVIOUS_TARGET_WITHOUT_BRANCH_RECORDED: spemu_previous_target_without_branch = 0;
pub const SPEMU_PROFILING_EXCEPTION_ISS: u32 = 2;
pub const SPEMU_PROFILING_EXCEPTION_ORDER_HIGHEST_FIRST: spemu_profiling_exception_order = 0;
pub const SPEMU_PROFILING_EXCEPTION_ORDER_LOWEST_FIRST: spemu_profiling_exception_order = 1;
pub const SPEMU_READER_WINDOW_MIN: u32 = 32768;
pub const SPEMU_RECORD_ADDR0: spemu_record_present = 1;
pub const SPEMU_RECORD_CONTEXT0: spemu_record_present = 65536;
pub const SPEMU_RECORD_COUNTER0: spemu_record_present = 256;
pub const SPEMU_RECORD_DATA_SOURCE: spemu_record_present = 4194304;
pub const SPEMU_RECORD_EVENTS: spemu_record_present = 1048576;
pub const SPEMU_RECORD_MAX: u32 = 2048;
pub const SPEMU_RECORD_OP_TYPE: spemu_record_present = 2097152;
pub const SPEMU_RECORD_OTHER: spemu_record_present = 16777216;
pub const SPEMU_RECORD_SUSPECT: spemu_record_present = 33554432;
pub const SPEMU_RECORD_TIMESTAMP: spemu_record_present = 8388608;
pub const SPEMU_REFUSED_FEATURE: spemu_refusal = 6;
pub const SPEMU_REFUSED_FIELD: spemu_refusal = 3;
pub const SPEMU_REFUSED_FORM: spemu_refusal = 1;
pub const SPEMU_REFUSED_MACHINE: spemu_refusal = 7;
pub const SPEMU_REFUSED_NAME: spemu_refusal = 2;
pub const SPEMU_REFUSED_VALUE: spemu_refusal = 4;
pub const SPEMU_REFUSED_WIDTH: spemu_refusal = 5;
pub const SPEMU_REGION_OPCODE_BEGIN: u32 = 3532286495;
pub const SPEMU_REGION_OPCODE_END: u32 = 3532286527;
pub const SPEMU_REG_CNTHCTL_EL2: spemu_reg = 32;
pub const SPEMU_REG_CNTPOFF_EL2: spemu_reg = 31;
pub const SPEMU_REG_CNTVOFF_EL2: spemu_reg = 30;
pub const SPEMU_REG_CONTEXTIDR_EL1: spemu_reg = 28;
pub const SPEMU_REG_CONTEXTIDR_EL2: spemu_reg = 29;
pub const SPEMU_REG_COUNT: spemu_reg = 83;
pub const SPEMU_REG_GPCBW_EL3: spemu_reg = 63;
pub const SPEMU_REG_GPCCR_EL3: spemu_reg = 61;
pub const SPEMU_REG_GPTBR_EL3: spemu_reg = 62;
pub const SPEMU_REG_HCRX_EL2: spemu_reg = 36;
pub const SPEMU_REG_HCR_EL2: spemu_reg = 20;
pub const SPEMU_REG_HDFGRTR2_EL2: spemu_reg = 23;
pub const SPEMU_REG_HDFGRTR_EL2: spemu_reg = 21;
pub const SPEMU_REG_HDFGWTR2_EL2: spemu_reg = 24;
pub const SPEMU_REG_HDFGWTR_EL2: spemu_reg = 22;
pub const SPEMU_REG_HFGRTR_EL2: spemu_reg = 81;
pub const SPEMU_REG_HFGWTR_EL2: spemu_reg = 82;
pub const SPEMU_REG_ID_AA64DFR0_EL1: spemu_reg = 25;
pub const SPEMU_REG_ID_AA64DFR1_EL1: spemu_reg = 26;
pub const SPEMU_REG_ID_AA64DFR2_EL1: spemu_reg = 27;
pub const SPEMU_REG_MAIR2_EL1: spemu_reg = 46;
pub const SPEMU_REG_MAIR2_EL2: spemu_reg = 48;
pub const SPEMU_REG_MAIR_EL1: spemu_reg = 45;
pub const SPEMU_REG_MAIR_EL2: spemu_reg = 47;
pub const SPEMU_REG_MDCR_EL2: spemu_reg = 18;
pub const SPEMU_REG_MDCR_EL3: spemu_reg = 17;
pub const SPEMU_REG_MECID_A0_EL2: spemu_reg = 65;
pub const SPEMU_REG_MECID_A1_EL2: spemu_reg = 67;
pub const SPEMU_REG_MECID_P0_EL2: spemu_reg = 64;
pub const SPEMU_REG_MECID_P1_EL2: spemu_reg = 66;
pub const SPEMU_REG_OSLSR_EL1: spemu_reg = 79;
pub const SPEMU_REG_PIRE0_EL1: spemu_reg = 53;
pub const SPEMU_REG_PIRE0_EL2: spemu_reg = 54;
pub const SPEMU_REG_PIR_EL1: spemu_reg = 49;
pub const SPEMU_REG_PIR_EL2: spemu_reg = 51;
pub const SPEMU_REG_PMBIDR_EL1: spemu_reg = 16;
pub const SPEMU_REG_PMBLIMITR_EL1: spemu_reg = 9;
pub const SPEMU_REG_PMBMAR_EL1: spemu_reg = 15;
pub const SPEMU_REG_PMBPTR_EL1: spemu_reg = 10;
pub const SPEMU_REG_PMBSR_EL1: spemu_reg = 11;
pub const SPEMU_REG_PMBSR_EL2: spemu_reg = 12;
pub const SPEMU_REG_PMBSR_EL3: spemu_reg = 13;
pub const SPEMU_REG_PMCNTENSET_EL0: spemu_reg = 70;
pub const SPEMU_REG_PMCR_EL0: spemu_reg = 71;
pub const SPEMU_REG_PMECR_EL1: spemu_reg = 72;
pub const SPEMU_REG_PMINTENSET_EL1: spemu_reg = 73;
pub const SPEMU_REG_PMOVSSET_EL0: spemu_reg = 74;
pub const SPEMU_REG_PMSCR_EL1: spemu_reg = 0;
pub const SPEMU_REG_PMSCR_EL2: spemu_reg = 1;
pub const SPEMU_REG_PMSDSFR_EL1: spemu_reg = 14;
pub const SPEMU_REG_PMSELR_EL0: spemu_reg = 75;
pub const SPEMU_REG_PMSEVFR_EL1: spemu_reg = 6;
pub const SPEMU_REG_PMSFCR_EL1: spemu_reg = 5;
pub const SPEMU_REG_PMSICR_EL1: spemu_reg = 3;
pub const SPEMU_REG_PMSIDR_EL1: spemu_reg = 8;
pub const SPEMU_REG_PMSIRR_EL1: spemu_reg = 4;
pub const SPEMU_REG_PMSLATFR_EL1: spemu_reg = 7;
pub const SPEMU_REG_PMSNEVFR_EL1: spemu_reg = 2;
pub const SPEMU_REG_PMSSCR_EL1: spemu_reg = 76;
pub const SPEMU_REG_PMUACR_EL1: spemu_reg = 77;
pub const SPEMU_REG_PMUSERENR_EL0: spemu_reg = 78;
pub const SPEMU_REG_POR_EL1: spemu_reg = 50;
pub const SPEMU_REG_POR_EL2: spemu_reg = 52;
pub const SPEMU_REG_S2PIR_EL2: spemu_reg = 55;
pub const SPEMU_REG_S2POR_EL1: spemu_reg = 56;
pub const SPEMU_REG_SCR_EL3: spemu_reg = 19;
pub const SPEMU_REG_SCTLR2_EL2: spemu_reg = 35;
pub const SPEMU_REG_SCTLR_EL1: spemu_reg = 33;
pub const SPEMU_REG_SCTLR_EL2: spemu_reg = 34;
pub const SPEMU_REG_SDER32_EL3: spemu_reg = 80;
pub const SPEMU_REG_TCR2_EL1: spemu_reg = 39;
pub const SPEMU_REG_TCR2_EL2: spemu_reg = 40;
pub const SPEMU_REG_TCR_EL1: spemu_reg = 37;
pub const SPEMU_REG_TCR_EL2: spemu_reg = 38;
pub const SPEMU_REG_TTBR0_EL1: spemu_reg = 41;
pub const SPEMU_REG_TTBR0_EL2: spemu_reg = 43;
pub const SPEMU_REG_TTBR1_EL1: spemu_reg = 42;
pub const SPEMU_REG_TTBR1_EL2: spemu_reg = 44;
pub const SPEMU_REG_VMECID_A_EL2: spemu_reg = 69;
pub const SPEMU_REG_VMECID_P_EL2: spemu_reg = 68;
pub const SPEMU_REG_VSTCR_EL2: spemu_reg = 59;
pub const SPEMU_REG_VSTTBR_EL2: spemu_reg = 60;
pub const SPEMU_REG_VTCR_EL2: spemu_reg = 57;
pub const SPEMU_REG_VTTBR_EL2: spemu_reg = 58;
pub const SPEMU_REMEDY_MAX: u32 = 10;
pub const SPEMU_RESERVED_E2PB_EL1: spemu_reserved_e2pb = 0;
pub const SPEMU_RESERVED_E2PB_EL1_TRAPPED: spemu_reserved_e2pb = 1;
pub const SPEMU_RESERVED_E2PB_EL2: spemu_reserved_e2pb = 2;
pub const SPEMU_RESERVED_EPMSSAD_EVERY: spemu_reserved_epmssad = 1;
pub const SPEMU_RESERVED_EPMSSAD_SECURE: spemu_reserved_epmssad = 0;
pub const SPEMU_RESERVED_FM_DISCARD: spemu_reserved_fm = 1;
pub const SPEMU_RESERVED_FM_FILL: spemu_reserved_fm = 0;
pub const SPEMU_RESERVED_GRANULE_16K: spemu_reserved_granule = 1;
pub const SPEMU_RESERVED_GRANULE_4K: spemu_reserved_granule = 0;
pub const SPEMU_RESERVED_GRANULE_64K: spemu_reserved_granule = 2;
pub const SPEMU_RESERVED_HPMN_EVERY: spemu_reserved_hpmn = 0;
pub const SPEMU_RESERVED_HPMN_ONE: spemu_reserved_hpmn = 1;
pub const SPEMU_RESERVED_MEMORY_ATTRIBUTES_DEVICE: spemu_reserved_memory_attributes = 0;
pub const SPEMU_RESERVED_MEMORY_ATTRIBUTES_NON_CACHEABLE: spemu_reserved_memory_attributes = 1;
pub const SPEMU_RESERVED_MEMORY_ATTRIBUTES_WRITE_BACK: spemu_reserved_memory_attributes = 2;
pub const SPEMU_RESERVED_NSPB_NONE: spemu_reserved_nspb = 3;
pub const SPEMU_RESERVED_NSPB_NON_SECURE: spemu_reserved_nspb = 1;
pub const SPEMU_RESERVED_NSPB_REALM: spemu_reserved_nspb = 2;
pub const SPEMU_RESERVED_NSPB_SECURE: spemu_reserved_nspb = 0;
pub const SPEMU_RESERVED_NSPB_TRAP_NOT_TRAPPED: spemu_reserved_nspb_trap = 1;
pub const SPEMU_RESERVED_NSPB_TRAP_TRAPPED: spemu_reserved_nspb_trap = 0;
pub const SPEMU_RESERVED_NSPB_WRITE_ACCESS_NOT_ALLOWED: spemu_reserved_nspb_write = 2;
pub const SPEMU_RESERVED_NSPB_WRITE_DISCARD: spemu_reserved_nspb_write = 1;
pub const SPEMU_RESERVED_NSPB_WRITE_WRITTEN: spemu_reserved_nspb_write = 0;
pub const SPEMU_RESERVED_PCT_GUEST_PHYSICAL: spemu_reserved_pct = 0;
pub const SPEMU_RESERVED_PCT_PHYSICAL: spemu_reserved_pct = 1;
pub const SPEMU_RESERVED_PCT_VIRTUAL: spemu_reserved_pct = 2;
pub const SPEMU_RESERVED_PMSEE_BY_BIT_1: spemu_reserved_pmsee = 0;
pub const SPEMU_RESERVED_PMSEE_DISABLED: spemu_reserved_pmsee = 1;
pub const SPEMU_RESERVED_PMSEE_ENABLED: spemu_reserved_pmsee = 2;
pub const SPEMU_RESERVED_SHAREABILITY_INNER_SHAREABLE: spemu_reserved_shareability = 1;
pub const SPEMU_RESERVED_SHAREABILITY_NON_SHAREABLE: spemu_reserved_shareability = 2;
pub const SPEMU_RESERVED_SHAREABILITY_OUTER_SHAREABLE: spemu_reserved_shareability = 0;
pub const SPEMU_RESERVED_SSE_ALLOWED: spemu_reserved_sse = 2;
pub const SPEMU_RESERVED_SSE_DISABLED: spemu_reserved_sse = 0;
pub const SPEMU_RESERVED_SSE_PROHIBITED: spemu_reserved_sse = 1;
pub const SPEMU_RESERVED_STAGE2_MEMATTR_DEVICE: spemu_reserved_stage2_memattr = 0;
pub const SPEMU_RESERVED_STAGE2_MEMATTR_NON_CACHEABLE: spemu_reserved_stage2_memattr = 1;
pub const SPEMU_RESERVED_STAGE2_MEMATTR_WRITE_BACK: spemu_reserved_stage2_memattr = 2;
pub const SPEMU_S2PIR_EL2_Perm_LSB: u32 = 0;
pub const SPEMU_S2PIR_EL2_Perm_WIDTH: u32 = 64;
pub const SPEMU_S2POR_EL1_Perm_LSB: u32 = 0;
pub const SPEMU_S2POR_EL1_Perm_WIDTH: u32 = 64;
pub const SPEMU_SAMPLE_COLLIDED: spemu_sample_outcome = 1;
pub const SPEMU_SAMPLE_DISCARDED: spemu_sample_outcome = 4;
pub const SPEMU_SAMPLE_FILTERED: spemu_sample_outcome = 3;
pub const SPEMU_SAMPLE_LOST: spemu_sample_outcome = 5;
pub const SPEMU_SAMPLE_PENDING: spemu_sample_outcome = 6;
pub const SPEMU_SAMPLE_RECORDED: spemu_sample_outcome = 2;
pub const SPEMU_SAMPLE_STARTED: spemu_sample_outcome = 0;
pub const SPEMU_SCR_EL3_EA_LSB: u32 = 3;
pub const SPEMU_SCR_EL3_EA_WIDTH: u32 = 1;
pub const SPEMU_SCR_EL3_ECVEn_LSB: u32 = 28;
pub const SPEMU_SCR_EL3_ECVEn_WIDTH: u32 = 1;
pub const SPEMU_SCR_EL3_EEL2_LSB: u32 = 18;
pub const SPEMU_SCR_EL3_EEL2_WIDTH: u32 = 1;
pub const SPEMU_SCR_EL3_FGTEn2_LSB: u32 = 59;
pub const SPEMU_SCR_EL3_FGTEn2_WIDTH: u32 = 1;
pub const SPEMU_SCR_EL3_FGTEn_LSB: u32 = 27;
pub const SPEMU_SCR_EL3_FGTEn_WIDTH: u32 = 1;
pub const SPEMU_SCR_EL3_GPF_LSB: u32 = 48;
pub const SPEMU_SCR_EL3_GPF_WIDTH: u32 = 1;
pub const SPEMU_SCR_EL3_HXEn_LSB: u32 = 38;
pub const SPEMU_SCR_EL3_HXEn_WIDTH: u32 = 1;
pub const SPEMU_SCR_EL3_MECEn_LSB: u32 = 49;
pub const SPEMU_SCR_EL3_MECEn_WIDTH: u32 = 1;
pub const SPEMU_SCR_EL3_NSE_LSB: u32 = 62;
pub const SPEMU_SCR_EL3_NSE_WIDTH: u32 = 1;
pub const SPEMU_SCR_EL3_NS_LSB: u32 = 0;
pub const SPEMU_SCR_EL3_NS_WIDTH: u32 = 1;
pub const SPEMU_SCR_EL3_PIEn_LSB: u32 = 45;
pub const SPEMU_SCR_EL3_PIEn_WIDTH: u32 = 1;
pub const SPEMU_SCR_EL3_SCTLR2En_LSB: u32 = 44;
pub const SPEMU_SCR_EL3_SCTLR2En_WIDTH: u32 = 1;
pub const SPEMU_SCR_EL3_TCR2En_LSB: u32 = 43;
pub const SPEMU_SCR_EL3_TCR2En_WIDTH: u32 = 1;
pub const SPEMU_SCTLR2_EL2_EMEC_LSB: u32 = 1;
pub const SPEMU_SCTLR2_EL2_EMEC_WIDTH: u32 = 1;
pub const SPEMU_SCTLR_EL1_C_LSB: u32 = 2;
pub const SPEMU_SCTLR_EL1_C_WIDTH: u32 = 1;
pub const SPEMU_SCTLR_EL1_EE_LSB: u32 = 25;
pub const SPEMU_SCTLR_EL1_EE_WIDTH: u32 = 1;
pub const SPEMU_SCTLR_EL1_M_LSB: u32 = 0;
pub const SPEMU_SCTLR_EL1_M_WIDTH: u32 = 1;
pub const SPEMU_SCTLR_EL1_WXN_LSB: u32 = 19;
pub const SPEMU_SCTLR_EL1_WXN_WIDTH: u32 = 1;
pub const SPEMU_SCTLR_EL2_C_LSB: u32 = 2;
pub const SPEMU_SCTLR_EL2_C_WIDTH: u32 = 1;
pub const SPEMU_SCTLR_EL2_EE_LSB: u32 = 25;
pub const SPEMU_SCTLR_EL2_EE_WIDTH: u32 = 1;
pub const SPEMU_SCTLR_EL2_M_LSB: u32 = 0;
pub const SPEMU_SCTLR_EL2_M_WIDTH: u32 = 1;
pub const SPEMU_SCTLR_EL2_WXN_LSB: u32 = 19;
pub const SPEMU_SCTLR_EL2_WXN_WIDTH: u32 = 1;
pub const SPEMU_SDD_UNDEF_PRIORITY_EL3_FIRST: spemu_sdd_undef_priority = 0;
pub const SPEMU_SDD_UNDEF_PRIORITY_LOWER_FIRST: spemu_sdd_undef_priority = 1;
pub const SPEMU_SDER32_EL3_SUNIDEN_LSB: u32 = 1;
pub const SPEMU_SDER32_EL3_SUNIDEN_WIDTH: u32 = 1;
pub const SPEMU_SECURE: spemu_feature = 2;
pub const SPEMU_SECUREONLY: spemu_feature = 3;
pub const SPEMU_SECURITY_MISMATCH_ACCESS_NOT_ALLOWED: spemu_security_mismatch = 3;
pub const SPEMU_SECURITY_MISMATCH_DISCARD: spemu_security_mismatch = 0;
pub const SPEMU_SECURITY_MISMATCH_WRITE_AS_CURRENT: spemu_security_mismatch = 2;
pub const SPEMU_SECURITY_MISMATCH_WRITE_AS_OWNER: spemu_security_mismatch = 1;
pub const SPEMU_SME_LOAD_STORE_FORMAT_SVE: spemu_sme_load_store_format = 0;
pub const SPEMU_SME_LOAD_STORE_FORMAT_UNSPECIFIED: spemu_sme_load_store_format = 1;
pub const SPEMU_SNAPSHOT_EVENT_IN_DEBUG_STATE_GENERATED: spemu_snapshot_event_in_debug_state = 1;
pub const SPEMU_SNAPSHOT_EVENT_IN_DEBUG_STATE_NOT_GENERATED: spemu_snapshot_event_in_debug_state = 0;
pub const SPEMU_SPECULATIVE_DIRTY_UPDATE_AHEAD: spemu_speculative_dirty_update = 1;
pub const SPEMU_SPECULATIVE_DIRTY_UPDATE_NEVER: spemu_speculative_dirty_update = 0;
pub const SPEMU_SS_NON_SECURE: spemu_security = 1;
pub const SPEMU_SS_REALM: spemu_security = 3;
pub const SPEMU_SS_ROOT: spemu_security = 2;
pub const SPEMU_SS_SECURE: spemu_security = 0;
pub const SPEMU_STOPPED_TEXT_MAX: u32 = 640;
pub const SPEMU_STORE_EVENTS_NOT_RECORDED: spemu_store_events = 1;
pub const SPEMU_STORE_EVENTS_RECORDED: spemu_store_events = 0;
pub const SPEMU_SUBCLASS_AR: spemu_subclass_field = 16;
pub const SPEMU_SUBCLASS_ASE: spemu_subclass_field = 4;
pub const SPEMU_SUBCLASS_AT: spemu_subclass_field = 4;
pub const SPEMU_SUBCLASS_BRANCH: spemu_subclass = 0;
pub const SPEMU_SUBCLASS_BRANCH_GCS: spemu_subclass_field = 4;
pub const SPEMU_SUBCLASS_BRANCH_MASK: spemu_subclass = 224;
pub const SPEMU_SUBCLASS_COMM: spemu_subclass_field = 4;
pub const SPEMU_SUBCLASS_COND: spemu_subclass_field = 1;
pub const SPEMU_SUBCLASS_EXCL: spemu_subclass_field = 8;
pub const SPEMU_SUBCLASS_EXTENDED: spemu_subclass = 2;
pub const SPEMU_SUBCLASS_EXTENDED_MASK: spemu_subclass = 226;
pub const SPEMU_SUBCLASS_FP: spemu_subclass_field = 2;
pub const SPEMU_SUBCLASS_GCS: spemu_subclass = 64;
pub const SPEMU_SUBCLASS_GCS_MASK: spemu_subclass = 250;
pub const SPEMU_SUBCLASS_GENERAL: spemu_subclass = 0;
pub const SPEMU_SUBCLASS_IND: spemu_subclass_field = 2;
pub const SPEMU_SUBCLASS_KIND: spemu_subclass = 254;
pub const SPEMU_SUBCLASS_LDST: spemu_subclass_field = 1;
pub const SPEMU_SUBCLASS_MEMCPY: spemu_subclass = 32;
pub const SPEMU_SUBCLASS_MEMSET: spemu_subclass = 37;
pub const SPEMU_SUBCLASS_OTHER: spemu_subclass = 0;
pub const SPEMU_SUBCLASS_OTHER_MASK: spemu_subclass = 248;
pub const SPEMU_SUBCLASS_PRED: spemu_subclass_field = 4;
pub const SPEMU_SUBCLASS_SG: spemu_subclass_field = 128;
pub const SPEMU_SUBCLASS_SIMDFP: spemu_subclass = 4;
pub const SPEMU_SUBCLASS_SME: spemu_subclass = 136;
pub const SPEMU_SUBCLASS_SVE: spemu_subclass = 8;
pub const SPEMU_SUBCLASS_SVE_SME: spemu_subclass = 8;
pub const SPEMU_SUBCLASS_SVE_SME_MASK: spemu_subclass = 10;
pub const SPEMU_SUBCLASS_SYSREG: spemu_subclass = 48;
pub const SPEMU_SUBCLASS_TAG: spemu_subclass = 20;
pub const SPEMU_SUBCLASS_UNSPECIFIED: spemu_subclass = 16;
pub const SPEMU_SUBCLASS_VECTOR_MASK: spemu_subclass = 137;
pub const SPEMU_SVE_MULTI_VECTOR_FORMAT_OTHER: spemu_sve_multi_vector_format = 1;
pub const SPEMU_SVE_MULTI_VECTOR_FORMAT_SVE: spemu_sve_multi_vector_format = 0;
pub const SPEMU_SVE_PREFETCH_FORMAT_OTHER: spemu_sve_prefetch_format = 0;
pub const SPEMU_SVE_PREFETCH_FORMAT_SVE: spemu_sve_prefetch_format = 1;
pub const SPEMU_SYSREG_CNTHCTL_EL2: u32 = 59144;
pub const SPEMU_SYSREG_CNTPOFF_EL2: u32 = 59142;
pub const SPEMU_SYSREG_CNTVOFF_EL2: u32 = 59139;
pub const SPEMU_SYSREG_CONTEXTIDR_EL1: u32 = 50817;
pub const SPEMU_SYSREG_CONTEXTIDR_EL12: u32 = 61057;
pub const SPEMU_SYSREG_CONTEXTIDR_EL2: u32 = 59009;
pub const SPEMU_SYSREG_GPCBW_EL3: u32 = 61709;
pub const SPEMU_SYSREG_GPCCR_EL3: u32 = 61710;
pub const SPEMU_SYSREG_GPTBR_EL3: u32 = 61708;
pub const SPEMU_SYSREG_HCRX_EL2: u32 = 57490;
pub const SPEMU_SYSREG_HCR_EL2: u32 = 57480;
pub const SPEMU_SYSREG_HDFGRTR2_EL2: u32 = 57736;
pub const SPEMU_SYSREG_HDFGRTR_EL2: u32 = 57740;
pub const SPEMU_SYSREG_HDFGWTR2_EL2: u32 = 57737;
pub const SPEMU_SYSREG_HDFGWTR_EL2: u32 = 57741;
pub const SPEMU_SYSREG_HFGRTR_EL2: u32 = 57484;
pub const SPEMU_SYSREG_HFGWTR_EL2: u32 = 57485;
pub const SPEMU_SYSREG_ID_AA64DFR0_EL1: u32 = 49192;
pub const SPEMU_SYSREG_ID_AA64DFR1_EL1: u32 = 49193;
pub const SPEMU_SYSREG_ID_AA64DFR2_EL1: u32 = 49194;
pub const SPEMU_SYSREG_MAIR2_EL1: u32 = 50449;
pub const SPEMU_SYSREG_MAIR2_EL2: u32 = 58633;
pub const SPEMU_SYSREG_MAIR_EL1: u32 = 50448;
pub const SPEMU_SYSREG_MAIR_EL2: u32 = 58640;
pub const SPEMU_SYSREG_MDCR_EL2: u32 = 57481;
pub const SPEMU_SYSREG_MDCR_EL3: u32 = 61593;
pub const SPEMU_SYSREG_MECID_A0_EL2: u32 = 58689;
pub const SPEMU_SYSREG_MECID_A1_EL2: u32 = 58691;
pub const SPEMU_SYSREG_MECID_P0_EL2: u32 = 58688;
pub const SPEMU_SYSREG_MECID_P1_EL2: u32 = 58690;
pub const SPEMU_SYSREG_OSLSR_EL1: u32 = 32908;
pub const SPEMU_SYSREG_PIRE0_EL1: u32 = 50450;
pub const SPEMU_SYSREG_PIRE0_EL2: u32 = 58642;
pub const SPEMU_SYSREG_PIR_EL1: u32 = 50451;
pub const SPEMU_SYSREG_PIR_EL2: u32 = 58643;
pub const SPEMU_SYSREG_PMBIDR_EL1: u32 = 50391;
pub const SPEMU_SYSREG_PMBLIMITR_EL1: u32 = 50384;
pub const SPEMU_SYSREG_PMBMAR_EL1: u32 = 50389;
pub const SPEMU_SYSREG_PMBPTR_EL1: u32 = 50385;
pub const SPEMU_SYSREG_PMBSR_EL1: u32 = 50387;
pub const SPEMU_SYSREG_PMBSR_EL12: u32 = 60627;
pub const SPEMU_SYSREG_PMBSR_EL2: u32 = 58579;
pub const SPEMU_SYSREG_PMBSR_EL3: u32 = 62675;
pub const SPEMU_SYSREG_PMCCFILTR_EL0: u32 = 57215;
pub const SPEMU_SYSREG_PMCCNTR_EL0: u32 = 56552;
pub const SPEMU_SYSREG_PMCCNTSVR_EL1: u32 = 34655;
pub const SPEMU_SYSREG_PMCEID0_EL0: u32 = 56550;
pub const SPEMU_SYSREG_PMCEID1_EL0: u32 = 56551;
pub const SPEMU_SYSREG_PMCNTENCLR_EL0: u32 = 56546;
pub const SPEMU_SYSREG_PMCNTENSET_EL0: u32 = 56545;
pub const SPEMU_SYSREG_PMCR_EL0: u32 = 56544;
pub const SPEMU_SYSREG_PMECR_EL1: u32 = 50421;
pub const SPEMU_SYSREG_PMICFILTR_EL0: u32 = 56496;
pub const SPEMU_SYSREG_PMICNTR_EL0: u32 = 56480;
pub const SPEMU_SYSREG_PMICNTSVR_EL1: u32 = 34656;
pub const SPEMU_SYSREG_PMINTENCLR_EL1: u32 = 50418;
pub const SPEMU_SYSREG_PMINTENSET_EL1: u32 = 50417;
pub const SPEMU_SYSREG_PMMIR_EL1: u32 = 50422;
pub const SPEMU_SYSREG_PMOVSCLR_EL0: u32 = 56547;
pub const SPEMU_SYSREG_PMOVSSET_EL0: u32 = 56563;
pub const SPEMU_SYSREG_PMSCR_EL1: u32 = 50376;
pub const SPEMU_SYSREG_PMSCR_EL12: u32 = 60616;
pub const SPEMU_SYSREG_PMSCR_EL2: u32 = 58568;
pub const SPEMU_SYSREG_PMSDSFR_EL1: u32 = 50388;
pub const SPEMU_SYSREG_PMSELR_EL0: u32 = 56549;
pub const SPEMU_SYSREG_PMSEVFR_EL1: u32 = 50381;
pub const SPEMU_SYSREG_PMSFCR_EL1: u32 = 50380;
pub const SPEMU_SYSREG_PMSICR_EL1: u32 = 50378;
pub const SPEMU_SYSREG_PMSIDR_EL1: u32 = 50383;
pub const SPEMU_SYSREG_PMSIRR_EL1: u32 = 50379;
pub const SPEMU_SYSREG_PMSLATFR_EL1: u32 = 50382;
pub const SPEMU_SYSREG_PMSNEVFR_EL1: u32 = 50377;
pub const SPEMU_SYSREG_PMSSCR_EL1: u32 = 50411;
pub const SPEMU_SYSREG_PMSWINC_EL0: u32 = 56548;
pub const SPEMU_SYSREG_PMUACR_EL1: u32 = 50420;
pub const SPEMU_SYSREG_PMUSERENR_EL0: u32 = 56560;
pub const SPEMU_SYSREG_PMXEVCNTR_EL0: u32 = 56554;
pub const SPEMU_SYSREG_PMXEVTYPER_EL0: u32 = 56553;
pub const SPEMU_SYSREG_PMZR_EL0: u32 = 56556;
pub const SPEMU_SYSREG_POR_EL1: u32 = 50452;
pub const SPEMU_SYSREG_POR_EL2: u32 = 58644;
pub const SPEMU_SYSREG_S2PIR_EL2: u32 = 58645;
pub const SPEMU_SYSREG_S2POR_EL1: u32 = 50453;
pub const SPEMU_SYSREG_SCR_EL3: u32 = 61576;
pub const SPEMU_SYSREG_SCTLR2_EL2: u32 = 57475;
pub const SPEMU_SYSREG_SCTLR_EL1: u32 = 49280;
pub const SPEMU_SYSREG_SCTLR_EL2: u32 = 57472;
pub const SPEMU_SYSREG_SDER32_EL3: u32 = 61577;
pub const SPEMU_SYSREG_TCR2_EL1: u32 = 49411;
pub const SPEMU_SYSREG_TCR2_EL2: u32 = 57603;
pub const SPEMU_SYSREG_TCR_EL1: u32 = 49410;
pub const SPEMU_SYSREG_TCR_EL2: u32 = 57602;
pub const SPEMU_SYSREG_TTBR0_EL1: u32 = 49408;
pub const SPEMU_SYSREG_TTBR0_EL2: u32 = 57600;
pub const SPEMU_SYSREG_TTBR1_EL1: u32 = 49409;
pub const SPEMU_SYSREG_TTBR1_EL2: u32 = 57601;
pub const SPEMU_SYSREG_VMECID_A_EL2: u32 = 58697;
pub const SPEMU_SYSREG_VMECID_P_EL2: u32 = 58696;
pub const SPEMU_SYSREG_VSTCR_EL2: u32 = 57650;
pub const SPEMU_SYSREG_VSTTBR_EL2: u32 = 57648;
pub const SPEMU_SYSREG_VTCR_EL2: u32 = 57610;
pub const SPEMU_SYSREG_VTTBR_EL2: u32 = 57608;
pub const SPEMU_TAG_ACCESS_PA_GRANULE: spemu_tag_access_pa = 1;
pub const SPEMU_TAG_ACCESS_PA_LOCATION: spemu_tag_access_pa = 0;
pub const SPEMU_TAG_ACCESS_VA_GRANULE: spemu_tag_access_va = 1;
pub const SPEMU_TAG_ACCESS_VA_LOCATION: spemu_tag_access_va = 0;
pub const SPEMU_TCR2_EL1_AIE_LSB: u32 = 4;
pub const SPEMU_TCR2_EL1_AIE_WIDTH: u32 = 1;
pub const SPEMU_TCR2_EL1_D128_LSB: u32 = 5;
pub const SPEMU_TCR2_EL1_D128_WIDTH: u32 = 1;
pub const SPEMU_TCR2_EL1_E0POE_LSB: u32 = 2;
pub const SPEMU_TCR2_EL1_E0POE_WIDTH: u32 = 1;
pub const SPEMU_TCR2_EL1_HAFT_LSB: u32 = 11;
pub const SPEMU_TCR2_EL1_HAFT_WIDTH: u32 = 1;
pub const SPEMU_TCR2_EL1_PIE_LSB: u32 = 1;
pub const SPEMU_TCR2_EL1_PIE_WIDTH: u32 = 1;
pub const SPEMU_TCR2_EL1_POE_LSB: u32 = 3;
pub const SPEMU_TCR2_EL1_POE_WIDTH: u32 = 1;
pub const SPEMU_TCR2_EL1_PnCH_LSB: u32 = 0;
pub const SPEMU_TCR2_EL1_PnCH_WIDTH: u32 = 1;
pub const SPEMU_TCR2_EL2_AIE_LSB: u32 = 4;
pub const SPEMU_TCR2_EL2_AIE_WIDTH: u32 = 1;
pub const SPEMU_TCR2_EL2_AMEC0_LSB: u32 = 12;
pub const SPEMU_TCR2_EL2_AMEC0_WIDTH: u32 = 1;
pub const SPEMU_TCR2_EL2_AMEC1_LSB: u32 = 13;
pub const SPEMU_TCR2_EL2_AMEC1_WIDTH: u32 = 1;
pub const SPEMU_TCR2_EL2_D128_LSB: u32 = 5;
pub const SPEMU_TCR2_EL2_D128_WIDTH: u32 = 1;
pub const SPEMU_TCR2_EL2_E0POE_LSB: u32 = 2;
pub const SPEMU_TCR2_EL2_E0POE_WIDTH: u32 = 1;
pub const SPEMU_TCR2_EL2_HAFT_LSB: u32 = 11;
pub const SPEMU_TCR2_EL2_HAFT_WIDTH: u32 = 1;
pub const SPEMU_TCR2_EL2_PIE_LSB: u32 = 1;
pub const SPEMU_TCR2_EL2_PIE_WIDTH: u32 = 1;
pub const SPEMU_TCR2_EL2_POE_LSB: u32 = 3;
pub const SPEMU_TCR2_EL2_POE_WIDTH: u32 = 1;
pub const SPEMU_TCR2_EL2_PnCH_LSB: u32 = 0;
pub const SPEMU_TCR2_EL2_PnCH_WIDTH: u32 = 1;
pub const SPEMU_TCR_EL1_A1_LSB: u32 = 22;
pub const SPEMU_TCR_EL1_A1_WIDTH: u32 = 1;
pub const SPEMU_TCR_EL1_DS_LSB: u32 = 59;
pub const SPEMU_TCR_EL1_DS_WIDTH: u32 = 1;
pub const SPEMU_TCR_EL1_EPD0_LSB: u32 = 7;
pub const SPEMU_TCR_EL1_EPD0_WIDTH: u32 = 1;
pub const SPEMU_TCR_EL1_EPD1_LSB: u32 = 23;
pub const SPEMU_TCR_EL1_EPD1_WIDTH: u32 = 1;
pub const SPEMU_TCR_EL1_HA_LSB: u32 = 39;
pub const SPEMU_TCR_EL1_HA_WIDTH: u32 = 1;
pub const SPEMU_TCR_EL1_HD_LSB: u32 = 40;
pub const SPEMU_TCR_EL1_HD_WIDTH: u32 = 1;
pub const SPEMU_TCR_EL1_HPD0_LSB: u32 = 41;
pub const SPEMU_TCR_EL1_HPD0_WIDTH: u32 = 1;
pub const SPEMU_TCR_EL1_HPD1_LSB: u32 = 42;
pub const SPEMU_TCR_EL1_HPD1_WIDTH: u32 = 1;
pub const SPEMU_TCR_EL1_IPS_LSB: u32 = 32;
pub const SPEMU_TCR_EL1_IPS_WIDTH: u32 = 3;
pub const SPEMU_TCR_EL1_IRGN0_LSB: u32 = 8;
pub const SPEMU_TCR_EL1_IRGN0_WIDTH: u32 = 2;
pub const SPEMU_TCR_EL1_IRGN1_LSB: u32 = 24;
pub const SPEMU_TCR_EL1_IRGN1_WIDTH: u32 = 2;
pub const SPEMU_TCR_EL1_ORGN0_LSB: u32 = 10;
pub const SPEMU_TCR_EL1_ORGN0_WIDTH: u32 = 2;
pub const SPEMU_TCR_EL1_ORGN1_LSB: u32 = 26;
pub const SPEMU_TCR_EL1_ORGN1_WIDTH: u32 = 2;
pub const SPEMU_TCR_EL1_SH0_LSB: u32 = 12;
pub const SPEMU_TCR_EL1_SH0_WIDTH: u32 = 2;
pub const SPEMU_TCR_EL1_SH1_LSB: u32 = 28;
pub const SPEMU_TCR_EL1_SH1_WIDTH: u32 = 2;
pub const SPEMU_TCR_EL1_T0SZ_LSB: u32 = 0;
pub const SPEMU_TCR_EL1_T0SZ_WIDTH: u32 = 6;
pub const SPEMU_TCR_EL1_T1SZ_LSB: u32 = 16;
pub const SPEMU_TCR_EL1_T1SZ_WIDTH: u32 = 6;
pub const SPEMU_TCR_EL1_TBI0_LSB: u32 = 37;
pub const SPEMU_TCR_EL1_TBI0_WIDTH: u32 = 1;
pub const SPEMU_TCR_EL1_TBI1_LSB: u32 = 38;
pub const SPEMU_TCR_EL1_TBI1_WIDTH: u32 = 1;
pub const SPEMU_TCR_EL1_TG0_LSB: u32 = 14;
pub const SPEMU_TCR_EL1_TG0_WIDTH: u32 = 2;
pub const SPEMU_TCR_EL1_TG1_LSB: u32 = 30;
pub const SPEMU_TCR_EL1_TG1_WIDTH: u32 = 2;
pub const SPEMU_TCR_EL2_IRGN0_LSB: u32 = 8;
pub const SPEMU_TCR_EL2_IRGN0_WIDTH: u32 = 2;
pub const SPEMU_TCR_EL2_ORGN0_LSB: u32 = 10;
pub const SPEMU_TCR_EL2_ORGN0_WIDTH: u32 = 2;
pub const SPEMU_TCR_EL2_SH0_LSB: u32 = 12;
pub const SPEMU_TCR_EL2_SH0_WIDTH: u32 = 2;
pub const SPEMU_TCR_EL2_T0SZ_LSB: u32 = 0;
pub const SPEMU_TCR_EL2_T0SZ_WIDTH: u32 = 6;
pub const SPEMU_TCR_EL2_TG0_LSB: u32 = 14;
pub const SPEMU_TCR_EL2_TG0_WIDTH: u32 = 2;
pub const SPEMU_TIMESTAMP_AT_START_AT_END: spemu_timestamp_at_start = 1;
pub const SPEMU_TIMESTAMP_AT_START_AT_START: spemu_timestamp_at_start = 0;
pub const SPEMU_TIMESTAMP_COUNTER_DISABLED_NO_TIMESTAMP: spemu_timestamp_counter_disabled = 0;
pub const SPEMU_TIMESTAMP_COUNTER_DISABLED_UNKNOWN: spemu_timestamp_counter_disabled = 1;
pub const SPEMU_TLBI_ALL: spemu_tlbi = 0;
pub const SPEMU_TLBI_ASID: spemu_tlbi = 2;
pub const SPEMU_TLBI_IPA: spemu_tlbi = 5;
pub const SPEMU_TLBI_PA: spemu_tlbi = 6;
pub const SPEMU_TLBI_REGIME: spemu_tlbi = 1;
pub const SPEMU_TLBI_VA: spemu_tlbi = 3;
pub const SPEMU_TLBI_VA_ALL_ASIDS: spemu_tlbi = 4;
pub const SPEMU_TOPIC_ACCESS: spemu_topic = 5;
pub const SPEMU_TOPIC_BUFFER: spemu_topic = 1;
pub const SPEMU_TOPIC_CAPTURE: spemu_topic = 7;
pub const SPEMU_TOPIC_ENABLED: spemu_topic = 2;
pub const SPEMU_TOPIC_EVENT: spemu_topic = 6;
pub const SPEMU_TOPIC_INTERRUPT: spemu_topic = 10;
pub const SPEMU_TOPIC_MASKED: spemu_topic = 12;
pub const SPEMU_TOPIC_OCCURS: spemu_topic = 9;
pub const SPEMU_TOPIC_OWNER_EL: spemu_topic = 4;
pub const SPEMU_TOPIC_OWNER_SECURITY: spemu_topic = 3;
pub const SPEMU_TOPIC_PENDING: spemu_topic = 11;
pub const SPEMU_TOPIC_STOPPED: spemu_topic = 0;
pub const SPEMU_TOPIC_WRITTEN: spemu_topic = 8;
pub const SPEMU_TRACE_FIELDS: u32 = 12;
pub const SPEMU_TRANSLATION_LATENCY_WITHOUT_ACCESS_OMITTED: spemu_translation_latency_without_access = 0;
pub const SPEMU_TRANSLATION_LATENCY_WITHOUT_ACCESS_ZERO: spemu_translation_latency_without_access = 1;
pub const SPEMU_TTBR0_EL1_ASID_LSB: u32 = 48;
pub const SPEMU_TTBR0_EL1_ASID_WIDTH: u32 = 16;
pub const SPEMU_TTBR0_EL1_BADDR_LSB: u32 = 1;
pub const SPEMU_TTBR0_EL1_BADDR_WIDTH: u32 = 47;
pub const SPEMU_TTBR0_EL1_CnP_LSB: u32 = 0;
pub const SPEMU_TTBR0_EL1_CnP_WIDTH: u32 = 1;
pub const SPEMU_TTBR0_EL2_ASID_LSB: u32 = 48;
pub const SPEMU_TTBR0_EL2_ASID_WIDTH: u32 = 16;
pub const SPEMU_TTBR0_EL2_BADDR_LSB: u32 = 1;
pub const SPEMU_TTBR0_EL2_BADDR_WIDTH: u32 = 47;
pub const SPEMU_TTBR0_EL2_CnP_LSB: u32 = 0;
pub const SPEMU_TTBR0_EL2_CnP_WIDTH: u32 = 1;
pub const SPEMU_TTBR1_EL1_ASID_LSB: u32 = 48;
pub const SPEMU_TTBR1_EL1_ASID_WIDTH: u32 = 16;
pub const SPEMU_TTBR1_EL1_BADDR_LSB: u32 = 1;
pub const SPEMU_TTBR1_EL1_BADDR_WIDTH: u32 = 47;
pub const SPEMU_TTBR1_EL1_CnP_LSB: u32 = 0;
pub const SPEMU_TTBR1_EL1_CnP_WIDTH: u32 = 1;
pub const SPEMU_TTBR1_EL2_ASID_LSB: u32 = 48;
pub const SPEMU_TTBR1_EL2_ASID_WIDTH: u32 = 16;
pub const SPEMU_TTBR1_EL2_BADDR_LSB: u32 = 1;
pub const SPEMU_TTBR1_EL2_BADDR_WIDTH: u32 = 47;
pub const SPEMU_TTBR1_EL2_CnP_LSB: u32 = 0;
pub const SPEMU_TTBR1_EL2_CnP_WIDTH: u32 = 1;
pub const SPEMU_TXSZ_ABOVE_MAXIMUM_FAULT: spemu_txsz_above_maximum = 0;
pub const SPEMU_TXSZ_ABOVE_MAXIMUM_MAXIMUM: spemu_txsz_above_maximum = 1;
pub const SPEMU_TXSZ_BELOW_MINIMUM_FAULT: spemu_txsz_below_minimum = 0;
pub const SPEMU_TXSZ_BELOW_MINIMUM_MINIMUM: spemu_txsz_below_minimum = 1;
pub const SPEMU_UNALIGNED_POINTER_ALIGNMENT_FAULT: spemu_unaligned_pointer = 2;
pub const SPEMU_UNALIGNED_POINTER_AS_POINTER_RESTRICTION: spemu_unaligned_pointer = 3;
pub const SPEMU_UNALIGNED_POINTER_BY_MEMORY_TYPE: spemu_unaligned_pointer = 0;
pub const SPEMU_UNALIGNED_POINTER_WRITTEN: spemu_unaligned_pointer = 1;
pub const SPEMU_UNCHECKED_PAT_LOGICAL_TAG: spemu_unchecked_pat = 1;
pub const SPEMU_UNCHECKED_PAT_ZERO: spemu_unchecked_pat = 0;
pub const SPEMU_UNSYNCHRONIZED_SNAPSHOT_NEW: spemu_unsynchronized_snapshot = 0;
pub const SPEMU_UNSYNCHRONIZED_SNAPSHOT_OLD: spemu_unsynchronized_snapshot = 1;
pub const SPEMU_UNTAGGED_TOP_BYTE_ADDRESS_BITS: spemu_untagged_top_byte = 0;
pub const SPEMU_UNTAGGED_TOP_BYTE_ZERO: spemu_untagged_top_byte = 1;
pub const SPEMU_VMECID_A_EL2_MECID_LSB: u32 = 0;
pub const SPEMU_VMECID_A_EL2_MECID_WIDTH: u32 = 16;
pub const SPEMU_VMECID_P_EL2_MECID_LSB: u32 = 0;
pub const SPEMU_VMECID_P_EL2_MECID_WIDTH: u32 = 16;
pub const SPEMU_VSTCR_EL2_SA_LSB: u32 = 30;
pub const SPEMU_VSTCR_EL2_SA_WIDTH: u32 = 1;
pub const SPEMU_VSTCR_EL2_SL0_LSB: u32 = 6;
pub const SPEMU_VSTCR_EL2_SL0_WIDTH: u32 = 2;
pub const SPEMU_VSTCR_EL2_SL2_LSB: u32 = 33;
pub const SPEMU_VSTCR_EL2_SL2_WIDTH: u32 = 1;
pub const SPEMU_VSTCR_EL2_SW_LSB: u32 = 29;
pub const SPEMU_VSTCR_EL2_SW_WIDTH: u32 = 1;
pub const SPEMU_VSTCR_EL2_T0SZ_LSB: u32 = 0;
pub const SPEMU_VSTCR_EL2_T0SZ_WIDTH: u32 = 6;
pub const SPEMU_VSTCR_EL2_TG0_LSB: u32 = 14;
pub const SPEMU_VSTCR_EL2_TG0_WIDTH: u32 = 2;
pub const SPEMU_VSTTBR_EL2_BADDR_LSB: u32 = 1;
pub const SPEMU_VSTTBR_EL2_BADDR_WIDTH: u32 = 47;
pub const SPEMU_VSTTBR_EL2_CnP_LSB: u32 = 0;
pub const SPEMU_VSTTBR_EL2_CnP_WIDTH: u32 = 1;
pub const SPEMU_VTCR_EL2_AssuredOnly_LSB: u32 = 34;
pub const SPEMU_VTCR_EL2_AssuredOnly_WIDTH: u32 = 1;
pub const SPEMU_VTCR_EL2_D128_LSB: u32 = 38;
pub const SPEMU_VTCR_EL2_D128_WIDTH: u32 = 1;
pub const SPEMU_VTCR_EL2_DS_LSB: u32 = 32;
pub const SPEMU_VTCR_EL2_DS_WIDTH: u32 = 1;
pub const SPEMU_VTCR_EL2_HAFT_LSB: u32 = 44;
pub const SPEMU_VTCR_EL2_HAFT_WIDTH: u32 = 1;
pub const SPEMU_VTCR_EL2_HA_LSB: u32 = 21;
pub const SPEMU_VTCR_EL2_HA_WIDTH: u32 = 1;
pub const SPEMU_VTCR_EL2_HD_LSB: u32 = 22;
pub const SPEMU_VTCR_EL2_HD_WIDTH: u32 = 1;
pub const SPEMU_VTCR_EL2_IRGN0_LSB: u32 = 8;
pub const SPEMU_VTCR_EL2_IRGN0_WIDTH: u32 = 2;
pub const SPEMU_VTCR_EL2_NSA_LSB: u32 = 30;
pub const SPEMU_VTCR_EL2_NSA_WIDTH: u32 = 1;
pub const SPEMU_VTCR_EL2_NSW_LSB: u32 = 29;
pub const SPEMU_VTCR_EL2_NSW_WIDTH: u32 = 1;
pub const SPEMU_VTCR_EL2_ORGN0_LSB: u32 = 10;
pub const SPEMU_VTCR_EL2_ORGN0_WIDTH: u32 = 2;
pub const SPEMU_VTCR_EL2_PS_LSB: u32 = 16;
pub const SPEMU_VTCR_EL2_PS_WIDTH: u32 = 3;
pub const SPEMU_VTCR_EL2_S2PIE_LSB: u32 = 36;
pub const SPEMU_VTCR_EL2_S2PIE_WIDTH: u32 = 1;
pub const SPEMU_VTCR_EL2_S2POE_LSB: u32 = 37;
pub const SPEMU_VTCR_EL2_S2POE_WIDTH: u32 = 1;
pub const SPEMU_VTCR_EL2_SH0_LSB: u32 = 12;
pub const SPEMU_VTCR_EL2_SH0_WIDTH: u32 = 2;
pub const SPEMU_VTCR_EL2_SL0_LSB: u32 = 6;
pub const SPEMU_VTCR_EL2_SL0_WIDTH: u32 = 2;
pub const SPEMU_VTCR_EL2_SL2_LSB: u32 = 33;
pub const SPEMU_VTCR_EL2_SL2_WIDTH: u32 = 1;
pub const SPEMU_VTCR_EL2_T0SZ_LSB: u32 = 0;
pub const SPEMU_VTCR_EL2_T0SZ_WIDTH: u32 = 6;
pub const SPEMU_VTCR_EL2_TG0_LSB: u32 = 14;
pub const SPEMU_VTCR_EL2_TG0_WIDTH: u32 = 2;
pub const SPEMU_VTCR_EL2_TL0_LSB: u32 = 41;
pub const SPEMU_VTCR_EL2_TL0_WIDTH: u32 = 1;
pub const SPEMU_VTCR_EL2_TL1_LSB: u32 = 35;
pub const SPEMU_VTCR_EL2_TL1_WIDTH: u32 = 1;
pub const SPEMU_VTTBR_EL2_BADDR_LSB: u32 = 1;
pub const SPEMU_VTTBR_EL2_BADDR_WIDTH: u32 = 47;
pub const SPEMU_VTTBR_EL2_CnP_LSB: u32 = 0;
pub const SPEMU_VTTBR_EL2_CnP_WIDTH: u32 = 1;
pub const SPEMU_VTTBR_EL2_VMID_LSB: u32 = 48;
pub const SPEMU_VTTBR_EL2_VMID_WIDTH: u32 = 16;
pub const SPEMU_WALK_EXTERNAL_ABORT_SETS_EA_SET: spemu_walk_external_abort_sets_ea = 1;
pub const SPEMU_WALK_EXTERNAL_ABORT_SETS_EA_UNCHANGED: spemu_walk_external_abort_sets_ea = 0;
pub const SPEMU_WRITE_BACK: spemu_cacheability = 2;
pub const SPEMU_WRITE_DURING_CAPTURE_COMPLETES: spemu_write_during_capture = 1;
pub const SPEMU_WRITE_DURING_CAPTURE_IGNORED: spemu_write_during_capture = 0;
pub const SPEMU_WRITE_THROUGH: spemu_cacheability = 1;
pub const SPEMU_WRITTEN_NEVER: spemu_written = 2;
pub const SPEMU_WRITTEN_UNPREDICTABLE: spemu_written = 1;
pub const SPEMU_WRITTEN_YES: spemu_written = 0;
pub const SPEMU_ZERO_INTERVAL_1: spemu_zero_interval = 1;
pub const SPEMU_ZERO_INTERVAL_1024: spemu_zero_interval = 3;
pub const SPEMU_ZERO_INTERVAL_1048576: spemu_zero_interval = 6;
pub const SPEMU_ZERO_INTERVAL_256: spemu_zero_interval = 0;
pub const SPEMU_ZERO_INTERVAL_4096: spemu_zero_interval = 4;
pub const SPEMU_ZERO_INTERVAL_4294967040: spemu_zero_interval = 7;
pub const SPEMU_ZERO_INTERVAL_512: spemu_zero_interval = 2;
pub const SPEMU_ZERO_INTERVAL_65536: spemu_zero_interval = 5;
pub type spemu_id_read_fn = Option<unsafe extern "C" fn(ctx: *mut c_void, encoding: u32) -> u64>;
pub type spemu_read_fn = Option<unsafe extern "C" fn(ctx: *mut c_void, buf: *mut c_void, size: usize) -> isize>;
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_features {
    pub word: [u64; 2],
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_feature_id {
    pub reg: *const c_char,
    pub field: *const c_char,
    pub encoding: u32,
    pub hi: c_uint,
    pub lo: c_uint,
    pub least: c_uint,
    pub most: c_uint,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_reg_description {
    pub name: *const c_char,
    pub doc: *const c_char,
    pub guard: *const c_char,
    pub encoding: u32,
    pub reg: spemu_reg,
    pub count: c_uint,
    pub alias: bool,
    pub readonly: bool,
    pub writeonly: bool,
    pub partial: bool,
    pub host_owned: bool,
    pub field_count: c_uint,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_field_description {
    pub name: *const c_char,
    pub guard: *const c_char,
    pub hi: c_uint,
    pub lo: c_uint,
    pub reset_known: bool,
    pub reset: u64,
    pub enum_count: c_uint,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_enum_description {
    pub value: u64,
    pub name: *const c_char,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_pe_state {
    pub el: u8,
    pub aarch32: bool,
    pub debug: bool,
    pub edscr_sdd: bool,
    pub pm: bool,
    pub streaming: bool,
    pub el_aarch32: u8,
    pub reserved: [u8; 9],
}
#[repr(C)]
pub struct spemu_pe {
    _private: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_pe_config {
    pub size: usize,
    pub features: spemu_features,
    pub pa_bits: u8,
    pub seed: u64,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_access_result {
    pub outcome: u8,
    pub nvmem_offset: u16,
    pub iss: u32,
    pub rule: *const c_char,
    pub reg: u16,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_record {
    pub offset: u64,
    pub size: u32,
    pub present: u32,
    pub addr: [u64; 8],
    pub events: u64,
    pub timestamp: u64,
    pub context: [u32; 2],
    pub counter: [u16; 8],
    pub data_source: u16,
    pub op_class: u8,
    pub op_subclass: u8,
    pub events_size: u8,
    pub data_source_size: u8,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_layout {
    pub order: u8,
    pub align_log2: u8,
    pub pad_before_end: u8,
    pub fixed_places: u8,
    pub chosen: [u8; 21],
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_packet {
    pub type_: u8,
    pub index: u8,
    pub header_size: u8,
    pub payload_size: u8,
    pub header: [u8; 2],
    pub payload: u64,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_decoder {
    pub begin: *const u8,
    pub end: *const u8,
    pub pos: *const u8,
    pub base: u64,
    pub skipped: u64,
    pub skip_offset: u64,
    pub skip_size: u64,
    pub own: [u64; 8],
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_shapes {
    pub own: [u64; 560],
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_columns {
    pub capacity: usize,
    pub offset: *mut u64,
    pub present: *mut u32,
    pub addr: [*mut u64; 8],
    pub events: *mut u64,
    pub timestamp: *mut u64,
    pub context: [*mut u32; 2],
    pub counter: [*mut u16; 8],
    pub data_source: *mut u16,
    pub op_class: *mut u8,
    pub op_subclass: *mut u8,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_reader {
    pub decoder: spemu_decoder,
    pub own: [u64; 6],
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_diagnostic_value {
    pub name: *const c_char,
    pub value: u64,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_diagnostic {
    pub name: *const c_char,
    pub rule: *const c_char,
    pub cause: *const c_char,
    pub cure: *const c_char,
    pub value: [spemu_diagnostic_value; 5],
    pub values: c_uint,
    pub has_pc: bool,
    pub pc: u64,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_memory {
    pub type_: u8,
    pub inner: u8,
    pub outer: u8,
    pub inner_hints: u8,
    pub outer_hints: u8,
    pub shareability: u8,
    pub xs: bool,
    pub tagged: bool,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_buffer_write {
    pub address: u64,
    pub address_type: u8,
    pub owner_el: u8,
    pub security: u8,
    pub e2h: bool,
    pub privileged: bool,
    pub tag_unchecked: bool,
    pub memory: spemu_memory,
    pub translated: bool,
    pub physical: u64,
    pub pas: u8,
    pub mecid: u16,
    pub reserved: [u8; 8],
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_fault {
    pub kind: u16,
    pub fsc: u8,
    pub top_level: bool,
    pub assured_only: bool,
    pub overlay: bool,
    pub dirty_bit: bool,
    pub external: bool,
    pub written: u32,
    pub reserved: [u8; 8],
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_translation {
    pub physical: u64,
    pub pas: u8,
    pub region_log2: u8,
    pub mecid: u16,
    pub has_stage2: bool,
    pub memory: spemu_memory,
    pub stage1: spemu_memory,
    pub stage2: spemu_memory,
    pub reserved: [u8; 8],
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_op_kind {
    pub type_: u8,
    pub ldst: u8,
    pub access_size: u16,
    pub flags: u32,
    pub vector_bits: u32,
    pub branch_offset: i32,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_op {
    pub kind: spemu_op_kind,
    pub pc: u64,
    pub target: u64,
    pub va: u64,
    pub pa: u64,
    pub store_va: u64,
    pub store_pa: u64,
    pub events: u64,
    pub total_latency: u32,
    pub issue_latency: u32,
    pub translation_latency: u32,
    pub alt_issue_latency: u32,
    pub data_source: u16,
    pub retired: bool,
    pub exception: bool,
    pub cond_pass: bool,
    pub memory_access: u8,
    pub pa_space: u8,
    pub target_el: u8,
    pub target_security: u8,
    pub valid: u32,
    pub reserved: [u64; 4],
}
#[repr(C)]
pub struct spemu_spu {
    _private: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_sample_result {
    pub outcome: u8,
    pub filters: u8,
    pub written: u16,
    pub management_event: bool,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_spu_host {
    pub size: usize,
    pub ctx: *mut c_void,
    pub buffer_write: Option<unsafe extern "C" fn(ctx: *mut c_void, fault: *mut spemu_fault, access: *const spemu_buffer_write, data: *const c_void, size: usize) -> c_int>,
    pub pmbirq: Option<unsafe extern "C" fn(ctx: *mut c_void, level: bool)>,
    pub pmu_event: Option<unsafe extern "C" fn(ctx: *mut c_void, event: u16, count: u64)>,
    pub counter: Option<unsafe extern "C" fn(ctx: *mut c_void) -> u64>,
    pub translate: Option<unsafe extern "C" fn(ctx: *mut c_void, result: *mut spemu_translation, fault: *mut spemu_fault, pe: *const spemu_pe, access: *const spemu_buffer_write) -> c_int>,
    pub profiling_exception: Option<unsafe extern "C" fn(ctx: *mut c_void, target_el: c_uint)>,
    pub pmu_freeze: Option<unsafe extern "C" fn(ctx: *mut c_void, freeze: bool)>,
    pub serror: Option<unsafe extern "C" fn(ctx: *mut c_void)>,
    pub diagnostic: Option<unsafe extern "C" fn(ctx: *mut c_void, diagnostic: *const spemu_diagnostic)>,
    pub sample_done: Option<unsafe extern "C" fn(ctx: *mut c_void, result: *const spemu_sample_result)>,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_spu_config {
    pub size: usize,
    pub layout: spemu_layout,
    pub max_size_log2: u8,
    pub counter_bits: u8,
    pub min_interval: u16,
    pub events_size: u8,
    pub data_source_size: u8,
    pub impdef_events: u64,
    pub missing_events: u64,
    pub alternate_clock: u8,
    pub samples_in_flight: u8,
    pub missing_source_filters: u64,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_profiling_exception {
    pub pending: bool,
    pub masked: bool,
    pub target_el: u8,
    pub masked_by: *const c_char,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_owner {
    pub security: u8,
    pub el: u8,
}
#[repr(C)]
pub struct spemu_pmu {
    _private: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_pmu_host {
    pub size: usize,
    pub ctx: *mut c_void,
    pub pmuirq: Option<unsafe extern "C" fn(ctx: *mut c_void, level: bool)>,
    pub spe_freeze: Option<unsafe extern "C" fn(ctx: *mut c_void) -> bool>,
    pub counter_read: Option<unsafe extern "C" fn(ctx: *mut c_void, counter: c_uint) -> u64>,
    pub counter_write: Option<unsafe extern "C" fn(ctx: *mut c_void, counter: c_uint, value: u64)>,
    pub brbe_freeze: Option<unsafe extern "C" fn(ctx: *mut c_void)>,
    pub event: Option<unsafe extern "C" fn(ctx: *mut c_void, event: u16, count: u64)>,
    pub diagnostic: Option<unsafe extern "C" fn(ctx: *mut c_void, diagnostic: *const spemu_diagnostic)>,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_pmu_config {
    pub size: usize,
    pub event_counters: u8,
    pub slots: u8,
    pub common_events: [u64; 2],
    pub polls: u8,
    pub pcsr_no_enable: bool,
    pub seed: u64,
}
#[repr(C)]
pub struct spemu_machine {
    _private: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_refusal_detail {
    pub kind: u8,
    pub width: u8,
    pub reg_index: c_uint,
    pub offset: usize,
    pub length: usize,
    pub rule: *const c_char,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_field_value {
    pub name: *const c_char,
    pub length: usize,
    pub value: u64,
    pub width: c_uint,
    pub exists: bool,
    pub label: *const c_char,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_decisions {
    pub stopped: bool,
    pub buffer_enabled: bool,
    pub owner: spemu_owner,
    pub regime: *const c_char,
    pub enabled: [bool; 4],
    pub available: [bool; 4],
    pub capture: u8,
    pub written: u8,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_signals {
    pub pmbirq: bool,
    pub exception: [spemu_profiling_exception; 4],
    pub taken_to: u8,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_question {
    pub topic: u8,
    pub el: u8,
    pub ec: u8,
    pub fsc: u8,
    pub collision: bool,
    pub write: bool,
    pub encoding: u32,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_trace_step {
    pub rule: *const c_char,
    pub text: *const c_char,
    pub holds: bool,
    pub decides: bool,
    pub value: c_uint,
    pub field_count: c_uint,
    pub field: [spemu_field_value; 12],
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_effective {
    pub name: *const c_char,
    pub raw: u64,
    pub effective: u64,
    pub width: c_uint,
    pub why: *const c_char,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_remedy_write {
    pub field: *const c_char,
    pub length: usize,
    pub width: c_uint,
    pub value: u64,
    pub el: u8,
    pub name: *const c_char,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_remedy {
    pub count: c_uint,
    pub write: [spemu_remedy_write; 10],
    pub never_rule: *const c_char,
    pub never_text: *const c_char,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_management_event_description {
    pub name: *const c_char,
    pub ec: u8,
    pub fsc: u8,
    pub collision: bool,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_access_rule {
    pub word: *const c_char,
    pub text: *const c_char,
    pub fields: *const c_char,
    pub outcome: u8,
    pub nvmem_offset: u16,
    pub alias_of: c_int,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_injection {
    pub size: usize,
    pub when: u8,
    pub kind: u8,
    pub mss: u16,
    pub mss2: u32,
    pub times: u32,
    pub nth: u64,
    pub first: u64,
    pub last: u64,
    pub rate: u32,
    pub fault: spemu_fault,
}
#[repr(C)]
pub struct spemu_mmu {
    _private: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_physical {
    pub address: u64,
    pub pas: u8,
    pub mecid: u16,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_mmu_memory {
    pub size: usize,
    pub ctx: *mut c_void,
    pub read: Option<unsafe extern "C" fn(ctx: *mut c_void, value: *mut u64, at: *const spemu_physical) -> c_int>,
    pub compare_and_swap: Option<unsafe extern "C" fn(ctx: *mut c_void, old: *mut u64, at: *const spemu_physical, expected: u64, desired: u64) -> c_int>,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_mmu_scope {
    pub by: u8,
    pub security: u8,
    pub el: u8,
    pub asid: u16,
    pub vmid: u16,
    pub first: u64,
    pub last: u64,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_perf_who {
    pub pid: u32,
    pub tid: u32,
    pub time: u64,
    pub cpu: u32,
    pub valid: u32,
    pub id: u64,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_perf_time_conv {
    pub time_shift: u64,
    pub time_mult: u64,
    pub time_zero: u64,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_perf_mmap {
    pub pid: u32,
    pub tid: u32,
    pub start: u64,
    pub len: u64,
    pub pgoff: u64,
    pub maj: u32,
    pub min: u32,
    pub ino: u64,
    pub ino_generation: u64,
    pub prot: u32,
    pub flags: u32,
    pub build_id: [u8; 20],
    pub build_id_size: u8,
    pub cpumode: u8,
    pub data: bool,
    pub filename: *const c_char,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_perf_spe_cpu {
    pub cpu: u64,
    pub midr: u64,
    pub pmu_type: u64,
    pub min_interval: u64,
    pub event_filter: u64,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_perf_head_config {
    pub size: usize,
    pub period: u64,
    pub pmscr: u64,
    pub pmsfcr: u64,
    pub pmsevfr: u64,
    pub min_latency: u64,
    pub midr: u64,
    pub jitter: bool,
    pub physical_addresses: bool,
    pub argv: *const *const c_char,
    pub version: *const c_char,
    pub osrelease: *const c_char,
    pub hostname: *const c_char,
    pub cpu_desc: *const c_char,
    pub event_name: *const c_char,
    pub callchains: bool,
    pub monotonic: bool,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_perf_head {
    pub data_at: u64,
    pub flags: u64,
    pub nrcpus_at: u64,
    pub numa_at: u64,
    pub table_size: u32,
    pub table: [u8; 256],
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_perf_tail {
    pub bytes: *mut u8,
    pub size: usize,
    pub flags: u64,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_perf_attr {
    pub type_: u32,
    pub config: u64,
    pub config1: u64,
    pub config2: u64,
    pub sample_period: u64,
    pub sample_type: u64,
    pub flags: u64,
    pub n_ids: u32,
    pub ids: *const u8,
    pub name: *const c_char,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_perf_auxtrace_info {
    pub type_: u32,
    pub version: u32,
    pub pmu_type: u32,
    pub n_cpus: u32,
    pub priv_: *const u8,
    pub priv_size: u32,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_perf_auxtrace {
    pub offset: u64,
    pub reference: u64,
    pub idx: u32,
    pub tid: u32,
    pub cpu: u32,
    pub data: *const u8,
    pub size: u64,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_perf_comm {
    pub pid: u32,
    pub tid: u32,
    pub exec: bool,
    pub comm: *const c_char,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_perf_task {
    pub pid: u32,
    pub ppid: u32,
    pub tid: u32,
    pub ptid: u32,
    pub time: u64,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_perf_aux {
    pub offset: u64,
    pub size: u64,
    pub flags: u64,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_perf_event {
    pub file_offset: u64,
    pub type_: u32,
    pub misc: u16,
    pub size: u16,
    pub body: *const u8,
    pub who: spemu_perf_who,
    pub u: spemu_perf_event_u,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub union spemu_perf_event_u {
    pub mmap: spemu_perf_mmap,
    pub comm: spemu_perf_comm,
    pub task: spemu_perf_task,
    pub aux: spemu_perf_aux,
    pub auxtrace_info: spemu_perf_auxtrace_info,
    pub auxtrace: spemu_perf_auxtrace,
    pub time_conv: spemu_perf_time_conv,
    pub lost: spemu_perf_event_u_lost,
    pub itrace_start: spemu_perf_event_u_itrace_start,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_perf_event_u_lost {
    pub id: u64,
    pub count: u64,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_perf_event_u_itrace_start {
    pub pid: u32,
    pub tid: u32,
}
#[repr(C)]
pub struct spemu_perf_file {
    _private: [u8; 0],
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_perf_cursor {
    pub offset: u64,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_perf_sample {
    pub valid: u64,
    pub id: u64,
    pub ip: u64,
    pub time: u64,
    pub addr: u64,
    pub period: u64,
    pub pid: u32,
    pub tid: u32,
    pub cpu: u32,
    pub n_chain: u32,
    pub chain: *const u8,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_perf_build_id {
    pub pid: u32,
    pub cpumode: u8,
    pub size: u8,
    pub id: [u8; 20],
    pub filename: *const c_char,
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct spemu_vm_rules {
    pub size: usize,
    pub ignore_writes_while_enabled: bool,
    pub physical_only: bool,
    pub max_buff_size: u16,
}
extern "C" {
    pub static spemu_layout_dense: spemu_layout;
    pub static spemu_layout_neoverse: spemu_layout;
    pub static spemu_layout_words: spemu_layout;
    pub static spemu_layout_names: [*const c_char; 0];
    pub static spemu_event_names: [*const c_char; 0];
    pub static spemu_event_bits: [u8; 0];
    pub fn spemu_strerror(status: c_int) -> *const c_char;
    pub fn spemu_features_parse(set: *mut spemu_features, error_offset: *mut usize, text: *const c_char) -> c_int;
    pub fn spemu_feature_name(feature: spemu_feature) -> *const c_char;
    pub fn spemu_features_check(set: *const spemu_features, rule: *mut *const c_char) -> c_int;
    pub fn spemu_features_from_id(set: *mut spemu_features, read: spemu_id_read_fn, ctx: *mut c_void);
    pub fn spemu_id_from_features(value: *mut u64, mask: *mut u64, set: *const spemu_features, encoding: u32);
    pub fn spemu_feature_id(id: *mut spemu_feature_id, feature: spemu_feature, index: c_uint) -> c_int;
    pub fn spemu_feature_without_id(feature: spemu_feature) -> *const c_char;
    pub fn spemu_reg_name(reg: spemu_reg) -> *const c_char;
    pub fn spemu_reg_by_name(name: *const c_char) -> c_int;
    pub fn spemu_reg_encoding(name: *const c_char) -> c_int;
    pub fn spemu_reg_nvmem(offset: *mut u16, nv1: *mut c_int, features: *const spemu_features, encoding: u32) -> c_int;
    pub fn spemu_reg_field(reg: spemu_reg, index: c_uint, name: *mut *const c_char, hi: *mut c_uint, lo: *mut c_uint) -> c_int;
    pub fn spemu_reg_describe(out: *mut spemu_reg_description, index: c_uint) -> c_int;
    pub fn spemu_field_describe(out: *mut spemu_field_description, index: c_uint, field: c_uint) -> c_int;
    pub fn spemu_enum_describe(out: *mut spemu_enum_description, index: c_uint, field: c_uint, position: c_uint) -> c_int;
    pub fn spemu_reg_find(index: *mut c_uint, field: *mut c_int, name: *const c_char, length: usize) -> c_int;
    pub fn spemu_pe_size() -> usize;
    pub fn spemu_pe_init(pe: *mut *mut spemu_pe, memory: *mut c_void, size: usize, config: *const spemu_pe_config) -> c_int;
    pub fn spemu_pe_features(pe: *const spemu_pe) -> *const spemu_features;
    pub fn spemu_pe_set(pe: *mut spemu_pe, state: *const spemu_pe_state) -> c_int;
    pub fn spemu_pe_get(pe: *const spemu_pe, state: *mut spemu_pe_state);
    pub fn spemu_pe_isb(pe: *mut spemu_pe);
    pub fn spemu_reg_get(pe: *const spemu_pe, value: *mut u64, reg: spemu_reg) -> c_int;
    pub fn spemu_reg_set(pe: *mut spemu_pe, reg: spemu_reg, value: u64) -> c_int;
    pub fn spemu_pe_save_size() -> usize;
    pub fn spemu_pe_save(pe: *const spemu_pe, buffer: *mut c_void, size: usize) -> c_int;
    pub fn spemu_pe_load(pe: *mut spemu_pe, buffer: *const c_void, size: usize) -> c_int;
    pub fn spemu_choice_set(pe: *mut spemu_pe, choice: spemu_choice, option: c_uint) -> c_int;
    pub fn spemu_choice_get(pe: *const spemu_pe, choice: spemu_choice) -> c_int;
    pub fn spemu_choice_is_random(pe: *const spemu_pe, choice: spemu_choice) -> bool;
    pub fn spemu_choice_parse(choice: *mut spemu_choice, option: *mut c_uint, error_offset: *mut usize, text: *const c_char) -> c_int;
    pub fn spemu_choice_name(choice: spemu_choice) -> *const c_char;
    pub fn spemu_choice_rule(choice: spemu_choice) -> *const c_char;
    pub fn spemu_choice_text(choice: spemu_choice) -> *const c_char;
    pub fn spemu_choice_kind(choice: spemu_choice) -> c_int;
    pub fn spemu_choice_options(choice: spemu_choice) -> c_uint;
    pub fn spemu_choice_option_name(choice: spemu_choice, option: c_uint) -> *const c_char;
    pub fn spemu_choice_option_text(choice: spemu_choice, option: c_uint) -> *const c_char;
    pub fn spemu_choice_option_needs(choice: spemu_choice, option: c_uint) -> *const c_char;
    pub fn spemu_choice_permitted(features: *const spemu_features, choice: spemu_choice, option: c_uint) -> bool;
    pub fn spemu_choice_default(features: *const spemu_features, choice: spemu_choice) -> c_int;
    pub fn spemu_layout_parse(layout: *mut spemu_layout, error_offset: *mut usize, text: *const c_char) -> c_int;
    pub fn spemu_record_encode(buf: *mut u8, size: usize, rec: *const spemu_record, layout: *const spemu_layout) -> c_int;
    pub fn spemu_event_name(bit: c_uint) -> *const c_char;
    pub fn spemu_event_meaning(bit: c_uint) -> *const c_char;
    pub fn spemu_packet_decode(pkt: *mut spemu_packet, buf: *const u8, size: usize) -> c_int;
    pub fn spemu_packet_encode(buf: *mut u8, size: usize, pkt: *const spemu_packet) -> c_int;
    pub fn spemu_packet_describe(text: *mut c_char, size: usize, pkt: *const spemu_packet) -> c_int;
    pub fn spemu_decoder_init(dec: *mut spemu_decoder, buf: *const u8, size: usize, base: u64);
    pub fn spemu_decoder_next(dec: *mut spemu_decoder, rec: *mut spemu_record) -> c_int;
    pub fn spemu_decoder_next_packet(dec: *mut spemu_decoder, pkt: *mut spemu_packet) -> c_int;
    pub fn spemu_decoder_records(dec: *mut spemu_decoder, count: *mut usize, records: *mut spemu_record, capacity: usize, shapes: *mut spemu_shapes) -> c_int;
    pub fn spemu_decoder_batch(dec: *mut spemu_decoder, count: *mut usize, columns: *const spemu_columns) -> c_int;
    pub fn spemu_reader_init(reader: *mut spemu_reader, window: *mut u8, window_size: usize, read: spemu_read_fn, ctx: *mut c_void, base: u64) -> c_int;
    pub fn spemu_reader_next(reader: *mut spemu_reader, rec: *mut spemu_record) -> c_int;
    pub fn spemu_reader_next_packet(reader: *mut spemu_reader, pkt: *mut spemu_packet) -> c_int;
    pub fn spemu_reader_batch(reader: *mut spemu_reader, count: *mut usize, columns: *const spemu_columns) -> c_int;
    pub fn spemu_fsc(type_: spemu_fault_type, level: c_int) -> c_int;
    pub fn spemu_spu_largest_record(config: *const spemu_spu_config, features: *const spemu_features) -> c_int;
    pub fn spemu_spu_size() -> usize;
    pub fn spemu_spu_init(spu: *mut *mut spemu_spu, memory: *mut c_void, size: usize, pe: *mut spemu_pe, config: *const spemu_spu_config, host: *const spemu_spu_host) -> c_int;
    pub fn spemu_spu_pe(spu: *const spemu_spu) -> *mut spemu_pe;
    pub fn spemu_spu_msr(spu: *mut spemu_spu, result: *mut spemu_access_result, encoding: u32, value: u64) -> c_int;
    pub fn spemu_spu_mrs(spu: *mut spemu_spu, result: *mut spemu_access_result, value: *mut u64, encoding: u32) -> c_int;
    pub fn spemu_spu_access_check(spu: *const spemu_spu, result: *mut spemu_access_result, encoding: u32, write: bool) -> c_int;
    pub fn spemu_spu_msr_permitted(spu: *mut spemu_spu, access: *const spemu_access_result, value: u64) -> c_int;
    pub fn spemu_spu_mrs_permitted(spu: *mut spemu_spu, value: *mut u64, access: *const spemu_access_result) -> c_int;
    pub fn spemu_spu_psb_csync(spu: *mut spemu_spu);
    pub fn spemu_spu_dsb(spu: *mut spemu_spu);
    pub fn spemu_spu_ops_until_sample(spu: *const spemu_spu) -> u64;
    pub fn spemu_spu_ops(spu: *mut spemu_spu, count: u64) -> c_int;
    pub fn spemu_spu_branch(spu: *mut spemu_spu, target: u64, flags: u32, destination: *const spemu_pe_state);
    pub fn spemu_spu_branch_unknown(spu: *mut spemu_spu);
    pub fn spemu_spu_sample_begin(spu: *mut spemu_spu, pc: u64) -> c_int;
    pub fn spemu_spu_sample_end(spu: *mut spemu_spu, result: *mut spemu_sample_result, op: *const spemu_op) -> c_int;
    pub fn spemu_spu_sample_begin_slot(spu: *mut spemu_spu, slot: *mut c_uint, pc: u64) -> c_int;
    pub fn spemu_spu_sample_end_slot(spu: *mut spemu_spu, result: *mut spemu_sample_result, slot: c_uint, op: *const spemu_op) -> c_int;
    pub fn spemu_spu_samples_in_flight(spu: *const spemu_spu) -> c_uint;
    pub fn spemu_spu_save_size() -> usize;
    pub fn spemu_spu_strict_save_size() -> usize;
    pub fn spemu_spu_save(spu: *const spemu_spu, buffer: *mut c_void, size: usize) -> c_int;
    pub fn spemu_spu_load(spu: *mut spemu_spu, buffer: *const c_void, size: usize) -> c_int;
    pub fn spemu_spu_pmbirq(spu: *const spemu_spu) -> bool;
    pub fn spemu_spu_profiling_exception(spu: *const spemu_spu, exception: *mut spemu_profiling_exception, el: c_uint) -> c_int;
    pub fn spemu_spu_profiling_exception_target(spu: *const spemu_spu) -> c_uint;
    pub fn spemu_spu_pmu_freeze(spu: *const spemu_spu) -> bool;
    pub fn spemu_spu_buffer_owner(spu: *const spemu_spu, owner: *mut spemu_owner);
    pub fn spemu_spu_profiling_stopped(spu: *const spemu_spu) -> bool;
    pub fn spemu_spu_buffer_enabled(spu: *const spemu_spu) -> bool;
    pub fn spemu_spu_profiling_enabled(spu: *const spemu_spu, el: c_uint) -> bool;
    pub fn spemu_pmu_size() -> usize;
    pub fn spemu_pmu_init(pmu: *mut *mut spemu_pmu, memory: *mut c_void, size: usize, pe: *mut spemu_pe, config: *const spemu_pmu_config, host: *const spemu_pmu_host) -> c_int;
    pub fn spemu_pmu_msr(pmu: *mut spemu_pmu, result: *mut spemu_access_result, encoding: u32, value: u64) -> c_int;
    pub fn spemu_pmu_mrs(pmu: *mut spemu_pmu, result: *mut spemu_access_result, value: *mut u64, encoding: u32) -> c_int;
    pub fn spemu_pmu_access_check(pmu: *const spemu_pmu, result: *mut spemu_access_result, encoding: u32, write: bool) -> c_int;
    pub fn spemu_pmu_reg_get(pmu: *const spemu_pmu, value: *mut u64, encoding: u32) -> c_int;
    pub fn spemu_pmu_reg_set(pmu: *mut spemu_pmu, encoding: u32, value: u64) -> c_int;
    pub fn spemu_pmu_count(pmu: *mut spemu_pmu, event: u16, count: u64) -> c_int;
    pub fn spemu_pmu_overflow(pmu: *mut spemu_pmu, counters: u64) -> c_int;
    pub fn spemu_pmu_set_spe_freeze(pmu: *mut spemu_pmu, freeze: bool);
    pub fn spemu_pmu_counts(pmu: *const spemu_pmu, n: c_uint) -> bool;
    pub fn spemu_pmu_irq(pmu: *const spemu_pmu) -> bool;
    pub fn spemu_pmu_capture(pmu: *const spemu_pmu) -> spemu_capture;
    pub fn spemu_pmu_capture_request(pmu: *mut spemu_pmu) -> spemu_capture_outcome;
    pub fn spemu_pmu_capture_complete(pmu: *mut spemu_pmu) -> spemu_capture_outcome;
    pub fn spemu_pmu_power(pmu: *mut spemu_pmu, on: bool);
    pub fn spemu_pmu_branch(pmu: *mut spemu_pmu, target: u64);
    pub fn spemu_pmu_authenticate(pmu: *mut spemu_pmu, denied: c_uint);
    pub fn spemu_pmu_external_read(pmu: *mut spemu_pmu, error: *mut bool, value: *mut u64, offset: u32, size: c_uint, security: c_uint) -> c_int;
    pub fn spemu_pmu_external_write(pmu: *mut spemu_pmu, error: *mut bool, offset: u32, size: c_uint, security: c_uint, value: u64) -> c_int;
    pub fn spemu_pmu_save_size() -> usize;
    pub fn spemu_pmu_save(pmu: *const spemu_pmu, buffer: *mut c_void, size: usize) -> c_int;
    pub fn spemu_pmu_load(pmu: *mut spemu_pmu, buffer: *const c_void, size: usize) -> c_int;
    pub fn spemu_machine_size() -> usize;
    pub fn spemu_machine_init(m: *mut *mut spemu_machine, memory: *mut c_void, size: usize) -> c_int;
    pub fn spemu_machine_copy(m: *mut spemu_machine, from: *const spemu_machine);
    pub fn spemu_machine_pe(m: *const spemu_machine) -> *const spemu_pe;
    pub fn spemu_machine_set_state(m: *mut spemu_machine, state: *const spemu_pe_state);
    pub fn spemu_machine_get_state(m: *const spemu_machine, state: *mut spemu_pe_state);
    pub fn spemu_machine_set_reg(m: *mut spemu_machine, reg: spemu_reg, value: u64) -> c_int;
    pub fn spemu_machine_choose(m: *mut spemu_machine, choice: spemu_choice, option: c_uint) -> c_int;
    pub fn spemu_machine_chosen(m: *const spemu_machine, choice: spemu_choice) -> c_int;
    pub fn spemu_machine_set(m: *mut spemu_machine, detail: *mut spemu_refusal_detail, text: *const c_char, length: usize) -> c_int;
    pub fn spemu_machine_copy_features(m: *mut spemu_machine, from: *const spemu_machine);
    pub fn spemu_machine_name(n: c_uint) -> *const c_char;
    pub fn spemu_explain_value(pe: *const spemu_pe, out: *mut spemu_field_value, name: *const c_char, length: usize) -> c_int;
    pub fn spemu_explain_decide(pe: *const spemu_pe, d: *mut spemu_decisions);
    pub fn spemu_capture_name(capture: c_uint) -> *const c_char;
    pub fn spemu_security_name(security: c_uint) -> *const c_char;
    pub fn spemu_explain_security(pe: *const spemu_pe) -> c_uint;
    pub fn spemu_explain_access(pe: *const spemu_pe, result: *mut spemu_access_result, reg: *mut spemu_reg, encoding: u32, write: bool, el: c_uint) -> c_int;
    pub fn spemu_explain_pmbidr(pe: *const spemu_pe, el: c_uint) -> u64;
    pub fn spemu_explain_signals(pe: *const spemu_pe, out: *mut spemu_signals);
    pub fn spemu_explain_trace(pe: *const spemu_pe, step: *mut spemu_trace_step, position: *mut c_uint, question: *const spemu_question) -> c_int;
    pub fn spemu_explain_effective(pe: *const spemu_pe, out: *mut spemu_effective, index: c_uint) -> c_int;
    pub fn spemu_explain_remedy(pe: *const spemu_pe, out: *mut spemu_remedy, el: c_uint);
    pub fn spemu_management_event_describe(out: *mut spemu_management_event_description, index: c_uint) -> c_int;
    pub fn spemu_management_event_class_text(ec: c_uint) -> *const c_char;
    pub fn spemu_management_event_status_text(ec: c_uint, status: c_uint) -> *const c_char;
    pub fn spemu_explain_stopped(text: *mut c_char, size: usize, pe: *const spemu_pe) -> c_int;
    pub fn spemu_access_rule(out: *mut spemu_access_rule, index: c_uint, el: c_uint, n: c_uint) -> c_int;
    pub fn spemu_spu_inject(spu: *mut spemu_spu, index: *mut c_uint, injection: *const spemu_injection) -> c_int;
    pub fn spemu_spu_injected(spu: *const spemu_spu, count: *mut u64, index: c_uint) -> c_int;
    pub fn spemu_spu_inject_clear(spu: *mut spemu_spu);
    pub fn spemu_mmu_size() -> usize;
    pub fn spemu_mmu_init(mmu: *mut *mut spemu_mmu, memory: *mut c_void, size: usize, memory_access: *const spemu_mmu_memory) -> c_int;
    pub fn spemu_mmu_translate(mmu: *mut spemu_mmu, result: *mut spemu_translation, fault: *mut spemu_fault, pe: *const spemu_pe, access: *const spemu_buffer_write) -> c_int;
    pub fn spemu_mmu_page(mmu: *mut spemu_mmu, page_log2: *mut c_uint, fault: *mut spemu_fault, pe: *const spemu_pe, access: *const spemu_buffer_write) -> c_int;
    pub fn spemu_mmu_invalidate(mmu: *mut spemu_mmu, scope: *const spemu_mmu_scope);
    pub fn spemu_perf_time_conv_init(tc: *mut spemu_perf_time_conv, hz: u64, zero_ns: u64) -> c_int;
    pub fn spemu_perf_time(tc: *const spemu_perf_time_conv, count: u64) -> u64;
    pub fn spemu_perf_count(tc: *const spemu_perf_time_conv, ns: u64) -> u64;
    pub fn spemu_perf_put_comm(buf: *mut u8, size: usize, who: *const spemu_perf_who, comm: *const c_char, exec: bool) -> c_int;
    pub fn spemu_perf_put_mmap2(buf: *mut u8, size: usize, who: *const spemu_perf_who, map: *const spemu_perf_mmap) -> c_int;
    pub fn spemu_perf_put_fork(buf: *mut u8, size: usize, who: *const spemu_perf_who, pid: u32, ppid: u32, tid: u32, ptid: u32) -> c_int;
    pub fn spemu_perf_put_exit(buf: *mut u8, size: usize, who: *const spemu_perf_who, pid: u32, ppid: u32, tid: u32, ptid: u32) -> c_int;
    pub fn spemu_perf_put_aux(buf: *mut u8, size: usize, who: *const spemu_perf_who, aux_offset: u64, aux_size: u64, flags: u64) -> c_int;
    pub fn spemu_perf_put_itrace_start(buf: *mut u8, size: usize, who: *const spemu_perf_who) -> c_int;
    pub fn spemu_perf_put_sample(buf: *mut u8, size: usize, who: *const spemu_perf_who, stack: *const u64, n: u32) -> c_int;
    pub fn spemu_perf_put_time_conv(buf: *mut u8, size: usize, tc: *const spemu_perf_time_conv) -> c_int;
    pub fn spemu_perf_put_auxtrace_info(buf: *mut u8, size: usize, pmu_type: u32) -> c_int;
    pub fn spemu_perf_put_auxtrace_info_cpus(buf: *mut u8, size: usize, pmu_type: u32, cpus: *const spemu_perf_spe_cpu, n: u32) -> c_int;
    pub fn spemu_perf_put_auxtrace(buf: *mut u8, size: usize, lane: u32, offset: u64, trace_size: u64) -> c_int;
    pub fn spemu_perf_put_head(buf: *mut u8, size: usize, head: *mut spemu_perf_head, config: *const spemu_perf_head_config) -> c_int;
    pub fn spemu_perf_get_head(head: *mut spemu_perf_head, data_size: *mut u64, file: *const u8, size: usize) -> c_int;
    pub fn spemu_perf_put_place(place: *mut u8, data_at: u64);
    pub fn spemu_perf_put_sizes(sizes: *mut u8, data_size: u64, flags: u64);
    pub fn spemu_perf_put_cpus(nrcpus: *mut u8, numa: *mut u8, n: u32);
    pub fn spemu_perf_make_tail(tail: *mut spemu_perf_tail, head: *const spemu_perf_head, data_size: u64, file: *const u8) -> c_int;
    pub fn spemu_perf_put_stream_head(buf: *mut u8, size: usize, config: *const spemu_perf_head_config) -> c_int;
    pub fn spemu_perf_put_stream_cpus(buf: *mut u8, size: usize, n: u32) -> c_int;
    pub fn spemu_perf_put_build_id(buf: *mut u8, size: usize, filename: *const c_char) -> c_int;
    pub fn spemu_perf_spe_cpu(cpu: *mut spemu_perf_spe_cpu, info: *const spemu_perf_auxtrace_info, i: u32) -> c_int;
    pub fn spemu_perf_open(file: *mut *mut spemu_perf_file, where_: *mut u64, path: *const c_char) -> c_int;
    pub fn spemu_perf_open_memory(file: *mut *mut spemu_perf_file, where_: *mut u64, data: *const c_void, size: usize) -> c_int;
    pub fn spemu_perf_close(file: *mut spemu_perf_file);
    pub fn spemu_perf_next(file: *mut spemu_perf_file, event: *mut spemu_perf_event, cursor: *mut spemu_perf_cursor) -> c_int;
    pub fn spemu_perf_sample(file: *const spemu_perf_file, sample: *mut spemu_perf_sample, event: *const spemu_perf_event) -> c_int;
    pub fn spemu_perf_sample_chain(sample: *const spemu_perf_sample, i: u32) -> u64;
    pub fn spemu_perf_attr(file: *const spemu_perf_file, attr: *mut spemu_perf_attr, i: u32) -> c_int;
    pub fn spemu_perf_find_spe(file: *mut spemu_perf_file, info: *mut spemu_perf_auxtrace_info, conv: *mut spemu_perf_time_conv) -> c_int;
    pub fn spemu_perf_feature(file: *const spemu_perf_file, data: *mut *const u8, size: *mut u64, n: c_uint) -> c_int;
    pub fn spemu_perf_feature_string(file: *const spemu_perf_file, text: *mut *const c_char, n: c_uint) -> c_int;
    pub fn spemu_perf_cmdline(file: *const spemu_perf_file, text: *mut *const c_char, i: u32) -> c_int;
    pub fn spemu_perf_next_build_id(file: *const spemu_perf_file, entry: *mut spemu_perf_build_id, pos: *mut u64) -> c_int;
    pub fn spemu_elf_build_id(id: *mut u8, id_size: *mut usize, fd: c_int) -> c_int;
    pub fn spemu_spu_set_strict(spu: *mut spemu_spu, on: bool, seed: u64) -> c_int;
    pub fn spemu_spu_strict(spu: *const spemu_spu) -> bool;
    pub fn spemu_spu_set_pc(spu: *mut spemu_spu, pc: u64);
    pub fn spemu_spu_drain(spu: *mut spemu_spu);
    pub fn spemu_spu_buffer_read(spu: *mut spemu_spu, address: u64, size: u64);
    pub fn spemu_spu_buffer_written(spu: *mut spemu_spu, address: u64, size: u64);
    pub fn spemu_spu_dsb_st(spu: *mut spemu_spu);
    pub fn spemu_spu_translation_changed(spu: *mut spemu_spu, address: u64, size: u64);
    pub fn spemu_spu_translation_maintained(spu: *mut spemu_spu, address: u64, size: u64);
    pub fn spemu_diagnostic_at(index: c_uint) -> *const spemu_diagnostic;
    pub fn spemu_spu_set_vm_rules(spu: *mut spemu_spu, rules: *const spemu_vm_rules) -> c_int;
    pub fn spemu_max_buff_size(max_buff_size: u16) -> u64;
    pub fn spemu_version() -> *const c_char;
}
