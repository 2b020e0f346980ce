//! Small concurrent programs in another style: each combines a few random features of C and of its thread libraries
//! that [`crate::concurrent_c`] leaves out (narrow neighbours, unions, bit-fields, tables of functions, `_Atomic`
//! structs, keys, every kind of lock, deadlines, barriers that are used again, threads that create threads, detached
//! threads, `exit` while others run, C11's `threads.h`). A program prints its final state and asserts a condition on
//! it, so that its outcomes under different engines can be compared. Programs are drawn until one has few enough
//! interleavings.

mod family;
mod layout;
mod control;
mod atomics;
mod own;
mod locks;
mod waits;
mod heap;
mod bytes;
mod spins;
mod borrowed;
mod births;
mod c11;
mod lives;

use crate::concurrent::interleavings::{self, Step};
use crate::random::Random;
use crate::source::{Source, fill};
use family::{Act, Family};
use lives::Life;

/// After this many attempts a program has one family less.
const ATTEMPTS: usize = 30;

type Draw = fn(&mut Random) -> Family;

const FAMILIES: [Draw; 45] = [
    locks::handed,
    locks::mistaken,
    layout::neighbours,
    layout::unions,
    layout::bits,
    layout::pointers,
    control::tables,
    control::switches,
    control::jumps,
    control::recursion,
    atomics::structs,
    atomics::large,
    atomics::narrow,
    own::once,
    own::keys,
    own::locals,
    locks::kinds,
    locks::recursive,
    locks::ordered,
    locks::readers,
    waits::conditions,
    waits::timed,
    waits::semaphores,
    waits::posted,
    waits::barriers,
    heap::growing,
    heap::handed,
    heap::lists,
    bytes::packed,
    bytes::halves,
    bytes::tagged,
    spins::flags,
    spins::own_locks,
    spins::peterson,
    spins::sequence,
    spins::stacks,
    borrowed::locals,
    borrowed::thread_locals,
    borrowed::callbacks,
    borrowed::texts,
    births::chosen,
    births::bequeathed,
    c11::mutexes,
    c11::conditions,
    c11::keys,
];

/// The number of families at the start of the list that unlock mutexes of other threads.
const FOREIGN_UNLOCKS: usize = 2;

/// The number of families at the end of the list that use C11 threads.
const C11_FAMILIES: usize = 3;

const INCLUDES: &str = "\
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
";

/// A program and about how many interleavings it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stranger {
    pub source: String,
    /// An estimate from above: locks and waiting make it less, choices of the environment make it more.
    pub interleavings: u64,
}

/// The body of one thread.
struct Body {
    text: String,
    steps: usize,
}

/// The program of `seed`: GNU C17, linked with `-pthread -latomic`. It may fail an assertion, deadlock or misuse memory in
/// some interleavings or in all.
pub fn stranger_c(seed: u64, most: u64) -> Stranger {
    drawn(seed, most, false)
}

/// As [`stranger_c`], with mutexes that are unlocked by threads which do not own them.
pub fn foreign_unlocks_c(seed: u64, most: u64) -> Stranger {
    drawn(seed, most, true)
}

fn drawn(seed: u64, most: u64, foreign: bool) -> Stranger {
    let mut random = Random::new(seed ^ 0x5157_0000);
    let mut families = 2 + random.below(2);
    let mut size = 3 + random.below(6);
    for attempts in 1.. {
        let program = attempt(seed, &mut random, families, size, foreign);
        if program.interleavings <= most || (families == 1 && attempts > 4 * ATTEMPTS) {
            return program;
        }
        size = size.saturating_sub(random.below(2)).max(1);
        if attempts % ATTEMPTS == 0 {
            families = (families - 1).max(1);
        }
    }
    attempt(seed, &mut random, 1, 1, foreign)
}

