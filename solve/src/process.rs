//! SMT-LIB solvers as child processes: Z3 and cvc5, for comparison with our own engine. The order is expanded to
//! integers for them, so they need no theory of order.
//!
//! One process answers all questions about a formula. Each assumption has a literal that implies it and names it in an
//! unsat core. Neither solver can be interrupted through its pipe, so the process is ended when the budget is; the next
//! question starts a new one with all assertions.

mod answer;
mod pipe;

use std::collections::HashMap;
use std::fmt::Write;
use std::io;
use std::ops::Range;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use formula::{Assignment, Formula, Naming, Node, Order, Printer, Term, Terms, total_order};

use crate::solver::{Budget, Reason, Solver, Verdict};
use answer::{Expression, Reader};
use pipe::{Pipe, Silence};

/// How long to wait for output before checking for a stop.
const PATIENCE: Duration = Duration::from_millis(5);

/// An SMT-LIB program and its preferred form of input.
#[derive(Debug)]
struct Program {
    name: &'static str,
    arguments: &'static [&'static str],
    naming: Naming,
}

const Z3: Program = Program { name: "z3", arguments: &["-smt2", "-in"], naming: Naming::Declared };
const CVC5: Program =
    Program { name: "cvc5", arguments: &["--lang=smt2", "--incremental", "--quiet"], naming: Naming::Defined };

#[derive(Debug)]
pub struct Process {
    program: &'static Program,
    terms: Terms,
    order: Order,
    /// Symbols of the expansion of the order; not part of an answer.
    auxiliary: Range<usize>,
    assertions: Vec<Term>,
    session: Option<Session>,
}

/// A running process and the commands it has received.
#[derive(Debug)]
struct Session {
    pipe: Pipe,
    printer: Printer,
    /// The number of assertions sent.
    asserted: usize,
    /// The assumptions that have a literal.
    literals: HashMap<String, Term>,
}

impl Process {
    /// Fails if the program is not installed or cannot be started.
    pub fn z3(formula: Formula) -> io::Result<Process> {
        Process::new(&Z3, formula)
    }

    /// Fails if the program is not installed or cannot be started.
    pub fn cvc5(formula: Formula) -> io::Result<Process> {
        Process::new(&CVC5, formula)
    }

    fn new(program: &'static Program, formula: Formula) -> io::Result<Process> {
        let (terms, assertions) = formula.expanded();
        let auxiliary = formula.terms.symbols().len()..terms.symbols().len();
        let assertions = assertions.into_iter().map(|assertion| assertion.term).collect();
        let mut process = Process { program, terms, order: formula.order, auxiliary, assertions, session: None };
        process.session = Some(process.start()?);
        Ok(process)
    }

    fn start(&self) -> io::Result<Session> {
        let pipe = Pipe::start(self.program.name, self.program.arguments)?;
        let printer = Printer::new(self.program.naming);
        let mut text = String::from(
            "(set-option :produce-models true)\n(set-option :produce-unsat-assumptions true)\n(set-logic ALL)\n",
        );
        for (index, node) in self.order.nodes.iter().enumerate() {
            printer.declare_node(Node(index as u32), &node.name, &mut text);
        }
        pipe.send(text);
        Ok(Session { pipe, printer, asserted: 0, literals: HashMap::new() })
    }

    fn question(
        &mut self,
        session: &mut Session,
        assumptions: &[Term],
        limits: &Limits<'_>,
    ) -> Result<Verdict, Reason> {
        let mut text = String::new();
        let new = &self.assertions[session.asserted..];
        for expression in session.printer.expressions(&self.terms, new, &mut text) {
            let _ = writeln!(text, "(assert {expression})");
        }
        session.asserted = self.assertions.len();
        let literals = session.literals(&self.terms, assumptions, &mut text);
        let _ = match literals.as_slice() {
            // cvc5 does not accept an empty list of assumptions.
            [] => writeln!(text, "(check-sat)"),
            _ => writeln!(text, "(check-sat-assuming ({}))", literals.join(" ")),
        };
        session.pipe.send(text);
        match limits.answer(&session.pipe)? {
            Expression::Atom(answer) if answer == "sat" => self.model(session, limits).map(Verdict::Satisfiable),
            Expression::Atom(answer) if answer == "unsat" => {
                Ok(Verdict::Unsatisfiable { core: session.core(assumptions, limits)? })
            }
            other => Err(misunderstood("a verdict", &other)),
        }
    }

