//! The end of the process: it is recorded, and is the same as without recording.

use std::os::unix::process::ExitStatusExt;

use wire::end;

use crate::program::Program;

const MAIN: u32 = 0;
const CHILD: u32 = 1;

#[test]
fn exits() {
    let program = Program::of("ends.c");
    for (arguments, status, thread) in [
        (&[][..], 3, MAIN),
        (&["exit"], 300 & 0xff, MAIN),
        (&["_exit"], 7, MAIN),
        (&["_Exit"], 8, MAIN),
        (&["quick_exit"], 9, MAIN),
        (&["thread-exit"], 5, CHILD),
        (&["pthread_exit"], 0, CHILD),
    ] {
        let (output, spool) = program.record_and_compare(arguments);
        assert_eq!(output.status.code(), Some(status), "{arguments:?}");
        let end = &spool.end;
        assert_eq!((end.kind, end.code, end.thread, end.address), (end::EXITED, status, thread, 0), "{arguments:?}");
    }
    let (_, spool) = program.record(&["exit"]);
    assert_eq!(spool.thread(0).number(), 1 << 4 | 9, "what runs at the exit is recorded");
}

#[test]
fn signals() {
    let program = Program::of("ends.c");
    for (mode, signal, kind, thread, function) in [
        ("segv", 11, end::SIGNAL, MAIN, "crash"),
        ("overflow", 11, end::SIGNAL, MAIN, "overflow"),
        ("fpe", 8, end::SIGNAL, MAIN, "main"),
        ("ill", 4, end::SIGNAL, MAIN, "main"),
        ("trap", 5, end::SIGNAL, MAIN, "main"),
        ("quit", 3, end::HANG, MAIN, ""),
        ("sent-segv", 11, end::SIGNAL, MAIN, ""),
        ("sent-abort", 6, end::SIGNAL, MAIN, ""),
        ("abort", 6, end::ABORT, MAIN, ""),
        ("thread-segv", 11, end::SIGNAL, CHILD, "crash"),
        ("thread-overflow", 11, end::SIGNAL, CHILD, "overflow"),
    ] {
        let (output, spool) = program.record_and_compare(&[mode]);
        assert_eq!(output.status.signal(), Some(signal), "{mode}");
        assert_eq!((spool.end.kind, spool.end.code, spool.end.thread), (kind, signal, thread), "{mode}");
        assert_ne!(spool.end.address, 0, "{mode}");
        if !function.is_empty() {
            assert_eq!(program.function_at(spool.end.address), function, "{mode}");
        }
    }
}

#[test]
fn signals_that_say_nothing() {
    let program = Program::of("ends.c");
    let (output, spool) = program.record_and_compare(&["term"]);
    assert_eq!((output.status.signal(), spool.end.kind), (Some(15), end::UNKNOWN));
    let (output, spool) = program.record_and_compare(&["ignored-abort"]);
    assert_eq!((output.status.signal(), spool.end.kind), (Some(6), end::ABORT));
}

#[test]
fn assertions() {
    let program = Program::of("ends.c");
    for (mode, thread, condition) in
        [("assert", MAIN, "zero == 1"), ("thread-assert", CHILD, "mode == NULL && \"a condition\"")]
    {
        let (output, spool) = program.record_and_compare(&[mode]);
        assert_eq!(output.status.signal(), Some(6));
        let end = &spool.end;
        assert_eq!((end.kind, end.thread, end.condition.as_str()), (end::ASSERTION, thread, condition));
        let source = std::fs::read_to_string(&end.file).expect("the source");
        let line = source.lines().nth(end.line as usize - 1).expect("the line");
        assert!(line.contains(condition), "{line}");
    }
}
