// Buyers wait for a ticket with `if`. Each printed ticket wakes all of them; the first takes it, and the next goes on
// as if there still were one.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#define BUYERS 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t printed = PTHREAD_COND_INITIALIZER;
static int tickets;

static void *buyer(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    if (tickets == 0)
        pthread_cond_wait(&printed, &lock);
    assert(tickets > 0);
    tickets--;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void print_ticket(void)
{
    pthread_mutex_lock(&lock);
    tickets++;
    pthread_cond_broadcast(&printed);
    pthread_mutex_unlock(&lock);
}

int main(void)
{
    pthread_t buyers[BUYERS];

    for (int i = 0; i < BUYERS; i++)
        pthread_create(&buyers[i], NULL, buyer, NULL);
    for (int i = 0; i < BUYERS; i++)
        print_ticket();
    for (int i = 0; i < BUYERS; i++)
        pthread_join(buyers[i], NULL);
    return tickets;
}
