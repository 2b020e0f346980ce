//! Runs are stored and read back, equal ones once; prefix trees agree with a naive search; databases merge without
//! counting twice; damaged, foreign or newer files are refused and left unchanged.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use rand::{RngExt, SeedableRng, rngs::SmallRng};
use run::{ARGUMENTS, Bits, Input, ProcessEnd, RecordedRun, ThreadEnd, ThreadName, ThreadRecord, write_run};
use store::{Added, Prefix, Store, StoreError, StoredProgram};

const MODULE: &str = "00112233445566778899aabbccddeeff";

fn bits(text: &str) -> Bits {
    text.chars().map(|c| c == '1').collect()
}

fn thread(name: &str, decisions: &str) -> ThreadRecord {
    let mut thread = ThreadRecord::new(name.parse().expect("a name"), "work");
    thread.bits = bits(decisions);
    thread.end = ThreadEnd::Returned;
    thread
}

/// A run of main and its children with these decisions.
fn run_of(decisions: &[&str]) -> RecordedRun {
    let name = |index: usize| if index == 0 { "0".to_owned() } else { format!("0.{index}") };
    let threads = decisions.iter().enumerate().map(|(index, decisions)| thread(&name(index), decisions));
    RecordedRun {
        module: MODULE.to_owned(),
        threads: threads.collect(),
        end: ProcessEnd::Exited { status: 0 },
        cut: None,
    }
}

fn with_argument(mut run: RecordedRun, argument: &str) -> RecordedRun {
    let buffers = vec![b"./bank".to_vec(), argument.as_bytes().to_vec()];
    run.threads[0].inputs = vec![Input { name: ARGUMENTS.to_owned(), result: 2, buffers, unknown_at: None }];
    run
}

fn add(store: &mut Store, run: &RecordedRun) -> Added {
    store.add(run, &write_run(run)).expect("it is added")
}

fn add_all(store: &mut Store, runs: &[RecordedRun]) {
    let files: Vec<Vec<u8>> = runs.iter().map(write_run).collect();
    let all = runs.iter().zip(files.iter().map(Vec::as_slice));
    assert_eq!(store.add_all(all).expect("they are added").len(), runs.len());
}

fn open(folder: &Path) -> Store {
    Store::open(folder).expect("it opens")
}

/// Counts by the decisions of main.
fn counts(store: &Store) -> BTreeMap<Vec<u8>, u64> {
    let runs = store.distinct_runs(MODULE).expect("they can be read");
    runs.map(|run| run.expect("it can be read")).map(|run| (run.bytes, run.count)).collect()
}

#[test]
fn equal_runs_are_kept_once_with_their_count() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut store = open(folder.path());
    let (one, other) = (run_of(&["101", "0"]), run_of(&["101", "1"]));
    let mut born_otherwise = run_of(&["101", "0", "11"]);
    let three = born_otherwise.clone();
    born_otherwise.threads.swap(1, 2);
    born_otherwise.threads[1].order = vec![4, 7];
    assert!(matches!(add(&mut store, &one), Added::New(_)));
    assert!(matches!(add(&mut store, &other), Added::New(_)));
    let Added::Counted(again) = add(&mut store, &one) else { panic!("an equal run is counted") };
    assert!(matches!(add(&mut store, &three), Added::New(_)));
    assert!(matches!(add(&mut store, &born_otherwise), Added::Counted(_)), "in whatever order threads are born");
    drop(store);
    let store = open(folder.path());
    let expected = [(write_run(&one), 2), (write_run(&other), 1), (write_run(&three), 2)];
    assert_eq!(counts(&store), expected.into_iter().collect());
    assert_eq!(store.bytes_of(again).expect("it is there"), write_run(&one));
    let programs = store.programs().expect("they can be read");
    assert_eq!(programs, [StoredProgram { identity: MODULE.to_owned(), distinct: 3, runs: 5 }]);
    assert_eq!(store.distinct_runs("another").expect("no error").count(), 0);
}

