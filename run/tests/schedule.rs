//! Schedules as text: they round-trip, are readable, and other texts are refused with advice.

use proptest::collection::vec;
use proptest::prelude::{Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest};
use run::{Choice, Header, Schedule, Segment, ThreadName, parse_schedule};

const BANK: &str = "\
heddle schedule 1
source bank.c
source \"my bank.c\"
flag -DSTEPS=2
argument \"\"
argument \"two words\"
argument \"line\\nend\"
option reuse
program 03087b68b4691f7b7d003dcc415af442
outcome assertion bank.c:61 thread 0

0    until 31      ; bank.c:55 creates thread 0.1
0.1  until 57      ; bank.c:34 writes total = 320; then sleeps
0    until 99

choose 0.2 at 41 value 1
";

#[test]
fn a_schedule_reads_as_it_is_written() {
    let schedule = parse_schedule(BANK).expect("it is a schedule");
    assert_eq!(schedule.header.sources, ["bank.c", "my bank.c"]);
    assert_eq!(schedule.header.arguments, ["", "two words", "line\nend"]);
    assert_eq!(schedule.header.outcome, "assertion bank.c:61 thread 0");
    let segment = &schedule.segments[1];
    assert_eq!((segment.thread.to_string().as_str(), segment.until), ("0.1", 57));
    assert_eq!(segment.note, "bank.c:34 writes total = 320; then sleeps");
    assert_eq!(schedule.choices, [Choice { thread: "0.2".parse().unwrap(), step: 41, value: 1 }]);
    assert_eq!(schedule.to_string(), BANK);
}

#[test]
fn spaces_comments_and_line_ends_do_not_matter() {
    let source = "; made by hand\r\n\r\n  heddle   schedule 1 \r\n\
                  program x\r\n; no notes\r\noutcome passes\r\n0\tuntil   3 ;\r\n";
    let schedule = parse_schedule(source).expect("it is a schedule");
    assert_eq!(schedule.header.outcome, "passes");
    assert_eq!(schedule.segments, [Segment { thread: ThreadName::main(), until: 3, note: String::new() }]);
}

#[test]
fn messages_say_what_to_do() {
    for (source, expected) in [
        (
            "",
            "line 1: this is not a heddle schedule: its first line must be `heddle schedule 1`. Give the file that \
             heddle wrote",
        ),
        (
            "\nint main() {}",
            "line 2: this is not a heddle schedule: its first line must be `heddle schedule 1`. Give the file that \
             heddle wrote",
        ),
        (
            "heddle schedule 2",
            "line 1: this schedule has version `2`, and this heddle reads version 1: make the schedule again, or use \
             the heddle that wrote it",
        ),
        ("heddle schedule 1\nprogram x", "line 2: the schedule ends without a line `outcome …`: is it complete?"),
        ("heddle schedule 1\noutcome x", "line 2: the schedule ends without a line `program …`: is it complete?"),
        ("heddle schedule 1\noutcome x\noutcome y", "line 3: `outcome` was given before, as `x`"),
        ("heddle schedule 1\nsource", "line 2: a value is missing; an empty one is written \"\""),
        ("heddle schedule 1\nsource \"a", "line 2: the closing quote is missing"),
        ("heddle schedule 1\nsource \"a\" b", "line 2: nothing should follow the closing quote, found `b`"),
        (
            "heddle schedule 1\nsource \"\\x\"",
            "line 2: a backslash in quotes begins one of \\\\ \\\" \\n \\t \\u{…}, nothing else",
        ),
        (
            "heddle schedule 1\nthread 0",
            "line 2: a line begins with a thread such as 0.1, or with `source`, `flag`, `argument`, `option`, \
             `program`, `outcome`, `choose`, and not with `thread`",
        ),
        ("heddle schedule 1\n0.1 at 5", "line 2: expected `0.1 until STEP`, found `at 5`"),
        ("heddle schedule 1\n0 until", "line 2: expected the number of a step, found nothing"),
        ("heddle schedule 1\n0 until -1", "line 2: expected the number of a step, found `-1`"),
        (
            "heddle schedule 1\n0 until 18446744073709551616",
            "line 2: expected the number of a step, found `18446744073709551616`",
        ),
        ("heddle schedule 1\nchoose 1 at 3 value 1", "line 2: expected a thread such as 0.1, found `1`"),
        ("heddle schedule 1\nchoose 0 3", "line 2: expected `choose 0 at STEP value NUMBER`, found `3`"),
    ] {
        assert_eq!(parse_schedule(source).unwrap_err().to_string(), expected, "{source}");
    }
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z./=-]{0,8}",
        "[ \"\\\\;\n\r\t\u{85}\u{a0}\u{2028}\u{feff}ab:]{0,8}",
        proptest::string::string_regex(".{0,8}").expect("it is a pattern"),
        any::<String>(),
    ]
}

fn thread() -> impl Strategy<Value = ThreadName> {
    vec(1_u32.., 0..4).prop_map(|path| path.into_iter().fold(ThreadName::main(), |name, nth| name.child(nth)))
}

fn schedule() -> impl Strategy<Value = Schedule> {
    let header = (vec(text(), 0..3), vec(text(), 0..3), vec(text(), 0..3), vec(text(), 0..3), text(), text()).prop_map(
        |(sources, flags, arguments, options, fingerprint, outcome)| Header {
            sources,
            flags,
            arguments,
            options,
            fingerprint,
            outcome,
        },
    );
    let segment = (thread(), any::<u64>(), text()).prop_map(|(thread, until, note)| Segment { thread, until, note });
    let choice =
        (thread(), any::<u64>(), any::<u64>()).prop_map(|(thread, step, value)| Choice { thread, step, value });
    (header, vec(segment, 0..6), vec(choice, 0..4)).prop_map(|(header, segments, choices)| Schedule {
        header,
        segments,
        choices,
    })
}

proptest! {
    #[test]
    fn writing_then_reading_gives_an_equal_schedule(schedule in schedule()) {
        let text = schedule.to_string();
        prop_assert_eq!(parse_schedule(&text), Ok(schedule), "{}", text);
    }

    #[test]
    fn no_text_panics(schedule in schedule(), at in any::<usize>(), junk in text()) {
        let mut text = schedule.to_string();
        let places: Vec<usize> = text.char_indices().map(|(place, _)| place).collect();
        text.insert_str(places[at % places.len()], &junk);
        if let Ok(schedule) = parse_schedule(&text) {
            prop_assert!(parse_schedule(&schedule.to_string()) == Ok(schedule));
        }
    }
}
