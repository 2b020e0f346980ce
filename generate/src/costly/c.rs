//! Costly programs in C.

use super::size;
use crate::random::Random;
use crate::source::c;

const HEAD: &str =
    "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdio.h>\n#include <stdlib.h>\n";

const BOUNDED_BUFFER: &str = r#"
struct item { int value; struct item *copy; };
struct buffer {
    pthread_mutex_t lock;
    pthread_cond_t filled, drained;
    int waiting_consumers, waiting_producers, head, tail, count;
    struct item **slots;
};
static struct buffer buffer;
static int taken, sum;

static void put(struct buffer *b, int value)
{
    struct item *item = malloc(sizeof *item);
    item->value = value;
    item->copy = item;
    pthread_mutex_lock(&b->lock);
    $test (b->count == $capacity) {
        b->waiting_producers++;
        pthread_cond_wait(&b->drained, &b->lock);
        b->waiting_producers--;
    }
    b->slots[b->tail] = item;
    b->tail = (b->tail + 1) % $capacity;
    b->count++;
    if (b->waiting_consumers > 0)
        pthread_cond_$wake(&b->filled);
    pthread_mutex_unlock(&b->lock);
}

static int get(struct buffer *b)
{
    pthread_mutex_lock(&b->lock);
    while (b->count == 0) {
        b->waiting_consumers++;
        pthread_cond_wait(&b->filled, &b->lock);
        b->waiting_consumers--;
    }
    struct item *item = b->slots[b->head];
    b->head = (b->head + 1) % $capacity;
    b->count--;
    $relock
    if (b->waiting_producers > 0)
        pthread_cond_$wake(&b->drained);
    pthread_mutex_unlock(&b->lock);
    int value = item->copy->value;
    free(item);
    return value;
}

static void *produce(void *argument)
{
    for (int i = 0; i < $items / $producers; i++)
        put(&buffer, i + 1);
    return argument;
}

static void *consume(void *argument)
{
    for (int i = 0; i < $items / $consumers; i++) {
        int value = get(&buffer);
        pthread_mutex_lock(&buffer.lock);
        taken++;
        sum += value;
        pthread_mutex_unlock(&buffer.lock);
    }
    return argument;
}

int main(void)
{
    pthread_t threads[$producers + $consumers];
    pthread_mutex_init(&buffer.lock, 0);
    pthread_cond_init(&buffer.filled, 0);
    pthread_cond_init(&buffer.drained, 0);
    buffer.slots = calloc($capacity, sizeof *buffer.slots);
    for (int i = 0; i < $producers + $consumers; i++)
        pthread_create(&threads[i], 0, i < $producers ? produce : consume, 0);
    for (int i = 0; i < $producers + $consumers; i++)
        pthread_join(threads[i], 0);
    assert(taken == $items && buffer.count == 0);
    free(buffer.slots);
    return 0;
}
"#;

/// Producers and consumers with two conditions, counts of waiters, and slots on the heap.
pub fn bounded_buffer(random: &mut Random) -> String {
    let (producers, consumers) = (size(random, &[1, 2, 2, 3]), size(random, &[1, 2, 2, 3]));
    let items = producers * consumers * size(random, &[1, 2, 4]);
    let relock =
        if random.chance(30) { "pthread_mutex_unlock(&b->lock);\n    pthread_mutex_lock(&b->lock);" } else { "" };
    let test = random.pick(&["while", "while", "if"]);
    let wake = random.pick(&["signal", "signal", "broadcast"]);
    let capacity = random.between(1, 3);
    let text = c!(
        BOUNDED_BUFFER,
        producers = producers,
        consumers = consumers,
        items = items,
        capacity = capacity,
        test = test,
        wake = wake,
        relock = relock
    );
    format!("{HEAD}{text}")
}

