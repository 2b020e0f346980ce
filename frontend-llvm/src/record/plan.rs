//! What is inserted where: for each function the steps that record its decisions, and the places at which its bits must
//! be in the file.
//!
//! A function that decides something keeps the bits of the current word in a variable. They go to the file before
//! anything that others may see ([`Step::Flush`]), are fetched again after a call that may have added some
//! ([`Step::Enter`]), and are given room before they are pushed ([`Step::Room`]), which is once for each round of a
//! loop and not for each branch.

use std::collections::{HashMap, HashSet};

use crate::llvm::{Block, Module, Opcode, Value, ValueKind};

use super::frequency::loops;
use super::known::Behaviour;
use super::sharing::{Sharing, called, is_assembly, is_defined};
use super::tickets::{SEQUENCED, Ticket, tickets};
use super::values::VALUE;

/// Functions that call the program back. The hooks have their own, which do it in the order of the models.
const OWN: &[&str] = &["pthread_once", "call_once", "qsort", "qsort_r", "bsearch"];

/// How many bits fit after [`Step::Room`], unless a wider number needs more. The less there is, the fuller are the words;
/// the more there is, the seldomer it must be made.
const ROOM: u32 = 12;

/// How much room is made for a number of that many bits.
fn room_for(width: u32) -> u32 {
    width.max(ROOM)
}

/// The block and the instruction, counted from zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    pub block: usize,
    pub instruction: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Enter,
    /// Room for that many bits.
    Room {
        bits: u32,
    },
    Flush,
    /// The branch's condition is a bit.
    Branch,
    /// The chosen edge of the switch is a number of that many bits.
    Switch {
        width: u32,
    },
    /// Bits of a number that passes through.
    Value {
        shift: u32,
        width: u32,
    },
    /// The chosen target of the computed jump is a number of that many bits.
    Jump {
        width: u32,
    },
    /// The function that is called through a pointer.
    Callee,
    /// The answer of an input function, by the number of its effect.
    Input {
        number: usize,
    },
    /// A call whose effect nobody knows, by its number among them.
    Unknown {
        place: usize,
    },
    /// The ticket that was taken last is done with.
    Done,
    /// A ticket is taken.
    Take,
    /// The function is called whose name has this beginning.
    Replace {
        beginning: &'static str,
    },
    /// The instruction goes.
    Erase,
}

#[derive(Debug, Default)]
pub struct FunctionPlan {
    pub name: String,
    /// In the order of their positions; of one position in this order.
    pub before: Vec<(Position, Step)>,
    /// For a call that ends its block: on the way on which it returned.
    pub after: Vec<(Position, Step)>,
    /// The terminators that are decisions.
    pub decisions: Vec<Position>,
    /// Whether numbers are recorded here.
    pub has_values: bool,
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

    /// Whether the function pushes bits itself.
    pub fn decides(&self) -> bool {
        !self.decisions.is_empty() || self.has_values
    }
}

/// A call of a function that nobody knows.
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

