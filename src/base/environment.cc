#include "base/environment.h"

#include <cstdlib>

namespace helve {

std::string environment_variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): the environment is never changed
  return value == nullptr ? std::string() : std::string(value);
}

}  // namespace helve