/// A stack of nodes with compare-and-swap, or without.
pub fn lock_free_stack(random: &mut Random) -> String {
    let text = r#"
struct node { int value; struct node *next; };
static _Atomic(struct node *) top;
static atomic_int pushed, popped;

static void push(int value)
{
    struct node *node = malloc(sizeof *node);
    node->value = value;
    node->next = atomic_load(&top);
    $push
    atomic_fetch_add(&pushed, value);
}

static int pop(void)
{
    struct node *node = atomic_load(&top);
    while (node && !atomic_compare_exchange_$strength(&top, &node, node->next))
        $pause;
    if (!node)
        return 0;
    int value = node->value;
    $reclaim
    atomic_fetch_add(&popped, value);
    return value;
}

static void *work(void *argument)
{
    for (int i = 1; i <= $rounds; i++) {
        push(i);
        pop();
    }
    return argument;
}

int main(void)
{
    pthread_t threads[$threads];
    for (int i = 0; i < $threads; i++)
        pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < $threads; i++)
        pthread_join(threads[i], 0);
    while (pop())
        ;
    assert(pushed == popped);
    return 0;
}
"#;
    let push = random.pick(&[
        "while (!atomic_compare_exchange_weak(&top, &node->next, node))\n        ;",
        "while (!atomic_compare_exchange_weak(&top, &node->next, node))\n        ;",
        "atomic_store(&top, node);",
    ]);
    let text = c!(
        text,
        push = push,
        strength = random.pick(&["weak", "strong"]),
        pause = random.pick(&["continue", "sched_yield()"]),
        reclaim = random.pick(&["", "free(node);"]),
        rounds = size(random, &[1, 2, 5, 40]),
        threads = size(random, &[2, 3, 4])
    );
    format!("{HEAD}#include <sched.h>\n{text}")
}

/// Loops with a few shared accesses in every iteration.
pub fn long_loop(random: &mut Random) -> String {
    let text = r#"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned total, table[$width];
static volatile int stop;

static void *add(void *argument)
{
    unsigned own = (unsigned)(long)argument;
    for (int round = 0; round < $rounds && !stop; round++) {
        own = own * 1664525u + 1013904223u;
        $lock
        total++;
        table[own % $width] += own & 7u;
        $unlock
    }
    return 0;
}

int main(void)
{
    pthread_t threads[$threads];
    for (long i = 0; i < $threads; i++)
        pthread_create(&threads[i], 0, add, (void *)i);
    for (int i = 0; i < $threads; i++)
        pthread_join(threads[i], 0);
    printf("%u\n", table[0]);
    assert(total == $threads * $rounds);
    return 0;
}
"#;
    let locked = random.chance(50);
    let text = c!(
        text,
        width = size(random, &[1, 8, 256]),
        rounds = size(random, &[3, 30, 1000, 50_000, 2_000_000]),
        threads = size(random, &[2, 3]),
        lock = if locked { "pthread_mutex_lock(&lock);" } else { "" },
        unlock = if locked { "pthread_mutex_unlock(&lock);" } else { "" }
    );
    format!("{HEAD}{text}")
}

