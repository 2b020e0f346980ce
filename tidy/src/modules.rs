//! The modules of a crate use each other in one direction: a reader who follows their `mod` lines meets no circle.
//!
//! The rule holds among the children of each module, together with all that is inside them. A child may use its parent:
//! both are one unit, and the parent's `mod` lines are no uses. A use is a path: in a `use` line or in the code, from
//! `crate`, `super` or the name of a module, through re-exports to the module that has the thing. Methods have no path, so
//! a method of a type that another module extends is not seen.

use std::collections::{BTreeMap, BTreeSet};

use crate::code::{name_at, places_of, without_tests, without_words};
use crate::standing::Standing;
use crate::{Finding, Tree, manifests};

/// A module, as the names from the root of its crate.
type Path = Vec<String>;

/// Modules each of which uses the next one, directly or not, and comes back to itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// The crate, and the module that holds these.
    pub within: String,
    /// In alphabetical order.
    pub modules: Vec<String>,
    /// One use for each pair of them.
    pub uses: Vec<String>,
}

/// No cycles, but those that stand in the list, which are as large as it says.
pub fn cycles(tree: &Tree) -> Vec<Finding> {
    let members = match manifests::members(tree) {
        Ok(members) => members,
        Err(finding) => return vec![finding],
    };
    let standing = match Standing::read(tree) {
        Ok(standing) => standing,
        Err(finding) => return vec![finding],
    };
    let found: Vec<Cycle> = members.iter().flat_map(|member| of_crate(tree, member)).collect();
    let is_part = |part: &Cycle, within: &str, modules: &[String]| {
        part.within == within && part.modules.iter().all(|module| modules.contains(module))
    };
    let mut findings = Vec::new();
    for cycle in &found {
        if !standing.cycles.iter().any(|listed| is_part(cycle, &listed.within, &listed.modules)) {
            let message = format!(
                "the modules {} use each other in a circle: {}",
                cycle.modules.join(", "),
                cycle.uses.join("; ")
            );
            findings.push(Finding::in_file(&cycle.within, message));
        }
    }
    for listed in &standing.cycles {
        let parts: Vec<&Cycle> = found.iter().filter(|cycle| is_part(cycle, &listed.within, &listed.modules)).collect();
        let gone: Vec<&str> = listed
            .modules
            .iter()
            .filter(|module| !parts.iter().any(|cycle| cycle.modules.contains(module)))
            .map(String::as_str)
            .collect();
        if !gone.is_empty() {
            findings.push(standing.outdated(&format!(
                "in {}, these modules are in no cycle any more: {}",
                listed.within,
                gone.join(", ")
            )));
        }
    }
    findings
}

/// The cycles of a crate.
pub fn of_crate(tree: &Tree, member: &str) -> Vec<Cycle> {
    let graph = Graph::new(tree, member);
    let mut cycles = Vec::new();
    for (parent, children) in &graph.children {
        let uses = graph.uses_among(parent);
        for modules in components(children, &uses) {
            let inside = |(one, other): &(String, String)| modules.contains(one) && modules.contains(other);
            let named = uses.iter().filter(|(pair, _)| inside(pair));
            let named = named.map(|((one, _), path)| format!("{one} uses {path}")).collect();
            let within = std::iter::once(member.to_owned()).chain(parent.iter().cloned()).collect::<Vec<_>>();
            cycles.push(Cycle { within: within.join("::"), modules, uses: named });
        }
    }
    cycles
}

struct Module {
    code: String,
    imports: Vec<Import>,
}

/// One name of a `use` line.
struct Import {
    path: Path,
    /// The name that it has here; a star for all.
    name: String,
}

struct Graph {
    modules: BTreeMap<Path, Module>,
    children: BTreeMap<Path, BTreeSet<String>>,
}

impl Graph {
    fn new(tree: &Tree, member: &str) -> Graph {
        let folder = format!("{member}/src/");
        let mut codes = BTreeMap::new();
        let mut of_tests: Vec<Path> = Vec::new();
        for file in tree.with_extension("rs") {
            let Some(path) = file.path.strip_prefix(&folder).and_then(|inside| inside.strip_suffix(".rs")) else {
                continue;
            };
            let mut path: Path = path.split('/').map(str::to_owned).collect();
            if matches!(path.last().map(String::as_str), Some("lib" | "main" | "mod")) {
                path.pop();
            }
            let all = without_words(&file.text);
            let code = without_tests(&all);
            let kept: BTreeSet<&str> = declared(&code).collect();
            let left_out = declared(&all).filter(|name| !kept.contains(name));
            of_tests.extend(left_out.map(|name| inside(&path, name)));
            codes.insert(path, code);
        }
        codes.retain(|path, _| !of_tests.iter().any(|tests| path.starts_with(tests)));
        let mut children: BTreeMap<Path, BTreeSet<String>> = BTreeMap::new();
        for path in codes.keys() {
            if let Some((name, parent)) = path.split_last() {
                children.entry(parent.to_vec()).or_default().insert(name.clone());
            }
        }
        let modules = codes.into_iter().map(|(path, code)| {
            let imports = imports(&code);
            (path, Module { code, imports })
        });
        Graph { modules: modules.collect(), children }
    }

