// SPDX-License-Identifier: MIT
//! Records and packets of Arm's Statistical Profiling Extension, decoded by libspemu.
//!
//! ```
//! // A record of three packets: PC 0x400000 at EL0, Events with "retired", and End.
//! let data = [0xb0, 0, 0, 0x40, 0, 0, 0, 0, 0x80, 0x42, 0x02, 0x01];
//! let mut decoder = spemu::Decoder::new(&data);
//! let record = decoder.next().unwrap().unwrap();
//! assert_eq!(record.pc().map(spemu::virtual_address), Some(0x400000));
//! assert_eq!(record.events(), Some(1 << spemu::sys::SPEMU_EV_RETIRED));
//! assert!(decoder.next().is_none());
//! ```
//!
//! A decoder borrows its data and owns everything else. It can be sent to another thread, and decoders are
//! independent of each other. All functions are safe to call with any data.

use std::ffi::CStr;
use std::fmt;

mod columns;
mod decoder;
mod packet;
mod record;

pub use columns::{Columns, ColumnSet};
pub use decoder::{Decoder, Packets};
pub use packet::{Packet, PacketType};
pub use record::Record;
/// The declarations of the library: constants of the headers, and functions without a safe wrapper.
pub use spemu_sys as sys;

/// A part of the stream that is not a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Error {
    /// Bytes that were skipped. Reading continues after them.
    Corrupt { offset: u64, size: u64 },
    /// The data end inside the record or packet that begins at this offset.
    Truncated { offset: u64 },
}

impl Error {
    fn status(self) -> i32 {
        match self {
            Error::Corrupt { .. } => sys::SPEMU_ERR_CORRUPT,
            Error::Truncated { .. } => sys::SPEMU_ERR_TRUNCATED,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said = text(unsafe { sys::spemu_strerror(self.status()) });
        match self {
            Error::Corrupt { offset, size } => write!(f, "{} bytes at offset {}: {}", size, offset, said),
            Error::Truncated { offset } => write!(f, "offset {}: {}", offset, said),
        }
    }
}

impl std::error::Error for Error {}

/// Return a constant text of the library, which is ASCII.
fn text(pointer: *const sys::c_char) -> &'static str {
    unsafe { CStr::from_ptr(pointer.cast()) }.to_str().unwrap_or("")
}

/// Return the version of the loaded library.
pub fn version() -> &'static str {
    text(unsafe { sys::spemu_version() })
}

/// Return perf's name of a bit of the Events packet, or None.
pub fn event_name(bit: u32) -> Option<&'static str> {
    let name = unsafe { sys::spemu_event_name(bit) };
    if name.is_null() {
        None
    } else {
        Some(text(name))
    }
}

/// Return the virtual address of a raw address payload: without tag, Exception level and Security state, and with
/// copies of bit 55 in bits [63:56].
pub fn virtual_address(payload: u64) -> u64 {
    if payload >> 55 & 1 != 0 {
        payload | sys::SPEMU_ADDR_TOP
    } else {
        payload & !sys::SPEMU_ADDR_TOP
    }
}

/// Return the Exception level in the raw payload of a PC or a branch target.
pub fn exception_level(payload: u64) -> u8 {
    (payload >> sys::SPEMU_ADDR_EL_LSB & 3) as u8
}
