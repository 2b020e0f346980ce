#include "bank.h"

#include <string.h>

/* Account number 0 stands for the outside world in journal entries. */
#define OUTSIDE 0u

void ledger_init(ledger_t *ledger)
{
    accounts_init(&ledger->accounts);
    journal_init(&ledger->journal);
}

void ledger_destroy(ledger_t *ledger)
{
    journal_destroy(&ledger->journal);
    accounts_destroy(&ledger->accounts);
}

bank_status_t ledger_open(ledger_t *ledger, unsigned number, const char *owner)
{
    account_t *account;

    if (number == OUTSIDE)
        return BANK_NO_ACCOUNT;
    pthread_mutex_lock(&ledger->accounts.lock);
    account = accounts_add(&ledger->accounts, number, owner);
    pthread_mutex_unlock(&ledger->accounts.lock);
    return account != NULL ? BANK_OK : BANK_NO_MEMORY;
}

/* Write one entry for a change that the caller is about to make. */
static bank_status_t record(ledger_t *ledger, entry_kind_t kind, unsigned from, unsigned to,
                            money_t amount)
{
    bank_status_t status;

    pthread_mutex_lock(&ledger->journal.lock);
    status = journal_reserve(&ledger->journal, 1);
    if (status == BANK_OK)
        journal_append(&ledger->journal, kind, from, to, amount);
    pthread_mutex_unlock(&ledger->journal.lock);
    return status;
}

static void apply(account_t *account, money_t delta)
{
    account->balance += delta;
    account->movements++;
}

bank_status_t ledger_deposit(ledger_t *ledger, unsigned number, money_t amount)
{
    bank_status_t status = BANK_NO_ACCOUNT;
    account_t *account;

    if (amount <= 0)
        return BANK_BAD_AMOUNT;
    pthread_mutex_lock(&ledger->accounts.lock);
    account = accounts_find(&ledger->accounts, number);
    if (account != NULL) {
        status = record(ledger, ENTRY_DEPOSIT, OUTSIDE, number, amount);
        if (status == BANK_OK)
            apply(account, amount);
    }
    pthread_mutex_unlock(&ledger->accounts.lock);
    return status;
}

bank_status_t ledger_withdraw(ledger_t *ledger, unsigned number, money_t amount)
{
    bank_status_t status = BANK_NO_ACCOUNT;
    account_t *account;

    if (amount <= 0)
        return BANK_BAD_AMOUNT;
    pthread_mutex_lock(&ledger->accounts.lock);
    account = accounts_find(&ledger->accounts, number);
    if (account != NULL) {
        if (account->balance < amount)
            status = BANK_NO_FUNDS;
        else
            status = record(ledger, ENTRY_WITHDRAWAL, number, OUTSIDE, amount);
        if (status == BANK_OK)
            apply(account, -amount);
    }
    pthread_mutex_unlock(&ledger->accounts.lock);
    return status;
}

bank_status_t ledger_transfer(ledger_t *ledger, unsigned from, unsigned to, money_t amount)
{
    bank_status_t status = BANK_OK;
    account_t *source;
    account_t *target;

    if (amount <= 0 || from == to)
        return BANK_BAD_AMOUNT;
    pthread_mutex_lock(&ledger->accounts.lock);
    source = accounts_find(&ledger->accounts, from);
    target = accounts_find(&ledger->accounts, to);
    if (source == NULL || target == NULL)
        status = BANK_NO_ACCOUNT;
    else if (source->balance < amount)
        status = BANK_NO_FUNDS;
    if (status == BANK_OK)
        status = record(ledger, ENTRY_TRANSFER, from, to, amount);
    if (status == BANK_OK) {
        apply(source, -amount);
        apply(target, amount);
    }
    pthread_mutex_unlock(&ledger->accounts.lock);
    return status;
}

struct interest_run {
    ledger_t *ledger;
    unsigned basis_points;
    bank_status_t status;
};

static void pay_one(account_t *account, void *arg)
{
    struct interest_run *run = arg;
    money_t interest = money_percent(account->balance, run->basis_points);

    if (run->status != BANK_OK || interest <= 0)
        return;
    run->status = record(run->ledger, ENTRY_INTEREST, OUTSIDE, account->number, interest);
    if (run->status == BANK_OK)
        apply(account, interest);
}

bank_status_t ledger_pay_interest(ledger_t *ledger, unsigned basis_points)
{
    struct interest_run run = { ledger, basis_points, BANK_OK };

    pthread_mutex_lock(&ledger->accounts.lock);
    accounts_each(&ledger->accounts, pay_one, &run);
    pthread_mutex_unlock(&ledger->accounts.lock);
    return run.status;
}

bank_status_t ledger_balance(ledger_t *ledger, unsigned number, money_t *out)
{
    bank_status_t status = BANK_NO_ACCOUNT;
    account_t *account;

    pthread_mutex_lock(&ledger->accounts.lock);
    account = accounts_find(&ledger->accounts, number);
    if (account != NULL) {
        *out = account->balance;
        status = BANK_OK;
    }
    pthread_mutex_unlock(&ledger->accounts.lock);
    return status;
}

size_t ledger_statement(ledger_t *ledger, unsigned number, journal_entry_t *out, size_t max)
{
    size_t n = 0;

    pthread_mutex_lock(&ledger->journal.lock);
    for (size_t i = 0; i < ledger->journal.count && n < max; i++) {
        const journal_entry_t *entry = &ledger->journal.entries[i];

        if (entry->from == number || entry->to == number)
            out[n++] = *entry;
    }
    pthread_mutex_unlock(&ledger->journal.lock);
    return n;
}

struct audit_run {
    const journal_t *journal;
    audit_report_t *report;
};

static void audit_one(account_t *account, void *arg)
{
    struct audit_run *run = arg;

    run->report->accounts_seen++;
    if (journal_net(run->journal, account->number) != account->balance)
        run->report->mismatches++;
}

/* Replays the journal and compares it with the accounts. */
void ledger_audit(ledger_t *ledger, audit_report_t *report)
{
    struct audit_run run = { &ledger->journal, report };

    memset(report, 0, sizeof(*report));
    pthread_mutex_lock(&ledger->accounts.lock);
    pthread_mutex_lock(&ledger->journal.lock);
    report->entries_seen = ledger->journal.count;
    accounts_each(&ledger->accounts, audit_one, &run);
    report->total = accounts_total(&ledger->accounts);
    pthread_mutex_unlock(&ledger->journal.lock);
    pthread_mutex_unlock(&ledger->accounts.lock);
}
