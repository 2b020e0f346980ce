//! The number of flips is minimal: on small generated programs, all schedules are explored, the decisions of each
//! failing one are compared with those of one passing run, and the fewest differences are as many as the prediction's
//! flips. If no schedule fails, there is no prediction.
//!
//! A flip counts from the next visible step of its thread on, so the condition of the failing assertion is none.
//!
//! `HEDDLE_CASES` is the number of programs, `HEDDLE_FIRST_SEED` the first seed.

#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::rc::Rc;

use frontend_llvm::{Inputs, load};
use generate::random::Random as Chance;
use predict::{Limits, Region};
use run::{Decisions, RecordedRun, Schedule, ThreadName};
use solve::Budget;
use symex::bounded::{Bounds, perform};
use vm::strategy::{Strategy, View};
use vm::{Code, Execution, FailureKind, Options, Outcome, execute};

const CASES: u64 = 30;

/// The nesting depth of conditions.
const DEPTH: u32 = 2;

/// More schedules than this are not enumerated.
const MOST_SCHEDULES: u64 = 1_500;

/// The last one only affects the assertion; it is written after decisions.
const VARIABLES: [&str; 4] = ["x", "y", "z", "w"];
const ASSERTED: usize = 3;

/// A statement of a thread.
enum Statement {
    Set(usize, usize),
    Add(usize, usize),
    /// `if (variable OP constant)`.
    If {
        id: u32,
        variable: usize,
        above: bool,
        constant: usize,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
    },
    Twice {
        body: Vec<Statement>,
    },
}

struct Generator {
    chance: Chance,
    ids: u32,
}

impl Generator {
    fn statements(&mut self, depth: u32, most: usize) -> Vec<Statement> {
        let count = 1 + self.chance.below(most);
        (0..count).map(|_| self.statement(depth)).collect()
    }

    fn statement(&mut self, depth: u32) -> Statement {
        let (variable, constant) = (self.chance.below(3), self.chance.below(3));
        match self.chance.below(if depth == 0 { 5 } else { 8 }) {
            0 => Statement::Set(variable, constant),
            1 | 2 if depth < DEPTH => Statement::Add(ASSERTED, 1 + self.chance.below(2)),
            1 | 2 => Statement::Add(variable, 1),
            3 | 4 if depth == 0 => Statement::Add(variable, 1),
            3..=6 => {
                self.ids += 1;
                let id = self.ids;
                let above = self.chance.below(2) == 0;
                let then = self.statements(depth - 1, 2);
                let otherwise = if self.chance.below(2) == 0 { self.statements(depth - 1, 1) } else { Vec::new() };
                Statement::If { id, variable, above, constant, then, otherwise }
            }
            _ => Statement::Twice { body: self.statements(depth - 1, 1) },
        }
    }
}

/// The bodies of the two threads.
fn generate(seed: u64) -> [Vec<Statement>; 2] {
    let mut generator = Generator { chance: Chance::new(seed), ids: 0 };
    [(); 2].map(|()| generator.statements(DEPTH, 3))
}

fn print(text: &mut String, statements: &[Statement], loops: u32) {
    for statement in statements {
        let _ = match statement {
            Statement::Set(variable, value) => writeln!(text, "{} = {value};", VARIABLES[*variable]),
            Statement::Add(variable, value) => {
                writeln!(text, "{0} = {0} + {value};", VARIABLES[*variable])
            }
            Statement::If { variable, above, constant, then, otherwise, .. } => {
                let operator = if *above { ">" } else { "==" };
                let _ = writeln!(text, "if ({} {operator} {constant}) {{", VARIABLES[*variable]);
                print(text, then, loops);
                text.push_str("} else {\n");
                print(text, otherwise, loops);
                writeln!(text, "}}")
            }
            Statement::Twice { body } => {
                let _ = writeln!(text, "for (int i{loops} = 0; i{loops} < 2; i{loops}++) {{");
                print(text, body, loops + 1);
                writeln!(text, "}}")
            }
        };
    }
}

