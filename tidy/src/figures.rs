//! Figures about the crates: how long they are, how much they show, how their modules hang together.

use crate::code::{name_at, places_of, without_tests, without_words};
use crate::{Finding, Tree, manifests, modules};

/// The keywords behind `pub` of things that have a name. Fields are left out.
const ITEMS: [&str; 11] =
    ["fn", "struct", "enum", "union", "trait", "type", "const", "static", "mod", "use", concat!("uns", "afe")];

/// Of the `src` folder of a crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figures {
    pub name: String,
    pub lines: usize,
    /// Items that are visible outside of the crate as far as their own line says.
    pub public: usize,
    /// Items with another visibility than their module.
    pub restricted: usize,
    /// The number of modules in each cycle.
    pub cycles: Vec<usize>,
}

/// By member of the workspace, in its order.
pub fn of_crates(tree: &Tree) -> Result<Vec<Figures>, Finding> {
    Ok(manifests::members(tree)?.into_iter().map(|name| of_crate(tree, name)).collect())
}

fn of_crate(tree: &Tree, name: String) -> Figures {
    let folder = format!("{name}/src/");
    let cycles = modules::of_crate(tree, &name).iter().map(|cycle| cycle.modules.len()).collect();
    let mut figures = Figures { name, lines: 0, public: 0, restricted: 0, cycles };
    for file in tree.with_extension("rs").filter(|file| file.path.starts_with(&folder)) {
        figures.lines += file.text.lines().count();
        let code = without_tests(&without_words(&file.text));
        for at in places_of(&code, "pub") {
            let after = code[at + 3..].trim_start();
            let (is_restricted, item) = match after.strip_prefix('(') {
                Some(inside) => (true, inside.split_once(')').map_or("", |(_, item)| item)),
                None => (false, after),
            };
            if ITEMS.contains(&name_at(item)) {
                figures.public += usize::from(!is_restricted);
                figures.restricted += usize::from(is_restricted);
            }
        }
    }
    figures
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_counted_by_visibility() {
        let source = "//! x\npub struct A {\n    pub a: u8,\n}\npub(crate) fn f() {}\npub(in crate::a) const X: u8 = 0;\n\
                      pub use b::B;\n#[cfg(test)]\nmod tests {\n    pub fn t() {}\n}\n";
        let tree = Tree::of(&[("Cargo.toml", "[workspace]\nmembers = [\"a\"]\n"), ("a/src/lib.rs", source)]);
        let expected = Figures { name: "a".to_owned(), lines: 11, public: 2, restricted: 2, cycles: Vec::new() };
        assert_eq!(of_crates(&tree), Ok(vec![expected]));
    }
}
