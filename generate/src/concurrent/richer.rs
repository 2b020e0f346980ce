//! Small concurrent programs whose threads influence each other's indices, pointers to variables, list nodes and locks,
//! numbers of iterations, and wait conditions; with inputs, each of which is 0 or 1. They print nothing.

mod fragment;
mod fragments;
mod floats;
mod sizes;
mod ended;

use super::interleavings::{self, Step};
use super::{ATTEMPTS, Concurrent, NAMES};
use crate::random::Random;
use crate::source::{Source, c};
use ended::Ended;
use fragment::Fragment;
use fragments::Theme;

const INCLUDES: &str = "\
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_assume(int);
";

/// Every assertion at the end of main is about one of these.
const GUESSES: [&str; 4] = ["$v != $n", "$v <= $n", "!($v == $k && x == $n)", "$v == $k || x <= $n"];

/// As [`super::concurrent_c_within`], of other programs. The number of interleavings counts every value of the inputs.
pub fn concurrent_c_richer(seed: u64, most: u64) -> Concurrent {
    within(seed, most, None)
}

/// As [`concurrent_c_richer`], of programs that compute with shared floats.
pub fn concurrent_c_with_floats(seed: u64, most: u64) -> Concurrent {
    within(seed, most, Some(Theme::Float))
}

/// As [`concurrent_c_richer`], for programs whose threads determine each other's block sizes.
pub fn concurrent_c_with_sizes(seed: u64, most: u64) -> Concurrent {
    within(seed, most, Some(Theme::Size))
}

/// As [`concurrent_c_richer`], for programs that destroy synchronisation objects which other threads may still use.
pub fn concurrent_c_destroying(seed: u64, most: u64) -> Concurrent {
    within(seed, most, Some(Theme::Ended(Ended::of(seed))))
}

/// A program with this theme in the first place, if there is one.
fn within(seed: u64, most: u64, first: Option<Theme>) -> Concurrent {
    let mut random = Random::new(seed);
    let mut workers = random.pick(&[1, 2, 2, 2, 2, 3]);
    let mut size = if workers == 3 { 2 + random.below(3) } else { 4 + random.below(5) };
    for attempts in 1.. {
        let program = attempt(seed, &mut random, workers, size, first);
        if program.interleavings <= most {
            return program;
        }
        size = size.saturating_sub(random.below(2)).max(1);
        if attempts % ATTEMPTS == 0 {
            if workers == 1 {
                return program;
            }
            workers -= 1;
        }
    }
    attempt(seed, &mut random, 1, 1, first)
}

/// The body of one thread.
#[derive(Default)]
struct Body {
    text: Source,
    steps: Vec<Step>,
    inputs: u32,
}

fn attempt(seed: u64, random: &mut Random, workers: usize, size: usize, first: Option<Theme>) -> Concurrent {
    let mut themes = vec![Theme::Plain];
    let chosen = match first {
        Some(first) if random.chance(60) => vec![first],
        Some(first) => vec![first, random.pick(&Theme::ALL)],
        None => random.some_of(&Theme::ALL, 1, 2),
    };
    themes.extend(chosen.iter().chain(&chosen).copied().chain(first));
    if random.chance(35) {
        themes.push(Theme::Input);
    }
    let main_works = workers == 1 || random.chance(20);
    let parties = workers + usize::from(main_works);
    let mut duties = duties(random, &chosen, parties);
    let mut bodies: Vec<Body> = Vec::new();
    for (index, duties) in duties.drain(..).enumerate() {
        bodies.push(body(random, &themes, size, duties, index));
    }
    let operations = bodies.iter().map(|body| body.steps.len()).sum();
    let inputs: u32 = bodies.iter().map(|body| body.inputs).sum();
    let main_body = if main_works { bodies.pop() } else { None };
    let main_steps = main_body.as_ref().map_or(Vec::new(), |body| body.steps.clone());
    let mut steps: Vec<Vec<Step>> =
        bodies.iter().map(|body| [&[Step::Plain], &body.steps[..], &[Step::Plain]].concat()).collect();
    let created = (0..workers).map(Step::Create);
    steps.push(created.chain(main_steps).chain((0..workers).map(Step::Join)).collect());
    let orders = interleavings::count(&steps, 1 << 32);
    let interleavings = orders.saturating_mul(1 << inputs.min(16));
    themes.retain(|theme| !chosen.contains(theme));
    themes.extend(chosen);
    let source = render(seed, random, &themes, &bodies, main_body.as_ref());
    Concurrent { source, threads: workers + 1, operations, interleavings }
}

