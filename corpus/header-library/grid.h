// A grid of characters whose cells are addressed by computed indices.
#ifndef GRID_H
#define GRID_H

#include <stddef.h>
#include <string.h>

enum direction { NORTH, EAST, SOUTH, WEST, DIRECTIONS };

struct grid {
    int width, height;
    char cells[64];
};

static const struct {
    int dx, dy;
    const char *name;
} steps[DIRECTIONS] = {
    [NORTH] = {0, -1, "north"},
    [EAST] = {1, 0, "east"},
    [SOUTH] = {0, 1, "south"},
    [WEST] = {-1, 0, "west"},
};

static inline void grid_init(struct grid *g, int width, int height)
{
    g->width = width;
    g->height = height;
    memset(g->cells, '.', sizeof g->cells);
}

static inline char *grid_cell(struct grid *g, int x, int y)
{
    x = ((x % g->width) + g->width) % g->width;
    y = ((y % g->height) + g->height) % g->height;
    return &g->cells[y * g->width + x];
}

static inline int grid_count(const struct grid *g, char c)
{
    int count = 0;

    for (int i = 0; i < g->width * g->height; i++)
        count += g->cells[i] == c;
    return count;
}

#endif
