#include <pthread.h>

static volatile unsigned wr, rd;
static volatile int      reg;
int log_[3];

static void reg_write(int v)
{
    while (wr - rd > 1)
        __builtin_ia32_pause();
    reg = v;
    __sync_synchronize();
    wr = wr + 1;
}

static int reg_read(void)
{
    int v;

    while (wr == rd)
        __builtin_ia32_pause();
    v = reg;
    __sync_synchronize();
    rd = rd + 1;
    return v;
}

static void *uart_tx(void *arg)
{
    (void)arg;
    for (int i = 1; i <= 3; i++)
        reg_write(i);
    return NULL;
}

static void *uart_rx(void *arg)
{
    (void)arg;
    for (int i = 0; i < 3; i++) {
        log_[i] = reg_read();
    }
    return NULL;
}

int main(void)
{
    pthread_t tx, rx;

    pthread_create(&tx, NULL, uart_tx, NULL);
    pthread_create(&rx, NULL, uart_rx, NULL);
    pthread_join(tx, NULL);
    pthread_join(rx, NULL);
    return 0;
}
