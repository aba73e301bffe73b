// Parses YAML flow style: lists and maps in brackets, including JSON.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "skills/yaml.h"

namespace helve::skills {

// The remaining limits of one document, shared by all parts of the parser.
struct YamlBudget {
  int nodes = 2000;
  static constexpr int kMostDepth = 8;
};

struct FlowFailure {
  YamlNote note;
  bool is_refused = false;  // it is an anchor, an alias or a tag, not a syntax error
};

// `text` is the complete value, which may span several lines.
[[nodiscard]] std::expected<YamlNode, FlowFailure> parse_flow(std::string_view text, int line, int depth,
                                                              YamlBudget& budget);

// Finds the end of a value in brackets incrementally.
class FlowBalance {
 public:
  void add(std::string_view text);
  [[nodiscard]] bool is_closed() const { return closed_; }

 private:
  int open_ = 0;
  char quote_ = '\0';
  char before_ = ' ';
  bool escaped_ = false;
  bool closed_ = false;
};

// Why a plain scalar is rejected: it is an anchor, an alias or a tag. Empty for all others.
[[nodiscard]] std::string refused_indicator(std::string_view text);

}  // namespace helve::skills
