//! Operations of threads, by theme. In a text `$n` is a number from 1 to 3 and `$k` is 0 or 1; `r` is private to the
//! thread.

use super::ended::Ended;
use super::fragment::{Fragment, does, locks};
use super::{floats, sizes};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// A variable.
    Plain,
    /// An array, and an index that is shared.
    Array,
    /// The number of iterations of a loop is shared.
    Rounds,
    /// Waiting without sleeping.
    Spin,
    /// Waiting without sleeping, for several conditions at once.
    Await,
    /// Waiting for a lock without sleeping.
    TryLock,
    /// A pointer to one of two variables, or to none.
    Pointer,
    /// A pointer to one of two locks.
    Lock,
    /// A list on the heap.
    List,
    /// A buffer for one, with a condition variable.
    Buffer,
    /// Inputs from the environment.
    Input,
    /// Floats of both sizes.
    Float,
    /// Blocks, and how large they are.
    Size,
    /// A synchronisation object that is destroyed too early.
    Ended(Ended),
}

const PLAIN: [Fragment; 7] = [
    does(1, "x = $n;"),
    does(2, "x++;"),
    does(1, "r = x;"),
    does(1, "r = r * 4 + x;"),
    does(1, "assert(x != $n);"),
    does(2, "if (x == $k) x = $n;"),
    does(3, "if (x > $k) x++;"),
];

const ARRAY: [Fragment; 8] = [
    does(2, "slots[top] = $n;"),
    does(3, "slots[top++] = $n;"),
    does(4, "if (top < 3) slots[top++] = $n;"),
    does(2, "{\nint at = top;\nif (at < 3) r = slots[at];\n}"),
    does(2, "slots[slots[$k]] = $n;"),
    does(1, "assert(slots[$k] != $n);"),
    does(1, "top = $n;"),
    does(3, "{\nint *at = &slots[top];\n*at += $n;\n}"),
];

const ROUNDS: [Fragment; 6] = [
    does(1, "level = $k + 1;"),
    does(7, "for (int i = 0; i < level; i++) x++;"),
    does(3, "{\nint stop = level;\nfor (int i = 0; i < stop; i++) r = r * 2 + x;\n}"),
    does(7, "while (level < 2) level++;"),
    does(2, "do {\nr += 1;\n} while (r < 2 && level);"),
    does(2, "if (level) level = 0;"),
];

const SPIN_WAIT: [Fragment; 4] = [
    does(1, "while (!atomic_load(&go)) {\n}"),
    does(2, "while (atomic_load(&go) == $k) {\n}\nr = x;"),
    does(3, "{\nint none = 1;\nwhile (!atomic_compare_exchange_strong(&go, &none, 2)) none = 1;\nx++;\n}"),
    does(3, "for (int i = 0; i < 2; i++) {\nif (atomic_load(&go)) break;\nr += 1;\n}"),
];

const SPIN_WAKE: [Fragment; 3] =
    [does(1, "atomic_store(&go, 1);"), does(1, "atomic_fetch_add(&go, 1);"), does(2, "x = $n;\natomic_store(&go, 1);")];

const AWAIT: [Fragment; 10] = [
    does(3, "while (!atomic_load(&one) || !atomic_load(&two)) {\n}"),
    does(3, "while (!atomic_load(&one) && !atomic_load(&two)) {\n}\nr = x;"),
    does(3, "while (atomic_load(&one) != atomic_load(&two)) {\n}"),
    does(3, "for (;;) {\nif (atomic_load(&one)) break;\nif (atomic_load(&two) == $n) {\nr += 1;\nbreak;\n}\n}"),
    does(
        4,
        r"{
            int none;
            do {
            none = atomic_load(&two);
            } while (none || !atomic_compare_exchange_strong(&two, &none, 1));
            }",
    ),
    does(
        4,
        "{\nint mine = atomic_fetch_add(&one, 1);\nwhile (atomic_load(&two) != mine) {\n}\natomic_fetch_add(&two, 1);\n}",
    ),
    does(4, "while (atomic_load(&one) < $n) atomic_store(&two, 1);"),
    does(4, "while (!atomic_load(&one)) {\nwhile (!atomic_load(&two)) {\n}\nif (x == $k) break;\n}"),
    does(
        4,
        "atomic_store(&one, 1);\natomic_store(&two, $k);\nwhile (atomic_load(&one) && atomic_load(&two) == $k) {\n}",
    ),
    does(
        5,
        r"while (atomic_load(&one) == $k) {
            if (atomic_load(&two)) {
            atomic_store(&two, 0);
            r += 1;
            }
            }",
    ),
];

const AWAKEN: [Fragment; 6] = [
    does(2, "atomic_store(&one, 1);\natomic_store(&two, 1);"),
    does(1, "atomic_store(&two, $n);"),
    does(1, "atomic_fetch_add(&one, 1);"),
    does(2, "atomic_store(&two, 1);\natomic_store(&two, 0);"),
    does(2, "x = $k;\natomic_store(&one, 1);"),
    does(2, "atomic_store(&one, $k);\natomic_store(&two, $n);"),
];

