#include <assert.h>
#include <pthread.h>

static volatile int flag[2];
static volatile int turn;
static volatile int inside;

static void enter(int i)
{
    int j = 1 - i;
    flag[i] = 1;
    while (flag[j]) {
        if (turn != i) {
            flag[i] = 0;
            while (turn != i)
                ;
            flag[i] = 1;
        }
    }
}

static void leave(int i)
{
    turn = 1 - i;
    flag[i] = 0;
}

static void *proc(void *arg)
{
    int i = (int)(long)arg;
    for (int k = 0; k < 2; k++) {
        enter(i);
        inside = inside + 1;
        assert(inside == 1);
        inside = inside - 1;
        leave(i);
    }
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
