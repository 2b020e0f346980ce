#include <assert.h>
#include <pthread.h>

#define TASKS 3

static pthread_mutex_t lk = PTHREAD_MUTEX_INITIALIZER;
static volatile int H, T;
static volatile int task[TASKS + 1];
static volatile int runs_owner[TASKS], runs_thief[TASKS];

static void push(int v)
{
    task[T] = v;
    T = T + 1;
}

static int pop(void)
{
    T = T - 1;
    if (H > T) {
        T = T + 1;
        pthread_mutex_lock(&lk);
        T = T - 1;
        if (H > T) {
            T = T + 1;
            pthread_mutex_unlock(&lk);
            return -1;
        }
        pthread_mutex_unlock(&lk);
    }
    return task[T];
}

static int steal(void)
{
    int v = -1;
    pthread_mutex_lock(&lk);
    H = H + 1;
    if (H > T)
        H = H - 1;
    else
        v = task[H - 1];
    pthread_mutex_unlock(&lk);
    return v;
}

static void *thief(void *arg)
{
    for (int i = 0; i < 2; i++) {
        int v = steal();
        if (v >= 0)
            runs_thief[v]++;
    }
    return 0;
}

static void own(int v)
{
    if (v >= 0)
        runs_owner[v]++;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, thief, 0);
    push(0);
    push(1);
    own(pop());
    push(2);
    own(pop());
    own(pop());
    pthread_join(t, 0);
    for (int i = 0; i < 3; i++)
        own(pop());
    for (int i = 0; i < TASKS; i++)
        assert(runs_owner[i] + runs_thief[i] == 1);
    return 0;
}
