"""Programs in the manner of SPLASH-2, for `bench/barriers`: splash.py NAME LINES BARRIERS > NAME.c

What is written by hand here is what synchronises: threads that are created in a loop, a lock for their numbers, and the
barrier of the BarrierFinder paper (figure 2) as a C macro over a compare-exchange in assembly. What is generated is the
computation between the barriers: functions that read and write arrays of their own thread's part, called in every phase, up
to the number of lines that the paper gives for the program of that name.
"""

import random
import sys

HEAD = """/* {name}: {phases} phases, {barriers} barriers; computation generated. */
#include <pthread.h>
#include <stdlib.h>

#define SIZE 64

struct global_memory {{
    volatile int gsense;
    volatile int gcount;
    volatile int idlock;
    int id;
}};

static struct global_memory *Global;
static int P = 2;
static double *grid[2];

static inline int cmp_xchg(volatile int *p, int old, int fresh)
{{
    int prev;
    __asm__ __volatile__("lock; cmpxchgl %1,%2" : "=a"(prev) : "q"(fresh), "m"(*p), "0"(old) : "memory");
    return prev;
}}

#define BARRIER(g) {{ \\
    int lsense = (g)->gsense; \\
    while (1) {{ \\
        int oldcount = (g)->gcount; \\
        int newcount = oldcount + lsense; \\
        int updatedcount = cmp_xchg(&(g)->gcount, oldcount, newcount); \\
        if (updatedcount == oldcount) {{ \\
            if ((newcount == P && lsense == 1) || (newcount == 0 && lsense == -1)) \\
                (g)->gsense = -lsense; \\
            break; \\
        }} \\
    }} \\
    while ((g)->gsense == lsense) ; \\
}}

"""


def computation(number, lines, dice):
    """A function over one thread's half of the grid."""
    text = [f"static double work_{number}(int me, double x)", "{", "    double *mine = grid[me];", "    double s = x;"]
    while len(text) < lines - 2:
        a, b = dice.randrange(64), dice.randrange(64)
        kind = dice.randrange(4)
        if kind == 0:
            text.append(f"    mine[{a}] = mine[{b}] * {dice.randrange(1, 9)}.5 + s;")
        elif kind == 1:
            text.append(f"    s += mine[{a}] - mine[{b}] * 0.{dice.randrange(1, 9)};")
        elif kind == 2:
            text.append(f"    if (s > {dice.randrange(100)}.0) s = s * 0.5 - mine[{a}];")
        else:
            text.append(f"    for (int i = 0; i < {dice.randrange(2, 5)}; i++) s += mine[i + {dice.randrange(50)}];")
    return text + ["    return s;", "}", ""]


def program(name, lines, barriers):
    dice = random.Random(name)
    in_loop = max(1, barriers // 3) if barriers > 2 else 0
    body = ["static void SlaveStart(void)", "{", "    int me;", "    double x = 1.0;", ""]
    body += ["    while (cmp_xchg(&Global->idlock, 0, 1) != 0)", "        ;", "    me = Global->id++;", "    Global->idlock = 0;", ""]
    wanted = max(4, lines // 60)
    calls = [f"    x = work_{number}(me, x);" for number in range(wanted)]
    share = max(1, len(calls) // (barriers + 1))
    phases = [calls[at * share:(at + 1) * share] or calls[:1] for at in range(barriers)]
    phases.append(calls[barriers * share:])
    outside = barriers - in_loop
    for at in range(outside - (1 if outside > 1 else 0)):
        body += phases[at] + ["    BARRIER(Global);"]
    if in_loop:
        body.append("    for (int k = 0; k < 2; k++) {")
        for at in range(in_loop):
            body += ["    " + line for line in phases[outside - 1 + at]] + ["        BARRIER(Global);"]
        body.append("    }")
    if outside > 1:
        body += phases[barriers - 1] + ["    BARRIER(Global);"]
    body += phases[barriers] + ["    grid[me][0] = x;", "}", ""]
    tail = ["static void *start(void *unused)", "{", "    (void)unused;", "    SlaveStart();", "    return NULL;", "}", "",
            "int main(int argc, char **argv)", "{", "    pthread_t threads[16];", "    if (argc > 1) P = atoi(argv[1]);",
            "    Global = calloc(1, sizeof *Global);", "    Global->gsense = 1;",
            "    for (int i = 0; i < 2; i++) grid[i] = calloc(SIZE, sizeof(double));",
            "    for (int i = 1; i < P; i++) pthread_create(&threads[i], NULL, start, NULL);", "    SlaveStart();",
            "    for (int i = 1; i < P; i++) pthread_join(threads[i], NULL);", "    return 0;", "}"]
    head = HEAD.format(name=name, phases=barriers + 1, barriers=barriers).splitlines()
    left = lines - len(head) - len(body) - len(tail)
    each = max(6, left // wanted)
    functions = []
    for number in range(wanted):
        functions += computation(number, each, dice)
    return "\n".join(head + functions + body + tail) + "\n"


if __name__ == "__main__":
    sys.stdout.write(program(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
