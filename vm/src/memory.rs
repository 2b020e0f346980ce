//! Memory: objects with bytes at addresses of [`semantics::address`].
//!
//! An object is private to the thread that created it until it escapes: until its address is stored in an object that
//! is not private, or passed to a new thread. Accesses to private objects are invisible to others, so they are no
//! events. Should another thread reach a private object nevertheless (through an address that was disguised), the
//! object is published at once, and [`Memory::surprised`] is set.
//!
//! Freed heap blocks keep their addresses for ever unless `reuse` is requested; a function's locals release theirs
//! after a quarantine, since a loop may call a function a million times.

use std::collections::VecDeque;
use std::rc::Rc;

use ir::{GlobalId, LayoutId, TextId};
use semantics::address;

use crate::outcome::SiteFrame;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub u32);

/// The position of an event without names: the thread and its calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trail {
    pub thread: u32,
    pub frames: Rc<[SiteFrame]>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    Global(GlobalId),
    ThreadLocal(GlobalId),
    Local,
    Heap {
        allocated: Trail,
    },
    /// Made by the runtime: arguments, environment, variadic arguments.
    Runtime(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Live,
    Freed,
    /// A local whose function returned.
    Returned,
}

#[derive(Clone, Debug)]
pub struct Object {
    pub base: u64,
    pub size: u64,
    pub bytes: Vec<u8>,
    pub kind: ObjectKind,
    /// The only thread that can know its address.
    pub owner: Option<u32>,
    pub state: State,
    pub constant: bool,
    pub external: bool,
    pub name: Option<TextId>,
    pub layout: Option<LayoutId>,
    pub freed: Option<Trail>,
}

impl Object {
    pub fn read(&self, offset: u64, size: u32) -> u128 {
        let at = offset as usize;
        match size {
            1 => u128::from(self.bytes[at]),
            4 => u128::from(u32::from_le_bytes(four(&self.bytes[at..at + 4]))),
            8 => u128::from(u64::from_le_bytes(eight(&self.bytes[at..at + 8]))),
            _ => {
                let mut word = [0; 16];
                word[..size as usize].copy_from_slice(&self.bytes[at..at + size as usize]);
                u128::from_le_bytes(word)
            }
        }
    }

    pub fn write(&mut self, offset: u64, size: u32, value: u128) {
        let at = offset as usize;
        self.bytes[at..at + size as usize].copy_from_slice(&value.to_le_bytes()[..size as usize]);
    }
}

fn four(bytes: &[u8]) -> [u8; 4] {
    [bytes[0], bytes[1], bytes[2], bytes[3]]
}

fn eight(bytes: &[u8]) -> [u8; 8] {
    [bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7]]
}

/// The properties of a new object.
#[derive(Clone, Debug)]
pub struct Request {
    pub size: u64,
    pub align: u64,
    pub kind: ObjectKind,
    pub owner: Option<u32>,
    pub name: Option<TextId>,
    pub layout: Option<LayoutId>,
}

#[derive(Clone, Debug, Default)]
struct Region {
    /// Each slot's object, plus one; zero is none.
    slots: Vec<u32>,
    /// Single slots of ended locals, oldest first.
    locals: VecDeque<u32>,
    /// Single slots of freed blocks, oldest first: taken when the region is full.
    freed: VecDeque<u32>,
    /// Blocks freed by this region's thread, as (size class, address), the newest last, if addresses are reused. The C
    /// library's caches work like that: a block goes to the thread that freed it, whichever thread allocated it.
    reusable: Vec<(u64, u64)>,
}

#[derive(Clone, Debug)]
pub struct Memory {
    objects: Vec<Rc<Object>>,
    regions: Vec<Rc<Region>>,
    reuse: bool,
    /// Another thread reached a private object.
    pub surprised: bool,
    /// No object is private.
    pub all_shared: bool,
}

/// No more addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exhausted;

/// How many ended locals a thread keeps before their addresses are used again.
const QUARANTINE: usize = 256;
const REGION_SLOTS: u64 = 1 << address::REGION_BITS;
const REGIONS: usize = 1 << (address::ADDRESS_BITS - address::SLOT_BITS - address::REGION_BITS);
/// Larger requests do not fit any machine that heddle runs on.
pub const MAX_OBJECT: u64 = 1 << 34;

impl Memory {
    pub fn new(reuse: bool, next_slot: u32) -> Memory {
        let first = Rc::new(Region { slots: vec![0; next_slot as usize], ..Region::default() });
        Memory { objects: Vec::new(), regions: vec![first], reuse, surprised: false, all_shared: false }
    }

