// SPDX-License-Identifier: MIT
use crate::{sys, Columns, Error, Packet, Record};
use std::marker::PhantomData;
use std::mem::MaybeUninit;

const ROWS: usize = 64; // number of records in a group that the library decodes at once

/// The library's decoder over borrowed data.
pub(crate) struct Native<'a> {
    native: sys::spemu_decoder,
    data: PhantomData<&'a [u8]>,
}

// SAFETY: the pointers of spemu_decoder point into the data, which are borrowed and only read. All other members
// are values.
unsafe impl Send for Native<'_> {}
unsafe impl Sync for Native<'_> {}

impl<'a> Native<'a> {
    fn new(data: &'a [u8], base: u64) -> Self {
        let mut native = MaybeUninit::uninit();
        // SAFETY: spemu_decoder_init() writes the whole object.
        let native = unsafe {
            sys::spemu_decoder_init(native.as_mut_ptr(), data.as_ptr(), data.len(), base);
            native.assume_init()
        };
        Native { native, data: PhantomData }
    }

    fn offset(&self) -> u64 {
        self.native.base + (self.native.pos as usize - self.native.begin as usize) as u64
    }

    /// Return the error of a status, or None at the end of the data.
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

/// An iterator over the records in memory. The library decodes them in groups.
///
/// Damage is a separate item, [`Error::Corrupt`], and reading continues after it. If the data end inside a record,
/// the last item is [`Error::Truncated`].
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

    /// Make a decoder. `base` is the offset of the first byte in the stream.
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

    /// Return the number of bytes outside records in the data that the library has decoded so far.
    pub fn skipped(&self) -> u64 {
        self.native.native.skipped
    }

    /// Decode the next group of records. Return false if there is none; the status then has the reason.
    fn refill(&mut self) -> bool {
        self.at = 0;
        // SAFETY: the data outlive the decoder. records has ROWS elements, and the library writes the first
        // count of them.
        self.status = unsafe {
            sys::spemu_decoder_records(&mut self.native.native, &mut self.count,
                                       self.records.as_mut_ptr().cast(), ROWS, &mut *self.shapes)
        };
        self.count > 0
    }

    /// Return the next records, at most 64, or an empty slice at the end. Damage is skipped, and
    /// [`skipped`](Self::skipped) counts it.
    pub fn next_records(&mut self) -> &[Record] {
        if self.at == self.count {
            while !self.refill() && self.status == sys::SPEMU_ERR_CORRUPT {}
        }
        let (at, count) = (self.at, self.count);
        self.at = count;
        // SAFETY: the library has written these, and Record has the layout of spemu_record.
        unsafe { std::slice::from_raw_parts(self.records.as_ptr().cast::<Record>().add(at), count - at) }
    }

    /// Read the next records into columns, from their first element. Return false if there are no more. Damage is
    /// skipped. Records that the iterator has already decoded stay items of the iterator.
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
                self.status = sys::SPEMU_OK; // reported, so continue
            } else {
                self.status = sys::SPEMU_ERR_END;
            }
            return error.map(Err);
        }
        // SAFETY: `at` is less than `count`, and the library has written `count` records.
        let record = unsafe { self.records[self.at].assume_init() };
        self.at += 1;
        Some(Ok(Record(record)))
    }
}

impl Decoder<'_> {
    /// Return true if there is another group. Otherwise, the status must be reported before the next call.
    fn next_group(&mut self) -> bool {
        self.status == sys::SPEMU_OK && self.refill()
    }
}

/// An iterator over the packets in memory, including padding. It ends at an incomplete packet with
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
        // SAFETY: the data outlive the decoder. The packet is written if the size is positive.
        let size = unsafe { sys::spemu_decoder_next_packet(&mut self.native.native, packet.as_mut_ptr()) };
        if size > 0 {
            return Some(Ok(Packet { native: unsafe { packet.assume_init() }, offset, size: size as u8 }));
        }
        self.ended = true;
        self.native.error(size).map(Err)
    }
}
