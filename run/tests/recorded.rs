//! Recorded runs and tables as text: they round-trip, and other texts are refused.

mod values;

use proptest::collection::vec;
use proptest::prelude::{Strategy, any, prop_assert, prop_assert_eq, proptest};
use run::{
    Bits, CallPlace, Cut, Note, Place, ProcessEnd, Tables, ThreadEnd, ThreadName, parse_recorded_run, parse_tables,
};
use values::{place, recorded_run, text};

const BANK: &str = "\
heddle run 2
module 03087b68b4691f7b7d003dcc415af442
end assertion \"my bank.c\":61 total == sum(accounts)
cut no-space

thread 0 failed in main
bits 110100
callee handler
callee operator new
input file.read 5 68656c6c6f
input \"odd name\" -1 - 00
input compress 0 unknown bank.c:58
note fork 4711
note library
order 1 5 6

thread 0.1 returned in transfer
bits 1
";

#[test]
fn a_run_reads_as_it_is_written() {
    let run = parse_recorded_run(BANK).expect("it is a run");
    let at = Place { file: "my bank.c".to_owned(), line: 61 };
    assert_eq!(run.end, ProcessEnd::Assertion { at, condition: "total == sum(accounts)".to_owned() });
    assert_eq!(run.cut, Some(Cut::NoSpace));
    let main = run.thread(&ThreadName::main()).expect("there is one");
    assert_eq!(main.bits, [true, true, false, true, false, false].into_iter().collect::<Bits>());
    assert_eq!(main.callees, ["handler", "operator new"]);
    assert_eq!((main.inputs[0].result, main.inputs[0].buffers.as_slice()), (5, &[b"hello".to_vec()][..]));
    assert_eq!((main.inputs[1].result, main.inputs[1].buffers.as_slice()), (-1, &[Vec::new(), vec![0]][..]));
    assert_eq!(main.inputs[2].unknown_at, Some(Place { file: "bank.c".to_owned(), line: 58 }));
    assert_eq!(main.notes, [Note::Fork { process: 4711 }, Note::Library]);
    assert_eq!(main.order, [1, 5, 6]);
    assert_eq!(main.end, ThreadEnd::Failed);
    assert_eq!(run.to_string(), BANK);
}

#[test]
fn messages() {
    for (source, expected) in [
        (
            "",
            "line 1: this is not a heddle run: its first line must be `heddle run 2`. Give the file that heddle wrote",
        ),
        (
            "heddle run 0",
            "line 1: this run has version `0`, and this heddle reads version 2: make the run again, or use the heddle \
             that wrote it",
        ),
        ("heddle run 2\nend hang", "line 2: the run ends without a line `module …`: is it complete?"),
        ("heddle run 2\nmodule x", "line 2: the run ends without a line `end …`: is it complete?"),
        ("heddle run 2\nend hang\nend hang", "line 3: `end` was given before"),
        (
            "heddle run 2\nend well",
            "line 2: expected `exited STATUS`, `assertion FILE:LINE CONDITION`, `abort`, `signal NUMBER`, \
             `hang` or `unknown`, found `well`",
        ),
        ("heddle run 2\nend assertion a.c", "line 2: expected FILE:LINE, found `a.c`"),
        ("heddle run 2\nend signal eleven", "line 2: expected a signal's number, found `eleven`"),
        ("heddle run 2\nbits 1", "line 2: `bits` belongs to a thread, and none was given before"),
        ("heddle run 2\nthread 0.1 returned in f", "line 2: thread 0.1 comes before the one that created it"),
        ("heddle run 2\nthread 0 failed in f\nthread 0 failed in f", "line 3: thread 0 was given before"),
        (
            "heddle run 2\nthread 0 won in f",
            "line 2: expected `returned`, `exited`, `stopped` or `failed`, found `won`",
        ),
        ("heddle run 2\nthread 0 failed", "line 2: expected `in FUNCTION`, found ``"),
        ("heddle run 2\nthread 0 failed in f\nbits 12", "line 3: bits are 0 or 1, and not `2`"),
        ("heddle run 2\nthread 0 failed in f\norder x", "line 3: expected the number of an operation, found `x`"),
        ("heddle run 2\nthread 0 failed in f\ninput read", "line 3: expected a result, found nothing"),
        (
            "heddle run 2\nthread 0 failed in f\ninput read 1 unknown a.c:3 00",
            "line 3: nothing should follow FILE:LINE, found `00`",
        ),
        ("heddle run 2\nthread 0 failed in f\nnote fork", "line 3: expected a process's number, found nothing"),
        (
            "heddle run 2\nthread 0 failed in f\nnote well",
            "line 3: expected `fork PROCESS`, `handler SIGNAL`, `handler-left SIGNAL`, `library` or `exec`, found \
             `well`",
        ),
        ("heddle run 2\ncut well", "line 2: expected `no-space`, `no-memory`, `exec` or `damaged WHAT`, found `well`"),
        (
            "heddle run 2\nthread 0 failed in f\ninput read 0 123",
            "line 3: expected pairs of hexadecimal digits, or `-` for none, found `123`",
        ),
        (
            "heddle run 2\nhello",
            "line 2: a line begins with `module`, `end`, `cut`, `thread`, `bits`, `callee`, `input`, `note` or \
             `order`, and not with `hello`",
        ),
    ] {
        assert_eq!(parse_recorded_run(source).unwrap_err().to_string(), expected, "{source}");
    }
}

const TABLES: &str = "\
heddle tables 1
identity 03087b68b4691f7b7d003dcc415af442
function transfer
function operator new
input read
place \"my bank.c\":61 compress
";

#[test]
fn tables_read_as_they_are_written() {
    let tables = parse_tables(TABLES).expect("they are tables");
    assert_eq!(tables.functions, ["transfer", "operator new"]);
    let at = Place { file: "my bank.c".to_owned(), line: 61 };
    assert_eq!(tables.places, [CallPlace { function: "compress".to_owned(), at }]);
    assert_eq!(tables.to_string(), TABLES);
}

#[test]
fn messages_about_tables() {
    for (source, expected) in [
        ("heddle tables 1\nfunction f", "line 2: the tables end without a line `identity …`: are they complete?"),
        ("heddle tables 1\nidentity 12", "line 2: expected 32 hexadecimal digits, found `12`"),
        ("heddle tables 1\nplace a.c f", "line 2: expected FILE:LINE, found `a.c f`"),
        ("heddle tables 1\nplace a.c:1", "line 2: a value is missing; an empty one is written \"\""),
        (
            "heddle tables 1\nhello",
            "line 2: a line begins with `identity`, `function`, `input` or `place`, and not with `hello`",
        ),
    ] {
        assert_eq!(parse_tables(source).unwrap_err().to_string(), expected, "{source}");
    }
}

fn tables() -> impl Strategy<Value = Tables> {
    let place = (text(), place()).prop_map(|(function, at)| CallPlace { function, at });
    ("[0-9a-f]{32}", vec(text(), 0..4), vec(text(), 0..4), vec(place, 0..4))
        .prop_map(|(identity, functions, inputs, places)| Tables { identity, functions, inputs, places })
}

proptest! {
    #[test]
    fn writing_then_reading_gives_equal_tables(tables in tables()) {
        let text = tables.to_string();
        prop_assert_eq!(parse_tables(&text), Ok(tables), "{}", text);
    }

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
