//! Mutexes of every kind, also misused where the library returns an error; readers-writer locks; spin locks.

use super::family::{Family, act, mostly};
use crate::random::Random;

pub fn kinds(random: &mut Random) -> Family {
    let careful = [
        act("pthread_mutex_lock(&chk);\nstock++;\npthread_mutex_unlock(&chk);", 4),
        act("got += pthread_mutex_unlock(&chk) == EPERM;", 1),
        act(
            "{\nint rc = pthread_mutex_lock(&chk);\nint rc2 = pthread_mutex_lock(&chk);\nstock += rc2 == EDEADLK;\n\
             assert(rc == 0);\npthread_mutex_unlock(&chk);\n}",
            5,
        ),
        act(
            "if (pthread_mutex_trylock(&chk) == 0) {\n$inner\npthread_mutex_unlock(&chk);\n} else {\ngot += 100;\n}",
            2,
        ),
        act("pthread_mutex_lock(&chk);\n$inner\nassert(pthread_mutex_unlock(&chk) == 0);", 2),
    ];
    let careless = [act("stock += 2;", 2), act("pthread_mutex_unlock(&chk);\nstock--;", 3)];
    Family {
        top: "static pthread_mutex_t chk;\nstatic int stock;\n",
        setup: "{\npthread_mutexattr_t attr;\npthread_mutexattr_init(&attr);\n\
                pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);\n\
                pthread_mutex_init(&chk, &attr);\npthread_mutexattr_destroy(&attr);\n}",
        teardown: "assert(pthread_mutex_destroy(&chk) == 0);",
        acts: mostly(random, &careful, &careless),
        shown: &["stock"],
        guesses: &["stock <= $k + 1", "stock != $k", "stock >= 0"],
        ..Family::default()
    }
}

pub fn recursive(random: &mut Random) -> Family {
    let careful = [
        act("ENTER();\nENTER();\ncoins += $k;\nLEAVE();\nLEAVE();", 6),
        act("ENTER();\n$inner\nLEAVE();", 2),
        act(
            "if (pthread_mutex_trylock(&vault) == 0) {\ngot += pthread_mutex_trylock(&vault) == 0;\ncoins--;\nLEAVE();\nLEAVE();\n}",
            6,
        ),
        act("got += deposit($k);", 8),
    ];
    let careless =
        [act("got += LEAVE() == EPERM;", 1), act("coins = 0;", 1), act("ENTER();\nENTER();\n$inner\nLEAVE();", 3)];
    Family {
        top: "static pthread_mutex_t vault = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;\nstatic int coins;\n\
              #define ENTER() pthread_mutex_lock(&vault)\n#define LEAVE() pthread_mutex_unlock(&vault)\n\
              static int deposit(int n) {\nENTER();\nif (n > 1)\ncoins += n;\nelse if (n == 1)\ndeposit(n + 1);\n\
              int now = coins;\nLEAVE();\nreturn now;\n}\n",
        acts: mostly(random, &careful, &careless),
        shown: &["coins"],
        guesses: &["coins >= 0", "coins != $k", "coins % 2 == 0"],
        ..Family::default()
    }
}

/// Two locks of the plain kind in an array, taken in either order.
pub fn ordered(random: &mut Random) -> Family {
    let careful = [
        act("pthread_mutex_lock(&desk_lock[$b]);\nsheet[$b] += $k;\npthread_mutex_unlock(&desk_lock[$b]);", 4),
        act("move_sheet(0, 1, $k);", 8),
        act(
            "if (!pthread_mutex_trylock(&desk_lock[$b])) {\ngot += sheet[$b];\npthread_mutex_unlock(&desk_lock[$b]);\n}",
            3,
        ),
        act("pthread_spin_lock(&spin);\n$inner\npthread_spin_unlock(&spin);", 2),
    ];
    let careless = [
        act("move_sheet(1, 0, $k);", 8),
        act("sheet[$b] = $k;", 1),
        act("if (pthread_spin_trylock(&spin) == 0) {\nsheet[0]--;\npthread_spin_unlock(&spin);\n}", 4),
    ];
    Family {
        top: "static pthread_mutex_t desk_lock[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};\n\
              static pthread_spinlock_t spin;\nstatic int sheet[2] = {3, 3};\n\
              static void move_sheet(int from, int to, int n) {\npthread_mutex_lock(desk_lock + from);\n\
              pthread_mutex_lock(desk_lock + to);\nsheet[from] -= n;\nsheet[to] += n;\n\
              pthread_mutex_unlock(desk_lock + to);\npthread_mutex_unlock(desk_lock + from);\n}\n",
        setup: "pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);",
        acts: mostly(random, &careful, &careless),
        shown: &["sheet[0]", "sheet[1]"],
        guesses: &["sheet[0] + sheet[1] >= 6", "sheet[0] != $k", "sheet[1] <= 4"],
        ..Family::default()
    }
}

