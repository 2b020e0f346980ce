#include <pthread.h>
#include <sched.h>

static volatile int flag[2];
static volatile int turn;
int record[8];
int used;

static void append(int v)
{
    record[used] = v;
    used = used + 1;
}

static void p_lock(const int self)
{
    const int other = !self;

    turn = other;
    __sync_synchronize();
    flag[self] = 1;
    __sync_synchronize();
    while (flag[other] && turn == other)
        sched_yield();
}

static void p_unlock(const int self)
{
    __sync_synchronize();
    flag[self] = 0;
}

static void *logger0(void *x)
{
    (void)x;
    for (int i = 0; i < 2; i++) {
        p_lock(0);
        append(i);
        p_unlock(0);
    }
    return NULL;
}

static void *logger1(void *x)
{
    (void)x;
    for (int i = 0; i < 2; i++) {
        p_lock(1);
        append(100 + i);
        p_unlock(1);
    }
    return NULL;
}

int main(void)
{
    pthread_t t0, t1;

    pthread_create(&t0, NULL, logger0, NULL);
    pthread_create(&t1, NULL, logger1, NULL);
    pthread_join(t0, NULL);
    pthread_join(t1, NULL);
    return 0;
}
