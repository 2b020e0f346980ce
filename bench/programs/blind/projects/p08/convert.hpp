// Conversion requests such as "2.5 km to m" and "1 ft + 6 in to cm".
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "ratio.hpp"
#include "units.hpp"

namespace units {

enum class TokenKind { number, word, plus, minus, end };

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;
  Ratio value;
};

class Lexer {
 public:
  explicit Lexer(std::string_view input) : input_(input) {}
  Token next();

 private:
  Token number();
  Token word();

  std::string_view input_;
  std::size_t pos_ = 0;
};

struct Quantity {
  Ratio amount;
  const Unit* unit = nullptr;

  Ratio inBase() const { return amount * unit->toBase; }
  std::string str() const;
};

Quantity convert(const Quantity& from, const Unit& to);

struct Conversion {
  std::string request;
  Ratio amount;
  std::string symbol;

  std::string str() const;
};

// Parses and evaluates a request.  Throws std::invalid_argument if it is not
// well formed and std::out_of_range if a unit is not known.
Conversion evaluate(std::string_view request);

// A thread-safe record of all conversions.
class History {
 public:
  void add(const Conversion& conversion);
  std::size_t size() const;
  std::vector<Conversion> sorted() const;
  std::map<std::string, int> countBySymbol() const;

 private:
  mutable std::mutex mutex_;
  std::vector<Conversion> items_;
};

}  // namespace units
