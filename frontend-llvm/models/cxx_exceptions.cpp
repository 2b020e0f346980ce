/* The exceptions of the C++ library: the classes whose members are not in headers, and the functions that throw them. */
#include <functional>
#include <ios>
#include <memory>
#include <new>
#include <optional>
#include <stdarg.h>
#include <stdexcept>
#include <stdio.h>
#include <string.h>
#include <string>
#include <system_error>
#include <typeinfo>
#include <variant>

#include "cxx_model.h"
#include "heddle.h"
#include "model.h"

namespace std {

exception::~exception() noexcept {}
const char *exception::what() const noexcept { return "std::exception"; }
bad_exception::~bad_exception() noexcept {}
const char *bad_exception::what() const noexcept { return "std::bad_exception"; }
bad_alloc::~bad_alloc() noexcept {}
const char *bad_alloc::what() const noexcept { return "std::bad_alloc"; }
bad_array_new_length::~bad_array_new_length() noexcept {}
const char *bad_array_new_length::what() const noexcept { return "std::bad_array_new_length"; }
bad_cast::~bad_cast() noexcept {}
const char *bad_cast::what() const noexcept { return "std::bad_cast"; }
bad_typeid::~bad_typeid() noexcept {}
const char *bad_typeid::what() const noexcept { return "std::bad_typeid"; }
bad_function_call::~bad_function_call() noexcept {}
const char *bad_function_call::what() const noexcept { return "bad_function_call"; }
nested_exception::~nested_exception() noexcept {}
bad_weak_ptr::~bad_weak_ptr() noexcept {}
const char *bad_weak_ptr::what() const noexcept { return "bad_weak_ptr"; }

/* Every exception has its own copy of its text. */
static const char *copy_of(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = static_cast<char *>(__heddle_memory_alloc(size, 16, 0));
    memcpy(copy, text, size);
    return copy;
}

__cow_string::__cow_string() : _M_p(copy_of("")) {}
__cow_string::__cow_string(const string &text) : _M_p(copy_of(text.c_str())) {}
__cow_string::__cow_string(const char *text, size_t) : _M_p(copy_of(text)) {}
__cow_string::__cow_string(const __cow_string &other) noexcept : _M_p(copy_of(other._M_p)) {}
__cow_string::__cow_string(__cow_string &&other) noexcept : _M_p(copy_of(other._M_p)) {}

__cow_string &__cow_string::operator=(const __cow_string &other) noexcept {
    if (this != &other) {
        __heddle_memory_free(const_cast<char *>(_M_p));
        _M_p = copy_of(other._M_p);
    }
    return *this;
}

__cow_string &__cow_string::operator=(__cow_string &&other) noexcept {
    return *this = static_cast<const __cow_string &>(other);
}

__cow_string::~__cow_string() { __heddle_memory_free(const_cast<char *>(_M_p)); }

#define ROOT_EXCEPTION(name)                                                                                           \
    name::name(const string &text) : _M_msg(text) {}                                                                   \
    name::name(const char *text) : _M_msg(text, 0) {}                                                                  \
    name::name(const name &other) noexcept : exception(other), _M_msg(other._M_msg) {}                                 \
    name::name(name &&other) noexcept : exception(other), _M_msg(other._M_msg) {}                                      \
    name &name::operator=(const name &other) noexcept {                                                                \
        _M_msg = other._M_msg;                                                                                         \
        return *this;                                                                                                  \
    }                                                                                                                  \
    name &name::operator=(name &&other) noexcept {                                                                     \
        _M_msg = other._M_msg;                                                                                         \
        return *this;                                                                                                  \
    }                                                                                                                  \
    name::~name() noexcept {}                                                                                          \
    const char *name::what() const noexcept { return _M_msg._M_p; }

#define EXCEPTION(name, base)                                                                                          \
    name::name(const string &text) : base(text) {}                                                                     \
    name::name(const char *text) : base(text) {}                                                                       \
    name::~name() noexcept {}

ROOT_EXCEPTION(logic_error)
ROOT_EXCEPTION(runtime_error)
EXCEPTION(domain_error, logic_error)
EXCEPTION(invalid_argument, logic_error)
EXCEPTION(length_error, logic_error)
EXCEPTION(out_of_range, logic_error)
EXCEPTION(range_error, runtime_error)
EXCEPTION(overflow_error, runtime_error)
EXCEPTION(underflow_error, runtime_error)

error_category::~error_category() {}

error_condition error_category::default_error_condition(int number) const noexcept {
    return error_condition(number, *this);
}

bool error_category::equivalent(int number, const error_condition &condition) const noexcept {
    return default_error_condition(number) == condition;
}

bool error_category::equivalent(const error_code &code, int condition) const noexcept {
    return *this == code.category() && code.value() == condition;
}

__cow_string error_category::_M_message(int number) const {
    char buffer[64];
    return __cow_string(__model_error_message(number, buffer, sizeof buffer), 0);
}

namespace {

struct generic_errors final : error_category {
    const char *name() const noexcept override { return "generic"; }
    string message(int number) const override {
        char buffer[64];
        return __model_error_message(number, buffer, sizeof buffer);
    }
};

struct system_errors final : error_category {
    const char *name() const noexcept override { return "system"; }
    string message(int number) const override {
        char buffer[64];
        return __model_error_message(number, buffer, sizeof buffer);
    }
    error_condition default_error_condition(int number) const noexcept override {
        return error_condition(number, generic_category());
    }
};

struct stream_errors final : error_category {
    const char *name() const noexcept override { return "iostream"; }
    string message(int number) const override { return number == 1 ? "iostream error" : "Unknown error"; }
};

/* Constant, so that nobody constructs or destroys them and reading them is no event. */
template <typename Errors> union Kept {
    Errors errors;
    constexpr Kept() : errors() {}
    constexpr ~Kept() {}
};

constinit const Kept<generic_errors> the_generic_errors;
constinit const Kept<system_errors> the_system_errors;
constinit const Kept<stream_errors> the_stream_errors;

} // namespace

}

