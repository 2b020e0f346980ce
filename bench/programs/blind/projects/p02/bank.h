#ifndef BANK_H
#define BANK_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Amounts are in cents. */
typedef long money_t;

bool money_parse(const char *text, money_t *out);
int money_format(money_t amount, char *buf, size_t size);
money_t money_percent(money_t amount, unsigned basis_points);

typedef enum {
    BANK_OK = 0,
    BANK_NO_ACCOUNT,
    BANK_NO_FUNDS,
    BANK_BAD_AMOUNT,
    BANK_NO_MEMORY
} bank_status_t;

const char *bank_status_text(bank_status_t status);

/* ---- account table ------------------------------------------------ */

#define ACCOUNT_BUCKETS 8
#define OWNER_MAX 16

typedef struct account {
    unsigned number;
    char owner[OWNER_MAX];
    money_t balance;
    unsigned movements;
    struct account *next;
} account_t;

typedef struct {
    pthread_mutex_t lock;
    account_t *buckets[ACCOUNT_BUCKETS];
    size_t count;
} account_table_t;

void accounts_init(account_table_t *table);
void accounts_destroy(account_table_t *table);
account_t *accounts_add(account_table_t *table, unsigned number, const char *owner);
account_t *accounts_find(account_table_t *table, unsigned number);
money_t accounts_total(const account_table_t *table);

typedef void (*account_visitor_t)(account_t *account, void *arg);
void accounts_each(account_table_t *table, account_visitor_t visit, void *arg);

/* ---- journal -------------------------------------------------------- */

typedef enum {
    ENTRY_DEPOSIT,
    ENTRY_WITHDRAWAL,
    ENTRY_TRANSFER,
    ENTRY_INTEREST
} entry_kind_t;

typedef struct {
    unsigned long id;
    entry_kind_t kind;
    unsigned from;
    unsigned to;
    money_t amount;
} journal_entry_t;

typedef struct {
    pthread_mutex_t lock;
    journal_entry_t *entries;
    size_t count;
    size_t capacity;
    unsigned long next_id;
} journal_t;

void journal_init(journal_t *journal);
void journal_destroy(journal_t *journal);
bank_status_t journal_reserve(journal_t *journal, size_t extra);
void journal_append(journal_t *journal, entry_kind_t kind, unsigned from, unsigned to,
                    money_t amount);
money_t journal_net(const journal_t *journal, unsigned number);
size_t journal_count_kind(const journal_t *journal, entry_kind_t kind);

/* ---- ledger: accounts plus journal -------------------------------- */

typedef struct {
    account_table_t accounts;
    journal_t journal;
} ledger_t;

typedef struct {
    size_t accounts_seen;
    size_t entries_seen;
    size_t mismatches;
    money_t total;
} audit_report_t;

void ledger_init(ledger_t *ledger);
void ledger_destroy(ledger_t *ledger);
bank_status_t ledger_open(ledger_t *ledger, unsigned number, const char *owner);
bank_status_t ledger_deposit(ledger_t *ledger, unsigned number, money_t amount);
bank_status_t ledger_withdraw(ledger_t *ledger, unsigned number, money_t amount);
bank_status_t ledger_transfer(ledger_t *ledger, unsigned from, unsigned to, money_t amount);
bank_status_t ledger_pay_interest(ledger_t *ledger, unsigned basis_points);
bank_status_t ledger_balance(ledger_t *ledger, unsigned number, money_t *out);
size_t ledger_statement(ledger_t *ledger, unsigned number, journal_entry_t *out, size_t max);
void ledger_audit(ledger_t *ledger, audit_report_t *report);

#endif
