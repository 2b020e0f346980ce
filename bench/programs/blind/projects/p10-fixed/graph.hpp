// The graph of targets, read from a description such as
//
//   app: util net = main.c
//
// that is a target, the targets that it needs, and its sources.
#pragma once

#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace build {

class GraphError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

using TargetId = std::size_t;

struct Target {
  std::string name;
  std::vector<TargetId> needs;
  std::vector<std::string> sources;
};

class Graph {
 public:
  static Graph parse(std::string_view text);

  TargetId add(const std::string& name);
  void addNeed(TargetId target, TargetId need);
  void addSource(TargetId target, const std::string& source);

  std::size_t size() const { return targets_.size(); }
  const Target& target(TargetId id) const { return targets_.at(id); }
  TargetId idOf(const std::string& name) const;
  bool has(const std::string& name) const;

  // Each target after all that it needs.  Throws GraphError on a cycle.
  std::vector<TargetId> order() const;
  // The length of the longest chain of needs that ends at each target.
  std::vector<unsigned> levels() const;
  std::vector<TargetId> usersOf(TargetId id) const;
  std::string str() const;

 private:
  enum class Mark { none, open, closed };

  void visit(TargetId id, std::vector<Mark>& marks,
             std::vector<TargetId>& out) const;

  std::vector<Target> targets_;
  std::map<std::string, TargetId> ids_;
};

// Cuts white space off both ends.
std::string_view trim(std::string_view s);
std::vector<std::string> words(std::string_view s);

}  // namespace build
