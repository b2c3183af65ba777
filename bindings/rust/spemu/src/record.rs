// SPDX-License-Identifier: MIT
use crate::sys;
use std::fmt;

/// A sample record. A member that the record does not have is `None`. Addresses are raw payloads.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Record(pub(crate) sys::spemu_record);

impl Record {
    /// Return the offset of the record's first packet in the stream, in bytes.
    pub fn offset(&self) -> u64 {
        self.0.offset
    }

    /// Return the size in bytes, including the End or Timestamp packet.
    pub fn size(&self) -> u32 {
        self.0.size
    }

    /// Return the packets of the record, as bits `SPEMU_RECORD_x` of the C header.
    pub fn present(&self) -> u32 {
        self.0.present
    }

    fn if_present<T>(&self, bit: u32, value: T) -> Option<T> {
        if self.0.present & bit != 0 {
            Some(value)
        } else {
            None
        }
    }

    /// Return the payload of the Address packet with an INDEX of 0 to 7.
    pub fn address(&self, index: usize) -> Option<u64> {
        let value = *self.0.addr.get(index)?;
        self.if_present(sys::SPEMU_RECORD_ADDR0 << index, value)
    }

    /// Return the payload of the Counter packet with an INDEX of 0 to 7.
    pub fn counter(&self, index: usize) -> Option<u16> {
        let value = *self.0.counter.get(index)?;
        self.if_present(sys::SPEMU_RECORD_COUNTER0 << index, value)
    }

    /// Return the payload of the Context packet with INDEX 0 (CONTEXTIDR_EL1) or 1 (CONTEXTIDR_EL2).
    pub fn context(&self, index: usize) -> Option<u32> {
        let value = *self.0.context.get(index)?;
        self.if_present(sys::SPEMU_RECORD_CONTEXT0 << index, value)
    }

    pub fn pc(&self) -> Option<u64> {
        self.address(sys::SPEMU_ADDR_PC as usize)
    }

    pub fn target(&self) -> Option<u64> {
        self.address(sys::SPEMU_ADDR_BRANCH_TARGET as usize)
    }

    pub fn va(&self) -> Option<u64> {
        self.address(sys::SPEMU_ADDR_DATA_VA as usize)
    }

    pub fn pa(&self) -> Option<u64> {
        self.address(sys::SPEMU_ADDR_DATA_PA as usize)
    }

    pub fn previous_target(&self) -> Option<u64> {
        self.address(sys::SPEMU_ADDR_PREV_BRANCH_TARGET as usize)
    }

    /// Return the total latency in cycles.
    pub fn total(&self) -> Option<u16> {
        self.counter(sys::SPEMU_COUNTER_TOTAL as usize)
    }

    /// Return the issue latency in cycles.
    pub fn issue(&self) -> Option<u16> {
        self.counter(sys::SPEMU_COUNTER_ISSUE as usize)
    }

    /// Return the translation latency in cycles.
    pub fn translation(&self) -> Option<u16> {
        self.counter(sys::SPEMU_COUNTER_TRANSLATION as usize)
    }

    /// Return the bits of the Events packet.
    pub fn events(&self) -> Option<u64> {
        self.if_present(sys::SPEMU_RECORD_EVENTS, self.0.events)
    }

    pub fn timestamp(&self) -> Option<u64> {
        self.if_present(sys::SPEMU_RECORD_TIMESTAMP, self.0.timestamp)
    }

    pub fn data_source(&self) -> Option<u16> {
        self.if_present(sys::SPEMU_RECORD_DATA_SOURCE, self.0.data_source)
    }

    /// Return CLASS and SUBCLASS of the Operation Type packet.
    pub fn operation(&self) -> Option<(u8, u8)> {
        self.if_present(sys::SPEMU_RECORD_OP_TYPE, (self.0.op_class, self.0.op_subclass))
    }
}

impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Record");
        out.field("offset", &self.offset()).field("size", &self.size());
        for (name, value) in [("pc", self.pc()), ("target", self.target()), ("va", self.va()), ("pa", self.pa()),
                              ("events", self.events()), ("timestamp", self.timestamp())] {
            if let Some(value) = value {
                out.field(name, &format_args!("{:#x}", value));
            }
        }
        for (name, value) in [("total", self.total()), ("issue", self.issue()),
                              ("translation", self.translation()), ("data_source", self.data_source())] {
            if let Some(value) = value {
                out.field(name, &value);
            }
        }
        if let Some(operation) = self.operation() {
            out.field("operation", &operation);
        }
        out.finish_non_exhaustive()
    }
}
