// SPDX-License-Identifier: MIT
//! Compares what rustc and the C compiler say of libspemu's types and constants: layout FILE
//!
//! FILE has what the C program of `include/gen/gen-bindings layout` printed; the rows here are of the same
//! generator. Each difference is a line, and the last line is how many rows were compared.
use spemu_sys::*;
use std::collections::HashMap;
use std::mem::{align_of, size_of, MaybeUninit};

macro_rules! offset {
    ($type:ty, $($member:tt)+) => {{
        let place = MaybeUninit::<$type>::uninit();
        let base = place.as_ptr();
        // SAFETY: addr_of! reads nothing.
        let member = unsafe { std::ptr::addr_of!((*base).$($member)+) };
        member as usize - base as usize
    }};
}

fn size_of_pointee<T>(_: *const T) -> usize {
    size_of::<T>()
}

macro_rules! size {
    ($type:ty, $($member:tt)+) => {{
        let place = MaybeUninit::<$type>::uninit();
        // SAFETY: addr_of! reads nothing.
        size_of_pointee(unsafe { std::ptr::addr_of!((*place.as_ptr()).$($member)+) })
    }};
}

macro_rules! signed {
    ($type:ty) => {
        <$type>::MIN != 0
    };
}

fn rows() -> Vec<(&'static str, i128)> {
    include!(env!("LAYOUT_ROWS"))
}

fn main() {
    let path = std::env::args().nth(1).expect("usage: layout FILE");
    let text = std::fs::read_to_string(path).expect("what C says");
    let mut said: HashMap<&str, i128> = text.lines().filter_map(|line| line.rsplit_once(' '))
        .map(|(name, value)| (name, value.parse().expect("a number"))).collect();
    let rows = rows();
    for (name, value) in &rows {
        match said.remove(name) {
            Some(number) if number == *value => (),
            other => println!("{}: Rust {}, C {:?}", name, value, other),
        }
    }
    for name in said.keys() {
        println!("{}: only in C", name);
    }
    println!("compared {}", rows.len());
}
