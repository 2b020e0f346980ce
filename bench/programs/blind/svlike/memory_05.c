#include <pthread.h>
#include <stdlib.h>

struct session {
    int id;
    int hits;
};

static struct session *cur;
static volatile int gone;

static void *reader(void *arg)
{
    if (!gone)
        cur->hits = 1;
    return 0;
}

static void *closer(void *arg)
{
    gone = 1;
    free(cur);
    return 0;
}

int main(void)
{
    pthread_t r, c;
    cur = malloc(sizeof *cur);
    if (!cur)
        exit(0);
    cur->id = 4;
    cur->hits = 0;
    pthread_create(&r, 0, reader, 0);
    pthread_create(&c, 0, closer, 0);
    pthread_join(r, 0);
    pthread_join(c, 0);
    return 0;
}
