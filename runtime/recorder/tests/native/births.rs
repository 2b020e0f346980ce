//! Threads: their names, records and ends.

use wire::{end, ended, stopped};

use crate::program::Program;
use crate::spool::Record;

#[test]
fn names_follow_the_order_of_births() {
    let program = Program::of("births.c");
    let (_, spool) = program.record_and_compare(&[]);
    let names: Vec<String> = spool.names().into_keys().collect();
    assert_eq!(names, ["0", "0.1", "0.1.1", "0.1.2", "0.2", "0.3", "0.4"]);
    for (name, number) in [("0.1", 1), ("0.1.1", 11), ("0.1.2", 12), ("0.4", 4)] {
        assert_eq!((spool.named(name).number(), spool.named(name).end()), (number, Some(ended::RETURNED)), "{name}");
    }
    assert_eq!((spool.named("0").number(), spool.named("0").end()), (0b10, None));
    let (name, function) = match spool.named("0.1.2").records[0] {
        Record::Birth { start, .. } => ("0.1.2", program.function_at(start)),
        ref other => panic!("{other:?}"),
    };
    assert_eq!(function, "leaf", "{name}");
    assert_eq!(spool.end.kind, end::EXITED);
}

#[test]
fn threads_end_by_themselves_or_are_cancelled() {
    let (_, spool) = Program::of("births.c").record(&[]);
    // The destructor of its key is the thread's too.
    assert_eq!((spool.named("0.2").number(), spool.named("0.2").end()), (2 << 8 | 77, Some(ended::EXITED)));
    let cancelled = spool.named("0.3");
    assert!(cancelled.bits.is_empty() || cancelled.number() == 3);
    assert_eq!(cancelled.end(), Some(ended::EXITED));
}

#[test]
fn thousands_of_threads() {
    let (_, spool) = Program::of("many.c").record_and_compare(&[]);
    assert_eq!((spool.threads.len(), spool.stopped), (2051, stopped::NOT));
    let names = spool.names();
    for number in 0..2000 {
        let thread = spool.thread(names[&format!("0.{}", number + 1)]);
        assert_eq!((thread.number(), thread.end()), (number, Some(ended::RETURNED)));
    }
    for number in 0..50 {
        assert_eq!(spool.named(&format!("0.{}", 2001 + number)).number(), 10000 + number);
    }
    assert!(spool.allocated <= 2052 * 8192 + 4096, "{} bytes", spool.allocated);
}

#[test]
fn the_cpp_library() {
    let program = Program::of_cpp(&[]);
    let (output, spool) = program.record_and_compare(&[]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "destroyed\ndestroyed\ncaught\n");
    assert_eq!((spool.named("0.1").number(), spool.named("0.1").end()), (0b0110, Some(ended::RETURNED)));
    assert_eq!((spool.named("0.2").number(), spool.named("0.2").end()), (0b110, Some(ended::EXITED)));
    let (_, spool) = program.record_and_compare(&["throw"]);
    assert_eq!((spool.end.kind, spool.end.thread), (end::ABORT, spool.names()["0.3"]));
}

#[test]
fn records_of_every_kind() {
    let program = Program::of("inputs.c");
    let (_, spool) = program.record_and_compare(&["1"]);
    let records = &spool.thread(0).records;
    let input = |name, result, buffers: &[&[u8]]| Record::Input {
        name,
        result,
        buffers: buffers.iter().map(|buffer| buffer.to_vec()).collect(),
    };
    let path = program.path.as_os_str().as_encoded_bytes();
    assert_eq!(records[1], input(0, 2, &[path, b"1"]));
    let callees = |index: usize| match records[index] {
        Record::Callee(address) => address,
        ref other => panic!("{other:?}"),
    };
    assert_eq!(callees(2), u64::from(spool.functions[1]));
    assert_eq!(callees(3), u64::from(spool.functions[0]));
    assert_eq!(callees(4), u64::from(spool.functions[2]));
    assert_eq!(program.function_at(callees(5)), "main");
    assert_eq!(program.function_at(u64::from(spool.functions[0])), "first");
    assert_eq!(records[6], Record::Unknown { place: 70000, result: -1 });
    assert_eq!(records[7], input(5, i64::MIN, &[]));
    assert_eq!(records[8], input(6, i64::MAX, &[b"abc", b""]));
    for (index, (size, byte)) in
        [(4000, b'a'), (5000, b'b'), (100_000, b'c'), (3_000_000, b'd'), (1, b'e')].into_iter().enumerate()
    {
        assert!(records[9 + index] == input(7, size as i64, &[&vec![byte; size]]), "{size} bytes");
    }
    assert_eq!(records[14..], [input(8, 1, &[])]);
    assert_eq!(spool.thread(0).bits.len(), 100);
}

#[test]
fn a_record_that_is_too_large_ends_the_recording() {
    let (_, spool) = Program::of("inputs.c").record_and_compare(&["67108865"]);
    assert_eq!((spool.stopped, spool.thread(0).records.len()), (stopped::NO_MEMORY, 13));
    assert_eq!(spool.thread(0).bits.len(), 100);
}
