//! However a recorded program ends, its record explains all its effects that others could have observed.
//!
//! The program in `recorded/loss.c` writes the progress and the direction of each of its threads to a mapped file. It
//! is killed at random points of its own progress, not of a clock. Then the last state of each thread must follow from
//! its recorded decisions, and those must be a prefix of the decisions of a whole run.
//!
//! `HEDDLE_CASES` is the number of kills, `HEDDLE_FIRST_SEED` the seed of the first point.

mod command;

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use command::{binary, folder, heddle, other};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use run::{Cut, ProcessEnd, RecordedRun, SpoolError, Tables, ThreadEnd, ThreadRecord, read_run, read_spool};

const CASES: u64 = 200;
const ROUNDS: u64 = 30_000;
const STATUS: i32 = 7;
const WALKERS: usize = 4;

/// The name of each walker's thread, by its number.
const NAMES: [&str; WALKERS + 1] = ["0", "0.1", "0.2", "0.3", "0.3.1"];

fn number(name: &str, otherwise: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")),
        Err(_) => otherwise,
    }
}

/// Pseudo-random numbers that depend on the seed alone.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut next = self.0;
        next = (next ^ next >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        next = (next ^ next >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (next ^ next >> 31) % bound
    }

    /// A number up to the bound, of any order of magnitude.
    fn up_to(&mut self, bound: u64) -> u64 {
        let most = bound >> self.below(12);
        self.below(most + 1)
    }
}

/// The program, built, and one whole run of it.
struct Subject {
    folder: tempfile::TempDir,
    tables: Tables,
    whole: RecordedRun,
    /// The last states of the walkers in a whole run.
    last: [u64; WALKERS + 1],
    /// The final length of its spool.
    length: u64,
}

impl Subject {
    fn new(options: &[&str]) -> Subject {
        let folder = folder(&[("loss.c", include_str!("recorded/loss.c"))]);
        heddle(folder.path(), &[&["cc", "-pthread", "loss.c", "-o", "loss"], options].concat()).expect_status(0);
        let seen = Seen::new(folder.path());
        let record = with_whole(&["record", "--", "./loss"]);
        assert_eq!(heddle(folder.path(), &record).expect_status(STATUS).stdout, "walked\n");
        let whole = read(&folder.path().join(".heddle/runs/loss-0001.failed.run"));
        assert_eq!((&whole.end, &whole.cut), (&ProcessEnd::Exited { status: STATUS }, &None));
        let tables = folder.path().join(".heddle/runs/modules").join(&whole.module).join("tables");
        let tables = run::parse_tables(&fs::read_to_string(tables).expect("it is there")).expect("they are tables");
        let mut subject = Subject { folder, tables, whole, last: seen.words(), length: 0 };
        let (again, words) = subject.run(&[ROUNDS; WALKERS]);
        assert_eq!(words[1..], subject.last[1..]);
        subject.length = fs::metadata(subject.spool()).expect("it is there").len();
        subject.expect_beginning(&again);
        for name in NAMES {
            let (thread, again) = (thread(&subject.whole, name), thread(&again, name));
            let (thread, again) = (thread.expect("it was born"), again.expect("it was born"));
            let end = if name == "0" { ThreadEnd::Stopped } else { ThreadEnd::Returned };
            assert_eq!((thread.end, thread.bits.len()), (end, again.bits.len()), "{name}");
        }
        assert_eq!(subject.whole.threads.len(), NAMES.len());
        subject
    }

    fn spool(&self) -> PathBuf {
        self.folder.path().join("spool")
    }

    fn start(&self, arguments: Vec<String>, stdin: Stdio) -> Child {
        let _ = fs::remove_file(self.spool());
        Command::new(self.folder.path().join("loss"))
            .args(arguments)
            .current_dir(self.folder.path())
            .env("HEDDLE_SPOOL", self.spool())
            .stdin(stdin)
            .stdout(Stdio::null())
            .spawn()
            .expect("it starts")
    }

    /// A run that ends by itself, with the rounds in which the walkers stop: its record and the states.
    fn run(&self, stops: &[u64; WALKERS]) -> (RecordedRun, [u64; WALKERS + 1]) {
        let seen = Seen::new(self.folder.path());
        let status = self.start(arguments(stops), Stdio::null()).wait().expect("it ends");
        assert_eq!(status.code(), Some(STATUS));
        let bytes = fs::read(self.spool()).expect("it is there");
        (read_spool(&bytes, &self.tables).expect("it is a spool").run, seen.words())
    }

    /// The record is a prefix of that of a whole run.
    fn expect_beginning(&self, run: &RecordedRun) {
        assert_eq!(run.module, self.whole.module);
        for thread in &run.threads {
            let whole = self.whole.thread(&thread.name).unwrap_or_else(|| panic!("thread {} is new", thread.name));
            assert_eq!(thread.start, whole.start);
            assert_eq!(common_bits(thread, whole), thread.bits.len(), "thread {} decides differently", thread.name);
            assert!(whole.callees.starts_with(&thread.callees), "thread {} calls others", thread.name);
        }
    }

