// SPDX-License-Identifier: MIT
use crate::sys;
use std::ptr;

/// A selection of columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColumnSet {
    pub offset: bool,
    pub present: bool,
    /// Address packets: bit n selects INDEX n.
    pub addresses: u8,
    pub events: bool,
    pub timestamp: bool,
    /// Context packets: bit n selects INDEX n.
    pub contexts: u8,
    /// Counter packets: bit n selects INDEX n.
    pub counters: u8,
    pub data_source: bool,
    pub operation: bool,
}

/// Records as columns: element i of each slice belongs to record i. Columns that are not selected are empty. A
/// member that a record does not have is 0.
pub struct Columns {
    capacity: usize,
    length: usize,
    offset: Vec<u64>,
    present: Vec<u32>,
    addresses: [Vec<u64>; 8],
    events: Vec<u64>,
    timestamp: Vec<u64>,
    contexts: [Vec<u32>; 2],
    counters: [Vec<u16>; 8],
    data_source: Vec<u16>,
    op_class: Vec<u8>,
    op_subclass: Vec<u8>,
}

fn room<T: Clone + Default>(wanted: bool, capacity: usize) -> Vec<T> {
    vec![T::default(); if wanted { capacity } else { 0 }]
}

fn rooms<T: Clone + Default, const N: usize>(set: u8, capacity: usize) -> [Vec<T>; N] {
    std::array::from_fn(|i| room(set >> i & 1 != 0, capacity))
}

/// Return the pointer of a column, or NULL if the column is not selected.
fn pointer<T>(column: &mut [T]) -> *mut T {
    if column.is_empty() {
        ptr::null_mut()
    } else {
        column.as_mut_ptr()
    }
}

fn pointers<T, const N: usize>(columns: &mut [Vec<T>; N]) -> [*mut T; N] {
    let mut out = [ptr::null_mut(); N];
    for (to, column) in out.iter_mut().zip(columns) {
        *to = pointer(column);
    }
    out
}

fn shown<T>(column: &[T], length: usize) -> &[T] {
    &column[..length.min(column.len())]
}

impl Columns {
    /// Make columns for `capacity` records, or for one record if it is 0.
    pub fn new(set: ColumnSet, capacity: usize) -> Self {
        let capacity = capacity.max(1);
        Columns {
            capacity,
            length: 0,
            offset: room(set.offset, capacity),
            present: room(set.present, capacity),
            addresses: rooms(set.addresses, capacity),
            events: room(set.events, capacity),
            timestamp: room(set.timestamp, capacity),
            contexts: rooms(set.contexts, capacity),
            counters: rooms(set.counters, capacity),
            data_source: room(set.data_source, capacity),
            op_class: room(set.operation, capacity),
            op_subclass: room(set.operation, capacity),
        }
    }

    pub(crate) fn fill(&mut self, decoder: &mut sys::spemu_decoder) -> i32 {
        let native = sys::spemu_columns {
            capacity: self.capacity,
            offset: pointer(&mut self.offset),
            present: pointer(&mut self.present),
            addr: pointers(&mut self.addresses),
            events: pointer(&mut self.events),
            timestamp: pointer(&mut self.timestamp),
            context: pointers(&mut self.contexts),
            counter: pointers(&mut self.counters),
            data_source: pointer(&mut self.data_source),
            op_class: pointer(&mut self.op_class),
            op_subclass: pointer(&mut self.op_subclass),
        };
        // SAFETY: every column that is not NULL has capacity elements.
        unsafe { sys::spemu_decoder_batch(decoder, &mut self.length, &native) }
    }

    /// Return the number of records.
    pub fn len(&self) -> usize {
        self.length
    }

    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    pub fn offset(&self) -> &[u64] {
        shown(&self.offset, self.length)
    }

    pub fn present(&self) -> &[u32] {
        shown(&self.present, self.length)
    }

    /// Return the raw payloads of the Address packets with an INDEX of 0 to 7.
    pub fn address(&self, index: usize) -> &[u64] {
        shown(&self.addresses[index], self.length)
    }

    pub fn events(&self) -> &[u64] {
        shown(&self.events, self.length)
    }

    pub fn timestamp(&self) -> &[u64] {
        shown(&self.timestamp, self.length)
    }

    pub fn context(&self, index: usize) -> &[u32] {
        shown(&self.contexts[index], self.length)
    }

    /// Return the values of the Counter packets with an INDEX of 0 to 7.
    pub fn counter(&self, index: usize) -> &[u16] {
        shown(&self.counters[index], self.length)
    }

    pub fn data_source(&self) -> &[u16] {
        shown(&self.data_source, self.length)
    }

    pub fn op_class(&self) -> &[u8] {
        shown(&self.op_class, self.length)
    }

    pub fn op_subclass(&self) -> &[u8] {
        shown(&self.op_subclass, self.length)
    }
}
