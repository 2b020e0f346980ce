/* A day at the bank: two tellers at work while the books are audited. */
#include "bank.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define ALICE 1001u
#define BOB 1002u
#define CAROL 1003u
#define AUDITS 2

typedef struct {
    unsigned from;
    unsigned to;
    const char *amount;
} order_t;

typedef struct {
    ledger_t *ledger;
    const order_t *orders;
    size_t count;
    unsigned accepted;
    unsigned refused;
} teller_t;

typedef struct {
    ledger_t *ledger;
    audit_report_t reports[AUDITS];
} auditor_t;

static const order_t morning[] = {
    { ALICE, BOB, "10.00" },
    { BOB, CAROL, "2.50" },
};

static const order_t counter[] = {
    { CAROL, ALICE, "1.25" },
    { CAROL, BOB, "900" },
};

static void *teller_main(void *arg)
{
    teller_t *teller = arg;

    for (size_t i = 0; i < teller->count; i++) {
        const order_t *order = &teller->orders[i];
        money_t amount = 0;
        bank_status_t status = BANK_BAD_AMOUNT;

        if (money_parse(order->amount, &amount))
            status = ledger_transfer(teller->ledger, order->from, order->to, amount);
        if (status == BANK_OK)
            teller->accepted++;
        else
            teller->refused++;
    }
    return NULL;
}

static void *auditor_main(void *arg)
{
    auditor_t *auditor = arg;

    for (size_t i = 0; i < AUDITS; i++)
        ledger_audit(auditor->ledger, &auditor->reports[i]);
    return NULL;
}

static void check_money(void)
{
    char buf[32];
    money_t m = 0;
    bool ok;

    ok = money_parse("-3.5", &m);
    assert(ok && m == -350);
    ok = money_parse("1.234", &m);
    assert(!ok);
    ok = money_parse("x", &m);
    assert(!ok);
    (void)ok;
    money_format(-1205, buf, sizeof(buf));
    assert(strcmp(buf, "-12.05") == 0);
    assert(money_percent(10000, 250) == 250);
    assert(strcmp(bank_status_text(BANK_NO_FUNDS), "insufficient funds") == 0);
}

static void open_account(ledger_t *ledger, unsigned number, const char *owner, money_t initial)
{
    bank_status_t status;

    status = ledger_open(ledger, number, owner);
    assert(status == BANK_OK);
    status = ledger_deposit(ledger, number, initial);
    assert(status == BANK_OK);
    (void)status;
}

static money_t balance_of(ledger_t *ledger, unsigned number)
{
    money_t balance = -1;
    bank_status_t status = ledger_balance(ledger, number, &balance);

    assert(status == BANK_OK);
    (void)status;
    return balance;
}

static void print_statement(ledger_t *ledger, unsigned number)
{
    journal_entry_t lines[8];
    char buf[32];
    size_t n = ledger_statement(ledger, number, lines, 8);

    printf("account %u\n", number);
    for (size_t i = 0; i < n; i++) {
        money_t sign = lines[i].to == number ? 1 : -1;

        money_format(sign * lines[i].amount, buf, sizeof(buf));
        printf("  %3lu %10s\n", lines[i].id, buf);
    }
}

int main(void)
{
    ledger_t ledger;
    teller_t tellers[2];
    auditor_t auditor;
    audit_report_t final;
    pthread_t threads[3];
    bank_status_t status;

    check_money();
    ledger_init(&ledger);
    open_account(&ledger, ALICE, "alice", 5000);
    open_account(&ledger, BOB, "bob", 2000);
    open_account(&ledger, CAROL, "carol", 1000);
    status = ledger_withdraw(&ledger, BOB, 9999);
    assert(status == BANK_NO_FUNDS);
    status = ledger_deposit(&ledger, 77, 100);
    assert(status == BANK_NO_ACCOUNT);

    tellers[0] = (teller_t){ &ledger, morning, 2, 0, 0 };
    tellers[1] = (teller_t){ &ledger, counter, 2, 0, 0 };
    auditor.ledger = &ledger;
    pthread_create(&threads[0], NULL, teller_main, &tellers[0]);
    pthread_create(&threads[1], NULL, teller_main, &tellers[1]);
    pthread_create(&threads[2], NULL, auditor_main, &auditor);
    for (size_t i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);

    for (size_t i = 0; i < AUDITS; i++) {
        assert(auditor.reports[i].accounts_seen == 3);
        assert(auditor.reports[i].mismatches == 0);
        assert(auditor.reports[i].total == 8000);
    }
    assert(auditor.reports[0].entries_seen <= auditor.reports[1].entries_seen);
    assert(tellers[0].accepted == 2 && tellers[0].refused == 0);
    assert(tellers[1].accepted == 1 && tellers[1].refused == 1);
    assert(balance_of(&ledger, ALICE) == 4125);
    assert(balance_of(&ledger, BOB) == 2750);
    assert(balance_of(&ledger, CAROL) == 1125);

    status = ledger_pay_interest(&ledger, 100);
    assert(status == BANK_OK);
    status = ledger_withdraw(&ledger, ALICE, 66);
    assert(status == BANK_OK);
    (void)status;
    assert(journal_count_kind(&ledger.journal, ENTRY_INTEREST) == 3);
    ledger_audit(&ledger, &final);
    assert(final.mismatches == 0);
    assert(final.entries_seen == 10);
    assert(final.total == 8000 + 41 + 28 + 11 - 66);

    print_statement(&ledger, ALICE);
    print_statement(&ledger, CAROL);
    ledger_destroy(&ledger);
    return 0;
}
