//! Whatever happens to the process or to the disk: what the spool says is true.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::process::Command;

use wire::stopped;

use crate::program::{Program, shell};
use crate::spool::{Record, Spool, Thread, expected_bits};

/// Where the threads of `killed.c` say they are.
fn progress(file: &File) -> [usize; 2] {
    let mut bytes = [0; 16];
    file.read_exact_at(&mut bytes, 0).expect("the file is long enough");
    [0, 8].map(|at| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes")) as usize)
}

fn expect_prefix(thread: &Thread, least: usize, expected: &[bool]) {
    assert!(thread.bits.len() >= least, "{} bits, but {least} were seen", thread.bits.len());
    assert!(thread.bits[..] == expected[..thread.bits.len()]);
    let inputs = thread.records.iter().skip(1).enumerate();
    for (index, record) in inputs {
        let number = index as i64 * 1000;
        let buffers = vec![number.to_le_bytes().to_vec()];
        assert_eq!(*record, Record::Input { name: 1, result: number, buffers });
    }
    assert!(thread.records.len() * 1000 >= least.saturating_sub(1));
}

#[test]
fn killed_at_fifty_moments() {
    let program = Program::of("killed.c");
    let path = program.folder.path().join("progress");
    let file = File::options().read(true).write(true).create_new(true).open(&path).expect("a new file");
    let mut expected = Vec::new();
    for moment in 0..50 {
        file.set_len(0).expect("it can be cut");
        file.set_len(4096).expect("it can grow");
        let spool = program.folder.path().join(format!("spool-{moment}"));
        let mut command = program.command(&[path.to_str().expect("a simple name")]);
        let mut child = command.env("HEDDLE_SPOOL", &spool).spawn().expect("it starts");
        let until = 1 + moment * moment * 200;
        while progress(&file)[moment % 2] < until {
            std::thread::yield_now();
        }
        child.kill().expect("it runs");
        child.wait().expect("it ends");
        let seen = progress(&file);
        let spool = Spool::read(&spool);
        let longest = spool.threads.values().map(|thread| thread.bits.len()).max().unwrap_or(0);
        if expected.len() < longest {
            expected = expected_bits(2 * longest);
        }
        expect_prefix(spool.thread(0), seen[0], &expected);
        match spool.threads.get(&1) {
            Some(thread) => expect_prefix(thread, seen[1], &expected),
            None => assert_eq!(seen[1], 0),
        }
    }
}

/// What `long.c` records, as far as it was recorded.
fn expect_part(spool: &Spool, count: usize) {
    let expected = expected_bits(count);
    for (index, thread) in &spool.threads {
        assert!(thread.bits[..] == expected[..thread.bits.len()], "thread {index}");
        for (number, record) in
            thread.records.iter().skip(1).take_while(|record| !matches!(record, Record::End(_))).enumerate()
        {
            let number = number as i64 * 100;
            let buffers = vec![number.to_le_bytes().to_vec()];
            assert_eq!(*record, Record::Input { name: 1, result: -number, buffers }, "thread {index}");
        }
    }
}

#[test]
fn long_runs() {
    const COUNT: usize = 3_000_000;
    let (_, spool) = Program::of("long.c").record_and_compare(&[&COUNT.to_string()]);
    expect_part(&spool, COUNT);
    for thread in spool.threads.values() {
        assert_eq!(
            (thread.bits.len(), thread.records.iter().filter(|record| matches!(record, Record::Input { .. })).count()),
            (COUNT, COUNT / 100)
        );
    }
    assert_eq!((spool.threads.len(), spool.stopped), (3, stopped::NOT));
    assert!(spool.allocated <= spool.bytes && spool.bytes <= spool.allocated + (1 << 20));
}

#[test]
fn a_limit_of_the_files_size() {
    const COUNT: usize = 300_000;
    let program = Program::of("long.c");
    let spool = program.spool_path();
    for blocks in [16, 64, 100, 200] {
        let _ = fs::remove_file(&spool);
        // A block of the shell has 512 bytes.
        let output = shell(&program, &format!("ulimit -f {blocks}; exec \"$0\" {COUNT}"), spool.as_os_str());
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), &b"done\n"[..]), "{blocks}");
        let spool = Spool::read(&spool);
        assert_eq!(spool.stopped, stopped::NO_SPACE, "{blocks}");
        assert!(spool.bytes <= blocks * 512, "{blocks}");
        expect_part(&spool, COUNT);
    }
    fs::remove_file(&spool).expect("there was one");
    let output = shell(&program, &format!("ulimit -f 4; exec \"$0\" {COUNT}"), spool.as_os_str());
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), &b"done\n"[..]));
    assert_eq!(fs::metadata(&spool).expect("an empty file").len(), 0);
}

/// A file system of its own that is full soon, in a name space of its own. Where that is forbidden there is only the
/// test above.
#[test]
fn a_full_disk() {
    const COUNT: usize = 300_000;
    let program = Program::of("long.c");
    let disk = program.folder.path().join("disk");
    fs::create_dir(&disk).expect("a folder");
    let copy = program.folder.path().join("copy");
    for (kilobytes, recorded) in [(4, true), (8, true), (12, true), (40, true), (100, true)] {
        let script = format!(
            "mount -t tmpfs -o size={kilobytes}k tmpfs \"$1\" || exit 77
             \"$0\" {COUNT}; status=$?; cp \"$1/spool\" \"$2\"; exit $status"
        );
        let mut command = Command::new("unshare");
        command.args(["-rm", "sh", "-c", &script]).arg(&program.path).arg(&disk).arg(&copy);
        let Ok(output) = command.env("HEDDLE_SPOOL", disk.join("spool")).output() else { return };
        let error = String::from_utf8_lossy(&output.stderr);
        if output.status.code() == Some(77) || error.contains("unshare") {
            return;
        }
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), &b"done\n"[..]), "{error}");
        let spool = Spool::read(&copy);
        assert_eq!(spool.stopped, stopped::NO_SPACE, "{kilobytes}");
        assert_eq!(recorded, spool.end.kind == wire::end::EXITED);
        expect_part(&spool, COUNT);
    }
}

#[test]
fn files_that_the_program_closes() {
    let program = Program::of("closes.c");
    let other = program.folder.path().join("other");
    fs::write(&other, "untouched").expect("a file");
    let output =
        shell(&program, &format!("ulimit -n 4096; HEDDLE_SPOOL=spool exec \"$0\" '{}'", other.display()), "".as_ref());
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), &b"done\n"[..]));
    let spool = Spool::read(&program.spool_path());
    assert_eq!((spool.stopped, spool.thread(0).bits.len()), (stopped::NOT, 101_000));
    assert_eq!(fs::read(&other).expect("it is still there"), b"untouched");
}
