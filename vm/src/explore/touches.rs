//! The accesses of a step, and the dependence relation of steps.
//!
//! The relation is conservative: two steps that it calls independent lead to the same state in both orders, and neither
//! enables, disables or changes the other.

use ir::Primitive;
use semantics::primitives::operation;

use crate::idle::Awaits;
use crate::machine::Machine;
use crate::world::{Pending, Phase};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Bytes from the first to before the second address.
    Memory(u64, u64),
    /// A lock or its like.
    Sync(u64),
    /// A thread's end.
    Thread(u64),
    /// The order of births.
    Births,
    Clock,
    Files,
    Anything,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Read,
    Write,
    /// Commutes with its like: posting a semaphore, locking for reading, moving the clock to a deadline.
    Share,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touches(Vec<(Place, Mode)>);

impl Touches {
    /// The accesses of a thread's pending step.
    pub fn of(machine: &Machine, thread: usize) -> Touches {
        let mut touches = Touches::default();
        if machine.shared.turn.inside == Some(thread) {
            // It belongs to the step that entered the atomic section, which counts as accessing everything: no step
            // comes between.
            return touches;
        }
        if machine.shared.status[thread].atomic_depth > 0 {
            // It waits inside a section, whose remaining accesses are unknown.
            touches.add(Place::Anything, Mode::Write);
        }
        match &machine.shared.status[thread].pending {
            None | Some(Pending::Start) => {}
            Some(Pending::Memory { object, offset, size, writes, .. }) => {
                // Beyond the end it fails, in another way if the object was freed: that is represented by its last
                // byte.
                let object = machine.shared.memory.object(*object);
                let from = (*offset).min(object.size.saturating_sub(1));
                let size = offset.saturating_add(*size) - from;
                touches.memory(object.base + from, size, if *writes { Mode::Write } else { Mode::Read });
            }
            Some(Pending::Leave { calls }) => touches.ended_calls(machine, thread, *calls),
            Some(Pending::Finish) => {
                touches.add(Place::Thread(thread as u64), Mode::Write);
                touches.ended_calls(machine, thread, 0);
            }
            Some(Pending::Spin { awaits: Awaits::Values(values), .. }) => {
                for &(at, size, _) in values.iter() {
                    touches.memory(at, u64::from(size), Mode::Read);
                }
            }
            Some(Pending::Spin { awaits: Awaits::ChangeAfter(_), .. }) => touches.add(Place::Anything, Mode::Read),
            Some(Pending::Primitive { primitive, args }) => touches.primitive(machine, thread, *primitive, args),
        }
        touches
    }

    fn add(&mut self, place: Place, mode: Mode) {
        self.0.push((place, mode));
    }

    fn memory(&mut self, from: u64, size: u64, mode: Mode) {
        self.add(Place::Memory(from, from.saturating_add(size)), mode);
    }

    /// The objects of calls beyond the first `calls`.
    fn ended_calls(&mut self, machine: &Machine, thread: usize, calls: usize) {
        let memory = &machine.shared.memory;
        for &at in machine.thread(thread).objects_beyond(calls) {
            if let Some((id, _)) = memory.resolve(at as u64)
                && memory.object(id).owner.is_none()
            {
                self.memory(memory.object(id).base, memory.object(id).size.max(1), Mode::Write);
            }
        }
    }

