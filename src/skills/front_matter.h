// Finds the YAML between the `---` lines at the start of a Markdown file, and the text behind it.
#pragma once

#include <string_view>

namespace helve::skills {

struct FrontMatter {
  bool opened = false;  // the text starts with ---
  bool closed = false;  // and there is a second one
  std::string_view yaml = {};
  int yaml_line = 0;           // number of its first line
  std::string_view body = {};  // the whole text when there is no front matter
  int body_line = 1;
};

// A byte order mark and blank lines before it do not matter.
[[nodiscard]] FrontMatter split_front_matter(std::string_view text);

}  // namespace helve::skills
