// A queue with many producers and one consumer. A producer loads the last node and then stores its own as the last:
// two producers can link behind the same node, and one message is lost.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#define PRODUCERS 2

struct message {
    _Atomic(struct message *) next;
    int text;
};

static struct message stub;
static _Atomic(struct message *) last = &stub;
static struct message *first = &stub;
static struct message messages[PRODUCERS] = {{NULL, 1}, {NULL, 2}};

static void send(struct message *m)
{
    struct message *before = atomic_load(&last);
    atomic_store(&last, m);
    atomic_store(&before->next, m);
}

static struct message *receive(void)
{
    struct message *next = atomic_load(&first->next);

    if (next)
        first = next;
    return next;
}

static void *producer(void *arg)
{
    send(arg);
    return NULL;
}

int main(void)
{
    pthread_t producers[PRODUCERS];
    int received = 0;
    struct message *m;

    for (int i = 0; i < PRODUCERS; i++)
        pthread_create(&producers[i], NULL, producer, &messages[i]);
    m = receive();
    if (m)
        received += m->text;
    for (int i = 0; i < PRODUCERS; i++)
        pthread_join(producers[i], NULL);
    while ((m = receive()))
        received += m->text;
    assert(received == 3);
    return 0;
}
