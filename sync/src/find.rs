//! Finds the constructs of a program: sample runs, regions level by level, claims.

use std::collections::{BTreeSet, HashSet};
use std::rc::Rc;
use std::time::{Duration, Instant};

use analysis::{Context, Loaded, Settings};
use ir::SpanId;
use report::{Place, Unsupported};
use semantics::code::Code;

use crate::Request;
use crate::claim::{self, Told};
use crate::monitor::{Claim, Kind};
use crate::observe;
use crate::places;
use crate::quiet;
use crate::regions::{self, Layout, Mode, Region};
use crate::runs::{self, Order, Run};
use crate::unawaited;

/// How many runs are made, at most.
const RUNS: u64 = 60;
/// No run is longer, and all together are not longer than a few of them.
const STEPS: usize = 60_000;
const ALL_STEPS: usize = 200_000;
/// Runs take no longer than this.
const TIME: Duration = Duration::from_secs(6);
/// Where regions are searched, one after the other, and whether claims of posts and waits count: posts and waits may be
/// the inside of a barrier or lock.
const MODES: &[(Mode, bool)] = &[
    (Mode::Lines, false),
    (Mode::Calls(0), false),
    (Mode::Calls(1), false),
    (Mode::Calls(0), true),
    (Mode::Stretches, false),
    (Mode::Calls(1), true),
    (Mode::Stretches, true),
    (Mode::Lines, true),
    (Mode::Calls(2), true),
];

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
    /// Locations that create happens-before: atomic ones, and those that threads wait for.
    pub ordering: HashSet<u64>,
    pub other_waits: Vec<Place>,
    pub notes: Vec<String>,
    pub unsupported: Vec<Unsupported>,
    /// No run ended.
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
        ordering: HashSet::new(),
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
        // The seed is fixed, so that the same program has the same constructs.
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
    if found.runs.is_empty() {
        return found;
    }
    if found.runs.iter().all(|run| run.threads < 2) {
        found.notes.push("the program starts no threads in these runs, so there is no synchronisation".into());
        return found;
    }
    constructs(&mut found, request, context);
    found
}

/// A description of a candidate, for verbose output.
fn described(code: &Code, mode: Mode, layout: &Layout, claim: Option<&Claim>) -> String {
    let regions: Vec<String> = layout
        .regions
        .iter()
        .enumerate()
        .filter_map(|(id, region)| {
            let extent = places::extent(code, region)?;
            let role = claim.and_then(|claim| Some(claim.roles[id]?.name(claim.kind)));
            Some(format!("{}-{} {}", extent.line, extent.end_line, role.unwrap_or("no part")))
        })
        .collect();
    let kind = claim.map_or("no kind", |claim| claim.kind.name());
    let waits: Vec<String> =
        places::lines(&code.program, layout.waits.iter().copied()).iter().map(|place| place.line.to_string()).collect();
    format!(
        "{mode:?}: {kind}, lines {}; waits at {}; {} places",
        regions.join(", "),
        waits.join(", "),
        layout.places.len()
    )
}

/// Whether a barrier consists of a few lines of functions that do more.
fn is_written_out(code: &Code, layout: &Layout, claim: &Claim) -> bool {
    let is_short = |region: &Region| match region {
        Region::Call(_) => false,
        Region::Stretch { function, .. } => {
            let (own, whole) = (places::extent(code, region), places::extent(code, &Region::Call(*function)));
            let lines = |extent: Option<report::Extent>| extent.map_or(0, |extent| extent.end_line - extent.line + 1);
            lines(own) * 3 < lines(whole)
        }
    };
    // These lines contain the loops themselves, not only calls of functions that wait.
    let extents: Vec<report::Extent> =
        layout.regions.iter().filter_map(|region| places::extent(code, region)).collect();
    let is_here = |place: &Place| {
        extents.iter().any(|own| own.file == place.file && (own.line..=own.end_line).contains(&place.line))
    };
    let waits = places::lines(&code.program, layout.waits.iter().copied());
    claim.kind == Kind::Barrier && layout.regions.iter().all(is_short) && waits.iter().all(is_here)
}

