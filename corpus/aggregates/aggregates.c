// Structs, unions, bit-fields and arrays in each other, copied as wholes and reached through pointers into their
// middle.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct point {
    short x, y;
};

struct shape {
    char name[8];
    struct point corners[3];
    struct {
        unsigned char red, green, blue;
    };
    union {
        int radius;
        float scale;
        unsigned char bytes[4];
    };
};

struct flags {
    unsigned ready : 1;
    unsigned mode : 3;
    int level : 5;
    unsigned : 0;
    unsigned long long wide : 40;
    unsigned char tail : 4;
};

union word {
    uint32_t whole;
    struct {
        uint16_t low, high;
    } half;
    uint8_t byte[4];
};

static struct shape shapes[2][2];

static void fill(struct shape *s, int seed)
{
    snprintf(s->name, sizeof s->name, "shape%d", seed);
    for (int i = 0; i < 3; i++)
        s->corners[i] = (struct point){(short)(seed * 10 + i), (short)(-seed)};
    s->red = (unsigned char)(200 + seed * 20);
    s->green = (unsigned char)seed;
    s->blue = 7;
    s->radius = seed << 8;
}

static void show_shapes(void)
{
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            fill(&shapes[i][j], 2 * i + j);

    struct shape copy = shapes[1][0];
    struct point *middle = &shapes[1][0].corners[1];
    short *y = &middle->y;
    *y = 99;
    middle[1].x += 5;
    printf("%s corner 1 (%d,%d), corner 2 x %d; the copy has y %d\n", shapes[1][0].name, middle->x, middle->y,
           shapes[1][0].corners[2].x, copy.corners[1].y);
    printf("colours %d %d %d, radius byte 1 is %d\n", shapes[1][1].red, shapes[1][1].green, shapes[1][1].blue,
           shapes[1][1].bytes[1]);

    struct shape *flat = &shapes[0][0];
    ptrdiff_t distance = &shapes[1][1] - flat;
    printf("distance %td, name of number %td: %s\n", distance, distance, (flat + distance)->name);
    shapes[0][1] = shapes[1][1];
    printf("assigned: %s, same bytes: %d\n", shapes[0][1].name,
           memcmp(&shapes[0][1].corners, &shapes[1][1].corners, sizeof shapes[0][1].corners) == 0);
}

static void show_bit_fields(void)
{
    struct flags f;

    memset(&f, 0, sizeof f);
    f.ready = 1;
    f.mode = 6;
    f.level = -9;
    f.wide = 0xabcdef1234ULL;
    f.tail = 0xf;
    f.mode += 3;
    f.level *= 2;
    f.tail++;
    printf("ready %d, mode %d, level %d, wide %llx, tail %d\n", f.ready, f.mode, f.level, (unsigned long long)f.wide,
           f.tail);
    struct flags other = f;
    other.ready = !other.ready;
    printf("other ready %d, first still %d\n", other.ready, f.ready);
}

static void show_unions(void)
{
    union word w = {.whole = 0x12345678};

    w.half.high ^= 0xffff;
    w.byte[0]++;
    printf("word %08x, low %04x, byte 3 %02x\n", (unsigned)w.whole, w.half.low, w.byte[3]);

    struct shape s = {.scale = 1.5f};
    printf("float bytes %02x %02x %02x %02x\n", s.bytes[0], s.bytes[1], s.bytes[2], s.bytes[3]);
    printf("offsets %zu %zu %zu, size %zu\n", offsetof(struct shape, corners), offsetof(struct shape, green),
           offsetof(struct shape, radius), sizeof(struct shape));
}

static void show_matrix(void)
{
    int matrix[3][4];
    int(*row)[4] = matrix;
    int *cell = &matrix[0][0];

    for (int i = 0; i < 12; i++)
        cell[(i % 3) * 4 + i / 3] = i;
    row += 2;
    printf("row 2:");
    for (int *p = *row; p < *row + 4; p++)
        printf(" %d", *p);
    printf(", rows %zu\n", sizeof matrix / sizeof matrix[0]);
}

int main(void)
{
    show_shapes();
    show_bit_fields();
    show_unions();
    show_matrix();
    return 0;
}
