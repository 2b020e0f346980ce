//! Which source variables a function's values hold.

use std::collections::HashMap;

use crate::llvm::{Block, Metadata, RecordKind, Value};

#[derive(Default)]
pub struct Variables<'m> {
    /// Variables that live at an address.
    declared: HashMap<Value<'m>, Metadata<'m>>,
    /// Variables whose value is in a register.
    held: HashMap<Value<'m>, Vec<Metadata<'m>>>,
}

impl<'m> Variables<'m> {
    /// Reads the debug records of a function.
    pub fn read(blocks: &[Block<'m>]) -> Variables<'m> {
        let mut variables = Variables::default();
        for record in blocks.iter().flat_map(|block| block.instructions()).flat_map(Value::debug_records) {
            let Some(value) = record.value else { continue };
            match record.kind {
                RecordKind::Declare => {
                    variables.declared.entry(value).or_insert(record.variable);
                }
                RecordKind::Value => {
                    let held = variables.held.entry(value).or_default();
                    if !held.contains(&record.variable) {
                        held.push(record.variable);
                    }
                }
            }
        }
        variables
    }

    /// The variable that lives at an address.
    pub fn declared(&self, address: Value<'m>) -> Option<Metadata<'m>> {
        self.declared.get(&address).copied()
    }

    /// The name of a variable that a value is held in.
    pub fn name_of(&self, value: Value<'m>) -> Option<String> {
        self.held.get(&value)?.iter().find_map(|variable| variable.name())
    }
}
