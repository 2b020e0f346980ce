#include <assert.h>
#include <pthread.h>

static volatile unsigned next, serving;
static volatile int owner;

static void *clerk(void *arg)
{
    int id = (int)(long)arg;
    unsigned mine = next;
    next = mine + 1;
    while (serving != mine)
        ;
    owner = id;
    assert(owner == id);
    serving = mine + 1;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, clerk, (void *)1L);
    pthread_create(&b, 0, clerk, (void *)2L);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
