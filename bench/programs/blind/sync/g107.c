#include <pthread.h>
#include <stdbool.h>

struct list { struct list *next; int v; };

typedef struct {
    int word;
} spin_t;

static spin_t lk;
static struct list *head;
static int length;

static void spin_enter(spin_t *s)
{
    int delay = 1;

    for (;;) {
        while (__atomic_load_n(&s->word, __ATOMIC_RELAXED))
            __builtin_ia32_pause();
        if (!__atomic_exchange_n(&s->word, 1, __ATOMIC_ACQUIRE))
            return;
        for (volatile int i = 0; i < delay; i++)
            ;
        if (delay < 8)
            delay <<= 1;
    }
}

static void spin_leave(spin_t *s)
{
    __atomic_store_n(&s->word, 0, __ATOMIC_RELEASE);
}

static void push(struct list *e)
{
    spin_enter(&lk);
    e->next = head;
    head = e;
    length++;
    spin_leave(&lk);
}

static void *pusher(void *arg)
{
    struct list *two = arg;

    push(&two[0]);
    push(&two[1]);
    return NULL;
}

int main(void)
{
    static struct list cells[3][2];
    pthread_t t[3];
    int n = 0;

    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, pusher, cells[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    for (struct list *p = head; p; p = p->next)
        n++;
    return n == length && n == 6 ? 0 : 1;
}
