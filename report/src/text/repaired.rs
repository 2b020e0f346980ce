//! Repairs as text: the best patch in full, the others in a line each.

use super::style::paint;
use super::{NOTE, Page};
use crate::model::{Command, Counterexample, Cover, Finding, Repair, RepairLevel, Repaired, Report};
use crate::words::{Manner, counted};

/// Further covers are only counted.
const COVERS: usize = 12;

impl Page<'_> {
    pub(super) fn repaired(&mut self, report: &Report, finding: &Finding, repaired: &Repaired) {
        self.gap();
        let verified: Vec<&Repair> = repaired.repairs.iter().filter(|repair| repair.is_verified()).collect();
        match verified.first() {
            Some(best) => self.patch("repair", best),
            None => self.without_repair(repaired),
        }
        for other in verified.iter().skip(1) {
            let (what, level) = (&other.what, level(other));
            let lines = counted(other.size as u64, "line");
            self.note(&format!("also [{}]: {what} ({lines}, {level})", other.kind));
            if self.options.verbose {
                self.diff(&other.diff);
            }
        }
        if self.options.verbose {
            self.covers(repaired);
        }
        let tried = counted(repaired.tried as u64, "candidate");
        self.note(&format!("tried {tried}: {} did not compile, {} fail", repaired.uncompiled, repaired.refuted));
        let schedule = finding.schedule.as_ref().filter(|_| report.command == Command::Explain);
        match (repaired.applied.as_slice(), verified.is_empty()) {
            ([], false) => match schedule {
                Some((file, _)) => self.note(&format!("heddle repair --apply {file} writes a patch")),
                None => self.note("--apply writes the patch; --format json has all of them"),
            },
            ([], true) => {}
            (files, _) => self.note(&format!("written: {}", files.join(", "))),
        }
    }

    fn patch(&mut self, label: &str, repair: &Repair) {
        let head = paint(self.palette.good, format!("{label}[{}]", repair.kind));
        self.line(format!("{head}: {}", repair.what));
        self.line("");
        self.diff(&repair.diff);
        self.line("");
        let bounds = &repair.verified.bounds;
        let known = match (repair.verified.level, bounds.complete) {
            (RepairLevel::Proven, true) if bounds.executions > 0 => {
                format!("proven: every schedule was explored ({})", counted(bounds.executions, "execution"))
            }
            (RepairLevel::Proven, _) => "proven: no schedule fails".to_owned(),
            (RepairLevel::Bounded, _) if bounds.preemptions.is_some() => {
                let most = u64::from(bounds.preemptions.unwrap_or_default());
                format!("bounded: no schedule with up to {} fails", counted(most, "preemption"))
            }
            (RepairLevel::Bounded, _) => {
                let rounds = bounds.unroll.map_or(String::new(), |unroll| {
                    format!(" and every order with up to {} of each loop", counted(u64::from(unroll), "round"))
                });
                format!("bounded: {}{rounds} do not fail", counted(bounds.executions, "execution"))
            }
            (RepairLevel::Unverified, _) => "not verified".to_owned(),
        };
        let known = format!("{known}; sequential consistency");
        // How sure it is belongs to the patch, however short the answer.
        match self.options.quiet {
            true => self.hanging("note", NOTE, vec![known]),
            false => self.note(&known),
        }
        let outcomes = match repair.verified.outcomes_complete {
            true => "all outcomes are outcomes of passing runs of the original",
            false => "all outcomes were seen in passing runs of the original; not all schedules were explored",
        };
        self.note(outcomes);
        if repair.verified.serialises && self.options.quiet {
            self.hanging("note", NOTE, vec!["serialises the threads".to_owned()]);
        } else if repair.verified.serialises {
            self.note("serialises: threads that ran in parallel no longer do");
        }
        let share = (repair.permissiveness * 100.0).round();
        self.note(&format!("{share} % of the conflicting pairs seen still occur in both orders"));
        if let Some(cost) = repair.cost {
            self.note(&format!("natively: {:.2} × the time, {:.2} × the CPU time", cost.wall_ratio, cost.cpu_ratio));
        }
    }

    fn diff(&mut self, diff: &str) {
        for line in diff.lines() {
            let painted = match line.as_bytes().first() {
                Some(b'+') => paint(self.palette.good, line),
                Some(b'-') => paint(self.palette.error, line),
                _ => line.to_owned(),
            };
            self.line(painted);
        }
    }

    fn without_repair(&mut self, repaired: &Repaired) {
        match &repaired.hopeless {
            Some(why) => self.note(&format!("no repair: {why}")),
            None => self.note("no repair was verified"),
        }
        if let Some(Counterexample { kind, what, why, diff }) = &repaired.counterexample {
            self.note(&format!("the best candidate [{kind}], {what}, is refuted: {why}"));
            if !self.options.quiet {
                self.diff(diff);
            }
        }
        if let Some(unverified) = repaired.repairs.first() {
            let why = match unverified.verified.changes_behaviour {
                true => "it has outcomes that no passing run of the original has",
                false => "not enough schedules were explored",
            };
            self.note(&format!("a candidate does not fail, but is not verified: {why}"));
            self.patch("unverified", unverified);
        }
    }

    /// The paper's results: kill sets and covers.
    fn covers(&mut self, repaired: &Repaired) {
        for set in &repaired.kill_sets {
            let verb = if set.orders.len() == 1 { "forbids" } else { "forbid" };
            self.note(&format!("cause {}: {} {verb} it", set.cause + 1, counted(set.orders.len() as u64, "order")));
        }
        let composite = repaired.covers.iter().filter(|cover| cover.composite).count();
        let elementary = (repaired.covers.len() - composite) as u64;
        let more = match repaired.more_covers {
            Some(more) => format!(", and at least {more} more elementary ones"),
            None => String::new(),
        };
        let said = counted(elementary, "elementary cover");
        self.note(&format!("{said}, {}{more}", counted(composite as u64, "composite one")));
        for Cover { composite, orders } in repaired.covers.iter().take(COVERS) {
            let manner = Manner::Graph;
            let said: Vec<String> = orders
                .iter()
                .map(|order| format!("{} before {}", manner.words(&order.before), manner.words(&order.after)))
                .collect();
            // Of a composite, each pair is an either-or.
            let said = match *composite {
                true => said.chunks(2).map(|pair| pair.join(", or ")).collect::<Vec<_>>().join("; and "),
                false => said.join(", and "),
            };
            self.note(&format!("a cover: {said}"));
        }
        let unsaid = repaired.covers.len().saturating_sub(COVERS) as u64;
        if unsaid > 0 {
            self.note(&format!("{} not listed here", counted(unsaid, "cover")));
        }
    }
}

fn level(repair: &Repair) -> String {
    let serialises = if repair.verified.serialises { ", serialises" } else { "" };
    format!("{}{serialises}", repair.verified.level.name())
}
