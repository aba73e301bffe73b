#include "core/old_names.h"

#include <algorithm>

#include "base/strings.h"
#include "policy/foreign_names.h"

namespace helve::core {

std::string tool_with_other_name(std::string_view name, std::span<const std::string> known,
                                 const MoreNames& more) {
  const std::string_view tool = policy::tool_guessed(name, more);
  return std::ranges::find(known, tool) != known.end() ? std::string(tool) : std::string();
}

namespace {

// mcp__github__create_issue → create_issue
std::string_view without_server(std::string_view name) {
  const std::size_t separator = name.starts_with("mcp__") ? name.find("__", 5) : std::string_view::npos;
  return separator == std::string_view::npos ? name : name.substr(separator + 2);
}

// The smaller, the more alike. A common word counts more than common letters.
std::size_t distance(std::string_view name, std::string_view tool) {
  const std::string wanted = to_snake_case(name);
  const std::string plain = to_snake_case(tool);
  constexpr std::size_t kWholeWord = 8;
  constexpr std::size_t kFar = 1'000;
  std::size_t common = 0;
  for (const std::string_view word : split(wanted, '_'))
    if (word.size() > 2 && concat("_", plain, "_").find(concat("_", word, "_")) != std::string::npos)
      ++common;
  const std::size_t score = kFar + edit_distance(wanted, plain);
  return score - std::min(score, common * kWholeWord);
}

}  // namespace

std::vector<std::string> nearest_tools(std::string_view name, std::span<const std::string> known,
                                       std::size_t most) {
  constexpr std::size_t kLongest = 100;  // the comparison is quadratic
  const std::string_view wanted = name.substr(0, kLongest);
  const std::string_view bare = without_server(wanted);
  std::vector<std::pair<std::size_t, std::string>> scored;
  for (const std::string& tool : known)
    scored.emplace_back(std::min(distance(wanted, tool), distance(bare, without_server(tool))), tool);
  std::ranges::stable_sort(scored, {}, &std::pair<std::size_t, std::string>::first);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(most, scored.size()); ++i) names.push_back(scored[i].second);
  return names;
}

std::string tool_meant_by(std::string_view name, std::span<const std::string> known, const MoreNames& more) {
  if (std::string tool = tool_with_other_name(name, known, more); !tool.empty()) return tool;
  // A model often leaves out the prefix, or has another server's.
  const auto same = std::ranges::find(known, without_server(name), without_server);
  if (same != known.end()) return *same;
  const auto near = nearest(name, known);
  return near.empty() ? std::string() : near.front();
}

}  // namespace helve::core
