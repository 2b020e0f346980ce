/* The members of the library's stream templates that models replace, because the originals ask locales. Every file that
 * instantiates streams must know them. */
#ifndef CXX_STREAM_H
#define CXX_STREAM_H

#include "cxx_library.h"

#include <istream>
#include <ostream>
#include <sstream>

namespace std {

template <> void basic_ios<char>::_M_cache_locale(const locale &);
template <> char basic_ios<char>::widen(char) const;
template <> char basic_ios<char>::narrow(char, char) const;
template <> char basic_ios<char>::fill() const;
template <> char basic_ios<char>::fill(char);
template <> locale basic_ios<char>::imbue(const locale &);
template <> void basic_ios<char>::init(basic_streambuf<char> *);
template <> basic_ios<char> &basic_ios<char>::copyfmt(const basic_ios<char> &);

template <> template <> ostream &ostream::_M_insert(bool);
template <> template <> ostream &ostream::_M_insert(long);
template <> template <> ostream &ostream::_M_insert(unsigned long);
template <> template <> ostream &ostream::_M_insert(long long);
template <> template <> ostream &ostream::_M_insert(unsigned long long);
template <> template <> ostream &ostream::_M_insert(double);
template <> template <> ostream &ostream::_M_insert(long double);
template <> template <> ostream &ostream::_M_insert(const void *);
template <> ostream &ostream::operator<<(short);
template <> ostream &ostream::operator<<(int);

} // namespace std

#endif
