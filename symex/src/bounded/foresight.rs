//! What the log of a run tells before its threads are walked: where objects lie, which bytes threads share, which words were
//! written where, and how locks and barriers were made.
//!
//! Walking finds all this too, but one link of a chain of pointers per round. What is found here is what the run did; what it
//! could have done elsewhere is added by the rounds.

use ir::Primitive;
use run::ThreadName;
use semantics::code::{Code, Inst};
use vm::memory::ObjectKind;

use crate::bounded::forced::MOST_WORDS;
use crate::bounded::objects::Object;
use crate::bounded::observe::Observed;
use crate::bounded::walk::Known;

/// Takes over what a run tells.
pub fn foresee(known: &mut Known, code: &Code, run: &Observed) {
    for (_, object) in run.memory.objects() {
        known.objects.place(Object {
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
    for (number, (thread, log)) in run.logs().into_iter().enumerate() {
        let mut live = *thread != ThreadName::main();
        for (at, words) in log.iter() {
            let inst = &code.function(at.function).insts[at.position as usize];
            let words = words.as_slice();
            if let Inst::Primitive { primitive, .. } = inst {
                live |= *primitive == Primitive::ThreadCreate;
                foresee_primitive(known, *primitive, words, number, live);
            } else if live {
                foresee_access(known, inst, words, number);
            }
        }
    }
}

fn foresee_access(known: &mut Known, inst: &Inst, words: &[u64], thread: usize) {
    let (access, writes) = match inst {
        Inst::Load { access, .. } => (access, false),
        Inst::Store { access, .. } | Inst::Rmw { access, .. } | Inst::CompareExchange { access, .. } => (access, true),
        _ => return,
    };
    let Some((object, offset)) = words.first().and_then(|&at| known.objects.resolve(at)) else { return };
    let bytes = u64::from(access.ty.bytes());
    let info = known.objects.get(object);
    if info.constant || offset + bytes > info.size {
        return;
    }
    known.sharing.touch(object.into(), offset, bytes, thread, writes);
    let Some(&word) = words.get(1).filter(|_| writes && bytes == 8) else { return };
    if known.objects.resolve(word).is_some() {
        let known = known.written.entry((object, offset)).or_default();
        if known.len() < MOST_WORDS && !known.contains(&word) {
            known.push(word);
        }
    }
}

fn foresee_primitive(known: &mut Known, primitive: Primitive, words: &[u64], thread: usize, live: bool) {
    let Some(&at) = words.first() else { return };
    let number = words.get(1).map(|&word| word as u32);
    match (primitive, number) {
        (Primitive::MutexInit, Some(kind)) => drop(known.kinds.insert(at, kind)),
        (Primitive::BarrierInit, Some(parties)) => drop(known.parties.insert(at, parties)),
        _ => {}
    }
    let Some((object, offset)) = known.objects.resolve(at).filter(|_| live) else { return };
    let size = known.objects.get(object).size;
    match primitive {
        Primitive::MemoryFree => known.sharing.touch(object.into(), 0, size.max(1), thread, false),
        _ if offset < size => {
            known.sharing.use_lock(at, thread);
            known.sharing.touch(object.into(), offset, 1, thread, false);
        }
        _ => {}
    }
}
