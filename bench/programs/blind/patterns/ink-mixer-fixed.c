#include <assert.h>
#include <pthread.h>
#include <stdio.h>

enum { INKS = 3 };

struct recipe {
    pthread_mutex_t lock;
    int parts[INKS];
    int whole;
};

static struct recipe teal = { .lock = PTHREAD_MUTEX_INITIALIZER };
static int percent[INKS];

static void *load_recipe(void *unused)
{
    static const int stored[INKS] = { 5, 2, 1 };

    (void)unused;
    pthread_mutex_lock(&teal.lock);
    for (int i = 0; i < INKS; i++) {
        teal.parts[i] = stored[i];
        teal.whole += stored[i];
    }
    pthread_mutex_unlock(&teal.lock);
    return NULL;
}

static void *mix(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&teal.lock);
    assert(teal.whole > 0);
    for (int i = 0; i < INKS; i++)
        percent[i] = 100 * teal.parts[i] / teal.whole;
    pthread_mutex_unlock(&teal.lock);
    return NULL;
}

int main(void)
{
    pthread_t loader, mixer;

    pthread_create(&loader, NULL, load_recipe, NULL);
    pthread_join(loader, NULL);
    pthread_create(&mixer, NULL, mix, NULL);
    pthread_join(mixer, NULL);

    for (int i = 0; i < INKS; i++)
        printf("ink %d: %d%%\n", i, percent[i]);
    return 0;
}
