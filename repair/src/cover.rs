//! The paper's repairs: kill sets, binate covers, and composites (ConcBugAssist, section 4).
//!
//! A cause is a set of orders between threads. With program order they are a graph; an edge that reverses one of its
//! paths makes a cycle, so enforcing that edge forbids the cause: all such edges are the cause's kill set. A cover has
//! an edge of every kill set and no cycle with program order. Two covers that order the same stretches of two threads
//! in opposite ways are a composite: a critical section, which permits more, and is ranked first as in the paper.
//!
//! Deviations: events are folded by thread, kind and place, because most causes of a loop repeat each other's lines;
//! program order is the order in which runs of the program visited those places. An edge that program order and another
//! edge of a cover imply is left out of it. Covers are enumerated from small to large within a number of steps; those
//! beyond are counted. If no cover was found within the steps, one is built greedily: the edge that covers most
//! remaining kill sets, as long as there is no cycle.

use std::collections::{BTreeMap, BTreeSet};

use report::{Cause, Consequence, Cover, Event, KillSet, Order};

use crate::facts::Facts;

/// Covers that are kept.
const COVERS: usize = 400;

/// Steps of the enumeration.
const STEPS: usize = 60_000;

/// Critical sections of one composite solution.
const SECTIONS: usize = 4;

/// Edges of a kill set that are looked at for covers, the shortest first.
const EDGES: usize = 40;

type Edge = (usize, usize);

#[derive(Clone, Debug, Default)]
pub struct Covered {
    pub kill_sets: Vec<KillSet>,
    pub covers: Vec<Cover>,
    /// Covers that were met and are not listed; also if the enumeration ended early.
    pub more: Option<u64>,
}

/// Events of causes, folded, with program order.
struct Graph {
    events: Vec<Event>,
    /// Positions in the order of their threads.
    order: Vec<usize>,
}

impl Graph {
    fn node(&mut self, event: &Event, facts: &Facts) -> usize {
        let known = self.events.iter().position(|known| is_alike(known, event));
        known.unwrap_or_else(|| {
            self.order.push(position(event, facts));
            self.events.push(event.clone());
            self.events.len() - 1
        })
    }

    fn same_thread(&self, one: usize, other: usize) -> bool {
        self.events[one].thread() == self.events[other].thread()
    }

    /// Program order.
    fn before(&self, one: usize, other: usize) -> bool {
        self.same_thread(one, other) && self.order[one] < self.order[other]
    }

    /// Whether a path of edges and program order leads from one event to another.
    fn reaches(&self, from: usize, to: usize, edges: &[Edge]) -> bool {
        let mut seen = vec![false; self.events.len()];
        let mut open = vec![from];
        while let Some(at) = open.pop() {
            if at == to {
                return true;
            }
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            open.extend(edges.iter().filter(|edge| edge.0 == at).map(|edge| edge.1));
            open.extend((0..self.events.len()).filter(|next| self.before(at, *next)));
        }
        false
    }

    fn has_cycle(&self, edges: &[Edge]) -> bool {
        edges.iter().any(|&(from, to)| self.reaches(to, from, edges))
    }

    /// Whether an edge and program order imply another.
    fn implies(&self, strong: Edge, weak: Edge) -> bool {
        let at_most = |one: usize, other: usize| one == other || self.before(one, other);
        at_most(weak.0, strong.0) && at_most(strong.1, weak.1)
    }

    fn told(&self, (from, to): Edge) -> Order {
        let (before, after) = (self.events[from].clone(), self.events[to].clone());
        Order { before, after, consequence: Consequence::FindsLeft }
    }
}

fn is_alike(one: &Event, other: &Event) -> bool {
    one.thread() == other.thread()
        && one.kind == other.kind
        && one.at.user_place() == other.at.user_place()
        && one.object == other.object
}

/// Where a thread's runs first met an event like this.
fn position(event: &Event, facts: &Facts) -> usize {
    let thread = event.thread().to_string();
    let place = event.at.user_place();
    let is_it = |seen: &crate::facts::Seen| {
        seen.thread == thread
            && seen.kind == event.kind
            && seen.frames.first() == place
            && seen.object == event.subject()
    };
    let in_run = |run: &Vec<crate::facts::Seen>| run.iter().filter(|seen| seen.thread == thread).position(is_it);
    let met = facts.runs.iter().find_map(in_run);
    // Places that no run visited come in the order of the lines.
    met.unwrap_or_else(|| 1_000_000 + place.map_or(0, |place| place.line as usize))
}

