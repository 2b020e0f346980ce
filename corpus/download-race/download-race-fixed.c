// Two connections of a download add their bytes to an atomic counter; atomic accesses do not race.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_long received;

static void *connection(void *arg)
{
    received += *(const long *)arg;
    return NULL;
}

int main(void)
{
    static const long chunks[2] = {1500, 900};
    pthread_t connections[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&connections[i], NULL, connection, (void *)&chunks[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(connections[i], NULL);
    return received < 0;
}
