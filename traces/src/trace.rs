//! Reads one trace file line by line: one thread on one path, in either dialect.
//!
//! A thread may enter a monitor that it is in: inner pairs of lock and unlock are left out, so that a wait releases the
//! monitor completely. Monitors that are still held at the end are left there.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use events::Place;
use run::ThreadName;

use crate::ImportError;
use crate::expression::{Condition, Expression, ReadName, shortened};
use crate::name::thread_name;
use crate::notes::{Note, NoteKind};

/// A path of a thread from a file. Conditions are at the points where they are decided.
#[derive(Clone, Debug, Default)]
pub(super) struct Trace {
    pub items: Vec<Item>,
    pub start: Option<Place>,
    pub marker: Option<Marker>,
    /// Event lines and branch lines.
    pub lines: usize,
    /// The direction of each branch; none where the dialect has no bits.
    pub bits: Vec<bool>,
    /// Reads of other threads that conditions name, with the line.
    pub foreign: Vec<(u32, ReadName)>,
    /// The repairs.
    pub notes: Vec<Note>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Marker {
    Passing,
    Failing,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Item {
    pub action: Action,
    pub place: Option<Place>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Action {
    Read(ReadName),
    Write {
        variable: Arc<str>,
        value: Expression,
    },
    Fork(ThreadName),
    Join(ThreadName),
    Lock(Arc<str>),
    Unlock(Arc<str>),
    Wait {
        object: Arc<str>,
        timed: bool,
    },
    Signal(Arc<str>),
    SignalAll(Arc<str>),
    Barrier(Arc<str>),
    Assume(Condition),
    /// In the passing direction.
    Assert(Condition),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// With markers, branch lines and path ids.
    Cortex,
    /// Without these; conditions follow the last of the thread's own reads that they name.
    Symbiosis { asserting: bool },
}

/// The part of the file to which the next line belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    Items,
    Conditions,
    Over,
}

struct Reader<'a> {
    file: &'a str,
    thread: &'a ThreadName,
    dialect: Dialect,
    line: u32,
    /// As far as it has been read: without conditions, bits and foreign reads.
    trace: Trace,
    exited: bool,
    /// The position in `items` of each branch, and the number of reads before it.
    branches: Vec<(usize, u32)>,
    conditions: Vec<(u32, Condition)>,
    bits: Option<Vec<bool>>,
    known: Known,
    /// Monitors that the thread is in, with depth and line of entry, in the order of entering.
    held: Vec<(Arc<str>, u32, u32)>,
    forked: HashSet<ThreadName>,
}

/// The names read so far.
#[derive(Default)]
struct Known {
    /// For each read of this thread, its number and its position among the items.
    reads: HashMap<ReadName, (u32, usize)>,
    /// Of reads and of writes of a variable.
    counts: HashMap<(bool, Arc<str>), u32>,
    /// Equal names are one string.
    names: HashSet<Arc<str>>,
}

pub(super) fn parse_trace(file: &str, text: &str, thread: &ThreadName, dialect: Dialect) -> Result<Trace, ImportError> {
    let mut reader = Reader {
        file,
        thread,
        dialect,
        line: 0,
        trace: Trace::default(),
        exited: false,
        branches: Vec::new(),
        conditions: Vec::new(),
        bits: None,
        known: Known::default(),
        held: Vec::new(),
        forked: HashSet::new(),
    };
    let section = reader.read(text)?;
    reader.finish(section)
}

impl Reader<'_> {
    fn error(&self, message: impl Into<String>) -> ImportError {
        ImportError { file: self.file.to_owned(), line: self.line, message: message.into() }
    }

