// The only file that knows toml++.
#include "core/toml.h"

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include <algorithm>
#include <sstream>

#include "base/strings.h"

namespace helve {
namespace {

template <class Value>
std::string printed(const Value& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

Json to_json(const toml::node& node) {
  if (const auto* table = node.as_table()) {
    JsonObject object;
    for (const auto& [key, value] : *table) object.append(std::string(key.str()), to_json(value));
    return object;
  }
  if (const auto* array = node.as_array()) {
    JsonArray list;
    for (const auto& element : *array) list.push_back(to_json(element));
    return list;
  }
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* whole = node.as_integer()) return whole->get();
  if (const auto* number = node.as_floating_point()) return number->get();
  if (const auto* boolean = node.as_boolean()) return boolean->get();
  if (const auto* date = node.as_date()) return printed(date->get());
  if (const auto* time = node.as_time()) return printed(time->get());
  if (const auto* moment = node.as_date_time()) return printed(moment->get());
  return {};
}

void collect_headers(const toml::table& table, std::vector<std::string>& path,
                     std::vector<TomlHeader>& found) {
  for (const auto& [key, value] : table) {
    path.emplace_back(key.str());
    const auto take = [&](const toml::table& inner) {
      if (inner.is_inline()) return;
      found.push_back({path, inner.source().begin.line});
      collect_headers(inner, path, found);
    };
    if (const auto* inner = value.as_table()) take(*inner);
    if (const auto* list = value.as_array())
      for (const auto& element : *list)
        if (const auto* inner = element.as_table()) take(*inner);
    path.pop_back();
  }
}

}  // namespace

std::vector<TomlHeader> toml_headers(std::string_view text) {
  std::vector<TomlHeader> found;
  const toml::parse_result result = toml::parse(text);
  std::vector<std::string> path;
  if (result) collect_headers(result.table(), path, found);
  std::ranges::stable_sort(found, {}, &TomlHeader::line);
  return found;
}

Expected<Json> parse_toml(std::string_view text, std::string_view name) {
  const toml::parse_result result = toml::parse(text);
  if (result) return to_json(result.table());
  const toml::source_position at = result.error().source().begin;
  return fail(
      ErrorCode::kInvalidArgument,
      concat(name, ", line ", at.line, ", column ", at.column, ": ", result.error().description(), "."),
      "Correct the file; it is TOML.");
}

}  // namespace helve
