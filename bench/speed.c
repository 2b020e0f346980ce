// Work for one thread without system calls, in memory of its own: sieves primes again and again. `make tables` measures
// the VM with it. Accesses to globals are steps that a strategy decides about, and cost more.
#include <stdio.h>
#include <string.h>

#define LIMIT 2000
#define ROUNDS 2000

int main(void)
{
    char composite[LIMIT];
    long primes = 0;

    for (int round = 0; round < ROUNDS; round++) {
        memset(composite, 0, sizeof composite);
        for (int i = 2; i < LIMIT; i++) {
            if (composite[i])
                continue;
            primes++;
            for (int j = 2 * i; j < LIMIT; j += i)
                composite[j] = 1;
        }
    }
    printf("%ld\n", primes);
    return 0;
}