fn attempt(seed: u64, random: &mut Random, families: usize, size: usize, foreign: bool) -> Stranger {
    let life = Life::draw(random);
    let c11 = FAMILIES.len() - C11_FAMILIES;
    let mut pool: Vec<usize> = (0..FAMILIES.len()).collect();
    if life.is_c11() {
        pool.extend((c11..FAMILIES.len()).cycle().take(3 * C11_FAMILIES));
    }
    let mut drawn = random.some_of(&pool, families, families);
    if foreign {
        drawn.pop();
        drawn.push(random.below(FOREIGN_UNLOCKS));
    }
    drawn.sort_unstable();
    drawn.dedup();
    let families: Vec<Family> = drawn.into_iter().map(|family| FAMILIES[family](random)).collect();
    let workers = if random.chance(65) { 2 } else { 1 };
    let main_acts = workers == 1 || random.chance(20);
    let mut unique = 0;
    let mut bodies: Vec<Body> =
        (0..workers + usize::from(main_acts)).map(|party| body(random, &families, party, size, &mut unique)).collect();
    let steps = steps(&bodies, workers);
    let main_body = if main_acts { bodies.pop() } else { None };
    let interleavings = interleavings::count(&steps, u64::MAX / 2);
    let verdicts = verdicts(random, &families, workers);
    let includes: String = {
        let mut lines: Vec<&str> =
            families.iter().map(|family| family.includes).filter(|text| !text.is_empty()).collect();
        lines.extend(life.includes());
        lines.sort_unstable();
        lines.dedup();
        lines.concat()
    };
    let mut text = Source::new();
    let needs_deadline = bodies.iter().chain(&main_body).any(|body| body.text.contains("soon("));
    text.add(if needs_deadline { waits::SOON } else { "" });
    families.iter().for_each(|family| text.add(family.top));
    lives::render(
        &mut text,
        random,
        &lives::Parts { life, families: &families, bodies: &bodies, main_body: main_body.as_ref(), verdicts },
    );
    Stranger { source: format!("// seed {seed}\n{INCLUDES}{includes}\n{}", text.text()), interleavings }
}

/// The sequences of steps, main's last: it creates the workers, acts, and joins them. Start and end of a thread are steps.
fn steps(bodies: &[Body], workers: usize) -> Vec<Vec<Step>> {
    let mut steps: Vec<Vec<Step>> = bodies.iter().take(workers).map(|body| vec![Step::Plain; body.steps + 2]).collect();
    let acts = bodies.get(workers).map_or(0, |body| body.steps);
    let created = (0..workers).map(Step::Create);
    let main = created.chain(std::iter::repeat_n(Step::Plain, acts)).chain((0..workers).map(Step::Join));
    steps.push(main.collect());
    steps
}

/// A thread of about `size` steps, among them the duties of this party.
fn body(random: &mut Random, families: &[Family], party: usize, size: usize, unique: &mut usize) -> Body {
    let mut acts: Vec<Act> = families.iter().filter_map(|family| family.duties.get(party).cloned()).collect();
    let pool: Vec<Act> = families.iter().flat_map(|family| family.acts.iter().cloned()).collect();
    let mut room = size.saturating_sub(acts.iter().map(|act| act.steps).sum());
    let mut tries = 0;
    while room > 0 && tries < 12 {
        tries += 1;
        let act = random.pick(&pool);
        if act.steps <= room {
            room -= act.steps.max(1);
            let at = random.below(acts.len() + 1);
            acts.insert(at, act);
        }
    }
    if acts.is_empty() {
        let smallest = pool.iter().filter(|act| act.steps > 0).min_by_key(|act| act.steps).cloned();
        acts.extend(smallest);
    }
    let mut text = String::new();
    let mut steps = 0;
    for act in acts {
        steps += act.steps;
        let inner = if act.text.contains("$inner") {
            let simple: Vec<&Act> = pool.iter().filter(|act| act.steps <= 2 && !act.text.contains("$inner")).collect();
            match simple.is_empty() {
                true => "got++;".to_owned(),
                false => {
                    let chosen = random.pick(&simple);
                    steps += chosen.steps;
                    filled(random, chosen.text, party, unique, "")
                }
            }
        } else {
            String::new()
        };
        text.push_str(&filled(random, act.text, party, unique, &inner));
        text.push('\n');
    }
    Body { text, steps }
}

fn filled(random: &mut Random, template: &str, party: usize, unique: &mut usize, inner: &str) -> String {
    *unique += 1;
    let values = [
        ("k", (1 + random.below(3)).to_string()),
        ("b", random.below(2).to_string()),
        ("c", random.below(2).to_string()),
        ("w", party.to_string()),
        ("u", unique.to_string()),
        ("inner", inner.to_owned()),
    ];
    fill(template, &values)
}

/// Conditions on the final state, some of which fail sometimes.
fn verdicts(random: &mut Random, families: &[Family], workers: usize) -> Vec<String> {
    let mut guesses: Vec<String> =
        families.iter().flat_map(|family| family.guesses.iter().map(|guess| (*guess).to_owned())).collect();
    guesses.push(format!("seen[{}] != $k", random.below(workers)));
    let chosen = random.some_of(&guesses, 0, 2);
    chosen.iter().map(|guess| filled(random, guess, 0, &mut 0, "")).collect()
}
