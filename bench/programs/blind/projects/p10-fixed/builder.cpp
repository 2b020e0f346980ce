#include "builder.hpp"

#include <stdexcept>
#include <thread>

namespace build {

Fingerprint hashText(Fingerprint seed, const std::string& text) {
  Fingerprint h = seed ^ 2166136261u;
  for (const char c : text) {
    h ^= static_cast<unsigned char>(c);
    h *= 16777619u;
  }
  return h;
}

Fingerprint hashNumber(Fingerprint seed, Fingerprint number) {
  Fingerprint h = seed;
  for (int i = 0; i < 4; ++i) {
    h ^= (number >> (8 * i)) & 0xffu;
    h *= 16777619u;
  }
  return h;
}

namespace {

Fingerprint ownFingerprint(const Target& target) {
  Fingerprint h = hashText(0, target.name);
  for (const std::string& source : target.sources) {
    h = hashText(h, source);
  }
  return h;
}

}  // namespace

void Journal::add(unsigned worker, const std::string& text) {
  std::lock_guard<std::mutex> lock(mutex_);
  lines_.push_back("[" + std::to_string(worker) + "] " + text);
}

std::size_t Journal::size() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return lines_.size();
}

std::vector<std::string> Journal::lines() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return lines_;
}

Plan::Plan(const Graph& graph, unsigned workers) {
  if (workers == 0) {
    throw std::invalid_argument("a build needs a worker");
  }
  shares_.resize(workers);
  owners_.resize(graph.size(), 0);
  unsigned next = 0;
  for (const TargetId id : graph.order()) {
    shares_[next].push_back(id);
    owners_[id] = next;
    next = (next + 1) % workers;
  }
}

unsigned Plan::crossings(const Graph& graph) const {
  unsigned n = 0;
  for (TargetId id = 0; id < graph.size(); ++id) {
    for (const TargetId need : graph.target(id).needs) {
      if (owners_[need] != owners_[id]) {
        ++n;
      }
    }
  }
  return n;
}

Builder::Builder(const Graph& graph, const Plan& plan)
    : graph_(graph), plan_(plan) {
  for (TargetId id = 0; id < graph.size(); ++id) {
    states_.push_back(std::make_unique<State>());
  }
}

void Builder::run() {
  std::vector<std::thread> threads;
  for (unsigned worker = 0; worker < plan_.workers(); ++worker) {
    threads.emplace_back(&Builder::work, this, worker);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

void Builder::work(unsigned worker) {
  for (const TargetId id : plan_.share(worker)) {
    buildOne(worker, id);
  }
}

void Builder::buildOne(unsigned worker, TargetId id) {
  const Target& target = graph_.target(id);
  State& state = *states_[id];
  Fingerprint h = ownFingerprint(target);
  for (const TargetId need : target.needs) {
    State& other = *states_[need];
    other.ready.wait();
    h = hashNumber(h, other.fingerprint);
  }
  state.fingerprint = h;
  journal_.add(worker, target.name);
  state.ready.set();
}

std::vector<Fingerprint> expectedFingerprints(const Graph& graph) {
  std::vector<Fingerprint> result(graph.size(), 0);
  for (const TargetId id : graph.order()) {
    Fingerprint h = ownFingerprint(graph.target(id));
    for (const TargetId need : graph.target(id).needs) {
      h = hashNumber(h, result[need]);
    }
    result[id] = h;
  }
  return result;
}

}  // namespace build