const std::error_category &std::_V2::generic_category() noexcept { return std::the_generic_errors.errors; }
const std::error_category &std::_V2::system_category() noexcept { return std::the_system_errors.errors; }
const std::error_category &std::iostream_category() noexcept { return std::the_stream_errors.errors; }

namespace std {

error_condition error_code::default_error_condition() const noexcept {
    return category().default_error_condition(value());
}

system_error::~system_error() noexcept {}
ios_base::failure::~failure() noexcept {}
const char *ios_base::failure::what() const noexcept { return runtime_error::what(); }
ios_base::failure::failure(const string &text) : system_error(io_errc::stream, text) {}
ios_base::failure::failure(const string &text, const error_code &code) : system_error(code, text) {}
ios_base::failure::failure(const char *text, const error_code &code) : system_error(code, text) {}

void __throw_bad_exception() { throw bad_exception(); }
void __throw_bad_alloc() { throw bad_alloc(); }
void __throw_bad_array_new_length() { throw bad_array_new_length(); }
void __throw_bad_cast() { throw bad_cast(); }
void __throw_bad_typeid() { throw bad_typeid(); }
void __throw_logic_error(const char *text) { throw logic_error(text); }
void __throw_domain_error(const char *text) { throw domain_error(text); }
void __throw_invalid_argument(const char *text) { throw invalid_argument(text); }
void __throw_length_error(const char *text) { throw length_error(text); }
void __throw_out_of_range(const char *text) { throw out_of_range(text); }
void __throw_runtime_error(const char *text) { throw runtime_error(text); }
void __throw_range_error(const char *text) { throw range_error(text); }
void __throw_overflow_error(const char *text) { throw overflow_error(text); }
void __throw_underflow_error(const char *text) { throw underflow_error(text); }
void __throw_bad_function_call() { throw bad_function_call(); }
void __throw_system_error(int number) { throw system_error(error_code(number, generic_category())); }
void __throw_ios_failure(const char *text) { throw ios_base::failure(text); }
void __throw_ios_failure(const char *text, int number) {
    throw ios_base::failure(text, error_code(number, system_category()));
}

void __throw_out_of_range_fmt(const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    throw out_of_range(text);
}

} // namespace std

extern "C" {
[[noreturn]] void __cxa_throw_bad_array_new_length() { throw std::bad_array_new_length(); }
[[noreturn]] void __cxa_throw_bad_array_length() { throw std::bad_array_new_length(); }
[[noreturn]] void __cxa_bad_cast() { throw std::bad_cast(); }
[[noreturn]] void __cxa_bad_typeid() { throw std::bad_typeid(); }
}

void __model_throw_error(int number, const char *) { std::__throw_system_error(number); }
