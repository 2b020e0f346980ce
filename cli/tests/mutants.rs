//! Damaged files: for any contents of a schedule, a run, a spool, a module or a trace, heddle answers or reports an
//! error, and writes no unnamed file.
//!
//! `HEDDLE_CASES` is the number of mutants of each kind of file, `HEDDLE_FIRST_SEED` the first seed.

mod command;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use command::{binary, folder, heddle, other};

const CASES: u64 = 40;

/// Longer runs count as a hang.
const HANG: Duration = Duration::from_secs(300);

fn number(name: &str, otherwise: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")),
        Err(_) => otherwise,
    }
}

/// A shelf that two threads fill without checking how full it is.
const SHELF: &str = r#"#include <assert.h>
#include <pthread.h>

static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
static int shelf[4];
static int filled;

static void *fill(void *argument)
{
    int *place = argument;
    pthread_mutex_lock(&door);
    int next = filled;
    pthread_mutex_unlock(&door);
    shelf[next % 4] = *place;
    pthread_mutex_lock(&door);
    filled = next + 1;
    pthread_mutex_unlock(&door);
    return 0;
}

int main(void)
{
    pthread_t one, two;
    int first = 5, second = 6;
    pthread_create(&one, 0, fill, &first);
    pthread_create(&two, 0, fill, &second);
    pthread_join(one, 0);
    pthread_join(two, 0);
    assert(filled == 2);
    return 0;
}
"#;

/// The output files of commands.
const OUTPUTS: [&str; 2] = ["out", "out.schedule"];

/// A kind of file, and the command to run on it.
struct Kind<'a> {
    folder: &'a Path,
    /// The file that is replaced with a mutant.
    file: &'a str,
    words: &'a [&'a str],
    arguments: &'a [&'a str],
}

impl Kind<'_> {
    /// Tries all seeds.
    fn play(&self) {
        let sound = fs::read(self.folder.join(self.file)).expect("it was made");
        self.play_with(|seed| Some(generate::mutated(&sound, self.words, seed)));
    }

    /// Tries the mutants of all seeds that have one.
    fn play_with(&self, mutant: impl Fn(u64) -> Option<Vec<u8>>) {
        let (cases, first) = (number("HEDDLE_CASES", CASES), number("HEDDLE_FIRST_SEED", 0));
        let mut wrong = Vec::new();
        for seed in first..first + cases {
            let Some(mutant) = mutant(seed) else { continue };
            fs::write(self.folder.join(self.file), mutant).expect("it can be written");
            wrong.extend(self.judge().map(|what| format!("seed {seed}: {}: {what}", self.file)));
        }
        assert!(wrong.is_empty(), "{} mutants:\n{}", wrong.len(), wrong.join("\n"));
    }

    /// Describes wrong behaviour, if there is any.
    fn judge(&self) -> Option<String> {
        let before = contents(self.folder);
        let (status, said) = run(self.folder, self.arguments);
        let mut after = contents(self.folder);
        for output in OUTPUTS {
            let output = self.folder.join(output);
            after.remove(&output);
            _ = fs::remove_file(output);
        }
        let Some(status) = status else { return Some("it does not end".to_owned()) };
        match status.code() {
            None => return Some(format!("it was ended by signal {:?}: {said}", status.signal())),
            Some(0 | 1 | 3) => {}
            Some(2) if said.contains("error: ") && !said.contains("bug in heddle") => {}
            Some(other) => return Some(format!("it ended with {other}: {said}")),
        }
        (before != after).then(|| {
            let differs = after.iter().find(|(path, bytes)| before.get(*path) != Some(bytes)).map(|(path, _)| path);
            format!("it changed files: {differs:?}")
        })
    }
}

fn run(folder: &Path, arguments: &[&str]) -> (Option<ExitStatus>, String) {
    let said = tempfile::tempfile().expect("a temporary file");
    let child = Command::new(binary())
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(said.try_clone().expect("it can be shared"))
        .spawn()
        .expect("heddle starts");
    let status = end_of(child);
    let mut text = Vec::new();
    let mut said = said;
    std::io::Seek::rewind(&mut said).expect("it is a file");
    std::io::Read::read_to_end(&mut said, &mut text).expect("it can be read");
    (status, String::from_utf8_lossy(&text).chars().take(400).collect())
}

