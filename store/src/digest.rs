//! The digest of a run, 128 bits, which defines equality of runs.
//!
//! It covers the module, each thread's name, start function, decisions, inputs, notes and end, and the end of the
//! process. It omits properties that differ between equal executions: the order in which threads registered, the order
//! of shared operations if that was recorded, and process ids.

use std::hash::Hasher;

use run::{ARGUMENTS, Bits, Input, Note, RecordedRun, STDIN, ThreadRecord};
use siphasher::sip128::{Hasher128, SipHasher24};

/// Equal runs have equal digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RunDigest(pub(crate) [u8; 16]);

/// Runs with the same arguments and the same stdin, where those are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InputGroup(pub(crate) [u8; 16]);

/// Where counts come from: a database, or a run file that was imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Origin(pub [u8; 16]);

impl RunDigest {
    pub fn of(run: &RecordedRun) -> RunDigest {
        let mut sink = Sink(SipHasher24::new());
        sink.text(&run.module);
        let mut threads: Vec<&ThreadRecord> = run.threads.iter().collect();
        threads.sort_by(|a, b| a.name.cmp(&b.name));
        sink.number(threads.len() as u64);
        threads.into_iter().for_each(|thread| sink.thread(thread));
        sink.text(&run.end.to_string());
        sink.text(&run.cut.as_ref().map_or(String::new(), ToString::to_string));
        RunDigest(sink.finish())
    }
}

impl InputGroup {
    pub fn of(run: &RecordedRun) -> InputGroup {
        let mut sink = Sink(SipHasher24::new());
        for name in [ARGUMENTS, STDIN] {
            let given = run.threads.iter().flat_map(|thread| &thread.inputs).filter(|input| input.name == name);
            given.for_each(|input| sink.input(input));
        }
        InputGroup(sink.finish())
    }
}

impl Origin {
    /// A file is known by its name without folders, and by its contents.
    pub fn of_file(name: &str, bytes: &[u8]) -> Origin {
        let mut sink = Sink(SipHasher24::new());
        sink.text(name);
        sink.bytes(bytes);
        Origin(sink.finish())
    }
}

/// Every part is hashed with its length, so that parts cannot run into each other.
struct Sink(SipHasher24);

impl Sink {
    fn number(&mut self, number: u64) {
        self.0.write(&number.to_le_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.write(bytes);
    }

    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn bits(&mut self, bits: &Bits) {
        self.number(bits.len() as u64);
        let mut word = 0_u64;
        for (position, bit) in bits.iter().enumerate() {
            word = word << 1 | u64::from(bit);
            if position % 64 == 63 {
                self.number(word);
                word = 0;
            }
        }
        self.number(word);
    }

    fn input(&mut self, input: &Input) {
        self.text(&input.name);
        self.number(input.result as u64);
        self.number(input.buffers.len() as u64);
        input.buffers.iter().for_each(|buffer| self.bytes(buffer));
        self.text(&input.unknown_at.as_ref().map_or(String::new(), ToString::to_string));
    }

    fn thread(&mut self, thread: &ThreadRecord) {
        self.text(&thread.name.to_string());
        self.text(&thread.start);
        self.bits(&thread.bits);
        self.number(thread.callees.len() as u64);
        thread.callees.iter().for_each(|callee| self.text(callee));
        self.number(thread.inputs.len() as u64);
        thread.inputs.iter().for_each(|input| self.input(input));
        self.number(thread.notes.len() as u64);
        for note in &thread.notes {
            let (kind, number) = match *note {
                Note::Fork { .. } => (0, 0),
                Note::Handler { signal } => (1, signal),
                Note::HandlerLeft { signal } => (2, signal),
                Note::Library => (3, 0),
                Note::Exec => (4, 0),
            };
            self.number(kind << 32 | u64::from(number));
        }
        self.number(thread.end as u64);
    }

    fn finish(self) -> [u8; 16] {
        self.0.finish128().as_u128().to_be_bytes()
    }
}
