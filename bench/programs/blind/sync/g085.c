#include <pthread.h>

static int enrolled;
static int arrived;
static int turn_no;
int samples[3];
int total;

#define ENLIST()  __sync_fetch_and_add(&enrolled, 1)

#define MEET_ALL()                                                     \
    do {                                                               \
        int t_ = __atomic_load_n(&turn_no, __ATOMIC_SEQ_CST);          \
        int n_ = __sync_add_and_fetch(&arrived, 1);                    \
        if (n_ == __atomic_load_n(&enrolled, __ATOMIC_SEQ_CST)) {      \
            __atomic_store_n(&arrived, 0, __ATOMIC_SEQ_CST);           \
            __atomic_store_n(&turn_no, t_ + 1, __ATOMIC_SEQ_CST);      \
        }                                                              \
        while (__atomic_load_n(&turn_no, __ATOMIC_SEQ_CST) == t_)      \
            ;                                                          \
    } while (0)

static void *sensor(void *arg)
{
    long id = (long)arg;

    ENLIST();
    samples[id] = 5 + (int)id;
    MEET_ALL();
    if (id == 0)
        for (int i = 0; i < 3; i++)
            total += samples[i];
    MEET_ALL();
    samples[id] = total;
    return NULL;
}

int main(void)
{
    pthread_t th[3];
    long i;

    for (i = 0; i < 3; i++)
        pthread_create(&th[i], NULL, sensor, (void *)i);
    for (i = 0; i < 3; i++)
        pthread_join(th[i], NULL);
    return 0;
}
