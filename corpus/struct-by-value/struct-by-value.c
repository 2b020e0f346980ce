// Structs that travel by value, in the shapes that calling conventions treat differently.
#include <stdint.h>
#include <stdio.h>

struct tiny {
    char letter;
};

struct three_bytes {
    uint8_t r, g, b;
};

struct two_floats {
    float x, y;
};

struct three_floats {
    float x, y, z;
};

struct two_doubles {
    double re, im;
};

struct mixed {
    long count;
    double weight;
};

struct nested {
    struct two_floats origin;
    struct {
        short width, height;
    } size;
    int id;
};

struct large {
    int values[10];
    const char *name;
};

struct with_pointer {
    int *target;
    int step;
};

struct long_one {
    long double value;
};

union number {
    double real;
    long whole;
};

static struct tiny next(struct tiny t)
{
    return (struct tiny){(char)(t.letter + 1)};
}

static struct three_bytes invert(struct three_bytes c)
{
    return (struct three_bytes){(uint8_t)~c.r, (uint8_t)~c.g, (uint8_t)~c.b};
}

static struct two_floats add2(struct two_floats a, struct two_floats b)
{
    return (struct two_floats){a.x + b.x, a.y + b.y};
}

static struct three_floats cross(struct three_floats a, struct three_floats b)
{
    return (struct three_floats){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static struct two_doubles multiply(struct two_doubles a, struct two_doubles b)
{
    return (struct two_doubles){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static struct mixed heavier(struct mixed a, struct mixed b)
{
    return a.weight * (double)a.count > b.weight * (double)b.count ? a : b;
}

static struct nested move(struct nested n, float dx, float dy)
{
    n.origin = add2(n.origin, (struct two_floats){dx, dy});
    n.id++;
    return n;
}

static struct large reversed(struct large l)
{
    for (int i = 0; i < 5; i++) {
        int t = l.values[i];
        l.values[i] = l.values[9 - i];
        l.values[9 - i] = t;
    }
    l.name = "reversed";
    return l;
}

static struct with_pointer advance(struct with_pointer w)
{
    *w.target += w.step;
    w.step *= 2;
    return w;
}

static struct long_one halve(struct long_one l)
{
    l.value /= 2;
    return l;
}

static union number convert(union number n, int to_whole)
{
    union number result;

    if (to_whole)
        result.whole = (long)n.real;
    else
        result.real = (double)n.whole;
    return result;
}

static int many(int a, struct mixed m, struct large l, double d, struct two_floats f, char c, struct three_bytes t,
                struct two_doubles z, long last)
{
    return a + (int)m.count + l.values[9] + (int)d + (int)f.y + c + t.g + (int)z.im + (int)last;
}

int main(void)
{
    struct large l = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, "original"};
    struct nested n = {{1.0f, 2.0f}, {30, 40}, 5};
    int counter = 100;
    struct with_pointer w = {&counter, 3};

    printf("tiny %c\n", next(next((struct tiny){'a'})).letter);
    struct three_bytes colour = invert((struct three_bytes){0, 15, 255});
    printf("colour %d %d %d\n", colour.r, colour.g, colour.b);
    struct three_floats normal = cross((struct three_floats){1, 0, 0}, (struct three_floats){0, 1, 0});
    printf("normal %.1f %.1f %.1f\n", normal.x, normal.y, normal.z);
    struct two_doubles product = multiply((struct two_doubles){1, 2}, (struct two_doubles){3, -1});
    printf("product %.1f%+.1fi\n", product.re, product.im);
    printf("heavier %ld\n", heavier((struct mixed){3, 2.0}, (struct mixed){2, 3.5}).count);
    struct nested moved = move(move(n, 0.5f, 0), 0, -4);
    printf("moved (%.1f,%.1f) %dx%d id %d, before (%.1f,%.1f) id %d\n", moved.origin.x, moved.origin.y,
           moved.size.width, moved.size.height, moved.id, n.origin.x, n.origin.y, n.id);
    struct large (*turn)(struct large) = reversed;
    struct large r = turn(l);
    printf("%s %d, %s %d, twice %d\n", r.name, r.values[0], l.name, l.values[0], turn(turn(l)).values[0]);
    w = advance(advance(w));
    printf("counter %d, step %d\n", counter, w.step);
    printf("halved %.3Lf\n", halve(halve((struct long_one){10.5L})).value);
    printf("union %ld %.2f\n", convert((union number){.real = 7.9}, 1).whole,
           convert((union number){.whole = -3}, 0).real);
    printf("many %d\n", many(1, (struct mixed){2, 0}, l, 3.9, (struct two_floats){0, 4}, 5, colour, product, 1000));
    return 0;
}
