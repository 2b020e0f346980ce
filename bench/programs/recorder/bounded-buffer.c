// A bounded buffer between producers and consumers, as between the stages of a network service: producers build packets
// and sign them with a checksum, consumers check them and keep statistics of what the packets carry.
//
//     bounded-buffer [SEED [PACKETS [PRODUCERS [CONSUMERS]]]]          PACKETS for each producer
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CAPACITY 128
#define MAX_THREADS 16
#define LARGEST 1400
#define SMALLEST 64
#define KINDS 8
#define SIZE_CLASSES 16

struct packet {
    uint32_t checksum;
    uint32_t sequence;
    uint16_t length;
    uint8_t producer;
    uint8_t kind;
    unsigned char payload[];
};

struct buffer {
    pthread_mutex_t lock;
    pthread_cond_t not_empty;
    pthread_cond_t not_full;
    struct packet *packets[CAPACITY];
    unsigned head;
    unsigned count;
    unsigned producers;
    uint64_t waits;
};

struct statistics {
    uint64_t packets;
    uint64_t bytes;
    uint64_t broken;
    uint64_t by_kind[KINDS];
    uint64_t by_size[SIZE_CLASSES];
    uint64_t fields;
    uint64_t sum;
};

struct producer {
    pthread_t thread;
    struct buffer *buffer;
    uint64_t random;
    uint32_t packets;
    uint8_t number;
    uint64_t bytes;
};

struct consumer {
    pthread_t thread;
    struct buffer *buffer;
    struct statistics statistics;
};

static uint32_t crc_table[256];

static void fill_crc_table(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t value = i;

        for (int bit = 0; bit < 8; bit++)
            value = value & 1 ? value >> 1 ^ 0xedb88320u : value >> 1;
        crc_table[i] = value;
    }
}

static uint32_t crc(uint32_t start, const void *data, size_t length)
{
    const unsigned char *bytes = data;
    uint32_t value = ~start;

    for (size_t i = 0; i < length; i++)
        value = value >> 8 ^ crc_table[(value ^ bytes[i]) & 0xff];
    return ~value;
}

static uint32_t packet_checksum(const struct packet *packet)
{
    uint32_t value = crc(0, &packet->sequence, sizeof packet->sequence);

    value = crc(value, &packet->length, sizeof packet->length);
    return crc(value, packet->payload, packet->length);
}

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void put_packet(struct buffer *buffer, struct packet *packet)
{
    pthread_mutex_lock(&buffer->lock);
    while (buffer->count == CAPACITY) {
        buffer->waits++;
        pthread_cond_wait(&buffer->not_full, &buffer->lock);
    }
    buffer->packets[(buffer->head + buffer->count) % CAPACITY] = packet;
    buffer->count++;
    pthread_cond_signal(&buffer->not_empty);
    pthread_mutex_unlock(&buffer->lock);
}

// Null when there is nothing left and nobody who could bring more.
static struct packet *take_packet(struct buffer *buffer)
{
    struct packet *packet = NULL;

    pthread_mutex_lock(&buffer->lock);
    while (buffer->count == 0 && buffer->producers > 0) {
        buffer->waits++;
        pthread_cond_wait(&buffer->not_empty, &buffer->lock);
    }
    if (buffer->count > 0) {
        packet = buffer->packets[buffer->head];
        buffer->head = (buffer->head + 1) % CAPACITY;
        buffer->count--;
        pthread_cond_signal(&buffer->not_full);
    }
    pthread_mutex_unlock(&buffer->lock);
    return packet;
}

static void producer_leaves(struct buffer *buffer)
{
    pthread_mutex_lock(&buffer->lock);
    buffer->producers--;
    pthread_cond_broadcast(&buffer->not_empty);
    pthread_mutex_unlock(&buffer->lock);
}

// The payload is a row of fields: a tag, a length and that many bytes. The rest is zero.
static void fill_payload(struct packet *packet, uint64_t *random)
{
    size_t at = 0;

    memset(packet->payload, 0, packet->length);
    while (at + 2 < packet->length) {
        uint64_t value = next_random(random);
        size_t room = packet->length - at - 2;
        size_t length = 4 + (value >> 8) % 60;

        if (length > room)
            length = room;
        packet->payload[at++] = 1 + value % 200;
        packet->payload[at++] = length;
        for (size_t i = 0; i < length; i += sizeof value) {
            value = next_random(random);
            memcpy(packet->payload + at + i, &value, length - i < sizeof value ? length - i : sizeof value);
        }
        at += length;
    }
}

static struct packet *new_packet(struct producer *producer, uint32_t sequence)
{
    uint64_t choice = next_random(&producer->random);
    uint16_t length = SMALLEST + choice % (LARGEST - SMALLEST);
    struct packet *packet = malloc(sizeof *packet + length);