pub fn plan<'m>(module: &'m Module<'_>, sharing: &mut Sharing<'m>, every_branch: bool) -> Plan {
    let mut tickets = tickets(module, sharing);
    let functions: Vec<Value<'m>> = module.functions().filter(|&function| is_defined(function)).collect();
    let mut decisions: HashMap<Value<'m>, Vec<Position>> = HashMap::new();
    for &function in &functions {
        decisions.insert(function, decisions_of(sharing, function, every_branch));
    }
    let recording = recording(sharing, &functions, &decisions);
    let mut plan = Plan::default();
    for function in functions {
        let decisions = decisions.remove(&function).unwrap_or_default();
        let mut planner = Planner {
            sharing,
            recording: &recording,
            unknown: &mut plan.unknown,
            plan: FunctionPlan {
                name: function.name(),
                decisions,
                has_values: has_values(function),
                ..FunctionPlan::default()
            },
        };
        planner.function(function);
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

/// Whether a branch only finds out where a variadic argument lies, in registers or in memory. That is the business of
/// whoever runs the program, and both ways lead to the same value.
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

/// The functions that may record something when they are called.
fn recording<'m>(
    sharing: &Sharing<'m>,
    functions: &[Value<'m>],
    decisions: &HashMap<Value<'m>, Vec<Position>>,
) -> HashSet<Value<'m>> {
    let mut callers: HashMap<Value<'m>, Vec<Value<'m>>> = HashMap::new();
    let mut pending = Vec::new();
    for &function in functions {
        let decides = decisions.get(&function).is_some_and(|decisions| !decisions.is_empty());
        let mut records = decides || has_values(function);
        for call in function.blocks().into_iter().flat_map(Block::instructions).filter(|value| value.is_call()) {
            match called(call) {
                Some(callee) if is_defined(callee) => callers.entry(callee).or_default().push(function),
                Some(callee) => records |= calls_back(sharing.behaviour(callee)),
                None => records |= !is_assembly(call),
            }
        }
        if records {
            pending.push(function);
        }
    }
    let mut recording: HashSet<Value<'m>> = pending.iter().copied().collect();
    while let Some(function) = pending.pop() {
        for &caller in callers.get(&function).into_iter().flatten() {
            if recording.insert(caller) {
                pending.push(caller);
            }
        }
    }
    recording
}

/// Whether a function from outside may run code of the program before it returns.
fn calls_back(behaviour: Behaviour) -> bool {
    matches!(behaviour, Behaviour::CallsBack | Behaviour::Keeps | Behaviour::Unknown)
}

/// What is known about the bits at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    room: u32,
    /// Whether some may not be in the file.
    dirty: bool,
}

/// What an instruction asks for.
#[derive(Clone, Copy, Debug, Default)]
struct Asks {
    /// Others may see what it does.
    visible: bool,
    /// The bits may have changed when it is done.
    changes: bool,
}

struct Planner<'p, 'm> {
    sharing: &'p mut Sharing<'m>,
    recording: &'p HashSet<Value<'m>>,
    unknown: &'p mut Vec<UnknownCall>,
    plan: FunctionPlan,
}