pub fn readers(random: &mut Random) -> Family {
    let careful = [
        act("pthread_rwlock_rdlock(&gate);\ngot += book.left - book.right;\npthread_rwlock_unlock(&gate);", 4),
        act("pthread_rwlock_wrlock(&gate);\nbook.left += $k;\nbook.right += $k;\npthread_rwlock_unlock(&gate);", 6),
        act(
            "if (!pthread_rwlock_trywrlock(&gate)) {\nbook.left = book.right = $k;\npthread_rwlock_unlock(&gate);\n} else\ngot += 10;",
            4,
        ),
        act("if (pthread_rwlock_tryrdlock(&gate) == EBUSY) got += 20; else pthread_rwlock_unlock(&gate);", 2),
        act(
            "pthread_rwlock_wrlock(&gate);\ngot += pthread_rwlock_rdlock(&gate) == EDEADLK;\npthread_rwlock_unlock(&gate);",
            3,
        ),
        act("pthread_rwlock_rdlock(&gate);\n$inner\npthread_rwlock_unlock(&gate);", 2),
        act("pthread_rwlock_rdlock(&gate);\nassert(book.left == book.right);\npthread_rwlock_unlock(&gate);", 4),
    ];
    let careless = [
        act("pthread_rwlock_rdlock(&gate);\nbook.left++;\npthread_rwlock_unlock(&gate);", 4),
        act(
            "pthread_rwlock_rdlock(&gate);\npthread_rwlock_wrlock(&gate);\nbook.left = 0;\npthread_rwlock_unlock(&gate);\n\
             pthread_rwlock_unlock(&gate);",
            5,
        ),
    ];
    Family {
        top: "static struct { int left, right; } book;\nstatic pthread_rwlock_t gate = PTHREAD_RWLOCK_INITIALIZER;\n",
        teardown: "pthread_rwlock_destroy(&gate);",
        acts: mostly(random, &careful, &careless),
        shown: &["book.left", "book.right"],
        guesses: &["book.left == book.right", "book.left <= $k", "book.right != $k"],
        ..Family::default()
    }
}

/// A plain mutex that one thread takes and another releases.
pub fn handed(random: &mut Random) -> Family {
    let careful = [
        act("pthread_mutex_lock(&baton);\nlaps++;\nrunning = 1;", 3),
        act("if (running) {\nrunning = 0;\npthread_mutex_unlock(&baton);\n}", 3),
        act("pthread_mutex_lock(&baton);\n$inner\npthread_mutex_unlock(&baton);", 2),
        act("got += pthread_mutex_trylock(&baton) == EBUSY;\nrunning = 1;", 2),
    ];
    let careless = [
        act("if (pthread_mutex_trylock(&baton) != 0)\npthread_mutex_unlock(&baton);\nelse\nlaps += $k;", 3),
        act("pthread_mutex_lock(&baton);\npthread_mutex_lock(&baton);\nlaps += 2;\npthread_mutex_unlock(&baton);", 4),
    ];
    Family {
        top: "static pthread_mutex_t baton = PTHREAD_MUTEX_INITIALIZER;\nstatic int laps;\nstatic atomic_int running;\n",
        acts: mostly(random, &careful, &careless),
        shown: &["laps"],
        guesses: &["laps <= $k + 1", "laps != $k", "running >= 0"],
        ..Family::default()
    }
}

/// The mutex that is unlocked is named by a variable, and may not be the one that was locked.
pub fn mistaken(random: &mut Random) -> Family {
    let careful = [
        act("pthread_mutex_lock(&side[door]);\n$inner\npthread_mutex_unlock(&side[door]);", 4),
        act("door = $b;", 1),
        act("pthread_mutex_lock(&side[$b]);\ncash += $k;\npthread_mutex_unlock(&side[$b]);", 4),
    ];
    let careless = [
        act(
            "{\npthread_mutex_t *mine = &side[door];\npthread_mutex_lock(mine);\ndoor ^= 1;\n\
             pthread_mutex_unlock(&side[door]);\n}",
            5,
        ),
        act(
            "pthread_mutex_lock(&side[$b]);\npthread_mutex_lock(&side[$c]);\ncash--;\npthread_mutex_unlock(&side[$c]);\n\
             pthread_mutex_unlock(&side[$b]);",
            6,
        ),
        act("if (pthread_mutex_trylock(&side[$b]))\npthread_mutex_unlock(&side[$b]);\nelse\ncash++;", 3),
    ];
    Family {
        top: "static pthread_mutex_t side[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};\n\
              static int cash;\nstatic volatile int door;\n",
        acts: mostly(random, &careful, &careless),
        shown: &["cash", "door"],
        guesses: &["cash <= $k + 1", "cash != $k", "door == $b"],
        ..Family::default()
    }
}
