// A bank: tellers move money between accounts, each of which has its own lock; an auditor stops everything now and then
// and adds all balances. No money may be lost or made.
//
//     bank [SEED [TRANSFERS [TELLERS]]]          TRANSFERS for each teller
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ACCOUNTS 1024
#define BRANCHES 16
#define HISTORY 8
#define MAX_TELLERS 16
#define OPENING_BALANCE 100000
#define BATCH 20000

enum kind {
    DEPOSITED,
    WITHDRAWN,
    INTEREST,
};

struct entry {
    uint64_t number;
    int64_t amount;
    uint32_t other;
    enum kind kind;
};

struct account {
    pthread_mutex_t lock;
    int64_t balance;
    int64_t overdraft;
    uint64_t entries;
    struct entry history[HISTORY];
};

struct branch_office {
    pthread_mutex_t lock;
    uint64_t transfers;
    uint64_t rejected;
    int64_t volume;
};

struct bank {
    struct account accounts[ACCOUNTS];
    struct branch_office offices[BRANCHES];
    // Money that the bank itself has given or taken.
    pthread_mutex_t vault_lock;
    int64_t vault;
    // The auditor waits until work is done.
    pthread_mutex_t progress_lock;
    pthread_cond_t progressed;
    uint64_t batches;
    unsigned tellers_at_work;
};

struct teller {
    pthread_t thread;
    struct bank *bank;
    uint64_t transfers;
    uint64_t random;
    uint64_t done;
    uint64_t refused;
};

struct auditor {
    pthread_t thread;
    struct bank *bank;
    uint64_t audits;
    uint64_t wrong;
};

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

// Some accounts are used far more than others.
static unsigned pick_account(uint64_t *random)
{
    uint64_t value = next_random(random);

    if (value % 4 == 0)
        return (value >> 8) % (ACCOUNTS / 16);
    return (value >> 8) % ACCOUNTS;
}

static void book(struct account *account, enum kind kind, int64_t amount, uint32_t other, uint64_t number)
{
    struct entry *entry = &account->history[account->entries % HISTORY];

    entry->number = number;
    entry->amount = amount;
    entry->other = other;
    entry->kind = kind;
    account->entries++;
    account->balance += kind == WITHDRAWN ? -amount : amount;
}

// Both accounts are locked, the one with the lower number first.
static void lock_pair(struct bank *bank, unsigned a, unsigned b)
{
    unsigned low = a < b ? a : b;
    unsigned high = a < b ? b : a;

    pthread_mutex_lock(&bank->accounts[low].lock);
    pthread_mutex_lock(&bank->accounts[high].lock);
}

static void unlock_pair(struct bank *bank, unsigned a, unsigned b)
{
    pthread_mutex_unlock(&bank->accounts[a].lock);
    pthread_mutex_unlock(&bank->accounts[b].lock);
}

static bool transfer(struct bank *bank, unsigned from, unsigned to, int64_t amount, uint64_t number)
{
    struct account *source = &bank->accounts[from];
    struct account *target = &bank->accounts[to];
    bool possible;

    lock_pair(bank, from, to);
    possible = source->balance + source->overdraft >= amount;
    if (possible) {
        book(source, WITHDRAWN, amount, to, number);
        book(target, DEPOSITED, amount, from, number);
    }
    unlock_pair(bank, from, to);
    return possible;
}

// How much an account has lately been used for large payments, in tenths of a percent of what went through it.
static int64_t recent_turnover(const struct account *account)
{
    uint64_t known = account->entries < HISTORY ? account->entries : HISTORY;
    int64_t turnover = 0;
    int64_t large = 0;

    for (uint64_t i = 0; i < known; i++) {
        const struct entry *entry = &account->history[i];

        turnover += entry->amount;
        if (entry->kind == WITHDRAWN && entry->amount > 500)
            large += entry->amount;
    }
    return turnover > 0 ? large * 1000 / turnover : 0;
}

// Interest is paid out of the vault; an account with much movement gets a smaller overdraft.
static void settle(struct bank *bank, unsigned number, uint64_t at)
{
    struct account *account = &bank->accounts[number];
    int64_t interest = 0;

    pthread_mutex_lock(&account->lock);
    if (account->balance > 0)
        interest = account->balance / 2000;
    if (interest > 0)
        book(account, INTEREST, interest, number, at);
    account->overdraft = recent_turnover(account) > 400 ? 1000 : 5000;
    pthread_mutex_unlock(&account->lock);

    if (interest > 0) {
        pthread_mutex_lock(&bank->vault_lock);
        bank->vault -= interest;
        pthread_mutex_unlock(&bank->vault_lock);
    }
}

static void report(struct bank *bank, unsigned office, bool done, int64_t amount)
{
    struct branch_office *branch = &bank->offices[office];

    pthread_mutex_lock(&branch->lock);
    if (done) {
        branch->transfers++;
        branch->volume += amount;
    } else {
        branch->rejected++;
    }
    pthread_mutex_unlock(&branch->lock);
}

static void end_batch(struct bank *bank, bool last)
{
    pthread_mutex_lock(&bank->progress_lock);
    bank->batches++;
    if (last)
        bank->tellers_at_work--;
    pthread_cond_signal(&bank->progressed);
    pthread_mutex_unlock(&bank->progress_lock);
}

