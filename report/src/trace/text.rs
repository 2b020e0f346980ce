//! The report on traces for people: what fails, in which of the stored paths, the events that lead there in their order,
//! how it was found, and how to see it again. Everything fits into 80 columns as far as names allow it.

use std::collections::BTreeSet;

use events::{Extent, Place};
use run::ThreadName;

use super::explanation::Explanation;
use super::{Answer, Attempt, How, Subject, TraceEvent, TraceFinding, TraceReport};
use crate::model::Verdict;
use crate::style::{Palette, paint};

pub(crate) const WIDTH: usize = 80;

/// A blank at which no line is broken; it is an ordinary one in the end.
pub(crate) const GLUE: char = '\u{a0}';

/// What a row's object and value get at least, however long the other columns are.
const NARROWEST: usize = 16;

#[derive(Clone, Copy, Debug, Default)]
pub struct TraceTextOptions {
    /// All events and all attempts.
    pub verbose: bool,
    /// The headline, the thread, why it fails and the replay command only.
    pub quiet: bool,
    pub color: bool,
}

/// The whole report, ending in an end of line.
pub fn render(report: &TraceReport, options: &TraceTextOptions) -> String {
    let mut page = Page { options, palette: Palette::new(options.color), text: String::new() };
    match &report.finding {
        Some(finding) => page.finding(report, finding),
        None => page.nothing_found(report),
    }
    page.text
}

/// What a diagnosis found, without what failed.
pub fn render_explanation(explanation: &Explanation, options: &TraceTextOptions) -> String {
    let mut page = Page { options, palette: Palette::new(options.color), text: String::new() };
    if let Some(alternate) = explanation.alternates.first().filter(|_| !options.quiet) {
        page.beside(&[], alternate);
        page.line("");
    }
    page.explanation(explanation);
    page.text
}

pub(super) struct Page<'a> {
    pub(super) options: &'a TraceTextOptions,
    pub(super) palette: Palette,
    text: String,
}

