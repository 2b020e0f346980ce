// Each clerk books deposits into an account of its own and into the bank's total. The accounts are private, the total
// is not: when two clerks read it at once, one booking is lost.
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

static void *clerk(void *arg)
{
    struct account *own = arg;

    for (int i = 1; i <= DEPOSITS; i++) {
        int amount = 10 * own->number + i;
        own->balance += amount;
        total += amount;
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
