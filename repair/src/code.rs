//! Trees and texts together: statements with their ends, insertion and removal of whole statements in the file's own layout.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;

use crate::sources::{Edit, Sources, begins_line, ends_line, indentation, line_end, line_start};
use crate::tree::{NodeId, Tree, end_of_statement, is_same_file};

pub struct Code {
    pub tree: Tree,
    pub sources: Sources,
    /// Each source that is compiled, with the files that its tree has nodes of.
    pub units: Vec<(String, Vec<String>)>,
    /// Nodes at places that were asked for.
    places: RefCell<HashMap<(String, u32, u32), Option<NodeId>>>,
}

/// Consecutive statements of one block of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Stretch {
    pub function: NodeId,
    pub block: NodeId,
    pub first: usize,
    pub last: usize,
}

impl Code {
    pub fn new(tree: Tree, sources: Sources, units: Vec<(String, Vec<String>)>) -> Code {
        Code { tree, sources, units, places: RefCell::default() }
    }

    /// The sources that include these files.
    pub fn sources_of<'a>(&self, files: impl Iterator<Item = &'a String> + Clone) -> Vec<String> {
        let is_part = |(source, parts): &&(String, Vec<String>)| {
            let has = |file: &String| is_same_file(source, file) || parts.iter().any(|part| is_same_file(part, file));
            files.clone().any(has)
        };
        self.units.iter().filter(is_part).map(|(source, _)| source.clone()).collect()
    }

    /// Whether a source includes a header, directly or through others.
    pub fn includes(&self, source: &str, header: &str) -> bool {
        let is_it = |(name, parts): &(String, Vec<String>)| {
            is_same_file(name, source) && parts.iter().any(|part| part == header)
        };
        self.units.iter().any(is_it)
    }

    pub fn file(&self, id: NodeId) -> &str {
        &self.tree.files[self.tree.node(id).file.0]
    }

    pub fn text_of_file(&self, id: NodeId) -> &str {
        self.sources.text(self.file(id))
    }

    pub fn range(&self, id: NodeId) -> Range<usize> {
        let node = self.tree.node(id);
        node.start as usize..node.end as usize
    }

    /// The characters of a node, without its semicolon.
    pub fn text(&self, id: NodeId) -> &str {
        self.text_of_file(id).get(self.range(id)).unwrap_or_default()
    }

    /// The extent of a statement with its semicolon.
    pub fn statement(&self, id: NodeId) -> Range<usize> {
        let range = self.range(id);
        range.start..end_of_statement(self.text_of_file(id), range)
    }

    pub fn children(&self, id: NodeId) -> &[NodeId] {
        &self.tree.node(id).children
    }

    /// The statements of a stretch.
    pub fn statements(&self, stretch: &Stretch) -> &[NodeId] {
        let children = self.children(stretch.block);
        children.get(stretch.first..(stretch.last + 1).min(children.len())).unwrap_or_default()
    }

    pub fn contains(&self, stretch: &Stretch, id: NodeId) -> bool {
        self.statements(stretch).iter().any(|statement| self.tree.is_within(id, *statement))
    }

    /// The smallest stretch around nodes of one function.
    pub fn around(&self, function: NodeId, nodes: &[NodeId]) -> Option<Stretch> {
        let (first, rest) = nodes.split_first()?;
        let (mut block, position) = self.tree.statement_of(*first)?;
        let mut stretch = Stretch { function, block, first: position, last: position };
        for node in rest {
            loop {
                let children = self.children(block);
                let found = children.iter().position(|child| self.tree.is_within(*node, *child));
                if let Some(found) = found {
                    stretch.first = stretch.first.min(found);
                    stretch.last = stretch.last.max(found);
                    break;
                }
                let (outer, position) = self.tree.statement_of(block)?;
                block = outer;
                stretch = Stretch { function, block, first: position, last: position };
            }
        }
        self.tree.is_within(block, function).then_some(stretch)
    }

    /// The same with one block more around it, up to the function's own.
    pub fn lifted(&self, stretch: &Stretch) -> Option<Stretch> {
        if self.tree.body(stretch.function) == Some(stretch.block) {
            return None;
        }
        let (block, position) = self.tree.statement_of(stretch.block)?;
        let lifted = Stretch { function: stretch.function, block, first: position, last: position };
        self.tree.is_within(block, stretch.function).then_some(lifted)
    }

    /// The nodes at a place, the innermost function around it first: a line and column that debug information names.
    pub fn node_at(&self, file: &str, line: u32, column: u32) -> Option<NodeId> {
        let place = (file.to_owned(), line, column);
        if let Some(known) = self.places.borrow().get(&place) {
            return *known;
        }
        let node = self.look_up(file, line, column);
        self.places.borrow_mut().insert(place, node);
        node
    }

    fn look_up(&self, file: &str, line: u32, column: u32) -> Option<NodeId> {
        let file = self.sources.name_of(file)?;
        let id = self.tree.file_named(file)?;
        let offset = self.sources.offset(file, line, column)? as u32;
        let covers = |one: &NodeId| {
            let node = self.tree.node(*one);
            node.file == id && node.start <= offset && offset < node.end.max(node.start + 1)
        };
        let size = |one: &NodeId| (self.tree.node(*one).end - self.tree.node(*one).start, std::cmp::Reverse(one.0));
        self.tree.ids().filter(covers).min_by_key(size)
    }

    /// Inserts a statement before another, on a line of its own where the other begins its line.
    pub fn before(&self, statement: NodeId, text: &str) -> Edit {
        let (file, whole) = (self.file(statement), self.text_of_file(statement));
        let start = self.range(statement).start;
        if begins_line(whole, start) {
            let indent = indentation(whole, start);
            let lines: Vec<String> = text.lines().map(|line| indented(indent, line)).collect();
            Edit::insert(file, line_start(whole, start), lines.concat())
        } else {
            Edit::insert(file, start, format!("{} ", text.replace('\n', " ")))
        }
    }

    /// Inserts a statement behind another.
    pub fn after(&self, statement: NodeId, text: &str) -> Edit {
        let (file, whole) = (self.file(statement), self.text_of_file(statement));
        let Range { start, end } = self.statement(statement);
        if begins_line(whole, start) && ends_line(whole, end) {
            let indent = indentation(whole, start);
            let lines: Vec<String> = text.lines().map(|line| indented(indent, line)).collect();
            Edit::insert(file, line_end(whole, end), lines.concat())
        } else {
            Edit::insert(file, end, format!(" {}", text.replace('\n', " ")))
        }
    }

    /// Removes a statement, with its line where it has one for itself.
    pub fn without(&self, statement: NodeId) -> Edit {
        let (file, whole) = (self.file(statement), self.text_of_file(statement));
        Edit::replace(file, self.lines_of(whole, self.statement(statement)), "")
    }

    /// The whole lines of a stretch of text, or the stretch alone where other text shares its lines.
    pub fn lines_of(&self, whole: &str, range: Range<usize>) -> Range<usize> {
        match begins_line(whole, range.start) && ends_line(whole, range.end) {
            true => line_start(whole, range.start)..line_end(whole, range.end),
            false => range,
        }
    }

    /// A name that no file uses, which begins like this.
    pub fn fresh(&self, wish: &str) -> String {
        let is_used = |name: &str| self.sources.texts.values().any(|text| has_word(text, name));
        let mut name = wish.to_owned();
        let mut number = 2;
        while is_used(&name) {
            name = format!("{wish}{number}");
            number += 1;
        }
        name
    }

    /// A directive that includes a header, unless it is there.
    pub fn including(&self, file: &str, header: &str) -> Option<Edit> {
        let text = self.sources.text(file);
        let directive = format!("#include <{header}>");
        let is_there = |line: &str| line.split_whitespace().collect::<String>() == directive.replace(' ', "");
        if text.lines().any(is_there) {
            return None;
        }
        // In the order of the alphabet where the file's own are.
        let mut at = None;
        let mut offset = 0;
        for line in text.split_inclusive('\n') {
            if line.starts_with("#include <") {
                if line.trim_end() > directive.as_str() {
                    at = at.or(Some(offset));
                    break;
                }
                at = Some(offset + line.len());
            }
            offset += line.len();
        }
        let at = at.unwrap_or_else(|| first_code(text));
        Some(Edit::insert(file, at, format!("{directive}\n")))
    }

    /// The outermost declaration around a node.
    pub fn outermost(&self, id: NodeId) -> NodeId {
        let namespaces = |id: &NodeId| matches!(self.tree.node(*id).kind.as_str(), "Namespace" | "LinkageSpec");
        self.tree.ancestors(id).take_while(|id| !namespaces(id)).last().unwrap_or(id)
    }

    /// Whether an expression depends on nothing but locals and constants.
    pub fn is_private(&self, expression: NodeId) -> bool {
        let is_own = |id: &NodeId| {
            let node = self.tree.node(*id);
            match node.kind.as_str() {
                "CallExpr" | "ArraySubscriptExpr" | "MemberRefExpr" | "UnexposedStmt" => false,
                "UnaryOperator" => !self.text(*id).trim_start().starts_with('*'),
                "DeclRefExpr" => match self.tree.declaration(&node.refers) {
                    Some(declaration) => !self.tree.is_global(declaration) && !node.type_name.contains("atomic"),
                    None => node.in_macro || self.text(*id).chars().all(|c| c.is_uppercase() || c == '_'),
                },
                _ => true,
            }
        };
        self.tree.below(expression).iter().all(is_own)
    }
}

/// A line with its indentation; an empty one has none.
fn indented(indent: &str, line: &str) -> String {
    if line.is_empty() { "\n".to_owned() } else { format!("{indent}{line}\n") }
}

pub fn is_header(file: &str) -> bool {
    [".h", ".hpp", ".hh", ".hxx", ".h++"].iter().any(|ending| file.ends_with(ending))
}

pub fn is_cpp(file: &str) -> bool {
    let ending = file.rsplit('.').next().unwrap_or_default();
    matches!(ending, "cc" | "cp" | "cpp" | "cxx" | "c++" | "CPP" | "C" | "ii" | "hpp" | "hh" | "hxx" | "h++")
}

/// Whether a text has a word, and not only as a part of another.
pub fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(word)
        .any(|(at, _)| !is_part(text[..at].chars().next_back()) && !is_part(text[at + word.len()..].chars().next()))
}

/// Where code begins behind the comment at the top.
fn first_code(text: &str) -> usize {
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.trim();
        if !(bare.is_empty() || bare.starts_with("//") || bare.starts_with("/*") || bare.starts_with('*')) {
            break;
        }
        offset += line.len();
    }
    offset
}