/// Waits, but not for ever.
fn end_of(child: Child) -> Option<ExitStatus> {
    let process = child.id().to_string();
    let (done, is_done) = mpsc::channel();
    let mut child = child;
    let waiting = thread::spawn(move || done.send(child.wait()));
    let status = is_done.recv_timeout(HANG);
    if status.is_err() {
        _ = Command::new("kill").args(["-9", &process]).status();
    }
    _ = waiting.join();
    status.ok().and_then(Result::ok)
}

/// All files below a folder.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("it is there") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(contents(&path));
        } else {
            found.insert(path.clone(), fs::read(path).unwrap_or_default());
        }
    }
    found
}

fn shelf() -> tempfile::TempDir {
    folder(&[("shelf.c", SHELF)])
}

const SCHEDULE_WORDS: &[&str] = &[
    "\nflag -fplugin=./x.so\n",
    "\nflag -o\nflag written\n",
    "\nflag \"-Wp,-MD,written\"\n",
    "\nsource /dev/zero\n",
    "\nsource ../../../../etc/passwd\n",
    "\nsource -fplugin=x.c\n",
    "\noption steps=18446744073709551615\n",
    "\noption spurious\n",
    "\noption \"stdin=\\xff\\\\x00\"\n",
    "\noption \"content=00 /dev/zero\"\n",
    "\nchoose 0.1 at 3 value 9\n",
    "\n0.1.1.1.1 until 7\n",
    "until",
    "\"",
    "\u{1b}[2J",
];

#[test]
fn schedules() {
    let folder = shelf();
    heddle(folder.path(), &["run", "shelf.c", "--runs", "300", "--schedule", "m.schedule"]).expect_status(1);
    let arguments = ["replay", "m.schedule", "--output", "out"];
    Kind { folder: folder.path(), file: "m.schedule", words: SCHEDULE_WORDS, arguments: &arguments }.play();
}

fn counting() -> tempfile::TempDir {
    let counting = generate::Counting {
        threads: 3,
        events: 40,
        failure: generate::Miscount::Lost(1),
        locking: generate::Locking::None,
        seed: 1,
    };
    let files = generate::counting_traces(&counting);
    let files: Vec<(String, &str)> =
        files.iter().map(|(name, text)| (format!("hall/symbolic/{name}"), text.as_str())).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), *text)).collect();
    folder(&files)
}

#[test]
fn schedules_of_traces() {
    let folder = counting();
    let arguments = ["explain", "hall", "--only", "schedule", "--schedule", "m.schedule"];
    heddle(folder.path(), &arguments).expect_status(1);
    let arguments = ["replay", "m.schedule", "--output", "out"];
    let words = [
        "\noption run=merged\n",
        "\noption prefix\n",
        "\noption asserting=7\n",
        "hall/symbolic/",
        "/dev/zero",
        "until",
    ];
    Kind { folder: folder.path(), file: "m.schedule", words: &words, arguments: &arguments }.play();
}

#[test]
fn traces() {
    let folder = counting();
    let arguments = ["explain", "hall", "--time", "20", "--output", "out", "--schedule", "out.schedule"];
    let words = [
        "S-fork_1-0",
        "S-join_9-0",
        "S-lock_a1-1",
        "S-wait_a1-1",
        "CONST_",
        "(R-x_1-0-1 + ",
        ")))",
        "$",
        "<pathjpf>\n",
        "@",
        "branch-0\n",
    ];
    for file in ["hall/symbolic/T0_1_1", "hall/symbolic/T1_1_1"] {
        let sound = fs::read(folder.path().join(file)).expect("it was made");
        Kind { folder: folder.path(), file, words: &words, arguments: &arguments }.play();
        fs::write(folder.path().join(file), sound).expect("it can be written");
    }
}

fn module(options: &[&str], file: &str) -> tempfile::TempDir {
    let folder = shelf();
    let arguments = [&["-g", "-O0", "-emit-llvm"], options, &["shelf.c", "-o", file]].concat();
    other(folder.path(), "clang-22", &arguments).expect_status(0);
    folder
}

#[test]
fn bitcode() {
    let folder = module(&["-c"], "m.bc");
    let arguments = ["run", "m.bc", "--runs", "5", "--time", "20", "--output", "out", "--schedule", "out.schedule"];
    Kind { folder: folder.path(), file: "m.bc", words: &[], arguments: &arguments }.play();
}

