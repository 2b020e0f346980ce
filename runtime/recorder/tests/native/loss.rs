//! The contents of the spool are correct whatever happens to the process or to the disk.

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
    // The program also opens the file to which it writes its progress.
    let is_file = |record: &&Record| matches!(record, Record::File { is_there: true, .. });
    let inputs = thread.records.iter().skip(1).filter(|record| !is_file(record));
    for (index, record) in inputs.enumerate() {
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

/// The threads of `fast.c` do nothing but fill chunks, so that many of these deaths are during a hand-over. The time of
/// death is a number of decisions and then some iterations of a loop, both from a fixed pseudo-random sequence.
#[test]
fn killed_while_chunks_are_handed_over() {
    let program = Program::of("fast.c");
    let path = program.folder.path().join("progress");
    let spool = program.spool_path();
    let file = File::options().read(true).write(true).create_new(true).open(&path).expect("a new file");
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    for moment in 0..60 {
        random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        file.set_len(0).expect("it can be cut");
        file.set_len(4096).expect("it can grow");
        let _ = fs::remove_file(&spool);
        let mut command = program.command(&[path.to_str().expect("a simple name")]);
        let mut child = command.env("HEDDLE_SPOOL", &spool).spawn().expect("it starts");
        let until = 20_000 + (random >> 40) as usize % 100_000;
        while progress(&file)[moment % 2] < until {
            std::hint::spin_loop();
        }
        (0..random % 20_000).for_each(|_| std::hint::spin_loop());
        child.kill().expect("it runs");
        child.wait().expect("it ends");
        let seen = progress(&file);
        let spool = Spool::read(&spool);
        assert_eq!(spool.stopped, stopped::NOT);
        for (index, seen) in [0, 1].into_iter().zip(seen) {
            let bits = spool.threads.get(&index).map_or(&[][..], |thread| &thread.bits);
            assert!(bits.len() >= 32 * seen, "{} bits, but {seen} numbers were seen", bits.len());
            assert!(bits.len() <= 32 * (seen + 1), "{} bits, but only {seen} numbers were seen", bits.len());
            for (at, number) in bits.chunks(32).enumerate() {
                let number = number.iter().fold(0, |number, bit| number << 1 | u64::from(*bit));
                assert_eq!(number, at as u64, "moment {moment}, thread {index}");
            }
        }
    }
}

/// The record of `long.c`, up to the point where it ends.
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
    // Those that are larger end within a hand-over.
    let limits = [(16, COUNT), (64, COUNT), (100, COUNT), (200, COUNT), (1000, 10 * COUNT), (1700, 10 * COUNT)];
    for (blocks, count) in limits {
        let _ = fs::remove_file(&spool);
        // A block of the shell has 512 bytes.
        let output = shell(&program, &format!("ulimit -f {blocks}; exec \"$0\" {count}"), spool.as_os_str());
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), &b"done\n"[..]), "{blocks}");
        let spool = Spool::read(&spool);
        assert_eq!(spool.stopped, stopped::NO_SPACE, "{blocks}");
        assert!(spool.bytes <= blocks * 512, "{blocks}");
        expect_part(&spool, count);
    }
    fs::remove_file(&spool).expect("there was one");
    let output = shell(&program, &format!("ulimit -f 4; exec \"$0\" {COUNT}"), spool.as_os_str());
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), &b"done\n"[..]));
    assert_eq!(fs::metadata(&spool).expect("an empty file").len(), 0);
}

/// Space that was reserved already cannot be written to after that, and trying it would end the program.
#[test]
fn a_limit_that_comes_later() {
    const COUNT: usize = 1_000_000;
    let (output, spool) = Program::of("limited.c").record_and_compare(&[&COUNT.to_string()]);
    assert_eq!((output.status.code(), spool.stopped), (Some(0), stopped::NO_SPACE));
    let bits = &spool.thread(0).bits;
    assert!((COUNT..2 * COUNT).contains(&bits.len()));
    let expected = expected_bits(COUNT);
    assert!(bits.iter().eq(expected.iter().cycle().take(bits.len())));
}

/// A small file system in a mount namespace. Where namespaces are forbidden only the test above runs.
#[test]
fn a_full_disk() {
    const COUNT: usize = 300_000;
    let program = Program::of("long.c");
    let disk = program.folder.path().join("disk");
    fs::create_dir(&disk).expect("a folder");
    let copy = program.folder.path().join("copy");
    for (kilobytes, count) in [(4, COUNT), (8, COUNT), (12, COUNT), (40, COUNT), (100, COUNT), (600, 10 * COUNT)] {
        let script = format!(
            "mount -t tmpfs -o size={kilobytes}k tmpfs \"$1\" || exit 77
             \"$0\" {count}; status=$?; cp \"$1/spool\" \"$2\"; exit $status"
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
        assert_eq!(spool.end.kind, wire::end::EXITED);
        expect_part(&spool, count);
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
