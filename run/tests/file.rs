//! Run files: they round-trip, are small, and damage is described.

mod values;

use proptest::collection::vec;
use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};
use run::{
    Bits, Cut, Input, ProcessEnd, ReadRun, RecordedRun, RunError, ThreadEnd, ThreadName, ThreadRecord,
    parse_recorded_run, read_run, write_run,
};
use values::recorded_run;

const BANK: &str = "\
heddle run 2
module 03087b68b4691f7b7d003dcc415af442
end assertion bank.c:61 total == sum(accounts)

thread 0 failed in main
bits 110100111011101110111011101110111011101110111011101110111011101110111011101110111011101110111011
callee handler
callee transfer
callee handler
input read 5 68656c6c6f
input compress -1 - 00 unknown bank.c:58
note fork 4711
order 1 5 6

thread 0.1 returned in transfer
bits 1

thread 0.1.2 exited in transfer

thread 0.2 stopped in transfer
bits 10
";

fn bank() -> RecordedRun {
    parse_recorded_run(BANK).expect("it is a run")
}

fn of_bits(bits: Bits) -> RecordedRun {
    let thread = ThreadRecord { bits, ..ThreadRecord::new(ThreadName::main(), "main") };
    RecordedRun { module: "0".repeat(32), threads: vec![thread], end: ProcessEnd::Exited { status: 0 }, cut: None }
}

/// Pseudo-random numbers, the same on every machine.
fn random() -> impl FnMut() -> u64 {
    let mut state = 1_u64;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    }
}

fn random_bits(count: usize) -> Bits {
    let mut random = random();
    (0..count).map(|_| random() & 1 == 1).collect()
}

/// The bits of a loop with a branch and a nested loop.
fn loop_bits(count: usize) -> Bits {
    let mut bits = Bits::new();
    for round in 0_u64.. {
        bits.extend([true, round.is_multiple_of(3), round % 100 == 7]);
        bits.extend((0..round % 5).map(|_| true).chain([false]));
        if bits.len() >= count {
            break;
        }
    }
    bits
}

#[test]
fn the_format_stays_as_it_is() {
    let bytes = write_run(&bank());
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let lines: Vec<&str> = (0..digits.len()).step_by(80).map(|at| &digits[at..digits.len().min(at + 80)]).collect();
    assert_eq!(lines, include_str!("bank.run.hex").lines().collect::<Vec<_>>(), "raise the version");
    assert_eq!(read_run(&bytes), Ok(ReadRun { run: bank(), damage: None }));
}

#[test]
fn files_are_small() {
    let size = |run: &RecordedRun| write_run(run).len();
    assert!(size(&bank()) < 300, "{}", size(&bank()));
    assert!(size(&of_bits(Bits::new())) < 100);
    let mut many = of_bits(Bits::new());
    for number in 1..=1000 {
        let bits = loop_bits(200);
        many.threads.push(ThreadRecord { bits, ..ThreadRecord::new(ThreadName::main().child(number), "worker") });
    }
    assert!(size(&many) < 10_000, "{}", size(&many));
    many.threads.iter_mut().for_each(|thread| thread.bits = random_bits(100));
    assert!(size(&many) < 10_000, "{}", size(&many));
    for count in [0, 1, 7, 8, 100, 1000, 10_000, 100_000, 1_500_000] {
        let (loops, noise) = (size(&of_bits(loop_bits(count))), size(&of_bits(random_bits(count))));
        assert!(noise <= count.div_ceil(8) + 130, "{count}: {noise}");
        assert!(loops <= count / 8 + 130 && loops <= 600, "{count}: {loops}");
    }
}

#[test]
fn rare_surprises_cost_what_they_must() {
    let mut random = random();
    let bits: Bits = (0..400_000).map(|at| at % 4 == 0 || at % 4 == 1 && random().is_multiple_of(16)).collect();
    // One in four bits has an entropy of 0.337.
    let least = (400_000.0 / 4.0 * 0.337 / 8.0) as usize;
    let size = write_run(&of_bits(bits)).len();
    assert!(size < least + least / 20 + 100, "{size} for {least}");
}

