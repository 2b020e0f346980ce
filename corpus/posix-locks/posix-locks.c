// The other synchronisation objects of POSIX threads: read-write locks, spin locks, barriers, once, and keys.
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 2

static pthread_rwlock_t table_lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int table[THREADS], reads[THREADS];
static int spun, made;
static atomic_int serial_threads, destroyed;

static void destroy(void *value)
{
    destroyed += *(int *)value;
    free(value);
}

static void make_key(void)
{
    made++;
    pthread_key_create(&key, destroy);
}

static void *worker(void *arg)
{
    int self = *(const int *)arg;
    int *own = malloc(sizeof *own);

    pthread_once(&once, make_key);
    *own = self + 1;
    pthread_setspecific(key, own);

    pthread_rwlock_wrlock(&table_lock);
    table[self] = self + 10;
    pthread_rwlock_unlock(&table_lock);

    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
        serial_threads++;

    pthread_rwlock_rdlock(&table_lock);
    reads[self] = table[0] + table[1];
    pthread_rwlock_unlock(&table_lock);

    pthread_spin_lock(&spin);
    spun += *(int *)pthread_getspecific(key);
    pthread_spin_unlock(&spin);
    return NULL;
}

static void *try_locks(void *arg)
{
    int *answers = arg;

    answers[0] = pthread_rwlock_tryrdlock(&table_lock);
    answers[1] = pthread_rwlock_trywrlock(&table_lock);
    answers[2] = pthread_spin_trylock(&spin);
    if (answers[0] == 0)
        pthread_rwlock_unlock(&table_lock);
    return NULL;
}

static void show_tries(const char *label)
{
    int answers[3];
    pthread_t thread;

    pthread_create(&thread, NULL, try_locks, answers);
    pthread_join(thread, NULL);
    printf("%s:", label);
    for (int i = 0; i < 3; i++)
        printf(" %s", answers[i] == 0 ? "ok" : answers[i] == EBUSY ? "EBUSY" : "other");
    printf("\n");
}

int main(void)
{
    static const int ids[THREADS] = {0, 1};
    pthread_t threads[THREADS];

    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, (void *)&ids[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("reads %d %d, spun %d\n", reads[0], reads[1], spun);
    printf("serial threads %d, key made %d time, destroyed %d\n", serial_threads, made, destroyed);
    printf("main has no value: %d\n", pthread_getspecific(key) == NULL);

    pthread_spin_lock(&spin);
    pthread_rwlock_rdlock(&table_lock);
    pthread_rwlock_rdlock(&table_lock);
    show_tries("held for reading");
    pthread_rwlock_unlock(&table_lock);
    pthread_rwlock_unlock(&table_lock);
    pthread_rwlock_wrlock(&table_lock);
    show_tries("held for writing");
    pthread_rwlock_unlock(&table_lock);
    pthread_spin_unlock(&spin);

    pthread_key_delete(key);
    pthread_barrier_destroy(&barrier);
    pthread_spin_destroy(&spin);
    pthread_rwlock_destroy(&table_lock);
    return 0;
}
