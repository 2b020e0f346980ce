//! Lazy reads-from candidates.
//!
//! A read with many candidates rarely needs more than those near to it. In a large formula only these are added at
//! first; a literal for each such read stands for the others, and the search assumes that it is false. A model under
//! these assumptions is a model. If an unsat core contains such an assumption, the candidates of these reads are added,
//! and the search goes on; otherwise the formula is unsatisfiable.

use std::collections::{BTreeSet, HashSet};

use formula::{Formula, Op, Source, Term, Terms};

use crate::blast::Blaster;
use crate::theory::{Lit, Parts, SourceState, TRUE, WriterState};

/// The reads with candidates that the solver does not know yet.
#[derive(Debug, Default)]
pub(crate) struct Dormant {
    reads: Vec<DormantRead>,
    /// The reads-from literals that the solver does not know yet.
    unknown: HashSet<Term>,
}

#[derive(Debug)]
struct DormantRead {
    /// An index into the formula's reads, which is the theory's too.
    read: usize,
    more: Lit,
    sources: Vec<usize>,
}

/// A candidate that the theory has to learn.
pub(crate) struct Woken {
    pub read: u32,
    pub source: SourceState,
}

impl Dormant {
    /// The assumptions of the search.
    pub fn assumptions(&self) -> impl Iterator<Item = Lit> + '_ {
        self.reads.iter().map(|dormant| -dormant.more)
    }

    pub fn concerns(&self, terms: &Terms, term: Term) -> bool {
        !self.reads.is_empty() && terms.free_symbols(term).iter().any(|symbol| self.unknown.contains(symbol))
    }

    /// Adds the candidates of the reads whose assumptions `picked` selects.
    pub fn wake(
        &mut self,
        formula: &Formula,
        blaster: &mut Blaster,
        writers: &[Vec<WriterState>],
        mut picked: impl FnMut(Lit) -> bool,
    ) -> Vec<Woken> {
        let mut woken = Vec::new();
        let (awake, asleep): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.reads).into_iter().partition(|dormant| picked(-dormant.more));
        self.reads = asleep;
        for dormant in awake {
            let read = &formula.order.reads[dormant.read];
            let active = blaster.lit(&formula.terms, read.active);
            let mut some = vec![-dormant.more];
            for &number in &dormant.sources {
                let source = &read.sources[number];
                self.unknown.remove(&source.chosen);
                let state = tie(&formula.terms, blaster, source, active, &writers[read.cell]);
                some.push(state.chosen);
                woken.push(Woken { read: dormant.read as u32, source: state });
            }
            blaster.gates.clause(&some);
        }
        woken
    }
}

/// The clauses of one candidate: if it is chosen, the read is active, the writer writes, and the values are equal.
fn tie(terms: &Terms, blaster: &mut Blaster, source: &Source, active: Lit, writers: &[WriterState]) -> SourceState {
    let chosen = blaster.lit(terms, source.chosen);
    blaster.gates.clause(&[-chosen, active]);
    if let Some(writer) = source.writer {
        blaster.gates.clause(&[-chosen, writers[writer].writes]);
    }
    blaster.demand(terms, chosen, source.implies);
    SourceState { writer: source.writer.map(|writer| writer as u32), chosen }
}

