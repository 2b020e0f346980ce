//! Random small concurrent programs. Each has so few operations that every interleaving can be tried without any
//! reduction, so that ways of exploring can be compared: all must find the same outputs, failures and deadlocks.
//! Programs are drawn until one has few enough interleavings; the size that is asked for shrinks with each attempt.

mod interleavings;
mod shared;
mod duties;
mod body;
mod checks;

use crate::random::Random;
use crate::source::{Source, c};
use body::Body;
use duties::Duty;
use interleavings::Step;
use shared::{Shared, Style};

/// The most interleavings that a program may have.
const MOST_INTERLEAVINGS: u64 = 40_000;

const NAMES: [&str; 3] = ["first", "second", "third"];

const INCLUDES: &str = "\
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
";

/// A program and what bounds its exploration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Concurrent {
    pub source: String,
    /// How many threads it has, with the main thread.
    pub threads: usize,
    /// The most operations on shared objects that one execution performs, without creating and joining threads.
    pub operations: usize,
    /// A bound on the orders of these operations, creations and joins, where locks exclude each other.
    pub interleavings: u64,
}

/// The program of `seed`: GNU C17, linked with `-pthread`. It may deadlock, fail an assertion or misuse memory in some
/// interleavings or in all; it prints its final state in one line, and reads nothing uninitialised.
pub fn concurrent_c(seed: u64) -> Concurrent {
    let mut random = Random::new(seed);
    let workers = random.pick(&[1, 2, 2, 2, 3, 3]);
    let mut size = if workers == 3 { 2 + random.below(3) } else { 3 + random.below(4) };
    loop {
        let program = attempt(seed, &mut random, workers, size);
        if program.interleavings <= MOST_INTERLEAVINGS {
            return program;
        }
        // Size one is small enough for any number of threads; only duties can be larger, and not every draw has them.
        size = size.saturating_sub(random.below(2)).max(1);
    }
}

fn attempt(seed: u64, random: &mut Random, workers: usize, size: usize) -> Concurrent {
    let mut shared = Shared::draw(random, workers);
    let main_works = workers == 1 || random.chance(if workers == 2 { 25 } else { 5 });
    let mut duties = Duty::deal(random, &shared, workers + main_works as usize);
    let main_duties = if main_works { duties.pop().unwrap_or_default() } else { Vec::new() };
    let mut bodies: Vec<Body> = Vec::new();
    for (index, duties) in duties.into_iter().enumerate() {
        let again = shared.style != Style::Argument && duties.is_empty() && random.chance(30);
        let twin = bodies.last().filter(|_| again).cloned();
        if let Some(twin) = &twin {
            shared.increments += twin.increments;
        }
        bodies.push(twin.unwrap_or_else(|| Body::draw(random, &mut shared, size, duties, &format!("seen[{index}]"))));
    }
    let main_body = main_works.then(|| Body::draw(random, &mut shared, size, main_duties, "seen[3]"));

    let mut steps: Vec<Vec<Step>> = bodies.iter().map(|body| body.steps.clone()).collect();
    let main_steps = main_body.as_ref().map_or(Vec::new(), |body| body.steps.clone());
    let operations = steps.iter().map(Vec::len).sum::<usize>() + main_steps.len();
    let created = (0..workers).map(Step::Create);
    steps.push(created.chain(main_steps).chain((0..workers).map(Step::Join)).collect());
    let interleavings = interleavings::count(&steps, MOST_INTERLEAVINGS + 1);

    shared.prune();
    let source = render(seed, random, &shared, &bodies, main_body.as_ref());
    Concurrent { source, threads: workers + 1, operations, interleavings }
}

fn render(seed: u64, random: &mut Random, shared: &Shared, bodies: &[Body], main_body: Option<&Body>) -> String {
    let mut text = Source::new();
    text.add(shared.declarations());
    let mut functions: Vec<&str> = Vec::new();
    for (index, body) in bodies.iter().enumerate() {
        let twin = bodies[..index].iter().position(|earlier| earlier.text.text() == body.text.text());
        if let Some(twin) = twin {
            functions.push(functions[twin]);
            continue;
        }
        let name = NAMES[index % NAMES.len()];
        functions.push(name);
        text.add(c!("static void *$n(void *argument) {\n$open", n = name, open = shared.opening(body.text.text())));
        text.add(body.text.text());
        text.add("return NULL;\n}");
    }
    text.add("int main(void) {");
    text.add(format!("pthread_t threads[{}];", bodies.len()));
    text.add(shared.preparation());
    for (index, function) in functions.iter().enumerate() {
        let argument = shared.argument(index);
        text.add(c!("pthread_create(&threads[$i], NULL, $f, $a);", i = index, f = function, a = argument));
    }
    if let Some(body) = main_body {
        text.add(format!("{{\n{}\n}}", body.text.text()));
    }
    for index in 0..bodies.len() {
        text.add(format!("pthread_join(threads[{index}], NULL);"));
    }
    text.add(shared.report());
    text.add(checks::checks(random, shared));
    text.add(shared.clearing());
    text.add("return 0;\n}");
    format!("// seed {seed}\n{INCLUDES}\n{}", text.text())
}
