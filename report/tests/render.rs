//! Reports of hand-made executions, as snapshots.

use ir::{FileId, Function, FunctionId, Origin, Program, Span, SpanId};
use report::{
    Assumption, BeyondSc, Bounds, Caveats, Command, EventKind, FailureCount, Finding, Found, Input, LeftOut, Place,
    Range, Report, Search, Stats, Stopped, Target, TextOptions, Timing, Unexplained, Unsupported, Verdict, Weak,
    WeakOrder, Where,
};
use run::ThreadName;
use vm::{Event, Execution, Failure, FailureKind, Outcome, Site, SiteFrame, Waiting};

const SOURCE: &[&str] = &[
    "static int visitors;",
    "static void *turnstile(void *arg)",
    "{",
    "\tvisitors++;",
    "    return NULL;",
    "}",
    "int main(void)",
    "{",
    "    assert(visitors == 2);",
    "    pthread_mutex_lock(&left);",
    "    pthread_mutex_lock(&right);",
    "    free(queue);",
    "    pthread_join(first, NULL);",
    "    while (!ready) { }",
];

/// Functions: 0 `main`, 1 `turnstile`, 2 a library's. Span n is line n of the one file, span 20 in the library.
fn program() -> Program {
    let function = |name: &str, origin| Function {
        name: name.into(),
        display: name.into(),
        origin,
        blocks: Vec::new(),
        variadic: false,
        atomic: false,
        returns: Vec::new(),
        registers: Vec::new(),
        span: SpanId::NONE,
    };
    let span = |file, line| Span { file: FileId(file), line, column: if line == 4 { 10 } else { 5 }, inlined_at: None };
    let mut spans: Vec<Span> = (0..20).map(|line| span(0, line)).collect();
    spans.push(span(1, 77));
    Program {
        name: "turnstile".into(),
        files: vec!["src/turnstile.c".into(), "models/assert.c".into()],
        spans,
        texts: Vec::new(),
        layouts: Vec::new(),
        globals: Vec::new(),
        functions: vec![
            function("main", Origin::User),
            function("turnstile", Origin::User),
            function("__assert_fail", Origin::Model),
        ],
        constructors: Vec::new(),
        entry: FunctionId(0),
    }
}

fn thread(name: &str) -> ThreadName {
    name.parse().expect("a thread's name")
}

/// At a line of the user's own code; thread 0 is in `main`, the others in `turnstile`.
fn site(name: &str, line: u32) -> Site {
    let function = FunctionId(u32::from(name != "0"));
    Site { thread: thread(name), frames: vec![SiteFrame { function, span: SpanId(line) }] }
}

/// The same, inside of a library that the line calls.
fn library_site(name: &str, line: u32) -> Site {
    let mut site = site(name, line);
    site.frames.insert(0, SiteFrame { function: FunctionId(2), span: SpanId(20) });
    site
}

fn event(name: &str, kind: &'static str, object: &str, value: &str, line: u32) -> Event {
    Event { thread: thread(name), step: 0, kind, object: object.into(), value: value.into(), site: site(name, line) }
}

fn failure(kind: FailureKind, site: Site, condition: &str) -> Failure {
    Failure { kind, site, condition: condition.into(), asserted_at: None, related: Vec::new(), waiting: Vec::new() }
}

fn execution(failure: Failure, events: Vec<Event>) -> Execution {
    Execution {
        outcome: Outcome::Failed(Box::new(failure)),
        segments: Vec::new(),
        choices: Vec::new(),
        events,
        output: Vec::new(),
        threads: 3,
        steps: 120,
        visible_steps: 12,
        recorded: None,
        context_switches: 4,
    }
}

fn bounds() -> Bounds {
    let seeds = Some(Range { first: 1, last: 12 });
    Bounds { executions: 13, undisturbed: true, seeds, ..Bounds::new(Search::Pct { depth: 3 }, 1_000_000) }
}

