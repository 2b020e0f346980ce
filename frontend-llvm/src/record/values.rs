//! Numbers that are recorded themselves, because many decisions depend on them.
//!
//! The length of a packet decides every iteration of the loop over its bytes: recorded once it costs less than a bit
//! per iteration. The choice is a minimum cut: dependence flows from shared data and inputs through values to
//! decisions; every value has a cost that depends on how often it is computed, and so has every decision; the cut is
//! recorded. A replay of the path loses nothing: conditions are still conditions on the values read, with known
//! outcomes.

use std::collections::HashMap;

use crate::llvm::{Block, Module, Opcode, TypeKind, Value};

use super::classes::Class;
use super::flow::{Network, Node, UNLIMITED};
use super::frequency::frequencies;
use super::known::Behaviour;
use super::position::Position;
use super::sharing::{Sharing, called, is_defined, is_pointer, operands};

/// Where a recorded number is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// Its number.
    Parameter(u32),
    /// Its position, and its number of bits.
    Instruction(Position, u32),
}

/// Larger programs are recorded branch by branch.
const LARGEST: usize = 2_000_000;

/// The numbers that are worth it, by the names of their functions.
pub fn places<'m>(module: &'m Module<'_>, sharing: &mut Sharing<'m>) -> Vec<(String, Vec<Place>)> {
    let functions: Vec<Value<'m>> = module.functions().filter(|&function| is_defined(function)).collect();
    let instructions: usize =
        functions.iter().flat_map(|function| function.blocks()).map(|block| block.instructions().count()).sum();
    if instructions > LARGEST {
        return Vec::new();
    }
    let starts = |function: Value<'m>| function.name() == "main" || sharing.is_addressed(function);
    let often = frequencies(&functions, starts);
    let mut builder =
        Builder { network: Network::new(), values: HashMap::new(), memories: HashMap::new(), results: HashMap::new() };
    for &function in &functions {
        builder.nodes(sharing, function, &often);
    }
    for &function in &functions {
        builder.edges(sharing, function, &often);
    }
    let Builder { network, values, .. } = builder;
    let near_end = network.cut();
    let mut all = Vec::new();
    for function in functions {
        let is_cut = |value: Value<'m>| values.get(&value).is_some_and(|ends| !near_end[ends.0] && near_end[ends.1]);
        let parameters = function.parameters().into_iter().enumerate();
        let mut places: Vec<Place> =
            parameters.filter(|(_, value)| is_cut(*value)).map(|(index, _)| Place::Parameter(index as u32)).collect();
        for (block, values) in function.blocks().into_iter().enumerate() {
            let cut = values.instructions().enumerate().filter(|(_, value)| is_cut(*value));
            places.extend(cut.filter_map(|(instruction, value)| {
                Some(Place::Instruction(Position { block, instruction }, width(value)?))
            }));
        }
        all.push((function.name(), places));
    }
    all
}

struct Builder<'m> {
    network: Network,
    /// The nodes at which dependence enters and leaves a value.
    values: HashMap<Value<'m>, (Node, Node)>,
    /// Private memory that holds dependent values.
    memories: HashMap<Class, Node>,
    results: HashMap<Value<'m>, Node>,
}

/// The cost of recording a number once; a branch costs two.
fn price(value: Value<'_>) -> Option<u64> {
    let is_number = matches!(value.ty().kind(), TypeKind::Integer(1 | 8 | 16 | 32 | 64));
    match width(value).filter(|_| is_number)? {
        0..=2 => Some(3),
        3..=8 => Some(4),
        9..=16 => Some(6),
        17..=32 => Some(8),
        _ => Some(14),
    }
}

/// The number of low bits that can be non-zero, as far as the instruction shows.
fn width(value: Value<'_>) -> Option<u32> {
    let TypeKind::Integer(all) = value.ty().kind() else { return None };
    let constant = |index| value.operand(index).and_then(Value::integer_bits);
    let width = match value.opcode() {
        Some(Opcode::LLVMZExt) => value.operand(0).and_then(width),
        Some(Opcode::LLVMAnd) => constant(1).or_else(|| constant(0)).map(|mask| u128::BITS - mask.leading_zeros()),
        Some(Opcode::LLVMURem) => constant(1).map(|most| u128::BITS - most.leading_zeros()),
        Some(Opcode::LLVMLShr) => constant(1).map(|gone| all.saturating_sub(u32::try_from(gone).unwrap_or(all))),
        _ => None,
    };
    Some(width.map_or(all, |width| width.clamp(1, all)))
}

const BRANCH: u64 = 2;

impl<'m> Builder<'m> {
    fn nodes(&mut self, sharing: &Sharing<'m>, function: Value<'m>, often: &HashMap<Block<'m>, u64>) {
        let blocks = function.blocks();
        let times = |block: Block<'m>| often.get(&block).copied().unwrap_or(1);
        let entered = blocks.first().map_or(1, |&block| times(block));
        let from_outside = function.name() == "main" || sharing.is_addressed(function);
        for parameter in function.parameters().into_iter().filter(|&parameter| sharing.is_dependent(parameter)) {
            let (enter, _) = self.value(parameter, entered);
            if from_outside {
                self.network.connect(Network::BEGIN, enter, UNLIMITED);
            }
        }
        for block in blocks {
            for instruction in block.instructions() {
                if sharing.is_dependent(instruction) {
                    self.value(instruction, times(block));
                }
            }
        }
    }

