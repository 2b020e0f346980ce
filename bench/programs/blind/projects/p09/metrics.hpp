// What the service has done so far, counted by all of its threads.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "histogram.hpp"

namespace metrics {

enum class Outcome { ok, notFound, badRequest };

struct Sample {
  std::string command;
  Outcome outcome = Outcome::ok;
  std::uint64_t bytesIn = 0;
  std::uint64_t bytesOut = 0;
  std::uint64_t cost = 0;
};

struct CommandStats {
  std::uint64_t calls = 0;
  std::uint64_t failures = 0;
  std::uint64_t cost = 0;
};

struct Snapshot {
  std::uint64_t requests = 0;
  std::uint64_t notFound = 0;
  std::uint64_t badRequests = 0;
  std::uint64_t bytesIn = 0;
  std::uint64_t bytesOut = 0;
  std::map<std::string, CommandStats> commands;
  Histogram costs{4, 8, 16};

  std::uint64_t failures() const { return notFound + badRequests; }
  std::string str() const;
};

class Metrics {
 public:
  void record(const Sample& sample);
  void reset();
  Snapshot snapshot() const;
  std::uint64_t requests() const;

 private:
  void countOutcome(Outcome outcome);

  mutable std::mutex mutex_;
  std::uint64_t requests_ = 0;
  std::uint64_t notFound_ = 0;
  std::uint64_t badRequests_ = 0;
  std::uint64_t bytesIn_ = 0;
  std::uint64_t bytesOut_ = 0;
  std::map<std::string, CommandStats> commands_;
  Histogram costs_{4, 8, 16};
};

}  // namespace metrics