#[test]
fn long_streams_round_trip_in_pieces() {
    let mut bits = loop_bits(600_000);
    bits.extend(random_bits(2_500_000).iter());
    bits.extend(loop_bits(1_500_000).iter());
    bits.extend(random_bits(700_001).iter());
    let mut run = of_bits(bits);
    let main = &mut run.threads[0];
    main.callees = (0..20_000).map(|at| format!("function{}", at % 300)).collect();
    let buffers = |at: i64| vec![vec![at as u8; (at % 70) as usize], Vec::new()];
    let input = |at: i64| Input { name: "read".to_owned(), result: -at, buffers: buffers(at), unknown_at: None };
    main.inputs = (0..5_000).map(input).collect();
    main.inputs.push(Input { buffers: vec![vec![7; 300_000]], ..input(1) });
    main.inputs.push(input(2));
    main.order = (0..30_000).map(|at| at * at).collect();
    main.end = ThreadEnd::Returned;
    let bytes = write_run(&run);
    assert_eq!(read_run(&bytes), Ok(ReadRun { run: run.clone(), damage: None }));
    let whole = &run.threads[0];
    let mut longest = 0;
    for part in 1..12 {
        let read = read_run(&bytes[..bytes.len() * part / 12]).expect("the first section is there");
        let damage = read.damage.expect("something is missing");
        assert_eq!(read.run.cut, Some(Cut::Damaged(damage.clone())));
        let [thread] = read.run.threads.as_slice() else {
            assert!(damage.ends_with("1 of 1 threads are missing"), "{damage}");
            continue;
        };
        assert!(damage.ends_with("thread 0 is incomplete"), "{damage}");
        assert!(is_prefix(thread, whole));
        assert_eq!(thread.end, ThreadEnd::Stopped);
        assert!(thread.bits.len() >= longest);
        longest = thread.bits.len();
    }
    assert_eq!(longest, whole.bits.len(), "inputs come last");
}

fn is_prefix(part: &ThreadRecord, whole: &ThreadRecord) -> bool {
    (&part.name, &part.start) == (&whole.name, &whole.start)
        && part.bits.len() <= whole.bits.len()
        && part.bits.iter().eq(whole.bits.iter().take(part.bits.len()))
        && whole.callees.starts_with(&part.callees)
        && whole.inputs.starts_with(&part.inputs)
        && whole.notes.starts_with(&part.notes)
        && whole.order.starts_with(&part.order)
}

/// The readable part of a damaged file is a part of its contents, and the damage is reported.
fn check_damaged(bytes: &[u8], whole: &RecordedRun, context: &str) {
    let Ok(ReadRun { run, damage }) = read_run(bytes) else { return };
    assert!(damage.is_some(), "{context}");
    assert_eq!((&run.module, &run.end), (&whole.module, &whole.end), "{context}");
    assert!(run.threads.len() <= whole.threads.len(), "{context}");
    assert!(run.threads.iter().zip(&whole.threads).all(|(part, whole)| is_prefix(part, whole)), "{context}");
    let complete = run.threads == whole.threads;
    assert_eq!(run.cut.is_some(), !complete || whole.cut.is_some(), "{context}");
}

#[test]
fn every_truncation_is_noticed() {
    let bytes = write_run(&bank());
    for length in 0..bytes.len() {
        check_damaged(&bytes[..length], &bank(), &format!("{length}"));
    }
    let threads = |length: usize| read_run(&bytes[..length]).map_or(0, |read| read.run.threads.len());
    let found: Vec<usize> = (0..bytes.len()).map(threads).collect();
    assert!(found.is_sorted() && found.contains(&1) && found.last() == Some(&3), "{found:?}");
    let cut = read_run(&bytes[..bytes.len() - 1]).expect("only the last section is cut");
    let damage = cut.damage.expect("something is missing");
    assert!(damage.starts_with("it ends within the section that begins at byte "), "{damage}");
    assert!(damage.ends_with(": 1 of 4 threads are missing"), "{damage}");
}

