//! Reports on traces: the failure, its stored paths, the events that lead to it in order, and how it was found.

use std::collections::BTreeSet;

use events::Extent;
use run::ThreadName;

use super::style::paint;
use super::{Page, WIDTH, wrapped};
use crate::model::{Answer, Attempt, Event, Finding, Found, PathBounds, Report, Stats, Subject, Traced, Verdict};
use crate::words::{GLUE, Manner, cut, grouped, listed, place_of, short};

/// The minimal width of a row's object and value.
const NARROWEST: usize = 16;

impl Page<'_> {
    pub(super) fn traces(&mut self, report: &Report, folder: &str, bounds: &PathBounds) {
        let finding = report.finding.as_ref();
        match finding.and_then(|finding| Some((finding, finding.traced.as_ref()?))) {
            Some((finding, traced)) => self.failing_paths(report, folder, bounds, finding, traced),
            None => self.no_failing_paths(report, folder, bounds),
        }
    }

    fn failing_paths(
        &mut self,
        report: &Report,
        folder: &str,
        bounds: &PathBounds,
        finding: &Finding,
        traced: &Traced,
    ) {
        let tag = "error[assertion]";
        let place = finding.at.place().map_or(String::new(), |place| format!(" at {}", short(place)));
        let mut headline = format!("{tag}: `{}` can fail{place}", finding.condition);
        if headline.chars().count() > WIDTH {
            // The next line has the place anyway.
            headline = format!("{tag}: `{}` can fail", finding.condition);
        }
        for (number, line) in wrapped(&headline, WIDTH).into_iter().enumerate() {
            match line.strip_prefix(tag).filter(|_| number == 0) {
                Some(rest) => {
                    let tag = paint(self.palette.error, tag);
                    self.line(format!("{tag}{}", paint(self.palette.strong, rest)));
                }
                None => self.line(format!("  {}", paint(self.palette.strong, line))),
            }
        }
        let arrow = paint(self.palette.frame, "-->");
        for (number, line) in wrapped(&reads(finding, traced), WIDTH - 6).into_iter().enumerate() {
            self.line(if number == 0 { format!("  {arrow} {line}") } else { format!("      {line}") });
        }
        if self.options.quiet {
            if let Some(explanation) = &finding.explanation {
                self.explanation(finding, explanation);
            }
        } else {
            self.origin(folder, traced);
            self.line("");
            match finding.alternate() {
                Some(alternate) => {
                    self.beside(&traced.lost, alternate);
                    if self.options.verbose {
                        self.line("");
                        self.line("  all events of the failing order:");
                        self.path_table(finding, traced);
                    }
                }
                None => self.path_table(finding, traced),
            }
            self.line("");
            if let Some(explanation) = &finding.explanation {
                self.explanation(finding, explanation);
            }
            self.path_notes(report, bounds, finding, traced);
            if let Some(explored) = &report.explored {
                self.explored(report, explored);
            }
        }
        self.replay_command(&finding.schedule);
    }

    /// The stored paths of the execution.
    fn origin(&mut self, folder: &str, traced: &Traced) {
        let sign = paint(self.palette.frame, "=");
        match &traced.subject {
            Subject::Run(id) if id.is_empty() => self.line(format!("   {sign} in {folder}")),
            Subject::Run(id) => self.line(format!("   {sign} in {folder}, run {id}")),
            Subject::Merged => {
                self.line(format!("   {sign} in {folder}, on these stored paths together:"));
                let names: Vec<String> = traced.paths.iter().map(|path| format!("T{}", path.thread)).collect();
                let width = names.iter().map(String::len).max().unwrap_or(0);
                for (name, path) in names.iter().zip(&traced.paths) {
                    self.line(format!("       {name:width$}  {}", path.file));
                }
            }
        }
    }

    fn path_table(&mut self, finding: &Finding, traced: &Traced) {
        let last = traced.failed;
        let shown: Vec<usize> = match self.options.verbose {
            true => (0..finding.events.len()).collect(),
            false => traced.relevant.clone(),
        };
        let mut rows: Vec<Row> = Vec::new();
        let mut turn = 0;
        for (index, &position) in shown.iter().enumerate() {
            let before = index.checked_sub(1).map(|index| shown[index]);
            if before.is_none_or(|before| finding.events[before].thread() != finding.events[position].thread()) {
                turn = before.map_or(0, |before| before + 1);
            }
            rows.push(Row::new(finding, traced, turn, position, self.options.verbose));
            if traced.lost.binary_search(&position).is_ok() {
                turn = position + 1;
            }
        }
        let widest = |column: fn(&Row) -> &String| rows.iter().map(|row| column(row).chars().count()).max();
        let thread = widest(|row| &row.thread).unwrap_or(0);
        let verb = widest(|row| &row.verb).unwrap_or(0);
        let place = widest(|row| &row.place).unwrap_or(0);
        // Three columns before the thread, two between all others, and the mark.
        let is_lost = |row: &Row| traced.lost.binary_search(&row.position).is_ok();
        let mark = if rows.iter().any(is_lost) { "  lost".len() } else { "  x".len() };
        // Verbose output is not shortened.
        let narrowest = if self.options.verbose { WIDTH } else { NARROWEST };
        let room = WIDTH.saturating_sub(3 + thread + 2 + verb + 2 + 2 + place + mark).max(narrowest);
        let what = widest(|row| &row.what).unwrap_or(0).min(room);
        let mut before = None;
        for row in &rows {
            self.skipped(&finding.events, before, Some(row.position));
            before = Some(row.position);
            let mark = match row.position == last {
                true => paint(self.palette.error, "  ✗"),
                false if is_lost(row) => paint(self.palette.warning, "  lost"),
                false => String::new(),
            };
            let (name, text) = (&row.thread, cut(&row.what, what));
            let at = paint(self.palette.faint, &row.place);
            self.line(format!("   {name:thread$}  {:verb$}  {text:what$}  {at}{mark}", row.verb));
        }
        self.skipped(&finding.events, before, None);
    }

    /// A line for the events left out between two rows, if other threads had turns there.
    fn skipped(&mut self, events: &[Event], before: Option<usize>, after: Option<usize>) {
        let range = before.map_or(0, |before| before + 1)..after.unwrap_or(events.len());
        let left_out = &events[range];
        let neighbours: Vec<&ThreadName> =
            [before, after].into_iter().flatten().map(|position| events[position].thread()).collect();
        let at_an_end = before.is_none() || after.is_none();
        if left_out.is_empty() || !at_an_end && left_out.iter().all(|event| neighbours.contains(&event.thread())) {
            return;
        }
        let threads: BTreeSet<String> = left_out.iter().map(|event| format!("T{}", event.thread())).collect();
        let names: Vec<&str> = threads.iter().map(String::as_str).collect();
        let who = match names.join(", ") {
            listed if listed.chars().count() <= 40 => listed,
            _ => format!("{} threads", names.len()),
        };
        let text = format!("   ⋮  {} of {who}", grouped(left_out.len() as u64, "event"));
        self.line(paint(self.palette.faint, text));
    }

    fn path_notes(&mut self, report: &Report, bounds: &PathBounds, finding: &Finding, traced: &Traced) {
        if finding.alternate().is_none() && !self.options.verbose && traced.relevant.len() < finding.events.len() {
            let which = match traced.followed.as_slice() {
                [] => String::new(),
                names => format!(", those that the condition depends on through {}", listed(names)),
            };
            let (shown, all) = (traced.relevant.len(), grouped(finding.events.len() as u64, "event"));
            self.note(&format!("shown: {shown} of {all}{which}; -v shows all"));
        }
        if let Some(reason) = &finding.explanation_missing {
            self.note(&format!("no explanation: {reason}"));
        }
        if traced.extent == Extent::Prefix {
            self.note("the execution ends with the failure: the other threads need not have ended");
        }
        if let Some(found) = &finding.found {
            self.note(&found_by(found, &report.stats));
            self.sizes(&report.stats, matches!(found, Found::Solver { .. }));
        }
        let before = match finding.context_switches_before {
            Some(before) if before != finding.context_switches => format!(" (as found: {before})"),
            _ => String::new(),
        };
        let replayed = match finding.replayed {
            0 => String::new(),
            1 => "; replayed on the graph: it fails again, the same way".to_owned(),
            times => format!("; replayed {times} times on the graph: it fails every time, the same way"),
        };
        let switches = grouped(finding.context_switches as u64, "context switch");
        self.note(&format!("{switches}{before}{replayed}"));
        self.attempts(bounds);
    }

    fn sizes(&mut self, stats: &Stats, with_solver: bool) {
        let mut text = format!(
            "searched: {}, {}, {} to shared variables",
            grouped(stats.threads as u64, "thread"),
            grouped(stats.events as u64, "event"),
            grouped(stats.shared_accesses as u64, "access")
        );
        if let Some(solver) = stats.solver.as_ref().filter(|_| with_solver) {
            text.push_str(&format!(
                "; {}, {}, {}",
                grouped(solver.variables, "variable"),
                grouped(solver.clauses, "clause"),
                grouped(solver.conflicts, "conflict")
            ));
        }
        self.note(&text);
    }

    fn attempts(&mut self, bounds: &PathBounds) {
        if !self.options.verbose {
            return;
        }
        for attempt in &bounds.attempts {
            self.note(&attempted(attempt));
        }
    }

    fn no_failing_paths(&mut self, report: &Report, folder: &str, bounds: &PathBounds) {
        let headline = match report.verdict {
            Verdict::Inconclusive => paint(self.palette.warning, format!("inconclusive: no failure found in {folder}")),
            _ => paint(self.palette.good, format!("no order of these paths fails: {folder}")),
        };
        self.line(headline);
        if self.options.quiet {
            return;
        }
        let excluded = |attempt: &&Attempt| attempt.answer == Answer::Impossible;
        let mut proved: Vec<String> = Vec::new();
        for attempt in bounds.attempts.iter().filter(excluded) {
            let text = subject(&attempt.subject, attempt.extent);
            if !proved.contains(&text) {
                proved.push(text);
            }
        }
        if !proved.is_empty() {
            self.note(&format!("excluded by the solver: {}", proved.join("; ")));
        }
        self.sizes(&report.stats, true);
        if let Some(stopped) = bounds.stopped {
            self.note(&format!("not everything was tried: {}", stopped.in_words()));
        }
        if bounds.incomplete_runs > 0 {
            let text = match bounds.incomplete_runs {
                1 => "1 run lacks the trace of a thread and was not tried by itself".to_owned(),
                runs => format!("{runs} runs lack the trace of a thread and were not tried by themselves"),
            };
            self.note(&text);
        }
        self.attempts(bounds);
        if report.verdict == Verdict::NoneFound {
            let stored = bounds.paths;
            let text = "with variables that are initially 0; other paths may fail";
            self.note(&format!("this holds for these paths ({stored} are stored), {text}"));
        }
    }
}

