// A matrix product whose rows are handed out by an atomic counter; each row's sum goes into a total under a lock.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#define SIZE 3
#define THREADS 3

static double a[SIZE][SIZE], b[SIZE][SIZE], product[SIZE][SIZE];
static atomic_int next_row;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static double total;
static int rows_done;

static void *worker(void *arg)
{
    int row;

    (void)arg;
    while ((row = atomic_fetch_add(&next_row, 1)) < SIZE) {
        double sum = 0;
        for (int j = 0; j < SIZE; j++) {
            double cell = 0;
            for (int k = 0; k < SIZE; k++)
                cell += a[row][k] * b[k][j];
            product[row][j] = cell;
            sum += cell;
        }
        pthread_mutex_lock(&lock);
        total += sum;
        rows_done++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++) {
            a[i][j] = i + j;
            b[i][j] = i == j ? 2 : 0.5;
        }
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < SIZE; i++)
        printf("%5.1f %5.1f %5.1f\n", product[i][0], product[i][1], product[i][2]);
    printf("total %.1f over %d rows\n", total, rows_done);
    return 0;
}
