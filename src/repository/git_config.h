// Git's configuration files: read as git reads them, and written anew.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace helve::repository {

struct GitSetting {
  std::string section = {};     // in lower case
  std::string subsection = {};  // as written; may be empty
  std::string key = {};         // in lower case
  std::string value = {};       // without quotes, escapes and comments
  bool has_value = true;        // false: "key" alone, which means true

  [[nodiscard]] std::string name() const;  // remote.origin.url
  bool operator==(const GitSetting&) const = default;
};

struct GitConfig {
  std::vector<GitSetting> settings = {};
  bool understood = true;  // false: some of it is not what git would accept, and was left out
};

[[nodiscard]] GitConfig parse_git_config(std::string_view text);
// In the form in which git writes it.
[[nodiscard]] std::string write_git_config(const std::vector<GitSetting>& settings);

// Whether git can be trusted with the setting whoever wrote it; any other may name a program to run.
[[nodiscard]] bool is_harmless(const GitSetting& setting);

}  // namespace helve::repository
