/* Small numeric tasks for the pool. */
#ifndef WORK_H
#define WORK_H

#include "pool.h"

#define MATRIX_N 2
#define SERIES_MAX 6

struct matrix {
	long at[MATRIX_N][MATRIX_N];
};

struct power_task {
	struct matrix base;
	unsigned exponent;
	struct matrix result;
};

struct series_task {
	long values[SERIES_MAX];
	size_t count;
	long best_sum;
	long median;
};

struct sieve_task {
	size_t limit;
	unsigned primes;
	long largest;
	int too_small;
};

struct gcd_task {
	long a;
	long b;
	long gcd;
	unsigned steps;
};

void matrix_identity(struct matrix *m);
void matrix_multiply(const struct matrix *a, const struct matrix *b,
		     struct matrix *out);
int matrix_equal(const struct matrix *a, const struct matrix *b);

void run_power(void *arg, struct scratch *scratch);
void run_series(void *arg, struct scratch *scratch);
void run_sieve(void *arg, struct scratch *scratch);
void run_gcd(void *arg, struct scratch *scratch);

#endif
