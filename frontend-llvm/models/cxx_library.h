/* Comes before every header of the C++ library in a file that has the library's templates for programs to link with: here
 * they must not be left to somebody else. */
#ifndef CXX_LIBRARY_H
#define CXX_LIBRARY_H

#include <bits/c++config.h>
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 0

#endif
