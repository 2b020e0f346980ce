// Threads that call through pointers, are called back by the library, and begin things once, each for itself.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 3, ITEMS = 40 };

struct item {
    int key;
    char name[12];
};

struct shape {
    int (*area)(const struct shape *);
    int width, height;
};

struct task {
    int number;
    pthread_once_t once;
    struct item items[ITEMS];
    int result;
};

static __thread int begun;

static int square(const struct shape *shape) { return shape->width * shape->width; }
static int oblong(const struct shape *shape) { return shape->width * shape->height; }
static int nothing(const struct shape *shape) { return shape->width > 100 ? 1 : 0; }

static int (*const areas[])(const struct shape *) = {square, oblong, nothing};

static int by_key(const void *left, const void *right) {
    const struct item *a = left, *b = right;
    return a->key < b->key ? -1 : a->key > b->key;
}

static int by_name(const void *left, const void *right) {
    return strcmp(((const struct item *)left)->name, ((const struct item *)right)->name);
}

static int by_distance(const void *left, const void *right, void *from) {
    int a = abs(((const struct item *)left)->key - *(int *)from);
    int b = abs(((const struct item *)right)->key - *(int *)from);
    if (a != b) return a - b;
    return by_key(left, right);
}

static void begin(void) { begun += 1 + begun; }

static int apply(int (*function)(int), int times, int value) {
    return times == 0 ? value : apply(function, times - 1, function(value));
}

static int half(int value) { return value % 2 ? 3 * value + 1 : value / 2; }
static int less(int value) { return value > 10 ? value - 10 : value; }

static void *calls(void *argument) {
    struct task *task = argument;
    for (int i = 0; i < ITEMS; i++) {
        task->items[i].key = (i * 7919 + task->number * 31) % 101;
        snprintf(task->items[i].name, sizeof task->items[i].name, "n%d", task->items[i].key);
    }
    pthread_once(&task->once, begin);
    pthread_once(&task->once, begin);
    qsort(task->items, ITEMS, sizeof task->items[0], by_name);
    task->result += task->items[3].key;
    qsort_r(task->items, ITEMS, sizeof task->items[0], by_distance, &task->number);
    task->result += 3 * task->items[5].key;
    qsort(task->items, ITEMS, sizeof task->items[0], task->number % 2 ? by_key : by_name);
    for (int i = 0; i < 5; i++) {
        struct item wanted = {.key = 11 * i + task->number};
        snprintf(wanted.name, sizeof wanted.name, "n%d", wanted.key);
        struct item *found =
            bsearch(&wanted, task->items, ITEMS, sizeof wanted, task->number % 2 ? by_key : by_name);
        if (found != NULL) task->result += found->key;
    }
    for (int i = 0; i < 20; i++) {
        struct shape shape = {areas[(i * task->number) % 3], i, task->number};
        task->result += shape.area(&shape);
    }
    task->result += apply(task->number == 2 ? half : less, 6 + task->number, 97) + begun;
    char *copy = strdup(task->items[0].name);
    if (copy[1] > '4') pthread_exit(copy);
    free(copy);
    return NULL;
}

int main(void) {
    struct task *tasks = calloc(THREADS, sizeof *tasks);
    pthread_t threads[THREADS];
    int sum = 0;
    for (int i = 0; i < THREADS; i++) {
        tasks[i].number = i + 1;
        tasks[i].once = (pthread_once_t)PTHREAD_ONCE_INIT;
        pthread_create(&threads[i], NULL, calls, &tasks[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        void *name = NULL;
        pthread_join(threads[i], &name);
        if (name != NULL) sum += (int)strlen(name);
        free(name);
        sum += tasks[i].result;
    }
    free(tasks);
    printf("%d\n", sum);
    return 0;
}
