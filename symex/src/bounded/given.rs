//! Inputs of a program: arguments and standard input, with concrete values, or as symbols that stand for all values up
//! to a bound.
//!
//! An argument of symbolic length is one block whose bytes behind its first zero may be absent. The same holds for the
//! list of arguments behind its terminating null.

use std::rc::Rc;

use events::{Execution, Kind};
use formula::{Sort, Term, Terms, Value as InputValue};
use ir::Type;
use semantics::execute::{NOTHING, Thread};

use crate::bounded::files::{self, BYTES};
use crate::bounded::objects::{Maker, Object, ObjectId, Surrounding};
use crate::bounded::state::{Memory, Rest};
use crate::bounded::unroll::Unrolled;
use crate::bounded::value::Value;
use crate::bounded::walk::{Role, Walk};
use crate::bounded::world::{Walker, blank};

/// The inputs that are symbolic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Symbolic {
    /// The largest length of the standard input, if it is symbolic.
    pub stdin: Option<u32>,
    pub arguments: Option<Arguments>,
}

/// Bounds for symbolic arguments, not counting the program's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arguments {
    /// The largest number of arguments.
    pub count: u32,
    /// The largest length of each, in bytes.
    pub length: u32,
}

/// The part of the program's input that a graph input represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    ArgumentCount,
    /// Both numbers begin at 0.
    ArgumentByte {
        argument: u32,
        byte: u32,
    },
    StdinLength,
    StdinByte(u32),
}

/// The program's input in an execution of the graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Given {
    /// Without the program's name, if they are symbols.
    pub arguments: Option<Vec<Vec<u8>>>,
    pub stdin: Option<Vec<u8>>,
}

impl Unrolled {
    /// The program's input in an execution.
    pub fn given(&self, execution: &Execution) -> Given {
        let value = |wanted: Part| {
            let (_, symbol) = self.parts.iter().find(|(part, _)| *part == wanted)?;
            let position = self.graph.inputs.iter().position(|input| input == symbol)?;
            match execution.inputs.get(position) {
                Some(InputValue::Bits { value, .. }) => Some(*value as u32),
                _ => Some(0),
            }
        };
        let bytes = |part: &dyn Fn(u32) -> Part, most: u32| -> Vec<u8> {
            (0..most).map_while(|byte| value(part(byte))).map(|byte| byte as u8).collect()
        };
        let arguments = value(Part::ArgumentCount).map(|count| {
            let text = |argument| {
                let mut text = bytes(&|byte| Part::ArgumentByte { argument, byte }, u32::MAX);
                text.truncate(text.iter().position(|&byte| byte == 0).unwrap_or(text.len()));
                text
            };
            (0..count).map(text).collect()
        });
        let stdin = value(Part::StdinLength).map(|length| bytes(&Part::StdinByte, length));
        Given { arguments, stdin }
    }

    /// The part that a graph input represents, if it is not a value that the program reads itself.
    pub fn part(&self, input: usize) -> Option<Part> {
        let symbol = self.graph.inputs.get(input)?;
        self.parts.iter().find(|(_, known)| known == symbol).map(|&(part, _)| part)
    }
}

/// A symbol for a number from 0 to `largest`, and the condition that it is in that range.
fn number(walk: &mut Walk<'_>, part: Part, name: &str, largest: u32) -> (Term, Term) {
    let bits = (u32::BITS - largest.leading_zeros()).max(1);
    let symbol = symbol(walk, part, name, bits);
    let limit = walk.terms().bits(bits, u128::from(largest));
    (symbol, walk.terms().ule(symbol, limit))
}

/// The number `from + symbol`, as a choice between constants, so that its value set is known.
fn counted(terms: &mut Terms, symbol: Term, largest: u32, from: u64, width: u32) -> Term {
    let mut all = terms.bits(width, u128::from(from + u64::from(largest)));
    for number in (0..largest).rev() {
        let bits = terms.width(symbol);
        let (here, value) =
            (terms.bits(bits, u128::from(number)), terms.bits(width, u128::from(from + u64::from(number))));
        let same = terms.eq(symbol, here);
        all = terms.ite(same, value, all);
    }
    all
}