    fn read(&mut self, text: &str) -> Result<Section, ImportError> {
        let mut section = Section::Items;
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            self.line += 1;
            section = match section {
                Section::Items => self.item_line(line, &mut lines)?,
                Section::Conditions => self.condition_line(line)?,
                Section::Over if line.trim().is_empty() => Section::Over,
                Section::Over => return Err(self.error("nothing follows the end of a trace")),
            };
        }
        Ok(section)
    }

    fn item_line<'t>(
        &mut self,
        line: &'t str,
        rest: &mut impl Iterator<Item = &'t str>,
    ) -> Result<Section, ImportError> {
        match line {
            "" => return Ok(Section::Over),
            "<pathjpf>" => return Ok(Section::Conditions),
            "<assertThread_ok>" | "<assertThread_fail>" => {
                if self.line != 1 || self.dialect != Dialect::Cortex {
                    return Err(
                        self.error("a marker stands in the first line of a file that names its run, or nowhere")
                    );
                }
                let passing = line == "<assertThread_ok>";
                self.trace.marker = Some(if passing { Marker::Passing } else { Marker::Failing });
                return Ok(Section::Items);
            }
            _ => {}
        }
        if self.exited {
            return Err(self.error("nothing follows the exit of a thread"));
        }
        self.trace.lines += 1;
        if let Some(thread) = line.strip_prefix("branch-").filter(|_| !line.contains('@')) {
            self.own_thread(thread)?;
            if self.dialect != Dialect::Cortex {
                return Err(self.error("traces that name no run have no branch lines"));
            }
            self.branches.push((self.trace.items.len(), self.known.reads.len() as u32));
            return Ok(Section::Items);
        }
        let parts = line.split_once('@').and_then(|(name, rest)| Some((name, rest.split_once(':')?)));
        let Some((name, (number, operation))) = parts else {
            return Err(self.error(format!("`{}` is neither an event nor a branch", shortened(line))));
        };
        let number = number.parse().ok().filter(|_| !number.starts_with('+'));
        let number = number.ok_or_else(|| self.error("the line of the source is not a number"))?;
        let place = Place { file: name.to_owned(), line: number };
        match operation.split_at_checked(2) {
            Some(("R-", rest)) => {
                let read = self.access(rest, true)?;
                self.known.reads.insert(read.clone(), (self.known.reads.len() as u32, self.trace.items.len()));
                self.push(Action::Read(read), place);
            }
            Some(("W-", written)) => {
                let variable = self.access(written, false)?.variable;
                self.line += 1;
                let value = self.value(rest.next())?;
                self.push(Action::Write { variable, value }, place);
            }
            Some(("S-", rest)) => self.synchronisation(rest, place)?,
            _ => return Err(self.error(format!("`{}` is not a read, write or synchronisation", shortened(operation)))),
        }
        Ok(Section::Items)
    }

    fn push(&mut self, action: Action, place: Place) {
        self.trace.items.push(Item { action, place: Some(place) });
    }

    fn name(&mut self, text: &str) -> Arc<str> {
        if let Some(name) = self.known.names.get(text) {
            return name.clone();
        }
        let name: Arc<str> = Arc::from(text);
        self.known.names.insert(name.clone());
        name
    }

    fn own_thread(&self, text: &str) -> Result<(), ImportError> {
        match thread_name(text) {
            Some(thread) if thread == *self.thread => Ok(()),
            Some(_) => Err(self.error(format!("this is not a trace of thread {text}"))),
            None => Err(self.error(format!("`{}` is not the name of a thread", shortened(text)))),
        }
    }

    /// `var-tid-n`, where `n` counts the thread's accesses of this kind to the variable.
    fn access(&mut self, text: &str, is_read: bool) -> Result<ReadName, ImportError> {
        let mut parts = text.rsplitn(3, '-');
        let (Some(number), Some(thread), Some(variable)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(self.error("an access names its variable, its thread and its number"));
        };
        self.own_thread(thread)?;
        let variable = self.name(variable);
        let count = self.known.counts.entry((is_read, variable.clone())).or_insert(0);
        *count += 1;
        let count = *count;
        if number.parse() != Ok(count) {
            let number = shortened(number);
            return Err(self.error(format!("the access should have the number {count}, not {number}")));
        }
        Ok(ReadName { thread: self.thread.clone(), variable, number: count })
    }

    fn value(&self, line: Option<&str>) -> Result<Expression, ImportError> {
        let value = line.and_then(|line| line.strip_prefix('$')?.strip_suffix('$'));
        let value = value.ok_or_else(|| self.error("the value of a write stands in the next line, between dollars"))?;
        let value = Expression::parse_value(value).map_err(|message| self.error(message))?;
        if let Some(read) = value.reads().find(|read| !self.known.reads.contains_key(read)) {
            return Err(
                self.error(format!("the value names read {} of {}, which is not above", read.number, read.variable))
            );
        }
        Ok(value)
    }

    fn synchronisation(&mut self, text: &str, place: Place) -> Result<(), ImportError> {
        let Some((operation, thread)) = text.rsplit_once('-') else {
            return Err(self.error("a synchronisation names its thread"));
        };
        self.own_thread(thread)?;
        let (kind, object) = operation.split_once('_').unwrap_or((operation, ""));
        match kind {
            "start" if !self.trace.items.is_empty() || self.trace.start.is_some() => {
                return Err(self.error("the start of a thread is its first event"));
            }
            "start" => self.trace.start = Some(place),
            "exit" => self.exited = true,
            "fork" | "join" => {
                let child = thread_name(object);
                let child =
                    child.ok_or_else(|| self.error(format!("`{}` is not the name of a thread", shortened(object))))?;
                self.relation(kind, &child)?;
                self.push(if kind == "fork" { Action::Fork(child) } else { Action::Join(child) }, place);
            }
            "lock" | "unlock" | "wait" | "timedwait" | "signal" | "signalall" | "barrier" => {
                if object.is_empty() {
                    return Err(self.error(format!("`{kind}` names no object")));
                }
                let object = self.name(object);
                if matches!(kind, "lock" | "unlock" | "wait" | "timedwait") && !self.monitor(kind, &object, &place) {
                    return Ok(());
                }
                let action = match kind {
                    "lock" => Action::Lock(object),
                    "unlock" => Action::Unlock(object),
                    "wait" | "timedwait" => Action::Wait { object, timed: kind == "timedwait" },
                    "signal" => Action::Signal(object),
                    "signalall" => Action::SignalAll(object),
                    _ => Action::Barrier(object),
                };
                self.push(action, place);
            }
            _ => return Err(self.error(format!("`{}` is not a synchronisation", shortened(kind)))),
        }
        Ok(())
    }

    /// A thread forks its own children, each once, and does not join itself.
    fn relation(&mut self, kind: &str, child: &ThreadName) -> Result<(), ImportError> {
        if kind == "fork" && child.parent().as_ref() != Some(self.thread) {
            return Err(self.error("the thread that is forked is not a child of this one"));
        }
        if kind == "fork" && !self.forked.insert(child.clone()) {
            return Err(self.error("the thread has been forked above"));
        }
        if kind == "join" && (*child == *self.thread || *child == ThreadName::main()) {
            return Err(self.error("neither the thread itself nor the main one can be joined"));
        }
        Ok(())
    }

    fn note(&mut self, line: u32, kind: NoteKind) {
        self.trace.notes.push(Note { file: self.file.to_owned(), line: Some(line), kind });
    }

    /// Tracks the monitors that the thread is in, and returns whether the operation is visible to other threads. A
    /// monitor that is left or waited in without having been entered is entered first.
    fn monitor(&mut self, kind: &str, object: &Arc<str>, place: &Place) -> bool {
        let held = self.held.iter().position(|(held, ..)| held == object);
        match (kind, held) {
            ("lock", None) => self.held.push((object.clone(), 1, self.line)),
            ("lock", Some(held)) => {
                self.held[held].1 += 1;
                return false;
            }
            (_, None) => {
                self.note(self.line, NoteKind::AcquisitionMissing { monitor: object.to_string() });
                self.push(Action::Lock(object.clone()), place.clone());
                if kind != "unlock" {
                    self.held.push((object.clone(), 1, self.line));
                }
            }
            ("unlock", Some(held)) if self.held[held].1 > 1 => {
                self.held[held].1 -= 1;
                return false;
            }
            ("unlock", Some(held)) => {
                self.held.remove(held);
            }
            (_, Some(_)) => {}
        }
        true
    }

    fn condition_line(&mut self, line: &str) -> Result<Section, ImportError> {
        if let Some(bits) = line.strip_prefix("pathid-") {
            let Some(bits) = bits.strip_prefix('1').filter(|bits| bits.bytes().all(|bit| matches!(bit, b'0' | b'1')))
            else {
                return Err(self.error("the path's number is a one and then one bit per branch"));
            };
            if self.dialect != Dialect::Cortex {
                return Err(self.error("traces that name no run have no path's number"));
            }
            self.bits = Some(bits.bytes().map(|bit| bit == b'1').collect());
            return Ok(Section::Over);
        }
        if line.trim().is_empty() && self.dialect != Dialect::Cortex {
            return Ok(Section::Over);
        }
        let Some((thread, condition)) = line.strip_prefix('T').and_then(|line| line.split_once(':')) else {
            return Err(self.error(format!("`{}` is not a condition", shortened(line))));
        };
        self.own_thread(thread)?;
        let condition = Condition::parse(condition).map_err(|message| self.error(message))?;
        if let Some(read) =
            condition.reads().find(|read| read.thread == *self.thread && !self.known.reads.contains_key(read))
        {
            return Err(self.error(format!("the trace has no read {} of {}", read.number, read.variable)));
        }
        self.conditions.push((self.line, condition));
        Ok(Section::Conditions)
    }

    fn finish(mut self, section: Section) -> Result<Trace, ImportError> {
        let asserting = match self.dialect {
            Dialect::Cortex => {
                self.complete(section)?;
                self.trace.marker.is_some()
            }
            Dialect::Symbiosis { asserting } => {
                self.place_conditions();
                asserting
            }
        };
        if asserting && self.conditions.is_empty() {
            return Err(self.error("this is the asserting thread, and it has no condition"));
        }
        let last = self.conditions.len().wrapping_sub(1);
        let passing = self.trace.marker == Some(Marker::Passing);
        let mut items = Vec::with_capacity(self.trace.items.len() + self.branches.len());
        let mut events = std::mem::take(&mut self.trace.items).into_iter();
        let mut taken = 0;
        let decided = std::mem::take(&mut self.conditions);
        let foreign = decided.iter().flat_map(|(line, condition)| condition.reads().map(|read| (*line, read.clone())));
        let foreign = foreign.filter(|(_, read)| read.thread != *self.thread).collect();
        for (number, (&(position, _), (_, condition))) in self.branches.iter().zip(decided).enumerate() {
            items.extend(events.by_ref().take(position - taken));
            taken = position;
            let place = items.last().and_then(|item: &Item| item.place.clone()).or_else(|| self.trace.start.clone());
            let action = match asserting && number == last {
                true if passing => Action::Assert(condition),
                true => Action::Assert(condition.negation()),
                false => Action::Assume(condition),
            };
            items.push(Item { action, place });
        }
        items.extend(events);
        for (object, _, line) in std::mem::take(&mut self.held).into_iter().rev() {
            self.note(line, NoteKind::EndsInside { monitor: object.to_string() });
            items.push(Item { action: Action::Unlock(object), place: None });
        }
        Ok(Trace { items, bits: self.bits.unwrap_or_default(), foreign, ..self.trace })
    }

    /// Branches, conditions and bits belong together, and a condition depends on earlier reads only.
    fn complete(&self, section: Section) -> Result<(), ImportError> {
        if section != Section::Over {
            return Err(self.error("the trace breaks off: it ends with an empty line or with the path's number"));
        }
        let (branches, conditions) = (self.branches.len(), self.conditions.len());
        let bits = self.bits.as_ref().map_or(0, Vec::len);
        if branches != conditions || bits != conditions {
            let message =
                format!("{branches} branch lines, {conditions} conditions and {bits} bits do not fit together");
            return Err(self.error(message));
        }
        for (&(_, reads), (line, condition)) in self.branches.iter().zip(&self.conditions) {
            let known = |read: &&ReadName| self.known.reads.get(*read).is_some_and(|(when, _)| *when < reads);
            if let Some(read) = condition.reads().find(|read| !known(read)) {
                let message = format!("read {} of {} does not come before the branch", read.number, read.variable);
                return Err(ImportError { line: *line, ..self.error(message) });
            }
        }
        Ok(())
    }

    /// Places conditions without a branch line after the last of the thread's own reads that they name, in order.
    fn place_conditions(&mut self) {
        let mut position = 0;
        for (_, condition) in &self.conditions {
            let own = condition.reads().filter_map(|read| self.known.reads.get(read));
            position = own.map(|(_, item)| item + 1).chain([position]).max().unwrap_or(position);
            self.branches.push((position, 0));
        }
    }
}
