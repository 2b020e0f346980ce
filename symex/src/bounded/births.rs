//! Thread creation. A created thread is walked after its creators.
//!
//! Several paths of a creator may reach the same create operation: they create one thread. Its guards may use what the
//! creator knew before other threads existed, but no symbol that the creator read later: the creator's later actions
//! reach the thread through events only. So a function or an argument that depends on such reads, or differs between
//! paths, is passed through memory.

use events::Kind;
use ir::{Code, FunctionId, Type};
use run::ThreadName;
use semantics::address;
use semantics::execute::{NOTHING, Thread};
use semantics::messages;
use vm::FailureKind;

use crate::bounded::objects::{Maker, ObjectId, handle};
use crate::bounded::place::Place;
use crate::bounded::prefer::Track;
use crate::bounded::state::{Rest, State};
use crate::bounded::sync::{Performed, plain};
use crate::bounded::unroll::first;
use crate::bounded::value::Value;
use crate::bounded::walk::{Role, Walk};
use crate::bounded::world::{Walker, blank};

/// The operands of a creation: the function and its argument.
type Given = [Value; 2];
/// The size of each of them.
const BYTES: u32 = 8;

/// A thread that is yet to be walked.
pub struct Birth {
    number: usize,
    start: FunctionId,
    given: Given,
    /// Whether the operands are passed through memory.
    mailed: bool,
    creator: Rest,
    /// The recorded runs that have this thread.
    tracks: Vec<Track>,
}

impl Birth {
    /// Another path of the creator reaches the same create operation.
    fn join(&mut self, walk: &mut Walk<'_>, creator: &Rest, tracks: Vec<Track>) {
        let terms = walk.builder.terms();
        let condition = self.creator.guard.beyond(terms, &creator.guard);
        self.creator.memory.join(terms, &walk.known.objects, condition, &creator.memory);
        self.creator.guard = self.creator.guard.either(terms, &creator.guard);
        self.tracks.extend(tracks);
        self.tracks.sort_unstable_by_key(|track| track.run);
        self.tracks.dedup_by_key(|track| track.run);
    }
}

impl Walk<'_> {
    /// The object from which a thread reads operands that are passed through memory.
    fn letter(&mut self, number: usize) -> ObjectId {
        let bytes = u64::from(BYTES) * 2;
        let id = self.known.objects.make(Maker::Argument(number), || blank(bytes, false, None));
        self.found.force(id.into(), 0, bytes);
        id
    }
}

impl Walker<'_, '_> {
    pub fn create(&mut self, args: &[Value]) -> Performed {
        let start = self.one(args[1], "a start function")?;
        let Some(start) = address::function_at(start).map(FunctionId) else {
            return Err(self.fail(FailureKind::Memory, messages::THREAD_OF_NO_FUNCTION));
        };
        self.walk.go_live(self.rest);
        let key = self.rest.place.key(self.walk.code, self.walk.shapes);
        let number = self.walk.known.threads.number(self.rest.thread, &key);
        self.rest.children += 1;
        let tracks = self.child_tracks();
        if number > self.walk.bounds.threads {
            return Err(self.give_up(format!("more than {} threads", self.walk.bounds.threads)));
        }
        let given = [args[2], args[3]];
        let mailed = self.walk.known.mailed.contains(&number) || given.iter().any(|&value| self.was_read(value));
        if mailed {
            let letter = self.walk.letter(number);
            for (value, at) in given.into_iter().zip(self.inside(letter)) {
                self.write(plain(BYTES as u8), at, value, Role::Part)?;
            }
        }
        if !self.walk.threads.contains_key(&number) {
            let name = self.child_name(number);
            self.walk.known.threads.call(number, &name);
            self.walk.add_thread(number, name);
        }
        if self.walk.born.insert(number) {
            let birth = Birth { number, start, given, mailed, creator: self.rest.clone(), tracks };
            self.walk.births.push_back(birth);
        } else if let Some(at) = self.walk.births.iter().position(|birth| birth.number == number) {
            let mut birth = self.walk.births.remove(at).expect("the place was found just now");
            let alike = birth.mailed == mailed && (mailed || birth.given == given);
            if !alike && self.walk.known.mailed.insert(number) {
                self.walk.known.news += 1;
            }
            let same_start = birth.start == start;
            birth.join(self.walk, self.rest, tracks);
            self.walk.births.insert(at, birth);
            if !same_start {
                return Err(self.give_up("a thread with several possible start functions"));
            }
        }
        let child = self.walk.threads[&number];
        // The handle is written before the fork: no other thread can see it earlier.
        let handle = Value::word(64, u128::from(handle(number)));
        self.write(plain(8), args[0], handle, Role::Part)?;
        self.walk.event(self.rest, Role::Step, Kind::Fork { child });
        Ok(Some(Value::word(32, Code::Ok as u128)))
    }

    /// Whether the value depends on shared reads, not only on inputs.
    fn was_read(&self, value: Value) -> bool {
        let Value::Term(term) = value else { return false };
        let graph = self.walk.builder.graph();
        graph.terms.free_symbols(term).iter().any(|symbol| !graph.inputs.contains(symbol))
    }

    /// The addresses of the function and of its argument.
    fn inside(&self, letter: ObjectId) -> [Value; 2] {
        let base = self.walk.known.objects.get(letter).base;
        [0, 1].map(|index| Value::word(64, u128::from(base + index * u64::from(BYTES))))
    }

    /// Threads are named by their number here. The machine's name depends on the order of creations, which is known on
    /// a recorded path only.
    fn child_name(&self, number: usize) -> ThreadName {
        match self.walk.guide.is_some() || self.walk.run.is_some() {
            true => self.walk.name(self.rest.thread).child(self.rest.children),
            false => ThreadName::main().child(number as u32),
        }
    }
}

/// Walks a thread that another one created.
pub fn walk(walk: &mut Walk<'_>, birth: Birth) {
    let Birth { number, start, mut given, mailed, creator, tracks } = birth;
    if !walk.code.function(start).defined {
        return;
    }
    let mut rest = first(Place::default());
    rest.thread = number;
    rest.memory = creator.memory.found_by_created();
    rest.live = true;
    rest.tracks = tracks;
    if mailed {
        let letter = walk.letter(number);
        let mut walker = Walker { walk, rest: &mut rest };
        for (value, at) in given.iter_mut().zip(walker.inside(letter)) {
            if let Ok(found) = walker.read(plain(BYTES as u8), at) {
                *value = found;
            }
        }
    }
    let mut thread = Thread::default();
    let given = given.map(|value| (value, Type::Ptr));
    let takes = walk.code.function(start).params.len().min(given.len());
    thread.call(walk.code, start, &given[..takes], NOTHING, Value::word(64, 0));
    rest.place = Place::of(walk.code, walk.shapes, &thread);
    walk.walk(State { thread, rest });
}
