// Builds all targets of a graph with a fixed number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "event.hpp"
#include "graph.hpp"

namespace build {

using Fingerprint = std::uint32_t;

Fingerprint hashText(Fingerprint seed, const std::string& text);
Fingerprint hashNumber(Fingerprint seed, Fingerprint number);

// The journal of a build, written by all threads.
class Journal {
 public:
  void add(unsigned worker, const std::string& text);
  std::size_t size() const;
  std::vector<std::string> lines() const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

// Which worker builds which targets, in which order.
class Plan {
 public:
  Plan(const Graph& graph, unsigned workers);

  unsigned workers() const { return static_cast<unsigned>(shares_.size()); }
  const std::vector<TargetId>& share(unsigned worker) const {
    return shares_.at(worker);
  }
  unsigned workerOf(TargetId id) const { return owners_.at(id); }
  // How often a target needs one that another worker builds.
  unsigned crossings(const Graph& graph) const;

 private:
  std::vector<std::vector<TargetId>> shares_;
  std::vector<unsigned> owners_;
};

class Builder {
 public:
  Builder(const Graph& graph, const Plan& plan);

  // Builds everything; returns when all targets are ready.
  void run();

  bool isReady(TargetId id) const { return states_.at(id)->ready.isSet(); }
  Fingerprint fingerprint(TargetId id) const {
    return states_.at(id)->fingerprint;
  }
  const Journal& journal() const { return journal_; }

 private:
  struct State {
    Event ready;
    Fingerprint fingerprint = 0;
  };

  void work(unsigned worker);
  void buildOne(unsigned worker, TargetId id);

  const Graph& graph_;
  const Plan& plan_;
  std::vector<std::unique_ptr<State>> states_;
  Journal journal_;
};

// What the fingerprints have to be, computed by one thread.
std::vector<Fingerprint> expectedFingerprints(const Graph& graph);

}  // namespace build
