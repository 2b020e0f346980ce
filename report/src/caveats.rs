//! What a verdict leaves open: failures that were not asked for, what is assumed of the environment, and accesses that
//! another memory model treats differently.

use serde::Serialize;
use vm::FailureKind;

use crate::json::{At, at};
use crate::model::{FailureCount, Place, RunReport, Search, Verdict};
use crate::text::{Page, counted, short};

/// Everything that limits the verdict besides the bounds of the search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Caveats {
    /// Failures of kinds that were not asked for, with the runs that they ended.
    pub unasked: Vec<FailureCount>,
    /// Whether the question after unasked failures was left open.
    pub unasked_open: bool,
    pub assumptions: Vec<Assumption>,
    /// `None` where it was not looked at, as in a failing verdict.
    pub beyond_sc: Option<BeyondSc>,
    /// There was one thread and no choice, so that one run is all there is.
    pub one_run: bool,
}

impl Caveats {
    /// Whether an unasked failure ended runs before they came to their end.
    pub fn ends_early(&self) -> bool {
        self.unasked_open || self.unasked.iter().any(|count| count.kind != FailureKind::Exit)
    }

    fn holds_for_sc_only(&self) -> bool {
        self.beyond_sc.as_ref().is_some_and(|beyond| !beyond.is_nothing())
    }
}

/// What the analysis takes for granted. Only those that matter to a program are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assumption {
    AllocationSucceeds,
    ThreadCreationSucceeds,
    NoAddressReuse,
    NoSpuriousWakeups,
    WeakExchangeSucceeds,
    AnyTimeout,
    OutputSucceeds,
    GivenInputs,
}

impl Assumption {
    pub fn words(self) -> &'static str {
        match self {
            Assumption::AllocationSucceeds => "malloc succeeds",
            Assumption::ThreadCreationSucceeds => "pthread_create succeeds",
            Assumption::NoAddressReuse => "freed addresses are not used again",
            Assumption::NoSpuriousWakeups => "no spurious wake-ups",
            Assumption::WeakExchangeSucceeds => "a weak compare-exchange does not fail spuriously",
            Assumption::AnyTimeout => "a timed wait may time out at any moment",
            Assumption::OutputSucceeds => "output succeeds",
            Assumption::GivenInputs => "files, stdin, arguments and variables are as given",
        }
    }

    /// The option that lifts it; checking never uses an address again.
    fn lifted_by(self, search: &Search) -> Option<&'static str> {
        match (self, search) {
            (Assumption::NoAddressReuse, Search::Bounded) => None,
            (Assumption::NoAddressReuse, _) => Some("--reuse"),
            (Assumption::NoSpuriousWakeups, _) => Some("--spurious"),
            _ => None,
        }
    }
}

/// Where a weaker memory model than sequential consistency may allow more.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BeyondSc {
    /// Atomic accesses weaker than `seq_cst`.
    pub weak: Vec<Weak>,
    /// Data races that were met, each by its two accesses.
    pub races: Vec<[Place; 2]>,
}