    /// Whether the addresses of freed blocks are used again.
    pub fn reuses(&self) -> bool {
        self.reuse
    }

    #[inline]
    pub fn object(&self, id: ObjectId) -> &Object {
        &self.objects[id.0 as usize]
    }

    #[inline]
    pub fn object_mut(&mut self, id: ObjectId) -> &mut Object {
        Rc::make_mut(&mut self.objects[id.0 as usize])
    }

    pub fn objects(&self) -> impl Iterator<Item = (ObjectId, &Rc<Object>)> + '_ {
        self.objects.iter().enumerate().map(|(index, object)| (ObjectId(index as u32), object))
    }

    /// Puts a prepared object (a global) at the address that it names.
    pub fn place(&mut self, object: Rc<Object>) -> ObjectId {
        let id = ObjectId(self.objects.len() as u32);
        if let Some((region, slot)) = address::slot_of(object.base) {
            self.claim(region, slot, object.size, id);
        }
        self.objects.push(object);
        id
    }

    fn region_mut(&mut self, region: u32) -> &mut Region {
        Rc::make_mut(&mut self.regions[region as usize])
    }

    fn claim(&mut self, region: u32, slot: u32, size: u64, id: ObjectId) {
        let slots = &mut self.region_mut(region).slots;
        let end = slot as usize + address::slots_for(size) as usize;
        if slots.len() < end {
            slots.resize(end, 0);
        }
        slots[slot as usize..end].fill(id.0 + 1);
    }

    /// The object whose slots contain this address, and the offset from its beginning (which may be beyond its end).
    #[inline]
    pub fn resolve(&self, at: u64) -> Option<(ObjectId, u64)> {
        let (region, slot) = address::slot_of(at)?;
        let entry = *self.regions.get(region as usize)?.slots.get(slot as usize)?;
        let id = entry.checked_sub(1)?;
        Some((ObjectId(id), at - self.objects[id as usize].base))
    }

    /// Makes an object of zero bytes in the region of `thread`.
    pub fn allocate(&mut self, thread: u32, request: Request) -> Result<ObjectId, Exhausted> {
        let region = thread as usize + 1;
        if region >= REGIONS || request.size > MAX_OBJECT {
            return Err(Exhausted);
        }
        if self.regions.len() <= region {
            self.regions.resize(region + 1, Rc::default());
        }
        let base = match self.reusable_block(region, &request) {
            Some(base) => base,
            None => address::slot_address(region as u32, self.choose_slot(region, &request)?),
        };
        let reused = self.resolve(base).map(|(id, _)| id);
        let object = Rc::new(Object {
            base,
            size: request.size,
            bytes: vec![0; request.size as usize],
            kind: request.kind,
            owner: request.owner.filter(|_| !self.all_shared),
            state: State::Live,
            constant: false,
            external: false,
            name: request.name,
            layout: request.layout,
            freed: None,
        });
        Ok(match reused {
            Some(id) => {
                self.objects[id.0 as usize] = object;
                id
            }
            None => self.place(object),
        })
    }

    fn reusable_block(&mut self, region: usize, request: &Request) -> Option<u64> {
        if !self.reuse || !matches!(request.kind, ObjectKind::Heap { .. }) {
            return None;
        }
        let region = Rc::make_mut(&mut self.regions[region]);
        let found = find_reusable(region, request.size)?;
        Some(region.reusable.remove(found).1)
    }

    /// The freed block that the thread's next allocation of this size will take, if addresses are reused.
    pub fn next_reused(&self, thread: u32, size: u64) -> Option<ObjectId> {
        let region = self.regions.get(thread as usize + 1).filter(|_| self.reuse)?;
        let (_, base) = region.reusable[find_reusable(region, size)?];
        self.resolve(base).map(|(id, _)| id)
    }

    fn choose_slot(&mut self, region: usize, request: &Request) -> Result<u32, Exhausted> {
        let slots = address::slots_for(request.size);
        let single = slots == 1 && request.align <= 1 << address::SLOT_BITS;
        let is_heap = matches!(request.kind, ObjectKind::Heap { .. });
        let region = Rc::make_mut(&mut self.regions[region]);
        if single && !is_heap && region.locals.len() > QUARANTINE {
            return region.locals.pop_front().ok_or(Exhausted);
        }
        // Slot 0 of a region stays empty, so that a pointer before the first object is invalid.
        let next = (region.slots.len() as u64).max(1);
        let align = request.align.max(1).div_ceil(1 << address::SLOT_BITS).next_power_of_two();
        let slot = next.next_multiple_of(align);
        if slot + slots <= REGION_SLOTS {
            return Ok(slot as u32);
        }
        if single {
            return region.freed.pop_front().ok_or(Exhausted);
        }
        Err(Exhausted)
    }

    /// Ends a heap block.
    pub fn free(&mut self, id: ObjectId, by: Trail) {
        let object = self.object_mut(id);
        object.state = State::Freed;
        object.bytes = Vec::new();
        let (base, size) = (object.base, object.size);
        let thread = by.thread;
        object.freed = Some(by);
        let Some((region, slot)) = address::slot_of(base) else { return };
        if address::slots_for(size) != 1 {
            return;
        }
        let owner = thread + 1;
        if self.reuse && (owner as usize) < REGIONS {
            if self.regions.len() <= owner as usize {
                self.regions.resize(owner as usize + 1, Rc::default());
            }
            self.region_mut(owner).reusable.push((size_class(size), base));
        } else {
            self.region_mut(region).freed.push_back(slot);
        }
    }

    /// Ends a local.
    pub fn end_local(&mut self, id: ObjectId) {
        let object = self.object_mut(id);
        object.state = State::Returned;
        object.bytes = Vec::new();
        let (base, size) = (object.base, object.size);
        if let Some((region, slot)) = address::slot_of(base)
            && address::slots_for(size) == 1
        {
            self.region_mut(region).locals.push_back(slot);
        }
    }

    /// Makes an object that `thread` owned visible to all threads, with all that is reachable from it.
    pub fn publish(&mut self, id: ObjectId) {
        let mut queue = vec![id];
        while let Some(id) = queue.pop() {
            if self.object(id).owner.is_none() {
                continue;
            }
            let object = self.object_mut(id);
            object.owner = None;
            let words: Vec<u64> = object.bytes.chunks_exact(8).map(|chunk| u64::from_le_bytes(eight(chunk))).collect();
            queue.extend(words.into_iter().filter_map(|word| self.resolve(untagged(word))).map(|(id, _)| id));
        }
    }

    /// Publishes the target of a word, if that is private.
    #[inline]
    pub fn publish_word(&mut self, word: u64) {
        if let Some((id, _)) = self.resolve(untagged(word))
            && self.object(id).owner.is_some()
        {
            self.publish(id);
        }
    }
}

