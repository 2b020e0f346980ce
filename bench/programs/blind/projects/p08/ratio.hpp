// Exact fractions with a small range.
#pragma once

#include <numeric>
#include <stdexcept>
#include <string>

namespace units {

class Ratio {
 public:
  constexpr Ratio() = default;
  constexpr Ratio(long long num, long long den = 1) : num_(num), den_(den) {
    if (den_ == 0) {
      throw std::domain_error("ratio with denominator zero");
    }
    if (den_ < 0) {
      num_ = -num_;
      den_ = -den_;
    }
    const long long g = std::gcd(num_, den_);
    if (g > 1) {
      num_ /= g;
      den_ /= g;
    }
  }

  constexpr long long num() const { return num_; }
  constexpr long long den() const { return den_; }
  constexpr bool isWhole() const { return den_ == 1; }

  friend constexpr Ratio operator+(Ratio a, Ratio b) {
    return Ratio(a.num_ * b.den_ + b.num_ * a.den_, a.den_ * b.den_);
  }
  friend constexpr Ratio operator-(Ratio a, Ratio b) {
    return Ratio(a.num_ * b.den_ - b.num_ * a.den_, a.den_ * b.den_);
  }
  friend constexpr Ratio operator*(Ratio a, Ratio b) {
    return Ratio(a.num_ * b.num_, a.den_ * b.den_);
  }
  friend constexpr Ratio operator/(Ratio a, Ratio b) {
    return Ratio(a.num_ * b.den_, a.den_ * b.num_);
  }
  friend constexpr bool operator==(Ratio a, Ratio b) {
    return a.num_ == b.num_ && a.den_ == b.den_;
  }
  friend constexpr bool operator<(Ratio a, Ratio b) {
    return a.num_ * b.den_ < b.num_ * a.den_;
  }

  std::string str() const {
    std::string s = std::to_string(num_);
    if (!isWhole()) {
      s += '/';
      s += std::to_string(den_);
    }
    return s;
  }

 private:
  long long num_ = 0;
  long long den_ = 1;
};

}  // namespace units
