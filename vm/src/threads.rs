//! Birth, end and joining of threads.

use std::rc::Rc;

use ir::{Code, FunctionId, Primitive};
use run::ThreadRecord;
use semantics::address;
use semantics::concrete::Word;
use semantics::execute::Halt;
use semantics::messages;
use semantics::primitives::thread::{self, Threads};
use semantics::primitives::{Concrete, Patience};

use crate::outcome::FailureKind;
use crate::world::{Birth, Claim, Pending, Performed, Phase, Shared, Status, Stop, code, fail, handle};

/// More threads than this have no region of memory.
pub const MAX_THREADS: usize = 2000;

pub fn perform(world: &mut Shared, primitive: Primitive, args: &[Word]) -> Performed {
    match primitive {
        Primitive::ThreadCreate => create(world, args),
        Primitive::ThreadSelf => Ok(Some(Word::from(handle(world.turn.current)))),
        Primitive::ThreadExit | Primitive::ThreadFail => {
            world.gate(Pending::Finish)?;
            world.end_thread(args[0] as u64, true);
            Err(Halt::After(Stop::Ended))
        }
        Primitive::ThreadYield => {
            world.gate(Pending::primitive(primitive, args))?;
            world.turn.yielded = true;
            world.touched("yield", None);
            Ok(None)
        }
        _ => {
            world.gate(Pending::primitive(primitive, args))?;
            if !matches!(primitive, Primitive::ThreadDetach | Primitive::ThreadInterrupt) {
                world.me().idle.looked();
            }
            let mut claims = Claims { world, args };
            let performed = thread::perform(&mut claims, primitive);
            performed.map_or(Ok(None), |performed| performed.map(|word| word.map(Word::from)))
        }
    }
}

fn create(world: &mut Shared, args: &[Word]) -> Performed {
    world.gate(Pending::primitive(Primitive::ThreadCreate, args))?;
    if world.status.len() >= MAX_THREADS {
        return Err(Stop::Unsupported(format!("more than {MAX_THREADS} threads in one run")).into());
    }
    let out = args[0] as u64;
    let (id, offset) = world.locate(out, 8, "written")?;
    let Some(start) = address::function_at(args[1] as u64) else {
        return Err(fail(FailureKind::Memory, messages::THREAD_OF_NO_FUNCTION).into());
    };
    let thread = world.status.len();
    world.memory.object_mut(id).write(offset, 8, Word::from(handle(thread)));
    world.memory.publish_word(args[2] as u64);
    world.memory.publish_word(args[3] as u64);
    let me = world.me();
    me.own.children += 1;
    let name = me.name.child(me.own.children);
    let function = address::function_at(args[2] as u64).or(Some(start)).map(FunctionId);
    let status = Status::new(name.clone(), function);
    if let Some(records) = &mut world.notes.recorded {
        let start = function.map(|function| world.code.program.functions[function.index()].name.clone());
        Rc::make_mut(records).push(ThreadRecord::new(name.clone(), start.unwrap_or_default()));
    }
    world.status.push(status);
    let parent = world.turn.current;
    if let Some(races) = &mut world.races {
        Rc::make_mut(races).fork(parent, thread);
    }
    world.births.push(Birth { start: FunctionId(start), args: [args[2] as u64, args[3] as u64] });
    world.changed();
    world.touched("fork", None);
    if let Some(touch) = &mut world.notes.touch {
        touch.text = name.to_string();
    }
    code(Code::Ok)
}

/// The scripts about the end of a thread, for the running thread.
struct Claims<'w> {
    world: &'w mut Shared,
    args: &'w [Word],
}

impl Concrete for Claims<'_> {}

impl Threads for Claims<'_> {
    type Stop = Halt<Stop>;

    fn thread(&mut self) -> Result<Option<usize>, Halt<Stop>> {
        Ok(self.world.thread_of(self.args[0] as u64))
    }

    fn is_caller(&mut self, thread: usize) -> bool {
        thread == self.world.turn.current
    }

    fn is_claimed(&mut self, thread: usize) -> Result<bool, Halt<Stop>> {
        Ok(self.world.status[thread].claim.is_some())
    }

    fn join(&mut self, thread: usize, patience: Patience) -> Result<bool, Halt<Stop>> {
        let world = &mut *self.world;
        let status = &world.status[thread];
        let (name, result) = (status.name.clone(), status.result);
        if !status.finished {
            return if patience == Patience::Waits { Err(Stop::Blocked.into()) } else { Ok(false) };
        }
        let out = self.args[1] as u64;
        if out != 0 {
            let (id, offset) = world.locate(out, 8, "written")?;
            world.memory.object_mut(id).write(offset, 8, Word::from(result));
        }
        let me = world.turn.current;
        if let Some(races) = &mut world.races {
            Rc::make_mut(races).join(me, thread);
        }
        world.status[thread].claim = Some(Claim::Joined);
        world.changed();
        world.touched("join", None);
        if let Some(touch) = &mut world.notes.touch {
            touch.text = name.to_string();
        }
        Ok(true)
    }

    fn detach(&mut self, thread: usize) -> Result<(), Halt<Stop>> {
        self.world.status[thread].claim = Some(Claim::Detached);
        self.world.changed();
        self.world.touched("detach", None);
        Ok(())
    }

    fn interrupt(&mut self, thread: usize) -> Result<(), Halt<Stop>> {
        let world = &mut *self.world;
        let status = &mut world.status[thread];
        match status.pending {
            Some(Pending::Primitive { primitive: Primitive::MonitorWait, args }) if status.phase == Phase::Sleeping => {
                status.phase = Phase::Woken(Code::Interrupted as i32);
                if let Some(condition) = world.syncs.get_mut(args[0]) {
                    condition.sleepers.retain(|&sleeper| sleeper as usize != thread);
                    condition.word = condition.sleepers.len() as u32;
                }
            }
            _ => status.interrupted |= !status.finished,
        }
        world.changed();
        world.touched("signal", None);
        Ok(())
    }
}
