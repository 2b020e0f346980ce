//! The types of variables, for the names of memory in reports.

use std::collections::HashMap;

use ir::{Layout, LayoutId, Member};

use crate::llvm::Metadata;

use super::types::{Shape, SourceMember, SourceType};

#[derive(Default)]
pub struct Layouts<'m> {
    list: Vec<Layout>,
    ids: HashMap<SourceType<'m>, LayoutId>,
    /// Types that are described in several files are stored once.
    scalars: HashMap<String, LayoutId>,
}

impl<'m> Layouts<'m> {
    pub fn of_variable(&mut self, variable: Metadata<'m>) -> Option<LayoutId> {
        SourceType::of_variable(variable).map(|ty| self.id(ty))
    }

    fn id(&mut self, ty: SourceType<'m>) -> LayoutId {
        if let Some(&id) = self.ids.get(&ty) {
            return id;
        }
        if let Some(layout) = scalar(ty) {
            let key = format!("{layout:?}");
            if let Some(&id) = self.scalars.get(&key) {
                self.ids.insert(ty, id);
                return id;
            }
            let id = self.push(ty, layout);
            self.scalars.insert(key, id);
            return id;
        }
        // The id is assigned before the parts are visited, because a struct may point to itself.
        let id = self.push(ty, Layout::Opaque { name: name(ty), bytes: ty.bytes() });
        let layout = self.composed(ty);
        if let Some(layout) = layout {
            self.list[id.index()] = layout;
        }
        id
    }

    fn push(&mut self, ty: SourceType<'m>, layout: Layout) -> LayoutId {
        let id = LayoutId(self.list.len() as u32);
        self.list.push(layout);
        self.ids.insert(ty, id);
        id
    }

    /// Composite types.
    fn composed(&mut self, ty: SourceType<'m>) -> Option<Layout> {
        match ty.shape() {
            Shape::Pointer(target) => Some(Layout::Pointer { to: target.map(|target| self.id(target)) }),
            Shape::Array { element, count } => {
                Some(Layout::Array { element: self.id(element), count: count.unwrap_or(0) })
            }
            Shape::Struct(members) | Shape::Union(members) if !members.is_empty() => {
                let mut list = Vec::new();
                self.members(members, 0, &mut list);
                Some(Layout::Struct { name: name(ty), bytes: ty.bytes(), members: list })
            }
            _ => None,
        }
    }

    /// The members of an anonymous member belong to its owner.
    fn members(&mut self, members: Vec<SourceMember<'m>>, offset: u64, list: &mut Vec<Member>) {
        for member in members {
            let offset_bits = offset + member.offset_bits;
            match member.ty.shape() {
                Shape::Struct(inner) | Shape::Union(inner) if member.name.is_empty() => {
                    self.members(inner, offset_bits, list);
                }
                _ => {
                    let layout = self.id(member.ty);
                    list.push(Member { name: member.name, offset_bits, size_bits: member.size_bits, layout });
                }
            }
        }
    }

    pub fn into_list(self) -> Vec<Layout> {
        self.list
    }
}

/// The source name of a type: the typedef that was used, or its own name.
fn name(ty: SourceType<'_>) -> String {
    let (stripped, typedef) = ty.stripped();
    let own = stripped.node().name();
    typedef.or(own).unwrap_or_default()
}

/// Scalar types.
fn scalar(ty: SourceType<'_>) -> Option<Layout> {
    let bytes = ty.bytes();
    match ty.shape() {
        Shape::Basic => Some(basic(ty, bytes)),
        Shape::Enumeration => {
            let variants = ty.node().elements().into_iter();
            let variants =
                variants.filter_map(|variant| Some((variant.name()?, variant.enumerator_value()?))).collect();
            Some(Layout::Enum { name: name(ty), bytes, variants })
        }
        Shape::Opaque(name) => Some(Layout::Opaque { name, bytes }),
        Shape::Other => Some(Layout::Opaque { name: name(ty), bytes }),
        _ => None,
    }
}

fn basic(ty: SourceType<'_>, bytes: u64) -> Layout {
    let name = name(ty);
    let own = ty.node().name().unwrap_or_default();
    match ty.node().encoding().as_deref() {
        Some("DW_ATE_boolean") => Layout::Boolean { bytes },
        Some("DW_ATE_float") => Layout::Float { name, bytes },
        Some("DW_ATE_signed_char" | "DW_ATE_unsigned_char" | "DW_ATE_UTF") if own == "char" => {
            Layout::Character { bytes }
        }
        Some("DW_ATE_signed" | "DW_ATE_signed_char") => Layout::Signed { name, bytes },
        Some("DW_ATE_unsigned" | "DW_ATE_unsigned_char" | "DW_ATE_UTF") => Layout::Unsigned { name, bytes },
        _ => Layout::Opaque { name, bytes },
    }
}
