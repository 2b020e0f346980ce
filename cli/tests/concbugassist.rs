//! The programs of the ConcBugAssist paper, in our own versions: each fails as in `expected.toml`, and every schedule
//! of its corrected version passes.

mod command;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use command::{Answer, heddle, repository};
use serde::Deserialize;

/// PCT of depth 3 finds the failures within this many runs, except those that need strict alternation.
const RUNS: &str = "400";

/// The expected results of one program.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    #[serde(rename = "kind")]
    _kind: String,
    lines: Vec<usize>,
    failure: String,
    at: usize,
    #[serde(default, rename = "same_kind")]
    _same_kind: bool,
}

macro_rules! rows {
    ($($test:ident: $row:literal by $search:ident;)*) => {
        const ROWS: &[&str] = &[$($row),*];

        $(#[test]
        fn $test() {
            check($row, Search::$search);
        })*
    };
}

/// How the failure is searched for.
#[derive(Clone, Copy)]
enum Search {
    Chance,
    EverySchedule,
}

rows! {
    boop: "boop" by Chance;
    testc: "testc" by Chance;
    fibbench: "fibbench" by EverySchedule;
    fibbench_longer: "fibbench_longer" by EverySchedule;
    reorder: "reorder" by Chance;
    account: "account" by Chance;
    read_write: "read_write" by Chance;
    barrier: "barrier" by Chance;
    lazy01: "lazy01" by Chance;
    vect_prime02: "VectPrime02" by Chance;
    line_eq_2t01: "lineEq2t01" by Chance;
    linux_tg3: "linux-tg3" by Chance;
    linux_iio: "linux-iio" by Chance;
    mysql_169: "mysql-169" by Chance;
    mysql_12848: "mysql-12848" by Chance;
    mysql_3596: "mysql-3596" by Chance;
    mysql_644: "mysql-644" by Chance;
    apache_21287: "apache-21287" by Chance;
    apache_25520: "apache-25520" by Chance;
    freebsd_aa: "freebsd-aa" by Chance;
    cherokee_0_9_2: "cherokee-0.9.2" by Chance;
    llvm_8441: "llvm-8441" by Chance;
    gcc_25330: "gcc-25330" by Chance;
    gcc_3584: "gcc-3584" by Chance;
    gcc_21334: "gcc-21334" by Chance;
    gcc_40518: "gcc-40518" by Chance;
    transmission_1_42: "transmission-1.42" by Chance;
    glib_512624: "glib-512624" by Chance;
    jetty_1187: "jetty-1187" by Chance;
    mozilla_61369: "mozilla-61369" by Chance;
    hash_table: "hash_table" by Chance;
    list_seq: "list_seq" by Chance;
    counter_seq: "counter_seq" by Chance;
    queue_seq: "queue_seq" by Chance;
}

#[test]
fn every_program_is_a_row() {
    let expected: Vec<String> = expectations().into_keys().collect();
    let mut rows: Vec<String> = ROWS.iter().map(|&row| row.to_owned()).collect();
    rows.sort();
    assert_eq!(rows, expected, "the rows of this test and of expected.toml");
    let mut programs: Vec<String> = fs::read_dir(folder())
        .expect("the programs are there")
        .map(|entry| entry.expect("the folder can be read").file_name().to_string_lossy().into_owned())
        .filter_map(|name| name.strip_suffix(".c").map(str::to_owned))
        .collect();
    programs.sort();
    let mut wanted: Vec<String> = rows.iter().flat_map(|row| [row.clone(), format!("{row}-fixed")]).collect();
    wanted.sort();
    assert_eq!(programs, wanted, "the programs in the folder");
}

#[test]
fn expected_lines_hold_operations() {
    for (row, expected) in expectations() {
        let text = fs::read_to_string(folder().join(format!("{row}.c"))).expect("the program can be read");
        let lines: Vec<&str> = text.lines().collect();
        assert!(!expected.lines.is_empty(), "{row} expects no lines");
        for &number in expected.lines.iter().chain([&expected.at]) {
            let line = lines.get(number - 1).map_or("", |line| line.trim());
            let is_code = line.ends_with([';', '{', ')', '+']) && !line.starts_with("//");
            assert!(is_code, "line {number} of {row}.c does nothing: {line:?}");
        }
    }
}

fn folder() -> PathBuf {
    repository().join("bench/programs/concbugassist")
}

fn expectations() -> BTreeMap<String, Expected> {
    let text = fs::read_to_string(folder().join("expected.toml")).expect("expected.toml can be read");
    toml::from_str(&text).unwrap_or_else(|error| panic!("expected.toml: {error}"))
}

fn check(row: &str, search: Search) {
    let expected = expectations().remove(row).unwrap_or_else(|| panic!("{row} is not in expected.toml"));
    let search: &[&str] = match search {
        Search::Chance => &["--strategy", "pct", "--depth", "3", "--runs", RUNS],
        Search::EverySchedule => &["--strategy", "exhaustive"],
    };
    let found = run(&format!("{row}.c"), search).expect_status(1).json();
    let failure = &found["failure"];
    assert_eq!(failure["kind"], expected.failure.as_str(), "{row}: {found}");
    assert_eq!(failure["at"]["line"], expected.at, "{row}: {found}");
    assert_eq!(found["failing"]["replayed"], true, "{row}: {found}");

    let tried = run(&format!("{row}-fixed.c"), &["--strategy", "exhaustive"]).expect_status(0).json();
    assert_eq!(tried["bounds"]["complete"], true, "{row}: {tried}");
}

fn run(file: &str, search: &[&str]) -> Answer {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let schedule = scratch.path().join("failing.schedule").display().to_string();
    let mut arguments = vec!["run", file, "-std=c17", "-Wall", "-Wextra", "-pthread", "--format", "json"];
    arguments.extend(["--schedule", &schedule]);
    arguments.extend(search);
    heddle(&folder(), &arguments)
}
