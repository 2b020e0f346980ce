// A turtle walks a grid by the moves that another thread sends it through a bounded queue.
#include <stdio.h>

#include "grid.h"
#include "queue.h"

struct move {
    enum direction direction;
    short distance;
};

DEFINE_QUEUE(move_queue, struct move, 2)

static struct move_queue moves;
static struct grid grid;

static void *navigator(void *arg)
{
    static const struct move route[] = {{EAST, 3}, {SOUTH, 2}, {WEST, 5}, {NORTH, 0}};

    (void)arg;
    for (size_t i = 0; i < sizeof route / sizeof *route; i++)
        move_queue_put(&moves, route[i]);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int x = 0, y = 0;

    grid_init(&grid, 7, 4);
    move_queue_init(&moves);
    pthread_create(&thread, NULL, navigator, NULL);
    for (;;) {
        struct move m = move_queue_take(&moves);
        if (m.distance == 0)
            break;
        for (short i = 0; i < m.distance; i++) {
            x += steps[m.direction].dx;
            y += steps[m.direction].dy;
            *grid_cell(&grid, x, y) = steps[m.direction].name[0];
        }
    }
    pthread_join(thread, NULL);
    for (int row = 0; row < grid.height; row++)
        printf("%.*s\n", grid.width, grid_cell(&grid, 0, row));
    printf("at %d %d, east %d, west %d\n", x, y, grid_count(&grid, 'e'), grid_count(&grid, 'w'));
    return 0;
}
