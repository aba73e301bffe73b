#include "base/environment.h"

#include <cstdlib>

namespace helve {

std::string environment_variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets it meanwhile
  return value == nullptr ? std::string() : std::string(value);
}

}  // namespace helve
