// Where the key of a model's server comes from: the environment, or a file that nobody else can read.
#pragma once

#include <functional>
#include <string>

#include "helve/error.h"

namespace helve::model {

struct Key {
  std::string value = {};   // empty: there is none
  std::string source = {};  // "the variable OPENAI_API_KEY"
};

// A variable of the environment; empty when it is not set.
using Variables = std::function<std::string(const char* name)>;

// Looks for the variable first, then for a line NAME=value of the file. SECURITY when others can read the
// file: a key in it is no longer one. No value is ever part of an error.
[[nodiscard]] Expected<Key> find_key(const std::string& name, const Variables& variables,
                                     const std::string& keys_file);

}  // namespace helve::model
