#include <pthread.h>
#include <stdatomic.h>

#define ROOMS 2

static atomic_flag room[ROOMS] = { ATOMIC_FLAG_INIT, ATOMIC_FLAG_INIT };
static int guests_in[ROOMS];

static int checkin(void)
{
    int r = 0;

    while (atomic_flag_test_and_set(&room[r]))
        r = (r + 1) % ROOMS;
    return r;
}

static void checkout(int r)
{
    atomic_flag_clear(&room[r]);
}

static void *traveller(void *arg)
{
    int nights = *(int *)arg;

    while (nights-- > 0) {
        int r = checkin();
        guests_in[r]++;
        checkout(r);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[3];
    int nights[3] = { 2, 1, 2 };

    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, traveller, &nights[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return guests_in[0] + guests_in[1] == 5 ? 0 : 1;
}
