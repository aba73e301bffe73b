// HTTP messages: requests, responses and their headers.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace helve::http {

// Header fields in their original order; names are case-insensitive.
class Headers {
 public:
  using Field = std::pair<std::string, std::string>;

  Headers() = default;
  Headers(std::initializer_list<Field> fields) : fields_(fields) {}

  // The value of the first field with this name, or null.
  [[nodiscard]] const std::string* find(std::string_view name) const;
  [[nodiscard]] std::size_t count(std::string_view name) const;
  void add(std::string name, std::string value) { fields_.emplace_back(std::move(name), std::move(value)); }

  [[nodiscard]] auto begin() const { return fields_.begin(); }
  [[nodiscard]] auto end() const { return fields_.end(); }

 private:
  std::vector<Field> fields_;
};

struct Request {
  std::string method = {};
  std::string path = {};   // "/mcp": unchanged, without the query
  std::string query = {};  // without the question mark
  Headers headers = {};
  std::string body = {};
  // The number of the connection; a server never uses one twice. 0 outside a server.
  std::uint64_t connection = 0;
};

struct Response {
  int status = 200;
  Headers headers = {};
  std::string body = {};
};

}  // namespace helve::http
