//! Memory blocks, the end of the process, inputs and files.

use ir::Primitive;
use semantics::concrete::Word;
use semantics::digits::{self, Magnitude};
use semantics::execute::Thread;
use semantics::messages;

use crate::access::{READ, Wish};
use crate::files;
use crate::memory::{ObjectKind, Request, State};
use crate::outcome::FailureKind;
use crate::world::{ATOMIC_SECTIONS, Draft, Pending, Performed, Shared, Stop, fail};

/// Freeing a block writes all of it; races are checked for this many bytes.
const LARGEST_CHECKED: u64 = 4096;

pub fn perform<V: Clone>(world: &mut Shared, thread: &Thread<V>, primitive: Primitive, args: &[Word]) -> Performed {
    match primitive {
        Primitive::AtomicBegin => {
            world.gate(Pending::primitive(primitive, args))?;
            world.order_acquire(ATOMIC_SECTIONS);
            world.me().atomic_depth += 1;
            Ok(None)
        }
        Primitive::AtomicEnd => {
            world.order_release(ATOMIC_SECTIONS);
            let me = world.me();
            me.atomic_depth = me.atomic_depth.saturating_sub(1);
            Ok(None)
        }
        Primitive::RecordBit => {
            let bit = args[0] as u32;
            if let Some(record) = world.record() {
                record.bits.push(bit != 0);
            }
            Ok(Some(Word::from(bit)))
        }
        Primitive::RecordValue => {
            let value = args[0] as u64;
            if let Some(record) = world.record() {
                record.push_value(value, args[1] as u32);
            }
            Ok(Some(Word::from(value)))
        }
        Primitive::OrderTicket => {
            if world.notes.tickets {
                world.gate(Pending::primitive(primitive, args))?;
            }
            Ok(None)
        }
        Primitive::MemoryAlloc => allocate(world, thread, args),
        Primitive::MemoryFree => free(world, thread, args),
        Primitive::MemorySize => {
            let reached = world.reach(args[0] as u64, 0, Wish { what: "measured", ..READ })?;
            Ok(Some(Word::from(world.memory.object(reached.id).size)))
        }
        Primitive::ProcessExit => {
            world.gate(Pending::primitive(primitive, args))?;
            Err(Stop::Exit(args[0] as u32 as i32).into())
        }
        Primitive::ProcessAbort => Err(fail(FailureKind::Abort, messages::ABORT).into()),
        Primitive::ProcessUncaught => {
            let thrown = world.text_at(args[0] as u64);
            Err(fail(FailureKind::Exception, thrown).into())
        }
        Primitive::ProcessFail => Err(failed_assertion(world, args).into()),
        Primitive::ProcessAssume => {
            if args[0] as u32 == 0 {
                return Err(Stop::Excluded.into());
            }
            Ok(None)
        }
        Primitive::InputChoose => choose(world, args),
        Primitive::InputVariable => variable(world, args),
        Primitive::FloatFormat => format(world, args),
        Primitive::FloatParse => parse(world, args),
        _ => file(world, primitive, args),
    }
}

fn failed_assertion(world: &Shared, args: &[Word]) -> Stop {
    let file = world.text_at(args[1] as u64);
    let asserted_at = (!file.is_empty()).then_some((file, args[2] as u32));
    let condition = world.text_at(args[0] as u64);
    Stop::Fail(Box::new(Draft { kind: FailureKind::Assertion, condition, asserted_at, related: Vec::new() }))
}

/// A value that the environment chooses.
fn choose(world: &mut Shared, args: &[Word]) -> Performed {
    world.gate(Pending::primitive(Primitive::InputChoose, args))?;
    let bits = (args[0] as u32).clamp(1, 64);
    let value = Word::from(world.turn.choice) & semantics::int::mask(bits);
    world.record_input(Primitive::InputChoose.name(), value as u64 as i64, None);
    world.me().idle.changed();
    world.touched("input", None);
    if let Some(touch) = &mut world.notes.touch {
        touch.value = Some((ir::Type::Int(bits as u8), value));
    }
    Ok(Some(value))
}

