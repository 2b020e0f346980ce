//! The verdict on one construct: proven for certain numbers of threads and rounds, broken with a schedule, or unknown
//! with a reason.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::{Duration, Instant};

use analysis::{Context, Error, Loaded, Settings, schedule_of_construct};
use ir::SpanId;
use report::{BrokenSync, Extent, Place, ProvenFor, Sync, SyncRole};
use run::{Choice, Schedule, Segment};
use vm::{Machine, Outcome, Readiness};

use crate::find::{self, Construct, Found};
use crate::initialiser;
use crate::levels;
use crate::monitor::{Claim, Kind, Monitor};
use crate::observe::{self, Taken, What};
use crate::places;
use crate::prove::{self, Broken};
use crate::races::Races;
use crate::regions::Region;
use crate::tracker::Tracker;
use crate::{Request, holds};

pub struct Judged {
    pub syncs: Vec<Sync>,
    pub schedule: Option<String>,
    pub states: u64,
}

/// The results of the explorations.
struct Outcomes {
    broken: Option<Broken>,
    proven: Vec<ProvenFor>,
    assumptions: Vec<String>,
    unknown: Option<String>,
    states: u64,
    fifo: Option<bool>,
}

impl Outcomes {
    /// The reason why the proof is incomplete.
    fn left_open(&self, why: Option<String>) -> String {
        match self.proven.is_empty() {
            true => {
                why.unwrap_or_else(|| format!("not every order was explored: {} states within the budget", self.states))
            }
            false => "more rounds of these threads were not explored to their end".into(),
        }
    }
}

pub fn judge(
    loaded: &Loaded,
    settings: &Settings,
    request: &Request,
    context: &Context<'_>,
    found: &Found,
    construct: &Construct,
    left: usize,
) -> Result<Judged, Error> {
    let threads = construct.claim.participants.len();
    let outcomes = match request.threads {
        Some((fewest, most)) if threads < fewest || threads > most => Outcomes {
            broken: None,
            proven: Vec::new(),
            assumptions: Vec::new(),
            unknown: Some(format!("{threads} threads take part, outside --threads {fewest}..{most}: not checked")),
            states: 0,
            fifo: None,
        },
        _ => explored(settings, context, found, construct, left),
    };
    let mut outcomes = outcomes;
    let mut schedule = None;
    let mut broken = None;
    if let Some(refuted) = &outcomes.broken {
        let name = construct_name(found, construct);
        let (segments, choices, at) = order(found, settings, refuted);
        // A violation that a replay does not reproduce is not shown. The replay's words are shown: where a thread that
        // passed fails in the same step, the failure is the violation.
        let again = schedule_of_construct(loaded, settings, segments, choices, &name).ok();
        let again = again.and_then(|(checked, text)| Some((follow(found, settings, construct, &checked)?, text)));
        match again {
            Some((what, text)) => {
                schedule = Some(text);
                broken = Some(BrokenSync { threads, what, at, schedule: None, replayed: true });
            }
            None => {
                outcomes.unknown =
                    Some(format!("an order was found that {}, but it could not be replayed", refuted.what));
            }
        }
    }
    Ok(Judged { syncs: tell(found, construct, &outcomes, broken), schedule, states: outcomes.states })
}

