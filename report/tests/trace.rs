//! Reports on traces, of hand-made graphs, as snapshots.

use std::collections::HashMap;

use diagnose::{Method, Replayed, Traces, Wishes, diagnose};
use events::{Builder, Choice, EventGraph, EventId, Execution, Extent, Place, Step, replay};
use report::{
    Answer, Attempt, Circumstances, Command, Explanation, Finding, Found, PathBounds, PathFile, Report, SolverStats,
    Stats, Subject, Target, TextOptions, Timing, Told, Verdict, dot, json, shared_accesses,
};
use run::ThreadName;
use solve::Budget;

fn thread(name: &str) -> ThreadName {
    name.parse().expect("it is a thread's name")
}

/// Main opens the hall, two turnstiles count three visitors each without a lock, main reads the sum.
fn hall() -> EventGraph {
    let mut builder = Builder::new();
    let place = |line| Some(Place { file: "src/Hall.java".to_owned(), line });
    let main = builder.thread(thread("0"));
    let turnstiles = [builder.thread(thread("0.1")), builder.thread(thread("0.2"))];
    let visitors = builder.object("visitors_1", 4);
    let visitors = builder.address(visitors, 0);
    let mode = builder.object("mode_1", 4);
    let mode = builder.address(mode, 0);
    builder.set_place(place(5));
    let open = builder.constant(4, 1 << 30);
    builder.write(main, mode, open);
    for child in turnstiles {
        builder.set_place(place(8));
        builder.fork(main, child);
    }
    for turnstile in turnstiles {
        for _ in 0..3 {
            builder.set_place(place(20));
            let seen = builder.read(turnstile, mode, 4);
            let is_open = builder.terms().eq(seen, open);
            builder.assume(turnstile, is_open);
            builder.set_place(place(21));
            let old = builder.read(turnstile, visitors, 4);
            let one = builder.constant(4, 1);
            let new = builder.terms().add(old, one);
            builder.write(turnstile, visitors, new);
        }
    }
    builder.set_place(place(11));
    for child in turnstiles {
        builder.join(main, child);
    }
    builder.set_place(place(12));
    let sum = builder.read(main, visitors, 4);
    let six = builder.constant(4, 6);
    let holds = builder.terms().eq(sum, six);
    builder.assert(main, holds);
    builder.finish()
}

/// The first turnstile reads, the second counts all of its visitors, the first one writes a value computed from the
/// stale number.
fn failing(graph: &EventGraph) -> Execution {
    let of = |thread: usize| graph.threads[thread].events.clone();
    let (main, first, second) = (of(0), of(1), of(2));
    let order: [&[EventId]; 5] = [&main[..4], &first[..4], &second, &first[4..], &main[4..]];
    let step = |event| Step { event, choice: Choice::Only };
    Execution { steps: order.concat().into_iter().map(step).collect(), inputs: Vec::new() }
}

fn report(subject: Subject, found: Option<Found>) -> Report {
    let graph = hall();
    let execution = failing(&graph);
    let outcome = replay(&graph, &execution, Extent::Whole).expect("it is an execution");
    let texts = HashMap::from([(1 << 30, "open".to_owned())]);
    let file = |name: &str, file: &str, synthesised| PathFile { thread: thread(name), file: file.into(), synthesised };
    let circumstances = Circumstances {
        subject: subject.clone(),
        extent: Extent::Whole,
        paths: vec![file("0", "T0_7_1", false), file("0.1", "T1_7_1", false), file("0.2", "sts/T2_7_3", true)],
        context_switches_before: Some(17),
        found: found.clone(),
    };
    let mut finding = Finding::of_graph(&graph, &execution, &outcome, &texts, circumstances).expect("it fails");
    finding.replayed = 1;
    finding.schedule = Some(("hall.schedule".into(), "heddle replay hall.schedule".into()));
    let solved = matches!(found, Some(Found::Solver { .. }));
    let attempt = Attempt {
        subject,
        extent: Extent::Whole,
        simulated: (!solved).then_some(3),
        answer: Answer::Fails,
        seconds: 0.25,
    };
    let bounds = PathBounds { runs: 1, paths: 5, attempts: vec![attempt], ..PathBounds::default() };
    let target = Target::Traces { folder: "traces/hall".into(), bounds };
    Report {
        finding: Some(finding),
        stats: Stats {
            threads: graph.threads.len(),
            events: graph.events.len(),
            shared_accesses: shared_accesses(&graph),
            solver: solved.then_some(SolverStats { variables: 1204, clauses: 56_789, conflicts: 1 }),
            peak_bytes: Some(64 << 20),
            seconds: Timing {
                import: 0.01,
                simulate: 0.25,
                encode: 0.02,
                solve: 1.5,
                diagnose: 0.04,
                total: 1.78,
                ..Timing::default()
            },
            ..Stats::default()
        },
        ..Report::new(Command::Explain, target, Verdict::Failure)
    }
}

