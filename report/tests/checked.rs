//! Reports of bounded checking, made by hand, as snapshots.

use diagnose::Proof;
use ir::Origin;
use report::{
    Assumption, Bounds, Cause, Caveats, CheckTiming, Checked, Command, Consequence, CutPlace, CutWhat, Event,
    EventKind, FailureCount, Finding, Found, Frame, NeededInput, Order, Place, Reason, Report, Search, Stats, Target,
    TextOptions, Timing, Unsupported, Verdict, Where,
};
use vm::FailureKind;

const ASSUMED: &[Assumption] =
    &[Assumption::AllocationSucceeds, Assumption::ThreadCreationSucceeds, Assumption::OutputSucceeds];

fn place(line: u32) -> Place {
    Place { file: "src/bank.c".into(), line, column: 5 }
}

fn at(thread: &str, line: u32) -> Where {
    let frame = Frame { function: "pay".into(), place: Some(place(line)), origin: Origin::User };
    Where { thread: thread.parse().expect("a thread's name"), stack: vec![frame] }
}

fn event(id: usize, thread: &str, kind: EventKind, value: &str, line: u32) -> Event {
    Event { id: Some(id), kind, object: "balance".into(), value: value.into(), at: at(thread, line) }
}

fn order(before: Event, after: Event, consequence: Consequence) -> Order {
    Order { before, after, consequence }
}

fn cause(failure: usize, orders: Vec<Order>) -> Cause {
    let reason = Reason::Orders { orders, proof: Proof::Minimal, candidates: 12 };
    Cause { failure, reason, inputs: Vec::new(), choices: false }
}

fn lost_update(one: &str, other: &str) -> Vec<Order> {
    vec![
        order(
            event(1, one, EventKind::Read, "10", 34),
            event(3, other, EventKind::Write, "6", 35),
            Consequence::OldValue,
        ),
        order(
            event(3, other, EventKind::Write, "6", 35),
            event(4, one, EventKind::Write, "17", 35),
            Consequence::SecondStays,
        ),
    ]
}

fn report(finding: Option<Finding>, checked: Checked, complete: bool) -> Report {
    let verdict = if finding.is_some() { Verdict::Failure } else { Verdict::NoneFound };
    let executions = u64::from(checked.iterations);
    let bounds = Bounds { complete, executions, ..Bounds::new(Search::Bounded, 1_000_000) };
    let target = Target::Program { name: "src/bank.c".into(), bounds };
    Report {
        finding,
        checked: Some(checked),
        caveats: Caveats { assumptions: ASSUMED.to_vec(), ..Caveats::default() },
        stats: Stats {
            threads: 3,
            events: 40,
            steps: 900,
            seconds: Timing { frontend: 0.25, total: 0.5, ..Timing::default() },
            ..Stats::default()
        },
        ..Report::new(Command::Check, target, verdict)
    }
}

fn finding() -> Finding {
    Finding {
        kind: FailureKind::Assertion,
        at: at("0", 61),
        condition: "balance == 13".into(),
        asserted_at: None,
        related: Vec::new(),
        stuck: Vec::new(),
        events: vec![
            event(1, "0.1", EventKind::Read, "10", 34),
            event(2, "0.2", EventKind::Read, "10", 34),
            event(3, "0.2", EventKind::Write, "6", 35),
            event(4, "0.1", EventKind::Write, "17", 35),
            event(5, "0", EventKind::Read, "17", 61),
        ],
        inputs: Vec::new(),
        context_switches: 4,
        context_switches_before: None,
        explanation: None,
        explanation_missing: None,
        found: Some(Found::Bounded),
        replayed: 1,
        schedule: Some(("bank.schedule".into(), "heddle replay bank.schedule".into())),
        traced: None,
    }
}

fn checked() -> Checked {
    Checked {
        unroll: Some(4),
        inputs: 2,
        threads: 3,
        all: true,
        iterations: 3,
        order_constraints: Some(12),
        seconds: CheckTiming { symex: 0.01, solve: 0.02, diagnose: 0.03 },
        ..Checked::default()
    }
}

fn count(line: u32, schedule: Option<&str>) -> FailureCount {
    FailureCount {
        kind: FailureKind::Assertion,
        at: Some(place(line)),
        condition: "balance == 13".into(),
        runs: None,
        first_seed: None,
        schedule: schedule.map(str::to_owned),
    }
}

