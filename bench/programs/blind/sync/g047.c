#include <pthread.h>
#include <assert.h>

#define PEOPLE 3
#define ROUNDS 3

static volatile int whose;              /* index of the one who may speak */
static int speech[PEOPLE * ROUNDS];
static int said;

static void *speaker(void *arg)
{
    int me = (int)(long)arg;

    for (int r = 0; r < ROUNDS; r++) {
        while (whose != me)
            __builtin_ia32_pause();

        speech[said] = me;
        said++;

        __sync_synchronize();
        whose = (me + 1) % PEOPLE;
    }
    return NULL;
}

int main(void)
{
    pthread_t t[PEOPLE];

    for (long i = 0; i < PEOPLE; i++)
        pthread_create(&t[i], NULL, speaker, (void *)i);
    for (int i = 0; i < PEOPLE; i++)
        pthread_join(t[i], NULL);
    assert(said == PEOPLE * ROUNDS);
    for (int i = 0; i < said; i++)
        assert(speech[i] == i % PEOPLE);
    return 0;
}