fn report(finding: Option<Finding>) -> Report {
    let verdict = if finding.is_some() { Verdict::Failure } else { Verdict::NoneFound };
    let target = Target::Program { name: "turnstile.c".into(), bounds: bounds() };
    Report {
        stats: Stats {
            threads: 3,
            events: finding.as_ref().map_or(0, |finding| finding.events.len()),
            steps: 1500,
            seconds: Timing { frontend: 0.25, search: 0.5, total: 0.7501, ..Timing::default() },
            ..Stats::default()
        },
        finding,
        ..Report::new(Command::Run, target, verdict)
    }
}

/// The bounds of a report on a program.
fn bounds_of(report: &mut Report) -> &mut Bounds {
    let Target::Program { bounds, .. } = &mut report.target else { unreachable!("it is about a program") };
    bounds
}

fn failing(failure: Failure, events: Vec<Event>) -> Report {
    let mut finding = Finding::new(&program(), &execution(failure, events)).expect("it failed");
    finding.found = Some(Found::Seed(12));
    finding.replayed = 1;
    finding.schedule = Some(("turnstile.schedule".into(), "heddle replay turnstile.schedule".into()));
    report(Some(finding))
}

fn lost_update() -> Report {
    let events = vec![
        event("0", "write", "first", "0x10000", 8),
        event("0", "fork", "0.1", "", 8),
        event("0", "fork", "0.2", "", 8),
        event("0.1", "start", "", "", 2),
        event("0.1", "read", "visitors", "0", 4),
        event("0.2", "start", "", "", 2),
        event("0.2", "read", "visitors", "0", 4),
        event("0.2", "write", "visitors", "1", 4),
        event("0.1", "write", "visitors", "1", 4),
        event("0", "join", "0.1", "", 13),
        event("0", "join", "0.2", "", 13),
        event("0", "read", "visitors", "1", 9),
    ];
    failing(failure(FailureKind::Assertion, library_site("0", 9), "visitors == 2"), events)
}

fn waiting(name: &str, line: u32, on: &'static str, object: &str, held_by: &[&str]) -> Waiting {
    Waiting {
        site: site(name, line),
        on,
        object: object.into(),
        held_by: held_by.iter().map(|name| thread(name)).collect(),
    }
}

fn deadlock() -> Report {
    let mut failure = failure(FailureKind::Deadlock, site("0.1", 11), "deadlock");
    failure.waiting = vec![
        waiting("0.1", 11, "mutex", "right", &["0.2"]),
        waiting("0.2", 10, "mutex", "left", &["0.1"]),
        waiting("0", 13, "join", "0.1", &["0.1"]),
    ];
    let events = vec![
        event("0", "fork", "0.1", "", 8),
        event("0.1", "lock", "left", "", 10),
        event("0.2", "lock", "right", "", 11),
        event("0.2", "read", "visitors", "7", 4),
    ];
    failing(failure, events)
}

fn use_after_free() -> Report {
    let mut failure = failure(FailureKind::Memory, site("0.1", 4), "freed memory read");
    failure.related = vec![("allocated".into(), library_site("0", 8)), ("freed".into(), library_site("0", 12))];
    let events = vec![
        event("0", "write", "queue->length", "2", 8),
        event("0.1", "read", "queue->length", "2", 4),
        event("0", "free", "queue", "", 12),
    ];
    failing(failure, events)
}

fn text_with(report: &Report, verbose: bool, quiet: bool, color: bool) -> String {
    let source_line = |file: &str, line: u32| {
        (file == "src/turnstile.c").then(|| SOURCE.get(line as usize - 1).map(|line| (*line).to_owned())).flatten()
    };
    report::text::render(report, &TextOptions { verbose, quiet, color, source_line: &source_line })
}

fn text(report: &Report) -> String {
    text_with(report, false, false, false)
}

#[test]
fn a_failed_assertion_is_shown_with_the_events_on_what_it_reads() {
    insta::assert_snapshot!(text(&lost_update()));
}

