#include <pthread.h>
#include <sched.h>

#define NREAD 2

static volatile int here[NREAD];
static volatile int closing;
int temp_c = 10, temp_f = 50;
int sample[NREAD];

static void begin_read(int i)
{
again:
    here[i] = 1;
    __sync_synchronize();
    if (closing) {
        here[i] = 0;
        while (closing)
            sched_yield();
        goto again;
    }
}

static void end_read(int i)
{
    __sync_synchronize();
    here[i] = 0;
}

static void begin_write(void)
{
    int i;

    closing = 1;
    __sync_synchronize();
    for (i = 0; i < NREAD - 1; i++)
        while (here[i])
            sched_yield();
}

static void end_write(void)
{
    __sync_synchronize();
    closing = 0;
}

static void *display(void *arg)
{
    int i = (int)(long)arg;

    begin_read(i);
    sample[i] = temp_f - temp_c;
    end_read(i);
    return NULL;
}

static void *thermometer(void *arg)
{
    (void)arg;
    begin_write();
    temp_c = 20;
    temp_f = 68;
    end_write();
    return NULL;
}

int main(void)
{
    pthread_t d[NREAD], t;

    for (long i = 0; i < NREAD; i++)
        pthread_create(&d[i], NULL, display, (void *)i);
    pthread_create(&t, NULL, thermometer, NULL);
    for (int i = 0; i < NREAD; i++)
        pthread_join(d[i], NULL);
    pthread_join(t, NULL);
    return 0;
}
