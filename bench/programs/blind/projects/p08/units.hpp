// The table of known units.  It is built when it is first asked for.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "ratio.hpp"

namespace units {

enum class Dimension { length, mass, time };

std::string_view dimensionName(Dimension d);

struct Unit {
  std::string_view symbol;
  std::string_view name;
  Dimension dimension = Dimension::length;
  Ratio toBase;  // how many base units one of these is
};

class UnitTable {
 public:
  static constexpr std::size_t kMaxUnits = 12;

  // The one table of the process.
  static const UnitTable& instance();

  UnitTable(const UnitTable&) = delete;
  UnitTable& operator=(const UnitTable&) = delete;

  // By symbol or by name; null if there is no such unit.
  const Unit* find(std::string_view text) const;
  // Like find, but throws std::out_of_range.
  const Unit& at(std::string_view text) const;
  const Unit& base(Dimension d) const;
  std::vector<std::string_view> symbols(Dimension d) const;
  std::size_t size() const { return count_; }

 private:
  UnitTable() = default;

  void add(std::string_view symbol, std::string_view name, Dimension d,
           Ratio toBase);
  void addScaled(std::string_view symbol, std::string_view name,
                 std::string_view of, Ratio factor);
  void build();

  std::array<Unit, kMaxUnits> units_{};
  std::size_t count_ = 0;
};

}  // namespace units
