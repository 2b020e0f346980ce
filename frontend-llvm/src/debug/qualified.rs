//! Readable names of functions: `Account::set`, `std::vector::push_back`, `lambda in main`.
//!
//! Template arguments, parameters and the library's inner namespaces are left out: with them a name can fill a page.

use crate::llvm::{Metadata, MetadataKind};

use super::types::tag;

pub fn name(function: Metadata<'_>) -> Option<String> {
    let own = short(&function.name()?);
    let mut parts = vec![own];
    let mut at = function.enclosing();
    while let Some(scope) = at {
        match (scope.kind(), scope.name()) {
            (MetadataKind::CompositeType, None) if scope.tag() == tag::CLASS && parts == ["operator()"] => {
                let around = enclosing_function(scope).and_then(name);
                return Some(around.map_or_else(|| "lambda".to_owned(), |around| format!("lambda in {around}")));
            }
            (MetadataKind::CompositeType | MetadataKind::Namespace, Some(name)) if !is_inner(&name) => {
                parts.push(short(&name));
            }
            (MetadataKind::CompositeType | MetadataKind::Namespace, _) => {}
            // A class inside of a function is known there by its own name.
            _ => break,
        }
        at = scope.enclosing();
    }
    parts.reverse();
    Some(parts.join("::"))
}

fn enclosing_function(scope: Metadata<'_>) -> Option<Metadata<'_>> {
    let mut at = scope.enclosing();
    while let Some(scope) = at {
        if scope.kind() == MetadataKind::Subprogram {
            return Some(scope);
        }
        at = scope.enclosing();
    }
    None
}

/// Namespaces such as `__cxx11` that users never write.
fn is_inner(name: &str) -> bool {
    name.starts_with("__") || name.starts_with("_V")
}

/// A name without its template arguments; an operator's own `<` stays.
fn short(name: &str) -> String {
    let arguments = match name.strip_prefix("operator") {
        Some(rest) if !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_') => None,
        _ => name.find('<'),
    };
    arguments.map_or(name, |end| &name[..end]).to_owned()
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn template_arguments_are_left_out() {
        assert_eq!(short("make_unique<Worker, int>"), "make_unique");
        assert_eq!(short("operator<<"), "operator<<");
        assert_eq!(short("operator<"), "operator<");
        assert_eq!(short("operatorship<int>"), "operatorship");
        assert_eq!(short("push_back"), "push_back");
    }
}
