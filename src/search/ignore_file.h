// Reads one ignore file into rules.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "search/rule_list.h"

namespace helve::search {

// Lines that are no proper globs are passed over, as git does.
[[nodiscard]] RuleList parse_ignore_file(std::string_view text);

// The content of a small regular file beneath an open directory, or of an absolute path; nothing when there
// is none that can be read. Never blocks.
[[nodiscard]] std::optional<std::string> read_small_file(int directory_fd, const std::string& path);

// No rules when there is no such file.
[[nodiscard]] RuleList read_ignore_file(int directory_fd, const std::string& path);

}  // namespace helve::search
