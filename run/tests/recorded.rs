//! Recorded runs as text: they round-trip, and what is no run is refused.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::{Just, Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest};
use run::{Input, Place, ProcessEnd, RecordedRun, ThreadEnd, ThreadName, ThreadRecord, parse_recorded_run};

const BANK: &str = "\
heddle run 1
program 03087b68b4691f7b7d003dcc415af442
end assertion \"my bank.c\":61

thread 0 failed in main
branches 110100
cases 0 3
callee handler
callee operator new
input file.read 68656c6c6f
input \"odd name\" -

thread 0.1 returned in transfer
branches 1
";

#[test]
fn a_run_reads_as_it_is_written() {
    let run = parse_recorded_run(BANK).expect("it is a run");
    assert_eq!(run.end, ProcessEnd::Assertion { at: Place { file: "my bank.c".to_owned(), line: 61 } });
    let main = run.thread(&ThreadName::main()).expect("there is one");
    assert_eq!(main.branches, [true, true, false, true, false, false]);
    assert_eq!(main.cases, [0, 3]);
    assert_eq!(main.callees, ["handler", "operator new"]);
    assert_eq!(main.inputs[0].bytes, b"hello");
    assert_eq!(main.end, ThreadEnd::Failed);
    assert_eq!(run.to_string(), BANK);
}

#[test]
fn messages() {
    for (source, expected) in [
        (
            "",
            "line 1: this is not a heddle run: its first line must be `heddle run 1`. Give the file that heddle wrote",
        ),
        (
            "heddle run 0",
            "line 1: this run has version `0`, and this heddle reads version 1: make the run again, or use the heddle \
             that wrote it",
        ),
        ("heddle run 1\nend hang", "line 2: the run ends without a line `program …`: is it complete?"),
        ("heddle run 1\nprogram x", "line 2: the run ends without a line `end …`: is it complete?"),
        ("heddle run 1\nend hang\nend hang", "line 3: `end` was given before"),
        (
            "heddle run 1\nend well",
            "line 2: expected `exited STATUS`, `assertion FILE:LINE`, `abort`, `signal NUMBER` or `hang`, found `well`",
        ),
        ("heddle run 1\nend assertion a.c", "line 2: expected FILE:LINE, found `a.c`"),
        ("heddle run 1\nend signal eleven", "line 2: expected a signal's number, found `eleven`"),
        ("heddle run 1\nbranches 1", "line 2: `branches` belongs to a thread, and none was given before"),
        ("heddle run 1\nthread 0.1 returned in f", "line 2: thread 0.1 comes before the one that created it"),
        ("heddle run 1\nthread 0 failed in f\nthread 0 failed in f", "line 3: thread 0 was given before"),
        (
            "heddle run 1\nthread 0 won in f",
            "line 2: expected `returned`, `exited`, `stopped` or `failed`, found `won`",
        ),
        ("heddle run 1\nthread 0 failed", "line 2: expected `in FUNCTION`, found ``"),
        ("heddle run 1\nthread 0 failed in f\nbranches 12", "line 3: branches are 0 or 1, and not `2`"),
        ("heddle run 1\nthread 0 failed in f\ncases x", "line 3: expected the index of a case, found `x`"),
        (
            "heddle run 1\nthread 0 failed in f\ninput read 123",
            "line 3: expected pairs of hexadecimal digits, or `-` for none, found `123`",
        ),
        (
            "heddle run 1\nhello",
            "line 2: a line begins with `program`, `end`, `thread`, `branches`, `cases`, `callee` or `input`, and not \
             with `hello`",
        ),
    ] {
        assert_eq!(parse_recorded_run(source).unwrap_err().to_string(), expected, "{source}");
    }
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z.:]{0,8}", "[ \"\\\\;\n\r\t\u{85}\u{a0}\u{2028}ab:-]{0,8}", any::<String>()]
}

fn place() -> impl Strategy<Value = Place> {
    (text(), any::<u32>()).prop_map(|(file, line)| Place { file, line })
}

fn process_end() -> impl Strategy<Value = ProcessEnd> {
    prop_oneof![
        any::<i32>().prop_map(|status| ProcessEnd::Exited { status }),
        place().prop_map(|at| ProcessEnd::Assertion { at }),
        option::of(place()).prop_map(|at| ProcessEnd::Abort { at }),
        (any::<i32>(), option::of(place())).prop_map(|(number, at)| ProcessEnd::Signal { number, at }),
        Just(ProcessEnd::Hang),
    ]
}

fn record() -> impl Strategy<Value = ThreadRecord> {
    let input = (text(), vec(any::<u8>(), 0..5)).prop_map(|(name, bytes)| Input { name, bytes });
    let ends = [ThreadEnd::Returned, ThreadEnd::Exited, ThreadEnd::Stopped, ThreadEnd::Failed];
    let streams = (vec(any::<bool>(), 0..250), vec(any::<u32>(), 0..50), vec(text(), 0..3), vec(input, 0..3));
    (text(), streams, 0..ends.len()).prop_map(move |(start, (branches, cases, callees, inputs), end)| ThreadRecord {
        name: ThreadName::main(),
        start,
        branches,
        cases,
        callees,
        inputs,
        end: ends[end],
    })
}

fn recorded_run() -> impl Strategy<Value = RecordedRun> {
    (text(), vec(record(), 0..4), process_end()).prop_map(|(fingerprint, mut threads, end)| {
        for (index, thread) in threads.iter_mut().enumerate().skip(1) {
            thread.name = ThreadName::main().child(index as u32);
        }
        RecordedRun { fingerprint, threads, end }
    })
}

proptest! {
    #[test]
    fn writing_then_reading_gives_an_equal_run(run in recorded_run()) {
        let text = run.to_string();
        prop_assert_eq!(parse_recorded_run(&text), Ok(run), "{}", text);
    }

    #[test]
    fn no_text_panics(run in recorded_run(), at in any::<usize>(), junk in text()) {
        let mut text = run.to_string();
        let places: Vec<usize> = text.char_indices().map(|(place, _)| place).collect();
        text.insert_str(places[at % places.len()], &junk);
        if let Ok(run) = parse_recorded_run(&text) {
            prop_assert!(parse_recorded_run(&run.to_string()) == Ok(run));
        }
    }
}
