// Two threads each put one point into the equation of a line, through the same temporaries, which a lock protects
// from the load to the use.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { POINTS = 2, SLOPE = 2 };

struct point {
    int x;
    int y;
};

static const struct point points[POINTS] = {{1, 5}, {4, 12}};
static int x, y;
static int intercept[POINTS];
static pthread_mutex_t temporaries = PTHREAD_MUTEX_INITIALIZER;

static void load(const struct point *point) {
    x = point->x;
    y = point->y;
}

static int rest(void) {
    return y - SLOPE * x;
}

static void *solve(void *argument) {
    const struct point *point = argument;
    long which = point - points;

    pthread_mutex_lock(&temporaries);
    load(point);
    intercept[which] = rest();
    pthread_mutex_unlock(&temporaries);
    return NULL;
}

int main(void) {
    pthread_t threads[POINTS];

    for (int i = 0; i < POINTS; i++) {
        pthread_create(&threads[i], NULL, solve, (void *)&points[i]);
    }
    for (int i = 0; i < POINTS; i++) {
        pthread_join(threads[i], NULL);
    }

    for (int i = 0; i < POINTS; i++) {
        assert(points[i].y == SLOPE * points[i].x + intercept[i]);
    }
    return 0;
}
