//! Blocks of memory passed between threads: `realloc` by another thread, handing over, lists.

use super::family::{Family, act, mostly};
use crate::random::Random;

pub fn growing(random: &mut Random) -> Family {
    let careful = [
        act("pthread_mutex_lock(&vec_mtx);\nvec_push($k);\npthread_mutex_unlock(&vec_mtx);", 9),
        act("pthread_mutex_lock(&vec_mtx);\ngot += vec.at[vec.n - 1];\npthread_mutex_unlock(&vec_mtx);", 5),
        act("got += (int)vec.n;", 1),
    ];
    let careless = [act("vec_push($k);", 7), act("got += vec.at[0];", 2)];
    Family {
        top: "struct vec_s { int *at; size_t n; };\nstatic struct vec_s vec;\n\
              static pthread_mutex_t vec_mtx = PTHREAD_MUTEX_INITIALIZER;\n\
              static void vec_push(int v) {\nint *more = realloc(vec.at, (vec.n + 1) * sizeof *more);\n\
              if (!more) abort();\nmore[vec.n++] = v;\nvec.at = more;\n}\n",
        setup: "vec_push(6);",
        teardown: "free(vec.at);",
        acts: mostly(random, &careful, &careless),
        shown: &["(int)vec.n", "vec.at[vec.n - 1]"],
        guesses: &["vec.n <= 2", "vec.at[vec.n - 1] != $k", "vec.at[0] == 6"],
        ..Family::default()
    }
}

pub fn handed(random: &mut Random) -> Family {
    let careful = [
        act("{\nNode *mine = atomic_exchange(&inbox, NULL);\nif (mine) {\ngot += mine->val;\nfree(mine);\n}\n}", 3),
        act("{\nNode *fresh = node_new($k);\nfree(atomic_exchange(&inbox, fresh));\n}", 2),
        act(
            "{\nNode *fresh = node_new($k);\nNode *none = NULL;\nif (!atomic_compare_exchange_strong(&inbox, &none, fresh)) free(fresh);\n}",
            2,
        ),
    ];
    let careless = [act("{\nNode *look = inbox;\nif (look) got += look->val;\n}", 2)];
    Family {
        top: "typedef struct node { int val; struct node *next; } Node;\nstatic _Atomic(Node *) inbox;\n\
              static Node *node_new(int v) {\nNode *n = calloc(1, sizeof *n);\nif (!n) abort();\nn->val = v;\nreturn n;\n}\n",
        setup: "inbox = node_new(1);",
        teardown: "free(inbox);",
        acts: mostly(random, &careful, &careless),
        shown: &["inbox ? inbox->val : -1"],
        guesses: &["inbox == NULL", "!inbox || inbox->val != $k"],
        ..Family::default()
    }
}

pub fn lists(random: &mut Random) -> Family {
    let careful = [
        act("pthread_mutex_lock(&pile_mtx);\npile_put($k);\npthread_mutex_unlock(&pile_mtx);", 7),
        act("pthread_mutex_lock(&pile_mtx);\ngot = got * 4 + pile_get();\npthread_mutex_unlock(&pile_mtx);", 6),
    ];
    let careless = [act("pile_put($k);", 4), act("got += pile_get();", 5)];
    Family {
        top: "struct item { struct item *under; short weight; };\nstatic struct item *pile;\nstatic struct item store[4];\n\
              static int stored;\nstatic pthread_mutex_t pile_mtx = PTHREAD_MUTEX_INITIALIZER;\n\
              static void pile_put(int w) {\nstruct item *i = &store[stored++ & 3];\ni->weight = (short)w;\ni->under = pile;\npile = i;\n}\n\
              static int pile_get(void) {\nstruct item *i = pile;\nif (!i)\nreturn 0;\npile = i->under;\nreturn i->weight;\n}\n",
        acts: mostly(random, &careful, &careless),
        shown: &["stored", "pile ? pile->weight : 0"],
        guesses: &["stored <= 1", "!pile || pile->weight != $k", "pile != NULL"],
        ..Family::default()
    }
}
