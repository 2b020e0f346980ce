#include <pthread.h>
#include <stdatomic.h>
#include <sched.h>

#define CREW 3

static atomic_int came, gone;
static int load_[CREW];
static int seen[CREW];

static void muster(void)
{
    atomic_fetch_add(&came, 1);
    while (atomic_load(&came) < CREW)
        sched_yield();

    if (atomic_fetch_add(&gone, 1) == CREW - 1) {
        atomic_store(&came, 0);
        atomic_store(&gone, 0);
    } else {
        while (atomic_load(&gone) != 0)
            sched_yield();
    }
}

static void *sailor(void *arg)
{
    int me = *(int *)arg;

    for (int r = 1; r <= 2; r++) {
        load_[me] = r;
        muster();
        seen[me] += load_[(me + 1) % CREW];
        muster();
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b, c;
    int id[CREW] = { 0, 1, 2 };

    pthread_create(&a, NULL, sailor, id);
    pthread_create(&b, NULL, sailor, id + 1);
    pthread_create(&c, NULL, sailor, id + 2);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return (seen[0] == 3 && seen[1] == 3 && seen[2] == 3) ? 0 : 1;
}
