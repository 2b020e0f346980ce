//! Random small concurrent programs. Each has so few operations that all interleavings can be explored without
//! reduction, so that explorations can be compared: all must find the same outputs, failures and deadlocks. Programs
//! are drawn until one has few enough interleavings; their size shrinks with each attempt.

pub(crate) mod interleavings;
mod shared;
mod duties;
mod body;
mod rendezvous;
mod checks;
mod richer;
mod texts;

use crate::random::Random;
use crate::source::{Source, c};
use body::{Body, Role};
use duties::Duty;
use interleavings::Step;
use shared::Shared;

pub use richer::{concurrent_c_destroying, concurrent_c_richer, concurrent_c_with_floats, concurrent_c_with_sizes};
pub use texts::concurrent_c_with_texts;

/// The largest number of interleavings by default.
const MOST_INTERLEAVINGS: u64 = 50_000;

/// After this many attempts a program gets one thread less.
const ATTEMPTS: usize = 40;

const NAMES: [&str; 3] = ["first", "second", "third"];

const INCLUDES: &str = "\
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
";

/// A program and bounds of its exploration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Concurrent {
    pub source: String,
    /// The number of threads, including the main thread.
    pub threads: usize,
    /// The most operations on shared objects that one execution performs, without creating and joining threads.
    pub operations: usize,
    /// An upper bound of the interleavings of these operations and of creations, starts, ends and joins, considering
    /// mutual exclusion. The choice of the thread that a signal wakes can multiply it.
    pub interleavings: u64,
}

/// The program of `seed`: GNU C17, linked with `-pthread`. It may deadlock, fail an assertion or misuse memory in some
/// or all interleavings; it prints its final state in one line, and reads no uninitialised data.
pub fn concurrent_c(seed: u64) -> Concurrent {
    concurrent_c_within(seed, MOST_INTERLEAVINGS)
}

/// As [`concurrent_c`], with at most about `most` interleavings: a larger bound allows more operations. With a bound
/// below a thousand there are no programs of four threads.
pub fn concurrent_c_within(seed: u64, most: u64) -> Concurrent {
    let mut random = Random::new(seed);
    let mut workers = random.pick(&[1, 1, 2, 2, 2, 2, 2, 3]);
    let mut size = match workers {
        1 => 3 + random.below(4),
        2 => 2 + random.below(4),
        _ => 1 + random.below(3),
    };
    for attempts in 1.. {
        let program = attempt(seed, &mut random, workers, size, most);
        if program.interleavings <= most {
            return program;
        }
        size = size.saturating_sub(random.below(2)).max(1);
        // Where even threads of one operation are too many, there must be fewer of them.
        if attempts % ATTEMPTS == 0 {
            if workers == 1 {
                return program;
            }
            workers -= 1;
        }
    }
    attempt(seed, &mut random, 1, 1, most)
}

fn attempt(seed: u64, random: &mut Random, workers: usize, size: usize, most: u64) -> Concurrent {
    let mut shared = Shared::draw(random, workers);
    let parties = workers + shared.main_works as usize;
    let mut duties = Duty::deal(random, &shared, parties);
    let main_duties = if shared.main_works { duties.pop().unwrap_or_default() } else { Vec::new() };
    let mut bodies: Vec<Body> = Vec::new();
    for (index, duties) in duties.into_iter().enumerate() {
        let again = shared.bodies_can_be_shared() && duties.is_empty() && random.chance(30);
        let twin = bodies.last().filter(|_| again).cloned();
        if let Some(twin) = &twin {
            shared.increments.most += twin.increments;
        }
        bodies.push(twin.unwrap_or_else(|| Body::draw(random, &mut shared, size, duties, Role::Worker(index))));
    }
    let main_body = shared.main_works.then(|| Body::draw(random, &mut shared, size, main_duties, Role::Main));

    let main_steps = main_body.as_ref().map_or(Vec::new(), |body| body.steps.clone());
    let operations = bodies.iter().map(|body| body.steps.len()).sum::<usize>() + main_steps.len();
    // A thread's start and end are separate steps.
    let mut steps: Vec<Vec<Step>> =
        bodies.iter().map(|body| [&[Step::Plain], &body.steps[..], &[Step::Plain]].concat()).collect();
    let created = (0..workers).map(Step::Create);
    steps.push(created.chain(main_steps).chain((0..workers).map(Step::Join)).collect());
    let interleavings = interleavings::count(&steps, most.saturating_add(1));

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
        text.add("}");
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
    for (index, body) in bodies.iter().enumerate() {
        text.add(shared.join(index, body.text.text()));
    }
    text.add(shared.report());
    text.add(checks::checks(random, shared));
    text.add(shared.clearing());
    text.add("return 0;\n}");
    format!("// seed {seed}\n{INCLUDES}\n{}", text.text())
}
