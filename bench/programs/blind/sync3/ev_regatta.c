#include <assert.h>
#include <pthread.h>
#include <sched.h>

#define BOATS 2

struct race {
    int out;
    volatile int all_in;
};

static struct race today = { BOATS, 0 };
static int finish[BOATS];

static void boat_home(struct race *r)
{
    if (__sync_sub_and_fetch(&r->out, 1) == 1) {
        __sync_synchronize();
        r->all_in = 1;
    }
}

static void wait_for_fleet(struct race *r)
{
    for (; !r->all_in; )
        sched_yield();
    __sync_synchronize();
}

static void *boat(void *arg)
{
    int *place = arg;
    *place = 1;
    boat_home(&today);
    return 0;
}

static void *judge(void *unused)
{
    wait_for_fleet(&today);
    for (int i = 0; i < BOATS; i++)
        assert(finish[i] == 1);
    return unused;
}

int main(void)
{
    pthread_t b[BOATS], j;
    pthread_create(&j, 0, judge, 0);
    for (int i = 0; i < BOATS; i++)
        pthread_create(&b[i], 0, boat, &finish[i]);
    for (int i = 0; i < BOATS; i++)
        pthread_join(b[i], 0);
    pthread_join(j, 0);
    return 0;
}
