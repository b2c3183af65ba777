// SPDX-License-Identifier: MIT
//! Declarations of libspemu, which `include/gen/gen-bindings` generates from its public headers. The headers are
//! the reference documentation. Most programs use the crate `spemu` instead.
//!
//! Enumerations are integers, as in C. The members of a `struct` that C calls `type` or `priv` end in an
//! underscore. Arrays without a length, such as `spemu_event_names`, have length 0: take their address.
#![no_std]
#![allow(non_camel_case_types, non_upper_case_globals, clippy::all)]

use core::ffi::c_void;

// core::ffi has these types since Rust 1.64.
pub type c_int = i32;
pub type c_uint = u32;
#[cfg(any(target_arch = "aarch64", target_arch = "arm", target_arch = "riscv64", target_arch = "powerpc64",
          target_arch = "s390x"))]
pub type c_char = u8;
#[cfg(not(any(target_arch = "aarch64", target_arch = "arm", target_arch = "riscv64",
              target_arch = "powerpc64", target_arch = "s390x")))]
pub type c_char = i8;

include!("generated.rs");
