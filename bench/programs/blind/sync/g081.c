#include <pthread.h>
#include <stdatomic.h>
#include <assert.h>

#define NW 3

static atomic_int init_state;           /* 0, 1 = at work, 2 = ready */
static int coeff[2];

static atomic_int at_line;
static atomic_int line_no;
static int acc[NW], res[NW];

static void load_coefficients(void)
{
    int zero = 0;

    if (atomic_compare_exchange_strong(&init_state, &zero, 1)) {
        coeff[0] += 2;
        coeff[1] += 3;
        atomic_store(&init_state, 2);
    }
    while (atomic_load(&init_state) < 2)
        ;
}

static void line(void)
{
    int mine = atomic_load(&line_no);

    if (atomic_fetch_add(&at_line, 1) == NW - 1) {
        atomic_store(&at_line, 0);
        atomic_fetch_add(&line_no, 1);
    }
    while (atomic_load(&line_no) == mine)
        ;
}

static void *worker(void *arg)
{
    int k = (int)(long)arg;

    load_coefficients();
    acc[k] = coeff[0] * k + coeff[1];
    line();
    res[k] = acc[0] + acc[1] + acc[2];
    line();
    assert(res[(k + 1) % NW] == 15);
    return NULL;
}

int main(void)
{
    pthread_t t[NW];

    for (long k = 0; k < NW; k++)
        pthread_create(&t[k], NULL, worker, (void *)k);
    for (int k = 0; k < NW; k++)
        pthread_join(t[k], NULL);
    return 0;
}
