#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { BATCHES = 2, PER_BATCH = 6 };

struct oven {
    const char *name;
    pthread_t baker;
};

static atomic_int loaves;
static struct oven stone = { .name = "stone" };
static struct oven steel = { .name = "steel" };

static void *bake(void *unused)
{
    (void)unused;
    for (int i = 0; i < BATCHES; i++)
        atomic_fetch_add(&loaves, PER_BATCH);
    return NULL;
}

static void light(struct oven *oven)
{
    pthread_create(&oven->baker, NULL, bake, NULL);
}

static void finish(struct oven *oven)
{
    pthread_join(oven->baker, NULL);
    printf("%s oven is done\n", oven->name);
}

int main(void)
{
    light(&stone);
    light(&steel);
    finish(&stone);
    finish(&steel);

    int sold = atomic_load(&loaves);
    assert(sold == 2 * BATCHES * PER_BATCH);

    printf("%d loaves sold\n", sold);
    return 0;
}
