//! The whole search: a failure, its causes, candidates, and a verdict on each until enough are verified.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use analysis::check;
use analysis::explain::{self, Method, Part};
use analysis::{Answer, Context, Error, Loaded, Settings, Silent};
use report::{
    Command, Counterexample, EventKind, Finding, Order, Repair, RepairEdit, Repaired, Report, Stopped, Target, Verdict,
    Verified,
};
use thiserror::Error as ThisError;

use crate::breaks::{self, Break};
use crate::clang::{Clang, Error as ClangError};
use crate::code::Code;
use crate::cover::{self, Covered};
use crate::edits::{self, Candidate, Given, Kind};
use crate::facts::{Facts, Seen, family};
use crate::sources::Sources;
use crate::tree::Tree;
use crate::verify::{Baseline, Judged};

/// Compiles changed sources as the original was compiled.
pub trait Compiler {
    /// `changed`: contents that replace files, by the names that the compiler uses; `sources`: those that are made of such
    /// files, and are compiled again.
    fn compile(&self, changed: &BTreeMap<String, String>, sources: &[String]) -> Result<Compiled, String>;

    /// A file of the user's; `None` for system files and unreadable files.
    fn read(&self, file: &str) -> Option<String>;

    /// Arguments with which libclang reads one of the sources.
    fn arguments(&self, file: &Path) -> Vec<String>;
}

pub struct Compiled {
    pub loaded: Loaded,
    /// How many warnings the compiler gave.
    pub warnings: usize,
}

#[derive(Clone, Debug, Default)]
pub struct Request {
    /// As many verified repairs are looked for.
    pub most: usize,
    /// Only these kinds; empty: all.
    pub kinds: Vec<Kind>,
    /// Counted work instead of a time: half of it for the failing run, and half for the candidates.
    pub work: Option<u64>,
}

