//! The way of the data, top to bottom: sources become a program, a search finds an execution that fails, its schedule is
//! written as text, read back and replayed, and what the replay shows becomes the report.

use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context;
use report::{Finding, Input, Manner, Place, Report, TextOptions, Unsupported, Where};
use run::{Header, Schedule};
use vm::{Execution, Failure, Outcome};

use crate::args::{Format, General};
use crate::exit::{ExitStatus, Problem};
use crate::files::{self, Limit};
use crate::properties::Properties;
use crate::schedule_file;
use crate::search::Candidate;
use crate::supervise;
use crate::terminal;

/// Everything that the program can see of its surroundings, and what counts as a failure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// What the program is told it was called as.
    pub name: String,
    pub arguments: Vec<Vec<u8>>,
    pub stdin: Vec<u8>,
    pub variables: Vec<(String, String)>,
    pub steps: Option<u64>,
    pub reuse: bool,
    pub spurious: bool,
    pub properties: Properties,
}

impl Settings {
    /// Options are made where they are used: they hold a function and do not travel between threads.
    pub fn options(&self, events: bool) -> vm::Options {
        let defaults = vm::Options::default();
        vm::Options {
            arguments: [self.name.clone().into_bytes()].into_iter().chain(self.arguments.iter().cloned()).collect(),
            stdin: self.stdin.clone(),
            variables: self.variables.clone(),
            files: Rc::new(read_program_file),
            step_limit: self.steps.unwrap_or(defaults.step_limit),
            reuse: self.reuse,
            spurious: self.spurious,
            properties: self.properties.kinds().to_vec(),
            events,
            ..defaults
        }
    }

    fn inputs(&self) -> Vec<Input> {
        let arguments = self.arguments.iter().map(|argument| Input::Argument(argument.clone()));
        let variables =
            self.variables.iter().map(|(name, value)| Input::Variable { name: name.clone(), value: value.clone() });
        let stdin = (!self.stdin.is_empty()).then(|| Input::Stdin(self.stdin.clone()));
        arguments.chain(variables).chain(stdin).collect()
    }
}

/// Devices have no end and no memory, so a program may only open plain files.
fn read_program_file(path: &str) -> Option<Vec<u8>> {
    let metadata = fs::metadata(path).ok()?;
    if metadata.is_file() { fs::read(path).ok() } else { None }
}

/// A program with what belongs to it.
pub struct Loaded {
    pub sources: Vec<String>,
    pub flags: Vec<String>,
    /// Shared with the threads that search. Code is not: each makes its own.
    pub program: Arc<ir::Program>,
    pub code: Rc<vm::Code>,
    pub fingerprint: String,
    /// What stands in the program and would end an analysis that reaches it.
    pub unsupported: Vec<Unsupported>,
    /// Seconds that it took.
    pub seconds: f64,
}

impl Loaded {
    /// What the user calls it.
    pub fn title(&self) -> String {
        self.sources.join(" ")
    }

    /// All files with code in the program, headers too, as debug information names them.
    pub fn files(&self) -> Vec<PathBuf> {
        self.program.files.iter().map(PathBuf::from).collect()
    }
}

/// Sources and flags to a program that can run.
pub fn load(general: &General, files: &[PathBuf], flags: &[String]) -> anyhow::Result<Loaded> {
    let started = Instant::now();
    supervise::stage("compiling and loading the program");
    for file in files {
        check_readable(file)?;
    }
    let inputs =
        frontend_llvm::Inputs { files: files.to_vec(), flags: flags.to_vec(), color: terminal::colors_stderr(general) };
    let frontend_llvm::Loaded { program, warnings, unsupported } =
        frontend_llvm::load(&inputs).map_err(explain_frontend_error)?;
    if !general.quiet {
        terminal::say(&warnings);
    }
    Ok(Loaded {
        sources: files.iter().map(|file| file.display().to_string()).collect(),
        flags: flags.to_vec(),
        unsupported: unsupported
            .iter()
            .map(|place| not_reached(&program, place))
            .chain(calls_of_unknown_functions(&program))
            .collect(),
        code: Rc::new(vm::Code::new(&program)),
        fingerprint: ir::fingerprint(&program),
        program: Arc::new(program),
        seconds: started.elapsed().as_secs_f64(),
    })
}

fn not_reached(program: &ir::Program, place: &frontend_llvm::Unsupported) -> Unsupported {
    Unsupported {
        what: place.what.clone(),
        at: Place::of_span(program, place.span),
        function: (!place.function.is_empty()).then(|| place.function.clone()),
        reached: false,
        elsewhere: Vec::new(),
    }
}

/// What was reached, with the other places in the user's code that do the same.
pub fn with_other_places(loaded: &Loaded, mut reached: Unsupported) -> Unsupported {
    let alike = |place: &&Unsupported| place.what == reached.what && place.at != reached.at;
    let mut places: Vec<Place> = loaded.unsupported.iter().filter(alike).filter_map(|place| place.at.clone()).collect();
    places.sort();
    places.dedup();
    reached.elsewhere = places;
    reached
}

