#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>

struct mail {
    atomic_uint sent;
    atomic_uint fetched;
    struct { int from, amount; } letter;
};

static struct mail box;
static int total;

static void mail_send(struct mail *m, int from, int amount)
{
    unsigned n = atomic_load(&m->sent);

    while (atomic_load(&m->fetched) != n)
        ;
    m->letter.from = from;
    m->letter.amount = amount;
    atomic_store(&m->sent, n + 1);
}

static void mail_fetch(struct mail *m, int *from, int *amount)
{
    unsigned n = atomic_load(&m->fetched);

    while (atomic_load(&m->sent) == n)
        ;
    *from = m->letter.from;
    *amount = m->letter.amount;
    atomic_store(&m->fetched, n + 1);
}

static void *sender(void *arg)
{
    (void)arg;
    for (int i = 1; i <= 3; i++)
        mail_send(&box, i, i * 10);
    return NULL;
}

static void *receiver(void *arg)
{
    int f, a;

    (void)arg;
    for (int i = 1; i <= 3; i++) {
        mail_fetch(&box, &f, &a);
        assert(f == i && a == i * 10);
        total += a;
    }
    return NULL;
}

int main(void)
{
    pthread_t s, r;

    pthread_create(&s, NULL, sender, NULL);
    pthread_create(&r, NULL, receiver, NULL);
    pthread_join(s, NULL);
    pthread_join(r, NULL);
    assert(total == 60);
    return 0;
}
