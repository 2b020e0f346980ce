// A key-value service that answers one-line requests.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metrics.hpp"

namespace service {

// The data, shared by all sessions.
class Store {
 public:
  std::optional<std::string> get(const std::string& key) const;
  // Returns true if the key is new.
  bool put(const std::string& key, const std::string& value);
  bool erase(const std::string& key);
  // Appends to the value and returns its new length.
  std::size_t append(const std::string& key, const std::string& tail);
  std::size_t size() const;
  std::vector<std::string> keys() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::string> values_;
};

struct Request {
  std::string verb;
  std::vector<std::string> args;
};

struct Response {
  metrics::Outcome outcome = metrics::Outcome::ok;
  std::string text;
};

std::vector<std::string> splitWords(std::string_view line);
// Nothing if the line is empty.
std::optional<Request> parseRequest(std::string_view line);

// One client's connection; used by one thread.
class Session {
 public:
  Session(Store& store, metrics::Metrics& metrics)
      : store_(store), metrics_(metrics) {}

  std::string handle(std::string_view line);
  std::size_t sent() const { return sent_; }
  std::size_t received() const { return received_; }

 private:
  Response dispatch(const Request& request);
  Response doGet(const Request& request);
  Response doPut(const Request& request);
  Response doDelete(const Request& request);
  Response doAppend(const Request& request);

  Store& store_;
  metrics::Metrics& metrics_;
  std::size_t sent_ = 0;
  std::size_t received_ = 0;
};

}  // namespace service
