//! All bytes are a run file, a spool, or are refused, and the contents are unchanged by writing and reading.
//!
//! Checksums would hide the parser from nearly all inputs, and pages make spools too long to be guessed. So the first
//! byte chooses whether the rest is a run file whose checksums are corrected, or the contents of a spool's chunks: each
//! has four bytes for its kind, thread, piece and length.
#![no_main]

use libfuzzer_sys::fuzz_target;
use run::{CallPlace, Place, RecordedRun, Tables};
use wire::varint;

fuzz_target!(|bytes: &[u8]| {
    read(bytes);
    let Some((first, rest)) = bytes.split_first() else { return };
    read(&if first % 2 == 0 { mended(rest) } else { spool(rest) });
});

fn read(bytes: &[u8]) {
    if let Ok(read) = run::read_run(bytes) {
        is_written_and_read_again(read.run);
    }
    if let Ok(spool) = run::read_spool(bytes, &tables()) {
        let text = spool.run.to_string();
        assert_eq!(run::parse_recorded_run(&text).as_ref(), Ok(&spool.run), "{text}");
        is_written_and_read_again(spool.run);
    }
}

fn is_written_and_read_again(run: RecordedRun) {
    let read = run::read_run(&run::write_run(&run)).expect("it was just written");
    assert_eq!((read.run, read.damage), (run, None));
}

fn tables() -> Tables {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let at = Place { file: "bank.c".to_owned(), line: 58 };
    Tables {
        identity: "0".repeat(32),
        functions: names(&["main", "transfer", "audit"]),
        inputs: names(&["read", "getenv"]),
        places: vec![CallPlace { function: "compress".to_owned(), at }],
    }
}

/// The checksum that run files have.
fn checksum(bytes: &[u8]) -> [u8; 4] {
    let shift = |sum: u32| if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
    let sum = bytes.iter().fold(u32::MAX, |sum, byte| (0..8).fold(sum ^ u32::from(*byte), |sum, _| shift(sum)));
    (!sum).to_le_bytes()
}

/// The run file with the checksums that it should have, as far as it has sections.
fn mended(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let (mut start, mut end) = (0, 12);
    while let Some(sum) = bytes.get(start..end).map(checksum) {
        let Some(place) = bytes.get_mut(end..end + sum.len()) else { break };
        place.copy_from_slice(&sum);
        start = end + sum.len();
        let Some((length, digits)) = bytes.get(start + 1..).and_then(varint::read) else { break };
        end = usize::try_from(length).unwrap_or(usize::MAX).saturating_add(start + 1 + digits);
    }
    bytes
}

fn spool(bytes: &[u8]) -> Vec<u8> {
    let (head, mut rest) = bytes.split_at(bytes.len().min(4));
    let mut spool = wire::MAGIC.to_vec();
    spool.extend(wire::VERSION.to_le_bytes());
    spool.resize(std::mem::offset_of!(wire::Header, end), 0);
    // How the process ended, with which code, in which thread, at which line.
    head.iter().for_each(|byte| spool.extend(u32::from(*byte).to_le_bytes()));
    spool.resize(wire::PAGE, 0);
    while let Some((&[kind, thread, piece, length], after)) = rest.split_first_chunk() {
        let (content, after) = after.split_at(after.len().min(usize::from(length)));
        rest = after;
        let start = spool.len();
        let magic = if kind & 0x80 == 0 { wire::CHUNK } else { 0 };
        for number in [magic, u32::from(kind & 0x7f), u32::from(thread), u32::from(piece)] {
            spool.extend(number.to_le_bytes());
        }
        spool.extend((wire::PAGE as u64).to_le_bytes());
        spool.extend(0_u64.to_le_bytes());
        spool.extend(content);
        spool.resize(start + wire::PAGE, 0);
    }
    spool
}