/// Recursion to a constant depth or one read from shared memory, with a thread for each half.
pub fn recursion(random: &mut Random) -> String {
    let text = r#"
static int depth = $depth, calls;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct part { int from, to; long sum; };

static long ackermann(long m, long n)
{
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static void *halve(void *argument)
{
    struct part *part = argument;
    $lock
    calls++;
    $unlock
    if (part->to - part->from <= $leaf || depth <= 0) {
        for (int i = part->from; i < part->to; i++)
            part->sum += i;
        return 0;
    }
    int middle = part->from + (part->to - part->from) / 2;
    struct part left = { part->from, middle, 0 }, right = { middle, part->to, 0 };
    pthread_t other;
    pthread_create(&other, 0, halve, &left);
    halve(&right);
    pthread_join(other, 0);
    part->sum = left.sum + right.sum;
    return 0;
}

int main(void)
{
    struct part all = { 0, $size, 0 };
    halve(&all);
    assert(all.sum == (long)$size * ($size - 1) / 2);
    assert(calls >= 1 && ackermann(2, $acker) == 2 * $acker + 3);
    return 0;
}
"#;
    let locked = random.chance(70);
    let text = c!(
        text,
        depth = random.between(0, 3),
        leaf = size(random, &[1, 2, 4]),
        size = size(random, &[2, 4, 8, 16, 64]),
        acker = size(random, &[1, 3, 20, 200]),
        lock = if locked { "pthread_mutex_lock(&lock);" } else { "" },
        unlock = if locked { "pthread_mutex_unlock(&lock);" } else { "" }
    );
    format!("{HEAD}{text}")
}

/// Many threads that meet at a home-made barrier.
pub fn crowd(random: &mut Random) -> String {
    let text = r#"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t everyone = PTHREAD_COND_INITIALIZER;
static int arrived, round_number, slots[$threads];

static void meet(void)
{
    pthread_mutex_lock(&lock);
    int own = round_number;
    if (++arrived == $threads) {
        arrived = 0;
        round_number++;
        pthread_cond_broadcast(&everyone);
    }
    $test (own == round_number)
        pthread_cond_wait(&everyone, &lock);
    pthread_mutex_unlock(&lock);
}

static void *work(void *argument)
{
    long own = (long)argument;
    for (int round = 0; round < $rounds; round++) {
        slots[own] = round;
        meet();
        assert(slots[(own + 1) % $threads] >= round);
        $second
    }
    return 0;
}

int main(void)
{
    pthread_t threads[$threads];
    for (long i = 0; i < $threads; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < $threads; i++)
        pthread_join(threads[i], 0);
    return 0;
}
"#;
    let text = c!(
        text,
        threads = size(random, &[2, 3, 5, 12, 60, 200]),
        rounds = size(random, &[1, 2, 5]),
        test = random.pick(&["while", "if"]),
        second = random.pick(&["", "meet();"])
    );
    format!("{HEAD}{text}")
}

/// A sorted list in which threads insert and remove, with hand-over-hand locking, with one lock, or with none.
pub fn linked_list(random: &mut Random) -> String {
    let text = r#"
struct node { int key; struct node *next; pthread_mutex_t lock; };
static struct node first = { -1, 0, PTHREAD_MUTEX_INITIALIZER };
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static int inserted;

static int insert(int key)
{
    struct node *node = malloc(sizeof *node);
    node->key = key;
    pthread_mutex_init(&node->lock, 0);
    $lock
    struct node *before = &first;
    while (before->next && before->next->key < key)
        before = before->next;
    int is_new = !before->next || before->next->key != key;
    if (is_new) {
        node->next = before->next;
        before->next = node;
        inserted++;
    }
    $unlock
    if (!is_new)
        free(node);
    return is_new;
}

static void drop(int key)
{
    $lock
    struct node *before = &first;
    while (before->next && before->next->key < key)
        before = before->next;
    struct node *found = before->next && before->next->key == key ? before->next : 0;
    if (found) {
        before->next = found->next;
        inserted--;
    }
    $unlock
    free(found);
}

static void *work(void *argument)
{
    long own = (long)argument;
    for (int i = 0; i < $rounds; i++) {
        insert((int)(own * 7 + i * 3) % $keys);
        drop((int)(own + i) % $keys);
    }
    return 0;
}

int main(void)
{
    pthread_t threads[$threads];
    for (long i = 0; i < $threads; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < $threads; i++)
        pthread_join(threads[i], 0);
    int length = 0;
    for (struct node *node = first.next; node; node = node->next)
        length++;
    assert(length == inserted);
    return 0;
}
"#;
    let locked = random.chance(60);
    let text = c!(
        text,
        rounds = size(random, &[1, 2, 4, 30]),
        keys = size(random, &[2, 5, 50]),
        threads = size(random, &[2, 2, 3]),
        lock = if locked { "pthread_mutex_lock(&list_lock);" } else { "" },
        unlock = if locked { "pthread_mutex_unlock(&list_lock);" } else { "" }
    );
    format!("{HEAD}{text}")
}
