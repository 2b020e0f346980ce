//! Source types in debug information.

use crate::llvm::{Metadata, MetadataKind};

/// DWARF's numbers for the kinds of types and members.
pub mod tag {
    pub const ARRAY: u16 = 0x01;
    pub const CLASS: u16 = 0x02;
    pub const ENUMERATION: u16 = 0x04;
    pub const MEMBER: u16 = 0x0d;
    pub const POINTER: u16 = 0x0f;
    pub const REFERENCE: u16 = 0x10;
    pub const STRUCTURE: u16 = 0x13;
    pub const TYPEDEF: u16 = 0x16;
    pub const UNION: u16 = 0x17;
    pub const INHERITANCE: u16 = 0x1c;
    pub const CONST: u16 = 0x26;
    pub const VOLATILE: u16 = 0x35;
    pub const RESTRICT: u16 = 0x37;
    pub const RVALUE_REFERENCE: u16 = 0x42;
    pub const ATOMIC: u16 = 0x47;
}

/// A type; for an array with several dimensions, the rest after the first ones.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SourceType<'m> {
    node: Metadata<'m>,
    dimension: usize,
}

/// A type without names and qualifiers.
pub enum Shape<'m> {
    Basic,
    /// None for `void` and functions.
    Pointer(Option<SourceType<'m>>),
    /// The count is not known for arrays whose length is decided at run time.
    Array {
        element: SourceType<'m>,
        count: Option<u64>,
    },
    Struct(Vec<SourceMember<'m>>),
    Union(Vec<SourceMember<'m>>),
    Enumeration,
    /// A library type with irrelevant contents, such as `pthread_mutex_t`.
    Opaque(String),
    Other,
}

pub struct SourceMember<'m> {
    /// Empty for the members of structs that have no name themselves.
    pub name: String,
    pub offset_bits: u64,
    pub size_bits: u64,
    pub ty: SourceType<'m>,
}

impl<'m> From<Metadata<'m>> for SourceType<'m> {
    fn from(node: Metadata<'m>) -> SourceType<'m> {
        SourceType { node, dimension: 0 }
    }
}

impl<'m> SourceType<'m> {
    /// The type of a variable.
    pub fn of_variable(variable: Metadata<'m>) -> Option<SourceType<'m>> {
        variable.variable_type().map(SourceType::from)
    }

    /// The type without typedefs and qualifiers, and the name of the outermost typedef.
    pub fn stripped(self) -> (SourceType<'m>, Option<String>) {
        let mut node = self.node;
        let mut name = None;
        // The limit guards against cycles, which valid debug information does not have.
        for _ in 0..64 {
            match node.tag() {
                tag::TYPEDEF => name = name.or_else(|| node.name()),
                tag::CONST | tag::VOLATILE | tag::RESTRICT | tag::ATOMIC => {}
                _ => break,
            }
            match node.base_type() {
                Some(base) => node = base,
                None => break,
            }
        }
        let dimension = if node == self.node { self.dimension } else { 0 };
        (SourceType { node, dimension }, name)
    }

    /// The node under typedefs and qualifiers.
    pub fn node(self) -> Metadata<'m> {
        self.stripped().0.node
    }

    pub fn size_in_bits(self) -> u64 {
        let (ty, _) = self.stripped();
        if ty.node.tag() == tag::ARRAY && ty.dimension > 0 {
            let Shape::Array { element, count } = ty.shape() else { return 0 };
            return element.size_in_bits().saturating_mul(count.unwrap_or(0));
        }
        ty.node.size_in_bits()
    }

    pub fn bytes(self) -> u64 {
        self.size_in_bits().div_ceil(8)
    }

    pub fn is_float(self) -> bool {
        self.node().encoding().is_some_and(|encoding| encoding == "DW_ATE_float")
    }

    pub fn shape(self) -> Shape<'m> {
        let (ty, typedef) = self.stripped();
        let node = ty.node;
        match node.tag() {
            tag::POINTER | tag::REFERENCE | tag::RVALUE_REFERENCE => {
                let target = node.base_type().filter(|target| target.kind() != MetadataKind::SubroutineType);
                Shape::Pointer(target.map(SourceType::from))
            }
            tag::ARRAY => ty.array(),
            tag::ENUMERATION => Shape::Enumeration,
            tag::STRUCTURE | tag::CLASS | tag::UNION => {
                let is_library = || node.file().is_some_and(super::is_system_file);
                match typedef {
                    Some(name) if is_library() => Shape::Opaque(name),
                    _ if node.tag() == tag::UNION => Shape::Union(members(node)),
                    _ => Shape::Struct(members(node)),
                }
            }
            _ if node.kind() == MetadataKind::BasicType => Shape::Basic,
            _ => Shape::Other,
        }
    }

    fn array(self) -> Shape<'m> {
        let ranges: Vec<Metadata<'m>> =
            self.node.elements().into_iter().filter(|range| range.kind() == MetadataKind::Subrange).collect();
        let (Some(base), Some(range)) = (self.node.base_type(), ranges.get(self.dimension)) else {
            return Shape::Other;
        };
        let is_last = self.dimension + 1 == ranges.len();
        let inner = SourceType { node: self.node, dimension: self.dimension + 1 };
        let element = if is_last { SourceType::from(base) } else { inner };
        Shape::Array { element, count: range.range_count() }
    }
}

fn members(node: Metadata<'_>) -> Vec<SourceMember<'_>> {
    let mut list = Vec::new();
    for element in node.elements() {
        let is_member = matches!(element.tag(), tag::MEMBER | tag::INHERITANCE) && !element.is_static_member();
        let Some(ty) = element.base_type().filter(|_| is_member) else { continue };
        let ty = SourceType::from(ty);
        let own_size = element.size_in_bits();
        list.push(SourceMember {
            name: if element.tag() == tag::MEMBER { element.name().unwrap_or_default() } else { String::new() },
            offset_bits: element.offset_in_bits(),
            size_bits: if own_size == 0 { ty.size_in_bits() } else { own_size },
            ty,
        });
    }
    list
}
