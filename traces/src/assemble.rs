//! Builds a graph from trees of paths. Where the paths of a thread fork at a branch both directions of which are
//! stored, the guards are the condition and its negation. At other forks a fresh input chooses, and conditions are
//! assumptions.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use events::{Address, Builder, EventGraph, Kind, ThreadId};
use formula::{Sort, Term};
use run::ThreadName;

use crate::expression::{Condition, ReadName, Token};
use crate::paths::{Path, Tree};
use crate::trace::{Action, Item};

/// Integers and references alike.
const BYTES: u32 = 4;

struct Assembler {
    builder: Builder,
    threads: BTreeMap<ThreadName, ThreadId>,
    variables: HashMap<Arc<str>, Address>,
    monitors: HashMap<Arc<str>, Address>,
    barriers: HashMap<Arc<str>, Address>,
    /// By barrier: the number of threads that use it.
    parties: HashMap<Arc<str>, u32>,
    texts: HashMap<Arc<str>, Term>,
    /// The reads of the thread on the current path; of all threads if conditions name each other's reads.
    reads: HashMap<ReadName, Term>,
    /// Symbols that were created in advance.
    shared: HashMap<ReadName, Term>,
    choices: u32,
    /// By node, the guards of the ends of paths in the current tree.
    ends: HashMap<usize, Term>,
}

/// The remaining tasks, last first.
enum Task {
    Enter {
        node: usize,
        guard: Term,
        /// The condition is in the guard.
        implied: bool,
    },
    Forget(ReadName),
}

pub(super) fn assemble(paths: &[&Path]) -> EventGraph {
    assemble_paths(paths).0
}

/// The graph, and for each path the term that is true if it is taken. The graph always has the main thread.
pub(super) fn assemble_paths(paths: &[&Path]) -> (EventGraph, Vec<Term>) {
    let mut groups: BTreeMap<ThreadName, Vec<&Path>> = BTreeMap::from([(ThreadName::main(), Vec::new())]);
    let mut positions: BTreeMap<&ThreadName, Vec<usize>> = BTreeMap::new();
    for (position, path) in paths.iter().enumerate() {
        groups.entry(path.name.thread.clone()).or_default().push(path);
        positions.entry(&path.name.thread).or_default().push(position);
    }
    let mut assembler = Assembler {
        builder: Builder::new(),
        threads: BTreeMap::new(),
        variables: HashMap::new(),
        monitors: HashMap::new(),
        barriers: HashMap::new(),
        parties: HashMap::new(),
        texts: HashMap::new(),
        reads: HashMap::new(),
        shared: HashMap::new(),
        choices: 0,
        ends: HashMap::new(),
    };
    for (name, paths) in &groups {
        assembler.builder.set_place(paths.first().and_then(|path| path.trace.start.clone()));
        let id = assembler.builder.thread(name.clone());
        assembler.threads.insert(name.clone(), id);
        assembler.count_parties(paths);
    }
    assembler.number_texts(paths);
    assembler.share_reads(paths);
    let mut taken = vec![assembler.builder.terms().truth(); paths.len()];
    for (name, paths) in &groups {
        let tree = Tree::new(paths.iter().copied());
        assembler.ends.clear();
        assembler.thread(assembler.threads[name], &tree);
        for (&position, node) in positions.get(name).into_iter().flatten().zip(&tree.ends) {
            if let Some(&guard) = assembler.ends.get(node) {
                taken[position] = guard;
            }
        }
    }
    (assembler.builder.finish(), taken)
}

impl Assembler {
    fn count_parties(&mut self, paths: &[&Path]) {
        let barriers = paths.iter().flat_map(|path| &path.trace.items).filter_map(|item| match &item.action {
            Action::Barrier(object) => Some(object.clone()),
            _ => None,
        });
        for barrier in barriers.collect::<BTreeSet<_>>() {
            *self.parties.entry(barrier).or_insert(0) += 1;
        }
    }