    fn primitive(&mut self, machine: &Machine, thread: usize, primitive: Primitive, args: &[u64; 4]) {
        match primitive {
            // It may wake the thread from any wait.
            Primitive::ThreadInterrupt => self.add(Place::Anything, Mode::Write),
            Primitive::CondWait | Primitive::CondTimedWait | Primitive::MonitorWait => {
                self.add(Place::Sync(args[0]), Mode::Write);
                self.add(Place::Sync(args[1]), Mode::Write);
            }
            Primitive::ThreadCreate => {
                self.add(Place::Births, Mode::Write);
                self.memory(args[0], 8, Mode::Write);
            }
            Primitive::ThreadJoin | Primitive::ThreadTryJoin | Primitive::ThreadTimedJoin | Primitive::ThreadDetach => {
                let target = machine.shared.thread_of(args[0]).map_or(u64::MAX, |target| target as u64);
                self.add(Place::Thread(target), Mode::Write);
                if primitive != Primitive::ThreadDetach && args[1] != 0 {
                    self.memory(args[1], 8, Mode::Write);
                }
            }
            Primitive::InputClock => self.add(Place::Clock, Mode::Write),
            Primitive::ClockPass => self.add(Place::Clock, Mode::Share),
            Primitive::ThreadSleep if machine.code.reads_clock => {
                let ends = machine.shared.status[thread].phase == Phase::Dozing;
                self.add(Place::Clock, if ends { Mode::Share } else { Mode::Read });
            }
            Primitive::ThreadYield
            | Primitive::ThreadSleep
            | Primitive::InputChoose
            | Primitive::OrderTicket
            | Primitive::RecordValue
            | Primitive::RecordBit => {}
            Primitive::FileOpen
            | Primitive::FileClose
            | Primitive::FileRead
            | Primitive::FileWrite
            | Primitive::FileSeek
            | Primitive::FileRemove => {
                self.add(Place::Files, Mode::Write);
                // A name ends somewhere before its object does.
                if matches!(primitive, Primitive::FileOpen | Primitive::FileRemove)
                    && let Some((id, offset)) = machine.shared.memory.resolve(args[0])
                {
                    self.memory(args[0], machine.shared.memory.object(id).size.saturating_sub(offset), Mode::Read);
                }
                if matches!(primitive, Primitive::FileRead | Primitive::FileWrite) {
                    let mode = if primitive == Primitive::FileRead { Mode::Write } else { Mode::Read };
                    self.memory(args[1], args[2], mode);
                }
            }
            // The accesses of an atomic section are unknown in advance, and the end of the process affects all threads.
            Primitive::AtomicBegin | Primitive::ProcessExit => self.add(Place::Anything, Mode::Write),
            _ => {
                let word = || machine.shared.syncs.get(args[0]).map_or(0, |sync| sync.word);
                let commutes = operation(primitive).is_some_and(|(kind, _)| kind.commutes(primitive, word));
                self.add(Place::Sync(args[0]), if commutes { Mode::Share } else { Mode::Write });
            }
        }
    }

    /// Whether it has no accesses that another thread could observe.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The bytes that it uses and whether it changes them, a lock among them; `None` where they are not known before the step.
    pub fn bytes(&self) -> Option<Vec<(u64, u64, bool)>> {
        let mut bytes = Vec::new();
        for &(place, mode) in &self.0 {
            match place {
                Place::Memory(from, to) => bytes.push((from, to, mode != Mode::Read)),
                Place::Sync(at) => bytes.push((at, at.saturating_add(1), true)),
                Place::Thread(_) | Place::Births | Place::Clock | Place::Files => {}
                Place::Anything => return None,
            }
        }
        Some(bytes)
    }

    /// Whether it touches memory at most, and no lock in it.
    pub fn is_memory(&self) -> bool {
        self.0.iter().all(|(place, _)| matches!(place, Place::Memory(..)))
    }

    pub fn conflicts(&self, other: &Touches) -> bool {
        self.0.iter().any(|&(place, mode)| {
            other.0.iter().any(|&(theirs, their_mode)| {
                let commute = matches!((mode, their_mode), (Mode::Read, Mode::Read) | (Mode::Share, Mode::Share));
                !commute && overlap(place, theirs)
            })
        })
    }
}

fn overlap(left: Place, right: Place) -> bool {
    match (left, right) {
        (Place::Anything, _) | (_, Place::Anything) => true,
        (Place::Memory(from, to), Place::Memory(other_from, other_to)) => from < other_to && other_from < to,
        // A lock lies in memory, and freeing that memory ends it.
        (Place::Sync(at), Place::Memory(from, to)) | (Place::Memory(from, to), Place::Sync(at)) => {
            from <= at && at < to
        }
        (left, right) => left == right,
    }
}