#[test]
fn verbose_shows_every_event_and_the_library_frames() {
    insta::assert_snapshot!(text_with(&lost_update(), true, false, false));
}

#[test]
fn quiet_shows_what_and_where_and_how_to_replay() {
    insta::assert_snapshot!(text_with(&lost_update(), false, true, false));
}

#[test]
fn colours_are_escapes_around_the_same_text() {
    let colored = text_with(&lost_update(), false, false, true);
    assert!(colored.contains("\u{1b}["));
    let mut plain = String::new();
    let mut inside = false;
    for character in colored.chars() {
        match character {
            '\u{1b}' => inside = true,
            'm' if inside => inside = false,
            other if !inside => plain.push(other),
            _ => {}
        }
    }
    assert_eq!(plain, text(&lost_update()));
}

#[test]
fn a_deadlock_says_who_holds_what_and_waits_for_what() {
    insta::assert_snapshot!(text(&deadlock()));
}

#[test]
fn a_thread_that_locks_twice_waits_for_itself() {
    let mut failure = failure(FailureKind::Deadlock, site("0", 11), "deadlock");
    failure.waiting = vec![waiting("0", 11, "mutex", "right", &["0"])];
    insta::assert_snapshot!(text(&failing(failure, vec![event("0", "lock", "right", "", 10)])));
}

#[test]
fn a_lost_signal_leaves_everyone_waiting() {
    let mut failure = failure(FailureKind::Deadlock, site("0.1", 11), "deadlock");
    failure.waiting = vec![waiting("0.1", 11, "condition", "ready", &[]), waiting("0", 13, "join", "0.1", &["0.1"])];
    let events = vec![event("0", "signal", "ready", "", 12), event("0.1", "wait", "ready", "", 11)];
    insta::assert_snapshot!(text(&failing(failure, events)));
}

#[test]
fn a_memory_error_says_where_the_block_came_from_and_went() {
    insta::assert_snapshot!(text(&use_after_free()));
}

#[test]
fn repeated_reads_are_one_row_and_old_ones_are_counted() {
    let mut events = vec![event("0.1", "write", "ready", "0", 4)];
    for round in 0..40 {
        let value = (round / 2).to_string();
        events.push(event("0.1", "write", "ready", &value, 4));
        events.push(event("0", "read", "ready", &value, 14));
        events.push(event("0", "read", "ready", &value, 14));
    }
    let failure = failure(FailureKind::Abort, site("0", 14), "abort called");
    insta::assert_snapshot!(text(&failing(failure, events)));
}

#[test]
fn nothing_found_says_what_was_tried() {
    insta::assert_snapshot!(text(&report(None)));
}

#[test]
fn an_inconclusive_search_says_why() {
    let mut report = report(None);
    report.verdict = Verdict::Inconclusive;
    bounds_of(&mut report).search = Search::Random;
    bounds_of(&mut report).undisturbed = false;
    bounds_of(&mut report).cut = 13;
    bounds_of(&mut report).excluded = 1;
    bounds_of(&mut report).stopped = Some(Stopped::Interrupted);
    insta::assert_snapshot!(text(&report));
}

#[test]
fn a_complete_exploration_is_a_proof() {
    let mut report = report(None);
    *bounds_of(&mut report) = Bounds {
        complete: true,
        search: Search::Exhaustive { reduction: true, hashing: vm::explore::Hashing::Off, preemptions: None },
        undisturbed: false,
        seeds: None,
        states: Some(70),
        ..bounds()
    };
    insta::assert_snapshot!(text(&report));
    bounds_of(&mut report).complete = false;
    bounds_of(&mut report).left_out = vec![LeftOut::Preemptions(2)];
    insta::assert_snapshot!(text(&report));
}

#[test]
fn several_failures_are_counted() {
    let mut report = lost_update();
    let at = report.finding.as_ref().and_then(Finding::place);
    report.counts = vec![
        report::FailureCount {
            kind: FailureKind::Assertion,
            at,
            condition: "visitors == 2".into(),
            runs: Some(4),
            first_seed: Some(12),
            schedule: None,
        },
        report::FailureCount {
            kind: FailureKind::Deadlock,
            at: None,
            condition: "deadlock".into(),
            runs: Some(1),
            first_seed: None,
            schedule: None,
        },
    ];
    insta::assert_snapshot!(text(&report));
}

