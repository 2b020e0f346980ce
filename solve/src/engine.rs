//! The engine: CaDiCaL with the theory of order as an external propagator (CDCL(T)).
//!
//! When the clauses have a model without a theory conflict, it is extended to a total order. If that fails, the choice
//! that the theory left open becomes clauses over new order literals, and the search goes on: lazy instantiation, so
//! that quadratic families such as the order of all writes are never written out in full. This happens between
//! searches, outside of the solver's callbacks.

use std::collections::HashSet;

use cadical_sys::{CaDiCal, Status};
use formula::{Assignment, Formula, Node, Op, Sort, Term, Terms, Value};

use crate::blast::Blaster;
use crate::mode::{Mode, OPTIONS};
use crate::propagator::{Propagator, Shared, Watch};
use crate::solver::{Budget, Reason, Solver, Verdict};
use crate::sources::{self, Dormant, Woken};
use crate::theory::{BlockState, Choice, Lit, Parts, SectionState, StretchState, TRUE, Taste, Theory, WriterState};

/// With fewer reads-from candidates than this, all are added at once.
const EAGER: usize = 100_000;

/// The number of literals that are buffered during translation before the solver takes them, so that clauses are not
/// stored twice.
const WAITING: usize = 1 << 16;

/// One in this many stretches of decisions follows a given order.
const FOLLOWED: u64 = 4;

/// With more stretches than this, their order is not decided first.
const RANKED: usize = 24;

/// One formula, one CaDiCaL instance, one decision mode.
pub struct Engine {
    formula: Formula,
    sat: CaDiCal,
    blaster: Blaster,
    shared: Shared,
    watch: Watch,
    /// The variables that the propagator observes.
    observed: Vec<bool>,
    /// Choices that have literals already.
    made: HashSet<Choice>,
    dormant: Dormant,
    /// Reads-from candidates that the theory does not know yet.
    woken: Vec<Woken>,
    writers: Vec<Vec<WriterState>>,
    mode: Mode,
    statistics: Statistics,
}

/// The cost of the search so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    pub variables: u64,
    pub clauses: u64,
    pub conflicts: u64,
    /// The number of models of the clauses that had no total order yet.
    pub refinements: u64,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("statistics", &self.statistics).finish_non_exhaustive()
    }
}

impl Engine {
    pub fn new(formula: Formula) -> Engine {
        Engine::with_mode(formula, Mode::default())
    }

    pub fn with_mode(formula: Formula, mode: Mode) -> Engine {
        Engine::with_sources(formula, mode, EAGER)
    }

    /// With more reads-from candidates than this in total, the distant ones are added only when they are needed.
    pub fn with_sources(formula: Formula, mode: Mode, eager: usize) -> Engine {
        let mut blaster = Blaster::new();
        // Equalities first: a symbol that they define needs no bits of its own.
        let rest: Vec<Term> = formula
            .assertions
            .iter()
            .map(|assertion| assertion.term)
            .filter(|&term| !blaster.define(&formula.terms, term))
            .collect();
        let mut sat = CaDiCal::new();
        for (option, value) in OPTIONS {
            sat.set(option, value);
        }
        let mut take = |blaster: &mut Blaster| blaster.gates.hand_over(WAITING, |lit| sat.add(lit));
        let mut parts = parts(&formula, &mut blaster);
        let dormant = sources::reads(&formula, &mut blaster, &mut parts, eager, &mut take);
        let writers = parts.cells.clone();
        let mut theory = Theory::new(parts);
        for term in rest {
            blaster.demand(&formula.terms, TRUE, term);
            take(&mut blaster);
        }
        // Unconditional orders shape the guiding order, so the theory learns them before the search.
        for assertion in &formula.assertions {
            let positive = match formula.terms.op(assertion.term) {
                Op::Before(..) => Some(assertion.term),
                Op::Not(inner) if matches!(formula.terms.op(*inner), Op::Before(..)) => Some(*inner),
                _ => None,
            };
            if let Some(term) = positive.and_then(|_| blaster.lit_of(assertion.term)) {
                theory.expect(term);
            }
        }
        let shared = Shared::new(theory);
        let watch = Watch::new(shared.clone());
        sat.connect_terminator(watch.clone());
        sat.connect_external_propagator(Propagator::new(shared.clone()));
        let mut engine = Engine {
            formula,
            sat,
            blaster,
            shared,
            watch,
            observed: Vec::new(),
            made: HashSet::new(),
            dormant,
            woken: Vec::new(),
            writers,
            mode,
            statistics: Statistics::default(),
        };
        engine.flush();
        engine.shared.with(|state| {
            state.theory.propagate();
            mode.guide(&mut state.theory);
        });
        engine
    }

