//! The storage of bits: for each function the places at which the current word is loaded, gets room, and is stored.
//!
//! A function with decisions keeps the bits of the current word in a variable. They are written to the file before any
//! effect that other threads may observe ([`Step::Flush`]), are reloaded after a call that may have pushed bits
//! ([`Step::Enter`]), and get room before they are pushed ([`Step::Room`]), once per loop iteration instead of once per
//! branch.
//!
//! This is planned for the simplified program, so that inlined functions share one variable.

use std::collections::{HashMap, HashSet};

use crate::llvm::{Block, Module, Opcode, Value};

use super::frequency::loops;
use super::known::Behaviour;
use super::position::Position;
use super::sharing::{Sharing, called, is_assembly, is_defined};

/// The number of bits that fit after [`Step::Room`], unless a wider number needs more. Less room means fuller words;
/// more room means fewer checks.
const ROOM: u32 = 12;

/// The room for a number of that many bits.
fn room_for(width: u32) -> u32 {
    width.max(ROOM)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Enter,
    /// Room for that many bits.
    Room {
        bits: u32,
    },
    Flush,
    /// Pushes the marked bits.
    Push {
        width: u32,
    },
}

#[derive(Debug, Default)]
pub struct FunctionWords {
    pub name: String,
    /// In the order of their positions; of one position in this order.
    pub before: Vec<(Position, Step)>,
    /// After an instruction; for a call that ends its block, on the edge of its normal return.
    pub after: Vec<(Position, Step)>,
}

/// The steps of all functions that push bits.
pub fn words<'m>(module: &'m Module<'_>, sharing: &mut Sharing<'m>) -> Vec<FunctionWords> {
    let functions: Vec<Value<'m>> = module.functions().filter(|&function| is_defined(function)).collect();
    let recording = recording(sharing, &functions);
    functions
        .into_iter()
        .filter(|&function| pushes(function))
        .map(|function| {
            let words = FunctionWords { name: function.name(), ..FunctionWords::default() };
            let mut planner = Planner { sharing, recording: &recording, words };
            planner.function(function);
            planner.words
        })
        .collect()
}

fn pushes(function: Value<'_>) -> bool {
    function.blocks().into_iter().flat_map(Block::instructions).any(|value| value.pushed_width().is_some())
}

/// The functions that may record decisions when they are called.
fn recording<'m>(sharing: &Sharing<'m>, functions: &[Value<'m>]) -> HashSet<Value<'m>> {
    let mut callers: HashMap<Value<'m>, Vec<Value<'m>>> = HashMap::new();
    let mut pending = Vec::new();
    for &function in functions {
        let mut records = pushes(function);
        for call in function.blocks().into_iter().flat_map(Block::instructions).filter(|value| value.is_call()) {
            match called(call) {
                Some(callee) if is_defined(callee) => callers.entry(callee).or_default().push(function),
                Some(callee) => records |= calls_back(sharing, callee),
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
fn calls_back<'m>(sharing: &Sharing<'m>, function: Value<'m>) -> bool {
    matches!(sharing.behaviour(function), Behaviour::CallsBack | Behaviour::Keeps | Behaviour::Unknown)
}

/// The state of the bits at a program point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    room: u32,
    /// Whether some may not be in the file.
    dirty: bool,
}

/// The requirements of an instruction.
#[derive(Clone, Copy, Debug, Default)]
struct Asks {
    /// Whether its effect is visible to other threads.
    visible: bool,
    /// The bits may have changed when it is done.
    changes: bool,
}

struct Planner<'p, 'm> {
    sharing: &'p mut Sharing<'m>,
    recording: &'p HashSet<Value<'m>>,
    words: FunctionWords,
}

impl<'m> Planner<'_, 'm> {
    fn function(&mut self, function: Value<'m>) {
        let blocks = function.blocks();
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
        for &block in &order {
            let Some(mut state) = entered[block] else { continue };
            for (instruction, &(value, asks)) in values[block].iter().enumerate() {
                let position = Position { block, instruction };
                if asks.visible && state.dirty {
                    self.words.before.push((position, Step::Flush));
                }
                if asks.visible {
                    state.dirty = false;
                }
                if let Some(width) = value.pushed_width() {
                    if state.room < width {
                        self.words.before.push((position, Step::Room { bits: room_for(width) }));
                    }
                    self.words.before.push((position, Step::Push { width }));
                    state = state.after_push(width);
                }
                let is_last = instruction + 1 == values[block].len();
                if is_last && state.dirty && enters_quiet_loop(block) {
                    self.words.before.push((position, Step::Flush));
                    state.dirty = false;
                }
                if asks.changes {
                    self.words.after.push((position, Step::Enter));
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
                for &(value, asks) in &values[block] {
                    state = next_state(state, asks, value.pushed_width());
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

    /// Loops without pushes and with visible effects: bits pushed before such a loop are flushed once, and not in each
    /// iteration.
    fn quiet_loops(&self, blocks: &[Block<'m>], values: &[Vec<(Value<'m>, Asks)>]) -> Vec<HashSet<usize>> {
        let numbers: HashMap<Block<'m>, usize> =
            blocks.iter().enumerate().map(|(number, &block)| (block, number)).collect();
        let pushes =
            |block: usize| values[block].iter().any(|&(value, asks)| asks.changes || value.pushed_width().is_some());
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
        if call.must_be_last() {
            return Asks { visible: true, changes: false };
        }
        let Some(function) = called(call) else {
            return Asks { visible: true, changes: !is_assembly(call) };
        };
        if is_defined(function) {
            return Asks { visible: true, changes: self.recording.contains(&function) };
        }
        let name = function.name();
        if !name.starts_with("llvm.") {
            return Asks { visible: true, changes: calls_back(self.sharing, function) };
        }
        let writes = ["llvm.memcpy", "llvm.memmove", "llvm.memset"].iter().any(|writes| name.starts_with(writes));
        let target = call.arguments().first().copied().filter(|_| writes);
        Asks { visible: target.is_some_and(|target| self.sharing.is_visible(target)), changes: false }
    }
}

impl State {
    fn after_push(self, width: u32) -> State {
        let room = if self.room < width { room_for(width) } else { self.room };
        State { room: room.saturating_sub(width), dirty: true }
    }
}

fn next_state(state: State, asks: Asks, pushed: Option<u32>) -> State {
    let mut next = state;
    if asks.visible {
        next.dirty = false;
    }
    if let Some(width) = pushed {
        next = next.after_push(width);
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
    fn loops_come_after_what_leads_to_them() {
        assert_eq!(reverse_postorder(&[vec![1], vec![2, 3], vec![1], vec![]]), [0, 1, 3, 2]);
        assert!(reverse_postorder(&[]).is_empty());
    }
}
