//! Recording is transparent for the program.

use std::fs;
use std::process::Command;

use wire::{end, stopped};

use crate::program::{LIBRARY, Program};
use crate::spool::Spool;

#[test]
fn a_file_that_exists_is_not_touched() {
    let program = Program::of("births.c");
    fs::write(program.spool_path(), "mine").expect("a file");
    let output = program.command(&[]).env("HEDDLE_SPOOL", program.spool_path()).output().expect("it runs");
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), &b"done\n"[..]));
    assert_eq!(fs::read(program.spool_path()).expect("it is there"), b"mine");
}

#[test]
fn a_folder_that_does_not_exist() {
    let program = Program::of("births.c");
    let output = program.command(&[]).env("HEDDLE_SPOOL", "/nonexistent/spool").output().expect("it runs");
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), &b"done\n"[..]));
    let output = program.command(&[]).env("HEDDLE_SPOOL", "").output().expect("it runs");
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), &b"done\n"[..]));
}

#[test]
fn the_heap_is_the_programs() {
    Program::of("heap.c").record_and_compare(&[]);
}

#[test]
fn a_program_with_its_own_pthread_create() {
    let (_, spool) = Program::of("own.c").record_and_compare(&[]);
    assert_eq!((spool.threads.len(), spool.thread(0).number()), (1, 1));
}

#[test]
fn ways_to_link() {
    for flags in [
        &["-fPIE", "-pie"][..],
        &["-fno-pie", "-no-pie"],
        &["-ffunction-sections", "-Wl,--gc-sections"],
        &["-O2", "-no-pie", "-Wl,--gc-sections"],
        &["-rdynamic", "-Wl,-z,now"],
        &["-fuse-ld=gold"],
        &["-D_FORTIFY_SOURCE=2", "-O2"],
    ] {
        let program = Program::with_flags("ends.c", flags);
        let (_, spool) = program.record_and_compare(&["thread-segv"]);
        assert_eq!((spool.end.kind, spool.end.thread), (end::SIGNAL, 1), "{flags:?}");
        assert_eq!(program.function_at(spool.end.address), "crash", "{flags:?}");
        let (_, spool) = Program::with_flags("handlers.c", flags).record_and_compare(&["recover"]);
        assert_eq!((spool.thread(0).notes().len(), spool.stopped), (2, stopped::NOT), "{flags:?}");
        let (_, spool) = Program::of_cpp(flags).record_and_compare(&[]);
        assert_eq!(spool.threads.len(), 3, "{flags:?}");
    }
}

/// The library cannot panic, so no panic machinery is linked.
#[test]
fn the_library_needs_the_c_library_only() {
    let output = Command::new("llvm-nm-22").args(["--undefined-only", "--just-symbol-name", LIBRARY]).output();
    let output = output.expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let of_recorder = text.split("\n\n").find(|member| member.contains("recorder.")).expect("the recorder");
    let symbols: Vec<&str> =
        of_recorder.lines().map(str::trim).filter(|line| !line.is_empty() && !line.ends_with(':')).collect();
    assert!(!symbols.is_empty());
    for symbol in symbols {
        assert!(!symbol.contains("core") && !symbol.contains("panic") && !symbol.starts_with("_R"), "{symbol}");
    }
}

#[test]
fn the_spool_is_the_owners() {
    use std::os::unix::fs::PermissionsExt;
    let program = Program::of("births.c");
    let (_, _) = program.record(&[]);
    let mode = fs::metadata(program.spool_path()).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(Spool::read(&program.spool_path()).process > 0);
}
