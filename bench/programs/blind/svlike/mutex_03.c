#include <assert.h>
#include <pthread.h>

#define N 3

static volatile int choosing[N], number[N];
static volatile int owner;

static void enter(int i)
{
    int max = 0;
    choosing[i] = 1;
    for (int j = 0; j < N; j++) {
        int n = number[j];
        if (n > max)
            max = n;
    }
    number[i] = max + 1;
    choosing[i] = 0;
    for (int j = 0; j < N; j++) {
        if (j == i)
            continue;
        while (choosing[j])
            ;
        for (;;) {
            int n = number[j];
            if (n == 0 || n > number[i] || (n == number[i] && j > i))
                break;
        }
    }
}

static void *proc(void *arg)
{
    int i = (int)(long)arg;
    enter(i);
    owner = i;
    assert(owner == i);
    number[i] = 0;
    return 0;
}

int main(void)
{
    pthread_t t[N];
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], 0, proc, (void *)i);
    for (int i = 0; i < N; i++)
        pthread_join(t[i], 0);
    return 0;
}
