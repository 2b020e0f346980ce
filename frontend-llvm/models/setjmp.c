/* Marking a place to jump back to. Jumping there is not modelled: longjmp is undefined on purpose, and a program that
 * never does it is none the worse. */
#include <setjmp.h>
#include <stddef.h>

#undef setjmp
#undef sigsetjmp

int _setjmp(struct __jmp_buf_tag place[1]) {
    (void)place;
    return 0;
}

int setjmp(struct __jmp_buf_tag place[1]) {
    (void)place;
    return 0;
}

int __sigsetjmp(struct __jmp_buf_tag place[1], int save_mask) {
    (void)place;
    (void)save_mask;
    return 0;
}
