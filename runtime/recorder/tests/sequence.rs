//! Programs with explicit hooks at their shared operations are run with numbers and perturbations, and the numbers are
//! checked. No test depends on speed: all waits end in any order.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::mem::offset_of;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;
use wire::{ChunkHeader, Header, PAGE, Tag, chunk, varint};

const LIBRARY: &str = concat!(env!("OUT_DIR"), "/libheddle_recorder.a");
const SEEDS: u64 = 30;

struct Program {
    folder: TempDir,
    path: PathBuf,
}

fn compile(compiler: &str, name: &str, more: &[&OsStr], out: &Path) {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new(compiler);
    command.arg("-I").arg(package.join("../../frontend-llvm/hooks")).args(["-O1", "-g", "-pthread"]);
    command.arg(package.join("tests/sequence").join(name)).args(more).arg("-o").arg(out);
    let output = command.output().unwrap_or_else(|error| panic!("{compiler}: {error}"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

impl Program {
    fn of(name: &str) -> Program {
        let folder = TempDir::new().expect("a folder");
        let path = folder.path().join("program");
        compile("clang-22", name, &[LIBRARY.as_ref()], &path);
        Program { folder, path }
    }

    /// The hooks of a program in C++ are C.
    fn of_cpp(name: &str) -> Program {
        let folder = TempDir::new().expect("a folder");
        let (hooks, path) = (folder.path().join("hooks.o"), folder.path().join("program"));
        compile("clang-22", "hooks_alone.c", &["-c".as_ref()], &hooks);
        compile("clang++-22", name, &[hooks.as_ref(), LIBRARY.as_ref()], &path);
        Program { folder, path }
    }

    fn run(&self, arguments: &[&str], variables: &[(&str, &str)]) -> String {
        let mut command = Command::new(&self.path);
        for name in ["HEDDLE_SPOOL", "HEDDLE_SEQUENCE", "HEDDLE_PERTURB"] {
            command.env_remove(name);
        }
        command.args(arguments).envs(variables.iter().copied()).current_dir(self.folder.path());
        let Output { status, stdout, stderr } = command.output().expect("the program runs");
        let complaint = String::from_utf8_lossy(&stderr);
        assert!(status.success() && complaint.is_empty(), "{variables:?}: {status} {complaint}");
        String::from_utf8(stdout).expect("text")
    }

    /// Runs it with numbers, and with perturbations if there is a seed; returns its output and the recorded order.
    fn sequence(&self, arguments: &[&str], seed: Option<u64>) -> (String, Order) {
        let spool = self.folder.path().join("spool");
        let _ = std::fs::remove_file(&spool);
        let (path, seed) = (spool.display().to_string(), seed.map(|seed| seed.to_string()));
        let mut variables = vec![("HEDDLE_SPOOL", path.as_str()), ("HEDDLE_SEQUENCE", "1")];
        variables.extend(seed.iter().map(|seed| ("HEDDLE_PERTURB", seed.as_str())));
        let output = self.run(arguments, &variables);
        (output, Order::read(&std::fs::read(&spool).expect("a spool")))
    }

    /// The numbers are complete in runs with and without perturbations, and the program itself is right in all of them.
    fn is_sequenced(&self, arguments: &[&str]) {
        for seed in [None].into_iter().chain((0..SEEDS).map(Some)) {
            let (output, order) = self.sequence(arguments, seed);
            let expected: u64 = output.trim().parse().expect("a number");
            assert_eq!((order.complete(), order.stopped), (expected, 0), "seed {seed:?}");
        }
        self.run(arguments, &[]);
        self.run(arguments, &[("HEDDLE_SEQUENCE", "1")]);
        for seed in ["0", "1", "18446744073709551615", "nonsense"] {
            self.run(arguments, &[("HEDDLE_PERTURB", seed)]);
        }
    }
}

/// The numbers of the operations of each thread, by its number among the first one's children.
struct Order {
    flags: u32,
    stopped: u32,
    numbers: BTreeMap<u64, Vec<u64>>,
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

impl Order {
    fn read(bytes: &[u8]) -> Order {
        let mut order = Order {
            flags: u32_at(bytes, offset_of!(Header, flags)),
            stopped: u32_at(bytes, offset_of!(Header, stopped)),
            numbers: BTreeMap::new(),
        };
        let mut pieces = BTreeMap::new();
        let mut at = PAGE;
        while at + PAGE <= bytes.len() {
            if u32_at(bytes, at) != wire::CHUNK {
                at += PAGE;
                continue;
            }
            let field = |offset| u32_at(bytes, at + offset);
            let length = field(offset_of!(ChunkHeader, bytes)) as usize;
            if field(offset_of!(ChunkHeader, kind)) == chunk::RECORDS {
                let key = (field(offset_of!(ChunkHeader, thread)), field(offset_of!(ChunkHeader, piece)));
                pieces.insert(key, &bytes[at + size_of::<ChunkHeader>()..at + length]);
            }
            at += length;
        }
        let mut thread = 0;
        for piece in pieces.into_values() {
            let mut numbers = Vec::new();
            // A later piece continues the previous one.
            thread = read_numbers(piece, &mut numbers).unwrap_or(thread);
            let all = order.numbers.entry(thread).or_default();
            for distance in numbers {
                all.push(all.last().unwrap_or(&0) + distance);
            }
        }
        order
    }

    /// Checks that each number occurs once and that those of each thread are ascending. Returns their number.
    fn complete(&self) -> u64 {
        assert_eq!(self.flags, wire::flags::SEQUENCE);
        assert!(self.numbers.values().all(|numbers| numbers.is_sorted()));
        let mut all: Vec<u64> = self.numbers.values().flatten().copied().collect();
        all.sort_unstable();
        let count = all.len() as u64;
        assert!(all.into_iter().eq(1..=count));
        count
    }
}

/// The differences of a thread's numbers; returns its parent, if this is the first piece of its records.
fn read_numbers(mut bytes: &[u8], distances: &mut Vec<u64>) -> Option<u64> {
    let mut child = None;
    while let Some((&byte, rest)) = bytes.split_first().filter(|(byte, _)| **byte != 0) {
        let tag = Tag::from_byte(byte).expect("a tag");
        let fields = match tag {
            Tag::Birth => 3,
            Tag::Note => 2,
            Tag::End | Tag::Sequence => 1,
            other => panic!("{other:?}"),
        };
        bytes = rest;
        for field in 0..fields {
            let (number, length) = varint::read(bytes).expect("a number");
            bytes = &bytes[length..];
            match tag {
                Tag::Sequence => distances.push(number),
                Tag::Birth if field == 1 => child = Some(number),
                _ => {}
            }
        }
    }
    child
}

#[test]
fn locks() {
    Program::of("locks.c").is_sequenced(&[]);
}

#[test]
fn conditions() {
    Program::of("conditions.c").is_sequenced(&[]);
}

#[test]
fn barriers_once_and_semaphores() {
    Program::of("meetings.c").is_sequenced(&[]);
}

#[test]
fn exceptions() {
    Program::of_cpp("exceptions.cpp").is_sequenced(&[]);
}

#[test]
fn callbacks_jumps_handlers_and_children() {
    let program = Program::of("nested.c");
    for what in ["sort", "jump", "interrupt", "fork"] {
        program.is_sequenced(&[what]);
    }
}

#[test]
fn a_handler_that_is_left_gives_its_turn_up() {
    let program = Program::of("nested.c");
    for seed in 0..SEEDS {
        // The remaining operations are births and joins.
        let (_, order) = program.sequence(&["escape"], Some(seed));
        assert_eq!((order.complete(), order.stopped), (6, 0), "seed {seed}");
    }
}

#[test]
fn numbers_are_the_order_of_what_happened() {
    let program = Program::of("positions.c");
    for seed in [None, Some(0), Some(1), Some(2)] {
        let (output, order) = program.sequence(&[], seed);
        let mut lines = output.lines();
        let mut happened = BTreeMap::new();
        let taken: Vec<Vec<u64>> = lines
            .by_ref()
            .take(4)
            .map(|line| line.split_whitespace().map(|number| number.parse().expect("a number")).collect())
            .collect();
        let expected: u64 = lines.next().and_then(|line| line.parse().ok()).expect("a number");
        assert_eq!((order.complete(), order.stopped), (expected, 0));
        for (thread, taken) in taken.into_iter().enumerate() {
            let numbers = order.numbers[&(thread as u64 + 1)].iter();
            happened.extend(numbers.copied().zip(taken));
        }
        assert!(happened.into_values().eq(0..12_000), "seed {seed:?}");
    }
}

#[test]
fn without_space_the_numbers_end() {
    let program = Program::of("positions.c");
    for limit in ["49152", "65536"] {
        let (output, order) = program.sequence(&[limit], None);
        let all: u64 = output.lines().last().and_then(|line| line.parse().ok()).expect("a number");
        assert!(order.complete() < all);
        assert_eq!(order.stopped, wire::stopped::NO_SPACE);
    }
}
