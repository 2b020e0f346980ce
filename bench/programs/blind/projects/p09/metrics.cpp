#include "metrics.hpp"

namespace metrics {

namespace {

void appendField(std::string& out, const char* name, std::uint64_t value) {
  if (!out.empty()) {
    out += ' ';
  }
  out += name;
  out += '=';
  out += std::to_string(value);
}

}  // namespace

std::string Snapshot::str() const {
  std::string out;
  appendField(out, "requests", requests);
  appendField(out, "failures", failures());
  appendField(out, "in", bytesIn);
  appendField(out, "out", bytesOut);
  appendField(out, "p50", costs.percentile(50));
  appendField(out, "max", costs.max());
  for (const auto& [name, stats] : commands) {
    appendField(out, name.c_str(), stats.calls);
  }
  return out;
}

void Metrics::record(const Sample& sample) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    ++requests_;
    countOutcome(sample.outcome);
    CommandStats& stats = commands_[sample.command];
    ++stats.calls;
    stats.cost += sample.cost;
    if (sample.outcome != Outcome::ok) {
      ++stats.failures;
    }
    costs_.add(sample.cost);
    bytesIn_ += sample.bytesIn;
  }
  if (sample.bytesOut > 0) {
    bytesOut_ += sample.bytesOut;
  }
}

// Needs the mutex.
void Metrics::countOutcome(Outcome outcome) {
  switch (outcome) {
    case Outcome::ok:
      break;
    case Outcome::notFound:
      ++notFound_;
      break;
    case Outcome::badRequest:
      ++badRequests_;
      break;
  }
}

void Metrics::reset() {
  std::lock_guard<std::mutex> lock(mutex_);
  requests_ = 0;
  notFound_ = 0;
  badRequests_ = 0;
  bytesIn_ = 0;
  bytesOut_ = 0;
  commands_.clear();
  costs_ = Histogram{4, 8, 16};
}

Snapshot Metrics::snapshot() const {
  Snapshot copy;
  std::lock_guard<std::mutex> lock(mutex_);
  copy.requests = requests_;
  copy.notFound = notFound_;
  copy.badRequests = badRequests_;
  copy.bytesIn = bytesIn_;
  copy.bytesOut = bytesOut_;
  copy.commands = commands_;
  copy.costs.merge(costs_);
  return copy;
}

std::uint64_t Metrics::requests() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return requests_;
}

}  // namespace metrics
