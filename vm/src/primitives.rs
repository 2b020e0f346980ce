//! The operations of the runtime on the machine. Those on locks and other synchronisation objects are scripts of
//! [`semantics::primitives`]; memory blocks, files and the process are in [`crate::host`].

use ir::{Code, Primitive};
use semantics::concrete::Word;
use semantics::execute::{Halt, Thread};
use semantics::messages;
use semantics::primitives::{Kind, Numbers, Operation, Role, operation};

use crate::clock;
use crate::host;
use crate::outcome::FailureKind;
use crate::performer::Performer;
use crate::sync::Sync;
use crate::threads;
use crate::world::{Pending, Performed, Shared, Stop, code, fail};

/// Executes a primitive. If it blocks, or has only done its first half, the same operation stays pending.
pub fn perform<V: Clone>(world: &mut Shared, thread: &Thread<V>, primitive: Primitive, args: &[Word]) -> Performed {
    let performed = attempt(world, thread, primitive, args);
    if let Err(Halt::Stop(Stop::Blocked) | Halt::Stay(_)) = &performed {
        world.me().pending = Some(Pending::primitive(primitive, args));
    }
    performed
}

fn attempt<V: Clone>(world: &mut Shared, thread: &Thread<V>, primitive: Primitive, args: &[Word]) -> Performed {
    if let Some((kind, operation)) = operation(primitive) {
        return on_object(world, kind, operation, primitive, args);
    }
    match primitive {
        Primitive::ThreadCreate
        | Primitive::ThreadJoin
        | Primitive::ThreadTryJoin
        | Primitive::ThreadTimedJoin
        | Primitive::ThreadDetach
        | Primitive::ThreadSelf
        | Primitive::ThreadInterrupt
        | Primitive::ThreadExit
        | Primitive::ThreadFail
        | Primitive::ThreadYield => threads::perform(world, primitive, args),
        Primitive::ThreadSleep | Primitive::ClockPass | Primitive::InputClock => clock::perform(world, primitive, args),
        _ => host::perform(world, thread, primitive, args),
    }
}

fn on_object(world: &mut Shared, kind: Kind, operation: Operation, primitive: Primitive, args: &[Word]) -> Performed {
    let at = args[0] as u64;
    let lies_in = world.memory.resolve(at).map(|(id, _)| id);
    // A constant is no place for a lock; another thread may still have one there.
    let is_visible = |id| world.is_visible(id) || (!operation.by_address && world.memory.object(id).constant);
    if lies_in.is_some_and(is_visible) {
        world.gate(Pending::primitive(primitive, args))?;
    } else {
        // A lock of the thread's own needs no leave; one that was given to end its waiting is used up.
        world.turn.granted = false;
    }
    match world.locate(at, 1, operation.what) {
        Err(_) if operation.by_address => return Ok(None),
        found => found?,
    };
    world.me().idle.looked();
    match operation.role {
        Role::Init => {
            initialise(world, kind, args, at);
            Ok(None)
        }
        Role::Destroy => destroy(world, kind, at),
        Role::Use => {
            let mut performer = Performer::new(world, kind, operation, args, at);
            kind.perform(&mut performer, primitive).map(|word| word.map(Word::from))
        }
    }
}

fn initialise(world: &mut Shared, kind: Kind, args: &[Word], at: u64) {
    let given = args.get(1).map_or(0, |&given| given as u32);
    let old = world.syncs.get(at).filter(|old| old.kind == kind).map_or(0, |old| old.word);
    let word = kind.anew(&mut Numbers, old, given);
    world.syncs.insert(at, Sync::new(kind, word, given));
    world.changed();
    world.touched("init", Some(at));
}

/// An object in use is not destroyed.
fn destroy(world: &mut Shared, kind: Kind, at: u64) -> Performed {
    world.touched("destroy", Some(at));
    let mut sync = world.syncs.get(at).cloned().unwrap_or_else(|| Sync::new(kind, 0, 0));
    if sync.destroyed {
        return Err(fail(FailureKind::Memory, messages::destroyed_twice(sync.kind.noun())).into());
    }
    if sync.is_busy() {
        return code(Code::Busy);
    }
    sync.destroyed = true;
    world.syncs.insert(at, sync);
    world.changed();
    code(Code::Ok)
}
