#include <pthread.h>
#include <stdatomic.h>

static atomic_flag begun = ATOMIC_FLAG_INIT;
int primes[3];
int picked[3];

static void ensure_primes(void)
{
    if (!atomic_flag_test_and_set(&begun)) {
        int n = 0;

        for (int c = 2; n < 3; c++) {
            int ok = 1;

            for (int d = 2; d < c; d++)
                if (c % d == 0)
                    ok = 0;
            if (ok)
                primes[n++] = c;
        }
    }
}

static void *worker(void *arg)
{
    long i = (long)arg;

    ensure_primes();
    picked[i] = primes[i];
    return NULL;
}

int main(void)
{
    pthread_t t[3];

    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
