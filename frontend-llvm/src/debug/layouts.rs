//! The types of variables, as reports need them to name memory.

use std::collections::HashMap;

use ir::{Layout, LayoutId};

use crate::llvm::Metadata;

#[derive(Default)]
pub struct Layouts<'m> {
    list: Vec<Layout>,
    ids: HashMap<Metadata<'m>, LayoutId>,
}

impl<'m> Layouts<'m> {
    pub fn of_variable(&mut self, variable: Metadata<'m>) -> Option<LayoutId> {
        let ty = variable.variable_type()?;
        self.ids.get(&ty).copied()
    }

    pub fn into_list(self) -> Vec<Layout> {
        self.list
    }
}
