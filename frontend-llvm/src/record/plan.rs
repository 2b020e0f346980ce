//! Plans the instrumentation: for each function the steps that record its decisions and inputs.
//!
//! At this stage bits are only marked where they arise; the code that stores them is planned after the program has been
//! simplified ([`super::words`]).

use std::collections::HashSet;

use crate::llvm::{Block, Module, Opcode, Value, ValueKind};
use crate::names::{SEQUENCED, VALUE};

use super::known::Behaviour;
use super::position::Position;
use super::sharing::{Sharing, called, is_assembly, is_defined};
use super::tickets::{Ticket, tickets};

/// Functions that call back into the program. Recorded programs call our own versions in the hooks, so that the order
/// of the callbacks is known and equals that of the models.
const OWN: &[&str] = &["pthread_once", "call_once", "qsort", "qsort_r", "bsearch"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The branch's condition is a bit.
    Branch,
    /// The chosen edge of the switch is a number of that many bits.
    Switch { width: u32 },
    /// Bits of a number that passes through.
    Value { shift: u32, width: u32 },
    /// The chosen target of the computed jump is a number of that many bits.
    Jump { width: u32 },
    /// The function that is called through a pointer.
    Callee,
    /// The result of an input function, by the number of its effect.
    Input { number: usize },
    /// A call with unknown effect, by its number among them.
    Unknown { place: usize },
    /// The last ticket is done.
    Done,
    /// Takes a ticket.
    Take,
    /// Calls the function with this name prefix instead.
    Replace { beginning: &'static str },
    /// Removes the instruction.
    Erase,
}

#[derive(Debug, Default)]
pub struct FunctionPlan {
    pub name: String,
    /// In the order of their positions; of one position in this order.
    pub before: Vec<(Position, Step)>,
    /// After an instruction; for a call that ends its block, on the edge of its normal return.
    pub after: Vec<(Position, Step)>,
    /// The terminators that are decisions.
    pub decisions: Vec<Position>,
}

impl FunctionPlan {
    /// The ticket that is taken at `position` is for the instruction after it.
    fn ticket(&mut self, position: Position, ticket: Ticket) {
        let operation = Position { instruction: position.instruction + 1, ..position };
        match ticket {
            Ticket::Held => self.after.push((operation, Step::Done)),
            Ticket::Before => self.after.push((position, Step::Done)),
            Ticket::Replaced => self.before.push((operation, Step::Replace { beginning: SEQUENCED })),
            Ticket::Kept => {}
            Ticket::After => {
                self.before.push((position, Step::Erase));
                self.after.push((operation, Step::Take));
                self.after.push((operation, Step::Done));
            }
        }
    }
}

/// A call of an unknown function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownCall {
    pub function: String,
    pub file: String,
    pub line: u32,
}

#[derive(Debug, Default)]
pub struct Plan {
    pub functions: Vec<FunctionPlan>,
    pub unknown: Vec<UnknownCall>,
}

/// The width of the number of one of `cases` cases or the default.
pub fn case_width(cases: usize) -> u32 {
    usize::BITS - cases.leading_zeros()
}

pub fn plan<'m>(module: &'m Module<'_>, sharing: &Sharing<'m>, every_branch: bool) -> Plan {
    let mut tickets = tickets(module, sharing);
    let mut plan = Plan::default();
    for function in module.functions().filter(|&function| is_defined(function)) {
        let mut planner = Planner {
            sharing,
            unknown: &mut plan.unknown,
            plan: FunctionPlan {
                name: function.name(),
                decisions: decisions_of(sharing, function, every_branch),
                ..FunctionPlan::default()
            },
        };
        let blocks = function.blocks();
        planner.answers(&blocks);
        planner.pushes(&blocks);
        for (position, ticket) in tickets.remove(&function.name()).unwrap_or_default() {
            planner.plan.ticket(position, ticket);
        }
        plan.functions.push(planner.plan);
    }
    plan
}

fn decisions_of<'m>(sharing: &Sharing<'m>, function: Value<'m>, every_branch: bool) -> Vec<Position> {
    let mut decisions = Vec::new();
    for (block, values) in function.blocks().into_iter().enumerate() {
        let Some(terminator) = values.terminator() else { continue };
        let deciding = match terminator.opcode() {
            Some(Opcode::LLVMBr | Opcode::LLVMSwitch) => terminator.condition(),
            Some(Opcode::LLVMIndirectBr) => terminator.operand(0),
            _ => None,
        };
        let has_choice = terminator.successors().len() > 1;
        let is_constant = deciding.is_some_and(|value| value.kind() == ValueKind::Integer);
        if has_choice
            && !fetches_argument(terminator)
            && !is_constant
            && deciding.is_some_and(|value| every_branch || sharing.is_dependent(value))
        {
            decisions.push(Position { block, instruction: values.instructions().count() - 1 });
        }
    }
    decisions
}

