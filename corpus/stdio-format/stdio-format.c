// Every conversion of printf, with its flags, widths, precisions and lengths.
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

int main(void)
{
    char small[6], exact[32];
    int written = 0;

    printf("%d|%i|%5d|%-5d|%05d|%+d|% d|%.3d\n", -1, 42, 42, 42, 42, 42, 42, 7);
    printf("%u|%o|%x|%X|%#x|%#o|%08x\n", 3000000000u, 64u, 0xbeefu, 0xbeefu, 255u, 8u, 0xabcu);
    printf("%hhd|%hd|%ld|%lld|%hhu|%hu|%lu|%llx\n", (signed char)-5, (short)-300, -7L, -8000000000LL,
           (unsigned char)200, (unsigned short)60000, 9000000000UL, 0xfedcba9876543210ULL);
    printf("%zu|%td|%jd|%" PRId32 "|%" PRIu64 "|%" PRIx8 "\n", sizeof(int), (ptrdiff_t)-3, (intmax_t)-4, (int32_t)-5,
           (uint64_t)6, (uint8_t)0x7f);
    printf("%c|%3c|%-3c|%s|%8s|%-8s|%.2s|%5.1s|%%\n", 'x', 'y', 'z', "loom", "weft", "warp", "shuttle", "reed");
    printf("%*d|%-*d|%.*f|%*s|%.*s\n", 6, 12, 6, 12, 2, 3.14159, 7, "right", 3, "truncate");
    printf("%f|%.0f|%.1f|%10.3f|%-10.2f|%+.2f|%#.0f\n", 1.5, 2.5, 0.05, -3.14159, 2.71828, 1.0, 3.0);
    printf("%e|%.2E|%g|%g|%g|%G|%.10g|%#g\n", 12345.6789, 0.00012, 100000.0, 1000000.0, 0.00001, 1e-10, 1.0 / 3, 2.0);
    printf("%Lf|%.3Le|%a|%.1a\n", 1.25L, 123456.0L, 1.0, 0.5);
    printf("%p|%d\n", (void *)NULL, printf("counted\n"));
    printf("before%n after\n", &written);
    printf("position %d\n", written);

    int needed = snprintf(small, sizeof small, "%s", "overflowing");
    printf("'%s' of %d\n", small, needed);
    needed = snprintf(NULL, 0, "%d-%d", 123, 4567);
    printf("needs %d\n", needed);
    needed = sprintf(exact, "%03d/%c/%s", 7, 'q', "end");
    printf("'%s' %d\n", exact, needed);

    putchar('A');
    putchar('\n');
    puts("a line");
    fputs("no newline added", stdout);
    fputc('\n', stdout);
    fprintf(stdout, "%s %d\n", "to stdout", 1);
    fwrite("raw\n", 1, 4, stdout);
    fflush(stdout);
    return 0;
}
