//! From a program to its constructs: sample runs, regions level by level, claims.

use std::collections::{BTreeSet, HashSet};
use std::rc::Rc;
use std::time::{Duration, Instant};

use analysis::{Context, Loaded, Settings};
use ir::SpanId;
use report::{Place, Unsupported};
use semantics::code::Code;

use crate::claim::{self, Told};
use crate::monitor::{Claim, Kind};
use crate::observe;
use crate::places;
use crate::quiet;
use crate::regions::{self, Layout};
use crate::runs::{self, Order, Run};
use crate::Request;

/// How many runs are made, at most.
const RUNS: u64 = 60;
/// No run is longer, and all together are not longer than ten of them.
const STEPS: usize = 60_000;
const ALL_STEPS: usize = 600_000;
/// Runs take no longer than this.
const TIME: Duration = Duration::from_secs(6);
/// How many calls outwards a region may be looked for.
const LEVELS: usize = 3;

pub struct Construct {
    pub layout: Layout,
    pub claim: Rc<Claim>,
    pub told: Vec<Told>,
}

pub struct Found {
    pub code: Rc<Code>,
    pub quiet: Vec<HashSet<u32>>,
    pub runs: Vec<Run>,
    pub constructs: Vec<Construct>,
    pub other_waits: Vec<Place>,
    pub notes: Vec<String>,
    pub unsupported: Vec<Unsupported>,
    /// No run came to its end.
    pub cut: bool,
}

pub fn find(loaded: &Loaded, settings: &Settings, request: &Request, context: &Context<'_>) -> Found {
    let quiet = quiet::quiet_registers(&loaded.program);
    let code = observe::code(&loaded.program, &quiet);
    let options = settings.options(false);
    let mut found = Found {
        code,
        quiet,
        runs: Vec::new(),
        constructs: Vec::new(),
        other_waits: Vec::new(),
        notes: Vec::new(),
        unsupported: Vec::new(),
        cut: false,
    };
    let started = Instant::now();
    let mut steps = 0;
    for index in 0..RUNS {
        if index > 2 && (started.elapsed() > TIME || steps > ALL_STEPS) || context.budget.is_over() {
            break;
        }
        // The seed is fixed: the same program has the same constructs, however it is asked.
        let run = runs::run(&found.code, &options, Order::number(index, 1), STEPS);
        steps += run.entries.len();
        if let Some((what, site)) = &run.unsupported {
            let unsupported = Unsupported::new(&loaded.program, what, site);
            if !found.unsupported.contains(&unsupported) {
                found.unsupported.push(unsupported);
            }
        }
        let single = run.threads < 2;
        found.runs.push(run);
        if single && index == 1 {
            break;
        }
    }
    found.cut = !found.runs.iter().any(|run| run.complete || run.stuck || run.failure.is_some());
    if found.runs.iter().all(|run| run.threads < 2) {
        found.notes.push("the program starts no threads in these runs, so that nothing synchronises them".into());
        return found;
    }
    constructs(&mut found, request);
    found
}

fn constructs(found: &mut Found, request: &Request) {
    let facts = regions::facts(&found.runs);
    let mut done: BTreeSet<SpanId> = BTreeSet::new();
    let mut all: BTreeSet<SpanId> = BTreeSet::new();
    for level in 0..LEVELS {
        for layout in regions::layouts(&found.code, &found.runs, &facts, level) {
            all.extend(layout.waits.iter().copied());
            if layout.waits.iter().all(|span| done.contains(span)) && level > 0 {
                continue;
            }
            let told: Vec<Told> = found.runs.iter().map(|run| claim::told(&layout, run)).collect();
            let Some(claim) = claim::claim(&layout, &told) else { continue };
            if level + 1 < LEVELS && !is_settled(claim.kind, level) {
                continue;
            }
            done.extend(layout.waits.iter().copied());
            found.constructs.push(Construct { layout, claim: Rc::new(claim), told });
        }
    }
    found.constructs.retain(|construct| asked_for(&found.code, construct, request));
    if request.pairs.is_empty() {
        let rest = all.difference(&done).copied();
        found.other_waits = places::lines(&found.code.program, rest);
    }
}

/// Weak claims wait until the calls around them were looked at: what posts and waits may be one barrier seen from within.
fn is_settled(_kind: Kind, _level: usize) -> bool {
    true
}

/// With pairs, only constructs that wait at the one line and write at the other.
fn asked_for(code: &Code, construct: &Construct, request: &Request) -> bool {
    if request.pairs.is_empty() {
        return true;
    }
    let is_at = |place: &Place, (file, line): &(String, u32)| place.line == *line && places::is_file(&place.file, file);
    let waits = places::lines(&code.program, construct.layout.waits.iter().copied());
    request.pairs.iter().any(|[_, wait]| waits.iter().any(|place| is_at(place, wait)))
}