const ASSEMBLY_WORDS: &[&str] = &[
    "i128",
    "i1",
    "i8388607",
    "ptr",
    "void",
    "x86_fp80",
    "<4 x i32>",
    "[4294967295 x i8]",
    "{ ptr, ptr }",
    "undef",
    "poison",
    "null",
    "%4294967295",
    "@main",
    "musttail",
    "unreachable\n",
    "ret void\n",
    "!0",
    "!{null}",
    "addrspace(3)",
    "align 4294967296",
    "blockaddress(@main, %0)",
    "getelementptr",
    "volatile",
];

#[test]
fn assembly() {
    let folder = module(&["-S"], "m.ll");
    let arguments = ["run", "m.ll", "--runs", "5", "--time", "20", "--output", "out", "--schedule", "out.schedule"];
    Kind { folder: folder.path(), file: "m.ll", words: ASSEMBLY_WORDS, arguments: &arguments }.play();
}

/// A folder with a failed run of the program and its module; the run.
fn recorded() -> (tempfile::TempDir, String) {
    let folder = shelf();
    heddle(folder.path(), &["cc", "-g", "-pthread", "-fheddle-hooks", "shelf.c", "-o", "shelf"]).expect_status(0);
    let record = ["record", "--perturb", "1", "--runs", "2000", "--until-failure", "--out", "runs", "--", "./shelf"];
    heddle(folder.path(), &record).expect_status(1);
    let files = fs::read_dir(folder.path().join("runs")).expect("it is there").flatten();
    let mut names: Vec<String> = files.map(|file| file.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| name.ends_with(".failed.run"));
    let name = names.pop().expect("one has failed");
    fs::rename(folder.path().join("runs").join(name), folder.path().join("runs/m.failed.run")).expect("it is there");
    (folder, "runs/m.failed.run".to_owned())
}

const EXPLAIN: [&str; 8] =
    ["explain", "runs/m.failed.run", "--time", "20", "--output", "out", "--schedule", "out.schedule"];

#[test]
fn runs() {
    let (folder, file) = recorded();
    let explain = Kind { folder: folder.path(), file: &file, words: &[], arguments: &EXPLAIN };
    explain.play();
}

/// Runs that are intact as files with invalid contents.
#[test]
fn contents_of_runs() {
    let (folder, file) = recorded();
    let bytes = fs::read(folder.path().join(&file)).expect("it was made");
    let text = run::read_run(&bytes).expect("it is a run").run.to_string();
    let words = ["0.1.1", "0.4294967295", "main", "?0x0", "../..", "signal", "clock_gettime", "1111111111", "\""];
    Kind { folder: folder.path(), file: &file, words: &words, arguments: &EXPLAIN }.play_with(|seed| {
        let mutant = String::from_utf8(generate::mutated(text.as_bytes(), &words, seed)).ok()?;
        Some(run::write_run(&run::parse_recorded_run(&mutant).ok()?))
    });
}

#[test]
fn tables_and_modules_of_runs() {
    let (folder, file) = recorded();
    let bytes = fs::read(folder.path().join(&file)).expect("it was made");
    let identity = run::read_run(&bytes).expect("it is a run").run.module;
    let module = format!("runs/modules/{identity}/module.bc");
    Kind { folder: folder.path(), file: &module, words: &[], arguments: &EXPLAIN }.play();
}

#[test]
fn spools() {
    let (folder, _) = recorded();
    let spool = folder.path().join("runs/.shelf-1-0001.spool");
    let status = Command::new(folder.path().join("shelf"))
        .env("HEDDLE_SPOOL", &spool)
        .current_dir(folder.path())
        .stderr(Stdio::null())
        .status()
        .expect("it starts");
    assert!(status.code() == Some(0) || status.signal() == Some(6), "{status}");
    let sound = fs::read(&spool).expect("it was written");
    let (cases, first) = (number("HEDDLE_CASES", CASES), number("HEDDLE_FIRST_SEED", 0));
    for seed in first..first + cases {
        // Most of a spool is zero: only the non-zero pages are relevant.
        let mut mutant = generate::mutated(&sound[..sound.len().min(3 * 4096)], &[], seed);
        mutant.extend(&sound[sound.len().min(3 * 4096)..]);
        fs::write(&spool, mutant).expect("it can be written");
        let (status, said) = run(folder.path(), &["record", "--recover", "runs/.shelf-1-0001.spool"]);
        let code = status.and_then(|status| status.code());
        let is_fine =
            code == Some(0) || (code == Some(2) && said.contains("error: ") && !said.contains("bug in heddle"));
        assert!(is_fine, "seed {seed}: spool: {status:?}: {said}");
    }
}