impl Page<'_> {
    pub(super) fn line(&mut self, line: impl AsRef<str>) {
        self.text.push_str(&line.as_ref().trim_end().replace(GLUE, " "));
        self.text.push('\n');
    }

    pub(super) fn note(&mut self, text: &str) {
        if self.options.quiet {
            return;
        }
        for (number, line) in wrapped(text, WIDTH - 8).into_iter().enumerate() {
            match number {
                0 => self.line(format!("  {}  {line}", paint(self.palette.strong, "note"))),
                _ => self.line(format!("        {line}")),
            }
        }
    }

    fn finding(&mut self, report: &TraceReport, finding: &TraceFinding) {
        let tag = "error[assertion]";
        let place = finding.at.as_ref().map_or(String::new(), |place| format!(" at {}", short(place)));
        let mut headline = format!("{tag}: `{}` can fail{place}", finding.condition);
        if headline.chars().count() > WIDTH {
            // The next line tells the place anyway.
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
        for (number, line) in wrapped(&reads(finding), WIDTH - 6).into_iter().enumerate() {
            self.line(if number == 0 { format!("  {arrow} {line}") } else { format!("      {line}") });
        }
        if self.options.quiet {
            if let Some(explanation) = &finding.explanation {
                self.explanation(explanation);
            }
        } else {
            self.origin(report, finding);
            self.line("");
            match finding.explanation.as_ref().and_then(|explanation| explanation.alternates.first()) {
                Some(alternate) => {
                    self.beside(&finding.lost, alternate);
                    if self.options.verbose {
                        self.line("");
                        self.line("  all events of the failing order:");
                        self.table(finding);
                    }
                }
                None => self.table(finding),
            }
            self.line("");
            if let Some(explanation) = &finding.explanation {
                self.explanation(explanation);
            }
            self.notes(report, finding);
        }
        if let Some((_, replay)) = &finding.schedule {
            // A command is copied whole.
            self.line(format!("  {}  replay: {replay}", paint(self.palette.strong, "note")));
        }
    }

    /// Which of the stored paths it takes.
    fn origin(&mut self, report: &TraceReport, finding: &TraceFinding) {
        let sign = paint(self.palette.frame, "=");
        match &finding.subject {
            Subject::Run(id) if id.is_empty() => self.line(format!("   {sign} in {}", report.traces)),
            Subject::Run(id) => self.line(format!("   {sign} in {}, run {id}", report.traces)),
            Subject::Merged => {
                self.line(format!("   {sign} in {}, on these stored paths together:", report.traces));
                let names: Vec<String> = finding.paths.iter().map(|path| format!("T{}", path.thread)).collect();
                let width = names.iter().map(String::len).max().unwrap_or(0);
                for (name, path) in names.iter().zip(&finding.paths) {
                    self.line(format!("       {name:width$}  {}", path.file));
                }
            }
        }
    }

    pub(super) fn table(&mut self, finding: &TraceFinding) {
        let last = finding.failed;
        let shown: Vec<usize> = match self.options.verbose {
            true => (0..finding.events.len()).collect(),
            false => finding.relevant.clone(),
        };
        let mut rows: Vec<Row> = Vec::new();
        let mut turn = 0;
        for (index, &position) in shown.iter().enumerate() {
            let before = index.checked_sub(1).map(|index| shown[index]);
            if before.is_none_or(|before| finding.events[before].thread != finding.events[position].thread) {
                turn = before.map_or(0, |before| before + 1);
            }
            rows.push(Row::new(finding, turn, position, self.options.verbose));
            if finding.lost.binary_search(&position).is_ok() {
                turn = position + 1;
            }
        }
        let widest = |column: fn(&Row) -> &String| rows.iter().map(|row| column(row).chars().count()).max();
        let thread = widest(|row| &row.thread).unwrap_or(0);
        let verb = widest(|row| &row.verb).unwrap_or(0);
        let place = widest(|row| &row.place).unwrap_or(0);
        // Three columns before the thread, two between all others, and the mark.
        let is_lost = |row: &Row| finding.lost.binary_search(&row.position).is_ok();
        let mark = if rows.iter().any(is_lost) { "  lost".len() } else { "  x".len() };
        // Whoever wants everything wants it whole.
        let narrowest = if self.options.verbose { WIDTH } else { NARROWEST };
        let room = WIDTH.saturating_sub(3 + thread + 2 + verb + 2 + 2 + place + mark).max(narrowest);
        let what = widest(|row| &row.what).unwrap_or(0).min(room);
        let mut before = None;
        for row in &rows {
            self.gap(&finding.events, before, Some(row.position));
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
        self.gap(&finding.events, before, None);
    }

    /// What is left out between two rows, if other threads had their turns there.
    fn gap(&mut self, events: &[TraceEvent], before: Option<usize>, after: Option<usize>) {
        let range = before.map_or(0, |before| before + 1)..after.unwrap_or(events.len());
        let left_out = &events[range];
        let neighbours: Vec<&ThreadName> =
            [before, after].into_iter().flatten().map(|position| &events[position].thread).collect();
        let at_an_end = before.is_none() || after.is_none();
        if left_out.is_empty() || !at_an_end && left_out.iter().all(|event| neighbours.contains(&&event.thread)) {
            return;
        }
        let threads: BTreeSet<String> = left_out.iter().map(|event| format!("T{}", event.thread)).collect();
        let names: Vec<&str> = threads.iter().map(String::as_str).collect();
        let who = match names.join(", ") {
            listed if listed.chars().count() <= 40 => listed,
            _ => format!("{} threads", names.len()),
        };
        let text = format!("   ⋮  {} of {who}", counted(left_out.len() as u64, "event"));
        self.line(paint(self.palette.faint, text));
    }

    fn notes(&mut self, report: &TraceReport, finding: &TraceFinding) {
        let told = finding.explanation.as_ref().is_some_and(|explanation| !explanation.alternates.is_empty());
        if !told && !self.options.verbose && finding.relevant.len() < finding.events.len() {
            let which = match finding.followed.as_slice() {
                [] => String::new(),
                names => format!(", what the condition depends on through {}", listed(names)),
            };
            let (shown, all) = (finding.relevant.len(), counted(finding.events.len() as u64, "event"));
            self.note(&format!("shown: {shown} of {all}{which}; -v shows all"));
        }
        if let Some(reason) = &finding.explanation_missing {
            self.note(&format!("no explanation: {reason}"));
        }
        if finding.extent == Extent::Prefix {
            self.note("the execution ends with the failure: the other threads need not come to their ends");
        }
        if finding.how != How::Replay {
            self.note(&found(report, finding));
            self.sizes(report, matches!(finding.how, How::Solver { .. }));
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
        let switches = counted(finding.context_switches as u64, "context switch");
        self.note(&format!("{switches}{before}{replayed}"));
        self.attempts(report);
    }

    fn sizes(&mut self, report: &TraceReport, with_solver: bool) {
        let stats = &report.stats;
        let mut text = format!(
            "searched: {}, {}, {} to shared variables",
            counted(stats.threads as u64, "thread"),
            counted(stats.events as u64, "event"),
            counted(stats.shared_accesses as u64, "access")
        );
        if let Some(solver) = stats.solver.as_ref().filter(|_| with_solver) {
            text.push_str(&format!(
                "; {}, {}, {}",
                counted(solver.variables, "variable"),
                counted(solver.clauses, "clause"),
                counted(solver.conflicts, "conflict")
            ));
        }
        self.note(&text);
    }

    fn attempts(&mut self, report: &TraceReport) {
        if !self.options.verbose {
            return;
        }
        for attempt in &report.bounds.attempts {
            self.note(&attempted(attempt));
        }
    }

    fn nothing_found(&mut self, report: &TraceReport) {
        let headline = match report.verdict {
            Verdict::Inconclusive => {
                paint(self.palette.warning, format!("inconclusive: no failure found in {}", report.traces))
            }
            _ => paint(self.palette.good, format!("no order of these paths fails: {}", report.traces)),
        };
        self.line(headline);
        if self.options.quiet {
            return;
        }
        let bounds = &report.bounds;
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
        self.sizes(report, true);
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
        self.attempts(report);
        if report.verdict == Verdict::NoneFound {
            let stored = bounds.paths;
            let text = "and for variables that begin as 0; other paths may fail";
            self.note(&format!("it holds for these paths ({stored} are stored) {text}"));
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
    /// Of writes that were lost in a row, the last one's stands for all since the thread's turn began, or since the row
    /// of another one.
    fn new(finding: &TraceFinding, turn: usize, position: usize, verbose: bool) -> Row {
        let event = &finding.events[position];
        let (verb, mut what) = match position == finding.failed {
            true => ("fails", finding.condition.clone()),
            false => deed(event),
        };
        if !verbose && finding.lost.binary_search(&position).is_ok() {
            let alike = |other: &&TraceEvent| other.thread == event.thread && other.object == event.object;
            let lost = finding.lost.iter().filter(|&&lost| (turn..position).contains(&lost));
            let others: Vec<&TraceEvent> = lost.map(|&lost| &finding.events[lost]).filter(alike).collect();
            if let Some(earliest) = others.first() {
                let values = match earliest.value == event.value {
                    true => event.value.clone(),
                    false => format!("{} … {}", earliest.value, event.value),
                };
                what = format!("{} = {values}  (× {})", event.object, others.len() + 1);
            }
        }
        Row {
            position,
            thread: format!("T{}", event.thread),
            verb: verb.to_owned(),
            what,
            place: event.at.as_ref().map_or(String::new(), short),
        }
    }
}

pub(super) fn deed(event: &TraceEvent) -> (&'static str, String) {
    let TraceEvent { object, value, .. } = event;
    let assigned = || if value.is_empty() { object.clone() } else { format!("{object} = {value}") };
    match event.kind {
        "blocked" => ("waits for", object.clone()),
        "free" => ("frees", object.clone()),
        "destroy" => ("destroys", object.clone()),
        "use" => ("uses", object.clone()),
        "read" => ("reads", assigned()),
        "write" => ("writes", assigned()),
        "rmw" => ("updates", assigned()),
        "lock" => ("locks", object.clone()),
        "unlock" => ("unlocks", object.clone()),
        "wait" => ("waits for", object.clone()),
        "wake" => ("wakes up", object.clone()),
        "signal" | "broadcast" => {
            let verb = if event.kind == "signal" { "signals" } else { "broadcasts" };
            (verb, if value.is_empty() { object.clone() } else { format!("{object}, wakes {value}") })
        }
        "try-lock" => ("tries", if value == "false" { format!("{object}, in vain") } else { object.clone() }),
        "write-lock" => ("write-locks", object.clone()),
        "read-lock" => ("read-locks", object.clone()),
        "rw-unlock" => ("unlocks", object.clone()),
        "sem-wait" => ("takes", object.clone()),
        "sem-post" => ("posts", object.clone()),
        "barrier-arrive" => ("arrives at", object.clone()),
        "barrier-leave" => ("leaves", object.clone()),
        "fork" => ("starts", format!("T{object}")),
        "join" => ("joins", format!("T{object}")),
        "start" => ("begins", String::new()),
        "exit" => ("ends", String::new()),
        "branch" => ("finds", value.clone()),
        "assert" => ("asserts", value.clone()),
        other => (other, [object.as_str(), value].join(" ").trim().to_owned()),
    }
}

/// One line about an event, for a schedule's notes: `Bank.java:34 writes total = 320`.
pub fn in_words(event: &TraceEvent) -> String {
    let (verb, what) = deed(event);
    let place = event.at.as_ref().map_or(String::new(), short);
    format!("{place} {verb} {what}").trim().to_owned()
}

/// Who failed, and with which values.
fn reads(finding: &TraceFinding) -> String {
    const SHOWN: usize = 6;
    let mut values: Vec<String> = Vec::new();
    for (name, value) in &finding.values {
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
    let place = finding.at.as_ref().map_or(String::new(), |place| format!("{}:{}, ", place.file, place.line));
    let with = if values.is_empty() { String::new() } else { format!(", with {}", values.join(", ")) };
    format!("{place}thread T{}{with}", finding.thread)
}

fn found(report: &TraceReport, finding: &TraceFinding) -> String {
    let seconds = &report.stats.seconds;
    match &finding.how {
        How::Simulation { orders, seed } => {
            let tried = counted(*orders, "order");
            format!("found by simulation, {tried} tried (seed {seed}), in {}", in_seconds(seconds.total))
        }
        How::Solver { mode } => {
            let (encode, solve, total) =
                (in_seconds(seconds.encode), in_seconds(seconds.solve), in_seconds(seconds.total));
            format!("found by the solver (mode {mode}) in {total}: encoding {encode}, solving {solve}")
        }
        How::Replay => String::new(),
    }
}

fn attempted(attempt: &Attempt) -> String {
    let subject = subject(&attempt.subject, attempt.extent);
    let how = match attempt.simulated {
        Some(orders) => format!("simulation, {}", counted(orders, "order")),
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

pub(crate) fn counted(number: u64, what: &str) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    match (number, what) {
        (1, _) => format!("1{GLUE}{what}"),
        (_, "context switch" | "access") => format!("{text}{GLUE}{what}es"),
        _ => format!("{text}{GLUE}{what}s"),
    }
}

fn listed(names: &[String]) -> String {
    const SHOWN: usize = 4;
    let mut text: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    if names.len() > SHOWN {
        text.push("…".to_owned());
    }
    text.join(", ")
}

pub(super) fn short(place: &Place) -> String {
    let name = place.file.rsplit('/').next().unwrap_or(&place.file);
    format!("{name}:{}", place.line)
}

pub(super) fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain("…".chars()).collect()
}

/// Lines of whole words.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_kept_whole() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("incomprehensible x", 4), ["incomprehensible", "x"]);
        assert_eq!(cut("total = 320", 7), "total …");
    }

    #[test]
    fn large_numbers_are_grouped() {
        assert_eq!(counted(1, "access"), "1\u{a0}access");
        assert_eq!(counted(999, "access"), "999\u{a0}accesses");
        assert_eq!(counted(1_234_567, "clause"), "1,234,567\u{a0}clauses");
    }
}