const TRY: [Fragment; 4] = [
    locks(4, "while (pthread_mutex_trylock(&t) != 0) {\n}\nx++;\npthread_mutex_unlock(&t);"),
    locks(
        5,
        r"while (!atomic_load(&done)) {
            if (pthread_mutex_trylock(&t) == 0) {
            x++;
            pthread_mutex_unlock(&t);
            break;
            }
            }",
    ),
    locks(
        5,
        r"while (!atomic_load(&done)) {
            if (pthread_mutex_trylock(&t) == 0) {
            if (x == $k) atomic_store(&done, 1);
            x = $k;
            pthread_mutex_unlock(&t);
            }
            }",
    ),
    locks(
        3,
        "for (int i = 0; i < 2; i++) {\nif (pthread_mutex_trylock(&t) == 0) pthread_mutex_unlock(&t);\nelse r += 1;\n}",
    ),
];

const GIVE: [Fragment; 4] = [
    locks(3, "pthread_mutex_lock(&t);\nx = $n;\npthread_mutex_unlock(&t);"),
    locks(1, "pthread_mutex_lock(&t);"),
    does(1, "atomic_store(&done, 1);"),
    locks(2, "if (pthread_mutex_trylock(&t) == 0) {\nx++;\npthread_mutex_unlock(&t);\n}"),
];

const POINTER: [Fragment; 7] = [
    does(1, "p = &y;"),
    does(1, "p = NULL;"),
    does(3, "if (p) *p = $n;"),
    does(3, "{\nint *q = p;\nif (q) *q += $n;\n}"),
    does(2, "r = *p;"),
    does(2, "if (p != &y) p = &x;"),
    does(2, "assert(*p != $n);"),
];

/// If the lock is chosen again for the unlock, a thread may unlock another one's mutex.
const LOCK: [Fragment; 5] = [
    does(1, "which = &n;"),
    locks(5, "{\npthread_mutex_t *lock = which;\npthread_mutex_lock(lock);\nx++;\npthread_mutex_unlock(lock);\n}"),
    locks(5, "pthread_mutex_lock(which);\nx = $n;\npthread_mutex_unlock(which);"),
    locks(4, "pthread_mutex_lock(&n);\nx++;\npthread_mutex_unlock(&n);"),
    locks(
        5,
        r"pthread_mutex_lock(&n);
            pthread_mutex_lock(&m);
            x = $n;
            pthread_mutex_unlock(&m);
            pthread_mutex_unlock(&n);",
    ),
];

const LIST: [Fragment; 4] = [
    does(
        2,
        r"{
            struct node *made = malloc(sizeof *made);
            if (!made) abort();
            made->value = $n;
            made->next = head;
            head = made;
            }",
    ),
    does(5, "{\nstruct node *old = head;\nif (old) {\nhead = old->next;\nr = old->value;\nfree(old);\n}\n}"),
    does(5, "for (struct node *at = head; at; at = at->next) r += at->value;"),
    does(3, "if (head) head->value = $n;"),
];

const PUT: [Fragment; 3] = [
    locks(
        8,
        r"pthread_mutex_lock(&m);
            while (filled == 1) pthread_cond_wait(&changed, &m);
            filled++;
            pthread_cond_signal(&changed);
            pthread_mutex_unlock(&m);",
    ),
    locks(
        8,
        r"pthread_mutex_lock(&m);
            while (filled == 1) pthread_cond_wait(&changed, &m);
            filled++;
            pthread_mutex_unlock(&m);
            pthread_cond_broadcast(&changed);",
    ),
    locks(4, "pthread_mutex_lock(&m);\nfilled = 1;\npthread_cond_broadcast(&changed);\npthread_mutex_unlock(&m);"),
];

const TAKE: [Fragment; 3] = [
    locks(
        8,
        r"pthread_mutex_lock(&m);
            while (filled == 0) pthread_cond_wait(&changed, &m);
            filled--;
            pthread_cond_signal(&changed);
            pthread_mutex_unlock(&m);",
    ),
    locks(
        7,
        r"pthread_mutex_lock(&m);
            if (filled == 0) pthread_cond_wait(&changed, &m);
            assert(filled == 1);
            filled--;
            pthread_mutex_unlock(&m);",
    ),
    locks(
        7,
        r"pthread_mutex_lock(&m);
            while (!filled) pthread_cond_wait(&changed, &m);
            r = filled;
            filled = 0;
            pthread_mutex_unlock(&m);",
    ),
];

