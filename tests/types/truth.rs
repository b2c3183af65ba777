// SPDX-License-Identifier: MIT
// Records the objects of a Rust program, as truth.h does for C. Objects of a part of the program end with the part.
use std::fmt::Write as _;
use std::mem::size_of;

pub struct Truth {
    objects: Vec<(usize, usize, u64, u64, &'static str)>,
}

#[repr(C)]
struct Moment {
    seconds: i64,
    nanoseconds: i64,
}

extern "C" {
    fn clock_gettime(clock: i32, now: *mut Moment) -> i32;
}

impl Truth {
    pub fn new() -> Truth {
        Truth { objects: Vec::with_capacity(1 << 16) }
    }

    // CLOCK_MONOTONIC in nanoseconds.
    #[inline(never)]
    fn now() -> u64 {
        let mut now = Moment { seconds: 0, nanoseconds: 0 };
        unsafe { clock_gettime(1, &mut now) };
        now.seconds as u64 * 1_000_000_000 + now.nanoseconds as u64
    }

    #[inline(never)]
    pub fn note<T>(&mut self, objects: &[T], name: &'static str) {
        let size = objects.len() * size_of::<T>();
        self.objects.push((objects.as_ptr() as usize, size, Truth::now(), 0, name));
    }

    #[inline(never)]
    pub fn one<T>(&mut self, object: &T, name: &'static str) {
        self.note(std::slice::from_ref(object), name);
    }

    pub fn during(&mut self, part: fn(&mut Truth) -> i64) -> i64 {
        let first = self.objects.len();
        let result = part(self);
        let now = Truth::now();
        for object in &mut self.objects[first..] {
            object.3 = now;
        }
        result
    }

    // Write the objects to the file that the first argument names.
    pub fn write(&self) -> std::io::Result<()> {
        let path = std::env::args().nth(1).expect("usage: PROGRAM TRUTH");
        let mut text = String::new();
        for (address, size, first, last, name) in &self.objects {
            writeln!(text, "{:x} {:x} {:x} {:x} {}", address, size, first, last, name).unwrap();
        }
        std::fs::write(path, text)
    }
}

/// A generator of numbers (xorshift).
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) % below
    }
}
