/* Input of the C++ library: numbers, words, lines and characters from a stream, in the classic locale; and the streams
 * that read from and write to strings. */
#include "cxx_stream.h"

#include <istream>
#include <limits>
#include <ostream>
#include <sstream>
#include <stdlib.h>
#include <string>

#include "cxx_model.h"
#include "heddle.h"

extern "C" [[noreturn]] void __model_reading_a_pointer_from_a_stream();

namespace std {

namespace {

bool is_space(int character) { return character == ' ' || (character >= '\t' && character <= '\r'); }
bool is_digit(int character) { return character >= '0' && character <= '9'; }

/* Gathers what looks like a number, as far as it does. */
struct Gathered {
    char text[128];
    int length;
};

void take(streambuf *buffer, Gathered &gathered) {
    int character = buffer->sbumpc();
    if (gathered.length + 1 < static_cast<int>(sizeof gathered.text)) {
        gathered.text[gathered.length++] = static_cast<char>(character);
    }
}

void gather_digits(streambuf *buffer, Gathered &gathered, int base) {
    while (true) {
        int character = buffer->sgetc();
        bool is_letter = base == 16 && ((character >= 'a' && character <= 'f') || (character >= 'A' && character <= 'F'));
        if (!is_digit(character) && !is_letter) {
            return;
        }
        take(buffer, gathered);
    }
}

void gather_sign(streambuf *buffer, Gathered &gathered) {
    int character = buffer->sgetc();
    if (character == '-' || character == '+') {
        take(buffer, gathered);
    }
}

int base_of(ios_base::fmtflags flags) {
    ios_base::fmtflags base = flags & ios_base::basefield;
    return base == ios_base::hex ? 16 : base == ios_base::oct ? 8 : 10;
}

template <typename Integer> void get_integer(istream &stream, Integer &value) {
    istream::sentry sentry(stream);
    if (!sentry) {
        return;
    }
    streambuf *buffer = stream.rdbuf();
    Gathered gathered = {{}, 0};
    int base = base_of(stream.flags());
    gather_sign(buffer, gathered);
    int signs = gathered.length;
    gather_digits(buffer, gathered, base);
    gathered.text[gathered.length] = '\0';
    ios_base::iostate state = ios_base::goodbit;
    if (gathered.length == signs) {
        value = 0;
        state = ios_base::failbit;
    } else if (numeric_limits<Integer>::is_signed) {
        long long wide = strtoll(gathered.text, nullptr, base);
        long long least = static_cast<long long>(numeric_limits<Integer>::min());
        long long most = static_cast<long long>(numeric_limits<Integer>::max());
        value = static_cast<Integer>(wide < least ? least : wide > most ? most : wide);
        state = wide < least || wide > most ? ios_base::failbit : ios_base::goodbit;
    } else {
        unsigned long long wide = strtoull(gathered.text, nullptr, base);
        unsigned long long most = static_cast<unsigned long long>(numeric_limits<Integer>::max());
        bool too_large = gathered.text[0] != '-' && wide > most;
        value = static_cast<Integer>(too_large ? most : wide);
        state = too_large ? ios_base::failbit : ios_base::goodbit;
    }
    if (buffer->sgetc() == char_traits<char>::eof()) {
        state |= ios_base::eofbit;
    }
    if (state != ios_base::goodbit) {
        stream.setstate(state);
    }
}

template <typename Float> void get_float(istream &stream, Float &value) {
    istream::sentry sentry(stream);
    if (!sentry) {
        return;
    }
    streambuf *buffer = stream.rdbuf();
    Gathered gathered = {{}, 0};
    gather_sign(buffer, gathered);
    int signs = gathered.length;
    gather_digits(buffer, gathered, 10);
    int digits = gathered.length - signs;
    if (buffer->sgetc() == '.') {
        take(buffer, gathered);
        int before = gathered.length;
        gather_digits(buffer, gathered, 10);
        digits += gathered.length - before;
    }
    int letter = buffer->sgetc();
    if (digits != 0 && (letter == 'e' || letter == 'E')) {
        take(buffer, gathered);
        gather_sign(buffer, gathered);
        gather_digits(buffer, gathered, 10);
    }
    gathered.text[gathered.length] = '\0';
    ios_base::iostate state = digits != 0 ? ios_base::goodbit : ios_base::failbit;
    value = digits != 0 ? static_cast<Float>(strtod(gathered.text, nullptr)) : 0;
    if (buffer->sgetc() == char_traits<char>::eof()) {
        state |= ios_base::eofbit;
    }
    if (state != ios_base::goodbit) {
        stream.setstate(state);
    }
}

void skip_spaces(istream &stream) {
    streambuf *buffer = stream.rdbuf();
    int character = buffer->sgetc();
    while (is_space(character)) {
        character = buffer->snextc();
    }
    if (character == char_traits<char>::eof()) {
        stream.setstate(ios_base::eofbit);
    }
}

} // namespace

template <> istream &ws(istream &stream) {
    skip_spaces(stream);
    return stream;
}

template <> istream::sentry::sentry(istream &stream, bool keeps_spaces) : _M_ok(false) {
    if (stream.good()) {
        if (stream.tie() != nullptr) {
            stream.tie()->flush();
        }
        if (!keeps_spaces && (stream.flags() & ios_base::skipws)) {
            skip_spaces(stream);
        }
    }
    if (stream.good()) {
        _M_ok = true;
    } else {
        stream.setstate(ios_base::failbit);
    }
}

#define EXTRACT(type, how)                                                                                             \
    template <> template <> istream &istream::_M_extract(type &value) {                                                \
        how(*this, value);                                                                                             \
        return *this;                                                                                                  \
    }

EXTRACT(unsigned short, get_integer)
EXTRACT(unsigned int, get_integer)
EXTRACT(long, get_integer)
EXTRACT(unsigned long, get_integer)
EXTRACT(long long, get_integer)
EXTRACT(unsigned long long, get_integer)
EXTRACT(float, get_float)
EXTRACT(double, get_float)
EXTRACT(long double, get_float)

template <> template <> istream &istream::_M_extract(bool &value) {
    long number = 0;
    get_integer(*this, number);
    value = number != 0;
    if (number != 0 && number != 1) {
        setstate(ios_base::failbit);
    }
    return *this;
}

template <> template <> istream &istream::_M_extract(void *&) { __model_reading_a_pointer_from_a_stream(); }

template <> istream &istream::operator>>(short &value) {
    get_integer(*this, value);
    return *this;
}

template <> istream &istream::operator>>(int &value) {
    get_integer(*this, value);
    return *this;
}

template <> istream &operator>>(istream &stream, string &word) {
    istream::sentry sentry(stream);
    ios_base::iostate state = ios_base::goodbit;
    if (sentry) {
        word.erase();
        streamsize width = stream.width();
        size_t most = width > 0 ? static_cast<size_t>(width) : word.max_size();
        streambuf *buffer = stream.rdbuf();
        int character = buffer->sgetc();
        while (word.size() < most && character != char_traits<char>::eof() && !is_space(character)) {
            word += static_cast<char>(character);
            character = buffer->snextc();
        }
        if (character == char_traits<char>::eof()) {
            state |= ios_base::eofbit;
        }
        if (width != 0) {
            stream.width(0);
        }
        if (word.empty()) {
            state |= ios_base::failbit;
        }
    }
    if (state != ios_base::goodbit) {
        stream.setstate(state);
    }
    return stream;
}

template <> istream &getline(istream &stream, string &line, char end) {
    istream::sentry sentry(stream, true);
    ios_base::iostate state = ios_base::goodbit;
    bool found = false;
    if (sentry) {
        line.erase();
        streambuf *buffer = stream.rdbuf();
        while (true) {
            int character = buffer->sbumpc();
            if (character == char_traits<char>::eof()) {
                state |= ios_base::eofbit;
                break;
            }
            found = true;
            if (static_cast<char>(character) == end) {
                break;
            }
            line += static_cast<char>(character);
        }
        if (!found) {
            state |= ios_base::failbit;
        }
    }
    if (state != ios_base::goodbit) {
        stream.setstate(state);
    }
    return stream;
}

template <> istream &istream::getline(char *text, streamsize size, char end) {
    sentry allowed(*this, true);
    ios_base::iostate state = ios_base::goodbit;
    _M_gcount = 0;
    streamsize length = 0;
    while (allowed) {
        int character = rdbuf()->sgetc();
        if (character == char_traits<char>::eof()) {
            state |= ios_base::eofbit;
            break;
        }
        if (static_cast<char>(character) == end) {
            rdbuf()->sbumpc();
            _M_gcount++;
            break;
        }
        if (length + 1 >= size) {
            state |= ios_base::failbit;
            break;
        }
        text[length++] = static_cast<char>(character);
        rdbuf()->sbumpc();
        _M_gcount++;
    }
    if (size > 0) {
        text[length] = '\0';
    }
    if (_M_gcount == 0) {
        state |= ios_base::failbit;
    }
    if (state != ios_base::goodbit) {
        setstate(state);
    }
    return *this;
}

template <> istream &istream::ignore(streamsize count) { return ignore(count, char_traits<char>::eof()); }

template <> istream &istream::ignore(streamsize count, int end) {
    sentry allowed(*this, true);
    _M_gcount = 0;
    while (allowed && (count == numeric_limits<streamsize>::max() || _M_gcount < count)) {
        int character = rdbuf()->sbumpc();
        if (character == char_traits<char>::eof()) {
            setstate(ios_base::eofbit);
            break;
        }
        _M_gcount++;
        if (character == end) {
            break;
        }
    }
    return *this;
}

template <> streamsize __copy_streambufs_eof(streambuf *from, streambuf *to, bool &ended) {
    streamsize count = 0;
    ended = true;
    for (int character = from->sgetc(); character != char_traits<char>::eof(); character = from->snextc()) {
        if (to->sputc(static_cast<char>(character)) == char_traits<char>::eof()) {
            ended = false;
            break;
        }
        count++;
    }
    return count;
}

template class basic_istream<char>;
template class basic_iostream<char>;
template class basic_stringbuf<char>;
template class basic_istringstream<char>;
template class basic_ostringstream<char>;
template class basic_stringstream<char>;
template istream &operator>>(istream &, char &);

} // namespace std
