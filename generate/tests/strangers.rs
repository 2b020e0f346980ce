//! Guarantees of this generator, checked without running programs: one text per seed, few interleavings, every feature
//! within a few hundred seeds.

use generate::stranger_c;

const SEEDS: u64 = 400;
const MOST: u64 = 60_000;

const FEATURES: &[&str] = &[
    "grid[",
    "union Word",
    "unsigned mode : 3;",
    "int **grip",
    "ops[sel % 3u](",
    "/* fallthrough */",
    "goto again_",
    "return sink(n - 1) + 1;",
    "_Atomic Span",
    "_Atomic(rgb_t)",
    "atomic_flag_test_and_set(",
    "pthread_once(",
    "pthread_setspecific(",
    "_Thread_local",
    "PTHREAD_MUTEX_ERRORCHECK",
    "== EPERM",
    "PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP",
    "pthread_mutex_trylock(",
    "pthread_mutex_timedlock(",
    "pthread_spin_lock(",
    "pthread_rwlock_rdlock(",
    "pthread_rwlock_trywrlock(",
    "pthread_cond_wait(",
    "pthread_cond_timedwait(",
    "sem_trywait(",
    "sem_timedwait(",
    "pthread_barrier_wait(",
    "realloc(",
    "calloc(",
    "thrd_create(",
    "mtx_timedlock(",
    "cnd_wait(",
    "call_once(",
    "tss_set(",
    "pthread_create(&kid",
    "pthread_detach(",
    "exit(",
    "pthread_exit(NULL);",
    "assert(",
    "CHECK(",
];

#[test]
fn a_seed_stands_for_one_program() {
    for seed in 0..20 {
        assert_eq!(stranger_c(seed, MOST), stranger_c(seed, MOST));
        assert_ne!(stranger_c(seed, MOST).source, stranger_c(seed + 1, MOST).source);
    }
}

#[test]
fn programs_are_small() {
    for seed in 0..SEEDS {
        let program = stranger_c(seed, MOST);
        assert!(program.interleavings <= MOST, "seed {seed}");
        assert!(!program.source.contains('$'), "seed {seed} has a name that was not replaced");
    }
}

#[test]
fn every_feature_occurs() {
    let programs: Vec<String> = (0..SEEDS).map(|seed| stranger_c(seed, MOST).source).collect();
    let missing: Vec<&&str> =
        FEATURES.iter().filter(|feature| !programs.iter().any(|program| program.contains(**feature))).collect();
    assert!(missing.is_empty(), "no program of {SEEDS} has {missing:?}");
}
