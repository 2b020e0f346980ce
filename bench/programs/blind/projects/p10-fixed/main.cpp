// Builds a small project with two threads.
#include <algorithm>
#include <cassert>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "builder.hpp"
#include "graph.hpp"

using build::Builder;
using build::Event;
using build::Fingerprint;
using build::Graph;
using build::GraphError;
using build::Plan;
using build::TargetId;

namespace {

const char kProject[] =
    "# a small project\n"
    "app: util net = main.c\n"
    "net: util = socket.c\n"
    "util: = text.c list.c\n";

bool isRejected(const char* text) {
  try {
    Graph::parse(text).order();
  } catch (const GraphError&) {
    return true;
  }
  return false;
}

void checkWords() {
  assert(build::trim("  a b\t") == "a b");
  assert(build::trim(" ").empty());
  const std::vector<std::string> w = build::words(" x  yy ");
  assert(w.size() == 2 && w[0] == "x" && w[1] == "yy");
}

void checkGraph(const Graph& graph) {
  assert(graph.size() == 3);
  const TargetId app = graph.idOf("app");
  const TargetId net = graph.idOf("net");
  const TargetId util = graph.idOf("util");
  assert(graph.has("net") && !graph.has("gui"));
  assert(graph.target(util).sources.size() == 2);
  const std::vector<TargetId> order = graph.order();
  assert(order.size() == 3);
  assert(order[0] == util && order[1] == net && order[2] == app);
  const std::vector<unsigned> levels = graph.levels();
  assert(levels[util] == 0 && levels[net] == 1 && levels[app] == 2);
  assert(graph.usersOf(util).size() == 2);
  assert(graph.usersOf(app).empty());
  assert(Graph::parse(graph.str()).str() == graph.str());
}

void checkErrors() {
  assert(isRejected("a: b\nb: a\n"));
  assert(isRejected("a: nothing\n"));
  assert(isRejected("a:\na:\n"));
  assert(isRejected("just words\n"));
  assert(isRejected(": x\n"));
  assert(!isRejected("a:\nb: a a\n"));
}

void checkEvent() {
  Event event;
  assert(!event.isSet());
  event.set();
  event.set();
  event.wait();
  assert(event.isSet());
}

void checkPlan(const Graph& graph) {
  const Plan alone(graph, 1);
  assert(alone.share(0).size() == graph.size());
  assert(alone.crossings(graph) == 0);
  bool thrown = false;
  try {
    const Plan none(graph, 0);
  } catch (const std::invalid_argument&) {
    thrown = true;
  }
  assert(thrown);
}

// The part of a journal line behind the number of the worker.
std::string builtName(const std::string& line) {
  return line.substr(line.find(' ') + 1);
}

std::size_t positionOf(const std::vector<std::string>& lines,
                       const std::string& name) {
  const auto it =
      std::find_if(lines.begin(), lines.end(), [&](const std::string& line) {
        return builtName(line) == name;
      });
  return static_cast<std::size_t>(it - lines.begin());
}

}  // namespace

int main() {
  const Graph graph = Graph::parse(kProject);
  checkWords();
  checkGraph(graph);
  checkErrors();
  checkEvent();
  checkPlan(graph);

  const Plan plan(graph, 2);
  assert(plan.share(0).size() == 2);
  assert(plan.share(1).size() == 1);
  assert(plan.workerOf(graph.idOf("net")) == 1);
  assert(plan.crossings(graph) == 2);

  Builder builder(graph, plan);
  builder.run();

  const std::vector<Fingerprint> expected =
      build::expectedFingerprints(graph);
  for (TargetId id = 0; id < graph.size(); ++id) {
    assert(builder.isReady(id));
    assert(builder.fingerprint(id) == expected[id]);
  }
  const std::vector<std::string> lines = builder.journal().lines();
  assert(lines.size() == 3);
  assert(positionOf(lines, "util") == 0);
  assert(positionOf(lines, "net") == 1);
  assert(positionOf(lines, "app") == 2);
  for (const std::string& line : lines) {
    std::printf("%s\n", line.c_str());
  }
  return 0;
}