    if (packet == NULL) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    packet->sequence = sequence;
    packet->length = length;
    packet->producer = producer->number;
    packet->kind = (choice >> 32) % KINDS;
    fill_payload(packet, &producer->random);
    packet->checksum = packet_checksum(packet);
    return packet;
}

static void *run_producer(void *argument)
{
    struct producer *producer = argument;

    for (uint32_t i = 0; i < producer->packets; i++) {
        struct packet *packet = new_packet(producer, i);

        producer->bytes += packet->length;
        put_packet(producer->buffer, packet);
    }
    producer_leaves(producer->buffer);
    return NULL;
}

static void read_fields(struct statistics *statistics, const struct packet *packet)
{
    size_t at = 0;

    while (at + 2 < packet->length && packet->payload[at] != 0) {
        size_t length = packet->payload[at + 1];

        if (at + 2 + length > packet->length) {
            statistics->broken++;
            return;
        }
        if (packet->payload[at] < 100) {
            for (size_t i = 0; i < length; i++)
                statistics->sum += packet->payload[at + 2 + i];
        }
        statistics->fields++;
        at += 2 + length;
    }
}

static void *run_consumer(void *argument)
{
    struct consumer *consumer = argument;
    struct statistics *statistics = &consumer->statistics;
    struct packet *packet;

    while ((packet = take_packet(consumer->buffer)) != NULL) {
        if (packet_checksum(packet) == packet->checksum) {
            statistics->packets++;
            statistics->bytes += packet->length;
            statistics->by_kind[packet->kind % KINDS]++;
            statistics->by_size[packet->length * SIZE_CLASSES / (LARGEST + 1)]++;
            read_fields(statistics, packet);
        } else {
            statistics->broken++;
        }
        free(packet);
    }
    return NULL;
}

static void add_statistics(struct statistics *total, const struct statistics *part)
{
    total->packets += part->packets;
    total->bytes += part->bytes;
    total->broken += part->broken;
    total->fields += part->fields;
    total->sum += part->sum;
    for (unsigned i = 0; i < KINDS; i++)
        total->by_kind[i] += part->by_kind[i];
    for (unsigned i = 0; i < SIZE_CLASSES; i++)
        total->by_size[i] += part->by_size[i];
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    uint32_t packets = argc > 2 ? strtoul(argv[2], NULL, 10) : 100000;
    unsigned producer_count = argc > 3 ? strtoul(argv[3], NULL, 10) : 2;
    unsigned consumer_count = argc > 4 ? strtoul(argv[4], NULL, 10) : 2;
    struct producer producers[MAX_THREADS];
    struct consumer consumers[MAX_THREADS];
    struct buffer buffer = {.lock = PTHREAD_MUTEX_INITIALIZER,
                            .not_empty = PTHREAD_COND_INITIALIZER,
                            .not_full = PTHREAD_COND_INITIALIZER,
                            .producers = producer_count};
    struct statistics total = {0};
    uint64_t produced = 0;

    if (producer_count == 0 || producer_count > MAX_THREADS || consumer_count == 0 || consumer_count > MAX_THREADS) {
        fprintf(stderr, "usage: bounded-buffer [SEED [PACKETS [PRODUCERS [CONSUMERS]]]]\n");
        return 2;
    }
    fill_crc_table();
    for (unsigned i = 0; i < consumer_count; i++) {
        consumers[i] = (struct consumer){.buffer = &buffer};
        if (pthread_create(&consumers[i].thread, NULL, run_consumer, &consumers[i]) != 0)
            return 2;
    }
    for (unsigned i = 0; i < producer_count; i++) {
        producers[i] = (struct producer){
            .buffer = &buffer, .random = seed * MAX_THREADS + i, .packets = packets, .number = i};
        if (pthread_create(&producers[i].thread, NULL, run_producer, &producers[i]) != 0)
            return 2;
    }
    for (unsigned i = 0; i < producer_count; i++) {
        pthread_join(producers[i].thread, NULL);
        produced += producers[i].bytes;
    }
    for (unsigned i = 0; i < consumer_count; i++) {
        pthread_join(consumers[i].thread, NULL);
        add_statistics(&total, &consumers[i].statistics);
    }

    printf("%llu packets, %llu bytes, %llu fields, sum %llu, %llu broken\n", (unsigned long long)total.packets,
           (unsigned long long)total.bytes, (unsigned long long)total.fields, (unsigned long long)total.sum,
           (unsigned long long)total.broken);
    for (unsigned i = 0; i < KINDS; i++)
        printf("kind %u: %llu\n", i, (unsigned long long)total.by_kind[i]);
    return total.bytes == produced && total.packets == (uint64_t)packets * producer_count && total.broken == 0 ? 0 : 1;
}