#[derive(Debug, ThisError)]
pub enum Problem {
    #[error(transparent)]
    Analysis(#[from] Error),
    #[error(transparent)]
    Clang(#[from] ClangError),
}

/// How long causes are looked for.
const CAUSES: Duration = Duration::from_secs(2);

/// Runs before anything else is tried.
const RUNS: u64 = 200;

/// Conflicts of one question about the failing run.
const CONFLICTS: u64 = 2_000;

/// Ends of objects that are looked at.
const ENDS: usize = 3;

/// Candidates that are compiled, at most.
const CANDIDATES: usize = 160;

/// Candidates that are compiled after the first one was verified.
const AFTER_FIRST: usize = 6;

/// Looks for verified repairs of a program.
pub fn repair(
    loaded: &Loaded,
    warnings: usize,
    settings: &Settings,
    request: &Request,
    compiler: &dyn Compiler,
    context: &Context<'_>,
) -> Result<Answer, Problem> {
    context.observer.stage("looking for a failing run");
    let (answer, checked) = failing(loaded, settings, request, context)?;
    let program = Program { loaded, warnings, settings, compiler };
    patched(answer, checked, &program, request, context)
}

/// Looks for verified repairs of a failure that was found. The answer keeps its explanation if it is one of `explain`.
pub fn found(
    answer: Answer,
    loaded: &Loaded,
    warnings: usize,
    settings: &Settings,
    request: &Request,
    compiler: &dyn Compiler,
    context: &Context<'_>,
) -> Result<Answer, Problem> {
    let program = Program { loaded, warnings, settings, compiler };
    patched(answer, Checked::NotYet, &program, request, context)
}

/// What is repaired.
struct Program<'a> {
    loaded: &'a Loaded,
    /// How many warnings the compiler gave for it.
    warnings: usize,
    settings: &'a Settings,
    compiler: &'a dyn Compiler,
}

/// All causes of the bounded program.
enum Checked {
    NotYet,
    /// They were requested, and exist if the time sufficed.
    Done(Option<Box<Report>>),
}

fn patched(
    mut answer: Answer,
    checked: Checked,
    program: &Program<'_>,
    request: &Request,
    context: &Context<'_>,
) -> Result<Answer, Problem> {
    let &Program { loaded, warnings, settings, compiler } = program;
    // What is left at the end is for telling the answer.
    let budget =
        context.budget.left().map_or_else(|| context.budget.clone(), |left| context.budget.within(left - left / 8));
    let context = &Context { budget: &budget, ..*context };
    let Some(finding) = answer.report.finding.clone() else { return Ok(answer) };
    let is_whole_answer = answer.report.command == Command::Repair;
    if let (Some(told), true) = (&mut answer.report.finding, is_whole_answer) {
        (told.explanation, told.explanation_missing) = (None, None);
    }
    context.observer.stage("looking for causes");
    let checked = match checked {
        Checked::Done(report) => report,
        Checked::NotYet if request.work.is_some() => None,
        Checked::NotYet => causes(loaded, settings, context).map(|answer| Box::new(answer.report)),
    };
    context.observer.stage("reading the sources");
    let code = code(loaded, compiler)?;
    let facts = Facts::new(loaded, settings, &finding.events, context.seed);
    let so_far = || context.budget.started.elapsed().as_secs_f64();
    context.observer.detail(&format!("failing run, causes, and sources after {:.2} s", so_far()));
    let of_causes = of_causes(checked.as_deref(), &finding);
    let preferred: BTreeSet<String> = of_causes.iter().cloned().collect();
    let breaks = breaks::breaks(&facts, &preferred);
    let ends = ends(&finding);
    tell_breaks(&breaks, context);
    let told = checked.as_ref().and_then(|report| report.checked.as_ref()).map_or(&[][..], |checked| &checked.causes);
    let Covered { kill_sets, covers, more } = cover::cover(told, &facts);
    let given = Given {
        code: &code,
        facts: &facts,
        failure: finding.kind,
        of_causes,
        covers: &covers,
        breaks: &breaks,
        ends: &ends,
    };
    let mut all = edits::candidates(&given);
    all.retain(|candidate| request.kinds.is_empty() || request.kinds.contains(&candidate.kind));
    let objects = given.facts.conflicts().join(", ");
    context.observer.detail(&format!("candidates after {:.2} s; conflicting objects: {objects}", so_far()));
    context.observer.stage("collecting the outcomes of the original");
    let line = |file: &str, line: u32| code.sources.line(file, line);
    let baseline = Baseline::new(loaded, settings, &line, request.work.map(|work| work / 2), context);
    let known = if baseline.is_complete() { "all" } else { "some" };
    let fails = baseline.preemptions.map_or("?".to_owned(), |preemptions| preemptions.to_string());
    context.observer.detail(&format!(
        "{known} outcomes after {:.2} s: {}; it fails with {fails} preemptions",
        so_far(),
        baseline.outcomes()
    ));
    let mut repaired = Repaired { generated: all.len(), kill_sets, ..Repaired::default() };
    repaired.more_covers = more;
    if baseline.is_complete() && baseline.outcomes() == 0 {
        repaired.hopeless =
            Some("it fails in every order of its threads, so no synchronisation can repair it".to_owned());
        all.clear();
    }
    let mut search =
        Search { code: &code, baseline: &baseline, settings, request, warnings, compiler, context, best: None };
    search.all(all, &mut repaired, &answer)?;
    let stopped = context.budget.over().or(baseline.work.is_over().then_some(Stopped::Work));
    repaired.unchangeable = unchangeable(&code, &finding, &repaired);
    if !repaired.repairs.iter().any(Repair::is_verified) {
        repaired.counterexample = search.best.take().map(|(_, counterexample)| counterexample);
    }
    repaired.covers = covers;
    answer.report.stats.seconds.total = context.budget.started.elapsed().as_secs_f64();
    Ok(with_repairs(answer, repaired, stopped))
}

fn tell_breaks(breaks: &[Break], context: &Context<'_>) {
    for one in breaks {
        let place = |one: &Seen| one.frames.first().map(|place| format!("{}:{}", place.file_name(), place.line));
        let sides = [&one.before, &one.after].map(|side| place(side).unwrap_or_default());
        let families: Vec<&str> = one.families.iter().map(String::as_str).collect();
        let said =
            format!("{} is interrupted between {}: {}", one.before.thread, sides.join(" and "), families.join(", "));
        context.observer.detail(&said);
    }
}

/// The answer with its repairs. An explanation keeps its own verdict.
fn with_repairs(mut answer: Answer, repaired: Repaired, stopped: Option<Stopped>) -> Answer {
    if answer.report.command == Command::Repair {
        let verified = repaired.repairs.iter().any(Repair::is_verified);
        answer.report.verdict = match (verified, stopped) {
            (true, _) => Verdict::Repaired,
            (false, Some(_)) => Verdict::Inconclusive,
            (false, None) => Verdict::Failure,
        };
        if let Some(stopped) = stopped {
            answer.report = answer.report.stopped_by(stopped);
        }
    }
    answer.report.checked = None;
    answer.report.repaired = Some(repaired);
    answer
}

/// The reason that nothing can be changed.
fn unchangeable(code: &Code, finding: &Finding, repaired: &Repaired) -> Option<String> {
    if repaired.repairs.iter().any(Repair::is_verified) || repaired.hopeless.is_some() {
        return None;
    }
    if let Some(hidden) = code.hidden_lock() {
        let (file, words) = (code.file(hidden), code.text(hidden));
        let line = code.sources.line_of(file, code.range(hidden).start);
        return Some(format!("{file}:{line}: the macro `{words}` hides a lock, which heddle cannot move"));
    }
    let place = finding.at.place()?;
    let is_outside = code.sources.name_of(&place.file).is_none();
    let nothing = repaired.generated == 0 && is_outside;
    nothing.then(|| {
        format!("{}:{} is not in the program's own files, so there is nothing to patch", place.file, place.line)
    })
}

/// A failing run that was replayed. Where a few runs do not fail, the bounded program is asked for all its causes first, because
/// that gives both at once.
fn failing(
    loaded: &Loaded,
    settings: &Settings,
    request: &Request,
    context: &Context<'_>,
) -> Result<(Answer, Checked), Error> {
    let asked = explain::Request {
        only: Some(Part::Cause),
        alternate: Method::Progressive,
        all_alternates: false,
        conflicts: Some(CONFLICTS),
        runs: None,
        simulates: true,
        work: request.work.map(|work| work / 2),
    };
    let named = |mut answer: Answer| {
        answer.report.command = Command::Repair;
        answer
    };
    let mut checked = Checked::NotYet;
    if request.work.is_none() {
        let few = explain::Request { runs: Some(RUNS), ..asked.clone() };
        let budget =
            context.budget.left().map_or_else(|| context.budget.clone(), |left| context.budget.within(left / 4));
        let answer = explain::program(loaded, settings, &few, &Context { budget: &budget, ..*context })?;
        let is_all = matches!(&answer.report.target, Target::Program { bounds, .. } if bounds.complete);
        if answer.report.finding.is_some() || is_all {
            return Ok((named(answer), checked));
        }
        let answer = causes(loaded, settings, context);
        if let Some(answer) = answer.clone().filter(|answer| answer.report.finding.is_some()) {
            let report = Some(Box::new(answer.report.clone()));
            let answer = named(answer);
            context.observer.established(&answer).map_err(|_| Error::Refused)?;
            return Ok((answer, Checked::Done(report)));
        }
        checked = Checked::Done(answer.map(|answer| Box::new(answer.report)));
    }
    Ok((named(explain::program(loaded, settings, &asked, context)?), checked))
}

/// All causes that the bounded program has, as far as the time allows.
fn causes(loaded: &Loaded, settings: &Settings, context: &Context<'_>) -> Option<Answer> {
    let budget = context.budget.within(CAUSES);
    let context = Context { budget: &budget, observer: &Silent, ..*context };
    let request = check::Request { all: true, ..check::Request::default() };
    check::check(loaded, settings, &request, &context).ok()
}

/// What the failing run orders, where that was explained.
fn explained(finding: &Finding) -> &[Order] {
    finding.explanation.as_ref().map_or(&[], |explanation| explanation.cause.reason.orders())
}

/// What ended objects that other threads used later in the failing run.
fn ends(finding: &Finding) -> Vec<Seen> {
    let mut ends: Vec<Seen> = Vec::new();
    let of_causes = explained(finding).iter().map(|order| &order.before);
    let of_run = finding.events.iter().rev();
    for event in of_causes.chain(of_run) {
        let is_end = matches!(event.kind, EventKind::Free | EventKind::Destroy);
        let by_other = finding.at.thread != event.at.thread;
        let one = Seen::of(event);
        if is_end && by_other && !ends.iter().any(|known| known.frames == one.frames) && ends.len() < ENDS {
            ends.push(one);
        }
    }
    ends
}

/// Families of the objects that causes order; without causes, of those that the explanation of the failing run orders.
fn of_causes(report: Option<&Report>, finding: &Finding) -> Vec<String> {
    let causes = report.and_then(|report| report.checked.as_ref()).map_or(&[][..], |checked| &checked.causes);
    let mut families = Vec::new();
    let mut orders: Vec<&Order> = causes.iter().flat_map(|cause| cause.reason.orders()).collect();
    if orders.is_empty() {
        orders.extend(explained(finding));
    }
    for order in orders {
        for event in [&order.before, &order.after] {
            let name = family(event.subject());
            if (event.kind.is_access() || event.kind == report::EventKind::Free || event.kind == report::EventKind::Use)
                && !name.is_empty()
                && !families.contains(&name)
            {
                families.push(name);
            }
        }
    }
    families
}

/// The trees and texts of the user's files.
fn code(loaded: &Loaded, compiler: &dyn Compiler) -> Result<Code, Problem> {
    let clang = Clang::load()?;
    let mut tree = Tree::default();
    let mut units = Vec::new();
    for source in &loaded.sources {
        let file = PathBuf::from(source);
        if compiler.read(source).is_none() {
            continue;
        }
        let own = clang.tree(&file, &compiler.arguments(&file), &[])?;
        tree.merge(&own);
        units.push((source.clone(), own.files));
    }
    let texts = tree.files.iter().filter_map(|file| Some((file.clone(), compiler.read(file)?))).collect();
    Ok(Code::new(tree, Sources { texts }, units))
}

struct Search<'a> {
    code: &'a Code,
    baseline: &'a Baseline<'a>,
    settings: &'a Settings,
    request: &'a Request,
    warnings: usize,
    compiler: &'a dyn Compiler,
    context: &'a Context<'a>,
    /// The refuted candidate that came furthest.
    best: Option<(u32, Counterexample)>,
}

