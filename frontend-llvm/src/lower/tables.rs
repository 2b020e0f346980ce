//! The tables of a program under construction: entries get an id at the first use.

use std::collections::{HashMap, HashSet};

use ir::TextId;

use crate::llvm::Value;

/// Functions or globals, each with a name that no other one has.
pub struct Table<'m, T> {
    pub list: Vec<T>,
    numbers: HashMap<Value<'m>, u32>,
    names: HashSet<String>,
}

impl<T> Default for Table<'_, T> {
    fn default() -> Self {
        Table { list: Vec::new(), numbers: HashMap::new(), names: HashSet::new() }
    }
}

impl<'m, T> Table<'m, T> {
    pub fn number(&self, value: Value<'m>) -> Option<u32> {
        self.numbers.get(&value).copied()
    }

    pub fn is_taken(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Adds the entry for an LLVM value.
    pub fn enter(&mut self, value: Value<'m>, name: String, make: impl FnOnce(String) -> T) -> u32 {
        let number = self.invent(name, make);
        self.numbers.insert(value, number);
        number
    }

    /// Adds an entry without an LLVM value.
    pub fn invent(&mut self, name: String, make: impl FnOnce(String) -> T) -> u32 {
        let name = self.unique(name);
        self.list.push(make(name));
        self.list.len() as u32 - 1
    }

    /// LLVM values may be unnamed, and an invented name may clash with one of the program's.
    fn unique(&mut self, name: String) -> String {
        let base = if name.is_empty() { "unnamed".to_owned() } else { name };
        let mut unique = base.clone();
        let mut number = 1;
        while !self.names.insert(unique.clone()) {
            number += 1;
            unique = format!("{base}.{number}");
        }
        unique
    }
}

/// Source names and expressions, each once.
#[derive(Default)]
pub struct Texts {
    pub list: Vec<String>,
    ids: HashMap<String, TextId>,
}

impl Texts {
    pub fn id(&mut self, text: &str) -> TextId {
        if let Some(&id) = self.ids.get(text) {
            return id;
        }
        let id = TextId(self.list.len() as u32);
        self.list.push(text.to_owned());
        self.ids.insert(text.to_owned(), id);
        id
    }
}
