// Agents sell seats until `stop_sales` is set. Flag and counter are tested and changed in one critical section.
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#define CAPACITY 2
#define AGENTS 3

static pthread_mutex_t desk = PTHREAD_MUTEX_INITIALIZER;
static int sold;
static bool stop_sales;

static void *agent(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&desk);
    if (!stop_sales) {
        sold++;
        if (sold >= CAPACITY)
            stop_sales = true;
    }
    pthread_mutex_unlock(&desk);
    return NULL;
}

int main(void)
{
    pthread_t agents[AGENTS];

    for (int i = 0; i < AGENTS; i++)
        pthread_create(&agents[i], NULL, agent, NULL);
    for (int i = 0; i < AGENTS; i++)
        pthread_join(agents[i], NULL);
    assert(sold <= CAPACITY);
    return 0;
}