/// Programs keep counters in the upper bits of an address.
fn untagged(word: u64) -> u64 {
    word & ((1 << address::ADDRESS_BITS) - 1)
}

fn find_reusable(region: &Region, size: u64) -> Option<usize> {
    let class = size_class(size);
    region.reusable.iter().rposition(|&(known, _)| known == class)
}

fn size_class(size: u64) -> u64 {
    size.max(24).next_multiple_of(16)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heap(size: u64) -> Request {
        let allocated = Trail { thread: 0, frames: Rc::from([]) };
        Request { size, align: 16, kind: ObjectKind::Heap { allocated }, owner: Some(0), name: None, layout: None }
    }

    fn trail() -> Trail {
        Trail { thread: 0, frames: Rc::from([]) }
    }

    #[test]
    fn addresses_lead_back_to_their_objects() {
        let mut memory = Memory::new(false, 16);
        let small = memory.allocate(0, heap(10)).unwrap();
        let large = memory.allocate(0, heap(200_000)).unwrap();
        let base = memory.object(large).base;
        assert_eq!(memory.resolve(base + 150_000), Some((large, 150_000)));
        assert_eq!(memory.resolve(memory.object(small).base + 12), Some((small, 12)));
        assert_eq!(memory.resolve(0), None);
        assert_eq!(memory.resolve(u64::MAX), None);
    }

    #[test]
    fn blocks_return_only_when_reuse_is_asked_for() {
        for reuse in [false, true] {
            let mut memory = Memory::new(reuse, 16);
            let first = memory.allocate(0, heap(24)).unwrap();
            let base = memory.object(first).base;
            memory.free(first, trail());
            let second = memory.allocate(0, heap(24)).unwrap();
            assert_eq!(memory.object(second).base == base, reuse);
        }
    }

    #[test]
    fn what_a_published_object_points_to_is_published() {
        let mut memory = Memory::new(false, 16);
        let inner = memory.allocate(0, heap(8)).unwrap();
        let outer = memory.allocate(0, heap(16)).unwrap();
        let inside = memory.object(inner).base;
        memory.object_mut(outer).write(8, 8, u128::from(inside));
        memory.publish_word(memory.object(outer).base + 3);
        assert_eq!(memory.object(inner).owner, None);
        assert_eq!(memory.object(outer).owner, None);
    }
}
