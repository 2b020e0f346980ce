#include <pthread.h>
#include <stdatomic.h>

enum { NEW, MAKING, READY };

static atomic_int font_state = NEW;
int glyph[3];
int drawn[3];

static void make_font(void)
{
    for (int i = 0; i < 3; i++)
        glyph[i] = 'A' + i;
}

static void need_font(void)
{
    int s = NEW;

    if (atomic_compare_exchange_strong(&font_state, &s, MAKING)) {
        make_font();
        atomic_store(&font_state, READY);
    } else {
        while (s == NEW)
            s = atomic_load(&font_state);
    }
}

static void *draw(void *arg)
{
    int i = (int)(long)arg;

    need_font();
    drawn[i] = glyph[i];
    return NULL;
}

int main(void)
{
    pthread_t t[3];

    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, draw, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
