// SPDX-License-Identifier: MIT
//! Print nanoseconds of CPU time per record, the best of five runs: bench FILE. scripts/benches/bindings calls it.
use spemu::{ColumnSet, Columns, Decoder};

const TIMES: usize = 5;
const ROWS: usize = 8192;

#[repr(C)]
struct Timespec {
    seconds: i64,
    nanoseconds: i64,
}

extern "C" {
    fn clock_gettime(clock: i32, now: *mut Timespec) -> i32;
}

fn now() -> f64 {
    const PROCESS_CPUTIME: i32 = 2;
    let mut time = Timespec { seconds: 0, nanoseconds: 0 };
    // SAFETY: `time` has the layout of a timespec of 64-bit Linux.
    unsafe { clock_gettime(PROCESS_CPUTIME, &mut time) };
    time.seconds as f64 * 1e9 + time.nanoseconds as f64
}

fn measure(name: &str, mut work: impl FnMut() -> usize) {
    let (mut best, mut count) = (f64::INFINITY, 0);
    for _ in 0..TIMES {
        let start = now();
        count = work();
        best = best.min(now() - start);
    }
    println!("{} {:.3}", name, best / count as f64);
}

fn fill(data: &[u8], set: ColumnSet) -> usize {
    let (mut decoder, mut columns, mut count) = (Decoder::new(data), Columns::new(set, ROWS), 0);
    while decoder.fill(&mut columns) {
        count += columns.len();
    }
    count
}

fn main() {
    let path = std::env::args().nth(1).expect("usage: bench FILE");
    let data = std::fs::read(path).expect("the file");
    let mut sum = 0;
    measure("records", || {
        let mut count = 0;
        for record in Decoder::new(&data).flatten() {
            sum += record.pc().unwrap_or(0) & 0xff;
            sum += u64::from(record.total().unwrap_or(0));
            count += 1;
        }
        count
    });
    measure("groups", || {
        let (mut decoder, mut count) = (Decoder::new(&data), 0);
        loop {
            let records = decoder.next_records();
            if records.is_empty() {
                return count;
            }
            for record in records {
                sum += record.pc().unwrap_or(0) & 0xff;
                sum += u64::from(record.total().unwrap_or(0));
            }
            count += records.len();
        }
    });
    let four = ColumnSet { addresses: 0b101, events: true, counters: 1, ..ColumnSet::default() };
    let all = ColumnSet {
        offset: true, present: true, addresses: 0xff, events: true, timestamp: true, contexts: 3, counters: 0xff,
        data_source: true, operation: true,
    };
    measure("columns-4", || fill(&data, four));
    measure("columns-all", || fill(&data, all));
    assert_ne!(sum, 0);
}
