//! Reports on programs: the failing run with its place in the source, or the bounds of the search.

use run::ThreadName;
use vm::FailureKind;

use super::Page;
use super::relevance::{self, Row, Selection};
use super::snippet::snippet;
use super::style::paint;
use crate::model::{
    Awaited, Bounds, Checked, Command, Finding, Found, Place, Range, Report, Search, Stuck, Unsupported, Verdict, Where,
};
use crate::words::{Manner, REACH_ERROR, VALUE_WIDTH, counted, cut, listed, place_of, short};

/// Further places with the same construct are not listed.
const ELSEWHERE: usize = 5;

impl Page<'_> {
    pub(super) fn program(&mut self, report: &Report, program: &str, bounds: &Bounds) {
        match &report.finding {
            _ if report.synced.is_some() => self.synced_program(report, program, bounds),
            Some(finding) => self.failing_run(report, bounds, finding),
            None => self.no_failing_run(report, program, bounds),
        }
    }

    /// Home-made synchronisation is the whole answer.
    fn synced_program(&mut self, report: &Report, program: &str, bounds: &Bounds) {
        if let Some(synced) = &report.synced {
            self.synced(program, synced);
        }
        if let Some(stopped) = bounds.stopped {
            self.note(&format!("stopped early: {}", stopped.resource().unwrap_or("budget")));
        }
    }

    fn snippet(&mut self, place: &Place, remark: &str) {
        let source = (self.options.source_line)(&place.file, place.line);
        for line in snippet(place, remark, source.as_deref(), &self.palette) {
            self.line(line);
        }
    }

    fn failing_run(&mut self, report: &Report, bounds: &Bounds, finding: &Finding) {
        let tag = paint(self.palette.error, format!("error[{}]", finding.kind.name()));
        let headline = paint(self.palette.strong, format!(": {}", headline(finding)));
        self.line(format!("{tag}{headline}"));
        match finding.place() {
            Some(place) => self.snippet(&place, &remark(&finding.at)),
            None => self.line(format!("  in thread T{}, at an unknown place", finding.at.thread)),
        }
        match self.options.quiet {
            true => self.reasons(report, finding),
            false => self.details(report, bounds, finding),
        }
        self.replay_command(&finding.schedule);
        let asks = report.command == Command::Explain && report.repaired.is_none() && !self.options.quiet;
        if let (true, Some((file, _))) = (asks, &finding.schedule) {
            self.line(format!("  {}  repair: heddle repair {file}", paint(self.palette.strong, "note")));
        }
        if let Some(repaired) = &report.repaired {
            self.repaired(report, finding, repaired);
        }
    }

    /// The cause, without notes.
    fn reasons(&mut self, report: &Report, finding: &Finding) {
        if let Some(explanation) = &finding.explanation {
            self.wrapping(|page| page.explanation(finding, explanation));
        }
        if let Some(checked) = &report.checked {
            self.causes(checked, &report.counts);
        }
    }

    fn details(&mut self, report: &Report, bounds: &Bounds, finding: &Finding) {
        self.stack(&finding.at);
        if !finding.stuck.is_empty() {
            self.line("");
            self.stuck(&finding.stuck);
        }
        for (what, at) in &finding.related {
            self.related(what, at);
        }
        if finding.alternate().is_none() || self.options.verbose {
            let everything = self.options.verbose;
            let named = report.checked.as_ref().map(Checked::objects).unwrap_or_default();
            let selection =
                if everything { relevance::everything(finding) } else { relevance::select(finding, &named) };
            if !selection.rows.is_empty() {
                self.line("");
                self.table(finding, &selection);
            }
            self.line("");
            self.selection(finding, &selection);
        }
        if let Some(explanation) = &finding.explanation {
            self.line("");
            if let Some(alternate) = finding.alternate() {
                self.beside(&[], alternate);
                self.line("");
            }
            self.wrapping(|page| page.explanation(finding, explanation));
        }
        if let Some(reason) = &finding.explanation_missing {
            self.note(&format!("no explanation: {reason}"));
        }
        if let Some(checked) = &report.checked {
            self.causes(checked, &report.counts);
        }
        self.note(&found(finding));
        if let Some(before) = finding.context_switches_before.filter(|&before| before != finding.context_switches) {
            self.note(&format!("context switches: {before} as found, {} needed", finding.context_switches));
        }
        self.counts(report, bounds);
        self.limits(report, bounds);
        self.reached_unsupported(report);
    }

    fn stack(&mut self, at: &Where) {
        if !self.options.verbose {
            return;
        }
        for frame in &at.stack {
            let place = frame.place.as_ref().map_or("?".to_owned(), |place| format!("{}:{}", place.file, place.line));
            self.line(format!("      in {} at {place}", frame.function));
        }
    }

    fn related(&mut self, what: &str, at: &Where) {
        let thread = &at.thread;
        let arrow = paint(self.palette.frame, "=");
        match at.place() {
            Some(place) => {
                self.line(format!("   {arrow} {what}: {}{}, thread T{thread}", short(place), in_function(at)))
            }
            None => self.line(format!("   {arrow} {what}, thread T{thread}")),
        }
        self.stack(at);
    }

    fn stuck(&mut self, stuck: &[Stuck]) {
        let width = stuck.iter().map(|stuck| thread_name(&stuck.at.thread).len()).max().unwrap_or(0);
        for stuck in stuck {
            let name = thread_name(&stuck.at.thread);
            let place = stuck.at.place().map_or(String::new(), |place| format!(" at {}", short(place)));
            let holders: Vec<String> = stuck
                .held_by
                .iter()
                .map(|holder| match stuck.taken.iter().find(|(thread, _)| thread == holder) {
                    Some((_, taken)) => format!("T{holder}, which took it at {}", short(taken)),
                    None => format!("T{holder}"),
                })
                .collect();
            let held = match holders.is_empty() || stuck.on == Awaited::Join {
                true => String::new(),
                false => format!(", held by {}", holders.join(" and by ")),
            };
            self.line(format!("   {name:width$}  {}{place}{held}", waits(stuck)));
            self.stack(&stuck.at);
        }
    }

    fn table(&mut self, finding: &Finding, selection: &Selection<'_>) {
        let mut rows: Vec<[String; 4]> = selection.rows.iter().map(cells).collect();
        rows.push(last_row(finding));
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths = [width(0), width(1), width(2)];
        if selection.earlier > 0 {
            self.line(format!("   … {} earlier", selection.earlier));
        }
        let last = rows.len() - 1;
        for (index, [thread, verb, what, place]) in rows.iter().enumerate() {
            let mark = if index == last { paint(self.palette.error, "  ✗") } else { String::new() };
            let place = paint(self.palette.faint, place);
            let (thread_width, verb_width, what_width) = (widths[0], widths[1], widths[2]);
            self.line(format!("   {thread:thread_width$}  {verb:verb_width$}  {what:what_width$}  {place}{mark}"));
        }
    }

    fn selection(&mut self, finding: &Finding, selection: &Selection<'_>) {
        let shown: usize = selection.rows.iter().map(|row| row.times).sum();
        let all = finding.events.len();
        if shown == all || self.options.verbose {
            return;
        }
        let which = match selection.objects.as_slice() {
            [] => String::new(),
            objects => format!(", those on {}", listed(objects)),
        };
        self.note(&format!("shown: {shown} of {all} events{which}; -v shows all"));
    }

    fn counts(&mut self, report: &Report, bounds: &Bounds) {
        // A single failure that is shown with its causes needs no list.
        let told = report.checked.is_some() && report.counts.len() == 1;
        if report.counts.is_empty() || told {
            return;
        }
        let all: u64 = report.counts.iter().filter_map(|count| count.runs).sum();
        match all {
            0 => self.note(&format!("{}:", counted(report.counts.len() as u64, "different failure"))),
            _ => self.note(&format!("{all} of {} runs failed:", bounds.runs())),
        }
        for count in &report.counts {
            let place = count.at.as_ref().map_or(String::new(), |place| format!(" at {}", short(place)));
            let seed = count.first_seed.map_or(String::new(), |seed| format!(" (first with seed {seed})"));
            let runs = count.runs.map_or(String::new(), |runs| format!("{runs} × "));
            let schedule = count.schedule.as_ref().map_or(String::new(), |file| format!(" (schedule: {file})"));
            self.line(format!("          {runs}{}: {}{place}{seed}{schedule}", count.kind.name(), count.condition));
        }
    }

    fn limits(&mut self, report: &Report, bounds: &Bounds) {
        if let Some(explored) = &report.explored {
            self.explored(report, explored);
        }
        match &report.checked {
            Some(checked) => self.checked(report, bounds, checked),
            None => self.bounds(report, bounds),
        }
        if report.caveats.one_run {
            self.note("no thread was created and nothing was chosen: every run is the same");
        }
        if let Some(defect) = &report.defect {
            self.note(&format!("answered without the solver: {defect} (this is a bug in heddle; please report it)"));
        }
    }

    fn bounds(&mut self, report: &Report, bounds: &Bounds) {
        if let Some(tried) = tried(bounds) {
            self.note(&format!("tried: {tried}; sequential consistency"));
        }
        for left_out in &bounds.left_out {
            self.note(&format!("left out: {left_out}"));
        }
        if bounds.cut > 0 {
            let runs = counted(bounds.cut, "run");
            self.note(&format!("{runs} did not end within {} steps (--steps allows more)", bounds.step_limit));
        }
        if bounds.excluded > 0 {
            self.note(&format!("{} excluded: an assumption did not hold", counted(bounds.excluded, "run")));
        }
        if let Some(stopped) = bounds.stopped {
            let unexplained = report.finding.as_ref().is_some_and(|finding| finding.explanation.is_none());
            let missing = if unexplained && report.command == Command::Explain {
                "no explanation"
            } else {
                "not all runs were made"
            };
            self.note(&format!("{missing}: {}", stopped.in_words()));
        }
    }

    fn no_failing_run(&mut self, report: &Report, program: &str, bounds: &Bounds) {
        let doubtful = report.verdict == Verdict::Inconclusive || report.caveats.ends_early();
        let color = if doubtful { self.palette.warning } else { self.palette.good };
        let headline = paint(color, self.verdict(report, program, bounds));
        self.line(headline);
        if self.options.quiet {
            return;
        }
        self.limits(report, bounds);
        self.unasked(&report.caveats);
        self.beyond_sc(&report.caveats);
        self.reached_unsupported(report);
        if report.checked.is_some() {
            return;
        }
        if bounds.executions > 0 && report.verdict == Verdict::NoneFound {
            self.assumptions(report, &bounds.search);
        }
        let is_known = match bounds.search {
            Search::Exhaustive { .. } => report.caveats.ends_early() && bounds.left_out.is_empty(),
            Search::Replay => true,
            Search::Random | Search::Pct { .. } | Search::Bounded | Search::Near | Search::Portfolio { .. } => false,
        };
        if report.verdict == Verdict::NoneFound && !bounds.complete && !is_known {
            self.note("other schedules may fail: this is a search, not a proof");
        }
    }

    fn reached_unsupported(&mut self, report: &Report) {
        let verbose = self.options.verbose;
        for unsupported in report.unsupported.iter().filter(|unsupported| unsupported.reached || verbose) {
            self.unsupported(unsupported);
        }
    }

    fn unsupported(&mut self, unsupported: &Unsupported) {
        let function = unsupported.function.as_ref().map_or(String::new(), |name| format!(" in {name}"));
        let seen = if unsupported.reached { "" } else { " (not reached)" };
        let tag = paint(self.palette.warning, "unsupported");
        self.line(format!("{tag}: {}{seen}", unsupported.what));
        if let Some(place) = &unsupported.at {
            self.snippet(place, &function);
        }
        if !unsupported.elsewhere.is_empty() && !self.options.verbose {
            let places: Vec<String> = unsupported.elsewhere.iter().take(ELSEWHERE).map(short).collect();
            let more = if unsupported.elsewhere.len() > ELSEWHERE { ", …" } else { "" };
            let sign = paint(self.palette.frame, "=");
            self.line(format!("   {sign} also at {}{more}", places.join(", ")));
        }
    }
}

