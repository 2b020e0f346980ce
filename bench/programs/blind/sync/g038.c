#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t wmutex = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned long serial;
static volatile int odo_km, odo_m;

static inline unsigned long cmpxchg_read(volatile unsigned long *p)
{
    unsigned long r = 0, zero = 0;

    /* an atomic read: stores 0 only over 0 */
    __asm__ volatile("lock cmpxchgq %2, %1"
                     : "+a"(r), "+m"(*p) : "r"(zero) : "memory", "cc");
    return r;
}

static void odo_advance(int km)
{
    pthread_mutex_lock(&wmutex);
    serial++;
    __sync_synchronize();
    odo_km += km;
    odo_m += km * 1000;
    __sync_synchronize();
    serial++;
    pthread_mutex_unlock(&wmutex);
}

static void odo_read(int *km, int *m)
{
    for (;;) {
        unsigned long s = cmpxchg_read(&serial);

        if (s & 1) {
            __builtin_ia32_pause();
            continue;
        }
        *km = odo_km;
        *m = odo_m;
        if (cmpxchg_read(&serial) == s)
            break;
    }
}

static void *wheel(void *arg)
{
    odo_advance(*(int *)arg);
    return NULL;
}

static void *dashboard(void *arg)
{
    int km, m;

    (void)arg;
    for (int i = 0; i < 2; i++) {
        odo_read(&km, &m);
        if (m != km * 1000)
            abort();
    }
    return NULL;
}

int main(void)
{
    pthread_t f, r, d;
    int a = 2, b = 3;

    pthread_create(&f, NULL, wheel, &a);
    pthread_create(&r, NULL, wheel, &b);
    pthread_create(&d, NULL, dashboard, NULL);
    pthread_join(f, NULL);
    pthread_join(r, NULL);
    pthread_join(d, NULL);
    return 0;
}
