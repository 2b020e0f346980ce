#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>

typedef struct {
    atomic_int active;        /* in, or about to be */
    atomic_int lockout;       /* no entry at the moment */
} library_t;

static library_t lib;
static int isbn = 1, copy_of_isbn = 1;

static void lib_read(library_t *l)
{
    for (;;) {
        while (atomic_load(&l->lockout))
            ;
        atomic_fetch_add(&l->active, 1);
        if (!atomic_load(&l->lockout))
            return;
        atomic_fetch_sub(&l->active, 1);
    }
}

static void lib_read_done(library_t *l)
{
    atomic_fetch_sub(&l->active, 1);
}

static void lib_write(library_t *l)
{
    int no = 0;

    while (!atomic_compare_exchange_strong(&l->lockout, &no, 1))
        no = 0;
    while (atomic_load(&l->active) != 0)
        ;
}

static void lib_write_done(library_t *l)
{
    atomic_store(&l->lockout, 0);
}

static void *student(void *arg)
{
    (void)arg;
    lib_read(&lib);
    assert(isbn == copy_of_isbn);
    lib_read_done(&lib);
    return NULL;
}

static void *librarian(void *arg)
{
    int step = *(int *)arg;

    lib_write(&lib);
    isbn += step;
    copy_of_isbn += step;
    lib_write_done(&lib);
    return NULL;
}

int main(void)
{
    pthread_t s1, s2, l1, l2;
    int one = 1, two = 2;

    pthread_create(&s1, NULL, student, NULL);
    pthread_create(&l1, NULL, librarian, &one);
    pthread_create(&s2, NULL, student, NULL);
    pthread_create(&l2, NULL, librarian, &two);
    pthread_join(s1, NULL);
    pthread_join(s2, NULL);
    pthread_join(l1, NULL);
    pthread_join(l2, NULL);
    assert(isbn == 4);
    return 0;
}
