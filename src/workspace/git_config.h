// Parses and writes git's configuration files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace helve::workspace {

struct GitSetting {
  std::string section = {};     // in lower case
  std::string subsection = {};  // as written; may be empty
  std::string key = {};         // in lower case
  std::string value = {};       // without quotes, escapes and comments
  bool has_value = true;        // false: a "key" without value, which means true

  [[nodiscard]] std::string name() const;  // remote.origin.url
  bool operator==(const GitSetting&) const = default;
};

struct GitConfig {
  std::vector<GitSetting> settings = {};
  bool understood = true;  // false: some lines are invalid and were skipped
};

// Whether git reads the value as true.
[[nodiscard]] bool is_true(const GitSetting& setting);

[[nodiscard]] GitConfig parse_git_config(std::string_view text);
// Formats settings as git does.
[[nodiscard]] std::string write_git_config(const std::vector<GitSetting>& settings);

// Whether the setting is safe even if written by an attacker. Any other setting may name a program to run.
[[nodiscard]] bool is_harmless(const GitSetting& setting);

// Returns only the harmless settings. Adds the names of the others to `dropped`.
[[nodiscard]] std::string harmless_settings(std::string_view configuration,
                                            std::vector<std::string>& dropped);

}  // namespace helve::workspace