fn symbol(walk: &mut Walk<'_>, part: Part, name: &str, bits: u32) -> Term {
    let symbol = walk.builder.input(name, Sort::Bits(bits));
    walk.parts.push((part, symbol));
    symbol
}

/// Creates the program's inputs and starts its main thread.
pub fn begin(walk: &mut Walk<'_>, machine: &Thread<Value>, rest: &mut Rest) -> Thread<Value> {
    let mut allowed = Vec::new();
    walk.known.files.look_again();
    walk.known.variables.clear();
    let stdin = stdin(walk, &mut rest.memory, &mut allowed);
    files::open_streams(&mut walk.known.objects, stdin);
    let thread = match walk.bounds.symbolic.arguments {
        Some(wanted) => {
            let (count, list) = arguments(walk, &mut rest.memory, wanted, machine, &mut allowed);
            enter(walk, machine, count, list)
        }
        None => machine.clone(),
    };
    let condition = walk.terms().and(&allowed);
    if walk.terms().as_bool(condition) != Some(true) {
        walk.event(rest, Role::Part, Kind::Assume { condition });
    }
    thread
}

fn stdin(walk: &mut Walk<'_>, memory: &mut Memory, allowed: &mut Vec<Term>) -> u64 {
    let maker = Maker::Surrounding(Surrounding::Stdin);
    let Some(most) = walk.bounds.symbolic.stdin else {
        let options = walk.options;
        let id = walk.known.objects.make(maker, || files::file(&options.stdin, 0, "stdin".to_owned()));
        return walk.known.objects.get(id).base;
    };
    let size = BYTES + u64::from(most);
    let id = walk.known.objects.make(maker, || blank(size, false, Some("stdin".to_owned())));
    let (length, fits) = number(walk, Part::StdinLength, "stdin_length", most);
    allowed.push(fits);
    let length = counted(walk.terms(), length, most, 0, 64);
    write(walk, memory, id, 0, 8, length);
    for byte in 0..most {
        let value = symbol(walk, Part::StdinByte(byte), &format!("stdin_{byte}"), 8);
        write(walk, memory, id, BYTES as u32 + byte, 1, value);
    }
    walk.known.objects.get(id).base
}

fn write(walk: &mut Walk<'_>, memory: &mut Memory, id: ObjectId, offset: u32, bytes: u32, value: Term) {
    let terms = walk.builder.terms();
    let value = Value::of(terms, value);
    memory.get_mut(terms, id).write(terms, offset, bytes, value);
}

/// The number of arguments including the name, and the list of them.
fn arguments(
    walk: &mut Walk<'_>,
    memory: &mut Memory,
    wanted: Arguments,
    machine: &Thread<Value>,
    allowed: &mut Vec<Term>,
) -> (Value, Value) {
    let Arguments { count: most, length } = wanted;
    let (count, fits) = number(walk, Part::ArgumentCount, "arguments", most);
    allowed.push(fits);
    let list_size = 8 * (u64::from(most) + 2);
    let name = name_of_program(walk, machine);
    let list = walk.known.objects.make(Maker::Surrounding(Surrounding::Arguments), || {
        let mut image = vec![0; list_size as usize];
        image[..8].copy_from_slice(&name.to_le_bytes());
        Object { image: image.into(), ..blank(list_size, false, None) }
    });
    let truth = walk.terms().truth();
    let mut present = vec![truth; list_size as usize];
    for argument in 0..most {
        let (text, base) = text(walk, memory, argument, length);
        walk.present.insert(text.0, text.1);
        let bits = walk.terms().width(count);
        let number = walk.terms().bits(bits, u128::from(argument));
        let is_there = walk.terms().ult(number, count);
        let (base, null) = (walk.terms().bits(64, u128::from(base)), walk.terms().bits(64, 0));
        let pointer = walk.terms().ite(is_there, base, null);
        write(walk, memory, list, 8 * (argument + 1), 8, pointer);
        // The terminating null follows the last argument.
        present[8 * (argument as usize + 2)] = is_there;
    }
    walk.present.insert(list, present.into());
    let base = walk.known.objects.get(list).base;
    let count = counted(walk.terms(), count, most, 1, 32);
    (Value::of(walk.terms(), count), Value::word(64, u128::from(base)))
}