    fn has_child(&self, parent: &[String], name: &str) -> bool {
        self.children.get(parent).is_some_and(|children| children.contains(name))
    }

    /// The module that has what the path names in this module. A path to another crate has none.
    fn resolve(&self, here: &[String], path: &[String], depth: usize) -> Option<Path> {
        let mut rest = path;
        let mut at: Path = match path.first()?.as_str() {
            "crate" => {
                rest = &path[1..];
                Vec::new()
            }
            "self" => {
                rest = &path[1..];
                here.to_vec()
            }
            "super" => here.to_vec(),
            name if self.has_child(here, name) => here.to_vec(),
            _ => return None,
        };
        while rest.first().is_some_and(|name| name == "super") {
            at.pop();
            rest = &rest[1..];
        }
        while let Some((name, after)) = rest.split_first() {
            if !self.has_child(&at, name) {
                break;
            }
            at.push(name.clone());
            rest = after;
        }
        let Some(name) = rest.first() else { return Some(at) };
        // An import of the module that has it, such as a re-export.
        let imports = self.modules.get(&at).map_or(&[][..], |module| &module.imports);
        let import = imports.iter().find(|import| import.name == *name && depth > 0);
        import.and_then(|import| self.resolve(&at, &import.path, depth - 1)).or(Some(at))
    }

    /// The modules that a module uses, each with a path that names it.
    fn uses(&self, here: &[String], module: &Module) -> BTreeMap<Path, String> {
        /// More re-exports than this in a row are a mistake.
        const DEPTH: usize = 8;
        let imported = module.imports.iter().map(|import| import.path.clone());
        let mut uses = BTreeMap::new();
        for path in imported.chain(paths(&module.code)) {
            let is_imported = module.imports.iter().any(|import| import.name == path[0] && import.path != path);
            if is_imported {
                continue;
            }
            if let Some(used) = self.resolve(here, &path, DEPTH) {
                uses.entry(used).or_insert_with(|| path.join("::"));
            }
        }
        uses
    }

    /// The uses among the children of a module, by user and used.
    fn uses_among(&self, parent: &[String]) -> BTreeMap<(String, String), String> {
        let mut among = BTreeMap::new();
        let child = |path: &[String]| path.strip_prefix(parent).and_then(|inside| inside.first()).cloned();
        for (here, module) in &self.modules {
            let Some(user) = child(here) else { continue };
            for (used, path) in self.uses(here, module) {
                if let Some(used) = child(&used).filter(|used| *used != user) {
                    among.entry((user.clone(), used)).or_insert(path);
                }
            }
        }
        among
    }
}

fn inside(path: &[String], name: &str) -> Path {
    path.iter().cloned().chain([name.to_owned()]).collect()
}

/// The modules that have files of their own.
fn declared(code: &str) -> impl Iterator<Item = &str> {
    places_of(code, "mod").filter_map(|at| {
        let name = name_at(&code[at + 3..]);
        let after = code[at + 3..].trim_start().strip_prefix(name)?;
        after.trim_start().starts_with(';').then_some(name)
    })
}

fn imports(code: &str) -> Vec<Import> {
    let mut imports = Vec::new();
    for at in places_of(code, "use") {
        let line = code[at + 3..].split(';').next().unwrap_or_default();
        // `use<…>` in a type names lifetimes.
        if !line.trim_start().starts_with('<') {
            expand(&[], line, &mut imports);
        }
    }
    imports
}

/// Adds the names of a tree of uses, such as `a::{b, c::{self, d as e}}`.
fn expand(prefix: &[String], text: &str, imports: &mut Vec<Import>) {
    let mut depth = 0_usize;
    let parts = text.split(|c: char| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    for part in parts.map(str::trim).filter(|part| !part.is_empty()) {
        let names = |path: &str| {
            let names = path.split("::").map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned);
            prefix.iter().cloned().chain(names).collect::<Path>()
        };
        if let Some((before, group)) = part.split_once('{') {
            expand(&names(before), group.strip_suffix('}').unwrap_or(group), imports);
            continue;
        }
        let (path, alias) = part.split_once(" as ").map_or((part, None), |(path, alias)| (path, Some(alias.trim())));
        let mut path = names(path);
        if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        let Some(last) = path.last() else { continue };
        let name = alias.unwrap_or(last).to_owned();
        imports.push(Import { path, name });
    }
}

/// The paths in the code that begin with a name in small letters, without those of `use` lines.
fn paths(code: &str) -> Vec<Path> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut paths = Vec::new();
    let mut end = 0;
    for (at, _) in code.match_indices("::") {
        if at < end {
            continue;
        }
        let start = code[..at].rfind(|c: char| !is_name(c)).map_or(0, |before| before + 1);
        // A longer path in which this is the middle, or a path from the root of all crates.
        let is_inner = code[..start].ends_with("::") || code[..start].ends_with('$');
        let mut path = vec![code[start..at].to_owned()];
        end = at;
        while code[end..].starts_with("::") {
            let name = name_at(&code[end + 2..]);
            if name.is_empty() || !code[end + 2..].starts_with(name) {
                end += 2;
                break;
            }
            path.push(name.to_owned());
            end += 2 + name.len();
        }
        if !is_inner && path[0].starts_with(|c: char| c.is_lowercase()) && path.len() > 1 {
            paths.push(path);
        }
    }
    paths
}

