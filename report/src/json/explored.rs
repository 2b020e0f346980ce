//! The search near recorded runs, in schema 1.

use serde::Serialize;

use crate::model::{self, Place};

// Many fields: one object of the JSON report, whose schema is flat.
#[derive(Serialize)]
pub(super) struct Explored<'a> {
    runs: u64,
    distinct: usize,
    tries: u64,
    synthesised: usize,
    flips: Vec<Flip<'a>>,
    minimal: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    nearest_run: Option<&'a str>,
    decisions: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    free: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    window: Option<u32>,
    varied_input: bool,
    all: bool,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    skipped: &'a [String],
}

#[derive(Serialize)]
struct Flip<'a> {
    thread: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<&'a Place>,
    recorded: &'a str,
    now: &'a str,
}

pub(super) fn explored(explored: &model::Explored) -> Explored<'_> {
    let flips = explored.flips.iter().map(|one| Flip {
        thread: one.thread.to_string(),
        at: one.at.as_ref(),
        recorded: &one.recorded,
        now: &one.now,
    });
    Explored {
        runs: explored.runs,
        distinct: explored.distinct,
        tries: explored.tries,
        synthesised: explored.synthesised,
        flips: flips.collect(),
        minimal: explored.minimal,
        nearest_run: explored.nearest_run.as_deref(),
        decisions: explored.decisions,
        free: explored.free,
        window: explored.window,
        varied_input: explored.varied.is_some(),
        all: explored.all,
        skipped: &explored.skipped,
    }
}
