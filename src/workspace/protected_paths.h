// Which paths inside the workspace no tool may write, because other programs would act on them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace helve {

// A rule covers the path that it names and everything beneath it, whether it exists yet or not, in
// upper or lower case (.GIT is .git on some disks).
//   `.git`        at any depth
//   `a/b`         these components in a row, at any depth
//   `/.bashrc`    at the top of the workspace
//   `~/.bashrc`   in the home directory, when that lies in the workspace
struct ProtectedRule {
  std::string pattern;
  std::string reason;  // completes "… is protected: "

  bool operator==(const ProtectedRule&) const = default;
};

// Git's internals, Helve's own configuration and state, shell start-up files.
[[nodiscard]] std::vector<ProtectedRule> default_protected_rules();

// A set of rules made ready for one workspace. A value; may be used from all threads.
class ProtectedPaths {
 public:
  ProtectedPaths() = default;
  // `home` is where the home directory lies beneath the root, if it does; no components: it is the root.
  ProtectedPaths(std::span<const ProtectedRule> rules, const std::optional<std::vector<std::string>>& home);

  // The rule that covers a path, given by its resolved components; null when it may be written.
  [[nodiscard]] const ProtectedRule* find(std::span<const std::string> components) const;

 private:
  struct Ready {
    ProtectedRule rule;
    bool anchored;
    std::vector<std::string> components;  // lower case
  };
  std::vector<Ready> rules_;
};

}  // namespace helve
