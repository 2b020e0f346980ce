#include "units.hpp"

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <string>

namespace units {

namespace {

std::mutex buildMutex;
std::atomic<bool> isBuilt{false};

}  // namespace

std::string_view dimensionName(Dimension d) {
  switch (d) {
    case Dimension::length:
      return "length";
    case Dimension::mass:
      return "mass";
    case Dimension::time:
      return "time";
  }
  return "?";
}

const UnitTable& UnitTable::instance() {
  static UnitTable table;

  if (!isBuilt.load()) {
    std::lock_guard<std::mutex> lock(buildMutex);
    if (!isBuilt.load()) {
      table.build();
      isBuilt.store(true);
    }
  }
  return table;
}

void UnitTable::build() {
  add("m", "metre", Dimension::length, Ratio(1));
  addScaled("km", "kilometre", "m", Ratio(1000));
  addScaled("cm", "centimetre", "m", Ratio(1, 100));
  addScaled("in", "inch", "cm", Ratio(254, 100));
  addScaled("ft", "foot", "in", Ratio(12));

  add("g", "gram", Dimension::mass, Ratio(1));
  addScaled("kg", "kilogram", "g", Ratio(1000));

  add("s", "second", Dimension::time, Ratio(1));
  addScaled("min", "minute", "s", Ratio(60));
  addScaled("h", "hour", "min", Ratio(60));
}

void UnitTable::add(std::string_view symbol, std::string_view name,
                    Dimension d, Ratio toBase) {
  if (count_ == kMaxUnits) {
    throw std::length_error("too many units");
  }
  Unit& unit = units_[count_];
  unit.symbol = symbol;
  unit.name = name;
  unit.dimension = d;
  unit.toBase = toBase;
  ++count_;
}

void UnitTable::addScaled(std::string_view symbol, std::string_view name,
                          std::string_view of, Ratio factor) {
  const Unit& parent = at(of);
  add(symbol, name, parent.dimension, factor * parent.toBase);
}

const Unit* UnitTable::find(std::string_view text) const {
  for (std::size_t i = 0; i < count_; ++i) {
    if (units_[i].symbol == text || units_[i].name == text) {
      return &units_[i];
    }
  }
  return nullptr;
}

const Unit& UnitTable::at(std::string_view text) const {
  const Unit* unit = find(text);
  if (unit == nullptr) {
    throw std::out_of_range("unknown unit " + std::string(text));
  }
  return *unit;
}

const Unit& UnitTable::base(Dimension d) const {
  for (std::size_t i = 0; i < count_; ++i) {
    if (units_[i].dimension == d && units_[i].toBase == Ratio(1)) {
      return units_[i];
    }
  }
  throw std::out_of_range("no base unit for " + std::string(dimensionName(d)));
}

std::vector<std::string_view> UnitTable::symbols(Dimension d) const {
  std::vector<std::string_view> result;
  for (std::size_t i = 0; i < count_; ++i) {
    if (units_[i].dimension == d) {
      result.push_back(units_[i].symbol);
    }
  }
  return result;
}

}  // namespace units
