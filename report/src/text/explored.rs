//! The search near recorded runs, as notes.

use super::Page;
use crate::model::{Explored, Given, Report};
use crate::words::{counted, short};

/// More flips than this are only counted.
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
            format!(", {} different", explored.distinct)
        };
        let runs = counted(explored.runs, "passing run");
        let decisions = counted(explored.decisions as u64, "decision");
        let tries = match explored.tries {
            1 => "1 try".to_owned(),
            tries => format!("{tries} tries"),
        };
        self.note(&format!("explored from {runs}{differ}: {decisions} that can go another way, {tries}"));
        if let Some(given) = explored.varied.as_ref().map(Given::in_words).filter(|words| !words.is_empty()) {
            self.note(&format!("with {given}"));
        }
        // A failure on recorded paths leaves no run.
        if let (Some(free), false) = (explored.free, report.finding.is_some() && explored.flips.is_empty()) {
            let steps = counted(u64::from(free), "decision");
            self.note(&format!("paths that leave a run were followed for up to {steps} of their own"));
        }
        match (explored.all && report.finding.is_some(), explored.stopped) {
            (true, None) => {
                self.note("no further failure was found near the runs; at most one deadlock was looked for")
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
            self.note(&format!("near to {run}: every thread decides as there, in another order"));
            return;
        }
        let fewest = if explored.minimal { ", none of them can be spared" } else { "" };
        let flips = counted(explored.flips.len() as u64, "decision");
        self.note(&format!("near to {run}, but for {flips}{fewest}:"));
        for flip in explored.flips.iter().take(SHOWN) {
            let place = flip.at.as_ref().map_or("?".to_owned(), short);
            self.line(format!("          T{} at {place}: {} instead of {}", flip.thread, flip.now, flip.recorded));
        }
        if explored.flips.len() > SHOWN {
            self.line(format!("          … {} more", explored.flips.len() - SHOWN));
        }
    }
}
