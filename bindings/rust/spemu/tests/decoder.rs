// SPDX-License-Identifier: MIT
//! Decode records that are made by hand from the packets of D18.2.
use spemu::{ColumnSet, Columns, Decoder, Error, PacketType, Packets};

const PC: u64 = 0x8000_0000_0040_0000;

fn address(out: &mut Vec<u8>, index: u8, payload: u64) {
    out.push(0xb0 | index);
    out.extend(payload.to_le_bytes());
}

fn counter(out: &mut Vec<u8>, index: u8, value: u16) {
    out.push(0x98 | index);
    out.extend(value.to_le_bytes());
}

/// Return the record of a load, followed by padding to 64 bytes.
fn load(total: u16) -> Vec<u8> {
    let mut out = Vec::new();
    address(&mut out, 0, PC);
    out.extend([0x65, 77, 0, 0, 0, 0x49, 0, 0x52, 0x16, 0]);
    counter(&mut out, 1, 3);
    counter(&mut out, 0, total);
    address(&mut out, 2, 0x7000);
    out.extend([0x43, 8, 0x71]);
    out.extend(0x11_2233_4455u64.to_le_bytes());
    out.resize(64, 0);
    out
}

fn loads(count: u16) -> Vec<u8> {
    (0..count).flat_map(load).collect()
}

fn decoded(data: &[u8]) -> (Vec<u16>, Vec<Error>) {
    let (mut totals, mut errors) = (Vec::new(), Vec::new());
    for item in Decoder::new(data) {
        match item {
            Ok(record) => totals.push(record.total().unwrap()),
            Err(error) => errors.push(error),
        }
    }
    (totals, errors)
}

#[test]
fn a_record_has_what_its_packets_say() {
    let data = load(12);
    let record = Decoder::with_base(&data, 0x100).next().unwrap().unwrap();
    assert_eq!(record.offset(), 0x100);
    assert_eq!(record.pc(), Some(PC));
    assert_eq!(spemu::virtual_address(PC), 0x400000);
    assert_eq!(record.va(), Some(0x7000));
    assert_eq!((record.target(), record.pa(), record.previous_target()), (None, None, None));
    assert_eq!((record.total(), record.issue(), record.translation()), (Some(12), Some(3), None));
    assert_eq!((record.context(0), record.context(1), record.context(2)), (None, Some(77), None));
    assert_eq!(record.events(), Some(0x16));
    assert_eq!(record.data_source(), Some(8));
    assert_eq!(record.operation(), Some((1, 0)));
    assert_eq!(record.timestamp(), Some(0x11_2233_4455));
    assert_eq!((record.address(8), record.counter(8)), (None, None));
    assert!(format!("{:?}", record).starts_with("Record { offset: 256, size: "));
}

#[test]
fn all_records_come_in_order_and_the_end_stays_the_end() {
    let data = loads(1000);
    assert_eq!(decoded(&data), ((0..1000).collect(), vec![]));
    let mut decoder = Decoder::new(&data);
    assert_eq!(decoder.by_ref().count(), 1000);
    assert!(decoder.next().is_none() && decoder.next().is_none());
    assert!(Decoder::new(&[]).next().is_none());
    assert!(Decoder::new(&[0; 100]).next().is_none());
}

#[test]
fn groups_are_the_same_records() {
    let data = loads(1000);
    let (mut decoder, mut totals) = (Decoder::new(&data), Vec::new());
    loop {
        let records = decoder.next_records();
        if records.is_empty() {
            break;
        }
        totals.extend(records.iter().map(|record| record.total().unwrap()));
    }
    assert_eq!(totals, (0..1000).collect::<Vec<u16>>());
}