#[test]
fn runs_differ_in_what_their_threads_did_and_were_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut store = open(folder.path());
    let base = run_of(&["101", "0"]);
    let mut others = vec![with_argument(base.clone(), "1"), with_argument(base.clone(), "2"), run_of(&["101", "00"])];
    let mut changed = base.clone();
    changed.end = ProcessEnd::Hang;
    others.push(changed);
    let mut changed = base.clone();
    changed.threads[1].callees = vec!["handler".to_owned()];
    others.push(changed);
    let mut changed = base.clone();
    changed.module = MODULE.replace('0', "1");
    others.push(changed);
    assert!(matches!(add(&mut store, &base), Added::New(_)));
    for other in &others {
        assert!(matches!(add(&mut store, other), Added::New(_)), "{other}");
        assert!(matches!(add(&mut store, other), Added::Counted(_)), "{other}");
    }
    let runs: Vec<_> = store.distinct_runs(MODULE).expect("no error").map(|run| run.expect("no error")).collect();
    let mut groups: Vec<_> = runs.iter().map(|run| run.input).collect();
    groups.dedup();
    assert_eq!((runs.len(), groups.len()), (6, 3), "runs of one input stand together");
    assert_eq!(runs.iter().filter(|run| run.failed).count(), 1);
}

fn random_bits(random: &mut SmallRng) -> String {
    // Few different beginnings, so that paths share them, and now and then a long one.
    let length = if random.random_ratio(1, 10) { random.random_range(0..300) } else { random.random_range(0..12) };
    let dull = random.random_ratio(1, 2);
    (0..length)
        .map(|at| if dull { at % 5 == 0 } else { random.random_ratio(1, 3) })
        .map(|bit| if bit { '1' } else { '0' })
        .collect()
}

#[test]
fn trees_agree_with_a_naive_search() {
    for seed in 0..30 {
        let mut random = SmallRng::seed_from_u64(seed);
        let folder = tempfile::tempdir().expect("a folder");
        let mut store = open(folder.path());
        let mut stored: Vec<(String, Vec<String>)> = Vec::new();
        let mut runs = Vec::new();
        for _ in 0..40 {
            let decisions = random_bits(&mut random);
            let callees: Vec<String> =
                (0..random.random_range(0..3)).map(|_| ["f", "gg"][random.random_range(0..2)].to_owned()).collect();
            let mut run = run_of(&["1", &decisions]);
            run.threads[1].callees.clone_from(&callees);
            runs.push(run);
            if !stored.contains(&(decisions.clone(), callees.clone())) {
                stored.push((decisions, callees));
            }
        }
        add_all(&mut store, &runs);
        let thread: ThreadName = "0.1".parse().expect("a name");
        for _ in 0..60 {
            let mut prefix = if random.random_ratio(1, 3) {
                random_bits(&mut random)
            } else {
                stored[random.random_range(0..stored.len())].0.clone()
            };
            prefix.truncate(random.random_range(0..=prefix.len()));
            let callees: Vec<String> = (0..random.random_range(0..2)).map(|_| "gg".to_owned()).collect();
            let limit = random.random_range(0..12);
            let mut naive: Vec<&(String, Vec<String>)> = stored
                .iter()
                .filter(|(path, called)| path.starts_with(&prefix) && called.starts_with(&callees))
                .collect();
            naive.sort_by_key(|(path, _)| path.len());
            let wanted = Prefix { bits: &bits(&prefix), callees: &callees };
            let found = store.continuations(MODULE, &thread, wanted, limit).expect("no error");
            let lengths: Vec<usize> = found.iter().map(|found| found.bits.len()).collect();
            let expected: Vec<usize> = naive.iter().take(limit).map(|(path, _)| path.len()).collect();
            assert_eq!(lengths, expected, "seed {seed}, prefix {prefix}, limit {limit}");
            for one in &found {
                let is_one = |(path, called): &&(String, Vec<String>)| bits(path) == one.bits && *called == one.callees;
                assert!(naive.iter().any(is_one), "seed {seed}: {one:?}");
                assert_eq!(found.iter().filter(|other| *other == one).count(), 1, "seed {seed}: twice");
                let run = run::read_run(&store.bytes_of(one.run).expect("it is there")).expect("it is a run").run;
                assert_eq!(run.thread(&thread).map(|thread| &thread.bits), Some(&one.bits), "seed {seed}");
            }
        }
    }
}

