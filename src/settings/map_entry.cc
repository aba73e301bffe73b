#include "settings/map_entry.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"

namespace helve::settings {
namespace {

using Kind = ParamType::Kind;

// Takes the first name from `rest`: up to a dot, or in quotes.
Expected<std::string> take_name(std::string_view& rest) {
  const bool quoted = rest.starts_with('"');
  const std::size_t end = quoted ? rest.find('"', 1) : std::min(rest.find('.'), rest.size());
  const std::string name(rest.substr(quoted ? 1 : 0, end - (quoted ? 1 : 0)));
  const std::string_view behind =
      end >= rest.size() ? std::string_view() : rest.substr(end + (quoted ? 1 : 0));
  if (end == std::string_view::npos || name.empty() || (!behind.empty() && !behind.starts_with('.')) ||
      behind == ".")
    return fail(ErrorCode::kInvalidArgument, concat("\"", rest, "\" is not a name and its members"));
  rest = behind.empty() ? behind : behind.substr(1);
  return name;
}

Expected<void> descend(const ParamType& type, std::string_view rest, MapEntry& entry) {
  entry.type = &type;
  if (rest.empty()) return {};
  if (type.kind == Kind::kMap) {
    const ParamType& element = type.element.front();
    const bool has_members = element.kind == Kind::kObject || element.kind == Kind::kMap;
    if (!has_members && !rest.starts_with('"')) {
      entry.path.emplace_back(rest);
      entry.type = &element;
      return {};
    }
    auto name = take_name(rest);
    if (!name) return fail(name.error());
    entry.path.push_back(*std::move(name));
    return descend(element, rest, entry);
  }
  auto name = take_name(rest);
  if (!name) return fail(name.error());
  if (type.kind == Kind::kObject) {
    const auto member = std::ranges::find(type.members, *name, &Param::name);
    if (member == type.members.end()) {
      std::vector<std::string> known;
      for (const Param& each : type.members) known.push_back(each.name);
      const auto near = nearest(*name, known);
      return fail(ErrorCode::kInvalidArgument,
                  concat(*name, " is not known there; ",
                         near.empty() ? concat("known are ", enumerate(known))
                                      : concat("did you mean ", near.front(), "?")));
    }
    entry.path.push_back(*std::move(name));
    return descend(member->type, rest, entry);
  }
  if (type.kind == Kind::kAny) {
    entry.path.push_back(*std::move(name));
    return descend(type, rest, entry);
  }
  return fail(ErrorCode::kInvalidArgument, concat(*name, " is not known there; it has no members"));
}

}  // namespace

Expected<MapEntry> find_map_entry(const ParamType& map, std::string_view rest) {
  MapEntry entry;
  if (auto found = descend(map, rest, entry); !found) return fail(found.error());
  return entry;
}

Json with_map_entry(Json map, const std::vector<std::string>& path, Json value) {
  if (!map.is_object()) map = JsonObject();
  Json* at = &map;
  for (const std::string& name : path) {
    if (!at->is_object()) *at = JsonObject();
    at = &(*at)[name];
  }
  *at = std::move(value);
  return map;
}

}  // namespace helve::settings
