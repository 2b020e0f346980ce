#include <assert.h>
#include <pthread.h>

void reach_error(void) { assert(0); }

int want0, want1, turn;
int x;

void *proc0(void *arg)
{
    for (int i = 0; i < 2; i++) {
        want0 = 1;
        turn = 1;
        while (want1 == 1 && turn == 1)
            ;
        x = 0;
        if (x > 0)
            reach_error();
        want0 = 0;
    }
    return 0;
}

void *proc1(void *arg)
{
    for (int i = 0; i < 2; i++) {
        want1 = 1;
        turn = 0;
        while (want0 == 1 && turn == 0)
            ;
        x = 1;
        if (x < 1)
            reach_error();
        want1 = 0;
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
