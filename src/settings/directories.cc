#include "settings/directories.h"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "base/strings.h"

namespace helve::settings {
namespace {

// The specification says to ignore a relative path in such a variable.
Expected<std::string> directory_from(const char* variable, std::string_view below_home) {
  if (const char* set = std::getenv(variable); set != nullptr && set[0] == '/') return concat(set, "/helve");
  const std::string home = home_directory();
  if (home.empty())
    return fail(ErrorCode::kUnavailable, "There is no home directory to keep Helve's own files in.",
                concat("Set HOME or ", variable, " to an absolute path."));
  return concat(home, "/", below_home, "/helve");
}

}  // namespace

std::string home_directory() {
  if (const char* home = std::getenv("HOME"); home != nullptr && home[0] == '/') return home;
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 4096> buffer;
  if (getpwuid_r(getuid(), &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr)
    return found->pw_dir;
  return {};
}

Expected<std::string> default_state_directory() { return directory_from("XDG_STATE_HOME", ".local/state"); }
Expected<std::string> default_config_directory() { return directory_from("XDG_CONFIG_HOME", ".config"); }
Expected<std::string> default_data_directory() { return directory_from("XDG_DATA_HOME", ".local/share"); }

}  // namespace helve::settings
