/* Runs a handful of numeric tasks on a pool of two workers. */
#include "pool.h"
#include "work.h"

#include <assert.h>
#include <stdio.h>

#define WORKERS 2
#define SCRATCH_CELLS 16

struct batch {
	struct power_task power;
	struct series_task series;
	struct sieve_task sieve;
	struct gcd_task gcd;
};

static void batch_prepare(struct batch *b)
{
	static const long values[SERIES_MAX] = { 3, -5, 4, 2, -1, 6 };
	size_t i;

	b->power.base.at[0][0] = 1;
	b->power.base.at[0][1] = 1;
	b->power.base.at[1][0] = 1;
	b->power.base.at[1][1] = 0;
	b->power.exponent = 10;
	for (i = 0; i < SERIES_MAX; i++)
		b->series.values[i] = values[i];
	b->series.count = SERIES_MAX;
	b->series.best_sum = 0;
	b->series.median = 0;
	b->sieve.limit = 15;
	b->sieve.too_small = 0;
	b->gcd.a = 84;
	b->gcd.b = 36;
	b->gcd.gcd = 0;
}

static void batch_check(const struct batch *b)
{
	assert(b->power.result.at[0][0] == 89);
	assert(b->power.result.at[0][1] == 55);
	assert(b->power.result.at[1][1] == 34);
	assert(b->series.best_sum == 11);
	assert(b->series.median == 2);
	assert(b->sieve.too_small == 0);
	assert(b->sieve.primes == 6);
	assert(b->sieve.largest == 13);
	assert(b->gcd.gcd == 12);
	assert(b->gcd.steps == 2);
}

static void check_ring(void)
{
	struct ring r;
	struct task t = { run_gcd, NULL };
	int numbers[5];
	int i;
	int rc;

	rc = ring_init(&r, 2);
	assert(rc == 0);
	for (i = 0; i < 5; i++) {
		t.arg = &numbers[i];
		rc = ring_push(&r, t);
		assert(rc == 0);
		if (i == 1) {
			rc = ring_pop(&r, &t);
			assert(rc == 0 && t.arg == &numbers[0]);
		}
	}
	for (i = 1; i < 5; i++) {
		rc = ring_pop(&r, &t);
		assert(rc == 0 && t.arg == &numbers[i]);
	}
	rc = ring_pop(&r, &t);
	assert(rc == -1);
	(void)rc;
	ring_free(&r);
}

static void check_matrix(void)
{
	struct matrix id;
	struct matrix m = { { { 2, 3 }, { 5, 7 } } };
	struct matrix out;

	matrix_identity(&id);
	matrix_multiply(&m, &id, &out);
	assert(matrix_equal(&m, &out));
	matrix_multiply(&m, &m, &out);
	assert(out.at[0][0] == 19 && out.at[1][1] == 64);
}

static void submit(struct pool *p, task_fn fn, void *arg)
{
	int rc = pool_submit(p, fn, arg);

	assert(rc == 0);
	(void)rc;
}

int main(void)
{
	struct batch batch;
	struct gcd_task late = { .a = 17, .b = 5 };
	struct pool_totals totals;
	struct pool *pool;

	check_ring();
	check_matrix();

	batch_prepare(&batch);
	pool = pool_create(WORKERS, SCRATCH_CELLS);
	assert(pool != NULL);
	submit(pool, run_power, &batch.power);
	submit(pool, run_series, &batch.series);
	submit(pool, run_sieve, &batch.sieve);
	submit(pool, run_gcd, &batch.gcd);
	pool_wait(pool);
	assert(pool_done(pool) == 4);
	batch_check(&batch);

	submit(pool, run_gcd, &late);
	pool_destroy(pool, &totals);
	assert(late.gcd == 1);
	assert(totals.submitted == 5);
	assert(totals.done == 5);
	assert(totals.workers == WORKERS);
	assert(totals.scratch_bytes == WORKERS * SCRATCH_CELLS * sizeof(long));
	printf("%lu tasks on %u workers\n", totals.done, totals.workers);
	return 0;
}
