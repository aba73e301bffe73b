// Expands one word of a command line with the values that the line tells.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/line_values.h"

namespace helve::policy {

// Used for one word, as written.
class WordExpansion {
 public:
  explicit WordExpansion(const LineValues& values, int depth = 0) : values_(values), depth_(depth) {}

  // All fields that the word may become, with braces expanded; empty when any part is unknown.
  [[nodiscard]] Fields fields(const std::string& word);
  // The possible values without splitting, as in an assignment.
  [[nodiscard]] Fields whole(const std::string& word);

 private:
  struct State {
    Fields done = {};
    std::string current = {};
    bool open = false;
  };
  struct Value {
    std::string text;
    bool pattern;  // expanded already
  };

  bool read(std::string_view word);
  std::size_t read_tilde(std::string_view word);
  std::size_t read_dollar(std::string_view word, std::size_t at, bool quoted);
  std::size_t read_braces(std::string_view word, std::size_t at, bool quoted);
  bool read_expression(std::string_view inside, bool quoted);
  void append(std::string_view text);
  void append_values(const std::vector<Value>& values, bool quoted);
  void append_output(const Fields& output, bool quoted);
  void append_split(State& state, const Value& value) const;
  [[nodiscard]] std::optional<std::vector<Value>> values_of(std::string_view name) const;
  [[nodiscard]] std::optional<Fields> evaluate(std::string_view command) const;
  [[nodiscard]] std::optional<std::string> evaluate_path(const shell::SimpleCommand& command) const;

  const LineValues& values_;
  int depth_;
  bool splits_ = true;
  std::vector<State> states_ = {};
};

}  // namespace helve::policy