    fn model(&self, session: &Session, limits: &Limits<'_>) -> Result<Assignment, Reason> {
        let symbols = self.terms.symbols().iter().enumerate();
        let symbols: Vec<Term> = symbols
            .filter(|(index, symbol)| !self.auxiliary.contains(index) && session.printer.has_declared(symbol.term))
            .map(|(_, symbol)| symbol.term)
            .collect();
        let names = symbols.iter().map(|&symbol| Printer::symbol(symbol));
        let mut assignment = Assignment::default();
        for (&symbol, expression) in symbols.iter().zip(session.values(names, limits)?) {
            let value = answer::value(&expression)
                .filter(|value| value.sort() == self.terms.sort(symbol))
                .ok_or_else(|| misunderstood("a value", &expression))?;
            assignment.values.insert(symbol, value);
        }
        let names = (0..self.order.nodes.len()).map(|index| Printer::node(Node(index as u32)));
        let integers = session
            .values(names, limits)?
            .iter()
            .map(|expression| answer::integer(expression).ok_or_else(|| misunderstood("an integer", expression)))
            .collect::<Result<Vec<i128>, Reason>>()?;
        assignment.positions = total_order(&integers);
        Ok(assignment)
    }
}

impl Session {
    /// The literals of the assumptions; sends the definitions of new ones.
    fn literals(&mut self, terms: &Terms, assumptions: &[Term], text: &mut String) -> Vec<String> {
        let name = |assumption: Term| format!("a{}", assumption.index());
        let mut new: Vec<Term> = Vec::new();
        for &assumption in assumptions {
            if self.literals.insert(name(assumption), assumption).is_none() {
                new.push(assumption);
            }
        }
        let expressions = self.printer.expressions(terms, &new, text);
        for (&assumption, expression) in new.iter().zip(expressions) {
            let literal = name(assumption);
            let _ = writeln!(text, "(declare-const {literal} Bool)\n(assert (=> {literal} {expression}))");
        }
        assumptions.iter().map(|&assumption| name(assumption)).collect()
    }

    /// The unsat core, in the order of the assumptions given.
    fn core(&self, assumptions: &[Term], limits: &Limits<'_>) -> Result<Vec<Term>, Reason> {
        if assumptions.is_empty() {
            return Ok(Vec::new());
        }
        self.pipe.send("(get-unsat-assumptions)\n".to_string());
        let answer = limits.answer(&self.pipe)?;
        let Expression::List(named) = &answer else { return Err(misunderstood("a core", &answer)) };
        let mut core = Vec::with_capacity(named.len());
        for literal in named {
            let known = match literal {
                Expression::Atom(name) => self.literals.get(name),
                Expression::List(_) => None,
            };
            core.push(*known.ok_or_else(|| misunderstood("a core", &answer))?);
        }
        let mut given: Vec<Term> = Vec::with_capacity(core.len());
        for &assumption in assumptions {
            if core.contains(&assumption) && !given.contains(&assumption) {
                given.push(assumption);
            }
        }
        Ok(given)
    }

    /// The values of these names, in their order.
    fn values(&self, names: impl Iterator<Item = String>, limits: &Limits<'_>) -> Result<Vec<Expression>, Reason> {
        let names: Vec<String> = names.collect();
        if names.is_empty() {
            return Ok(Vec::new());
        }
        self.pipe.send(format!("(get-value ({}))\n", names.join(" ")));
        let answer = limits.answer(&self.pipe)?;
        let Expression::List(pairs) = &answer else { return Err(misunderstood("values", &answer)) };
        if pairs.len() != names.len() {
            return Err(misunderstood("as many values as were asked for", &answer));
        }
        pairs
            .iter()
            .zip(&names)
            .map(|(pair, name)| match pair {
                Expression::List(pair) => match pair.as_slice() {
                    [Expression::Atom(named), value] if named == name => Ok(value.clone()),
                    _ => Err(misunderstood("values", &answer)),
                },
                Expression::Atom(_) => Err(misunderstood("values", &answer)),
            })
            .collect()
    }
}

