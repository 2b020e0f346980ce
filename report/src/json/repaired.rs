//! Repairs, in schema 1.

use serde::Serialize;

use crate::model::{self, Order};

#[derive(Default, Serialize)]
pub(super) struct Repaired<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    repairs: Option<Vec<Repair<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kill_sets: Option<Vec<KillSet<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    covers: Option<Vec<Cover<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    more_covers: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    candidates: Option<Candidates>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hopeless: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    counterexample: Option<Counterexample<'a>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    applied: &'a [String],
}

#[derive(Serialize)]
struct Candidates {
    generated: usize,
    tried: usize,
    not_compiled: usize,
    refuted: usize,
}

#[derive(Serialize)]
struct Repair<'a> {
    kind: &'a str,
    what: &'a str,
    edits: Vec<Edit<'a>>,
    diff: &'a str,
    verified: Verified<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<Cost>,
    size: usize,
    permissiveness: f64,
}

#[derive(Serialize)]
struct Edit<'a> {
    file: &'a str,
    line: u32,
    end_line: u32,
    text: &'a str,
}

#[derive(Serialize)]
struct Verified<'a> {
    level: &'a str,
    compiles: bool,
    new_deadlock: bool,
    changes_behaviour: bool,
    serialises: bool,
    outcomes_complete: bool,
    bounds: Bounds,
}

#[derive(Serialize)]
struct Bounds {
    executions: u64,
    states: u64,
    complete: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    preemptions: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unroll: Option<u32>,
}

#[derive(Serialize)]
struct Cost {
    cpu_ratio: f64,
    wall_ratio: f64,
}

#[derive(Serialize)]
struct KillSet<'a> {
    cause: usize,
    orders: &'a [Order],
}

#[derive(Serialize)]
struct Cover<'a> {
    composite: bool,
    orders: &'a [Order],
}

#[derive(Serialize)]
struct Counterexample<'a> {
    kind: &'a str,
    what: &'a str,
    why: &'a str,
    diff: &'a str,
}

pub(super) fn repaired(repaired: &model::Repaired) -> Repaired<'_> {
    let kill_sets = repaired.kill_sets.iter().map(|set| KillSet { cause: set.cause, orders: &set.orders });
    let covers = repaired.covers.iter().map(|cover| Cover { composite: cover.composite, orders: &cover.orders });
    Repaired {
        repairs: Some(repaired.repairs.iter().map(repair).collect()),
        kill_sets: Some(kill_sets.collect()),
        covers: Some(covers.collect()),
        more_covers: repaired.more_covers,
        candidates: Some(Candidates {
            generated: repaired.generated,
            tried: repaired.tried,
            not_compiled: repaired.uncompiled,
            refuted: repaired.refuted,
        }),
        hopeless: repaired.hopeless.as_deref(),
        counterexample: repaired.counterexample.as_ref().map(|one| Counterexample {
            kind: one.kind,
            what: &one.what,
            why: &one.why,
            diff: &one.diff,
        }),
        applied: &repaired.applied,
    }
}

fn repair(repair: &model::Repair) -> Repair<'_> {
    let edits = repair.edits.iter().map(|edit| Edit {
        file: &edit.file,
        line: edit.line,
        end_line: edit.end_line,
        text: &edit.text,
    });
    let verified = &repair.verified;
    Repair {
        kind: repair.kind,
        what: &repair.what,
        edits: edits.collect(),
        diff: &repair.diff,
        verified: Verified {
            level: verified.level.name(),
            compiles: true,
            new_deadlock: verified.new_deadlock,
            changes_behaviour: verified.changes_behaviour,
            serialises: verified.serialises,
            outcomes_complete: verified.outcomes_complete,
            bounds: Bounds {
                executions: verified.bounds.executions,
                states: verified.bounds.states,
                complete: verified.bounds.complete,
                preemptions: verified.bounds.preemptions,
                unroll: verified.bounds.unroll,
            },
        },
        cost: repair.cost.map(|cost| Cost { cpu_ratio: cost.cpu_ratio, wall_ratio: cost.wall_ratio }),
        size: repair.size,
        permissiveness: repair.permissiveness,
    }
}