/// Kill sets and covers of causes.
pub fn cover(causes: &[Cause], facts: &Facts) -> Covered {
    let mut graph = Graph { events: Vec::new(), order: Vec::new() };
    let mut sets: Vec<Vec<Edge>> = Vec::new();
    let mut covered = Covered::default();
    for (number, cause) in causes.iter().enumerate() {
        let orders: Vec<Edge> = cause
            .reason
            .orders()
            .iter()
            .map(|order| (graph.node(&order.before, facts), graph.node(&order.after, facts)))
            .collect();
        if orders.is_empty() {
            continue;
        }
        let kill = kill_set(&graph, &orders);
        let told = kill.iter().map(|edge| graph.told(*edge)).collect();
        covered.kill_sets.push(KillSet { cause: number, orders: told });
        let mut kill = kill;
        kill.truncate(EDGES);
        if !sets.contains(&kill) {
            sets.push(kill);
        }
    }
    if sets.is_empty() {
        return covered;
    }
    sets.sort_by_key(Vec::len);
    let mut search = Search { graph: &graph, sets: &sets, size: 0, found: BTreeSet::new(), steps: 0, more: 0 };
    search.all();
    let cut = search.steps >= STEPS;
    if search.found.is_empty() {
        let made = search.greedy();
        search.found.extend(made);
    }
    let mut elementary: Vec<Vec<Edge>> = search.found.iter().cloned().collect();
    elementary.sort_by_key(|cover| (cover.len(), cover.clone()));
    covered.more = (search.more > 0 || cut).then_some(search.more);
    let composites = composites(&graph, &sets, &elementary);
    let told = |edges: &Vec<Edge>, composite| Cover {
        composite,
        orders: edges.iter().map(|edge| graph.told(*edge)).collect(),
    };
    covered.covers.extend(composites.iter().map(|edges| told(edges, true)));
    covered.covers.extend(elementary.iter().map(|edges| told(edges, false)));
    covered
}

/// All edges between threads that make a cycle with a cause, those that demand least first.
fn kill_set(graph: &Graph, orders: &[Edge]) -> Vec<Edge> {
    let events: BTreeSet<usize> = orders.iter().flat_map(|&(one, other)| [one, other]).collect();
    let mut edges: Vec<Edge> = Vec::new();
    for &from in &events {
        for &to in &events {
            if !graph.same_thread(from, to) && reaches_within(graph, &events, to, from, orders) {
                edges.push((from, to));
            }
        }
    }
    let weaker = |edge: &Edge| edges.iter().filter(|other| **other != *edge && graph.implies(*edge, **other)).count();
    let strength: BTreeMap<Edge, usize> = edges.iter().map(|edge| (*edge, weaker(edge))).collect();
    edges.sort_by_key(|edge| (strength[edge], *edge));
    edges
}

/// The same as [`Graph::reaches`] among a cause's own events.
fn reaches_within(graph: &Graph, events: &BTreeSet<usize>, from: usize, to: usize, edges: &[Edge]) -> bool {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        if at == to {
            return true;
        }
        if !seen.insert(at) {
            continue;
        }
        open.extend(edges.iter().filter(|edge| edge.0 == at).map(|edge| edge.1));
        open.extend(events.iter().filter(|next| graph.before(at, **next)));
    }
    false
}

struct Search<'a> {
    graph: &'a Graph,
    sets: &'a [Vec<Edge>],
    /// Edges that a cover may choose in this round.
    size: usize,
    found: BTreeSet<Vec<Edge>>,
    steps: usize,
    more: u64,
}

