// Texts: cutting them up, putting them together, and messages with gaps.
#pragma once

#include <cctype>
#include <sstream>
#include <string>
#include <vector>

namespace text {

inline std::string trim(const std::string &text) {
    std::size_t begin = 0;
    std::size_t end = text.size();
    while (begin < end && std::isspace(static_cast<unsigned char>(text[begin]))) {
        begin++;
    }
    while (end > begin && std::isspace(static_cast<unsigned char>(text[end - 1]))) {
        end--;
    }
    return text.substr(begin, end - begin);
}

inline std::string lower(std::string text) {
    for (char &letter : text) {
        letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    }
    return text;
}

inline std::vector<std::string> split(const std::string &text, char separator) {
    std::vector<std::string> parts;
    std::string part;
    for (char letter : text) {
        if (letter == separator) {
            parts.push_back(part);
            part.clear();
        } else {
            part += letter;
        }
    }
    parts.push_back(part);
    return parts;
}

inline std::vector<std::string> words(const std::string &text) {
    std::vector<std::string> found;
    std::string word;
    for (char letter : text) {
        if (std::isalnum(static_cast<unsigned char>(letter))) {
            word += letter;
        } else if (!word.empty()) {
            found.push_back(lower(word));
            word.clear();
        }
    }
    if (!word.empty()) {
        found.push_back(lower(word));
    }
    return found;
}

template <typename Range> std::string join(const Range &parts, const std::string &between) {
    std::string joined;
    bool first = true;
    for (const auto &part : parts) {
        if (!first) {
            joined += between;
        }
        joined += part;
        first = false;
    }
    return joined;
}

namespace detail {

inline void fill(std::string &out, const std::string &pattern, std::size_t at) { out += pattern.substr(at); }

inline std::string shown(const std::string &value) { return value; }
inline std::string shown(const char *value) { return value; }
template <typename Number> std::string shown(Number value) { return std::to_string(value); }

template <typename First, typename... Rest>
void fill(std::string &out, const std::string &pattern, std::size_t at, const First &first, const Rest &...rest) {
    std::size_t gap = pattern.find("{}", at);
    if (gap == std::string::npos) {
        out += pattern.substr(at);
        return;
    }
    out += pattern.substr(at, gap - at);
    out += shown(first);
    fill(out, pattern, gap + 2, rest...);
}

} // namespace detail

// Replaces each `{}` of the pattern by the next value.
template <typename... Values> std::string format(const std::string &pattern, const Values &...values) {
    std::string out;
    detail::fill(out, pattern, 0, values...);
    return out;
}

} // namespace text
