// A server keeps the current time as text. The clock rewrites it digit by digit while a reply copies it, and the
// reply shows a time that never was.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char now[2] = {'0', '9'};

static void set_time(int minutes)
{
    now[0] = (char)('0' + minutes / 10);
    now[1] = (char)('0' + minutes % 10);
}

static int get_time(void)
{
    char copy[2];

    pthread_mutex_lock(&lock);
    for (int i = 0; i < 2; i++)
        copy[i] = now[i];
    pthread_mutex_unlock(&lock);
    return 10 * (copy[0] - '0') + (copy[1] - '0');
}

static void *clock_tick(void *arg)
{
    (void)arg;
    set_time(10);
    return NULL;
}

static void *reply(void *arg)
{
    (void)arg;
    int minutes = get_time();
    assert(minutes == 9 || minutes == 10);
    return NULL;
}

int main(void)
{
    pthread_t clock, server;

    pthread_create(&clock, NULL, clock_tick, NULL);
    pthread_create(&server, NULL, reply, NULL);
    pthread_join(clock, NULL);
    pthread_join(server, NULL);
    return 0;
}