impl Search<'_> {
    /// Covers of one edge, then of two, and so on: a cover of fewer edges is found before one of more.
    fn all(&mut self) {
        for size in 1..=self.sets.len() {
            self.size = size;
            let is_whole = self.choose(0, &mut Vec::new());
            if is_whole || self.steps >= STEPS {
                break;
            }
        }
    }

    /// A cover that need not be a smallest one.
    fn greedy(&self) -> Option<Vec<Edge>> {
        let mut chosen: Vec<Edge> = Vec::new();
        let covers = |edge: &Edge, set: &&Vec<Edge>| set.iter().any(|weak| self.graph.implies(*edge, *weak));
        let mut open: Vec<&Vec<Edge>> = self.sets.iter().collect();
        while let Some(first) = open.first() {
            let fits = |edge: &&Edge| !self.graph.has_cycle(&[chosen.as_slice(), &[**edge]].concat());
            let best = first.iter().filter(fits).max_by_key(|edge| open.iter().filter(|set| covers(edge, set)).count());
            let best = *best?;
            chosen.push(best);
            open.retain(|set| !covers(&best, set));
        }
        Some(self.simplified(&chosen))
    }

    /// Covers the kill sets from this one on. Returns whether no cover was left out for having more edges than allowed.
    fn choose(&mut self, number: usize, chosen: &mut Vec<Edge>) -> bool {
        self.steps += 1;
        if self.steps >= STEPS {
            return false;
        }
        let Some(set) = self.sets.get(number) else {
            // Those that choose fewer edges were met before.
            if chosen.len() == self.size {
                let cover = self.simplified(chosen);
                match self.found.len() < COVERS || self.found.contains(&cover) {
                    true => {
                        self.found.insert(cover);
                    }
                    false => self.more += 1,
                }
            }
            return true;
        };
        let is_covered = set.iter().any(|edge| chosen.iter().any(|strong| self.graph.implies(*strong, *edge)));
        if is_covered {
            return self.choose(number + 1, chosen);
        }
        if chosen.len() >= self.size {
            return false;
        }
        let mut is_whole = true;
        for edge in set.clone() {
            chosen.push(edge);
            if !self.graph.has_cycle(chosen) {
                is_whole &= self.choose(number + 1, chosen);
            }
            chosen.pop();
        }
        is_whole
    }

    /// Without edges that others imply.
    fn simplified(&self, chosen: &[Edge]) -> Vec<Edge> {
        let is_implied = |edge: &Edge| chosen.iter().any(|other| other != edge && self.graph.implies(*other, *edge));
        let mut cover: Vec<Edge> = chosen.iter().copied().filter(|edge| !is_implied(edge)).collect();
        cover.sort_unstable();
        cover.dedup();
        cover
    }
}

/// Pairs of covers whose edges order the same stretches of two threads in opposite ways: of each pair of edges, the
/// ends and beginnings are a section. Mirrored edges are adjacent. Sections are taken one by one, so every choice of
/// one edge of each pair has to be a cover.
fn composites(graph: &Graph, sets: &[Vec<Edge>], elementary: &[Vec<Edge>]) -> Vec<Vec<Edge>> {
    let mut found: Vec<Vec<Edge>> = Vec::new();
    for (number, one) in elementary.iter().enumerate() {
        for other in &elementary[number + 1..] {
            if one.len() == other.len() && found.len() < COVERS {
                found.extend(either_or(graph, one, other).filter(|pairs| is_each_cover(graph, sets, pairs)));
            }
        }
    }
    found.sort_by_key(|edges| (edges.len(), edges.clone()));
    found.dedup();
    found
}

/// Whether every choice of one edge of each pair is a cover.
fn is_each_cover(graph: &Graph, sets: &[Vec<Edge>], pairs: &[Edge]) -> bool {
    let count = pairs.len() / 2;
    count <= SECTIONS
        && (0..1_usize << count).all(|choice| {
            let chosen: Vec<Edge> = (0..count).map(|pair| pairs[2 * pair + (choice >> pair & 1)]).collect();
            let is_killed =
                |set: &Vec<Edge>| set.iter().any(|weak| chosen.iter().any(|edge| graph.implies(*edge, *weak)));
            sets.iter().all(is_killed) && !graph.has_cycle(&chosen)
        })
}