    /// Gives every string a number that differs from all integers of the traces.
    fn number_texts(&mut self, paths: &[&Path]) {
        let mut numbers: BTreeSet<u32> = BTreeSet::new();
        let mut texts: BTreeSet<Arc<str>> = BTreeSet::new();
        for item in paths.iter().flat_map(|path| &path.trace.items) {
            match &item.action {
                Action::Write { value, .. } => {
                    numbers.extend(value.constants());
                    texts.extend(value.texts().cloned());
                }
                Action::Assume(condition) | Action::Assert(condition) => {
                    numbers.extend(condition.constants());
                    texts.extend(condition.texts().cloned());
                }
                _ => {}
            }
        }
        let mut free = (1 << 30..=u32::MAX).filter(|number| !numbers.contains(number));
        for text in texts {
            let number = free.next().unwrap_or(u32::MAX);
            let term = self.builder.constant(BYTES, u128::from(number));
            self.texts.insert(text, term);
        }
    }

    /// Creates the symbols in advance if conditions of one thread name reads of another.
    fn share_reads(&mut self, paths: &[&Path]) {
        if paths.iter().all(|path| path.trace.foreign.is_empty()) {
            return;
        }
        for item in paths.iter().flat_map(|path| &path.trace.items) {
            if let Action::Read(read) = &item.action {
                let symbol = self.builder.terms().symbol(read.to_string(), Sort::Bits(8 * BYTES));
                self.shared.insert(read.clone(), symbol);
            }
        }
        self.reads = self.shared.clone();
    }

    fn thread(&mut self, thread: ThreadId, tree: &Tree<'_>) {
        let mut tasks = vec![Task::Enter { node: 0, guard: self.builder.terms().truth(), implied: false }];
        while let Some(task) = tasks.pop() {
            let (node, guard, implied) = match task {
                Task::Enter { node, guard, implied } => (node, guard, implied),
                Task::Forget(read) => {
                    self.reads.remove(&read);
                    continue;
                }
            };
            self.builder.set_guard(guard);
            if let Some(item) = tree.nodes[node].item.filter(|_| !implied) {
                self.item(thread, item);
                if let Action::Read(read) = &item.action
                    && !self.shared.contains_key(read)
                {
                    tasks.push(Task::Forget(read.clone()));
                }
            }
            let ways = self.ways(tree, node, guard);
            tasks.extend(ways.into_iter().rev());
        }
    }

    /// The children of a node with their guards. The end of a path is an alternative too, without events.
    fn ways(&mut self, tree: &Tree<'_>, at: usize, guard: Term) -> Vec<Task> {
        let children = &tree.nodes[at].children;
        let ends = tree.nodes[at].ends;
        if let (&[node], false) = (children.as_slice(), ends) {
            return vec![Task::Enter { node, guard, implied: false }];
        }
        let condition = |child: usize| match tree.nodes[child].item.map(|item| &item.action) {
            Some(Action::Assume(condition)) => Some(condition),
            _ => None,
        };
        if let (&[first, second], false) = (children.as_slice(), ends)
            && let (Some(one), Some(other)) = (condition(first), condition(second))
            && one.negation() == *other
        {
            let decided = [(first, one), (second, other)].map(|(node, condition)| {
                let holds = self.condition(condition);
                let guard = self.builder.terms().and2(guard, holds);
                Task::Enter { node, guard, implied: true }
            });
            return decided.into();
        }
        let mut ways = Vec::new();
        let mut left = guard;
        for (position, &node) in children.iter().enumerate() {
            if position + 1 == children.len() && !ends {
                ways.push(Task::Enter { node, guard: left, implied: false });
                break;
            }
            self.choices += 1;
            let chosen = self.builder.input(format!("choice{}", self.choices), Sort::Bool);
            let terms = self.builder.terms();
            let guard = terms.and2(left, chosen);
            let otherwise = terms.not(chosen);
            left = terms.and2(left, otherwise);
            ways.push(Task::Enter { node, guard, implied: false });
        }
        if ends {
            self.ends.insert(at, left);
        }
        ways
    }

