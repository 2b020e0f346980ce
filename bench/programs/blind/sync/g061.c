#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

enum { SEEN_HEAD = 1u << 0, SEEN_BODY = 1u << 4 };

static uint32_t progress;
static int head_len, body_len, total_len;

static void mark(uint32_t bit)
{
    __sync_fetch_and_or(&progress, bit);
}

static void need(uint32_t bits)
{
    for (;;) {
        uint32_t p = __atomic_load_n(&progress, __ATOMIC_SEQ_CST);

        if ((p & bits) == bits)
            return;
        __builtin_ia32_pause();
    }
}

static void *parse_head(void *arg)
{
    (void)arg;
    head_len = 20;
    mark(SEEN_HEAD);
    return NULL;
}

static void *parse_body(void *arg)
{
    (void)arg;
    need(SEEN_HEAD);               /* the head says how to read it */
    body_len = head_len * 3;
    mark(SEEN_BODY);
    return NULL;
}

static void *finish(void *arg)
{
    (void)arg;
    need(SEEN_HEAD | SEEN_BODY);
    total_len = head_len + body_len;
    return NULL;
}

int main(void)
{
    pthread_t f, b, h;

    pthread_create(&f, NULL, finish, NULL);
    pthread_create(&b, NULL, parse_body, NULL);
    pthread_create(&h, NULL, parse_head, NULL);
    pthread_join(h, NULL);
    pthread_join(b, NULL);
    pthread_join(f, NULL);
    if (total_len != 80)
        abort();
    return 0;
}