/// The limits of a question.
#[derive(Debug)]
struct Limits<'a> {
    program: &'static str,
    budget: &'a Budget,
    deadline: Option<Instant>,
}

impl Limits<'_> {
    fn exceeded(&self) -> Option<Reason> {
        if self.budget.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Some(Reason::Interrupted);
        }
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline).then_some(Reason::Time)
    }

    /// Waits for one expression.
    fn answer(&self, pipe: &Pipe) -> Result<Expression, Reason> {
        let mut reader = Reader::default();
        loop {
            if let Some(reason) = self.exceeded() {
                return Err(reason);
            }
            match pipe.receive(PATIENCE) {
                Ok(line) => {
                    if let Some(expression) = reader.line(&line).map_err(Reason::Failed)? {
                        return Ok(expression);
                    }
                }
                Err(Silence::Waiting) => {}
                Err(Silence::Ended) => {
                    return Err(Reason::Failed(format!("{} ended before it answered", self.program)));
                }
            }
        }
    }
}

fn misunderstood(expected: &str, found: &Expression) -> Reason {
    let mut found = format!("{found:?}");
    if let Some((end, _)) = found.char_indices().nth(200) {
        found.truncate(end);
    }
    Reason::Failed(format!("expected {expected}, found {found}"))
}

impl Solver for Process {
    fn name(&self) -> &str {
        self.program.name
    }

    fn terms(&mut self) -> &mut Terms {
        &mut self.terms
    }

    fn assert(&mut self, term: Term) {
        self.assertions.push(term);
    }

    fn solve(&mut self, assumptions: &[Term], budget: &Budget) -> Verdict {
        let deadline = budget.ends();
        let limits = Limits { program: self.program.name, budget, deadline };
        if let Some(reason) = limits.exceeded() {
            return Verdict::Unknown(reason);
        }
        let session = self.session.take().map_or_else(|| self.start(), Ok);
        let mut session = match session {
            Ok(session) => session,
            Err(error) => return Verdict::Unknown(Reason::Failed(format!("{}: {error}", self.program.name))),
        };
        match self.question(&mut session, assumptions, &limits) {
            Ok(verdict) => {
                self.session = Some(session);
                verdict
            }
            // Dropping the session ends the process.
            Err(reason) => Verdict::Unknown(reason),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use formula::{Family, Sort};

    fn formula() -> Formula {
        let mut formula = Formula::default();
        let p = formula.terms.symbol("p", Sort::Bool);
        formula.assert(Family::Path, p);
        formula
    }

    /// Programs that are no solvers: one that ends at once, one that echoes its input, one with endless output.
    #[test]
    fn what_is_no_solver_fails_again_and_again() {
        const ENDS: Program = Program { name: "true", arguments: &[], naming: Naming::Defined };
        const ECHOES: Program = Program { name: "cat", arguments: &[], naming: Naming::Defined };
        const TALKS: Program = Program { name: "yes", arguments: &["(("], naming: Naming::Defined };
        for program in [&ENDS, &ECHOES, &TALKS] {
            let Ok(mut process) = Process::new(program, formula()) else { continue };
            for _ in 0..2 {
                let verdict = process.solve(&[], &Budget::default());
                assert!(matches!(verdict, Verdict::Unknown(Reason::Failed(_))), "{}: {verdict:?}", program.name);
            }
        }
    }

    #[test]
    fn a_program_that_is_missing_is_an_error() {
        const MISSING: Program = Program { name: "no such solver", arguments: &[], naming: Naming::Defined };
        assert!(Process::new(&MISSING, formula()).is_err());
    }

    /// A program that reads its input and never answers.
    #[test]
    fn silence_ends_with_the_budget() {
        const SILENT: Program = Program { name: "tail", arguments: &["-f", "/dev/null"], naming: Naming::Defined };
        let Ok(mut process) = Process::new(&SILENT, formula()) else { return };
        let budget = Budget { time: Some(Duration::from_millis(20)), ..Budget::default() };
        assert!(matches!(process.solve(&[], &budget), Verdict::Unknown(Reason::Time)));
    }
}