fn headline(finding: &Finding) -> String {
    let place = finding.place().map_or(String::new(), |place| format!(" at {}", short(&place)));
    match finding.kind {
        FailureKind::Assertion if finding.condition == REACH_ERROR => format!("`{REACH_ERROR}` can be reached{place}"),
        FailureKind::Assertion => format!("`{}` can fail{place}", finding.condition),
        FailureKind::Deadlock => match (finding.cycle_length(), finding.stuck.len()) {
            (0, 0) => format!("{}{place}", finding.condition),
            (0, 1) => format!("a thread waits forever{place}"),
            (0, _) => "every remaining thread waits forever".to_owned(),
            (1, _) => format!("a thread waits for itself{place}"),
            (circle, _) => format!("{circle} threads wait for each other"),
        },
        FailureKind::Exit => match finding.condition.strip_prefix("exit status ") {
            Some(status) => format!("the program ends with status {status}{place}"),
            None => format!("{}{place}", finding.condition),
        },
        _ => format!("{}{place}", finding.condition),
    }
}

fn found(finding: &Finding) -> String {
    let found = match finding.found {
        Some(Found::Undisturbed) => "found in a run without preemptions; ".to_owned(),
        Some(Found::Seed(seed)) => format!("found with seed {seed}; "),
        Some(Found::Bounded) => "found by the solver; ".to_owned(),
        Some(Found::Near { .. }) => "found by the solver near a recorded run; ".to_owned(),
        Some(Found::Recorded) => "found along the recorded paths; ".to_owned(),
        Some(Found::Exploration) => "found by exploration; ".to_owned(),
        Some(Found::Simulation { .. } | Found::Solver { .. }) | None => String::new(),
    };
    let replayed = match finding.replayed {
        0 => String::new(),
        1 => "; replayed: it fails again, the same way".to_owned(),
        times => format!("; replayed {times} times: it fails every time, the same way"),
    };
    format!("{found}{}{replayed}", counted(finding.context_switches as u64, "context switch"))
}