struct Row {
    position: usize,
    thread: String,
    verb: String,
    what: String,
    place: String,
}

impl Row {
    /// The last of several lost updates in a row stands for all since the thread's turn began, or since the row of
    /// another thread.
    fn new(finding: &Finding, traced: &Traced, turn: usize, position: usize, verbose: bool) -> Row {
        let event = &finding.events[position];
        let (verb, mut what) = match position == traced.failed {
            true => ("fails", finding.condition.clone()),
            false => Manner::Graph.deed(event),
        };
        if !verbose && traced.lost.binary_search(&position).is_ok() {
            let alike = |other: &&Event| other.thread() == event.thread() && other.object == event.object;
            let lost = traced.lost.iter().filter(|&&lost| (turn..position).contains(&lost));
            let others: Vec<&Event> = lost.map(|&lost| &finding.events[lost]).filter(alike).collect();
            if let Some(earliest) = others.first() {
                let values = match earliest.value == event.value {
                    true => event.value.clone(),
                    false => format!("{} … {}", earliest.value, event.value),
                };
                what = format!("{} = {values}  (× {})", event.object, others.len() + 1);
            }
        }
        Row { position, thread: format!("T{}", event.thread()), verb: verb.to_owned(), what, place: place_of(event) }
    }
}

/// The failing thread, and the values that it read.
fn reads(finding: &Finding, traced: &Traced) -> String {
    const SHOWN: usize = 6;
    let mut values: Vec<String> = Vec::new();
    for (name, value) in &traced.values {
        let text = format!("{name}{GLUE}={GLUE}{value}");
        if !values.contains(&text) {
            values.push(text);
        }
    }
    if values.len() > SHOWN {
        let more = values.len() - SHOWN;
        values.truncate(SHOWN);
        values.push(format!("{more} more"));
    }
    let place = finding.at.place().map_or(String::new(), |place| format!("{}:{}, ", place.file, place.line));
    let with = if values.is_empty() { String::new() } else { format!(", with {}", values.join(", ")) };
    format!("{place}thread T{}{with}", finding.at.thread)
}

