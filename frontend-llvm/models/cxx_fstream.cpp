/* Files of the C++ library: stream buffers over stdio, which keeps the buffer; the get area holds at most one character.
 * Characters are themselves: the classic locale converts nothing. */
#include "cxx_stream.h"

#include <fstream>
#include <stdio.h>

#include "cxx_model.h"

namespace std {

template <> basic_filebuf<char>::basic_filebuf();
template <> basic_filebuf<char>::~basic_filebuf();
template <> basic_filebuf<char>::basic_filebuf(basic_filebuf &&);
template <> basic_filebuf<char> &basic_filebuf<char>::operator=(basic_filebuf &&);
template <> void basic_filebuf<char>::swap(basic_filebuf &);
template <> basic_filebuf<char> *basic_filebuf<char>::open(const char *, ios_base::openmode);
template <> basic_filebuf<char> *basic_filebuf<char>::close();
template <> streamsize basic_filebuf<char>::showmanyc();
template <> int basic_filebuf<char>::underflow();
template <> int basic_filebuf<char>::pbackfail(int);
template <> int basic_filebuf<char>::overflow(int);
template <> basic_streambuf<char> *basic_filebuf<char>::setbuf(char *, streamsize);
template <> fpos<mbstate_t> basic_filebuf<char>::seekoff(off_type, ios_base::seekdir, ios_base::openmode);
template <> fpos<mbstate_t> basic_filebuf<char>::seekpos(pos_type, ios_base::openmode);
template <> int basic_filebuf<char>::sync();
template <> void basic_filebuf<char>::imbue(const locale &);
template <> streamsize basic_filebuf<char>::xsgetn(char *, streamsize);
template <> streamsize basic_filebuf<char>::xsputn(const char *, streamsize);
template <> void basic_filebuf<char>::_M_allocate_internal_buffer();
template <> void basic_filebuf<char>::_M_destroy_internal_buffer() noexcept;
template <> bool basic_filebuf<char>::_M_terminate_output();
template <> bool basic_filebuf<char>::_M_convert_to_external(char *, streamsize);
template <> fpos<mbstate_t> basic_filebuf<char>::_M_seek(off_type, ios_base::seekdir, __state_type);
template <> int basic_filebuf<char>::_M_get_ext_pos(__state_type &);
template <> void basic_filebuf<char>::_M_set_buffer(streamsize);

static const char *mode_text(ios_base::openmode mode) {
    bool binary = (mode & ios_base::binary) != 0;
    switch (static_cast<int>(mode & (ios_base::in | ios_base::out | ios_base::trunc | ios_base::app))) {
    case ios_base::out:
    case ios_base::out | ios_base::trunc:
        return binary ? "wb" : "w";
    case ios_base::app:
    case ios_base::out | ios_base::app:
        return binary ? "ab" : "a";
    case ios_base::in:
        return binary ? "rb" : "r";
    case ios_base::in | ios_base::out:
        return binary ? "r+b" : "r+";
    case ios_base::in | ios_base::out | ios_base::trunc:
        return binary ? "w+b" : "w+";
    case ios_base::in | ios_base::app:
    case ios_base::in | ios_base::out | ios_base::app:
        return binary ? "a+b" : "a+";
    default:
        return nullptr;
    }
}

__basic_file<char>::__basic_file(__c_lock *) throw() : _M_cfile(nullptr), _M_cfile_created(false) {}

__basic_file<char>::~__basic_file() { close(); }

__basic_file<char> *__basic_file<char>::open(const char *name, ios_base::openmode mode, int) {
    const char *text = mode_text(mode);
    if (text == nullptr || is_open()) {
        return nullptr;
    }
    _M_cfile = fopen(name, text);
    _M_cfile_created = _M_cfile != nullptr;
    return _M_cfile != nullptr ? this : nullptr;
}

bool __basic_file<char>::is_open() const throw() { return _M_cfile != nullptr; }

__c_file *__basic_file<char>::file() throw() { return _M_cfile; }

__basic_file<char> *__basic_file<char>::close() {
    if (!is_open()) {
        return nullptr;
    }
    int failed = _M_cfile_created ? fclose(_M_cfile) : 0;
    _M_cfile = nullptr;
    return failed == 0 ? this : nullptr;
}

template <> basic_filebuf<char>::basic_filebuf()
    : basic_streambuf<char>(), _M_lock(), _M_file(&_M_lock), _M_mode(ios_base::openmode(0)), _M_state_beg(),
      _M_state_cur(), _M_state_last(), _M_buf(nullptr), _M_buf_size(BUFSIZ), _M_buf_allocated(false), _M_reading(false),
      _M_writing(false), _M_pback(), _M_pback_cur_save(nullptr), _M_pback_end_save(nullptr), _M_pback_init(false),
      _M_codecvt(nullptr), _M_ext_buf(nullptr), _M_ext_buf_size(0), _M_ext_next(nullptr), _M_ext_end(nullptr) {}

template <> basic_filebuf<char>::~basic_filebuf() { _M_file.close(); }

/* The get area lies in the object itself, and so does not move with it. */
template <> basic_filebuf<char>::basic_filebuf(basic_filebuf &&other) : basic_filebuf() { swap(other); }

template <> basic_filebuf<char> &basic_filebuf<char>::operator=(basic_filebuf &&other) {
    close();
    swap(other);
    return *this;
}

template <> void basic_filebuf<char>::swap(basic_filebuf &other) {
    bool own = gptr() < egptr();
    bool theirs = other.gptr() < other.egptr();
    std::swap(_M_pback, other._M_pback);
    std::swap(_M_mode, other._M_mode);
    _M_file.swap(other._M_file);
    setg(&_M_pback, &_M_pback + !theirs, &_M_pback + 1);
    other.setg(&other._M_pback, &other._M_pback + !own, &other._M_pback + 1);
}

template <> basic_filebuf<char> *basic_filebuf<char>::open(const char *name, ios_base::openmode mode) {
    if (is_open() || _M_file.open(name, mode) == nullptr) {
        return nullptr;
    }
    _M_mode = mode;
    setg(nullptr, nullptr, nullptr);
    if ((mode & ios_base::ate) && fseek(_M_file.file(), 0, SEEK_END) != 0) {
        close();
        return nullptr;
    }
    return this;
}

template <> basic_filebuf<char> *basic_filebuf<char>::close() {
    if (!is_open()) {
        return nullptr;
    }
    _M_mode = ios_base::openmode(0);
    setg(nullptr, nullptr, nullptr);
    return _M_file.close() != nullptr ? this : nullptr;
}

template <> streamsize basic_filebuf<char>::showmanyc() {
    return is_open() && (_M_mode & ios_base::in) ? egptr() - gptr() : -1;
}

template <> int basic_filebuf<char>::underflow() {
    if (!is_open() || !(_M_mode & ios_base::in)) {
        return traits_type::eof();
    }
    if (gptr() < egptr()) {
        return traits_type::to_int_type(*gptr());
    }
    if (_M_mode & ios_base::out) {
        fflush(_M_file.file());
    }
    int character = getc(_M_file.file());
    if (character == EOF) {
        setg(nullptr, nullptr, nullptr);
        return traits_type::eof();
    }
    _M_pback = static_cast<char>(character);
    setg(&_M_pback, &_M_pback, &_M_pback + 1);
    return character;
}

template <> int basic_filebuf<char>::pbackfail(int character) {
    bool is_end = traits_type::eq_int_type(character, traits_type::eof());
    if (!is_open() || !(_M_mode & ios_base::in)) {
        return traits_type::eof();
    }
    if (gptr() != nullptr && eback() < gptr()) {
        gbump(-1);
        if (!is_end) {
            *gptr() = traits_type::to_char_type(character);
        }
        return traits_type::to_int_type(*gptr());
    }
    FILE *file = _M_file.file();
    long unread = egptr() - gptr();
    if (fseek(file, -unread - 1, SEEK_CUR) != 0) {
        return traits_type::eof();
    }
    int before = getc(file);
    setg(nullptr, nullptr, nullptr);
    _M_pback = is_end ? static_cast<char>(before) : traits_type::to_char_type(character);
    setg(&_M_pback, &_M_pback, &_M_pback + 1);
    return traits_type::to_int_type(_M_pback);
}

/* What was read ahead is read again after anything else is done. */
#define GO_BACK()                                                                                                      \
    do {                                                                                                               \
        if (gptr() < egptr()) {                                                                                        \
            fseek(_M_file.file(), -(egptr() - gptr()), SEEK_CUR);                                                      \
        }                                                                                                              \
        setg(nullptr, nullptr, nullptr);                                                                               \
    } while (false)

template <> int basic_filebuf<char>::overflow(int character) {
    if (!is_open() || !(_M_mode & (ios_base::out | ios_base::app))) {
        return traits_type::eof();
    }
    GO_BACK();
    if (traits_type::eq_int_type(character, traits_type::eof())) {
        return traits_type::not_eof(character);
    }
    return fputc(traits_type::to_char_type(character), _M_file.file()) == EOF ? traits_type::eof() : character;
}

template <> basic_streambuf<char> *basic_filebuf<char>::setbuf(char *, streamsize) { return this; }

template <>
fpos<mbstate_t> basic_filebuf<char>::seekoff(off_type offset, ios_base::seekdir way, ios_base::openmode) {
    if (!is_open()) {
        return pos_type(off_type(-1));
    }
    FILE *file = _M_file.file();
    if (offset == 0 && way == ios_base::cur) {
        long at = ftell(file);
        return pos_type(at < 0 ? off_type(-1) : off_type(at - (egptr() - gptr())));
    }
    GO_BACK();
    int whence = way == ios_base::beg ? SEEK_SET : way == ios_base::cur ? SEEK_CUR : SEEK_END;
    if (fseek(file, static_cast<long>(offset), whence) != 0) {
        return pos_type(off_type(-1));
    }
    return pos_type(off_type(ftell(file)));
}

template <> fpos<mbstate_t> basic_filebuf<char>::seekpos(pos_type position, ios_base::openmode mode) {
    return seekoff(off_type(position), ios_base::beg, mode);
}

template <> int basic_filebuf<char>::sync() {
    return is_open() && (_M_mode & (ios_base::out | ios_base::app)) ? fflush(_M_file.file()) : 0;
}

template <> void basic_filebuf<char>::imbue(const locale &) {}

template <> streamsize basic_filebuf<char>::xsgetn(char *text, streamsize length) {
    if (!is_open() || !(_M_mode & ios_base::in)) {
        return 0;
    }
    streamsize count = 0;
    while (count < length && gptr() < egptr()) {
        text[count++] = *gptr();
        gbump(1);
    }
    if (count < length) {
        if (_M_mode & ios_base::out) {
            fflush(_M_file.file());
        }
        count += static_cast<streamsize>(fread(text + count, 1, static_cast<size_t>(length - count), _M_file.file()));
    }
    return count;
}

template <> streamsize basic_filebuf<char>::xsputn(const char *text, streamsize length) {
    if (!is_open() || !(_M_mode & (ios_base::out | ios_base::app))) {
        return 0;
    }
    GO_BACK();
    return static_cast<streamsize>(fwrite(text, 1, static_cast<size_t>(length), _M_file.file()));
}

/* Members that only the originals of those above call. */
template <> void basic_filebuf<char>::_M_allocate_internal_buffer() {}
template <> void basic_filebuf<char>::_M_destroy_internal_buffer() noexcept {}
template <> bool basic_filebuf<char>::_M_terminate_output() { return true; }
template <> bool basic_filebuf<char>::_M_convert_to_external(char *, streamsize) { return true; }
template <> fpos<mbstate_t> basic_filebuf<char>::_M_seek(off_type offset, ios_base::seekdir way, __state_type) {
    return seekoff(offset, way, ios_base::in | ios_base::out);
}
template <> int basic_filebuf<char>::_M_get_ext_pos(__state_type &) { return 0; }
template <> void basic_filebuf<char>::_M_set_buffer(streamsize) {}

template class basic_filebuf<char>;
template class basic_ifstream<char>;
template class basic_ofstream<char>;
template class basic_fstream<char>;

} // namespace std