fn explored(settings: &Settings, context: &Context<'_>, found: &Found, construct: &Construct, left: usize) -> Outcomes {
    let mut outcomes =
        Outcomes { broken: None, proven: Vec::new(), assumptions: Vec::new(), unknown: None, states: 0, fifo: None };
    // A run that breaks it is enough.
    if let Some(broken) = broken_run(found, construct).or_else(|| unordered_run(found, construct)) {
        outcomes.broken = Some(broken);
        return outcomes;
    }
    let options = settings.options(false);
    let share = context.budget.left().map_or(Duration::MAX, |time| time / left.max(1) as u32);
    let started = Instant::now();
    let mut publication = None;
    let mut is_whole = false;
    let mut open = None;
    let mut missed: BTreeSet<usize> = BTreeSet::new();
    for level in levels::levels(found, construct, rounds(construct), share) {
        // A level that was not completed is not tried with more rounds.
        if level.bounds.rounds.is_some() && missed.contains(&level.proves.threads) {
            continue;
        }
        let mut bounds = level.bounds;
        bounds.time = bounds.time.min(share.saturating_sub(started.elapsed()));
        let explore = |claim: &Rc<Claim>| {
            let mut go_on = |states: u64| {
                let share = states as f64 / bounds.states as f64;
                context.observer.progress(analysis::Progress::Exploration { executions: states, share });
                !context.budget.is_over()
            };
            prove::prove(&found.code, &found.quiet, &options, &construct.layout, claim, &bounds, &mut go_on)
        };
        let proof = explore(&construct.claim);
        outcomes.states += proof.states;
        if let Some(broken) = proof.broken {
            outcomes.broken = Some(broken);
            return outcomes;
        }
        publication = publication.or(proof.failure);
        if let Some((what, _)) = &proof.unsupported {
            outcomes.unknown = Some(format!("a run reaches an unsupported construct: {what}"));
            return outcomes;
        }
        if !proof.complete || proof.open.is_some() {
            open = proof.open.or(open);
            missed.extend(bounds.rounds.as_ref().map(|rounds| rounds.threads.len()));
            continue;
        }
        // Without a thread that was stopped, all of the program was explored.
        is_whole = !proof.stopped;
        let own = ProvenFor { threads: construct.claim.participants.len(), rounds: rounds(construct) };
        outcomes.proven.push(if is_whole { own } else { level.proves });
        if construct.claim.kind == Kind::Mutex && outcomes.fifo != Some(false) {
            let order = explore(&Rc::new(Claim { queue: true, ..construct.claim.as_ref().clone() }));
            outcomes.fifo = if order.broken.is_some() { Some(false) } else { order.complete.then_some(true) };
        }
        let assumption = "other shared data does not affect it".to_owned();
        if bounds.focused && !outcomes.assumptions.contains(&assumption) {
            outcomes.assumptions.push(assumption);
        }
        if is_whole {
            break;
        }
    }
    outcomes.proven = levels::strongest(&outcomes.proven);
    if let Some((failure, path)) = publication
        && publishes(construct.claim.kind)
        && !failure.is_stuck()
    {
        outcomes.proven.clear();
        let what = format!("lets a thread go on that then fails: {}", failure.condition);
        outcomes.broken = Some(Broken { what, path });
        return outcomes;
    }
    if !is_whole {
        outcomes.unknown = Some(outcomes.left_open(open));
    }
    outcomes
}

/// Kinds that guarantee the visibility of earlier writes: an assertion that fails after passing shows a violation.
fn publishes(kind: Kind) -> bool {
    matches!(kind, Kind::Event | Kind::Handshake | Kind::Once | Kind::Seqlock)
}

/// The sample run with the fewest switches that breaks the claim, cut where it does.
fn broken_run(found: &Found, construct: &Construct) -> Option<Broken> {
    let mut best: Option<(usize, Broken)> = None;
    for (run, told) in found.runs.iter().zip(&construct.told) {
        let Err((event, what)) = holds(&construct.claim, &told.events) else { continue };
        let steps = step_of_event(construct, run, event);
        if steps > run.real {
            continue;
        }
        let path = run.path[..steps].to_vec();
        let switches = path.windows(2).filter(|pair| pair[0].0 != pair[1].0).count();
        if best.as_ref().is_none_or(|(fewest, _)| switches < *fewest) {
            best = Some((switches, Broken { what, path }));
        }
    }
    best.map(|(_, broken)| broken)
}

/// Kinds that hand over data, whose accesses they must order.
fn hands_over(kind: Kind) -> bool {
    matches!(kind, Kind::Event | Kind::Handshake)
}

fn unordered_run(found: &Found, construct: &Construct) -> Option<Broken> {
    if !hands_over(construct.claim.kind) {
        return None;
    }
    found.runs.iter().find_map(|run| {
        let mut races = Races::new(found.ordering.clone(), construct.claim.participants.clone());
        let (index, what) = run
            .entries
            .iter()
            .take(run.real)
            .enumerate()
            .find_map(|(index, entry)| Some((index, races.step(&entry.step)?)))?;
        Some(Broken { what, path: run.path[..=index].to_vec() })
    })
}

/// After how many steps of a run an event has happened.
fn step_of_event(construct: &Construct, run: &crate::runs::Run, event: usize) -> usize {
    let mut tracker = Tracker::default();
    let mut events = Vec::new();
    for (index, entry) in run.entries.iter().enumerate().filter(|(_, entry)| entry.threaded) {
        tracker.step(&construct.layout, &entry.step, &mut events);
        if events.len() > event {
            return index + 1;
        }
    }
    run.path.len()
}

/// The path as segments, and where its last thread is at the end.
fn order(found: &Found, settings: &Settings, broken: &Broken) -> (Vec<Segment>, Vec<Choice>, Option<Place>) {
    let mut machine: Machine = Machine::new(&found.code, &settings.options(false));
    let mut log = vm::Log::default();
    for &(thread, choice) in &broken.path {
        let chooses = !matches!(machine.readiness(thread), Readiness::Blocked | Readiness::Ready { alternatives: 1 });
        if chooses {
            log.chose(&machine, thread, choice);
        }
        let outcome = observe::advance(&mut machine, thread, choice);
        if matches!(outcome, Some(Outcome::Failed(_) | Outcome::Unasked(_) | Outcome::Excluded { .. })) {
            machine.abandon(thread);
        }
        log.stepped(&machine, thread, outcome.as_ref());
    }
    let at = broken.path.last().and_then(|&(thread, _)| {
        let call = *observe::calls(&machine, thread).first()?;
        Place::of_span(&found.code.program, observe::span_of(&found.code, call))
    });
    let execution = log.finish(machine, Outcome::Passed { status: 0 });
    (execution.segments, execution.choices, at)
}

