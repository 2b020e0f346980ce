//! The two programs of the MaxSMT paper: one that no swap of a single pair repairs, and one whose failing and passing
//! paths differ.

use diagnose::{
    Escape, Found, Method, Nearest, Paths, Replayed, Run, Traces, Twins, Wishes, Wrong, diagnose, distance, nearest,
    passing,
};
use events::{Address, Builder, EventGraph, EventId, Execution, Extent, ObjectId, Step, ThreadId, replay, zero_inputs};
use run::ThreadName;
use solve::Budget;

struct Program {
    builder: Builder,
    variables: Vec<(&'static str, ObjectId)>,
}

impl Program {
    fn new(threads: usize, variables: &[(&'static str, u128)]) -> Program {
        let mut builder = Builder::new();
        let mut name = ThreadName::main();
        for number in 0..threads {
            builder.thread(name);
            name = ThreadName::main().child(number as u32 + 1);
        }
        let mut objects = Vec::new();
        for &(name, value) in variables {
            let object = builder.object(name, 1);
            let value = builder.constant(1, value);
            builder.initial(object, 0, value);
            objects.push((name, object));
        }
        Program { builder, variables: objects }
    }

    fn address(&mut self, name: &str) -> Address {
        let found = self.variables.iter().find(|(other, _)| *other == name).expect("a variable");
        self.builder.address(found.1, 0)
    }

    fn read(&mut self, thread: u32, name: &str) -> formula::Term {
        let address = self.address(name);
        self.builder.read(ThreadId(thread), address, 1)
    }

    /// `name = name + value`, where the value is a variable or a constant; a line is one operation in the paper.
    fn add(&mut self, thread: u32, name: &str, value: Result<&str, u128>) {
        let value = match value {
            Ok(other) => self.read(thread, other),
            Err(constant) => self.builder.constant(1, constant),
        };
        let address = self.address(name);
        self.builder.rmw(ThreadId(thread), address, 1, |terms, old| terms.add(old, value));
    }

    fn set(&mut self, thread: u32, name: &str, value: u128) {
        let (address, value) = (self.address(name), self.builder.constant(1, value));
        self.builder.write(ThreadId(thread), address, value);
    }

    /// A condition that the value read is zero or not.
    fn branch(&mut self, thread: u32, name: &str, is_zero: bool, asserted: bool) -> EventId {
        let (value, zero) = (self.read(thread, name), self.builder.constant(1, 0));
        let same = self.builder.terms().eq(value, zero);
        let condition = if is_zero { same } else { self.builder.terms().not(same) };
        match asserted {
            true => self.builder.assert(ThreadId(thread), condition),
            false => self.builder.assume(ThreadId(thread), condition),
        }
    }
}

/// Events of threads in turns, each with a number of events.
fn in_turns(graph: &EventGraph, turns: &[(usize, usize)]) -> Replayed {
    let mut next = vec![0; graph.threads.len()];
    let mut steps = Vec::new();
    for &(thread, count) in turns {
        for _ in 0..count.min(graph.threads[thread].events.len() - next[thread]) {
            steps.push(Step::from(graph.threads[thread].events[next[thread]]));
            next[thread] += 1;
        }
    }
    let execution = Execution { steps, inputs: zero_inputs(graph) };
    let outcome = replay(graph, &execution, Extent::Whole).expect("an execution");
    assert_eq!(outcome.failed.len(), 1);
    Replayed { execution, outcome }
}

/// All remaining events.
const ALL: usize = usize::MAX;

fn ask(graph: &EventGraph, failing: &Replayed, paths: Paths<'_>, method: Method) -> Nearest {
    match nearest(graph, failing, paths, method, &Budget::default()) {
        Ok(Found::Nearest(nearest)) => *nearest,
        other => panic!("{}: {other:?}", method.name()),
    }
}

/// Figure 1, with the schedule ⟨T4, T5, T2, T3⟩.
#[test]
fn two_data_races_at_once() {
    let mut program = Program::new(5, &[("x", 0), ("y", 1), ("z", 255)]);
    for child in 1..5 {
        program.builder.fork(ThreadId(0), ThreadId(child));
    }
    for child in 1..5 {
        program.builder.join(ThreadId(0), ThreadId(child));
    }
    program.branch(0, "x", true, true);
    program.add(1, "x", Ok("y"));
    program.add(2, "x", Ok("z"));
    program.add(3, "y", Err(1));
    program.add(4, "z", Err(1));
    let graph = program.builder.finish();
    let failing = in_turns(&graph, &[(0, 5), (3, ALL), (4, ALL), (1, ALL), (2, ALL), (0, ALL)]);
    let wrong = Wrong::of(&failing.outcome).expect("it fails");
    let free = passing(&graph, &failing, &wrong, &Budget::default());
    let twins = Twins::same(&graph);
    let paths = Paths { graph: &free.graph, synthetic: &free.unlocks, twins: &twins };
    for method in [Method::Optimal, Method::Lexicographic, Method::Progressive] {
        let found = ask(&graph, &failing, paths, method);
        assert_eq!(found.distance.data_flows, 2, "{}", method.name());
        assert!(found.optimal || method == Method::Progressive, "{}", method.name());
    }
    let budget = Budget::default();
    let wishes = Wishes {
        alternate: Some(Method::Lexicographic),
        all: false,
        fixed_inputs: true,
        long: diagnose::Long::default(),
        budget,
    };
    let diagnosis = diagnose(&Traces(&graph), &failing, &wishes).expect("a diagnosis");
    assert_eq!(diagnosis.escape, Escape::Possible);
    assert_eq!(diagnosis.alternates[0].0.optimal, Some(true));
}

/// The paths of Figure 3, or those of Figures 4 and 5.
fn figure_2(fails: bool) -> EventGraph {
    let mut program = Program::new(3, &[("x", 0), ("y", 0), ("w", 0), ("z", 0)]);
    program.builder.fork(ThreadId(0), ThreadId(1));
    program.builder.fork(ThreadId(0), ThreadId(2));
    program.branch(0, "z", false, false);
    program.add(0, "w", Err(1));
    program.set(0, "x", 1);
    program.set(0, "y", 1);
    program.branch(0, "y", fails, false);
    if fails {
        program.add(0, "x", Err(255));
    }
    program.branch(0, "x", false, true);
    program.set(1, "z", 1);
    program.add(1, "x", Err(1));
    program.add(1, "y", Err(1));
    program.branch(2, "w", !fails, false);
    if fails {
        program.set(2, "y", 0);
    }
    program.builder.finish()
}

#[test]
fn other_paths_pass() {
    let graph = figure_2(true);
    // Up to the branch on `y`, whose read comes after the third thread.
    let failing = in_turns(&graph, &[(0, 3), (1, ALL), (0, 5), (2, ALL), (0, ALL)]);
    let wrong = Wrong::of(&failing.outcome).expect("it fails");
    let free = passing(&graph, &failing, &wrong, &Budget::default());
    let twins = Twins::same(&graph);
    let own = Paths { graph: &free.graph, synthetic: &free.unlocks, twins: &twins };
    // On its own paths it passes only if the second thread's update of `x` comes last.
    let on_own = ask(&graph, &failing, own, Method::Lexicographic);
    assert!(on_own.optimal && on_own.distance.data_flows > 0);
    let other = figure_2(false);
    let twins = Twins::by_name(&graph, &failing.execution, &other);
    let paths = Paths { graph: &other, synthetic: &[], twins: &twins };
    for method in [Method::Optimal, Method::Lexicographic, Method::Progressive] {
        let found = ask(&graph, &failing, paths, method);
        // The third thread has no read of `w`; items with missing events do not count.
        assert_eq!(found.distance.data_flows, 1, "{}", method.name());
        // As in Figure 5, no event comes between the second thread's operations.
        assert_eq!(found.distance.broken_segments, u64::from(method == Method::Optimal), "{}", method.name());
        let replayed = Replayed { execution: found.execution, outcome: found.outcome };
        let run = Run { graph: &graph, replayed: &failing, synthetic: &[] };
        let nearest = Run { graph: &other, replayed: &replayed, synthetic: &[] };
        assert_eq!(distance(run, nearest, &twins), found.distance);
    }
}
