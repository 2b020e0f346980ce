//! Threads with their names, and the names of the functions in their records.

use std::collections::{HashMap, HashSet};

use super::Damage;
use super::chunks::Streams;
use super::records::{self, Birth};
use crate::recorded::{Input, ThreadEnd, ThreadRecord};
use crate::tables::Tables;
use crate::thread::ThreadName;

/// A name has a number for every ancestor: without a limit a chain of threads needs quadratic space.
const DEEPEST: usize = 10_000;

/// The known threads, in the order of their births.
#[derive(Default)]
pub struct Threads {
    pub records: Vec<ThreadRecord>,
    /// By index of a thread, its position in `records`.
    positions: HashMap<u32, usize>,
    names: HashSet<ThreadName>,
    /// The contents of the files that the threads opened.
    files: Vec<Input>,
}

impl Threads {
    pub fn read(streams: &Streams<'_>, tables: &Tables, damage: &mut Damage) -> Threads {
        let mut functions = Functions::new(streams, tables);
        let mut threads = Threads::default();
        for index in streams.threads() {
            threads.add(index, streams, tables, &mut functions, damage);
        }
        // Which thread opened a file first does not matter for replay.
        let files = std::mem::take(&mut threads.files);
        if let Some(main) = threads.records.first_mut() {
            main.inputs.splice(0..0, files);
        }
        if functions.are_missed {
            damage.add("the addresses of functions are missing, so that calls cannot be named");
        }
        threads
    }

    /// The process failed in the thread with this index.
    pub fn failed(&mut self, index: u32) {
        if let Some(&position) = self.positions.get(&index) {
            self.records[position].end = ThreadEnd::Failed;
        }
    }

    fn add(
        &mut self,
        index: u32,
        streams: &Streams<'_>,
        tables: &Tables,
        functions: &mut Functions<'_>,
        damage: &mut Damage,
    ) {
        let records = records::read(streams.records(index), index, tables, damage);
        let bits = streams.bits(index, damage);
        let Some(birth) = records.birth else {
            // A thread that had not begun when the process died has no decisions.
            if !bits.is_empty() {
                damage.add(format!("the birth of the thread with index {index} is missing"));
            }
            return;
        };
        let name = match self.name(index, &birth) {
            Ok(name) => name,
            Err(what) => return damage.add(what),
        };
        let start = match functions.names.get(&birth.start) {
            // The recorder need not know the start function of the first thread.
            None if index == 0 => "main".to_owned(),
            _ => functions.name(birth.start),
        };
        let callees = records.callees.into_iter().map(|address| functions.name(address)).collect();
        self.files.extend(records.files);
        self.positions.insert(index, self.records.len());
        self.names.insert(name.clone());
        self.records.push(ThreadRecord {
            name,
            start,
            bits,
            callees,
            inputs: records.inputs,
            notes: records.notes,
            order: records.order,
            end: records.end.unwrap_or(ThreadEnd::Stopped),
        });
    }

    fn name(&self, index: u32, birth: &Birth) -> Result<ThreadName, String> {
        if index == 0 {
            return match (birth.parent, birth.number) {
                (0, 0) => Ok(ThreadName::main()),
                _ => Err("the first thread seems to have been created by another".to_owned()),
            };
        }
        let parent = u32::try_from(birth.parent).ok().and_then(|parent| self.positions.get(&parent));
        let Some(&parent) = parent else {
            return Err(format!("the thread that created the one with index {index} is missing"));
        };
        let number = u32::try_from(birth.number).ok().filter(|number| *number > 0);
        if self.records[parent].name.numbers().len() >= DEEPEST {
            return Err(format!("the thread with index {index} has more than {DEEPEST} creators above it"));
        }
        match number.map(|number| self.records[parent].name.child(number)) {
            Some(name) if !self.names.contains(&name) => Ok(name),
            Some(name) => Err(format!("two threads are named {name}")),
            None => Err(format!("the thread with index {index} is child number {} of its creator", birth.number)),
        }
    }
}

/// The functions that can be called through pointers.
struct Functions<'a> {
    names: HashMap<u64, &'a str>,
    /// Whether the spool has fewer addresses than the program has functions.
    are_incomplete: bool,
    /// Whether a missing address may have been looked up.
    are_missed: bool,
}

impl<'a> Functions<'a> {
    fn new(streams: &Streams<'_>, tables: &'a Tables) -> Functions<'a> {
        let mut names = HashMap::new();
        let mut count = 0;
        for (address, name) in streams.functions().zip(&tables.functions) {
            // Address zero was not written yet: the program's file begins there, not a function.
            if address != 0 {
                // Identical functions may have been merged; the first one's name is used for all.
                names.entry(u64::from(address)).or_insert(name.as_str());
                count += 1;
            }
        }
        Functions { names, are_incomplete: count < tables.functions.len(), are_missed: false }
    }

    fn name(&mut self, address: u64) -> String {
        match self.names.get(&address) {
            Some(name) => (*name).to_owned(),
            None => {
                self.are_missed |= self.are_incomplete;
                format!("?{address:#x}")
            }
        }
    }
}
