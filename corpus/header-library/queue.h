// Bounded queues of any element type, made by a macro; one lock and two conditions each.
#ifndef QUEUE_H
#define QUEUE_H

#include <pthread.h>

#define DEFINE_QUEUE(name, type, size)                                                                                 \
    struct name {                                                                                                      \
        pthread_mutex_t lock;                                                                                          \
        pthread_cond_t not_empty, not_full;                                                                            \
        type items[size];                                                                                              \
        unsigned first, count;                                                                                         \
    };                                                                                                                 \
    static inline void name##_init(struct name *q)                                                                     \
    {                                                                                                                  \
        pthread_mutex_init(&q->lock, NULL);                                                                            \
        pthread_cond_init(&q->not_empty, NULL);                                                                        \
        pthread_cond_init(&q->not_full, NULL);                                                                         \
        q->first = q->count = 0;                                                                                       \
    }                                                                                                                  \
    static inline void name##_put(struct name *q, type item)                                                           \
    {                                                                                                                  \
        pthread_mutex_lock(&q->lock);                                                                                  \
        while (q->count == (size))                                                                                     \
            pthread_cond_wait(&q->not_full, &q->lock);                                                                 \
        q->items[(q->first + q->count++) % (size)] = item;                                                             \
        pthread_cond_signal(&q->not_empty);                                                                            \
        pthread_mutex_unlock(&q->lock);                                                                                \
    }                                                                                                                  \
    static inline type name##_take(struct name *q)                                                                     \
    {                                                                                                                  \
        pthread_mutex_lock(&q->lock);                                                                                  \
        while (q->count == 0)                                                                                          \
            pthread_cond_wait(&q->not_empty, &q->lock);                                                                \
        type item = q->items[q->first];                                                                                \
        q->first = (q->first + 1) % (size);                                                                            \
        q->count--;                                                                                                    \
        pthread_cond_signal(&q->not_full);                                                                             \
        pthread_mutex_unlock(&q->lock);                                                                                \
        return item;                                                                                                   \
    }

#endif
