// A transfer locks the source account, then the target. Two transfers in opposite directions each hold one account
// and wait for the other.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct account {
    int number;
    int balance;
    pthread_mutex_t lock;
};

struct order {
    struct account *from, *to;
    int amount;
};

static struct account savings = {1, 100, PTHREAD_MUTEX_INITIALIZER};
static struct account giro = {2, 100, PTHREAD_MUTEX_INITIALIZER};

static void *transfer(void *arg)
{
    const struct order *o = arg;

    pthread_mutex_lock(&o->from->lock);
    pthread_mutex_lock(&o->to->lock);
    o->from->balance -= o->amount;
    o->to->balance += o->amount;
    pthread_mutex_unlock(&o->to->lock);
    pthread_mutex_unlock(&o->from->lock);
    return NULL;
}

int main(void)
{
    struct order save = {&giro, &savings, 30};
    struct order spend = {&savings, &giro, 20};
    pthread_t first, second;

    pthread_create(&first, NULL, transfer, &save);
    pthread_create(&second, NULL, transfer, &spend);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(savings.balance == 110 && giro.balance == 90);
    return 0;
}
