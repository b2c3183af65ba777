// SPDX-License-Identifier: MIT
use crate::{sys, Columns, Error, Packet, Record};
use std::marker::PhantomData;
use std::mem::MaybeUninit;

const ROWS: usize = 64; // records that are taken from the library at a time

/// The library's decoder over borrowed data.
pub(crate) struct Native<'a> {
    native: sys::spemu_decoder,
    data: PhantomData<&'a [u8]>,
}

// SAFETY: the pointers of spemu_decoder are into the data, which are borrowed and only read; everything else
// is in it by value.
unsafe impl Send for Native<'_> {}
unsafe impl Sync for Native<'_> {}

impl<'a> Native<'a> {
    fn new(data: &'a [u8], base: u64) -> Self {
        let mut native = MaybeUninit::uninit();
        // SAFETY: spemu_decoder_init() writes all of it.
        let native = unsafe {
            sys::spemu_decoder_init(native.as_mut_ptr(), data.as_ptr(), data.len(), base);
            native.assume_init()
        };
        Native { native, data: PhantomData }
    }

    fn offset(&self) -> u64 {
        self.native.base + (self.native.pos as usize - self.native.begin as usize) as u64
    }

    /// What a status says of the data; None at their end.
    fn error(&self, status: i32) -> Option<Error> {
        match status {
            sys::SPEMU_ERR_CORRUPT => {
                Some(Error::Corrupt { offset: self.native.skip_offset, size: self.native.skip_size })
            }
            sys::SPEMU_ERR_TRUNCATED => Some(Error::Truncated { offset: self.offset() }),
            _ => None,
        }
    }
}

/// Reads records from memory: an iterator that takes them from the library in groups.
///
/// Damage is an item of its own, [`Error::Corrupt`], and reading goes on after it. Data that end inside a
/// record end with [`Error::Truncated`].
pub struct Decoder<'a> {
    native: Native<'a>,
    shapes: Box<sys::spemu_shapes>,
    records: Box<[MaybeUninit<sys::spemu_record>; ROWS]>,
    at: usize,
    count: usize,
    status: i32,
}

impl<'a> Decoder<'a> {
    pub fn new(data: &'a [u8]) -> Self {
        Self::with_base(data, 0)
    }

    /// base: the stream offset of the first byte.
    pub fn with_base(data: &'a [u8], base: u64) -> Self {
        Decoder {
            native: Native::new(data, base),
            shapes: Box::new(sys::spemu_shapes { own: [0; 560] }),
            records: Box::new([MaybeUninit::uninit(); ROWS]),
            at: 0,
            count: 0,
            status: sys::SPEMU_OK,
        }
    }

    /// Bytes that were in no record, of what was taken from the library so far.
    pub fn skipped(&self) -> u64 {
        self.native.native.skipped
    }

    /// The next group of records; None if there is none, and the status says why.
    fn refill(&mut self) -> bool {
        self.at = 0;
        // SAFETY: the data outlive the decoder, records has ROWS elements, of which the library writes the
        // first count.
        self.status = unsafe {
            sys::spemu_decoder_records(&mut self.native.native, &mut self.count,
                                       self.records.as_mut_ptr().cast(), ROWS, &mut *self.shapes)
        };
        self.count > 0
    }

    /// The next records, at most 64, as a slice; empty at the end. Damage is skipped, and counted by
    /// [`skipped`](Self::skipped).
    pub fn next_records(&mut self) -> &[Record] {
        if self.at == self.count {
            while !self.refill() && self.status == sys::SPEMU_ERR_CORRUPT {}
        }
        let (at, count) = (self.at, self.count);
        self.at = count;
        // SAFETY: the library has written these, and Record has the layout of spemu_record.
        unsafe { std::slice::from_raw_parts(self.records.as_ptr().cast::<Record>().add(at), count - at) }
    }

    /// The next records into columns, from their beginning: false if there are no more. Damage is skipped.
    /// Records that the iterator has already taken from the library come through the iterator alone.
    pub fn fill(&mut self, columns: &mut Columns) -> bool {
        loop {
            let status = columns.fill(&mut self.native.native);
            if columns.len() > 0 || status != sys::SPEMU_ERR_CORRUPT {
                return columns.len() > 0;
            }
        }
    }
}

impl Iterator for Decoder<'_> {
    type Item = Result<Record, Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.at == self.count && !self.next_group() {
            let error = self.native.error(self.status);
            if self.status == sys::SPEMU_ERR_CORRUPT {
                self.status = sys::SPEMU_OK; // reported: go on
            } else {
                self.status = sys::SPEMU_ERR_END;
            }
            return error.map(Err);
        }
        // SAFETY: at is below count, and the library has written that many.
        let record = unsafe { self.records[self.at].assume_init() };
        self.at += 1;
        Some(Ok(Record(record)))
    }
}

impl Decoder<'_> {
    /// Return true if there is another group; else status is to be reported before going on.
    fn next_group(&mut self) -> bool {
        self.status == sys::SPEMU_OK && self.refill()
    }
}

/// Reads packets from memory, padding included: an iterator, which ends at a packet that is cut off with
/// [`Error::Truncated`].
pub struct Packets<'a> {
    native: Native<'a>,
    ended: bool,
}

impl<'a> Packets<'a> {
    pub fn new(data: &'a [u8]) -> Self {
        Packets { native: Native::new(data, 0), ended: false }
    }
}

impl Iterator for Packets<'_> {
    type Item = Result<Packet, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let offset = self.native.offset();
        let mut packet = MaybeUninit::uninit();
        // SAFETY: the data outlive the decoder; the packet is written if the size is positive.
        let size = unsafe { sys::spemu_decoder_next_packet(&mut self.native.native, packet.as_mut_ptr()) };
        if size > 0 {
            return Some(Ok(Packet { native: unsafe { packet.assume_init() }, offset, size: size as u8 }));
        }
        self.ended = true;
        self.native.error(size).map(Err)
    }
}
