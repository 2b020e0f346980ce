//! Guarantees of the concurrent generator, checked without running programs: one text per seed, few interleavings,
//! every primitive within a few hundred seeds.

use generate::{concurrent_c, concurrent_c_richer};

const SEEDS: u64 = 400;

const FEATURES: &[&str] = &[
    "pthread_mutex_lock(",
    "pthread_mutex_trylock(",
    "pthread_cond_wait(",
    "pthread_cond_timedwait(",
    "pthread_cond_signal(",
    "pthread_cond_broadcast(",
    "while (!",
    "if (!ready) pthread_cond_wait(",
    "sem_wait(",
    "sem_trywait(",
    "sem_timedwait(",
    "sem_post(",
    "pthread_barrier_wait(",
    "atomic_store(",
    "atomic_load(",
    "atomic_exchange(",
    "atomic_fetch_add(",
    "atomic_compare_exchange_strong(",
    "memory_order_release",
    "memory_order_acquire",
    "count++;",
    "} else {",
    "for (int i",
    "struct box *mine",
    "free(mine);",
    "int *q",
    "struct state *s = argument;",
    "state.x",
    "assert(",
    "pthread_join(",
];

#[test]
fn a_seed_stands_for_one_program() {
    for seed in 0..20 {
        assert_eq!(concurrent_c(seed), concurrent_c(seed));
        assert_ne!(concurrent_c(seed).source, concurrent_c(seed + 1).source);
    }
}

#[test]
fn programs_are_small_enough_to_enumerate() {
    for seed in 0..SEEDS {
        let program = concurrent_c(seed);
        assert!((2..=4).contains(&program.threads), "seed {seed}");
        assert!(program.interleavings <= 50_000, "seed {seed}");
        assert!((1..=40).contains(&program.operations), "seed {seed}");
        let created = program.source.matches("pthread_create(").count();
        assert_eq!(created + 1, program.threads, "seed {seed}");
        assert_eq!(created, program.source.matches("pthread_join(").count(), "seed {seed}");
        assert_eq!(1, program.source.matches("printf(").count(), "seed {seed}");
        assert!(!program.source.contains('$'), "seed {seed} has a name that was not replaced");
    }
}

#[test]
fn every_primitive_occurs() {
    let programs: Vec<String> = (0..SEEDS).map(|seed| concurrent_c(seed).source).collect();
    let missing: Vec<&&str> =
        FEATURES.iter().filter(|feature| !programs.iter().any(|program| program.contains(**feature))).collect();
    assert!(missing.is_empty(), "no program of {SEEDS} has {missing:?}");
}

const RICHER: &[&str] = &[
    "slots[top",
    "slots[slots[",
    "i < level",
    "while (level < 2)",
    "while (!atomic_load(&go))",
    "p = NULL;",
    "if (p) *p",
    "which = &n;",
    "pthread_mutex_lock(lock);",
    "free(old);",
    "at = at->next",
    "while (filled == 1) pthread_cond_wait(",
    "while (filled == 0) pthread_cond_wait(",
    "__VERIFIER_nondet_bool()",
    "__VERIFIER_assume(chosen",
    "for (int j",
    "assert(",
];

#[test]
fn richer_programs_have_what_the_others_lack() {
    let programs: Vec<_> = (0..SEEDS).map(|seed| concurrent_c_richer(seed, 300_000)).collect();
    for (seed, program) in programs.iter().enumerate() {
        assert_eq!(*program, concurrent_c_richer(seed as u64, 300_000));
        assert!((2..=4).contains(&program.threads), "seed {seed}");
        assert!(program.interleavings <= 300_000, "seed {seed}");
        assert!(!program.source.contains('$'), "seed {seed} has a name that was not replaced");
    }
    let missing: Vec<&&str> =
        RICHER.iter().filter(|feature| !programs.iter().any(|program| program.source.contains(**feature))).collect();
    assert!(missing.is_empty(), "no program of {SEEDS} has {missing:?}");
}
