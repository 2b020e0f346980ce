//! Accesses to memory, and the order of their checks: whether other threads can observe the location comes first, and a
//! thread stops before that; whether the access is valid is checked when it resumes. That a block was freed, and its
//! size, are effects of other threads just like values. A step that checked them before its gate would have an unknown
//! dependence on them.

use std::rc::Rc;

use semantics::code::Access;
use semantics::messages;

use crate::memory::{ObjectId, ObjectKind, State};
use crate::outcome::FailureKind;
use crate::races::Accessed;
use crate::world::{Draft, Pending, Shared, Stop, fail};

/// The properties of an access.
#[derive(Clone, Copy, Debug)]
pub struct Wish {
    pub reads: bool,
    pub writes: bool,
    /// A description of the operation on the memory.
    pub what: &'static str,
}

pub const READ: Wish = Wish { reads: true, writes: false, what: "read" };
pub const WRITE: Wish = Wish { reads: false, writes: true, what: "written" };
pub const UPDATE: Wish = Wish { reads: true, writes: true, what: "updated" };

/// A place that a thread was let pass to.
#[derive(Clone, Copy, Debug)]
pub struct Reached {
    pub id: ObjectId,
    pub offset: u64,
    /// Whether other threads can observe it.
    pub visible: bool,
}

impl Shared {
    /// The live object that contains `size` bytes. An access that others can observe is stopped first.
    #[inline]
    pub fn reach(&mut self, at: u64, size: u64, wish: Wish) -> Result<Reached, Stop> {
        let Some((id, offset)) = self.memory.resolve(at) else { return Err(self.bad_access(at, size, wish.what)) };
        let visible = self.is_visible(id);
        if visible {
            let Wish { reads, writes, .. } = wish;
            self.gate(Pending::Memory { object: id, offset, size: size.max(1), reads, writes })?;
        }
        if !self.holds(id, offset, size) {
            return Err(self.bad_access(at, size, wish.what));
        }
        Ok(Reached { id, offset, visible })
    }

    /// As [`Shared::reach`], for a value in memory.
    #[inline]
    pub fn pass(&mut self, at: u64, access: Access, wish: Wish) -> Result<Reached, Stop> {
        let bytes = access.ty.bytes();
        let reached = self.reach(at, u64::from(bytes), wish)?;
        let Reached { id, offset, visible } = reached;
        if visible {
            if wish.reads {
                let value = self.memory.object(id).read(offset, bytes);
                self.me().idle.read(at, bytes, value);
            }
            if self.races.is_some() {
                self.check_race(id, offset, u64::from(bytes), wish.writes, access.ordering.is_some())?;
            }
        }
        Ok(reached)
    }

    /// The live object that contains `size` bytes, and the offset in it, for a thread that has passed its gate.
    pub fn locate(&mut self, at: u64, size: u64, what: &'static str) -> Result<(ObjectId, u64), Stop> {
        let found = self.memory.resolve(at).filter(|&(id, offset)| self.holds(id, offset, size));
        found.ok_or_else(|| self.bad_access(at, size, what))
    }

    #[inline]
    fn holds(&self, id: ObjectId, offset: u64, size: u64) -> bool {
        let object = self.memory.object(id);
        object.state == State::Live && !object.external && offset.saturating_add(size) <= object.size
    }

    fn bad_access(&self, at: u64, size: u64, what: &str) -> Stop {
        let Some((id, offset)) = self.memory.resolve(at) else {
            return fail(FailureKind::Memory, format!("{} (address {at:#x})", messages::pointer(at, what)));
        };
        let object = self.memory.object(id);
        if object.external {
            let name = match object.kind {
                ObjectKind::Global(global) => self.code.program.globals[global.index()].name.clone(),
                _ => String::new(),
            };
            return Stop::Unsupported(format!("the external variable `{name}`"));
        }
        let mut related = Vec::new();
        if let ObjectKind::Heap { allocated } = &object.kind {
            related.push(("allocated here".to_owned(), allocated.clone()));
        }
        if let Some(freed) = &object.freed {
            related.push(("freed here".to_owned(), freed.clone()));
        }
        let condition = match object.state {
            State::Freed => messages::freed_memory(what),
            State::Returned => messages::ended_local(what),
            State::Live => messages::out_of_bounds(size, what, offset, object.size),
        };
        Stop::Fail(Box::new(Draft { kind: FailureKind::Memory, condition, asserted_at: None, related }))
    }

    /// Whether accesses to an object are visible. Another thread's private object is published.
    #[inline]
    pub fn is_visible(&mut self, id: ObjectId) -> bool {
        let object = self.memory.object(id);
        match object.owner {
            None => !object.constant,
            Some(owner) if owner as usize == self.turn.current => false,
            Some(_) => {
                self.memory.surprised = true;
                self.memory.publish(id);
                true
            }
        }
    }

    /// Fails when the access races with an earlier one.
    pub fn check_race(
        &mut self,
        object: ObjectId,
        offset: u64,
        size: u64,
        writes: bool,
        atomic: bool,
    ) -> Result<(), Stop> {
        let thread = self.turn.current;
        let at = self.memory.object(object).base + offset;
        let (Some(races), Some(trail)) = (&mut self.races, self.notes.here.clone()) else { return Ok(()) };
        let races = Rc::make_mut(races);
        if atomic {
            races.acquire(thread, at);
        }
        let found = races.access(&Accessed { thread, object, offset, size, writes, atomic, trail });
        if atomic {
            races.release(thread, at);
        }
        let Some(race) = found else { return Ok(()) };
        let name = crate::names::describe(&self.code.program, &self.memory, at, None);
        let verb = |writes: bool| if writes { "written" } else { "read" };
        let condition = format!("`{name}` is {} while another thread has it {}", verb(writes), verb(race.first_writes));
        let related = vec![(format!("{} here, unordered", verb(race.first_writes)), race.first)];
        Err(Stop::Fail(Box::new(Draft { kind: FailureKind::Race, condition, asserted_at: None, related })))
    }
}
