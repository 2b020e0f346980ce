//! States as 128-bit fingerprints.
//!
//! A fingerprint covers the positions of threads, their live registers, reachable memory, and the state of locks. Heap
//! blocks and locals are named in the order of a traversal from the globals and the threads, so that neither the order
//! of allocations nor garbage distinguishes states. A word that looks like an address counts as one; programs that
//! compare addresses of different objects may behave differently in states with equal fingerprints.
//!
//! Output is not included unless requested, since it does not influence later steps.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

use semantics::address;
use semantics::code::Code;
use semantics::concrete::Word;
use semantics::primitives::Kind;
use siphasher::sip128::{Hasher128, SipHasher13};

use crate::machine::Machine;
use crate::memory::{ObjectId, ObjectKind, State};
use crate::readiness::{self, Readiness};
use crate::sync::Sync;
use crate::world::{Claim, Pending, Phase, Shared};

pub type StateId = u128;

pub struct Fingerprinter {
    code: Rc<Code>,
    /// For each function and position: the registers that are live there.
    live: Vec<Option<Vec<Box<[u32]>>>>,
    /// Whether output distinguishes states.
    printed: bool,
}

impl Fingerprinter {
    pub fn new(code: Rc<Code>, printed: bool) -> Fingerprinter {
        let live = vec![None; code.functions.len()];
        Fingerprinter { code, live, printed }
    }

    /// Ignores registers of a function that do not affect its behaviour.
    pub fn forget(&mut self, function: ir::FunctionId, registers: &std::collections::HashSet<u32>) {
        let Some(known) = self.live.get_mut(function.index()).filter(|_| !registers.is_empty()) else { return };
        let live = semantics::liveness::live_before(&self.code.program.functions[function.index()]);
        let kept = |set: Box<[u32]>| set.iter().copied().filter(|register| !registers.contains(register)).collect();
        *known = Some(live.into_iter().map(kept).collect());
    }

    /// `context` is the search's own state of the past: the last thread.
    pub fn fingerprint(&mut self, machine: &Machine, context: Option<Option<usize>>) -> StateId {
        let mut walk = Walk { machine, hasher: SipHasher13::new(), names: HashMap::new(), queue: Vec::new() };
        if let Some(last) = context {
            walk.number(last.map_or(u64::MAX, |last| last as u64));
        }
        for (id, object) in machine.shared.memory.objects() {
            if matches!(object.kind, ObjectKind::Global(_)) && !object.constant {
                walk.contents(id);
            }
        }
        for thread in 0..machine.thread_count() {
            self.thread(&mut walk, thread);
        }
        walk.reachable();
        walk.syncs();
        if self.code.reads_clock {
            walk.number(machine.shared.time.clock as u64);
        }
        machine.shared.files.add_to(&mut walk.hasher);
        if self.printed {
            machine.shared.files.output.hash(&mut walk.hasher);
        }
        walk.hasher.finish128().as_u128()
    }

    fn thread(&mut self, walk: &mut Walk<'_>, thread: usize) {
        let machine = walk.machine;
        let status = &machine.shared.status[thread];
        // The awaited change of an idle loop follows from its position and the contents of memory, except whether it
        // has happened already.
        let spins = matches!(status.pending, Some(Pending::Spin { .. }));
        let wakes = spins && machine.readiness(thread) != Readiness::Blocked;
        let starts = matches!(status.pending, Some(Pending::Start));
        let (detached, joined) = (status.claim == Some(Claim::Detached), status.claim == Some(Claim::Joined));
        let flags = [status.interrupted, status.finished, status.crashed, detached, joined, spins, wakes, starts];
        walk.number(flags.iter().fold(0, |bits, &flag| bits << 1 | u64::from(flag)));
        for header in status.idle.disturbed(machine.shared.changes) {
            walk.number(u64::from(header));
        }
        walk.number(match status.phase {
            Phase::Whole => 0,
            Phase::Sleeping => 1,
            // Its word counts from the beginning of the program; only whether the thread can continue matters.
            Phase::Kept { .. } if waits(&machine.shared, thread) => 2,
            Phase::Kept { .. } => 3,
            Phase::Woken(code) => 4 + code as u64,
            Phase::Dozing => u64::MAX,
        });
        walk.number(u64::from(status.atomic_depth) << 32 | u64::from(status.own.children));
        if status.own.levels != 0 {
            walk.number(u64::from(status.own.levels));
        }
        if status.phase == Phase::Dozing && self.code.reads_clock {
            walk.number(status.own.wakes_at as u64);
        }
        walk.word(status.result);
        for (global, at) in status.thread_locals() {
            walk.number(u64::from(global.0));
            walk.word(at);
        }
        let calls = machine.thread(thread);
        walk.number(calls.frames.len() as u64);
        for (index, frame) in calls.frames.iter().enumerate() {
            walk.number(u64::from(frame.function.0) << 32 | u64::from(frame.position));
            let registers = calls.registers_of(index);
            let code = &self.code;
            let live = self.live[frame.function.index()].get_or_insert_with(|| {
                semantics::liveness::live_before(&code.program.functions[frame.function.index()])
            });
            let waits_for: &[u32] = match calls.frames.get(index + 1) {
                Some(callee) => callee.results_in(code.function(frame.function)),
                None => &[],
            };
            for &register in live.get(frame.position as usize).map_or(&[][..], |live| live) {
                if !waits_for.contains(&register) {
                    walk.wide(registers[register as usize]);
                }
            }
            for (_, value) in frame.variadic() {
                walk.wide(*value);
            }
        }
    }
}