/// The bounds in words; `None` for a replay.
fn tried(bounds: &Bounds) -> Option<String> {
    let seeded = bounds.runs() - u64::from(bounds.undisturbed && bounds.executions > 0);
    let mut how = match &bounds.search {
        Search::Replay | Search::Bounded | Search::Near => return None,
        Search::Exhaustive { .. } => return Some(explored(bounds)),
        Search::Random => "random".to_owned(),
        Search::Pct { depth } => format!("pct, depth {depth}"),
        Search::Portfolio { .. } => "several strategies".to_owned(),
    };
    match bounds.seeds {
        None => {}
        Some(Range { first, last }) if first == last => how.push_str(&format!(", seed {first}")),
        Some(Range { first, last }) => how.push_str(&format!(", seeds {first} to {last}")),
    }
    let mut parts = Vec::new();
    if bounds.undisturbed {
        parts.push("1 run without preemptions".to_owned());
    }
    if seeded > 0 || parts.is_empty() {
        parts.push(format!("{} ({how})", counted(seeded, "run")));
    }
    match bounds.search {
        Search::Portfolio { explored } if explored > 0 => {
            parts.push(match bounds.complete {
                true => format!("all schedules ({explored} after removing equivalent ones)"),
                false => format!("exploration of {}", counted(explored, "execution")),
            });
        }
        _ => {}
    }
    Some(parts.join(", "))
}

