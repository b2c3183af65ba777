// SPDX-License-Identifier: MIT
use crate::sys;
use std::fmt;

/// The type of a packet, from its header (Tables D18-1 and D18-2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketType {
    Padding,
    End,
    Timestamp,
    Events,
    DataSource,
    Context,
    Operation,
    Address,
    Counter,
    Unknown,
}

/// A packet. Its `Display` is the text of `spemu_packet_describe()`.
#[derive(Clone, Copy)]
pub struct Packet {
    pub(crate) native: sys::spemu_packet,
    pub(crate) offset: u64,
    pub(crate) size: u8,
}

impl Packet {
    /// Return the offset of the packet's first byte in the stream.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Return the size in bytes, including the header.
    pub fn size(&self) -> u8 {
        self.size
    }

    pub fn packet_type(&self) -> PacketType {
        match u32::from(self.native.type_) {
            sys::SPEMU_PKT_PADDING => PacketType::Padding,
            sys::SPEMU_PKT_END => PacketType::End,
            sys::SPEMU_PKT_TIMESTAMP => PacketType::Timestamp,
            sys::SPEMU_PKT_EVENTS => PacketType::Events,
            sys::SPEMU_PKT_DATA_SOURCE => PacketType::DataSource,
            sys::SPEMU_PKT_CONTEXT => PacketType::Context,
            sys::SPEMU_PKT_OP_TYPE => PacketType::Operation,
            sys::SPEMU_PKT_ADDRESS => PacketType::Address,
            sys::SPEMU_PKT_COUNTER => PacketType::Counter,
            _ => PacketType::Unknown,
        }
    }

    /// Return INDEX of an Address, Counter or Context packet, CLASS of an Operation Type packet, or 0.
    pub fn index(&self) -> u8 {
        self.native.index
    }

    /// Return the raw payload, zero-extended.
    pub fn payload(&self) -> u64 {
        self.native.payload
    }
}

impl fmt::Display for Packet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut room = [0u8; 256];
        let length = unsafe {
            sys::spemu_packet_describe(room.as_mut_ptr().cast(), room.len(), &self.native)
        } as usize;
        if length < room.len() {
            return f.write_str(&String::from_utf8_lossy(&room[..length]));
        }
        let mut longer = vec![0u8; length + 1];
        unsafe { sys::spemu_packet_describe(longer.as_mut_ptr().cast(), longer.len(), &self.native) };
        f.write_str(&String::from_utf8_lossy(&longer[..length]))
    }
}

impl fmt::Debug for Packet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Packet({} at {})", self, self.offset)
    }
}
