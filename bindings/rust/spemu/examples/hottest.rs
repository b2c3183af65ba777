// SPDX-License-Identifier: MIT
//! Print the ten instructions with the largest sums of total latency, and their numbers of samples: hottest FILE
//!
//! The file contains only SPE data, like the files that `spemu dump --raw` reads.
use std::collections::HashMap;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: hottest FILE")?;
    let data = std::fs::read(&path).map_err(|error| format!("{}: {}", path, error))?;
    let mut places: HashMap<u64, (u64, u64)> = HashMap::new();
    for record in spemu::Decoder::new(&data).flatten() {
        if let (Some(pc), Some(total)) = (record.pc(), record.total()) {
            let place = places.entry(spemu::virtual_address(pc)).or_default();
            place.0 += 1;
            place.1 += u64::from(total);
        }
    }
    let mut sorted: Vec<_> = places.into_iter().collect();
    sorted.sort_by_key(|&(pc, (_, cycles))| (std::cmp::Reverse(cycles), pc));
    println!("{:>18} {:>8} {:>10}", "PC", "samples", "cycles");
    for (pc, (samples, cycles)) in sorted.into_iter().take(10) {
        println!("{:#18x} {:8} {:10}", pc, samples, cycles);
    }
    Ok(())
}