/// Calls in the user's code of functions that neither the program nor the models define.
fn calls_of_unknown_functions(program: &ir::Program) -> Vec<Unsupported> {
    let mut calls = Vec::new();
    for function in program.functions.iter().filter(|function| function.origin == ir::Origin::User) {
        let calls_of = |block: &ir::Block| {
            let mut found: Vec<(ir::FunctionId, ir::SpanId)> = Vec::new();
            for instr in &block.instrs {
                if let ir::Op::Call { callee: ir::Callee::Direct(callee), .. } = instr.op {
                    found.push((callee, instr.span));
                }
            }
            if let ir::TerminatorKind::Invoke { callee: ir::Callee::Direct(callee), .. } = block.terminator.kind {
                found.push((callee, block.terminator.span));
            }
            found
        };
        for (callee, span) in function.blocks.iter().flat_map(calls_of) {
            let Some(callee) = program.functions.get(callee.index()).filter(|callee| !callee.is_defined()) else {
                continue;
            };
            calls.push(Unsupported {
                what: vm::undefined_function(&callee.display),
                at: Place::of_span(program, span),
                function: Some(function.display.clone()),
                reached: false,
                elsewhere: Vec::new(),
            });
        }
    }
    calls
}

fn explain_frontend_error(error: frontend_llvm::Error) -> anyhow::Error {
    use frontend_llvm::Error;
    let help = match &error {
        Error::NoCompiler { .. } => "`heddle doctor` says how to install it",
        Error::Compile { .. } => "compiler flags such as -Iinclude or -DNAME=VALUE can be given with the sources",
        Error::BadModule { .. } => "make it again: clang -g -O0 -emit-llvm -c FILE.c -o FILE.bc",
        Error::NotRecordable { .. } => "build it again: CC=\"heddle cc\" make, or heddle cc FILES -o PROGRAM",
        Error::NoMain => "name all source files of the program",
        Error::UnknownKind { .. } => {
            "what heddle can read: .c, .cpp, .bc, .ll, programs built with `heddle cc`; the program's own arguments follow --"
        }
        Error::Internal(message) => return Problem::bug(message.clone()),
        _ => "",
    };
    Problem::error(error.to_string().trim_end(), help)
}

fn check_readable(file: &Path) -> anyhow::Result<()> {
    let metadata = fs::metadata(file).map_err(|error| {
        Problem::error(
            format!("cannot read {}: {error}", file.display()),
            "PROGRAM is one or more C files, .bc or .ll files; the program's own arguments follow --",
        )
    })?;
    if metadata.is_dir() {
        return Err(Problem::error(
            format!("{} is a folder", file.display()),
            "name the program's C files, or a bitcode file",
        ));
    }
    Ok(())
}

/// The schedule of a failing order, with everything that is needed to build the same run again.
pub fn schedule_of(loaded: &Loaded, settings: &Settings, candidate: &Candidate) -> Schedule {
    Schedule {
        header: Header {
            sources: loaded.sources.clone(),
            flags: frontend_llvm::compile::meaningful_flags(&loaded.flags),
            arguments: schedule_file::arguments(settings).unwrap_or_default(),
            options: schedule_file::options(settings, &contents(&loaded.program)),
            fingerprint: loaded.fingerprint.clone(),
            outcome: failure_outcome(&loaded.program, &candidate.failure),
        },
        segments: candidate.segments.clone(),
        choices: candidate.choices.clone(),
    }
}

/// Fingerprints of the files that the program was made of, but for those of the system.
fn contents(program: &ir::Program) -> Vec<(String, String)> {
    let of_user = program.files.iter().filter(|file| !file.starts_with("/usr/"));
    of_user.filter_map(|file| Some((file.clone(), fingerprint_of_bytes(&read_source(file)?)))).collect()
}

/// A file that debug information names: it may name anything.
fn read_source(file: &str) -> Option<Vec<u8>> {
    files::read_named(Path::new(file), Limit::Source).ok()
}

/// FNV-1a with 64 bits: enough to notice that a file was edited.
pub fn fingerprint_of_bytes(bytes: &[u8]) -> String {
    let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", bytes.iter().fold(0xcbf2_9ce4_8422_2325, mix))
}

/// How an execution ended, in a line that can be compared: `assertion bank.c:61 thread 0`.
pub fn outcome(program: &ir::Program, outcome: &Outcome) -> String {
    match outcome {
        Outcome::Passed { .. } => "passes".to_owned(),
        Outcome::Failed(failure) => failure_outcome(program, failure),
        Outcome::Unasked(failure) => format!("not asked for: {}", failure_outcome(program, failure)),
        Outcome::Unsupported { what, .. } => format!("unsupported: {what}"),
        Outcome::StepLimit { steps } => format!("still running after {steps} steps"),
        Outcome::Excluded { .. } => "excluded by an assumption".to_owned(),
    }
}

fn failure_outcome(program: &ir::Program, failure: &Failure) -> String {
    let at = Where::new(program, &failure.site);
    let place = at.place().map_or("?".to_owned(), |place| format!("{}:{}", place.file_name(), place.line));
    format!("{} {place} thread {}", failure.kind.name(), failure.site.thread)
}