fn allocate<V: Clone>(world: &mut Shared, thread: &Thread<V>, args: &[Word]) -> Performed {
    // Reusing a block whose address others may know is visible to them.
    if let Some(object) = world.memory.next_reused(world.turn.current as u32, args[0] as u64) {
        let size = world.memory.object(object).size.max(args[0] as u64).max(1);
        world.gate(Pending::Memory { object, offset: 0, size, reads: false, writes: true })?;
        world.changed();
        world.touched("allocate", None);
    }
    let kind = ObjectKind::Heap { allocated: world.trail(thread) };
    let owner = Some(world.turn.current as u32);
    let request = Request { size: args[0] as u64, align: args[1] as u64, kind, owner, name: None, layout: None };
    world.make(request).map(|at| Some(Word::from(at))).map_err(Into::into)
}

fn free<V: Clone>(world: &mut Shared, thread: &Thread<V>, args: &[Word]) -> Performed {
    let at = args[0] as u64;
    if at == 0 {
        return Ok(None);
    }
    let Some((id, offset)) = world.memory.resolve(at) else {
        return Err(fail(FailureKind::Memory, messages::no_block(at)).into());
    };
    let visible = world.is_visible(id);
    if visible {
        let size = world.memory.object(id).size.max(1);
        world.gate(Pending::Memory { object: id, offset: 0, size, reads: false, writes: true })?;
    }
    let object = world.memory.object(id);
    let ObjectKind::Heap { allocated } = &object.kind else {
        return Err(fail(FailureKind::Memory, messages::FREED_UNALLOCATED).into());
    };
    let mut related = vec![("allocated here".to_owned(), allocated.clone())];
    let condition = if object.state != State::Live {
        related.extend(object.freed.clone().map(|freed| ("freed here".to_owned(), freed)));
        messages::FREED_TWICE
    } else if offset != 0 {
        messages::FREED_INSIDE
    } else {
        let (base, size) = (object.base, object.size);
        if visible {
            world.check_race(id, 0, size.min(LARGEST_CHECKED), true, false)?;
            world.changed();
            world.touched("free", Some(at));
        } else {
            world.me().idle.changed();
        }
        let trail = world.trail(thread);
        world.syncs.forget(base, size);
        world.memory.free(id, trail);
        return Ok(None);
    };
    Err(Stop::Fail(Box::new(Draft {
        kind: FailureKind::Memory,
        condition: condition.to_owned(),
        asserted_at: None,
        related,
    }))
    .into())
}

/// A new block of the runtime's, private to the thread.
fn block(world: &mut Shared, bytes: &[u8], what: &'static str) -> Result<u64, Stop> {
    let owner = Some(world.turn.current as u32);
    let kind = ObjectKind::Runtime(what);
    let request = Request { size: bytes.len() as u64, align: 16, kind, owner, name: None, layout: None };
    let at = world.make(request)?;
    write_bytes(world, at, bytes);
    Ok(at)
}

fn variable(world: &mut Shared, args: &[Word]) -> Performed {
    let name = world.text_at(args[0] as u64);
    let found = world.variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone());
    world.record_input(
        Primitive::InputVariable.name(),
        i64::from(found.is_some()),
        found.as_deref().map(str::as_bytes),
    );
    match found {
        None => Ok(Some(0)),
        Some(value) => {
            let mut bytes = value.into_bytes();
            bytes.push(0);
            Ok(Some(Word::from(block(world, &bytes, "environment variable")?)))
        }
    }
}

fn write_bytes(world: &mut Shared, at: u64, bytes: &[u8]) {
    if let Some((id, offset)) = world.memory.resolve(at) {
        let begin = offset as usize;
        let object = world.memory.object_mut(id);
        if let Some(target) = object.bytes.get_mut(begin..begin + bytes.len()) {
            target.copy_from_slice(bytes);
        }
    }
}

fn read_bytes(world: &mut Shared, at: u64, length: u64) -> Result<Vec<u8>, Stop> {
    if length == 0 {
        return Ok(Vec::new());
    }
    let (id, offset) = world.locate(at, length, "read")?;
    let begin = offset as usize;
    Ok(world.memory.object(id).bytes[begin..begin + length as usize].to_vec())
}

