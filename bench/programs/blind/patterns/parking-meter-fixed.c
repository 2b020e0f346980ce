#include <pthread.h>
#include <stdio.h>

enum { LANES = 2, TICKETS = 2 };

struct meter {
    pthread_mutex_t lock;
    int tickets;
    int cents;
};

static struct meter meter = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void sell_ticket(struct meter *m, int cents)
{
    pthread_mutex_lock(&m->lock);
    m->tickets++;
    m->cents += cents;
    pthread_mutex_unlock(&m->lock);
}

static int tickets_sold(struct meter *m)
{
    pthread_mutex_lock(&m->lock);
    int tickets = m->tickets;
    pthread_mutex_unlock(&m->lock);
    return tickets;
}

static void *lane(void *arg)
{
    for (int i = 0; i < TICKETS; i++)
        sell_ticket(arg, 150);
    return NULL;
}

int main(void)
{
    pthread_t lanes[LANES];

    for (int i = 0; i < LANES; i++)
        pthread_create(&lanes[i], NULL, lane, &meter);

    printf("so far %d tickets\n", tickets_sold(&meter));

    for (int i = 0; i < LANES; i++)
        pthread_join(lanes[i], NULL);
    printf("%d tickets, %d cents\n", meter.tickets, meter.cents);
    return 0;
}