#[test]
fn many_runs_of_few_kinds_are_little_work() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut store = open(folder.path());
    let kinds: Vec<RecordedRun> = (0..3).map(|kind| run_of(&["1", &"10".repeat(20 + kind)])).collect();
    let files: Vec<Vec<u8>> = kinds.iter().map(write_run).collect();
    let before = store.rows_touched();
    for _ in 0..100 {
        let runs = (0..100).map(|at| (&kinds[at % 3], &*files[at % 3]));
        store.add_all(runs).expect("they are added");
    }
    let adding = store.rows_touched() - before;
    assert!(adding <= 10_000 * 6, "{adding} rows for 10,000 runs");
    let before = store.rows_touched();
    assert_eq!(store.distinct_runs(MODULE).expect("no error").count(), 3);
    let prefix = Prefix { bits: &Bits::new(), callees: &[] };
    assert_eq!(store.continuations(MODULE, &"0.1".parse().expect("a name"), prefix, 10).expect("no error").len(), 3);
    assert_eq!(store.programs().expect("no error")[0].runs, 10_000);
    let reading = store.rows_touched() - before;
    assert!(reading <= 50, "{reading} rows for 3 distinct runs");
}

#[test]
fn shortest_continuations_are_found_without_looking_at_the_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut store = open(folder.path());
    let decisions = |path: usize| format!("1{:010b}{}", path, "0".repeat(path % 7));
    add_all(&mut store, &(0..1000).map(|path| run_of(&["1", &decisions(path)])).collect::<Vec<_>>());
    let before = store.rows_touched();
    let prefix = Prefix { bits: &bits("1"), callees: &[] };
    let found = store.continuations(MODULE, &"0.1".parse().expect("a name"), prefix, 1).expect("no error");
    assert_eq!((found.len(), found[0].bits.len()), (1, 11));
    let rows = store.rows_touched() - before;
    assert!(rows < 100, "{rows} rows of about 2,000");
}

#[test]
fn several_may_add_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    std::thread::scope(|scope| {
        for adder in 0..4 {
            let folder = folder.path();
            scope.spawn(move || {
                let mut store = open(folder);
                for at in 0..25 {
                    add(&mut store, &run_of(&["1", if (at + adder) % 2 == 0 { "10" } else { "11" }]));
                }
            });
        }
    });
    let store = open(folder.path());
    let mut counts: Vec<u64> = counts(&store).into_values().collect();
    counts.sort_unstable();
    assert_eq!((counts.len(), counts.iter().sum::<u64>()), (2, 100), "{counts:?}");
}

fn write_files(folder: &Path, names: &[(&str, &RecordedRun)]) {
    for (name, run) in names {
        fs::write(folder.join(name), write_run(run)).expect("it can be written");
    }
}

#[test]
fn a_folder_that_is_imported_twice_counts_once() {
    let (own, theirs) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let (one, other) = (run_of(&["1", "10"]), run_of(&["1", "11"]));
    let runs = [("bank-0001.passed.run", &one), ("bank-0002.passed.run", &one), ("bank-0003.passed.run", &other)];
    write_files(theirs.path(), &runs);
    fs::write(theirs.path().join("notes.txt"), "no run").expect("it can be written");
    fs::write(theirs.path().join("bank-0004.passed.run"), "no run").expect("it can be written");
    let mut cut = write_run(&one);
    cut.truncate(cut.len() - 3);
    fs::write(theirs.path().join("bank-0005.passed.run"), cut).expect("it can be written");
    let mut store = open(own.path());
    add(&mut store, &one);
    let imported = store.import(theirs.path()).expect("it is imported");
    assert_eq!((imported.new, imported.counted, imported.known), (1, 2, 0));
    let skipped: Vec<_> = imported.skipped.iter().filter_map(|skipped| skipped.file.file_name()?.to_str()).collect();
    assert_eq!(skipped, ["bank-0004.passed.run", "bank-0005.passed.run"]);
    let expected: BTreeMap<Vec<u8>, u64> = [(write_run(&one), 3), (write_run(&other), 1)].into();
    assert_eq!(counts(&store), expected);
    let again = store.import(theirs.path()).expect("it is imported");
    assert_eq!((again.new, again.counted, again.known), (0, 0, 3));
    assert_eq!(counts(&store), expected);
    write_files(theirs.path(), &[("bank-0006.passed.run", &other)]);
    let grown = store.import(theirs.path()).expect("it is imported");
    assert_eq!((grown.counted, grown.known), (1, 3));
}