impl BeyondSc {
    fn is_nothing(&self) -> bool {
        self.weak.is_empty() && self.races.is_empty()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Weak {
    pub at: Place,
    /// As C++ calls it: `relaxed`, `acquire`, …
    pub order: &'static str,
}

impl Page<'_> {
    /// The first line of a report that shows no failure.
    pub(crate) fn verdict(&self, report: &RunReport) -> String {
        let program = &report.program;
        let ends_early = report.caveats.ends_early();
        let sc = match report.caveats.holds_for_sc_only() {
            true => ", under sequential consistency only",
            false => "",
        };
        match (report.verdict, &report.bounds.search) {
            (Verdict::Inconclusive, _) => format!("inconclusive: no failure found in {program}"),
            (_, Search::Replay) if ends_early => format!("{program} does not fail as was asked, and does not pass"),
            (_, Search::Replay) => format!("{program} passes, as recorded"),
            _ if ends_early => format!("no failure of the kinds asked for found in {program}{sc}"),
            _ if report.bounds.complete => format!("{program} does not fail{sc}"),
            _ => format!("no failure found in {program}{sc}"),
        }
    }

    pub(crate) fn unasked(&mut self, caveats: &Caveats) {
        for count in &caveats.unasked {
            let place = count.at.as_ref().map_or(String::new(), |place| format!(" at {}", short(place)));
            let how = format!("{}{place}, which was not asked for", ending(count));
            match count.runs {
                Some(runs) => self.note(&format!("{} ended with {how}", counted(runs, "run"))),
                None => self.note(&format!("some runs end with {how}")),
            }
        }
        if caveats.unasked_open {
            self.note("whether runs end with failures that were not asked for is not known");
        }
        if caveats.ends_early() {
            self.note("nothing is known of what such runs would have done next");
        }
    }

    pub(crate) fn assumptions(&mut self, report: &RunReport) {
        // Checking tells the inputs one by one.
        let is_told = |assumption: &Assumption| report.checked.is_some() && *assumption == Assumption::GivenInputs;
        let others = report.caveats.assumptions.iter().filter(|assumption| !is_told(assumption));
        let words: Vec<String> = others
            .map(|assumption| match assumption.lifted_by(&report.bounds.search) {
                Some(option) => format!("{} ({option} lifts this)", assumption.words()),
                None => assumption.words().to_owned(),
            })
            .collect();
        if !words.is_empty() {
            self.wrapped_note(&format!("assumed: {}", words.join("; ")));
        }
    }

    pub(crate) fn beyond_sc(&mut self, caveats: &Caveats) {
        let Some(beyond) = caveats.beyond_sc.as_ref().filter(|beyond| !beyond.is_nothing()) else { return };
        let mut why = Vec::new();
        match beyond.weak.as_slice() {
            [] => {}
            [Weak { at, order }] => why.push(format!("the atomic access at {} is {order}", short(at))),
            many => why.push(format!("{} atomic accesses are weaker than seq_cst", many.len())),
        }
        if let [[one, other], ..] = beyond.races.as_slice() {
            why.push(format!("there is a data race between {} and {}", short(one), short(other)));
        }
        let all = if beyond.weak.len() > 1 && !self.is_verbose() { "; -v lists them" } else { "" };
        let text = format!("{}, so that the machine may do more than was looked at{all}", why.join(" and "));
        self.wrapped_note(&text);
        if self.is_verbose() && beyond.weak.len() > 1 {
            for Weak { at, order } in &beyond.weak {
                self.line(format!("          {order}: {}:{}", at.file, at.line));
            }
        }
    }
}

fn ending(count: &FailureCount) -> String {
    let kind = match count.kind {
        FailureKind::Exit => return count.condition.clone(),
        FailureKind::Deadlock => return "a deadlock".to_owned(),
        FailureKind::Hang => return "a hang".to_owned(),
        FailureKind::Assertion => "a failed assertion",
        FailureKind::Abort => "an abort",
        FailureKind::Memory => "a memory error",
        FailureKind::Exception => "an uncaught exception",
        FailureKind::Race => "a data race",
    };
    format!("{kind}: {}", count.condition)
}

/// The assumptions in words.
pub(crate) fn assumed(caveats: &Caveats) -> Vec<&'static str> {
    caveats.assumptions.iter().map(|assumption| assumption.words()).collect()
}

/// What the bounds say of memory models, in schema 1.
#[derive(Default, Serialize)]
pub(crate) struct JsonBeyondSc<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    sequential_consistency_only: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    weak: Vec<JsonWeak<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    races: Vec<[At<'a>; 2]>,
}

#[derive(Serialize)]
struct JsonWeak<'a> {
    order: &'static str,
    at: At<'a>,
}

pub(crate) fn json(caveats: &Caveats) -> JsonBeyondSc<'_> {
    let Some(beyond) = &caveats.beyond_sc else { return JsonBeyondSc::default() };
    JsonBeyondSc {
        sequential_consistency_only: Some(!beyond.is_nothing()),
        weak: beyond.weak.iter().map(|weak| JsonWeak { order: weak.order, at: at(&weak.at) }).collect(),
        races: beyond.races.iter().map(|places| places.each_ref().map(at)).collect(),
    }
}
