//! Prints a graph as text. Terms that occur more than once, or that are large, get a name in a line before their first
//! use.

use std::collections::HashMap;
use std::fmt::{self, Write};

use formula::{Op, Sort, Term, Terms};

use super::HEADER;
use super::lex::written;
use super::names::Namer;
use crate::graph::{Access, Address, Event, EventGraph, EventId, Kind, Label, ThreadId};
use crate::scope::defined;

/// Larger terms are split by naming parts of them.
const LARGEST: u32 = 24;

impl fmt::Display for EventGraph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Printer::new(self).print())
    }
}

struct Printer<'g> {
    graph: &'g EventGraph,
    objects: Vec<String>,
    symbols: HashMap<Term, String>,
    /// By term: the size of the text at each occurrence.
    sizes: HashMap<Term, u32>,
    named: HashMap<Term, usize>,
    text: String,
}

impl<'g> Printer<'g> {
    fn new(graph: &'g EventGraph) -> Printer<'g> {
        let mut namer = Namer::default();
        let objects = graph.objects.iter().map(|object| namer.name(&object.name)).collect();
        let mut roots: Vec<Term> = graph.events.iter().flat_map(Event::terms).collect();
        roots.extend(graph.objects.iter().flat_map(|object| object.initial.iter().map(|initial| initial.value)));
        let mut uses: HashMap<Term, u32> = HashMap::new();
        let mut sizes: HashMap<Term, u32> = HashMap::new();
        let mut namer = Namer::default();
        let mut symbols = HashMap::new();
        let reachable = graph.terms.reachable(&[roots.as_slice(), &graph.inputs].concat());
        for &term in &reachable {
            for operand in graph.terms.op(term).operands() {
                *uses.entry(operand).or_insert(0) += 1;
            }
            if let Op::Symbol(id) = graph.terms.op(term) {
                symbols.insert(term, format!("%{}", namer.name(graph.terms.name(*id))));
            }
        }
        for root in roots {
            *uses.entry(root).or_insert(0) += 1;
        }
        for &term in &reachable {
            let operands = graph.terms.op(term).operands();
            let size = operands.map(|operand| if sizes[&operand] > LARGEST { 1 } else { sizes[&operand] }).sum::<u32>();
            let named = size > 0 && uses.get(&term).is_some_and(|&uses| uses > 1);
            sizes.insert(term, if named { LARGEST + 1 } else { size + 1 });
        }
        Printer { graph, objects, symbols, sizes, named: HashMap::new(), text: String::new() }
    }

    fn print(mut self) -> String {
        let graph = self.graph;
        self.line(format_args!("{HEADER}"));
        for &input in &graph.inputs {
            let sort = match graph.terms.sort(input) {
                Sort::Bool => "bool".to_owned(),
                Sort::Bits(width) => format!("bits {width}"),
            };
            let name = self.term(input);
            self.line(format_args!("input {name} {sort}"));
        }
        for (number, object) in graph.objects.iter().enumerate() {
            let name = self.objects[number].clone();
            self.line(format_args!("object {name} {}", object.bytes));
            for initial in &object.initial {
                let value = self.prepared(initial.value);
                self.line(format_args!("  initial {} {value}", initial.offset));
            }
        }
        for thread in &graph.threads {
            self.line(format_args!("thread {}", thread.name));
            for &id in &thread.events {
                if let Some(event) = graph.events.get(id.index()) {
                    self.event(id, event);
                }
            }
        }
        self.text
    }

    fn line(&mut self, line: fmt::Arguments<'_>) {
        let _ = writeln!(self.text, "{line}");
    }

    fn event(&mut self, id: EventId, event: &Event) {
        for term in event.terms() {
            self.prepare(term);
        }
        let mut line = format!("  {} ", id.0);
        if event.guard != self.graph.terms.truth() {
            let _ = write!(line, "if {} ", self.term(event.guard));
        }
        line.push_str(&self.kind(&event.kind));
        if let Some(place) = &event.place {
            let _ = write!(line, " @ {} {}", written(&place.file), place.line);
        }
        self.line(format_args!("{line}"));
    }

    fn kind(&self, kind: &Kind) -> String {
        let recursively = |recursive: bool| if recursive { " recursive" } else { "" };
        match kind {
            Kind::Start => "start".to_owned(),
            Kind::Exit => "exit".to_owned(),
            Kind::Fork { child } => format!("fork {}", self.thread(*child)),
            Kind::Join { child } => format!("join {}", self.thread(*child)),
            Kind::Access(access) => self.access(access),
            Kind::Lock { mutex, recursive } => format!("lock {}{}", self.address(mutex), recursively(*recursive)),
            Kind::Unlock { mutex, recursive, foreign } => {
                let foreign = if *foreign { " foreign" } else { "" };
                format!("unlock {}{}{foreign}", self.address(mutex), recursively(*recursive))
            }
            Kind::TryLock { mutex, recursive, taken } => {
                format!("trylock {}{} taken {}", self.address(mutex), recursively(*recursive), self.term(*taken))
            }
            Kind::Sleep { condition, mutex, recursive } => {
                format!("sleep {} {}{}", self.address(condition), self.address(mutex), recursively(*recursive))
            }
            Kind::Wake { sleep, spurious, .. } => {
                let timed_out = defined(kind).map(|term| format!(" timedout {}", self.term(term))).unwrap_or_default();
                format!("wake {}{timed_out}{}", sleep.0, if *spurious { " spurious" } else { "" })
            }
            Kind::Signal { condition } => format!("signal {}", self.address(condition)),
            Kind::Broadcast { condition } => format!("broadcast {}", self.address(condition)),
            Kind::AtomicBegin => "atomic begin".to_owned(),
            Kind::AtomicEnd => "atomic end".to_owned(),
            Kind::Assume { condition } => format!("assume {}", self.term(*condition)),
            Kind::Assert { condition } => format!("assert {}", self.term(*condition)),
            Kind::Await { round } => {
                let round: String = round.iter().map(|looked| format!(" {}", looked.0)).collect();
                format!("await{round}")
            }
            Kind::Cut => "cut".to_owned(),
            Kind::End => "end".to_owned(),
        }
    }

    fn thread(&self, id: ThreadId) -> String {
        self.graph.threads.get(id.index()).map_or_else(|| "?".to_owned(), |thread| thread.name.to_string())
    }

    fn access(&self, access: &Access) -> String {
        let terms = &self.graph.terms;
        let mut text = format!("{} {} bytes {}", label(access.label), self.address(&access.address), access.bytes);
        if let Some(old) = access.old {
            let _ = write!(text, " old {}", self.term(old));
        }
        if access.enabled != terms.truth() {
            let _ = write!(text, " enabled {}", self.term(access.enabled));
        }
        if let Some(new) = access.new {
            let _ = write!(text, " new {}", self.term(new));
        }
        if access.writes != terms.bool(access.new.is_some()) {
            let _ = write!(text, " writes {}", self.term(access.writes));
        }
        text
    }

    fn address(&self, address: &Address) -> String {
        let terms = &self.graph.terms;
        let object = terms.as_bits(address.object).and_then(|object| self.objects.get(usize::try_from(object).ok()?));
        let offset = match terms.as_bits(address.offset) {
            Some(offset) => offset.to_string(),
            None => self.term(address.offset),
        };
        match object {
            Some(object) => format!("{object}[{offset}]"),
            None => format!("[{}][{offset}]", self.term(address.object)),
        }
    }

    fn prepared(&mut self, term: Term) -> String {
        self.prepare(term);
        self.term(term)
    }

    fn names(&self, term: Term) -> bool {
        self.sizes.get(&term).is_some_and(|&size| size > LARGEST)
    }

    /// Prints the names that must precede the term.
    fn prepare(&mut self, term: Term) {
        let terms = &self.graph.terms;
        let mut stack = vec![term];
        while let Some(&top) = stack.last() {
            let waiting = stack.len();
            if !self.named.contains_key(&top) {
                stack.extend(self.inner_names(terms, top));
            }
            if stack.len() > waiting {
                continue;
            }
            stack.pop();
            if self.names(top) && !self.named.contains_key(&top) {
                let text = self.unnamed(top);
                let number = self.named.len() + 1;
                self.named.insert(top, number);
                self.line(format_args!("  let ${number} = {text}"));
            }
        }
    }

    /// Subterms that are written by name and have no name yet.
    fn inner_names(&self, terms: &Terms, term: Term) -> Vec<Term> {
        let mut found = Vec::new();
        let mut stack: Vec<Term> = terms.op(term).operands().collect();
        while let Some(term) = stack.pop() {
            if !self.names(term) {
                stack.extend(terms.op(term).operands());
            } else if !self.named.contains_key(&term) {
                found.push(term);
            }
        }
        found
    }

    fn term(&self, term: Term) -> String {
        match self.named.get(&term) {
            Some(number) => format!("${number}"),
            None => self.unnamed(term),
        }
    }

    /// Recursion is limited by the size of unnamed terms.
    fn unnamed(&self, term: Term) -> String {
        let op = self.graph.terms.op(term);
        let name = match op {
            Op::Bool(value) => return value.to_string(),
            Op::Bits { width, value } => return format!("{value}:{width}"),
            Op::Symbol(_) => return self.symbols.get(&term).cloned().unwrap_or_default(),
            Op::Before(a, b) => return format!("(before {} {})", a.0, b.0),
            Op::Not(_) => "not",
            Op::And(_) => "and",
            Op::Or(_) => "or",
            Op::Iff(..) => "iff",
            Op::Ite(..) => "ite",
            Op::Eq(..) => "=",
            Op::Ult(..) => "ult",
            Op::Slt(..) => "slt",
            Op::Add(..) => "add",
            Op::Sub(..) => "sub",
            Op::Mul(..) => "mul",
            Op::Udiv(..) => "udiv",
            Op::Urem(..) => "urem",
            Op::Sdiv(..) => "sdiv",
            Op::Srem(..) => "srem",
            Op::BitAnd(..) => "bitand",
            Op::BitOr(..) => "bitor",
            Op::BitXor(..) => "bitxor",
            Op::BitNot(_) => "bitnot",
            Op::Neg(_) => "neg",
            Op::Shl(..) => "shl",
            Op::Lshr(..) => "lshr",
            Op::Ashr(..) => "ashr",
            Op::Concat(..) => "concat",
            Op::Extract { .. } => "extract",
            Op::ZeroExtend { .. } => "zext",
            Op::SignExtend { .. } => "sext",
        };
        let mut text = format!("({name}");
        match op {
            Op::Extract { high, low, .. } => {
                let _ = write!(text, " {high} {low}");
            }
            Op::ZeroExtend { width, .. } | Op::SignExtend { width, .. } => {
                let _ = write!(text, " {width}");
            }
            _ => {}
        }
        for operand in op.operands() {
            let _ = write!(text, " {}", self.term(operand));
        }
        text + ")"
    }
}

pub(super) const LABELS: [(&str, Label); 15] = [
    ("read", Label::Read),
    ("write", Label::Write),
    ("rmw", Label::Rmw),
    ("semwait", Label::SemWait),
    ("semtrywait", Label::SemTryWait),
    ("sempost", Label::SemPost),
    ("readlock", Label::ReadLock),
    ("tryreadlock", Label::TryReadLock),
    ("writelock", Label::WriteLock),
    ("trywritelock", Label::TryWriteLock),
    ("rwunlock", Label::RwUnlock),
    ("arrive", Label::BarrierArrive),
    ("leave", Label::BarrierLeave),
    ("once", Label::Once),
    ("spin", Label::Spin),
];

fn label(label: Label) -> &'static str {
    LABELS.iter().find(|(_, other)| *other == label).map_or("access", |(name, _)| name)
}
