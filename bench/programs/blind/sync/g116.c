#include <pthread.h>

typedef struct { volatile int held; } spot_t;

static spot_t first;                       /* free at the start */
static spot_t *volatile end_of_line = &first;

typedef struct {
    spot_t  spot;
    spot_t *watch;
} place_t;

static void queue_up(place_t *p)
{
    p->spot.held = 1;
    p->watch = __sync_lock_test_and_set(&end_of_line, &p->spot);
    while (p->watch->held)
        __builtin_ia32_pause();
}

static void step_out(place_t *p)
{
    p->spot.held = 0;
}

static place_t place[2];
int tank[2];

static void *pump(void *arg)
{
    int k = (int)(long)arg;

    for (int i = 0; i < 2; i++) {
        queue_up(&place[k]);
        tank[0]++;
        tank[1] += tank[0];
        step_out(&place[k]);
    }
    return NULL;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, pump, (void *)0L);
    pthread_create(&b, NULL, pump, (void *)1L);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