static void *run_teller(void *argument)
{
    struct teller *teller = argument;
    struct bank *bank = teller->bank;

    for (uint64_t i = 1; i <= teller->transfers; i++) {
        unsigned from = pick_account(&teller->random);
        unsigned to = pick_account(&teller->random);
        int64_t amount = 1 + next_random(&teller->random) % 1000;
        bool done;

        if (from == to)
            to = (to + 1) % ACCOUNTS;
        done = transfer(bank, from, to, amount, i);
        if (done)
            teller->done++;
        else
            teller->refused++;
        report(bank, from % BRANCHES, done, amount);
        if (i % 64 == 0)
            settle(bank, to, i);
        if (i % BATCH == 0)
            end_batch(bank, false);
    }
    end_batch(bank, true);
    return NULL;
}

// All accounts are locked in order while they are added; then the vault, into which interest is booked last.
static bool audit(struct bank *bank)
{
    int64_t sum = 0;

    for (unsigned i = 0; i < ACCOUNTS; i++)
        pthread_mutex_lock(&bank->accounts[i].lock);
    pthread_mutex_lock(&bank->vault_lock);
    for (unsigned i = 0; i < ACCOUNTS; i++)
        sum += bank->accounts[i].balance;
    sum += bank->vault;
    pthread_mutex_unlock(&bank->vault_lock);
    for (unsigned i = ACCOUNTS; i-- > 0;)
        pthread_mutex_unlock(&bank->accounts[i].lock);
    // Interest may be booked and not yet taken out of the vault: then there is more, never less.
    return sum >= (int64_t)ACCOUNTS * OPENING_BALANCE;
}

static void *run_auditor(void *argument)
{
    struct auditor *auditor = argument;
    struct bank *bank = auditor->bank;
    uint64_t seen = 0;

    for (;;) {
        bool finished;

        pthread_mutex_lock(&bank->progress_lock);
        while (bank->batches == seen && bank->tellers_at_work > 0)
            pthread_cond_wait(&bank->progressed, &bank->progress_lock);
        seen = bank->batches;
        finished = bank->tellers_at_work == 0;
        pthread_mutex_unlock(&bank->progress_lock);
        if (finished)
            return NULL;
        auditor->audits++;
        if (!audit(bank))
            auditor->wrong++;
    }
}

static struct bank *open_bank(unsigned tellers)
{
    struct bank *bank = calloc(1, sizeof *bank);

    if (bank == NULL)
        exit(2);
    for (unsigned i = 0; i < ACCOUNTS; i++) {
        pthread_mutex_init(&bank->accounts[i].lock, NULL);
        bank->accounts[i].balance = OPENING_BALANCE;
        bank->accounts[i].overdraft = 5000;
    }
    for (unsigned i = 0; i < BRANCHES; i++)
        pthread_mutex_init(&bank->offices[i].lock, NULL);
    pthread_mutex_init(&bank->vault_lock, NULL);
    pthread_mutex_init(&bank->progress_lock, NULL);
    pthread_cond_init(&bank->progressed, NULL);
    bank->tellers_at_work = tellers;
    return bank;
}

// What the offices have counted, and all money, must be what it should be.
static bool close_books(const struct bank *bank, const struct teller *tellers, unsigned count)
{
    uint64_t done = 0, refused = 0, counted = 0, rejected = 0;
    int64_t sum = bank->vault;

    for (unsigned i = 0; i < count; i++) {
        done += tellers[i].done;
        refused += tellers[i].refused;
    }
    for (unsigned i = 0; i < BRANCHES; i++) {
        counted += bank->offices[i].transfers;
        rejected += bank->offices[i].rejected;
    }
    for (unsigned i = 0; i < ACCOUNTS; i++)
        sum += bank->accounts[i].balance;
    printf("%llu transfers, %llu refused\n", (unsigned long long)done, (unsigned long long)refused);
    return sum == (int64_t)ACCOUNTS * OPENING_BALANCE && done == counted && refused == rejected;
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    uint64_t transfers = argc > 2 ? strtoull(argv[2], NULL, 10) : 8000000;
    unsigned count = argc > 3 ? strtoul(argv[3], NULL, 10) : 2;
    struct teller tellers[MAX_TELLERS];
    struct auditor auditor = {0};
    struct bank *bank;
    bool right;

    if (count == 0 || count > MAX_TELLERS) {
        fprintf(stderr, "usage: bank [SEED [TRANSFERS [TELLERS]]]\n");
        return 2;
    }
    bank = open_bank(count);
    memset(tellers, 0, sizeof tellers);
    for (unsigned i = 0; i < count; i++) {
        tellers[i].bank = bank;
        tellers[i].transfers = transfers;
        tellers[i].random = seed * MAX_TELLERS + i;
        if (pthread_create(&tellers[i].thread, NULL, run_teller, &tellers[i]) != 0)
            return 2;
    }
    auditor.bank = bank;
    if (pthread_create(&auditor.thread, NULL, run_auditor, &auditor) != 0)
        return 2;
    for (unsigned i = 0; i < count; i++)
        pthread_join(tellers[i].thread, NULL);
    pthread_join(auditor.thread, NULL);

    right = close_books(bank, tellers, count) && auditor.wrong == 0;
    free(bank);
    if (!right)
        printf("the books are wrong\n");
    return right ? 0 : 1;
}
