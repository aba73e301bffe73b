// The files that configuration names: programs and scripts, and what these start by a name.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace helve::settings {

struct NamedFiles {
  std::vector<std::string> existing = {};  // absolute, as named: symlinks are not resolved
  std::vector<std::string> missing = {};   // the command would use them if they existed
};

// `values` belong to one command: its line, or its program, arguments, directory and environment. Words may
// name files relative to the project or to a directory that another word names (`cd tools && ./x`), modules
// (`-m name`), directories with an index file, and scripts of package.json or a makefile (`npm run x`). One
// file too many does no harm; files that a program loads in turn are not found.
[[nodiscard]] NamedFiles files_of_command(const std::string& project, std::span<const std::string> values);

// Every word and every string of a configuration text that names an existing file.
[[nodiscard]] std::vector<std::string> files_in_text(const std::string& project, std::string_view text);

// The strings in double quotes, without the escapes of JSON.
[[nodiscard]] std::vector<std::string> quoted_strings(std::string_view text);

}  // namespace helve::settings