fn solver() -> Option<Found> {
    Some(Found::Solver { mode: "turns".into() })
}

fn simulation() -> Option<Found> {
    Some(Found::Simulation { orders: 3, seed: 1 })
}

fn nothing(verdict: Verdict) -> Report {
    let mut report = report(Subject::Merged, solver());
    let attempt = |subject, extent, simulated, answer| Attempt { subject, extent, simulated, answer, seconds: 0.5 };
    let run = || Subject::Run("7".into());
    let last = if verdict == Verdict::NoneFound { Answer::Impossible } else { Answer::Unknown };
    report.verdict = verdict;
    report.finding = None;
    let Target::Traces { bounds, .. } = &mut report.target else { unreachable!("it is about traces") };
    bounds.complete = verdict == Verdict::NoneFound;
    bounds.incomplete_runs = 1;
    bounds.stopped = (verdict == Verdict::Inconclusive).then_some(report::Stopped::Time);
    bounds.attempts = vec![
        attempt(run(), Extent::Whole, Some(240), Answer::NothingFound),
        attempt(run(), Extent::Whole, None, Answer::Impossible),
        attempt(Subject::Merged, Extent::Whole, None, last),
    ];
    report
}

fn text(report: &Report, verbose: bool, quiet: bool) -> String {
    let options = TextOptions { verbose, quiet, color: false, source_line: &|_, _| None };
    let text = report::text::render(report, &options);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "too wide:\n{text}");
    text
}

#[test]
fn a_run_is_told_by_what_its_condition_depends_on() {
    let report = report(Subject::Run("7".into()), simulation());
    insta::assert_snapshot!(text(&report, false, false));
}

#[test]
fn merged_paths_are_named() {
    let report = report(Subject::Merged, solver());
    insta::assert_snapshot!(text(&report, false, false));
}

#[test]
fn verbose_shows_every_event() {
    let report = report(Subject::Run("7".into()), simulation());
    insta::assert_snapshot!(text(&report, true, false));
}

#[test]
fn quiet_shows_what_and_how_to_replay() {
    let report = report(Subject::Run("7".into()), None);
    insta::assert_snapshot!(text(&report, false, true));
}

#[test]
fn what_is_excluded_is_listed_with_its_bounds() {
    insta::assert_snapshot!(text(&nothing(Verdict::NoneFound), false, false));
}

#[test]
fn without_an_answer_it_says_how_far_it_came() {
    insta::assert_snapshot!(text(&nothing(Verdict::Inconclusive), true, false));
}

#[test]
fn json_of_a_failure_in_traces() {
    insta::assert_snapshot!(json::render(&report(Subject::Merged, solver())));
}

#[test]
fn json_of_nothing_found_in_traces() {
    insta::assert_snapshot!(json::render(&nothing(Verdict::NoneFound)));
}

/// The hall with its explanation by swapped pairs.
fn explained(all: bool) -> Report {
    let graph = hall();
    let execution = failing(&graph);
    let outcome = replay(&graph, &execution, Extent::Whole).expect("it is an execution");
    let failing = Replayed { execution, outcome };
    let wishes = Wishes {
        alternate: Some(Method::Pair),
        all,
        fixed_inputs: true,
        long: diagnose::Long::default(),
        budget: Budget::default(),
    };
    let diagnosis = diagnose(&Traces(&graph), &failing, &wishes).expect("it can be diagnosed");
    let steps = failing.execution.steps.iter().enumerate();
    let told = Told {
        failing: &failing,
        diagnosis: &diagnosis,
        ids: steps.map(|(position, step)| (step.event, position)).collect(),
        next: failing.execution.steps.len(),
        texts: &HashMap::new(),
        speech: None,
    };
    let mut report = report(Subject::Run("7".into()), simulation());
    let finding = report.finding.as_mut().expect("it fails");
    finding.explanation = Some(Explanation::new(told, false, 0.04));
    report
}

#[test]
fn a_lost_update_is_explained_beside_a_run_that_passes() {
    insta::assert_snapshot!(text(&explained(false), false, false));
}

#[test]
fn json_of_an_explanation() {
    let json = json::render(&explained(true));
    let mut document: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    // Fields that it shares with other reports are compared elsewhere.
    let explanation = document.as_object_mut().expect("an object");
    explanation.retain(|key, _| ["causes", "passing", "alternate", "projection"].contains(&key.as_str()));
    explanation["alternate"]["events"] = serde_json::Value::Null;
    insta::assert_snapshot!(serde_json::to_string_pretty(explanation).expect("it is JSON"));
}

#[test]
fn an_explanation_is_drawn() {
    insta::assert_snapshot!(dot::render(&explained(false)).expect("it has an alternate"));
}
