// What programs do at their tickets that were built with hooks at shared operations.
#include <stdint.h>

struct heddle_slot *__heddle_this_slot(void);
void __heddle_rt_take(struct heddle_slot *);
void __heddle_rt_done(struct heddle_slot *);

// The next operation is about to happen: it may be delayed, and nobody else's happens until it is done.
__attribute__((noinline, visibility("hidden"))) void __heddle_order_ticket(void) {
    __heddle_rt_take(__heddle_this_slot());
}

// The operation happened.
__attribute__((noinline, visibility("hidden"))) void __heddle_order_done(void) { __heddle_rt_done(__heddle_this_slot()); }
