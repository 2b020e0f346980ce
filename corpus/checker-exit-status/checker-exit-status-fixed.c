// A tool checks two archives at once and must see both. The checkers add to `checked` atomically.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int checked;

static void *check(void *arg)
{
    (void)arg;
    atomic_fetch_add(&checked, 1);
    return NULL;
}

int main(void)
{
    pthread_t first, second;

    pthread_create(&first, NULL, check, NULL);
    pthread_create(&second, NULL, check, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return atomic_load(&checked) == 2 ? 0 : 1;
}