#[test]
fn databases_merge_in_a_circle_and_count_nothing_twice() {
    let folders: Vec<_> = (0..3).map(|_| tempfile::tempdir().expect("a folder")).collect();
    let kinds = [run_of(&["1", "10"]), run_of(&["1", "11"]), run_of(&["1", "0"])];
    let mut stores: Vec<Store> = folders.iter().map(|folder| open(folder.path())).collect();
    for (index, store) in stores.iter_mut().enumerate() {
        (0..=index).for_each(|_| _ = add(store, &kinds[0]));
        add(store, &kinds[index]);
    }
    for _ in 0..3 {
        for (index, store) in stores.iter_mut().enumerate() {
            store.import(folders[(index + 1) % 3].path()).expect("it is imported");
            store.import(folders[index].path()).expect("its own folder changes nothing");
        }
    }
    let total: BTreeMap<Vec<u8>, u64> =
        [(write_run(&kinds[0]), 7), (write_run(&kinds[1]), 1), (write_run(&kinds[2]), 1)].into();
    for store in &stores {
        assert_eq!(counts(store), total);
        let found =
            store.continuations(MODULE, &"0.1".parse().expect("a name"), Prefix { bits: &bits("1"), callees: &[] }, 9);
        assert_eq!(found.expect("no error").len(), 2, "imported runs are in the trees");
    }
    // Counts after an import are merged by the next one.
    add(&mut stores[1], &kinds[0]);
    stores[0].import(folders[1].path()).expect("it is imported");
    assert_eq!(counts(&stores[0])[&write_run(&kinds[0])], 8);
}

#[test]
fn a_damaged_database_is_named_and_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut store = open(folder.path());
    add_all(&mut store, &(0..200_u32).map(|at| run_of(&["1", &format!("{at:032b}")])).collect::<Vec<_>>());
    let file = store.file().to_owned();
    drop(store);
    let good = fs::read(&file).expect("it is there");
    let mut random = SmallRng::seed_from_u64(7);
    let mut refused = 0;
    for case in 0..60 {
        let mut bad = good.clone();
        match case % 3 {
            0 => bad.truncate(random.random_range(1..bad.len())),
            1 => {
                let begin = random.random_range(0..bad.len());
                let end = bad.len().min(begin + 3000);
                bad[begin..end].fill(0x5a);
            }
            _ => {
                let at = random.random_range(0..bad.len());
                bad[at] ^= 1 << random.random_range(0..8);
            }
        }
        fs::write(&file, &bad).expect("it can be written");
        // An unchecked byte may be changed; then every query gives an answer or an error.
        match Store::open(folder.path()) {
            Err(error) => {
                refused += 1;
                assert!(error.to_string().contains("paths.sqlite"), "case {case}: {error}");
                assert_eq!(fs::read(&file).expect("it is there"), bad, "case {case}: it was changed");
            }
            Ok(store) => {
                _ = store.programs();
                _ = store.distinct_runs(MODULE).map(|runs| runs.count());
                _ = store.continuations(
                    MODULE,
                    &"0.1".parse().expect("a name"),
                    Prefix { bits: &bits("0"), callees: &[] },
                    300,
                );
            }
        }
    }
    assert!(refused >= 35, "{refused} of 60");
    fs::write(&file, b"these are my notes, not a database").expect("it can be written");
    assert!(matches!(Store::open(folder.path()), Err(StoreError::Damaged { .. })));
    assert_eq!(fs::read(&file).expect("it is there"), b"these are my notes, not a database");
}