/// Follows a schedule and returns the violation of the claim on the way.
fn follow(found: &Found, settings: &Settings, construct: &Construct, schedule: &Schedule) -> Option<String> {
    let mut machine: Machine = Machine::new(&found.code, &settings.options(false));
    let (mut tracker, mut monitor) = (Tracker::default(), Monitor::new(&construct.claim));
    let mut races = Races::new(found.ordering.clone(), construct.claim.participants.clone());
    let mut choices = schedule.choices.iter().peekable();
    for segment in &schedule.segments {
        let thread = machine.find(&segment.thread)?;
        let mut idle = 0;
        while machine.thread(thread).steps < segment.until && idle < 2 {
            let readiness = machine.readiness(thread);
            if readiness == Readiness::Blocked {
                break;
            }
            let steps = machine.thread(thread).steps;
            let chooses = readiness != Readiness::Ready { alternatives: 1 };
            let chosen = choices.next_if(|choice| chooses && choice.thread == segment.thread && choice.step == steps);
            let (step, taken) = observe::step(&mut machine, thread, chosen.map_or(0, |choice| choice.value));
            idle = if machine.thread(thread).steps == steps { idle + 1 } else { 0 };
            if machine.thread_count() > 1 {
                let mut events = Vec::new();
                tracker.step(&construct.layout, &step, &mut events);
                for event in events {
                    if let Err(what) = initialiser::take(&mut monitor, event, &machine, &tracker, &construct.layout) {
                        return Some(what);
                    }
                }
            }
            if let (Some(what), true) = (races.step(&step), hands_over(construct.claim.kind)) {
                return Some(what);
            }
            match taken {
                Taken::On => {}
                Taken::Failed(failure) if publishes(construct.claim.kind) => {
                    return Some(format!("lets a thread go on that then fails: {}", failure.condition));
                }
                Taken::Failed(_) => break,
                _ => return None,
            }
        }
    }
    let stuck = (0..machine.thread_count()).all(|thread| machine.readiness(thread) == Readiness::Blocked);
    if stuck && !machine.all_finished() {
        let inside: Vec<(usize, usize)> =
            (0..machine.thread_count()).filter_map(|thread| Some((thread, tracker.region(thread)?))).collect();
        return monitor.at_rest(&inside).err();
    }
    None
}

/// The result of replaying a schedule that shows a broken construct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confirmed {
    pub construct: String,
    pub what: Option<String>,
}

/// Replays the schedule of a construct. The construct is searched for in the program again.
pub fn confirm(
    loaded: &Loaded,
    settings: &Settings,
    schedule: &Schedule,
    name: &str,
    context: &Context<'_>,
) -> Confirmed {
    let found = find::find(loaded, settings, &Request::default(), context);
    let named = found.constructs.iter().filter(|construct| construct_name(&found, construct) == name);
    let what = named.filter_map(|construct| follow(&found, settings, construct, schedule)).next();
    Confirmed { construct: name.to_owned(), what }
}

/// The kind and the first line of the region.
fn construct_name(found: &Found, construct: &Construct) -> String {
    let extents = extents(found, construct);
    let at = extents.first().map_or(String::new(), |extent| {
        let file = extent.file.rsplit('/').next().unwrap_or(&extent.file);
        format!("{file}:{}", extent.line)
    });
    format!("{} {at}", construct.claim.kind.name())
}

fn extents(found: &Found, construct: &Construct) -> Vec<Extent> {
    let with_role = construct.layout.regions.iter().zip(&construct.claim.roles).filter(|(_, role)| role.is_some());
    with_role.filter_map(|(region, _)| places::extent(&found.code, region)).collect()
}

