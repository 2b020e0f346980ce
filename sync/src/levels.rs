//! The explorations of a construct, one after the other: the whole program, then few rounds of few threads, then the
//! whole program with steps only at the construct.
//!
//! A program that is too large as a whole is explored with fewer rounds, as a most general client would be. Two threads
//! are enough for constructs that exclude each other or hand over snapshots; a barrier, an event or a handshake needs
//! all of its threads.

use std::collections::BTreeMap;
use std::time::Duration;

use report::ProvenFor;

use crate::find::{Construct, Found};
use crate::monitor::{Kind, Role};
use crate::prove::{Bounds, Rounds};

/// States that are remembered for one construct.
const STATES: u64 = 3_000_000;
/// The time limit for all explorations of one construct, and the part of it for the whole program.
const TIME: Duration = Duration::from_secs(60);
const WHOLE_TIME: Duration = Duration::from_secs(20);
/// If a run is longer, only the steps at the construct are followed.
const WHOLE_STEPS: usize = 800;
/// Rounds of each thread beyond which no level is made.
const MOST_ROUNDS: u32 = 3;

#[derive(Clone, Debug)]
pub struct Level {
    pub bounds: Bounds,
    /// What it proves if it is completed.
    pub proves: ProvenFor,
}

/// By thread, how often it begins a round in the program.
fn rounds_of(construct: &Construct) -> BTreeMap<usize, u32> {
    let begins = |region: &usize| {
        let role = construct.claim.roles.get(*region).copied().flatten();
        role.is_some_and(|role| !matches!(role, Role::Release | Role::ReadRelease))
    };
    let mut rounds: BTreeMap<usize, u32> = construct.claim.participants.iter().map(|&thread| (thread, 0)).collect();
    let complete = construct.told.iter().filter(|told| told.complete);
    for (&thread, sequence) in complete.flat_map(|told| &told.sequences) {
        let own = rounds.entry(thread).or_default();
        *own = (*own).max(sequence.iter().filter(|region| begins(region)).count() as u32);
    }
    rounds
}

/// Two threads that use the construct in different ways, if any do.
fn pair(construct: &Construct) -> Vec<usize> {
    let regions = |thread: &usize| {
        let told = construct.told.iter().find(|told| told.complete).or(construct.told.first());
        told.and_then(|told| told.sequences.get(thread)).map(|regions| {
            let mut regions = regions.clone();
            regions.sort_unstable();
            regions.dedup();
            regions
        })
    };
    let threads: Vec<usize> = construct.claim.participants.iter().copied().collect();
    let Some(first) = threads.first() else { return Vec::new() };
    let other = threads.iter().skip(1).find(|thread| regions(thread) != regions(first)).or(threads.get(1));
    std::iter::once(*first).chain(other.copied()).collect()
}

/// The levels, the cheapest first, within a time. `rounds` is the program's own number of rounds.
pub fn levels(found: &Found, construct: &Construct, rounds: u32, share: Duration) -> Vec<Level> {
    let share = share.min(TIME);
    let all = ProvenFor { threads: construct.claim.participants.len(), rounds };
    let is_long = found.runs.first().map_or(0, |run| run.entries.len()) > WHOLE_STEPS;
    let whole = |focused, part, states| {
        let bounds = Bounds { focused, states, time: part, rounds: None };
        Level { bounds, proves: all }
    };
    let mut levels = Vec::new();
    // Where threads share much else, following all of that is hopeless.
    if !is_long {
        levels.push(whole(false, (share / 4).min(WHOLE_TIME), STATES / 4));
    }
    levels.extend(few(construct, is_long, share / 8));
    levels.push(whole(true, share, STATES));
    levels
}

/// Few rounds of two threads, then of all.
fn few(construct: &Construct, focused: bool, time: Duration) -> Vec<Level> {
    let own = rounds_of(construct);
    let most = own.values().copied().max().unwrap_or(0).min(MOST_ROUNDS);
    let level = |threads: &[usize], each: u32| {
        let rounds = |thread: &usize| (*thread, own.get(thread).copied().unwrap_or(0).min(each));
        let rounds = Rounds { threads: threads.iter().map(rounds).collect() };
        // The thread that begins least often tells the rounds; one that only releases begins none.
        let least = rounds.threads.values().copied().filter(|&rounds| rounds > 0).min().unwrap_or(1);
        let bounds = Bounds { focused, states: STATES / 4, time, rounds: Some(rounds) };
        Level { bounds, proves: ProvenFor { threads: threads.len(), rounds: least } }
    };
    let pairs = matches!(construct.claim.kind, Kind::Mutex | Kind::Rwlock | Kind::Seqlock | Kind::Once);
    let two = pair(construct);
    let everyone: Vec<usize> = construct.claim.participants.iter().copied().collect();
    let mut levels = Vec::new();
    if pairs && two.len() < everyone.len() {
        levels.extend((1..=most.min(2)).map(|each| level(&two, each)));
    }
    levels.extend((1..=most).map(|each| level(&everyone, each)));
    levels
}

/// The strongest ones: no other has as many threads and as many rounds.
pub fn strongest(proven: &[ProvenFor]) -> Vec<ProvenFor> {
    let mut kept: Vec<ProvenFor> = Vec::new();
    for one in proven {
        let is_implied = |other: &ProvenFor| other.threads >= one.threads && other.rounds >= one.rounds;
        if !kept.iter().any(is_implied) {
            kept.retain(|other| !(one.threads >= other.threads && one.rounds >= other.rounds));
            kept.push(*one);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weaker_proof_is_not_listed() {
        let of = |threads, rounds| ProvenFor { threads, rounds };
        assert_eq!(strongest(&[of(2, 1), of(2, 2), of(3, 1)]), [of(2, 2), of(3, 1)]);
        assert_eq!(strongest(&[of(3, 2), of(2, 2)]), [of(3, 2)]);
    }
}
