#include "bank.h"

#include <stdlib.h>

/* As with the accounts, callers hold journal->lock. */

#define JOURNAL_FIRST 8

void journal_init(journal_t *journal)
{
    pthread_mutex_init(&journal->lock, NULL);
    journal->entries = NULL;
    journal->count = 0;
    journal->capacity = 0;
    journal->next_id = 1;
}

void journal_destroy(journal_t *journal)
{
    free(journal->entries);
    journal->entries = NULL;
    pthread_mutex_destroy(&journal->lock);
}

/* Make sure that the next `extra` appends cannot fail. */
bank_status_t journal_reserve(journal_t *journal, size_t extra)
{
    size_t capacity = journal->capacity;
    journal_entry_t *entries;

    if (journal->count + extra <= capacity)
        return BANK_OK;
    if (capacity == 0)
        capacity = JOURNAL_FIRST;
    while (capacity < journal->count + extra)
        capacity *= 2;
    entries = realloc(journal->entries, capacity * sizeof(*entries));
    if (entries == NULL)
        return BANK_NO_MEMORY;
    journal->entries = entries;
    journal->capacity = capacity;
    return BANK_OK;
}

void journal_append(journal_t *journal, entry_kind_t kind, unsigned from, unsigned to,
                    money_t amount)
{
    journal_entry_t *entry = &journal->entries[journal->count];

    entry->id = journal->next_id++;
    entry->kind = kind;
    entry->from = from;
    entry->to = to;
    entry->amount = amount;
    journal->count++;
}

/* What the journal says that the balance of an account must be. */
money_t journal_net(const journal_t *journal, unsigned number)
{
    money_t net = 0;

    for (size_t i = 0; i < journal->count; i++) {
        const journal_entry_t *entry = &journal->entries[i];

        if (entry->to == number)
            net += entry->amount;
        if (entry->from == number)
            net -= entry->amount;
    }
    return net;
}

size_t journal_count_kind(const journal_t *journal, entry_kind_t kind)
{
    size_t n = 0;

    for (size_t i = 0; i < journal->count; i++) {
        if (journal->entries[i].kind == kind)
            n++;
    }
    return n;
}