/// Whether a claim of posts and waits holds in most runs. A claim that mostly fails was not intended.
fn holds_mostly(claim: &Claim, told: &[Told]) -> bool {
    let failing = told.iter().filter(|told| crate::holds(claim, &told.events).is_err()).count();
    failing * 2 <= told.len()
}

/// Records a construct that was found without waits.
fn settle(found: &mut Found, layout: Layout, claim: Claim, done: &mut BTreeSet<SpanId>, context: &Context<'_>) {
    context.observer.detail(&described(&found.code, Mode::Calls(0), &layout, Some(&claim)));
    done.extend(layout.waits.iter().copied());
    let told = found.runs.iter().map(|run| claim::told(&layout, run)).collect();
    found.constructs.push(Construct { layout, claim: Rc::new(claim), told });
}

fn constructs(found: &mut Found, request: &Request, context: &Context<'_>) {
    let facts = regions::facts(&found.runs);
    found.ordering = facts.atomic.union(&facts.awaited).copied().collect();
    let mut done: BTreeSet<SpanId> = BTreeSet::new();
    let mut all: BTreeSet<SpanId> = BTreeSet::new();
    // A seqlock's reader may also wait, for the writer: it is one all the same.
    for (layout, claim) in unawaited::constructs(&found.code, &found.runs, &facts, &HashSet::new()) {
        if claim.kind == Kind::Seqlock {
            settle(found, layout, claim, &mut done, context);
        }
    }
    for (index, &(mode, weak)) in MODES.iter().enumerate() {
        for mut layout in regions::layouts(&found.code, &found.runs, &facts, mode) {
            all.extend(layout.waits.iter().copied());
            if (index > 0 || !done.is_empty()) && layout.waits.iter().any(|span| done.contains(span)) {
                continue;
            }
            let (told, claim) = claimed(&found.runs, &mut layout, index == 0);
            context.observer.detail(&described(&found.code, mode, &layout, claim.as_ref()));
            // First only barriers that are written out in long functions: else the function is the better region.
            if index == 0 && !claim.as_ref().is_some_and(|claim| is_written_out(&found.code, &layout, claim)) {
                continue;
            }
            let is_credible = |claim: &Claim| claim.is_strong() || weak && holds_mostly(claim, &told);
            let Some(claim) = claim.filter(is_credible) else { continue };
            done.extend(layout.waits.iter().copied());
            found.constructs.push(Construct { layout, claim: Rc::new(claim), told });
        }
    }
    let known: HashSet<u64> =
        found.constructs.iter().flat_map(|construct| construct.layout.places.iter().copied()).collect();
    for (layout, claim) in unawaited::constructs(&found.code, &found.runs, &facts, &known) {
        settle(found, layout, claim, &mut done, context);
    }
    found.constructs.retain(|construct| asked_for(&found.code, construct, request));
    if request.pairs.is_empty() {
        let rest = all.difference(&done).copied();
        found.other_waits = places::lines(&found.code.program, rest);
    }
}

/// The claim of a layout. Where a thread comes back to the beginning of a stretch and has written since, it is either in
/// another round, or it tries again in the same one (`repeats`). A barrier is only claimed if both agree.
fn claimed(runs: &[Run], layout: &mut Layout, only_rounds: bool) -> (Vec<Told>, Option<Claim>) {
    let mut with = |repeats: bool| {
        layout.repeats = repeats;
        let told: Vec<Told> = runs.iter().map(|run| claim::told(layout, run)).collect();
        let claim = claim::claim(layout, &told);
        (told, claim)
    };
    let (rounds, in_rounds) = with(true);
    if only_rounds {
        return (rounds, in_rounds);
    }
    let (once, tried) = with(false);
    let agree = rounds.iter().zip(&once).all(|(one, other)| one.sequences == other.sequences);
    match tried {
        Some(claim) if agree || claim.kind != Kind::Barrier => (once, Some(claim)),
        _ => {
            layout.repeats = true;
            (rounds, in_rounds)
        }
    }
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
