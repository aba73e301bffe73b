// Finds the API key of a model server in the environment or in a private file.
#pragma once

#include <functional>
#include <string>

#include "helve/error.h"

namespace helve::model {

struct Key {
  std::string value = {};   // empty: not found
  std::string source = {};  // "the variable OPENAI_API_KEY"
};

// Reads an environment variable; empty if it is not set.
using Variables = std::function<std::string(const char* name)>;

// Looks for the variable first, then for a line NAME=value in the file. Fails with SECURITY if other users
// can read the file. Errors never contain values.
[[nodiscard]] Expected<Key> find_key(const std::string& name, const Variables& variables,
                                     const std::string& keys_file);

}  // namespace helve::model
