// Parses the subset of YAML used in front matter, leniently and in bounded time and memory.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "helve/json.h"

namespace helve::skills {

struct YamlNode {
  enum class Kind {
    kPlain,  // empty when the value is missing
    kText,   // quoted or a block
    kList,
    kMap,
  };

  std::string key = {};  // of a value in a map
  Kind kind = Kind::kPlain;
  int line = 0;                      // where it starts, including its key
  std::string text = {};             // of a scalar; the source text of a list or map in brackets
  std::vector<YamlNode> items = {};  // of a list or a map

  [[nodiscard]] bool is_scalar() const { return kind == Kind::kPlain || kind == Kind::kText; }
  // The value of a key in a map; null when it is missing.
  [[nodiscard]] const YamlNode* find(std::string_view wanted) const;
};

struct YamlNote {
  int line = 0;
  bool dropped = false;  // the entry could not be parsed and is not in the map
  std::string text = {};
};

struct YamlDocument {
  YamlNode map;
  std::vector<YamlNote> notes = {};
};

// Parses a block map. Supports scalars (plain, quoted, `|` and `>`), lists and maps, in block or flow style;
// rejects anchors, aliases and tags. Accepts common mistakes with a note: a colon in an unquoted value,
// `[a] [b]`. Drops an entry that cannot be parsed, with a note, and keeps the others. `first_line` is the
// number of the text's first line.
[[nodiscard]] YamlDocument parse_yaml(std::string_view text, int first_line = 1);

// Every scalar is text, as in the reference implementation of skills: `version: 1.0` is "1.0", not 1.
[[nodiscard]] Json to_json(const YamlNode& node);

}  // namespace helve::skills