fn tell(found: &Found, construct: &Construct, outcomes: &Outcomes, broken: Option<BrokenSync>) -> Vec<Sync> {
    let (layout, claim) = (&construct.layout, &construct.claim);
    let program = &found.code.program;
    let mut roles = Vec::new();
    for (region, role) in layout.regions.iter().zip(&claim.roles) {
        let (Some(role), Some(extent)) = (role, places::extent(&found.code, region)) else { continue };
        let function = match region {
            Region::Call(function) | Region::Stretch { function, .. } => *function,
        };
        let function = program.functions[function.index()].display.clone();
        let is_function = matches!(region, Region::Call(_));
        roles.push(SyncRole { role: role.name(claim.kind), function, region: extent, is_function });
    }
    let mut writes: BTreeSet<SpanId> = BTreeSet::new();
    for entry in found.runs.iter().flat_map(|run| &run.entries).filter(|entry| entry.threaded) {
        if matches!(entry.what, What::Memory { writes: true, .. })
            && layout.touches(entry.what)
            && let Some(call) = entry.calls.first()
        {
            writes.insert(observe::span_of(&found.code, *call));
        }
    }
    let extents: Vec<Extent> = roles.iter().map(|role| role.region.clone()).collect();
    let Some(whole) = places::hull(&extents) else { return Vec::new() };
    let counts = matches!(claim.kind, Kind::Semaphore | Kind::Handshake) && (2..u32::MAX).contains(&claim.capacity);
    let mut assumptions = outcomes.assumptions.clone();
    if !found.runs.iter().any(|run| run.complete) && !outcomes.proven.is_empty() {
        assumptions.push("threads use it as in these runs".into());
    }
    let all = Sync {
        kind: claim.kind,
        proven_for: outcomes.proven.clone(),
        region: whole,
        roles,
        waits: places::lines(program, layout.waits.iter().copied()),
        writes: places::lines(program, writes.into_iter()),
        objects: objects(found, construct),
        broken,
        assumptions,
        unknown: outcomes.unknown.clone(),
        participants: claim.participants.len(),
        capacity: counts.then_some(claim.capacity),
        fifo: outcomes.fifo,
        instances: 1,
        states: outcomes.states,
    };
    // A barrier that is written out in several places is reported at each of them.
    let apart = claim.kind == Kind::Barrier && all.roles.len() > 1;
    let stretches = layout.regions.iter().all(|region| matches!(region, Region::Stretch { .. }));
    if !(apart && stretches) {
        return vec![all];
    }
    let within = |places: &[Place], extent: &Extent| -> Vec<Place> {
        let holds = |place: &&Place| place.file == extent.file && (extent.line..=extent.end_line).contains(&place.line);
        places.iter().filter(holds).cloned().collect()
    };
    all.roles
        .iter()
        .map(|role| Sync {
            region: role.region.clone(),
            roles: vec![role.clone()],
            waits: within(&all.waits, &role.region),
            writes: within(&all.writes, &role.region),
            ..all.clone()
        })
        .collect()
}

/// How often the thread went through that did so least often.
fn rounds(construct: &Construct) -> u32 {
    let told = construct.told.iter().find(|told| told.complete).or(construct.told.first());
    let per_use = match construct.claim.kind {
        Kind::Mutex | Kind::Rwlock => 2,
        Kind::Semaphore if construct.claim.roles.contains(&Some(crate::monitor::Role::Acquire)) => 2,
        _ => 1,
    };
    let least = told.and_then(|told| told.sequences.values().map(Vec::len).min()).unwrap_or(0);
    (least / per_use).max(1) as u32
}

/// The variables, in the user's words.
fn objects(found: &Found, construct: &Construct) -> Vec<String> {
    let program = &found.code.program;
    let mut names: BTreeSet<String> = BTreeSet::new();
    for (global, &at) in program.globals.iter().zip(&found.code.globals) {
        let own = |place: &u64| at != 0 && *place >= at && *place < at + global.size.max(1);
        if construct.layout.places.iter().any(own) {
            names.insert(global.name.clone());
        }
    }
    names.into_iter().take(6).collect()
}

/// Merges objects that use the same code with the same verdict.
pub fn merge_instances(syncs: &mut Vec<Sync>, others: &mut Vec<(usize, String)>) {
    let mut kept: Vec<Sync> = Vec::new();
    let mut position = Vec::new();
    for sync in std::mem::take(syncs) {
        let is_like = |known: &Sync| {
            known.kind == sync.kind
                && known.region == sync.region
                && known.roles == sync.roles
                && known.broken.is_some() == sync.broken.is_some()
                && known.proven_for.is_empty() == sync.proven_for.is_empty()
        };
        match kept.iter().position(is_like) {
            Some(at) => {
                let known = &mut kept[at];
                known.instances += 1;
                known.states += sync.states;
                known.objects.extend(sync.objects);
                known.objects.sort();
                known.objects.dedup();
                position.push(None);
            }
            None => {
                position.push(Some(kept.len()));
                kept.push(sync);
            }
        }
    }
    others.retain_mut(|(at, _)| match position.get(*at).copied().flatten() {
        Some(new) => {
            *at = new;
            true
        }
        None => false,
    });
    *syncs = kept;
}
