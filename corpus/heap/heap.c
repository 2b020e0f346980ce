// Memory from the heap: zeroed, aligned, grown and shrunk with its contents kept, and linked into a tree.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tree {
    struct tree *left, *right;
    int key;
    char *label;
};

struct vector {
    int *items;
    size_t length, capacity;
};

static void append(struct vector *v, int item)
{
    if (v->length == v->capacity) {
        v->capacity = v->capacity ? 2 * v->capacity : 1;
        v->items = realloc(v->items, v->capacity * sizeof *v->items);
    }
    v->items[v->length++] = item;
}

static struct tree *insert(struct tree *t, int key)
{
    if (t == NULL) {
        t = calloc(1, sizeof *t);
        t->key = key;
        t->label = malloc(8);
        snprintf(t->label, 8, "k%d", key);
    } else if (key < t->key) {
        t->left = insert(t->left, key);
    } else if (key > t->key) {
        t->right = insert(t->right, key);
    }
    return t;
}

static int height(const struct tree *t)
{
    if (t == NULL)
        return 0;
    int left = height(t->left), right = height(t->right);
    return 1 + (left > right ? left : right);
}

static void print_in_order(const struct tree *t)
{
    if (t == NULL)
        return;
    print_in_order(t->left);
    printf(" %s", t->label);
    print_in_order(t->right);
}

static int destroy(struct tree *t)
{
    if (t == NULL)
        return 0;
    int count = destroy(t->left) + destroy(t->right) + 1;
    free(t->label);
    free(t);
    return count;
}

int main(void)
{
    static const int keys[] = {50, 20, 70, 10, 30, 20, 60};
    struct vector v = {0};
    struct tree *root = NULL;
    long zeros = 0;

    for (int i = 0; i < 10; i++)
        append(&v, i * i);
    printf("length %zu, capacity %zu, last %d\n", v.length, v.capacity, v.items[9]);
    v.items = realloc(v.items, 4 * sizeof *v.items);
    printf("shrunk: %d %d %d %d\n", v.items[0], v.items[1], v.items[2], v.items[3]);
    free(v.items);

    unsigned char *cleared = calloc(16, 4);
    for (int i = 0; i < 64; i++)
        zeros += cleared[i] == 0;
    free(cleared);
    printf("zeros %ld\n", zeros);

    double *aligned = aligned_alloc(64, 128);
    printf("aligned %d\n", (uintptr_t)aligned % 64 == 0);
    aligned[15] = 2.5;
    printf("last %.1f\n", aligned[15]);
    free(aligned);

    char *text = malloc(5);
    strcpy(text, "warp");
    text = realloc(text, 10);
    strcat(text, "ping");
    printf("%s\n", text);
    free(text);
    free(NULL);

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        root = insert(root, keys[i]);
    printf("in order:");
    print_in_order(root);
    printf(", height %d\n", height(root));
    printf("destroyed %d\n", destroy(root));

    int **rows = malloc(3 * sizeof *rows);
    for (int i = 0; i < 3; i++) {
        rows[i] = malloc((size_t)(i + 1) * sizeof **rows);
        for (int j = 0; j <= i; j++)
            rows[i][j] = j == 0 || j == i ? 1 : rows[i - 1][j - 1] + rows[i - 1][j];
    }
    printf("triangle %d %d %d\n", rows[2][0], rows[2][1], rows[2][2]);
    for (int i = 0; i < 3; i++)
        free(rows[i]);
    free(rows);
    return 0;
}