/// With the last statement of main.
fn source(bodies: &[Vec<Statement>], last: &str) -> String {
    let mut text = String::from("#include <assert.h>\n#include <pthread.h>\nint x, y, z, w;\n");
    for (number, body) in bodies.iter().enumerate() {
        let _ = writeln!(text, "static void *t{number}(void *a) {{");
        print(&mut text, body, 0);
        text.push_str("return a;\n}\n");
    }
    text.push_str("int main(void) {\npthread_t a, b;\npthread_create(&a, 0, t0, 0);\npthread_create(&b, 0, t1, 0);\n");
    let _ = writeln!(text, "pthread_join(a, 0);\npthread_join(b, 0);\n{last}\n}}");
    text
}

/// The name of a decision: its thread, its place, and the rounds of the loops around it.
type Name = (usize, u32, Vec<u32>);

/// The decisions of a thread with the sides that it took. `None` where the record ends.
fn decode(
    statements: &[Statement],
    thread: usize,
    rounds: &mut Vec<u32>,
    decisions: &mut Decisions<'_>,
    taken: &mut BTreeMap<Name, bool>,
) -> Option<()> {
    for statement in statements {
        match statement {
            Statement::Set(..) | Statement::Add(..) => {}
            Statement::If { id, then, otherwise, .. } => {
                let side = decisions.branch()?;
                taken.insert((thread, *id, rounds.clone()), side);
                decode(if side { then } else { otherwise }, thread, rounds, decisions, taken)?;
            }
            Statement::Twice { body } => {
                // The machine records the condition of the loop, too.
                for round in 0..2 {
                    assert!(decisions.branch()?, "a round begins");
                    rounds.push(round);
                    let done = decode(body, thread, rounds, decisions, taken);
                    rounds.pop();
                    done?;
                }
                assert!(!decisions.branch()?, "the loop ends");
            }
        }
    }
    Some(())
}

fn decided(bodies: &[Vec<Statement>], run: &RecordedRun) -> BTreeMap<Name, bool> {
    let mut taken = BTreeMap::new();
    for (thread, body) in bodies.iter().enumerate() {
        if let Some(record) = run.thread(&ThreadName::main().child(thread as u32 + 1)) {
            let mut decisions = record.decisions();
            let is_whole = decode(body, thread, &mut Vec::new(), &mut decisions, &mut taken).is_some();
            assert!(is_whole && decisions.is_at_end(), "the record is that of the statements");
        }
    }
    taken
}

/// Follows a list of choices, then takes the first thread that is ready.
#[derive(Default)]
struct Script {
    choices: Vec<(usize, usize)>,
    at: usize,
}

impl Script {
    /// The next list of choices in the order of all of them; whether there is one.
    fn advance(&mut self) -> bool {
        self.at = 0;
        while let Some((taken, count)) = self.choices.pop() {
            if taken + 1 < count {
                self.choices.push((taken + 1, count));
                return true;
            }
        }
        false
    }
}

impl Strategy for Script {
    /// Main creates, joins and reads the result: the order of its steps makes no difference.
    fn pick(&mut self, view: &View<'_>) -> usize {
        if view.ready.contains(&0) {
            return 0;
        }
        if self.at == self.choices.len() {
            self.choices.push((0, view.ready.len()));
        }
        let (choice, _) = self.choices[self.at];
        self.at += 1;
        view.ready[choice]
    }

    fn alternative(&mut self, _: u64) -> u64 {
        0
    }

    fn input(&mut self, _: u32) -> u64 {
        0
    }
}

/// The outcomes of all schedules of a program: for each final value, the decisions that lead to it.
type Judged = BTreeMap<i32, Vec<BTreeMap<Name, bool>>>;

fn judge(bodies: &[Vec<Statement>], code: &Rc<Code>, options: &Options) -> Option<Judged> {
    let mut judged = Judged::new();
    let mut script = Script::default();
    for _ in 0..MOST_SCHEDULES {
        let execution = execute(code, options, &mut script);
        let (Outcome::Passed { status }, Some(recorded)) = (&execution.outcome, &execution.recorded) else {
            return None;
        };
        let (decided, ways) = (decided(bodies, recorded), judged.entry(*status).or_default());
        if !ways.contains(&decided) {
            ways.push(decided);
        }
        if !script.advance() {
            return Some(judged);
        }
    }
    None
}

