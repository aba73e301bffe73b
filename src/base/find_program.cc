#include "base/find_program.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/strings.h"

namespace helve {

bool is_program(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

std::optional<std::string> find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    if (name.starts_with('/') && is_program(name)) return name;
    return {};
  }
  const std::string path = environment_variable("PATH");
  for (const std::string_view directory :
       split(path.empty() ? std::string_view("/usr/bin:/bin") : path, ':')) {
    if (!directory.starts_with('/')) continue;
    std::string candidate = concat(directory, "/", name);
    if (is_program(candidate)) return candidate;
  }
  return {};
}

}  // namespace helve