    pub fn formula(&self) -> &Formula {
        &self.formula
    }

    pub fn mode(&self) -> Mode {
        self.mode
    }

    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// From now on guided decisions follow this order of nodes instead of the mode's.
    pub fn follow(&mut self, order: &[Node]) {
        let known = self.formula.order.nodes.len();
        let order: Vec<u32> = order.iter().map(|node| node.0).filter(|&node| (node as usize) < known).collect();
        let rivals = self.shared.with(|state| {
            let positions = state.theory.along(&order);
            state.theory.follow(positions, FOLLOWED, Taste::Fresh);
            state.theory.rivals(RANKED)
        });
        let rank = |(one, other, first, second)| (one, other, self.blaster.before(first, second));
        let ranks = rivals.into_iter().map(rank).collect();
        self.flush();
        self.shared.with(|state| state.theory.rank(ranks));
    }

    /// Passes new clauses, order literals and reads-from candidates on. Afterwards the solver is at decision level 0.
    fn flush(&mut self) {
        let Engine { sat, blaster, shared, observed, woken, .. } = self;
        let befores = blaster.take_befores();
        // The solver first: while it backtracks it may still ask for reasons.
        blaster.gates.hand_over(0, |lit| sat.add(lit));
        let fixed: Vec<Lit> = shared.with(|state| {
            state.theory.backtrack(0);
            woken.drain(..).for_each(|woken| state.theory.add_source(woken.read, woken.source));
            let decided = befores.iter().filter_map(|&(a, b, lit)| {
                state.theory.add_before(a, b, lit).map(|holds| if holds { lit } else { -lit })
            });
            decided.collect()
        });
        fixed.into_iter().for_each(|lit| sat.clause1(lit));
        let news: Vec<Lit> = shared.with(|state| {
            let fresh = |&var: &Lit| !observed.get(var as usize).copied().unwrap_or(false);
            let mut news: Vec<Lit> = state.theory.observed().filter(fresh).collect();
            news.sort_unstable();
            news.dedup();
            news
        });
        for var in news {
            if observed.len() <= var as usize {
                observed.resize(var as usize + 1, false);
            }
            observed[var as usize] = true;
            sat.add_observed_var(var);
        }
        self.statistics.variables = self.blaster.gates.last() as u64;
        self.statistics.clauses = self.blaster.gates.count();
    }

    /// Creates literals and clauses for the open choices; returns whether any of them is new.
    fn decide_order(&mut self, choices: Vec<Choice>) -> bool {
        let mut news = false;
        for choice in choices {
            if !self.made.insert(choice) {
                continue;
            }
            news = true;
            let description = self.shared.with(|state| state.theory.describe(choice));
            let mut clause = description.unless;
            for (condition, a, b) in description.orders {
                let before = self.blaster.before(a, b);
                clause.push(self.blaster.gates.and(condition.unwrap_or(TRUE), before));
            }
            self.blaster.gates.clause(&clause);
        }
        news
    }

    /// Adds the reads-from candidates that the last core calls for, or all; returns whether there were any.
    fn wake(&mut self, all: bool) -> bool {
        let Engine { sat, dormant, formula, blaster, writers, .. } = self;
        let picked: HashSet<Lit> = dormant.assumptions().filter(|&lit| all || sat.failed(lit)).collect();
        let woken = dormant.wake(formula, blaster, writers, |lit| picked.contains(&lit));
        let any = !woken.is_empty();
        self.woken.extend(woken);
        any
    }

    fn search(&mut self, assumptions: &[(Term, Lit)], budget: &Budget) -> Verdict {
        let before = self.statistics.conflicts;
        loop {
            self.flush();
            let spent = self.statistics.conflicts - before;
            let left = budget.conflicts.map(|limit| limit.saturating_sub(spent));
            if left == Some(0) && spent > 0 {
                return Verdict::Unknown(Reason::Conflicts);
            }
            assumptions.iter().for_each(|&(_, lit)| self.sat.assume(lit));
            self.dormant.assumptions().for_each(|lit| self.sat.assume(lit));
            if let Some(left) = left {
                self.sat.limit("conflicts", i32::try_from(left).unwrap_or(i32::MAX));
            }
            let status = self.sat.solve();
            self.statistics.conflicts = self.sat.get_statistic_value("conflicts").max(0) as u64;
            if let Some(message) = self.shared.with(|state| state.broken.clone()) {
                return Verdict::Unknown(Reason::Failed(message));
            }
            match status {
                Status::UNSATISFIABLE if self.wake(false) => self.statistics.refinements += 1,
                Status::UNSATISFIABLE => {
                    let failed = assumptions.iter().filter(|&&(_, lit)| self.sat.failed(lit));
                    return Verdict::Unsatisfiable { core: failed.map(|&(term, _)| term).collect() };
                }
                Status::UNKNOWN => return Verdict::Unknown(self.watch.reason()),
                Status::SATISFIABLE => match self.shared.with(|state| state.order.take()) {
                    Some(Ok(order)) => return Verdict::Satisfiable(self.assignment(&order)),
                    Some(Err(choices)) => {
                        self.statistics.refinements += 1;
                        if !self.decide_order(choices) {
                            return Verdict::Unknown(Reason::Failed("a decided order was asked for again".into()));
                        }
                    }
                    None => return Verdict::Unknown(Reason::Failed("a model came without an order".into())),
                },
            }
            if self.watch.expired() {
                return Verdict::Unknown(self.watch.reason());
            }
        }
    }