#[test]
fn columns_are_the_same_records() {
    let data = loads(1000);
    let set = ColumnSet { addresses: 0b101, counters: 0b11, timestamp: true, operation: true, ..ColumnSet::default() };
    let (mut decoder, mut columns) = (Decoder::new(&data), Columns::new(set, 300));
    let mut totals = Vec::<u16>::new();
    while decoder.fill(&mut columns) {
        assert_eq!(columns.address(2), vec![0x7000; columns.len()]);
        assert_eq!(columns.op_class(), vec![1; columns.len()]);
        assert_eq!(columns.timestamp().len(), columns.len());
        assert!(columns.address(1).is_empty() && columns.events().is_empty() && columns.context(0).is_empty());
        totals.extend(columns.counter(0));
    }
    assert!(columns.is_empty());
    assert_eq!(totals, (0..1000).collect::<Vec<u16>>());
}

#[test]
fn damage_is_an_item_and_reading_goes_on() {
    let mut data = loads(20);
    data.extend([0xff; 64]);
    data.extend(loads(100));
    let (totals, errors) = decoded(&data);
    assert!(totals.len() >= 119, "{}", totals.len());
    assert_eq!(totals[totals.len() - 90..], (10..100).collect::<Vec<u16>>()[..]);
    assert!(matches!(errors[0], Error::Corrupt { size, .. } if size > 0));
    assert!(errors[0].to_string().ends_with(": input is corrupt"));
    let mut decoder = Decoder::new(&data);
    while !decoder.next_records().is_empty() {}
    assert!(decoder.skipped() >= 64);
}

#[test]
fn the_end_inside_a_record() {
    let mut data = load(1);
    data.extend(&load(2)[..30]);
    let (totals, errors) = decoded(&data);
    assert_eq!((totals, &errors[..]), (vec![1], &[Error::Truncated { offset: 64 }][..]));
    assert_eq!(errors[0].to_string(), "offset 64: input ends too early");
}

#[test]
fn packets_in_words() {
    let data = load(12);
    let packets: Vec<_> = Packets::new(&data).map(Result::unwrap).collect();
    let words: Vec<_> = packets.iter().filter(|packet| packet.packet_type() != PacketType::Padding)
        .map(|packet| packet.to_string()).collect();
    // The text that perf prints for these packets.
    assert_eq!(words, ["PC 0x400000 el0 ns=1", "CONTEXT 0x4d el2", "LD GP-REG",
                       "EV RETIRED L1D-ACCESS TLB-ACCESS", "LAT 3 ISSUE", "LAT 12 TOT", "VA 0x7000",
                       "DATA-SOURCE 8", "TS 73588229205"]);
    assert_eq!(packets.iter().map(|packet| u64::from(packet.size())).sum::<u64>(), 64);
    assert_eq!((packets[0].packet_type(), packets[0].payload()), (PacketType::Address, PC));
    let mut cut = Packets::new(&data[..5]);
    assert_eq!(cut.next().unwrap().unwrap_err(), Error::Truncated { offset: 0 });
    assert!(cut.next().is_none());
}

#[test]
fn a_decoder_goes_to_another_thread() {
    let data = loads(500);
    let mut decoder = Decoder::new(&data);
    decoder.next();
    let left = std::thread::scope(|scope| scope.spawn(move || decoder.count()).join().unwrap());
    assert_eq!(left, 499);
}

#[test]
fn any_bytes_end() {
    let mut x = 88172645463325252u64;
    for size in 0..600 {
        let data: Vec<u8> = (0..size).map(|_| {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            x as u8
        }).collect();
        assert!(Decoder::new(&data).count() <= data.len() + 1);
        let bytes: u64 = Packets::new(&data).filter_map(Result::ok).map(|packet| u64::from(packet.size())).sum();
        assert!(bytes <= size);
    }
}

#[test]
fn names() {
    assert_eq!(spemu::event_name(spemu::sys::SPEMU_EV_MISPREDICTED), Some("mispred"));
    assert_eq!(spemu::event_name(60), None);
    assert_eq!(spemu::virtual_address(0x80ff_8000_0800_0000), 0xffff_8000_0800_0000);
    assert_eq!(spemu::exception_level(0xa000_0000_0040_0000), 1);
    assert!(spemu::version().starts_with("0."));
}