fn compiled(text: &str, file: std::path::PathBuf) -> Result<Rc<Code>, String> {
    std::fs::write(&file, text).map_err(|error| error.to_string())?;
    let inputs = Inputs { files: vec![file], flags: vec!["-w".into(), "-pthread".into()], ..Inputs::default() };
    let loaded = load(&inputs).map_err(|error| error.to_string())?;
    Ok(Rc::new(Code::new(&loaded.program)))
}

/// `None` for a program that is too large or always leaves the same; otherwise the flips.
fn check(seed: u64, folder: &std::path::Path) -> Result<Option<Option<usize>>, String> {
    let bodies = generate(seed);
    let code = compiled(&source(&bodies, "return w;"), folder.join(format!("values-{seed}.c")))?;
    let options = Options { record: true, properties: vec![FailureKind::Assertion], ..Options::default() };
    let Some(judged) = judge(&bodies, &code, &options) else { return Ok(None) };
    // The run without preemptions passes; another value, or none that is ever left, is the wrong one.
    let base = execute(&code, &options, &mut Script::default());
    let Outcome::Passed { status: right } = base.outcome else { return Ok(None) };
    let others: Vec<i32> = judged.keys().copied().filter(|&value| value != right).collect();
    let wrong = match (seed.is_multiple_of(8), others.len()) {
        (true, _) => 99,
        (false, 0) => return Ok(None),
        (false, count) => others[seed as usize % count],
    };
    let last = format!("assert(w != {wrong});\nreturn 0;");
    let code = compiled(&source(&bodies, &last), folder.join(format!("flips-{seed}.c")))?;
    let passing = execute(&code, &options, &mut Script::default());
    let Execution { recorded: Some(recorded), segments, choices, .. } = passing else {
        return Err("nothing was recorded".to_owned());
    };
    let base = decided(&bodies, &recorded);
    let differs = |name: &Name, side: &bool| base.get(name).is_some_and(|recorded| recorded != side);
    let flips = |decided: &BTreeMap<Name, bool>| decided.iter().filter(|(name, side)| differs(name, side)).count();
    let expected = judged.get(&wrong).into_iter().flatten().map(flips).min();
    let region = Region {
        code: &code,
        options: &options,
        runs: std::slice::from_ref(&recorded),
        bounds: Bounds { unroll: 2, ..Bounds::default() },
        depths: &predict::DEPTHS,
        limits: Limits::default(),
        deadlocks: false,
        known: &[],
        budget: &Budget::default(),
    };
    let schedule = Schedule { header: run::Header::default(), segments, choices };
    let explored = region.explore(&mut |near, _| near.ordered(&code, &options, &schedule), &mut Vec::new);
    let explored = explored.map_err(|error| error.to_string())?;
    let found = explored.found.as_ref().map(|(_, predicted)| predicted.failing.flipped.len());
    if found != expected {
        return Err(format!("{found:?} flips instead of {expected:?} for {wrong}"));
    }
    if let Some((near, predicted)) = &explored.found {
        let replayed = &predicted.failing.replayed;
        let performed = perform(&code, &options, &near.unrolled, &replayed.execution, &replayed.outcome)
            .map_err(|divergence| divergence.to_string())?;
        if !matches!(performed.execution.outcome, Outcome::Failed(_)) {
            return Err(format!("the machine ends with {:?}", performed.execution.outcome));
        }
    }
    Ok(Some(expected))
}

#[test]
fn flips_are_as_few_as_all_schedules_allow() {
    let number = |name: &str, default| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    let (first, cases) = (number("HEDDLE_FIRST_SEED", 0), number("HEDDLE_CASES", CASES));
    let folder = tempfile::tempdir().expect("a folder");
    let (mut judged, mut seed, mut wrong) = (0, first, Vec::new());
    let mut by_flips: BTreeMap<Option<usize>, u64> = BTreeMap::new();
    while judged < cases {
        match check(seed, folder.path()) {
            Ok(None) => {}
            Ok(Some(flips)) => {
                judged += 1;
                *by_flips.entry(flips).or_default() += 1;
            }
            Err(why) => {
                judged += 1;
                wrong.push(format!("{}\nseed {seed}: {why}", source(&generate(seed), "")));
            }
        }
        seed += 1;
    }
    println!("{judged} generated programs, seeds {first} to {}: {by_flips:?}", seed - 1);
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}
