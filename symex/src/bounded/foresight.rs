//! Facts from the log of a run before its threads are walked: the places of objects, the bytes that threads share, the
//! words written to each place, and the initialisation of locks and barriers.
//!
//! Walking finds these facts too, but one link of a chain of pointers per round. The facts are those of the run; the
//! rounds add the facts of other orders.

use std::collections::HashMap;

use ir::Primitive;
use semantics::code::{Code, Inst};
use semantics::primitives::{Kind, Operation, Role, operation};
use vm::memory::{Memory, ObjectKind};

use crate::bounded::log::Log;
use crate::bounded::objects::{Object, ObjectId, Objects};
use crate::sharing::Sharing;

/// Words that are remembered of a place.
pub const MOST_WORDS: usize = 64;

/// Facts of a run about pointers.
#[derive(Debug, Default)]
pub struct Told {
    /// All pointers lead where they led in the run.
    pub fixed_pointers: bool,
    /// The words that were written to a place.
    pub written: HashMap<(ObjectId, u64), Vec<u64>>,
}

/// Facts of a run.
#[derive(Debug, Default)]
pub struct Foresight {
    pub sharing: Sharing,
    pub told: Told,
    /// By address, the kind that a mutex was given, and how many a barrier waits for.
    pub kinds: HashMap<u64, u32>,
    pub parties: HashMap<u64, u32>,
}

/// Places the objects of a run, and reads the logs of its threads, the main thread's first.
pub fn foresee(objects: &mut Objects, code: &Code, memory: &Memory, logs: &[&Log]) -> Foresight {
    for (_, object) in memory.objects() {
        objects.place(Object {
            base: object.base,
            size: object.size,
            image: [].into(),
            constant: object.constant,
            external: object.external,
            heap: matches!(object.kind, ObjectKind::Heap { .. }),
            varies: None,
            name: None,
        });
    }
    let mut foresight = Foresight::default();
    for (number, log) in logs.iter().enumerate() {
        let mut live = number > 0;
        for (at, words) in log.iter() {
            let inst = &code.function(at.function).insts[at.position as usize];
            let words = words.as_slice();
            if let Inst::Primitive { primitive, .. } = inst {
                live |= *primitive == Primitive::ThreadCreate;
                foresight.primitive(objects, *primitive, words, number, live);
            } else if live {
                foresight.access(objects, inst, words, number);
            }
        }
    }
    foresight
}

impl Foresight {
    fn access(&mut self, objects: &Objects, inst: &Inst, words: &[u64], thread: usize) {
        let (access, writes) = match inst {
            Inst::Load { access, .. } => (access, false),
            Inst::Store { access, .. } | Inst::Rmw { access, .. } | Inst::CompareExchange { access, .. } => {
                (access, true)
            }
            _ => return,
        };
        let Some((object, offset)) = words.first().and_then(|&at| objects.resolve(at)) else { return };
        let bytes = u64::from(access.ty.bytes());
        let info = objects.get(object);
        if info.constant || offset + bytes > info.size {
            return;
        }
        self.sharing.touch(object.into(), offset, bytes, thread, writes);
        let Some(&word) = words.get(1).filter(|_| writes && bytes == 8) else { return };
        if objects.resolve(word).is_some() {
            let known = self.told.written.entry((object, offset)).or_default();
            if known.len() < MOST_WORDS && !known.contains(&word) {
                known.push(word);
            }
        }
    }

    fn primitive(&mut self, objects: &Objects, primitive: Primitive, words: &[u64], thread: usize, live: bool) {
        let Some(&at) = words.first() else { return };
        let number = words.get(1).map(|&word| word as u32);
        match (operation(primitive), number) {
            (Some((Kind::Mutex, Operation { role: Role::Init, .. })), Some(kind)) => drop(self.kinds.insert(at, kind)),
            (Some((kind, Operation { role: Role::Init, .. })), Some(parties)) if kind.must_be_made() => {
                self.parties.insert(at, parties);
            }
            _ => {}
        }
        let Some((object, offset)) = objects.resolve(at).filter(|_| live) else { return };
        let size = objects.get(object).size;
        match primitive {
            Primitive::MemoryFree => self.sharing.touch(object.into(), 0, size.max(1), thread, false),
            _ if offset < size => {
                self.sharing.use_lock(at, thread);
                self.sharing.touch(object.into(), offset, 1, thread, false);
            }
            _ => {}
        }
    }
}
