#include <assert.h>
#include <pthread.h>

static volatile int number[2];
static volatile int owner;

static void *proc(void *arg)
{
    int i = (int)(long)arg, j = 1 - i;
    number[i] = number[j] + 1;
    for (;;) {
        int n = number[j];
        if (n == 0 || n > number[i] || (n == number[i] && j > i))
            break;
    }
    owner = i;
    assert(owner == i);
    number[i] = 0;
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, proc, (void *)0L);
    pthread_create(&b, 0, proc, (void *)1L);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
