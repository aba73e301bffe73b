// Finds the files that the arguments of a call may name, for tools whose arguments have no fixed meaning.
#pragma once

#include <string>
#include <vector>

#include "helve/json.h"

namespace helve::policy {

struct ArgumentPath {
  enum class Form {
    kWord,   // of a text: `cat .env`
    kWhole,  // a string as a whole
    kNamed,  // by the name of the argument, or as a URI
  };
  std::string path = {};
  Form form = Form::kWord;
  bool operator==(const ArgumentPath&) const = default;
};

struct ArgumentPaths {
  std::vector<ArgumentPath> paths = {};
  bool complete = true;  // false: there are more words than can be checked
};

// Every string of the arguments at any depth, keys of objects included, in the forms in which a tool could
// read it: as a whole, as a file URI, joined with a directory or with the other elements of its list, and
// each word of a text. Each path occurs once.
[[nodiscard]] ArgumentPaths paths_in_arguments(const Json& arguments);

}  // namespace helve::policy
