//! Blocks of memory, including blocks of symbolic size.
//!
//! A block of symbolic size has room for its largest possible size, within a bound; a cell beside it holds its actual
//! size. The thread that allocates it knows the size. Other threads read the cell, unless their access is within the
//! least possible size: a thread can have the address only after the size has been stored.

use formula::Term;

use crate::bounded::access::{Side, Spot};
use crate::bounded::objects::{Maker, ObjectId, Varies};
use crate::bounded::sets::{Element, Set};
use crate::bounded::value::Value;
use crate::bounded::walk::{Reason, Role, Walk};
use crate::bounded::world::{Stop, Walker, blank};
use crate::terms;

/// At most this many possible sizes of a block are distinguished, the smallest first.
const MOST_SIZES: usize = 16;
/// The bound if the set of sizes is open: large sizes are seldom real.
const FEW_SIZES: usize = 8;
const FEWEST_SIZES: usize = 6;
/// A block larger than this is made only if its allocation is unconditional: a size that may be any number may be very
/// large.
const LARGEST_BLOCK: u64 = 1 << 20;
/// The room of a block of symbolic size is at most this.
const LARGEST_ROOM: u64 = 1 << 14;
/// The size of the cell that holds the block's size.
const BYTES: u32 = 4;

impl Walk<'_> {
    /// The number of possible sizes or lengths to be distinguished. If the set is open and the places it was read from
    /// are not all protected by a mutex, only `fewest`.
    pub fn most_sizes(&self, size: Value, set: &Set, fewest: usize) -> usize {
        let Value::Term(term) = size else { return 1 };
        if !set.has_others() {
            return MOST_SIZES;
        }
        let symbols = self.builder.graph().terms.free_symbols(term);
        let mut places = symbols.iter().filter_map(|symbol| self.reads.get(symbol)).flat_map(|read| &read.places);
        if places.all(|place| self.known.protected.is_by_any(*place)) { FEW_SIZES } else { fewest }
    }
}

impl Walker<'_, '_> {
    pub fn allocate(&mut self, size: Value) -> Result<Value, Stop> {
        if let (Value::Term(_), true) = (size, self.rest.live) {
            return self.allocate_some(size);
        }
        if self.walk.values_of(&self.rest.refined, size).known().len() > MOST_SIZES {
            return Err(self.give_up("an allocation with many possible sizes"));
        }
        let size = self.one(size, "the size of an allocation")?;
        if size > vm::memory::MAX_OBJECT {
            return Err(self.give_up("more memory than there are addresses"));
        }
        if size > LARGEST_BLOCK && !self.rest.guard.is_certain() {
            return Err(self.give_up("a large allocation on a path that depends on other threads or inputs"));
        }
        let id = self.make(size, true, None);
        Ok(self.base(id))
    }

    /// A block of one of several sizes.
    fn allocate_some(&mut self, size: Value) -> Result<Value, Stop> {
        let set = self.walk.values_of(&self.rest.refined, size);
        let word = |element| match element {
            Element::Word(word) => Some(word),
            Element::Within(_) => None,
        };
        let sizes = set.known().filter_map(word).filter(|&size| size <= LARGEST_ROOM);
        let sizes: Vec<u64> = sizes.take(self.walk.most_sizes(size, &set, FEWEST_SIZES)).collect();
        let what = "the size of an allocation with unbounded values";
        let others = set.has_others() || sizes.len() < set.known().len();
        let (least, most) = match sizes[..] {
            [] => return Err(self.give_up(what)),
            [only] => {
                let others = others.then(|| what.to_owned());
                return Err(Stop::Choose { value: size, words: vec![only], others });
            }
            [least, .., most] => (if set.has_others() { 0 } else { least }, most),
        };
        let wanted = size.term(self.terms(), 64);
        if others {
            let mut there = self.rest.clone();
            let most = self.terms().bits(64, u128::from(most));
            let larger = self.terms().ult(most, wanted);
            there.guard.push(self.walk.builder.terms(), larger);
            self.walk.cut(&there, Reason::Unsupported(what.to_owned()));
        }
        let key = self.rest.place.key(self.walk.code, self.walk.shapes);
        let thread = self.rest.thread;
        let id = self.walk.known.objects.make(Maker::Block { thread, key }, || {
            let varies = Some(Varies { maker: thread, least });
            crate::bounded::objects::Object { varies, ..blank(most, true, None) }
        });
        if self.walk.known.objects.widen(id, least, most) {
            self.walk.known.news += 1;
        }
        self.begin(id);
        let cell = self.size_cell(id);
        let wanted = terms::fit(self.terms(), wanted, 8 * BYTES);
        let wanted = self.value(wanted);
        let at = self.base(cell);
        let spots = self.spots(at, u64::from(BYTES), true, "written")?;
        self.walk.store_at(self.rest, Self::places(&spots), BYTES, wanted);
        if self.is_shared(&spots, u64::from(BYTES)) {
            let address = self.address(&spots, Side::Memory);
            let term = wanted.term(self.terms(), 8 * BYTES);
            self.walk.emit(self.rest, Role::Part, |builder, thread| builder.write(thread, address, term));
        }
        // The thread itself knows the size, even if the cell is shared.
        let terms = self.walk.builder.terms();
        self.rest.memory.get_mut(terms, cell).write(terms, 0, BYTES, wanted);
        Ok(self.base(id))
    }