    fn item(&mut self, thread: ThreadId, item: &Item) {
        self.builder.set_place(item.place.clone());
        match &item.action {
            Action::Read(read) => {
                let address = self.variable(&read.variable);
                let symbol = self.shared.get(read).copied();
                let symbol =
                    symbol.unwrap_or_else(|| self.builder.terms().symbol(read.to_string(), Sort::Bits(8 * BYTES)));
                self.builder.read_into(thread, address, symbol);
                self.reads.insert(read.clone(), symbol);
            }
            Action::Write { variable, value } => {
                let address = self.variable(variable);
                let (reads, texts) = (&self.reads, &self.texts);
                let term = value.term(self.builder.terms(), &|token| leaf(reads, texts, token));
                let term = term.unwrap_or_else(|| self.builder.constant(BYTES, 0));
                self.builder.write(thread, address, term);
            }
            Action::Fork(child) => {
                let kind = self.threads.get(child).map_or(Kind::Cut, |&child| Kind::Fork { child });
                self.builder.event(thread, kind);
            }
            Action::Join(child) => {
                let kind = self.threads.get(child).map_or(Kind::Cut, |&child| Kind::Join { child });
                self.builder.event(thread, kind);
            }
            Action::Lock(object) => {
                let mutex = self.monitor(object);
                self.builder.lock(thread, mutex, false);
            }
            Action::Unlock(object) => {
                let mutex = self.monitor(object);
                self.builder.unlock(thread, mutex, false);
            }
            Action::Wait { object, timed } => {
                let monitor = self.monitor(object);
                if *timed {
                    self.builder.timed_wait(thread, monitor, monitor, false);
                } else {
                    self.builder.wait(thread, monitor, monitor, false);
                }
            }
            Action::Signal(object) => {
                let condition = self.monitor(object);
                self.builder.signal(thread, condition);
            }
            Action::SignalAll(object) => {
                let condition = self.monitor(object);
                self.builder.broadcast(thread, condition);
            }
            Action::Barrier(object) => {
                let barrier = named(&mut self.barriers, &mut self.builder, object, "barrier ");
                let parties = self.parties.get(object).copied().unwrap_or(1);
                self.builder.barrier(thread, barrier, BYTES, parties);
            }
            Action::Assume(condition) => {
                let condition = self.condition(condition);
                self.builder.assume(thread, condition);
            }
            Action::Assert(condition) => {
                let condition = self.condition(condition);
                self.builder.assert(thread, condition);
            }
        }
    }

    fn variable(&mut self, name: &Arc<str>) -> Address {
        named(&mut self.variables, &mut self.builder, name, "")
    }

    fn monitor(&mut self, name: &Arc<str>) -> Address {
        named(&mut self.monitors, &mut self.builder, name, "monitor ")
    }

    /// The reader has checked that all names in the condition were read.
    fn condition(&mut self, condition: &Condition) -> Term {
        let (reads, texts) = (&self.reads, &self.texts);
        let term = condition.term(self.builder.terms(), &|token| leaf(reads, texts, token));
        term.unwrap_or_else(|| self.builder.terms().falsehood())
    }
}

fn leaf(reads: &HashMap<ReadName, Term>, texts: &HashMap<Arc<str>, Term>, token: &Token) -> Option<Term> {
    match token {
        Token::Read(read) => reads.get(read).copied(),
        Token::Text(text) => texts.get(text).copied(),
        Token::Constant(_) | Token::Arithmetic(_) => None,
    }
}

fn named(known: &mut HashMap<Arc<str>, Address>, builder: &mut Builder, name: &Arc<str>, prefix: &str) -> Address {
    if let Some(&address) = known.get(name) {
        return address;
    }
    let object = builder.object(format!("{prefix}{name}"), BYTES);
    let address = builder.address(object, 0);
    known.insert(name.clone(), address);
    address
}