    fn edges(&mut self, sharing: &mut Sharing<'m>, function: Value<'m>, often: &HashMap<Block<'m>, u64>) {
        let times = |block: Block<'m>| often.get(&block).copied().unwrap_or(1);
        for block in function.blocks() {
            for instruction in block.instructions() {
                if sharing.is_dependent(instruction) {
                    self.sources(sharing, instruction);
                }
                self.effects(sharing, function, instruction);
            }
            let deciding = block.terminator().and_then(|terminator| match terminator.opcode() {
                Some(Opcode::LLVMIndirectBr) => terminator.operand(0),
                _ => terminator.condition(),
            });
            if let Some(&(_, leave)) = deciding.and_then(|value| self.values.get(&value)) {
                self.network.connect(leave, Network::END, times(block).saturating_mul(BRANCH));
            }
        }
    }

    fn value(&mut self, value: Value<'m>, times: u64) -> (Node, Node) {
        if let Some(&known) = self.values.get(&value) {
            return known;
        }
        let ends = (self.network.node(), self.network.node());
        // A call that ends its block has no place after it that is its own.
        let price = price(value).filter(|_| value.opcode() != Some(Opcode::LLVMInvoke));
        let cost = price.map_or(UNLIMITED, |price| times.saturating_mul(price));
        self.network.connect(ends.0, ends.1, cost);
        self.values.insert(value, ends);
        ends
    }

    fn memory(&mut self, class: Class) -> Node {
        let network = &mut self.network;
        *self.memories.entry(class).or_insert_with(|| network.node())
    }

    fn result(&mut self, function: Value<'m>) -> Node {
        let network = &mut self.network;
        *self.results.entry(function).or_insert_with(|| network.node())
    }

    fn connect_operand(&mut self, operand: Option<Value<'m>>, to: Node) {
        if let Some(&(_, leave)) = operand.and_then(|operand| self.values.get(&operand)) {
            self.network.connect(leave, to, UNLIMITED);
        }
    }

    /// The sources of a value's dependence.
    fn sources(&mut self, sharing: &mut Sharing<'m>, value: Value<'m>) {
        let Some(&(enter, _)) = self.values.get(&value) else { return };
        match value.opcode() {
            Some(Opcode::LLVMLoad) => {
                self.connect_operand(value.operand(0), enter);
                match value.operand(0).map(|address| sharing.private_memory(address)) {
                    Some(Some(class)) => {
                        let memory = self.memory(class);
                        self.network.connect(memory, enter, UNLIMITED);
                    }
                    _ => self.network.connect(Network::BEGIN, enter, UNLIMITED),
                }
            }
            Some(Opcode::LLVMPHI) => {
                for (incoming, _) in value.incoming() {
                    self.connect_operand(Some(incoming), enter);
                }
            }
            Some(Opcode::LLVMCall | Opcode::LLVMInvoke | Opcode::LLVMCallBr) => match called(value) {
                Some(callee) if is_defined(callee) => {
                    let result = self.result(callee);
                    self.network.connect(result, enter, UNLIMITED);
                }
                Some(callee)
                    if callee.name().starts_with("llvm.") && !value.arguments().iter().any(|&a| is_pointer(a)) =>
                {
                    for argument in value.arguments() {
                        self.connect_operand(Some(argument), enter);
                    }
                }
                _ => self.network.connect(Network::BEGIN, enter, UNLIMITED),
            },
            Some(Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg | Opcode::LLVMLandingPad | Opcode::LLVMVAArg) => {
                self.network.connect(Network::BEGIN, enter, UNLIMITED)
            }
            Some(Opcode::LLVMPtrToInt) if !sharing.is_subtracted(value) => {
                self.network.connect(Network::BEGIN, enter, UNLIMITED);
            }
            _ => {
                let numbers = sharing.distance(value).unwrap_or_else(|| operands(value).collect());
                for number in numbers {
                    self.connect_operand(Some(number), enter);
                }
            }
        }
    }

    /// The dependences that an instruction passes on besides its value.
    fn effects(&mut self, sharing: &mut Sharing<'m>, function: Value<'m>, instruction: Value<'m>) {
        match instruction.opcode() {
            Some(Opcode::LLVMStore) => {
                let Some(class) = instruction.operand(1).and_then(|address| sharing.private_memory(address)) else {
                    return;
                };
                let memory = self.memory(class);
                self.connect_operand(instruction.operand(0), memory);
                self.connect_operand(instruction.operand(1), memory);
            }
            Some(Opcode::LLVMRet) => {
                let result = self.result(function);
                self.connect_operand(instruction.operand(0), result);
            }
            Some(Opcode::LLVMCall | Opcode::LLVMInvoke | Opcode::LLVMCallBr) => match called(instruction) {
                Some(callee) if is_defined(callee) => {
                    for (argument, parameter) in instruction.arguments().into_iter().zip(callee.parameters()) {
                        if let Some(&(enter, _)) = self.values.get(&parameter) {
                            self.connect_operand(Some(argument), enter);
                        }
                    }
                }
                Some(callee) if sharing.behaviour(callee) == Behaviour::Records => {}
                // Values that other code writes to private memory may depend on anything.
                _ => {
                    for argument in instruction.arguments().into_iter().filter(|&argument| is_pointer(argument)) {
                        let class = sharing.private_memory(argument);
                        if let Some(class) = class.filter(|&class| sharing.is_dependent_memory(class)) {
                            let memory = self.memory(class);
                            self.network.connect(Network::BEGIN, memory, UNLIMITED);
                        }
                    }
                }
            },
            Some(Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg) => {
                if let Some(class) = instruction.operand(0).and_then(|address| sharing.private_memory(address)) {
                    let memory = self.memory(class);
                    self.network.connect(Network::BEGIN, memory, UNLIMITED);
                }
            }
            _ => {}
        }
    }
}
