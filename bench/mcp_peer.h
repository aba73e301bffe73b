// MCP servers as the measurements see them: requests as lines or over HTTP, as fast as the server can take
// them.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_io.h"

namespace helve::bench {

// A child with pipes at its input and output, ended with its owner. Used from one thread. Any
// failure ends the measurement with a message, because a figure for failed calls would be wrong.
class McpPeer {
 public:
  // Returns when the server has answered `initialize`.
  explicit McpPeer(const std::vector<std::string>& words);
  ~McpPeer();
  McpPeer(const McpPeer&) = delete;
  McpPeer& operator=(const McpPeer&) = delete;

  // One request, and its answer.
  const std::string& ask(std::string_view method, std::string_view params);
  const std::string& call(std::string_view tool, std::string_view arguments);
  // `count` calls of which `in_flight` are on their way at any time; `arguments` makes those of each.
  void call_many(std::string_view tool, int count, int in_flight,
                 const std::function<std::string(int n)>& arguments);
  [[nodiscard]] double resident_mib() const;

 private:
  const std::string& next_line();

  pid_t pid_ = -1;
  UniqueFd to_;
  UniqueFd from_;
  std::string buffer_ = {};
  std::size_t begin_ = 0;
  std::string line_ = {};
  int id_ = 0;
};

// `helve serve` as a child, and one connection to it that is kept open.
class HttpPeer {
 public:
  HttpPeer(const std::string& helve, const std::string& workspace);
  ~HttpPeer();
  HttpPeer(const HttpPeer&) = delete;
  HttpPeer& operator=(const HttpPeer&) = delete;

  const std::string& call(std::string_view tool, std::string_view arguments);
  [[nodiscard]] double resident_mib() const;

 private:
  const std::string& post(std::string_view body);

  pid_t pid_ = -1;
  UniqueFd connection_;
  std::string head_ = {};  // of every request
  std::string buffer_ = {};
  std::string answer_ = {};
  int id_ = 0;
};

}  // namespace helve::bench