#[test]
fn what_is_unsupported_has_a_place() {
    let unsupported = Unsupported::new(&program(), "pthread_cancel", &library_site("0.1", 5));
    let mut report = report(None);
    report.unsupported = vec![unsupported];
    insta::assert_snapshot!(text(&report));
}

#[test]
fn json_of_a_failure() {
    let mut report = lost_update();
    let finding = report.finding.as_mut().expect("it failed");
    finding.inputs = vec![
        Input::Argument(b"3".to_vec()),
        Input::Variable { name: "MODE".into(), value: "fast".into() },
        Input::Stdin(vec![b'x'; 12]),
        Input::Choice { thread: thread("0.1"), step: 9, value: 1 },
    ];
    insta::assert_snapshot!(report::json::render(&report));
}

#[test]
fn json_of_a_deadlock() {
    insta::assert_snapshot!(report::json::render(&deadlock()));
}

#[test]
fn json_of_nothing_found() {
    insta::assert_snapshot!(report::json::render(&report(None)));
}

#[test]
fn a_finding_without_its_explanation_says_why() {
    let mut report = lost_update();
    let finding = report.finding.as_mut().expect("it fails");
    finding.explanation_missing = Some("only one thread ever ran".into());
    assert!(text(&report).contains("  note  no explanation: only one thread ever ran\n"), "{}", text(&report));
    let json: serde_json::Value = serde_json::from_str(&report::json::render(&report)).expect("it is JSON");
    assert_eq!(json["explanation_missing"], "only one thread ever ran");
}

/// No failure was found, with many limits.
fn doubtful() -> Report {
    let place = |line| Place { file: "src/turnstile.c".into(), line, column: 5 };
    let count = |kind, line, condition: &str| FailureCount {
        kind,
        at: Some(place(line)),
        condition: condition.into(),
        runs: Some(4),
        first_seed: Some(2),
        schedule: None,
    };
    let mut report = report(None);
    report.caveats = Caveats {
        unasked: vec![
            count(FailureKind::Memory, 12, "freed memory written"),
            count(FailureKind::Deadlock, 11, "2 threads wait for each other"),
        ],
        assumptions: vec![
            Assumption::ThreadCreationSucceeds,
            Assumption::NoSpuriousWakeups,
            Assumption::OutputSucceeds,
        ],
        beyond_sc: Some(BeyondSc {
            weak: vec![
                Weak { at: place(4), order: WeakOrder::Relaxed },
                Weak { at: place(14), order: WeakOrder::Acquire },
            ],
            races: vec![[place(4), place(9)]],
        }),
        ..Caveats::default()
    };
    report
}

#[test]
fn a_verdict_says_what_it_leaves_open() {
    insta::assert_snapshot!(text(&doubtful()));
}

#[test]
fn json_of_what_a_verdict_leaves_open() {
    insta::assert_snapshot!(report::json::render(&doubtful()));
}

#[test]
fn the_reads_that_no_order_explains_are_told() {
    let at = Where::at(thread("0.1"), Some(Place { file: "litmus.c".into(), line: 12, column: 0 }));
    let read = report::Event { id: None, kind: EventKind::Read, object: "ready".into(), value: String::new(), at };
    let report = Unexplained { run: "runs/a.failed.run".into(), reads: vec![read], smallest: true };
    let told = report::text::unexplained(&report);
    assert!(told.contains("T0.1 reads `ready` at litmus.c:12"), "{told}");
    assert!(told.lines().all(|line| line.len() <= 80), "{told}");
    let json = report::json::unexplained(&report);
    assert!(json.contains("\"verdict\": \"inconclusive\"") && json.contains("\"object\": \"ready\""), "{json}");
}
