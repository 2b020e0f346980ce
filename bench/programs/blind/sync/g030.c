#define _DEFAULT_SOURCE
#include <pthread.h>
#include <unistd.h>

static volatile int done[2];
int part[2];
int whole;

static void *make_part(void *arg)
{
    int k = *(int *)arg;

    for (int i = 1; i <= 3; i++)
        part[k] += i * (k + 1);
    __sync_synchronize();
    done[k] = 1;
    return NULL;
}

static void *assemble(void *arg)
{
    (void)arg;
    /* both parts are needed below */
    while (!done[0] && !done[1])
        usleep(50);
    __sync_synchronize();
    whole = part[0] + part[1];
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    int k[2] = { 0, 1 };

    pthread_create(&t[0], NULL, assemble, NULL);
    pthread_create(&t[1], NULL, make_part, &k[0]);
    pthread_create(&t[2], NULL, make_part, &k[1]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