    /// The last states of the walkers follow from their records.
    ///
    /// The necessary length of a record is that of a run whose walkers stop in the following round: its common prefix
    /// with a whole run are the decisions up to the state, since the next one is whether to stop.
    fn expect_explained(&self, run: &RecordedRun, seen: &[u64; WALKERS + 1]) {
        let stops = std::array::from_fn(|walker| seen[walker + 1] >> 32);
        let (until, said) = self.run(&stops);
        assert_eq!(said[1..], seen[1..], "it says something else");
        for walker in (1..=WALKERS).filter(|&walker| seen[walker] != 0) {
            let name = NAMES[walker];
            let recorded = thread(run, name).unwrap_or_else(|| panic!("{name} said something and was not born"));
            let until = thread(&until, name).expect("it was born");
            let whole = thread(&self.whole, name).expect("it was born");
            let needed = (common_bits(until, whole), until.callees.len());
            let found = (recorded.bits.len(), recorded.callees.len());
            assert!(needed.0 > 0 && needed.0 < whole.bits.len());
            assert!(
                found.0 >= needed.0 && found.1 >= needed.1,
                "{name} was seen after {needed:?} bits and calls, of which {found:?} are recorded"
            );
        }
    }
}

fn thread<'r>(run: &'r RecordedRun, name: &str) -> Option<&'r ThreadRecord> {
    run.threads.iter().find(|thread| thread.name.to_string() == name)
}

/// The length of the common prefix of two threads' bits.
fn common_bits(one: &ThreadRecord, other: &ThreadRecord) -> usize {
    one.bits.iter().zip(other.bits.iter()).take_while(|(one, other)| one == other).count()
}

fn arguments(stops: &[u64; WALKERS]) -> Vec<String> {
    let stops = stops.iter().map(u64::to_string);
    ["seen".to_owned(), STATUS.to_string()].into_iter().chain(stops).collect()
}

/// The arguments with which every walker runs to its end.
fn whole() -> Vec<String> {
    arguments(&[ROUNDS; WALKERS])
}

fn with_whole(command: &[&str]) -> Vec<String> {
    command.iter().map(|&word| word.to_owned()).chain(whole()).collect()
}

fn read(file: &Path) -> RecordedRun {
    let read = read_run(&fs::read(file).expect("it is there")).expect("it is a run");
    assert_eq!(read.damage, None);
    read.run
}

/// The file with the program's progress.
struct Seen(File);

impl Seen {
    const BYTES: u64 = 4096;

    /// A new file, since the old one may still be in use.
    fn new(folder: &Path) -> Seen {
        let path = folder.join("seen");
        let _ = fs::remove_file(&path);
        File::create(&path).and_then(|file| file.set_len(Seen::BYTES)).expect("it can be made");
        Seen::open(folder)
    }

    fn open(folder: &Path) -> Seen {
        Seen(File::open(folder.join("seen")).expect("it is there"))
    }

    /// The process id, and the last state of each walker.
    fn words(&self) -> [u64; WALKERS + 1] {
        let mut bytes = [0; 8 * (WALKERS + 1)];
        self.0.read_exact_at(&mut bytes, 0).expect("it is long enough");
        std::array::from_fn(|word| u64::from_le_bytes(bytes[8 * word..][..8].try_into().expect("eight bytes")))
    }
}

/// A moment in a program's life.
#[derive(Debug)]
enum Moment {
    /// A walker has reached this round.
    Round { walker: usize, round: u64 },
    /// The spool has reached this length.
    Length(u64),
}

impl Moment {
    /// Waits for it, or until the program has ended.
    fn wait(&self, subject: &Subject, seen: &Seen, child: &mut Child) {
        loop {
            let words = seen.words();
            let is_now = match *self {
                Moment::Round { walker, round } => words[walker] >> 32 >= round,
                Moment::Length(length) => fs::metadata(subject.spool()).is_ok_and(|metadata| metadata.len() >= length),
            };
            if is_now || words[1..] == subject.last[1..] {
                return;
            }
            if let Some(status) = child.try_wait().expect("it is our child") {
                panic!("it ended by itself: {status}");
            }
            std::thread::yield_now();
        }
    }
}

/// Kills the program at a point, and reads the remains.
fn kill_directly(subject: &Subject, moment: &Moment) {
    let seen = Seen::new(subject.folder.path());
    let mut child = subject.start(whole(), Stdio::piped());
    moment.wait(subject, &seen, &mut child);
    child.kill().expect("it runs");
    assert_eq!(child.wait().expect("it ends").signal(), Some(Signal::SIGKILL as i32));
    let seen = seen.words();
    let read = fs::read(subject.spool()).map(|bytes| read_spool(&bytes, &subject.tables));
    match read {
        Ok(Ok(read)) => {
            assert_eq!((&read.run.end, &read.run.cut), (&ProcessEnd::Unknown, &None));
            subject.expect_beginning(&read.run);
            subject.expect_explained(&read.run, &seen);
        }
        // It was killed before it had begun.
        Err(_) | Ok(Err(SpoolError::NotBegun)) => assert_eq!(seen, [0; WALKERS + 1]),
        Ok(Err(error)) => panic!("{error}"),
    }
}