impl Search<'_> {
    /// Tries candidates in their order until enough are verified.
    fn all(&mut self, candidates: Vec<Candidate>, repaired: &mut Repaired, answer: &Answer) -> Result<(), Error> {
        let mut seen: HashSet<Vec<(String, String)>> = HashSet::new();
        let mut since_first = 0;
        for candidate in candidates {
            let verified = repaired.repairs.iter().filter(|repair| repair.counts()).count();
            let enough = verified >= self.request.most.max(1) || (verified > 0 && since_first >= AFTER_FIRST);
            let is_over = self.context.budget.is_over() || self.baseline.work.is_over();
            if enough || repaired.tried >= CANDIDATES || is_over {
                break;
            }
            let Some(changed) = self.code.sources.edited(&candidate.edits) else { continue };
            let differs = changed.iter().any(|(file, text)| self.code.sources.text(file) != text);
            if !differs || !seen.insert(changed.clone().into_iter().collect()) {
                continue;
            }
            let known = repaired.repairs.len();
            repaired.tried += 1;
            since_first += usize::from(verified > 0);
            let stage = format!("candidate {}: {}", repaired.tried, candidate.kind.name());
            self.context.observer.stage(&stage);
            let started = Instant::now();
            let judged = self.judge(&changed, verified == 0);
            let stage = format!("{stage} ({:.2} s)", started.elapsed().as_secs_f64());
            self.context.observer.detail(&match &judged {
                Ok(judged) => {
                    format!("{stage}: {}: {}", candidate.what, judged.refuted.as_deref().unwrap_or(judged.level.name()))
                }
                Err(why) => {
                    let said = why.lines().find(|line| line.contains("error: ")).or(why.lines().next());
                    format!("{stage}: {}: does not compile: {}", candidate.what, said.unwrap_or_default())
                }
            });
            let Ok(judged) = judged else {
                repaired.uncompiled += 1;
                continue;
            };
            if judged.refuted.is_some() {
                repaired.refuted += 1;
            }
            self.keep(&candidate, &changed, judged, repaired);
            repaired.repairs.sort_by(|one, other| one.rank(other));
            if repaired.repairs.len() > known && repaired.repairs.iter().any(Repair::is_verified) {
                let mut standing = answer.clone();
                if standing.report.command == Command::Repair {
                    standing.report.verdict = Verdict::Repaired;
                }
                standing.report.repaired = Some(repaired.clone());
                self.context.observer.established(&standing).map_err(|_| Error::Refused)?;
            }
        }
        Ok(())
    }

    fn judge(&self, changed: &BTreeMap<String, String>, deep: bool) -> Result<Judged, String> {
        let compiled = self.compiler.compile(changed, &self.code.sources_of(changed.keys()))?;
        if compiled.warnings > self.warnings {
            return Err("the compiler warns".to_owned());
        }
        let mut patched = self.code.sources.clone();
        patched.texts.extend(changed.clone());
        let line = |file: &str, line: u32| patched.line(file, line);
        Ok(self.baseline.judge(&compiled.loaded, self.settings, &line, deep, self.context))
    }

    fn keep(
        &mut self,
        candidate: &Candidate,
        changed: &BTreeMap<String, String>,
        judged: Judged,
        repaired: &mut Repaired,
    ) {
        let diff = self.code.sources.diff(changed);
        if let Some(why) = judged.refuted {
            let known = self.best.as_ref().map(|(rank, _)| *rank);
            if known.is_none_or(|known| candidate.rank < known) {
                let kind = candidate.kind.name();
                self.best = Some((candidate.rank, Counterexample { kind, what: candidate.what.clone(), why, diff }));
            }
            return;
        }
        let size = diff.lines().filter(|line| is_change(line)).count();
        repaired.repairs.push(Repair {
            kind: candidate.kind.name(),
            what: candidate.what.clone(),
            edits: self.edits(candidate),
            diff,
            verified: Verified {
                level: judged.level,
                new_deadlock: judged.new_deadlock,
                changes_behaviour: judged.changes_behaviour,
                serialises: judged.serialises,
                bounds: judged.bounds,
                outcomes_complete: self.baseline.is_complete(),
            },
            cost: None,
            size,
            permissiveness: judged.permissiveness,
            files: changed.clone().into_iter().collect(),
        });
    }

    fn edits(&self, candidate: &Candidate) -> Vec<RepairEdit> {
        let sources = &self.code.sources;
        let mut edits: Vec<RepairEdit> = Vec::new();
        let mut known = BTreeSet::new();
        for edit in &candidate.edits {
            if !known.insert(edit) {
                continue;
            }
            edits.push(RepairEdit {
                file: edit.file.clone(),
                line: sources.line_of(&edit.file, edit.start),
                end_line: sources.line_of(&edit.file, edit.end.max(edit.start + 1) - 1),
                text: edit.text.clone(),
            });
        }
        edits.sort_by_key(|edit| (edit.file.clone(), edit.line));
        edits
    }
}

fn is_change(line: &str) -> bool {
    (line.starts_with('+') && !line.starts_with("+++")) || (line.starts_with('-') && !line.starts_with("---"))
}
