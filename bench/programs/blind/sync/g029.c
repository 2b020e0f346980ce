#include <pthread.h>
#include <sched.h>

#define MAX_TRIES 3

int published;
char text[8];
int  checksum;

static void *writer(void *arg)
{
    (void)arg;
    for (int i = 0; i < 7; i++)
        text[i] = (char)('a' + i);
    __atomic_store_n(&published, 1, __ATOMIC_RELEASE);
    return NULL;
}

static void *reader(void *arg)
{
    (void)arg;
    for (int tries = 0; tries < MAX_TRIES; tries++) {
        if (__atomic_load_n(&published, __ATOMIC_ACQUIRE))
            break;
        sched_yield();
    }
    for (int i = 0; text[i]; i++)
        checksum += text[i];
    return NULL;
}

int main(void)
{
    pthread_t w, r;

    pthread_create(&r, NULL, reader, NULL);
    pthread_create(&w, NULL, writer, NULL);
    pthread_join(w, NULL);
    pthread_join(r, NULL);
    return 0;
}