/// Adds the reads to the theory; with more candidates in total than `eager` only the near ones, and if `eager` is zero
/// only the initial values. After each read the new clauses can be taken.
pub(crate) fn reads(
    formula: &Formula,
    blaster: &mut Blaster,
    parts: &mut Parts,
    eager: usize,
    mut take: impl FnMut(&mut Blaster),
) -> Dormant {
    let (terms, order) = (&formula.terms, &formula.order);
    let total: usize = order.reads.iter().map(|read| read.sources.len()).sum();
    let places = places(&parts.chains, order.nodes.len());
    let mut dormant = Dormant::default();
    let named = if total > eager { named(formula) } else { HashSet::new() };
    for (number, read) in order.reads.iter().enumerate() {
        let active = blaster.lit(terms, read.active);
        let near = if eager == 0 {
            (0..read.sources.len()).filter(|&source| read.sources[source].writer.is_none()).collect()
        } else if total > eager {
            near(&read.sources, places[read.node.0 as usize], |writer| {
                places[order.cells[read.cell].writers[writer].node.0 as usize]
            })
        } else {
            (0..read.sources.len()).collect()
        };
        let mut known: BTreeSet<usize> = near.into_iter().collect();
        known.extend((0..read.sources.len()).filter(|&source| named.contains(&read.sources[source].chosen)));
        let mut some = vec![-active];
        let mut sources = Vec::with_capacity(known.len());
        for &source in &known {
            let state = tie(terms, blaster, &read.sources[source], active, &parts.cells[read.cell]);
            some.push(state.chosen);
            sources.push(state);
        }
        let rest: Vec<usize> = (0..read.sources.len()).filter(|source| !known.contains(source)).collect();
        if !rest.is_empty() && active != -TRUE {
            let more = blaster.gates.fresh();
            some.push(more);
            dormant.unknown.extend(rest.iter().map(|&source| read.sources[source].chosen));
            dormant.reads.push(DormantRead { read: number, more, sources: rest });
        }
        blaster.gates.clause(&some);
        parts.reads.push((read.node.0, read.cell as u32, sources));
        take(blaster);
    }
    dormant
}

/// The symbols in the formula itself: candidates among them are added at once.
fn named(formula: &Formula) -> HashSet<Term> {
    let order = &formula.order;
    let mut roots: Vec<Term> = formula.assertions.iter().map(|assertion| assertion.term).collect();
    roots.extend(order.nodes.iter().map(|node| node.happens));
    roots.extend(order.cells.iter().flat_map(|cell| cell.writers.iter().map(|writer| writer.writes)));
    roots.extend(order.reads.iter().map(|read| read.active));
    roots.extend(order.reads.iter().flat_map(|read| read.sources.iter().map(|source| source.implies)));
    roots.extend(order.locks.iter().flatten().flat_map(|section| [section.active, section.closed]));
    roots.extend(order.blocks.iter().map(|block| block.literal));
    roots.extend(order.stretches.iter().map(|stretch| stretch.literal));
    formula.terms.reachable(&roots).into_iter().filter(|&t| matches!(formula.terms.op(t), Op::Symbol(_))).collect()
}

/// By node: its chain, and its position in an order in which the chains take turns.
fn places(chains: &[Vec<u32>], nodes: usize) -> Vec<(usize, usize)> {
    let mut places = vec![(0, 0); nodes];
    for (number, chain) in chains.iter().enumerate() {
        for (index, &node) in chain.iter().enumerate() {
            places[node as usize] = (number, index * chains.len() + number);
        }
    }
    places
}

/// From each chain the last candidate before the read's position, the first after it, and the last of all; and the
/// initial value.
fn near(sources: &[Source], here: (usize, usize), place: impl Fn(usize) -> (usize, usize)) -> Vec<usize> {
    let mut picked: Vec<usize> = Vec::new();
    let mut by_chain: Vec<(usize, usize, usize)> = Vec::new();
    for (number, source) in sources.iter().enumerate() {
        match source.writer {
            None => picked.push(number),
            Some(writer) => {
                let (chain, at) = place(writer);
                by_chain.push((chain, at, number));
            }
        }
    }
    by_chain.sort_unstable();
    for chain in by_chain.chunk_by(|a, b| a.0 == b.0) {
        let after = chain.partition_point(|&(_, at, _)| at < here.1);
        let wanted = [after.checked_sub(1), Some(after), chain.len().checked_sub(1)];
        picked.extend(wanted.into_iter().flatten().filter_map(|index| chain.get(index)).map(|&(_, _, number)| number));
    }
    picked.sort_unstable();
    picked.dedup();
    picked
}