/// The digits that `float.format` writes; its arguments after the buffer and its size.
pub fn float_text(conversion: Word, precision: Word, alternate: Word, value: Word) -> String {
    let precision = (precision as u32 as i32).min(20_000);
    digits::format(Magnitude::from_extended(value), char::from(conversion as u8), precision, alternate as u32 != 0)
}

fn format(world: &mut Shared, args: &[Word]) -> Performed {
    let text = float_text(args[2], args[3], args[4], args[5]);
    let room = args[1] as u64;
    let kept = &text.as_bytes()[..text.len().min(room as usize)];
    if !kept.is_empty() {
        world.locate(args[0] as u64, kept.len() as u64, "written")?;
        write_bytes(world, args[0] as u64, kept);
        world.me().idle.changed();
    }
    Ok(Some(text.len() as Word))
}

fn parse(world: &mut Shared, args: &[Word]) -> Performed {
    let bytes = read_bytes(world, args[0] as u64, args[1] as u64)?;
    Ok(Some(float_of(&bytes)))
}

/// The number that `float.parse` reads, as bits.
pub fn float_of(bytes: &[u8]) -> Word {
    let text = String::from_utf8_lossy(bytes).to_lowercase();
    let (sign, magnitude) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.strip_prefix('+').unwrap_or(&text)),
    };
    let value = match magnitude.strip_prefix("0x") {
        Some(hexadecimal) => parse_hexadecimal(hexadecimal),
        None => magnitude.parse().unwrap_or(0.0),
    };
    Word::from((sign * value).to_bits())
}

/// `1.8p3`: the digits are gathered exactly as far as a double can tell, then scaled.
fn parse_hexadecimal(text: &str) -> f64 {
    let (digits, exponent) = text.split_once('p').unwrap_or((text, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mut significand: u64 = 0;
    let mut scale: i32 = exponent.parse::<i32>().unwrap_or(0);
    for digit in whole.chars().chain(fraction.chars()).filter_map(|digit| digit.to_digit(16)) {
        if significand >> 59 == 0 {
            significand = significand << 4 | u64::from(digit);
        } else {
            significand |= u64::from(digit != 0);
            scale = scale.saturating_add(4);
        }
    }
    scale = scale.saturating_sub(4 * fraction.len() as i32);
    libm::ldexp(significand as f64, scale)
}

fn file(world: &mut Shared, primitive: Primitive, args: &[Word]) -> Performed {
    let descriptor = args[0] as u32 as i32;
    // Output to the standard streams is invisible to threads.
    let is_stream = primitive == Primitive::FileWrite && (descriptor == 1 || descriptor == 2);
    if !is_stream {
        world.gate(Pending::primitive(primitive, args))?;
        world.touched("file", None);
    } else if args[2] as u64 > 0 {
        world.reach(args[1] as u64, args[2] as u64, READ)?;
    }
    world.me().idle.changed();
    let number = |value: i64| Ok(Some(Word::from(value as u64)));
    let small = |value: i32| Ok(Some(Word::from(value as u32)));
    match primitive {
        Primitive::FileOpen => {
            let path = world.text_at(args[0] as u64);
            small(world.files.open(&path, args[1] as u32 as i32 & (files::EXCLUSIVE * 2 - 1)))
        }
        Primitive::FileClose => small(world.files.close(descriptor)),
        Primitive::FileRead => match world.files.read(descriptor, args[2] as u64) {
            None => {
                world.record_input(primitive.name(), -1, None);
                number(-1)
            }
            Some(bytes) => {
                world.record_input(primitive.name(), bytes.len() as i64, Some(&bytes));
                if !bytes.is_empty() {
                    world.locate(args[1] as u64, bytes.len() as u64, "written")?;
                    write_bytes(world, args[1] as u64, &bytes);
                }
                number(bytes.len() as i64)
            }
        },
        Primitive::FileWrite => {
            let bytes = read_bytes(world, args[1] as u64, args[2] as u64)?;
            number(world.files.write(descriptor, &bytes))
        }
        Primitive::FileSeek => number(world.files.seek(descriptor, args[1] as u64 as i64, args[2] as u32 as i32)),
        Primitive::FileRemove => {
            let path = world.text_at(args[0] as u64);
            small(world.files.remove(&path))
        }
        other => Err(Stop::Unsupported(format!("the operation {}", other.name())).into()),
    }
}
