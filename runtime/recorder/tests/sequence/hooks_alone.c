// What a program in C++ has: the hooks are C.
#pragma clang diagnostic ignored "-Wunused-function"
#include "hooked.h"
