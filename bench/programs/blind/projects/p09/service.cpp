#include "service.hpp"

#include <utility>

namespace service {

using metrics::Outcome;
using metrics::Sample;

std::optional<std::string> Store::get(const std::string& key) const {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto it = values_.find(key);
  if (it == values_.end()) {
    return std::nullopt;
  }
  return it->second;
}

bool Store::put(const std::string& key, const std::string& value) {
  std::lock_guard<std::mutex> lock(mutex_);
  return values_.insert_or_assign(key, value).second;
}

bool Store::erase(const std::string& key) {
  std::lock_guard<std::mutex> lock(mutex_);
  return values_.erase(key) > 0;
}

std::size_t Store::append(const std::string& key, const std::string& tail) {
  std::lock_guard<std::mutex> lock(mutex_);
  std::string& value = values_[key];
  value += tail;
  return value.size();
}

std::size_t Store::size() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return values_.size();
}

std::vector<std::string> Store::keys() const {
  std::vector<std::string> result;
  std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& entry : values_) {
    result.push_back(entry.first);
  }
  return result;
}

std::vector<std::string> splitWords(std::string_view line) {
  std::vector<std::string> words;
  std::size_t pos = 0;
  while (pos < line.size()) {
    if (line[pos] == ' ') {
      ++pos;
      continue;
    }
    std::size_t end = line.find(' ', pos);
    if (end == std::string_view::npos) {
      end = line.size();
    }
    words.emplace_back(line.substr(pos, end - pos));
    pos = end;
  }
  return words;
}

std::optional<Request> parseRequest(std::string_view line) {
  std::vector<std::string> words = splitWords(line);
  if (words.empty()) {
    return std::nullopt;
  }
  Request request;
  for (const char c : words.front()) {
    request.verb += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  request.args.assign(words.begin() + 1, words.end());
  return request;
}

namespace {

Response badRequest(const char* text) {
  return Response{Outcome::badRequest, text};
}

Response notFound(const std::string& key) {
  return Response{Outcome::notFound, "no " + key};
}

// What a request costs, in arbitrary units.
std::uint64_t costOf(const Request& request, const Response& response) {
  std::uint64_t cost = 1;
  for (const std::string& arg : request.args) {
    cost += arg.size();
  }
  if (response.outcome == Outcome::ok) {
    cost += response.text.size();
  }
  return cost;
}

}  // namespace

std::string Session::handle(std::string_view line) {
  const std::optional<Request> request = parseRequest(line);
  received_ += line.size();
  if (!request) {
    return "";
  }
  const Response response = dispatch(*request);
  Sample sample;
  sample.command = request->verb;
  sample.outcome = response.outcome;
  sample.bytesIn = line.size();
  sample.bytesOut = response.text.size();
  sample.cost = costOf(*request, response);
  metrics_.record(sample);
  sent_ += response.text.size();
  return response.text;
}

Response Session::dispatch(const Request& request) {
  if (request.verb == "GET") {
    return doGet(request);
  }
  if (request.verb == "PUT") {
    return doPut(request);
  }
  if (request.verb == "DEL") {
    return doDelete(request);
  }
  if (request.verb == "APPEND") {
    return doAppend(request);
  }
  return badRequest("unknown verb");
}

Response Session::doGet(const Request& request) {
  if (request.args.size() != 1) {
    return badRequest("usage: GET key");
  }
  const std::optional<std::string> value = store_.get(request.args[0]);
  if (!value) {
    return notFound(request.args[0]);
  }
  return Response{Outcome::ok, *value};
}

Response Session::doPut(const Request& request) {
  if (request.args.size() != 2) {
    return badRequest("usage: PUT key value");
  }
  const bool isNew = store_.put(request.args[0], request.args[1]);
  return Response{Outcome::ok, isNew ? "created" : "changed"};
}

Response Session::doDelete(const Request& request) {
  if (request.args.size() != 1) {
    return badRequest("usage: DEL key");
  }
  if (!store_.erase(request.args[0])) {
    return notFound(request.args[0]);
  }
  return Response{Outcome::ok, "deleted"};
}

Response Session::doAppend(const Request& request) {
  if (request.args.size() != 2) {
    return badRequest("usage: APPEND key text");
  }
  const std::size_t length = store_.append(request.args[0], request.args[1]);
  return Response{Outcome::ok, std::to_string(length)};
}

}  // namespace service
