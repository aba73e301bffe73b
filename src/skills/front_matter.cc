#include "skills/front_matter.h"

#include "base/strings.h"

namespace helve::skills {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Takes the first line, without its end, off the text.
std::string_view take_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return line;
}

bool is_fence(std::string_view line, std::string_view mark) {
  return line.starts_with(mark) && trim(line.substr(mark.size())).empty();
}

}  // namespace

FrontMatter split_front_matter(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  FrontMatter found{.body = text};
  std::string_view rest = text;
  int line = 1;
  std::string_view first = take_line(rest);
  for (; trim(first).empty() && !rest.empty(); ++line) first = take_line(rest);
  if (!is_fence(first, "---")) return found;
  found.opened = true;
  found.yaml_line = ++line;
  const std::string_view yaml = rest;
  while (!rest.empty()) {
    const std::size_t length = yaml.size() - rest.size();
    const std::string_view here = take_line(rest);
    ++line;
    if (!is_fence(here, "---") && !is_fence(here, "...")) continue;
    found.closed = true;
    found.yaml = yaml.substr(0, length);
    found.body = rest;
    found.body_line = line;
    return found;
  }
  return found;
}

}  // namespace helve::skills
