//! Birth, end and joining of threads.

use std::rc::Rc;

use ir::{Code, FunctionId, Primitive};
use run::ThreadRecord;
use semantics::address;
use semantics::concrete::Word;
use semantics::execute::Halt;

use crate::outcome::FailureKind;
use crate::primitives::{Performed, code, pending};
use crate::world::{Birth, Pending, Shared, Status, Stop, fail};

/// More threads than this have no region of memory.
pub const MAX_THREADS: usize = 2000;

/// Handles are numbers that no other value is likely to be.
fn handle(thread: usize) -> u64 {
    0x7EAD_0000_0000 + (thread as u64) * 0x100
}

pub fn thread_of(world: &Shared, handle_value: u64) -> Option<usize> {
    let thread = usize::try_from(handle_value.checked_sub(handle(0))? / 0x100).ok()?;
    (handle(thread) == handle_value && thread < world.status.len()).then_some(thread)
}

pub fn perform(world: &mut Shared, primitive: Primitive, args: &[Word]) -> Performed {
    match primitive {
        Primitive::ThreadCreate => create(world, args),
        Primitive::ThreadJoin | Primitive::ThreadTryJoin | Primitive::ThreadTimedJoin => join(world, primitive, args),
        Primitive::ThreadDetach => detach(world, args),
        Primitive::ThreadSelf => Ok(Some(Word::from(handle(world.current)))),
        Primitive::ThreadExit => {
            world.gate(Pending::Finish)?;
            world.end_thread(args[0] as u64, true);
            Err(Halt::After(Stop::Ended))
        }
        _ => {
            world.gate(pending(primitive, args))?;
            world.yielded = true;
            world.touched("yield", None);
            Ok(None)
        }
    }
}

fn create(world: &mut Shared, args: &[Word]) -> Performed {
    world.gate(pending(Primitive::ThreadCreate, args))?;
    if world.status.len() >= MAX_THREADS {
        return Err(Stop::Unsupported(format!("more than {MAX_THREADS} threads in one run")).into());
    }
    let out = args[0] as u64;
    let (id, offset) = world.locate(out, 8, "written")?;
    let Some(start) = address::function_at(args[1] as u64) else {
        return Err(fail(FailureKind::Memory, "thread created with something that is no function").into());
    };
    let thread = world.status.len();
    world.memory.object_mut(id).write(offset, 8, Word::from(handle(thread)));
    world.memory.publish_word(args[2] as u64);
    world.memory.publish_word(args[3] as u64);
    let me = world.me();
    me.children += 1;
    let name = me.name.child(me.children);
    let function = address::function_at(args[2] as u64).or(Some(start)).map(FunctionId);
    let status = Status::new(name.clone(), function);
    if let Some(records) = &mut world.recorded {
        let start = function.map(|function| world.code.program.functions[function.index()].name.clone());
        Rc::make_mut(records).push(ThreadRecord::new(name.clone(), start.unwrap_or_default()));
    }
    world.status.push(status);
    let parent = world.current;
    if let Some(races) = &mut world.races {
        Rc::make_mut(races).fork(parent, thread);
    }
    world.births.push(Birth { start: FunctionId(start), args: [args[2] as u64, args[3] as u64] });
    world.changed();
    world.touched("fork", None);
    if let Some(touch) = &mut world.touch {
        touch.text = name.to_string();
    }
    code(Code::Ok)
}

fn join(world: &mut Shared, primitive: Primitive, args: &[Word]) -> Performed {
    world.gate(pending(primitive, args))?;
    world.me().idle.looked();
    let Some(target) = thread_of(world, args[0] as u64) else { return code(Code::Invalid) };
    if target == world.current {
        return code(Code::Deadlock);
    }
    let status = &world.status[target];
    if status.detached || status.joined {
        return code(Code::Invalid);
    }
    let name = status.name.clone();
    if !status.finished {
        return match primitive {
            Primitive::ThreadTryJoin => code(Code::Busy),
            Primitive::ThreadTimedJoin => code(Code::TimedOut),
            _ => Err(Stop::Blocked.into()),
        };
    }
    let result = status.result;
    let out = args[1] as u64;
    if out != 0 {
        let (id, offset) = world.locate(out, 8, "written")?;
        world.memory.object_mut(id).write(offset, 8, Word::from(result));
    }
    let me = world.current;
    if let Some(races) = &mut world.races {
        Rc::make_mut(races).join(me, target);
    }
    world.status[target].joined = true;
    world.changed();
    world.touched("join", None);
    if let Some(touch) = &mut world.touch {
        touch.text = name.to_string();
    }
    code(Code::Ok)
}

fn detach(world: &mut Shared, args: &[Word]) -> Performed {
    world.gate(pending(Primitive::ThreadDetach, args))?;
    let Some(target) = thread_of(world, args[0] as u64) else { return code(Code::Invalid) };
    if world.status[target].detached || world.status[target].joined {
        return code(Code::Invalid);
    }
    world.status[target].detached = true;
    world.changed();
    world.touched("detach", None);
    code(Code::Ok)
}
