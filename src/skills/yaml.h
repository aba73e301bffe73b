// The part of YAML that front matter is written in, read leniently and in bounded time and memory.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "helve/json.h"

namespace helve::skills {

struct YamlNode {
  enum class Kind {
    kPlain,  // may be a number, a boolean or nothing; empty when the value is missing
    kText,   // quoted or a block: always text
    kList,
    kMap,
  };

  std::string key = {};  // of a value in a map
  Kind kind = Kind::kPlain;
  int line = 0;                      // where it starts, with its key when it has one
  std::string text = {};             // of a scalar; of a list or map in brackets how it was written
  std::vector<YamlNode> items = {};  // of a list or a map

  [[nodiscard]] bool is_scalar() const { return kind == Kind::kPlain || kind == Kind::kText; }
  // The value of a key in a map; null when it is not there.
  [[nodiscard]] const YamlNode* find(std::string_view wanted) const;
};

struct YamlNote {
  int line = 0;
  bool dropped = false;  // the entry could not be read and is not in the map
  std::string text = {};
};

struct YamlDocument {
  YamlNode map;
  std::vector<YamlNote> notes = {};
};

// Reads a block map. Scalars (plain, quoted, `|` and `>`), lists and maps, both also in brackets, are all it
// knows; anchors, aliases and tags are refused. What other readers refuse but people write is taken as it was
// meant, with a note: a colon in a value without quotes, `[a] [b]`. An entry that cannot be read is left out,
// with a note; the entries around it stay. `first_line` is the number of the text's first line.
[[nodiscard]] YamlDocument parse_yaml(std::string_view text, int first_line = 1);

// As YAML 1.2 types plain scalars: true and false, null, numbers, text.
[[nodiscard]] Json to_json(const YamlNode& node);

}  // namespace helve::skills