const INPUT: [Fragment; 7] = [
    does(1, "__VERIFIER_assume(x != $n);"),
    does(3, "{\n_Bool chosen = __VERIFIER_nondet_bool();\n__VERIFIER_assume(chosen);\nx = x + chosen;\n}"),
    does(2, "if (__VERIFIER_nondet_bool()) x = $n;"),
    does(2, "x = __VERIFIER_nondet_bool();"),
    does(
        2,
        "{\nint chosen = __VERIFIER_nondet_int();\n__VERIFIER_assume(chosen == 0 || chosen == 1);\nx = chosen + $k;\n}",
    ),
    does(3, "{\n_Bool often = __VERIFIER_nondet_bool();\nfor (int i = 0; i <= often; i++) r = r * 2 + x;\n}"),
    does(2, "{\n_Bool chosen = __VERIFIER_nondet_bool();\nassert(x != $n + chosen);\n}"),
];

impl Theme {
    /// The main themes of programs; the others are added to them.
    pub const ALL: [Theme; 9] = [
        Theme::Array,
        Theme::Rounds,
        Theme::Spin,
        Theme::Await,
        Theme::TryLock,
        Theme::Pointer,
        Theme::Lock,
        Theme::List,
        Theme::Buffer,
    ];

    pub fn fragments(self) -> &'static [Fragment] {
        match self {
            Theme::Plain | Theme::Spin | Theme::Await | Theme::TryLock | Theme::Buffer => &PLAIN,
            Theme::Array => &ARRAY,
            Theme::Rounds => &ROUNDS,
            Theme::Pointer => &POINTER,
            Theme::Lock => &LOCK,
            Theme::List => &LIST,
            Theme::Input => &INPUT,
            Theme::Float => &floats::FRAGMENTS,
            Theme::Size => &sizes::FRAGMENTS,
            Theme::Ended(ended) => ended.fragments(),
        }
    }

    /// The operations of one thread, and those of another one that they depend on.
    pub fn roles(self) -> Option<(&'static [Fragment], &'static [Fragment])> {
        match self {
            Theme::Spin => Some((&SPIN_WAIT, &SPIN_WAKE)),
            Theme::Await => Some((&AWAIT, &AWAKEN)),
            Theme::TryLock => Some((&TRY, &GIVE)),
            Theme::Buffer => Some((&TAKE, &PUT)),
            Theme::Ended(ended) => ended.roles(),
            _ => None,
        }
    }

    pub fn conditions(self) -> &'static [&'static str] {
        match self {
            Theme::Array => &["slots[$k]", "top > $k"],
            Theme::Rounds => &["level == $k"],
            Theme::Spin => &["atomic_load(&go)"],
            Theme::Await => &["atomic_load(&one)", "atomic_load(&two)"],
            Theme::TryLock => &["atomic_load(&done)"],
            Theme::Pointer => &["p == &x", "p != NULL"],
            Theme::Lock => &["which == &n"],
            Theme::List => &["head"],
            Theme::Buffer => &["filled"],
            Theme::Plain | Theme::Input | Theme::Ended(_) => &["x == $k", "x > $k"],
            Theme::Float => &floats::CONDITIONS,
            Theme::Size => &sizes::CONDITIONS,
        }
    }

    pub fn declarations(self) -> &'static str {
        match self {
            Theme::Plain => "static int x;",
            Theme::Array => "static int slots[3];\nstatic int top;",
            Theme::Rounds => "static int level;",
            Theme::Spin => "static atomic_int go;",
            Theme::Await => "static atomic_int one, two;",
            Theme::TryLock => "static pthread_mutex_t t = PTHREAD_MUTEX_INITIALIZER;\nstatic atomic_int done;",
            Theme::Pointer => "static int y;\nstatic int *p = &x;",
            Theme::Lock => "static pthread_mutex_t n = PTHREAD_MUTEX_INITIALIZER;\nstatic pthread_mutex_t *which = &m;",
            Theme::List => "struct node {\nint value;\nstruct node *next;\n};\nstatic struct node *head;",
            Theme::Buffer => "static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;\nstatic int filled;",
            Theme::Input => "",
            Theme::Float => floats::DECLARATIONS,
            Theme::Size => sizes::DECLARATIONS,
            Theme::Ended(ended) => ended.declarations(),
        }
    }

    /// The first statements of main.
    pub fn preparation(self) -> &'static str {
        match self {
            Theme::List => "head = calloc(1, sizeof *head);\nif (!head) abort();",
            Theme::Ended(ended) => ended.preparation(),
            _ => "",
        }
    }

    /// The values that can be read at the end.
    pub fn values(self) -> &'static [&'static str] {
        match self {
            Theme::Plain => &["x"],
            Theme::Array => &["slots[0]", "slots[1]", "top"],
            Theme::Rounds => &["level"],
            Theme::Pointer => &["y", "(p == &y)"],
            Theme::Lock => &["(which == &n)"],
            Theme::List => &["(head != NULL)"],
            Theme::Buffer => &["filled"],
            Theme::Await => &["one", "two"],
            Theme::Float => &floats::VALUES,
            Theme::Size => &sizes::VALUES,
            Theme::Spin | Theme::TryLock | Theme::Input | Theme::Ended(_) => &[],
        }
    }
}
