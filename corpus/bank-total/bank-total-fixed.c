// Each clerk books deposits into an account of its own and into the bank's total, the latter under the bank's lock.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#define CLERKS 2
#define DEPOSITS 2

struct account {
    int number;
    int balance;
};

static struct account accounts[CLERKS];
static int total;
static pthread_mutex_t ledger = PTHREAD_MUTEX_INITIALIZER;

static void *clerk(void *arg)
{
    struct account *own = arg;

    for (int i = 1; i <= DEPOSITS; i++) {
        int amount = 10 * own->number + i;
        own->balance += amount;
        pthread_mutex_lock(&ledger);
        total += amount;
        pthread_mutex_unlock(&ledger);
    }
    return NULL;
}

int main(void)
{
    pthread_t clerks[CLERKS];
    int sum = 0;

    for (int i = 0; i < CLERKS; i++) {
        accounts[i].number = i + 1;
        pthread_create(&clerks[i], NULL, clerk, &accounts[i]);
    }
    for (int i = 0; i < CLERKS; i++) {
        pthread_join(clerks[i], NULL);
        sum += accounts[i].balance;
    }
    assert(total == sum);
    return 0;
}