impl<'m> Planner<'_, 'm> {
    fn function(&mut self, function: Value<'m>) {
        let blocks = function.blocks();
        self.answers(&blocks);
        if !self.plan.decides() {
            return;
        }
        let numbers: HashMap<Block<'m>, usize> =
            blocks.iter().enumerate().map(|(number, &block)| (block, number)).collect();
        let successors: Vec<Vec<usize>> = blocks
            .iter()
            .map(|block| block.terminator().map(Value::successors).unwrap_or_default())
            .map(|list| list.iter().filter_map(|block| numbers.get(block).copied()).collect())
            .collect();
        let order = reverse_postorder(&successors);
        let values: Vec<Vec<(Value<'m>, Asks)>> =
            blocks.iter().map(|block| block.instructions().map(|value| (value, self.asks(value))).collect()).collect();
        let quiet_loops = self.quiet_loops(&blocks, &values);
        let enters_quiet_loop = |block: usize| {
            quiet_loops
                .iter()
                .any(|quiet| !quiet.contains(&block) && successors[block].iter().any(|next| quiet.contains(next)))
        };
        let entered = self.states(&order, &successors, &values, enters_quiet_loop);
        let decisions: HashSet<Position> = self.plan.decisions.iter().copied().collect();
        for &block in &order {
            let Some(mut state) = entered[block] else { continue };
            for (instruction, &(value, asks)) in values[block].iter().enumerate() {
                let position = Position { block, instruction };
                if asks.visible && state.dirty {
                    self.plan.before.push((position, Step::Flush));
                }
                if asks.visible {
                    state.dirty = false;
                }
                for (width, step) in pushed(value, decisions.contains(&position)) {
                    if state.room < width {
                        self.plan.before.push((position, Step::Room { bits: room_for(width) }));
                    }
                    self.plan.before.push((position, step));
                    state = state.after_push(width);
                }
                let is_last = instruction + 1 == values[block].len();
                if is_last && state.dirty && enters_quiet_loop(block) {
                    self.plan.before.push((position, Step::Flush));
                    state.dirty = false;
                }
                if asks.changes {
                    self.plan.after.push((position, Step::Enter));
                    state = State { room: 0, dirty: false };
                }
            }
        }
    }

    /// Room and dirt at the beginning of each block that is reached. A loop begins without room.
    fn states(
        &self,
        order: &[usize],
        successors: &[Vec<usize>],
        values: &[Vec<(Value<'m>, Asks)>],
        enters_quiet_loop: impl Fn(usize) -> bool,
    ) -> Vec<Option<State>> {
        let decisions: HashSet<Position> = self.plan.decisions.iter().copied().collect();
        let place: HashMap<usize, usize> = order.iter().enumerate().map(|(place, &block)| (block, place)).collect();
        let mut entered: Vec<Option<State>> = vec![None; successors.len()];
        if let Some(first) = entered.first_mut() {
            *first = Some(State { room: 0, dirty: false });
        }
        let mut changed = true;
        while changed {
            changed = false;
            for &block in order {
                let Some(mut state) = entered[block] else { continue };
                for (instruction, &(value, asks)) in values[block].iter().enumerate() {
                    let decides = decisions.contains(&Position { block, instruction });
                    state = next_state(state, asks, &pushed(value, decides));
                }
                state.dirty &= !enters_quiet_loop(block);
                for &successor in &successors[block] {
                    let is_back = place.get(&successor) <= place.get(&block);
                    let state = if is_back { State { room: 0, ..state } } else { state };
                    let met = entered[successor].map_or(state, |known| State {
                        room: known.room.min(state.room),
                        dirty: known.dirty || state.dirty,
                    });
                    changed |= entered[successor] != Some(met);
                    entered[successor] = Some(met);
                }
            }
        }
        entered
    }

    /// Loops in which nothing is pushed and something is visible: what was pushed before them goes to the file once, and
    /// not in each round.
    fn quiet_loops(&self, blocks: &[Block<'m>], values: &[Vec<(Value<'m>, Asks)>]) -> Vec<HashSet<usize>> {
        let numbers: HashMap<Block<'m>, usize> =
            blocks.iter().enumerate().map(|(number, &block)| (block, number)).collect();
        let decisions: HashSet<Position> = self.plan.decisions.iter().copied().collect();
        let pushes = |block: usize| {
            values[block].iter().enumerate().any(|(instruction, &(value, asks))| {
                asks.changes || !pushed(value, decisions.contains(&Position { block, instruction })).is_empty()
            })
        };
        loops(blocks)
            .into_iter()
            .map(|circle| circle.into_iter().filter_map(|block| numbers.get(&block).copied()).collect())
            .filter(|circle: &HashSet<usize>| !circle.iter().any(|&block| pushes(block)))
            .filter(|circle| circle.iter().any(|&block| values[block].iter().any(|(_, asks)| asks.visible)))
            .collect()
    }

    fn asks(&mut self, value: Value<'m>) -> Asks {
        let seen = |visible| Asks { visible, changes: false };
        match value.opcode() {
            Some(Opcode::LLVMStore) => seen(value.operand(1).is_none_or(|address| self.sharing.is_visible(address))),
            Some(
                Opcode::LLVMAtomicRMW
                | Opcode::LLVMAtomicCmpXchg
                | Opcode::LLVMFence
                | Opcode::LLVMRet
                | Opcode::LLVMResume
                | Opcode::LLVMUnreachable,
            ) => seen(true),
            Some(Opcode::LLVMLandingPad) => Asks { visible: false, changes: true },
            Some(Opcode::LLVMCall | Opcode::LLVMInvoke | Opcode::LLVMCallBr) => self.call_asks(value),
            _ => seen(false),
        }
    }

    fn call_asks(&mut self, call: Value<'m>) -> Asks {
        let Some(function) = called(call) else {
            return Asks { visible: true, changes: !is_assembly(call) };
        };
        if is_defined(function) {
            return Asks { visible: true, changes: self.recording.contains(&function) };
        }
        let name = function.name();
        if name == VALUE {
            return Asks::default();
        }
        if !name.starts_with("llvm.") {
            return Asks { visible: true, changes: calls_back(self.sharing.behaviour(function)) };
        }
        let writes = ["llvm.memcpy", "llvm.memmove", "llvm.memset"].iter().any(|writes| name.starts_with(writes));
        let target = call.arguments().first().copied().filter(|_| writes);
        Asks { visible: target.is_some_and(|target| self.sharing.is_visible(target)), changes: false }
    }

    /// What calls answer, and which functions are called through pointers.
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
fn pushed(value: Value<'_>, decides: bool) -> Vec<(u32, Step)> {
    if let Some(width) = recorded_width(value) {
        let parts: &[(u32, u32)] = if width > 32 { &[(32, 32), (0, 32)] } else { &[(0, width)] };
        return parts.iter().map(|&(shift, width)| (width, Step::Value { shift, width })).collect();
    }
    if !decides {
        return Vec::new();
    }
    let edges = value.successors().len();
    match value.opcode() {
        Some(Opcode::LLVMBr) => vec![(1, Step::Branch)],
        Some(Opcode::LLVMSwitch) => {
            let width = case_width(edges - 1);
            vec![(width, Step::Switch { width })]
        }
        Some(Opcode::LLVMIndirectBr) => {
            let targets: HashSet<Block<'_>> = value.successors().into_iter().collect();
            let width = case_width(targets.len());
            vec![(width, Step::Jump { width })]
        }
        _ => Vec::new(),
    }
}

/// The width of a number that is recorded itself.
fn recorded_width(value: Value<'_>) -> Option<u32> {
    called(value).filter(|function| function.name() == VALUE)?;
    value.arguments().get(1)?.integer_bits().and_then(|width| u32::try_from(width).ok())
}

fn has_values(function: Value<'_>) -> bool {
    function.blocks().into_iter().flat_map(Block::instructions).any(|value| recorded_width(value).is_some())
}

impl State {
    fn after_push(self, width: u32) -> State {
        let room = if self.room < width { room_for(width) } else { self.room };
        State { room: room.saturating_sub(width), dirty: true }
    }
}

fn next_state(state: State, asks: Asks, pushes: &[(u32, Step)]) -> State {
    let mut next = state;
    if asks.visible {
        next.dirty = false;
    }
    for (width, _) in pushes {
        next = next.after_push(*width);
    }
    if asks.changes {
        next = State { room: 0, dirty: false };
    }
    next
}

fn reverse_postorder(successors: &[Vec<usize>]) -> Vec<usize> {
    let mut seen = vec![false; successors.len()];
    let mut order = Vec::new();
    let mut path: Vec<(usize, usize)> = Vec::new();
    if let Some(first) = seen.first_mut() {
        *first = true;
        path.push((0, 0));
    }
    while let Some((block, next)) = path.last_mut() {
        let block = *block;
        match successors[block].get(*next) {
            Some(&successor) => {
                *next += 1;
                if !seen[successor] {
                    seen[successor] = true;
                    path.push((successor, 0));
                }
            }
            None => {
                order.push(block);
                path.pop();
            }
        }
    }
    order.reverse();
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_cases_have_the_least_width() {
        assert_eq!([1, 2, 3, 4, 7, 8].map(case_width), [1, 2, 2, 3, 3, 4]);
    }

    #[test]
    fn loops_come_after_what_leads_to_them() {
        assert_eq!(reverse_postorder(&[vec![1], vec![2, 3], vec![1], vec![]]), [0, 1, 3, 2]);
        assert!(reverse_postorder(&[]).is_empty());
    }
}
