// A histogram with fixed bucket bounds.  Not synchronised.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <vector>

namespace metrics {

class Histogram {
 public:
  // The bounds are inclusive upper bounds; one more bucket takes the rest.
  Histogram(std::initializer_list<std::uint64_t> bounds)
      : bounds_(bounds), counts_(bounds.size() + 1, 0) {
    if (!std::is_sorted(bounds_.begin(), bounds_.end())) {
      throw std::invalid_argument("histogram bounds are not sorted");
    }
  }

  void add(std::uint64_t value) {
    const auto it = std::lower_bound(bounds_.begin(), bounds_.end(), value);
    ++counts_[static_cast<std::size_t>(it - bounds_.begin())];
    if (total_ == 0 || value < min_) {
      min_ = value;
    }
    if (total_ == 0 || value > max_) {
      max_ = value;
    }
    sum_ += value;
    ++total_;
  }

  void merge(const Histogram& other) {
    if (bounds_ != other.bounds_) {
      throw std::invalid_argument("histograms with different bounds");
    }
    if (other.total_ == 0) {
      return;
    }
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      counts_[i] += other.counts_[i];
    }
    min_ = total_ == 0 ? other.min_ : std::min(min_, other.min_);
    max_ = total_ == 0 ? other.max_ : std::max(max_, other.max_);
    sum_ += other.sum_;
    total_ += other.total_;
  }

  // The bound of the bucket in which the given per cent of values are reached.
  std::uint64_t percentile(unsigned percent) const {
    if (total_ == 0) {
      return 0;
    }
    const std::uint64_t wanted = (total_ * percent + 99) / 100;
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < bounds_.size(); ++i) {
      seen += counts_[i];
      if (seen >= wanted) {
        return bounds_[i];
      }
    }
    return max_;
  }

  std::size_t buckets() const { return counts_.size(); }
  std::uint64_t count(std::size_t bucket) const { return counts_.at(bucket); }
  std::uint64_t total() const { return total_; }
  std::uint64_t sum() const { return sum_; }
  std::uint64_t min() const { return min_; }
  std::uint64_t max() const { return max_; }

 private:
  std::vector<std::uint64_t> bounds_;
  std::vector<std::uint64_t> counts_;
  std::uint64_t total_ = 0;
  std::uint64_t sum_ = 0;
  std::uint64_t min_ = 0;
  std::uint64_t max_ = 0;
};

}  // namespace metrics
