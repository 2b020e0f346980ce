#include "bank.h"

#include <stdlib.h>
#include <string.h>

/*
 * The table does not lock by itself: callers hold table->lock around any
 * use of it and of the accounts that they got from it.
 */

static unsigned bucket_of(unsigned number)
{
    unsigned h = number * 2654435761u;

    return (h >> 16) % ACCOUNT_BUCKETS;
}

void accounts_init(account_table_t *table)
{
    pthread_mutex_init(&table->lock, NULL);
    for (size_t i = 0; i < ACCOUNT_BUCKETS; i++)
        table->buckets[i] = NULL;
    table->count = 0;
}

void accounts_destroy(account_table_t *table)
{
    for (size_t i = 0; i < ACCOUNT_BUCKETS; i++) {
        account_t *account = table->buckets[i];

        while (account != NULL) {
            account_t *next = account->next;

            free(account);
            account = next;
        }
        table->buckets[i] = NULL;
    }
    pthread_mutex_destroy(&table->lock);
}

account_t *accounts_add(account_table_t *table, unsigned number, const char *owner)
{
    account_t *account = accounts_find(table, number);
    unsigned b = bucket_of(number);

    if (account != NULL)
        return account;
    account = calloc(1, sizeof(*account));
    if (account == NULL)
        return NULL;
    account->number = number;
    strncpy(account->owner, owner, OWNER_MAX - 1);
    account->next = table->buckets[b];
    table->buckets[b] = account;
    table->count++;
    return account;
}

account_t *accounts_find(account_table_t *table, unsigned number)
{
    account_t *account = table->buckets[bucket_of(number)];

    while (account != NULL && account->number != number)
        account = account->next;
    return account;
}

money_t accounts_total(const account_table_t *table)
{
    money_t total = 0;

    for (size_t i = 0; i < ACCOUNT_BUCKETS; i++) {
        for (const account_t *a = table->buckets[i]; a != NULL; a = a->next)
            total += a->balance;
    }
    return total;
}

void accounts_each(account_table_t *table, account_visitor_t visit, void *arg)
{
    for (size_t i = 0; i < ACCOUNT_BUCKETS; i++) {
        for (account_t *a = table->buckets[i]; a != NULL; a = a->next)
            visit(a, arg);
    }
}