fn explored(bounds: &Bounds) -> String {
    let executions = counted(bounds.executions, "execution");
    let states = bounds.states.map_or(String::new(), |states| format!(", {}", counted(states, "state")));
    match (bounds.complete, &bounds.search) {
        (true, Search::Exhaustive { reduction: true, .. }) => {
            format!("all schedules ({} after removing equivalent ones{states})", bounds.executions)
        }
        (true, _) => format!("all schedules: {executions}{states}"),
        (false, _) => format!("{executions}{states}"),
    }
}

fn thread_name(thread: &ThreadName) -> String {
    format!("T{thread}")
}

fn in_function(at: &Where) -> String {
    at.function().map_or(String::new(), |function| format!(" in {function}"))
}

fn remark(at: &Where) -> String {
    format!("{}, thread T{}", in_function(at), at.thread)
}

pub(super) fn waits(stuck: &Stuck) -> String {
    let object = &stuck.object;
    match (&stuck.on, object.is_empty()) {
        (Awaited::Join, false) => format!("waits for thread T{object} to end"),
        (Awaited::Loop, _) => "spins in a loop that no thread ends".to_owned(),
        (on, false) => format!("waits for {} `{object}`", on.name()),
        (on, true) => format!("waits for a {}", on.name()),
    }
}

fn cells(row: &Row<'_>) -> [String; 4] {
    let (verb, mut what) = Manner::Machine.deed(row.event);
    if row.times > 1 {
        what = format!("{what}  (× {})", row.times);
    }
    [thread_name(row.event.thread()), verb.to_owned(), what, place_of(row.event)]
}

fn last_row(finding: &Finding) -> [String; 4] {
    let place = finding.place().map_or(String::new(), |place| short(&place));
    let (verb, what) = match finding.kind {
        FailureKind::Deadlock | FailureKind::Hang => ("is stuck", String::new()),
        _ => ("fails", finding.condition.clone()),
    };
    [thread_name(&finding.at.thread), verb.to_owned(), cut(&what, VALUE_WIDTH), place]
}
