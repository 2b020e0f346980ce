//! Children, execution of other programs, libraries.

use wire::{end, note, stopped};

use crate::program::Program;
use crate::spool::{Record, Spool, expected_bits};

fn fork_note(spool: &Spool, name: &str, output: &[u8]) {
    let text = String::from_utf8_lossy(output);
    let child = text.lines().find_map(|line| line.strip_prefix("child ")).expect("its number");
    assert_eq!(spool.named(name).notes(), [(note::FORK, child.parse().expect("a number"))]);
}

#[test]
fn a_child_leaves_its_parents_record_alone() {
    let program = Program::of("processes.c");
    for mode in ["fork", "_Fork"] {
        assert_eq!(program.run(&[mode]).status.code(), Some(0));
        let (output, spool) = program.record(&[mode]);
        assert_eq!((output.status.code(), spool.end.kind, spool.end.code), (Some(0), end::EXITED, 0), "{mode}");
        fork_note(&spool, "0", &output.stdout);
        let bits = &spool.thread(0).bits;
        assert_eq!(bits[1..bits.len() - 1], expected_bits(2000), "{mode}");
        assert_eq!((spool.threads.len(), spool.thread(0).records.len()), (1, 2), "{mode}");
    }
}

#[test]
fn a_child_that_holds_its_parents_word() {
    let (_, spool) = Program::of("processes.c").record_and_compare(&["held"]);
    assert_eq!(spool.thread(0).number(), 0b11 << 11);
}

#[test]
fn a_thread_that_forks() {
    let (output, spool) = Program::of("processes.c").record(&["thread"]);
    assert_eq!(output.status.code(), Some(0));
    fork_note(&spool, "0.1", &output.stdout);
    assert_eq!(spool.named("0.2").bits, [true; 100]);
    assert_eq!(spool.named("0.1").bits[1..], expected_bits(2000));
}

#[test]
fn a_child_that_borrows_its_parents_memory() {
    let (_, spool) = Program::of("processes.c").record_and_compare(&["vfork"]);
    let forks: Vec<u64> = spool.thread(0).notes().into_iter().map(|(what, _)| what).collect();
    assert_eq!(forks, [note::FORK, note::FORK]);
    assert_eq!((spool.thread(0).number(), spool.stopped, spool.end.kind), (0b10, stopped::NOT, end::EXITED));
}

#[test]
fn children_that_the_library_makes() {
    let (output, spool) = Program::of("processes.c").record_and_compare(&["spawn"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "by spawn -\nby system\ndone\n");
    assert_eq!((spool.thread(0).number(), spool.end.kind), (0b10, end::EXITED));
}

#[test]
fn another_program_takes_over() {
    let program = Program::of("processes.c");
    for (mode, said) in [
        ("execve", "a b variables\n"),
        ("execv", "a b -\n"),
        ("execvp", "a b -\n"),
        ("execvpe", "a b variables\n"),
        ("fexecve", "a b variables\n"),
        ("execl", "1 2 3 4 5 6 7 8 9 -\n"),
        ("execlp", "1 2 3 -\n"),
        ("execle", "1 2 3 4 5 variables\n"),
    ] {
        let (output, spool) = program.record_and_compare(&[mode]);
        assert_eq!(
            (output.status.code(), String::from_utf8_lossy(&output.stdout).as_ref()),
            (Some(12), said),
            "{mode}"
        );
        assert_eq!((spool.stopped, spool.end.kind), (stopped::EXEC, end::UNKNOWN), "{mode}");
        assert_eq!(spool.thread(0).records.last(), Some(&Record::Note(note::EXEC, 0)), "{mode}");
    }
}

#[test]
fn no_other_program_takes_over() {
    let (_, spool) = Program::of("processes.c").record_and_compare(&["exec-fails"]);
    assert_eq!((spool.stopped, spool.thread(0).number()), (stopped::NOT, 0b10));
    assert_eq!(spool.thread(0).notes(), []);
}

#[test]
fn libraries() {
    let (_, spool) = Program::of("processes.c").record_and_compare(&["dlopen"]);
    assert_eq!(spool.thread(0).notes(), [(note::LIBRARY, 0), (note::LIBRARY, 0)]);
}
