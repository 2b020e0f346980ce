// Two handlers drop their reference to a cached page. The count is decremented in one step and tested in the next:
// both can see zero, and both free the page.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct page {
    atomic_int references;
    int size;
};

static void release(struct page *p)
{
    atomic_fetch_sub(&p->references, 1);
    if (atomic_load(&p->references) == 0)
        free(p);
}

static void *handler(void *arg)
{
    release(arg);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    struct page *page = malloc(sizeof *page);

    atomic_init(&page->references, 2);
    page->size = 4096;
    pthread_create(&first, NULL, handler, page);
    pthread_create(&second, NULL, handler, page);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