/// The strongly connected components of more than one module, by reachability: crates have few modules.
fn components(modules: &BTreeSet<String>, uses: &BTreeMap<(String, String), String>) -> Vec<Vec<String>> {
    let reached = |from: &String| {
        let mut reached = BTreeSet::new();
        let mut waiting = vec![from];
        while let Some(at) = waiting.pop() {
            for (_, next) in uses.keys().filter(|(user, _)| user == at) {
                if reached.insert(next) {
                    waiting.push(next);
                }
            }
        }
        reached
    };
    let reached: BTreeMap<&String, BTreeSet<&String>> =
        modules.iter().map(|module| (module, reached(module))).collect();
    let mut components: Vec<Vec<String>> = Vec::new();
    for module in modules {
        let is_known = components.iter().any(|component| component.contains(module));
        if is_known || !reached[module].contains(module) {
            continue;
        }
        let component =
            modules.iter().filter(|other| reached[module].contains(other) && reached[other].contains(module));
        components.push(component.cloned().collect());
    }
    components
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: (&str, &str) = ("Cargo.toml", "[workspace]\nmembers = [\"a\"]\n");

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let tree = Tree::of(&[&[MANIFEST], files].concat());
        cycles(&tree).iter().map(Finding::to_string).collect()
    }

    #[test]
    fn circles_are_found_in_uses_and_in_paths() {
        let files = [
            ("a/src/lib.rs", "mod b;\nmod c;\nmod d;\n"),
            ("a/src/b.rs", "use crate::{c::C, d::{self, D}};\n"),
            ("a/src/c.rs", "fn c() -> crate::d::D { todo }\n"),
            ("a/src/d.rs", "use super::b::B as E;\n"),
        ];
        assert_eq!(
            found(&files),
            ["a: the modules b, c, d use each other in a circle: b uses crate::c::C; b uses crate::d; c uses \
              crate::d::D; d uses super::b::B"]
        );
    }

    #[test]
    fn parents_and_children_are_one_unit() {
        let files = [
            ("a/src/lib.rs", "mod b;\nmod c;\nuse b::B;\npub struct A;\nfn f() { b::inner::f() }"),
            ("a/src/b/mod.rs", "pub mod inner;\npub use inner::B;\n"),
            ("a/src/b/inner.rs", "use super::x;\nuse crate::A;\npub struct B;\n"),
            ("a/src/c.rs", "use crate::b::B;\n"),
        ];
        assert_eq!(found(&files), Vec::<String>::new());
    }

    #[test]
    fn what_is_exported_again_belongs_to_its_module() {
        let files = [
            ("a/src/lib.rs", "mod b;\nmod c;\npub use c::{C, c as other};\n"),
            ("a/src/b.rs", "use crate::other;\n"),
            ("a/src/c/mod.rs", "mod d;\npub use d::{C, c};\n"),
            ("a/src/c/d.rs", "fn f() { crate::b::f::<crate::b::B>(); }\n"),
        ];
        assert_eq!(
            found(&files),
            ["a: the modules b, c use each other in a circle: b uses crate::other; c uses crate::b::f"]
        );
    }

    #[test]
    fn tests_and_words_are_no_uses() {
        let files = [
            ("a/src/lib.rs", "mod b;\nmod c;\n#[cfg(test)]\nmod tests;\n"),
            ("a/src/b.rs", "use crate::c::C;\n"),
            ("a/src/c.rs", "// crate::b::B\n#[cfg(test)]\nmod tests {\n use crate::b::B;\n}\n"),
            ("a/src/tests.rs", "use crate::b::B;\n"),
        ];
        assert_eq!(found(&files), Vec::<String>::new());
    }

    #[test]
    fn listed_cycles_may_shrink_and_must_not_be_gone() {
        let listed = |modules: &str| {
            format!("[[cycle]]\nwithin = \"a\"\nmodules = [{modules}]\nreason = \"it is being moved\"\n")
        };
        let circle = [
            ("a/src/lib.rs", "mod b;\nmod c;\nmod d;\n"),
            ("a/src/b.rs", "use crate::c::C;\n"),
            ("a/src/c.rs", "use crate::b::B;\n"),
            ("a/src/d.rs", ""),
        ];
        let with = |text: &str| found(&[&circle[..], &[("tidy/standing.toml", text)]].concat());
        assert_eq!(with(&listed("\"b\", \"c\"")), Vec::<String>::new());
        assert_eq!(
            with(&listed("\"b\", \"c\", \"d\"")),
            ["tidy/standing.toml: in a, these modules are in no cycle any more: d: take it out of the list"]
        );
    }
}