fn text(report: &Report) -> String {
    let source_line = |_: &str, line: u32| (line == 61).then(|| "    assert(balance == 13);".to_owned());
    let text = report::text::render(
        report,
        &TextOptions { verbose: false, quiet: false, color: false, source_line: &source_line },
    );
    let too_long: Vec<&str> = text.lines().filter(|line| line.chars().count() > 80).collect();
    assert!(too_long.is_empty(), "{too_long:?}");
    text
}

#[test]
fn one_cause_is_told_at_once() {
    let causes = vec![cause(0, lost_update("0.1", "0.2"))];
    insta::assert_snapshot!(text(&report(Some(finding()), Checked { causes, all: false, ..checked() }, false)));
}

#[test]
fn several_causes_are_numbered_and_equal_ones_told_once() {
    let mut by_input = cause(1, vec![lost_update("0.1", "0.2").remove(0)]);
    by_input.inputs = vec![
        NeededInput { number: 1, part: None, value: "77".into(), whole: true, at: Some(place(20)) },
        NeededInput { number: 2, part: None, value: "-3".into(), whole: false, at: None },
    ];
    let inevitable = Cause { failure: 1, reason: Reason::Inevitable, inputs: Vec::new(), choices: false };
    let causes = vec![cause(0, lost_update("0.1", "0.2")), cause(0, lost_update("0.2", "0.1")), by_input, inevitable];
    let mut report = report(Some(finding()), Checked { causes, ..checked() }, true);
    report.counts = vec![count(61, None), count(70, Some("bank-2.schedule"))];
    insta::assert_snapshot!(text(&report));
    insta::assert_snapshot!(report::json::render(&report));
}

#[test]
fn what_lies_beyond_the_bound_is_not_proven() {
    let inevitable = Cause { failure: 0, reason: Reason::Inevitable, inputs: Vec::new(), choices: false };
    let checked = Checked { causes: vec![inevitable], causes_bounded: true, all: false, ..checked() };
    insta::assert_snapshot!(text(&report(Some(finding()), checked, false)));
}

#[test]
fn what_one_bound_says_of_all_orders_is_not_claimed() {
    let inevitable = Cause { failure: 0, reason: Reason::Inevitable, inputs: Vec::new(), choices: false };
    let checked = Checked { causes: vec![inevitable], causes_bounded: true, doubtful: true, all: false, ..checked() };
    let report = report(Some(finding()), checked, false);
    let told = text(&report).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("whether one with more iterations passes is not known"), "{told}");
    assert!(!told.contains("in every order of the threads"), "{told}");
    let json: serde_json::Value = serde_json::from_str(&report::json::render(&report)).expect("it is JSON");
    assert_eq!((&json["causes"][0]["by"], &json["causes"][0]["minimal"]), (&"unknown".into(), &false.into()));
}

#[test]
fn a_proof_names_what_it_rests_on() {
    insta::assert_snapshot!(text(&report(None, checked(), true)));
}

#[test]
fn what_was_cut_is_listed() {
    let cut = |line, what, after| CutPlace { at: Some(place(line)), function: Some("pay".into()), what, after };
    let cut = vec![cut(12, CutWhat::Loop, 4), cut(20, CutWhat::Recursion, 4), cut(30, CutWhat::Steps, 2_000_000)];
    let report = report(None, Checked { cut, threads: 1, ..checked() }, false);
    let report = report.stopped_by(report::Stopped::Time);
    insta::assert_snapshot!(text(&report));
    insta::assert_snapshot!(report::json::render(&report));
}

#[test]
fn without_a_bound_nothing_is_claimed() {
    let mut unfinished = report(None, Checked { unroll: None, ..checked() }, false);
    unfinished.verdict = Verdict::Inconclusive;
    let unfinished = unfinished.stopped_by(report::Stopped::Time);
    insta::assert_snapshot!(text(&unfinished));
    let mut unsupported = report(None, checked(), false);
    unsupported.verdict = Verdict::Inconclusive;
    unsupported.unsupported = vec![Unsupported {
        what: "no model for the function `mystery`".into(),
        at: Some(place(61)),
        function: Some("pay".into()),
        reached: true,
        elsewhere: Vec::new(),
    }];
    insta::assert_snapshot!(text(&unsupported));
}