#[test]
fn every_flipped_bit_is_noticed() {
    let bytes = write_run(&bank());
    for at in 0..bytes.len() {
        for change in (0..8).map(|bit| 1 << bit).chain([0xff]) {
            let mut bytes = bytes.clone();
            bytes[at] ^= change;
            check_damaged(&bytes, &bank(), &format!("byte {at} changed by {change:#x}"));
        }
    }
}

#[test]
fn what_follows_a_run_is_told_and_loses_nothing() {
    let mut bytes = write_run(&bank());
    let length = bytes.len();
    bytes.push(b'\n');
    let read = read_run(&bytes).expect("the run is there");
    assert_eq!(read.run, bank());
    let damage = format!("it ends within the section that begins at byte {length}, behind all threads");
    assert_eq!(read.damage, Some(damage));
}

#[test]
fn messages() {
    let message = |bytes: &[u8]| read_run(bytes).expect_err("it is no run").to_string();
    for (bytes, found) in [
        (BANK.as_bytes(), "a run in its text form, which is for reading; give the run file that it was made from"),
        (b"heddle schedule 1\n", "a schedule; `heddle replay` takes it"),
        (
            b"heddle\0s\x01\0\0\0",
            "a spool, as a program leaves it while it is recorded; `heddle record` makes a run of it",
        ),
        (b"\x7fELF\x02\x01\x01", "a program, an object file or a library (ELF)"),
        (b"#include <stdio.h>\n", "a text file"),
        (b"", "an empty file"),
        (b"\x89PNG\r\n\x1a\n", "something that heddle does not know"),
    ] {
        assert_eq!(message(bytes), format!("this is not a run file: it is {found}"));
    }
    let bytes = write_run(&bank());
    for (length, what) in [
        (8, "it ends after 8 bytes"),
        (16, "it ends before its first section"),
        (17, "it ends within the section that begins at byte 16"),
    ] {
        let expected = format!("this run file is damaged: {what}, and nothing in it can be read");
        assert_eq!(message(&bytes[..length]), expected);
    }
    // Version 2, with its checksum.
    let later = [b"heddle\0r\x02\0\0\0".as_slice(), &0xda5a3fd3_u32.to_le_bytes(), b"anything"].concat();
    assert_eq!(read_run(&later), Err(RunError::Version { found: 2 }));
    assert_eq!(
        message(&later),
        "this run has version 2, and this heddle reads version 1: record it again, or use the heddle that wrote it"
    );
}

#[test]
fn names_do_not_need_their_creators() {
    let mut run = bank();
    run.threads.remove(0);
    assert_eq!(read_run(&write_run(&run)), Ok(ReadRun { run, damage: None }));
}

proptest! {
    #[test]
    fn writing_then_reading_gives_an_equal_run(run in recorded_run()) {
        prop_assert_eq!(read_run(&write_run(&run)), Ok(ReadRun { run, damage: None }));
    }

    #[test]
    fn damage_is_noticed(run in recorded_run(), at in any::<usize>(), byte in any::<u8>(), cut in any::<bool>()) {
        let mut bytes = write_run(&run);
        let at = at % bytes.len();
        if cut {
            bytes.truncate(at);
        } else if bytes[at] != byte {
            bytes[at] = byte;
        } else {
            bytes.push(byte);
        }
        check_damaged(&bytes, &run, "");
    }

    #[test]
    fn no_bytes_panic(mut junk in vec(any::<u8>(), 0..300)) {
        prop_assert!(read_run(&junk).is_err());
        let first = write_run(&bank());
        junk.splice(..0, first[..16].iter().copied());
        prop_assert!(read_run(&junk).is_err());
    }
}
