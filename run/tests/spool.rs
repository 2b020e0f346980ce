//! Spools are converted to runs; damaged files cause no panic, and the parts that are kept are as recorded.

mod spools;

use proptest::collection::vec;
use proptest::prelude::{any, prop_assert, proptest};
use run::{Bits, Cut, Input, Note, Place, ProcessEnd, RecordedRun, SpoolError, ThreadEnd, ThreadRecord, read_spool};
use spools::{Chunk, SpoolBytes, bank, bits_chunk, records_chunk, stores_of_main, tables};
use wire::{PAGE, Tag, chunk, end, ended, note, state, stopped};

fn bits(text: &str) -> Bits {
    text.chars().map(|c| c == '1').collect()
}

fn read(spool: &SpoolBytes) -> RecordedRun {
    read_spool(&spool.bytes(), &tables()).expect("it is a spool").run
}

fn damaged(run: &RecordedRun) -> &str {
    match &run.cut {
        Some(Cut::Damaged(what)) => what,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_spool_becomes_a_run() {
    let run = read(&bank());
    assert_eq!(
        run.to_string(),
        "\
heddle run 2
module 000102030405060708090a0b0c0d0e0f
end assertion bank.c:61 total == sum

thread 0 failed in main
bits 1101001
callee transfer
callee ?0x99
input read 3 616263 -
input compress -2 unknown bank.c:58
note fork 4711
note library
order 5 7

thread 0.1 returned in transfer
bits 101

thread 0.1.2 stopped in audit
"
    );
}

#[test]
fn how_the_process_ended() {
    let cases = [
        (end::UNKNOWN, 0, ProcessEnd::Unknown, ThreadEnd::Returned),
        (end::EXITED, 3, ProcessEnd::Exited { status: 3 }, ThreadEnd::Returned),
        (end::ABORT, 0, ProcessEnd::Abort { at: None }, ThreadEnd::Failed),
        (end::SIGNAL, 11, ProcessEnd::Signal { number: 11, at: None }, ThreadEnd::Failed),
        (end::HANG, 0, ProcessEnd::Hang, ThreadEnd::Returned),
    ];
    for (kind, code, expected, thread_end) in cases {
        let mut spool = bank();
        spool.set_end(kind, code, 1, 0x1234);
        let read = read_spool(&spool.bytes(), &tables()).expect("it is a spool");
        assert_eq!(read.run.end, expected);
        assert_eq!(read.run.threads[1].end, thread_end);
        assert_eq!(read.end_address, (kind != end::UNKNOWN).then_some(0x1234));
        assert_eq!(read.run.cut, None);
    }
}

#[test]
fn a_text_that_did_not_fit_is_cut_between_characters() {
    let mut spool = bank();
    spool.condition = "é".repeat(600);
    spool.condition.insert(0, 'x');
    let ProcessEnd::Assertion { condition, .. } = read(&spool).end else { panic!("it is an assertion") };
    assert_eq!(condition, format!("x{}", "é".repeat(511)));
}

#[test]
fn why_recording_ended() {
    for (reason, expected) in
        [(stopped::NO_SPACE, Cut::NoSpace), (stopped::NO_MEMORY, Cut::NoMemory), (stopped::EXEC, Cut::Exec)]
    {
        let mut spool = bank();
        spool.stopped = reason;
        assert_eq!(read(&spool).cut, Some(expected));
    }
    let mut spool = bank();
    spool.stopped = 9;
    assert_eq!(damaged(&read(&spool)), "recording ended for the unknown reason 9");
}

#[test]
fn what_a_death_leaves_unfinished_is_no_damage() {
    let mut spool = bank();
    // Reserved and never begun, two pages long.
    let mut reserved = bits_chunk(2, 0, &[0b11], 2);
    reserved.magic = 0;
    reserved.content.clear();
    spool.chunks.insert(1, reserved);
    // Begun, without its first word.
    spool.chunks.push(bits_chunk(2, 0, &[], 1));
    // A thread that is not born yet.
    spool.chunks.push(records_chunk(3, 0, |_| {}));
    // A record without its tag.
    spool.chunks[3].content.extend([0, 5, 1, 9, 9]);
    // Reserved, and not yet part of the file.
    spool.missing = 1 << 20;
    let run = read(&spool);
    assert_eq!(run, read(&bank()));
    assert_eq!(run.cut, None);
    spool.missing = 1 << 40;
    assert_eq!(damaged(&read(&spool)), "the file was cut at byte 45056");
    spool.stopped = stopped::NO_SPACE;
    assert_eq!(read(&spool).cut, Some(Cut::NoSpace));
}

#[test]
fn streams_go_on_in_the_next_piece() {
    let mut spool = bank();
    let full = vec![u64::MAX; (PAGE - 32) / 8];
    spool.chunks[1] = bits_chunk(0, 0, &full, 1);
    spool.chunks.insert(0, bits_chunk(0, 1, &[0b101], 1));
    spool.chunks.push(records_chunk(0, 1, |records| records.put(Tag::Callee, &[0x40])));
    let run = read(&spool);
    assert_eq!(run.cut, None);
    assert_eq!(run.threads[0].bits.len(), full.len() * 63 + 2);
    assert_eq!(run.threads[0].bits.get(full.len() * 63), Some(false));
    assert_eq!(run.threads[0].callees, ["transfer", "?0x99", "audit"]);
}

#[test]
fn what_no_death_explains_is_damage() {
    type Change = fn(&mut SpoolBytes);
    let cases: [(Change, &str); 18] = [
        (|spool| spool.chunks[1].piece = 1, "piece 0 of the branches of the thread with index 0 is missing"),
        (
            |spool| spool.chunks.push(bits_chunk(0, 0, &[0b11], 1)),
            "piece 0 of the branches of the thread with index 0 is there twice",
        ),
        (
            |spool| spool.chunks.push(bits_chunk(0, 1, &[0b11], 1)),
            "the branches of the thread with index 0 have a hole",
        ),
        (
            |spool| {
                spool.chunks[1].state = state::EMPTIED;
                (0..2).for_each(|_| spool.chunks.push(Chunk { state: state::COPY, ..bits_chunk(0, 0, &[0b11], 1) }));
            },
            "piece 0 of the branches of the thread with index 0 is there twice",
        ),
        (|spool| spool.chunks[1].state = 9, "the chunk at byte 8192 is in the unknown state 9"),
        (|spool| spool.chunks[2].state = state::EMPTIED, "the chunk at byte 12288 is in the unknown state 2"),
        (|spool| spool.chunks[1].kind = 9, "the chunk at byte 8192 is of the unknown kind 9"),
        (|spool| spool.chunks[1].magic = 9, "the data at byte 8192 is not a chunk: the rest was not read"),
        (|spool| spool.chunks[1].bytes = Some(0), "the data at byte 8192 is not a chunk"),
        (|spool| spool.chunks[1].bytes = Some(u64::MAX), "the data at byte 8192 is not a chunk"),
        (|spool| spool.chunks[1].bytes = Some(1 << 40), "the chunk at byte 8192 is cut short"),
        (|spool| spool.chunks[2].content[0] = 77, "there is no record that can be read at byte 0 of piece 0"),
        (
            |spool| spool.chunks[2] = records_chunk(0, 0, |records| records.birth(1, 0, 0)),
            "the first thread seems to have been created by another",
        ),
        (
            |spool| spool.chunks[4] = records_chunk(1, 0, |records| records.birth(2, 1, 0x20)),
            "the thread that created the one with index 1 is missing",
        ),
        (
            |spool| spool.chunks[4] = records_chunk(1, 0, |records| records.birth(0, 0, 0x20)),
            "the thread with index 1 is child number 0 of its creator",
        ),
        (|spool| spool.chunks.truncate(4), "the birth of the thread with index 1 is missing"),
        (
            |spool| spool.chunks.push(records_chunk(4, 0, |records| records.birth(0, 1, 0x20))),
            "two threads are named 0.1",
        ),
        (|spool| drop(spool.chunks.remove(0)), "the addresses of functions are missing, so that calls cannot be named"),
    ];
    for (change, expected) in cases {
        let mut spool = bank();
        change(&mut spool);
        let run = read(&spool);
        assert!(damaged(&run).contains(expected), "{} and not {expected}", damaged(&run));
    }
}

#[test]
fn records_that_say_what_nobody_says_end_their_stream() {
    let bad: [(Tag, &[u64]); 8] = [
        (Tag::Birth, &[0, 0, 0]),
        (Tag::Input, &[9, 0, 0]),
        (Tag::Input, &[0, 0, 1 << 60]),
        (Tag::Input, &[0, 0, 1, 1 << 40]),
        (Tag::Unknown, &[9, 0]),
        (Tag::End, &[9]),
        (Tag::Note, &[note::HANDLER, 1 << 40]),
        (Tag::Sequence, &[u64::MAX]),
    ];
    for (tag, numbers) in bad {
        let mut spool = bank();
        spool.chunks[2] = records_chunk(0, 0, |records| {
            records.birth(0, 0, 0x10);
            records.put(Tag::Sequence, &[1]);
            records.put(Tag::Note, &[note::HANDLER_LEFT, 14]);
            records.put(tag, numbers);
            records.put(Tag::End, &[ended::EXITED]);
        });
        let run = read(&spool);
        assert!(damaged(&run).contains("there is no record that can be read at byte"), "{tag:?}");
        assert_eq!(run.threads[0].notes, [Note::HandlerLeft { signal: 14 }]);
        assert_eq!(run.threads[0].order, [1]);
    }
}

#[test]
fn what_is_no_spool_of_this_program_is_refused() {
    let refused = |bytes: &[u8]| read_spool(bytes, &tables()).unwrap_err();
    assert_eq!(refused(b""), SpoolError::NotBegun);
    assert_eq!(refused(&[0; 3 * PAGE]), SpoolError::NotBegun);
    assert_eq!(refused(b"heddle\0s"), SpoolError::Short { bytes: 8 });
    assert_eq!(refused(&bank().bytes()[..2000]), SpoolError::Short { bytes: 2000 });
    assert_eq!(
        refused(b"\x7fELF").to_string(),
        "this is not what a recorded program writes: it is a program, an object file or a library (ELF)"
    );
    let mut later = bank();
    later.version = wire::VERSION + 1;
    assert_eq!(refused(&later.bytes()), SpoolError::Version { found: wire::VERSION + 1 });
    let mut other = bank();
    other.identity[0] = 0xff;
    assert_eq!(
        refused(&other.bytes()).to_string(),
        "this record belongs to module ff0102030405060708090a0b0c0d0e0f, and the program is module \
         000102030405060708090a0b0c0d0e0f: give the program that was recorded, as it was then"
    );
}

/// The number of words of a chunk of two pages.
const WORDS: usize = (2 * PAGE - 32) / 8;

/// The words of a full piece of the first thread, all distinct.
fn full_words(piece: u32) -> Vec<u64> {
    (0..WORDS as u64).map(|at| 1 << 63 | u64::from(piece) << 32 | at).collect()
}

/// The first thread has handed over one chunk of two pages and filled it again. The original comes first in the file.
fn handed_over() -> SpoolBytes {
    let mut spool = bank();
    spool.chunks[1] = bits_chunk(0, 1, &full_words(1), 2);
    spool.chunks.push(Chunk { state: state::COPY, ..bits_chunk(0, 0, &full_words(0), 2) });
    spool
}

/// The possible states of the file after a death during the hand-over of piece 1.
fn hand_over_states() -> Vec<SpoolBytes> {
    let mut states = vec![handed_over()];
    let full = full_words(1);
    let copy = |words: &[u64]| Chunk { state: state::COPY, ..bits_chunk(0, 1, words, 2) };
    // Reserved; begun, and the kernel stops between any two words; complete.
    let mut copies = vec![Chunk { magic: 0, kind: 0, piece: 0, state: 0, ..copy(&[]) }];
    copies.extend((0..=WORDS).step_by(73).chain([WORDS - 1, WORDS]).map(|written| copy(&full[..written])));
    for chunk in copies {
        let mut spool = handed_over();
        spool.chunks.push(chunk);
        states.push(spool);
    }
    // Marked; emptied up to any word, in whichever direction; begun; renumbered; an original again.
    let mut after = |piece: u32, state: u64, words: &[u64]| {
        let mut spool = handed_over();
        spool.chunks[1] = Chunk { state, ..bits_chunk(0, piece, words, 2) };
        spool.chunks.push(copy(&full));
        states.push(spool);
    };
    for zeros in (0..=WORDS).step_by(73).chain([WORDS - 1, WORDS]) {
        let mut words = full.clone();
        words[..zeros].fill(0);
        after(1, state::EMPTIED, &words);
        after(1, state::EMPTIED, &full[..WORDS - zeros]);
    }
    after(1, state::EMPTIED, &[1]);
    after(2, state::EMPTIED, &[1]);
    after(2, state::ORIGINAL, &[1]);
    states
}

#[test]
fn a_death_within_a_hand_over_loses_nothing_and_doubles_nothing() {
    let expected = read(&handed_over());
    assert_eq!(expected.cut, None);
    assert_eq!(expected.threads[0].bits.len(), 2 * 63 * WORDS);
    let words = full_words(0).into_iter().chain(full_words(1));
    let bits: Bits = words.flat_map(|word| (0..63).rev().map(move |bit| word >> bit & 1 == 1)).collect();
    assert!(expected.threads[0].bits == bits);
    for (at, spool) in hand_over_states().iter().enumerate() {
        assert!(read(spool) == expected, "state {at}");
        // The same without space for the whole copy.
        let mut stopped = spool.clone();
        stopped.stopped = stopped::NO_SPACE;
        assert!(read(&stopped) == RecordedRun { cut: Some(Cut::NoSpace), ..expected.clone() }, "state {at}");
    }
    let mut next = hand_over_states().pop().expect("there are states");
    next.chunks[1].content = 0b101_u64.to_le_bytes().to_vec();
    assert_eq!(read(&next).threads[0].bits.len(), 2 * 63 * WORDS + 2);
}

#[test]
fn copies_that_are_cut_give_a_prefix() {
    let mut spool = hand_over_states().pop().expect("there are states");
    spool.chunks[1].content = 0b101_u64.to_le_bytes().to_vec();
    let whole = read(&spool);
    let bytes = spool.bytes();
    for length in (bytes.len() - 4 * PAGE..bytes.len()).step_by(7) {
        let part = read_spool(&bytes[..length], &tables()).expect("it is a spool").run;
        assert!(is_prefix(&part.threads[0], &whole.threads[0]), "{length}");
        damaged(&part);
    }
}

fn is_prefix(part: &ThreadRecord, whole: &ThreadRecord) -> bool {
    let names = part.callees.iter().zip(&whole.callees).all(|(part, whole)| part == whole || part.starts_with('?'));
    part.name == whole.name
        && part.bits.iter().eq(whole.bits.iter().take(part.bits.len()))
        && names
        && part.callees.len() <= whole.callees.len()
        && whole.inputs.starts_with(&part.inputs)
        && whole.notes.starts_with(&part.notes)
        && whole.order.starts_with(&part.order)
}

#[test]
fn every_truncation_gives_a_prefix() {
    let whole = read(&bank());
    let bytes = bank().bytes();
    for length in 0..bytes.len() {
        match read_spool(&bytes[..length], &tables()) {
            Err(error) => assert!(length < size_of::<wire::Header>(), "{length}: {error}"),
            Ok(spool) => {
                // A chunk that ends at a page boundary may have been the last one.
                let noticed = matches!(spool.run.cut, Some(Cut::Damaged(_)));
                assert!(noticed || length.is_multiple_of(PAGE), "{length}");
                assert!(spool.run.threads.len() <= whole.threads.len());
                let mut pairs = spool.run.threads.iter().zip(&whole.threads);
                assert!(pairs.all(|(part, whole)| is_prefix(part, whole)), "{length}:\n{}", spool.run);
            }
        }
    }
}

#[test]
fn a_death_after_any_store_gives_a_prefix_and_no_damage() {
    let whole = read(&bank());
    let mut known = 0;
    for state in stores_of_main() {
        let mut spool = bank();
        spool.set_end(end::UNKNOWN, 0, 0, 0);
        // The other threads are born later.
        spool.chunks.truncate(3);
        spool.chunks[1].content.clear();
        spool.chunks[2].content = state;
        let run = read(&spool);
        assert_eq!(run.cut, None);
        if let [main] = run.threads.as_slice() {
            assert!(is_prefix(main, &whole.threads[0]));
            let records = main.callees.len() + main.inputs.len() + main.notes.len() + main.order.len();
            assert!(records >= known, "nothing is forgotten");
            known = records;
        }
    }
    assert_eq!(known, 8);
}

#[test]
fn every_damaged_byte_is_survived() {
    let bytes = bank().bytes();
    for at in 0..bytes.len() {
        for change in [0x01, 0x80, 0xff] {
            let mut bytes = bytes.clone();
            bytes[at] ^= change;
            if let Ok(spool) = read_spool(&bytes, &tables()) {
                let text = spool.run.to_string();
                assert_eq!(run::parse_recorded_run(&text).as_ref(), Ok(&spool.run), "byte {at}");
            }
        }
    }
}

#[test]
fn inputs_keep_their_buffers() {
    let run = read(&bank());
    let expected =
        Input { name: "read".to_owned(), result: 3, buffers: vec![b"abc".to_vec(), vec![]], unknown_at: None };
    assert_eq!(run.threads[0].inputs[0], expected);
    assert_eq!(run.threads[0].inputs[1].unknown_at, Some(Place { file: "bank.c".to_owned(), line: 58 }));
    assert_eq!(run.threads[0].bits, bits("1101001"));
}

proptest! {
    #[test]
    fn no_bytes_panic(junk in vec(any::<u8>(), 0..300), changes in vec((any::<u16>(), any::<u8>()), 0..20)) {
        let _ = read_spool(&junk, &tables());
        let mut bytes = bank().bytes();
        for (at, byte) in changes {
            let at = usize::from(at) % bytes.len();
            bytes[at] = byte;
        }
        if let Ok(spool) = read_spool(&bytes, &tables()) {
            prop_assert!(run::parse_recorded_run(&spool.run.to_string()) == Ok(spool.run));
        }
    }

    #[test]
    fn junk_in_any_chunk_is_survived(junk in vec(any::<u8>(), 0..400), which in 0_usize..6) {
        let mut spool = bank();
        spool.chunks[which].content = junk;
        let _ = read(&spool);
        let kind = [chunk::BITS, chunk::RECORDS, chunk::FUNCTIONS][which % 3];
        let content = std::mem::take(&mut spool.chunks[which].content);
        spool.chunks.push(Chunk { kind, piece: 1, content, ..spool.chunks[which].clone() });
        let _ = read(&spool);
    }
}
