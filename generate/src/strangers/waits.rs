//! Waiting for each other: conditions with and without a deadline, semaphores, barriers that are used again.

use super::family::{Family, act, mostly};
use crate::random::Random;

/// A deadline; several families use it.
pub const SOON: &str = "\
static struct timespec soon(long ns) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += ns;
    if (t.tv_nsec >= 1000000000L) {
        t.tv_nsec -= 1000000000L;
        t.tv_sec++;
    }
    return t;
}
";

pub fn conditions(random: &mut Random) -> Family {
    let patient = act(
        "pthread_mutex_lock(&q_mtx);\nwhile (q_len == 0)\npthread_cond_wait(&q_cv, &q_mtx);\nq_len--;\n\
         pthread_mutex_unlock(&q_mtx);",
        6,
    );
    let hasty = act(
        "pthread_mutex_lock(&q_mtx);\nif (!q_len)\npthread_cond_wait(&q_cv, &q_mtx);\ngot += q_len;\n\
         pthread_mutex_unlock(&q_mtx);",
        5,
    );
    let push =
        act("pthread_mutex_lock(&q_mtx);\nq_len++;\npthread_cond_signal(&q_cv);\npthread_mutex_unlock(&q_mtx);", 5);
    let all = act(
        "pthread_mutex_lock(&q_mtx);\nq_len += 2;\npthread_mutex_unlock(&q_mtx);\npthread_cond_broadcast(&q_cv);",
        5,
    );
    let first = random.pick(&[patient.clone(), patient.clone(), hasty.clone()]);
    Family {
        top: "static pthread_mutex_t q_mtx = PTHREAD_MUTEX_INITIALIZER;\n\
              static pthread_cond_t q_cv = PTHREAD_COND_INITIALIZER;\nstatic int q_len;\n",
        teardown: "pthread_cond_destroy(&q_cv);",
        duties: vec![first, random.pick(&[push.clone(), push.clone(), all])],
        acts: mostly(random, &[act("got += q_len;", 1)], &[push, act("pthread_cond_signal(&q_cv);", 1)]),
        shown: &["q_len"],
        guesses: &["q_len == 0", "q_len != $k", "q_len <= 1"],
        ..Family::default()
    }
}

pub fn timed(_random: &mut Random) -> Family {
    let wait = "{\nstruct timespec till = soon(2000000);\nint rc = 0;\npthread_mutex_lock(&t_mtx);\n\
                while (!t_ready && rc == 0)\nrc = pthread_cond_timedwait(&t_cv, &t_mtx, &till);\n\
                t_late += rc == ETIMEDOUT;\npthread_mutex_unlock(&t_mtx);\n}";
    let acts = [
        act(
            "{\nstruct timespec till = soon(1000000);\nif (pthread_mutex_timedlock(&t_mtx, &till) == 0) {\nt_ready ^= 1;\n\
             pthread_mutex_unlock(&t_mtx);\n} else {\ngot += 50;\n}\n}",
            5,
        ),
        act(
            "{\nstruct timespec past = {0, 0};\ngot += pthread_mutex_timedlock(&t_mtx, &past) == 0 ? pthread_mutex_unlock(&t_mtx) : 1;\n}",
            2,
        ),
        act("got = got * 2 + t_ready;", 1),
        act("t_late = 0;", 1),
    ];
    Family {
        top: "static pthread_mutex_t t_mtx = PTHREAD_MUTEX_INITIALIZER;\n\
              static pthread_cond_t t_cv = PTHREAD_COND_INITIALIZER;\nstatic int t_ready, t_late;\n",
        duties: vec![
            act(wait, 7),
            act(
                "pthread_mutex_lock(&t_mtx);\nt_ready = 1;\npthread_cond_signal(&t_cv);\npthread_mutex_unlock(&t_mtx);",
                4,
            ),
        ],
        acts: acts.to_vec(),
        shown: &["t_ready", "t_late"],
        guesses: &["t_ready == 1", "t_late == 0", "t_late <= 1"],
        ..Family::default()
    }
}

pub fn semaphores(random: &mut Random) -> Family {
    let careful = [
        act("sem_wait(&slots);\ninside++;\npeak = inside;\ninside--;\nsem_post(&slots);", 8),
        act("if (sem_trywait(&slots) == 0) {\n$inner\nsem_post(&slots);\n} else\ngot += errno == EAGAIN;", 2),
        act("{\nint v = -1;\nsem_getvalue(&slots, &v);\ngot = got * 3 + v;\n}", 1),
        act("got += inside;", 1),
    ];
    let careless = [act("sem_post(&slots);", 1), act("sem_wait(&slots);\ninside = $k;", 2)];
    Family {
        includes: "#include <semaphore.h>\n",
        top: "static sem_t slots;\nstatic int inside, peak;\nstatic int sem_left(void) { int v; sem_getvalue(&slots, &v); return v; }\n",
        setup: random.pick(&["sem_init(&slots, 0, 1);", "sem_init(&slots, 0, 1);", "sem_init(&slots, 0, 2);"]),
        teardown: "sem_destroy(&slots);",
        acts: mostly(random, &careful, &careless),
        shown: &["inside", "peak", "sem_left()"],
        guesses: &["inside == 0", "peak <= 1", "peak != $k", "sem_left() == 1"],
        ..Family::default()
    }
}

/// One thread posts, the other waits with a deadline.
pub fn posted(random: &mut Random) -> Family {
    Family {
        includes: "#include <semaphore.h>\n",
        top: "static sem_t bell;\nstatic int letter, missed;\n",
        setup: "sem_init(&bell, 0, 0);",
        teardown: "sem_destroy(&bell);",
        duties: vec![
            act(
                "{\nstruct timespec till = soon(3000000);\nif (sem_timedwait(&bell, &till) == 0)\ngot += letter;\nelse\n\
                 missed += errno == ETIMEDOUT ? 1 : 10;\n}",
                4,
            ),
            act("letter = $k;\nsem_post(&bell);", 2),
        ],
        acts: mostly(random, &[act("got += missed;", 1), act("letter++;", 2)], &[act("sem_post(&bell);", 1)]),
        shown: &["letter", "missed"],
        guesses: &["missed == 0", "missed <= 1", "letter != $k"],
    }
}

/// Two threads meet twice at one barrier.
pub fn barriers(random: &mut Random) -> Family {
    let round = act(
        "stage[$w] = $k;\nif (pthread_barrier_wait(&meet) == PTHREAD_BARRIER_SERIAL_THREAD) serial++;\ngot += stage[1 - $w];",
        5,
    );
    let twice = act(
        "stage[$w] = $k;\nserial += pthread_barrier_wait(&meet) != 0;\ngot += stage[1 - $w] * 4;\npthread_barrier_wait(&meet);\n\
         stage[$w] = 0;",
        7,
    );
    let both = if random.chance(60) { [twice.clone(), twice] } else { [round.clone(), round] };
    Family {
        top: "static pthread_barrier_t meet;\nstatic int stage[3], serial;\n",
        setup: "pthread_barrier_init(&meet, NULL, 2);",
        teardown: "pthread_barrier_destroy(&meet);",
        duties: both.to_vec(),
        acts: mostly(random, &[act("got += serial;", 1)], &[act("stage[$b] = 9;", 1), act("serial = 0;", 1)]),
        shown: &["stage[0]", "stage[1]", "serial"],
        guesses: &["serial == 1", "stage[0] == stage[1]", "stage[$b] != $k"],
        ..Family::default()
    }
}