/// Replays a schedule that was just found, with events this time. What is not repeated exactly is not shown.
pub fn confirm(loaded: &Loaded, settings: &Settings, schedule: &Schedule, seen: &Failure) -> anyhow::Result<Execution> {
    let execution = vm::replay(&loaded.code, &settings.options(true), schedule)
        .map_err(|divergence| Problem::bug(format!("the schedule that was just found does not fit: {divergence}")))?;
    match &execution.outcome {
        Outcome::Failed(again) if again.is_same(seen) => Ok(execution),
        other => Err(Problem::bug(format!(
            "a failing run was replayed and ended differently: first `{}`, then `{}`",
            failure_outcome(&loaded.program, seen),
            outcome(&loaded.program, other)
        ))),
    }
}

/// The schedule's text, in which every segment says what it ends with. Read back, it is the schedule that was replayed.
pub fn text_of(loaded: &Loaded, mut schedule: Schedule, replayed: &Execution) -> anyhow::Result<String> {
    let mut events = replayed.events.iter().enumerate().peekable();
    for segment in &mut schedule.segments {
        let of_segment = |event: &vm::Event| event.thread == segment.thread && event.step <= segment.until;
        let mut last = None;
        while let Some(event) = events.next_if(|(_, event)| of_segment(event)) {
            last = Some(event);
        }
        if let Some((id, event)) = last {
            segment.note = report::in_words(&report::Event::new(&loaded.program, id, event), Manner::Machine);
        }
    }
    let text = schedule.to_string();
    match run::parse_schedule(&text) {
        Ok(again) if again == schedule => Ok(text),
        Ok(_) => Err(Problem::bug("the schedule that was just written reads differently")),
        Err(error) => Err(Problem::bug(format!("the schedule that was just written cannot be read: {error}"))),
    }
}

/// The finding of a replayed execution, with the program's inputs.
pub fn finding(loaded: &Loaded, settings: &Settings, execution: &Execution) -> Option<Finding> {
    let mut finding = Finding::new(&loaded.program, execution)?;
    let mut inputs = settings.inputs();
    inputs.append(&mut finding.inputs);
    finding.inputs = inputs;
    Some(finding)
}

/// The command that replays a schedule, for copying into a shell.
pub fn replay_command(schedule: &Path) -> String {
    let file = schedule.display().to_string();
    let quoted = shlex::try_quote(&file).map_or(file.clone(), |quoted| quoted.into_owned());
    format!("heddle replay {quoted}")
}

/// The report goes where the user wants it.
pub fn deliver(general: &General, report: &Report) -> anyhow::Result<()> {
    terminal::answer(ExitStatus::of_verdict(report.verdict), general.output.as_deref(), &rendered(general, report))?;
    if report.finding.as_ref().is_some_and(|finding| finding.condition == vm::UNREACHABLE) {
        let what = "the end of a C++ function that should return a value and does not is such code";
        terminal::note(general, &format!("{what}; with -fno-strict-return the run goes on there, as it may natively"));
    }
    Ok(())
}

/// Lets the report stand as the answer, should the work be cut before there is a better one.
pub fn let_stand(general: &General, report: &Report) {
    supervise::standing(ExitStatus::of_verdict(report.verdict), general.output.as_deref(), |stopped| {
        rendered(general, &report.stopped_by(stopped))
    });
}

fn rendered(general: &General, report: &Report) -> String {
    let color = terminal::colors_result(general);
    let options = TextOptions { verbose: general.verbose, quiet: general.quiet, color, source_line: &source_line };
    let text = || report::text::render(report, &options);
    match general.format {
        Format::Json => report::json::render(report),
        Format::Dot => report::dot::render(report).unwrap_or_else(text),
        Format::Text => text(),
    }
}

fn source_line(file: &str, line: u32) -> Option<String> {
    let bytes = read_source(file)?;
    let line = bytes.split(|byte| *byte == b'\n').nth(line.checked_sub(1)? as usize)?;
    Some(String::from_utf8_lossy(line).into_owned())
}

/// `function` at `file:line`, as far as they are known.
pub fn in_words(function: Option<&str>, place: Option<&Place>) -> String {
    let function = function.map_or(String::new(), |function| format!(" in {function}"));
    let place = place.map_or(String::new(), |place| format!(" at {}:{}", place.file, place.line));
    format!("{function}{place}")
}

/// The schedule in a file, as text and as a value.
pub fn read_schedule(file: &Path) -> anyhow::Result<(String, Schedule)> {
    let bytes = files::read_given(file, Limit::Schedule).with_context(|| format!("cannot read {}", file.display()))?;
    let help = "a schedule is the text file that `heddle run` writes when it has found a failure";
    let text = String::from_utf8(bytes)
        .map_err(|_| Problem::error(format!("{} is not a schedule: it is not text", file.display()), help))?;
    let schedule = run::parse_schedule(&text)
        .map_err(|error| Problem::error(format!("{}:{}: {}", file.display(), error.line, error.message), help))?;
    Ok((text, schedule))
}
