//! The limits of a verdict, as text.

use vm::FailureKind;

use super::Page;
use crate::model::{Assumption, Bounds, Caveats, FailureCount, Report, Search, Verdict, Weak};
use crate::words::{counted, short};

impl Page<'_> {
    /// The first line of a report without a failure.
    pub(super) fn verdict(&self, report: &Report, program: &str, bounds: &Bounds) -> String {
        let ends_early = report.caveats.ends_early();
        let sc = match report.caveats.holds_for_sc_only() {
            true => ", under sequential consistency only",
            false => "",
        };
        match (report.verdict, &bounds.search) {
            (Verdict::Inconclusive, _) => format!("inconclusive: no failure found in {program}"),
            (_, Search::Replay) if ends_early => {
                format!("{program} has no failure of the requested kinds, and does not pass")
            }
            (_, Search::Replay) => format!("{program} passes, as recorded"),
            _ if ends_early => format!("no failure of the requested kinds found in {program}{sc}"),
            _ if bounds.complete => format!("{program} does not fail{sc}"),
            _ => format!("no failure found in {program}{sc}"),
        }
    }

    pub(super) fn unasked(&mut self, caveats: &Caveats) {
        for count in &caveats.unasked {
            let place = count.at.as_ref().map_or(String::new(), |place| format!(" at {}", short(place)));
            let how = format!("{}{place}, a kind that was not requested", ending(count));
            match count.runs {
                Some(runs) => self.note(&format!("{} ended with {how}", counted(runs, "run"))),
                None => self.note(&format!("some runs end with {how}")),
            }
        }
        if caveats.unasked_open {
            self.note("whether runs end with failures of other kinds is not known");
        }
        if caveats.ends_early() {
            self.note("such runs were not followed beyond that failure");
        }
    }

    pub(super) fn assumptions(&mut self, report: &Report, search: &Search) {
        // Checking lists the inputs separately.
        let is_told = |assumption: &Assumption| report.checked.is_some() && *assumption == Assumption::GivenInputs;
        let others = report.caveats.assumptions.iter().filter(|assumption| !is_told(assumption));
        let words: Vec<String> = others
            .map(|assumption| match assumption.lifted_by(search) {
                Some(option) => format!("{} ({option} lifts this)", assumption.name()),
                None => assumption.name().to_owned(),
            })
            .collect();
        if !words.is_empty() {
            self.wrapped_note(&format!("assumed: {}", words.join("; ")));
        }
    }

    pub(super) fn beyond_sc(&mut self, caveats: &Caveats) {
        let Some(beyond) = caveats.beyond_sc.as_ref().filter(|beyond| !beyond.is_nothing()) else { return };
        let mut why = Vec::new();
        match beyond.weak.as_slice() {
            [] => {}
            [Weak { at, order }] => why.push(format!("the atomic access at {} is {}", short(at), order.name())),
            many => why.push(format!("{} atomic accesses are weaker than seq_cst", many.len())),
        }
        if let [[one, other], ..] = beyond.races.as_slice() {
            why.push(format!("there is a data race between {} and {}", short(one), short(other)));
        }
        let all = if beyond.weak.len() > 1 && !self.options.verbose { "; -v lists them" } else { "" };
        let text = format!("{}: real hardware may allow executions that were not checked{all}", why.join(" and "));
        self.wrapped_note(&text);
        if self.options.verbose && beyond.weak.len() > 1 {
            for Weak { at, order } in &beyond.weak {
                self.line(format!("          {}: {}:{}", order.name(), at.file, at.line));
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
