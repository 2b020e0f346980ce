#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static volatile int made;
static pthread_mutex_t make_mx = PTHREAD_MUTEX_INITIALIZER;

static int volatile serial;
static int volatile handle;

static int get_handle(void)
{
    if (!made) {
        pthread_mutex_lock(&make_mx);
        serial = serial + 1;
        handle = 1000 + serial;
        made = 1;
        pthread_mutex_unlock(&make_mx);
    }
    return handle;
}

struct job {
    int delay;
    int got;
};

static void *worker(void *arg)
{
    struct job *j = arg;

    usleep(j->delay);
    j->got = get_handle();
    assert(j->got == 1001);
    return NULL;
}

int main(void)
{
    struct job jobs[3] = { { 0, 0 }, { 1500, 0 }, { 3000, 0 } };
    pthread_t t[3];
    int i;

    for (i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, &jobs[i]);
    for (i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    assert(serial == 1);
    printf("handle %d\n", handle);
    return 0;
}
