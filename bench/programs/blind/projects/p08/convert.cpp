#include "convert.hpp"

#include <algorithm>
#include <stdexcept>

namespace units {

namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }

bool isLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

class Parser {
 public:
  explicit Parser(std::string_view input) : lexer_(input) { advance(); }

  // sum "to" unit
  Conversion parse(std::string_view request) {
    Quantity total = quantity();
    while (token_.kind == TokenKind::plus || token_.kind == TokenKind::minus) {
      const bool plus = token_.kind == TokenKind::plus;
      advance();
      total = combine(total, quantity(), plus);
    }
    if (token_.kind != TokenKind::word || token_.text != "to") {
      throw std::invalid_argument("expected \"to\"");
    }
    advance();
    const Unit& target = unit();
    if (token_.kind != TokenKind::end) {
      throw std::invalid_argument("text after the unit");
    }
    const Quantity result = convert(total, target);
    return Conversion{std::string(request), result.amount,
                      std::string(target.symbol)};
  }

 private:
  void advance() { token_ = lexer_.next(); }

  Quantity quantity() {
    if (token_.kind != TokenKind::number) {
      throw std::invalid_argument("expected a number");
    }
    Quantity q;
    q.amount = token_.value;
    advance();
    q.unit = &unit();
    return q;
  }

  const Unit& unit() {
    if (token_.kind != TokenKind::word) {
      throw std::invalid_argument("expected a unit");
    }
    const Unit& u = UnitTable::instance().at(token_.text);
    advance();
    return u;
  }

  // The sum is in the unit of the left hand side.
  static Quantity combine(const Quantity& a, const Quantity& b, bool plus) {
    const Quantity other = convert(b, *a.unit);
    Quantity sum = a;
    sum.amount = plus ? a.amount + other.amount : a.amount - other.amount;
    return sum;
  }

  Lexer lexer_;
  Token token_;
};

}  // namespace

Token Lexer::next() {
  while (pos_ < input_.size() && input_[pos_] == ' ') {
    ++pos_;
  }
  if (pos_ == input_.size()) {
    return Token{};
  }
  const char c = input_[pos_];
  if (isDigit(c)) {
    return number();
  }
  if (isLetter(c)) {
    return word();
  }
  Token token;
  token.text = input_.substr(pos_, 1);
  ++pos_;
  if (c == '+') {
    token.kind = TokenKind::plus;
  } else if (c == '-') {
    token.kind = TokenKind::minus;
  } else {
    throw std::invalid_argument("unexpected character");
  }
  return token;
}

Token Lexer::number() {
  const std::size_t start = pos_;
  long long num = 0;
  long long den = 1;
  bool fraction = false;
  while (pos_ < input_.size()) {
    const char c = input_[pos_];
    if (isDigit(c)) {
      num = num * 10 + (c - '0');
      if (fraction) {
        den *= 10;
      }
    } else if (c == '.' && !fraction) {
      fraction = true;
    } else {
      break;
    }
    ++pos_;
  }
  Token token;
  token.kind = TokenKind::number;
  token.text = input_.substr(start, pos_ - start);
  token.value = Ratio(num, den);
  return token;
}

Token Lexer::word() {
  const std::size_t start = pos_;
  while (pos_ < input_.size() && isLetter(input_[pos_])) {
    ++pos_;
  }
  Token token;
  token.kind = TokenKind::word;
  token.text = input_.substr(start, pos_ - start);
  return token;
}

std::string Quantity::str() const {
  return amount.str() + " " + std::string(unit->symbol);
}

Quantity convert(const Quantity& from, const Unit& to) {
  if (from.unit->dimension != to.dimension) {
    throw std::invalid_argument("cannot turn " +
                                std::string(from.unit->name) + " into " +
                                std::string(to.name));
  }
  Quantity result;
  result.amount = from.inBase() / to.toBase;
  result.unit = &to;
  return result;
}

std::string Conversion::str() const {
  return request + " = " + amount.str() + " " + symbol;
}

Conversion evaluate(std::string_view request) {
  Parser parser(request);
  return parser.parse(request);
}

void History::add(const Conversion& conversion) {
  std::lock_guard<std::mutex> lock(mutex_);
  items_.push_back(conversion);
}

std::size_t History::size() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return items_.size();
}

std::vector<Conversion> History::sorted() const {
  std::vector<Conversion> copy;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    copy = items_;
  }
  std::sort(copy.begin(), copy.end(),
            [](const Conversion& a, const Conversion& b) {
              return a.request < b.request;
            });
  return copy;
}

std::map<std::string, int> History::countBySymbol() const {
  std::map<std::string, int> counts;
  std::lock_guard<std::mutex> lock(mutex_);
  for (const Conversion& item : items_) {
    ++counts[item.symbol];
  }
  return counts;
}

}  // namespace units
