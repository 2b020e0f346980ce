// A tool checks two archives at once and must see both. Each checker adds to `checked` by a load and a store; when
// one addition is lost the tool believes that an archive was skipped, and exits with status 1.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int checked;

static void *check(void *arg)
{
    (void)arg;
    int so_far = atomic_load(&checked);
    atomic_store(&checked, so_far + 1);
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
