//! The search near recorded runs, as notes.

use super::Page;
use crate::model::{Explored, Given, Report};
use crate::words::{counted, short};

/// Further flips are only counted.
const SHOWN: usize = 6;

impl Page<'_> {
    pub(super) fn explored(&mut self, report: &Report, explored: &Explored) {
        if let Some(finding) = &report.finding {
            self.nearest(explored);
            if let Some(with) = explored.varied.as_ref().and_then(|given| given.failing(finding)) {
                self.note(&format!("it fails with {with}"));
            }
        }
        let differ = if explored.runs == explored.distinct as u64 {
            String::new()
        } else {
            format!(" ({} distinct)", explored.distinct)
        };
        let runs = counted(explored.runs, "passing run");
        let decisions = counted(explored.decisions as u64, "decision");
        let attempts = counted(explored.tries, "attempt");
        self.note(&format!("explored from {runs}{differ}: {decisions} that can be flipped, {attempts}"));
        if let Some(given) = explored.varied.as_ref().map(Given::in_words).filter(|words| !words.is_empty()) {
            self.note(&format!("with {given}"));
        }
        // A failure on recorded paths leaves no run.
        if let (Some(free), false) = (explored.free, report.finding.is_some() && explored.flips.is_empty()) {
            let steps = counted(u64::from(free), "decision");
            self.note(&format!("paths off the recorded ones were followed for up to {steps}"));
        }
        match (explored.all && report.finding.is_some(), explored.stopped) {
            (true, None) => {
                self.note("no further failure was found near the runs; at most one deadlock is searched for")
            }
            (true, Some(stopped)) => {
                self.note(&format!("the search for further failures ended early: {}", stopped.in_words()))
            }
            (false, _) => {}
        }
        for skipped in &explored.skipped {
            self.note(&format!("not used: {skipped}"));
        }
    }

    /// The nearest recorded run, and the flipped decisions.
    fn nearest(&mut self, explored: &Explored) {
        let Some(run) = &explored.nearest_run else { return };
        if explored.flips.is_empty() {
            self.note(&format!("near {run}: the same decisions in another order"));
            return;
        }
        let fewest = if explored.minimal { ", the fewest possible" } else { "" };
        let flips = counted(explored.flips.len() as u64, "flipped decision");
        self.note(&format!("near {run}, with {flips}{fewest}:"));
        for flip in explored.flips.iter().take(SHOWN) {
            let place = flip.at.as_ref().map_or("?".to_owned(), short);
            self.line(format!("          T{} at {place}: {} instead of {}", flip.thread, flip.now, flip.recorded));
        }
        if explored.flips.len() > SHOWN {
            self.line(format!("          … {} more", explored.flips.len() - SHOWN));
        }
    }
}