    fn size_cell(&mut self, id: ObjectId) -> ObjectId {
        let name = || Some(format!("size of object {}", id.0));
        self.walk.known.objects.make(Maker::Size(id), || blank(u64::from(BYTES), false, name()))
    }

    /// The actual size of a block of symbolic size; the cell is read where the condition holds.
    fn found_size(&mut self, id: ObjectId, maker: usize, condition: Term) -> Result<Term, Stop> {
        let cell = self.size_cell(id);
        let terms = self.walk.builder.terms();
        if maker == self.rest.thread {
            let own = self.rest.memory.read(terms, &self.walk.known.objects, cell, 0, BYTES);
            return Ok(own.term(terms, 8 * BYTES));
        }
        if let Some(&(guard, known)) = self.rest.rooms.get(&id)
            && self.rest.guard.implies(terms, guard)
        {
            return Ok(known);
        }
        let at = self.base(cell);
        let spots = self.spots(at, u64::from(BYTES), false, "read")?;
        if !self.is_shared(&spots, u64::from(BYTES)) {
            let value = self.private_read(&spots, BYTES)?;
            return Ok(value.term(self.terms(), 8 * BYTES));
        }
        let address = self.address(&spots, Side::Memory);
        let mut there = self.rest.clone();
        there.guard.push(self.walk.builder.terms(), condition);
        let found = self.walk.emit(&there, Role::Part, |builder, thread| builder.read(thread, address, BYTES));
        self.found_at(found, vec![(cell, Some(0))], BYTES, false);
        if self.terms().as_bool(condition) == Some(true) {
            let guard = self.rest.guard.term(self.walk.builder.terms());
            self.rest.rooms.insert(id, (guard, found));
        }
        Ok(found)
    }

    /// The size of the block at an address. It counts as an access to the block, which may have been freed.
    pub fn measure(&mut self, at: Value) -> Result<Value, Stop> {
        let at = self.one(at, "the size of a block")?;
        let spots = self.spots(Value::word(64, u128::from(at)), 0, false, "measured")?;
        let Some(&Spot { object, .. }) = spots.all.first() else { return Err(Stop::Ended) };
        if self.rest.live {
            self.walk.found.touch(object.into(), 0, 1, self.rest.thread, false);
        }
        self.check_lives(&spots, "measured", Role::Step)?;
        self.size_of(object)
    }

    fn size_of(&mut self, id: ObjectId) -> Result<Value, Stop> {
        let object = self.walk.known.objects.get(id);
        let Some(varies) = object.varies else { return Ok(Value::word(64, u128::from(object.size))) };
        let truth = self.terms().truth();
        let room = self.found_size(id, varies.maker, truth)?;
        let wide = terms::fit(self.terms(), room, 64);
        Ok(self.value(wide))
    }

    /// The condition that an access is within the block, if its size is symbolic.
    pub fn fits_room(
        &mut self,
        id: ObjectId,
        offset: Option<u64>,
        bytes: u64,
        pointer: Term,
        condition: Term,
    ) -> Result<Option<Term>, Stop> {
        let object = self.walk.known.objects.get(id);
        let Some(varies) = object.varies else { return Ok(None) };
        if offset.is_some_and(|offset| offset + bytes <= varies.least) {
            return Ok(None);
        }
        let base = object.base;
        let room = self.found_size(id, varies.maker, condition)?;
        let end = match offset {
            Some(offset) => self.terms().bits(8 * BYTES, u128::from(offset + bytes)),
            None => {
                let (base, bytes) = (self.terms().bits(64, u128::from(base)), u128::from(bytes));
                let offset = self.terms().sub(pointer, base);
                let offset = terms::fit(self.terms(), offset, 8 * BYTES);
                let bytes = self.terms().bits(8 * BYTES, bytes);
                self.terms().add(offset, bytes)
            }
        };
        Ok(Some(self.terms().ule(end, room)))
    }
}
