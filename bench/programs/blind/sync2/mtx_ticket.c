/* Ticket lock around a linked list. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

struct ticket_lock {
    volatile unsigned next;
    volatile unsigned serving;
};

struct item {
    int key;
    struct item *link;
};

static struct ticket_lock tl;
static struct item *head;

static void ticket_acquire(struct ticket_lock *l)
{
    unsigned my = __sync_fetch_and_add(&l->next, 1);

    while (l->serving != my)
        sched_yield();
    __sync_synchronize();
}

static void ticket_release(struct ticket_lock *l)
{
    __sync_synchronize();
    l->serving = l->serving + 1;
}

static void *pusher(void *arg)
{
    int base = *(int *)arg;
    int i;

    for (i = 0; i < 3; i++) {
        struct item *it = malloc(sizeof *it);
        it->key = base + i;
        ticket_acquire(&tl);
        it->link = head;
        head = it;
        ticket_release(&tl);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    int base[3] = { 10, 20, 30 };
    int i, n = 0, sum = 0;

    for (i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, pusher, &base[i]);
    for (i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    while (head) {
        struct item *it = head;
        head = it->link;
        sum += it->key;
        n++;
        free(it);
    }
    assert(n == 9 && sum == 189);
    printf("%d items, sum %d\n", n, sum);
    return 0;
}