type Text = (ObjectId, Rc<[Term]>);

fn text(walk: &mut Walk<'_>, memory: &mut Memory, argument: u32, length: u32) -> (Text, u64) {
    let maker = Maker::Surrounding(Surrounding::Argument(argument));
    let id = walk.known.objects.make(maker, || blank(u64::from(length) + 1, false, None));
    let mut present = vec![walk.terms().truth()];
    for byte in 0..length {
        let part = Part::ArgumentByte { argument, byte };
        let value = symbol(walk, part, &format!("argument{argument}_{byte}"), 8);
        write(walk, memory, id, byte, 1, value);
        let zero = walk.terms().bits(8, 0);
        present.push(walk.terms().ne(value, zero));
    }
    ((id, present.into()), walk.known.objects.get(id).base)
}

/// The machine's value of a parameter of the program's entry.
fn parameter(walk: &Walk<'_>, machine: &Thread<Value>, number: usize) -> Value {
    let entry = walk.code.function(walk.code.program.entry);
    let register = entry.params.get(number).map(|(register, _)| *register as usize);
    register.and_then(|register| machine.registers_of(0).get(register).copied()).unwrap_or(Value::word(64, 0))
}

fn name_of_program(walk: &Walk<'_>, machine: &Thread<Value>) -> u64 {
    let list = parameter(walk, machine, 1).as_word().unwrap_or(0) as u64;
    let Some((object, offset)) = walk.known.objects.resolve(list) else { return 0 };
    let image = &walk.known.objects.get(object).image;
    let bytes = image.get(offset as usize..offset as usize + 8).and_then(|bytes| bytes.try_into().ok());
    bytes.map_or(0, u64::from_le_bytes)
}

/// The main thread as the machine starts it, with other arguments.
fn enter(walk: &Walk<'_>, machine: &Thread<Value>, count: Value, list: Value) -> Thread<Value> {
    let program = &walk.code.program;
    let given = [(count, Type::Int(32)), (list, Type::Ptr), (parameter(walk, machine, 2), Type::Ptr)];
    let mut thread = Thread::default();
    let takes = walk.code.function(program.entry).params.len().min(given.len());
    let filler = Value::word(64, 0);
    thread.call(walk.code, program.entry, &given[..takes], NOTHING, filler);
    for &constructor in program.constructors.iter().rev() {
        if walk.code.function(constructor).defined {
            thread.call(walk.code, constructor, &[], NOTHING, filler);
        }
    }
    thread
}

impl Walker<'_, '_> {
    /// The condition that all bytes of an access are present, if the object may lack some.
    pub fn is_present(&mut self, object: ObjectId, offset: Option<u64>, bytes: u64, pointer: Term) -> Option<Term> {
        let present = self.walk.present.get(&object)?.clone();
        let mut all = Vec::new();
        match offset {
            Some(offset) => {
                let end = ((offset + bytes) as usize).min(present.len());
                all.extend_from_slice(&present[..end]);
            }
            None => {
                let base = self.walk.known.objects.get(object).base;
                for (at, &is_there) in present.iter().enumerate() {
                    // An access that ends before this byte does not need it.
                    let limit = self.terms().bits(64, u128::from(base) + at as u128);
                    let size = self.terms().bits(64, u128::from(bytes));
                    let end = self.terms().add(pointer, size);
                    let before = self.terms().ule(end, limit);
                    all.push(self.terms().or2(is_there, before));
                }
            }
        }
        // Conditions that hold on this path already are dropped.
        let guard = &self.rest.guard;
        let terms = self.walk.builder.terms();
        all.retain(|&is_there| guard.decides(terms, is_there) != Some(true));
        Some(self.terms().and(&all))
    }
}
