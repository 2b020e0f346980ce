#include <pthread.h>

static int users;
long audit[4];
int  audit_n;

static inline int add_ret_old(int *p, int d)
{
    int r = d;

    __asm__ __volatile__("lock; xaddl %0, %1"
                         : "+r"(r), "+m"(*p) : : "memory", "cc");
    return r;
}

static void grab(int *p)
{
    for (;;) {
        if (add_ret_old(p, 1) == 0)
            return;
        add_ret_old(p, -1);
        while (*(volatile int *)p > 0)
            __builtin_ia32_pause();
    }
}

static void drop(int *p)
{
    *(volatile int *)p = 0;
}

static void *auditor(void *arg)
{
    long id = (long)arg;

    grab(&users);
    audit[audit_n] = id;
    audit_n++;
    drop(&users);
    return NULL;
}

int main(void)
{
    pthread_t t[3];

    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, auditor, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