/// Whether a branch only decides whether a variadic argument is in registers or in memory. That depends on the engine,
/// and both branches yield the same value.
fn fetches_argument(terminator: Value<'_>) -> bool {
    let touches_list = |block: Block<'_>| {
        block.instructions().any(|value| {
            let source = value.element_source().and_then(|source| source.struct_name());
            source.is_some_and(|name| name == "struct.__va_list_tag")
        })
    };
    let successors = terminator.successors();
    successors.len() == 2 && successors.into_iter().all(touches_list)
}

struct Planner<'p, 'm> {
    sharing: &'p Sharing<'m>,
    unknown: &'p mut Vec<UnknownCall>,
    plan: FunctionPlan,
}

impl<'m> Planner<'_, 'm> {
    /// The bits of decisions and of numbers.
    fn pushes(&mut self, blocks: &[Block<'m>]) {
        let decisions: HashSet<Position> = self.plan.decisions.iter().copied().collect();
        for (block, values) in blocks.iter().enumerate() {
            for (instruction, value) in values.instructions().enumerate() {
                let position = Position { block, instruction };
                let steps = pushed(value, decisions.contains(&position));
                self.plan.before.extend(steps.into_iter().map(|step| (position, step)));
            }
        }
    }

    /// The inputs from calls, and the functions that are called through pointers.
    fn answers(&mut self, blocks: &[Block<'m>]) {
        for (block, values) in blocks.iter().enumerate() {
            for (instruction, call) in values.instructions().enumerate().filter(|(_, value)| value.is_call()) {
                let position = Position { block, instruction };
                let Some(function) = called(call) else {
                    if !is_assembly(call) {
                        self.plan.before.push((position, Step::Callee));
                    }
                    continue;
                };
                if is_defined(function) || function.name().starts_with("llvm.") {
                    continue;
                }
                if OWN.contains(&function.name().as_str()) {
                    self.plan.before.push((position, Step::Replace { beginning: "__heddle_own_" }));
                }
                match self.sharing.behaviour(function) {
                    Behaviour::Answers(number) => self.plan.after.push((position, Step::Input { number })),
                    Behaviour::Unknown => {
                        let (file, line) = place(call);
                        let place = self.unknown.len();
                        self.unknown.push(UnknownCall { function: function.name(), file, line });
                        self.plan.after.push((position, Step::Unknown { place }));
                    }
                    _ => {}
                }
            }
        }
    }
}

fn place(call: Value<'_>) -> (String, u32) {
    let location = call.debug_location();
    let line = location.and_then(|location| location.line_and_column()).map_or(0, |(line, _)| line);
    let file = location.and_then(|location| location.location_scope()?.file()?.file_name());
    (file.map(|(name, _)| name).unwrap_or_default(), line)
}

/// The bits that an instruction pushes, and how.
fn pushed(value: Value<'_>, decides: bool) -> Vec<Step> {
    if let Some(width) = recorded_width(value) {
        let parts: &[(u32, u32)] = if width > 32 { &[(32, 32), (0, 32)] } else { &[(0, width)] };
        return parts.iter().map(|&(shift, width)| Step::Value { shift, width }).collect();
    }
    if !decides {
        return Vec::new();
    }
    let edges = value.successors().len();
    match value.opcode() {
        Some(Opcode::LLVMBr) => vec![Step::Branch],
        Some(Opcode::LLVMSwitch) => vec![Step::Switch { width: case_width(edges - 1) }],
        Some(Opcode::LLVMIndirectBr) => {
            let targets: HashSet<Block<'_>> = value.successors().into_iter().collect();
            vec![Step::Jump { width: case_width(targets.len()) }]
        }
        _ => Vec::new(),
    }
}

/// The width of a number that is recorded itself.
fn recorded_width(value: Value<'_>) -> Option<u32> {
    called(value).filter(|function| function.name() == VALUE)?;
    value.arguments().get(1)?.integer_bits().and_then(|width| u32::try_from(width).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_cases_have_the_least_width() {
        assert_eq!([1, 2, 3, 4, 7, 8].map(case_width), [1, 2, 2, 3, 3, 4]);
    }
}
