//! The source variables that a function's values hold.

use std::collections::HashMap;

use crate::llvm::{Block, Metadata, RecordKind, Value, ValueKind};

/// A variable, or the part of it that begins at an offset.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Holding<'m> {
    pub variable: Metadata<'m>,
    pub offset_bits: u64,
    /// The whole variable when there is none.
    pub size_bits: Option<u64>,
}

#[derive(Default)]
pub struct Variables<'m> {
    /// Variables that live at an address.
    declared: HashMap<Value<'m>, Holding<'m>>,
    /// Variables whose value is in a register.
    held: HashMap<Value<'m>, Vec<Holding<'m>>>,
}

/// The relation between a debug record's value and the variable.
#[derive(Clone, Copy)]
enum Meaning {
    Itself,
    /// The value is the variable's address.
    Behind,
    Fragment {
        offset: u64,
        size: u64,
    },
    Unknown,
}

fn meaning(expression: Metadata<'_>) -> Meaning {
    let text = expression.text();
    let inner = text.split_once("DIExpression(").and_then(|(_, rest)| rest.split_once(')')).map(|(inner, _)| inner);
    let words: Vec<&str> = inner.unwrap_or("?").split(", ").collect();
    match words[..] {
        [""] => Meaning::Itself,
        ["DW_OP_deref"] => Meaning::Behind,
        ["DW_OP_LLVM_fragment", offset, size] => match (offset.parse(), size.parse()) {
            (Ok(offset), Ok(size)) => Meaning::Fragment { offset, size },
            _ => Meaning::Unknown,
        },
        _ => Meaning::Unknown,
    }
}

impl<'m> Variables<'m> {
    /// Reads the debug records of a function.
    pub fn read(blocks: &[Block<'m>]) -> Variables<'m> {
        let mut variables = Variables::default();
        let mut meanings = HashMap::new();
        for record in blocks.iter().flat_map(|block| block.instructions()).flat_map(Value::debug_records) {
            let Some(value) = record.value else { continue };
            // A constant occurs in many places, so it identifies no variable.
            if !matches!(value.kind(), ValueKind::Instruction | ValueKind::Argument) {
                continue;
            }
            let meaning = match record.expression {
                Some(expression) => *meanings.entry(expression).or_insert_with(|| meaning(expression)),
                None => Meaning::Itself,
            };
            let whole = Holding { variable: record.variable, offset_bits: 0, size_bits: None };
            let (kind, holding) = match (record.kind, meaning) {
                (kind, Meaning::Itself) => (kind, whole),
                (RecordKind::Value, Meaning::Behind) => (RecordKind::Declare, whole),
                (kind, Meaning::Fragment { offset, size }) => {
                    (kind, Holding { offset_bits: offset, size_bits: Some(size), ..whole })
                }
                (RecordKind::Declare, Meaning::Behind) | (_, Meaning::Unknown) => continue,
            };
            variables.add(kind, value, holding);
        }
        variables
    }

    fn add(&mut self, kind: RecordKind, value: Value<'m>, holding: Holding<'m>) {
        match kind {
            RecordKind::Declare => {
                self.declared.entry(value).or_insert(holding);
            }
            RecordKind::Value => {
                let held = self.held.entry(value).or_default();
                if !held.contains(&holding) {
                    held.push(holding);
                }
            }
        }
    }

    /// The variable that lives at an address.
    pub fn declared(&self, address: Value<'m>) -> Option<Holding<'m>> {
        self.declared.get(&address).copied()
    }

    /// The variables that a value is the content of.
    pub fn held(&self, value: Value<'m>) -> &[Holding<'m>] {
        self.held.get(&value).map_or(&[], Vec::as_slice)
    }

    /// The name of a variable that holds a value as a whole.
    pub fn name_of(&self, value: Value<'m>) -> Option<String> {
        self.held(value)
            .iter()
            .filter(|holding| holding.size_bits.is_none())
            .find_map(|holding| holding.variable.name())
    }
}