fn found_by(found: &Found, stats: &Stats) -> String {
    let seconds = &stats.seconds;
    match found {
        Found::Simulation { orders, seed } => {
            let tried = grouped(*orders, "order");
            format!("found by simulation, {tried} tried (seed {seed}), in {}", in_seconds(seconds.total))
        }
        Found::Solver { mode } => {
            let (encode, solve, total) =
                (in_seconds(seconds.encode), in_seconds(seconds.solve), in_seconds(seconds.total));
            format!("found by the solver (mode {mode}) in {total}: encoding {encode}, solving {solve}")
        }
        _ => String::new(),
    }
}

fn attempted(attempt: &Attempt) -> String {
    let subject = subject(&attempt.subject, attempt.extent);
    let how = match attempt.simulated {
        Some(orders) => format!("simulation, {}", grouped(orders, "order")),
        None => "solver".to_owned(),
    };
    let answer = match attempt.answer {
        Answer::Fails => "fails",
        Answer::NothingFound => "nothing found",
        Answer::Impossible => "cannot fail",
        Answer::Unknown => "no answer",
    };
    format!("{subject}: {how}: {answer} ({})", in_seconds(attempt.seconds))
}

fn subject(subject: &Subject, extent: Extent) -> String {
    let what = match subject {
        Subject::Run(id) if id.is_empty() => "the run".to_owned(),
        Subject::Run(id) => format!("run {id}"),
        Subject::Merged => "all stored paths together".to_owned(),
    };
    match extent {
        Extent::Whole => what,
        Extent::Prefix => format!("{what} up to a failure"),
    }
}

fn in_seconds(seconds: f64) -> String {
    match seconds {
        seconds if seconds < 0.995 => format!("{seconds:.2}{GLUE}s"),
        _ => format!("{seconds:.1}{GLUE}s"),
    }
}
