#include <assert.h>
#include <pthread.h>

static volatile int f0, f1;
static volatile int x;

static void *proc0(void *arg)
{
    for (int i = 0; i < 2; i++) {
        f0 = 1;
        while (f1 >= 3)
            ;
        f0 = 3;
        if (f1 == 1) {
            f0 = 2;
            while (f1 != 4)
                ;
        }
        f0 = 4;
        x = 0;
        assert(x == 0);
        for (;;) {
            int v = f1;
            if (v != 2 && v != 3)
                break;
        }
        f0 = 0;
    }
    return 0;
}

static void *proc1(void *arg)
{
    for (int i = 0; i < 2; i++) {
        f1 = 1;
        while (f0 >= 3)
            ;
        f1 = 3;
        if (f0 == 1) {
            f1 = 2;
            while (f0 != 4)
                ;
        }
        f1 = 4;
        while (f0 >= 2)
            ;
        x = 1;
        assert(x == 1);
        f1 = 0;
    }
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, proc0, 0);
    pthread_create(&b, 0, proc1, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