/// Whether the second step of a thread's operation has to wait, apart from atomic sections of other threads.
fn waits(world: &Shared, thread: usize) -> bool {
    match &world.status[thread].pending {
        Some(Pending::Primitive { primitive, args }) => {
            readiness::of(world, thread, *primitive, args, false) == Readiness::Blocked
        }
        _ => false,
    }
}

struct Walk<'m> {
    machine: &'m Machine,
    hasher: SipHasher13,
    names: HashMap<ObjectId, u64>,
    queue: Vec<ObjectId>,
}

impl Walk<'_> {
    fn number(&mut self, value: u64) {
        self.hasher.write_u64(value);
    }

    fn wide(&mut self, value: Word) {
        self.word(value as u64);
        if value >> 64 != 0 {
            self.number((value >> 64) as u64);
        }
    }

    /// A word that may be an address: objects outside the static region go by the name that the walk gives them.
    fn word(&mut self, word: u64) {
        let tag = word >> address::ADDRESS_BITS;
        let at = word & ((1 << address::ADDRESS_BITS) - 1);
        let dynamic = address::slot_of(at).is_some_and(|(region, _)| region != address::STATIC_REGION);
        let found = if dynamic { self.machine.shared.memory.resolve(at) } else { None };
        match found {
            None => self.number(word),
            Some((id, offset)) => {
                let next = self.names.len() as u64;
                let name = *self.names.entry(id).or_insert_with(|| {
                    self.queue.push(id);
                    next
                });
                self.number(1 << 63 | tag << 48 | name << 24 | (offset & 0xff_ffff));
            }
        }
    }

    fn contents(&mut self, id: ObjectId) {
        let object = self.machine.shared.memory.object(id);
        self.number(object.size << 2 | u64::from(object.state == State::Live) << 1 | u64::from(object.owner.is_some()));
        let mut chunks = object.bytes.chunks_exact(8);
        for chunk in &mut chunks {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(chunk);
            self.word(u64::from_le_bytes(bytes));
        }
        self.hasher.write(chunks.remainder());
    }

    fn reachable(&mut self) {
        let mut next = 0;
        while next < self.queue.len() {
            self.contents(self.queue[next]);
            next += 1;
        }
    }

    /// Locks by the names of their locations; unreachable ones are ignored.
    fn syncs(&mut self) {
        let mut known: Vec<(u64, u64, &Sync)> = Vec::new();
        for (at, sync) in self.machine.shared.syncs.iter() {
            let Some((id, offset)) = self.machine.shared.memory.resolve(at) else { continue };
            match self.machine.shared.memory.object(id).kind {
                ObjectKind::Global(_) => known.push((0, at, sync)),
                _ => {
                    if let Some(&name) = self.names.get(&id) {
                        known.push((1 + name, offset, sync));
                    }
                }
            }
        }
        known.sort_unstable_by_key(|&(name, offset, _)| (name, offset));
        for (name, offset, sync) in known {
            self.sync(name, offset, sync);
        }
    }

    fn sync(&mut self, name: u64, offset: u64, sync: &Sync) {
        // A mutex or a condition at rest is as if it had never been used.
        let rests = sync.word == 0 && !sync.destroyed && matches!(sync.kind, Kind::Mutex | Kind::Condition);
        if rests {
            return;
        }
        let kind = (sync.kind as u64) << 1 | u64::from(sync.destroyed);
        let mut words: Vec<u64> = Vec::new();
        if !sync.destroyed {
            words.extend(sync.holders.as_slice().iter().chain(&sync.sleepers).map(|&thread| u64::from(thread)));
            words.sort_unstable();
            let parameter = if sync.kind == Kind::Mutex { 0 } else { sync.parameter };
            words.push(u64::from(parameter) << 32 | u64::from(sync.normal_word()));
        }
        self.number(kind);
        self.number(name);
        self.number(offset);
        self.number(words.len() as u64);
        for word in words {
            self.number(word);
        }
    }
}