#[test]
fn newer_and_foreign_databases_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = open(folder.path()).file().to_owned();
    let mut bytes = fs::read(&file).expect("it is there");
    bytes[60..64].copy_from_slice(&2_u32.to_be_bytes());
    fs::write(&file, &bytes).expect("it can be written");
    let error = Store::open(folder.path()).err().expect("it is refused");
    assert!(matches!(error, StoreError::Newer { found: 2, known: 1, .. }), "{error}");
    assert_eq!(fs::read(&file).expect("it is there"), bytes);
    bytes[60..64].copy_from_slice(&1_u32.to_be_bytes());
    bytes[68..72].fill(0);
    fs::write(&file, &bytes).expect("it can be written");
    assert!(matches!(Store::open(folder.path()), Err(StoreError::Foreign { .. })));
    let other = tempfile::tempdir().expect("a folder");
    let import = open(other.path()).import(folder.path());
    assert!(matches!(import, Err(StoreError::Foreign { .. })), "others' databases are looked at in the same way");
}

#[test]
fn folders_that_cannot_be_used_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    fs::write(&file, "").expect("it can be written");
    assert!(matches!(Store::open(&file), Err(StoreError::Unusable { .. })));
    let missing = folder.path().join("missing");
    let error = open(folder.path()).import(&missing).expect_err("it is not there");
    assert!(error.to_string().contains("missing"), "{error}");
}

/// Values that heddle never writes, in a file that SQLite finds intact: every query ends with an answer or an error.
#[test]
fn rows_that_contradict_each_other_are_answered_or_refused() {
    let values =
        ["0", "1", "2", "5", "-1", "NULL", "x'ff'", "'text'", "9223372036854775807", "1e300", "randomblob(70)"];
    let columns = [
        ("node", ["parent", "first", "bits", "length", "shortest"].as_slice()),
        ("path", &["node", "callees", "run"]),
        ("run", &["program", "digest", "input", "failed", "count", "bytes"]),
        ("tally", &["run", "origin", "count"]),
        ("tree", &["program", "thread", "root"]),
        ("program", &["id", "identity"]),
        ("origin", &["id"]),
    ];
    for seed in 0..60 {
        let mut random = SmallRng::seed_from_u64(seed);
        let folder = tempfile::tempdir().expect("a folder");
        let mut store = open(folder.path());
        let runs: Vec<RecordedRun> = (0..12_u32).map(|at| run_of(&["1", &format!("{:06b}", at * 5)])).collect();
        add_all(&mut store, &runs);
        let file = store.file().to_owned();
        drop(store);
        let connection = rusqlite::Connection::open(&file).expect("it opens");
        for _ in 0..random.random_range(1..4) {
            let (table, columns) = columns[random.random_range(0..columns.len())];
            let (column, value) =
                (columns[random.random_range(0..columns.len())], values[random.random_range(0..values.len())]);
            let rows = random.random_range(1..14);
            let key = if ["tally", "tree"].contains(&table) { "1".to_owned() } else { format!("rowid % 14 = {rows}") };
            // Some changes are against the tables' own rules.
            _ = connection.execute(&format!("UPDATE {table} SET {column} = {value} WHERE {key}"), []);
        }
        drop(connection);
        let Ok(mut store) = Store::open(folder.path()) else { continue };
        _ = store.programs();
        _ = store.distinct_runs(MODULE).map(|runs| runs.take(1000).count());
        let thread: ThreadName = "0.1".parse().expect("a name");
        for prefix in ["", "0", "0101", "111111"] {
            _ = store.continuations(MODULE, &thread, Prefix { bits: &bits(prefix), callees: &[] }, 100);
        }
        for run in &runs[..2] {
            _ = store.add(&with_argument(run.clone(), "x"), &write_run(run));
        }
        let other = tempfile::tempdir().expect("a folder");
        _ = open(other.path()).import(folder.path());
    }
}
