//! Objects and threads, each known by where it was made, so that it is the same one in every round of walking.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use ir::GlobalId;
use run::ThreadName;
use semantics::address::{REGION_BITS, SLOT_BITS, slots_for};

use crate::bounded::place::Key;
use crate::sharing::ObjectKey;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub u32);

/// What made it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Maker {
    /// There from the beginning, at this address.
    Given(u64),
    ThreadLocal(usize, GlobalId),
    /// An instruction of a thread.
    Instruction {
        thread: usize,
        key: Key,
        size: u64,
    },
    /// An instruction of a thread that allocates a block whose size depends on other threads.
    Block {
        thread: usize,
        key: Key,
    },
    /// How large such a block is.
    Size(ObjectId),
    /// What a thread is given when it is created.
    Argument(usize),
    /// What it returns.
    Result(usize),
    /// Whether it has come to its end.
    End(usize),
    /// Whether it was joined, where several threads may.
    Claim(usize),
    Surrounding(Surrounding),
}

/// An object of the program's environment.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Surrounding {
    /// What is open under a descriptor.
    Descriptor(u32),
    /// What can be read from the standard input.
    Stdin,
    /// Which file has a name, if the file has room for so many bytes more.
    Name(String, u64),
    /// The file that had the name in the beginning, with room for so many bytes more.
    File(String, u64),
    Clock,
    /// How often a thread called the system.
    Calls(usize),
    /// The list of arguments, and the text of each.
    Arguments,
    Argument(u32),
}

/// How the size of a block is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Varies {
    /// The thread that makes it.
    pub maker: usize,
    /// The number of bytes that certainly exist.
    pub least: u64,
}

#[derive(Clone, Debug)]
pub struct Object {
    pub base: u64,
    pub size: u64,
    /// What it begins with.
    pub image: Rc<[u8]>,
    pub constant: bool,
    pub external: bool,
    pub heap: bool,
    /// Set if the size depends on other threads: then this is the largest possible size.
    pub varies: Option<Varies>,
    /// What the source calls it, if it does.
    pub name: Option<String>,
}

#[derive(Debug, Default)]
pub struct Objects {
    all: Vec<Object>,
    by_base: BTreeMap<u64, ObjectId>,
    made: HashMap<Maker, ObjectId>,
    next_slot: u64,
    /// How often an address was used again for something larger.
    pub grown: u64,
}

impl Objects {
    pub fn get(&self, id: ObjectId) -> &Object {
        &self.all[id.0 as usize]
    }

    /// The object that an address lies in or just behind, and where.
    pub fn resolve(&self, address: u64) -> Option<(ObjectId, u64)> {
        let (&base, &id) = self.by_base.range(..=address).next_back()?;
        let offset = address - base;
        (offset < slots_for(self.get(id).size) << SLOT_BITS).then_some((id, offset))
    }

    /// One that is where it is.
    pub fn place(&mut self, object: Object) -> ObjectId {
        let maker = Maker::Given(object.base);
        if let Some(&id) = self.made.get(&maker) {
            return id;
        }
        self.add(maker, object)
    }

    /// The object that this made, at its address if that is known, otherwise at one of its own.
    pub fn make(&mut self, maker: Maker, object: impl FnOnce() -> Object) -> ObjectId {
        if let Some(&id) = self.made.get(&maker) {
            return id;
        }
        let mut object = object();
        // An address that is used again is the same object, with other contents.
        if let Some(&id) = self.by_base.get(&object.base) {
            let known = &mut self.all[id.0 as usize];
            self.grown += u64::from(object.size > known.size);
            (known.size, known.image) = (known.size.max(object.size), object.image);
            self.made.insert(maker, id);
            return id;
        }
        if object.base == 0 {
            object.base = ((1 << (REGION_BITS + 4)) + self.next_slot) << SLOT_BITS;
            self.next_slot += slots_for(object.size);
        }
        self.add(maker, object)
    }

    /// A block may also be as small or as large as this: whether that is new.
    pub fn widen(&mut self, id: ObjectId, least: u64, most: u64) -> bool {
        let object = &mut self.all[id.0 as usize];
        let Some(varies) = &mut object.varies else { return false };
        let is_new = least < varies.least || most > object.size;
        varies.least = varies.least.min(least);
        if most > object.size && slots_for(most) == slots_for(object.size) {
            object.size = most;
            object.image = vec![0; most as usize].into();
        }
        is_new
    }

    /// The address of something around the program, if it has been made.
    pub fn surrounding(&self, what: &Surrounding) -> Option<u64> {
        self.made.get(&Maker::Surrounding(what.clone())).map(|&id| self.get(id).base)
    }

    fn add(&mut self, maker: Maker, object: Object) -> ObjectId {
        let id = ObjectId(self.all.len() as u32);
        self.by_base.insert(object.base, id);
        self.all.push(object);
        self.made.insert(maker, id);
        id
    }
}

impl From<ObjectId> for ObjectKey {
    fn from(id: ObjectId) -> ObjectKey {
        ObjectKey { base: u64::from(id.0), generation: 0 }
    }
}

/// Threads, by creator and place of creation; the main thread is number 0.
#[derive(Debug, Default)]
pub struct Threads {
    created: HashMap<(usize, Key), usize>,
    names: HashMap<usize, ThreadName>,
}

impl Threads {
    pub fn number(&mut self, parent: usize, key: &Key) -> usize {
        let next = self.created.len() + 1;
        *self.created.entry((parent, key.clone())).or_insert(next)
    }

    /// Remembers the name of a thread, for threads that join it and are walked before its creator.
    pub fn call(&mut self, number: usize, name: &ThreadName) {
        self.names.entry(number).or_insert_with(|| name.clone());
    }

    pub fn name(&self, number: usize) -> Option<&ThreadName> {
        self.names.get(&number)
    }

    /// The number of threads, the main one included.
    pub fn count(&self) -> usize {
        self.created.len() + 1
    }
}

/// Handles are numbers that no other value is likely to be.
pub fn handle(thread: usize) -> u64 {
    0x7EAD_0000_0000 + (thread as u64) * 0x100
}

pub fn thread_of(handle_value: u64) -> Option<usize> {
    let thread = usize::try_from(handle_value.checked_sub(handle(0))? / 0x100).ok()?;
    (handle(thread) == handle_value).then_some(thread)
}
