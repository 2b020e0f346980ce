//! Strategies for recorded runs, shared by the tests of their text and of their files.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use run::{Cut, Input, Note, Place, ProcessEnd, RecordedRun, ThreadEnd, ThreadName, ThreadRecord};

pub fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z.:]{0,8}", "[ \"\\\\;\n\r\t\u{85}\u{a0}\u{2028}ab:-]{0,8}", any::<String>()]
}

pub fn place() -> impl Strategy<Value = Place> {
    (text(), any::<u32>()).prop_map(|(file, line)| Place { file, line })
}

fn process_end() -> impl Strategy<Value = ProcessEnd> {
    prop_oneof![
        any::<i32>().prop_map(|status| ProcessEnd::Exited { status }),
        (place(), text()).prop_map(|(at, condition)| ProcessEnd::Assertion { at, condition }),
        option::of(place()).prop_map(|at| ProcessEnd::Abort { at }),
        (any::<i32>(), option::of(place())).prop_map(|(number, at)| ProcessEnd::Signal { number, at }),
        Just(ProcessEnd::Hang),
        Just(ProcessEnd::Unknown),
    ]
}

fn cut() -> impl Strategy<Value = Cut> {
    prop_oneof![Just(Cut::NoSpace), Just(Cut::NoMemory), Just(Cut::Exec), text().prop_map(Cut::Damaged)]
}

fn note() -> impl Strategy<Value = Note> {
    prop_oneof![
        any::<u32>().prop_map(|process| Note::Fork { process }),
        any::<u32>().prop_map(|signal| Note::Handler { signal }),
        any::<u32>().prop_map(|signal| Note::HandlerLeft { signal }),
        Just(Note::Library),
        Just(Note::Exec),
    ]
}

fn input() -> impl Strategy<Value = Input> {
    let buffers = vec(vec(any::<u8>(), 0..5), 0..3);
    (text(), any::<i64>(), buffers, option::of(place())).prop_map(|(name, result, buffers, unknown_at)| Input {
        name,
        result,
        buffers,
        unknown_at,
    })
}

fn record() -> impl Strategy<Value = ThreadRecord> {
    let ends = [ThreadEnd::Returned, ThreadEnd::Exited, ThreadEnd::Stopped, ThreadEnd::Failed];
    let bits =
        prop_oneof![vec(any::<bool>(), 0..250), (any::<bool>(), 0_usize..3000).prop_map(|(bit, n)| vec![bit; n])];
    let streams = (bits, vec(text(), 0..3), vec(input(), 0..3), vec(note(), 0..3), vec(any::<u64>(), 0..30));
    (text(), streams, 0..ends.len()).prop_map(move |(start, (bits, callees, inputs, notes, order), end)| ThreadRecord {
        name: ThreadName::main(),
        start,
        bits: bits.into_iter().collect(),
        callees,
        inputs,
        notes,
        order,
        end: ends[end],
    })
}

pub fn recorded_run() -> impl Strategy<Value = RecordedRun> {
    (text(), vec(record(), 0..4), process_end(), option::of(cut())).prop_map(|(module, mut threads, end, cut)| {
        for (index, thread) in threads.iter_mut().enumerate().skip(1) {
            thread.name = ThreadName::main().child(index as u32);
        }
        RecordedRun { module, threads, end, cut }
    })
}
