//! Signal handlers: they work as without recording, and the record notes that they ran.

use std::os::unix::process::ExitStatusExt;

use wire::{end, note};

use crate::program::Program;
use crate::spool::{Record, expected_bits};

const ABORT: u64 = 6;
const USER_1: u64 = 10;
const SEGMENTATION: u64 = 11;
const USER_2: u64 = 12;

/// The bits that the program's main thread makes outside of its handlers.
const ALL: u64 = 5 << 3 | 2;
const BEFORE: u64 = 5;

fn check(mode: &str, bits: u64, notes: &[(u64, u64)]) {
    let (output, spool) = Program::of("handlers.c").record_and_compare(&[mode]);
    assert_eq!(output.status.code(), Some(4), "{mode}");
    assert_eq!(spool.thread(0).number(), bits, "{mode}");
    assert_eq!(spool.thread(0).notes(), notes, "{mode}");
    assert_eq!((spool.end.kind, spool.end.code), (end::EXITED, 4), "{mode}");
    assert_eq!(spool.end.address, 0, "{mode}");
}

#[test]
fn what_handlers_do_is_not_recorded() {
    check("plain", ALL, &[(note::HANDLER, USER_1), (note::HANDLER, USER_2)]);
}

#[test]
fn the_program_sees_its_own_handlers_only() {
    check("ask", ALL, &[(note::HANDLER, USER_1)]);
}

#[test]
fn a_thread_that_jumps_out_of_a_handler_is_recorded_no_further() {
    let left = [(note::HANDLER, USER_1), (note::HANDLER_LEFT, USER_1)];
    check("left", BEFORE, &left);
    check("left-for-good", BEFORE, &left);
}

#[test]
fn jumps_that_stay_inside_of_a_handler() {
    check("inside", ALL, &[(note::HANDLER, USER_1)]);
    check("inner", ALL, &[(note::HANDLER, USER_1), (note::HANDLER, USER_2)]);
}

#[test]
fn a_handler_that_forks() {
    let (_, spool) = Program::of("handlers.c").record_and_compare(&["fork"]);
    let notes = spool.thread(0).notes();
    assert_eq!((notes[0], notes[1].0, notes.len()), ((note::HANDLER, USER_1), note::FORK, 2));
    assert_eq!(spool.thread(0).number(), ALL);
}

#[test]
fn failures_that_a_handler_mends() {
    check("repair", ALL, &[(note::HANDLER, SEGMENTATION)]);
    check("recover", BEFORE, &[(note::HANDLER, SEGMENTATION), (note::HANDLER_LEFT, SEGMENTATION)]);
    check("recover-assert", BEFORE, &[(note::HANDLER, ABORT), (note::HANDLER_LEFT, ABORT)]);
}

#[test]
fn failures_that_a_handler_does_not_mend() {
    let program = Program::of("handlers.c");
    for mode in ["crash-again", "crash-once", "crash-twice"] {
        let (output, spool) = program.record_and_compare(&[mode]);
        assert_eq!(output.status.signal(), Some(11), "{mode}");
        assert_eq!((spool.end.kind, spool.end.code), (end::SIGNAL, 11), "{mode}");
        assert_eq!(program.function_at(spool.end.address), "crash", "{mode}");
    }
    let (output, spool) = program.record_and_compare(&["crash-exit"]);
    assert_eq!((output.status.code(), spool.end.kind, spool.end.code), (Some(21), end::EXITED, 21));
    assert_eq!(program.function_at(spool.end.address), "crash");
    let (output, spool) = program.record_and_compare(&["abort-returns"]);
    assert_eq!((output.status.signal(), spool.end.kind), (Some(6), end::ABORT));
}

#[test]
fn handlers_at_every_moment() {
    let (output, spool) = Program::of("storm.c").record(&[]);
    let handled: usize = String::from_utf8_lossy(&output.stdout).trim().parse().expect("a number");
    let main = spool.thread(0);
    assert!(main.bits == expected_bits(main.bits.len()) && main.bits.len() >= 200_000);
    // A note can be lost if many handlers interrupt the writing of one record.
    assert!((1..=handled).contains(&main.notes().len()));
    let others: Vec<&Record> =
        main.records.iter().filter(|record| !matches!(record, Record::Note(..))).skip(1).collect();
    assert_eq!(others.len(), 2 * main.bits.len());
    for (number, pair) in others.chunks(2).enumerate() {
        let buffers = vec![number.to_le_bytes().to_vec()];
        assert_eq!(*pair[0], Record::Input { name: 1, result: -(number as i64), buffers });
        assert!(matches!(pair[1], Record::Callee(_)));
    }
}

#[test]
fn threads_that_are_cancelled_at_any_moment() {
    let (_, spool) = Program::of("storm.c").record(&[]);
    for number in 2..22 {
        let thread = spool.named(&format!("0.{number}"));
        assert_eq!(thread.end(), Some(wire::ended::EXITED), "{number}");
        assert!(thread.bits == expected_bits(thread.bits.len()) && !thread.bits.is_empty());
        let inputs = thread.records.len() - 2;
        assert!((thread.bits.len() - 1..=thread.bits.len()).contains(&inputs));
    }
}
