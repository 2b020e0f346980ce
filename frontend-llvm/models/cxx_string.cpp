/* Strings of the C++ library: the library's own templates, instantiated here because programs expect them there. */
#include "cxx_library.h"

#include <string>

namespace std {

template class basic_string<char>;
template basic_string<char> operator+(const char *, const basic_string<char> &);
template basic_string<char> operator+(char, const basic_string<char> &);
template basic_string<char> operator+(const basic_string<char> &, const basic_string<char> &);
template bool operator==(const basic_string<char> &, const char *);

} // namespace std
