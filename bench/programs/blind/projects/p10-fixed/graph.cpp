#include "graph.hpp"

#include <algorithm>

namespace build {

namespace {

bool isSpace(char c) { return c == ' ' || c == '\t'; }

std::string_view takeLine(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

struct Line {
  std::string name;
  std::vector<std::string> needs;
  std::vector<std::string> sources;
};

Line parseLine(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) {
    throw GraphError("missing colon: " + std::string(line));
  }
  Line result;
  result.name = std::string(trim(line.substr(0, colon)));
  if (result.name.empty()) {
    throw GraphError("missing target: " + std::string(line));
  }
  std::string_view rest = line.substr(colon + 1);
  const std::size_t equals = rest.find('=');
  if (equals != std::string_view::npos) {
    result.sources = words(rest.substr(equals + 1));
    rest = rest.substr(0, equals);
  }
  result.needs = words(rest);
  return result;
}

}  // namespace

std::string_view trim(std::string_view s) {
  while (!s.empty() && isSpace(s.front())) {
    s.remove_prefix(1);
  }
  while (!s.empty() && isSpace(s.back())) {
    s.remove_suffix(1);
  }
  return s;
}

std::vector<std::string> words(std::string_view s) {
  std::vector<std::string> result;
  std::string word;
  for (const char c : s) {
    if (!isSpace(c)) {
      word += c;
    } else if (!word.empty()) {
      result.push_back(word);
      word.clear();
    }
  }
  if (!word.empty()) {
    result.push_back(word);
  }
  return result;
}

Graph Graph::parse(std::string_view text) {
  Graph graph;
  std::vector<Line> lines;
  while (!text.empty()) {
    const std::string_view line = trim(takeLine(text));
    if (line.empty() || line.front() == '#') {
      continue;
    }
    lines.push_back(parseLine(line));
    if (graph.has(lines.back().name)) {
      throw GraphError("target described twice: " + lines.back().name);
    }
    graph.add(lines.back().name);
  }
  for (const Line& line : lines) {
    const TargetId id = graph.idOf(line.name);
    for (const std::string& need : line.needs) {
      graph.addNeed(id, graph.idOf(need));
    }
    for (const std::string& source : line.sources) {
      graph.addSource(id, source);
    }
  }
  return graph;
}

TargetId Graph::add(const std::string& name) {
  const TargetId id = targets_.size();
  Target target;
  target.name = name;
  targets_.push_back(target);
  ids_[name] = id;
  return id;
}

void Graph::addNeed(TargetId target, TargetId need) {
  std::vector<TargetId>& needs = targets_.at(target).needs;
  if (std::find(needs.begin(), needs.end(), need) == needs.end()) {
    needs.push_back(need);
  }
}

void Graph::addSource(TargetId target, const std::string& source) {
  targets_.at(target).sources.push_back(source);
}

TargetId Graph::idOf(const std::string& name) const {
  const auto it = ids_.find(name);
  if (it == ids_.end()) {
    throw GraphError("unknown target: " + name);
  }
  return it->second;
}

bool Graph::has(const std::string& name) const { return ids_.count(name) > 0; }

std::vector<TargetId> Graph::order() const {
  std::vector<Mark> marks(targets_.size(), Mark::none);
  std::vector<TargetId> out;
  for (TargetId id = 0; id < targets_.size(); ++id) {
    visit(id, marks, out);
  }
  return out;
}

void Graph::visit(TargetId id, std::vector<Mark>& marks,
                  std::vector<TargetId>& out) const {
  if (marks[id] == Mark::closed) {
    return;
  }
  if (marks[id] == Mark::open) {
    throw GraphError("cycle through " + targets_[id].name);
  }
  marks[id] = Mark::open;
  for (const TargetId need : targets_[id].needs) {
    visit(need, marks, out);
  }
  marks[id] = Mark::closed;
  out.push_back(id);
}

std::vector<unsigned> Graph::levels() const {
  std::vector<unsigned> result(targets_.size(), 0);
  for (const TargetId id : order()) {
    for (const TargetId need : targets_[id].needs) {
      result[id] = std::max(result[id], result[need] + 1);
    }
  }
  return result;
}

std::vector<TargetId> Graph::usersOf(TargetId id) const {
  std::vector<TargetId> result;
  for (TargetId user = 0; user < targets_.size(); ++user) {
    const std::vector<TargetId>& needs = targets_[user].needs;
    if (std::find(needs.begin(), needs.end(), id) != needs.end()) {
      result.push_back(user);
    }
  }
  return result;
}

std::string Graph::str() const {
  std::string out;
  for (const Target& target : targets_) {
    out += target.name + ":";
    for (const TargetId need : target.needs) {
      out += " " + targets_[need].name;
    }
    if (!target.sources.empty()) {
      out += " =";
    }
    for (const std::string& source : target.sources) {
      out += " " + source;
    }
    out += "\n";
  }
  return out;
}

}  // namespace build
