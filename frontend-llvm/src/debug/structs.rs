//! Struct types by name, for pointers to variables without a target type.

use std::collections::{HashMap, HashSet};

use crate::llvm::{Metadata, MetadataKind, Module, Type, Value};

use super::types::{SourceType, tag};

/// Collected from all debug information at the first use.
pub struct Structs<'m> {
    module: &'m Module<'m>,
    found: Option<HashMap<String, SourceType<'m>>>,
}

impl<'m> Structs<'m> {
    pub fn new(module: &'m Module<'m>) -> Structs<'m> {
        Structs { module, found: None }
    }

    /// The source type of an LLVM struct such as `struct.node`.
    pub fn find(&mut self, ty: Type<'m>) -> Option<SourceType<'m>> {
        let name = ty.struct_name()?;
        let name = name.strip_prefix("struct.").or(name.strip_prefix("union.")).or(name.strip_prefix("class."))?;
        let module = self.module;
        let found = self.found.get_or_insert_with(|| collect(module));
        // LLVM appends numbers to structs of the same name from several files.
        let unnumbered = || name.rsplit_once('.').filter(|(_, number)| number.parse::<u32>().is_ok());
        found.get(name).or_else(|| found.get(unnumbered()?.0)).copied()
    }
}

fn collect<'m>(module: &'m Module<'m>) -> HashMap<String, SourceType<'m>> {
    let mut waiting: Vec<Metadata<'m>> = module.named_metadata("llvm.dbg.cu");
    waiting.extend(module.functions().filter_map(Value::subprogram));
    let mut seen: HashSet<Metadata<'m>> = waiting.iter().copied().collect();
    let mut found = HashMap::new();
    while let Some(node) = waiting.pop() {
        if let Some((name, ty)) = named_struct(node) {
            found.entry(name).or_insert(ty);
        }
        let operands = node.operands().into_iter().flatten();
        waiting.extend(operands.filter(|operand| seen.insert(*operand)));
    }
    found
}

/// A struct with a body, under its own name or the typedef's that named it.
fn named_struct(node: Metadata<'_>) -> Option<(String, SourceType<'_>)> {
    let body = match (node.kind(), node.tag()) {
        (MetadataKind::CompositeType, tag::STRUCTURE | tag::UNION | tag::CLASS) => node,
        (MetadataKind::DerivedType, tag::TYPEDEF) => {
            node.base_type().filter(|base| base.kind() == MetadataKind::CompositeType && base.name().is_none())?
        }
        _ => return None,
    };
    let name = node.name()?;
    (!body.elements().is_empty()).then(|| (name, SourceType::from(body)))
}
