// Two clients ask the same converter for conversions.
#include <cassert>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "convert.hpp"

using units::Conversion;
using units::Dimension;
using units::History;
using units::Lexer;
using units::Ratio;
using units::Token;
using units::TokenKind;
using units::UnitTable;

namespace {

class Client {
 public:
  Client(History& history, std::vector<std::string> requests)
      : history_(history), requests_(std::move(requests)) {}

  void run() {
    for (const std::string& request : requests_) {
      const Conversion result = units::evaluate(request);
      sum_ = sum_ + result.amount;
      history_.add(result);
      ++answered_;
    }
  }

  unsigned answered() const { return answered_; }
  Ratio sum() const { return sum_; }

 private:
  History& history_;
  std::vector<std::string> requests_;
  unsigned answered_ = 0;
  Ratio sum_;
};

void checkRatio() {
  assert(Ratio(2, 4) == Ratio(1, 2));
  assert(Ratio(1, -3).num() == -1);
  assert(Ratio(1, 2) + Ratio(1, 3) == Ratio(5, 6));
  assert(Ratio(1, 2) - Ratio(1, 3) == Ratio(1, 6));
  assert(Ratio(3, 4) / Ratio(3) == Ratio(1, 4));
  assert(Ratio(1, 3) < Ratio(1, 2));
  assert(Ratio(7, 2).str() == "7/2");
  bool thrown = false;
  try {
    (void)(Ratio(1) / Ratio(0));
  } catch (const std::domain_error&) {
    thrown = true;
  }
  assert(thrown);
}

void checkLexer() {
  Lexer lexer("1.25 km +3");
  Token token = lexer.next();
  assert(token.kind == TokenKind::number);
  assert(token.value == Ratio(5, 4));
  token = lexer.next();
  assert(token.kind == TokenKind::word && token.text == "km");
  token = lexer.next();
  assert(token.kind == TokenKind::plus);
  token = lexer.next();
  assert(token.kind == TokenKind::number && token.value == Ratio(3));
  token = lexer.next();
  assert(token.kind == TokenKind::end);
}

template <typename Error>
bool fails(const char* request) {
  try {
    units::evaluate(request);
  } catch (const Error&) {
    return true;
  }
  return false;
}

void checkTable() {
  const UnitTable& table = UnitTable::instance();
  assert(table.size() == 10);
  assert(table.find("furlong") == nullptr);
  assert(table.find("metre") == table.find("m"));
  assert(table.base(Dimension::mass).symbol == "g");
  assert(table.symbols(Dimension::time).size() == 3);
  assert(table.at("ft").toBase == Ratio(3048, 10000));
  assert(units::dimensionName(table.at("h").dimension) == "time");
}

void checkErrors() {
  assert(fails<std::invalid_argument>("3 kg to m"));
  assert(fails<std::invalid_argument>("3 kg"));
  assert(fails<std::invalid_argument>("km to m"));
  assert(fails<std::invalid_argument>("1 km to m m"));
  assert(fails<std::out_of_range>("1 parsec to km"));
}

}  // namespace

int main() {
  checkRatio();
  checkLexer();

  History history;
  Client first(history, {"2.5 km to m", "90 min to h"});
  Client second(history, {"1 ft + 6 in to cm"});
  {
    std::thread a(&Client::run, &first);
    std::thread b(&Client::run, &second);
    a.join();
    b.join();
  }

  assert(first.answered() == 2);
  assert(first.sum() == Ratio(5003, 2));
  assert(second.answered() == 1);
  assert(second.sum() == Ratio(1143, 25));
  assert(history.size() == 3);
  const std::vector<Conversion> items = history.sorted();
  assert(items[0].str() == "1 ft + 6 in to cm = 1143/25 cm");
  assert(items[1].str() == "2.5 km to m = 2500 m");
  assert(items[2].str() == "90 min to h = 3/2 h");
  const auto counts = history.countBySymbol();
  assert(counts.size() == 3 && counts.at("cm") == 1);

  checkTable();
  checkErrors();
  for (const Conversion& item : items) {
    std::printf("%s\n", item.str().c_str());
  }
  return 0;
}
