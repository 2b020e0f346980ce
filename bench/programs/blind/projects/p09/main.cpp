// Two clients talk to the service; the numbers must add up afterwards.
#include <cassert>
#include <cstdio>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "histogram.hpp"
#include "metrics.hpp"
#include "service.hpp"

using metrics::Histogram;
using metrics::Metrics;
using metrics::Outcome;
using metrics::Sample;
using metrics::Snapshot;
using service::Session;
using service::Store;

namespace {

struct Exchange {
  std::string line;
  std::string answer;
};

class Client {
 public:
  Client(Store& store, Metrics& metrics, std::vector<Exchange> script)
      : session_(store, metrics), script_(std::move(script)) {}

  void run() {
    for (const Exchange& exchange : script_) {
      const std::string answer = session_.handle(exchange.line);
      if (answer != exchange.answer) {
        ++surprises_;
      }
    }
  }

  unsigned surprises() const { return surprises_; }
  const Session& session() const { return session_; }

 private:
  Session session_;
  std::vector<Exchange> script_;
  unsigned surprises_ = 0;
};

void checkHistogram() {
  Histogram h{10, 20};
  h.add(10);
  h.add(11);
  h.add(50);
  assert(h.buckets() == 3);
  assert(h.count(0) == 1 && h.count(1) == 1 && h.count(2) == 1);
  assert(h.percentile(50) == 20);
  assert(h.percentile(100) == 50);
  Histogram other{10, 20};
  other.add(3);
  h.merge(other);
  assert(h.total() == 4 && h.sum() == 74);
  assert(h.min() == 3 && h.max() == 50);
}

void checkParser() {
  const auto words = service::splitWords("  put a  bc ");
  assert(words.size() == 3 && words[2] == "bc");
  const auto request = service::parseRequest("put a bc");
  assert(request && request->verb == "PUT" && request->args.size() == 2);
  assert(!service::parseRequest("   "));
}

void checkMetrics() {
  Metrics metrics;
  Sample sample;
  sample.command = "X";
  sample.outcome = Outcome::notFound;
  sample.bytesOut = 5;
  sample.cost = 9;
  metrics.record(sample);
  metrics.record(sample);
  const Snapshot before = metrics.snapshot();
  assert(before.requests == 2 && before.bytesOut == 10);
  assert(before.commands.at("X").failures == 2);
  assert(before.costs.count(2) == 2);
  metrics.reset();
  assert(metrics.requests() == 0);
  assert(metrics.snapshot().costs.total() == 0);
}

}  // namespace

int main() {
  checkHistogram();
  checkParser();
  checkMetrics();

  Store store;
  Metrics metrics;
  Client first(store, metrics,
               {{"PUT tea green", "created"}, {"get tea", "green"}});
  Client second(store, metrics,
                {{"APPEND log ab", "2"}, {"DEL milk", "no milk"}});
  {
    std::thread a(&Client::run, &first);
    std::thread b(&Client::run, &second);
    a.join();
    b.join();
  }

  assert(first.surprises() == 0);
  assert(second.surprises() == 0);
  assert(store.size() == 2);
  assert(store.keys().front() == "log");

  const Snapshot result = metrics.snapshot();
  std::printf("%s\n", result.str().c_str());
  assert(result.requests == 4);
  assert(result.failures() == 1);
  assert(result.notFound == 1);
  assert(result.commands.size() == 4);
  assert(result.commands.at("DEL").failures == 1);
  assert(result.costs.total() == 4);
  assert(result.bytesIn ==
         first.session().received() + second.session().received());
  assert(result.bytesOut == first.session().sent() + second.session().sent());
  return 0;
}