    fn assignment(&mut self, order: &[u32]) -> Assignment {
        let mut positions = vec![0; order.len()];
        for (position, &node) in order.iter().enumerate() {
            positions[node as usize] = position as u32;
        }
        let values = self.formula.terms.symbols().iter().filter_map(|symbol| {
            let value = match symbol.sort {
                Sort::Bool => Value::Bool(self.sat.val(self.blaster.lit_of(symbol.term)?) > 0),
                Sort::Bits(width) => {
                    let bits = self.blaster.bits_of(symbol.term)?;
                    let set = bits.iter().enumerate().filter(|&(_, &lit)| self.sat.val(lit) == lit);
                    Value::Bits { width, value: set.fold(0, |value, (bit, _)| value | 1 << bit) }
                }
            };
            Some((symbol.term, value))
        });
        // Built as a whole, since the values come in order.
        Assignment { values: values.collect(), positions }
    }
}

impl Solver for Engine {
    fn name(&self) -> &str {
        "heddle"
    }

    fn terms(&mut self) -> &mut Terms {
        &mut self.formula.terms
    }

    fn assert(&mut self, term: Term) {
        if self.dormant.concerns(&self.formula.terms, term) {
            self.wake(true);
        }
        self.blaster.demand(&self.formula.terms, TRUE, term);
    }

    fn conflicts(&self) -> u64 {
        self.statistics.conflicts
    }

    fn solve(&mut self, assumptions: &[Term], budget: &Budget) -> Verdict {
        if assumptions.iter().any(|&term| self.dormant.concerns(&self.formula.terms, term)) {
            self.wake(true);
        }
        let mut literals = Vec::new();
        let mut seen = HashSet::new();
        for &term in assumptions.iter().filter(|term| seen.insert(**term)) {
            match self.blaster.lit(&self.formula.terms, term) {
                TRUE => {}
                lit if lit == -TRUE => return Verdict::Unsatisfiable { core: vec![term] },
                lit => literals.push((term, lit)),
            }
        }
        self.watch.begin(budget.ends(), budget.stop.clone());
        let verdict = self.search(&literals, budget);
        self.watch.begin(None, None);
        verdict
    }
}

/// The theory section with literals for its terms; `sources` adds the reads.
fn parts(formula: &Formula, blaster: &mut Blaster) -> Parts {
    let (terms, order) = (&formula.terms, &formula.order);
    let mut parts = Parts {
        happens: order.nodes.iter().map(|node| blaster.lit(terms, node.happens)).collect(),
        chains: order.chains.iter().map(|chain| chain.iter().map(|node| node.0).collect()).collect(),
        ..Parts::default()
    };
    for cell in &order.cells {
        let writers = cell.writers.iter();
        let writers = writers.map(|w| WriterState { node: w.node.0, writes: blaster.lit(terms, w.writes) });
        parts.cells.push(writers.collect());
    }
    for sections in &order.locks {
        let sections = sections.iter().map(|section| SectionState {
            enter: section.enter.0,
            leave: section.leave.map(|leave| leave.0),
            active: blaster.lit(terms, section.active),
            closed: blaster.lit(terms, section.closed),
        });
        parts.locks.push(sections.collect());
    }
    for block in &order.blocks {
        let nodes = block.nodes.iter().map(|node| node.0).collect();
        parts.blocks.push(BlockState { literal: blaster.lit(terms, block.literal), nodes });
    }
    for stretch in &order.stretches {
        let literal = blaster.lit(terms, stretch.literal);
        let (first, last) = (stretch.first.0, stretch.last.0);
        parts.stretches.push(StretchState { literal, first, last, of_chain: stretch.of_chain });
    }
    parts.bystanders = order.bystanders.iter().map(|node| node.0).collect();
    parts
}
