//! Runs with equal decisions, combined into one with a count.

use run::{RecordedRun, Schedule, ThreadRecord};

/// If there are more distinct runs than this, the most frequent ones are used.
const MOST: usize = 64;

/// A passing run, as the user knows it.
#[derive(Clone, Debug)]
pub struct NamedRun {
    pub name: String,
    pub run: RecordedRun,
    /// How often it was seen.
    pub count: u64,
    /// An order in which it passes, if known.
    pub schedule: Option<Schedule>,
}

/// The distinct runs.
#[derive(Clone, Debug)]
pub struct Distinct {
    /// The most frequent first.
    pub runs: Vec<NamedRun>,
    /// The number of all runs.
    pub all: u64,
}

impl Distinct {
    /// At most `paths` of the stored paths that leave the most frequent run at one decision are kept, the shortest
    /// first.
    pub fn of(runs: Vec<NamedRun>, paths: Option<usize>) -> Distinct {
        let all = runs.iter().map(|run| run.count).sum();
        let mut distinct: Vec<NamedRun> = Vec::new();
        for run in runs {
            match distinct.iter_mut().find(|known| is_alike(&known.run, &run.run)) {
                Some(known) => known.count += run.count,
                None => distinct.push(run),
            }
        }
        distinct.sort_by_key(|run| std::cmp::Reverse(run.count));
        if let Some(paths) = paths {
            distinct = fewer_paths(distinct, paths);
        }
        distinct.truncate(MOST);
        Distinct { runs: distinct, all }
    }
}

/// Whether two runs have the same decisions and environment choices.
fn is_alike(one: &RecordedRun, other: &RecordedRun) -> bool {
    let same = |one: &ThreadRecord, other: &ThreadRecord| {
        one.bits == other.bits && one.callees == other.callees && choices(one).eq(choices(other))
    };
    // The order of the threads may differ.
    let has = |thread: &ThreadRecord| other.thread(&thread.name).is_some_and(|other| same(thread, other));
    one.threads.len() == other.threads.len() && one.threads.iter().all(has)
}

/// The environment's choices on which control flow depends. Clock readings are not among them.
fn choices(thread: &ThreadRecord) -> impl Iterator<Item = i64> + '_ {
    let chosen = thread.inputs.iter().filter(|input| input.name == ir::Primitive::InputChoose.name());
    chosen.map(|input| input.result)
}

/// Where a thread of the run first decides otherwise than in the base run: the thread and the position of the bit.
fn parting(base: &RecordedRun, run: &RecordedRun) -> Option<(usize, usize)> {
    run.threads.iter().enumerate().find_map(|(number, thread)| {
        let other = base.thread(&thread.name)?;
        let same = thread.bits.iter().zip(other.bits.iter()).take_while(|(one, other)| one == other).count();
        (same < thread.bits.len().max(other.bits.len())).then_some((number, same))
    })
}

fn fewer_paths(runs: Vec<NamedRun>, paths: usize) -> Vec<NamedRun> {
    let Some(base) = runs.first().cloned() else { return runs };
    let length = |run: &NamedRun| run.run.threads.iter().map(|thread| thread.bits.len()).sum::<usize>();
    let mut others: Vec<NamedRun> = runs.into_iter().skip(1).collect();
    others.sort_by_key(length);
    let mut counts = std::collections::HashMap::new();
    let mut kept = vec![base];
    for run in others {
        let count = counts.entry(parting(&kept[0].run, &run.run)).or_insert(0);
        *count += 1;
        if *count <= paths {
            kept.push(run);
        }
    }
    kept
}
