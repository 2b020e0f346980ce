#include <pthread.h>

static volatile int wants[2], turn;
int track[16];
int pos;

static void section_begin(int i, int j)
{
    wants[i] = 1;
    if (!wants[j])
        return;
    if (turn == j) {
        wants[i] = 0;
        while (turn == j)
            __builtin_ia32_pause();
        wants[i] = 1;
    } else {
        while (wants[j])
            __builtin_ia32_pause();
    }
}

static void section_end(int i, int j)
{
    turn = j;
    wants[i] = 0;
}

static void *train(void *arg)
{
    int i = (int)(long)arg;

    for (int k = 0; k < 3; k++) {
        section_begin(i, !i);
        track[pos] = i;
        pos++;
        section_end(i, !i);
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, train, (void *)0L);
    pthread_create(&b, NULL, train, (void *)1L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