/// Kills the program under `heddle record`, and reads the stored run.
fn kill_under_record(subject: &Subject, moment: &Moment) {
    let seen = Seen::new(subject.folder.path());
    let out = subject.folder.path().join("killed");
    let mut child = Command::new(binary())
        .args(["record", "-q", "--out"])
        .arg(&out)
        .args(["--", "./loss"])
        .args(whole())
        .current_dir(subject.folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("heddle starts");
    while seen.words()[0] == 0 {
        assert!(child.try_wait().expect("it is our child").is_none(), "it ended by itself");
        std::thread::yield_now();
    }
    moment.wait(subject, &seen, &mut child);
    let process = i32::try_from(seen.words()[0]).expect("the number of a process");
    kill(Pid::from_raw(process), Signal::SIGKILL).expect("it runs");
    assert_eq!(child.wait().expect("heddle ends").code(), Some(128 + Signal::SIGKILL as i32));
    let run = read(&out.join("loss-0001.failed.run"));
    assert_eq!((&run.end, &run.cut), (&ProcessEnd::Signal { number: Signal::SIGKILL as i32, at: None }, &None));
    subject.expect_beginning(&run);
    subject.expect_explained(&run, &seen.words());
    fs::remove_dir_all(out).expect("it can be removed");
}

fn killed(options: &[&str], cases: u64) {
    let subject = Subject::new(options);
    let seed = number("HEDDLE_FIRST_SEED", 1);
    let mut random = Random(seed);
    for case in 1..=cases {
        let walker = 1 + random.below(WALKERS as u64) as usize;
        let moment = match random.below(4) {
            0 => Moment::Length(random.up_to(subject.length)),
            _ => Moment::Round { walker, round: random.up_to(ROUNDS) },
        };
        let under_record = matches!(moment, Moment::Round { .. }) && random.below(4) == 0;
        let attempt = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| match under_record {
            true => kill_under_record(&subject, &moment),
            false => kill_directly(&subject, &moment),
        }));
        assert!(attempt.is_ok(), "{options:?}, seed {seed}, case {case}: killed at {moment:?}");
    }
}

#[test]
fn killed_at_any_moment() {
    killed(&["-O2"], number("HEDDLE_CASES", CASES));
}

#[test]
fn killed_when_built_otherwise() {
    for options in [&["-O0"][..], &["-O1"], &["-O3"], &["-O2", "-fheddle-every-branch"], &["-O2", "-fheddle-hooks"]] {
        killed(options, number("HEDDLE_CASES", CASES) / 20);
    }
}

/// A limit of the size of files is like a full disk for the recorder. The script sets it for the program alone.
#[test]
fn a_full_disk_ends_the_record_and_not_the_program() {
    let subject = Subject::new(&["-O2"]);
    let folder = subject.folder.path();
    // A shell counts blocks of 512 bytes.
    fs::write(folder.join("limited"), "#!/bin/sh\nulimit -f $1\nshift\nexec ./loss \"$@\"\n")
        .expect("it can be written");
    other(folder, "chmod", &["+x", "limited"]).expect_status(0);
    let mut recorded = Vec::new();
    for blocks in [16, 64, 200, 400] {
        let seen = Seen::new(folder);
        let (out, blocks) = (format!("limit-{blocks}"), blocks.to_string());
        let record = ["record", "--program", "loss", "--out", &out, "--", "./limited", &blocks];
        let answer = heddle(folder, &with_whole(&record)).expect_status(STATUS);
        assert_eq!(answer.stdout, "walked\n");
        assert!(answer.stderr.contains("the disk is full"), "{}", answer.stderr);
        assert_eq!(seen.words()[1..], subject.last[1..], "the program goes on to its end");
        let run = read(&folder.join(out).join("loss-0001.failed.run"));
        assert_eq!((&run.end, &run.cut), (&ProcessEnd::Exited { status: STATUS }, &Some(Cut::NoSpace)));
        subject.expect_beginning(&run);
        recorded.push(run.threads.iter().map(|thread| thread.bits.len()).sum::<usize>());
    }
    assert!(recorded.is_sorted() && recorded[0] < recorded[3], "{recorded:?}");

    // Without space for the first page there is no record.
    let seen = Seen::new(folder);
    let record = ["record", "--program", "loss", "--out", "nothing", "--", "./limited", "4"];
    let answer = heddle(folder, &with_whole(&record)).expect_status(STATUS);
    assert!(answer.stderr.contains("before it had begun to record"), "{}", answer.stderr);
    assert_eq!((answer.stdout.as_str(), &seen.words()[1..]), ("walked\n", &subject.last[1..]));
}
