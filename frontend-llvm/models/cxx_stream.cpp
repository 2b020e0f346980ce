/* Output of the C++ library: the standard streams, and how numbers are written. The class templates are the library's own;
 * what they ask of locales is answered here as the classic locale would.
 *
 * As the library does by default, the standard streams keep no buffer of their own: what is inserted goes to stdio at
 * once, each insertion in one step. */
#include "cxx_stream.h"

#include <iomanip>
#include <istream>
#include <new>
#include <ostream>
#include <sstream>
#include <stdio.h>
#include <streambuf>
#include <string.h>
#include <string>

#include "cxx_model.h"
#include "heddle.h"

namespace std {

locale::locale() noexcept : _M_impl(nullptr) {}
locale::locale(const locale &) noexcept : _M_impl(nullptr) {}
locale::~locale() noexcept {}
const locale &locale::operator=(const locale &) noexcept { return *this; }
bool locale::operator==(const locale &) const noexcept { return true; }

const locale &locale::classic() {
    static const char storage[sizeof(locale)] = {};
    return *reinterpret_cast<const locale *>(storage);
}

ios_base::ios_base() noexcept
    : _M_precision(6), _M_width(0), _M_flags(skipws | dec), _M_exception(goodbit), _M_streambuf_state(badbit),
      _M_callbacks(nullptr), _M_word_zero(), _M_word_size(_S_local_word_size), _M_word(_M_local_word) {}

ios_base::~ios_base() {}
void ios_base::_M_init() noexcept {
    _M_precision = 6;
    _M_width = 0;
    _M_flags = skipws | dec;
}

/* What the base of a stream has that is not in its buffer goes with it. */
void ios_base::_M_move(ios_base &other) noexcept {
    _M_precision = other._M_precision;
    _M_width = other._M_width;
    _M_flags = other._M_flags;
    _M_exception = other._M_exception;
    _M_streambuf_state = other._M_streambuf_state;
}

void ios_base::_M_swap(ios_base &other) noexcept {
    swap(_M_precision, other._M_precision);
    swap(_M_width, other._M_width);
    swap(_M_flags, other._M_flags);
    swap(_M_exception, other._M_exception);
    swap(_M_streambuf_state, other._M_streambuf_state);
}

bool ios_base::sync_with_stdio(bool) { return true; }
locale ios_base::imbue(const locale &) noexcept { return locale(); }

/* Of locales nothing is kept, so that a character is itself. */
template <> void basic_ios<char>::_M_cache_locale(const locale &) {}
template <> char basic_ios<char>::widen(char character) const { return character; }
template <> char basic_ios<char>::narrow(char character, char) const { return character; }
template <> char basic_ios<char>::fill() const { return _M_fill; }
template <> char basic_ios<char>::fill(char character) {
    char old = _M_fill;
    _M_fill = character;
    return old;
}
template <> locale basic_ios<char>::imbue(const locale &) { return locale(); }

template <> void basic_ios<char>::init(basic_streambuf<char> *buffer) {
    ios_base::_M_init();
    _M_fill = ' ';
    _M_fill_init = true;
    _M_tie = nullptr;
    _M_exception = goodbit;
    _M_streambuf = buffer;
    _M_streambuf_state = buffer != nullptr ? goodbit : badbit;
}

template <> basic_ios<char> &basic_ios<char>::copyfmt(const basic_ios<char> &other) {
    flags(other.flags());
    width(other.width());
    precision(other.precision());
    _M_fill = other._M_fill;
    _M_tie = other._M_tie;
    return *this;
}

namespace {

/* What one insertion writes: a sign or prefix, and digits, between which padding may go. */
struct Piece {
    char prefix[4];
    char digits[512];
};

void put_padded(ostream &stream, const Piece &piece) {
    size_t prefix = strlen(piece.prefix);
    size_t digits = strlen(piece.digits);
    char text[1024];
    size_t length = 0;
    streamsize width = stream.width();
    size_t padding = width > static_cast<streamsize>(prefix + digits) ? static_cast<size_t>(width) - prefix - digits : 0;
    if (padding > 400) {
        padding = 400;
    }
    ios_base::fmtflags adjust = stream.flags() & ios_base::adjustfield;
    char fill = padding != 0 ? stream.fill() : ' ';
    auto pad = [&] {
        memset(text + length, fill, padding);
        length += padding;
    };
    if (adjust != ios_base::left && adjust != ios_base::internal) {
        pad();
    }
    memcpy(text + length, piece.prefix, prefix);
    length += prefix;
    if (adjust == ios_base::internal) {
        pad();
    }
    memcpy(text + length, piece.digits, digits);
    length += digits;
    if (adjust == ios_base::left) {
        pad();
    }
    if (width != 0) {
        stream.width(0);
    }
    if (stream.rdbuf()->sputn(text, static_cast<streamsize>(length)) != static_cast<streamsize>(length)) {
        stream.setstate(ios_base::badbit);
    }
}

void write_digits(Piece &piece, unsigned long long value, ios_base::fmtflags flags) {
    const char *symbols = (flags & ios_base::uppercase) ? "0123456789ABCDEF" : "0123456789abcdef";
    ios_base::fmtflags base = flags & ios_base::basefield;
    unsigned radix = base == ios_base::hex ? 16 : base == ios_base::oct ? 8 : 10;
    char reversed[72];
    int count = 0;
    do {
        reversed[count++] = symbols[value % radix];
        value /= radix;
    } while (value != 0);
    for (int index = 0; index < count; index++) {
        piece.digits[index] = reversed[count - 1 - index];
    }
    piece.digits[count] = '\0';
}

template <typename Integer> void put_integer(ostream &stream, Integer value) {
    ostream::sentry sentry(stream);
    if (!sentry) {
        return;
    }
    Piece piece;
    piece.prefix[0] = '\0';
    ios_base::fmtflags flags = stream.flags();
    ios_base::fmtflags base = flags & ios_base::basefield;
    bool is_decimal = base != ios_base::hex && base != ios_base::oct;
    unsigned long long magnitude = static_cast<unsigned long long>(value);
    if (is_decimal && value < 0) {
        magnitude = 0 - magnitude;
        strcpy(piece.prefix, "-");
    } else if (is_decimal && static_cast<Integer>(-1) < 0 && (flags & ios_base::showpos)) {
        strcpy(piece.prefix, "+");
    } else if (!is_decimal) {
        if (sizeof(Integer) < sizeof magnitude) {
            magnitude &= (1ULL << (8 * sizeof(Integer) % 64)) - 1;
        }
        if ((flags & ios_base::showbase) && value != 0) {
            strcpy(piece.prefix, base == ios_base::oct ? "0" : (flags & ios_base::uppercase) ? "0X" : "0x");
        }
    }
    write_digits(piece, magnitude, flags);
    put_padded(stream, piece);
}

template <typename Float> void put_float(ostream &stream, Float value) {
    ostream::sentry sentry(stream);
    if (!sentry) {
        return;
    }
    ios_base::fmtflags flags = stream.flags();
    ios_base::fmtflags form = flags & ios_base::floatfield;
    bool is_upper = (flags & ios_base::uppercase) != 0;
    bool is_hexadecimal = form == (ios_base::fixed | ios_base::scientific);
    char conversion = is_hexadecimal ? 'a' : form == ios_base::fixed ? 'f' : form == ios_base::scientific ? 'e' : 'g';
    char format[16];
    size_t length = 0;
    format[length++] = '%';
    if (flags & ios_base::showpos) {
        format[length++] = '+';
    }
    if (flags & ios_base::showpoint) {
        format[length++] = '#';
    }
    if (!is_hexadecimal) {
        format[length++] = '.';
        format[length++] = '*';
    }
    if (sizeof(Float) > sizeof(double)) {
        format[length++] = 'L';
    }
    format[length++] = is_upper ? static_cast<char>(conversion - 'a' + 'A') : conversion;
    format[length] = '\0';
    Piece piece;
    int precision = static_cast<int>(stream.precision());
    if (is_hexadecimal) {
        snprintf(piece.digits, sizeof piece.digits, format, value);
    } else {
        snprintf(piece.digits, sizeof piece.digits, format, precision, value);
    }
    piece.prefix[0] = '\0';
    if (piece.digits[0] == '-' || piece.digits[0] == '+') {
        piece.prefix[0] = piece.digits[0];
        piece.prefix[1] = '\0';
        memmove(piece.digits, piece.digits + 1, strlen(piece.digits));
    }
    put_padded(stream, piece);
}

} // namespace

#define INSERT_INTEGER(type)                                                                                           \
    template <> template <> ostream &ostream::_M_insert(type value) {                                                  \
        put_integer(*this, value);                                                                                     \
        return *this;                                                                                                  \
    }

INSERT_INTEGER(long)
INSERT_INTEGER(unsigned long)
INSERT_INTEGER(long long)
INSERT_INTEGER(unsigned long long)

template <> template <> ostream &ostream::_M_insert(double value) {
    put_float(*this, value);
    return *this;
}

template <> template <> ostream &ostream::_M_insert(long double value) {
    put_float(*this, value);
    return *this;
}

template <> template <> ostream &ostream::_M_insert(bool value) {
    if (flags() & ios_base::boolalpha) {
        sentry allowed(*this);
        if (allowed) {
            Piece piece;
            piece.prefix[0] = '\0';
            strcpy(piece.digits, value ? "true" : "false");
            put_padded(*this, piece);
        }
    } else {
        put_integer(*this, static_cast<long>(value));
    }
    return *this;
}

template <> template <> ostream &ostream::_M_insert(const void *value) {
    sentry allowed(*this);
    if (allowed) {
        Piece piece;
        strcpy(piece.prefix, value == nullptr ? "" : "0x");
        write_digits(piece, reinterpret_cast<unsigned long>(value), ios_base::hex);
        put_padded(*this, piece);
    }
    return *this;
}

/* Negative hexadecimal and octal numbers keep the width of their type. */
#define INSERT_NARROW(type)                                                                                            \
    template <> ostream &ostream::operator<<(type value) {                                                             \
        put_integer(*this, value);                                                                                     \
        return *this;                                                                                                  \
    }

INSERT_NARROW(short)
INSERT_NARROW(int)

template class basic_streambuf<char>;
template class basic_ios<char>;
template class basic_ostream<char>;
template ostream &endl(ostream &);
template ostream &ends(ostream &);
template ostream &flush(ostream &);
template ostream &operator<<(ostream &, char);
template ostream &operator<<(ostream &, unsigned char);
template ostream &operator<<(ostream &, signed char);
template ostream &operator<<(ostream &, const char *);
template ostream &operator<<(ostream &, const unsigned char *);
template ostream &operator<<(ostream &, const signed char *);
template ostream &operator<<(ostream &, const string &);
template ostream &__ostream_insert(ostream &, const char *, streamsize);
template _Setfill<char> setfill(char);
template ostream &operator<<(ostream &, _Setfill<char>);
template ostream &operator<<(ostream &, _Setiosflags);
template ostream &operator<<(ostream &, _Resetiosflags);
template ostream &operator<<(ostream &, _Setbase);
template ostream &operator<<(ostream &, _Setprecision);
template ostream &operator<<(ostream &, _Setw);

namespace {

/* A buffer that keeps nothing: stdio has it. */
class Stdio final : public streambuf {
public:
    explicit Stdio(FILE *file) : file(file) {}

protected:
    int_type overflow(int_type character) override {
        if (traits_type::eq_int_type(character, traits_type::eof())) {
            return 0;
        }
        return fputc(character, file);
    }
    streamsize xsputn(const char *text, streamsize length) override {
        return static_cast<streamsize>(fwrite(text, 1, static_cast<size_t>(length), file));
    }
    int sync() override { return fflush(file); }
    int_type underflow() override {
        int_type character = getc(file);
        return ungetc(character, file);
    }
    int_type uflow() override { return getc(file); }
    int_type pbackfail(int_type character) override { return ungetc(character, file); }

private:
    FILE *file;
};

alignas(Stdio) char output_buffer[sizeof(Stdio)];
alignas(Stdio) char error_buffer[sizeof(Stdio)];
alignas(Stdio) char log_buffer[sizeof(Stdio)];
alignas(Stdio) char input_buffer[sizeof(Stdio)];

} // namespace

/* The header declares them as streams; they are constructed when the first file that uses them is initialised. */
alignas(ostream) char cout[sizeof(ostream)];
alignas(ostream) char cerr[sizeof(ostream)];
alignas(ostream) char clog[sizeof(ostream)];
alignas(istream) char cin[sizeof(istream)];

static int users_of_streams;

ios_base::Init::Init() {
    if (users_of_streams++ != 0) {
        return;
    }
    ostream *out = new (cout) ostream(new (output_buffer) Stdio(stdout));
    ostream *error = new (cerr) ostream(new (error_buffer) Stdio(stderr));
    new (clog) ostream(new (log_buffer) Stdio(stderr));
    istream *in = new (cin) istream(new (input_buffer) Stdio(stdin));
    in->tie(out);
    error->setf(ios_base::unitbuf);
    error->tie(out);
}

ios_base::Init::~Init() {}

} // namespace std
