#include "core/old_names.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/strings.h"

namespace helve::core {
namespace {

// Lower-case, without separators, so that readFile, read_file and ReadFile are one entry.
constexpr auto kMeant = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"applydiff", "apply_patch"},
    {"applypatch", "apply_patch"},
    {"askuserquestion", "ask_user"},
    {"bash", "exec"},
    {"bashoutput", "process"},
    {"cat", "read"},
    {"createdirectory", "write"},
    {"createfile", "write"},
    {"directorytree", "ls"},
    {"editfile", "edit"},
    {"edittext", "edit"},
    {"executecommand", "exec"},
    {"getfileinfo", "ls"},
    {"glob", "find"},
    {"globsearch", "find"},
    {"grepsearch", "grep"},
    {"killshell", "process"},
    {"listdir", "ls"},
    {"listdirectory", "ls"},
    {"movefiles", "apply_patch"},
    {"open", "read"},
    {"readfile", "read"},
    {"redo", "history"},
    {"readtextfile", "read"},
    {"ripgrep", "grep"},
    {"runcommand", "exec"},
    {"runshellcommand", "exec"},
    {"searchfiles", "find"},
    {"searchtext", "grep"},
    {"shell", "exec"},
    {"strreplace", "edit"},
    {"textreplace", "edit"},
    {"view", "read"},
    {"writefile", "write"},
});

std::string without_separators(std::string_view name) {
  std::string plain = to_lower(name);
  std::erase_if(plain, [](char c) { return c == '_' || c == '-'; });
  return plain;
}

}  // namespace

std::string tool_meant_by(std::string_view name, std::span<const std::string> known) {
  const std::string plain = without_separators(name);
  const auto* meant = std::ranges::find(kMeant, plain, &std::pair<std::string_view, std::string_view>::first);
  if (meant != kMeant.end() && std::ranges::find(known, meant->second) != known.end())
    return std::string(meant->second);
  const auto near = nearest(name, known);
  return near.empty() ? std::string() : near.front();
}

}  // namespace helve::core
