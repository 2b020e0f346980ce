#include "work.h"

#include <string.h>

void matrix_identity(struct matrix *m)
{
	int i;
	int j;

	for (i = 0; i < MATRIX_N; i++) {
		for (j = 0; j < MATRIX_N; j++)
			m->at[i][j] = i == j;
	}
}

/* out may be the same matrix as a or b. */
void matrix_multiply(const struct matrix *a, const struct matrix *b,
		     struct matrix *out)
{
	struct matrix tmp;
	int i;
	int j;
	int k;

	for (i = 0; i < MATRIX_N; i++) {
		for (j = 0; j < MATRIX_N; j++) {
			tmp.at[i][j] = 0;
			for (k = 0; k < MATRIX_N; k++)
				tmp.at[i][j] += a->at[i][k] * b->at[k][j];
		}
	}
	*out = tmp;
}

int matrix_equal(const struct matrix *a, const struct matrix *b)
{
	return memcmp(a->at, b->at, sizeof(a->at)) == 0;
}

void run_power(void *arg, struct scratch *scratch)
{
	struct power_task *t = arg;
	struct matrix square = t->base;
	unsigned e = t->exponent;

	(void)scratch;
	matrix_identity(&t->result);
	while (e > 0) {
		if (e & 1u)
			matrix_multiply(&t->result, &square, &t->result);
		matrix_multiply(&square, &square, &square);
		e >>= 1;
	}
}

static void insertion_sort(long *v, size_t n)
{
	size_t i;
	size_t j;

	for (i = 1; i < n; i++) {
		long key = v[i];

		for (j = i; j > 0 && v[j - 1] > key; j--)
			v[j] = v[j - 1];
		v[j] = key;
	}
}

/* Best sum of neighbours, and the lower median. */
void run_series(void *arg, struct scratch *scratch)
{
	struct series_task *t = arg;
	long run = 0;
	size_t i;

	t->best_sum = t->values[0];
	for (i = 0; i < t->count; i++) {
		run = run > 0 ? run + t->values[i] : t->values[i];
		if (run > t->best_sum)
			t->best_sum = run;
	}
	if (scratch->count < t->count)
		return;
	memcpy(scratch->cells, t->values, t->count * sizeof(long));
	insertion_sort(scratch->cells, t->count);
	t->median = scratch->cells[(t->count - 1) / 2];
}

void run_sieve(void *arg, struct scratch *scratch)
{
	struct sieve_task *t = arg;
	size_t i;
	size_t k;

	t->primes = 0;
	t->largest = 0;
	if (scratch->count <= t->limit) {
		t->too_small = 1;
		return;
	}
	for (i = 0; i <= t->limit; i++)
		scratch->cells[i] = i >= 2;
	for (i = 2; i <= t->limit; i++) {
		if (!scratch->cells[i])
			continue;
		t->primes++;
		t->largest = (long)i;
		for (k = i * i; k <= t->limit; k += i)
			scratch->cells[k] = 0;
	}
}

void run_gcd(void *arg, struct scratch *scratch)
{
	struct gcd_task *t = arg;
	long a = t->a;
	long b = t->b;

	(void)scratch;
	t->steps = 0;
	while (b != 0) {
		long r = a % b;

		a = b;
		b = r;
		t->steps++;
	}
	t->gcd = a < 0 ? -a : a;
}