/// The edges of two covers in mirrored pairs, if each has its own.
fn either_or(graph: &Graph, one: &[Edge], other: &[Edge]) -> Option<Vec<Edge>> {
    let mut free: Vec<Edge> = other.to_vec();
    let mut pairs = Vec::new();
    for edge in one {
        let mirror = free.iter().position(|other| are_mirrored(graph, *edge, *other))?;
        let other = free.remove(mirror);
        pairs.push([*edge.min(&other), *edge.max(&other)]);
    }
    pairs.sort_unstable();
    Some(pairs.concat())
}

fn are_mirrored(graph: &Graph, (end, begin): Edge, (other_end, other_begin): Edge) -> bool {
    let at_most = |one: usize, other: usize| one == other || graph.before(one, other);
    let mirrored = graph.same_thread(end, other_begin) && graph.same_thread(begin, other_end);
    mirrored && at_most(other_begin, end) && at_most(begin, other_end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use report::{EventKind, Place, Reason, Where};
    use run::ThreadName;

    fn event(thread: &str, line: u32, object: &str) -> Event {
        let place = Place { file: "a.c".to_owned(), line, column: 1 };
        let thread: ThreadName = thread.parse().expect("it is a name");
        let at = Where::at(thread, Some(place));
        Event { id: None, kind: EventKind::Write, object: object.to_owned(), value: String::new(), at }
    }

    fn order(before: Event, after: Event) -> Order {
        Order { before, after, consequence: Consequence::SecondStays }
    }

    fn cause(orders: Vec<Order>) -> Cause {
        let reason = Reason::Orders { orders, proof: report::Proof::Minimal, candidates: 2 };
        Cause { failure: 0, reason, inputs: Vec::new(), choices: false }
    }

    /// Figures 3 to 8 of the paper: two threads write x and y.
    #[test]
    fn the_paper_s_example_has_four_solutions_and_a_composite() {
        let (e5, e6) = (|| event("0.1", 5, "x"), || event("0.1", 6, "y"));
        let (e10, e11) = (|| event("0.2", 10, "x"), || event("0.2", 11, "y"));
        let first = cause(vec![order(e10(), e5()), order(e6(), e11())]);
        let second = cause(vec![order(e5(), e10()), order(e11(), e6())]);
        let covered = cover(&[first, second], &Facts::default());
        let sizes: Vec<usize> = covered.kill_sets.iter().map(|set| set.orders.len()).collect();
        assert_eq!(sizes, [4, 4]);
        let (composite, elementary): (Vec<&Cover>, Vec<&Cover>) =
            covered.covers.iter().partition(|cover| cover.composite);
        let lines = |cover: &&Cover| -> Vec<(u32, u32)> {
            let line = |event: &Event| event.at.place().map_or(0, |place| place.line);
            cover.orders.iter().map(|order| (line(&order.before), line(&order.after))).collect()
        };
        let mut found: Vec<Vec<(u32, u32)>> = elementary.iter().map(lines).collect();
        found.iter_mut().for_each(|cover| cover.sort_unstable());
        found.sort();
        assert_eq!(found, [vec![(5, 10), (6, 11)], vec![(6, 10)], vec![(10, 5), (11, 6)], vec![(11, 5)]]);
        assert_eq!(composite.len(), 1);
        assert_eq!(covered.more, None);
    }

    /// The same between two threads, and once more between two others: a section for each.
    #[test]
    fn two_pairs_of_threads_need_two_sections() {
        let pair = |one: &'static str, other: &'static str, from: u32| {
            let (a, b) = (move || event(one, from, "x"), move || event(one, from + 1, "y"));
            let (c, d) = (move || event(other, from + 5, "x"), move || event(other, from + 6, "y"));
            [cause(vec![order(c(), a()), order(b(), d())]), cause(vec![order(a(), c()), order(d(), b())])]
        };
        let causes = [pair("0.1", "0.2", 5), pair("0.3", "0.4", 25)].concat();
        let covered = cover(&causes, &Facts::default());
        let sizes = |composite: bool| -> Vec<usize> {
            let those = covered.covers.iter().filter(|cover| cover.composite == composite);
            those.map(|cover| cover.orders.len()).collect()
        };
        assert_eq!(sizes(true), [4], "of each pair, one of two orders");
        assert_eq!(sizes(false), [vec![2; 4], vec![3; 8], vec![4; 4]].concat(), "the small ones first");
    }
}
