//! The initial bytes of globals.

use std::rc::Rc;

use ir::{Global, GlobalId, Symbol};
use semantics::address;
use semantics::code::Code;

use crate::memory::{Object, ObjectKind, State};

/// A global's first bytes, with addresses filled in.
pub fn bytes(code: &Code, global: &Global) -> Vec<u8> {
    let mut bytes = global.bytes.clone();
    bytes.resize(global.size as usize, 0);
    for relocation in &global.relocations {
        let target = match relocation.symbol {
            Symbol::Global(global) => code.globals[global.index()],
            Symbol::Function(function) => address::function_address(function.0),
        };
        let word = target.wrapping_add(relocation.addend as u64);
        let at = relocation.offset as usize;
        bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
    }
    bytes
}

/// The objects of all globals that are not thread-local, at their addresses.
pub fn globals(code: &Code) -> Vec<Rc<Object>> {
    let mut objects = Vec::new();
    for (index, global) in code.program.globals.iter().enumerate() {
        if global.thread_local {
            continue;
        }
        objects.push(Rc::new(Object {
            base: code.globals[index],
            size: global.size,
            bytes: bytes(code, global),
            kind: ObjectKind::Global(GlobalId(index as u32)),
            owner: None,
            state: State::Live,
            constant: global.constant,
            external: global.external,
            name: None,
            layout: global.layout,
            freed: None,
        }));
    }
    objects
}
