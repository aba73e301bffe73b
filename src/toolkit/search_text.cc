#include "toolkit/search_text.h"

#include "base/strings.h"

namespace helve::toolkit {

std::vector<std::string> split_globs(std::string_view list, std::string_view workspace) {
  std::vector<std::string> globs;
  std::string glob;
  std::string open;  // the braces and groups around this place
  bool in_brackets = false;
  const auto finish = [&] {
    std::string_view text = trim(glob);
    if (text.starts_with(workspace) && text.substr(workspace.size()).starts_with('/'))
      text.remove_prefix(workspace.size());
    if (!text.empty()) globs.emplace_back(text);
    glob.clear();
  };
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] == '\\' && i + 1 < list.size()) {
      if (list[i + 1] != ',') glob += list[i];
      glob += list[++i];
      continue;
    }
    const bool group = list[i] == '(' && i > 0 && std::string_view("?*+@!").contains(list[i - 1]);
    if (list[i] == '{' || (group && list.find(')', i) != std::string_view::npos)) open += list[i];
    if (!open.empty() && list[i] == (open.back() == '{' ? '}' : ')')) open.pop_back();
    if (list[i] == '[' || list[i] == ']')
      in_brackets = list[i] == '[' && list.find(']', i) != std::string_view::npos;
    if (list[i] == ',' && open.empty() && !in_brackets)
      finish();
    else
      glob += list[i];
  }
  finish();
  return globs;
}

std::string describe_left_out(const search::WalkReport& walk) {
  std::vector<std::string> parts;
  const auto say = [&](std::size_t count, std::string_view what) {
    if (count > 0) parts.push_back(concat(with_thousands(count), " ", what));
  };
  say(walk.ignored, walk.ignored == 1
                        ? "entry is ignored by ignore files (ignored: true looks there too)"
                        : "entries are ignored by ignore files (ignored: true looks there too)");
  say(walk.hidden, walk.hidden == 1 ? "is hidden (hidden: true)" : "are hidden (hidden: true)");
  say(walk.links, walk.links == 1 ? "is a symbolic link" : "are symbolic links");
  return parts.empty() ? std::string() : concat("Left out: ", enumerate(parts), ".");
}

std::string describe_unreadable(const search::WalkReport& walk) {
  if (walk.unreadable == 0) return {};
  std::vector<std::string> parts;
  for (const auto& entry : walk.first_unreadable)
    parts.push_back(concat(entry.path, " (", entry.reason, ")"));
  if (walk.unreadable > parts.size())
    parts.push_back(concat(with_thousands(walk.unreadable - parts.size()), " more"));
  return concat("Could not read ", enumerate(parts), ".");
}

}  // namespace helve::toolkit
