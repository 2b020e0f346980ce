/* What the models of the C++ library share among themselves. */
#ifndef CXX_MODEL_H
#define CXX_MODEL_H

#include <stddef.h>

/* Writes the name of a type as people write it, as far as it is a plain one; the length of the text. */
size_t __model_readable_name(const char *mangled, char *text, size_t size);

/* Throws std::system_error with an error number. */
[[noreturn]] void __model_throw_error(int number, const char *what);

#endif