/// By thread, the fragments that others depend on.
fn duties(random: &mut Random, themes: &[Theme], parties: usize) -> Vec<Vec<Fragment>> {
    let mut duties = vec![Vec::new(); parties];
    for theme in themes {
        let Some((wait, wake)) = theme.roles() else { continue };
        let waiter = random.below(parties);
        let waker = (waiter + 1 + random.below(parties - 1)) % parties;
        duties[waiter].push(random.pick(wait));
        if !random.chance(8) {
            duties[waker].push(random.pick(wake));
        }
        if parties > 2 && random.chance(25) {
            let third = random.below(parties);
            let role = if random.chance(50) { wait } else { wake };
            duties[third].push(random.pick(role));
        }
    }
    duties
}

fn body(random: &mut Random, themes: &[Theme], size: usize, duties: Vec<Fragment>, index: usize) -> Body {
    let mut body = Body::default();
    let mut duties = duties.into_iter();
    while body.steps.len() < size {
        let duty = if random.chance(40) { duties.next() } else { None };
        let theme = random.pick(themes);
        let fragment = duty.unwrap_or_else(|| random.pick(theme.fragments()));
        body.add(random, themes, fragment);
    }
    duties.for_each(|duty| body.add(random, themes, duty));
    if reads(body.text.text()) {
        let mut text = Source::new();
        text.add("int r = 0;");
        text.add(body.text.text());
        text.add(format!("seen[{index}] = r;"));
        body.text = text;
        body.steps.push(Step::Plain);
    }
    body
}

fn reads(text: &str) -> bool {
    text.contains("r = ") || text.contains("r += ")
}

impl Body {
    /// Adds a fragment: as it is, under a condition, twice, or under the lock.
    fn add(&mut self, random: &mut Random, themes: &[Theme], fragment: Fragment) {
        let (n, k) = (1 + random.below(3), random.below(2));
        let text = c!(fragment.text, n = n, k = k);
        self.inputs += text.matches("__VERIFIER_nondet").count() as u32;
        let start = self.steps.len();
        match random.below(10) {
            0 => {
                let theme = random.pick(themes);
                let condition = random.pick(theme.conditions());
                self.text.add(format!("if ({}) {{\n{text}\n}}", c!(condition, k = k)));
                self.steps.push(Step::Plain);
                self.steps.extend(fragment.steps());
                // Optional operations do not certainly block.
                self.steps[start..].fill(Step::Plain);
            }
            1 if fragment.steps < 3 && !text.contains("__VERIFIER_nondet") => {
                self.text.add(format!("for (int j = 0; j < 2; j++) {{\n{text}\n}}"));
                self.steps.extend(fragment.steps());
                self.steps.extend(fragment.steps());
            }
            2 | 3 if !fragment.locks => {
                self.text.add(format!("pthread_mutex_lock(&m);\n{text}\npthread_mutex_unlock(&m);"));
                self.steps.push(Step::Lock(0));
                self.steps.extend(fragment.steps());
                self.steps.push(Step::Unlock(0));
            }
            _ => {
                self.text.add(text);
                self.steps.extend(fragment.steps());
            }
        }
    }
}

fn render(seed: u64, random: &mut Random, themes: &[Theme], bodies: &[Body], main_body: Option<&Body>) -> String {
    let mut text = Source::new();
    text.add("static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nstatic int seen[4];");
    themes.iter().for_each(|theme| text.add(theme.declarations()));
    for (body, name) in bodies.iter().zip(NAMES) {
        text.add(c!("static void *$name(void *argument) {\n(void)argument;", name = name));
        text.add(body.text.text());
        text.add("return NULL;\n}");
    }
    text.add(format!("int main(void) {{\npthread_t threads[{}];", bodies.len()));
    themes.iter().for_each(|theme| text.add(theme.preparation()));
    for (index, name) in NAMES.iter().enumerate().take(bodies.len()) {
        text.add(c!("pthread_create(&threads[$i], NULL, $name, NULL);", i = index, name = name));
    }
    if let Some(body) = main_body {
        text.add(format!("{{\n{}\n}}", body.text.text()));
    }
    for index in 0..bodies.len() {
        text.add(c!("pthread_join(threads[$i], NULL);", i = index));
    }
    if random.chance(75) {
        let mut values: Vec<String> = themes.iter().flat_map(|theme| theme.values()).map(ToString::to_string).collect();
        values.extend((0..bodies.len()).map(|index| format!("seen[{index}]")));
        let guess = random.pick(&GUESSES);
        let (value, n, k) = (random.pick(&values), 1 + random.below(3), random.below(2));
        text.add(format!("assert({});", c!(guess, v = value, n = n, k = k)));
    }
    text.add("return 0;\n}");
    format!("// seed {seed}\n{INCLUDES}\n{}", text.text())
}
